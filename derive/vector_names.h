/* Vectors as formulas: sums over unit vectors of named frames, which are symbols. */
#ifndef DYN_DERIVE_VECTOR_NAMES_H
#define DYN_DERIVE_VECTOR_NAMES_H
#include "base/map.h"
#include "derive/document.h"
#include "kinematics/kinematics.h"
#include "sema/model.h"

struct vector_names {
  const struct model *model;
  struct document *document;
  VECTOR(const char *) names; /* those of the model first */
  struct map name_of;         /* frame -> index in names + 1 */
  struct map unit_of;         /* 4 * frame + axis -> symbol */
  uint32_t named;             /* of names: the model's own */
  bool has_turns;             /* a formula has another one */
};

void vector_names_init(struct vector_names *names, const struct model *model,
                       struct document *document);
void vector_names_clear(struct vector_names *names);
/* l*θ'*A.x + ... in the frames that its parts have. Frames on the way to a named one, A, which
 * turns several times, are called A_1, A_2, ...; what has no name even so gives its parts to the
 * first frame above that has one. */
expr vector_names_print(struct vector_names *names, vector_id v);
/* Says in the document what A_1, A_2, ... are, if a formula had one of them. */
void vector_names_explain(struct vector_names *names);
#endif
