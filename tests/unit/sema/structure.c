/* What the constraints of a model are together: classes, ranks, redundancy, integrals, claims. */
#include "sema/structure.h"
#include "tests/unit/sema/fixture.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the headers above first. */
#include <cmocka.h>

static const char *const class_names[] = {"position", "exact",        "integrable",
                                          "joint",    "nonholonomic", "undecided"};

/* "d=2 g=1 f=3: a exact, b joint(c), c nonholonomic rheonomic, d redundant(a)" */
static void describe(const struct model *model, struct text *out) {
  const struct model_structure *s = &model->structure;
  text_format(out, "d=%u g=%u f=%u%s%s:", s->holonomic, s->nonholonomic, s->degrees_of_freedom,
              s->is_rheonomic ? " rheonomic" : "", s->is_certain ? "" : " uncertain");
  for (uint32_t i = 0; i < model->constraints.count; i++) {
    const struct model_constraint *c = &model->constraints.items[i];
    text_format(out, "%s %s %s%s%s", i > 0 ? "," : "", c->id.name, class_names[c->class],
                c->is_rheonomic ? " rheonomic" : "", c->is_redundant ? " redundant" : "");
    for (uint32_t k = 0; k < c->partner_count; k++)
      text_format(out, "%s%s%s", k == 0 ? "(" : " ",
                  model->constraints.items[c->partners[k]].id.name,
                  k + 1 == c->partner_count ? ")" : "");
  }
  for (uint32_t i = 0; i < s->combinations.count; i++) {
    text_put(out, "; combination of");
    for (uint32_t k = 0; k < s->combinations.items[i].count; k++)
      text_format(out, " %s",
                  model->constraints.items[s->combinations.items[i].members[k]].id.name);
  }
}

static void put_faults(const struct fixture *f, struct text *out) {
  diagnostics_render_text(f->context, out, false);
}

static void assert_structure(const char *model, const char *expected) {
  struct fixture f = analyse(model);
  struct text text = {0};
  if (f.model == NULL) put_faults(&f, &text);
  if (f.model == NULL) fail_msg("%s\n%s", model, text_string(&text));
  describe(f.model, &text);
  assert_string_equal(text_string(&text), expected);
  text_free(&text);
  end(&f);
}

