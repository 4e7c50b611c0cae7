/* ida_equations.c: the residual of the equations that IDAS solves (see ida.c), and the weights of
 * their unknowns' errors. Needs a state near the constraints; promises residuals that are numbers,
 * or a failure that a shorter step may mend. */
#include "runtime/ida_private.h"
#include <math.h>
#include <string.h>

#define MULTIPLIER_ACCURACY 1e-3 /* Newton's method is judged by the motion */

/* Everything at (t, x) that the residual is made of. */
int ida_evaluate_parts(struct ida *s, double t, const double *x) {
  struct evaluator *e = s->base.e;
  const dyn_model *m = e->model;
  if (m->n_rates > 0) { /* rates may depend on accelerations and multipliers */
    if (evaluate_rhs(e, t, x, s->x_rate)) return 0;
  } else {
    e->rhs_evaluations++;
  }
  return !evaluate_function(e, m->mass_matrix, t, x, s->mass) &&
         !evaluate_function(e, m->forcing, t, x, s->force) &&
         !constraint_rows_evaluate(&s->projection->position, t, x) &&
         !constraint_rows_evaluate(&s->projection->velocity, t, x) &&
         (!m->multiplier_force || !evaluate_function(e, m->multiplier_force, t, x, s->columns));
}

/* Entry i of the column of B that belongs to multiplier k. */
double ida_multiplier_column(const struct ida *s, size_t k, size_t i) {
  size_t row = s->lambda_row[k];
  if (s->base.e->model->multiplier_force) return s->columns[row * s->n + i];
  return s->projection->velocity.derivatives[row * s->n + i];
}

/* residual[n] of W (q' - v) - G^T μ, and [n] of M v' - f - B λ. */
static void motion_residuals(const struct ida *s, const double *y, const double *rate,
                             double *positions, double *velocities) {
  size_t n = s->n;
  const double *lambda = y + s->n_state, *mu = lambda + s->n_lambda;
  memset(positions, 0, n * sizeof *positions);
  for (size_t i = 0; i < n; i++) {
    velocities[i] = -s->force[i];
    if (!s->has_metric) positions[i] = rate[i] - y[n + i];
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      velocities[i] += s->mass[j * n + i] * rate[n + j];
      if (s->has_metric) positions[i] += s->mass[j * n + i] * (rate[j] - y[n + j]);
    }
  for (size_t i = 0; i < n && s->has_metric; i++) positions[i] += s->soft[i] * (rate[i] - y[n + i]);
  for (size_t k = 0; k < s->n_lambda; k++)
    for (size_t i = 0; i < n; i++) velocities[i] -= ida_multiplier_column(s, k, i) * lambda[k];
  for (size_t k = 0; k < s->n_mu; k++)
    for (size_t i = 0; i < n; i++)
      positions[i] -= s->projection->position.derivatives[s->mu_row[k] * n + i] * mu[k];
}

int ida_residual(realtype t, N_Vector y_vector, N_Vector rate_vector, N_Vector out_vector,
                 void *user) {
  struct ida *s = user;
  const double *y = N_VGetArrayPointer(y_vector), *rate = N_VGetArrayPointer(rate_vector);
  double *out = N_VGetArrayPointer(out_vector), sum = 0;
  size_t all = s->n_state + s->n_lambda + s->n_mu, rest = 2 * s->n;
  s->evaluation_failed = !ida_evaluate_parts(s, t, y);
  if (s->evaluation_failed) return 1; /* may work with a shorter step */
  motion_residuals(s, y, rate, out, out + s->n);
  for (; rest < s->n_state; rest++) out[rest] = rate[rest] - s->x_rate[rest];
  for (size_t k = 0; k < s->n_lambda; k++)
    out[rest++] = s->projection->velocity.residuals[s->lambda_row[k]];
  for (size_t k = 0; k < s->n_mu; k++)
    out[rest++] = s->projection->position.residuals[s->mu_row[k]];
  for (size_t i = 0; i < all; i++) sum += 0 * out[i];
  return sum != 0;
}

int ida_error_weights(N_Vector y_vector, N_Vector weights, void *user) {
  struct ida *s = user;
  const double *y = N_VGetArrayPointer(y_vector), *multipliers = y + s->n_state;
  double *weight = N_VGetArrayPointer(weights);
  for (size_t i = 0; i < s->n_state; i++)
    weight[i] = 1 / error_scale(s->base.control, (int32_t)i, fabs(y[i]));
  for (size_t k = 0; k < s->n_lambda + s->n_mu; k++) {
    s->largest[k] = fmax(s->largest[k], fabs(multipliers[k]));
    weight[s->n_state + k] = 1 / (MULTIPLIER_ACCURACY * (1 + s->largest[k]));
  }
  return 0;
}
