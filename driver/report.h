/* The structure report of `dyn check`: what both of its forms are made from. */
#ifndef DYN_DRIVER_REPORT_H
#define DYN_DRIVER_REPORT_H
#include "driver/problem.h"
#include "expr/printer.h"

struct report {
  const struct model *model;
  const struct system *system;
  struct expr_printer *printer; /* of all formulas */
  const dyn_model *compiled;    /* interpreted */
  const dyn_assembly *assembly; /* of the start state */
  bool is_rheonomic;
  struct text *out;
};

void report_put_text(const struct report *report);
void report_put_json(const struct report *report);
/* Their sections about constraints. */
void report_put_constraints_text(const struct report *report);
void report_put_constraints_json(const struct report *report);
/* The formula as text. */
void report_put_formula(const struct report *report, expr formula);
/* Names of constraints, separated by ", " and each between two marks. */
void report_put_names(const struct report *report, const uint32_t *constraints, uint32_t count,
                      const char *mark);
#endif
