/* Linear systems as tapes and the ways to run them: interpreted, compiled into the process, and
 * through an object file, whose kernels are LLVM's and not the interpreter's. */
#ifndef DYN_TESTS_CODEGEN_PROBLEM_H
#define DYN_TESTS_CODEGEN_PROBLEM_H
#include "plant.h"
#include <stdlib.h>

struct problem { /* A X = B with A and B as inputs x of a tape */
  uint32_t n, columns;
  uint32_t coordinates, rank; /* n: a plain matrix; else a bordered one */
  bool is_symmetric;
  bool *nonzero, *is_left_out; /* is_left_out: NULL, or not owned */
  double *a, *b;               /* n*n and n*columns, by columns */
};

static inline struct problem problem_new(uint32_t n, uint32_t columns, bool is_symmetric) {
  struct problem problem = {n, columns, n, n, is_symmetric, NULL, NULL, NULL, NULL};
  problem.nonzero = checked_calloc((size_t)n * n + 1, sizeof(bool));
  problem.a = checked_calloc((size_t)n * n + 1, sizeof(double));
  problem.b = checked_calloc((size_t)n * columns + 1, sizeof(double));
  return problem;
}

static inline void problem_clear(struct problem *problem) {
  free(problem->nonzero);
  free(problem->a);
  free(problem->b);
}

static inline void set_entry(struct problem *problem, uint32_t i, uint32_t j, double value) {
  problem->a[i + j * problem->n] = value;
  problem->nonzero[i + j * problem->n] = true;
  if (!problem->is_symmetric) return;
  problem->a[j + i * problem->n] = value;
  problem->nonzero[j + i * problem->n] = true;
}

static inline struct tape *problem_tape(const struct problem *problem) {
  struct tape_builder builder;
  uint32_t n = problem->n;
  uint32_t count = n * problem->columns + (problem->coordinates < n); /* dependent ones, last */
  struct expr_graph *graph = expr_graph_new(0);
  builder_init(&builder, graph);
  struct solver_shape shape = {.n = n,
                               .coordinates = problem->coordinates,
                               .rank = problem->rank,
                               .is_symmetric = problem->is_symmetric,
                               .nonzero = problem->nonzero,
                               .is_left_out = problem->is_left_out,
                               .columns = problem->columns};
  uint32_t solver = solver_begin(&builder, &shape);
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = problem->is_symmetric ? j : 0; i < n; i++)
      if (problem->nonzero[i + j * n])
        solver_entry(&builder, solver, i, j, builder_input(&builder, TAPE_ARRAY_X, i + j * n));
  solver_factor(&builder, solver);
  uint32_t side = right_side_begin(&builder, solver, problem->columns, true);
  for (uint32_t c = 0; c < problem->columns; c++)
    for (uint32_t i = 0; i < n; i++)
      right_side_entry(&builder, side, i, c, builder_input(&builder, TAPE_ARRAY_U, i + c * n));
  tape_value *solution = checked_calloc((size_t)count + 1, sizeof *solution);
  right_side_solve(&builder, side, solution);
  for (uint32_t i = 0; i < count; i++) builder_output(&builder, i, solution[i]);
  free(solution);
  struct tape *tape = builder_finish(&builder);
  expr_graph_free(graph);
  return tape;
}

static inline int run_problem(const struct tape *tape, const struct problem *problem, double *out) {
  double *work = checked_calloc((size_t)tape_interpreter_work(tape) + 1, sizeof(double));
  struct tape_arguments arguments = {0, problem->a, problem->b, NULL, work, out};
  int status = tape_run(tape, &arguments);
  free(work);
  return status;
}

/* The tape as the right-hand side of a model without anything else. */
struct carrier {
  struct plant plant;
  struct program *program;
};

static inline void carrier_init(struct carrier *carrier, struct tape *tape) {
  plant_init(&carrier->plant, 0, 0);
  carrier->program = program_build(carrier->plant.context, &carrier->plant.system, 0);
  carrier->program->tapes[PROGRAM_FUNCTION_RHS] = tape;
}

static inline void carrier_clear(struct carrier *carrier) {
  carrier->program->tapes[PROGRAM_FUNCTION_RHS] = NULL;
  program_free(carrier->program);
  plant_clear(&carrier->plant);
}

static inline int run_model(const dyn_model *model, const struct problem *problem, double *out) {
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof(double));
  int status = model->rhs(model, 0, problem->a, problem->b, NULL, work, out);
  free(work);
  return status;
}

static inline int run_compiled(struct tape *tape, const struct problem *problem, double *out) {
  struct carrier carrier;
  carrier_init(&carrier, tape);
  dyn_model *interpreted = program_interpreted_model(carrier.program);
  struct backend_options options = backend_default_options();
  struct backend_model *jit;
  char *fault =
      open_backend()->jit(carrier.program, interpreted, PROGRAM_RHS, &options, NULL, &jit);
  if (fault != NULL) fail_msg("%s", fault);
  int status = run_model(jit->model, problem, out);
  open_backend()->release(jit);
  free(interpreted);
  carrier_clear(&carrier);
  return status;
}

/* The functions of a program in an object file, linked and opened; dlclose(*library) at the end. */
static inline const dyn_model *link_program(const struct program *program,
                                            program_functions functions, void **library) {
  char folder[] = "/tmp/dyn-solve-XXXXXX", path[64], command[256];
  struct backend_options options = backend_default_options();
  struct text object = {0};
  options.prefix = "solve";
  char *fault = open_backend()->emit(program, functions, BACKEND_OBJECT, &options, NULL, &object);
  if (fault != NULL) fail_msg("%s", fault);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/m.o", folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(object.bytes, 1, object.length, file), object.length);
  fclose(file);
  text_free(&object);
  snprintf(command, sizeof command, "cc -shared -Wl,--no-undefined %s/m.o -lm -o %s/m.so", folder,
           folder);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/m.so", folder);
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*library == NULL) fail_msg("%s", dlerror());
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  const dyn_model *model = dlsym(*library, "solve_model");
  assert_non_null(model);
  return model;
}

/* Through an object file, whose kernels are LLVM's and not the interpreter's. */
static inline int run_linked(struct tape *tape, const struct problem *problem, double *out) {
  struct carrier carrier;
  void *library;
  carrier_init(&carrier, tape);
  const dyn_model *model = link_program(carrier.program, PROGRAM_RHS, &library);
  int status = run_model(model, problem, out);
  dlclose(library);
  carrier_clear(&carrier);
  return status;
}

static inline void fill_right_sides(struct problem *problem, struct random_source *random) {
  for (uint32_t i = 0; i < problem->n * problem->columns; i++)
    problem->b[i] = random_between(random, -1, 1);
}

#endif
