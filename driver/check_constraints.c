/* What `dyn check` says about constraints: each one's class in words with what proves it, and what
 * they are together. */
#include "driver/report.h"

static const char *const class_keys[] = {
    [CLASS_POSITION] = "position",         [CLASS_EXACT] = "exact",
    [CLASS_INTEGRABLE] = "integrable",     [CLASS_JOINT] = "jointly integrable",
    [CLASS_NONHOLONOMIC] = "nonholonomic", [CLASS_UNDECIDED] = "undecided"};

void report_put_names(const struct report *report, const uint32_t *constraints, uint32_t count,
                      const char *mark) {
  for (uint32_t i = 0; i < count; i++) {
    const char *name = report->model->constraints.items[constraints[i]].id.name;
    text_put(report->out, i > 0 ? ", " : "");
    text_format(report->out, "%s%s%s", mark, name, mark);
  }
}

/* ---------------------------------------------------------------- for people */

/* "parameters 'a' and 'b'" would be long: " for the present values of a, b" */
static void put_special(const struct report *report, const struct model_constraint *constraint) {
  text_format(report->out, " for the present value%s of ",
              constraint->special_count > 1 ? "s" : "");
  for (uint32_t i = 0; i < constraint->special_count; i++)
    text_format(report->out, "%s%s", i > 0 ? ", " : "",
                report->model->parameters.items[constraint->special[i]].id.name);
}

static bool is_special_class(const struct model_constraint *constraint) {
  return constraint->special_count > 0 && constraint->general.class != constraint->class;
}

static void put_integral(const struct report *report, const struct model_constraint *constraint) {
  if (is_special_class(constraint)) {
    put_special(report, constraint);
    text_put(report->out, " only, so it stays at velocity level");
    return;
  }
  if (constraint->integral == 0) {
    text_put(report->out, ", holonomic in disguise: no closed form of the integral was found, so "
                          "it stays at velocity level");
    return;
  }
  text_put(report->out, constraint->class == CLASS_EXACT ? ": the derivative of " : ": keeps ");
  report_put_formula(report, constraint->integral);
  if (constraint->class != CLASS_EXACT) text_put(report->out, " constant");
  if (constraint->class != CLASS_INTEGRABLE || constraint->integrating_factor == 0) return;
  text_put(report->out, " (integrating factor ");
  report_put_formula(report, constraint->integrating_factor);
  text_put(report->out, ")");
}

static void put_class(const struct report *report, const struct model_constraint *constraint) {
  struct text *out = report->out;
  switch (constraint->class) {
  case CLASS_POSITION:
    text_put(out, "position level, holonomic");
    break;
  case CLASS_EXACT:
  case CLASS_INTEGRABLE:
    text_put(out, "velocity level, holonomic");
    put_integral(report, constraint);
    break;
  case CLASS_JOINT:
    text_put(out, "velocity level, holonomic together with ");
    report_put_names(report, constraint->partners, constraint->partner_count, "");
    put_integral(report, constraint);
    break;
  case CLASS_NONHOLONOMIC:
    text_put(out, "velocity level, nonholonomic");
    if (constraint->bracket[0] != '\0') text_format(out, ": %s", constraint->bracket);
    break;
  case CLASS_UNDECIDED:
    text_put(out, "velocity level, undecided: taken for nonholonomic");
    break;
  }
}

static void put_constraint(const struct report *report, const struct model_constraint *constraint) {
  struct text *out = report->out;
  text_format(out, "  %s: %s%s%s\n    ", constraint->id.name, constraint->text,
              constraint->id.doc[0] != '\0' ? "  " : "", constraint->id.doc);
  put_class(report, constraint);
  text_put(out, "\n");
  if (constraint->is_rheonomic) text_put(out, "    rheonomic: it moves as time passes\n");
  if (!constraint->is_linear)
    text_put(out, "    not linear in the velocities: by Chetaev's rule\n");
  if (!constraint->is_redundant) return;
  text_put(out, "    redundant: it follows from ");
  report_put_names(report, constraint->partners, constraint->partner_count, "");
  if (constraint->special_count > 0 && !constraint->general.is_redundant)
    put_special(report, constraint);
  text_put(out, "; multipliers are not unique\n");
}

