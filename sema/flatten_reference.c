/* What a name refers to, with the members and indices behind it: inner scopes first, then the body
 * of the component, its file, what that imports, and what is predeclared. Instances and modules on
 * the way are gone through; the reference ends with what is declared in the last of them. */
#include "sema/flatten_private.h"
#include <string.h>

static uint64_t key_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

/* ---------------------------------------------------------------- names of the flat tree */

const char *flat_member_name(struct flattening *f, const struct flat_use *use, const char *name) {
  if (use->prefix[0] == '\0') return name;
  size_t prefix = strlen(use->prefix), length = strlen(name);
  char *text = checked_malloc(prefix + length + 1);
  memcpy(text, use->prefix, prefix);
  memcpy(text + prefix, name, length);
  const char *result = intern(&f->context->names, text, prefix + length);
  free(text);
  return result;
}

/* Bodies of components are written out between the loops around them: an index must not take a name
 * away from them that they mean. */
const char *flat_local_name(struct flattening *f, const struct flat_use *use, const char *name) {
  const struct flat_names *names =
      use->component != NULL ? &use->component->names : &use->file->names;
  bool hides = map_get(&names->by_name, key_of(name)) != 0 ||
               map_get(&names->by_output, key_of(name)) != 0 ||
               (use->component == NULL && map_get(&use->file->visible_by_name, key_of(name)) != 0);
  const char *own = name;
  if (hides)
    own = intern_string(&f->context->names, arena_format(&f->context->arena, "inner %s", name));
  return flat_member_name(f, use, own);
}

/* Of what a file declares; it is written out if it is not part of the model anyway. */
static const char *name_in_file(struct flattening *f, struct flat_symbol *symbol) {
  struct flat_file *file = symbol->file;
  if (file->is_model) return symbol->name;
  if (!f->is_trial && !f->is_quiet && !symbol->is_needed && symbol->kind != NAME_COMPONENT) {
    symbol->is_needed = true;
    vector_push(&f->needed, symbol);
  }
  return flat_member_name(f, flat_use_of_file(f, file), symbol->name);
}

/* ---------------------------------------------------------------- where it begins */

struct seen {                /* a local */
  bool is_found, is_outside; /* outside: of the function that asks */
};

static struct seen find_local(const struct flat_local *locals, const char *name) {
  struct seen seen = {false, false};
  for (const struct flat_local *l = locals; l != NULL; l = l->outer) {
    if (l->is_barrier)
      seen.is_outside = true;
    else if (l->name == name)
      return (struct seen){true, seen.is_outside};
  }
  return seen;
}

static enum name_kind predeclared(const char *name) {
  return strcmp(name, "t") == 0        ? NAME_TIME
         : strcmp(name, "pi") == 0     ? NAME_PI
         : strcmp(name, "world") == 0  ? NAME_WORLD
         : strcmp(name, "origin") == 0 ? NAME_ORIGIN
                                       : NAME_NONE;
}

static bool is_given(const struct flat_symbol *symbol) {
  return symbol->formal != NULL &&
         (symbol->formal->kind == FORMAL_FRAME || symbol->formal->kind == FORMAL_BODY);
}

/* c1, c2, ... are names of constraints without a label, of which name resolution knows more. */
static bool is_unlabelled(const struct flat_names *names, const char *name) {
  return names->unlabelled > 0 && name[0] == 'c' && name[1] != '\0' &&
         strspn(name + 1, "0123456789") == strlen(name + 1);
}

static bool mentions_local(const struct flat_env *env, ast_expr e) {
  for (ast_expr at = flat_node(env, e)->first; at <= e; at++)
    if (flat_node(env, at)->kind == AST_NAME &&
        find_local(env->locals, flat_node(env, at)->name).is_found)
      return true;
  return false;
}

static void report_in_function(struct flattening *f, const struct flat_env *env, const char *name,
                               struct span span) {
  diagnostic_add(f->context, DIAG_INDEX_IN_FUNCTION, flat_place(env->use, span), name, NULL);
}

/* A frame or body that was given to the use. */
static void refer_to_given(struct flattening *f, const struct flat_env *env, struct flat_use *use,
                           const struct flat_symbol *symbol, const struct ast_expression *n,
                           struct flat_reference *out) {
  const struct flat_actual *actual = &use->actuals[symbol->formal_index];
  out->use = use;
  out->kind = FLAT_NAME;
  out->name = flat_member_name(f, use, symbol->name);
  if (use->site == NULL) return; /* a body that is only looked at */
  out->kind = actual->e != 0 && !use->is_broken ? FLAT_GIVEN : FLAT_BROKEN;
  out->given_e = actual->e;
  out->given_env = actual->env;
  struct seen function = find_local(env->locals, "");
  if (out->kind == FLAT_GIVEN && function.is_outside && mentions_local(actual->env, actual->e)) {
    report_in_function(f, env, symbol->name, n->span);
    out->kind = FLAT_BROKEN;
  }
}

