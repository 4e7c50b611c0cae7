/* `dyn derive`: arranges the equations of motion as a textbook writes them.
 *
 * Inertial terms stand on the left (M q'' and what the kinetic energy has of velocities), what
 * comes from potentials, dissipation and forces on the right:  m*l^2*θ'' = -m*g*l*sin(θ).
 * An equation that is linear in positions and velocities, with coefficients free of them, has all
 * of those on the left, as linear oscillators are written:  m*x'' + c*x' + k*x = F.
 * The forces of constraints stand on the right, too:  m*x'' = 2*x*λ_rod.
 *
 * Shared subexpressions get names only where an equation would be long without; a system whose
 * equations are long even so is printed as mass matrix and forcing. Methods with variables of their
 * own have their own forms (equations_hamilton.c). */
#include "derive/equations.h"
#include "derive/terms.h"
#include "base/bug.h"
#include "base/diagnostic.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

enum { LONG_EQUATION = 400, LONGEST_LINE = 2400, MANY_EQUATIONS = 24, LARGEST_TEXT = 64 << 20 };

static const char *const part_names[] = {
#define EQUATIONS_PART_NAME(name, word) word,
    EQUATIONS_PARTS(EQUATIONS_PART_NAME)
#undef EQUATIONS_PART_NAME
};
enum { PARTS = sizeof part_names / sizeof *part_names };

static void report_unknown(dyn_context *context, const char *word) {
  struct text all = {0};
  for (int i = 0; i < PARTS; i++) text_format(&all, "%s%s", i > 0 ? ", " : "", part_names[i]);
  struct diagnostic *d = diagnostic_add(context, DIAG_UNKNOWN_PART, (struct span){0}, word, NULL);
  const char *near = nearest_name(word, part_names, PARTS);
  if (near) diagnostic_help(context, d, "did you mean '%s'?", near);
  diagnostic_help(context, d, "parts: %s", text_string(&all));
  text_free(&all);
}

/* The parts named in a comma list; false after a report of the first word that is none of them. */
static bool parse_show(dyn_context *context, const char *show, unsigned *parts) {
  while (show && *show) {
    show += strspn(show, ", ");
    size_t length = strcspn(show, ", ");
    int found = 0;
    while (length > 0 && found < PARTS &&
           (strlen(part_names[found]) != length || memcmp(show, part_names[found], length) != 0))
      found++;
    if (found == PARTS) {
      char *word = arena_string(&context->arena, show, length);
      report_unknown(context, word);
      return false;
    }
    if (length > 0) *parts |= 1u << found;
    show += length;
  }
  return true;
}

/* What a textbook shows on the way to the equations. */
static unsigned steps_of(const struct system *system) {
  switch (system->state.kind) {
  case VARIABLES_MOMENTA:
    return SHOW_ENERGIES | SHOW_MOMENTA | SHOW_HAMILTONIAN;
  case VARIABLES_SPEEDS:
    return system->state.gibbs_quadratic ? SHOW_ACCELERATIONS | SHOW_GIBBS | SHOW_FORCES
                                         : SHOW_PARTIALS | SHOW_FORCES | SHOW_INERTIA;
  case VARIABLES_VELOCITIES:
    break;
  }
  return SHOW_ENERGIES | SHOW_FORCES;
}

static bool check_method(dyn_context *context, bool is_there, const char *part,
                         const char *method) {
  if (is_there) return true;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_PART_OF_METHOD, (struct span){0}, part, method, NULL);
  diagnostic_help(context, d, "add --method %s", method);
  return false;
}

/* False after a report. */
static bool choose_parts(struct equations *e, enum equation_format format, const char *show) {
  const struct system *s = e->system;
  bool is_document = format == EQUATIONS_LATEX || format == EQUATIONS_HTML;
  if (!parse_show(e->context, show, &e->show)) return false;
  if (show == NULL && is_document) e->show |= SHOW_STEPS;
  if (e->show & SHOW_STEPS) e->show |= steps_of(s);
  if (s->model->kinematics == NULL && e->show & SHOW_STEPS)
    e->show &= ~(unsigned)(SHOW_PARTIALS | SHOW_ACCELERATIONS);
  bool has_momenta = s->state.kind == VARIABLES_MOMENTA;
  return check_method(e->context, !(e->show & SHOW_GIBBS) || s->state.gibbs_quadratic, "gibbs",
                      "gibbs-appell") &&
         check_method(e->context, !(e->show & SHOW_HAMILTONIAN) || has_momenta, "hamiltonian",
                      "hamilton") &&
         check_method(e->context, !(e->show & SHOW_INERTIA) || !has_momenta, "inertia", "kane");
}

