/* The workers of a sweep: processes, so that a crash in one of them takes no other along. The model
 * is compiled before they begin, which they inherit. */
#define _GNU_SOURCE /* anonymous maps, the processors that this process may use, prctl */
#include "driver/interrupts.h"
#include "driver/sweep_progress.h"
#include "driver/sweep_worker.h"
#include "dyn/dyn_ensemble.h"
#include "driver/taylor.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK = 200 }; /* ms between looks at the workers */

struct pool {
  struct sweep_work work;
  uint32_t jobs, running;
  pid_t *workers;
  int *statuses;         /* as waitpid gives them */
  uint64_t total, known; /* trajectories of this run; of chunks that were done before */
  int ends[2];           /* a pipe that is closed when the last worker ends */
  bool told_to_stop;
};

/* ---------------------------------------------------------------- what is to be done */

/* Chunks in an order that scatters over all of them (a Weyl sequence by the golden ratio), so that
 * the part that is done is a fair sample. */
static uint64_t place_of(uint64_t chunk) {
  return chunk * 0x9e3779b97f4a7c15u;
}

static int compare_places(const void *a, const void *b) {
  uint64_t x = place_of(*(const uint64_t *)a), y = place_of(*(const uint64_t *)b);
  return x < y ? -1 : x > y;
}

static void list_chunks(struct pool *pool) {
  struct sweep *sweep = pool->work.sweep;
  uint64_t *todo = checked_calloc(sweep->n_chunks + 1, sizeof *todo), count = 0;
  for (uint64_t c = sweep->shard; c < sweep->n_chunks; c += sweep->shards) {
    uint64_t size = sweep_chunk_end(sweep, c) - sweep_chunk_begin(sweep, c);
    pool->total += size;
    if (pool->work.state->is_done[c])
      pool->known += size;
    else
      todo[count++] = c;
  }
  if (count > 0) qsort(todo, count, sizeof *todo, compare_places);
  pool->work.todo = todo;
  pool->work.n_todo = count;
}

static uint32_t processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return (uint32_t)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (uint32_t)online : 1;
}

/* ---------------------------------------------------------------- the workers */

static void work_as(struct pool *pool, uint32_t index, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody would take the results of an orphan */
  if (getppid() != parent) _exit(0);
  close(pool->ends[0]);
  _exit(sweep_worker_run(&pool->work, index) ? 0 : 1);
}

static bool start_workers(struct pool *pool) {
  pid_t parent = getpid();
  fflush(stdout);
  fflush(stderr);
  for (uint32_t i = 0; i < pool->jobs; i++) {
    pid_t worker = fork();
    if (worker == 0) work_as(pool, i, parent);
    if (worker < 0 && pool->running == 0) return false;
    if (worker < 0) break; /* fewer will do */
    pool->workers[pool->running++] = worker;
  }
  return true;
}

static void measure(const struct pool *pool, struct sweep_measure *out, uint64_t *failed) {
  *out =
      (struct sweep_measure){.total = pool->total, .known = pool->known, .workers = pool->running};
  *failed = 0;
  for (uint32_t i = 0; i < pool->running; i++) {
    const struct sweep_worker_tally *tally = &pool->work.shared->workers[i];
    out->known += atomic_load(&tally->found);
    out->ended += atomic_load(&tally->ended);
    out->seconds += atomic_load(&tally->seconds);
    out->squares += atomic_load(&tally->squares);
    *failed += atomic_load(&tally->failed);
  }
}

static void watch(struct pool *pool, struct sweep_progress *progress) {
  struct pollfd end = {.fd = pool->ends[0], .events = POLLIN};
  struct sweep_measure now;
  uint64_t failed;
  while (poll(&end, 1, TICK) <= 0) {
    measure(pool, &now, &failed);
    sweep_progress_show(progress, &now);
    if (!*pool->work.interrupted || pool->told_to_stop) continue;
    pool->told_to_stop = true;
    for (uint32_t i = 0; i < pool->running; i++) kill(pool->workers[i], SIGTERM);
  }
  for (uint32_t i = 0; i < pool->running; i++)
    while (waitpid(pool->workers[i], &pool->statuses[i], 0) < 0 && errno == EINTR) continue;
}

