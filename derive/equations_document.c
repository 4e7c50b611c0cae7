/* The document of `dyn derive` in the order of textbooks: unknowns, the steps of the method that
 * are asked for, the equations of motion with their constraints, what follows from them. */
#include "derive/equations.h"
#include "sema/model.h"
#include <stdlib.h>

/* ---- names */

struct document_index equations_coordinate(const struct equations *e, size_t j) {
  const struct model_coordinate *coordinate = &e->system->model->coordinates.items[j];
  return (struct document_index){coordinate->id.name,
                                 expr_symbol_latex(e->system->graph, coordinate->position)};
}

struct document_index equations_row(const struct equations *e, size_t i) {
  const struct system *s = e->system;
  if (s->state.kind != VARIABLES_SPEEDS) return equations_coordinate(e, i);
  return (struct document_index){s->state.name[i], expr_symbol_latex(s->graph, s->state.symbol[i])};
}

/* In LaTeX constraints go by their multipliers. */
static struct document_index constraint_index(const struct equations *e, size_t k) {
  const struct model_constraint *constraint = &e->system->model->constraints.items[k];
  return (struct document_index){constraint->id.name,
                                 expr_symbol_latex(e->system->graph, constraint->multiplier)};
}

static void put_entry(struct equations *e, const char *letter, struct document_index row,
                      const struct document_index *column, expr value) {
  document_row(&e->document, NULL, document_entry(&e->document, letter, row, column), value);
}

/* ---- unknowns */

static void put_unknowns(struct equations *e) {
  const struct model *model = e->system->model;
  const struct system_method_state *state = &e->system->state;
  struct document *d = &e->document;
  const char *list = "unknowns";
  for (uint32_t i = 0; i < model->coordinates.count; i++, list = NULL)
    document_unknown(d, list, model->coordinates.items[i].position,
                     model->coordinates.items[i].id.unit.si);
  for (uint32_t i = 0; i < model->states.count; i++, list = NULL)
    document_unknown(d, list, model->states.items[i].value, model->states.items[i].id.unit.si);
  list = state->kind == VARIABLES_MOMENTA ? "momenta" : "speeds";
  for (uint32_t i = 0; i < e->system->n && state->kind != VARIABLES_VELOCITIES; i++, list = NULL)
    document_unknown(d, list, state->symbol[i], state->unit[i]);
  list = "multipliers";
  for (uint32_t k = 0; k < model->constraints.count; k++, list = NULL)
    document_unknown(d, list, model->constraints.items[k].multiplier,
                     model->constraints.items[k].multiplier_unit.si);
  if (e->has_hats)
    document_row(d, NULL, document_name(d, "λ̂", "\\hat{\\lambda}"),
                 document_name(d, "-λ", "-\\lambda"));
}

/* ---- equations */

static void put_line(struct equations *e, const char *before, const struct equation_line *line) {
  if (line->right)
    document_row(&e->document, before, line->left, line->right);
  else
    document_words(&e->document, before, line->left, "constant");
}

static void put_matrix_form(struct equations *e) {
  const struct system *s = e->system;
  bool transposed = s->multiplier_force_is_transpose;
  struct document *d = &e->document;
  expr left =
      document_name(d, e->has_hats ? "M q'' + Aᵀ λ̂" : "M q''",
                    e->has_hats ? "M\\,\\ddot{q} + A^{T}\\,\\hat{\\lambda}" : "M\\,\\ddot{q}");
  bool plain = s->m == 0 || e->has_hats;
  expr right = document_name(d,
                             plain        ? "f"
                             : transposed ? "f + Aᵀ λ"
                                          : "f + B λ",
                             plain        ? "f"
                             : transposed ? "f + A^{T}\\,\\lambda"
                                          : "f + B\\,\\lambda");
  document_row(d, NULL, left, right);
}

