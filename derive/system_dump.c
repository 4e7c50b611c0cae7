/* --dump=system: everything in a system, one expression a line, with names for what is shared. For
 * golden tests and for looking at what code generation gets. Indices count from 1. */
#include "derive/system.h"
#include "base/vector.h"
#include "expr/printer.h"
#include "sema/model.h"

struct dump {
  const struct system *system;
  struct expr_printer *printer;
  struct text *out;
};

typedef VECTOR(expr) expr_vector;

static void add_roots(expr_vector *roots, const expr *items, size_t count) {
  for (size_t i = 0; i < count && items; i++) vector_push(roots, items[i]);
}

static expr_vector all_roots(const struct system *s) {
  expr_vector roots = {0};
  size_t n = s->n, z = s->rates, width = 2 * n + z;
  size_t m = s->m;
  add_roots(&roots, s->mass, n * n);
  add_roots(&roots, s->forcing, n);
  add_roots(&roots, s->momentum, n);
  add_roots(&roots, s->rate, z);
  add_roots(&roots, s->output, s->model->outputs.count);
  add_roots(&roots, s->constraint, m);
  add_roots(&roots, s->constraint_jacobian, m * n);
  add_roots(&roots, s->constraint_bias, m);
  add_roots(&roots, s->multiplier_force, n * m);
  add_roots(&roots, s->position_residual, s->positions);
  add_roots(&roots, s->position_jacobian, s->positions * n);
  if (s->has_energy) {
    add_roots(&roots, &s->kinetic_energy, 1);
    add_roots(&roots, &s->potential_energy, 1);
  }
  for (uint32_t i = 0; i < s->invariant_count; i++) vector_push(&roots, s->invariants[i].value);
  add_roots(&roots, s->residual_by_state, (n + m) * width);
  add_roots(&roots, s->rate_by_state, z * width);
  add_roots(&roots, s->rate_by_acceleration, z * (n + m));
  return roots;
}

static void put_value(struct dump *d, expr value) {
  text_put(d->out, " = ");
  expr_printer_print(d->printer, d->out, value);
  text_put(d->out, "\n");
}

/* Nonzero entries of a matrix stored by columns. */
static void put_matrix(struct dump *d, const char *name, const expr *items, size_t rows,
                       size_t columns, bool upper_only) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = upper_only ? i : 0; j < columns; j++) {
      expr entry = items[i + j * rows];
      if (expr_is_integer_value(d->system->graph, entry, 0)) continue;
      text_format(d->out, "%s[%zu,%zu]", name, i + 1, j + 1);
      put_value(d, entry);
    }
}

static void put_vector(struct dump *d, const char *name, const expr *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    text_format(d->out, "%s[%zu]", name, i + 1);
    put_value(d, items[i]);
  }
}

static void put_definitions(struct dump *d) {
  uint32_t count = expr_printer_definition_count(d->printer);
  for (uint32_t i = 0; i < count; i++) {
    const char *name;
    expr body = expr_printer_definition(d->printer, i, &name);
    text_format(d->out, "%s = ", name);
    expr_printer_print_body(d->printer, d->out, body);
    text_put(d->out, "\n");
  }
}

static void put_names(struct dump *d) {
  const struct model *model = d->system->model;
  for (uint32_t i = 0; i < d->system->n; i++)
    text_format(d->out, "q[%u] is %s\n", (unsigned)i + 1, model->coordinates.items[i].id.name);
  for (uint32_t i = 0; i < d->system->rates; i++)
    text_format(d->out, "z[%u] is %s\n", (unsigned)i + 1, model->states.items[i].id.name);
  for (uint32_t i = 0; i < d->system->m; i++)
    text_format(d->out, "λ[%u] is %s\n", (unsigned)i + 1,
                model->constraints.items[i].multiplier_name);
}

static void put_constraints(struct dump *d) {
  const struct system *s = d->system;
  if (s->m == 0) return;
  text_format(d->out, "constraints of rank %u\n", (unsigned)s->constraint_rank);
  put_vector(d, "c", s->constraint, s->m);
  put_matrix(d, "A", s->constraint_jacobian, s->m, s->n, false);
  put_vector(d, "bias", s->constraint_bias, s->m);
  if (s->multiplier_force_is_transpose)
    text_put(d->out, "B is A transposed\n");
  else
    put_matrix(d, "B", s->multiplier_force, s->n, s->m, false);
  for (uint32_t i = 0; i < s->positions; i++) {
    uint32_t k = s->position_constraint[i];
    bool is_integral = s->model->constraints.items[k].level == CONSTRAINT_VELOCITY;
    text_format(d->out, "position[%u] of %s, %s", (unsigned)i + 1,
                s->model->constraints.items[k].id.name, is_integral ? "constant" : "zero");
    put_value(d, s->position_residual[i]);
  }
  put_matrix(d, "dposition/dq", s->position_jacobian, s->positions, s->n, false);
}

static void put_results(struct dump *d) {
  const struct system *s = d->system;
  if (s->has_energy) {
    text_put(d->out, "T");
    put_value(d, s->kinetic_energy);
    text_put(d->out, "V");
    put_value(d, s->potential_energy);
  }
  text_format(d->out, "energy is conserved: %s\n", s->energy_is_conserved ? "yes" : "not claimed");
  for (uint32_t i = 0; i < s->invariant_count; i++) {
    text_format(d->out, "invariant %s [%s]", s->invariants[i].name, s->invariants[i].unit);
    put_value(d, s->invariants[i].value);
  }
  for (uint32_t i = 0; i < s->model->outputs.count; i++) {
    text_format(d->out, "output %s", s->model->outputs.items[i].id.name);
    put_value(d, s->output[i]);
  }
}

void system_dump(const struct system *system, struct text *out) {
  size_t n = system->n, z = system->rates, width = 2 * n + z;
  expr_vector roots = all_roots(system);
  struct dump d = {system, NULL, out};
  d.printer = expr_printer_new(system->graph, EXPR_TEXT, roots.items, roots.count);
  expr_printer_name_shared(d.printer, "s");
  text_format(out, "system %s, %u coordinates, %u states, mass matrix %s\n", system->method,
              (unsigned)system->n, (unsigned)system->rates,
              system->mass_is_symmetric ? "symmetric" : "unsymmetric");
  put_names(&d);
  put_definitions(&d);
  put_matrix(&d, "M", system->mass, n, n, system->mass_is_symmetric);
  put_vector(&d, "f", system->forcing, n);
  put_vector(&d, "z'", system->rate, z);
  put_constraints(&d);
  put_vector(&d, "p", system->momentum, n);
  put_results(&d);
  if (system->residual_by_state) {
    put_matrix(&d, "dr/dx", system->residual_by_state, n + system->m, width, false);
    put_matrix(&d, "dz'/dx", system->rate_by_state, z, width, false);
    put_matrix(&d, system->m ? "dz'/d(q'',λ)" : "dz'/dq''", system->rate_by_acceleration, z,
               n + system->m, false);
  }
  expr_printer_free(d.printer);
  vector_free(&roots);
}
