/* dyn sweep: many runs of a model, over the cores of a machine or of a cluster, into one table. */
#include "driver/sweep.h"
#include "driver/commands.h"
#include "driver/run_options.h"
#include "driver/table_file.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {OPTION_VARY, "--vary", NULL, "NAME=VALUES", NULL,
     "what differs: from:to:count (both ends are among them), from:to:count:log,\n"
     "a list 1,2,5, or a distribution: uniform(a,b), normal(mean,deviation),\n"
     "loguniform(a,b); perhaps with a unit: \"l=10:50:5 [cm]\". May be repeated:\n"
     "ranges and lists form a grid"},
    {OPTION_SAMPLES, "--samples", NULL, "NUMBER", NULL,
     "draws from the distributions at each point of the grid (default: 1)"},
    {OPTION_SEED, "--seed", NULL, "NUMBER", NULL, "what they are drawn from (default: 0)"},
    {OPTION_RECORD, "--record", NULL, "WHAT", "final|extremes|trajectories",
     "the last row of each trajectory (default), least and greatest values of its\n"
     "rows, or all rows"},
    {OPTION_COLUMNS, "--columns", NULL, "NAME,...", NULL, "which columns of a run (default: all)"},
    {OPTION_OUTPUT, "--output", "-o", "FILE", NULL,
     "where the table goes: HDF5 if the name ends in .h5 or .hdf5, else CSV\n"
     "(default: CSV to standard output). What is not finished is kept beside it in\n"
     "FILE.sweep, where the same command goes on"},
    {OPTION_JOBS, "--jobs", "-j", "NUMBER", NULL,
     "worker processes (default: one for each processor)"},
    {OPTION_LANES, "--lanes", NULL, "NUMBER", "1|4|8",
     "trajectories that a worker integrates at once in the lanes of vectors (default:\n"
     "as many as suit model and processor, if there are enough); numbers differ\n"
     "from those of 1 by rounding"},
    {OPTION_SHARD, "--shard", NULL, "I/N", NULL,
     "only the I-th of N parts of the work, into FILE.sweep"},
    {OPTION_MERGE, "--merge", NULL, NULL, NULL, "only the table, from what all shards left there"},
    {OPTION_KEEP, "--keep", NULL, NULL, NULL, "keep FILE.sweep once the table is written"},
    {OPTION_PROGRESS, "--progress", NULL, NULL, NULL,
     "tell how far it is, also where standard error is no terminal"},
    {OPTION_QUIET, "--quiet", "-q", NULL, NULL, "no summary, no progress"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

/* ---------------------------------------------------------------- options */

/* Digits up to `end`; 0 if there is anything else. */
static uint64_t whole_number(const char *text, const char *end) {
  uint64_t number = 0;
  if (text == end || end - text > 9) return 0;
  for (; text < end; text++) {
    if (!isdigit((unsigned char)*text)) return 0;
    number = 10 * number + (uint64_t)(*text - '0');
  }
  return number;
}

static bool take_shard(struct sweep *sweep) {
  const char *text = session_option(sweep->session, OPTION_SHARD);
  sweep->shards = 1;
  if (text == NULL) return true;
  const char *slash = strchr(text, '/');
  uint64_t shard = slash != NULL ? whole_number(text, slash) : 0;
  if (slash != NULL) sweep->shards = whole_number(slash + 1, slash + strlen(slash));
  sweep->shard = shard - 1;
  if (shard >= 1 && shard <= sweep->shards) return true;
  report_bad_value(session_context(sweep->session), "--shard", text,
                   "1/20 is the first of 20 parts, 20/20 the last one");
  return false;
}

static bool take_jobs(struct sweep *sweep) {
  const char *text = session_option(sweep->session, OPTION_JOBS);
  if (text == NULL) return true;
  uint64_t jobs = whole_number(text, text + strlen(text));
  sweep->jobs = (uint32_t)jobs;
  if (jobs >= 1 && jobs <= 4096) return true;
  report_bad_value(session_context(sweep->session), "--jobs", text,
                   "it is a number of processes from 1 to 4096");
  return false;
}

static void take_lanes(struct sweep *sweep) {
  const char *text = session_option(sweep->session, OPTION_LANES);
  sweep->lanes = text != NULL ? text[0] - '0' : 0;
}

/* What would fail when all is computed. Beside a regular file a folder is made, which tells the
 * rest.
 */
static bool check_output(struct sweep *sweep) {
  struct session *session = sweep->session;
  const char *output = sweep->output;
  struct stat there;
  if (output == NULL) return true;
  if (*output == '\0') {
    report_bad_value(session_context(session), "--output", output, "it is the name of a file");
    return false;
  }
  int fault = 0;
  if (stat(output, &there) == 0) {
    if (S_ISDIR(there.st_mode))
      fault = EISDIR;
    else if (!S_ISREG(there.st_mode) && access(output, W_OK) != 0)
      fault = errno;
  }
  if (fault != 0) {
    session_report_write(
        session, arena_format(&session_context(session)->arena, "%s: %s", output, strerror(fault)));
    return false;
  }
  return session_may_write(session, output) && table_file_check(session, output);
}

static bool take_output(struct sweep *sweep) {
  struct session *session = sweep->session;
  bool has_shard = session_option(session, OPTION_SHARD) != NULL;
  bool merges = session_option(session, OPTION_MERGE) != NULL;
  bool keeps = session_option(session, OPTION_KEEP) != NULL;
  const char *output = session_option(session, OPTION_OUTPUT);
  struct stat there;
  sweep->output = output != NULL && strcmp(output, "-") != 0 ? output : NULL;
  sweep->folder_is_temporary =
      sweep->output == NULL || (stat(output, &there) == 0 && !S_ISREG(there.st_mode));
  const char *lonely = has_shard ? "--shard" : merges ? "--merge" : keeps ? "--keep" : NULL;
  if (has_shard && merges) {
    diagnostic_add(session_context(session), DIAG_SWEEP_OPTIONS, nowhere,
                   "--shard computes a part and --merge puts all parts together: one of them",
                   NULL);
    return false;
  }
  if (lonely != NULL && sweep->folder_is_temporary) {
    char *why = arena_format(&session_context(session)->arena,
                             "%s works in the folder beside the table's file: say -o FILE", lonely);
    diagnostic_add(session_context(session), DIAG_SWEEP_OPTIONS, nowhere, why, NULL);
    return false;
  }
  return check_output(sweep);
}

static void take_record(struct sweep *sweep) {
  const char *text = session_option(sweep->session, OPTION_RECORD);
  sweep->recorded = text == NULL || text[0] == 'f' ? RECORD_FINAL
                    : text[0] == 'e'               ? RECORD_EXTREMES
                                                   : RECORD_TRAJECTORIES;
}

/* ---------------------------------------------------------------- columns */

static void help_with_columns(dyn_context *context, struct diagnostic *d, const char *const *names,
                              int32_t count) {
  const int32_t most = 20;
  struct text text = {0};
  for (int32_t i = 0; i < count && i < most; i++)
    text_format(&text, "%s%s", i > 0 ? ", " : "", names[i]);
  if (count > most) text_put(&text, ", ...");
  diagnostic_help(context, d, "its columns are those that 'dyn run' writes: %s",
                  text_string(&text));
  text_free(&text);
}

static bool find_column(struct sweep *sweep, const char *name) {
  dyn_context *context = session_context(sweep->session);
  const dyn_model *model = sweep->problem.model;
  int32_t count = dyn_column_count(model), found = -1;
  if (*name == '\0') {
    report_bad_value(context, "--columns", session_option(sweep->session, OPTION_COLUMNS),
                     "names stand between its commas");
    return false;
  }
  const char **names = arena_array(&context->arena, const char *, count);
  for (int32_t i = 0; i < count; i++) {
    dyn_column column;
    if (dyn_column_describe(model, i, &column) != DYN_DONE) out_of_memory(1);
    names[i] = arena_format(&context->arena, "%s", column.name);
    if (strcmp(column.name, name) == 0) found = i;
    dyn_column_clear(&column);
  }
  for (uint32_t i = 0; i < sweep->columns.count; i++)
    if (sweep->columns.items[i] == found) return true; /* the time is there anyway */
  if (found >= 0) {
    vector_push(&sweep->columns, found);
    return true;
  }
  const char *near = nearest_name(name, names, (size_t)count);
  struct diagnostic *d = diagnostic_add(context, DIAG_UNKNOWN_COLUMN, nowhere, name, NULL);
  if (near != NULL)
    diagnostic_help(context, d, "did you mean '%s'?", near);
  else
    help_with_columns(context, d, names, count);
  return false;
}

/* Names at commas outside brackets: a[1,2] is one. */
static bool take_columns(struct sweep *sweep) {
  const char *text = session_option(sweep->session, OPTION_COLUMNS);
  dyn_context *context = session_context(sweep->session);
  bool good = true;
  vector_push(&sweep->columns, 0);
  for (int32_t i = 1; text == NULL && i < dyn_column_count(sweep->problem.model); i++)
    vector_push(&sweep->columns, i);
  for (const char *begin = text; begin != NULL;) {
    const char *end = begin;
    int depth = 0;
    for (; *end != '\0' && (*end != ',' || depth > 0); end++)
      depth += (*end == '[' || *end == '(') - (*end == ']' || *end == ')');
    const char *next = *end == ',' ? end + 1 : NULL;
    while (begin < end && *begin == ' ') begin++;
    while (end > begin && end[-1] == ' ') end--;
    good &= find_column(sweep, arena_string(&context->arena, begin, (size_t)(end - begin)));
    begin = next;
  }
  uint32_t n = sweep->columns.count;
  sweep->n_numbers = sweep->recorded == RECORD_EXTREMES ? 2 * n - 1 : n;
  return good;
}

/* ---------------------------------------------------------------- the model */

/* Reference values and options; nothing is compiled yet. Returns the exit status. */
static int prepare(struct sweep *sweep) {
  struct session *session = sweep->session;
  struct problem *problem = &sweep->problem;
  dyn_compiler *compiler = session->compiler;
  session_override(session, OPTION_START, DYN_OVERRIDE_START);
  if (!session_read_model(session)) return session_fault_status(session);
  if (!compiler_derive(compiler, session_option(session, OPTION_METHOD)) ||
      !run_options_check_end(session))
    return session_fault_status(session);
  const dyn_model *interpreted = compiler_interpret(compiler);
  if (interpreted == NULL || !problem_open(session, problem, interpreted))
    return session_fault_status(session);
  if (!variations_bind(session, &sweep->variations, problem->model) || !take_columns(sweep))
    return EXIT_COMMAND_LINE;
  sweep->check = value_check_new(compiler->model);
  return run_options_settle(session, problem, &sweep->options);
}

/* Parameters that do not vary are folded into the code only if none does. */
static bool compile(struct sweep *sweep) {
  struct session *session = sweep->session;
  const char *engine = session_option(session, OPTION_BACKEND);
  if (engine != NULL && strcmp(engine, "interpreter") == 0) return true;
  bool varies = variations_have(&sweep->variations, VARY_PARAMETER);
  const dyn_model *compiled = compiler_jit(session->compiler, varies ? NULL : sweep->problem.p, -1);
  if (compiled != NULL) problem_use_model(&sweep->problem, compiled);
  return compiled != NULL;
}

/* ---------------------------------------------------------------- the work */

/* Small enough that hundreds of them spread over workers and shards, large enough that files stay
 * few. */
static void divide(struct sweep *sweep) {
  uint64_t count = sweep->variations.count, size = (count + 255) / 256;
  sweep->chunk_size = size > 1024 ? 1024 : size;
  sweep->n_chunks = (count + sweep->chunk_size - 1) / sweep->chunk_size;
}

static bool choose_folder(struct sweep *sweep) {
  struct text path = {0};
  if (!sweep->folder_is_temporary) {
    text_format(&path, "%s.sweep", sweep->output);
    sweep->folder = text_take(&path);
    return true;
  }
  const char *base = getenv("TMPDIR");
  text_format(&path, "%s/dyn-sweep-XXXXXX", base != NULL && *base != '\0' ? base : "/tmp");
  sweep->folder = text_take(&path);
  bool good = mkdtemp(sweep->folder) != NULL;
  if (!good) {
    text_format(&path, "%s: %s", sweep->folder, strerror(errno));
    session_report_write(sweep->session, text_string(&path));
  }
  text_free(&path);
  return good;
}

static bool has_work(const struct sweep *sweep, const struct sweep_state *state) {
  for (uint64_t c = sweep->shard; c < sweep->n_chunks; c += sweep->shards)
    if (!state->is_done[c]) return true;
  return false;
}

static int compute(struct sweep *sweep, struct sweep_tally *tally) {
  struct sweep_state state = {0};
  int status = EXIT_NUMERICAL;
  if (sweep_folder_look(sweep, &state)) {
    status = EXIT_DONE;
    if (has_work(sweep, &state) && !compile(sweep)) status = session_fault_status(sweep->session);
    if (status == EXIT_DONE) {
      session_flush_diagnostics(sweep->session); /* before what progress writes */
      status = sweep_compute(sweep, &state, tally);
    }
  }
  sweep_state_clear(&state);
  return status;
}

/* The table, if all of it is there. */
static int finish(struct sweep *sweep) {
  struct sweep_state state = {0};
  struct sweep_failures failures = {0};
  int status = EXIT_NUMERICAL;
  if (sweep_folder_look(sweep, &state) && sweep_check_complete(sweep, &state))
    status = sweep_write_table(sweep, &failures);
  if (status == EXIT_DONE) {
    sweep_warn(sweep, &failures);
    if (failures.failed == sweep->variations.count) status = EXIT_NUMERICAL;
    if (session_option(sweep->session, OPTION_KEEP) == NULL) sweep_folder_remove(sweep);
  }
  for (int i = 0; i < SWEEP_STATUSES; i++) free(failures.by_status[i].text);
  sweep_state_clear(&state);
  return status;
}

static int work(struct sweep *sweep) {
  bool merges = session_option(sweep->session, OPTION_MERGE) != NULL;
  struct sweep_tally tally = {0};
  divide(sweep);
  if (!choose_folder(sweep)) return EXIT_NUMERICAL;
  int status = EXIT_COMMAND_LINE;
  if (sweep_folder_open(sweep, merges)) status = merges ? EXIT_DONE : compute(sweep, &tally);
  if (status == EXIT_DONE && sweep->shards == 1) status = finish(sweep);
  if (!merges && status == EXIT_DONE) sweep_print_summary(sweep, &tally);
  if (sweep->folder_is_temporary) sweep_folder_remove(sweep);
  return status;
}

static int run(struct session *session) {
  struct sweep sweep = {.session = session};
  int status = EXIT_COMMAND_LINE;
  take_record(&sweep);
  take_lanes(&sweep);
  bool good = run_options_check(session);
  good &= take_shard(&sweep);
  good &= take_jobs(&sweep);
  good &= take_output(&sweep);
  good &= variations_take(session, &sweep.variations);
  if (good && problem_take_inputs(session, &sweep.problem)) {
    status = prepare(&sweep);
    if (status == EXIT_DONE) status = work(&sweep);
  }
  variations_clear(&sweep.variations);
  value_check_free(sweep.check);
  vector_free(&sweep.columns);
  problem_close(&sweep.problem);
  free(sweep.folder);
  return status;
}

const struct command command_sweep = {
    "sweep",
    "MODEL.dyn",
    "run a model many times with different values",
    "The table has a row for each trajectory: its number, what was varied, what was recorded, and "
    "how\n"
    "it ended. It does not depend on the number of workers or shards, nor on interruptions.\n",
    options,
    1,
    1,
    true,
    run,
    run_option_rows};
