/* linear_reduce.c: linearised equations without the dependent coordinates, velocities and
 * multipliers, in the notation of dyn_linear.h. With R the changes dx = R dw of the state and W
 * those of the motion (linear_motion.h), d[q''; λ] = W (r_x R dw + r_u du), and the rows of A, B, C
 * and D are products of these with the derivatives of rates and outputs.
 * Source: Schiehlen, Eberhard, Applied Dynamics (2014), 5.2 and 6.1. */
#include "runtime/linear_motion.h"
#include "runtime/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reduction {
  const dyn_linear_equations *e;
  const dyn_linear_choice *c;
  int32_t n, k, width, w;      /* k = n + m; w: states of the reduced system */
  struct sized state, motion;  /* R: width * w; W: k * k */
  struct sized by_w, by_input; /* of the motion: k * w, k * inputs */
  struct sized a, b, cs, d;    /* those of the result, and sizes for all */
};

/* ---- R */

/* Dependent entries of one level in column j: (their columns) y = -(what the others make). */
static void follow(const struct reduction *r, const struct elimination *elimination,
                   const double *by_state, const int32_t *dependent, size_t first, size_t j,
                   double *right) {
  size_t rows = (size_t)elimination->m;
  double *column = r->state.value + j * (size_t)r->width;
  memset(right, 0, rows * sizeof *right);
  for (size_t l = 0; l < (size_t)r->width; l++)
    for (size_t i = 0; i < rows && column[l] != 0; i++)
      right[i] -= by_state[i + l * rows] * column[l];
  elimination_solve(elimination, right);
  for (int32_t i = 0; i < elimination->rank; i++) column[first + (size_t)dependent[i]] = right[i];
}

/* The index in x of entry i of w. */
static size_t state_of(const struct reduction *r, int32_t i) {
  const dyn_linear_choice *c = r->c;
  int32_t coordinates = c->n_coordinates, moving = coordinates + c->n_velocities;
  if (i < coordinates) return (size_t)c->coordinates[i];
  if (i < moving) return (size_t)(r->n + c->velocities[i - coordinates]);
  return (size_t)(2 * r->n + i - moving);
}

static void make_state(struct reduction *r, const struct elimination *position,
                       const struct elimination *velocity, double *right) {
  const dyn_linear_choice *c = r->c;
  for (int32_t j = 0; j < r->w; j++) {
    r->state.value[state_of(r, j) + (size_t)j * (size_t)r->width] = 1;
    follow(r, position, r->e->position_by_state, c->dependent_coordinates, 0, (size_t)j, right);
    follow(r, velocity, r->e->constraint_by_state, c->dependent_velocities, (size_t)r->n, (size_t)j,
           right);
  }
  sized_settle(r->state);
}

/* R and W. */
static dyn_status solve(struct reduction *r, dyn_message *message) {
  const dyn_linear_equations *e = r->e;
  const dyn_linear_choice *c = r->c;
  struct elimination position = {0}, velocity = {0};
  size_t most = (size_t)(e->positions > e->m ? e->positions : e->m);
  double *right = calloc(most + 1, sizeof *right);
  dyn_status status = DYN_DONE;
  if (!right ||
      !elimination_init(&position, e->positions, e->position_by_state, c->n_dependent_coordinates,
                        c->dependent_coordinates) ||
      !elimination_init(&velocity, e->m, e->constraint_jacobian, c->n_dependent_velocities,
                        c->dependent_velocities)) {
    status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to linearise");
  } else {
    make_state(r, &position, &velocity, right);
    status = linear_motion_solve(e, c, &velocity, r->motion, message);
  }
  elimination_clear(&position);
  elimination_clear(&velocity);
  free(right);
  return status;
}

/* ---- products */

static void make_products(struct reduction *r, struct sized scratch) {
  const dyn_linear_equations *e = r->e;
  sized_add_product(sized_given(r->k, r->width, e->residual_by_state), r->state, scratch);
  sized_add_product(r->motion, scratch, r->by_w);
  sized_add_product(r->motion, sized_given(r->k, e->inputs, e->residual_by_input), r->by_input);
}

/* What follows the state and the motion: by_w = x R + y W r_x R, by_u = u + y W r_u. */
static void chain(const struct reduction *r, int32_t rows, double *x, double *y, double *u,
                  struct sized by_w, struct sized by_u) {
  struct sized by_motion = sized_given(rows, r->k, y);
  sized_add_product(sized_given(rows, r->width, x), r->state, by_w);
  sized_add_product(by_motion, r->by_w, by_w);
  sized_add(sized_given(rows, r->e->inputs, u), by_u);
  sized_add_product(by_motion, r->by_input, by_u);
}

