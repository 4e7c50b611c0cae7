/* dyn check: what the compiler found out about a model, for people or as JSON. */
#include "driver/columns.h"
#include "driver/commands.h"
#include "expr/printer.h"
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_JSON, "--json", NULL, NULL, NULL, "print the report as one JSON object"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

enum { LONGEST_FORMULA = 2000, LONGEST_JSON_FORMULA = 1 << 20 }; /* bytes */

struct report {
  const struct model *model;
  const struct system *system;
  struct expr_printer *printer; /* of all formulas */
  struct text *out;
};

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
  for (uint32_t i = 0; i < system->invariant_count; i++)
    vector_push(&roots, system->invariants[i].value);
  struct expr_printer *printer =
      expr_printer_new(model->graph, EXPR_TEXT, roots.items, roots.count);
  expr_printer_limit(printer, longest);
  vector_free(&roots);
  return printer;
}

/* The motion is prescribed in part where time stands in the kinetic energy. */
static bool is_rheonomic(const struct report *report) {
  struct expr_symbol_set *set = expr_symbol_set_new(report->model->graph);
  expr_symbol_set_add(set, report->model->time);
  bool touches = false;
  for (uint32_t i = 0; i < report->model->energies.count && !touches; i++) {
    const struct model_energy *energy = &report->model->energies.items[i];
    bool has_masses = energy->kind == ENERGY_KINETIC || energy->kind == ENERGY_LAGRANGIAN;
    touches = has_masses && expr_symbol_set_touches(set, energy->value);
  }
  expr_symbol_set_free(set);
  return touches;
}

/* ---------------------------------------------------------------- for people */

static void put_doc(const char *doc, struct text *out) {
  for (const char *line = doc; line != NULL && *line != '\0';) {
    const char *end = strchr(line, '\n');
    int length = end != NULL ? (int)(end - line) : (int)strlen(line);
    text_format(out, "  %.*s\n", length, line);
    line = end != NULL ? end + 1 : NULL;
  }
}

/* `unit`: that of the value. */
static void add_name(struct columns *table, struct text *cell, const struct model_name *id,
                     const char *unit, const char *value) {
  text_format(cell, "[%s]", unit);
  const char *cells[] = {id->name, text_string(cell), value, id->doc};
  columns_add(table, cells);
  cell->length = 0;
}

static void put_heading(const struct report *report, const char *heading, uint32_t count) {
  text_format(report->out, "\n%s (%u)\n", heading, count);
}

/* A section of declared names with their values as formulas. */
#define PUT_SECTION(report, heading, list, value_of, unit_of)                                      \
  do {                                                                                             \
    struct columns table_ = {.count = 4};                                                          \
    struct text cell_ = {0}, formula_ = {0};                                                       \
    for (uint32_t i = 0; i < (list).count; i++) {                                                  \
      formula_.length = 0;                                                                         \
      text_put(&formula_, "= ");                                                                   \
      expr_printer_print((report)->printer, &formula_, (list).items[i].value_of);                  \
      add_name(&table_, &cell_, &(list).items[i].id, (list).items[i].id.unit.unit_of,              \
               text_string(&formula_));                                                            \
    }                                                                                              \
    if ((list).count > 0) put_heading(report, heading, (list).count);                              \
    columns_print(&table_, 2, (report)->out);                                                      \
    text_free(&cell_);                                                                             \
    text_free(&formula_);                                                                          \
  } while (0)

static void put_coordinates(const struct report *report) {
  struct columns table = {.count = 4};
  struct text cell = {0}, start = {0};
  for (uint32_t i = 0; i < report->model->coordinates.count; i++) {
    const struct model_coordinate *q = &report->model->coordinates.items[i];
    start.length = 0;
    text_put(&start, "starts at ");
    expr_printer_print(report->printer, &start, q->start_position);
    if (!expr_is_integer_value(report->model->graph, q->start_velocity, 0)) {
      text_put(&start, ", velocity ");
      expr_printer_print(report->printer, &start, q->start_velocity);
    }
    add_name(&table, &cell, &q->id, q->id.unit.si, text_string(&start));
  }
  put_heading(report, "coordinates", report->model->coordinates.count);
  columns_print(&table, 2, report->out);
  text_free(&cell);
  text_free(&start);
}

