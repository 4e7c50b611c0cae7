/* Primes: the total derivative by time, of vectors as seen in world. */
#include "sema/lower.h"

/* No more is known than that there is none: a body, a frame, a list. */
static any_value report_kind(struct lowering *l, const struct task *task, any_value value) {
  ast_expr e = lower_node(task)->operand;
  struct diagnostic *d =
      lower_report_kinds(l, task->environment, e,
                         lower_words(l, "%s has no derivative", lower_kind_words(l, value)));
  if (d == NULL) return 0;
  bool is_body = value_kind_of(value) == VALUE_BODY;
  if (value_kind_of(value) == VALUE_FRAME || is_body)
    diagnostic_help(l->context, d, "its angular velocity is omega(...)%s",
                    is_body ? ", the velocity of its mass centre vel(... .at)" : "");
  return 0;
}

static any_value rate_of(struct lowering *l, const struct task *task, any_value value) {
  struct span span = lower_node(task)->span;
  switch (value_kind_of(value)) {
  case VALUE_SCALAR:
    return lower_rate_of(l, task->environment, span, value);
  case VALUE_VECTOR:
  case VALUE_POINT: /* its velocity, a vector */
    return value_of(VALUE_VECTOR, lower_vector_rate(l, task->environment, span, value_id(value),
                                                    FRAME_WORLD));
  default:
    return report_kind(l, task, value);
  }
}

void lower_prime(struct lowering *l, const struct task *task) {
  any_value value = pop_value(l);
  unsigned count = lower_node(task)->count;
  if (value != 0 && l->is_early) /* constants */
    value = value_is_scalar(value) ? expr_integer(l->graph, 0) : report_kind(l, task, value);
  for (unsigned i = 0; i < count && value != 0 && !l->is_early; i++) {
    if (lower_is_zero(l, value)) break;
    value = rate_of(l, task, value);
  }
  push_value(l, value);
}
