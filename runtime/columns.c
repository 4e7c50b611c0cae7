/* columns.c: names, units and doc texts of the columns of a trajectory, and their values. */
#include "dyn/dyn_runtime.h"
#include "runtime/units.h"
#include <stdlib.h>
#include <string.h>

/* The numbers of columns after the time, in their order. */
struct parts {
  size_t state, outputs, multipliers, forces;
};

static struct parts parts_of(const dyn_model *m) {
  return (struct parts){.state = (size_t)m->n_state,
                        .outputs = (size_t)m->n_outputs,
                        .multipliers = (size_t)m->n_constraints,
                        .forces = m->n_constraints > 0 ? (size_t)m->n_coordinates : 0};
}

int32_t dyn_column_count(const dyn_model *m) {
  struct parts parts = parts_of(m);
  return (int32_t)(1 + parts.state + parts.outputs + parts.multipliers + parts.forces);
}

double dyn_column_value(const dyn_model *m, const dyn_row *row, int32_t column) {
  struct parts parts = parts_of(m);
  size_t i = (size_t)column;
  if (i == 0) return row->t;
  if (--i < parts.state) return row->x[i];
  if ((i -= parts.state) < parts.outputs) return row->outputs[i];
  if ((i -= parts.outputs) < parts.multipliers) return row->multipliers[i];
  return row->constraint_forces[i - parts.multipliers];
}

static char *join(const char *a, const char *b, const char *c) {
  size_t length_a = strlen(a), length_b = strlen(b), length_c = strlen(c);
  char *text = malloc(length_a + length_b + length_c + 1);
  if (!text) return NULL;
  memcpy(text, a, length_a);
  memcpy(text + length_a, b, length_b);
  memcpy(text + length_a + length_b, c, length_c + 1);
  return text;
}

/* Whether the model does without units: then coordinates have none but rad, and multipliers none.
 */
static int is_dimensionless(const dyn_model *m) {
  for (int32_t i = 0; i < m->n_constraints; i++)
    if (!unit_is_plain(m->constraints[i].multiplier_unit)) return 0;
  for (int32_t i = 0; i < m->n_coordinates; i++) {
    const char *unit = m->coordinates[i].unit;
    if (!unit_is_plain(unit) && strcmp(unit, "rad")) return 0;
  }
  return 1;
}

/* The unit of the generalized force on a coordinate: virtual work over the coordinate's unit. */
static char *force_unit(const dyn_model *m, const char *unit) {
  if (is_dimensionless(m)) return join("1", "", "");
  if (unit_is_plain(unit)) return join("J", "", "");
  if (!strcmp(unit, "m")) return join("N", "", "");
  if (!strcmp(unit, "rad")) return join("N*m", "", "");
  if (strpbrk(unit, "*/")) return join("J/(", unit, ")");
  return join("J/", unit, "");
}

static void describe_variable(const dyn_variable *v, dyn_column *out) {
  out->name = join(v->name, "", "");
  out->unit = join(v->unit ? v->unit : "", "", "");
  out->doc = v->doc;
}

static void describe(const dyn_model *m, size_t i, dyn_column *out) {
  static const dyn_variable time = {"t", "s", "time", 0, 0};
  size_t n = (size_t)m->n_coordinates, n_rates = (size_t)m->n_rates;
  size_t n_outputs = (size_t)m->n_outputs, n_constraints = (size_t)m->n_constraints;
  const dyn_variable *variable = NULL;
  if (i == 0)
    variable = &time;
  else if (--i < n)
    variable = &m->coordinates[i];
  else if ((i -= n) < n)
    variable = &m->velocities[i];
  else if ((i -= n) < n_rates)
    variable = &m->rates[i];
  else if ((i -= n_rates) < n_outputs)
    variable = &m->outputs[i];
  if (variable) {
    describe_variable(variable, out);
    return;
  }
  i -= n_outputs;
  if (i < n_constraints) {
    const dyn_constraint *c = &m->constraints[i];
    out->name = join(c->multiplier_name, "", "");
    out->unit = join(c->multiplier_unit ? c->multiplier_unit : "", "", "");
    out->doc = c->text;
    return;
  }
  const dyn_variable *q = &m->coordinates[i - n_constraints];
  out->name = join("constraint_force(", q->name, ")");
  out->unit = force_unit(m, q->unit);
  out->doc = "generalized force of all constraints";
}

dyn_status dyn_column_describe(const dyn_model *m, int32_t column, dyn_column *out) {
  *out = (dyn_column){0};
  describe(m, (size_t)column, out);
  if (out->name && out->unit) return DYN_DONE;
  dyn_column_clear(out);
  return DYN_OUT_OF_MEMORY;
}

void dyn_column_clear(dyn_column *column) {
  free(column->name);
  free(column->unit);
  *column = (dyn_column){0};
}
