/* Bordered systems [M B; A 0]: every way to solve them gives the same accelerations and
 * multipliers, with masses and constraints of any size, coordinates without mass, single
 * coefficients that vanish; redundant constraints have the multipliers of least norm;
 * contradictions and missing masses are told; what is undefined stays undefined. */
#define _GNU_SOURCE
#include "problem.h"

static struct problem border_new(uint32_t coordinates, uint32_t constraints, uint32_t columns) {
  struct problem problem = problem_new(coordinates + constraints, columns, true);
  problem.coordinates = coordinates;
  return problem;
}

/* A definite matrix with the coordinates' scales 10^(spread * ...), dense or a diagonal. */
static void fill_masses(struct problem *problem, struct random_source *random, bool is_dense,
                        double spread) {
  uint32_t n = problem->coordinates;
  double *g = checked_calloc((size_t)n * n + 1, sizeof(double));
  double *scale = checked_calloc((size_t)n + 1, sizeof(double));
  for (uint32_t i = 0; i < n * n; i++) g[i] = random_between(random, -1, 1);
  for (uint32_t i = 0; i < n; i++) scale[i] = pow(10, random_between(random, -spread, spread));
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = j; i < n; i++) {
      double sum = i == j ? 1 : 0;
      for (uint32_t k = 0; k < n; k++) sum += g[i + k * n] * g[j + k * n];
      if (is_dense || i == j) set_entry(problem, i, j, sum * scale[i] * scale[j]);
    }
  free(g);
  free(scale);
}

static void set_coefficient(struct problem *problem, uint32_t constraint, uint32_t coordinate,
                            double value) {
  set_entry(problem, problem->coordinates + constraint, coordinate, value);
}

/* Each constraint touches `width` coordinates. */
static void fill_constraints(struct problem *problem, struct random_source *random,
                             uint32_t width) {
  uint32_t n = problem->coordinates, m = problem->n - n;
  for (uint32_t k = 0; k < m; k++)
    for (uint32_t i = 0; i < width; i++)
      set_coefficient(problem, k, (uint32_t)((uint64_t)k * n / m + i) % n,
                      random_between(random, -1, 1));
}

/* Size of A x - b over that of its terms, row by row. */
static double residual(const struct problem *problem, const double *x) {
  uint32_t n = problem->n;
  double worst = 0;
  for (uint32_t c = 0; c < problem->columns; c++)
    for (uint32_t i = 0; i < n; i++) {
      double sum = -problem->b[i + c * n], size = fabs(sum);
      for (uint32_t j = 0; j < n; j++) {
        sum += problem->a[i + j * n] * x[j + c * n];
        size += fabs(problem->a[i + j * n] * x[j + c * n]);
      }
      if (!(fabs(sum) <= worst * size)) worst = fabs(sum) / size;
    }
  return worst;
}

/* Runs it in all ways, which agree to the bit; `out` has all results. Returns the status. */
static int run_all_ways(struct problem *problem, bool is_linked, double *out) {
  size_t count = (size_t)problem->n * problem->columns + 1;
  double *other = checked_calloc(count, sizeof(double));
  struct tape *tape = problem_tape(problem);
  int status = run_problem(tape, problem, out);
  assert_int_equal(run_compiled(tape, problem, other), status);
  if (status == 0) assert_memory_equal(out, other, count * sizeof(double));
  if (is_linked) {
    assert_int_equal(run_linked(tape, problem, other), status);
    for (size_t i = 0; i < count && status == 0; i++)
      assert_true(out[i] == other[i] || (out[i] != out[i] && other[i] != other[i]));
  }
  tape_free(tape);
  free(other);
  return status;
}

static void solve_well(struct problem *problem, enum tape_solver_kind kind, double dependent,
                       double tolerance) {
  size_t count = (size_t)problem->n * problem->columns;
  double *out = checked_calloc(count + 1, sizeof(double));
  struct tape *tape = problem_tape(problem);
  assert_int_equal(tape->solvers.items[0].kind, kind);
  tape_free(tape);
  assert_int_equal(run_all_ways(problem, problem->columns < 3, out), 0);
  double error = residual(problem, out);
  if (!(error <= tolerance)) fail_msg("n = %u: residual %g", problem->n, error);
  assert_true(out[count] == dependent);
  free(out);
}

