/* Values from the command line: --set, --start, --at, --input, --vary. Each text is parsed as a
 * list of assignments; the names on the left are those that `dyn check` prints (a[2]'). */
#include "sema/analysis.h"
#include "sema/flatten.h"
#include <stdlib.h>
#include <string.h>

static const char *const option_words[OVERRIDE_COUNT] = {"--set", "--start", "--at", "--input",
                                                         "--vary"};

static uint64_t key_of(const char *name, unsigned primes) {
  return hash_mix((uint64_t)(uintptr_t)name) + primes;
}

/* ---------------------------------------------------------------- reading */

/* Adds ".member" and "[index]" to the name; false if an index is no plain number. */
static bool add_suffix(const struct ast *ast, const struct ast_expression *n, struct text *out) {
  if (n->kind == AST_MEMBER) {
    text_format(out, ".%s", n->name);
    return true;
  }
  for (uint32_t i = 0; i < n->list.count; i++) {
    const struct ast_expression *index = ast_expression(ast, ast_list_item(ast, n->list, i));
    const char *sign = "";
    if (index->kind == AST_UNARY && index->operator_ == AST_NEGATE) {
      sign = "-";
      index = ast_expression(ast, index->operand);
    }
    if (index->kind != AST_NUMBER) return false;
    text_format(out, "%s%s%s", i > 0 ? "," : "[", sign, index->name);
  }
  text_put(out, "]");
  return true;
}

/* The nodes of a reference stand in the order in which they are read. */
static bool read_name(struct analysis *a, const struct ast *ast, struct assignment *assignment) {
  const struct ast_expression *left = ast_expression(ast, assignment->left);
  struct text name = {0};
  bool is_plain = true;
  assignment->span = left->span;
  if (left->kind == AST_PRIME) {
    assignment->primes = left->count;
    left = ast_expression(ast, left->operand);
  }
  VECTOR(const struct ast_expression *) path = {0};
  for (; left->kind == AST_MEMBER || left->kind == AST_INDEX;
       left = ast_expression(ast, left->operand))
    vector_push(&path, left);
  if (left->kind == AST_NAME)
    text_put(&name, assignment->base = left->name);
  else
    is_plain = false;
  while (is_plain && path.count > 0) is_plain = add_suffix(ast, vector_pop(&path), &name);
  if (is_plain) assignment->name = intern(&a->context->names, name.bytes, name.length);
  vector_free(&path);
  text_free(&name);
  return is_plain;
}

static void report_twice(struct analysis *a, const struct assignment *first,
                         const struct assignment *second) {
  const char *name =
      arena_format(&a->context->arena, "%s%.*s", second->name, (int)second->primes, "''''");
  struct diagnostic *d = diagnostic_add(a->context, DIAG_SET_TWICE, second->span, name,
                                        option_words[second->option], NULL);
  diagnostic_label(a->context, d, first->span, "given here first");
}

/* `written` is as the option has it, `equation` in the names of the flat tree. */
static void add_assignment(struct analysis *a, struct override_text *text,
                           const struct ast *written_in, const struct ast_equation *written,
                           const struct ast_equation *equation) {
  struct assignment assignment = {.option = text->option,
                                  .list = text,
                                  .text = &text->text,
                                  .left = written->left,
                                  .right = equation->right};
  if (ast_expression(written_in, written->left)->kind == AST_ERROR) return;
  bool is_name = read_name(a, written_in, &assignment);
  assignment.left = equation->left;
  if (!is_name) {
    const struct source *source = source_get(&a->context->sources, assignment.span.source);
    diagnostic_add(a->context, DIAG_NOTHING_TO_SET, assignment.span,
                   arena_string(&a->context->arena, source->text + assignment.span.begin,
                                assignment.span.end - assignment.span.begin),
                   option_words[text->option], NULL);
    return;
  }
  struct ast_expression *left = &text->ast->expressions.items[equation->left];
  if (equation->left != 0 &&
      left->kind == AST_ERROR) { /* of a file that the model itself can't name, perhaps */
    left->kind = AST_NAME;
    left->name = assignment.name;
  }
  vector_push(&a->assignments, assignment);
  /* The last of several options counts, as usual; twice in one list is a slip. */
  uint64_t key = key_of(assignment.name, assignment.primes);
  uint32_t before = map_get(&a->assignment_by_name[text->option], key);
  if (before != 0) {
    struct assignment *first = &a->assignments.items[before - 1];
    first->is_used = true;
    if (first->list == text) report_twice(a, first, &assignment);
  }
  map_set(&a->assignment_by_name[text->option], key, a->assignments.count);
}

