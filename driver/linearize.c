/* dyn linearize: the linear equations near an equilibrium or a steady motion. */
#include "driver/commands.h"
#include "driver/linear_print.h"
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_AT, "--at", NULL, "NAME=VALUE,...", NULL,
     "the state: --at \"θ=0.3, φ'=2\"; those not given keep the model's start\n"
     "values, or follow from the constraints"},
    {OPTION_TIME, "--time", NULL, "SECONDS", NULL, "the time t (default: 0)"},
    {OPTION_INPUT, "--input", NULL, "NAME=VALUE", NULL,
     "an input as an expression of t, or file.csv[:column]; it keeps its value at t"},
    {OPTION_JSON, "--json", NULL, NULL, NULL, "print one JSON object"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

static const char details[] =
    "Coordinates and velocities that constraints determine are eliminated. The state must be an\n"
    "equilibrium or a steady motion: coordinates may move evenly if nothing depends on them, and\n"
    "are then left out. Derivatives are exact.\n";

static int refuse(struct session *session, enum diagnostic_code code, const char *why) {
  diagnostic_add(session_context(session), code, nowhere, why, NULL);
  return EXIT_NUMERICAL;
}

static void refuse_unsteady(struct session *session, const char *why) {
  dyn_context *context = session_context(session);
  struct diagnostic *d = diagnostic_add(context, DIAG_NOT_STEADY, nowhere, why, NULL);
  diagnostic_help(context, d,
                  "--at gives the state; 'dyn equilibrium' finds one of rest, with --steady one of "
                  "steady motion, near what --at says");
}

/* A state is neutral if its change changes nothing but neutral states found before: its eigenvalue
 * is exactly 0, and has no say in the stability of the others. */
static void find_neutral(struct linear_report *r) {
  bool found = true;
  r->is_neutral = checked_calloc((size_t)r->count + 1, sizeof *r->is_neutral);
  while (found) {
    found = false;
    for (int32_t j = 0; j < r->count; j++) {
      bool acts = r->is_neutral[j];
      for (int32_t i = 0; i < r->count && !acts; i++)
        acts = !r->is_neutral[i] && r->a[i + (ptrdiff_t)j * r->count] != 0;
      if (acts) continue;
      r->is_neutral[j] = found = true;
    }
  }
}

/* Keeps what does not move. */
static void select_states(struct linear_report *r) {
  const dyn_linear_system *s = &r->values->system;
  size_t w = (size_t)s->n_states;
  r->shown = checked_calloc(w + 1, sizeof *r->shown);
  for (int32_t i = 0; i < s->n_states; i++)
    if (!r->steady->is_moving[i]) r->shown[r->count++] = i;
  size_t count = (size_t)r->count;
  r->a = checked_calloc(count * count + 1, sizeof *r->a);
  r->modes = checked_calloc(count + 1, sizeof *r->modes);
  for (size_t j = 0; j < count; j++)
    for (size_t i = 0; i < count; i++)
      r->a[i + j * count] = s->a[(size_t)r->shown[i] + (size_t)r->shown[j] * w];
  find_neutral(r);
}

static void note_outputs(struct session *session, const struct linear_report *r) {
  const dyn_model *model = r->analysis->model;
  struct text names = {0};
  for (int32_t i = model->n_speeds; i < model->n_outputs; i++)
    if (r->steady->is_output_moving[i])
      text_format(&names, "%s'%s'", names.length > 0 ? ", " : "", model->outputs[i].name);
  if (names.length > 0)
    diagnostic_add(session_context(session), DIAG_OUTPUT_NOT_STEADY, nowhere, text_string(&names),
                   NULL);
  text_free(&names);
}

/* A held value has no rate, so that a controller that is sampled is not in the loop. */
static void note_samples(struct session *session, const dyn_model *model) {
  struct text names = {0};
  for (int32_t i = 0; i < model->n_events; i++)
    if (model->events[i].flags & DYN_EVENT_PERIODIC)
      text_format(&names, "%s'%s'", names.length > 0 ? ", " : "", model->events[i].text);
  if (names.length > 0)
    diagnostic_add(session_context(session), DIAG_SAMPLES_LEFT_OUT, nowhere, text_string(&names),
                   NULL);
  text_free(&names);
}

static int print(struct session *session, struct linear_report *r, linear_printer *put_text,
                 linear_printer *put_json) {
  struct text out = {0};
  dyn_message message = {""};
  select_states(r);
  int status = EXIT_NUMERICAL;
  if (dyn_linear_modes(r->count, r->a, r->modes, &message) != DYN_DONE) {
    refuse(session, DIAG_NO_LINEAR_EQUATIONS, message.text);
  } else {
    note_outputs(session, r);
    note_samples(session, r->analysis->model);
    if (session_option(session, OPTION_JSON) != NULL)
      put_json(r, &out);
    else
      put_text(r, &out);
    if (session_write_output(session, &out)) status = EXIT_DONE;
  }
  text_free(&out);
  free(r->shown);
  free(r->a);
  free(r->modes);
  free(r->is_neutral);
  return status;
}

static bool is_independent(const struct linear_analysis *a, int32_t coordinate) {
  for (int32_t i = 0; i < a->choice.n_velocities; i++)
    if (a->choice.velocities[i] == coordinate) return true;
  return false;
}

/* A velocity that changes in a steady motion only because it is an unlucky variable (the contact of
 * a disc that rolls in a circle) is made dependent, one after the other, as long as that is
 * possible. The reason told is the first. */
static dyn_status look(struct linear_analysis *a, struct linear_state_values *values,
                       struct steady *steady, dyn_message *message) {
  struct steady first = {0};
  for (;;) {
    dyn_status status = linear_choose(a, values, message);
    if (!status && steady->blamed >= 0 && is_independent(a, steady->blamed)) break;
    if (!status) status = linear_reduce(a, values, message);
    if (!status) status = linear_clean(a, a->t, values, message);
    steady_clear(steady);
    if (!status) steady_find(a, values, steady);
    if (first.reason[0] == '\0') first = *steady;
    if (status || steady->reason[0] == '\0' || steady->blamed < 0 || a->is_avoided[steady->blamed])
      return status;
    a->is_avoided[steady->blamed] = true;
  }
  memcpy(steady->reason, first.reason, sizeof first.reason);
  return DYN_DONE;
}

int linear_report_print(struct session *session, struct linear_analysis *a, linear_printer *text,
                        linear_printer *json) {
  struct linear_state_values values = {0};
  struct steady steady = {.blamed = -1};
  struct linear_report report = {.analysis = a, .values = &values, .steady = &steady};
  dyn_message message = {""};
  int status = EXIT_NUMERICAL;
  if (linear_look(a, a->t, a->problem.x, &values, &message) != DYN_DONE ||
      look(a, &values, &steady, &message) != DYN_DONE)
    refuse(session, DIAG_NO_LINEAR_EQUATIONS, message.text);
  else if (steady.reason[0] != '\0')
    refuse_unsteady(session, steady.reason);
  else
    status = print(session, &report, text, json);
  steady_clear(&steady);
  linear_values_clear(&values);
  return status;
}

static int run(struct session *session) {
  struct linear_analysis analysis;
  int status = linear_open(session, &analysis);
  if (status == EXIT_DONE)
    status = linear_report_print(session, &analysis, linear_put_text, linear_put_json);
  linear_close(&analysis);
  return status;
}

const struct command command_linearize = {
    "linearize", "MODEL.dyn", "linear equations near a steady motion", details, options, 1, 1,
    true,        run};
