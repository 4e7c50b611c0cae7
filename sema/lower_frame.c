/* Frames: their definitions, part by part, become values.
 *
 * The parts lie on the stack of values in the order: parent; angle and axis of each rotation (no
 * value for an axis that is x, y or z); Euler parameters; the origin. An axis has to be fixed in
 * the frame that is turned, which is the one before it where rotations follow each other. */
#include "sema/lower.h"

struct definition { /* a frame that is put together */
  struct lowering *l;
  const struct ast_statement *statement;
  struct environment environment;
  const char *name;
};

static struct definition definition_of(struct lowering *l, uint32_t element) {
  const struct element *e = &l->elements.items[element];
  return (struct definition){l, e->statement, e->value.environment, e->name};
}

static struct span span_of(const struct definition *d, ast_expr e) {
  return ast_expression(d->environment.text->ast, e)->span;
}

void lower_begin_frame(struct lowering *l, const struct task *end) {
  struct definition d = definition_of(l, end->a);
  if (d.statement->target != 0) push_evaluate(l, d.environment, d.statement->target);
  if (d.statement->source != 0) push_evaluate(l, d.environment, d.statement->source);
  for (uint32_t i = d.statement->rotations.count; i-- > 0;) {
    const struct ast_rotation *turn = &d.statement->rotations.items[i];
    if (scope_axis_of(d.environment.text, turn->axis) < 0)
      push_evaluate(l, d.environment, turn->axis);
    push_evaluate(l, d.environment, turn->angle);
  }
  push_evaluate(l, d.environment, d.statement->value);
}

/* ---------------------------------------------------------------- rotations */

static bool is_zero_axis(const struct definition *d, const expr axis[3]) {
  for (int i = 0; i < 3; i++)
    if (!expr_is_integer_value(d->l->graph, axis[i], 0)) return false;
  return true;
}

/* The symbol that an axis may not depend on; 0: it is fixed. */
static expr find_moving(const struct definition *d, const expr axis[3]) {
  expr found = 0;
  for (int i = 0; i < 3 && found == 0; i++)
    found = find_other_role(d->l, axis[i], role_bit(ROLE_PARAMETER));
  return found;
}

static bool check_axis(const struct definition *d, ast_expr e, const expr axis[3]) {
  struct lowering *l = d->l;
  expr moving = find_moving(d, axis);
  if (moving != 0) {
    struct diagnostic *report =
        lower_report(l, d->environment, DIAG_AXIS_NOT_FIXED, span_of(d, e),
                     lower_words(l, "the %s", role_words(l, moving)), NULL, NULL);
    if (report != NULL)
      diagnostic_help(l->context, report,
                      "turn first about one axis of the frame, then about another one: rotated ... "
                      "about z, ... about x");
    return false;
  }
  if (!is_zero_axis(d, axis)) {
    expr squares[3];
    for (int i = 0; i < 3; i++) squares[i] = expr_power_ratio(l->graph, axis[i], 2, 1);
    struct model_direction direction = {expr_sum(l->graph, squares, 3), span_of(d, e),
                                        "the axis of a rotation"};
    vector_push(&l->model->directions, direction);
    return true;
  }
  lower_report(l, d->environment, DIAG_ZERO_DIRECTION, span_of(d, e), "the axis of a rotation",
               NULL, NULL);
  return false;
}

/* False if the axis is none. */
static bool find_axis(const struct definition *d, ast_expr e, any_value v, frame_id turned,
                      expr axis[3]) {
  int letter = scope_axis_of(d->environment.text, e);
  if (letter >= 0) {
    for (int i = 0; i < 3; i++) axis[i] = expr_integer(d->l->graph, i == letter);
    return true;
  }
  vector_id along = lower_to_vector(d->l, d->environment, e, v, "the axis of a rotation");
  if (along == 0) return false;
  vector_components(lower_kinematics(d->l), along, turned, axis);
  return check_axis(d, e, axis);
}

/* The values from `at` on. */
static frame_id turn_all(const struct definition *d, frame_id frame, const any_value *at) {
  for (uint32_t i = 0; i < d->statement->rotations.count; i++) {
    const struct ast_rotation *turn = &d->statement->rotations.items[i];
    expr angle =
        lower_to_scalar(d->l, d->environment, turn->angle, *at++, "the angle of a rotation");
    any_value along = scope_axis_of(d->environment.text, turn->axis) < 0 ? *at++ : 0;
    expr axis[3];
    if (frame == 0 || !find_axis(d, turn->axis, along, frame, axis) || angle == 0)
      frame = 0;
    else
      frame = frame_rotated(lower_kinematics(d->l), frame, axis, angle);
  }
  return frame;
}

/* ---------------------------------------------------------------- the whole */

static const expr *euler_parameters(const struct definition *d, any_value v) {
  if (value_kind_of(v) == VALUE_TUPLE && d->l->tuples.items[value_id(v)].count == 4)
    return d->l->tuples.items[value_id(v)].entries;
  if (v != 0 && value_kind_of(v) != VALUE_TUPLE) /* of a list, the count was reported */
    lower_report(d->l, d->environment, DIAG_WRONG_KIND, span_of(d, d->statement->source),
                 "what stands after 'oriented'", "a list of four numbers",
                 lower_kind_words(d->l, v));
  return NULL;
}

static any_value finish(const struct definition *d, const any_value *values, uint32_t element) {
  struct lowering *l = d->l;
  uint32_t parent = lower_to_frame(l, d->environment, d->statement->value, values[0],
                                   "what a frame is made from");
  if (parent == 0) return 0;
  const any_value *at = values + 1;
  struct frame_value frame = l->frames.items[parent];
  if (value_kind_of(values[0]) == VALUE_BODY)
    frame.origin = l->bodies.items[value_id(values[0])].at;
  frame.element = element;
  frame.frame = turn_all(d, frame.frame, at);
  for (uint32_t i = 0; i < d->statement->rotations.count; i++)
    at += scope_axis_of(d->environment.text, d->statement->rotations.items[i].axis) < 0 ? 2 : 1;
  frame.parameters = NULL;
  frame.norm = 0;
  if (d->statement->source != 0) {
    frame.parameters = euler_parameters(d, *at++);
    if (frame.parameters == NULL) return 0;
    frame.frame = frame_oriented(lower_kinematics(l), frame.frame, frame.parameters);
  }
  if (d->statement->target != 0)
    frame.origin =
        lower_to_point(l, d->environment, d->statement->target, *at++, "the origin of a frame");
  if (frame.frame == 0 || frame.origin == 0) return 0;
  vector_push(&l->frames, frame);
  return value_of(VALUE_FRAME, l->frames.count - 1);
}

any_value lower_end_frame(struct lowering *l, uint32_t element) {
  struct definition d = definition_of(l, element);
  uint32_t count = 1 + (d.statement->source != 0) + (d.statement->target != 0);
  for (uint32_t i = 0; i < d.statement->rotations.count; i++)
    count += scope_axis_of(d.environment.text, d.statement->rotations.items[i].axis) < 0 ? 2 : 1;
  l->values.count -= count;
  return finish(&d, l->values.items + l->values.count, element);
}
