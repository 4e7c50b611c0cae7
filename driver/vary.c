/* Reads what a sweep varies:
 *   m=1:10:1000      1000 values, both ends included     m=1:10:1000:log     in equal ratios
 *   m=1,2,5          a list                              m=uniform(-1, 1)    drawn
 * Numbers may hold pi, as in -pi/2; a unit at the end holds for all of them. Whether the name and
 * the unit make sense is for the compiler to say: it is given one of the values. */
#include "driver/vary.h"
#include "driver/vary_number.h"
#include "expr/expr.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *arguments;
  enum variation_kind kind;
} distributions[] = {{"uniform", "uniform(least, most)", VARY_UNIFORM},
                     {"normal", "normal(mean, standard deviation)", VARY_NORMAL},
                     {"loguniform", "loguniform(least, most)", VARY_LOG_UNIFORM}};
enum { DISTRIBUTIONS = sizeof distributions / sizeof distributions[0] };

static const char forms[] = "it has the form NAME=from:to:count, NAME=from:to:count:log, "
                            "NAME=1,2,5 or NAME=uniform(a, b), perhaps with a unit at the end: "
                            "\"m = 1:10:5 [kg]\"";

/* The text between both without blanks around it. */
static char *trimmed(struct session *session, const char *begin, const char *end) {
  while (begin < end && isspace((unsigned char)*begin)) begin++;
  while (end > begin && isspace((unsigned char)end[-1])) end--;
  return arena_string(&session_context(session)->arena, begin, (size_t)(end - begin));
}

static bool refuse(struct session *session, const struct variation *v, const char *why,
                   const char *help) {
  struct diagnostic *d =
      diagnostic_add(session_context(session), DIAG_BAD_VARIATION, nowhere, v->text, why, NULL);
  diagnostic_help(session_context(session), d, "%s", help);
  return false;
}

/* ---------------------------------------------------------------- numbers */

/* Says why the text is none, as far as that can be guessed. */
static bool refuse_number(struct session *session, const struct variation *v, const char *text) {
  struct arena *arena = &session_context(session)->arena;
  char *end;
  double value = strtod(text, &end);
  if (*text == '\0') return refuse(session, v, "a value is missing", forms);
  if (strchr(text, '=') != NULL)
    return refuse(session, v, arena_format(arena, "'%s' is not a number", text),
                  "what else varies has a --vary of its own");
  if (strpbrk(text, "[]") != NULL)
    return refuse(session, v, arena_format(arena, "'%s' is not a number", text),
                  "a unit stands once, at the end of all");
  if (*end == '\0' && isinf(value) && isdigit((unsigned char)end[-1]))
    return refuse(session, v, arena_format(arena, "'%s' is larger than any double", text), forms);
  return refuse(session, v, arena_format(arena, "'%s' is not a number", text), forms);
}

static bool add_number(struct session *session, struct variation *v, const char *text) {
  struct vary_fraction fraction = {.text = text};
  mpq_init(fraction.value);
  if (!vary_number(text, fraction.value)) {
    mpq_clear(fraction.value);
    return refuse_number(session, v, text);
  }
  vector_push(&v->exact, fraction);
  vector_push(&v->numbers, expr_nearest_double(fraction.value));
  return true;
}

/* Splits the text at `separator`; returns how many parts, of which at most `most` are kept. */
static uint32_t split(struct session *session, const char *text, char separator, uint32_t most,
                      const char **parts) {
  uint32_t count = 0;
  for (const char *begin = text; begin != NULL;) {
    const char *end = strchr(begin, separator);
    if (count < most)
      parts[count] = trimmed(session, begin, end != NULL ? end : begin + strlen(begin));
    count++;
    begin = end != NULL ? end + 1 : NULL;
  }
  return count;
}

/* ---------------------------------------------------------------- the forms */

static bool read_list(struct session *session, struct variation *v, const char *text) {
  v->kind = VARY_LIST;
  for (const char *begin = text; begin != NULL;) {
    const char *end = strchr(begin, ',');
    const char *part = trimmed(session, begin, end != NULL ? end : begin + strlen(begin));
    if (!add_number(session, v, part)) return false;
    begin = end != NULL ? end + 1 : NULL;
  }
  v->count = v->numbers.count;
  return true;
}

