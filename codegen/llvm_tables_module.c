/* The constant `const dyn_model <prefix>_model` of an object file: the same struct as in
 * dyn_model.h, field by field. Its layout follows from the target's C rules, as the header's does.
 */
#include "codegen/llvm_ir.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static LLVMValueRef private_constant(struct ir *ir, LLVMValueRef value, const char *name) {
  LLVMValueRef global = LLVMAddGlobal(ir->module, LLVMTypeOf(value), name);
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, 1);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  return global;
}

static LLVMValueRef text(struct ir *ir, const char *string) {
  if (string == NULL) return LLVMConstNull(ir->ptr);
  return private_constant(ir, LLVMConstStringInContext2(ir->context, string, strlen(string), 0),
                          "text");
}

static LLVMValueRef array(struct ir *ir, LLVMTypeRef type, LLVMValueRef *items, size_t count) {
  if (count == 0) return LLVMConstNull(ir->ptr);
  return private_constant(ir, LLVMConstArray2(type, items, count), "table");
}

static LLVMValueRef variables(struct ir *ir, const dyn_variable *items, int32_t count) {
  LLVMTypeRef fields[5] = {ir->ptr, ir->ptr, ir->ptr, ir->f64, ir->i32};
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, fields, 5, 0);
  LLVMValueRef *values = checked_calloc((size_t)count + 1, sizeof(LLVMValueRef));
  for (int32_t i = 0; i < count; i++) {
    LLVMValueRef field[5] = {text(ir, items[i].name), text(ir, items[i].unit),
                             text(ir, items[i].doc), ir_real(ir, items[i].value),
                             ir_code(ir, (int32_t)items[i].flags)};
    values[i] = LLVMConstStructInContext(ir->context, field, 5, 0);
  }
  LLVMValueRef table = array(ir, type, values, (size_t)count);
  free(values);
  return table;
}

static LLVMValueRef invariants(struct ir *ir, const dyn_invariant *items, int32_t count) {
  LLVMTypeRef fields[2] = {ir->ptr, ir->ptr};
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, fields, 2, 0);
  LLVMValueRef *values = checked_calloc((size_t)count + 1, sizeof(LLVMValueRef));
  for (int32_t i = 0; i < count; i++) {
    LLVMValueRef field[2] = {text(ir, items[i].name), text(ir, items[i].unit)};
    values[i] = LLVMConstStructInContext(ir->context, field, 2, 0);
  }
  LLVMValueRef table = array(ir, type, values, (size_t)count);
  free(values);
  return table;
}

static LLVMValueRef conditions(struct ir *ir, const dyn_condition *items, int32_t count) {
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, &ir->ptr, 1, 0);
  LLVMValueRef *values = checked_calloc((size_t)count + 1, sizeof(LLVMValueRef));
  for (int32_t i = 0; i < count; i++) {
    LLVMValueRef field = text(ir, items[i].text);
    values[i] = LLVMConstStructInContext(ir->context, &field, 1, 0);
  }
  LLVMValueRef table = array(ir, type, values, (size_t)count);
  free(values);
  return table;
}

static LLVMValueRef constraints(struct ir *ir, const dyn_constraint *items, int32_t count) {
  LLVMTypeRef fields[6] = {ir->ptr, ir->ptr, ir->ptr, ir->ptr, ir->ptr, ir->i32};
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, fields, 6, 0);
  LLVMValueRef *values = checked_calloc((size_t)count + 1, sizeof(LLVMValueRef));
  for (int32_t i = 0; i < count; i++) {
    LLVMValueRef field[6] = {text(ir, items[i].name),
                             text(ir, items[i].text),
                             text(ir, items[i].unit),
                             text(ir, items[i].multiplier_name),
                             text(ir, items[i].multiplier_unit),
                             ir_code(ir, (int32_t)items[i].flags)};
    values[i] = LLVMConstStructInContext(ir->context, field, 6, 0);
  }
  LLVMValueRef table = array(ir, type, values, (size_t)count);
  free(values);
  return table;
}

static LLVMValueRef events(struct ir *ir, const dyn_event *items, int32_t count) {
  LLVMTypeRef fields[5] = {ir->ptr, ir->ptr, ir->i32, ir->i32, ir->i32};
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, fields, 5, 0);
  LLVMValueRef *values = checked_calloc((size_t)count + 1, sizeof(LLVMValueRef));
  for (int32_t i = 0; i < count; i++) {
    LLVMValueRef field[5] = {text(ir, items[i].text), text(ir, items[i].stop),
                             ir_code(ir, items[i].first_reset), ir_code(ir, items[i].n_resets),
                             ir_code(ir, (int32_t)items[i].flags)};
    values[i] = LLVMConstStructInContext(ir->context, field, 5, 0);
  }
  LLVMValueRef table = array(ir, type, values, (size_t)count);
  free(values);
  return table;
}

