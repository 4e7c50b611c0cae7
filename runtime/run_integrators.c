/* run_integrators.c: the integrator of a run: started at a state, exchanged for another where the
 * motion asks for it, with the functions that it needs. Needs a run that is set up; promises an
 * integrator that stands at the state given, or a message. */
#include "dyn/dyn_tableau.h"
#include "runtime/fixed_steps.h"
#include "runtime/geometric.h"
#include "runtime/message.h"
#include "runtime/method_state.h"
#include "runtime/run_private.h"
#include "runtime/taylor.h"
#include <math.h>
#include <string.h>

/* The method of an explicit integrator, else NULL. */
static const struct rk_table *explicit_table(enum integrator_choice choice) {
  return choice == INTEGRATOR_DOPRI5   ? &rk_table_dp5
         : choice == INTEGRATOR_DOP853 ? &rk_table_dp8
         : choice == INTEGRATOR_RK4    ? &rk_table_rk4
                                       : NULL;
}

static dyn_status ask_for_jacobian(struct run *r) {
  if (r->e.jacobian_model || r->asked_for_jacobian) return DYN_DONE;
  r->asked_for_jacobian = 1;
  if (!r->callbacks || !r->callbacks->jacobian_model) return DYN_DONE;
  const dyn_model *model = r->callbacks->jacobian_model(r->callbacks->user);
  return evaluator_set_jacobian(&r->e, model, &r->summary->message);
}

/* Compiling a step takes 10 ms or more and saves some 50 ns each time; most runs are shorter. */
#define STEPS_WORTH_CODE 200000

dyn_status run_ask_for_steps(struct run *r) {
  const dyn_run_callbacks *c = r->callbacks;
  const struct rk_table *table = explicit_table(r->in_use);
  if (!c || !c->steps_model || !table || r->asked_for_steps || run_steps(r) < STEPS_WORTH_CODE)
    return DYN_DONE;
  r->asked_for_steps = 1;
  if (explicit_generated(r->e.steps_model, table)) return DYN_DONE;
  return evaluator_set_steps(&r->e, c->steps_model(c->user, table->name), &r->summary->message);
}

int64_t run_steps(const struct run *r) {
  const struct integrator *g = r->integrator;
  int64_t before = r->summary->steps + r->summary->rejected_steps;
  return g ? before + g->steps + g->rejected_steps : before;
}

/* Adds the counts of the integrator in use to the summary, and ends it. */
void run_retire(struct run *r) {
  if (!r->integrator) return;
  r->summary->steps += r->integrator->steps;
  r->summary->rejected_steps += r->integrator->rejected_steps;
  r->summary->factorisations += r->integrator->factorisations;
  r->integrator->methods->free(r->integrator);
  r->integrator = NULL;
}

void run_note_switch(struct run *r, double t, const char *from, const char *to) {
  dyn_run_summary *s = r->summary;
  if (s->n_switches >= DYN_MAX_SWITCHES) return;
  s->switches[s->n_switches].t = t;
  s->switches[s->n_switches].from = from;
  s->switches[s->n_switches].to = to;
  s->n_switches++;
}

static struct projection *projection_of(struct run *r) {
  return r->is_constrained ? &r->projection : NULL;
}

/* The step is found once: a run goes on with it after events. */
static dyn_status find_step(struct run *r, double t) {
  dyn_run_summary *s = r->summary;
  dyn_status status = DYN_DONE;
  if (r->control.step == 0) r->control.step = r->plan.step;
  if (r->control.step == 0)
    r->control.step = fixed_steps_default(r->in_use, &r->e, &r->control, projection_of(r),
                                          r->plan.every, t, r->x_method, &status, &s->message);
  s->fixed_step = r->control.step;
  return status;
}

static struct integrator *start_geometric(struct run *r, const struct geometric_method *method,
                                          double t, const double *x_natural, dyn_status *status) {
  dyn_message *message = &r->summary->message;
  int is_natural = geometric_is_natural(method, r->e.model);
  struct integrator *integrator =
      geometric_integrator_new(method, &r->e, &r->control, projection_of(r), t,
                               is_natural ? x_natural : r->x_method, status, message);
  r->summary->structure = geometric_structure(method, r->e.model);
  return is_natural ? integrator : method_state_integrator(integrator, status, message);
}

