/* Can there be bodies and axes like these? An axis may have any length but 0. Masses are not
 * negative, and principal moments of inertia neither are nor exceed the sum of the other two: each
 * is a sum of squares, Iy + Iz - Ix = 2 int x^2 dm (Goldstein, Classical Mechanics, 3rd ed.,
 * section 5.3). Of a body with one moment of inertia, about z, only that one is known.
 *
 * What depends on parameters that are varied is checked with each of their values; the rest once,
 * with the present values of parameters. */
#include "sema/analysis.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- values of parameters */

struct values { /* of parameters, those that they follow first */
  const struct model *model;
  struct map place; /* symbol -> index + 1 */
  double *items;
  uint8_t *is_known;
  VECTOR(uint32_t) path;
};

/* Nothing is known of what moves. */
static double value_at(void *user, expr symbol) {
  const struct values *v = user;
  uint32_t place = map_get(&v->place, symbol);
  return place != 0 && v->is_known[place - 1] ? v->items[place - 1] : NAN;
}

static void values_init(struct values *v, const struct model *model) {
  uint32_t count = model->parameters.count;
  *v = (struct values){.model = model};
  v->items = checked_calloc((size_t)count + 1, sizeof *v->items);
  v->is_known = checked_calloc((size_t)count + 1, 1);
  for (uint32_t i = 0; i < count; i++) map_set(&v->place, model->parameters.items[i].symbol, i + 1);
}

