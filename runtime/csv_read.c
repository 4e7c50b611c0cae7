/* csv_read.c: reads a table for inputs from a CSV file (RFC 4180: fields may stand in double
 * quotes, a quote inside is doubled; lines end in LF or CRLF). A byte order mark and empty lines
 * are passed over. Promises a table or a message with the file and line; never more memory than the
 * file needs. */
#include "runtime/message.h"
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  const char *path;
  FILE *file;
  dyn_message *message;
  int64_t line; /* of the field that was read last */
  int64_t next_line;
  char *field; /* the field that was read last */
  size_t length, capacity;
};

enum field_end { FIELD_FOLLOWS, FIELD_ENDS_LINE, FIELD_ENDS_FILE, FIELD_BAD };

static enum field_end bad(struct reader *r, dyn_status status, const char *what) {
  message_set(r->message, status, "%s:%lld: %s", r->path, (long long)r->line, what);
  return FIELD_BAD;
}

static int keep(struct reader *r, int c) {
  if (r->length + 1 >= r->capacity) {
    size_t capacity = r->capacity ? 2 * r->capacity : 64;
    char *field = realloc(r->field, capacity);
    if (!field) return 0;
    r->field = field;
    r->capacity = capacity;
  }
  r->field[r->length++] = (char)c;
  r->field[r->length] = 0;
  return 1;
}

static int next_byte(struct reader *r) {
  int c = getc_unlocked(r->file);
  if (c == '\n') r->next_line++;
  return c;
}

/* Reads one field into r->field. */
static enum field_end read_field(struct reader *r) {
  int quoted = 0, was_quoted = 0;
  r->length = 0;
  r->line = r->next_line;
  if (r->field) r->field[0] = 0;
  for (;;) {
    int c = next_byte(r);
    if (c == EOF && ferror(r->file)) return bad(r, DYN_BAD_FILE, strerror(errno));
    if (quoted) {
      if (c == EOF) return bad(r, DYN_BAD_FILE, "a quoted field does not end");
      if (c != '"') {
        if (!keep(r, c)) return bad(r, DYN_OUT_OF_MEMORY, "there is not enough memory");
        continue;
      }
      c = next_byte(r);
      if (c == '"') {
        if (!keep(r, c)) return bad(r, DYN_OUT_OF_MEMORY, "there is not enough memory");
        continue;
      }
      quoted = 0; /* and c is what follows the closing quote */
    } else if (c == '"' && r->length == 0 && !was_quoted) {
      quoted = was_quoted = 1;
      continue;
    }
    if (c == '\r') {
      c = next_byte(r);
      if (c != '\n' && c != EOF) return bad(r, DYN_BAD_FILE, "a carriage return within a line");
    }
    if (!keep(r, 0)) return bad(r, DYN_OUT_OF_MEMORY, "there is not enough memory");
    r->length--;
    if (c == ',') return FIELD_FOLLOWS;
    if (c == '\n') return FIELD_ENDS_LINE;
    if (c == EOF) return FIELD_ENDS_FILE;
    if (was_quoted) return bad(r, DYN_BAD_FILE, "text after a quoted field");
    if (!keep(r, c)) return bad(r, DYN_OUT_OF_MEMORY, "there is not enough memory");
  }
}

struct columns {
  char **names;
  double **values;
  size_t n_columns, n_rows, capacity;
};

static void columns_clear(struct columns *c) {
  for (size_t i = 0; i < c->n_columns; i++) {
    free(c->names[i]);
    free(c->values[i]);
  }
  free(c->names);
  free(c->values);
}

static int columns_add(struct columns *c, const char *name) {
  char **names = realloc(c->names, (c->n_columns + 1) * sizeof *names);
  if (names) c->names = names;
  double **values = realloc(c->values, (c->n_columns + 1) * sizeof *values);
  if (values) c->values = values;
  if (!names || !values) return 0;
  c->values[c->n_columns] = NULL;
  c->names[c->n_columns] = strdup(name);
  return c->names[c->n_columns] && ++c->n_columns;
}

static const char *trimmed(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = 0;
  return text;
}

static int read_header(struct reader *r, struct columns *c, enum field_end *end) {
  static const char mark[] = "\xEF\xBB\xBF"; /* byte order mark of UTF-8 */
  do {
    *end = read_field(r);
    if (*end == FIELD_BAD) return 0;
    char *text = r->field;
    if (c->n_columns == 0 && !strncmp(text, mark, 3)) text += 3;
    const char *name = trimmed(text);
    if (c->n_columns == 0 && !name[0] && *end == FIELD_ENDS_LINE) {
      *end = FIELD_FOLLOWS; /* an empty line before the header */
      continue;
    }
    if (!name[0] && *end == FIELD_ENDS_FILE && c->n_columns == 0)
      return bad(r, DYN_BAD_FILE, "the file is empty; a header row of names is expected"), 0;
    if (!name[0]) return bad(r, DYN_BAD_FILE, "a column without a name in the header row"), 0;
    for (size_t i = 0; i < c->n_columns; i++)
      if (!strcmp(c->names[i], name)) {
        message_set(r->message, DYN_BAD_FILE, "%s:%lld: two columns are named %s", r->path,
                    (long long)r->line, name);
        return 0;
      }
    if (!columns_add(c, name)) return bad(r, DYN_OUT_OF_MEMORY, "there is not enough memory"), 0;
  } while (*end == FIELD_FOLLOWS);
  if (c->n_columns < 2)
    return bad(r, DYN_BAD_FILE, "a column of times and at least one more are expected"), 0;
  return 1;
}

