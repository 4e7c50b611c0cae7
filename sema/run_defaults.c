/* simulate(...): the defaults of a run. Values that are known when the model is compiled are held
 * to what a run accepts; the names of integrators are those of the runtime (tests/cli/check
 * compares). */
#include "sema/analysis.h"
#include <math.h>
#include <string.h>

enum range { FINITE, POSITIVE, NOT_NEGATIVE, FRACTION };

struct run_argument {
  const char *name;
  bool is_text;
  size_t offset; /* in struct model_run */
  enum range range;
};

static const struct run_argument arguments[] = {
    {"from", false, offsetof(struct model_run, from), FINITE},
    {"until", false, offsetof(struct model_run, until), FINITE},
    {"every", false, offsetof(struct model_run, every), POSITIVE},
    {"tolerance", false, offsetof(struct model_run, tolerance), FRACTION},
    {"absolute", false, offsetof(struct model_run, absolute), NOT_NEGATIVE},
    {"max_step", false, offsetof(struct model_run, max_step), NOT_NEGATIVE},
    {"step", false, offsetof(struct model_run, step), POSITIVE},
    {"integrator", true, offsetof(struct model_run, integrator), FINITE},
    {"method", true, offsetof(struct model_run, method), FINITE}};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

static const struct run_argument *find(const char *name) {
  for (size_t i = 0; i < ARGUMENTS; i++)
    if (strcmp(arguments[i].name, name) == 0) return &arguments[i];
  return NULL;
}

static void report_unknown(struct analysis *a, const struct ast_expression *n) {
  const char *names[ARGUMENTS];
  for (size_t i = 0; i < ARGUMENTS; i++) names[i] = arguments[i].name;
  struct diagnostic *d =
      diagnostic_add(a->context, DIAG_UNKNOWN_RUN_ARGUMENT, n->name_span, n->name, NULL);
  const char *near = nearest_name(n->name, names, ARGUMENTS);
  if (near != NULL)
    diagnostic_help(a->context, d, "did you mean '%s'?", near);
  else
    diagnostic_help(a->context, d,
                    "the arguments are from, until, every, tolerance, absolute, max_step, step, "
                    "integrator and method");
}

/* ---------------------------------------------------------------- what a run accepts */

static const char *const integrators[] = {
    "auto",   "rk",       "dopri5",   "dop853",   "taylor",   "adams",  "bdf",    "ida",   "rk4",
    "verlet", "yoshida4", "yoshida6", "yoshida8", "midpoint", "gauss4", "gauss6", "gauss8"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators, FIRST_WITH_STEPS = 8 };

static void check_integrator(struct analysis *a, const struct ast_expression *n) {
  for (size_t i = 0; i < INTEGRATORS; i++)
    if (strcmp(integrators[i], n->name) == 0) return;
  struct diagnostic *d =
      diagnostic_add(a->context, DIAG_BAD_RUN_VALUE, n->span, "integrator",
                     lower_words(a->l, "one of a fixed list, not \"%s\"", n->name), NULL);
  const char *near = nearest_name(n->name, integrators, INTEGRATORS);
  if (near != NULL) diagnostic_help(a->context, d, "did you mean \"%s\"?", near);
  diagnostic_help(a->context, d,
                  "the integrators are auto, rk, dopri5, dop853, taylor, adams, bdf, ida, rk4, "
                  "verlet, yoshida4, "
                  "yoshida6, yoshida8, midpoint, gauss4, gauss6 and gauss8");
}

static double no_symbol(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return NAN;
}

/* Values that depend on parameters are looked at when they are known. */
static bool find_number(struct lowering *l, expr value, double *out) {
  struct expr_list symbols = {0};
  expr_symbols_of(l->graph, &value, 1, &symbols);
  bool is_known = symbols.count == 0;
  vector_free(&symbols);
  if (is_known) expr_evaluate(l->graph, &value, 1, no_symbol, NULL, out);
  return is_known;
}

static bool check_range(struct analysis *a, const struct run_argument *argument, struct span span,
                        expr value) {
  static const char *const words[] = {[FINITE] = "a finite number",
                                      [POSITIVE] = "a positive number",
                                      [NOT_NEGATIVE] = "a number that is not negative",
                                      [FRACTION] = "a number between 0 and 1"};
  double x;
  if (!find_number(a->l, value, &x)) return true;
  bool fits = isfinite(x);
  if (argument->range == POSITIVE) fits = fits && x > 0;
  if (argument->range == NOT_NEGATIVE) fits = fits && x >= 0;
  if (argument->range == FRACTION) fits = fits && x > 0 && x < 1;
  if (!fits)
    diagnostic_add(a->context, DIAG_BAD_RUN_VALUE, span, argument->name,
                   lower_words(a->l, "%s, not %g", words[argument->range], x), NULL);
  return fits;
}

