/* Size: how many nodes the energies and positions of chains take, and that long ones are made in
 * time that grows with their length. Budgets are what was measured. */
#include "tests/unit/kinematics/support.h"
#include <time.h>

enum shape {
  ABSOLUTE,  /* a plane chain, angles against the world */
  RELATIVE,  /* a plane chain, angles against the link before */
  ALTERNATE, /* in space: z, x, z, x, ... */
  SHAPES
};

struct chain {
  struct motion motion;
  enum shape shape;
  uint32_t links;
  expr *energies, *heights; /* per link: translation, rotation; dot(up, centre) */
  expr *ends;               /* with_ends: three world components per link */
};

static expr *numbers(uint32_t count) {
  return checked_calloc(count, sizeof(expr));
}

static void chain_make(struct chain *c, enum shape shape, uint32_t links, bool with_ends) {
  *c = (struct chain){.shape = shape, .links = links};
  struct motion *m = &c->motion;
  motion_init(m);
  c->energies = numbers(2 * links);
  c->heights = numbers(links);
  c->ends = with_ends ? numbers(3 * links) : NULL;
  expr zero = integer(m, 0), l = motion_parameter(m, "l"), mass = motion_parameter(m, "m");
  expr moments[3] = {motion_parameter(m, "A"), motion_parameter(m, "B"), motion_parameter(m, "C")};
  expr *q = numbers(links), half = times(m, l, expr_ratio(m->g, 1, 2));
  for (uint32_t i = 0; i < links; i++) {
    char name[16];
    snprintf(name, sizeof name, "q%u", i);
    q[i] = motion_coordinate(m, name);
  }
  frame_id f = FRAME_WORLD;
  vector_id end = VECTOR_ZERO;
  for (uint32_t i = 0; i < links; i++) {
    int axis = shape == ALTERNATE && i % 2 == 1 ? 0 : 2;
    f = turned(m, shape == ABSOLUTE ? FRAME_WORLD : f, axis, q[i]);
    vector_id centre = vector_add(m->k, end, vector3(m, f, half, zero, zero));
    end = vector_add(m->k, end, vector3(m, f, l, zero, zero));
    expr inertia[6] = {moments[0], moments[1], moments[2], zero, zero, zero};
    vector_id v = vector_derivative(m->k, centre, FRAME_WORLD);
    c->energies[2 * i] = kinetic_of_translation(m->k, mass, v);
    c->energies[2 * i + 1] =
        kinetic_of_rotation(m->k, f, inertia, frame_omega(m->k, f, FRAME_WORLD));
    c->heights[i] = vector_dot(m->k, unit_vector(m, FRAME_WORLD, 1), centre);
    if (with_ends) vector_components(m->k, end, FRAME_WORLD, c->ends + 3 * i);
  }
  free(q);
}

static void chain_clear(struct chain *c) {
  free(c->energies);
  free(c->heights);
  free(c->ends);
  motion_clear(&c->motion);
}

static uint32_t energy_nodes(struct chain *c) {
  return expr_reachable_count(c->motion.g, c->energies, 2 * c->links);
}

/* ---- values */

/* Velocities of the centres from positions in doubles, moved in time. */
static void plain_centre(struct chain *c, uint32_t link, double time, double out[3]) {
  struct motion *m = &c->motion;
  double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, before = m->time;
  m->time = time;
  double l = m->symbols.items[0].taylor[0];
  out[0] = out[1] = out[2] = 0;
  for (uint32_t i = 0; i <= link; i++) {
    double turn[9], axis[3] = {0, 0, 1};
    if (c->shape == ALTERNATE && i % 2 == 1) axis[0] = 1, axis[2] = 0;
    matrix_turn(axis, motion_symbol_value(m, m->symbols.items[5 + i].symbol[0]), turn);
    if (c->shape == ABSOLUTE)
      memcpy(r, turn, sizeof r);
    else
      matrix_times(r, turn, r);
    for (int j = 0; j < 3; j++) out[j] += (i == link ? l / 2 : l) * r[j];
  }
  m->time = before;
}

static void test_values(void **state) {
  (void)state;
  for (int shape = 0; shape < SHAPES; shape++) {
    struct chain c;
    chain_make(&c, (enum shape)shape, 16, true);
    struct motion *m = &c.motion;
    double mass = m->symbols.items[1].taylor[0], l = m->symbols.items[0].taylor[0];
    for (uint32_t i = 0; i < c.links; i++) {
      double here[3], before[3], after[3], speed[3], end[3];
      const double h = 1e-5;
      plain_centre(&c, i, 0, here);
      plain_centre(&c, i, -h, before);
      plain_centre(&c, i, h, after);
      for (int j = 0; j < 3; j++) speed[j] = (after[j] - before[j]) / (2 * h);
      assert_near(motion_value(m, c.energies[2 * i]), mass * dot3(speed, speed) / 2, 1e-7);
      assert_near(motion_value(m, c.heights[i]), here[1], 1e-12);
      /* The end of a link: twice its centre minus the end before. */
      double want[3] = {2 * here[0], 2 * here[1], 2 * here[2]};
      for (int j = 0; j < 3; j++) {
        end[j] = motion_value(m, c.ends[3 * i + (uint32_t)j]);
        if (i > 0) want[j] -= motion_value(m, c.ends[3 * (i - 1) + (uint32_t)j]);
      }
      assert_true(l > 0);
      assert_all_near(end, want, 3, 1e-12);
    }
    chain_clear(&c);
  }
}

