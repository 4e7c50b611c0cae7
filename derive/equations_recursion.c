/* `--show recursion`: the sums that right-hand sides of chains and trees go through in place of a
 * mass matrix, what acts on them, and the order in which they are eliminated (recursion.h). */
#include "derive/equations.h"
#include "sema/model.h"
#include <stdlib.h>

struct listing {
  struct equations *equations;
  const struct recursion *recursion;
  expr *name;                   /* of each variable: q'', or σ[k] */
  struct document_index *index; /* of each variable */
};

static struct listing listing_new(struct equations *e) {
  const struct recursion *r = e->system->recursion;
  uint32_t count = r->variables.count;
  struct listing l = {e, r, checked_calloc((size_t)count + 1, sizeof *l.name),
                      checked_calloc((size_t)count + 1, sizeof *l.index)};
  for (uint32_t v = 0; v < r->n; v++) {
    l.index[v] = equations_coordinate(e, v);
    l.name[v] = e->system->model->coordinates.items[v].acceleration;
  }
  for (uint32_t v = r->n; v < count; v++) {
    struct arena *arena = &e->document.arena;
    const char *number = arena_format(arena, "%u", v - r->n + 1);
    l.index[v] = (struct document_index){number, number};
    l.name[v] = document_name(&e->document, arena_format(arena, "σ[%s]", number),
                              arena_format(arena, "\\sigma_{%s}", number));
  }
  return l;
}

static expr definition(const struct listing *l, const struct recursion_variable *variable) {
  struct expr_graph *graph = l->equations->system->graph;
  expr *terms = checked_calloc((size_t)variable->count + 1, sizeof *terms);
  for (uint32_t i = 0; i < variable->count; i++) {
    struct recursion_term term = l->recursion->terms.items[variable->first + i];
    terms[i] = expr_multiply(graph, term.coefficient, l->name[term.variable]);
  }
  expr sum = expr_sum(graph, terms, variable->count);
  free(terms);
  return sum;
}

static void put_definitions(const struct listing *l) {
  struct document *d = &l->equations->document;
  for (uint32_t k = l->recursion->variables.count; k-- > 0;) {
    uint32_t v = l->recursion->order[k];
    const struct recursion_variable *variable = &l->recursion->variables.items[v];
    if (variable->count > 0) document_row(d, NULL, l->name[v], definition(l, variable));
  }
}

static void put_actions(const struct listing *l) {
  struct document *d = &l->equations->document;
  for (uint32_t i = 0; i < l->recursion->inertias.count; i++) {
    const struct recursion_inertia *inertia = &l->recursion->inertias.items[i];
    document_row(d, NULL, document_entry(d, "I", l->index[inertia->a], &l->index[inertia->b]),
                 inertia->value);
  }
  for (uint32_t v = 0; v < l->recursion->variables.count; v++) {
    expr force = l->recursion->variables.items[v].force;
    if (force == 0 || expr_is_integer_value(d->graph, force, 0)) continue;
    document_row(d, NULL, document_entry(d, "F", l->index[v], NULL), force);
  }
}

static void put_order(const struct listing *l) {
  struct text list = {0};
  for (uint32_t k = 0; k < l->recursion->variables.count; k++) {
    uint32_t v = l->recursion->order[k];
    text_format(&list, v < l->recursion->n ? "%s%s''" : "%sσ[%s]", k > 0 ? ", " : "",
                l->index[v].text);
  }
  document_note(&l->equations->document, "eliminated in the order %s", text_string(&list));
  text_free(&list);
}

void equations_put_recursion(struct equations *e) {
  struct document *d = &e->document;
  if (e->system->recursion == NULL) {
    document_heading(d, "recursion: none", NULL);
    return;
  }
  struct listing l = listing_new(e);
  document_heading(d, "recursion over the bodies", NULL);
  put_definitions(&l);
  document_heading(d, "inertias and forces of the recursion", NULL);
  put_actions(&l);
  put_order(&l);
  free(l.name);
  free(l.index);
}
