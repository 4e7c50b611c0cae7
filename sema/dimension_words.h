/* Words for messages about dimensions: how quantities are called, where their units come from, and
 * which slip may be behind a difference. */
#ifndef DYN_SEMA_DIMENSION_WORDS_H
#define DYN_SEMA_DIMENSION_WORDS_H
#include "sema/dimension_private.h"

/* "m^2", "a pure number"; in the definition of a function "m*[x]" with an argument x. */
const char *words_of_form(struct walk *w, const struct form *form);
/* The same of an expression; an angle that is only named keeps its radians. */
const char *words_of_quantity(struct walk *w, const struct quantity *quantity);
/* "in m^2", "a pure number" */
const char *words_in_form(struct walk *w, const struct form *form);
const char *words_in_quantity(struct walk *w, const struct quantity *quantity);
/* The expression as written, if that is short; else NULL. */
const char *words_as_written(struct walk *w, ast_expr e);
/* The first term of a sum: its dimension is that of the sum. */
ast_expr words_leading_term(struct walk *w, ast_expr e);

/* Labels an operand with its unit, "l2^2 [m^2]", and the names in it with their declarations. */
void words_label(struct walk *w, struct diagnostic *d, const struct quantity *quantity);
/* Labels the names in an expression. */
void words_label_names(struct walk *w, struct diagnostic *d, ast_expr e);
/* A help line for a common slip in `e`, which is `actual` and should be `expected`. False if none
 * is seen. */
bool words_suggest(struct walk *w, struct diagnostic *d, ast_expr e, const struct form *actual,
                   const struct form *expected);
/* The same for a vector: the number without a unit may be a factor of a unit vector. */
bool words_suggest_load(struct walk *w, struct diagnostic *d, const struct quantity *value,
                        const struct form *expected);
/* The same for a sum in brackets that a factor stands before: m*(l^2 + J). */
bool words_suggest_bracket(struct walk *w, struct diagnostic *d, ast_expr sum,
                           const struct form *first, const struct form *second);
#endif
