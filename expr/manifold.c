/* The rank of a matrix at points of a manifold (expr.h says what it promises): random starts are
 * brought to the manifold in doubles, the points found are proven and looked at by the module
 * dyn_prover.
 *
 * Equations without a gradient, like (x - y)^2 = 0, let no point be proven: once the points in
 * doubles agree about them, the search starts again without them. */
#include "expr/manifold.h"
#include "expr/graph.h"
#include "expr/prover.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
  POINTS_LIMIT = 3,
  ATTEMPTS_PER_POINT = 8,
  LARGE_MATRIX = 4 * 1000 * 1000 /* products in an elimination; then one point must do */
};

struct search {
  struct expr_graph *graph;
  const struct expr_manifold *manifold;
  const expr *entries;
  uint32_t rows, columns, smaller;
  struct zero_test *test;
  struct prover_question question;
  const struct prover *prover;
  struct manifold_rank *result;
  /* Of the round: */
  struct manifold_system system;
  struct manifold_descent descent;
  double best;            /* merit of result->nearest */
  uint32_t found, proven; /* points in doubles, proven ones */
  bool agree;             /* proven points: about the rank, and nothing is left besides */
  uint32_t *flat_points;  /* per equation in use: points where its gradient vanishes */
  bool *has_gradient;     /* per equation in use: it is independent at a proven point */
  uint32_t *pivots;
};

static void keep_pivots(struct search *search, uint32_t rank, const uint32_t *pivot_rows,
                        const uint32_t *pivot_columns) {
  struct rank_result *best = &search->result->rank;
  if (rank <= best->rank) return;
  best->rank = rank;
  memcpy(best->pivot_rows, pivot_rows, rank * sizeof *pivot_rows);
  memcpy(best->pivot_columns, pivot_columns, rank * sizeof *pivot_columns);
}

/* ---- one point */

/* The matrix in doubles at the point of the descent, and with `errors` bounds of its rounding
 * errors; both free()d by the caller. */
static double *evaluate_matrix(const struct search *search, double **errors) {
  const struct program *program = &search->system.matrix;
  size_t count = program->root_count, steps = program->step_count;
  double *matrix = checked_malloc((count + 1) * sizeof *matrix);
  double *values = checked_malloc((2 * steps + 1) * sizeof *values);
  double *symbols = checked_malloc(((size_t)program->symbol_count + 1) * sizeof *symbols);
  for (uint32_t i = 0; i < program->symbol_count; i++)
    symbols[i] = search->descent.here.x[search->system.matrix_map[i]];
  program_evaluate(program, symbols, values);
  for (size_t i = 0; i < count; i++) matrix[i] = values[program->roots[i]];
  if (errors != NULL) {
    program_rounding(program, values, values + steps);
    *errors = checked_malloc((count + 1) * sizeof **errors);
    for (size_t i = 0; i < count; i++) (*errors)[i] = values[steps + program->roots[i]];
  }
  free(values);
  free(symbols);
  return matrix;
}

/* Of the terms that the largest entries are made of: entries that vanish are small against it. */
static double matrix_size(const struct search *search) {
  double *errors, *matrix = evaluate_matrix(search, &errors), size = DBL_MIN;
  for (uint32_t i = 0; i < search->system.matrix.root_count; i++)
    if (isfinite(errors[i])) size = fmax(size, errors[i] / DBL_EPSILON);
  free(errors);
  free(matrix);
  return size;
}

/* The rank in doubles, for want of the prover. */
static bool estimate_rank(struct search *search) {
  size_t rows = search->rows, columns = search->columns;
  double *matrix = evaluate_matrix(search, NULL), last, rest;
  uint32_t *orders = checked_malloc((rows + columns + 1) * sizeof *orders);
  bool defined = true;
  for (size_t i = 0; i < rows * columns; i++) defined = defined && isfinite(matrix[i]);
  if (defined) {
    uint32_t rank = dense_eliminate(matrix, search->rows, search->columns, 1e-9, orders,
                                    orders + rows, &last, &rest);
    keep_pivots(search, rank, orders, orders + rows);
  }
  free(matrix);
  free(orders);
  return defined;
}

