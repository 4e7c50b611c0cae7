/* Elements: one for everything that is declared, scalars with their symbols and their place in the
 * model; and later their values. */
#include "sema/analysis.h"
#include <string.h>

/* ---------------------------------------------------------------- units */

expr declare_scale(struct analysis *a, struct environment environment, uint32_t entry,
                   const struct ast_item *item) {
  if (item->value == 0 || !scope_is_bare(a->scope, environment.text, item->value)) return 0;
  if (a->l->dimensions == NULL)
    return item->unit != NULL ? lower_scale(a->l, lower_unit(a->l, item->unit)) : 0;
  struct unit unit = dimension_of_item(a->l->dimensions, entry, item);
  return unit_is_coherent(&unit) ? 0 : lower_scale(a->l, &unit);
}

static struct model_unit unit_of_item(struct analysis *a, uint32_t entry,
                                      const struct ast_item *item) {
  struct unit unit = dimension_of_item(a->l->dimensions, entry, item);
  return dimension_model_unit(a->l->graph, &unit);
}

/* ---------------------------------------------------------------- symbols */

static expr new_symbol(struct analysis *a, const char *name, unsigned primes, enum symbol_role role,
                       uint32_t element, enum expr_rank rank) {
  expr symbol =
      expr_symbol(a->l->graph, lower_words(a->l, "%s%.*s", name, (int)primes, "''"), NULL);
  if (expr_graph_is_full(a->l->graph)) return symbol;
  expr_symbol_set_rank(a->l->graph, symbol, rank);
  map_set(&a->l->roles, symbol, role + ROLE_COUNT * element);
  return symbol;
}

static struct model_name model_name_of(struct analysis *a, const struct element *element) {
  return (struct model_name){.name = element->name,
                             .span = element->item->name_span,
                             .doc = element->item->doc != NULL ? element->item->doc : "",
                             .unit = unit_of_item(a, element->entry, element->item)};
}

static void add_coordinate(struct analysis *a, struct element *e, uint32_t id) {
  struct model_coordinate q = {.id = model_name_of(a, e)};
  q.position = new_symbol(a, e->name, 0, ROLE_POSITION, id, EXPR_RANK_COORDINATE);
  q.velocity = new_symbol(a, e->name, 1, ROLE_VELOCITY, id, EXPR_RANK_VELOCITY);
  q.acceleration = new_symbol(a, e->name, 2, ROLE_ACCELERATION, id, EXPR_RANK_ACCELERATION);
  e->symbol = q.position;
  e->index = a->model->coordinates.count;
  vector_push(&a->model->coordinates, q);
}

static void add_state(struct analysis *a, struct element *e, uint32_t id) {
  struct model_rate_state z = {.id = model_name_of(a, e)};
  z.value = new_symbol(a, e->name, 0, ROLE_STATE, id, EXPR_RANK_COORDINATE);
  z.derivative = new_symbol(a, e->name, 1, ROLE_RATE, id, EXPR_RANK_VELOCITY);
  e->symbol = z.value;
  e->index = a->model->states.count;
  vector_push(&a->model->states, z);
}

static void add_to_model(struct analysis *a, struct element *e, uint32_t id) {
  switch (e->kind) {
  case NAME_PARAM: {
    struct model_parameter p = {.id = model_name_of(a, e)};
    e->symbol = p.symbol = new_symbol(a, e->name, 0, ROLE_PARAMETER, id, EXPR_RANK_PARAMETER);
    e->index = a->model->parameters.count;
    vector_push(&a->model->parameters, p);
    break;
  }
  case NAME_INPUT: {
    struct model_input u = {.id = model_name_of(a, e)};
    e->symbol = u.symbol = new_symbol(a, e->name, 0, ROLE_INPUT, id, EXPR_RANK_PARAMETER);
    e->index = a->model->inputs.count;
    vector_push(&a->model->inputs, u);
    break;
  }
  case NAME_COORD:
    add_coordinate(a, e, id);
    break;
  case NAME_STATE:
    add_state(a, e, id);
    break;
  default: /* constraints come later: lower_equation.c */
    break;
  }
}

/* ---------------------------------------------------------------- values from outside */

