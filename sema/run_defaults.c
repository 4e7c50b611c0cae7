/* simulate(...): the defaults of a run. */
#include "sema/analysis.h"
#include <string.h>

struct run_argument {
  const char *name;
  bool is_text;
  size_t offset; /* in struct model_run */
};

static const struct run_argument arguments[] = {
    {"from", false, offsetof(struct model_run, from)},
    {"until", false, offsetof(struct model_run, until)},
    {"every", false, offsetof(struct model_run, every)},
    {"tolerance", false, offsetof(struct model_run, tolerance)},
    {"absolute", false, offsetof(struct model_run, absolute)},
    {"max_step", false, offsetof(struct model_run, max_step)},
    {"integrator", true, offsetof(struct model_run, integrator)},
    {"method", true, offsetof(struct model_run, method)}};
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
                    "the arguments are from, until, every, tolerance, absolute, max_step, "
                    "integrator and method");
}

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
    memcpy(at, &n->name, sizeof n->name);
    return;
  }
  expr value = lower_expression(a->l, job->environment, e);
  if (value == 0) return;
  expr other = find_other_role(a->l, value, role_bit(ROLE_PARAMETER));
  if (other != 0) {
    diagnostic_add(a->context, DIAG_WRONG_DEPENDENCE, n->span,
                   lower_words(a->l, "'%s' of simulate", argument->name), role_words(a->l, other),
                   NULL);
    return;
  }
  memcpy(at, &value, sizeof value);
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
}