/* Asks the prover about the point of the descent. */
static bool prove_point(struct search *search, const struct manifold_choice *choice) {
  const struct manifold_system *system = &search->system;
  const struct manifold_descent *descent = &search->descent;
  double *sizes = checked_malloc(((size_t)system->count + 1) * sizeof *sizes);
  /* an equation such as y = 0 has no terms of any size: then the way to its zero counts */
  for (uint32_t i = 0; i < system->count; i++)
    sizes[i] =
        descent->here.rounding[i] / DBL_EPSILON + manifold_gradient(descent, i) + DBL_MIN;
  struct prover_point point = {.equations = &system->equations,
                               .derivatives = &system->derivatives,
                               .matrix = &system->matrix,
                               .equations_map = system->equations_map,
                               .derivatives_map = system->derivatives_map,
                               .matrix_map = system->matrix_map,
                               .row_start = system->row_start,
                               .derivative_columns = system->columns,
                               .rows = search->rows,
                               .columns = search->columns,
                               .matrix_size = matrix_size(search),
                               .coordinate_count = system->coordinate_count,
                               .start = descent->here.x,
                               .scales = descent->scales,
                               .sizes = sizes,
                               .count = choice->count,
                               .independent = choice->equations,
                               .dependent = choice->coordinates,
                               .inverse = choice->inverse};
  uint32_t *pivot_columns = search->pivots + search->smaller;
  struct prover_point_answer answer =
      search->prover->rank_at(&point, search->question.bits, search->pivots, pivot_columns);
  free(sizes);
  if (!answer.is_proven || !answer.is_defined) return false;
  if (search->test->bits_used < answer.bits_used) search->test->bits_used = answer.bits_used;
  bool first = search->proven == 0;
  search->agree = (first || (search->agree && answer.rank == search->result->rank.rank)) &&
                  (answer.is_sharp || answer.rank == search->smaller);
  keep_pivots(search, answer.rank, search->pivots, pivot_columns);
  return true;
}

/* Keeps the residuals at the point that comes closest. */
static void keep_nearest(struct search *search) {
  const struct manifold_descent *descent = &search->descent;
  if (!(descent->merit < search->best)) return;
  search->best = descent->merit;
  for (uint32_t i = 0; i < search->system.count; i++)
    search->result->nearest[search->system.in_use[i]] = descent->here.residual[i];
}

/* Keeps the place of the descent. */
static void keep_point(struct search *search) {
  struct manifold_rank *result = search->result;
  uint32_t count = search->system.coordinate_count;
  if (result->symbols != NULL) return;
  result->symbols = checked_malloc(((size_t)count + 1) * sizeof *result->symbols);
  result->values = checked_malloc(((size_t)count + 1) * sizeof *result->values);
  if (count > 0) {
    memcpy(result->symbols, search->system.coordinates, count * sizeof *result->symbols);
    memcpy(result->values, search->descent.here.x, count * sizeof *result->values);
  }
  result->symbol_count = count;
}

/* One start. True if a point came of it that counts. */
static bool try_start(struct search *search, uint32_t attempt) {
  struct manifold_descent *descent = &search->descent;
  struct manifold_choice choice;
  if (!manifold_descent_start(descent, search->question.seed, attempt)) return false;
  bool arrived = manifold_descent_run(descent);
  keep_nearest(search);
  if (!arrived) return false;
  bool clear = manifold_choice_make(&choice, descent), counts = false;
  if (clear) {
    search->found++;
    for (uint32_t i = 0; i < search->system.count; i++) search->flat_points[i] += choice.is_flat[i];
    counts = search->prover != NULL ? prove_point(search, &choice) : estimate_rank(search);
    for (uint32_t k = 0; k < choice.count && counts; k++)
      search->has_gradient[choice.equations[k]] = true;
    if (counts) keep_point(search);
    if (counts && choice.count > search->result->equations_rank)
      search->result->equations_rank = choice.count;
  }
  manifold_choice_clear(&choice);
  return counts;
}

/* ---- one round over the equations in use */

static uint32_t wanted_points(const struct search *search) {
  uint32_t wanted = search->question.points < POINTS_LIMIT ? search->question.points : POINTS_LIMIT;
  double work = (double)search->rows * search->columns * search->smaller;
  return work > LARGE_MATRIX ? 1 : wanted;
}

/* Doubles may miss it at some start that was close already. */
static bool has_no_gradient(const struct search *search, uint32_t i) {
  return !search->has_gradient[i] && search->found > 1 &&
         search->flat_points[i] > search->found * 3 / 4;
}

/* One point found, where an equation seems to have no gradient: a second one is to confirm it. */
static bool is_in_doubt(const struct search *search) {
  bool doubt = false;
  for (uint32_t i = 0; i < search->system.count; i++)
    doubt = doubt || (search->found == 1 && search->flat_points[i] > 0);
  return doubt;
}