static void add_assignments(struct analysis *a, struct override_text *text,
                            const struct ast *written) {
  for (uint32_t k = 0; k < written->statements.count; k++) {
    const struct ast_statement *from = written->statements.items[k];
    const struct ast_statement *to = text->ast->statements.items[k];
    for (uint32_t q = 0; q < from->equations.count; q++)
      add_assignment(a, text, written, &from->equations.items[q], &to->equations.items[q]);
  }
}

static void read_texts(struct analysis *a, enum override_option option, const uint32_t *sources,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct override_text *text = checked_calloc(1, sizeof *text);
    text->option = option;
    struct ast *written = parse_assignments(a->context, sources[i]);
    text->ast = a->flattening != NULL ? flatten_assignments(a->flattening, written) : written;
    text->text.ast = text->ast;
    vector_push(&a->texts, text);
    add_assignments(a, text, written);
    if (text->ast != written) ast_free(written);
  }
}

void overrides_read(struct analysis *a, const struct sema_overrides *overrides) {
  if (overrides == NULL) return;
  read_texts(a, OVERRIDE_SET, overrides->set.items, overrides->set.count);
  read_texts(a, OVERRIDE_START, overrides->start.items, overrides->start.count);
  read_texts(a, OVERRIDE_AT, overrides->at.items, overrides->at.count);
  read_texts(a, OVERRIDE_INPUT, overrides->input.items, overrides->input.count);
  read_texts(a, OVERRIDE_VARY, overrides->vary.items, overrides->vary.count);
}

bool overrides_resolve(struct analysis *a) {
  bool ok = true;
  for (uint32_t i = 0; i < a->texts.count; i++)
    ok = scope_resolve_text(a->scope, a->texts.items[i]->ast, &a->texts.items[i]->text) && ok;
  return ok;
}

void overrides_free(struct analysis *a) {
  for (uint32_t i = 0; i < a->texts.count; i++) {
    scope_text_free(&a->texts.items[i]->text);
    ast_free(a->texts.items[i]->ast);
    free(a->texts.items[i]);
  }
  vector_free(&a->texts);
  vector_free(&a->assignments);
  for (int i = 0; i < OVERRIDE_COUNT; i++) map_free(&a->assignment_by_name[i]);
}

/* ---------------------------------------------------------------- using */

struct assignment *overrides_find(struct analysis *a, enum override_option option, const char *name,
                                  unsigned primes) {
  uint32_t at = map_get(&a->assignment_by_name[option], key_of(name, primes));
  if (at == 0) return NULL;
  a->assignments.items[at - 1].is_used = true;
  return &a->assignments.items[at - 1];
}

struct given overrides_given(struct analysis *a, const struct assignment *assignment, expr scale) {
  (void)a;
  struct given given = {.value = assignment->right,
                        .environment = {assignment->text, NULL},
                        .scale = scale,
                        .span = assignment->span};
  return given;
}

/* The symbol (of a speed: the definition) that --at can give a value; 0 if there is none. */
static expr symbol_at(struct analysis *a, const struct element *element, unsigned primes) {
  if (primes == 0 && element->kind == NAME_SPEED) return element->result;
  if (primes == 0) return element->symbol;
  if (primes == 1 && element->kind == NAME_COORD)
    return a->model->coordinates.items[element->index].velocity;
  return 0;
}

