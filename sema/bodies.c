/* What particles and bodies put into the model: themselves, their kinetic energies
 * 1/2 m v.v + 1/2 omega.I.omega (König's theorem; Goldstein, Classical Mechanics, 3rd ed., sections
 * 1.2 and 5.3), or 1/2 omega.I_O.omega where the inertia is about a point O at rest, and for each
 * gravity statement the potential -m g.(G - origin). */
#include "sema/analysis.h"

static void add_energy(struct analysis *a, enum energy_kind kind, uint32_t body, expr value,
                       struct span span) {
  if (value == 0 || expr_is_integer_value(a->l->graph, value, 0)) return;
  struct model_energy energy = {kind, a->model->bodies.items[body].name, value, span, body + 1};
  vector_push(&a->model->energies, energy);
}

/* Places do not depend on velocities: kinetic energies would on accelerations. */
static bool check_place(struct analysis *a, const struct job *job, const struct model_body *body,
                        expr energy) {
  ast_expr at = scope_body_argument(job->environment.text->ast, job->statement, BODY_AT);
  ast_expr frame = scope_body_argument(job->environment.text->ast, job->statement, BODY_FRAME);
  const char *what = lower_words(a->l, "the kinetic energy of '%s'", body->name);
  expr components[3];
  bool is_place = false;
  vector_components(a->model->kinematics, body->velocity, FRAME_WORLD, components);
  for (int i = 0; i < 3; i++)
    is_place = is_place || find_other_role(a->l, components[i], ~role_bit(ROLE_ACCELERATION)) != 0;
  return check_statement_roles(a, job, is_place || frame == 0 ? at : frame, energy,
                               role_bit(ROLE_ACCELERATION), DIAG_ENERGY_OF_ACCELERATIONS, what);
}

/* About a point at rest, the body only turns. One moment of inertia, about z, tells no more than
 * where z is the axis of the turn. */
static bool only_turns(struct analysis *a, const struct model_body *body,
                       const struct body_value *from) {
  struct kinematics *k = a->model->kinematics;
  expr turn[3];
  if (from->about == 0 || !lower_has_rate(a->l, from->about, FRAME_WORLD)) return false;
  if (vector_derivative(k, from->about, FRAME_WORLD) != VECTOR_ZERO) return false;
  vector_components(k, body->omega, body->frame, turn);
  return !body->is_planar || (lower_is_zero(a->l, turn[0]) && lower_is_zero(a->l, turn[1]));
}

static expr kinetic_energy(struct analysis *a, const struct model_body *body) {
  struct kinematics *k = a->model->kinematics;
  if (body->is_pivoted)
    return kinetic_of_rotation(k, body->frame, body->pivot_inertia, body->omega);
  return expr_add(a->l->graph, kinetic_of_translation(k, body->mass, body->velocity),
                  kinetic_of_rotation(k, body->frame, body->inertia, body->omega));
}

void lower_body(struct analysis *a, const struct job *job) {
  any_value v = lower_element(a->l, job->element);
  if (v == 0) return;
  lower_kinematics(a->l);
  struct body_value from = a->l->bodies.items[value_id(v)];
  const struct element *element = &a->l->elements.items[job->element];
  struct model_body body = {.name = element->name,
                            .doc = element->item->doc != NULL ? element->item->doc : "",
                            .span = element->item->name_span,
                            .is_particle = from.is_particle,
                            .is_planar = from.is_planar,
                            .is_shifted = from.about != 0,
                            .mass = from.mass,
                            .centre = from.at,
                            .frame = a->l->frames.items[from.frame].frame,
                            .mass_span = from.spans[BODY_MASS],
                            .inertia_span = from.spans[BODY_INERTIA]};
  for (int i = 0; i < 6; i++) body.inertia[i] = from.tensor[i];
  body.velocity =
      lower_vector_rate(a->l, job->environment, from.spans[BODY_AT], body.centre, FRAME_WORLD);
  body.omega = from.is_particle ? VECTOR_ZERO
                                : lower_omega(a->l, job->environment, from.spans[BODY_FRAME],
                                              body.frame, FRAME_WORLD);
  if (body.velocity == 0 || body.omega == 0) return;
  body.is_pivoted = only_turns(a, &body, &from);
  for (int i = 0; i < 6 && body.is_pivoted; i++) body.pivot_inertia[i] = from.given[i];
  expr energy = kinetic_energy(a, &body);
  if (!check_place(a, job, &body, energy)) return;
  vector_push(&a->model->bodies, body);
  add_energy(a, ENERGY_KINETIC, a->model->bodies.count - 1, energy, job->statement->span);
}

/* ---------------------------------------------------------------- gravity */

/* A Lagrangian is refused next to gravity anyway. */
static bool has_bodies(const struct analysis *a) {
  for (uint32_t i = 0; i < a->jobs.count; i++) {
    enum ast_statement_kind kind = a->jobs.items[i].statement->kind;
    if (kind == AST_PARTICLE || kind == AST_BODY || kind == AST_LAGRANGIAN) return true;
  }
  return false;
}

