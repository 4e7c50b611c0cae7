/* Sparse derivatives of a model: those of the interpreter, of the JIT and of a shared library that
 * `dyn build` wrote are the same to the last bit, agree with differences of the functions they are
 * derivatives of, and their patterns hold every entry. Also: the start state that `dyn build` found
 * is the runtime's, and the patterns of whole matrices hold. derivatives MODEL.dyn METHOD MODEL.so
 */
#include <dlfcn.h>
#include <dyn/dyn.h>
#include <dyn/dyn_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { /* one set of arguments */
  const dyn_model *model;
  double t, *x, *y, *u, *p, *work;
};

static int faults;

static void fault(const char *what, int row, int column, double value, double expected) {
  if (faults++ < 10)
    fprintf(stderr, "%s (%d, %d): %.17g, expected %.17g\n", what, row, column, value, expected);
}

static double *array(int32_t count) {
  return calloc((size_t)count + 1, sizeof(double));
}

/* The functions a derivative belongs to, at varied arguments. */
static void values_at(const struct point *at, int of_outputs, double *out) {
  const dyn_model *m = at->model;
  dyn_function *function = of_outputs ? m->output_values : m->rhs;
  int status = function(m, at->t, of_outputs ? at->x : at->y, at->u, at->p, at->work, out);
  if (status != DYN_OK) fault("function failed", status, 0, 0, 0);
}

/* Central differences of order 4, Abramowitz & Stegun 25.3.6. Steps of parameters are in
 * proportion: some are tiny. */
static void difference(const struct point *at, int of_outputs, double *argument, int is_parameter,
                       int32_t rows, double *out) {
  static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2};
  double own = *argument, h = is_parameter && own != 0 ? 1e-3 * fmin(1, fabs(own)) : 1e-3,
         *values = array(rows);
  double *here = array(rows);
  values_at(at, of_outputs, here);
  memset(out, 0, (size_t)rows * sizeof *out);
  for (int k = 0; k < 4; k++) {
    *argument = own + step[k] * h;
    values_at(at, of_outputs, values);
    for (int32_t i = 0; i < rows; i++) out[i] += weight[k] * (values[i] - here[i]) / (12 * h);
  }
  *argument = own;
  free(here);
  free(values);
}

static void compare(const struct point *at, const char *name, int of_outputs, double *arguments,
                    const dyn_pattern *pattern, const double *entries) {
  double *column = array(pattern->n_rows);
  for (int32_t j = 0; j < pattern->n_columns; j++) {
    int32_t previous = -1;
    double size = 1;
    difference(at, of_outputs, &arguments[j], arguments == at->p, pattern->n_rows, column);
    for (int32_t i = 0; i < pattern->n_rows; i++) size = fmax(size, fabs(column[i]));
    for (int32_t e = pattern->columns[j]; e < pattern->columns[j + 1]; e++) {
      int32_t row = pattern->rows[e];
      if (row <= previous) fault("rows do not ascend", row, j, row, previous);
      if (!(fabs(entries[e] - column[row]) <= 2e-8 * size))
        fault(name, row, j, entries[e], column[row]);
      column[row] = 0;
      previous = row;
    }
    for (int32_t i = 0; i < pattern->n_rows; i++)
      if (fabs(column[i]) > 5e-9 * size) fault("not in the pattern", i, j, 0, column[i]);
  }
  free(column);
}

struct case_of {
  const char *name;
  dyn_function *functions[3];
  const dyn_pattern *patterns[3];
  int of_outputs;
  double *arguments;
};

static void check(const dyn_model *const *models, const struct point *points,
                  const struct case_of *c) {
  double *entries[3] = {NULL};
  if (c->functions[0] == NULL || c->patterns[0] == NULL) {
    if (c->functions[1] != NULL || c->functions[2] != NULL || c->patterns[1] || c->patterns[2])
      fault("there for some engines only", 0, 0, 0, 0);
    return;
  }
  int32_t count = c->patterns[0]->n_entries;
  for (int k = 0; k < 3; k++) {
    const struct point *at = &points[k];
    entries[k] = array(count);
    if (c->functions[k] == NULL || c->patterns[k]->n_entries != count ||
        memcmp(c->patterns[k]->rows, c->patterns[0]->rows, (size_t)count * sizeof(int32_t)) != 0)
      fault("patterns differ", k, 0, 0, 0);
    else if (c->functions[k](models[k], at->t, c->of_outputs ? at->x : at->y, at->u, at->p,
                             at->work, entries[k]) != DYN_OK)
      fault("derivative failed", k, 0, 0, 0);
    for (int32_t e = 0; e < count; e++)
      if (memcmp(&entries[k][e], &entries[0][e], sizeof(double)) != 0)
        fault("engines differ", k, e, entries[k][e], entries[0][e]);
  }
  compare(&points[0], c->name, c->of_outputs, c->arguments, c->patterns[0], entries[0]);
  printf("%s: %d entries\n", c->name, count);
  for (int k = 0; k < 3; k++) free(entries[k]);
}

