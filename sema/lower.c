/* The evaluator: a stack of tasks and a stack of values. A task for a node pushes what has to be
 * done before it and what is to be done behind that; nothing here recurses. */
#include "sema/lower.h"
#include <string.h>

/* ---------------------------------------------------------------- life */

struct lowering *lowering_new(dyn_context *context, struct scope *scope, struct model *model) {
  struct lowering *l = checked_calloc(1, sizeof *l);
  struct element no_element = {0};
  struct call_memo no_call = {0};
  struct frame_value no_frame = {0}, world = {.frame = FRAME_WORLD, .origin = VECTOR_ZERO};
  struct body_value no_body = {0};
  struct tuple_value no_tuple = {0};
  struct equation_value no_equation = {0};
  l->context = context;
  l->scope = scope;
  l->model = model;
  l->graph = model->graph;
  l->is_early = true;
  l->index_nodes = 1u << 30;
  vector_push(&l->elements, no_element);
  vector_push(&l->calls, no_call);
  vector_push(&l->frames, no_frame);
  vector_push(&l->frames, world);
  vector_push(&l->bodies, no_body);
  vector_push(&l->tuples, no_tuple);
  vector_push(&l->equations, no_equation);
  map_set(&l->roles, model->time, ROLE_TIME);
  scope->lowering = l;
  return l;
}

void lowering_free(struct lowering *l) {
  if (l == NULL) return;
  l->scope->lowering = NULL;
  if (l->undifferentiable != NULL) expr_symbol_set_free(l->undifferentiable);
  map_free(&l->by_index);
  map_free(&l->ranges_of);
  map_free(&l->roles);
  map_free(&l->units);
  map_free(&l->calls_by_hash);
  map_free(&l->frame_blocks);
  vector_free(&l->elements);
  vector_free(&l->ranges);
  vector_free(&l->unit_list);
  vector_free(&l->tasks);
  vector_free(&l->values);
  vector_free(&l->parts);
  vector_free(&l->calls);
  vector_free(&l->frames);
  vector_free(&l->bodies);
  vector_free(&l->tuples);
  vector_free(&l->equations);
  free(l);
}

/* ---------------------------------------------------------------- reports */

const char *lower_words(struct lowering *l, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const char *words = arena_vformat(&l->context->arena, format, list);
  va_end(list);
  return words;
}

/* Names of indices in components are longer than they are written: "leg.i", "leg.inner i". */
static const char *name_of_index(const char *name) {
  if (strncmp(name, "index ", 6) == 0) return name; /* of an array of instances: written nowhere */
  const char *dot = strrchr(name, '.'), *blank = strrchr(name, ' ');
  return blank != NULL ? blank + 1 : dot != NULL ? dot + 1 : name;
}

void lower_label_loops(struct lowering *l, struct diagnostic *d, const struct binding *bindings) {
  for (const struct binding *b = bindings; b != NULL; b = b->outer) {
    if (!b->is_loop) continue;
    const struct name_entry *entry = scope_entry(l->scope, b->entry);
    diagnostic_label(l->context, d, entry->span, "when %s is %ld", name_of_index(entry->name),
                     b->index);
  }
}

struct diagnostic *lower_report(struct lowering *l, struct environment environment,
                                enum diagnostic_code code, struct span span, const char *first,
                                const char *second, const char *third) {
  if (l->quiet > 0) return NULL;
  struct diagnostic *d = diagnostic_add(l->context, code, span, first, second, third, NULL);
  lower_label_loops(l, d, environment.bindings);
  return d;
}

void lower_report_large(struct lowering *l, struct span span, const char *what) {
  if (l->is_exhausted) return;
  l->is_exhausted = true;
  diagnostic_add(l->context, DIAG_MODEL_TOO_LARGE, span, what, NULL);
}

bool lower_is_exhausted(struct lowering *l) {
  struct span nowhere = {0, 0, 0};
  if (!l->is_exhausted && expr_graph_is_full(l->graph))
    lower_report_large(l, nowhere, "its expressions have more parts than fit");
  return l->is_exhausted;
}

/* ---------------------------------------------------------------- nodes */

void lower_push(struct lowering *l, struct task task) {
  vector_push(&l->tasks, task);
}

static void push_after(struct lowering *l, const struct task *task, enum task_kind kind) {
  struct task after = *task;
  after.kind = (uint8_t)kind;
  lower_push(l, after);
}