/* ---------------------------------------------------------------- arguments */

static void take_argument(struct analysis *a, const struct job *job,
                          const struct run_argument *argument, ast_expr e) {
  const struct ast_expression *n = ast_expression(job->environment.text->ast, e);
  char *at = (char *)&a->model->run + argument->offset;
  if (n->kind == AST_ERROR) return;
  if (argument->is_text != (n->kind == AST_STRING)) {
    struct diagnostic *d =
        diagnostic_add(a->context, DIAG_BAD_RUN_VALUE, n->span, argument->name,
                       argument->is_text ? "a text in quotes" : "a number, not a text", NULL);
    if (argument->is_text && n->kind == AST_NAME)
      diagnostic_help(a->context, d, "write %s = \"%s\"", argument->name, n->name);
    return;
  }
  if (argument->is_text) {
    if (strcmp(argument->name, "integrator") == 0) check_integrator(a, n);
    memcpy(at, &n->name, sizeof n->name);
    return;
  }
  expr value = lower_expression(a->l, job->environment, e,
                                lower_words(a->l, "'%s' of simulate", argument->name));
  if (value == 0) return;
  expr other = find_other_role(a->l, value, role_bit(ROLE_PARAMETER));
  if (other != 0) {
    diagnostic_add(a->context, DIAG_WRONG_DEPENDENCE, n->span,
                   lower_words(a->l, "'%s' of simulate", argument->name), role_words(a->l, other),
                   NULL);
    return;
  }
  if (!check_range(a, argument, n->span, value)) return;
  memcpy(at, &value, sizeof value);
}

/* A step is for integrators of fixed steps, and nothing else chooses it then. */
static void check_step(struct analysis *a, const struct span *seen) {
  static const char *const others[] = {"tolerance", "absolute", "max_step"};
  struct span step = seen[find("step") - arguments];
  const char *name = a->model->run.integrator;
  bool has_steps = false;
  if (step.source == 0) return;
  for (size_t i = FIRST_WITH_STEPS; i < INTEGRATORS && name != NULL; i++)
    has_steps = has_steps || strcmp(integrators[i], name) == 0;
  if (!has_steps) {
    struct diagnostic *d = diagnostic_add(a->context, DIAG_STEP_OF_SIMULATE, step,
                                          "needs an integrator of fixed steps", NULL);
    diagnostic_help(a->context, d, "%s integrator = \"gauss8\", or write max_step",
                    name == NULL ? "add" : "write");
    return;
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct span other = seen[find(others[i]) - arguments];
    if (other.source == 0) continue;
    struct diagnostic *d =
        diagnostic_add(a->context, DIAG_STEP_OF_SIMULATE, step,
                       lower_words(a->l, "takes the place of '%s'", others[i]), NULL);
    diagnostic_label(a->context, d, other, "without effect");
  }
}

void lower_simulate(struct analysis *a, const struct job *job) {
  const struct ast_statement *statement = job->statement;
  const struct ast *ast = job->environment.text->ast;
  struct span seen[ARGUMENTS] = {{0, 0, 0}};
  if (a->model->run.span.source != 0) {
    struct diagnostic *d = diagnostic_add(a->context, DIAG_SECOND_SIMULATE, statement->span, NULL);
    diagnostic_label(a->context, d, a->model->run.span, "the first one is here");
    return;
  }
  a->model->run.span = statement->span;
  for (uint32_t i = 0; i < statement->arguments.count; i++) {
    const struct ast_expression *n =
        ast_expression(ast, ast_list_item(ast, statement->arguments, i));
    if (n->kind != AST_ARGUMENT) continue;
    const struct run_argument *argument = find(n->name);
    if (argument == NULL) {
      report_unknown(a, n);
      continue;
    }
    struct span *first = &seen[argument - arguments];
    if (first->source != 0) {
      struct diagnostic *d =
          diagnostic_add(a->context, DIAG_RUN_ARGUMENT_TWICE, n->span, n->name, NULL);
      diagnostic_label(a->context, d, *first, "given here first");
      continue;
    }
    *first = n->span;
    take_argument(a, job, argument, n->operand);
  }
  check_step(a, seen);
}
