/* Vectors, points, frames and bodies from texts: identities between outputs that a model can't
 * know, the bodies that come out, and forms that stay as short as by hand. */
#include "base/map.h"
#include "tests/unit/sema/fixture.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the headers above first. */
#include <cmocka.h>

static struct fixture analyse_right(const char *text) {
  struct fixture f = analyse(text);
  if (f.model == NULL) {
    struct text out = {0};
    diagnostics_render_text(f.context, &out, false);
    fail_msg("%s\n%s", text, text_string(&out));
  }
  return f;
}

static double value_at(void *user, expr symbol) {
  return 0.3 + (double)(hash_mix(symbol + *(const uint32_t *)user) >> 40) / (double)(1u << 24);
}

/* All outputs vanish, at several states. */
static void check_zero(const char *base, const char *outputs) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s\n", base, outputs);
  struct fixture f = analyse_right(text);
  assert_true(f.model->outputs.count > 0);
  for (uint32_t round = 0; round < 4; round++)
    for (uint32_t i = 0; i < f.model->outputs.count; i++) {
      double value;
      expr_evaluate(f.model->graph, &f.model->outputs.items[i].value, 1, value_at, &round, &value);
      if (!(fabs(value) < 1e-12))
        fail_msg("%s is %g: %s", f.model->outputs.items[i].id.name, value, outputs);
    }
  end(&f);
}

static void check_text(const struct fixture *f, expr e, const char *expected) {
  struct text text = {0};
  expr_print_text(f->model->graph, &text, e);
  assert_string_equal(text_string(&text), expected);
  text_free(&text);
}

static void check_refused(const char *base, const char *line, enum diagnostic_code code) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s\n", base, line);
  struct fixture f = analyse(text);
  uint32_t found = 0;
  for (uint32_t i = 0; i < f.context->diagnostics.count; i++)
    found += f.context->diagnostics.items[i]->code == code;
  if (f.model != NULL || found != 1 || f.context->diagnostics.error_count != 1) {
    struct text out = {0};
    diagnostics_render_text(f.context, &out, false);
    fail_msg("%s: %u of the wanted error\n%s", line, found, text_string(&out));
  }
  end(&f);
}

/* Two frames on branches of their own, points in both, everything moving. */
#define BASE                                                                                       \
  "param m = 1, l = 2, h = 3\n"                                                                    \
  "coord x, y, z, a, b, c, d\n"                                                                    \
  "frame A = world rotated a about z, b about x at origin + (x, y, z) in world\n"                  \
  "frame B = A rotated c about (1, 2, 2) in A\n"                                                   \
  "frame C = world rotated d about y\n"                                                            \
  "point P = A.at + l*A.x + h*B.y, Q = origin + x*C.z + l*C.x\n"                                   \
  "body rod(mass = 1, at = P, frame = B, inertia = (1, 2, 2.5))\n"                                 \
  "particle bob(mass = 2, at = Q)\n"                                                               \
  "kinetic 1/2*(m^2*d'^2 + y'^2)\n"                                                                \
  "let v = l*A.x - 2*B.z + x*C.y, w = cross(B.x, C.y) + y*A.z\n"

static void test_algebra(void **state) {
  (void)state;
  check_zero(BASE, "output o = v + w - w - v, p = (v + w)/2 - 0.5*v - 0.5*w, q = P - Q + (Q - P)");
  check_zero(BASE,
             "output o = P + (Q - P) - Q, p = (P + v) - P - v, q = sum(i in 1..4, i*v) - 10*v");
  check_zero(BASE, "output o = dot(v, w) - (v.x*w.x + v.y*w.y + v.z*w.z), p = dot(cross(v, w), v)");
  check_zero(BASE, "output o = cross(v, w).x - (v.y*w.z - v.z*w.y), p = norm(v)^2 - dot(v, v)");
  check_zero(
      BASE,
      "output o = norm(unit(v)) - 1, p = cross(unit(v), v), q = components(v, B).x - dot(v, B.x)");
  check_zero(BASE, "output o = dot(A.x, A.y), p = cross(B.x, B.y) - B.z, q = norm(C.z) - 1");
  check_zero(BASE, "output o = (if x > 0 then v else 0) - v, p = (if x < 0 then P else Q) - Q");
  check_zero(BASE,
             "function mid(P1, P2) = P1 + (P2 - P1)/2\n"
             "output o = 2*(mid(P, Q) - P) - (Q - P), p = (1, 2, 3) in A - A.x - 2*A.y - 3*A.z");
}

