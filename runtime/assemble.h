/* assemble.h: how the outcome of assembly is told. */
#ifndef DYN_RUNTIME_ASSEMBLE_H
#define DYN_RUNTIME_ASSEMBLE_H
#include "dyn/dyn_runtime.h"

/* Sets status and message of a conflict from assembly->failed, all of one level. */
dyn_status assembly_set_conflict(const dyn_model *model, dyn_assembly *assembly);

#endif