static void evaluate_binary(struct lowering *l, const struct task *task,
                            const struct ast_expression *n) {
  switch ((enum ast_operator)n->operator_) {
  case AST_ADD:
  case AST_SUBTRACT:
    lower_begin_sum(l, task);
    return;
  case AST_MULTIPLY:
  case AST_DIVIDE:
    lower_begin_product(l, task);
    return;
  case AST_AND:
  case AST_OR:
    push_after(l, task, TASK_CONNECTIVE);
    push_evaluate(l, task->environment, n->operand);
    return;
  case AST_POWER:
    push_after(l, task, TASK_POWER);
    break;
  default:
    push_after(l, task, TASK_RELATION);
    break;
  }
  push_evaluate(l, task->environment, n->second);
  push_evaluate(l, task->environment, n->operand);
}

static void evaluate_list(struct lowering *l, const struct task *task, enum task_kind kind,
                          struct ast_list list) {
  push_after(l, task, kind);
  for (uint32_t i = list.count; i-- > 0;)
    push_evaluate(l, task->environment, ast_list_item(task->environment.text->ast, list, i));
}

static void evaluate_number(struct lowering *l, const struct task *task,
                            const struct ast_expression *n) {
  expr value = expr_decimal(l->graph, n->name);
  if (value != 0 && !lower_number_fits(expr_constant(l->graph, value))) value = 0;
  if (value == 0) lower_report(l, task->environment, DIAG_NUMBER_RANGE, n->span, NULL, NULL, NULL);
  push_value(l, value);
}

static void evaluate_unary(struct lowering *l, const struct task *task,
                           const struct ast_expression *n) {
  if (n->operator_ == AST_NOT) {
    push_after(l, task, TASK_NOT);
    push_evaluate(l, task->environment, n->operand);
  } else {
    lower_begin_sum(l, task);
  }
}

static void evaluate(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  if (scope_is_refused(task->environment.text, task->e)) {
    push_value(l, 0);
    return;
  }
  switch ((enum ast_expr_kind)n->kind) {
  case AST_NUMBER:
    evaluate_number(l, task, n);
    return;
  case AST_NAME:
    lower_name(l, task);
    return;
  case AST_INDEX:
    if (scope_entry_of(task->environment.text, n->operand) != 0) {
      evaluate_list(l, task, TASK_INDEX, n->list);
      return;
    }
    break;
  case AST_PRIME:
    push_after(l, task, TASK_PRIME);
    push_evaluate(l, task->environment, n->operand);
    return;
  case AST_UNIT:
    push_after(l, task, TASK_UNIT);
    push_evaluate(l, task->environment, n->operand);
    return;
  case AST_MEMBER:
    if (scope_member_of(task->environment.text, task->e) < 0) break;
    push_after(l, task, TASK_MEMBER);
    push_evaluate(l, task->environment, n->operand);
    return;
  case AST_TUPLE:
    evaluate_list(l, task, TASK_TUPLE, n->list);
    return;
  case AST_IN:
    push_after(l, task, TASK_IN);
    push_evaluate(l, task->environment, n->second);
    push_evaluate(l, task->environment, n->operand);
    return;
  case AST_UNARY:
    evaluate_unary(l, task, n);
    return;
  case AST_BINARY:
    evaluate_binary(l, task, n);
    return;
  case AST_CALL:
    lower_begin_call(l, task);
    return;
  case AST_IF:
    push_after(l, task, TASK_CHOOSE);
    push_evaluate(l, task->environment, n->operand);
    return;
  case AST_REDUCE:
    push_after(l, task, TASK_RANGE);
    push_evaluate(l, task->environment, n->second);
    push_evaluate(l, task->environment, n->operand);
    return;
  default: /* what name resolution refused */
    break;
  }
  push_value(l, 0);
}

static void end_not(struct lowering *l) {
  expr value = pop_value(l);
  push_value(l, value == 0 ? 0 : expr_unary(l->graph, EXPR_NOT, value));
}

static void end_unit(struct lowering *l, const struct task *task) {
  any_value value = pop_value(l);
  expr scale = lower_scale(l, lower_unit(l, lower_node(task)->unit));
  if (value != 0)
    value = value_is_scalar(value) ? expr_multiply(l->graph, value, scale)
                                   : lower_scale_value(l, task, value, scale);
  push_value(l, value);
}

