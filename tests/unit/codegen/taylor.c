/* Coefficients of Taylor series: of every operation against Cauchy's integral of the same function
 * in the complex plane (the trapezoidal rule on a circle, which converges geometrically; a method
 * that shares nothing with recurrences) and against closed forms; of the solutions of linear
 * systems by every kind of solver against solutions that are known. */
#include "support.h"
#include "codegen/taylor.h"
#include "dyn/dyn_model.h"
#include <complex.h>
#include <stdlib.h>

enum { ORDER = DYN_TAYLOR_MOST_ORDER, CIRCLE = 256 };

static tape_value time_of(struct tape_builder *b) {
  return builder_input(b, TAPE_ARRAY_TIME, 0);
}
static tape_value number(struct tape_builder *b, double value) {
  return builder_constant(b, value);
}
static tape_value plus(struct tape_builder *b, tape_value x, tape_value y) {
  return builder_binary(b, TAPE_ADD, x, y);
}
static tape_value times(struct tape_builder *b, tape_value x, tape_value y) {
  return builder_binary(b, TAPE_MULTIPLY, x, y);
}

/* The argument of the functions, 0.4 + 0.3 t + 0.2 sin t, and another, 0.5 - 0.4 t + 0.1 t^2. */
static tape_value first_argument(struct tape_builder *b) {
  tape_value t = time_of(b);
  return plus(b, plus(b, number(b, 0.4), times(b, number(b, 0.3), t)),
              times(b, number(b, 0.2), builder_unary(b, TAPE_SIN, t)));
}
static tape_value second_argument(struct tape_builder *b) {
  tape_value t = time_of(b);
  return plus(b, plus(b, number(b, 0.5), times(b, number(b, -0.4), t)),
              times(b, times(b, number(b, 0.1), t), t));
}
static complex double first_value(complex double t) {
  return 0.4 + 0.3 * t + 0.2 * csin(t);
}
static complex double second_value(complex double t) {
  return 0.5 - 0.4 * t + 0.1 * t * t;
}

/* ---- functions */

static complex double add(complex double a, complex double b) {
  return a + b;
}
static complex double subtract(complex double a, complex double b) {
  return a - b;
}
static complex double multiply(complex double a, complex double b) {
  return a * b;
}
static complex double divide(complex double a, complex double b) {
  return a / b;
}
static complex double direction(complex double a, complex double b) {
  return catan(a / b);
}

static const struct {
  enum tape_operation operation;
  complex double (*one)(complex double);
  complex double (*two)(complex double, complex double);
} cases[] = {
    {TAPE_ADD, NULL, add},         {TAPE_SUBTRACT, NULL, subtract}, {TAPE_MULTIPLY, NULL, multiply},
    {TAPE_DIVIDE, NULL, divide},   {TAPE_SQRT, csqrt, NULL},        {TAPE_POW, NULL, cpow},
    {TAPE_SIN, csin, NULL},        {TAPE_COS, ccos, NULL},          {TAPE_TAN, ctan, NULL},
    {TAPE_ASIN, casin, NULL},      {TAPE_ACOS, cacos, NULL},        {TAPE_ATAN, catan, NULL},
    {TAPE_ATAN2, NULL, direction}, {TAPE_SINH, csinh, NULL},        {TAPE_COSH, ccosh, NULL},
    {TAPE_TANH, ctanh, NULL},      {TAPE_EXP, cexp, NULL},          {TAPE_LOG, clog, NULL}};

/* Which operands vary: bit 0 the first, bit 1 the second; others stand for their values at 0.3. */
static complex double value_of(size_t i, unsigned varying, complex double t) {
  complex double a = first_value(varying & 1 ? t : 0.3), b = second_value(varying & 2 ? t : 0.3);
  return cases[i].one != NULL ? cases[i].one(a) : cases[i].two(a, b);
}

static tape_value tape_of_case(struct tape_builder *b, size_t i, unsigned varying) {
  tape_value x = varying & 1 ? first_argument(b) : number(b, creal(first_value(0.3)));
  tape_value y = varying & 2 ? second_argument(b) : number(b, creal(second_value(0.3)));
  return cases[i].one != NULL ? builder_unary(b, cases[i].operation, x)
                              : builder_binary(b, cases[i].operation, x, y);
}

