/* The model as text, for --dump=model and golden tests: one line for each thing, expressions in
 * the language's own syntax. */
#include "sema/model.h"

struct dump {
  const struct model *model;
  struct text *out;
  struct arena *arena; /* of names that are made up */
};

static void put_expr(struct dump *d, const char *before, expr e) {
  text_put(d->out, before);
  if (e == 0)
    text_put(d->out, "none");
  else
    expr_print_text(d->model->graph, d->out, e);
}

static void put_name(struct dump *d, const char *kind, const struct model_name *id) {
  text_format(d->out, "%s %s [%s]", kind, id->name, id->unit.si);
  if (!expr_is_integer_value(d->model->graph, id->unit.scale, 1)) {
    text_format(d->out, " declared [%s]", id->unit.declared);
    put_expr(d, " scale ", id->unit.scale);
  }
}

/* The documentation on lines of its own. */
static void end_name(struct dump *d, const struct model_name *id) {
  text_put(d->out, "\n");
  if (id->doc[0] == '\0') return;
  text_put(d->out, "  ## ");
  for (const char *c = id->doc; *c != '\0'; c++) {
    if (*c == '\n')
      text_put(d->out, "\n  ## ");
    else
      text_add(d->out, c, 1);
  }
  text_put(d->out, "\n");
}

static void dump_parameters(struct dump *d) {
  for (uint32_t i = 0; i < d->model->parameters.count; i++) {
    const struct model_parameter *p = &d->model->parameters.items[i];
    put_name(d, "parameter", &p->id);
    put_expr(d, " = ", p->value);
    if (p->is_set) text_put(d->out, " (set)");
    end_name(d, &p->id);
  }
  for (uint32_t i = 0; i < d->model->inputs.count; i++) {
    const struct model_input *u = &d->model->inputs.items[i];
    put_name(d, "input", &u->id);
    put_expr(d, " = ", u->value);
    if (u->is_set) text_put(d->out, " (set)");
    end_name(d, &u->id);
  }
}

static void dump_variables(struct dump *d) {
  for (uint32_t i = 0; i < d->model->coordinates.count; i++) {
    const struct model_coordinate *q = &d->model->coordinates.items[i];
    put_name(d, "coordinate", &q->id);
    if (q->position_given) put_expr(d, " = ", q->start_position);
    if (q->velocity_given) {
      text_format(d->out, ", %s'", q->id.name);
      put_expr(d, " = ", q->start_velocity);
    }
    end_name(d, &q->id);
  }
  for (uint32_t i = 0; i < d->model->states.count; i++) {
    const struct model_rate_state *z = &d->model->states.items[i];
    put_name(d, "state", &z->id);
    put_expr(d, " = ", z->start);
    text_format(d->out, ", %s'", z->id.name);
    put_expr(d, " = ", z->rate);
    end_name(d, &z->id);
  }
}

static const char *frame_name(void *user, frame_id frame) {
  const struct dump *d = user;
  return frame == FRAME_WORLD ? "world" : arena_format(d->arena, "frame%u", (unsigned)frame - 1);
}

static void put_vector(struct dump *d, const char *before, vector_id v) {
  text_put(d->out, before);
  vector_print(d->model->kinematics, d->out, v, frame_name, d);
}

