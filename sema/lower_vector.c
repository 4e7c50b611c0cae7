/* Sums, products and choices in which not all are numbers; lists of components, and members.
 *
 *   vector + vector, point + vector, point - point      number * vector, vector / number
 * A sum of points and vectors is a point if one point more is added than subtracted, a vector if
 * they are equally many: it then does not depend on where the origin is. */
#include "sema/lower.h"
#include <stdlib.h>

static struct span span_of(const struct task *task, ast_expr e) {
  return ast_expression(task->environment.text->ast, e)->span;
}

static void label_kind(struct lowering *l, struct diagnostic *d, const struct task *task,
                       const struct term *term) {
  if (d == NULL) return;
  diagnostic_label(l->context, d, span_of(task, term->e), "this is %s",
                   lower_kind_words(l, term->v));
  lower_label_origin(l, d, task->environment, term->e);
}

/* ---------------------------------------------------------------- sums */

static bool is_place(any_value v) {
  return value_kind_of(v) == VALUE_VECTOR || value_kind_of(v) == VALUE_POINT;
}

static any_value report_mixed(struct lowering *l, const struct task *task,
                              const struct term *odd, const struct term *other) {
  const char *message = lower_words(l, "%s and %s can't be added", lower_kind_words(l, other->v),
                                    lower_kind_words(l, odd->v));
  struct diagnostic *d = lower_report_kinds(l, task->environment, odd->e, message);
  if (d == NULL) return 0;
  diagnostic_caption(l->context, d, "this is %s", lower_kind_words(l, odd->v));
  if (other->e != odd->e) label_kind(l, d, task, other);
  if (value_is_scalar(odd->v))
    diagnostic_help(l->context, d, "give the number a direction, such as that of world.x");
  else if (value_kind_of(odd->v) == VALUE_FRAME)
    diagnostic_help(l->context, d, "the origin of a frame is .at, its unit vectors .x, .y and .z");
  else if (value_kind_of(odd->v) == VALUE_BODY)
    diagnostic_help(l->context, d, "where a body is is .at");
  return 0;
}

static any_value report_points(struct lowering *l, const struct task *task,
                               const struct term *terms, uint32_t count, long net) {
  const char *message = net > 1 ? "the sum of points is neither a point nor a vector"
                                : "a point can't be subtracted from what is no point";
  const struct term *found = NULL;
  struct diagnostic *d = NULL;
  for (uint32_t i = count; i-- > 0;) {
    if (value_kind_of(terms[i].v) != VALUE_POINT || terms[i].turned == (net > 1)) continue;
    if (found == NULL) {
      d = lower_report_kinds(l, task->environment, terms[i].e, message);
      found = &terms[i];
      if (d == NULL || net <= 1) break;
      diagnostic_caption(l->context, d, "this is a point");
    } else if (terms[i].e != found->e) {
      label_kind(l, d, task, &terms[i]);
      break;
    }
  }
  if (d == NULL) return 0;
  if (net > 1)
    diagnostic_help(l->context, d,
                    "the vector from the origin to a point is P - origin; the point in the middle "
                    "of two is P + (Q - P)/2");
  else
    diagnostic_help(l->context, d, "the vector from P to Q is Q - P");
  return 0;
}

/* The first two terms that can't be added; false if all can. */
static bool check_mixed(struct lowering *l, const struct task *task, const struct term *terms,
                        uint32_t count) {
  const struct term *place = NULL, *odd = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (is_place(terms[i].v)) {
      if (place == NULL) place = &terms[i];
    } else if (odd == NULL && !lower_is_zero(l, terms[i].v)) {
      odd = &terms[i];
    }
  }
  if (odd == NULL) return true;
  if (place != NULL) {
    report_mixed(l, task, odd, place);
  } else { /* frames, bodies, lists */
    for (uint32_t i = 0; i < count; i++)
      if (!value_is_scalar(terms[i].v)) odd = &terms[i];
    struct diagnostic *d = lower_report_kinds(
        l, task->environment, odd->e,
        lower_words(l, "%s can't be added or subtracted", lower_kind_words(l, odd->v)));
    if (d != NULL && value_kind_of(odd->v) == VALUE_BODY)
      diagnostic_help(l->context, d, "where it is is .at");
  }
  return false;
}

any_value lower_add_kinds(struct lowering *l, const struct task *task, const struct term *terms,
                          uint32_t count) {
  struct kinematics *k = NULL;
  vector_id sum = VECTOR_ZERO;
  long net = 0;
  if (l->is_early || !check_mixed(l, task, terms, count)) return 0;
  k = lower_kinematics(l);
  for (uint32_t i = 0; i < count; i++) {
    if (!is_place(terms[i].v)) continue; /* 0 */
    if (value_kind_of(terms[i].v) == VALUE_POINT) net += terms[i].turned ? -1 : 1;
    sum = terms[i].turned ? vector_subtract(k, sum, value_id(terms[i].v))
                          : vector_add(k, sum, value_id(terms[i].v));
  }
  if (net != 0 && net != 1) return report_points(l, task, terms, count, net);
  return value_of(net == 1 ? VALUE_POINT : VALUE_VECTOR, sum);
}

