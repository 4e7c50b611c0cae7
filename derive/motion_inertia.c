/* What the inertia of a body gives: products of its partial velocities, its inertia forces and its
 * Gibbs function. Sources: see motion.c. */
#include "derive/motion.h"
#include "derive/quadratic_form.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

static const struct model_body *model_body_of(const struct motions *m,
                                              const struct body_motion *body) {
  return &m->system->model->bodies.items[body->body];
}

static expr mass_of(const struct motions *m, const struct body_motion *body) {
  return body->only_turns ? expr_integer(m->system->graph, 0) : model_body_of(m, body)->mass;
}

static vector_id times(struct motions *m, const struct body_motion *body, vector_id omega) {
  return inertia_times(m->kinematics, model_body_of(m, body)->frame, body->inertia, omega);
}

/* I.α + ω x I.ω, both without rates of the variables. */
static vector_id torque_of_inertia(struct motions *m, const struct body_motion *body) {
  struct kinematics *k = m->kinematics;
  vector_id spin = vector_cross(k, body->omega, times(m, body, body->omega));
  return vector_add(k, times(m, body, body->alpha), spin);
}

void motions_inertia(struct motions *m, const struct body_motion *body, expr *mass, expr *rest) {
  struct kinematics *k = m->kinematics;
  struct expr_graph *graph = m->system->graph;
  size_t n = m->n;
  expr inert = mass_of(m, body);
  vector_id torque = torque_of_inertia(m, body);
  for (size_t s = 0; s < n; s++) {
    vector_id velocity = body->only_turns ? VECTOR_ZERO : body->partial_velocity[s];
    vector_id momentum = times(m, body, body->partial_omega[s]);
    for (size_t r = 0; r <= s; r++) {
      expr moved = expr_multiply(graph, inert, vector_dot(k, body->partial_velocity[r], velocity));
      mass[r + s * n] = mass[s + r * n] =
          expr_add(graph, moved, vector_dot(k, body->partial_omega[r], momentum));
    }
    expr moved = expr_multiply(graph, inert, vector_dot(k, velocity, body->acceleration));
    rest[s] = expr_add(graph, moved, vector_dot(k, body->partial_omega[s], torque));
  }
}

/* Models for which other forms are tried: that takes n^3 steps. */
enum { FEW_COORDINATES = 12, FEW_NODES = 4000 };

/* Nodes of mass and rest together. */
static uint32_t size_of(const struct motions *m, const expr *mass, const expr *rest) {
  size_t n = m->n;
  expr *roots = checked_calloc(n * n + n + 1, sizeof(expr));
  memcpy(roots, mass, n * n * sizeof(expr));
  memcpy(roots + n * n, rest, n * sizeof(expr));
  uint32_t size = expr_reachable_count(m->system->graph, roots, n * n + n);
  free(roots);
  return size;
}

void motions_shorten(struct motions *m, const expr *mass, expr *rest) {
  struct expr_graph *graph = m->system->graph;
  size_t n = m->n, count = 0;
  if (n == 0 || n > FEW_COORDINATES || size_of(m, mass, rest) > FEW_NODES) return;
  expr *memory = checked_calloc(3 * n, sizeof(expr)), *w = memory, *other = memory + 2 * n;
  bool ok = true;
  for (size_t j = 0; j < n; j++) w[count++] = m->variable[j];
  for (size_t j = 0; j < n; j++) {
    bool is_variable = false;
    expr velocity = m->system->model->coordinates.items[j].velocity;
    for (size_t r = 0; r < n; r++) is_variable = is_variable || m->variable[r] == velocity;
    if (!is_variable) w[count++] = velocity;
  }
  for (size_t r = 0; r < n && ok; r++) {
    other[r] = quadratic_form_of(graph, rest[r], w, count);
    ok = other[r] != 0;
  }
  if (ok && size_of(m, mass, other) < size_of(m, mass, rest)) memcpy(rest, other, n * sizeof(expr));
  free(memory);
}

/* at_rest + sum of partials times rates. */
static vector_id with_rates(struct motions *m, vector_id at_rest, const vector_id *partials,
                            const expr *rate) {
  for (uint32_t r = 0; r < m->n; r++)
    at_rest = vector_add(m->kinematics, at_rest, vector_scale(m->kinematics, rate[r], partials[r]));
  return at_rest;
}

expr motions_gibbs(struct motions *m, const struct body_motion *body, const expr *rate) {
  struct kinematics *k = m->kinematics;
  struct expr_graph *graph = m->system->graph;
  vector_id a = with_rates(m, body->acceleration, body->partial_velocity, rate);
  vector_id alpha = with_rates(m, body->alpha, body->partial_omega, rate);
  vector_id spin = vector_cross(k, body->omega, times(m, body, body->omega));
  expr parts[3] = {body->only_turns ? expr_integer(graph, 0)
                                    : kinetic_of_translation(k, mass_of(m, body), a),
                   kinetic_of_rotation(k, model_body_of(m, body)->frame, body->inertia, alpha),
                   vector_dot(k, alpha, spin)};
  return expr_sum(graph, parts, 3);
}
