/* `dyn verify`: accelerations and multipliers of every method against those of the first, at random
 * states near the start that satisfy the constraints; each method's own equations against the
 * motion that they belong to; and the balance of power,
 *
 *     dh/dt = sum_i (Q_i - dD/dq'_i) q'_i + sum_k λ_k (A q')_k - dL/dt - dL/dz z',
 *
 * with h = p q' - L, where the constraints' power is that of their prescribed motion, -λ b, alone.
 * (Goldstein, Poole, Safko, Classical Mechanics, 3rd ed., section 2.7.)
 *
 * Accelerations that come from a recursion over the bodies are put into the equations with the mass
 * matrix besides.
 *
 * The methods' functions are those that a run calls, interpreted. States come from verify_state.c.
 * Multipliers that are not unique are compared by the forces A^T λ that they make. */
#include "compiler/verify.h"
#include "compiler/verify_state.h"
#include "base/map.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_REST 1e-3 /* of SI units per second: at least so much is a velocity or rate */

enum { FUNCTIONS = PROGRAM_ALL & ~(PROGRAM_DERIVATIVES | PROGRAM_NATURAL) };

void verify_add(struct verify *v, struct system *system) {
  struct verify_method *method = &v->methods[v->count++];
  method->system = system;
  system_derive_mass(system); /* what a recursion is compared with */
  method->program = program_build(v->context, system, FUNCTIONS);
  method->model = program_interpreted_model(method->program);
}

void verify_clear(struct verify *v) {
  for (uint32_t i = 0; i < v->count; i++) {
    free(v->methods[i].model);
    program_free(v->methods[i].program);
    system_free(v->methods[i].system);
  }
  v->count = 0;
}

/* ---- values at a state */

struct values {
  double *acceleration, *multiplier, *force; /* n, m + 1, n: A^T λ */
  double scale; /* of accelerations: what the forces alone would give, which may cancel */
  double pull;  /* the largest force */
  bool is_defined;
};

static int call(const struct verify *v, const dyn_model *model, dyn_function *function,
                const double *x, double *out) {
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof *work);
  int status = function(model, v->t, x, v->u, v->p, work, out);
  free(work);
  return status;
}

static double largest_of(const double *values, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
  return largest;
}

static void measure(const struct verify *v, const dyn_model *model, const double *x,
                    struct values *values) {
  size_t n = (size_t)model->n_coordinates;
  double *mass = checked_calloc(n * n + n + 1, sizeof *mass), *forcing = mass + n * n;
  bool good = n > 0 && call(v, model, model->mass_matrix, x, mass) == 0 &&
              call(v, model, model->forcing, x, forcing) == 0;
  double largest = 0, speed = largest_of(x + n, n);
  values->scale = 0.01 * speed * speed; /* where only centrifugal terms cancel */
  for (size_t i = 0; i < n && good; i++) {
    double pull = fabs(forcing[i]) + fabs(values->force[i]), inertia = mass[i + i * n];
    values->pull = fmax(values->pull, pull);
    largest = fmax(largest, inertia);
    if (inertia > 0) values->scale = fmax(values->scale, pull / inertia);
    values->scale = fmax(values->scale, fabs(values->acceleration[i]));
  }
  values->pull = fmax(values->pull, largest * values->scale);
  free(mass);
}

static struct values values_at(const struct verify *v, const struct verify_method *method,
                               const double *x) {
  const dyn_model *model = method->model;
  size_t n = (size_t)model->n_coordinates, m = (size_t)model->n_constraints;
  struct values values = {checked_calloc(n + 1, sizeof(double)),
                          checked_calloc(m + 2, sizeof(double)),
                          checked_calloc(n + 1, sizeof(double)),
                          0,
                          0,
                          true};
  double *rows = checked_calloc(m * (1 + n) + 1, sizeof *rows);
  values.is_defined = call(v, model, model->acceleration, x, values.acceleration) == 0;
  if (m > 0 && values.is_defined)
    values.is_defined = call(v, model, model->multipliers, x, values.multiplier) == 0 &&
                        call(v, model, model->velocity_residuals, x, rows) == 0;
  for (size_t k = 0; k < m; k++)
    for (size_t j = 0; j < n; j++) values.force[j] += rows[m + k * n + j] * values.multiplier[k];
  for (size_t j = 0; j < n; j++)
    values.is_defined = values.is_defined && isfinite(values.acceleration[j]);
  free(rows);
  measure(v, model, x, &values);
  return values;
}

