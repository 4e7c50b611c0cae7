/* The back end's table of functions (backend.h): a program to IR, through LLVM, to a model in this
 * process or to a file. */
#define _GNU_SOURCE
#include "base/identity.h"
#include "base/module.h"
#include "codegen/llvm_ir.h"
#include "codegen/object_cache.h"
#include <limits.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Adds the time since *since to *total and starts anew. */
static void lap(double *total, double *since) {
  double time = now();
  *total += time - *since;
  *since = time;
}

struct compilation {
  struct ir ir;
  LLVMTargetMachineRef machine;
  LLVMValueRef functions[PROGRAM_FUNCTION_COUNT];
  LLVMValueRef steps[PROGRAM_STEP_COUNT];
  LLVMValueRef taylor;
  int32_t work;
  int level;
};

/* LLVM's better code generator takes ten times as long as its fast one, and on long straight-line
 * code, which waits for memory and for the solver kernels, gains little: a JIT run chooses by the
 * number of instructions, and is more patient for what every step evaluates many times. Files are
 * compiled once and used often. */
enum { LONG_IN_RUN = 2500, LONG_RIGHT_SIDE = 24000, LONG_IN_FILE = 200000 };

static size_t count_instructions(const struct program *program, program_functions functions) {
  size_t size = 0;
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++)
    if ((functions & 1ull << i) != 0 && program->tapes[i] != NULL)
      size += program->tapes[i]->code.count;
  return size;
}

static int choose_level(const struct program *program, program_functions functions, int wanted,
                        bool is_jit) {
  bool is_right_side = (functions & ~(program_functions)PROGRAM_STEPS) == PROGRAM_RHS;
  size_t longest = !is_jit ? LONG_IN_FILE : is_right_side ? LONG_RIGHT_SIDE : LONG_IN_RUN;
  if (wanted >= 0) return wanted > 3 ? 3 : wanted;
  return count_instructions(program, functions) > longest ? 0 : 1;
}

static void add_functions(struct compilation *compilation, const struct program *program,
                          program_functions functions, const char *prefix) {
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++) {
    char name[256];
    int32_t work = 0;
    if ((functions & 1ull << i) == 0 || program->tapes[i] == NULL) continue;
    snprintf(name, sizeof name, "%.150s_%s", prefix, program_function_names[i]);
    compilation->functions[i] = ir_add_tape(&compilation->ir, program->tapes[i], name, &work);
    if (work > compilation->work) compilation->work = work;
  }
}

static const char *const step_names[PROGRAM_STEP_COUNT] = {
#define PROGRAM_STEP(NAME, member, tableau, is_dense) #member,
#include "codegen/steps.def"
#undef PROGRAM_STEP
};

/* Steps call the right-hand side of the same module. */
static void add_steps(struct compilation *compilation, const struct program *program,
                      program_functions functions, const char *prefix) {
  LLVMValueRef rhs = compilation->functions[PROGRAM_FUNCTION_RHS];
  for (unsigned i = 0; i < PROGRAM_STEP_COUNT && rhs != NULL; i++) {
    char name[256];
    if ((functions & 1ull << (PROGRAM_FIRST_STEP + i)) == 0) continue;
    snprintf(name, sizeof name, "%.150s_%s", prefix, step_names[i]);
    compilation->steps[i] =
        ir_add_step(&compilation->ir, (enum program_step)i, rhs, &program->tables, name);
  }
}

static void add_taylor(struct compilation *compilation, const struct program *program,
                       program_functions functions, const char *prefix) {
  const struct taylor *taylor = program->taylor;
  char name[256];
  int32_t work = 0;
  if ((functions & PROGRAM_TAYLOR) == 0 || taylor == NULL || taylor->has_obstacle) return;
  snprintf(name, sizeof name, "%.150s_taylor", prefix);
  compilation->taylor = ir_add_taylor(&compilation->ir, taylor, name, &work);
  if (work > compilation->work) compilation->work = work;
}

