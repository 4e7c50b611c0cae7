/* Recursions on the tape (derive/recursion.h): accelerations in as many instructions as there are
 * bodies, all of them ordinary arithmetic.
 *
 * The quadratic form 1/2 x H x - g x over all variables is that of Gauss's principle; its minimum
 * is the motion. Putting in x_v = sum_j c_j x_j adds to the entries of the x_j; an unknown takes
 * with it what a pivot takes, H_uw -= H_ua H_aw / H_aa. Then the accelerations follow in the
 * opposite order.
 *
 * A pivot H_aa is what is left of the unknown's entry of the mass matrix. It must stay above
 * rounding of that entry. The root of the entry is at most sum |c| r over the variables that the
 * unknown moves, with r^2 the masses on them (triangle inequality in the norm of T): these sums
 * are carried along. Where a pivot is lost the function says which; NaN is lost, too. */
#include "codegen/kernels.h"
#include "codegen/program_build.h"

struct elimination {
  struct tape_builder *builder;
  const struct recursion *recursion;
  struct map entries;      /* (u, v) with u <= v -> 1 + value of H */
  tape_value *force;       /* g */
  tape_value *reach;       /* r */
  tape_value *inverse;     /* of pivots */
  tape_value *factor;      /* beside recursion->neighbours of accelerations: H_ua / H_aa */
  tape_value *coefficient; /* of recursion->terms */
  tape_value *is_good;     /* of pivots: truth values */
};

static tape_value times(struct elimination *e, tape_value a, tape_value b) {
  bool is_zero = builder_is_constant(e->builder, a, 0) || builder_is_constant(e->builder, b, 0);
  if (is_zero) return builder_constant(e->builder, 0); /* an entry that is not there */
  return builder_binary(e->builder, TAPE_MULTIPLY, a, b);
}

static tape_value plus(struct elimination *e, tape_value a, tape_value b) {
  return builder_binary(e->builder, TAPE_ADD, a, b);
}

static uint64_t pair_of(uint32_t u, uint32_t v) {
  return u < v ? map_pair(u, v) : map_pair(v, u);
}

static tape_value entry(const struct elimination *e, uint32_t u, uint32_t v) {
  uint32_t found = map_get(&e->entries, pair_of(u, v));
  return found != 0 ? found - 1 : builder_constant(e->builder, 0);
}

static void add_entry(struct elimination *e, uint32_t u, uint32_t v, tape_value a) {
  if (builder_is_constant(e->builder, a, 0)) return;
  map_set(&e->entries, pair_of(u, v), plus(e, entry(e, u, v), a) + 1);
}

/* x_v = sum_j c_j x_j */
static void put_in(struct elimination *e, uint32_t v) {
  const struct recursion *r = e->recursion;
  const struct recursion_variable *variable = &r->variables.items[v];
  const struct recursion_term *terms = r->terms.items + variable->first;
  const tape_value *c = e->coefficient + variable->first;
  tape_value own = entry(e, v, v);
  for (uint32_t j = 0; j < variable->count; j++) {
    uint32_t x = terms[j].variable;
    tape_value moved = times(e, c[j], own);
    for (uint32_t k = 0; k <= j; k++) add_entry(e, x, terms[k].variable, times(e, moved, c[k]));
    for (uint32_t i = 0; i < variable->neighbours; i++) {
      uint32_t u = r->neighbours.items[variable->first_neighbour + i];
      tape_value part = times(e, c[j], entry(e, u, v));
      add_entry(e, u, x, u == x ? plus(e, part, part) : part);
    }
    e->force[x] = plus(e, e->force[x], times(e, c[j], e->force[v]));
    tape_value length = builder_unary(e->builder, TAPE_ABS, c[j]);
    e->reach[x] = plus(e, e->reach[x], times(e, length, e->reach[v]));
  }
}

static void check_pivot(struct elimination *e, uint32_t a, tape_value pivot) {
  struct tape_builder *b = e->builder;
  tape_value whole = times(e, e->reach[a], e->reach[a]);
  tape_value limit = times(e, builder_constant(b, KERNEL_PIVOT_TOLERANCE), whole);
  e->is_good[a] = builder_binary(b, TAPE_LESS, limit, pivot);
}

/* 0, or 1 + the coordinate whose pivot was lost first: those after it may be undefined. */
static tape_value first_lost(struct elimination *e) {
  const struct recursion *r = e->recursion;
  tape_value lost = builder_constant(e->builder, 0);
  for (uint32_t k = r->variables.count; k-- > 0;) {
    uint32_t v = r->order[k];
    if (!r->variables.items[v].is_unknown) continue;
    tape_value own = builder_constant(e->builder, 1 + (double)r->variables.items[v].coordinate);
    lost = builder_select(e->builder, e->is_good[v], lost, own);
  }
  return lost;
}

