/* The linear forms on which inertia and forces act (recursion.h).
 *
 * With T = 1/2 sum I_ab s_a s_b, the s_a linear in q' and the I_ab constant,
 *
 *     d/dt dT/dq'_i - dT/dq_i = sum_ab I_ab (s_a)' ds_b/dq'_i + sum_ab I_ab s_a (d/dt ds_b/dq'_i -
 * ds_b/dq_i),
 *
 * and the last bracket vanishes where s_b is the rate of a function of q and t (Whittaker,
 * Analytical Dynamics, 4th ed., section 26). So it is for the components of a velocity in world;
 * squares in stated energies are looked at one by one. The turning of a body has no such
 * components: there Euler's equations stand, I ω' + ω x I ω on the forms of ω (Kane & Levinson,
 * Dynamics: Theory and Applications, section 4.11), which are the same as Lagrange's but for Euler
 * parameters.
 *
 * A potential, or a force F on e(q, t), acts on the form dV or de with -1 or F: virtual power. */
#include "derive/recursion_forms.h"
#include "base/map.h"
#include "sema/model.h"
#include <string.h>

struct finder {
  struct model *model;
  struct expr_graph *graph;
  struct recursion_forms *out;
  struct map form_of;              /* linear form -> 1 + index */
  struct map good;                 /* nodes that forms may be made of */
  struct expr_tangent *move;       /* q by q'': virtual displacements */
  struct expr_tangent *push;       /* q' by q'' */
  struct expr_tangent *along;      /* by time, without q'' */
  struct expr_symbol_set *rates;   /* q' */
  struct expr_symbol_set *motions; /* q'' */
  struct expr_symbol_set *acting;  /* q'', z', λ: what no force may hold */
  struct expr_symbol_set *foreign; /* z, z', u: what no velocity may hold */
  struct expr_symbol_set *moving;  /* q, q', t and all of those: what no mass may hold */
};

static void finder_init(struct finder *f, struct model *model, struct recursion_forms *out) {
  struct expr_graph *graph = model->graph;
  *f = (struct finder){.model = model, .graph = graph, .out = out};
  f->move = expr_tangent_new(graph);
  f->push = expr_tangent_new(graph);
  f->along = expr_tangent_new(graph);
  f->rates = expr_symbol_set_new(graph);
  f->motions = expr_symbol_set_new(graph);
  f->acting = expr_symbol_set_new(graph);
  f->foreign = expr_symbol_set_new(graph);
  f->moving = expr_symbol_set_new(graph);
  for (uint32_t j = 0; j < model->coordinates.count; j++) {
    const struct model_coordinate *q = &model->coordinates.items[j];
    expr_tangent_seed(f->move, q->position, q->acceleration);
    expr_tangent_seed(f->push, q->velocity, q->acceleration);
    expr_tangent_seed(f->along, q->position, q->velocity);
    expr_symbol_set_add(f->rates, q->velocity);
    expr_symbol_set_add(f->motions, q->acceleration);
    expr_symbol_set_add(f->acting, q->acceleration);
    expr_symbol_set_add(f->moving, q->position);
    expr_symbol_set_add(f->moving, q->velocity);
    expr_symbol_set_add(f->moving, q->acceleration);
  }
  expr_tangent_seed(f->along, model->time, expr_integer(graph, 1));
  expr_symbol_set_add(f->moving, model->time);
  for (uint32_t k = 0; k < model->states.count; k++) {
    expr_symbol_set_add(f->foreign, model->states.items[k].value);
    expr_symbol_set_add(f->foreign, model->states.items[k].derivative);
    expr_symbol_set_add(f->acting, model->states.items[k].derivative);
    expr_symbol_set_add(f->moving, model->states.items[k].value);
  }
  for (uint32_t k = 0; k < model->inputs.count; k++) {
    expr_symbol_set_add(f->foreign, model->inputs.items[k].symbol);
    expr_symbol_set_add(f->moving, model->inputs.items[k].symbol);
  }
}

static void finder_clear(struct finder *f) {
  map_free(&f->form_of);
  map_free(&f->good);
  expr_tangent_free(f->move);
  expr_tangent_free(f->push);
  expr_tangent_free(f->along);
  expr_symbol_set_free(f->rates);
  expr_symbol_set_free(f->motions);
  expr_symbol_set_free(f->acting);
  expr_symbol_set_free(f->foreign);
  expr_symbol_set_free(f->moving);
}

static bool is_zero(const struct finder *f, expr e) {
  return expr_is_integer_value(f->graph, e, 0);
}

