/* Ranks on manifolds: what holds only where the equations hold must be seen, whatever the seed. */
#include "expr/expr.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

enum { SEEDS = 6 };

static struct expr_graph *g;
static expr x, y, z;

static int set_up(void **state) {
  (void)state;
  g = expr_graph_new(0);
  x = expr_symbol(g, "x", NULL);
  y = expr_symbol(g, "y", NULL);
  z = expr_symbol(g, "z", NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  expr_graph_free(g);
  return 0;
}

static expr n(long value) {
  return expr_integer(g, value);
}
static expr add(expr a, expr b) {
  return expr_add(g, a, b);
}
static expr sub(expr a, expr b) {
  return expr_subtract(g, a, b);
}
static expr mul(expr a, expr b) {
  return expr_multiply(g, a, b);
}
static expr f(enum expr_operator operator_, expr a) {
  return expr_unary(g, operator_, a);
}
static expr square(expr a) {
  return expr_power_ratio(g, a, 2, 1);
}

static double guess_one(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return 0.7;
}
static double guess_zero(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return 0;
}
static double guess_nothing(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return NAN;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct manifold_rank rank_on(const expr *equations, uint32_t count, const expr *entries,
                                    uint32_t rows, uint32_t columns, double (*guess)(void *, expr),
                                    uint64_t seed) {
  struct expr_manifold manifold = {equations, count, guess, NULL};
  struct zero_test test = {.seed = seed};
  double start = seconds();
  struct manifold_rank result = expr_matrix_rank_on(g, &manifold, entries, rows, columns, &test);
  if (seed == 1)
    printf("%ux%u: point %d, rank %u, believed %d, equations %u, %u points, %u bits, %.3f s\n",
           rows, columns, result.has_point, result.rank.rank, result.rank.believed,
           result.equations_rank, test.points_used, test.bits_used, seconds() - start);
  assert_null(test.failure);
  return result;
}

/* The same answer for all seeds. */
static void expect(const expr *equations, uint32_t count, const expr *entries, uint32_t rows,
                   uint32_t columns, double (*guess)(void *, expr), uint32_t rank,
                   uint32_t equations_rank) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct manifold_rank result = rank_on(equations, count, entries, rows, columns, guess, seed);
    assert_true(result.has_point);
    assert_int_equal(result.rank.rank, rank);
    assert_true(result.rank.believed);
    assert_int_equal(result.equations_rank, equations_rank);
    for (uint32_t i = 0; i < count; i++) assert_false(result.has_no_gradient[i]);
    manifold_rank_clear(&result);
  }
}

static void circle(void **state) {
  (void)state;
  expr equation = sub(add(square(x), square(y)), n(1));
  expr turned[4] = {x, expr_negate(g, y), y, x};
  expect(&equation, 1, turned, 2, 2, guess_one, 2, 1);
  expr singular[4] = {x, y, sub(mul(x, square(x)), x), sub(mul(y, square(x)), y)};
  singular[2] = sub(n(1), square(x)); /* [x, 1 - x^2; y, x y]: determinant y (x^2 + y^2 - 1) ... */
  singular[3] = mul(x, y);            /* ... + ... = x^2 y - y + x^2 y: regular */
  expect(&equation, 1, singular, 2, 2, guess_one, 2, 1);
  expr dependent[4] = {x, y, sub(n(1), square(y)), mul(x, y)}; /* second = x * first there */
  expect(&equation, 1, dependent, 2, 2, guess_one, 1, 1);
  expect(&equation, 1, dependent, 2, 2, guess_zero, 1, 1);
  expect(&equation, 1, dependent, 2, 2, guess_nothing, 1, 1);
  expect(&equation, 1, &equation, 1, 1, guess_one, 0, 1);
  expr other = mul(z, equation); /* a symbol that only the matrix has */
  expect(&equation, 1, &other, 1, 1, guess_one, 0, 1);
  expect(&equation, 1, &z, 1, 1, guess_one, 1, 1);
  expect(&equation, 1, NULL, 0, 3, guess_one, 0, 1);
  expr twice[3] = {equation, mul(n(3), equation), mul(add(square(x), n(1)), equation)};
  expect(twice, 3, dependent, 2, 2, guess_one, 1, 1);
}

