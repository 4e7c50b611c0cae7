/* Calls of functions, and sums and products over an index. A function of the model is its body with
 * the values of the arguments; equal calls are made once, so that functions of functions do not
 * grow without bound. */
#include "sema/lower.h"
#include <stdlib.h>
#include <string.h>

static const enum expr_operator operators[BUILTIN_COUNT] = {
    [BUILTIN_sin] = EXPR_SIN,   [BUILTIN_cos] = EXPR_COS,     [BUILTIN_tan] = EXPR_TAN,
    [BUILTIN_asin] = EXPR_ASIN, [BUILTIN_acos] = EXPR_ACOS,   [BUILTIN_atan] = EXPR_ATAN,
    [BUILTIN_sinh] = EXPR_SINH, [BUILTIN_cosh] = EXPR_COSH,   [BUILTIN_tanh] = EXPR_TANH,
    [BUILTIN_exp] = EXPR_EXP,   [BUILTIN_log] = EXPR_LOG,     [BUILTIN_abs] = EXPR_ABS,
    [BUILTIN_sign] = EXPR_SIGN, [BUILTIN_floor] = EXPR_FLOOR, [BUILTIN_atan2] = EXPR_ATAN2,
    [BUILTIN_min] = EXPR_MIN,   [BUILTIN_max] = EXPR_MAX,     [BUILTIN_mod] = EXPR_MOD};

void lower_begin_call(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  const struct scope_text *text = task->environment.text;
  if (scope_entry_of(text, task->e) == 0 && scope_builtin_of(text, task->e) < 0) {
    push_value(l, 0);
    return;
  }
  struct task call = *task;
  call.kind = TASK_CALL;
  lower_push(l, call);
  for (uint32_t i = n->list.count; i-- > 0;)
    push_evaluate(l, task->environment, ast_list_item(text->ast, n->list, i));
}

/* ---------------------------------------------------------------- built-in functions */

/* They are all numbers; reports the first that is none. */
static bool check_scalars(struct lowering *l, const struct task *task, const any_value *arguments,
                          uint32_t count) {
  const struct ast_expression *n = lower_node(task);
  bool fits = true;
  for (uint32_t i = 0; i < count && fits; i++)
    fits = value_is_scalar(arguments[i]) ||
           lower_to_scalar(l, task->environment,
                           ast_list_item(task->environment.text->ast, n->list, i), arguments[i],
                           lower_words(l, "the argument of '%s'", n->name)) != 0;
  return fits;
}

static any_value builtin_value(struct lowering *l, const struct task *task, int function,
                               const any_value *arguments, uint32_t count) {
  if (function < 0) return 0; /* refused */
  if (function == BUILTIN_multiplier) return lower_multiplier(l, task, arguments[0]);
  if (function == BUILTIN_reaction) return lower_reaction(l, task, arguments[0]);
  if (lower_is_vector_call(function))
    return lower_vector_call(l, task, function, arguments, count);
  if (!check_scalars(l, task, arguments, count)) return 0;
  enum expr_operator operator_ = operators[function];
  if (function == BUILTIN_sqrt) return expr_sqrt(l->graph, arguments[0]);
  if (count == 1) return expr_unary(l->graph, operator_, arguments[0]);
  if (function == BUILTIN_mod && expr_is_integer_value(l->graph, arguments[1], 0)) {
    lower_report(l, task->environment, DIAG_DIVISION_BY_ZERO, lower_node(task)->span, NULL, NULL,
                 NULL);
    return 0;
  }
  expr value = arguments[0];
  for (uint32_t i = 1; i < count; i++)
    value = expr_binary(l->graph, operator_, value, arguments[i]);
  return value;
}

/* ---------------------------------------------------------------- functions of the model */

static uint64_t hash_call(uint32_t function, const any_value *arguments, uint32_t count) {
  return hash_bytes(arguments, count * sizeof *arguments, hash_mix(function)) | 1;
}

static uint32_t find_call(const struct lowering *l, uint32_t function, const any_value *arguments,
                          uint32_t count) {
  uint32_t at = map_get(&l->calls_by_hash, hash_call(function, arguments, count));
  for (; at != 0; at = l->calls.items[at].next) {
    const struct call_memo *call = &l->calls.items[at];
    if (call->function == function &&
        (count == 0 || memcmp(call->arguments, arguments, count * sizeof *arguments) == 0))
      break;
  }
  return at;
}

static uint32_t note_call(struct lowering *l, uint32_t function, const any_value *arguments,
                          uint32_t count) {
  uint64_t hash = hash_call(function, arguments, count);
  struct call_memo call = {
      .function = function,
      .next = map_get(&l->calls_by_hash, hash),
      .arguments = arena_copy(&l->context->arena, arguments, count * sizeof *arguments)};
  vector_push(&l->calls, call);
  map_set(&l->calls_by_hash, hash, l->calls.count - 1);
  return l->calls.count - 1;
}

