/* Which files a model needs: import statements lead from file to file. Each file is read once, by
 * whatever names it is imported; imports in a ring are refused.
 *
 *   import joints              the standard library, built in or a directory in its place
 *   import "parts/leg.dyn"     beside the importing file
 *
 * The list of files is the work that is left: nothing here recurses. */
#include "sema/import.h"
#include "sema/library.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct reader {
  dyn_context *context;
  const char *library; /* directory, or NULL */
  struct imports *out;
};

static const char *format_key(dyn_context *context, const char *path, const struct stat *status) {
  const char *key = path; /* a text that is no file is known by its name */
  if (status != NULL)
    key = arena_format(&context->arena, "%llu:%llu", (unsigned long long)status->st_dev,
                       (unsigned long long)status->st_ino);
  return intern_string(&context->names, key);
}

/* Serves as a name: what can't stand in one is an underscore. */
static const char *stem_of(dyn_context *context, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t length = dot != NULL ? (size_t)(dot - name) : strlen(name);
  char *stem = arena_format(&context->arena, "%s%.*s", isdigit((unsigned char)name[0]) ? "_" : "",
                            (int)(length < 100 ? length : 100), name);
  for (char *at = stem; *at != '\0'; at++)
    if ((unsigned char)*at < 128 && !isalnum((unsigned char)*at)) *at = '_';
  return intern_string(&context->names, stem);
}

/* ---------------------------------------------------------------- reports */

static struct diagnostic *report(struct reader *r, const struct ast_statement *statement,
                                 const char *reason) {
  return diagnostic_add(r->context, DIAG_CANNOT_IMPORT, statement->text_span, statement->text,
                        reason, NULL);
}

static const char *beside(struct reader *r, const struct import_file *file, const char *path);

static void report_library(struct reader *r, const struct import_file *from,
                           const struct ast_statement *statement) {
  const char *reason = "the standard library has no such file";
  if (r->library != NULL)
    reason = arena_format(&r->context->arena, "there is no such file in %s", r->library);
  struct diagnostic *d = report(r, statement, reason);
  struct library_names names = {0};
  library_list(r->context, r->library, &names);
  const char *near = nearest_name(statement->text, names.items, names.count);
  if (near != NULL) diagnostic_help(r->context, d, "did you mean '%s'?", near);
  const char *file = arena_format(&r->context->arena, "%s.dyn", statement->text);
  struct stat status;
  if (stat(beside(r, from, file), &status) == 0)
    diagnostic_help(r->context, d, "a file beside this one is imported with quotes: import \"%s\"",
                    file);
  else if (near == NULL)
    diagnostic_help(r->context, d, "a file of your own is imported with quotes: import \"%s\"",
                    file);
  vector_free(&names);
}

static void report_file(struct reader *r, const struct ast_statement *statement, const char *path,
                        int fault) {
  struct diagnostic *d = report(r, statement, strerror(fault));
  if (strcmp(path, statement->text) != 0)
    diagnostic_help(r->context, d, "looked for %s, because the importing file lies there", path);
}

/* ---------------------------------------------------------------- finding and reading */

/* The path, as seen from the importing file's directory. */
static const char *beside(struct reader *r, const struct import_file *file, const char *path) {
  const char *name = source_get(&r->context->sources, file->ast->source)->name;
  const char *slash = strrchr(name, '/');
  if (path[0] == '/' || slash == NULL) return path;
  return arena_format(&r->context->arena, "%.*s/%s", (int)(slash - name), name, path);
}

static uint32_t find_file(const struct reader *r, const char *key) {
  for (uint32_t i = 0; i < r->out->files.count; i++)
    if (r->out->files.items[i].key == key) return i;
  return UINT32_MAX;
}

static uint32_t add_file(struct reader *r, uint32_t source, const char *key, bool is_library,
                         const struct ast_statement *statement) {
  source_get(&r->context->sources, source)->led_here = statement->text_span;
  source_get(&r->context->sources, source)->is_library = is_library;
  struct ast *ast = parse_model(r->context, source);
  struct import_file file = {.ast = ast,
                             .owned = ast,
                             .key = key,
                             .stem = stem_of(r->context, statement->text),
                             .is_library = is_library};
  vector_push(&r->out->files, file);
  return r->out->files.count - 1;
}

/* A file of the library that is built in; UINT32_MAX if there is none. */
static uint32_t read_built_in(struct reader *r, const struct ast_statement *statement) {
  const char *key = format_key(r->context, library_path(r->context, NULL, statement->text), NULL);
  uint32_t known = find_file(r, key);
  if (known != UINT32_MAX) return known;
  uint32_t source = library_read(r->context, NULL, statement->text);
  return source != 0 ? add_file(r, source, key, true, statement) : UINT32_MAX;
}

/* UINT32_MAX, with errno set, if it can't be read. */
static uint32_t read_path(struct reader *r, const char *path, bool is_library,
                          const struct ast_statement *statement) {
  struct stat status;
  if (stat(path, &status) != 0) return UINT32_MAX;
  if (!S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    return UINT32_MAX;
  }
  const char *key = format_key(r->context, path, &status);
  uint32_t known = find_file(r, key);
  if (known != UINT32_MAX) return known;
  uint32_t source = source_read(&r->context->sources, path);
  return source != 0 ? add_file(r, source, key, is_library, statement) : UINT32_MAX;
}

