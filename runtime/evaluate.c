/* evaluate.c: calls the functions of a model for one run, with its inputs, and remembers what
 * failed so that it can be told in the model's names. Needs a checked problem. */
#include "runtime/evaluate.h"
#include "runtime/message.h"
#include "runtime/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

dyn_status problem_check(const dyn_problem *problem, dyn_message *message) {
  if (!problem || !problem->model)
    return message_set(message, DYN_BAD_OPTION, "there is no model to run");
  const dyn_model *m = problem->model;
  if (m->abi != DYN_MODEL_ABI || m->size != sizeof(dyn_model))
    return message_set(message, DYN_BAD_OPTION,
                       "the compiled model is of version %u, this runtime reads version %u",
                       (unsigned)m->abi, (unsigned)DYN_MODEL_ABI);
  if (!m->rhs)
    return message_set(message, DYN_BAD_OPTION, "the compiled model has no right-hand side");
  if ((m->n_constraints > 0 && (!m->velocity_residuals || !m->constraints)) ||
      (m->n_position > 0 && (!m->position_residuals || !m->position_equations)))
    return message_set(message, DYN_BAD_OPTION,
                       "the compiled model has no functions of its constraints");
  if (m->n_parameters > 0 && !problem->p)
    return message_set(message, DYN_BAD_OPTION, "the model's parameters have no values");
  for (int32_t i = 0; problem->inputs && i < m->n_inputs; i++) {
    const dyn_input_source *s = &problem->inputs[i];
    int bad = 0;
    if (s->kind == DYN_INPUT_TABLE)
      bad = !s->table || s->column < 0 || s->column >= dyn_input_table_columns(s->table);
    else if (s->kind == DYN_INPUT_FUNCTION)
      bad = !s->function;
    else
      bad = s->kind != DYN_INPUT_DEFAULT && s->kind != DYN_INPUT_CONSTANT;
    if (bad)
      return message_set(message, DYN_BAD_INPUT, "the input %s has no source", m->inputs[i].name);
  }
  return DYN_DONE;
}

static size_t work_size(const dyn_model *m) {
  return m->n_work > 0 ? (size_t)m->n_work : 1;
}

dyn_status evaluator_init(struct evaluator *e, const dyn_problem *problem, dyn_message *message) {
  memset(e, 0, sizeof *e);
  dyn_status status = problem_check(problem, message);
  if (status) return status;
  e->problem = problem;
  e->model = problem->model;
  e->n = e->model->n_state;
  if (e->model->jacobian) e->jacobian_model = e->model;
  e->steps_model = e->model;
  e->n_work = work_size(e->model);
  e->work = malloc(e->n_work * sizeof(double));
  e->u = calloc((size_t)e->model->n_inputs + 1, sizeof(double));
  e->y = calloc((size_t)e->n + 1, sizeof(double));
  if (e->work && e->u && e->y) return DYN_DONE;
  evaluator_clear(e);
  return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for the model");
}

void evaluator_clear(struct evaluator *e) {
  free(e->work);
  free(e->u);
  free(e->y);
  e->work = e->u = e->y = NULL;
}

/* Checks that the model is another form of the one in use, and makes room for it. */
static dyn_status check_other_form(struct evaluator *e, const dyn_model *model, const char *with,
                                   dyn_message *message) {
  if (model->abi != DYN_MODEL_ABI || model->n_state != e->n ||
      model->n_parameters != e->model->n_parameters || model->n_inputs != e->model->n_inputs)
    return message_set(message, DYN_BAD_OPTION, "the model with the %s is another model", with);
  if (work_size(model) <= e->n_work) return DYN_DONE;
  double *work = realloc(e->work, work_size(model) * sizeof(double));
  if (!work)
    return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory for the %s", with);
  e->work = work;
  e->n_work = work_size(model);
  return DYN_DONE;
}

dyn_status evaluator_set_jacobian(struct evaluator *e, const dyn_model *model,
                                  dyn_message *message) {
  if (!model || !model->jacobian) return DYN_DONE;
  dyn_status status = check_other_form(e, model, "Jacobian", message);
  if (!status) e->jacobian_model = model;
  return status;
}

dyn_status evaluator_set_steps(struct evaluator *e, const dyn_model *model, dyn_message *message) {
  if (!model) return DYN_DONE;
  dyn_status status = check_other_form(e, model, "steps", message);
  if (!status) e->steps_model = model;
  return status;
}

static enum evaluate_result lost_rank(struct evaluator *e, int32_t failed, double t) {
  e->failure = EVALUATE_RANK_LOST;
  e->failed = failed;
  e->failed_t = t;
  return e->failure;
}

enum evaluate_result evaluate_not_finite(struct evaluator *e, enum evaluate_part part,
                                         int32_t index, double t) {
  e->failure = EVALUATE_NOT_FINITE;
  e->failed_part = part;
  e->failed = index;
  e->failed_t = t;
  return e->failure;
}

