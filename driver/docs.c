/* dyn docs: what the standard library, or a file of components, offers, from its doc comments. */
#include "driver/commands.h"
#include "driver/docs_print.h"
#include <stdlib.h>
#include <string.h>

struct request {
  struct session *session;
  bool is_markdown, is_list;
  struct library_names modules;
  struct text out;
};

static const char *const list_heads[] = {
    "The standard library. 'dyn docs NAME' tells more about a module or an item, 'dyn docs "
    "stdlib'\n"
    "prints everything.\n",
    "# The standard library\n\n<!-- Made by `dyn docs --format markdown`. -->\n"};
static const char *const whole_heads[] = {
    "",
    "# The standard library\n\n<!-- Made by `dyn docs stdlib --format markdown`. -->\n\n"
    "`import joints` makes the components of a module known by their names, `import joints as j` "
    "as\n`j.revolute` and so on. An instance gives values by name, and its members are used as in\n"
    "`hinge.angle`:\n\n```\nimport joints\nrevolute hinge(axis = world.x)\n"
    "output swing = hinge.angle\n```\n"};

static struct docs_printer printer(struct request *r, const char *module, const struct ast *ast) {
  return (struct docs_printer){.context = session_context(r->session),
                               .ast = ast,
                               .module = module,
                               .is_markdown = r->is_markdown,
                               .out = &r->out};
}

/* ---------------------------------------------------------------- the list */

/* A full stop that ends a sentence: what follows begins with a capital, if anything does. */
static bool ends_sentence(const char *stop) {
  if (stop[0] == '\n' && stop[1] == '\n') return true;
  if (stop[0] != '.') return false;
  const char *next = stop + 1 + strspn(stop + 1, " \n");
  return *next == '\0' || (next > stop + 1 && !(*next >= 'a' && *next <= 'z'));
}

/* The first sentence of a comment, on one line. */
static void put_summary(const char *doc, struct text *out) {
  for (; *doc != '\0' && !ends_sentence(doc); doc++) text_add(out, *doc == '\n' ? " " : doc, 1);
}

static void put_list_entry(struct request *r, const struct ast_statement *s) {
  text_format(&r->out, r->is_markdown ? "- `%s`: " : "  %-26s ", s->label.name);
  if (s->doc != NULL) put_summary(s->doc, &r->out);
  text_put(&r->out, "\n");
}

static void list_module(struct request *r, const char *name, const struct ast *ast) {
  text_format(&r->out, r->is_markdown ? "\n## %s\n\n" : "\n%s: ", name);
  if (ast->doc != NULL) put_summary(ast->doc, &r->out);
  text_put(&r->out, r->is_markdown ? "\n\n" : "\n");
  for (uint32_t i = 0; i < ast->statements.count; i++) {
    const struct ast_statement *s = ast->statements.items[i];
    if ((s->kind == AST_COMPONENT || s->kind == AST_FUNCTION) && s->label.name != NULL)
      put_list_entry(r, s);
  }
}

/* ---------------------------------------------------------------- what is asked for */

static void print_module(struct request *r, const char *name, const struct ast *ast) {
  if (r->is_list) {
    list_module(r, name, ast);
    return;
  }
  struct docs_printer p = printer(r, name, ast);
  if (!r->is_markdown && r->out.length > 0) text_put(&r->out, "\n\n");
  docs_print_module(&p);
  docs_print_items(&p, NULL);
}

/* Every module, or the one of that name. False if there is none. */
static bool print_modules(struct request *r, const char *only) {
  bool found = false;
  for (uint32_t i = 0; i < r->modules.count; i++) {
    const char *name = r->modules.items[i];
    if (only != NULL && strcmp(only, name) != 0) continue;
    struct ast *ast = compiler_library_tree(r->session->compiler, name);
    if (ast == NULL) continue;
    print_module(r, name, ast);
    ast_free(ast);
    found = true;
  }
  return found;
}

/* `revolute` in whatever module, or `joints.revolute`. */
static bool print_item(struct request *r, const char *name) {
  uint32_t count = 0;
  const char *dot = strchr(name, '.');
  for (uint32_t i = 0; i < r->modules.count; i++) {
    const char *module = r->modules.items[i];
    size_t length = strlen(module);
    if (dot != NULL && (length != (size_t)(dot - name) || memcmp(module, name, length) != 0))
      continue;
    struct ast *ast = compiler_library_tree(r->session->compiler, module);
    if (ast == NULL) continue;
    struct docs_printer p = printer(r, module, ast);
    count += docs_print_items(&p, dot != NULL ? dot + 1 : name);
    ast_free(ast);
  }
  return count > 0;
}

