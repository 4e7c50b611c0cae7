/* What all commands share: reading the model, reporting, writing. */
#include "driver/session.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct span nowhere = {0, 0, 0};

/* $variable/rest in the arena, NULL where the variable does not name a folder from the root. */
static const char *folder_in(struct session *session, const char *variable, const char *rest) {
  const char *value = getenv(variable);
  if (value == NULL || value[0] != '/') return NULL;
  struct text path = {0};
  text_format(&path, "%s%s", value, rest);
  const char *folder =
      arena_string(&session_context(session)->arena, text_string(&path), path.length);
  text_free(&path);
  return folder;
}

void session_choose_cache(struct session *session) {
  const char *chosen = getenv("DYN_CACHE");
  bool is_off = session_option(session, OPTION_NO_CACHE) != NULL ||
                (chosen != NULL && strcmp(chosen, "off") == 0);
  const char *folder = chosen != NULL && *chosen != '\0' ? chosen : NULL;
  if (folder == NULL) folder = folder_in(session, "XDG_CACHE_HOME", "/dyn");
  if (folder == NULL) folder = folder_in(session, "HOME", "/.cache/dyn");
  session->compiler->cache = is_off ? NULL : folder;
}

bool session_read_model(struct session *session) {
  session_choose_cache(session);
  session_override(session, OPTION_SET, DYN_OVERRIDE_SET);
  return compiler_read(session->compiler, session->line.arguments.items[0]);
}

void session_override(struct session *session, enum option_id id, dyn_override kind) {
  for (uint32_t i = 0; i < session->line.options.count; i++) {
    const struct option_value *value = &session->line.options.items[i];
    if (value->id != id) continue;
    compiler_override(session->compiler, kind, option_name(session->command, id), value->text);
  }
}

/* ---------------------------------------------------------------- diagnostics and talk */

bool session_stderr_has_colour(void) {
  const char *terminal = getenv("TERM"), *refused = getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && (refused == NULL || *refused == '\0') &&
         (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

void session_flush_diagnostics(struct session *session) {
  dyn_context *context = session_context(session);
  if (session->diagnostics_as_json || context->diagnostics.count == 0) return;
  struct text text = {0};
  diagnostics_render_text(context, &text, session_stderr_has_colour());
  fwrite(text_string(&text), 1, text.length, stderr);
  text_free(&text);
  context->diagnostics.count = 0; /* the items stay in the context's arena */
  context->diagnostics.error_count = context->diagnostics.warning_count = 0;
  context->diagnostics.dropped = 0;
}

/* Codes 08xx are; the others that have no place in a text are if it was an option that asked. */
static bool is_about_command_line(const struct session *session, enum diagnostic_code code) {
  if (code == DIAG_UNKNOWN_METHOD) return session_option(session, OPTION_METHOD) != NULL;
  return strncmp(diagnostic_entry(code)->name + 1, "08", 2) == 0;
}

int session_fault_status(struct session *session) {
  dyn_context *context = session_context(session);
  if (diagnostics_blame_command_line(context)) return EXIT_COMMAND_LINE;
  for (uint32_t i = 0; i < context->diagnostics.count; i++)
    if (is_about_command_line(session, context->diagnostics.items[i]->code))
      return EXIT_COMMAND_LINE;
  return EXIT_MODEL;
}

bool session_may_talk(const struct session *session) {
  return !session->quiet && !session->diagnostics_as_json;
}

void session_add_stage(struct session *session, const char *words, double seconds) {
  if (session->own_stage_count < sizeof session->own_stages / sizeof session->own_stages[0])
    session->own_stages[session->own_stage_count++] = (struct own_stage){words, seconds};
}

/* ---------------------------------------------------------------- writing */

void session_report_write(struct session *session, const char *reason) {
  static const char begin[] = "cannot write to ";
  session->output_failed = true;
  if (strstr(reason, strerror(EPIPE)) != NULL) return;
  if (strncmp(reason, begin, sizeof begin - 1) == 0) reason += sizeof begin - 1;
  diagnostic_add(session_context(session), DIAG_CANNOT_WRITE, nowhere, reason, NULL);
}

static bool report_fault(struct session *session, const char *name, int fault) {
  struct text reason = {0};
  text_format(&reason, "%s: %s", name, strerror(fault));
  session_report_write(session, text_string(&reason));
  text_free(&reason);
  return false;
}

bool session_write_output(struct session *session, const struct text *text) {
  errno = 0;
  if (fwrite(text_string(text), 1, text->length, stdout) == text->length) return true;
  return report_fault(session, "standard output", errno != 0 ? errno : EIO);
}

bool session_close_output(struct session *session) {
  errno = 0;
  bool good = fflush(stdout) == 0 && !ferror(stdout);
  if (good || session->output_failed) return good;
  return report_fault(session, "standard output", errno != 0 ? errno : EIO);
}

/* Written beside its place and then renamed, so that a failure leaves an older file alone. */
bool session_may_write(struct session *session, const char *path) {
  const char *model = session->line.arguments.items[0];
  struct stat written, read;
  if (stat(path, &written) != 0 || stat(model, &read) != 0) return true;
  if (written.st_dev != read.st_dev || written.st_ino != read.st_ino) return true;
  struct diagnostic *d =
      diagnostic_add(session_context(session), DIAG_OUTPUT_IS_MODEL, nowhere, path, NULL);
  diagnostic_help(session_context(session), d, "choose another name with -o");
  return false;
}

/* What is no regular file (a device, a pipe, a link) is written in place. */
static bool write_bytes(const char *path, const struct text *text) {
  FILE *file = fopen(path, "wb");
  bool good = file != NULL && fwrite(text_string(text), 1, text->length, file) == text->length;
  if (file != NULL && fclose(file) != 0) good = false;
  return good;
}

bool session_write_file(struct session *session, const char *path, const struct text *text) {
  if (!session_may_write(session, path)) return false;
  struct stat status;
  bool in_place = lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
  struct text beside = {0};
  if (in_place)
    text_put(&beside, path);
  else
    text_format(&beside, "%s.%ld.part", path, (long)getpid());
  errno = 0;
  bool good = write_bytes(text_string(&beside), text);
  if (good && !in_place) good = rename(text_string(&beside), path) == 0;
  int fault = errno != 0 ? errno : EIO;
  if (!good && !in_place) remove(text_string(&beside));
  text_free(&beside);
  return good || report_fault(session, path, fault);
}
