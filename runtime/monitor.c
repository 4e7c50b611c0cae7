/* monitor.c: how well a run keeps the invariants of its model. An energy may be 0 at the start by
 * the choice of its zero level; its drift is then measured by the energies that were exchanged. */
#include "runtime/monitor.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int monitor_init(struct monitor *m, const dyn_model *model, dyn_invariant_drift *drift) {
  size_t n = (size_t)model->n_invariants;
  *m = (struct monitor){.drift = drift};
  if (n == 0 || !model->invariant_values) return 1;
  m->values = calloc(3 * n, sizeof(double));
  m->largest_value = m->values ? m->values + n : NULL;
  m->jump = m->values ? m->values + 2 * n : NULL;
  return m->values != NULL;
}

void monitor_clear(struct monitor *m) {
  free(m->values);
  m->values = NULL;
}

void monitor_take(struct monitor *m, const dyn_model *model, const double *values,
                  const double *energies) {
  for (int i = 0; energies && i < 2; i++)
    if (fabs(energies[i]) > m->largest_energy) m->largest_energy = fabs(energies[i]);
  for (int32_t i = 0; i < model->n_invariants; i++) {
    dyn_invariant_drift *d = &m->drift[i];
    if (!m->started) d->start = values[i];
    d->end = values[i];
    /* A value that is no number tells nothing of the drift, and must not hide what was seen. */
    double drift = fabs(d->end - d->start - m->jump[i]);
    if (drift > d->largest) d->largest = drift;
    if (fabs(d->end) > m->largest_value[i]) m->largest_value[i] = fabs(d->end);
  }
  m->started = 1;
}

void monitor_look(struct monitor *m, struct evaluator *e, double t, const double *x) {
  const dyn_model *model = e->model;
  double energies[2] = {0, 0};
  if (!m->values || evaluate_function(e, model->invariant_values, t, x, m->values)) return;
  int has_energies = model->energies && !evaluate_function(e, model->energies, t, x, energies);
  monitor_take(m, model, m->values, has_energies ? energies : NULL);
}

void monitor_jump(struct monitor *m, struct evaluator *e, double t, const double *before,
                  const double *after) {
  const dyn_model *model = e->model;
  if (!m->values || evaluate_function(e, model->invariant_values, t, before, m->values)) return;
  for (int32_t i = 0; i < model->n_invariants; i++) m->jump[i] -= m->values[i];
  if (evaluate_function(e, model->invariant_values, t, after, m->values)) return;
  for (int32_t i = 0; i < model->n_invariants; i++) m->jump[i] += m->values[i];
}

static int is_energy(const dyn_invariant *invariant) {
  return !strcmp(invariant->name, "energy") || !strcmp(invariant->name, "Jacobi integral");
}

void monitor_finish(struct monitor *m, const dyn_model *model) {
  for (int32_t i = 0; m->started && i < model->n_invariants; i++) {
    dyn_invariant_drift *d = &m->drift[i];
    d->scale = fabs(d->start);
    if (is_energy(&model->invariants[i]) && d->scale < 0.01 * m->largest_energy) {
      d->scale = m->largest_energy;
      d->scale_is_energy = 1;
    }
    if (!isfinite(d->start)) d->largest = NAN; /* there was nothing to drift from */
    d->relative = d->largest == 0 ? 0 : d->scale > 0 ? d->largest / d->scale : NAN;
    /* Near 0 without a natural scale: there is no relative drift to speak of. A momentum of 0
     * starts as rounding, and drifts by more than that. */
    if (!d->scale_is_energy && (d->scale < 1e-6 * m->largest_value[i] || d->scale < d->largest))
      d->relative = NAN;
  }
}
