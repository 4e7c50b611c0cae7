/* Derivatives of the rates y' and of the outputs by the state, the inputs and the parameters, and
 * their patterns.
 *
 * All rows are functions F over the symbols s to differentiate by, over the unknowns w of the
 * equations of motion (q'' or the rates of speeds, and λ) and, with momenta, over q'.
 * Differentiating the equations of motion r(s, w) = 0 at the solved w gives
 *
 *     K dw/ds = -dr/ds,       dF/ds = F_s + F_w dw/ds
 *
 * with the matrix K of program_state.c, which is factorised once for w and all columns. Momenta
 * give the velocities by M q' + b - p = 0 in the same way, first; then every partial derivative by
 * s gains the part that comes through q'. K^-1 fills the connected blocks of K: a column has
 * entries in the blocks that dr/ds touches. (The implicit function theorem; Hairer, Nørsett,
 * Wanner, Solving Ordinary Differential Equations I, section I.14, for derivatives by parameters.)
 *
 * Where constraints are redundant, w is differentiated as before, in the directions that keep the
 * constraints; the least multipliers are differentiated with the null space held fixed. */
#include "codegen/response.h"

struct derivative {
  const struct program *program;
  const struct system *system;
  uint32_t n, size, columns;  /* coordinates; with multipliers; symbols */
  expr *symbols;              /* columns */
  struct expr_list functions; /* what is differentiated, then M q' + b - p of momenta */
  uint32_t count;             /* functions without those */
  struct system_partials by_symbol, by_velocity;
  struct response velocity, motion;
  struct rows momenta, equations, results;
  bool needs_motion; /* some function depends on w */
  bool is_too_long;  /* to be made: nothing more is there then */
};

static bool is_zero(const struct system *system, expr e) {
  return expr_is_integer_value(system->graph, e, 0);
}

/* ---- what is differentiated */

static void list_rates(struct derivative *d) {
  const struct system *system = d->system;
  const struct system_method_state *state = &system->state;
  const struct model_coordinate *q = system->model->coordinates.items;
  uint32_t n = system->n, m = system->m;
  expr *terms = checked_calloc((size_t)m + 1, sizeof(expr));
  for (uint32_t i = 0; i < n; i++) vector_push(&d->functions, q[i].velocity);
  for (uint32_t i = 0; i < n; i++) {
    expr rate = state->kind == VARIABLES_SPEEDS ? state->symbol_rate[i] : q[i].acceleration;
    if (state->kind == VARIABLES_MOMENTA) { /* rate + A^T λ */
      for (uint32_t k = 0; k < m; k++)
        terms[k] = expr_multiply(system->graph, system->constraint_jacobian[k + (size_t)i * m],
                                 system->model->constraints.items[k].multiplier);
      terms[m] = state->rate[i];
      rate = expr_sum(system->graph, terms, (size_t)m + 1);
    }
    vector_push(&d->functions, rate);
  }
  for (uint32_t k = 0; k < system->rates; k++) vector_push(&d->functions, system->rate[k]);
  free(terms);
}

static void list_functions(struct derivative *d, bool of_outputs) {
  const struct system *system = d->system;
  if (of_outputs)
    for (uint32_t k = 0; k < system->model->outputs.count; k++)
      vector_push(&d->functions, system->output[k]);
  else
    list_rates(d);
  d->count = d->functions.count;
  for (uint32_t i = 0; i < d->n && system->state.kind == VARIABLES_MOMENTA; i++)
    vector_push(&d->functions,
                expr_subtract(system->graph, system->state.value[i], system->state.symbol[i]));
}

static void list_symbols(struct derivative *d, enum derivative_argument by) {
  const struct model *model = d->system->model;
  d->columns = by == BY_STATE    ? 2 * d->n + d->system->rates
               : by == BY_INPUTS ? model->inputs.count
                                 : model->parameters.count;
  d->symbols = checked_calloc((size_t)d->columns + 1, sizeof(expr));
  if (by == BY_STATE) system_state_symbols(d->system, d->symbols);
  for (uint32_t i = 0; by != BY_STATE && i < d->columns; i++)
    d->symbols[i] =
        by == BY_INPUTS ? model->inputs.items[i].symbol : model->parameters.items[i].symbol;
}

struct unknowns {   /* of the equations of motion, as far as functions hold them */
  struct map place; /* symbol -> 1 + unknown */
  expr *symbols;    /* those to differentiate by */
  uint32_t *index;  /* their unknowns */
  uint32_t count;
};

