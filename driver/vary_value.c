/* The values of what a sweep varies: found in the model, and for each trajectory. */
#include "driver/vary.h"
#include "base/random.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- in the model */

static bool is_named(const char *name, const char *written) {
  for (;; name++, written++) {
    while (*written == ' ') written++;
    if (*name != *written) return false;
    if (*name == '\0') return true;
  }
}

static bool find(const struct variation *v, const dyn_variable *list, int32_t count,
                 int32_t *index) {
  for (*index = 0; *index < count; ++*index)
    if (is_named(list[*index].name, v->name)) return true;
  return false;
}

static bool locate(struct session *session, struct variation *v, const dyn_model *m) {
  if (find(v, m->parameters, m->n_parameters, &v->index)) {
    v->target = VARY_PARAMETER;
  } else if (find(v, m->inputs, m->n_inputs, &v->index)) {
    v->target = VARY_INPUT;
  } else {
    int32_t n = m->n_coordinates, offset = find(v, m->coordinates, n, &v->index)      ? 0
                                           : find(v, m->velocities, n, &v->index)     ? n
                                           : find(v, m->rates, m->n_rates, &v->index) ? 2 * n
                                                                                      : -1;
    v->target = VARY_START;
    v->index += offset;
    if (offset < 0) {
      struct diagnostic *d = diagnostic_add(session_context(session), DIAG_BAD_VARIATION, nowhere,
                                            v->text, "the name is written otherwise", NULL);
      diagnostic_help(session_context(session), d, "write it as 'dyn check' prints it");
    }
    return offset >= 0;
  }
  return true;
}

/* What the compiler made of the sample, over the sample; the reciprocal where that is whole, so
 * that 30 [cm] is 0.3 m to the last digit. */
static void find_factor(struct variation *v, double si) {
  if (v->sample_number == 0 || si == 0) return;
  double factor = si / v->sample_number, inverse = v->sample_number / si;
  bool is_whole = fabs(factor - round(factor)) <= 4e-16 * fabs(factor);
  v->is_divisor = !is_whole && fabs(inverse - round(inverse)) <= 4e-16 * fabs(inverse);
  v->factor = is_whole ? round(factor) : v->is_divisor ? round(inverse) : factor;
}

/* Of several --vary of one thing, only one could have an effect. */
static bool check_once(struct session *session, const struct variations *all, uint32_t i) {
  const struct variation *v = &all->items.items[i];
  for (uint32_t k = 0; k < i; k++) {
    const struct variation *other = &all->items.items[k];
    if (other->target != v->target || other->index != v->index) continue;
    struct diagnostic *d = diagnostic_add(session_context(session), DIAG_BAD_VARIATION, nowhere,
                                          v->text, "it is varied twice", NULL);
    diagnostic_help(session_context(session), d, "the other one is '%s'", other->text);
    return false;
  }
  return true;
}

bool variations_bind(struct session *session, struct variations *variations,
                     const struct problem *problem) {
  const dyn_model *m = problem->model;
  double *u = checked_calloc((size_t)m->n_inputs + 1, sizeof *u);
  dyn_message message;
  dyn_input_values(&problem->model_problem, 0, u, &message);
  bool good = true;
  for (uint32_t i = 0; i < variations->items.count; i++) {
    struct variation *v = &variations->items.items[i];
    good = good && locate(session, v, m) && check_once(session, variations, i);
    if (good)
      find_factor(v, v->target == VARY_PARAMETER ? problem->p[v->index]
                     : v->target == VARY_INPUT   ? u[v->index]
                                                 : problem->x[v->index]);
  }
  free(u);
  return good;
}

bool variations_have(const struct variations *variations, enum variation_target target) {
  for (uint32_t i = 0; i < variations->items.count; i++)
    if (variations->items.items[i].target == target) return true;
  return false;
}

/* ---------------------------------------------------------------- of a trajectory */

/* Value i of a range: weights of both ends, so that whole numbers stay whole and the ends are
 * exact. */
static double in_range(const struct variation *v, uint64_t i) {
  double a = v->numbers.items[0], b = v->numbers.items[1];
  double last = (double)(v->count - 1), part = (double)i;
  if (i == 0) return a;
  if (i + 1 == v->count) return b;
  if (v->kind == VARY_LOG_RANGE) /* in long double: powers of ten come out as such */
    return (double)(a * powl((long double)b / a, (long double)part / last));
  double sum = a * (last - part) + b * part;
  return isfinite(sum) ? sum / last : a * (1 - part / last) + b * (part / last);
}

static double drawn(const struct variation *v, uint64_t seed, uint64_t number, uint32_t stream) {
  double a = v->numbers.items[0], b = v->numbers.items[1], u[2];
  if (v->kind == VARY_NORMAL) return a + b * random_normal(seed, number, stream);
  random_uniform(seed, number, stream, u);
  return v->kind == VARY_LOG_UNIFORM ? a * pow(b / a, u[0]) : a * (1 - u[0]) + b * u[0];
}

double variations_value(const struct variations *variations, uint32_t v, uint64_t number) {
  const struct variation *varied = &variations->items.items[v];
  uint64_t i = number / variations->samples;
  for (uint32_t k = variations->items.count; --k > v;) i /= variations->items.items[k].count;
  i %= varied->count;
  double value = varied->kind >= VARY_UNIFORM ? drawn(varied, variations->seed, number, v)
                 : varied->kind == VARY_LIST  ? varied->numbers.items[i]
                                              : in_range(varied, i);
  return varied->is_divisor ? value / varied->factor : value * varied->factor;
}
