/* Statements that are not declarations: energies, forces, rates, initial equations, start values.
 * Each job is lowered by itself; what is wrong with one does not hide what is wrong with others. */
#include "sema/analysis.h"

/* A label in a component is known with its instance. */
static const char *label_of(struct analysis *a, const struct job *job) {
  const struct ast_item *label = &job->statement->label;
  if (label->name == NULL) return "";
  if (label->lead == 0) return label->name;
  long *indices = arena_array(&a->context->arena, long, label->lead);
  for (uint32_t i = 0; i < label->lead; i++)
    if (!lower_expression_integer(a->l, job->environment,
                                  ast_list_item(job->environment.text->ast, label->indices, i),
                                  "an index", &indices[i]))
      return label->name;
  return lower_item_name(a->l, label, indices, label->lead);
}

static struct span span_of(const struct job *job, ast_expr e) {
  return ast_expression(job->environment.text->ast, e)->span;
}

/* ---------------------------------------------------------------- energies and forces */

/* Reports what depends on symbols that it can't depend on. */
bool check_statement_roles(struct analysis *a, const struct job *job, ast_expr e, expr value,
                           role_set refused, enum diagnostic_code code, const char *what) {
  expr symbol = find_other_role(a->l, value, ~refused);
  if (symbol == 0) return true;
  const char *name = expr_symbol_name(a->l->graph, symbol);
  if (what != NULL)
    lower_report(a->l, job->environment, code, span_of(job, e), what, name, NULL);
  else
    lower_report(a->l, job->environment, code, span_of(job, e), name, NULL, NULL);
  return false;
}

static void lower_energy(struct analysis *a, const struct job *job, enum energy_kind kind,
                         const char *what) {
  const struct ast_statement *statement = job->statement;
  expr value = lower_expression(a->l, job->environment, statement->value, what);
  if (value == 0) return;
  if (!check_statement_roles(a, job, statement->value, value, role_bit(ROLE_ACCELERATION),
                             DIAG_ENERGY_OF_ACCELERATIONS, what) ||
      !check_statement_roles(a, job, statement->value, value, role_bit(ROLE_MULTIPLIER),
                             DIAG_MULTIPLIER_NOT_ALLOWED, what))
    return;
  if (kind == ENERGY_POTENTIAL &&
      !check_statement_roles(a, job, statement->value, value, role_bit(ROLE_VELOCITY),
                             DIAG_POTENTIAL_OF_VELOCITIES, NULL))
    return;
  if (kind == ENERGY_DISSIPATION && !expr_is_integer_value(a->l->graph, value, 0) &&
      find_other_role(a->l, value, ~role_bit(ROLE_VELOCITY)) == 0) {
    lower_report(a->l, job->environment, DIAG_DISSIPATION_WITHOUT_VELOCITY,
                 span_of(job, statement->value), NULL, NULL, NULL);
    return;
  }
  struct model_energy energy = {kind, label_of(a, job), value, statement->span, 0};
  vector_push(&a->model->energies, energy);
}

/* A vector here is mostly a force at a point. */
static expr lower_generalized(struct analysis *a, const struct job *job, ast_expr e,
                              const char *what) {
  any_value v = lower_value(a->l, job->environment, e);
  if (value_is_scalar(v)) return v;
  struct diagnostic *d = lower_report(a->l, job->environment, DIAG_WRONG_KIND, span_of(job, e),
                                      what, "a number", lower_kind_words(a->l, v));
  lower_label_origin(a->l, d, job->environment, e);
  if (d == NULL) return 0;
  if (value_kind_of(v) == VALUE_FRAME || value_kind_of(v) == VALUE_BODY)
    diagnostic_help(a->context, d, "a torque acts on a frame or body: torque ... on ...");
  else
    diagnostic_help(a->context, d, "a force that is a vector acts at a point: force ... at P");
  return 0;
}

/* A speed itself: its definition is what it does with the velocities. */
static bool names_speed(const struct analysis *a, const struct job *job, ast_expr e) {
  const struct ast *ast = job->environment.text->ast;
  const struct ast_expression *n = ast_expression(ast, e);
  if (n->kind == AST_INDEX) n = ast_expression(ast, e = n->operand);
  if (n->kind != AST_NAME) return false;
  uint32_t id = scope_entry_of(job->environment.text, e);
  return id != 0 && scope_entry(a->scope, id)->kind == NAME_SPEED;
}

