/* Models with constraints: accelerations and multipliers against closed forms and against the
 * model's own matrices, every function interpreted, compiled and from an object file, and the
 * Jacobian against differences. */
#define _GNU_SOURCE
#include "problem.h"
#include "tests/unit/derive/build.h"

/* ---- the models */

static void coordinates(struct built *b, const char *const *names, const char *unit) {
  for (; *names != NULL; names++) built_coordinate(b, *names, unit);
}

static void output(struct built *b, const char *name, const char *value) {
  struct model_output made = {.id = built_name(b, name, "1"), .value = built_formula(b, value)};
  vector_push(&b->model.outputs, made);
}

static void build_pendulum(struct built *b) {
  static const char *const names[] = {"x", "y", NULL};
  built_init(b);
  coordinates(b, names, "m");
  built_state(b, "z");
  built_energy(b, ENERGY_KINETIC, "1/2*2*(x'^2 + y'^2)");
  built_energy(b, ENERGY_POTENTIAL, "2*9.81*y");
  built_constraint(b, "rod", CONSTRAINT_POSITION, "x^2 + y^2 - 25");
  built_rate(b, 0, "λ_rod - z + x''");
  output(b, "tension", "-2*5*λ_rod");
}

/* A car whose steering is straight: the first coefficients of both constraints are zero. */
static void build_car(struct built *b) {
  static const char *const places[] = {"x", "y", NULL}, *const angles[] = {"th", "de", NULL};
  built_init(b);
  coordinates(b, places, "m");
  coordinates(b, angles, "rad");
  built_energy(b, ENERGY_KINETIC,
               "1/2*12*((x' - 0.35*th'*sin(th))^2 + (y' + 0.35*th'*cos(th))^2)"
               " + 1/2*0.9*th'^2 + 1/2*0.04*(th' + de')^2");
  built_force(b, "5*cos(th)", "x", false);
  built_force(b, "5*sin(th)", "y", false);
  built_force(b, "0.6", "de", false);
  built_constraint(b, "rear", CONSTRAINT_VELOCITY, "-x'*sin(th) + y'*cos(th)");
  built_constraint(b, "front", CONSTRAINT_VELOCITY,
                   "-x'*sin(th + de) + y'*cos(th + de) + 0.8*th'*cos(de)");
}

/* Two masses over a pulley without mass, which hangs over a fixed one against a third mass. */
static void build_atwood(struct built *b) {
  static const char *const names[] = {"y1", "yp", "y2", "y3", NULL};
  built_init(b);
  coordinates(b, names, "m");
  built_energy(b, ENERGY_KINETIC, "1/2*(4*y1'^2 + 3*y2'^2 + y3'^2)");
  built_energy(b, ENERGY_POTENTIAL, "-9.81*(4*y1 + 3*y2 + y3)");
  built_constraint(b, "upper", CONSTRAINT_POSITION, "y1 + yp - 2");
  built_constraint(b, "lower", CONSTRAINT_POSITION, "y2 + y3 - 2*yp - 1.5");
}

static void build_four_bar(struct built *b) {
  static const char *const names[] = {"q1", "q2", "q3", NULL};
  built_init(b);
  coordinates(b, names, "rad");
  built_energy(b, ENERGY_KINETIC, "1/2*(0.6*0.09/3)*q1'^2 + 1/2*(1.4*0.49/3)*q3'^2");
  built_energy(b, ENERGY_KINETIC,
               "1/2*1.8*((0.3*q1'*sin(q1) + 0.45*q2'*sin(q2))^2"
               " + (0.3*q1'*cos(q1) + 0.45*q2'*cos(q2))^2) + 1/2*(1.8*0.81/12)*q2'^2");
  built_energy(b, ENERGY_POTENTIAL,
               "9.81*(0.6*0.15*sin(q1) + 1.8*(0.3*sin(q1) + 0.45*sin(q2)) + 1.4*0.35*sin(q3))");
  built_force(b, "2.5", "q1", false);
  built_constraint(b, "loop.x", CONSTRAINT_POSITION,
                   "0.3*cos(q1) + 0.9*cos(q2) - 0.8 - 0.7*cos(q3)");
  built_constraint(b, "loop.y", CONSTRAINT_POSITION, "0.3*sin(q1) + 0.9*sin(q2) - 0.7*sin(q3)");
}