static void random_systems(void **state) {
  (void)state;
  struct random_source random = {11};
  static const struct {
    uint32_t coordinates, constraints, width;
    bool is_dense;
    enum tape_solver_kind kind;
  } cases[] = {
      {1, 1, 1, true, SOLVER_UNROLLED},    {2, 1, 2, true, SOLVER_UNROLLED},
      {3, 2, 2, true, SOLVER_UNROLLED},    {4, 2, 3, false, SOLVER_UNROLLED},
      {12, 4, 12, true, SOLVER_DENSE},     {13, 4, 13, true, SOLVER_DENSE},
      {14, 5, 14, true, SOLVER_DENSE},     {11, 7, 11, true, SOLVER_DENSE},
      {24, 16, 4, false, SOLVER_UNROLLED}, {120, 60, 4, false, SOLVER_UNROLLED},
      {600, 400, 4, false, SOLVER_SPARSE},
  };
  for (size_t c = 0; c < COUNT(cases); c++)
    for (uint32_t columns = 1; columns <= 3; columns += 2) {
      if (cases[c].coordinates > 100 && columns > 1) continue;
      struct problem problem = border_new(cases[c].coordinates, cases[c].constraints, columns);
      fill_masses(&problem, &random, cases[c].is_dense, 0);
      fill_constraints(&problem, &random, cases[c].width);
      fill_right_sides(&problem, &random);
      solve_well(&problem, cases[c].kind, 0, 1e-9);
      problem_clear(&problem);
    }
}

/* Rank falls at one place only: the loops over sparse tables give way as well. */
static void large_systems_lose_rank(void **state) {
  (void)state;
  struct random_source random = {16};
  struct problem problem = border_new(270, 180, 1);
  fill_masses(&problem, &random, false, 0);
  fill_constraints(&problem, &random, 4);
  fill_right_sides(&problem, &random);
  for (uint32_t i = 0; i < 270; i++) /* in the pattern, but zero */
    if (problem.nonzero[300 + i * 450]) set_entry(&problem, 300, i, 0);
  problem.b[300] = 0;
  for (uint32_t i = 0; i < 6; i++) set_coefficient(&problem, 100, i, i < 3 ? 1 : 0);
  for (uint32_t i = 0; i < 6; i++) set_coefficient(&problem, 101, i, i < 3 ? 2 : 0);
  problem.b[371] = 2 * problem.b[370];
  for (uint32_t i = 6; i < 270; i++)
    for (uint32_t k = 100; k < 102; k++)
      if (problem.nonzero[270 + k + i * 450]) set_coefficient(&problem, k, i, 0);
  solve_well(&problem, SOLVER_SPARSE, 2, 1e-9);
  problem_clear(&problem);
}

/* Friction: the forces of constraints are not along them. */
static void unsymmetric_systems(void **state) {
  (void)state;
  struct random_source random = {12};
  for (uint32_t n = 2; n <= 14; n += 4) {
    struct problem problem = border_new(n, n / 2, 2);
    fill_masses(&problem, &random, true, 0);
    fill_constraints(&problem, &random, n);
    problem.is_symmetric = false;
    for (uint32_t k = n; k < problem.n; k++)
      for (uint32_t i = 0; i < n; i++)
        problem.a[i + k * problem.n] += random_between(&random, -0.2, 0.2);
    fill_right_sides(&problem, &random);
    solve_well(&problem, SOLVER_LU, 0, 1e-9);
    problem_clear(&problem);
  }
}

/* A rod whose coefficients (x, y) come close to zero one by one, with masses of any size: the
 * acceleration must be exact to rounding in each, which factors of wrong order would not give. */
