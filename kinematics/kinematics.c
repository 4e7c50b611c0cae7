/* Life of the kinematics. */
#include "kinematics/store.h"

struct kinematics *kinematics_new(struct expr_graph *graph, struct expr_tangent *rate) {
  struct kinematics *k = checked_calloc(1, sizeof *k);
  k->graph = graph;
  k->rate = rate;
  k->zero = expr_integer(graph, 0);
  k->one = expr_integer(graph, 1);
  struct frame none = {0}, world = {.jump = FRAME_WORLD};
  vector_push(&k->frames, none);
  vector_push(&k->frames, world);
  struct cell empty = {.meeting = FRAME_WORLD};
  vector_push(&k->cells, empty);
  vector_push(&k->cells, empty);
  return k;
}

void kinematics_free(struct kinematics *k) {
  if (k == NULL) return;
  vector_free(&k->frames);
  vector_free(&k->cells);
  vector_free(&k->matrices);
  vector_free(&k->triples);
  vector_free(&k->parts);
  vector_free(&k->path);
  vector_free(&k->heap);
  vector_free(&k->arrived);
  vector_free(&k->terms);
  map_free(&k->frame_of_hash);
  map_free(&k->cell_of_hash);
  map_free(&k->components);
  map_free(&k->projections);
  map_free(&k->derivatives);
  map_free(&k->omegas);
  free(k);
}
