/* Resolving expressions; shared by the two files that do it. */
#ifndef DYN_SEMA_SCOPE_RESOLVE_H
#define DYN_SEMA_SCOPE_RESOLVE_H
#include "sema/scope_private.h"

enum wanted {              /* what may stand at a node */
              WANT_NUMBER, /* a number, vector, point, frame or body: lowering tells them apart */
              WANT_TRUTH,
              WANT_VALUES,     /* one of them, or a tuple for the elements of an array */
              WANT_TUPLE,      /* a tuple of numbers: an inertia, Euler parameters */
              WANT_COMPONENTS, /* a tuple before `in` */
              WANT_TEXT,       /* a text, or (reported elsewhere) anything else */
              WANT_ARRAY, /* the name of an array whose elements are counted by the index around it
                           */
              WANT_CONSTRAINT,  /* the name of a constraint, an element or a component of one */
              WANT_WHOLE,       /* the same, but all axes and components together */
              WANT_CONSTRAINTS, /* the name of an array of them, before its index */
              WANT_NOTHING      /* stands in something that was refused */
};

struct resolver {
  struct scope *scope;
  struct scope_text *text;
  uint8_t *wanted;         /* per expression, while it is resolved */
  VECTOR(uint32_t) locals; /* entries of the inner scopes, innermost last */
  uint32_t visible;        /* locals before this one lie outside of the function being read */
  uint32_t function;       /* the entry of the function whose body this is, or 0 */
  struct scope_edges calls;
  bool in_axis; /* of a rotation: x, y and z are the axes of the frame being turned */
};

/* Resolves one expression (0: nothing is done). */
void resolve_expression(struct resolver *r, ast_expr e, enum wanted wanted);
/* `multiplier(c)` or `reaction(c)` at e: what its argument is, and may not be. */
void resolve_multiplier(struct resolver *r, ast_expr e, int function);
/* The entry of a name as seen from inside: locals first; 0: none. */
uint32_t resolve_find(const struct resolver *r, const char *name);
/* One slip, one message: what is below is not looked at, what is above takes it as broken. */
void resolve_refuse(struct resolver *r, ast_expr e);
void resolve_want(struct resolver *r, ast_expr e, enum wanted wanted);
void resolve_want_list(struct resolver *r, struct ast_list list, enum wanted wanted);
/* The entry of the name in x, x[i], x.a.b', ...; 0 if there is no name, or it is unknown. */
uint32_t resolve_base(const struct resolver *r, ast_expr e);
/* True if a name that e is made of is unknown or broken, which is reported elsewhere. */
bool resolve_is_silent(const struct resolver *r, ast_expr e);

/* ---- scope_vector.c */
/* True if the name at e is that of an axis, which is then noted. */
bool resolve_axis(struct resolver *r, ast_expr e);
void resolve_member(struct resolver *r, ast_expr e, enum wanted wanted);
void resolve_member_call(struct resolver *r, ast_expr e);
/* A frame (or one of an array of them) by Euler parameters. */
bool resolve_is_oriented(const struct resolver *r, const struct name_entry *entry);
void resolve_tuple(struct resolver *r, ast_expr e, enum wanted wanted);
/* ---- scope_body.c: statements, behind their labels' indices */
void resolve_frame(struct resolver *r, const struct ast_statement *statement);
void resolve_body(struct resolver *r, const struct ast_statement *statement);
/* A new local; it hides outer names, but not predeclared ones. */
uint32_t resolve_add_local(struct resolver *r, enum name_kind kind, const char *name,
                           struct span span);
#endif