/* A platform on three equal cranks: the six pins leave one motion, not none. */
static void build_cranks(struct built *b) {
  static const char *const angles[] = {"t1", "t2", "t3", "p", NULL};
  static const char *const places[] = {"x", "y", NULL};
  built_init(b);
  coordinates(b, angles, "rad");
  coordinates(b, places, "m");
  built_energy(b, ENERGY_KINETIC, "1/2*0.4*0.25/3*(t1'^2 + t2'^2 + t3'^2) + 1/2*2*1.5^2/12*p'^2");
  built_energy(b, ENERGY_KINETIC, "1/2*2*((x' - 0.75*p'*sin(p))^2 + (y' + 0.75*p'*cos(p))^2)");
  built_energy(b, ENERGY_POTENTIAL,
               "9.81*(0.4*0.25*(sin(t1) + sin(t2) + sin(t3)) + 2*(y + 0.75*sin(p)))");
  built_constraint(b, "a.x", CONSTRAINT_POSITION, "x - 0.5*cos(t1)");
  built_constraint(b, "a.y", CONSTRAINT_POSITION, "y - 0.5*sin(t1)");
  built_constraint(b, "b.x", CONSTRAINT_POSITION, "x + 0.6*cos(p) - 0.6 - 0.5*cos(t2)");
  built_constraint(b, "b.y", CONSTRAINT_POSITION, "y + 0.6*sin(p) - 0.5*sin(t2)");
  built_constraint(b, "c.x", CONSTRAINT_POSITION, "x + 1.5*cos(p) - 1.5 - 0.5*cos(t3)");
  built_constraint(b, "c.y", CONSTRAINT_POSITION, "y + 1.5*sin(p) - 0.5*sin(t3)");
  b->model.structure.rank = 5;
}

/* A bead on a parabola with friction from the force of the constraint: B is not A^T. */
static void build_bead(struct built *b) {
  static const char *const names[] = {"x", "y", NULL};
  built_init(b);
  coordinates(b, names, "m");
  built_energy(b, ENERGY_KINETIC, "1/2*(x'^2 + y'^2)");
  built_energy(b, ENERGY_POTENTIAL, "9.81*y");
  built_constraint(b, "wire", CONSTRAINT_POSITION, "y - x^2");
  built_force(b, "-0.2*λ_wire", "x", false);
  built_force(b, "-0.4*λ_wire*x", "y", false);
  output(b, "normal", "λ_wire*(1 + 4*x^2)");
}

/* Rods in absolute coordinates, pinned to each other: sparse. */
static void build_chain(struct built *b, int links) {
  char name[32], other[200], energy[200];
  built_init(b);
  for (int i = 1; i <= links; i++) {
    static const char *const letters[] = {"x", "y", "a"};
    for (int k = 0; k < 3; k++) {
      snprintf(name, sizeof name, "%s[%d]", letters[k], i);
      built_coordinate(b, name, k < 2 ? "m" : "rad");
    }
  }
  for (int i = 1; i <= links; i++) {
    snprintf(energy, sizeof energy, "1/2*(x[%d]'^2 + y[%d]'^2 + 1/12*a[%d]'^2)", i, i, i);
    built_energy(b, ENERGY_KINETIC, energy);
    snprintf(energy, sizeof energy, "9.81*y[%d]", i);
    built_energy(b, ENERGY_POTENTIAL, energy);
    snprintf(name, sizeof name, "px[%d]", i);
    int length = snprintf(other, sizeof other, "x[%d] - 1/2*cos(a[%d])", i, i);
    if (i > 1) snprintf(other + length, 100, " - x[%d] - 1/2*cos(a[%d])", i - 1, i - 1);
    built_constraint(b, name, CONSTRAINT_POSITION, other);
    snprintf(name, sizeof name, "py[%d]", i);
    length = snprintf(other, sizeof other, "y[%d] - 1/2*sin(a[%d])", i, i);
    if (i > 1) snprintf(other + length, 100, " - y[%d] - 1/2*sin(a[%d])", i - 1, i - 1);
    built_constraint(b, name, CONSTRAINT_POSITION, other);
  }
}

/* ---- a model with its ways to run */

struct compiled {
  struct built built;
  struct system *system;
  struct program *program;
  dyn_model *interpreted;
  struct backend_model *jit;
  struct arguments arguments;
  bool goes_careful_way; /* always; set before compiled_finish */
};

