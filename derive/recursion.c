/* From linear forms to variables that nest, and the order of their elimination (recursion.h).
 *
 * A form is a graph of sums and of products with one factor that is linear itself. Every sum is a
 * variable, and so is every beginning that several sums share (expr/nested_sums.h): the velocity of
 * a body becomes that of the one before and the terms of the joint between them. */
#include "derive/recursion_forms.h"
#include "base/map.h"
#include "expr/nested_sums.h"
#include "sema/model.h"

enum { FEWEST_COORDINATES = 5 }; /* of fewer, the mass matrix is as good as any */

struct builder {
  struct expr_graph *graph;
  struct recursion *recursion;
  struct expr_symbol_set *unknowns; /* q'' */
  struct nested_sums nested;
  struct map variable_of; /* q'' or a sum -> 1 + variable */
  struct map term_of;     /* (variable, variable in its definition) -> 1 + term */
  uint32_t *partial;      /* of nested.sums: 1 + variable */
};

/* ---- variables */

static int by_id(const void *left, const void *right) {
  expr a = *(const expr *)left, b = *(const expr *)right;
  return (a > b) - (a < b);
}

/* The sums that the forms are made of, children before parents; false if a form is no graph of sums
 * and products. */
static bool collect_sums(struct builder *b, const struct recursion_forms *forms,
                         struct expr_list *sums) {
  struct map seen = {0};
  struct expr_list stack = {0};
  bool ok = true;
  for (uint32_t i = 0; i < forms->forms.count; i++)
    vector_push(&stack, forms->forms.items[i].linear);
  while (stack.count > 0 && ok) {
    expr e = vector_pop(&stack);
    if (map_get(&seen, e) != 0) continue;
    map_set(&seen, e, 1);
    uint32_t count;
    const struct expr_operand *operands = expr_operands(b->graph, e, &count);
    enum expr_operator kind = expr_operator_of(b->graph, e);
    ok = kind == EXPR_SUM || kind == EXPR_PRODUCT || kind == EXPR_SYMBOL;
    for (uint32_t k = 0; k < count && ok; k++)
      if (expr_symbol_set_touches(b->unknowns, operands[k].node))
        vector_push(&stack, operands[k].node);
      else
        ok = kind == EXPR_PRODUCT;
    if (kind == EXPR_SUM) vector_push(sums, e);
  }
  if (sums->count > 1) qsort(sums->items, sums->count, sizeof *sums->items, by_id);
  map_free(&seen);
  vector_free(&stack);
  return ok;
}

/* e = coefficient * variable, where the variables of all sums below are known. */
static bool split_term(struct builder *b, expr e, expr coefficient, struct recursion_term *out) {
  expr linear = e;
  if (expr_operator_of(b->graph, e) == EXPR_PRODUCT) {
    uint32_t count, found = 0;
    const struct expr_operand *operands = expr_operands(b->graph, e, &count);
    for (uint32_t k = 0; k < count; k++) {
      if (!expr_symbol_set_touches(b->unknowns, operands[k].node)) continue;
      if (found++ > 0 || expr_pool_double(b->graph, operands[k].number) != 1) return false;
      linear = operands[k].node;
    }
    if (found != 1) return false;
    coefficient = expr_multiply(b->graph, coefficient, expr_divide(b->graph, e, linear));
  }
  uint32_t variable = map_get(&b->variable_of, linear);
  if (variable == 0) return false;
  *out = (struct recursion_term){variable - 1, coefficient};
  return true;
}

/* Terms of one variable, such as (a + b) x and c x, become one. */
static void add_term(struct builder *b, struct recursion_term term) {
  struct recursion *r = b->recursion;
  uint64_t key = map_pair(r->variables.count, term.variable);
  uint32_t place = map_get(&b->term_of, key);
  if (place != 0) {
    expr *old = &r->terms.items[place - 1].coefficient;
    *old = expr_add(b->graph, *old, term.coefficient);
    return;
  }
  vector_push(&r->terms, term);
  map_set(&b->term_of, key, r->terms.count);
}

