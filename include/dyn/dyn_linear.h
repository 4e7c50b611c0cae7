/* dyn_linear.h: the equations of motion near one state, as matrices.
 *
 *   dyn_linear_choose    picks independent coordinates and velocities
 *   dyn_linear_reduce    eliminates the others: w' = A w + B u,  y = C w + D u
 *   dyn_linear_complete  finds the dependent coordinates and velocities of a state nearby
 *   dyn_linear_rest      a step towards a state at which nothing accelerates
 *   dyn_linear_modes     eigenvalues of A with their own accuracy
 *
 * Matrices are stored column by column, in SI units. The state is x = [q, q', z] of dyn_model.h
 * with n coordinates, `rates` states z and width = 2n + rates; the motion is [q'', λ], n + m
 * entries.
 *
 * Along M q'' = f + B λ, A q'' + bias = 0 the residual r = [M q'' - f - B λ; A q'' + bias] stays 0:
 *     r_x dx + r_u du + [M -B; A 0] [dq''; dλ] = 0.
 * Changes of the state obey the constraints of both levels,
 *     φ_q dq + φ_z dz = 0,      ψ_q dq + A dq' + ψ_z dz = 0,
 * so that a choice w = [independent q, independent q', z] determines dx = R dw. As w is a part of
 * x, A = (the rows w of d(x')/dx) R holds at every state, steady or not; it says what small
 * deviations do where the state is steady. */
#ifndef DYN_LINEAR_H
#define DYN_LINEAR_H
#include "dyn/dyn_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that the reduction needs, at one state; whoever fills it owns the arrays. */
typedef struct dyn_linear_equations {
  int32_t n, m, rates, positions, inputs, outputs;
  int32_t constraint_rank;     /* of A in general: dyn_model.constraint_rank */
  int32_t force_is_transpose;  /* nonzero: B = A^T */
  double *mass;                /* n * n: M */
  double *multiplier_force;    /* n * m: B */
  double *constraint_jacobian; /* m * n: A */
  double *forcing, *bias;      /* n, m */
  double *motion;              /* n + m: q'' and λ at the state */
  double *residual_by_state;   /* (n + m) * width: r_x */
  double *residual_by_input;   /* (n + m) * inputs: r_u */
  double *rate_by_state;       /* rates * width: of z', with q'' and λ held */
  double *rate_by_motion;      /* rates * (n + m) */
  double *rate_by_input;       /* rates * inputs */
  double *position_by_state;   /* positions * width: [φ_q 0 φ_z] */
  double *constraint_by_state; /* m * width: [ψ_q A ψ_z] */
  double *output_by_state, *output_by_motion, *output_by_input; /* outputs * ... likewise */
} dyn_linear_equations;

/* Independent coordinates and velocities. Begin with all zero; dyn_linear_choice_clear frees. */
typedef struct dyn_linear_choice {
  int32_t n_coordinates, n_velocities; /* how many are independent */
  int32_t *coordinates, *velocities;   /* which: ascending indices below n */
  int32_t n_dependent_coordinates, n_dependent_velocities;
  int32_t *dependent_coordinates, *dependent_velocities;
  double *position_offset; /* n_position: what integrals are at the state, 0 for constraints */
} dyn_linear_choice;

/* Chooses dependent velocities, whose columns of A are the most independent ones, and among those
 * the dependent coordinates. A velocity with a large preference[n] is dependent if it can be; it
 * also makes units comparable (1 over the root of a mass). x is the state of the equations.
 * DYN_RANK_LOST: constraints that are independent elsewhere depend on each other here. */
DYN_API dyn_status dyn_linear_choose(const dyn_problem *problem, double t, const double *x,
                                     const dyn_linear_equations *equations,
                                     const double *preference, dyn_linear_choice *choice,
                                     dyn_message *message);
DYN_API void dyn_linear_choice_clear(dyn_linear_choice *choice);

/* The reduced equations. Begin with all zero; dyn_linear_system_clear frees. */
typedef struct dyn_linear_system {
  int32_t n_states, inputs, outputs; /* n_coordinates + n_velocities + rates of the choice */
  double *a, *b, *c, *d;   /* n_states * n_states, ... * inputs, outputs * n_states, ... * inputs */
  double *a_size, *c_size; /* what the terms of each entry add up to without their signs: an entry
                              that is 1e-14 of it is rounding */
  double *rate_size; /* n_states: likewise for the rates of velocities and of z at the state */
} dyn_linear_system;

/* DYN_RANK_LOST where masses do not determine accelerations, DYN_OUT_OF_RANGE where the matrices
 * are not finite. Entries of A, B, C and D that are rounding become 0. */
DYN_API dyn_status dyn_linear_reduce(const dyn_linear_equations *equations,
                                     const dyn_linear_choice *choice, dyn_linear_system *system,
                                     dyn_message *message);
DYN_API void dyn_linear_system_clear(dyn_linear_system *system);

/* Moves the dependent coordinates and velocities of x[n_state] so that all constraints hold at t,
 * by Newton's method from their values in x. DYN_CONFLICT if there are none nearby. */
DYN_API dyn_status dyn_linear_complete(const dyn_problem *problem, const dyn_linear_choice *choice,
                                       double t, double *x, dyn_message *message);

/* step[n_states]: the least change of the independent coordinates and of z, velocities as they are, that
 * to first order takes the rates of the independent velocities and of z to 0, or as near as they go
 * (Newton's method; dyn_linear_complete follows it). With a shift, 1/s^2, a step of 1/shift along the
 * accelerations where it is large: downhill, if forces have a potential. rate[n_states] is w' at the state of the system;
 * size[n_states] > 0 makes entries of w comparable: 1 over the root of a mass for a coordinate and its velocity.
 * DYN_OUT_OF_MEMORY. */
DYN_API dyn_status dyn_linear_rest(const dyn_linear_system *system, const dyn_linear_choice *choice,
                                   const double *size, const double *rate, double shift,
                                   double *step, dyn_message *message);

typedef struct dyn_linear_mode {
  double real, imaginary; /* the eigenvalue, 1/s */
  double accuracy;        /* rounding may have moved it by about so much */
} dyn_linear_mode;

/* modes[n] of A (n * n, unchanged), by falling real part, of a pair first the one above the axis.
 */
DYN_API dyn_status dyn_linear_modes(int32_t n, const double *a, dyn_linear_mode *modes,
                                    dyn_message *message);

#ifdef __cplusplus
}
#endif
#endif