static void take_careful_way(struct tape *tape) {
  if (tape == NULL || tape->careful == NULL) return;
  tape->code.items[tape->solvers.items[0].ok] = (struct tape_instruction){.operation = TAPE_FALSE};
}

static void compiled_finish(struct compiled *c, const char *const *names, const double *values) {
  struct random_source random = {21};
  struct backend_options options = backend_default_options();
  c->system = built_derive(&c->built);
  if (c->system->output == NULL && c->built.model.outputs.count > 0) fail_msg("no outputs");
  c->program = program_build(c->built.context, c->system, PROGRAM_ALL);
  for (int f = 0; c->goes_careful_way && f < PROGRAM_FUNCTION_COUNT; f++)
    take_careful_way(c->program->tapes[f]);
  program_check(c->program);
  c->interpreted = program_interpreted_model(c->program);
  char *fault =
      open_backend()->jit(c->program, c->interpreted, PROGRAM_ALL, &options, NULL, &c->jit);
  if (fault != NULL) fail_msg("%s", fault);
  dyn_model *larger = c->interpreted;
  if (c->jit->model->n_work > larger->n_work) larger->n_work = c->jit->model->n_work;
  c->arguments = arguments_new(larger, &random);
  size_t n = (size_t)larger->n_state + (size_t)larger->n_constraints;
  free(c->arguments.out);
  c->arguments.out = checked_calloc(4 * n * n + 100, sizeof(double));
  for (size_t i = 0; names != NULL && names[i] != NULL; i++)
    for (int32_t k = 0; k < larger->n_state; k++) {
      const dyn_variable *variable = k < larger->n_coordinates ? &larger->coordinates[k]
                                     : k < 2 * larger->n_coordinates
                                         ? &larger->velocities[k - larger->n_coordinates]
                                         : &larger->rates[k - 2 * larger->n_coordinates];
      if (strcmp(variable->name, names[i]) == 0) c->arguments.x[k] = values[i];
    }
}

static void compiled_clear(struct compiled *c) {
  arguments_clear(&c->arguments);
  open_backend()->release(c->jit);
  free(c->interpreted);
  program_free(c->program);
  system_free(c->system);
  built_clear(&c->built);
}

