/* The canonical equations as a textbook writes them: H(q, p), q' = dH/dp, p' = -dH/dq + ... where
 * the velocities follow from the momenta by a short calculation; else H and the momenta by the
 * velocities, and p'. Sources: see hamilton.c. */
#include "derive/equations.h"
#include "derive/inverse.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

/* A block of M with an inverse that is still readable. */
enum { READABLE_BLOCK = 2 };

struct canonical {
  struct equations *equations;
  const struct system *system;
  struct expr_graph *graph;
  size_t n;
  expr *inverse;  /* n*n: M^-1 */
  expr *momentum; /* n: p - b */
  expr *velocity; /* n: q' by momenta, or its symbol */
  struct expr_substitution *by_momenta;
};

static bool find_inverse(struct canonical *c) {
  const struct model *model = c->system->model;
  struct expr_symbol_set *varying = expr_symbol_set_new(c->graph);
  for (size_t j = 0; j < c->n; j++)
    expr_symbol_set_add(varying, model->coordinates.items[j].position);
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_symbol_set_add(varying, model->states.items[k].value);
  expr_symbol_set_add(varying, model->time);
  /* det M below a fraction reads better than the pivots of an elimination */
  for (uint32_t k = 0; k < model->parameters.count; k++)
    expr_symbol_set_add(varying, model->parameters.items[k].symbol);
  bool ok = inverse_of(c->graph, c->system->state.mass, (uint32_t)c->n, varying, READABLE_BLOCK,
                       c->inverse, NULL);
  expr_symbol_set_free(varying);
  return ok;
}

static void find_velocities(struct canonical *c, bool is_short) {
  expr *terms = checked_calloc(c->n + 1, sizeof(expr));
  for (size_t i = 0; i < c->n; i++) {
    expr symbol = c->system->model->coordinates.items[i].velocity;
    for (size_t j = 0; j < c->n && is_short; j++)
      terms[j] = expr_multiply(c->graph, c->inverse[i + j * c->n], c->momentum[j]);
    c->velocity[i] = is_short ? expr_sum(c->graph, terms, c->n) : symbol;
    expr_substitution_add(c->by_momenta, symbol, c->velocity[i]);
  }
  free(terms);
}

/* 1/2 sum of a_ij x_i x_j for a symmetric a, less L0. */
static expr hamiltonian(struct canonical *c, const expr *a, const expr *x) {
  size_t count = 0;
  expr *terms = checked_calloc(c->n * (c->n + 1) / 2 + 1, sizeof(expr));
  for (size_t j = 0; j < c->n; j++)
    for (size_t i = 0; i <= j; i++) {
      expr factors[4] = {a[i + j * c->n], x[i], x[j], expr_ratio(c->graph, 1, i == j ? 2 : 1)};
      terms[count++] = expr_product(c->graph, factors, 4);
    }
  terms[count++] = expr_negate(c->graph, c->system->state.at_rest);
  expr sum = expr_sum(c->graph, terms, count);
  free(terms);
  return sum;
}

static void put(struct canonical *c, expr left, expr right) {
  struct equation_line line = {left, right};
  vector_push(&c->equations->motion, line);
}

static void arrange(struct canonical *c, bool is_short) {
  const struct system *s = c->system;
  expr *arms = checked_calloc(c->n * s->m + 1, sizeof(expr)); /* A^T */
  for (size_t j = 0; j < c->n; j++)
    for (size_t k = 0; k < s->m; k++) arms[j + k * c->n] = s->constraint_jacobian[k + j * s->m];
  put(c, expr_symbol(c->graph, "H", NULL),
      is_short ? hamiltonian(c, c->inverse, c->momentum)
               : hamiltonian(c, s->state.mass, c->velocity));
  for (size_t j = 0; j < c->n; j++)
    if (is_short)
      put(c, s->model->coordinates.items[j].velocity, c->velocity[j]);
    else
      put(c, s->state.symbol[j], s->state.value[j]);
  for (size_t j = 0; j < c->n; j++) {
    expr rate = expr_substitution_of(c->by_momenta, s->state.rate[j]);
    put(c, s->state.symbol_rate[j],
        equations_with_reactions(c->equations, arms, (uint32_t)j, rate));
  }
  free(arms);
}

void equations_arrange_momenta(struct equations *equations) {
  const struct system *s = equations->system;
  struct canonical c = {.equations = equations, .system = s, .graph = s->graph, .n = s->n};
  c.inverse = checked_calloc(c.n * c.n + 1, sizeof(expr));
  c.momentum = checked_calloc(c.n + 1, sizeof(expr));
  c.velocity = checked_calloc(c.n + 1, sizeof(expr));
  c.by_momenta = expr_substitution_new(c.graph);
  for (size_t j = 0; j < c.n; j++)
    c.momentum[j] = expr_subtract(c.graph, s->state.symbol[j], s->state.rest[j]);
  bool is_short = find_inverse(&c);
  find_velocities(&c, is_short);
  arrange(&c, is_short);
  expr_substitution_free(c.by_momenta);
  free(c.inverse);
  free(c.momentum);
  free(c.velocity);
}
