/* The LaTeX format: fractions, roots, powers of functions as sin^2, cases for choices. */
#include "expr/print.h"

static const char *const operator_latex[] = {
#define EXPR_OPERATOR(name, arity, text, latex) latex,
#include "expr/operators.def"
#undef EXPR_OPERATOR
};

static void open(struct expr_printer *printer, bool wanted) {
  if (wanted) put_string(printer, "\\left(");
}

static void close(struct expr_printer *printer, bool wanted) {
  if (wanted) put_string(printer, "\\right)");
}

static bool is_short(const struct expr_printer *printer, expr e) {
  enum expr_operator operator_ = node_operator(printer->graph, e);
  return operator_ == EXPR_SYMBOL || operator_ == EXPR_PI || map_get(&printer->names, e) != 0;
}

/* f(a), or f^n(a) for functions whose powers are written so; 0: no exponent. `followed`: a factor
 * or exponent comes next, which would read as part of an argument without brackets. */
static void put_call(struct expr_printer *printer, expr e, uint32_t exponent, bool followed) {
  const struct expr_graph *graph = printer->graph;
  uint32_t count = node_at(graph, e)->count;
  put_string(printer, operator_latex[node_operator(graph, e)]);
  if (exponent != NUMBER_ZERO) {
    put_string(printer, "^{");
    put_number(printer, exponent);
    put_string(printer, "}");
  }
  if (count == 0) return;
  bool brackets = followed || count > 1 || !is_short(printer, node_argument(graph, e, 0));
  put_string(printer, brackets ? "\\left(" : " ");
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) put_string(printer, ", ");
    put_node(printer, node_argument(graph, e, i), LEVEL_IF);
  }
  close(printer, brackets);
}

/* Operators that put_other leaves to put_call. */
static bool is_call_operator(enum expr_operator operator_) {
  switch (operator_) {
  case EXPR_NUMBER:
  case EXPR_SYMBOL:
  case EXPR_PI:
  case EXPR_SUM:
  case EXPR_PRODUCT:
  case EXPR_POWER:
  case EXPR_EXP:
  case EXPR_ABS:
  case EXPR_FLOOR:
  case EXPR_LESS:
  case EXPR_LESS_EQUAL:
  case EXPR_EQUAL:
  case EXPR_AND:
  case EXPR_OR:
  case EXPR_NOT:
  case EXPR_IF:
    return false;
  default:
    return true;
  }
}

static bool has_function_power(const struct expr_printer *printer, struct expr_operand factor) {
  if (!number_is_integer(printer->graph, factor.number)) return false;
  if (map_get(&printer->names, factor.node) != 0) return false;
  switch (node_operator(printer->graph, factor.node)) {
  case EXPR_SIN:
  case EXPR_COS:
  case EXPR_TAN:
  case EXPR_SINH:
  case EXPR_COSH:
  case EXPR_TANH:
    return true;
  default:
    return false;
  }
}

static void put_power(struct expr_printer *printer, struct expr_operand factor, expr flipped,
                      enum level level, bool followed) {
  enum expr_operator operator_ = node_operator(printer->graph, factor.node);
  bool named = map_get(&printer->names, factor.node) != 0;
  bool is_call = is_call_operator(operator_) && !named;
  if (factor.number == NUMBER_ONE && is_call && followed) {
    put_call(printer, factor.node, NUMBER_ZERO, true);
  } else if (factor.number == NUMBER_ONE) {
    put_scaled(printer, factor.node, factor.node == flipped ? NUMBER_MINUS_ONE : NUMBER_ONE, level);
  } else if (factor.number == NUMBER_HALF) {
    put_string(printer, "\\sqrt{");
    put_node(printer, factor.node, LEVEL_IF);
    put_string(printer, "}");
  } else if (has_function_power(printer, factor)) {
    put_call(printer, factor.node, factor.number, followed);
  } else {
    put_node(printer, factor.node, LEVEL_ATOM);
    put_string(printer, "^{");
    put_number(printer, factor.number);
    put_string(printer, "}");
  }
}