/* All functions of both models give the same bits. */
static void compare_functions(const struct compiled *c, const dyn_model *other) {
#define PROGRAM_FUNCTION(NAME, member)                                                             \
  do {                                                                                             \
    const dyn_model *model = c->interpreted;                                                       \
    assert_int_equal(model->member == NULL, other->member == NULL);                                \
    if (model->member == NULL) break;                                                              \
    size_t count = c->program->tapes[PROGRAM_FUNCTION_##NAME]->out_count;                          \
    double *kept = checked_calloc(count + 1, sizeof(double));                                      \
    int status = call(model, model->member, &c->arguments);                                        \
    memcpy(kept, c->arguments.out, count * sizeof(double));                                        \
    assert_int_equal(call(other, other->member, &c->arguments), status);                           \
    for (size_t i = 0; i < count && status == 0; i++)                                              \
      if (kept[i] != c->arguments.out[i] &&                                                        \
          (kept[i] == kept[i] || c->arguments.out[i] == kept[i]))                                  \
        fail_msg("%s %zu: %.17g and %.17g", #member, i, kept[i], c->arguments.out[i]);             \
    free(kept);                                                                                    \
  } while (0);
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
}

static void compare_text(const char *first, const char *second) {
  assert_string_equal(first, second);
  assert_ptr_not_equal(first, second);
}

/* The constraints of an object file are those of the model. */
static void compare_tables(const dyn_model *first, const dyn_model *second) {
  assert_int_equal(first->abi, DYN_MODEL_ABI);
  assert_int_equal(first->size, sizeof *second);
  assert_int_equal(first->n_constraints, second->n_constraints);
  assert_int_equal(first->constraint_rank, second->constraint_rank);
  assert_int_equal(first->n_position, second->n_position);
  for (int32_t k = 0; k < first->n_constraints; k++) {
    const dyn_constraint *a = &first->constraints[k], *b = &second->constraints[k];
    compare_text(a->name, b->name);
    compare_text(a->text, b->text);
    compare_text(a->unit, b->unit);
    compare_text(a->multiplier_name, b->multiplier_name);
    compare_text(a->multiplier_unit, b->multiplier_unit);
    assert_int_equal(a->flags, b->flags);
  }
  for (int32_t i = 0; i < first->n_position; i++) {
    const dyn_position_equation *a = &first->position_equations[i];
    assert_int_equal(a->constraint, second->position_equations[i].constraint);
    assert_int_equal(a->is_integral, second->position_equations[i].is_integral);
  }
  for (int32_t i = 0; i < first->n_coordinates; i++) {
    assert_int_equal(first->coordinates[i].flags, second->coordinates[i].flags);
    assert_int_equal(first->velocities[i].flags, second->velocities[i].flags);
  }
}

/* M q'' = f + B λ and A q'' + bias = 0 with the functions of the model itself. */
static void check_equations(const struct compiled *c, double tolerance) {
  const dyn_model *model = c->jit->model;
  size_t n = (size_t)model->n_coordinates, m = (size_t)model->n_constraints;
  double *q = checked_calloc(n, 8), *lambda = checked_calloc(m + 1, 8), *out = c->arguments.out;
  double *left = checked_calloc(n, 8), *force = checked_calloc(n * m + 1, 8);
  assert_int_equal(call(model, model->acceleration, &c->arguments), 0);
  memcpy(q, out, n * sizeof(double));
  assert_int_equal(call(model, model->multipliers, &c->arguments), 0);
  memcpy(lambda, out, (m + 1) * sizeof(double));
  assert_int_equal(call(model, model->mass_matrix, &c->arguments), 0);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) left[i] += out[i + j * n] * q[j];
  assert_int_equal(call(model, model->forcing, &c->arguments), 0);
  for (size_t i = 0; i < n; i++) left[i] -= out[i];
  assert_int_equal(call(model, model->velocity_residuals, &c->arguments), 0);
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; i < n; i++) force[i + k * n] = out[m + i + k * n];
  assert_int_equal(call(model, model->constraint_bias, &c->arguments), 0);
  for (size_t k = 0; k < m; k++) {
    double sum = out[k];
    for (size_t i = 0; i < n; i++) sum += force[i + k * n] * q[i];
    assert_nearly(sum, 0, tolerance);
  }
  if (model->multiplier_force != NULL) {
    assert_int_equal(call(model, model->multiplier_force, &c->arguments), 0);
    memcpy(force, out, n * m * sizeof(double));
  }
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; i < n; i++) left[i] -= force[i + k * n] * lambda[k];
  for (size_t i = 0; i < n; i++) assert_nearly(left[i], 0, tolerance);
  free(q);
  free(lambda);
  free(left);
  free(force);
}

static void expect(const struct compiled *c, const double *accelerations, const double *multipliers,
                   double dependent) {
  const dyn_model *model = c->interpreted;
  compare_functions(c, c->jit->model);
  check_equations(c, 1e-10);
  assert_int_equal(call(model, model->acceleration, &c->arguments), 0);
  for (int32_t i = 0; i < model->n_coordinates && accelerations != NULL; i++)
    assert_nearly(c->arguments.out[i], accelerations[i], 1e-11);
  assert_int_equal(call(model, model->multipliers, &c->arguments), 0);
  for (int32_t k = 0; k < model->n_constraints && multipliers != NULL; k++)
    assert_nearly(c->arguments.out[k], multipliers[k], 1e-11);
  assert_true(c->arguments.out[model->n_constraints] == dependent);
}

/* ---- the tests */

