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
  NODES_LIMIT = 200 * 1000, /* new nodes of the graph for one flag */
  ENTRIES_LIMIT = 200000    /* of a matrix */
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
  if (found.rank <= flag->generator_count) return;
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

/* Brackets of the admissible fields with the generators; true if that gave new ones. */
static bool further_step(struct flag *flag) {
  struct pfaffian *p = flag->p;
  struct candidates c = {.flag = flag};
  uint32_t before = flag->generator_count;
  if ((size_t)before * flag->field_count > CANDIDATES_LIMIT) {
    flag->is_undecided = true;
    return false;
  }
  for (uint32_t j = 0; j < before; j++) {
    struct generator *g = &flag->generators[j];
    if (g->field.at == NULL)
      g->field = pfaffian_bracket(p, flag->fields[g->left], flag->fields[g->right]);
    vector_push(&c.items, *g);
    vector_last(&c.items).is_expanded = true;
    for (uint32_t i = 0; i < p->form_count; i++)
      vector_push(&c.values, flag->values[(size_t)j * p->form_count + i]);
  }
  for (uint32_t i = 0; i < flag->field_count; i++) {
    for (uint32_t j = 0; j < before; j++) {
      if (flag->generators[j].is_expanded) continue;
      if (expr_graph_size(p->graph) - flag->first_size > NODES_LIMIT) {
        flag->is_undecided = true;
        candidates_free(&c);
        return false;
      }
      struct generator g = {.left = i, .right = flag->generators[j].right, .is_iterated = true};
      g.inner = flag->generators[j].field;
      g.field = pfaffian_bracket(p, flag->fields[i], g.inner);
      vector_push(&c.items, g);
      for (uint32_t form = 0; form < p->form_count; form++)
        vector_push(&c.values, pfaffian_form_on(p, form, g.field));
    }
  }
  choose_generators(&c);
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
  first_step(flag);
  while (!flag->is_undecided && flag->generator_count > 0 &&
         flag->generator_count < flag->forms.count) {
    if (!further_step(flag)) break;
  }
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
  uint32_t lost = flag->generator_count;
  if (lost > 0) lost -= rank_with(flag, UINT32_MAX);
  return flag->rows.count - lost;
}

bool flag_holds(const struct flag *flag, uint32_t row) {
  if (flag->generator_count == 0) return true;
  return rank_with(flag, row - flag->p->position_count) == rank_with(flag, UINT32_MAX);
}

const struct generator *flag_witness(const struct flag *flag, uint32_t row) {
  const struct pfaffian *p = flag->p;
  expr *entries = arena_array(p->arena, expr, flag->generator_count + 1);
  for (uint32_t j = 0; j < flag->generator_count; j++)
    entries[j] = flag->values[(size_t)j * p->form_count + row - p->position_count];
  struct structure_rank found = pfaffian_rank(flag->p, entries, 1, flag->generator_count);
  return found.rank > 0 ? &flag->generators[found.pivot_columns[0]] : NULL;
}
