/* The structure report for people. */
#include "driver/columns.h"
#include "driver/report.h"
#include <stdlib.h>
#include <string.h>

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
  const struct model *model = report->model;
  const struct model_structure *structure = &model->structure;
  text_format(report->out,
              "\ncounts\n  coordinates n = %u, holonomic d = %u, nonholonomic g = %u, "
              "degrees of freedom f = %u\n",
              model->coordinates.count, structure->holonomic, structure->nonholonomic,
              structure->degrees_of_freedom);
  const char *kind =
      !report->is_rheonomic ? "scleronomic: no motion is prescribed"
      : structure->is_rheonomic
          ? "rheonomic: constraints prescribe a part of the motion"
          : "rheonomic: masses are moved in a prescribed way, as the kinetic energy shows";
  text_format(report->out, "  %s\n", kind);
  if (structure->degrees_of_freedom == 0)
    text_put(report->out, "  kinematically driven: the constraints alone determine the motion\n");
  if (!report->system->mass_is_symmetric)
    text_put(report->out, "  the mass matrix is not symmetric, because a force is linear in "
                          "accelerations: nothing is claimed about energy\n");
}

/* Only where assembly has something to do: otherwise the coordinates tell all. */
static void put_start(const struct report *report) {
  const dyn_assembly *assembly = report->assembly;
  if (assembly->n_moved == 0) return;
  struct columns table = {.count = 3};
  for (int32_t i = 0; i < assembly->n_moved; i++) {
    const dyn_moved_value *moved = &assembly->moved[i];
    const dyn_variable *variable = problem_state_variable(report->compiled, moved->state);
    struct text unit = {0}, change = {0};
    text_format(&unit, "[%s]", variable->unit);
    text_format(&change, "moved from %.9g to %.9g%s", moved->from, moved->to,
                moved->is_stated ? ", although it is stated" : "");
    const char *cells[] = {variable->name, text_string(&unit), text_string(&change)};
    columns_add(&table, cells);
    text_free(&unit);
    text_free(&change);
  }
  put_heading(report, "start values that do not satisfy all equations",
              (uint32_t)assembly->n_moved);
  columns_print(&table, 2, report->out);
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
  put_heading(report, report->model->events.count > 0 ? "invariants between events" : "invariants",
              system->invariant_count);
  if (system->invariant_count == 0)
    text_put(report->out, "  none found: neither the energy nor the momentum of a coordinate is "
                          "seen to be conserved\n");
  columns_print(&table, 2, report->out);
  text_free(&formula);
  text_free(&unit);
}

/* Speeds, and what kane and gibbs-appell complete them with. */
static void put_speeds(const struct report *report) {
  const struct model *model = report->model;
  if (model->speeds.count == 0) return;
  PUT_SECTION(report, "speeds", model->speeds, value, si);
  char *completion = system_completion(report->system);
  if (*completion != '\0')
    text_format(report->out, "  completed for kane and gibbs-appell with %s\n", completion);
  free(completion);
}

static void put_events(const struct report *report) {
  const struct model *model = report->model;
  if (model->events.count == 0) return;
  put_heading(report, "events", model->events.count);
  for (uint32_t i = 0; i < model->events.count; i++) {
    const struct model_event *event = &model->events.items[i];
    text_format(report->out, "  %s%s:", event->is_periodic ? "" : "when ", event->text);
    for (uint32_t k = 0; k < event->reset_count; k++)
      text_format(report->out, "%s %s", k == 0 ? " resets" : ",",
                  model->resets.items[event->first_reset + k].name);
    if (event->stop != NULL)
      text_format(report->out, "%s stops%s%s", event->reset_count > 0 ? "," : "",
                  event->stop[0] != '\0' ? ": " : "", event->stop);
    text_put(report->out, "\n");
  }
}

void report_put_text(const struct report *report) {
  const struct model *model = report->model;
  text_format(report->out, "model %s\n", model->name);
  put_doc(model->doc, report->out);
  put_counts(report);
  report_put_constraints_text(report);
  put_coordinates(report);
  put_start(report);
  put_speeds(report);
  PUT_SECTION(report, "states", model->states, start, si);
  PUT_SECTION(report, "parameters", model->parameters, value, si);
  PUT_SECTION(report, "inputs", model->inputs, value, si);
  struct { /* behind the speeds */
    const struct model_output *items;
    uint32_t count;
  } outputs = {model->outputs.items, model->outputs.count - model->speeds.count};
  if (model->speeds.count > 0) outputs.items += model->speeds.count;
  PUT_SECTION(report, "outputs", outputs, value, declared);
  put_events(report);
  put_dimensions(report);
  put_invariants(report);
}