/* The same everywhere in world; it may change in time. */
static bool check_uniform(struct analysis *a, const struct job *job, vector_id gravity) {
  const role_set allowed = role_bit(ROLE_PARAMETER) | role_bit(ROLE_TIME) | role_bit(ROLE_INPUT);
  expr components[3], found = 0;
  vector_components(a->model->kinematics, gravity, FRAME_WORLD, components);
  for (int i = 0; i < 3 && found == 0; i++) found = find_other_role(a->l, components[i], allowed);
  if (found == 0) return true;
  struct diagnostic *d =
      lower_report(a->l, job->environment, DIAG_GRAVITY_NOT_UNIFORM,
                   ast_expression(job->environment.text->ast, job->statement->value)->span,
                   lower_words(a->l, "the %s", role_words(a->l, found)), NULL, NULL);
  if (d != NULL)
    diagnostic_help(a->context, d, "write other fields as forces at the bodies: force ... at P");
  return false;
}

/* Two gravities that are the same are more likely one that was written twice. `seen`: their
 * components -> the first job that has them, counted from 1. */
static void compare_gravity(struct analysis *a, struct map *seen, uint32_t job, vector_id gravity) {
  expr c[3];
  vector_components(lower_kinematics(a->l), gravity, FRAME_WORLD, c);
  uint64_t key = hash_mix(c[0] + hash_mix(c[1] + hash_mix(c[2])));
  uint32_t first = map_get(seen, key);
  if (first == 0) {
    map_set(seen, key, job + 1);
    return;
  }
  struct diagnostic *d =
      diagnostic_add(a->context, DIAG_WEIGHT_TWICE, a->jobs.items[job].statement->span,
                     "this gravity", "another one", NULL);
  diagnostic_label(a->context, d, a->jobs.items[first - 1].statement->span, "the first one");
  diagnostic_help(a->context, d,
                  "gravity acts on all masses of the model, wherever it stands: state it once");
}

static void lower_gravity(struct analysis *a, struct map *seen, uint32_t index) {
  const struct job *job = &a->jobs.items[index];
  ast_expr e = job->statement->value;
  vector_id gravity =
      lower_to_vector(a->l, job->environment, e, lower_value(a->l, job->environment, e), "gravity");
  if (gravity == 0) return;
  struct kinematics *k = lower_kinematics(a->l);
  if (!check_uniform(a, job, gravity)) return;
  compare_gravity(a, seen, index, gravity);
  if (!has_bodies(a)) {
    struct diagnostic *d =
        diagnostic_add(a->context, DIAG_GRAVITY_WITHOUT_BODY, job->statement->span, NULL);
    diagnostic_help(a->context, d,
                    "energies that are stated as such have no mass that it could act on: write "
                    "their 'potential'");
  }
  for (uint32_t i = 0; i < a->model->bodies.count; i++) {
    const struct model_body *body = &a->model->bodies.items[i];
    expr work = vector_part_count(k, gravity) == 1 ? lower_dot_by_parts(a->l, body->centre, gravity)
                                                   : vector_dot(k, gravity, body->centre);
    expr potential = expr_negate(a->l->graph, expr_multiply(a->l->graph, body->mass, work));
    add_energy(a, ENERGY_POTENTIAL, i, potential, job->statement->span);
  }
}

void lower_gravities(struct analysis *a) {
  struct map seen = {0};
  for (uint32_t i = 0; i < a->jobs.count && !lower_is_exhausted(a->l); i++)
    if (a->jobs.items[i].statement->kind == AST_GRAVITY) lower_gravity(a, &seen, i);
  map_free(&seen);
}

/* ---------------------------------------------------------------- Euler parameters */

static bool is_zero_start(const struct analysis *a, expr parameter, uint32_t *coordinate) {
  uint32_t role = map_get(&a->l->roles, parameter);
  if (role % ROLE_COUNT != ROLE_POSITION) return false;
  *coordinate = a->l->elements.items[role / ROLE_COUNT].index;
  expr start = a->model->coordinates.items[*coordinate].start_position;
  return start != 0 && expr_is_integer_value(a->l->graph, start, 0);
}

/* A frame that is started nowhere is not turned. */
void start_frames(struct analysis *a) {
  for (uint32_t i = 1; i < a->l->frames.count; i++) {
    const expr *parameters = a->l->frames.items[i].parameters;
    uint32_t coordinates[4];
    bool is_zero = parameters != NULL;
    for (int j = 0; j < 4 && is_zero; j++)
      is_zero = is_zero_start(a, parameters[j], &coordinates[j]);
    if (is_zero)
      a->model->coordinates.items[coordinates[0]].start_position = expr_integer(a->l->graph, 1);
  }
}
