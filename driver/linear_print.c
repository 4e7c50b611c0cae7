/* Linearised equations for people: states, matrices, eigenvalues. */
#include "driver/linear_print.h"
#include "driver/columns.h"
#include <math.h>

static const dyn_variable *state_of(const struct linear_report *r, int32_t i) {
  return problem_state_variable(r->analysis->model, linear_index(r->analysis, r->shown[i]));
}

static const char *rate_of(const struct linear_report *r, int32_t i) {
  return linear_rate_name(r->analysis, linear_index(r->analysis, r->shown[i]));
}

/* ---------------------------------------------------------------- eigenvalues */

const char *linear_stability(const dyn_linear_mode *modes, int32_t count, int32_t neutral) {
  bool is_undecided = false;
  for (int32_t i = 0; i < count; i++) {
    if (hypot(modes[i].real, modes[i].imaginary) <= modes[i].accuracy && neutral-- > 0) continue;
    if (modes[i].real > modes[i].accuracy) return "unstable";
    if (modes[i].real >= -modes[i].accuracy) is_undecided = true;
  }
  return is_undecided ? "undecided" : "asymptotically stable";
}

/* -Re/|λ| of an eigenvalue that is not 0. */
static double damping(const dyn_linear_mode *mode) {
  double size = hypot(mode->real, mode->imaginary);
  return size > 0 ? -mode->real / size + 0.0 : NAN;
}

static double frequency(const dyn_linear_mode *mode) {
  static const double pi = 3.14159265358979323846;
  return mode->imaginary / (2 * pi);
}

void linear_put_modes(const dyn_linear_mode *modes, int32_t count, struct text *out) {
  struct columns table = {.count = 4};
  columns_add(&table,
              (const char *const[]){"real [1/s]", "imaginary [1/s]", "frequency [Hz]", "damping"});
  for (int32_t i = 0; i < count; i++) {
    struct text cells[4] = {{0}};
    bool is_pair = modes[i].imaginary > 0;
    text_format(&cells[0], "%.12g", modes[i].real + 0.0);
    text_format(&cells[1], is_pair ? "±%.12g" : "0", modes[i].imaginary);
    if (is_pair) text_format(&cells[2], "%.6g", frequency(&modes[i]));
    if (is_pair) text_format(&cells[3], "%.6g", damping(&modes[i]));
    columns_add(&table, (const char *const[]){text_string(&cells[0]), text_string(&cells[1]),
                                              text_string(&cells[2]), text_string(&cells[3])});
    for (int c = 0; c < 4; c++) text_free(&cells[c]);
    if (is_pair) i++; /* its conjugate */
  }
  text_put(out, "eigenvalues\n");
  columns_print(&table, 2, out);
}

static void put_number(struct text *out, const char *key, double value) {
  text_format(out, "\"%s\": ", key);
  text_json_number(out, value);
}

void linear_put_modes_json(const dyn_linear_mode *modes, int32_t count, struct text *out) {
  text_put(out, "  \"eigenvalues\": [");
  for (int32_t i = 0; i < count; i++) {
    text_put(out, i > 0 ? ",\n    {" : "\n    {");
    put_number(out, "real", modes[i].real + 0.0);
    text_put(out, ", ");
    put_number(out, "imaginary", modes[i].imaginary);
    text_put(out, ", ");
    put_number(out, "frequency", fabs(frequency(&modes[i])));
    text_put(out, ", ");
    put_number(out, "damping", damping(&modes[i]));
    text_put(out, ", ");
    put_number(out, "accuracy", modes[i].accuracy);
    text_put(out, "}");
  }
  text_put(out, count > 0 ? "\n  ],\n" : "],\n");
}

/* ---------------------------------------------------------------- text */

/* A matrix in panels of as many columns as a line holds. */
struct matrix {
  const char *title;
  int32_t rows, columns;
  const char *(*row_name)(const struct linear_report *r, int32_t i);
  const char *(*column_name)(const struct linear_report *r, int32_t j);
  double (*entry)(const struct linear_report *r, int32_t i, int32_t j);
};

static void put_panel(const struct linear_report *r, const struct matrix *m, int32_t first,
                      int32_t end, struct text *out) {
  struct columns table = {.count = (uint32_t)(end - first + 1)};
  const char *cells[COLUMNS_MOST] = {""};
  for (int32_t j = first; j < end; j++) cells[j - first + 1] = m->column_name(r, j);
  columns_add(&table, cells);
  for (int32_t i = 0; i < m->rows; i++) {
    struct text numbers[COLUMNS_MOST] = {{0}};
    cells[0] = m->row_name(r, i);
    for (int32_t j = first; j < end; j++) {
      text_format(&numbers[j - first], "%.10g", m->entry(r, i, j) + 0.0);
      cells[j - first + 1] = text_string(&numbers[j - first]);
    }
    columns_add(&table, cells);
    for (int32_t j = first; j < end; j++) text_free(&numbers[j - first]);
  }
  columns_print(&table, 2, out);
}

