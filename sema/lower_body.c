/* Particles and bodies: their arguments become values. The inertia is kept about the mass centre;
 * where it is given about another point O of the body,
 *   I_G = I_O - m (|r|^2 1 - r r^T),  r from O to the mass centre G
 * (Steiner's theorem; Goldstein, Classical Mechanics, 3rd ed., section 5.3). */
#include "sema/lower.h"
#include <string.h>

enum { XX, YY, ZZ, XY, XZ, YZ };

struct definition {
  struct lowering *l;
  const struct ast_statement *statement;
  struct environment environment;
  const char *words; /* "body 'disc'" */
  ast_expr given[BODY_ARGUMENTS];
  any_value values[BODY_ARGUMENTS]; /* of what is given */
};

static struct definition definition_of(struct lowering *l, uint32_t element) {
  const struct element *e = &l->elements.items[element];
  struct definition d = {.l = l, .statement = e->statement, .environment = e->value.environment};
  d.words = lower_words(l, "%s '%s'", name_kind_word(e->kind), e->name);
  for (int i = 0; i < BODY_ARGUMENTS; i++)
    d.given[i] = scope_body_argument(d.environment.text->ast, d.statement, (enum body_argument)i);
  return d;
}

void lower_begin_body(struct lowering *l, const struct task *end) {
  struct definition d = definition_of(l, end->a);
  for (int i = BODY_ARGUMENTS; i-- > 0;)
    if (d.given[i] != 0) push_evaluate(l, d.environment, d.given[i]);
}

/* ---------------------------------------------------------------- arguments */

static struct span span_of(const struct definition *d, enum body_argument argument) {
  ast_expr e = d->given[argument];
  return e != 0 ? ast_expression(d->environment.text->ast, e)->span : d->statement->label.span;
}

/* Masses and inertias do not change while the model moves. */
static bool check_fixed(const struct definition *d, enum body_argument argument, const char *what,
                        expr e) {
  struct lowering *l = d->l;
  expr found = find_other_role(l, e, role_bit(ROLE_PARAMETER));
  if (found == 0) return true;
  lower_report(l, d->environment, DIAG_WRONG_DEPENDENCE, span_of(d, argument),
               lower_words(l, "the %s of %s", what, d->words), role_words(l, found), NULL);
  return false;
}

static expr mass_of(const struct definition *d) {
  expr mass = lower_to_scalar(d->l, d->environment, d->given[BODY_MASS], d->values[BODY_MASS],
                              lower_words(d->l, "the mass of %s", d->words));
  return mass != 0 && check_fixed(d, BODY_MASS, "mass", mass) ? mass : 0;
}

/* False if it is no inertia, which is reported. */
static bool tensor_of(const struct definition *d, struct body_value *body) {
  struct lowering *l = d->l;
  any_value v = d->values[BODY_INERTIA];
  for (int i = 0; i < 6; i++) body->tensor[i] = expr_integer(l->graph, 0);
  body->is_planar = true;
  if (d->given[BODY_INERTIA] == 0) return true;
  if (v == 0) return false;
  uint32_t count = value_kind_of(v) == VALUE_TUPLE ? l->tuples.items[value_id(v)].count : 0;
  if (value_is_scalar(v)) {
    body->tensor[ZZ] = v;
  } else if (count == 3 || count == 6) {
    body->is_planar = false;
    for (uint32_t i = 0; i < count; i++) body->tensor[i] = l->tuples.items[value_id(v)].entries[i];
  } else {
    if (value_kind_of(v) != VALUE_TUPLE) /* of a list, the count was reported */
      lower_report(l, d->environment, DIAG_WRONG_KIND, span_of(d, BODY_INERTIA),
                   lower_words(l, "the inertia of %s", d->words),
                   "a number, or a list of three or six", lower_kind_words(l, v));
    return false;
  }
  for (int i = 0; i < 6; i++)
    if (!check_fixed(d, BODY_INERTIA, "inertia", body->tensor[i])) return false;
  return true;
}

/* ---------------------------------------------------------------- about another point */

