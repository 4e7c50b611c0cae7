/* Progress of a sweep: on a terminal a line that is drawn anew, elsewhere a line now and then. */
#include "driver/sweep_progress.h"
#include "compiler/compiler.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30, LEAST_ENDED = 10 };

/* The sum of R further times with mean m and standard deviation s, both known from n of them, has
 * the variance R s^2 + R^2 s^2/n. Twice its root to both sides; chunks are begun in a scattered
 * order, so that those that have ended stand for all. */
bool sweep_time_left(const struct sweep_measure *measure, double *least, double *most) {
  uint64_t done = measure->known + measure->ended;
  double n = (double)measure->ended;
  if (measure->ended < LEAST_ENDED || done > measure->total) return false;
  double left = (double)(measure->total - done), mean = measure->seconds / n;
  double variance = fmax(0, measure->squares / n - mean * mean) * n / (n - 1);
  double spread = 2 * sqrt(left * variance + left * left * variance / n);
  double workers = fmin(measure->workers, fmax(1, left));
  *least = fmax(0, left * mean - spread) / workers;
  *most = (left * mean + spread) / workers;
  return true;
}

/* Two digits are more than enough. */
static double rounded(double value) {
  double unit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;
  return unit >= 1 ? round(value / unit) * unit : round(value);
}

static void put_rate(struct text *out, double rate) {
  if (rate >= 10)
    text_format(out, ", %.0f a second", rounded(rate));
  else
    text_format(out, ", %.2g a second", rate);
}

static void put_range(struct text *out, double least, double most) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"days", 86400}};
  int k = 0;
  while (k < 3 && most >= 3 * units[k + 1].seconds) k++;
  double a = rounded(least / units[k].seconds), b = rounded(most / units[k].seconds);
  if (b < 1)
    text_put(out, ", less than a second left");
  else if (a < 1)
    text_format(out, ", at most %.0f %s left", b, units[k].name);
  else if (a == b)
    text_format(out, ", %.0f %s left", b, units[k].name);
  else
    text_format(out, ", %.0f to %.0f %s left", a, b, units[k].name);
}

void sweep_progress_words(const struct sweep_measure *measure, struct text *out) {
  double least, most, n = (double)measure->ended;
  text_format(out, "%llu of %llu trajectories",
              (unsigned long long)(measure->known + measure->ended),
              (unsigned long long)measure->total);
  if (measure->ended >= LEAST_ENDED && measure->seconds > 0)
    put_rate(out, n * measure->workers / measure->seconds);
  if (sweep_time_left(measure, &least, &most)) put_range(out, least, most);
}

struct sweep_progress sweep_progress_begin(bool may_talk, bool is_asked) {
  const char *terminal = getenv("TERM");
  bool is_terminal = isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
  double now = compiler_clock();
  return (struct sweep_progress){.is_on = may_talk && (is_terminal || is_asked),
                                 .is_terminal = is_terminal,
                                 .started = now,
                                 .last = now};
}

void sweep_progress_show(struct sweep_progress *progress, const struct sweep_measure *measure) {
  double now = compiler_clock();
  if (!progress->is_on || now - progress->last < (progress->is_terminal ? 0.2 : 10)) return;
  if (now - progress->started < 1) return;
  progress->last = now;
  struct text line = {0};
  if (progress->is_terminal) {
    double part = (double)(measure->known + measure->ended) / (double)measure->total;
    text_put(&line, "\r[");
    for (int i = 0; i < BAR_WIDTH; i++) text_put(&line, i < part * BAR_WIDTH ? "#" : ".");
    text_put(&line, "] ");
  }
  sweep_progress_words(measure, &line);
  text_put(&line, progress->is_terminal ? "\033[K" : "\n");
  fputs(text_string(&line), stderr);
  fflush(stderr);
  text_free(&line);
  progress->is_shown = progress->is_terminal;
}

void sweep_progress_end(struct sweep_progress *progress) {
  if (progress->is_shown) fputs("\r\033[K", stderr);
  progress->is_shown = false;
}
