/* Draws at most ten times a second, on one line that is wiped at the end. */
#include "driver/progress.h"
#include "compiler/compiler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };

struct progress progress_begin(bool wanted) {
  const char *terminal = getenv("TERM");
  bool is_terminal = isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
  return (struct progress){.is_on = wanted && is_terminal, .started = compiler_clock()};
}

void progress_update(void *user, double t, const dyn_run_options *options) {
  struct progress *progress = user;
  if (!progress->is_on) return;
  double now = compiler_clock(), span = options->until - options->from;
  if (now - progress->started < 1 || now - progress->last < 0.1 || span == 0) return;
  progress->last = now;
  progress->is_shown = true;
  double part = (t - options->from) / span;
  if (part < 0) part = 0;
  if (part > 1) part = 1;
  int filled = (int)(part * BAR_WIDTH);
  double left = part > 0 ? (now - progress->started) * (1 - part) / part : 0;
  fputs("\r[", stderr);
  for (int i = 0; i < BAR_WIDTH; i++) fputc(i < filled ? '#' : '.', stderr);
  fprintf(stderr, "] %3.0f %%  t = %.4g s  %.0f s left\033[K", 100 * part, t, left);
  fflush(stderr);
}

void progress_end(struct progress *progress) {
  if (progress->is_shown) fputs("\r\033[K", stderr);
  progress->is_shown = false;
}
