/* dyn check: what the compiler found out about a model, for people or as JSON. */
#include "driver/commands.h"
#include "driver/report.h"

static const struct option_spec options[] = {
    {OPTION_JSON, "--json", NULL, NULL, NULL, "print the report as one JSON object"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

enum { LONGEST_FORMULA = 2000, LONGEST_JSON_FORMULA = 1 << 20 }; /* bytes */

/* One printer for all that is printed: making one walks the graph. */
static struct expr_printer *printer_new(const struct model *model, const struct system *system,
                                        size_t longest) {
  VECTOR(expr) roots = {0};
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    vector_push(&roots, model->coordinates.items[i].start_position);
    vector_push(&roots, model->coordinates.items[i].start_velocity);
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    vector_push(&roots, model->states.items[i].start);
  for (uint32_t i = 0; i < model->parameters.count; i++)
    vector_push(&roots, model->parameters.items[i].value);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    vector_push(&roots, model->inputs.items[i].value);
  for (uint32_t i = 0; i < model->outputs.count; i++)
    vector_push(&roots, model->outputs.items[i].value);
  for (uint32_t i = 0; i < model->speeds.count; i++)
    vector_push(&roots, model->speeds.items[i].value);
  for (uint32_t i = 0; i < system->invariant_count; i++)
    vector_push(&roots, system->invariants[i].value);
  for (uint32_t i = 0; i < model->constraints.count; i++) {
    const struct model_constraint *constraint = &model->constraints.items[i];
    if (constraint->integral != 0) vector_push(&roots, constraint->integral);
    if (constraint->integrating_factor != 0) vector_push(&roots, constraint->integrating_factor);
  }
  for (uint32_t i = 0; i < model->structure.combinations.count; i++)
    if (model->structure.combinations.items[i].integral != 0)
      vector_push(&roots, model->structure.combinations.items[i].integral);
  struct expr_printer *printer =
      expr_printer_new(model->graph, EXPR_TEXT, roots.items, roots.count);
  expr_printer_limit(printer, longest);
  vector_free(&roots);
  return printer;
}

void report_put_formula(const struct report *report, expr formula) {
  expr_printer_print(report->printer, report->out, formula);
}

static int print_report(struct session *session, const dyn_model *compiled,
                        const dyn_assembly *assembly) {
  struct text out = {0};
  bool as_json = session_option(session, OPTION_JSON) != NULL;
  const struct model *model = session->compiler->model;
  struct report report = {.model = model,
                          .system = session->compiler->system,
                          .compiled = compiled,
                          .assembly = assembly,
                          .is_rheonomic = system_is_rheonomic(session->compiler->system),
                          .out = &out};
  report.printer =
      printer_new(model, report.system, as_json ? LONGEST_JSON_FORMULA : LONGEST_FORMULA);
  if (as_json)
    report_put_json(&report);
  else
    report_put_text(&report);
  expr_printer_free(report.printer);
  bool written = session_write_output(session, &out);
  text_free(&out);
  return written ? EXIT_DONE : EXIT_NUMERICAL;
}

/* The start state as a run would have it; it is looked at for singular coordinates even where there
 * is nothing to assemble. */
static int report_model(struct session *session, struct problem *problem,
                        const dyn_model *compiled) {
  dyn_assembly assembly = {0};
  int status = EXIT_DONE;
  if (compiled->n_constraints > 0 ||
      compiled->n_initial_position + compiled->n_initial_velocity > 0)
    status = problem_assemble(session, problem, 0, &assembly);
  else
    dyn_start_values(&problem->model_problem, 0, problem->x, NULL);
  if (status == EXIT_DONE) problem_warn_singular_start(session, problem, 0);
  if (status == EXIT_DONE) status = print_report(session, compiled, &assembly);
  dyn_assembly_clear(&assembly);
  return status;
}

static int run(struct session *session) {
  struct problem problem = {0};
  const dyn_model *compiled = NULL;
  int status;
  if (session_read_model(session) && compiler_derive(session->compiler, NULL))
    compiled = compiler_interpret(session->compiler);
  if (compiled == NULL || !problem_open(session, &problem, compiled))
    status = session_fault_status(session);
  else
    status = report_model(session, &problem, compiled);
  problem_close(&problem);
  return status;
}

const struct command command_check = {
    "check", "MODEL.dyn", "check a model and report its structure", NULL, options, 1, 1, true, run};
