/* Partial velocities and accelerations of bodies, and what their inertia does.
 *
 *     v = sum_r v_r u_r + v_t,      ω = sum_r ω_r u_r + ω_t
 *     F*_r = -m a.v_r - (I.α + ω x I.ω).ω_r
 *     G = 1/2 m a.a + 1/2 α.I.α + α.(ω x I.ω)
 *
 * (Kane & Levinson, Dynamics: Theory and Applications, section 2.14 for partial velocities and 4.11
 * for inertia forces; Papastavridis, Analytical Mechanics, section 3.14, and Pars, A Treatise on
 * Analytical Dynamics, section 13.4, for the Gibbs function of a body.) With a = sum_r v_r u_r' +
 * a0 and α alike, a0 is the derivative of v(q, u, t) with the speeds held fixed.
 *
 * Velocities are written with speeds so that they stay short: a component that is a multiple of a
 * speed's definition becomes that multiple; only what is left is replaced by q' = W (u - b). The
 * angular velocity of a body is taken in the axes of its inertia, and its velocity there or part by
 * part, whichever is shorter.
 *
 * Needs: a checked model whose bodies are known, the system's speeds. No power of an energy is
 * taken: the result is independent of Lagrange's equations. */
#include "derive/motion.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

/* Products of partial velocities, of all bodies together; beyond, nobody has the time. */
enum { MOST_PRODUCTS = 100000 };

struct motion_basis {
  size_t n;
  expr *velocity;   /* n: symbols q' */
  expr *definition; /* n*n, row by row: u_r = definition q' + rest */
  expr *rest;       /* n */
  bool norms_are_plain;
  bool *is_plain;                   /* n: of speeds, that are a velocity of a coordinate */
  bool *is_own;                     /* n: of coordinates, whose velocity is a variable */
  struct expr_symbol_set *replaced; /* velocities that are no variables */
  struct expr_substitution *by_speeds, *at_rest;
  expr *row; /* n: scratch */
};

/* ---- the variables */

static void find_variables(struct motions *m) {
  struct motion_basis *b = m->basis;
  const struct system *s = m->system;
  bool has_speeds = s->state.kind == VARIABLES_SPEEDS;
  for (size_t r = 0; r < b->n; r++) {
    m->variable[r] = has_speeds ? s->state.symbol[r] : b->velocity[r];
    b->is_plain[r] = !has_speeds;
    b->is_own[r] = !has_speeds;
  }
  for (size_t r = 0; r < b->n && has_speeds; r++)
    for (size_t j = 0; j < b->n; j++) {
      if (s->state.value[r] != b->velocity[j] || s->state.velocity[j] != s->state.symbol[r])
        continue;
      m->variable[r] = b->velocity[j];
      b->is_plain[r] = b->is_own[j] = true;
    }
}

static void find_definitions(struct motions *m) {
  struct motion_basis *b = m->basis;
  const struct system *s = m->system;
  struct expr_substitution *plain = expr_substitution_new(s->graph);
  for (size_t r = 0; r < b->n; r++) {
    if (b->is_plain[r] || !expr_linear_parts(s->graph, s->state.value[r], b->velocity, b->n,
                                             b->definition + r * b->n, &b->rest[r])) {
      b->is_plain[r] = true; /* there is nothing to be recognised */
      continue;
    }
  }
  for (size_t r = 0; r < b->n && s->state.kind == VARIABLES_SPEEDS; r++)
    if (m->variable[r] != s->state.symbol[r])
      expr_substitution_add(plain, s->state.symbol[r], m->variable[r]);
  for (size_t j = 0; j < b->n; j++) {
    expr_substitution_add(b->at_rest, s->model->coordinates.items[j].acceleration,
                          expr_integer(s->graph, 0));
    if (b->is_own[j]) continue;
    expr_symbol_set_add(b->replaced, b->velocity[j]);
    expr_substitution_add(b->by_speeds, b->velocity[j],
                          expr_substitution_of(plain, s->state.velocity[j]));
  }
  expr_substitution_free(plain);
}

static struct motion_basis *basis_new(const struct system *system) {
  struct motion_basis *b = checked_calloc(1, sizeof *b);
  size_t n = b->n = system->n;
  b->velocity = checked_calloc(n + 1, sizeof(expr));
  b->definition = checked_calloc(n * n + 1, sizeof(expr));
  b->rest = checked_calloc(n + 1, sizeof(expr));
  b->row = checked_calloc(n + 1, sizeof(expr));
  b->is_plain = checked_calloc(n + 1, sizeof(bool));
  b->is_own = checked_calloc(n + 1, sizeof(bool));
  b->replaced = expr_symbol_set_new(system->graph);
  b->by_speeds = expr_substitution_new(system->graph);
  b->at_rest = expr_substitution_new(system->graph);
  for (size_t j = 0; j < n; j++) b->velocity[j] = system->model->coordinates.items[j].velocity;
  return b;
}

