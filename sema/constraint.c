/* Constraints: from the statement to residual, level and claim, and what can be said of each by
 * itself. What they are together is found out by structure.c.
 *
 * The residual is left - right as written, with the rates of states put in. It may contain
 * velocities, linearly, or in any way where `nonholonomic` claims it (Chetaev's rule). */
#include "sema/constraint.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the statement */

/* The equation on one line: without comments, blanks as single spaces. */
static const char *text_of(struct analysis *a, struct span span) {
  const char *at = source_get(&a->context->sources, span.source)->text + span.begin;
  struct text out = {0};
  bool is_comment = false, is_blank = false;
  for (uint32_t i = 0; i < span.end - span.begin; i++) {
    is_comment = at[i] == '#' || (is_comment && at[i] != '\n');
    bool is_space = is_comment || at[i] == ' ' || at[i] == '\t' || at[i] == '\n' || at[i] == '\r';
    if (!is_space && is_blank && out.length > 0) text_put(&out, " ");
    if (!is_space) text_add(&out, &at[i], 1);
    is_blank = is_space;
  }
  const char *text = arena_string(&a->context->arena, text_string(&out), out.length);
  text_free(&out);
  return text;
}

/* From behind the label, or the keyword, to the end of the statement: with brackets around a side.
 */
static struct span span_of(struct analysis *a, const struct ast_statement *statement) {
  const struct source *source = source_get(&a->context->sources, statement->span.source);
  struct span span = statement->span, label = statement->label.span;
  /* Without a label, those in components are named by their keyword. */
  if (statement->label.name != NULL && label.begin != statement->keyword_span.begin) {
    span.begin = label.end;
    while (span.begin < span.end && source->text[span.begin] != ':') span.begin++;
    if (span.begin < span.end) span.begin++;
  } else {
    static const char word[] = "constraint";
    span.begin = statement->keyword_span.begin;
    while (span.begin + sizeof word <= span.end &&
           strncmp(source->text + span.begin, word, sizeof word - 1) != 0)
      span.begin++;
    span.begin += sizeof word - 1;
  }
  while (span.begin < span.end &&
         (source->text[span.begin] == ' ' || source->text[span.begin] == '\t' ||
          source->text[span.begin] == '\r' || source->text[span.begin] == '\n'))
    span.begin++;
  return span;
}

void lower_constraint(struct analysis *a, const struct job *job) {
  static const enum constraint_claim claims[] = {[CLAIM_NONE] = CONSTRAINT_NO_CLAIM,
                                                 [CLAIM_HOLONOMIC] = CONSTRAINT_HOLONOMIC,
                                                 [CLAIM_NONHOLONOMIC] = CONSTRAINT_NONHOLONOMIC};
  const struct ast_statement *statement = job->statement;
  expr left = lower_expression(a->l, job->environment, statement->left);
  expr right = lower_expression(a->l, job->environment, statement->right);
  struct model_constraint *c =
      &a->model->constraints.items[a->l->elements.items[job->element].index];
  c->span = span_of(a, statement);
  c->text = text_of(a, c->span);
  c->claim = claims[statement->claim];
  if (left != 0 && right != 0) c->residual = expr_subtract(a->l->graph, left, right);
}

/* ---------------------------------------------------------------- reports */

static struct diagnostic *report(struct analysis *a, enum diagnostic_code code,
                                 const struct model_constraint *c, const char *first,
                                 const char *second) {
  return diagnostic_add(a->context, code, c->span, c->id.name, first, second, NULL);
}

static const char *name_of(struct analysis *a, expr symbol) {
  return expr_symbol_name(a->l->graph, symbol);
}

/* ---------------------------------------------------------------- what it depends on */

