/* The chain with angles between its links, by articulated bodies in the plane, O(n).
 * Source: Featherstone, Rigid Body Dynamics Algorithms (2008), 7.3; here with axes of world.
 *
 * Motion (α, ax, ay) and force (τ, fx, fy) of link i are taken at its pivot, force = A motion + p.
 * The mass of a link hangs at its end, r = l (sin θ, -cos θ) from the pivot. */
#include "bench.h"
#include <math.h>
#include <string.h>

struct articulated { /* inertia (symmetric) and bias, seen at a pivot */
  double tt, tx, ty, xx, xy, yy;
  double t, x, y;
};

struct link {
  double rx, ry, bx, by; /* to the end; centripetal acceleration of the end */
  double ux, uy, inverse, u;
};

/* What stays when the pivot's angle moves freely, carried from the end of the link before (rx, ry
 * from its pivot) to that pivot. */
static inline struct articulated carry(const struct articulated *a, const struct link *joint,
                                       const struct link *before) {
  double fx = a->tx * joint->inverse, fy = a->ty * joint->inverse;
  double xx = a->xx - a->tx * fx, xy = a->xy - a->tx * fy, yy = a->yy - a->ty * fy;
  double x = a->x + fx * joint->u + xx * before->bx + xy * before->by;
  double y = a->y + fy * joint->u + xy * before->bx + yy * before->by;
  double rx = before->rx, ry = before->ry;
  double tx = xy * rx - xx * ry, ty = yy * rx - xy * ry;
  return (struct articulated){ty * rx - tx * ry, tx, ty, xx, xy, yy, rx * y - ry * x, x, y};
}

void chain_recursive(void *self, const double *x, double *out) {
  const struct chain *chain = self;
  int n = chain->n;
  struct link *links = (struct link *)chain->memory;
  double angle = 0, rate = 0, m = chain->m, l = chain->l, g = chain->g;
  for (int i = 0; i < n; i++) {
    struct link *k = &links[i];
    angle += x[i];
    rate += x[n + i];
    k->rx = l * sin(angle);
    k->ry = -l * cos(angle);
    k->bx = -rate * rate * k->rx;
    k->by = -rate * rate * k->ry;
  }
  struct articulated a = {0};
  for (int i = n; i-- > 0;) {
    struct link *k = &links[i];
    double fx = m * k->bx, fy = m * (k->by + g); /* bias of the own mass */
    a.tt += m * l * l;
    a.tx -= m * k->ry;
    a.ty += m * k->rx;
    a.xx += m;
    a.yy += m;
    a.t += k->rx * fy - k->ry * fx;
    a.x += fx;
    a.y += fy;
    k->ux = a.tx;
    k->uy = a.ty;
    k->inverse = 1 / a.tt;
    k->u = -a.t;
    if (i > 0) a = carry(&a, k, k - 1);
  }
  double alpha = 0, ax = 0, ay = 0;
  for (int i = 0; i < n; i++) {
    struct link *k = &links[i];
    double next = (k->u - k->ux * ax - k->uy * ay) * k->inverse;
    out[n + i] = next - alpha;
    alpha = next;
    ax += k->bx - alpha * k->ry;
    ay += k->by + alpha * k->rx;
  }
  memcpy(out, x + n, (size_t)n * sizeof *out);
}