/* Of all but the geometric ones, from the method's own state. */
static struct integrator *start_other(struct run *r, enum integrator_choice choice, double t,
                                      const double *x, dyn_status *status) {
  dyn_message *message = &r->summary->message;
  const struct rk_table *table = explicit_table(choice);
  struct integrator *inner;
  if (table)
    inner =
        explicit_integrator_new(table, &r->e, &r->control, projection_of(r), t, x, status, message);
  else if (choice == INTEGRATOR_TAYLOR)
    inner = taylor_integrator_new(&r->e, &r->control, projection_of(r), t, x, status, message);
  else if (choice == INTEGRATOR_IDA)
    inner = ida_integrator_new(&r->e, &r->control, &r->projection, t, x, status, message);
  else
    inner = cvode_integrator_new(choice == INTEGRATOR_BDF ? CVODE_BDF : CVODE_ADAMS, &r->e,
                                 &r->control, t, x, status, message);
  return method_state_integrator(inner, status, message);
}

dyn_status run_start_integrator(struct run *r, enum integrator_choice choice, double t,
                                const double *x_natural) {
  dyn_run_summary *s = r->summary;
  dyn_status status = DYN_DONE;
  if (evaluate_method_state(&r->e, t, x_natural, r->x_method))
    return evaluate_failure_message(&r->e, x_natural, &s->message);
  if (r->e.n == 0) choice = INTEGRATOR_RK; /* nothing to iterate on */
  int is_auto = choice == INTEGRATOR_AUTO;
  if (is_auto || choice == INTEGRATOR_RK) choice = run_plan_explicit(&r->plan);
  if (is_auto && !s->chosen) s->chosen = dyn_integrator_name((int32_t)choice);
  if (choice == INTEGRATOR_TAYLOR && (status = run_take_series(r, t, &choice))) return status;
  r->in_use = choice;
  if (fixed_steps_order(choice) > 0) status = find_step(r, t);
  if (choice == INTEGRATOR_BDF && !variables_are_natural(&r->variables))
    status = ask_for_jacobian(r);
  if (status) return status;
  const struct geometric_method *geometric = geometric_method_of(choice);
  r->integrator = geometric ? start_geometric(r, geometric, t, x_natural, &status)
                            : start_other(r, choice, t, r->x_method, &status);
  if (!r->integrator) return status;
  s->integrator = r->integrator->name;
  s->linear_solver = r->integrator->linear_solver;
  s->jacobian_is_exact = choice == INTEGRATOR_BDF && r->e.jacobian_model != NULL;
  return DYN_DONE;
}

/* No implicit integrator holds constraints and integrates the variables of a method. */
int run_may_turn_to_implicit(const struct run *r) {
  return !r->is_constrained || !r->problem->model->method_state;
}

dyn_status run_exchange(struct run *r, enum integrator_choice choice) {
  double t = r->integrator->t;
  memcpy(r->x_row, r->integrator->x, (size_t)r->e.n * sizeof(double));
  run_retire(r);
  return run_start_integrator(r, choice, t, r->x_row);
}

dyn_status run_turn_to(struct run *r, enum integrator_choice choice) {
  double t = r->integrator->t;
  const char *from = r->integrator->name;
  dyn_status status = run_exchange(r, choice);
  if (!status) run_note_switch(r, t, from, r->summary->integrator);
  return status;
}

void run_use_velocities(struct run *r, double t) {
  if (r->summary->n_singular_stretches++ == 0) r->summary->first_singular = t;
  variables_turn(&r->variables);
}

/* Goes on from (t, x) with the other variables. */
dyn_status run_turn_variables(struct run *r, double t, const double *x) {
  run_retire(r);
  if (variables_are_natural(&r->variables))
    variables_turn(&r->variables);
  else
    run_use_velocities(r, t);
  return run_start_integrator(r, r->in_use, t, x);
}
