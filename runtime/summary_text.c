/* summary_text.c: how a run went, as lines for people. */
#include "runtime/message.h"
#include "runtime/units.h"
#include <math.h>
#include <string.h>

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static void add_time(struct text_out *out, double seconds) {
  if (seconds < 1e-3)
    text_out_add(out, "%.0f µs", seconds * 1e6);
  else if (seconds < 1)
    text_out_add(out, "%.3g ms", seconds * 1e3);
  else
    text_out_add(out, "%.4g s", seconds);
}

static void add_work(struct text_out *out, const dyn_run_summary *s) {
  text_out_add(out, "%s: %lld step%s (%lld rejected), %lld evaluation%s", s->integrator,
               (long long)s->steps, plural(s->steps), (long long)s->rejected_steps,
               (long long)s->rhs_evaluations, plural(s->rhs_evaluations));
  if (s->factorisations > 0)
    text_out_add(out, ", %lld %s factorisations", (long long)s->factorisations, s->linear_solver);
  if (s->jacobian_evaluations > 0)
    text_out_add(out, ", %lld Jacobians", (long long)s->jacobian_evaluations);
  else if (s->linear_solver[0])
    text_out_add(out, ", Jacobian by differences");
  text_out_add(out, "\n");
  if (s->steps > 0 && s->fixed_step > 0)
    text_out_add(out, "steps of %.6g s%s%s\n", s->fixed_step, s->structure[0] ? ", " : "",
                 s->structure);
  else if (s->steps > 0)
    text_out_add(out, "step sizes from %.3g s to %.3g s\n", s->smallest_step, s->largest_step);
  for (int32_t i = 0; i < s->n_switches; i++) {
    const char *from = s->switches[i].from, *to = s->switches[i].to;
    text_out_add(out, "turned from %s to %s at t = %.6g s: %s\n", from, to, s->switches[i].t,
                 strcmp(from, "taylor") == 0 ? "the motion has no Taylor series there"
                 : strcmp(to, "taylor") == 0
                     ? "after so many steps at this tolerance its series pays"
                     : "the model is stiff there");
  }
}

/* Whether stability made auto turn to an implicit method. */
static int was_stiff(const dyn_run_summary *s) {
  int32_t last = s->n_switches - 1;
  return last >= 0 && strcmp(s->switches[last].to, "taylor") != 0;
}

/* Where another integrator stood in for taylor. */
static void add_declined(struct text_out *out, const dyn_run_summary *s) {
  if (s->n_declined_stretches == 0) return;
  text_out_add(out, "taylor declined near t = %.6g s", s->first_declined);
  if (s->n_declined_stretches > 1)
    text_out_add(out, " and later, in %d stretches", (int)s->n_declined_stretches);
  text_out_add(out, ": another integrator went on there, for %.3g s%s\n", s->declined_time,
               s->n_declined_stretches > 1 ? " in all" : "");
}

/* What auto chose, and why. */
static void add_choice(struct text_out *out, const dyn_model *m, const dyn_run_summary *s) {
  if (!s->chosen || s->steps == 0) return;
  text_out_add(out, "auto chose %s, %s%s; %s\n", s->chosen,
               strcmp(s->chosen, "dopri5") ? "as the tolerance is 1e-5 or less"
                                           : "as the tolerance is above 1e-5",
               m->n_constraints > 0 ? ", on constraints by projection" : "",
               was_stiff(s) ? "stability limited its steps"
                            : "accuracy, not stability, limited its steps");
}

static void add_singular(struct text_out *out, const dyn_model *m, const dyn_run_summary *s) {
  if (s->n_singular_stretches == 0) return;
  text_out_add(
      out,
      "the speeds of the method %s do not determine the velocities near t = %.6g s%s: those "
      "were integrated there",
      m->method, s->first_singular, s->n_singular_stretches > 1 ? " and later" : "");
  if (s->n_singular_stretches > 1)
    text_out_add(out, ", in %d stretches", (int)s->n_singular_stretches);
  text_out_add(out, "\n");
}

static void add_residual(struct text_out *out, const dyn_model *m, const char *level,
                         double largest, int32_t worst, int is_velocity) {
  if (worst < 0 || worst >= m->n_constraints) return;
  const dyn_constraint *c = &m->constraints[worst];
  int is_integral = !is_velocity && !(c->flags & DYN_CONSTRAINT_POSITION); /* in its own unit */
  const char *unit = c->unit && !is_integral ? c->unit : "";
  int is_rate = is_velocity && (c->flags & DYN_CONSTRAINT_POSITION);
  int plain = unit_is_plain(unit);
  text_out_add(out, "%s to %.2g%s%s%s (%s%s)", level, largest, plain ? "" : " ", plain ? "" : unit,
               is_rate ? (plain ? " 1/s" : "/s") : "", is_integral ? "integral of " : "", c->name);
}

