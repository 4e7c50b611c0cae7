/* Files: CSV written and read back, quoting, full disks, HDF5, and tables that drive inputs. */
#include "models.h"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static const double one[] = {1, 1};

static void temporary(char path[64], const char *suffix) {
  snprintf(path, 64, "/tmp/dyn_runtime_XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  unlink(path);
  strcat(path, suffix);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  fclose(file);
}

static dyn_status run_to(dyn_sink *sink, dyn_run_summary *s) {
  dyn_model m = oscillator_model();
  dyn_problem problem = {&m, one, NULL};
  dyn_run_options o = run_options(1, 0.1, 1e-9, NULL);
  double x[2] = {1, 0};
  return dyn_run(&problem, &o, sink, NULL, x, s);
}

static void test_csv_round_trip(void **state) {
  (void)state;
  char path[64];
  temporary(path, ".csv");
  dyn_sink csv;
  dyn_message message;
  dyn_run_summary s = {0};
  assert_int_equal(dyn_csv_open(path, &csv, &message), DYN_DONE);
  assert_int_equal(run_to(&csv, &s), DYN_DONE);
  csv.close(csv.user);
  char line[200];
  FILE *file = fopen(path, "rb");
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "t,x,x',\"sum, x + x'\"\n");
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "0,1,0,1\n");
  assert_non_null(fgets(line, sizeof line, file));
  assert_memory_equal(line, "0.1,", 4);
  fclose(file);
  /* Read back as a table: every number exactly. */
  struct kept k = {0};
  dyn_sink keep = keep_sink(&k);
  assert_int_equal(run_to(&keep, &s), DYN_DONE);
  dyn_input_table *table;
  assert_int_equal(dyn_input_table_read(path, &table, &message), DYN_DONE);
  assert_int_equal(dyn_input_table_columns(table), 3);
  int32_t v = dyn_input_table_find(table, "x'");
  assert_int_equal(v, 1);
  assert_int_equal(dyn_input_table_find(table, "sum, x + x'"), 2);
  assert_int_equal(dyn_input_table_find(table, "y"), -1);
  assert_int_equal(k.rows, 11);
  for (int64_t i = 0; i < k.rows; i++) {
    assert_true(dyn_input_table_value(table, 0, k.t[i]) == k.x[2 * i]);
    assert_true(dyn_input_table_value(table, v, k.t[i]) == k.x[2 * i + 1]);
  }
  dyn_input_table_free(table);
  dyn_run_summary_clear(&s);
  kept_clear(&k);
  unlink(path);
}

static void test_full_disk(void **state) {
  (void)state;
  dyn_sink csv;
  dyn_message message;
  dyn_run_summary s = {0};
  assert_int_equal(dyn_csv_open("/dev/full", &csv, &message), DYN_DONE);
  assert_int_equal(run_to(&csv, &s), DYN_SINK_FAILED);
  assert_string_equal(s.message.text, "cannot write to /dev/full: No space left on device");
  csv.close(csv.user);
  FILE *file = fopen("/dev/full", "wb");
  assert_int_equal(dyn_csv_attach(file, &csv, &message), DYN_DONE);
  assert_int_equal(run_to(&csv, &s), DYN_SINK_FAILED);
  csv.close(csv.user);
  fclose(file);
  /* A long run is not integrated to the end for nothing. */
  assert_int_equal(dyn_csv_open("/dev/full", &csv, &message), DYN_DONE);
  dyn_model m = oscillator_model();
  dyn_problem problem = {&m, one, NULL};
  dyn_run_options o = run_options(1e6, 0.1, 1e-3, NULL);
  double x[2] = {1, 0};
  assert_int_equal(dyn_run(&problem, &o, &csv, NULL, x, &s), DYN_SINK_FAILED);
  assert_true(s.rows < 10000);
  csv.close(csv.user);
  dyn_run_summary_clear(&s);
  assert_int_equal(dyn_csv_open("/nowhere/at/all.csv", &csv, &message), DYN_BAD_FILE);
  assert_string_equal(message.text,
                      "cannot write to /nowhere/at/all.csv: No such file or directory");
}

