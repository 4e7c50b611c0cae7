/* The structure report as one JSON object. */
#include "driver/report.h"

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

static void json_start(const struct report *report) {
  const dyn_assembly *assembly = report->assembly;
  text_put(report->out, "  \"start\": {\"moved\": [");
  for (int32_t i = 0; i < assembly->n_moved; i++) {
    const dyn_moved_value *moved = &assembly->moved[i];
    const dyn_variable *variable = problem_state_variable(report->compiled, moved->state);
    text_put(report->out, i > 0 ? ", {" : "{");
    json_member(report->out, "name", variable->name);
    text_put(report->out, ", \"from\": ");
    text_json_number(report->out, moved->from);
    text_put(report->out, ", \"to\": ");
    text_json_number(report->out, moved->to);
    text_format(report->out, ", \"stated\": %s}", moved->is_stated ? "true" : "false");
  }
  text_format(report->out, "], \"constraint_rank\": %d},\n", (int)assembly->constraint_rank);
}

static void json_events(const struct report *report) {
  const struct model *model = report->model;
  text_put(report->out, "  \"events\": [");
  for (uint32_t i = 0; i < model->events.count; i++) {
    const struct model_event *event = &model->events.items[i];
    text_put(report->out, i > 0 ? ",\n    {" : "\n    {");
    json_member(report->out, event->is_periodic ? "every" : "when",
                event->is_periodic ? event->text + sizeof "every " - 1 : event->text);
    text_put(report->out, ", \"resets\": [");
    for (uint32_t k = 0; k < event->reset_count; k++) {
      text_put(report->out, k > 0 ? ", " : "");
      text_json_string(report->out, model->resets.items[event->first_reset + k].name);
    }
    text_put(report->out, "], ");
    if (event->stop != NULL)
      json_member(report->out, "stop", event->stop);
    else
      text_put(report->out, "\"stop\": null");
    text_put(report->out, "}");
  }
  text_put(report->out, model->events.count > 0 ? "\n  ],\n" : "],\n");
}

void report_put_json(const struct report *report) {
  const struct model *model = report->model;
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
  JSON_DECLARATIONS(report->out, "speeds", model->speeds);
  report_put_constraints_json(report);
  text_format(report->out, "  \"rheonomic\": %s,\n  \"energy_is_conserved\": %s,\n",
              report->is_rheonomic ? "true" : "false",
              report->system->energy_is_conserved ? "true" : "false");
  json_start(report);
  json_events(report);
  json_dimensions(report);
  json_invariants(report);
  text_put(report->out, "}\n");
}
