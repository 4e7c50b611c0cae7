/* From a random start to a point where the equations vanish, in doubles.
 *
 * A step is D^2 J' W y with (W J D^2 J' W + damping) y = -W f, the least-norm step in units of D;
 * so equations that repeat others do no harm. D are sizes of the coordinates, W the inverse norms
 * of the gradients at the start. The least damping stands in proportion to each row's own norm and
 * only keeps repeated equations solvable: that is Newton's method. Its steps are cut until the
 * next one becomes shorter (the natural monotonicity test; Deuflhard, Newton Methods for Nonlinear
 * Problems, section 4.4). Where that fails, larger dampings turn the direction to that of steepest
 * descent for the least squares (Moré, The Levenberg-Marquardt algorithm, 1978). */
#include "expr/manifold.h"
#include "base/bug.h"
#include "base/map.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON_LIMIT = 500, DESCENT_LIMIT = 100, PATIENCE = 10 };
static const double DAMPING_LEAST = 1e-13, DAMPING_GENTLE = 1e-3, DAMPING_FIRST = 0.03,
                    DAMPING_MOST = 1e20, PART_LEAST = 1.0 / 1024;
/* A residual is rounding if it is below this many times the bound of its rounding errors; one that
 * comes no closer may also be this small against the residual at the start. */
static const double ROUNDINGS = 16, SMALL_AGAINST_START = 1e-14;

static void place_init(struct manifold_place *place, const struct manifold_system *system) {
  place->x = checked_calloc((size_t)system->coordinate_count + 1, sizeof(double));
  place->residual = checked_calloc((size_t)system->count + 1, sizeof(double));
  place->rounding = checked_calloc((size_t)system->count + 1, sizeof(double));
  place->jacobian = checked_calloc((size_t)system->derivatives.root_count + 1, sizeof(double));
}

static void place_clear(struct manifold_place *place) {
  free(place->x);
  free(place->residual);
  free(place->rounding);
  free(place->jacobian);
}

void manifold_descent_init(struct manifold_descent *descent, const struct manifold_system *system) {
  size_t count = system->count, coordinates = system->coordinate_count;
  *descent = (struct manifold_descent){.system = system};
  place_init(&descent->here, system);
  place_init(&descent->trial, system);
  descent->scales = checked_calloc(coordinates + 1, sizeof(double));
  descent->row = checked_calloc(coordinates + 1, sizeof(double));
  descent->step = checked_calloc(coordinates + 1, sizeof(double));
  descent->start = checked_calloc(coordinates + 1, sizeof(double));
  descent->start_gradient = checked_calloc(count + 1, sizeof(double));
  descent->start_residual = checked_calloc(count + 1, sizeof(double));
  descent->multiplier = checked_calloc(count + 1, sizeof(double));
  descent->normal = checked_calloc(count * count + 1, sizeof(double));
  descent->factor = checked_calloc(count * count + 1, sizeof(double));
  descent->symbol_values = checked_calloc((size_t)system->all.symbol_count + 1, sizeof(double));
  descent->values = checked_calloc((size_t)system->all.step_count + 1, sizeof(double));
  descent->errors = checked_calloc((size_t)system->all.step_count + 1, sizeof(double));
}

void manifold_descent_clear(struct manifold_descent *descent) {
  place_clear(&descent->here);
  place_clear(&descent->trial);
  free(descent->scales);
  free(descent->row);
  free(descent->step);
  free(descent->start);
  free(descent->start_gradient);
  free(descent->start_residual);
  free(descent->multiplier);
  free(descent->normal);
  free(descent->factor);
  free(descent->symbol_values);
  free(descent->values);
  free(descent->errors);
}

/* Fills the place from its x; false if something is not defined there. */
static bool evaluate(struct manifold_descent *descent, struct manifold_place *place) {
  const struct manifold_system *system = descent->system;
  const struct program *program = &system->all;
  for (uint32_t i = 0; i < program->symbol_count; i++)
    descent->symbol_values[i] = place->x[system->all_map[i]];
  program_evaluate(program, descent->symbol_values, descent->values);
  program_rounding(program, descent->values, descent->errors);
  for (uint32_t i = 0; i < system->count; i++) {
    place->residual[i] = descent->values[program->roots[i]];
    place->rounding[i] = descent->errors[program->roots[i]];
    if (!isfinite(place->residual[i])) return false;
    if (!isfinite(place->rounding[i])) place->rounding[i] = 0;
  }
  for (uint32_t k = 0; k < system->derivatives.root_count; k++) {
    place->jacobian[k] = descent->values[program->roots[system->count + k]];
    if (!isfinite(place->jacobian[k])) return false;
  }
  return true;
}

double manifold_gradient(const struct manifold_descent *descent, uint32_t equation) {
  const struct manifold_system *system = descent->system;
  double norm = 0;
  for (uint32_t k = system->row_start[equation]; k < system->row_start[equation + 1]; k++)
    norm = hypot(norm, descent->here.jacobian[k] * descent->scales[system->columns[k]]);
  return norm;
}

/* ---- the start */