static void lower_at(struct analysis *a, struct assignment *assignment,
                     const struct element *element) {
  expr symbol = symbol_at(a, element, assignment->primes), scale = 0;
  if (symbol == 0) return;
  assignment->is_used = true;
  if (scope_is_bare(a->scope, assignment->text, assignment->right)) {
    struct unit unit = dimension_of_name(a->l->dimensions, element->entry, assignment->primes);
    scale = lower_scale(a->l, &unit);
  }
  struct given given = overrides_given(a, assignment, scale);
  expr value = lower_given(a->l, &given, lower_words(a->l, "the value of %s", assignment->name));
  if (value == 0) return;
  expr other = find_other_role(a->l, value, role_bit(ROLE_PARAMETER) | role_bit(ROLE_TIME));
  if (other != 0) {
    lower_report(a->l, given.environment, DIAG_WRONG_DEPENDENCE,
                 ast_expression(assignment->text->ast, assignment->right)->span,
                 lower_words(a->l, "the value of %s", assignment->name), role_words(a->l, other),
                 NULL);
    return;
  }
  struct model_assignment at = {symbol, value, assignment->span, NULL};
  if (element->kind == NAME_SPEED) at.speed = element->name;
  vector_push(&a->model->at, at);
}

static bool takes(enum override_option option, enum name_kind kind) {
  bool is_variable = kind == NAME_COORD || kind == NAME_STATE;
  switch (option) {
  case OVERRIDE_SET:
    return kind == NAME_CONST || kind == NAME_PARAM || kind == NAME_INPUT;
  case OVERRIDE_START:
    return is_variable || kind == NAME_SPEED;
  case OVERRIDE_INPUT:
    return kind == NAME_INPUT;
  case OVERRIDE_VARY: /* what a compiled model can still be given */
    return is_variable || kind == NAME_PARAM || kind == NAME_INPUT;
  default: /* --at: a state, without assembly; the rest is what --set and --input are for */
    return is_variable || kind == NAME_SPEED;
  }
}

/* --at needs all names, so it looks through the elements once. */
void overrides_lower(struct analysis *a) {
  struct map *wanted = &a->assignment_by_name[OVERRIDE_AT];
  if (wanted->count == 0) return;
  for (uint32_t id = 1; id < a->l->elements.count; id++) {
    const struct element *element = &a->l->elements.items[id];
    for (unsigned primes = 0; primes < 2; primes++) {
      uint32_t at = map_get(wanted, key_of(element->name, primes));
      if (at != 0 && takes(OVERRIDE_AT, element->kind))
        lower_at(a, &a->assignments.items[at - 1], element);
    }
  }
}

/* ---------------------------------------------------------------- names that nothing has */

/* The value that counts in place of this one: of an input by --set and by --input, or one that is
 * varied and given. */
static const struct assignment *given_otherwise(struct analysis *a,
                                                const struct assignment *assignment) {
  static const enum override_option others[] = {OVERRIDE_SET, OVERRIDE_START, OVERRIDE_INPUT};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    unsigned primes = others[i] == OVERRIDE_START ? assignment->primes : 0;
    const struct assignment *other = overrides_find(a, others[i], assignment->name, primes);
    if (other != NULL && other != assignment) return other;
  }
  return NULL;
}

static void help_instead(struct analysis *a, struct diagnostic *d,
                         const struct assignment *assignment, const struct element *same) {
  static const char *const instead[] = {[NAME_CONST] = "--set",
                                        [NAME_PARAM] = "--set",
                                        [NAME_INPUT] = "--input",
                                        [NAME_COORD] = "--start",
                                        [NAME_STATE] = "--start"};
  diagnostic_label(a->context, d, same->item->name_span, "the %s '%s' is declared here",
                   name_kind_word(same->kind), same->name);
  if (assignment->option != OVERRIDE_VARY)
    diagnostic_help(a->context, d, "use %s \"%s=...\"", instead[same->kind], same->name);
  else
    diagnostic_help(a->context, d,
                    "the equations are made for one value of a constant: declare a "
                    "'param', or run a sweep for each value with --set");
}

static bool help_with_follower(struct analysis *a, struct diagnostic *d,
                               const struct assignment *assignment, struct span span,
                               enum name_kind kind) {
  diagnostic_label(a->context, d, span, "the %s '%s' is declared here", name_kind_word(kind),
                   assignment->name);
  diagnostic_help(a->context, d, "it follows from other values: %s those",
                  assignment->option == OVERRIDE_VARY ? "vary" : "give");
  return true;
}

