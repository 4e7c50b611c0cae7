/* Building a program, printing and checking it. */
#include "codegen/program_build.h"
#include <string.h>

const char *const program_function_names[PROGRAM_FUNCTION_COUNT] = {
#define PROGRAM_FUNCTION(name, member) #member,
#include "codegen/functions.def"
#undef PROGRAM_FUNCTION
};

/* The tables need these whatever is asked; they are small. */
enum {
  PROGRAM_DEFAULTS =
      PROGRAM_COMPLETE_PARAMETERS | PROGRAM_DEFAULT_INPUTS | PROGRAM_RUN_DEFAULTS | PROGRAM_START
};

struct program *program_build(dyn_context *context, struct system *system,
                              program_functions functions) {
  struct program *program = checked_calloc(1, sizeof *program);
  (void)context; /* nothing that can be wrong with a system is found here */
  arena_init(&program->arena);
  program->system = system;
  program_fill_tables(program);
  program->prefix = identifier_from_name(program->tables.name);
  program_add(program, PROGRAM_DEFAULTS);
  program_fill_defaults(program);
  program->by_recursion = recursion_is_shorter(program);
  if (!program->by_recursion) system_derive_mass(system);
  program_add(program, functions);
  return program;
}

/* Named like the integrator, or like it with what else it needs: dop853_dense. */
program_functions program_steps_of(const char *integrator) {
  static const char *const names[PROGRAM_STEP_COUNT] = {
#define PROGRAM_STEP(NAME, member, tableau, is_dense) #member,
#include "codegen/steps.def"
#undef PROGRAM_STEP
  };
  program_functions steps = 0;
  if (integrator == NULL) return 0;
  if (strcmp(integrator, "taylor") == 0 || strcmp(integrator, "all") == 0) steps = PROGRAM_TAYLOR;
  size_t length = strlen(integrator);
  for (unsigned i = 0; i < PROGRAM_STEP_COUNT; i++)
    if (strcmp(integrator, "all") == 0 ||
        (strncmp(names[i], integrator, length) == 0 && strchr("_", names[i][length]) != NULL))
      steps |= 1ull << (PROGRAM_FIRST_STEP + i);
  return steps;
}

void program_add(struct program *program, program_functions functions) {
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++) {
    if ((functions & 1ull << i) == 0 || (program->functions & 1ull << i) != 0) continue;
    program->tapes[i] = program_build_tape(program, (enum program_function)i);
    program->functions |= 1ull << i;
  }
  if ((functions & PROGRAM_TAYLOR) == 0 || program->taylor != NULL) return;
  struct tape *rhs = program_series_rhs(program);
  program->taylor = taylor_build(rhs, program->tapes[PROGRAM_FUNCTION_DEFAULT_INPUTS],
                                 program->system->graph);
  tape_free(rhs);
}

void program_set_start(struct program *program, const double *x) {
  size_t size = (size_t)program->tables.n_state * sizeof *x;
  program->tables.assembled_start = arena_copy(&program->arena, x, size);
}

void program_free(struct program *program) {
  if (program == NULL) return;
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++) tape_free(program->tapes[i]);
  taylor_free(program->taylor);
  arena_clear(&program->arena);
  free(program->prefix);
  free(program);
}

void program_dump(const struct program *program, struct text *out) {
  text_format(out, "program %s\n", program->tables.name);
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++) {
    if (program->tapes[i] == NULL) continue;
    struct tape_counts counts = tape_count(program->tapes[i]);
    text_format(out, "\nfunction %s: %u instructions, %u results\n", program_function_names[i],
                counts.instructions, program->tapes[i]->out_count);
    tape_dump(program->tapes[i], out);
  }
  if (program->taylor == NULL || program->taylor->has_obstacle) return;
  const struct tape *tapes[2] = {program->taylor->start, program->taylor->order};
  static const char *const names[2] = {"start", "order"};
  for (int i = 0; i < 2; i++) {
    text_format(out, "\ntaylor %s: %u instructions\n", names[i], tape_count(tapes[i]).instructions);
    tape_dump(tapes[i], out);
  }
}

/* How long the result of each function is, -1 where any length is right. */
static int64_t expected_results(const dyn_model *tables, enum program_function function) {
  int64_t n = tables->n_coordinates, columns = n + tables->n_rates;
  switch (function) {
  case PROGRAM_FUNCTION_COMPLETE_PARAMETERS:
    return tables->n_parameters;
  case PROGRAM_FUNCTION_DEFAULT_INPUTS:
    return tables->n_inputs;
  case PROGRAM_FUNCTION_RUN_DEFAULTS:
    return DYN_RUN_COUNT;
  case PROGRAM_FUNCTION_START:
  case PROGRAM_FUNCTION_METHOD_STATE:
  case PROGRAM_FUNCTION_NATURAL_STATE:
  case PROGRAM_FUNCTION_RHS:
  case PROGRAM_FUNCTION_NATURAL_RHS:
    return tables->n_state;
  case PROGRAM_FUNCTION_INITIAL_POSITION:
    return tables->n_initial_position * (1 + columns);
  case PROGRAM_FUNCTION_INITIAL_VELOCITY:
    return tables->n_initial_velocity * (1 + n);
  case PROGRAM_FUNCTION_POSITION_RESIDUALS:
    return tables->n_position * (1 + n);
  case PROGRAM_FUNCTION_VELOCITY_RESIDUALS:
    return tables->n_constraints * (1 + n);
  case PROGRAM_FUNCTION_CONSTRAINT_BIAS:
    return tables->n_constraints;
  case PROGRAM_FUNCTION_MULTIPLIER_FORCE:
    return tables->n_constraints * n;
  case PROGRAM_FUNCTION_MULTIPLIERS:
  case PROGRAM_FUNCTION_NATURAL_MULTIPLIERS:
    return tables->n_constraints + 1;
  case PROGRAM_FUNCTION_ACCELERATION:
  case PROGRAM_FUNCTION_FORCING:
    return n;
  case PROGRAM_FUNCTION_MASS_MATRIX:
    return n * n;
#define PROGRAM_PATTERN(NAME, member)                                                              \
  case PROGRAM_FUNCTION_##NAME:                                                                    \
    return tables->member->n_entries;
#include "codegen/patterns.def"
#undef PROGRAM_PATTERN
  case PROGRAM_FUNCTION_ENERGIES:
    return 2;
  case PROGRAM_FUNCTION_OUTPUT_VALUES:
  case PROGRAM_FUNCTION_NATURAL_OUTPUTS:
    return tables->n_outputs;
  case PROGRAM_FUNCTION_INVARIANT_VALUES:
    return tables->n_invariants;
  case PROGRAM_FUNCTION_EVENT_VALUES:
  case PROGRAM_FUNCTION_EVENT_RATES:
    return tables->n_events;
  case PROGRAM_FUNCTION_RESET_VALUES:
    return tables->n_resets;
  case PROGRAM_FUNCTION_RESET_TARGETS:
    return tables->n_resets * (1 + n);
  case PROGRAM_FUNCTION_COUNT:
    break;
  }
  return -1;
}

void program_check(const struct program *program) {
  for (unsigned i = 0; i < PROGRAM_FUNCTION_COUNT; i++) {
    if (program->tapes[i] == NULL) continue;
    tape_check(program->tapes[i]);
    int64_t expected = expected_results(&program->tables, (enum program_function)i);
    if ((int64_t)program->tapes[i]->out_count != expected)
      bug("program: %s has %u results, not %lld", program_function_names[i],
          program->tapes[i]->out_count, (long long)expected);
  }
}
