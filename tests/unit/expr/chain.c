/* A planar chain of N links, the way the deriving stages make it: size and folds. */
#include "expr/expr.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct chain {
  struct expr_graph *graph;
  uint32_t n;
  expr m, l;
  expr *angle, *rate, *acceleration, *mass, *row, *rest;
};

static expr *ids(uint32_t count) {
  return calloc(count, sizeof(expr));
}

static struct chain chain_new(uint32_t n) {
  struct chain chain = {expr_graph_new(0), n,      0,     0, ids(n), ids(n), ids(n),
                        ids(n * n),        ids(n), ids(n)};
  struct expr_graph *g = chain.graph;
  chain.m = expr_symbol(g, "m", NULL);
  chain.l = expr_symbol(g, "l", NULL);
  for (uint32_t i = 0; i < n; i++) {
    char name[32];
    snprintf(name, sizeof name, "θ[%u]", i + 1);
    chain.angle[i] = expr_symbol(g, name, NULL);
    snprintf(name, sizeof name, "θ[%u]'", i + 1);
    chain.rate[i] = expr_symbol(g, name, NULL);
    snprintf(name, sizeof name, "θ[%u]''", i + 1);
    chain.acceleration[i] = expr_symbol(g, name, NULL);
  }
  return chain;
}

static void chain_free(struct chain *chain) {
  expr_graph_free(chain->graph);
  free(chain->angle);
  free(chain->rate);
  free(chain->acceleration);
  free(chain->mass);
  free(chain->row);
  free(chain->rest);
}

/* M_ij = sum_k>=max(i,j) m l^2 (cos cos + sin sin), one n-ary sum an entry */
static void fill_mass(struct chain *chain) {
  struct expr_graph *g = chain->graph;
  expr *terms = ids(2 * chain->n),
       factor = expr_multiply(g, chain->m, expr_power_ratio(g, chain->l, 2, 1));
  for (uint32_t i = 0; i < chain->n; i++) {
    for (uint32_t j = 0; j < chain->n; j++) {
      uint32_t count = 0;
      for (uint32_t k = i > j ? i : j; k < chain->n; k++) {
        for (int part = 0; part < 2; part++) {
          enum expr_operator f = part == 0 ? EXPR_COS : EXPR_SIN;
          expr factors[3] = {factor, expr_unary(g, f, chain->angle[i]),
                             expr_unary(g, f, chain->angle[j])};
          terms[count++] = expr_product(g, factors, 3);
        }
      }
      chain->mass[i + j * chain->n] = expr_sum(g, terms, count);
    }
  }
  free(terms);
}

/* (n - max(i,j)) m l^2 cos(θ_i - θ_j) */
static expr expected(struct chain *chain, uint32_t i, uint32_t j) {
  struct expr_graph *g = chain->graph;
  long links = (long)(chain->n - (i > j ? i : j));
  expr factors[4] = {expr_integer(g, links), chain->m, expr_power_ratio(g, chain->l, 2, 1),
                     expr_unary(g, EXPR_COS, expr_subtract(g, chain->angle[i], chain->angle[j]))};
  return expr_product(g, factors, 4);
}

static void mass_matrix_from_sums(void **state) {
  (void)state;
  uint32_t sizes[2] = {0, 0};
  for (int size = 0; size < 2; size++) {
    struct chain chain = chain_new(size == 0 ? 50 : 100);
    fill_mass(&chain);
    sizes[size] = expr_reachable_count(chain.graph, chain.mass, chain.n * chain.n);
    for (uint32_t i = 0; i < chain.n; i++)
      for (uint32_t j = 0; j < chain.n; j++)
        assert_int_equal(chain.mass[i + j * chain.n], expected(&chain, i, j));
    /* the whole graph, scrap included, stays of the order of n^2 */
    assert_true(expr_graph_size(chain.graph) < 8 * chain.n * chain.n + 1000);
    chain_free(&chain);
  }
  assert_true(sizes[1] < 5 * sizes[0]);
}

/* Lagrange's way: kinetic energy, momenta, their rates, linear parts in the accelerations. */
static void equations_from_the_energy(void **state) {
  (void)state;
  struct chain chain = chain_new(40);
  struct expr_graph *g = chain.graph;
  uint32_t n = chain.n;
  expr *terms = ids(2 * n), x[80], y[80];
  for (uint32_t i = 0; i < n; i++) {
    x[i] = expr_multiply(g, expr_multiply(g, chain.l, chain.rate[i]),
                         expr_unary(g, EXPR_COS, chain.angle[i]));
    y[i] = expr_multiply(g, expr_multiply(g, chain.l, chain.rate[i]),
                         expr_unary(g, EXPR_SIN, chain.angle[i]));
    expr vx = expr_sum(g, x, i + 1), vy = expr_sum(g, y, i + 1);
    expr square = expr_add(g, expr_multiply(g, vx, vx), expr_multiply(g, vy, vy));
    terms[i] = expr_multiply(g, expr_multiply(g, chain.m, expr_ratio(g, 1, 2)), square);
  }
  expr energy = expr_sum(g, terms, n);
  struct expr_tangent *rate = expr_tangent_new(g);
  for (uint32_t i = 0; i < n; i++) {
    expr_tangent_seed(rate, chain.angle[i], chain.rate[i]);
    expr_tangent_seed(rate, chain.rate[i], chain.acceleration[i]);
  }
  for (uint32_t i = 0; i < n; i++) {
    expr momentum = expr_derivative(g, energy, chain.rate[i]);
    expr force = expr_subtract(g, expr_tangent_of(rate, momentum),
                               expr_derivative(g, energy, chain.angle[i]));
    assert_true(expr_linear_parts(g, force, chain.acceleration, n, chain.row, &chain.rest[i]));
    for (uint32_t j = 0; j < n; j++) assert_int_equal(chain.row[j], expected(&chain, i, j));
  }
  expr_tangent_free(rate);
  printf("chain of %u: graph %u, forcing %u nodes\n", n, expr_graph_size(g),
         expr_reachable_count(g, chain.rest, n));
  free(terms);
  chain_free(&chain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_matrix_from_sums),
      cmocka_unit_test(equations_from_the_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