/* The module lies in the build folder, this program in tests/ below it. */
static void *open_module(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 100);
  if (length < 0) return NULL;
  path[length] = 0;
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash : path, "/../libdyn_hdf5.so");
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Reads a column by the library that the module is linked with; returns its length. */
static int64_t read_column(void *library, const char *path, const char *name, double *values) {
  int64_t (*file_open)(const char *, unsigned, int64_t);
  int64_t (*column_open)(int64_t, const char *, int64_t);
  int64_t (*get_space)(int64_t);
  int64_t (*count_points)(int64_t);
  int (*read)(int64_t, int64_t, int64_t, int64_t, int64_t, void *);
  int (*attribute_exists)(int64_t, const char *);
  int (*close_it)(int64_t);
  *(void **)&file_open = dlsym(library, "H5Fopen");
  *(void **)&column_open = dlsym(library, "H5Dopen2");
  *(void **)&get_space = dlsym(library, "H5Dget_space");
  *(void **)&count_points = dlsym(library, "H5Sget_simple_extent_npoints");
  *(void **)&read = dlsym(library, "H5Dread");
  *(void **)&attribute_exists = dlsym(library, "H5Aexists");
  *(void **)&close_it = dlsym(library, "H5Idec_ref");
  int64_t *type = dlsym(library, "H5T_NATIVE_DOUBLE_g");
  int64_t file = file_open(path, 0, 0);
  assert_true(file >= 0);
  int64_t column = column_open(file, name, 0);
  assert_true(column >= 0);
  assert_true(attribute_exists(column, "unit") > 0);
  assert_true(attribute_exists(column, "doc") > 0);
  int64_t space = get_space(column), count = count_points(space);
  assert_true(read(column, *type, 0, 0, 0, values) >= 0);
  close_it(space);
  close_it(column);
  close_it(file);
  return count;
}

static dyn_status open_hdf5_sink(const dyn_hdf5_module *module, const char *path, dyn_sink *sink) {
  dyn_table table;
  dyn_message message;
  dyn_status status = module->open(path, &table, &message);
  return status ? status : dyn_table_sink(&table, sink, &message);
}

static void test_hdf5(void **state) {
  (void)state;
  void *library = open_module();
  if (!library) skip(); /* not built */
  dyn_hdf5_entry *entry;
  *(void **)&entry = dlsym(library, "dyn_hdf5");
  assert_non_null(entry);
  assert_int_equal(entry()->abi, DYN_HDF5_ABI);
  char path[64];
  static double values[20000];
  temporary(path, ".h5");
  dyn_sink sink;
  dyn_table table;
  dyn_message message;
  dyn_run_summary s = {0};
  assert_int_equal(open_hdf5_sink(entry(), path, &sink), DYN_DONE);
  assert_int_equal(run_to(&sink, &s), DYN_DONE);
  sink.close(sink.user);
  assert_int_equal(read_column(library, path, "x", values), 11);
  assert_close(values[10], cos(1), 1e-8);
  assert_int_equal(read_column(library, path, "sum, x + x'", values), 11);
  /* A run that fails leaves its rows. */
  dyn_model m = blow_up_model(blow_up_rhs);
  dyn_problem problem = {&m, NULL, NULL};
  dyn_run_options o = run_options(2, 1e-4, 1e-8, NULL);
  double x[1] = {1};
  assert_int_equal(open_hdf5_sink(entry(), path, &sink), DYN_DONE);
  assert_int_equal(dyn_run(&problem, &o, &sink, NULL, x, &s), DYN_STEP_TOO_SMALL);
  sink.close(sink.user);
  int64_t rows = read_column(library, path, "z", values);
  assert_int_equal(rows, s.rows);
  assert_true(rows >= 10000 && rows <= 10001);
  assert_close(values[9000], 10, 1e-4);
  unlink(path);
  assert_int_equal(entry()->open("/nowhere/at/all.h5", &table, &message), DYN_BAD_FILE);
  print_message("%s\n", message.text);
  assert_non_null(strstr(message.text, "cannot write to /nowhere/at/all.h5: "));
  dyn_run_summary_clear(&s);
}

/* 3000 rows of a number and a text. */
static void fill(dyn_table *table) {
  static const dyn_table_column columns[] = {{.name = "i"},
                                             {.name = "what, \"why\"", .is_text = 1}};
  dyn_model m = oscillator_model();
  char text[40];
  assert_int_equal(table->begin(table->user, &m, 2, columns), 0);
  for (int i = 0; i < 3000; i++) {
    double numbers[2] = {i, 0};
    const char *texts[2] = {NULL, text};
    snprintf(text, sizeof text, i % 2 ? "θ of %d, or so" : "", i);
    assert_int_equal(table->row(table->user, numbers, texts), 0);
  }
  assert_int_equal(table->finish(table->user), 0);
  table->close(table->user);
}

