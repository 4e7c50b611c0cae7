/* The C header that goes with an object file: the model's declaration, names for the indices of its
 * arrays, and what the model says about them. Good for C and C++. */
#include "base/map.h"
#include "base/text.h"
#include "codegen/program.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct header {
  const dyn_model *model;
  const char *prefix;
  char *upper;     /* PREFIX */
  struct map used; /* hashes of the enumerators so far: each is given once */
  struct text *out;
};

static char *upper_case(const char *name) {
  char *identifier = identifier_from_name(name);
  for (char *c = identifier; *c != '\0'; c++) *c = (char)toupper((unsigned char)*c);
  return identifier;
}

/* Text inside of a comment: one line, and nothing that could end the comment. */
static void put_comment_text(struct text *out, const char *string) {
  for (const char *c = string; *c != '\0'; c++) {
    if ((*c == '*' && c[1] == '/') || (*c == '/' && c[1] == '*'))
      text_format(out, "%c ", *c);
    else
      text_add(out, *c == '\n' || *c == '\r' ? " " : c, 1);
  }
}

/* PREFIX_KIND_NAME; a number is added if two names become the same identifier. */
static void put_enumerator(struct header *header, const char *kind, const char *name) {
  char *upper = upper_case(name);
  struct text full = {0};
  text_format(&full, "%s_%s_%s", header->upper, kind, upper);
  size_t length = full.length;
  for (unsigned copy = 2; map_get(&header->used, hash_bytes(full.bytes, full.length, 0)) != 0;
       copy++) {
    full.length = length;
    text_format(&full, "_%u", copy);
  }
  map_set(&header->used, hash_bytes(full.bytes, full.length, 0), 1);
  text_put(header->out, text_string(&full));
  text_free(&full);
  free(upper);
}

static void put_variable(struct header *header, const char *kind, const dyn_variable *variable,
                         int32_t index, bool has_default) {
  struct text *out = header->out;
  text_put(out, "  ");
  put_enumerator(header, kind, variable->name);
  text_format(out, " = %d, /* ", index);
  put_comment_text(out, variable->name);
  text_put(out, " [");
  put_comment_text(out, variable->unit);
  text_put(out, "]");
  if (has_default) {
    text_put(out, " = ");
    text_number(out, variable->value);
  }
  if (variable->doc[0] != '\0') {
    text_put(out, ": ");
    put_comment_text(out, variable->doc);
  }
  text_put(out, " */\n");
}

static void put_enumeration(struct header *header, const char *title, const char *kind,
                            const dyn_variable *variables, int32_t count, bool has_default) {
  text_format(header->out, "\n/* %s. */\nenum {\n", title);
  for (int32_t i = 0; i < count; i++) put_variable(header, kind, &variables[i], i, has_default);
  text_format(header->out, "  %s_%s_COUNT = %d\n};\n", header->upper, kind, count);
}

/* What a constrained model can do beyond the introduction's example. */
static void put_constraint_example(struct header *header) {
  const dyn_model *model = header->model;
  const char *upper = header->upper;
  text_format(header->out,
              " *\n"
              " * The start values need not satisfy the constraints; dyn_start_assemble "
              "(dyn/dyn_runtime.h) moves\n"
              " * them there. The multipliers λ, and the violation of the constraints at velocity "
              "level:\n"
              " *\n"
              " *   double lambda[%s_C_COUNT + 1]; // lambda[%s_C_...]\n"
              " *   double violation[%s_C_COUNT * (1 + %s_Q_COUNT)]; // and its derivatives by q'\n"
              " *   model->multipliers(model, 0, x, u, p, work, lambda);\n"
              " *   model->velocity_residuals(model, 0, x, NULL, p, work, violation);\n",
              upper, upper, upper, upper);
  if (model->constraint_rank == model->n_constraints) return;
  text_format(
      header->out,
      " *\n"
      " * Only %d of the %d constraints are independent. The accelerations are right all the "
      "same; the\n"
      " * multipliers are those of least norm, and lambda[%s_C_COUNT] tells how many were "
      "dependent.\n",
      model->constraint_rank, model->n_constraints, upper);
}

static void put_constraints(struct header *header) {
  const dyn_model *model = header->model;
  struct text *out = header->out;
  text_put(out, "\n/* Constraints, 0 = left - right: entries of the multipliers and rows of A; the "
                "units are those of\n * left - right and of the multiplier. */\nenum {\n");
  for (int32_t i = 0; i < model->n_constraints; i++) {
    const dyn_constraint *constraint = &model->constraints[i];
    text_put(out, "  ");
    put_enumerator(header, "C", constraint->name);
    text_format(out, " = %d, /* ", i);
    put_comment_text(out, constraint->name);
    text_put(out, " [");
    put_comment_text(out, constraint->unit);
    text_put(out, "], multiplier [");
    put_comment_text(out, constraint->multiplier_unit);
    text_put(out, "]: ");
    put_comment_text(out, constraint->text);
    text_put(out, " */\n");
  }
  text_format(out, "  %s_C_COUNT = %d\n};\n", header->upper, model->n_constraints);
}

