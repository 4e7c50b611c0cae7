/* The equations of motion in LaTeX: aligned environments (package amsmath) in display mathematics,
 * with comments that say what is what. No environment has more rows than fit on a page, because
 * pages do not break inside. */
#include "derive/equations.h"
#include "sema/model.h"

enum { ROWS_PER_BLOCK = 24 };

struct block {
  struct equations *equations;
  uint32_t rows;
};

static struct block begin_block(struct equations *e, const char *comment) {
  text_format(e->out, "%% %s\n", comment);
  return (struct block){e, 0};
}

static void end_environment(struct equations *e) {
  text_put(e->out, "\n\\end{aligned}\n\\]\n");
}

/* Everything that must stand before the next row's left side. */
static void next_row(struct block *block) {
  struct text *out = block->equations->out;
  if (block->rows > 0 && block->rows % ROWS_PER_BLOCK == 0) end_environment(block->equations);
  text_put(out, block->rows % ROWS_PER_BLOCK == 0 ? "\\[\n\\begin{aligned}\n" : " \\\\\n");
  block->rows++;
}

static void end_block(struct block *block) {
  if (block->rows > 0) end_environment(block->equations);
}

static void put_row(struct block *block, expr left, expr right) {
  next_row(block);
  equations_put(block->equations, left);
  text_put(block->equations->out, " &= ");
  equations_put(block->equations, right);
}

static void put_named(struct block *block, const char *left, expr right) {
  next_row(block);
  text_format(block->equations->out, "%s &= ", left);
  equations_put(block->equations, right);
}

static const char *latex_of(const struct equations *e, expr symbol) {
  return expr_symbol_latex(e->system->graph, symbol);
}

static const char *position_of(const struct equations *e, size_t i) {
  return latex_of(e, e->system->model->coordinates.items[i].position);
}

/* What an equation or unknown of motion belongs to. */
static const char *row_of(const struct equations *e, size_t i) {
  if (e->system->state.kind == VARIABLES_SPEEDS) return latex_of(e, e->system->state.symbol[i]);
  return position_of(e, i);
}

static void put_motion(struct equations *e) {
  const struct system *s = e->system;
  struct block block = begin_block(e, "equations of motion");
  if (e->as_matrices) {
    next_row(&block);
    text_put(e->out,
             e->has_hats ? "M\\,\\ddot{q} + A^{T} \\hat{\\lambda} &= f" : "M\\,\\ddot{q} &= f");
    if (s->m > 0 && !e->has_hats)
      text_put(e->out, s->multiplier_force_is_transpose ? " + A^{T} \\lambda" : " + B\\,\\lambda");
  }
  for (uint32_t i = 0; i < e->motion.count && !e->as_matrices; i++)
    put_row(&block, e->motion.items[i].left, e->motion.items[i].right);
  for (uint32_t k = 0; k < s->rates; k++)
    put_row(&block, s->model->states.items[k].derivative, s->rate[k]);
  end_block(&block);
}

static void put_constraint_row(struct block *block, const struct equation_line *line) {
  if (!line->left) return;
  if (line->right)
    put_row(block, line->left, line->right);
  else {
    next_row(block);
    equations_put(block->equations, line->left);
    text_put(block->equations->out, " &= \\text{constant}");
  }
}

