/* expect [--digits] DYN MODEL [FILE]: runs the commands that stand in FILE (default: the model itself) as
 * comments and compares what they print.
 *
 *   #! run --until 1                    runs `dyn run MODEL --until 1`; what follows is about it
 *   #! expect θ = 0.25 ± 1e-9           the column's value in the last row
 *   #! expect θ = 0.25 ± 1e-9 at 0.5    ... in the row of that time
 *   #! constant momentum ± 1e-9         the column keeps its first value in all rows
 *   #! eval --at "θ=0.3"                runs `dyn eval MODEL --json --at "θ=0.3"`
 *   #! expect θ'' = -2.5 ± 1e-10        a value of that name, or a key such as energy
 *   #! check                            runs `dyn check MODEL --json`
 *   #! expect degrees_of_freedom = 1 ± 0
 *   #! linearize --at "θ=0"             runs `dyn linearize MODEL --json ...`, as does equilibrium
 *   #! expect A[θ'',θ] = -9.81 ± 1e-10  an entry of A, B, C or D, by its row and column
 *   #! eigenvalue -0.5 3 ± 1e-10        one of the eigenvalues is -0.5 + 3 i
 *   #! derive --format text             runs `dyn derive MODEL --format text`
 *   #! text m*x''                       the output has this text, blanks apart
 *   #! status 3                         the command before ends with this exit status (else 0)
 *
 * With --digits it prints instead, for every command, how many numbers were compared and the largest
 * |got - wanted|/max(1, |wanted|) among them, between tabs.
 *
 * |got - wanted| <= tolerance * max(1, |wanted|). The value may also be a list in brackets, which
 * is compared with the columns of an array: θ[1..] = [1, 2, 3]. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { LONGEST_LINE = 65536 };

struct output {
  char command[LONGEST_LINE], asked[LONGEST_LINE];
  char *text; /* what it printed; NULL before the first command */
  bool is_rows;
  json_t *json;
  int status, wanted_status;
};

struct test {
  const char *dyn, *model, *file;
  int line, failures, checks;
  bool tells_digits;
  int values;   /* numbers compared since the command */
  double worst; /* by how much the farthest one was off */
  struct output output;
};

static void fail(struct test *test, const char *what, const char *detail) {
  fprintf(stderr, "%s:%d: %s%s%s\n", test->file, test->line, what, *detail ? ": " : "", detail);
  test->failures++;
}

/* ---------------------------------------------------------------- running a command */

static char *read_all(FILE *stream) {
  size_t length = 0, capacity = 65536;
  char *text = malloc(capacity + 1);
  for (size_t got; (got = fread(text + length, 1, capacity - length, stream)) > 0;) {
    length += got;
    if (length == capacity) text = realloc(text, (capacity *= 2) + 1);
  }
  text[length] = '\0';
  return text;
}

/* What a number is off, against what it is asked to be within. */
static bool is_near(struct test *test, double off, double wanted, double tolerance) {
  double relative = off/fmax(1, wanted);
  test->values++;
  if (!(relative <= test->worst)) test->worst = relative;
  return relative <= tolerance;
}

static void finish_command(struct test *test) {
  struct output *output = &test->output;
  if (output->text == NULL) return;
  if (test->tells_digits && test->values > 0)
    printf("%s\t%d\t%.2g\n", output->asked, test->values, test->worst);
  test->values = 0;
  test->worst = 0;
  if (output->status != output->wanted_status) {
    char detail[64];
    snprintf(detail, sizeof detail, "status %d, expected %d", output->status,
             output->wanted_status);
    fail(test, output->command, detail);
  }
  json_decref(output->json);
  free(output->text);
  output->json = NULL;
  output->text = NULL;
}

static void start_command(struct test *test, const char *name, const char *arguments) {
  struct output *output = &test->output;
  finish_command(test);
  static const char *const json_commands[] = {"eval", "check", "linearize", "equilibrium"};
  bool is_json = false;
  for (int i = 0; i < 4; i++) is_json = is_json || strcmp(name, json_commands[i]) == 0;
  output->is_rows = strcmp(name, "run") == 0;
  snprintf(output->command, sizeof output->command, "'%s' %s '%s' %s %s", test->dyn, name,
           test->model, is_json ? "--json" : output->is_rows ? "--quiet" : "", arguments);
  snprintf(output->asked, sizeof output->asked, "%s%s%s", name, *arguments ? " " : "", arguments);
  FILE *stream = popen(output->command, "r");
  output->text = read_all(stream);
  int status = pclose(stream);
  output->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  output->wanted_status = 0;
  output->json = is_json ? json_loads(output->text, 0, NULL) : NULL;
  if (is_json && output->json == NULL && output->status == 0)
    fail(test, output->command, "did not print JSON");
}

/* ---------------------------------------------------------------- values */

/* The place of a name among the columns of the header, -1 if it is not there. */
static int find_column(const char *text, const char *name) {
  size_t length = strlen(name);
  int column = 0;
  for (const char *p = text; *p != '\n' && *p != '\0'; column++) {
    size_t width = strcspn(p, ",\n");
    if (width == length && memcmp(p, name, length) == 0) return column;
    p += width;
    if (*p == ',') p++;
  }
  return -1;
}

