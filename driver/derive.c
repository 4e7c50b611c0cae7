/* dyn derive: the equations of motion, for a reader. */
#include "driver/commands.h"
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_METHOD, "--method", NULL, "METHOD", NULL,
     "how to derive them: lagrange, augmented, kane, gibbs-appell, hamilton"},
    {OPTION_FORMAT, "--format", NULL, "FORMAT", "text|latex|json|html",
     "how to print them: text and json have the equations; latex and html are\n"
     "whole documents with the steps of the method"},
    {OPTION_SHOW, "--show", NULL, "PARTS", NULL,
     "further parts, separated by commas: structure, energies, momenta, partials,\n"
     "accelerations, forces, inertia, gibbs, hamiltonian, mass, forcing,\n"
     "recursion, constraints, invariants, jacobian, trace; steps: those of the method"},
    {OPTION_TRACE, "--trace", NULL, NULL, NULL,
     "list for every equation what each statement of the model puts into it"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

static enum equation_format format_of(const char *name) {
  if (name == NULL || strcmp(name, "text") == 0) return EQUATIONS_TEXT;
  if (strcmp(name, "html") == 0) return EQUATIONS_HTML;
  return strcmp(name, "latex") == 0 ? EQUATIONS_LATEX : EQUATIONS_JSON;
}

/* --trace is one more part of what is shown. */
static void put_parts(struct session *session, enum equation_format format, struct text *parts) {
  const char *show = session_option(session, OPTION_SHOW);
  bool is_document = format == EQUATIONS_LATEX || format == EQUATIONS_HTML;
  if (show == NULL && is_document) show = "steps";
  if (show != NULL) text_put(parts, show);
  if (session_option(session, OPTION_TRACE) != NULL) text_put(parts, ",trace");
}

static int run(struct session *session) {
  dyn_compiler *compiler = session->compiler;
  if (!session_read_model(session) ||
      !compiler_derive(compiler, session_option(session, OPTION_METHOD)) ||
      !compiler_derive_mass(compiler))
    return session_fault_status(session);
  struct text out = {0}, parts = {0};
  enum equation_format format = format_of(session_option(session, OPTION_FORMAT));
  put_parts(session, format, &parts);
  bool good = equations_print(session_context(session), compiler->system, format,
                              text_string(&parts), &out);
  bool written = good && session_write_output(session, &out);
  text_free(&out);
  text_free(&parts);
  return !good ? EXIT_COMMAND_LINE : written ? EXIT_DONE : EXIT_NUMERICAL;
}

const struct command command_derive = {
    "derive", "MODEL.dyn", "print the equations of motion", NULL, options, 1, 1, true, run};
