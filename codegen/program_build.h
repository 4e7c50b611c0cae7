/* Inside of program_build: one function for each part. */
#ifndef DYN_CODEGEN_PROGRAM_BUILD_H
#define DYN_CODEGEN_PROGRAM_BUILD_H
#include "codegen/builder.h"
#include "codegen/program.h"
#include "sema/model.h"

/* Sizes, names, units and documentation (program_tables.c). */
void program_fill_tables(struct program *program);
/* Default values, by running the tapes that give them (program_tables.c). */
void program_fill_defaults(struct program *program);
const char *unit_per_second(struct arena *arena, const char *unit);

const char *program_keep(struct program *program, const char *string); /* NULL is "" */
/* Events and resets (program_events.c). */
void program_fill_events(struct program *program);
void program_list_event_roots(const struct program *program, enum program_function function,
                              struct expr_list *roots);

/* The tape of one function, NULL if the model has no such function (program_functions.c). */
struct tape *program_build_tape(struct program *program, enum program_function function);
/* Sparse derivatives of the rates y' or the outputs, and their pattern (program_derivative.c). NULL
 * where there is nothing to differentiate, or by momenta for too many coupled coordinates. */
enum derivative_argument { BY_STATE, BY_INPUTS, BY_PARAMETERS };
struct tape *program_build_derivative(struct program *program, bool of_outputs,
                                      enum derivative_argument by, const dyn_pattern **pattern);

/* ---- shared by those (program_state.c) */
/* A builder where t, x, u, p stand for the arguments of a dyn_function. Velocities are bound if
 * x is the natural state, else the method's variables are. */
void state_builder_init(struct tape_builder *builder, const struct program *program);
void method_builder_init(struct tape_builder *builder, const struct program *program);
/* In a method_builder: binds the velocities, after the angles are planned. Answers, for momenta,
 * the solver of their matrix, which is to bear `sides` more right sides. */
uint32_t lower_velocities(struct tape_builder *builder, const struct program *program,
                          uint32_t sides);
/* Adds the expressions that lower_velocities needs. */
void plan_velocities(const struct program *program, struct expr_list *roots);
/* Conversions between the natural state and the method's; NULL where they are one
 * (program_method.c). */
struct tape *program_method_state(const struct program *program);
struct tape *program_natural_state(const struct program *program);
/* The start function of a model whose speeds have stated start values (program_start.c). */
struct tape *program_start_with_speeds(const struct program *program);
/* y'. */
struct tape *program_method_rhs(const struct program *program);
/* The same for taylor_build. */
struct tape *program_series_rhs(const struct program *program);
/* The equations that are solved: mass w = forcing + B λ, A w + bias = 0 with w = q'' or the rates
 * of the method's speeds. */
struct motion_form {
  const expr *mass, *forcing, *jacobian, *bias, *multiplier_force;
};
struct motion_form motion_form_of(const struct system *system);
/* True if one of the roots depends on an acceleration or a multiplier. */
bool needs_motion(const struct program *program, const expr *roots, size_t count);
/* True if one of the roots depends on a multiplier. */
bool needs_multipliers(const struct program *program, const expr *roots, size_t count);
/* The matrix of the accelerations and multipliers as a solver, factorised; `columns` right sides
 * are to come. `wants_multipliers`: they must be the least ones where constraints are redundant. */
uint32_t lower_motion_matrix(struct tape_builder *builder, const struct program *program,
                             uint32_t columns, bool wants_multipliers);
/* The same for one right side where no constraint is redundant, with a cold path of its own. */
uint32_t lower_careful_matrix(struct tape_builder *builder, const struct program *program);
void bind_accelerations(struct tape_builder *builder, const struct system *system,
                        const tape_value *solution);
/* Solves for the unknowns of the method (q'', or the rates of speeds) and the multipliers λ, binds
 * the symbols of these and of the accelerations, and fills motion[n + m] with them and motion[n +
 * m], if m > 0, with how many constraints were dependent; NULL: not wanted. */
void lower_motion(struct tape_builder *builder, const struct program *program, uint32_t solver,
                  tape_value *motion);
/* The same without refinement, for who refines himself (taylor_solve.c). */
void lower_motion_once(struct tape_builder *builder, const struct program *program, uint32_t solver,
                       tape_value *motion);
/* The same by the way that is shortest for one right side: in a builder with the angles planned by
 * plan_motion, binds and fills as lower_motion does. */
void solve_motion(struct tape_builder *builder, const struct program *program,
                  bool wants_multipliers, tape_value *motion);
void plan_motion(struct tape_builder *builder, const struct program *program,
                 const struct expr_list *roots);
/* Plans the angles of the roots and of the equations of motion. */
void plan_with_motion(struct tape_builder *builder, const struct program *program,
                      const struct expr_list *roots);

/* ---- recursions over the bodies (recursion.c) */
/* Is the system's recursion there, shorter than its mass matrix with a factorisation, and with good
 * pivots for the default values? */
bool recursion_is_shorter(const struct program *program);
/* Adds the expressions that lower_recursion needs. */
void plan_recursion(const struct recursion *recursion, struct expr_list *roots);
/* accelerations: n values of q''. Ends the function, with 1 + the coordinate, where one has lost
 * its inertia. */
void lower_recursion(struct tape_builder *builder, const struct recursion *recursion,
                     tape_value *accelerations);
/* The mass matrix where the system puts off its expressions (recursion_mass.c). */
struct tape *recursion_mass_tape(const struct program *program);
#endif