static void pendulum(void **state) {
  (void)state;
  static const char *const names[] = {"x", "y", "x'", "y'", "z", NULL};
  static const double values[] = {3, -4, 1.6, 1.2, 0.5};
  struct compiled c = {0};
  build_pendulum(&c.built);
  compiled_finish(&c, names, values);
  const dyn_model *model = c.interpreted;
  double lambda = 2 * (9.81 * -4 - 4.0) / (2 * 25);
  const double accelerations[] = {3 * lambda, -9.81 - 4 * lambda}; /* λ d(x^2 + y^2)/dq / m */
  expect(&c, accelerations, &lambda, 0);
  assert_int_equal(call(model, model->rhs, &c.arguments), 0);
  assert_nearly(c.arguments.out[4], lambda - 0.5 + 3 * lambda, 1e-13);
  assert_int_equal(call(model, model->output_values, &c.arguments), 0);
  assert_nearly(c.arguments.out[0], -10 * lambda, 1e-13);
  assert_int_equal(call(model, model->position_residuals, &c.arguments), 0);
  assert_true(c.arguments.out[0] == 0 && c.arguments.out[1] == 6 && c.arguments.out[2] == -8);
  assert_int_equal(call(model, model->velocity_residuals, &c.arguments), 0);
  assert_nearly(c.arguments.out[0], 0, 1e-14);
  assert_true(model->n_constraints == 1 && model->constraint_rank == 1 && model->n_position == 1);
  assert_string_equal(model->constraints[0].multiplier_name, "multiplier(rod)");
  assert_int_equal(model->constraints[0].flags, DYN_CONSTRAINT_POSITION);
  assert_true(model->position_equations[0].constraint == 0 && model->multiplier_force == NULL);
  /* hanging straight down at rest, where one coefficient is zero */
  static const double down[] = {0, -5, 0, 0, 0};
  memcpy(c.arguments.x, down, sizeof down);
  const double still[] = {0, 0}, weight = -9.81 / 5;
  expect(&c, still, &weight, 0);
  compiled_clear(&c);
}

static void car(void **state) {
  (void)state;
  static const char *const names[] = {"x", "y", "th", "de", "x'", "y'", "th'", "de'", NULL};
  static const double values[] = {0, 0, 0, 0, 3, 0, 0, 0.4};
  static const double accelerations[] = {0.4166666666666667, 0, 1.5, 13.5};
  static const double multipliers[] = {1.10625, 5.19375};
  struct compiled c = {0};
  build_car(&c.built);
  compiled_finish(&c, names, values);
  assert_null(c.interpreted->position_residuals);
  expect(&c, accelerations, multipliers, 0);
  compiled_clear(&c);
}

static void pulley_without_mass(void **state) {
  (void)state;
  static const double g = 9.81;
  const double accelerations[] = {g / 7, -g / 7, 3 * g / 7, -5 * g / 7};
  static const double multipliers[] = {-33.63428571428572, -16.81714285714286};
  struct compiled c = {0};
  build_atwood(&c.built);
  compiled_finish(&c, NULL, NULL);
  expect(&c, accelerations, multipliers, 0);
  compiled_clear(&c);
}

static void four_bar(void **state) {
  (void)state;
  static const char *const names[] = {"q1", "q2", "q3", "q1'", NULL};
  static const double values[] = {1.1, 0.48561069268949314, 1.3810455535968182, 2};
  struct compiled c = {0};
  build_four_bar(&c.built);
  compiled_finish(&c, names, values);
  expect(&c, NULL, NULL, 0);
  compiled_clear(&c);
}

static void friction(void **state) {
  (void)state;
  static const char *const names[] = {"x", "y", "x'", "y'", NULL};
  static const double values[] = {0.5, 0.25, 2, 2};
  struct compiled c = {0};
  build_bead(&c.built);
  compiled_finish(&c, names, values);
  assert_non_null(c.interpreted->multiplier_force);
  expect(&c, NULL, NULL, 0);
  compiled_clear(&c);
}

/* On the manifold, and a little beside it as an integrator's steps may be. */
static void redundant_cranks(void **state) {
  (void)state;
  static const char *const names[] = {"t1",  "t2",  "t3", "p",  "x",  "y", "t1'",
                                      "t2'", "t3'", "p'", "x'", "y'", NULL};
  static const double values[] = {0.9, 0.9, 0.9, 0, 0.31080498413533225,  0.3916634548137417,
                                  1.1, 1.1, 1.1, 0, -0.43082980029511586, 0.34188548254886547};
  for (int known = 0; known <= 2; known++) { /* nothing; the rank; which constraint follows */
    struct compiled c = {0};
    uint32_t rank = known == 0 ? 6 : 5;
    build_cranks(&c.built);
    c.built.model.structure.rank = rank;
    c.built.model.constraints.items[3].is_redundant = known == 2;
    compiled_finish(&c, names, values);
    const dyn_model *model = c.interpreted;
    expect(&c, NULL, NULL, 1);
    assert_int_equal(call(model, model->acceleration, &c.arguments), 0);
    for (int i = 0; i < 3; i++) assert_nearly(c.arguments.out[i], -13.212319875592973, 1e-10);
    for (double off = 1e-12; off < 1e-4 && rank == 5; off *= 10) {
      c.arguments.x[1] = values[1] + off;
      c.arguments.x[4] = values[4] - off / 3;
      compare_functions(&c, c.jit->model);
      assert_int_equal(call(model, model->acceleration, &c.arguments), 0);
      for (int i = 0; i < 3; i++)
        assert_nearly(c.arguments.out[i], -13.212319875592973, 1e-10 + 100 * off);
    }
    compiled_clear(&c);
  }
}

