/* The interpreter: one loop over the instructions. Values live behind the tape's own workspace. */
#include "codegen/kernels.h"
#include "codegen/sines.h"
#include "codegen/taylor.h"
#include <math.h>
#include <string.h>

uint32_t tape_interpreter_work(const struct tape *tape) {
  return tape->work + tape->code.count;
}

static double input(const struct tape_arguments *arguments, uint32_t array, uint32_t index) {
  switch (array) {
  case TAPE_ARRAY_X:
    return arguments->x[index];
  case TAPE_ARRAY_U:
    return arguments->u[index];
  case TAPE_ARRAY_P:
    return arguments->p[index];
  default:
    return arguments->t;
  }
}

static double evaluate(const struct tape_instruction *i, double a, double b) {
  switch ((enum tape_operation)i->operation) {
  case TAPE_POW:
    return pow(a, b);
  case TAPE_SIN:
    return i->b != 0 ? sines_sine(a) : sin(a);
  case TAPE_COS:
    return i->b != 0 ? sines_cosine(a) : cos(a);
  case TAPE_TAN:
    return tan(a);
  case TAPE_ASIN:
    return asin(a);
  case TAPE_ACOS:
    return acos(a);
  case TAPE_ATAN:
    return atan(a);
  case TAPE_ATAN2:
    return atan2(a, b);
  case TAPE_SINH:
    return sinh(a);
  case TAPE_COSH:
    return cosh(a);
  case TAPE_TANH:
    return tanh(a);
  case TAPE_EXP:
    return exp(a);
  case TAPE_LOG:
    return log(a);
  case TAPE_ABS:
    return fabs(a);
  case TAPE_SIGN:
    return a > 0 ? 1 : a < 0 ? -1 : 0;
  case TAPE_MIN:
    return b < a ? b : a;
  case TAPE_MAX:
    return a < b ? b : a;
  case TAPE_MOD:
    return a - b * floor(a / b);
  case TAPE_FLOOR:
    return floor(a);
  default:
    return 0; /* the others are in tape_run */
  }
}

static void store_values(const double *value, const tape_value *from, size_t count, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = value[from[i]];
}

/* Instructions of solvers and memory. Returns 0 or 1 + unknown. */
static int run_effect(const struct tape *tape, const struct tape_arguments *arguments,
                      const struct tape_instruction *i, const double *v) {
  double *work = arguments->work;
  switch (i->operation) {
  case TAPE_STORE:
    (i->b == TAPE_ARRAY_OUT ? arguments->out : work)[i->c] = v[i->a];
    return 0;
  case TAPE_CLEAR:
    memset((i->a == TAPE_ARRAY_OUT ? arguments->out : work) + i->b, 0, i->c * sizeof(double));
    return 0;
  case TAPE_KEEP:
    taylor_keep(work + i->b, i->c, (uint32_t)arguments->t, v[i->a]);
    return 0;
  case TAPE_LEAVE:
    return (int)v[i->a];
  case TAPE_FACTOR:
    return kernel_factor(&tape->solvers.items[i->b], work);
  case TAPE_GUARD_FACTOR: {
    const struct tape_solver *solver = &tape->solvers.items[i->b];
    if (v[i->a] != 0) return 0;
    if (solver->is_careful)
      return tape_run_plain(tape->careful, arguments->t, arguments->x, arguments->u, arguments->p,
                            work + tape->careful_work, work + tape->careful_out);
    store_values(v, solver->values, (size_t)solver->n * solver->n, work + solver->matrix);
    return kernel_factor(solver, work);
  }
  default:
    break;
  }
  const struct tape_right_side *side = &tape->right_sides.items[i->b];
  const struct tape_solver *solver = &tape->solvers.items[side->solver];
  if (i->operation == TAPE_GUARD_SUBSTITUTE) {
    if (v[i->a] != 0 || solver->is_careful) return 0;
    store_values(v, side->values, (size_t)solver->n * side->columns, work + side->offset);
  }
  return kernel_substitute(solver, side, work);
}

static double solution(const struct tape *tape, const struct tape_arguments *arguments,
                       const struct tape_instruction *i, const double *v) {
  const struct tape_right_side *side = &tape->right_sides.items[i->b];
  bool is_fast = v[tape->solvers.items[side->solver].ok] != 0;
  return is_fast ? v[i->a] : arguments->work[side->offset + i->c];
}

int tape_run(const struct tape *tape, const struct tape_arguments *arguments) {
  double *v = arguments->work + tape->work;
  for (uint32_t k = 0; k < tape->code.count; k++) {
    const struct tape_instruction *i = &tape->code.items[k];
    switch ((enum tape_operation)i->operation) {
    case TAPE_CONSTANT:
      v[k] = i->number;
      break;
    case TAPE_INPUT:
      v[k] = input(arguments, i->a, i->b);
      break;
    case TAPE_ADD:
      v[k] = v[i->a] + v[i->b];
      break;
    case TAPE_SUBTRACT:
      v[k] = v[i->a] - v[i->b];
      break;
    case TAPE_MULTIPLY:
      v[k] = v[i->a] * v[i->b];
      break;
    case TAPE_DIVIDE:
      v[k] = v[i->a] / v[i->b];
      break;
    case TAPE_NEGATE:
      v[k] = -v[i->a];
      break;
    case TAPE_SQRT:
      v[k] = sqrt(v[i->a]);
      break;
    case TAPE_LESS:
      v[k] = v[i->a] < v[i->b];
      break;
    case TAPE_LESS_EQUAL:
      v[k] = v[i->a] <= v[i->b];
      break;
    case TAPE_EQUAL:
      v[k] = v[i->a] == v[i->b];
      break;
    case TAPE_AND:
      v[k] = v[i->a] != 0 && v[i->b] != 0;
      break;
    case TAPE_OR:
      v[k] = v[i->a] != 0 || v[i->b] != 0;
      break;
    case TAPE_NOT:
      v[k] = v[i->a] == 0;
      break;
    case TAPE_TRUE:
      v[k] = 1;
      break;
    case TAPE_FALSE:
      v[k] = 0;
      break;
    case TAPE_SELECT:
      v[k] = v[i->a] != 0 ? v[i->b] : v[i->c];
      break;
    case TAPE_LOAD:
      v[k] = arguments->work[i->b];
      break;
    case TAPE_DOT:
      v[k] = taylor_dot(arguments->work + i->b, arguments->work + i->c, (uint32_t)arguments->t);
      break;
    case TAPE_SOLUTION:
      v[k] = solution(tape, arguments, i, v);
      break;
    default:
      if (tape_operation_has_effect(i->operation)) {
        int failure = run_effect(tape, arguments, i, v);
        if (failure != 0) return failure;
      } else {
        v[k] = evaluate(i, v[i->a], tape_facts[i->operation].operands > 1 ? v[i->b] : 0);
      }
    }
  }
  return 0;
}

int32_t tape_run_plain(const struct tape *tape, double t, const double *x, const double *u,
                       const double *p, double *work, double *out) {
  struct tape_arguments arguments = {.t = t, .x = x, .u = u, .p = p, .work = work, .out = out};
  return tape_run(tape, &arguments);
}
