/* Uses: what one instance statement makes of a component, wherever it stands. An array of
 * instances, or one in a loop, is one use. A use knows the prefix and the indices that its names
 * get, and what stands around it, where its arguments are read. */
#include "sema/flatten_private.h"
#include <string.h>

static struct flat_use *new_use(struct flattening *f, struct flat_file *file,
                                struct flat_component *component) {
  struct flat_use *use = arena_new(&f->context->arena, struct flat_use);
  use->id = f->uses.count;
  use->file = file;
  use->component = component;
  use->env = (struct flat_env){.use = use, .ast = file->ast};
  vector_push(&f->uses, use);
  if (component != NULL)
    use->actuals = arena_array(&f->context->arena, struct flat_actual,
                               component->statement->formals.count + 1);
  return use;
}

struct flat_use *flat_use_of_file(struct flattening *f, struct flat_file *file) {
  if (file->use == NULL) {
    file->use = new_use(f, file, NULL);
    file->use->prefix = file->prefix;
  }
  return file->use;
}

struct flat_use *flat_use_of_body(struct flattening *f, struct flat_component *component) {
  struct flat_use *use = new_use(f, component->file, component);
  use->prefix = arena_format(&f->context->arena, "%.100s.", component->statement->label.name);
  use->is_broken = component->is_broken;
  return use;
}

/* ---------------------------------------------------------------- indices */

/* No name can be spelled like this. */
const char *flat_index_name(struct flattening *f, const struct flat_use *outer,
                            const struct flat_site *site, uint32_t index) {
  const struct ast_item *label = &site->statement->label;
  if (label->index_variable != NULL) return flat_local_name(f, outer, label->index_variable);
  const char *name = site->rank == 1 ? arena_format(&f->context->arena, "index of %s%s",
                                                    outer->prefix, label->name)
                                     : arena_format(&f->context->arena, "index %u of %s%s",
                                                    index + 1, outer->prefix, label->name);
  return intern_string(&f->context->names, name);
}

static void set_leads(struct flattening *f, struct flat_use *use, const struct flat_use *outer) {
  const struct flat_site *site = use->site;
  const struct ast_item *label = &site->statement->label;
  use->lead_count = outer->lead_count + site->rank;
  use->leads = arena_array(&f->context->arena, struct flat_lead, use->lead_count + 1);
  if (outer->lead_count > 0)
    memcpy(use->leads, outer->env.leads, outer->lead_count * sizeof *use->leads);
  for (uint32_t i = 0; i < site->rank; i++) {
    struct flat_lead *lead = &use->leads[outer->lead_count + i];
    lead->env = use->around;
    lead->span = flat_place(outer, label->span);
    if (site->is_element)
      lead->e = ast_list_item(outer->file->ast, label->indices, i);
    else
      lead->name = flat_index_name(f, outer, site, i);
  }
  use->env.leads = use->leads;
}

static void set_path(struct flattening *f, struct flat_use *use, const struct flat_use *outer) {
  use->path_count = outer->path_count + 1;
  use->path = arena_array(&f->context->arena, struct ast_segment, use->path_count);
  if (outer->path_count > 0) memcpy(use->path, outer->path, outer->path_count * sizeof *use->path);
  use->path[outer->path_count] =
      (struct ast_segment){use->site->statement->label.name, use->site->rank};
}

/* ---------------------------------------------------------------- uses */

static void surround(struct flattening *f, struct flat_use *use, struct flat_use *outer) {
  const struct flat_site *site = use->site;
  struct flat_env *around = arena_new(&f->context->arena, struct flat_env);
  *around = outer->env;
  around->locals = site->loops;
  if (site->statement->label.index_variable != NULL)
    around->locals = flat_push_local(f, around->locals, site->statement->label.index_variable);
  use->around = around;
}

/* `spring s1`: the name of an instance with that of its component. */
static struct span head_of(const struct ast_statement *s) {
  return (struct span){s->keyword_span.source, s->keyword_span.begin, s->label.span.end};
}

struct flat_use *flat_use_of_site(struct flattening *f, struct flat_use *outer,
                                  const struct flat_site *site) {
  uint64_t key = map_pair(outer->id, site->id);
  uint32_t known = map_get(&f->use_of, key);
  if (known != 0) return f->uses.items[known - 1];
  struct flat_component *component = site->component;
  struct flat_use *use = new_use(f, component != NULL ? component->file : outer->file, component);
  map_set(&f->use_of, key, use->id + 1);
  use->site = site;
  use->is_broken = component == NULL || component->is_broken || site->statement->value != 0;
  if (strlen(outer->prefix) + strlen(site->statement->label.name) >= LONGEST_PREFIX) {
    flat_report_large(f, flat_place(outer, site->statement->label.name_span),
                      "the names of members get longer than 400 bytes");
    use->is_broken = true;
  }
  if (use->is_broken) return use;
  use->prefix =
      intern_string(&f->context->names, arena_format(&f->context->arena, "%s%s.", outer->prefix,
                                                     site->statement->label.name));
  surround(f, use, outer);
  set_leads(f, use, outer);
  set_path(f, use, outer);
  use->source = source_add_view(&f->context->sources, component->file->ast->source,
                                flat_place(outer, head_of(site->statement)));
  flat_match_arguments(f, use);
  return use;
}

/* Uses are appended as they are made: the list is the work that is left. */
bool flat_make_uses(struct flattening *f, struct flat_use *start) {
  const struct flat_names *own =
      start->component != NULL ? &start->component->names : &start->file->names;
  double statements = f->written;
  for (uint32_t i = 1; i < own->sites.count; i++)
    if (own->sites.items[i]->component != NULL)
      statements += own->sites.items[i]->component->statements;
  if (statements > MOST_WRITTEN_STATEMENTS) {
    flat_report_large(f, (struct span){0, 0, 0},
                      "its components write out more than two hundred thousand statements");
    return false;
  }
  for (uint32_t at = start->id; at < f->uses.count; at++) {
    struct flat_use *use = f->uses.items[at];
    if (use->is_broken || (use->component == NULL && use != start)) continue;
    const struct flat_names *names =
        use->component != NULL ? &use->component->names : &use->file->names;
    for (uint32_t i = 1; i < names->sites.count; i++)
      flat_use_of_site(f, use, names->sites.items[i]);
  }
  for (uint32_t at = start->id; at < f->uses.count; at++)
    if (!f->uses.items[at]->is_broken && f->uses.items[at]->site != NULL)
      flat_check_arguments(f, f->uses.items[at]);
  return !f->is_exhausted;
}
