/* units.h: units as texts say them. */
#ifndef DYN_RUNTIME_UNITS_H
#define DYN_RUNTIME_UNITS_H
#include <string.h>

/* Whether a unit is none, and not worth printing. */
static inline int unit_is_plain(const char *unit) {
  return !unit || !unit[0] || !strcmp(unit, "1");
}

#endif
