/* dyn eval: all quantities of a model at one state. */
#include "base/map.h"
#include "driver/columns.h"
#include "driver/commands.h"
#include "driver/problem.h"
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
    {OPTION_METHOD, "--method", NULL, "METHOD", NULL, "how to derive the equations: lagrange"},
    {OPTION_BACKEND, "--backend", NULL, "ENGINE", "jit|interpreter",
     "what evaluates (default: interpreter; the numbers are the same)"},
    {OPTION_JSON, "--json", NULL, NULL, NULL, "print one JSON object"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

/* Everything that is printed, in SI (outputs in their own units). */
struct values {
  const dyn_model *model;
  double t, *x, *u, *work, *accelerations, *outputs, energies[2];
};

/* ---------------------------------------------------------------- the state asked for */

/* Where the value of each symbol stands: slot k > 0 of `map` is values[k - 1]. */
struct symbols {
  struct map map;
  VECTOR(double) values;
};

static void symbols_add(struct symbols *symbols, expr symbol, double value) {
  vector_push(&symbols->values, value);
  map_set(&symbols->map, symbol, symbols->values.count);
}

static double symbol_value(void *user, expr symbol) {
  const struct symbols *symbols = user;
  uint32_t slot = map_get(&symbols->map, symbol);
  return slot == 0 ? NAN : symbols->values.items[slot - 1];
}

/* Symbols in the order of x, then parameters and inputs. */
static void symbols_fill(struct symbols *symbols, const struct model *model,
                         const struct problem *problem, const double *u, double t) {
  uint32_t n = model->coordinates.count;
  for (uint32_t i = 0; i < n; i++)
    symbols_add(symbols, model->coordinates.items[i].position, problem->x[i]);
  for (uint32_t i = 0; i < n; i++)
    symbols_add(symbols, model->coordinates.items[i].velocity, problem->x[n + i]);
  for (uint32_t i = 0; i < model->states.count; i++)
    symbols_add(symbols, model->states.items[i].value, problem->x[2 * n + i]);
  for (uint32_t i = 0; i < model->parameters.count; i++)
    symbols_add(symbols, model->parameters.items[i].symbol, problem->p[i]);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    symbols_add(symbols, model->inputs.items[i].symbol, u[i]);
  symbols_add(symbols, model->time, t);
}

static bool put_assignment(struct session *session, struct problem *problem,
                           struct symbols *symbols, const struct model_assignment *assignment) {
  const struct model *model = session->compiler->model;
  double value;
  expr_evaluate(model->graph, &assignment->value, 1, symbol_value, symbols, &value);
  if (!isfinite(value)) {
    diagnostic_add(session_context(session), DIAG_AT_NOT_FINITE, assignment->span,
                   expr_symbol_name(model->graph, assignment->symbol), NULL);
    return false;
  }
  uint32_t slot = map_get(&symbols->map, assignment->symbol);
  uint32_t states = 2 * model->coordinates.count + model->states.count;
  if (slot == 0 || slot > states) bug("--at gives a symbol that is not of the state");
  problem->x[slot - 1] = value;
  return true;
}

/* Puts the values of --at over the assembled start. */
static bool apply_at(struct session *session, struct problem *problem, const double *u, double t) {
  const struct model *model = session->compiler->model;
  struct symbols symbols = {0};
  bool good = true;
  if (model->at.count > 0) symbols_fill(&symbols, model, problem, u, t);
  for (uint32_t i = 0; i < model->at.count; i++)
    good = put_assignment(session, problem, &symbols, &model->at.items[i]) && good;
  map_free(&symbols.map);
  vector_free(&symbols.values);
  return good;
}

/* ---------------------------------------------------------------- evaluating */

static bool check_rank(struct session *session, const dyn_model *model, int result) {
  if (result == DYN_OK) return true;
  struct text why = {0};
  text_format(&why, "the mass matrix is singular at '%s'", model->coordinates[result - 1].name);
  diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere, text_string(&why), NULL);
  text_free(&why);
  return false;
}