/* Rows of w among those of x': velocities, accelerations, rates. */
static int put_rows(struct reduction *r) {
  const dyn_linear_equations *e = r->e;
  const dyn_linear_choice *c = r->c;
  int32_t coordinates = c->n_coordinates, moving = coordinates + c->n_velocities;
  struct sized z = sized_new(e->rates, r->w), z_input = sized_new(e->rates, e->inputs);
  int good = z.value && z_input.value;
  if (good) chain(r, e->rates, e->rate_by_state, e->rate_by_motion, e->rate_by_input, z, z_input);
  for (int32_t i = 0; i < r->w && good; i++)
    if (i < coordinates) {
      sized_copy_row(r->state, r->n + c->coordinates[i], r->a, i);
    } else if (i < moving) {
      sized_copy_row(r->by_w, c->velocities[i - coordinates], r->a, i);
      sized_copy_row(r->by_input, c->velocities[i - coordinates], r->b, i);
    } else {
      sized_copy_row(z, i - moving, r->a, i);
      sized_copy_row(z_input, i - moving, r->b, i);
    }
  sized_free(z);
  sized_free(z_input);
  return good;
}

/* What acts on an unknown of the motion: |f| + |B| |λ|, or |bias|. */
static double pull_on(const dyn_linear_equations *e, size_t j) {
  size_t n = (size_t)e->n;
  if (j >= n) return fabs(e->bias[j - n]);
  double pull = fabs(e->forcing[j]);
  for (size_t l = 0; l < (size_t)e->m; l++)
    pull += fabs(e->multiplier_force[j + l * n] * e->motion[n + l]);
  return pull;
}

/* What the terms of accelerations add up to, |W| times the pulls; but not less than what the
 * largest pull would do in the direction of the unknown, masses compared: what is held by
 * constraints, and leaves rounding, counts as well. */
static void put_rate_sizes(const struct reduction *r, double *rate_size) {
  const dyn_linear_equations *e = r->e;
  size_t n = (size_t)r->n, k = (size_t)r->k;
  double largest = 0;
  for (size_t j = 0; j < k; j++) {
    double pull = pull_on(e, j), mass = j < n ? e->mass[j + j * n] : 0;
    if (mass > 0) largest = fmax(largest, pull / sqrt(mass));
    for (int32_t i = 0; i < r->c->n_velocities; i++)
      rate_size[r->c->n_coordinates + i] +=
          fabs(r->motion.value[(size_t)r->c->velocities[i] + j * k]) * pull;
  }
  for (int32_t i = 0; i < r->c->n_velocities; i++) {
    size_t unknown = (size_t)r->c->velocities[i];
    double yields = sqrt(fabs(r->motion.value[unknown + unknown * k]));
    double *size = &rate_size[r->c->n_coordinates + i];
    *size = fmax(*size, yields * largest);
  }
}

static dyn_status reduce(struct reduction *r, dyn_linear_system *s, dyn_message *message) {
  const dyn_linear_equations *e = r->e;
  dyn_status status = solve(r, message);
  struct sized scratch = sized_new(r->k, r->w);
  if (!status && scratch.value) make_products(r, scratch);
  if (!status && (!scratch.value || !put_rows(r)))
    status = message_set(message, DYN_OUT_OF_MEMORY, "there is not enough memory to linearise");
  sized_free(scratch);
  if (status) return status;
  chain(r, e->outputs, e->output_by_state, e->output_by_motion, e->output_by_input, r->cs, r->d);
  put_rate_sizes(r, s->rate_size);
  struct sized results[] = {r->a, r->b, r->cs, r->d};
  for (int i = 0; i < 4; i++) {
    sized_drop_rounding(results[i]);
    if (!sized_is_finite(results[i]))
      status = message_set(message, DYN_OUT_OF_RANGE,
                           "a derivative of the equations is not a finite number");
  }
  return status;
}

void dyn_linear_system_clear(dyn_linear_system *s) {
  free(s->a);
  free(s->b);
  free(s->c);
  free(s->d);
  free(s->rate_size);
  *s = (dyn_linear_system){0};
}

dyn_status dyn_linear_reduce(const dyn_linear_equations *e, const dyn_linear_choice *c,
                             dyn_linear_system *s, dyn_message *message) {
  int32_t w = c->n_coordinates + c->n_velocities + e->rates, k = e->n + e->m;
  struct reduction r = {.e = e, .c = c, .n = e->n, .k = k, .width = 2 * e->n + e->rates, .w = w};
  message_set(message, DYN_DONE, "%s", "");
  r.state = sized_new(r.width, w);
  r.motion = sized_new(k, k);
  r.by_w = sized_new(k, w);
  r.by_input = sized_new(k, e->inputs);
  r.a = sized_new(w, w);
  r.b = sized_new(w, e->inputs);
  r.cs = sized_new(e->outputs, w);
  r.d = sized_new(e->outputs, e->inputs);
  *s = (dyn_linear_system){.n_states = w,
                           .inputs = e->inputs,
                           .outputs = e->outputs,
                           .a = r.a.value,
                           .b = r.b.value,
                           .c = r.cs.value,
                           .d = r.d.value,
                           .a_size = r.a.size,
                           .c_size = r.cs.size,
                           .rate_size = calloc((size_t)w + 1, sizeof(double))};
  dyn_status status = DYN_OUT_OF_MEMORY;
  if (r.state.value && r.motion.value && r.by_w.value && r.by_input.value && s->a && s->b && s->c &&
      s->d && s->rate_size)
    status = reduce(&r, s, message);
  else
    message_set(message, status, "there is not enough memory to linearise");
  sized_free(r.state);
  sized_free(r.motion);
  sized_free(r.by_w);
  sized_free(r.by_input);
  if (status) dyn_linear_system_clear(s);
  return status;
}