static void values_clear(struct values *v) {
  map_free(&v->place);
  vector_free(&v->path);
  free(v->items);
  free(v->is_known);
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
  for (uint32_t i = 0; i < v->model->parameters.count; i++) {
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

/* Appends what is wrong with the moments; false if nothing is. */
static bool find_moment_fault(bool is_planar, const double inertia[6], struct text *out) {
  double moments[3];
  for (int i = 0; i < 6; i++)
    if (!isfinite(inertia[i])) return false;
  if (is_planar && inertia[2] < 0)
    text_format(out, "its moment of inertia is negative (%.6g)", inertia[2]);
  if (is_planar) return inertia[2] < 0;
  principal_moments(inertia, moments);
  double size = fmax(fabs(moments[0]), fabs(moments[2])), rounding = 1e-9 * size;
  bool is_negative = moments[0] < -rounding;
  bool is_large = moments[2] > moments[0] + moments[1] + rounding;
  if (is_negative)
    text_format(out, "a principal moment of inertia is negative (%.6g)", moments[0]);
  else if (is_large)
    text_format(out,
                "its largest principal moment of inertia (%.6g) is larger than the sum of the "
                "others (%.6g and %.6g)",
                moments[2], moments[0], moments[1]);
  return is_negative || is_large;
}

/* ---------------------------------------------------------------- faults */

enum { BODY_ROOTS = 7 }; /* the mass, then the inertia */

struct fault {       /* its texts are cleared by fault_clear */
  const expr *roots; /* that are wrong */
  uint32_t root_count;
  struct span span;
  struct text what, parameters; /* parameters: " with m = -1, r = 0.2"; empty if none decides */
};

static void fault_clear(struct fault *fault) {
  text_free(&fault->what);
  text_free(&fault->parameters);
}

static void put_parameters(struct values *v, struct fault *fault) {
  struct expr_list symbols = {0};
  uint32_t shown = 0;
  expr_symbols_of(v->model->graph, fault->roots, fault->root_count, &symbols);
  for (uint32_t i = 0; i < symbols.count && shown < 6; i++) {
    uint32_t place = map_get(&v->place, symbols.items[i]);
    if (place == 0) continue;
    text_format(&fault->parameters, "%s%s = %.6g", shown++ == 0 ? " with " : ", ",
                v->model->parameters.items[place - 1].id.name, v->items[place - 1]);
  }
  vector_free(&symbols);
}

/* False if nothing is wrong with these BODY_ROOTS values. */
static bool find_body_fault(struct values *v, const struct model_body *body, const double *values,
                            struct fault *fault) {
  bool is_mass = values[0] < 0;
  *fault = (struct fault){.roots = is_mass ? &body->mass : body->inertia,
                          .root_count = is_mass ? 1 : BODY_ROOTS - 1,
                          .span = is_mass ? body->mass_span : body->inertia_span};
  if (is_mass)
    text_format(&fault->what, "its mass is negative (%.6g)", values[0]);
  else if (!find_moment_fault(body->is_planar, values + 1, &fault->what))
    return false;
  put_parameters(v, fault);
  return true;
}

static bool find_direction_fault(struct values *v, const struct model_direction *direction,
                                 double length, struct fault *fault) {
  if (length != 0) return false; /* nor if it depends on what moves */
  *fault = (struct fault){.roots = &direction->length, .root_count = 1, .span = direction->span};
  text_put(&fault->what, direction->what);
  put_parameters(v, fault);
  text_put(&fault->what, text_string(&fault->parameters));
  return true;
}

static const char *kind_of(const struct model_body *body) {
  return body->is_particle ? "particle" : "body";
}

/* ---------------------------------------------------------------- once */

static bool is_varied(struct expr_symbol_set *varied, const expr *roots, uint32_t count) {
  for (uint32_t i = 0; i < count && varied != NULL; i++)
    if (expr_symbol_set_touches(varied, roots[i])) return true;
  return false;
}

static bool is_varied_body(struct expr_symbol_set *varied, const struct model_body *body) {
  return is_varied(varied, &body->mass, 1) || is_varied(varied, body->inertia, BODY_ROOTS - 1);
}

static void check_body(dyn_context *context, struct values *v, const struct model_body *body) {
  double values[BODY_ROOTS];
  struct fault fault;
  values[0] = evaluate(v, body->mass);
  for (int i = 1; i < BODY_ROOTS; i++) values[i] = evaluate(v, body->inertia[i - 1]);
  if (find_body_fault(v, body, values, &fault)) {
    struct diagnostic *d =
        diagnostic_add(context, DIAG_IMPOSSIBLE_BODY, fault.span, kind_of(body), body->name,
                       text_string(&fault.what), text_string(&fault.parameters), NULL);
    if (fault.span.begin != body->span.begin)
      diagnostic_label(context, d, body->span, "'%s' is declared here", body->name);
    if (body->is_shifted && fault.span.begin == body->inertia_span.begin)
      diagnostic_help(context, d,
                      "the inertia is given about another point; what is said is what is left of "
                      "it about the mass centre");
  }
  fault_clear(&fault);
}

static void check_direction(dyn_context *context, struct values *v,
                            const struct model_direction *direction) {
  struct fault fault;
  if (!find_direction_fault(v, direction, evaluate(v, direction->length), &fault)) return;
  diagnostic_add(context, DIAG_ZERO_DIRECTION, fault.span, text_string(&fault.what), NULL);
  fault_clear(&fault);
}

void check_values(struct analysis *a) {
  const struct model *model = a->model;
  if (model->bodies.count + model->directions.count == 0) return;
  struct expr_symbol_set *varied = model_varied(model);
  struct values v;
  values_init(&v, model);
  find_values(&v);
  for (uint32_t i = 0; i < model->bodies.count; i++)
    if (!is_varied_body(varied, &model->bodies.items[i]))
      check_body(a->context, &v, &model->bodies.items[i]);
  for (uint32_t i = 0; i < model->directions.count; i++)
    if (!is_varied(varied, &model->directions.items[i].length, 1))
      check_direction(a->context, &v, &model->directions.items[i]);
  values_clear(&v);
  expr_symbol_set_free(varied);
}

/* ---------------------------------------------------------------- with many values */

struct value_check {
  struct values values;
  VECTOR(const struct model_body *) bodies; /* those with something that is varied */
  VECTOR(const struct model_direction *) directions;
  VECTOR(expr) roots; /* of the bodies, then of the directions */
  double *found;      /* per root */
};

struct value_check *value_check_new(const struct model *model) {
  struct expr_symbol_set *varied = model_varied(model);
  struct value_check *c = checked_calloc(1, sizeof *c);
  values_init(&c->values, model);
  memset(c->values.is_known, 1, model->parameters.count);
  for (uint32_t i = 0; i < model->bodies.count; i++) {
    const struct model_body *body = &model->bodies.items[i];
    if (!is_varied_body(varied, body)) continue;
    vector_push(&c->bodies, body);
    vector_push(&c->roots, body->mass);
    for (int k = 0; k < BODY_ROOTS - 1; k++) vector_push(&c->roots, body->inertia[k]);
  }
  for (uint32_t i = 0; i < model->directions.count; i++) {
    const struct model_direction *direction = &model->directions.items[i];
    if (!is_varied(varied, &direction->length, 1)) continue;
    vector_push(&c->directions, direction);
    vector_push(&c->roots, direction->length);
  }
  expr_symbol_set_free(varied);
  c->found = checked_calloc((size_t)c->roots.count + 1, sizeof *c->found);
  if (c->roots.count > 0) return c;
  value_check_free(c);
  return NULL;
}

bool value_check_run(struct value_check *c, const double *p, struct text *why) {
  const struct model *model = c->values.model;
  const double *found = c->found;
  struct fault fault = {0};
  bool is_wrong = false;
  memcpy(c->values.items, p, model->parameters.count * sizeof *p);
  expr_evaluate(model->graph, c->roots.items, c->roots.count, value_at, &c->values, c->found);
  for (uint32_t i = 0; i < c->bodies.count && !is_wrong; i++, found += BODY_ROOTS) {
    const struct model_body *body = c->bodies.items[i];
    is_wrong = find_body_fault(&c->values, body, found, &fault);
    if (is_wrong)
      diagnostic_put_message(why, DIAG_IMPOSSIBLE_BODY, kind_of(body), body->name,
                             text_string(&fault.what), text_string(&fault.parameters), NULL);
  }
  for (uint32_t i = 0; i < c->directions.count && !is_wrong; i++) {
    is_wrong = find_direction_fault(&c->values, c->directions.items[i], *found++, &fault);
    if (is_wrong) diagnostic_put_message(why, DIAG_ZERO_DIRECTION, text_string(&fault.what), NULL);
  }
  fault_clear(&fault);
  return !is_wrong;
}

void value_check_free(struct value_check *c) {
  if (c == NULL) return;
  values_clear(&c->values);
  vector_free(&c->bodies);
  vector_free(&c->directions);
  vector_free(&c->roots);
  free(c->found);
  free(c);
}