/* A speed's own value is its definition; what is given is where it starts. */
static void override_speed(struct analysis *a, struct element *e) {
  const struct assignment *set = overrides_find(a, OVERRIDE_START, e->name, 0);
  if (set == NULL) return;
  expr scale = 0;
  if (scope_is_bare(a->scope, set->text, set->right)) {
    struct unit unit = dimension_of_name(a->l->dimensions, e->entry, 0);
    scale = lower_scale(a->l, &unit);
  }
  e->velocity = overrides_given(a, set, scale);
}

static void override(struct analysis *a, struct element *e) {
  enum override_option first = OVERRIDE_COUNT, second = OVERRIDE_COUNT;
  if (e->kind == NAME_CONST || e->kind == NAME_PARAM) first = OVERRIDE_SET;
  if (e->kind == NAME_INPUT) first = OVERRIDE_SET, second = OVERRIDE_INPUT;
  if (e->kind == NAME_COORD || e->kind == NAME_STATE) first = OVERRIDE_START;
  const struct assignment *set = NULL;
  if (first != OVERRIDE_COUNT) set = overrides_find(a, first, e->name, 0);
  if (set == NULL && second != OVERRIDE_COUNT) set = overrides_find(a, second, e->name, 0);
  bool may_vary = first != OVERRIDE_COUNT && e->kind != NAME_CONST;
  if (set == NULL && may_vary) set = overrides_find(a, OVERRIDE_VARY, e->name, 0);
  if (set == NULL) return;
  expr scale = 0;
  if (scope_is_bare(a->scope, set->text, set->right)) {
    if (a->l->dimensions != NULL) {
      struct unit unit = dimension_of_item(a->l->dimensions, e->entry, e->item);
      scale = lower_scale(a->l, &unit);
    } else if (e->item->unit != NULL) {
      scale = lower_scale(a->l, lower_unit(a->l, e->item->unit));
    }
  }
  e->value = overrides_given(a, set, scale);
  e->is_varied = set->option == OVERRIDE_VARY;
  if (e->kind == NAME_PARAM) a->model->parameters.items[e->index].is_set = true;
  if (e->kind == NAME_INPUT) a->model->inputs.items[e->index].is_set = true;
}

static void override_velocity(struct analysis *a, struct element *e) {
  const struct assignment *set = overrides_find(a, OVERRIDE_START, e->name, 1);
  if (set == NULL) set = overrides_find(a, OVERRIDE_VARY, e->name, 1);
  if (set == NULL) return;
  expr scale = 0;
  if (scope_is_bare(a->scope, set->text, set->right)) {
    struct unit unit = dimension_of_name(a->l->dimensions, e->entry, 1);
    scale = lower_scale(a->l, &unit);
  }
  e->velocity = overrides_given(a, set, scale);
}

/* ---------------------------------------------------------------- declaring */

static void add_velocity(struct analysis *a, const struct ast_item *item, uint32_t entry,
                         const char *name, const long *indices, uint32_t count,
                         struct given value) {
  uint32_t id = lower_find_element(a->l, entry, indices, count);
  if (id == 0) {
    struct diagnostic *d =
        diagnostic_add(a->context, DIAG_VELOCITY_WITHOUT_COORDINATE, item->span, name, NULL);
    lower_label_loops(a->l, d, value.environment.bindings);
    return;
  }
  struct element *e = &a->l->elements.items[id];
  if (e->velocity.value != 0 && e->velocity.environment.text == value.environment.text) {
    struct diagnostic *d = diagnostic_add(a->context, DIAG_DECLARED_TWICE, item->span,
                                          lower_words(a->l, "%s'", name), NULL);
    diagnostic_label(a->context, d, e->velocity.span, "first given here");
  } else if (e->velocity.value == 0) {
    e->velocity = value;
  }
}

/* The same name in each pass of a loop: it wants an index. */
static void help_index(struct lowering *l, struct diagnostic *d, const struct binding *bindings,
                       const char *name) {
  for (; bindings != NULL; bindings = bindings->outer) {
    if (!bindings->is_loop) continue;
    diagnostic_help(l->context, d, "in a loop each has an index of its own: '%s[%s]'", name,
                    scope_entry(l->scope, bindings->entry)->name);
    return;
  }
}