/* Tapes to IR. On failure everything is cleared again. */
static char *build(struct compilation *compilation, const struct program *program,
                   program_functions functions, const struct backend_options *options, bool is_jit,
                   unsigned lanes, struct backend_timings *timings) {
  double since = now();
  const char *prefix = is_jit ? "dyn" : options->prefix != NULL ? options->prefix : program->prefix;
  *compilation = (struct compilation){0};
  compilation->level =
      choose_level(program, lanes > 1 ? PROGRAM_RHS : functions, options->level, is_jit);
  char *fault = target_machine_new(options, compilation->level, &compilation->machine);
  if (fault != NULL) return fault;
  struct ir *ir = &compilation->ir;
  ir_init(ir, program->tables.name, lanes);
  ir->is_jit = is_jit;
  ir->contract = options->contract;
  ir->parameters = options->parameters;
  char *triple = LLVMGetTargetMachineTriple(compilation->machine);
  LLVMSetTarget(ir->module, triple);
  LLVMDisposeMessage(triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(compilation->machine);
  LLVMSetModuleDataLayout(ir->module, layout);
  LLVMDisposeTargetData(layout);
  add_functions(compilation, program, functions, prefix);
  add_steps(compilation, program, functions, prefix);
  add_taylor(compilation, program, functions, prefix);
  if (!is_jit)
    ir_add_model(ir, program, prefix, compilation->functions, compilation->steps,
                 compilation->taylor, compilation->work);
  timings->ir_instructions += ir->instructions;
  lap(&timings->build, &since);
  return NULL;
}

static void compilation_clear(struct compilation *compilation) {
  ir_clear(&compilation->ir);
  LLVMDisposeTargetMachine(compilation->machine);
}

static char *optimise(struct compilation *compilation, struct backend_timings *timings) {
  double since = now();
  char *fault = target_run_passes(&compilation->ir, compilation->machine, compilation->level);
  lap(&timings->passes, &since);
  return fault;
}

static char *emit_buffer(struct compilation *compilation, LLVMCodeGenFileType type,
                         LLVMMemoryBufferRef *buffer) {
  char *message = NULL;
  if (!LLVMTargetMachineEmitToMemoryBuffer(compilation->machine, compilation->ir.module, type,
                                           &message, buffer))
    return NULL;
  struct text out = {0};
  text_put(&out, message);
  LLVMDisposeMessage(message);
  return text_take(&out);
}

/* ---- into this process */

enum { MOST_OBJECTS = 2 }; /* that one call of jit makes */

struct loaded_model {
  struct backend_model public;
  dyn_model model;
  struct jit_code *code[MOST_OBJECTS];
};

static void set_function(dyn_model *model, unsigned function, void *address) {
  dyn_function *pointer;
  memcpy(&pointer, &address, sizeof pointer);
  switch (function) {
#define PROGRAM_FUNCTION(NAME, member)                                                             \
  case PROGRAM_FUNCTION_##NAME:                                                                    \
    model->member = pointer;                                                                       \
    break;
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
  default:
    break;
  }
}

static void set_step(dyn_model *model, unsigned step, void *address) {
  dyn_step_function *pointer;
  memcpy(&pointer, &address, sizeof pointer);
  switch (step) {
#define PROGRAM_STEP(NAME, member, tableau, is_dense)                                              \
  case PROGRAM_STEP_##NAME:                                                                        \
    model->member = pointer;                                                                       \
    break;
#include "codegen/steps.def"
#undef PROGRAM_STEP
  default:
    break;
  }
}

/* The base's functions and implementation under the program's present tables. */
static dyn_model model_over(const struct program *program, const dyn_model *base) {
  dyn_model model = program->tables;
#define PROGRAM_FUNCTION(NAME, member) model.member = base->member;
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
#define PROGRAM_STEP(NAME, member, tableau, is_dense) model.member = base->member;
#include "codegen/steps.def"
#undef PROGRAM_STEP
  model.taylor = base->taylor;
  model.implementation = base->implementation;
  model.n_work = base->n_work;
  return model;
}

/* Puts the object's functions into the model. Takes the object over. */
static char *load(const struct compilation *compilation, LLVMMemoryBufferRef object,
                  dyn_model *model, struct jit_code **code) {
  const struct ir *ir = &compilation->ir;
  enum { MOST = PROGRAM_FUNCTION_COUNT + PROGRAM_STEP_COUNT + 1 };
  char names[MOST][64];
  const char *wanted[MOST];
  void *addresses[MOST] = {NULL};
  unsigned numbers[MOST], count = 0, functions, steps;
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++) {
    if (compilation->functions[i] == NULL) continue;
    snprintf(names[count], sizeof *names, "dyn_%s", program_function_names[i]);
    wanted[count] = names[count];
    numbers[count++] = i;
  }
  functions = count;
  for (unsigned i = 0; i < PROGRAM_STEP_COUNT; i++) {
    if (compilation->steps[i] == NULL) continue;
    snprintf(names[count], sizeof *names, "dyn_%s", step_names[i]);
    wanted[count] = names[count];
    numbers[count++] = i;
  }
  steps = count;
  if (compilation->taylor != NULL) wanted[count++] = "dyn_taylor";
  char *fault = jit_load(object, ir->data.items, ir->data.count, wanted, addresses, count, code);
  if (fault != NULL) return fault;
  for (unsigned i = 0; i < functions; i++) set_function(model, numbers[i], addresses[i]);
  for (unsigned i = functions; i < steps; i++) set_step(model, numbers[i], addresses[i]);
  if (steps < count) memcpy(&model->taylor, &addresses[steps], sizeof model->taylor);
  if (compilation->work > model->n_work) model->n_work = compilation->work;
  return NULL;
}

