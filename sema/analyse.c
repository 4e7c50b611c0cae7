/* The list of passes of semantic analysis, top to bottom. Each pass goes on where the ones before
 * it found faults, as far as that makes sense, so that all independent faults are reported. */
#include "sema/analysis.h"
#include "sema/flatten.h"
#include "sema/structure.h"
#include <string.h>

/* "examples/pendulum.dyn" names a model pendulum. */
static const char *default_name(dyn_context *context, uint32_t source) {
  const char *name = source_get(&context->sources, source)->name;
  const char *slash = strrchr(name, '/');
  if (slash != NULL) name = slash + 1;
  const char *dot = strrchr(name, '.');
  size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
  if (length == 0 || name[0] == '<' || name[0] == '-') return "model";
  return arena_string(&context->arena, name, length);
}

static struct model *model_new(dyn_context *context, const struct ast *ast) {
  struct model *model = checked_calloc(1, sizeof *model);
  model->graph = expr_graph_new(0);
  model->time = expr_symbol(model->graph, "t", NULL);
  model->name = default_name(context, ast->source);
  model->doc = ast->doc != NULL ? ast->doc : "";
  return model;
}

static void check_dimensions(struct analysis *a) {
  a->l->dimensions = dimension_check(a->scope);
  a->model->is_dimensionless = dimension_is_dimensionless(a->l->dimensions);
  for (uint32_t i = 0; i < a->texts.count; i++)
    dimension_check_assignments(a->l->dimensions, &a->texts.items[i]->text);
}

static void take_dimension_rows(struct analysis *a) {
  struct model_dimension_row *rows;
  uint32_t count = dimension_rows(a->l->dimensions, &rows);
  for (uint32_t i = 0; i < count; i++) vector_push(&a->model->dimensions, rows[i]);
}

static void prepare_rates(struct analysis *a) {
  uint32_t count = a->model->states.count;
  a->rates = arena_array(&a->context->arena, expr, count + 1);
  a->rate_spans = arena_array(&a->context->arena, struct span, count + 1);
}

static void flatten(struct analysis *a, const struct sema_overrides *overrides) {
  a->flattening =
      flatten_model(a->context, a->ast, overrides != NULL ? overrides->library : NULL);
  if (a->flattening != NULL) a->ast = flatten_ast(a->flattening);
}

static void analyse(struct analysis *a, const struct sema_overrides *overrides) {
  flatten(a, overrides);
  if (a->ast == NULL) return; /* too large to be written out */
  overrides_read(a, overrides);
  a->scope = scope_build(a->context, a->ast);
  a->l = lowering_new(a->context, a->scope, a->model);
  overrides_resolve(a);
  expand_constants(a);
  if (lower_is_exhausted(a->l)) return;
  check_dimensions(a);
  expand_model(a);
  if (lower_is_exhausted(a->l)) return;
  prepare_rates(a);
  lower_statements(a);
  overrides_lower(a);
  overrides_report_unused(a);
  if (lower_is_exhausted(a->l)) return;
  resolve_rates(a);
  check_constraints(a);
  classify_conditions(a);
  check_events(a);
  check_mechanics(a);
  check_speeds(a);
  check_numbers(a);
  if (a->context->diagnostics.error_count == 0) check_values(a);
  if (a->context->diagnostics.error_count == 0) check_weights(a);
  take_dimension_rows(a);
  lower_is_exhausted(a->l);
}

struct model *sema_analyse(dyn_context *context, const struct ast *ast,
                           const struct sema_overrides *overrides) {
  struct analysis a = {.context = context, .ast = ast, .model = model_new(context, ast)};
  analyse(&a, overrides);
  if (context->diagnostics.error_count == 0) structure_find(context, a.model);
  if (a.l != NULL) dimension_table_free(a.l->dimensions);
  lowering_free(a.l);
  scope_free(a.scope);
  overrides_free(&a);
  map_free(&a.entry_of_item);
  map_free(&a.site_of_item);
  vector_free(&a.jobs);
  flatten_free(a.flattening);
  if (context->diagnostics.error_count == 0) return a.model;
  model_free(a.model);
  return NULL;
}
