/* Checks what a model's `simulate` gives once its parameters have values; what can be seen without
 * them was checked with the model. A value that makes no sense is a fault of the command line only
 * if an option or a parameter given by --set leads to it. */
#include "driver/run_defaults.h"
#include "base/map.h"
#include "expr/expr.h"
#include <stdlib.h>

/* The expressions of `simulate` in the order of DYN_RUN_*; 0 where not given. */
static void list_values(const struct model *model, expr out[DYN_RUN_COUNT]) {
  const struct model_run *run = &model->run;
  out[DYN_RUN_FROM] = run->from;
  out[DYN_RUN_UNTIL] = run->until;
  out[DYN_RUN_EVERY] = run->every;
  out[DYN_RUN_TOLERANCE] = run->tolerance;
  out[DYN_RUN_ABSOLUTE] = run->absolute;
  out[DYN_RUN_MAX_STEP] = run->max_step;
  out[DYN_RUN_STEP] = run->step;
}

/* Does the value follow from a parameter given by --set, perhaps through others? Each round looks
 * at the parameters that the one before found. */
static bool follows_from_set(const struct model *model, const expr *values, size_t count) {
  uint32_t seen = model->parameters.count + 1;
  struct map index = {0}; /* symbol -> parameter + 1, or `seen` */
  VECTOR(expr) roots = {0};
  bool found = false;
  for (uint32_t i = 0; i < model->parameters.count; i++)
    map_set(&index, model->parameters.items[i].symbol, i + 1);
  for (size_t i = 0; i < count; i++)
    if (values[i] != 0) vector_push(&roots, values[i]);
  while (roots.count > 0 && !found) {
    struct expr_list symbols = {0};
    expr_symbols_of(model->graph, roots.items, roots.count, &symbols);
    roots.count = 0;
    for (uint32_t i = 0; i < symbols.count; i++) {
      uint32_t slot = map_get(&index, symbols.items[i]);
      if (slot == 0 || slot == seen) continue;
      map_set(&index, symbols.items[i], seen);
      found = found || model->parameters.items[slot - 1].is_set;
      vector_push(&roots, model->parameters.items[slot - 1].value);
    }
    vector_free(&symbols);
  }
  vector_free(&roots);
  map_free(&index);
  return found;
}

static int blame(struct session *session, const dyn_message *message, bool is_command_line) {
  struct span span = is_command_line ? nowhere : session->compiler->model->run.span;
  diagnostic_add(session_context(session), DIAG_NO_RUN, span, message->text, NULL);
  return is_command_line ? EXIT_COMMAND_LINE : EXIT_MODEL;
}

int32_t run_defaults_find_fault(const struct model *model, const dyn_model *code, const double *p,
                                dyn_message *message) {
  expr values[DYN_RUN_COUNT];
  double given[DYN_RUN_COUNT];
  list_values(model, values);
  if (code->run_defaults == NULL) return -1;
  double *work = checked_calloc((size_t)code->n_work + 1, sizeof *work);
  code->run_defaults(code, 0, NULL, NULL, p, work, given);
  free(work);
  for (int32_t i = 0; i < DYN_RUN_COUNT; i++)
    if (values[i] != 0 && dyn_run_value_check(i, given[i], message) != DYN_DONE) return i;
  return -1;
}

bool run_defaults_vary(const struct model *model, int32_t first, int32_t last) {
  expr values[DYN_RUN_COUNT];
  struct expr_symbol_set *varied = model_varied(model);
  bool any = false;
  list_values(model, values);
  for (int32_t i = first; i <= last && varied != NULL && !any; i++)
    any = values[i] != 0 && expr_symbol_set_touches(varied, values[i]);
  expr_symbol_set_free(varied);
  return any;
}

int run_defaults_check(struct session *session, const struct problem *problem) {
  const struct model *model = session->compiler->model;
  dyn_message message = {""};
  expr values[DYN_RUN_COUNT];
  int32_t fault = run_defaults_find_fault(model, problem->model, problem->p, &message);
  if (fault < 0 || run_defaults_vary(model, fault, fault)) return EXIT_DONE;
  list_values(model, values);
  return blame(session, &message, follows_from_set(model, &values[fault], 1));
}

int run_defaults_refuse_rows(struct session *session, const dyn_message *message) {
  static const enum option_id options[] = {OPTION_FROM, OPTION_UNTIL, OPTION_EVERY};
  const struct model *model = session->compiler->model;
  expr values[DYN_RUN_COUNT];
  if (run_defaults_vary(model, DYN_RUN_FROM, DYN_RUN_EVERY)) return EXIT_DONE;
  list_values(model, values);
  bool is_command_line = follows_from_set(model, values + DYN_RUN_FROM, DYN_RUN_EVERY + 1);
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
    if (session_option(session, options[i]) != NULL) is_command_line = true;
  return blame(session, message, is_command_line);
}