static void test_rates(void **state) {
  (void)state;
  check_zero(BASE, "output o = P' - vel(P), p = P'' - acc(P), q = v' - der(v, world)");
  check_zero(BASE, "output o = P.x' - vel(P).x, p = P.z'' - acc(P).z, q = w.y' - der(w, world).y");
  check_zero(
      BASE,
      "output o = vel(P, A) - (vel(P) - vel_on(A, P)), p = vel(Q, B) - (vel(Q) - vel_on(B, Q))");
  check_zero(BASE, "output o = vel_on(rod, Q) - (vel(rod.at) + cross(omega(rod), Q - rod.at))");
  check_zero(BASE, "output o = vel_on(A, Q) - (vel(A.at) + cross(omega(A), Q - A.at)), p = "
                   "vel_on(rod, P) - vel(P)");
  check_zero(BASE, "output o = omega(B, A) + omega(A, B), p = omega(B) - omega(B, C) - omega(C)");
  check_zero(BASE,
             "output o = B.x' - cross(omega(B), B.x), p = der(v, B) - (v' - cross(omega(B), v))");
  check_zero(
      BASE,
      "output o = alpha(B) - omega(B)', p = alpha(B) - der(omega(B), B), q = (v + w)' - v' - w'");
  check_zero(BASE, "output o = dot(v, w)' - dot(v', w) - dot(v, w'), p = (x*v)' - x'*v - x*v'");
}

static void test_members(void **state) {
  (void)state;
  check_zero(
      BASE,
      "frame D = rod\nlet b2 = rod, f = C\n"
      "output o = rod.x - B.x, p = rod.at - P, q = D.at - P, r = D.y - B.y, s = rod.mass - 1");
  check_zero(BASE, "output o = bob.mass - 2, p = bob.at - Q, q = rod.frame.z - B.z, r = A.at.x - "
                   "x, s = world.at - origin");
  check_zero(BASE, "frame E = A at Q\noutput o = E.at - Q, p = E.x - A.x");
}

static void test_bodies(void **state) {
  (void)state;
  struct fixture f =
      analyse_right("param m = 1, l = 1, I = 3, g = 9\ncoord θ, φ\n"
                    "frame A = world rotated θ about z\nframe B = A rotated φ about x\n"
                    "point P = origin + l*A.x\n"
                    "body rod(mass = m, at = P, frame = A, inertia = I, about = origin)\n"
                    "body disc(mass = m, at = P, frame = B, inertia = (I, I/2, I/2))\n"
                    "particle bob(mass = 2*m, at = P)\ngravity -g*world.y\n"
                    "start θ = 1\n");
  assert_int_equal(f.model->bodies.count, 3);
  check_text(&f, f.model->bodies.items[0].inertia[2], "I - m*l^2");
  assert_true(f.model->bodies.items[0].is_planar);
  assert_true(f.model->bodies.items[2].is_particle);
  assert_int_equal(f.model->energies.count, 6);
  check_text(&f, f.model->energies.items[0].value, "1/2*I*θ'^2");
  check_text(&f, f.model->energies.items[2].value, "m*l^2*θ'^2");
  check_text(&f, f.model->energies.items[3].value, "m*l*g*sin(θ)");
  assert_string_equal(f.model->energies.items[2].label, "bob");
  end(&f);
}