static void vanishing_coefficients(void **state) {
  (void)state;
  static const double angles[] = {0, 1e-300, 1e-16, 1e-10, 1e-5, 0.3};
  for (size_t a = 0; a < COUNT(angles); a++)
    for (int swap = 0; swap < 2; swap++)
      for (double mass = 1e-12; mass < 1e13; mass *= 1e6) {
        struct problem problem = border_new(2, 1, 1);
        double x = swap ? cos(angles[a]) : sin(angles[a]),
               y = swap ? sin(angles[a]) : cos(angles[a]);
        set_entry(&problem, 0, 0, mass);
        set_entry(&problem, 1, 1, mass);
        set_coefficient(&problem, 0, 0, x);
        set_coefficient(&problem, 0, 1, y);
        problem.b[1] = -10 * mass;
        problem.b[2] = -4;
        double out[4];
        assert_int_equal(run_all_ways(&problem, false, out), 0);
        double tension = -10 * y + 4; /* along the rod */
        assert_nearly(out[2], tension * mass, 1e-13 * fabs(tension * mass));
        assert_nearly(out[0], -x * tension, 1e-12 * fabs(x * tension) + 1e-300);
        assert_nearly(out[1], -10 - y * tension, 1e-13 * 14);
        problem_clear(&problem);
      }
}

/* Two masses hang from a pulley without mass, which hangs from another mass over a fixed one: the
 * diagonal of the pulley is structurally zero. x1 + p = c, 2 p = x2 + x3 + c. */
static void coordinates_without_mass(void **state) {
  (void)state;
  struct problem problem = border_new(4, 2, 1);
  const double mass[4] = {4, 0, 1, 2}, g = 10;
  for (uint32_t i = 0; i < 4; i++) {
    if (mass[i] > 0) set_entry(&problem, i, i, mass[i]);
    problem.b[i] = mass[i] * g;
  }
  set_coefficient(&problem, 0, 0, 1);
  set_coefficient(&problem, 0, 1, 1);
  set_coefficient(&problem, 1, 1, 2);
  set_coefficient(&problem, 1, 2, -1);
  set_coefficient(&problem, 1, 3, -1);
  solve_well(&problem, SOLVER_UNROLLED, 0, 1e-14);
  double out[7];
  assert_int_equal(run_all_ways(&problem, true, out), 0);
  static const double expected[6] = {2, -2, -6, 2, 32, -16};
  for (uint32_t i = 0; i < 6; i++) assert_nearly(out[i], expected[i], 1e-13);
  problem_clear(&problem);
  /* a coordinate that has neither mass nor constraint may go anywhere */
  problem = border_new(2, 1, 1);
  set_entry(&problem, 0, 0, 1);
  set_coefficient(&problem, 0, 0, 1);
  problem.b[0] = 1;
  double lost[4];
  assert_int_equal(run_all_ways(&problem, true, lost), 2);
  problem_clear(&problem);
}

/* M = [1 1; 1 1] is singular, but definite on x = 2 y. */
static void masses_singular_off_the_constraint(void **state) {
  (void)state;
  struct problem problem = border_new(2, 1, 1);
  set_entry(&problem, 0, 0, 1);
  set_entry(&problem, 1, 0, 1);
  set_entry(&problem, 1, 1, 1);
  set_coefficient(&problem, 0, 0, 1);
  set_coefficient(&problem, 0, 1, -2);
  problem.b[0] = 3;
  problem.b[1] = 3;
  double out[4];
  assert_int_equal(run_all_ways(&problem, true, out), 0);
  assert_nearly(out[0], 2, 1e-14);
  assert_nearly(out[1], 1, 1e-14);
  assert_nearly(out[2], 0, 1e-14);
  /* on x + y = 0, the motion that M does not see is free: rank is lost */
  set_coefficient(&problem, 0, 1, 1);
  int status = run_all_ways(&problem, true, out);
  assert_true(status == 1 || status == 2);
  problem_clear(&problem);
}

/* Each of `copies` further constraints is a combination of those before. */
static void add_combinations(struct problem *problem, struct random_source *random,
                             uint32_t independent, double error) {
  uint32_t n = problem->coordinates, size = problem->n;
  for (uint32_t k = n + independent; k < size; k++) {
    for (uint32_t i = 0; i < n; i++) set_entry(problem, k, i, 0);
    for (uint32_t c = 0; c < problem->columns; c++) problem->b[k + c * size] = 0;
    for (uint32_t s = n; s < n + independent; s++) {
      double factor = random_between(random, -1, 1);
      for (uint32_t i = 0; i < n; i++)
        set_entry(problem, k, i,
                  problem->a[k + i * size] + factor * problem->a[s + i * size] +
                      error * random_between(random, -1, 1));
      for (uint32_t c = 0; c < problem->columns; c++)
        problem->b[k + c * size] += factor * problem->b[s + c * size];
    }
  }
}