static void find_unknowns(const struct derivative *d, struct unknowns *unknowns) {
  const struct system_method_state *state = &d->system->state;
  struct expr_list composite = {0}, found = {0};
  expr *all = checked_calloc((size_t)d->size + 1, sizeof(expr));
  unknowns->symbols = checked_calloc((size_t)d->size + 1, sizeof(expr));
  unknowns->index = checked_calloc((size_t)d->size + 1, sizeof(uint32_t));
  system_unknown_symbols(d->system, all);
  for (uint32_t k = 0; k < d->size; k++) map_set(&unknowns->place, all[k], k + 1);
  for (uint32_t i = 0; i < d->count; i++)
    if (map_get(&unknowns->place, d->functions.items[i]) == 0)
      vector_push(&composite, d->functions.items[i]);
  if (needs_motion(d->program, composite.items, composite.count)) {
    for (uint32_t j = 0; j < d->n && state->kind == VARIABLES_SPEEDS; j++)
      vector_push(&composite, state->acceleration[j]); /* q'' stands for these */
    expr_symbols_of(d->system->graph, composite.items, composite.count, &found);
  }
  for (uint32_t i = 0; i < found.count; i++) {
    uint32_t place = map_get(&unknowns->place, found.items[i]);
    if (place == 0) continue;
    unknowns->index[unknowns->count] = place - 1;
    unknowns->symbols[unknowns->count++] = found.items[i];
  }
  vector_free(&composite);
  vector_free(&found);
  free(all);
}

/* The functions by the unknowns. Functions that are an unknown themselves cost nothing. */
static void chain_from_motion(const struct derivative *d, struct chain *chain) {
  struct unknowns unknowns = {0};
  find_unknowns(d, &unknowns);
  struct system_partials partials = system_partials_by(d->system, unknowns.symbols, unknowns.count,
                                                       false, d->functions.items, d->count);
  chain->starts = checked_calloc((size_t)d->count + 1, sizeof *chain->starts);
  for (uint32_t i = 0; i < d->count; i++) {
    uint32_t itself = map_get(&unknowns.place, d->functions.items[i]);
    if (itself != 0)
      vector_push(&chain->links, ((struct link){itself - 1, expr_integer(d->system->graph, 1)}));
    for (uint32_t k = 0; itself == 0 && k < unknowns.count; k++) {
      expr entry = partials.function[i + (size_t)k * d->count];
      if (!is_zero(d->system, entry))
        vector_push(&chain->links, ((struct link){unknowns.index[k], entry}));
    }
    chain->starts[i + 1] = chain->links.count;
  }
  system_partials_clear(&partials);
  map_free(&unknowns.place);
  free(unknowns.symbols);
  free(unknowns.index);
}

/* ---- the derivation: partial derivatives, then what answers to what */

/* Derivatives through a mass matrix that is put off grow as the cube of n and more: 40 links of a
 * chain with angles between them take 2 s and 240 MB. Differences of right-hand sides, which cost
 * as much as there are bodies, take less. */
enum { MOST_LINKS = 40 };

/* The equations' own derivatives need the mass matrix; `owner` is whose system it is. */
static void derive_mass(struct derivative *d, struct system *owner, struct system *view) {
  d->is_too_long = d->program->by_recursion && d->n > MOST_LINKS && owner->recursion->mass.is_long;
  if (d->is_too_long) return;
  system_derive_mass(owner);
  view->mass = owner->mass;
}

static void derive(struct derivative *d, struct system *owner, struct system *view) {
  const struct system *system = d->system;
  bool has_momenta = system->state.kind == VARIABLES_MOMENTA;
  size_t all = d->functions.count;
  chain_from_motion(d, &d->results.chains[1]);
  d->needs_motion = d->results.chains[1].links.count > 0;
  if (d->needs_motion) derive_mass(d, owner, view);
  if (d->is_too_long) return;
  d->by_symbol =
      system_partials_by(system, d->symbols, d->columns, d->needs_motion, d->functions.items, all);
  d->results =
      (struct rows){d->count, d->columns, d->by_symbol.function, all, {{0}, d->results.chains[1]}};
  if (has_momenta) {
    expr *velocities = checked_calloc((size_t)d->n + 1, sizeof(expr));
    for (uint32_t j = 0; j < d->n; j++)
      velocities[j] = system->model->coordinates.items[j].velocity;
    d->by_velocity =
        system_partials_by(system, velocities, d->n, d->needs_motion, d->functions.items, all);
    free(velocities);
    d->momenta = (struct rows){d->n, d->columns, d->by_symbol.function + d->count, all, {{0}, {0}}};
    response_find(system, &d->momenta, system->state.mass, false, &d->velocity);
    chain_from_matrix(system, d->by_velocity.function, all, d->count, &d->velocity,
                      &d->results.chains[0]);
  }
  if (!d->needs_motion) return;
  d->equations = (struct rows){d->size, d->columns, d->by_symbol.residual, d->size, {{0}, {0}}};
  if (has_momenta)
    chain_from_matrix(system, d->by_velocity.residual, d->size, d->size, &d->velocity,
                      &d->equations.chains[0]);
  response_find(system, &d->equations, motion_form_of(system).mass, true, &d->motion);
  d->results.chains[1].response = &d->motion;
}