static void put_counts(const struct report *report) {
  uint32_t n = report->model->coordinates.count;
  text_format(report->out,
              "\ncounts\n  coordinates n = %u, holonomic d = 0, nonholonomic g = 0, "
              "degrees of freedom f = %u\n",
              n, n);
  text_format(report->out, "  %s\n",
              is_rheonomic(report) ? "rheonomic: time stands in the kinetic energy"
                                   : "scleronomic: no motion is prescribed");
  if (!report->system->mass_is_symmetric)
    text_put(report->out, "  the mass matrix is not symmetric, because a force is linear in "
                          "accelerations: nothing is claimed about energy\n");
}

static void put_dimensions(const struct report *report) {
  const struct model *model = report->model;
  if (model->is_dimensionless) {
    text_put(report->out, "\ndimensions\n  the model writes no units: they are not checked\n");
    return;
  }
  struct columns table = {.count = 4};
  struct text cell = {0};
  for (uint32_t i = 0; i < model->dimensions.count; i++) {
    const struct model_dimension_row *row = &model->dimensions.items[i];
    cell.length = 0;
    text_format(&cell, "[%s]", row->unit);
    const char *cells[] = {row->kind, row->name, text_string(&cell),
                           row->inferred ? "inferred" : ""};
    columns_add(&table, cells);
  }
  if (model->dimensions.count > 0) put_heading(report, "dimensions", model->dimensions.count);
  columns_print(&table, 2, report->out);
  text_free(&cell);
}

static void put_invariants(const struct report *report) {
  const struct system *system = report->system;
  struct text formula = {0}, unit = {0};
  struct columns table = {.count = 3};
  for (uint32_t i = 0; i < system->invariant_count; i++) {
    formula.length = unit.length = 0;
    text_put(&formula, "= ");
    expr_printer_print(report->printer, &formula, system->invariants[i].value);
    text_format(&unit, "[%s]", system->invariants[i].unit);
    const char *cells[] = {system->invariants[i].name, text_string(&unit), text_string(&formula)};
    columns_add(&table, cells);
  }
  put_heading(report, "invariants", system->invariant_count);
  if (system->invariant_count == 0)
    text_put(report->out, "  none found: energy is not conserved and no coordinate is cyclic\n");
  columns_print(&table, 2, report->out);
  text_free(&formula);
  text_free(&unit);
}

static void put_text(const struct report *report) {
  const struct model *model = report->model;
  text_format(report->out, "model %s\n", model->name);
  put_doc(model->doc, report->out);
  put_counts(report);
  put_coordinates(report);
  PUT_SECTION(report, "states", model->states, start, si);
  PUT_SECTION(report, "parameters", model->parameters, value, si);
  PUT_SECTION(report, "inputs", model->inputs, value, si);
  PUT_SECTION(report, "outputs", model->outputs, value, declared);
  put_dimensions(report);
  put_invariants(report);
}

/* ---------------------------------------------------------------- JSON */

static void json_member(struct text *out, const char *key, const char *value) {
  text_format(out, "\"%s\": ", key);
  text_json_string(out, value);
}

static void json_id(struct text *out, const struct model_name *id) {
  json_member(out, "name", id->name);
  text_put(out, ", ");
  json_member(out, "unit", id->unit.si);
  text_put(out, ", ");
  json_member(out, "declared_unit", id->unit.declared);
  text_put(out, ", ");
  json_member(out, "doc", id->doc);
}

#define JSON_NAMES(out, key, list)                                                                 \
  do {                                                                                             \
    text_format(out, "  \"%s\": [", key);                                                          \
    for (uint32_t i = 0; i < (list).count; i++) {                                                  \
      if (i > 0) text_put(out, ", ");                                                              \
      text_json_string(out, (list).items[i].id.name);                                              \
    }                                                                                              \
    text_put(out, "],\n");                                                                         \
  } while (0)

