/* Each answer is a hash in hexadecimal digits. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "driver/sweep_origin.h"
#include "base/identity.h"
#include "base/map.h"
#include "base/module.h"
#include <limits.h>
#include <link.h>
#include <math.h>
#include <string.h>

static void put_hash(struct text *out, const void *bytes, size_t size) {
  text_format(out, "%016llx", (unsigned long long)hash_bytes(bytes, size, 1));
}

void sweep_origin_put_build(struct text *out) {
  static const char *const modules[] = {"dyn_backend", "dyn_prover"};
  char path[PATH_MAX];
  struct text all = {0};
  if (module_own_path(path, sizeof path)) identity_of_file(path, &all);
  for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
    text_format(&all, " %s ", modules[i]);
    if (module_path(modules[i], path, sizeof path)) identity_of_file(path, &all);
  }
  put_hash(out, text_string(&all), all.length);
  text_free(&all);
}

/* ---------------------------------------------------------------- libraries */

static int add_library(struct dl_phdr_info *info, size_t size, void *user) {
  static const char *const numeric[] = {"libm.",   "libklu.",    "libamd.",  "libcolamd.",
                                        "libbtf.", "liblapack.", "libblas.", "libopenblas"};
  struct text *all = user;
  const char *slash = strrchr(info->dlpi_name, '/'), *name = slash != NULL ? slash + 1 : "";
  (void)size;
  for (size_t i = 0; i < sizeof numeric / sizeof numeric[0]; i++) {
    if (strncmp(name, numeric[i], strlen(numeric[i])) != 0) continue;
    text_format(all, " %s ", numeric[i]);
    identity_of_file(info->dlpi_name, all);
  }
  return 0;
}

void sweep_origin_put_libraries(struct text *out) {
  struct text all = {0};
  dl_iterate_phdr(add_library, &all);
  put_hash(out, text_string(&all), all.length);
  text_free(&all);
}

/* ---------------------------------------------------------------- functions */

/* Some thousandths of the values differ in their last digit between processors with and without
 * fused multiplication and addition. */
void sweep_origin_put_functions(struct text *out) {
  enum { POINTS = 2000 };
  uint64_t hash = 1;
  for (int i = 0; i < POINTS; i++) {
    double unit = ((double)(hash_mix((uint64_t)i) >> 11) + 0.5) * 0x1p-53, x = 6.3 * unit;
    const double values[] = {sin(x),        cos(x),        tan(x),      asin(unit), acos(unit),
                             atan(x),       atan2(x, 2.5), sinh(x),     cosh(x),    tanh(x),
                             exp(x),        log(x),        log1p(x),    expm1(x),   pow(x, 2.7),
                             hypot(x, 1.3), cbrt(x),       fmod(x, 0.7)};
    hash = hash_bytes(values, sizeof values, hash);
  }
  text_format(out, "%016llx", (unsigned long long)hash);
}
