/* dyn build: an object file and its C header, for linking into other programs. */
#include "driver/commands.h"
#include "driver/link.h"
#include "driver/taylor.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {OPTION_OUTPUT, "--output", "-o", "FILE", NULL,
     "the file to write; with '-o m.o' the header is m.h (default: named like the\n"
     "model; '-': standard output)"},
    {OPTION_EMIT, "--emit", NULL, "KIND", "obj|shared|asm|llvm|header",
     "object file with header (default), shared library with header (linked by $CC or\n"
     "cc), assembly, LLVM IR, or only the header"},
    {OPTION_DEPFILE, "--depfile", NULL, "FILE", NULL,
     "also write the files that the model was read from, as a rule for make or ninja"},
    {OPTION_PREFIX, "--prefix", NULL, "NAME", NULL,
     "begin of the exported symbol NAME_model (default: from the model's name)"},
    {OPTION_CPU, "--cpu", NULL, "NAME", NULL,
     "processor to make code for: generic (default), native, or a name LLVM knows"},
    {OPTION_TARGET, "--target", NULL, "TRIPLE", NULL,
     "machine to make code for (default: this one)"},
    {OPTION_LEVEL, "--optimize", "-O", "LEVEL", "0|1|2|3", "how hard to optimise: -O2"},
    {OPTION_STEPS, "--steps", NULL, "METHOD", "dopri5|dop853|rk4|taylor|all",
     "also the steps of an integrator as code, with which runs by dyn's runtime are\n"
     "faster; of taylor the series, without which dop853 takes its place"},
    {OPTION_METHOD, "--method", NULL, "METHOD", NULL,
     "how to derive the equations: lagrange, augmented, kane, gibbs-appell, hamilton"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

static const struct kind {
  const char *name, *suffix;
  bool needs_code, has_header, is_shared;
  enum backend_format format;
} kinds[] = {{"obj", ".o", true, true, false, BACKEND_OBJECT},
             {"shared", ".so", true, true, true, BACKEND_OBJECT},
             {"asm", ".s", true, false, false, BACKEND_ASSEMBLY},
             {"llvm", ".ll", true, false, false, BACKEND_LLVM},
             {"header", ".h", false, false, false, BACKEND_OBJECT}};

static const struct kind *kind_of(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (name != NULL && strcmp(kinds[i].name, name) == 0) return &kinds[i];
  return &kinds[0];
}

static bool check_prefix(struct session *session, const char *prefix) {
  if (prefix == NULL) return true;
  bool good = isalpha((unsigned char)prefix[0]) || prefix[0] == '_';
  for (const char *p = prefix; *p != '\0'; p++)
    good = good && (isalnum((unsigned char)*p) || *p == '_');
  if (!good)
    report_bad_value(session_context(session), "--prefix", prefix,
                     "it is an identifier of C: letters a to z, digits and '_'");
  return good;
}

/* The path with its suffix, if it has one, replaced. The caller frees it. */
static char *path_with_suffix(const char *path, const char *suffix) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash != NULL ? slash : path, '.');
  int length = dot != NULL ? (int)(dot - path) : (int)strlen(path);
  struct text out = {0};
  text_format(&out, "%.*s%s", length, path, suffix);
  return text_take(&out);
}

/* In the current folder, named like the model's file. */
static char *default_path(const struct session *session, const char *suffix) {
  const char *path = session->line.arguments.items[0];
  const char *slash = strrchr(path, '/');
  if (strcmp(path, "-") == 0) path = session->compiler->program->prefix;
  return path_with_suffix(slash != NULL ? slash + 1 : path, suffix);
}

static bool write_to(struct session *session, const char *path, const struct text *text) {
  if (strcmp(path, "-") == 0) return session_write_output(session, text);
  return session_write_file(session, path, text);
}

static bool write_header(struct session *session, const char *path) {
  struct text header = {0};
  header_write(session->compiler->program, session_option(session, OPTION_PREFIX), &header);
  bool written = write_to(session, path, &header);
  text_free(&header);
  return written;
}

static bool emit(struct session *session, const struct kind *kind, struct text *code) {
  struct backend_options backend = backend_default_options();
  const char *level = session_option(session, OPTION_LEVEL);
  const char *cpu = session_option(session, OPTION_CPU);
  backend.cpu = cpu != NULL ? cpu : "generic";
  backend.target = session_option(session, OPTION_TARGET);
  backend.prefix = session_option(session, OPTION_PREFIX);
  const char *method = session_option(session, OPTION_STEPS);
  program_functions steps = program_steps_of(method);
  if (steps == PROGRAM_TAYLOR) taylor_explain(session, NULL, "the code is without it");
  if (level != NULL) backend.level = level[0] - '0';
  return compiler_emit(session->compiler, kind->format, steps, &backend, code);
}

static bool has_header(const struct kind *kind, const char *target) {
  return kind->has_header && strcmp(target, "-") != 0;
}

