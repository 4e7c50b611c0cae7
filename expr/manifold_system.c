/* The equations of a manifold and their derivatives as programs. */
#include "expr/manifold.h"
#include "expr/graph.h"

struct derivative {
  expr value;
  uint32_t equation, coordinate;
};

struct derivatives {
  VECTOR(struct derivative) found; /* coordinate by coordinate */
};

static void differentiate(struct derivatives *derivatives, struct expr_graph *graph,
                          const struct manifold_system *system, const expr *equations) {
  for (uint32_t j = 0; j < system->coordinate_count && !graph->full; j++) {
    struct expr_tangent *tangent = expr_tangent_new(graph);
    expr_tangent_seed(tangent, system->coordinates[j], ID_ONE);
    for (uint32_t i = 0; i < system->count; i++) {
      struct derivative derivative = {expr_tangent_of(tangent, equations[i]), i, j};
      if (derivative.value != ID_ZERO) vector_push(&derivatives->found, derivative);
    }
    expr_tangent_free(tangent);
  }
}

/* Orders the derivatives by equation into the roots from `roots` on. */
static void place_derivatives(struct manifold_system *system, const struct derivatives *derivatives,
                              expr *roots) {
  uint32_t *next = checked_calloc((size_t)system->count + 1, sizeof *next);
  for (uint32_t k = 0; k < derivatives->found.count; k++)
    system->row_start[derivatives->found.items[k].equation + 1]++;
  for (uint32_t i = 0; i < system->count; i++) {
    next[i] = system->row_start[i];
    system->row_start[i + 1] += next[i];
  }
  for (uint32_t k = 0; k < derivatives->found.count; k++) {
    struct derivative derivative = derivatives->found.items[k];
    uint32_t at = next[derivative.equation]++;
    roots[at] = derivative.value;
    system->columns[at] = derivative.coordinate;
  }
  free(next);
}

static uint32_t *map_symbols(const struct manifold_system *system, const struct program *program) {
  uint32_t *map = checked_malloc(((size_t)program->symbol_count + 1) * sizeof *map);
  for (uint32_t i = 0; i < program->symbol_count; i++) {
    uint32_t low = 0, high = system->coordinate_count;
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (system->coordinates[middle] <= program->symbols[i])
        low = middle;
      else
        high = middle;
    }
    map[i] = low;
  }
  return map;
}

/* Derivatives hold no symbols that the equations do not. */
static void list_coordinates(struct manifold_system *system, struct expr_graph *graph,
                             const expr *equations, const expr *entries, size_t entry_count) {
  expr *roots = checked_malloc((system->count + entry_count + 1) * sizeof *roots);
  struct expr_list symbols = {0};
  for (uint32_t i = 0; i < system->count; i++) roots[i] = equations[i];
  for (size_t i = 0; i < entry_count; i++) roots[system->count + i] = entries[i];
  expr_symbols_of(graph, roots, system->count + entry_count, &symbols);
  system->coordinates = symbols.items;
  system->coordinate_count = symbols.count;
  free(roots);
}

bool manifold_system_make(struct manifold_system *system, struct expr_graph *graph,
                          const struct expr_manifold *manifold, const uint32_t *in_use,
                          uint32_t count, const expr *entries, size_t entry_count) {
  *system = (struct manifold_system){.manifold = manifold, .count = count, .in_use = in_use};
  struct derivatives derivatives = {0};
  expr *equations = checked_malloc(((size_t)count + 1) * sizeof *equations);
  for (uint32_t i = 0; i < count; i++) equations[i] = manifold->equations[in_use[i]];
  list_coordinates(system, graph, equations, entries, entry_count);
  differentiate(&derivatives, graph, system, equations);
  uint32_t derivative_count = derivatives.found.count;
  expr *roots = checked_malloc(((size_t)count + derivative_count + 1) * sizeof *roots);
  for (uint32_t i = 0; i < count; i++) roots[i] = equations[i];
  system->row_start = checked_calloc((size_t)count + 2, sizeof *system->row_start);
  system->columns = checked_malloc(((size_t)derivative_count + 1) * sizeof *system->columns);
  place_derivatives(system, &derivatives, roots + count);
  program_make(&system->equations, graph, roots, count);
  program_make(&system->derivatives, graph, roots + count, derivative_count);
  program_make(&system->all, graph, roots, (size_t)count + derivative_count);
  program_make(&system->matrix, graph, entries, entry_count);
  system->equations_map = map_symbols(system, &system->equations);
  system->derivatives_map = map_symbols(system, &system->derivatives);
  system->all_map = map_symbols(system, &system->all);
  system->matrix_map = map_symbols(system, &system->matrix);
  free(roots);
  free(equations);
  vector_free(&derivatives.found);
  return !graph->full;
}

void manifold_system_clear(struct manifold_system *system) {
  program_clear(&system->equations);
  program_clear(&system->derivatives);
  program_clear(&system->all);
  program_clear(&system->matrix);
  free(system->equations_map);
  free(system->derivatives_map);
  free(system->all_map);
  free(system->matrix_map);
  free(system->coordinates);
  free(system->row_start);
  free(system->columns);
}
