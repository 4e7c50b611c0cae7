/* run_rows.c: the rows of a run: states within the last step, put on the constraints, with outputs
 * and multipliers, to whoever takes them. Needs a run that is set up; promises rows at exactly the
 * instants asked for. */
#include "runtime/message.h"
#include "runtime/run_private.h"
#include <math.h>
#include <string.h>

dyn_status run_sink_failed(struct run *r) {
  const char *reason = r->sink->message ? r->sink->message(r->sink->user) : NULL;
  return message_set(&r->summary->message, DYN_SINK_FAILED, "%s",
                     reason && reason[0] ? reason : "the results could not be written");
}

/* An output may have no value where the motion has one (a logarithm, a quotient): the run goes on,
 * and the summary tells. */
static void note_gaps(struct run *r, double t) {
  for (int32_t i = 0; i < r->e.model->n_outputs; i++) {
    dyn_output_gaps *gaps = &r->summary->output_gaps[i];
    if (isfinite(r->outputs[i])) continue;
    if (gaps->rows++ == 0) gaps->from = t, gaps->value = r->outputs[i];
  }
}

/* Multipliers and the generalized forces A^T λ at the row's state, which is projected already. */
static enum evaluate_result evaluate_multipliers(struct run *r, double t) {
  const dyn_model *m = r->e.model;
  size_t n = (size_t)m->n_coordinates, n_constraints = (size_t)m->n_constraints;
  const double *rows = r->projection.velocity.derivatives;
  enum evaluate_result result =
      evaluate_function(&r->e, m->multipliers, t, r->x_row, r->multipliers);
  if (result) return result;
  for (size_t i = 0; i < n_constraints; i++)
    if (!isfinite(r->multipliers[i]))
      return evaluate_not_finite(&r->e, PART_MULTIPLIER, (int32_t)i, t);
  if (r->multipliers[n_constraints] > 0) r->summary->rows_without_unique_multipliers++;
  memset(r->forces, 0, n * sizeof *r->forces);
  for (size_t i = 0; i < n_constraints; i++)
    for (size_t j = 0; j < n; j++) r->forces[j] += rows[i * n + j] * r->multipliers[i];
  return EVALUATE_OK;
}

/* Puts the row's state on the constraints: what an integrator tells within a step satisfies them
 * to its tolerance only. */
static dyn_status project_row(struct run *r, double t) {
  if (!r->is_constrained) return DYN_DONE;
  if (projection_project(&r->projection, t, r->x_row) == PROJECTION_FAILED)
    return projection_failure_message(&r->projection, t, r->x_row, &r->summary->message);
  projection_note(&r->projection, t, r->x_row, 0, r->summary);
  return DYN_DONE;
}

/* Delivers a row at t with the state r->x_row. */
dyn_status run_deliver_state(struct run *r, double t) {
  const dyn_model *m = r->e.model;
  dyn_status status = project_row(r, t);
  if (status) return status;
  monitor_look(&r->monitor, &r->e, t, r->x_row);
  r->steps_since_row = r->steps_since_look = 0;
  r->t_row = t;
  if (r->sink && r->sink->row) {
    enum evaluate_result result = evaluate_inputs(&r->e, t);
    if (!result && m->output_values && m->n_outputs > 0)
      result = evaluate_function(&r->e, m->output_values, t, r->x_row, r->outputs);
    if (!result && r->is_constrained) result = evaluate_multipliers(r, t);
    if (result) return evaluate_failure_message(&r->e, r->x_row, &r->summary->message);
    if (m->output_values) note_gaps(r, t);
    dyn_row row = {.t = t, .x = r->x_row, .u = r->e.u, .outputs = r->outputs};
    if (r->is_constrained) row.multipliers = r->multipliers, row.constraint_forces = r->forces;
    if (r->sink->row(r->sink->user, &row)) return run_sink_failed(r);
  }
  r->summary->rows++;
  return DYN_DONE;
}

/* The same for the next of the rows asked for. */
dyn_status run_deliver(struct run *r, double t) {
  dyn_status status = run_deliver_state(r, t);
  if (!status) r->next_row++;
  return status;
}

dyn_status run_check_stop(struct run *r, double t) {
  const dyn_run_callbacks *c = r->callbacks;
  if (!c || !c->stop || !*c->stop) return DYN_DONE;
  return message_set(&r->summary->message, DYN_INTERRUPTED, "stopped at t = %.9g s", t);
}

void run_tell_progress(struct run *r, double t) {
  const dyn_run_callbacks *c = r->callbacks;
  if (c && c->progress) c->progress(c->user, t, r->options);
}

/* Delivers the rows up to `end`, within the last step; without a row there if an event is. A step
 * may hold millions of them, so that the outside is heard and told between rows too. */
dyn_status run_deliver_rows(struct run *r, double end, int is_event) {
  struct integrator *g = r->integrator;
  while (r->next_row < r->plan.rows) {
    double t = run_plan_time(&r->plan, r->next_row);
    if (r->plan.direction * (t - end) > 0 || (is_event && t == end)) break;
    dyn_status status = run_check_stop(r, r->t_row);
    if (status) {
      r->stopped_at_row = 1;
      return status;
    }
    if (r->next_row % 4096 == 0) run_tell_progress(r, t);
    status = g->methods->interpolate(g, t, r->x_row);
    if (status) {
      r->summary->message = g->message;
      return status;
    }
    status = run_deliver(r, t);
    if (status) return status;
  }
  return DYN_DONE;
}
