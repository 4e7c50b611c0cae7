/* A dyn_model that runs the program's tapes. `work` holds the values, so that nothing is allocated
 * and any number of threads may call. */
#include "codegen/program.h"
#include <stdlib.h>

static int run_tape(enum program_function function, const dyn_model *model,
                    const struct tape_arguments *arguments) {
  const struct program *program = model->implementation;
  return tape_run(program->tapes[function], arguments);
}

#define PROGRAM_FUNCTION(name, member)                                                             \
  static int run_##member(const dyn_model *model, double t, const double *x, const double *u,      \
                          const double *p, double *work, double *out) {                            \
    struct tape_arguments arguments = {t, x, u, p, work, out};                                     \
    return run_tape(PROGRAM_FUNCTION_##name, model, &arguments);                                   \
  }
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION

static int run_taylor(const dyn_model *model, int32_t order, double scale, double t,
                      const double *y, const double *u, const double *follows, const double *p,
                      double *work, double *out) {
  const struct program *program = model->implementation;
  struct taylor_arguments arguments = {(uint32_t)order, scale, t, y, u, follows, p, work, out};
  return taylor_run(program->taylor, &arguments);
}

dyn_model *program_interpreted_model(const struct program *program) {
  dyn_model *model = checked_malloc(sizeof *model);
  *model = program->tables;
  model->implementation = (void *)program;
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++) {
    if (program->tapes[i] == NULL) continue;
    int32_t work = (int32_t)tape_interpreter_work(program->tapes[i]);
    if (work > model->n_work) model->n_work = work;
  }
#define PROGRAM_FUNCTION(name, member)                                                             \
  if (program->tapes[PROGRAM_FUNCTION_##name] != NULL) model->member = run_##member;
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
  const struct taylor *taylor = program->taylor;
  if (taylor == NULL || taylor->has_obstacle) return model;
  model->taylor = run_taylor;
  int32_t work = (int32_t)taylor_work(taylor);
  if (work > model->n_work) model->n_work = work;
  return model;
}
