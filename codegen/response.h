/* Inside of program_derivative.c: sparse rows that depend on symbols directly and through unknowns
 * of linear systems, and how those unknowns answer to the symbols (program_response.c). */
#ifndef DYN_CODEGEN_RESPONSE_H
#define DYN_CODEGEN_RESPONSE_H
#include "codegen/program_build.h"

/* How the unknowns of a linear system answer to the columns. */
struct response {
  uint32_t size, columns, negated_from; /* the system's unknowns are negative from here on */
  bool *may_differ;                     /* size * columns */
  uint32_t *solved;                     /* columns: 1 + its place among the right sides, 0: none */
  uint32_t solved_count;
  tape_value *solution; /* size * solved_count, and one more */
};

struct link {
  uint32_t unknown;
  expr value;
};
/* Entries of a sparse matrix by rows, to be multiplied by a response. */
struct chain {
  const struct response *response; /* NULL: there is none */
  uint32_t *starts;                /* rows + 1 */
  VECTOR(struct link) links;
};

/* Rows that depend on the symbols directly and through responses. */
struct rows {
  uint32_t count, columns;
  const expr *direct; /* entry (row, column) at [row + column*stride] */
  size_t stride;
  struct chain chains[2];
};

/* Whether the entry may differ from 0. */
bool rows_may_differ(const struct system *system, const struct rows *rows, uint32_t row,
                     uint32_t column);
/* The entry, once the responses of its chains are solved for. */
tape_value rows_entry(const struct rows *rows, struct tape_builder *builder, uint32_t row,
                      uint32_t column);
/* The pattern of the response of a system with the negative `rows` as right sides; its matrix is
 * `mass`, with the constraints or without. `rows->chains` must be complete. */
void response_find(const struct system *system, const struct rows *rows, const expr *mass,
                   bool with_constraints, struct response *response);
void response_solve(const struct system *system, const struct rows *rows,
                    struct tape_builder *builder, uint32_t solver, struct response *response);
void response_clear(struct response *response);
/* `count` rows of a matrix with n columns, which stands by columns. */
void chain_from_matrix(const struct system *system, const expr *entries, size_t stride,
                       uint32_t count, const struct response *response, struct chain *chain);
void chain_clear(struct chain *chain);
#endif
