/* The functions of the public dyn.h, over the pipeline of compiler.h. */
#include "compiler/compiler.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct span nowhere = {0, 0, 0};

const char *dyn_version(void) {
  return DYN_VERSION;
}

dyn_compiler *dyn_compiler_new(void) {
  dyn_compiler *compiler = checked_calloc(1, sizeof *compiler);
  compiler->context = context_new();
  return compiler;
}

void dyn_compiler_free(dyn_compiler *compiler) {
  if (compiler == NULL) return;
  if (compiler->backend != NULL) {
    for (uint32_t i = compiler->more_compiled.count; i-- > 0;)
      compiler->backend->release(compiler->more_compiled.items[i]);
    compiler->backend->release(compiler->compiled);
    for (uint32_t i = 0; i < compiler->lanes.count; i++)
      compiler->backend->release_lanes(compiler->lanes.items[i]);
  }
  vector_free(&compiler->lanes);
  free(compiler->folded);
  for (uint32_t i = 0; i < compiler->more_interpreted.count; i++)
    free(compiler->more_interpreted.items[i]);
  vector_free(&compiler->more_interpreted);
  vector_free(&compiler->more_compiled);
  free(compiler->interpreted);
  if (compiler->program != NULL) program_free(compiler->program);
  if (compiler->system != NULL) system_free(compiler->system);
  if (compiler->model != NULL) model_free(compiler->model);
  if (compiler->ast != NULL) ast_free(compiler->ast);
  vector_free(&compiler->overrides.set);
  vector_free(&compiler->overrides.start);
  vector_free(&compiler->overrides.at);
  vector_free(&compiler->overrides.input);
  vector_free(&compiler->overrides.vary);
  context_free(compiler->context);
  free(compiler);
}

void dyn_text_free(char *text) {
  free(text);
}

int dyn_compiler_add_text(dyn_compiler *compiler, const char *name, const char *text,
                          size_t length) {
  if (compiler->source != 0) return -1;
  compiler->source = source_add(&compiler->context->sources, name, text, length);
  if (compiler->source == 0)
    diagnostic_add(compiler->context, DIAG_CANNOT_READ, nowhere, name, strerror(errno), NULL);
  return compiler->source != 0 ? 0 : -1;
}

int dyn_compiler_add_file(dyn_compiler *compiler, const char *path) {
  if (compiler->source != 0) return -1;
  return compiler_read(compiler, path) ? 0 : -1;
}

int dyn_compiler_override(dyn_compiler *compiler, dyn_override kind, const char *text) {
  static const char *const names[] = {[DYN_OVERRIDE_SET] = "--set",
                                      [DYN_OVERRIDE_START] = "--start",
                                      [DYN_OVERRIDE_INPUT] = "--input"};
  if ((size_t)kind >= sizeof names / sizeof *names) return -1;
  if (compiler->model != NULL || compiler->check_failed) return -1; /* they were read already */
  uint32_t errors = compiler->context->diagnostics.error_count;
  compiler_override(compiler, kind, names[kind], text);
  return compiler->context->diagnostics.error_count == errors ? 0 : -1;
}

int dyn_compiler_check(dyn_compiler *compiler) {
  return compiler_check(compiler) ? 0 : -1;
}

/* Who holds a model of this library may run it with any values of its parameters. */
static bool derive(dyn_compiler *compiler, const char *method) {
  compiler->keeps_parameters = true;
  return compiler_derive(compiler, method);
}

int dyn_compiler_derive(dyn_compiler *compiler, const char *method) {
  if (!derive(compiler, method)) return -1;
  return method == NULL || strcmp(method, compiler->system->method) == 0 ? 0 : -1;
}

char *dyn_compiler_equations(dyn_compiler *compiler, dyn_equations format, const char *show) {
  static const enum equation_format formats[] = {[DYN_EQUATIONS_TEXT] = EQUATIONS_TEXT,
                                                 [DYN_EQUATIONS_LATEX] = EQUATIONS_LATEX,
                                                 [DYN_EQUATIONS_JSON] = EQUATIONS_JSON,
                                                 [DYN_EQUATIONS_HTML] = EQUATIONS_HTML};
  if ((size_t)format >= sizeof formats / sizeof *formats) return NULL;
  if (!derive(compiler, NULL) || !compiler_derive_mass(compiler)) return NULL;
  struct text out = {0};
  if (equations_print(compiler->context, compiler->system, formats[format], show, &out))
    return text_take(&out);
  text_free(&out);
  return NULL;
}

const dyn_model *dyn_compiler_model(dyn_compiler *compiler, dyn_engine engine) {
  if (!derive(compiler, NULL)) return NULL;
  if (engine == DYN_ENGINE_JIT) return compiler_jit(compiler, NULL, -1);
  return engine == DYN_ENGINE_INTERPRETER ? compiler_interpret(compiler) : NULL;
}

const dyn_model *dyn_compiler_derivatives(dyn_compiler *compiler) {
  if (compiler->interpreted == NULL) return NULL; /* no model was asked for */
  return compiler_add_functions(compiler, PROGRAM_DERIVATIVES);
}

const dyn_model *dyn_compiler_steps(dyn_compiler *compiler, const char *integrator) {
  program_functions steps = program_steps_of(integrator);
  if (compiler->interpreted == NULL || steps == 0) return NULL;
  return compiler_add_functions(compiler, steps);
}

const struct dyn_lanes *dyn_compiler_lanes(dyn_compiler *compiler, const char *integrator,
                                           int32_t lanes, const char **obstacle) {
  const char *unused;
  if (obstacle == NULL) obstacle = &unused;
  *obstacle = NULL;
  if (compiler->interpreted == NULL) return NULL; /* no model was asked for */
  return compiler_lanes(compiler, integrator, lanes, obstacle);
}

char *dyn_compiler_diagnostics(dyn_compiler *compiler, dyn_diagnostics format) {
  if (format != DYN_DIAGNOSTICS_TEXT && format != DYN_DIAGNOSTICS_JSON) return NULL;
  struct text out = {0};
  if (format == DYN_DIAGNOSTICS_JSON)
    diagnostics_render_json(compiler->context, &out);
  else
    diagnostics_render_text(compiler->context, &out, false);
  return text_take(&out);
}

size_t dyn_compiler_error_count(const dyn_compiler *compiler) {
  return compiler->context->diagnostics.error_count;
}
