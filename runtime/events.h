/* events.h: when relations of a model become true during a run, and what they do. */
#ifndef DYN_RUNTIME_EVENTS_H
#define DYN_RUNTIME_EVENTS_H
#include "runtime/integrator.h"
#include "runtime/project.h"

struct events {
  struct evaluator *e;
  struct projection *projection; /* NULL without constraints */
  int32_t count;
  double t;                      /* what is_true is known at */
  double *x, *after;             /* the state at an event, and what the event makes of it */
  double *value, *rate, *before; /* count: at the state looked at last; two to work in */
  double *period;                /* count: of periodic events */
  unsigned char *is_true;        /* count */
  unsigned char *fires;          /* count: at the event in work */
  double *reset, *target;        /* n_resets; n_resets*(1 + n_coordinates) */
  double t_begin;                /* of the run */
  int64_t *samples;              /* count: how often a periodic event has happened */
  int32_t n_relations;           /* events that are not periodic */
  int is_fresh;                  /* the motion was just reset */
  int32_t turned;                /* then: an event whose reset turned its value around; -1: none */
  int64_t crowd;                 /* events since the time was `crowd_t` */
  double crowd_t;
  double t_last, gap; /* of the last event, and how long after the one before it came */
  int shrinking;      /* how often the gap has shrunk in a row while it was short */
};

/* Whether the event's relation is true where its function has this value. */
static inline int event_holds(const dyn_event *event, double value) {
  return (event->flags & DYN_EVENT_STRICT) ? value > 0 : value >= 0;
}

/* At the start state of a run. */
dyn_status events_init(struct events *events, struct evaluator *e, struct projection *projection,
                       double t, const double *x, dyn_message *message);
void events_clear(struct events *events);

static inline int event_is_periodic(const dyn_event *event) {
  return (event->flags & DYN_EVENT_PERIODIC) != 0;
}
/* When a periodic event happens next; HUGE_VAL without such events. */
double events_next_sample(const struct events *events);
/* At the begin of a run, at x: 1 if periodic events are to be applied (in events->x). */
int events_begin(struct events *events, const double *x);
/* Whether relations are among what happens at the event in work: they have rows of their own. */
int events_has_relation(const struct events *events);

/* Looks at the integrator's last step from where it looked last, up to t_end (within the step). 1
 * if an event was found: *t is its time, the first at which its relation is true or a
 * period is over, and events->x the state there; 0 if there is none; -1 and the message on failure,
 * in *status. */
int events_find(struct events *events, struct integrator *integrator, double t_end, double *t,
                dyn_status *status, dyn_message *message);

/* Resets events->x into events->after, also by events that this sets off, and counts them. Ends
 * with the constraints held. `length` is that of the run. *stopping: the event that ends the run,
 * -1: none does; *resets: whether something was reset. */
dyn_status events_apply(struct events *events, double t, double length, dyn_run_summary *summary,
                        int32_t *stopping, int *resets);
#endif
