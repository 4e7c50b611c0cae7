/* For tests of kinematics/: coordinates that are smooth functions of time, so that every expression
 * has a value at every time, and plain linear algebra in doubles to compare with. */
#ifndef DYN_TESTS_KINEMATICS_SUPPORT_H
#define DYN_TESTS_KINEMATICS_SUPPORT_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/map.h"
#include "base/vector.h"
#include "kinematics/kinematics.h"

enum { ORDERS = 5 }; /* q, q', ... */

struct motion_symbol {
  expr symbol[ORDERS];
  double taylor[ORDERS]; /* value and derivatives at time 0 */
};

struct motion {
  struct expr_graph *g;
  struct expr_tangent *rate;
  struct kinematics *k;
  VECTOR(struct motion_symbol) symbols;
  struct map index_of; /* symbol -> 1 + 8 * index + order */
  double time;
  uint64_t random;
};

static inline void motion_init(struct motion *m) {
  memset(m, 0, sizeof *m);
  m->g = expr_graph_new(0);
  m->rate = expr_tangent_new(m->g);
  m->k = kinematics_new(m->g, m->rate);
  m->random = 12345;
}

static inline void motion_clear(struct motion *m) {
  kinematics_free(m->k);
  expr_tangent_free(m->rate);
  expr_graph_free(m->g);
  vector_free(&m->symbols);
  map_free(&m->index_of);
}

/* Uniform in (-1, 1). */
static inline double motion_random(struct motion *m) {
  m->random = m->random * 6364136223846793005u + 1442695040888963407u;
  return (double)(m->random >> 11) / (double)(1ull << 52) - 1;
}

static inline struct motion_symbol *motion_entry(struct motion *m, expr symbol) {
  return &m->symbols.items[(map_get(&m->index_of, symbol) - 1) / 8];
}

/* A coordinate with random value and rates; a parameter keeps its value. */
static inline expr motion_symbol(struct motion *m, const char *name, bool moves) {
  struct motion_symbol entry = {0};
  for (int i = 0; i < (moves ? ORDERS : 1); i++) {
    char text[64];
    snprintf(text, sizeof text, "%s%.*s", name, i, "''''");
    entry.symbol[i] = expr_symbol(m->g, text, NULL);
    entry.taylor[i] = motion_random(m) * (i == 0 ? 1.5 : 1);
    map_set(&m->index_of, entry.symbol[i], 1 + 8 * m->symbols.count + (uint32_t)i);
    if (i > 0) expr_tangent_seed(m->rate, entry.symbol[i - 1], entry.symbol[i]);
  }
  vector_push(&m->symbols, entry);
  return entry.symbol[0];
}

static inline expr motion_coordinate(struct motion *m, const char *name) {
  return motion_symbol(m, name, true);
}

/* Positive. */
static inline expr motion_parameter(struct motion *m, const char *name) {
  expr symbol = motion_symbol(m, name, false);
  motion_entry(m, symbol)->taylor[0] = 0.3 + fabs(motion_entry(m, symbol)->taylor[0]);
  return symbol;
}

static inline void motion_set(struct motion *m, expr coordinate, double value, double rate,
                              double second) {
  double taylor[ORDERS] = {value, rate, second};
  memcpy(motion_entry(m, coordinate)->taylor, taylor, sizeof taylor);
}

static inline expr motion_rate(struct motion *m, expr coordinate, int order) {
  return motion_entry(m, coordinate)->symbol[order];
}

static inline double motion_symbol_value(void *user, expr symbol) {
  struct motion *m = user;
  uint32_t index = map_get(&m->index_of, symbol) - 1, order = index % 8;
  const double *taylor = m->symbols.items[index / 8].taylor;
  double value = 0;
  for (uint32_t i = ORDERS; i-- > order;) value = value * m->time / (i - order + 1) + taylor[i];
  return value;
}

static inline double motion_value(struct motion *m, expr e) {
  double value;
  expr_evaluate(m->g, &e, 1, motion_symbol_value, m, &value);
  return value;
}

