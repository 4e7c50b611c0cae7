/* Accelerations by recursion over the bodies satisfy the equations with the mass matrix, which are
 * derived without it: chains in angles of both kinds, trees, sliding joints, springs, dampers,
 * forces, prescribed motion, bodies that turn in space. Where inertia is lost that is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/map.h"
#include "compiler/compiler.h"
#include "compiler/verify.h"
#include "sema/model.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct fixture {
  dyn_compiler *compiler;
  struct program *program;
  dyn_model *model;
  double *p, *u, *x, *work, *a, *mass, *force;
};

static void set_up(struct fixture *f, const char *text) {
  *f = (struct fixture){.compiler = dyn_compiler_new()};
  assert_int_equal(dyn_compiler_add_text(f->compiler, "test", text, strlen(text)), 0);
  assert_true(compiler_derive(f->compiler, NULL));
  f->program = program_build(f->compiler->context, f->compiler->system, 0);
}

/* The program's functions, accelerations by recursion or not; the mass matrix by what is there. */
static void finish(struct fixture *f, bool by_recursion) {
  f->program->by_recursion = by_recursion;
  program_add(f->program,
              PROGRAM_ACCELERATION | PROGRAM_RHS | PROGRAM_MASS_MATRIX | PROGRAM_FORCING);
  program_check(f->program);
  f->model = program_interpreted_model(f->program);
  size_t n = (size_t)f->model->n_coordinates;
  f->p = checked_calloc((size_t)f->model->n_parameters + 1, sizeof(double));
  f->u = checked_calloc((size_t)f->model->n_inputs + 1, sizeof(double));
  f->x = checked_calloc((size_t)f->model->n_state + 1, sizeof(double));
  f->work = checked_calloc((size_t)f->model->n_work + 1, sizeof(double));
  f->a = checked_calloc(n * n + 2 * n + 1, sizeof(double));
  f->force = f->a + n;
  f->mass = f->force + n;
  for (int32_t i = 0; i < f->model->n_parameters; i++) f->p[i] = f->model->parameters[i].value;
  for (int32_t i = 0; i < f->model->n_inputs; i++) f->u[i] = f->model->inputs[i].value;
}

static void tear_down(struct fixture *f) {
  free(f->p);
  free(f->u);
  free(f->x);
  free(f->work);
  free(f->a);
  free(f->model);
  program_free(f->program);
  dyn_compiler_free(f->compiler);
}

static int call(struct fixture *f, dyn_function *function, double *out) {
  return function(f->model, 0.3, f->x, f->u, f->p, f->work, out);
}

static void draw(struct fixture *f, uint64_t seed) {
  for (int32_t i = 0; i < f->model->n_state; i++)
    f->x[i] = (double)(hash_mix(seed * 1000003 + (uint64_t)i) >> 11) * 0x1p-52 - 1;
}

/* |M a - f| beside the sizes of its terms, the largest over the equations: the error that a stable
 * elimination makes, whatever the condition of M (Higham, Accuracy and Stability, 10.1). */
static double residual(struct fixture *f) {
  size_t n = (size_t)f->model->n_coordinates;
  double worst = 0;
  assert_int_equal(call(f, f->model->acceleration, f->a), 0);
  assert_int_equal(call(f, f->model->mass_matrix, f->mass), 0);
  assert_int_equal(call(f, f->model->forcing, f->force), 0);
  for (size_t i = 0; i < n; i++) {
    double sum = -f->force[i], size = fabs(sum);
    for (size_t j = 0; j < n; j++) {
      sum += f->mass[i + j * n] * f->a[j];
      size += fabs(f->mass[i + j * n] * f->a[j]);
    }
    assert_true(isfinite(sum));
    worst = fmax(worst, fabs(sum) / size);
  }
  return worst;
}