/* What the name means where it means something that no option gives a value, but one can: an array,
 * or what follows from other values. False if there is nothing to say. */
static bool help_with_entry(struct analysis *a, struct diagnostic *d,
                            const struct assignment *assignment) {
  const struct name_entry *entry = scope_find(a->scope, assignment->name);
  for (uint32_t id = 1; id < a->l->elements.count; id++) {
    const struct element *element = &a->l->elements.items[id];
    if (element->kind == NAME_OUTPUT && element->name == assignment->name)
      return help_with_follower(a, d, assignment, element->item->name_span, NAME_OUTPUT);
    if (element->kind == NAME_COORD && element->name == assignment->name &&
        assignment->primes > 1) {
      diagnostic_help(a->context, d, "an acceleration follows from the equations");
      return true;
    }
    if (entry == NULL || entry->rank == 0 || assignment->primes > 1 ||
        !takes(assignment->option, element->kind) || scope_entry(a->scope, element->entry) != entry)
      continue;
    diagnostic_help(a->context, d, "'%s' is an array: name one of its elements, %s%.*s say",
                    assignment->name, element->name, (int)assignment->primes, "''''");
    return true;
  }
  bool follows = entry != NULL && (entry->kind == NAME_LET || entry->kind == NAME_POINT ||
                                   entry->kind == NAME_FUNCTION);
  return follows && help_with_follower(a, d, assignment, entry->span, entry->kind);
}

/* "simulate(until = T)" can follow a parameter. */
static bool help_with_run(struct analysis *a, struct diagnostic *d,
                          const struct assignment *assignment) {
  static const char *const words[] = {"from",     "until",    "every", "tolerance",
                                      "absolute", "max_step", "step"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (assignment->primes > 0 || strcmp(assignment->name, words[i]) != 0) continue;
    if (assignment->option == OVERRIDE_VARY)
      diagnostic_help(a->context, d,
                      "declare a parameter that it follows, 'simulate(%s = T)', and vary that",
                      words[i]);
    else
      diagnostic_help(a->context, d, "it is no part of the model: see the options of 'dyn run'");
    return true;
  }
  return false;
}

static void report_unused(struct analysis *a, const struct assignment *assignment) {
  VECTOR(const char *) names = {0};
  const struct element *same = NULL;
  for (uint32_t id = 1; id < a->l->elements.count; id++) {
    const struct element *element = &a->l->elements.items[id];
    if (element->name == assignment->name && element->kind != NAME_OUTPUT) same = element;
    if (takes(assignment->option, element->kind)) vector_push(&names, element->name);
  }
  const struct assignment *other = given_otherwise(a, assignment);
  if (other != NULL && same != NULL && takes(assignment->option, same->kind)) {
    vector_free(&names);
    report_twice(a, other, assignment);
    return;
  }
  const char *primes = arena_format(&a->context->arena, "%.*s", (int)assignment->primes, "''''");
  struct diagnostic *d =
      diagnostic_add(a->context, DIAG_NOTHING_TO_SET, assignment->span,
                     arena_format(&a->context->arena, "%s%s", assignment->name, primes),
                     option_words[assignment->option], NULL);
  const char *near = nearest_name(assignment->name, names.items, names.count);
  if (same != NULL && assignment->primes == 0 && same->kind <= NAME_STATE) {
    help_instead(a, d, assignment, same);
  } else if (same != NULL && same->kind == NAME_SPEED && assignment->option == OVERRIDE_VARY) {
    diagnostic_help(a->context, d,
                    "a speed is given by an equation: write 'initial %s = u0' with a parameter u0, "
                    "and vary that",
                    same->name);
  } else if (help_with_entry(a, d, assignment) || help_with_run(a, d, assignment)) {
    /* then nothing else is meant */
  } else if (near != NULL && near != assignment->name) {
    diagnostic_help(a->context, d, "did you mean '%s%s'?", near, primes);
  }
  vector_free(&names);
}

void overrides_report_unused(struct analysis *a) {
  for (uint32_t i = 0; i < a->assignments.count; i++)
    if (!a->assignments.items[i].is_used) report_unused(a, &a->assignments.items[i]);
}