static LLVMValueRef resets(struct ir *ir, const dyn_reset *items, int32_t count) {
  LLVMTypeRef fields[3] = {ir->ptr, ir->i32, ir->i32};
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, fields, 3, 0);
  LLVMValueRef *values = checked_calloc((size_t)count + 1, sizeof(LLVMValueRef));
  for (int32_t i = 0; i < count; i++) {
    LLVMValueRef field[3] = {text(ir, items[i].name), ir_code(ir, items[i].kind),
                             ir_code(ir, items[i].index)};
    values[i] = LLVMConstStructInContext(ir->context, field, 3, 0);
  }
  LLVMValueRef table = array(ir, type, values, (size_t)count);
  free(values);
  return table;
}

static LLVMValueRef position_equations(struct ir *ir, const dyn_position_equation *items,
                                       int32_t count) {
  LLVMTypeRef fields[2] = {ir->i32, ir->i32};
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, fields, 2, 0);
  LLVMValueRef *values = checked_calloc((size_t)count + 1, sizeof(LLVMValueRef));
  for (int32_t i = 0; i < count; i++) {
    LLVMValueRef field[2] = {ir_code(ir, items[i].constraint), ir_code(ir, items[i].is_integral)};
    values[i] = LLVMConstStructInContext(ir->context, field, 2, 0);
  }
  LLVMValueRef table = array(ir, type, values, (size_t)count);
  free(values);
  return table;
}

static LLVMValueRef integers(struct ir *ir, const int32_t *items, size_t count) {
  LLVMValueRef *values = checked_calloc(count + 1, sizeof(LLVMValueRef));
  for (size_t i = 0; i < count; i++) values[i] = ir_code(ir, items[i]);
  LLVMValueRef table = array(ir, ir->i32, values, count);
  free(values);
  return table;
}

static LLVMValueRef pattern(struct ir *ir, const dyn_pattern *pattern) {
  if (pattern == NULL) return LLVMConstNull(ir->ptr);
  size_t columns = (size_t)pattern->n_columns + 1;
  LLVMValueRef fields[5] = {ir_code(ir, pattern->n_rows), ir_code(ir, pattern->n_columns),
                            ir_code(ir, pattern->n_entries),
                            integers(ir, pattern->columns, columns),
                            integers(ir, pattern->rows, (size_t)pattern->n_entries)};
  return private_constant(ir, LLVMConstStructInContext(ir->context, fields, 5, 0), "pattern");
}

static LLVMValueRef numbers(struct ir *ir, const double *items, size_t count) {
  if (items == NULL) return LLVMConstNull(ir->ptr);
  LLVMValueRef *values = checked_calloc(count + 1, sizeof(LLVMValueRef));
  for (size_t i = 0; i < count; i++) values[i] = ir_real(ir, items[i]);
  LLVMValueRef table = array(ir, ir->f64, values, count);
  free(values);
  return table;
}

struct field_list { /* the fields in order, with the offsets that C gives them here */
  LLVMValueRef values[96];
  size_t offsets[96];
  unsigned count;
};

static void add_field(struct field_list *fields, size_t offset, LLVMValueRef value) {
  fields->offsets[fields->count] = offset;
  fields->values[fields->count++] = value;
}

#define FIELD(member, value) add_field(fields, offsetof(dyn_model, member), (value))

static void add_sizes(struct ir *ir, struct field_list *fields, const dyn_model *model,
                      int32_t work) {
  FIELD(n_coordinates, ir_code(ir, model->n_coordinates));
  FIELD(n_rates, ir_code(ir, model->n_rates));
  FIELD(n_state, ir_code(ir, model->n_state));
  FIELD(n_parameters, ir_code(ir, model->n_parameters));
  FIELD(n_inputs, ir_code(ir, model->n_inputs));
  FIELD(n_outputs, ir_code(ir, model->n_outputs));
  FIELD(n_invariants, ir_code(ir, model->n_invariants));
  FIELD(n_speeds, ir_code(ir, model->n_speeds));
  FIELD(n_initial_position, ir_code(ir, model->n_initial_position));
  FIELD(n_initial_velocity, ir_code(ir, model->n_initial_velocity));
  FIELD(n_constraints, ir_code(ir, model->n_constraints));
  FIELD(constraint_rank, ir_code(ir, model->constraint_rank));
  FIELD(n_position, ir_code(ir, model->n_position));
  FIELD(n_events, ir_code(ir, model->n_events));
  FIELD(n_resets, ir_code(ir, model->n_resets));
  FIELD(n_work, ir_code(ir, work));
}

