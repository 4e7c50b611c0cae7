/* Models written by hand, as a compiler would lay them out, whose solutions are known. */
#ifndef DYN_TESTS_RUNTIME_MODELS_H
#define DYN_TESTS_RUNTIME_MODELS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "dyn/dyn_runtime.h"

#define FUNCTION(name)                                                                             \
  static inline int name(const dyn_model *model, double t, const double *x, const double *u,       \
                         const double *p, double *work, double *out)
#define UNUSED (void)model, (void)t, (void)x, (void)u, (void)p, (void)work, (void)out
#define COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))

#define MODEL_HEAD(title)                                                                          \
  .abi = DYN_MODEL_ABI, .size = sizeof(dyn_model), .name = title, .doc = "", .method = "lagrange", \
  .compiler = "by hand"

/* ---- Harmonic oscillator: x'' = -p0^2 x, p1 = p0^2 unless set itself ---- */
static const dyn_variable oscillator_q[] = {{"x", "m", "deflection", 1}};
static const dyn_variable oscillator_v[] = {{"x'", "m/s", "", 0}};
static const dyn_variable oscillator_a[] = {{"x''", "m/s^2", "", 0}};
static const dyn_variable oscillator_p[] = {{"w", "1/s", "", 1}, {"k", "1/s^2", "", 0}};
static const dyn_variable oscillator_out[] = {{"sum, x + x'", "1", "", 0}};
static const dyn_invariant oscillator_invariants[] = {{"energy", "J"}};

FUNCTION(oscillator_rhs) {
  UNUSED;
  out[0] = x[1];
  out[1] = -p[1] * x[0];
  return DYN_OK;
}
FUNCTION(oscillator_parameters) {
  UNUSED;
  out[0] = p[0];
  out[1] = x[1] != 0 ? p[1] : p[0] * p[0];
  return DYN_OK;
}
FUNCTION(oscillator_outputs) {
  UNUSED;
  out[0] = x[0] + x[1];
  return DYN_OK;
}
FUNCTION(oscillator_energies) {
  UNUSED;
  out[0] = 0.5 * x[1] * x[1];
  out[1] = 0.5 * p[1] * x[0] * x[0];
  return DYN_OK;
}
FUNCTION(oscillator_invariant) {
  UNUSED;
  out[0] = 0.5 * x[1] * x[1] + 0.5 * p[1] * x[0] * x[0];
  return DYN_OK;
}
FUNCTION(oscillator_defaults) {
  UNUSED;
  for (int i = 0; i < DYN_RUN_COUNT; i++) out[i] = NAN;
  out[DYN_RUN_UNTIL] = 5;
  out[DYN_RUN_EVERY] = 0.1;
  return DYN_OK;
}
static inline dyn_model oscillator_model(void) {
  return (dyn_model){MODEL_HEAD("oscillator"),
                     .flags = DYN_HAS_ENERGY | DYN_ENERGY_CONSERVED,
                     .n_coordinates = 1,
                     .n_state = 2,
                     .n_parameters = 2,
                     .n_outputs = 1,
                     .n_invariants = 1,
                     .coordinates = oscillator_q,
                     .velocities = oscillator_v,
                     .accelerations = oscillator_a,
                     .parameters = oscillator_p,
                     .outputs = oscillator_out,
                     .invariants = oscillator_invariants,
                     .complete_parameters = oscillator_parameters,
                     .run_defaults = oscillator_defaults,
                     .rhs = oscillator_rhs,
                     .output_values = oscillator_outputs,
                     .energies = oscillator_energies,
                     .invariant_values = oscillator_invariant};
}