static bool compute(struct session *session, const struct problem *problem, struct values *v) {
  const dyn_model *model = problem->model;
  size_t n = (size_t)model->n_coordinates, outputs = (size_t)model->n_outputs;
  v->work = checked_calloc((size_t)model->n_work + 1, sizeof(double));
  v->accelerations = checked_calloc(n + 1, sizeof(double));
  v->outputs = checked_calloc(outputs + 1, sizeof(double));
  if (model->acceleration != NULL &&
      !check_rank(
          session, model,
          model->acceleration(model, v->t, v->x, v->u, problem->p, v->work, v->accelerations)))
    return false;
  if (model->energies != NULL)
    model->energies(model, v->t, v->x, v->u, problem->p, v->work, v->energies);
  if (model->output_values == NULL) return true;
  return check_rank(session, model,
                    model->output_values(model, v->t, v->x, v->u, problem->p, v->work, v->outputs));
}

/* Infinite and undefined values are printed as they are; the exit status tells of them. */
static bool check_finite(struct session *session, const dyn_variable *names, const double *values,
                         int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (isfinite(values[i])) continue;
    struct text why = {0};
    text_format(&why, "%s is not a finite number", names[i].name);
    diagnostic_add(session_context(session), DIAG_NO_VALUES, nowhere, text_string(&why), NULL);
    text_free(&why);
    return false;
  }
  return true;
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
  text_put(out, "  \"speeds\": {},\n");
  json_values(out, "states", model->rates, v->x + 2 * n, model->n_rates);
  json_values(out, "accelerations", model->accelerations, v->accelerations, n);
  text_put(out, "  \"multipliers\": {},\n");
  for (int i = 0; i < 3; i++) {
    text_format(out, "  \"%s\": ", keys[i]);
    text_json_number(out, model->energies != NULL ? energies[i] : NAN);
    text_put(out, ",\n");
  }
  text_put(out, "  \"constraint_residuals\": {},\n");
  json_values(out, "outputs", model->outputs, v->outputs, model->n_outputs);
  out->length -= 2; /* the last comma */
  text_put(out, "\n}\n");
}

static void add_row(struct columns *table, const char *name, double value, const char *unit) {
  struct text number = {0}, bracket = {0};
  if (isnan(value)) /* whose sign means nothing */
    text_put(&number, "nan");
  else
    text_format(&number, "%.15g", value);
  text_format(&bracket, "[%s]", unit);
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

static void put_text(const struct values *v, const char *energy_unit, struct text *out) {
  const dyn_model *model = v->model;
  int32_t n = model->n_coordinates;
  text_put(out, "t = ");
  text_number(out, v->t);
  text_put(out, " s\n");
  put_values(out, "coordinates", model->coordinates, v->x, n);
  put_values(out, "velocities", model->velocities, v->x + n, n);
  put_values(out, "states", model->rates, v->x + 2 * n, model->n_rates);
  put_values(out, "accelerations", model->accelerations, v->accelerations, n);
  if (model->energies != NULL) {
    const dyn_variable names[] = {{.name = "kinetic", .unit = energy_unit},
                                  {.name = "potential", .unit = energy_unit},
                                  {.name = "total", .unit = energy_unit}};
    const double values[] = {v->energies[0], v->energies[1], v->energies[0] + v->energies[1]};
    put_values(out, "energy", names, values, 3);
  }
  put_values(out, "outputs", model->outputs, v->outputs, model->n_outputs);
}

/* ---------------------------------------------------------------- the command */

static int print_values(struct session *session, const struct problem *problem, struct values *v) {
  const dyn_model *model = v->model;
  if (!compute(session, problem, v)) return EXIT_NUMERICAL;
  struct text out = {0};
  if (session_option(session, OPTION_JSON) != NULL)
    put_json(v, &out);
  else
    put_text(v, session->compiler->model->is_dimensionless ? "1" : "J", &out);
  bool written = session_write_output(session, &out);
  text_free(&out);
  bool finite =
      check_finite(session, model->accelerations, v->accelerations, model->n_coordinates) &&
      check_finite(session, model->outputs, v->outputs, model->n_outputs);
  return finite && written ? EXIT_DONE : EXIT_NUMERICAL;
}

static int evaluate(struct session *session, struct problem *problem, double t) {
  dyn_message message = {""};
  struct values values = {.model = problem->model, .t = t};
  int status = problem_assemble(session, problem, t);
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
  free(values.u);
  free(values.work);
  free(values.accelerations);
  free(values.outputs);
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
