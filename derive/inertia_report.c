/* Refusals of singular equations of motion: which coordinates move without inertia, or which
 * constraints have reactions that cancel. */
#include "derive/inertia_report.h"
#include "derive/null_motion.h"
#include "base/bug.h"
#include "sema/model.h"
#include <stdlib.h>

static struct diagnostic *report_motion(dyn_context *context, const struct system *system,
                                        const bool *involved, const char *how, const char *motion) {
  struct span span = {0};
  for (uint32_t i = system->n; i-- > 0;)
    if (involved[i]) span = system->model->coordinates.items[i].id.span;
  struct diagnostic *d = diagnostic_add(
      context, system->m > 0 ? DIAG_MOTION_WITHOUT_INERTIA : DIAG_SINGULAR_MASS_MATRIX, span, how,
      NULL);
  bool first = true;
  for (uint32_t i = 0; i < system->n; i++) {
    if (!involved[i]) continue;
    if (!first)
      diagnostic_label(context, d, system->model->coordinates.items[i].id.span, "and this one");
    else
      diagnostic_caption(context, d, "this coordinate is involved");
    first = false;
  }
  diagnostic_help(context, d, "%s", motion);
  return d;
}

static struct diagnostic *report_reactions(dyn_context *context, const struct system *system,
                                           const bool *reactions, const char *how,
                                           const char *advice) {
  struct diagnostic *d = NULL;
  for (uint32_t k = 0; k < system->m; k++) {
    if (!reactions[k]) continue;
    struct span span = system->model->constraints.items[k].span;
    if (d)
      diagnostic_label(context, d, span, "and of this one");
    else
      d = diagnostic_add(context, DIAG_REACTIONS_WITHOUT_EFFECT, span, how, NULL);
  }
  if (!d) d = diagnostic_add(context, DIAG_REACTIONS_WITHOUT_EFFECT, (struct span){0}, how, NULL);
  diagnostic_caption(context, d, "the reaction of this constraint is involved");
  for (uint32_t i = 0; i < system->model->forces.count; i++) {
    const struct model_force *force = &system->model->forces.items[i];
    struct expr_symbol_set *set = expr_symbol_set_new(system->graph);
    for (uint32_t k = 0; k < system->m; k++)
      if (reactions[k]) expr_symbol_set_add(set, system->model->constraints.items[k].multiplier);
    if (expr_symbol_set_touches(set, force->value))
      diagnostic_label(context, d, force->span, "this force holds its multiplier");
    expr_symbol_set_free(set);
  }
  diagnostic_help(context, d, "%s", advice);
  return d;
}

struct diagnostic *inertia_report_singular(dyn_context *context, const struct bordered *bordered,
                                           const char *how) {
  const struct system *system = bordered->system;
  struct text motion = {0};
  struct diagnostic *d;
  bool *involved = checked_calloc((size_t)system->n + 1, sizeof(bool));
  bool *reactions = checked_calloc((size_t)system->m + 1, sizeof(bool));
  null_motion_find(bordered, involved, reactions, &motion);
  bool moves = system->m == 0;
  for (uint32_t i = 0; i < system->n; i++) moves = moves || involved[i];
  if (moves)
    d = report_motion(context, system, involved, how, text_string(&motion));
  else
    d = report_reactions(context, system, reactions, how, text_string(&motion));
  free(involved);
  free(reactions);
  text_free(&motion);
  return d;
}
