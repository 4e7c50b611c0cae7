/* What a model of mechanics has to be, as far as it can be seen before equations are derived:
 * something that moves, energies of one sort, forces linear in accelerations, parameters that do
 * not follow themselves. */
#include "sema/analysis.h"
#include <stdlib.h>

/* ---------------------------------------------------------------- parameters */

enum { NEW, OPEN, CLOSED };

struct visit {
  uint32_t parameter, next;
  struct expr_list uses;
};

struct parameters {
  struct analysis *a;
  uint8_t *marks;
  VECTOR(struct visit) path;
};

static void open_parameter(struct parameters *p, uint32_t parameter) {
  struct visit visit = {.parameter = parameter};
  expr_symbols_of(p->a->l->graph, &p->a->model->parameters.items[parameter].value, 1, &visit.uses);
  p->marks[parameter] = OPEN;
  vector_push(&p->path, visit);
}

static void report_cycle(struct parameters *p, uint32_t parameter) {
  const struct model_parameter *items = p->a->model->parameters.items;
  uint32_t from = p->path.count;
  while (from-- > 0 && p->path.items[from].parameter != parameter) {
  }
  struct text chain = {0};
  for (uint32_t i = from; i < p->path.count && i < from + 20; i++)
    text_format(&chain, "%s → ", items[p->path.items[i].parameter].id.name);
  text_format(&chain, "%s%s", p->path.count > from + 20 ? "... → " : "", items[parameter].id.name);
  struct diagnostic *d =
      diagnostic_add(p->a->context, DIAG_DEFINITION_CYCLE, items[parameter].id.span,
                     items[parameter].id.name, text_string(&chain), NULL);
  for (uint32_t i = from + 1; i < p->path.count && i < from + 5; i++)
    diagnostic_label(p->a->context, d, items[p->path.items[i].parameter].id.span, "by way of %s",
                     items[p->path.items[i].parameter].id.name);
  text_free(&chain);
}

static void follow(struct parameters *p, uint32_t start) {
  open_parameter(p, start);
  while (p->path.count > 0) {
    struct visit *top = &vector_last(&p->path);
    if (top->next == top->uses.count) {
      p->marks[top->parameter] = CLOSED;
      vector_free(&top->uses);
      p->path.count--;
      continue;
    }
    uint32_t role = map_get(&p->a->l->roles, top->uses.items[top->next++]);
    uint32_t other = p->a->l->elements.items[role / ROLE_COUNT].index;
    if (p->a->model->parameters.items[other].value == 0) continue;
    if (p->marks[other] == OPEN)
      report_cycle(p, other);
    else if (p->marks[other] == NEW)
      open_parameter(p, other);
  }
}

static void check_parameters(struct analysis *a) {
  uint32_t count = a->model->parameters.count;
  struct parameters p = {.a = a, .marks = checked_calloc(count + 1, 1)};
  for (uint32_t i = 0; i < count; i++)
    if (p.marks[i] == NEW && a->model->parameters.items[i].value != 0) follow(&p, i);
  vector_free(&p.path);
  free(p.marks);
}

/* Components and libraries offer more than a model needs. */
static bool is_own(const struct analysis *a, struct span span) {
  return span.source == a->ast->source;
}

static void warn_unused(struct analysis *a) {
  if (a->scope->has_refused || a->context->diagnostics.error_count > 0) return;
  for (uint32_t id = 1; id < a->scope->file_count; id++) {
    const struct name_entry *entry = scope_entry(a->scope, id);
    if (entry->kind == NAME_PARAM && entry->use_count == 0 && is_own(a, entry->span))
      diagnostic_add(a->context, DIAG_UNUSED_PARAMETER, entry->span, entry->name, NULL);
  }
}

/* ---------------------------------------------------------------- energies and forces */

static const struct ast_statement *find_job(const struct analysis *a,
                                            enum ast_statement_kind kind) {
  for (uint32_t i = 0; i < a->jobs.count; i++)
    if (a->jobs.items[i].statement->kind == kind) return a->jobs.items[i].statement;
  return NULL;
}

/* What brings energies of its own, and is no statement of one. */
static void check_bodies_with(struct analysis *a, const struct ast_statement *lagrangian) {
  static const enum ast_statement_kind kinds[] = {AST_BODY, AST_PARTICLE, AST_GRAVITY};
  static const char *const words[] = {"a body", "a particle", "gravity"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct ast_statement *other = find_job(a, kinds[i]);
    if (other == NULL) continue;
    struct diagnostic *d = diagnostic_add(a->context, DIAG_LAGRANGIAN_WITH_BODY,
                                          other->keyword_span, words[i], NULL);
    diagnostic_label(a->context, d, lagrangian->keyword_span, "the Lagrangian is here");
    return;
  }
}