/* 1 + its index; 0 for the form that vanishes. */
static uint32_t form_of(struct finder *f, expr linear) {
  if (is_zero(f, linear)) return 0;
  uint32_t found = map_get(&f->form_of, linear);
  if (found != 0) return found;
  vector_push(&f->out->forms, ((struct recursion_form){linear, expr_integer(f->graph, 0)}));
  map_set(&f->form_of, linear, f->out->forms.count);
  return f->out->forms.count;
}

static void add_force(struct finder *f, uint32_t form, expr force) {
  if (form == 0) return;
  struct recursion_form *at = &f->out->forms.items[form - 1];
  at->force = expr_add(f->graph, at->force, force);
}

/* ---- forces: on what is moved */

/* Is the linear expression a graph of sums and products? */
static bool is_plain(struct finder *f, expr linear) {
  struct expr_list stack = {0};
  bool ok = true;
  vector_push(&stack, linear);
  while (stack.count > 0 && ok) {
    expr e = vector_pop(&stack);
    if (map_get(&f->good, e) != 0) continue;
    map_set(&f->good, e, 1);
    uint32_t count;
    const struct expr_operand *operands = expr_operands(f->graph, e, &count);
    enum expr_operator kind = expr_operator_of(f->graph, e);
    ok = kind == EXPR_SUM || kind == EXPR_PRODUCT || kind == EXPR_SYMBOL;
    for (uint32_t k = 0; k < count && ok; k++)
      if (expr_symbol_set_touches(f->motions, operands[k].node))
        vector_push(&stack, operands[k].node);
  }
  if (!ok) map_free(&f->good); /* nodes above the wrong one stand in it */
  vector_free(&stack);
  return ok;
}

/* A force on e(q, t), or by speed on e(q', ...). The form is that of all coordinates; where a
 * choice stands in it (if, min, max), each coordinate that e depends on has its own. */
static void add_virtual(struct finder *f, bool by_speed, expr e, expr force) {
  const struct model *model = f->model;
  expr linear = expr_tangent_of(by_speed ? f->push : f->move, e);
  if (is_plain(f, linear)) {
    add_force(f, form_of(f, linear), force);
    return;
  }
  struct expr_list symbols = {0};
  struct map coordinate_of = {0};
  for (uint32_t j = 0; j < model->coordinates.count; j++) {
    const struct model_coordinate *q = &model->coordinates.items[j];
    map_set(&coordinate_of, by_speed ? q->velocity : q->position, j + 1);
  }
  expr_symbols_of(f->graph, &e, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++) {
    uint32_t j = map_get(&coordinate_of, symbols.items[i]);
    if (j == 0) continue;
    expr slope = expr_derivative(f->graph, e, symbols.items[i]);
    add_force(f, form_of(f, model->coordinates.items[j - 1].acceleration),
              expr_multiply(f->graph, force, slope));
  }
  map_free(&coordinate_of);
  vector_free(&symbols);
}

/* ---- masses */

struct speed { /* a quantity linear in q' */
  uint32_t form;
  expr rate; /* by time, without q'' */
};

/* False if it is not linear in q', or holds what it must not. */
static bool speed_of(struct finder *f, expr value, struct speed *out) {
  if (expr_symbol_set_touches(f->foreign, value) || expr_symbol_set_touches(f->acting, value))
    return false;
  expr linear = expr_tangent_of(f->push, value);
  if (expr_symbol_set_touches(f->rates, linear)) return false;
  *out = (struct speed){form_of(f, linear), expr_tangent_of(f->along, value)};
  return true;
}

/* Does it vary as the rate of a function of q and t does: δ(s) = d/dt (ds/dq' δq) for fixed δq? */
static bool is_rate(struct finder *f, expr value) {
  return expr_tangent_of(f->move, value) ==
         expr_tangent_of(f->along, expr_tangent_of(f->push, value));
}

/* I s_a s_b of T, or I/2 s_a^2. */
static void add_inertia(struct finder *f, struct speed a, struct speed b, bool is_square,
                        expr inertia) {
  expr minus = expr_negate(f->graph, inertia);
  if (is_zero(f, inertia)) return;
  add_force(f, a.form, expr_multiply(f->graph, minus, b.rate));
  if (!is_square) add_force(f, b.form, expr_multiply(f->graph, minus, a.rate));
  if (a.form == 0 || b.form == 0) return;
  if (a.form == b.form && !is_square) /* s_a and s_b differ by what is given */
    inertia = expr_multiply(f->graph, inertia, expr_integer(f->graph, 2));
  bool is_less = a.form < b.form;
  struct recursion_inertia item = {(is_less ? a.form : b.form) - 1, (is_less ? b.form : a.form) - 1,
                                   inertia};
  vector_push(&f->out->inertias, item);
}

