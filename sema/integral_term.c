/* Antiderivatives with respect to one symbol, term by term.
 *
 * Rules, in this order: powers; sine, cosine, exponential of what is linear in x, and squares of
 * sine and cosine; u^p u_x and f(u) u_x; products of sums multiplied out; x^k times any of these
 * by parts. A logarithm is written 1/2 log(u^2), which is right on both sides of zero. */
#include "sema/integral.h"
#include "base/vector.h"

enum { DEPTH_LIMIT = 8, EXPAND_LIMIT = 64, TERMS_LIMIT = 2000 };

struct antiderivative {
  struct expr_graph *graph;
  expr x;
  struct expr_symbol_set *set; /* of x alone */
  uint32_t terms;              /* looked at so far */
};

struct factor {
  expr base, power; /* power: base^exponent */
  uint32_t number;  /* of the exponent */
};

struct term {
  expr whole, outer; /* outer: the factors free of x */
  VECTOR(struct factor) inner;
};

static expr integrate(struct antiderivative *w, expr e, int depth);

static bool is_free(const struct antiderivative *w, expr e) {
  return !expr_symbol_set_touches(w->set, e);
}

static double exponent_of(const struct antiderivative *w, const struct factor *factor) {
  return expr_pool_double(w->graph, factor->number);
}

static void take_apart(struct antiderivative *w, expr e, struct term *term) {
  struct expr_graph *graph = w->graph;
  expr outer = expr_integer(graph, 1), one = outer;
  term->whole = e;
  if (expr_operator_of(graph, e) != EXPR_PRODUCT) {
    vector_push(&term->inner, ((struct factor){e, e, 0}));
    /* The number 1 of the pool is not known by its id; a product with exponent 1 shows it. */
    term->inner.items[0].number = UINT32_MAX;
    term->outer = one;
    return;
  }
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, e, &count);
  VECTOR(struct expr_operand) copy = {0};
  for (uint32_t i = 0; i < count; i++) vector_push(&copy, operands[i]);
  outer = expr_rational(graph, expr_constant(graph, e));
  for (uint32_t i = 0; i < copy.count; i++) {
    struct factor factor = {.base = copy.items[i].node, .number = copy.items[i].number};
    expr exponent = expr_rational(graph, expr_pool_number(graph, factor.number));
    factor.power = expr_power(graph, factor.base, exponent);
    if (is_free(w, factor.base))
      outer = expr_multiply(graph, outer, factor.power);
    else
      vector_push(&term->inner, factor);
  }
  term->outer = outer;
  vector_free(&copy);
}

static double factor_exponent(const struct antiderivative *w, const struct factor *factor) {
  return factor->number == UINT32_MAX ? 1 : exponent_of(w, factor);
}

/* base^(p+1)/(p+1), or the logarithm. */
static expr raise(struct antiderivative *w, const struct factor *factor) {
  struct expr_graph *graph = w->graph;
  if (factor_exponent(w, factor) == -1)
    return expr_multiply(graph, expr_ratio(graph, 1, 2),
                         expr_unary(graph, EXPR_LOG, expr_power_ratio(graph, factor->base, 2, 1)));
  expr next = expr_integer(graph, 2);
  if (factor->number != UINT32_MAX)
    next = expr_add(graph, expr_integer(graph, 1),
                    expr_rational(graph, expr_pool_number(graph, factor->number)));
  return expr_divide(graph, expr_power(graph, factor->base, next), next);
}

/* ---------------------------------------------------------------- rules for one factor */

/* The antiderivative of a function by its argument, or 0. */
static expr of_function(struct antiderivative *w, const struct factor *factor, expr *argument) {
  struct expr_graph *graph = w->graph;
  enum expr_operator operator_ = expr_operator_of(graph, factor->base);
  if (operator_ != EXPR_SIN && operator_ != EXPR_COS && operator_ != EXPR_EXP) return 0;
  uint32_t count;
  expr u = *argument = expr_operands(graph, factor->base, &count)[0].node;
  double exponent = factor_exponent(w, factor);
  if (exponent == 1 && operator_ == EXPR_SIN)
    return expr_negate(graph, expr_unary(graph, EXPR_COS, u));
  if (exponent == 1 && operator_ == EXPR_COS) return expr_unary(graph, EXPR_SIN, u);
  if (exponent == 1) return factor->base;
  if (exponent != 2 || operator_ == EXPR_EXP) return 0;
  /* u/2 -+ sin u cos u/2 */
  expr area = expr_multiply(graph, expr_unary(graph, EXPR_SIN, u), expr_unary(graph, EXPR_COS, u));
  if (operator_ == EXPR_SIN) area = expr_negate(graph, area);
  return expr_multiply(graph, expr_ratio(graph, 1, 2), expr_add(graph, u, area));
}

static expr one_factor(struct antiderivative *w, const struct factor *factor) {
  struct expr_graph *graph = w->graph;
  if (factor->base == w->x) return raise(w, factor);
  expr argument, slope, rest, found = of_function(w, factor, &argument);
  if (found == 0 || !expr_linear_parts(graph, argument, &w->x, 1, &slope, &rest)) return 0;
  return expr_divide(graph, found, slope);
}

/* ---------------------------------------------------------------- u^p u_x and f(u) u_x */