static void take_leads(struct flattening *f, const struct flat_env *env) {
  for (uint32_t i = 0; i < env->use->lead_count; i++) vector_push(&f->indices, env->leads[i]);
}

/* What is declared in the body around, or (use NULL) in a file. */
static void refer_to_symbol(struct flattening *f, const struct flat_env *env,
                            struct flat_symbol *symbol, bool in_body,
                            const struct ast_expression *n, struct flat_reference *out) {
  out->symbol = symbol;
  out->kind = FLAT_NAME;
  if (in_body) take_leads(f, env);
  if (symbol->kind == NAME_INSTANCE) {
    out->kind = FLAT_INSTANCE;
    out->use = in_body ? env->use : f->model;
    const struct flat_names *names = in_body ? &env->use->component->names : &symbol->file->names;
    out->site = names->sites.items[symbol->first_site];
  } else if (symbol->kind == NAME_MODULE) {
    out->kind = symbol->module != NULL ? FLAT_MODULE : FLAT_BROKEN;
  } else if (in_body && is_given(symbol)) {
    refer_to_given(f, env, env->use, symbol, n, out);
  } else if (in_body) {
    out->name = flat_member_name(f, env->use, symbol->name);
    out->use = env->use;
  } else {
    out->name = name_in_file(f, symbol);
  }
}

static void begin(struct flattening *f, const struct flat_env *env, const struct ast_expression *n,
                  struct flat_reference *out) {
  struct flat_use *use = env->use;
  struct seen local = find_local(env->locals, n->name);
  const struct flat_names *names =
      use->component != NULL ? &use->component->names : &use->file->names;
  *out = (struct flat_reference){.kind = FLAT_NAME, .used = 1};
  if (local.is_found) {
    if (local.is_outside) report_in_function(f, env, n->name, n->span);
    out->kind = local.is_outside ? FLAT_BROKEN : FLAT_NAME;
    out->name = flat_local_name(f, use, n->name);
    return;
  }
  struct flat_symbol *symbol = flat_find_symbol(use->component, use->file, n->name);
  if (symbol != NULL) {
    bool in_body = use->component != NULL && flat_names_find(names, n->name) == symbol;
    refer_to_symbol(f, env, symbol, in_body, n, out);
    return;
  }
  out->predeclared = predeclared(n->name);
  out->name = n->name;
  if (out->predeclared != NAME_NONE) return;
  out->name = flat_member_name(f, use, n->name);
  if (map_get(&names->by_output, key_of(n->name)) != 0 || is_unlabelled(names, n->name)) {
    if (use->component != NULL) take_leads(f, env);
    return;
  }
  out->kind = FLAT_BROKEN;
  flat_report_unknown(f, env, n->name, flat_place(use, n->span), false);
}

/* ---------------------------------------------------------------- members */

/* The node behind those that the reference has taken; NULL: there is none. */
static const struct ast_expression *
next_node(const struct flattening *f, const struct flat_env *env, const struct flat_reference *r) {
  if (r->used >= f->chain.count) return NULL;
  return flat_node(env, f->chain.items[f->chain.count - 1 - r->used]);
}

static void report_index(struct flattening *f, const struct flat_env *env,
                         const struct flat_site *site, const struct ast_expression *n,
                         uint32_t count) {
  dyn_context *context = f->context;
  const char *name = site->statement->label.name;
  struct span span = flat_place(env->use, n->span);
  struct diagnostic *d;
  if (f->is_quiet) return;
  if (count == 0)
    d = diagnostic_add(context, DIAG_MISSING_INDEX, span, name, NULL);
  else if (site->rank == 0)
    d = diagnostic_add(context, DIAG_NOT_AN_ARRAY, span,
                       arena_format(&context->arena, "'%s'", name), NULL);
  else
    d = diagnostic_add(
        context, DIAG_INDEX_COUNT, span, name,
        arena_format(&context->arena, "%u %s", site->rank, site->rank == 1 ? "index" : "indices"),
        arena_format(&context->arena, "%u", count), NULL);
  diagnostic_label(context, d, site->statement->label.name_span, "declared here");
  if (count == 0) diagnostic_help(context, d, "write %s[i] for one of them", name);
}

/* The indices of an instance; false if they are not right. */
static bool take_indices(struct flattening *f, const struct flat_env *env,
                         struct flat_reference *r) {
  const struct ast_expression *n = next_node(f, env, r);
  bool has_index = n != NULL && n->kind == AST_INDEX;
  uint32_t count = has_index ? n->list.count : 0;
  if (count != r->site->rank) {
    ast_expr last = f->chain.items[f->chain.count - r->used];
    report_index(f, env, r->site, has_index ? n : flat_node(env, last), count);
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    ast_expr index = ast_list_item(env->ast, n->list, i);
    struct flat_lead lead = {NULL, env, index, flat_node(env, index)->span};
    vector_push(&f->indices, lead);
  }
  r->used += has_index;
  return true;
}

