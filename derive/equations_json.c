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
  if (e->system->state.kind != VARIABLES_VELOCITIES) {
    put_key(e, e->system->state.kind == VARIABLES_MOMENTA ? "momenta_names" : "speeds");
    text_put(e->out, "[");
    for (uint32_t i = 0; i < e->system->n; i++) {
      if (i) text_put(e->out, ", ");
      text_json_string(e->out, e->system->state.name[i]);
    }
    text_put(e->out, "]");
  }
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

/* "left = right" as a string, or null without a left side; an integral is only its left side. */
static void put_line(struct equations *e, const char *key, const struct equation_line *line) {
  struct text text = {0};
  text_format(e->out, ", \"%s\": ", key);
  if (!line->left) {
    text_put(e->out, "null");
    return;
  }
  expr_printer_print(e->printer, &text, line->left);
  if (line->right) {
    text_put(&text, " = ");
    expr_printer_print(e->printer, &text, line->right);
  }
  text_json_string(e->out, text_string(&text));
  text_free(&text);
}

static void put_constraint(struct equations *e, uint32_t k) {
  static const struct equation_line none = {0};
  const struct model_constraint *constraint = &e->system->model->constraints.items[k];
  const struct constraint_lines *lines = &e->constraints[k];
  text_put(e->out, k ? ",\n    {\"name\": " : "\n    {\"name\": ");
  text_json_string(e->out, constraint->id.name);
  text_put(e->out, ", \"text\": ");
  text_json_string(e->out, constraint->text);
  text_format(e->out, ", \"level\": \"%s\", \"multiplier\": ",
              constraint->level == CONSTRAINT_POSITION ? "position" : "velocity");
  text_json_string(e->out, constraint->multiplier_name);
  text_put(e->out, ", \"multiplier_unit\": ");
  text_json_string(e->out, constraint->multiplier_unit.si);
  put_line(e, "position", lines->is_integral ? &none : &lines->position);
  put_line(e, "integral", lines->is_integral ? &lines->position : &none);
  put_line(e, "velocity", &lines->velocity);
  put_line(e, "acceleration", &lines->acceleration);
  text_put(e->out, "}");
}

/* The constraints, and A, bias and B of  M q'' = f + B λ,  A q'' + bias = 0. */
static void put_constraints(struct equations *e) {
  const struct system *s = e->system;
  put_key(e, "constraints");
  text_put(e->out, "[");
  for (uint32_t k = 0; k < s->m; k++) put_constraint(e, k);
  text_put(e->out, s->m ? "\n  ]" : "]");
  if (s->m == 0) return;
  put_key(e, "constraint_jacobian");
  put_matrix(e, s->constraint_jacobian, s->m, s->n);
  put_key(e, "constraint_bias");
  put_array(e, s->constraint_bias, s->m, 1);
  put_key(e, "multiplier_force");
  put_matrix(e, equations_multiplier_force(s), s->n, s->m);
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

/* Parts that have no members of their own, heading by heading; a row is a string. */
static void put_sections(struct equations *e) {
  const struct document *d = &e->document;
  bool in_section = false, has_rows = false;
  put_key(e, "sections");
  text_put(e->out, "[");
  for (uint32_t i = 0; i < d->items.count; i++) {
    const struct document_item *item = &d->items.items[i];
    struct text row = {0};
    if (item->kind == DOCUMENT_HEADING) {
      text_put(e->out, in_section ? "]},\n    {\"title\": " : "\n    {\"title\": ");
      text_json_string(e->out, item->title);
      text_put(e->out, ", \"rows\": [");
      in_section = true;
      has_rows = false;
      continue;
    }
    if (item->kind == DOCUMENT_NOTE) text_put(&row, item->text);
    if (item->left) expr_printer_print(e->printer, &row, item->left);
    if (item->right) {
      text_put(&row, " = ");
      expr_printer_print(e->printer, &row, item->right);
    }
    if (item->kind == DOCUMENT_TERM) text_format(&row, "  from %s", item->text);
    text_put(e->out, has_rows ? ",\n      " : "\n      ");
    text_json_string(e->out, text_string(&row));
    text_free(&row);
    has_rows = true;
  }
  text_put(e->out, in_section ? "]}\n  ]" : "]");
}

void equations_print_json(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, m = s->m, z = s->rates, width = 2 * n + z;
  text_put(e->out, "{\n  \"model\": ");
  text_json_string(e->out, s->model->name);
  put_key(e, "method");
  text_json_string(e->out, s->method);
  put_names(e);
  put_definitions(e);
  put_equations(e);
  put_key(e, "mass_matrix");
  put_matrix(e, equations_mass(s), n, n);
  put_key(e, "forcing");
  put_array(e, equations_forcing(s), n, 1);
  put_key(e, "rates");
  put_array(e, s->rate, z, 1);
  put_constraints(e);
  if (e->show & SHOW_ENERGIES) put_energies(e);
  if (e->show & SHOW_MOMENTA) {
    put_key(e, "momenta");
    put_array(e, s->momentum, n, 1);
  }
  if (e->show & SHOW_INVARIANTS) put_invariants(e);
  if (e->show & SHOW_JACOBIAN) {
    put_key(e, "residual_by_state");
    put_matrix(e, s->residual_by_state, n + m, width);
    put_key(e, "rate_by_state");
    put_matrix(e, s->rate_by_state, z, width);
    put_key(e, "rate_by_acceleration");
    put_matrix(e, s->rate_by_acceleration, z, n + m);
  }
  if (e->document.items.count > 0) put_sections(e);
  text_put(e->out, "\n}\n");
}
