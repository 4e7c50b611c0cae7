/* The manifest of a sweep: everything that its results depend on. Texts count by their content,
 * wherever they lie; how the work is divided does not. */
#include "driver/sweep_manifest.h"
#include "base/map.h"
#include "driver/run_options.h"
#include "driver/sweep_origin.h"
#include <errno.h>
#include <string.h>

static void add(struct text *out, const char *key, const char *value) {
  text_put(out, out->length <= 2 ? "  " : ",\n  ");
  text_json_string(out, key);
  text_put(out, ": ");
  text_json_string(out, value);
}

static void add_number(struct text *out, const char *key, uint64_t number) {
  struct text value = {0};
  text_format(&value, "%llu", (unsigned long long)number);
  add(out, key, text_string(&value));
  text_free(&value);
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static void add_content(struct text *out, const char *path, const void *bytes, size_t size) {
  struct text key = {0}, value = {0};
  text_format(&key, "content of %s", file_name(path));
  text_format(&value, "%016llx", (unsigned long long)hash_bytes(bytes, size, 1));
  add(out, text_string(&key), text_string(&value));
  text_free(&key);
  text_free(&value);
}

/* The model, and what it imports. */
static void add_texts(struct text *out, const dyn_context *context) {
  for (uint32_t i = 1; i <= context->sources.count; i++) {
    const struct source *source = source_get(&context->sources, i);
    if (source->written == 0 && !source->is_command_line)
      add_content(out, source->name, source->text, source->length);
  }
}

static bool add_table(struct session *session, struct text *out, const char *path) {
  struct text bytes = {0};
  char block[4096];
  FILE *file = fopen(path, "rb");
  size_t length;
  while (file != NULL && (length = fread(block, 1, sizeof block, file)) > 0)
    text_add(&bytes, block, length);
  bool good = file != NULL && !ferror(file);
  if (!good)
    diagnostic_add(session_context(session), DIAG_BAD_INPUT_TABLE, nowhere, path, strerror(errno),
                   NULL);
  if (file != NULL) fclose(file);
  if (good) add_content(out, path, text_string(&bytes), bytes.length);
  text_free(&bytes);
  return good;
}

/* Options that change no number. */
static bool is_about_work(enum option_id id) {
  static const enum option_id ids[] = {OPTION_OUTPUT,      OPTION_QUIET,   OPTION_JOBS,
                                       OPTION_SHARD,       OPTION_MERGE,   OPTION_KEEP,
                                       OPTION_PROGRESS,    OPTION_BACKEND, OPTION_NO_CACHE,
                                       OPTION_DIAGNOSTICS, OPTION_TIMINGS};
  for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
    if (ids[i] == id) return true;
  return false;
}

/* In the order of the option table, so that the order on the command line matters only among
 * options of one name. */
static void add_options(struct text *out, const struct session *session) {
  const struct option_spec *spec;
  for (size_t k = 0; (spec = command_option(session->command, k)) != NULL; k++)
    for (uint32_t i = 0; !is_about_work(spec->id) && i < session->line.options.count; i++)
      if (session->line.options.items[i].id == spec->id)
        add(out, spec->name, session->line.options.items[i].text);
}

/* What else the last digits depend on: it comes last, so that what was asked for is told first. */
static const struct {
  const char *key, *words;
  void (*put)(struct text *out);
} origins[] = {
    {"build", "it was begun with another build of dyn", sweep_origin_put_build},
    {"libraries", "it was begun with other libraries of numerics", sweep_origin_put_libraries},
    {"functions",
     "it was begun on a processor, or with a C library, whose sines and the like have other last "
     "digits",
     sweep_origin_put_functions}};
enum { ORIGINS = sizeof origins / sizeof origins[0] };

static void add_origin(struct text *out, const struct sweep *sweep) {
  if (sweep->lanes == 0)
    add(out, "lanes", sweep_has_lanes(sweep) ? "several at once" : "one by one");
  for (int i = 0; i < ORIGINS; i++) {
    struct text value = {0};
    origins[i].put(&value);
    add(out, origins[i].key, text_string(&value));
    text_free(&value);
  }
}

bool sweep_manifest_write(const struct sweep *sweep, struct text *out) {
  bool good = true;
  text_put(out, "{\n");
  add(out, "sweep", "1");
  add(out, "dyn", dyn_version());
  add_number(out, "trajectories", sweep->variations.count);
  add_number(out, "chunk", sweep->chunk_size);
  add_options(out, sweep->session);
  add_texts(out, session_context(sweep->session));
  for (uint32_t i = 0; good && i < sweep->problem.drives.count; i++)
    good = add_table(sweep->session, out, sweep->problem.drives.items[i].path);
  add_origin(out, sweep);
  text_put(out, "\n}\n");
  return good;
}

/* ---------------------------------------------------------------- comparing */

struct member {
  const char *key, *value; /* as in the text, with their quotes */
  size_t key_length, value_length;
};

/* The member on this line; false if it holds none. */
static bool read_member(const char *line, struct member *out) {
  size_t length = strcspn(line, "\n");
  const char *colon = NULL;
  if (strncmp(line, "  \"", 3) != 0) return false;
  for (const char *p = line; p + 3 < line + length && colon == NULL; p++)
    if (strncmp(p, "\": ", 3) == 0 && p[-1] != '\\') colon = p + 1;
  if (colon == NULL) return false;
  *out = (struct member){line + 2, colon + 2, (size_t)(colon - line - 2),
                         length - (size_t)(colon + 2 - line)};
  if (out->value_length > 0 && out->value[out->value_length - 1] == ',') out->value_length--;
  return true;
}

static bool is_same(const char *a, size_t a_length, const char *b, size_t b_length) {
  return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool has_key(const char *text, const struct member *wanted) {
  struct member member;
  for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
    if (read_member(text, &member) &&
        is_same(member.key, member.key_length, wanted->key, wanted->key_length))
      return true;
    if (text[strcspn(text, "\n")] == '\0') break;
  }
  return false;
}

static const char *next_line(const char *line) {
  size_t length = strcspn(line, "\n");
  return line + length + (line[length] == '\n');
}

static bool is_key(const struct member *member, const char *key) {
  return is_same(member->key + 1, member->key_length - 2, key, strlen(key));
}

/* A key without its quotes. */
static void put_key(struct text *words, const struct member *member) {
  text_add(words, member->key + 1, member->key_length - 2);
}

static enum sweep_difference put_difference(struct text *words, const struct member *there,
                                            const struct member *here) {
  bool is_content = strncmp(here->key, "\"content of ", 12) == 0;
  for (int i = 0; i < ORIGINS; i++) {
    if (!is_key(here, origins[i].key)) continue;
    text_put(words, origins[i].words);
    return SWEEP_OTHER_ORIGIN;
  }
  put_key(words, here);
  if (is_content) {
    text_put(words, " has changed");
    return SWEEP_OTHER;
  }
  text_put(words, " is ");
  text_add(words, here->value, here->value_length);
  text_put(words, " here and ");
  text_add(words, there->value, there->value_length);
  text_put(words, " there");
  bool is_origin = is_key(here, "lanes") || is_key(here, "dyn");
  return is_origin ? SWEEP_OTHER_ORIGIN : SWEEP_OTHER;
}

enum sweep_difference sweep_manifest_differ(const char *there, const char *here,
                                            struct text *words) {
  const char *a = there, *b = here;
  struct member x, y;
  if (strcmp(there, here) == 0) return SWEEP_SAME;
  while (*a != '\0' && *b != '\0' && is_same(a, strcspn(a, "\n"), b, strcspn(b, "\n"))) {
    a = next_line(a);
    b = next_line(b);
  }
  /* The last member has no comma: then it is the next line that differs. */
  bool has_x = read_member(a, &x), has_y = read_member(b, &y);
  if (has_x && has_y && is_same(x.key, x.key_length, y.key, y.key_length)) {
    if (!is_same(x.value, x.value_length, y.value, y.value_length))
      return put_difference(words, &x, &y);
    has_x = read_member(next_line(a), &x);
    has_y = read_member(next_line(b), &y);
  }
  if (has_y && (!has_x || !has_key(there, &y))) {
    put_key(words, &y);
    text_put(words, " is given here and not there");
  } else if (has_x) {
    put_key(words, &x);
    text_put(words,
             has_key(here, &x) ? " is given once more there" : " is given there and not here");
  } else {
    text_put(words, "its manifest is not one");
  }
  return SWEEP_OTHER;
}
