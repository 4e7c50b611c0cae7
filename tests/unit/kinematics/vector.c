/* Vectors: sums of parts, products, components, printing, graphs that are full. */
#include "tests/unit/kinematics/support.h"

static struct motion motion;
static struct motion *const m = &motion;

static int set_up(void **state) {
  (void)state;
  motion_init(m);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  motion_clear(m);
  return 0;
}

static expr zero(void) {
  return integer(m, 0);
}

enum { FRAMES = 8 };

/* 1 and 2 above 3 and 4; 5 and 6 on a branch of their own; 7 beside 1 about the same axis. */
struct tree {
  expr q[FRAMES];
  frame_id f[FRAMES];
};

static struct tree make_tree(void) {
  struct tree t;
  for (int i = 0; i < FRAMES; i++) {
    char name[8];
    snprintf(name, sizeof name, "q%d", i);
    t.q[i] = motion_coordinate(m, name);
  }
  t.f[0] = FRAME_WORLD;
  t.f[1] = turned(m, t.f[0], 2, t.q[1]);
  t.f[2] = turned(m, t.f[1], 0, t.q[2]);
  t.f[3] = turned(m, t.f[2], 1, t.q[3]);
  t.f[4] = turned(m, t.f[3], 2, t.q[4]);
  t.f[5] = turned(m, t.f[1], 1, t.q[5]);
  expr axis[3] = {integer(m, 2), integer(m, -1), integer(m, 2)};
  t.f[6] = frame_rotated(m->k, t.f[5], axis, t.q[6]);
  t.f[7] = turned(m, t.f[0], 2, t.q[7]);
  return t;
}

static vector_id random_vector(const struct tree *t) {
  vector_id v = VECTOR_ZERO;
  for (int i = 0; i < FRAMES; i++) {
    expr c[3];
    if (motion_random(m) < -0.3) continue;
    for (int j = 0; j < 3; j++) {
      int kind = (int)(3 * fabs(motion_random(m)));
      c[j] = kind == 0   ? zero()
             : kind == 1 ? integer(m, (long)(5 * motion_random(m)))
                         : t->q[(int)(FRAMES * fabs(motion_random(m)))];
    }
    v = vector_add(m->k, v, vector_in(m->k, t->f[i], c));
  }
  return v;
}

/* The sum of rotated parts, in doubles. */
static void plain_components(vector_id v, frame_id in, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  for (uint32_t i = 0; i < vector_part_count(m->k, v); i++) {
    expr c[3];
    double r[9], part[3];
    frame_id f = vector_part(m->k, v, i, c);
    motion_rotation(m, f, in, r);
    expr_evaluate(m->g, c, 3, motion_symbol_value, m, part);
    matrix_apply(r, part, part);
    for (int j = 0; j < 3; j++) out[j] += part[j];
  }
}

static void assert_equal_vectors(vector_id a, vector_id b) {
  double x[3], y[3];
  motion_components(m, a, FRAME_WORLD, x);
  motion_components(m, b, FRAME_WORLD, y);
  assert_all_near(x, y, 3, 1e-12);
}

/* ---- algebra */

static void test_components_of_random_vectors(void **state) {
  (void)state;
  struct tree t = make_tree();
  for (int round = 0; round < 40; round++) {
    vector_id v = random_vector(&t);
    for (int i = 0; i < FRAMES; i++) {
      double got[3], want[3];
      motion_components(m, v, t.f[i], got);
      plain_components(v, t.f[i], want);
      assert_all_near(got, want, 3, 1e-12);
    }
  }
}

static void test_products_of_random_vectors(void **state) {
  (void)state;
  struct tree t = make_tree();
  for (int round = 0; round < 40; round++) {
    vector_id a = random_vector(&t), b = random_vector(&t);
    double x[3], y[3], z[3], got[3];
    plain_components(a, t.f[2], x);
    plain_components(b, t.f[2], y);
    assert_near(motion_value(m, vector_dot(m->k, a, b)), dot3(x, y), 1e-12);
    assert_near(motion_value(m, vector_dot(m->k, a, a)), dot3(x, x), 1e-12);
    assert_near(motion_value(m, vector_norm(m->k, a)), sqrt(dot3(x, x)), 1e-12);
    motion_components(m, vector_cross(m->k, a, b), t.f[2], got);
    cross3(x, y, z);
    assert_all_near(got, z, 3, 1e-12);
  }
}

