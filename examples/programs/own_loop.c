/* A compiled model in a program with its own integrator: four stages of Runge and Kutta.
 * Prints the accelerations at the start, then the state at the end. */
#include "double_pendulum.h"
#include <stdio.h>
#include <stdlib.h>

enum { STATES = DOUBLEPENDULUM_X_COUNT };

static const dyn_model *const model = &DoublePendulum_model;

static void fail(int status) {
  fprintf(stderr, "the mass matrix is singular at %s\n", model->coordinates[status - 1].name);
  exit(1);
}

static void step(double t, double h, const double *p, double *work, double x[STATES]) {
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double slope[STATES] = {0}, at[STATES], sum[STATES] = {0};
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < STATES; i++) at[i] = x[i] + part[stage] * h * slope[i];
    int status = model->rhs(model, t + part[stage] * h, at, NULL, p, work, slope);
    if (status != DYN_OK) fail(status);
    for (int i = 0; i < STATES; i++) sum[i] += weight[stage] * slope[i];
  }
  for (int i = 0; i < STATES; i++) x[i] += h * sum[i];
}

int main(void) {
  double *work = malloc(sizeof(double) * (size_t)(model->n_work + 1));
  double set[DOUBLEPENDULUM_P_COUNT] = {0}, own[DOUBLEPENDULUM_P_COUNT] = {0};
  double p[DOUBLEPENDULUM_P_COUNT], x[STATES], a[DOUBLEPENDULUM_Q_COUNT];
  model->complete_parameters(model, 0, set, NULL, own, work, p);
  model->start(model, 0, NULL, NULL, p, work, x);
  int status = model->acceleration(model, 0, x, NULL, p, work, a);
  if (status != DYN_OK) fail(status);
  for (int i = 0; i < DOUBLEPENDULUM_Q_COUNT; i++)
    printf("%s %.17g\n", model->accelerations[i].name, a[i]);
  for (int i = 0; i < 2000; i++) step(i * 0.001, 0.001, p, work, x);
  for (int i = 0; i < DOUBLEPENDULUM_Q_COUNT; i++)
    printf("%s %.17g\n", model->coordinates[i].name, x[i]);
  free(work);
  return 0;
}
