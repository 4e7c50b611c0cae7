/* The arm of arm.dyn by articulated bodies, O(n), with axes of world at the joints' places.
 * Source: Featherstone, Rigid Body Dynamics Algorithms (2008), 7.3.
 *
 * Motion (α, a) and force (τ, f) of a link are taken at its joint:
 *     τ = J α + H a + pt,   f = H^T α + M a + pf. */
#include "bench.h"
#include <math.h>
#include <string.h>

enum { JOINTS = 6 };

typedef struct {
  double x, y, z;
} vec;
typedef struct {
  vec r[3]; /* rows */
} mat;

static inline vec add(vec a, vec b) {
  return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec scale(double s, vec a) {
  return (vec){s * a.x, s * a.y, s * a.z};
}
static inline double dot(vec a, vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec cross(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline vec times(const mat *m, vec a) {
  return (vec){dot(m->r[0], a), dot(m->r[1], a), dot(m->r[2], a)};
}
static inline vec transposed(const mat *m, vec a) {
  return add(add(scale(a.x, m->r[0]), scale(a.y, m->r[1])), scale(a.z, m->r[2]));
}
/* m -= a b^T / d */
static inline void subtract_outer(mat *m, vec a, vec b, double inverse) {
  b = scale(-inverse, b);
  m->r[0] = add(m->r[0], scale(a.x, b));
  m->r[1] = add(m->r[1], scale(a.y, b));
  m->r[2] = add(m->r[2], scale(a.z, b));
}
/* m + [r x] n */
static inline mat add_cross(const mat *m, vec r, const mat *n) {
  mat out;
  out.r[0] = add(m->r[0], add(scale(r.y, n->r[2]), scale(-r.z, n->r[1])));
  out.r[1] = add(m->r[1], add(scale(r.z, n->r[0]), scale(-r.x, n->r[2])));
  out.r[2] = add(m->r[2], add(scale(r.x, n->r[1]), scale(-r.y, n->r[0])));
  return out;
}
static inline mat transpose(const mat *m) {
  return (mat){{{m->r[0].x, m->r[1].x, m->r[2].x},
                {m->r[0].y, m->r[1].y, m->r[2].y},
                {m->r[0].z, m->r[1].z, m->r[2].z}}};
}

struct body {
  vec axis, omega, zeta, r, b; /* joint axis, rate, bias of α, from the joint before, bias of a */
  vec ut, uf, pt, pf;
  double inverse, u;
  mat J, H, M;
};

/* Rates, biases and the own inertia of link i; `turn` has the link's axes as columns. */
static void place_link(int i, struct body *b, const mat *turn) {
  double mass = 14 - 2 * (i + 1), size = 7 - (i + 1);
  vec principal = {size * 0.04, size * 0.03, size * 0.02};
  mat axes = transpose(turn); /* rows: the axes */
  vec c = add(scale(0.02, axes.r[0]), scale(0.1, axes.r[2]));
  mat zero = {0}, mc = {{{0, -mass * c.z, mass * c.y},
                         {mass * c.z, 0, -mass * c.x},
                         {-mass * c.y, mass * c.x, 0}}};
  b->M = (mat){{{mass, 0, 0}, {0, mass, 0}, {0, 0, mass}}};
  b->H = mc;
  mat inertia = zero;
  subtract_outer(&inertia, axes.r[0], axes.r[0], -principal.x);
  subtract_outer(&inertia, axes.r[1], axes.r[1], -principal.y);
  subtract_outer(&inertia, axes.r[2], axes.r[2], -principal.z);
  mat lever = transpose(&mc); /* -m [c x] */
  b->J = add_cross(&inertia, c, &lever);
  b->pf = scale(mass, add(cross(b->omega, cross(b->omega, c)), (vec){0, 0, 9.81}));
  b->pt = add(cross(b->omega, times(&inertia, b->omega)), cross(c, b->pf));
}

static void place_links(const double *q, const double *v, struct body *bodies) {
  static const int is_about_y[JOINTS] = {0, 1, 1, 0, 1, 0};
  static const double offset[JOINTS] = {0, 0.3, 0.5, 0.2, 0.3, 0.1};
  mat turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  vec omega = {0, 0, 0};
  for (int i = 0; i < JOINTS; i++) {
    struct body *b = &bodies[i];
    double s = sin(q[i]), c = cos(q[i]);
    mat by = is_about_y[i] ? (mat){{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}}
                           : (mat){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    b->r = scale(offset[i], (vec){turn.r[0].z, turn.r[1].z, turn.r[2].z});
    b->b = cross(omega, cross(omega, b->r));
    b->axis = is_about_y[i] ? (vec){turn.r[0].y, turn.r[1].y, turn.r[2].y}
                            : (vec){turn.r[0].z, turn.r[1].z, turn.r[2].z};
    b->zeta = scale(v[i], cross(omega, b->axis));
    b->omega = omega = add(omega, scale(v[i], b->axis));
    mat next;
    for (int k = 0; k < 3; k++) next.r[k] = transposed(&by, turn.r[k]);
    turn = next;
    place_link(i, b, &turn);
  }
}

/* Takes the joint's motion out of link i and adds the rest to the link before. */
static void eliminate(int i, struct body *bodies) {
  struct body *b = &bodies[i];
  b->ut = times(&b->J, b->axis);
  b->uf = transposed(&b->H, b->axis);
  b->inverse = 1 / dot(b->axis, b->ut);
  b->u = -dot(b->axis, b->pt);
  if (i == 0) return;
  struct body *p = b - 1;
  subtract_outer(&b->J, b->ut, b->ut, b->inverse);
  subtract_outer(&b->H, b->ut, b->uf, b->inverse);
  subtract_outer(&b->M, b->uf, b->uf, b->inverse);
  double share = b->u * b->inverse;
  vec pt = add(b->pt, add(times(&b->J, b->zeta), add(times(&b->H, b->b), scale(share, b->ut))));
  vec pf =
      add(b->pf, add(transposed(&b->H, b->zeta), add(times(&b->M, b->b), scale(share, b->uf))));
  mat h = add_cross(&b->H, b->r, &b->M), ht = transpose(&h), hb = transpose(&b->H);
  mat j = add_cross(&b->J, b->r, &ht), zero = {0}, rh = add_cross(&zero, b->r, &hb);
  for (int k = 0; k < 3; k++) { /* -H [r x] = ([r x] H^T)^T */
    p->J.r[k] = add(p->J.r[k], j.r[k]);
    p->H.r[k] = add(p->H.r[k], h.r[k]);
    p->M.r[k] = add(p->M.r[k], b->M.r[k]);
  }
  rh = transpose(&rh);
  for (int k = 0; k < 3; k++) p->J.r[k] = add(p->J.r[k], rh.r[k]);
  p->pt = add(p->pt, add(pt, cross(b->r, pf)));
  p->pf = add(p->pf, pf);
}

void arm_recursive(void *self, const double *x, double *out) {
  struct body bodies[JOINTS];
  (void)self;
  place_links(x, x + JOINTS, bodies);
  for (int i = JOINTS; i-- > 0;) eliminate(i, bodies);
  vec alpha = {0, 0, 0}, a = {0, 0, 0};
  for (int i = 0; i < JOINTS; i++) {
    const struct body *b = &bodies[i];
    a = add(a, add(cross(alpha, b->r), b->b));
    alpha = add(alpha, b->zeta);
    double rate = (b->u - dot(b->ut, alpha) - dot(b->uf, a)) * b->inverse;
    out[JOINTS + i] = rate;
    alpha = add(alpha, scale(rate, b->axis));
  }
  memcpy(out, x + JOINTS, JOINTS * sizeof *out);
}
