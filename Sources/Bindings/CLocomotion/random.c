/* What Embedded Swift asks of the system and not every system has.
 *
 * It takes the seeds of its hashes from `arc4random_buf`, which Linux's C library lacks before 2022.
 * WebAssembly has no source of randomness without an import: the seeds are constant there, which
 * nothing depends on, as no answer depends on the order of a set. */

#include "locomotion_handles.h"

#ifdef LOCOMOTION_SMALL

#include <stddef.h>
#include <stdlib.h>

LOCOMOTION_INTERNAL void arc4random_buf(void *bytes, size_t size);

#ifdef __wasm__

void arc4random_buf(void *bytes, size_t size) {
  uint8_t *next = bytes;
  for (size_t index = 0; index < size; index++) next[index] = (uint8_t)(index * 181 + 77);
}

/* Where the words of a failed precondition would go. */
LOCOMOTION_INTERNAL int putchar(int character);

int putchar(int character) { return character; }

/* The system's calls of C's streams, which `strtod` has in it and does not make. */
int __imported_wasi_snapshot_preview1_fd_close(int file) { return file; }
int __imported_wasi_snapshot_preview1_fd_seek(int file, long long by, int from, int place) {
  return file;
}
int __imported_wasi_snapshot_preview1_fd_write(int file, int parts, int count, int place) {
  return file;
}

/* The number at the start of a text, and where it ends. */
LOCOMOTION_INTERNAL const char *_swift_stdlib_strtod_clocale(const char *text, double *value);

const char *_swift_stdlib_strtod_clocale(const char *text, double *value) {
  char *end;
  if ((unsigned char)*text <= ' ') return 0;
  *value = strtod(text, &end);
  return end;
}

#else

#include <sys/random.h>

void arc4random_buf(void *bytes, size_t size) {
  uint8_t *next = bytes;
  while (size > 0) {
    ssize_t count = getrandom(next, size < 256 ? size : 256, 0);
    if (count <= 0) continue; /* interrupted */
    next += count;
    size -= (size_t)count;
  }
}

#endif
#endif
