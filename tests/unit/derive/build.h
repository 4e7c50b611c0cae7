/* For tests of derive/: models written as short texts, without the language's front end. Formulas
 * have + - * / ^, functions, names, primes and brackets; a name may hold an index (θ[2]). */
#ifndef DYN_TESTS_DERIVE_BUILD_H
#define DYN_TESTS_DERIVE_BUILD_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/bug.h"
#include "derive/system.h"
#include "sema/model.h"

struct built {
  dyn_context *context;
  struct model model;
  struct { /* values for evaluation, by symbol */
    expr symbol;
    double value;
  } values[2000];
  int value_count;
};

static inline const char *built_copy(struct built *b, const char *text) {
  return arena_string(&b->context->arena, text, strlen(text));
}

static inline void built_init(struct built *b) {
  memset(b, 0, sizeof *b);
  b->context = context_new();
  b->model.name = "test";
  b->model.doc = "";
  b->model.graph = expr_graph_new(0);
  b->model.time = expr_symbol(b->model.graph, "t", NULL);
  expr_symbol_set_rank(b->model.graph, b->model.time, EXPR_RANK_COORDINATE);
}

static inline void built_clear(struct built *b) {
  struct model *m = &b->model;
  vector_free(&m->coordinates);
  vector_free(&m->states);
  vector_free(&m->parameters);
  vector_free(&m->inputs);
  vector_free(&m->energies);
  vector_free(&m->forces);
  vector_free(&m->outputs);
  vector_free(&m->constraints);
  expr_graph_free(m->graph);
  context_free(b->context);
}

static inline struct model_name built_name(struct built *b, const char *name, const char *unit) {
  struct model_name id = {built_copy(b, name), {0}, "", {0}};
  id.unit.si = id.unit.declared = built_copy(b, unit);
  id.unit.scale = expr_integer(b->model.graph, 1);
  return id;
}

static inline expr built_symbol(struct built *b, const char *name) {
  struct model *m = &b->model;
  expr all[4];
  if (strcmp(name, "t") == 0) return m->time;
  if (strcmp(name, "pi") == 0) return expr_pi(m->graph);
  for (uint32_t i = 0; i < m->coordinates.count; i++) {
    all[0] = m->coordinates.items[i].position;
    all[1] = m->coordinates.items[i].velocity;
    all[2] = m->coordinates.items[i].acceleration;
    for (int k = 0; k < 3; k++)
      if (strcmp(name, expr_symbol_name(m->graph, all[k])) == 0) return all[k];
  }
  for (uint32_t i = 0; i < m->parameters.count; i++)
    if (strcmp(name, m->parameters.items[i].id.name) == 0) return m->parameters.items[i].symbol;
  for (uint32_t i = 0; i < m->inputs.count; i++)
    if (strcmp(name, m->inputs.items[i].id.name) == 0) return m->inputs.items[i].symbol;
  for (uint32_t i = 0; i < m->states.count; i++)
    if (strcmp(name, m->states.items[i].id.name) == 0) return m->states.items[i].value;
  for (uint32_t i = 0; i < m->constraints.count; i++)
    if (strcmp(name, expr_symbol_name(m->graph, m->constraints.items[i].multiplier)) == 0)
      return m->constraints.items[i].multiplier;
  fail_msg("no symbol '%s'", name);
  return 0;
}

/* ---- formulas */
struct formula {
  struct built *b;
  const char *at;
};
static inline expr formula_sum(struct formula *f);

static inline void formula_blanks(struct formula *f) {
  while (*f->at == ' ') f->at++;
}

static inline bool formula_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80 || c == '_';
}

