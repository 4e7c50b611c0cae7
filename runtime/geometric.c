/* geometric.c: goes by fixed steps of a map. Needs a map that applies to the model
 * (geometric_check); promises that steps stand on the grid t0 + k h, but for the one before a limit
 * off the grid, which is shorter and from where the grid begins anew. Between two steps the state
 * is that of a shorter step aside, so that it has the order and the conservation of the method
 * itself, and rows have no influence on the motion. Rounding of sums is carried along. Source:
 * Hairer, Lubich, Wanner, Geometric Numerical Integration (2nd ed.), VIII.5. */
#include "runtime/geometric.h"
#include "runtime/fixed_steps.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct geometric {
  struct integrator base;
  struct geometric_map *map;
  struct step_grid grid;
  double *x, *carry, *x_old, *carry_old, *carry_aside;
};

static struct geometric *self_of(struct integrator *base) {
  return (struct geometric *)base;
}

void geometric_map_free(struct geometric_map *map) {
  if (map) map->free(map);
}

static enum step_result failed(struct geometric *g, enum geometric_result result) {
  struct integrator *base = &g->base;
  if (result == GEOMETRIC_NOT_EVALUATED) return integrator_evaluation_failed(base);
  base->status = message_set(
      &base->message, DYN_SOLVER_FAILED,
      "the steps of %.6g s are too long for the method %s: near t = %.9g s %s by iteration; take "
      "shorter steps",
      fabs(g->grid.h), base->name, base->t,
      result == GEOMETRIC_NOT_HELD ? "the constraints can't be satisfied"
                                   : "its equations can't be solved");
  return STEP_FAILED;
}

static enum step_result geometric_step(struct integrator *base, double limit) {
  struct geometric *g = self_of(base);
  size_t size = (size_t)base->e->n * sizeof *g->x;
  double t_new, h = step_grid_next(&g->grid, base->t, limit, &t_new);
  memcpy(g->x_old, g->x, size);
  memcpy(g->carry_old, g->carry, size);
  enum geometric_result result = g->map->advance(g->map, base->t, h, g->x, g->carry, 0);
  if (result) {
    memcpy(g->x, g->x_old, size);
    memcpy(g->carry, g->carry_old, size);
    return failed(g, result);
  }
  step_grid_take(&g->grid, t_new);
  base->t_old = base->t;
  base->t = t_new;
  base->steps++;
  return STEP_DONE;
}

static dyn_status geometric_interpolate(struct integrator *base, double t, double *x) {
  struct geometric *g = self_of(base);
  size_t size = (size_t)base->e->n * sizeof *x;
  if (step_grid_is_same_time(&g->grid, t, base->t) || base->steps == 0) {
    memcpy(x, g->x, size);
    return DYN_DONE;
  }
  memcpy(x, g->x_old, size);
  if (step_grid_is_same_time(&g->grid, t, base->t_old)) return DYN_DONE;
  memcpy(g->carry_aside, g->carry_old, size);
  enum geometric_result result =
      g->map->advance(g->map, base->t_old, t - base->t_old, x, g->carry_aside, 1);
  if (!result) return DYN_DONE;
  failed(g, result);
  return base->status;
}

static void geometric_free(struct integrator *base) {
  struct geometric *g = self_of(base);
  geometric_map_free(g->map);
  free(g->x);
  free(g);
}

static struct geometric_map *make_map(const struct geometric_method *method, struct evaluator *e,
                                      const struct error_control *control,
                                      struct projection *projection, double t, const double *x,
                                      dyn_status *status, dyn_message *message) {
  if (method->is_split) return split_map_new(method, e, projection, t, x, status, message);
  struct geometric_map *map =
      gauss_map_new(method->stages, e, control, geometric_is_natural(method, e->model));
  if (map && projection) map = symmetric_projection_new(map, e, projection);
  if (!map) *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  return map;
}

struct integrator *
geometric_integrator_new(const struct geometric_method *method, struct evaluator *e,
                         const struct error_control *control, struct projection *projection,
                         double t, const double *x, dyn_status *status, dyn_message *message) {
  static const struct integrator_methods methods = {geometric_step, geometric_interpolate,
                                                    geometric_free};
  size_t n = (size_t)e->n + 1;
  struct geometric *g = calloc(1, sizeof *g);
  double *memory = calloc(5 * n, sizeof *memory);
  if (!g || !memory) {
    *status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
    free(g);
    free(memory);
    return NULL;
  }
  *g = (struct geometric){.grid = {t, control->direction * control->step, 0}, .x = memory};
  g->carry = g->x + n;
  g->x_old = g->carry + n;
  g->carry_old = g->x_old + n;
  g->carry_aside = g->carry_old + n;
  memcpy(g->x, x, (size_t)e->n * sizeof *x);
  memcpy(g->x_old, x, (size_t)e->n * sizeof *x);
  g->base = (struct integrator){.methods = &methods,
                                .name = dyn_integrator_name((int32_t)method->choice),
                                .linear_solver = "",
                                .e = e,
                                .control = control,
                                .t_old = t,
                                .t = t,
                                .x = g->x};
  g->map = make_map(method, e, control, projection, t, x, status, message);
  if (g->map) return &g->base;
  geometric_free(&g->base);
  return NULL;
}