/* ---------------------------------------------------------------- how it ended */

static void help_going_on(const struct sweep *sweep, struct diagnostic *d) {
  dyn_context *context = session_context(sweep->session);
  if (sweep->folder_is_temporary)
    diagnostic_help(context, d,
                    "nothing of it is kept: with '-o table.csv', say, the same command would go on "
                    "from there");
  else
    diagnostic_help(context, d,
                    "what has ended is kept in '%s': the same command goes on from there",
                    sweep->folder);
}

static bool report_faults(struct pool *pool) {
  struct session *session = pool->work.sweep->session;
  dyn_context *context = session_context(session);
  bool good = true;
  for (uint32_t i = 0; i < pool->running; i++) {
    const struct sweep_worker_tally *tally = &pool->work.shared->workers[i];
    if (tally->fault[0] != '\0' && good) session_report_write(session, tally->fault);
    good = good && tally->fault[0] == '\0';
    if (!WIFSIGNALED(pool->statuses[i])) continue;
    good = false;
    struct text where = {0};
    text_format(&where, "a worker was ended by signal %d (%s)", WTERMSIG(pool->statuses[i]),
                strsignal(WTERMSIG(pool->statuses[i])));
    uint64_t current = atomic_load(&tally->current);
    if (current > 0)
      text_format(&where, ", with trajectory %llu or one near it in work",
                  (unsigned long long)current);
    struct diagnostic *d =
        diagnostic_add(context, DIAG_RUN_ENDED, nowhere, text_string(&where), NULL);
    help_going_on(pool->work.sweep, d);
    text_free(&where);
  }
  return good;
}

static int report_end(struct pool *pool, const struct sweep_measure *end) {
  struct sweep *sweep = pool->work.sweep;
  if (!report_faults(pool)) return EXIT_NUMERICAL;
  if (!*pool->work.interrupted) return EXIT_DONE;
  struct text words = {0};
  text_format(&words, "it was interrupted when %llu of %llu trajectories had ended",
              (unsigned long long)(end->known + end->ended), (unsigned long long)end->total);
  dyn_context *context = session_context(sweep->session);
  struct diagnostic *d =
      diagnostic_add(context, DIAG_RUN_ENDED, nowhere, text_string(&words), NULL);
  help_going_on(sweep, d);
  text_free(&words);
  return EXIT_NUMERICAL;
}

static int run_pool(struct pool *pool, struct sweep_tally *tally) {
  struct session *session = pool->work.sweep->session;
  struct sweep_progress progress = sweep_progress_begin(
      session_may_talk(session), session_option(session, OPTION_PROGRESS) != NULL);
  bool good = pipe(pool->ends) == 0 && start_workers(pool);
  if (!good) {
    char *why = arena_format(&session_context(session)->arena, "no worker can be started: %s",
                             strerror(errno));
    diagnostic_add(session_context(session), DIAG_RUN_ENDED, nowhere, why, NULL);
    return EXIT_NUMERICAL;
  }
  close(pool->ends[1]);
  watch(pool, &progress);
  close(pool->ends[0]);
  sweep_progress_end(&progress);
  struct sweep_measure end;
  measure(pool, &end, &tally->failed);
  tally->before = end.known;
  tally->ended = end.ended;
  tally->workers = pool->running;
  tally->busy_seconds = end.seconds;
  return report_end(pool, &end);
}

enum { WORTH_CODE = 500 }; /* trajectories that pay for compiling more than the model */

static bool has_own_inputs(const struct problem *problem) {
  for (int32_t i = 0; i < problem->model->n_inputs; i++)
    if (problem->inputs[i].kind == DYN_INPUT_DEFAULT) return true;
  return false;
}

bool sweep_has_lanes(const struct sweep *sweep) {
  const dyn_compiler *compiler = sweep->session->compiler;
  const char *engine = session_option(sweep->session, OPTION_BACKEND);
  return sweep->lanes == 0 && sweep->variations.count >= WORTH_CODE && lanes_of_processor() > 1 &&
         (engine == NULL || strcmp(engine, "interpreter") != 0) &&
         lanes_obstacle(compiler->program) == NULL;
}

