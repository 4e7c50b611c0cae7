/* The kinematics of `--show partials,accelerations`: velocities of points and bodies by the
 * variables of the method, their partial derivatives, and accelerations without rates of the
 * variables and with them. (Kane & Levinson, Dynamics: Theory and Applications, sections 2.14
 * and 2.15.) */
#include "derive/equations.h"
#include "derive/motion.h"
#include "derive/vector_names.h"
#include "base/bug.h"
#include "expr/symbol_latex.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

struct printing {
  struct equations *equations;
  struct motions motions;
  struct vector_names names;
  struct expr_substitution *by_speeds; /* turns of frames hold q' */
};

static expr vector_formula(struct printing *p, vector_id v) {
  return expr_substitution_of(p->by_speeds, vector_names_print(&p->names, v));
}

enum letter { VELOCITY, ANGULAR_VELOCITY, ACCELERATION, ANGULAR_ACCELERATION };

static const struct {
  const char *text, *latex, *bold;
} letters[] = {[VELOCITY] = {"v", "v", "\\mathbf{v}"},
               [ANGULAR_VELOCITY] = {"ω", "\\omega", "\\boldsymbol{\\omega}"},
               [ACCELERATION] = {"a", "a", "\\mathbf{a}"},
               [ANGULAR_ACCELERATION] = {"α", "\\alpha", "\\boldsymbol{\\alpha}"}};

/* v_bob, in bold with the same subscripts. */
static expr vector_name(struct printing *p, enum letter letter, const char *of) {
  struct document *d = &p->equations->document;
  const char *text = arena_format(&d->arena, "%s_%s", letters[letter].text, of);
  struct text latex = {0}, bold = {0};
  symbol_latex(&latex, text);
  text_format(&bold, "%s%s", letters[letter].bold,
              text_string(&latex) + strlen(letters[letter].latex));
  expr name = document_name(d, text, text_string(&bold));
  text_free(&latex);
  text_free(&bold);
  return name;
}

static void put_vector(struct printing *p, enum letter letter, const char *of, vector_id v) {
  expr name = vector_name(p, letter, of);
  document_row(&p->equations->document, NULL, name, vector_formula(p, v));
}

/* Those that are not zero. */
static void put_partials(struct printing *p, enum letter letter, const char *of,
                         const vector_id *partials) {
  struct document *d = &p->equations->document;
  const struct system *s = p->equations->system;
  struct expr_graph *graph = s->graph;
  expr whole = vector_name(p, letter, of);
  for (uint32_t r = 0; r < p->motions.n; r++) {
    if (partials[r] == VECTOR_ZERO) continue;
    bool is_speed = s->state.kind == VARIABLES_SPEEDS; /* by its own name */
    expr variable = is_speed ? s->state.symbol[r] : p->motions.variable[r];
    const char *text = arena_format(&d->arena, "∂%s/∂%s", expr_symbol_name(graph, whole),
                                    expr_symbol_name(graph, variable));
    const char *latex =
        arena_format(&d->arena, "\\frac{\\partial %s}{\\partial %s}",
                     expr_symbol_latex(graph, whole), expr_symbol_latex(graph, variable));
    document_row(d, NULL, document_name(d, text, latex), vector_formula(p, partials[r]));
  }
}

static void put_velocity(struct printing *p, enum letter letter, const char *of, vector_id v,
                         const vector_id *partials) {
  if (v == VECTOR_ZERO) return;
  put_vector(p, letter, of, v);
  put_partials(p, letter, of, partials);
}

static const struct model_body *model_body(const struct printing *p,
                                           const struct body_motion *body) {
  return &p->equations->system->model->bodies.items[body->body];
}

static bool is_centre(const struct model *model, vector_id place) {
  for (uint32_t i = 0; i < model->bodies.count; i++)
    if (model->bodies.items[i].centre == place) return true;
  return false;
}

/* Points at mass centres move as their bodies do. */
static void put_points(struct printing *p) {
  const struct model *model = p->equations->system->model;
  vector_id *partials = checked_calloc((size_t)p->motions.n + 1, sizeof *partials);
  for (uint32_t i = 0; i < model->points.count; i++) {
    const struct model_point *point = &model->points.items[i];
    if (is_centre(model, point->place)) continue;
    vector_id v = vector_derivative(model->kinematics, point->place, FRAME_WORLD);
    v = motions_express(&p->motions, v);
    motions_partials(&p->motions, v, partials);
    put_velocity(p, VELOCITY, point->name, v, partials);
  }
  free(partials);
}

static void put_all_partials(struct printing *p) {
  document_heading(&p->equations->document, "velocities and partial velocities", NULL);
  for (uint32_t i = 0; i < p->motions.bodies.count; i++) {
    const struct body_motion *body = &p->motions.bodies.items[i];
    put_velocity(p, VELOCITY, model_body(p, body)->name, body->velocity, body->partial_velocity);
    put_velocity(p, ANGULAR_VELOCITY, model_body(p, body)->name, body->omega, body->partial_omega);
  }
  put_points(p);
}

/* With the rates, as a textbook has them. */
static vector_id with_rates(struct printing *p, vector_id v, const vector_id *partials) {
  const struct system *s = p->equations->system;
  for (uint32_t r = 0; r < p->motions.n; r++) {
    expr rate = s->state.kind == VARIABLES_SPEEDS ? s->state.symbol_rate[r]
                                                  : s->model->coordinates.items[r].acceleration;
    v = vector_add(p->motions.kinematics, v,
                   vector_scale(p->motions.kinematics, rate, partials[r]));
  }
  return v;
}

static void put_accelerations(struct printing *p) {
  document_heading(&p->equations->document, "accelerations", NULL);
  for (uint32_t i = 0; i < p->motions.bodies.count; i++) {
    const struct body_motion *body = &p->motions.bodies.items[i];
    const char *name = model_body(p, body)->name;
    if (body->velocity != VECTOR_ZERO)
      put_vector(p, ACCELERATION, name, with_rates(p, body->acceleration, body->partial_velocity));
    if (body->omega != VECTOR_ZERO)
      put_vector(p, ANGULAR_ACCELERATION, name, with_rates(p, body->alpha, body->partial_omega));
  }
}

void equations_put_motions(struct equations *e) {
  const struct model *model = e->system->model;
  if (model->kinematics == NULL) {
    document_heading(&e->document, "velocities: the model has no points or bodies", NULL);
    return;
  }
  struct printing p = {.equations = e, .motions = motions_of(e->system)};
  vector_names_init(&p.names, model, &e->document);
  p.by_speeds = expr_substitution_new(e->system->graph);
  for (uint32_t j = 0; j < e->system->n && e->system->state.kind == VARIABLES_SPEEDS; j++)
    expr_substitution_add(p.by_speeds, model->coordinates.items[j].velocity,
                          e->system->state.velocity[j]);
  if (e->show & SHOW_PARTIALS) put_all_partials(&p);
  if (e->show & SHOW_ACCELERATIONS) put_accelerations(&p);
  vector_names_explain(&p.names);
  for (uint32_t i = 0; i < model->bodies.count; i++)
    if (!p.motions.is_derived[i])
      document_note(&e->document, "%s enters by its kinetic energy", model->bodies.items[i].name);
  expr_substitution_free(p.by_speeds);
  vector_names_clear(&p.names);
  motions_clear(&p.motions);
}
