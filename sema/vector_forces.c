/* Forces at points and torques: their virtual powers F.(vel(P) - vel(Q)) and M.(omega(B) - omega(A))
 * are sums over components, each of which is a generalized force on a speed (Kane & Levinson,
 * Dynamics: Theory and Applications, section 4.4). Components are taken in the frame in which the
 * force and the velocity meet with the least work.
 *
 * A force is on the line through both points, or it turns what it should only pull together: action
 * and reaction then are a couple, which is warned of. */
#include "sema/analysis.h"
#include <math.h>

struct load { /* a force or torque, and the velocity that it does work on */
  struct analysis *a;
  const struct job *job;
  vector_id value, speed;
};

static struct span span_of(const struct job *job, ast_expr e) {
  return ast_expression(job->environment.text->ast, e)->span;
}

/* ---------------------------------------------------------------- components */

/* Where both have few parts. */
static frame_id frame_of(const struct load *load) {
  struct kinematics *k = load->a->model->kinematics;
  frame_id one = vector_frame(k, load->value), two = vector_frame(k, load->speed);
  if (one == two) return one;
  return vector_frame(k, vector_add(k, load->value, load->speed));
}

/* What moves only because a state does, or time passes, does no virtual work. */
static expr without_rates(const struct load *load, expr target) {
  struct analysis *a = load->a;
  if (find_other_role(a->l, target, ~role_bit(ROLE_RATE)) == 0) return target;
  struct expr_substitution *none = expr_substitution_new(a->l->graph);
  for (uint32_t i = 0; i < a->model->states.count; i++)
    expr_substitution_add(none, a->model->states.items[i].derivative,
                          expr_integer(a->l->graph, 0));
  target = expr_substitution_of(none, target);
  expr_substitution_free(none);
  return target;
}

static void report_idle(const struct load *load) {
  const struct job *job = load->job;
  bool is_torque = job->statement->kind == AST_TORQUE;
  struct diagnostic *d =
      lower_report(load->a->l, job->environment, DIAG_FORCE_WITHOUT_MOTION,
                   span_of(job, job->statement->target), is_torque ? "torque" : "force",
                   is_torque                    ? "nothing turns here"
                   : job->statement->source != 0 ? "the points do not move against each other"
                                                 : "the point does not move",
                   NULL);
  (void)d;
}

static void add_components(const struct load *load) {
  struct analysis *a = load->a;
  const struct ast_statement *statement = load->job->statement;
  frame_id frame = frame_of(load);
  expr values[3], speeds[3];
  bool is_moving = false;
  vector_components(a->model->kinematics, load->value, frame, values);
  vector_components(a->model->kinematics, load->speed, frame, speeds);
  for (int i = 0; i < 3; i++) {
    expr target = without_rates(load, speeds[i]);
    is_moving = is_moving || find_other_role(a->l, target, ~role_bit(ROLE_VELOCITY)) != 0;
    if (lower_is_zero(a->l, values[i]) || lower_is_zero(a->l, target)) continue;
    struct model_force force = {
        .label = statement->label.name != NULL ? statement->label.name : "",
        .value = values[i],
        .target = target,
        .target_is_speed = true,
        .span = statement->span,
        .target_span = span_of(load->job, statement->target)};
    vector_push(&a->model->forces, force);
  }
  if (!is_moving) report_idle(load);
}

/* ---------------------------------------------------------------- couples */

static double value_at(void *user, expr symbol) {
  return 0.25 + (double)(hash_mix(symbol + *(const uint64_t *)user) >> 40) / (double)(1u << 24);
}