/* Neither the code nor the header beside it may hit the model. */
static bool may_write(struct session *session, const struct kind *kind, const char *target) {
  bool may = session_may_write(session, target);
  if (may && has_header(kind, target)) {
    char *header = path_with_suffix(target, ".h");
    may = session_may_write(session, header);
    free(header);
  }
  return may;
}

/* Names in rules of make: blanks and what make reads are escaped. */
static void put_rule_name(struct text *out, const char *name) {
  for (const char *c = name; *c != '\0'; c++) {
    if (*c == ' ' || *c == '#' || *c == '\\') text_put(out, "\\");
    if (*c == '$') text_put(out, "$");
    text_add(out, c, 1);
  }
}

/* "m.o m.h: model.dyn parts/leg.dyn"; with an empty rule for each file read, so that one that is
 * gone asks for a new build instead of ending it. */
static bool write_depfile(struct session *session, const struct kind *kind, const char *target,
                          const char *path) {
  const struct source_set *sources = &session_context(session)->sources;
  struct text rule = {0};
  put_rule_name(&rule, target);
  if (has_header(kind, target)) {
    char *header = path_with_suffix(target, ".h");
    text_put(&rule, " ");
    put_rule_name(&rule, header);
    free(header);
  }
  text_put(&rule, ":");
  for (uint32_t i = 1; i <= sources->count; i++) {
    const struct source *source = source_get(sources, i);
    if (!source->is_file) continue;
    text_put(&rule, " \\\n  ");
    put_rule_name(&rule, source->name);
  }
  text_put(&rule, "\n");
  for (uint32_t i = 1; i <= sources->count; i++) {
    const struct source *source = source_get(sources, i);
    if (!source->is_file) continue;
    put_rule_name(&rule, source->name);
    text_put(&rule, ":\n");
  }
  bool written = write_to(session, path, &rule);
  text_free(&rule);
  return written;
}

/* Code first: where it fails, no header is left over. */
static int write_files(struct session *session, const struct kind *kind) {
  const char *wanted = session_option(session, OPTION_OUTPUT);
  if (kind->is_shared && wanted != NULL && strcmp(wanted, "-") == 0) {
    report_bad_value(session_context(session), "--output", wanted,
                     "a shared library is a file: give it a name, such as '-o m.so'");
    return EXIT_COMMAND_LINE;
  }
  if (wanted != NULL && !may_write(session, kind, wanted)) return session_fault_status(session);
  struct text code = {0};
  if (kind->needs_code && !emit(session, kind, &code)) {
    text_free(&code);
    return session_fault_status(session);
  }
  char *path = wanted == NULL ? default_path(session, kind->suffix) : NULL;
  const char *target = wanted != NULL ? wanted : path;
  bool written = kind->is_shared
                     ? link_shared(session, &code, session_option(session, OPTION_TARGET), target)
                 : kind->needs_code ? write_to(session, target, &code)
                                    : write_header(session, target);
  if (written && has_header(kind, target)) {
    char *header = path_with_suffix(target, ".h");
    written = write_header(session, header);
    free(header);
  }
  const char *rule = session_option(session, OPTION_DEPFILE);
  if (written && rule != NULL) written = write_depfile(session, kind, target, rule);
  free(path);
  text_free(&code);
  return written ? EXIT_DONE : EXIT_NUMERICAL;
}

/* The start state at the default parameters, for programs without the runtime library. */
static void add_start(struct session *session) {
  const dyn_model *model = compiler_interpret(session->compiler);
  if (model == NULL) return;
  double *p = checked_calloc((size_t)model->n_parameters + 1, sizeof *p);
  double *x = checked_calloc((size_t)model->n_state + 1, sizeof *x);
  dyn_problem problem = {.model = model, .p = p};
  dyn_message message = {""};
  dyn_run_options run;
  dyn_assembly assembly = {0};
  dyn_status status = dyn_parameters_complete(model, p, NULL, &message);
  if (status == DYN_DONE) status = dyn_run_options_init(model, p, &run, &message);
  if (status == DYN_DONE) status = dyn_start_values(&problem, run.from, x, &message);
  if (status == DYN_DONE) status = dyn_start_assemble(&problem, run.from, x, &assembly);
  if (status == DYN_DONE) program_set_start(session->compiler->program, x);
  dyn_assembly_clear(&assembly);
  free(p);
  free(x);
}

static int run(struct session *session) {
  if (!check_prefix(session, session_option(session, OPTION_PREFIX))) return EXIT_COMMAND_LINE;
  session->compiler->keeps_parameters = true;
  if (!session_read_model(session) ||
      !compiler_derive(session->compiler, session_option(session, OPTION_METHOD)) ||
      !compiler_build_program(session->compiler, PROGRAM_ALL))
    return session_fault_status(session);
  add_start(session);
  return write_files(session, kind_of(session_option(session, OPTION_EMIT)));
}

const struct command command_build = {
    "build", "MODEL.dyn", "compile a model to an object file and a C header", NULL, options, 1, 1,
    true,    run};
