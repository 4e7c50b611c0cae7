/* The compiler in a program: recompile MODEL.dyn reads the file again for every line of standard
 * input, compiles it anew if its text has changed, and prints the accelerations at its start. A
 * text that is wrong is reported, and the last model that was right stays in use. */
#include <dyn/dyn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char *text = NULL;
  size_t room = 0;
  *length = 0;
  do {
    room += 65536;
    text = realloc(text, room);
    *length += fread(text + *length, 1, room - *length, file);
  } while (*length == room);
  fclose(file);
  return text;
}

static dyn_compiler *compile(const char *path, const char *text, size_t length) {
  dyn_compiler *compiler = dyn_compiler_new();
  dyn_compiler_add_text(compiler, path, text, length);
  if (dyn_compiler_model(compiler, DYN_ENGINE_JIT) != NULL) return compiler;
  char *report = dyn_compiler_diagnostics(compiler, DYN_DIAGNOSTICS_TEXT);
  fputs(report, stderr);
  dyn_text_free(report);
  dyn_compiler_free(compiler);
  return NULL;
}

static void print_accelerations(const dyn_model *model) {
  size_t sizes[] = {(size_t)model->n_work + 1, (size_t)model->n_parameters + 1,
                    (size_t)model->n_parameters + 1, (size_t)model->n_inputs + 1,
                    (size_t)model->n_state + 1, (size_t)model->n_coordinates + 1};
  double *array[6];
  for (int i = 0; i < 6; i++) array[i] = calloc(sizes[i], sizeof(double));
  double *work = array[0], *none = array[1], *p = array[2], *u = array[3], *x = array[4];
  model->complete_parameters(model, 0, none, NULL, none, work, p);
  model->default_inputs(model, 0, NULL, NULL, p, work, u);
  model->start(model, 0, NULL, u, p, work, x);
  if (model->acceleration(model, 0, x, u, p, work, array[5]) == DYN_OK)
    for (int i = 0; i < model->n_coordinates; i++)
      printf("%s %.17g\n", model->accelerations[i].name, array[5][i]);
  fflush(stdout);
  for (int i = 0; i < 6; i++) free(array[i]);
}

int main(int argc, char **argv) {
  char line[256], *known = NULL;
  size_t known_length = 0;
  dyn_compiler *compiler = NULL;
  if (argc != 2) {
    fputs("usage: recompile MODEL.dyn\n", stderr);
    return 2;
  }
  while (fgets(line, sizeof line, stdin) != NULL) {
    size_t length;
    char *text = read_file(argv[1], &length);
    if (text == NULL) {
      perror(argv[1]);
      break;
    }
    if (known == NULL || length != known_length || memcmp(text, known, length) != 0) {
      dyn_compiler *next = compile(argv[1], text, length);
      if (next != NULL) {
        dyn_compiler_free(compiler);
        compiler = next;
      }
      free(known);
      known = text;
      known_length = length;
    } else {
      free(text);
    }
    if (compiler != NULL) print_accelerations(dyn_compiler_model(compiler, DYN_ENGINE_JIT));
  }
  free(known);
  dyn_compiler_free(compiler);
  return 0;
}
