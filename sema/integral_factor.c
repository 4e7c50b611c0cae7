/* Integrating factors, and combinations of forms that are exact.
 *
 * d(mu omega) = 0 reads  d(log mu) ^ omega + d omega = 0. With d(log mu) as a sum of numbers k
 * times dx/x, dx, cot x dx, -tan x dx, d(x^2 + y^2)/(x^2 + y^2), that is linear in the k: it is
 * solved at random points in doubles by least squares, for the fewest k and for factors that are
 * regular at the start state first; small rationals near the solution are then tried exactly. */
#include "sema/integral.h"
#include "base/map.h"
#include "base/vector.h"
#include <math.h>

enum {
  POINTS = 12,
  BASIS_LIMIT = 200,
  TRIPLES_LIMIT = 40, /* of basis functions: more are tried in pairs only */
  ROWS_LIMIT = 20000,
  MEMBERS_LIMIT = 8,
  TRIALS_LIMIT = 6 /* exact integrations */
};

enum basis_kind { BASIS_POWER, BASIS_EXPONENTIAL, BASIS_SINE, BASIS_COSINE, BASIS_SUM };
struct basis {
  enum basis_kind kind;
  uint32_t i, j; /* directions */
};

/* Values at one random point. */
struct sampling {
  const struct integral_space *space;
  uint64_t seed;
};

/* Positive and of order one: inside of the domains of roots and logarithms. */
static double random_value(void *user, expr symbol) {
  const struct sampling *sampling = user;
  uint64_t bits = hash_mix(hash_mix(symbol) ^ sampling->seed * 0x9e3779b97f4a7c15u);
  return 0.4 + 1.1 * ((double)(bits >> 11) / 9007199254740992.0);
}

static expr symbol_of(const struct integral_space *space, uint32_t j) {
  return j < space->n ? space->q[j] : space->time;
}

/* ---------------------------------------------------------------- values of a form */

/* Directions that a form lives on: its coefficient, or one of its coefficients, depends on them. */
static uint32_t involved_directions(const struct integral_space *space, const expr *const *forms,
                                    uint32_t count, uint32_t *directions) {
  uint32_t found = 0;
  for (uint32_t j = 0; j <= space->n; j++) {
    if (j < space->n && space->is_frozen[j]) continue;
    struct expr_symbol_set *set = expr_symbol_set_new(space->graph);
    expr_symbol_set_add(set, symbol_of(space, j));
    bool is_involved = false;
    for (uint32_t f = 0; f < count; f++)
      for (uint32_t k = 0; k <= space->n && !is_involved; k++)
        is_involved = (k == j && !expr_is_integer_value(space->graph, forms[f][k], 0)) ||
                      expr_symbol_set_touches(set, forms[f][k]);
    expr_symbol_set_free(set);
    if (is_involved) directions[found++] = j;
  }
  return found;
}

/* Coefficients on the directions, then curl for pairs k < l, of one form. */
struct form_values {
  uint32_t count; /* directions */
  expr *roots;    /* count, then count*(count - 1)/2 */
};

static struct expr_tangent *direction(const struct integral_space *space, uint32_t j) {
  struct expr_tangent *tangent = expr_tangent_new(space->graph);
  expr_tangent_seed(tangent, symbol_of(space, j), expr_integer(space->graph, 1));
  for (uint32_t k = 0; j == space->n && k < space->s; k++)
    expr_tangent_seed(tangent, space->z[k], space->rate[k]);
  return tangent;
}

static expr *form_roots(const struct integral_space *space, const expr *form,
                        const uint32_t *directions, uint32_t count) {
  size_t pairs = (size_t)count * count;
  expr *roots = arena_array(space->arena, expr, count + pairs + 1);
  expr *slopes = arena_array(space->arena, expr, pairs + 1);
  for (uint32_t k = 0; k < count; k++) {
    struct expr_tangent *along = direction(space, directions[k]);
    roots[k] = form[directions[k]];
    for (uint32_t l = 0; l < count; l++)
      slopes[k * (size_t)count + l] = expr_tangent_of(along, form[directions[l]]);
    expr_tangent_free(along);
  }
  uint32_t next = count;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t l = k + 1; l < count; l++)
      roots[next++] =
          expr_subtract(space->graph, slopes[k * (size_t)count + l], slopes[l * (size_t)count + k]);
  return roots;
}

