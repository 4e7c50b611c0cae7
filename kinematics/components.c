/* Components of a vector in one frame, edge by edge through the tree.
 *
 * First the parts beside the path from the world to the frame are brought to it, from the leaves
 * on: what arrives in a frame is added up before it goes on to the parent. Between two turns of
 * one parent about the same axis it takes the shortcut, by the difference of the angles. Then the
 * parts on the path go down it, again added up on the way. Both results are kept for every cell:
 * a chain with one more link costs one more edge. */
#include "kinematics/store.h"
#include <string.h>

/* Edges from which on parts are brought to a path singly: then twelve products for a frame's
 * rotation and nine for a part, but once for all vectors along a chain, cost less than four for
 * every edge and vector. */
enum { FAR = 12 };

static void unit(const struct kinematics *k, int axis, expr out[3]) {
  for (int i = 0; i < 3; i++) out[i] = i == axis ? k->one : k->zero;
}

/* R(of, above) for a frame above: rows are the axes of `above`, brought down, so that the frames
 * of one chain share their products. */
static void rotation_up(struct kinematics *k, frame_id of, frame_id above, expr out[9]) {
  for (int i = 0; i < 3; i++) {
    expr axis[3];
    unit(k, i, axis);
    vector_components(k, vector_in(k, above, axis), of, axis);
    for (int j = 0; j < 3; j++) out[i + 3 * j] = axis[j];
  }
}

/* ---- from the branches to the path */

static void heap_push(struct kinematics *k, struct part part) {
  uint32_t at = k->heap.count;
  vector_push(&k->heap, part);
  for (; at > 0 && k->heap.items[(at - 1) / 2].frame < part.frame; at = (at - 1) / 2)
    k->heap.items[at] = k->heap.items[(at - 1) / 2];
  k->heap.items[at] = part;
}

static struct part heap_pop(struct kinematics *k) {
  struct part top = k->heap.items[0], moved = vector_pop(&k->heap);
  uint32_t count = k->heap.count, at = 0;
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && k->heap.items[child + 1].frame > k->heap.items[child].frame) child++;
    if (k->heap.items[child].frame <= moved.frame) break;
    k->heap.items[at] = k->heap.items[child];
  }
  if (count > 0) k->heap.items[at] = moved;
  return top;
}

/* The sum of parts of one frame, as one sum per component. */
static struct part sum_of(struct kinematics *k, const struct part *parts, uint32_t count) {
  struct part result = parts[0];
  if (count == 1) return result;
  for (int i = 0; i < 3; i++) {
    k->terms.count = 0;
    for (uint32_t j = 0; j < count; j++) vector_push(&k->terms, parts[j].c[i]);
    result.c[i] = expr_sum(k->graph, k->terms.items, count);
  }
  k->terms.count = 0;
  return result;
}

/* What has come together in the greatest of the waiting frames. */
static struct part take_greatest(struct kinematics *k, vector_id *list) {
  frame_id greatest = cell_at(k, *list)->part.frame;
  if (k->heap.count > 0 && k->heap.items[0].frame > greatest) greatest = k->heap.items[0].frame;
  uint32_t height = k->parts.count;
  if (cell_at(k, *list)->part.frame == greatest) {
    vector_push(&k->parts, cell_at(k, *list)->part);
    *list = cell_at(k, *list)->rest;
  }
  while (k->heap.count > 0 && k->heap.items[0].frame == greatest) {
    struct part part = heap_pop(k);
    vector_push(&k->parts, part);
  }
  struct part result = sum_of(k, k->parts.items + height, k->parts.count - height);
  k->parts.count = height;
  return result;
}

/* One edge towards the path to `in`. */
static struct part step(struct kinematics *k, struct part part, frame_id in) {
  frame_id parent = frame_at(k, part.frame)->parent;
  struct part result = {parent, {0}};
  if (parent != in && frame_is_above(k, parent, in)) {
    frame_id next = frame_ancestor(k, in, frame_at(k, parent)->depth + 1);
    if (frame_is_about_same(k, part.frame, next)) {
      turn_across(k, part.frame, next, part.c, result.c);
      result.frame = next;
      return result;
    }
  }
  turn_up(k, part.frame, part.c, result.c);
  return result;
}

static int by_frame(const void *left, const void *right) {
  frame_id a = ((const struct part *)left)->frame, b = ((const struct part *)right)->frame;
  return (a > b) - (a < b);
}

/* result + the parts that have arrived on the path. */
static vector_id add_arrived(struct kinematics *k, vector_id result) {
  struct part *parts = k->arrived.items;
  uint32_t count = k->arrived.count;
  if (count > 1) qsort(parts, count, sizeof *parts, by_frame);
  for (uint32_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && parts[next].frame == parts[i].frame;) next++;
    struct part part = sum_of(k, parts + i, next - i);
    result = vector_add_part(k, result, part.frame, part.c);
  }
  k->arrived.count = 0;
  return result;
}

static bool is_on_path(const struct kinematics *k, vector_id v, frame_id in) {
  return !cell_at(k, v)->forked && frame_is_above(k, cell_at(k, v)->meeting, in);
}

/* Takes one edge if the part is not on the path yet; true if it is then. */
static bool arrives(struct kinematics *k, struct part *part, frame_id in) {
  if (!frame_is_above(k, part->frame, in)) *part = step(k, *part, in);
  return frame_is_above(k, part->frame, in);
}