/* A frame or body of another instance is what was given to it, which can't be said from here if it
 * is another one in each run of a loop. */
static void report_out_of_reach(struct flattening *f, const struct flat_env *env,
                                const struct flat_symbol *symbol, const struct ast_expression *n,
                                struct flat_reference *r) {
  r->kind = FLAT_BROKEN;
  if (f->is_quiet) return;
  struct diagnostic *d = diagnostic_add(f->context, DIAG_MEMBER_OUT_OF_REACH,
                                        flat_place(env->use, n->span), n->name, NULL);
  diagnostic_label(f->context, d, symbol->span, "'%s' stands for what the instance gives", n->name);
  diagnostic_help(f->context, d,
                  "name what is given instead, or declare it in the component: "
                  "frame own = %s",
                  n->name);
}

/* What is given is the same for all elements of an array of instances. */
static bool is_same_for_all(const struct flat_use *use, const struct flat_symbol *symbol) {
  const struct flat_actual *actual = &use->actuals[symbol->formal_index];
  if (actual->e == 0) return true;
  const struct ast_expression *n = flat_node(actual->env, actual->e);
  if (actual->is_default) return n->kind == AST_NAME && predeclared(n->name) != NAME_NONE;
  return !mentions_local(actual->env, actual->e);
}

/* The member `n` names, of a use; false if it has none. */
static bool refer_to_member(struct flattening *f, const struct flat_env *env, struct flat_use *use,
                            const struct ast_expression *n, bool in_loop,
                            struct flat_reference *r) { /* in_loop: an instance around it is */
  const struct flat_names *names = &use->component->names;
  struct flat_symbol *symbol = flat_names_find(names, n->name);
  bool is_other = map_get(&names->by_output, key_of(n->name)) != 0 || is_unlabelled(names, n->name);
  if (symbol == NULL && !is_other) return false;
  r->symbol = symbol;
  r->use = use;
  r->kind = FLAT_NAME;
  r->name = flat_member_name(f, use, n->name);
  if (symbol == NULL) return true;
  if (symbol->kind == NAME_INSTANCE) {
    r->kind = FLAT_INSTANCE;
    r->site = names->sites.items[symbol->first_site];
  } else if (is_given(symbol)) {
    refer_to_given(f, env, use, symbol, n, r);
    bool is_many = use->site != NULL && (use->site->rank > 0 || use->site->loops != NULL);
    bool is_out = in_loop || (is_many && !is_same_for_all(use, symbol));
    if (is_out && r->kind == FLAT_GIVEN) report_out_of_reach(f, env, symbol, n, r);
  }
  return true;
}

/* Instances of one name in the branches of an `if` may be of several components. */
static void step_into_instance(struct flattening *f, const struct flat_env *env,
                               const struct ast_expression *n, bool *in_loop,
                               struct flat_reference *r) {
  struct flat_use *outer = r->use;
  const struct flat_names *names =
      outer->component != NULL ? &outer->component->names : &outer->file->names;
  struct flat_reference at = *r;
  bool is_broken = false;
  for (const struct flat_site *site = r->site; site != NULL;
       site = site->next != 0 ? names->sites.items[site->next] : NULL) {
    struct flat_use *use = flat_use_of_site(f, outer, site);
    is_broken = is_broken || use->is_broken;
    if (use->component == NULL || use->component->is_broken || use->prefix == NULL) continue;
    if (refer_to_member(f, env, use, n, *in_loop, r)) {
      *in_loop = *in_loop || site->rank > 0 || site->loops != NULL;
      if (use->is_broken) r->kind = FLAT_BROKEN;
      return;
    }
  }
  r->kind = FLAT_BROKEN;
  if (!is_broken) flat_report_member(f, env, &at, n);
}

static void step_into_module(struct flattening *f, const struct flat_env *env,
                             const struct ast_expression *n, struct flat_reference *r) {
  struct flat_file *module = r->symbol->module;
  struct flat_symbol *symbol = flat_names_find(&module->names, n->name);
  if (symbol == NULL || symbol->kind == NAME_MODULE || symbol->kind == NAME_INSTANCE) {
    if (!module->has_gap) flat_report_member(f, env, r, n);
    r->kind = FLAT_BROKEN;
    return;
  }
  r->symbol = symbol;
  r->kind = FLAT_NAME;
  r->name = name_in_file(f, symbol);
}