/* Rows of the series of the states whose rates are on the tape; frees it. */
static double *series_of(struct tape *rhs, double scale, double t, const double *y) {
  struct taylor *taylor = taylor_build(rhs, NULL, NULL);
  assert_false(taylor->has_obstacle);
  tape_check(taylor->start);
  tape_check(taylor->order);
  double *work = malloc((taylor_work(taylor) + 1) * sizeof *work);
  double *out = calloc((ORDER + 1) * (size_t)rhs->out_count, sizeof *out);
  for (uint32_t i = 0; i <= taylor_work(taylor); i++) work[i] = NAN; /* holds nothing */
  struct taylor_arguments arguments = {ORDER, scale, t, y, NULL, NULL, NULL, work, out};
  assert_int_equal(taylor_run(taylor, &arguments), 0);
  taylor_free(taylor);
  tape_free(rhs);
  free(work);
  return out;
}

static void check_case(size_t i, unsigned varying) {
  const double t = 0.3, radius = 0.25; /* all singular points are farther */
  struct tape_builder b;
  builder_init(&b, NULL);
  builder_output(&b, 0, tape_of_case(&b, i, varying));
  double zero = 0, *out = series_of(builder_finish(&b), radius, t, &zero);
  for (int k = 0; k < ORDER; k++) {
    complex double sum = 0;
    for (int j = 0; j < CIRCLE; j++) {
      complex double turn = cexp(2 * acos(-1) * I * j / CIRCLE);
      sum += value_of(i, varying, t + radius * turn) * cpow(turn, -k);
    }
    double expected = radius * creal(sum) / CIRCLE / (k + 1);
    if (!(fabs(out[k + 1] - expected) <= 4e-16))
      fail_msg("%s %u, order %d: %.17g, not %.17g", tape_facts[cases[i].operation].text, varying, k,
               out[k + 1], expected);
  }
  free(out);
}

static void operations_agree_with_cauchy(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++)
    for (unsigned varying = 1; varying < (cases[i].one != NULL ? 2 : 4); varying++)
      check_case(i, varying);
}

/* y' = y, and y' = y^2 from 1: exp t and 1 / (1 - t). */
static void closed_forms(void **state) {
  (void)state;
  struct tape_builder b;
  builder_init(&b, NULL);
  tape_value x = builder_input(&b, TAPE_ARRAY_X, 0), y = builder_input(&b, TAPE_ARRAY_X, 1);
  builder_output(&b, 0, x);
  builder_output(&b, 1, times(&b, y, y));
  double start[2] = {1, 1}, *out = series_of(builder_finish(&b), 0.5, 0, start), factorial = 1;
  for (int k = 1; k <= ORDER; k++) {
    factorial *= k;
    assert_true(fabs(out[2 * k] * factorial / pow(0.5, k) - 1) < 1e-15 * k);
    assert_true(fabs(out[2 * k + 1] / pow(0.5, k) - 1) < 1e-15 * k);
  }
  free(out);
}

/* ---- linear systems */

/* Entry (i, j) of a matrix that changes with time: coefficients a, b of a + b sin(t + i + j). */
static double entry_mean(uint32_t i, uint32_t j) {
  return i == j ? 10 + i % 3 : 1.0 / (1 + (double)(i > j ? i - j : j - i));
}
static double entry_swing(uint32_t i, uint32_t j) {
  return i == j ? 1 : 0.3;
}

static bool is_entry(uint32_t i, uint32_t j, uint32_t band) {
  return (i > j ? i - j : j - i) <= band;
}

static tape_value entry_of(struct tape_builder *b, uint32_t i, uint32_t j) {
  tape_value angle = plus(b, time_of(b), number(b, i + j));
  return plus(b, number(b, entry_mean(i, j)),
              times(b, number(b, entry_swing(i, j)), builder_unary(b, TAPE_SIN, angle)));
}

/* Solution i is exp(c t) with c = cos i. */
static tape_value solution_of(struct tape_builder *b, uint32_t i) {
  return builder_unary(b, TAPE_EXP, times(b, number(b, cos(i)), time_of(b)));
}