/* λ is least if it lies in the range of A: no part of it is in the null space of A^T. */
static void assert_least(const struct problem *problem, const double *solution, double tolerance) {
  uint32_t n = problem->coordinates, size = problem->n, m = size - n;
  double *basis = checked_calloc((size_t)n * m + 1, sizeof(double)), *rest = checked_calloc(m, 8);
  double norm = 0, left = 0;
  memcpy(rest, solution + n, m * sizeof(double));
  for (uint32_t k = 0; k < m; k++) norm += rest[k] * rest[k];
  for (uint32_t i = 0; i < n; i++) { /* columns of A, made orthogonal; twice is enough */
    double *column = basis + (size_t)i * m, square = 0, before = 0;
    for (uint32_t k = 0; k < m; k++) column[k] = problem->a[n + k + i * size];
    for (uint32_t k = 0; k < m; k++) before += column[k] * column[k];
    for (int pass = 0; pass < 2; pass++)
      for (uint32_t v = 0; v < i; v++) {
        double product = 0;
        for (uint32_t k = 0; k < m; k++) product += column[k] * basis[(size_t)v * m + k];
        for (uint32_t k = 0; k < m; k++) column[k] -= product * basis[(size_t)v * m + k];
      }
    for (uint32_t k = 0; k < m; k++) square += column[k] * column[k];
    double scale = square > 1e-8 * before ? 1 / sqrt(square) : 0, product = 0;
    for (uint32_t k = 0; k < m; k++) column[k] *= scale;
    for (uint32_t k = 0; k < m; k++) product += column[k] * rest[k];
    for (uint32_t k = 0; k < m; k++) rest[k] -= product * column[k];
  }
  for (uint32_t k = 0; k < m; k++) left += rest[k] * rest[k];
  if (!(sqrt(left) <= tolerance * sqrt(norm))) fail_msg("%g of %g", sqrt(left), sqrt(norm));
  free(basis);
  free(rest);
}

static void redundant_constraints(void **state) {
  (void)state;
  struct random_source random = {13};
  static const uint32_t sizes[][3] = {{2, 1, 2}, {3, 2, 3}, {6, 3, 5}, {10, 4, 7}, {40, 20, 30}};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (int known = 0; known < 2; known++)
      for (int spread = 0; spread < 6; spread += 5) {
        uint32_t n = sizes[s][0], independent = sizes[s][1], m = sizes[s][2];
        struct problem problem = border_new(n, m, 1 + s % 2);
        fill_masses(&problem, &random, true, spread);
        fill_constraints(&problem, &random, n);
        fill_right_sides(&problem, &random);
        add_combinations(&problem, &random, independent, 0);
        if (known) problem.rank = n + independent; /* else a place where rank falls */
        double *out = checked_calloc((size_t)problem.n * problem.columns + 1, sizeof(double));
        assert_int_equal(run_all_ways(&problem, n < 10, out), 0);
        assert_true(out[(size_t)problem.n * problem.columns] == m - independent);
        assert_true(residual(&problem, out) < (spread ? 1e-5 : 1e-10));
        if (spread == 0) assert_least(&problem, out, 1e-8);
        free(out);
        problem_clear(&problem);
      }
}

/* The same rod twice, and once more with twice its coefficients: shares 1 : 1 : 2 of the force. */
static void least_multipliers_are_known(void **state) {
  (void)state;
  struct problem problem = border_new(2, 3, 1);
  problem.rank = 3;
  for (uint32_t i = 0; i < 2; i++) set_entry(&problem, i, i, 2);
  const double factor[3] = {1, 1, 2};
  for (uint32_t k = 0; k < 3; k++) {
    set_coefficient(&problem, k, 0, 0.6 * factor[k]);
    set_coefficient(&problem, k, 1, 0.8 * factor[k]);
    problem.b[2 + k] = 3 * factor[k];
  }
  problem.b[1] = -20;
  double out[6];
  assert_int_equal(run_all_ways(&problem, true, out), 0);
  /* along the rod: 2*3 + force = -16 */
  for (uint32_t k = 0; k < 3; k++) assert_nearly(out[2 + k], -22.0 * factor[k] / 6, 1e-13);
  assert_true(out[5] == 2);
  problem_clear(&problem);
}