/* Events have no names: the number in the model's order, and what they say. */
static void put_events(struct header *header) {
  const dyn_model *model = header->model;
  struct text *out = header->out;
  text_put(out, "\n/* Events: entries of event_values. */\nenum {\n");
  for (int32_t i = 0; i < model->n_events; i++) {
    const dyn_event *event = &model->events[i];
    text_format(out, "  %s_E_%d = %d, /* %s", header->upper, i + 1, i,
                event->flags & DYN_EVENT_PERIODIC ? "" : "when ");
    put_comment_text(out, event->text);
    text_put(out, ":");
    for (int32_t k = 0; k < event->n_resets; k++) {
      text_put(out, k == 0 ? " resets " : ", ");
      put_comment_text(out, model->resets[event->first_reset + k].name);
    }
    if (event->stop != NULL) text_put(out, event->n_resets > 0 ? ", stops" : " stops");
    text_put(out, " */\n");
  }
  text_format(out, "  %s_E_COUNT = %d\n};\n", header->upper, model->n_events);
}

static void put_states(struct header *header) {
  const dyn_model *model = header->model;
  int32_t n = model->n_coordinates;
  text_put(header->out, "\n/* The state x: coordinates, their velocities, first-order states; the "
                        "values are the start's. */\nenum {\n");
  for (int32_t i = 0; i < n; i++) put_variable(header, "X", &model->coordinates[i], i, true);
  for (int32_t i = 0; i < n; i++) put_variable(header, "X", &model->velocities[i], n + i, true);
  for (int32_t i = 0; i < model->n_rates; i++)
    put_variable(header, "X", &model->rates[i], 2 * n + i, true);
  text_format(header->out, "  %s_X_COUNT = %d\n};\n", header->upper, model->n_state);
}

/* The right-hand side is that of the method's own state, where it has one. */
static void put_rhs_example(struct header *header) {
  const dyn_model *model = header->model;
  if (model->method_variables == NULL) {
    text_put(header->out, " *   int status = model->rhs(model, 0, x, u, p, work, dx);\n");
    return;
  }
  text_format(header->out,
              " *\n"
              " * The method integrates y, in which the variables %s_V_... stand in place of "
              "velocities:\n"
              " *\n"
              " *   double y[%s_X_COUNT + 1], dy[%s_X_COUNT + 1];\n"
              " *   model->method_state(model, 0, x, NULL, p, work, y);\n"
              " *   int status = model->rhs(model, 0, y, u, p, work, dy);\n"
              " *   model->natural_state(model, 0, y, NULL, p, work, x);   // and back\n",
              header->upper, header->upper, header->upper);
}

static void put_introduction(struct header *header) {
  struct text *out = header->out;
  const dyn_model *model = header->model;
  text_put(out, "/* ");
  put_comment_text(out, model->name);
  if (model->doc[0] != '\0') {
    text_put(out, ": ");
    put_comment_text(out, model->doc);
  }
  text_format(out,
              "\n * Compiled by %s, method %s. Link the object file and the mathematics "
              "library (-lm).\n *\n",
              model->compiler, model->method);
  text_format(
      out,
      " *   const dyn_model *model = &%s_model;\n"
      " *   double set[%s_P_COUNT + 1] = {0}, own[%s_P_COUNT + 1] = {0}, p[%s_P_COUNT + 1];\n"
      " *   double u[%s_U_COUNT + 1], x[%s_X_COUNT + 1], dx[%s_X_COUNT + 1];\n"
      " *   double *work = malloc((model->n_work + 1) * sizeof(double));\n"
      " *   // own[%s_P_...] = ...; set[%s_P_...] = 1;  for parameters not at their default\n"
      " *   model->complete_parameters(model, 0, set, NULL, own, work, p);\n"
      " *   model->default_inputs(model, 0, NULL, NULL, p, work, u);\n"
      " *   model->start(model, 0, NULL, u, p, work, x);\n",
      header->prefix, header->upper, header->upper, header->upper, header->upper, header->upper,
      header->upper, header->upper, header->upper);
  put_rhs_example(header);
  if (model->n_constraints > 0) put_constraint_example(header);
  text_put(out, " */\n");
}

static void put_constants(struct header *header) {
  const dyn_model *model = header->model;
  put_states(header);
  put_enumeration(header, "Coordinates: entries of q'' and of the mass matrix", "Q",
                  model->coordinates, model->n_coordinates, false);
  if (model->method_variables != NULL)
    put_enumeration(header, "Variables of the method: entries of y behind the coordinates", "V",
                    model->method_variables, model->n_coordinates, false);
  put_enumeration(header, "Parameters p, with their default values", "P", model->parameters,
                  model->n_parameters, true);
  put_enumeration(header, "Inputs u, with their default values at the start", "U", model->inputs,
                  model->n_inputs, true);
  if (model->n_constraints > 0) put_constraints(header);
  if (model->n_events > 0) put_events(header);
  put_enumeration(header, "Outputs", "Y", model->outputs, model->n_outputs, false);
}

void header_write(const struct program *program, const char *prefix, struct text *out) {
  struct header header = {.model = &program->tables, .out = out};
  header.prefix = prefix != NULL ? prefix : program->prefix;
  header.upper = upper_case(header.prefix);
  put_introduction(&header);
  text_format(out,
              "#ifndef %s_MODEL_H\n#define %s_MODEL_H\n#include \"dyn/dyn_model.h\"\n\n"
              "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
              "extern const dyn_model %s_model;\n",
              header.upper, header.upper, header.prefix);
  put_constants(&header);
  text_put(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  map_free(&header.used);
  free(header.upper);
}
