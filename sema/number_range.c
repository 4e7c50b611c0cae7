/* Numbers that a run could not hold. The graph is exact, a run computes in double precision: what
 * is beyond it would be infinite or zero there, and is refused where it enters the model.
 *
 * Also the bound on the length of exact numbers, which is looked at while they are made: products
 * and sums of very many numbers would cost more and more with every step. */
#include "sema/analysis.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
  LONGEST_NUMBER = 1 << 14, /* binary digits above and below the fraction bar */
  SMALLEST_EXPONENT = DBL_MIN_EXP - DBL_MANT_DIG, /* of the smallest double, 2^-1074 */
};

/* ---------------------------------------------------------------- one number */

/* |value| against the least that rounds to infinity, or the most that rounds to 0. */
static int compare_limit(mpq_srcptr value, bool is_large) {
  mpq_t magnitude, limit;
  mpq_init(magnitude);
  mpq_init(limit);
  mpq_abs(magnitude, value);
  mpq_set_ui(limit, 1, 1);
  if (is_large) { /* 2^1024 - 2^970: half a place above the largest double */
    mpz_mul_2exp(mpq_numref(limit), mpq_numref(limit), DBL_MANT_DIG + 1);
    mpz_sub_ui(mpq_numref(limit), mpq_numref(limit), 1);
    mpz_mul_2exp(mpq_numref(limit), mpq_numref(limit), DBL_MAX_EXP - DBL_MANT_DIG - 1);
  } else { /* half of the smallest double, which rounds to 0 */
    mpz_mul_2exp(mpq_denref(limit), mpq_denref(limit), 1 - SMALLEST_EXPONENT);
  }
  int order = mpq_cmp(magnitude, limit);
  mpq_clear(magnitude);
  mpq_clear(limit);
  return order;
}

bool lower_number_fits(mpq_srcptr value) {
  long exponent = (long)mpz_sizeinbase(mpq_numref(value), 2) -
                  (long)mpz_sizeinbase(mpq_denref(value), 2); /* |value| within 2^(exponent -+ 1) */
  if (mpq_sgn(value) == 0) return true;
  if (exponent < DBL_MAX_EXP - 1 && exponent > SMALLEST_EXPONENT) return true;
  return exponent > 0 ? compare_limit(value, true) < 0 : compare_limit(value, false) > 0;
}

static bool is_long(mpq_srcptr value) {
  return mpz_sizeinbase(mpq_numref(value), 2) + mpz_sizeinbase(mpq_denref(value), 2) >
         LONGEST_NUMBER;
}

static expr refuse_long(struct lowering *l, const struct task *task) {
  lower_report_large(l, lower_node(task)->span,
                     "its exact numbers get more than 16384 binary digits");
  return 0;
}

expr lower_check_length(struct lowering *l, const struct task *task, expr value) {
  if (value == 0 || expr_graph_is_full(l->graph)) return value;
  enum expr_operator operator_ = expr_operator_of(l->graph, value);
  if (operator_ != EXPR_NUMBER && operator_ != EXPR_SUM && operator_ != EXPR_PRODUCT) return value;
  if (is_long(expr_constant(l->graph, value))) return refuse_long(l, task);
  uint32_t count;
  const struct expr_operand *operands = expr_operands(l->graph, value, &count);
  for (uint32_t i = 0; i < count; i++)
    if (is_long(expr_pool_number(l->graph, operands[i].number))) return refuse_long(l, task);
  return value;
}

expr lower_combine(struct lowering *l, const struct task *task, bool is_sum, expr *items,
                   uint32_t count) {
  expr numbers = 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    expr item = items[i];
    if (!expr_is_number(l->graph, item)) {
      items[kept++] = item;
    } else if (numbers == 0) {
      numbers = item;
    } else {
      numbers = is_sum ? expr_add(l->graph, numbers, item) : expr_multiply(l->graph, numbers, item);
      if (expr_graph_is_full(l->graph) || is_long(expr_constant(l->graph, numbers)))
        return refuse_long(l, task);
    }
  }
  if (numbers != 0) items[kept++] = numbers; /* kept < count: a place is free */
  expr value = is_sum ? expr_sum(l->graph, items, kept) : expr_product(l->graph, items, kept);
  return lower_check_length(l, task, value);
}

/* ---------------------------------------------------------------- the whole model */

struct number_check {
  struct analysis *a;
  uint32_t size;
  uint8_t *marks;  /* per node: reached, constant */
  uint32_t *cause; /* per node: the first node in it that no double holds, or 0 */
  double *values;  /* per node; of constants */
};

enum { REACHED = 1, CONSTANT = 2 };

struct number_root {
  expr value;
  struct span span;
  const char *what;
};

struct number_roots {
  struct number_root *items;
  uint32_t count, capacity;
};

static void add_root(struct number_roots *roots, expr value, struct span span, const char *what) {
  struct number_root root = {value, span, what};
  if (value != 0) vector_push(roots, root);
}

