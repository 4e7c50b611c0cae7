/* Units: what a bracket such as [km/h] means. A unit is a physical dimension (seven exponents of
 * the SI base units) and an exact scale: one of the unit is  factor * pi^pi_power * roots  in SI.
 *
 * Angles are pure numbers with the radian as their unit; how often an angle occurs in a unit is
 * kept beside the dimension ("angle"), only so that rad/s is not printed as 1/s. All results live
 * in the context's arena. The table of units is sema/units.def. */
#ifndef DYN_SEMA_UNIT_H
#define DYN_SEMA_UNIT_H
#include "base/context.h"
#include "base/rational.h"
#include "expr/expr.h"
#include "parser/ast.h"

enum unit_base {
  UNIT_KILOGRAM,
  UNIT_METRE,
  UNIT_SECOND,
  UNIT_AMPERE,
  UNIT_KELVIN,
  UNIT_MOLE,
  UNIT_CANDELA,
  UNIT_BASE_COUNT
};

struct dimension { /* exponents of the base units */
  struct rational exponent[UNIT_BASE_COUNT];
};

struct unit_root {    /* factor^exponent with an exponent that is no integer, as in [mm^(1/2)] */
  const char *factor; /* "1/1000" */
  struct rational exponent;
};

struct unit {
  struct dimension dimension;
  const char *factor; /* exact, "p" or "p/q" in decimal digits, positive */
  struct rational pi_power;
  struct rational angle; /* power of the radian; no part of the dimension */
  struct unit_root *roots;
  uint32_t root_count;
  const char *text; /* as written: "km/h" */
  const char *si;   /* the coherent SI unit: "m/s"; `text` itself if that is one */
};

/* ---- dimensions */
struct dimension dimension_pure(void);
struct dimension dimension_of_base(enum unit_base base, int64_t exponent);
bool dimension_is_pure(const struct dimension *a);
bool dimension_equal(const struct dimension *a, const struct dimension *b);
/* a * b^power. False if an exponent leaves the range of a rational. */
bool dimension_multiply(const struct dimension *a, const struct dimension *b, struct rational power,
                        struct dimension *out);
/* The unit a reader expects: "N", "N*m", "kg*m^2", "m/s^2"; "1" for a pure number. It can be read
 * back as a unit. */
const char *dimension_text(struct arena *arena, const struct dimension *dimension,
                           struct rational angle);

/* ---- units */
/* What a unit bracket means. False if faults were reported (unknown unit, exponents out of range);
 * *out is then a pure number. */
bool unit_evaluate(dyn_context *context, const struct ast_unit *source, struct unit *out);
/* The coherent SI unit of a dimension. */
struct unit unit_of_dimension(dyn_context *context, const struct dimension *dimension,
                              struct rational angle);
/* The unit of the `count`th time derivative. */
struct unit unit_derivative(dyn_context *context, const struct unit *unit, unsigned count);
bool unit_is_coherent(const struct unit *unit); /* its scale is 1 */
/* The number of SI units in one of this unit, exact. */
expr unit_scale_expr(struct expr_graph *graph, const struct unit *unit);
#endif
