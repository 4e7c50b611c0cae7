/* passage.c: steps that pass a singular configuration instead of ending close to it.
 *
 * On the way through a configuration where constraints lose rank, the motion that keeps to its
 * branch is smooth, but accelerations are the worse conditioned the nearer to it they are
 * evaluated: a stage that is off the constraints by e has them wrong by e over the least pivot of
 * the constraints' rows. The pivot goes to zero in proportion to the time that is left, so that two
 * of them tell when. A step is laid such that this time falls in the middle of the widest gap
 * between the method's stages. If the estimated error refuses it, the motion first goes half of the
 * way, where the next attempt is shorter and its stages better: their errors shrink with a high
 * power of the step, the pivots only with the first. Both ends of such a step are projected on the
 * constraints away from the place where branches meet. As nothing but the size of a step is chosen
 * here, all checks of other steps stay in force: a passage is a step whose error is small enough.
 */
#include "runtime/passage.h"
#include <math.h>
#include <string.h>

/* A step that leaves less than this of the pivot ends too near. */
#define TOO_NEAR 0.25
/* Where less of the pivot is gone between two looks, they do not tell where it ends. */
#define NEARER 0.95
/* A place further ahead than so many steps that were refused is not why they were. Fewer are not
 * enough: at tight tolerances steps shrink faster than the way that is left, and go on to where
 * rounding is all there is. */
#define AHEAD 4
/* Nearer than this, in parts of the time, nothing is gained by going nearer. */
#define NEAREST 1e-9

void passage_init(struct passage *p, const double *c, int count) {
  double widest = 0;
  memset(p, 0, sizeof *p);
  for (int i = 0; i < count; i++) {
    double next = 1;
    for (int j = 0; j < count; j++)
      if (c[j] > c[i] && c[j] < next) next = c[j];
    if (next - c[i] <= widest) continue;
    widest = next - c[i];
    p->where = c[i] + 0.5 * widest;
  }
}

/* From two looks, the second of which saw less. */
static void estimate(struct passage *p, double t, double pivot) {
  p->has_estimate = 1;
  p->t_singular = t + pivot * (t - p->t) / (p->pivot - pivot);
}

void passage_look(struct passage *p, double t, double pivot) {
  p->has_estimate = 0;
  if (p->has_look && pivot < NEARER * p->pivot && t != p->t) estimate(p, t, pivot);
  p->is_near = p->is_near && p->has_estimate;
  p->has_tried = 0;
  p->has_look = 1;
  p->t = t;
  p->pivot = pivot;
}

int passage_refuses(struct passage *p, double t, double pivot) {
  if (!p->has_look || !(pivot < TOO_NEAR * p->pivot) || p->has_tried > 1) return 0;
  estimate(p, t, pivot);
  return p->is_near = 1;
}

double passage_step(struct passage *p, double t, double refused) {
  double distance = p->t_singular - t;
  if (!p->has_estimate || fabs(distance) <= NEAREST * fmax(1, fabs(t))) return 0;
  if (!p->is_near && !(fabs(distance) < AHEAD * fabs(refused))) return 0;
  p->is_near = 1;
  switch (p->has_tried++) {
  case 0:
    return distance / p->where;
  case 1:
    return 0.5 * distance;
  default:
    return 0;
  }
}
