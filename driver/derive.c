/* dyn derive: the equations of motion, for a reader. */
#include "driver/commands.h"
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_METHOD, "--method", NULL, "METHOD", NULL,
     "how to derive them: lagrange, augmented, kane, gibbs-appell, hamilton"},
    {OPTION_FORMAT, "--format", NULL, "FORMAT", "text|latex|json", "how to print them"},
    {OPTION_SHOW, "--show", NULL, "PARTS", NULL,
     "further parts, separated by commas: energies, momenta, invariants, mass,\n"
     "forcing, jacobian, constraints"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

static enum equation_format format_of(const char *name) {
  if (name == NULL || strcmp(name, "text") == 0) return EQUATIONS_TEXT;
  return strcmp(name, "latex") == 0 ? EQUATIONS_LATEX : EQUATIONS_JSON;
}

static int run(struct session *session) {
  dyn_compiler *compiler = session->compiler;
  if (!session_read_model(session) ||
      !compiler_derive(compiler, session_option(session, OPTION_METHOD)))
    return session_fault_status(session);
  struct text out = {0};
  const char *fault = NULL;
  bool good = equations_print(compiler->system, format_of(session_option(session, OPTION_FORMAT)),
                              session_option(session, OPTION_SHOW), &out, &fault);
  if (!good) {
    struct diagnostic *diagnostic =
        diagnostic_add(session_context(session), DIAG_UNKNOWN_PART, nowhere, fault, NULL);
    diagnostic_help(session_context(session), diagnostic, "--show: %s", options[2].help);
  }
  bool written = good && session_write_output(session, &out);
  text_free(&out);
  return !good ? EXIT_COMMAND_LINE : written ? EXIT_DONE : EXIT_NUMERICAL;
}

const struct command command_derive = {
    "derive", "MODEL.dyn", "print the equations of motion", NULL, options, 1, 1, true, run};