static void values_clear(struct values *values) {
  free(values->acceleration);
  free(values->multiplier);
  free(values->force);
}

/* ---- findings */

static void put_state(const struct verify *v, const double *x, struct text *out) {
  const dyn_model *model = v->methods[0].model;
  int32_t n = model->n_coordinates;
  text_put(out, "  at");
  for (int32_t i = 0; i < 2 * n; i++)
    text_format(out, "%s %s = %.17g", i > 0 ? "," : "",
                i < n ? model->coordinates[i].name : model->velocities[i - n].name, x[i]);
  for (int32_t i = 0; i < model->n_rates; i++)
    text_format(out, ", %s = %.17g", model->rates[i].name, x[2 * n + i]);
  text_put(out, "\n");
}

struct comparison {
  struct verify *v;
  const struct verify_method *method;
  const double *x;
  struct text *out;
  bool is_told; /* the state */
};

/* One row of numbers against those of the reference. */
static void compare(struct comparison *c, const char *what, const dyn_variable *names,
                    const dyn_constraint *constraints, const double *own, const double *reference,
                    size_t count, double scale) {
  struct verify *v = c->v;
  for (size_t i = 0; i < count; i++) {
    double difference = fabs(own[i] - reference[i]) / (scale > 0 ? scale : 1);
    if (difference <= v->worst) continue;
    v->worst = difference;
    if (difference <= v->tolerance) continue;
    v->disagreements++;
    if (!c->is_told) {
      text_format(c->out, "%s and %s disagree\n", c->method->model->method,
                  v->methods[0].model->method);
      put_state(v, c->x, c->out);
      c->is_told = true;
    }
    text_format(c->out, "  %s %s: %.17g and %.17g\n", what,
                names ? names[i].name : constraints[i].name, own[i], reference[i]);
  }
}

static void compare_values(struct comparison *c, const struct values *own,
                           const struct values *reference) {
  const dyn_model *model = c->method->model;
  size_t n = (size_t)model->n_coordinates, m = (size_t)model->n_constraints;
  bool is_unique = m > 0 && own->multiplier[m] == 0 && reference->multiplier[m] == 0;
  if (own->is_defined != reference->is_defined) {
    c->v->disagreements++;
    text_format(c->out, "%s is not defined where %s is\n",
                own->is_defined ? c->v->methods[0].model->method : model->method,
                own->is_defined ? model->method : c->v->methods[0].model->method);
    put_state(c->v, c->x, c->out);
    return;
  }
  if (!own->is_defined) return;
  compare(c, "acceleration", model->accelerations, NULL, own->acceleration, reference->acceleration,
          n, reference->scale);
  compare(c, "constraint force on", model->coordinates, NULL, own->force, reference->force, n,
          fmax(reference->pull, largest_of(reference->force, n)));
  if (is_unique)
    compare(c, "multiplier of", NULL, model->constraints, own->multiplier, reference->multiplier, m,
            largest_of(reference->multiplier, m));
}

/* ---- a method's own equations: y' against the change of y along the motion */

static void put_own(struct comparison *c, const char *name, double own, double expected) {
  c->v->disagreements++;
  if (!c->is_told) {
    text_format(c->out, "the equations of %s are not those of its motion\n",
                c->method->model->method);
    put_state(c->v, c->x, c->out);
    c->is_told = true;
  }
  text_format(c->out, "  rate of %s: %.17g, but %.17g along the motion\n", name, own, expected);
}