/* Level by level, in the order of the model. */
static void put_constraints(struct equations *e) {
  uint32_t m = e->system->m, integrals = 0, positions = 0;
  for (uint32_t k = 0; k < m; k++) {
    integrals += e->constraints[k].is_integral;
    positions += !e->constraints[k].is_integral && e->constraints[k].position.left != 0;
  }
  if (positions > 0) {
    struct block block = begin_block(e, "constraints on positions");
    for (uint32_t k = 0; k < m; k++)
      if (!e->constraints[k].is_integral) put_constraint_row(&block, &e->constraints[k].position);
    end_block(&block);
  }
  if (integrals > 0) {
    struct block block = begin_block(e, "integrals of constraints on velocities");
    for (uint32_t k = 0; k < m; k++)
      if (e->constraints[k].is_integral) put_constraint_row(&block, &e->constraints[k].position);
    end_block(&block);
  }
  if (m == 0) return;
  struct block block = begin_block(e, "constraints between velocities");
  for (uint32_t k = 0; k < m; k++) put_constraint_row(&block, &e->constraints[k].velocity);
  end_block(&block);
  if (e->as_matrices) return;
  block = begin_block(e, "constraints between accelerations");
  for (uint32_t k = 0; k < m; k++) put_constraint_row(&block, &e->constraints[k].acceleration);
  end_block(&block);
}

/* A defined node prints as its name, its body in full. */
static void put_definitions(struct equations *e) {
  uint32_t count = expr_printer_definition_count(e->printer);
  if (count == 0) return;
  struct block block = begin_block(e, "with");
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    expr body = expr_printer_definition(e->printer, i, &name);
    next_row(&block);
    equations_put(e, body);
    text_put(e->out, " &= ");
    expr_printer_print_body(e->printer, e->out, body);
  }
  end_block(&block);
}

static void put_mass(struct equations *e) {
  const struct system *s = e->system;
  struct block block =
      begin_block(e, s->mass_is_symmetric ? "mass matrix (symmetric)" : "mass matrix");
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t j = s->mass_is_symmetric ? i : 0; j < s->n; j++) {
      expr entry = equations_mass(s)[i + (size_t)j * s->n];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      next_row(&block);
      text_format(e->out, "M_{%s,%s} &= ", row_of(e, i), row_of(e, j));
      equations_put(e, entry);
    }
  end_block(&block);
}

static const char *multiplier_of(const struct equations *e, size_t k) {
  return latex_of(e, e->system->model->constraints.items[k].multiplier);
}

/* A, the bias and, where forces hold multipliers, B. Rows go by their multipliers. */
static void put_constraint_matrices(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, m = s->m;
  if (m == 0) return;
  struct block block = begin_block(e, "constraints A q'' + b = 0, rows named by their multipliers");
  for (size_t k = 0; k < m; k++)
    for (size_t j = 0; j < n; j++) {
      if (expr_is_integer_value(s->graph, s->constraint_jacobian[k + j * m], 0)) continue;
      next_row(&block);
      text_format(e->out, "A_{%s,%s} &= ", multiplier_of(e, k), position_of(e, j));
      equations_put(e, s->constraint_jacobian[k + j * m]);
    }
  for (size_t k = 0; k < m; k++) {
    next_row(&block);
    text_format(e->out, "b_{%s} &= ", multiplier_of(e, k));
    equations_put(e, s->constraint_bias[k]);
  }
  for (size_t i = 0;
       i < n && (!s->multiplier_force_is_transpose || s->state.kind == VARIABLES_SPEEDS); i++)
    for (size_t k = 0; k < m; k++) {
      if (expr_is_integer_value(s->graph, equations_multiplier_force(s)[i + k * n], 0)) continue;
      next_row(&block);
      text_format(e->out, "B_{%s,%s} &= ", row_of(e, i), multiplier_of(e, k));
      equations_put(e, equations_multiplier_force(s)[i + k * n]);
    }
  end_block(&block);
}

static void put_named_rows(struct equations *e, const char *comment, const char *letter,
                           const expr *items,
                           const char *(*row)(const struct equations *, size_t)) {
  struct block block = begin_block(e, comment);
  for (uint32_t i = 0; i < e->system->n; i++) {
    next_row(&block);
    text_format(e->out, "%s_{%s} &= ", letter, row(e, i));
    equations_put(e, items[i]);
  }
  end_block(&block);
}

