/* Classes of the constraints of a group: by the last derived system of all of them, of one alone
 * with the position-level ones, and of smallest sets in between. */
#include "sema/structure.h"
#include "sema/structure_report.h"
#include <string.h>

enum { PARTNER_ROWS_LIMIT = 24 }; /* more velocity-level rows: all others are named as partners */

/* Kept position-level rows, these rows, and then one more. */
static struct index_list rows_with(struct pfaffian *p, const uint32_t *rows, uint32_t count,
                                   uint32_t row) {
  struct index_list set = {arena_array(p->arena, uint32_t, (size_t)p->m + count + 1), 0};
  for (uint32_t i = 0; i < p->kept.count; i++)
    if (p->kept.items[i] < p->position_count) set.items[set.count++] = p->kept.items[i];
  for (uint32_t i = 0; i < count; i++) set.items[set.count++] = rows[i];
  set.items[set.count++] = row;
  return set;
}

static bool is_exact(const struct pfaffian *p, uint32_t row) {
  for (uint32_t i = 0; i < p->curl.count; i++)
    if (p->curl.items[i].form == row - p->position_count) return false;
  return p->s == 0; /* a form that depends on states is closed only along their motion */
}

struct partners {
  struct pfaffian *p;
  uint32_t row;
};

static bool is_integrable_with(void *user, const uint32_t *rows, uint32_t count) {
  struct partners *partners = user;
  struct pfaffian *p = partners->p;
  struct index_list set = rows_with(p, rows, count, partners->row);
  struct flag *flag = flag_find(p, set);
  return !flag->is_undecided && flag_holds(flag, partners->row);
}

static bool is_dependent(struct pfaffian *p, struct index_list set) {
  return pfaffian_rank_of(p, set.items, set.count, false) < set.count;
}

/* The row is in the last derived system of the group; what does it need? */
static void find_partners(struct pfaffian *p, uint32_t row) {
  struct model_constraint *c = pfaffian_constraint(p, row);
  struct partners alone = {p, row};
  c->class = CLASS_INTEGRABLE;
  if (is_dependent(p, rows_with(p, NULL, 0, row)) || is_integrable_with(&alone, NULL, 0)) return;
  c->class = CLASS_JOINT;
  if (c->is_redundant) return; /* its partners say what implies it */
  struct index_list others = {arena_array(p->arena, uint32_t, p->m + 1), 0};
  for (uint32_t i = 0; i < p->kept.count; i++) {
    uint32_t other = p->kept.items[i];
    if (other >= p->position_count && other < p->linear_count && other != row)
      others.items[others.count++] = other;
  }
  if (others.count <= PARTNER_ROWS_LIMIT)
    others = structure_smallest(p->arena, others, is_integrable_with, &alone);
  uint32_t *partners = arena_array(&p->all->context->arena, uint32_t, others.count + 1);
  for (uint32_t i = 0; i < others.count; i++) partners[i] = p->rows[others.items[i]];
  c->partners = partners;
  c->partner_count = others.count;
}

static void classify_row(struct pfaffian *p, const struct flag *flag, uint32_t row) {
  struct model_constraint *c = pfaffian_constraint(p, row);
  if (is_exact(p, row)) {
    c->class = CLASS_EXACT;
  } else if (flag->is_undecided && !flag_leaves(flag, row)) {
    c->class = CLASS_UNDECIDED;
  } else if (!flag->is_undecided && flag_holds(flag, row)) {
    find_partners(p, row);
  } else {
    c->class = CLASS_NONHOLONOMIC;
    c->bracket = structure_bracket_words(flag, row);
  }
}

/* ---------------------------------------------------------------- combinations */

struct combining {
  const struct flag *flag;
  uint32_t row;
};

static uint32_t rank_of_values(const struct flag *flag, const uint32_t *rows, uint32_t count,
                               struct structure_rank *found) {
  struct pfaffian *p = flag->p;
  expr *entries = arena_array(p->arena, expr, (size_t)count * flag->generator_count + 1);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < flag->generator_count; j++)
      entries[i + (size_t)j * count] =
          flag->values[(size_t)j * p->form_count + rows[i] - p->position_count];
  *found = pfaffian_rank(p, entries, count, flag->generator_count);
  return found->rank;
}

static bool combines(void *user, const uint32_t *rows, uint32_t count) {
  struct combining *c = user;
  struct structure_rank found;
  uint32_t *with = arena_array(c->flag->p->arena, uint32_t, count + 1);
  memcpy(with, rows, count * sizeof(uint32_t));
  with[count] = c->row;
  return rank_of_values(c->flag, with, count + 1, &found) == count;
}

