/* The equations of motion in LaTeX: aligned environments (package amsmath) in display mathematics,
 * with comments that say what is what. */
#include "derive/equations.h"
#include "sema/model.h"

static void begin_block(struct equations *e, const char *comment) {
  text_format(e->out, "%% %s\n\\[\n\\begin{aligned}\n", comment);
}

static void end_block(struct equations *e) {
  text_put(e->out, "\\end{aligned}\n\\]\n");
}

static void put_row(struct equations *e, expr left, expr right, bool last) {
  equations_put(e, left);
  text_put(e->out, " &= ");
  equations_put(e, right);
  text_put(e->out, last ? "\n" : " \\\\\n");
}

static void put_named(struct equations *e, const char *left, expr right, bool last) {
  text_format(e->out, "%s &= ", left);
  equations_put(e, right);
  text_put(e->out, last ? "\n" : " \\\\\n");
}

static void put_motion(struct equations *e) {
  const struct system *s = e->system;
  begin_block(e, "equations of motion");
  if (e->as_matrices) text_format(e->out, "M\\,\\ddot{q} &= f%s\n", s->rates ? " \\\\" : "");
  for (uint32_t i = 0; i < e->motion.count && !e->as_matrices; i++)
    put_row(e, e->motion.items[i].left, e->motion.items[i].right,
            i + 1 == e->motion.count && s->rates == 0);
  for (uint32_t k = 0; k < s->rates; k++)
    put_row(e, s->model->states.items[k].derivative, s->rate[k], k + 1 == s->rates);
  end_block(e);
}

/* Definitions are printed by the printer under their LaTeX names: a defined node prints as its
 * name, its body in full. */
static void put_definitions(struct equations *e) {
  uint32_t count = expr_printer_definition_count(e->printer);
  if (count == 0) return;
  begin_block(e, "with");
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    expr body = expr_printer_definition(e->printer, i, &name);
    expr_printer_print(e->printer, e->out, body);
    text_put(e->out, " &= ");
    expr_printer_print_body(e->printer, e->out, body);
    text_put(e->out, i + 1 == count ? "\n" : " \\\\\n");
  }
  end_block(e);
}

static const char *latex_of(const struct equations *e, expr symbol) {
  return expr_symbol_latex(e->system->graph, symbol);
}

static expr position(const struct equations *e, uint32_t i) {
  return e->system->model->coordinates.items[i].position;
}

static void put_mass(struct equations *e) {
  const struct system *s = e->system;
  begin_block(e, s->mass_is_symmetric ? "mass matrix (symmetric)" : "mass matrix");
  bool first = true;
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t j = s->mass_is_symmetric ? i : 0; j < s->n; j++) {
      expr entry = s->mass[i + (size_t)j * s->n];
      if (expr_is_integer_value(s->graph, entry, 0)) continue;
      if (!first) text_put(e->out, " \\\\\n");
      first = false;
      text_format(e->out, "M_{%s,%s} &= ", latex_of(e, position(e, i)),
                  latex_of(e, position(e, j)));
      equations_put(e, entry);
    }
  text_put(e->out, "\n");
  end_block(e);
}

static void put_named_rows(struct equations *e, const char *comment, const char *letter,
                           const expr *items) {
  begin_block(e, comment);
  for (uint32_t i = 0; i < e->system->n; i++) {
    text_format(e->out, "%s_{%s} &= ", letter, latex_of(e, position(e, i)));
    equations_put(e, items[i]);
    text_put(e->out, i + 1 == e->system->n ? "\n" : " \\\\\n");
  }
  end_block(e);
}

static void put_energies(struct equations *e) {
  const struct system *s = e->system;
  begin_block(e, "energies");
  bool more = e->dissipation != 0;
  if (s->has_energy) {
    put_named(e, "T", s->kinetic_energy, false);
    put_named(e, "V", s->potential_energy, !more);
  } else {
    put_named(e, "L", s->kinetic_energy, !more);
  }
  if (more) put_named(e, "D", e->dissipation, true);
  end_block(e);
}

static void put_invariants(struct equations *e) {
  const struct system *s = e->system;
  if (s->invariant_count == 0) return;
  begin_block(e, "constants of motion");
  for (uint32_t i = 0; i < s->invariant_count; i++) {
    text_format(e->out, "C_{%u} &= ", (unsigned)i + 1);
    equations_put(e, s->invariants[i].value);
    text_put(e->out, i + 1 == s->invariant_count ? "\n" : " \\\\\n");
  }
  end_block(e);
}

static expr state_symbol(const struct equations *e, size_t column) {
  const struct system *s = e->system;
  if (column < s->n) return s->model->coordinates.items[column].position;
  if (column < 2 * (size_t)s->n) return s->model->coordinates.items[column - s->n].velocity;
  return s->model->states.items[column - 2 * (size_t)s->n].value;
}

/* Rows of one block of the Jacobian; `of` is a LaTeX text for the differentiated quantity. */
static void put_partial(struct equations *e, const char *of, expr by, expr entry, bool *first) {
  if (expr_is_integer_value(e->system->graph, entry, 0)) return;
  if (!*first) text_put(e->out, " \\\\\n");
  *first = false;
  text_format(e->out, "\\frac{\\partial %s}{\\partial %s} &= ", of, latex_of(e, by));
  equations_put(e, entry);
}

static void put_jacobian(struct equations *e) {
  const struct system *s = e->system;
  size_t n = s->n, z = s->rates, width = 2 * n + z;
  bool first = true;
  begin_block(e, "Jacobian of r = M q'' - f and of the rates, entries that are not zero");
  for (size_t i = 0; i < n; i++) {
    struct text row = {0};
    text_format(&row, "r_{%s}", latex_of(e, position(e, (uint32_t)i)));
    for (size_t j = 0; j < width; j++)
      put_partial(e, text_string(&row), state_symbol(e, j), s->residual_by_state[i + j * n],
                  &first);
    text_free(&row);
  }
  for (size_t i = 0; i < z; i++) {
    const char *rate = latex_of(e, s->model->states.items[i].derivative);
    for (size_t j = 0; j < width; j++)
      put_partial(e, rate, state_symbol(e, j), s->rate_by_state[i + j * z], &first);
    for (size_t j = 0; j < n; j++)
      put_partial(e, rate, s->model->coordinates.items[j].acceleration,
                  s->rate_by_acceleration[i + j * z], &first);
  }
  if (!first) text_put(e->out, "\n");
  end_block(e);
}

void equations_print_latex(struct equations *e) {
  const struct system *s = e->system;
  text_format(e->out, "%% %s, method %s; needs \\usepackage{amsmath}\n", s->model->name, s->method);
  if (s->n + s->rates) put_motion(e);
  put_definitions(e);
  if (s->n && e->show & SHOW_MASS) put_mass(e);
  if (s->n && e->show & SHOW_FORCING) put_named_rows(e, "forcing", "f", s->forcing);
  if (e->show & SHOW_ENERGIES) put_energies(e);
  if (s->n && e->show & SHOW_MOMENTA) put_named_rows(e, "momenta", "p", s->momentum);
  if (e->show & SHOW_INVARIANTS) put_invariants(e);
  if (e->show & SHOW_JACOBIAN) put_jacobian(e);
}