static double cell(const char *row, int column) {
  for (; column > 0; column--) row = strchr(row, ',') + 1;
  return strtod(row, NULL);
}

static const char *next_row(const char *row) {
  const char *end = strchr(row, '\n');
  return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

/* The row at time t, the last one if t is NaN. */
static const char *find_row(const char *text, double t) {
  const char *found = NULL;
  for (const char *row = next_row(text); row != NULL; row = next_row(row))
    if (isnan(t) || fabs(cell(row, 0) - t) <= 1e-9 * fmax(1, fabs(t))) found = row;
  return found;
}

/* A key of the object, or of an object in it. */
static const json_t *find_json(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  if (json_is_number(value) || json_is_boolean(value)) return value;
  const char *key;
  json_t *member;
  json_object_foreach((json_t *)object, key, member) {
    value = json_is_object(member) ? json_object_get(member, name) : NULL;
    if (value != NULL) return value;
  }
  return NULL;
}

/* The place of a name in a list, SIZE_MAX if it is not there. */
static size_t find_name(const json_t *list, const char *name) {
  for (size_t i = 0; i < json_array_size(list); i++)
    if (strcmp(json_string_value(json_array_get(list, i)), name) == 0) return i;
  return SIZE_MAX;
}

/* "A[row,column]" of what linearize prints. */
static const json_t *find_entry(const json_t *object, const char *name) {
  char row[128], column[128], matrix[2] = {name[0], '\0'};
  if (strchr("ABCD", name[0]) == NULL || sscanf(name + 1, "[%127[^,],%127[^]]]", row, column) != 2)
    return NULL;
  /* a column may itself end in an index: B[x'',F[1]] */
  if (strchr(column, '[') != NULL) strcat(column, "]");
  const char *rows = name[0] < 'C' ? "rates" : "outputs";
  const char *columns = name[0] == 'A' || name[0] == 'C' ? "states" : "inputs";
  size_t i = find_name(json_object_get(object, rows), row);
  size_t j = find_name(json_object_get(object, columns), column);
  return json_array_get(json_array_get(json_object_get(object, matrix), i), j);
}

static bool find_value(struct test *test, const char *name, double t, double *value) {
  struct output *output = &test->output;
  if (output->is_rows) {
    int column = find_column(output->text, name);
    const char *row = find_row(output->text, t);
    if (column >= 0 && row != NULL) *value = cell(row, column);
    return column >= 0 && row != NULL;
  }
  const json_t *found = find_json(output->json, name);
  if (found == NULL) found = find_entry(output->json, name);
  if (found != NULL) *value = json_is_true(found) ? 1 : json_number_value(found);
  return found != NULL;
}

static void compare(struct test *test, const char *name, double wanted, double tolerance,
                    double t) {
  double got;
  char detail[256];
  test->checks++;
  if (!find_value(test, name, t, &got)) {
    fail(test, "there is no value", name);
  } else if (!is_near(test, fabs(got - wanted), fabs(wanted), tolerance)) {
    snprintf(detail, sizeof detail, "%s is %.17g, expected %.17g ± %g (off by %g)", name, got,
             wanted, tolerance, got - wanted);
    fail(test, "wrong value", detail);
  }
}

/* ---------------------------------------------------------------- directives */

/* "± 1e-9 at 0.5" */
static bool read_tail(const char *text, double *tolerance, double *t) {
  static const char plus_minus[] = "±";
  const char *sign = strstr(text, plus_minus);
  if (sign == NULL) return false;
  char *end;
  *tolerance = strtod(sign + sizeof plus_minus - 1, &end);
  const char *at = strstr(end, "at ");
  *t = at != NULL ? strtod(at + 3, NULL) : NAN;
  return true;
}

/* θ[1..] = [a, b, c]: the elements from that index on. */
static void expect_list(struct test *test, const char *name, char *list, double tolerance,
                        double t) {
  char base[256], element[300];
  snprintf(base, sizeof base, "%s", name);
  char *bracket = strchr(base, '[');
  char *range = bracket != NULL ? strstr(bracket, "..]") : NULL;
  if (range == NULL) {
    fail(test, "a list is compared with name[1..]", name);
    return;
  }
  long index = strtol(bracket + 1, NULL, 10);
  *bracket = '\0';
  for (char *p = list + 1; *p != ']' && *p != '\0'; index++) {
    char *end;
    double wanted = strtod(p, &end);
    /* primes stand behind the bracket: θ[1..]'' */
    snprintf(element, sizeof element, "%s[%ld]%s", base, index, range + 3);
    compare(test, element, wanted, tolerance, t);
    p = end + strspn(end, ", ");
  }
}

static void expect_value(struct test *test, char *text) {
  char *equals = strstr(text, " = ");
  double tolerance = 0, t = NAN;
  if (equals == NULL || !read_tail(equals, &tolerance, &t)) {
    fail(test, "write: expect NAME = VALUE ± TOLERANCE", text);
    return;
  }
  *equals = '\0';
  char *value = equals + 3;
  if (*value == '[') expect_list(test, text, value, tolerance, t);
  else compare(test, text, strtod(value, NULL), tolerance, t);
}

/* "-0.5 3 ± 1e-10" */
static void expect_eigenvalue(struct test *test, const char *text) {
  double tolerance = 0, t, best = INFINITY;
  char *rest;
  double real = strtod(text, &rest), imaginary = strtod(rest, NULL);
  if (!read_tail(text, &tolerance, &t)) {
    fail(test, "write: eigenvalue REAL IMAGINARY ± TOLERANCE", text);
    return;
  }
  size_t i;
  json_t *mode;
  test->checks++;
  json_array_foreach(json_object_get(test->output.json, "eigenvalues"), i, mode) {
    double off = hypot(json_number_value(json_object_get(mode, "real")) - real,
                       json_number_value(json_object_get(mode, "imaginary")) - imaginary);
    if (off < best) best = off;
  }
  if (is_near(test, best, hypot(real, imaginary), tolerance)) return;
  char detail[128];
  snprintf(detail, sizeof detail, "%s (the nearest is off by %g)", text, best);
  fail(test, "no such eigenvalue", detail);
}

static void expect_constant(struct test *test, char *text) {
  double tolerance = 0, t, first;
  char *space = strchr(text, ' ');
  if (space == NULL || !read_tail(space, &tolerance, &t)) {
    fail(test, "write: constant NAME ± TOLERANCE", text);
    return;
  }
  *space = '\0';
  int column = test->output.is_rows ? find_column(test->output.text, text) : -1;
  const char *row = column >= 0 ? next_row(test->output.text) : NULL;
  test->checks++;
  if (row == NULL) {
    fail(test, "there is no column", text);
    return;
  }
  first = cell(row, column);
  for (; row != NULL; row = next_row(row)) {
    char detail[256];
    if (fabs(cell(row, column) - first) <= tolerance * fmax(1, fabs(first))) continue;
    snprintf(detail, sizeof detail, "%s is %.17g at t = %g, was %.17g", text, cell(row, column),
             cell(row, 0), first);
    fail(test, "not constant", detail);
    return;
  }
}

static void squeeze(char *text) {
  char *to = text;
  for (const char *p = text; *p != '\0'; p++)
    if (*p != ' ' && *p != '\n' && *p != '\t') *to++ = *p;
  *to = '\0';
}

static void expect_text(struct test *test, const char *text) {
  char *haystack = strdup(test->output.text), *needle = strdup(text);
  squeeze(haystack);
  squeeze(needle);
  test->checks++;
  if (strstr(haystack, needle) == NULL) {
    fail(test, "the output lacks", text);
    fputs(test->output.text, stderr);
  }
  free(haystack);
  free(needle);
}

static void directive(struct test *test, char *text) {
  text[strcspn(text, "\n")] = '\0';
  size_t length = strcspn(text, " ");
  char *rest = text + length + (text[length] == ' ');
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  static const char *const commands[] = {"run",    "eval",      "check",
                                         "derive", "linearize", "equilibrium"};
  bool is_command = false;
  for (int i = 0; i < 6; i++) is_command = is_command || strcmp(name, commands[i]) == 0;
  if (is_command) start_command(test, name, rest);
  else if (test->output.text == NULL) fail(test, "no command before", text);
  else if (strcmp(name, "expect") == 0) expect_value(test, rest);
  else if (strcmp(name, "eigenvalue") == 0) expect_eigenvalue(test, rest);
  else if (strcmp(name, "constant") == 0) expect_constant(test, rest);
  else if (strcmp(name, "text") == 0) expect_text(test, rest);
  else if (strcmp(name, "status") == 0) test->output.wanted_status = atoi(rest);
  else fail(test, "unknown directive", text);
}

int main(int argc, char **argv) {
  bool tells_digits = argc > 1 && strcmp(argv[1], "--digits") == 0;
  argv += tells_digits;
  argc -= tells_digits;
  if (argc < 3) {
    fputs("usage: expect [--digits] DYN MODEL [FILE]\n", stderr);
    return 2;
  }
  static struct test test;
  test = (struct test){.tells_digits = tells_digits, .dyn = argv[1], .model = argv[2], .file = argc > 3 ? argv[3] : argv[2]};
  FILE *file = fopen(test.file, "r");
  if (file == NULL) {
    perror(test.file);
    return 2;
  }
  static char line[LONGEST_LINE];
  while (fgets(line, sizeof line, file) != NULL) {
    test.line++;
    if (strncmp(line, "#! ", 3) == 0) directive(&test, line + 3);
  }
  finish_command(&test);
  fclose(file);
  if (test.checks == 0) fail(&test, "nothing was checked", "");
  if (!tells_digits) printf("%s: %d checks, %d failures\n", test.model, test.checks, test.failures);
  return test.failures > 0 ? 1 : 0;
}
