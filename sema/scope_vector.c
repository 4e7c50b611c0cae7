/* Members, tuples and axes: what stands behind a point, in a list in brackets, and behind `about`.
 *
 * Of which kind a value is, lowering finds out; here only a plain name tells it, and only what no
 * value of that kind could mean is refused. */
#include "sema/scope_resolve.h"
#include <string.h>

static const struct ast_expression *node(const struct resolver *r, ast_expr e) {
  return ast_expression(r->text->ast, e);
}

/* ---------------------------------------------------------------- axes */

bool resolve_axis(struct resolver *r, ast_expr e) {
  const char *name = node(r, e)->name;
  if (name[0] < 'x' || name[0] > 'z' || name[1] != '\0') return false;
  r->text->functions[e] = (uint8_t)(1 + name[0] - 'x');
  return true;
}

/* ---------------------------------------------------------------- what a member belongs to */

static ast_expr find_base(const struct resolver *r, ast_expr e) {
  for (;;) {
    const struct ast_expression *n = node(r, e);
    if (n->kind != AST_MEMBER && n->kind != AST_MEMBER_CALL && n->kind != AST_INDEX &&
        n->kind != AST_PRIME)
      return e;
    e = n->operand;
  }
}

uint32_t resolve_base(const struct resolver *r, ast_expr e) {
  const struct ast_expression *base = node(r, find_base(r, e));
  return base->kind == AST_NAME ? resolve_find(r, base->name) : 0;
}

bool resolve_is_silent(const struct resolver *r, ast_expr e) {
  const struct ast_expression *base = node(r, find_base(r, e));
  if (base->kind == AST_ERROR) return true;
  if (base->kind != AST_NAME) return false;
  uint32_t id = resolve_find(r, base->name);
  return id == 0 || r->scope->entries.items[id].is_broken;
}

/* The entry of `x` or `x[i]`, whose kind is that of the value; 0 if it is anything else. */
static uint32_t plain_entry(const struct resolver *r, ast_expr e) {
  const struct ast_expression *n = node(r, e);
  if (n->kind == AST_INDEX) n = node(r, n->operand);
  return n->kind == AST_NAME ? resolve_find(r, n->name) : 0;
}

/* ---------------------------------------------------------------- members */

enum {
  XYZ = 1u << MEMBER_X | 1u << MEMBER_Y | 1u << MEMBER_Z,
  POINT_MASS = 1u << MEMBER_MASS | 1u << MEMBER_AT,
  ANY_MEMBER = XYZ | POINT_MASS | 1u << MEMBER_FRAME | 1u << MEMBER_INERTIA
};

static uint32_t members_of(enum name_kind kind) {
  switch (kind) {
  case NAME_POINT:
  case NAME_ORIGIN:
    return XYZ;
  case NAME_FRAME:
  case NAME_WORLD:
    return XYZ | 1u << MEMBER_AT;
  case NAME_PARTICLE:
    return POINT_MASS;
  case NAME_BODY:
  case NAME_LET:
  case NAME_ARGUMENT:
    return ANY_MEMBER;
  default:
    return 0;
  }
}

/* "x, y, z and at" */
static const char *list_members(dyn_context *context, uint32_t members) {
  struct text out = {0};
  for (int m = 0; m < MEMBER_COUNT; m++) {
    if ((members >> m & 1) == 0) continue;
    bool is_last = members >> (m + 1) == 0;
    text_format(&out, "%s%s",
                out.length == 0 ? ""
                : is_last       ? " and "
                                : ", ",
                member_name((enum member)m));
  }
  const char *words = arena_string(&context->arena, text_string(&out), out.length);
  text_free(&out);
  return words;
}

static const char *nearest_member(const char *name, uint32_t members) {
  const char *names[MEMBER_COUNT];
  uint32_t count = 0;
  for (int m = 0; m < MEMBER_COUNT; m++)
    if ((members >> m & 1) != 0) names[count++] = member_name((enum member)m);
  return nearest_name(name, names, count);
}

/* What may have been meant by `name`; `what` ("a point") has these members. */
static void help_members(struct resolver *r, struct diagnostic *d, const char *name,
                         const char *what, uint32_t members) {
  dyn_context *context = r->scope->context;
  if (members == 0) return;
  const char *near = nearest_member(name, members);
  int function = builtin_find(name);
  if (strcmp(name, "length") == 0 || strcmp(name, "magnitude") == 0)
    diagnostic_help(context, d, "the length of a vector is norm(...)");
  else if (function >= 0 && !builtin_is_refused(function))
    diagnostic_help(context, d, "it is a function, called as %s(...)", name);
  else if (near != NULL)
    diagnostic_help(context, d, "did you mean '.%s'?", near);
  else if (what[0] != '\0')
    diagnostic_help(context, d, "%s has the members %s", what, list_members(context, members));
}

bool resolve_is_oriented(const struct resolver *r, const struct name_entry *entry) {
  if (entry->kind != NAME_FRAME) return false;
  for (uint32_t s = entry->first_site; s != 0; s = r->scope->sites.items[s].next)
    if (r->scope->sites.items[s].statement->source != 0) return true;
  return false;
}

