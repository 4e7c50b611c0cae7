/* Random numeric states of a model. Needed before any code is generated: is a matrix singular, is
 * an expression certainly not zero. Nothing is claimed from these numbers besides "not zero" where
 * the value exceeds rounding by far; proofs of zero are the business of expr_is_zero. */
#include "derive/sample.h"
#include "base/bug.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>

static void add_symbol(struct sample *sample, expr symbol) {
  if (symbol && !map_get(&sample->index, symbol)) map_set(&sample->index, symbol, ++sample->count);
}

void sample_init(struct sample *sample, const struct model *model) {
  *sample = (struct sample){.model = model};
  add_symbol(sample, model->time);
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    add_symbol(sample, model->coordinates.items[i].position);
    add_symbol(sample, model->coordinates.items[i].velocity);
    add_symbol(sample, model->coordinates.items[i].acceleration);
  }
  for (uint32_t i = 0; i < model->constraints.count; i++)
    add_symbol(sample, model->constraints.items[i].multiplier);
  for (uint32_t i = 0; i < model->states.count; i++) {
    add_symbol(sample, model->states.items[i].value);
    add_symbol(sample, model->states.items[i].derivative);
  }
  for (uint32_t i = 0; i < model->parameters.count; i++)
    add_symbol(sample, model->parameters.items[i].symbol);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    add_symbol(sample, model->inputs.items[i].symbol);
  sample->values = checked_calloc(sample->count ? sample->count : 1, sizeof(double));
}

void sample_clear(struct sample *sample) {
  map_free(&sample->index);
  free(sample->values);
  *sample = (struct sample){0};
}

double sample_value(void *user, expr symbol) {
  struct sample *sample = user;
  uint32_t place = map_get(&sample->index, symbol);
  return place ? sample->values[place - 1] : 0;
}

void sample_set(struct sample *sample, expr symbol, double value) {
  uint32_t place = map_get(&sample->index, symbol);
  if (place) sample->values[place - 1] = value;
}

struct random {
  uint64_t state;
};

static double random_between(struct random *random, double low, double high) {
  random->state = hash_mix(random->state + 1);
  return low + (high - low) * (double)(random->state >> 11) * 0x1p-53;
}

static double evaluate(struct sample *sample, expr e) {
  double value;
  expr_evaluate(sample->model->graph, &e, 1, sample_value, sample, &value);
  return value;
}

typedef VECTOR(uint32_t) number_stack;

/* Pushes the parameters that parameter p is computed from and that have no value yet. */
static bool push_missing(struct sample *sample, const struct map *number, const uint8_t *done,
                         uint32_t p, number_stack *stack) {
  struct expr_list symbols = {0};
  expr value = sample->model->parameters.items[p].value;
  if (value && !expr_is_number(sample->model->graph, value))
    expr_symbols_of(sample->model->graph, &value, 1, &symbols);
  bool pushed = false;
  for (uint32_t i = 0; i < symbols.count; i++) {
    uint32_t other = map_get(number, symbols.items[i]);
    if (!other || done[other - 1]) continue;
    vector_push(stack, other - 1);
    pushed = true;
  }
  free(symbols.items);
  return pushed;
}

/* The model's own parameter values, each after those that it is computed from. */
static void set_parameters(struct sample *sample) {
  const struct model *model = sample->model;
  uint32_t count = model->parameters.count;
  struct map number = {0};
  number_stack stack = {0};
  uint8_t *done = checked_calloc((size_t)count + 1, 1);
  for (uint32_t i = 0; i < count; i++) map_set(&number, model->parameters.items[i].symbol, i + 1);
  for (uint32_t i = 0; i < count; i++) {
    vector_push(&stack, i);
    while (stack.count > 0) {
      uint32_t p = vector_last(&stack);
      const struct model_parameter *parameter = &model->parameters.items[p];
      if (!done[p] && push_missing(sample, &number, done, p, &stack)) continue;
      stack.count--;
      if (done[p]) continue;
      done[p] = 1;
      sample_set(sample, parameter->symbol,
                 parameter->value ? evaluate(sample, parameter->value) : 1);
    }
  }
  map_free(&number);
  vector_free(&stack);
  free(done);
}