/* H leads what is arranged for momenta. */
static void put_hamiltonian(struct equations *e) {
  document_heading(&e->document, "Hamiltonian function", NULL);
  put_line(e, NULL, &e->motion.items[0]);
}

static void put_motion(struct equations *e) {
  const struct system *s = e->system;
  bool has_steps = false;
  for (uint32_t i = 0; i < e->document.items.count; i++)
    has_steps = has_steps || e->document.items.items[i].kind == DOCUMENT_HEADING;
  document_heading(&e->document, has_steps ? "equations of motion" : NULL, "Equations of motion");
  if (e->as_matrices)
    put_matrix_form(e);
  else
    for (uint32_t i = e->show & SHOW_HAMILTONIAN ? 1 : 0; i < e->motion.count; i++)
      put_line(e, NULL, &e->motion.items[i]);
  for (uint32_t k = 0; k < s->rates; k++)
    document_row(&e->document, NULL, s->model->states.items[k].derivative, s->rate[k]);
}

/* ---- constraints */

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

/* As written; then on the levels below, each in its own line. In plain text scalars on positions
 * are readable as written, components of a vector equation are not. */
static void put_constraint(struct equations *e, uint32_t k) {
  const struct model_constraint *constraint = &e->system->model->constraints.items[k];
  const struct constraint_lines *lines = &e->constraints[k];
  document_note(&e->document, "%s%s: %s", k > 0 && e->is_text ? "\n" : "", constraint->id.name,
                constraint->text);
  if (lines->is_integral)
    put_line(e, "  integral:      ", &lines->position);
  else if (lines->position.left && (!e->is_text || is_part_of_vector(e->system->model, k)))
    put_line(e, "  positions:     ", &lines->position);
  put_line(e, "  velocities:    ", &lines->velocity);
  if (!e->as_matrices) put_line(e, "  accelerations: ", &lines->acceleration);
}

static void put_constraints(struct equations *e) {
  uint32_t m = e->system->m;
  if (m > 0) document_heading(&e->document, "subject to", "Constraints");
  for (uint32_t k = 0; k < m; k++) put_constraint(e, k);
}

/* A, the bias and, where forces hold multipliers, B. */
static void put_constraint_matrices(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, m = s->m;
  const char *title = m ? "constraints A q'' + bias = 0" : "constraints: none";
  document_heading(&e->document, title, NULL);
  for (size_t k = 0; k < m; k++)
    for (size_t j = 0; j < n; j++) {
      struct document_index column = equations_coordinate(e, j);
      expr entry = s->constraint_jacobian[k + j * m];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      put_entry(e, "A", constraint_index(e, k), &column, entry);
    }
  for (size_t k = 0; k < m; k++)
    put_entry(e, "bias", constraint_index(e, k), NULL, s->constraint_bias[k]);
  if (m == 0 || (s->multiplier_force_is_transpose && s->state.kind != VARIABLES_SPEEDS)) return;
  title = s->state.kind == VARIABLES_SPEEDS
              ? "multipliers in the equations of motion, M u' = f + B λ"
              : "multipliers in the equations of motion, M q'' = f + B λ";
  document_heading(&e->document, title, NULL);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m; k++) {
      struct document_index column = constraint_index(e, k);
      expr entry = equations_multiplier_force(s)[i + k * n];
      if (!expr_is_integer_value(s->graph, entry, 0))
        put_entry(e, "B", equations_row(e, i), &column, entry);
    }
}

/* ---- matrices */

/* A symmetric one by its upper half. */
static void put_mass(struct equations *e) {
  const struct system *s = e->system;
  const char *title = s->mass_is_symmetric ? "mass matrix (symmetric)" : "mass matrix";
  document_heading(&e->document, title, NULL);
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t j = s->mass_is_symmetric ? i : 0; j < s->n; j++) {
      expr entry = equations_mass(s)[i + (size_t)j * s->n];
      struct document_index column = equations_row(e, j);
      if (!expr_is_integer_value(s->graph, entry, 0))
        put_entry(e, "M", equations_row(e, i), &column, entry);
    }
}

