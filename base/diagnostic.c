/* Collecting diagnostics and the catalogue. Rendering is in diagnostic_render.c. */
#include "base/diagnostic.h"
#include "base/context.h"
#include <ctype.h>
#include <string.h>

enum { MOST_DIAGNOSTICS = 200, MOST_SHOWN = 6 /* instances around a fault */ };

static const struct diagnostic_entry entries[] = {
    {"E0000", SEVERITY_ERROR, "NONE", "", ""},
#define DIAGNOSTIC_NAME_ERROR(number) "E0" #number
#define DIAGNOSTIC_NAME_WARNING(number) "W0" #number
#define DIAGNOSTIC_NAME_NOTE(number) "N0" #number
#define DIAGNOSTIC(number, name, severity, message, explanation)                                   \
  {DIAGNOSTIC_NAME_##severity(number), SEVERITY_##severity, #name, message, explanation},
#include "base/catalogue.def"
#undef DIAGNOSTIC
};

const struct diagnostic_entry *diagnostic_entry(enum diagnostic_code code) {
  return &entries[code];
}

enum diagnostic_code diagnostic_find(const char *name) {
  if (name[0] != '\0' && isalpha((unsigned char)name[0])) name++;
  while (*name == '0') name++;
  for (int code = 1; code < DIAGNOSTIC_CODE_COUNT; code++)
    if (strcmp(entries[code].name + 2, name) == 0) return (enum diagnostic_code)code;
  return DIAG_NONE;
}

static void put_message(struct text *out, const char *pattern, va_list list) {
  const char *arguments[10] = {0};
  size_t count = 0;
  for (const char *argument; (argument = va_arg(list, const char *)) != NULL;)
    if (count < 10) arguments[count++] = argument;
  for (const char *p = pattern; *p != '\0'; p++) {
    if (p[0] != '{' || !isdigit((unsigned char)p[1]) || p[2] != '}') {
      text_add(out, p, 1);
      continue;
    }
    size_t index = (size_t)(p[1] - '0');
    if (index >= count) bug("the message \"%s\" got %zu arguments", pattern, count);
    text_put(out, arguments[index]);
    p += 2;
  }
}

void diagnostic_put_message(struct text *out, enum diagnostic_code code, ...) {
  va_list list;
  va_start(list, code);
  put_message(out, diagnostic_entry(code)->message, list);
  va_end(list);
}

static const char *fill_message(dyn_context *context, const char *pattern, va_list list) {
  struct text text = {0};
  put_message(&text, pattern, list);
  const char *message = arena_string(&context->arena, text_string(&text), text.length);
  text_free(&text);
  return message;
}

/* The message tells reports apart that have no place. */
static bool is_reported(const struct diagnostic_list *list, enum diagnostic_code code,
                        struct span span, const char *message) {
  for (uint32_t i = 0; i < list->count; i++) {
    const struct diagnostic *held = list->items[i];
    if (held->code == code && memcmp(&held->span, &span, sizeof span) == 0 &&
        (message == NULL || strcmp(held->message, message) == 0))
      return true;
  }
  return false;
}

/* A loop can repeat a report a million times: those that are not kept cost no memory. */
static struct diagnostic *unheard(struct diagnostic_list *list) {
  list->unheard = (struct diagnostic){.is_unheard = true};
  return &list->unheard;
}

/* What led to a place: from the inside out. Of a long chain, both ends. */
static void label_what_led_here(dyn_context *context, struct diagnostic *diagnostic,
                                struct span span) {
  const struct source_set *sources = &context->sources;
  uint32_t length = 0, at = 0;
  const struct source *source;
  for (uint32_t from = span.source; (source = source_get(sources, from)) != NULL;
       from = source->led_here.source)
    length += source->led_here.source != 0;
  for (; (source = source_get(sources, span.source)) != NULL && source->led_here.source != 0;
       span = source->led_here, at++) {
    bool is_middle = length > MOST_SHOWN && at >= MOST_SHOWN / 2 && at < length - MOST_SHOWN / 2;
    if (!is_middle)
      diagnostic_label(context, diagnostic, source->led_here,
                       source->written != 0 ? "in this instance" : "imported here");
  }
}

static bool is_omitted(const dyn_context *context, enum diagnostic_code code, struct span span) {
  const struct source *source = source_get(&context->sources, span.source);
  return context->diagnostics.omits_library_notes && source != NULL && source->is_library &&
         entries[code].severity == SEVERITY_NOTE;
}

struct diagnostic *diagnostic_add(dyn_context *context, enum diagnostic_code code,
                                  struct span place, ...) {
  struct diagnostic_list *list = &context->diagnostics;
  struct span span = source_written(&context->sources, place);
  if (is_omitted(context, code, span)) return unheard(list);
  if (span.source != 0 && is_reported(list, code, span, NULL)) return unheard(list);
  va_list arguments;
  va_start(arguments, place);
  const char *message = fill_message(context, entries[code].message, arguments);
  va_end(arguments);
  if (span.source == 0 && is_reported(list, code, span, message)) return unheard(list);
  list->error_count += entries[code].severity == SEVERITY_ERROR;
  list->warning_count += entries[code].severity == SEVERITY_WARNING;
  if (list->count == MOST_DIAGNOSTICS) {
    list->dropped++;
    return unheard(list);
  }
  struct diagnostic *diagnostic = arena_new(&context->arena, struct diagnostic);
  diagnostic->code = code;
  diagnostic->span = span;
  diagnostic->message = message;
  vector_push(list, diagnostic);
  label_what_led_here(context, diagnostic, place);
  return diagnostic;
}

void diagnostic_caption(dyn_context *context, struct diagnostic *diagnostic, const char *format,
                        ...) {
  if (diagnostic->is_unheard) return;
  va_list list;
  va_start(list, format);
  diagnostic->caption = arena_vformat(&context->arena, format, list);
  va_end(list);
}

/* Labels and helps are few: their arrays are copied within the arena as they grow. */
void diagnostic_label(dyn_context *context, struct diagnostic *diagnostic, struct span span,
                      const char *format, ...) {
  if (diagnostic->is_unheard) return;
  va_list list;
  va_start(list, format);
  const char *caption = arena_vformat(&context->arena, format, list);
  va_end(list);
  uint32_t count = diagnostic->labels.count;
  struct diagnostic_label *items = arena_array(&context->arena, struct diagnostic_label, count + 1);
  if (count > 0) memcpy(items, diagnostic->labels.items, count * sizeof *items);
  items[count] = (struct diagnostic_label){source_written(&context->sources, span), caption};
  diagnostic->labels.items = items;
  diagnostic->labels.count = diagnostic->labels.capacity = count + 1;
}

void diagnostic_help(dyn_context *context, struct diagnostic *diagnostic, const char *format, ...) {
  if (diagnostic->is_unheard) return;
  va_list list;
  va_start(list, format);
  const char *help = arena_vformat(&context->arena, format, list);
  va_end(list);
  uint32_t count = diagnostic->helps.count;
  const char **items = arena_array(&context->arena, const char *, count + 1);
  if (count > 0) memcpy(items, diagnostic->helps.items, count * sizeof *items);
  items[count] = help;
  diagnostic->helps.items = items;
  diagnostic->helps.count = diagnostic->helps.capacity = count + 1;
}

bool diagnostics_blame_command_line(const dyn_context *context) {
  for (uint32_t i = 0; i < context->diagnostics.count; i++) {
    const struct diagnostic *held = context->diagnostics.items[i];
    const struct source *source = source_get(&context->sources, held->span.source);
    if (entries[held->code].severity == SEVERITY_ERROR && source != NULL && source->is_command_line)
      return true;
  }
  return false;
}
