/* The equations of motion as one JSON object: names, the mass matrix by rows and the forcing as
 * strings in the language's own notation, and each equation as a reader would write it. Strings use
 * the names listed in "definitions", each of which uses only earlier ones. */
#include "derive/equations.h"
#include "sema/model.h"

static void put_key(struct equations *e, const char *key) {
  text_format(e->out, ",\n  \"%s\": ", key);
}

static void put_string(struct equations *e, expr value) {
  struct text text = {0};
  expr_printer_print(e->printer, &text, value);
  text_json_string(e->out, text_string(&text));
  text_free(&text);
}

static void put_array(struct equations *e, const expr *items, size_t count, size_t stride) {
  text_put(e->out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i) text_put(e->out, ", ");
    put_string(e, items[i * stride]);
  }
  text_put(e->out, "]");
}

/* A matrix stored by columns, as an array of rows. */
static void put_matrix(struct equations *e, const expr *items, size_t rows, size_t columns) {
  text_put(e->out, "[");
  for (size_t i = 0; i < rows; i++) {
    text_put(e->out, i ? ",\n    " : "\n    ");
    put_array(e, items + i, columns, rows);
  }
  text_put(e->out, rows ? "\n  ]" : "]");
}

static void put_names(struct equations *e) {
  const struct model *model = e->system->model;
  put_key(e, "coordinates");
  text_put(e->out, "[");
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    if (i) text_put(e->out, ", ");
    text_json_string(e->out, model->coordinates.items[i].id.name);
  }
  text_put(e->out, "]");
  put_key(e, "states");
  text_put(e->out, "[");
  for (uint32_t i = 0; i < model->states.count; i++) {
    if (i) text_put(e->out, ", ");
    text_json_string(e->out, model->states.items[i].id.name);
  }
  text_put(e->out, "]");
}

static void put_definitions(struct equations *e) {
  uint32_t count = expr_printer_definition_count(e->printer);
  put_key(e, "definitions");
  text_put(e->out, "[");
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    struct text text = {0};
    expr body = expr_printer_definition(e->printer, i, &name);
    expr_printer_print_body(e->printer, &text, body);
    text_put(e->out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    text_json_string(e->out, name);
    text_put(e->out, ", \"value\": ");
    text_json_string(e->out, text_string(&text));
    text_put(e->out, "}");
    text_free(&text);
  }
  text_put(e->out, count ? "\n  ]" : "]");
}

static void put_equation(struct equations *e, expr left, expr right, bool first) {
  struct text text = {0};
  expr_printer_print(e->printer, &text, left);
  text_put(&text, " = ");
  expr_printer_print(e->printer, &text, right);
  text_put(e->out, first ? "\n    " : ",\n    ");
  text_json_string(e->out, text_string(&text));
  text_free(&text);
}

static void put_equations(struct equations *e) {
  uint32_t n = e->motion.count, z = e->system->rates;
  put_key(e, "equations");
  text_put(e->out, "[");
  for (uint32_t i = 0; i < n; i++)
    put_equation(e, e->motion.items[i].left, e->motion.items[i].right, i == 0);
  for (uint32_t k = 0; k < z; k++)
    put_equation(e, e->system->model->states.items[k].derivative, e->system->rate[k], n + k == 0);
  text_put(e->out, n + z ? "\n  ]" : "]");
}

static void put_invariants(struct equations *e) {
  const struct system *s = e->system;
  put_key(e, "invariants");
  text_put(e->out, "[");
  for (uint32_t i = 0; i < s->invariant_count; i++) {
    text_put(e->out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    text_json_string(e->out, s->invariants[i].name);
    text_put(e->out, ", \"unit\": ");
    text_json_string(e->out, s->invariants[i].unit);
    text_put(e->out, ", \"value\": ");
    put_string(e, s->invariants[i].value);
    text_put(e->out, "}");
  }
  text_put(e->out, s->invariant_count ? "\n  ]" : "]");
}

static void put_energies(struct equations *e) {
  const struct system *s = e->system;
  put_key(e, s->has_energy ? "kinetic_energy" : "lagrangian");
  put_string(e, s->has_energy ? s->kinetic_energy : e->lagrangian);
  if (s->has_energy) {
    put_key(e, "potential_energy");
    put_string(e, s->potential_energy);
  }
  if (e->dissipation) {
    put_key(e, "dissipation");
    put_string(e, e->dissipation);
  }
}

void equations_print_json(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, z = s->rates, width = 2 * n + z;
  text_put(e->out, "{\n  \"model\": ");
  text_json_string(e->out, s->model->name);
  put_key(e, "method");
  text_json_string(e->out, s->method);
  put_names(e);
  put_definitions(e);
  put_equations(e);
  put_key(e, "mass_matrix");
  put_matrix(e, s->mass, n, n);
  put_key(e, "forcing");
  put_array(e, s->forcing, n, 1);
  put_key(e, "rates");
  put_array(e, s->rate, z, 1);
  if (e->show & SHOW_ENERGIES) put_energies(e);
  if (e->show & SHOW_MOMENTA) {
    put_key(e, "momenta");
    put_array(e, s->momentum, n, 1);
  }
  if (e->show & SHOW_INVARIANTS) put_invariants(e);
  if (e->show & SHOW_JACOBIAN) {
    put_key(e, "residual_by_state");
    put_matrix(e, s->residual_by_state, n, width);
    put_key(e, "rate_by_state");
    put_matrix(e, s->rate_by_state, z, width);
    put_key(e, "rate_by_acceleration");
    put_matrix(e, s->rate_by_acceleration, z, n);
  }
  text_put(e->out, "\n}\n");
}