static void add_statements(struct analysis *a, struct number_roots *roots) {
  static const char *const energies[] = {"this kinetic energy", "this potential", "this Lagrangian",
                                         "this dissipation function"};
  const struct model *model = a->model;
  for (uint32_t i = 0; i < model->energies.count; i++)
    add_root(roots, model->energies.items[i].value, model->energies.items[i].span,
             energies[model->energies.items[i].kind]);
  for (uint32_t i = 0; i < model->forces.count; i++) {
    const struct model_force *force = &model->forces.items[i];
    add_root(roots, force->value, force->span, "this force");
    add_root(roots, force->target, force->target_span, "the target of this force");
  }
  for (uint32_t i = 0; i < model->conditions.count; i++)
    add_root(roots, model->conditions.items[i].residual, model->conditions.items[i].span,
             "this equation");
  for (uint32_t i = 0; i < model->constraints.count; i++)
    add_root(roots, model->constraints.items[i].residual, model->constraints.items[i].span,
             "this constraint");
  for (uint32_t i = 0; i < model->at.count; i++)
    add_root(roots, model->at.items[i].value, model->at.items[i].span, "this value");
}

static const char *words(struct analysis *a, const char *what, const struct model_name *id) {
  return lower_words(a->l, "%s '%s'", what, id->name);
}

static void add_names(struct analysis *a, struct number_roots *roots) {
  const struct model *model = a->model;
  for (uint32_t i = 0; i < model->parameters.count; i++) {
    const struct model_parameter *p = &model->parameters.items[i];
    add_root(roots, p->value, p->id.span, words(a, "the value of parameter", &p->id));
  }
  for (uint32_t i = 0; i < model->inputs.count; i++) {
    const struct model_input *u = &model->inputs.items[i];
    add_root(roots, u->value, u->id.span, words(a, "the value of input", &u->id));
  }
  for (uint32_t i = 0; i < model->coordinates.count; i++) {
    const struct model_coordinate *q = &model->coordinates.items[i];
    add_root(roots, q->start_position, q->start_position_span,
             words(a, "the start value of", &q->id));
    add_root(roots, q->start_velocity, q->start_velocity_span,
             words(a, "the start velocity of", &q->id));
  }
  for (uint32_t i = 0; i < model->states.count; i++) {
    const struct model_rate_state *z = &model->states.items[i];
    add_root(roots, z->start, z->id.span, words(a, "the start value of", &z->id));
    add_root(roots, z->rate, z->rate_span, words(a, "the rate of", &z->id));
  }
  for (uint32_t i = 0; i < model->outputs.count; i++)
    add_root(roots, model->outputs.items[i].value, model->outputs.items[i].id.span,
             words(a, "output", &model->outputs.items[i].id));
}

static void mark(struct number_check *c, const struct number_root *roots, uint32_t count) {
  struct expr_graph *graph = c->a->l->graph;
  for (uint32_t i = 0; i < count; i++) c->marks[roots[i].value] |= REACHED;
  for (expr e = c->size; e > 0; e--) {
    uint32_t operands;
    if ((c->marks[e] & REACHED) == 0) continue;
    const struct expr_operand *operand = expr_operands(graph, e, &operands);
    for (uint32_t i = 0; i < operands; i++) c->marks[operand[i].node] |= REACHED;
  }
  for (expr e = 1; e <= c->size; e++) {
    uint32_t operands;
    if ((c->marks[e] & REACHED) == 0 || expr_operator_of(graph, e) == EXPR_SYMBOL) continue;
    const struct expr_operand *operand = expr_operands(graph, e, &operands);
    uint8_t all = CONSTANT;
    for (uint32_t i = 0; i < operands; i++) all &= c->marks[operand[i].node];
    c->marks[e] |= all;
  }
}

static double no_symbol(void *user, expr symbol) {
  (void)user;
  (void)symbol;
  return NAN;
}

static void evaluate_constants(struct number_check *c) {
  struct expr_list list = {0};
  for (expr e = 1; e <= c->size; e++)
    if ((c->marks[e] & CONSTANT) != 0) vector_push(&list, e);
  double *values = checked_calloc((size_t)list.count + 1, sizeof *values);
  expr_evaluate(c->a->l->graph, list.items, list.count, no_symbol, NULL, values);
  for (uint32_t i = 0; i < list.count; i++) c->values[list.items[i]] = values[i];
  free(values);
  vector_free(&list);
}

/* Large powers of numbers stay powers: 2^65536 is a factor. */
static bool has_large_factor(const struct number_check *c, const struct expr_operand *factors,
                             uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    double base = c->values[factors[i].node];
    if ((c->marks[factors[i].node] & CONSTANT) == 0 || base == 0 || !isfinite(base)) continue;
    double power = pow(base, expr_pool_double(c->a->l->graph, factors[i].number));
    if (isinf(power) || power == 0) return true;
  }
  return false;
}

/* True if the node itself brings in what no double holds; its operands are fine. log(0) and the
 * like are not meant: they have no value at all. */