static void report_no_member(struct resolver *r, const struct ast_expression *n,
                             const struct name_entry *entry) {
  dyn_context *context = r->scope->context;
  const char *word = name_kind_word(entry->kind), *article = "a";
  if (entry->kind == NAME_TIME || entry->kind == NAME_PI)
    article = "the";
  else if (strchr("aeiou", word[0]) != NULL)
    article = "an";
  const char *what = arena_format(&context->arena, "%s %s", article, word);
  struct diagnostic *d =
      diagnostic_add(context, DIAG_NO_MEMBERS, n->name_span, entry->name, what, n->name, NULL);
  if (entry->span.source != 0) diagnostic_label(context, d, entry->span, "declared here");
  int member = member_find(n->name);
  bool is_axis = member >= 0 && (XYZ >> member & 1) != 0;
  if (entry->kind == NAME_PARTICLE && is_axis)
    diagnostic_help(context, d, "its place has components: %s.at.%s", entry->name, n->name);
  else if (member == MEMBER_NORM && resolve_is_oriented(r, entry))
    diagnostic_help(context, d,
                    "the constraint of Euler parameters has only a multiplier: "
                    "multiplier(%s.norm)",
                    entry->name);
  else
    help_members(r, d, n->name, what, members_of(entry->kind));
}

/* Of the first thing that is wrong in x.a.b only that is reported. */
void resolve_member(struct resolver *r, ast_expr e, enum wanted wanted) {
  const struct ast_expression *n = node(r, e);
  int member = member_find(n->name);
  if (wanted == WANT_CONSTRAINT && member >= 0) { /* its name was looked at with the call */
    r->text->functions[e] = (uint8_t)(member + 1);
    resolve_want(r, n->operand, member == MEMBER_NORM ? WANT_NUMBER : WANT_CONSTRAINT);
    return;
  }
  resolve_want(r, n->operand, WANT_NUMBER);
  r->text->functions[e] = SCOPE_REFUSED;
  if (resolve_is_silent(r, n->operand)) return;
  uint32_t id = plain_entry(r, n->operand);
  struct name_entry *entry = &r->scope->entries.items[id];
  bool has_no_value =
      entry->kind == NAME_OUTPUT || entry->kind == NAME_FUNCTION || entry->kind == NAME_CONSTRAINT;
  if (id != 0 && has_no_value) return; /* reported with the name */
  uint32_t members = id != 0 ? members_of(entry->kind) : ANY_MEMBER;
  if (member >= 0 && (members >> member & 1) != 0) {
    r->text->functions[e] = (uint8_t)(member + 1);
    return;
  }
  if (id != 0) {
    entry->use_count++;
    report_no_member(r, n, entry);
    resolve_refuse(r, e);
    return;
  }
  struct diagnostic *d =
      diagnostic_add(r->scope->context, DIAG_UNKNOWN_MEMBER, n->name_span, n->name, NULL);
  help_members(r, d, n->name, "", ANY_MEMBER);
}

/* `f.spring(...)`: of modules only. */
void resolve_member_call(struct resolver *r, ast_expr e) {
  const struct ast_expression *n = node(r, e);
  uint32_t id = resolve_base(r, n->operand);
  const struct ast_expression *base = node(r, find_base(r, n->operand));
  resolve_refuse(r, e);
  if (base->kind == AST_NAME && id == 0 && !r->scope->has_import)
    scope_report_unknown(r->scope, base->name, base->span, false, NULL, 0);
  if (id != 0) r->scope->entries.items[id].use_count++;
  if (resolve_is_silent(r, n->operand)) return;
  struct diagnostic *d =
      diagnostic_add(r->scope->context, DIAG_MEMBER_CALLED, n->name_span, n->name, NULL);
  int function = builtin_find(n->name);
  if (function >= 0 && !builtin_is_refused(function))
    diagnostic_help(r->scope->context, d, "functions stand alone: %s(...)", n->name);
}

/* ---------------------------------------------------------------- tuples */

static void report_bare(struct resolver *r, ast_expr e) {
  const struct ast_expression *n = node(r, e);
  dyn_context *context = r->scope->context;
  struct diagnostic *d = diagnostic_add(context, DIAG_BARE_TUPLE, n->span,
                                        "it does not say in which frame it is a vector", NULL);
  if (n->list.count == 3)
    diagnostic_help(context, d,
                    "write '(...) in world' for a vector, 'origin + (...) in world' "
                    "for a point");
}

/* Two entries are a point in the plane, wherever a point can stand. */
void resolve_tuple(struct resolver *r, ast_expr e, enum wanted wanted) {
  const struct ast_expression *n = node(r, e);
  dyn_context *context = r->scope->context;
  if (wanted == WANT_COMPONENTS && n->list.count != 3) {
    struct diagnostic *d =
        diagnostic_add(context, DIAG_ENTRY_COUNT, n->span, "a vector in a frame", "3",
                       arena_format(&context->arena, "%u", n->list.count), NULL);
    if (n->list.count == 2)
      diagnostic_help(context, d, "in a plane of the frame the third one is 0: (..., ..., 0)");
    resolve_refuse(r, e);
    return;
  }
  bool is_list = wanted == WANT_VALUES || wanted == WANT_TUPLE || wanted == WANT_COMPONENTS;
  if (!is_list && n->list.count != 2) {
    report_bare(r, e);
    resolve_refuse(r, e);
    return;
  }
  resolve_want_list(r, n->list, WANT_NUMBER);
}
