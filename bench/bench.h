/* What the programs of the benchmark share: fair timing, chains by hand, an integrator by hand. */
#ifndef DYN_BENCH_H
#define DYN_BENCH_H
#include <dyn/dyn.h>
#include <stddef.h>

/* ---- timing (timing.c) */

/* Something to be timed: one evaluation of out(x). One whose `self` is NULL is left out. */
struct candidate {
  const char *name;
  void (*evaluate)(void *self, const double *x, double *out);
  void *self;
  double *x, *out; /* its own: what it reads and writes */
  double ns;       /* result: the median of its rounds */
};

double bench_now(void); /* s, monotonic */

/* Times all candidates in turn, round by round, so that what else the machine does meets all alike;
 * each gets the median of its rounds. A round is at least `seconds` long. x[0] is moved between
 * evaluations by what changes no result, so that none can be left out. */
void bench_measure(struct candidate *candidates, size_t count, int rounds, double seconds);

/* Evaluates the candidate `calls` times inside bench_counted, for a profiler that counts only
 * there. */
void bench_count(struct candidate *candidate, int calls);

/* ---- a compiled model as a candidate (timing.c) */

/* Arrays for the calls of a dyn_model at its start state, default parameters and inputs. */
struct compiled {
  dyn_compiler *compiler;
  const dyn_model *model;
  double *x, *u, *p, *work;
};
/* Compiles the file with `n` = n (0: as it is) into this process. Ends the program on a fault. */
struct compiled compiled_new(const char *path, int n, dyn_engine engine);
void compiled_evaluate(void *compiled, const double *x, double *out); /* out = rhs(x) */

/* ---- a plane chain of n point masses on massless rods, by hand */

/* Angles are measured from the downward vertical; x = angles, then their rates; out = x'. */
struct chain {
  int n;
  double m, l, g;
  double *memory; /* for the function that is called */
};
struct chain chain_new(int n);
typedef void chain_function(void *chain, const double *x, double *out);
/* Dense closed form of the mass matrix and L D L^T (chain_dense.c) ... */
chain_function chain_dense;
/* ... the same source compiled for the number of links LINKS alone; its size in chain_fixed_n. */
chain_function chain_fixed;
extern const int chain_fixed_n;
/* O(n): articulated bodies along the chain (chain_recursive.c). x = angles between links. */
chain_function chain_recursive;
/* O(n), the floor: the rods' tensions solve one tridiagonal system (chain_tensions.c). */
chain_function chain_tensions;

/* ---- the arm of arm.dyn by hand, O(n): articulated bodies (arm_recursive.c) */
void arm_recursive(void *unused, const double *x, double *out);

/* ---- an integrator by hand (rk.c) */

/* Dormand-Prince 8(5,3) from t = 0 in the tightest loop: no output, no events, no dynamic memory
 * after the start. Answers the number of evaluations. `x` holds start and end. */
long rk_run(void (*rhs)(void *self, const double *x, double *out), void *self, int n, double until,
            double tolerance, double *x);
#endif