/* ---- arrangement */

expr equations_with_reactions(const struct equations *equations, const expr *arms, uint32_t i,
                              expr right) {
  const struct system *s = equations->system;
  expr *terms = checked_calloc((size_t)s->m + 1, sizeof(expr));
  terms[0] = right;
  for (uint32_t k = 0; k < s->m; k++)
    terms[k + 1] = expr_multiply(s->graph, arms[i + (size_t)k * s->n],
                                 s->model->constraints.items[k].multiplier);
  expr sum = expr_sum(s->graph, terms, (size_t)s->m + 1);
  free(terms);
  return sum;
}

struct arrangement {
  struct system *system;
  struct expr_graph *graph;
  uint32_t n;
  expr *unknowns;              /* 2n: positions, velocities */
  expr *coefficients;          /* 2n */
  expr *terms;                 /* 3n + 1 */
  struct expr_symbol_set *set; /* of the unknowns */
};

static bool row_is_constant(struct arrangement *a, uint32_t i) {
  for (uint32_t j = 0; j < a->n; j++)
    if (expr_symbol_set_touches(a->set, a->system->mass[i + (size_t)j * a->n])) return false;
  return true;
}

static struct equation_line arrange_row(struct arrangement *a, uint32_t i) {
  const struct system *s = a->system;
  uint32_t n = a->n;
  expr rest;
  for (uint32_t j = 0; j < n; j++)
    a->terms[j] = expr_multiply(a->graph, s->mass[i + (size_t)j * n],
                                s->model->coordinates.items[j].acceleration);
  struct equation_line line;
  expr others = expr_subtract(a->graph, s->inertial[i], s->applied[i]);
  if (!row_is_constant(a, i) ||
      !expr_linear_parts(a->graph, others, a->unknowns, 2 * (size_t)n, a->coefficients, &rest)) {
    a->terms[n] = s->inertial[i];
    line = (struct equation_line){expr_sum(a->graph, a->terms, (size_t)n + 1), s->applied[i]};
  } else {
    for (uint32_t k = 0; k < 2 * n; k++)
      a->terms[n + k] = expr_multiply(a->graph, a->coefficients[k], a->unknowns[k]);
    line = (struct equation_line){expr_sum(a->graph, a->terms, 3 * (size_t)n),
                                  expr_negate(a->graph, rest)};
  }
  return line;
}

static void arrange_velocities(struct equations *equations) {
  struct system *system = equations->system;
  uint32_t n = system->n;
  struct arrangement a = {.system = system, .graph = system->graph, .n = n};
  a.unknowns = checked_calloc(2 * (size_t)n + 1, sizeof(expr));
  a.coefficients = checked_calloc(2 * (size_t)n + 1, sizeof(expr));
  a.terms = checked_calloc(3 * (size_t)n + 1, sizeof(expr));
  a.set = expr_symbol_set_new(a.graph);
  for (uint32_t j = 0; j < n; j++) {
    a.unknowns[j] = system->model->coordinates.items[j].position;
    a.unknowns[n + j] = system->model->coordinates.items[j].velocity;
  }
  for (uint32_t k = 0; k < 2 * n; k++) expr_symbol_set_add(a.set, a.unknowns[k]);
  for (uint32_t i = 0; i < n; i++) {
    struct equation_line line = arrange_row(&a, i);
    expr *side = equations->has_hats ? &line.left : &line.right;
    *side = equations_with_reactions(equations, system->multiplier_force, i, *side);
    vector_push(&equations->motion, line);
  }
  expr_symbol_set_free(a.set);
  free(a.unknowns);
  free(a.coefficients);
  free(a.terms);
}

static void arrange(struct equations *equations) {
  if (equations->system->state.kind == VARIABLES_MOMENTA)
    equations_arrange_momenta(equations);
  else if (equations->system->state.kind == VARIABLES_SPEEDS)
    equations_arrange_speeds(equations);
  else
    arrange_velocities(equations);
}

/* ---- names for shared parts */

typedef VECTOR(expr) expr_vector;