static bool add_translation(struct finder *f, const struct model_body *body) {
  struct kinematics *k = f->model->kinematics;
  uint32_t parts = vector_part_count(k, body->velocity);
  expr *terms = checked_calloc(9 * (size_t)parts + 1, sizeof *terms);
  for (uint32_t i = 0; i < parts; i++) {
    expr c[3], rotation[9];
    frame_rotation(k, vector_part(k, body->velocity, i, c), FRAME_WORLD, rotation);
    for (size_t row = 0; row < 3; row++)
      for (size_t j = 0; j < 3; j++)
        terms[3 * (row * parts + i) + j] = expr_multiply(f->graph, rotation[row + 3 * j], c[j]);
  }
  bool ok = !expr_symbol_set_touches(f->moving, body->mass);
  for (size_t row = 0; row < 3 && ok; row++) {
    struct speed speed;
    expr component = expr_sum(f->graph, terms + 3 * row * parts, 3 * (size_t)parts);
    ok = speed_of(f, component, &speed);
    if (ok) add_inertia(f, speed, speed, true, body->mass);
  }
  free(terms);
  return ok;
}

/* ω_f x (I ω) taken off the forms of ω, in the axes of the frame f where I is constant. */
static void add_gyroscopic(struct finder *f, const struct speed *speeds, const expr *momentum,
                           const expr *turning) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    expr torque = expr_subtract(f->graph, expr_multiply(f->graph, turning[k], momentum[j]),
                                expr_multiply(f->graph, turning[j], momentum[k]));
    add_force(f, speeds[i].form, torque);
  }
}

static bool add_rotation(struct finder *f, const struct model_body *body) {
  static const uint8_t place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  struct kinematics *k = f->model->kinematics;
  frame_id frame = inertia_frame(k, body->frame, body->inertia);
  expr omega[3], turning[3], momentum[3], row[3];
  struct speed speeds[3];
  vector_components(k, body->omega, frame, omega);
  vector_components(k, frame_omega(k, frame, FRAME_WORLD), frame, turning);
  for (int i = 0; i < 6; i++)
    if (expr_symbol_set_touches(f->moving, body->inertia[i])) return false;
  for (int i = 0; i < 3; i++)
    if (!speed_of(f, omega[i], &speeds[i])) return false;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      row[j] = expr_multiply(f->graph, body->inertia[place[i][j]], omega[j]);
    momentum[i] = expr_sum(f->graph, row, 3);
    for (int j = i; j < 3; j++)
      add_inertia(f, speeds[i], speeds[j], i == j, body->inertia[place[i][j]]);
  }
  add_gyroscopic(f, speeds, momentum, turning);
  return true;
}

static bool has_euler_parameters(const struct model *model) {
  expr parameters[4];
  if (model->kinematics == NULL) return false;
  for (frame_id frame = FRAME_WORLD; frame <= frame_last(model->kinematics); frame++)
    if (frame_parameters(model->kinematics, frame, parameters)) return true;
  return false;
}

static bool add_bodies(struct finder *f) {
  if (has_euler_parameters(f->model)) return false;
  for (uint32_t i = 0; i < f->model->bodies.count; i++) {
    const struct model_body *body = &f->model->bodies.items[i];
    if (!add_translation(f, body)) return false;
    if (!body->is_particle && !add_rotation(f, body)) return false;
  }
  return true;
}

/* ---- stated kinetic energies: sums of squares and products of rates */

struct scaled {
  expr value, scale;
};
typedef VECTOR(struct scaled) scaled_list;

static void push_terms(struct finder *f, expr sum, expr scale, scaled_list *left) {
  uint32_t count;
  (void)expr_operands(f->graph, sum, &count);
  for (uint32_t i = 0; i < count; i++) { /* constructors move the operands */
    struct expr_operand operand = expr_operands(f->graph, sum, &count)[i];
    expr number = expr_rational(f->graph, expr_pool_number(f->graph, operand.number));
    vector_push(left, ((struct scaled){operand.node, expr_multiply(f->graph, scale, number)}));
  }
  expr constant = expr_rational(f->graph, expr_constant(f->graph, sum));
  vector_push(left, ((struct scaled){constant, scale}));
}

/* Factors of a product that hold velocities: at most two, with their powers. */
static bool split_product(struct finder *f, expr product, expr factors[2], double powers[2],
                          uint32_t *count) {
  uint32_t operand_count;
  const struct expr_operand *operands = expr_operands(f->graph, product, &operand_count);
  *count = 0;
  for (uint32_t i = 0; i < operand_count; i++) {
    if (!expr_symbol_set_touches(f->rates, operands[i].node)) continue;
    if (*count == 2) return false;
    factors[*count] = operands[i].node;
    powers[(*count)++] = expr_pool_double(f->graph, operands[i].number);
  }
  return true;
}

