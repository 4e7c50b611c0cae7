/* Constrained models written by hand: masses on a plane with constraints. A model gives residuals
 * and derivatives of its constraints, biases, inertia and forces; the equations of motion are
 * solved here by elimination with dependent constraints left out. */
#ifndef DYN_TESTS_RUNTIME_CONSTRAINED_H
#define DYN_TESTS_RUNTIME_CONSTRAINED_H
#include "models.h"

enum { MOST_Q = 4, MOST_M = 3 };

static const dyn_variable plane_q[] = {
    {"x", "m", "", 0}, {"y", "m", "", 0}, {"x2", "m", "", 0}, {"y2", "m", "", 0}};
static const dyn_variable plane_v[] = {
    {"x'", "m/s", "", 0}, {"y'", "m/s", "", 0}, {"x2'", "m/s", "", 0}, {"y2'", "m/s", "", 0}};
static const dyn_variable plane_a[] = {{"x''", "m/s^2", "", 0},
                                       {"y''", "m/s^2", "", 0},
                                       {"x2''", "m/s^2", "", 0},
                                       {"y2''", "m/s^2", "", 0}};
static const dyn_variable plane_stated[] = {{"x", "m", "", 0, DYN_START_GIVEN},
                                            {"y", "m", "", 0, DYN_START_GIVEN}};

/* λ that make A M^-1 (f + A^T λ) + bias = 0, for M = 1; zero for constraints that depend on the
 * others. Returns how many do. */
static inline int solve_multipliers(int n, int m, const double *a, const double *bias,
                                    const double *f, double *lambda) {
  double s[MOST_M][MOST_M + 1];
  int used[MOST_M] = {0}, order[MOST_M], rank = 0;
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < m; k++) {
      s[i][k] = 0;
      for (int j = 0; j < n; j++) s[i][k] += a[i * n + j] * a[k * n + j];
    }
    s[i][m] = -bias[i];
    for (int j = 0; j < n; j++) s[i][m] -= a[i * n + j] * f[j];
    lambda[i] = 0;
  }
  for (; rank < m; rank++) { /* symmetric pivots */
    int pivot = -1;
    for (int i = 0; i < m; i++)
      if (!used[i] && s[i][i] > 1e-9 && (pivot < 0 || s[i][i] > s[pivot][pivot])) pivot = i;
    if (pivot < 0) break;
    used[pivot] = 1;
    order[rank] = pivot;
    for (int i = 0; i < m; i++) {
      if (used[i]) continue;
      double factor = s[i][pivot] / s[pivot][pivot];
      for (int k = 0; k <= m; k++) s[i][k] -= factor * s[pivot][k];
    }
  }
  for (int r = rank; r-- > 0;) {
    int i = order[r];
    double sum = s[i][m];
    for (int k = r + 1; k < rank; k++) sum -= s[i][order[k]] * lambda[order[k]];
    lambda[i] = sum / s[i][i];
  }
  return m - rank;
}

FUNCTION(plane_mass) {
  UNUSED;
  int n = model->n_coordinates;
  for (int i = 0; i < n * n; i++) out[i] = i % (n + 1) == 0;
  return DYN_OK;
}
FUNCTION(plane_multipliers) {
  int n = model->n_coordinates, m = model->n_constraints;
  double velocity[MOST_M * (1 + MOST_Q)], bias[MOST_M], f[MOST_Q];
  model->velocity_residuals(model, t, x, u, p, work, velocity);
  model->constraint_bias(model, t, x, u, p, work, bias);
  model->forcing(model, t, x, u, p, work, f);
  out[m] = solve_multipliers(n, m, velocity + m, bias, f, out);
  return DYN_OK;
}
FUNCTION(plane_rhs) {
  int n = model->n_coordinates, m = model->n_constraints;
  double velocity[MOST_M * (1 + MOST_Q)], lambda[MOST_M + 1], f[MOST_Q];
  plane_multipliers(model, t, x, u, p, work, lambda);
  model->velocity_residuals(model, t, x, u, p, work, velocity);
  model->forcing(model, t, x, u, p, work, f);
  for (int j = 0; j < n; j++) {
    out[j] = x[n + j];
    out[n + j] = f[j];
    for (int i = 0; i < m; i++) out[n + j] += velocity[m + i * n + j] * lambda[i];
  }
  return DYN_OK;
}
FUNCTION(gravity) {
  UNUSED;
  for (int i = 0; i < model->n_coordinates; i++) out[i] = i % 2 == 1 ? -9.81 : 0;
  return DYN_OK;
}
FUNCTION(no_force) {
  UNUSED;
  memset(out, 0, (size_t)model->n_coordinates * sizeof *out);
  return DYN_OK;
}

