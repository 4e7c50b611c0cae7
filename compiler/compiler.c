/* The list of stages, from a text to functions that can be called; it reads top to bottom.
 * Needs nothing but the context; keeps what each stage made until the compiler is freed, because
 * later stages point into it. */
#include "compiler/compiler.h"
#include "base/module.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const compiler_stage_words[COMPILER_STAGE_COUNT] = {
#define COMPILER_STAGE_WORDS(name, words) words,
    COMPILER_STAGES(COMPILER_STAGE_WORDS)
#undef COMPILER_STAGE_WORDS
};

static const struct span nowhere = {0, 0, 0};

double compiler_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double stage_end(dyn_compiler *compiler, enum compiler_stage stage, double started) {
  double now = compiler_clock();
  compiler->seconds[stage] += now - started;
  return now;
}

bool compiler_read(dyn_compiler *compiler, const char *path) {
  double started = compiler_clock();
  compiler->source = source_read(&compiler->context->sources, path);
  if (compiler->source == 0)
    diagnostic_add(compiler->context, DIAG_CANNOT_READ, nowhere, path, strerror(errno), NULL);
  stage_end(compiler, COMPILER_READ, started);
  return compiler->source != 0;
}

void compiler_override(dyn_compiler *compiler, dyn_override kind, const char *option,
                       const char *text) {
  uint32_t source = source_add(&compiler->context->sources, option, text, strlen(text));
  if (source == 0) {
    diagnostic_add(compiler->context, DIAG_CANNOT_READ, nowhere, option, strerror(errno), NULL);
    return;
  }
  source_get(&compiler->context->sources, source)->is_command_line = true;
  switch ((int)kind) {
  case DYN_OVERRIDE_SET:
    vector_push(&compiler->overrides.set, source);
    break;
  case DYN_OVERRIDE_START:
    vector_push(&compiler->overrides.start, source);
    break;
  case DYN_OVERRIDE_INPUT:
    vector_push(&compiler->overrides.input, source);
    break;
  case DYN_OVERRIDE_AT:
    vector_push(&compiler->overrides.at, source);
    break;
  case DYN_OVERRIDE_VARY:
    vector_push(&compiler->overrides.vary, source);
    break;
  }
}

/* ---------------------------------------------------------------- stages without LLVM */

bool compiler_parse(dyn_compiler *compiler) {
  if (compiler->source == 0) return false;
  if (compiler->ast != NULL) return true;
  double started = compiler_clock();
  compiler->ast = parse_model(compiler->context, compiler->source);
  stage_end(compiler, COMPILER_PARSE, started);
  return true;
}

bool compiler_check(dyn_compiler *compiler) {
  if (compiler->model != NULL || compiler->check_failed) return compiler->model != NULL;
  if (!compiler_parse(compiler)) return false;
  double started = compiler_clock();
  compiler->overrides.library = compiler_library_directory();
  compiler->model = sema_analyse(compiler->context, compiler->ast, &compiler->overrides);
  if (compiler->model != NULL) model_check(compiler->model);
  compiler->check_failed = compiler->model == NULL;
  stage_end(compiler, COMPILER_CHECK, started);
  return compiler->model != NULL;
}

bool compiler_derive(dyn_compiler *compiler, const char *method) {
  if (compiler->system != NULL || compiler->derive_failed) return compiler->system != NULL;
  if (!compiler_check(compiler)) return false;
  double started = compiler_clock();
  if (compiler->keeps_parameters) model_generalise(compiler->model);
  compiler->system = derive_system(compiler->context, compiler->model, method);
  if (compiler->system != NULL) system_check(compiler->system);
  compiler->derive_failed = compiler->system == NULL;
  stage_end(compiler, COMPILER_DERIVE, started);
  return compiler->system != NULL;
}

