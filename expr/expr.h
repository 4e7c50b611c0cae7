/* Scalar expressions: one hash-consed graph. A node is a 32-bit id; children have smaller ids
 * than their parents, so a pass is a loop with a memo array. Equal expressions have equal ids
 * after canonical construction (the converse does not hold: see expr_is_zero).
 *
 * Numbers are exact rationals of any size. Sums are  c0 + c1*t1 + c2*t2 + ...  with rational
 * coefficients and distinct terms that are neither numbers, sums nor scaled products; products
 * are  c * b1^e1 * b2^e2 * ...  with rational exponents and distinct bases. Constructors fold
 *   sin^2 + cos^2, cos a cos b + sin a sin b (and the other three angle sums), like terms, like
 *   bases, sin(-a), cos(-a), exact values at rational multiples of pi, constants.
 * Sums of more than 512 operands and products of more than 64 count as single operands of other
 * sums and products, so that rows of partial sums stay linear. Numbers beyond 2^18 bits make the
 * graph full; powers of numbers beyond 4096 bits stay powers.
 * They never change a value where the original is defined, except that x/x and x^a*x^-a are 1.
 *
 * No concept of the language is known here: symbols are opaque leaves with a name for printing. */
#ifndef DYN_EXPR_EXPR_H
#define DYN_EXPR_EXPR_H
#include "base/text.h"
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t expr; /* 0 is "none" */
struct expr_graph;

enum expr_operator {
#define EXPR_OPERATOR(name, arity, text, latex) EXPR_##name,
#include "expr/operators.def"
#undef EXPR_OPERATOR
  EXPR_OPERATOR_COUNT
};

/* A term of a sum (coefficient * node) or a factor of a product (node ^ coefficient). */
struct expr_operand {
  expr node;
  uint32_t number; /* id of a rational in the graph's pool */
};

/* `node_limit` bounds the graph (0: the default of 20 million nodes). Once it is full,
 * expr_graph_is_full stays true and constructors answer the number 0 instead of making nodes;
 * callers check between steps and report a model that is too large. */
struct expr_graph *expr_graph_new(uint32_t node_limit);
void expr_graph_free(struct expr_graph *graph);
bool expr_graph_is_full(const struct expr_graph *graph);
uint32_t expr_graph_size(const struct expr_graph *graph); /* ids are 1 .. size */

/* ---- leaves */
expr expr_integer(struct expr_graph *graph, long value);
expr expr_ratio(struct expr_graph *graph, long numerator, long denominator);
expr expr_rational(struct expr_graph *graph, const mpq_t value);
/* The exact value of a decimal literal "12.5e-3". 0 if the exponent is beyond +-10000. */
expr expr_decimal(struct expr_graph *graph, const char *digits);
expr expr_double(struct expr_graph *graph, double value); /* exact; must be finite */
expr expr_pi(struct expr_graph *graph);
/* A new leaf, different from all others; `name` and `latex` (or NULL: made from the name,
 * θ_1 -> \theta_{1}, θ' -> \dot{\theta}) are copied. */
expr expr_symbol(struct expr_graph *graph, const char *name, const char *latex);

/* Where a symbol stands in printed products and sums: k*x, not x*k. Ties go by order of creation.
 * A new symbol is a parameter, or what the primes of its name say. */
enum expr_rank {
  EXPR_RANK_PARAMETER,
  EXPR_RANK_COORDINATE,
  EXPR_RANK_VELOCITY,
  EXPR_RANK_ACCELERATION
};
void expr_symbol_set_rank(struct expr_graph *graph, expr symbol, enum expr_rank rank);

/* ---- arithmetic */
expr expr_sum(struct expr_graph *graph, const expr *terms, size_t count);
expr expr_product(struct expr_graph *graph, const expr *factors, size_t count);
expr expr_add(struct expr_graph *graph, expr a, expr b);
expr expr_subtract(struct expr_graph *graph, expr a, expr b);
expr expr_negate(struct expr_graph *graph, expr a);
expr expr_multiply(struct expr_graph *graph, expr a, expr b);
expr expr_divide(struct expr_graph *graph, expr a, expr b);
expr expr_power(struct expr_graph *graph, expr base, expr exponent);
expr expr_power_ratio(struct expr_graph *graph, expr base, long numerator, long denominator);
expr expr_sqrt(struct expr_graph *graph, expr a);

