/* Leaves: numbers, pi, symbols. */
#include "expr/graph.h"
#include "expr/symbol_latex.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { DECIMAL_LIMIT = 10000 }; /* of the power of ten and of the number of digits */

expr expr_integer(struct expr_graph *graph, long value) {
  return node_number(graph, number_from_long(graph, value));
}

expr expr_ratio(struct expr_graph *graph, long numerator, long denominator) {
  if (denominator == 0) bug("ratio with denominator 0");
  uint32_t above = number_from_long(graph, numerator), below = number_from_long(graph, denominator);
  return node_number(graph, number_divide(graph, above, below));
}

expr expr_rational(struct expr_graph *graph, const mpq_t value) {
  return node_number(graph, number_from_mpq(graph, value));
}

/* Copies the digits without the point; false if the text is not a decimal literal or too long. */
static bool read_decimal(const char *text, char *digits, long *ten) {
  size_t count = 0;
  bool point = false, any = false;
  *ten = 0;
  if (*text == '-' || *text == '+') {
    if (*text == '-') digits[count++] = '-';
    text++;
  }
  for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
    if (*text == '.') {
      point = true;
      continue;
    }
    any = true;
    if (count >= DECIMAL_LIMIT) return false;
    digits[count++] = *text;
    if (point) --*ten;
  }
  digits[count] = '\0';
  if (!any) return false;
  if (*text == 'e' || *text == 'E') {
    char *end;
    long power = strtol(text + 1, &end, 10);
    if (end == text + 1 || power > DECIMAL_LIMIT || power < -DECIMAL_LIMIT) return false;
    *ten += power;
    text = end;
  }
  return *text == '\0';
}

expr expr_decimal(struct expr_graph *graph, const char *text) {
  char *digits = checked_malloc(DECIMAL_LIMIT + 2);
  long ten;
  expr result = 0;
  if (read_decimal(text, digits, &ten)) {
    mpq_t value;
    mpz_t power;
    mpq_init(value);
    mpz_init(power);
    mpz_set_str(mpq_numref(value), digits, 10);
    mpz_ui_pow_ui(power, 10, (unsigned long)labs(ten));
    if (ten >= 0)
      mpz_mul(mpq_numref(value), mpq_numref(value), power);
    else
      mpz_set(mpq_denref(value), power);
    mpq_canonicalize(value);
    result = expr_rational(graph, value);
    mpq_clear(value);
    mpz_clear(power);
  }
  free(digits);
  return result;
}

expr expr_double(struct expr_graph *graph, double value) {
  if (!isfinite(value)) bug("a number that is not finite");
  mpq_t exact;
  mpq_init(exact);
  mpq_set_d(exact, value);
  expr result = expr_rational(graph, exact);
  mpq_clear(exact);
  return result;
}

expr expr_pi(struct expr_graph *graph) {
  (void)graph;
  return ID_PI;
}

expr expr_symbol(struct expr_graph *graph, const char *name, const char *latex) {
  struct symbol symbol = {arena_string(&graph->arena, name, strlen(name)), NULL, 0};
  size_t primes = strlen(name) - strcspn(name, "'");
  if (primes > 0) symbol.rank = primes == 1 ? EXPR_RANK_VELOCITY : EXPR_RANK_ACCELERATION;
  if (latex != NULL) {
    symbol.latex = arena_string(&graph->arena, latex, strlen(latex));
  } else {
    struct text made = {0};
    symbol_latex(&made, name);
    symbol.latex = arena_string(&graph->arena, text_string(&made), made.length);
    text_free(&made);
  }
  expr e = node_intern(graph, EXPR_SYMBOL, graph->symbols.count, NULL, 0);
  if (e != ID_ZERO) vector_push(&graph->symbols, symbol);
  return e;
}

void expr_symbol_set_rank(struct expr_graph *graph, expr symbol, enum expr_rank rank) {
  if (node_operator(graph, symbol) == EXPR_SYMBOL)
    graph->symbols.items[node_at(graph, symbol)->number].rank = (uint8_t)rank;
}

static const struct symbol *symbol_at(const struct expr_graph *graph, expr e) {
  if (node_operator(graph, e) != EXPR_SYMBOL) bug("node %u is not a symbol", e);
  return &graph->symbols.items[node_at(graph, e)->number];
}

const char *expr_symbol_name(const struct expr_graph *graph, expr symbol) {
  return symbol_at(graph, symbol)->name;
}

const char *expr_symbol_latex(const struct expr_graph *graph, expr symbol) {
  return symbol_at(graph, symbol)->latex;
}