static void no_equations(void **state) {
  (void)state;
  expr entries[4] = {x, y, mul(x, z), mul(y, z)};
  for (uint64_t seed = 2; seed < 4; seed++) {
    struct manifold_rank result = rank_on(NULL, 0, entries, 2, 2, NULL, seed);
    assert_int_equal(result.rank.rank, 1);
    assert_true(result.rank.believed && result.has_point);
    manifold_rank_clear(&result);
  }
}

/* ---- a platform on three parallel cranks */

static expr crank_symbols[6];
static double crank_guess(void *user, expr symbol) {
  (void)user;
  static const double values[6] = {0.9, 0.9, 0.9, 0.31, 0.39, 0};
  for (int i = 0; i < 6; i++)
    if (crank_symbols[i] == symbol) return values[i];
  return NAN;
}

static void parallel_cranks(void **state) {
  (void)state;
  static const char *names[6] = {"t1", "t2", "t3", "x_p", "y_p", "p"};
  static const char *pins[3] = {"0", "0.6", "1.5"};
  expr equations[6], jacobian[36];
  for (int i = 0; i < 6; i++) crank_symbols[i] = expr_symbol(g, names[i], NULL);
  for (int i = 0; i < 3; i++) {
    expr pin = expr_decimal(g, pins[i]), crank = expr_ratio(g, 1, 2), t = crank_symbols[i];
    expr p = crank_symbols[5];
    equations[2 * i] =
        sub(add(pin, mul(crank, f(EXPR_COS, t))), add(crank_symbols[3], mul(pin, f(EXPR_COS, p))));
    equations[2 * i + 1] =
        sub(mul(crank, f(EXPR_SIN, t)), add(crank_symbols[4], mul(pin, f(EXPR_SIN, p))));
  }
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 6; i++)
      jacobian[i + 6 * j] = expr_derivative(g, equations[i], crank_symbols[j]);
  struct zero_test test = {.seed = 1};
  struct rank_result generic = expr_matrix_rank(g, jacobian, 6, 6, &test);
  assert_int_equal(generic.rank, 6);
  rank_result_clear(&generic);
  expect(equations, 6, jacobian, 6, 6, crank_guess, 5, 5);
}

/* A parallelogram with the distance of its crank ends asked for once more: the third equation
 * repeats the first one on the manifold only. */
static void repeated_distance(void **state) {
  (void)state;
  expr cosines = sub(f(EXPR_COS, x), f(EXPR_COS, z)), sines = sub(f(EXPR_SIN, x), f(EXPR_SIN, z));
  expr equations[3] = {sub(add(cosines, mul(n(2), f(EXPR_COS, y))), n(2)),
                       add(sines, mul(n(2), f(EXPR_SIN, y))),
                       sub(add(square(add(cosines, n(2))), square(sines)), n(4))};
  expr symbols[3] = {x, y, z}, jacobian[9];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) jacobian[i + 3 * j] = expr_derivative(g, equations[i], symbols[j]);
  expect(equations, 3, jacobian, 3, 3, guess_one, 2, 2);
}

/* ---- no points, or none that can be proven */

