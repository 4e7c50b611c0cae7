/* Points on manifolds in ball arithmetic: refinement, proof of existence, rank there.
 *
 * The point is refined by m <- m - Y f(m) with the same approximate inverse Y of the Jacobian all
 * the way (each step wins as many digits as Y has). Then, for the box X of radii r around m,
 *   K = m - Y f(m) + (1 - Y f'(X)) (X - m)
 * inside of X proves that X holds one and only one zero, which lies in K (Krawczyk 1969; Moore,
 * Kearfott, Cloud, Introduction to Interval Analysis, section 8.2). It asks for f without jumps on
 * X with f'(X) enclosing its slopes: jumps are looked for step by step. */
#include "expr/prover_balls.h"
#include "base/bug.h"
#include <stdlib.h>

enum {
  FIRST_BITS = 128,
  GUARD_BITS = 64,      /* of the arithmetic beyond the bits of the point */
  DERIVATIVE_BITS = 96, /* the contraction needs no more */
  REFINEMENTS = 80,
  INFLATIONS = 5
};

struct refinement {
  const struct prover_point *point;
  struct balls equations, derivatives, matrix;
  arb_ptr x;    /* per coordinate: dependent ones at last as proven boxes */
  arb_ptr y;    /* the inverse */
  arb_ptr step; /* Y f(m) */
  mag_ptr radius, spread;
  arb_ptr column;
};

static void refinement_init(struct refinement *r, const struct prover_point *point) {
  slong n = (slong)point->count;
  *r = (struct refinement){.point = point,
                           .x = _arb_vec_init((slong)point->coordinate_count + 1),
                           .y = _arb_vec_init(n * n + 1),
                           .step = _arb_vec_init(n + 1),
                           .column = _arb_vec_init(n + 1),
                           .radius = _mag_vec_init(n + 1),
                           .spread = _mag_vec_init(n + 1)};
  balls_init(&r->equations, point->equations);
  balls_init(&r->derivatives, point->derivatives);
  balls_init(&r->matrix, point->matrix);
  for (uint32_t i = 0; i < point->coordinate_count; i++) arb_set_d(r->x + i, point->start[i]);
  for (slong i = 0; i < n * n; i++) arb_set_d(r->y + i, point->inverse[i]);
}

static void refinement_clear(struct refinement *r) {
  slong n = (slong)r->point->count;
  balls_clear(&r->equations);
  balls_clear(&r->derivatives);
  balls_clear(&r->matrix);
  _arb_vec_clear(r->x, (slong)r->point->coordinate_count + 1);
  _arb_vec_clear(r->y, n * n + 1);
  _arb_vec_clear(r->step, n + 1);
  _arb_vec_clear(r->column, n + 1);
  _mag_vec_clear(r->radius, n + 1);
  _mag_vec_clear(r->spread, n + 1);
}

static void evaluate(struct refinement *r, struct balls *balls, const uint32_t *map,
                     slong precision) {
  for (uint32_t i = 0; i < balls->program->symbol_count; i++)
    arb_set(balls->points + i, r->x + map[i]);
  balls_evaluate(balls, precision);
}

static arb_srcptr root(const struct balls *balls, uint32_t i) {
  return balls->values + balls->program->roots[i];
}

/* step = Y f(x); false if an equation is undefined. */
static bool make_step(struct refinement *r, slong precision) {
  const struct prover_point *point = r->point;
  evaluate(r, &r->equations, point->equations_map, precision);
  for (uint32_t i = 0; i < point->count; i++) arb_zero(r->step + i);
  for (uint32_t p = 0; p < point->count; p++) {
    arb_srcptr value = root(&r->equations, point->independent[p]);
    if (!arb_is_finite(value)) return false;
    if (arb_is_zero(value)) continue;
    arb_srcptr column = r->y + (size_t)p * point->count;
    for (uint32_t i = 0; i < point->count; i++)
      arb_addmul(r->step + i, column + i, value, precision);
  }
  return true;
}

/* 2^exponent times the size of a dependent coordinate. */
static void get_grain(mag_t out, const struct refinement *r, uint32_t i, slong exponent) {
  mag_set_d(out, r->point->scales[r->point->dependent[i]]);
  mag_mul_2exp_si(out, out, exponent);
}

/* Brings the midpoint as close as the precision allows. False if it does not get there. */
static bool refine(struct refinement *r, uint32_t bits) {
  slong precision = (slong)bits + GUARD_BITS;
  mag_t size, grain;
  mag_init(size);
  mag_init(grain);
  bool close = false, sound = true;
  for (int round = 0; round < REFINEMENTS && sound && !close; round++) {
    sound = make_step(r, precision);
    close = sound;
    for (uint32_t i = 0; i < r->point->count && close; i++) {
      arb_get_mag(size, r->step + i);
      get_grain(grain, r, i, -(slong)bits);
      close = mag_cmp(size, grain) <= 0;
    }
    for (uint32_t i = 0; i < r->point->count && sound && !close; i++) {
      arb_ptr x = r->x + r->point->dependent[i];
      arb_sub(x, x, r->step + i, precision);
      arb_get_mid_arb(x, x);
      sound = arb_is_finite(x);
    }
  }
  mag_clear(size);
  mag_clear(grain);
  return close;
}