static void check_system(uint32_t n, uint32_t band, bool is_symmetric, enum tape_solver_kind kind) {
  const double t = 0.3;
  struct tape_builder b;
  builder_init(&b, NULL);
  bool *nonzero = calloc(n * n, sizeof *nonzero);
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = 0; i < n; i++) nonzero[i + j * n] = is_entry(i, j, band);
  struct solver_shape shape = {.n = n,
                               .coordinates = n,
                               .rank = n,
                               .is_symmetric = is_symmetric,
                               .nonzero = nonzero,
                               .columns = 1};
  uint32_t solver = solver_begin(&b, &shape);
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = is_symmetric ? j : 0; i < n; i++)
      if (nonzero[i + j * n]) solver_entry(&b, solver, i, j, entry_of(&b, i, j));
  solver_factor(&b, solver);
  uint32_t side = right_side_begin(&b, solver, 1, false);
  for (uint32_t i = 0; i < n; i++) {
    tape_value sum = number(&b, 0);
    for (uint32_t j = 0; j < n; j++)
      if (nonzero[i + j * n])
        sum = plus(&b, sum, times(&b, entry_of(&b, i, j), solution_of(&b, j)));
    right_side_entry(&b, side, i, 0, sum);
  }
  tape_value *solution = calloc(n + 1, sizeof *solution);
  right_side_solve(&b, side, solution);
  for (uint32_t i = 0; i < n; i++) builder_output(&b, i, solution[i]);
  assert_int_equal(b.tape->solvers.items[0].kind, kind);
  double *zeros = calloc(n, sizeof *zeros), *out = series_of(builder_finish(&b), 1, t, zeros);
  for (uint32_t i = 0; i < n; i++) {
    double expected = exp(cos(i) * t);
    for (int k = 0; k < ORDER; k++) {
      expected /= k + 1;
      assert_nearly(out[(uint32_t)(k + 1) * n + i], expected, 1e-15);
      expected *= cos(i);
    }
  }
  free(nonzero);
  free(solution);
  free(zeros);
  free(out);
}

static void linear_systems(void **state) {
  (void)state;
  check_system(3, 3, true, SOLVER_UNROLLED);
  check_system(14, 14, true, SOLVER_DENSE);
  check_system(7, 7, false, SOLVER_LU);
  check_system(120, 6, true, SOLVER_SPARSE);
}

/* ---- bordered systems, with what unrolled factors refuse */

enum { BORDER = 4, COORDINATES = 2 };

/* [M A^T; A 0] with the rows 0, 0 of a singular M (all ones, times 2 + sin t), and two constraints
 * (1, -1 - 0.3 sin t) and, if there is a second, (1, -1 - 0.3 sin t) plus `apart` t (0, 1). */
static tape_value border_entry(struct tape_builder *b, uint32_t i, uint32_t j, double apart) {
  tape_value t = time_of(b), sine = builder_unary(b, TAPE_SIN, t);
  if (i < COORDINATES) return plus(b, number(b, 2), sine);
  if (j == 0) return number(b, 1);
  tape_value entry = plus(b, number(b, -1), times(b, number(b, -0.3), sine));
  return i == COORDINATES ? entry : plus(b, entry, times(b, number(b, apart), t));
}

static bool is_border_entry(uint32_t i, uint32_t j) {
  return i < COORDINATES || j < COORDINATES;
}

/* y' = the accelerations of n unknowns; those are exp(c t), c = cos i. */
static struct tape *border_tape(uint32_t n, uint32_t rank, double apart) {
  struct tape_builder b;
  bool nonzero[BORDER * BORDER];
  tape_value solution[BORDER + 1];
  builder_init(&b, NULL);
  for (uint32_t e = 0; e < n * n; e++) nonzero[e] = is_border_entry(e % n, e / n);
  struct solver_shape shape = {.n = n,
                               .coordinates = COORDINATES,
                               .rank = rank,
                               .is_symmetric = true,
                               .nonzero = nonzero,
                               .columns = 1};
  uint32_t solver = solver_begin(&b, &shape);
  for (uint32_t j = 0; j < COORDINATES; j++)
    for (uint32_t i = j; i < n; i++) solver_entry(&b, solver, i, j, border_entry(&b, i, j, apart));
  solver_factor(&b, solver);
  uint32_t side = right_side_begin(&b, solver, 1, true);
  for (uint32_t i = 0; i < n; i++) {
    tape_value sum = number(&b, 0);
    for (uint32_t j = 0; j < n; j++)
      if (is_border_entry(i, j))
        sum = plus(
            &b, sum,
            times(&b, border_entry(&b, i > j ? i : j, i > j ? j : i, apart), solution_of(&b, j)));
    right_side_entry(&b, side, i, 0, sum);
  }
  right_side_solve(&b, side, solution);
  for (uint32_t i = 0; i < COORDINATES; i++) builder_output(&b, i, solution[i]);
  return builder_finish(&b);
}