/* ---- Double pendulum, unit masses and lengths, g = 9.81; angles from the vertical ---- */
static const dyn_variable pendula_q[] = {{"θ1", "rad", "", 1.5}, {"θ2", "rad", "", 1.5}};
static const dyn_variable pendula_v[] = {{"θ1'", "rad/s", "", 0}, {"θ2'", "rad/s", "", 0}};
static const dyn_variable pendula_a[] = {{"θ1''", "rad/s^2", "", 0}, {"θ2''", "rad/s^2", "", 0}};
FUNCTION(pendula_rhs) {
  UNUSED;
  double g = 9.81, s = sin(x[0] - x[1]), c = cos(x[0] - x[1]), v1 = x[2], v2 = x[3];
  double f1 = -v2 * v2 * s - 2 * g * sin(x[0]), f2 = v1 * v1 * s - g * sin(x[1]);
  double det = 2 - c * c; /* M = [2 c; c 1] */
  out[0] = v1;
  out[1] = v2;
  out[2] = (f1 - c * f2) / det;
  out[3] = (2 * f2 - c * f1) / det;
  return DYN_OK;
}
FUNCTION(pendula_energies) {
  UNUSED;
  out[0] = x[2] * x[2] + 0.5 * x[3] * x[3] + x[2] * x[3] * cos(x[0] - x[1]);
  out[1] = -9.81 * (2 * cos(x[0]) + cos(x[1]));
  return DYN_OK;
}
FUNCTION(pendula_invariant) {
  double energies[2];
  pendula_energies(model, t, x, u, p, work, energies);
  out[0] = energies[0] + energies[1];
  return DYN_OK;
}
static inline dyn_model pendula_model(void) {
  return (dyn_model){MODEL_HEAD("double pendulum"),
                     .flags = DYN_HAS_ENERGY | DYN_ENERGY_CONSERVED,
                     .n_coordinates = 2,
                     .n_state = 4,
                     .n_invariants = 1,
                     .coordinates = pendula_q,
                     .velocities = pendula_v,
                     .accelerations = pendula_a,
                     .invariants = oscillator_invariants,
                     .rhs = pendula_rhs,
                     .energies = pendula_energies,
                     .invariant_values = pendula_invariant};
}

/* ---- Models of first-order states only ---- */
static const dyn_variable blow_up_z[] = {{"z", "1", "", 1}};
FUNCTION(blow_up_rhs) { /* z = 1/(1 - t) */
  UNUSED;
  out[0] = x[0] * x[0];
  return DYN_OK;
}
FUNCTION(root_rhs) { /* z' = -1/(2 z), z = sqrt(1 - t): no number after t = 1 */
  UNUSED;
  out[0] = -0.5 / sqrt(1 - t);
  return DYN_OK;
}
static inline dyn_model blow_up_model(dyn_function *rhs) {
  return (dyn_model){MODEL_HEAD("blow-up"), .n_rates = 1, .n_state = 1, .rates = blow_up_z,
                     .rhs = rhs};
}

