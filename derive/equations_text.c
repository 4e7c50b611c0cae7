/* The equations of motion as plain text. */
#include "derive/equations.h"
#include "sema/model.h"
#include <stdlib.h>

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
  between = e->system->state.kind == VARIABLES_MOMENTA ? "\nmomenta: " : "\nspeeds: ";
  for (uint32_t i = 0; i < e->system->n && e->system->state.kind != VARIABLES_VELOCITIES; i++) {
    text_format(e->out, "%s%s(t) [%s]", between, e->system->state.name[i],
                e->system->state.unit[i]);
    between = ", ";
  }
  between = "\nmultipliers: ";
  for (uint32_t k = 0; k < model->constraints.count; k++) {
    char *name = equations_multiplier_name(e, k);
    text_format(e->out, "%s%s(t) [%s]", between, name,
                model->constraints.items[k].multiplier_unit.si);
    between = ", ";
    free(name);
  }
  if (e->has_hats) text_put(e->out, ", λ̂ = -λ");
  text_put(e->out, "\n\n");
}

static void put_line(struct equations *e, const char *name, expr value) {
  text_format(e->out, "%s = ", name);
  equations_put(e, value);
  text_put(e->out, "\n");
}

static void put_equation(struct equations *e, const struct equation_line *line) {
  equations_put(e, line->left);
  text_put(e->out, " = ");
  if (line->right)
    equations_put(e, line->right);
  else
    text_put(e->out, "constant");
  text_put(e->out, "\n");
}

static void put_motion(struct equations *e) {
  for (uint32_t i = 0; i < e->motion.count; i++) put_equation(e, &e->motion.items[i]);
}

static bool is_part_of_vector(const struct model *model, uint32_t k) {
  struct span span = model->constraints.items[k].span;
  for (uint32_t other = k > 0 ? k - 1 : 0; other < model->constraints.count && other <= k + 1;
       other++) {
    struct span near = model->constraints.items[other].span;
    if (other != k && near.source == span.source && near.begin == span.begin &&
        near.end == span.end && span.end > span.begin)
      return true;
  }
  return false;
}

/* As written; then on the levels below, each in its own line. Scalars on positions are readable as
 * written, components of a vector equation are not. */
static void put_constraint(struct equations *e, uint32_t k) {
  const struct model *model = e->system->model;
  const struct model_constraint *constraint = &model->constraints.items[k];
  const struct constraint_lines *lines = &e->constraints[k];
  text_format(e->out, "\n%s: %s\n", constraint->id.name, constraint->text);
  if (lines->is_integral) {
    text_put(e->out, "  integral:      ");
    put_equation(e, &lines->position);
  } else if (lines->position.left && is_part_of_vector(model, k)) {
    text_put(e->out, "  positions:     ");
    put_equation(e, &lines->position);
  }
  text_put(e->out, "  velocities:    ");
  put_equation(e, &lines->velocity);
  if (e->as_matrices) return;
  text_put(e->out, "  accelerations: ");
  put_equation(e, &lines->acceleration);
}

static void put_constraints(struct equations *e) {
  uint32_t m = e->system->m;
  if (m == 0) return;
  text_put(e->out, "\nsubject to");
  for (uint32_t k = 0; k < m; k++) put_constraint(e, k);
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

/* What an equation or unknown of motion belongs to. */
static const char *row_of(const struct equations *e, uint32_t i) {
  if (e->system->state.kind == VARIABLES_SPEEDS) return e->system->state.name[i];
  return e->system->model->coordinates.items[i].id.name;
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
      expr entry = equations_mass(s)[i + (size_t)j * s->n];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      text_format(e->out, "M[%s, %s] = ", row_of(e, i), row_of(e, j));
      equations_put(e, entry);
      text_put(e->out, "\n");
    }
}