static int row_reserve(struct columns *c) {
  if (c->n_rows < c->capacity) return 1;
  size_t capacity = c->capacity ? 2 * c->capacity : 64;
  for (size_t i = 0; i < c->n_columns; i++) {
    double *values = realloc(c->values[i], capacity * sizeof *values);
    if (!values) return 0;
    c->values[i] = values;
  }
  c->capacity = capacity;
  return 1;
}

static int read_number(struct reader *r, double *value) {
  char *end;
  const char *text = trimmed(r->field);
  *value = strtod(text, &end);
  if (end != text && !*end && isfinite(*value)) return 1;
  message_set(r->message, DYN_BAD_FILE, "%s:%lld: \"%s\" is not a %snumber", r->path,
              (long long)r->line, text, end != text && !*end ? "finite " : "");
  return 0;
}

static int wrong_count(struct reader *r, int64_t line, size_t found, size_t expected) {
  message_set(r->message, DYN_BAD_FILE, "%s:%lld: %s fields than the %zu columns of the header",
              r->path, (long long)line, found < expected ? "fewer" : "more", expected);
  return 0;
}

/* One row of numbers; an empty line is passed over. */
static int read_row(struct reader *r, struct columns *c, enum field_end *end) {
  size_t column = 0;
  int64_t line = r->next_line;
  if (!row_reserve(c)) return bad(r, DYN_OUT_OF_MEMORY, "there is not enough memory"), 0;
  do {
    *end = read_field(r);
    if (*end == FIELD_BAD) return 0;
    if (column == 0 && *end != FIELD_FOLLOWS && !trimmed(r->field)[0]) return 1;
    if (column == c->n_columns) return wrong_count(r, line, column + 1, c->n_columns);
    if (!read_number(r, &c->values[column++][c->n_rows])) return 0;
  } while (*end == FIELD_FOLLOWS);
  if (column < c->n_columns) return wrong_count(r, line, column, c->n_columns);
  const double *t = c->values[0];
  if (c->n_rows > 0 && !(t[c->n_rows] > t[c->n_rows - 1])) {
    message_set(r->message, DYN_BAD_FILE,
                "%s:%lld: the times in column %s must increase, but %.9g follows %.9g", r->path,
                (long long)line, c->names[0], t[c->n_rows], t[c->n_rows - 1]);
    return 0;
  }
  c->n_rows++;
  return 1;
}

static dyn_status failed(struct reader *r) {
  /* Out of memory is the only failure that is not the file's. */
  int is_memory = strstr(r->message->text, ": there is not enough memory") != NULL;
  return is_memory ? DYN_OUT_OF_MEMORY : DYN_BAD_FILE;
}

static dyn_status read_table(struct reader *r, dyn_input_table **table) {
  struct columns c = {0};
  enum field_end end = FIELD_FOLLOWS;
  int good = read_header(r, &c, &end);
  while (good && end != FIELD_ENDS_FILE) good = read_row(r, &c, &end);
  dyn_status status = good ? DYN_DONE : failed(r);
  if (good && c.n_rows < 2)
    status = message_set(r->message, DYN_BAD_FILE, "%s: a table needs at least two rows, not %zu",
                         r->path, c.n_rows);
  if (!status)
    status = dyn_input_table_new(c.n_rows, c.values[0], c.n_columns - 1,
                                 (const char *const *)c.names + 1,
                                 (const double *const *)c.values + 1, table, r->message);
  columns_clear(&c);
  return status;
}

dyn_status dyn_input_table_read(const char *path, dyn_input_table **table, dyn_message *message) {
  dyn_message unused;
  struct reader r = {.path = path, .message = message ? message : &unused, .next_line = 1};
  *table = NULL;
  message_set(r.message, DYN_DONE, "%s", "");
  r.file = fopen(path, "rb");
  if (!r.file)
    return message_set(r.message, DYN_BAD_FILE, "cannot read %s: %s", path, strerror(errno));
  /* Numbers have a point, whatever the program's locale. */
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  dyn_status status = DYN_OUT_OF_MEMORY;
  if (c_locale) {
    locale_t before = uselocale(c_locale);
    status = read_table(&r, table);
    uselocale(before);
    freelocale(c_locale);
  } else {
    message_set(r.message, status, "%s: there is not enough memory", path);
  }
  free(r.field);
  fclose(r.file);
  return status;
}
