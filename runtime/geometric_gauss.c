/* geometric_gauss.c: the collocation methods of Gauss with 1 (the implicit midpoint rule) to 4
 * stages, of order 2 to 8: Y_i = y + h sum a_ij f(Y_j), y <- y + h sum b_i f(Y_i). They are
 * symmetric for every equation, symplectic for canonical ones. Their equations are solved to
 * rounding by fixed-point iteration for Z_i = Y_i - y, from the polynomial of the last step; where
 * rates of positions are velocities, positions take the new velocities at once, which halves the
 * iterations. Coefficients come from long doubles, what a double leaves of them is kept beside it,
 * so that energy does not drift by their rounding; where long doubles are doubles, it may. Source:
 * Hairer, Lubich, Wanner, Geometric Numerical Integration (2nd ed.), II.1.3, VI.4, VIII.6; Hairer,
 * McLachlan, Razakarivony, Achieving Brouwer's law with implicit Runge-Kutta methods, BIT 48
 * (2008). */
#include "runtime/geometric.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define CLONES
#endif

enum { MOST_STAGES = 4, MOST_ITERATIONS = 100, MOST_GROWING = 4 };
/* A change that does not get smaller any more and is below this is rounding. */
#define ROUNDING 1e-10
/* Steps of the last polynomial that it is trusted for. */
#define FAR 3

struct gauss {
  struct geometric_map map;
  struct evaluator *e;
  const struct error_control *control;
  int is_natural, stages;
  int32_t n, n_second; /* entries; of these, positions whose rates are velocities */
  double c[MOST_STAGES], a[MOST_STAGES][MOST_STAGES], a_low[MOST_STAGES][MOST_STAGES];
  double b[MOST_STAGES], b_low[MOST_STAGES];
  double *memory, *f[MOST_STAGES], *stage;
  double *z[MOST_STAGES];               /* of the step in work */
  double *z_last[MOST_STAGES], *y_last; /* of the last one, */
  double t_last, h_last;                /* which is none where h_last = 0 */
};

/* ---- Coefficients ---- */

static void list_nodes(int stages, long double *c, long double *b) {
  static const long double half = 0.5L;
  long double r = sqrtl(30), outer = sqrtl((15 + 2 * r) / 35) / 2,
              inner = sqrtl((15 - 2 * r) / 35) / 2;
  switch (stages) {
  case 1:
    c[0] = half, b[0] = 1;
    return;
  case 2:
    c[0] = half - sqrtl(3) / 6, c[1] = half + sqrtl(3) / 6;
    b[0] = b[1] = half;
    return;
  case 3:
    c[0] = half - sqrtl(15) / 10, c[1] = half, c[2] = half + sqrtl(15) / 10;
    b[0] = b[2] = 5.0L / 18, b[1] = 4.0L / 9;
    return;
  default:
    c[0] = half - outer, c[1] = half - inner, c[2] = half + inner, c[3] = half + outer;
    b[0] = b[3] = (18 - r) / 72, b[1] = b[2] = (18 + r) / 72;
  }
}

/* The j-th of the polynomials that are 1 at one of the nodes and 0 at the others. */
static long double basis_at(int count, const long double *c, int j, long double x) {
  long double value = 1;
  for (int k = 0; k < count; k++)
    if (k != j) value *= (x - c[k]) / (c[j] - c[k]);
  return value;
}

static void split_number(long double value, double *high, double *low) {
  *high = (double)value;
  *low = (double)(value - (long double)*high);
}

/* a_ij is the integral of the j-th basis polynomial up to c_i, which Gauss's quadrature gives. */
static void set_coefficients(struct gauss *g) {
  long double c[MOST_STAGES], b[MOST_STAGES];
  list_nodes(g->stages, c, b);
  for (int i = 0; i < g->stages; i++) {
    g->c[i] = (double)c[i];
    split_number(b[i], &g->b[i], &g->b_low[i]);
    for (int j = 0; j < g->stages; j++) {
      long double sum = 0;
      for (int k = 0; k < g->stages; k++) sum += b[k] * basis_at(g->stages, c, j, c[i] * c[k]);
      split_number(c[i] * sum, &g->a[i][j], &g->a_low[i][j]);
    }
  }
}

/* ---- One step ---- */

/* z from the polynomial through the last step's begin and stages; 0 where there is none near. */
static void guess(struct gauss *g, double t, double h, const double *y) {
  int s = g->stages;
  double nodes[MOST_STAGES + 1] = {0}, weight[MOST_STAGES][MOST_STAGES + 1];
  int is_near = g->h_last != 0 && fabs(t + h - g->t_last) <= FAR * fabs(g->h_last);
  for (int j = 0; j < s; j++) nodes[j + 1] = g->c[j];
  for (int i = 0; i < s && is_near; i++) {
    double at = (t + g->c[i] * h - g->t_last) / g->h_last;
    for (int j = 0; j <= s; j++) {
      weight[i][j] = 1;
      for (int k = 0; k <= s; k++)
        if (k != j) weight[i][j] *= (at - nodes[k]) / (nodes[j] - nodes[k]);
    }
  }
  for (int i = 0; i < s; i++)
    for (int32_t k = 0; k < g->n; k++) {
      double moved = is_near ? g->y_last[k] - y[k] : 0;
      for (int j = 0; j < s && is_near; j++) moved += weight[i][j + 1] * g->z_last[j][k];
      g->z[i][k] = moved;
    }
}