static void check_model(const char *text, bool is_chosen) {
  struct fixture f;
  set_up(&f, text);
  assert_non_null(f.compiler->system->recursion);
  assert_int_equal(f.program->by_recursion, is_chosen);
  system_derive_mass(f.compiler->system);
  finish(&f, true);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    draw(&f, seed);
    double worst = residual(&f);
    if (!(worst < 1e-12)) fail_msg("residual %g of:\n%s", worst, text);
  }
  tear_down(&f);
}

static void check_size(const char *text, unsigned n, bool is_chosen) {
  char *with_size = checked_calloc(strlen(text) + 32, 1);
  snprintf(with_size, strlen(text) + 32, "const n = %u\n%s", n, text);
  check_model(with_size, is_chosen);
  free(with_size);
}

/* ---- chains */

static const char relative[] = "param m = 1, l = 0.1, g = 9.81\n"
                               "coord φ[i in 1..n]\n"
                               "frame F[0] = world\n"
                               "point P[0] = origin\n"
                               "for i in 1..n {\n"
                               "  frame F[i] = F[i-1] rotated φ[i] about z\n"
                               "  point P[i] = P[i-1] - l*F[i].y\n"
                               "  particle bob[i](mass = m, at = P[i])\n"
                               "}\n"
                               "gravity -g*world.y\n";

static const char absolute[] = "param m = 1, l = 0.1, g = 9.81\n"
                               "coord θ[i in 1..n]\n"
                               "for k in 1..n {\n"
                               "  let x[k] = sum(i in 1..k, l*sin(θ[i]))\n"
                               "  let y[k] = -sum(i in 1..k, l*cos(θ[i]))\n"
                               "  kinetic 1/2*m*(x[k]'^2 + y[k]'^2)\n"
                               "  potential m*g*y[k]\n"
                               "}\n";

static void test_chains(void **state) {
  (void)state;
  check_size(relative, 5, false);
  check_size(relative, 12, true);
  check_size(relative, 50, true);
  check_size(absolute, 5, false);
  check_size(absolute, 50, true);
}

/* Instructions of a right-hand side grow as the number of links. */
static uint32_t instructions(const char *text, unsigned n) {
  char *with_size = checked_calloc(strlen(text) + 32, 1);
  struct fixture f;
  snprintf(with_size, strlen(text) + 32, "const n = %u\n%s", n, text);
  set_up(&f, with_size);
  finish(&f, true);
  uint32_t count = tape_count(f.program->tapes[PROGRAM_FUNCTION_RHS]).instructions;
  tear_down(&f);
  free(with_size);
  return count;
}

static void test_growth(void **state) {
  (void)state;
  uint32_t a = instructions(relative, 20), b = instructions(relative, 40),
           c = instructions(relative, 60);
  assert_in_range(c - b, b - a - 40, b - a + 40);
  a = instructions(absolute, 20), b = instructions(absolute, 40), c = instructions(absolute, 60);
  assert_in_range(c - b, b - a - 40, b - a + 40);
}

/* ---- trees, joints and what acts on them */

/* Link i hangs on link i/2, the joints of the first links move in a prescribed way, every third
 * joint slides; a spring joins the tips of two branches, dampers stand in the joints. */
static const char tree[] =
    "const n = 30\n"
    "param m = 0.7, l = 0.3, k = 20, c = 0.2, J = 0.01\n"
    "input pull = 2\n"
    "coord q[i in 1..n] = 0.1*i\n"
    "frame F[0] = world\n"
    "point P[0] = origin + 0.2*sin(3*t)*world.x\n"
    "for i in 1..n {\n"
    "  frame F[i] = F[floor(i/2)] rotated (if i == 3*floor(i/3) then 0.4 else q[i]) about z\n"
    "  point P[i] = P[floor(i/2)] - (if i == 3*floor(i/3) then l + q[i] else l)*F[i].y\n"
    "  body link[i](mass = i*m, at = P[i] + 0.1*F[i].x, frame = F[i], inertia = (J*i, J*i, J*i))\n"
    "  dissipation 1/2*c*q[i]'^2\n"
    "}\n"
    "gravity -9.81*world.y\n"
    "potential 1/2*k*dot(P[n] - P[n-3], P[n] - P[n-3])\n"
    "force pull*cos(q[1]) on q[2]\n"
    "force 3*pull*world.x at P[n-1]\n";

