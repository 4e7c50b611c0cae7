/* Is a system rheonomic: do its geometry or its constraints change with time? (Goldstein, Poole,
 * Safko, Classical Mechanics, 3rd ed., sections 1.3 and 1.6. What matters is not the letter t in an
 * energy but whether the energy changes with it, or whether masses move while all velocities are 0:
 * then the kinetic energy has parts that are not quadratic, as that of a bead on a turning wire.)
 */
#include "derive/energy_form.h"
#include "derive/sample.h"
#include "sema/model.h"

struct search {
  struct expr_graph *graph;
  struct expr_symbol_set *time;
  struct expr_tangent *by_time;
  struct sample sample;
};

static bool is_nonzero(struct search *s, expr e) {
  if (expr_is_integer_value(s->graph, e, 0)) return false;
  if (sample_is_clearly_nonzero(&s->sample, s->graph, e)) return true;
  struct zero_test test = {0};
  return expr_is_zero(s->graph, e, &test) != VERDICT_YES;
}

/* A time that can't be shown to cancel counts. */
static bool depends_on_time(struct search *s, expr e) {
  return expr_symbol_set_touches(s->time, e) && is_nonzero(s, expr_tangent_of(s->by_time, e));
}

/* A stated Lagrangian may have linear parts of other origin, such as those of a magnetic field. */
static bool has_lagrangian(const struct model *model) {
  for (uint32_t i = 0; i < model->energies.count; i++)
    if (model->energies.items[i].kind == ENERGY_LAGRANGIAN) return true;
  return false;
}

static bool kinetic_energy_shows_motion(struct search *s, const struct system *system) {
  struct terms terms = terms_of_model((struct model *)system->model);
  for (uint32_t j = 0; j < system->n; j++)
    if (depends_on_time(s, system->momentum[j])) return true;
  if (!system->has_energy) return false;
  struct energy_form form = energy_form_of(system, &terms);
  if (!form.is_quadratic || has_lagrangian(system->model))
    return depends_on_time(s, form.is_quadratic ? form.rest_kinetic : terms.kinetic);
  return is_nonzero(s, form.rest_kinetic) || is_nonzero(s, form.linear);
}

bool system_is_rheonomic(const struct system *system) {
  const struct model *model = system->model;
  for (uint32_t k = 0; k < model->constraints.count; k++)
    if (model->constraints.items[k].is_rheonomic) return true;
  struct search s = {.graph = system->graph,
                     .time = expr_symbol_set_new(system->graph),
                     .by_time = expr_tangent_new(system->graph)};
  expr_symbol_set_add(s.time, model->time);
  expr_tangent_seed(s.by_time, model->time, expr_integer(system->graph, 1));
  sample_init(&s.sample, model);
  bool found = kinetic_energy_shows_motion(&s, system);
  sample_clear(&s.sample);
  expr_symbol_set_free(s.time);
  expr_tangent_free(s.by_time);
  return found;
}
