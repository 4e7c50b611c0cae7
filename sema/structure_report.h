/* Diagnostics of the analysis of constraints; see structure_report.c. */
#ifndef DYN_SEMA_STRUCTURE_REPORT_H
#define DYN_SEMA_STRUCTURE_REPORT_H
#include "sema/structure.h"

/* False: it is an error; it is none where parameters that are varied may change it. */
bool report_no_configuration(struct pfaffian *p);
/* Whether the row is one of several components of an equation between vectors. */
bool is_component_row(const struct pfaffian *p, uint32_t row);
void report_no_gradient(struct pfaffian *p, uint32_t row);
/* In the same way. */
bool report_conflict(struct pfaffian *p, struct index_list rows);
/* The rows depend on each other; the redundant ones are marked. False: it is an error. */
bool report_redundant(struct pfaffian *p, struct index_list rows);
/* What is at the span depends on multipliers of the rows, which are not unique. */
void report_multiplier(struct pfaffian *p, struct index_list rows, struct span span,
                       const char *what);
void report_undecided(struct pfaffian *p);
void report_claims(struct pfaffian *p);
#endif
