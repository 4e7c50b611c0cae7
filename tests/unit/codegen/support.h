/* Shared by the tests of codegen: random numbers and expressions, comparison of doubles. */
#ifndef DYN_TESTS_CODEGEN_SUPPORT_H
#define DYN_TESTS_CODEGEN_SUPPORT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/map.h"
#include "codegen/builder.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct random_source {
  uint64_t state;
};

static inline uint64_t random_bits(struct random_source *random) {
  return hash_mix(random->state += 0x9e3779b97f4a7c15u);
}
static inline uint32_t random_below(struct random_source *random, uint32_t limit) {
  return (uint32_t)(random_bits(random) >> 33) % limit;
}
static inline double random_between(struct random_source *random, double low, double high) {
  return low + (high - low) * ((double)(random_bits(random) >> 11) * 0x1p-53);
}

static inline bool nearly(double a, double b, double tolerance) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (a == b) return true;
  return fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}
#define assert_nearly(a, b, tolerance)                                                             \
  do {                                                                                             \
    double nearly_a = (a), nearly_b = (b);                                                         \
    if (!nearly(nearly_a, nearly_b, (tolerance)))                                                  \
      fail_msg("%s = %.17g, but %s = %.17g", #a, nearly_a, #b, nearly_b);                          \
  } while (0)

enum { SYMBOL_COUNT = 6 };

struct scene { /* a graph with symbols x[0] .. x[5] and values for them */
  struct expr_graph *graph;
  expr symbols[SYMBOL_COUNT];
  double values[SYMBOL_COUNT];
};

static inline void scene_init(struct scene *scene, struct random_source *random) {
  scene->graph = expr_graph_new(0);
  for (int i = 0; i < SYMBOL_COUNT; i++) {
    char name[8];
    snprintf(name, sizeof name, "s%d", i);
    scene->symbols[i] = expr_symbol(scene->graph, name, NULL);
    scene->values[i] = random_between(random, -2, 2);
  }
}

static inline double scene_value(void *user, expr symbol) {
  struct scene *scene = user;
  for (int i = 0; i < SYMBOL_COUNT; i++)
    if (scene->symbols[i] == symbol) return scene->values[i];
  return NAN;
}

static inline void scene_builder(struct tape_builder *builder, const struct scene *scene) {
  builder_init(builder, scene->graph);
  for (uint32_t i = 0; i < SYMBOL_COUNT; i++)
    builder_bind(builder, scene->symbols[i], builder_input(builder, TAPE_ARRAY_X, i));
}

/* A random expression built from a pool of earlier ones, so that parts are shared. */
static inline expr random_expression(struct scene *scene, struct random_source *random,
                                     unsigned steps) {
  struct expr_graph *graph = scene->graph;
  expr pool[64];
  uint32_t count = 0;
  for (int i = 0; i < SYMBOL_COUNT; i++) pool[count++] = scene->symbols[i];
  pool[count++] = expr_ratio(graph, 1 + (long)random_below(random, 5), 3);
  for (unsigned step = 0; step < steps && count < COUNT(pool); step++) {
    expr a = pool[random_below(random, count)], b = pool[random_below(random, count)];
    expr square = expr_add(graph, expr_multiply(graph, a, a), expr_ratio(graph, 1, 2));
    expr bounded = expr_unary(graph, EXPR_SIN, a), made = 0;
    switch (random_below(random, 28)) {
    case 0:
    case 1:
    case 2:
      made = expr_add(graph, a, b);
      break;
    case 3:
    case 4:
      made = expr_subtract(graph, a, b);
      break;
    case 5:
    case 6:
    case 7:
      made = expr_multiply(graph, bounded, b);
      break;
    case 8:
      made = expr_divide(graph, a, square);
      break;
    case 9:
      made = expr_power_ratio(graph, square, -3, 2);
      break;
    case 10:
      made = expr_power_ratio(graph, square, 1, 3);
      break;
    case 11:
      made = expr_power(graph, square, bounded);
      break;
    case 12:
      made = expr_power_ratio(graph, bounded, 1 + (long)random_below(random, 9), 1);
      break;
    case 13:
      made = expr_unary(graph, random_below(random, 2) ? EXPR_SIN : EXPR_COS, b);
      break;
    case 14:
      made = expr_unary(graph, EXPR_TAN, bounded);
      break;
    case 15:
      made = expr_unary(graph, EXPR_ASIN, expr_divide(graph, bounded, expr_integer(graph, 2)));
      break;
    case 16:
      made = expr_unary(graph, EXPR_ACOS, expr_divide(graph, bounded, expr_integer(graph, 2)));
      break;
    case 17:
      made = expr_unary(graph, EXPR_ATAN, a);
      break;
    case 18:
      made = expr_binary(graph, EXPR_ATAN2, a, b);
      break;
    case 19:
      made = expr_unary(graph, EXPR_SINH, bounded);
      break;
    case 20:
      made = expr_unary(graph, EXPR_COSH, bounded);
      break;
    case 21:
      made = expr_unary(graph, EXPR_TANH, a);
      break;
    case 22:
      made = expr_unary(graph, EXPR_EXP, bounded);
      break;
    case 23:
      made = expr_unary(graph, EXPR_LOG, square);
      break;
    case 24:
      made = expr_unary(graph, random_below(random, 2) ? EXPR_ABS : EXPR_SIGN, a);
      break;
    case 25:
      made = expr_binary(graph, random_below(random, 2) ? EXPR_MIN : EXPR_MAX, a, b);
      break;
    case 26:
      made = random_below(random, 2) ? expr_unary(graph, EXPR_FLOOR, a)
                                     : expr_binary(graph, EXPR_MOD, a, square);
      break;
    default: {
      expr less = expr_binary(graph, random_below(random, 2) ? EXPR_LESS : EXPR_LESS_EQUAL, a, b);
      expr equal = expr_binary(graph, EXPR_EQUAL, bounded, b);
      expr both = expr_binary(graph, random_below(random, 2) ? EXPR_AND : EXPR_OR, less,
                              expr_unary(graph, EXPR_NOT, equal));
      made = expr_if(graph, both, a, b);
    }
    }
    pool[count++] = made;
  }
  return expr_add(graph, pool[count - 1], pool[count - 2]);
}

/* Runs a tape with x; the caller's out has tape->out_count entries. */
static inline int run_tape(const struct tape *tape, const double *x, double *out) {
  double *work = checked_calloc((size_t)tape_interpreter_work(tape) + 1, sizeof *work);
  struct tape_arguments arguments = {0, x, x, x, work, out};
  int status = tape_run(tape, &arguments);
  free(work);
  return status;
}
#endif