static void inconsistent(void **state) {
  (void)state;
  expr equation = add(add(square(x), square(y)), n(1));
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct manifold_rank result = rank_on(&equation, 1, &x, 1, 1, guess_one, seed);
    assert_false(result.has_point);
    assert_true(fabs(result.nearest[0] - 1) < 1e-6);
    assert_false(result.has_no_gradient[0]);
    manifold_rank_clear(&result);
    expr both[2] = {sub(x, y), sub(sub(x, y), n(1))};
    result = rank_on(both, 2, &x, 1, 1, guess_one, seed);
    assert_false(result.has_point);
    assert_true(fabs(fabs(result.nearest[0]) - 0.5) < 1e-3);
    assert_true(fabs(fabs(result.nearest[1]) - 0.5) < 1e-3);
    manifold_rank_clear(&result);
    expr constant[2] = {sub(x, y), n(2)};
    result = rank_on(constant, 2, &x, 1, 1, guess_one, seed);
    assert_false(result.has_point);
    assert_true(result.nearest[1] == 2);
    manifold_rank_clear(&result);
  }
}

static void expect_flat(const expr *equations, uint32_t count, uint32_t flat,
                        double (*guess)(void *, expr)) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct manifold_rank result = rank_on(equations, count, &x, 1, 1, guess, seed);
    assert_true(result.has_point);
    assert_int_equal(result.rank.rank, 1);
    for (uint32_t i = 0; i < count; i++) assert_int_equal(result.has_no_gradient[i], i == flat);
    assert_int_equal(result.equations_rank, count - 1);
    manifold_rank_clear(&result);
  }
}

static void no_gradient(void **state) {
  (void)state;
  expr difference = sub(x, y);
  expr factored = square(difference);
  expr expanded = add(sub(square(x), mul(n(2), mul(x, y))), square(y));
  expr origin = add(square(x), square(y));
  expr cube = expr_power_ratio(g, sub(x, mul(y, expr_ratio(g, 1, 3))), 3, 1);
  expr sphere = sub(add(square(x), square(z)), n(2));
  double (*guesses[])(void *, expr) = {guess_one, guess_zero, guess_nothing};
  for (int i = 0; i < 3; i++) {
    expect_flat(&factored, 1, 0, guesses[i]);
    expect_flat(&expanded, 1, 0, guesses[i]);
    expect_flat(&origin, 1, 0, guesses[i]);
    expect_flat(&cube, 1, 0, guesses[i]);
    expect_flat((expr[2]){sphere, expanded}, 2, 1, guesses[i]);
    expect_flat((expr[2]){factored, sphere}, 2, 0, guesses[i]);
  }
  /* implied by another one that has a gradient: the points are proven with all equations */
  expect_flat((expr[2]){difference, factored}, 2, 1, guess_one);
}

/* y = 0 has no terms of any size where it holds. */
static void vanishing_terms(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 6; seed++) {
    const expr equations[2] = {y, sub(x, z)}, entries[3] = {n(0), y, x};
    struct manifold_rank result = rank_on(equations, 2, entries, 3, 1, guess_one, seed);
    assert_true(result.has_point);
    assert_int_equal(result.equations_rank, 2);
    assert_int_equal(result.rank.rank, 1);
    assert_true(result.rank.believed);
    manifold_rank_clear(&result);
  }
}

/* Equations that only touch: residuals vanish, but nothing can be proven. */
static void touching(void **state) {
  (void)state;
  expr both[2] = {x, sub(x, square(y))};
  expr circles[2] = {sub(add(square(x), square(y)), n(1)),
                     sub(add(square(sub(x, n(3))), square(y)), n(4))};
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct manifold_rank result = rank_on(both, 2, &z, 1, 1, guess_one, seed);
    assert_false(result.has_point || result.rank.believed);
    assert_false(result.has_no_gradient[0] || result.has_no_gradient[1]);
    assert_true(fabs(result.nearest[0]) < 1e-10 && fabs(result.nearest[1]) < 1e-10);
    manifold_rank_clear(&result);
    result = rank_on(circles, 2, &z, 1, 1, guess_one, seed);
    assert_false(result.has_point || result.rank.believed);
    assert_false(result.has_no_gradient[0] || result.has_no_gradient[1]);
    assert_true(fabs(result.nearest[0]) < 1e-10 && fabs(result.nearest[1]) < 1e-10);
    manifold_rank_clear(&result);
  }
}