static inline expr formula_call(struct formula *f, const char *name) {
  struct expr_graph *g = f->b->model.graph;
  f->at++;
  expr argument = formula_sum(f);
  formula_blanks(f);
  if (*f->at++ != ')') fail_msg("bracket expected before '%s'", f->at);
  if (strcmp(name, "sqrt") == 0) return expr_sqrt(g, argument);
  for (int op = EXPR_SIN; op <= EXPR_SIGN; op++) {
    static const char *const names[] = {
#define EXPR_OPERATOR(id, arity, text, latex) text,
#include "expr/operators.def"
#undef EXPR_OPERATOR
    };
    if (op != EXPR_ATAN2 && strcmp(name, names[op]) == 0)
      return expr_unary(g, (enum expr_operator)op, argument);
  }
  fail_msg("no function '%s'", name);
  return 0;
}

static inline expr formula_name(struct formula *f) {
  char name[64];
  size_t n = 0;
  while (n < 60 && (formula_is_letter(*f->at) || (*f->at >= '0' && *f->at <= '9')))
    name[n++] = *f->at++;
  if (*f->at == '[')
    while (n < 60 && (name[n++] = *f->at++) != ']') continue;
  while (n < 60 && *f->at == '\'') name[n++] = *f->at++;
  name[n] = '\0';
  return *f->at == '(' ? formula_call(f, name) : built_symbol(f->b, name);
}

static inline expr formula_atom(struct formula *f) {
  formula_blanks(f);
  if (*f->at == '(') {
    f->at++;
    expr inner = formula_sum(f);
    formula_blanks(f);
    if (*f->at++ != ')') fail_msg("bracket expected before '%s'", f->at);
    return inner;
  }
  if (*f->at >= '0' && *f->at <= '9') {
    char digits[64];
    size_t n = strspn(f->at, "0123456789.");
    snprintf(digits, sizeof digits, "%.*s", (int)n, f->at);
    f->at += n;
    return expr_decimal(f->b->model.graph, digits);
  }
  if (!formula_is_letter(*f->at)) fail_msg("formula expected at '%s'", f->at);
  return formula_name(f);
}

static inline expr formula_power(struct formula *f) {
  formula_blanks(f);
  if (*f->at == '-') {
    f->at++;
    return expr_negate(f->b->model.graph, formula_power(f));
  }
  expr base = formula_atom(f);
  formula_blanks(f);
  if (*f->at != '^') return base;
  f->at++;
  return expr_power(f->b->model.graph, base, formula_power(f));
}

static inline expr formula_product(struct formula *f) {
  expr left = formula_power(f);
  for (;;) {
    formula_blanks(f);
    char c = *f->at;
    if (c != '*' && c != '/') return left;
    f->at++;
    expr right = formula_power(f);
    left = c == '*' ? expr_multiply(f->b->model.graph, left, right)
                    : expr_divide(f->b->model.graph, left, right);
  }
}

static inline expr formula_sum(struct formula *f) {
  expr left = formula_product(f);
  for (;;) {
    formula_blanks(f);
    char c = *f->at;
    if (c != '+' && c != '-') return left;
    f->at++;
    expr right = formula_product(f);
    left = c == '+' ? expr_add(f->b->model.graph, left, right)
                    : expr_subtract(f->b->model.graph, left, right);
  }
}

static inline expr built_formula(struct built *b, const char *text) {
  struct formula f = {b, text};
  expr e = formula_sum(&f);
  formula_blanks(&f);
  if (*f.at) fail_msg("'%s' is left of '%s'", f.at, text);
  return e;
}

/* ---- declarations */
static inline void built_coordinate(struct built *b, const char *name, const char *unit) {
  struct expr_graph *g = b->model.graph;
  char primed[80];
  struct model_coordinate c = {.id = built_name(b, name, unit)};
  c.position = expr_symbol(g, name, NULL);
  snprintf(primed, sizeof primed, "%s'", name);
  c.velocity = expr_symbol(g, primed, NULL);
  snprintf(primed, sizeof primed, "%s''", name);
  c.acceleration = expr_symbol(g, primed, NULL);
  expr_symbol_set_rank(g, c.position, EXPR_RANK_COORDINATE);
  expr_symbol_set_rank(g, c.velocity, EXPR_RANK_VELOCITY);
  expr_symbol_set_rank(g, c.acceleration, EXPR_RANK_ACCELERATION);
  c.start_position = c.start_velocity = expr_integer(g, 0);
  vector_push(&b->model.coordinates, c);
}

