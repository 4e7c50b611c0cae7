/* LaTeX from the names of symbols. */
#ifndef DYN_EXPR_SYMBOL_LATEX_H
#define DYN_EXPR_SYMBOL_LATEX_H
#include "base/text.h"

/* θ -> \theta, theta -> \theta, θ_1 or θ₁ or θ[1] -> \theta_{1}, x' -> \dot{x},
 * leg.knee -> k.nee in upright letters, kinetic -> \mathit{kinetic}. */
void symbol_latex(struct text *out, const char *name);
#endif