static void check_own(struct comparison *c, const struct power_balance *balance,
                      const struct values *values) {
  const dyn_model *model = c->method->model;
  struct verify *v = c->v;
  size_t size = (size_t)model->n_state, n = (size_t)model->n_coordinates;
  if (!model->method_state) return;
  double *y = checked_calloc(4 * size + 1, sizeof *y), *rate = y + size, *change = rate + size;
  double *back = change + size;
  bool good = call(v, model, model->method_state, c->x, y) == 0 &&
              call(v, model, model->rhs, y, rate) == 0 &&
              call(v, model, model->natural_state, y, back) == 0;
  if (!good) put_own(c, "the state: none", NAN, NAN);
  memcpy(change, c->x + n, n * sizeof *change);
  verify_rates(balance, c->method->system, v, c->x, values->acceleration, values->multiplier,
               change + n);
  /* At rest what cancels is compared with the rounding of numbers of order one. */
  double velocities = fmax(largest_of(c->x + n, n), AT_REST);
  double rates = fmax(largest_of(change + n, n), AT_REST);
  rates = fmax(rates, fmax(values->pull, values->scale));
  for (size_t i = 0; i < n && good; i++) {
    if (!(fabs(rate[i] - change[i]) <= v->tolerance * velocities))
      put_own(c, model->coordinates[i].name, rate[i], change[i]);
    if (!(fabs(rate[n + i] - change[n + i]) <= v->tolerance * rates))
      put_own(c, model->method_variables[i].name, rate[n + i], change[n + i]);
    if (!(fabs(back[n + i] - c->x[n + i]) <= v->tolerance * velocities))
      put_own(c, model->velocities[i].name, back[n + i], c->x[n + i]);
  }
  free(y);
}

/* ---- accelerations by recursion: the equations with the mass matrix, made without it */

static void check_recursion(struct comparison *c, const struct values *values) {
  const dyn_model *model = c->method->model;
  struct verify *v = c->v;
  size_t n = (size_t)model->n_coordinates;
  if (!c->method->program->by_recursion) return;
  double *mass = checked_calloc(n * n + n + 1, sizeof *mass), *force = mass + n * n;
  bool good = call(v, model, model->mass_matrix, c->x, mass) == 0 &&
              call(v, model, model->forcing, c->x, force) == 0;
  for (size_t i = 0; i < n && good; i++) {
    double left = 0, size = fabs(force[i]);
    for (size_t j = 0; j < n; j++) {
      left += mass[i + j * n] * values->acceleration[j];
      size += fabs(mass[i + j * n] * values->acceleration[j]);
    }
    double difference = fabs(left - force[i]) / (size > 0 ? size : 1);
    v->worst = fmax(v->worst, difference);
    if (difference <= v->tolerance) continue;
    v->disagreements++;
    if (!c->is_told) put_state(v, c->x, c->out);
    c->is_told = true;
    text_format(c->out, "  equation of %s: M q'' by recursion is %.17g, the force %.17g\n",
                model->coordinates[i].name, left, force[i]);
  }
  free(mass);
}

/* ---- the whole */

static void verify_state(struct verify *v, const struct power_balance *balance, const double *x,
                         struct text *out) {
  struct values reference = values_at(v, &v->methods[0], x);
  for (uint32_t i = 0; i < v->count; i++) {
    struct comparison c = {v, &v->methods[i], x, out, false};
    struct values own = values_at(v, c.method, x);
    if (i > 0) compare_values(&c, &own, &reference);
    if (own.is_defined) check_own(&c, balance, &own);
    if (own.is_defined) check_recursion(&c, &own);
    values_clear(&own);
  }
  v->defined += reference.is_defined;
  if (reference.is_defined) {
    double gap = power_balance_gap(balance, v, x, reference.acceleration, reference.multiplier);
    if (gap > v->worst_balance) v->worst_balance = gap;
    if (gap > v->tolerance) {
      v->disagreements++;
      text_format(out, "the power of the forces is not the rate of energy: off by %.3g of it\n",
                  gap);
      put_state(v, x, out);
    }
  }
  values_clear(&reference);
}

/* Those that disagree with two others that agree are the likely ones. */
static void put_suspects(const struct verify *v, struct text *out) {
  if (v->disagreements == 0 || v->count < 3) return;
  text_format(out, "compared with %s:", v->methods[0].model->method);
  for (uint32_t i = 1; i < v->count; i++)
    text_format(out, "%s %s", i > 1 ? "," : "", v->methods[i].model->method);
  text_put(out, "; one that is alone with its numbers is the suspect, the first if all others are "
                "against it\n");
}

void verify_run(struct verify *v, struct text *out) {
  size_t size = (size_t)v->methods[0].model->n_state;
  double *x = checked_calloc(size + 1, sizeof *x);
  struct power_balance balance = power_balance_new(v);
  if (v->tolerance == 0) v->tolerance = 1e-10;
  for (uint32_t i = 0; i < v->states; i++) {
    if (!verify_random_state(v, i, x)) continue;
    v->tried++;
    verify_state(v, &balance, x, out);
  }
  put_suspects(v, out);
  power_balance_clear(&balance);
  free(x);
}
