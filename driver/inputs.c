/* --input: an expression of time goes to the compiler, a column of a CSV file to the runtime. */
#include "driver/problem.h"
#include <string.h>

/* The end of the assignment that begins at `text`: the next comma outside brackets and quotes. */
static const char *assignment_end(const char *text) {
  int depth = 0;
  bool quoted = false;
  for (; *text != '\0'; text++) {
    if (*text == '"')
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (strchr("([", *text) != NULL)
      depth++;
    else if (strchr(")]", *text) != NULL)
      depth--;
    else if (*text == ',' && depth <= 0)
      break;
  }
  return text;
}

static char *trimmed(struct session *session, const char *begin, const char *end) {
  while (begin < end && (*begin == ' ' || *begin == '"')) begin++;
  while (end > begin && (end[-1] == ' ' || end[-1] == '"')) end--;
  return arena_string(&session_context(session)->arena, begin, (size_t)(end - begin));
}

/* A value that names a CSV file: it ends in ".csv", or goes on with ":column" behind that. */
static bool take_table(struct session *session, struct problem *problem, const char *begin,
                       const char *end) {
  const char *equals = memchr(begin, '=', (size_t)(end - begin));
  if (equals == NULL) return false;
  char *value = trimmed(session, equals + 1, end);
  char *suffix = NULL;
  for (char *p = value; (p = strstr(p, ".csv")) != NULL; p++)
    if (p[4] == '\0' || p[4] == ':') suffix = p;
  if (suffix == NULL) return false;
  struct input_drive drive = {.name = trimmed(session, begin, equals), .path = value};
  if (suffix[4] == ':') {
    drive.column = suffix + 5;
    suffix[4] = '\0';
  }
  vector_push(&problem->drives, drive);
  return true;
}

static void take_option(struct session *session, struct problem *problem, const char *text) {
  const char *option = option_name(session->command, OPTION_INPUT);
  uint32_t tables = problem->drives.count, pieces = 0;
  struct text expressions = {0};
  for (const char *begin = text; begin != NULL; pieces++) {
    const char *end = assignment_end(begin);
    if (!take_table(session, problem, begin, end)) {
      if (expressions.length > 0) text_put(&expressions, ",");
      text_add(&expressions, begin, (size_t)(end - begin));
    }
    begin = *end == ',' ? end + 1 : NULL;
  }
  if (problem->drives.count - tables < pieces)
    compiler_override(session->compiler, DYN_OVERRIDE_INPUT, option, text_string(&expressions));
  text_free(&expressions);
}

bool problem_take_inputs(struct session *session, struct problem *problem) {
  for (uint32_t i = 0; i < session->line.options.count; i++) {
    const struct option_value *value = &session->line.options.items[i];
    if (value->id == OPTION_INPUT) take_option(session, problem, value->text);
  }
  return session_context(session)->diagnostics.error_count == 0;
}

/* ---------------------------------------------------------------- opening the tables */

static int32_t find_input(struct session *session, const dyn_model *model, const char *name) {
  for (int32_t i = 0; i < model->n_inputs; i++)
    if (strcmp(model->inputs[i].name, name) == 0) return i;
  dyn_context *context = session_context(session);
  struct diagnostic *diagnostic = diagnostic_add(context, DIAG_UNKNOWN_INPUT, nowhere, name, NULL);
  const char **names = arena_array(&context->arena, const char *, model->n_inputs + 1);
  for (int32_t i = 0; i < model->n_inputs; i++) names[i] = model->inputs[i].name;
  const char *near = nearest_name(name, names, (size_t)model->n_inputs);
  if (near != NULL)
    diagnostic_help(context, diagnostic, "did you mean '%s'?", near);
  else if (model->n_inputs == 0)
    diagnostic_help(context, diagnostic, "declare it in the model: input %s [N] = 0", name);
  else
    diagnostic_help(context, diagnostic, "'%s' is an input; 'dyn check' lists them all", names[0]);
  return -1;
}

static bool report_table(struct session *session, const char *path, const char *why) {
  diagnostic_add(session_context(session), DIAG_BAD_INPUT_TABLE, nowhere, path, why, NULL);
  return false;
}

/* The column asked for, else the one with the input's name, else the only one. */
static bool choose_column(struct session *session, const struct input_drive *drive,
                          int32_t *column) {
  *column = dyn_input_table_find(drive->table, drive->column != NULL ? drive->column : drive->name);
  if (*column < 0 && drive->column == NULL && dyn_input_table_columns(drive->table) == 1)
    *column = 0;
  if (*column >= 0) return true;
  struct text why = {0};
  text_format(&why, "it has no column '%s'; its columns are",
              drive->column != NULL ? drive->column : drive->name);
  for (int32_t i = 0; i < dyn_input_table_columns(drive->table); i++)
    text_format(&why, "%s %s", i > 0 ? "," : "", dyn_input_table_name(drive->table, i));
  report_table(session, drive->path, text_string(&why));
  text_free(&why);
  return false;
}

static bool check_driven_once(struct session *session, const struct input_drive *drive,
                              int32_t input) {
  if (!session->compiler->model->inputs.items[input].is_set) return true;
  diagnostic_add(session_context(session), DIAG_INPUT_DRIVEN_TWICE, nowhere, drive->name,
                 "an expression", drive->path, NULL);
  return false;
}

bool problem_open_inputs(struct session *session, struct problem *problem) {
  for (uint32_t i = 0; i < problem->drives.count; i++) {
    struct input_drive *drive = &problem->drives.items[i];
    int32_t input = find_input(session, problem->model, drive->name), column = 0;
    dyn_message message = {""};
    if (input < 0 || !check_driven_once(session, drive, input)) return false;
    if (dyn_input_table_read(drive->path, &drive->table, &message) != DYN_DONE)
      return report_table(session, drive->path, message.text);
    if (!choose_column(session, drive, &column)) return false;
    problem->inputs[input] =
        (dyn_input_source){.kind = DYN_INPUT_TABLE, .column = column, .table = drive->table};
  }
  return true;
}