/* Frames are numbered: they may have several names, or none. */
static void dump_bodies(struct dump *d) {
  static const char *const entries[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  for (uint32_t i = 0; i < d->model->bodies.count; i++) {
    const struct model_body *body = &d->model->bodies.items[i];
    text_format(d->out, "%s %s", body->is_particle ? "particle" : "body", body->name);
    put_expr(d, " mass ", body->mass);
    put_vector(d, " at ", body->centre);
    put_vector(d, "\n  velocity ", body->velocity);
    text_put(d->out, "\n");
    if (body->is_particle) continue;
    text_format(d->out, "  in %s inertia", frame_name(d, body->frame));
    for (int k = 0; k < 6; k++) {
      if (expr_is_integer_value(d->model->graph, body->inertia[k], 0)) continue;
      text_format(d->out, " %s", entries[k]);
      put_expr(d, " = ", body->inertia[k]);
    }
    put_vector(d, "\n  omega ", body->omega);
    text_put(d->out, "\n");
  }
}

static void dump_mechanics(struct dump *d) {
  static const char *const words[] = {"kinetic", "potential", "lagrangian", "dissipation"};
  for (uint32_t i = 0; i < d->model->energies.count; i++) {
    const struct model_energy *energy = &d->model->energies.items[i];
    text_put(d->out, words[energy->kind]);
    if (energy->label[0] != '\0') text_format(d->out, " %s:", energy->label);
    put_expr(d, " ", energy->value);
    text_put(d->out, "\n");
  }
  for (uint32_t i = 0; i < d->model->forces.count; i++) {
    const struct model_force *force = &d->model->forces.items[i];
    text_put(d->out, "force");
    if (force->label[0] != '\0') text_format(d->out, " %s:", force->label);
    put_expr(d, " ", force->value);
    put_expr(d, force->target_is_speed ? " on speed " : " on ", force->target);
    text_put(d->out, "\n");
  }
}

/* What the structure analysis found out about one. */
static void dump_class(struct dump *d, const struct model_constraint *c) {
  static const char *const classes[] = {"position",           "exact",        "integrable",
                                        "integrable jointly", "nonholonomic", "undecided"};
  text_format(d->out, "  %s%s%s", classes[c->class], c->is_rheonomic ? ", rheonomic" : "",
              c->is_redundant ? ", redundant" : "");
  for (uint32_t i = 0; i < c->partner_count; i++)
    text_format(d->out, "%s%s", i == 0 ? " with " : ", ",
                d->model->constraints.items[c->partners[i]].id.name);
  if (c->integral != 0) put_expr(d, ", integral ", c->integral);
  if (c->integrating_factor != 0) put_expr(d, " by the factor ", c->integrating_factor);
  text_put(d->out, "\n");
}

static void dump_structure(struct dump *d) {
  const struct model_structure *s = &d->model->structure;
  if (d->model->constraints.count == 0) return;
  text_format(d->out,
              "structure rank %u, holonomic %u, nonholonomic %u, degrees of freedom %u%s%s\n",
              s->rank, s->holonomic, s->nonholonomic, s->degrees_of_freedom,
              s->is_rheonomic ? ", rheonomic" : "", s->is_certain ? "" : ", not certain");
  for (uint32_t i = 0; i < s->combinations.count; i++) {
    const struct model_combination *combination = &s->combinations.items[i];
    text_put(d->out, "  integrable combination of");
    for (uint32_t k = 0; k < combination->count; k++)
      text_format(d->out, "%s%s", k == 0 ? " " : ", ",
                  d->model->constraints.items[combination->members[k]].id.name);
    if (combination->integral != 0) put_expr(d, ": ", combination->integral);
    text_put(d->out, "\n");
  }
}

static void dump_constraints(struct dump *d) {
  static const char *const claims[] = {"", "holonomic ", "nonholonomic "};
  for (uint32_t i = 0; i < d->model->constraints.count; i++) {
    const struct model_constraint *c = &d->model->constraints.items[i];
    text_put(d->out, claims[c->claim]);
    put_name(d, "constraint", &c->id);
    text_format(d->out, " (%s%s)", c->level == CONSTRAINT_POSITION ? "positions" : "velocities",
                c->is_linear ? "" : ", not linear");
    put_expr(d, " 0 = ", c->residual);
    end_name(d, &c->id);
    text_format(d->out, "  %s [%s] of %s\n", c->multiplier_name, c->multiplier_unit.si, c->text);
    dump_class(d, c);
  }
}

static void dump_results(struct dump *d) {
  const struct model *model = d->model;
  for (uint32_t i = 0; i < model->conditions.count; i++) {
    const struct model_condition *condition = &model->conditions.items[i];
    text_format(d->out, "initial (%s)", condition->at_velocity_level ? "velocities" : "positions");
    put_expr(d, " 0 = ", condition->residual);
    text_put(d->out, "\n");
  }
  for (uint32_t i = 0; i < model->outputs.count; i++) {
    const struct model_output *output = &model->outputs.items[i];
    put_name(d, i < model->speeds.count ? "speed" : "output", &output->id);
    put_expr(d, " = ", output->value);
    end_name(d, &output->id);
  }
  for (uint32_t i = 0; i < model->at.count; i++) {
    put_expr(d, "at ", model->at.items[i].symbol);
    put_expr(d, " = ", model->at.items[i].value);
    text_put(d->out, "\n");
  }
}

static void dump_events(struct dump *d) {
  for (uint32_t i = 0; i < d->model->events.count; i++) {
    const struct model_event *event = &d->model->events.items[i];
    text_format(d->out, "%s%s", event->is_periodic ? "" : "when ", event->text);
    put_expr(d, event->is_periodic ? ": " : event->is_strict ? ": 0 < " : ": 0 <= ", event->value);
    if (event->stop != NULL) text_format(d->out, ", stop \"%s\"", event->stop);
    text_put(d->out, "\n");
    for (uint32_t k = 0; k < event->reset_count; k++) {
      const struct model_reset *reset = &d->model->resets.items[event->first_reset + k];
      text_format(d->out, "  %s", reset->name);
      put_expr(d, " := ", reset->value);
      text_put(d->out, "\n");
    }
  }
}

static void dump_run(struct dump *d) {
  const struct model_run *run = &d->model->run;
  const char *names[] = {"from", "until", "every", "tolerance", "absolute", "max_step", "step"};
  const expr values[] = {run->from,      run->until,    run->every,
                         run->tolerance, run->absolute, run->max_step, run->step};
  if (run->span.source == 0) return;
  text_put(d->out, "simulate");
  for (int i = 0; i < 7; i++) {
    if (values[i] == 0) continue;
    text_format(d->out, " %s", names[i]);
    put_expr(d, " = ", values[i]);
  }
  if (run->integrator != NULL) text_format(d->out, " integrator = \"%s\"", run->integrator);
  if (run->method != NULL) text_format(d->out, " method = \"%s\"", run->method);
  text_put(d->out, "\n");
}

void model_dump(const struct model *model, struct text *out) {
  struct arena arena;
  arena_init(&arena);
  struct dump d = {model, out, &arena};
  text_format(out, "model %s%s\n", model->name, model->is_dimensionless ? " (dimensionless)" : "");
  dump_parameters(&d);
  dump_variables(&d);
  dump_bodies(&d);
  dump_mechanics(&d);
  dump_constraints(&d);
  dump_structure(&d);
  dump_results(&d);
  dump_events(&d);
  dump_run(&d);
  for (uint32_t i = 0; i < model->dimensions.count; i++) {
    const struct model_dimension_row *row = &model->dimensions.items[i];
    text_format(out, "unit of %s %s: %s%s\n", row->kind, row->name, row->unit,
                row->inferred ? " (inferred)" : "");
  }
  arena_clear(&arena);
}
