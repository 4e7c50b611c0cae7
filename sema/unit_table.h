/* Looking units up by name: sema/units.def with its prefixes. */
#ifndef DYN_SEMA_UNIT_TABLE_H
#define DYN_SEMA_UNIT_TABLE_H
#include "base/arena.h"
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

struct unit_row {
  const char *name;
  const char *factor; /* a decimal, or a ratio of two */
  int8_t pi_power;
  bool takes_prefixes;
  int8_t angle;
  int8_t exponents[7]; /* in the order of enum unit_base */
};

struct unit_name { /* a name taken apart */
  const struct unit_row *row;
  int prefix_power; /* of ten; 0: none */
};

/* False if the name is unknown. A whole name goes before a prefix: min is a minute. */
bool unit_find(const char *name, struct unit_name *out);
/* The exact scale without its power of pi; *out is initialised by the caller. */
void unit_name_scale(const struct unit_name *name, mpq_t out);
/* What an unknown name may have meant ("kg" for KG, "N*m" for Nm), or NULL. */
const char *unit_suggest(struct arena *arena, const char *name);
/* The text of sema/units.def for exponents (integers only), or NULL. */
const char *unit_dimension_name(const int8_t exponents[7]);
#endif
