/* The recurrences of Taylor coefficients: for each operation of a tape, the instructions that make
 * coefficient k of its value from those of its operands and from lower ones of its own. Source:
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, I.8; Griewank, Walther,
 * Evaluating Derivatives, 13.2, whose tables are for v = f(u) with coefficients u_k, v_k. All
 * follow from v' a = b u' with series a, b of lower operations: k times coefficient k of v' a is
 * the sum of j v_j a_(k-j) over j = 1 .. k, of which the term j = k has the unknown. */
#include "base/bug.h"
#include "codegen/taylor_build.h"

static tape_value binary(struct taylor_maker *maker, enum tape_operation operation, tape_value a,
                         tape_value b) {
  return builder_binary(&maker->order, operation, a, b);
}

/* a + b and a - b of coefficients that may be 0. */
static tape_value plus(struct taylor_maker *maker, tape_value a, tape_value b) {
  if (a == NO_VALUE || b == NO_VALUE) return a == NO_VALUE ? b : a;
  return binary(maker, TAPE_ADD, a, b);
}

static tape_value minus(struct taylor_maker *maker, tape_value a, tape_value b) {
  if (b == NO_VALUE) return a;
  if (a == NO_VALUE) return builder_unary(&maker->order, TAPE_NEGATE, b);
  return binary(maker, TAPE_SUBTRACT, a, b);
}

static tape_value times(struct taylor_maker *maker, tape_value a, tape_value b) {
  if (a == NO_VALUE || b == NO_VALUE) return NO_VALUE;
  return binary(maker, TAPE_MULTIPLY, a, b);
}

/* The sum of j a_j b_(k-j) over j = 1 .. k-1, over k. */
static tape_value mean_sum(struct taylor_maker *maker, tape_value a, tape_value b) {
  return times(maker, maker->reciprocal, taylor_weighted_sum(maker, a, b));
}

/* v' = c u', whatever the sign of c: coefficient k without the sign. */
static tape_value integral(struct taylor_maker *maker, tape_value c, tape_value u) {
  tape_value first = times(maker, taylor_at_start(maker, c), taylor_coefficient(maker, u));
  return plus(maker, first, mean_sum(maker, u, c));
}

/* v' c = u' (or -u'). */
static tape_value integral_over(struct taylor_maker *maker, tape_value v, tape_value c,
                                tape_value u, bool is_negative) {
  tape_value first = taylor_coefficient(maker, u), rest = mean_sum(maker, v, c);
  if (is_negative) first = minus(maker, NO_VALUE, first);
  return times(maker, minus(maker, first, rest), taylor_inverse(maker, c));
}

tape_value taylor_product(struct taylor_maker *maker, tape_value a, tape_value b) {
  tape_value left = taylor_coefficient(maker, a), right = taylor_coefficient(maker, b);
  tape_value ends;
  if (a == b)
    ends = times(
        maker, binary(maker, TAPE_ADD, taylor_at_start(maker, a), taylor_at_start(maker, a)), left);
  else
    ends = plus(maker, left == NO_VALUE ? left : times(maker, left, taylor_at_start(maker, b)),
                right == NO_VALUE ? right : times(maker, taylor_at_start(maker, a), right));
  if (left == NO_VALUE || right == NO_VALUE) return ends;
  return plus(maker, taylor_sum(maker, a, b), ends);
}

/* v b = a */
static tape_value quotient(struct taylor_maker *maker, tape_value v, tape_value a, tape_value b) {
  tape_value top = taylor_coefficient(maker, a), bottom = taylor_coefficient(maker, b);
  if (bottom != NO_VALUE) {
    top = minus(maker, top, taylor_sum(maker, v, b));
    top = minus(maker, top, times(maker, taylor_at_start(maker, v), bottom));
  }
  return times(maker, top, taylor_inverse(maker, b));
}

/* v v = u */
static tape_value root(struct taylor_maker *maker, tape_value v, tape_value u) {
  tape_value top = minus(maker, taylor_coefficient(maker, u), taylor_sum(maker, v, v));
  tape_value half =
      binary(maker, TAPE_MULTIPLY, builder_constant(&maker->order, 0.5), taylor_inverse(maker, v));
  return times(maker, top, half);
}

/* v' u = r u' v for a constant exponent r. */
static tape_value constant_power(struct taylor_maker *maker, tape_value v, tape_value u,
                                 tape_value exponent) {
  tape_value r = taylor_at_start(maker, exponent);
  tape_value first = times(maker, taylor_coefficient(maker, u), taylor_at_start(maker, v));
  tape_value sum = times(maker, r, plus(maker, first, mean_sum(maker, u, v)));
  return times(maker, minus(maker, sum, mean_sum(maker, v, u)), taylor_inverse(maker, u));
}

/* v' w = x y' - y x' for the angle v of (x, y) and w = x^2 + y^2. */
static tape_value direction(struct taylor_maker *maker, tape_value v, tape_value y, tape_value x) {
  tape_value w = taylor_value_at(maker, v)->helper;
  tape_value top = minus(maker, integral(maker, x, y), integral(maker, y, x));
  return times(maker, minus(maker, top, mean_sum(maker, v, w)), taylor_inverse(maker, w));
}

static tape_value choice(struct taylor_maker *maker, const struct tape_instruction *i) {
  struct tape_builder *b = &maker->order;
  tape_value zero = builder_constant(b, 0);
  tape_value then = taylor_coefficient(maker, i->b), otherwise = taylor_coefficient(maker, i->c);
  return builder_select(b, taylor_truth(maker, i->a), then == NO_VALUE ? zero : then,
                        otherwise == NO_VALUE ? zero : otherwise);
}