static inline void built_parameter(struct built *b, const char *name, const char *value) {
  struct model_parameter p = {.id = built_name(b, name, "1")};
  p.symbol = expr_symbol(b->model.graph, name, NULL);
  p.value = built_formula(b, value);
  vector_push(&b->model.parameters, p);
}

static inline void built_input(struct built *b, const char *name, const char *value, bool is_set) {
  struct model_input p = {.id = built_name(b, name, "1"), .is_set = is_set};
  p.symbol = expr_symbol(b->model.graph, name, NULL);
  p.value = built_formula(b, value);
  vector_push(&b->model.inputs, p);
}

static inline void built_state(struct built *b, const char *name) {
  struct model_rate_state z = {.id = built_name(b, name, "1")};
  char primed[80];
  z.value = expr_symbol(b->model.graph, name, NULL);
  snprintf(primed, sizeof primed, "%s'", name);
  z.derivative = expr_symbol(b->model.graph, primed, NULL);
  z.rate = z.start = expr_integer(b->model.graph, 0);
  vector_push(&b->model.states, z);
}

static inline void built_rate(struct built *b, uint32_t state, const char *rate) {
  b->model.states.items[state].rate = built_formula(b, rate);
}

static inline void built_energy(struct built *b, enum energy_kind kind, const char *value) {
  struct model_energy e = {kind, "", built_formula(b, value), {0}};
  vector_push(&b->model.energies, e);
}

static inline void built_force(struct built *b, const char *value, const char *target,
                               bool is_speed) {
  struct model_force f = {"", built_formula(b, value), built_formula(b, target), is_speed, {0},
                          {0}};
  vector_push(&b->model.forces, f);
}

/* 0 = residual. The multiplier's symbol is λ_<name>; its expressions may use it afterwards. */
static inline struct model_constraint *built_constraint(struct built *b, const char *name,
                                                        enum constraint_level level,
                                                        const char *residual) {
  struct model_constraint c = {.id = built_name(b, name, "1"), .level = level, .is_linear = true};
  char symbol[80];
  snprintf(symbol, sizeof symbol, "λ_%s", name);
  c.multiplier = expr_symbol(b->model.graph, symbol, NULL);
  expr_symbol_set_rank(b->model.graph, c.multiplier, EXPR_RANK_ACCELERATION);
  snprintf(symbol, sizeof symbol, "multiplier(%s)", name);
  c.multiplier_name = built_copy(b, symbol);
  c.multiplier_unit = c.id.unit;
  snprintf(symbol, sizeof symbol, "%s = 0", residual);
  c.text = built_copy(b, symbol);
  c.bracket = "";
  c.class = level == CONSTRAINT_POSITION ? CLASS_POSITION : CLASS_NONHOLONOMIC;
  c.residual = built_formula(b, residual);
  vector_push(&b->model.constraints, c);
  b->model.structure.rank++;
  return &b->model.constraints.items[b->model.constraints.count - 1];
}

/* ---- values */
static inline void built_set(struct built *b, const char *name, double value) {
  expr symbol = built_symbol(b, name);
  for (int i = 0; i < b->value_count; i++)
    if (b->values[i].symbol == symbol) {
      b->values[i].value = value;
      return;
    }
  b->values[b->value_count].symbol = symbol;
  b->values[b->value_count++].value = value;
}

static inline double built_lookup(void *user, expr symbol) {
  struct built *b = user;
  for (int i = 0; i < b->value_count; i++)
    if (b->values[i].symbol == symbol) return b->values[i].value;
  for (uint32_t i = 0; i < b->model.parameters.count; i++)
    if (b->model.parameters.items[i].symbol == symbol) {
      double value;
      expr_evaluate(b->model.graph, &b->model.parameters.items[i].value, 1, built_lookup, b,
                    &value);
      return value;
    }
  fail_msg("no value for '%s'", expr_symbol_name(b->model.graph, symbol));
  return 0;
}

