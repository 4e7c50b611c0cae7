/* Any model goes the whole way to its tapes, and these are run once by the interpreter, with the
 * values the model starts from. Models with many coordinates are left out: what they cost is known,
 * and a fuzzer would look at nothing else. */
#include "codegen/program.h"
#include "derive/system.h"
#include "parser/ast.h"
#include "sema/model.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>

enum { LARGEST_MODEL = 24, LARGEST_TEXT = 1 << 16 };

static void run_functions(const dyn_model *model) {
  size_t n = (size_t)model->n_coordinates, parameters = (size_t)model->n_parameters;
  size_t size = 8 + n * n + 4 * (size_t)model->n_state + parameters + (size_t)model->n_inputs +
                (size_t)model->n_outputs + (size_t)model->n_invariants +
                (size_t)(model->n_initial_position + model->n_initial_velocity) *
                    (size_t)(model->n_state + 1) +
                DYN_RUN_COUNT;
#define PROGRAM_PATTERN(NAME, member)                                                              \
  if (model->member != NULL) size += (size_t)model->member->n_entries;
#include "codegen/patterns.def"
#undef PROGRAM_PATTERN
  double *set = checked_calloc(parameters + 1, sizeof *set);
  double *p = checked_calloc(parameters + 1, sizeof *p);
  double *u = checked_calloc((size_t)model->n_inputs + 1, sizeof *u);
  double *x = checked_calloc((size_t)model->n_state + 1, sizeof *x);
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof *work);
  double *out = checked_calloc(size, sizeof *out);
  model->complete_parameters(model, 0, set, NULL, set, work, p);
  model->default_inputs(model, 0, NULL, NULL, p, work, u);
  model->start(model, 0, NULL, u, p, work, x);
#define PROGRAM_FUNCTION(name, member)                                                             \
  if (PROGRAM_##name != PROGRAM_COMPLETE_PARAMETERS && model->member != NULL)                      \
    model->member(model, 0, x, u, p, work, out);
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
  free(set);
  free(p);
  free(u);
  free(x);
  free(work);
  free(out);
}

static void compile(dyn_context *context, struct model *model) {
  struct system *system = derive_system(context, model, NULL);
  if (system == NULL) return;
  system_check(system);
  struct program *program = program_build(context, system, PROGRAM_ALL);
  program_check(program);
  dyn_model *interpreted = program_interpreted_model(program);
  run_functions(interpreted);
  free(interpreted);
  program_free(program);
  system_free(system);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size > LARGEST_TEXT) return 0;
  dyn_context *context = context_new();
  struct sema_overrides overrides = {0};
  uint32_t source = source_add(&context->sources, "fuzz.dyn", (const char *)bytes, size);
  if (source != 0) {
    struct ast *ast = parse_model(context, source);
    struct model *model = sema_analyse(context, ast, &overrides);
    if (model != NULL && model->coordinates.count <= LARGEST_MODEL) compile(context, model);
    model_free(model);
    ast_free(ast);
  }
  context_free(context);
  return 0;
}