static bool add_variable(struct builder *b, uint32_t place) {
  struct recursion *r = b->recursion;
  struct nested_sum sum = b->nested.sums.items[place];
  struct recursion_variable variable = {.first = r->terms.count};
  if (sum.base != 0) {
    struct recursion_term base = {b->partial[sum.base - 1] - 1, expr_integer(b->graph, 1)};
    add_term(b, base);
  }
  for (uint32_t i = 0; i < sum.count; i++) {
    struct expr_operand operand = b->nested.operands.items[sum.first + i];
    struct recursion_term term;
    expr number = expr_rational(b->graph, expr_pool_number(b->graph, operand.number));
    if (!split_term(b, operand.node, number, &term)) return false;
    add_term(b, term);
  }
  variable.count = r->terms.count - variable.first;
  vector_push(&r->variables, variable);
  b->partial[place] = r->variables.count;
  return true;
}

/* The partial sums that it begins with first. */
static bool add_sum(struct builder *b, expr sum) {
  VECTOR(uint32_t) path = {0};
  uint32_t last = map_get(&b->nested.of, sum) - 1;
  bool ok = true;
  for (uint32_t at = last + 1; at != 0 && b->partial[at - 1] == 0;
       at = b->nested.sums.items[at - 1].base)
    vector_push(&path, at - 1);
  while (path.count > 0 && ok) ok = add_variable(b, vector_pop(&path));
  vector_free(&path);
  if (ok) map_set(&b->variable_of, sum, b->partial[last]);
  return ok;
}

static bool add_variables(struct builder *b, const struct model *model,
                          const struct recursion_forms *forms) {
  struct expr_list sums = {0};
  for (uint32_t j = 0; j < model->coordinates.count; j++) {
    expr symbol = model->coordinates.items[j].acceleration;
    struct recursion_variable variable = {.is_unknown = true, .coordinate = j};
    vector_push(&b->recursion->variables, variable);
    map_set(&b->variable_of, symbol, j + 1);
    expr_symbol_set_add(b->unknowns, symbol);
  }
  bool ok = collect_sums(b, forms, &sums);
  if (ok) b->nested = nested_sums_find(b->graph, sums.items, sums.count);
  b->partial = checked_calloc((size_t)b->nested.sums.count + 1, sizeof *b->partial);
  for (uint32_t i = 0; i < sums.count && ok; i++) ok = add_sum(b, sums.items[i]);
  vector_free(&sums);
  return ok;
}

/* ---- what acts on them */

static void add_inertia(struct builder *b, struct map *places, struct recursion_term s,
                        struct recursion_term t, expr value, bool is_square) {
  struct recursion *r = b->recursion;
  bool is_twice = s.variable == t.variable && !is_square; /* two forms that are multiples */
  expr factors[4] = {value, s.coefficient, t.coefficient, expr_integer(b->graph, is_twice ? 2 : 1)};
  expr inertia = expr_product(b->graph, factors, 4);
  uint32_t low = s.variable < t.variable ? s.variable : t.variable;
  uint32_t high = s.variable < t.variable ? t.variable : s.variable;
  uint64_t key = map_pair(low, high);
  uint32_t place = map_get(places, key);
  if (place != 0) {
    expr *old = &r->inertias.items[place - 1].value;
    *old = expr_add(b->graph, *old, inertia);
    return;
  }
  vector_push(&r->inertias, ((struct recursion_inertia){low, high, inertia}));
  map_set(places, key, r->inertias.count);
}

static bool add_actions(struct builder *b, const struct recursion_forms *forms) {
  struct map places = {0};
  size_t count = forms->forms.count;
  struct recursion_term *terms = checked_calloc(count + 1, sizeof *terms);
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    const struct recursion_form *form = &forms->forms.items[i];
    ok = split_term(b, form->linear, expr_integer(b->graph, 1), &terms[i]);
    if (!ok) break;
    expr *force = &b->recursion->variables.items[terms[i].variable].force;
    expr part = expr_multiply(b->graph, terms[i].coefficient, form->force);
    *force = *force == 0 ? part : expr_add(b->graph, *force, part);
  }
  for (uint32_t i = 0; i < forms->inertias.count && ok; i++) {
    const struct recursion_inertia *inertia = &forms->inertias.items[i];
    add_inertia(b, &places, terms[inertia->a], terms[inertia->b], inertia->value,
                inertia->a == inertia->b);
  }
  free(terms);
  map_free(&places);
  return ok;
}

