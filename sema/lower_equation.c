/* Constraints as values: a statement becomes one scalar equation, or several where it is between
 * vectors or points, each with its multiplier.
 *
 * An equation between vectors has the components x, y and z in the axes of world, or in those of
 * the frame in which the difference has the fewest components, if that needs fewer equations: what
 * moves in an inclined plane has two, none of which depends on the other. Two vectors of the same
 * length, such as unit vectors, agree if their components across one of them do: the one along it
 * then has no derivative, and is left out. `along` names directions instead; their lengths do not
 * matter.
 *
 * Constraints are made when all other elements are declared, because only then the kinds of their
 * sides are known, and when their multipliers are first asked for. */
#include "expr/symbol_latex.h"
#include "sema/lower.h"
#include <string.h>

/* ---------------------------------------------------------------- the text of an equation */

/* The equation on one line: without comments, blanks as single spaces. */
static const char *text_of(struct lowering *l, struct span span) {
  const char *at = source_get(&l->context->sources, span.source)->text + span.begin;
  struct text out = {0};
  bool is_comment = false, is_blank = false;
  for (uint32_t i = 0; i < span.end - span.begin; i++) {
    is_comment = at[i] == '#' || (is_comment && at[i] != '\n');
    bool is_space = is_comment || at[i] == ' ' || at[i] == '\t' || at[i] == '\n' || at[i] == '\r';
    if (!is_space && is_blank && out.length > 0) text_put(&out, " ");
    if (!is_space) text_add(&out, &at[i], 1);
    is_blank = is_space;
  }
  const char *text = arena_string(&l->context->arena, text_string(&out), out.length);
  text_free(&out);
  return text;
}

/* From behind the label, or the keyword, to the end of the statement: with brackets around a side.
 */
static struct span span_of(struct lowering *l, const struct ast_statement *statement) {
  const struct source *source = source_get(&l->context->sources, statement->span.source);
  struct span span = statement->span, label = statement->label.span;
  /* Without a label, those in components are named by their keyword. */
  if (statement->label.name != NULL && label.begin != statement->keyword_span.begin) {
    span.begin = label.end;
    while (span.begin < span.end && source->text[span.begin] != ':') span.begin++;
    if (span.begin < span.end) span.begin++;
  } else {
    static const char word[] = "constraint";
    span.begin = statement->keyword_span.begin;
    while (span.begin + sizeof word <= span.end &&
           strncmp(source->text + span.begin, word, sizeof word - 1) != 0)
      span.begin++;
    span.begin += sizeof word - 1;
  }
  while (span.begin < span.end &&
         (source->text[span.begin] == ' ' || source->text[span.begin] == '\t' ||
          source->text[span.begin] == '\r' || source->text[span.begin] == '\n'))
    span.begin++;
  return span;
}

/* ---------------------------------------------------------------- scalar equations */

/* The model's constraint of an element. Its level comes later. */
static void add_scalar(struct lowering *l, uint32_t element, struct model_constraint c) {
  struct element *e = &l->elements.items[element];
  struct text latex = {0};
  text_put(&latex, "\\lambda_{");
  symbol_latex(&latex, e->name);
  text_put(&latex, "}");
  c.multiplier_name = lower_words(l, "multiplier(%s)", e->name);
  c.multiplier_unit = c.id.unit;
  c.multiplier = expr_symbol(l->graph, c.multiplier_name, text_string(&latex));
  text_free(&latex);
  if (!expr_graph_is_full(l->graph)) {
    expr_symbol_set_rank(l->graph, c.multiplier, EXPR_RANK_ACCELERATION); /* last in products */
    map_set(&l->roles, c.multiplier, ROLE_MULTIPLIER + ROLE_COUNT * element);
  }
  e->symbol = c.multiplier;
  e->index = l->model->constraints.count;
  if (e->index >= MOST_CONSTRAINTS)
    lower_report_large(l, c.span, "it has more than five thousand constraints");
  else
    vector_push(&l->model->constraints, c);
}

static struct model_unit unit_of(struct lowering *l, const struct element *e) {
  struct unit unit = dimension_of_item(l->dimensions, e->entry, e->item);
  return dimension_model_unit(l->graph, &unit);
}