/* The components of r in the body's frame: fixed, if the point is one of the body. */
static bool arm_of(const struct definition *d, struct body_value *body, expr arm[3]) {
  struct lowering *l = d->l;
  vector_id about =
      lower_to_point(l, d->environment, d->given[BODY_ABOUT], d->values[BODY_ABOUT],
                     lower_words(l, "the point that the inertia of %s is about", d->words));
  if (about == 0) return false;
  body->about = about;
  struct kinematics *k = lower_kinematics(l);
  vector_components(k, vector_subtract(k, body->at, about), l->frames.items[body->frame].frame,
                    arm);
  expr found = 0;
  for (int i = 0; i < 3 && found == 0; i++)
    found = find_other_role(l, arm[i], role_bit(ROLE_PARAMETER));
  if (found == 0) return true;
  struct diagnostic *report =
      lower_report(l, d->environment, DIAG_ABOUT_NOT_FIXED, span_of(d, BODY_ABOUT), d->words,
                   role_words(l, found), NULL);
  if (report != NULL)
    diagnostic_help(l->context, report,
                    "give the inertia about the mass centre, or about a point that turns with the "
                    "body");
  return false;
}

static void shift(struct lowering *l, struct body_value *body, const expr r[3]) {
  struct expr_graph *g = l->graph;
  static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
  for (int i = body->is_planar ? ZZ : XX; i < (body->is_planar ? XY : 6); i++) {
    expr part = expr_multiply(g, expr_negate(g, r[rows[i]]), r[columns[i]]);
    if (i < 3) { /* |r|^2 - r_i^2 */
      expr one = r[(i + 1) % 3], two = r[(i + 2) % 3];
      part = expr_add(g, expr_multiply(g, one, one), expr_multiply(g, two, two));
    }
    body->tensor[i] = expr_subtract(g, body->tensor[i], expr_multiply(g, body->mass, part));
  }
}

/* What .inertia means. */
static any_value inertia_value(const struct definition *d, const struct body_value *body) {
  if (body->is_planar) return body->tensor[ZZ];
  if (d->given[BODY_ABOUT] == 0) return d->values[BODY_INERTIA];
  struct tuple_value tuple = {
      arena_copy(&d->l->context->arena, body->tensor, sizeof body->tensor), 6};
  vector_push(&d->l->tuples, tuple);
  return value_of(VALUE_TUPLE, d->l->tuples.count - 1);
}

/* ---------------------------------------------------------------- the whole */

static any_value finish(const struct definition *d, uint32_t element) {
  struct lowering *l = d->l;
  struct body_value body = {.element = element,
                            .is_particle = d->statement->kind == AST_PARTICLE,
                            .frame = 1};
  if (d->given[BODY_MASS] == 0 || d->given[BODY_AT] == 0) return 0; /* reported */
  body.mass = mass_of(d);
  body.at = lower_to_point(l, d->environment, d->given[BODY_AT], d->values[BODY_AT],
                           lower_words(l, "the place of %s", d->words));
  if (d->given[BODY_FRAME] != 0)
    body.frame = lower_to_frame(l, d->environment, d->given[BODY_FRAME], d->values[BODY_FRAME],
                                lower_words(l, "the frame of %s", d->words));
  bool fits = tensor_of(d, &body) && body.mass != 0 && body.at != 0 && body.frame != 0;
  if (!fits) return 0;
  if (d->given[BODY_ABOUT] != 0 && d->given[BODY_INERTIA] != 0) {
    expr arm[3];
    if (!arm_of(d, &body, arm)) return 0;
    memcpy(body.given, body.tensor, sizeof body.given);
    shift(l, &body, arm);
  }
  body.inertia = inertia_value(d, &body);
  for (int i = 0; i < BODY_ARGUMENTS; i++) body.spans[i] = span_of(d, (enum body_argument)i);
  vector_push(&l->bodies, body);
  return value_of(VALUE_BODY, l->bodies.count - 1);
}

any_value lower_end_body(struct lowering *l, uint32_t element) {
  struct definition d = definition_of(l, element);
  for (int i = BODY_ARGUMENTS; i-- > 0;)
    if (d.given[i] != 0) d.values[i] = pop_value(l);
  return finish(&d, element);
}
