/* Derivatives by time. Positions go to velocities, velocities to accelerations, states to their
 * rates (a symbol that is replaced in the end), t to 1; parameters stay. What has no derivative
 * that is known (accelerations, rates, inputs, multipliers) is reported, also where it hides in the
 * turn of a frame. */
#include "sema/lower.h"

/* ---------------------------------------------------------------- what moves */

static void prepare_tangent(struct lowering *l) {
  struct model *model = l->model;
  if (l->tangent != NULL) return;
  l->tangent = model->rate = expr_tangent_new(l->graph);
  expr_tangent_seed(l->tangent, model->time, expr_integer(l->graph, 1));
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *q = &model->coordinates.items[i];
    expr_tangent_seed(l->tangent, q->position, q->velocity);
    expr_tangent_seed(l->tangent, q->velocity, q->acceleration);
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    expr_tangent_seed(l->tangent, model->states.items[i].value,
                      model->states.items[i].derivative);
}

/* Constraints are made one by one; the set has the multipliers that expressions can contain. */
static void prepare_set(struct lowering *l) {
  const struct model *model = l->model;
  if (l->undifferentiable != NULL && !l->has_new_multipliers) return;
  if (l->undifferentiable != NULL) expr_symbol_set_free(l->undifferentiable);
  l->has_new_multipliers = false;
  l->undifferentiable = expr_symbol_set_new(l->graph);
  for (uint32_t i = 0; i < model->coordinates.count; i++)
    expr_symbol_set_add(l->undifferentiable, model->coordinates.items[i].acceleration);
  for (uint32_t i = 0; i < model->states.count; i++)
    expr_symbol_set_add(l->undifferentiable, model->states.items[i].derivative);
  for (uint32_t i = 0; i < model->constraints.count; i++)
    expr_symbol_set_add(l->undifferentiable, model->constraints.items[i].multiplier);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    expr_symbol_set_add(l->undifferentiable, model->inputs.items[i].symbol);
}

struct kinematics *lower_kinematics(struct lowering *l) {
  if (l->model->kinematics != NULL) return l->model->kinematics;
  if (l->is_early) bug("vectors are wanted before the coordinates are known");
  prepare_tangent(l);
  l->model->kinematics = kinematics_new(l->graph, l->tangent);
  return l->model->kinematics;
}

/* ---------------------------------------------------------------- what has no derivative */

/* The first symbol in e that has none; 0: all have one. */
static expr find_block(struct lowering *l, expr e) {
  prepare_set(l);
  if (!expr_symbol_set_touches(l->undifferentiable, e)) return 0;
  struct expr_list symbols = {0};
  expr found = 0;
  expr_symbols_of(l->graph, &e, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count && found == 0; i++)
    if (expr_symbol_set_touches(l->undifferentiable, symbols.items[i])) found = symbols.items[i];
  vector_free(&symbols);
  return found;
}

/* The number 0 in the map: none. */
static expr find_block_of_turn(struct lowering *l, frame_id frame) {
  struct kinematics *k = l->model->kinematics;
  expr known = map_get(&l->frame_blocks, frame), rotation[9], found = 0;
  if (known != 0) return expr_is_number(l->graph, known) ? 0 : known;
  frame_rotation(k, frame, frame_parent(k, frame), rotation);
  for (int i = 0; i < 9 && found == 0; i++) found = find_block(l, rotation[i]);
  map_set(&l->frame_blocks, frame, found != 0 ? found : expr_integer(l->graph, 0));
  return found;
}

/* In the turns between two frames. Parents have smaller ids than their children. */
static expr find_block_between(struct lowering *l, frame_id a, frame_id b) {
  struct kinematics *k = l->model->kinematics;
  expr found = 0;
  while (a != b && found == 0) {
    frame_id *lower = a > b ? &a : &b;
    found = find_block_of_turn(l, *lower);
    *lower = frame_parent(k, *lower);
  }
  return found;
}

static expr find_block_of_vector(struct lowering *l, vector_id v, frame_id in) {
  struct kinematics *k = l->model->kinematics;
  uint32_t count = vector_part_count(k, v);
  expr components[3], found = 0;
  for (uint32_t i = 0; i < count && found == 0; i++) {
    frame_id frame = vector_part(k, v, i, components);
    for (int c = 0; c < 3 && found == 0; c++) found = find_block(l, components[c]);
    if (found == 0) found = find_block_between(l, frame, in);
  }
  return found;
}

static void report_block(struct lowering *l, struct environment environment, struct span span,
                         expr symbol) {
  const char *name = expr_symbol_name(l->graph, symbol);
  uint32_t role = map_get(&l->roles, symbol) % ROLE_COUNT;
  const char *what = role == ROLE_RATE         ? "the rate "
                     : role == ROLE_MULTIPLIER ? ""
                                               : "the acceleration ";
  struct diagnostic *d =
      role == ROLE_INPUT
          ? lower_report(l, environment, DIAG_DERIVATIVE_OF_INPUT, span, name, NULL, NULL)
          : lower_report(l, environment, DIAG_DERIVATIVE_TOO_HIGH, span,
                         lower_words(l, "%s%s", what, name), NULL, NULL);
  if (d != NULL && role == ROLE_INPUT)
    diagnostic_help(l->context, d,
                    "make the derivative the input and the value a state, whose rate is that "
                    "input; or write a known function of t instead of the input");
}

/* ---------------------------------------------------------------- derivatives */

expr lower_rate_of(struct lowering *l, struct environment environment, struct span span, expr e) {
  if (e == 0) return 0;
  prepare_tangent(l);
  expr block = find_block(l, e);
  if (block == 0) return expr_tangent_of(l->tangent, e);
  report_block(l, environment, span, block);
  return 0;
}

vector_id lower_vector_rate(struct lowering *l, struct environment environment, struct span span,
                            vector_id v, frame_id in) {
  if (v == 0) return 0;
  struct kinematics *k = lower_kinematics(l);
  expr block = find_block_of_vector(l, v, in);
  if (block == 0) return vector_derivative(k, v, in);
  report_block(l, environment, span, block);
  return 0;
}

bool lower_has_rate(struct lowering *l, vector_id v, frame_id in) {
  lower_kinematics(l);
  return find_block_of_vector(l, v, in) == 0;
}

vector_id lower_omega(struct lowering *l, struct environment environment, struct span span,
                      frame_id of, frame_id in) {
  struct kinematics *k = lower_kinematics(l);
  expr block = find_block_between(l, of, in);
  if (block == 0) return frame_omega(k, of, in);
  report_block(l, environment, span, block);
  return 0;
}
