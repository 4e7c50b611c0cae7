/* Sums that begin alike: a tree of prefixes.
 *
 * Operands are put in order of how many sums they are in, the most frequent first. Along a tree of
 * bodies the terms of a body are in the sums of all that hang on it and in its own besides, so they
 * come before those that follow; every sum along the tree is then a prefix of those behind it,
 * whatever order the terms were made in. Sums go into a tree of prefixes (J. Han, J. Pei, Y. Yin,
 * Mining frequent patterns without candidate generation, 2000: the FP-tree), in which the ends of
 * sums and the places where two part after more than one term are the partial sums. */
#include "expr/nested_sums.h"

struct item { /* a term: coefficient and node */
  struct expr_operand operand;
  uint32_t frequency, id;
};

struct prefix {
  uint32_t parent, item; /* 0 is the root */
  uint32_t depth, children;
  bool is_end;
  uint32_t place; /* 1 + its partial sum, 0: none */
};

struct finder {
  struct expr_graph *graph;
  struct map item_of;  /* (node, number) -> 1 + item */
  struct map child_of; /* (prefix, item) -> prefix */
  VECTOR(struct item) items, row;
  VECTOR(struct prefix) prefixes;
};

static uint32_t find_item(struct finder *f, struct expr_operand operand) {
  uint64_t key = map_pair(operand.node, operand.number);
  uint32_t found = map_get(&f->item_of, key);
  if (found == 0) {
    struct item item = {operand, 0, f->items.count};
    vector_push(&f->items, item);
    found = f->items.count;
    map_set(&f->item_of, key, found);
  }
  return found - 1;
}

static void count_items(struct finder *f, const expr *sums, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t terms;
    const struct expr_operand *operands = expr_operands(f->graph, sums[i], &terms);
    for (uint32_t k = 0; k < terms; k++) {
      uint32_t item = find_item(f, operands[k]);
      f->items.items[item].frequency++;
    }
  }
}

static int by_frequency(const void *left, const void *right) {
  const struct item *a = left, *b = right;
  if (a->frequency != b->frequency) return a->frequency > b->frequency ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

/* The prefix at which the sum ends. */
static uint32_t insert_sum(struct finder *f, expr sum) {
  uint32_t terms, at = 0;
  const struct expr_operand *operands = expr_operands(f->graph, sum, &terms);
  f->row.count = 0;
  for (uint32_t k = 0; k < terms; k++) {
    uint32_t item = find_item(f, operands[k]);
    vector_push(&f->row, f->items.items[item]);
  }
  qsort(f->row.items, f->row.count, sizeof *f->row.items, by_frequency);
  for (uint32_t k = 0; k < terms; k++) {
    uint64_t key = map_pair(at, f->row.items[k].id);
    uint32_t child = map_get(&f->child_of, key);
    if (child == 0) {
      child = f->prefixes.count;
      struct prefix prefix = {.parent = at, .item = f->row.items[k].id, .depth = k + 1};
      vector_push(&f->prefixes, prefix);
      f->prefixes.items[at].children++;
      map_set(&f->child_of, key, child);
    }
    at = child;
  }
  f->prefixes.items[at].is_end = true;
  return at;
}

/* The partial sum of a prefix: from the nearest one above on. */
static void keep_prefix(struct finder *f, struct nested_sums *nested, uint32_t prefix) {
  struct nested_sum sum = {.first = nested->operands.count};
  uint32_t at = prefix;
  do {
    vector_push(&nested->operands, f->items.items[f->prefixes.items[at].item].operand);
    at = f->prefixes.items[at].parent;
  } while (at != 0 && f->prefixes.items[at].place == 0);
  sum.base = f->prefixes.items[at].place;
  sum.count = nested->operands.count - sum.first;
  for (uint32_t i = 0, j = sum.count - 1; i < j; i++, j--) { /* in the order of the prefix */
    struct expr_operand *terms = nested->operands.items + sum.first, swap = terms[i];
    terms[i] = terms[j];
    terms[j] = swap;
  }
  vector_push(&nested->sums, sum);
  f->prefixes.items[prefix].place = nested->sums.count;
}

struct nested_sums nested_sums_find(struct expr_graph *graph, const expr *sums, size_t count) {
  struct finder f = {.graph = graph};
  struct nested_sums nested = {0};
  uint32_t *ends = checked_calloc(count + 1, sizeof *ends);
  vector_push(&f.prefixes, (struct prefix){0});
  count_items(&f, sums, count);
  for (size_t i = 0; i < count; i++) ends[i] = insert_sum(&f, sums[i]);
  for (uint32_t i = 1; i < f.prefixes.count; i++) { /* parents stand before their children */
    const struct prefix *prefix = &f.prefixes.items[i];
    if (prefix->is_end || (prefix->children > 1 && prefix->depth > 1)) keep_prefix(&f, &nested, i);
  }
  for (size_t i = 0; i < count; i++)
    if (ends[i] != 0) map_set(&nested.of, sums[i], f.prefixes.items[ends[i]].place);
  map_free(&f.item_of);
  map_free(&f.child_of);
  vector_free(&f.items);
  vector_free(&f.row);
  vector_free(&f.prefixes);
  free(ends);
  return nested;
}

void nested_sums_clear(struct nested_sums *nested) {
  map_free(&nested->of);
  vector_free(&nested->sums);
  vector_free(&nested->operands);
}
