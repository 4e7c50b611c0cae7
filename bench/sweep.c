/* Trajectories per second and core, one by one and in the lanes of vectors.
 *
 *   sweep MODEL COUNT UNTIL TOLERANCE
 *
 * The double pendulum COUNT times from rest, its angles spread over 0.2 to 1.6 rad. Prints, for one
 * by one with the generated step, 4 lanes and 8: trajectories per second of processor time (0: none
 * of so many lanes); then accepted steps of a trajectory, and the largest difference at the end
 * between lanes and one by one. No rows are written. */
#include <dyn/dyn.h>
#include <dyn/dyn_ensemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MEMBERS = 8, STATES = 4, MOST_PARAMETERS = 16 };

struct work {
  const double *p;
  dyn_run_options options;
  int32_t n_parameters;
  int count, begun;
  double *ends; /* count states */
  int64_t steps;
  int failed;
};

static double seconds_of_processor(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Between 0 and 1, evenly spread: multiples of an irrational number. */
static double spread(int i, double ratio) {
  double x = (i + 1) * ratio;
  return x - floor(x);
}

static int next(void *user, dyn_member *member) {
  struct work *w = user;
  if (w->begun == w->count) return 0;
  double *end = w->ends + (size_t)STATES * (size_t)w->begun;
  member->user = end;
  member->x[0] = 0.2 + 1.4 * spread(w->begun, 0.7548776662466927);
  member->x[1] = 0.2 + 1.4 * spread(w->begun, 0.5698402909980532);
  member->x[2] = member->x[3] = 0;
  memcpy(member->p, w->p, (size_t)w->n_parameters * sizeof(double));
  member->options = w->options;
  w->begun++;
  return 1;
}

static int done(void *user, dyn_member *member) {
  struct work *w = user;
  memcpy(member->user, member->x, STATES * sizeof(double));
  w->steps += member->summary.steps;
  w->failed |= member->summary.status != DYN_DONE;
  return 0;
}

/* Trajectories per second. */
static double run(struct work *w, const dyn_model *model, const struct dyn_lanes *lanes) {
  dyn_member members[MEMBERS] = {{0}};
  double x[MEMBERS][STATES], p[MEMBERS][MOST_PARAMETERS];
  dyn_ensemble ensemble = {.model = model,
                           .members = members,
                           .n_members = MEMBERS,
                           .lanes = lanes,
                           .user = w,
                           .next = next,
                           .done = done};
  for (int i = 0; i < MEMBERS; i++) {
    members[i].x = x[i];
    members[i].p = p[i];
  }
  w->begun = 0;
  w->steps = 0;
  double began = seconds_of_processor();
  w->failed |= dyn_ensemble_run(&ensemble) != DYN_DONE;
  return w->count / (seconds_of_processor() - began);
}

static double difference(const struct work *a, const struct work *b) {
  double most = 0;
  for (int i = 0; i < STATES * a->count; i++) most = fmax(most, fabs(a->ends[i] - b->ends[i]));
  return most;
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  dyn_compiler *compiler = dyn_compiler_new();
  dyn_compiler_add_file(compiler, arguments[1]);
  const dyn_model *model = dyn_compiler_model(compiler, DYN_ENGINE_JIT);
  const dyn_model *with_step = model != NULL ? dyn_compiler_steps(compiler, "dop853") : NULL;
  double p[MOST_PARAMETERS];
  if (with_step == NULL || model->n_state != STATES || model->n_parameters > MOST_PARAMETERS ||
      dyn_parameters_complete(model, p, NULL, NULL) != DYN_DONE)
    return 1;
  struct work w[3] = {{.p = p, .n_parameters = model->n_parameters, .count = atoi(arguments[2])}};
  dyn_run_options_init(model, p, &w[0].options, NULL);
  w[0].options.until = atof(arguments[3]);
  w[0].options.every = 0;
  w[0].options.instants = 1;
  w[0].options.tolerance = w[0].options.absolute = atof(arguments[4]);
  w[0].options.integrator = "dop853";
  double rate[3] = {0}, off = 0;
  w[1] = w[2] = w[0];
  for (int i = 0; i < 3; i++) {
    const struct dyn_lanes *lanes =
        i > 0 ? dyn_compiler_lanes(compiler, "dop853", 4 * i, NULL) : NULL;
    if (i > 0 && lanes == NULL) continue;
    w[i].ends = calloc((size_t)w[i].count * STATES, sizeof(double));
    rate[i] = run(&w[i], with_step, lanes);
    if (i > 0) off = fmax(off, difference(&w[0], &w[i]));
  }
  printf("%.0f %.0f %.0f %.0f %.1e\n", rate[0], rate[1], rate[2], (double)w[0].steps / w[0].count,
         off);
  int failed = w[0].failed | w[1].failed | w[2].failed;
  for (int i = 0; i < 3; i++) free(w[i].ends);
  dyn_compiler_free(compiler);
  return failed;
}