/* The graph answers zeros once it is full: nothing made after that may be used. */
static bool check_size(dyn_compiler *compiler) {
  if (!expr_graph_is_full(compiler->model->graph)) return true;
  diagnostic_add(compiler->context, DIAG_EQUATIONS_TOO_LARGE, nowhere, NULL);
  return false;
}

bool compiler_derive_mass(dyn_compiler *compiler) {
  double started = compiler_clock();
  system_derive_mass(compiler->system);
  stage_end(compiler, COMPILER_DERIVE, started);
  return check_size(compiler);
}

bool compiler_build_program(dyn_compiler *compiler, program_functions functions) {
  if (!compiler_derive(compiler, NULL)) return false;
  double started = compiler_clock();
  if (compiler->program == NULL)
    compiler->program = program_build(compiler->context, compiler->system, functions);
  else if ((functions & ~compiler->program->functions) != 0)
    program_add(compiler->program, functions);
  bool fits = check_size(compiler);
  if (fits) program_check(compiler->program);
  stage_end(compiler, COMPILER_TAPE, started);
  return fits;
}

const dyn_model *compiler_interpret(dyn_compiler *compiler) {
  if (compiler->interpreted != NULL) return compiler->interpreted;
  if (!compiler_build_program(compiler, PROGRAM_ALL & ~PROGRAM_DERIVATIVES)) return NULL;
  double started = compiler_clock();
  compiler->interpreted = program_interpreted_model(compiler->program);
  stage_end(compiler, COMPILER_TAPE, started);
  return compiler->interpreted;
}

/* ---------------------------------------------------------------- stages with LLVM */

/* The back end in the module of that name; NULL, with a diagnostic, if it can't be loaded. */
static const struct backend *open_backend(dyn_compiler *compiler, const char *name) {
  double started = compiler_clock();
  const char *reason = "";
  void *address = module_open(name, &reason);
  dyn_backend_function *open = NULL;
  memcpy(&open, &address, sizeof open); /* ISO C has no cast from void * to a function */
  const struct backend *backend = open != NULL ? open() : NULL;
  if (backend != NULL && backend->version != BACKEND_VERSION) {
    reason = "it is of another version of dyn";
    backend = NULL;
  }
  if (backend == NULL) {
    struct diagnostic *diagnostic =
        diagnostic_add(compiler->context, DIAG_MODULE_UNAVAILABLE, nowhere, name, reason, NULL);
    diagnostic_help(compiler->context, diagnostic,
                    "'--backend interpreter' runs without it, more slowly");
  }
  stage_end(compiler, COMPILER_LOAD, started);
  return backend;
}

bool compiler_open_backend(dyn_compiler *compiler) {
  if (compiler->backend == NULL) compiler->backend = open_backend(compiler, "dyn_backend");
  return compiler->backend != NULL;
}

static bool report_backend(dyn_compiler *compiler, char *fault,
                           const struct backend_timings *timings) {
  compiler->seconds[COMPILER_BUILD] += timings->build;
  compiler->seconds[COMPILER_CACHE] += timings->cache;
  compiler->seconds[COMPILER_PASSES] += timings->passes;
  compiler->seconds[COMPILER_CODE] += timings->code;
  compiler->seconds[COMPILER_LINK] += timings->link;
  if (fault == NULL) return true;
  diagnostic_add(compiler->context, DIAG_BACKEND_FAILED, nowhere, fault, NULL);
  free(fault);
  return false;
}

static struct backend_model *jit(dyn_compiler *compiler, const dyn_model *interpreted,
                                 program_functions functions, int level) {
  struct backend_options options = backend_default_options();
  options.level = level;
  options.parameters = compiler->folded;
  options.cache = compiler->cache;
  struct backend_timings timings = {0};
  struct backend_model *compiled = NULL;
  char *fault = compiler->backend->jit(compiler->program, interpreted, functions, &options,
                                       &timings, &compiled);
  return report_backend(compiler, fault, &timings) ? compiled : NULL;
}

