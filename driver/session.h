/* One call of the program: its command line, the compiler, and where data and talk go. Data goes
 * to standard output, everything else to standard error. */
#ifndef DYN_DRIVER_SESSION_H
#define DYN_DRIVER_SESSION_H
#include "compiler/compiler.h"
#include "driver/options.h"
#include "dyn/dyn_runtime.h"

enum exit_status {
  EXIT_DONE = 0,
  EXIT_MODEL = 1, /* the model is wrong */
  EXIT_COMMAND_LINE = 2,
  EXIT_NUMERICAL = 3 /* a failure while running, or while writing what was computed */
};

struct session {
  const struct command *command;
  struct command_line line;
  dyn_compiler *compiler;
  bool diagnostics_as_json; /* then standard error holds that one array and nothing else */
  bool quiet;               /* --quiet: no summary and no progress */
  bool output_failed;       /* a failure to write has been dealt with */
  struct own_stage {        /* stages of the driver itself, for --timings */
    const char *words;
    double seconds;
  } own_stages[4];
  uint32_t own_stage_count;
};

extern const struct span nowhere; /* the span of faults that have no text */

static inline dyn_context *session_context(struct session *session) {
  return session->compiler->context;
}
static inline const char *session_option(const struct session *session, enum option_id id) {
  return command_line_option(&session->line, id);
}

/* Reads the model named by the first argument and takes --set along. */
bool session_read_model(struct session *session);
/* Machine code is kept in $DYN_CACHE, $XDG_CACHE_HOME/dyn or ~/.cache/dyn, unless $DYN_CACHE is "off"
 * or the command line says --no-cache. session_read_model calls it. */
void session_choose_cache(struct session *session);
/* Hands every text of a repeatable option to the compiler. */
void session_override(struct session *session, enum option_id id, dyn_override kind);

/* Prints the diagnostics there are and forgets them, unless they wait for one JSON array. */
void session_flush_diagnostics(struct session *session);
/* The exit status that the reported errors ask for. */
int session_fault_status(struct session *session);
/* Talk: a line to standard error, not when it is quiet or for tools. */
bool session_may_talk(const struct session *session);
bool session_stderr_has_colour(void);
void session_add_stage(struct session *session, const char *words, double seconds);

/* Writes all of the text to standard output, resp. to a file that is there whole or not at all.
 * Reports and returns false on failure. */
bool session_write_output(struct session *session, const struct text *text);
bool session_write_file(struct session *session, const char *path, const struct text *text);
/* False, reported, if `path` is the model's own file: a model is never overwritten. */
bool session_may_write(struct session *session, const char *path);
/* Reports that something could not be written: "path: reason". Silent where the reason is that
 * nobody reads any more: that is no news to whoever closed the pipe. */
void session_report_write(struct session *session, const char *reason);
/* Flushes standard output; false, with a diagnostic, if anything could not be written. */
bool session_close_output(struct session *session);
#endif