static void take_pivot(struct elimination *e, uint32_t a) {
  const struct recursion *r = e->recursion;
  const struct recursion_variable *variable = &r->variables.items[a];
  struct tape_builder *b = e->builder;
  const uint32_t *near = r->neighbours.items + variable->first_neighbour;
  tape_value *factor = e->factor + variable->first_neighbour;
  tape_value pivot = entry(e, a, a);
  check_pivot(e, a, pivot);
  e->inverse[a] = builder_binary(b, TAPE_DIVIDE, builder_constant(b, 1), pivot);
  for (uint32_t i = 0; i < variable->neighbours; i++) {
    factor[i] = times(e, entry(e, near[i], a), e->inverse[a]);
    for (uint32_t k = 0; k <= i; k++) {
      tape_value taken = times(e, factor[i], entry(e, near[k], a));
      tape_value left = builder_binary(b, TAPE_SUBTRACT, entry(e, near[i], near[k]), taken);
      map_set(&e->entries, pair_of(near[i], near[k]), left + 1);
    }
    tape_value part = times(e, factor[i], e->force[a]);
    e->force[near[i]] = builder_binary(b, TAPE_SUBTRACT, e->force[near[i]], part);
  }
}

/* ---- back, in the opposite order */

static tape_value solved(struct elimination *e, const tape_value *x, uint32_t a) {
  const struct recursion *r = e->recursion;
  const struct recursion_variable *variable = &r->variables.items[a];
  tape_value value = times(e, e->force[a], e->inverse[a]);
  for (uint32_t i = 0; i < variable->neighbours; i++) {
    uint32_t at = variable->first_neighbour + i;
    tape_value part = times(e, e->factor[at], x[r->neighbours.items[at]]);
    value = builder_binary(e->builder, TAPE_SUBTRACT, value, part);
  }
  return value;
}

static tape_value sum_of(struct elimination *e, const tape_value *x, uint32_t v) {
  const struct recursion *r = e->recursion;
  const struct recursion_variable *variable = &r->variables.items[v];
  tape_value sum = builder_constant(e->builder, 0);
  for (uint32_t j = 0; j < variable->count; j++) {
    uint32_t at = variable->first + j;
    sum = plus(e, sum, times(e, e->coefficient[at], x[r->terms.items[at].variable]));
  }
  return sum;
}

/* ---- all of it */

static void start(struct elimination *e) {
  const struct recursion *r = e->recursion;
  struct tape_builder *b = e->builder;
  tape_value zero = builder_constant(b, 0);
  uint32_t count = r->variables.count;
  e->force = checked_calloc(4 * (size_t)count + 1, sizeof *e->force);
  e->reach = e->force + count;
  e->inverse = e->reach + count;
  e->is_good = e->inverse + count;
  e->factor = checked_calloc((size_t)r->neighbours.count + 1, sizeof *e->factor);
  e->coefficient = checked_calloc((size_t)r->terms.count + 1, sizeof *e->coefficient);
  for (uint32_t i = 0; i < r->terms.count; i++)
    e->coefficient[i] = builder_lower(b, r->terms.items[i].coefficient);
  for (uint32_t v = 0; v < count; v++) {
    expr force = r->variables.items[v].force;
    e->force[v] = force == 0 ? zero : builder_lower(b, force);
    e->reach[v] = zero;
  }
  for (uint32_t i = 0; i < r->inertias.count; i++) {
    const struct recursion_inertia *inertia = &r->inertias.items[i];
    tape_value value = builder_lower(b, inertia->value);
    add_entry(e, inertia->a, inertia->b, value);
    if (inertia->a == inertia->b)
      e->reach[inertia->a] = builder_unary(b, TAPE_SQRT, builder_unary(b, TAPE_ABS, value));
  }
}

void lower_recursion(struct tape_builder *builder, const struct recursion *recursion,
                     tape_value *accelerations) {
  struct elimination e = {.builder = builder, .recursion = recursion};
  uint32_t count = recursion->variables.count;
  start(&e);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t v = recursion->order[k];
    if (recursion->variables.items[v].is_unknown)
      take_pivot(&e, v);
    else
      put_in(&e, v);
  }
  builder_effect(builder, TAPE_LEAVE, first_lost(&e), 0, 0);
  tape_value *x = checked_calloc((size_t)count + 1, sizeof *x);
  for (uint32_t k = count; k-- > 0;) {
    uint32_t v = recursion->order[k];
    x[v] = recursion->variables.items[v].is_unknown ? solved(&e, x, v) : sum_of(&e, x, v);
    if (v < recursion->n) accelerations[v] = x[v];
  }
  free(x);
  free(e.force);
  free(e.factor);
  free(e.coefficient);
  map_free(&e.entries);
}

void plan_recursion(const struct recursion *r, struct expr_list *roots) {
  for (uint32_t i = 0; i < r->terms.count; i++) vector_push(roots, r->terms.items[i].coefficient);
  for (uint32_t i = 0; i < r->inertias.count; i++) vector_push(roots, r->inertias.items[i].value);
  for (uint32_t v = 0; v < r->variables.count; v++)
    if (r->variables.items[v].force != 0) vector_push(roots, r->variables.items[v].force);
}