void declare_element(struct analysis *a, const struct ast_item *item, uint32_t entry,
                     const long *indices, uint32_t count, struct given value) {
  struct lowering *l = a->l;
  const char *name = lower_item_name(l, item, indices, count);
  if (scope_entry(a->scope, entry)->rank != count) return; /* reported */
  if (item->primes > 0) {
    add_velocity(a, item, entry, name, indices, count, value);
    return;
  }
  uint32_t known = lower_find_element(l, entry, indices, count);
  if (known != 0) {
    struct diagnostic *d =
        lower_report(l, value.environment, DIAG_DECLARED_TWICE, item->span, name, NULL, NULL);
    if (d != NULL)
      diagnostic_label(a->context, d, l->elements.items[known].item->span, "first declared here");
    if (d != NULL && count == 0) help_index(l, d, value.environment.bindings, name);
    return;
  }
  struct element e = {.entry = entry,
                      .kind = scope_entry(a->scope, entry)->kind,
                      .name = intern_string(&a->context->names, name),
                      .item = item,
                      .value = value};
  uint32_t id = l->elements.count;
  add_to_model(a, &e, id);
  override(a, &e);
  if (e.kind == NAME_COORD) override_velocity(a, &e);
  if (e.kind == NAME_SPEED) override_speed(a, &e);
  vector_push(&l->elements, e);
  if (e.kind == NAME_CONST)
    a->constants++;
  else
    a->variables++;
  if (e.kind == NAME_CONSTRAINT) a->constraints++;
  lower_set_element(l, entry, indices, count, id);
}

/* ---------------------------------------------------------------- values */

static expr checked_value(struct analysis *a, const struct given *given, role_set allowed,
                          const char *what) {
  expr value = lower_given(a->l, given, what);
  if (value == 0) return 0;
  expr other = find_other_role(a->l, value, allowed);
  if (other == 0) return value;
  struct span span = ast_expression(given->environment.text->ast, given->value)->span;
  lower_report(a->l, given->environment, DIAG_WRONG_DEPENDENCE, span, what, role_words(a->l, other),
               NULL);
  return 0;
}

/* A parameter that takes many values has none that the model may be judged by: one of them could be
 * special, as equal lengths are. It gets a number in general position, a little beside the one that
 * is given, so that what is found out holds for all but special values. */
static void take_varied(struct analysis *a, const struct element *e, struct model_parameter *p) {
  struct expr_graph *graph = a->l->graph;
  if (!e->is_varied || p->value == 0) return;
  const long least = 1L << 20, whole = 1L << 31; /* parts that no two names share, most likely */
  long part = least + (long)(hash_bytes(e->name, strlen(e->name), 0) % (uint64_t)least);
  bool is_zero = expr_is_integer_value(graph, p->value, 0);
  expr size = is_zero ? p->id.unit.scale : p->value;
  expr change = expr_multiply(graph, expr_ratio(graph, is_zero ? part : -part, whole), size);
  p->varied = p->value;
  p->value = expr_add(graph, p->value, change); /* not larger: doubles end somewhere */
}

static void value_of_parameter(struct analysis *a, const struct element *e) {
  struct model_parameter *p = &a->model->parameters.items[e->index];
  if (e->value.value == 0) {
    struct diagnostic *d =
        diagnostic_add(a->context, DIAG_PARAMETER_WITHOUT_VALUE, e->item->span, e->name, NULL);
    diagnostic_help(a->context, d, "write '%s = ...', or give it with --set %s=...", e->name,
                    e->name);
    return;
  }
  p->value = checked_value(a, &e->value, role_bit(ROLE_PARAMETER),
                           lower_words(a->l, "the value of parameter %s", e->name));
  take_varied(a, e, p);
}

static void value_of_input(struct analysis *a, const struct element *e) {
  struct model_input *u = &a->model->inputs.items[e->index];
  u->value = e->value.value == 0
                 ? expr_integer(a->l->graph, 0)
                 : checked_value(a, &e->value, role_bit(ROLE_PARAMETER) | role_bit(ROLE_TIME),
                                 lower_words(a->l, "the value of input %s", e->name));
}

static expr start_value(struct analysis *a, const struct given *given, const char *name,
                        unsigned primes) {
  if (given->value == 0) return expr_integer(a->l->graph, 0);
  return checked_value(a, given,
                       role_bit(ROLE_PARAMETER) | role_bit(ROLE_TIME) | role_bit(ROLE_INPUT),
                       lower_words(a->l, "the start value of %s%s", name, primes > 0 ? "'" : ""));
}