bool flat_resolve(struct flattening *f, const struct flat_env *env, ast_expr e,
                  struct flat_reference *out) {
  f->chain.count = f->indices.count = 0;
  for (ast_expr at = e;; at = flat_node(env, at)->operand) {
    vector_push(&f->chain, at);
    uint8_t kind = flat_node(env, at)->kind;
    if (kind == AST_NAME) break;
    if (kind != AST_MEMBER && kind != AST_INDEX) return false;
  }
  begin(f, env, flat_node(env, vector_last(&f->chain)), out);
  bool in_loop = false;
  while (out->kind == FLAT_INSTANCE || out->kind == FLAT_MODULE) {
    if (out->kind == FLAT_INSTANCE && !take_indices(f, env, out)) {
      out->kind = FLAT_BROKEN;
      break;
    }
    const struct ast_expression *n = next_node(f, env, out);
    if (n == NULL || n->kind != AST_MEMBER) break;
    if (out->kind == FLAT_INSTANCE)
      step_into_instance(f, env, n, &in_loop, out);
    else
      step_into_module(f, env, n, out);
    out->used++;
  }
  return true;
}

/* ---------------------------------------------------------------- calls */

static const char *report_not_a_function(struct flattening *f, const struct flat_env *env,
                                         const struct ast_expression *n,
                                         const struct flat_symbol *symbol) {
  if (f->is_quiet) return NULL;
  struct diagnostic *d =
      diagnostic_add(f->context, DIAG_NOT_A_FUNCTION, flat_place(env->use, n->name_span), n->name,
                     name_kind_word(symbol->kind), NULL);
  diagnostic_label(f->context, d, symbol->span, "declared here");
  if (symbol->kind == NAME_COMPONENT)
    diagnostic_help(f->context, d, "an instance is a statement of its own: %s name(...)", n->name);
  else if (symbol->kind != NAME_INSTANCE && symbol->kind != NAME_MODULE)
    diagnostic_help(f->context, d, "a product is written %s*(...)", n->name);
  return NULL;
}

/* `f(...)` */
static const char *resolve_plain_call(struct flattening *f, const struct flat_env *env,
                                      const struct ast_expression *n,
                                      struct flat_symbol **function) {
  struct flat_use *use = env->use;
  struct flat_symbol *symbol = flat_find_symbol(use->component, use->file, n->name);
  f->indices.count = 0;
  bool is_builtin = builtin_find(n->name) >= 0;
  if (symbol != NULL && symbol->kind == NAME_FUNCTION) {
    *function = symbol;
    bool in_body =
        use->component != NULL && flat_names_find(&use->component->names, n->name) == symbol;
    if (!in_body) return name_in_file(f, symbol);
    take_leads(f, env);
    return flat_member_name(f, use, n->name);
  }
  if (is_builtin) return n->name;
  if (symbol != NULL) return report_not_a_function(f, env, n, symbol);
  if (find_local(env->locals, n->name).is_found) return flat_local_name(f, use, n->name);
  flat_report_unknown(f, env, n->name, flat_place(use, n->name_span), true);
  return NULL;
}

static void report_member_called(struct flattening *f, const struct flat_env *env,
                                 const struct ast_expression *n) {
  if (f->is_quiet) return;
  struct diagnostic *d = diagnostic_add(f->context, DIAG_MEMBER_CALLED,
                                        flat_place(env->use, n->name_span), n->name, NULL);
  if (builtin_find(n->name) >= 0)
    diagnostic_help(f->context, d, "functions stand alone: %s(...)", n->name);
}

/* `m.f(...)`: of a module or an instance */
const char *flat_resolve_call(struct flattening *f, const struct flat_env *env, ast_expr e,
                              struct flat_symbol **function) {
  const struct ast_expression *n = flat_node(env, e);
  *function = NULL;
  if (n->kind == AST_CALL) return resolve_plain_call(f, env, n, function);
  struct flat_reference r;
  if (!flat_resolve(f, env, n->operand, &r)) {
    if (flat_node(env, n->operand)->kind != AST_ERROR) report_member_called(f, env, n);
    return NULL;
  }
  if (r.kind == FLAT_BROKEN) return NULL;
  bool in_loop = false;
  if (r.used == f->chain.count && r.kind == FLAT_INSTANCE) {
    step_into_instance(f, env, n, &in_loop, &r);
  } else if (r.used == f->chain.count && r.kind == FLAT_MODULE) {
    step_into_module(f, env, n, &r);
  } else {
    report_member_called(f, env, n);
    return NULL;
  }
  if (r.kind == FLAT_BROKEN) return NULL;
  *function = r.symbol;
  if (r.symbol == NULL || r.symbol->kind == NAME_FUNCTION) return r.name;
  return report_not_a_function(f, env, n, r.symbol);
}