/* Not collinear at some states; numbers decide, it is only a warning. */
static bool is_couple(const struct load *load, vector_id arm) {
  struct analysis *a = load->a;
  struct kinematics *k = a->model->kinematics;
  vector_id turn = vector_cross(k, arm, load->value);
  frame_id frame = vector_frame(k, turn);
  expr parts[9];
  double values[9];
  vector_components(k, turn, frame, parts);
  vector_components(k, arm, frame, parts + 3);
  vector_components(k, load->value, frame, parts + 6);
  for (uint64_t round = 0; round < 3; round++) {
    expr_evaluate(a->l->graph, parts, 9, value_at, &round, values);
    double turned = hypot(hypot(values[0], values[1]), values[2]);
    double product = hypot(hypot(values[3], values[4]), values[5]) *
                     hypot(hypot(values[6], values[7]), values[8]);
    if (isfinite(turned) && isfinite(product) && turned > 1e-9 * product) return true;
  }
  return false;
}

static void check_couple(const struct load *load, vector_id target, vector_id source) {
  struct analysis *a = load->a;
  vector_id arm = vector_subtract(a->model->kinematics, target, source);
  if (arm == VECTOR_ZERO || load->value == VECTOR_ZERO || !is_couple(load, arm)) return;
  struct diagnostic *d =
      lower_report(a->l, load->job->environment, DIAG_NET_COUPLE,
                   span_of(load->job, load->job->statement->value), NULL, NULL, NULL);
  if (d != NULL)
    diagnostic_help(a->context, d,
                    "a force between two points has the direction of P - Q, such as k*(Q - P)");
}

/* ---------------------------------------------------------------- what it acts on */

/* A point; a body means where it is. */
static vector_id point_of(struct analysis *a, const struct job *job, ast_expr e, const char *what) {
  any_value v = lower_value(a->l, job->environment, e);
  if (v != 0 && value_kind_of(v) == VALUE_BODY) return a->l->bodies.items[value_id(v)].at;
  return lower_to_point(a->l, job->environment, e, v, what);
}

static void lower_force_at(struct load *load) {
  struct analysis *a = load->a;
  const struct job *job = load->job;
  ast_expr from = job->statement->source;
  vector_id target = point_of(a, job, job->statement->target, "what a force acts on");
  vector_id source = from == 0 ? VECTOR_ZERO
                               : point_of(a, job, from, "what the reaction to a force acts on");
  if (load->value == 0 || target == 0 || source == 0) return;
  vector_id one = lower_vector_rate(a->l, job->environment, span_of(job, job->statement->target),
                                    target, FRAME_WORLD);
  vector_id two = from == 0 ? VECTOR_ZERO
                            : lower_vector_rate(a->l, job->environment, span_of(job, from), source,
                                                FRAME_WORLD);
  if (one == 0 || two == 0) return;
  load->speed = vector_subtract(a->model->kinematics, one, two);
  add_components(load);
  if (from != 0) check_couple(load, target, source);
}

static uint32_t frame_operand(struct analysis *a, const struct job *job, ast_expr e,
                              const char *what) {
  return lower_to_frame(a->l, job->environment, e, lower_value(a->l, job->environment, e), what);
}

static void lower_torque(struct load *load) {
  struct analysis *a = load->a;
  const struct job *job = load->job;
  ast_expr from = job->statement->source;
  uint32_t target = frame_operand(a, job, job->statement->target, "what a torque acts on");
  uint32_t source =
      from == 0 ? 1 : frame_operand(a, job, from, "what the reaction to a torque acts on");
  if (load->value == 0 || target == 0 || source == 0) return;
  load->speed = lower_omega(a->l, job->environment, span_of(job, job->statement->target),
                            a->l->frames.items[target].frame, a->l->frames.items[source].frame);
  if (load->speed != 0) add_components(load);
}

/* ---------------------------------------------------------------- all */

void lower_vector_force(struct analysis *a, const struct job *job) {
  bool is_torque = job->statement->kind == AST_TORQUE;
  ast_expr e = job->statement->value;
  lower_kinematics(a->l);
  struct load load = {a, job,
                      lower_to_vector(a->l, job->environment, e,
                                      lower_value(a->l, job->environment, e),
                                      is_torque ? "a torque" : "a force at a point"),
                      0};
  if (is_torque)
    lower_torque(&load);
  else
    lower_force_at(&load);
}
