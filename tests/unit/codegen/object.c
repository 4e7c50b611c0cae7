/* An object file and its header, linked into a C program by the C compiler, without LLVM: the same
 * numbers as the interpreter, one exported symbol, nothing needed but the mathematics library. */
#define _GNU_SOURCE
#include "plant.h"
#include <stdlib.h>

static const char program_text[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include \"m.h\"\n"
    "static const dyn_model *model = &m_model;\n"
    "static void show(dyn_function *f, const double *x, const double *u, const double *p, int n) "
    "{\n"
    "  double *work = malloc((model->n_work + 1) * sizeof(double));\n"
    "  double *out = malloc((n + 1) * sizeof(double));\n"
    "  int status = f(model, 0.7, x, u, p, work, out);\n"
    "  printf(\"%d\\n\", status);\n"
    "  for (int i = 0; status == 0 && i < n; i++) printf(\"%a\\n\", out[i]);\n"
    "  free(work); free(out);\n}\n"
    "int main(void) {\n"
    "  double set[M_P_COUNT + 1] = {0}, own[M_P_COUNT + 1] = {0}, p[M_P_COUNT + 1];\n"
    "  double u[M_U_COUNT + 1], x[M_X_COUNT + 1];\n"
    "  double *work = malloc((model->n_work + 1) * sizeof(double));\n"
    "  if (model->abi != DYN_MODEL_ABI || model->size != sizeof *model) return 9;\n"
    "  if (model->n_state != M_X_COUNT || model->parameters[M_P_L].name[0] != 'l') return 8;\n"
    "  own[M_P_L] = 0.75; set[M_P_L] = 1;\n"
    "  model->complete_parameters(model, 0, set, NULL, own, work, p);\n"
    "  model->default_inputs(model, 0.7, NULL, NULL, p, work, u);\n"
    "  model->start(model, 0, NULL, u, p, work, x);\n"
    "  x[M_X_THETA_1] = 0.3;\n"
    "  for (int i = 0; i < M_X_COUNT; i++) x[i] += 0.25 * i;\n"
    "  free(work);\n"
    "  show(model->rhs, x, u, p, M_X_COUNT);\n"
    "  show(model->output_values, x, u, p, M_Y_COUNT);\n"
    "  show(model->jacobian, x, u, p, model->jacobian_pattern->n_entries);\n"
    "  p[M_P_J] = 0;\n"
    "  show(model->rhs, x, u, p, M_X_COUNT);\n"
    "  return 0;\n}\n";

static void show(const dyn_model *model, dyn_function *function, const double *x, const double *u,
                 const double *p, int count, struct text *out) {
  struct arguments arguments = {.t = 0.7, .x = (double *)x, .u = (double *)u, .p = (double *)p};
  arguments.work = checked_calloc((size_t)model->n_work + 1, sizeof(double));
  arguments.out = checked_calloc((size_t)count + 1, sizeof(double));
  int status = call(model, function, &arguments);
  text_format(out, "%d\n", status);
  for (int i = 0; status == 0 && i < count; i++) text_format(out, "%a\n", arguments.out[i]);
  free(arguments.work);
  free(arguments.out);
}

/* What program_text prints, by the interpreter. */
static void expected_output(const dyn_model *model, struct text *out) {
  double set[4] = {0, 0, 1, 0}, own[4] = {0, 0, 0.75, 0}, p[4], u[1], x[128];
  double *work = checked_calloc((size_t)model->n_work + 1, sizeof(double));
  model->complete_parameters(model, 0, set, NULL, own, work, p);
  model->default_inputs(model, 0.7, NULL, NULL, p, work, u);
  model->start(model, 0, NULL, u, p, work, x);
  x[0] = 0.3;
  for (int i = 0; i < model->n_state; i++) x[i] += 0.25 * i;
  free(work);
  show(model, model->rhs, x, u, p, model->n_state, out);
  show(model, model->output_values, x, u, p, model->n_outputs, out);
  show(model, model->jacobian, x, u, p, model->jacobian_pattern->n_entries, out);
  p[1] = 0;
  show(model, model->rhs, x, u, p, model->n_state, out);
}

static void write_file(const char *folder, const char *name, const char *bytes, size_t length) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

static void run(const char *folder, const char *command, struct text *out) {
  char line[1024], buffer[4096];
  char include[512];
  assert_non_null(getcwd(include, sizeof include));
  snprintf(line, sizeof line, "cd %s && INCLUDE=%.400s/include; %s", folder, include, command);
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  for (size_t read; (read = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text_add(out, buffer, read);
  int status = pclose(pipe);
  if (status != 0) fail_msg("%s: status %d, %s", command, status, text_string(out));
}

static void build_and_compare(uint32_t n, int level) {
  char folder[] = "/tmp/dyn-object-XXXXXX";
  struct plant plant;
  struct text object = {0}, header = {0}, output = {0}, expected = {0}, symbols = {0};
  assert_non_null(mkdtemp(folder));
  chain_init(&plant, n);
  struct program *program = program_build(plant.context, &plant.system, PROGRAM_ALL);
  dyn_model *interpreted = program_interpreted_model(program);
  struct backend_options options = backend_default_options();
  options.prefix = "m";
  options.cpu = "generic";
  options.level = level;
  char *fault = open_backend()->emit(program, PROGRAM_ALL, BACKEND_OBJECT, &options, NULL, &object);
  if (fault != NULL) fail_msg("%s", fault);
  header_write(program, "m", &header);
  write_file(folder, "m.o", object.bytes, object.length);
  write_file(folder, "m.h", header.bytes, header.length);
  write_file(folder, "main.c", program_text, strlen(program_text));
  run(folder, "cc -Wall -Werror -I$INCLUDE -I. main.c m.o -lm -o main && ./main", &output);
  run(folder,
      "nm -g --defined-only m.o | wc -l | tr -d '\\n'; nm -u m.o | grep -cvE "
      "' (sin|cos|sincos|memset|memcpy|_GLOBAL_OFFSET_TABLE_)$' || true",
      &symbols);
  expected_output(interpreted, &expected);
  assert_string_equal(text_string(&output), text_string(&expected));
  assert_string_equal(text_string(&symbols), "10\n"); /* one defined, no other undefined */
  run(folder, "cd / && rm -r \"$OLDPWD\"", &symbols);
  text_free(&object);
  text_free(&header);
  text_free(&output);
  text_free(&expected);
  text_free(&symbols);
  free(interpreted);
  program_free(program);
  plant_clear(&plant);
}

static void small_model_unrolled(void **state) {
  (void)state;
  build_and_compare(2, -1);
}
static void medium_model_with_kernels(void **state) {
  (void)state;
  build_and_compare(12, 1);
}
static void without_optimisation(void **state) {
  (void)state;
  build_and_compare(8, 0);
}

static void assembly_and_ir_are_text(void **state) {
  (void)state;
  struct plant plant;
  chain_init(&plant, 2);
  struct program *program = program_build(plant.context, &plant.system, PROGRAM_HOT);
  struct backend_options options = backend_default_options();
  struct text out = {0};
  assert_null(open_backend()->emit(program, PROGRAM_HOT, BACKEND_LLVM, &options, NULL, &out));
  assert_non_null(strstr(text_string(&out), "@Chain_model = "));
  assert_non_null(strstr(text_string(&out), "define internal i32 @Chain_rhs"));
  out.length = 0;
  assert_null(open_backend()->emit(program, PROGRAM_HOT, BACKEND_ASSEMBLY, &options, NULL, &out));
  assert_non_null(strstr(text_string(&out), "Chain_rhs:"));
  text_free(&out);
  program_free(program);
  plant_clear(&plant);
}

static void header_is_good_for_cpp_too(void **state) {
  (void)state;
  char folder[] = "/tmp/dyn-object-XXXXXX";
  struct plant plant;
  struct text header = {0}, output = {0};
  if (system("c++ --version > /dev/null 2>&1") != 0) skip();
  assert_non_null(mkdtemp(folder));
  chain_init(&plant, 2);
  plant.model.doc = "ends */ here";
  plant.model.parameters.items[3].id.name = "λ₁";
  plant.model.parameters.items[2].id.name = "λ_1";
  struct program *program = program_build(plant.context, &plant.system, PROGRAM_HOT);
  header_write(program, NULL, &header);
  assert_non_null(strstr(text_string(&header), "CHAIN_P_LAMBDA_1 = 2"));
  assert_non_null(strstr(text_string(&header), "CHAIN_P_LAMBDA_1_2 = 3"));
  assert_non_null(strstr(text_string(&header), "CHAIN_X_THETA_1_DOT = 2"));
  write_file(folder, "m.h", header.bytes, header.length);
  run(folder,
      "printf '#include \"m.h\"\\n#include \"m.h\"\\n' > a.cc && "
      "c++ -Wall -Werror -c -I$INCLUDE a.cc && cd / && rm -r \"$OLDPWD\"",
      &output);
  text_free(&header);
  text_free(&output);
  program_free(program);
  plant_clear(&plant);
}

static void names_become_identifiers(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"θ", "theta"},       {"θ₁", "theta_1"}, {"leg.knee", "leg_knee"},
      {"q[2]'", "q_2_dot"}, {"2 x", "m_2_x"},  {"int", "m_int"},
      {"", "model"},        {"Ω", "Omega"},    {"x''", "x_dot_dot"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char *identifier = identifier_from_name(cases[i][0]);
    assert_string_equal(identifier, cases[i][1]);
    free(identifier);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_model_unrolled),       cmocka_unit_test(medium_model_with_kernels),
      cmocka_unit_test(without_optimisation),       cmocka_unit_test(assembly_and_ir_are_text),
      cmocka_unit_test(header_is_good_for_cpp_too), cmocka_unit_test(names_become_identifiers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