static void add_residual(struct lowering *l, const struct equation_value *q, uint32_t element,
                         expr residual) {
  static const enum constraint_claim claims[] = {[CLAIM_NONE] = CONSTRAINT_NO_CLAIM,
                                                 [CLAIM_HOLONOMIC] = CONSTRAINT_HOLONOMIC,
                                                 [CLAIM_NONHOLONOMIC] = CONSTRAINT_NONHOLONOMIC};
  const struct element *e = &l->elements.items[element];
  struct model_constraint c = {.residual = residual,
                               .claim = claims[q->statement->claim],
                               .equation = l->elements.items[element].equation};
  c.id = (struct model_name){e->name, e->item->name_span, e->item->doc != NULL ? e->item->doc : "",
                             unit_of(l, e)};
  c.span = span_of(l, q->statement);
  c.text = text_of(l, c.span);
  add_scalar(l, element, c);
}

/* pin.x */
static uint32_t add_component(struct lowering *l, uint32_t of, int component) {
  struct element e = l->elements.items[of];
  e.name = lower_words(l, "%s.%c", e.name, 'x' + component);
  e.name = intern_string(&l->context->names, e.name);
  vector_push(&l->elements, e);
  return l->elements.count - 1;
}

/* ---------------------------------------------------------------- equations between vectors */

static void note_frame(struct lowering *l, const struct equation_value *q, frame_id frame) {
  const char *name = NULL;
  for (uint32_t i = 1; i < l->frames.count && name == NULL; i++)
    if (l->frames.items[i].frame == frame && l->frames.items[i].element != 0)
      name = l->elements.items[l->frames.items[i].element].name;
  lower_report(l, q->environment, DIAG_CONSTRAINT_IN_FRAME, span_of(l, q->statement),
               l->elements.items[q->element].name,
               name != NULL ? lower_words(l, "frame %s", name) : "the frame that it moves in",
               NULL);
}

static unsigned count_zeros(const struct lowering *l, const expr components[3]) {
  unsigned count = 0;
  for (int i = 0; i < 3; i++) count += lower_is_zero(l, components[i]);
  return count;
}

/* The axis of its frame that v lies on; -1 if it does not lie on one. */
static int axis_of_vector(struct lowering *l, vector_id v, frame_id *frame) {
  struct kinematics *k = lower_kinematics(l);
  expr components[3];
  int axis = -1;
  if (vector_part_count(k, v) != 1) return -1;
  *frame = vector_part(k, v, 0, components);
  for (int i = 0; i < 3; i++) {
    if (lower_is_zero(l, components[i])) continue;
    if (axis >= 0) return -1;
    axis = i;
  }
  return axis;
}

/* Where left and right are of the same length and one of them lies on an axis of a frame: that
 * frame, with the component along the axis put to 0. 0 if it is not so. */
static frame_id choose_across(struct lowering *l, const struct equation_value *q, any_value left,
                              any_value right, vector_id difference, expr components[3]) {
  struct kinematics *k = lower_kinematics(l);
  frame_id frame = 0;
  if (value_kind_of(left) != VALUE_VECTOR || value_kind_of(right) != VALUE_VECTOR) return 0;
  if (difference == VECTOR_ZERO || lower_is_zero(l, left) || lower_is_zero(l, right)) return 0;
  int axis = axis_of_vector(l, value_id(right), &frame);
  if (axis < 0) axis = axis_of_vector(l, value_id(left), &frame);
  if (axis < 0) return 0;
  expr one = vector_dot(k, value_id(left), value_id(left));
  expr two = vector_dot(k, value_id(right), value_id(right));
  if (!lower_is_zero(l, expr_subtract(l->graph, one, two))) return 0;
  vector_components(k, difference, frame, components);
  components[axis] = expr_integer(l->graph, 0);
  if (frame != FRAME_WORLD) note_frame(l, q, frame);
  return frame;
}

/* The frame whose axes give the fewest equations; world if others are not better. */
static frame_id choose_frame(struct lowering *l, const struct equation_value *q,
                             vector_id difference, expr components[3]) {
  struct kinematics *k = lower_kinematics(l);
  frame_id own = vector_frame(k, difference);
  vector_components(k, difference, FRAME_WORLD, components);
  if (own == FRAME_WORLD) return own;
  expr in_own[3];
  vector_components(k, difference, own, in_own);
  unsigned zeros = count_zeros(l, in_own);
  if (zeros == 3 || zeros <= count_zeros(l, components)) return FRAME_WORLD;
  memcpy(components, in_own, sizeof in_own);
  note_frame(l, q, own);
  return own;
}

