/* The generalized forces of a method, statement by statement, and the Gibbs function:
 * `--show forces,inertia,gibbs`; and `--show trace`, which lists for every equation what each
 * statement puts into it, with its place in the text. */
#include "derive/contributions.h"
#include "derive/equations.h"
#include "base/bug.h"
#include "base/source.h"
#include "sema/model.h"
#include <stdlib.h>
#include <string.h>

/* "model.dyn:12: kinetic 1/2*m*v^2", the first line of what was written, without its comment. */
static const char *place_of(struct equations *e, const struct contribution *c) {
  struct arena *arena = &e->document.arena;
  if (e->context == NULL || c->span.source == 0) return c->of;
  const struct source_set *sources = &e->context->sources;
  struct span span = source_written(sources, c->span);
  const struct source *source = source_get(sources, span.source);
  struct source_place place = source_locate(sources, span.source, span.begin);
  uint32_t begin = place.line_begin, end = place.line_end;
  while (begin < end && source->text[begin] == ' ') begin++;
  const char *comment = memchr(source->text + begin, '#', end - begin);
  if (comment != NULL) end = (uint32_t)(comment - source->text);
  while (end > begin && source->text[end - 1] == ' ') end--;
  const char *line = arena_string(arena, source->text + begin, end - begin);
  bool is_named = *c->of == '\0' || strstr(line, c->of) != NULL;
  const char *named = is_named ? "" : arena_format(arena, " (%s)", c->of);
  return arena_format(arena, "%s:%u: %s%s", source->name, (unsigned)place.line, line, named);
}

/* ---- by statement */

static const char *name_of(struct equations *e, const struct contribution *c) {
  const char *name = *c->of != '\0' ? c->of : place_of(e, c);
  if (!c->of_energy || e->system->state.kind != VARIABLES_SPEEDS) return name;
  return arena_format(&e->document.arena, "%s, by d/dt ∂T/∂q' - ∂T/∂q along the speeds", name);
}

static bool is_zero(const struct equations *e, const struct contribution *c) {
  for (uint32_t i = 0; i < e->system->n; i++)
    if (!expr_is_integer_value(e->system->graph, c->rows[i], 0)) return false;
  return true;
}

/* Rows of forces; inertia forces have their signs turned. */
static void put_rows(struct equations *e, enum contribution_kind kind, const char *of,
                     const expr *rows) {
  bool is_inertia = kind == CONTRIBUTION_INERTIA;
  bool has_speeds = e->system->state.kind == VARIABLES_SPEEDS;
  const char *letter = has_speeds ? (is_inertia ? "F*" : "F") : is_inertia ? "Q*" : "Q";
  document_note(&e->document, "%s", of);
  for (uint32_t i = 0; i < e->system->n; i++) {
    expr value = is_inertia ? expr_negate(e->system->graph, rows[i]) : rows[i];
    if (expr_is_integer_value(e->system->graph, value, 0)) continue;
    expr left = document_entry(&e->document, letter, equations_row(e, i), NULL);
    document_row(&e->document, "  ", left, value);
  }
}

/* Where several statements contribute. */
static void put_sum(struct equations *e, const struct contributions *all,
                    enum contribution_kind kind) {
  size_t n = e->system->n, count = 0;
  expr *sum = checked_calloc(n + 1, sizeof(expr));
  for (size_t i = 0; i < n; i++) sum[i] = expr_integer(e->system->graph, 0);
  for (uint32_t k = 0; k < all->items.count; k++) {
    const struct contribution *c = &all->items.items[k];
    if (c->kind != kind || is_zero(e, c)) continue;
    count++;
    for (size_t i = 0; i < n; i++) sum[i] = expr_add(e->system->graph, sum[i], c->rows[i]);
  }
  if (count > 1) put_rows(e, kind, "together", sum);
  if (count == 0) document_note(&e->document, "none");
  free(sum);
}

static void put_kind(struct equations *e, const struct contributions *all,
                     enum contribution_kind kind, const char *title) {
  document_heading(&e->document, title, NULL);
  for (uint32_t i = 0; i < all->items.count; i++)
    if (all->items.items[i].kind == kind && !is_zero(e, &all->items.items[i]))
      put_rows(e, kind, name_of(e, &all->items.items[i]), all->items.items[i].rows);
  put_sum(e, all, kind);
}

static void put_gibbs(struct equations *e) {
  const struct system *s = e->system;
  struct document *d = &e->document;
  struct expr_substitution *by_speeds = expr_substitution_new(s->graph);
  for (uint32_t j = 0; j < s->n; j++)
    expr_substitution_add(by_speeds, s->model->coordinates.items[j].velocity, s->state.velocity[j]);
  document_heading(d, "Gibbs function G = G2 + G1 + G0; G0, which has no derivative, is left out",
                   NULL);
  document_row(d, NULL, document_name(d, "G2", NULL),
               expr_substitution_of(by_speeds, s->state.gibbs_quadratic));
  document_row(d, NULL, document_name(d, "G1", NULL),
               expr_substitution_of(by_speeds, s->state.gibbs_linear));
  expr_substitution_free(by_speeds);
}

void equations_put_forces(struct equations *e) {
  if (e->show & (SHOW_FORCES | SHOW_INERTIA)) {
    struct contributions all = contributions_of(e->system);
    if (e->show & SHOW_FORCES)
      put_kind(e, &all, CONTRIBUTION_FORCE,
               e->system->state.kind == VARIABLES_SPEEDS ? "generalized active forces"
                                                         : "generalized forces");
    if (e->show & SHOW_INERTIA)
      put_kind(e, &all, CONTRIBUTION_INERTIA, "generalized inertia forces");
    contributions_clear(&all);
  }
  if (e->show & SHOW_GIBBS) put_gibbs(e);
}

/* ---- by equation */

/* Forces of constraints stand on the left where their multipliers have hats. */
static bool is_on_left(const struct equations *e, const struct contribution *c) {
  return c->kind == CONTRIBUTION_INERTIA || (c->kind == CONTRIBUTION_REACTION && e->has_hats);
}

static void put_terms(struct equations *e, const struct contributions *all, uint32_t row,
                      bool of_left, const char *title) {
  bool any = false;
  for (uint32_t i = 0; i < all->items.count; i++) {
    const struct contribution *c = &all->items.items[i];
    if (is_on_left(e, c) != of_left ||
        expr_is_integer_value(e->system->graph, c->rows[row], 0))
      continue;
    if (!any) document_note(&e->document, "%s", title);
    any = true;
    document_term(&e->document, c->rows[row], place_of(e, c));
  }
}

void equations_put_trace(struct equations *e) {
  const struct system *s = e->system;
  struct contributions all = contributions_of(s);
  bool has_momenta = s->state.kind == VARIABLES_MOMENTA;
  for (uint32_t i = 0; i < s->n; i++) {
    expr of = has_momenta                         ? s->state.symbol_rate[i]
              : s->state.kind == VARIABLES_SPEEDS ? s->state.symbol[i]
                                                  : s->model->coordinates.items[i].position;
    document_heading_of(&e->document, "trace of the equation of", of);
    put_terms(e, &all, i, true, "left side");
    put_terms(e, &all, i, false, has_momenta ? "right side, by velocities" : "right side");
  }
  contributions_clear(&all);
}
