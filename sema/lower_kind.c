/* What has to be of one kind, and what is said where it is not. The number 0 is also the zero
 * vector; bodies serve as the frames that turn with them. */
#include "sema/lower.h"

bool lower_is_zero(const struct lowering *l, any_value v) {
  if (value_kind_of(v) == VALUE_VECTOR) return value_id(v) == VECTOR_ZERO;
  return v != 0 && value_is_scalar(v) && expr_is_integer_value(l->graph, v, 0);
}

/* ---------------------------------------------------------------- words */

const char *lower_kind_words(const struct lowering *l, any_value v) {
  switch (value_kind_of(v)) {
  case VALUE_SCALAR:
    return expr_is_truth(l->graph, v) ? "a condition" : "a number";
  case VALUE_VECTOR:
    return "a vector";
  case VALUE_POINT:
    return "a point";
  case VALUE_FRAME:
    return "a frame";
  case VALUE_BODY:
    return l->bodies.items[value_id(v)].is_particle ? "a particle" : "a body";
  case VALUE_TUPLE:
    return "a list of values";
  case VALUE_CONSTRAINT:
  case VALUE_EQUATION:
    return "a constraint";
  }
  return "nothing";
}

/* The name that e is or begins with; 0 if there is none. */
static uint32_t entry_of(struct environment environment, ast_expr e) {
  const struct ast *ast = environment.text->ast;
  while (e != 0) {
    const struct ast_expression *n = ast_expression(ast, e);
    if (n->kind == AST_NAME) return scope_entry_of(environment.text, e);
    if (n->kind == AST_CALL) return scope_entry_of(environment.text, e);
    if (n->kind != AST_INDEX && n->kind != AST_PRIME && n->kind != AST_MEMBER) return 0;
    e = n->operand;
  }
  return 0;
}

/* The call whose function's body the environment is of. */
static const struct task *find_call(const struct lowering *l, struct environment environment) {
  const struct binding *b = environment.bindings;
  while (b != NULL && scope_entry(l->scope, b->entry)->kind == NAME_INDEX) b = b->outer;
  if (b == NULL) return NULL;
  for (uint32_t i = l->tasks.count; i-- > 0;)
    if (l->tasks.items[i].kind == TASK_END_CALL) return &l->tasks.items[i];
  return NULL;
}

static bool has_label(const struct diagnostic *d, struct span span) {
  for (uint32_t i = 0; i < d->labels.count; i++) {
    const struct span *other = &d->labels.items[i].span;
    if (other->source == span.source && other->begin == span.begin && other->end == span.end)
      return true;
  }
  return false;
}

void lower_label_origin(struct lowering *l, struct diagnostic *d, struct environment environment,
                        ast_expr e) {
  if (d == NULL) return;
  uint32_t id = entry_of(environment, e);
  const struct task *call = find_call(l, environment);
  const struct name_entry *entry = scope_entry(l->scope, id);
  if (id != 0 && entry->span.source != 0 && !has_label(d, entry->span))
    diagnostic_label(l->context, d, entry->span, "'%s' is declared here", entry->name);
  if (call != NULL && !has_label(d, lower_node(call)->span)) diagnostic_label(l->context, d, lower_node(call)->span, "in this call");
}

struct diagnostic *lower_report_kinds(struct lowering *l, struct environment environment,
                                      ast_expr e, const char *message) {
  struct diagnostic *d =
      lower_report(l, environment, DIAG_KINDS_DIFFER,
                   ast_expression(environment.text->ast, e)->span, message, NULL, NULL);
  lower_label_origin(l, d, environment, e);
  return d;
}

/* ---------------------------------------------------------------- what is wanted instead */

static const char *help_to_scalar(enum value_kind kind) {
  switch (kind) {
  case VALUE_VECTOR:
    return "its components are .x, .y and .z, its length is norm(...); 'dot' makes a number of two "
           "vectors";
  case VALUE_POINT:
    return "its components are .x, .y and .z; the distance of two points is norm(P - Q)";
  case VALUE_BODY:
    return "its mass is .mass";
  default:
    return NULL;
  }
}

static const char *help_to_vector(enum value_kind kind) {
  switch (kind) {
  case VALUE_SCALAR:
    return "give it a direction, such as that of a unit vector: ... * world.x";
  case VALUE_POINT:
    return "the vector from the origin to it is ... - origin";
  case VALUE_FRAME:
    return "its unit vectors are .x, .y and .z";
  case VALUE_BODY:
    return "its mass centre is .at, the vector from the origin to it .at - origin";
  default:
    return NULL;
  }
}

static const char *help_to_point(enum value_kind kind) {
  switch (kind) {
  case VALUE_SCALAR:
    return "a point lies at a vector from another one: origin + ... * world.x";
  case VALUE_VECTOR:
    return "the point at this vector from the origin is origin + ...";
  case VALUE_FRAME:
    return "its origin is .at";
  case VALUE_BODY:
    return "where it is is .at";
  default:
    return NULL;
  }
}

static void report(struct lowering *l, struct environment environment, ast_expr e, any_value v,
                   const char *what, const char *wanted, const char *help) {
  if (v == 0 || l->quiet > 0) return;
  struct diagnostic *d =
      lower_report(l, environment, DIAG_WRONG_KIND, ast_expression(environment.text->ast, e)->span,
                   what, wanted, lower_kind_words(l, v));
  lower_label_origin(l, d, environment, e);
  if (d != NULL && help != NULL) diagnostic_help(l->context, d, "%s", help);
}

/* ---------------------------------------------------------------- conversions */

expr lower_to_scalar(struct lowering *l, struct environment environment, ast_expr e, any_value v,
                     const char *what) {
  if (value_is_scalar(v)) return v;
  report(l, environment, e, v, what, "a number", help_to_scalar(value_kind_of(v)));
  return 0;
}

vector_id lower_to_vector(struct lowering *l, struct environment environment, ast_expr e,
                          any_value v, const char *what) {
  if (value_kind_of(v) == VALUE_VECTOR) return value_id(v);
  if (lower_is_zero(l, v)) return VECTOR_ZERO;
  report(l, environment, e, v, what, "a vector", help_to_vector(value_kind_of(v)));
  return 0;
}

vector_id lower_to_point(struct lowering *l, struct environment environment, ast_expr e,
                         any_value v, const char *what) {
  if (value_kind_of(v) == VALUE_POINT) return value_id(v);
  report(l, environment, e, v, what, "a point", help_to_point(value_kind_of(v)));
  return 0;
}

uint32_t lower_to_frame(struct lowering *l, struct environment environment, ast_expr e,
                        any_value v, const char *what) {
  if (value_kind_of(v) == VALUE_FRAME) return value_id(v);
  if (value_kind_of(v) == VALUE_BODY && !l->bodies.items[value_id(v)].is_particle)
    return l->bodies.items[value_id(v)].frame;
  report(l, environment, e, v, what, "a frame or body",
         value_kind_of(v) == VALUE_BODY ? "a particle is a point: it does not turn" : NULL);
  return 0;
}