static void enter(struct lowering *l, const struct task *task, uint32_t function,
                  const any_value *arguments, uint32_t count) {
  const struct name_entry *entry = scope_entry(l->scope, function);
  const struct ast_statement *statement = l->scope->sites.items[entry->first_site].statement;
  uint32_t first = map_get(&l->scope->by_statement, (uint64_t)(uintptr_t)statement);
  const struct binding *bindings = NULL;
  for (uint32_t i = 0; i < count; i++) {
    struct binding *binding = arena_new(&l->context->arena, struct binding);
    *binding = (struct binding){.outer = bindings, .entry = first + i, .value = arguments[i]};
    bindings = binding;
  }
  struct task end = *task;
  end.kind = TASK_END_CALL;
  end.a = note_call(l, function, arguments, count);
  lower_push(l, end);
  struct environment inner = {&l->scope->model, bindings};
  push_evaluate(l, inner, statement->value);
}

void lower_end_call(struct lowering *l, const struct task *task) {
  l->calls.items[task->a].value = vector_last(&l->values);
  l->calls.items[task->a].is_done = true;
}

void lower_call(struct lowering *l, const struct task *task) {
  uint32_t count = lower_node(task)->list.count;
  uint32_t function = scope_entry_of(task->environment.text, task->e);
  const any_value *arguments = l->values.items + l->values.count - count;
  bool is_broken = function != 0 && scope_entry(l->scope, function)->is_broken;
  for (uint32_t i = 0; i < count; i++) is_broken = is_broken || arguments[i] == 0;
  any_value value = 0;
  if (!is_broken && function == 0) {
    value =
        builtin_value(l, task, scope_builtin_of(task->environment.text, task->e), arguments, count);
  } else if (!is_broken) {
    uint32_t known = find_call(l, function, arguments, count);
    if (known == 0) {
      enter(l, task, function, arguments, count);
      l->values.count -= count;
      return;
    }
    if (!l->calls.items[known].is_done) lower_report_cycle(l, TASK_END_CALL, known);
    value = l->calls.items[known].value;
  }
  l->values.count -= count;
  push_value(l, value);
}

/* ---------------------------------------------------------------- sums and products */

void lower_range(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  any_value to_value = pop_value(l), from_value = pop_value(l);
  struct task loop = *task;
  bool is_known = lower_integer(l, task->environment, n->operand, from_value, "the first index",
                                &loop.from);
  is_known = lower_integer(l, task->environment, n->second, to_value, "the last index",
                           &loop.to) &&
             is_known;
  if (!is_known) {
    push_value(l, 0);
    return;
  }
  if (loop.to - loop.from >= MOST_IN_RANGE) {
    lower_report_large(l, n->span,
                       lower_words(l, "this range has %ld indices", loop.to - loop.from + 1));
    push_value(l, 0);
    return;
  }
  loop.kind = TASK_LOOP;
  loop.a = l->values.count;
  loop.binding = arena_new(&l->context->arena, struct binding);
  *loop.binding = (struct binding){.outer = task->environment.bindings,
                                   .entry = scope_entry_of(task->environment.text, task->e),
                                   .is_loop = true};
  lower_push(l, loop);
}

static any_value combine_kinds(struct lowering *l, const struct task *task, bool is_sum,
                               const any_value *items, uint32_t count) {
  struct term *terms = checked_malloc((count + 1) * sizeof *terms);
  for (uint32_t i = 0; i < count; i++)
    terms[i] = (struct term){items[i], lower_node(task)->third, false};
  any_value value = is_sum ? lower_add_kinds(l, task, terms, count)
                           : lower_multiply_kinds(l, task, terms, count);
  free(terms);
  return value;
}

/* Evaluates the body for the next index; behind the last one, adds up what has been gathered. The
 * binding is the same all the time: nothing keeps it beyond the body's evaluation. */
void lower_loop(struct lowering *l, const struct task *task) {
  const struct ast_expression *n = lower_node(task);
  if (task->from <= task->to) {
    struct task next = *task;
    next.from++;
    lower_push(l, next);
    task->binding->index = task->from;
    task->binding->value = expr_integer(l->graph, task->from);
    push_evaluate(l, (struct environment){task->environment.text, task->binding}, n->third);
    return;
  }
  any_value *items = l->values.items + task->a;
  uint32_t count = l->values.count - task->a;
  bool is_sum = n->operator_ == AST_ADD, is_broken = false, is_scalar = true;
  for (uint32_t i = 0; i < count; i++) {
    is_broken = is_broken || items[i] == 0;
    is_scalar = is_scalar && value_is_scalar(items[i]);
  }
  any_value value = 0;
  if (!is_broken)
    value = is_scalar ? lower_combine(l, task, is_sum, items, count)
                      : combine_kinds(l, task, is_sum, items, count);
  l->values.count = task->a;
  push_value(l, value);
}