/* Off the constraint manifold redundant rows are only nearly dependent: with the rank known the
 * accelerations change by that little. */
static void nearly_redundant_constraints(void **state) {
  (void)state;
  struct random_source random = {14};
  for (double error = 1e-14; error < 1e-4; error *= 10) {
    struct problem problem = border_new(8, 6, 1);
    fill_masses(&problem, &random, true, 0);
    fill_constraints(&problem, &random, 8);
    fill_right_sides(&problem, &random);
    add_combinations(&problem, &random, 4, 0);
    problem.rank = 12;
    double exact[15], near[15];
    assert_int_equal(run_all_ways(&problem, false, exact), 0);
    for (uint32_t k = 12; k < 14; k++)
      for (uint32_t i = 0; i < 8; i++)
        set_entry(&problem, k, i, problem.a[k + i * 14] + error * random_between(&random, -1, 1));
    assert_int_equal(run_all_ways(&problem, false, near), 0);
    assert_true(near[14] == 2);
    for (uint32_t i = 0; i < 14; i++)
      assert_nearly(near[i], exact[i], 3000 * error * (1 + fabs(exact[i])));
    problem_clear(&problem);
  }
}

/* Where multipliers do not matter redundant constraints are left out; where those kept lose rank at
 * a state, all are looked at again. */
static void subsets_of_constraints(void **state) {
  (void)state;
  struct random_source random = {17};
  bool is_left_out[9] = {false};
  for (int kept_are_dependent = 0; kept_are_dependent < 2; kept_are_dependent++) {
    struct problem problem = border_new(5, 4, 1);
    fill_masses(&problem, &random, true, 0);
    fill_constraints(&problem, &random, 5);
    fill_right_sides(&problem, &random);
    add_combinations(&problem, &random, 2, 0);
    problem.rank = 7;
    double all[10], part[10];
    assert_int_equal(run_all_ways(&problem, true, all), 0);
    is_left_out[5] = is_left_out[7] = true; /* keeps 6 and 8 */
    is_left_out[6] = is_left_out[8] = false;
    if (kept_are_dependent) {
      for (uint32_t i = 0; i < 5; i++) set_entry(&problem, 8, i, 2 * problem.a[6 + i * 9]);
      problem.b[8] = 2 * problem.b[6];
      assert_int_equal(run_all_ways(&problem, false, all), 0);
    }
    problem.is_left_out = is_left_out;
    struct tape *tape = problem_tape(&problem);
    assert_int_equal(tape->solvers.items[0].kind, SOLVER_UNROLLED);
    assert_int_equal(tape->solvers.items[0].ordered, 7);
    tape_free(tape);
    assert_int_equal(run_all_ways(&problem, true, part), 0);
    for (uint32_t i = 0; i < 5; i++) assert_nearly(part[i], all[i], 1e-11);
    assert_true(part[9] == 2);
    problem_clear(&problem);
  }
}

/* Two equal constraints with friction: the same forces in two columns, the same motion twice. */
static void redundant_friction(void **state) {
  (void)state;
  for (int known = 0; known < 2; known++) {
    struct problem problem = border_new(2, 2, 1);
    for (uint32_t i = 0; i < 2; i++) set_entry(&problem, i, i, 1);
    for (uint32_t k = 0; k < 2; k++) set_coefficient(&problem, k, 1, 1);
    problem.rank = known ? 3 : 4;
    problem.is_symmetric = false;
    for (uint32_t k = 2; k < 4; k++) set_entry(&problem, 0, k, 0.25);
    problem.b[0] = 2;
    problem.b[1] = 6;
    double out[5];
    assert_int_equal(run_all_ways(&problem, true, out), 0);
    static const double expected[5] = {0.5, 0, 3, 3, 1};
    for (uint32_t i = 0; i < 5; i++) assert_nearly(out[i], expected[i], 1e-14);
    problem_clear(&problem);
  }
}