/* An arm in space on a moving base, a spinning disc at its end, and bodies without mass between. */
static const char arm[] =
    "param g = 9.81\n"
    "coord x = 0, z = 0, q[i in 1..7] = 0.3*i\n"
    "frame A = world rotated q[1] about z\n"
    "frame B = A rotated q[2] about y\n"
    "frame C = B rotated q[3] about y\n"
    "frame D = C rotated q[4] about z\n"
    "frame E = D rotated q[5] about y\n"
    "frame G = E rotated q[6] about z\n"
    "frame W = G rotated q[7] about x\n"
    "point O = origin + x*world.x + z*world.z\n"
    "point K = O + 0.3*A.z\n"
    "point L = K + 0.5*B.z\n"
    "point N = L + 0.2*C.z + 0.3*D.x\n"
    "point Q = N + 0.1*E.z\n"
    "body base(mass = 20, at = O, frame = world, inertia = (1, 1, 1))\n"
    "body one(mass = 12, at = K + 0.1*A.x, frame = A, inertia = (0.2, 0.3, 0.1))\n"
    "body two(mass = 8, at = L + 0.1*B.z, frame = B, inertia = (0.2, 0.3, 0.1))\n"
    "body four(mass = 3, at = N, frame = D, inertia = (0.02, 0.05, 0.04))\n"
    "body wheel(mass = 1, at = Q + 0.1*G.y, frame = W, inertia = (0.03, 0.02, 0.02))\n"
    "body tool(mass = 0.5, at = Q, frame = G, inertia = (0.01, 0.02, 0.03))\n"
    "gravity -g*world.z\n"
    "potential 1/2*30*(x^2 + z^2)\n"
    "torque 2*A.x on tool\n";

/* Thirty joints in space about several axes, a prescribed one among them, bodies with full tensors;
 * what acts depends on speeds, states and the time. */
static const char winding[] =
    "const n = 30\n"
    "param c = 0.3\n"
    "coord q[i in 1..n] = 0.2\n"
    "state z = 0.3\n"
    "z' = -z + q[1]''\n"
    "speed u = q[2]'*cos(q[3]) + q[4]'\n"
    "frame F[0] = world\n"
    "point P[0] = origin + 0.1*sin(2*t)*world.z\n"
    "for i in 1..n {\n"
    "  frame F[i] = F[i-1] rotated (if i == 6 then q[i] + 2*t else q[i]) about "
    "(if i == 2*floor(i/2) then 1 else 0)*F[i-1].x + F[i-1].z\n"
    "  point P[i] = P[i-1] + (0.1, -0.3, 0.2) in F[i]\n"
    "  body b[i](mass = 1 + i/10, at = P[i], frame = F[i],\n"
    "            inertia = (0.1, 0.2, 0.15, 0.01, -0.02, 0.03))\n"
    "}\n"
    "force 3*z on u\n"
    "force cross(vel(P[n]), 2*world.z) at P[n]\n"
    "torque -c*omega(F[n], F[n-1]) on F[n] from F[n-1]\n"
    "gravity -9.81*world.y\n"
    "dissipation 0.1*dot(vel(P[5]), vel(P[5]))^2\n"
    "potential if q[1] > 0.5 then 10*(q[1] - 0.5)^2 else 0\n"
    "potential 5*(norm(P[n] - P[3]) - 0.1)^2\n";

static void test_trees(void **state) {
  (void)state;
  check_model(tree, true);
  check_model(winding, true);
}

static void test_space(void **state) {
  (void)state;
  struct fixture f;
  set_up(&f, arm);
  bool is_chosen = f.program->by_recursion;
  finish(&f, true);
  tear_down(&f);
  check_model(arm, is_chosen);
}

/* ---- the mass matrix */

