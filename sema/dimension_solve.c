/* Gaussian elimination over the exponents of unknown dimensions; see dimension_solve.h. */
#include "sema/dimension_solve.h"
#include <string.h>

void solver_free(struct solver *solver) {
  for (uint32_t i = 1; i < solver->variables.count; i++)
    form_free(&solver->variables.items[i].binding);
  vector_free(&solver->variables);
  vector_free(&solver->pending);
}

uint32_t solver_add(struct solver *solver, enum variable_rank rank) {
  struct variable variable = {.rank = rank};
  if (solver->variables.count == 0) vector_push(&solver->variables, variable);
  vector_push(&solver->variables, variable);
  return solver->variables.count - 1;
}

/* ---------------------------------------------------------------- forms */

struct form form_of(const struct dimension *constant) {
  return (struct form){.constant = *constant};
}

struct form form_of_variable(uint32_t variable) {
  struct form form = {.constant = dimension_pure()};
  struct form_term term = {variable, rational_integer(1)};
  form.terms = checked_malloc(sizeof term);
  form.terms[0] = term;
  form.count = form.capacity = 1;
  return form;
}

void form_free(struct form *form) {
  free(form->terms);
  form->terms = NULL;
  form->count = form->capacity = 0;
}

struct form form_copy(const struct form *form) {
  struct form copy = {.constant = form->constant, .count = form->count, .capacity = form->count};
  if (form->count == 0) return copy;
  copy.terms = checked_malloc(form->count * sizeof *copy.terms);
  memcpy(copy.terms, form->terms, form->count * sizeof *copy.terms);
  return copy;
}