static inline void motion_components(struct motion *m, vector_id v, frame_id in, double out[3]) {
  expr c[3];
  vector_components(m->k, v, in, c);
  expr_evaluate(m->g, c, 3, motion_symbol_value, m, out);
}

static inline void motion_rotation(struct motion *m, frame_id of, frame_id in, double out[9]) {
  expr c[9];
  frame_rotation(m->k, of, in, c);
  expr_evaluate(m->g, c, 9, motion_symbol_value, m, out);
}

/* ---- expressions */

static inline expr integer(struct motion *m, long value) {
  return expr_integer(m->g, value);
}
static inline expr sine(struct motion *m, expr a) {
  return expr_unary(m->g, EXPR_SIN, a);
}
static inline expr cosine(struct motion *m, expr a) {
  return expr_unary(m->g, EXPR_COS, a);
}
static inline expr times(struct motion *m, expr a, expr b) {
  return expr_multiply(m->g, a, b);
}

/* Turn about coordinate axis 0, 1, 2. */
static inline frame_id turned(struct motion *m, frame_id parent, int axis, expr angle) {
  expr zero = integer(m, 0), c[3] = {zero, zero, zero};
  c[axis] = integer(m, 1);
  return frame_rotated(m->k, parent, c, angle);
}

static inline vector_id vector3(struct motion *m, frame_id frame, expr x, expr y, expr z) {
  return vector_in(m->k, frame, (expr[]){x, y, z});
}

static inline vector_id unit_vector(struct motion *m, frame_id frame, int axis) {
  expr zero = integer(m, 0), c[3] = {zero, zero, zero};
  c[axis] = integer(m, 1);
  return vector_in(m->k, frame, c);
}

/* ---- doubles; matrices column by column */

static inline void matrix_times(const double a[9], const double b[9], double out[9]) {
  double result[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      result[i + 3 * j] = a[i] * b[3 * j] + a[i + 3] * b[1 + 3 * j] + a[i + 6] * b[2 + 3 * j];
  memcpy(out, result, sizeof result);
}

static inline void matrix_transposed(const double a[9], double out[9]) {
  double result[9];
  for (int i = 0; i < 9; i++) result[i / 3 + 3 * (i % 3)] = a[i];
  memcpy(out, result, sizeof result);
}

static inline void matrix_apply(const double a[9], const double v[3], double out[3]) {
  double result[3];
  for (int i = 0; i < 3; i++) result[i] = a[i] * v[0] + a[i + 3] * v[1] + a[i + 6] * v[2];
  memcpy(out, result, sizeof result);
}

static inline void cross3(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* By the series of the matrix exponential of [axis / |axis| * angle]x, to be independent. */
static inline void matrix_turn(const double axis[3], double angle, double out[9]) {
  double length = sqrt(dot3(axis, axis)), x = axis[0] / length * angle,
         y = axis[1] / length * angle, z = axis[2] / length * angle;
  const double skew[9] = {0, z, -y, -z, 0, x, y, -x, 0};
  double term[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(out, term, sizeof term);
  for (int n = 1; n < 60; n++) {
    matrix_times(term, skew, term);
    for (int i = 0; i < 9; i++) out[i] += term[i] /= n;
  }
}

static inline void assert_near(double got, double want, double tolerance) {
  if (fabs(got - want) <= tolerance * (1 + fabs(want))) return;
  fail_msg("%.17g is not %.17g", got, want);
}

static inline void assert_all_near(const double *got, const double *want, int count,
                                   double tolerance) {
  for (int i = 0; i < count; i++) assert_near(got[i], want[i], tolerance);
}

/* Equal as expressions. */
static inline void assert_same(struct motion *m, expr got, expr want) {
  if (got == want) return;
  struct text text = {0};
  expr_print_text(m->g, &text, got);
  text_put(&text, " is not ");
  expr_print_text(m->g, &text, want);
  fail_msg("%s", text_string(&text));
}

static inline void assert_prints(struct motion *m, expr got, const char *want) {
  struct text text = {0};
  expr_print_text(m->g, &text, got);
  assert_string_equal(text_string(&text), want);
  text_free(&text);
}
#endif
