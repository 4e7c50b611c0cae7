/* assemble_text.c: how the outcome of assembly is told, in the model's own names: which equations
 * conflict and by how much, what moved, which constraints the start values violate, and whether the
 * start configuration is singular. */
#include "runtime/assemble.h"
#include "runtime/evaluate.h"
#include "runtime/message.h"
#include "runtime/units.h"
#include <math.h>
#include <string.h>

/* "0.28 m": with the unit of a constraint at position level; at velocity level its rate has none
 * that is named. */
static void add_residual(struct text_out *out, const dyn_model *m, const dyn_failed_condition *f,
                         double value) {
  const char *unit = f->is_constraint ? m->constraints[f->condition].unit : NULL;
  int is_rate = f->is_constraint && f->is_velocity &&
                (m->constraints[f->condition].flags & DYN_CONSTRAINT_POSITION);
  int plain = is_rate || unit_is_plain(unit);
  text_out_add(out, "%.6g%s%s", value, plain ? "" : " ", plain ? "" : unit);
}

/* "the constraint rod", "the derivative of the constraint rod", "x = 1". */
static void add_equation(struct text_out *out, const dyn_model *m, const dyn_failed_condition *f) {
  if (!f->is_constraint) {
    text_out_add(out, "%s",
                 (f->is_velocity ? m->initial_velocity : m->initial_position)[f->condition].text);
    return;
  }
  const dyn_constraint *c = &m->constraints[f->condition];
  int is_rate = f->is_velocity && (c->flags & DYN_CONSTRAINT_POSITION);
  text_out_add(out, "the %sconstraint %s", is_rate ? "derivative of the " : "", c->name);
}

static void add_failed_short(struct text_out *out, const dyn_model *m,
                             const dyn_failed_condition *f) {
  add_equation(out, m, f);
  text_out_add(out, " (off by %.3g", fabs(f->residual));
  if (f->is_constraint) text_out_add(out, ", at the start values by %.3g", fabs(f->at_start));
  text_out_add(out, ")");
}

/* "A (off by 0.5) and B (off by 0.5) cannot hold at once"; those that hold follow in the text. */
dyn_status assembly_set_conflict(const dyn_model *m, dyn_assembly *a) {
  int32_t count = 0, shown = 0, constraints = 0;
  for (int32_t i = 0; i < a->n_failed; i++) {
    count += !a->failed[i].holds;
    constraints += a->failed[i].is_constraint;
  }
  struct text_out out = text_out_begin(a->message.text, sizeof a->message.text);
  if (constraints > 0)
    text_out_add(&out,
                 "no %s found: ", a->failed[0].is_velocity ? "start velocities" : "configuration");
  if (count == 0) text_out_add(&out, "the initial equations");
  int32_t most = count <= 4 ? count : 3;
  for (int32_t i = 0; i < a->n_failed && shown < most; i++) {
    if (a->failed[i].holds) continue;
    text_out_add(&out, "%s", shown == 0 ? "" : shown == count - 1 ? " and " : ", ");
    add_failed_short(&out, m, &a->failed[i]);
    shown++;
  }
  if (shown < count) text_out_add(&out, " and %d more equations", (int)(count - shown));
  text_out_add(&out, count == 1 ? " cannot hold" : " cannot hold at once");
  message_cut(&a->message);
  return a->status = DYN_CONFLICT;
}

static void add_failed(struct text_out *out, const dyn_model *m, const dyn_failed_condition *f) {
  text_out_add(out, "  ");
  add_equation(out, m, f);
  if (f->holds) {
    text_out_add(out, ": holds at the best point");
  } else {
    text_out_add(out, ": residual ");
    add_residual(out, m, f, f->residual);
    text_out_add(out, " at the best point");
  }
  text_out_add(out, ", ");
  add_residual(out, m, f, f->at_start);
  text_out_add(out, " at the start values\n");
}

static void add_moved(struct text_out *out, const dyn_model *m, const dyn_moved_value *v) {
  const char *unit = state_unit(m, v->state);
  int plain = unit_is_plain(unit);
  text_out_add(out, "the start value of %s moved from %.9g to %.9g%s%s (by %.3g)\n",
               state_name(m, v->state), v->from + 0.0, v->to + 0.0, plain ? "" : " ",
               plain ? "" : unit, v->to - v->from);
}

static void add_violated(struct text_out *out, const dyn_model *m, const dyn_failed_condition *f) {
  text_out_add(out, "the start values violate ");
  add_equation(out, m, f);
  text_out_add(out, ": residual ");
  add_residual(out, m, f, f->at_start);
  text_out_add(out, "\n");
}

size_t dyn_assembly_text(const dyn_model *m, const dyn_assembly *a, char *text, size_t size) {
  struct text_out out = text_out_begin(text, size);
  int any_stated = 0;
  for (int32_t i = 0; i < a->n_failed; i++) add_failed(&out, m, &a->failed[i]);
  if (a->status) return out.length;
  for (int32_t i = 0; i < a->n_moved; i++) any_stated |= a->moved[i].is_stated;
  /* Guesses violate constraints as a rule: nobody is told. */
  for (int32_t i = 0; any_stated && i < a->n_violated; i++) add_violated(&out, m, &a->violated[i]);
  for (int32_t i = 0; i < a->n_moved; i++) add_moved(&out, m, &a->moved[i]);
  if (m->n_constraints > 0 && a->constraint_rank < m->constraint_rank &&
      a->dependent_constraint >= 0)
    text_out_add(&out,
                 "the start configuration is singular: the constraint %s depends on the others "
                 "there (%d of %d independent), and the motion may branch\n",
                 m->constraints[a->dependent_constraint].name, (int)a->constraint_rank,
                 (int)m->constraint_rank);
  return out.length;
}
