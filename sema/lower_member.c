/* Members: components of vectors and points (in world), unit vectors and origins of frames, parts
 * of bodies. Which of them a value has depends on its kind. */
#include "sema/lower.h"

static any_value component(struct lowering *l, vector_id v, enum member member) {
  expr components[3];
  vector_components(lower_kinematics(l), v, FRAME_WORLD, components);
  return components[member - MEMBER_X];
}

static any_value unit_vector(struct lowering *l, uint32_t frame, enum member member) {
  expr components[3];
  for (int i = 0; i < 3; i++)
    components[i] = expr_integer(l->graph, i == (int)(member - MEMBER_X));
  return value_of(VALUE_VECTOR, vector_in(lower_kinematics(l), l->frames.items[frame].frame,
                                          components));
}

static any_value report_missing(struct lowering *l, const struct task *task, any_value v) {
  const struct ast_expression *n = lower_node(task);
  struct diagnostic *d =
      lower_report(l, task->environment, DIAG_KIND_WITHOUT_MEMBER, n->name_span,
                   lower_kind_words(l, v), n->name, NULL);
  lower_label_origin(l, d, task->environment, n->operand);
  if (d == NULL) return 0;
  switch (value_kind_of(v)) {
  case VALUE_VECTOR:
  case VALUE_POINT:
    diagnostic_help(l->context, d, "%s has the members x, y and z", lower_kind_words(l, v));
    break;
  case VALUE_FRAME:
    diagnostic_help(l->context, d, "a frame has the members x, y, z and at");
    break;
  case VALUE_BODY:
    diagnostic_help(l->context, d, "%s has the members %s", lower_kind_words(l, v),
                    l->bodies.items[value_id(v)].is_particle
                        ? "mass and at"
                        : "x, y, z, mass, at, frame and inertia");
    break;
  default:
    break;
  }
  return 0;
}

static any_value member_of_body(struct lowering *l, const struct task *task, any_value v,
                                enum member member) {
  const struct body_value *body = &l->bodies.items[value_id(v)];
  if (member == MEMBER_MASS) return body->mass;
  if (member == MEMBER_AT) return value_of(VALUE_POINT, body->at);
  if (body->is_particle) return report_missing(l, task, v);
  if (member == MEMBER_FRAME) return value_of(VALUE_FRAME, body->frame);
  if (member == MEMBER_INERTIA) return body->inertia;
  if (member <= MEMBER_Z) return unit_vector(l, body->frame, member);
  return report_missing(l, task, v);
}

/* multiplier(E.norm): of the constraint between Euler parameters. */
static any_value norm_of_frame(struct lowering *l, const struct task *task, uint32_t frame) {
  if (l->frames.items[frame].parameters == NULL) {
    const struct ast_expression *n = lower_node(task);
    struct diagnostic *d = lower_report(l, task->environment, DIAG_NO_EULER_PARAMETERS, n->span,
                                        NULL, NULL, NULL);
    lower_label_origin(l, d, task->environment, n->operand);
    return 0;
  }
  lower_norm_of_frame(l, frame);
  return value_of(VALUE_CONSTRAINT, l->frames.items[frame].norm);
}

void lower_member(struct lowering *l, const struct task *task) {
  any_value v = pop_value(l), result = 0;
  enum member member = (enum member)scope_member_of(task->environment.text, task->e);
  switch (v == 0 ? VALUE_SCALAR : value_kind_of(v)) {
  case VALUE_VECTOR:
  case VALUE_POINT:
    result = member <= MEMBER_Z ? component(l, value_id(v), member) : report_missing(l, task, v);
    break;
  case VALUE_FRAME:
    if (member <= MEMBER_Z)
      result = unit_vector(l, value_id(v), member);
    else if (member == MEMBER_AT)
      result = value_of(VALUE_POINT, l->frames.items[value_id(v)].origin);
    else if (member == MEMBER_NORM)
      result = norm_of_frame(l, task, value_id(v));
    else
      result = report_missing(l, task, v);
    break;
  case VALUE_BODY:
    result = member_of_body(l, task, v, member);
    break;
  case VALUE_CONSTRAINT:
  case VALUE_EQUATION:
    result = lower_equation_member(l, task, v, member);
    break;
  default:
    if (v != 0) report_missing(l, task, v);
    break;
  }
  push_value(l, result);
}
