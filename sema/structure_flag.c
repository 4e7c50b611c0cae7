/* The derived flag: which combinations of the forms of a group are integrable.
 *
 * Seen from the fields X_i that all forms annihilate: omega([X_i, X_j]) = -d omega(X_i, X_j), and
 * a form is in the first derived system if it annihilates all these brackets. Where only a part of
 * the forms does, brackets are iterated, D' = D + [D_0, D], until the rank stays; the forms that
 * annihilate the smallest involutive distribution are the integrable ones.
 * Position-level rows are differentials: they annihilate every bracket. */
#include "sema/structure.h"
#include <string.h>

enum {
  PAIRS_LIMIT = 20000,      /* brackets of the first step */
  CANDIDATES_LIMIT = 600,   /* of a further step */
  NODES_LIMIT = 700 * 1000, /* new nodes of the graph for one flag: a few seconds */
  FEW_FIELDS = 4,
  ENTRIES_LIMIT = 200000 /* of a matrix */
};

/* A matrix that grows by columns, and what they are. */
struct candidates {
  struct flag *flag;
  VECTOR(struct generator) items;
  VECTOR(expr) values; /* form_count each */
};

static void candidates_free(struct candidates *c) {
  vector_free(&c->items);
  vector_free(&c->values);
}

/* -d omega(X, Y) for all forms; false if all are zero by their form. */
static bool add_bracket_values(struct candidates *c, struct field x, struct field y) {
  struct pfaffian *p = c->flag->p;
  struct expr_graph *graph = p->graph;
  expr zero = expr_integer(graph, 0);
  uint32_t first = c->values.count;
  bool any = false;
  for (uint32_t i = 0; i < p->form_count; i++) vector_push(&c->values, zero);
  for (uint32_t i = 0; i < p->curl.count; i++) {
    const struct curl *curl = &p->curl.items[i];
    uint32_t k = curl->k, l = curl->l < p->n ? curl->l : p->n + p->s;
    expr area = expr_subtract(graph, expr_multiply(graph, x.at[l], y.at[k]),
                              expr_multiply(graph, x.at[k], y.at[l]));
    expr *value = &c->values.items[first + curl->form];
    *value = expr_add(graph, *value, expr_multiply(graph, curl->value, area));
  }
  for (uint32_t i = 0; i < p->form_count; i++) any = any || c->values.items[first + i] != zero;
  if (!any) c->values.count = first;
  return any;
}

/* Takes independent candidates as the generators. */
static void choose_generators(struct candidates *c) {
  struct flag *flag = c->flag;
  struct pfaffian *p = flag->p;
  uint32_t rows = flag->forms.count, columns = c->items.count;
  if ((size_t)rows * columns > ENTRIES_LIMIT || expr_graph_is_full(p->graph)) {
    flag->is_undecided = true;
    return;
  }
  expr *entries = arena_array(p->arena, expr, (size_t)rows * columns + 1);
  for (uint32_t j = 0; j < columns; j++)
    for (uint32_t i = 0; i < rows; i++)
      entries[i + (size_t)j * rows] =
          c->values.items[(size_t)j * p->form_count + flag->forms.items[i]];
  struct structure_rank found = pfaffian_rank(p, entries, rows, columns);
  if (found.rank < flag->generator_count) return;
  if (found.rank == rows) flag->is_undecided = false; /* there is nothing left to find */
  flag->generator_count = found.rank;
  flag->generators = arena_array(p->arena, struct generator, found.rank);
  flag->values = arena_array(p->arena, expr, (size_t)found.rank * p->form_count + 1);
  for (uint32_t j = 0; j < found.rank; j++) {
    flag->generators[j] = c->items.items[found.pivot_columns[j]];
    memcpy(flag->values + (size_t)j * p->form_count,
           c->values.items + (size_t)found.pivot_columns[j] * p->form_count,
           p->form_count * sizeof(expr));
  }
}

static void first_step(struct flag *flag) {
  struct candidates c = {.flag = flag};
  if ((size_t)flag->field_count * flag->field_count > 2 * PAIRS_LIMIT) {
    flag->is_undecided = flag->p->curl.count > 0;
    return;
  }
  for (uint32_t i = 0; i < flag->field_count; i++)
    for (uint32_t j = i + 1; j < flag->field_count; j++)
      if (add_bracket_values(&c, flag->fields[i], flag->fields[j]))
        vector_push(&c.items, ((struct generator){.left = i, .right = j}));
  choose_generators(&c);
  candidates_free(&c);
}