/* `index` is a copy's: elements and equations move while they grow. */
static void make_components(struct lowering *l, uint32_t index, any_value left, any_value right,
                            vector_id difference) {
  struct equation_value q = l->equations.items[index];
  expr components[3];
  frame_id frame = choose_across(l, &q, left, right, difference, components);
  if (frame == 0) frame = choose_frame(l, &q, difference, components);
  uint32_t *scalars = arena_array(&l->context->arena, uint32_t, 3);
  vector_id *directions = arena_array(&l->context->arena, vector_id, 3);
  for (int i = 0; i < 3; i++) {
    expr axis[3];
    for (int j = 0; j < 3; j++) axis[j] = expr_integer(l->graph, i == j);
    directions[i] = vector_in(lower_kinematics(l), frame, axis);
    scalars[i] = add_component(l, q.element, i);
    add_residual(l, &q, scalars[i], components[i]);
  }
  q.is_vector = true;
  q.count = 3;
  q.scalars = scalars;
  q.directions = directions;
  l->equations.items[index] = q;
}

static ast_expr axis_of(const struct equation_value *q, uint32_t i) {
  return ast_list_item(q->environment.text->ast, q->statement->along, i);
}

/* The unit vector along an axis; 0, and reported, if there is none. */
static vector_id direction_of(struct lowering *l, const struct equation_value *q, uint32_t i,
                              any_value axis) {
  struct kinematics *k = lower_kinematics(l);
  vector_id v =
      lower_to_vector(l, q->environment, axis_of(q, i), axis, "what stands after 'along'");
  if (v == 0) return 0;
  expr norm = vector_norm(k, v);
  struct model_direction direction = {norm,
                                      ast_expression(q->environment.text->ast, axis_of(q, i))->span,
                                      "the axis of a constraint"};
  vector_push(&l->model->directions, direction);
  if (!lower_is_zero(l, norm))
    return vector_scale(k, expr_divide(l->graph, expr_integer(l->graph, 1), norm), v);
  lower_report(l, q->environment, DIAG_ZERO_DIRECTION, direction.span, direction.what, NULL, NULL);
  return 0;
}

static void make_broken(struct lowering *l, uint32_t index) {
  struct equation_value q = l->equations.items[index];
  for (uint32_t i = 0; i < q.element_count; i++) add_residual(l, &q, q.element + i, 0);
  l->equations.items[index].state = ELEMENT_BROKEN;
}

static expr component_along(struct lowering *l, vector_id v, vector_id direction) {
  struct kinematics *k = lower_kinematics(l);
  return vector_part_count(k, direction) == 1 ? lower_dot_by_parts(l, v, direction)
                                              : vector_dot(k, v, direction);
}

static void make_along(struct lowering *l, uint32_t index, vector_id difference,
                       const any_value *axes) {
  struct equation_value q = l->equations.items[index];
  uint32_t count = q.statement->along.count;
  uint32_t *scalars = arena_array(&l->context->arena, uint32_t, count);
  vector_id *directions = arena_array(&l->context->arena, vector_id, count);
  for (uint32_t i = 0; i < count; i++) {
    directions[i] = direction_of(l, &q, i, axes[i]);
    scalars[i] = q.element + i;
    if (directions[i] == 0) {
      make_broken(l, index);
      return;
    }
  }
  for (uint32_t i = 0; i < count; i++)
    add_residual(l, &q, scalars[i], component_along(l, difference, directions[i]));
  q.is_vector = true;
  q.count = count;
  q.scalars = scalars;
  q.directions = directions;
  l->equations.items[index] = q;
}

/* ---------------------------------------------------------------- kinds of the sides */

static any_value report_sides(struct lowering *l, struct environment environment, ast_expr e,
                              any_value left, ast_expr f, any_value right) {
  struct diagnostic *d =
      lower_report_kinds(l, environment, f,
                         lower_words(l, "%s can't be equal to %s", lower_kind_words(l, left),
                                     lower_kind_words(l, right)));
  if (d == NULL) return 0;
  diagnostic_caption(l->context, d, "this is %s", lower_kind_words(l, right));
  diagnostic_label(l->context, d, ast_expression(environment.text->ast, e)->span, "this is %s",
                   lower_kind_words(l, left));
  bool has_point = value_kind_of(left) == VALUE_POINT || value_kind_of(right) == VALUE_POINT;
  if (has_point && (lower_is_zero(l, left) || lower_is_zero(l, right)))
    diagnostic_help(l->context, d, "the point at rest in the middle of world is origin");
  else if (has_point)
    diagnostic_help(l->context, d, "the vector from the origin to a point is P - origin");
  return 0;
}