static void basis_free(struct motion_basis *b) {
  if (b == NULL) return;
  free(b->velocity);
  free(b->definition);
  free(b->rest);
  free(b->row);
  free(b->is_plain);
  free(b->is_own);
  expr_symbol_set_free(b->replaced);
  expr_substitution_free(b->by_speeds);
  expr_substitution_free(b->at_rest);
  free(b);
}

/* ---- velocities by the variables */

/* The number (free of velocities) by which the definition of speed r is to be taken: 0 if the
 * component's velocities, in b->row, are not a multiple of it besides variables. */
static expr multiple_of(const struct motions *m, size_t r) {
  const struct motion_basis *b = m->basis;
  struct expr_graph *graph = m->system->graph;
  const expr *definition = b->definition + r * b->n;
  expr ratio = 0;
  for (size_t j = 0; j < b->n; j++) {
    bool zero = expr_is_integer_value(graph, definition[j], 0);
    if (b->is_own[j] || (zero && expr_is_integer_value(graph, b->row[j], 0))) continue;
    if (zero) return 0;
    if (ratio == 0) ratio = expr_divide(graph, b->row[j], definition[j]);
    if (expr_multiply(graph, ratio, definition[j]) != b->row[j]) return 0;
  }
  return ratio != 0 && !expr_is_integer_value(graph, ratio, 0) ? ratio : 0;
}

/* ratio u_r, and what the component has besides. */
static expr rewrite(const struct motions *m, size_t r, expr ratio, expr rest) {
  const struct motion_basis *b = m->basis;
  struct expr_graph *graph = m->system->graph;
  expr *terms = checked_calloc(b->n + 2, sizeof(expr));
  for (size_t j = 0; j < b->n; j++) {
    expr known = expr_multiply(graph, ratio, b->definition[r * b->n + j]);
    expr left = b->is_own[j] ? expr_subtract(graph, b->row[j], known) : expr_integer(graph, 0);
    terms[j] = expr_multiply(graph, left, b->velocity[j]);
  }
  terms[b->n] = expr_multiply(graph, ratio, expr_subtract(graph, m->variable[r], b->rest[r]));
  terms[b->n + 1] = rest;
  expr sum = expr_sum(graph, terms, b->n + 2);
  free(terms);
  return sum;
}

static expr express(void *user, expr e) {
  const struct motions *m = user;
  const struct motion_basis *b = m->basis;
  expr rest;
  if (!expr_symbol_set_touches(b->replaced, e)) return e;
  bool linear = expr_linear_parts(m->system->graph, e, b->velocity, b->n, b->row, &rest);
  for (size_t r = 0; r < b->n && linear; r++) {
    expr ratio = b->is_plain[r] ? 0 : multiple_of(m, r);
    if (ratio != 0) return rewrite(m, r, ratio, rest);
  }
  return expr_substitution_of(b->by_speeds, e);
}

vector_id motions_express(struct motions *m, vector_id v) {
  return vector_map(m->kinematics, v, express, m);
}

static expr slope(void *user, expr e) {
  return expr_tangent_of(user, e);
}

void motions_partials(struct motions *m, vector_id v, vector_id *partials) {
  struct expr_graph *graph = m->system->graph;
  for (uint32_t r = 0; r < m->n; r++) {
    struct expr_tangent *tangent = expr_tangent_new(graph);
    expr_tangent_seed(tangent, m->variable[r], expr_integer(graph, 1));
    partials[r] = vector_map(m->kinematics, v, slope, tangent);
    expr_tangent_free(tangent);
  }
}

static expr stop(void *user, expr e) {
  return expr_substitution_of(user, e);
}

/* The derivative in world with the variables held fixed. */
static vector_id derive_at_rest(struct motions *m, vector_id v) {
  return vector_map(m->kinematics, vector_derivative(m->kinematics, v, FRAME_WORLD), stop,
                    m->basis->at_rest);
}

/* ---- bodies */

static uint32_t size_of(struct motions *m, vector_id v) {
  uint32_t count = vector_part_count(m->kinematics, v);
  expr *items = checked_calloc(3 * (size_t)count + 1, sizeof(expr));
  for (uint32_t i = 0; i < count; i++) vector_part(m->kinematics, v, i, items + 3 * (size_t)i);
  uint32_t size = expr_reachable_count(m->system->graph, items, 3 * (size_t)count);
  free(items);
  return size;
}