static void lower_force(struct analysis *a, const struct job *job) {
  const struct ast_statement *statement = job->statement;
  expr value = lower_generalized(a, job, statement->value, "a generalized force");
  expr target = lower_generalized(a, job, statement->target, "what a generalized force acts on");
  bool on_speed = names_speed(a, job, statement->target);
  if (target != 0 && !on_speed) {
    role_set allowed = role_bit(ROLE_POSITION) | role_bit(ROLE_TIME) | role_bit(ROLE_PARAMETER);
    expr other = find_other_role(a->l, target, allowed);
    const char *fault = NULL;
    if (other != 0)
      fault = lower_words(a->l, "this depends on the %s", role_words(a->l, other));
    else if (find_other_role(a->l, target, ~role_bit(ROLE_POSITION)) == 0)
      fault = "this depends on none";
    if (fault != NULL) {
      struct diagnostic *d = lower_report(a->l, job->environment, DIAG_BAD_FORCE_TARGET,
                                          span_of(job, statement->target), fault, NULL, NULL);
      const struct ast_expression *n =
          ast_expression(job->environment.text->ast, statement->target);
      if (d != NULL && n->kind == AST_PRIME)
        diagnostic_help(a->context, d,
                        "leave the ' away: a force acts on the coordinate, its power is force "
                        "times velocity");
      target = 0;
    }
  }
  if (value == 0 || target == 0) return;
  struct model_force force = {.label = label_of(a, job),
                              .value = value,
                              .target = target,
                              .target_is_speed = on_speed,
                              .span = statement->span,
                              .target_span = span_of(job, statement->target)};
  vector_push(&a->model->forces, force);
}

/* ---------------------------------------------------------------- rates */

static void lower_rate(struct analysis *a, const struct job *job) {
  const struct ast_statement *statement = job->statement;
  expr left = lower_expression(a->l, job->environment, statement->left, "the rate of a state");
  expr rate = lower_expression(a->l, job->environment, statement->right, "the rate of a state");
  struct span span = span_of(job, statement->left);
  if (left == 0) return;
  uint32_t role = map_get(&a->l->roles, left);
  if (role % ROLE_COUNT != ROLE_RATE) {
    const char *what =
        role != 0 ? lower_words(a->l, "this is the %s", role_words(a->l, left)) : "this is none";
    struct diagnostic *d =
        lower_report(a->l, job->environment, DIAG_RATE_OF_NO_STATE, span, what, NULL, NULL);
    if (d != NULL && role != 0) {
      diagnostic_label(a->context, d, a->l->elements.items[role / ROLE_COUNT].item->name_span,
                       "declared here");
    }
    return;
  }
  uint32_t state = a->l->elements.items[role / ROLE_COUNT].index;
  struct model_rate_state *z = &a->model->states.items[state];
  if (a->rate_spans[state].source != 0) {
    struct diagnostic *d =
        lower_report(a->l, job->environment, DIAG_SECOND_RATE, span, z->id.name, NULL, NULL);
    if (d != NULL) diagnostic_label(a->context, d, a->rate_spans[state], "the first one is here");
    return;
  }
  a->rate_spans[state] = statement->span;
  a->rates[state] = rate;
  z->rate_span = statement->span;
}

/* ---------------------------------------------------------------- start */

static const char *text_of(struct analysis *a, struct span span) {
  const struct source *source = source_get(&a->context->sources, span.source);
  return arena_string(&a->context->arena, source->text + span.begin, span.end - span.begin);
}

static void add_condition(struct analysis *a, const struct job *job,
                          const struct ast_equation *equation, expr residual) {
  expr acceleration = find_other_role(a->l, residual, ~role_bit(ROLE_ACCELERATION));
  expr multiplier = find_other_role(a->l, residual, ~role_bit(ROLE_MULTIPLIER));
  role_set variables = role_bit(ROLE_POSITION) | role_bit(ROLE_VELOCITY) | role_bit(ROLE_STATE) |
                       role_bit(ROLE_RATE);
  if (acceleration != 0) {
    lower_report(a->l, job->environment, DIAG_INITIAL_OF_ACCELERATION, equation->span,
                 expr_symbol_name(a->l->graph, acceleration), NULL, NULL);
  } else if (multiplier != 0) {
    lower_report(a->l, job->environment, DIAG_MULTIPLIER_NOT_ALLOWED, equation->span,
                 "an 'initial' equation", expr_symbol_name(a->l->graph, multiplier), NULL);
  } else if (expr_is_integer_value(a->l->graph, residual, 0)) {
    lower_report(a->l, job->environment, DIAG_INITIAL_ALWAYS_TRUE, equation->span, NULL, NULL,
                 NULL);
  } else if (find_other_role(a->l, residual, ~variables) == 0) {
    lower_report(a->l, job->environment, DIAG_INITIAL_NEVER_TRUE, equation->span, NULL, NULL, NULL);
  } else {
    struct model_condition condition = {
        .residual = residual, .text = text_of(a, equation->span), .span = equation->span};
    vector_push(&a->model->conditions, condition);
  }
}