any_value lower_difference(struct lowering *l, struct environment environment, ast_expr e,
                           any_value left, ast_expr f, any_value right) {
  enum value_kind one = value_kind_of(left), two = value_kind_of(right);
  if (left == 0 || right == 0) return 0;
  if (one == VALUE_SCALAR && two == VALUE_SCALAR) return expr_subtract(l->graph, left, right);
  bool are_points = one == VALUE_POINT && two == VALUE_POINT;
  bool are_vectors = (one == VALUE_VECTOR || lower_is_zero(l, left)) &&
                     (two == VALUE_VECTOR || lower_is_zero(l, right));
  if (!are_points && !are_vectors) return report_sides(l, environment, e, left, f, right);
  vector_id a = one == VALUE_SCALAR ? VECTOR_ZERO : value_id(left);
  vector_id b = two == VALUE_SCALAR ? VECTOR_ZERO : value_id(right);
  return value_of(VALUE_VECTOR, vector_subtract(lower_kinematics(l), a, b));
}

static bool check_along(struct lowering *l, const struct equation_value *q) {
  if (q->statement->along.count == 0) return true;
  lower_report(l, q->environment, DIAG_ALONG_OF_NUMBERS,
               ast_expression(q->environment.text->ast, axis_of(q, 0))->span,
               l->elements.items[q->element].name, NULL, NULL);
  return false;
}

static void make(struct lowering *l, uint32_t index, any_value left, any_value right,
                 const any_value *axes) {
  struct equation_value *q = &l->equations.items[index];
  q->state = ELEMENT_DONE;
  any_value difference =
      lower_difference(l, q->environment, q->statement->left, left, q->statement->right, right);
  bool is_scalar = value_is_scalar(difference);
  if (difference == 0 || (is_scalar && !check_along(l, q)))
    make_broken(l, index);
  else if (is_scalar)
    add_residual(l, q, q->element, difference);
  else if (q->statement->along.count > 0)
    make_along(l, index, value_id(difference), axes);
  else
    make_components(l, index, left, right, value_id(difference));
}

/* ---------------------------------------------------------------- referring to constraints */

static any_value reference(const struct task *task, uint32_t index) {
  return task->b != 0 ? value_of(VALUE_EQUATION, index) : value_of(VALUE_CONSTRAINT, task->a);
}

/* A constraint whose sides need its own multiplier. */
static void report_cycle(struct lowering *l, uint32_t index) {
  struct equation_value *q = &l->equations.items[index];
  const char *name = l->elements.items[q->element].name;
  diagnostic_add(l->context, DIAG_CONSTRAINT_DEPENDENCE, span_of(l, q->statement), name,
                 lower_words(l, "a multiplier (multiplier(%s))", name), NULL);
}

void lower_begin_equation(struct lowering *l, const struct task *task) {
  uint32_t index = l->elements.items[task->a].equation;
  struct equation_value *q = &l->equations.items[index];
  if (q->state == ELEMENT_ACTIVE) {
    report_cycle(l, index);
    push_value(l, 0);
    return;
  }
  if (q->state != ELEMENT_NEW) {
    push_value(l, reference(task, index));
    return;
  }
  q->state = ELEMENT_ACTIVE;
  struct task end = *task;
  end.kind = TASK_END_EQUATION;
  lower_push(l, end);
  for (uint32_t i = q->statement->along.count; i-- > 0;)
    push_evaluate(l, q->environment, axis_of(q, i));
  push_evaluate(l, q->environment, q->statement->right);
  push_evaluate(l, q->environment, q->statement->left);
}

void lower_end_equation(struct lowering *l, const struct task *task) {
  uint32_t index = l->elements.items[task->a].equation;
  uint32_t count = l->equations.items[index].statement->along.count;
  const any_value *axes = l->values.items + l->values.count - count;
  make(l, index, axes[-2], axes[-1], axes);
  l->values.count -= count + 2;
  push_value(l, reference(task, index));
}

/* ---------------------------------------------------------------- Euler parameters */

