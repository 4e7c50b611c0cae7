/* Is an expression zero? In rising order of cost: by its form; by its value modulo a prime at
 * random points (a proof that it is not zero, for what modular.h covers); by exact polynomial
 * arithmetic and ball arithmetic in the module dyn_prover, which is opened only then. */
#include "base/module.h"
#include "expr/graph.h"
#include "expr/modular.h"
#include "expr/prover.h"

enum { DEFAULT_POINTS = 8, DEFAULT_BITS = 512, MODULAR_POINTS = 4 };

const struct prover *prover_open(const char **reason) {
  union {
    void *object;
    dyn_prover_function *function;
  } entry = {module_open("dyn_prover", reason)};
  if (entry.object == NULL) return NULL;
  const struct prover *prover = entry.function();
  if (prover->version == PROVER_VERSION) return prover;
  *reason = "it belongs to another version of this program";
  return NULL;
}

struct prover_question zero_test_question(const struct zero_test *test) {
  return (struct prover_question){.points = test->points != 0 ? test->points : DEFAULT_POINTS,
                                  .bits = test->bits != 0 ? test->bits : DEFAULT_BITS,
                                  .seed = test->seed};
}

/* True: proven not to be zero. */
static bool is_nonzero_modular(const struct program *program, struct zero_test *test) {
  struct modular *modular = modular_new(program);
  bool nonzero = false;
  for (uint32_t i = 0; modular != NULL && i < MODULAR_POINTS && !nonzero; i++) {
    uint64_t value;
    if (!modular_evaluate(modular, test->seed + i, &value)) continue;
    nonzero = value != 0;
    test->points_used++;
  }
  modular_free(modular);
  return nonzero;
}

static enum verdict ask_prover(const struct program *program, struct zero_test *test) {
  const struct prover *prover = prover_open(&test->failure);
  if (prover == NULL) return VERDICT_UNDECIDED;
  struct prover_question question = zero_test_question(test);
  bool nonzero = prover->is_nonzero(program, &question);
  test->points_used = question.points_used;
  test->bits_used = question.bits_used;
  if (nonzero) return VERDICT_NO;
  if (test->only_refutes) return VERDICT_UNDECIDED;
  return prover->is_exactly_zero(program) ? VERDICT_YES : VERDICT_UNDECIDED;
}

enum verdict expr_is_zero(struct expr_graph *graph, expr e, struct zero_test *test) {
  test->points_used = test->bits_used = 0;
  test->failure = NULL;
  if (e == ID_ZERO) return VERDICT_YES;
  enum expr_operator operator_ = node_operator(graph, e);
  if (operator_ == EXPR_NUMBER || operator_ == EXPR_SYMBOL || operator_ == EXPR_PI)
    return VERDICT_NO;
  struct program program;
  program_make(&program, graph, &e, 1);
  enum verdict verdict = VERDICT_NO;
  if (!is_nonzero_modular(&program, test)) verdict = ask_prover(&program, test);
  program_clear(&program);
  return verdict;
}
