/* forms DYN BODIES ENERGIES: one system written in two ways, by bodies and by energies, moves in
 * one way. At each state that stands in the first model as a comment
 *
 *   #! at θ = 0.3, θ' = -1
 *
 * both give the same accelerations, kinetic energy and multipliers (those that both have) to 1e-12
 * relative to the largest of their kind, and potential energies whose difference is the same at
 * all states. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { LONGEST_LINE = 4096 };

struct comparison {
  const char *dyn, *models[2];
  int states, values, failures;
  bool has_offset;
  double offset; /* of the potential energies */
};

static json_t *evaluate(const struct comparison *c, const char *model, const char *at) {
  char command[2 * LONGEST_LINE];
  snprintf(command, sizeof command, "'%s' eval '%s' --json --at \"%s\"", c->dyn, model, at);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) return NULL;
  json_error_t error;
  json_t *values = json_loadf(pipe, 0, &error);
  int status = pclose(pipe);
  if (values != NULL && WIFEXITED(status) && WEXITSTATUS(status) == 0) return values;
  fprintf(stderr, "%s: failed\n", command);
  json_decref(values);
  return NULL;
}

static void compare(struct comparison *c, const char *at, const char *name, double a, double b,
                    double size) {
  c->values++;
  if (fabs(a - b) <= 1e-12 * size) return;
  fprintf(stderr, "at %s: %s is %.17g by bodies, %.17g by energies\n", at, name, a, b);
  c->failures++;
}

static double size_of(json_t *values) {
  double size = 1;
  const char *name;
  json_t *value;
  json_object_foreach(values, name, value) size = fmax(size, fabs(json_number_value(value)));
  return size;
}

static void compare_objects(struct comparison *c, const char *at, const char *kind,
                            json_t *const both[2]) {
  json_t *a = json_object_get(both[0], kind), *b = json_object_get(both[1], kind);
  double size = size_of(a);
  const char *name;
  json_t *value;
  json_object_foreach(a, name, value) {
    json_t *other = json_object_get(b, name);
    if (other != NULL)
      compare(c, at, name, json_number_value(value), json_number_value(other), size);
  }
}

static void compare_energies(struct comparison *c, const char *at, json_t *const both[2]) {
  double kinetic[2], potential[2];
  for (int i = 0; i < 2; i++) {
    kinetic[i] = json_number_value(json_object_get(both[i], "kinetic_energy"));
    potential[i] = json_number_value(json_object_get(both[i], "potential_energy"));
  }
  compare(c, at, "the kinetic energy", kinetic[0], kinetic[1], fmax(1, fabs(kinetic[0])));
  if (!c->has_offset) c->offset = potential[0] - potential[1];
  c->has_offset = true;
  compare(c, at, "the potential energy", potential[0], potential[1] + c->offset,
          fmax(1, fabs(potential[0]) + fabs(c->offset)));
}

static void compare_at(struct comparison *c, const char *at) {
  json_t *both[2];
  for (int i = 0; i < 2; i++) both[i] = evaluate(c, c->models[i], at);
  if (both[0] == NULL || both[1] == NULL) {
    c->failures++;
  } else {
    compare_objects(c, at, "accelerations", both);
    compare_objects(c, at, "multipliers", both);
    compare_energies(c, at, both);
  }
  for (int i = 0; i < 2; i++) json_decref(both[i]);
  c->states++;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  struct comparison c = {.dyn = arguments[1], .models = {arguments[2], arguments[3]}};
  FILE *model = fopen(c.models[0], "r");
  char line[LONGEST_LINE];
  if (model == NULL) return 2;
  while (fgets(line, sizeof line, model) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "#! at ", 6) == 0) compare_at(&c, line + 6);
  }
  fclose(model);
  printf("%d states, %d values, %d failures\n", c.states, c.values, c.failures);
  return c.failures == 0 && c.values > 2 * c.states && c.states > 0 ? 0 : 1;
}