static vector_id known_projection(const struct kinematics *k, vector_id v, frame_id in) {
  return is_on_path(k, v, in) ? v : map_get(&k->projections, map_pair(v, in));
}

static vector_id project_all(struct kinematics *k, vector_id v, frame_id in) {
  vector_id list = v, known = 0;
  while (k->heap.count > 0 || (known = known_projection(k, list, in)) == 0) {
    struct part part = take_greatest(k, &list);
    if (arrives(k, &part, in))
      vector_push(&k->arrived, part);
    else
      heap_push(k, part);
  }
  if (list == v) return known;
  vector_id result = add_arrived(k, known);
  map_set(&k->projections, map_pair(v, in), result);
  return result;
}

/* Of a fan of frames the last part is added apart from the others, whose sum is what longer vectors
 * will ask for. */
static vector_id project_near(struct kinematics *k, vector_id v, frame_id in) {
  vector_id known = known_projection(k, v, in);
  if (known != 0) return known;
  struct cell cell = *cell_at(k, v);
  if (!arrives(k, &cell.part, in)) return project_all(k, v, in);
  vector_id result = project_all(k, cell.rest, in);
  result = vector_add_part(k, result, cell.part.frame, cell.part.c);
  map_set(&k->projections, map_pair(v, in), result);
  return result;
}

static bool is_far(const struct kinematics *k, frame_id f, frame_id in) {
  uint32_t common = frame_at(k, frame_common(k, f, in))->depth;
  return frame_at(k, f)->depth - common > FAR;
}

/* One part from far away, by the rotation to where it meets the path. */
static vector_id add_far(struct kinematics *k, vector_id sum, struct part part, frame_id in) {
  expr rotation[9], c[3];
  frame_id common = frame_common(k, part.frame, in);
  rotation_up(k, part.frame, common, rotation);
  for (int i = 0; i < 3; i++)
    c[i] = dot_components(k, (expr[]){rotation[i], rotation[i + 3], rotation[i + 6]}, part.c);
  return vector_add_part(k, sum, common, c);
}

/* The same vector with all parts on the path from the world to `in`. From the leaves on, the parts
 * of a long chain share nothing with those of its beginning: far parts are brought singly, by
 * rotations that the chain shares. */
static vector_id project(struct kinematics *k, vector_id v, frame_id in) {
  uint32_t height = k->path.count;
  while (known_projection(k, v, in) == 0 && is_far(k, cell_at(k, v)->part.frame, in)) {
    vector_push(&k->path, v);
    v = cell_at(k, v)->rest;
  }
  vector_id result = project_near(k, v, in);
  while (k->path.count > height) {
    v = vector_pop(&k->path);
    result = add_far(k, result, cell_at(k, v)->part, in);
    map_set(&k->projections, map_pair(v, in), result);
  }
  return result;
}

/* ---- down the path */

static void remember(struct kinematics *k, uint64_t key, const expr c[3]) {
  struct triple triple = {{c[0], c[1], c[2]}};
  vector_push(&k->triples, triple);
  map_set(&k->components, key, k->triples.count);
}

/* Climbs from (v, in), where all parts are on the path to `in`, to where the components are known,
 * putting the pairs it meets on k->path. */
static void climb(struct kinematics *k, vector_id v, frame_id in, expr out[3]) {
  for (;;) {
    const struct cell *cell = cell_at(k, v);
    if (cell->part.frame == in && cell->rest == VECTOR_ZERO) {
      memcpy(out, cell->part.c, sizeof cell->part.c);
      return;
    }
    uint32_t known = map_get(&k->components, map_pair(v, in));
    if (known != 0) {
      memcpy(out, k->triples.items[known - 1].c, sizeof(struct triple));
      return;
    }
    vector_push(&k->path, v);
    vector_push(&k->path, in);
    if (cell->part.frame == in) v = cell->rest;
    in = frame_at(k, in)->parent;
  }
}

void vector_components(struct kinematics *k, vector_id a, frame_id in, expr out[3]) {
  a = project(k, a, in);
  if (a == VECTOR_ZERO) {
    for (int i = 0; i < 3; i++) out[i] = k->zero;
    return;
  }
  uint32_t height = k->path.count;
  climb(k, a, in, out);
  while (k->path.count > height) {
    frame_id f = vector_pop(&k->path);
    vector_id v = vector_pop(&k->path);
    turn_down(k, f, out, out);
    struct part part = cell_at(k, v)->part;
    for (int i = 0; i < 3 && part.frame == f; i++) out[i] = expr_add(k->graph, out[i], part.c[i]);
    remember(k, map_pair(v, f), out);
  }
}

/* ---- rotations */

void frame_rotation(struct kinematics *k, frame_id of, frame_id in, expr out[9]) {
  frame_id common = frame_common(k, of, in);
  rotation_up(k, of, common, out);
  if (common == in) return;
  frame_id start = common;
  if (common != of) {
    uint32_t below = frame_at(k, common)->depth + 1;
    frame_id one = frame_ancestor(k, of, below), two = frame_ancestor(k, in, below);
    if (frame_is_about_same(k, one, two)) {
      rotation_up(k, of, one, out);
      for (int j = 0; j < 3; j++) turn_across(k, one, two, out + 3 * j, out + 3 * j);
      start = two;
    }
  }
  for (int j = 0; j < 3; j++)
    vector_components(k, vector_in(k, start, out + 3 * j), in, out + 3 * j);
}
