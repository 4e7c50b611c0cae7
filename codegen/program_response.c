/* Responses of linear systems (response.h): their patterns, by the connected blocks of the matrix,
 * and their values. The inverse of a matrix fills its blocks, so a column has entries in the blocks
 * that its right side touches. */
#include "codegen/response.h"

static bool is_zero(const struct system *system, expr e) {
  return expr_is_integer_value(system->graph, e, 0);
}

/* ---- patterns of responses */

static uint32_t root_of(uint32_t *block, uint32_t i) {
  while (block[i] != i) {
    block[i] = block[block[i]];
    i = block[i];
  }
  return i;
}

static void join(const struct system *system, uint32_t *block, uint32_t i, uint32_t j, expr entry) {
  if (!is_zero(system, entry)) block[root_of(block, i)] = root_of(block, j);
}

static void find_blocks(const struct system *system, const expr *mass, bool with_constraints,
                        uint32_t *block) {
  uint32_t n = system->n, m = with_constraints ? system->m : 0;
  struct motion_form form = motion_form_of(system);
  for (uint32_t i = 0; i < n + m; i++) block[i] = i;
  for (uint32_t j = 0; j < n; j++) {
    for (uint32_t i = 0; i < n; i++) join(system, block, i, j, mass[i + (size_t)j * n]);
    for (uint32_t k = 0; k < m; k++) {
      join(system, block, n + k, j, form.jacobian[k + (size_t)j * m]);
      join(system, block, n + k, j, form.multiplier_force[j + (size_t)k * n]);
    }
  }
  for (uint32_t i = 0; i < n + m; i++) block[i] = root_of(block, i);
}

bool rows_may_differ(const struct system *system, const struct rows *rows, uint32_t row,
                     uint32_t column) {
  if (!is_zero(system, rows->direct[row + (size_t)column * rows->stride])) return true;
  for (int c = 0; c < 2; c++) {
    const struct chain *chain = &rows->chains[c];
    if (chain->response == NULL) continue;
    for (uint32_t l = chain->starts[row]; l < chain->starts[row + 1]; l++)
      if (chain->response
              ->may_differ[chain->links.items[l].unknown + (size_t)column * chain->response->size])
        return true;
  }
  return false;
}

void response_find(const struct system *system, const struct rows *rows, const expr *mass,
                   bool with_constraints, struct response *response) {
  uint32_t size = rows->count, columns = rows->columns;
  uint32_t *block = checked_calloc((size_t)size + 1, sizeof *block);
  bool *touched = checked_calloc((size_t)size + 1, sizeof *touched);
  find_blocks(system, mass, with_constraints, block);
  response->size = size;
  response->columns = columns;
  response->negated_from = system->n;
  response->may_differ = checked_calloc((size_t)size * columns + 1, sizeof *response->may_differ);
  response->solved = checked_calloc((size_t)columns + 1, sizeof *response->solved);
  for (uint32_t j = 0; j < columns; j++) {
    bool any = false;
    for (uint32_t i = 0; i < size; i++) touched[i] = false;
    for (uint32_t i = 0; i < size; i++)
      if (rows_may_differ(system, rows, i, j)) touched[block[i]] = any = true;
    for (uint32_t i = 0; i < size; i++)
      response->may_differ[i + (size_t)j * size] = touched[block[i]];
    if (any) response->solved[j] = ++response->solved_count;
  }
  size_t results = (size_t)size * response->solved_count;
  response->solution = checked_calloc(results + 1, sizeof *response->solution);
  free(block);
  free(touched);
}

void response_clear(struct response *response) {
  free(response->may_differ);
  free(response->solved);
  free(response->solution);
}

/* ---- chains */

void chain_clear(struct chain *chain) {
  free(chain->starts);
  vector_free(&chain->links);
}

void chain_from_matrix(const struct system *system, const expr *entries, size_t stride,
                       uint32_t count, const struct response *response, struct chain *chain) {
  chain->response = response;
  chain->starts = checked_calloc((size_t)count + 1, sizeof *chain->starts);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < system->n; k++) {
      expr entry = entries[i + k * stride];
      if (!is_zero(system, entry)) vector_push(&chain->links, ((struct link){k, entry}));
    }
    chain->starts[i + 1] = chain->links.count;
  }
}

/* ---- values */

static tape_value response_entry(const struct response *response, struct tape_builder *builder,
                                 uint32_t unknown, uint32_t column) {
  size_t place = unknown + (size_t)(response->solved[column] - 1) * response->size;
  tape_value entry = response->solution[place];
  return unknown < response->negated_from ? entry : builder_unary(builder, TAPE_NEGATE, entry);
}

tape_value rows_entry(const struct rows *rows, struct tape_builder *builder, uint32_t row,
                      uint32_t column) {
  tape_value sum = builder_lower(builder, rows->direct[row + (size_t)column * rows->stride]);
  for (int c = 0; c < 2; c++) {
    const struct chain *chain = &rows->chains[c];
    if (chain->response == NULL) continue;
    for (uint32_t l = chain->starts[row]; l < chain->starts[row + 1]; l++) {
      struct link link = chain->links.items[l];
      if (!chain->response->may_differ[link.unknown + (size_t)column * chain->response->size])
        continue;
      tape_value part = response_entry(chain->response, builder, link.unknown, column);
      if (!expr_is_integer_value(builder->graph, link.value, 1))
        part = builder_binary(builder, TAPE_MULTIPLY, builder_lower(builder, link.value), part);
      sum = builder_is_constant(builder, sum, 0) ? part
                                                 : builder_binary(builder, TAPE_ADD, sum, part);
    }
  }
  return sum;
}

void response_solve(const struct system *system, const struct rows *rows,
                    struct tape_builder *builder, uint32_t solver, struct response *response) {
  if (response->solved_count == 0) return;
  uint32_t side = right_side_begin(builder, solver, response->solved_count, false);
  for (uint32_t j = 0; j < response->columns; j++)
    for (uint32_t i = 0; response->solved[j] != 0 && i < response->size; i++)
      if (rows_may_differ(system, rows, i, j))
        right_side_entry(builder, side, i, response->solved[j] - 1,
                         builder_unary(builder, TAPE_NEGATE, rows_entry(rows, builder, i, j)));
  right_side_solve(builder, side, response->solution);
}
