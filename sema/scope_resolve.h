/* Resolving expressions; shared by the two files that do it. */
#ifndef DYN_SEMA_SCOPE_RESOLVE_H
#define DYN_SEMA_SCOPE_RESOLVE_H
#include "sema/scope_private.h"

enum wanted { /* what may stand at a node */
              WANT_NUMBER,
              WANT_TRUTH,
              WANT_VALUES, /* a number, or a tuple of them for the elements of an array */
              WANT_TEXT,   /* a text, or (reported elsewhere) anything else */
              WANT_ARRAY,  /* the name of an array whose elements are counted by the index around it
                            */
              WANT_CONSTRAINT,  /* the name of a constraint, or an element of one */
              WANT_CONSTRAINTS, /* the name of an array of them, before its index */
              WANT_NOTHING /* stands in something that was refused */
};

struct resolver {
  struct scope *scope;
  struct scope_text *text;
  uint8_t *wanted;         /* per expression, while it is resolved */
  VECTOR(uint32_t) locals; /* entries of the inner scopes, innermost last */
  uint32_t visible;        /* locals before this one lie outside of the function being read */
  uint32_t function;       /* the entry of the function whose body this is, or 0 */
  struct scope_edges calls;
};

/* Resolves one expression (0: nothing is done). */
void resolve_expression(struct resolver *r, ast_expr e, enum wanted wanted);
/* `multiplier(c)` at e: what its argument is, and may not be. */
void resolve_multiplier(struct resolver *r, ast_expr e, int function);
/* The entry of a name as seen from inside: locals first; 0: none. */
uint32_t resolve_find(const struct resolver *r, const char *name);
/* One slip, one message: what is below is not looked at, what is above takes it as broken. */
void resolve_refuse(struct resolver *r, ast_expr e);
void resolve_want(struct resolver *r, ast_expr e, enum wanted wanted);
/* A new local; it hides outer names, but not predeclared ones. */
uint32_t resolve_add_local(struct resolver *r, enum name_kind kind, const char *name,
                           struct span span);
#endif
