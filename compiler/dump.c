/* What each stage holds, as text: --dump=tokens|ast|model|system|tape|llvm. */
#include "compiler/compiler.h"
#include "lexer/lexer.h"
#include <string.h>

static bool dump_tokens(dyn_compiler *compiler, struct text *out) {
  if (compiler->source == 0) return false;
  struct token_list tokens = {0};
  lexer_run(compiler->context, compiler->source, LEXER_MODEL, &tokens);
  tokens_dump(compiler->context, &tokens, out);
  lexer_clear(&tokens);
  return true;
}

static bool dump_ast(dyn_compiler *compiler, struct text *out) {
  if (!compiler_parse(compiler)) return false;
  ast_dump(compiler->ast, out);
  return true;
}

static bool dump_model(dyn_compiler *compiler, struct text *out) {
  if (!compiler_check(compiler)) return false;
  model_dump(compiler->model, out);
  return true;
}

static bool dump_system(dyn_compiler *compiler, struct text *out) {
  if (!compiler_derive_mass(compiler)) return false;
  system_dump(compiler->system, out);
  return true;
}

static bool dump_tape(dyn_compiler *compiler, struct text *out) {
  if (!compiler_build_program(compiler, PROGRAM_ALL)) return false;
  program_dump(compiler->program, out);
  return true;
}

static bool dump_llvm(dyn_compiler *compiler, struct text *out) {
  struct backend_options options = backend_default_options();
  return compiler_emit(compiler, BACKEND_LLVM, 0, &options, out);
}

static const struct {
  const char *stage;
  bool (*dump)(dyn_compiler *compiler, struct text *out);
  bool is_derived; /* shows equations, which depend on the method */
} dumps[] = {{"tokens", dump_tokens, false}, {"ast", dump_ast, false},
             {"model", dump_model, false},   {"system", dump_system, true},
             {"tape", dump_tape, true},      {"llvm", dump_llvm, true}};

bool compiler_dump(dyn_compiler *compiler, const char *stage, const char *method,
                   struct text *out) {
  for (size_t i = 0; i < sizeof dumps / sizeof dumps[0]; i++) {
    if (strcmp(dumps[i].stage, stage) != 0) continue;
    if (dumps[i].is_derived && !compiler_derive(compiler, method)) return false;
    return dumps[i].dump(compiler, out);
  }
  bug("there is no dump of '%s'", stage);
}