static void compare_jacobian(struct compiled *c) {
  const dyn_model *model = c->interpreted;
  struct arguments *arguments = &c->arguments;
  size_t size = (size_t)model->n_state;
  double *jacobian = checked_calloc((size_t)model->jacobian_pattern->n_entries + 1, sizeof(double));
  double *above = checked_calloc(size, sizeof(double)), *difference = checked_calloc(size, 8);
  assert_int_equal(call(model, model->jacobian, arguments), 0);
  memcpy(jacobian, arguments->out, (size_t)model->jacobian_pattern->n_entries * sizeof(double));
  for (size_t j = 0; j < size; j++) {
    double x = arguments->x[j], h = 1e-5;
    arguments->x[j] = x + h;
    assert_int_equal(call(model, model->rhs, arguments), 0);
    memcpy(above, arguments->out, size * sizeof(double));
    arguments->x[j] = x - h;
    assert_int_equal(call(model, model->rhs, arguments), 0);
    arguments->x[j] = x;
    for (size_t i = 0; i < size; i++) difference[i] = (above[i] - arguments->out[i]) / (2 * h);
    for (int32_t e = model->jacobian_pattern->columns[j];
         e < model->jacobian_pattern->columns[j + 1]; e++) {
      int32_t row = model->jacobian_pattern->rows[e];
      if (fabs(jacobian[e] - difference[row]) > 1e-5 * (1 + fabs(difference[row])))
        fail_msg("d(x%d)/dx%zu = %g, not %g", row, j, difference[row], jacobian[e]);
      difference[row] = 0;
    }
    for (size_t i = 0; i < size; i++) assert_true(difference[i] == 0); /* the pattern holds all */
  }
  free(jacobian);
  free(above);
  free(difference);
}

static void jacobians_match_differences(void **state) {
  (void)state;
  static void (*const models[])(struct built *) = {build_pendulum, build_car, build_atwood,
                                                   build_four_bar, build_bead};
  for (size_t i = 0; i < COUNT(models); i++) {
    struct compiled c = {0};
    models[i](&c.built);
    compiled_finish(&c, NULL, NULL);
    compare_functions(&c, c.jit->model);
    check_equations(&c, 1e-8);
    compare_jacobian(&c);
    compiled_clear(&c);
  }
}

/* The chain hangs at rest along some line: λ carry the weights below. Its functions grow as the
 * number of links does. */
static void chains_grow_linearly(void **state) {
  (void)state;
  uint32_t before = 0;
  for (int links = 2; links <= 64; links *= 2) {
    struct built b;
    build_chain(&b, links);
    struct system *system = built_derive(&b);
    struct program *program = program_build(b.context, system, PROGRAM_RHS | PROGRAM_MULTIPLIERS);
    struct tape_counts counts = tape_count(program->tapes[PROGRAM_FUNCTION_RHS]);
    uint32_t size = counts.instructions + counts.kernel_operations;
    if (before > 0 && size > 2 * before + before / 2) fail_msg("%u, then %u", before, size);
    before = size;
    dyn_model *model = program_interpreted_model(program);
    struct random_source random = {1};
    struct arguments arguments = arguments_new(model, &random);
    memset(arguments.x, 0, (size_t)model->n_state * sizeof(double));
    for (int i = 0; i < links; i++) {
      arguments.x[3 * i + 1] = -i - 0.5;
      arguments.x[3 * i + 2] = -1.5707963267948966;
    }
    assert_int_equal(call(model, model->multipliers, &arguments), 0);
    for (int i = 0; i < links; i++)
      assert_nearly(arguments.out[2 * i + 1], 9.81 * (links - i), 1e-12);
    arguments_clear(&arguments);
    free(model);
    program_free(program);
    system_free(system);
    built_clear(&b);
  }
}

