/* Questions about residuals that their structure alone may not answer: is one linear in the
 * velocities, of which degree is it, is it 0 everywhere? */
#include "sema/constraint.h"
#include <math.h>
#include <stdlib.h>

static expr some_integer(struct analysis *a, expr symbol) {
  return expr_integer(a->l->graph, (long)(hash_mix(symbol) >> 44) + 1);
}

static bool is_zero(struct analysis *a, expr e) {
  struct zero_test test = {0};
  if (expr_is_integer_value(a->l->graph, e, 0)) return true;
  enum verdict verdict = expr_is_zero(a->l->graph, e, &test);
  return verdict == VERDICT_YES || (verdict == VERDICT_UNDECIDED && test.points_used > 0);
}

/* ---------------------------------------------------------------- degree */

struct nodes { /* of an expression, children before parents */
  VECTOR(expr) items;
  struct map place; /* node -> index + 1 */
};

static int by_id(const void *a, const void *b) {
  expr x = *(const expr *)a, y = *(const expr *)b;
  return x < y ? -1 : x > y;
}

static void add_node(struct nodes *nodes, expr e) {
  if (map_get(&nodes->place, e) != 0) return;
  map_set(&nodes->place, e, 1);
  vector_push(&nodes->items, e);
}

/* The graph is that of the whole model: only what e is made of is touched. */
static struct nodes nodes_of(struct analysis *a, expr e) {
  struct nodes nodes = {0};
  add_node(&nodes, e);
  for (uint32_t at = 0; at < nodes.items.count; at++) {
    uint32_t count;
    const struct expr_operand *operands = expr_operands(a->l->graph, nodes.items.items[at], &count);
    for (uint32_t i = 0; i < count; i++) add_node(&nodes, operands[i].node);
  }
  qsort(nodes.items.items, nodes.items.count, sizeof *nodes.items.items, by_id);
  for (uint32_t at = 0; at < nodes.items.count; at++)
    map_set(&nodes.place, nodes.items.items[at], at + 1);
  return nodes;
}

static void nodes_free(struct nodes *nodes) {
  vector_free(&nodes->items);
  map_free(&nodes->place);
}

enum { NO_DEGREE = 1000 };

static unsigned degree_of(struct analysis *a, const struct nodes *nodes, expr e,
                          const unsigned *degrees) {
  struct expr_graph *graph = a->l->graph;
  enum expr_operator operator_ = expr_operator_of(graph, e);
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, e, &count);
  if (operator_ == EXPR_SYMBOL)
    return map_get(&a->l->roles, e) % ROLE_COUNT == ROLE_VELOCITY ? 1 : 0;
  unsigned sum = 0, most = 0;
  for (uint32_t i = 0; i < count; i++) {
    unsigned degree = degrees[map_get(&nodes->place, operands[i].node) - 1];
    if (degree > most) most = degree;
    if (operator_ != EXPR_PRODUCT || degree == 0) continue;
    mpq_srcptr power = expr_pool_number(graph, operands[i].number);
    bool is_whole = mpz_cmp_ui(mpq_denref(power), 1) == 0 && mpq_sgn(power) > 0 &&
                    mpz_cmp_ui(mpq_numref(power), NO_DEGREE) < 0;
    sum += is_whole ? degree * (unsigned)mpz_get_ui(mpq_numref(power)) : NO_DEGREE;
    if (sum > NO_DEGREE) sum = NO_DEGREE;
  }
  if (operator_ == EXPR_PRODUCT) return sum;
  return operator_ == EXPR_SUM || most == 0 ? most : NO_DEGREE;
}

/* 0 if it is no polynomial in the velocities, or free of them. */
static unsigned degree_in_velocities(struct analysis *a, expr e) {
  struct nodes nodes = nodes_of(a, e);
  unsigned *degrees = checked_calloc(nodes.items.count, sizeof *degrees);
  for (uint32_t i = 0; i < nodes.items.count; i++)
    degrees[i] = degree_of(a, &nodes, nodes.items.items[i], degrees);
  unsigned degree = degrees[nodes.items.count - 1]; /* e is behind all that it is made of */
  free(degrees);
  nodes_free(&nodes);
  return degree < NO_DEGREE ? degree : 0;
}