static bool check_roles(struct analysis *a, const struct model_constraint *c) {
  expr acceleration = find_other_role(a->l, c->residual, ~role_bit(ROLE_ACCELERATION));
  expr multiplier = find_other_role(a->l, c->residual, ~role_bit(ROLE_MULTIPLIER));
  expr input = find_other_role(a->l, c->residual, ~role_bit(ROLE_INPUT));
  if (acceleration != 0) {
    struct diagnostic *d =
        report(a, DIAG_CONSTRAINT_DEPENDENCE, c,
               lower_words(a->l, "an acceleration (%s)", name_of(a, acceleration)), NULL);
    diagnostic_help(a->context, d,
                    "a condition on accelerations is mostly the derivative of one "
                    "on velocities: constrain those");
  } else if (multiplier != 0) {
    report(a, DIAG_CONSTRAINT_DEPENDENCE, c,
           lower_words(a->l, "a multiplier (%s)", name_of(a, multiplier)), NULL);
  } else if (input != 0) {
    const char *name = name_of(a, input);
    struct diagnostic *d = report(a, DIAG_CONSTRAINT_OF_INPUT, c, name, NULL);
    diagnostic_help(a->context, d,
                    "write it as a function of time, 'let %s = ...' with t, or as a 'param'", name);
  } else {
    return true;
  }
  return false;
}

static const struct model_rate_state *state_of_symbol(const struct analysis *a, expr symbol) {
  uint32_t element = map_get(&a->l->roles, symbol) / ROLE_COUNT;
  return &a->model->states.items[a->l->elements.items[element].index];
}

/* Differentiating the constraint brings in the rates of its states, twice if it is at position
 * level: the rate itself may then contain no velocity (the force of the constraint would not be
 * that of the equation as written) and no input (its derivative is not known). */
static bool check_rate(struct analysis *a, const struct model_constraint *c, expr state,
                       role_set refused, expr by_way_of) {
  const struct model_rate_state *z = state_of_symbol(a, state);
  expr symbol = z->rate != 0 ? find_other_role(a->l, z->rate, ~refused) : 0;
  if (symbol == 0) return true;
  struct diagnostic *d =
      report(a, DIAG_CONSTRAINT_OF_STATE, c, z->id.name, role_words(a->l, symbol));
  diagnostic_label(a->context, d, z->rate_span, "the rate of %s", z->id.name);
  if (by_way_of != 0)
    diagnostic_label(a->context, d, state_of_symbol(a, by_way_of)->rate_span,
                     "by way of the rate of %s", name_of(a, by_way_of));
  diagnostic_help(a->context, d,
                  c->level == CONSTRAINT_POSITION && by_way_of == 0
                      ? "next to a constraint on positions, the rate of %s may depend on "
                        "positions, states, parameters and t"
                      : "here the rate of %s may not depend on accelerations or multipliers",
                  z->id.name);
  return false;
}

static bool check_states(struct analysis *a, const struct model_constraint *c) {
  const role_set of_forces = role_bit(ROLE_ACCELERATION) | role_bit(ROLE_MULTIPLIER);
  const role_set of_motion = of_forces | role_bit(ROLE_VELOCITY) | role_bit(ROLE_INPUT);
  bool is_position = c->level == CONSTRAINT_POSITION, fits = true;
  struct expr_list symbols = {0}, inner = {0};
  expr_symbols_of(a->l->graph, &c->residual, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count && fits; i++) {
    expr state = symbols.items[i];
    if (map_get(&a->l->roles, state) % ROLE_COUNT != ROLE_STATE) continue;
    fits = check_rate(a, c, state, is_position ? of_motion : of_forces, 0);
    expr rate = state_of_symbol(a, state)->rate;
    if (!is_position || rate == 0) continue;
    inner.count = 0;
    expr_symbols_of(a->l->graph, &rate, 1, &inner);
    for (uint32_t k = 0; k < inner.count && fits; k++)
      if (map_get(&a->l->roles, inner.items[k]) % ROLE_COUNT == ROLE_STATE)
        fits = check_rate(a, c, inner.items[k], of_forces, state);
  }
  vector_free(&symbols);
  vector_free(&inner);
  return fits;
}

/* ---------------------------------------------------------------- does it say anything? */

static double value_at(void *user, expr symbol) {
  uint64_t mixed = hash_mix(symbol + *(const uint32_t *)user);
  return 0.5 + (double)(mixed >> 40) / (double)(1u << 24);
}

/* The difference of the sides, if it is the same at several points; else NULL. */
static const char *find_difference(struct analysis *a, expr residual) {
  double values[3];
  for (uint32_t i = 0; i < 3; i++)
    expr_evaluate(a->l->graph, &residual, 1, value_at, &i, &values[i]);
  double change = fabs(values[1] - values[0]) + fabs(values[2] - values[0]);
  if (!(change <= 1e-9 * fabs(values[0]))) return NULL;
  return lower_words(a->l, "%.6g", fabs(values[0]));
}

