/* Exact values at random points, modulo the prime 2^61 - 1: rational functions of the symbols, and
 * sines and cosines of integer combinations of symbols that occur nowhere else.
 *
 * An angle symbol θ gets a point with rational sine and cosine, tan(θ/2D) = t for an integer t (D
 * clears the denominators), so every value is a rational number; where it is not 0 modulo the
 * prime it is not 0. pi counts as one more symbol: it is transcendental, so an expression that
 * does not vanish for one rational value in its place does not vanish. */
#ifndef DYN_EXPR_MODULAR_H
#define DYN_EXPR_MODULAR_H
#include "expr/program.h"

struct modular; /* a program found fit for this arithmetic */

/* NULL if the program needs more. The program must outlive the result. */
struct modular *modular_new(const struct program *program);
void modular_free(struct modular *modular);
/* Residues of the roots at the point that the seed chooses; false if one is undefined there. */
bool modular_evaluate(struct modular *modular, uint64_t seed, uint64_t *roots);

uint64_t modular_multiply(uint64_t a, uint64_t b);
uint64_t modular_subtract(uint64_t a, uint64_t b);
uint64_t modular_inverse(uint64_t a); /* a not 0 */
#endif