/* The model has to be refused, or warned about, with a text that holds these words. */
static void assert_said(const char *model, bool is_refused, const char *const *words) {
  struct fixture f = analyse(model);
  struct text text = {0};
  put_faults(&f, &text);
  if ((f.model == NULL) != is_refused) fail_msg("%s\n%s", model, text_string(&text));
  for (; *words != NULL; words++)
    if (strstr(text_string(&text), *words) == NULL)
      fail_msg("'%s' is not in\n%s", *words, text_string(&text));
  text_free(&text);
  end(&f);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The integrals (and integrating factors), one a constraint and then one a combination. */
static void assert_integrals(const char *model, const char *expected) {
  struct fixture f = analyse(model);
  struct text text = {0};
  assert_non_null(f.model);
  struct expr_graph *graph = f.model->graph;
  for (uint32_t i = 0; i < f.model->constraints.count; i++) {
    const struct model_constraint *c = &f.model->constraints.items[i];
    if (c->level == CONSTRAINT_POSITION) continue;
    if (text.length > 0) text_put(&text, "; ");
    if (c->integral == 0) text_put(&text, "none");
    if (c->integral != 0) expr_print_text(graph, &text, c->integral);
    if (c->integrating_factor == 0) continue;
    text_put(&text, " by ");
    expr_print_text(graph, &text, c->integrating_factor);
  }
  for (uint32_t i = 0; i < f.model->structure.combinations.count; i++) {
    text_put(&text, " and ");
    expr integral = f.model->structure.combinations.items[i].integral;
    if (integral == 0) text_put(&text, "none");
    if (integral != 0) expr_print_text(graph, &text, integral);
  }
  assert_string_equal(text_string(&text), expected);
  text_free(&text);
  end(&f);
}

/* ---------------------------------------------------------------- sets of velocity constraints */

struct set {
  const char *coordinates;
  const char *constraints[3]; /* left sides of ... = 0 */
  uint32_t holonomic, nonholonomic;
};

/* Textbook sets, among them rolling coins, skates, and integrating factors. */
static const struct set sets[] = {
    {"x = 1, y = 1", {"x*x' + y*y'"}, 1, 0},
    {"x, y, th = 1/2", {"x'*sin(th) - y'*cos(th)"}, 0, 1},
    {"x = 1, y = 1, z", {"y*x' - x*y'"}, 1, 0},
    {"x, y, ph, ps", {"x' - cos(ps)*ph'/2", "y' - sin(ps)*ph'/2", "ps'"}, 3, 0},
    {"x, y, ph, ps", {"x' - cos(ps)*ph'/2", "y' - sin(ps)*ph'/2"}, 0, 2},
    {"x, ph", {"x' - ph'/2"}, 1, 0},
    {"x, y", {"y' - t*x'"}, 0, 1},
    {"x = 1, y = 1, z = 1", {"y*z*x' + x*z*y' + 2*x*y*z'"}, 1, 0},
};

static void check_set(const struct set *set, bool is_reversed, bool is_scaled) {
  struct text model = {0};
  uint32_t count = 0;
  while (count < 3 && set->constraints[count] != NULL) count++;
  text_format(&model, "coord %s\nkinetic x'^2\n", set->coordinates);
  for (uint32_t i = 0; i < count; i++)
    text_format(&model, "constraint c[%u]: %s(%s) = 0\n", i, is_scaled ? "(2 + sin(x))*" : "",
                set->constraints[is_reversed ? count - 1 - i : i]);
  struct fixture f = analyse(text_string(&model));
  assert_non_null(f.model);
  assert_int_equal(f.model->structure.rank, count);
  assert_int_equal(f.model->structure.holonomic, set->holonomic);
  assert_int_equal(f.model->structure.nonholonomic, set->nonholonomic);
  assert_true(f.model->structure.is_certain);
  for (uint32_t i = 0; i < count; i++) {
    const struct model_constraint *c = &f.model->constraints.items[i];
    assert_int_equal(c->class == CLASS_NONHOLONOMIC, set->nonholonomic > 0);
    assert_int_equal(c->bracket[0] != '\0', set->nonholonomic > 0);
  }
  text_free(&model);
  end(&f);
}

static void test_sets(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (int variant = 0; variant < 4; variant++) check_set(&sets[i], variant & 1, variant & 2);
}

static void test_classes(void **state) {
  (void)state;
  assert_structure("coord x, y, ph, ps\nkinetic x'^2\nconstraint a: x' = cos(ps)*ph'/2\n"
                   "constraint b: y' = sin(ps)*ph'/2\nconstraint c: ps' = 0\n",
                   "d=3 g=0 f=1: a joint(c), b joint(c), c exact");
  /* Chaplygin's sleigh. */
  assert_structure("coord x, y, th\nkinetic x'^2\nconstraint edge: y'*cos(th) = x'*sin(th)\n",
                   "d=0 g=1 f=2: edge nonholonomic");
  /* A ball on a turntable: inhomogeneous, nonholonomic. */
  assert_structure("param R = 1/4, W = 2\ncoord x, y, a, b = 1, c\nkinetic x'^2\n"
                   "constraint u: x' - R*(a'*sin(c) - b'*sin(a)*cos(c)) = -W*y\n"
                   "constraint v: y' + R*(a'*cos(c) + b'*sin(a)*sin(c)) = W*x\n",
                   "d=0 g=2 f=3 rheonomic: u nonholonomic rheonomic, v nonholonomic rheonomic");
  /* An axle with two wheels: both contacts roll; their difference is integrable. */
  assert_structure("param r = 1/4, L = 1\ncoord x, y, th, p1, p2\nkinetic x'^2\n"
                   "constraint side: y'*cos(th) = x'*sin(th)\n"
                   "constraint right: x'*cos(th) + y'*sin(th) + L*th' = r*p1'\n"
                   "constraint left: x'*cos(th) + y'*sin(th) - L*th' = r*p2'\n",
                   "d=1 g=2 f=2: side nonholonomic, right nonholonomic, left nonholonomic; "
                   "combination of right left");
  /* The same with the difference written out: it is exact by itself. */
  assert_structure("param r = 1/4, L = 1\ncoord x, y, th, p1, p2\nkinetic x'^2\n"
                   "constraint side: y'*cos(th) = x'*sin(th)\n"
                   "constraint go: x'*cos(th) + y'*sin(th) = r/2*(p1' + p2')\n"
                   "constraint turn: th' = r/L*(p1' - p2')/2\n",
                   "d=1 g=2 f=2: side nonholonomic, go nonholonomic, turn exact");
  /* Brackets of second order: a car; only they leave the front wheel's constraint. */
  assert_structure("coord x, y, th, ph = 1/2\nkinetic x'^2\n"
                   "constraint rear: y'*cos(th) = x'*sin(th)\n"
                   "constraint front: y'*cos(th + ph) - x'*sin(th + ph) + th'*cos(ph) = 0\n",
                   "d=0 g=2 f=2: rear nonholonomic, front nonholonomic");
}

/* A row of bodies on a knife edge each, hinged behind (trailers) or in the middle between them. */
static struct fixture analyse_train(int count, bool in_the_middle) {
  struct text model = {0};
  text_put(&model, "coord x0, y0, t0");
  for (int i = 1; i < count; i++) text_format(&model, ", x%d = %d, y%d, t%d", i, i, i, i);
  text_put(&model, "\nkinetic x0'^2\n");
  for (int i = 0; i < count; i++) {
    text_format(&model, "constraint e%d: x%d'*sin(t%d) = y%d'*cos(t%d)\n", i, i, i, i, i);
    for (int k = 0; k < 2 && i > 0; k++) {
      const char *name = k == 0 ? "x" : "y", *function = k == 0 ? "cos" : "sin";
      text_format(&model, "constraint %s%d - %s(t%d) = %s%d", name, i, function, i, name, i - 1);
      if (in_the_middle) text_format(&model, " + %s(t%d)", function, i - 1);
      text_put(&model, "\n");
    }
  }
  struct fixture f = analyse(text_string(&model));
  text_free(&model);
  return f;
}

/* Of trailers all is decided; of what is too large each constraint is, if not their combinations.
 */
static void test_trains(void **state) {
  (void)state;
  struct fixture f = analyse_train(6, false);
  assert_non_null(f.model);
  assert_true(f.model->structure.is_certain);
  assert_int_equal(f.model->structure.holonomic, 10);
  assert_int_equal(f.model->structure.nonholonomic, 6);
  end(&f);
  f = analyse_train(8, true);
  assert_non_null(f.model);
  assert_false(f.model->structure.is_certain);
  struct text text = {0};
  put_faults(&f, &text);
  assert_non_null(strstr(text_string(&text), "combinations of constraints 'e0', 'e1'"));
  text_free(&text);
  for (uint32_t i = 0; i < f.model->constraints.count; i++)
    if (f.model->constraints.items[i].level == CONSTRAINT_VELOCITY)
      assert_int_equal(f.model->constraints.items[i].class, CLASS_NONHOLONOMIC);
  end(&f);
}

static void test_manifold(void **state) {
  (void)state;
  /* On the circle every form in the plane is integrable; x' alone would not be. */
  assert_structure("coord x = 1, y, th\nkinetic x'^2\nconstraint ring: x^2 + y^2 = 1\n"
                   "constraint turn: th' = x*y' - y*x'\n",
                   "d=2 g=0 f=1: ring position, turn integrable");
  /* On the sphere it is not. */
  assert_structure("coord x = 1, y, z, th\nkinetic x'^2\nconstraint ball: x^2 + y^2 + z^2 = 1\n"
                   "constraint turn: th' = x*y' - y*x'\n",
                   "d=1 g=1 f=2: ball position, turn nonholonomic");
  /* Three parallel cranks carry a platform. */
  assert_said("coord t1 = 0.9, t2 = 0.9, t3 = 0.9, x = 0.31, y = 0.39, p\nkinetic x'^2\n"
              "constraint x1: cos(t1)/2 = x\nconstraint y1: sin(t1)/2 = y\n"
              "constraint x2: 0.6 + cos(t2)/2 = x + 0.6*cos(p)\n"
              "constraint y2: sin(t2)/2 = y + 0.6*sin(p)\n"
              "constraint x3: 1.5 + cos(t3)/2 = x + 1.5*cos(p)\n"
              "constraint y3: sin(t3)/2 = y + 1.5*sin(p)\n",
              false, WORDS("rank 5", "6 constraints", "'x1'", "'y3'", "W0642"));
  assert_said("param l = 1.7\ncoord x = 1, y = -1.4\nkinetic x'^2\n"
              "constraint length: x^2 + y^2 = l^2\nconstraint length_rate: x*x' + y*y' = 0\n",
              false, WORDS("'length_rate' follows from 'length'", "rank 1 of 2", "W0643"));
  assert_said("coord q1 = 0.4, q2 = 0.2, q3 = 1\nkinetic q1'^2\n"
              "constraint loop_x: 0.3*cos(q1) + 0.4*cos(q2) - 0.2*cos(q3) = 1.2\n"
              "constraint loop_y: 0.3*sin(q1) + 0.4*sin(q2) - 0.2*sin(q3) = 0\n",
              false, WORDS("no configuration found", "residual", "W0644"));
  assert_said("coord x, y\nkinetic x'^2\nconstraint c: (x - y)^2 = 0\n", true,
              WORDS("E0645", "'c'"));
}

/* What is redundant names what it follows from: nothing more, nothing less. */
static void test_partners(void **state) {
  (void)state;
  assert_structure("coord x, y, z, w\nkinetic x'^2\nconstraint a: x + y = 1\n"
                   "constraint b: z = 2*w\nconstraint c: y + z = 3\n"
                   "constraint d: 2*x + 4*w = 2*z + 2 - 2*y\n",
                   "d=3 g=0 f=1: a position, b position, c position, d position redundant(a b)");
  /* The same with other constants has no solution. */
  assert_said("coord x, y, z, w\nkinetic x'^2\nconstraint a: x + y = 1\n"
              "constraint b: z = 2*w\nconstraint d: 2*x + 4*w = 2*z + 3 - 2*y\n",
              false, WORDS("W0644"));
  assert_structure("coord x, y, z\nkinetic x'^2\nconstraint a: x' = y' + sin(t)\n"
                   "constraint b: y' = z' - sin(t)\nconstraint c: x' = z'\n",
                   "d=2 g=0 f=1 rheonomic: a exact rheonomic, b exact rheonomic, "
                   "c exact redundant(a b)");
  /* A position implies its velocity; rows that are not constant are asked of points. */
  assert_structure("coord x = 1, y = 1/2, z, w\nkinetic x'^2\nconstraint a: x = 2*y\n"
                   "constraint b: x*z' = w'\nconstraint c: 2*y*z' = w'\n",
                   "d=1 g=1 f=2: a position, b nonholonomic, c nonholonomic redundant(b)");
  /* A rigid square of four points: six distances of rank five. */
  assert_structure("coord a, b, c = 1, d, e = 1, f = 1, g, h = 1\nkinetic a'^2\n"
                   "constraint p: (a - c)*(a' - c') + (b - d)*(b' - d') = 0\n"
                   "constraint q: (c - e)*(c' - e') + (d - f)*(d' - f') = 0\n"
                   "constraint r: (e - g)*(e' - g') + (f - h)*(f' - h') = 0\n"
                   "constraint s: (g - a)*(g' - a') + (h - b)*(h' - b') = 0\n"
                   "constraint u: (a - e)*(a' - e') + (b - f)*(b' - f') = 0\n"
                   "constraint v: (c - g)*(c' - g') + (d - h)*(d' - h') = 0\n"
                   "constraint w: e' = a'\n",
                   "d=6 g=0 f=2: p exact, q exact, r exact, s exact, u exact, "
                   "v exact redundant(p q r s u), w exact");
}

/* Each pair of many coordinates, at both levels: fast, and each pair names a chain. */
static void test_many(void **state) {
  (void)state;
  for (int level = 0; level < 2; level++) {
    struct text model = {0};
    const char *prime = level == 0 ? "" : "'";
    text_put(&model, "coord x1");
    for (int i = 2; i <= 40; i++) text_format(&model, ", x%d", i);
    text_put(&model, "\nkinetic x1'^2\n");
    for (int i = 2; i <= 40; i++)
      for (int j = 1; j < i; j++)
        text_format(&model, "constraint x%d%s = x%d%s\n", i, prime, j, prime);
    struct fixture f = analyse(text_string(&model));
    assert_non_null(f.model);
    assert_int_equal(f.model->structure.rank, 39);
    assert_int_equal(f.model->structure.points, 0);
    uint32_t redundant = 0;
    for (uint32_t i = 0; i < f.model->constraints.count; i++)
      if (f.model->constraints.items[i].is_redundant) redundant++;
    assert_int_equal(redundant, 780 - 39);
    assert_int_equal(f.model->constraints.items[2].partner_count, 2); /* x3 = x2 */
    text_free(&model);
    end(&f);
  }
}

/* Forces that depend on how dependent constraints share theirs. */
static void test_multipliers(void **state) {
  (void)state;
#define FLOOR                                                                                      \
  "coord x, y\nstate w\nkinetic x'^2 + y'^2\nconstraint a: y = 0\nconstraint b: 2*y = 0\n"
  assert_said(FLOOR "force -multiplier(b) on x\nw' = 0\n", true,
              WORDS("E0649", "this force", "'a' and 'b'"));
  assert_said(FLOOR "w' = multiplier(a)\n", true, WORDS("E0649", "the rate of 'w'"));
  assert_said(FLOOR "w' = abs(multiplier(a) + 2*multiplier(b))\n", false, WORDS("W0642"));
  assert_said(FLOOR "w' = abs(multiplier(a) + multiplier(b))\n", true, WORDS("E0649"));
  assert_said(FLOOR "w' = 0\noutput n = multiplier(a)\n", false, WORDS("W0642"));
  /* A constraint that depends on no other has its multiplier. */
  assert_said(FLOOR "constraint c: x' = y'\nw' = multiplier(c)\n", false, WORDS("W0642"));
#undef FLOOR
}

static void test_conflicts(void **state) {
  (void)state;
  assert_said("coord x, y\nkinetic x'^2\nconstraint a: x' = 1\nconstraint other: y' = 0\n"
              "constraint b: 2*x' = 4\n",
              true, WORDS("E0640", "'a' and 'b'"));
  assert_said("coord x, y\nkinetic x'^2\nconstraint a: x' = 1\nconstraint b: y' = 2\n"
              "constraint c: x' + y' = 4\n",
              true, WORDS("E0641", "'a', 'b' and 'c'"));
  assert_structure("coord x, y\nkinetic x'^2\nconstraint a: x' = 1\nconstraint b: y' = 2\n"
                   "constraint c: x' + y' = 3\n",
                   "d=2 g=0 f=0 rheonomic: a exact rheonomic, b exact rheonomic, "
                   "c exact rheonomic redundant(a b)");
}

static void test_chetaev(void **state) {
  (void)state;
  assert_structure("coord x, y, z\nkinetic x'^2\n"
                   "nonholonomic constraint c: x'^2 + y'^2 = z'^2 + 1\nconstraint e: x' = 2*y'\n",
                   "d=1 g=1 f=1: c nonholonomic, e exact");
}

static void test_claims(void **state) {
  (void)state;
  assert_said("coord x, y, th = 1/2\nkinetic x'^2\n"
              "holonomic constraint edge: x'*sin(th) = y'*cos(th)\n",
              true, WORDS("E0647", "'edge'", "proven"));
  assert_said("param R = 2\ncoord x, f\nkinetic x'^2\nnonholonomic constraint roll: x' = R*f'\n",
              true, WORDS("E0648", "'roll'"));
  assert_structure("param R = 2\ncoord x, f\nkinetic x'^2\nholonomic constraint roll: x' = R*f'\n",
                   "d=1 g=0 f=1: roll exact");
}

static void test_integrals(void **state) {
  (void)state;
#define PLANE "coord x = 1, y = 1, z = 1, th, w\nkinetic x'^2\n"
  assert_integrals(PLANE "constraint c: x*x' + y*y' = 0\n", "1/2*x^2 + 1/2*y^2 by 1");
  assert_integrals(PLANE "constraint c: y*x' - x*y' = 0\n", "-y/x by 1/x^2");
  assert_integrals(PLANE "constraint c: y*z*x' + x*z*y' + 2*x*y*z' = 0\n", "x*y*z^2 by z");
  assert_integrals(
      "param r = 1/2\ncoord x, y, ph, ps\nkinetic x'^2\nconstraint a: x' = r*cos(ps)*ph'\n"
      "constraint b: y' = r*sin(ps)*ph'\nconstraint c: ps' = 0\n",
      "x - r*ph*cos(ps); y - r*ph*sin(ps); ps by 1");
  assert_integrals(PLANE "constraint c: x'*cos(th) - x*sin(th)*th' = 2*t\n",
                   "x*cos(th) - t^2 by 1");
  assert_integrals(PLANE "constraint c: x'*exp(2*x)*sin(y) + 1/2*exp(2*x)*cos(y)*y' = 0\n",
                   "1/2*exp(2*x)*sin(y) by 1");
  assert_integrals(PLANE "constraint c: x' + x*tan(th)*th' = 0\n", "x/cos(th) by 1/cos(th)");
  /* atan is not among the rules: nothing found, but still holonomic */
  assert_integrals(PLANE "constraint c: x' = (x^2 + y^2)*z'\nconstraint d: y' = 0\n",
                   "none; y by 1");
  assert_integrals(PLANE "constraint c: (x + y)^2*(x' + y') = x*sin(3*x)*x'\n",
                   "1/3*(x + y)^3 + 1/3*x*cos(3*x) - 1/9*sin(3*x) by 1");
  assert_integrals(
      "coord x = 1, y\nstate z = 1\nz' = -2*z\nkinetic x'^2\nconstraint c: z*x' - 2*z*x = y'\n",
      "x*z - y by 1");
  assert_integrals("param r = 1/4, L = 1\ncoord x, y, th, p1, p2\nkinetic x'^2\n"
                   "constraint side: y'*cos(th) = x'*sin(th)\n"
                   "constraint right: x'*cos(th) + y'*sin(th) + L*th' = r*p1'\n"
                   "constraint left: x'*cos(th) + y'*sin(th) - L*th' = r*p2'\n",
                   "none; none; none and r*p2 - r*p1 + 2*L*th");
#undef PLANE
}

/* "p holonomic for k, redundant for a b" */
static void assert_special(const char *model, uint32_t general_rank, const char *expected) {
  struct fixture f = analyse(model);
  struct text text = {0};
  assert_non_null(f.model);
  for (uint32_t i = 0; i < f.model->constraints.count; i++) {
    const struct model_constraint *c = &f.model->constraints.items[i];
    if (c->special_count == 0) continue;
    text_format(&text, "%s%s%s%s for", text.length > 0 ? ", " : "", c->id.name,
                c->class != c->general.class ? " holonomic" : "",
                c->is_redundant != c->general.is_redundant ? " redundant" : "");
    for (uint32_t k = 0; k < c->special_count; k++)
      text_format(&text, " %s", f.model->parameters.items[c->special[k]].id.name);
  }
  assert_string_equal(text_string(&text), expected);
  assert_int_equal(f.model->structure.general_rank, general_rank);
  model_generalise(f.model);
  assert_int_equal(f.model->structure.rank, general_rank);
  text_free(&text);
  end(&f);
}

/* What holds for the present values of parameters only. */
static void test_parameters(void **state) {
  (void)state;
#define SPACE "coord x = 1, y = 1, z = 1\nkinetic x'^2\n"
  assert_integrals("param k = 0\n" SPACE "constraint c: z' = k*y*x'\n", "none");
  assert_special("param k = 0\n" SPACE "constraint c: z' = k*y*x'\n", 1, "c holonomic for k");
  assert_integrals("param k = 0\n" SPACE "constraint c: z' = k*y'\n", "z - k*y by 1");
  assert_special("param k = 0\n" SPACE "constraint c: z' = k*y'\n", 1, "");
  /* y is held in place by a constraint that says nothing if a is 0. */
  assert_integrals("param a = 1\n" SPACE "constraint h: a*y' = 0\nconstraint c: z' = x*y'\n",
                   "a*y by 1; none");
  /* x^k*y^l would be another one. */
  assert_integrals("param k = 1, l = 2\n" SPACE "constraint c: k*y*x' + l*x*y' = 0\n",
                   "1/2*k*log(x^2) + 1/2*l*log(y^2) by 1/(x*y)");
  /* The position is given already: what its velocity keeps constant is not nothing. */
  assert_integrals(SPACE "constraint at: y = 1\nconstraint c: y' = 0\n", "y by 1");
  assert_special("param a = 1, b = 2, c = 1\n" SPACE "constraint p: a*x + b*y + c*z = 4\n"
                 "constraint q: 2*x + 4*y + 2*z = 8\n",
                 2, "q redundant for a b c");
  assert_special("param a = 1, b = 2\n" SPACE "constraint p: a*x + b*y = 4\n"
                 "constraint q: 2*a*x + 2*b*y = 8\n",
                 1, "");
  assert_special("param a = 1\n" SPACE "constraint p: x = a\nconstraint q: x' = 0\n"
                 "constraint r: x*y = a*y\n",
                 1, "");
#undef SPACE
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sets),      cmocka_unit_test(test_classes),
      cmocka_unit_test(test_trains),    cmocka_unit_test(test_manifold),
      cmocka_unit_test(test_conflicts), cmocka_unit_test(test_partners),
      cmocka_unit_test(test_many),      cmocka_unit_test(test_multipliers),
      cmocka_unit_test(test_chetaev),   cmocka_unit_test(test_claims),
      cmocka_unit_test(test_integrals), cmocka_unit_test(test_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