static double source_value(const dyn_input_source *s, double t) {
  if (s->kind == DYN_INPUT_CONSTANT) return s->value;
  if (s->kind == DYN_INPUT_FUNCTION) return s->function(s->user, t);
  double first, last;
  dyn_input_table_range(s->table, &first, &last);
  /* The last stage of a step may stand a rounding error beyond the end. */
  double slack = 1e-12 * (fabs(first) + fabs(last));
  if (t < first && t >= first - slack) t = first;
  if (t > last && t <= last + slack) t = last;
  return dyn_input_table_value(s->table, s->column, t);
}

enum evaluate_result evaluate_inputs(struct evaluator *e, double t) {
  const dyn_model *m = e->model;
  if (m->n_inputs == 0) return EVALUATE_OK;
  if (m->default_inputs) {
    int k = m->default_inputs(m, t, NULL, NULL, e->problem->p, e->work, e->u);
    if (k > 0) return lost_rank(e, k - 1, t);
  }
  const dyn_input_source *sources = e->problem->inputs;
  for (int32_t i = 0; i < m->n_inputs; i++) {
    if (sources && sources[i].kind != DYN_INPUT_DEFAULT) e->u[i] = source_value(&sources[i], t);
    if (!isfinite(e->u[i])) return evaluate_not_finite(e, PART_INPUT, i, t);
  }
  return EVALUATE_OK;
}

enum evaluate_result evaluate_rhs(struct evaluator *e, double t, const double *y, double *rate) {
  const dyn_model *m = e->model;
  e->rhs_evaluations++;
  enum evaluate_result result = evaluate_inputs(e, t);
  if (result) return result;
  int k = m->rhs(m, t, y, e->u, e->problem->p, e->work, rate);
  if (k > 0) return lost_rank(e, k - 1, t);
  double sum = 0; /* one test for all: 0*inf and 0*nan are nan */
  for (int32_t i = 0; i < e->n; i++) sum += 0 * rate[i];
  if (sum == 0) return EVALUATE_OK;
  /* Accelerations first: q' is only as bad as x is. */
  int32_t n = m->n_coordinates;
  for (int32_t i = n; i < e->n; i++)
    if (!isfinite(rate[i])) return evaluate_not_finite(e, PART_RATE, i, t);
  for (int32_t i = 0; i < n; i++)
    if (!isfinite(rate[i])) return evaluate_not_finite(e, PART_RATE, i, t);
  return EVALUATE_OK;
}

static enum evaluate_result convert(struct evaluator *e, dyn_function *conversion, double t,
                                    const double *from, double *to) {
  if (!conversion) {
    memcpy(to, from, (size_t)e->n * sizeof *to);
    return EVALUATE_OK;
  }
  enum evaluate_result result = evaluate_function(e, conversion, t, from, to);
  for (int32_t i = 0; i < e->n && !result; i++)
    if (!isfinite(to[i])) result = evaluate_not_finite(e, PART_CONVERSION, i, t);
  return result;
}

enum evaluate_result evaluate_method_state(struct evaluator *e, double t, const double *x,
                                           double *y) {
  return convert(e, e->model->method_state, t, x, y);
}

enum evaluate_result evaluate_natural_state(struct evaluator *e, double t, const double *y,
                                            double *x) {
  return convert(e, e->model->natural_state, t, y, x);
}

enum evaluate_result evaluate_natural_rhs(struct evaluator *e, double t, const double *x,
                                          double *rate) {
  const dyn_model *m = e->model;
  int32_t n = m->n_coordinates;
  if (!m->method_state) return evaluate_rhs(e, t, x, rate);
  enum evaluate_result result = evaluate_method_state(e, t, x, e->y);
  if (!result) result = evaluate_rhs(e, t, e->y, rate);
  if (!result) result = evaluate_function(e, m->acceleration, t, x, rate + n);
  if (result) return result;
  memcpy(rate, x + n, (size_t)n * sizeof *rate);
  for (int32_t i = n; i < 2 * n; i++)
    if (!isfinite(rate[i])) return evaluate_not_finite(e, PART_RATE, i, t);
  return EVALUATE_OK;
}

enum evaluate_result evaluate_jacobian(struct evaluator *e, double t, const double *x,
                                       double *entries) {
  const dyn_model *m = e->jacobian_model;
  e->jacobian_evaluations++;
  enum evaluate_result result = evaluate_inputs(e, t);
  if (result) return result;
  int k = m->jacobian(m, t, x, e->u, e->problem->p, e->work, entries);
  if (k > 0) return lost_rank(e, k - 1, t);
  for (int32_t j = 0; j < m->n_state; j++)
    for (int32_t i = m->jacobian_pattern->columns[j]; i < m->jacobian_pattern->columns[j + 1]; i++)
      if (!isfinite(entries[i]))
        return evaluate_not_finite(e, PART_RATE, m->jacobian_pattern->rows[i], t);
  return EVALUATE_OK;
}

enum evaluate_result evaluate_function(struct evaluator *e, dyn_function *function, double t,
                                       const double *x, double *out) {
  enum evaluate_result result = evaluate_inputs(e, t);
  if (result) return result;
  int k = function(e->model, t, x, e->u, e->problem->p, e->work, out);
  return k > 0 ? lost_rank(e, k - 1, t) : EVALUATE_OK;
}

