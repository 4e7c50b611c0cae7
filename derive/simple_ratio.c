/* Recognises simple fractions in doubles, for combinations that are told in words. Whoever claims
 * something about them must show it otherwise. */
#include "derive/simple_ratio.h"
#include <math.h>
#include <stdlib.h>

bool simple_ratio_find(double x, long *p, long *q) {
  for (*q = 1; *q <= 12; ++*q) {
    double scaled = x * (double)*q;
    if (!(fabs(scaled) <= 1000)) return false;
    *p = lround(scaled);
    if (*p != 0 && fabs(scaled - (double)*p) < 1e-7 * (double)*q) return true;
  }
  return false;
}

void simple_ratio_put_term(struct text *out, bool first, long p, long q, const char *name) {
  text_put(out, first ? (p < 0 ? "-" : "") : (p < 0 ? " - " : " + "));
  if (labs(p) != 1) text_format(out, "%ld*", labs(p));
  text_put(out, name);
  if (q != 1) text_format(out, "/%ld", q);
}