static void put_forcing(struct equations *e) {
  document_heading(&e->document, "forcing", NULL);
  for (uint32_t i = 0; i < e->system->n; i++)
    put_entry(e, "f", equations_row(e, i), NULL, equations_forcing(e->system)[i]);
}

/* ---- energies and what follows from them */

static void put_energies(struct equations *e) {
  const struct system *s = e->system;
  struct document *d = &e->document;
  document_heading(d, "energies", NULL);
  if (s->has_energy) {
    document_row(d, NULL, document_name(d, "T", NULL), s->kinetic_energy);
    document_row(d, NULL, document_name(d, "V", NULL), s->potential_energy);
  } else {
    document_row(d, NULL, document_name(d, "L", NULL), e->lagrangian);
  }
  if (e->dissipation) document_row(d, NULL, document_name(d, "D", NULL), e->dissipation);
}

static void put_momenta(struct equations *e) {
  document_heading(&e->document, "momenta dL/dq'", NULL);
  for (uint32_t i = 0; i < e->system->n; i++)
    put_entry(e, "p", equations_coordinate(e, i), NULL, e->system->momentum[i]);
}

static void put_invariants(struct equations *e) {
  const struct system *s = e->system;
  struct document *d = &e->document;
  const char *title =
      s->invariant_count ? "constants of motion" : "constants of motion: none found";
  document_heading(d, title, NULL);
  for (uint32_t i = 0; i < s->invariant_count; i++) {
    const char *text =
        arena_format(&d->arena, "%s [%s]", s->invariants[i].name, s->invariants[i].unit);
    struct text latex = {0};
    text_put(&latex, "\\text{");
    document_escape_latex(&latex, s->invariants[i].name);
    text_put(&latex, "}");
    document_row(d, NULL, document_name(d, text, text_string(&latex)), s->invariants[i].value);
    text_free(&latex);
  }
}

/* ---- the whole */

void equations_put_steps(struct equations *e) {
  if (e->show & SHOW_STRUCTURE) equations_put_structure(e);
  if (e->show & (SHOW_PARTIALS | SHOW_ACCELERATIONS)) equations_put_motions(e);
  if (e->show & (SHOW_FORCES | SHOW_INERTIA | SHOW_GIBBS)) equations_put_forces(e);
  if (e->show & SHOW_HAMILTONIAN) put_hamiltonian(e);
  if (e->show & SHOW_RECURSION) equations_put_recursion(e);
  if (e->show & SHOW_TRACE) equations_put_trace(e);
}

void equations_put_document(struct equations *e) {
  struct document *d = &e->document;
  d->model = e->system->model->name;
  d->method = e->system->method;
  put_unknowns(e);
  if (e->show & SHOW_STRUCTURE) equations_put_structure(e);
  if (e->show & SHOW_ENERGIES) put_energies(e);
  if (e->show & SHOW_MOMENTA) put_momenta(e);
  if (e->show & (SHOW_PARTIALS | SHOW_ACCELERATIONS)) equations_put_motions(e);
  if (e->show & (SHOW_FORCES | SHOW_INERTIA | SHOW_GIBBS)) equations_put_forces(e);
  if (e->show & SHOW_HAMILTONIAN) put_hamiltonian(e);
  put_motion(e);
  put_constraints(e);
  document_where(d);
  if (e->show & SHOW_MASS) put_mass(e);
  if (e->show & SHOW_FORCING) put_forcing(e);
  if (e->show & SHOW_RECURSION) equations_put_recursion(e);
  if (e->show & SHOW_CONSTRAINTS) put_constraint_matrices(e);
  if (e->show & SHOW_INVARIANTS) put_invariants(e);
  if (e->show & SHOW_JACOBIAN) equations_put_jacobian(e);
  if (e->show & SHOW_TRACE) equations_put_trace(e);
}