static bool read_range(struct session *session, struct variation *v, const char *text) {
  const char *parts[4];
  uint32_t count = split(session, text, ':', 4, parts);
  bool is_log = count == 4 && strcmp(parts[3], "log") == 0;
  v->kind = is_log ? VARY_LOG_RANGE : VARY_RANGE;
  if (strchr(text, '=') != NULL)
    return refuse(session, v, "this is no range", "what else varies has a --vary of its own");
  if (count == 2)
    return refuse(session, v, "the number of values is missing",
                  arena_format(&session_context(session)->arena,
                               "%s:%s:10, say, are ten values in equal steps, both ends among them",
                               parts[0], parts[1]));
  if (count == 4 && !is_log)
    return refuse(session, v,
                  arena_format(&session_context(session)->arena, "'%s' is not 'log'", parts[3]),
                  forms);
  if (count > 4) return refuse(session, v, "this is no range", forms);
  if (!add_number(session, v, parts[0]) || !add_number(session, v, parts[1])) return false;
  char *end;
  errno = 0;
  v->count = isdigit((unsigned char)parts[2][0]) ? strtoull(parts[2], &end, 10) : 0;
  if (v->count < 2 || *end != '\0' || errno != 0 || v->count > MOST_TRAJECTORIES)
    return refuse(session, v,
                  arena_format(&session_context(session)->arena,
                               "'%s' is no number of values from 2 to 1e9", parts[2]),
                  "both ends are among the values; a single one is written NAME=1");
  if (is_log && !(v->numbers.items[0] * v->numbers.items[1] > 0))
    return refuse(session, v, "equal ratios never reach or pass 0",
                  "ends of a range with 'log' are both positive, or both negative");
  return true;
}

static bool report_unknown_distribution(struct session *session, const struct variation *v,
                                        const char *name) {
  const char *names[DISTRIBUTIONS];
  for (int i = 0; i < DISTRIBUTIONS; i++) names[i] = distributions[i].name;
  dyn_context *context = session_context(session);
  const char *near = nearest_name(name, names, DISTRIBUTIONS);
  struct diagnostic *d =
      diagnostic_add(context, DIAG_UNKNOWN_DISTRIBUTION, nowhere, v->text, name, NULL);
  if (near != NULL) diagnostic_help(context, d, "did you mean '%s'?", near);
  diagnostic_help(context, d, "it can be uniform, normal or loguniform");
  if (near == NULL)
    diagnostic_help(context, d,
                    "values are numbers: let the model follow a parameter, and vary that");
  return false;
}

static bool check_distribution(struct session *session, const struct variation *v) {
  double a = v->numbers.items[0], b = v->numbers.items[1];
  if (v->kind == VARY_NORMAL && !(b > 0))
    return refuse(session, v, "the standard deviation is greater than 0",
                  "normal(mean, deviation)");
  if (v->kind != VARY_NORMAL && !(a < b))
    return refuse(session, v, "the first bound is less than the second one",
                  "both bounds are numbers, as in uniform(-1, 1)");
  if (v->kind == VARY_LOG_UNIFORM && !(a > 0))
    return refuse(session, v, "logarithms are of positive numbers only",
                  "both bounds are greater than 0, as in loguniform(1e-3, 1)");
  return true;
}

static bool read_distribution(struct session *session, struct variation *v, const char *text,
                              const char *open) {
  const char *name = trimmed(session, text, open), *parts[2];
  size_t length = strlen(open);
  int which = 0;
  while (which < DISTRIBUTIONS && strcmp(distributions[which].name, name) != 0) which++;
  if (which == DISTRIBUTIONS) return report_unknown_distribution(session, v, name);
  v->kind = distributions[which].kind;
  v->count = 1;
  const char *inside = open[length - 1] == ')' ? trimmed(session, open + 1, open + length - 1) : "";
  if (split(session, inside, ',', 2, parts) != 2)
    return refuse(session, v,
                  arena_format(&session_context(session)->arena, "'%s' takes two numbers", name),
                  distributions[which].arguments);
  return add_number(session, v, parts[0]) && add_number(session, v, parts[1]) &&
         check_distribution(session, v);
}

/* Takes "[kg]" off the end of the text between both. */
static const char *take_unit(struct session *session, const char *begin, const char **end) {
  const char *open = *end;
  if (open == begin || open[-1] != ']') return "";
  while (open > begin && *open != '[') open--;
  if (*open != '[') return "";
  const char *unit = trimmed(session, open, *end);
  *end = open;
  return unit;
}

/* Any number but 0 tells the factor of a unit; one that holds pi is better still, because it
 * decides how the compiler reads bare numbers. */
static int worth_of(const struct vary_fraction *fraction) {
  if (mpq_sgn(fraction->value) == 0) return 0;
  return strstr(fraction->text, "pi") != NULL ? 2 : 1;
}

static int compare_samples(const void *a, const void *b) {
  const struct vary_fraction *x = *(const struct vary_fraction *const *)a,
                             *y = *(const struct vary_fraction *const *)b;
  int order = mpq_cmp(x->value, y->value);
  return order != 0 ? order : strcmp(x->text, y->text);
}

/* The middle one of the best: it does not depend on the order in which values are given. */
static void choose_sample(struct variation *v) {
  VECTOR(const struct vary_fraction *) best = {0};
  int worth = 0;
  for (uint32_t i = 0; i < v->exact.count; i++) {
    const struct vary_fraction *fraction = &v->exact.items[i];
    if (worth_of(fraction) > worth) best.count = 0;
    if (worth_of(fraction) >= worth) vector_push(&best, fraction);
    if (worth_of(fraction) > worth) worth = worth_of(fraction);
  }
  qsort(best.items, best.count, sizeof *best.items, compare_samples);
  v->sample = best.items[(best.count - 1) / 2]->text;
  v->sample_place = (uint32_t)(best.items[(best.count - 1) / 2] - v->exact.items);
  vector_free(&best);
}

