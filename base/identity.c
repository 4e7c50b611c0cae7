/* Build ids as the linker's --build-id leaves them: a note in the file, named GNU (elf(5)). Equal
 * sources, compiler and options give an equal id. */
#include "base/identity.h"
#include "base/map.h"
#include "base/vector.h"
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NOTES = 1 << 16, BLOCK = 1 << 16 };

static bool read_at(int file, void *out, size_t size, uint64_t place) {
  return pread(file, out, size, (off_t)place) == (ssize_t)size;
}

static bool put_note(const unsigned char *notes, size_t size, size_t align, struct text *out) {
  ElfW(Nhdr) head;
  for (size_t at = 0; at + sizeof head <= size;) {
    memcpy(&head, notes + at, sizeof head);
    size_t name = at + sizeof head, content = name + (head.n_namesz + align - 1) / align * align;
    size_t end = content + (head.n_descsz + align - 1) / align * align;
    if (content + head.n_descsz > size || end <= at) return false;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
        memcmp(notes + name, "GNU", 4) == 0) {
      for (size_t i = 0; i < head.n_descsz; i++) text_format(out, "%02x", notes[content + i]);
      return true;
    }
    at = end;
  }
  return false;
}

static bool put_build_id(int file, struct text *out) {
  ElfW(Ehdr) head;
  ElfW(Phdr) part;
  bool found = false;
  if (!read_at(file, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  for (unsigned i = 0; i < head.e_phnum && !found; i++) {
    if (!read_at(file, &part, sizeof part, head.e_phoff + (uint64_t)i * head.e_phentsize)) break;
    if (part.p_type != PT_NOTE || part.p_filesz > MOST_NOTES) continue;
    unsigned char *notes = checked_malloc(part.p_filesz + 1);
    found = read_at(file, notes, part.p_filesz, part.p_offset) &&
            put_note(notes, part.p_filesz, part.p_align == 8 ? 8 : 4, out);
    free(notes);
  }
  return found;
}

static bool put_hash(int file, struct text *out) {
  char *block = checked_malloc(BLOCK);
  uint64_t hash = 1, place = 0;
  ssize_t length;
  while ((length = pread(file, block, BLOCK, (off_t)place)) > 0) {
    hash = hash_bytes(block, (size_t)length, hash);
    place += (uint64_t)length;
  }
  free(block);
  text_format(out, "%016llx", (unsigned long long)hash);
  return length == 0;
}

bool identity_of_file(const char *path, struct text *out) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool good = put_build_id(file, out) || put_hash(file, out);
  close(file);
  return good;
}