static void add_tables(struct ir *ir, struct field_list *fields, const dyn_model *model) {
  FIELD(coordinates, variables(ir, model->coordinates, model->n_coordinates));
  FIELD(velocities, variables(ir, model->velocities, model->n_coordinates));
  FIELD(accelerations, variables(ir, model->accelerations, model->n_coordinates));
  FIELD(rates, variables(ir, model->rates, model->n_rates));
  FIELD(method_variables, model->method_variables == NULL
                              ? LLVMConstNull(ir->ptr)
                              : variables(ir, model->method_variables, model->n_coordinates));
  FIELD(parameters, variables(ir, model->parameters, model->n_parameters));
  FIELD(inputs, variables(ir, model->inputs, model->n_inputs));
  FIELD(outputs, variables(ir, model->outputs, model->n_outputs));
  FIELD(invariants, invariants(ir, model->invariants, model->n_invariants));
  FIELD(constraints, constraints(ir, model->constraints, model->n_constraints));
  FIELD(position_equations, position_equations(ir, model->position_equations, model->n_position));
  FIELD(initial_position, conditions(ir, model->initial_position, model->n_initial_position));
  FIELD(initial_velocity, conditions(ir, model->initial_velocity, model->n_initial_velocity));
  FIELD(events, events(ir, model->events, model->n_events));
  FIELD(resets, resets(ir, model->resets, model->n_resets));
  FIELD(integrator, text(ir, model->integrator));
}

/* Patterns of derivatives that are left out are left out, too. */
static void add_patterns(struct ir *ir, struct field_list *fields, const dyn_model *model,
                         LLVMValueRef functions[PROGRAM_FUNCTION_COUNT]) {
#define PROGRAM_PATTERN(NAME, member)                                                              \
  FIELD(member, pattern(ir, functions[PROGRAM_FUNCTION_##NAME] != NULL ? model->member : NULL));
#include "codegen/patterns.def"
#undef PROGRAM_PATTERN
  FIELD(mass_matrix_pattern, pattern(ir, model->mass_matrix_pattern));
  FIELD(position_jacobian_pattern, pattern(ir, model->position_jacobian_pattern));
  FIELD(velocity_jacobian_pattern, pattern(ir, model->velocity_jacobian_pattern));
}

/* On this machine's layout, LLVM's offsets must be those of the header. */
static void check_layout(struct ir *ir, const struct field_list *fields, LLVMTypeRef type) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(ir->module);
  if (LLVMPointerSize(layout) != sizeof(void *)) return;
  for (unsigned i = 0; i < fields->count; i++)
    if (LLVMOffsetOfElement(layout, type, i) != fields->offsets[i])
      bug("field %u of dyn_model is at %llu in LLVM but at %zu in C", i,
          LLVMOffsetOfElement(layout, type, i), fields->offsets[i]);
  if (LLVMABISizeOfType(layout, type) != sizeof(dyn_model)) bug("size of dyn_model");
}

void ir_add_model(struct ir *ir, const struct program *program, const char *prefix,
                  LLVMValueRef functions[PROGRAM_FUNCTION_COUNT],
                  LLVMValueRef steps[PROGRAM_STEP_COUNT], LLVMValueRef taylor, int32_t work) {
  const dyn_model *model = &program->tables;
  struct field_list list = {.count = 0}, *fields = &list;
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(ir->module);
  FIELD(abi, ir_code(ir, DYN_MODEL_ABI));
  FIELD(size, NULL); /* known once the type is */
  FIELD(name, text(ir, model->name));
  FIELD(doc, text(ir, model->doc));
  FIELD(method, text(ir, model->method));
  FIELD(compiler, text(ir, model->compiler));
  FIELD(flags, ir_code(ir, (int32_t)model->flags));
  add_sizes(ir, fields, model, work);
  add_tables(ir, fields, model);
  FIELD(assembled_start, numbers(ir, model->assembled_start, (size_t)model->n_state));
  add_patterns(ir, fields, model, functions);
#define PROGRAM_FUNCTION(NAME, member)                                                             \
  FIELD(member, functions[PROGRAM_FUNCTION_##NAME] != NULL ? functions[PROGRAM_FUNCTION_##NAME]    \
                                                           : LLVMConstNull(ir->ptr));
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
#define PROGRAM_STEP(NAME, member, tableau, is_dense)                                              \
  FIELD(member, steps[PROGRAM_STEP_##NAME] != NULL ? steps[PROGRAM_STEP_##NAME]                    \
                                                   : LLVMConstNull(ir->ptr));
#include "codegen/steps.def"
#undef PROGRAM_STEP
  FIELD(taylor, taylor != NULL ? taylor : LLVMConstNull(ir->ptr));
  FIELD(implementation, LLVMConstNull(ir->ptr));
  LLVMTypeRef types[96];
  for (unsigned i = 0; i < list.count; i++)
    types[i] = list.values[i] == NULL ? ir->i32 : LLVMTypeOf(list.values[i]);
  LLVMTypeRef type = LLVMStructTypeInContext(ir->context, types, list.count, 0);
  list.values[1] = ir_code(ir, (int32_t)LLVMABISizeOfType(layout, type));
  check_layout(ir, &list, type);
  char name[256];
  snprintf(name, sizeof name, "%.200s_model", prefix);
  LLVMValueRef value = LLVMConstStructInContext(ir->context, list.values, list.count, 0);
  LLVMValueRef global = LLVMAddGlobal(ir->module, type, name);
  LLVMSetInitializer(global, value);
  LLVMSetAlignment(global, 32); /* what Fortran assumes of a variable that C defines */
  LLVMSetGlobalConstant(global, 1);
}
