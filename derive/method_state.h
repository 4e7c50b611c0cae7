/* The variables that a method integrates in place of velocities: their names, units and symbols. */
#ifndef DYN_DERIVE_METHOD_STATE_H
#define DYN_DERIVE_METHOD_STATE_H
#include "derive/system.h"

/* Gives the system n variables of this kind without names, units, symbols or values. */
void method_state_begin(struct system *system, enum system_variables kind);
/* Names variable j; texts are copied, `latex` NULL: made from the name. The variable gets its
 * symbol, and name' the symbol of its rate. */
void method_state_name(struct system *system, uint32_t j, const char *name, const char *latex,
                       const char *unit);
void method_state_clear(struct system *system);
/* Whether something in the model is called so, and a derived quantity may not be. */
bool method_state_is_taken(const struct model *model, const char *name);
#endif