static void add_roots(expr_vector *roots, const expr *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (items[i]) vector_push(roots, items[i]);
}

static void add_line(expr_vector *roots, struct equation_line line) {
  if (line.left) vector_push(roots, line.left);
  if (line.right) vector_push(roots, line.right);
}

static void add_constraints(expr_vector *roots, const struct equations *equations, bool matrices) {
  const struct system *s = equations->system;
  for (uint32_t k = 0; k < s->m; k++) {
    add_line(roots, equations->constraints[k].position);
    add_line(roots, equations->constraints[k].velocity);
    add_line(roots, equations->constraints[k].acceleration);
    vector_push(roots, s->model->constraints.items[k].multiplier);
  }
  if (!matrices && !(equations->show & SHOW_CONSTRAINTS)) return;
  add_roots(roots, s->constraint_jacobian, (size_t)s->m * s->n);
  add_roots(roots, s->constraint_bias, s->m);
  add_roots(roots, equations_multiplier_force(s), (size_t)s->m * s->n);
}

static void add_jacobian(expr_vector *roots, const struct system *s) {
  size_t n = s->n, m = s->m, z = s->rates, width = 2 * n + z;
  add_roots(roots, s->residual_by_state, (n + m) * width);
  add_roots(roots, s->rate_by_state, z * width);
  add_roots(roots, s->rate_by_acceleration, z * (n + m));
}

/* Of JSON, which always has the matrices. */
static expr_vector roots_of(const struct equations *equations) {
  const bool matrices = true;
  const struct system *s = equations->system;
  expr_vector roots = {0};
  size_t n = s->n, z = s->rates;
  for (uint32_t i = 0; i < equations->motion.count; i++)
    add_line(&roots, equations->motion.items[i]);
  for (uint32_t i = 0; i < n; i++) {
    vector_push(&roots, s->model->coordinates.items[i].velocity);
    vector_push(&roots, s->model->coordinates.items[i].acceleration);
  }
  for (uint32_t k = 0; k < z; k++) vector_push(&roots, s->model->states.items[k].derivative);
  add_roots(&roots, s->rate, z);
  add_constraints(&roots, equations, matrices);
  if (matrices || equations->show & SHOW_MASS) add_roots(&roots, equations_mass(s), n * n);
  if (matrices || equations->show & SHOW_FORCING) add_roots(&roots, equations_forcing(s), n);
  if (equations->show & SHOW_MOMENTA) add_roots(&roots, s->momentum, n);
  if (equations->show & SHOW_ENERGIES) {
    expr energies[4] = {s->kinetic_energy, s->potential_energy, equations->dissipation,
                        equations->lagrangian};
    add_roots(&roots, energies, 4);
  }
  if (equations->show & SHOW_INVARIANTS)
    for (uint32_t i = 0; i < s->invariant_count; i++) vector_push(&roots, s->invariants[i].value);
  if (equations->show & SHOW_JACOBIAN) add_jacobian(&roots, s);
  return roots;
}

/* The longest of the roots as printed now, at most `limit`. */
static size_t longest_of(struct equations *equations, const expr *roots, size_t count,
                         size_t limit) {
  size_t longest = 0;
  expr_printer_limit(equations->printer, limit);
  for (size_t i = 0; i < count && longest < limit; i++) {
    struct text line = {0};
    bool whole = expr_printer_print(equations->printer, &line, roots[i]);
    size_t length = whole ? line.length : limit;
    if (length > longest) longest = length;
    text_free(&line);
  }
  expr_printer_limit(equations->printer, LARGEST_TEXT);
  return longest;
}

static bool equations_are_long(struct equations *equations) {
  const struct equation_line *lines = equations->motion.items;
  uint32_t m = equations->system->m;
  if (equations->system->state.kind != VARIABLES_VELOCITIES) return false;
  bool is_long = equations->motion.count > MANY_EQUATIONS || m > MANY_EQUATIONS;
  for (uint32_t i = 0; i < equations->motion.count && !is_long; i++) {
    expr sides[2] = {lines[i].left, lines[i].right};
    is_long = longest_of(equations, sides, 2, LONGEST_LINE) >= LONGEST_LINE;
  }
  for (uint32_t k = 0; k < m && !is_long; k++) {
    const struct equation_line *line = &equations->constraints[k].acceleration;
    expr sides[2] = {line->left, line->right};
    is_long = longest_of(equations, sides, 2, LONGEST_LINE) >= LONGEST_LINE;
  }
  return is_long;
}