const dyn_model *compiler_jit(dyn_compiler *compiler, const double *parameters, int level) {
  if (compiler->compiled != NULL) return compiler->compiled->model;
  const dyn_model *interpreted = compiler_interpret(compiler);
  if (interpreted == NULL || !compiler_open_backend(compiler)) return NULL;
  if (parameters != NULL) {
    size_t size = (size_t)interpreted->n_parameters * sizeof(double);
    compiler->folded = checked_malloc(size + 1);
    memcpy(compiler->folded, parameters, size);
  }
  program_functions hot = interpreted->n_constraints > 0 ? PROGRAM_HOT_CONSTRAINED : PROGRAM_HOT;
  compiler->compiled = jit(compiler, interpreted, hot, level);
  return compiler->compiled != NULL ? compiler->compiled->model : NULL;
}

const dyn_model *compiler_add_functions(dyn_compiler *compiler, program_functions functions) {
  bool is_compiled = compiler->compiled != NULL;
  program_functions missing = functions & ~compiler->added;
  if (missing & PROGRAM_STEPS & ~PROGRAM_TAYLOR) missing |= PROGRAM_RHS; /* steps call that of their own module */
  if (missing != 0 && !compiler_build_program(compiler, functions)) return NULL;
  if (missing != 0 && !is_compiled) {
    vector_push(&compiler->more_interpreted, program_interpreted_model(compiler->program));
  } else if (missing != 0) { /* over the compiled model: what is compiled already stays so */
    const dyn_model *base = compiler->more_compiled.count > 0
                                ? vector_last(&compiler->more_compiled)->model
                                : compiler->compiled->model;
    struct backend_model *more = jit(compiler, base, missing, -1);
    if (more == NULL) return NULL;
    vector_push(&compiler->more_compiled, more);
  }
  compiler->added |= functions;
  return is_compiled ? vector_last(&compiler->more_compiled)->model
                     : vector_last(&compiler->more_interpreted);
}

const struct dyn_lanes *compiler_lanes(dyn_compiler *compiler, const char *integrator,
                                       int32_t lanes, const char **obstacle) {
  program_functions steps = program_steps_of(integrator);
  *obstacle = NULL;
  if (lanes == 0) lanes = lanes_of_processor();
  if (lanes == 1)
    *obstacle = "this processor gains nothing by it";
  else if (compiler->compiled == NULL)
    *obstacle = "the model is not compiled to machine code";
  else if (steps == 0 || (steps & PROGRAM_STEPS_RK4) != 0)
    *obstacle = "the integrator is not dop853 or dopri5";
  else if ((lanes != 4 && lanes != 8))
    *obstacle = "there are 4 or 8 lanes";
  if (*obstacle != NULL || !compiler_build_program(compiler, PROGRAM_RHS)) return NULL;
  *obstacle = lanes_obstacle(compiler->program);
  if (*obstacle != NULL) return NULL;
  struct backend_options options = backend_default_options();
  options.parameters = compiler->folded;
  options.cache = compiler->cache;
  struct backend_timings timings = {0};
  struct backend_lanes *made = NULL;
  program_functions functions = lanes_functions(compiler->program) | steps;
  char *fault = compiler->backend->lanes(compiler->program, functions, (unsigned)lanes, &options,
                                         &timings, &made);
  if (!report_backend(compiler, fault, &timings)) return NULL;
  vector_push(&compiler->lanes, made);
  return &made->lanes;
}

bool compiler_emit(dyn_compiler *compiler, enum backend_format format, program_functions steps,
                   const struct backend_options *options, struct text *out) {
  const char *module = options->target != NULL ? "dyn_targets" : "dyn_backend";
  if (!compiler_build_program(compiler, PROGRAM_ALL | steps)) return false;
  const struct backend *backend = open_backend(compiler, module);
  if (backend == NULL) return false;
  struct backend_timings timings = {0};
  char *fault =
      backend->emit(compiler->program, PROGRAM_ALL | steps, format, options, &timings, out);
  return report_backend(compiler, fault, &timings);
}
