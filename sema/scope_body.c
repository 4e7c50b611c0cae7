/* Frames, particles and bodies: how their parts are resolved, and which arguments they have. */
#include "sema/scope_resolve.h"
#include <string.h>

static const struct ast_expression *node(const struct resolver *r, ast_expr e) {
  return ast_expression(r->text->ast, e);
}

/* The tuple that e is, below its unit; NULL if it is none. */
static const struct ast_expression *tuple_of(const struct resolver *r, ast_expr e) {
  const struct ast_expression *n = node(r, e);
  if (n->kind == AST_UNIT) n = node(r, n->operand);
  return n->kind == AST_TUPLE ? n : NULL;
}

/* The tuple e has too many or too few entries. */
static void report_entries(struct resolver *r, ast_expr e, const char *what, const char *counts,
                           const char *help) {
  dyn_context *context = r->scope->context;
  const struct ast_expression *tuple = tuple_of(r, e);
  r->text->functions[e] = SCOPE_REFUSED;
  struct diagnostic *d =
      diagnostic_add(context, DIAG_ENTRY_COUNT, tuple->span, what, counts,
                     arena_format(&context->arena, "%u", tuple->list.count), NULL);
  diagnostic_help(context, d, "%s", help);
}

/* ---------------------------------------------------------------- frames */

void resolve_frame(struct resolver *r, const struct ast_statement *statement) {
  resolve_expression(r, statement->value, WANT_NUMBER);
  for (uint32_t i = 0; i < statement->rotations.count; i++) {
    resolve_expression(r, statement->rotations.items[i].angle, WANT_NUMBER);
    ast_expr axis = statement->rotations.items[i].axis; /* a letter means an axis only when alone */
    r->in_axis = ast_expression(r->text->ast, axis)->kind == AST_NAME;
    resolve_expression(r, axis, WANT_NUMBER);
    r->in_axis = false;
  }
  resolve_expression(r, statement->source, WANT_TUPLE);
  resolve_expression(r, statement->target, WANT_NUMBER);
  const struct ast_expression *tuple =
      statement->source != 0 ? tuple_of(r, statement->source) : NULL;
  if (tuple != NULL && tuple->list.count != 4)
    report_entries(r, statement->source, "'oriented'", "4",
                   "Euler parameters are four, the scalar one first: (e0, e1, e2, e3)");
}

/* ---------------------------------------------------------------- arguments of bodies */

static const char *const argument_names[BODY_ARGUMENTS] = {"mass", "at", "frame", "inertia",
                                                           "about"};

static uint32_t argument_count(const struct ast_statement *statement) {
  return statement->kind == AST_PARTICLE ? 2 : BODY_ARGUMENTS;
}

static int find_argument(const struct ast_statement *statement, const char *name) {
  for (uint32_t i = 0; i < argument_count(statement); i++)
    if (strcmp(argument_names[i], name) == 0) return (int)i;
  return -1;
}

ast_expr scope_body_argument(const struct ast *ast, const struct ast_statement *statement,
                             enum body_argument argument) {
  for (uint32_t i = 0; i < statement->arguments.count; i++) {
    const struct ast_expression *n =
        ast_expression(ast, ast_list_item(ast, statement->arguments, i));
    if (n->kind == AST_ARGUMENT && find_argument(statement, n->name) == (int)argument)
      return n->operand;
  }
  return 0;
}

static void report_unknown(struct resolver *r, const struct ast_statement *statement,
                           const struct ast_expression *n) {
  dyn_context *context = r->scope->context;
  bool is_particle = statement->kind == AST_PARTICLE;
  struct diagnostic *d = diagnostic_add(context, DIAG_UNKNOWN_BODY_ARGUMENT, n->name_span,
                                        is_particle ? "particle" : "body", n->name, NULL);
  const char *near = nearest_name(n->name, argument_names, argument_count(statement));
  bool is_of_body = false;
  for (uint32_t i = 0; i < BODY_ARGUMENTS; i++)
    is_of_body = is_of_body || strcmp(argument_names[i], n->name) == 0;
  if (is_of_body)
    diagnostic_help(context, d, "a particle is a point with mass; what turns is a 'body'");
  else if (near != NULL)
    diagnostic_help(context, d, "did you mean '%s'?", near);
  else if (is_particle)
    diagnostic_help(context, d, "the arguments of a particle are mass and at");
  else
    diagnostic_help(context, d, "the arguments of a body are mass, at, frame, inertia and about");
}

static void check_inertia(struct resolver *r, ast_expr e) {
  const struct ast_expression *tuple = tuple_of(r, e);
  if (tuple == NULL || tuple->list.count == 3 || tuple->list.count == 6) return;
  report_entries(r, e, "'inertia'", "3 or 6",
                 "write (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), or one value for the "
                 "axis z");
}

static void report_missing(struct resolver *r, const struct ast_statement *statement,
                           const char *what, const char *help) {
  dyn_context *context = r->scope->context;
  bool is_particle = statement->kind == AST_PARTICLE;
  struct diagnostic *d = diagnostic_add(
      context, DIAG_BODY_ARGUMENT_MISSING, statement->label.span, is_particle ? "particle" : "body",
      statement->label.name != NULL ? statement->label.name : "", what, NULL);
  diagnostic_help(context, d, "%s", help);
}

/* Nothing is said to be missing where something was not understood. */
static void check_missing(struct resolver *r, const struct ast_statement *statement,
                          const struct span *seen) {
  bool is_particle = statement->kind == AST_PARTICLE;
  bool has_mass = seen[BODY_MASS].source != 0, has_place = seen[BODY_AT].source != 0;
  if (!has_mass && !has_place)
    report_missing(r, statement, "'mass' and no 'at'", "add 'mass = ..., at = ...'");
  else if (!has_mass)
    report_missing(r, statement, "'mass'", "add 'mass = ...'");
  else if (!has_place)
    report_missing(r, statement, "'at'",
                   is_particle ? "add the point where it is: 'at = ...'"
                               : "add its mass centre: 'at = ...'");
  else if (seen[BODY_ABOUT].source != 0 && seen[BODY_INERTIA].source == 0)
    report_missing(r, statement, "'inertia'",
                   "'about' says about which point the inertia is that is given");
}

void resolve_body(struct resolver *r, const struct ast_statement *statement) {
  dyn_context *context = r->scope->context;
  struct span seen[BODY_ARGUMENTS] = {{0, 0, 0}};
  bool is_understood = statement->value == 0;
  for (uint32_t i = 0; i < statement->arguments.count; i++) {
    ast_expr e = ast_list_item(r->text->ast, statement->arguments, i);
    const struct ast_expression *n = node(r, e);
    if (n->kind != AST_ARGUMENT) { /* reported by the parser */
      is_understood = false;
      continue;
    }
    int argument = find_argument(statement, n->name);
    resolve_expression(r, n->operand, argument == BODY_INERTIA ? WANT_TUPLE : WANT_NUMBER);
    if (argument < 0) {
      report_unknown(r, statement, n);
      is_understood = false;
    } else if (seen[argument].source != 0) {
      struct diagnostic *d =
          diagnostic_add(context, DIAG_BODY_ARGUMENT_TWICE, n->name_span, n->name, NULL);
      diagnostic_label(context, d, seen[argument], "given here first");
    } else {
      seen[argument] = n->name_span;
      if (argument == BODY_INERTIA) check_inertia(r, n->operand);
    }
  }
  if (is_understood) check_missing(r, statement, seen);
}