/* The part of the term besides `power * du`, if that is free of x; 0 if not. */
static expr beside(struct antiderivative *w, expr whole, expr power, expr du) {
  struct expr_graph *graph = w->graph;
  if (expr_is_integer_value(graph, du, 0)) return 0;
  expr ratio = expr_divide(graph, whole, expr_multiply(graph, power, du));
  if (is_free(w, ratio)) return ratio;
  /* A guess: whoever wants the integral differentiates it. */
  struct zero_test test = {.points = 2, .bits = 128, .only_refutes = true};
  enum verdict is_constant = expr_is_zero(graph, expr_derivative(graph, ratio, w->x), &test);
  if (is_constant == VERDICT_NO || test.points_used == 0) return 0;
  struct expr_substitution *at_one = expr_substitution_new(graph);
  expr_substitution_add(at_one, w->x, expr_integer(graph, 1));
  ratio = expr_substitution_of(at_one, ratio);
  expr_substitution_free(at_one);
  return ratio;
}

static expr by_chain(struct antiderivative *w, const struct term *term) {
  struct expr_graph *graph = w->graph;
  for (uint32_t i = 0; i < term->inner.count; i++) {
    const struct factor *factor = &term->inner.items[i];
    expr slope = expr_derivative(graph, factor->base, w->x);
    expr ratio = beside(w, term->whole, factor->power, slope), argument;
    if (ratio != 0) return expr_multiply(graph, ratio, raise(w, factor));
    expr found = of_function(w, factor, &argument);
    if (found == 0) continue;
    ratio = beside(w, term->whole, factor->power, expr_derivative(graph, argument, w->x));
    if (ratio != 0) return expr_multiply(graph, ratio, found);
  }
  return 0;
}

/* ---------------------------------------------------------------- products */

/* Multiplies the first sum of the term out. */
static expr by_expansion(struct antiderivative *w, const struct term *term, int depth) {
  struct expr_graph *graph = w->graph;
  for (uint32_t i = 0; i < term->inner.count; i++) {
    const struct factor *factor = &term->inner.items[i];
    double exponent = factor_exponent(w, factor);
    if (expr_operator_of(graph, factor->base) != EXPR_SUM) continue;
    if (exponent != 1 && exponent != 2 && exponent != 3 && exponent != 4) continue;
    uint32_t count;
    const struct expr_operand *operands = expr_operands(graph, factor->base, &count);
    if (count > EXPAND_LIMIT) return 0;
    expr parts[EXPAND_LIMIT + 1], numbers[EXPAND_LIMIT];
    struct expr_operand copy[EXPAND_LIMIT];
    for (uint32_t k = 0; k < count; k++) copy[k] = operands[k];
    expr rest = expr_divide(graph, term->whole, factor->base);
    for (uint32_t k = 0; k < count; k++) {
      numbers[k] = expr_rational(graph, expr_pool_number(graph, copy[k].number));
      expr scaled = expr_multiply(graph, numbers[k], copy[k].node);
      parts[k] = expr_multiply(graph, rest, scaled);
    }
    parts[count] =
        expr_multiply(graph, rest, expr_rational(graph, expr_constant(graph, factor->base)));
    return integrate(w, expr_sum(graph, parts, count + 1), depth + 1);
  }
  return 0;
}

/* x^k g: x^k G - k (integral of x^(k-1) G). */
static expr by_parts(struct antiderivative *w, const struct term *term, int depth) {
  struct expr_graph *graph = w->graph;
  for (uint32_t i = 0; i < term->inner.count; i++) {
    const struct factor *factor = &term->inner.items[i];
    double exponent = factor_exponent(w, factor);
    if (factor->base != w->x || exponent < 1 || exponent > DEPTH_LIMIT) continue;
    if (exponent != (double)(int)exponent) continue;
    expr other = integrate(w, expr_divide(graph, term->whole, factor->power), depth + 1);
    if (other == 0) return 0;
    expr slope = expr_derivative(graph, factor->power, w->x);
    expr rest = integrate(w, expr_multiply(graph, slope, other), depth + 1);
    if (rest == 0) return 0;
    return expr_subtract(graph, expr_multiply(graph, factor->power, other), rest);
  }
  return 0;
}

static expr integrate_term(struct antiderivative *w, expr e, int depth) {
  struct expr_graph *graph = w->graph;
  if (is_free(w, e)) return expr_multiply(graph, e, w->x);
  if (depth > DEPTH_LIMIT || ++w->terms > TERMS_LIMIT || expr_graph_is_full(graph)) return 0;
  struct term term = {0};
  take_apart(w, e, &term);
  expr found = 0;
  if (term.inner.count == 1) {
    found = one_factor(w, &term.inner.items[0]);
    if (found != 0) found = expr_multiply(graph, term.outer, found);
  }
  if (found == 0) found = by_chain(w, &term);
  if (found == 0) found = by_expansion(w, &term, depth);
  if (found == 0) found = by_parts(w, &term, depth);
  vector_free(&term.inner);
  return found;
}

static expr integrate(struct antiderivative *w, expr e, int depth) {
  struct expr_graph *graph = w->graph;
  if (expr_operator_of(graph, e) != EXPR_SUM) return integrate_term(w, e, depth);
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, e, &count);
  VECTOR(struct expr_operand) copy = {0};
  for (uint32_t i = 0; i < count; i++) vector_push(&copy, operands[i]);
  expr total = expr_multiply(graph, expr_rational(graph, expr_constant(graph, e)), w->x);
  for (uint32_t i = 0; i < copy.count && total != 0; i++) {
    expr part = integrate_term(w, copy.items[i].node, depth);
    expr number = expr_rational(graph, expr_pool_number(graph, copy.items[i].number));
    total = part != 0 ? expr_add(graph, total, expr_multiply(graph, number, part)) : 0;
  }
  vector_free(&copy);
  return total;
}

expr integral_antiderivative(struct expr_graph *graph, expr e, expr x) {
  struct antiderivative w = {graph, x, expr_symbol_set_new(graph), 0};
  expr_symbol_set_add(w.set, x);
  expr found = integrate(&w, e, 0);
  expr_symbol_set_free(w.set);
  return found;
}
