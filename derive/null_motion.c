/* Names the coordinates whose inertia is missing in combination, from numeric null vectors of the
 * bordered matrix [M -B; A 0] at two random states: motions that satisfy the constraints and move
 * no mass. Without constraints, if the ratios are simple and the same at both states, the
 * combination is printed: "only the combination x1 + x2 has inertia". */
#include "derive/null_motion.h"
#include "derive/elimination.h"
#include "derive/sample.h"
#include "derive/simple_ratio.h"
#include "base/bug.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>

struct null_space {
  double *vectors; /* size*size, `dimension` vectors of size: q'', then λ */
  double *matrix;  /* size*size, the bordered matrix there */
  uint32_t dimension;
};

static struct null_space null_space_at(const struct bordered *bordered, uint64_t seed) {
  size_t n = bordered->size;
  struct null_space space = {checked_calloc(n * n, sizeof(double)),
                             checked_calloc(n * n, sizeof(double)), 0};
  double *a = checked_calloc(n * n, sizeof *a), *scale = checked_calloc(n, sizeof *scale);
  struct sample sample;
  sample_init(&sample, bordered->system->model);
  for (uint64_t attempt = 0; attempt < 8; attempt++) { /* away from places without values */
    sample_draw(&sample, seed + attempt, attempt >= 4);
    expr_evaluate(bordered->system->graph, bordered->entries, n * n, sample_value, &sample,
                  space.matrix);
    bool finite = true;
    for (size_t k = 0; k < n * n; k++) finite = finite && isfinite(space.matrix[k]);
    if (finite) break;
  }
  for (size_t k = 0; k < n * n; k++) a[k] = space.matrix[k];
  elimination_scale(a, (uint32_t)n, scale);
  uint32_t rank = elimination_null_space(a, (uint32_t)n, 1e-8, space.vectors);
  if (rank == n) { /* singular beyond what doubles show: take the smallest pivot */
    for (size_t k = 0; k < n * n; k++) a[k] = space.matrix[k] / (scale[k % n] * scale[k / n]);
    rank = elimination_null_space(a, (uint32_t)n, 1e-5, space.vectors);
  }
  space.dimension = (uint32_t)n - rank;
  for (size_t v = 0; v < space.dimension; v++) /* back to the unscaled unknowns */
    for (size_t i = 0; i < n; i++) space.vectors[i + v * n] /= scale[i];
  sample_clear(&sample);
  free(a);
  free(scale);
  return space;
}

static void null_space_free(struct null_space *space) {
  free(space->vectors);
  free(space->matrix);
}

/* Whether unknown i takes part in a vector whose first `count` entries are looked at. A vector
 * that is all rounding there (a reaction, if accelerations are looked at) marks nothing. */
static void mark_vector(const double *vector, uint32_t from, uint32_t to, bool *involved) {
  double largest = 0;
  for (uint32_t i = from; i < to; i++) largest = fmax(largest, fabs(vector[i]));
  for (uint32_t i = from; i < to && largest > 1e-9; i++)
    if (fabs(vector[i]) > 1e-6 * largest) involved[i - from] = true;
}

static uint32_t mark_involved(const struct bordered *bordered, const struct null_space *space,
                              bool *involved) {
  uint32_t n = bordered->system->n, count = 0;
  for (uint32_t v = 0; v < space->dimension; v++)
    mark_vector(space->vectors + (size_t)v * bordered->size, 0, n, involved);
  for (uint32_t i = 0; i < n; i++) count += involved[i];
  return count;
}

static void mark_reactions(const struct bordered *bordered, const struct null_space *space,
                           bool *reactions) {
  uint32_t n = bordered->system->n;
  bool *rows = checked_calloc((size_t)bordered->rows + 1, sizeof *rows);
  for (uint32_t v = 0; v < space->dimension; v++)
    mark_vector(space->vectors + (size_t)v * bordered->size, n, bordered->size, rows);
  for (uint32_t r = 0; r < bordered->rows; r++)
    if (rows[r]) reactions[bordered->row[r]] = true;
  free(rows);
}

/* The one row that all involved rows are multiples of, divided by its first entry; false if they
 * are not of rank one. */