static void check_border(uint32_t n, uint32_t rank, double t) {
  double zeros[COORDINATES] = {0}, *out = series_of(border_tape(n, rank, 0), 1, t, zeros);
  for (uint32_t i = 0; i < COORDINATES; i++) {
    double expected = exp(cos(i) * t);
    for (int k = 0; k < ORDER; k++) {
      expected /= k + 1;
      assert_nearly(out[(uint32_t)(k + 1) * COORDINATES + i], expected, 1e-14);
      expected *= cos(i);
    }
  }
  free(out);
}

static int answer_of(struct tape *rhs, double t) {
  struct taylor *taylor = taylor_build(rhs, NULL, NULL);
  double *work = calloc(taylor_work(taylor) + 1, sizeof *work), zeros[COORDINATES] = {0};
  double out[(ORDER + 1) * COORDINATES];
  struct taylor_arguments arguments = {ORDER, 1, t, zeros, NULL, NULL, NULL, work, out};
  int answer = taylor_run(taylor, &arguments);
  taylor_free(taylor);
  tape_free(rhs);
  free(work);
  return answer;
}

/* A series where M is singular but the whole regular, and where a constraint is redundant at all
 * times; none where one is at this time alone. */
static void bordered_systems(void **state) {
  (void)state;
  check_border(3, 3, 0.3);
  check_border(4, 3, 0.3);
  assert_int_equal(answer_of(border_tape(4, 4, 1), 0.3), 0);
  assert_int_equal(answer_of(border_tape(4, 4, 1), 0), DYN_TAYLOR_DECLINED);
}

/* ---- what has no series */

static bool has_obstacle(enum tape_operation operation, bool reaches_result) {
  struct tape_builder b;
  builder_init(&b, NULL);
  tape_value x = builder_input(&b, TAPE_ARRAY_X, 0), y = builder_input(&b, TAPE_ARRAY_X, 1), value;
  if (operation == TAPE_SELECT)
    value = builder_select(&b, builder_binary(&b, TAPE_LESS, x, y), x, y);
  else if (tape_facts[operation].operands == 1)
    value = builder_unary(&b, operation, x);
  else
    value = builder_binary(&b, operation, x, y);
  builder_effect(&b, TAPE_LEAVE, times(&b, number(&b, 0), value), 0, 0);
  builder_output(&b, 0, y);
  builder_output(&b, 1, reaches_result ? value : x);
  struct tape *rhs = builder_finish(&b);
  struct taylor *taylor = taylor_build(rhs, NULL, NULL);
  bool answer = taylor->has_obstacle;
  if (answer) assert_int_equal(taylor->obstacle, operation);
  taylor_free(taylor);
  tape_free(rhs);
  return answer;
}

static void kinks_are_obstacles(void **state) {
  (void)state;
  const enum tape_operation kinks[] = {TAPE_ABS, TAPE_SIGN,  TAPE_MIN,   TAPE_MAX,
                                       TAPE_MOD, TAPE_FLOOR, TAPE_SELECT};
  for (size_t i = 0; i < COUNT(kinks); i++) {
    assert_true(has_obstacle(kinks[i], true));
    assert_false(has_obstacle(kinks[i], false)); /* checks may look at them */
  }
  assert_false(has_obstacle(TAPE_ATAN2, true));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_agree_with_cauchy),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(linear_systems),
      cmocka_unit_test(bordered_systems),
      cmocka_unit_test(kinks_are_obstacles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
