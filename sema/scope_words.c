/* Tables of name resolution: what statements declare and are called, and the functions that every
 * model knows. */
#include "sema/scope_private.h"
#include <string.h>

static const char *const kind_words[] = {
    [NAME_NONE] = "name",           [NAME_CONST] = "constant",    [NAME_PARAM] = "parameter",
    [NAME_INPUT] = "input",         [NAME_COORD] = "coordinate",  [NAME_STATE] = "state",
    [NAME_SPEED] = "speed",         [NAME_LET] = "let",           [NAME_OUTPUT] = "output",
    [NAME_FUNCTION] = "function",   [NAME_POINT] = "point",       [NAME_FRAME] = "frame",
    [NAME_PARTICLE] = "particle",   [NAME_BODY] = "body",         [NAME_CONSTRAINT] = "constraint",
    [NAME_COMPONENT] = "component", [NAME_INSTANCE] = "instance", [NAME_MODULE] = "module",
    [NAME_TIME] = "time",           [NAME_PI] = "number pi",      [NAME_WORLD] = "frame",
    [NAME_ORIGIN] = "point",        [NAME_INDEX] = "index",       [NAME_ARGUMENT] = "argument"};

const char *name_kind_word(enum name_kind kind) {
  return kind_words[kind];
}

struct statement_row {
  const char *word;
  enum name_kind declares;
  bool is_refused;
};

static const struct statement_row statements[] = {
    [AST_MODEL] = {"model", NAME_NONE, false},
    [AST_IMPORT] = {"import", NAME_MODULE, true},
    [AST_CONST] = {"const", NAME_CONST, false},
    [AST_PARAM] = {"param", NAME_PARAM, false},
    [AST_INPUT] = {"input", NAME_INPUT, false},
    [AST_COORD] = {"coord", NAME_COORD, false},
    [AST_STATE] = {"state", NAME_STATE, false},
    [AST_SPEED] = {"speed", NAME_SPEED, false},
    [AST_LET] = {"let", NAME_LET, false},
    [AST_OUTPUT] = {"output", NAME_OUTPUT, false},
    [AST_RATE] = {"rate equation", NAME_NONE, false},
    [AST_FUNCTION] = {"function", NAME_FUNCTION, false},
    [AST_INITIAL] = {"initial", NAME_NONE, false},
    [AST_START] = {"start", NAME_NONE, false},
    [AST_SIMULATE] = {"simulate", NAME_NONE, false},
    [AST_KINETIC] = {"kinetic", NAME_NONE, false},
    [AST_POTENTIAL] = {"potential", NAME_NONE, false},
    [AST_LAGRANGIAN] = {"lagrangian", NAME_NONE, false},
    [AST_DISSIPATION] = {"dissipation", NAME_NONE, false},
    [AST_FORCE_ON] = {"force ... on", NAME_NONE, false},
    [AST_FORCE_AT] = {"force ... at", NAME_NONE, false},
    [AST_TORQUE] = {"torque", NAME_NONE, false},
    [AST_GRAVITY] = {"gravity", NAME_NONE, false},
    [AST_FRAME] = {"frame", NAME_FRAME, false},
    [AST_POINT] = {"point", NAME_POINT, false},
    [AST_PARTICLE] = {"particle", NAME_PARTICLE, false},
    [AST_BODY] = {"body", NAME_BODY, false},
    [AST_CONSTRAINT] = {"constraint", NAME_CONSTRAINT, false},
    [AST_COMPONENT] = {"component", NAME_COMPONENT, true},
    [AST_INSTANCE] = {"instance", NAME_INSTANCE, true},
    [AST_FOR] = {"for", NAME_NONE, false},
    [AST_IF_BLOCK] = {"if", NAME_NONE, false},
    [AST_WHEN] = {"when", NAME_NONE, false},
    [AST_EVERY] = {"every", NAME_NONE, false},
    [AST_RESET] = {":=", NAME_NONE, false},
    [AST_RELEASE] = {"release", NAME_NONE, true},
    [AST_STOP] = {"stop", NAME_NONE, false},
    [AST_RESERVED] = {"reserved", NAME_NONE, true}};

const char *statement_word(const struct ast_statement *statement) {
  if (statement->kind == AST_RESERVED) return statement->text;
  return statements[statement->kind].word;
}

enum name_kind statement_name_kind(enum ast_statement_kind kind) {
  return statements[kind].declares;
}

bool statement_is_refused(enum ast_statement_kind kind) {
  return statements[kind].is_refused;
}

/* ---------------------------------------------------------------- functions */

static const struct builtin {
  const char *name;
  uint32_t least, most;
} builtins[] = {
#define BUILTIN_ROW(name, least, most, rule) {#name, least, most},
    BUILTIN_FUNCTIONS(BUILTIN_ROW)
#undef BUILTIN_ROW
};

int builtin_find(const char *name) {
  for (int i = 0; i < BUILTIN_COUNT; i++)
    if (strcmp(builtins[i].name, name) == 0) return i;
  return -1;
}

const char *builtin_name(int function) {
  return builtins[function].name;
}

uint32_t builtin_least(int function) {
  return builtins[function].least;
}

uint32_t builtin_most(int function) {
  return builtins[function].most;
}

bool builtin_is_refused(int function) {
  return function == BUILTIN_table;
}

/* ---------------------------------------------------------------- members */

static const char *const members[MEMBER_COUNT] = {"x",  "y",     "z",       "mass",
                                                  "at", "frame", "inertia", "norm"};

int member_find(const char *name) {
  for (int i = 0; i < MEMBER_COUNT; i++)
    if (strcmp(members[i], name) == 0) return i;
  return -1;
}

const char *member_name(enum member member) {
  return members[member];
}