/* ---- proof */

/* The step may jump inside of the box. */
static bool may_jump(const struct balls *balls, uint32_t at) {
  const struct program_step *step = &balls->program->steps[at];
  const struct program_operand *operands = balls->program->operands + step->first;
  arb_srcptr values = balls->values;
  arb_t whole;
  bool jump;
  switch (step->operator_) {
  case EXPR_SIGN:
  case EXPR_FLOOR:
    return !arb_is_exact(values + at);
  case EXPR_IF:
    return balls->truths[operands[0].step] < 0;
  case EXPR_ATAN2: /* its cut is the negative x axis */
    return arb_contains_zero(values + operands[0].step) &&
           !arb_is_positive(values + operands[1].step);
  case EXPR_MOD:
    arb_init(whole);
    arb_div(whole, values + operands[0].step, values + operands[1].step, balls->precision);
    arb_floor(whole, whole, balls->precision);
    jump = !arb_is_exact(whole);
    arb_clear(whole);
    return jump;
  default:
    return false;
  }
}

/* abs' = sign: at a bend the derivative is the hull of both sides, which encloses the slopes. So
 * derivatives may have any form; only the equations must not jump. */
static bool is_continuous(const struct balls *balls) {
  for (uint32_t i = 0; i < balls->program->step_count; i++)
    if (may_jump(balls, i)) return false;
  return true;
}

/* spread_i = sum over q of |1 - Y f'(X)|_iq radius_q; false if a derivative is undefined. */
static bool make_spread(struct refinement *r, const uint32_t *row_of, const uint32_t *column_of,
                        const uint32_t *order, uint32_t entry_count) {
  uint32_t n = r->point->count, at = 0;
  mag_t size;
  mag_init(size);
  bool sound = true;
  for (uint32_t i = 0; i < n; i++) mag_zero(r->spread + i);
  for (uint32_t q = 0; q < n && sound; q++) {
    for (uint32_t i = 0; i < n; i++) arb_set_si(r->column + i, i == q);
    for (; at < entry_count && column_of[order[at]] == q && sound; at++) {
      arb_srcptr value = root(&r->derivatives, order[at]);
      arb_srcptr inverse = r->y + (size_t)row_of[order[at]] * n;
      sound = arb_is_finite(value);
      for (uint32_t i = 0; i < n && sound; i++)
        arb_submul(r->column + i, inverse + i, value, DERIVATIVE_BITS);
    }
    for (uint32_t i = 0; i < n && sound; i++) {
      arb_get_mag(size, r->column + i);
      mag_addmul(r->spread + i, size, r->radius + q);
    }
  }
  mag_clear(size);
  return sound;
}

/* The derivatives of independent equations by dependent coordinates, column by column. */
struct square {
  uint32_t *row_of, *column_of; /* per derivative; column UINT32_MAX: not in the square */
  uint32_t *order, count;
};

static void square_init(struct square *square, const struct prover_point *point) {
  uint32_t total = point->derivatives->root_count, n = point->count;
  uint32_t *place = checked_malloc(((size_t)point->coordinate_count + 1) * sizeof *place);
  uint32_t *next = checked_calloc((size_t)n + 1, sizeof *next);
  square->row_of = checked_malloc(((size_t)total + 1) * sizeof(uint32_t));
  square->column_of = checked_malloc(((size_t)total + 1) * sizeof(uint32_t));
  square->order = checked_malloc(((size_t)total + 1) * sizeof(uint32_t));
  square->count = 0;
  for (uint32_t k = 0; k < total; k++) square->column_of[k] = UINT32_MAX;
  for (uint32_t j = 0; j < point->coordinate_count; j++) place[j] = UINT32_MAX;
  for (uint32_t q = 0; q < n; q++) place[point->dependent[q]] = q;
  for (uint32_t p = 0; p < n; p++) {
    uint32_t row = point->independent[p];
    for (uint32_t k = point->row_start[row]; k < point->row_start[row + 1]; k++) {
      square->row_of[k] = p;
      square->column_of[k] = place[point->derivative_columns[k]];
      if (square->column_of[k] != UINT32_MAX) next[square->column_of[k]]++;
    }
  }
  for (uint32_t q = 0; q < n; q++) {
    uint32_t first = square->count;
    square->count += next[q];
    next[q] = first;
  }
  for (uint32_t k = 0; k < total; k++)
    if (square->column_of[k] != UINT32_MAX) square->order[next[square->column_of[k]]++] = k;
  free(place);
  free(next);
}

static void square_clear(struct square *square) {
  free(square->row_of);
  free(square->column_of);
  free(square->order);
}