/* "The constraint loop became dependent on the others at t = ...". */
static void add_rank_changes(struct text_out *out, const dyn_model *m, const dyn_run_summary *s) {
  int32_t shown =
      s->n_rank_changes < DYN_MAX_RANK_CHANGES ? s->n_rank_changes : DYN_MAX_RANK_CHANGES;
  for (int32_t i = 0; i < shown; i++) {
    const dyn_rank_change *c = &s->rank_changes[i];
    const char *name = m->constraints[c->constraint].name;
    if (c->to < c->from)
      text_out_add(out,
                   "the constraint %s became dependent%s at t = %.9g s (%d of %d independent): the "
                   "mechanism passes a singular configuration, where its motion may branch and "
                   "multipliers are not unique\n",
                   name, m->n_constraints > 1 ? " on the others" : "", c->t, (int)c->to,
                   (int)c->from);
    else
      text_out_add(out, "the constraint %s is independent again at t = %.9g s\n", name, c->t);
  }
  if (shown < s->n_rank_changes)
    text_out_add(out, "and %d more changes of the constraints' rank\n",
                 (int)(s->n_rank_changes - shown));
}

static void add_constraints(struct text_out *out, const dyn_model *m, const dyn_run_summary *s) {
  if (m->n_constraints == 0) return;
  if (s->worst_position >= 0 || s->worst_velocity >= 0) {
    text_out_add(out, "constraints held (%lld projections): ", (long long)s->projections);
    add_residual(out, m, "positions", s->largest_position_residual, s->worst_position, 0);
    if (s->worst_position >= 0 && s->worst_velocity >= 0) text_out_add(out, ", ");
    add_residual(out, m, "velocities", s->largest_velocity_residual, s->worst_velocity, 1);
    text_out_add(out, "\n");
  }
  add_rank_changes(out, m, s);
  if (s->rows_without_unique_multipliers > 0)
    text_out_add(out,
                 "multipliers are not unique in %lld of %lld rows, as constraints are dependent "
                 "there: those of least norm are given\n",
                 (long long)s->rows_without_unique_multipliers, (long long)s->rows);
}

static void add_drift(struct text_out *out, const dyn_invariant *invariant,
                      const dyn_invariant_drift *d) {
  const char *unit = invariant->unit ? invariant->unit : "";
  int plain = unit_is_plain(unit);
  text_out_add(out, "%s: %.9g%s%s at the start, ", invariant->name, d->start + 0.0,
               plain ? "" : " ", plain ? "" : unit);
  if (isnan(d->relative))
    text_out_add(out, "largest drift %.2g%s%s\n", d->largest, plain ? "" : " ", plain ? "" : unit);
  else
    text_out_add(out, "largest drift %.2g of %s\n", d->relative,
                 d->scale_is_energy ? "the largest energy seen" : "it");
}

static void add_advice(struct text_out *out, const dyn_model *m, const dyn_run_summary *s) {
  if (!s->advised) return;
  int separates = (m->flags & DYN_SEPARABLE) != 0;
  int is_canonical = m->n_constraints == 0 && m->n_rates == 0;
  int is_split = strncmp(s->advised, "yoshida", 7) == 0;
  text_out_add(
      out,
      "a long run of a model that conserves energy: the integrator %s%s, of fixed steps, is "
      "%s and lets no drift build up\n",
      s->advised, !separates && is_canonical ? " with the method hamilton" : "",
      is_split || is_canonical ? "symplectic" : "symmetric");
}

static void add_events(struct text_out *out, const dyn_model *m, const dyn_run_summary *s) {
  for (int32_t i = 0; i < s->n_events && i < m->n_events; i++) {
    const dyn_event_count *e = &s->events[i];
    text_out_add(out, "event %s: ", m->events[i].text);
    if (e->count == 0)
      text_out_add(out, "never\n");
    else if (e->count == 1)
      text_out_add(out, "at t = %.12g s\n", e->first);
    else
      text_out_add(out, "%lld times, from t = %.12g s to %.12g s\n", (long long)e->count, e->first,
                   e->last);
  }
  if (s->stopped_by < 1 || s->stopped_by > m->n_events) return;
  const dyn_event *event = &m->events[s->stopped_by - 1];
  text_out_add(out, "stopped by the event %s%s%s\n", event->text, event->stop[0] ? ": " : "",
               event->stop);
}

size_t dyn_run_summary_text(const dyn_model *model, const dyn_run_summary *s, char *text,
                            size_t size) {
  struct text_out out = text_out_begin(text, size);
  text_out_add(&out, "%lld row%s, t = %.9g s %sto %.9g s, in ", (long long)s->rows, plural(s->rows),
               s->from, s->until < s->from ? "backwards " : "", s->reached);
  add_time(&out, s->wall_seconds);
  text_out_add(&out, "\n");
  if (s->integrator && s->integrator[0]) add_work(&out, s);
  add_choice(&out, model, s);
  add_declined(&out, s);
  add_singular(&out, model, s);
  add_constraints(&out, model, s);
  add_events(&out, model, s);
  for (int32_t i = 0; i < s->n_invariants && i < model->n_invariants; i++)
    add_drift(&out, &model->invariants[i], &s->invariants[i]);
  add_advice(&out, model, s);
  return out.length;
}