/* All that the object depends on: the module before it is optimised, how it will be, and the build
 * of this code. What the module knows by name only (struct ir_datum) is not in the object either.
 */
static struct text object_key(const struct compilation *compilation) {
  struct text key = {0};
  char own[PATH_MAX];
  LLVMTargetMachineRef machine = compilation->machine;
  char *parts[] = {LLVMGetTargetMachineTriple(machine), LLVMGetTargetMachineCPU(machine),
                   LLVMGetTargetMachineFeatureString(machine)};
  text_put(&key, "LLVM " LLVM_VERSION_STRING ", dyn ");
  if (module_own_path(own, sizeof own)) identity_of_file(own, &key);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    text_format(&key, "\n%s", parts[i]);
    LLVMDisposeMessage(parts[i]);
  }
  text_format(&key, "\nlevel %d\n", compilation->level);
  LLVMMemoryBufferRef module = LLVMWriteBitcodeToMemoryBuffer(compilation->ir.module);
  text_add(&key, LLVMGetBufferStart(module), LLVMGetBufferSize(module));
  LLVMDisposeMemoryBuffer(module);
  return key;
}

static LLVMMemoryBufferRef find_object(const char *cache, const struct text *key) {
  struct text bytes = {0};
  LLVMMemoryBufferRef object = NULL;
  if (object_cache_find(cache, key, &bytes))
    object = LLVMCreateMemoryBufferWithMemoryRangeCopy(text_string(&bytes), bytes.length, "cached");
  text_free(&bytes);
  return object;
}

/* The module's object file, from the cache or made, and then kept there. */
static char *make_object(struct compilation *compilation, const char *cache,
                         struct backend_timings *timings, LLVMMemoryBufferRef *object) {
  struct text key = {0};
  double since = now();
  if (cache != NULL) {
    key = object_key(compilation);
    *object = find_object(cache, &key);
    timings->found += *object != NULL;
    lap(&timings->cache, &since);
  }
  char *fault = NULL;
  if (*object == NULL) {
    fault = optimise(compilation, timings);
    since = now();
    if (fault == NULL) fault = emit_buffer(compilation, LLVMObjectFile, object);
    lap(&timings->code, &since);
    if (fault == NULL && cache != NULL)
      object_cache_keep(cache, &key, LLVMGetBufferStart(*object), LLVMGetBufferSize(*object));
    lap(&timings->cache, &since);
  }
  text_free(&key);
  return fault;
}