#define CASE(NAME, OF_OUTPUTS, ARGUMENTS)                                                          \
  check(models, points,                                                                            \
        &(struct case_of){                                                                         \
            #NAME,                                                                                 \
            {models[0]->NAME, models[1]->NAME, models[2]->NAME},                                   \
            {models[0]->NAME##_pattern, models[1]->NAME##_pattern, models[2]->NAME##_pattern},     \
            OF_OUTPUTS,                                                                            \
            ARGUMENTS})

/* What the pattern does not list is 0. `entries`: by columns, or by rows behind residuals. */
static void check_zeros(const char *name, const dyn_pattern *pattern, const double *entries,
                        int by_rows) {
  for (int32_t j = 0; j < pattern->n_columns; j++) {
    int32_t e = pattern->columns[j];
    for (int32_t i = 0; i < pattern->n_rows; i++) {
      if (e < pattern->columns[j + 1] && pattern->rows[e] == i) {
        e++;
        continue;
      }
      double value = entries[by_rows ? i * pattern->n_columns + j : i + j * pattern->n_rows];
      if (value != 0) fault(name, i, j, value, 0);
    }
  }
}

static void check_matrices(const struct point *at) {
  const dyn_model *m = at->model;
  int32_t n = m->n_coordinates;
  double *out = array((n + m->n_constraints + m->n_position) * (n + 1));
  if (m->mass_matrix(m, at->t, at->x, at->u, at->p, at->work, out) == DYN_OK)
    check_zeros("mass_matrix", m->mass_matrix_pattern, out, 0);
  if (m->n_position > 0 &&
      m->position_residuals(m, at->t, at->x, at->u, at->p, at->work, out) == DYN_OK)
    check_zeros("position_jacobian", m->position_jacobian_pattern, out + m->n_position, 1);
  if (m->n_constraints > 0 &&
      m->velocity_residuals(m, at->t, at->x, at->u, at->p, at->work, out) == DYN_OK)
    check_zeros("velocity_jacobian", m->velocity_jacobian_pattern, out + m->n_constraints, 1);
  free(out);
}

/* A state beside the assembled start, the same for all engines. */
static int choose_point(const dyn_model *model, const dyn_model *built, struct point *at) {
  dyn_message message = {""};
  dyn_run_options run;
  dyn_assembly assembly = {0};
  *at = (struct point){model,
                       0,
                       array(model->n_state),
                       array(model->n_state),
                       array(model->n_inputs),
                       array(model->n_parameters),
                       array(model->n_work)};
  dyn_problem problem = {.model = model, .p = at->p};
  if (dyn_parameters_complete(model, at->p, NULL, &message) != DYN_DONE ||
      dyn_run_options_init(model, at->p, &run, &message) != DYN_DONE ||
      dyn_start_values(&problem, run.from, at->x, &message) != DYN_DONE ||
      dyn_start_assemble(&problem, run.from, at->x, &assembly) != DYN_DONE)
    return 0;
  dyn_assembly_clear(&assembly);
  for (int32_t i = 0; i < model->n_state; i++)
    if (built->assembled_start == NULL || built->assembled_start[i] != at->x[i])
      fault("assembled_start", i, 0, built->assembled_start ? built->assembled_start[i] : NAN,
            at->x[i]);
  at->t = run.from + 0.3;
  model->default_inputs(model, at->t, NULL, NULL, at->p, at->work, at->u);
  for (int32_t i = 0; i < model->n_state; i++) at->x[i] += 0.01 * sin(3 * i + 1);
  memcpy(at->y, at->x, (size_t)model->n_state * sizeof(double));
  return model->method_state == NULL ||
         model->method_state(model, at->t, at->x, at->u, at->p, at->work, at->y) == DYN_OK;
}

static const dyn_model *compiled(dyn_compiler *compiler, const char *path, const char *method,
                                 dyn_engine engine) {
  dyn_compiler_add_file(compiler, path);
  if (dyn_compiler_derive(compiler, method) != 0) return NULL;
  const dyn_model *first = dyn_compiler_model(compiler, engine);
  if (first == NULL || first->jacobian != NULL) return NULL; /* derivatives on demand */
  return dyn_compiler_derivatives(compiler);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  const dyn_model *models[3];
  dyn_compiler *compilers[2] = {dyn_compiler_new(), dyn_compiler_new()};
  void *library = dlopen(arguments[3], RTLD_NOW);
  models[0] = compiled(compilers[0], arguments[1], arguments[2], DYN_ENGINE_INTERPRETER);
  models[1] = compiled(compilers[1], arguments[1], arguments[2], DYN_ENGINE_JIT);
  models[2] = library != NULL ? dlsym(library, "test_model") : NULL;
  if (models[0] == NULL || models[1] == NULL || models[2] == NULL) {
    fprintf(stderr, "no model\n");
    return 1;
  }
  struct point points[3];
  for (int k = 0; k < 3; k++)
    if (!choose_point(models[k], models[2], &points[k])) return 1;
  struct point *at = &points[0];
  CASE(jacobian, 0, at->y);
  CASE(rhs_by_inputs, 0, at->u);
  CASE(rhs_by_parameters, 0, at->p);
  CASE(outputs_by_state, 1, at->x);
  CASE(outputs_by_inputs, 1, at->u);
  CASE(outputs_by_parameters, 1, at->p);
  check_matrices(at);
  if (models[0]->jacobian == NULL) fault("no Jacobian", 0, 0, 0, 0);
  for (int k = 0; k < 3; k++) {
    free(points[k].x);
    free(points[k].y);
    free(points[k].u);
    free(points[k].p);
    free(points[k].work);
  }
  dyn_compiler_free(compilers[0]);
  dyn_compiler_free(compilers[1]);
  dlclose(library);
  return faults > 0;
}
