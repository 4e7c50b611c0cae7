/* Printing several expressions together, with names for the subexpressions they share. */
#ifndef DYN_EXPR_PRINTER_H
#define DYN_EXPR_PRINTER_H
#include "expr/expr.h"

enum expr_format { EXPR_TEXT, EXPR_LATEX };

/* A printer for the roots (and whatever is below them). Keep the graph's other walks out of the
 * way only while one of these functions runs. */
struct expr_printer *expr_printer_new(struct expr_graph *graph, enum expr_format format,
                                      const expr *roots, size_t count);
void expr_printer_free(struct expr_printer *printer);

/* The node is printed as this name from now on. `latex` may be NULL: made from the name. */
void expr_printer_name(struct expr_printer *printer, expr node, const char *name,
                       const char *latex);

/* Names what is large and used more than once: <prefix>1, <prefix>2, ... (names of symbols of the
 * graph are passed over). Small repeated parts, which a reader takes in at a glance, stay as they
 * are. Without this call, sharing can make printed text exponentially longer than the graph. */
void expr_printer_name_shared(struct expr_printer *printer, const char *prefix);

/* The names given by expr_printer_name_shared, each defined in terms of earlier ones only. */
uint32_t expr_printer_definition_count(const struct expr_printer *printer);
expr expr_printer_definition(const struct expr_printer *printer, uint32_t index, const char **name);

/* Prints e with the names in force. False if the text was cut at the limit (then it ends in
 * "..."). */
bool expr_printer_print(struct expr_printer *printer, struct text *out, expr e);
/* The same, but e itself is written out even if it has a name. */
bool expr_printer_print_body(struct expr_printer *printer, struct text *out, expr e);
/* Bytes that one call may add; the default is 4 MB. */
void expr_printer_limit(struct expr_printer *printer, size_t bytes);
#endif