static void check_energies(struct analysis *a) {
  const struct ast_statement *lagrangian = find_job(a, AST_LAGRANGIAN);
  if (lagrangian == NULL) return;
  check_bodies_with(a, lagrangian);
  const struct ast_statement *kinetic = find_job(a, AST_KINETIC);
  const struct ast_statement *potential = find_job(a, AST_POTENTIAL);
  const struct ast_statement *other = kinetic != NULL ? kinetic : potential;
  if (other == NULL) return;
  struct diagnostic *d =
      diagnostic_add(a->context, DIAG_LAGRANGIAN_WITH_ENERGY, other->keyword_span, NULL);
  diagnostic_label(a->context, d, lagrangian->keyword_span, "the Lagrangian is here");
}

/* Linear in accelerations and multipliers together, also in those that come with rates of states.
 */
/* A square of a multiplier has wrong units, too: one report is enough. */
static bool has_wrong_units(const struct analysis *a, const struct model_force *force) {
  const struct diagnostic_list *list = &a->context->diagnostics;
  for (uint32_t i = 0; i < list->count; i++) {
    struct span span = list->items[i]->span;
    if (list->items[i]->code == DIAG_FORCE_DIFFERS && span.source == force->span.source &&
        span.begin >= force->span.begin && span.end <= force->span.end)
      return true;
  }
  return false;
}

static void check_force(struct analysis *a, const struct model_force *force) {
  const role_set unknown = role_bit(ROLE_ACCELERATION) | role_bit(ROLE_MULTIPLIER);
  struct expr_list symbols = {0}, unknowns = {0};
  if (find_other_role(a->l, force->value, ~unknown) == 0) return;
  expr_symbols_of(a->l->graph, &force->value, 1, &symbols);
  for (uint32_t i = 0; i < symbols.count; i++)
    if ((unknown & role_bit(map_get(&a->l->roles, symbols.items[i]) % ROLE_COUNT)) != 0)
      vector_push(&unknowns, symbols.items[i]);
  expr *parts = checked_calloc((size_t)unknowns.count + 1, sizeof *parts), rest;
  if (!expr_linear_parts(a->l->graph, force->value, unknowns.items, unknowns.count, parts, &rest) &&
      !has_wrong_units(a, force)) {
    const char *name = expr_symbol_name(a->l->graph, unknowns.items[0]);
    bool is_multiplier = map_get(&a->l->roles, unknowns.items[0]) % ROLE_COUNT == ROLE_MULTIPLIER;
    diagnostic_add(a->context, DIAG_FORCE_NOT_LINEAR, force->span,
                   is_multiplier ? name : lower_words(a->l, "the acceleration %s", name), NULL);
  }
  free(parts);
  vector_free(&symbols);
  vector_free(&unknowns);
}

static void check_forces(struct analysis *a) {
  for (uint32_t i = 0; i < a->model->forces.count; i++) check_force(a, &a->model->forces.items[i]);
}

static void check_free(struct analysis *a, expr value, struct span span, enum symbol_role role,
                       enum diagnostic_code code, const char *what) {
  expr symbol = find_other_role(a->l, value, ~role_bit(role));
  if (symbol == 0) return;
  const char *name = expr_symbol_name(a->l->graph, symbol);
  diagnostic_add(a->context, code, span, what != NULL ? what : name, what != NULL ? name : NULL,
                 NULL);
}

/* Energies and conditions may have got accelerations or multipliers from rates. */
static void check_rates_in_energies(struct analysis *a) {
  for (uint32_t i = 0; i < a->model->energies.count; i++) {
    const struct model_energy *energy = &a->model->energies.items[i];
    check_free(a, energy->value, energy->span, ROLE_ACCELERATION, DIAG_ENERGY_OF_ACCELERATIONS,
               "an energy");
    check_free(a, energy->value, energy->span, ROLE_MULTIPLIER, DIAG_MULTIPLIER_NOT_ALLOWED,
               "an energy");
  }
  for (uint32_t i = 0; i < a->model->conditions.count; i++) {
    const struct model_condition *condition = &a->model->conditions.items[i];
    check_free(a, condition->residual, condition->span, ROLE_ACCELERATION,
               DIAG_INITIAL_OF_ACCELERATION, NULL);
    check_free(a, condition->residual, condition->span, ROLE_MULTIPLIER,
               DIAG_MULTIPLIER_NOT_ALLOWED, "an 'initial' equation");
  }
}

static void check_motion(struct analysis *a) {
  if (a->model->coordinates.count + a->model->states.count > 0) return;
  if (a->context->diagnostics.error_count > 0) return; /* they may have been in what is wrong */
  diagnostic_add(a->context, DIAG_NOTHING_MOVES, (struct span){0, 0, 0}, NULL);
}

void check_mechanics(struct analysis *a) {
  check_parameters(a);
  check_energies(a);
  check_rates_in_energies(a);
  check_forces(a);
  check_motion(a);
  warn_unused(a);
}
