/* The multiplier of the norm of Euler parameters, e.e = 1.
 *
 * The angular velocity 2 (e0 e' - e0' e + e x e') does not see a change of the norm: its partial
 * derivatives by e' vanish in the direction of e, and so do the inertia forces of bodies there.
 * Lagrange's equations treat T as a function of four free parameters and have a term along e; on
 * the constraint it is borne by the multiplier of the norm, which has no mechanical meaning, and
 * moves nothing. For the multiplier to be one number by all methods, the term is added to the
 * others:
 *
 *     h_Lagrange - h_bodies = 2 c e,      c = e.(h_Lagrange - h_bodies) / (2 e.e)
 *
 * (Nikravesh, Computer-Aided Analysis of Mechanical Systems, sections 6.4 and 11.2, has the
 * equations of motion in Euler parameters with this multiplier.) */
#include "derive/motion.h"
#include "derive/quadratic_form.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

/* The coordinate that e is; n: none. */
static uint32_t coordinate_of(const struct system *system, expr e) {
  uint32_t j = 0;
  while (j < system->n && system->model->coordinates.items[j].position != e) j++;
  return j;
}

static expr square_of(struct expr_graph *graph, const expr e[4]) {
  expr squares[4];
  for (int i = 0; i < 4; i++) squares[i] = expr_multiply(graph, e[i], e[i]);
  return expr_sum(graph, squares, 4);
}

static bool are_coordinates(const struct system *system, const expr e[4], uint32_t coordinates[4]) {
  bool all = true;
  for (int i = 0; i < 4; i++) {
    coordinates[i] = coordinate_of(system, e[i]);
    all = all && coordinates[i] < system->n;
  }
  return all;
}

bool motions_norms_are_plain(const struct system *system) {
  const struct kinematics *k = system->model->kinematics;
  expr e[4];
  uint32_t coordinates[4];
  for (frame_id f = FRAME_WORLD; f <= frame_last(k); f++)
    if (frame_parameters(k, f, e) && !are_coordinates(system, e, coordinates) &&
        !expr_is_integer_value(system->graph, square_of(system->graph, e), 1))
      return false;
  return true;
}

/* Two frames may be turned by the same parameters. */
static bool is_repeated(const struct kinematics *k, frame_id f, const expr e[4]) {
  expr other[4];
  for (frame_id g = FRAME_WORLD; g < f; g++)
    if (frame_parameters(k, g, other) && other[0] == e[0] && other[1] == e[1] && other[2] == e[2] &&
        other[3] == e[3])
      return true;
  return false;
}

/* e.h of the bodies: the speeds that change with the norm alone, times their inertia forces. */
static expr along_norm(const struct motions *m, const expr e[4], const uint32_t coordinates[4],
                       const expr *rest) {
  const struct system *s = m->system;
  bool has_speeds = s->state.kind == VARIABLES_SPEEDS;
  expr *terms = checked_calloc((size_t)m->n + 1, sizeof(expr));
  for (uint32_t r = 0; r < m->n; r++) {
    struct expr_tangent *tangent = expr_tangent_new(s->graph);
    for (int i = 0; i < 4; i++)
      expr_tangent_seed(tangent, s->model->coordinates.items[coordinates[i]].velocity, e[i]);
    expr value = has_speeds ? s->state.value[r] : s->model->coordinates.items[r].velocity;
    terms[r] = expr_multiply(s->graph, expr_tangent_of(tangent, value), rest[r]);
    expr_tangent_free(tangent);
  }
  expr sum = expr_sum(s->graph, terms, m->n);
  free(terms);
  return sum;
}

/* 2 c of one set of parameters, in the shorter of two forms. */
static expr factor_of(const struct motions *m, const expr e[4], const uint32_t coordinates[4],
                      const expr *inertial, const expr *rest) {
  const struct system *s = m->system;
  expr terms[5], *w = checked_calloc((size_t)m->n + 1, sizeof(expr));
  for (int i = 0; i < 4; i++) terms[i] = expr_multiply(s->graph, e[i], inertial[coordinates[i]]);
  terms[4] = expr_negate(s->graph, along_norm(m, e, coordinates, rest));
  for (uint32_t j = 0; j < m->n; j++) w[j] = s->model->coordinates.items[j].velocity;
  expr sum = expr_sum(s->graph, terms, 5), form = quadratic_form_of(s->graph, sum, w, m->n);
  if (form != 0 &&
      expr_reachable_count(s->graph, &form, 1) < expr_reachable_count(s->graph, &sum, 1))
    sum = form;
  free(w);
  return expr_divide(s->graph, sum, square_of(s->graph, e));
}

bool motions_norm_terms(const struct motions *m, const expr *left, const expr *rest, expr *out) {
  expr e[4];
  uint32_t c[4];
  bool any = false;
  struct expr_graph *graph = m->system->graph;
  expr *inertial = checked_calloc((size_t)m->n + 1, sizeof(expr));
  for (uint32_t j = 0; j < m->n; j++) {
    inertial[j] = expr_subtract(graph, m->system->inertial[j], left[j]);
    out[j] = expr_integer(graph, 0);
  }
  frame_id last = m->bodies.count > 0 ? frame_last(m->kinematics) : 0;
  for (frame_id f = FRAME_WORLD; f <= last; f++) {
    if (!frame_parameters(m->kinematics, f, e) || !are_coordinates(m->system, e, c) ||
        is_repeated(m->kinematics, f, e))
      continue;
    expr factor = factor_of(m, e, c, inertial, rest);
    for (int i = 0; i < 4; i++)
      out[c[i]] = expr_add(graph, out[c[i]], expr_multiply(graph, factor, e[i]));
    any = true;
  }
  free(inertial);
  return any;
}

void motions_take_norms(const struct motions *m, const struct speed_relations *relations,
                        const expr *left, const expr *rest) {
  struct system *s = relations->system;
  size_t n = m->n;
  expr *terms = checked_calloc(2 * n + 1, sizeof(expr)), *projected = terms + n;
  if (motions_norm_terms(m, left, rest, terms)) {
    speeds_project(relations, terms, projected);
    for (size_t r = 0; r < n; r++)
      s->state.forcing[r] = expr_subtract(s->graph, s->state.forcing[r], projected[r]);
  }
  free(terms);
}