/* The generators as the first candidates, with their components. */
static void take_generators(struct candidates *c) {
  struct flag *flag = c->flag;
  struct pfaffian *p = flag->p;
  for (uint32_t j = 0; j < flag->generator_count; j++) {
    struct generator *g = &flag->generators[j];
    if (g->field.at == NULL)
      g->field = pfaffian_bracket(p, flag->fields[g->left], flag->fields[g->right]);
    vector_push(&c->items, *g);
    for (uint32_t i = 0; i < p->form_count; i++)
      vector_push(&c->values, flag->values[(size_t)j * p->form_count + i]);
  }
}

static bool is_full(const struct flag *flag) {
  return flag->generator_count == flag->forms.count;
}

/* Brackets of the field with the first `count` candidates; false if they become too large. */
static bool add_brackets(struct candidates *c, uint32_t field, uint32_t count) {
  struct flag *flag = c->flag;
  struct pfaffian *p = flag->p;
  for (uint32_t j = 0; j < count; j++) {
    if (c->items.items[j].is_expanded) continue;
    if (expr_graph_size(p->graph) - flag->first_size > NODES_LIMIT) return false;
    struct generator g = {.left = field, .right = c->items.items[j].right, .is_iterated = true};
    g.inner = c->items.items[j].field;
    g.field = pfaffian_bracket(p, flag->fields[field], g.inner);
    vector_push(&c->items, g);
    for (uint32_t form = 0; form < p->form_count; form++)
      vector_push(&c->values, pfaffian_form_on(p, form, g.field));
  }
  return true;
}

/* Brackets of brackets grow by about the same factor from step to step. */
static bool will_be_large(struct flag *flag) {
  double size = (double)(expr_graph_size(flag->p->graph) - flag->first_size);
  double expected = flag->last_size > 0 ? size * (size / flag->last_size) : size;
  flag->last_size = size;
  return expected > NODES_LIMIT;
}

/* Brackets of the admissible fields with the generators; true if that gave new ones. With few
 * fields the question whether all is reached already comes after each. */
static bool further_step(struct flag *flag) {
  if (will_be_large(flag)) {
    flag->is_undecided = true;
    return false;
  }
  struct candidates c = {.flag = flag};
  uint32_t before = flag->generator_count;
  uint32_t fields = flag->field_count - (flag->is_autonomous ? 1 : 0);
  if ((size_t)before * fields > CANDIDATES_LIMIT) {
    flag->is_undecided = true;
    return false;
  }
  take_generators(&c);
  for (uint32_t i = 0; i < fields && !flag->is_undecided && !is_full(flag); i++) {
    if (!add_brackets(&c, i, before)) flag->is_undecided = true;
    if (fields > FEW_FIELDS && i + 1 < fields) continue;
    if (i + 1 == fields || flag->is_undecided)
      for (uint32_t j = 0; j < before; j++) c.items.items[j].is_expanded = true;
    choose_generators(&c);
  }
  candidates_free(&c);
  return flag->generator_count > before;
}

static void take_rows(struct flag *flag, struct index_list rows) {
  struct pfaffian *p = flag->p;
  uint32_t velocity_rows = p->linear_count - p->position_count;
  flag->rows.items = arena_array(p->arena, uint32_t, rows.count + 1);
  flag->forms.items = arena_array(p->arena, uint32_t, rows.count + p->form_count + 1);
  for (uint32_t i = 0; i < rows.count; i++) {
    if (rows.items[i] >= p->linear_count) continue; /* Chetaev's rule: no form */
    flag->rows.items[flag->rows.count++] = rows.items[i];
    if (rows.items[i] < p->position_count)
      flag->position_count++;
    else
      flag->forms.items[flag->forms.count++] = rows.items[i] - p->position_count;
  }
  for (uint32_t form = velocity_rows; form < p->form_count; form++)
    flag->forms.items[flag->forms.count++] = form;
}