static void test_identities(void **state) {
  (void)state;
  struct tree t = make_tree();
  struct kinematics *k = m->k;
  for (int round = 0; round < 20; round++) {
    vector_id a = random_vector(&t), b = random_vector(&t), c = random_vector(&t);
    vector_id jacobi = vector_add(k, vector_cross(k, a, vector_cross(k, b, c)),
                                  vector_add(k, vector_cross(k, b, vector_cross(k, c, a)),
                                             vector_cross(k, c, vector_cross(k, a, b))));
    assert_equal_vectors(jacobi, VECTOR_ZERO);
    vector_id triple = vector_subtract(k, vector_scale(k, vector_dot(k, a, c), b),
                                       vector_scale(k, vector_dot(k, a, b), c));
    assert_equal_vectors(vector_cross(k, a, vector_cross(k, b, c)), triple);
    assert_int_equal(vector_subtract(k, a, a), VECTOR_ZERO);
    assert_int_equal(vector_add(k, a, b), vector_add(k, b, a));
    assert_int_equal(vector_subtract(k, vector_add(k, a, b), b), a);
    assert_int_equal(vector_scale(k, integer(m, 2), a), vector_add(k, a, a));
    vector_id difference = vector_subtract(k, b, a);
    assert_int_equal(difference, vector_scale(k, integer(m, -1), vector_subtract(k, a, b)));
  }
}

/* ---- what must be seen without any test for zero */

static void test_exact_zeros(void **state) {
  (void)state;
  struct tree t = make_tree();
  struct kinematics *k = m->k;
  for (int f = 0; f < FRAMES; f++) {
    for (int i = 0; i < 3; i++) {
      vector_id x = unit_vector(m, t.f[f], i), y = unit_vector(m, t.f[f], (i + 1) % 3);
      assert_same(m, vector_dot(k, x, x), integer(m, 1));
      assert_same(m, vector_dot(k, x, y), zero());
      assert_int_equal(vector_cross(k, x, y), unit_vector(m, t.f[f], (i + 2) % 3));
      assert_same(m, vector_norm(k, x), integer(m, 1));
    }
  }
  vector_id axis = unit_vector(m, t.f[1], 2);
  assert_int_equal(axis, unit_vector(m, FRAME_WORLD, 2)); /* fixed in both */
  vector_id radius = unit_vector(m, t.f[1], 0);
  assert_same(m, vector_dot(k, axis, radius), zero());
  assert_same(m, vector_dot(k, radius, unit_vector(m, t.f[7], 0)),
              cosine(m, expr_subtract(m->g, t.q[1], t.q[7])));
  assert_same(m, vector_dot(k, axis, unit_vector(m, t.f[2], 2)), cosine(m, t.q[2]));
}

static void test_where_parts_meet(void **state) {
  (void)state;
  struct tree t = make_tree();
  struct kinematics *k = m->k;
  expr x = motion_parameter(m, "x");
  vector_id part[FRAMES];
  for (int i = 0; i < FRAMES; i++) part[i] = vector3(m, t.f[i], x, x, x);
  assert_int_equal(vector_frame(k, VECTOR_ZERO), FRAME_WORLD);
  assert_int_equal(vector_frame(k, part[3]), t.f[3]);
  assert_int_equal(vector_frame(k, vector_add(k, part[1], part[4])), t.f[4]);
  assert_int_equal(vector_frame(k, vector_add(k, part[4], part[6])), t.f[1]);
  vector_id three = vector_add(k, part[0], vector_add(k, part[3], part[5]));
  assert_int_equal(vector_frame(k, three), t.f[1]);
  assert_int_equal(vector_frame(k, vector_add(k, three, part[4])), t.f[1]);
  assert_int_equal(vector_frame(k, vector_add(k, three, part[7])), FRAME_WORLD);
  assert_int_equal(vector_frame(k, vector_cross(k, part[2], part[4])), t.f[4]);
}

