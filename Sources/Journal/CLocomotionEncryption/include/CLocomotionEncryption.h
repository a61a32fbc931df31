#ifndef CLOCOMOTION_ENCRYPTION_H
#define CLOCOMOTION_ENCRYPTION_H

#include <stddef.h>
#include <stdint.h>

// A virtual file system of SQLite that encrypts what it writes, page by page; see encryption.c.

enum {
  locomotion_encryption_key_length = 32,
  /// The length of the header before the first page of an encrypted database, bytes.
  locomotion_encryption_header_length = 4096,
};

/// The state of the file at a path.
enum locomotion_encryption_state {
  /// No file, or an empty one.
  locomotion_encryption_nothing,
  /// A file that was not written by this file system.
  locomotion_encryption_plain,
  /// A file that it has written, with another key when a key is given.
  locomotion_encryption_locked,
  /// A file that it has written with this key.
  locomotion_encryption_open,
  /// A file that cannot be read.
  locomotion_encryption_unreadable,
};

/// Whether a cipher was built in: without the trait `Encryption` all other functions fail.
int locomotion_encryption_is_available(void);

/// Registers a file system `name` over the file system `base` (NULL: SQLite's default) with a key
/// of 32 bytes, which is copied. Returns an SQLite result code.
int locomotion_encryption_register(const char *name, const char *base, const uint8_t *key);

/// Unregisters a file system that no connection uses, and erases its key from memory.
void locomotion_encryption_unregister(const char *name);

/// The state of the file at `path` for the key, or without a key (NULL).
enum locomotion_encryption_state locomotion_encryption_inspect(
    const char *path, const uint8_t *key);

/// Reads the first `limit` bytes of a database, or of its log, as SQLite sees them; damaged pages
/// of a database are zeros. The caller frees `*bytes`. Returns an SQLite result code;
/// SQLITE_CANTOPEN when there is no such file.
int locomotion_encryption_read(
    const char *name, const char *database, int isLog, int64_t limit, uint8_t **bytes,
    int64_t *count);

/// Copies a database without a log into an existing empty file, synchronizes it and compares.
/// `from` and `to` name file systems; NULL is SQLite's default. Returns an SQLite result code.
int locomotion_encryption_copy(
    const char *from, const char *source, const char *to, const char *target);

#endif