static void value_of_coordinate(struct analysis *a, const struct element *e) {
  struct model_coordinate *q = &a->model->coordinates.items[e->index];
  q->start_position = start_value(a, &e->value, e->name, 0);
  q->start_velocity = start_value(a, &e->velocity, e->name, 1);
  q->position_given = e->value.value != 0;
  q->velocity_given = e->velocity.value != 0;
  q->start_position_span = e->value.value != 0 ? e->value.span : e->item->span;
  q->start_velocity_span = e->velocity.value != 0 ? e->velocity.span : e->item->span;
}

static void add_output(struct analysis *a, const struct element *e, const char *name, expr value) {
  struct model_output output = {.id = model_name_of(a, e)};
  output.id.name = name;
  output.value = expr_divide(a->l->graph, value, output.id.unit.scale);
  vector_push(&a->model->outputs, output);
}

/* Vectors and points are recorded by their components in world. */
static void add_components(struct analysis *a, const struct element *e, vector_id v) {
  expr components[3];
  vector_components(lower_kinematics(a->l), v, FRAME_WORLD, components);
  for (int i = 0; i < 3; i++)
    add_output(a, e, lower_words(a->l, "%s.%c", e->name, 'x' + i), components[i]);
}

static void report_no_output(struct analysis *a, const struct element *e, any_value value) {
  const struct environment environment = e->value.environment;
  struct diagnostic *d = lower_report(a->l, environment, DIAG_WRONG_KIND,
                                      ast_expression(environment.text->ast, e->value.value)->span,
                                      lower_words(a->l, "output '%s'", e->name),
                                      "a number, vector or point", lower_kind_words(a->l, value));
  lower_label_origin(a->l, d, environment, e->value.value);
}

static void value_of_output(struct analysis *a, const struct element *e, uint32_t id) {
  const struct name_entry *same = scope_find(a->scope, e->item->name);
  bool is_recorded = same != NULL && (same->kind == NAME_COORD || same->kind == NAME_STATE ||
                                      same->kind == NAME_SPEED);
  any_value value = lower_element(a->l, id);
  if (value == 0 || is_recorded) return; /* `output θ`: recorded anyway */
  if (value_is_scalar(value))
    add_output(a, e, e->name, value);
  else if (value_kind_of(value) == VALUE_VECTOR || value_kind_of(value) == VALUE_POINT)
    add_components(a, e, value_id(value));
  else
    report_no_output(a, e, value);
}

/* Speeds are recorded by every run, before the outputs. */
static void declare_speeds(struct analysis *a) {
  for (uint32_t id = 1; id < a->l->elements.count && !lower_is_exhausted(a->l); id++) {
    if (a->l->elements.items[id].kind != NAME_SPEED) continue;
    const struct element *e = &a->l->elements.items[id];
    expr start = e->velocity.value != 0 ? start_value(a, &e->velocity, e->name, 0) : 0;
    e = &a->l->elements.items[id];
    declare_speed(a, id, model_name_of(a, e), start);
  }
  for (uint32_t i = 0; i < a->model->speeds.count; i++) {
    const struct model_speed *speed = &a->model->speeds.items[i];
    struct model_output output = {.id = speed->id};
    output.id.unit.declared = speed->id.unit.si;
    output.id.unit.scale = expr_integer(a->l->graph, 1);
    output.value = speed->value;
    vector_push(&a->model->outputs, output);
  }
}

void declare_values(struct analysis *a) {
  declare_speeds(a);
  for (uint32_t id = 1; id < a->l->elements.count && !lower_is_exhausted(a->l); id++) {
    const struct element copy = a->l->elements.items[id], *e = &copy; /* elements may be added */
    switch (e->kind) {
    case NAME_PARAM:
      value_of_parameter(a, e);
      break;
    case NAME_INPUT:
      value_of_input(a, e);
      break;
    case NAME_COORD:
      value_of_coordinate(a, e);
      break;
    case NAME_STATE:
      a->model->states.items[e->index].start = start_value(a, &e->value, e->name, 0);
      break;
    case NAME_OUTPUT:
      value_of_output(a, e, id);
      break;
    case NAME_CONSTRAINT: /* made before */
      break;
    default:
      lower_element(a->l, id);
      break;
    }
  }
}
