/* Text building, number printing, JSON escapes, UTF-8 decoding. */
#include "base/text.h"
#include "base/bug.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct text *text, size_t more) {
  if (text->length + more + 1 <= text->capacity) return;
  size_t wanted = text->capacity < 64 ? 64 : text->capacity * 2;
  if (wanted < text->length + more + 1) wanted = text->length + more + 1;
  text->bytes = checked_realloc(text->bytes, wanted);
  text->capacity = wanted;
}

void text_add(struct text *text, const char *bytes, size_t length) {
  reserve(text, length);
  if (length > 0) memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
}

void text_put(struct text *text, const char *string) {
  text_add(text, string, strlen(string));
}

void text_vformat(struct text *text, const char *format, va_list list) {
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0) bug("bad format '%s'", format);
  reserve(text, (size_t)length);
  vsnprintf(text->bytes + text->length, (size_t)length + 1, format, list);
  text->length += (size_t)length;
}

void text_format(struct text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  text_vformat(text, format, list);
  va_end(list);
}

/* A host program may have set a locale that writes 1,5: printf follows it, our texts do not. */
static void put_decimal_point(char *digits) {
  const char *point = localeconv()->decimal_point;
  char *found = strcmp(point, ".") == 0 ? NULL : strstr(digits, point);
  if (found == NULL) return;
  *found = '.';
  char *rest = found + strlen(point);
  memmove(found + 1, rest, strlen(rest) + 1);
}

void text_number(struct text *text, double number) {
  char digits[40];
  if (isnan(number)) snprintf(digits, sizeof digits, "nan");
  else if (isinf(number)) snprintf(digits, sizeof digits, number > 0 ? "inf" : "-inf");
  else
    for (int precision = 15; precision <= 17; precision++) {
      snprintf(digits, sizeof digits, "%.*g", precision, number);
      if (strtod(digits, NULL) == number) break; /* of the same locale */
    }
  put_decimal_point(digits);
  text_put(text, digits);
}

void text_json_number(struct text *text, double number) {
  if (isfinite(number)) text_number(text, number);
  else text_put(text, "null");
}

unsigned utf8_sequence(const char *bytes, size_t left, uint32_t *code_point) {
  const unsigned char *p = (const unsigned char *)bytes;
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3
                    : p[0] < 0xf5 ? 4 : 0;
  if (length == 0 || length > left) return 0;
  uint32_t value = length == 1 ? p[0] : p[0] & (0xffu >> (length + 1));
  for (unsigned i = 1; i < length; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
    value = value << 6 | (p[i] & 0x3f);
  }
  if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
  if (code_point != NULL) *code_point = value;
  return length;
}

void text_json_string(struct text *text, const char *string) {
  text_put(text, "\"");
  size_t left = strlen(string);
  while (left > 0) {
    unsigned char c = (unsigned char)*string;
    unsigned length = utf8_sequence(string, left, NULL);
    if (length == 0) text_put(text, "\xef\xbf\xbd");
    else if (c == '"' || c == '\\') text_format(text, "\\%c", c);
    else if (c == '\n') text_put(text, "\\n");
    else if (c == '\t') text_put(text, "\\t");
    else if (c < 0x20 || c == 0x7f) text_format(text, "\\u%04x", c);
    else text_add(text, string, length);
    string += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
  text_put(text, "\"");
}

const char *text_string(const struct text *text) {
  return text->bytes != NULL ? text->bytes : "";
}

char *text_take(struct text *text) {
  if (text->bytes == NULL) text_put(text, "");
  char *bytes = text->bytes;
  *text = (struct text){0};
  return bytes;
}

void text_free(struct text *text) {
  free(text->bytes);
  *text = (struct text){0};
}
