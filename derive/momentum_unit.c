/* Units of momenta: momentum times coordinate is an action, J*s = kg*m^2/s. */
#include "derive/momentum_unit.h"
#include "sema/model.h"
#include <string.h>

void momentum_unit(const struct model *model, const char *coordinate_unit, struct text *out) {
  const char *unit = coordinate_unit ? coordinate_unit : "1";
  if (model->is_dimensionless)
    text_put(out, "1");
  else if (strcmp(unit, "rad") == 0 || strcmp(unit, "1") == 0 || *unit == '\0')
    text_put(out, "kg*m^2/s");
  else if (strcmp(unit, "m") == 0)
    text_put(out, "kg*m/s");
  else
    text_format(out, strpbrk(unit, "*/^") ? "J*s/(%s)" : "J*s/%s", unit);
}