/* ---- budgets */

static void check_budget(enum shape shape, uint32_t links, uint32_t budget) {
  struct chain c;
  chain_make(&c, shape, links, false);
  uint32_t nodes = energy_nodes(&c);
  printf("  shape %d, %u links: %u nodes\n", (int)shape, links, nodes);
  assert_true(nodes <= budget);
  chain_clear(&c);
}

static void test_budgets(void **state) {
  (void)state;
  check_budget(ABSOLUTE, 10, 129);
  check_budget(RELATIVE, 10, 146);
  check_budget(ALTERNATE, 3, 40);
  check_budget(ALTERNATE, 10, 232);
}

/* By hand: sums of l cos, l sin over the links, squared. */
static void test_plane_chain_is_no_larger_than_by_hand(void **state) {
  (void)state;
  struct chain c;
  chain_make(&c, ABSOLUTE, 10, false);
  struct motion *m = &c.motion;
  struct expr_graph *g = m->g;
  expr l = m->symbols.items[0].symbol[0], mass = m->symbols.items[1].symbol[0],
       moment = m->symbols.items[4].symbol[0], by_hand[20], x[10], y[10];
  for (uint32_t i = 0; i < 10; i++) {
    expr q = m->symbols.items[5 + i].symbol[0], rate = m->symbols.items[5 + i].symbol[1];
    x[i] = expr_product(g, (expr[]){expr_ratio(g, -1, 2), l, sine(m, q), rate}, 4);
    y[i] = expr_product(g, (expr[]){expr_ratio(g, 1, 2), l, cosine(m, q), rate}, 4);
    expr sx = expr_sum(g, x, i + 1), sy = expr_sum(g, y, i + 1);
    expr squares = expr_add(g, times(m, sx, sx), times(m, sy, sy));
    by_hand[2 * i] = expr_product(g, (expr[]){expr_ratio(g, 1, 2), mass, squares}, 3);
    by_hand[2 * i + 1] = expr_product(g, (expr[]){expr_ratio(g, 1, 2), moment, rate, rate}, 4);
    x[i] = times(m, integer(m, 2), x[i]);
    y[i] = times(m, integer(m, 2), y[i]);
    assert_near(motion_value(m, c.energies[2 * i]), motion_value(m, by_hand[2 * i]), 1e-13);
  }
  uint32_t nodes = energy_nodes(&c), hand_nodes = expr_reachable_count(g, by_hand, 20);
  printf("  plane chain: %u nodes, by hand %u\n", nodes, hand_nodes);
  /* The second link's energy holds the cosine of the difference, and no squares of sums. */
  assert_true(nodes <= hand_nodes + 4);
  chain_clear(&c);
}

/* Ten times the links, ten times the nodes. */
static void test_growth(void **state) {
  (void)state;
  for (int shape = 0; shape < SHAPES; shape++) {
    uint32_t nodes[2], all[2];
    for (int i = 0; i < 2; i++) {
      struct chain c;
      chain_make(&c, (enum shape)shape, i == 0 ? 20 : 200, true);
      nodes[i] = energy_nodes(&c);
      all[i] = expr_graph_size(c.motion.g);
      chain_clear(&c);
    }
    printf("  shape %d: energies %u -> %u, all %u -> %u\n", shape, nodes[0], nodes[1], all[0],
           all[1]);
    assert_true(nodes[1] <= 11 * nodes[0]);
    assert_true(all[1] <= 13 * all[0]);
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void test_long_chains(void **state) {
  (void)state;
  for (int shape = 0; shape < SHAPES; shape++) {
    struct chain c;
    double start = seconds();
    chain_make(&c, (enum shape)shape, 1000, true);
    printf("  shape %d, 1000 links: %.2f s\n", shape, seconds() - start);
    assert_false(expr_graph_is_full(c.motion.g));
    assert_true(seconds() - start < 60);
    chain_clear(&c);
  }
}

/* A path of 10,000 frames, up and down and across. */
static void test_deep_tree(void **state) {
  (void)state;
  struct motion motion, *m = &motion;
  motion_init(m);
  expr q = motion_coordinate(m, "q"), r[9];
  frame_id ends[2] = {FRAME_WORLD, FRAME_WORLD};
  for (int branch = 0; branch < 2; branch++)
    for (int i = 0; i < 5000; i++)
      ends[branch] = turned(m, ends[branch], (i + branch) % 3,
                            expr_multiply(m->g, expr_ratio(m->g, 1, 1000 + i), q));
  frame_rotation(m->k, ends[0], ends[1], r);
  double got[9], square[9];
  expr_evaluate(m->g, r, 9, motion_symbol_value, m, got);
  matrix_transposed(got, square);
  matrix_times(got, square, square);
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  assert_all_near(square, identity, 9, 1e-11);
  vector_id v = vector_add(m->k, vector3(m, ends[0], q, q, q), vector3(m, ends[1], q, q, q));
  assert_int_equal(vector_frame(m->k, v), FRAME_WORLD);
  vector_id rate = vector_derivative(m->k, v, ends[0]);
  assert_true(vector_part_count(m->k, rate) >= 1);
  assert_true(vector_part_count(m->k, frame_alpha(m->k, ends[0], ends[1])) > 1000);
  motion_clear(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_budgets),
      cmocka_unit_test(test_plane_chain_is_no_larger_than_by_hand),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_long_chains),
      cmocka_unit_test(test_deep_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
