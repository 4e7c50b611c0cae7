/* The linearised equations at a state: opening the model, evaluating, choosing, reducing. */
#include "driver/linear_state.h"
#include "base/map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANGING 1e-6    /* an acceleration over what the forces alone would give */
#define DEPENDENT_BY 1e3 /* so much more willingly a changing velocity is dependent */

/* ---- opening */

static int assemble(struct linear_analysis *a) {
  dyn_message message = {""};
  int status = problem_assemble(a->session, &a->problem, a->t, NULL);
  if (status != EXIT_DONE) return status;
  a->u = checked_calloc((size_t)a->model->n_inputs + 1, sizeof *a->u);
  status = problem_status(dyn_input_values(&a->problem.model_problem, a->t, a->u, &message));
  if (status != EXIT_DONE)
    diagnostic_add(session_context(a->session), DIAG_NO_VALUES, nowhere, message.text, NULL);
  return status;
}

int linear_open(struct session *session, struct linear_analysis *a) {
  *a = (struct linear_analysis){.session = session};
  if (!option_seconds(session_context(session), session->command, &session->line, OPTION_TIME,
                      &a->t))
    return EXIT_COMMAND_LINE;
  session_override(session, OPTION_AT, DYN_OVERRIDE_START);
  if (!problem_take_inputs(session, &a->problem)) return EXIT_COMMAND_LINE;
  if (session_read_model(session) && compiler_derive(session->compiler, "lagrange"))
    a->model = compiler_interpret(session->compiler);
  if (a->model == NULL || !problem_open(session, &a->problem, a->model))
    return session_fault_status(session);
  int status = assemble(a);
  a->is_avoided = checked_calloc((size_t)a->model->n_coordinates + 1, sizeof *a->is_avoided);
  if (status == EXIT_DONE) a->form = linear_form_new(session->compiler->system);
  if (status != EXIT_DONE || !expr_graph_is_full(session->compiler->model->graph)) return status;
  diagnostic_add(session_context(session), DIAG_EQUATIONS_TOO_LARGE, nowhere, NULL);
  return EXIT_MODEL;
}

void linear_close(struct linear_analysis *a) {
  if (a->form != NULL) linear_form_free(a->form);
  dyn_linear_choice_clear(&a->choice);
  free(a->u);
  free(a->is_avoided);
  problem_close(&a->problem);
}

/* ---- values */

static dyn_status fail(dyn_message *message, dyn_status status, const char *format,
                       const char *name) {
  snprintf(message->text, sizeof message->text, format, name);
  return status;
}

static dyn_status evaluate(const struct linear_analysis *a, double t, struct linear_state_values *v,
                           dyn_message *message) {
  const dyn_model *model = a->model;
  int32_t n = model->n_coordinates, m = model->n_constraints;
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof *work);
  int result = model->rhs(model, t, v->x, a->u, a->problem.p, work, v->rate);
  if (result == DYN_OK && m > 0)
    result = model->multipliers(model, t, v->x, a->u, a->problem.p, work, v->multiplier);
  free(work);
  if (result > n)
    return fail(message, DYN_RANK_LOST,
                "no acceleration satisfies the constraint '%s' together with the others",
                model->constraints[result - 1 - n].name);
  if (result != DYN_OK)
    return fail(message, DYN_RANK_LOST, "nothing determines the acceleration of '%s'",
                model->coordinates[result - 1].name);
  for (int32_t i = 0; i < model->n_state; i++)
    if (!isfinite(v->rate[i]))
      return fail(message, DYN_OUT_OF_RANGE, "%s is not a finite number", linear_rate_name(a, i));
  return DYN_DONE;
}

dyn_status linear_look(struct linear_analysis *a, double t, const double *x,
                       struct linear_state_values *v, dyn_message *message) {
  size_t n_state = (size_t)a->model->n_state, m = (size_t)a->model->n_constraints;
  linear_values_clear(v);
  v->x = checked_calloc(2 * n_state + m + 2, sizeof *v->x);
  v->rate = v->x + n_state;
  v->multiplier = v->rate + n_state;
  memcpy(v->x, x, n_state * sizeof *x);
  dyn_status status = evaluate(a, t, v, message);
  struct linear_state state = {.t = t,
                               .x = v->x,
                               .u = a->u,
                               .p = a->problem.p,
                               .acceleration = v->rate + a->model->n_coordinates,
                               .multiplier = v->multiplier};
  if (!status) linear_equations_at(a->form, &state, &v->equations);
  return status;
}

dyn_status linear_reduce(struct linear_analysis *a, struct linear_state_values *v,
                         dyn_message *message) {
  dyn_linear_system_clear(&v->system);
  return dyn_linear_reduce(&v->equations, &a->choice, &v->system, message);
}

/* ---- rounding
 *
 * What cancels inside an expression shows when every number is changed in its last places: an entry
 * that is there keeps all but a few of its digits, one that is rounding is another number
 * altogether. Source: Higham, Accuracy and Stability of Numerical Algorithms (2nd ed.), 26.5. */