/* t = t0 + scale s */
static tape_value of_time(struct taylor_maker *maker) {
  struct tape_builder *b = &maker->order;
  tape_value scale = builder_effect(b, TAPE_LOAD, TAPE_ARRAY_WORK, maker->taylor->scale, 0);
  tape_value is_first = binary(maker, TAPE_EQUAL, maker->order_number, builder_constant(b, 1));
  return builder_select(b, is_first, scale, builder_constant(b, 0));
}

static tape_value of_input(struct taylor_maker *maker, const struct tape_instruction *i) {
  struct tape_builder *b = &maker->order;
  if (i->a == TAPE_ARRAY_X) return builder_input(b, TAPE_ARRAY_X, i->b);
  if (i->a == TAPE_ARRAY_TIME) return of_time(maker);
  return times(maker, builder_input(b, TAPE_ARRAY_U, i->b),
               taylor_coefficient(maker, maker->inputs.items[i->b]));
}

bool taylor_has_series(enum tape_operation operation) {
  return operation < TAPE_ABS || operation == TAPE_SELECT;
}

tape_value taylor_recurrence(struct taylor_maker *maker, tape_value v) {
  struct tape_instruction i = maker->start.tape->code.items[v];
  tape_value helper = taylor_value_at(maker, v)->helper;
  if (taylor_system_of(maker, v) != NULL) return taylor_solve(maker, v);
  switch ((enum tape_operation)i.operation) {
  case TAPE_INPUT:
    return of_input(maker, &i);
  case TAPE_ADD:
    return plus(maker, taylor_coefficient(maker, i.a), taylor_coefficient(maker, i.b));
  case TAPE_SUBTRACT:
    return minus(maker, taylor_coefficient(maker, i.a), taylor_coefficient(maker, i.b));
  case TAPE_NEGATE:
    return minus(maker, NO_VALUE, taylor_coefficient(maker, i.a));
  case TAPE_MULTIPLY:
    return taylor_product(maker, i.a, i.b);
  case TAPE_DIVIDE:
    return quotient(maker, v, i.a, i.b);
  case TAPE_SQRT:
    return root(maker, v, i.a);
  case TAPE_POW:
    if (helper == NO_VALUE) return constant_power(maker, v, i.a, i.b);
    return integral(maker, v, helper); /* v = exp(helper) */
  case TAPE_SIN:                       /* the helper is the cosine */
  case TAPE_SINH:
  case TAPE_COSH:
    return integral(maker, helper, i.a);
  case TAPE_COS: /* the sine */
    return minus(maker, NO_VALUE, integral(maker, helper, i.a));
  case TAPE_EXP:
    return integral(maker, v, i.a);
  case TAPE_TAN: /* v' = u' + v^2 u', the helper is v^2 */
    return plus(maker, taylor_coefficient(maker, i.a), integral(maker, helper, i.a));
  case TAPE_TANH: /* v' = u' - v^2 u' */
    return minus(maker, taylor_coefficient(maker, i.a), integral(maker, helper, i.a));
  case TAPE_LOG: /* v' u = u' */
    return integral_over(maker, v, i.a, i.a, false);
  case TAPE_ASIN: /* v' sqrt(1 - u^2) = u' */
  case TAPE_ATAN: /* v' (1 + u^2) = u' */
    return integral_over(maker, v, helper, i.a, false);
  case TAPE_ACOS:
    return integral_over(maker, v, helper, i.a, true);
  case TAPE_ATAN2:
    return direction(maker, v, i.a, i.b);
  case TAPE_SELECT:
    return choice(maker, &i);
  default:
    bug("taylor: no recurrence for %s", tape_facts[i.operation].text);
  }
}

/* ---- values besides */

static tape_value square(struct tape_builder *b, tape_value a) {
  return builder_binary(b, TAPE_MULTIPLY, a, a);
}

tape_value taylor_add_helper(struct taylor_maker *maker, tape_value v) {
  struct tape_builder *b = &maker->start;
  struct tape_instruction i = b->tape->code.items[v];
  tape_value one = builder_constant(b, 1);
  switch ((enum tape_operation)i.operation) {
  case TAPE_SIN:
    return builder_unary(b, TAPE_COS, i.a);
  case TAPE_COS:
    return builder_unary(b, TAPE_SIN, i.a);
  case TAPE_SINH:
    return builder_unary(b, TAPE_COSH, i.a);
  case TAPE_COSH:
    return builder_unary(b, TAPE_SINH, i.a);
  case TAPE_TAN:
  case TAPE_TANH:
    return square(b, v);
  case TAPE_ASIN:
  case TAPE_ACOS: /* as a product: without cancellation near 1 */
    return builder_unary(b, TAPE_SQRT,
                         builder_binary(b, TAPE_MULTIPLY,
                                        builder_binary(b, TAPE_SUBTRACT, one, i.a),
                                        builder_binary(b, TAPE_ADD, one, i.a)));
  case TAPE_ATAN:
    return builder_binary(b, TAPE_ADD, one, square(b, i.a));
  case TAPE_ATAN2:
    return builder_binary(b, TAPE_ADD, square(b, i.a), square(b, i.b));
  case TAPE_POW:
    if (!taylor_value_at(maker, i.b)->varies) return NO_VALUE;
    return builder_binary(b, TAPE_MULTIPLY, i.b, builder_unary(b, TAPE_LOG, i.a));
  default:
    return NO_VALUE;
  }
}
