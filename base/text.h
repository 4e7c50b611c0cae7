/* A growing text, for printers. Owned: text_free when done (or text_take). */
#ifndef DYN_BASE_TEXT_H
#define DYN_BASE_TEXT_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct text {
  char *bytes; /* NUL-terminated once anything was added; NULL before */
  size_t length, capacity;
};

void text_add(struct text *text, const char *bytes, size_t length);
void text_put(struct text *text, const char *string);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vformat(struct text *text, const char *format, va_list list);
/* The shortest decimal that reads back as the same double; "inf", "-inf", "nan" otherwise. */
void text_number(struct text *text, double number);
/* A JSON string literal with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void text_json_string(struct text *text, const char *string);
/* A JSON number; null when it is not finite. */
void text_json_number(struct text *text, double number);
const char *text_string(const struct text *text); /* "" when empty; valid until the next change */
char *text_take(struct text *text);               /* the caller frees it */
void text_free(struct text *text);

/* Length of the valid UTF-8 sequence at `bytes` (1..4), 0 if it is not one. `left` > 0. */
unsigned utf8_sequence(const char *bytes, size_t left, uint32_t *code_point);
#endif
