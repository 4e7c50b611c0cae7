/* Functions in lanes against the long double ones of the C library, in units in the last place; a
 * lane's result is the same with 4 lanes and with 8 and depends on no other lane; what angles are
 * too large for the reduction is told, of their own lane alone. lane_functions lanes/functions.dyn:
 * a step of size 0 has the rates at its beginning as slopes. */
#include <dyn/dyn.h>
#include <dyn/dyn_lanes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 17, ROUNDS = 20000, SLOPES = 16, FIRST = 2 /* f0 */ };

#define QUARTER_TURN 1.57079632679489661923

static long double power(long double a, long double b) {
  return powl(a, b);
}

static const struct {
  const char *name;
  long double (*one)(long double);
  long double (*two)(long double, long double);
  double low, high, most; /* of the argument; units in the last place */
} functions[] = {
    {"sin", sinl, NULL, -0x1p30, 0x1p30, 1}, {"cos", cosl, NULL, -0x1p30, 0x1p30, 1},
    {"tan", tanl, NULL, -0x1p30, 0x1p30, 3}, {"asin", asinl, NULL, -1, 1, 4},
    {"acos", acosl, NULL, -1, 1, 4},         {"atan", atanl, NULL, -50, 50, 4},
    {"atan2", NULL, atan2l, -50, 50, 4},     {"sinh", sinhl, NULL, -300, 300, 4},
    {"cosh", coshl, NULL, -300, 300, 4},     {"tanh", tanhl, NULL, -20, 20, 4},
    {"exp", expl, NULL, -700, 700, 4},       {"log", logl, NULL, 1e-300, 1e3, 4},
    {"sqrt", sqrtl, NULL, 0, 1e6, 0.5},      {"pow", NULL, power, 1e-3, 50, 4},
    {"floor", floorl, NULL, -1e6, 1e6, 0},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct call { /* a step of size 0 */
  const dyn_lanes *lanes;
  double *block;
  double *y, *rate;
  dyn_lane_step step;
  double *slopes[SLOPES];
};

static void call_init(struct call *c, const dyn_lanes *lanes) {
  size_t vector = STATES * (size_t)lanes->lanes;
  size_t size = (vector * (SLOPES + 6) + (size_t)lanes->n_work) * sizeof(double);
  *c = (struct call){.lanes = lanes, .block = aligned_alloc(64, (size + 127) / 64 * 64)};
  memset(c->block, 0, size);
  for (int i = 0; i < SLOPES; i++) c->slopes[i] = c->block + (size_t)i * vector;
  double *next = c->block + SLOPES * vector;
  c->y = next;
  c->rate = c->slopes[1];
  double *zero = next + 5 * vector, *work = next + 6 * vector, *out = next + 4 * vector;
  c->step = (dyn_lane_step){.t = zero,
                            .h = zero,
                            .t_end = zero,
                            .y = c->y,
                            .y_end = next + vector,
                            .y_last = next + 2 * vector,
                            .scratch = next + 3 * vector,
                            .slopes = c->slopes,
                            .relative = zero,
                            .absolute = zero,
                            .cap = zero,
                            .error = out,
                            .error_low = out + 8,
                            .p = zero,
                            .u = zero,
                            .work = work,
                            .slope_change = out + 16,
                            .state_change = out + 24};
}

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

/* Uniform, of a random size, or beside a multiple of a quarter turn. */
static double argument(uint64_t *state, double low, double high) {
  double u = random_number(state), kind = random_number(state);
  double x = low + (high - low) * u;
  if (kind < 0.3) x *= pow(2, -60 * random_number(state));
  if (kind > 0.8) x = floor(x * pow(2, -25 * random_number(state)) / QUARTER_TURN) * QUARTER_TURN;
  return x < low ? low : x > high ? high : x;
}

static double units_off(double value, long double exact) {
  double size = fabs((double)exact), unit = nextafter(size, HUGE_VAL) - size;
  return (double)(fabsl(value - exact) / unit);
}

static int check_lost(struct call *c, const dyn_model *model) {
  int32_t width = c->lanes->lanes;
  for (int32_t k = 0; k < width; k++) {
    c->y[k] = 0.5;
    c->y[width + k] = 0.5;
  }
  c->y[1] = 0x1p31;
  c->y[3] = NAN;
  uint32_t lost = c->lanes->step(model, &c->step);
  if (lost != 10) fprintf(stderr, "%d lanes: lost are %x\n", (int)width, (unsigned)lost);
  return lost != 10;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  dyn_compiler *compiler = dyn_compiler_new();
  dyn_compiler_add_file(compiler, arguments[1]);
  const dyn_model *model = dyn_compiler_model(compiler, DYN_ENGINE_JIT);
  const dyn_lanes *four = dyn_compiler_lanes(compiler, "dop853", 4, NULL);
  const dyn_lanes *eight = dyn_compiler_lanes(compiler, "dop853", 8, NULL);
  if (model == NULL || four == NULL || eight == NULL || model->n_state != STATES) return 1;
  struct call a, b;
  uint64_t state = 1;
  int bad = 0;
  call_init(&a, four);
  call_init(&b, eight);
  for (int f = 0; f < FUNCTIONS; f++) {
    double most = 0, at = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (int k = 0; k < 8; k++) {
        b.y[k] = argument(&state, functions[f].low, functions[f].high);
        b.y[8 + k] = functions[f].two != NULL ? -4 + 8 * random_number(&state) : 1;
      }
      for (int k = 0; k < 4; k++) { /* in other lanes, with other neighbours */
        a.y[k] = b.y[7 - k];
        a.y[4 + k] = b.y[8 + 7 - k];
      }
      four->step(model, &a.step);
      eight->step(model, &b.step);
      for (int k = 0; k < 8; k++) {
        long double x = b.y[k], y = b.y[8 + k];
        double value = b.rate[(FIRST + f) * 8 + k];
        long double exact = functions[f].two != NULL ? functions[f].two(x, y) : functions[f].one(x);
        double off = units_off(value, exact);
        if (!(off <= most)) most = off, at = (double)x;
        if (k > 3 && a.rate[(FIRST + f) * 4 + 7 - k] != value) {
          fprintf(stderr, "%s(%a) depends on the lanes\n", functions[f].name, (double)x);
          bad = 1;
        }
      }
    }
    printf("%-5s %.3f units in the last place, at %.17g\n", functions[f].name, most, at);
    bad |= !(most <= functions[f].most);
  }
  bad |= check_lost(&a, model) | check_lost(&b, model);
  free(a.block);
  free(b.block);
  dyn_compiler_free(compiler);
  return bad;
}