/* ---------------------------------------------------------------- least squares */

struct least_squares {
  uint32_t count;               /* unknowns */
  double *gram, *right, square; /* of the columns, with the right side, of the right side */
};

static void add_equation(struct least_squares *ls, const double *row, double right) {
  for (uint32_t i = 0; i < ls->count; i++) {
    for (uint32_t j = 0; j < ls->count; j++) ls->gram[i * (size_t)ls->count + j] += row[i] * row[j];
    ls->right[i] += row[i] * right;
  }
  ls->square += right * right;
}

/* The solution for a few of the unknowns; false if it does not satisfy the equations. */
static bool solve_for(const struct least_squares *ls, const uint32_t *chosen, uint32_t count,
                      double *solution) {
  double a[MEMBERS_LIMIT][MEMBERS_LIMIT + 1];
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = 0; j < count; j++)
      a[i][j] = ls->gram[chosen[i] * (size_t)ls->count + chosen[j]];
    a[i][count] = ls->right[chosen[i]];
  }
  for (uint32_t k = 0; k < count; k++) { /* positive definite: no exchanges */
    if (!(a[k][k] > 1e-9 * ls->gram[chosen[k] * (size_t)ls->count + chosen[k]])) return false;
    for (uint32_t i = k + 1; i < count; i++) {
      double factor = a[i][k] / a[k][k];
      for (uint32_t j = k; j <= count; j++) a[i][j] -= factor * a[k][j];
    }
  }
  double residual = ls->square;
  for (uint32_t k = count; k-- > 0;) {
    double value = a[k][count];
    for (uint32_t j = k + 1; j < count; j++) value -= a[k][j] * solution[j];
    solution[k] = value / a[k][k];
  }
  for (uint32_t k = 0; k < count; k++) residual -= solution[k] * ls->right[chosen[k]];
  return residual <= 1e-11 * ls->square;
}

/* The small rational near the value; 0 if there is none. */
static expr small_rational(struct expr_graph *graph, double value) {
  for (long denominator = 1; denominator <= 6; denominator++) {
    double scaled = value * (double)denominator, nearest = nearbyint(scaled);
    if (fabs(nearest) > 60 || nearest == 0) continue;
    if (fabs(scaled - nearest) < 1e-4) return expr_ratio(graph, (long)nearest, denominator);
  }
  return 0;
}

/* ---------------------------------------------------------------- integrating factors */

struct search {
  const struct integral_space *space;
  const expr *form;
  uint32_t *directions, direction_count;
  struct basis *basis;
  uint32_t basis_count;
  struct least_squares ls;
  uint32_t trials;
  bool only_regular;
  expr factor;
};

static void make_basis(struct search *s) {
  uint32_t count = s->direction_count;
  s->basis = arena_array(s->space->arena, struct basis, BASIS_LIMIT);
  for (enum basis_kind kind = BASIS_POWER; kind <= BASIS_COSINE; kind++)
    for (uint32_t i = 0; i < count && s->basis_count < BASIS_LIMIT; i++)
      s->basis[s->basis_count++] = (struct basis){kind, i, i};
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = i + 1; j < count && s->basis_count < BASIS_LIMIT; j++)
      s->basis[s->basis_count++] = (struct basis){BASIS_SUM, i, j};
}

/* The coefficient of the logarithmic differential on direction k, at values x. */
static double basis_value(const struct basis *basis, uint32_t k, const double *x) {
  if (k != basis->i && k != basis->j) return 0;
  switch (basis->kind) {
  case BASIS_POWER:
    return 1 / x[k];
  case BASIS_EXPONENTIAL:
    return 1;
  case BASIS_SINE:
    return cos(x[k]) / sin(x[k]);
  case BASIS_COSINE:
    return -tan(x[k]);
  case BASIS_SUM:
    break;
  }
  return 2 * x[k] / (x[basis->i] * x[basis->i] + x[basis->j] * x[basis->j]);
}