/* ---------------------------------------------------------------- products */

static any_value report_factor(struct lowering *l, const struct task *task,
                               const struct term *factor) {
  enum value_kind kind = value_kind_of(factor->v);
  const char *words = lower_kind_words(l, factor->v);
  const char *message = factor->turned ? lower_words(l, "there is no division by %s", words)
                                       : lower_words(l, "%s can't be multiplied", words);
  struct diagnostic *d = lower_report_kinds(l, task->environment, factor->e, message);
  if (d == NULL) return 0;
  if (kind == VALUE_POINT)
    diagnostic_help(l->context, d, "multiply the vector from another point to it: (P - origin)");
  else if (kind == VALUE_VECTOR)
    diagnostic_help(l->context, d, "its length is norm(...)");
  else if (kind == VALUE_BODY)
    diagnostic_help(l->context, d, "its mass is .mass");
  else if (kind == VALUE_FRAME)
    diagnostic_help(l->context, d, "its unit vectors are .x, .y and .z");
  return 0;
}

static any_value report_two_vectors(struct lowering *l, const struct task *task,
                                    const struct term *first, const struct term *second) {
  struct diagnostic *d = lower_report_kinds(l, task->environment, second->e,
                                            "two vectors have no product of this kind");
  if (d == NULL) return 0;
  diagnostic_caption(l->context, d, "this is a vector");
  if (first->e != second->e) label_kind(l, d, task, first);
  diagnostic_help(l->context, d,
                  "write dot(v, w) for the scalar product, cross(v, w) for the vector product");
  return 0;
}

/* The only vector among the factors; NULL, and reported, if there is none or anything else. */
static const struct term *find_vector(struct lowering *l, const struct task *task,
                                      const struct term *factors, uint32_t count) {
  const struct term *vector = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (value_is_scalar(factors[i].v)) continue;
    if (value_kind_of(factors[i].v) != VALUE_VECTOR || factors[i].turned) {
      report_factor(l, task, &factors[i]);
      return NULL;
    }
    if (vector != NULL) {
      report_two_vectors(l, task, vector, &factors[i]);
      return NULL;
    }
    vector = &factors[i];
  }
  return vector;
}

any_value lower_multiply_kinds(struct lowering *l, const struct task *task,
                               const struct term *factors, uint32_t count) {
  const struct term *vector = find_vector(l, task, factors, count);
  if (vector == NULL) return 0;
  expr *scalars = checked_malloc((count + 1) * sizeof *scalars);
  uint32_t kept = 0;
  bool is_broken = false;
  for (uint32_t i = 0; i < count; i++) {
    if (&factors[i] == vector) continue;
    expr factor = factors[i].v;
    if (factors[i].turned)
      factor = lower_invert(l, task->environment, span_of(task, factors[i].e), factor);
    is_broken = is_broken || factor == 0;
    scalars[kept++] = factor;
  }
  expr scale = is_broken ? 0 : lower_combine(l, task, false, scalars, kept);
  free(scalars);
  if (scale == 0) return 0;
  return value_of(VALUE_VECTOR, vector_scale(lower_kinematics(l), scale, value_id(vector->v)));
}

expr lower_dot_by_parts(struct lowering *l, vector_id a, vector_id b) {
  struct kinematics *k = lower_kinematics(l);
  uint32_t count = vector_part_count(k, a);
  expr *terms = checked_malloc(((size_t)count + 1) * sizeof *terms);
  for (uint32_t i = 0; i < count; i++) {
    expr components[3];
    frame_id frame = vector_part(k, a, i, components);
    terms[i] = vector_dot(k, vector_in(k, frame, components), b);
  }
  expr sum = expr_sum(l->graph, terms, count);
  free(terms);
  return sum;
}

/* ---------------------------------------------------------------- choices */

/* The frame in which both have few parts. */
static frame_id common_frame(struct kinematics *k, vector_id a, vector_id b) {
  frame_id one = vector_frame(k, a), two = vector_frame(k, b);
  if (one == two || b == VECTOR_ZERO) return one;
  return a == VECTOR_ZERO ? two : vector_frame(k, vector_add(k, a, b));
}