void sample_draw(struct sample *sample, uint64_t seed, bool random_parameters) {
  const struct model *model = sample->model;
  struct random random = {hash_mix(seed)};
  if (random_parameters) {
    for (uint32_t i = 0; i < model->parameters.count; i++)
      sample_set(sample, model->parameters.items[i].symbol, random_between(&random, 0.5, 2));
  } else {
    set_parameters(sample);
  }
  sample_set(sample, model->time, random_between(&random, 0.1, 1));
  for (uint32_t i = 0; i < model->inputs.count; i++)
    sample_set(sample, model->inputs.items[i].symbol, random_between(&random, 0.3, 1));
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *coordinate = &model->coordinates.items[i];
    double start = coordinate->start_position ? evaluate(sample, coordinate->start_position) : 0;
    if (!isfinite(start)) start = 0;
    start *= random_between(&random, 0.9, 1.1);
    sample_set(sample, coordinate->position, start + random_between(&random, 0.1, 0.7));
    sample_set(sample, coordinate->velocity, random_between(&random, -0.4, 0.4));
    sample_set(sample, coordinate->acceleration, random_between(&random, -1, 1));
  }
  for (uint32_t i = 0; i < model->states.count; i++) {
    const struct model_rate_state *state = &model->states.items[i];
    double start = state->start ? evaluate(sample, state->start) : 0;
    if (!isfinite(start)) start = 0;
    sample_set(sample, state->value, start + random_between(&random, 0.1, 0.7));
  }
  for (uint32_t i = 0; i < model->constraints.count; i++)
    sample_set(sample, model->constraints.items[i].multiplier, random_between(&random, -1, 1));
}

void sample_start(struct sample *sample, double off) {
  const struct model *model = sample->model;
  struct random random = {hash_mix(0x57a7)};
  set_parameters(sample);
  sample_set(sample, model->time, model->run.from ? evaluate(sample, model->run.from) : 0);
  for (uint32_t i = 0; i < model->inputs.count; i++)
    sample_set(sample, model->inputs.items[i].symbol,
               model->inputs.items[i].value ? evaluate(sample, model->inputs.items[i].value) : 0);
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *coordinate = &model->coordinates.items[i];
    double start = coordinate->start_position ? evaluate(sample, coordinate->start_position) : 0;
    if (!isfinite(start)) start = 0;
    sample_set(sample, coordinate->position, start + off * random_between(&random, 0.5, 1));
    sample_set(sample, coordinate->velocity, 0);
    sample_set(sample, coordinate->acceleration, 0);
  }
  for (uint32_t i = 0; i < model->states.count; i++) {
    double start =
        model->states.items[i].start ? evaluate(sample, model->states.items[i].start) : 0;
    sample_set(sample, model->states.items[i].value, isfinite(start) ? start : 0);
  }
}

/* The sizes of the terms of a sum add up to the scale of its rounding. */
static double scale_of_sum(struct sample *sample, struct expr_graph *graph, expr e) {
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, e, &count);
  expr *nodes = checked_malloc(count * sizeof *nodes);
  double *values = checked_malloc(count * sizeof *values),
         *factors = checked_malloc(count * sizeof *factors);
  for (uint32_t i = 0; i < count; i++) {
    nodes[i] = operands[i].node;
    factors[i] = expr_pool_double(graph, operands[i].number);
  }
  double scale = fabs(mpq_get_d(expr_constant(graph, e)));
  expr_evaluate(graph, nodes, count, sample_value, sample, values);
  for (uint32_t i = 0; i < count; i++) scale += fabs(values[i] * factors[i]);
  free(nodes);
  free(values);
  free(factors);
  return scale;
}

/* A value far above its rounding. What is neither a sum nor a leaf may hide a cancellation at any
 * depth, so there only values of ordinary size count. */
static bool is_clear(struct sample *sample, struct expr_graph *graph, expr e) {
  double value = evaluate(sample, e);
  if (!isfinite(value) || value == 0) return false;
  enum expr_operator operator_ = expr_operator_of(graph, e);
  if (operator_ == EXPR_SYMBOL || operator_ == EXPR_NUMBER) return true;
  if (operator_ == EXPR_SUM) return fabs(value) > 1e-6 * scale_of_sum(sample, graph, e);
  return fabs(value) > 1e-6;
}

/* A product is as clear as its factors. */
static bool is_clear_product(struct sample *sample, struct expr_graph *graph, expr e) {
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, e, &count);
  expr *nodes = checked_malloc(count * sizeof *nodes);
  for (uint32_t i = 0; i < count; i++) nodes[i] = operands[i].node;
  bool clear = isfinite(evaluate(sample, e));
  for (uint32_t i = 0; i < count && clear; i++) clear = is_clear(sample, graph, nodes[i]);
  free(nodes);
  return clear;
}

bool sample_is_clearly_nonzero(struct sample *sample, struct expr_graph *graph, expr e) {
  for (uint64_t attempt = 0; attempt < 4; attempt++) {
    sample_draw(sample, 0x5eed + attempt, attempt >= 2);
    if (expr_operator_of(graph, e) == EXPR_PRODUCT ? is_clear_product(sample, graph, e)
                                                   : is_clear(sample, graph, e))
      return true;
  }
  return false;
}
