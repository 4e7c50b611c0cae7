/* The text format: the language's own syntax, so that what is printed can be read again. */
#include "expr/print.h"

static const char *const operator_texts[] = {
#define EXPR_OPERATOR(name, arity, text, latex) text,
#include "expr/operators.def"
#undef EXPR_OPERATOR
};

static void open(struct expr_printer *printer, bool wanted) {
  if (wanted) put_string(printer, "(");
}

static void close(struct expr_printer *printer, bool wanted) {
  if (wanted) put_string(printer, ")");
}

/* node ^ exponent for a positive exponent. */
static void put_power(struct expr_printer *printer, struct expr_operand factor, expr flipped,
                      enum level level) {
  if (factor.number == NUMBER_ONE) {
    put_scaled(printer, factor.node, factor.node == flipped ? NUMBER_MINUS_ONE : NUMBER_ONE, level);
  } else if (factor.number == NUMBER_HALF) {
    put_string(printer, "sqrt(");
    put_node(printer, factor.node, LEVEL_IF);
    put_string(printer, ")");
  } else {
    bool whole = number_is_integer(printer->graph, factor.number);
    put_node(printer, factor.node, LEVEL_ATOM);
    put_string(printer, whole ? "^" : "^(");
    put_number(printer, factor.number);
    close(printer, !whole);
  }
}

static void put_factors(struct expr_printer *printer, const struct print_factors *factors) {
  bool any = factors->above != NUMBER_ONE || factors->numerators.count == 0;
  if (any) put_number(printer, factors->above);
  for (uint32_t i = 0; i < factors->numerators.count; i++) {
    if (any) put_string(printer, "*");
    any = true;
    /* A quotient in front of "*" reads as it should: a/b*c is (a/b)*c. */
    put_power(printer, factors->numerators.items[i], factors->flipped, LEVEL_POWER);
  }
  uint32_t below = factors->denominators.count + (factors->below != NUMBER_ONE);
  if (below == 0) return;
  put_string(printer, "/");
  open(printer, below > 1);
  if (factors->below != NUMBER_ONE) put_number(printer, factors->below);
  for (uint32_t i = 0; i < factors->denominators.count; i++) {
    if (i > 0 || factors->below != NUMBER_ONE) put_string(printer, "*");
    put_power(printer, factors->denominators.items[i], 0, LEVEL_POWER);
  }
  close(printer, below > 1);
}

static enum level product_level(const struct print_factors *factors) {
  if (factors->negative || factors->above != NUMBER_ONE || factors->denominators.count > 0 ||
      factors->numerators.count != 1)
    return LEVEL_PRODUCT;
  uint32_t exponent = factors->numerators.items[0].number;
  return exponent == NUMBER_HALF ? LEVEL_ATOM : LEVEL_POWER;
}

static void put_product(struct expr_printer *printer, struct piece piece) {
  struct print_factors factors;
  factors_of(printer, piece.node, piece.number, &factors);
  bool brackets = product_level(&factors) < piece.level;
  open(printer, brackets);
  if (factors.negative) put_string(printer, "-");
  put_factors(printer, &factors);
  close(printer, brackets);
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
  enum level own =
      negative || !number_is_plain(printer->graph, number) ? LEVEL_PRODUCT : LEVEL_ATOM;
  open(printer, own < piece.level);
  if (negative) put_string(printer, "-");
  put_number(printer, print_magnitude(printer->graph, number));
  close(printer, own < piece.level);
}

static void put_infix(struct expr_printer *printer, struct piece piece, const char *text,
                      enum level own, enum level operand) {
  open(printer, own < piece.level);
  put_node(printer, node_argument(printer->graph, piece.node, 0), operand);
  if (own != LEVEL_POWER) put_string(printer, " ");
  put_string(printer, text);
  if (own != LEVEL_POWER) put_string(printer, " ");
  put_node(printer, node_argument(printer->graph, piece.node, 1), operand);
  close(printer, own < piece.level);
}

static void put_not(struct expr_printer *printer, struct piece piece) {
  expr a = node_argument(printer->graph, piece.node, 0);
  if (node_operator(printer->graph, a) == EXPR_EQUAL) {
    put_infix(printer, (struct piece){.node = a, .level = piece.level}, "!=", LEVEL_RELATION,
              LEVEL_SUM);
    return;
  }
  open(printer, piece.level > LEVEL_NOT);
  put_string(printer, "not ");
  put_node(printer, a, LEVEL_RELATION);
  close(printer, piece.level > LEVEL_NOT);
}

static void put_if(struct expr_printer *printer, struct piece piece) {
  const struct expr_graph *graph = printer->graph;
  open(printer, piece.level > LEVEL_IF);
  put_string(printer, "if ");
  put_node(printer, node_argument(graph, piece.node, 0), LEVEL_OR);
  put_string(printer, " then ");
  put_node(printer, node_argument(graph, piece.node, 1), LEVEL_OR);
  put_string(printer, " else ");
  put_node(printer, node_argument(graph, piece.node, 2), LEVEL_IF);
  close(printer, piece.level > LEVEL_IF);
}

static void put_call(struct expr_printer *printer, expr e) {
  const struct expr_graph *graph = printer->graph;
  put_string(printer, operator_texts[node_operator(graph, e)]);
  uint32_t count = node_at(graph, e)->count;
  for (uint32_t i = 0; i < count; i++) {
    put_string(printer, i == 0 ? "(" : ", ");
    put_node(printer, node_argument(graph, e, i), LEVEL_IF);
  }
  if (count > 0) put_string(printer, ")");
}

void text_pieces(struct expr_printer *printer, struct piece piece) {
  enum expr_operator operator_ = node_operator(printer->graph, piece.node);
  const char *text = operator_texts[operator_];
  if (operator_ == EXPR_SUM && (piece.number == NUMBER_ONE || piece.number == NUMBER_MINUS_ONE)) {
    put_sum(printer, piece);
    return;
  }
  if (operator_ == EXPR_PRODUCT || piece.number != NUMBER_ONE) {
    put_product(printer, piece);
    return;
  }
  switch (operator_) {
  case EXPR_NUMBER:
    put_plain_number(printer, piece);
    break;
  case EXPR_SYMBOL:
    put_string(printer, expr_symbol_name(printer->graph, piece.node));
    break;
  case EXPR_POWER:
    put_infix(printer, piece, text, LEVEL_POWER, LEVEL_ATOM);
    break;
  case EXPR_LESS:
  case EXPR_LESS_EQUAL:
  case EXPR_EQUAL:
    put_infix(printer, piece, text, LEVEL_RELATION, LEVEL_SUM);
    break;
  case EXPR_AND:
    put_infix(printer, piece, text, LEVEL_AND, LEVEL_AND);
    break;
  case EXPR_OR:
    put_infix(printer, piece, text, LEVEL_OR, LEVEL_OR);
    break;
  case EXPR_NOT:
    put_not(printer, piece);
    break;
  case EXPR_IF:
    put_if(printer, piece);
    break;
  default:
    put_call(printer, piece.node);
    break;
  }
}
