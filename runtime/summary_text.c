/* summary_text.c: how a run went, as lines for people. */
#include "runtime/message.h"
#include <math.h>
#include <string.h>

static void add_time(struct text_out *out, double seconds) {
  if (seconds < 1e-3)
    text_out_add(out, "%.0f µs", seconds * 1e6);
  else if (seconds < 1)
    text_out_add(out, "%.3g ms", seconds * 1e3);
  else
    text_out_add(out, "%.4g s", seconds);
}

static void add_work(struct text_out *out, const dyn_run_summary *s) {
  text_out_add(out, "%s: %lld steps (%lld rejected), %lld evaluations", s->integrator,
               (long long)s->steps, (long long)s->rejected_steps, (long long)s->rhs_evaluations);
  if (s->factorisations > 0)
    text_out_add(out, ", %lld %s factorisations", (long long)s->factorisations, s->linear_solver);
  if (s->jacobian_evaluations > 0)
    text_out_add(out, ", %lld Jacobians", (long long)s->jacobian_evaluations);
  else if (s->linear_solver[0])
    text_out_add(out, ", Jacobian by differences");
  text_out_add(out, "\n");
  if (s->steps > 0)
    text_out_add(out, "step sizes from %.3g s to %.3g s\n", s->smallest_step, s->largest_step);
  for (int32_t i = 0; i < s->n_switches; i++)
    text_out_add(out, "turned from %s to %s at t = %.6g s: the model is stiff there\n",
                 s->switches[i].from, s->switches[i].to, s->switches[i].t);
}

static void add_drift(struct text_out *out, const dyn_invariant *invariant,
                      const dyn_invariant_drift *d) {
  const char *unit = invariant->unit ? invariant->unit : "";
  int plain = !unit[0] || !strcmp(unit, "1");
  text_out_add(out, "%s: %.9g%s%s at the start, ", invariant->name, d->start, plain ? "" : " ",
               plain ? "" : unit);
  if (isnan(d->relative))
    text_out_add(out, "largest drift %.2g%s%s\n", d->largest, plain ? "" : " ", plain ? "" : unit);
  else
    text_out_add(out, "largest drift %.2g of %s\n", d->relative,
                 d->scale_is_energy ? "the largest energy seen" : "it");
}

size_t dyn_run_summary_text(const dyn_model *model, const dyn_run_summary *s, char *text,
                            size_t size) {
  struct text_out out = text_out_begin(text, size);
  text_out_add(&out, "%lld rows, t = %.9g s %sto %.9g s, in ", (long long)s->rows, s->from,
               s->until < s->from ? "backwards " : "", s->reached);
  add_time(&out, s->wall_seconds);
  text_out_add(&out, "\n");
  if (s->integrator && s->integrator[0]) add_work(&out, s);
  for (int32_t i = 0; i < s->n_invariants && i < model->n_invariants; i++)
    add_drift(&out, &model->invariants[i], &s->invariants[i]);
  return out.length;
}