static void test_tables_with_texts(void **state) {
  (void)state;
  char path[64], line[200];
  dyn_table table;
  dyn_message message;
  temporary(path, ".csv");
  assert_int_equal(dyn_csv_table_open(path, &table, &message), DYN_DONE);
  fill(&table);
  FILE *file = fopen(path, "rb");
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "i,\"what, \"\"why\"\"\"\n");
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "0,\n");
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "1,\"θ of 1, or so\"\n");
  fclose(file);
  unlink(path);
}

static size_t read_whole(const char *path, char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(bytes, 1, size, file);
  assert_true(length < size);
  fclose(file);
  return length;
}

/* Text columns of HDF5, and that files of equal rows are equal although they are made at different
 * times. */
static void test_hdf5_tables(void **state) {
  (void)state;
  enum { SIZE = 1 << 20 };
  void *library = open_module();
  if (!library) skip(); /* not built */
  dyn_hdf5_entry *entry;
  *(void **)&entry = dlsym(library, "dyn_hdf5");
  char paths[2][64], *bytes[2];
  size_t lengths[2];
  dyn_table table;
  dyn_message message;
  static double values[3000];
  for (int i = 0; i < 2; i++) {
    temporary(paths[i], ".h5");
    assert_int_equal(entry()->open(paths[i], &table, &message), DYN_DONE);
    fill(&table);
    lengths[i] = read_whole(paths[i], bytes[i] = malloc(SIZE), SIZE);
    sleep(i == 0); /* times in files have a resolution of a second */
  }
  assert_int_equal(lengths[0], lengths[1]);
  assert_memory_equal(bytes[0], bytes[1], lengths[0]);
  assert_int_equal(read_column(library, paths[0], "i", values), 3000);
  assert_true(values[2999] == 2999);
  int found = 0;
  for (size_t at = 0; at + 16 < lengths[0]; at++)
    found += !memcmp(bytes[0] + at, "θ of 2999, or so", 17);
  assert_int_equal(found, 1);
  for (int i = 0; i < 2; i++) {
    unlink(paths[i]);
    free(bytes[i]);
  }
}

static void test_table_errors(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", ":1: the file is empty; a header row of names is expected"},
      {"t\n1\n", ":1: a column of times and at least one more are expected"},
      {"t,F,F\n", ":1: two columns are named F"},
      {"t,,F\n", ":1: a column without a name in the header row"},
      {"t,F\n0,1\n", ": a table needs at least two rows, not 1"},
      {"t,F\n0,1\n1\n", ":3: fewer fields than the 2 columns of the header"},
      {"t,F\n0,1\n1,2,3\n", ":3: more fields than the 2 columns of the header"},
      {"t,F\n0,1\n\n0,2\n", ":4: the times in column t must increase, but 0 follows 0"},
      {"t,F\n0,one\n", ":2: \"one\" is not a number"},
      {"t,F\n0,1e999\n", ":2: \"1e999\" is not a finite number"},
      {"t,F\n0,\"1\n", ":2: a quoted field does not end"},
      {"t,F\n0,\"1\"2\n", ":2: text after a quoted field"},
      {"t;F\n0;1\n", ":1: a column of times and at least one more are expected"},
      {"t,F\n0,1\r2\n", ":2: a carriage return within a line"},
  };
  char path[64];
  temporary(path, ".csv");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dyn_input_table *table;
    dyn_message message;
    write_file(path, cases[i].text);
    assert_int_equal(dyn_input_table_read(path, &table, &message), DYN_BAD_FILE);
    assert_null(table);
    assert_memory_equal(message.text, path, strlen(path));
    assert_string_equal(message.text + strlen(path), cases[i].message);
  }
  unlink(path);
  dyn_input_table *table;
  dyn_message message;
  assert_int_equal(dyn_input_table_read(path, &table, &message), DYN_BAD_FILE);
  assert_non_null(strstr(message.text, "No such file or directory"));
}

static void test_table_forms(void **state) {
  (void)state;
  static const char *const texts[] = {
      "t,F\n0,1\n1,3\n2,5\n",
      "\xEF\xBB\xBF\n t ,F \r\n0, 1\r\n\r\n1,3\r\n2,5",
      "\"t\",\"F\"\n\"0\",\"1\"\n1,+3.0e0\n2,5\n\n\n",
  };
  char path[64];
  temporary(path, ".csv");
  for (size_t i = 0; i < 3; i++) {
    dyn_input_table *table;
    dyn_message message = {""};
    write_file(path, texts[i]);
    if (dyn_input_table_read(path, &table, &message)) fail_msg("%zu: %s", i, message.text);
    assert_int_equal(dyn_input_table_find(table, "F"), 0);
    assert_string_equal(dyn_input_table_name(table, 0), "F");
    assert_close(dyn_input_table_value(table, 0, 1.25), 3.5, 1e-15);
    assert_true(isnan(dyn_input_table_value(table, 0, 2.01)));
    assert_true(isnan(dyn_input_table_value(table, 0, -0.01)));
    dyn_input_table_free(table);
  }
  unlink(path);
}