/* v by the variables: part by part, or in the frame, whichever is shorter. Where all variables are
 * velocities of coordinates, parts are. */
static vector_id express_shorter(struct motions *m, vector_id v, frame_id frame) {
  struct kinematics *k = m->kinematics;
  bool is_plain = true;
  for (size_t j = 0; j < m->n; j++) is_plain = is_plain && m->basis->is_own[j];
  vector_id by_parts = motions_express(m, v);
  if (is_plain || v == VECTOR_ZERO) return by_parts;
  expr c[3];
  vector_components(k, v, frame, c);
  vector_id whole = motions_express(m, vector_in(k, frame, c));
  return size_of(m, whole) < size_of(m, by_parts) ? whole : by_parts;
}

static struct body_motion motion_of(struct motions *m, uint32_t index) {
  const struct model_body *body = &m->system->model->bodies.items[index];
  struct body_motion motion = {.body = index, .only_turns = body->is_pivoted};
  motion.inertia = body->is_pivoted ? body->pivot_inertia : body->inertia;
  frame_id frame = inertia_frame(m->kinematics, body->frame, motion.inertia);
  motion.velocity = express_shorter(m, body->velocity, frame);
  motion.omega = express_shorter(m, body->omega, frame);
  motion.partial_velocity = checked_calloc(2 * (size_t)m->n + 1, sizeof(vector_id));
  motion.partial_omega = motion.partial_velocity + m->n;
  motions_partials(m, motion.velocity, motion.partial_velocity);
  motions_partials(m, motion.omega, motion.partial_omega);
  motion.acceleration = derive_at_rest(m, motion.velocity);
  motion.alpha = derive_at_rest(m, motion.omega);
  return motion;
}

/* Rates of states and derivatives of inputs would come in. */
static bool moves_by_coordinates(struct motions *m, const struct model_body *body) {
  const struct model *model = m->system->model;
  if (!m->basis->norms_are_plain) return false;
  if (model->states.count + model->inputs.count == 0) return true;
  expr c[6];
  bool touches = false;
  struct expr_symbol_set *set = expr_symbol_set_new(model->graph);
  for (uint32_t i = 0; i < model->states.count; i++) {
    expr_symbol_set_add(set, model->states.items[i].value);
    expr_symbol_set_add(set, model->states.items[i].derivative);
  }
  for (uint32_t i = 0; i < model->inputs.count; i++)
    expr_symbol_set_add(set, model->inputs.items[i].symbol);
  vector_components(m->kinematics, body->velocity, FRAME_WORLD, c);
  vector_components(m->kinematics, body->omega, FRAME_WORLD, c + 3);
  for (int i = 0; i < 6; i++) touches = touches || expr_symbol_set_touches(set, c[i]);
  expr_symbol_set_free(set);
  return !touches;
}

static size_t count_products(const struct body_motion *motion, uint32_t n) {
  size_t moving = 0;
  for (uint32_t r = 0; r < 2 * n; r++) moving += motion->partial_velocity[r] != VECTOR_ZERO;
  return moving * moving;
}

struct motions motions_of(const struct system *system) {
  struct motions m = {.system = system, .kinematics = system->model->kinematics, .n = system->n};
  uint32_t bodies = system->model->bodies.count;
  size_t products = 0;
  m.is_derived = checked_calloc((size_t)bodies + 1, sizeof(bool));
  m.variable = checked_calloc((size_t)m.n + 1, sizeof(expr));
  m.basis = basis_new(system);
  find_variables(&m);
  find_definitions(&m);
  m.basis->norms_are_plain = bodies == 0 || motions_norms_are_plain(system);
  for (uint32_t i = 0; i < bodies && products <= MOST_PRODUCTS; i++) {
    if (!moves_by_coordinates(&m, &system->model->bodies.items[i])) continue;
    struct body_motion motion = motion_of(&m, i);
    vector_push(&m.bodies, motion);
    products += count_products(&motion, m.n);
    m.is_derived[i] = true;
  }
  if (products <= MOST_PRODUCTS) return m;
  for (uint32_t i = 0; i < m.bodies.count; i++) free(m.bodies.items[i].partial_velocity);
  m.bodies.count = 0;
  memset(m.is_derived, 0, bodies * sizeof *m.is_derived);
  return m;
}

void motions_clear(struct motions *m) {
  for (uint32_t i = 0; i < m->bodies.count; i++) free(m->bodies.items[i].partial_velocity);
  vector_free(&m->bodies);
  free(m->variable);
  free(m->is_derived);
  basis_free(m->basis);
  *m = (struct motions){0};
}
