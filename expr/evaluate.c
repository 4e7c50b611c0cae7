/* Values in double precision, by the definitions of C's library. */
#include "expr/graph.h"
#include "expr/program.h"
#include <math.h>

static double integer_power(double base, long exponent) {
  double result = 1, square = base;
  for (unsigned long n = exponent < 0 ? -(unsigned long)exponent : (unsigned long)exponent; n != 0;
       n >>= 1, square *= square)
    if (n & 1) result *= square;
  return exponent < 0 ? 1 / result : result;
}

static double rational_power(double base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 0.5) return sqrt(base);
  if (exponent == -0.5) return 1 / sqrt(base);
  if (fabs(exponent) <= 64 && exponent == trunc(exponent))
    return integer_power(base, (long)exponent);
  return pow(base, exponent);
}

static double sum_value(const struct program *program, const struct program_step *step,
                        const double *values) {
  double sum = program->doubles[step->number];
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand term = program->operands[step->first + i];
    sum += program->doubles[term.number] * values[term.step];
  }
  return sum;
}

static double product_value(const struct program *program, const struct program_step *step,
                            const double *values) {
  double product = program->doubles[step->number];
  for (uint32_t i = 0; i < step->count; i++) {
    struct program_operand factor = program->operands[step->first + i];
    product *= rational_power(values[factor.step], program->doubles[factor.number]);
  }
  return product;
}

static double function_value(enum expr_operator operator_, double a, double b, double c) {
  switch (operator_) {
  case EXPR_PI:
    return 3.14159265358979323846;
  case EXPR_POWER:
    return pow(a, b);
  case EXPR_SIN:
    return sin(a);
  case EXPR_COS:
    return cos(a);
  case EXPR_TAN:
    return tan(a);
  case EXPR_ASIN:
    return asin(a);
  case EXPR_ACOS:
    return acos(a);
  case EXPR_ATAN:
    return atan(a);
  case EXPR_ATAN2:
    return atan2(a, b);
  case EXPR_SINH:
    return sinh(a);
  case EXPR_COSH:
    return cosh(a);
  case EXPR_TANH:
    return tanh(a);
  case EXPR_EXP:
    return exp(a);
  case EXPR_LOG:
    return log(a);
  case EXPR_ABS:
    return fabs(a);
  case EXPR_SIGN:
    return isnan(a) ? a : (a > 0) - (a < 0);
  case EXPR_MIN:
    return isnan(a) || isnan(b) ? a + b : a < b ? a : b;
  case EXPR_MAX:
    return isnan(a) || isnan(b) ? a + b : a > b ? a : b;
  case EXPR_MOD:
    return a - b * floor(a / b);
  case EXPR_FLOOR:
    return floor(a);
  case EXPR_LESS:
    return a < b;
  case EXPR_LESS_EQUAL:
    return a <= b;
  case EXPR_EQUAL:
    return a == b;
  case EXPR_AND:
    return a != 0 && b != 0;
  case EXPR_OR:
    return a != 0 || b != 0;
  case EXPR_NOT:
    return a == 0;
  case EXPR_TRUE:
    return 1;
  case EXPR_IF:
    return a != 0 ? b : c;
  default:
    return 0; /* FALSE */
  }
}

static double step_value(const struct program *program, const struct program_step *step,
                         const double *values) {
  switch (step->operator_) {
  case EXPR_NUMBER:
    return program->doubles[step->number];
  case EXPR_SUM:
    return sum_value(program, step, values);
  case EXPR_PRODUCT:
    return product_value(program, step, values);
  default:
    break;
  }
  double arguments[3] = {0, 0, 0};
  for (uint32_t i = 0; i < step->count && i < 3; i++)
    arguments[i] = values[program->operands[step->first + i].step];
  return function_value((enum expr_operator)step->operator_, arguments[0], arguments[1],
                        arguments[2]);
}

void program_evaluate(const struct program *program, const double *symbol_values, double *values) {
  for (uint32_t i = 0; i < program->step_count; i++) {
    const struct program_step *step = &program->steps[i];
    values[i] = step->operator_ == EXPR_SYMBOL ? symbol_values[step->symbol]
                                               : step_value(program, step, values);
  }
}

void expr_evaluate(struct expr_graph *graph, const expr *roots, size_t count,
                   double (*symbol_value)(void *user, expr symbol), void *user, double *out) {
  struct program program;
  program_make(&program, graph, roots, count);
  double *values = checked_malloc((program.step_count + 1) * sizeof *values);
  double *symbol_values = checked_malloc((program.symbol_count + 1) * sizeof *symbol_values);
  for (uint32_t i = 0; i < program.symbol_count; i++)
    symbol_values[i] = symbol_value(user, program.symbols[i]);
  program_evaluate(&program, symbol_values, values);
  for (size_t i = 0; i < count; i++) out[i] = values[program.roots[i]];
  free(values);
  free(symbol_values);
  program_clear(&program);
}
