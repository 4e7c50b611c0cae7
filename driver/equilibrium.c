/* dyn equilibrium: the state near the one given at which nothing accelerates, and whether it is
 * stable.
 *
 * Newton's method on the reduced equations: independent coordinates and states z move, velocities
 * stay, the others follow from the constraints. Steps are halved until the accelerations fall, in
 * the norm of the masses; coordinates on which nothing depends stay where they are. Where that ends
 * short of zero, the motion with overwhelming friction is followed downhill.
 * Source: Dennis, Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear
 * Equations, 6.3; Kelley, Keyes, SIAM J. Numer. Anal. 35 (1998) 508. */
#include "driver/columns.h"
#include "driver/commands.h"
#include "driver/linear_print.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_AT, "--at", NULL, "NAME=VALUE,...", NULL,
     "where to look: --at \"θ=0.3\"; those not given begin at the model's start values"},
    {OPTION_STEADY, "--steady", NULL, NULL, NULL,
     "a steady motion: velocities keep the values they start with (--at \"ψ'=2\")\n"
     "instead of being 0"},
    {OPTION_TIME, "--time", NULL, "SECONDS", NULL, "the time t (default: 0)"},
    {OPTION_INPUT, "--input", NULL, "NAME=VALUE", NULL,
     "an input as an expression of t, or file.csv[:column]; it keeps its value at t"},
    {OPTION_JSON, "--json", NULL, NULL, NULL, "print one JSON object"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

static const char details[] =
    "Finds a state near the one given at which all accelerations are 0, under the constraints, "
    "and\n"
    "tells multipliers, eigenvalues and stability. Coordinates that nothing depends on stay where\n"
    "they are.\n";

enum { MOST_STEPS = 200, MOST_HALVINGS = 40, MOST_DOWN = 1000 };
#define LONGEST 0.5     /* change of an angle, or of another pure number, in a step */
#define CONVERGED 1e-15 /* a step beside the state and the way gone */
#define ROUNDING 1e-14  /* of the accelerations at the beginning */
#define DOWN 1e-3       /* so much of them is left where Newton's method may take over again */
#define NEAR 1e-9       /* ... where rounding ended the search */

struct search {
  struct linear_analysis *a;
  struct linear_state_values at, trial;
  double *x, *x_trial;        /* n_state */
  double *size, *rate, *step; /* by entries of the reduced state at `at` */
  double norm, first_norm;    /* of the rates; at the beginning */
  double way;                 /* the largest that state and steps were */
  dyn_message message;
};

/* The unit in which entry i of the reduced state is measured. */
static double size_of(const struct search *s, int32_t i) {
  int32_t index = linear_index(s->a, i), n = s->a->model->n_coordinates;
  if (index >= 2 * n) return 1;
  double mass = s->at.equations.mass[(index % n) * (n + 1)];
  return mass > 0 ? 1 / sqrt(mass) : 1;
}

/* The rates that are to become 0, in these units. */
static double norm_of(const struct search *s, const struct linear_state_values *v) {
  double sum = 0;
  for (int32_t i = s->a->choice.n_coordinates; i < s->at.system.n_states; i++) {
    double r = v->rate[linear_index(s->a, i)] / s->size[i];
    sum += r * r;
  }
  return sqrt(sum);
}

/* Everything at s->x: a new choice, sizes and rates. */
static dyn_status look(struct search *s) {
  struct linear_analysis *a = s->a;
  dyn_status status = linear_look(a, a->t, s->x, &s->at, &s->message);
  if (!status) status = linear_choose(a, &s->at, &s->message);
  if (!status) status = linear_reduce(a, &s->at, &s->message);
  if (status) return status;
  double sum = 0;
  for (int32_t i = 0; i < s->at.system.n_states; i++) {
    int32_t index = linear_index(a, i);
    s->size[i] = size_of(s, i);
    s->rate[i] = s->at.rate[index];
    if (index < a->model->n_coordinates || index >= 2 * a->model->n_coordinates)
      sum += pow(s->x[index] / s->size[i], 2);
  }
  s->norm = norm_of(s, &s->at);
  s->way = fmax(s->way, sqrt(sum));
  return DYN_DONE;
}

/* Linear equations say little about what is a turn away. */
static void shorten_step(struct search *s) {
  double longest = 0;
  for (int32_t i = 0; i < s->at.system.n_states; i++) {
    const char *unit = problem_state_variable(s->a->model, linear_index(s->a, i))->unit;
    if (strcmp(unit, "rad") == 0 || strcmp(unit, "1") == 0)
      longest = fmax(longest, fabs(s->step[i]));
  }
  for (int32_t i = 0; i < s->at.system.n_states && longest > LONGEST; i++)
    s->step[i] *= LONGEST / longest;
}

static double step_length(const struct search *s) {
  double sum = 0;
  for (int32_t i = 0; i < s->at.system.n_states; i++) sum += pow(s->step[i] / s->size[i], 2);
  return sqrt(sum);
}

/* The state after a part of the step, on the constraints, and what moves there. */
static bool try_step(struct search *s, double part) {
  struct linear_analysis *a = s->a;
  memcpy(s->x_trial, s->x, (size_t)a->model->n_state * sizeof *s->x);
  for (int32_t i = 0; i < s->at.system.n_states; i++)
    s->x_trial[linear_index(a, i)] += part * s->step[i];
  return !dyn_linear_complete(&a->problem.model_problem, &a->choice, a->t, s->x_trial,
                              &s->message) &&
         !linear_look(a, a->t, s->x_trial, &s->trial, &s->message);
}

static void take(struct search *s) {
  double *x = s->x;
  s->x = s->x_trial;
  s->x_trial = x;
}

/* One step; 1: taken, 0: no part of it makes the rates less. */
static int descend(struct search *s) {
  double part = 1;
  for (int i = 0; i < MOST_HALVINGS; i++, part /= 2) {
    if (!try_step(s, part) || !(norm_of(s, &s->trial) < (1 - 1e-4 * part) * s->norm)) continue;
    take(s);
    return 1;
  }
  return 0;
}

/* What is 0 but for rounding is 0, if that does no harm. */
static dyn_status tidy(struct search *s) {
  bool any = false;
  for (int32_t i = 0; i < s->at.system.n_states; i++) {
    double x = s->x[linear_index(s->a, i)];
    bool is_moving =
        i >= s->a->choice.n_coordinates && linear_index(s->a, i) < 2 * s->a->model->n_coordinates;
    bool is_rounding = !is_moving && x != 0 && fabs(x) <= 10 * CONVERGED * s->size[i] * s->way;
    s->step[i] = is_rounding ? -x : 0;
    any = any || is_rounding;
  }
  if (!any || !try_step(s, 1) || norm_of(s, &s->trial) > s->norm) return DYN_DONE;
  take(s);
  return look(s);
}

/* "θ'' = -9.81 rad/s^2": the rate that is furthest from 0. */
static void describe(struct search *s) {
  const dyn_model *model = s->a->model;
  int32_t n = model->n_coordinates, worst = 0;
  double largest = -1;
  for (int32_t i = s->a->choice.n_coordinates; i < s->at.system.n_states; i++) {
    double r = fabs(s->rate[i] / s->size[i]);
    if (r <= largest) continue;
    largest = r;
    worst = linear_index(s->a, i);
  }
  bool has_unit = worst >= n && worst < 2 * n;
  snprintf(s->message.text, sizeof s->message.text, "%s stays at %.6g%s%s",
           linear_rate_name(s->a, worst), s->at.rate[worst], has_unit ? " " : "",
           has_unit ? model->accelerations[worst - n].unit : "");
}

static dyn_status find_step(struct search *s, double shift) {
  dyn_status status =
      dyn_linear_rest(&s->at.system, &s->a->choice, s->size, s->rate, shift, s->step, &s->message);
  if (!status) shorten_step(s);
  return status;
}

/* Newton's method. DYN_NO_PROGRESS where no part of a step makes the rates less. */
static dyn_status go_to_zero(struct search *s) {
  dyn_status status = DYN_DONE;
  for (int i = 0; i < MOST_STEPS && !status && s->norm > 0; i++) {
    if ((status = find_step(s, 0))) return status;
    double length = step_length(s);
    s->way = fmax(s->way, length);
    if (length == 0 || !descend(s))
      return length > 0 && length <= NEAR * s->way ? DYN_DONE : DYN_NO_PROGRESS;
    status = look(s);
    if (length <= CONVERGED * s->way) return status;
  }
  return status || s->norm == 0 ? status : DYN_NO_PROGRESS;
}

/* Whether the step goes where the accelerations point. */
static bool goes_along(const struct search *s) {
  const dyn_linear_choice *c = &s->a->choice;
  double product = 0;
  for (int32_t i = 0, k = 0; i < c->n_coordinates; i++) {
    while (k < c->n_velocities && c->velocities[k] < c->coordinates[i]) k++;
    if (k < c->n_velocities && c->velocities[k] == c->coordinates[i])
      product += s->step[i] * s->rate[c->n_coordinates + k] / (s->size[i] * s->size[i]);
  }
  return product >= 0;
}

/* Downhill, with steps that grow as the rates fall (pseudo-transient continuation), until Newton's
 * method is near enough. */
static dyn_status go_down(struct search *s) {
  double shift = s->norm, begin = s->norm;
  dyn_status status = DYN_DONE;
  for (int i = 0; i < MOST_DOWN && !status && s->norm > DOWN * begin; i++) {
    double before = s->norm;
    status = find_step(s, shift);
    for (; !status && !goes_along(s) && shift < 1e300; status = find_step(s, shift)) shift *= 4;
    s->way = fmax(s->way, step_length(s));
    if (!status && !try_step(s, 1)) return DYN_NO_PROGRESS;
    if (!status) take(s);
    if (!status) status = look(s);
    shift *= fmin(2, fmax(0.2, s->norm / before));
  }
  return status;
}

static dyn_status search(struct search *s) {
  dyn_status status = look(s);
  s->first_norm = s->norm;
  if (!status) status = go_to_zero(s);
  if (status == DYN_NO_PROGRESS) {
    status = go_down(s);
    if (!status) status = go_to_zero(s);
  }
  if (status == DYN_NO_PROGRESS) describe(s);
  if (!status) status = tidy(s);
  s->a->rest = ROUNDING * s->first_norm;
  return status;
}

/* ---------------------------------------------------------------- the beginning */

/* Velocities are 0, or those that the state begins with; either way they obey the constraints. */
static dyn_status begin(struct search *s, bool is_steady) {
  struct linear_analysis *a = s->a;
  const dyn_model *model = a->model;
  size_t n_state = (size_t)model->n_state, n = (size_t)model->n_coordinates;
  s->x = checked_calloc(5 * (n_state + 1), sizeof *s->x);
  s->x_trial = s->x + n_state + 1;
  s->size = s->x_trial + n_state + 1;
  s->rate = s->size + n_state + 1;
  s->step = s->rate + n_state + 1;
  memcpy(s->x, a->problem.x, n_state * sizeof *s->x);
  if (is_steady) return DYN_DONE;
  memset(s->x + n, 0, n * sizeof *s->x);
  dyn_status status = linear_look(a, a->t, s->x, &s->at, &s->message);
  if (!status) status = linear_choose(a, &s->at, &s->message);
  if (!status)
    status = dyn_linear_complete(&a->problem.model_problem, &a->choice, a->t, s->x, &s->message);
  for (size_t j = 0; j < n && !status; j++) {
    if (fabs(s->x[n + j]) <= 1e-12) continue;
    snprintf(s->message.text, sizeof s->message.text,
             "the constraints make %s = %.6g %s: time moves them", model->velocities[j].name,
             s->x[n + j], model->velocities[j].unit);
    status = DYN_CONFLICT;
  }
  return status;
}

/* A velocity that is given and not kept would be ignored. */
static bool check_options(struct session *session, bool is_steady) {
  for (uint32_t i = 0; i < session->line.options.count; i++) {
    const struct option_value *value = &session->line.options.items[i];
    if (is_steady || value->id != OPTION_AT || strchr(value->text, '\'') == NULL) continue;
    report_bad_value(session_context(session), "--at", value->text,
                     "velocities are 0 in an equilibrium; --steady keeps those that are given");
    return false;
  }
  return true;
}

/* ---------------------------------------------------------------- printing */

static void add_row(struct columns *table, const char *name, double value, const char *unit) {
  struct text number = {0}, bracket = {0};
  text_format(&number, "%.15g", value + 0.0);
  text_format(&bracket, "[%s]", unit);
  columns_add(table, (const char *const[]){name, text_string(&number), text_string(&bracket)});
  text_free(&number);
  text_free(&bracket);
}

static bool moves(const struct linear_report *r) {
  int32_t n = r->analysis->model->n_coordinates;
  for (int32_t i = n; i < 2 * n; i++)
    if (r->values->x[i] != 0) return true;
  return false;
}

/* Whether a bare number on the command line would be read in another unit than that of x[i]: after
 * 'coord θ = 60 [deg]', --at θ=1 means a degree. */
static bool needs_unit(const struct linear_report *r, int32_t i) {
  const struct model *source = r->analysis->session->compiler->model;
  int32_t n = r->analysis->model->n_coordinates;
  const struct model_name *id =
      i < 2 * n ? &source->coordinates.items[i % n].id : &source->states.items[i - 2 * n].id;
  return !expr_is_integer_value(source->graph, id->unit.scale, 1);
}

/* What 'dyn linearize' and 'dyn eval' take. */
static void put_at(const struct linear_report *r, struct text *out) {
  const dyn_model *model = r->analysis->model;
  bool is_moving = moves(r);
  int32_t n = model->n_coordinates, put = 0;
  for (int32_t i = 0; i < model->n_state; i++) {
    if (i >= n && i < 2 * n && !is_moving) continue;
    const dyn_variable *variable = problem_state_variable(model, i);
    text_format(out, "%s%s=%.17g", put++ > 0 ? ", " : "", variable->name, r->values->x[i] + 0.0);
    if (needs_unit(r, i)) text_format(out, " [%s]", variable->unit);
  }
}

static void put_text(const struct linear_report *r, struct text *out) {
  const dyn_model *model = r->analysis->model;
  int32_t n = model->n_coordinates;
  struct columns state = {.count = 3}, multipliers = {.count = 3};
  bool is_moving = moves(r);
  text_format(out, "%s: %s at t = ", model->name, is_moving ? "steady motion" : "equilibrium");
  text_number(out, r->analysis->t);
  text_put(out, " s\n");
  for (int32_t i = 0; i < model->n_state; i++) {
    const dyn_variable *variable = problem_state_variable(model, i);
    if (i < n || i >= 2 * n || is_moving)
      add_row(&state, variable->name, r->values->x[i], variable->unit);
  }
  columns_print(&state, 2, out);
  if (model->n_constraints > 0) text_put(out, "multipliers\n");
  for (int32_t k = 0; k < model->n_constraints; k++)
    add_row(&multipliers, model->constraints[k].multiplier_name, r->values->multiplier[k],
            model->constraints[k].multiplier_unit);
  columns_print(&multipliers, 2, out);
  if (model->n_constraints > 0 && r->values->multiplier[model->n_constraints] > 0)
    text_put(out, "  not unique: constraints depend on each other; those of least norm\n");
  linear_put_stability(r, out);
  text_put(out, "--at \"");
  put_at(r, out);
  text_put(out, "\"\n");
}

static void json_value(struct text *out, int32_t *count, const char *name, double value) {
  text_put(out, (*count)++ > 0 ? ", " : "");
  text_json_string(out, name);
  text_put(out, ": ");
  text_json_number(out, value + 0.0);
}

static void put_json(const struct linear_report *r, struct text *out) {
  const dyn_model *model = r->analysis->model;
  struct text at = {0};
  int32_t count = 0, multipliers = 0, m = model->n_constraints;
  text_put(out, "{\n  \"t\": ");
  text_json_number(out, r->analysis->t);
  text_put(out, ",\n  \"values\": {");
  for (int32_t i = 0; i < model->n_state; i++)
    json_value(out, &count, problem_state_variable(model, i)->name, r->values->x[i]);
  text_put(out, "},\n  \"multipliers\": {");
  for (int32_t k = 0; k < m; k++)
    json_value(out, &multipliers, model->constraints[k].name, r->values->multiplier[k]);
  text_format(out, "},\n  \"multipliers_are_unique\": %s,\n  \"at\": ",
              m > 0 && r->values->multiplier[m] > 0 ? "false" : "true");
  put_at(r, &at);
  text_json_string(out, text_string(&at));
  text_free(&at);
  text_put(out, ",\n  \"residual\": ");
  text_json_number(out, r->steady->residual);
  text_put(out, ",\n");
  linear_put_stability_json(r, out);
}

/* ---------------------------------------------------------------- the command */

static int find(struct session *session, struct linear_analysis *a, bool is_steady) {
  struct search s = {.a = a};
  int status = EXIT_NUMERICAL;
  dyn_status found = begin(&s, is_steady);
  double *memory = s.x;
  if (!found) found = search(&s);
  if (found)
    diagnostic_add(session_context(session), DIAG_NO_EQUILIBRIUM, nowhere, s.message.text, NULL);
  else {
    memcpy(a->problem.x, s.x, (size_t)a->model->n_state * sizeof *s.x);
    status = linear_report_print(session, a, put_text, put_json);
  }
  linear_values_clear(&s.at);
  linear_values_clear(&s.trial);
  free(memory);
  return status;
}

static int run(struct session *session) {
  struct linear_analysis analysis;
  bool is_steady = session_option(session, OPTION_STEADY) != NULL;
  if (!check_options(session, is_steady)) return EXIT_COMMAND_LINE;
  int status = linear_open(session, &analysis);
  if (status == EXIT_DONE) status = find(session, &analysis, is_steady);
  linear_close(&analysis);
  return status;
}

const struct command command_equilibrium = {
    "equilibrium", "MODEL.dyn", "a state of rest nearby, and its stability", details, options, 1, 1,
    true,          run};
