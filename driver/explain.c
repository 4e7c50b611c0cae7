/* dyn explain: what a diagnostic means, with an example. */
#include "driver/commands.h"
#include <string.h>

static const char *const severities[] = {"error", "warning", "note"};

/* The message with "..." where it will name something: {0} in the catalogue. */
static void put_message(const char *message, struct text *out) {
  for (const char *p = message; *p != '\0';) {
    bool is_gap = p[0] == '{' && p[1] != '\0' && p[2] == '}';
    text_add(out, is_gap ? "..." : p, is_gap ? 3 : 1);
    p += is_gap ? 3 : 1;
  }
}

/* What the list calls it: the message, or the begin of the explanation if the message is all gap.
 */
static void put_title(const struct diagnostic_entry *entry, struct text *out) {
  if (strcmp(entry->message, "{0}") != 0) {
    put_message(entry->message, out);
    return;
  }
  for (const char *p = entry->explanation; *p != '.' && *p != ':' && *p != '\0'; p++)
    text_add(out, *p == '\n' ? " " : p, 1);
}

static void put_list(struct text *out) {
  for (int code = 1; code < DIAGNOSTIC_CODE_COUNT; code++) {
    const struct diagnostic_entry *entry = diagnostic_entry((enum diagnostic_code)code);
    text_format(out, "%s  %-7s  ", entry->name, severities[entry->severity]);
    put_title(entry, out);
    text_put(out, "\n");
  }
}

static void put_entry(const struct diagnostic_entry *entry, struct text *out) {
  text_format(out, "%s[%s]: ", severities[entry->severity], entry->name);
  put_title(entry, out);
  text_format(out, "\n\n%s", entry->explanation);
}

static void report_unknown(dyn_context *context, const char *name) {
  const char *names[DIAGNOSTIC_CODE_COUNT];
  for (int code = 1; code < DIAGNOSTIC_CODE_COUNT; code++)
    names[code - 1] = diagnostic_entry((enum diagnostic_code)code)->name;
  const char *near = nearest_name(name, names, DIAGNOSTIC_CODE_COUNT - 1);
  struct diagnostic *diagnostic = diagnostic_add(context, DIAG_UNKNOWN_CODE, nowhere, name, NULL);
  if (near != NULL) diagnostic_help(context, diagnostic, "did you mean %s?", near);
  diagnostic_help(context, diagnostic, "'dyn explain' without a code lists all");
}

static int run(struct session *session) {
  struct text out = {0};
  int status = EXIT_DONE;
  if (session->line.arguments.count == 0) put_list(&out);
  for (uint32_t i = 0; i < session->line.arguments.count; i++) {
    const char *name = session->line.arguments.items[i];
    enum diagnostic_code code = diagnostic_find(name);
    if (out.length > 0) text_put(&out, "\n");
    if (code != DIAG_NONE)
      put_entry(diagnostic_entry(code), &out);
    else
      status = EXIT_COMMAND_LINE;
    if (code == DIAG_NONE) report_unknown(session_context(session), name);
  }
  if (!session_write_output(session, &out) && status == EXIT_DONE) status = EXIT_NUMERICAL;
  text_free(&out);
  return status;
}

static const struct option_spec options[] = {{OPTION_DIAGNOSTICS, "--diagnostics", NULL, "FORM",
                                              "text|json",
                                              "how errors are printed (to standard error)"},
                                             {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

const struct command command_explain = {
    "explain", "[CODE...]", "explain diagnostics such as E0203, or list all of them",
    NULL,      options,     0,
    100,       false,       run};
