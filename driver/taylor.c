/* Why a model has no Taylor series, in its own words: the operator, and the statement that it
 * stands in. The tape knows only that there is one (codegen/taylor.h), and of a derivative of the
 * operator at that; here it is looked for among the expressions of the model. */
#include "driver/taylor.h"
#include "driver/commands.h"
#include "expr/expr.h"
#include "sema/model.h"
#include <stdlib.h>

struct kink {
  enum expr_operator operation;
  struct span span;
  bool is_found;
};

static bool is_kink(enum expr_operator operation) {
  return operation == EXPR_IF || (operation >= EXPR_ABS && operation <= EXPR_FLOOR);
}

/* Looks below e, unless something was found already. */
static void look(const struct expr_graph *graph, expr e, struct span span, uint8_t *visited,
                 struct kink *kink) {
  struct expr_list stack = {0};
  if (e == 0 || kink->is_found) return;
  vector_push(&stack, e);
  while (stack.count > 0 && !kink->is_found) {
    expr top = vector_pop(&stack);
    enum expr_operator operation = expr_operator_of(graph, top);
    if (visited[top]) continue;
    visited[top] = 1;
    if (is_kink(operation)) *kink = (struct kink){operation, span, true};
    uint32_t count;
    const struct expr_operand *operands = expr_operands(graph, top, &count);
    for (uint32_t i = 0; i < count; i++) vector_push(&stack, operands[i].node);
  }
  vector_free(&stack);
}

/* In the order in which equations are made of them. */
static struct kink find_kink(const struct model *model) {
  const struct expr_graph *graph = model->graph;
  struct kink kink = {.is_found = false};
  uint8_t *visited = checked_calloc((size_t)expr_graph_size(graph) + 1, 1);
  for (uint32_t i = 0; i < model->energies.count; i++)
    look(graph, model->energies.items[i].value, model->energies.items[i].span, visited, &kink);
  for (uint32_t i = 0; i < model->forces.count; i++) {
    const struct model_force *force = &model->forces.items[i];
    look(graph, force->value, force->span, visited, &kink);
    look(graph, force->target, force->target_span, visited, &kink);
  }
  for (uint32_t i = 0; i < model->constraints.count; i++) {
    const struct model_constraint *constraint = &model->constraints.items[i];
    look(graph, constraint->residual, constraint->span, visited, &kink);
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    look(graph, model->states.items[i].rate, model->states.items[i].rate_span, visited, &kink);
  for (uint32_t i = 0; i < model->speeds.count; i++)
    look(graph, model->speeds.items[i].value, model->speeds.items[i].id.span, visited, &kink);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    look(graph, model->inputs.items[i].value, model->inputs.items[i].id.span, visited, &kink);
  free(visited);
  return kink;
}

static void explain_kink(struct session *session, const char *instead) {
  static const char *const names[] = {
      [EXPR_ABS] = "abs", [EXPR_SIGN] = "sign",   [EXPR_MIN] = "min", [EXPR_MAX] = "max",
      [EXPR_MOD] = "mod", [EXPR_FLOOR] = "floor", [EXPR_IF] = "if"};
  dyn_context *context = session_context(session);
  struct kink kink = find_kink(session->compiler->model);
  enum tape_operation obstacle = session->compiler->program->taylor->obstacle;
  const char *name = kink.is_found ? names[kink.operation] : tape_facts[obstacle].text;
  struct diagnostic *warning =
      diagnostic_add(context, DIAG_NO_SERIES, kink.is_found ? kink.span : nowhere, name, NULL);
  diagnostic_help(context, warning, "%s", instead);
}

void taylor_explain(struct session *session, const struct problem *problem, const char *instead) {
  dyn_context *context = session_context(session);
  if (!compiler_build_program(session->compiler, PROGRAM_TAYLOR)) return;
  if (session->compiler->program->taylor->has_obstacle) {
    explain_kink(session, instead);
    return;
  }
  const dyn_input_source *sources = problem != NULL ? problem->model_problem.inputs : NULL;
  for (int32_t i = 0; sources != NULL && i < problem->model->n_inputs; i++) {
    if (sources[i].kind != DYN_INPUT_TABLE) continue;
    struct diagnostic *warning = diagnostic_add(context, DIAG_NO_SERIES_OF_TABLE, nowhere,
                                                problem->model->inputs[i].name, NULL);
    diagnostic_help(context, warning, "%s", instead);
    return;
  }
}
