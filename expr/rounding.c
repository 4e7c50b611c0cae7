/* How far rounding may have moved the values of a program: every step passes on the errors of its
 * operands, to first order, and adds one of its own (running error analysis). It tells a residual
 * that is nothing but rounding from one that is not, whatever the units are. */
#include "expr/graph.h"
#include "expr/program.h"
#include <float.h>
#include <math.h>

static double sum_error(const struct program *program, const struct program_step *step,
                        const double *values, const double *errors) {
  double error = 0, size = fabs(program->doubles[step->number]);
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand term = program->operands[step->first + i];
    double coefficient = fabs(program->doubles[term.number]);
    error += coefficient * errors[term.step];
    size += coefficient * fabs(values[term.step]);
  }
  return error + DBL_EPSILON * size;
}

/* A product that vanishes passes on the error of its only zero factor, if that stands to power 1
 * (higher powers are flat there). */
static double vanishing_product_error(const struct program *program,
                                      const struct program_step *step, const double *values,
                                      const double *errors) {
  double error = 0, others = fabs(program->doubles[step->number]);
  uint32_t zeros = 0;
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand factor = program->operands[step->first + i];
    double exponent = program->doubles[factor.number];
    if (values[factor.step] != 0) {
      others *= pow(fabs(values[factor.step]), exponent);
      continue;
    }
    zeros++;
    error = exponent == 1 ? errors[factor.step] : 0;
  }
  return zeros == 1 ? error * others : 0;
}

static double product_error(const struct program *program, const struct program_step *step,
                            const double *values, const double *errors, double value) {
  double relative = 0;
  if (value == 0) return vanishing_product_error(program, step, values, errors);
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand factor = program->operands[step->first + i];
    relative +=
        fabs(program->doubles[factor.number]) * (errors[factor.step] / fabs(values[factor.step]));
  }
  return fabs(value) * (relative + DBL_EPSILON);
}

/* |f'(a)| of a function of one argument with the value v. */
static double unary_slope(enum expr_operator operator_, double a, double v) {
  switch (operator_) {
  case EXPR_SIN:
    return fabs(cos(a));
  case EXPR_COS:
    return fabs(sin(a));
  case EXPR_TAN:
    return 1 + v * v;
  case EXPR_ASIN:
  case EXPR_ACOS:
    return 1 / sqrt(1 - a * a);
  case EXPR_ATAN:
    return 1 / (1 + a * a);
  case EXPR_SINH:
    return cosh(a);
  case EXPR_COSH:
    return fabs(sinh(a));
  case EXPR_EXP:
    return v;
  case EXPR_LOG:
    return 1 / fabs(a);
  case EXPR_TANH:
  case EXPR_ABS:
    return 1;
  default:
    return 0; /* sign, floor, truth values */
  }
}

static double function_error(enum expr_operator operator_, const double *a, const double *e,
                             double value) {
  double own = DBL_EPSILON * fabs(value);
  switch (operator_) {
  case EXPR_POWER:
    if (a[0] == 0) return own;
    return own + fabs(value) * (fabs(a[1] / a[0]) * e[0] + fabs(log(fabs(a[0]))) * e[1]);
  case EXPR_ATAN2:
    return own + (fabs(a[1]) * e[0] + fabs(a[0]) * e[1]) / (a[0] * a[0] + a[1] * a[1]);
  case EXPR_MIN:
  case EXPR_MAX:
    return fmax(e[0], e[1]);
  case EXPR_MOD:
    return own + DBL_EPSILON * fabs(a[0]) + e[0] + fabs(floor(a[0] / a[1])) * e[1];
  case EXPR_IF:
    return a[0] != 0 ? e[1] : e[2];
  default:
    return own + (e[0] != 0 ? unary_slope(operator_, a[0], value) * e[0] : 0);
  }
}

static double step_error(const struct program *program, const struct program_step *step,
                         const double *values, const double *errors, double value) {
  switch (step->operator_) {
  case EXPR_SYMBOL:
    return 0;
  case EXPR_NUMBER:
    return DBL_EPSILON * fabs(value);
  case EXPR_SUM:
    return sum_error(program, step, values, errors);
  case EXPR_PRODUCT:
    return product_error(program, step, values, errors, value);
  default:
    break;
  }
  double a[3] = {0, 0, 0}, e[3] = {0, 0, 0};
  for (uint32_t i = 0; i < step->count && i < 3; i++) {
    a[i] = values[program->operands[step->first + i].step];
    e[i] = errors[program->operands[step->first + i].step];
  }
  return function_error((enum expr_operator)step->operator_, a, e, value);
}

void program_rounding(const struct program *program, const double *values, double *errors) {
  for (uint32_t i = 0; i < program->step_count; i++)
    errors[i] = step_error(program, &program->steps[i], values, errors, values[i]);
}
