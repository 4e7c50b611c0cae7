/* What an expression of the language can be: a number, or one of the things of mechanics. A value
 * is an id whose high bits tell its kind; a number is the expression itself. 0 is the value of what
 * is wrong, which was reported. Private to sema. */
#ifndef DYN_SEMA_VALUE_H
#define DYN_SEMA_VALUE_H
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t any_value;

enum value_kind {
  VALUE_SCALAR,     /* expr: a number or a truth value */
  VALUE_VECTOR,     /* vector_id */
  VALUE_POINT,      /* vector_id: from the origin to it */
  VALUE_FRAME,      /* into lowering->frames */
  VALUE_BODY,       /* into lowering->bodies: a body or particle */
  VALUE_TUPLE,      /* into lowering->tuples: (a, b, c) without a frame */
  VALUE_CONSTRAINT, /* an element: in multiplier(...) and reaction(...) only */
  VALUE_EQUATION,   /* into lowering->equations: a whole constraint along several axes */
};

/* Expressions have ids below 2^25 (expr_graph_new's default limit); the others are fewer. */
enum { VALUE_SHIFT = 28 };

static inline enum value_kind value_kind_of(any_value v) {
  return (enum value_kind)(v >> VALUE_SHIFT);
}
static inline uint32_t value_id(any_value v) {
  return v & ((1u << VALUE_SHIFT) - 1);
}
static inline any_value value_of(enum value_kind kind, uint32_t id) {
  return id == 0 ? 0 : (uint32_t)kind << VALUE_SHIFT | id;
}
static inline bool value_is_scalar(any_value v) {
  return v >> VALUE_SHIFT == 0;
}
#endif
