/* Constraints with constant coefficients that follow from others of the kind by their form: sums of
 * multiples of other equations. They are found exactly and fast, before anything is asked of points
 * of a manifold, and nothing of them has to be asked there.
 *
 * Elimination is modulo the prime 2^61 - 1, with a record of the rows that make up each pivot row.
 * Independent there is independent; what seems dependent is proven by adding up the equations. */
#include "expr/modular.h"
#include "sema/structure.h"
#include <gmp.h>
#include <string.h>

static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;
static const double WORK_LIMIT = 1e8; /* multiplications; what is left then is asked at points */

struct term {
  uint32_t index;
  uint64_t value;
};

/* Entries of a row, then the rows that it is made of. */
struct echelon {
  struct term *terms, *origins;
  uint32_t term_count, origin_count;
};

struct elimination {
  struct pfaffian *p;
  struct echelon *pivots; /* per column; terms NULL: none */
  uint64_t *entries;      /* n: of the row at hand */
  uint64_t *origins;      /* m */
  double work;
};

/* ---------------------------------------------------------------- numbers */

static bool residue_of(const struct expr_graph *graph, expr e, uint64_t *residue) {
  if (!expr_is_number(graph, e)) return false;
  mpq_srcptr value = expr_constant(graph, e);
  if (value == NULL) return false;
  uint64_t below = mpz_fdiv_ui(mpq_denref(value), PRIME);
  if (below == 0) return false;
  *residue = modular_multiply(mpz_fdiv_ui(mpq_numref(value), PRIME), modular_inverse(below));
  return true;
}

/* The fraction with small parts that has the residue (Wang's algorithm), or 0. */
static expr fraction_of(struct expr_graph *graph, uint64_t residue) {
  const uint64_t bound = (uint64_t)1 << 30;
  uint64_t r0 = PRIME, r1 = residue;
  int64_t s0 = 0, s1 = 1;
  while (r1 >= bound) {
    uint64_t quotient = r0 / r1, r2 = r0 % r1;
    int64_t s2 = s0 - (int64_t)quotient * s1;
    r0 = r1;
    r1 = r2;
    s0 = s1;
    s1 = s2;
    if (s1 > (int64_t)bound || s1 < -(int64_t)bound) return 0;
  }
  int64_t above = s1 < 0 ? -(int64_t)r1 : (int64_t)r1, below = s1 < 0 ? -s1 : s1;
  return expr_divide(graph, expr_integer(graph, above), expr_integer(graph, below));
}

/* ---------------------------------------------------------------- elimination */

static bool load_row(struct elimination *e, uint32_t row) {
  const struct pfaffian *p = e->p;
  memset(e->entries, 0, p->n * sizeof *e->entries);
  memset(e->origins, 0, p->m * sizeof *e->origins);
  for (uint32_t j = 0; j < p->n; j++)
    if (!residue_of(p->graph, p->a[row + (size_t)j * p->m], &e->entries[j])) return false;
  e->origins[row] = 1;
  return true;
}

static void subtract(uint64_t *into, const struct term *terms, uint32_t count, uint64_t factor) {
  for (uint32_t i = 0; i < count; i++)
    into[terms[i].index] =
        modular_subtract(into[terms[i].index], modular_multiply(factor, terms[i].value));
}

/* The first column that stays; n: none, the row depends on the pivot rows. */
static uint32_t reduce_row(struct elimination *e) {
  uint32_t first = e->p->n;
  for (uint32_t j = 0; j < e->p->n; j++) {
    uint64_t entry = e->entries[j];
    const struct echelon *pivot = &e->pivots[j];
    if (entry != 0 && pivot->terms != NULL) {
      subtract(e->entries, pivot->terms, pivot->term_count, entry);
      subtract(e->origins, pivot->origins, pivot->origin_count, entry);
      e->work += pivot->term_count + pivot->origin_count;
    } else if (entry != 0 && first == e->p->n) {
      first = j;
    }
  }
  return first;
}

static struct term *pack(struct arena *arena, const uint64_t *values, uint32_t size, uint64_t scale,
                         uint32_t *count) {
  *count = 0;
  for (uint32_t i = 0; i < size; i++)
    if (values[i] != 0) (*count)++;
  struct term *terms = arena_array(arena, struct term, *count + 1);
  *count = 0;
  for (uint32_t i = 0; i < size; i++)
    if (values[i] != 0) terms[(*count)++] = (struct term){i, modular_multiply(values[i], scale)};
  return terms;
}

/* Pivot rows have 1 in their column. */
static void keep_pivot(struct elimination *e, uint32_t column) {
  struct echelon *pivot = &e->pivots[column];
  uint64_t scale = modular_inverse(e->entries[column]);
  pivot->terms = pack(e->p->arena, e->entries, e->p->n, scale, &pivot->term_count);
  pivot->origins = pack(e->p->arena, e->origins, e->p->m, scale, &pivot->origin_count);
}

/* ---------------------------------------------------------------- proofs */

/* The equation of a row, at velocity level if the one it is to imply is. */
static expr equation_of(const struct pfaffian *p, uint32_t row, bool at_velocity_level) {
  if (row >= p->position_count || !at_velocity_level) return p->residual[row];
  expr *terms = arena_array(p->arena, expr, p->n + 1);
  for (uint32_t j = 0; j < p->n; j++)
    terms[j] = expr_multiply(p->graph, p->a[row + (size_t)j * p->m], p->velocity[j]);
  terms[p->n] = p->b[row];
  return expr_sum(p->graph, terms, p->n + 1);
}

/* The origins of the row at hand, reduced to nothing, add up to 0. */
static bool add_up(struct elimination *e, uint32_t row) {
  struct pfaffian *p = e->p;
  bool at_velocity_level = row >= p->position_count;
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->m; i++)
    if (e->origins[i] != 0) count++;
  expr *terms = arena_array(p->arena, expr, count);
  uint32_t *support = arena_array(p->arena, uint32_t, count), used = 0;
  count = 0;
  for (uint32_t i = 0; i < p->m; i++) {
    if (e->origins[i] == 0) continue;
    expr factor = fraction_of(p->graph, e->origins[i]);
    if (factor == 0) return false;
    terms[count++] = expr_multiply(p->graph, factor, equation_of(p, i, at_velocity_level));
    if (i != row) support[used++] = i;
  }
  if (!expr_is_integer_value(p->graph, expr_sum(p->graph, terms, count), 0)) return false;
  p->implied[row] = (struct index_list){support, used};
  return true;
}

void pfaffian_find_implied(struct pfaffian *p) {
  struct elimination e = {.p = p};
  p->implied = arena_array(p->arena, struct index_list, p->m + 1);
  e.pivots = arena_array(p->arena, struct echelon, p->n + 1);
  e.entries = arena_array(p->arena, uint64_t, p->n + 1);
  e.origins = arena_array(p->arena, uint64_t, p->m + 1);
  for (uint32_t i = 0; i < p->linear_count && e.work < WORK_LIMIT; i++) {
    if (!load_row(&e, i)) continue;
    uint32_t column = reduce_row(&e);
    e.work += p->n + p->m;
    if (column < p->n)
      keep_pivot(&e, column);
    else
      add_up(&e, i);
  }
  p->equations = arena_array(p->arena, expr, p->position_count + 1);
  for (uint32_t i = 0; i < p->position_count; i++)
    if (p->implied[i].items == NULL) p->equations[p->equation_count++] = p->residual[i];
}