/* Rows whose combination with some of the independent ones annihilates all generators. */
static void add_combination(const struct flag *flag, struct index_list independent, uint32_t row) {
  struct pfaffian *p = flag->p;
  struct combining combining = {flag, row};
  struct index_list set = structure_smallest(p->arena, independent, combines, &combining);
  uint32_t *members = arena_array(&p->all->context->arena, uint32_t, set.count + 1), count = 0;
  set.items[set.count++] = row;
  for (uint32_t i = 0; i < p->m; i++) /* in the order of rows */
    for (uint32_t k = 0; k < set.count; k++)
      if (set.items[k] == i) members[count++] = p->rows[i];
  vector_push(&p->all->model->structure.combinations,
              ((struct model_combination){.members = members, .count = count}));
}

static void find_combinations(const struct flag *flag) {
  struct pfaffian *p = flag->p;
  struct index_list rows = {arena_array(p->arena, uint32_t, p->m + 1), 0}, independent = rows;
  for (uint32_t i = 0; i < flag->rows.count; i++)
    if (pfaffian_constraint(p, flag->rows.items[i])->class == CLASS_NONHOLONOMIC)
      rows.items[rows.count++] = flag->rows.items[i];
  if (p->s > 0 || rows.count < 2) return;
  struct structure_rank found;
  if (rank_of_values(flag, rows.items, rows.count, &found) == rows.count) return;
  bool *is_independent = arena_array(p->arena, bool, rows.count);
  independent.items = arena_array(p->arena, uint32_t, p->m + 2);
  for (uint32_t i = 0; i < found.rank; i++) is_independent[found.pivot_rows[i]] = true;
  for (uint32_t i = 0; i < rows.count; i++)
    if (is_independent[i]) independent.items[independent.count++] = rows.items[i];
  for (uint32_t i = 0; i < rows.count; i++)
    if (!is_independent[i]) add_combination(flag, independent, rows.items[i]);
}

/* ---------------------------------------------------------------- the group */

bool structure_is_integrable(enum constraint_class class) {
  return class == CLASS_EXACT || class == CLASS_INTEGRABLE || class == CLASS_JOINT;
}

bool pfaffian_row_is_rheonomic(struct pfaffian *p, uint32_t row) {
  struct expr_symbol_set *driven = expr_symbol_set_new(p->graph);
  struct zero_test test = {.only_refutes = true};
  expr_symbol_set_add(driven, p->time);
  for (uint32_t k = 0; k < p->s; k++) expr_symbol_set_add(driven, p->z[k]);
  bool is_driven = expr_symbol_set_touches(driven, p->residual[row]);
  expr_symbol_set_free(driven);
  return is_driven ||
         (row < p->linear_count && expr_is_zero(p->graph, p->b[row], &test) == VERDICT_NO);
}

static void find_rheonomic(struct pfaffian *p) {
  for (uint32_t i = 0; i < p->m; i++) {
    pfaffian_constraint(p, i)->is_rheonomic = pfaffian_row_is_rheonomic(p, i);
    if (pfaffian_constraint(p, i)->is_rheonomic) p->all->model->structure.is_rheonomic = true;
  }
}

/* Rank of the part that is integrable for certain if the flag is undecided. */
static uint32_t count_exact(const struct pfaffian *p) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->kept.count; i++) {
    uint32_t row = p->kept.items[i];
    if (row < p->position_count || (row < p->linear_count && is_exact(p, row))) count++;
  }
  return count;
}

void pfaffian_classify(struct pfaffian *p) {
  struct model_structure *structure = &p->all->model->structure;
  uint32_t first = p->position_count, holonomic = 0;
  for (uint32_t i = 0; i < first; i++) pfaffian_constraint(p, i)->class = CLASS_POSITION;
  for (uint32_t i = p->linear_count; i < p->m; i++) {
    pfaffian_constraint(p, i)->class = CLASS_NONHOLONOMIC;
    pfaffian_constraint(p, i)->bracket = "";
  }
  find_rheonomic(p);
  if (p->linear_count > first) pfaffian_differentiate(p);
  bool is_closed = p->curl.count == 0 && p->s == 0;
  if (is_closed || p->linear_count == first) {
    for (uint32_t i = first; i < p->linear_count; i++)
      pfaffian_constraint(p, i)->class = CLASS_EXACT;
    for (uint32_t i = 0; i < p->kept.count; i++)
      if (p->kept.items[i] < p->linear_count) holonomic++;
  } else {
    struct flag *flag = flag_find(p, p->kept);
    if (p->is_undecided && p->has_point) flag->is_undecided = true;
    for (uint32_t i = first; i < p->linear_count; i++) classify_row(p, flag, i);
    holonomic = flag->is_undecided ? count_exact(p) : flag_integrable_rank(flag);
    if (flag->is_undecided) report_undecided(p);
    if (!flag->is_undecided) find_combinations(flag);
    p->is_undecided = p->is_undecided || flag->is_undecided;
  }
  structure->holonomic += holonomic;
  vector_free(&p->curl);
}