static bool is_beyond(const struct number_check *c, expr e) {
  struct expr_graph *graph = c->a->l->graph;
  enum expr_operator operator_ = expr_operator_of(graph, e);
  bool is_weighted = operator_ == EXPR_SUM || operator_ == EXPR_PRODUCT;
  uint32_t count;
  const struct expr_operand *operands = expr_operands(graph, e, &count);
  if ((is_weighted || operator_ == EXPR_NUMBER) && !lower_number_fits(expr_constant(graph, e)))
    return true;
  for (uint32_t i = 0; is_weighted && i < count; i++)
    if (!lower_number_fits(expr_pool_number(graph, operands[i].number))) return true;
  if (operator_ == EXPR_PRODUCT && has_large_factor(c, operands, count)) return true;
  if ((c->marks[e] & CONSTANT) == 0) return false;
  if (operator_ == EXPR_POWER && c->values[e] == 0 && c->values[operands[0].node] != 0) return true;
  if (!isinf(c->values[e]) || operator_ == EXPR_LOG) return false;
  for (uint32_t i = 0; i < count; i++)
    if (c->values[operands[i].node] == 0) return false; /* 0^-1 */
  return true;
}

static void find_causes(struct number_check *c) {
  for (expr e = 1; e <= c->size; e++) {
    uint32_t count;
    if ((c->marks[e] & REACHED) == 0) continue;
    const struct expr_operand *operands = expr_operands(c->a->l->graph, e, &count);
    for (uint32_t i = 0; i < count && c->cause[e] == 0; i++)
      c->cause[e] = c->cause[operands[i].node];
    if (c->cause[e] == 0 && is_beyond(c, e)) c->cause[e] = e;
  }
}

/* The constants named in the statement that no double holds. */
static void label_constants(struct number_check *c, struct diagnostic *d, struct span span) {
  struct lowering *l = c->a->l;
  const struct scope_text *text = &l->scope->model;
  uint32_t labels = 0;
  for (ast_expr e = 1; e < text->ast->expressions.count && labels < 3; e++) {
    const struct ast_expression *n = ast_expression(text->ast, e);
    bool is_inside = n->kind == AST_NAME && n->span.source == span.source &&
                     n->span.begin >= span.begin && n->span.end <= span.end;
    uint32_t entry = is_inside ? scope_entry_of(text, e) : 0;
    if (entry == 0 || scope_entry(l->scope, entry)->kind != NAME_CONST) continue;
    uint32_t id = lower_find_element(l, entry, NULL, 0);
    if (id == 0 || scope_entry(l->scope, entry)->rank != 0) continue;
    expr value = l->elements.items[id].result;
    if (value == 0 || value > c->size || c->cause[value] == 0) continue;
    diagnostic_label(l->context, d, scope_entry(l->scope, entry)->span, "by way of constant %s",
                     scope_entry(l->scope, entry)->name);
    labels++;
  }
}

/* From the name that a value was given for to the value, if it was given. */
static struct span find_place(const struct number_check *c, struct span name) {
  const struct lowering *l = c->a->l;
  for (uint32_t id = 1; id < l->elements.count; id++) {
    const struct element *e = &l->elements.items[id];
    const struct given *given[2] = {&e->value, &e->velocity};
    for (int i = 0; i < 2; i++) {
      struct span own = i == 0 ? e->item->name_span : e->velocity.span;
      bool is_same = own.source == name.source && own.begin == name.begin;
      if (is_same && given[i]->value != 0)
        return ast_expression(given[i]->environment.text->ast, given[i]->value)->span;
    }
  }
  return name;
}

static void report(struct number_check *c, const struct number_root *root) {
  struct lowering *l = c->a->l;
  struct span span = find_place(c, root->span);
  struct diagnostic *d = diagnostic_add(l->context, DIAG_NUMBER_NOT_DOUBLE, span, root->what, NULL);
  if (l->context->diagnostics.dropped > 0) return;
  struct text number = {0};
  expr_print_text(l->graph, &number, c->cause[root->value]);
  if (number.length <= 40) diagnostic_caption(l->context, d, "because of %s", text_string(&number));
  text_free(&number);
  label_constants(c, d, span);
}

void check_numbers(struct analysis *a) {
  struct number_roots roots = {0};
  add_statements(a, &roots);
  add_names(a, &roots);
  struct number_check c = {.a = a, .size = expr_graph_size(a->l->graph)};
  uint32_t statements = roots.count;
  /* Constants are looked at only to be named in messages. */
  for (uint32_t id = 1; id < a->l->elements.count; id++)
    if (a->l->elements.items[id].kind == NAME_CONST)
      add_root(&roots, a->l->elements.items[id].result, (struct span){0, 0, 0}, NULL);
  c.marks = checked_calloc((size_t)c.size + 1, sizeof *c.marks);
  c.cause = checked_calloc((size_t)c.size + 1, sizeof *c.cause);
  c.values = checked_calloc((size_t)c.size + 1, sizeof *c.values);
  mark(&c, roots.items, roots.count);
  evaluate_constants(&c);
  find_causes(&c);
  for (uint32_t i = 0; i < statements && a->context->diagnostics.dropped == 0; i++)
    if (c.cause[roots.items[i].value] != 0) report(&c, &roots.items[i]);
  free(c.marks);
  free(c.cause);
  free(c.values);
  vector_free(&roots);
}