unsigned constraint_degree(struct analysis *a, const struct model_constraint *c) {
  return a->context->diagnostics.dropped > 0 ? 0 : degree_in_velocities(a, c->residual);
}

/* ---------------------------------------------------------------- linear? */

static void find_velocities(struct analysis *a, expr e, struct expr_list *out) {
  struct expr_list symbols = {0};
  expr_symbols_of(a->l->graph, &e, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++)
    if (map_get(&a->l->roles, symbols.items[i]) % ROLE_COUNT == ROLE_VELOCITY)
      vector_push(out, symbols.items[i]);
  vector_free(&symbols);
}

static bool is_piecewise(enum expr_operator operator_) {
  return operator_ == EXPR_ABS || operator_ == EXPR_SIGN || operator_ == EXPR_MIN ||
         operator_ == EXPR_MAX || operator_ == EXPR_FLOOR || operator_ == EXPR_MOD ||
         operator_ == EXPR_IF;
}

/* |x'| has no second derivative, but is not linear. */
static bool is_smooth(struct analysis *a, expr e, const struct expr_list *velocities) {
  struct expr_symbol_set *set = expr_symbol_set_new(a->l->graph);
  for (uint32_t i = 0; i < velocities->count; i++) expr_symbol_set_add(set, velocities->items[i]);
  struct nodes nodes = nodes_of(a, e);
  bool is_smooth = true;
  for (uint32_t i = 0; i < nodes.items.count && is_smooth; i++)
    is_smooth = !is_piecewise(expr_operator_of(a->l->graph, nodes.items.items[i])) ||
                !expr_symbol_set_touches(set, nodes.items.items[i]);
  nodes_free(&nodes);
  expr_symbol_set_free(set);
  return is_smooth;
}

/* The tangent of the residual at some velocities: what it is if it is linear. A polynomial has one
 * at 0; other forms may be undefined there. */
static expr linear_form(struct analysis *a, expr residual, const struct expr_list *velocities,
                        bool is_polynomial) {
  struct expr_graph *graph = a->l->graph;
  struct expr_substitution *at = expr_substitution_new(graph);
  long first = is_polynomial ? 0 : 3, next = is_polynomial ? 0 : 2;
  for (uint32_t i = 0; i < velocities->count; i++)
    expr_substitution_add(at, velocities->items[i], expr_integer(graph, first + next * (long)i));
  expr *terms = checked_calloc((size_t)velocities->count + 1, sizeof *terms);
  for (uint32_t i = 0; i < velocities->count; i++) {
    expr slope = expr_substitution_of(at, expr_derivative(graph, residual, velocities->items[i]));
    expr step =
        expr_subtract(graph, velocities->items[i], expr_integer(graph, first + next * (long)i));
    terms[i] = expr_multiply(graph, slope, step);
  }
  terms[velocities->count] = expr_substitution_of(at, residual);
  expr form = expr_sum(graph, terms, velocities->count + 1);
  free(terms);
  expr_substitution_free(at);
  return form;
}

/* Twice the derivative in one direction of velocities, the same for all constraints. */
static bool is_curved(struct analysis *a, expr residual, struct expr_tangent **direction) {
  if (*direction == NULL) {
    *direction = expr_tangent_new(a->l->graph);
    for (uint32_t i = 0; i < a->model->coordinates.count; i++) {
      expr velocity = a->model->coordinates.items[i].velocity;
      expr_tangent_seed(*direction, velocity, some_integer(a, velocity));
    }
  }
  return !is_zero(a, expr_tangent_of(*direction, expr_tangent_of(*direction, residual)));
}