/* Up to three conditions; components that hold always say nothing. */
static void add_conditions(struct analysis *a, const struct job *job,
                           const struct ast_equation *equation, vector_id difference) {
  expr components[3];
  bool is_empty = true;
  vector_components(lower_kinematics(a->l), difference, FRAME_WORLD, components);
  for (int i = 0; i < 3; i++) {
    if (lower_is_zero(a->l, components[i])) continue;
    is_empty = false;
    add_condition(a, job, equation, components[i]);
  }
  if (is_empty) add_condition(a, job, equation, components[0]);
}

static void lower_initial(struct analysis *a, const struct job *job,
                          const struct ast_equation *equation) {
  any_value left = lower_value(a->l, job->environment, equation->left);
  any_value right = lower_value(a->l, job->environment, equation->right);
  any_value difference =
      lower_difference(a->l, job->environment, equation->left, left, equation->right, right);
  if (difference == 0) return;
  if (value_is_scalar(difference))
    add_condition(a, job, equation, difference);
  else
    add_conditions(a, job, equation, value_id(difference));
}

/* What stands in place of z' decides: `initial z' = 0` is about positions, if the rate is. */
void classify_conditions(struct analysis *a) {
  for (uint32_t i = 0; i < a->model->conditions.count; i++) {
    struct model_condition *condition = &a->model->conditions.items[i];
    expr residual = condition->residual;
    expr acceleration = find_other_role(a->l, residual, ~role_bit(ROLE_ACCELERATION));
    if (acceleration != 0)
      diagnostic_add(a->context, DIAG_INITIAL_OF_ACCELERATION, condition->span,
                     expr_symbol_name(a->l->graph, acceleration), NULL);
    else if (expr_is_integer_value(a->l->graph, residual, 0))
      diagnostic_add(a->context, DIAG_INITIAL_ALWAYS_TRUE, condition->span, NULL);
    condition->at_velocity_level = find_other_role(a->l, residual, ~role_bit(ROLE_VELOCITY)) != 0;
  }
}

/* How many instances a value stands in. What is said from outside holds against what a component
 * says itself. */
static uint32_t depth_of(const struct analysis *a, const struct job *job, ast_expr e) {
  return source_depth(&a->context->sources, span_of(job, e).source);
}

/* The speed whose definition this is; NULL if there is none. */
static struct element *find_speed(struct analysis *a, const struct job *job, ast_expr e,
                                  expr value) {
  if (!names_speed(a, job, e)) return NULL;
  for (uint32_t id = 1; id < a->l->elements.count; id++) {
    struct element *element = &a->l->elements.items[id];
    if (element->kind == NAME_SPEED && element->result == value) return element;
  }
  return NULL;
}

static void report_second_start(struct analysis *a, const struct job *job, struct span span,
                                const struct given *first) {
  struct diagnostic *d =
      lower_report(a->l, job->environment, DIAG_SET_TWICE, span, text_of(a, span), NULL, NULL);
  if (d != NULL) diagnostic_label(a->context, d, first->span, "the first start value");
}