/* Equations in tiny and huge units are as good as others. */
static void units(void **state) {
  (void)state;
  static const char *lengths[] = {"1e-9", "1e-4", "1e6", "1e12"};
  for (int i = 0; i < 4; i++) {
    expr length = expr_decimal(g, lengths[i]);
    expr equation = sub(add(square(x), square(y)), square(length));
    expr entry = sub(sub(square(length), square(x)), square(y));
    expect(&equation, 1, &entry, 1, 1, guess_one, 0, 1);
    expect(&equation, 1, &entry, 1, 1, guess_zero, 0, 1);
    expr shifted = sub(add(square(sub(x, length)), square(y)), n(1));
    if (i < 3) expect(&shifted, 1, &x, 1, 1, guess_one, 1, 1);
  }
}

static void spheres(void **state) {
  (void)state;
  expr both[2] = {sub(add(add(square(x), square(y)), square(z)), n(1)),
                  sub(add(add(square(sub(x, n(1))), square(y)), square(z)), n(1))};
  expr entries[3] = {sub(x, expr_ratio(g, 1, 2)),
                     sub(add(square(y), square(z)), expr_ratio(g, 3, 4)), mul(x, both[0])};
  expect(both, 2, entries, 1, 3, guess_one, 0, 2);
  expr gradients[6];
  expr symbols[3] = {x, y, z};
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 2; i++) gradients[i + 2 * j] = expr_derivative(g, both[i], symbols[j]);
  expect(both, 2, gradients, 2, 3, guess_one, 2, 2);
  expr apart[2] = {both[0], sub(add(add(square(sub(x, n(5))), square(y)), square(z)), n(1))};
  struct manifold_rank result = rank_on(apart, 2, &x, 1, 1, guess_one, 1);
  assert_false(result.has_point);
  assert_false(result.has_no_gradient[0] || result.has_no_gradient[1]);
  manifold_rank_clear(&result);
}

/* sqrt(x^2 + y^2) = 2 with x = 2 sin z: there y = +-2 cos z. */
static void roots_and_angles(void **state) {
  (void)state;
  expr equations[2] = {sub(expr_sqrt(g, add(square(x), square(y))), n(2)),
                       sub(x, mul(n(2), f(EXPR_SIN, z)))};
  expr entry = sub(square(y), mul(n(4), square(f(EXPR_COS, z))));
  expect(equations, 2, &entry, 1, 1, guess_one, 0, 2);
  expr other = sub(y, mul(n(2), f(EXPR_COS, z)));
  expect(equations, 2, &other, 1, 1, guess_one, 0, 2);
  expr exponential[2] = {sub(f(EXPR_EXP, x), add(y, n(1))), sub(f(EXPR_LOG, add(y, n(1))), z)};
  expr same = sub(x, z);
  expect(exponential, 2, &same, 1, 1, guess_one, 0, 2);
  expr bends[2] = {sub(f(EXPR_ABS, x), y), sub(expr_binary(g, EXPR_ATAN2, y, x), z)};
  expr angle = sub(square(x), square(y));
  expect(bends, 2, &angle, 1, 1, guess_one, 0, 2);
}

