/* Systems made by hand for the tests: a chain of pendulums in absolute angles with a motor, a
 * controller state, parameters that follow others, conditions and outputs; and free forms. */
#ifndef DYN_TESTS_CODEGEN_PLANT_H
#define DYN_TESTS_CODEGEN_PLANT_H
#include "support.h"
#include "base/context.h"
#include "codegen/backend.h"
#include "sema/model.h"
#include <dlfcn.h>
#include <unistd.h>

struct plant {
  dyn_context *context;
  struct model model;
  struct system system;
};

static inline struct model_unit plain_unit(const char *si) {
  return (struct model_unit){.si = si, .declared = si};
}

static inline expr plant_symbol(struct plant *plant, const char *format, unsigned i) {
  char name[64];
  snprintf(name, sizeof name, format, i + 1);
  return expr_symbol(plant->model.graph, name, NULL);
}

static inline void plant_init(struct plant *plant, uint32_t n, uint32_t rates) {
  *plant = (struct plant){.context = context_new()};
  struct model *model = &plant->model;
  model->name = "Chain";
  model->doc = "A chain of pendulums";
  model->graph = expr_graph_new(0);
  model->time = expr_symbol(model->graph, "t", NULL);
  for (uint32_t i = 0; i < n; i++) {
    struct model_coordinate coordinate = {
        .id = {.doc = i == 0 ? "angle from the vertical" : "", .unit = plain_unit("rad")},
        .position = plant_symbol(plant, "θ[%u]", i),
        .velocity = plant_symbol(plant, "θ[%u]'", i),
        .acceleration = plant_symbol(plant, "θ[%u]''", i),
        .start_position = expr_ratio(model->graph, (long)i + 1, 10),
        .start_velocity = expr_integer(model->graph, 0)};
    coordinate.id.name = expr_symbol_name(model->graph, coordinate.position);
    vector_push(&model->coordinates, coordinate);
  }
  for (uint32_t i = 0; i < rates; i++) {
    struct model_rate_state state = {.id = {.doc = "", .unit = plain_unit("1")},
                                     .value = plant_symbol(plant, "z[%u]", i),
                                     .start = expr_ratio(model->graph, 1, 4)};
    state.id.name = expr_symbol_name(model->graph, state.value);
    vector_push(&model->states, state);
  }
  struct system *system = &plant->system;
  *system = (struct system){.model = model,
                            .graph = model->graph,
                            .method = "lagrange",
                            .n = n,
                            .rates = rates,
                            .mass_is_symmetric = true};
  system->mass = checked_calloc((size_t)n * n + 1, sizeof(expr));
  system->forcing = checked_calloc((size_t)n + 1, sizeof(expr));
  system->rate = checked_calloc((size_t)rates + 1, sizeof(expr));
  system->nonconservative = checked_calloc((size_t)n + 1, sizeof(expr));
  for (uint32_t i = 0; i < n; i++) system->nonconservative[i] = expr_integer(model->graph, 0);
}

static inline expr plant_parameter(struct plant *plant, const char *name, expr value) {
  struct model_parameter parameter = {.id = {.name = name, .doc = "", .unit = plain_unit("kg")},
                                      .value = value};
  parameter.symbol = expr_symbol(plant->model.graph, name, NULL);
  vector_push(&plant->model.parameters, parameter);
  return parameter.symbol;
}

static inline void plant_output(struct plant *plant, const char *name, expr value) {
  struct model_output output = {.id = {.name = name, .doc = "", .unit = plain_unit("1")},
                                .value = value};
  vector_push(&plant->model.outputs, output);
  plant->system.output =
      checked_realloc(plant->system.output, plant->model.outputs.count * sizeof(expr));
  plant->system.output[plant->model.outputs.count - 1] = value;
}

static inline void chain_equations(struct plant *plant, expr inertia, expr weight) {
  struct expr_graph *graph = plant->model.graph;
  uint32_t n = plant->system.n;
  const struct model_coordinate *q = plant->model.coordinates.items;
  expr *terms = checked_calloc((size_t)n + 1, sizeof *terms);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      expr count = expr_integer(graph, (long)(n - (i > j ? i : j)));
      expr difference = expr_subtract(graph, q[i].position, q[j].position);
      expr scale = expr_multiply(graph, count, inertia);
      plant->system.mass[i + (size_t)j * n] =
          expr_multiply(graph, scale, expr_unary(graph, EXPR_COS, difference));
      expr square = expr_multiply(graph, q[j].velocity, q[j].velocity);
      terms[j] = expr_negate(graph, expr_multiply(graph, expr_multiply(graph, scale, square),
                                                  expr_unary(graph, EXPR_SIN, difference)));
    }
    expr load = expr_multiply(graph, expr_integer(graph, (long)(n - i)), weight);
    terms[n] =
        expr_negate(graph, expr_multiply(graph, load, expr_unary(graph, EXPR_SIN, q[i].position)));
    plant->system.forcing[i] = expr_sum(graph, terms, (size_t)n + 1);
  }
  free(terms);
}