static char *add_object(const struct program *program, program_functions functions,
                        const struct backend_options *options, struct backend_timings *timings,
                        dyn_model *model, struct jit_code **code) {
  struct compilation compilation;
  LLVMMemoryBufferRef object = NULL;
  char *fault = build(&compilation, program, functions, options, true, 1, timings);
  if (fault != NULL) return fault;
  fault = make_object(&compilation, options->cache, timings, &object);
  double since = now();
  if (fault == NULL) {
    timings->code_bytes += LLVMGetBufferSize(object);
    fault = load(&compilation, object, model, code);
    lap(&timings->link, &since);
  }
  compilation_clear(&compilation);
  return fault;
}

static void backend_release(struct backend_model *compiled) {
  if (compiled == NULL) return;
  struct loaded_model *loaded = compiled->handle;
  for (unsigned i = 0; i < MOST_OBJECTS; i++) jit_free(loaded->code[i]);
  free(loaded);
}

/* Where all is long the right-hand side is compiled by itself, with more care (choose_level). */
static char *backend_jit(const struct program *program, const dyn_model *base,
                         program_functions functions, const struct backend_options *options,
                         struct backend_timings *timings, struct backend_model **out) {
  struct backend_timings unused = {0};
  program_functions apart =
      options->level < 0 && count_instructions(program, functions) > LONG_IN_RUN
          ? functions & (PROGRAM_RHS | PROGRAM_STEPS)
          : 0;
  const program_functions parts[MOST_OBJECTS] = {functions & ~apart, apart};
  struct loaded_model *loaded = checked_calloc(1, sizeof *loaded);
  char *fault = NULL;
  if (timings == NULL) timings = &unused;
  loaded->model = model_over(program, base);
  loaded->public.model = &loaded->model;
  loaded->public.handle = loaded;
  for (unsigned i = 0; i < MOST_OBJECTS && fault == NULL; i++)
    if (i == 0 || parts[i] != 0)
      fault = add_object(program, parts[i], options, timings, &loaded->model, &loaded->code[i]);
  if (fault != NULL) backend_release(&loaded->public);
  *out = fault == NULL ? &loaded->public : NULL;
  return fault;
}

/* ---- several lanes, into this process */

struct loaded_lanes {
  struct backend_lanes public;
  struct jit_code *code;
};

static void set_lane_function(dyn_lanes *lanes, unsigned i, void *address) {
  _Static_assert(sizeof(dyn_lane_function *) == sizeof address &&
                     sizeof(dyn_lane_values *) == sizeof address,
                 "functions have the addresses that the linker gives");
  void *to[] = {&lanes->step, &lanes->dense, &lanes->invariant_values, &lanes->energies};
  memcpy(to[i], &address, sizeof address);
}

/* The step, the one for dense output if there is one, and what runs look at. */
static char *load_lanes(const struct compilation *compilation, LLVMMemoryBufferRef object,
                        struct loaded_lanes *loaded) {
  static const int watched[2] = {PROGRAM_FUNCTION_INVARIANT_VALUES, PROGRAM_FUNCTION_ENERGIES};
  const struct ir *ir = &compilation->ir;
  char names[4][64];
  const char *wanted[4];
  void *addresses[4] = {NULL};
  unsigned which[4], count = 0;
  for (unsigned i = 0; i < PROGRAM_STEP_COUNT && count < 2; i++) {
    if (compilation->steps[i] == NULL) continue;
    if (count == 0) loaded->public.lanes.integrator = step_names[i];
    which[count] = count;
    snprintf(names[count++], sizeof *names, "dyn_%s", step_names[i]);
  }
  for (unsigned i = 0; i < 2; i++) {
    if (compilation->functions[watched[i]] == NULL) continue;
    which[count] = 2 + i;
    snprintf(names[count++], sizeof *names, "dyn_%s", program_function_names[watched[i]]);
  }
  for (unsigned i = 0; i < count; i++) wanted[i] = names[i];
  char *fault =
      jit_load(object, ir->data.items, ir->data.count, wanted, addresses, count, &loaded->code);
  for (unsigned i = 0; i < count; i++)
    set_lane_function(&loaded->public.lanes, which[i], addresses[i]);
  loaded->public.lanes.n_work = compilation->work * (int32_t)ir->lanes;
  return fault;
}

