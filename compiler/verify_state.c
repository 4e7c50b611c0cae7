/* Random states that satisfy the constraints, by Newton's method with the smallest changes
 * (positions, then velocities), and the balance of power of a system as expressions. */
#include "compiler/verify_state.h"
#include "sema/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- states */

static double random_between(uint64_t *state, double low, double high) {
  *state = hash_mix(*state + 1);
  return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

/* change += the smallest d with rows d = -residual, dependent rows left out. Modified Gram-Schmidt
 * on the rows (Golub & Van Loan, Matrix Computations, 5.2). */
static void least_change(double *rows, double *residual, size_t m, size_t n, double *change) {
  for (size_t k = 0; k < m; k++) {
    double *row = rows + k * n, before = 0, square = 0;
    for (size_t j = 0; j < n; j++) before += row[j] * row[j];
    for (size_t i = 0; i < k; i++) {
      double product = 0;
      for (size_t j = 0; j < n; j++) product += row[j] * rows[i * n + j];
      for (size_t j = 0; j < n; j++) row[j] -= product * rows[i * n + j];
      residual[k] -= product * residual[i];
    }
    for (size_t j = 0; j < n; j++) square += row[j] * row[j];
    bool is_dependent = !(square > 1e-18 * before);
    double scale = is_dependent ? 0 : 1 / sqrt(square);
    for (size_t j = 0; j < n; j++) row[j] *= scale;
    residual[k] *= scale;
    for (size_t j = 0; j < n; j++) change[j] -= row[j] * residual[k];
  }
}

/* Newton's method on one level: x[offset ...] moves until all residuals are rounding. */
static bool satisfy(const struct verify *v, dyn_function *function, size_t m, size_t offset,
                    const bool *is_counted, double *x) {
  const dyn_model *model = v->methods[0].model;
  size_t n = (size_t)model->n_coordinates;
  double *out = checked_calloc(m * (1 + n) + 1, sizeof *out);
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof *work);
  bool is_good = m == 0;
  for (int step = 0; step < 60 && m > 0; step++) {
    double largest = 0;
    if (function(model, v->t, x, v->u, v->p, work, out) != 0) break;
    for (size_t k = 0; k < m; k++) {
      double size = 0;
      for (size_t j = 0; j < n; j++) size = fmax(size, fabs(out[m + k * n + j]));
      if (!is_counted[k])
        for (size_t j = 0; j < n; j++) out[m + k * n + j] = 0;
      else
        largest = fmax(largest, fabs(out[k]) / (size > 0 ? size : 1));
      if (!is_counted[k]) out[k] = 0;
    }
    if (!isfinite(largest)) break;
    is_good = largest < 1e-13;
    if (is_good && step > 0 && largest == 0) break;
    least_change(out + m, out, m, n, x + offset);
    if (is_good) break; /* and one step more */
  }
  free(out);
  free(work);
  return is_good;
}

bool verify_random_state(const struct verify *v, uint32_t number, double *x) {
  const dyn_model *model = v->methods[0].model;
  size_t n = (size_t)model->n_coordinates, positions = (size_t)model->n_position;
  size_t m = (size_t)model->n_constraints;
  bool *is_counted = checked_calloc(positions + m + 1, sizeof *is_counted);
  bool *is_kept = is_counted + positions; /* redundant ones follow, and only disturb on the way */
  for (size_t k = 0; k < m; k++)
    is_kept[k] = (model->constraints[k].flags & DYN_CONSTRAINT_REDUNDANT) == 0;
  for (size_t k = 0; k < positions; k++)
    is_counted[k] = !model->position_equations[k].is_integral &&
                    is_kept[model->position_equations[k].constraint];
  uint64_t state = hash_mix(0x7e51 + number);
  for (size_t i = 0; i < (size_t)model->n_state; i++) {
    double size = number == 0 ? 0 : i < n ? 0.2 : 0.5 * (1 + fabs(v->start[i]));
    x[i] = v->start[i] + random_between(&state, -size, size);
  }
  bool good = satisfy(v, model->position_residuals, positions, 0, is_counted, x) &&
              satisfy(v, model->velocity_residuals, m, n, is_kept, x);
  free(is_counted);
  return good;
}

/* ---- power */

static void place(struct power_balance *balance, expr symbol) {
  if (symbol != 0 && !map_get(&balance->place, symbol))
    map_set(&balance->place, symbol, ++balance->count);
}

static void place_symbols(struct power_balance *balance) {
  const struct model *model = balance->system->model;
  uint32_t n = model->coordinates.count;
  for (uint32_t i = 0; i < n; i++) place(balance, model->coordinates.items[i].position);
  for (uint32_t i = 0; i < n; i++) place(balance, model->coordinates.items[i].velocity);
  for (uint32_t i = 0; i < model->states.count; i++) place(balance, model->states.items[i].value);
  for (uint32_t i = 0; i < n; i++) place(balance, model->coordinates.items[i].acceleration);
  for (uint32_t i = 0; i < model->constraints.count; i++)
    place(balance, model->constraints.items[i].multiplier);
  for (uint32_t i = 0; i < model->parameters.count; i++)
    place(balance, model->parameters.items[i].symbol);
  for (uint32_t i = 0; i < model->inputs.count; i++) place(balance, model->inputs.items[i].symbol);
  place(balance, model->time);
}

static expr lagrangian_of(const struct system *system) {
  struct expr_graph *graph = system->graph;
  if (system->has_energy)
    return expr_subtract(graph, system->kinetic_energy, system->potential_energy);
  expr sum = expr_integer(graph, 0);
  for (uint32_t i = 0; i < system->model->energies.count; i++)
    if (system->model->energies.items[i].kind == ENERGY_LAGRANGIAN)
      sum = expr_add(graph, sum, system->model->energies.items[i].value);
  return sum;
}

