/* Evaluating unit brackets: exponents add up, scales multiply exactly. Bounded: the exponents in
 * one bracket may sum up to at most LARGEST_EXPONENT, so that a scale has a few thousand digits at
 * most. */
#include "sema/unit.h"
#include "sema/unit_table.h"
#include <stdlib.h>
#include <string.h>

enum { LARGEST_EXPONENT = 100 };

struct evaluation {
  dyn_context *context;
  const struct ast_unit *source;
  struct unit unit;
  mpq_t factor;
  int64_t exponent_sum; /* rounded up */
  bool is_coherent;     /* every factor is a coherent SI unit */
};

static void report_unknown(dyn_context *context, const struct ast_unit_factor *factor) {
  struct diagnostic *d =
      diagnostic_add(context, DIAG_UNKNOWN_UNIT, factor->span, factor->name, NULL);
  diagnostic_caption(context, d, "not a unit");
  const char *meant = unit_suggest(&context->arena, factor->name);
  if (meant != NULL && strcmp(meant, "K") == 0)
    diagnostic_help(context, d, "temperatures are in kelvin: [K]");
  else if (meant != NULL)
    diagnostic_help(context, d, "did you mean [%s]?", meant);
}

static void report_exponent(dyn_context *context, struct span span) {
  struct diagnostic *d = diagnostic_add(context, DIAG_UNIT_EXPONENT, span, NULL);
  diagnostic_help(context, d, "the exponents in one unit may add up to %d at most",
                  LARGEST_EXPONENT);
}

static void raise_factor(mpq_t value, int64_t exponent) {
  unsigned long power = (unsigned long)llabs(exponent);
  mpz_pow_ui(mpq_numref(value), mpq_numref(value), power);
  mpz_pow_ui(mpq_denref(value), mpq_denref(value), power);
  if (exponent < 0) mpq_inv(value, value);
}

static const char *take_number(struct arena *arena, const mpq_t value) {
  char *digits = mpq_get_str(NULL, 10, value);
  const char *copy = arena_string(arena, digits, strlen(digits));
  void (*release)(void *, size_t);
  mp_get_memory_functions(NULL, NULL, &release);
  release(digits, strlen(digits) + 1);
  return copy;
}

static void add_root(struct evaluation *e, const mpq_t scale, struct rational exponent) {
  struct unit *unit = &e->unit;
  if (mpq_cmp_ui(scale, 1, 1) == 0) return;
  unit->roots[unit->root_count++] =
      (struct unit_root){take_number(&e->context->arena, scale), exponent};
}

/* Multiplies by name^exponent. False if that leaves the range. */
static bool multiply_by(struct evaluation *e, const struct unit_name *name,
                        struct rational exponent) {
  struct dimension dimension;
  struct rational angle, pi_power;
  for (int i = 0; i < UNIT_BASE_COUNT; i++)
    dimension.exponent[i] = rational_integer(name->row->exponents[i]);
  if (!dimension_multiply(&e->unit.dimension, &dimension, exponent, &e->unit.dimension) ||
      !rational_multiply(rational_integer(name->row->angle), exponent, &angle) ||
      !rational_add(e->unit.angle, angle, &e->unit.angle) ||
      !rational_multiply(rational_integer(name->row->pi_power), exponent, &pi_power) ||
      !rational_add(e->unit.pi_power, pi_power, &e->unit.pi_power))
    return false;
  mpq_t scale;
  mpq_init(scale);
  unit_name_scale(name, scale);
  if (mpq_cmp_ui(scale, 1, 1) != 0 || name->row->pi_power != 0) e->is_coherent = false;
  if (rational_is_integer(exponent)) {
    raise_factor(scale, exponent.numerator);
    mpq_mul(e->factor, e->factor, scale);
  } else {
    add_root(e, scale, exponent);
  }
  mpq_clear(scale);
  return true;
}

static bool add_factor(struct evaluation *e, const struct ast_unit_factor *factor) {
  struct unit_name name;
  struct rational exponent;
  if (!unit_find(factor->name, &name)) {
    report_unknown(e->context, factor);
    return false;
  }
  int64_t size = llabs(factor->numerator) / factor->denominator + 1;
  if (size > LARGEST_EXPONENT + 1 || factor->denominator > LARGEST_EXPONENT ||
      (e->exponent_sum += size - 1) > LARGEST_EXPONENT ||
      !rational_make(factor->numerator, factor->denominator, &exponent) ||
      !multiply_by(e, &name, exponent)) {
    report_exponent(e->context, factor->span);
    return false;
  }
  return true;
}

