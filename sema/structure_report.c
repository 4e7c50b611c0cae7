/* Diagnostics of the analysis of constraints. */
#include "sema/structure_report.h"
#include <math.h>
#include <stdlib.h>

enum { LABELS_LIMIT = 12 };

static uint32_t *constraints_of(struct pfaffian *p, struct index_list rows) {
  uint32_t *constraints = arena_array(p->arena, uint32_t, rows.count + 1), count = 0;
  uint32_t *rank = arena_array(p->arena, uint32_t, p->m + 1);
  for (uint32_t i = 0; i < rows.count; i++) rank[rows.items[i]] = 1;
  /* In the order of the model: the three sorts of rows are merged by index. */
  for (uint32_t i = 0; i < p->m; i++)
    if (rank[i] != 0) constraints[count++] = p->rows[i];
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t k = i; k > 0 && constraints[k - 1] > constraints[k]; k--) {
      uint32_t kept = constraints[k];
      constraints[k] = constraints[k - 1];
      constraints[k - 1] = kept;
    }
  return constraints;
}

/* "constraint 'a'", "constraints 'a' and 'b'" */
static const char *words_of(struct pfaffian *p, const uint32_t *constraints, uint32_t count) {
  return arena_format(p->arena, "constraint%s %s", count == 1 ? "" : "s",
                      structure_names(p->all, constraints, count));
}

static struct span span_of(struct pfaffian *p, uint32_t constraint) {
  return p->all->model->constraints.items[constraint].span;
}

static void label_others(struct pfaffian *p, struct diagnostic *d, const uint32_t *constraints,
                         uint32_t count, uint32_t shown) {
  for (uint32_t i = 0; i < count && i < LABELS_LIMIT; i++)
    if (constraints[i] != shown)
      diagnostic_label(p->all->context, d, span_of(p, constraints[i]), "'%s'",
                       p->all->model->constraints.items[constraints[i]].id.name);
}

/* ---------------------------------------------------------------- conflicts */

/* Whether these hold together is told by each trajectory of a sweep, with its own values. */
static bool is_varied(const struct pfaffian *p, struct index_list rows) {
  bool any = false;
  for (uint32_t i = 0; i < rows.count && p->all->varied != NULL && !any; i++)
    any = expr_symbol_set_touches(p->all->varied, pfaffian_constraint(p, rows.items[i])->residual);
  return any;
}

bool report_conflict(struct pfaffian *p, struct index_list rows) {
  if (is_varied(p, rows)) return true;
  uint32_t *constraints = constraints_of(p, rows), last = constraints[rows.count - 1];
  bool is_full = pfaffian_rank_of(p, rows.items, rows.count, false) == p->n;
  const char *words = is_full ? structure_names(p->all, constraints, rows.count)
                              : words_of(p, constraints, rows.count);
  struct diagnostic *d = diagnostic_add(
      p->all->context,
      is_full && rows.count > p->n && p->n > 1 ? DIAG_OVERDETERMINED : DIAG_CONSTRAINTS_CONFLICT,
      span_of(p, last), is_full && p->n > 1 ? words : words_of(p, constraints, rows.count), NULL);
  label_others(p, d, constraints, rows.count, last);
  if (!p->has_point)
    diagnostic_help(
        p->all->context, d,
        "they say the same of the coordinates, with different constants: leave one out");
  else if (rows.count == 1)
    diagnostic_help(p->all->context, d, "no velocity has an effect on it where the others hold");
  else
    diagnostic_help(p->all->context, d,
                    "no velocities satisfy all of them: correct one, or leave one out");
  return false;
}

/* The search is for points where equations cross; how near one can get is for the start's assembly
 * to tell, which minimises the residuals. */
static void help_configuration(struct pfaffian *p, struct diagnostic *d) {
  double largest = 0;
  for (uint32_t i = 0; i < p->equation_count; i++) largest = fmax(largest, fabs(p->nearest[i]));
  if (largest < 1e-9)
    diagnostic_help(
        p->all->context, d,
        "they hold at points where they only touch, as y = 0 and y = x^2 do: their kind "
        "can't be told there");
  else
    diagnostic_help(p->all->context, d, "'dyn eval' tells the least residuals that can be reached");
}

bool report_no_configuration(struct pfaffian *p) {
  struct index_list rows = {arena_array(p->arena, uint32_t, p->m + 1), 0};
  for (; rows.count < p->position_count; rows.count++) rows.items[rows.count] = rows.count;
  if (is_varied(p, rows)) return true;
  uint32_t *constraints = constraints_of(p, rows), first = constraints[0];
  /* Here the rank is that of the whole space: has_point is false. */
  bool is_over =
      p->position_count > p->n && pfaffian_rank_of(p, rows.items, rows.count, false) == p->n;
  struct diagnostic *d = diagnostic_add(
      p->all->context, is_over ? DIAG_OVERDETERMINED : DIAG_NO_CONFIGURATION, span_of(p, first),
      is_over ? structure_names(p->all, constraints, rows.count)
              : words_of(p, constraints, rows.count),
      NULL);
  label_others(p, d, constraints, rows.count, first);
  if (!is_over)
    help_configuration(p, d);
  else
    diagnostic_help(p->all->context, d, "%u constraint%s on %u coordinate%s", p->position_count,
                    p->position_count == 1 ? "" : "s", p->n, p->n == 1 ? "" : "s");
  return !is_over;
}