static void put_matrix(const struct linear_report *r, const struct matrix *m, struct text *out) {
  if (m->rows == 0 || m->columns == 0) return;
  text_format(out, "%s\n", m->title);
  for (int32_t j = 0; j < m->columns; j += COLUMNS_MOST - 1)
    put_panel(r, m, j, j + COLUMNS_MOST - 1 < m->columns ? j + COLUMNS_MOST - 1 : m->columns, out);
}

static const char *state_name(const struct linear_report *r, int32_t i) {
  return state_of(r, i)->name;
}

static const char *input_name(const struct linear_report *r, int32_t i) {
  return r->analysis->model->inputs[i].name;
}

/* Outputs that are shown: without speeds, which are the first. */
static const char *output_name(const struct linear_report *r, int32_t i) {
  const dyn_model *model = r->analysis->model;
  return model->outputs[model->n_speeds + i].name;
}

static double entry_a(const struct linear_report *r, int32_t i, int32_t j) {
  return r->a[i + (ptrdiff_t)j * r->count];
}

static double entry_b(const struct linear_report *r, int32_t i, int32_t j) {
  const dyn_linear_system *s = &r->values->system;
  return s->b[r->shown[i] + (ptrdiff_t)j * s->n_states];
}

/* What follows a moving coordinate has no row that is constant. */
static bool is_steady_output(const struct linear_report *r, int32_t i) {
  return !r->steady->is_output_moving[r->analysis->model->n_speeds + i];
}

static double entry_c(const struct linear_report *r, int32_t i, int32_t j) {
  const dyn_linear_system *s = &r->values->system;
  int32_t row = r->analysis->model->n_speeds + i;
  return is_steady_output(r, i) ? s->c[row + (ptrdiff_t)r->shown[j] * s->outputs] : NAN;
}

static double entry_d(const struct linear_report *r, int32_t i, int32_t j) {
  const dyn_linear_system *s = &r->values->system;
  int32_t row = r->analysis->model->n_speeds + i;
  return is_steady_output(r, i) ? s->d[row + (ptrdiff_t)j * s->outputs] : NAN;
}

enum { MATRICES = 4 };
static void list_matrices(const struct linear_report *r, struct matrix list[MATRICES]) {
  const dyn_model *model = r->analysis->model;
  int32_t outputs = model->n_outputs - model->n_speeds;
  list[0] = (struct matrix){"A", r->count, r->count, rate_of, state_name, entry_a};
  list[1] = (struct matrix){"B", r->count, model->n_inputs, rate_of, input_name, entry_b};
  list[2] = (struct matrix){"C", outputs, r->count, output_name, state_name, entry_c};
  list[3] = (struct matrix){"D", outputs, model->n_inputs, output_name, input_name, entry_d};
}

/* "x' = 4.6 m/s, ..." of what moves evenly. */
static void put_moving(const struct linear_report *r, struct text *out) {
  const struct linear_analysis *a = r->analysis;
  int32_t w = r->values->system.n_states, count = 0;
  for (int32_t i = 0; i < w; i++) {
    int32_t index = linear_index(a, i);
    if (!r->steady->is_moving[i]) continue;
    text_format(out, "%s%s = %.10g",
                count++ > 0 ? ", " : "moving, and left out: ", linear_rate_name(a, index),
                r->values->rate[index]);
    if (index < a->model->n_coordinates) text_format(out, " %s", a->model->velocities[index].unit);
  }
  if (count > 0) text_put(out, "\n");
}

static void put_dependent(const struct linear_report *r, struct text *out) {
  const dyn_linear_choice *c = &r->analysis->choice;
  const dyn_model *model = r->analysis->model;
  if (c->n_dependent_velocities == 0) return;
  text_put(out, "following the constraints:");
  for (int32_t i = 0; i < c->n_dependent_coordinates; i++)
    text_format(out, "%s %s", i > 0 ? "," : "",
                model->coordinates[c->dependent_coordinates[i]].name);
  for (int32_t i = 0; i < c->n_dependent_velocities; i++)
    text_format(out, "%s %s", i + c->n_dependent_coordinates > 0 ? "," : "",
                model->velocities[c->dependent_velocities[i]].name);
  text_put(out, "\n");
}

static int32_t count_neutral(const struct linear_report *r) {
  int32_t neutral = 0;
  for (int32_t i = 0; i < r->count; i++) neutral += r->is_neutral[i];
  return neutral;
}

void linear_put_stability(const struct linear_report *r, struct text *out) {
  linear_put_modes(r->modes, r->count, out);
  int32_t neutral = count_neutral(r), put = 0;
  text_format(out, "stability: %s", linear_stability(r->modes, r->count, neutral));
  for (int32_t i = 0; i < r->count; i++)
    if (r->is_neutral[i])
      text_format(out, "%s%s",
                  put++ > 0 ? ", " : "; not counting neutral states: ", state_of(r, i)->name);
  text_put(out, "\n");
}

