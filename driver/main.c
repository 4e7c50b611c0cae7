/* dyn: the command line. Finds the command, parses its options by its table, runs it, prints the
 * diagnostics and turns what happened into the exit status. */
#include "driver/commands.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_check,       &command_derive,  &command_eval,  &command_verify,
    &command_run,         &command_sweep,   &command_build, &command_linearize,
    &command_equilibrium, &command_explain, &command_docs};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };
static const struct command_set command_set = {commands, COMMAND_COUNT};

static void print_overview(FILE *file) {
  fprintf(file,
          "dyn %s: a language for mechanics, compiled\n\nusage: dyn COMMAND [options] ...\n\n"
          "commands:\n",
          dyn_version());
  for (int i = 0; i < COMMAND_COUNT; i++)
    fprintf(file, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
  fputs("\n'dyn COMMAND --help' tells more. Exit status: 0 done, 1 the model is wrong, 2 the "
        "command\n"
        "line is wrong, 3 a failure while running.\n",
        file);
}

static const struct command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

static void report_unknown_command(dyn_context *context, const char *name) {
  const char *names[COMMAND_COUNT];
  for (int i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i]->name;
  const char *near = nearest_name(name, names, COMMAND_COUNT);
  struct diagnostic *diagnostic =
      diagnostic_add(context, DIAG_UNKNOWN_COMMAND, nowhere, name, NULL);
  size_t length = strlen(name);
  if (length > 4 && strcmp(name + length - 4, ".dyn") == 0)
    diagnostic_help(context, diagnostic, "to check that model, write 'dyn check %s'", name);
  else if (near != NULL)
    diagnostic_help(context, diagnostic, "did you mean 'dyn %s'?", near);
  else
    diagnostic_help(context, diagnostic, "'dyn help' lists the commands");
}

static void print_timings(struct session *session, double started) {
  const double *seconds = session->compiler->seconds;
  fputs("timings (ms):\n", stderr);
  for (int i = 0; i < COMPILER_STAGE_COUNT; i++)
    if (seconds[i] > 0)
      fprintf(stderr, "  %-20s %9.3f\n", compiler_stage_words[i], 1e3 * seconds[i]);
  for (uint32_t i = 0; i < session->own_stage_count; i++)
    fprintf(stderr, "  %-20s %9.3f\n", session->own_stages[i].words,
            1e3 * session->own_stages[i].seconds);
  fprintf(stderr, "  %-20s %9.3f\n", "in all", 1e3 * (compiler_clock() - started));
}

/* --dump prints a stage in place of what the command does. */
static int dump(struct session *session, const char *stage) {
  if (!session_read_model(session)) return session_fault_status(session);
  struct text out = {0};
  bool good = compiler_dump(session->compiler, stage, session_option(session, OPTION_METHOD), &out);
  if (good) session_write_output(session, &out);
  text_free(&out);
  /* Tokens and trees are shown whatever is wrong with them. */
  return good && session_context(session)->diagnostics.error_count == 0
             ? EXIT_DONE
             : session_fault_status(session);
}

static int run_command(struct session *session) {
  if (session_option(session, OPTION_HELP) != NULL) {
    struct text help = {0};
    command_help(session->command, &help);
    session_write_output(session, &help);
    text_free(&help);
    return EXIT_DONE;
  }
  const char *stage = session_option(session, OPTION_DUMP);
  return stage != NULL ? dump(session, stage) : session->command->run(session);
}

static void print_json_diagnostics(struct session *session) {
  struct text text = {0};
  diagnostics_render_json(session_context(session), &text);
  fwrite(text_string(&text), 1, text.length, stderr);
  text_free(&text);
}

static int run_session(struct session *session, int count, const char *const *words) {
  double started = compiler_clock();
  bool parsed =
      command_line_parse(session_context(session), session->command, count, words, &session->line);
  const char *form = session_option(session, OPTION_DIAGNOSTICS);
  session->diagnostics_as_json = form != NULL && strcmp(form, "json") == 0;
  session->quiet = session_option(session, OPTION_QUIET) != NULL;
  /* That a joint's equations hold by themselves in the plane is part of a report, not of a run. */
  session_context(session)->diagnostics.omits_library_notes = session->command != &command_check;
  int status = parsed ? run_command(session) : EXIT_COMMAND_LINE;
  if (!session_close_output(session) && status == EXIT_DONE) status = EXIT_NUMERICAL;
  session_flush_diagnostics(session);
  if (session->diagnostics_as_json) print_json_diagnostics(session);
  if (session_option(session, OPTION_TIMINGS) != NULL && !session->diagnostics_as_json)
    print_timings(session, started);
  return status;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
  return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int print_version(void) {
  printf("dyn %s\n", dyn_version());
  return fflush(stdout) == 0 ? EXIT_DONE : EXIT_NUMERICAL;
}

/* dyn help --man, dyn help --completion bash: the tables as a manual page, and for shells. */
static int print_for_tools(int count, const char *const *words) {
  struct text text = {0};
  bool good =
      (count == 1 && strcmp(words[0], "--man") == 0 && manual_page_write(&command_set, &text)) ||
      (count == 2 && strcmp(words[0], "--completion") == 0 &&
       completion_write(&command_set, words[1], &text));
  if (!good) fputs("usage: dyn help [COMMAND | --man | --completion bash|zsh]\n", stderr);
  fwrite(text_string(&text), 1, text.length, stdout);
  text_free(&text);
  if (!good) return EXIT_COMMAND_LINE;
  return fflush(stdout) == 0 ? EXIT_DONE : EXIT_NUMERICAL;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other */
  if (argc < 2) {
    print_overview(stderr);
    return EXIT_COMMAND_LINE;
  }
  bool wants_help = is_one_of(argv[1], "help", "--help", "-h"); /* dyn help [command] */
  if (is_one_of(argv[1], "version", "--version", "-V")) return print_version();
  if (wants_help && argc == 2) {
    print_overview(stdout);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_NUMERICAL;
  }
  if (wants_help && argv[2][0] == '-')
    return print_for_tools(argc - 2, (const char *const *)argv + 2);
  static const char *const help_words[] = {"--help"};
  const char *name = wants_help ? argv[2] : argv[1];
  struct session session = {.compiler = dyn_compiler_new(), .command = find_command(name)};
  int status = EXIT_COMMAND_LINE;
  if (session.command == NULL)
    report_unknown_command(session_context(&session), name);
  else if (wants_help)
    status = run_session(&session, 1, help_words);
  else
    status = run_session(&session, argc - 2, (const char *const *)argv + 2);
  session_flush_diagnostics(&session);
  command_line_clear(&session.line);
  dyn_compiler_free(session.compiler);
  return status;
}