static expr basis_base(const struct search *s, const struct basis *basis) {
  struct expr_graph *graph = s->space->graph;
  expr x = symbol_of(s->space, s->directions[basis->i]);
  expr y = symbol_of(s->space, s->directions[basis->j]);
  switch (basis->kind) {
  case BASIS_POWER:
    return x;
  case BASIS_EXPONENTIAL:
    return expr_unary(graph, EXPR_EXP, x);
  case BASIS_SINE:
    return expr_unary(graph, EXPR_SIN, x);
  case BASIS_COSINE:
    return expr_unary(graph, EXPR_COS, x);
  case BASIS_SUM:
    break;
  }
  return expr_add(graph, expr_power_ratio(graph, x, 2, 1), expr_power_ratio(graph, y, 2, 1));
}

static void sample_equations(struct search *s) {
  uint32_t count = s->direction_count, root_count = count + count * (count - 1) / 2;
  struct arena *arena = s->space->arena;
  expr *roots = form_roots(s->space, s->form, s->directions, count);
  double *values = arena_array(arena, double, root_count + 1);
  double *x = arena_array(arena, double, count + 1);
  double *row = arena_array(arena, double, s->basis_count + 1);
  s->ls.count = s->basis_count;
  s->ls.gram = arena_array(arena, double, (size_t)s->basis_count * s->basis_count + 1);
  s->ls.right = arena_array(arena, double, s->basis_count + 1);
  for (uint32_t point = 0; point < POINTS; point++) {
    struct sampling sampling = {s->space, point + 1};
    expr_evaluate(s->space->graph, roots, root_count, random_value, &sampling, values);
    bool is_defined = true;
    for (uint32_t i = 0; i < root_count; i++) is_defined = is_defined && isfinite(values[i]);
    for (uint32_t k = 0; k < count; k++)
      x[k] = random_value(&sampling, symbol_of(s->space, s->directions[k]));
    const double *curl = values + count;
    for (uint32_t k = 0; k < count && is_defined; k++)
      for (uint32_t l = k + 1; l < count; l++, curl++) {
        for (uint32_t b = 0; b < s->basis_count; b++)
          row[b] = basis_value(&s->basis[b], k, x) * values[l] -
                   basis_value(&s->basis[b], l, x) * values[k];
        add_equation(&s->ls, row, -*curl);
      }
  }
}

/* The integral with the factor made of these basis functions, or 0. */
static expr try_factor(struct search *s, const uint32_t *chosen, uint32_t count) {
  struct expr_graph *graph = s->space->graph;
  double solution[MEMBERS_LIMIT], start;
  if (!solve_for(&s->ls, chosen, count, solution)) return 0;
  expr factor = expr_integer(graph, 1);
  for (uint32_t i = 0; i < count; i++) {
    const struct basis *basis = &s->basis[chosen[i]];
    expr exponent = small_rational(graph, solution[i]);
    if (exponent == 0) return 0;
    factor = expr_multiply(graph, factor, expr_power(graph, basis_base(s, basis), exponent));
  }
  expr_evaluate(graph, &factor, 1, s->space->start, s->space->user, &start);
  bool is_regular = isfinite(start) && fabs(start) > 1e-12;
  if (is_regular != s->only_regular || s->trials++ >= TRIALS_LIMIT) return 0;
  expr *scaled = arena_array(s->space->arena, expr, s->space->n + 1);
  for (uint32_t j = 0; j <= s->space->n; j++) scaled[j] = expr_multiply(graph, factor, s->form[j]);
  s->factor = factor;
  return integral_of_exact(s->space, scaled);
}

