/* One right-hand side of any model: machine code against dyn's interpreter and, for the arm,
 * against articulated bodies by hand. The interpreter is also the witness that the numbers are
 * right.
 *
 *   model_rhs MODEL [arm]                       prints ns of machine code, interpreter, by hand (or
 * 0) model_rhs MODEL [arm] --count NAME CALLS    evaluates "jit", "interpreter" or "hand" inside
 *                                               bench_counted */
#include "bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JIT, INTERPRETER, HAND, CANDIDATES, ROUNDS = 101 };

static int agree(struct candidate *c, int n) {
  double largest = 0;
  for (int k = 0; k < CANDIDATES; k++)
    if (c[k].self != NULL) c[k].evaluate(c[k].self, c[k].x, c[k].out);
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(c[INTERPRETER].out[i]));
  for (int k = 0; k < CANDIDATES; k++)
    for (int i = 0; i < n && c[k].self != NULL; i++)
      if (!(fabs(c[k].out[i] - c[INTERPRETER].out[i]) <= 1e-9 * largest)) {
        fprintf(stderr, "%s: entry %d is %.17g, not %.17g\n", c[k].name, i, c[k].out[i],
                c[INTERPRETER].out[i]);
        return 0;
      }
  return 1;
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  int has_hand = count > 2 && strcmp(arguments[2], "arm") == 0;
  struct compiled jit = compiled_new(arguments[1], 0, DYN_ENGINE_JIT),
                  interpreted = compiled_new(arguments[1], 0, DYN_ENGINE_INTERPRETER);
  int32_t n = jit.model->n_state, speed = jit.model->n_coordinates;
  for (int32_t i = 0; i < speed && has_hand; i++) jit.x[speed + i] = 1 - 0.3 * i;
  struct candidate candidates[CANDIDATES];
  for (int k = 0; k < CANDIDATES; k++)
    candidates[k].x = jit.x, candidates[k].out = calloc((size_t)n + 1, sizeof(double));
  candidates[JIT].name = "jit", candidates[JIT].self = &jit;
  candidates[INTERPRETER].name = "interpreter", candidates[INTERPRETER].self = &interpreted;
  candidates[HAND].name = "hand", candidates[HAND].self = has_hand ? &jit : NULL;
  candidates[JIT].evaluate = candidates[INTERPRETER].evaluate = compiled_evaluate;
  candidates[HAND].evaluate = arm_recursive;
  const char *counted = count > 4 ? arguments[count - 2] : NULL;
  for (int k = 0; k < CANDIDATES && counted != NULL; k++)
    if (strcmp(candidates[k].name, counted) == 0 && candidates[k].self != NULL)
      bench_count(&candidates[k], atoi(arguments[count - 1]));
  if (counted != NULL) return 0;
  if (!agree(candidates, n)) return 1;
  for (int k = 0; k < CANDIDATES; k++) candidates[k].ns = 0;
  bench_measure(candidates, CANDIDATES, ROUNDS, 5e-4);
  printf("%.1f %.1f %.1f\n", candidates[JIT].ns, candidates[INTERPRETER].ns, candidates[HAND].ns);
  return 0;
}