static expr doubled(void *user, expr e) {
  struct motion *motion_ = user;
  return expr_multiply(motion_->g, expr_integer(motion_->g, 2), e);
}

static expr nothing(void *user, expr e) {
  struct motion *motion_ = user;
  (void)e;
  return expr_integer(motion_->g, 0);
}

static const char *letter(void *user, frame_id frame) {
  static const char *const names[] = {"", "world", "A", "B", "C"};
  (void)user;
  return names[frame];
}

static void test_parts(void **state) {
  (void)state;
  struct tree t = make_tree();
  struct kinematics *k = m->k;
  vector_id v = vector_add(k, vector3(m, t.f[2], t.q[0], zero(), integer(m, 1)),
                           vector3(m, FRAME_WORLD, zero(), integer(m, 2), zero()));
  expr c[3];
  assert_int_equal(vector_part_count(k, v), 2);
  assert_int_equal(vector_part(k, v, 0, c), FRAME_WORLD);
  assert_same(m, c[1], integer(m, 2));
  assert_int_equal(vector_part(k, v, 1, c), t.f[2]);
  assert_same(m, c[0], t.q[0]);
  assert_int_equal(vector_map(k, v, doubled, m), vector_add(k, v, v));
  assert_int_equal(vector_map(k, v, nothing, m), VECTOR_ZERO);
  struct text text = {0};
  vector_print(k, &text, v, letter, NULL);
  text_put(&text, "; ");
  vector_print(k, &text, VECTOR_ZERO, letter, NULL);
  assert_string_equal(text_string(&text), "world: (0, 2, 0) + B: (q0, 0, 1); 0");
  text_free(&text);
  /* A part along the axis of its frame's turns goes up as far as that axis is fixed. */
  assert_int_equal(vector_part(k, vector3(m, t.f[4], zero(), zero(), t.q[1]), 0, c), t.f[3]);
  assert_same(m, vector_norm(k, vector3(m, t.f[1], t.q[0], zero(), zero())),
              expr_unary(m->g, EXPR_ABS, t.q[0]));
}

/* Whatever is asked of a full graph comes to an end. */
static void test_full_graph(void **state) {
  (void)state;
  for (uint32_t limit = 20; limit < 700; limit += 7) {
    struct motion full;
    motion_init(&full);
    kinematics_free(full.k);
    expr_tangent_free(full.rate);
    expr_graph_free(full.g);
    full.g = expr_graph_new(limit);
    full.rate = expr_tangent_new(full.g);
    full.k = kinematics_new(full.g, full.rate);
    expr zero_ = expr_integer(full.g, 0), q = expr_symbol(full.g, "q", NULL), r[9];
    expr_tangent_seed(full.rate, q, expr_symbol(full.g, "q'", NULL));
    expr two = expr_integer(full.g, 2);
    frame_id f = FRAME_WORLD;
    vector_id v = VECTOR_ZERO;
    for (int i = 0; i < 12; i++) {
      expr axis[3] = {i % 3 ? q : zero_, expr_integer(full.g, i), two};
      f = frame_rotated(full.k, f, axis, expr_add(full.g, q, two));
      if (i == 4) f = frame_oriented(full.k, f, (expr[]){two, q, zero_, q});
      v = vector_add(full.k, v, vector_in(full.k, f, (expr[]){q, two, zero_}));
      frame_rotation(full.k, f, FRAME_WORLD, r);
      vector_cross(full.k, v, vector_derivative(full.k, v, FRAME_WORLD));
      kinetic_of_rotation(full.k, f, (expr[]){q, two, q, two, q, q},
                          frame_omega(full.k, f, FRAME_WORLD));
    }
    assert_true(limit > 600 || expr_graph_is_full(full.g));
    motion_clear(&full);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_components_of_random_vectors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_products_of_random_vectors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_identities, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_exact_zeros, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_where_parts_meet, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_parts, set_up, tear_down),
      cmocka_unit_test(test_full_graph),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
