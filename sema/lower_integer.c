/* What decides which equations there are: sizes, bounds, indices, conditions of blocks. */
#include "sema/lower.h"

/* The symbol that keeps a value from being known, for the message. */
static expr first_symbol(struct lowering *l, expr value) {
  struct expr_list symbols = {0};
  expr_symbols_of(l->graph, &value, 1, &symbols);
  expr found = symbols.count > 0 ? symbols.items[0] : 0;
  vector_free(&symbols);
  return found;
}

static void report_unknown_value(struct lowering *l, struct environment environment,
                                 struct span span, expr value, const char *what) {
  struct diagnostic *d =
      lower_report(l, environment, DIAG_NOT_COMPILE_TIME, span, what, NULL, NULL);
  expr symbol = first_symbol(l, value);
  if (d == NULL || symbol == 0) return;
  diagnostic_caption(l->context, d, "depends on %s", expr_symbol_name(l->graph, symbol));
  uint32_t role = map_get(&l->roles, symbol);
  if (role % ROLE_COUNT == ROLE_PARAMETER)
    diagnostic_help(l->context, d, "declare it with 'const' instead of 'param'");
}

bool lower_integer(struct lowering *l, struct environment environment, ast_expr e, any_value v,
                   const char *what, long *out) {
  expr value = lower_to_scalar(l, environment, e, v, what);
  struct span span = ast_expression(environment.text->ast, e)->span;
  if (value == 0) return false;
  if (expr_get_long(l->graph, value, out) && *out >= -1000000000 && *out <= 1000000000) return true;
  struct expr_list symbols = {0};
  expr_symbols_of(l->graph, &value, 1, &symbols);
  bool is_known = symbols.count == 0;
  vector_free(&symbols);
  if (!is_known) {
    report_unknown_value(l, environment, span, value, what);
    return false;
  }
  struct text number = {0};
  if (expr_get_long(l->graph, value, out))
    text_put(&number, "beyond 1000000000");
  else
    expr_print_text(l->graph, &number, value);
  if (number.length > 60) {
    number.length = 0;
    text_put(&number, "something else");
  }
  lower_report(l, environment, DIAG_NOT_AN_INTEGER, span, what, text_string(&number), NULL);
  text_free(&number);
  return false;
}

bool lower_expression_integer(struct lowering *l, struct environment environment, ast_expr e,
                              const char *what, long *out) {
  return lower_integer(l, environment, e, lower_value(l, environment, e), what, out);
}

int lower_condition(struct lowering *l, struct environment environment, ast_expr e) {
  expr value = lower_expression(l, environment, e, "a condition");
  if (value == 0) return -1;
  if (expr_operator_of(l->graph, value) == EXPR_TRUE) return 1;
  if (expr_operator_of(l->graph, value) == EXPR_FALSE) return 0;
  report_unknown_value(l, environment, ast_expression(environment.text->ast, e)->span, value,
                       "the condition of a block");
  return -1;
}
