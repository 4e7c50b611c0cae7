/* taylor.h: the method of Taylor series, of models that bring the series of their motion. */
#ifndef DYN_RUNTIME_TAYLOR_H
#define DYN_RUNTIME_TAYLOR_H
#include "runtime/integrator.h"

struct projection;
/* Why a motion has no series from here on, or NULL: as words after "because". */
const char *taylor_obstacle(const struct evaluator *e);
/* As the others in integrator.h; only where there is no obstacle. Where a series fails (a singular
 * configuration, a step that leaves the range of numbers), a step answers STEP_DECLINED. */
struct integrator *taylor_integrator_new(struct evaluator *e, const struct error_control *control,
                                         struct projection *projection, double t, const double *x,
                                         dyn_status *status, dyn_message *message);
#endif