/* Reports an equation that nothing which moves can change. */
static void report_fixed(struct analysis *a, const struct model_constraint *c) {
  const char *difference = find_difference(a, c->residual);
  role_set moving = role_bit(ROLE_POSITION) | role_bit(ROLE_VELOCITY);
  if (difference != NULL) {
    report(a, DIAG_CONSTRAINT_NEVER_TRUE, c, difference, NULL);
    return;
  }
  struct diagnostic *d = report(a, DIAG_CONSTRAINT_WITHOUT_COORDINATE, c, NULL, NULL);
  if (find_other_role(a->l, c->residual, ~moving) != 0)
    diagnostic_caption(a->context, d, "those that are written cancel");
}

/* ---------------------------------------------------------------- all */

static void check_claim(struct analysis *a, struct model_constraint *c,
                        struct expr_tangent **direction) {
  if (c->level == CONSTRAINT_POSITION) {
    c->is_linear = true;
    if (c->claim != CONSTRAINT_NONHOLONOMIC) return;
    struct diagnostic *d = report(a, DIAG_CLAIM_WITHOUT_VELOCITY, c, NULL, NULL);
    diagnostic_help(a->context, d,
                    "leave 'nonholonomic' away, or write the equation between velocities");
    return;
  }
  c->is_linear = constraint_make_linear(a, c, direction);
  if (c->is_linear || c->claim == CONSTRAINT_NONHOLONOMIC) return;
  unsigned degree = constraint_degree(a, c);
  struct diagnostic *d = report(a, DIAG_CONSTRAINT_NOT_LINEAR, c,
                                degree > 1 ? lower_words(a->l, " (degree %u)", degree) : "", NULL);
  if (c->claim == CONSTRAINT_HOLONOMIC)
    diagnostic_help(a->context, d,
                    "the derivative of a relation between positions is linear in velocities: "
                    "write that relation");
  diagnostic_help(a->context, d,
                  "to have it under Chetaev's rule, write 'nonholonomic constraint'");
}

static void check_constraint(struct analysis *a, struct model_constraint *c,
                             struct expr_tangent **direction) {
  bool has_velocity = find_other_role(a->l, c->residual, ~role_bit(ROLE_VELOCITY)) != 0;
  c->level = has_velocity ? CONSTRAINT_VELOCITY : CONSTRAINT_POSITION;
  uint32_t entry = a->l->elements.items[map_get(&a->l->roles, c->multiplier) / ROLE_COUNT].entry;
  struct unit unit = dimension_of_multiplier(a->l->dimensions, entry, has_velocity);
  c->multiplier_unit = dimension_model_unit(a->l->graph, &unit);
  if (!check_roles(a, c) || !check_states(a, c)) return;
  check_claim(a, c, direction);
}

/* Takes those out that hold always; their multipliers are 0. */
static void drop_empty(struct analysis *a, enum constraint_content *content) {
  struct model *model = a->model;
  struct expr_substitution *zero = expr_substitution_new(a->l->graph);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->constraints.count; i++) {
    const struct model_constraint *c = &model->constraints.items[i];
    if (content[i] == CONTENT_NONE) {
      report(a, DIAG_CONSTRAINT_ALWAYS_TRUE, c, NULL, NULL);
      expr_substitution_add(zero, c->multiplier, expr_integer(a->l->graph, 0));
      continue;
    }
    a->l->elements.items[map_get(&a->l->roles, c->multiplier) / ROLE_COUNT].index = kept;
    content[kept] = content[i];
    model->constraints.items[kept++] = *c;
  }
  if (kept < model->constraints.count) substitute_everywhere(a, zero);
  model->constraints.count = kept;
  expr_substitution_free(zero);
}

void check_constraints(struct analysis *a) {
  struct model *model = a->model;
  if (model->constraints.count == 0) return;
  enum constraint_content *content = constraints_find_content(a);
  struct expr_tangent *direction = NULL;
  drop_empty(a, content);
  for (uint32_t i = 0; i < model->constraints.count && !lower_is_exhausted(a->l); i++) {
    struct model_constraint *c = &model->constraints.items[i];
    if (c->residual == 0) continue; /* reported */
    if (content[i] == CONTENT_MOVING)
      check_constraint(a, c, &direction);
    else if (check_roles(a, c))
      report_fixed(a, c);
  }
  expr_tangent_free(direction);
  free(content);
}