/* Digits next to each other need a dot. */
static bool starts_with_digit(const struct expr_printer *printer, struct expr_operand factor) {
  return factor.number != NUMBER_HALF && node_operator(printer->graph, factor.node) == EXPR_NUMBER;
}

static void put_factors(struct expr_printer *printer, uint32_t number,
                        const struct expr_operand *factors, uint32_t count, expr flipped,
                        enum level alone) {
  bool any = number != NUMBER_ONE || count == 0;
  enum level level = count == 1 && !any ? alone : LEVEL_POWER;
  if (any) put_number(printer, number);
  for (uint32_t i = 0; i < count; i++) {
    if (any) put_string(printer, starts_with_digit(printer, factors[i]) ? "\\cdot " : "\\,");
    any = true;
    put_power(printer, factors[i], flipped, level, i + 1 < count);
  }
}

static void put_product(struct expr_printer *printer, struct piece piece) {
  struct print_factors factors;
  factors_of(printer, piece.node, piece.number, &factors);
  uint32_t above = factors.numerators.count, below = factors.denominators.count;
  bool power = !factors.negative && factors.above == NUMBER_ONE && below == 0 && above == 1;
  bool root = power && factors.numerators.items[0].number == NUMBER_HALF;
  enum level own = root ? LEVEL_ATOM : power ? LEVEL_POWER : LEVEL_PRODUCT;
  open(printer, own < piece.level);
  if (factors.negative) put_string(printer, "-");
  if (below > 0) put_string(printer, "\\frac{");
  put_factors(printer, factors.above, factors.numerators.items, above, factors.flipped,
              below > 0 ? LEVEL_SUM : LEVEL_POWER);
  if (below > 0) {
    put_string(printer, "}{");
    put_factors(printer, factors.below, factors.denominators.items, below, 0, LEVEL_SUM);
    put_string(printer, "}");
  }
  close(printer, own < piece.level);
  factors_free(&factors);
}

static void put_sum(struct expr_printer *printer, struct piece piece) {
  struct expr_operand *terms;
  uint32_t count;
  terms_of(printer, piece.node, piece.number, &terms, &count);
  open(printer, piece.level > LEVEL_SUM);
  for (uint32_t i = 0; i < count; i++) {
    bool negative = print_is_negative(printer->graph, terms[i].number);
    uint32_t size = print_magnitude(printer->graph, terms[i].number);
    if (i > 0) put_string(printer, negative ? " - " : " + ");
    if (i == 0 && negative) put_string(printer, "-");
    if (terms[i].node == 0)
      put_number(printer, size);
    else
      put_scaled(printer, terms[i].node, size, LEVEL_PRODUCT);
  }
  close(printer, piece.level > LEVEL_SUM);
  free(terms);
}

static void put_plain_number(struct expr_printer *printer, struct piece piece) {
  uint32_t number = node_at(printer->graph, piece.node)->number;
  bool negative = print_is_negative(printer->graph, number);
  bool plain = !negative && number_is_plain(printer->graph, number);
  bool brackets = (plain ? LEVEL_ATOM : LEVEL_PRODUCT) < piece.level;
  open(printer, brackets);
  if (negative) put_string(printer, "-");
  put_number(printer, print_magnitude(printer->graph, number));
  close(printer, brackets);
}

static void put_infix(struct expr_printer *printer, struct piece piece, const char *latex,
                      enum level own, enum level operand) {
  open(printer, own < piece.level);
  put_node(printer, node_argument(printer->graph, piece.node, 0), operand);
  put_string(printer, " ");
  put_string(printer, latex);
  put_string(printer, " ");
  put_node(printer, node_argument(printer->graph, piece.node, 1), operand);
  close(printer, own < piece.level);
}