static bool is_file(const char *name) {
  size_t length = strlen(name);
  return strcmp(name, "-") == 0 || strchr(name, '/') != NULL ||
         (length > 4 && strcmp(name + length - 4, ".dyn") == 0);
}

/* "parts/leg.dyn" is the module `leg`. */
static const char *module_of_path(dyn_context *context, const char *path) {
  const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  size_t length = strlen(base);
  if (length > 4 && strcmp(base + length - 4, ".dyn") == 0) length -= 4;
  return arena_string(&context->arena, base, length);
}

static bool print_file(struct request *r, const char *path) {
  dyn_context *context = session_context(r->session);
  if (!compiler_read(r->session->compiler, path)) return false;
  struct ast *ast = parse_model(context, r->session->compiler->source);
  if (context->diagnostics.error_count == 0) print_module(r, module_of_path(context, path), ast);
  ast_free(ast);
  return context->diagnostics.error_count == 0;
}

/* ---------------------------------------------------------------- the command */

static void add_names(struct request *r, const char *module, struct library_names *names) {
  struct ast *ast = compiler_library_tree(r->session->compiler, module);
  vector_push(names, module);
  if (ast == NULL) return;
  for (uint32_t i = 0; i < ast->statements.count; i++)
    if (ast->statements.items[i]->label.name != NULL)
      vector_push(names, ast->statements.items[i]->label.name);
  ast_free(ast);
}

static void report_unknown(struct request *r, const char *name) {
  dyn_context *context = session_context(r->session);
  struct library_names names = {0};
  for (uint32_t i = 0; i < r->modules.count; i++) add_names(r, r->modules.items[i], &names);
  const char *dot = strchr(name, '.');
  const char *near = nearest_name(dot != NULL ? dot + 1 : name, names.items, names.count);
  struct diagnostic *d = diagnostic_add(context, DIAG_UNKNOWN_PAGE, nowhere, name, NULL);
  if (near != NULL) diagnostic_help(context, d, "did you mean '%s'?", near);
  diagnostic_help(context, d, "'dyn docs' lists all");
  vector_free(&names);
}

static int print_argument(struct request *r, const char *name) {
  if (is_file(name)) return print_file(r, name) ? EXIT_DONE : session_fault_status(r->session);
  if (strcmp(name, "stdlib") == 0) {
    text_put(&r->out, whole_heads[r->is_markdown]);
    return print_modules(r, NULL) ? EXIT_DONE : EXIT_COMMAND_LINE;
  }
  if (print_modules(r, name) || print_item(r, name)) return EXIT_DONE;
  report_unknown(r, name);
  return EXIT_COMMAND_LINE;
}

static int run(struct session *session) {
  const char *format = session_option(session, OPTION_FORMAT);
  struct request r = {.session = session,
                      .is_markdown = format != NULL && strcmp(format, "markdown") == 0};
  int status = EXIT_DONE;
  compiler_library_list(session->compiler, &r.modules);
  if (session->line.arguments.count == 0) {
    r.is_list = true;
    text_put(&r.out, list_heads[r.is_markdown]);
    print_modules(&r, NULL);
  }
  for (uint32_t i = 0; i < session->line.arguments.count; i++) {
    int answer = print_argument(&r, session->line.arguments.items[i]);
    if (answer != EXIT_DONE) status = answer;
  }
  if (!session_write_output(session, &r.out) && status == EXIT_DONE) status = EXIT_NUMERICAL;
  text_free(&r.out);
  vector_free(&r.modules);
  return status;
}

static const struct option_spec options[] = {
    {OPTION_FORMAT, "--format", NULL, "FORM", "text|markdown", "how it is printed (default: text)"},
    {OPTION_DIAGNOSTICS, "--diagnostics", NULL, "FORM", "text|json",
     "how errors are printed (to standard error)"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

const struct command command_docs = {
    "docs",
    "[NAME...]",
    "what the standard library offers",
    "NAME is a module (joints), an item (revolute, joints.revolute), 'stdlib' for the whole\n"
    "library, or a file of components of your own (parts/leg.dyn). Without a name all are "
    "listed.\n",
    options,
    0,
    100,
    false,
    run};