static const dyn_variable robertson_z[] = {{"a", "1", "", 1}, {"b", "1", "", 0}, {"c", "1", "", 0}};
static const int32_t robertson_columns[] = {0, 2, 5, 7};
static const int32_t robertson_rows[] = {0, 1, 0, 1, 2, 0, 1};
static const dyn_pattern robertson_pattern = {3, 3, 7, robertson_columns, robertson_rows};
FUNCTION(robertson_rhs) {
  UNUSED;
  out[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
  out[2] = 3e7 * x[1] * x[1];
  out[1] = -out[0] - out[2];
  return DYN_OK;
}
FUNCTION(robertson_jacobian) {
  UNUSED;
  out[0] = -0.04;
  out[1] = 0.04;
  out[2] = 1e4 * x[2];
  out[3] = -1e4 * x[2] - 6e7 * x[1];
  out[4] = 6e7 * x[1];
  out[5] = 1e4 * x[1];
  out[6] = -1e4 * x[1];
  return DYN_OK;
}
static inline dyn_model robertson_model(int with_jacobian) {
  return (dyn_model){MODEL_HEAD("Robertson"),
                     .n_rates = 3,
                     .n_state = 3,
                     .rates = robertson_z,
                     .rhs = robertson_rhs,
                     .jacobian_pattern = &robertson_pattern,
                     .jacobian = with_jacobian ? robertson_jacobian : NULL};
}

/* Van der Pol, x'' = p0 (1 - x^2) x' - x. */
static const dyn_variable van_der_pol_q[] = {{"x", "1", "", 2}};
static const int32_t van_der_pol_columns[] = {0, 1, 3};
static const int32_t van_der_pol_rows[] = {1, 0, 1};
static const dyn_pattern van_der_pol_pattern = {2, 2, 3, van_der_pol_columns, van_der_pol_rows};
static const dyn_variable van_der_pol_p[] = {{"μ", "1", "", 1000}};
FUNCTION(van_der_pol_rhs) {
  UNUSED;
  out[0] = x[1];
  out[1] = p[0] * (1 - x[0] * x[0]) * x[1] - x[0];
  return DYN_OK;
}
FUNCTION(van_der_pol_jacobian) {
  UNUSED;
  out[0] = -2 * p[0] * x[0] * x[1] - 1;
  out[1] = 1;
  out[2] = p[0] * (1 - x[0] * x[0]);
  return DYN_OK;
}
static inline dyn_model van_der_pol_model(int with_jacobian) {
  return (dyn_model){MODEL_HEAD("Van der Pol"),
                     .n_coordinates = 1,
                     .n_state = 2,
                     .n_parameters = 1,
                     .parameters = van_der_pol_p,
                     .coordinates = van_der_pol_q,
                     .velocities = oscillator_v,
                     .accelerations = oscillator_a,
                     .jacobian_pattern = &van_der_pol_pattern,
                     .rhs = van_der_pol_rhs,
                     .jacobian = with_jacobian ? van_der_pol_jacobian : NULL};
}

/* Driven by its input: x'' = F. */
static const dyn_variable driven_u[] = {{"F", "N", "force", 0}};
FUNCTION(driven_rhs) {
  UNUSED;
  out[0] = x[1];
  out[1] = u[0];
  return DYN_OK;
}
FUNCTION(driven_inputs) {
  UNUSED;
  out[0] = cos(t);
  return DYN_OK;
}
static inline dyn_model driven_model(void) {
  return (dyn_model){MODEL_HEAD("driven"),
                     .n_coordinates = 1,
                     .n_state = 2,
                     .n_inputs = 1,
                     .coordinates = oscillator_q,
                     .velocities = oscillator_v,
                     .accelerations = oscillator_a,
                     .inputs = driven_u,
                     .default_inputs = driven_inputs,
                     .rhs = driven_rhs};
}

/* ---- A sink that keeps everything ---- */
struct kept {
  int64_t rows, begun, finished, fail_at;
  int32_t n;
  double *t, *x;
};
static inline int keep_begin(void *user, const dyn_model *model) {
  struct kept *k = user;
  k->begun++;
  k->n = model->n_state;
  return 0;
}
static inline int keep_row(void *user, const dyn_row *row) {
  struct kept *k = user;
  if (k->fail_at && k->rows + 1 >= k->fail_at) return 1;
  size_t n = (size_t)k->n, i = (size_t)k->rows++;
  k->t = realloc(k->t, (i + 1) * sizeof(double));
  k->x = realloc(k->x, (i + 1) * n * sizeof(double));
  assert_non_null(k->t);
  assert_non_null(k->x);
  k->t[i] = row->t;
  memcpy(k->x + i * n, row->x, n * sizeof(double));
  return 0;
}
static inline int keep_finish(void *user) {
  ((struct kept *)user)->finished++;
  return 0;
}
static inline dyn_sink keep_sink(struct kept *k) {
  return (dyn_sink){.user = k, .begin = keep_begin, .row = keep_row, .finish = keep_finish};
}
static inline void kept_clear(struct kept *k) {
  free(k->t);
  free(k->x);
}

static inline dyn_run_options run_options(double until, double every, double tolerance,
                                          const char *integrator) {
  return (dyn_run_options){
      .until = until, .every = every, .tolerance = tolerance, .integrator = integrator};
}

#define assert_close(a, b, tolerance)                                                              \
  do {                                                                                             \
    double close_a = (a), close_b = (b);                                                           \
    if (!(fabs(close_a - close_b) <= (tolerance)))                                                 \
      fail_msg("%s = %.17g is not %s = %.17g to %g", #a, close_a, #b, close_b,                     \
               (double)(tolerance));                                                               \
  } while (0)

#endif
