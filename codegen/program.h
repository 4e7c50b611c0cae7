/* The program: everything a compiled model consists of, as pure data. Tables (names, units,
 * documentation, defaults, sparsity) in the form of dyn_model.h, and one tape for each function.
 *
 *   struct program *program = program_build(context, system, PROGRAM_ALL & ~PROGRAM_DERIVATIVES);
 *   dyn_model *model = program_interpreted_model(program);     // runs at once, slowly
 *   ... backend->jit(program, ...)                             // codegen/backend.h: fast
 *
 * Derivatives cost most; ask for them (in program_build, or later with program_add) only when they
 * are used. Functions that the model lacks (no conditions, no energy, ...) stay NULL
 * whatever is asked. */
#ifndef DYN_CODEGEN_PROGRAM_H
#define DYN_CODEGEN_PROGRAM_H
#include "codegen/tape.h"
#include "codegen/taylor.h"
#include "derive/system.h"
#include "dyn/dyn_model.h"

enum program_function {
#define PROGRAM_FUNCTION(name, member) PROGRAM_FUNCTION_##name,
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
  PROGRAM_FUNCTION_COUNT
};

enum program_step { /* steps of integrators, made in machine code alone (llvm_step_module.c) */
#define PROGRAM_STEP(NAME, member, tableau, is_dense) PROGRAM_STEP_##NAME,
#include "codegen/steps.def"
#undef PROGRAM_STEP
  PROGRAM_STEP_COUNT
};

typedef uint64_t program_functions; /* a set of flags: */

enum {
#define PROGRAM_FUNCTION(name, member) PROGRAM_##name = 1ull << PROGRAM_FUNCTION_##name,
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
  PROGRAM_FIRST_STEP = 48,
#define PROGRAM_STEP(NAME, member, tableau, is_dense)                                              \
  PROGRAM_STEPS_##NAME = 1ull << (PROGRAM_FIRST_STEP + PROGRAM_STEP_##NAME),
#include "codegen/steps.def"
#undef PROGRAM_STEP
  PROGRAM_TAYLOR = 1ull << 62, /* see codegen/taylor.h */
  PROGRAM_STEPS = ((1ull << PROGRAM_STEP_COUNT) - 1) << PROGRAM_FIRST_STEP | PROGRAM_TAYLOR,
  PROGRAM_ALL = (1ull << PROGRAM_FUNCTION_COUNT) - 1,
  PROGRAM_DERIVATIVES = PROGRAM_JACOBIAN | PROGRAM_RHS_BY_INPUTS | PROGRAM_RHS_BY_PARAMETERS |
                        PROGRAM_OUTPUTS_BY_STATE | PROGRAM_OUTPUTS_BY_INPUTS |
                        PROGRAM_OUTPUTS_BY_PARAMETERS,
  PROGRAM_NATURAL = PROGRAM_NATURAL_RHS | PROGRAM_NATURAL_MULTIPLIERS | PROGRAM_NATURAL_OUTPUTS,
  /* What a run calls again and again (an explicit method; add PROGRAM_JACOBIAN otherwise). */
  PROGRAM_HOT = PROGRAM_RHS | PROGRAM_OUTPUT_VALUES | PROGRAM_METHOD_STATE | PROGRAM_NATURAL_STATE |
                PROGRAM_EVENT_VALUES,
  /* ... and to keep the constraints and tell their forces. */
  PROGRAM_HOT_CONSTRAINED = PROGRAM_HOT | PROGRAM_POSITION_RESIDUALS | PROGRAM_VELOCITY_RESIDUALS |
                            PROGRAM_MASS_MATRIX | PROGRAM_MULTIPLIERS
};

extern const char *const program_function_names[PROGRAM_FUNCTION_COUNT]; /* "rhs", ... */

/* The steps of the integrator of that name (PROGRAM_STEPS_ flags); "all": of every one; 0 of others,
 * and of NULL. */
program_functions program_steps_of(const char *integrator);

/* What keeps a program from being run for several trajectories at once (codegen/lanes.c): words that
 * go on "one by one, because ...", or NULL. */
struct program;
const char *lanes_obstacle(const struct program *program);
/* What is compiled for lanes beside steps (PROGRAM_ flags): the right-hand side, and what a run
 * looks at now and then, if that is no longer. */
program_functions lanes_functions(const struct program *program);
/* How many trajectories this processor runs at once: 8, 4, or 1 if it gains nothing. */
int32_t lanes_of_processor(void);

struct program {
  struct arena arena;                         /* owns the tables and strings */
  struct system *system;                      /* needed by program_add; not owned */
  program_functions functions;                /* those asked for so far */
  bool by_recursion;                          /* accelerations come from system->recursion */
  struct tape *tapes[PROGRAM_FUNCTION_COUNT]; /* owned; NULL: not there */
  struct taylor *taylor;                      /* owned; NULL: not asked for */
  /* Sizes and tables. Function pointers are NULL and n_work is 0: see program_interpreted_model
   * and backend.h. Patterns of derivatives are there once
   * those are. */
  dyn_model tables;
  char *prefix; /* the model's name as a C identifier */
};

/* Builds the functions asked for (a set of PROGRAM_ flags). The system must outlive the program
 * if program_add is called. Never NULL. */
struct program *program_build(dyn_context *context, struct system *system,
                              program_functions functions);
/* Builds further functions. Models made before do not change, but stay usable. */
void program_add(struct program *program, program_functions functions);
/* Fills in the field assembled_start of models made from now on, with n_state values. */
void program_set_start(struct program *program, const double *x);
void program_free(struct program *program);

void program_dump(const struct program *program, struct text *out); /* --dump=tape */
void program_check(const struct program *program);

/* A model whose functions run the tapes. Thread-safe like every dyn_model. It shares the program's
 * tables: the program must outlive it. The caller frees it with free(). (codegen/interpreted.c) */
dyn_model *program_interpreted_model(const struct program *program);

/* `name` spelled as a C identifier in ASCII: θ -> theta, θ₁ -> theta_1, leg.knee -> leg_knee.
 * The caller frees it. (codegen/identifier.c) */
char *identifier_from_name(const char *name);

/* The C header that goes with an object file: declaration of <prefix>_model, index enumerations,
 * documentation. `prefix` NULL: the program's. (codegen/header.c) */
void header_write(const struct program *program, const char *prefix, struct text *out);
#endif