/* Nothing that is undefined, jumps or is empty does harm. */
static void hostile(void **state) {
  (void)state;
  expr cases[] = {f(EXPR_LOG, expr_negate(g, square(x))),
                  f(EXPR_FLOOR, mul(n(7), x)),
                  sub(f(EXPR_SIGN, x), y),
                  sub(expr_binary(g, EXPR_MOD, x, y), n(3)),
                  f(EXPR_ASIN, add(n(2), square(x))),
                  sub(expr_sqrt(g, sub(x, n(100))), y),
                  sub(expr_power(g, x, y), n(2)),
                  sub(expr_binary(g, EXPR_MIN, x, y), expr_binary(g, EXPR_MAX, x, z)),
                  sub(f(EXPR_EXP, f(EXPR_EXP, f(EXPR_EXP, mul(n(9), x)))), n(1)),
                  expr_if(g, expr_binary(g, EXPR_LESS, x, y), sub(x, n(1)), add(y, n(1))),
                  n(0),
                  n(1)};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (uint64_t seed = 2; seed < 4; seed++) {
      expr equations[2] = {cases[i], sub(square(z), n(2))};
      expr entries[2] = {f(EXPR_LOG, x), cases[i]};
      struct manifold_rank result = rank_on(equations, 2, entries, 1, 2, guess_one, seed);
      if (result.has_point) assert_true(result.equations_rank <= 2);
      manifold_rank_clear(&result);
    }
  }
}

/* ---- size */

static expr first_of_chain;
static double guess_chain(void *user, expr symbol) {
  (void)user;
  uint32_t index = symbol - first_of_chain;
  return index % 2 == 0 ? 0.8 * (index / 2 + 1) : 0.6 * (index / 2 % 2);
}

/* Masses on rods in a row, pinned at both ends: n squared distances of 2 (n - 1) coordinates. */
static void chain(uint32_t count, double (*guess)(void *, expr), double most_seconds) {
  uint32_t free_points = count - 1, columns = 2 * free_points;
  expr *equations = malloc(count * sizeof *equations);
  expr *points = malloc((columns + 4) * sizeof *points);
  expr *jacobian = malloc((size_t)count * columns * sizeof *jacobian);
  points[0] = points[1] = n(0);
  for (uint32_t j = 0; j < columns; j++) points[2 + j] = expr_symbol(g, "q", NULL);
  first_of_chain = points[2];
  points[columns + 2] = expr_ratio(g, (long)count * 4, 5);
  points[columns + 3] = n(0);
  for (uint32_t i = 0; i < count; i++)
    equations[i] = sub(add(square(sub(points[2 * i + 2], points[2 * i])),
                           square(sub(points[2 * i + 3], points[2 * i + 1]))),
                       n(1));
  for (uint32_t j = 0; j < columns; j++)
    for (uint32_t i = 0; i < count; i++)
      jacobian[i + (size_t)count * j] = expr_derivative(g, equations[i], points[2 + j]);
  double start = seconds();
  struct manifold_rank result = rank_on(equations, count, jacobian, count, columns, guess, 1);
  double took = seconds() - start;
  assert_true(result.has_point);
  assert_int_equal(result.rank.rank, count);
  assert_int_equal(result.equations_rank, count);
  assert_true(took < most_seconds);
  manifold_rank_clear(&result);
  free(equations);
  free(points);
  free(jacobian);
}

static void chains(void **state) {
  (void)state;
  chain(5, guess_nothing, 1);
  chain(31, guess_nothing, 3);
  chain(200, guess_chain, 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(circle, set_up, tear_down),
      cmocka_unit_test_setup_teardown(no_equations, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parallel_cranks, set_up, tear_down),
      cmocka_unit_test_setup_teardown(repeated_distance, set_up, tear_down),
      cmocka_unit_test_setup_teardown(inconsistent, set_up, tear_down),
      cmocka_unit_test_setup_teardown(no_gradient, set_up, tear_down),
      cmocka_unit_test_setup_teardown(touching, set_up, tear_down),
      cmocka_unit_test_setup_teardown(vanishing_terms, set_up, tear_down),
      cmocka_unit_test_setup_teardown(units, set_up, tear_down),
      cmocka_unit_test_setup_teardown(spheres, set_up, tear_down),
      cmocka_unit_test_setup_teardown(roots_and_angles, set_up, tear_down),
      cmocka_unit_test_setup_teardown(hostile, set_up, tear_down),
      cmocka_unit_test_setup_teardown(chains, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
