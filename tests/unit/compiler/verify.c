/* dyn verify finds a derivation that is wrong: systems are broken on purpose, one term at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/compiler.h"
#include "compiler/verify.h"
#include "sema/model.h"

static const char pendulum[] = "param m = 2, l = 1.5, g = 9.81, k = 0.3\n"
                               "coord x = 1, y = -1, z = 0, θ = 0.4\n"
                               "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(1 + x^2)*θ'^2 + 1/2*z'^2\n"
                               "potential m*g*y + z*θ\n"
                               "dissipation 1/2*k*θ'^2\n"
                               "speed u = θ'*cos(θ) + 2*x'\n"
                               "constraint rod: x^2 + y^2 = 2\n";

struct fixture {
  dyn_compiler *compiler;
  struct verify verify;
  double p[8], x[8];
};

static void set_up(struct fixture *f) {
  memset(f, 0, sizeof *f);
  f->compiler = dyn_compiler_new();
  assert_int_equal(dyn_compiler_add_text(f->compiler, "test", pendulum, strlen(pendulum)), 0);
  assert_true(compiler_check(f->compiler));
  const double p[] = {2, 1.5, 9.81, 0.3}, x[] = {1, -1, 0, 0.4, 0.3, 0.3, -0.2, 0.5};
  memcpy(f->p, p, sizeof p);
  memcpy(f->x, x, sizeof x);
  f->verify = (struct verify){.context = f->compiler->context,
                              .model = f->compiler->model,
                              .p = f->p,
                              .start = f->x,
                              .states = 6};
}

/* How many disagreements there are when `breaks` has had its way with the system of a method. */
static uint32_t disagreements(const char *method, void (*breaks)(struct system *)) {
  static const char *const methods[] = {"lagrange", "augmented", "kane", "gibbs-appell",
                                        "hamilton"};
  struct fixture f;
  struct text out = {0};
  set_up(&f);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    struct system *system = derive_system(f.verify.context, f.verify.model, methods[i]);
    assert_non_null(system);
    if (strcmp(methods[i], method) == 0) breaks(system);
    verify_add(&f.verify, system);
  }
  verify_run(&f.verify, &out);
  uint32_t found = f.verify.disagreements;
  assert_true(f.verify.tried >= 5);
  if (found > 0) assert_non_null(strstr(text_string(&out), "at x = "));
  verify_clear(&f.verify);
  text_free(&out);
  dyn_compiler_free(f.compiler);
  return found;
}

static expr off(struct system *system, expr e) {
  return expr_add(system->graph, e, expr_ratio(system->graph, 1, 1000000));
}

static void break_nothing(struct system *system) {
  (void)system;
}
static void break_forcing(struct system *system) {
  system->forcing[3] = off(system, system->forcing[3]);
}
static void break_bias(struct system *system) {
  system->constraint_bias[0] = off(system, system->constraint_bias[0]);
}
static void break_speed_forcing(struct system *system) {
  system->state.forcing[1] = off(system, system->state.forcing[1]);
}
static void break_speed_mass(struct system *system) {
  system->state.mass[0] = off(system, system->state.mass[0]);
}
static void break_speed_bias(struct system *system) {
  system->state.bias[0] = off(system, system->state.bias[0]);
}
static void break_velocity(struct system *system) {
  system->state.velocity[0] = off(system, system->state.velocity[0]);
}
static void break_mass(struct system *system) {
  system->mass[0] = off(system, system->mass[0]);
}
static void break_speed_arm(struct system *system) {
  system->state.jacobian[1] = off(system, system->state.jacobian[1]);
}
static void break_acceleration(struct system *system) {
  system->state.acceleration[0] = off(system, system->state.acceleration[0]);
}
static void break_momentum_mass(struct system *system) {
  system->state.mass[0] = off(system, system->state.mass[0]);
}
static void break_momentum_rate(struct system *system) {
  system->state.rate[3] = off(system, system->state.rate[3]);
}
static void break_dissipation(struct system *system) {
  system->nonconservative[3] = off(system, system->nonconservative[3]);
}

static void methods_agree(void **state) {
  (void)state;
  assert_int_equal(disagreements("lagrange", break_nothing), 0);
}

static void broken_derivations_are_found(void **state) {
  (void)state;
  assert_true(disagreements("lagrange", break_forcing) > 0);
  assert_true(disagreements("lagrange", break_bias) > 0);
  assert_true(disagreements("lagrange", break_dissipation) > 0);
  assert_true(disagreements("lagrange", break_mass) > 0);
  assert_true(disagreements("augmented", break_mass) > 0);
  assert_true(disagreements("augmented", break_forcing) > 0);
  assert_true(disagreements("augmented", break_bias) > 0);
  assert_true(disagreements("kane", break_speed_forcing) > 0);
  assert_true(disagreements("kane", break_speed_mass) > 0);
  assert_true(disagreements("gibbs-appell", break_speed_forcing) > 0);
  assert_true(disagreements("gibbs-appell", break_speed_mass) > 0);
  for (int i = 0; i < 2; i++) {
    const char *method = i ? "gibbs-appell" : "kane";
    assert_true(disagreements(method, break_speed_arm) > 0);
    assert_true(disagreements(method, break_acceleration) > 0);
    assert_true(disagreements(method, break_velocity) > 0);
    assert_true(disagreements(method, break_speed_bias) > 0);
  }
  assert_true(disagreements("hamilton", break_momentum_mass) > 0);
  assert_true(disagreements("hamilton", break_forcing) > 0);
  assert_true(disagreements("hamilton", break_momentum_rate) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(methods_agree),
                                     cmocka_unit_test(broken_derivations_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