/* The chain with everything a model can have. */
static inline void chain_init(struct plant *plant, uint32_t n) {
  plant_init(plant, n, 1);
  struct model *model = &plant->model;
  struct expr_graph *graph = model->graph;
  const struct model_coordinate *q = model->coordinates.items;
  /* inertia = m*l^2 is declared before l, which it needs. */
  expr mass = plant_parameter(plant, "m", expr_ratio(graph, 3, 2));
  expr inertia = plant_parameter(plant, "J", 0);
  expr length = plant_parameter(plant, "l", expr_ratio(graph, 1, 2));
  expr gravity = plant_parameter(plant, "g", expr_decimal(graph, "9.81"));
  expr square = expr_multiply(graph, length, length);
  model->parameters.items[1].value = expr_multiply(graph, mass, square);
  struct model_input motor = {.id = {.name = "τ", .doc = "motor", .unit = plain_unit("N*m")}};
  motor.symbol = expr_symbol(graph, "τ", NULL);
  motor.value = expr_multiply(graph, mass, model->time);
  vector_push(&model->inputs, motor);
  chain_equations(plant, inertia,
                  expr_multiply(graph, mass, expr_multiply(graph, gravity, length)));
  expr z = model->states.items[0].value;
  plant->system.forcing[0] =
      expr_add(graph, plant->system.forcing[0], expr_add(graph, motor.symbol, z));
  plant->system.rate[0] =
      expr_subtract(graph, expr_multiply(graph, expr_ratio(graph, 1, 3), q[n - 1].acceleration), z);
  plant->system.has_energy = true;
  plant->system.kinetic_energy =
      expr_multiply(graph, inertia, expr_multiply(graph, q[0].velocity, q[0].velocity));
  plant->system.potential_energy = expr_unary(graph, EXPR_COS, q[0].position);
  plant_output(plant, "a", expr_multiply(graph, length, q[0].acceleration));
  plant_output(plant, "b",
               expr_if(graph, expr_binary(graph, EXPR_LESS, z, q[0].position),
                       expr_unary(graph, EXPR_ABS, z), model->time));
  struct model_condition position = {.text = "θ[1] = z^2", .at_velocity_level = false};
  position.residual = expr_subtract(graph, q[0].position, expr_multiply(graph, z, z));
  vector_push(&model->conditions, position);
  struct model_condition velocity = {.text = "θ[1]'*θ[1] = 1", .at_velocity_level = true};
  velocity.residual = expr_subtract(graph, expr_multiply(graph, q[0].velocity, q[0].position),
                                    expr_integer(graph, 1));
  vector_push(&model->conditions, velocity);
}

static inline void plant_clear(struct plant *plant) {
  struct system *system = &plant->system;
  free(system->mass);
  free(system->forcing);
  free(system->rate);
  free(system->nonconservative);
  free(system->output);
  free(system->residual_by_state);
  free(system->rate_by_state);
  free(system->rate_by_acceleration);
  vector_free(&plant->model.coordinates);
  vector_free(&plant->model.states);
  vector_free(&plant->model.parameters);
  vector_free(&plant->model.inputs);
  vector_free(&plant->model.outputs);
  vector_free(&plant->model.conditions);
  expr_graph_free(plant->model.graph);
  context_free(plant->context);
}

/* Arguments for the functions of a model, at a random state. */
struct arguments {
  double t, *x, *u, *p, *work, *out;
};

static inline struct arguments arguments_new(const dyn_model *model, struct random_source *random) {
  struct arguments arguments = {.t = 0.7};
  size_t n = (size_t)model->n_coordinates, results = n * n + 64;
#define PROGRAM_PATTERN(NAME, member)                                                              \
  if (model->member != NULL) results += (size_t)model->member->n_entries;
#include "codegen/patterns.def"
#undef PROGRAM_PATTERN
  arguments.x = checked_calloc((size_t)model->n_state + 1, sizeof(double));
  arguments.u = checked_calloc((size_t)model->n_inputs + 1, sizeof(double));
  arguments.p = checked_calloc((size_t)model->n_parameters + 1, sizeof(double));
  arguments.work = checked_calloc((size_t)model->n_work + 1, sizeof(double));
  arguments.out = checked_calloc(results + 4 * (size_t)model->n_state, sizeof(double));
  for (int32_t i = 0; i < model->n_state; i++) arguments.x[i] = random_between(random, -2, 2);
  for (int32_t i = 0; i < model->n_inputs; i++) arguments.u[i] = random_between(random, -2, 2);
  for (int32_t i = 0; i < model->n_parameters; i++) arguments.p[i] = model->parameters[i].value;
  return arguments;
}

static inline void arguments_clear(struct arguments *arguments) {
  free(arguments->x);
  free(arguments->u);
  free(arguments->p);
  free(arguments->work);
  free(arguments->out);
}

static inline int call(const dyn_model *model, dyn_function *function,
                       const struct arguments *arguments) {
  return function(model, arguments->t, arguments->x, arguments->u, arguments->p, arguments->work,
                  arguments->out);
}

/* Libraries lie one folder above the test programs. */
static inline void path_above(char *path, size_t size, const char *name) {
  char own[1024];
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  assert_true(length > 0);
  own[length] = '\0';
  *strrchr(own, '/') = '\0';
  snprintf(path, size, "%.900s/../%s", own, name);
}

static inline const struct backend *open_backend(void) {
  char path[1100];
  path_above(path, sizeof path, "libdyn_backend.so");
  void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (module == NULL) fail_msg("%s", dlerror());
  dyn_backend_function *open;
  *(void **)&open = dlsym(module, "dyn_backend");
  assert_non_null(open);
  assert_int_equal(open()->version, BACKEND_VERSION);
  return open();
}
#endif
