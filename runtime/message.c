/* message.c: text of messages and reports, in buffers of a fixed size. Promises that a message is
 * always terminated and never ends in half a UTF-8 character. */
#include "runtime/message.h"
#include <string.h>

/* The length of text without an incomplete character at its end. */
static size_t whole_characters(const char *text, size_t length) {
  size_t start = length;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
  if (start == 0) return length;
  unsigned char lead = (unsigned char)text[start - 1];
  size_t need = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return start - 1 + need <= length ? length : start - 1;
}

static void add(dyn_message *message, const char *format, va_list arguments) {
  size_t used = strlen(message->text), room = sizeof message->text - used;
  int length = vsnprintf(message->text + used, room, format, arguments);
  if (length >= 0 && (size_t)length >= room)
    message->text[whole_characters(message->text, sizeof message->text - 1)] = 0;
}

dyn_status message_set(dyn_message *message, dyn_status status, const char *format, ...) {
  if (message) {
    va_list arguments;
    va_start(arguments, format);
    message->text[0] = 0;
    add(message, format, arguments);
    va_end(arguments);
  }
  return status;
}

void message_add(dyn_message *message, const char *format, ...) {
  if (!message) return;
  va_list arguments;
  va_start(arguments, format);
  add(message, format, arguments);
  va_end(arguments);
}

void message_cut(dyn_message *message) {
  size_t length = strlen(message->text);
  if (length == sizeof message->text - 1)
    message->text[whole_characters(message->text, length)] = 0;
}

struct text_out text_out_begin(char *text, size_t size) {
  if (size > 0) text[0] = 0;
  return (struct text_out){text, size, 0};
}

void text_out_add(struct text_out *out, const char *format, ...) {
  size_t room = out->length < out->size ? out->size - out->length : 0;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(room ? out->text + out->length : NULL, room, format, arguments);
  va_end(arguments);
  if (length > 0) out->length += (size_t)length;
}