/* The unit as written, without blanks. */
static const char *squeeze(struct arena *arena, const char *text) {
  char *out = arena_string(arena, text, strlen(text));
  size_t length = 0;
  for (const char *at = text; *at != '\0'; at++)
    if (*at != ' ' && *at != '\t' && *at != '\n' && *at != '\r') out[length++] = *at;
  out[length] = '\0';
  return out;
}

static struct unit unit_pure(void) {
  return (struct unit){.dimension = dimension_pure(),
                       .factor = "1",
                       .pi_power = rational_integer(0),
                       .angle = rational_integer(0),
                       .text = "1",
                       .si = "1"};
}

bool unit_evaluate(dyn_context *context, const struct ast_unit *source, struct unit *out) {
  struct evaluation e = {
      .context = context, .source = source, .unit = unit_pure(), .is_coherent = true};
  struct arena *arena = &context->arena;
  bool is_good = true;
  mpq_init(e.factor);
  mpq_set_ui(e.factor, 1, 1);
  e.unit.roots = arena_array(arena, struct unit_root, source->factors.count + 1);
  for (uint32_t i = 0; i < source->factors.count; i++) {
    if (!add_factor(&e, &source->factors.items[i])) is_good = false;
    if (e.exponent_sum > LARGEST_EXPONENT) break;
  }
  if (is_good) {
    e.unit.factor = take_number(arena, e.factor);
    e.unit.text = squeeze(arena, source->text);
    e.unit.si =
        e.is_coherent ? e.unit.text : dimension_text(arena, &e.unit.dimension, e.unit.angle);
  }
  mpq_clear(e.factor);
  *out = is_good ? e.unit : unit_pure();
  return is_good;
}

struct unit unit_of_dimension(dyn_context *context, const struct dimension *dimension,
                              struct rational angle) {
  struct unit unit = unit_pure();
  unit.dimension = *dimension;
  unit.angle = angle;
  unit.text = unit.si = dimension_text(&context->arena, dimension, angle);
  return unit;
}

/* m -> m/s, m/s -> m/s^2, N*m -> N*m/s, deg -> deg/s */
static const char *derivative_text(struct arena *arena, const char *text, unsigned count) {
  size_t length = strlen(text);
  unsigned before = 0;
  if (length > 2 && strcmp(text + length - 2, "/s") == 0) {
    before = 1;
    length -= 2;
  } else if (length > 4 && strcmp(text + length - 4, "/s^2") == 0) {
    before = 2;
    length -= 4;
  }
  count += before;
  if (count == 1) return arena_format(arena, "%.*s/s", (int)length, text);
  return arena_format(arena, "%.*s/s^%u", (int)length, text, count);
}

struct unit unit_derivative(dyn_context *context, const struct unit *unit, unsigned count) {
  struct unit out = *unit;
  struct dimension second = dimension_of_base(UNIT_SECOND, 1);
  if (count == 0) return out;
  if (!dimension_multiply(&unit->dimension, &second, rational_integer(-(int64_t)count),
                          &out.dimension))
    return unit_pure();
  out.text = derivative_text(&context->arena, unit->text, count);
  bool named = unit->angle.numerator == 0 && unit_is_coherent(unit);
  out.si = named ? dimension_text(&context->arena, &out.dimension, out.angle)
                 : derivative_text(&context->arena, unit->si, count);
  if (named) out.text = out.si;
  return out;
}

bool unit_is_coherent(const struct unit *unit) {
  return strcmp(unit->factor, "1") == 0 && unit->pi_power.numerator == 0 && unit->root_count == 0;
}

expr unit_scale_expr(struct expr_graph *graph, const struct unit *unit) {
  mpq_t factor;
  mpq_init(factor);
  mpq_set_str(factor, unit->factor, 10);
  expr scale = expr_rational(graph, factor);
  if (unit->pi_power.numerator != 0) {
    expr power = expr_power_ratio(graph, expr_pi(graph), (long)unit->pi_power.numerator,
                                  (long)unit->pi_power.denominator);
    scale = expr_multiply(graph, scale, power);
  }
  for (uint32_t i = 0; i < unit->root_count; i++) {
    mpq_set_str(factor, unit->roots[i].factor, 10);
    expr root = expr_power_ratio(graph, expr_rational(graph, factor),
                                 (long)unit->roots[i].exponent.numerator,
                                 (long)unit->roots[i].exponent.denominator);
    scale = expr_multiply(graph, scale, root);
  }
  mpq_clear(factor);
  return scale;
}