static void backend_release_lanes(struct backend_lanes *lanes) {
  if (lanes == NULL) return;
  struct loaded_lanes *loaded = lanes->handle;
  jit_free(loaded->code);
  free(loaded);
}

static int32_t inputs_vary(const struct program *program) {
  const struct tape *tape = program->tapes[PROGRAM_FUNCTION_DEFAULT_INPUTS];
  for (uint32_t i = 0; tape != NULL && i < tape->code.count; i++)
    if (tape->code.items[i].operation == TAPE_INPUT && tape->code.items[i].a == TAPE_ARRAY_TIME)
      return 1;
  return 0;
}

static char *backend_lanes(const struct program *program, program_functions functions,
                           unsigned lanes, const struct backend_options *options,
                           struct backend_timings *timings, struct backend_lanes **out) {
  struct backend_timings unused = {0};
  struct compilation compilation;
  LLVMMemoryBufferRef object = NULL;
  *out = NULL;
  if (timings == NULL) timings = &unused;
  char *fault = build(&compilation, program, functions, options, true, lanes, timings);
  if (fault != NULL) return fault;
  struct loaded_lanes *loaded = checked_calloc(1, sizeof *loaded);
  loaded->public.lanes.lanes = (int32_t)lanes;
  loaded->public.lanes.inputs_vary = inputs_vary(program);
  loaded->public.handle = loaded;
  fault = make_object(&compilation, options->cache, timings, &object);
  double since = now();
  if (fault == NULL) {
    timings->code_bytes += LLVMGetBufferSize(object);
    fault = load_lanes(&compilation, object, loaded);
    lap(&timings->link, &since);
  }
  compilation_clear(&compilation);
  if (fault != NULL)
    backend_release_lanes(&loaded->public);
  else
    *out = &loaded->public;
  return fault;
}

/* ---- into a file */

static char *backend_emit(const struct program *program, program_functions functions,
                          enum backend_format format, const struct backend_options *options,
                          struct backend_timings *timings, struct text *out) {
  struct backend_timings unused = {0};
  struct compilation compilation;
  LLVMMemoryBufferRef buffer = NULL;
  if (timings == NULL) timings = &unused;
  char *fault = build(&compilation, program, functions, options, false, 1, timings);
  if (fault != NULL) return fault;
  fault = optimise(&compilation, timings);
  double since = now();
  if (fault != NULL) {
    compilation_clear(&compilation);
    return fault;
  }
  if (format == BACKEND_LLVM) {
    char *listing = LLVMPrintModuleToString(compilation.ir.module);
    text_put(out, listing);
    LLVMDisposeMessage(listing);
  } else {
    fault = emit_buffer(&compilation, format == BACKEND_OBJECT ? LLVMObjectFile : LLVMAssemblyFile,
                        &buffer);
  }
  lap(&timings->code, &since);
  if (buffer != NULL) {
    text_add(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    timings->code_bytes += LLVMGetBufferSize(buffer);
    LLVMDisposeMemoryBuffer(buffer);
  }
  compilation_clear(&compilation);
  return fault;
}

static const struct backend table = {
    .version = BACKEND_VERSION,
    .llvm_version = LLVM_VERSION_STRING,
    .jit = backend_jit,
    .release = backend_release,
    .lanes = backend_lanes,
    .release_lanes = backend_release_lanes,
    .emit = backend_emit,
};

#ifndef DYN_THIS_MACHINE_ALONE
#define dyn_backend dyn_targets /* a module's entry has the module's name */
#endif
__attribute__((visibility("default"))) const struct backend *dyn_backend(void);
const struct backend *dyn_backend(void) {
  return &table;
}