static expr search_sizes(struct search *s) {
  uint32_t count = s->basis_count, chosen[3];
  expr found = 0;
  for (chosen[0] = 0; chosen[0] < count && found == 0; chosen[0]++)
    found = try_factor(s, chosen, 1);
  for (chosen[0] = 0; chosen[0] < count && found == 0; chosen[0]++)
    for (chosen[1] = chosen[0] + 1; chosen[1] < count && found == 0; chosen[1]++)
      found = try_factor(s, chosen, 2);
  if (count > TRIPLES_LIMIT) return found;
  for (chosen[0] = 0; chosen[0] < count && found == 0; chosen[0]++)
    for (chosen[1] = chosen[0] + 1; chosen[1] < count && found == 0; chosen[1]++)
      for (chosen[2] = chosen[1] + 1; chosen[2] < count && found == 0; chosen[2]++)
        found = try_factor(s, chosen, 3);
  return found;
}

expr integral_with_factor(const struct integral_space *space, const expr *form, expr *factor) {
  struct search s = {.space = space, .form = form};
  s.directions = arena_array(space->arena, uint32_t, space->n + 1);
  s.direction_count = involved_directions(space, &form, 1, s.directions);
  if ((size_t)s.direction_count * s.direction_count * POINTS > ROWS_LIMIT) return 0;
  make_basis(&s);
  sample_equations(&s);
  s.only_regular = true;
  expr found = search_sizes(&s);
  if (found == 0) {
    s.only_regular = false;
    s.trials = 0;
    found = search_sizes(&s);
  }
  *factor = found != 0 ? s.factor : 0;
  return found;
}

/* ---------------------------------------------------------------- combinations */

expr integral_of_combination(const struct integral_space *space, const expr *const *forms,
                             uint32_t count) {
  struct arena *arena = space->arena;
  if (count < 2 || count > MEMBERS_LIMIT) return 0;
  uint32_t *directions = arena_array(arena, uint32_t, space->n + 1), chosen[MEMBERS_LIMIT];
  uint32_t width = involved_directions(space, forms, count, directions);
  uint32_t pairs = width * (width - 1) / 2, unknowns = count - 1;
  if ((size_t)pairs * POINTS * count > ROWS_LIMIT) return 0;
  expr *roots = arena_array(arena, expr, (size_t)pairs * count + 1);
  double *values = arena_array(arena, double, (size_t)pairs *count + 1);
  for (uint32_t f = 0; f < count; f++) {
    const expr *own = form_roots(space, forms[f], directions, width) + width;
    for (uint32_t i = 0; i < pairs; i++) roots[f * pairs + i] = own[i];
  }
  double gram[MEMBERS_LIMIT * MEMBERS_LIMIT] = {0}, right[MEMBERS_LIMIT] = {0};
  double row[MEMBERS_LIMIT], solution[MEMBERS_LIMIT];
  struct least_squares ls = {.count = unknowns, .gram = gram, .right = right};
  for (uint32_t point = 0; point < POINTS; point++) {
    struct sampling sampling = {space, point + 1};
    expr_evaluate(space->graph, roots, (size_t)pairs * count, random_value, &sampling, values);
    for (uint32_t i = 0; i < pairs; i++) {
      bool is_defined = isfinite(values[i]);
      for (uint32_t f = 1; f < count; f++) row[f - 1] = values[f * pairs + i];
      for (uint32_t f = 1; f < count; f++) is_defined = is_defined && isfinite(row[f - 1]);
      if (is_defined) add_equation(&ls, row, -values[i]);
    }
  }
  for (uint32_t f = 0; f < unknowns; f++) chosen[f] = f;
  if (!solve_for(&ls, chosen, unknowns, solution)) return 0;
  expr *sum = arena_array(arena, expr, space->n + 1);
  for (uint32_t j = 0; j <= space->n; j++) sum[j] = forms[0][j];
  for (uint32_t f = 1; f < count; f++) {
    expr number = small_rational(space->graph, solution[f - 1]);
    if (number == 0) return 0;
    for (uint32_t j = 0; j <= space->n; j++)
      sum[j] = expr_add(space->graph, sum[j], expr_multiply(space->graph, number, forms[f][j]));
  }
  return integral_of_exact(space, sum);
}
