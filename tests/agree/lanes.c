/* Trajectories in the lanes of vectors are those made one by one, to rounding; and bit by bit the
 * same with 4 lanes and with 8, whatever their neighbours are. Where the motion enlarges rounding,
 * or error estimates are little but rounding so that other steps are made, what is bound is the
 * difference to runs with a much smaller tolerance: rounding must not add to it.
 *
 *   lanes MODEL.dyn METHOD ("-": the default) lanes|alone
 *
 * "alone": the compiler refuses the model, with a reason. */
#include <dyn/dyn.h>
#include <dyn/dyn_ensemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 13, ROWS = 20, MOST_MEMBERS = 8 };

struct trajectory {
  double *x;    /* at the end */
  double *rows; /* their times and states, as many as there are */
  int64_t n_rows, steps, rejected;
  double drift, size; /* of the first invariant, if there is one */
  dyn_status status;
};

struct work {
  const dyn_model *model;
  const double *p, *x;
  dyn_run_options options;
  int begun, is_reversed;
  struct trajectory trajectory[COUNT];
};

struct slot {
  struct work *work;
  struct trajectory *trajectory;
  dyn_sink sink;
};

static double *array(int64_t count) {
  return calloc((size_t)count + 1, sizeof(double));
}

static int keep_row(void *user, const dyn_row *row) {
  struct slot *slot = user;
  struct trajectory *t = slot->trajectory;
  int32_t n = slot->work->model->n_state;
  t->rows = realloc(t->rows, (size_t)(t->n_rows + 1) * (size_t)(n + 1) * sizeof(double));
  double *to = t->rows + t->n_rows++ * (n + 1);
  to[0] = row->t;
  memcpy(to + 1, row->x, (size_t)n * sizeof(double));
  return 0;
}

/* They differ in start, parameters and length; one of them has another integrator. */
static int next(void *user, dyn_member *member) {
  struct work *w = user;
  struct slot *slot = member->user;
  const dyn_model *m = w->model;
  if (w->begun == COUNT) return 0;
  int k = w->is_reversed ? COUNT - 1 - w->begun : w->begun;
  w->begun++;
  slot->trajectory = &w->trajectory[k];
  for (int32_t i = 0; i < m->n_state; i++) member->x[i] = w->x[i] * (1 + 0.01 * k);
  for (int32_t i = 0; i < m->n_parameters; i++) member->p[i] = w->p[i] * (1 + 0.002 * k);
  member->options = w->options;
  member->options.until -= 0.02 * k * (w->options.until - w->options.from);
  if (k == 5) member->options.integrator = "rk4", member->options.max_step = 1e-3;
  if (k == 7) member->options.instants = 1;
  return 1;
}

static int done(void *user, dyn_member *member) {
  struct work *w = user;
  struct trajectory *t = ((struct slot *)member->user)->trajectory;
  t->x = array(w->model->n_state);
  memcpy(t->x, member->x, (size_t)w->model->n_state * sizeof(double));
  t->steps = member->summary.steps;
  t->rejected = member->summary.rejected_steps;
  t->status = member->summary.status;
  if (member->summary.n_invariants == 0) return 0;
  t->drift = member->summary.invariants[0].largest;
  t->size = fabs(member->summary.invariants[0].scale);
  return 0;
}

static dyn_status run_all(struct work *w, const struct dyn_lanes *lanes, int32_t n_members) {
  dyn_member members[MOST_MEMBERS] = {{0}};
  struct slot slots[MOST_MEMBERS];
  dyn_ensemble ensemble = {.model = w->model,
                           .members = members,
                           .n_members = n_members,
                           .lanes = lanes,
                           .user = w,
                           .next = next,
                           .done = done};
  for (int32_t i = 0; i < n_members; i++) {
    slots[i] = (struct slot){.work = w, .sink = {.user = &slots[i], .row = keep_row}};
    members[i].user = &slots[i];
    members[i].sink = &slots[i].sink;
    members[i].p = array(w->model->n_parameters);
    members[i].x = array(w->model->n_state);
  }
  dyn_status status = dyn_ensemble_run(&ensemble);
  for (int32_t i = 0; i < n_members; i++) {
    free(members[i].p);
    free(members[i].x);
  }
  return status;
}

static void clear(struct work *w) {
  for (int k = 0; k < COUNT; k++) {
    free(w->trajectory[k].x);
    free(w->trajectory[k].rows);
  }
}

static int same_bits(const struct work *a, const struct work *b, const char *name) {
  int32_t n = a->model->n_state;
  for (int k = 0; k < COUNT; k++) {
    const struct trajectory *s = &a->trajectory[k], *t = &b->trajectory[k];
    size_t size = (size_t)s->n_rows * (size_t)(n + 1) * sizeof(double);
    if (s->status == t->status && s->steps == t->steps && s->rejected == t->rejected &&
        s->n_rows == t->n_rows && memcmp(&s->drift, &t->drift, sizeof s->drift) == 0 &&
        memcmp(s->x, t->x, (size_t)n * sizeof(double)) == 0 &&
        (size == 0 || memcmp(s->rows, t->rows, size) == 0))
      continue;
    fprintf(stderr, "%s: trajectory %d has other numbers\n", name, k);
    return 0;
  }
  return 1;
}

