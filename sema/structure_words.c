/* Words for what the analysis of constraints found: names in a row, and the two motions whose
 * bracket a nonholonomic constraint forbids. */
#include "expr/printer.h"
#include "sema/structure.h"
#include <string.h>

enum { LONGEST_MOTION = 90, MOST_NAMES = 12, LARGEST_FLAG = 20 * 1000 };

const char *structure_names(struct structure *all, const uint32_t *constraints, uint32_t count) {
  struct text text = {0};
  for (uint32_t i = 0; i < count && i < MOST_NAMES; i++) {
    const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
    text_format(&text, "%s'%s'", between, all->model->constraints.items[constraints[i]].id.name);
  }
  if (count > MOST_NAMES) text_format(&text, " and %u others", count - MOST_NAMES);
  const char *kept = arena_string(&all->context->arena, text_string(&text), text.length);
  text_free(&text);
  return kept;
}

/* ---------------------------------------------------------------- denominators */

struct denominator {
  expr base;
  uint32_t number; /* the most negative exponent */
};

struct denominators {
  VECTOR(struct denominator) items;
};

static void note_denominator(const struct expr_graph *graph, struct denominators *d,
                             struct expr_operand factor) {
  double exponent = expr_pool_double(graph, factor.number);
  if (exponent >= 0) return;
  for (uint32_t i = 0; i < d->items.count; i++) {
    if (d->items.items[i].base != factor.node) continue;
    if (exponent < expr_pool_double(graph, d->items.items[i].number))
      d->items.items[i].number = factor.number;
    return;
  }
  vector_push(&d->items, ((struct denominator){factor.node, factor.number}));
}

static void note_denominators(const struct expr_graph *graph, struct denominators *d, expr e) {
  uint32_t count, factor_count;
  const struct expr_operand *terms = expr_operands(graph, e, &count);
  if (expr_operator_of(graph, e) == EXPR_PRODUCT) {
    for (uint32_t i = 0; i < count; i++) note_denominator(graph, d, terms[i]);
  } else if (expr_operator_of(graph, e) == EXPR_SUM) {
    for (uint32_t i = 0; i < count; i++) {
      if (expr_operator_of(graph, terms[i].node) != EXPR_PRODUCT) continue;
      const struct expr_operand *factors = expr_operands(graph, terms[i].node, &factor_count);
      for (uint32_t k = 0; k < factor_count; k++) note_denominator(graph, d, factors[k]);
    }
  }
}

/* Written out, a graph can be much longer than it is: what is long is cut. */
static void print_short(struct expr_graph *graph, struct text *out, expr e) {
  struct expr_printer *printer = expr_printer_new(graph, EXPR_TEXT, &e, 1);
  expr_printer_limit(printer, 2 * LONGEST_MOTION);
  expr_printer_print(printer, out, e);
  expr_printer_free(printer);
}

/* A field may be multiplied by any function: a readable one has no denominators and does not
 * begin with a minus sign. */
static struct field readable_field(const struct pfaffian *p, struct field field) {
  struct expr_graph *graph = p->graph;
  struct denominators d = {0};
  struct field scaled = {arena_array(p->arena, expr, (size_t)p->n + p->s + 1)};
  expr factor = expr_integer(graph, 1);
  bool is_first = true;
  for (uint32_t j = 0; j < p->n; j++) note_denominators(graph, &d, field.at[j]);
  for (uint32_t i = 0; i < d.items.count; i++) {
    expr exponent = expr_rational(graph, expr_pool_number(graph, d.items.items[i].number));
    expr power = expr_power(graph, d.items.items[i].base, expr_negate(graph, exponent));
    factor = expr_multiply(graph, factor, power);
  }
  for (uint32_t j = 0; j <= p->n + p->s; j++)
    scaled.at[j] = expr_multiply(graph, factor, field.at[j]);
  for (uint32_t j = 0; j < p->n && is_first; j++) {
    if (expr_is_integer_value(graph, scaled.at[j], 0)) continue;
    struct text text = {0};
    print_short(graph, &text, scaled.at[j]);
    for (uint32_t k = 0; text_string(&text)[0] == '-' && k <= p->n + p->s; k++)
      scaled.at[k] = expr_negate(graph, scaled.at[k]);
    text_free(&text);
    is_first = false;
  }
  vector_free(&d.items);
  return scaled;
}

/* ---------------------------------------------------------------- motions */

/* "(x' = cos(θ), y' = sin(θ))", or "(x', y')" if that is too long. */
static void put_motion(const struct pfaffian *p, struct text *out, struct field field) {
  struct text full = {0}, names = {0};
  const struct model_coordinate *coordinates = p->all->model->coordinates.items;
  for (uint32_t j = 0; j < p->n; j++) {
    if (expr_is_integer_value(p->graph, field.at[j], 0)) continue;
    const char *between = full.length > 0 ? ", " : "",
               *name = coordinates[p->coordinates[j]].id.name;
    text_format(&full, "%s%s' = ", between, name);
    text_format(&names, "%s%s'", between, name);
    if (full.length <= LONGEST_MOTION) print_short(p->graph, &full, field.at[j]);
  }
  text_format(out, "(%s)", text_string(full.length > LONGEST_MOTION ? &names : &full));
  text_free(&full);
  text_free(&names);
}

static void put_part(const struct pfaffian *p, struct text *out, struct field field) {
  bool moves_time = !expr_is_integer_value(p->graph, field.at[p->n + p->s], 0), moves = false;
  for (uint32_t j = 0; j < p->n; j++)
    moves = moves || !expr_is_integer_value(p->graph, field.at[j], 0);
  if (moves_time) text_put(out, moves ? "the passing of time, with " : "the passing of time,");
  if (moves) put_motion(p, out, field);
  if (moves_time && moves) text_put(out, ",");
}

const char *structure_bracket_words(const struct flag *flag, uint32_t row) {
  struct pfaffian *p = flag->p;
  const struct generator *g = flag_witness(flag, row);
  if (g == NULL) return "";
  struct field x = flag->fields[g->left];
  struct field y = g->is_iterated ? g->inner : flag->fields[g->right];
  struct field out = g->field;
  /* Large ones are named by their coordinates only: as they are will do. */
  if (!g->is_iterated || expr_graph_size(p->graph) - flag->first_size < LARGEST_FLAG) {
    /* The field that moves the time keeps its rate. */
    expr one = expr_integer(p->graph, 1);
    if (x.at[p->n + p->s] != one) x = readable_field(p, x);
    if (y.at[p->n + p->s] != one) y = readable_field(p, y);
    out = readable_field(p, pfaffian_bracket(p, x, y));
  }
  struct text text = {0};
  text_put(&text, "moving by ");
  put_part(p, &text, x);
  text_put(&text, " and by ");
  put_part(p, &text, y);
  text_put(&text, " in turn leads to ");
  put_motion(p, &text, out);
  text_put(&text, ", which it forbids");
  const char *kept = arena_string(&p->all->context->arena, text_string(&text), text.length);
  text_free(&text);
  return kept;
}
