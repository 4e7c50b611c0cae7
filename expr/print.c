/* The loop of the printers, and the public functions that print one expression. */
#include "expr/print.h"

enum { DEFAULT_LIMIT = 4 << 20 };

/* ---- facts about nodes */

static struct node_info symbol_info(const struct expr_graph *graph, uint32_t index) {
  return (struct node_info){index, index, graph->symbols.items[index].rank};
}

/* Nodes of the walk that are new to the printer, operands first. */
static void learn(struct expr_printer *printer, const expr *roots, size_t count) {
  struct expr_graph *graph = printer->graph;
  struct expr_list nodes = {0};
  graph_walk(graph, roots, count, &nodes);
  for (uint32_t i = 0; i < nodes.count; i++) {
    expr e = nodes.items[i];
    if (map_get(&printer->index, e) != 0) continue;
    const struct expr_node *node = node_at(graph, e);
    struct node_info info = {UINT32_MAX, 0, 0};
    if (node->operator_ == EXPR_SYMBOL) info = symbol_info(graph, node->number);
    for (uint32_t k = 0; k < node->count; k++) {
      uint32_t at = map_get(&printer->index, node_argument(graph, e, k)) - 1;
      struct node_info below = printer->infos.items[at];
      if (below.first_symbol < info.first_symbol) info.first_symbol = below.first_symbol;
      if (below.last_symbol > info.last_symbol) info.last_symbol = below.last_symbol;
      if (below.rank > info.rank) info.rank = below.rank;
    }
    vector_push(&printer->infos, info);
    map_set(&printer->index, e, printer->infos.count);
  }
  vector_free(&nodes);
}

/* ---- pieces */

static void put(struct expr_printer *printer, struct piece piece) {
  vector_push(&printer->pieces, piece);
}

void put_string(struct expr_printer *printer, const char *text) {
  put(printer, (struct piece){.text = text});
}

void put_node(struct expr_printer *printer, expr node, enum level level) {
  put(printer, (struct piece){.node = node, .number = NUMBER_ONE, .level = (uint8_t)level});
}

void put_scaled(struct expr_printer *printer, expr node, uint32_t number, enum level level) {
  put(printer, (struct piece){.node = node, .number = number, .level = (uint8_t)level});
}

void put_number(struct expr_printer *printer, uint32_t number) {
  put(printer, (struct piece){.number = number});
}

static const char *name_of(const struct expr_printer *printer, expr node) {
  uint32_t label = map_get(&printer->names, node);
  return label == 0 ? NULL : printer->labels.items[label - 1];
}

static void expand(struct expr_printer *printer, struct piece piece) {
  const char *name = piece.unnamed ? NULL : name_of(printer, piece.node);
  if (name != NULL && piece.number == NUMBER_ONE) {
    text_put(printer->out, name);
    return;
  }
  printer->pieces.count = 0;
  if (printer->format == EXPR_TEXT)
    text_pieces(printer, piece);
  else
    latex_pieces(printer, piece);
  for (uint32_t i = printer->pieces.count; i > 0; i--)
    vector_push(&printer->stack, printer->pieces.items[i - 1]);
}

static bool print_piece(struct expr_printer *printer, struct text *out, struct piece first) {
  printer->out = out;
  printer->start = out->length;
  printer->stack.count = 0;
  learn(printer, &first.node, 1);
  vector_push(&printer->stack, first);
  while (printer->stack.count > 0) {
    struct piece piece = vector_pop(&printer->stack);
    if (piece.text != NULL)
      text_put(out, piece.text);
    else if (piece.node == 0)
      number_print(printer->graph, out, piece.number, printer->format == EXPR_LATEX);
    else
      expand(printer, piece);
    if (out->length - printer->start > printer->limit) {
      text_put(out, printer->format == EXPR_LATEX ? "\\ldots" : "...");
      return false;
    }
  }
  return true;
}

bool expr_printer_print(struct expr_printer *printer, struct text *out, expr e) {
  return print_piece(printer, out, (struct piece){.node = e, .number = NUMBER_ONE});
}

bool expr_printer_print_body(struct expr_printer *printer, struct text *out, expr e) {
  return print_piece(printer, out,
                     (struct piece){.node = e, .number = NUMBER_ONE, .unnamed = true});
}

/* ---- making printers */

struct expr_printer *expr_printer_new(struct expr_graph *graph, enum expr_format format,
                                      const expr *roots, size_t count) {
  struct expr_printer *printer = checked_calloc(1, sizeof *printer);
  printer->graph = graph;
  printer->format = format;
  printer->limit = DEFAULT_LIMIT;
  arena_init(&printer->arena);
  for (size_t i = 0; i < count; i++) vector_push(&printer->roots, roots[i]);
  learn(printer, roots, count);
  return printer;
}

void expr_printer_free(struct expr_printer *printer) {
  if (printer == NULL) return;
  map_free(&printer->index);
  map_free(&printer->names);
  vector_free(&printer->infos);
  vector_free(&printer->labels);
  vector_free(&printer->definitions);
  vector_free(&printer->stack);
  vector_free(&printer->pieces);
  vector_free(&printer->roots);
  arena_clear(&printer->arena);
  free(printer);
}

void expr_printer_limit(struct expr_printer *printer, size_t bytes) {
  printer->limit = bytes;
}

static void print_once(struct expr_graph *graph, enum expr_format format, struct text *out,
                       expr e) {
  struct expr_printer *printer = expr_printer_new(graph, format, NULL, 0);
  expr_printer_print(printer, out, e);
  expr_printer_free(printer);
}

void expr_print_text(struct expr_graph *graph, struct text *out, expr e) {
  print_once(graph, EXPR_TEXT, out, e);
}

void expr_print_latex(struct expr_graph *graph, struct text *out, expr e) {
  print_once(graph, EXPR_LATEX, out, e);
}
