/* Events: `when relation { ... }` and `every period { ... }`. A relation a < b becomes the function
 * b - a, which is positive (or, with <=, not negative) where the relation is true; what happens
 * there are resets and the end of the run. Loops and blocks inside are written out already: each
 * reset is a job that knows its event. */
#include "sema/analysis.h"
#include <stdlib.h>
#include <string.h>

static struct span span_of(const struct job *job, ast_expr e) {
  return ast_expression(job->environment.text->ast, e)->span;
}

static const char *text_of(struct analysis *a, struct span span) {
  const struct source *source = source_get(&a->context->sources, span.source);
  return arena_string(&a->context->arena, source->text + span.begin, span.end - span.begin);
}

/* ---------------------------------------------------------------- relations */

static bool is_order(const struct ast_expression *n) {
  return n->kind == AST_BINARY &&
         (n->operator_ == AST_LESS || n->operator_ == AST_LESS_EQUAL ||
          n->operator_ == AST_GREATER || n->operator_ == AST_GREATER_EQUAL);
}

static void report_relation(struct analysis *a, const struct job *job,
                            const struct ast_expression *n) {
  struct diagnostic *d =
      lower_report(a->l, job->environment, DIAG_EVENT_RELATION, n->span, NULL, NULL, NULL);
  if (d == NULL || n->kind != AST_BINARY) return;
  if (n->operator_ == AST_EQUAL || n->operator_ == AST_NOT_EQUAL)
    diagnostic_help(a->context, d, "a value passes another from one side: use < or >");
  else if (n->operator_ == AST_OR)
    diagnostic_help(a->context, d, "write a 'when' for each of them");
}

/* Whether something in it changes during a run. */
static bool check_changes(struct analysis *a, const struct job *job, expr value) {
  if (find_other_role(a->l, value, role_bit(ROLE_PARAMETER)) != 0) return true;
  lower_report(a->l, job->environment, DIAG_EVENT_CONSTANT, span_of(job, job->statement->value),
               NULL, NULL, NULL);
  return false;
}

void lower_when(struct analysis *a, const struct job *job) {
  const struct ast_expression *n =
      ast_expression(job->environment.text->ast, job->statement->value);
  struct model_event event = {.text = text_of(a, n->span),
                              .span = job->statement->span,
                              .value = expr_integer(a->l->graph, 0)};
  if (!is_order(n)) {
    if (n->kind != AST_ERROR) report_relation(a, job, n);
  } else {
    bool is_less = n->operator_ == AST_LESS || n->operator_ == AST_LESS_EQUAL;
    expr left = lower_expression(a->l, job->environment, n->operand, "a side of a relation");
    expr right = lower_expression(a->l, job->environment, n->second, "a side of a relation");
    event.is_strict = n->operator_ == AST_LESS || n->operator_ == AST_GREATER;
    if (left != 0 && right != 0)
      event.value = expr_subtract(a->l->graph, is_less ? right : left, is_less ? left : right);
    if (left != 0 && right != 0) check_changes(a, job, event.value);
  }
  vector_push(&a->model->events, event);
}

void lower_every(struct analysis *a, const struct job *job) {
  struct span span = job->statement->keyword_span, period = span_of(job, job->statement->value);
  span.end = period.end;
  struct model_event event = {.text = text_of(a, span),
                              .span = job->statement->span,
                              .value = expr_integer(a->l->graph, 0),
                              .is_periodic = true};
  expr value = lower_expression(a->l, job->environment, job->statement->value, "a period");
  if (value != 0) event.value = value;
  if (value != 0 && find_other_role(a->l, value, role_bit(ROLE_PARAMETER)) != 0)
    lower_report(a->l, job->environment, DIAG_PERIOD_CHANGES, period, NULL, NULL, NULL);
  vector_push(&a->model->events, event);
}

/* ---------------------------------------------------------------- what happens */

