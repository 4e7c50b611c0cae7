/* The equations of motion as plain text. */
#include "derive/equations.h"
#include "sema/model.h"

static void put_unknowns(struct equations *e) {
  const struct model *model = e->system->model;
  const char *between = "unknowns: ";
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_name *id = &model->coordinates.items[i].id;
    text_format(e->out, "%s%s(t) [%s]", between, id->name, id->unit.si);
    between = ", ";
  }
  for (uint32_t i = 0; i < model->states.count; i++) {
    const struct model_name *id = &model->states.items[i].id;
    text_format(e->out, "%s%s(t) [%s]", between, id->name, id->unit.si);
    between = ", ";
  }
  text_put(e->out, "\n\n");
}

static void put_line(struct equations *e, const char *name, expr value) {
  text_format(e->out, "%s = ", name);
  equations_put(e, value);
  text_put(e->out, "\n");
}

static void put_motion(struct equations *e) {
  for (uint32_t i = 0; i < e->motion.count; i++) {
    equations_put(e, e->motion.items[i].left);
    text_put(e->out, " = ");
    equations_put(e, e->motion.items[i].right);
    text_put(e->out, "\n");
  }
}

static void put_rates(struct equations *e) {
  for (uint32_t k = 0; k < e->system->rates; k++) {
    equations_put(e, e->system->model->states.items[k].derivative);
    text_put(e->out, " = ");
    equations_put(e, e->system->rate[k]);
    text_put(e->out, "\n");
  }
}

static void put_definitions(struct equations *e) {
  uint32_t count = expr_printer_definition_count(e->printer);
  if (count) text_put(e->out, "\nwith\n");
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    expr body = expr_printer_definition(e->printer, i, &name);
    text_format(e->out, "%s = ", name);
    expr_printer_print_body(e->printer, e->out, body);
    text_put(e->out, "\n");
  }
}

static const char *name_of(const struct equations *e, uint32_t i) {
  return e->system->model->coordinates.items[i].id.name;
}

/* The mass matrix by its entries, M[θ,φ]; a symmetric one by its upper half. */
static void put_mass(struct equations *e) {
  const struct system *s = e->system;
  text_format(e->out, "\nmass matrix%s\n", s->mass_is_symmetric ? " (symmetric)" : "");
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t j = s->mass_is_symmetric ? i : 0; j < s->n; j++) {
      expr entry = s->mass[i + (size_t)j * s->n];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      text_format(e->out, "M[%s, %s] = ", name_of(e, i), name_of(e, j));
      equations_put(e, entry);
      text_put(e->out, "\n");
    }
}

static void put_named_rows(struct equations *e, const char *title, const char *name,
                           const expr *items) {
  text_format(e->out, "\n%s\n", title);
  for (uint32_t i = 0; i < e->system->n; i++) {
    text_format(e->out, "%s[%s] = ", name, name_of(e, i));
    equations_put(e, items[i]);
    text_put(e->out, "\n");
  }
}

static void put_energies(struct equations *e) {
  const struct system *s = e->system;
  text_put(e->out, "\nenergies\n");
  if (s->has_energy) {
    put_line(e, "T", s->kinetic_energy);
    put_line(e, "V", s->potential_energy);
  } else {
    put_line(e, "L", e->lagrangian);
  }
  if (e->dissipation) put_line(e, "D", e->dissipation);
}

static void put_invariants(struct equations *e) {
  const struct system *s = e->system;
  text_put(e->out,
           s->invariant_count ? "\nconstants of motion\n" : "\nconstants of motion: none found\n");
  for (uint32_t i = 0; i < s->invariant_count; i++) {
    text_format(e->out, "%s [%s]", s->invariants[i].name, s->invariants[i].unit);
    put_line(e, "", s->invariants[i].value);
  }
}

static const char *state_name(const struct equations *e, size_t column) {
  const struct system *s = e->system;
  if (column < s->n) return name_of(e, (uint32_t)column);
  if (column < 2 * (size_t)s->n)
    return expr_symbol_name(s->graph, s->model->coordinates.items[column - s->n].velocity);
  return s->model->states.items[column - 2 * (size_t)s->n].id.name;
}

static void put_jacobian(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, z = s->rates, width = 2 * n + z;
  text_put(e->out, "\nJacobian of the residual r = M q'' - f, entries that are not zero\n");
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < width; j++) {
      expr entry = s->residual_by_state[i + j * n];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      text_format(e->out, "dr[%s]/d(%s)", name_of(e, (uint32_t)i), state_name(e, j));
      put_line(e, "", entry);
    }
  for (size_t i = 0; i < z; i++) {
    const char *name = s->model->states.items[i].id.name;
    for (size_t j = 0; j < width; j++) {
      expr entry = s->rate_by_state[i + j * z];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      text_format(e->out, "d(%s')/d(%s)", name, state_name(e, j));
      put_line(e, "", entry);
    }
    for (size_t j = 0; j < n; j++) {
      expr entry = s->rate_by_acceleration[i + j * z];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      text_format(e->out, "d(%s')/d(%s'')", name, name_of(e, (uint32_t)j));
      put_line(e, "", entry);
    }
  }
}

void equations_print_text(struct equations *e) {
  const struct model *model = e->system->model;
  text_format(e->out, "%s: equations of motion by the method \"%s\"\n", model->name,
              e->system->method);
  put_unknowns(e);
  if (e->as_matrices)
    text_put(e->out, "M q'' = f\n");
  else
    put_motion(e);
  put_rates(e);
  put_definitions(e);
  if (e->show & SHOW_MASS) put_mass(e);
  if (e->show & SHOW_FORCING) put_named_rows(e, "forcing", "f", e->system->forcing);
  if (e->show & SHOW_ENERGIES) put_energies(e);
  if (e->show & SHOW_MOMENTA) put_named_rows(e, "momenta dL/dq'", "p", e->system->momentum);
  if (e->show & SHOW_INVARIANTS) put_invariants(e);
  if (e->show & SHOW_JACOBIAN) put_jacobian(e);
}
