/* explicit_stages.c: the evaluations of one step of an explicit Runge-Kutta method: stages, new
 * state, error, dense output. Needs a method's table (dyn_tableau.h). Where the model brings the
 * step as machine code that is called; the loops here are its reference, which promises the same
 * numbers to the last bit: sums over slopes in the order of the table, sums over the state in four
 * lanes. On the passage of a singular configuration the loops alone are used. Source: Hairer,
 * Norsett, Wanner, Solving Ordinary Differential Equations I (II.4 the error of a step, II.5 and
 * II.6 the methods). */
#include "runtime/explicit_private.h"
#include <math.h>

static double row_sum(const struct explicit *s, const struct rk_row *row, int32_t i) {
  double sum = row->weight[0] * s->slope[row->slope[0]][i];
  for (int j = 1; j < row->count; j++) sum += row->weight[j] * s->slope[row->slope[j]][i];
  return sum;
}

/* out = x + h * row of slopes. */
static void combine(const struct explicit *s, const struct rk_row *row, double h, double *out) {
  for (int32_t i = 0; i < s->base.e->n; i++) out[i] = s->x_old[i] + h * row_sum(s, row, i);
}

/* The local errors of a step of size h by both estimates. */
static void estimate_errors(struct explicit *s, double h) {
  const struct rk_table *table = s->table;
  for (int32_t i = 0; i < s->base.e->n; i++) {
    s->error[i] = h * row_sum(s, &table->error, i);
    if (table->error_low.count > 0) s->error_low[i] = h * row_sum(s, &table->error_low, i);
  }
}

/* Takes off the part of an error of the end of a step that projection will take off. The end is in
 * x_natural as well; errors of a method's own state go there and back. */
static enum evaluate_result make_tangent(struct explicit *s, double t, double *error) {
  struct projection *p = s->projection;
  struct evaluator *e = s->base.e;
  const struct constraint_rows *levels[2] = {&p->position, &p->velocity};
  double *natural = s->stage, *other = s->x_projected;
  for (int32_t i = 0; i < e->n; i++) other[i] = s->x_new[i] - error[i];
  enum evaluate_result result = evaluate_natural_state(e, t, other, natural);
  for (int32_t i = 0; i < e->n; i++) natural[i] = s->x_natural[i] - natural[i];
  for (size_t level = 0; level < 2; level++) {
    double *part = natural + level * p->velocity.n;
    metric_lengths(&p->metric, part);
    rows_remove(&levels[level]->rows, part);
    metric_changes(&p->metric, part);
  }
  for (int32_t i = 0; i < e->n; i++) natural[i] = s->x_natural[i] - natural[i];
  if (!result) result = evaluate_method_state(e, t, natural, other);
  for (int32_t i = 0; !result && i < e->n; i++) error[i] = s->x_new[i] - other[i];
  return result;
}

/* On a passage of a singular configuration errors that leave the constraints are enlarged;
 * projection takes them away, and they do not count. */
static void judge_passage(struct explicit *s, double t) {
  struct projection *p = s->projection;
  if (evaluate_natural_state(s->base.e, t, s->x_new, s->x_natural) ||
      projection_look(p, t, s->x_natural))
    return;
  constraint_rows_decompose(&p->position, s->x_natural, &p->metric, p->position_rank);
  if (make_tangent(s, t, s->error)) return;
  if (s->table->error_low.count > 0) make_tangent(s, t, s->error_low);
}

