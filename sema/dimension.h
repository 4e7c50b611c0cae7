/* Dimensions of a whole model: inferred and checked on the text as the user wrote it, before
 * loops are expanded or anything is transformed, so that errors speak of the user's own terms.
 *
 * Every declared name has one dimension (an array one for all its elements; arguments of functions
 * have one per call). Names without a unit are unknowns of a linear system over the exponents,
 * whose equations are the operators, functions and statements of the model. What nothing determines
 * is a pure number. A model whose own text writes only angles, angular rates and units in
 * `simulate` (or none at all) is dimensionless: nothing is checked, units only convert. Needs a
 * scope; names that it refused are silent here. */
#ifndef DYN_SEMA_DIMENSION_H
#define DYN_SEMA_DIMENSION_H
#include "sema/model.h"
#include "sema/scope.h"
#include "sema/unit.h"

struct dimension_table;

/* Checks the file of the scope and reports every independent fault. Never NULL.
 * Owned: dimension_table_free (strings live in the context's arena). */
struct dimension_table *dimension_check(const struct scope *scope);
void dimension_table_free(struct dimension_table *table);
bool dimension_is_dimensionless(const struct dimension_table *table);

/* What a unit bracket of the file or of a checked command-line text means: for AST_UNIT nodes.
 * Never NULL; a unit that was refused is the pure number. */
const struct unit *dimension_unit(const struct dimension_table *table, const struct ast_unit *unit);

/* The unit of a name (a scope entry), or of its `primes`th time derivative: as declared where a
 * declaration has one, else the SI unit that its use implied. */
struct unit dimension_of_name(const struct dimension_table *table, uint32_t entry, unsigned primes);
/* The unit in which a bare value of this item is read, and that an output is shown in: its own,
 * else that of the name (for `coord x [deg] = 0, x' = 1`: deg/s). */
struct unit dimension_of_item(const struct dimension_table *table, uint32_t entry,
                              const struct ast_item *item);
/* The unit of the multiplier of a constraint: of energy, or of power if it contains velocities, per
 * unit of the constraint. */
struct unit dimension_of_multiplier(const struct dimension_table *table, uint32_t entry,
                                    bool has_velocity);
struct model_unit dimension_model_unit(struct expr_graph *graph, const struct unit *unit);

/* Checks assignments given on the command line (the text resolved by scope_resolve_text): the right
 * sides against the dimension of the names. False if faults were reported. */
bool dimension_check_assignments(struct dimension_table *table, const struct scope_text *text);

/* The rows of `dyn check`, one for each declared name, in order of declaration: *rows is in the
 * context's arena. */
uint32_t dimension_rows(const struct dimension_table *table, struct model_dimension_row **rows);
#endif
