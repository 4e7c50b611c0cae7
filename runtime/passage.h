/* passage.h: when a motion is about to pass a configuration in which its constraints are dependent,
 * and how long a step that passes it should be. */
#ifndef DYN_RUNTIME_PASSAGE_H
#define DYN_RUNTIME_PASSAGE_H

struct passage {
  double where;      /* the middle of the widest gap between a method's stages, part of a step */
  double t, pivot;   /* when constraints were looked at last; the least pivot of their rows */
  double t_singular; /* the pivot is zero then, if has_estimate */
  int has_look, has_estimate;
  int is_near;   /* what comes next is to pass it, or leads there */
  int has_tried; /* to pass it, in the step in hand */
};

/* The method's stages stand at the parts c[count] of a step. */
void passage_init(struct passage *passage, const double *c, int count);
/* Where a step begins or was accepted; the least pivot there. */
void passage_look(struct passage *passage, double t, double pivot);
/* At the end of a step that is good: whether it ends so much nearer to a singular configuration
 * that it should not. */
int passage_refuses(struct passage *passage, double t, double pivot);
/* The size of the step to try from t, after one of size `refused` (0: none was yet); 0 if no
 * singular configuration has a say. */
double passage_step(struct passage *passage, double t, double refused);

#endif