#define PLANE_HEAD(title, n)                                                                       \
  MODEL_HEAD(title), .n_coordinates = n, .n_state = 2 * n, .coordinates = plane_q,                 \
                     .velocities = plane_v, .accelerations = plane_a, .rhs = plane_rhs,            \
                     .mass_matrix = plane_mass, .multipliers = plane_multipliers

/* ---- A pendulum of unit length, by x^2 + y^2 = 1; with m = 2 the same once more, times 2 ---- */
static const dyn_constraint rods[] = {
    {"rod", "x^2 + y^2 = 1", "m^2", "multiplier(rod)", "J/m^2", DYN_CONSTRAINT_POSITION},
    {"copy", "2*x^2 + 2*y^2 = 2", "m^2", "multiplier(copy)", "J/m^2",
     DYN_CONSTRAINT_POSITION | DYN_CONSTRAINT_REDUNDANT}};
static const dyn_position_equation all_position[] = {{0, 0}, {1, 0}, {2, 0}};
static const dyn_invariant plane_energy[] = {{"energy", "J"}};

FUNCTION(pendulum_position) {
  UNUSED;
  int m = model->n_position;
  for (int i = 0; i < m; i++) {
    out[i] = (i + 1) * (x[0] * x[0] + x[1] * x[1] - 1);
    out[m + 2 * i] = (i + 1) * 2 * x[0];
    out[m + 2 * i + 1] = (i + 1) * 2 * x[1];
  }
  return DYN_OK;
}
FUNCTION(pendulum_velocity) {
  UNUSED;
  int m = model->n_constraints;
  for (int i = 0; i < m; i++) {
    out[i] = (i + 1) * 2 * (x[0] * x[2] + x[1] * x[3]);
    out[m + 2 * i] = (i + 1) * 2 * x[0];
    out[m + 2 * i + 1] = (i + 1) * 2 * x[1];
  }
  return DYN_OK;
}
FUNCTION(pendulum_bias) {
  UNUSED;
  for (int i = 0; i < model->n_constraints; i++)
    out[i] = (i + 1) * 2 * (x[2] * x[2] + x[3] * x[3]);
  return DYN_OK;
}
FUNCTION(pendulum_energy) {
  UNUSED;
  out[0] = 0.5 * (x[2] * x[2] + x[3] * x[3]) + 9.81 * x[1];
  return DYN_OK;
}
static inline dyn_model cartesian_pendulum(int copies) {
  return (dyn_model){PLANE_HEAD("pendulum", 2),
                     .n_constraints = copies,
                     .n_position = copies,
                     .constraint_rank = 1,
                     .constraints = rods,
                     .position_equations = all_position,
                     .position_residuals = pendulum_position,
                     .velocity_residuals = pendulum_velocity,
                     .constraint_bias = pendulum_bias,
                     .forcing = gravity,
                     .n_invariants = 1,
                     .invariants = plane_energy,
                     .invariant_values = pendulum_energy};
}

/* ---- A double pendulum of unit masses and lengths ---- */
static const dyn_constraint links[] = {
    {"rod1", "", "m^2", "multiplier(rod1)", "J/m^2", DYN_CONSTRAINT_POSITION},
    {"rod2", "", "m^2", "multiplier(rod2)", "J/m^2", DYN_CONSTRAINT_POSITION}};