void linear_put_text(const struct linear_report *r, struct text *out) {
  struct matrix matrices[MATRICES];
  struct columns table = {.count = 3};
  text_format(out, "%s: w' = A w + B u, y = C w + D u near t = ", r->analysis->model->name);
  text_number(out, r->analysis->t);
  text_put(out, " s\nw, deviations from\n");
  for (int32_t i = 0; i < r->count; i++) {
    const dyn_variable *state = state_of(r, i);
    struct text value = {0}, unit = {0};
    text_format(&value, "%.12g", r->values->x[linear_index(r->analysis, r->shown[i])] + 0.0);
    text_format(&unit, "[%s]", state->unit);
    columns_add(&table,
                (const char *const[]){state->name, text_string(&value), text_string(&unit)});
    text_free(&value);
    text_free(&unit);
  }
  columns_print(&table, 2, out);
  put_moving(r, out);
  put_dependent(r, out);
  text_format(out, "largest rate that should be 0: %.2g of what it is made of\n",
              r->steady->residual);
  list_matrices(r, matrices);
  for (int i = 0; i < MATRICES; i++) put_matrix(r, &matrices[i], out);
  linear_put_stability(r, out);
}

/* ---------------------------------------------------------------- JSON */

static void json_names(struct text *out, const char *key, const struct linear_report *r,
                       int32_t count,
                       const char *(*name)(const struct linear_report *r, int32_t i)) {
  text_format(out, "  \"%s\": [", key);
  for (int32_t i = 0; i < count; i++) {
    text_put(out, i > 0 ? ", " : "");
    text_json_string(out, name(r, i));
  }
  text_put(out, "],\n");
}

static void json_matrix(const struct linear_report *r, const struct matrix *m, struct text *out) {
  text_format(out, "  \"%s\": [", m->title);
  for (int32_t i = 0; i < m->rows; i++) {
    text_put(out, i > 0 ? ",\n    [" : "\n    [");
    for (int32_t j = 0; j < m->columns; j++) {
      text_put(out, j > 0 ? ", " : "");
      text_json_number(out, m->entry(r, i, j) + 0.0);
    }
    text_put(out, "]");
  }
  text_put(out, "],\n");
}

static const char *dependent_coordinate(const struct linear_report *r, int32_t i) {
  const struct linear_analysis *a = r->analysis;
  return a->model->coordinates[a->choice.dependent_coordinates[i]].name;
}

static const char *dependent_velocity(const struct linear_report *r, int32_t i) {
  const struct linear_analysis *a = r->analysis;
  return a->model->velocities[a->choice.dependent_velocities[i]].name;
}

static void json_moving(const struct linear_report *r, struct text *out) {
  const struct linear_analysis *a = r->analysis;
  int32_t count = 0;
  text_put(out, "  \"moving\": {");
  for (int32_t i = 0; i < r->values->system.n_states; i++) {
    int32_t index = linear_index(a, i);
    if (!r->steady->is_moving[i]) continue;
    text_put(out, count++ > 0 ? ", " : "");
    text_json_string(out, linear_rate_name(a, index));
    text_put(out, ": ");
    text_json_number(out, r->values->rate[index]);
  }
  text_put(out, "},\n");
}

void linear_put_stability_json(const struct linear_report *r, struct text *out) {
  int32_t put = 0;
  linear_put_modes_json(r->modes, r->count, out);
  text_put(out, "  \"neutral\": [");
  for (int32_t i = 0; i < r->count; i++) {
    if (!r->is_neutral[i]) continue;
    text_put(out, put++ > 0 ? ", " : "");
    text_json_string(out, state_of(r, i)->name);
  }
  text_format(out, "],\n  \"stability\": \"%s\"\n}\n",
              linear_stability(r->modes, r->count, count_neutral(r)));
}

void linear_put_json(const struct linear_report *r, struct text *out) {
  const dyn_model *model = r->analysis->model;
  const dyn_linear_choice *c = &r->analysis->choice;
  struct matrix matrices[MATRICES];
  text_put(out, "{\n  \"t\": ");
  text_json_number(out, r->analysis->t);
  text_put(out, ",\n");
  json_names(out, "states", r, r->count, state_name);
  json_names(out, "rates", r, r->count, rate_of);
  json_names(out, "inputs", r, model->n_inputs, input_name);
  json_names(out, "outputs", r, model->n_outputs - model->n_speeds, output_name);
  text_put(out, "  \"values\": {");
  for (int32_t i = 0; i < model->n_state; i++) {
    text_put(out, i > 0 ? ", " : "");
    text_json_string(out, problem_state_variable(model, i)->name);
    text_put(out, ": ");
    text_json_number(out, r->values->x[i]);
  }
  text_put(out, "},\n");
  json_moving(r, out);
  json_names(out, "dependent_coordinates", r, c->n_dependent_coordinates, dependent_coordinate);
  json_names(out, "dependent_velocities", r, c->n_dependent_velocities, dependent_velocity);
  text_put(out, "  \"residual\": ");
  text_json_number(out, r->steady->residual);
  text_put(out, ",\n");
  list_matrices(r, matrices);
  for (int i = 0; i < MATRICES; i++) json_matrix(r, &matrices[i], out);
  linear_put_stability_json(r, out);
}
