/* motion_verify.c: whether solved accelerations and multipliers satisfy the equations that they
 * come from. Where they do not, even after refinement, they become undefined, which every caller
 * reports. Needs a solved motion; adds instructions to its tape. */
#include "codegen/motion.h"
#include "codegen/kernels.h"
#include <math.h>
#include <stdlib.h>

/* What is allowed of the residuals of constraints. */
struct allowance {
  const tape_value *forces; /* of each coordinate, sizes added up */
  tape_value mass;          /* the largest */
  tape_value tolerance;     /* of the sizes of an equation's terms */
  tape_value rounding;      /* KERNEL_BORDER_ROUNDING where constraints are dependent, else 0 */
};

/* Equation n + k holds: |residual| <= tolerance * size, or it is nothing beside what the forces on
 * its coordinates do to the largest mass: at rest accelerations, and their sizes, are rounding. In
 * a motion without forces even those are nothing; then the elimination's own word counts. */
static tape_value constraint_holds(const struct motion *motion, uint32_t k,
                                   const struct allowance *a) {
  struct tape_builder *b = motion->builder;
  tape_value residual, size, pull = builder_constant(b, 0), reach = pull;
  motion_residual(motion, motion->n + k, &residual, &size);
  for (uint32_t i = 0; i < motion->n; i++) {
    expr entry = motion_entry(motion->system, motion->n + k, i);
    if (expr_is_integer_value(motion->system->graph, entry, 0)) continue;
    tape_value length = builder_unary(b, TAPE_ABS, builder_lower(b, entry));
    tape_value part = builder_binary(b, TAPE_MULTIPLY, length, a->forces[i]);
    pull = builder_binary(b, TAPE_ADD, pull, part);
    reach = builder_binary(b, TAPE_ADD, reach, length);
  }
  tape_value limit = builder_binary(b, TAPE_MULTIPLY, a->tolerance, size);
  tape_value off = builder_binary(b, TAPE_SUBTRACT, builder_unary(b, TAPE_ABS, residual), limit);
  pull = builder_binary(b, TAPE_MULTIPLY, builder_constant(b, 0x1p-34), pull);
  reach = builder_binary(b, TAPE_MULTIPLY, reach, builder_unary(b, TAPE_SQRT, a->mass));
  reach = builder_binary(b, TAPE_MULTIPLY, a->rounding, reach);
  return builder_binary(b, TAPE_LESS_EQUAL, builder_binary(b, TAPE_MULTIPLY, off, a->mass),
                        builder_binary(b, TAPE_ADD, pull, reach));
}

/* ---- forces beside each other */

/* How forces on a coordinate compare with those on others, whatever their units: divided by the
 * root of its mass. What has no mass of its own moves with what it is tied to: a constraint's
 * length by the roots known so far gives a root to it. Chains of such coordinates get theirs link
 * by link; what is tied to nothing has 0. */
struct roots {
  const struct motion *motion;
  tape_value *root;   /* n; of coordinates that are known */
  bool *is_known;     /* n */
  tape_value *length; /* m; of constraints that touch one, ... */
  bool *has_length;   /* m; ... these */
};

static bool has_entry(const struct motion *motion, uint32_t row, uint32_t column) {
  expr entry = motion_entry(motion->system, row, column);
  return entry != 0 && !expr_is_integer_value(motion->system->graph, entry, 0);
}

static tape_value size_of_entry(const struct motion *motion, uint32_t row, uint32_t column) {
  struct tape_builder *b = motion->builder;
  return builder_unary(b, TAPE_ABS, builder_lower(b, motion_entry(motion->system, row, column)));
}

/* a / b, 0 where b is not positive. */
static tape_value divide_or_zero(struct tape_builder *builder, tape_value a, tape_value b) {
  tape_value zero = builder_constant(builder, 0), one = builder_constant(builder, 1);
  tape_value is_positive = builder_binary(builder, TAPE_LESS, zero, b);
  tape_value quotient =
      builder_binary(builder, TAPE_DIVIDE, a, builder_select(builder, is_positive, b, one));
  return builder_select(builder, is_positive, quotient, zero);
}

/* The length of constraint k by the coordinates that are known. */
static void measure_constraint(struct roots *r, uint32_t k) {
  const struct motion *motion = r->motion;
  struct tape_builder *b = motion->builder;
  tape_value length = builder_constant(b, 0);
  for (uint32_t i = 0; i < motion->n; i++) {
    if (!r->is_known[i] || !has_entry(motion, motion->n + k, i)) continue;
    tape_value part = divide_or_zero(b, size_of_entry(motion, motion->n + k, i), r->root[i]);
    length = builder_binary(b, TAPE_MAX, length, part);
  }
  r->length[k] = length;
  r->has_length[k] = true;
}

/* Gives roots to what has none by the constraints first[count]. */
static void measure_tied(struct roots *r, const uint32_t *tied, uint32_t count) {
  const struct motion *motion = r->motion;
  struct tape_builder *b = motion->builder;
  for (uint32_t i = 0; i < motion->n; i++) {
    tape_value root = builder_constant(b, 0);
    bool is_touched = false;
    for (uint32_t c = 0; c < count && !r->is_known[i]; c++) {
      if (!has_entry(motion, i, motion->n + tied[c])) continue;
      tape_value size = size_of_entry(motion, i, motion->n + tied[c]);
      root = builder_binary(b, TAPE_MAX, root, divide_or_zero(b, size, r->length[tied[c]]));
      is_touched = true;
    }
    if (!is_touched) continue;
    r->root[i] = root;
    r->is_known[i] = true;
  }
}