static double sum_of_lanes(const double *lane) {
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* The local error of x_new over its tolerance. */
static double error_norm(struct explicit *s, double h, double t_new) {
  int32_t n = s->base.e->n;
  int has_low = s->table->error_low.count > 0;
  double high[EXPLICIT_LANES] = {0}, low[EXPLICIT_LANES] = {0}, largest = -1;
  if (s->table->error.count == 0) return 0;
  estimate_errors(s, h);
  if (s->passage.is_near) judge_passage(s, t_new);
  for (int32_t i = 0; i < n; i++) {
    double magnitude = fmax(fabs(s->x_old[i]), fabs(s->x_new[i]));
    double scale = error_scale(s->base.control, i, magnitude);
    double e = s->error[i] / scale, d = has_low ? s->error_low[i] / scale : 0;
    high[i % EXPLICIT_LANES] += e * e;
    low[i % EXPLICIT_LANES] += d * d;
    if (!(fabs(e) <= largest)) {
      largest = fabs(e);
      s->worst = i;
    }
  }
  return pace_error(s->table, n, sum_of_lanes(high), sum_of_lanes(low));
}

int32_t explicit_worst(struct explicit *s) {
  error_norm(s, s->h_tried, s->t_tried);
  return s->worst;
}

/* The slope at a stage. On a passage of a singular configuration, where what is off the constraints
 * would be enlarged from stage to stage, it is that at the stage's projection: the method is
 * applied to x' = f(P(x)), which has the same solution. */
static enum evaluate_result stage_slope(struct explicit *s, double t, const double *x,
                                        double *slope) {
  struct evaluator *e = s->base.e;
  if (!s->passage.is_near) return evaluate_rhs(e, t, x, slope);
  enum evaluate_result result = evaluate_natural_state(e, t, x, s->x_natural);
  if (result) return result;
  s->projection->is_strict = 1;
  if (projection_project(s->projection, t, s->x_natural) == PROJECTION_FAILED)
    return evaluate_rhs(e, t, x, slope);
  result = evaluate_method_state(e, t, s->x_natural, s->x_projected);
  return result ? result : evaluate_rhs(e, t, s->x_projected, slope);
}

static enum evaluate_result evaluate_stages(struct explicit *s, double h, double t_new) {
  const struct rk_table *table = s->table;
  for (int i = 1; i <= table->stages; i++) {
    double *x = i == table->stages ? s->x_new : i == table->stages - 1 ? s->x_last_stage : s->stage;
    combine(s, &table->rows[i], h, x);
    double t = table->c[i] == 1 ? t_new : s->base.t + table->c[i] * h;
    enum evaluate_result result = stage_slope(s, t, x, s->slope[i]);
    if (result) return result;
  }
  return EVALUATE_OK;
}

/* ---- Generated steps ---- */

static int put_inputs(void *user, double t) {
  return (int)evaluate_inputs(user, t);
}

dyn_step_function *explicit_generated(const dyn_model *m, const struct rk_table *table) {
  return table == &rk_table_dp8   ? m->dop853
         : table == &rk_table_dp5 ? m->dopri5
         : table == &rk_table_rk4 ? m->rk4
                                  : NULL;
}

/* Takes the steps that the model has now. */
static void use_generated(struct explicit *s) {
  const dyn_model *m = s->base.e->steps_model;
  const struct error_control *control = s->base.control;
  s->steps_model = m;
  /* They are made of the method's own variables: see variables.h. */
  int is_own = s->base.e->model == s->base.e->problem->model;
  s->generated = is_own ? explicit_generated(m, s->table) : NULL;
  s->generated_dense = is_own && s->table == &rk_table_dp8 ? m->dop853_dense : NULL;
  s->call = (struct dyn_step){.slopes = s->slope,
                              .scratch = s->stage,
                              .relative = control->relative,
                              .absolute = control->absolute,
                              .cap = s->cap,
                              .p = s->base.e->problem->p,
                              .u = s->base.e->u,
                              .inputs = m->n_inputs > 0 ? put_inputs : NULL,
                              .user = s->base.e};
}

/* 1 if the step that begins at t made its evaluations. */
static int call_generated(struct explicit *s, dyn_step_function *step, double t, double h,
                          double t_end, int evaluations) {
  s->call.t = t;
  s->call.h = h;
  s->call.t_end = t_end;
  s->call.work = s->base.e->work;
  s->call.y = s->x_old;
  s->call.y_end = s->x_new;
  s->call.y_last = s->x_last_stage;
  if (step(s->steps_model, &s->call)) return 0;
  s->base.e->rhs_evaluations += evaluations;
  return 1;
}

enum evaluate_result explicit_attempt(struct explicit *s, double h, double t_new, double *error) {
  s->h_tried = h;
  s->t_tried = t_new;
  if (s->steps_model != s->base.e->steps_model) use_generated(s);
  if (s->generated && !s->passage.is_near &&
      call_generated(s, s->generated, s->base.t, h, t_new, s->table->stages)) {
    *error = pace_error(s->table, s->base.e->n, s->call.error, s->call.error_low);
    s->worst = NOT_KNOWN;
    return EVALUATE_OK;
  }
  enum evaluate_result result = evaluate_stages(s, h, t_new);
  *error = result ? HUGE_VAL : error_norm(s, h, t_new);
  return result;
}

/* ---- Dense output ---- */

static enum evaluate_result evaluate_extra(struct explicit *s) {
  const struct rk_table *table = s->table;
  double t = s->base.t_old, h = s->h_done;
  if (s->steps_model != s->base.e->steps_model) use_generated(s);
  if (table->extra == 0 || s->has_extra ||
      (s->generated_dense && call_generated(s, s->generated_dense, t, h, s->base.t, table->extra)))
    return EVALUATE_OK;
  for (int i = table->stages + 1; i <= table->stages + table->extra; i++) {
    combine(s, &table->rows[i], h, s->stage);
    enum evaluate_result result =
        evaluate_rhs(s->base.e, t + table->c[i] * h, s->stage, s->slope[i]);
    if (result) return result;
  }
  return EVALUATE_OK;
}

enum evaluate_result explicit_prepare_dense(struct explicit *s) {
  const struct rk_table *table = s->table;
  int last = table->stages;
  int32_t n = s->base.e->n;
  enum evaluate_result result = evaluate_extra(s);
  if (result) return result;
  for (int32_t i = 0; i < n; i++) {
    double change = s->x_new[i] - s->x_old[i];
    double bend = s->h_done * s->slope[0][i] - change;
    s->dense[0][i] = s->x_old[i];
    s->dense[1][i] = change;
    s->dense[2][i] = bend;
    s->dense[3][i] = change - s->h_done * s->slope[last][i] - bend;
    for (int j = 0; j < table->n_dense; j++)
      s->dense[4 + j][i] = s->h_done * row_sum(s, &table->dense[j], i);
  }
  s->has_dense = 1;
  return EVALUATE_OK;
}
