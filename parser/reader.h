/* What the reader tells the grammar about a token. Private to the parser. */
#ifndef DYN_PARSER_READER_H
#define DYN_PARSER_READER_H
#include "parser/build.h"

enum reader_class {
  READER_TOKEN, /* what its kind says */
  READER_START_MODEL,
  READER_START_ASSIGNMENTS,
  READER_SKIP,
  READER_TYPE_NAME,
  READER_LABEL_NAME,
  READER_ARGUMENT_NAME,
  READER_RESERVED
};

/* Reads one token: its class and its place (an index of builder->tokens). At the end it gives
 * FINISH again and again. */
enum reader_class reader_next(struct builder *b, struct token_range *at);
#endif