bool constraint_make_linear(struct analysis *a, struct model_constraint *c,
                            struct expr_tangent **direction) {
  struct expr_graph *graph = a->l->graph;
  struct expr_list velocities = {0};
  find_velocities(a, c->residual, &velocities);
  expr *parts = checked_calloc((size_t)velocities.count + 1, sizeof *parts), rest;
  bool is_linear =
      expr_linear_parts(graph, c->residual, velocities.items, velocities.count, parts, &rest);
  if (!is_linear && !is_curved(a, c->residual, direction) &&
      is_smooth(a, c->residual, &velocities)) {
    expr form = linear_form(a, c->residual, &velocities, degree_in_velocities(a, c->residual) > 0);
    is_linear = is_zero(a, expr_subtract(graph, c->residual, form));
    if (is_linear) c->residual = form;
  }
  free(parts);
  vector_free(&velocities);
  return is_linear;
}

/* ---------------------------------------------------------------- 0 everywhere? */

struct point { /* random values; those of what moves change from round to round */
  const struct lowering *l;
  uint64_t round;
};

static bool is_moving(const struct lowering *l, expr symbol) {
  uint32_t role = map_get(&l->roles, symbol) % ROLE_COUNT;
  return role == ROLE_POSITION || role == ROLE_VELOCITY;
}

static double value_at(void *user, expr symbol) {
  const struct point *point = user;
  uint64_t mixed = hash_mix(symbol + (is_moving(point->l, symbol) ? hash_mix(point->round) : 0));
  return 0.25 + (double)(mixed >> 40) / (double)(1u << 24);
}

/* By the derivative in one direction, which no constraint has any reason to know. */
static bool is_fixed(struct analysis *a, expr residual) {
  struct expr_graph *graph = a->l->graph;
  struct expr_tangent *tangent = expr_tangent_new(graph);
  struct expr_list symbols = {0};
  expr_symbols_of(graph, &residual, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++)
    if (is_moving(a->l, symbols.items[i]))
      expr_tangent_seed(tangent, symbols.items[i], some_integer(a, symbols.items[i]));
  bool is_fixed = is_zero(a, expr_tangent_of(tangent, residual));
  expr_tangent_free(tangent);
  vector_free(&symbols);
  return is_fixed;
}

enum constraint_content *constraints_find_content(struct analysis *a) {
  enum { ROUNDS = 3 };
  uint32_t count = a->model->constraints.count;
  enum constraint_content *content = checked_calloc((size_t)count + 1, sizeof *content);
  expr *residuals = checked_calloc((size_t)count + 1, sizeof *residuals);
  double *values[ROUNDS];
  for (uint32_t i = 0; i < count; i++) {
    residuals[i] = a->model->constraints.items[i].residual;
    if (residuals[i] == 0) residuals[i] = a->model->time;
  }
  /* Doubles settle almost all of them: the prover would have to be loaded. */
  for (int round = 0; round < ROUNDS; round++) {
    struct point point = {a->l, (uint64_t)round};
    values[round] = checked_calloc((size_t)count + 1, sizeof *values[round]);
    expr_evaluate(a->l->graph, residuals, count, value_at, &point, values[round]);
  }
  for (uint32_t i = 0; i < count; i++) {
    double change = fabs(values[1][i] - values[0][i]) + fabs(values[2][i] - values[0][i]);
    bool may_be_fixed = change <= 1e-9 * (1 + fabs(values[0][i]));
    bool may_be_zero = may_be_fixed && fabs(values[0][i]) < 1e-9;
    content[i] = CONTENT_MOVING;
    if (a->model->constraints.items[i].residual == 0) continue;
    if (may_be_zero && is_zero(a, residuals[i]))
      content[i] = CONTENT_NONE;
    else if (may_be_fixed && is_fixed(a, residuals[i]))
      content[i] = CONTENT_FIXED;
  }
  for (int round = 0; round < ROUNDS; round++) free(values[round]);
  free(residuals);
  return content;
}
