/* paces.c: how large the steps of several trajectories are, for all lanes at once; see paces.h.
 *
 * Loops read what they need before they choose, of which compilers make vectors: those of the
 * processor that the lanes were made for, although the rest of the program is for any. */
#include "runtime/paces.h"
#include <float.h>

/* What is done for so many lanes, which are known where it is put in. */
#define FOR_LANES(type) static inline __attribute__((always_inline)) type

void paces_take(struct paces *p, int32_t k, const struct pace *pace) {
  p->size[k] = pace->h;
  p->last_error[k] = pace->last_error;
  p->stiff_steps[k] = pace->stiff_steps;
  p->not_stiff_steps[k] = pace->not_stiff_steps;
}

void paces_give(const struct paces *p, int32_t k, struct pace *pace) {
  pace->h = p->size[k];
  pace->last_error = p->last_error[k];
  pace->stiff_steps = (int)p->stiff_steps[k];
  pace->not_stiff_steps = (int)p->not_stiff_steps[k];
}

/* The lanes, as bits, where a number is not 0. */
FOR_LANES(uint64_t) lanes_with(const double *numbers, int32_t lanes) {
  uint64_t bits = 0;
  for (int32_t k = 0; k < lanes; k++) bits |= numbers[k] != 0 ? (uint64_t)1 << k : 0;
  return bits;
}

/* ---- steps to try */

FOR_LANES(uint32_t) try_sizes(struct paces *p, int32_t lanes) {
  for (int32_t k = 0; k < lanes; k++) {
    double t = p->t[k], limit = p->limit[k], refused = p->refused[k];
    double t_end, h = pace_size(p->size[k], t, limit, &t_end);
    /* A step to the limit may be short, but not because shorter and shorter ones have failed. */
    int is_free = (refused > 0) | (t_end != limit);
    int is_short = fabs(h) <= 8 * DBL_EPSILON * fabs(t);
    int is_small = (is_free & is_short) | (fabs(h) < DBL_MIN);
    p->is_alone[k] = is_small ? 1 : 0;
    p->h[k] = h;
    p->t_end[k] = t_end;
    p->begin[k] = t;
  }
  return (uint32_t)lanes_with(p->is_alone, lanes);
}

/* ---- what comes of them */

/* pace_root and, where it is good, pace_change of the error in every lane. */
FOR_LANES(void)
find_changes(const struct paces *p, const struct rk_table *table, double *root, double *change,
             int32_t lanes) {
  if (table->damping == 0 && table->order == 8) {
    for (int32_t k = 0; k < lanes; k++) root[k] = sqrt(sqrt(sqrt(p->error[k])));
    for (int32_t k = 0; k < lanes; k++) change[k] = 1 / root[k];
    return;
  }
  for (int32_t k = 0; k < lanes; k++) {
    root[k] = p->error[k] <= 1 ? 1 : pace_root(table, p->error[k]);
    change[k] = p->error[k] <= 1 ? pace_change(table, p->last_error[k], p->error[k]) : 1;
  }
}

FOR_LANES(void) propose(struct paces *p, const struct rk_table *table, int32_t lanes) {
  double roots[DYN_MOST_LANES], changes[DYN_MOST_LANES];
  find_changes(p, table, roots, changes, lanes);
  for (int32_t k = 0; k < lanes; k++) {
    double error = p->error[k], h = p->h[k], size = p->size[k], last = p->last_error[k];
    double refused = p->refused[k], longest = p->longest[k], change = changes[k];
    double t = p->begin[k], t_end = p->t_end[k], alone = p->is_alone[k], root = roots[k];
    double next = pace_next(table, longest, size, h, error, change, refused > 0);
    double shrunk = pace_shrunk(table, h, error, root), remembered = pace_remembered(error);
    int is_good = error <= 1;
    next = is_good ? next : shrunk;
    double new_last = is_good ? remembered : last, new_refused = is_good ? 0 : refused + 1;
    double new_t = is_good ? t_end : t, good = is_good ? 1 : 0;
    p->size[k] = alone > 0 ? size : next;
    p->last_error[k] = alone > 0 ? last : new_last;
    p->refused[k] = alone > 0 ? refused : new_refused;
    p->t[k] = alone > 0 ? t : new_t;
    p->is_good[k] = alone > 0 ? 0 : good;
  }
}