/* The time passes by itself, and the others do not depend on it: it commutes with them. */
static bool is_autonomous(const struct flag *flag) {
  const struct pfaffian *p = flag->p;
  const struct field *passing = &flag->fields[flag->field_count - 1];
  bool is_free = p->s == 0;
  struct expr_symbol_set *time = expr_symbol_set_new(p->graph);
  expr_symbol_set_add(time, p->time);
  for (uint32_t j = 0; j < p->n && is_free; j++)
    is_free = expr_is_integer_value(p->graph, passing->at[j], 0);
  for (uint32_t i = 0; i + 1 < flag->field_count && is_free; i++)
    for (uint32_t j = 0; j < p->n && is_free; j++)
      is_free = !expr_symbol_set_touches(time, flag->fields[i].at[j]);
  expr_symbol_set_free(time);
  return is_free;
}

struct flag *flag_find(struct pfaffian *p, struct index_list rows) {
  struct flag *flag = arena_new(p->arena, struct flag);
  flag->p = p;
  flag->first_size = expr_graph_size(p->graph);
  take_rows(flag, rows);
  flag->is_undecided = !p->rates_are_linear;
  flag->field_count = p->n + 1 - flag->rows.count;
  flag->fields = arena_array(p->arena, struct field, flag->field_count);
  if (!pfaffian_solve(p, flag->rows, flag->fields)) flag->is_undecided = true;
  if (flag->is_undecided) return flag;
  flag->is_autonomous = is_autonomous(flag);
  first_step(flag);
  while (!flag->is_undecided && flag->generator_count > 0 && !is_full(flag))
    if (!further_step(flag)) break;
  return flag;
}

/* ---------------------------------------------------------------- questions */

/* The rank of the states' forms, and of this form if it is not that of a state, on the
 * generators. */
static uint32_t rank_with(const struct flag *flag, uint32_t form) {
  struct pfaffian *p = flag->p;
  uint32_t velocity_rows = p->linear_count - p->position_count;
  uint32_t height = p->form_count - velocity_rows + (form < velocity_rows ? 1 : 0), row = 0;
  expr *entries = arena_array(p->arena, expr, (size_t)height * flag->generator_count + 1);
  for (uint32_t i = 0; i < p->form_count; i++) {
    if (i < velocity_rows && i != form) continue;
    for (uint32_t j = 0; j < flag->generator_count; j++)
      entries[row + (size_t)j * height] = flag->values[(size_t)j * p->form_count + i];
    row++;
  }
  return pfaffian_rank(p, entries, height, flag->generator_count).rank;
}

uint32_t flag_integrable_rank(const struct flag *flag) {
  const struct pfaffian *p = flag->p;
  uint32_t lost = flag->generator_count;
  if (is_full(flag))
    lost -= p->form_count - (p->linear_count - p->position_count); /* those of states */
  else if (lost > 0)
    lost -= rank_with(flag, UINT32_MAX);
  return flag->rows.count - lost;
}

bool flag_leaves(const struct flag *flag, uint32_t row) {
  const struct pfaffian *p = flag->p;
  bool has_states = p->form_count > p->linear_count - p->position_count;
  return p->has_point && !has_states && flag_witness(flag, row) != NULL;
}

bool flag_holds(const struct flag *flag, uint32_t row) {
  if (flag->generator_count == 0) return true;
  for (uint32_t i = 0; i < flag->rows.count && is_full(flag); i++)
    if (flag->rows.items[i] == row) return false; /* nothing is integrable */
  return rank_with(flag, row - flag->p->position_count) == rank_with(flag, UINT32_MAX);
}

/* Iterated brackets are large: they are asked last. */
const struct generator *flag_witness(const struct flag *flag, uint32_t row) {
  const struct pfaffian *p = flag->p;
  expr *entries = arena_array(p->arena, expr, flag->generator_count + 1);
  uint32_t *chosen = arena_array(p->arena, uint32_t, flag->generator_count + 1);
  for (int pass = 0; pass < 2; pass++) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < flag->generator_count; j++) {
      if (flag->generators[j].is_iterated != (pass == 1)) continue;
      chosen[count] = j;
      entries[count++] = flag->values[(size_t)j * p->form_count + row - p->position_count];
    }
    struct structure_rank found = pfaffian_rank(flag->p, entries, 1, count);
    if (found.rank > 0) return &flag->generators[chosen[found.pivot_columns[0]]];
  }
  return NULL;
}
