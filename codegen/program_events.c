/* The functions of events: values and rates of the event functions, values of resets, and the
 * linear equations that resets of velocities and speeds are.
 *
 * The rate is the derivative by time along the motion, of functions that hold no accelerations,
 * multipliers and inputs: those have no rate that the state determines. */
#include "codegen/program_build.h"

static void seed_motion(const struct program *program, struct expr_tangent *along) {
  const struct model *model = program->system->model;
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *q = &model->coordinates.items[i];
    expr_tangent_seed(along, q->position, q->velocity);
    expr_tangent_seed(along, q->velocity, q->acceleration);
  }
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_tangent_seed(along, model->states.items[k].value, model->states.items[k].rate);
  expr_tangent_seed(along, model->time, expr_integer(program->system->graph, 1));
}

static bool has_rate(const struct program *program, expr value) {
  const struct model *model = program->system->model;
  struct expr_symbol_set *inputs = expr_symbol_set_new(program->system->graph);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    expr_symbol_set_add(inputs, model->inputs.items[i].symbol);
  bool depends = expr_symbol_set_touches(inputs, value) || needs_motion(program, &value, 1);
  expr_symbol_set_free(inputs);
  return !depends;
}

static void list_rates(const struct program *program, struct expr_list *roots) {
  const struct model *model = program->system->model;
  struct expr_tangent *along = expr_tangent_new(program->system->graph);
  seed_motion(program, along);
  for (uint32_t i = 0; i < model->events.count; i++) {
    expr value = model->events.items[i].value;
    bool is_relation = !model->events.items[i].is_periodic;
    vector_push(roots, is_relation && has_rate(program, value)
                           ? expr_tangent_of(along, value)
                           : expr_integer(program->system->graph, 0));
  }
  expr_tangent_free(along);
}

static bool is_of_velocities(const struct model_reset *reset) {
  return reset->kind == RESET_VELOCITY || reset->kind == RESET_SPEED;
}

/* What is reset, then its derivatives by q', row by row; 0 for positions and states. */
static void list_targets(const struct program *program, struct expr_list *roots) {
  const struct model *model = program->system->model;
  struct expr_graph *graph = program->system->graph;
  expr zero = expr_integer(graph, 0);
  for (uint32_t k = 0; k < model->resets.count; k++) {
    const struct model_reset *reset = &model->resets.items[k];
    vector_push(roots, is_of_velocities(reset) ? reset->target : zero);
  }
  for (uint32_t k = 0; k < model->resets.count; k++) {
    const struct model_reset *reset = &model->resets.items[k];
    for (uint32_t j = 0; j < model->coordinates.count; j++)
      vector_push(roots,
                  is_of_velocities(reset)
                      ? expr_derivative(graph, reset->target, model->coordinates.items[j].velocity)
                      : zero);
  }
}

void program_list_event_roots(const struct program *program, enum program_function function,
                              struct expr_list *roots) {
  const struct model *model = program->system->model;
  switch (function) {
  case PROGRAM_FUNCTION_EVENT_VALUES:
    for (uint32_t i = 0; i < model->events.count; i++)
      vector_push(roots, model->events.items[i].value);
    break;
  case PROGRAM_FUNCTION_EVENT_RATES:
    list_rates(program, roots);
    break;
  case PROGRAM_FUNCTION_RESET_VALUES:
    for (uint32_t k = 0; k < model->resets.count; k++)
      vector_push(roots, model->resets.items[k].value);
    break;
  default:
    list_targets(program, roots);
    break;
  }
}

void program_fill_events(struct program *program) {
  static const int32_t kinds[] = {[RESET_POSITION] = DYN_RESET_COORDINATE,
                                  [RESET_VELOCITY] = DYN_RESET_VELOCITY,
                                  [RESET_STATE] = DYN_RESET_STATE,
                                  [RESET_SPEED] = DYN_RESET_SPEED};
  const struct model *model = program->system->model;
  struct arena *arena = &program->arena;
  dyn_event *events = arena_array(arena, dyn_event, model->events.count);
  dyn_reset *resets = arena_array(arena, dyn_reset, model->resets.count);
  for (uint32_t i = 0; i < model->events.count; i++) {
    const struct model_event *event = &model->events.items[i];
    const char *stop = event->stop;
    uint32_t flags = (event->is_strict ? DYN_EVENT_STRICT : 0u) |
                     (event->is_periodic                ? DYN_EVENT_PERIODIC
                      : has_rate(program, event->value) ? DYN_EVENT_HAS_RATE
                                                        : 0u);
    events[i] = (dyn_event){program_keep(program, event->text),
                            stop == NULL ? NULL : program_keep(program, stop),
                            (int32_t)event->first_reset, (int32_t)event->reset_count, flags};
  }
  for (uint32_t k = 0; k < model->resets.count; k++) {
    const struct model_reset *reset = &model->resets.items[k];
    int32_t index = reset->kind == RESET_SPEED ? -1 : (int32_t)reset->index;
    resets[k] = (dyn_reset){program_keep(program, reset->name), kinds[reset->kind], index};
  }
  program->tables.n_events = (int32_t)model->events.count;
  program->tables.n_resets = (int32_t)model->resets.count;
  program->tables.events = events;
  program->tables.resets = resets;
}
