/* Prepares a trajectory of a sweep as `dyn run` with --set and --start would, and keeps what was
 * asked for of its rows: the last one, extremes, or all of them. */
#include "driver/sweep_member.h"
#include "driver/run_defaults.h"
#include "driver/run_options.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 1 << 14 }; /* numbers that wait before they are written */

/* ---------------------------------------------------------------- rows */

static int keep_last(void *user, const dyn_row *row) {
  struct sweep_member *m = user;
  for (uint32_t i = 0; i < m->sweep->columns.count; i++)
    m->numbers.items[i] = dyn_column_value(m->model, row, m->sweep->columns.items[i]);
  m->has_row = true;
  return 0;
}

/* The time of the last row, then least and greatest of each column; what is undefined at some row
 * does not count there. */
static int keep_extremes(void *user, const dyn_row *row) {
  struct sweep_member *m = user;
  double *out = m->numbers.items;
  out[0] = row->t;
  for (uint32_t i = 1; i < m->sweep->columns.count; i++) {
    double value = dyn_column_value(m->model, row, m->sweep->columns.items[i]);
    out[2 * i - 1] = m->has_row ? fmin(out[2 * i - 1], value) : value;
    out[2 * i] = m->has_row ? fmax(out[2 * i], value) : value;
  }
  m->has_row = true;
  return 0;
}

static int keep_all(void *user, const dyn_row *row) {
  struct sweep_member *m = user;
  uint32_t n = m->sweep->n_numbers;
  for (uint32_t i = 0; i < n; i++)
    vector_push(&m->numbers, dyn_column_value(m->model, row, m->sweep->columns.items[i]));
  if (m->numbers.count + n <= BLOCK) return 0;
  struct sweep_record record = {
      .trajectory = m->trajectory, .kind = SWEEP_ROWS, .n_numbers = m->numbers.count};
  bool good = sweep_record_write(m->file, &record, m->numbers.items, "");
  m->numbers.count = 0;
  if (!good) m->fault = errno;
  return !good;
}

/* ---------------------------------------------------------------- memory */

void sweep_member_init(struct sweep_member *m, const struct sweep *sweep, const dyn_model *model,
                       dyn_member *member) {
  static int (*const keep[])(void *, const dyn_row *) = {[RECORD_FINAL] = keep_last,
                                                         [RECORD_EXTREMES] = keep_extremes,
                                                         [RECORD_TRAJECTORIES] = keep_all};
  *m = (struct sweep_member){.sweep = sweep, .model = model, .member = member};
  m->sink = (dyn_sink){.user = m, .row = keep[sweep->recorded]};
  m->is_set = checked_calloc((size_t)model->n_parameters + 1, 1);
  vector_reserve(&m->numbers, sweep->n_numbers);
  member->user = m;
  member->sink = &m->sink;
  member->p = checked_calloc((size_t)model->n_parameters + 1, sizeof(double));
  member->x = checked_calloc((size_t)model->n_state + 1, sizeof(double));
  member->inputs = checked_calloc((size_t)model->n_inputs + 1, sizeof(dyn_input_source));
}

void sweep_member_clear(struct sweep_member *m) {
  free(m->member->p);
  free(m->member->x);
  free(m->member->inputs);
  free(m->is_set);
  vector_free(&m->numbers);
}

/* ---------------------------------------------------------------- the begin */

static void put_values(struct sweep_member *m, enum variation_target target) {
  const struct variations *all = &m->sweep->variations;
  dyn_member *member = m->member;
  for (uint32_t i = 0; i < all->items.count; i++) {
    const struct variation *v = &all->items.items[i];
    if (v->target != target) continue;
    double value = variations_value(all, i, m->trajectory);
    if (target == VARY_PARAMETER) {
      member->p[v->index] = value;
      m->is_set[v->index] = 1;
    } else if (target == VARY_INPUT) {
      member->inputs[v->index] = (dyn_input_source){.kind = DYN_INPUT_CONSTANT, .value = value};
    } else {
      member->x[v->index] = value;
    }
  }
}

static bool is_varied_start(const struct variations *all, int32_t state) {
  for (uint32_t i = 0; i < all->items.count; i++)
    if (all->items.items[i].target == VARY_START && all->items.items[i].index == state) return true;
  return false;
}