/* e0^2 + e1^2 + e2^2 + e3^2 = 1 */
void lower_norm_of_frame(struct lowering *l, uint32_t frame) {
  struct frame_value *f = &l->frames.items[frame];
  if (f->parameters == NULL || f->norm != 0) return;
  struct element e = l->elements.items[f->element];
  struct equation_value q = {.statement = e.statement,
                             .environment = e.value.environment,
                             .state = ELEMENT_DONE,
                             .element = l->elements.count,
                             .element_count = 1};
  expr terms[4];
  for (int i = 0; i < 4; i++)
    terms[i] = expr_multiply(l->graph, f->parameters[i], f->parameters[i]);
  expr square = expr_sum(l->graph, terms, 4), one = expr_integer(l->graph, 1);
  struct model_constraint c = {.residual = expr_subtract(l->graph, square, one),
                               .equation = l->equations.count};
  struct text text = {0};
  expr_print_text(l->graph, &text, square);
  text_put(&text, " = 1");
  e = (struct element){.entry = e.entry,
                       .kind = NAME_CONSTRAINT,
                       .name = intern_string(&l->context->names, lower_words(l, "%s.norm", e.name)),
                       .item = e.item,
                       .value = {.environment = e.value.environment, .span = e.value.span},
                       .equation = l->equations.count};
  c.id = (struct model_name){e.name, e.item->name_span, "", unit_of(l, &e)};
  c.span = ast_expression(q.environment.text->ast, q.statement->source)->span;
  c.text = arena_string(&l->context->arena, text_string(&text), text.length);
  text_free(&text);
  f->norm = l->elements.count;
  vector_push(&l->elements, e);
  vector_push(&l->equations, q);
  add_scalar(l, q.element, c);
}

/* ---------------------------------------------------------------- multipliers and reactions */

any_value lower_multiplier(struct lowering *l, const struct task *task, any_value argument) {
  if (argument == 0) return 0;
  l->has_new_multipliers = true;
  const struct element *e = &l->elements.items[value_id(argument)];
  if (e->symbol != 0) return e->symbol;
  struct diagnostic *d = lower_report(l, task->environment, DIAG_MULTIPLIER_OF_VECTORS,
                                      lower_node(task)->span, e->name, NULL, NULL);
  if (d == NULL) return 0;
  diagnostic_label(l->context, d, e->item->name_span, "declared here");
  diagnostic_help(l->context, d, "write multiplier(%s.x), or reaction(%s) for the force", e->name,
                  e->name);
  return 0;
}

any_value lower_reaction(struct lowering *l, const struct task *task, any_value argument) {
  if (argument == 0) return 0;
  l->has_new_multipliers = true;
  uint32_t index = value_kind_of(argument) == VALUE_EQUATION
                       ? value_id(argument)
                       : l->elements.items[value_id(argument)].equation;
  const struct equation_value *q = &l->equations.items[index];
  if (q->state == ELEMENT_BROKEN) return 0;
  if (!q->is_vector) {
    const struct element *e = &l->elements.items[q->element];
    struct diagnostic *d = lower_report(l, task->environment, DIAG_REACTION_OF_NUMBERS,
                                        lower_node(task)->span, e->name, NULL, NULL);
    if (d == NULL) return 0;
    diagnostic_label(l->context, d, e->item->name_span, "declared here");
    diagnostic_help(l->context, d, "its multiplier is multiplier(%s)", e->name);
    return 0;
  }
  struct kinematics *k = lower_kinematics(l);
  vector_id sum = VECTOR_ZERO;
  for (uint32_t i = 0; i < q->count; i++)
    sum = vector_add(k, sum,
                     vector_scale(k, l->elements.items[q->scalars[i]].symbol, q->directions[i]));
  return value_of(VALUE_VECTOR, sum);
}

any_value lower_equation_member(struct lowering *l, const struct task *task, any_value equation,
                                enum member member) {
  const struct element *e = &l->elements.items[value_id(equation)];
  const struct equation_value *q = &l->equations.items[e->equation];
  if (q->state == ELEMENT_BROKEN || value_kind_of(equation) == VALUE_EQUATION) return 0;
  if (q->is_vector && q->statement->along.count == 0 && member <= MEMBER_Z)
    return value_of(VALUE_CONSTRAINT, q->scalars[member - MEMBER_X]);
  const struct ast_expression *n = lower_node(task);
  struct diagnostic *d = lower_report(
      l, task->environment, DIAG_NO_MEMBERS, n->name_span, e->name,
      q->is_vector ? "a constraint along given axes" : "a constraint between numbers", n->name);
  if (d == NULL) return 0;
  diagnostic_label(l->context, d, e->item->name_span, "declared here");
  diagnostic_help(l->context, d, "its multiplier is multiplier(%s)", e->name);
  return 0;
}