static void test_interpolation_is_monotone(void **state) {
  (void)state;
  static const double t[] = {0, 1, 2, 3, 4, 6}, y[] = {0, 0, 1, 1, 0.5, -3};
  const char *name = "F";
  const double *columns[] = {y};
  dyn_input_table *table;
  assert_int_equal(dyn_input_table_new(6, t, 1, &name, columns, &table, NULL), DYN_DONE);
  double before = 0;
  for (int i = 0; i <= 600; i++) {
    double now = dyn_input_table_value(table, 0, i / 100.0);
    assert_true(now >= -3 - 1e-15 && now <= 1 + 1e-15);
    if (i <= 300) assert_true(now >= before - 1e-15);
    if (i > 300) assert_true(now <= before + 1e-15);
    before = now;
  }
  for (int i = 0; i < 6; i++) assert_true(dyn_input_table_value(table, 0, t[i]) == y[i]);
  /* The slope is continuous at the knots. */
  for (int i = 1; i < 5; i++) {
    double h = 1e-7, at = dyn_input_table_value(table, 0, t[i]);
    double left = (at - dyn_input_table_value(table, 0, t[i] - h)) / h;
    double right = (dyn_input_table_value(table, 0, t[i] + h) - at) / h;
    assert_close(left, right, 1e-5);
  }
  dyn_input_table_free(table);
}

static double cosine(void *user, double t) {
  return *(double *)user * cos(t);
}

static void test_driven_inputs(void **state) {
  (void)state;
  enum { ROWS = 2001 };
  static double t[ROWS], f[ROWS];
  for (int i = 0; i < ROWS; i++) f[i] = cos(t[i] = i * 0.005);
  const char *name = "F";
  const double *columns[] = {f};
  dyn_input_table *table;
  assert_int_equal(dyn_input_table_new(ROWS, t, 1, &name, columns, &table, NULL), DYN_DONE);
  double factor = 1;
  dyn_input_source sources[] = {{.kind = DYN_INPUT_DEFAULT},
                                {.kind = DYN_INPUT_TABLE, .table = table},
                                {.kind = DYN_INPUT_FUNCTION, .function = cosine, .user = &factor},
                                {.kind = DYN_INPUT_CONSTANT, .value = 2}};
  dyn_model m = driven_model();
  for (int i = 0; i < 4; i++) { /* x'' = cos t: x = 2 - cos t from x(0) = 1 */
    dyn_problem problem = {&m, NULL, &sources[i]};
    dyn_run_options o = run_options(10, 0.1, 1e-9, NULL);
    dyn_run_summary s = {0};
    double x[2] = {1, 0};
    assert_int_equal(dyn_run(&problem, &o, NULL, NULL, x, &s), DYN_DONE);
    assert_close(x[0], i < 3 ? 2 - cos(10) : 101, i == 1 ? 1e-5 : 1e-7);
    o.until = 10.1;
    x[0] = 1, x[1] = 0;
    dyn_status status = dyn_run(&problem, &o, NULL, NULL, x, &s);
    assert_int_equal(status, i == 1 ? DYN_BAD_INPUT : DYN_DONE);
    if (i == 1)
      assert_string_equal(s.message.text, "the table of the input F goes from t = 0 s to 10 s, "
                                          "the run from 0 s to 10.1 s");
    dyn_run_summary_clear(&s);
  }
  dyn_problem problem = {&m, NULL, &sources[1]};
  sources[1].column = 1;
  double u;
  dyn_message message;
  assert_int_equal(dyn_input_values(&problem, 1, &u, &message), DYN_BAD_INPUT);
  sources[1].column = 0;
  assert_int_equal(dyn_input_values(&problem, 1, &u, &message), DYN_DONE);
  assert_close(u, cos(1), 1e-12);
  dyn_input_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_csv_round_trip), cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_hdf5),           cmocka_unit_test(test_tables_with_texts),
      cmocka_unit_test(test_hdf5_tables),    cmocka_unit_test(test_table_errors),
      cmocka_unit_test(test_table_forms),    cmocka_unit_test(test_interpolation_is_monotone),
      cmocka_unit_test(test_driven_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