/* Whether invariants drift no more than those of other runs do. */
static int same_drift(const struct work *a, const struct work *b) {
  for (int k = 0; k < COUNT; k++) {
    const struct trajectory *s = &a->trajectory[k], *t = &b->trajectory[k];
    if (!(s->drift > 10 * t->drift + 1e-12 * (1 + t->size))) continue;
    fprintf(stderr, "trajectory %d: an invariant drifts by %g in lanes, else by %g\n", k, s->drift,
            t->drift);
    return 0;
  }
  return 1;
}

/* The largest difference over all rows, of the largest value of its entry. */
static double difference(const struct work *a, const struct work *b) {
  int32_t n = a->model->n_state;
  double most = 0;
  for (int k = 0; k < COUNT; k++) {
    const struct trajectory *s = &a->trajectory[k], *t = &b->trajectory[k];
    if (s->status != t->status || s->n_rows != t->n_rows) return HUGE_VAL;
    for (int32_t i = 0; i <= n; i++) {
      double size = 1, off = 0;
      for (int64_t r = 0; r < s->n_rows; r++) {
        double u = s->rows[r * (n + 1) + i], v = t->rows[r * (n + 1) + i];
        size = fmax(size, fabs(u));
        off = fmax(off, fabs(u - v));
      }
      most = fmax(most, off / size);
    }
  }
  return most;
}

static int compare(dyn_compiler *compiler, const struct work *given, const char *integrator,
                   double tolerance) {
  struct work w[5] = {*given, *given, *given, *given, *given};
  const char *obstacle[2];
  const struct dyn_lanes *four = dyn_compiler_lanes(compiler, integrator, 4, &obstacle[0]);
  const struct dyn_lanes *eight = dyn_compiler_lanes(compiler, integrator, 8, &obstacle[1]);
  if (four == NULL || eight == NULL) {
    char *text = dyn_compiler_diagnostics(compiler, DYN_DIAGNOSTICS_TEXT);
    fprintf(stderr, "no lanes: %s%s", obstacle[0] != NULL ? obstacle[0] : "", text);
    return 1;
  }
  for (int i = 0; i < 5; i++) {
    w[i].options.integrator = integrator;
    w[i].options.tolerance = i < 4 ? tolerance : 1e-3 * tolerance;
  }
  w[3].is_reversed = 1;
  int bad = run_all(&w[0], NULL, 1) || run_all(&w[1], four, 8) || run_all(&w[2], eight, 8) ||
            run_all(&w[3], eight, 3) || run_all(&w[4], NULL, 1);
  double off = difference(&w[0], &w[1]), error = difference(&w[0], &w[4]);
  double most = fmax(1e-12, 2 * error);
  bad |= !same_bits(&w[1], &w[2], "8 lanes") || !same_bits(&w[1], &w[3], "the other order") ||
         !same_drift(&w[1], &w[0]) || !(off <= most);
  int64_t steps[2] = {0, 0};
  for (int k = 0; k < COUNT; k++)
    for (int i = 0; i < 2; i++) steps[i] += w[i].trajectory[k].steps;
  printf("%s %g: %lld steps, %lld in lanes, which differ by %.2g; error %.2g\n", integrator,
         tolerance, (long long)steps[0], (long long)steps[1], off, error);
  for (int i = 0; i < 5; i++) clear(&w[i]);
  return bad;
}

static int start(struct work *w, double *p, double *x) {
  dyn_message message = {""};
  dyn_assembly assembly = {0};
  dyn_problem problem = {.model = w->model, .p = p};
  int bad = dyn_parameters_complete(w->model, p, NULL, &message) ||
            dyn_run_options_init(w->model, p, &w->options, &message) ||
            dyn_start_values(&problem, w->options.from, x, &message) ||
            dyn_start_assemble(&problem, w->options.from, x, &assembly);
  dyn_assembly_clear(&assembly);
  w->options.until = fmin(w->options.until, w->options.from + 1);
  w->options.every = w->options.absolute = 0;
  w->options.instants = ROWS;
  w->p = p;
  w->x = x;
  if (bad) fprintf(stderr, "no start: %s\n", message.text);
  return bad;
}

static int refuses(dyn_compiler *compiler) {
  const char *obstacle = NULL;
  const struct dyn_lanes *lanes = dyn_compiler_lanes(compiler, "dop853", 4, &obstacle);
  printf("one by one, because %s\n", obstacle != NULL ? obstacle : "?");
  return lanes == NULL && obstacle != NULL;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  const char *method = strcmp(arguments[2], "-") == 0 ? NULL : arguments[2];
  dyn_compiler *compiler = dyn_compiler_new();
  dyn_compiler_add_file(compiler, arguments[1]);
  struct work w = {0};
  int bad = dyn_compiler_derive(compiler, method) != 0;
  if (!bad) w.model = dyn_compiler_model(compiler, DYN_ENGINE_JIT);
  if (w.model == NULL) {
    fprintf(stderr, "no model\n");
    return 1;
  }
  double *p = array(w.model->n_parameters), *x = array(w.model->n_state);
  if (strcmp(arguments[3], "alone") == 0)
    bad = !refuses(compiler);
  else
    bad = start(&w, p, x) || compare(compiler, &w, "dop853", 1e-9) ||
          compare(compiler, &w, "dopri5", 1e-6);
  free(p);
  free(x);
  dyn_compiler_free(compiler);
  return bad;
}