/* The constraints without a length that touch coordinate i get one, and join tied[count]. */
static uint32_t measure_constraints_at(struct roots *r, uint32_t i, uint32_t *tied,
                                       uint32_t count) {
  for (uint32_t k = 0; k < r->motion->m; k++) {
    if (r->has_length[k] || !has_entry(r->motion, r->motion->n + k, i)) continue;
    measure_constraint(r, k);
    tied[count++] = k;
  }
  return count;
}

static void find_roots(struct roots *r) {
  const struct motion *motion = r->motion;
  struct tape_builder *b = motion->builder;
  uint32_t *tied = checked_calloc((size_t)motion->m + 1, sizeof *tied), count = 0;
  bool *was_known = checked_calloc((size_t)motion->n + 1, sizeof *was_known), has_unknown = false;
  for (uint32_t i = 0; i < motion->n; i++) {
    r->root[i] = builder_constant(b, 0);
    r->is_known[i] = has_entry(motion, i, i);
    has_unknown = has_unknown || !r->is_known[i];
    if (!r->is_known[i]) continue;
    tape_value mass = builder_lower(b, motion_entry(motion->system, i, i));
    r->root[i] = builder_unary(b, TAPE_SQRT, builder_binary(b, TAPE_MAX, mass, r->root[i]));
  }
  do {
    count = 0;
    for (uint32_t i = 0; i < motion->n && has_unknown; i++) {
      if (!r->is_known[i] || was_known[i]) continue;
      was_known[i] = true;
      count = measure_constraints_at(r, i, tied, count);
    }
    measure_tied(r, tied, count);
  } while (count > 0);
  free(was_known);
  free(tied);
}

/* The largest of the forces on coordinates that have a mass, by the roots of those. */
static tape_value largest_pull(const struct roots *roots, const tape_value *forces) {
  const struct motion *motion = roots->motion;
  struct tape_builder *b = motion->builder;
  tape_value largest = builder_constant(b, 0);
  for (uint32_t i = 0; i < motion->n; i++)
    if (has_entry(motion, i, i))
      largest = builder_binary(b, TAPE_MAX, largest, divide_or_zero(b, forces[i], roots->root[i]));
  return largest;
}

/* Equation i holds beside the sizes of its terms, or off by less than the rounding of the largest
 * force: where all its terms are rounding (a coordinate that nothing moves), they need not cancel.
 */
static tape_value force_holds(const struct roots *roots, uint32_t i, tape_value size,
                              tape_value pull) {
  struct tape_builder *b = roots->motion->builder;
  tape_value residual;
  motion_residual(roots->motion, i, &residual, NULL);
  tape_value limit = builder_binary(b, TAPE_MULTIPLY, builder_constant(b, 0x1p-20), size);
  tape_value rounding =
      builder_binary(b, TAPE_MULTIPLY, builder_constant(b, 0x1p-48), roots->root[i]);
  rounding = builder_binary(b, TAPE_MULTIPLY, rounding, pull);
  limit = builder_binary(b, TAPE_ADD, limit, rounding);
  return builder_binary(b, TAPE_LESS_EQUAL, builder_unary(b, TAPE_ABS, residual), limit);
}

/* All equations of forces hold. */
static tape_value forces_hold(const struct motion *motion, const tape_value *forces) {
  struct tape_builder *b = motion->builder;
  size_t n = (size_t)motion->n + 1, m = (size_t)motion->m + 1;
  struct roots roots = {motion, checked_calloc(n, sizeof(tape_value)),
                        checked_calloc(n, sizeof(bool)), checked_calloc(m, sizeof(tape_value)),
                        checked_calloc(m, sizeof(bool))};
  find_roots(&roots);
  tape_value ok = builder_truth(b, true), pull = largest_pull(&roots, forces);
  for (uint32_t i = 0; i < motion->n; i++)
    ok = builder_binary(b, TAPE_AND, ok, force_holds(&roots, i, forces[i], pull));
  free(roots.root);
  free(roots.is_known);
  free(roots.length);
  free(roots.has_length);
  return ok;
}

/* Where constraints are independent they hold to the last digits; where some are dependent, as far
 * as kernels_border.c lets them contradict each other. The other equations hold beside the sizes
 * of their terms: M may be so nearly singular that accelerations mean nothing. */
void motion_verify(const struct motion *motion) {
  struct tape_builder *b = motion->builder;
  uint32_t count = motion->n + motion->m;
  tape_value residual;
  tape_value are_independent =
      builder_binary(b, TAPE_EQUAL, motion->solution[count], builder_constant(b, 0));
  tape_value tolerance =
      builder_select(b, are_independent, builder_constant(b, 0x1p-36), builder_constant(b, 0x1p-8));
  tape_value rounding = builder_select(b, are_independent, builder_constant(b, 0),
                                       builder_constant(b, KERNEL_BORDER_ROUNDING));
  tape_value *forces = checked_calloc((size_t)motion->n + 1, sizeof *forces);
  tape_value mass = builder_constant(b, 0); /* the largest */
  for (uint32_t i = 0; i < motion->n; i++) {
    motion_residual(motion, i, &residual, &forces[i]);
    mass = builder_binary(b, TAPE_MAX, mass, builder_lower(b, motion_entry(motion->system, i, i)));
  }
  tape_value ok = forces_hold(motion, forces);
  struct allowance allowance = {forces, mass, tolerance, rounding};
  for (uint32_t k = 0; k < motion->m; k++)
    if (!motion_leaves_out(motion, k))
      ok = builder_binary(b, TAPE_AND, ok, constraint_holds(motion, k, &allowance));
  for (uint32_t i = 0; i < count; i++)
    motion->solution[i] =
        builder_select(b, ok, motion->solution[i], builder_constant(b, (double)NAN));
  free(forces);
}