static inline double built_value(struct built *b, expr e) {
  double value;
  expr_evaluate(b->model.graph, &e, 1, built_lookup, b, &value);
  return value;
}

static inline double built_value_of(struct built *b, const char *formula) {
  return built_value(b, built_formula(b, formula));
}

#define assert_near(a, b, tolerance) assert_near_at((a), (b), (tolerance), __FILE__, __LINE__)
static inline void assert_near_at(double a, double b, double tolerance, const char *file,
                                  int line) {
  if (fabs(a - b) <= tolerance * fmax(1, fabs(b))) return;
  print_error("%.17g is not near %.17g (difference %.3g, allowed %.3g)\n", a, b, a - b, tolerance);
  _fail(file, line);
}

/* Solves a x = out for x, by row exchanges; destroys a. Not inlined: gcc 12 would warn of indices
 * that no small array has. */
static __attribute__((noinline, unused)) void built_solve(double *a, size_t n, double *out) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k; i < n; i++)
      if (fabs(a[i + k * n]) > fabs(a[best + k * n])) best = i;
    for (size_t j = 0; j < n; j++) {
      double keep = a[k + j * n];
      a[k + j * n] = a[best + j * n];
      a[best + j * n] = keep;
    }
    double keep = out[k];
    out[k] = out[best];
    out[best] = keep;
    for (size_t i = k + 1; i < n; i++) {
      double factor = a[i + k * n] / a[k + k * n];
      for (size_t j = k; j < n; j++) a[i + j * n] -= factor * a[k + j * n];
      out[i] -= factor * out[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) out[k] -= a[k + j * n] * out[j];
    out[k] /= a[k + k * n];
  }
}

/* Solves M q'' = f numerically at the values set. */
static inline void built_accelerations(struct built *b, const struct system *s, double *out) {
  size_t n = s->n;
  double *a = checked_malloc(n * n * sizeof *a);
  expr_evaluate(s->graph, s->mass, n * n, built_lookup, b, a);
  expr_evaluate(s->graph, s->forcing, n, built_lookup, b, out);
  built_solve(a, n, out);
  free(a);
}

/* Solves [M -B; A 0] [q''; λ] = [f; -bias] numerically at the values set: n + m numbers. */
static inline void built_motion(struct built *b, const struct system *s, double *out) {
  size_t n = s->n, m = s->m, size = n + m;
  double *a = checked_calloc(size * size + 1, sizeof *a);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++) a[i + j * size] = built_value(b, s->mass[i + j * n]);
    for (size_t k = 0; k < m; k++) {
      a[n + k + j * size] = built_value(b, s->constraint_jacobian[k + j * m]);
      a[j + (n + k) * size] = -built_value(b, s->multiplier_force[j + k * n]);
    }
    out[j] = built_value(b, s->forcing[j]);
  }
  for (size_t k = 0; k < m; k++) out[n + k] = -built_value(b, s->constraint_bias[k]);
  built_solve(a, size, out);
  free(a);
}

static inline struct system *built_derive(struct built *b) {
  struct system *s = derive_system(b->context, &b->model, NULL);
  if (!s) {
    struct text out = {0};
    diagnostics_render_text(b->context, &out, false);
    fail_msg("derivation failed:\n%s", text_string(&out));
  }
  system_check(s);
  return s;
}

/* The diagnostics of a derivation that must fail, as text; the caller frees it. */
static inline char *built_fault(struct built *b, const char *method) {
  struct system *s = derive_system(b->context, &b->model, method);
  assert_null(s);
  struct text out = {0};
  diagnostics_render_text(b->context, &out, false);
  return text_take(&out);
}

static inline const struct system_invariant *built_invariant(const struct system *s,
                                                             const char *name) {
  for (uint32_t i = 0; i < s->invariant_count; i++)
    if (strcmp(s->invariants[i].name, name) == 0) return &s->invariants[i];
  return NULL;
}
#endif
