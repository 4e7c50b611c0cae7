/* Rank in ball arithmetic: Gaussian elimination with full pivoting. A pivot is an entry whose ball
 * stays away from zero, so the pivots found prove a lower bound of the rank. */
#include "expr/prover_balls.h"
#include "base/bug.h"
#include <stdlib.h>

enum { FIRST_BITS = 128, ATTEMPTS_PER_POINT = 4, POINTS_LIMIT = 3 };

static arb_ptr entry(struct elimination *work, uint32_t i, uint32_t j) {
  return work->entries + work->row_order[i] + (size_t)work->column_order[j] * work->rows;
}

static void swap(uint32_t *order, uint32_t a, uint32_t b) {
  uint32_t kept = order[a];
  order[a] = order[b];
  order[b] = kept;
}

/* Moves the entry with the largest lower bound to the corner; false if all may be zero. */
static bool choose_pivot(struct elimination *work) {
  mag_t size, largest;
  mag_init(size);
  mag_init(largest);
  uint32_t row = 0, column = 0, corner = work->rank;
  for (uint32_t j = corner; j < work->columns; j++) {
    for (uint32_t i = corner; i < work->rows; i++) {
      arb_get_mag_lower(size, entry(work, i, j));
      if (mag_cmp(size, largest) <= 0) continue;
      mag_set(largest, size);
      row = i;
      column = j;
    }
  }
  bool found = !mag_is_zero(largest);
  if (found) {
    swap(work->row_order, corner, row);
    swap(work->column_order, corner, column);
  }
  mag_clear(size);
  mag_clear(largest);
  return found;
}

void elimination_run(struct elimination *work, slong precision) {
  arb_t factor;
  arb_init(factor);
  for (uint32_t k = 0; k < work->rows; k++) work->row_order[k] = k;
  for (uint32_t k = 0; k < work->columns; k++) work->column_order[k] = k;
  uint32_t smaller = work->rows < work->columns ? work->rows : work->columns;
  for (work->rank = 0; work->rank < smaller && choose_pivot(work); work->rank++) {
    uint32_t k = work->rank;
    for (uint32_t i = k + 1; i < work->rows; i++) {
      if (arb_is_zero(entry(work, i, k))) continue;
      arb_div(factor, entry(work, i, k), entry(work, k, k), precision);
      for (uint32_t j = k + 1; j < work->columns; j++)
        if (!arb_is_zero(entry(work, k, j)))
          arb_submul(entry(work, i, j), factor, entry(work, k, j), precision);
    }
  }
  arb_clear(factor);
}

bool elimination_fill(struct elimination *work, const struct balls *balls) {
  for (uint32_t i = 0; i < work->rows * work->columns; i++) {
    arb_srcptr value = balls->values + balls->program->roots[i];
    if (!arb_is_finite(value)) return false;
    arb_set(work->entries + i, value);
  }
  return true;
}

bool elimination_is_sharp(struct elimination *work, const mag_t limit) {
  mag_t size;
  mag_init(size);
  bool sharp = true;
  for (uint32_t j = work->rank; j < work->columns; j++)
    for (uint32_t i = work->rank; i < work->rows && sharp; i++) {
      arb_get_mag(size, entry(work, i, j));
      sharp = mag_cmp(size, limit) <= 0;
    }
  mag_clear(size);
  return sharp;
}

void elimination_init(struct elimination *work, uint32_t rows, uint32_t columns) {
  *work = (struct elimination){rows,
                               columns,
                               0,
                               _arb_vec_init((slong)rows * columns + 1),
                               checked_calloc((size_t)rows + 1, sizeof(uint32_t)),
                               checked_calloc((size_t)columns + 1, sizeof(uint32_t))};
}

void elimination_clear(struct elimination *work) {
  _arb_vec_clear(work->entries, (slong)work->rows * work->columns + 1);
  free(work->row_order);
  free(work->column_order);
}

/* One point with rising precision; false if the matrix is undefined there. */
static bool try_point(struct elimination *work, struct balls *balls,
                      struct prover_question *question) {
  uint32_t smaller = work->rows < work->columns ? work->rows : work->columns;
  for (uint32_t bits = FIRST_BITS;; bits *= 4) {
    if (bits > question->bits) bits = question->bits;
    balls_evaluate(balls, (slong)bits);
    if (!elimination_fill(work, balls)) return false;
    elimination_run(work, (slong)bits);
    if (question->bits_used < bits) question->bits_used = bits;
    if (work->rank == smaller || bits >= question->bits) return true;
  }
}

uint32_t prover_rank(const struct program *program, uint32_t rows, uint32_t columns,
                     struct prover_question *question, uint32_t *pivot_rows,
                     uint32_t *pivot_columns) {
  struct balls balls;
  struct elimination work;
  uint32_t points = question->points < POINTS_LIMIT ? question->points : POINTS_LIMIT, best = 0;
  if (program->symbol_count == 0) points = 1;
  balls_init(&balls, program);
  elimination_init(&work, rows, columns);
  question->points_used = question->bits_used = 0;
  for (uint32_t i = 0; i < points * ATTEMPTS_PER_POINT && question->points_used < points; i++) {
    balls_choose_point(&balls, question->seed, i);
    if (!try_point(&work, &balls, question)) continue;
    question->points_used++;
    for (uint32_t k = 0; k < work.rank && work.rank > best; k++) {
      pivot_rows[k] = work.row_order[k];
      pivot_columns[k] = work.column_order[k];
    }
    if (work.rank > best) best = work.rank;
    if (best == rows || best == columns) break;
  }
  balls_clear(&balls);
  elimination_clear(&work);
  return best;
}