#define SHAKE 0x1p-50
enum { SHAKES = 4, NOISE = 16 };

static void shake(double *values, size_t count, uint64_t *random) {
  for (size_t i = 0; i < count; i++) {
    *random = hash_mix(*random + 1);
    values[i] *= 1 + ((double)(*random >> 11) * 0x1p-52 - 1) * SHAKE;
  }
}

static void learn(const double *value, const double *shaken, size_t count, double *size) {
  for (size_t i = 0; i < count; i++) size[i] = fmax(size[i], fabs(shaken[i] - value[i]) / SHAKE);
}

static void drop(double *value, const double *size, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (fabs(value[i]) <= NOISE * SHAKE * size[i]) value[i] = 0;
}

dyn_status linear_clean(struct linear_analysis *a, double t, struct linear_state_values *v,
                        dyn_message *message) {
  size_t w = (size_t)v->system.n_states, outputs = (size_t)v->system.outputs;
  size_t parameters = (size_t)a->model->n_parameters, n_state = (size_t)a->model->n_state;
  double *p = a->problem.p, *shaken = checked_calloc(parameters + n_state + 1, sizeof *shaken);
  uint64_t random = 0x5a4e;
  dyn_status status = DYN_DONE;
  for (int i = 0; i < SHAKES && !status; i++) {
    struct linear_state_values other = {0};
    memcpy(shaken, p, parameters * sizeof *p);
    memcpy(shaken + parameters, v->x, n_state * sizeof *p);
    shake(shaken, parameters + n_state, &random);
    a->problem.p = shaken;
    a->problem.model_problem.p = shaken;
    status = dyn_linear_complete(&a->problem.model_problem, &a->choice, t, shaken + parameters,
                                 message); /* what is 0 but for rounding gets another rounding */
    if (!status) status = linear_look(a, t, shaken + parameters, &other, message);
    if (!status) status = linear_reduce(a, &other, message);
    if (!status) {
      learn(v->system.a, other.system.a, w * w, v->system.a_size);
      learn(v->system.c, other.system.c, outputs * w, v->system.c_size);
    }
    a->problem.p = p;
    a->problem.model_problem.p = p;
    linear_values_clear(&other);
  }
  drop(v->system.a, v->system.a_size, w * w);
  drop(v->system.c, v->system.c_size, outputs * w);
  free(shaken);
  return status;
}

void linear_values_clear(struct linear_state_values *v) {
  free(v->x);
  linear_equations_clear(&v->equations);
  dyn_linear_system_clear(&v->system);
  *v = (struct linear_state_values){0};
}

/* ---- the choice */

/* Velocities are compared by the root of their masses; those without a mass come first. */
static double *preferences(const struct linear_analysis *a, const struct linear_state_values *v) {
  size_t n = (size_t)a->model->n_coordinates;
  double *preference = checked_calloc(n + 1, sizeof *preference), largest = 0, pull = 0;
  for (size_t j = 0; j < n; j++) {
    double mass = v->equations.mass[j + j * n];
    preference[j] = mass > 0 ? 1 / sqrt(mass) : 0;
    largest = fmax(largest, preference[j]);
    pull = fmax(pull, fabs(v->equations.forcing[j]) * preference[j]);
  }
  for (size_t j = 0; j < n; j++) {
    double change = preference[j] > 0 ? fabs(v->rate[n + j]) / preference[j] : 0;
    if (preference[j] == 0) preference[j] = largest > 0 ? DEPENDENT_BY * largest : 1;
    if (change > CHANGING * pull) preference[j] *= DEPENDENT_BY;
    if (a->is_avoided[j]) preference[j] *= DEPENDENT_BY * DEPENDENT_BY;
  }
  return preference;
}

dyn_status linear_choose(struct linear_analysis *a, const struct linear_state_values *v,
                         dyn_message *message) {
  double *preference = preferences(a, v);
  dyn_linear_choice_clear(&a->choice);
  dyn_status status = dyn_linear_choose(&a->problem.model_problem, a->t, v->x, &v->equations,
                                        preference, &a->choice, message);
  free(preference);
  return status;
}

/* ---- names */

int32_t linear_index(const struct linear_analysis *a, int32_t i) {
  const dyn_linear_choice *c = &a->choice;
  int32_t n = a->model->n_coordinates, moving = c->n_coordinates + c->n_velocities;
  if (i < c->n_coordinates) return c->coordinates[i];
  return i < moving ? n + c->velocities[i - c->n_coordinates] : 2 * n + i - moving;
}

const char *linear_rate_name(const struct linear_analysis *a, int32_t i) {
  int32_t n = a->model->n_coordinates;
  if (i < n) return a->model->velocities[i].name;
  if (i < 2 * n) return a->model->accelerations[i - n].name;
  return arena_format(&session_context(a->session)->arena, "%s'", a->model->rates[i - 2 * n].name);
}