/* That by the recursion, entry by entry, is the derived one: to some units of rounding beside the
 * roots of the diagonal (M is positive definite), times the n terms of an entry. */
static void check_mass(const char *text) {
  struct fixture f, derived;
  set_up(&f, text);
  set_up(&derived, text);
  assert_null(f.compiler->system->mass);
  system_derive_mass(derived.compiler->system);
  finish(&f, true);
  finish(&derived, true);
  assert_null(f.compiler->system->mass);
  size_t n = (size_t)f.model->n_coordinates;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    draw(&f, seed);
    draw(&derived, seed);
    assert_int_equal(call(&f, f.model->mass_matrix, f.mass), 0);
    assert_int_equal(call(&derived, derived.model->mass_matrix, derived.mass), 0);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        double size = sqrt(derived.mass[i + i * n] * derived.mass[j + j * n]);
        double difference = fabs(f.mass[i + j * n] - derived.mass[i + j * n]);
        if (!(difference <= 1e-14 * (double)n * size))
          fail_msg("entry %zu, %zu is off by %g of %g", i, j, difference, size);
      }
  }
  tear_down(&f);
  tear_down(&derived);
}

static void test_mass(void **state) {
  (void)state;
  struct text out = {0};
  text_format(&out, "const n = 40\n%s", relative);
  check_mass(text_string(&out));
  out.length = 0;
  text_format(&out, "const n = 40\n%s", absolute);
  check_mass(text_string(&out));
  text_free(&out);
  check_mass(winding);
}

/* Two hundred links, which no mass matrix of expressions has room for. */
/* Whether derivatives of rates by the state are made; those of positions always are. */
static bool has_jacobian(unsigned n) {
  struct text out = {0};
  struct fixture f;
  text_format(&out, "const n = %u\n%soutput x = P[n].x\n", n, relative);
  set_up(&f, text_string(&out));
  program_add(f.program, PROGRAM_JACOBIAN | PROGRAM_OUTPUTS_BY_STATE);
  program_check(f.program);
  bool found = f.program->tapes[PROGRAM_FUNCTION_JACOBIAN] != NULL;
  assert_non_null(f.program->tapes[PROGRAM_FUNCTION_OUTPUTS_BY_STATE]);
  assert_int_equal(found, f.compiler->system->mass != NULL);
  program_free(f.program);
  dyn_compiler_free(f.compiler);
  text_free(&out);
  return found;
}

static void test_derivatives(void **state) {
  (void)state;
  assert_true(has_jacobian(20));
  assert_false(has_jacobian(60));
}

static void test_long_chain(void **state) {
  (void)state;
  struct text out = {0};
  struct fixture f;
  text_format(&out, "const n = 200\n%s", relative);
  set_up(&f, text_string(&out));
  assert_true(f.program->by_recursion);
  assert_null(f.compiler->system->mass);
  finish(&f, true);
  draw(&f, 7);
  assert_true(residual(&f) < 1e-12);
  assert_true(f.compiler->system->energy_is_conserved);
  tear_down(&f);
  text_free(&out);
}

/* ---- what does not go, or goes wrong */

static bool has_recursion(const char *text) {
  struct fixture f;
  set_up(&f, text);
  bool has = f.compiler->system->recursion != NULL;
  program_free(f.program);
  dyn_compiler_free(f.compiler);
  return has;
}

