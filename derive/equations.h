/* Inside derive/: the equations of a system arranged for a reader, before they are printed in one
 * of the formats. */
#ifndef DYN_DERIVE_EQUATIONS_H
#define DYN_DERIVE_EQUATIONS_H
#include "derive/system.h"
#include "base/vector.h"
#include "expr/printer.h"

enum show_part {
  SHOW_ENERGIES = 1,
  SHOW_MOMENTA = 2,
  SHOW_INVARIANTS = 4,
  SHOW_MASS = 8,
  SHOW_FORCING = 16,
  SHOW_JACOBIAN = 32,
};

struct equation_line { /* left = right */
  expr left, right;
};

struct equations {
  struct system *system;
  unsigned show;                       /* of enum show_part */
  VECTOR(struct equation_line) motion; /* one for each coordinate */
  bool as_matrices; /* too long for a line each: print M and the forcing instead */
  expr dissipation; /* Rayleigh function, or 0 */
  expr lagrangian;  /* L = T - V, or 0 where T and V are known apart */
  struct expr_printer *printer;
  struct text *out;
};

/* Prints e with the names in force. */
static inline void equations_put(struct equations *equations, expr e) {
  expr_printer_print(equations->printer, equations->out, e);
}

void equations_print_text(struct equations *equations);
void equations_print_latex(struct equations *equations);
void equations_print_json(struct equations *equations);
#endif
