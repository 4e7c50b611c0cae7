/* Components and imports, written out: the first pass, from the tree that was parsed, and those of
 * imported files, to one tree in which no component, instance, import or member call is left.
 *
 * A member x of an instance r is the plain name "r.x" there; instances in arrays and loops put
 * their indices before its own, so r[2].x[k] is the name "r.x" with the indices 2 and k. Loops are
 * kept: a component in a loop is written out once. All names inside a component get its prefix,
 * also those of indices, so that nothing is captured. Formals become declarations: constants where
 * the body needs them at compile time, parameters where they are made of parameters, else `let` or
 * points; frames and bodies are replaced by what is given. What stays are members that are no
 * declarations: .x of vectors, .mass of bodies and the like.
 *
 * Names of other files are written out if they are used. Spans of what a component says lie in a
 * view of its source, one for each instance (see base/source.h). */
#ifndef DYN_SEMA_FLATTEN_H
#define DYN_SEMA_FLATTEN_H
#include "parser/ast.h"

struct flattening;

/* NULL if the tree is flat already. Reports what is wrong with imports, components and instances,
 * and names in them. `library`: see import.h. Owned: flatten_free, after the model was made. */
struct flattening *flatten_model(dyn_context *context, const struct ast *ast, const char *library);
void flatten_free(struct flattening *flattening);
/* The tree that was made; owned by the flattening. */
const struct ast *flatten_ast(const struct flattening *flattening);
/* The same assignments, from the command line, in the names of the flat tree: statement by
 * statement. Left sides that name nothing are AST_ERROR, silently. Owned by the caller: ast_free.
 */
struct ast *flatten_assignments(struct flattening *flattening, const struct ast *ast);
#endif