bool is_component_row(const struct pfaffian *p, uint32_t row) {
  for (uint32_t i = 0; i < p->m; i++)
    if (i != row && pfaffian_constraint(p, i)->equation == pfaffian_constraint(p, row)->equation)
      return true;
  return false;
}

void report_no_gradient(struct pfaffian *p, uint32_t row) {
  const struct model_constraint *c = pfaffian_constraint(p, row);
  struct diagnostic *d =
      diagnostic_add(p->all->context, DIAG_NO_GRADIENT, c->span, c->id.name, NULL);
  if (is_component_row(p, row))
    diagnostic_help(p->all->context, d,
                    "where the equation holds, this component of it is at the end of its range and "
                    "may follow from the others: name the directions that are meant with 'along'");
  else
    diagnostic_help(p->all->context, d,
                    "write the equation itself instead of its square: x = y, not (x - y)^2 = 0");
}

/* ---------------------------------------------------------------- redundancy */

static bool report_derivative(struct pfaffian *p, uint32_t row) {
  const struct model_constraint *c = pfaffian_constraint(p, row);
  if (c->level != CONSTRAINT_VELOCITY || c->partner_count != 1) return false;
  const struct model_constraint *of = &p->all->model->constraints.items[c->partners[0]];
  if (of->level != CONSTRAINT_POSITION) return false;
  struct diagnostic *d = diagnostic_add(p->all->context, DIAG_CONSTRAINT_AND_DERIVATIVE, c->span,
                                        c->id.name, of->id.name, NULL);
  diagnostic_label(p->all->context, d, of->span, "this one implies it");
  diagnostic_help(
      p->all->context, d,
      "drop '%s'; accelerations are right as it is, but of the multipliers those of least "
      "norm are taken",
      c->id.name);
  return true;
}

bool report_redundant(struct pfaffian *p, struct index_list rows) {
  uint32_t dependent = 0, last = rows.items[0], count = rows.count;
  for (uint32_t i = 0; i < rows.count; i++) {
    if (!pfaffian_constraint(p, rows.items[i])->is_redundant) continue;
    dependent++;
    last = rows.items[i];
  }
  struct model_constraint *c = pfaffian_constraint(p, last);
  if (count == 1 && !c->is_linear) {
    report_no_gradient(p, last);
    return false;
  }
  if (count == 2 && report_derivative(p, last)) return true;
  uint32_t *constraints = constraints_of(p, rows);
  const char *words =
      arena_format(p->arena, "%s %s", words_of(p, constraints, count), count == 1 ? "is" : "are");
  struct diagnostic *d =
      diagnostic_add(p->all->context, DIAG_REDUNDANT_CONSTRAINTS, c->span, words,
                     arena_format(p->arena, "%u", count - dependent),
                     arena_format(p->arena, "%u constraint%s", count, count == 1 ? "" : "s"), NULL);
  diagnostic_caption(p->all->context, d,
                     count == 1 ? "holds wherever the constraints on positions do"
                                : "follows from the others");
  label_others(p, d, constraints, count, p->rows[last]);
  diagnostic_help(
      p->all->context, d,
      "drop %s; accelerations are right as it is, but of the multipliers those of least "
      "norm are taken",
      count == 1       ? "it"
      : dependent == 1 ? "one of them"
                       : "what follows from the others");
  return true;
}

void report_multiplier(struct pfaffian *p, struct index_list rows, struct span span,
                       const char *what) {
  uint32_t *constraints = constraints_of(p, rows);
  struct diagnostic *d =
      diagnostic_add(p->all->context, DIAG_MULTIPLIER_NOT_UNIQUE, span, what,
                     arena_format(p->arena, "%s %s", words_of(p, constraints, rows.count),
                                  rows.count == 1 ? "is" : "are"),
                     NULL);
  label_others(p, d, constraints, rows.count, UINT32_MAX);
  diagnostic_help(p->all->context, d, "drop %s",
                  rows.count == 1 ? "the constraint: it holds wherever those on positions do"
                                  : "constraints that follow from the others");
}

/* ---------------------------------------------------------------- classes */

