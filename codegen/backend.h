/* The back end: tapes to machine code, through LLVM. It lives in a module that is opened on demand,
 * because loading LLVM costs more than most commands take:
 *
 *   const char *reason;
 *   dyn_backend_function *open = (dyn_backend_function *)module_open("dyn_backend", &reason);
 *   const struct backend *backend = open();          // check backend->version == BACKEND_VERSION
 *   struct backend_options options = backend_default_options();
 *   struct backend_model *compiled;
 *   char *fault = backend->jit(program, interpreted, PROGRAM_HOT, &options, &timings, &compiled);
 *   if (fault != NULL) ... free(fault);
 *   compiled->model->rhs(compiled->model, t, x, u, p, work, out);
 *   backend->release(compiled);
 *
 * The module "dyn_targets" has the same functions, knows all machines and takes three times as long
 * to load: for options.target.
 *
 * All functions are reentrant; several threads may compile at once. Errors are texts that the
 * caller frees; NULL means success. */
#ifndef DYN_CODEGEN_BACKEND_H
#define DYN_CODEGEN_BACKEND_H
#include "codegen/program.h"
#include "dyn/dyn_lanes.h"

#define BACKEND_VERSION 5

struct backend_options {
  int level;                /* optimisation 0..3; -1: chosen by the program's size */
  const char *cpu;          /* "native", "generic" (the target's baseline) or an LLVM name */
  const char *target;       /* target triple; NULL: this machine. Needs dyn_targets */
  const double *parameters; /* n_parameters values to fold into the code, or NULL: read p */
  bool contract;            /* allow fused multiply-add: faster, but not the interpreter's bits */
  const char *prefix;       /* of the exported symbol <prefix>_model; NULL: from the model's name */
  const char *cache;        /* folder where jit keeps machine code for the next time, or NULL */
};

static inline struct backend_options backend_default_options(void) {
  return (struct backend_options){.level = -1, .cpu = "native"};
}

struct backend_timings {  /* seconds; added to what is there */
  double build;           /* tapes to LLVM IR */
  double passes;          /* LLVM's optimiser */
  double code;            /* machine code */
  double cache;           /* looking for machine code that is kept, and keeping it */
  double link;            /* loading into this process */
  size_t ir_instructions; /* before optimisation */
  size_t code_bytes;      /* of the object file */
  size_t found;           /* objects that were in the cache */
};

/* A model compiled into this process. */
struct backend_model {
  const dyn_model *model;
  void *handle;
};

/* A step of several trajectories at once in this process. */
struct backend_lanes {
  dyn_lanes lanes;
  void *handle;
};

enum backend_format {
  BACKEND_OBJECT, /* a relocatable, position independent object: exports <prefix>_model only */
  BACKEND_ASSEMBLY,
  BACKEND_LLVM /* optimised IR as text */
};

struct backend {
  uint32_t version;
  const char *llvm_version; /* "19.1.7" */
  /* Compiles the functions of `functions` that the program has. Tables and sizes of the model are
   * the program's; all other functions and the `implementation` come from `base`
   * (program_interpreted_model, or a model compiled before). Program and base must outlive it.
   * To add the Jacobian later: program_add, program_interpreted_model again (the first one has no
   * work space for it), and a second jit of PROGRAM_JACOBIAN over the first compiled model.
   * With options->parameters the compiled functions do not look at p.
   * `timings` may be NULL. */
  char *(*jit)(const struct program *program, const dyn_model *base, program_functions functions,
               const struct backend_options *options, struct backend_timings *timings,
               struct backend_model **out);
  void (*release)(struct backend_model *compiled); /* NULL is fine */
  /* The step of an integrator (program_steps_of, of one that has an error estimate) and the
   * lanes_functions (program.h), for 4 or 8 trajectories at once, of a program for which
   * lanes_obstacle (program.h) has no objection. Their numbers are those of the JIT-compiled model
   * but for the rounding of library functions. */
  char *(*lanes)(const struct program *program, program_functions functions, unsigned lanes,
                 const struct backend_options *options, struct backend_timings *timings,
                 struct backend_lanes **out);
  void (*release_lanes)(struct backend_lanes *lanes); /* NULL is fine */
  /* The whole model as an object file, assembly or IR, appended to `out` (may hold NULs).
   * `functions`: PROGRAM_ALL, or less to leave some out (they are NULL in the model). */
  char *(*emit)(const struct program *program, program_functions functions,
                enum backend_format format, const struct backend_options *options,
                struct backend_timings *timings, struct text *out);
};

typedef const struct backend *dyn_backend_function(void);
#endif
