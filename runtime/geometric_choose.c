/* geometric_choose.c: which integrators of fixed steps there are, which of them apply to a model
 * and what they keep there. Compositions: Suzuki's of order 4,
 * Yoshida's of order 6 (his solution A), and that of Suzuki and Umeno of order 8, all symmetric
 * with the middle such that the parts sum up to 1. Source: Hairer, Lubich, Wanner, Geometric
 * Numerical Integration (2nd ed.), V.3.2 (compositions), V.1 (reversibility), VI.4 (symplecticity
 * of Gauss's methods). */
#include "runtime/geometric.h"
#include "runtime/message.h"
#include "runtime/metric.h"
#include <stdlib.h>
#include <string.h>

static const double suzuki4[] = {0.41449077179437573714, 0.41449077179437573714,
                                 -0.65796308717750294857};
static const double yoshida6[] = {0.78451361047755726382, 0.23557321335935813368,
                                  -1.17767998417887100695, 1.31518632068391121889};
static const double suzuki8[] = {0.74167036435061295345, -0.40910082580003159400,
                                 0.19075471029623837995, -0.57386247111608226666,
                                 0.29906418130365592384, 0.33462491824529818378,
                                 0.31529309239676659663, -0.79688793935291635402};

static const struct geometric_method methods[] = {
    {INTEGRATOR_VERLET, 2, 1, 1, NULL},       {INTEGRATOR_YOSHIDA4, 4, 5, 1, suzuki4},
    {INTEGRATOR_YOSHIDA6, 6, 7, 1, yoshida6}, {INTEGRATOR_YOSHIDA8, 8, 15, 1, suzuki8},
    {INTEGRATOR_MIDPOINT, 2, 1, 0, NULL},     {INTEGRATOR_GAUSS4, 4, 2, 0, NULL},
    {INTEGRATOR_GAUSS6, 6, 3, 0, NULL},       {INTEGRATOR_GAUSS8, 8, 4, 0, NULL},
};

const struct geometric_method *geometric_method_of(enum integrator_choice choice) {
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
    if (methods[i].choice == choice) return &methods[i];
  return NULL;
}

int geometric_is_natural(const struct geometric_method *method, const dyn_model *model) {
  return method->is_split || model->n_constraints > 0 || !model->method_state;
}

/* Whether the constraint is one between positions: written so, or the rate of one, or a consequence
 * of others. */
static int is_between_positions(const dyn_model *m, int32_t constraint) {
  if (m->constraints[constraint].flags & DYN_CONSTRAINT_REDUNDANT) return 1;
  for (int32_t i = 0; i < m->n_position; i++)
    if (m->position_equations[i].constraint == constraint) return 1;
  return 0;
}

static dyn_status check_constraints(const char *name, const dyn_model *m, dyn_message *message) {
  for (int32_t i = 0; i < m->n_constraints; i++) {
    const dyn_constraint *c = &m->constraints[i];
    int is_nonholonomic = (c->flags & DYN_CONSTRAINT_NONHOLONOMIC) != 0;
    if (!is_nonholonomic && is_between_positions(m, i)) continue;
    return message_set(message, DYN_BAD_OPTION,
                       "%s holds constraints between positions only, and the constraint %s %s",
                       name, c->name,
                       is_nonholonomic ? "is nonholonomic" : "is known by its rate alone");
  }
  return DYN_DONE;
}

/* RATTLE divides by the mass matrix, which is the same everywhere. */
static dyn_status check_mass(const char *name, const dyn_problem *problem, dyn_message *message) {
  const dyn_model *m = problem->model;
  size_t n = (size_t)m->n_coordinates;
  struct evaluator e;
  dyn_status status = evaluator_init(&e, problem, message);
  if (status) return status;
  double *mass = calloc(n * n + (size_t)m->n_state + 1, sizeof *mass);
  int has_memory = mass != NULL, is_positive = 0;
  struct metric metric = {0};
  if (mass && m->mass_matrix && !evaluate_function(&e, m->mass_matrix, 0, mass + n * n, mass)) {
    has_memory = metric_init(&metric, m->n_coordinates, m->n_coordinates, mass);
    is_positive = has_memory && !metric.is_unit && !metric.roots;
    metric_clear(&metric);
  }
  free(mass);
  evaluator_clear(&e);
  if (!has_memory) return message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory");
  if (is_positive) return DYN_DONE;
  return message_set(message, DYN_BAD_OPTION,
                     "%s on constraints needs a mass matrix that is positive definite by itself, "
                     "and some coordinates of this model have no inertia of their own",
                     name);
}

dyn_status geometric_check(const struct geometric_method *method, const dyn_problem *problem,
                           dyn_message *message) {
  const dyn_model *m = problem->model;
  const char *name = dyn_integrator_name((int32_t)method->choice);
  if (!method->is_split) return DYN_DONE;
  if (m->n_rates > 0)
    return message_set(message, DYN_BAD_OPTION,
                       "%s makes kicks and drifts, and the first-order state %s has no part in "
                       "them; gauss8 applies to every model",
                       name, m->rates[0].name);
  if (!(m->flags & DYN_SEPARABLE))
    return message_set(
        message, DYN_BAD_OPTION,
        "%s makes kicks and drifts, and the model does not separate into them: that takes a "
        "mass matrix that does not change, and forces that depend on positions and "
        "time only; gauss8 applies to every model",
        name);
  if (m->n_constraints == 0) return DYN_DONE;
  dyn_status status = check_constraints(name, m, message);
  int is_known = problem->p || m->n_parameters == 0;
  return status || !is_known ? status : check_mass(name, problem, message);
}

const char *geometric_structure(const struct geometric_method *method, const dyn_model *m) {
  int is_canonical = (m->flags & DYN_SEPARABLE) || !strcmp(m->method, "hamilton");
  int is_free = m->n_constraints == 0 && m->n_rates == 0;
  int has_potential = (m->flags & DYN_POTENTIAL_FORCES) != 0;
  int keeps = method->is_split || (is_canonical && is_free);
  return keeps && has_potential ? "symplectic" : "symmetric";
}