/* Rows that are not decided; if there are none, those whose combinations are not. */
void report_undecided(struct pfaffian *p) {
  uint32_t *constraints = arena_array(p->arena, uint32_t, p->m + 1), count = 0, undecided = 0;
  for (uint32_t i = 0; i < p->m; i++)
    if (pfaffian_constraint(p, i)->class == CLASS_UNDECIDED) undecided++;
  enum constraint_class class = undecided > 0 ? CLASS_UNDECIDED : CLASS_NONHOLONOMIC;
  for (uint32_t i = 0; i < p->linear_count; i++)
    if (pfaffian_constraint(p, i)->class == class) constraints[count++] = p->rows[i];
  if (count == 0) return;
  const char *words = words_of(p, constraints, count);
  struct diagnostic *d = diagnostic_add(
      p->all->context, DIAG_INTEGRABILITY_UNDECIDED, span_of(p, constraints[0]),
      undecided > 0 ? arena_format(p->arena, "%s %s", words, count == 1 ? "is" : "are")
                    : arena_format(p->arena, "combinations of %s are", words),
      NULL);
  label_others(p, d, constraints, count, constraints[0]);
  diagnostic_help(p->all->context, d,
                  undecided > 0
                      ? "taken for nonholonomic, which gives the right motion either way"
                      : "each of them alone is nonholonomic; the motion is right either way");
}

static void report_false_holonomic(struct pfaffian *p, const struct model_constraint *c) {
  struct diagnostic *d =
      diagnostic_add(p->all->context, DIAG_CLAIM_HOLONOMIC, c->span, c->id.name, NULL);
  if (!c->is_linear)
    diagnostic_help(p->all->context, d, "it is not linear in the velocities");
  else
    diagnostic_help(p->all->context, d, "%s (proven)", c->bracket);
}

static void report_false_nonholonomic(struct pfaffian *p, const struct model_constraint *c) {
  dyn_context *context = p->all->context;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_CLAIM_NONHOLONOMIC, c->span, c->id.name, NULL);
  if (c->integral != 0) {
    struct text text = {0};
    expr_print_text(p->graph, &text, c->integral);
    diagnostic_help(context, d, "%s is constant", text_string(&text));
    text_free(&text);
  } else if (c->class == CLASS_JOINT && c->partner_count > 0) {
    diagnostic_help(context, d, "it is integrable together with %s",
                    structure_names(p->all, c->partners, c->partner_count));
  } else {
    diagnostic_help(context, d,
                    "it is integrable: no admissible motions leave it when done in turn");
  }
  diagnostic_help(context, d, "leave 'nonholonomic' away");
}

/* An equation between vectors is nonholonomic if one of its components is. They stand together. */
static bool has_nonholonomic_part(const struct model *model, const struct model_constraint *c) {
  uint32_t at = (uint32_t)(c - model->constraints.items), count = model->constraints.count;
  const struct model_constraint *all = model->constraints.items;
  while (at > 0 && all[at - 1].equation == c->equation) at--;
  for (; at < count && all[at].equation == c->equation; at++)
    if (all[at].class == CLASS_NONHOLONOMIC || all[at].class == CLASS_UNDECIDED) return true;
  return false;
}

/* The first velocity of the equation as it is written. */
static const char *velocity_in(struct pfaffian *p, const struct model_constraint *c) {
  struct expr_list symbols = {0};
  const char *name = "";
  expr_symbols_of(p->graph, &c->residual, 1, &symbols);
  for (uint32_t k = 0; k < symbols.count && name[0] == '\0'; k++)
    for (uint32_t j = 0; j < p->n; j++)
      if (symbols.items[k] == p->velocity[j]) name = expr_symbol_name(p->graph, p->velocity[j]);
  free(symbols.items);
  return name;
}

/* A true claim says that positions are meant; what they are bound to, velocities leave open. */
static void note_velocities(struct pfaffian *p, const struct model_constraint *c) {
  dyn_context *context = p->all->context;
  struct diagnostic *d = diagnostic_add(context, DIAG_HOLONOMIC_OF_VELOCITIES, c->span, c->id.name,
                                        velocity_in(p, c), NULL);
  if (c->integral == 0) {
    diagnostic_help(context, d, "it is kept at velocity level");
    return;
  }
  struct text text = {0};
  expr_print_text(p->graph, &text, c->integral);
  diagnostic_help(context, d, "%s stays what it is at the start; to say what it is, write that",
                  text_string(&text));
  text_free(&text);
}

void report_claims(struct pfaffian *p) {
  for (uint32_t i = 0; i < p->m; i++) {
    const struct model_constraint *c = pfaffian_constraint(p, i);
    bool is_nonholonomic = c->class == CLASS_NONHOLONOMIC;
    if (c->class == CLASS_UNDECIDED || c->class == CLASS_POSITION) continue;
    if (c->claim == CONSTRAINT_HOLONOMIC && is_nonholonomic) report_false_holonomic(p, c);
    if (c->claim == CONSTRAINT_HOLONOMIC && !is_nonholonomic) note_velocities(p, c);
    if (c->claim == CONSTRAINT_NONHOLONOMIC && !has_nonholonomic_part(p->all->model, c))
      report_false_nonholonomic(p, c);
  }
}