static bool is_quoted(const struct reader *r, const struct ast_statement *statement) {
  struct span span = statement->text_span;
  return source_get(&r->context->sources, span.source)->text[span.begin] == '"';
}

static uint32_t read_library(struct reader *r, uint32_t from,
                             const struct ast_statement *statement) {
  uint32_t file;
  if (r->library == NULL)
    file = read_built_in(r, statement);
  else
    file = read_path(r, library_path(r->context, r->library, statement->text), true, statement);
  if (file == UINT32_MAX) report_library(r, &r->out->files.items[from], statement);
  return file;
}

static uint32_t read_beside(struct reader *r, uint32_t from,
                            const struct ast_statement *statement) {
  size_t length = strlen(statement->text);
  if (length < 4 || strcmp(statement->text + length - 4, ".dyn") != 0) {
    struct diagnostic *d = report(r, statement, "the name of a file ends in .dyn");
    if (length > 0 && strchr("./", statement->text[length - 1]) == NULL)
      diagnostic_help(r->context, d,
                      "write import \"%s.dyn\"; the standard library needs no quotes",
                      statement->text);
    return UINT32_MAX;
  }
  const char *path = beside(r, &r->out->files.items[from], statement->text);
  uint32_t file = read_path(r, path, r->out->files.items[from].is_library, statement);
  if (file == UINT32_MAX) report_file(r, statement, path, errno);
  return file;
}

static void read_imports_of(struct reader *r, uint32_t from) {
  const struct ast *ast = r->out->files.items[from].ast;
  for (uint32_t i = 0; i < ast->statements.count; i++) {
    const struct ast_statement *statement = ast->statements.items[i];
    if (statement->kind != AST_IMPORT) continue;
    uint32_t file = is_quoted(r, statement) ? read_beside(r, from, statement)
                                            : read_library(r, from, statement);
    struct import_edge edge = {statement, file == UINT32_MAX ? 0 : file};
    if (file == 0) /* the model itself: a ring, found here because 0 means "none" in edges */
      diagnostic_add(r->context, DIAG_IMPORT_CYCLE, statement->text_span, statement->text,
                     from == 0 ? "it is this file" : "it is the model that imports this file",
                     NULL);
    vector_push(&r->out->files.items[from].edges, edge);
  }
}

/* ---------------------------------------------------------------- rings */

struct step {
  uint32_t file, next; /* the edge to follow next */
};

struct walk {
  VECTOR(struct step) path;
  uint8_t *state; /* per file: 0 new, 1 on the path, 2 done */
};

static const char *name_of(const struct reader *r, uint32_t file) {
  return source_get(&r->context->sources, r->out->files.items[file].ast->source)->name;
}

static void report_ring(struct reader *r, const struct walk *w, struct import_edge *edge) {
  uint32_t from = w->path.count - 1;
  while (w->path.items[from].file != edge->file) from--;
  struct text chain = {0};
  uint32_t length = w->path.count - from;
  for (uint32_t i = 0; i < length; i++) {
    if (i < 4 || i >= length - 4)
      text_format(&chain, "%s → ", name_of(r, w->path.items[from + i].file));
    else if (i == 4)
      text_put(&chain, "... → ");
  }
  text_put(&chain, name_of(r, edge->file));
  diagnostic_add(r->context, DIAG_IMPORT_CYCLE, edge->statement->text_span, edge->statement->text,
                 text_string(&chain), NULL);
  text_free(&chain);
  edge->file = 0;
}

static void find_rings(struct reader *r) {
  struct walk w = {.state = checked_calloc(r->out->files.count, 1)};
  struct step start = {0, 0};
  vector_push(&w.path, start);
  w.state[0] = 1;
  while (w.path.count > 0) {
    struct step *top = &vector_last(&w.path);
    struct import_file *file = &r->out->files.items[top->file];
    if (top->next == file->edges.count) {
      w.state[top->file] = 2;
      w.path.count--;
      continue;
    }
    struct import_edge *edge = &file->edges.items[top->next++];
    if (edge->file == 0) continue;
    if (w.state[edge->file] == 1) {
      report_ring(r, &w, edge);
    } else if (w.state[edge->file] == 0) {
      struct step next = {edge->file, 0};
      w.state[edge->file] = 1;
      vector_push(&w.path, next);
    }
  }
  vector_free(&w.path);
  free(w.state);
}

/* ---------------------------------------------------------------- all */

void imports_read(dyn_context *context, const struct ast *ast, const char *library,
                  struct imports *out) {
  struct reader r = {context, library, out};
  const struct source *source = source_get(&context->sources, ast->source);
  struct stat status;
  bool is_file = source->is_file && stat(source->name, &status) == 0;
  struct import_file model = {.ast = ast,
                              .key = format_key(context, "", is_file ? &status : NULL),
                              .stem = stem_of(context, source->name)};
  vector_push(&out->files, model);
  for (uint32_t i = 0; i < out->files.count; i++) read_imports_of(&r, i);
  find_rings(&r);
}

void imports_free(struct imports *imports) {
  for (uint32_t i = 0; i < imports->files.count; i++) {
    ast_free(imports->files.items[i].owned);
    vector_free(&imports->files.items[i].edges);
  }
  vector_free(&imports->files);
}