static uint32_t find_term(const struct form *form, uint32_t variable) {
  uint32_t low = 0, high = form->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (form->terms[middle].variable < variable)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void remove_term(struct form *form, uint32_t at) {
  form->count--;
  memmove(form->terms + at, form->terms + at + 1, (form->count - at) * sizeof *form->terms);
}

/* *form *= variable^power, in place: a product of many unknowns is built term by term. */
static void multiply_term(struct solver *solver, struct form *form, uint32_t variable,
                          struct rational power) {
  uint32_t at = find_term(form, variable);
  if (at < form->count && form->terms[at].variable == variable) {
    struct rational sum;
    if (!rational_add(form->terms[at].power, power, &sum))
      solver->has_overflow = true;
    else if (rational_is_zero(sum))
      remove_term(form, at);
    else
      form->terms[at].power = sum;
    return;
  }
  if (form->count == form->capacity)
    form->terms =
        vector_grow(form->terms, &form->capacity, (size_t)form->count + 1, sizeof *form->terms);
  memmove(form->terms + at + 1, form->terms + at, (form->count - at) * sizeof *form->terms);
  form->terms[at] = (struct form_term){variable, power};
  form->count++;
  solver->steps += 1 + (form->count - at) / 16;
}

void form_multiply(struct solver *solver, struct form *form, const struct form *other,
                   struct rational power) {
  if (rational_is_zero(power)) return;
  if (!dimension_multiply(&form->constant, &other->constant, power, &form->constant))
    solver->has_overflow = true;
  for (uint32_t i = 0; i < other->count; i++) {
    struct rational product;
    if (rational_multiply(other->terms[i].power, power, &product))
      multiply_term(solver, form, other->terms[i].variable, product);
    else
      solver->has_overflow = true;
  }
  solver->steps += other->count;
  if (solver->steps > MOST_SOLVER_STEPS) solver->is_exhausted = true;
}

void form_raise(struct solver *solver, struct form *form, struct rational power) {
  struct dimension pure = dimension_pure(), constant;
  if (!dimension_multiply(&pure, &form->constant, power, &constant)) {
    solver->has_overflow = true;
    constant = pure;
  }
  form->constant = constant;
  if (rational_is_zero(power)) form->count = 0;
  for (uint32_t i = 0; i < form->count; i++)
    if (!rational_multiply(form->terms[i].power, power, &form->terms[i].power))
      solver->has_overflow = true;
}

bool form_is_pure(const struct form *form) {
  return form->count == 0 && dimension_is_pure(&form->constant);
}

/* ---------------------------------------------------------------- bindings */

/* Substitutes once: every bound term by its binding. */
static void substitute(struct solver *solver, struct form *form) {
  struct form out = form_of(&form->constant);
  for (uint32_t i = 0; i < form->count; i++) {
    const struct variable *variable = &solver->variables.items[form->terms[i].variable];
    if (variable->is_bound)
      form_multiply(solver, &out, &variable->binding, form->terms[i].power);
    else
      multiply_term(solver, &out, form->terms[i].variable, form->terms[i].power);
  }
  form_free(form);
  *form = out;
}

/* Puts the bound variables of a form that are bound to bound ones on the stack; false if none. */
static bool push_unfinished(struct solver *solver, const struct form *form) {
  uint32_t before = solver->pending.count;
  for (uint32_t i = 0; i < form->count; i++) {
    const struct variable *variable = &solver->variables.items[form->terms[i].variable];
    if (!variable->is_bound) continue;
    for (uint32_t k = 0; k < variable->binding.count; k++) {
      if (!solver->variables.items[variable->binding.terms[k].variable].is_bound) continue;
      vector_push(&solver->pending, form->terms[i].variable);
      break;
    }
  }
  return solver->pending.count > before;
}

static bool has_bound(const struct solver *solver, const struct form *form) {
  for (uint32_t i = 0; i < form->count; i++)
    if (solver->variables.items[form->terms[i].variable].is_bound) return true;
  return false;
}

/* Bindings are acyclic (an unknown is bound to what was unbound then), so this ends. `pending` is
 * the stack of variables whose bindings have to be finished first. */
void form_reduce(struct solver *solver, struct form *form) {
  if (!has_bound(solver, form) || solver->is_exhausted) return;
  uint32_t bottom = solver->pending.count;
  push_unfinished(solver, form);
  while (solver->pending.count > bottom && !solver->is_exhausted) {
    struct variable *top = &solver->variables.items[vector_last(&solver->pending)];
    if (push_unfinished(solver, &top->binding)) continue;
    solver->pending.count--;
    if (has_bound(solver, &top->binding)) substitute(solver, &top->binding);
  }
  solver->pending.count = bottom;
  substitute(solver, form);
}

static void bind(struct solver *solver, struct form *form, uint32_t at, struct span origin) {
  uint32_t variable = form->terms[at].variable;
  struct rational power;
  if (!rational_divide(rational_integer(-1), form->terms[at].power, &power)) {
    solver->has_overflow = true;
    form_free(form);
    return;
  }
  remove_term(form, at);
  form_raise(solver, form, power);
  struct variable *bound = &solver->variables.items[variable];
  bound->is_bound = true;
  bound->binding = *form;
  bound->origin = origin;
  *form = (struct form){.constant = dimension_pure()};
}

bool form_equate_one(struct solver *solver, struct form *form, struct span origin) {
  form_reduce(solver, form);
  if (solver->is_exhausted) {
    form_free(form);
    return true;
  }
  if (form->count == 0) return dimension_is_pure(&form->constant);
  uint32_t best = 0;
  for (uint32_t i = 1; i < form->count; i++)
    if (solver->variables.items[form->terms[i].variable].rank >=
        solver->variables.items[form->terms[best].variable].rank)
      best = i;
  bind(solver, form, best, origin);
  return true;
}

void solver_default(struct solver *solver, uint32_t variable) {
  struct variable *bound = &solver->variables.items[variable];
  if (bound->is_bound) return;
  bound->is_bound = true;
  bound->is_default = true;
  bound->binding = (struct form){.constant = dimension_pure()};
}