/* ---- functions, relations, choices. Relations and connectives are truth values: only
 * operands of EXPR_IF, EXPR_AND, EXPR_OR, EXPR_NOT. */
expr expr_unary(struct expr_graph *graph, enum expr_operator operator_, expr a);
expr expr_binary(struct expr_graph *graph, enum expr_operator operator_, expr a, expr b);
expr expr_if(struct expr_graph *graph, expr condition, expr then, expr otherwise);

/* ---- looking at nodes */
enum expr_operator expr_operator_of(const struct expr_graph *graph, expr e);
/* The operands of a sum or product (not its constant) and, for other operators, the arguments in
 * order with number 0. Valid until the next constructor. */
const struct expr_operand *expr_operands(const struct expr_graph *graph, expr e, uint32_t *count);
/* Sum: its constant term; product: its coefficient; number: itself. */
mpq_srcptr expr_constant(const struct expr_graph *graph, expr e);
mpq_srcptr expr_pool_number(const struct expr_graph *graph, uint32_t number);
double expr_pool_double(const struct expr_graph *graph, uint32_t number); /* nearest double */
double expr_nearest_double(mpq_srcptr value); /* of any canonical fraction */
bool expr_is_number(const struct expr_graph *graph, expr e);
bool expr_is_integer_value(const struct expr_graph *graph, expr e, long value);
bool expr_is_truth(const struct expr_graph *graph, expr e); /* a relation or connective */
/* True if e is a constant integer that fits a long. */
bool expr_get_long(const struct expr_graph *graph, expr e, long *value);
const char *expr_symbol_name(const struct expr_graph *graph, expr symbol);
const char *expr_symbol_latex(const struct expr_graph *graph, expr symbol);

/* ---- derivatives: forward, memoised over every expression asked of one tangent */
struct expr_tangent;
struct expr_tangent *expr_tangent_new(struct expr_graph *graph);
void expr_tangent_seed(struct expr_tangent *tangent, expr symbol, expr derivative);
/* The sum over symbols of (partial of e by symbol) * seed. abs, sign, min, max, floor, mod and if
 * are differentiated piecewise. */
expr expr_tangent_of(struct expr_tangent *tangent, expr e);
void expr_tangent_free(struct expr_tangent *tangent);
expr expr_derivative(struct expr_graph *graph, expr e, expr symbol);

/* All partial derivatives of e by `count` symbols, at once: out[i] is that by symbols[i]. For many
 * symbols they are shorter together than one by one, and look different. */
void expr_gradient(struct expr_graph *graph, expr e, const expr *symbols, size_t count, expr *out);

/* ---- substitution, memoised like tangents; replacements are not themselves searched */
struct expr_substitution;
struct expr_substitution *expr_substitution_new(struct expr_graph *graph);
void expr_substitution_add(struct expr_substitution *substitution, expr symbol, expr replacement);
expr expr_substitution_of(struct expr_substitution *substitution, expr e);
void expr_substitution_free(struct expr_substitution *substitution);

/* ---- which symbols */
struct expr_symbol_set; /* a set of symbols with memoised answers */
struct expr_symbol_set *expr_symbol_set_new(struct expr_graph *graph);
void expr_symbol_set_add(struct expr_symbol_set *set, expr symbol);
bool expr_symbol_set_touches(struct expr_symbol_set *set, expr e); /* e depends on one of them */
void expr_symbol_set_free(struct expr_symbol_set *set);
/* Appends the symbols that the roots depend on, each once, in order of id. */
struct expr_list {
  expr *items;
  uint32_t count, capacity;
};
void expr_symbols_of(struct expr_graph *graph, const expr *roots, size_t count,
                     struct expr_list *out);
/* Number of nodes reachable from the roots. */
uint32_t expr_reachable_count(struct expr_graph *graph, const expr *roots, size_t count);

/* ---- linear parts: e = sum_i coefficients[i]*symbols[i] + rest with coefficients and rest free
 * of the symbols. False (outputs undefined) if e is not of that form structurally. */
bool expr_linear_parts(struct expr_graph *graph, expr e, const expr *symbols, size_t count,
                       expr *coefficients, expr *rest);

/* ---- values */
/* Values of count roots; `symbol_value(user, symbol)` gives the leaves. Truth values are 0 or 1. */
void expr_evaluate(struct expr_graph *graph, const expr *roots, size_t count,
                   double (*symbol_value)(void *user, expr symbol), void *user, double *out);

