/* dyn eval: all quantities of a model at one state. */
#include "compiler/symbol_values.h"
#include "driver/at_speeds.h"
#include "driver/columns.h"
#include "driver/commands.h"
#include "driver/values.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_AT, "--at", NULL, "NAME=VALUE,...", NULL,
     "coordinates, velocities, states: --at \"θ=0.3, θ'=1\"; those not given\n"
     "keep the model's start values"},
    {OPTION_TIME, "--time", NULL, "SECONDS", NULL, "the time t (default: 0)"},
    {OPTION_INPUT, "--input", NULL, "NAME=VALUE", NULL,
     "an input as an expression of t, or file.csv[:column]"},
    {OPTION_METHOD, "--method", NULL, "METHOD", NULL,
     "how to derive the equations: lagrange, augmented, kane, gibbs-appell, hamilton"},
    {OPTION_BACKEND, "--backend", NULL, "ENGINE", "jit|interpreter",
     "what evaluates (default: interpreter; the numbers are the same)"},
    {OPTION_NO_CACHE, "--no-cache", NULL, NULL, NULL,
     "neither use nor keep machine code of earlier times"},
    {OPTION_JSON, "--json", NULL, NULL, NULL, "print one JSON object"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

/* ---------------------------------------------------------------- the state asked for */

static bool put_assignment(struct session *session, struct problem *problem,
                           struct symbol_values *symbols,
                           const struct model_assignment *assignment) {
  const struct model *model = session->compiler->model;
  double value;
  expr_evaluate(model->graph, &assignment->value, 1, symbol_values_of, symbols, &value);
  if (!isfinite(value)) {
    diagnostic_add(session_context(session), DIAG_AT_NOT_FINITE, assignment->span,
                   expr_symbol_name(model->graph, assignment->symbol), NULL);
    return false;
  }
  if (assignment->speed != NULL) return true; /* once the others are there */
  uint32_t slot = map_get(&symbols->slot, assignment->symbol);
  uint32_t states = 2 * model->coordinates.count + model->states.count;
  if (slot == 0 || slot > states) bug("--at gives a symbol that is not of the state");
  problem->x[slot - 1] = value;
  return true;
}

/* Puts the values of --at over the assembled start. */
static bool apply_at(struct session *session, struct problem *problem, const double *u, double t) {
  const struct model *model = session->compiler->model;
  struct symbol_values symbols = {0};
  bool good = true;
  if (model->at.count > 0) symbol_values_add_state(&symbols, model, problem->x, problem->p, u, t);
  for (uint32_t i = 0; i < model->at.count; i++)
    good = put_assignment(session, problem, &symbols, &model->at.items[i]) && good;
  for (uint32_t i = 0; i < 2 * model->coordinates.count + model->states.count; i++)
    if (symbols.items.count > 0) symbols.items.items[i] = problem->x[i];
  struct at_speeds speeds = {session, problem, symbol_values_of, &symbols, t};
  good = good && at_speeds_apply(&speeds);
  symbol_values_clear(&symbols);
  return good;
}

/* ---------------------------------------------------------------- printing */

static void json_values(struct text *out, const char *key, const dyn_variable *names,
                        const double *values, int32_t count) {
  text_format(out, "  \"%s\": {", key);
  for (int32_t i = 0; i < count; i++) {
    text_put(out, i > 0 ? ", " : "");
    text_json_string(out, names[i].name);
    text_put(out, ": ");
    text_json_number(out, values[i]);
  }
  text_put(out, "},\n");
}

static void json_residual(void *user, const char *name, const char *prime, const char *unit,
                          double value) {
  struct text *out = user, full = {0};
  (void)unit;
  text_format(&full, "%s%s", name, prime);
  if (text_string(out)[out->length - 1] != '{') text_put(out, ", ");
  text_json_string(out, text_string(&full));
  text_put(out, ": ");
  text_json_number(out, value);
  text_free(&full);
}

static void json_multipliers(const struct values *v, struct text *out) {
  const dyn_model *model = v->model;
  int32_t m = model->n_constraints;
  text_put(out, "  \"multipliers\": {");
  for (int32_t k = 0; k < m; k++) {
    text_put(out, k > 0 ? ", " : "");
    text_json_string(out, model->constraints[k].name);
    text_put(out, ": ");
    text_json_number(out, v->multipliers[k]);
  }
  text_format(out, "},\n  \"multipliers_are_unique\": %s,\n",
              v->multipliers[m] > 0 ? "false" : "true");
  json_values(out, "constraint_forces", model->coordinates, v->forces,
              m > 0 ? model->n_coordinates : 0);
}

static void put_json(const struct values *v, struct text *out) {
  const dyn_model *model = v->model;
  int32_t n = model->n_coordinates;
  const double energies[] = {v->energies[0], v->energies[1], v->energies[0] + v->energies[1]};
  static const char *const keys[] = {"kinetic_energy", "potential_energy", "energy"};
  text_put(out, "{\n  \"t\": ");
  text_json_number(out, v->t);
  text_put(out, ",\n");
  json_values(out, "coordinates", model->coordinates, v->x, n);
  json_values(out, "velocities", model->velocities, v->x + n, n);
  int32_t speeds = model->n_speeds;
  json_values(out, "speeds", model->outputs, v->outputs, speeds);
  json_values(out, "states", model->rates, v->x + 2 * n, model->n_rates);
  json_values(out, "accelerations", model->accelerations, v->accelerations, n);
  json_multipliers(v, out);
  for (int i = 0; i < 3; i++) {
    text_format(out, "  \"%s\": ", keys[i]);
    text_json_number(out, model->energies != NULL ? energies[i] : NAN);
    text_put(out, ",\n");
  }
  text_put(out, "  \"constraint_residuals\": {");
  values_each_residual(v, out, json_residual);
  text_put(out, "},\n");
  json_values(out, "outputs", model->outputs + speeds, v->outputs + speeds,
              model->n_outputs - speeds);
  out->length -= 2; /* the last comma */
  text_put(out, "\n}\n");
}

static void add_row(struct columns *table, const char *name, double value, const char *unit) {
  struct text number = {0}, bracket = {0};
  if (isnan(value)) /* whose sign means nothing */
    text_put(&number, "nan");
  else
    text_format(&number, "%.15g", value + 0.0);
  if (*unit != '\0') text_format(&bracket, "[%s]", unit);
  const char *cells[] = {name, text_string(&number), text_string(&bracket)};
  columns_add(table, cells);
  text_free(&number);
  text_free(&bracket);
}

static void put_values(struct text *out, const char *heading, const dyn_variable *names,
                       const double *values, int32_t count) {
  if (count == 0) return;
  struct columns table = {.count = 3};
  text_format(out, "%s\n", heading);
  for (int32_t i = 0; i < count; i++) add_row(&table, names[i].name, values[i], names[i].unit);
  columns_print(&table, 2, out);
}

static void add_residual(void *user, const char *name, const char *prime, const char *unit,
                         double value) {
  struct text full = {0};
  text_format(&full, "%s%s", name, prime);
  add_row(user, text_string(&full), value, unit);
  text_free(&full);
}

static void put_constraints(const struct values *v, struct text *out) {
  const dyn_model *model = v->model;
  int32_t m = model->n_constraints;
  if (m == 0) return;
  struct columns table = {.count = 3};
  int dependent = (int)v->multipliers[m];
  text_put(out, "multipliers");
  if (dependent > 0)
    text_format(out,
                " (not unique, since %d of %d constraints depend%s on others: those of least norm)",
                dependent, (int)m, dependent == 1 ? "s" : "");
  text_put(out, "\n");
  for (int32_t k = 0; k < m; k++)
    add_row(&table, model->constraints[k].name, v->multipliers[k],
            model->constraints[k].multiplier_unit);
  columns_print(&table, 2, out);
  text_put(out, "constraint forces\n");
  for (int32_t i = 0; i < model->n_coordinates; i++)
    add_row(&table, model->coordinates[i].name, v->forces[i], "");
  columns_print(&table, 2, out);
  text_put(out, "constraint residuals\n");
  values_each_residual(v, &table, add_residual);
  columns_print(&table, 2, out);
}

static void put_text(const struct values *v, const char *energy_unit, struct text *out) {
  const dyn_model *model = v->model;
  int32_t n = model->n_coordinates;
  text_put(out, "t = ");
  text_number(out, v->t);
  text_put(out, " s\n");
  put_values(out, "coordinates", model->coordinates, v->x, n);
  put_values(out, "velocities", model->velocities, v->x + n, n);
  put_values(out, "speeds", model->outputs, v->outputs, model->n_speeds);
  put_values(out, "states", model->rates, v->x + 2 * n, model->n_rates);
  put_values(out, "accelerations", model->accelerations, v->accelerations, n);
  if (model->energies != NULL) {
    const dyn_variable names[] = {{.name = "kinetic", .unit = energy_unit},
                                  {.name = "potential", .unit = energy_unit},
                                  {.name = "total", .unit = energy_unit}};
    const double values[] = {v->energies[0], v->energies[1], v->energies[0] + v->energies[1]};
    put_values(out, "energy", names, values, 3);
  }
  put_constraints(v, out);
  int32_t speeds = model->n_speeds;
  put_values(out, "outputs", model->outputs + speeds, v->outputs + speeds,
             model->n_outputs - speeds);
}

/* ---------------------------------------------------------------- the command */

static int print_values(struct session *session, const struct problem *problem, struct values *v) {
  const dyn_model *model = v->model;
  if (!values_compute(session, problem, v)) return EXIT_NUMERICAL;
  struct text out = {0};
  if (session_option(session, OPTION_JSON) != NULL)
    put_json(v, &out);
  else
    put_text(v, session->compiler->model->is_dimensionless ? "1" : "J", &out);
  bool written = session_write_output(session, &out);
  text_free(&out);
  static const dyn_variable energies[] = {{.name = "the kinetic energy"},
                                          {.name = "the potential energy"}};
  if (session->compiler->model->at.count > 0) values_warn_off(session, v);
  bool finite =
      values_check_finite(session, model->accelerations, v->accelerations, model->n_coordinates) &&
      values_check_finite(session, energies, v->energies, model->energies != NULL ? 2 : 0) &&
      values_check_finite(session, model->outputs, v->outputs, model->n_outputs);
  return finite && written ? EXIT_DONE : EXIT_NUMERICAL;
}

/* Whether --at gives all coordinates and velocities: then the model's own start, which may be
 * impossible, has no say. A list names nothing twice. */
static bool gives_whole_motion(const struct model *model) {
  uint32_t given = 0;
  struct map at = {0};
  for (uint32_t i = 0; i < model->at.count; i++) map_set(&at, model->at.items[i].symbol, 1);
  for (uint32_t i = 0; i < model->coordinates.count; i++)
    given += map_get(&at, model->coordinates.items[i].position) +
             map_get(&at, model->coordinates.items[i].velocity);
  map_free(&at);
  return given == 2 * model->coordinates.count;
}

static int start_state(struct session *session, struct problem *problem, double t) {
  dyn_message message = {""};
  if (!gives_whole_motion(session->compiler->model))
    return problem_assemble(session, problem, t, NULL);
  dyn_status status = dyn_start_values(&problem->model_problem, t, problem->x, &message);
  if (status != DYN_DONE)
    diagnostic_add(session_context(session), DIAG_NO_START, nowhere, message.text, NULL);
  return problem_status(status);
}

static int evaluate(struct session *session, struct problem *problem, double t) {
  dyn_message message = {""};
  struct values values = {.model = problem->model, .t = t};
  int status = start_state(session, problem, t);
  values.x = problem->x;
  values.u = checked_calloc((size_t)problem->model->n_inputs + 1, sizeof(double));
  if (status == EXIT_DONE) {
    dyn_status answer = dyn_input_values(&problem->model_problem, t, values.u, &message);
    status = problem_status(answer);
    if (status != EXIT_DONE)
      diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere, message.text, NULL);
  }
  if (status == EXIT_DONE && !apply_at(session, problem, values.u, t)) status = EXIT_COMMAND_LINE;
  if (status == EXIT_DONE) status = print_values(session, problem, &values);
  values_clear(&values);
  return status;
}

static int run(struct session *session) {
  struct problem problem = {0};
  const char *engine = session_option(session, OPTION_BACKEND);
  bool is_jit = engine != NULL && strcmp(engine, "jit") == 0;
  double t = 0;
  if (!option_seconds(session_context(session), session->command, &session->line, OPTION_TIME, &t))
    return EXIT_COMMAND_LINE;
  session_override(session, OPTION_AT, DYN_OVERRIDE_AT);
  int status = EXIT_COMMAND_LINE;
  if (problem_take_inputs(session, &problem)) {
    dyn_compiler *compiler = session->compiler;
    const dyn_model *model = NULL;
    if (session_read_model(session) &&
        compiler_derive(compiler, session_option(session, OPTION_METHOD)))
      model = is_jit ? compiler_jit(compiler, NULL, -1) : compiler_interpret(compiler);
    if (model == NULL || !problem_open(session, &problem, model))
      status = session_fault_status(session);
    else
      status = evaluate(session, &problem, t);
  }
  problem_close(&problem);
  return status;
}

const struct command command_eval = {
    "eval", "MODEL.dyn", "evaluate all quantities at one state", NULL, options, 1, 1, true, run};