static void report_twice(struct analysis *a, const struct job *job, const char *what,
                         struct span first) {
  struct diagnostic *d = lower_report(a->l, job->environment, DIAG_EVENT_TWICE,
                                      job->statement->span, what, NULL, NULL);
  if (d != NULL) diagnostic_label(a->context, d, first, "the first is here");
}

void lower_stop(struct analysis *a, const struct job *job) {
  struct model_event *event = &a->model->events.items[job->element - 1];
  if (event->stop != NULL)
    report_twice(a, job, "stop", event->stop_span);
  else
    event->stop = job->statement->text;
  event->stop_span = job->statement->span;
}

/* Linear in the velocities, with coefficients of positions, time and parameters. */
static bool is_velocity_form(struct analysis *a, expr value) {
  const struct model *model = a->model;
  role_set allowed = role_bit(ROLE_PARAMETER) | role_bit(ROLE_POSITION) | role_bit(ROLE_VELOCITY) |
                     role_bit(ROLE_TIME);
  if (find_other_role(a->l, value, allowed) != 0) return false;
  uint32_t n = model->coordinates.count;
  expr *parts = checked_calloc(2 * (size_t)n + 1, sizeof *parts), rest;
  bool has_velocity = false;
  for (uint32_t j = 0; j < n; j++) parts[n + j] = model->coordinates.items[j].velocity;
  if (expr_linear_parts(a->l->graph, value, parts + n, n, parts, &rest))
    for (uint32_t j = 0; j < n; j++)
      has_velocity = has_velocity || !expr_is_integer_value(a->l->graph, parts[j], 0);
  free(parts);
  return has_velocity;
}

/* What is reset; false, and reported, if that is not possible. */
static bool find_target(struct analysis *a, const struct job *job, expr left,
                        struct model_reset *reset) {
  static const enum reset_kind kinds[ROLE_COUNT] = {[ROLE_POSITION] = RESET_POSITION,
                                                    [ROLE_VELOCITY] = RESET_VELOCITY,
                                                    [ROLE_STATE] = RESET_STATE};
  uint32_t role = map_get(&a->l->roles, left), kind = role % ROLE_COUNT;
  if (kind == ROLE_POSITION || kind == ROLE_VELOCITY || kind == ROLE_STATE) {
    reset->kind = kinds[kind];
    reset->index = a->l->elements.items[role / ROLE_COUNT].index;
    reset->name = expr_symbol_name(a->l->graph, left);
    return true;
  }
  const char *text = text_of(a, span_of(job, job->statement->left));
  reset->kind = RESET_SPEED;
  reset->name = text;
  if (is_velocity_form(a, left)) return true;
  lower_report(a->l, job->environment, DIAG_RESET_TARGET, span_of(job, job->statement->left), text,
               NULL, NULL);
  return false;
}

void lower_reset(struct analysis *a, const struct job *job) {
  struct model_reset reset = {.event = job->element - 1, .span = job->statement->span};
  expr left = lower_expression(a->l, job->environment, job->statement->left, "what is reset");
  expr value = lower_expression(a->l, job->environment, job->statement->right, "a reset's value");
  if (left == 0 || value == 0 || !find_target(a, job, left, &reset)) return;
  for (uint32_t i = a->model->resets.count; i-- > 0;) {
    const struct model_reset *other = &a->model->resets.items[i];
    if (other->event != reset.event) break;
    if (other->target != left) continue;
    report_twice(a, job, lower_words(a->l, "a reset of %s", reset.name), other->span);
    return;
  }
  reset.target = left;
  reset.value = value;
  vector_push(&a->model->resets, reset);
}

void check_events(struct analysis *a) {
  uint32_t next = 0;
  for (uint32_t k = 0; k < a->model->events.count; k++) {
    struct model_event *event = &a->model->events.items[k];
    event->first_reset = next;
    while (next < a->model->resets.count && a->model->resets.items[next].event == k) next++;
    event->reset_count = next - event->first_reset;
    if (event->reset_count == 0 && event->stop == NULL && a->context->diagnostics.error_count == 0)
      diagnostic_add(a->context, DIAG_EVENT_EMPTY, event->span, NULL);
  }
}