#define JSON_DECLARATIONS(out, key, list)                                                          \
  do {                                                                                             \
    text_format(out, "  \"%s\": [", key);                                                          \
    for (uint32_t i = 0; i < (list).count; i++) {                                                  \
      text_put(out, i > 0 ? ",\n    {" : "\n    {");                                               \
      json_id(out, &(list).items[i].id);                                                           \
      text_put(out, "}");                                                                          \
    }                                                                                              \
    text_put(out, (list).count > 0 ? "\n  ],\n" : "],\n");                                         \
  } while (0)

static void json_dimensions(const struct report *report) {
  const struct model *model = report->model;
  text_put(report->out, "  \"dimensions\": [");
  for (uint32_t i = 0; i < model->dimensions.count; i++) {
    const struct model_dimension_row *row = &model->dimensions.items[i];
    text_put(report->out, i > 0 ? ",\n    {" : "\n    {");
    json_member(report->out, "kind", row->kind);
    text_put(report->out, ", ");
    json_member(report->out, "name", row->name);
    text_put(report->out, ", ");
    json_member(report->out, "unit", row->unit);
    text_format(report->out, ", \"inferred\": %s}", row->inferred ? "true" : "false");
  }
  text_put(report->out, model->dimensions.count > 0 ? "\n  ],\n" : "],\n");
}

static void json_invariants(const struct report *report) {
  const struct system *system = report->system;
  struct text formula = {0};
  text_put(report->out, "  \"invariants\": [");
  for (uint32_t i = 0; i < system->invariant_count; i++) {
    formula.length = 0;
    expr_printer_print(report->printer, &formula, system->invariants[i].value);
    text_put(report->out, i > 0 ? ",\n    {" : "\n    {");
    json_member(report->out, "name", system->invariants[i].name);
    text_put(report->out, ", ");
    json_member(report->out, "unit", system->invariants[i].unit);
    text_put(report->out, ", ");
    json_member(report->out, "value", text_string(&formula));
    text_put(report->out, "}");
  }
  text_put(report->out, system->invariant_count > 0 ? "\n  ]\n" : "]\n");
  text_free(&formula);
}

static void put_json(const struct report *report) {
  const struct model *model = report->model;
  uint32_t n = model->coordinates.count;
  text_put(report->out, "{\n  ");
  json_member(report->out, "model", model->name);
  text_put(report->out, ",\n  ");
  json_member(report->out, "doc", model->doc);
  text_put(report->out, ",\n");
  JSON_NAMES(report->out, "coordinates", model->coordinates);
  JSON_NAMES(report->out, "states", model->states);
  JSON_DECLARATIONS(report->out, "parameters", model->parameters);
  JSON_DECLARATIONS(report->out, "inputs", model->inputs);
  JSON_DECLARATIONS(report->out, "outputs", model->outputs);
  text_format(report->out,
              "  \"constraints\": [],\n  \"holonomic\": 0,\n  \"nonholonomic\": 0,\n"
              "  \"degrees_of_freedom\": %u,\n  \"rheonomic\": %s,\n"
              "  \"energy_is_conserved\": %s,\n",
              n, is_rheonomic(report) ? "true" : "false",
              report->system->energy_is_conserved ? "true" : "false");
  json_dimensions(report);
  json_invariants(report);
  text_put(report->out, "}\n");
}

static int run(struct session *session) {
  if (!session_read_model(session) || !compiler_derive(session->compiler, NULL))
    return session_fault_status(session);
  struct text out = {0};
  bool as_json = session_option(session, OPTION_JSON) != NULL;
  struct report report = {session->compiler->model, session->compiler->system, NULL, &out};
  report.printer =
      printer_new(report.model, report.system, as_json ? LONGEST_JSON_FORMULA : LONGEST_FORMULA);
  if (as_json)
    put_json(&report);
  else
    put_text(&report);
  expr_printer_free(report.printer);
  bool written = session_write_output(session, &out);
  text_free(&out);
  return written ? EXIT_DONE : EXIT_NUMERICAL;
}

const struct command command_check = {
    "check", "MODEL.dyn", "check a model and report its structure", NULL, options, 1, 1, true, run};