static inline void link_rows(const double *x, double *rows) {
  double dx = x[2] - x[0], dy = x[3] - x[1];
  const double values[8] = {2 * x[0], 2 * x[1], 0, 0, -2 * dx, -2 * dy, 2 * dx, 2 * dy};
  memcpy(rows, values, sizeof values);
}
FUNCTION(links_position) {
  UNUSED;
  out[0] = x[0] * x[0] + x[1] * x[1] - 1;
  out[1] = pow(x[2] - x[0], 2) + pow(x[3] - x[1], 2) - 1;
  link_rows(x, out + 2);
  return DYN_OK;
}
FUNCTION(links_velocity) {
  UNUSED;
  link_rows(x, out + 2);
  for (int i = 0; i < 2; i++) {
    out[i] = 0;
    for (int j = 0; j < 4; j++) out[i] += out[2 + 4 * i + j] * x[4 + j];
  }
  return DYN_OK;
}
FUNCTION(links_bias) {
  UNUSED;
  out[0] = 2 * (x[4] * x[4] + x[5] * x[5]);
  out[1] = 2 * (pow(x[6] - x[4], 2) + pow(x[7] - x[5], 2));
  return DYN_OK;
}
FUNCTION(links_energy) {
  UNUSED;
  out[0] = 9.81 * (x[1] + x[3]);
  for (int j = 4; j < 8; j++) out[0] += 0.5 * x[j] * x[j];
  return DYN_OK;
}
static inline dyn_model cartesian_double_pendulum(void) {
  return (dyn_model){PLANE_HEAD("double pendulum", 4),
                     .n_constraints = 2,
                     .n_position = 2,
                     .constraint_rank = 2,
                     .constraints = links,
                     .position_equations = all_position,
                     .position_residuals = links_position,
                     .velocity_residuals = links_velocity,
                     .constraint_bias = links_bias,
                     .forcing = gravity,
                     .n_invariants = 1,
                     .invariants = plane_energy,
                     .invariant_values = links_energy};
}

/* ---- A rigid pendulum whose second mass hangs on a stiff, damped spring of unit length; its rate
 * is p0, its damping p1 ---- */
FUNCTION(spring_force) {
  double dx = x[2] - x[0], dy = x[3] - x[1], length = hypot(dx, dy);
  double rate = (dx * (x[6] - x[4]) + dy * (x[7] - x[5])) / length;
  double tension = p[0] * (length - 1) + p[1] * rate;
  gravity(model, t, x, u, p, work, out);
  out[0] += tension * dx / length;
  out[1] += tension * dy / length;
  out[2] -= tension * dx / length;
  out[3] -= tension * dy / length;
  return DYN_OK;
}
FUNCTION(one_link_position) {
  double all[10];
  links_position(model, t, x, u, p, work, all);
  out[0] = all[0];
  memcpy(out + 1, all + 2, 4 * sizeof *out);
  return DYN_OK;
}
FUNCTION(one_link_velocity) {
  double all[10];
  links_velocity(model, t, x, u, p, work, all);
  out[0] = all[0];
  memcpy(out + 1, all + 2, 4 * sizeof *out);
  return DYN_OK;
}
FUNCTION(one_link_bias) {
  double all[2];
  links_bias(model, t, x, u, p, work, all);
  out[0] = all[0];
  return DYN_OK;
}
static const dyn_variable spring_p[] = {{"k", "N/m", "", 1e6}, {"c", "N*s/m", "", 1e4}};
static inline dyn_model spring_pendulum(void) {
  return (dyn_model){PLANE_HEAD("spring pendulum", 4),
                     .n_parameters = 2,
                     .parameters = spring_p,
                     .n_constraints = 1,
                     .n_position = 1,
                     .constraint_rank = 1,
                     .constraints = links,
                     .position_equations = all_position,
                     .position_residuals = one_link_position,
                     .velocity_residuals = one_link_velocity,
                     .constraint_bias = one_link_bias,
                     .forcing = spring_force};
}

#endif