static void test_constraints(void **state) {
  (void)state;
  struct fixture f =
      analyse_right("param l = 1, r = 2\ncoord x, y, θ, φ\ncoord e[0..3]\n"
                    "frame A = world rotated θ about z\n"
                    "frame E = world oriented (e[0], e[1], e[2], e[3])\n"
                    "point P = (x, y)\n"
                    "body rod(mass = 1, at = P, frame = A, inertia = 1)\n"
                    "body ball(mass = 1, at = origin, frame = E, inertia = (1, 1, 1))\n"
                    "kinetic φ'^2\n"
                    "constraint pin: P + l*A.x = origin\n"
                    "constraint roll: vel(P) = r*φ'*world.x along 2*world.x\n");
  assert_int_equal(f.model->constraints.count, 4); /* pin.z says nothing */
  assert_string_equal(f.model->constraints.items[0].id.name, "E.norm");
  assert_string_equal(f.model->constraints.items[1].id.name, "pin.x");
  assert_string_equal(f.model->constraints.items[2].id.name, "pin.y");
  assert_string_equal(f.model->constraints.items[3].id.name, "roll");
  check_text(&f, f.model->constraints.items[1].residual, "l*cos(θ) + x");
  check_text(&f, f.model->constraints.items[3].residual, "x' - r*φ'");
  check_text(&f, f.model->coordinates.items[4].start_position, "1");
  end(&f);
}

/* What has no derivative is found where it hides. */
static void test_blocks(void **state) {
  (void)state;
  static const char base[] = "param m = 1, l = 2\ncoord x, θ\ninput u\n"
                             "point P = origin + x*world.x\nparticle bob(mass = m, at = P)\n"
                             "kinetic l*θ'^2\nframe U = world rotated u about z\n"
                             "frame V = U rotated θ about x\n";
  check_refused(base, "output o = omega(U)", DIAG_DERIVATIVE_OF_INPUT);
  check_refused(base, "output o = vel(origin + x*V.x)", DIAG_DERIVATIVE_OF_INPUT);
  check_refused(base, "output o = (u*V.x)'", DIAG_DERIVATIVE_OF_INPUT);
  check_refused(base, "output o = acc(P)'", DIAG_DERIVATIVE_TOO_HIGH);
  check_refused(base, "particle other(mass = m, at = origin + x'*world.x)",
                DIAG_ENERGY_OF_ACCELERATIONS);
  check_zero(base, "output o = omega(V, U) - θ'*V.x, p = der(V.y, U) - θ'*V.z");
}

static void test_cycles(void **state) {
  (void)state;
  check_refused("", "coord x\nkinetic x'^2\npoint P = Q + x*world.x, Q = P + world.y",
                DIAG_DEFINITION_CYCLE);
  check_refused(
      "", "coord x\nkinetic x'^2\nframe A = B rotated x about z\nframe B = A rotated x about x",
      DIAG_DEFINITION_CYCLE);
  check_refused("", "coord x\nkinetic x'^2\nbody b(mass = 1, at = P)\npoint P = b.at + x*world.x",
                DIAG_DEFINITION_CYCLE);
  check_refused("", "coord x\nkinetic x'^2\nframe A = world rotated x about z at A.at",
                DIAG_DEFINITION_CYCLE);
}

/* A long chain is no longer than by hand: linear in the number of links for each of them. */
static void test_chain(void **state) {
  (void)state;
  struct fixture f =
      analyse_right("const n = 300\nparam m = 1, l = 2, g = 9\ncoord q[n]\npoint P[0] = origin\n"
                    "for i in 1..n {\n  frame A[i] = world rotated q[i] about z\n"
                    "  point P[i] = P[i-1] + l*A[i].x\n"
                    "  particle bob[i](mass = m, at = P[i])\n}\ngravity -g*world.y\n");
  assert_int_equal(f.model->bodies.count, 300);
  assert_true(expr_graph_size(f.model->graph) < 60 * 300);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_algebra),     cmocka_unit_test(test_rates),
      cmocka_unit_test(test_members),     cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_constraints), cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_cycles),      cmocka_unit_test(test_chain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