/* d/dt along the motion; `everything`, or of time and states alone. */
static struct expr_tangent *tangent_of(const struct system *system, bool everything) {
  const struct model *model = system->model;
  struct expr_tangent *tangent = expr_tangent_new(system->graph);
  for (uint32_t j = 0; j < model->coordinates.count && everything; j++) {
    const struct model_coordinate *q = &model->coordinates.items[j];
    expr_tangent_seed(tangent, q->position, q->velocity);
    expr_tangent_seed(tangent, q->velocity, q->acceleration);
  }
  for (uint32_t k = 0; k < model->states.count; k++)
    expr_tangent_seed(tangent, model->states.items[k].value, model->states.items[k].rate);
  expr_tangent_seed(tangent, model->time, expr_integer(system->graph, 1));
  return tangent;
}

static void add_term(struct power_balance *balance, expr term) {
  balance->terms[balance->term_count++] = term;
}

struct power_balance power_balance_new(const struct verify *v) {
  const struct system *system = v->methods[0].system;
  struct expr_graph *graph = system->graph;
  struct power_balance balance = {.system = system};
  size_t n = system->n, m = system->m;
  place_symbols(&balance);
  balance.terms = checked_calloc(3 * n + m * n + 4, sizeof(expr));
  struct expr_tangent *along = tangent_of(system, true), *fixed = tangent_of(system, false);
  expr lagrangian = lagrangian_of(system);
  add_term(&balance, expr_negate(graph, expr_tangent_of(along, lagrangian)));
  add_term(&balance, expr_tangent_of(fixed, lagrangian));
  for (size_t j = 0; j < n; j++) {
    const struct model_coordinate *q = &system->model->coordinates.items[j];
    add_term(&balance,
             expr_tangent_of(along, expr_multiply(graph, system->momentum[j], q->velocity)));
    add_term(&balance,
             expr_negate(graph, expr_multiply(graph, system->nonconservative[j], q->velocity)));
  }
  for (size_t k = 0; k < m; k++) { /* only what is prescribed: A q' = -b */
    struct expr_substitution *rest = expr_substitution_new(graph);
    expr terms[2], power = expr_integer(graph, 0);
    for (size_t j = 0; j < n; j++)
      expr_substitution_add(rest, system->model->coordinates.items[j].velocity,
                            expr_integer(graph, 0));
    if (system->model->constraints.items[k].is_linear) {
      terms[0] = system->model->constraints.items[k].multiplier;
      terms[1] = expr_substitution_of(rest, system->constraint[k]);
      power = expr_product(graph, terms, 2);
    } else {
      for (size_t j = 0; j < n; j++) { /* Chetaev: A is no constraint on q' itself */
        expr factors[3] = {system->model->constraints.items[k].multiplier,
                           system->constraint_jacobian[k + j * m],
                           system->model->coordinates.items[j].velocity};
        power = expr_subtract(graph, power, expr_product(graph, factors, 3));
      }
    }
    add_term(&balance, power);
    expr_substitution_free(rest);
  }
  expr_tangent_free(along);
  expr_tangent_free(fixed);
  return balance;
}

void power_balance_clear(struct power_balance *balance) {
  map_free(&balance->place);
  free(balance->terms);
}

struct balance_values {
  const struct power_balance *balance;
  double *values;
};

static double value_of(void *user, expr symbol) {
  const struct balance_values *b = user;
  uint32_t slot = map_get(&b->balance->place, symbol);
  return slot ? b->values[slot - 1] : NAN;
}

/* Nothing may come from NULL. */
static double *append(double *at, const double *values, int32_t count) {
  for (int32_t i = 0; i < count; i++) *at++ = values[i];
  return at;
}

/* The symbols' values, in the order of place_symbols; the caller frees them. */
static double *gather(const struct power_balance *balance, const struct verify *v, const double *x,
                      const double *acceleration, const double *multiplier) {
  const dyn_model *model = v->methods[0].model;
  double *values = checked_calloc((size_t)balance->count + 1, sizeof *values);
  double *at = append(values, x, model->n_state);
  at = append(at, acceleration, model->n_coordinates);
  at = append(at, multiplier, model->n_constraints);
  at = append(at, v->p, model->n_parameters);
  at = append(at, v->u, model->n_inputs);
  *at = v->t;
  return values;
}

double power_balance_gap(const struct power_balance *balance, const struct verify *v,
                         const double *x, const double *acceleration, const double *multiplier) {
  struct balance_values b = {balance, gather(balance, v, x, acceleration, multiplier)};
  double *terms = checked_calloc((size_t)balance->term_count + 1, sizeof *terms), sum = 0, size = 0;
  expr_evaluate(balance->system->graph, balance->terms, balance->term_count, value_of, &b, terms);
  for (uint32_t i = 0; i < balance->term_count; i++) {
    sum += terms[i];
    size = fmax(size, fabs(terms[i]));
  }
  free(b.values);
  free(terms);
  return size > 0 ? fabs(sum) / size : 0;
}

void verify_rates(const struct power_balance *balance, const struct system *system,
                  const struct verify *v, const double *x, const double *acceleration,
                  const double *multiplier, double *out) {
  struct balance_values b = {balance, gather(balance, v, x, acceleration, multiplier)};
  struct expr_tangent *along = tangent_of(system, true);
  expr *rates = checked_calloc((size_t)system->n + 1, sizeof *rates);
  for (uint32_t i = 0; i < system->n; i++)
    rates[i] = expr_tangent_of(along, system->state.value[i]);
  expr_evaluate(system->graph, rates, system->n, value_of, &b, out);
  expr_tangent_free(along);
  free(rates);
  free(b.values);
}