static void put_energies(struct equations *e) {
  const struct system *s = e->system;
  struct block block = begin_block(e, "energies");
  put_named(&block, s->has_energy ? "T" : "L", s->has_energy ? s->kinetic_energy : e->lagrangian);
  if (s->has_energy) put_named(&block, "V", s->potential_energy);
  if (e->dissipation) put_named(&block, "D", e->dissipation);
  end_block(&block);
}

static void put_invariants(struct equations *e) {
  const struct system *s = e->system;
  struct block block = begin_block(e, s->invariant_count ? "constants of motion"
                                                         : "constants of motion: none found");
  for (uint32_t i = 0; i < s->invariant_count; i++) {
    next_row(&block);
    text_format(e->out, "C_{%u} &= ", (unsigned)i + 1);
    equations_put(e, s->invariants[i].value);
  }
  end_block(&block);
}

static expr state_symbol(const struct equations *e, size_t column) {
  const struct system *s = e->system;
  if (column < s->n) return s->model->coordinates.items[column].position;
  if (column < 2 * (size_t)s->n && s->state.kind == VARIABLES_SPEEDS)
    return s->state.symbol[column - s->n];
  if (column < 2 * (size_t)s->n) return s->model->coordinates.items[column - s->n].velocity;
  return s->model->states.items[column - 2 * (size_t)s->n].value;
}

static void put_partial(struct block *block, const char *letter, const char *of, expr by,
                        expr entry) {
  struct equations *e = block->equations;
  if (expr_is_integer_value(e->system->graph, entry, 0)) return;
  next_row(block);
  text_format(e->out,
              *letter ? "\\frac{\\partial %s_{%s}}{\\partial %s} &= "
                      : "\\frac{\\partial %s%s}{\\partial %s} &= ",
              letter, of, latex_of(e, by));
  equations_put(e, entry);
}

static void put_jacobian(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, rows = n + s->m, z = s->rates, width = 2 * n + z;
  struct block block = begin_block(
      e, s->m ? "Jacobian of the equations of motion and constraints and of the rates, entries "
                "that are not zero"
              : "Jacobian of the equations of motion and of the rates, entries that are not zero");
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < width; j++)
      put_partial(&block, "r", i < n ? row_of(e, i) : multiplier_of(e, i - n), state_symbol(e, j),
                  s->residual_by_state[i + j * rows]);
  for (size_t i = 0; i < z; i++) {
    const char *rate = latex_of(e, s->model->states.items[i].derivative);
    for (size_t j = 0; j < width; j++)
      put_partial(&block, "", rate, state_symbol(e, j), s->rate_by_state[i + j * z]);
    for (size_t j = 0; j < n; j++)
      put_partial(&block, "", rate,
                  s->state.kind == VARIABLES_SPEEDS ? s->state.symbol_rate[j]
                                                    : s->model->coordinates.items[j].acceleration,
                  s->rate_by_acceleration[i + j * z]);
    for (size_t k = 0; k < s->m; k++)
      put_partial(&block, "", rate, s->model->constraints.items[k].multiplier,
                  s->rate_by_acceleration[i + (n + k) * z]);
  }
  end_block(&block);
}

void equations_print_latex(struct equations *e) {
  const struct system *s = e->system;
  text_format(e->out, "%% %s, method %s; needs \\usepackage{amsmath}\n", s->model->name, s->method);
  put_motion(e);
  put_constraints(e);
  put_definitions(e);
  if (e->show & SHOW_MASS) put_mass(e);
  if (e->show & SHOW_FORCING) put_named_rows(e, "forcing", "f", equations_forcing(s), row_of);
  if (e->show & SHOW_CONSTRAINTS) put_constraint_matrices(e);
  if (e->show & SHOW_ENERGIES) put_energies(e);
  if (e->show & SHOW_MOMENTA) put_named_rows(e, "momenta", "p", s->momentum, position_of);
  if (e->show & SHOW_INVARIANTS) put_invariants(e);
  if (e->show & SHOW_JACOBIAN) put_jacobian(e);
}