/* ---- sums that take the place of accelerations */

/* In v = sum c x the term of an acceleration that is in no other sum, with a number for its
 * coefficient; NULL: none. */
static struct recursion_term *lone_term(struct builder *b, const uint32_t *users, uint32_t v) {
  struct recursion *r = b->recursion;
  const struct recursion_variable *variable = &r->variables.items[v];
  for (uint32_t i = 0; i < variable->count; i++) {
    struct recursion_term *term = &r->terms.items[variable->first + i];
    bool is_number = expr_operator_of(b->graph, term->coefficient) == EXPR_NUMBER;
    if (term->variable < r->n && users[term->variable] == 1 && is_number) return term;
  }
  return NULL;
}

/* a = (v - the other terms) / c. */
static void exchange(struct builder *b, uint32_t v, struct recursion_term *lone) {
  struct recursion *r = b->recursion;
  struct recursion_variable *sum = &r->variables.items[v];
  struct recursion_variable *acceleration = &r->variables.items[lone->variable];
  expr minus = expr_negate(b->graph, lone->coefficient);
  acceleration->is_unknown = false;
  acceleration->first = sum->first;
  acceleration->count = sum->count;
  sum->is_unknown = true;
  sum->coordinate = acceleration->coordinate;
  sum->count = 0;
  for (uint32_t i = 0; i < acceleration->count; i++) {
    struct recursion_term *term = &r->terms.items[acceleration->first + i];
    if (term != lone) term->coefficient = expr_divide(b->graph, term->coefficient, minus);
  }
  lone->coefficient = expr_divide(b->graph, expr_integer(b->graph, 1), lone->coefficient);
  lone->variable = v;
}

static void keep_sums(struct recursion *r) {
  for (uint32_t v = r->n; v < r->variables.count; v++) {
    struct recursion_sum sum = {r->variables.items[v].first, r->variables.items[v].count};
    vector_push(&r->sums, sum);
  }
  for (uint32_t i = 0; i < r->terms.count; i++) vector_push(&r->sum_terms, r->terms.items[i]);
}

static void exchange_all(struct builder *b) {
  struct recursion *r = b->recursion;
  uint32_t *users = checked_calloc((size_t)r->variables.count + 1, sizeof *users);
  for (uint32_t i = 0; i < r->terms.count; i++) users[r->terms.items[i].variable]++;
  for (uint32_t v = r->n; v < r->variables.count; v++) {
    struct recursion_term *lone = lone_term(b, users, v);
    if (lone != NULL) exchange(b, v, lone);
  }
  free(users);
}

/* ---- all of it */

struct recursion *recursion_of_model(struct model *model) {
  struct recursion_forms forms;
  if (model->coordinates.count < FEWEST_COORDINATES) return NULL;
  struct recursion *r = checked_calloc(1, sizeof *r);
  struct builder b = {
      .graph = model->graph, .recursion = r, .unknowns = expr_symbol_set_new(model->graph)};
  r->n = model->coordinates.count;
  bool ok = recursion_forms_find(model, &forms) && add_variables(&b, model, &forms) &&
            add_actions(&b, &forms);
  if (ok) {
    keep_sums(r);
    exchange_all(&b);
    recursion_order(r);
    ok = recursion_meet(r);
    if (ok) recursion_plan_mass(r);
  }
  recursion_forms_clear(&forms);
  expr_symbol_set_free(b.unknowns);
  nested_sums_clear(&b.nested);
  map_free(&b.variable_of);
  map_free(&b.term_of);
  free(b.partial);
  if (ok) return r;
  recursion_free(r);
  return NULL;
}

void recursion_free(struct recursion *r) {
  if (r == NULL) return;
  vector_free(&r->variables);
  vector_free(&r->terms);
  vector_free(&r->inertias);
  vector_free(&r->neighbours);
  vector_free(&r->sums);
  vector_free(&r->sum_terms);
  vector_free(&r->mass.moves);
  vector_free(&r->mass.entries);
  free(r->order);
  free(r);
}