static bool common_row(const struct system *system, const struct null_space *space,
                       const bool *involved, uint32_t count, double *row) {
  uint32_t n = system->n, lead = n;
  if (space->dimension + 1 != count) return false;
  for (uint32_t i = n; i-- > 0;)
    if (involved[i]) lead = i;
  if (lead == n || space->matrix[lead + (size_t)lead * n] == 0) return false;
  for (uint32_t j = 0; j < n; j++)
    row[j] = involved[j]
                 ? space->matrix[lead + (size_t)j * n] / space->matrix[lead + (size_t)lead * n]
                 : 0;
  return true;
}

/* Writes "x1 + 2*x2" into out; false if a coefficient is not a simple number. */
static bool put_combination(const struct system *system, const bool *involved, const double *row,
                            struct text *out) {
  bool first = true;
  for (uint32_t i = 0; i < system->n; i++) {
    long p, q;
    if (!involved[i]) continue;
    if (!simple_ratio_find(row[i], &p, &q)) return false;
    simple_ratio_put_term(out, first, p, q, system->model->coordinates.items[i].id.name);
    first = false;
  }
  return true;
}

static bool same_rows(const double *a, const double *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= 1e-7 * (1 + fabs(a[i])))) return false;
  return true;
}

static void put_names(const struct system *system, const bool *involved, uint32_t count,
                      struct text *out) {
  uint32_t shown = 0, limit = 8;
  for (uint32_t i = 0; i < system->n && shown < limit; i++) {
    if (!involved[i]) continue;
    if (shown) text_put(out, shown + 1 == count ? " and " : ", ");
    text_format(out, "'%s'", system->model->coordinates.items[i].id.name);
    shown++;
  }
  if (count > limit) text_format(out, " and %u more", (unsigned)(count - limit));
}

/* Without constraints: rows of the mass matrix tell which combination has inertia. */
static bool describe_combination(const struct system *system, const struct null_space *one,
                                 const struct null_space *two, const bool *involved, uint32_t count,
                                 struct text *sentence) {
  uint32_t n = system->n;
  double *row = checked_calloc(n, sizeof *row), *other = checked_calloc(n, sizeof *other);
  struct text combination = {0};
  bool found = common_row(system, one, involved, count, row) &&
               common_row(system, two, involved, count, other) && same_rows(row, other, n) &&
               put_combination(system, involved, row, &combination);
  if (found)
    text_format(sentence,
                "only the combination %s has inertia: use it as one coordinate, or give "
                "the others a mass of their own",
                text_string(&combination));
  text_free(&combination);
  free(row);
  free(other);
  return found;
}

static void describe_motion(const struct system *system, const bool *involved, uint32_t count,
                            struct text *sentence) {
  if (count == 1 && system->m == 0) {
    text_put(sentence, "no mass moves with ");
    put_names(system, involved, count, sentence);
    text_put(sentence, ": its terms in the kinetic energy cancel");
  } else if (count == 1) {
    put_names(system, involved, count, sentence);
    text_put(sentence, " can move alone, against no inertia and no constraint: give it a mass, or "
                       "a constraint that determines it");
  } else {
    text_put(sentence, "the coordinates ");
    put_names(system, involved, count, sentence);
    text_put(sentence, " can move together so that no mass moves");
    if (system->m > 0) text_put(sentence, " and all constraints hold");
  }
}

void null_motion_find(const struct bordered *bordered, bool *involved, bool *reactions,
                      struct text *sentence) {
  const struct system *system = bordered->system;
  struct null_space one = null_space_at(bordered, 0xa11), two = null_space_at(bordered, 0xb22);
  mark_involved(bordered, &one, involved);
  uint32_t count = mark_involved(bordered, &two, involved);
  if (count == 0) {
    mark_reactions(bordered, &one, reactions);
    mark_reactions(bordered, &two, reactions);
    text_put(sentence, "let the force act on what the constraint leaves free, as friction does");
  } else if (count == 1 || system->m > 0 ||
             !describe_combination(system, &one, &two, involved, count, sentence)) {
    describe_motion(system, involved, count, sentence);
  }
  null_space_free(&one);
  null_space_free(&two);
}