static void derivative_clear(struct derivative *d) {
  system_partials_clear(&d->by_symbol);
  system_partials_clear(&d->by_velocity);
  response_clear(&d->velocity);
  response_clear(&d->motion);
  for (int c = 0; c < 2; c++) {
    chain_clear(&d->equations.chains[c]);
    chain_clear(&d->results.chains[c]);
  }
  vector_free(&d->functions);
  free(d->symbols);
}

/* How many products the chains through q' take; they are unrolled. */
static uint64_t velocity_products(const struct derivative *d) {
  uint64_t links = d->results.chains[0].links.count + d->equations.chains[0].links.count;
  return links * d->velocity.solved_count;
}

/* Stores the entries column by column; their pattern. */
static dyn_pattern *store_entries(const struct derivative *d, struct tape_builder *builder,
                                  struct arena *arena) {
  uint32_t columns = d->columns;
  int32_t *starts = arena_array(arena, int32_t, columns + 1);
  VECTOR(int32_t) rows = {0};
  for (uint32_t j = 0; j < columns; j++) {
    starts[j] = (int32_t)rows.count;
    for (uint32_t i = 0; i < d->count; i++) {
      if (!rows_may_differ(d->system, &d->results, i, j)) continue;
      builder_output(builder, rows.count, rows_entry(&d->results, builder, i, j));
      vector_push(&rows, (int32_t)i);
    }
  }
  starts[columns] = (int32_t)rows.count;
  dyn_pattern *pattern = arena_array(arena, dyn_pattern, 1);
  *pattern = (dyn_pattern){(int32_t)d->count, (int32_t)columns, (int32_t)rows.count, starts,
                           arena_copy(arena, rows.items, rows.count * sizeof(int32_t))};
  vector_free(&rows);
  return pattern;
}

static void list_roots(const struct derivative *d, struct expr_list *roots) {
  const struct rows *all[3] = {&d->momenta, &d->equations, &d->results};
  for (int k = 0; k < 3; k++) {
    for (uint32_t j = 0; j < all[k]->columns; j++)
      for (uint32_t i = 0; i < all[k]->count; i++)
        vector_push(roots, all[k]->direct[i + j * all[k]->stride]);
    for (int c = 0; c < 2; c++)
      for (uint32_t l = 0; l < all[k]->chains[c].links.count; l++)
        vector_push(roots, all[k]->chains[c].links.items[l].value);
  }
  plan_velocities(d->program, roots);
}

static struct tape *lower(struct derivative *d, struct arena *arena, const dyn_pattern **pattern) {
  struct expr_list roots = {0};
  struct tape_builder builder;
  list_roots(d, &roots);
  bool needs_values = needs_motion(d->program, roots.items, roots.count);
  method_builder_init(&builder, d->program);
  if (needs_values || d->needs_motion)
    plan_with_motion(&builder, d->program, &roots);
  else
    builder_plan_angles(&builder, roots.items, roots.count);
  uint32_t momenta = lower_velocities(&builder, d->program, d->velocity.solved_count);
  response_solve(d->system, &d->momenta, &builder, momenta, &d->velocity);
  if (needs_values || d->motion.solved_count > 0) {
    bool wants = needs_multipliers(d->program, d->functions.items, d->functions.count);
    uint32_t sides = d->motion.solved_count + (needs_values ? 1 : 0);
    uint32_t solver = lower_motion_matrix(&builder, d->program, sides, wants);
    if (needs_values) lower_motion(&builder, d->program, solver, NULL);
    response_solve(d->system, &d->equations, &builder, solver, &d->motion);
  }
  *pattern = store_entries(d, &builder, arena);
  vector_free(&roots);
  return builder_finish(&builder);
}

enum { MOST_PRODUCTS = 1 << 18 }; /* through q', unrolled: some 50 coupled coordinates */

struct tape *program_build_derivative(struct program *program, bool of_outputs,
                                      enum derivative_argument by, const dyn_pattern **pattern) {
  struct program natural = *program; /* outputs are functions of the natural state */
  struct system system = *program->system;
  if (of_outputs) system.state = (struct system_method_state){0};
  natural.system = &system;
  struct derivative d = {.program = &natural, .system = &system, .n = system.n};
  d.size = system.n + system.m;
  list_symbols(&d, by);
  list_functions(&d, of_outputs);
  struct tape *tape = NULL;
  *pattern = NULL;
  if (d.columns > 0 && d.count > 0) {
    derive(&d, program->system, &system);
    if (!d.is_too_long && velocity_products(&d) <= MOST_PRODUCTS)
      tape = lower(&d, &program->arena, pattern);
  }
  derivative_clear(&d);
  return tape;
}
