/* libdyn_runtime finds the events of a compiled model: how often a ball bounces, and when. */
#include "bouncing_ball.h"
#include <dyn/dyn_runtime.h>
#include <stdio.h>

int main(void) {
  double p[BOUNCINGBALL_P_COUNT], x[BOUNCINGBALL_X_COUNT];
  dyn_problem problem = {.model = &BouncingBall_model, .p = p};
  dyn_run_options options;
  dyn_run_summary summary = {.status = DYN_DONE};
  dyn_message message = {""};
  dyn_status status = dyn_parameters_complete(problem.model, p, NULL, &message);
  if (status == DYN_DONE) status = dyn_run_options_init(problem.model, p, &options, &message);
  if (status == DYN_DONE) status = dyn_start_values(&problem, options.from, x, &message);
  if (status == DYN_DONE) status = dyn_run(&problem, &options, NULL, NULL, x, &summary);
  if (status == DYN_DONE) {
    const dyn_event_count *bounce = &summary.events[BOUNCINGBALL_E_1];
    printf("%d\n%.15g\n%.15g\n", (int)bounce->count, bounce->first, bounce->last);
    printf("%.15g\n%.15g\n", x[BOUNCINGBALL_X_Y], x[BOUNCINGBALL_X_Y_DOT]);
  } else {
    fprintf(stderr, "%s%s\n", message.text, summary.message.text);
  }
  dyn_run_summary_clear(&summary);
  return status == DYN_DONE ? 0 : 1;
}