/* Gives the dependent coordinates the radii (or with `away` takes them off). */
static void set_radii(struct refinement *r, bool away) {
  for (uint32_t i = 0; i < r->point->count; i++) {
    arb_ptr x = r->x + r->point->dependent[i];
    mag_zero(arb_radref(x));
    if (!away) mag_set(arb_radref(x), r->radius + i);
  }
}

/* Krawczyk's test with growing boxes; on success x holds the boxes that the zero lies in. */
static bool prove(struct refinement *r, const struct square *square, uint32_t bits) {
  uint32_t n = r->point->count;
  slong precision = (slong)bits + GUARD_BITS;
  bool proven = n == 0;
  mag_t size;
  mag_init(size);
  for (uint32_t i = 0; i < n; i++) {
    arb_get_mag(r->radius + i, r->step + i);
    mag_mul_2exp_si(r->radius + i, r->radius + i, 1);
    get_grain(size, r, i, -(slong)bits);
    mag_add(r->radius + i, r->radius + i, size);
  }
  for (int round = 0; round < INFLATIONS && !proven; round++) {
    set_radii(r, false);
    evaluate(r, &r->equations, r->point->equations_map, precision);
    evaluate(r, &r->derivatives, r->point->derivatives_map, DERIVATIVE_BITS);
    if (!is_continuous(&r->equations) ||
        !make_spread(r, square->row_of, square->column_of, square->order, square->count))
      break;
    proven = true;
    for (uint32_t i = 0; i < n; i++) {
      arb_get_mag(size, r->step + i);
      mag_add(r->spread + i, r->spread + i, size);
      proven = proven && mag_cmp(r->spread + i, r->radius + i) < 0;
    }
    for (uint32_t i = 0; i < n && !proven; i++) mag_mul_2exp_si(r->radius + i, r->spread + i, 1);
  }
  mag_clear(size);
  if (!proven) set_radii(r, true);
  return proven;
}

/* All equations are defined and may vanish, within 2^exponent of the size of their terms. */
static bool all_vanish(struct refinement *r, uint32_t bits) {
  evaluate(r, &r->equations, r->point->equations_map, (slong)bits + GUARD_BITS);
  mag_t size, limit;
  mag_init(size);
  mag_init(limit);
  bool vanish = true;
  for (uint32_t i = 0; i < r->point->equations->root_count && vanish; i++) {
    arb_srcptr value = root(&r->equations, i);
    arb_get_mag(size, value);
    mag_set_d(limit, r->point->sizes[i]);
    mag_mul_2exp_si(limit, limit, -(slong)bits / 2);
    vanish = arb_is_finite(value) && arb_contains_zero(value) && mag_cmp(size, limit) <= 0;
  }
  mag_clear(size);
  mag_clear(limit);
  return vanish;
}

static void find_rank(struct refinement *r, uint32_t bits, struct prover_point_answer *answer,
                      uint32_t *pivot_rows, uint32_t *pivot_columns) {
  const struct prover_point *point = r->point;
  struct elimination work;
  mag_t limit;
  mag_init(limit);
  mag_set_d(limit, point->matrix_size);
  mag_mul_2exp_si(limit, limit, -(slong)bits / 2);
  elimination_init(&work, point->rows, point->columns);
  evaluate(r, &r->matrix, point->matrix_map, (slong)bits + GUARD_BITS);
  answer->is_defined = elimination_fill(&work, &r->matrix);
  if (answer->is_defined) {
    elimination_run(&work, (slong)bits + GUARD_BITS);
    answer->is_sharp = elimination_is_sharp(&work, limit);
    answer->rank = work.rank;
    for (uint32_t k = 0; k < work.rank; k++) {
      pivot_rows[k] = work.row_order[k];
      pivot_columns[k] = work.column_order[k];
    }
  }
  elimination_clear(&work);
  mag_clear(limit);
}

struct prover_point_answer prover_rank_at(const struct prover_point *point, uint32_t bits,
                                          uint32_t *pivot_rows, uint32_t *pivot_columns) {
  struct prover_point_answer answer = {0};
  struct refinement refinement;
  struct square square;
  uint32_t smaller = point->rows < point->columns ? point->rows : point->columns;
  bool all_independent = point->count == point->equations->root_count;
  refinement_init(&refinement, point);
  square_init(&square, point);
  for (uint32_t now = bits < FIRST_BITS ? bits : FIRST_BITS;; now = bits) {
    answer.bits_used = now;
    answer.is_proven = refine(&refinement, now) && prove(&refinement, &square, now) &&
                       all_vanish(&refinement, now);
    if (!answer.is_proven) break;
    bool last = now >= bits;
    if (last || all_independent) find_rank(&refinement, now, &answer, pivot_rows, pivot_columns);
    if (last || (all_independent && answer.rank == smaller)) break;
    set_radii(&refinement, true);
  }
  square_clear(&square);
  refinement_clear(&refinement);
  return answer;
}
