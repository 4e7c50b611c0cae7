/* The pipeline: what stands behind the public dyn.h, with its stages open to the driver.
 *
 * Each stage function brings the compiler to that stage, running the ones before if they have not
 * run, and answers false once errors are reported; asking again does not run it again. */
#ifndef DYN_COMPILER_COMPILER_H
#define DYN_COMPILER_COMPILER_H
#include "codegen/backend.h"
#include "codegen/program.h"
#include "derive/system.h"
#include "dyn/dyn.h"
#include "parser/ast.h"
#include "sema/library.h"
#include "sema/model.h"

/* Where time goes: COMPILER_STAGE(NAME, words). */
#define COMPILER_STAGES(STAGE)                                                                     \
  STAGE(READ, "read the text")                                                                     \
  STAGE(PARSE, "text to tree")                                                                     \
  STAGE(CHECK, "tree to model")                                                                    \
  STAGE(DERIVE, "model to equations")                                                              \
  STAGE(TAPE, "equations to tapes")                                                                \
  STAGE(LOAD, "load the back end")                                                                 \
  STAGE(BUILD, "tapes to LLVM IR")                                                                 \
  STAGE(CACHE, "look for kept code")                                                               \
  STAGE(PASSES, "LLVM's optimiser")                                                                \
  STAGE(CODE, "machine code")                                                                      \
  STAGE(LINK, "load the code")

enum compiler_stage {
#define COMPILER_STAGE_NAME(name, words) COMPILER_##name,
  COMPILER_STAGES(COMPILER_STAGE_NAME)
#undef COMPILER_STAGE_NAME
      COMPILER_STAGE_COUNT
};
extern const char *const compiler_stage_words[COMPILER_STAGE_COUNT];

struct dyn_compiler {
  dyn_context *context;
  uint32_t source; /* of the model; 0: none yet */
  struct sema_overrides overrides;
  bool check_failed, derive_failed;
  bool keeps_parameters; /* the program is to hold for all values of parameters: model_generalise */
  struct ast *ast;
  struct model *model;
  struct system *system;
  struct program *program;
  dyn_model *interpreted;
  const struct backend *backend;
  struct backend_model *compiled;
  VECTOR(dyn_model *) more_interpreted; /* made by compiler_add_functions, one or the other */
  VECTOR(struct backend_model *) more_compiled;
  program_functions added; /* functions of the last of them */
  VECTOR(struct backend_lanes *) lanes;
  const char *cache; /* folder of machine code from earlier times, or NULL; the caller's */
  double *folded;    /* parameters folded into `compiled`, or NULL */
  double seconds[COMPILER_STAGE_COUNT];
};

/* Further kinds of override, for the driver alone: a state to evaluate at (sema's model->at),
 * which the functions of dyn.h could not give back; and one of the values of a parameter, input or
 * start value that takes many, which must be one that the compiled model can still be given. */
#define DYN_OVERRIDE_AT ((dyn_override)(DYN_OVERRIDE_INPUT + 1))
#define DYN_OVERRIDE_VARY ((dyn_override)(DYN_OVERRIDE_INPUT + 2))

double compiler_clock(void); /* monotonic, s */

/* A file, or "-". False, with a diagnostic, if it cannot be read. */
bool compiler_read(dyn_compiler *compiler, const char *path);
void compiler_override(dyn_compiler *compiler, dyn_override kind, const char *option,
                       const char *text);
bool compiler_parse(dyn_compiler *compiler); /* true even if the tree has faults */
bool compiler_check(dyn_compiler *compiler);
bool compiler_derive(dyn_compiler *compiler, const char *method);
/* Of a derived model: the mass matrix, if it was put off. */
bool compiler_derive_mass(dyn_compiler *compiler);
/* The program with at least these functions (PROGRAM_ flags). */
bool compiler_build_program(dyn_compiler *compiler, program_functions functions);

/* Functions that run the tapes; no derivatives. Needs nothing but the program. */
const dyn_model *compiler_interpret(dyn_compiler *compiler);
bool compiler_open_backend(dyn_compiler *compiler);
/* Machine code for what a run calls often; the rest is interpreted. `parameters` (may be NULL) are
 * folded into the code, which then ignores p. */
const dyn_model *compiler_jit(dyn_compiler *compiler, const double *parameters, int level);
/* The same model with derivatives (PROGRAM_JACOBIAN, ...), compiled if the model was, or with
 * steps, which only a compiled one gets. NULL, with a diagnostic, on failure. Models handed out
 * before stay usable. */
const dyn_model *compiler_add_functions(dyn_compiler *compiler, program_functions functions);
/* The step of an explicit integrator ("dopri5", "dop853") in 4 or 8 lanes, or as many as the
 * processor has (0). NULL with *obstacle, which says why the model's trajectories are run one by
 * one; or with a diagnostic. */
const struct dyn_lanes *compiler_lanes(dyn_compiler *compiler, const char *integrator,
                                       int32_t lanes, const char **obstacle);
/* Object file, assembly or IR, with these of PROGRAM_STEPS. */
bool compiler_emit(dyn_compiler *compiler, enum backend_format format, program_functions steps,
                   const struct backend_options *options, struct text *out);

/* The directory that $DYN_STDLIB puts in place of the built-in library; NULL if there is none. */
const char *compiler_library_directory(void);
/* Appends the names of the library's modules, sorted; `names->items` is the caller's. */
void compiler_library_list(dyn_compiler *compiler, struct library_names *names);
/* The tree of a module, which the caller frees with ast_free; NULL if there is none of that name or
 * it can't be read. */
struct ast *compiler_library_tree(dyn_compiler *compiler, const char *name);

/* What --dump=<stage> prints: "tokens", "ast", "model", "system", "tape", "llvm". `method` as
 * for compiler_derive. False if the stage cannot be reached. */
bool compiler_dump(dyn_compiler *compiler, const char *stage, const char *method, struct text *out);
#endif
