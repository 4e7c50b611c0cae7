/* "Did you mean": the candidate nearest to a name.
 *
 * Edits (insert, delete, replace, swap neighbours; the "optimal string alignment" distance) are
 * counted over code points, once on the names as they are and once on folded forms, where capital
 * letters are small, Greek letters are spelled out, subscript digits are digits and underscores
 * are gone. An edit weighs 2, folding weighs 1, so `Theta` is nearer to θ than to `beta`. */
#include "base/diagnostic.h"
#include "base/text.h"
#include <string.h>
#include <unicase.h>

enum { LONGEST = 80, EDIT = 2, FOLD = 1 };

struct letters {
  uint32_t items[LONGEST];
  uint32_t count; /* LONGEST + 1 if the name is longer: then it matches nothing */
};

/* From U+03B1 (alpha) on; final and plain sigma are both spelled sigma. */
static const char *const greek[] = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};

static void add_letter(struct letters *letters, uint32_t letter) {
  if (letters->count < LONGEST)
    letters->items[letters->count++] = letter;
  else
    letters->count = LONGEST + 1;
}

static void add_word(struct letters *letters, const char *word) {
  for (; *word != '\0'; word++) add_letter(letters, (unsigned char)*word);
}

static void fold_letter(struct letters *letters, uint32_t letter) {
  letter = uc_tolower(letter);
  if (letter == '_') return;
  if (letter >= 0x2080 && letter <= 0x2089) letter = '0' + (letter - 0x2080);
  if (letter >= 0x3b1 && letter < 0x3b1 + sizeof greek / sizeof *greek)
    add_word(letters, greek[letter - 0x3b1]);
  else if (letter == 0x3d1)
    add_word(letters, "theta");
  else if (letter == 0x3d5)
    add_word(letters, "phi");
  else if (letter == 0x3f5)
    add_word(letters, "epsilon");
  else
    add_letter(letters, letter);
}

static struct letters read_letters(const char *name, bool folded) {
  struct letters letters = {.count = 0};
  size_t left = strlen(name);
  while (left > 0 && letters.count <= LONGEST) {
    uint32_t letter = 0xfffd;
    unsigned length = utf8_sequence(name, left, &letter);
    if (length == 0) length = 1;
    if (folded)
      fold_letter(&letters, letter);
    else
      add_letter(&letters, letter);
    name += length;
    left -= length;
  }
  return letters;
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

/* The number of edits between a and b, or something above `most` if there are more. */
static uint32_t count_edits(const struct letters *a, const struct letters *b, uint32_t most) {
  uint32_t apart = a->count > b->count ? a->count - b->count : b->count - a->count;
  if (a->count > LONGEST || b->count > LONGEST || apart > most) return most + 1;
  uint32_t rows[3][LONGEST + 1];
  uint32_t *before = rows[0], *last = rows[1], *row = rows[2];
  for (uint32_t j = 0; j <= b->count; j++) row[j] = j;
  for (uint32_t i = 1; i <= a->count; i++) {
    uint32_t *oldest = before;
    before = last;
    last = row;
    row = oldest;
    row[0] = i;
    for (uint32_t j = 1; j <= b->count; j++) {
      bool same = a->items[i - 1] == b->items[j - 1];
      row[j] = least(last[j - 1] + !same, least(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a->items[i - 1] == b->items[j - 2] &&
          a->items[i - 2] == b->items[j - 1])
        row[j] = least(row[j], before[j - 2] + 1);
    }
  }
  return row[b->count];
}

/* One edit in three letters is a slip of the hand; a single letter must agree when folded. */
static uint32_t most_edits(const struct letters *name) {
  if (name->count <= 1) return 0;
  return name->count < 6 ? 1 : name->count / 3;
}

const char *nearest_name(const char *name, const char *const *candidates, size_t count) {
  struct letters plain = read_letters(name, false), folded = read_letters(name, true);
  uint32_t best_cost = UINT32_MAX;
  const char *best = NULL;
  for (size_t i = 0; i < count; i++) {
    struct letters other = read_letters(candidates[i], false);
    uint32_t most = most_edits(&plain), edits = count_edits(&plain, &other, most);
    uint32_t cost = edits <= most ? EDIT * edits : UINT32_MAX;
    other = read_letters(candidates[i], true);
    most = most_edits(&folded);
    edits = count_edits(&folded, &other, most);
    if (edits <= most) cost = least(cost, EDIT * edits + FOLD);
    if (cost < best_cost) {
      best_cost = cost;
      best = candidates[i];
    }
  }
  return best;
}
