/* What a sweep says at its end, besides the table. */
#include "driver/sweep.h"
#include <stdio.h>
#include <stdlib.h>

void sweep_warn(struct sweep *sweep, const struct sweep_failures *failures) {
  dyn_context *context = session_context(sweep->session);
  unsigned long long count = sweep->variations.count;
  if (failures->failed > 0) {
    struct diagnostic *d =
        diagnostic_add(context, DIAG_TRAJECTORIES_FAILED, nowhere,
                       arena_format(&context->arena, "%llu", (unsigned long long)failures->failed),
                       arena_format(&context->arena, "%llu", count), NULL);
    for (int i = 0; i < SWEEP_STATUSES; i++) {
      const struct sweep_failure *f = &failures->by_status[i];
      if (f->count > 0)
        diagnostic_help(context, d, "%s: %llu, first trajectory %llu: %s",
                        dyn_status_name((dyn_status)i), (unsigned long long)f->count,
                        (unsigned long long)f->first, f->text);
    }
  }
  if (failures->moved > 0) {
    struct diagnostic *d = diagnostic_add(
        context, DIAG_VARIED_START_MOVED, nowhere,
        arena_format(&context->arena, "%llu", (unsigned long long)failures->moved), NULL);
    diagnostic_help(context, d,
                    "the table shows them as they were given; the equations leave less free");
  }
}

static void put_seconds(double seconds) {
  if (seconds >= 3600)
    fprintf(stderr, "%.3g h", seconds / 3600);
  else if (seconds >= 60)
    fprintf(stderr, "%.3g min", seconds / 60);
  else if (seconds >= 1)
    fprintf(stderr, "%.3g s", seconds);
  else if (seconds >= 1e-3)
    fprintf(stderr, "%.3g ms", 1e3 * seconds);
  else
    fprintf(stderr, "%.3g µs", 1e6 * seconds);
}

void sweep_print_summary(const struct sweep *sweep, const struct sweep_tally *tally) {
  if (!session_may_talk(sweep->session)) return;
  uint64_t count = tally->before + tally->ended;
  fprintf(stderr, "%llu trajector%s", (unsigned long long)count, count == 1 ? "y" : "ies");
  if (tally->before > 0)
    fprintf(stderr, ", of which %llu were there", (unsigned long long)tally->before);
  if (tally->failed > 0) fprintf(stderr, ", %llu ended early", (unsigned long long)tally->failed);
  if (tally->ended > 0) {
    fprintf(stderr, "; ");
    put_seconds(tally->seconds);
    fprintf(stderr, " with %u worker%s, ", (unsigned)tally->workers,
            tally->workers == 1 ? "" : "s");
    put_seconds(tally->busy_seconds / (double)tally->ended);
    fprintf(stderr, " of a worker for each");
    if (tally->lanes > 1)
      fprintf(stderr, ", %d at once", (int)tally->lanes);
    else if (tally->obstacle != NULL)
      fprintf(stderr, "; one by one: %s", tally->obstacle);
  }
  fputs("\n", stderr);
}