/* pace_is_stiff in every lane whose step is good; as pace_reject in others. */
FOR_LANES(void)
count_stiff(struct paces *p, const struct rk_table *table, const struct dyn_lane_step *step,
            int32_t lanes) {
  for (int32_t k = 0; k < lanes; k++) {
    double h = p->h[k], stiff = p->stiff_steps[k], others = p->not_stiff_steps[k];
    double good = p->is_good[k], alone = p->is_alone[k], remaining = p->limit[k] - p->t_end[k];
    int is_at = pace_at_boundary(table, h, step->slope_change[k], step->state_change[k]);
    double counted = stiff > 0 ? others + 1 : others;
    int is_over = (stiff > 0) & (counted >= NOT_STIFF_STEPS);
    double left = is_over ? 0 : stiff;
    double now = is_at ? stiff + 1 : left, now_others = is_at ? 0 : counted;
    int is_stiff = (now >= STIFF_STEPS) & (fabs(remaining) > 100 * fabs(h));
    double kept = alone > 0 ? stiff : 0;
    p->stiff_steps[k] = good > 0 ? now : kept;
    p->not_stiff_steps[k] = good > 0 ? now_others : others;
    p->is_stiff[k] = is_stiff ? good : 0;
  }
}

FOR_LANES(void) count_quiet(struct paces *p, int32_t lanes) {
  for (int32_t k = 0; k < lanes; k++) {
    double before = (p->quiet_until[k] - p->t_end[k]) * p->direction[k];
    double left = p->quiet_left[k] - p->quiet_steps[k];
    double good = p->is_good[k], stiff = p->is_stiff[k];
    int is_quiet = (good > stiff) & (before > 0) & (left > 0);
    p->is_quiet[k] = is_quiet ? 1 : 0;
  }
  for (int32_t k = 0; k < lanes; k++) {
    double h = fabs(p->t_end[k] - p->begin[k]), quiet = p->is_quiet[k];
    double least = p->least[k], largest = p->largest[k];
    double lesser = h < least ? h : least, larger = h > largest ? h : largest;
    p->least[k] = quiet > 0 ? lesser : least;
    p->largest[k] = quiet > 0 ? larger : largest;
    p->quiet_steps[k] += quiet;
    p->is_bad[k] = 1 - p->is_good[k] - p->is_alone[k];
    p->rejected[k] += p->is_bad[k];
    p->is_kept[k] = 1 - p->is_good[k];
    p->is_loud[k] = 1 - quiet - p->is_bad[k];
    double looked = p->since_look[k] + quiet, due = looked >= p->look_after ? 1 : 0;
    p->since_look[k] = due > 0 ? 0 : looked;
    p->is_due[k] = due;
  }
}

FOR_LANES(void)
judge(struct paces *p, const struct rk_table *table, int32_t n, const struct dyn_lane_step *step,
      int32_t lanes) {
  for (int32_t k = 0; k < lanes; k++)
    p->error[k] = pace_error(table, n, step->error[k], step->error_low[k]);
  propose(p, table, lanes);
  count_stiff(p, table, step, lanes);
  count_quiet(p, lanes);
  p->due = (uint32_t)lanes_with(p->is_due, lanes);
  p->loud = (uint32_t)lanes_with(p->is_loud, lanes);
}

FOR_LANES(void) keep(const struct paces *p, const double *from, double *to, int32_t lanes) {
  for (int32_t k = 0; k < lanes; k++) {
    double before = from[k], now = to[k];
    to[k] = p->is_kept[k] > 0 ? before : now;
  }
}

/* ---- for the processor */

struct paces_version {
  uint32_t (*try_sizes)(struct paces *p);
  void (*judge)(struct paces *p, const struct rk_table *table, int32_t n,
                const struct dyn_lane_step *step);
  void (*keep)(const struct paces *p, const double *from, double *to); /* one vector */
};

#define VERSION(name, lanes, target)                                                               \
  target static uint32_t try_##name(struct paces *p) {                                             \
    return try_sizes(p, lanes);                                                                    \
  }                                                                                                \
  target static void judge_##name(struct paces *p, const struct rk_table *table, int32_t n,        \
                                  const struct dyn_lane_step *step) {                              \
    judge(p, table, n, step, lanes);                                                               \
  }                                                                                                \
  target static void keep_##name(const struct paces *p, const double *from, double *to) {          \
    keep(p, from, to, lanes);                                                                      \
  }                                                                                                \
  static const struct paces_version version_##name = {try_##name, judge_##name, keep_##name};

VERSION(any, p->width, )
#if defined(__x86_64__)
VERSION(4, 4, __attribute__((target("avx2"))))
VERSION(8, 8, __attribute__((target("avx512f,avx512dq"))))
#endif

void paces_init(struct paces *p, int32_t width) {
  p->width = width;
  p->version = &version_any;
#if defined(__x86_64__)
  if (width == 8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    p->version = &version_8;
  else if (width == 4 && __builtin_cpu_supports("avx2"))
    p->version = &version_4;
#endif
}

uint32_t paces_try(struct paces *p) {
  return p->version->try_sizes(p);
}

void paces_judge(struct paces *p, const struct rk_table *table, int32_t n,
                 const struct dyn_lane_step *step) {
  p->version->judge(p, table, n, step);
}

void paces_keep(const struct paces *p, int32_t n, const double *from, double *to) {
  for (int32_t i = 0; i < n; i++, from += p->width, to += p->width) p->version->keep(p, from, to);
}
