/* Parsing a command line by its command's table, and printing the table as help. */
#include "driver/options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec common_options[] = {
    {OPTION_SET, "--set", NULL, "NAME=VALUE,...", NULL,
     "parameters, constants and inputs: --set \"m=2, l=30 [cm]\""},
    {OPTION_DIAGNOSTICS, "--diagnostics", NULL, "FORM", "text|json",
     "how errors and warnings are printed (to standard error)"},
    {OPTION_DUMP, "--dump", NULL, "STAGE", "tokens|ast|model|system|tape|llvm",
     "print what a stage of the compiler holds, and nothing else"},
    {OPTION_TIMINGS, "--timings", NULL, NULL, NULL, "print where the time went"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

static const struct option_spec help_option[] = {
    {OPTION_HELP, "--help", "-h", NULL, NULL, "print this"},
    {OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

static const struct option_spec no_options[] = {{OPTION_NONE, NULL, NULL, NULL, NULL, NULL}};

/* The tables that apply to a command. */
enum { TABLE_COUNT = 4 };
static void list_tables(const struct command *command, const struct option_spec **tables) {
  tables[0] = command->shared != NULL ? command->shared : no_options;
  tables[1] = command->options != NULL ? command->options : no_options;
  tables[2] = command->takes_model ? common_options : no_options;
  tables[3] = help_option;
}

#define FOR_EACH_OPTION(command, spec)                                                             \
  const struct option_spec *spec##_tables[TABLE_COUNT];                                            \
  list_tables(command, spec##_tables);                                                             \
  for (int spec##_i = 0; spec##_i < TABLE_COUNT; spec##_i++)                                       \
    for (const struct option_spec *spec = spec##_tables[spec##_i]; spec->name != NULL; spec++)

static const struct span nowhere_ = {0, 0, 0};

const struct option_spec *command_option(const struct command *command, size_t i) {
  FOR_EACH_OPTION(command, spec) if (i-- == 0) return spec;
  return NULL;
}

const char *option_name(const struct command *command, enum option_id id) {
  FOR_EACH_OPTION(command, spec) if (spec->id == id) return spec->name;
  bug("'dyn %s' has no option %d", command->name, (int)id);
}

void report_bad_value(dyn_context *context, const char *option, const char *value,
                      const char *help) {
  struct diagnostic *diagnostic =
      diagnostic_add(context, DIAG_BAD_OPTION_VALUE, nowhere_, option, value, NULL);
  diagnostic_help(context, diagnostic, "%s", help);
}

/* ---------------------------------------------------------------- choices */

enum { MOST_CHOICES = 16 };

/* Splits "a|b|c" into the context's arena; returns how many. */
static size_t split_choices(dyn_context *context, const char *choices, const char **out) {
  size_t count = 0;
  for (const char *begin = choices; begin != NULL && count < MOST_CHOICES;) {
    const char *end = strchr(begin, '|');
    size_t length = end != NULL ? (size_t)(end - begin) : strlen(begin);
    out[count++] = arena_string(&context->arena, begin, length);
    begin = end != NULL ? end + 1 : NULL;
  }
  return count;
}

static bool check_choice(dyn_context *context, const struct option_spec *spec, const char *value) {
  if (spec->choices == NULL) return true;
  const char *choices[MOST_CHOICES];
  size_t count = split_choices(context, spec->choices, choices);
  struct text list = {0};
  for (size_t i = 0; i < count; i++) {
    if (strcmp(choices[i], value) == 0) {
      text_free(&list);
      return true;
    }
    text_format(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", choices[i]);
  }
  const char *near = nearest_name(value, choices, count);
  struct diagnostic *diagnostic =
      diagnostic_add(context, DIAG_BAD_OPTION_VALUE, nowhere_, spec->name, value, NULL);
  if (near != NULL) diagnostic_help(context, diagnostic, "did you mean '%s'?", near);
  diagnostic_help(context, diagnostic, "it can be %s", text_string(&list));
  text_free(&list);
  return false;
}

/* ---------------------------------------------------------------- parsing */

struct parser {
  dyn_context *context;
  const struct command *command;
  int count, next;
  const char *const *words;
  struct command_line *out;
  bool good;
};

static void report_unknown(struct parser *p, const char *name) {
  const char *names[64];
  size_t count = 0;
  FOR_EACH_OPTION(p->command, spec) if (count < 64) names[count++] = spec->name;
  const char *near = nearest_name(name, names, count);
  struct diagnostic *diagnostic =
      diagnostic_add(p->context, DIAG_UNKNOWN_OPTION, nowhere_, p->command->name, name, NULL);
  if (near != NULL)
    diagnostic_help(p->context, diagnostic, "did you mean '%s'?", near);
  else
    diagnostic_help(p->context, diagnostic, "'dyn %s --help' lists them", p->command->name);
  p->good = false;
}

/* The option's value: what stands behind '=' or the letter, else the next word. */
static void take_value(struct parser *p, const struct option_spec *spec, const char *attached) {
  if (spec->argument == NULL) {
    if (attached != NULL) {
      diagnostic_add(p->context, DIAG_OPTION_TAKES_NO_VALUE, nowhere_, spec->name, attached, NULL);
      p->good = false;
    }
    vector_push(&p->out->options, ((struct option_value){spec->id, ""}));
    return;
  }
  if (attached == NULL && (p->next == p->count || strncmp(p->words[p->next], "--", 2) == 0)) {
    struct diagnostic *diagnostic = diagnostic_add(p->context, DIAG_OPTION_NEEDS_VALUE, nowhere_,
                                                   spec->name, spec->argument, NULL);
    diagnostic_help(p->context, diagnostic, "%s: %s", spec->name, spec->help);
    p->good = false;
    return;
  }
  const char *value = attached != NULL ? attached : p->words[p->next++];
  if (!check_choice(p->context, spec, value)) p->good = false;
  vector_push(&p->out->options, ((struct option_value){spec->id, value}));
}

static void parse_long(struct parser *p, const char *word) {
  const char *equals = strchr(word, '=');
  size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
  FOR_EACH_OPTION(p->command, spec) {
    if (strlen(spec->name) == length && memcmp(spec->name, word, length) == 0) {
      take_value(p, spec, equals != NULL ? equals + 1 : NULL);
      return;
    }
  }
  report_unknown(p, arena_string(&p->context->arena, word, length));
  /* Probably its value: not one more mistake. */
  if (equals == NULL && p->next < p->count && p->words[p->next][0] != '-' &&
      p->out->arguments.count > 0)
    p->next++;
}

static const struct option_spec *find_letter(const struct parser *p, char letter) {
  FOR_EACH_OPTION(p->command, spec)
  if (spec->letter != NULL && spec->letter[1] == letter) return spec;
  return NULL;
}

/* Letters may share a dash (-qo out.csv); the first that takes a value takes the rest of the word.
 */
static void parse_short(struct parser *p, const char *word) {
  for (const char *letter = word + 1; *letter != '\0'; letter++) {
    const struct option_spec *spec = find_letter(p, *letter);
    if (spec == NULL) {
      report_unknown(p,
                     letter == word + 1 ? word : arena_format(&p->context->arena, "-%s", letter));
      return;
    }
    if (spec->argument != NULL || letter[1] == '=') {
      take_value(p, spec, letter[1] != '\0' ? letter + 1 : NULL);
      return;
    }
    take_value(p, spec, NULL);
  }
}

static void check_arguments(struct parser *p) {
  uint32_t count = p->out->arguments.count;
  if (command_line_option(p->out, OPTION_HELP) != NULL || !p->good) return;
  if (count < p->command->least) {
    struct diagnostic *diagnostic = diagnostic_add(p->context, DIAG_ARGUMENT_MISSING, nowhere_,
                                                   p->command->name, p->command->arguments, NULL);
    if (p->command->takes_model)
      diagnostic_help(p->context, diagnostic,
                      "name the file of the model, or '-' to read it from standard input");
    p->good = false;
  } else if (count > p->command->most) {
    diagnostic_add(p->context, DIAG_ARGUMENT_EXTRA, nowhere_, p->command->name,
                   p->out->arguments.items[p->command->most], NULL);
    p->good = false;
  }
}

bool command_line_parse(dyn_context *context, const struct command *command, int count,
                        const char *const *words, struct command_line *out) {
  struct parser parser = {context, command, count, 0, words, out, true};
  bool only_arguments = false;
  while (parser.next < count) {
    const char *word = words[parser.next++];
    if (only_arguments || word[0] != '-' || word[1] == '\0')
      vector_push(&out->arguments, word);
    else if (strcmp(word, "--") == 0)
      only_arguments = true;
    else if (word[1] == '-')
      parse_long(&parser, word);
    else
      parse_short(&parser, word);
  }
  check_arguments(&parser);
  return parser.good;
}

void command_line_clear(struct command_line *line) {
  vector_free(&line->options);
  vector_free(&line->arguments);
}

const char *command_line_option(const struct command_line *line, enum option_id id) {
  for (uint32_t i = line->options.count; i-- > 0;)
    if (line->options.items[i].id == id) return line->options.items[i].text;
  return NULL;
}

/* ---------------------------------------------------------------- help */

enum { HELP_COLUMN = 28 };

static void help_option_lines(const struct option_spec *spec, struct text *out) {
  size_t begin = out->length;
  text_format(out, "  %s%s%s", spec->letter != NULL ? spec->letter : "",
              spec->letter != NULL ? ", " : "", spec->name);
  const char *value = spec->choices != NULL ? spec->choices : spec->argument;
  if (value != NULL) text_format(out, " %s", value);
  size_t width = out->length - begin;
  if (width >= HELP_COLUMN)
    text_format(out, "\n%*s", HELP_COLUMN, "");
  else
    text_format(out, "%*s", (int)(HELP_COLUMN - width), "");
  for (const char *line = spec->help; line != NULL;) {
    const char *end = strchr(line, '\n');
    text_add(out, line, end != NULL ? (size_t)(end - line) : strlen(line));
    text_put(out, "\n");
    line = end != NULL ? end + 1 : NULL;
    if (line != NULL) text_format(out, "%*s", HELP_COLUMN, "");
  }
}

void command_help(const struct command *command, struct text *out) {
  text_format(out, "usage: dyn %s [options] %s\n\n%s\n\noptions:\n", command->name,
              command->arguments, command->summary);
  FOR_EACH_OPTION(command, spec) help_option_lines(spec, out);
  if (command->details != NULL) text_format(out, "\n%s", command->details);
}

/* ---------------------------------------------------------------- numbers */

static bool read_number(const char *text, double *value, const char **rest) {
  char *end;
  if (*text == '\0' || strchr(" \t\n", *text) != NULL || strpbrk(text, "xXnN") == text)
    return false;
  double number = strtod(text, &end);
  if (end == text || !isfinite(number)) return false;
  /* strtod reads hexadecimal numbers too. */
  for (const char *c = text; c < end; c++)
    if (*c == 'x' || *c == 'X') return false;
  while (*end == ' ') end++;
  *value = number;
  *rest = end;
  return true;
}

static double time_unit(const char *text) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"", 1},        {"[s]", 1},    {"[ms]", 1e-3}, {"[us]", 1e-6},
               {"[µs]", 1e-6}, {"[min]", 60}, {"[h]", 3600}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (strcmp(text, units[i].name) == 0) return units[i].seconds;
  return 0;
}

bool option_seconds(dyn_context *context, const struct command *command,
                    const struct command_line *line, enum option_id id, double *value) {
  const char *text = command_line_option(line, id), *rest;
  double number;
  if (text == NULL) return true;
  if (read_number(text, &number, &rest) && time_unit(rest) > 0) {
    *value = number * time_unit(rest);
    return true;
  }
  report_bad_value(context, option_name(command, id), text,
                   "it is a number of seconds, or carries [s], [ms], [us], [min] or [h]");
  return false;
}

bool option_number(dyn_context *context, const struct command *command,
                   const struct command_line *line, enum option_id id, double *value) {
  const char *text = command_line_option(line, id), *rest;
  double number;
  if (text == NULL) return true;
  if (read_number(text, &number, &rest) && *rest == '\0') {
    *value = number;
    return true;
  }
  report_bad_value(context, option_name(command, id), text, "it is a number, such as 1e-9");
  return false;
}
