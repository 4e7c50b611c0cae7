/* The values of what a sweep varies: found in the model, and for each trajectory. */
#include "driver/vary.h"
#include "driver/vary_number.h"
#include "base/bug.h"
#include "base/random.h"
#include "expr/expr.h"
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

/* The value that the compiler made of the sample, an expression; 0 if it is none. */
static expr value_of(const struct model *model, const struct variation *v) {
  uint32_t n = model->coordinates.count, i = (uint32_t)v->index;
  if (v->target == VARY_PARAMETER) return model->parameters.items[i].varied;
  if (v->target == VARY_INPUT) return model->inputs.items[i].value;
  if (i < n) return model->coordinates.items[i].start_position;
  return i < 2 * n ? model->coordinates.items[i - n].start_velocity
                   : model->states.items[i - 2 * n].start;
}

static double no_symbol(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return 0;
}

/* A number, or one times a power of pi; else (a root of a unit) as near as a double is. */
static void take_value(struct expr_graph *graph, expr e, mpq_t out) {
  static const long powers[] = {0, 1, -1, 2, -2};
  mpq_t pi;
  for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
    expr power = expr_power_ratio(graph, expr_pi(graph), powers[k], 1);
    expr rest = expr_divide(graph, e, power);
    if (!expr_is_number(graph, rest)) continue;
    mpq_set(out, expr_constant(graph, rest));
    mpq_init(pi);
    vary_pi(pi);
    for (long p = 0; p < powers[k]; p++) mpq_mul(out, out, pi);
    for (long p = 0; p > powers[k]; p--) mpq_div(out, out, pi);
    mpq_clear(pi);
    return;
  }
  double value = 0;
  expr_evaluate(graph, &e, 1, no_symbol, NULL, &value);
  /* sema's check_numbers has refused what no double holds (E0416). */
  if (!isfinite(value) || value == 0) bug("the unit of a varied value is beyond doubles");
  mpq_set_d(out, value);
}

/* What the compiler made of the sample, over the sample. */
static void find_factor(struct variation *v, const struct model *model) {
  expr value = value_of(model, v);
  mpq_ptr sample = v->exact.items[v->sample_place].value;
  mpq_set_ui(v->factor, 1, 1);
  if (value != 0 && mpq_sgn(sample) != 0) {
    take_value(model->graph, value, v->factor);
    mpq_div(v->factor, v->factor, sample);
  }
  v->multiple = (long double)expr_nearest_double(v->factor);
  mpq_t rest;
  mpq_init(rest);
  mpq_set_d(rest, (double)v->multiple);
  mpq_sub(rest, v->factor, rest);
  v->multiple += (long double)expr_nearest_double(rest);
  mpq_clear(rest);
}

static const struct model_name *name_of(const struct model *model, const struct variation *v) {
  uint32_t n = model->coordinates.count, i = (uint32_t)v->index;
  if (v->target == VARY_PARAMETER) return &model->parameters.items[i].id;
  if (v->target == VARY_INPUT) return &model->inputs.items[i].id;
  return i < 2 * n ? &model->coordinates.items[i % n].id : &model->states.items[i - 2 * n].id;
}

/* A bare number is in the declared unit, one that holds pi in SI: both do not share a factor. */
static bool check_unit(struct session *session, const struct variation *v,
                       const struct model *model) {
  const struct model_name *id = name_of(model, v);
  dyn_context *context = session_context(session);
  const char *bare = NULL, *with_pi = NULL;
  for (uint32_t i = 0; i < v->exact.count; i++) {
    const struct vary_fraction *number = &v->exact.items[i];
    if (mpq_sgn(number->value) == 0) continue;
    if (strstr(number->text, "pi") != NULL)
      with_pi = number->text;
    else
      bare = number->text;
  }
  if (v->unit[0] != '\0' || bare == NULL || with_pi == NULL ||
      strcmp(id->unit.si, id->unit.declared) == 0)
    return true;
  int32_t n = (int32_t)model->coordinates.count;
  bool is_velocity = v->target == VARY_START && v->index >= n && v->index < 2 * n;
  const char *over = is_velocity ? "/s" : "";
  char *why = arena_format(&context->arena, "'%s' would be in %s%s and '%s' in %s%s", bare,
                           id->unit.declared, over, with_pi, id->unit.si, over);
  struct diagnostic *d = diagnostic_add(context, DIAG_BAD_VARIATION, nowhere, v->text, why, NULL);
  diagnostic_help(context, d, "say the unit of all of them, at the end: [%s%s] or [%s%s]",
                  id->unit.declared, over, id->unit.si, over);
  return false;
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
                     const dyn_model *model) {
  bool good = true;
  for (uint32_t i = 0; i < variations->items.count && good; i++) {
    struct variation *v = &variations->items.items[i];
    good = locate(session, v, model) && check_once(session, variations, i) &&
           check_unit(session, v, session->compiler->model);
    if (good) find_factor(v, session->compiler->model);
  }
  return good;
}

bool variations_have(const struct variations *variations, enum variation_target target) {
  for (uint32_t i = 0; i < variations->items.count; i++)
    if (variations->items.items[i].target == target) return true;
  return false;
}

/* ---------------------------------------------------------------- of a trajectory */

static double to_si(const struct variation *v, mpq_srcptr number) {
  mpq_t value;
  mpq_init(value);
  mpq_mul(value, number, v->factor);
  double si = expr_nearest_double(value);
  mpq_clear(value);
  return si;
}

/* Value i of equal steps, a + (b - a) i/(count - 1) in fractions. */
static double in_steps(const struct variation *v, uint64_t i) {
  mpq_t value, part;
  mpq_init(value);
  mpq_init(part);
  mpq_sub(value, v->exact.items[1].value, v->exact.items[0].value);
  mpq_set_ui(part, (unsigned long)i, (unsigned long)(v->count - 1));
  mpq_canonicalize(part);
  mpq_mul(value, value, part);
  mpq_add(value, value, v->exact.items[0].value);
  double si = to_si(v, value);
  mpq_clear(value);
  mpq_clear(part);
  return si;
}

/* Value i of equal ratios; in long double, so that powers of ten come out as such. */
static double in_ratios(const struct variation *v, uint64_t i) {
  long double a = v->numbers.items[0], b = v->numbers.items[1];
  if (i == 0 || i + 1 == v->count) return to_si(v, v->exact.items[i > 0].value);
  return (double)(a * powl(b / a, (long double)i / (long double)(v->count - 1)) * v->multiple);
}

static double drawn(const struct variation *v, uint64_t seed, uint64_t number, uint32_t stream) {
  double a = v->numbers.items[0], b = v->numbers.items[1], u[2];
  if (v->kind == VARY_NORMAL) return a + b * random_normal(seed, number, stream);
  random_uniform(seed, number, stream, u);
  if (v->kind == VARY_UNIFORM) return a * (1 - u[0]) + b * u[0];
  return (double)(a * powl((long double)b / a, u[0])); /* b / a may be no double */
}

double variations_value(const struct variations *variations, uint32_t v, uint64_t number) {
  const struct variation *varied = &variations->items.items[v];
  uint64_t i = number / variations->samples;
  for (uint32_t k = variations->items.count; --k > v;) i /= variations->items.items[k].count;
  i %= varied->count;
  if (varied->kind >= VARY_UNIFORM)
    return (double)((long double)drawn(varied, variations->seed, number, v) * varied->multiple);
  return varied->kind == VARY_LIST    ? to_si(varied, varied->exact.items[i].value)
         : varied->kind == VARY_RANGE ? in_steps(varied, i)
                                      : in_ratios(varied, i);
}
