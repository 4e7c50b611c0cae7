/* Sines and cosines of angles that are ready together. Where a tape wants several of them, they are
 * arithmetic rather than calls of the C library, so that machine code makes four at a time. It is
 * arithmetic without fused operations: interpreter, machine code and object files for any processor
 * give the same bits.
 *
 * k = x/(pi/2) rounded to an integer and r = x - k pi/2, within +-pi/4; k modulo 4 tells which of
 * sine and cosine is to be taken of r, and its sign. pi/2 is the sum of four doubles, the first
 * three of 33 bits: their products with k < 2^20 are exact, and the errors of subtracting them are
 * kept, so that r = high + low to some 130 bits behind the point. There the Taylor series to r^17
 * and r^16 are exact to 0.02 units in the last place. Results are within 1. Larger angles, and what
 * is not finite, go to the C library. Source: Muller, Elementary Functions, 3rd ed., 11.2 (additive
 * range reduction, Cody and Waite) and 11.3. */
#ifndef DYN_CODEGEN_SINES_H
#define DYN_CODEGEN_SINES_H
#include "codegen/tape.h"

#define SINES_LARGEST 0x1p20
#define SINES_ROUNDER 0x1.8p52 /* added to a number, it rounds it to an integer in the last bits   \
                                */
#define SINES_TWO_BY_PI 0x1.45f306dc9c883p-1
enum { SINES_GROUP = 4, SINES_PARTS = 4, SINES_TERMS = 8, COSINES_TERMS = 7 };
extern const double sines_half_pi[SINES_PARTS];   /* their sum is pi/2 */
extern const double sines_terms[SINES_TERMS];     /* of r^3, r^5, ... */
extern const double cosines_terms[COSINES_TERMS]; /* of r^4, r^6, ... */

double sines_sine(double angle);
double sines_cosine(double angle);

/* Gathers sines and cosines of the tape into groups: 1, 2, ... in `b` of the instructions; 0: by
 * the C library. The angles of a group, up to SINES_GROUP, are ready where its first member stands:
 * by instructions that are ready themselves (below). */
void sines_group(struct tape *tape);
/* Whether an instruction whose operands are ready can be done at once: cheap arithmetic. */
bool sines_can_be_early(enum tape_operation operation);
#endif