static double uniform(uint64_t seed, uint32_t attempt, uint32_t i) {
  uint64_t random = hash_mix(seed ^ hash_mix(((uint64_t)attempt << 32) + i + 1));
  return ((double)(random >> 11) + 0.5) * 0x1p-52 - 1; /* in (-1, 1) */
}

/* Attempts go further and further from the guess, in proportion to it and by itself. */
static void choose_start(struct manifold_descent *descent, uint64_t seed, uint32_t attempt) {
  static const struct {
    double size;
    bool relative;
  } spreads[] = {{0.1, true}, {0.1, false}, {0.4, true}, {0.4, false}, {1, true}, {2, false}};
  uint32_t which = attempt % (sizeof spreads / sizeof *spreads);
  const struct expr_manifold *manifold = descent->system->manifold;
  for (uint32_t j = 0; j < descent->system->coordinate_count; j++) {
    double guess = manifold->guess != NULL
                       ? manifold->guess(manifold->user, descent->system->coordinates[j])
                       : NAN;
    double random = uniform(seed, attempt, j);
    if (!isfinite(guess)) guess = 0.6 + 0.35 * uniform(~seed, attempt, j);
    descent->scales[j] = spreads[which].relative && guess != 0 ? fabs(guess) : 1 + fabs(guess);
    descent->here.x[j] = guess + spreads[which].size * descent->scales[j] * random;
    if (!isfinite(descent->here.x[j])) descent->here.x[j] = guess;
  }
}

static double merit_of(const struct manifold_descent *descent, const struct manifold_place *place) {
  double merit = 0;
  for (uint32_t i = 0; i < descent->system->count; i++) {
    double scaled = place->residual[i];
    if (descent->start_gradient[i] > 0) scaled /= descent->start_gradient[i];
    merit += scaled * scaled;
  }
  return merit;
}

bool manifold_descent_start(struct manifold_descent *descent, uint64_t seed, uint32_t attempt) {
  choose_start(descent, seed, attempt);
  descent->is_damped = attempt % 2 == 0;
  if (!evaluate(descent, &descent->here)) return false;
  for (uint32_t i = 0; i < descent->system->count; i++) {
    descent->start_gradient[i] = manifold_gradient(descent, i);
    descent->start_residual[i] = fabs(descent->here.residual[i]);
    if (!isfinite(descent->start_gradient[i])) return false;
  }
  descent->merit = merit_of(descent, &descent->here);
  return isfinite(descent->merit);
}

/* ---- steps */

static double weight(const struct manifold_descent *descent, uint32_t i) {
  return descent->start_gradient[i] > 0 ? 1 / descent->start_gradient[i] : 1;
}

/* normal = W J D^2 J' W, lower triangle, row by row. */
static void make_normal(struct manifold_descent *descent) {
  const struct manifold_system *system = descent->system;
  const double *jacobian = descent->here.jacobian;
  size_t count = system->count;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = system->row_start[i]; k < system->row_start[i + 1]; k++) {
      double scale = descent->scales[system->columns[k]];
      descent->row[system->columns[k]] = weight(descent, i) * jacobian[k] * scale * scale;
    }
    for (uint32_t j = 0; j <= i; j++) {
      double sum = 0;
      for (uint32_t k = system->row_start[j]; k < system->row_start[j + 1]; k++)
        sum += descent->row[system->columns[k]] * jacobian[k];
      descent->normal[i * count + j] = sum * weight(descent, j);
    }
    for (uint32_t k = system->row_start[i]; k < system->row_start[i + 1]; k++)
      descent->row[system->columns[k]] = 0;
  }
}

/* Cholesky's factor of the damped matrix; false if it is not positive definite, or if the work is
 * to end. */
