/* taylor.h: what a command says where the integrator taylor is asked for. */
#ifndef DYN_DRIVER_TAYLOR_H
#define DYN_DRIVER_TAYLOR_H
#include "driver/problem.h"
#include "driver/session.h"

/* A warning, with the place in the model, if its motion has no Taylor series, or if an input of the
 * problem (NULL: not looked at) has none. `instead`: what happens then, for its help. */
void taylor_explain(struct session *session, const struct problem *problem, const char *instead);

#endif
