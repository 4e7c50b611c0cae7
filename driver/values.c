/* All quantities of a model at one state, computed; among them the multipliers, the generalized
 * constraint forces A^T λ and the residuals of the constraints. */
#include "driver/values.h"
#include <math.h>
#include <stdlib.h>

static bool check_rank(struct session *session, const struct problem *problem,
                       const struct values *v, int result) {
  if (result == DYN_OK) return true;
  struct text why = {0};
  const dyn_model *model = problem->model;
  int32_t unknown = (int32_t)result - 1, n = model->n_coordinates;
  dyn_message place;
  dyn_singular_place(&problem->model_problem, v->t, v->x, &place);
  if (unknown >= n)
    text_format(&why, "no acceleration satisfies the constraint '%s' together with the others",
                model->constraints[unknown - n].name);
  else if (model->n_constraints > 0)
    text_format(&why, "neither masses nor constraints determine the acceleration of '%s'%s%s",
                model->coordinates[unknown].name, place.text[0] ? " " : "", place.text);
  else if (place.text[0])
    text_format(&why, "the mass matrix is singular %s", place.text);
  else
    text_format(&why, "the mass matrix is singular at '%s'", model->coordinates[unknown].name);
  struct diagnostic *d =
      diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere, text_string(&why), NULL);
  if (place.text[0]) diagnostic_help(session_context(session), d, "%s", help_with_singular_place);
  text_free(&why);
  return false;
}

static void allocate(struct values *v) {
  const dyn_model *model = v->model;
  size_t n = (size_t)model->n_coordinates, m = (size_t)model->n_constraints,
         positions = (size_t)model->n_position;
  v->work = checked_calloc((size_t)model->n_work + 1, sizeof(double));
  v->accelerations = checked_calloc(n + 1, sizeof(double));
  v->outputs = checked_calloc((size_t)model->n_outputs + 1, sizeof(double));
  v->multipliers = checked_calloc(m + 1, sizeof(double));
  v->forces = checked_calloc(n + 1, sizeof(double));
  v->position_residuals = checked_calloc(positions * (n + 1) + 1, sizeof(double));
  v->velocity_residuals = checked_calloc(m * (n + 1) + 1, sizeof(double));
}

void values_clear(struct values *v) {
  free(v->u);
  free(v->work);
  free(v->accelerations);
  free(v->outputs);
  free(v->multipliers);
  free(v->forces);
  free(v->position_residuals);
  free(v->velocity_residuals);
}

/* Row k of the derivatives that stand behind the residuals of `rows` constraints. */
static const double *row_of(const struct values *v, const double *residuals, int32_t rows,
                            int32_t k) {
  return residuals + rows + (ptrdiff_t)k * v->model->n_coordinates;
}

static bool compute_constraints(struct session *session, const struct problem *problem,
                                struct values *v) {
  const dyn_model *model = v->model;
  int32_t m = model->n_constraints;
  if (m == 0) return true;
  if (model->n_position > 0)
    model->position_residuals(model, v->t, v->x, v->u, problem->p, v->work, v->position_residuals);
  model->velocity_residuals(model, v->t, v->x, v->u, problem->p, v->work, v->velocity_residuals);
  int result = model->multipliers(model, v->t, v->x, v->u, problem->p, v->work, v->multipliers);
  for (int32_t k = 0; k < m; k++)
    for (int32_t i = 0; i < model->n_coordinates; i++)
      v->forces[i] += row_of(v, v->velocity_residuals, m, k)[i] * v->multipliers[k];
  return check_rank(session, problem, v, result);
}

bool values_compute(struct session *session, const struct problem *problem, struct values *v) {
  const dyn_model *model = problem->model;
  allocate(v);
  if (model->acceleration != NULL &&
      !check_rank(
          session, problem, v,
          model->acceleration(model, v->t, v->x, v->u, problem->p, v->work, v->accelerations)))
    return false;
  if (!compute_constraints(session, problem, v)) return false;
  if (model->energies != NULL)
    model->energies(model, v->t, v->x, v->u, problem->p, v->work, v->energies);
  if (model->output_values == NULL) return true;
  return check_rank(session, problem, v,
                    model->output_values(model, v->t, v->x, v->u, problem->p, v->work, v->outputs));
}

/* How far the constraint may be off by rounding: 1e-12 of the terms that make it up. */
static double rounding(const struct values *v, const double *row, const double *values) {
  double size = 1;
  for (int32_t i = 0; i < v->model->n_coordinates; i++) size = fmax(size, fabs(row[i] * values[i]));
  return 1e-12 * size;
}

static void warn_off(struct session *session, const dyn_constraint *constraint, const char *level,
                     double residual) {
  struct text where = {0};
  text_format(&where, "%s: left - right is %.6g", level, residual);
  struct diagnostic *d = diagnostic_add(session_context(session), DIAG_AT_OFF_CONSTRAINT, nowhere,
                                        constraint->name, text_string(&where), NULL);
  diagnostic_help(session_context(session), d, "the constraint is %s", constraint->text);
  text_free(&where);
}

void values_warn_off(struct session *session, const struct values *v) {
  const dyn_model *model = v->model;
  int32_t n = model->n_coordinates, m = model->n_constraints, positions = model->n_position;
  for (int32_t i = 0; i < positions; i++) {
    const dyn_position_equation *equation = &model->position_equations[i];
    const double *row = row_of(v, v->position_residuals, positions, i);
    if (equation->is_integral) continue;
    if (!(fabs(v->position_residuals[i]) <= rounding(v, row, v->x)))
      warn_off(session, &model->constraints[equation->constraint], "", v->position_residuals[i]);
  }
  for (int32_t k = 0; k < m; k++) {
    const double *row = row_of(v, v->velocity_residuals, m, k);
    bool is_rate = model->constraints[k].flags & DYN_CONSTRAINT_POSITION;
    if (!(fabs(v->velocity_residuals[k]) <= rounding(v, row, v->x + n)))
      warn_off(session, &model->constraints[k], is_rate ? ", differentiated by time" : "",
               v->velocity_residuals[k]);
  }
}

bool values_check_finite(struct session *session, const dyn_variable *names, const double *values,
                         int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (isfinite(values[i])) continue;
    struct text why = {0};
    text_format(&why, "%s is not a finite number", names[i].name);
    diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere, text_string(&why), NULL);
    text_free(&why);
    return false;
  }
  return true;
}

void values_each_residual(const struct values *v, void *user,
                          void (*put)(void *user, const char *name, const char *prime,
                                      const char *unit, double value)) {
  const dyn_model *model = v->model;
  int32_t position = 0;
  for (int32_t k = 0; k < model->n_constraints; k++) {
    const dyn_constraint *constraint = &model->constraints[k];
    bool is_position = constraint->flags & DYN_CONSTRAINT_POSITION;
    for (int32_t i = 0; is_position && i < model->n_position; i++)
      if (model->position_equations[i].constraint == k) position = i;
    if (is_position)
      put(user, constraint->name, "", constraint->unit, v->position_residuals[position]);
    put(user, constraint->name, is_position ? "'" : "", is_position ? "" : constraint->unit,
        v->velocity_residuals[k]);
  }
}
