/* What a sweep is, as a text by which another run of it is recognised. */
#ifndef DYN_DRIVER_SWEEP_MANIFEST_H
#define DYN_DRIVER_SWEEP_MANIFEST_H
#include "driver/sweep.h"

/* A JSON object, one member a line. False, with a diagnostic, if a file can't be read. */
bool sweep_manifest_write(const struct sweep *sweep, struct text *out);
enum sweep_difference {
  SWEEP_SAME,
  SWEEP_OTHER,       /* of other values, options, texts */
  SWEEP_OTHER_ORIGIN /* computed by another build of dyn, or on another kind of machine */
};
/* Appends the first difference of two manifests in words. */
enum sweep_difference sweep_manifest_differ(const char *there, const char *here,
                                            struct text *words);
#endif
