#ifndef CLOCOMOTION_ENCRYPTION_H
#define CLOCOMOTION_ENCRYPTION_H

#include <stddef.h>
#include <stdint.h>

// A virtual file system of SQLite that encrypts what it writes, page by page; see encryption.c.

enum {
  locomotion_encryption_key_length = 32,
  /// What is before the first page of an encrypted database, bytes.
  locomotion_encryption_header_length = 4096,
};

/// What stands at a path.
enum locomotion_encryption_state {
  /// No file, or one without content.
  locomotion_encryption_nothing,
  /// A file that this file system has not written.
  locomotion_encryption_plain,
  /// One that it has written, with another key when a key is given.
  locomotion_encryption_locked,
  /// One that it has written with this key.
  locomotion_encryption_open,
  /// A file that cannot be read.
  locomotion_encryption_unreadable,
};

/// Whether this was built with a cipher: without the trait `Encryption` all the others fail.
int locomotion_encryption_is_available(void);

/// Registers a file system called `name` over that called `base` (NULL: SQLite's own) with a key of
/// 32 bytes, of which it keeps a copy; an SQLite result code.
int locomotion_encryption_register(const char *name, const char *base, const uint8_t *key);

/// Removes a file system that no connection uses, and its key from memory.
void locomotion_encryption_unregister(const char *name);

/// What the file at `path` is to the key, or to none (NULL).
enum locomotion_encryption_state locomotion_encryption_inspect(
    const char *path, const uint8_t *key);

/// The first `limit` bytes of a database, or of its log, as SQLite sees them; what is damaged is zeros. The
/// caller frees `*bytes`. An SQLite result code; SQLITE_CANTOPEN when there is no such file.
int locomotion_encryption_read(
    const char *name, const char *database, int isLog, int64_t limit, uint8_t **bytes,
    int64_t *count);

/// Copies a database without a log into a file that is there and empty, waits for the disk and
/// compares. `from` and `to` name file systems; NULL is SQLite's own. An SQLite result code.
int locomotion_encryption_copy(
    const char *from, const char *source, const char *to, const char *target);

#endif