const char *state_name(const dyn_model *m, int32_t i) {
  if (i < m->n_coordinates) return m->coordinates[i].name;
  i -= m->n_coordinates;
  if (i < m->n_coordinates) return m->velocities[i].name;
  return m->rates[i - m->n_coordinates].name;
}

const char *integrated_name(const dyn_model *m, int32_t i) {
  int32_t n = m->n_coordinates;
  return m->method_variables && i >= n && i < 2 * n ? m->method_variables[i - n].name
                                                    : state_name(m, i);
}

const char *state_unit(const dyn_model *m, int32_t i) {
  if (i < m->n_coordinates) return m->coordinates[i].unit;
  i -= m->n_coordinates;
  if (i < m->n_coordinates) return m->velocities[i].unit;
  return m->rates[i - m->n_coordinates].unit;
}

/* "θ = 0.3 rad, θ' = 2 rad/s": the state, as far as it fits a line. */
void message_add_state(dyn_message *message, const dyn_model *m, const double *x) {
  int32_t shown = m->n_state <= 6 ? m->n_state : 4;
  for (int32_t i = 0; i < shown; i++) {
    const char *unit = state_unit(m, i);
    int plain = unit_is_plain(unit);
    message_add(message, "%s%s = %.6g%s%s", i ? ", " : "", state_name(m, i), x[i] + 0.0,
                plain ? "" : " ", plain ? "" : unit);
  }
  if (shown < m->n_state) message_add(message, ", ...");
}

static void rank_message(const struct evaluator *e, const double *x, dyn_message *message) {
  const dyn_model *m = e->model;
  int32_t i = e->failed, constraint = i - m->n_coordinates;
  const char *matrix =
      m->n_constraints > 0 ? "the mass matrix (with the constraints)" : "the mass matrix";
  if (constraint >= 0 && constraint < m->n_constraints) {
    message_set(message, DYN_RANK_LOST,
                "the equations of motion have no unique solution at t = %.9g s: the constraint %s "
                "depends on the others there and contradicts them, or leaves a motion without "
                "inertia",
                e->failed_t, m->constraints[constraint].name);
    return;
  }
  dyn_message place = {""};
  if (x) dyn_singular_place(e->problem, e->failed_t, x, &place);
  int known = i >= 0 && i < m->n_coordinates;
  if (place.text[0])
    message_set(message, DYN_RANK_LOST, "%s is singular at t = %.9g s, %s", matrix, e->failed_t,
                place.text);
  else
    message_set(message, DYN_RANK_LOST, "%s lost rank%s%s at t = %.9g s", matrix,
                known ? " at " : "", known ? m->coordinates[i].name : "", e->failed_t);
}

static void range_message(const struct evaluator *e, dyn_message *message) {
  const dyn_model *m = e->model;
  int32_t n = m->n_coordinates;
  const char *before = "", *after = "", *name;
  if (e->failed_part == PART_CONVERSION) {
    message_set(message, DYN_OUT_OF_RANGE,
                "the variables of the method %s do not determine the velocities at t = %.9g s: %s "
                "is not a finite number",
                m->method, e->failed_t, state_name(m, e->failed));
    return;
  }
  if (e->failed_part == PART_CONSTRAINT || e->failed_part == PART_CONSTRAINT_RATE) {
    before = e->failed_part == PART_CONSTRAINT ? "the constraint "
                                               : "the derivative by time of the constraint ";
    name = m->constraints[e->failed].name;
  } else if (e->failed_part == PART_MULTIPLIER) {
    name = m->constraints[e->failed].multiplier_name;
  } else {
    int is_own = m->method_variables && e->failed >= n;
    after = e->failed >= 2 * n || is_own ? "'" : "";
    name = e->failed < n       ? m->velocities[e->failed].name
           : is_own            ? integrated_name(m, e->failed)
           : e->failed < 2 * n ? m->accelerations[e->failed - n].name
                               : m->rates[e->failed - 2 * n].name;
  }
  message_set(message, DYN_OUT_OF_RANGE, "%s%s%s left the range of numbers at t = %.9g s", before,
              name, after, e->failed_t);
}

dyn_status evaluate_failure_message(const struct evaluator *e, const double *x,
                                    dyn_message *message) {
  const dyn_model *m = e->model;
  dyn_status status = e->failure == EVALUATE_RANK_LOST ? DYN_RANK_LOST : DYN_OUT_OF_RANGE;
  if (e->failure == EVALUATE_RANK_LOST)
    rank_message(e, x, message);
  else if (e->failed_part == PART_INPUT)
    message_set(message, status, "the input %s is not a finite number at t = %.9g s",
                m->inputs[e->failed].name, e->failed_t);
  else
    range_message(e, message);
  if (x && m->n_state > 0) {
    message_add(message, " (near ");
    message_add_state(message, m, x);
    message_add(message, ")");
  }
  return status;
}