static void put_exponential(struct expr_printer *printer, expr base, expr exponent) {
  if (base == 0)
    put_string(printer, "e");
  else
    put_node(printer, base, LEVEL_ATOM);
  put_string(printer, "^{");
  put_node(printer, exponent, LEVEL_IF);
  put_string(printer, "}");
}

static void put_between(struct expr_printer *printer, const char *left, expr e, const char *right) {
  put_string(printer, left);
  put_node(printer, e, LEVEL_IF);
  put_string(printer, right);
}

static void put_not(struct expr_printer *printer, struct piece piece) {
  expr a = node_argument(printer->graph, piece.node, 0);
  if (node_operator(printer->graph, a) == EXPR_EQUAL) {
    put_infix(printer, (struct piece){.node = a, .level = piece.level}, "\\ne", LEVEL_RELATION,
              LEVEL_SUM);
    return;
  }
  put_string(printer, "\\lnot ");
  put_node(printer, a, LEVEL_ATOM);
}

static void put_if(struct expr_printer *printer, expr e) {
  const struct expr_graph *graph = printer->graph;
  put_string(printer, "\\begin{cases} ");
  put_node(printer, node_argument(graph, e, 1), LEVEL_IF);
  put_string(printer, " & \\text{if } ");
  put_node(printer, node_argument(graph, e, 0), LEVEL_IF);
  put_string(printer, " \\\\ ");
  put_node(printer, node_argument(graph, e, 2), LEVEL_IF);
  put_string(printer, " & \\text{otherwise} \\end{cases}");
}

static void put_other(struct expr_printer *printer, struct piece piece) {
  const struct expr_graph *graph = printer->graph;
  enum expr_operator operator_ = node_operator(graph, piece.node);
  const char *latex = operator_latex[operator_];
  expr a = node_at(graph, piece.node)->count > 0 ? node_argument(graph, piece.node, 0) : 0;
  switch (operator_) {
  case EXPR_NUMBER:
    put_plain_number(printer, piece);
    break;
  case EXPR_SYMBOL:
    put_string(printer, expr_symbol_latex(graph, piece.node));
    break;
  case EXPR_POWER:
  case EXPR_EXP:
    open(printer, piece.level > LEVEL_POWER);
    if (operator_ == EXPR_EXP)
      put_exponential(printer, 0, a);
    else
      put_exponential(printer, a, node_argument(graph, piece.node, 1));
    close(printer, piece.level > LEVEL_POWER);
    break;
  case EXPR_ABS:
    put_between(printer, "\\left|", a, "\\right|");
    break;
  case EXPR_FLOOR:
    put_between(printer, "\\left\\lfloor ", a, "\\right\\rfloor ");
    break;
  case EXPR_LESS:
  case EXPR_LESS_EQUAL:
  case EXPR_EQUAL:
    put_infix(printer, piece, latex, LEVEL_RELATION, LEVEL_SUM);
    break;
  case EXPR_AND:
    put_infix(printer, piece, latex, LEVEL_AND, LEVEL_AND);
    break;
  case EXPR_OR:
    put_infix(printer, piece, latex, LEVEL_OR, LEVEL_OR);
    break;
  case EXPR_NOT:
    put_not(printer, piece);
    break;
  case EXPR_IF:
    put_if(printer, piece.node);
    break;
  default:
    put_call(printer, piece.node, NUMBER_ZERO, piece.level == LEVEL_ATOM);
    break;
  }
}

void latex_pieces(struct expr_printer *printer, struct piece piece) {
  enum expr_operator operator_ = node_operator(printer->graph, piece.node);
  if (operator_ == EXPR_SUM && (piece.number == NUMBER_ONE || piece.number == NUMBER_MINUS_ONE))
    put_sum(printer, piece);
  else if (operator_ == EXPR_PRODUCT || piece.number != NUMBER_ONE)
    put_product(printer, piece);
  else
    put_other(printer, piece);
}