/* `start x = 1`: as if it stood in the declaration. What the command line says has precedence. */
static void take_start(struct analysis *a, const struct job *job,
                       const struct ast_equation *equation) {
  any_value left = lower_value(a->l, job->environment, equation->left);
  if (left == 0) return;
  uint32_t role = map_get(&a->l->roles, left), kind = role % ROLE_COUNT;
  struct span span = span_of(job, equation->left);
  struct element *speed = find_speed(a, job, equation->left, left);
  if (!speed && kind != ROLE_POSITION && kind != ROLE_VELOCITY && kind != ROLE_STATE) {
    lower_report(a->l, job->environment, DIAG_NOTHING_TO_SET, span, text_of(a, span), "'start'",
                 NULL);
    return;
  }
  struct element *element = speed ? speed : &a->l->elements.items[role / ROLE_COUNT];
  struct given *given = speed || kind == ROLE_VELOCITY ? &element->velocity : &element->value;
  if (given->value != 0 && given->environment.text != job->environment.text) return;
  uint32_t depth = depth_of(a, job, equation->right);
  if (given->value != 0 && depth_of(a, job, given->value) < depth) return;
  if (given->is_started && depth_of(a, job, given->value) == depth) {
    report_second_start(a, job, span, given);
    return;
  }
  *given = (struct given){equation->right, job->environment, 0, equation->span, true};
  if (scope_is_bare(a->scope, job->environment.text, equation->right)) {
    struct unit unit = dimension_of_name(a->l->dimensions, element->entry, kind == ROLE_VELOCITY);
    given->scale = lower_scale(a->l, &unit);
  }
}

/* ---------------------------------------------------------------- all */

static void lower_job(struct analysis *a, const struct job *job) {
  switch (job->statement->kind) {
  case AST_KINETIC:
    lower_energy(a, job, ENERGY_KINETIC, "a kinetic energy");
    break;
  case AST_POTENTIAL:
    lower_energy(a, job, ENERGY_POTENTIAL, "a potential");
    break;
  case AST_LAGRANGIAN:
    lower_energy(a, job, ENERGY_LAGRANGIAN, "a Lagrangian");
    break;
  case AST_DISSIPATION:
    lower_energy(a, job, ENERGY_DISSIPATION, "a dissipation function");
    break;
  case AST_FORCE_ON:
    lower_force(a, job);
    break;
  case AST_RATE:
    lower_rate(a, job);
    break;
  case AST_INITIAL:
    for (uint32_t i = 0; i < job->statement->equations.count; i++)
      lower_initial(a, job, &job->statement->equations.items[i]);
    break;
  case AST_SIMULATE:
    lower_simulate(a, job);
    break;
  case AST_WHEN:
    lower_when(a, job);
    break;
  case AST_EVERY:
    lower_every(a, job);
    break;
  case AST_RESET:
    lower_reset(a, job);
    break;
  case AST_STOP:
    lower_stop(a, job);
    break;
  case AST_FORCE_AT:
  case AST_TORQUE:
    lower_vector_force(a, job);
    break;
  case AST_PARTICLE:
  case AST_BODY:
    lower_body(a, job);
    break;
  default: /* constraints and frames are made; gravity acts on all bodies */
    break;
  }
}

static void take_name(struct analysis *a, const struct ast_statement *statement,
                      const struct ast_statement **named) {
  if (*named != NULL) {
    struct diagnostic *d = diagnostic_add(a->context, DIAG_SECOND_MODEL, statement->span, NULL);
    diagnostic_label(a->context, d, (*named)->span, "named here first");
    return;
  }
  *named = statement;
  if (statement->label.name != NULL) a->model->name = statement->label.name;
}

/* In their order, before values ask for multipliers. */
static void make_constraints(struct analysis *a) {
  for (uint32_t i = 0; i < a->jobs.count && !lower_is_exhausted(a->l); i++) {
    const struct job *job = &a->jobs.items[i];
    if (job->statement->kind == AST_CONSTRAINT) lower_element(a->l, job->element);
    if (job->statement->kind != AST_FRAME || job->statement->source == 0) continue;
    any_value frame = lower_element(a->l, job->element);
    if (frame != 0) lower_norm_of_frame(a->l, value_id(frame));
  }
}

void lower_statements(struct analysis *a) {
  const struct ast_statement *named = NULL;
  for (uint32_t i = 0; i < a->jobs.count; i++) {
    const struct job *job = &a->jobs.items[i];
    if (job->statement->kind == AST_MODEL) take_name(a, job->statement, &named);
    for (uint32_t k = 0; job->statement->kind == AST_START && k < job->statement->equations.count;
         k++)
      take_start(a, job, &job->statement->equations.items[k]);
  }
  make_constraints(a);
  declare_values(a);
  start_frames(a);
  for (uint32_t i = 0; i < a->jobs.count && !lower_is_exhausted(a->l); i++)
    lower_job(a, &a->jobs.items[i]);
  lower_gravities(a);
  name_geometry(a);
}