static bool add_product(struct finder *f, struct scaled term, scaled_list *left) {
  expr factors[2] = {0}, rest = term.value;
  double powers[2];
  uint32_t count;
  struct speed speeds[2];
  if (!split_product(f, term.value, factors, powers, &count)) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (powers[i] != 1 && powers[i] != 2) return false;
    expr power = expr_power_ratio(f->graph, factors[i], (long)powers[i], 1);
    rest = expr_divide(f->graph, rest, power);
  }
  expr scale = expr_multiply(f->graph, term.scale, rest);
  if (count == 1 && powers[0] == 1) {
    if (expr_operator_of(f->graph, factors[0]) != EXPR_SUM) return false;
    push_terms(f, factors[0], scale, left);
    return true;
  }
  bool is_square = count == 1;
  if (!is_square && (powers[0] != 1 || powers[1] != 1)) return false;
  if (expr_symbol_set_touches(f->moving, scale)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!speed_of(f, factors[i], &speeds[i]) || !is_rate(f, factors[i])) return false;
  if (is_square) scale = expr_multiply(f->graph, scale, expr_integer(f->graph, 2));
  add_inertia(f, speeds[0], speeds[is_square ? 0 : 1], is_square, scale);
  return true;
}

static bool add_potential(struct finder *f, expr value, long sign) {
  if (expr_symbol_set_touches(f->rates, value) || expr_symbol_set_touches(f->acting, value))
    return false;
  add_virtual(f, false, value, expr_integer(f->graph, sign));
  return true;
}

/* Products are multiplied out term by term, which has no end in sums of sums of sums. */
enum { MOST_TERMS = 50000 };

static bool add_kinetic(struct finder *f, expr energy) {
  scaled_list left = {0};
  bool ok = true;
  vector_push(&left, ((struct scaled){energy, expr_integer(f->graph, 1)}));
  for (uint32_t taken = 0; left.count > 0 && ok; taken++) {
    struct scaled term = vector_pop(&left);
    if (taken + left.count > MOST_TERMS)
      ok = false;
    else if (!expr_symbol_set_touches(f->rates, term.value))
      ok = add_potential(f, expr_multiply(f->graph, term.scale, term.value), 1);
    else if (expr_operator_of(f->graph, term.value) == EXPR_SUM)
      push_terms(f, term.value, term.scale, &left);
    else
      ok = expr_operator_of(f->graph, term.value) == EXPR_PRODUCT && add_product(f, term, &left);
  }
  vector_free(&left);
  return ok;
}

/* ---- all of them */

static bool add_energies(struct finder *f) {
  for (uint32_t i = 0; i < f->model->energies.count; i++) {
    const struct model_energy *energy = &f->model->energies.items[i];
    bool ok = true;
    switch (energy->kind) {
    case ENERGY_KINETIC: /* those of bodies are there */
      ok = energy->body != 0 || add_kinetic(f, energy->value);
      break;
    case ENERGY_POTENTIAL:
      ok = add_potential(f, energy->value, -1);
      break;
    case ENERGY_LAGRANGIAN:
      ok = false;
      break;
    case ENERGY_DISSIPATION: /* -dD/dq' on q'' */
      ok = !expr_symbol_set_touches(f->acting, energy->value);
      if (ok) add_virtual(f, true, energy->value, expr_integer(f->graph, -1));
      break;
    }
    if (!ok) return false;
  }
  return true;
}

static bool add_forces(struct finder *f) {
  for (uint32_t i = 0; i < f->model->forces.count; i++) {
    const struct model_force *force = &f->model->forces.items[i];
    if (expr_symbol_set_touches(f->acting, force->value) ||
        expr_symbol_set_touches(f->acting, force->target))
      return false;
    add_virtual(f, force->target_is_speed, force->target, force->value);
  }
  return true;
}

bool recursion_forms_find(struct model *model, struct recursion_forms *out) {
  struct finder f;
  *out = (struct recursion_forms){0};
  if (model->constraints.count > 0) return false;
  finder_init(&f, model, out);
  bool ok = add_bodies(&f) && add_energies(&f) && add_forces(&f);
  finder_clear(&f);
  return ok;
}

void recursion_forms_clear(struct recursion_forms *forms) {
  vector_free(&forms->forms);
  vector_free(&forms->inertias);
}