void report_put_constraints_text(const struct report *report) {
  const struct model *model = report->model;
  const struct model_structure *structure = &model->structure;
  struct text *out = report->out;
  uint32_t count = model->constraints.count;
  if (count == 0) return;
  text_format(out, "\nconstraints (%u)\n", count);
  for (uint32_t i = 0; i < count; i++) put_constraint(report, &model->constraints.items[i]);
  for (uint32_t i = 0; i < structure->combinations.count; i++) {
    const struct model_combination *combination = &structure->combinations.items[i];
    text_put(out, "  integrable together: ");
    report_put_names(report, combination->members, combination->count, "");
    if (combination->integral != 0) {
      text_put(out, ", which keep ");
      report_put_formula(report, combination->integral);
      text_put(out, " constant");
    }
    text_put(out, "\n");
  }
  text_format(out, "  rank %u of %u constraint%s", structure->rank, count, count == 1 ? "" : "s");
  if (structure->points > 0 && structure->bits == 0)
    text_format(out,
                "; holonomic and redundant as far as exact arithmetic at %u random point%s tells",
                structure->points, structure->points == 1 ? "" : "s");
  else if (structure->points > 0)
    text_format(out, "; holonomic and redundant as far as %u random point%s with %u bits tell",
                structure->points, structure->points == 1 ? "" : "s", structure->bits);
  else
    text_put(out, "; decided symbolically");
  text_put(out, "\n");
  if (!structure->is_certain)
    text_put(out, "  not certain: what is undecided is taken for nonholonomic\n");
}

/* ---------------------------------------------------------------- JSON */

static void json_text(struct text *out, const char *key, const char *value) {
  text_format(out, "\"%s\": ", key);
  text_json_string(out, value);
  text_put(out, ", ");
}

static void json_formula(const struct report *report, const char *key, expr formula) {
  struct text text = {0};
  text_format(report->out, "\"%s\": ", key);
  if (formula == 0) {
    text_put(report->out, "null, ");
    return;
  }
  expr_printer_print(report->printer, &text, formula);
  text_json_string(report->out, text_string(&text));
  text_put(report->out, ", ");
  text_free(&text);
}

static void json_constraint(const struct report *report,
                            const struct model_constraint *constraint) {
  static const char *const claims[] = {[CONSTRAINT_NO_CLAIM] = "none",
                                       [CONSTRAINT_HOLONOMIC] = "holonomic",
                                       [CONSTRAINT_NONHOLONOMIC] = "nonholonomic"};
  struct text *out = report->out;
  bool is_position = constraint->level == CONSTRAINT_POSITION;
  json_text(out, "name", constraint->id.name);
  json_text(out, "level", is_position ? "position" : "velocity");
  json_text(out, "class", class_keys[constraint->class]);
  text_format(out, "\"rheonomic\": %s, \"redundant\": %s, \"linear\": %s, ",
              constraint->is_rheonomic ? "true" : "false",
              constraint->is_redundant ? "true" : "false",
              constraint->is_linear ? "true" : "false");
  json_formula(report, "integral", constraint->integral);
  json_formula(report, "integrating_factor", constraint->integrating_factor);
  text_put(out, "\"partners\": [");
  report_put_names(report, constraint->partners, constraint->partner_count, "\"");
  text_put(out, "], \"only_for_values_of\": [");
  for (uint32_t i = 0; i < constraint->special_count; i++) {
    text_put(out, i > 0 ? ", " : "");
    text_json_string(out, report->model->parameters.items[constraint->special[i]].id.name);
  }
  text_put(out, "], ");
  json_text(out, "bracket", constraint->bracket);
  json_text(out, "claim", claims[constraint->claim]);
  json_text(out, "text", constraint->text);
  json_text(out, "unit", constraint->id.unit.si);
  json_text(out, "multiplier", constraint->multiplier_name);
  json_text(out, "multiplier_unit", constraint->multiplier_unit.si);
  json_text(out, "doc", constraint->id.doc);
  out->length -= 2; /* the last comma */
}

void report_put_constraints_json(const struct report *report) {
  const struct model *model = report->model;
  const struct model_structure *structure = &model->structure;
  struct text *out = report->out;
  text_put(out, "  \"constraints\": [");
  for (uint32_t i = 0; i < model->constraints.count; i++) {
    text_put(out, i > 0 ? ",\n    {" : "\n    {");
    json_constraint(report, &model->constraints.items[i]);
    text_put(out, "}");
  }
  text_put(out, model->constraints.count > 0 ? "\n  ],\n" : "],\n");
  text_put(out, "  \"combinations\": [");
  for (uint32_t i = 0; i < structure->combinations.count; i++) {
    const struct model_combination *combination = &structure->combinations.items[i];
    text_put(out, i > 0 ? ", {" : "{");
    json_formula(report, "integral", combination->integral);
    text_put(out, "\"members\": [");
    report_put_names(report, combination->members, combination->count, "\"");
    text_put(out, "]}");
  }
  text_format(out,
              "],\n  \"holonomic\": %u,\n  \"nonholonomic\": %u,\n"
              "  \"degrees_of_freedom\": %u,\n  \"rank\": %u,\n  \"points\": %u,\n"
              "  \"bits\": %u,\n  \"certain\": %s,\n",
              structure->holonomic, structure->nonholonomic, structure->degrees_of_freedom,
              structure->rank, structure->points, structure->bits,
              structure->is_certain ? "true" : "false");
}
