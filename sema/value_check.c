/* Can there be bodies and axes like these? An axis may have any length but 0. With the present
 * values of the parameters, masses are not negative, and principal moments of inertia neither are
 * nor exceed the sum of the other two: each is a sum of squares, Iy + Iz - Ix = 2 int x^2 dm
 * (Goldstein, Classical Mechanics, 3rd ed., section 5.3). Of a body with one moment of inertia,
 * about z, only that one is known. */
#include "sema/analysis.h"
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- values of parameters */

struct values { /* of parameters, those that they follow first */
  const struct model *model;
  struct map place; /* symbol -> index + 1 */
  double *items;
  uint8_t *is_known;
  VECTOR(uint32_t) path;
};

static double value_at(void *user, expr symbol) {
  const struct values *v = user;
  uint32_t place = map_get(&v->place, symbol);
  return place != 0 && v->is_known[place - 1] ? v->items[place - 1] : NAN;
}

static double evaluate(struct values *v, expr e) {
  double value;
  expr_evaluate(v->model->graph, &e, 1, value_at, v, &value);
  return value;
}

/* Pushes what the parameter follows and is not known yet; false if there is nothing. */
static bool push_needed(struct values *v, uint32_t parameter) {
  struct expr_list symbols = {0};
  uint32_t before = v->path.count;
  expr_symbols_of(v->model->graph, &v->model->parameters.items[parameter].value, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++) {
    uint32_t place = map_get(&v->place, symbols.items[i]);
    if (place != 0 && !v->is_known[place - 1]) vector_push(&v->path, place - 1);
  }
  vector_free(&symbols);
  return v->path.count > before;
}

static void find_values(struct values *v) {
  uint32_t count = v->model->parameters.count;
  v->items = checked_calloc((size_t)count + 1, sizeof *v->items);
  v->is_known = checked_calloc((size_t)count + 1, 1);
  for (uint32_t i = 0; i < count; i++)
    map_set(&v->place, v->model->parameters.items[i].symbol, i + 1);
  for (uint32_t i = 0; i < count; i++) {
    vector_push(&v->path, i);
    while (v->path.count > 0) {
      uint32_t top = vector_last(&v->path);
      if (!v->is_known[top] && push_needed(v, top)) continue;
      if (!v->is_known[top]) v->items[top] = evaluate(v, v->model->parameters.items[top].value);
      v->is_known[top] = 1;
      v->path.count--;
    }
  }
}

/* ---------------------------------------------------------------- reports */

/* " with m = -1, r = 0.2"; "" if no parameter decides. */
static const char *parameters_in(dyn_context *context, struct values *v, const expr *roots,
                                 size_t count) {
  struct expr_list symbols = {0};
  struct text words = {0};
  uint32_t shown = 0;
  expr_symbols_of(v->model->graph, roots, count, &symbols);
  for (uint32_t i = 0; i < symbols.count && shown < 6; i++) {
    uint32_t place = map_get(&v->place, symbols.items[i]);
    if (place == 0) continue;
    text_format(&words, "%s%s = %.6g", shown++ == 0 ? " with " : ", ",
                v->model->parameters.items[place - 1].id.name, v->items[place - 1]);
  }
  const char *result = arena_string(&context->arena, text_string(&words), words.length);
  vector_free(&symbols);
  text_free(&words);
  return result;
}

static void report(dyn_context *context, struct values *v, const struct model_body *body,
                   struct span span, const char *what, const expr *roots, size_t count) {
  struct diagnostic *d =
      diagnostic_add(context, DIAG_IMPOSSIBLE_BODY, span, body->is_particle ? "particle" : "body",
                     body->name, what, parameters_in(context, v, roots, count), NULL);
  if (span.begin != body->span.begin)
    diagnostic_label(context, d, body->span, "'%s' is declared here", body->name);
  if (body->is_shifted && span.begin == body->inertia_span.begin)
    diagnostic_help(context, d,
                    "the inertia is given about another point; what is said is what is left of it "
                    "about the mass centre");
}

/* ---------------------------------------------------------------- principal moments */