any_value lower_choose_kinds(struct lowering *l, const struct task *task, expr condition,
                             any_value a, any_value b) {
  const struct ast_expression *n = lower_node(task);
  enum value_kind kind = value_is_scalar(a) ? value_kind_of(b) : value_kind_of(a);
  any_value zero = kind == VALUE_VECTOR ? value_of(VALUE_VECTOR, VECTOR_ZERO) : 0;
  if (zero != 0 && lower_is_zero(l, a)) a = zero;
  if (zero != 0 && lower_is_zero(l, b)) b = zero;
  if (value_kind_of(a) != value_kind_of(b)) {
    struct diagnostic *d = lower_report_kinds(
        l, task->environment, n->third,
        lower_words(l, "one branch is %s, the other one %s", lower_kind_words(l, a),
                    lower_kind_words(l, b)));
    if (d != NULL)
      diagnostic_label(l->context, d, span_of(task, n->second), "this is %s",
                       lower_kind_words(l, a));
    return 0;
  }
  if (!is_place(a)) {
    lower_report_kinds(l, task->environment, n->third,
                       lower_words(l, "%s can't be chosen while the model runs",
                                   lower_kind_words(l, a)));
    return 0;
  }
  struct kinematics *k = lower_kinematics(l);
  frame_id frame = common_frame(k, value_id(a), value_id(b));
  expr one[3], two[3];
  vector_components(k, value_id(a), frame, one);
  vector_components(k, value_id(b), frame, two);
  for (int i = 0; i < 3; i++) one[i] = expr_if(l->graph, condition, one[i], two[i]);
  return value_of(kind, vector_in(k, frame, one));
}

/* ---------------------------------------------------------------- lists */

any_value lower_scale_value(struct lowering *l, const struct task *task, any_value v, expr scale) {
  if (scale == 0) return v;
  switch (value_kind_of(v)) {
  case VALUE_SCALAR:
    return v == 0 ? 0 : expr_multiply(l->graph, v, scale);
  case VALUE_VECTOR:
  case VALUE_POINT: /* (1, 2) [mm] */
    return value_of(value_kind_of(v), vector_scale(lower_kinematics(l), scale, value_id(v)));
  case VALUE_TUPLE: {
    struct tuple_value tuple = l->tuples.items[value_id(v)];
    expr *entries = arena_array(&l->context->arena, expr, tuple.count + 1);
    for (uint32_t i = 0; i < tuple.count; i++)
      entries[i] = expr_multiply(l->graph, tuple.entries[i], scale);
    tuple.entries = entries;
    vector_push(&l->tuples, tuple);
    return value_of(VALUE_TUPLE, l->tuples.count - 1);
  }
  default:
    lower_report_kinds(l, task->environment, task->e,
                       lower_words(l, "%s has no unit", lower_kind_words(l, v)));
    return 0;
  }
}

/* Two values are a point in the plane; what takes longer lists knows them. */
void lower_tuple(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  uint32_t count = n->list.count;
  struct tuple_value tuple = {NULL, count};
  expr *entries = arena_array(&l->context->arena, expr, count + 1);
  bool is_broken = false;
  for (uint32_t i = 0; i < count; i++) {
    ast_expr e = ast_list_item(task->environment.text->ast, n->list, i);
    entries[i] = lower_to_scalar(l, task->environment, e,
                                 l->values.items[l->values.count - count + i], "a component");
    is_broken = is_broken || entries[i] == 0;
  }
  l->values.count -= count;
  any_value value = 0;
  if (!is_broken && count == 2 && !l->is_early) {
    expr components[3] = {entries[0], entries[1], expr_integer(l->graph, 0)};
    value = value_of(VALUE_POINT, vector_in(lower_kinematics(l), FRAME_WORLD, components));
  } else if (!is_broken && count == 2) {
    lower_report(l, task->environment, DIAG_NOT_COMPILE_TIME, n->span, "this", NULL, NULL);
  } else if (!is_broken) {
    tuple.entries = entries;
    vector_push(&l->tuples, tuple);
    value = value_of(VALUE_TUPLE, l->tuples.count - 1);
  }
  push_value(l, value);
}

void lower_in(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  any_value second = pop_value(l), first = pop_value(l);
  uint32_t frame = lower_to_frame(l, task->environment, n->second, second, "what stands after 'in'");
  any_value value = 0;
  if (value_kind_of(first) != VALUE_TUPLE) {
    if (first != 0)
      lower_report_kinds(l, task->environment, n->operand,
                         lower_words(l, "'in' belongs to a list of components, not to %s",
                                     lower_kind_words(l, first)));
  } else if (frame != 0 && l->tuples.items[value_id(first)].count == 3) {
    value = value_of(VALUE_VECTOR,
                     vector_in(lower_kinematics(l), l->frames.items[frame].frame,
                               l->tuples.items[value_id(first)].entries));
  }
  push_value(l, value);
}
