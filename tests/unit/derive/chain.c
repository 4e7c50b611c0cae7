/* Size: a chain of n pendulums, its kinetic energy as a sum of squares of n-term sums. The mass
 * matrix is M_ij = (n - max(i,j)) m l^2 cos(θ_i - θ_j) (i, j from 0); accelerations for n = 10 are
 * those of a published case. The graph must grow no faster than n^2. */
#include "tests/unit/derive/build.h"
#include <time.h>

static expr sum_of(struct built *b, expr *terms, uint32_t count) {
  return expr_sum(b->model.graph, terms, count);
}

/* Bobs 1..n with velocities (sum l cos θ_j θ'_j, sum l sin θ_j θ'_j). */
static void build_chain(struct built *b, uint32_t n) {
  struct expr_graph *g = b->model.graph;
  char name[32];
  for (uint32_t i = 1; i <= n; i++) {
    snprintf(name, sizeof name, "θ[%u]", i);
    built_coordinate(b, name, "rad");
  }
  built_parameter(b, "m", "1");
  built_parameter(b, "l", "0.1");
  built_parameter(b, "g", "9.81");
  expr m = built_symbol(b, "m"), l = built_symbol(b, "l"), gravity = built_symbol(b, "g");
  expr *x = checked_calloc(n, sizeof *x), *y = checked_calloc(n, sizeof *y),
       *h = checked_calloc(n, sizeof *h);
  for (uint32_t i = 0; i < n; i++) {
    const struct model_coordinate *c = &b->model.coordinates.items[i];
    expr sine = expr_unary(g, EXPR_SIN, c->position), cosine = expr_unary(g, EXPR_COS, c->position);
    x[i] = expr_product(g, (expr[]){l, cosine, c->velocity}, 3);
    y[i] = expr_product(g, (expr[]){l, sine, c->velocity}, 3);
    h[i] = expr_negate(g, expr_multiply(g, l, cosine));
    expr vx = sum_of(b, x, i + 1), vy = sum_of(b, y, i + 1);
    expr squares = expr_add(g, expr_multiply(g, vx, vx), expr_multiply(g, vy, vy));
    struct model_energy kinetic = {ENERGY_KINETIC, "", 0, {0}};
    struct model_energy potential = {ENERGY_POTENTIAL, "", 0, {0}};
    kinetic.value = expr_product(g, (expr[]){expr_ratio(g, 1, 2), m, squares}, 3);
    potential.value = expr_product(g, (expr[]){m, gravity, sum_of(b, h, i + 1)}, 3);
    vector_push(&b->model.energies, kinetic);
    vector_push(&b->model.energies, potential);
  }
  free(x);
  free(y);
  free(h);
}

static void set_state(struct built *b, uint32_t n, double *q, double *v) {
  for (uint32_t i = 0; i < n; i++) {
    const struct model_coordinate *c = &b->model.coordinates.items[i];
    q[i] = 0.5 + 0.1 * i * (i % 2 ? -1 : 1);
    v[i] = 1 - 0.05 * i;
    b->values[b->value_count].symbol = c->position;
    b->values[b->value_count++].value = q[i];
    b->values[b->value_count].symbol = c->velocity;
    b->values[b->value_count++].value = v[i];
  }
}

static void test_ten_links(void **state) {
  (void)state;
  static const double expected[10] = {-68.18224600871038, 68.84339093011542, -96.17221527026152,
                                      82.95433052641435,  -53.1681853177899, 26.098281425719126,
                                      -9.73146952520398,  2.751591117947386, -0.7097969709172133,
                                      0.18973815926528712};
  struct built b;
  built_init(&b);
  build_chain(&b, 10);
  struct system *s = built_derive(&b);
  double q[10], v[10], a[10];
  set_state(&b, 10, q, v);
  for (uint32_t i = 0; i < 10; i++) {
    double rhs = -(10.0 - i) * 0.981 * sin(q[i]);
    for (uint32_t j = 0; j < 10; j++) {
      double weight = (10.0 - (i > j ? i : j)) * 0.01;
      assert_near(built_value(&b, s->mass[i + j * 10]), weight * cos(q[i] - q[j]), 1e-12);
      rhs -= weight * sin(q[i] - q[j]) * v[j] * v[j];
    }
    assert_near(built_value(&b, s->forcing[i]), rhs, 1e-12);
  }
  built_accelerations(&b, s, a);
  for (uint32_t i = 0; i < 10; i++) assert_near(a[i], expected[i], 1e-9);
  assert_true(s->energy_is_conserved);
  system_free(s);
  built_clear(&b);
}

static uint32_t derived_size(uint32_t n, double *seconds) {
  struct built b;
  built_init(&b);
  build_chain(&b, n);
  clock_t begin = clock();
  struct system *s = built_derive(&b);
  system_derive_mass(s);
  *seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  VECTOR(expr) roots = {0};
  for (size_t k = 0; k < (size_t)n * n; k++) vector_push(&roots, s->mass[k]);
  for (size_t k = 0; k < n; k++) vector_push(&roots, s->forcing[k]);
  uint32_t size = expr_reachable_count(s->graph, roots.items, roots.count);
  print_message("n = %u: %u nodes in M and f, graph %u, %.3f s\n", n, size,
                expr_graph_size(s->graph), *seconds);
  vector_free(&roots);
  system_free(s);
  built_clear(&b);
  return size;
}

static void test_growth(void **state) {
  (void)state;
  double seconds;
  uint32_t small = derived_size(50, &seconds), large = derived_size(100, &seconds);
  assert_true(large < 4.1 * small); /* n^2 */
  assert_true(large < 40u * 100 * 100);
  assert_true(seconds < 20); /* a guard against cubic sizes; a tenth of a second is usual */
}

static void test_jacobian_of_chain(void **state) {
  (void)state;
  struct built b;
  built_init(&b);
  build_chain(&b, 20);
  struct system *s = built_derive(&b);
  system_derive_jacobian(s);
  system_check(s);
  assert_true(expr_graph_size(s->graph) < 200u * 20 * 20);
  system_free(s);
  built_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ten_links),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_jacobian_of_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