/* What is to be printed, with the document's formulas. */
static struct expr_list all_roots(const struct equations *equations, bool is_json) {
  struct expr_list all = {0};
  if (is_json) {
    expr_vector roots = roots_of(equations);
    for (uint32_t i = 0; i < roots.count; i++) vector_push(&all, roots.items[i]);
    vector_free(&roots);
  }
  document_roots(&equations->document, &all);
  return all;
}

static void make_document(struct equations *equations, bool is_json) {
  document_clear(&equations->document);
  document_init(&equations->document, equations->system->graph);
  if (is_json)
    equations_put_steps(equations);
  else
    equations_put_document(equations);
}

static void make_printer(struct equations *equations, enum equation_format format,
                         bool names_shared) {
  bool is_json = format == EQUATIONS_JSON, is_text = format == EQUATIONS_TEXT || is_json;
  make_document(equations, is_json);
  struct expr_list roots = all_roots(equations, is_json);
  expr_printer_free(equations->printer);
  equations->printer = expr_printer_new(equations->system->graph, is_text ? EXPR_TEXT : EXPR_LATEX,
                                        roots.items, roots.count);
  if (!is_json) equations_name_multipliers(equations);
  if (names_shared || equations->show & SHOW_JACOBIAN ||
      longest_of(equations, roots.items, roots.count, LONG_EQUATION) >= LONG_EQUATION)
    expr_printer_name_shared(equations->printer, "s");
  expr_printer_limit(equations->printer, LARGEST_TEXT);
  vector_free(&roots);
}

static void choose_printer(struct equations *equations, enum equation_format format) {
  make_printer(equations, format, false);
  equations->as_matrices = equations_are_long(equations);
  if (!equations->as_matrices || format == EQUATIONS_JSON) return;
  equations->show |= SHOW_MASS | SHOW_FORCING | SHOW_CONSTRAINTS;
  make_printer(equations, format, true); /* other roots: their sharing differs */
}

/* The augmented form has λ̂ = -λ in a text for reading, unless other terms hold multipliers. */
static bool has_hats(const struct system *system, enum equation_format format) {
  if (format == EQUATIONS_JSON || strcmp(system->method, "augmented") != 0 || system->m == 0 ||
      !system->multiplier_force_is_transpose)
    return false;
  struct expr_symbol_set *set = expr_symbol_set_new(system->graph);
  bool found = false;
  for (uint32_t k = 0; k < system->m; k++)
    expr_symbol_set_add(set, system->model->constraints.items[k].multiplier);
  for (uint32_t k = 0; k < system->rates; k++)
    found = found || expr_symbol_set_touches(set, system->rate[k]);
  expr_symbol_set_free(set);
  return !found;
}

static void arrange_all(struct equations *equations) {
  struct system *system = equations->system;
  struct terms terms = terms_of_model((struct model *)system->model);
  system_derive_mass(system);
  if (equations->show & SHOW_JACOBIAN) system_derive_jacobian(system);
  if (!expr_is_integer_value(system->graph, terms.dissipation, 0))
    equations->dissipation = terms.dissipation;
  if (!system->has_energy)
    equations->lagrangian = expr_subtract(system->graph, terms.kinetic, terms.potential);
  arrange(equations);
  equations_arrange_constraints(equations);
}

bool equations_print(dyn_context *context, struct system *system, enum equation_format format,
                     const char *show, struct text *out) {
  struct equations equations = {.context = context, .system = system, .out = out};
  if (!choose_parts(&equations, format, show)) return false;
  document_init(&equations.document, system->graph);
  equations.is_text = format == EQUATIONS_TEXT;
  equations.has_hats = has_hats(system, format);
  arrange_all(&equations);
  choose_printer(&equations, format);
  switch (format) {
  case EQUATIONS_TEXT:
    document_print_text(&equations.document, equations.printer, out);
    break;
  case EQUATIONS_LATEX:
    document_print_latex(&equations.document, equations.printer, out);
    break;
  case EQUATIONS_HTML:
    document_print_html(&equations.document, equations.printer, out);
    break;
  case EQUATIONS_JSON:
    equations_print_json(&equations);
    break;
  }
  expr_printer_free(equations.printer);
  document_clear(&equations.document);
  vector_free(&equations.motion);
  free(equations.constraints);
  return true;
}
