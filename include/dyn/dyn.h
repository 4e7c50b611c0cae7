/* dyn.h: compiling a model in memory.
 *
 *   dyn_compiler *compiler = dyn_compiler_new();
 *   dyn_compiler_add_file(compiler, "pendulum.dyn");
 *   const dyn_model *model = dyn_compiler_model(compiler, DYN_ENGINE_JIT);
 *   if (model == NULL) {
 *     char *text = dyn_compiler_diagnostics(compiler, DYN_DIAGNOSTICS_TEXT);
 *     fputs(text, stderr);
 *     dyn_text_free(text);
 *   }
 *   ... dyn_runtime.h runs the model ...
 *   dyn_compiler_free(compiler);
 *
 * A compiler is one model. Each step takes the ones before it along: asking for the model checks
 * and derives it first. Errors are values: functions answer 0 or an object on success, -1 or NULL
 * otherwise, and what was wrong with the model stands in the diagnostics. A call that is itself wrong
 * (out of order, or with a value that its enumeration does not have) is refused in the same way; it
 * changes nothing and leaves no diagnostic, because the model is not at fault. Nothing prints or
 * exits, and nothing is shared between compilers: threads may use one each. Texts that are returned
 * belong to the caller, who ends them with dyn_text_free; the model belongs to the compiler. */
#ifndef DYN_DYN_H
#define DYN_DYN_H
#include <stddef.h>
#include "dyn/dyn_model.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DYN_API
#if defined(__GNUC__)
#define DYN_API __attribute__((visibility("default")))
#else
#define DYN_API
#endif
#endif

typedef struct dyn_compiler dyn_compiler;

DYN_API const char *dyn_version(void); /* "0.1.0" (static) */
DYN_API dyn_compiler *dyn_compiler_new(void);
DYN_API void dyn_compiler_free(dyn_compiler *compiler); /* NULL allowed; ends its model too */
DYN_API void dyn_text_free(char *text);                 /* NULL allowed */

/* The text of the model, once a compiler (a second text is refused): `name` is shown in messages. The
 * text is copied and may hold anything. */
DYN_API int dyn_compiler_add_text(dyn_compiler *compiler, const char *name, const char *text,
                                  size_t length);
/* The same from a file; "-" is standard input. */
DYN_API int dyn_compiler_add_file(dyn_compiler *compiler, const char *path);

typedef enum dyn_override {
  DYN_OVERRIDE_SET,   /* parameters, constants, inputs: "m = 3, l = 20 [cm]" */
  DYN_OVERRIDE_START, /* start values: "θ = 1, θ' = 0" */
  DYN_OVERRIDE_INPUT  /* inputs as expressions of time: "F = sin(t)" */
} dyn_override;

/* Assignments on top of the model; may be called again for more. They are read when the model is
 * checked, which tells what is wrong with them; once it is checked, further ones are refused. */
DYN_API int dyn_compiler_override(dyn_compiler *compiler, dyn_override kind, const char *text);

/* Names, dimensions, structure. */
DYN_API int dyn_compiler_check(dyn_compiler *compiler);
/* The equations of motion. `method`: "lagrange", "augmented", "kane", "gibbs-appell" or "hamilton"; NULL: what the model says, or the default. Once
 * derived, the method stays, and asking for another one is refused. */
DYN_API int dyn_compiler_derive(dyn_compiler *compiler, const char *method);

typedef enum dyn_equations {
  DYN_EQUATIONS_TEXT,
  DYN_EQUATIONS_LATEX,
  DYN_EQUATIONS_JSON,
  DYN_EQUATIONS_HTML
} dyn_equations;

/* The equations for a reader. `show`: further parts, separated by commas ("energies,momenta"), or
 * NULL. LaTeX and HTML are whole documents, which have the steps of the method if `show` is NULL. */
DYN_API char *dyn_compiler_equations(dyn_compiler *compiler, dyn_equations format,
                                     const char *show);

typedef enum dyn_engine {
  DYN_ENGINE_INTERPRETER, /* ready at once, slower */
  DYN_ENGINE_JIT          /* machine code made by LLVM; the library is loaded on demand */
} dyn_engine;

/* The compiled model; the same numbers with either engine. Lives until dyn_compiler_free. */
DYN_API const dyn_model *dyn_compiler_model(dyn_compiler *compiler, dyn_engine engine);
/* The model that dyn_compiler_model gave, with the sparse derivatives (jacobian, rhs_by_inputs, ...),
 * which take longest to compile and are NULL before. Both models stay usable. NULL if no model was
 * asked for. */
DYN_API const dyn_model *dyn_compiler_derivatives(dyn_compiler *compiler);
/* The model with the steps of an integrator as code ("dopri5", "dop853", "rk4", or "all"; see dyn_step in
 * dyn_model.h), with which long runs take less time; the same numbers. The interpreter has none: then
 * the model as it was. "taylor": with the Taylor series of its motion, which the interpreter has too; NULL
 * in its place if the motion has none. NULL of other integrators; otherwise like dyn_compiler_derivatives. */
DYN_API const dyn_model *dyn_compiler_steps(dyn_compiler *compiler, const char *integrator);
/* The step of an integrator ("dopri5", "dop853") for 4 or 8 trajectories at once, or as many as suit the
 * processor (lanes 0): for dyn_ensemble_run. Needs the model of DYN_ENGINE_JIT, from dyn_compiler_model.
 * NULL, and *obstacle (static; may be NULL) says why the model's trajectories can't be run so; or
 * NULL with *obstacle NULL: see the diagnostics. */
DYN_API const struct dyn_lanes *dyn_compiler_lanes(dyn_compiler *compiler, const char *integrator,
                                                   int32_t lanes, const char **obstacle);

typedef enum dyn_diagnostics { DYN_DIAGNOSTICS_TEXT, DYN_DIAGNOSTICS_JSON } dyn_diagnostics;

/* Errors, warnings and notes so far, in the order of the text; "" (JSON: "[]") if there are none.
 */
DYN_API char *dyn_compiler_diagnostics(dyn_compiler *compiler, dyn_diagnostics format);
DYN_API size_t dyn_compiler_error_count(const dyn_compiler *compiler);

#ifdef __cplusplus
}
#endif
#endif