/* ---- is it zero? Exact where the graph shows it, else in ball arithmetic (module dyn_prover,
 * opened on demand) at random rational points with precision rising to `bits`. NO is a proof
 * (some ball stays away from zero at a point where all is defined); YES is structural or exact
 * rational-function arithmetic; UNDECIDED means "not refuted at `points` points to `bits` bits". */
enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_UNDECIDED };
struct zero_test {
  uint32_t points, bits; /* wanted; 0: 8 points, 512 bits */
  uint64_t seed;
  bool only_refutes; /* no exact arithmetic, which may take long: for who asks for NO alone */
  uint32_t points_used, bits_used; /* filled in */
  const char *failure; /* why the prover could not be opened (then UNDECIDED), or NULL */
};
enum verdict expr_is_zero(struct expr_graph *graph, expr e, struct zero_test *test);

/* The rank of a rows x columns matrix (entry (i, j) at [i + j*rows]) at points in general
 * position. `rank` is certified from below: the minor of the pivot rows and columns does not
 * vanish identically. `believed`: no point tried gave more, so it is taken for the rank; false if
 * the prover could not be opened or all points were undefined. */
struct rank_result {
  uint32_t rank;
  bool believed;
  uint32_t *pivot_rows, *pivot_columns; /* `rank` of each, pairwise, in order of elimination */
};
struct rank_result expr_matrix_rank(struct expr_graph *graph, const expr *entries, uint32_t rows,
                                    uint32_t columns, struct zero_test *test);
void rank_result_clear(struct rank_result *result);

/* ---- the same on a manifold: the set of points where all `equations` vanish. Every symbol that
 * the equations or the matrix depend on is a coordinate of the space; the guess says where to look
 * (symbols that are to keep their value exactly must be substituted before). Points are random
 * ones near the guess, brought to the manifold by Newton's method in doubles, then to `bits` bits
 * in ball arithmetic with a proof of existence (Krawczyk's test) for an independent subset of the
 * equations; the others then vanish there to all bits. */
struct expr_manifold {
  const expr *equations;
  uint32_t count;
  double (*guess)(void *user, expr symbol);
  void *user;
};
struct manifold_rank {
  /* As expr_matrix_rank: certified from below, a minor is proven nonzero at a point; believed if
   * the points agree and what is left besides the pivots vanishes there to all bits. Without the
   * prover (test->failure) it is that of doubles, and never believed. */
  struct rank_result rank;
  bool has_point;          /* false: no point was found or proven; rank and equations_rank are 0 */
  uint32_t equations_rank; /* independent equations there */
  /* count entries: the equation's gradient vanishes at the points found in doubles, as for
   * (x - y)^2 = 0. No point can be proven with such an equation, unless the others imply it: the
   * manifold is then that of the others, and has_point, rank, equations_rank speak of that one.
   * An equation that another one only touches (x = 0 with x = y^2) is none of these: there
   * has_point is false while the residuals in `nearest` are rounding. */
  bool *has_no_gradient;
  bool *is_implied; /* count entries: has none, but vanishes at the proven points of the others */
  /* Without a point: count residuals at the best point found; NAN where the equations were defined
   * at no start. With a point NULL. */
  double *nearest;
  /* With a point: one of them in doubles. Symbols that are not here are free. */
  expr *symbols;
  double *values;
  uint32_t symbol_count;
};
/* manifold->count may be 0: then it is expr_matrix_rank, and has_point says that it could be done
 * (arrays are NULL). */
struct manifold_rank expr_matrix_rank_on(struct expr_graph *graph,
                                         const struct expr_manifold *manifold, const expr *entries,
                                         uint32_t rows, uint32_t columns, struct zero_test *test);
void manifold_rank_clear(struct manifold_rank *result);
/* n x n, column by column. NO: proven regular at some point; YES: proven singular everywhere;
 * UNDECIDED: singular at all points tried (or none could be, see test->failure, points_used). */
enum verdict expr_determinant_is_zero(struct expr_graph *graph, const expr *matrix, uint32_t n,
                                      struct zero_test *test);

/* ---- printing: expr/printer.h prints several expressions with names for shared parts */
struct expr_printer;
void expr_print_text(struct expr_graph *graph, struct text *out, expr e);
void expr_print_latex(struct expr_graph *graph, struct text *out, expr e);
#endif
