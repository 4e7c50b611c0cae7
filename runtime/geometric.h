/* geometric.h: integrators of fixed steps that keep the structure of mechanics over long runs: maps
 * that are symplectic, or symmetric, whose errors of energy do not add up. */
#ifndef DYN_RUNTIME_GEOMETRIC_H
#define DYN_RUNTIME_GEOMETRIC_H
#include "runtime/integrator.h"
#include "runtime/options.h"

struct projection;

/* What integrators of fixed steps are called, and are. */
struct geometric_method {
  enum integrator_choice choice;
  int order;
  int stages;          /* of Gauss's methods; of the composition of a splitting */
  int is_split;        /* kicks and drifts, for models that separate; else a method of Gauss */
  const double *gamma; /* the first half, and the middle, of a symmetric composition; or NULL */
};
/* NULL: another kind of integrator. */
const struct geometric_method *geometric_method_of(enum integrator_choice choice);

enum geometric_result {
  GEOMETRIC_DONE,
  GEOMETRIC_NOT_EVALUATED, /* see the evaluator */
  GEOMETRIC_NOT_SOLVED,    /* the step is too long for the iteration that solves its equations */
  GEOMETRIC_NOT_HELD       /* likewise for that of the constraints */
};

/* One step: moves x[n], whose last digits are in carry[n] (the state is x + carry), from t by h. A
 * probe is a step aside, from which the motion does not go on. */
struct geometric_map {
  enum geometric_result (*advance)(struct geometric_map *self, double t, double h, double *x,
                                   double *carry, int is_probe);
  void (*free)(struct geometric_map *self);
};
void geometric_map_free(struct geometric_map *map); /* of NULL too */

/* NULL: no memory. The natural state is integrated where is_natural, else the method's own. */
struct geometric_map *gauss_map_new(int stages, struct evaluator *e,
                                    const struct error_control *control, int is_natural);
/* `inner` (owned from now on, on natural states) between two symmetric shifts off and back on the
 * constraints. */
struct geometric_map *symmetric_projection_new(struct geometric_map *inner, struct evaluator *e,
                                               struct projection *projection);
/* Verlet's method or a composition of it; with constraints (projection != NULL) RATTLE. NULL with
 * status and message: no memory, or the mass matrix is not positive definite. */
struct geometric_map *split_map_new(const struct geometric_method *method, struct evaluator *e,
                                    struct projection *projection, double t, const double *x,
                                    dyn_status *status, dyn_message *message);

/* x[i] + carry[i] += change, with carry what x does not hold. */
static inline void geometric_add(double *x, double *carry, double change) {
  double add = *carry + change, sum = *x + add, back = sum - *x;
  *carry = (*x - (sum - back)) + (add - back);
  *x = sum;
}

/* Goes by the control's fixed steps from (t, x); natural states where geometric_is_natural says so.
 */
struct integrator *
geometric_integrator_new(const struct geometric_method *method, struct evaluator *e,
                         const struct error_control *control, struct projection *projection,
                         double t, const double *x, dyn_status *status, dyn_message *message);
int geometric_is_natural(const struct geometric_method *method, const dyn_model *model);

/* DYN_BAD_OPTION, and why, where the method does not apply to the problem. */
dyn_status geometric_check(const struct geometric_method *method, const dyn_problem *problem,
                           dyn_message *message);
/* "symplectic" or "symmetric" (static). */
const char *geometric_structure(const struct geometric_method *method, const dyn_model *model);
#endif
