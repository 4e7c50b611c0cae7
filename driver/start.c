/* The start state of a model, and what has to be said about it. */
#include "driver/problem.h"
#include <stdlib.h>
#include <string.h>

static char *assembly_text(const dyn_model *model, const dyn_assembly *assembly) {
  size_t length = dyn_assembly_text(model, assembly, NULL, 0);
  char *text = checked_calloc(length + 1, 1);
  dyn_assembly_text(model, assembly, text, length + 1);
  return text;
}

static void report_no_start(struct session *session, const dyn_model *model,
                            const dyn_assembly *assembly) {
  dyn_context *context = session_context(session);
  struct diagnostic *diagnostic =
      diagnostic_add(context, DIAG_NO_START, nowhere, assembly->message.text, NULL);
  char *text = assembly_text(model, assembly);
  size_t length = strlen(text);
  if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
  if (length > 0) diagnostic_help(context, diagnostic, "%s", text);
  free(text);
}

/* What a line of the assembly's text is about: first the constraints that stated values violate,
 * then the values that moved, then a singular configuration. */
static enum diagnostic_code code_of_line(const dyn_assembly *assembly, int32_t line) {
  int32_t violated = 0;
  for (int32_t i = 0; i < assembly->n_moved; i++)
    if (assembly->moved[i].is_stated) violated = assembly->n_violated;
  if (line < violated) return DIAG_START_VIOLATES_CONSTRAINT;
  return line < violated + assembly->n_moved ? DIAG_START_MOVED : DIAG_SINGULAR_START;
}

/* One note for all guesses that moved: none of them was anybody's wish. */
static void tell_guesses(struct session *session, const dyn_model *model,
                         const dyn_assembly *assembly) {
  enum { MOST_NAMED = 8 };
  struct text text = {0};
  int32_t count = 0;
  for (int32_t i = 0; i < assembly->n_moved; i++) {
    const dyn_moved_value *moved = &assembly->moved[i];
    const dyn_variable *variable = problem_state_variable(model, moved->state);
    bool has_unit = strcmp(variable->unit, "1") != 0;
    if (moved->is_stated || count++ >= MOST_NAMED) continue;
    text_format(&text, "%s%s = %.9g%s%s", count > 1 ? ", " : "", variable->name, moved->to,
                has_unit ? " " : "", has_unit ? variable->unit : "");
  }
  if (count > MOST_NAMED) text_format(&text, " and %d more", (int)(count - MOST_NAMED));
  if (count > 0)
    diagnostic_add(session_context(session), DIAG_START_COMPLETED, nowhere, text_string(&text),
                   NULL);
  text_free(&text);
}

/* `also_moved`: the values as well, not only what is wrong. */
static void tell(struct session *session, const dyn_model *model, const dyn_assembly *assembly,
                 bool also_moved) {
  char *text = assembly_text(model, assembly);
  int32_t number = 0, moved = 0;
  for (char *line = text; *line != '\0'; number++) {
    size_t length = strcspn(line, "\n");
    char *next = line + length + (line[length] == '\n');
    line[length] = '\0';
    enum diagnostic_code code = code_of_line(assembly, number);
    bool is_guess = code == DIAG_START_MOVED && !assembly->moved[moved++].is_stated;
    if (code != DIAG_START_MOVED || (also_moved && !is_guess))
      diagnostic_add(session_context(session), code, nowhere, line, NULL);
    line = next;
  }
  if (also_moved) tell_guesses(session, model, assembly);
  free(text);
}

int problem_assemble(struct session *session, struct problem *problem, double t,
                     dyn_assembly *assembly) {
  double started = compiler_clock();
  dyn_message message = {""};
  dyn_status status = dyn_start_values(&problem->model_problem, t, problem->x, &message);
  if (status != DYN_DONE) {
    diagnostic_add(session_context(session), DIAG_NO_START, nowhere, message.text, NULL);
    return problem_status(status);
  }
  dyn_assembly own = {0}, *out = assembly != NULL ? assembly : &own;
  status = dyn_start_assemble(&problem->model_problem, t, problem->x, out);
  if (status != DYN_DONE)
    report_no_start(session, problem->model, out);
  else
    tell(session, problem->model, out, assembly == NULL);
  dyn_assembly_clear(&own);
  session_add_stage(session, "start state", compiler_clock() - started);
  return problem_status(status);
}

const char help_with_singular_place[] =
    "start elsewhere, or choose other coordinates (for an orientation: other angles, or Euler "
    "parameters)";

void problem_warn_singular_start(struct session *session, struct problem *problem, double t) {
  dyn_message place;
  dyn_singular_place(&problem->model_problem, t, problem->x, &place);
  if (place.text[0] == '\0') return;
  struct diagnostic *d = diagnostic_add(session_context(session), DIAG_START_WITHOUT_ACCELERATIONS,
                                        nowhere, place.text, NULL);
  diagnostic_help(session_context(session), d, "%s", help_with_singular_place);
}