/* ---- the choice */

enum {
  MANY_COORDINATES = 24,        /* of more, the tape with the mass matrix would take long to make */
  INSTRUCTIONS_OF_WAITING = 50, /* a joint's quotient waits for that of the one before: measured */
  TRIED_STATES = 4
};

static bool mass_is_diagonal(const struct system *system) {
  uint32_t n = system->n;
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = 0; i < j; i++)
      if (!expr_is_integer_value(system->graph, system->mass[i + (size_t)j * n], 0)) return false;
  return true;
}

static struct tape *accelerations_by(const struct program *program, bool by_recursion) {
  struct program view = *program;
  view.by_recursion = by_recursion;
  return program_build_tape(&view, PROGRAM_FUNCTION_ACCELERATION);
}

/* What the processor does. */
static uint64_t length_of(const struct tape *tape) {
  struct tape_counts counts = tape_count(tape);
  return counts.instructions + (uint64_t)counts.kernel_operations;
}

static double *values_of(const dyn_variable *variables, int32_t count) {
  double *values = checked_calloc((size_t)count + 1, sizeof *values);
  for (int32_t i = 0; i < count; i++) values[i] = variables[i].value;
  return values;
}

/* A mass matrix that is regular but not positive definite (of a kinetic energy with a minus in it)
 * has no good pivots at any state, and one that is definite has them at nearly all. Tried: the
 * start, and states near it. */
static bool has_pivots(const struct program *program, const struct tape *tape) {
  const dyn_model *tables = &program->tables;
  double *p = values_of(tables->parameters, tables->n_parameters);
  double *u = values_of(tables->inputs, tables->n_inputs);
  double *x = checked_calloc((size_t)tables->n_state + 1, sizeof *x);
  double *work = checked_calloc((size_t)tape_interpreter_work(tape) + 1, sizeof *work);
  double *out = checked_calloc((size_t)tape->out_count + 1, sizeof *out);
  struct tape_arguments arguments = {.x = x, .u = u, .p = p, .work = work, .out = out};
  bool found = false;
  for (uint64_t k = 0; k < TRIED_STATES && !found; k++) {
    for (int32_t i = 0; i < tables->n_coordinates; i++) {
      uint64_t bits = hash_mix(k * (uint64_t)tables->n_coordinates + (uint64_t)i);
      double off = (double)(bits >> 11) * 0x1p-53 - 0.5;
      x[i] = tables->coordinates[i].value + (k == 0 ? 0 : off);
    }
    for (int32_t i = 0; i < tables->n_rates; i++)
      x[2 * tables->n_coordinates + i] = tables->rates[i].value;
    found = tape_run(tape, &arguments) == 0;
  }
  free(p);
  free(u);
  free(x);
  free(work);
  free(out);
  return found;
}

/* Operands below the matrix and the forces, which sums that begin alike and angles share, and the
 * factorisation: some two times the length of the tape. */
static uint64_t matrix_estimate(const struct system *system) {
  size_t n = system->n;
  uint64_t operations = n * n * n / 6;
  uint8_t *visited = checked_calloc((size_t)expr_graph_size(system->graph) + 1, 1);
  struct expr_list stack = {0};
  for (size_t i = 0; i < n * n; i++) vector_push(&stack, system->mass[i]);
  for (size_t i = 0; i < n; i++) vector_push(&stack, system->forcing[i]);
  while (stack.count > 0) {
    expr e = vector_pop(&stack);
    if (visited[e]) continue;
    visited[e] = 1;
    uint32_t count;
    const struct expr_operand *operands = expr_operands(system->graph, e, &count);
    operations += count;
    for (uint32_t k = 0; k < count; k++)
      if (!visited[operands[k].node]) vector_push(&stack, operands[k].node);
  }
  free(visited);
  vector_free(&stack);
  return operations / 2;
}

static uint64_t matrix_length(const struct program *program) {
  if (program->system->n >= MANY_COORDINATES) return matrix_estimate(program->system);
  struct tape *tape = accelerations_by(program, false);
  uint64_t length = length_of(tape);
  tape_free(tape);
  return length;
}

bool recursion_is_shorter(const struct program *program) {
  const struct system *system = program->system;
  bool is_put_off = system->mass == NULL; /* because it would be long */
  if (system->recursion == NULL || (!is_put_off && mass_is_diagonal(system))) return false;
  struct tape *recursion = accelerations_by(program, true);
  uint64_t length = length_of(recursion) + INSTRUCTIONS_OF_WAITING * (uint64_t)system->n;
  bool is_shorter =
      (is_put_off || length < matrix_length(program)) && has_pivots(program, recursion);
  tape_free(recursion);
  return is_shorter;
}