/* Steps for several trajectories at once. False, with a diagnostic, if they were asked for and
 * there are none. */
static bool choose_lanes(const struct sweep *sweep, struct sweep_work *work,
                         struct sweep_tally *tally) {
  const struct problem *problem = &sweep->problem;
  const char *integrator = dyn_ensemble_integrator(&sweep->options);
  tally->lanes = 1;
  tally->obstacle = NULL;
  if (sweep->lanes == 1 || (sweep->lanes == 0 && sweep->variations.count < WORTH_CODE)) return true;
  if (problem->drives.count > 0)
    tally->obstacle = "inputs come from tables";
  else
    work->lanes =
        compiler_lanes(sweep->session->compiler, integrator, sweep->lanes, &tally->obstacle);
  if (work->lanes != NULL && work->lanes->inputs_vary && has_own_inputs(problem)) {
    tally->obstacle = "the model's inputs vary with time";
    work->lanes = NULL;
  }
  if (work->lanes != NULL) tally->lanes = work->lanes->lanes;
  if (sweep->lanes == 0 || work->lanes != NULL) return true;
  dyn_context *context = session_context(sweep->session);
  if (tally->obstacle != NULL)
    diagnostic_add(context, DIAG_SWEEP_OPTIONS, nowhere,
                   arena_format(&context->arena, "--lanes %d can't be: %s", (int)sweep->lanes,
                                tally->obstacle),
                   NULL);
  return false;
}

/* The model that workers run: steps of the integrator as code, where there are enough of them, with
 * what is looked at in every row if there are many; and always the series without which taylor is
 * none. */
static const dyn_model *model_of_work(const struct sweep *sweep) {
  dyn_compiler *compiler = sweep->session->compiler;
  const char *integrator = sweep->options.integrator;
  bool is_worth = compiler->compiled != NULL && sweep->variations.count >= WORTH_CODE;
  bool is_series = integrator != NULL && strcmp(integrator, "taylor") == 0;
  if (is_series) taylor_explain(sweep->session, &sweep->problem, "the runs are by rk instead");
  if (!is_worth && !is_series) return sweep->problem.model;
  const char *begun_with = dyn_ensemble_integrator(&sweep->options);
  program_functions functions = program_steps_of(begun_with != NULL ? begun_with : integrator);
  if (is_worth && sweep->recorded != RECORD_FINAL)
    functions |= PROGRAM_INVARIANT_VALUES | PROGRAM_ENERGIES;
  const dyn_model *model = functions != 0 ? compiler_add_functions(compiler, functions) : NULL;
  return model != NULL ? model : sweep->problem.model;
}

int sweep_compute(struct sweep *sweep, const struct sweep_state *state, struct sweep_tally *tally) {
  double started = compiler_clock();
  struct pool pool = {.work = {.sweep = sweep, .state = state}};
  list_chunks(&pool);
  pool.jobs = sweep->jobs > 0 ? sweep->jobs : processors();
  if (pool.jobs > pool.work.n_todo) pool.jobs = (uint32_t)pool.work.n_todo;
  int status = choose_lanes(sweep, &pool.work, tally) ? EXIT_DONE : EXIT_COMMAND_LINE;
  tally->before = pool.known;
  if (pool.jobs > 0 && status == EXIT_DONE) {
    size_t size = sizeof(struct sweep_shared) + pool.jobs * sizeof(struct sweep_worker_tally);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) out_of_memory(size);
    pool.work.shared = memory;
    pool.work.model = model_of_work(sweep);
    pool.work.interrupted = interrupts_catch();
    pool.workers = checked_calloc(pool.jobs, sizeof *pool.workers);
    pool.statuses = checked_calloc(pool.jobs, sizeof *pool.statuses);
    status = run_pool(&pool, tally);
    munmap(memory, size);
  }
  free(pool.workers);
  free(pool.statuses);
  free((void *)pool.work.todo);
  tally->seconds = compiler_clock() - started;
  return status;
}
