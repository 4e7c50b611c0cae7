/* The unit of a generalized momentum, from that of its coordinate. */
#ifndef DYN_DERIVE_MOMENTUM_UNIT_H
#define DYN_DERIVE_MOMENTUM_UNIT_H
#include "base/text.h"

struct model;

/* Action over coordinate: "kg*m/s" for a coordinate in m, "kg*m^2/s" for one in rad; "1" in a model
 * without dimensions. */
void momentum_unit(const struct model *model, const char *coordinate_unit, struct text *out);
#endif
