/* The start function where speeds have stated start values: velocities are changed as little as
 * possible, by the kinetic energy of the change d, so that the speeds Y q' + b have them,
 *
 *     [ M  Yᵀ ] [  d ]   [        0         ]
 *     [ Y  0  ] [ -μ ] = [ stated - u(q, q') ],
 *
 * with M and Y at the start positions. Stated velocities stay; a coordinate without inertia of its
 * own counts as one of unit mass. Where all this contradicts itself, the velocities are a guess
 * like others, which assembly and a run go on from. */
#include "codegen/program_build.h"

struct start {
  struct tape_builder builder;
  const struct program *program;
  const struct system *system;
  const struct model *model;
  uint32_t n, s;
  uint32_t *speed;   /* s: those with a start value */
  expr *coefficient; /* s*n, row by row */
};

static bool is_zero(const struct start *start, expr e) {
  return expr_is_integer_value(start->system->graph, e, 0);
}

static void bind_start(struct start *start) {
  const struct model *model = start->model;
  struct tape_builder *b = &start->builder;
  builder_init(b, start->system->graph);
  builder_bind(b, model->time, builder_input(b, TAPE_ARRAY_TIME, 0));
  for (uint32_t i = 0; i < model->inputs.count; i++)
    builder_bind(b, model->inputs.items[i].symbol, builder_input(b, TAPE_ARRAY_U, i));
  for (uint32_t i = 0; i < model->parameters.count; i++)
    builder_bind(b, model->parameters.items[i].symbol, builder_input(b, TAPE_ARRAY_P, i));
}

/* Everything that is lowered, for the plan of angles. */
static void plan(struct start *start) {
  const struct model *model = start->model;
  struct expr_list roots = {0};
  size_t entries = (size_t)start->n * start->n;
  for (uint32_t i = 0; i < start->n; i++) {
    vector_push(&roots, model->coordinates.items[i].start_position);
    vector_push(&roots, model->coordinates.items[i].start_velocity);
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    vector_push(&roots, model->states.items[i].start);
  for (size_t i = 0; i < entries; i++) vector_push(&roots, start->system->mass[i]);
  for (size_t i = 0; i < (size_t)start->s * start->n; i++)
    vector_push(&roots, start->coefficient[i]);
  for (uint32_t k = 0; k < start->s; k++) {
    vector_push(&roots, model->speeds.items[start->speed[k]].value);
    vector_push(&roots, model->speeds.items[start->speed[k]].start);
  }
  builder_plan_angles(&start->builder, roots.items, roots.count);
  vector_free(&roots);
}

static void bind_values(struct start *start) {
  const struct model *model = start->model;
  struct tape_builder *b = &start->builder;
  for (uint32_t i = 0; i < start->n; i++) {
    const struct model_coordinate *q = &model->coordinates.items[i];
    builder_bind(b, q->position, builder_lower(b, q->start_position));
    builder_bind(b, q->velocity, builder_lower(b, q->start_velocity));
  }
  for (uint32_t i = 0; i < model->states.count; i++)
    builder_bind(b, model->states.items[i].value, builder_lower(b, model->states.items[i].start));
}

/* The entry (i, j), i >= j, as a value; false where it is 0. */
static bool entry_of(struct start *start, uint32_t i, uint32_t j, tape_value *value) {
  const struct model *model = start->model;
  struct tape_builder *b = &start->builder;
  uint32_t n = start->n;
  expr entry = 0;
  if (i >= n && j >= n) return false;
  bool is_fixed = model->coordinates.items[j].velocity_given ||
                  (i < n && model->coordinates.items[i].velocity_given);
  if (i < n) entry = start->system->mass[i + (size_t)j * n];
  if (i >= n) entry = start->coefficient[(size_t)(i - n) * n + j];
  if (i == j && (is_fixed || is_zero(start, entry))) {
    if (value) *value = builder_constant(b, 1);
    return true;
  }
  if (is_fixed || is_zero(start, entry)) return false;
  if (value) *value = builder_lower(b, entry);
  return true;
}

/* d, and entries behind it. */
static void solve(struct start *start, tape_value *solution) {
  struct tape_builder *b = &start->builder;
  uint32_t size = start->n + start->s;
  bool *nonzero = checked_calloc((size_t)size * size + 1, sizeof *nonzero);
  for (uint32_t j = 0; j < size; j++)
    for (uint32_t i = j; i < size; i++)
      nonzero[i + (size_t)j * size] = nonzero[j + (size_t)i * size] = entry_of(start, i, j, NULL);
  struct solver_shape shape = {.n = size,
                               .coordinates = start->n,
                               .rank = size,
                               .is_symmetric = true,
                               .nonzero = nonzero,
                               .eliminates = true, /* bears rows without entries */
                               .columns = 1};
  uint32_t solver = solver_begin(b, &shape);
  for (uint32_t j = 0; j < size; j++)
    for (uint32_t i = j; i < size; i++) {
      tape_value value;
      if (entry_of(start, i, j, &value)) solver_entry(b, solver, i, j, value);
    }
  free(nonzero);
  solver_factor(b, solver);
  uint32_t side = right_side_begin(b, solver, 1, false);
  for (uint32_t k = 0; k < start->s; k++) {
    const struct model_speed *speed = &start->model->speeds.items[start->speed[k]];
    tape_value gap = builder_binary(b, TAPE_SUBTRACT, builder_lower(b, speed->start),
                                    builder_lower(b, speed->value));
    right_side_entry(b, side, start->n + k, 0, gap);
  }
  right_side_solve(b, side, solution);
}

static void find_speeds(struct start *start) {
  const struct model *model = start->model;
  uint32_t n = start->n;
  expr *velocity = checked_calloc((size_t)n + 1, sizeof(expr)), rest;
  start->speed = checked_calloc((size_t)model->speeds.count + 1, sizeof *start->speed);
  start->coefficient = checked_calloc((size_t)model->speeds.count * n + 1, sizeof(expr));
  for (uint32_t j = 0; j < n; j++) velocity[j] = model->coordinates.items[j].velocity;
  for (uint32_t k = 0; k < model->speeds.count; k++) {
    if (model->speeds.items[k].start == 0) continue;
    expr *row = start->coefficient + (size_t)start->s * n;
    if (!expr_linear_parts(start->system->graph, model->speeds.items[k].value, velocity, n, row,
                           &rest))
      bug("speed '%s' is not linear", model->speeds.items[k].id.name);
    start->speed[start->s++] = k;
  }
  free(velocity);
}

struct tape *program_start_with_speeds(const struct program *program) {
  struct start start = {.program = program,
                        .system = program->system,
                        .model = program->system->model,
                        .n = program->system->n};
  struct tape_builder *b = &start.builder;
  uint32_t n = start.n;
  system_derive_mass(program->system);
  find_speeds(&start);
  bind_start(&start);
  plan(&start);
  bind_values(&start);
  tape_value *solution = checked_calloc((size_t)n + start.s + 1, sizeof *solution);
  solve(&start, solution);
  for (uint32_t i = 0; i < n; i++) {
    const struct model_coordinate *q = &start.model->coordinates.items[i];
    tape_value velocity = builder_lower(b, q->velocity);
    builder_output(b, i, builder_lower(b, q->position));
    if (!q->velocity_given) velocity = builder_binary(b, TAPE_ADD, velocity, solution[i]);
    builder_output(b, n + i, velocity);
  }
  for (uint32_t i = 0; i < start.model->states.count; i++)
    builder_output(b, 2 * n + i, builder_lower(b, start.model->states.items[i].value));
  free(solution);
  free(start.speed);
  free(start.coefficient);
  return builder_finish(b);
}