static bool read_values(struct session *session, struct variation *v, const char *values) {
  if (*values == '\0' && v->unit[0] != '\0')
    return refuse(session, v, "what stands in brackets is a unit, and no value is before it",
                  "a list has no brackets: NAME=1,2,5");
  const char *open = strchr(values, '(');
  if (open != NULL) return read_distribution(session, v, values, open);
  if (strchr(values, ':') != NULL) return read_range(session, v, values);
  return read_list(session, v, values);
}

static bool read_variation(struct session *session, const char *text, struct variation *v) {
  *v = (struct variation){.text = text};
  mpq_init(v->factor);
  const char *equals = strchr(text, '='), *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) end--;
  if (equals == NULL || equals == text) return refuse(session, v, "there is no NAME=", forms);
  v->name = trimmed(session, text, equals);
  size_t length = strlen(v->name);
  if (strncmp(v->name, "start(", 6) == 0 && v->name[length - 1] == ')')
    return refuse(session, v, "a start value is varied by the name of what starts there",
                  arena_format(&session_context(session)->arena, "write \"%.*s%s\"",
                               (int)length - 7, v->name + 6, equals));
  v->unit = take_unit(session, equals + 1, &end);
  if (!read_values(session, v, trimmed(session, equals + 1, end))) return false;
  choose_sample(v);
  return true;
}

/* ---------------------------------------------------------------- all of them */

/* A whole number from `least` on. */
static bool take_count(struct session *session, enum option_id id, uint64_t least, uint64_t most,
                       const char *help, uint64_t *value) {
  const char *text = session_option(session, id);
  if (text == NULL) return true;
  char *end = NULL;
  errno = 0;
  uint64_t number = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
  *value = number;
  if (end != NULL && *end == '\0' && errno == 0 && number >= least && number <= most) return true;
  report_bad_value(session_context(session), option_name(session->command, id), text, help);
  return false;
}

static bool check_all(struct session *session, struct variations *out) {
  dyn_context *context = session_context(session);
  bool draws = false;
  out->grid = 1;
  for (uint32_t i = 0; i < out->items.count; i++) {
    const struct variation *v = &out->items.items[i];
    draws = draws || v->kind >= VARY_UNIFORM;
    out->grid = out->grid > MOST_TRAJECTORIES ? out->grid : out->grid * v->count;
  }
  if (out->items.count == 0 || (out->samples > 1 && !draws)) {
    struct diagnostic *d = diagnostic_add(
        context, DIAG_SWEEP_OPTIONS, nowhere,
        out->items.count == 0 ? "nothing is varied" : "--samples asks for equal trajectories",
        NULL);
    diagnostic_help(context, d,
                    out->items.count == 0
                        ? "say what: --vary \"m = 1:10:5 [kg]\""
                        : "samples are drawn from distributions: --vary \"θ = uniform(-1, 1)\"");
    return false;
  }
  out->count = out->grid * out->samples;
  if (out->grid <= MOST_TRAJECTORIES && out->count <= MOST_TRAJECTORIES) return true;
  diagnostic_add(context, DIAG_SWEEP_OPTIONS, nowhere, "this sweep has more than 1e9 trajectories",
                 NULL);
  return false;
}

/* One value, which the compiler checks. */
static void hand_over(struct session *session, const struct variation *v) {
  bool has_unit = v->unit[0] != '\0';
  compiler_override(session->compiler, DYN_OVERRIDE_VARY, "--vary",
                    arena_format(&session_context(session)->arena,
                                 has_unit ? "%s = (%s) %s" : "%s = %s", v->name, v->sample,
                                 v->unit));
}

bool variations_take(struct session *session, struct variations *out) {
  bool good = true;
  out->samples = 1;
  good &= take_count(session, OPTION_SAMPLES, 1, MOST_TRAJECTORIES,
                     "it is a number of trajectories from 1 to 1e9", &out->samples);
  good &=
      take_count(session, OPTION_SEED, 0, UINT64_MAX, "it is a whole number from 0 on", &out->seed);
  for (uint32_t i = 0; i < session->line.options.count; i++) {
    const struct option_value *value = &session->line.options.items[i];
    struct variation v;
    if (value->id != OPTION_VARY) continue;
    good &= read_variation(session, value->text, &v);
    vector_push(&out->items, v);
  }
  if (!good || !check_all(session, out)) return false;
  for (uint32_t i = 0; i < out->items.count; i++) hand_over(session, &out->items.items[i]);
  return true;
}

void variations_clear(struct variations *variations) {
  for (uint32_t i = 0; i < variations->items.count; i++) {
    struct variation *v = &variations->items.items[i];
    for (uint32_t k = 0; k < v->exact.count; k++) mpq_clear(v->exact.items[k].value);
    vector_free(&v->exact);
    vector_free(&v->numbers);
    mpq_clear(v->factor);
  }
  vector_free(&variations->items);
}