static void put_named_rows(struct equations *e, const char *title, const char *name,
                           const expr *items,
                           const char *(*row)(const struct equations *, uint32_t)) {
  text_format(e->out, "\n%s\n", title);
  for (uint32_t i = 0; i < e->system->n; i++) {
    text_format(e->out, "%s[%s] = ", name, row(e, i));
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

static const char *constraint_name(const struct equations *e, size_t k) {
  return e->system->model->constraints.items[k].id.name;
}

/* A, the bias and, where forces hold multipliers, B. */
static void put_constraint_matrices(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, m = s->m;
  text_put(e->out, m ? "\nconstraints A q'' + bias = 0\n" : "\nconstraints: none\n");
  for (size_t k = 0; k < m; k++)
    for (size_t j = 0; j < n; j++) {
      if (expr_is_integer_value(s->graph, s->constraint_jacobian[k + j * m], 0)) continue;
      text_format(e->out, "A[%s, %s]", constraint_name(e, k), name_of(e, (uint32_t)j));
      put_line(e, "", s->constraint_jacobian[k + j * m]);
    }
  for (size_t k = 0; k < m; k++) {
    text_format(e->out, "bias[%s]", constraint_name(e, k));
    put_line(e, "", s->constraint_bias[k]);
  }
  if (s->multiplier_force_is_transpose && s->state.kind != VARIABLES_SPEEDS) return;
  text_format(e->out, "\nmultipliers in the equations of motion, %s = f + B λ\n",
              e->system->state.kind == VARIABLES_SPEEDS ? "M u'" : "M q''");
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m; k++) {
      if (expr_is_integer_value(s->graph, equations_multiplier_force(s)[i + k * n], 0)) continue;
      text_format(e->out, "B[%s, %s]", row_of(e, (uint32_t)i), constraint_name(e, k));
      put_line(e, "", equations_multiplier_force(s)[i + k * n]);
    }
}

static const char *state_name(const struct equations *e, size_t column) {
  const struct system *s = e->system;
  if (column < s->n) return name_of(e, (uint32_t)column);
  if (column < 2 * (size_t)s->n && s->state.kind == VARIABLES_SPEEDS)
    return s->state.name[column - s->n];
  if (column < 2 * (size_t)s->n)
    return expr_symbol_name(s->graph, s->model->coordinates.items[column - s->n].velocity);
  return s->model->states.items[column - 2 * (size_t)s->n].id.name;
}

static void put_partial(struct equations *e, const char *of, const char *mark, const char *by,
                        expr entry) {
  if (expr_is_integer_value(e->system->graph, entry, 0)) return;
  text_format(e->out, "%s/d(%s%s)", of, by, mark);
  put_line(e, "", entry);
}

static void put_rate_jacobian(struct equations *e, size_t i, const char *of) {
  const struct system *s = e->system;
  size_t n = s->n, z = s->rates, width = 2 * n + z;
  for (size_t j = 0; j < width; j++)
    put_partial(e, of, "", state_name(e, j), s->rate_by_state[i + j * z]);
  for (size_t j = 0; j < n; j++)
    put_partial(e, of, s->state.kind == VARIABLES_SPEEDS ? "'" : "''", row_of(e, (uint32_t)j),
                s->rate_by_acceleration[i + j * z]);
  for (size_t k = 0; k < s->m; k++) {
    char *by = equations_multiplier_name(e, (uint32_t)k);
    put_partial(e, of, "", by, s->rate_by_acceleration[i + (n + k) * z]);
    free(by);
  }
}

static void put_jacobian(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, rows = n + s->m, z = s->rates, width = 2 * n + z;
  const char *rate = s->state.kind == VARIABLES_SPEEDS ? "u'" : "q''";
  text_format(e->out, "\nJacobian of the residual r = ");
  text_format(e->out, s->m ? "[M %s - f - B λ; A %s + bias]" : "M %s - f", rate, rate);
  text_put(e->out, ", entries that are not zero\n");
  struct text of = {0};
  for (size_t i = 0; i < rows; i++) {
    text_free(&of);
    text_format(&of, "dr[%s]", i < n ? row_of(e, (uint32_t)i) : constraint_name(e, i - n));
    for (size_t j = 0; j < width; j++)
      put_partial(e, text_string(&of), "", state_name(e, j), s->residual_by_state[i + j * rows]);
  }
  for (size_t i = 0; i < z; i++) {
    text_free(&of);
    text_format(&of, "d(%s')", s->model->states.items[i].id.name);
    put_rate_jacobian(e, i, text_string(&of));
  }
  text_free(&of);
}

void equations_print_text(struct equations *e) {
  const struct model *model = e->system->model;
  text_format(e->out, "%s: equations of motion by the method \"%s\"\n", model->name,
              e->system->method);
  put_unknowns(e);
  if (e->as_matrices)
    text_put(e->out, e->has_hats                                ? "M q'' + Aᵀ λ̂ = f\n"
                     : e->system->m == 0                        ? "M q'' = f\n"
                     : e->system->multiplier_force_is_transpose ? "M q'' = f + Aᵀ λ\n"
                                                                : "M q'' = f + B λ\n");
  else
    put_motion(e);
  put_rates(e);
  put_constraints(e);
  put_definitions(e);
  if (e->show & SHOW_MASS) put_mass(e);
  if (e->show & SHOW_FORCING)
    put_named_rows(e, "forcing", "f", equations_forcing(e->system), row_of);
  if (e->show & SHOW_CONSTRAINTS) put_constraint_matrices(e);
  if (e->show & SHOW_ENERGIES) put_energies(e);
  if (e->show & SHOW_MOMENTA)
    put_named_rows(e, "momenta dL/dq'", "p", e->system->momentum, name_of);
  if (e->show & SHOW_INVARIANTS) put_invariants(e);
  if (e->show & SHOW_JACOBIAN) put_jacobian(e);
}