static void run_round(struct search *search) {
  uint32_t points = wanted_points(search);
  search->found = search->proven = 0;
  for (uint32_t i = 0; i < points * ATTEMPTS_PER_POINT && search->proven < points; i++) {
    if (search->descent.work > DESCENT_WORK) break;
    if (try_start(search, i)) search->proven++;
    if (search->proven > 0 && search->result->rank.rank == search->smaller && !is_in_doubt(search))
      break;
    if (search->proven == 0 && search->found >= 2 * points) break; /* it will not come */
  }
  for (uint32_t i = 0; i < search->system.count; i++)
    if (has_no_gradient(search, i))
      search->result->has_no_gradient[search->system.in_use[i]] = true;
}

/* A search with the given equations; false if the graph is full. */
static bool search_with(struct search *search, const uint32_t *in_use, uint32_t count) {
  bool made = manifold_system_make(&search->system, search->graph, search->manifold, in_use, count,
                                   search->entries, (size_t)search->rows * search->columns);
  if (made) {
    search->flat_points = checked_calloc((size_t)count + 1, sizeof *search->flat_points);
    search->has_gradient = checked_calloc((size_t)count + 1, sizeof *search->has_gradient);
    manifold_descent_init(&search->descent, &search->system);
    run_round(search);
    manifold_descent_clear(&search->descent);
    free(search->flat_points);
    free(search->has_gradient);
  }
  manifold_system_clear(&search->system);
  return made;
}

/* Round after round, each without the equations found to have no gradient. */
static void run_search(struct search *search) {
  struct manifold_rank *result = search->result;
  uint32_t total = search->manifold->count, count = total;
  uint32_t *in_use = checked_malloc(((size_t)total + 1) * sizeof *in_use);
  for (uint32_t i = 0; i < total; i++) in_use[i] = i;
  for (;;) {
    bool made = search_with(search, in_use, count);
    uint32_t left = 0;
    for (uint32_t i = 0; i < count && search->proven > 0; i++)
      result->is_implied[in_use[i]] = result->has_no_gradient[in_use[i]];
    for (uint32_t i = 0; i < total; i++)
      if (!result->has_no_gradient[i]) in_use[left++] = i;
    if (!made || search->proven > 0 || left == count) break;
    count = left;
    search->best = 0; /* the first round saw all equations: its nearest point stays */
  }
  free(in_use);
  search->test->points_used = search->proven;
  result->has_point = search->proven > 0;
  result->rank.believed = search->prover != NULL && result->has_point && search->agree;
}

struct manifold_rank expr_matrix_rank_on(struct expr_graph *graph,
                                         const struct expr_manifold *manifold, const expr *entries,
                                         uint32_t rows, uint32_t columns, struct zero_test *test) {
  struct manifold_rank result = {0};
  uint32_t smaller = rows < columns ? rows : columns;
  if (manifold->count == 0) {
    result.rank = expr_matrix_rank(graph, entries, rows, columns, test);
    result.has_point = result.rank.believed;
    return result;
  }
  result.rank.pivot_rows = checked_calloc((size_t)smaller + 1, sizeof(uint32_t));
  result.rank.pivot_columns = checked_calloc((size_t)smaller + 1, sizeof(uint32_t));
  result.has_no_gradient = checked_calloc(manifold->count, sizeof(bool));
  result.is_implied = checked_calloc(manifold->count, sizeof(bool));
  result.nearest = checked_calloc(manifold->count, sizeof(double));
  test->points_used = test->bits_used = 0;
  test->failure = NULL;
  struct search search = {.graph = graph,
                          .manifold = manifold,
                          .entries = entries,
                          .rows = rows,
                          .columns = columns,
                          .smaller = smaller,
                          .test = test,
                          .question = zero_test_question(test),
                          .prover = prover_open(&test->failure),
                          .result = &result,
                          .best = INFINITY,
                          .pivots = checked_malloc((2 * (size_t)smaller + 1) * sizeof(uint32_t))};
  for (uint32_t i = 0; i < manifold->count; i++) result.nearest[i] = NAN;
  run_search(&search);
  free(search.pivots);
  if (result.has_point) {
    free(result.nearest);
    result.nearest = NULL;
  }
  return result;
}

void manifold_rank_clear(struct manifold_rank *result) {
  rank_result_clear(&result->rank);
  free(result->has_no_gradient);
  free(result->is_implied);
  free(result->nearest);
  free(result->symbols);
  free(result->values);
  *result = (struct manifold_rank){0};
}