static void contradictions_are_told(void **state) {
  (void)state;
  for (int known = 0; known < 2; known++) {
    struct problem problem = border_new(2, 2, 1);
    problem.rank = known ? 3 : 4;
    for (uint32_t i = 0; i < 2; i++) set_entry(&problem, i, i, 1);
    for (uint32_t k = 0; k < 2; k++) {
      set_coefficient(&problem, k, 0, 1);
      set_coefficient(&problem, k, 1, 2);
      problem.b[2 + k] = 1 + k;
    }
    double out[5];
    int status = run_all_ways(&problem, true, out);
    assert_true(status == 3 || status == 4);
    problem_clear(&problem);
  }
}

static bool all_are_finite(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

static void undefined_entries_stay_undefined(void **state) {
  (void)state;
  struct random_source random = {15};
  static const double values[] = {NAN, INFINITY, -INFINITY};
  for (uint32_t n = 3; n <= 18; n += 15)
    for (size_t v = 0; v < COUNT(values); v++)
      for (int place = 0; place < 3; place++)
        for (uint32_t redundant = 0; redundant < 2; redundant++) {
          struct problem problem = border_new(n, 2, 1);
          fill_masses(&problem, &random, true, 0);
          fill_constraints(&problem, &random, n);
          fill_right_sides(&problem, &random);
          problem.rank -= redundant;
          if (redundant) add_combinations(&problem, &random, 1, 0);
          set_entry(&problem, place == 0 ? 1 : n, place == 2 ? 1 : 0, values[v]);
          double out[21];
          struct tape *tape = problem_tape(&problem);
          assert_int_equal(run_problem(tape, &problem, out), 0);
          assert_false(all_are_finite(out, problem.n));
          assert_int_equal(run_compiled(tape, &problem, out), 0);
          assert_false(all_are_finite(out, problem.n));
          if (n == 3 && v < 2) {
            assert_int_equal(run_linked(tape, &problem, out), 0);
            assert_false(all_are_finite(out, problem.n));
          }
          tape_free(tape);
          problem_clear(&problem);
        }
}

/* Bodies x, y, φ in the plane, pinned to one another: with a fill-reducing order the tape and the
 * factor grow as the number of bodies. */
static void chains_in_absolute_coordinates_stay_sparse(void **state) {
  (void)state;
  uint32_t before = 0;
  for (uint32_t bodies = 8; bodies <= 256; bodies *= 2) {
    struct random_source random = {bodies};
    struct problem problem = border_new(3 * bodies, 2 * bodies, 1);
    fill_masses(&problem, &random, false, 0);
    for (uint32_t k = 0; k < 2 * bodies; k++)
      for (uint32_t b = k / 2; b <= k / 2 + 1 && b < bodies; b++) {
        set_coefficient(&problem, k, 3 * b + k % 2, b == k / 2 ? 1 : -1);
        set_coefficient(&problem, k, 3 * b + 2, random_between(&random, -1, 1));
      }
    fill_right_sides(&problem, &random);
    struct tape *tape = problem_tape(&problem);
    const struct tape_solver *solver = &tape->solvers.items[0];
    struct tape_counts counts = tape_count(tape);
    uint32_t size = counts.instructions + counts.kernel_operations;
    assert_true(solver->kind == SOLVER_UNROLLED || solver->kind == SOLVER_SPARSE);
    assert_true(solver->factor_count < 24 * bodies);
    if (before > 0) assert_true(size < 2 * before + before / 2);
    before = size;
    double *out = checked_calloc((size_t)problem.n + 1, sizeof(double));
    assert_int_equal(run_problem(tape, &problem, out), 0);
    assert_true(residual(&problem, out) < 1e-9);
    free(out);
    tape_free(tape);
    problem_clear(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_systems),
      cmocka_unit_test(large_systems_lose_rank),
      cmocka_unit_test(unsymmetric_systems),
      cmocka_unit_test(vanishing_coefficients),
      cmocka_unit_test(coordinates_without_mass),
      cmocka_unit_test(masses_singular_off_the_constraint),
      cmocka_unit_test(redundant_constraints),
      cmocka_unit_test(least_multipliers_are_known),
      cmocka_unit_test(nearly_redundant_constraints),
      cmocka_unit_test(subsets_of_constraints),
      cmocka_unit_test(redundant_friction),
      cmocka_unit_test(contradictions_are_told),
      cmocka_unit_test(undefined_entries_stay_undefined),
      cmocka_unit_test(chains_in_absolute_coordinates_stay_sparse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