/* One of Jacobi's rotations, which makes entry (p, q) 0 (Golub & Van Loan, Matrix Computations,
 * section 8.5). */
static void rotate(double m[3][3], int p, int q) {
  if (m[p][q] == 0) return;
  double tau = (m[q][q] - m[p][p]) / (2 * m[p][q]);
  double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + hypot(1, tau)), c = 1 / hypot(1, t), s = t * c;
  for (int i = 0; i < 3; i++) {
    double a = m[i][p], b = m[i][q];
    m[i][p] = c * a - s * b;
    m[i][q] = s * a + c * b;
  }
  for (int i = 0; i < 3; i++) {
    double a = m[p][i], b = m[q][i];
    m[p][i] = c * a - s * b;
    m[q][i] = s * a + c * b;
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* In rising order. */
static void principal_moments(const double inertia[6], double out[3]) {
  double m[3][3] = {{inertia[0], inertia[3], inertia[4]},
                    {inertia[3], inertia[1], inertia[5]},
                    {inertia[4], inertia[5], inertia[2]}};
  for (int sweep = 0; sweep < 30; sweep++) {
    rotate(m, 0, 1);
    rotate(m, 0, 2);
    rotate(m, 1, 2);
  }
  for (int i = 0; i < 3; i++) out[i] = m[i][i];
  qsort(out, 3, sizeof *out, by_size);
}

/* What is wrong with the moments; NULL if nothing is. */
static const char *find_fault(dyn_context *context, const struct model_body *body,
                              const double inertia[6]) {
  double moments[3];
  for (int i = 0; i < 6; i++)
    if (!isfinite(inertia[i])) return NULL;
  if (body->is_planar)
    return inertia[2] >= 0 ? NULL
                           : arena_format(&context->arena,
                                          "its moment of inertia is negative (%.6g)", inertia[2]);
  principal_moments(inertia, moments);
  double size = fmax(fabs(moments[0]), fabs(moments[2])), rounding = 1e-9 * size;
  if (moments[0] < -rounding)
    return arena_format(&context->arena, "a principal moment of inertia is negative (%.6g)",
                        moments[0]);
  if (moments[2] > moments[0] + moments[1] + rounding)
    return arena_format(&context->arena,
                        "its largest principal moment of inertia (%.6g) is larger than the sum of "
                        "the others (%.6g and %.6g)",
                        moments[2], moments[0], moments[1]);
  return NULL;
}

/* ---------------------------------------------------------------- all */

static void check_body(dyn_context *context, struct values *v, const struct model_body *body) {
  double mass = evaluate(v, body->mass), inertia[6];
  if (mass < 0)
    report(context, v, body, body->mass_span,
           arena_format(&context->arena, "its mass is negative (%.6g)", mass), &body->mass, 1);
  for (int i = 0; i < 6; i++) inertia[i] = evaluate(v, body->inertia[i]);
  const char *fault = mass < 0 ? NULL : find_fault(context, body, inertia);
  if (fault != NULL) report(context, v, body, body->inertia_span, fault, body->inertia, 6);
}

static void check_direction(dyn_context *context, struct values *v,
                            const struct direction_value *direction) {
  if (evaluate(v, direction->length) != 0) return; /* nor if it depends on what moves */
  const char *parameters = parameters_in(context, v, &direction->length, 1);
  diagnostic_add(context, DIAG_ZERO_DIRECTION, direction->span,
                 arena_format(&context->arena, "%s%s", direction->what, parameters), NULL);
}

void check_values(struct analysis *a) {
  const struct model *model = a->model;
  if (model->bodies.count + a->l->directions.count == 0) return;
  struct values v = {.model = model};
  find_values(&v);
  for (uint32_t i = 0; i < model->bodies.count; i++)
    check_body(a->context, &v, &model->bodies.items[i]);
  for (uint32_t i = 0; i < a->l->directions.count; i++)
    check_direction(a->context, &v, &a->l->directions.items[i]);
  map_free(&v.place);
  vector_free(&v.path);
  free(v.items);
  free(v.is_known);
}
