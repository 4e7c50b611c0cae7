/* dyn_tableau.h: explicit Runge-Kutta methods as data, for the runtime and for the compiler, which
 * makes steps of them. Not installed: programs need nothing of it.
 *
 * A method has `stages` stages and then the slope at the new state, which is the first stage of
 * the next step; rows[stages] therefore holds the weights b. The last proper stage stands at the
 * end of the step (c = 1), which the stiffness estimate uses. `extra` further stages serve dense
 * output alone. Dense output is the nested form of Hairer, Norsett, Wanner (II.6): with s = 1 - r
 *   x(r) = d0 + r (d1 + s (d2 + r (d3 + s (d4 + r (d5 + s (d6 + r d7))))))
 * where d0..d3 come from the states and slopes at both ends, d4... from the rows `dense`. */
#ifndef DYN_TABLEAU_H
#define DYN_TABLEAU_H

#define RK_MAX_ROW 12
#define RK_MAX_STAGES 16

/* The nonzero weights of a sum of slopes. */
struct rk_row {
  int count;
  int slope[RK_MAX_ROW];
  double weight[RK_MAX_ROW];
};

struct rk_table {
  const char *name;
  int order, stages, extra;
  const double *c;           /* stages + 1 + extra */
  const struct rk_row *rows; /* stages + 1 + extra */
  struct rk_row error;       /* main error estimate; count 0: none, steps are fixed */
  struct rk_row error_low;   /* second estimate, of order 3; count 0: none */
  int n_dense;
  const struct rk_row *dense;
  double stability;    /* h |eigenvalue| at the boundary of the stability region */
  double damping;      /* weight of the last error in the step size control */
  double shrink, grow; /* limits of the change of step size */
};

extern const struct rk_table rk_table_rk4, rk_table_dp5, rk_table_dp8;

#endif