static dyn_status assemble(struct sweep_member *m, const dyn_problem *problem,
                           dyn_message *message) {
  dyn_assembly assembly = {0};
  double from = m->member->options.from;
  dyn_status status = dyn_start_values(problem, from, m->member->x, message);
  if (status != DYN_DONE) return status;
  put_values(m, VARY_START);
  status = dyn_start_assemble(problem, from, m->member->x, &assembly);
  if (status != DYN_DONE) *message = assembly.message;
  for (int32_t i = 0; i < assembly.n_moved; i++)
    if (is_varied_start(&m->sweep->variations, assembly.moved[i].state))
      m->flags |= SWEEP_START_MOVED;
  dyn_assembly_clear(&assembly);
  return status;
}

/* Could `dyn run --set` be given these values? */
static dyn_status check_values(struct sweep_member *m, dyn_message *message) {
  struct value_check *check = m->sweep->check;
  struct text why = {0};
  bool good = check == NULL || value_check_run(check, m->member->p, &why);
  if (!good) snprintf(message->text, sizeof message->text, "%s", text_string(&why));
  text_free(&why);
  return good ? DYN_DONE : DYN_OUT_OF_RANGE;
}

static dyn_status take_options(struct sweep_member *m, dyn_message *message) {
  dyn_run_options *options = &m->member->options;
  const struct model *model = m->sweep->session->compiler->model;
  if (run_defaults_find_fault(model, m->model, m->member->p, message) >= 0) return DYN_BAD_OPTION;
  dyn_status status = dyn_run_options_init(m->model, m->member->p, options, message);
  if (status != DYN_DONE) return status;
  run_options_take(m->sweep->session, options);
  if (m->sweep->recorded == RECORD_FINAL) { /* then rows in between have no reader */
    options->every = 0;
    options->instants = 1;
  }
  return dyn_run_options_check(options, message);
}

dyn_status sweep_member_begin(struct sweep_member *m, uint64_t trajectory, int file,
                              dyn_message *message) {
  dyn_member *member = m->member;
  size_t inputs = (size_t)m->model->n_inputs;
  m->trajectory = trajectory;
  m->file = file;
  m->flags = 0;
  m->fault = 0;
  m->has_row = false;
  m->numbers.count = 0;
  if (inputs > 0) memcpy(member->inputs, m->sweep->problem.inputs, inputs * sizeof *member->inputs);
  put_values(m, VARY_PARAMETER);
  put_values(m, VARY_INPUT);
  dyn_problem problem = {.model = m->model, .p = member->p, .inputs = member->inputs};
  dyn_status status = dyn_parameters_complete(m->model, member->p, m->is_set, message);
  if (status == DYN_DONE) status = check_values(m, message);
  if (status == DYN_DONE) status = take_options(m, message);
  return status == DYN_DONE ? assemble(m, &problem, message) : status;
}

/* ---------------------------------------------------------------- the end */

static void put_how(const struct sweep_member *m, struct text *out) {
  const dyn_run_summary *summary = &m->member->summary;
  if (summary->status != DYN_DONE)
    text_put(out, summary->message.text);
  else if (summary->stopped_by > 0)
    text_format(out, "stopped: %s", m->model->events[summary->stopped_by - 1].stop);
  else
    text_put(out, "done");
}

bool sweep_member_end(struct sweep_member *m) {
  const dyn_run_summary *summary = &m->member->summary;
  bool failed = summary->status != DYN_DONE;
  struct text how = {0};
  errno = m->fault;
  if (m->fault != 0) return false;
  put_how(m, &how);
  if (m->sweep->recorded != RECORD_TRAJECTORIES) {
    m->numbers.count = m->sweep->n_numbers;
    /* Of a failed one, nothing that could be taken for its end. */
    for (uint32_t i = 0; (failed || !m->has_row) && i < m->numbers.count; i++)
      m->numbers.items[i] = i == 0 ? summary->reached : (double)NAN;
  }
  struct sweep_record record = {.trajectory = m->trajectory,
                                .kind = SWEEP_END,
                                .flags = m->flags | (failed ? SWEEP_FAILED : 0) |
                                         SWEEP_STATUS * (uint32_t)summary->status,
                                .n_numbers = m->numbers.count,
                                .text_length = (uint32_t)how.length};
  bool good = sweep_record_write(m->file, &record, m->numbers.items, text_string(&how));
  int fault = errno;
  text_free(&how);
  errno = fault;
  return good;
}