static bool make_factor(struct manifold_descent *descent, double damping, bool relative) {
  size_t count = descent->system->count;
  descent->work +=
      (double)count * (double)count * (double)count / 3 + descent->system->all.step_count;
  if (descent->work > DESCENT_WORK) return false;
  double *factor = descent->factor, largest = 0;
  memcpy(factor, descent->normal, count * count * sizeof *factor);
  for (size_t i = 0; i < count; i++) largest = fmax(largest, factor[i * count + i]);
  if (!(largest > 0)) return false;
  for (size_t i = 0; i < count; i++) {
    double own = factor[i * count + i];
    if (!relative || own == 0) own = largest;
    factor[i * count + i] += damping * own;
  }
  for (size_t i = 0; i < count; i++) {
    double *row = factor + i * count;
    for (size_t j = 0; j <= i; j++) {
      const double *other = factor + j * count;
      double sum = row[j];
      for (size_t k = 0; k < j; k++) sum -= row[k] * other[k];
      if (j < i)
        row[j] = sum / other[j];
      else if (sum > 0)
        row[i] = sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

/* The step that the factor gives for some residuals; the square of its length in units of D. */
static double make_step(struct manifold_descent *descent, const double *residual) {
  const struct manifold_system *system = descent->system;
  size_t count = system->count;
  double *y = descent->multiplier, length = 0;
  const double *factor = descent->factor;
  for (size_t i = 0; i < count; i++) {
    double sum = -weight(descent, (uint32_t)i) * residual[i];
    for (size_t k = 0; k < i; k++) sum -= factor[i * count + k] * y[k];
    y[i] = sum / factor[i * count + i];
  }
  for (size_t i = count; i-- > 0;) {
    y[i] /= factor[i * count + i];
    for (size_t k = 0; k < i; k++) y[k] -= factor[i * count + k] * y[i];
  }
  memset(descent->step, 0, system->coordinate_count * sizeof(double));
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = system->row_start[i]; k < system->row_start[i + 1]; k++)
      descent->step[system->columns[k]] += descent->here.jacobian[k] * y[i] * weight(descent, i) *
                                           descent->scales[system->columns[k]];
  for (uint32_t j = 0; j < system->coordinate_count; j++) {
    length += descent->step[j] * descent->step[j];
    descent->step[j] *= descent->scales[j];
  }
  return length;
}

static void make_trial(struct manifold_descent *descent, double part) {
  for (uint32_t j = 0; j < descent->system->coordinate_count; j++)
    descent->trial.x[j] = descent->here.x[j] + part * descent->step[j];
}

static void accept_trial(struct manifold_descent *descent) {
  struct manifold_place left = descent->here;
  descent->here = descent->trial;
  descent->trial = left;
  descent->merit = merit_of(descent, &descent->here);
}

static bool is_rounding(const struct manifold_descent *descent, double roundings,
                        double against_start) {
  for (uint32_t i = 0; i < descent->system->count; i++)
    if (fabs(descent->here.residual[i]) >
        roundings * descent->here.rounding[i] + against_start * descent->start_residual[i])
      return false;
  return true;
}

/* Close to the manifold the damping is that of the residual: rows that repeat others there only in
 * the limit must not call for large steps, and convergence stays quadratic (Fan and Yuan, On the
 * quadratic convergence of the Levenberg-Marquardt method without nonsingularity, 2005).
 * Long chains want the full steps: every other attempt takes those.
 * Takes the part of a Newton step after which the next one (with the same derivatives) is shorter.
 */
static bool approach(struct manifold_descent *descent) {
  double damping =
      descent->is_damped && descent->merit < 1 ? fmin(sqrt(descent->merit), DAMPING_FIRST) : 0;
  damping = fmax(damping, DAMPING_LEAST);
  make_normal(descent);
  while (damping <= DAMPING_FIRST && !make_factor(descent, damping, true)) damping *= 100;
  if (damping > DAMPING_FIRST) return false;
  double length = make_step(descent, descent->here.residual);
  for (double part = 1; part >= PART_LEAST; part /= 2) {
    make_trial(descent, part);
    if (!evaluate(descent, &descent->trial)) continue;
    double next = make_step(descent, descent->trial.residual);
    if (next <= (1 - part / 2) * length) {
      accept_trial(descent);
      return isfinite(descent->merit);
    }
    make_step(descent, descent->here.residual);
  }
  return false;
}

/* One step that lowers the merit; false if there is none. */
static bool improve(struct manifold_descent *descent, double *damping) {
  make_normal(descent);
  for (; *damping <= DAMPING_MOST; *damping = fmax(*damping * 10, DAMPING_GENTLE / 10)) {
    if (!make_factor(descent, *damping, *damping <= DAMPING_GENTLE)) continue;
    make_step(descent, descent->here.residual);
    make_trial(descent, 1);
    if (!evaluate(descent, &descent->trial)) continue;
    double merit = merit_of(descent, &descent->trial), before = descent->merit;
    if (merit < before) {
      accept_trial(descent);
      *damping = fmax(*damping / (merit < before / 100 ? 1000 : 10), DAMPING_LEAST);
      return true;
    }
    if (is_rounding(descent, ROUNDINGS * ROUNDINGS, 0)) return false;
  }
  return false;
}

/* The least-squares descent, for starts that Newton's steps lead nowhere from. */
static void descend(struct manifold_descent *descent) {
  double damping = DAMPING_GENTLE / 10, remembered = descent->merit;
  for (uint32_t step = 1; step <= DESCENT_LIMIT && !is_rounding(descent, ROUNDINGS, 0); step++) {
    if (!improve(descent, &damping)) return;
    if (step % PATIENCE != 0) continue;
    if (descent->merit > 0.99 * remembered) return;
    remembered = descent->merit;
  }
}

bool manifold_descent_run(struct manifold_descent *descent) {
  double merit = descent->merit;
  size_t size = descent->system->coordinate_count * sizeof(double);
  memcpy(descent->start, descent->here.x, size);
  for (uint32_t step = 0; step < NEWTON_LIMIT && !is_rounding(descent, ROUNDINGS, 0); step++)
    if (!approach(descent)) break;
  if (!is_rounding(descent, ROUNDINGS, 0)) {
    if (!(descent->merit <= merit)) {
      memcpy(descent->here.x, descent->start, size);
      evaluate(descent, &descent->here);
      descent->merit = merit;
    }
    descend(descent);
  }
  return is_rounding(descent, ROUNDINGS * 4, SMALL_AGAINST_START);
}