static enum evaluate_result evaluate_stages(struct gauss *g, double t, double h, const double *y,
                                            const double *carry) {
  for (int i = 0; i < g->stages; i++) {
    for (int32_t k = 0; k < g->n; k++) g->stage[k] = y[k] + (carry[k] + g->z[i][k]);
    double at = t + g->c[i] * h;
    enum evaluate_result result = g->is_natural ? evaluate_natural_rhs(g->e, at, g->stage, g->f[i])
                                                : evaluate_rhs(g->e, at, g->stage, g->f[i]);
    if (result) return result;
  }
  return EVALUATE_OK;
}

/* to[k] = h times the weighted slopes of the entries from k = begin on. What a double leaves of the
 * weights is below half a digit of the sum: it counts only where it is added before anything is
 * rounded. */
CLONES static void weigh(const struct gauss *g, double h, const double *high, const double *low,
                         int32_t begin, int32_t end, double *to) {
  for (int32_t k = begin; k < end; k++) to[k] = low[0] * g->f[0][k];
  for (int j = 1; j < g->stages; j++)
    for (int32_t k = begin; k < end; k++) to[k] += low[j] * g->f[j][k];
  for (int j = 0; j < g->stages; j++)
    for (int32_t k = begin; k < end; k++) to[k] = fma(high[j], g->f[j][k], to[k]);
  for (int32_t k = begin; k < end; k++) to[k] *= h;
}

/* New z of some entries; returns the largest relative change, infinite if one is no number. */
static double renew(struct gauss *g, double h, const double *y, int32_t begin, int32_t end) {
  double largest = 0;
  for (int i = 0; i < g->stages; i++) {
    weigh(g, h, g->a[i], g->a_low[i], begin, end, g->stage);
    for (int32_t k = begin; k < end; k++) {
      double z = g->stage[k], size = fmax(fabs(y[k]), fabs(z));
      double change = fabs(z - g->z[i][k]) * g->control->relative;
      double moved = change / error_scale(g->control, k, size);
      largest = moved < HUGE_VAL ? fmax(largest, moved) : HUGE_VAL;
      g->z[i][k] = z;
    }
  }
  return largest;
}

/* One iteration; returns the largest relative change. */
static double iterate(struct gauss *g, double h, const double *y, const double *carry) {
  double moved = renew(g, h, y, g->n_second, g->n);
  for (int i = 0; i < g->stages; i++)
    for (int32_t k = 0; k < g->n_second; k++) {
      int32_t v = k + g->n_second;
      g->f[i][k] = y[v] + (carry[v] + g->z[i][v]);
    }
  return fmax(moved, renew(g, h, y, 0, g->n_second));
}

static enum geometric_result solve(struct gauss *g, double t, double h, const double *y,
                                   const double *carry) {
  double last = HUGE_VAL;
  int growing = 0;
  for (int count = 0; count < MOST_ITERATIONS; count++) {
    if (evaluate_stages(g, t, h, y, carry)) return GEOMETRIC_NOT_EVALUATED;
    double moved = iterate(g, h, y, carry);
    if (moved == 0 || (moved >= last && moved <= ROUNDING)) return GEOMETRIC_DONE;
    if (!(moved < HUGE_VAL) || (moved > last && ++growing > MOST_GROWING)) break;
    last = moved;
  }
  return GEOMETRIC_NOT_SOLVED;
}

static void keep(struct gauss *g, double t, double h, const double *y) {
  memcpy(g->y_last, y, (size_t)g->n * sizeof *y);
  g->t_last = t;
  g->h_last = h;
  for (int i = 0; i < g->stages; i++) {
    double *z = g->z[i];
    g->z[i] = g->z_last[i];
    g->z_last[i] = z;
  }
}

static enum geometric_result gauss_advance(struct geometric_map *map, double t, double h, double *y,
                                           double *carry, int is_probe) {
  struct gauss *g = (struct gauss *)map;
  guess(g, t, h, y);
  enum geometric_result result = solve(g, t, h, y, carry);
  if (result && g->h_last != 0) { /* the guess may have been a bad one */
    g->h_last = 0;
    guess(g, t, h, y);
    result = solve(g, t, h, y, carry);
  }
  if (result) return result;
  if (!is_probe) keep(g, t, h, y);
  weigh(g, h, g->b, g->b_low, 0, g->n, g->stage);
  for (int32_t k = 0; k < g->n; k++) geometric_add(&y[k], &carry[k], g->stage[k]);
  return GEOMETRIC_DONE;
}

static void gauss_free(struct geometric_map *map) {
  struct gauss *g = (struct gauss *)map;
  free(g->memory);
  free(g);
}

struct geometric_map *gauss_map_new(int stages, struct evaluator *e,
                                    const struct error_control *control, int is_natural) {
  size_t n = (size_t)e->n + 1;
  struct gauss *g = calloc(1, sizeof *g);
  double *next = calloc((3 * (size_t)stages + 2) * n, sizeof *next);
  if (!g || !next) {
    free(g);
    free(next);
    return NULL;
  }
  g->map = (struct geometric_map){gauss_advance, gauss_free};
  g->e = e;
  g->control = control;
  g->is_natural = is_natural;
  g->stages = stages;
  g->n = e->n;
  g->n_second = is_natural || !e->model->method_state ? e->model->n_coordinates : 0;
  g->memory = next;
  for (int i = 0; i < stages; i++, next += 3 * n) {
    g->f[i] = next;
    g->z[i] = next + n;
    g->z_last[i] = next + 2 * n;
  }
  g->y_last = next;
  g->stage = next + n;
  set_coefficients(g);
  return &g->map;
}