/* Object files bring their own kernels, and need libm only. */
static void object_files_agree(void **state) {
  (void)state;
  static void (*const models[])(struct built *) = {build_pendulum, build_car, build_cranks,
                                                   build_bead};
  for (size_t i = 0; i < COUNT(models); i++) {
    struct compiled c = {0};
    void *library;
    models[i](&c.built);
    c.built.model.coordinates.items[1].position_given = true;
    c.built.model.coordinates.items[0].velocity_given = true;
    c.built.model.constraints.items[0].is_rheonomic = true;
    compiled_finish(&c, NULL, NULL);
    assert_int_equal(c.interpreted->coordinates[1].flags, DYN_START_GIVEN);
    assert_int_equal(c.interpreted->velocities[1].flags, 0);
    assert_true(c.interpreted->constraints[0].flags & DYN_CONSTRAINT_RHEONOMIC);
    const dyn_model *linked = link_program(c.program, PROGRAM_ALL, &library);
    compare_tables(linked, c.interpreted);
    int32_t work = linked->n_work;
    free(c.arguments.work);
    c.arguments.work = checked_calloc(
        (size_t)(work > c.interpreted->n_work ? work : c.interpreted->n_work) + 1, sizeof(double));
    compare_functions(&c, linked);
    dlclose(library);
    compiled_clear(&c);
  }
}

/* The way through refinement and verification, which the tapes of right-hand sides take only where
 * they must, leads to the same accelerations and multipliers. */
static void careful_way(void **state) {
  (void)state;
  static const char *const names[] = {"q1", "q2", "q3", NULL};
  static const double values[] = {0.9, 0.6, 1.7};
  struct compiled c = {0};
  double kept[3];
  build_four_bar(&c.built);
  compiled_finish(&c, names, values);
  struct tape *tape = c.program->tapes[PROGRAM_FUNCTION_ACCELERATION];
  assert_non_null(tape->careful);
  assert_true(tape_count(tape).instructions < tape_count(tape->careful).instructions);
  assert_int_equal(call(c.interpreted, c.interpreted->acceleration, &c.arguments), 0);
  memcpy(kept, c.arguments.out, sizeof kept);
  take_careful_way(tape);
  assert_int_equal(call(c.interpreted, c.interpreted->acceleration, &c.arguments), 0);
  for (int i = 0; i < 3; i++) assert_nearly(c.arguments.out[i], kept[i], 1e-13);
  compiled_clear(&c);
}

/* The same out of the middle of a function in parts, by machine code: rods that hang aslant. */
static void careful_way_of_long_functions(void **state) {
  (void)state;
  enum { LINKS = 30, N = 3 * LINKS };
  double kept[N];
  for (int is_careful = 0; is_careful < 2; is_careful++) {
    struct compiled c = {.goes_careful_way = is_careful};
    build_chain(&c.built, LINKS);
    compiled_finish(&c, NULL, NULL);
    struct tape *tape = c.program->tapes[PROGRAM_FUNCTION_ACCELERATION];
    assert_non_null(tape->careful);
    assert_true(tape->code.count > 3000);
    double *x = c.arguments.x, y = 0, angle = 0;
    memset(x, 0, 2 * N * sizeof *x);
    for (int i = 0; i < LINKS; i++, y += sin(angle)) {
      angle = -1 - 0.02 * i;
      x[3 * i] = (i > 0 ? x[3 * i - 3] + cos(x[3 * i - 1]) / 2 : 0) + cos(angle) / 2;
      x[3 * i + 1] = y + sin(angle) / 2;
      x[3 * i + 2] = angle;
    }
    compare_functions(&c, c.jit->model);
    assert_int_equal(call(c.jit->model, c.jit->model->acceleration, &c.arguments), 0);
    for (int i = 0; i < N && is_careful; i++) assert_nearly(c.arguments.out[i], kept[i], 1e-11);
    memcpy(kept, c.arguments.out, sizeof kept);
    compiled_clear(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum),
      cmocka_unit_test(car),
      cmocka_unit_test(pulley_without_mass),
      cmocka_unit_test(four_bar),
      cmocka_unit_test(friction),
      cmocka_unit_test(redundant_cranks),
      cmocka_unit_test(careful_way),
      cmocka_unit_test(careful_way_of_long_functions),
      cmocka_unit_test(jacobians_match_differences),
      cmocka_unit_test(object_files_agree),
      cmocka_unit_test(chains_grow_linearly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