static void step(struct lowering *l, const struct task *task) {
  switch ((enum task_kind)task->kind) {
  case TASK_EVALUATE:
    evaluate(l, task);
    break;
  case TASK_REFER:
    lower_refer(l, task);
    break;
  case TASK_END_ELEMENT:
    lower_end_element(l, task);
    break;
  case TASK_SUM:
    lower_end_sum(l, task);
    break;
  case TASK_PRODUCT:
    lower_end_product(l, task);
    break;
  case TASK_POWER:
    lower_end_power(l, task);
    break;
  case TASK_RELATION:
    lower_relation(l, task);
    break;
  case TASK_NOT:
    end_not(l);
    break;
  case TASK_CONNECTIVE:
    lower_connective(l, task);
    break;
  case TASK_END_CONNECTIVE:
    lower_end_connective(l, task);
    break;
  case TASK_CHOOSE:
    lower_choose(l, task);
    break;
  case TASK_IF:
    lower_end_if(l, task);
    break;
  case TASK_INDEX:
    lower_index(l, task);
    break;
  case TASK_RANGE:
    lower_range(l, task);
    break;
  case TASK_LOOP:
    lower_loop(l, task);
    break;
  case TASK_CALL:
    lower_call(l, task);
    break;
  case TASK_END_CALL:
    lower_end_call(l, task);
    break;
  case TASK_PRIME:
    lower_prime(l, task);
    break;
  case TASK_UNIT:
    end_unit(l, task);
    break;
  case TASK_TUPLE:
    lower_tuple(l, task);
    break;
  case TASK_IN:
    lower_in(l, task);
    break;
  case TASK_MEMBER:
    lower_member(l, task);
    break;
  case TASK_END_EQUATION:
    lower_end_equation(l, task);
    break;
  }
}

/* Runs until the tasks above `base` are done. Once a limit is met, the rest is dropped: truth
 * values made by a full graph are numbers, and nothing will be used. */
static void run(struct lowering *l, uint32_t base) {
  while (l->tasks.count > base) {
    if (++l->steps > MOST_STEPS)
      lower_report_large(
          l,
          ast_expression(vector_last(&l->tasks).environment.text->ast, vector_last(&l->tasks).e)
              ->span,
          "writing out its loops and sums takes too many steps");
    if (lower_is_exhausted(l)) {
      l->tasks.count = base;
      l->parts.count = 0;
      return;
    }
    struct task task = vector_pop(&l->tasks);
    step(l, &task);
    if (expr_graph_is_full(l->graph))
      lower_report_large(l, lower_node(&task)->span, "its expressions have more parts than fit");
  }
}

/* ---------------------------------------------------------------- asking for values */

any_value lower_value(struct lowering *l, struct environment environment, ast_expr e) {
  if (e == 0 || lower_is_exhausted(l)) return 0;
  uint32_t base = l->tasks.count, height = l->values.count;
  push_evaluate(l, environment, e);
  run(l, base);
  any_value value = l->is_exhausted || l->values.count != height + 1 ? 0 : vector_last(&l->values);
  l->values.count = height;
  return value;
}

expr lower_expression(struct lowering *l, struct environment environment, ast_expr e,
                      const char *what) {
  any_value value = lower_value(l, environment, e);
  return value_is_scalar(value) ? value : lower_to_scalar(l, environment, e, value, what);
}

expr lower_given(struct lowering *l, const struct given *given, const char *what) {
  expr value = lower_expression(l, given->environment, given->value, what);
  if (value == 0 || given->scale == 0) return value;
  return expr_multiply(l->graph, value, given->scale);
}

any_value lower_element(struct lowering *l, uint32_t element) {
  if (lower_is_exhausted(l)) return 0;
  uint32_t base = l->tasks.count, height = l->values.count;
  lower_push(l, (struct task){.kind = TASK_REFER,
                              .a = element,
                              .e = l->elements.items[element].value.value,
                              .environment = l->elements.items[element].value.environment});
  run(l, base);
  any_value value = l->is_exhausted || l->values.count != height + 1 ? 0 : vector_last(&l->values);
  l->values.count = height;
  return value;
}

/* The value of what is made of constants only, else 0; silent. */
static expr constant_value(struct lowering *l, const struct scope_text *text, ast_expr e) {
  if (l == NULL || e == 0) return 0;
  struct environment environment = {text, NULL};
  bool was_early = l->is_early;
  l->is_early = true;
  l->quiet++;
  expr value = lower_expression(l, environment, e, "this");
  l->quiet--;
  l->is_early = was_early;
  return value;
}

bool scope_is_constant(const struct scope *scope, const struct scope_text *text, ast_expr e) {
  return constant_value(scope->lowering, text, e) != 0;
}

bool scope_constant(const struct scope *scope, const struct scope_text *text, ast_expr e,
                    struct rational *out) {
  struct lowering *l = scope->lowering;
  expr value = constant_value(l, text, e);
  if (value == 0 || !expr_is_number(l->graph, value)) return false;
  mpq_srcptr number = expr_constant(l->graph, value);
  if (!mpz_fits_slong_p(mpq_numref(number)) || !mpz_fits_slong_p(mpq_denref(number))) return false;
  return rational_make(mpz_get_si(mpq_numref(number)), mpz_get_si(mpq_denref(number)), out);
}
