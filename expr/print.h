/* Shared inside of the printers (print.c, print_text.c, print_latex.c, printer.c).
 *
 * Text is made by a loop over a stack of pieces: a piece is a string, a number or a node, and a
 * node is replaced by the pieces it consists of. So the depth of the graph costs no C stack. */
#ifndef DYN_EXPR_PRINT_H
#define DYN_EXPR_PRINT_H
#include "expr/graph.h"
#include "expr/printer.h"

/* How tightly a text binds, loosest first (language: if, or, and, not, relations, + -, * /,
 * unary -, ^, the rest). */
enum level {
  LEVEL_IF,
  LEVEL_OR,
  LEVEL_AND,
  LEVEL_NOT,
  LEVEL_RELATION,
  LEVEL_SUM,
  LEVEL_PRODUCT,
  LEVEL_POWER,
  LEVEL_ATOM
};

struct piece {
  const char *text; /* or NULL */
  expr node;        /* or 0: a number */
  uint32_t number;  /* node: printed times this; else the size of the number */
  uint8_t level;    /* brackets are needed around anything looser */
  bool unnamed;     /* write the node out although it has a name */
};

struct definition {
  expr node;
  const char *name;
};

/* What decides the order of terms and factors. */
struct node_info {
  uint32_t first_symbol, last_symbol; /* indices; UINT32_MAX and 0 if there are none */
  uint8_t rank;                       /* largest rank of its symbols */
};

struct expr_printer {
  struct expr_graph *graph;
  enum expr_format format;
  struct text *out;
  size_t limit, start;
  struct map index; /* node -> position in `infos` + 1 */
  VECTOR(struct node_info) infos;
  struct map names; /* node -> index in `labels` + 1 */
  struct arena arena;
  VECTOR(const char *) labels;
  VECTOR(struct definition) definitions;
  VECTOR(struct piece) stack;
  VECTOR(struct piece) pieces;
  struct expr_list roots;
};

/* ---- pieces of the node being taken apart, in reading order */
void put_string(struct expr_printer *printer, const char *text);
void put_node(struct expr_printer *printer, expr node, enum level level);
void put_scaled(struct expr_printer *printer, expr node, uint32_t number, enum level level);
void put_number(struct expr_printer *printer, uint32_t number);

/* ---- numbers: always without sign */
/* True if it is written without a fraction bar: 3, 9.81. */
bool number_is_plain(const struct expr_graph *graph, uint32_t number);
void number_print(const struct expr_graph *graph, struct text *out, uint32_t number, bool latex);

/* ---- products and sums taken apart in reading order */
struct print_factors {
  bool negative;
  uint32_t above, below; /* the numbers in front; NUMBER_ONE: none to print */
  VECTOR(struct expr_operand) numerators, denominators; /* with positive exponents */
  expr flipped; /* a sum to print with all signs turned, or 0 */
};
void factors_of(struct expr_printer *printer, expr product, uint32_t scale,
                struct print_factors *out);
void factors_free(struct print_factors *factors);
/* The terms in reading order, the constant last unless it must lead. The node 0 is the
 * constant. `scale` is 1 or -1. */
void terms_of(struct expr_printer *printer, expr sum, uint32_t scale, struct expr_operand **terms,
              uint32_t *count);
bool print_is_negative(const struct expr_graph *graph, uint32_t number);
uint32_t print_magnitude(struct expr_graph *graph, uint32_t number);

/* ---- the formats: the pieces of a node, brackets included where `level` asks for them */
void text_pieces(struct expr_printer *printer, struct piece piece);
void latex_pieces(struct expr_printer *printer, struct piece piece);
#endif
