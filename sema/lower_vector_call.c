/* Built-in functions of vectors, points and frames.
 *
 * vel_on(B, P) = vel(O) + omega(B) x (P - O) is the velocity of the point of B which is at P now, O
 * being any point of B; the velocity of P seen from B, vel(P, B) = vel(P) - vel_on(B, P), is the
 * derivative in B of P - O (Kane & Levinson, Dynamics: Theory and Applications, sections 2.7, 2.8).
 * The second form finds the first: a wheel's velocity at its point of contact comes out of those of
 * that point, without the turns of the wheel that do not matter. */
#include "sema/lower.h"

struct call {
  struct lowering *l;
  const struct task *task;
  const struct ast_expression *node;
  const any_value *arguments;
  uint32_t count;
};

static ast_expr argument(const struct call *c, uint32_t i) {
  return ast_list_item(c->task->environment.text->ast, c->node->list, i);
}

static const char *words_of(const struct call *c, uint32_t i) {
  static const char *const ordinals[] = {"first", "second"};
  return c->count == 1 ? lower_words(c->l, "the argument of '%s'", c->node->name)
                       : lower_words(c->l, "the %s argument of '%s'", ordinals[i], c->node->name);
}

static vector_id vector_argument(const struct call *c, uint32_t i) {
  return lower_to_vector(c->l, c->task->environment, argument(c, i), c->arguments[i],
                         words_of(c, i));
}

static vector_id point_argument(const struct call *c, uint32_t i) {
  return lower_to_point(c->l, c->task->environment, argument(c, i), c->arguments[i],
                        words_of(c, i));
}

/* A frame or body; the world if it is not given. 0 if it is something else. */
static uint32_t frame_argument(const struct call *c, uint32_t i) {
  if (i >= c->count) return 1;
  return lower_to_frame(c->l, c->task->environment, argument(c, i), c->arguments[i],
                        words_of(c, i));
}

static vector_id rate(const struct call *c, vector_id v, frame_id in) {
  return lower_vector_rate(c->l, c->task->environment, c->node->span, v, in);
}

/* ---------------------------------------------------------------- motion */

/* Where a frame's origin is, or the mass centre of a body. */
static vector_id centre_of(const struct call *c, uint32_t i, uint32_t frame) {
  any_value v = i < c->count ? c->arguments[i] : 0;
  if (v != 0 && value_kind_of(v) == VALUE_BODY) return c->l->bodies.items[value_id(v)].at;
  return c->l->frames.items[frame].origin;
}

static vector_id velocity(const struct call *c) {
  vector_id point = point_argument(c, 0);
  uint32_t frame = frame_argument(c, 1);
  if (point == 0 || frame == 0) return 0;
  struct kinematics *k = lower_kinematics(c->l);
  return rate(c, vector_subtract(k, point, centre_of(c, 1, frame)),
              c->l->frames.items[frame].frame);
}

static vector_id velocity_on(const struct call *c) {
  uint32_t frame = frame_argument(c, 0);
  vector_id point = point_argument(c, 1);
  if (point == 0 || frame == 0) return 0;
  struct kinematics *k = lower_kinematics(c->l);
  frame_id turning = c->l->frames.items[frame].frame;
  vector_id centre = centre_of(c, 0, frame), arm = vector_subtract(k, point, centre);
  if (lower_has_rate(c->l, point, FRAME_WORLD) && lower_has_rate(c->l, arm, turning))
    return vector_subtract(k, rate(c, point, FRAME_WORLD), rate(c, arm, turning));
  vector_id moving = rate(c, centre, FRAME_WORLD);
  vector_id omega =
      lower_omega(c->l, c->task->environment, c->node->span, turning, FRAME_WORLD);
  return moving == 0 || omega == 0 ? 0 : vector_add(k, moving, vector_cross(k, omega, arm));
}

static vector_id angular(const struct call *c) {
  uint32_t of = frame_argument(c, 0), in = frame_argument(c, 1);
  if (of == 0 || in == 0) return 0;
  return lower_omega(c->l, c->task->environment, c->node->span, c->l->frames.items[of].frame,
                     c->l->frames.items[in].frame);
}

static vector_id derivative(const struct call *c) {
  vector_id v = vector_argument(c, 0);
  uint32_t frame = frame_argument(c, 1);
  return v == 0 || frame == 0 ? 0 : rate(c, v, c->l->frames.items[frame].frame);
}

/* ---------------------------------------------------------------- products */

static any_value product(const struct call *c, int function) {
  vector_id a = vector_argument(c, 0), b = vector_argument(c, 1);
  if (a == 0 || b == 0) return 0;
  struct kinematics *k = lower_kinematics(c->l);
  return function == BUILTIN_dot ? vector_dot(k, a, b)
                                 : value_of(VALUE_VECTOR, vector_cross(k, a, b));
}

static any_value length(const struct call *c, int function) {
  vector_id v = vector_argument(c, 0);
  if (v == 0) return 0;
  struct kinematics *k = lower_kinematics(c->l);
  expr norm = vector_norm(k, v);
  if (function == BUILTIN_norm) return norm;
  expr factor = lower_invert(c->l, c->task->environment, c->node->span, norm);
  return factor == 0 ? 0 : value_of(VALUE_VECTOR, vector_scale(k, factor, v));
}

/* As a vector in world with these components, so that .x, .y and .z are those in the frame. */
static any_value components(const struct call *c) {
  vector_id v = vector_argument(c, 0);
  uint32_t frame = frame_argument(c, 1);
  if (v == 0 || frame == 0) return 0;
  expr in_frame[3];
  struct kinematics *k = lower_kinematics(c->l);
  vector_components(k, v, c->l->frames.items[frame].frame, in_frame);
  return value_of(VALUE_VECTOR, vector_in(k, FRAME_WORLD, in_frame));
}

/* ---------------------------------------------------------------- all */

bool lower_is_vector_call(int function) {
  return function >= BUILTIN_vel && function <= BUILTIN_der;
}

any_value lower_vector_call(struct lowering *l, const struct task *task, int function,
                            const any_value *arguments, uint32_t count) {
  struct call c = {l, task, lower_node(task), arguments, count};
  if (l->is_early) { /* vectors move, or are made of what does */
    lower_report(l, task->environment, DIAG_NOT_COMPILE_TIME, c.node->span, "this", NULL, NULL);
    return 0;
  }
  switch (function) {
  case BUILTIN_vel:
    return value_of(VALUE_VECTOR, velocity(&c));
  case BUILTIN_vel_on:
    return value_of(VALUE_VECTOR, velocity_on(&c));
  case BUILTIN_acc:
    return value_of(VALUE_VECTOR,
                    rate(&c, rate(&c, point_argument(&c, 0), FRAME_WORLD), FRAME_WORLD));
  case BUILTIN_omega:
    return value_of(VALUE_VECTOR, angular(&c));
  case BUILTIN_alpha:
    return value_of(VALUE_VECTOR, rate(&c, angular(&c), FRAME_WORLD));
  case BUILTIN_dot:
  case BUILTIN_cross:
    return product(&c, function);
  case BUILTIN_norm:
  case BUILTIN_unit:
    return length(&c, function);
  case BUILTIN_components:
    return components(&c);
  default:
    return value_of(VALUE_VECTOR, derivative(&c));
  }
}