static void test_refused(void **state) {
  (void)state;
  assert_true(has_recursion("coord q[i in 1..5]\nkinetic 1/2*sum(i in 1..5, (q[i]' + q[1]')^2)\n"));
  /* a mass that moves, a product that is no rate of a length, a force linear in accelerations */
  assert_false(has_recursion("coord q[i in 1..5]\n"
                             "kinetic 1/2*sum(i in 1..5, (1 + q[i]^2)*(q[i]' + q[1]')^2)\n"));
  assert_false(has_recursion("coord q[i in 1..5]\n"
                             "kinetic 1/2*sum(i in 1..5, (q[i]' + cos(q[2])*q[1]')^2)\n"));
  assert_false(has_recursion("coord q[i in 1..5]\nkinetic 1/2*sum(i in 1..5, (q[i]' + q[1]')^2)\n"
                             "force -0.1*q[2]'' on q[1]\n"));
  assert_false(has_recursion("coord q[i in 1..5]\nkinetic 1/2*sum(i in 1..5, (q[i]' + q[1]')^2)\n"
                             "constraint half: q[1] = 2*q[2]\n"));
  /* squares under so many sums and factors that multiplied out they have no end */
  assert_false(has_recursion("const n = 40\ncoord q[i in 1..n]\nparam a = 1, b = 2\n"
                             "let s[0] = q[1]'^2\n"
                             "for i in 1..n {\n"
                             "  let s[i] = a*(s[i-1] + q[i]'^2) + b*(s[i-1] + 2*q[i]'^2)\n}\n"
                             "kinetic s[n]\n"));
}

/* Regular, but not positive definite: left to the mass matrix. */
static void test_indefinite(void **state) {
  (void)state;
  struct fixture f;
  set_up(&f, "const n = 30\ncoord q[i in 1..n]\n"
             "kinetic 1/2*sum(i in 1..n, sum(k in 1..i, q[k]')^2) - 7*q[3]'^2\n"
             "potential 1/2*sum(i in 1..n, q[i]^2)\n");
  assert_non_null(f.compiler->system->recursion);
  assert_false(f.program->by_recursion);
  finish(&f, false);
  draw(&f, 3);
  assert_true(residual(&f) < 1e-12);
  tear_down(&f);
}

/* A slider in polar coordinates on top of a chain: where its arm is 0, its angle has no inertia. */
static void test_lost_inertia(void **state) {
  (void)state;
  struct fixture f;
  set_up(&f, "param m = 1\ncoord x = 0, y = 0, z = 0, r = 1, φ = 0\n"
             "particle a(mass = 2*m, at = origin + (x, y, z) in world)\n"
             "particle b(mass = m, at = origin + (x + r*cos(φ), y + r*sin(φ), z) in world)\n");
  assert_non_null(f.compiler->system->recursion);
  finish(&f, true);
  draw(&f, 1);
  assert_true(residual(&f) < 1e-12);
  f.x[3] = 0;
  int lost = call(&f, f.model->acceleration, f.a);
  assert_int_equal(lost, 5); /* 1 + φ */
  f.x[3] = NAN;
  assert_int_not_equal(call(&f, f.model->acceleration, f.a), 0);
  tear_down(&f);
}

/* dyn verify finds a recursion that is wrong. */
static uint32_t disagreements(bool is_broken) {
  struct fixture f;
  struct text out = {0}, text = {0};
  text_format(&text, "const n = 12\n%s", absolute);
  set_up(&f, text_string(&text));
  finish(&f, true);
  draw(&f, 4);
  struct model *model = f.compiler->model;
  struct verify verify = {
      .context = f.compiler->context, .model = model, .p = f.p, .start = f.x, .states = 3};
  struct system *system = derive_system(verify.context, model, "lagrange");
  if (is_broken) {
    expr *value = &system->recursion->inertias.items[5].value;
    *value = expr_multiply(model->graph, *value, expr_ratio(model->graph, 1000001, 1000000));
  }
  verify_add(&verify, system);
  verify_run(&verify, &out);
  assert_int_equal(verify.defined, 3);
  uint32_t found = verify.disagreements;
  if (found > 0) assert_non_null(strstr(text_string(&out), "by recursion"));
  verify_clear(&verify);
  text_free(&out);
  text_free(&text);
  tear_down(&f);
  return found;
}

static void test_verify(void **state) {
  (void)state;
  assert_int_equal(disagreements(false), 0);
  assert_true(disagreements(true) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chains),      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_trees),       cmocka_unit_test(test_space),
      cmocka_unit_test(test_mass),        cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_derivatives), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_indefinite),  cmocka_unit_test(test_lost_inertia),
      cmocka_unit_test(test_verify)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
