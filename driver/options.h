/* Command lines: one table of options for each command, from which it is parsed and its help is
 * printed. An option may be repeated; the last one counts unless its command asks for all. */
#ifndef DYN_DRIVER_OPTIONS_H
#define DYN_DRIVER_OPTIONS_H
#include "base/context.h"
#include "base/text.h"
#include "base/vector.h"
#include <stdbool.h>

enum option_id {
  OPTION_NONE,
  /* of all commands */
  OPTION_HELP,
  OPTION_SET,
  OPTION_DIAGNOSTICS,
  OPTION_DUMP,
  OPTION_TIMINGS,
  /* of some */
  OPTION_ABSOLUTE,
  OPTION_AT,
  OPTION_BACKEND,
  OPTION_NO_CACHE,
  OPTION_CPU,
  OPTION_STEPS,
  OPTION_DEPFILE,
  OPTION_EMIT,
  OPTION_EVERY,
  OPTION_FORMAT,
  OPTION_FROM,
  OPTION_INPUT,
  OPTION_INTEGRATOR,
  OPTION_JSON,
  OPTION_LEVEL,
  OPTION_MAX_STEP,
  OPTION_METHOD,
  OPTION_OUTPUT,
  OPTION_PREFIX,
  OPTION_QUIET,
  OPTION_SHOW,
  OPTION_TRACE,
  OPTION_START,
  OPTION_STEP,
  OPTION_TARGET,
  OPTION_TIME,
  OPTION_STEADY,
  OPTION_TOLERANCE,
  OPTION_UNTIL,
  OPTION_VARY,
  OPTION_SAMPLES,
  OPTION_SEED,
  OPTION_RECORD,
  OPTION_COLUMNS,
  OPTION_JOBS,
  OPTION_SHARD,
  OPTION_LANES,
  OPTION_MERGE,
  OPTION_KEEP,
  OPTION_PROGRESS
};

struct option_spec {
  enum option_id id;
  const char *name;     /* "--until" */
  const char *letter;   /* "-o" or NULL */
  const char *argument; /* what help calls the value: "SECONDS"; NULL: takes none */
  const char *choices;  /* "jit|interpreter": other values are refused; NULL: any */
  const char *help;     /* lines after the first are indented by help */
};

struct session;
struct command {
  const char *name;                    /* "run" */
  const char *arguments;               /* "MODEL.dyn" */
  const char *summary;                 /* one line */
  const char *details;                 /* for --help, after the options; may be NULL */
  const struct option_spec *options;   /* its own, ended by a NULL name; may be NULL */
  uint32_t least, most;                /* numbers of arguments */
  bool takes_model;                    /* the argument is a model, and the common options apply */
  int (*run)(struct session *session); /* the exit status */
  const struct option_spec *shared;    /* rows that it shares with others, or NULL; shown first */
};

struct option_value {
  enum option_id id;
  const char *text; /* "" for options without a value */
};

struct command_line {
  VECTOR(struct option_value) options;
  VECTOR(const char *) arguments;
};

/* argv without the program and the command. Everything wrong is reported; false if anything was. */
bool command_line_parse(dyn_context *context, const struct command *command, int count,
                        const char *const *words, struct command_line *out);
void command_line_clear(struct command_line *line);
/* The last value, NULL if the option was not given. */
const char *command_line_option(const struct command_line *line, enum option_id id);
void command_help(const struct command *command, struct text *out);
/* All options of a command, one after the other: 0, 1, ...; NULL after the last. */
const struct option_spec *command_option(const struct command *command, size_t i);

/* The spelling of an option of this command: "--until". */
const char *option_name(const struct command *command, enum option_id id);
/* Reports "<option> can't be '<value>'" with a help line. */
void report_bad_value(dyn_context *context, const char *option, const char *value,
                      const char *help);
/* A duration or an instant: a number, perhaps with [s], [ms], [us], [min] or [h]. `value` is
 * untouched if the option was not given; false, with a diagnostic, if it makes no sense. */
bool option_seconds(dyn_context *context, const struct command *command,
                    const struct command_line *line, enum option_id id, double *value);
/* A plain number. */
bool option_number(dyn_context *context, const struct command *command,
                   const struct command_line *line, enum option_id id, double *value);
#endif
