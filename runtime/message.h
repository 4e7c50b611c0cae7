/* message.h: text of messages and reports, in buffers of a fixed size. */
#ifndef DYN_RUNTIME_MESSAGE_H
#define DYN_RUNTIME_MESSAGE_H
#include <stdarg.h>
#include "dyn/dyn_runtime.h"

/* Writes the message, cut at a whole character; message may be NULL. Returns status, so that
 * `return message_set(message, status, ...)` reads well. */
dyn_status message_set(dyn_message *message, dyn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void message_add(dyn_message *message, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends a text that was cut at the end of its buffer at a whole character. */
void message_cut(dyn_message *message);

/* Text that is written as far as it fits while its full length is counted, like snprintf. */
struct text_out {
  char *text;
  size_t size, length;
};
struct text_out text_out_begin(char *text, size_t size);
void text_out_add(struct text_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
