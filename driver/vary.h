/* What a sweep varies: --vary NAME=VALUES, and the value that each trajectory has. */
#ifndef DYN_DRIVER_VARY_H
#define DYN_DRIVER_VARY_H
#include "driver/problem.h"
#include <gmp.h>

enum variation_kind {
  VARY_LIST,       /* numbers[0 ... count - 1] */
  VARY_RANGE,      /* count values from numbers[0] to numbers[1], both included, in equal steps */
  VARY_LOG_RANGE,  /* in equal ratios */
  VARY_UNIFORM,    /* drawn between numbers[0] and numbers[1] */
  VARY_NORMAL,     /* mean numbers[0], standard deviation numbers[1] */
  VARY_LOG_UNIFORM /* the logarithm is uniform */
};

enum variation_target { VARY_PARAMETER, VARY_INPUT, VARY_START };

struct vary_fraction { /* moves in memory like any structure */
  mpq_t value;
  const char *text; /* as written */
};

struct variation {
  const char *text; /* the option */
  const char *name; /* as 'dyn check' prints it */
  const char *unit; /* "[kg]", or "" */
  enum variation_kind kind;
  VECTOR(struct vary_fraction) exact; /* the numbers as written, without the unit */
  VECTOR(double) numbers;             /* the doubles nearest to them */
  uint64_t count;                     /* of values in the grid; 1 for what is drawn */
  const char *sample;    /* how one of the numbers is written, not 0 if any of them is */
  uint32_t sample_place; /* of it among the numbers */
  /* from variations_bind on */
  enum variation_target target;
  int32_t index;        /* of the parameter or input, or in x */
  mpq_t factor;         /* to SI; a unit of angle has pi to 60 digits there */
  long double multiple; /* nearest to it */
};

struct variations {
  VECTOR(struct variation) items;
  uint64_t grid;    /* points: the product of all counts */
  uint64_t samples; /* trajectories at each of them */
  uint64_t count;   /* of trajectories */
  uint64_t seed;
};

enum { MOST_TRAJECTORIES = 1000000000 };

/* Reads all --vary, --samples and --seed, and hands one value of each variation to the compiler,
 * which then checks name and unit. False, with diagnostics, if any is wrong. */
bool variations_take(struct session *session, struct variations *out);
void variations_clear(struct variations *variations);
/* Finds what is varied in the model made of that, which has the values handed over. False, with a
 * diagnostic, if a name is written otherwise than in the model. */
bool variations_bind(struct session *session, struct variations *variations,
                     const dyn_model *model);
bool variations_have(const struct variations *variations, enum variation_target target);
/* The SI value of variation v in trajectory `number` (from 0): of lists and ranges the double
 * nearest to what the decimals and the unit say, of ratios and draws within rounding. It depends on
 * nothing but the variation, its place v, the number and the seed. The last variation changes
 * fastest over the grid, samples of one point stand together. */
double variations_value(const struct variations *variations, uint32_t v, uint64_t number);
#endif
