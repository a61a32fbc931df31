// A virtual file system of SQLite, over another one, that encrypts a database and its write-ahead
// log with XChaCha20-Poly1305 of libsodium.
//
// The database begins with a header: magic bytes, a salt, and a constant that is sealed with the
// key to detect a wrong key. After it, page n, which SQLite sees at n * 4096, is stored as
//
//     nonce, 24 bytes | cipher text, 4096 bytes | tag, 16 bytes
//
// The log keeps its own header of 32 bytes, which contains nothing of the content: a magic number,
// the page size, counters, salts and a checksum of these. Each frame, a header of 24 bytes and the
// page, is sealed as one, so that neither the page's number nor its checksum is visible. The
// position of a block is authenticated with it: blocks cannot be exchanged, not even between two
// files, as each has a key of its own, derived from the user's key and the salt. (That a block was
// replaced by an older one of the same position cannot be detected; nor can it without encryption.)
//
// The file of locks and page numbers (-shm) is SQLite's own. A rollback journal is allowed only
// while the database is empty: SQLite makes one before it changes to the log. There are no other
// files: temporary ones are refused, and kept in memory by `PRAGMA temp_store = MEMORY`.

#include "CLocomotionEncryption.h"

#ifndef LOCOMOTION_ENCRYPTION

int locomotion_encryption_is_available(void) { return 0; }

int locomotion_encryption_register(const char *name, const char *base, const uint8_t *key) {
  (void)name;
  (void)base;
  (void)key;
  return 1;
}

void locomotion_encryption_unregister(const char *name) { (void)name; }

enum locomotion_encryption_state locomotion_encryption_inspect(
    const char *path, const uint8_t *key) {
  (void)path;
  (void)key;
  return locomotion_encryption_plain;
}

int locomotion_encryption_read(
    const char *name, const char *database, int isLog, int64_t limit, uint8_t **bytes,
    int64_t *count) {
  (void)name;
  (void)database;
  (void)isLog;
  (void)limit;
  (void)bytes;
  (void)count;
  return 1;
}

int locomotion_encryption_copy(
    const char *from, const char *source, const char *to, const char *target) {
  (void)from;
  (void)source;
  (void)to;
  (void)target;
  return 1;
}

#else

#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  page_length = 4096,
  nonce_length = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
  tag_length = crypto_aead_xchacha20poly1305_ietf_ABYTES,
  key_length = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
  salt_length = 16,
  header_length = locomotion_encryption_header_length,
  log_header_length = 32,
  frame_header_length = 24,
  frame_length = frame_header_length + page_length,
};

static const unsigned char letters[16] = "LocomotionCrypt1";

typedef sqlite3_int64 place_t;

/// The kinds of files of a database.
enum kind { kind_database, kind_log, kind_other };

/// A registered file system.
struct file_system {
  sqlite3_vfs vfs;
  sqlite3_vfs *base;
  unsigned char *key;
  char name[64];
};

struct encrypted_file {
  sqlite3_file sqlite;
  enum kind kind;
  /// The file's own key.
  unsigned char key[key_length];
  /// The header of a frame whose page has not been written yet, and the frame's number; -1: none.
  unsigned char head[frame_header_length];
  place_t waiting;
  /// One block as stored on the disk, and its plain text.
  unsigned char sealed[nonce_length + frame_length + tag_length];
  unsigned char plain[frame_length];
  sqlite3_file *base;
};

static struct encrypted_file *own(sqlite3_file *file) { return (struct encrypted_file *)file; }

// MARK: Blocks

static place_t block_length(enum kind kind) {
  return kind == kind_log ? frame_length : page_length;
}
static place_t sealed_length(enum kind kind) {
  return nonce_length + block_length(kind) + tag_length;
}
/// The offset of the first block, as SQLite sees it and on the disk.
static place_t seen_start(enum kind kind) { return kind == kind_log ? log_header_length : 0; }
static place_t disk_start(enum kind kind) {
  return kind == kind_log ? log_header_length : header_length;
}
static place_t disk_place(enum kind kind, place_t block) {
  return disk_start(kind) + block * sealed_length(kind);
}

/// The data that are authenticated with a block: the kind of the file and the block's number.
static void bind(unsigned char bound[16], enum kind kind, place_t block) {
  memset(bound, 0, 16);
  bound[0] = (unsigned char)kind;
  for (int byte = 0; byte < 8; byte++) {
    bound[8 + byte] = (unsigned char)((unsigned long long)block >> 8 * byte);
  }
}

static int write_block(struct encrypted_file *file, place_t block) {
  unsigned char bound[16];
  bind(bound, file->kind, block);
  randombytes_buf(file->sealed, nonce_length);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      file->sealed + nonce_length, NULL, file->plain,
      (unsigned long long)block_length(file->kind), bound, sizeof bound, NULL, file->sealed,
      file->key);
  return file->base->pMethods->xWrite(
      file->base, file->sealed, (int)sealed_length(file->kind), disk_place(file->kind, block));
}

/// Makes a frame that SQLite and the check of the log take for a frame of this log with a wrong
/// checksum: it has the salts of the log's header.
static int make_damaged_frame(struct encrypted_file *file) {
  unsigned char salts[8];
  memset(file->plain, 0, frame_header_length);
  // Zeros would have a checksum of zero, and two such frames would match.
  memset(file->plain + frame_header_length, 0xA5, page_length);
  int code = file->base->pMethods->xRead(file->base, salts, sizeof salts, 16);
  if (code == SQLITE_OK) memcpy(file->plain + 8, salts, sizeof salts);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

/// Reads a block into `plain`. After the end of the file the result is SQLITE_IOERR_SHORT_READ with
/// zeros. A block that was never written is zeros. A block that fails authentication is
/// SQLITE_CORRUPT, with a damaged frame in the log.
static int read_block(struct encrypted_file *file, place_t block) {
  int length = (int)sealed_length(file->kind);
  int code = file->base->pMethods->xRead(
      file->base, file->sealed, length, disk_place(file->kind, block));
  if (code != SQLITE_OK) {
    memset(file->plain, 0, sizeof file->plain);
    return code;
  }
  if (sodium_is_zero(file->sealed, (size_t)length)) {
    memset(file->plain, 0, sizeof file->plain);
    return SQLITE_OK;
  }
  unsigned char bound[16];
  bind(bound, file->kind, block);
  int is_sound = crypto_aead_xchacha20poly1305_ietf_decrypt(
                     file->plain, NULL, NULL, file->sealed + nonce_length,
                     (unsigned long long)(length - nonce_length), bound, sizeof bound, file->sealed,
                     file->key) == 0;
  if (is_sound) return SQLITE_OK;
  if (file->kind == kind_log) code = make_damaged_frame(file);
  return code == SQLITE_OK ? SQLITE_CORRUPT : code;
}

/// Writes the header of a frame whose page was not written with it, as SQLite does when it
/// recomputes the checksums of a transaction.
static int settle(struct encrypted_file *file) {
  if (file->waiting < 0) return SQLITE_OK;
  place_t block = file->waiting;
  file->waiting = -1;
  int code = read_block(file, block);
  // A header without a page belongs to no transaction.
  if (code == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
  if (code != SQLITE_OK) return code;
  memcpy(file->plain, file->head, frame_header_length);
  return write_block(file, block);
}

// MARK: The methods of a file

static int file_close(sqlite3_file *sqlite) {
  struct encrypted_file *file = own(sqlite);
  int code = settle(file);
  int closed =
      file->base->pMethods ? file->base->pMethods->xClose(file->base) : SQLITE_OK;
  sqlite3_free(file->base);
  sodium_memzero(file->key, sizeof file->key);
  sodium_memzero(file->plain, sizeof file->plain);
  return code == SQLITE_OK ? closed : code;
}

static int file_read(sqlite3_file *sqlite, void *bytes, int count, place_t offset) {
  struct encrypted_file *file = own(sqlite);
  if (file->kind == kind_other || offset + count <= seen_start(file->kind)) {
    return file->base->pMethods->xRead(file->base, bytes, count, offset);
  }
  int result = settle(file);
  if (result != SQLITE_OK) return result;
  unsigned char *next = bytes;
  if (offset < seen_start(file->kind)) {
    int part = (int)(seen_start(file->kind) - offset);
    result = file->base->pMethods->xRead(file->base, bytes, part, offset);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) return result;
    next += part;
    offset += part;
    count -= part;
  }
  while (count > 0) {
    place_t length = block_length(file->kind);
    place_t within = (offset - seen_start(file->kind)) % length;
    place_t part = length - within < count ? length - within : count;
    int code = read_block(file, (offset - seen_start(file->kind)) / length);
    // A reader of a frame with its header compares the checksum; a reader of a page alone would
    // not.
    if (code == SQLITE_CORRUPT && file->kind == kind_log && within == 0) code = SQLITE_OK;
    // When it opens a file SQLite reads its first bytes, whose page may be intact in the log.
    if (code == SQLITE_CORRUPT && file->kind == kind_database && part < length) {
      memset(file->plain, 0, page_length);
      code = SQLITE_OK;
    }
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
    if (code != SQLITE_OK) result = code;
    memcpy(next, file->plain + within, (size_t)part);
    next += part;
    offset += part;
    count -= (int)part;
  }
  return result;
}

static int file_write(sqlite3_file *sqlite, const void *bytes, int count, place_t offset) {
  struct encrypted_file *file = own(sqlite);
  if (file->kind == kind_other || offset + count <= seen_start(file->kind)) {
    return file->base->pMethods->xWrite(file->base, bytes, count, offset);
  }
  if (offset < seen_start(file->kind)) return SQLITE_IOERR_WRITE;
  const unsigned char *next = bytes;
  while (count > 0) {
    place_t length = block_length(file->kind);
    place_t block = (offset - seen_start(file->kind)) / length;
    place_t within = (offset - seen_start(file->kind)) % length;
    place_t part = length - within < count ? length - within : count;
    int is_head = file->kind == kind_log && within == 0 && part == frame_header_length;
    int is_page = file->kind == kind_log && within == frame_header_length && part == page_length;
    if (!(is_page && file->waiting == block)) {
      int code = settle(file);
      if (code != SQLITE_OK) return code;
    }
    if (is_head) {
      memcpy(file->head, next, frame_header_length);
      file->waiting = block;
    } else {
      if (is_page && file->waiting == block) {
        memcpy(file->plain, file->head, frame_header_length);
        file->waiting = -1;
      } else if (part < length) {
        int code = read_block(file, block);
        if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
      }
      memcpy(file->plain + within, next, (size_t)part);
      int code = write_block(file, block);
      if (code != SQLITE_OK) return code;
    }
    next += part;
    offset += part;
    count -= (int)part;
  }
  return SQLITE_OK;
}

static int file_truncate(sqlite3_file *sqlite, place_t size) {
  struct encrypted_file *file = own(sqlite);
  place_t disk = size;
  if (file->kind != kind_other && size >= seen_start(file->kind)) {
    int code = settle(file);
    if (code != SQLITE_OK) return code;
    place_t length = block_length(file->kind);
    disk = disk_place(file->kind, (size - seen_start(file->kind) + length - 1) / length);
  } else {
    file->waiting = -1;
  }
  return file->base->pMethods->xTruncate(file->base, disk);
}

static int file_size(sqlite3_file *sqlite, place_t *size) {
  struct encrypted_file *file = own(sqlite);
  int code = settle(file);
  if (code != SQLITE_OK) return code;
  code = file->base->pMethods->xFileSize(file->base, size);
  if (code != SQLITE_OK || file->kind == kind_other) return code;
  if (*size < disk_start(file->kind)) {
    *size = file->kind == kind_log ? *size : 0;
    return SQLITE_OK;
  }
  place_t behind = *size - disk_start(file->kind);
  place_t whole = behind / sealed_length(file->kind);
  place_t rest = behind % sealed_length(file->kind);
  // A partial block is not readable yet, but counts in the size.
  if (rest > block_length(file->kind) - 1) rest = block_length(file->kind) - 1;
  *size = seen_start(file->kind) + whole * block_length(file->kind) +
          (file->kind == kind_log ? rest : 0);
  return SQLITE_OK;
}

static int file_sync(sqlite3_file *sqlite, int flags) {
  int code = settle(own(sqlite));
  return code == SQLITE_OK ? own(sqlite)->base->pMethods->xSync(own(sqlite)->base, flags) : code;
}
static int file_lock(sqlite3_file *sqlite, int level) {
  return own(sqlite)->base->pMethods->xLock(own(sqlite)->base, level);
}
static int file_unlock(sqlite3_file *sqlite, int level) {
  return own(sqlite)->base->pMethods->xUnlock(own(sqlite)->base, level);
}
static int file_check_lock(sqlite3_file *sqlite, int *result) {
  return own(sqlite)->base->pMethods->xCheckReservedLock(own(sqlite)->base, result);
}
static int file_control(sqlite3_file *sqlite, int operation, void *argument) {
  // The sizes that SQLite expects are not those on the disk.
  if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) {
    return SQLITE_OK;
  }
  return own(sqlite)->base->pMethods->xFileControl(own(sqlite)->base, operation, argument);
}
static int file_sector_size(sqlite3_file *sqlite) {
  return own(sqlite)->base->pMethods->xSectorSize(own(sqlite)->base);
}
static int file_characteristics(sqlite3_file *sqlite) {
  int found = own(sqlite)->base->pMethods->xDeviceCharacteristics(own(sqlite)->base);
  // Whole frames are written and none is padded to a sector; and no write is a page of the disk.
  return (found & (SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL |
                   SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN)) |
         SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}
static int file_map(
    sqlite3_file *sqlite, int page, int size, int extend, void volatile **memory) {
  return own(sqlite)->base->pMethods->xShmMap(own(sqlite)->base, page, size, extend, memory);
}
static int file_shared_lock(sqlite3_file *sqlite, int offset, int count, int flags) {
  return own(sqlite)->base->pMethods->xShmLock(own(sqlite)->base, offset, count, flags);
}
static void file_barrier(sqlite3_file *sqlite) {
  own(sqlite)->base->pMethods->xShmBarrier(own(sqlite)->base);
}
static int file_unmap(sqlite3_file *sqlite, int deletes) {
  return own(sqlite)->base->pMethods->xShmUnmap(own(sqlite)->base, deletes);
}

// Version 2: with shared memory for the log, but not mapped, because the bytes are encrypted.
static const sqlite3_io_methods methods = {
    2,            file_close,       file_read,
    file_write,   file_truncate,    file_sync,
    file_size,    file_lock,        file_unlock,
    file_check_lock, file_control,  file_sector_size,
    file_characteristics, file_map, file_shared_lock,
    file_barrier, file_unmap,       NULL,
    NULL,
};

// MARK: The header

/// The key of one file: BLAKE2b of the salt, keyed with the user's key.
static void derive(
    unsigned char own_key[key_length], const unsigned char *salt, const unsigned char *key) {
  crypto_generichash(own_key, key_length, salt, salt_length, key, key_length);
}

static void make_header(unsigned char header[header_length], const unsigned char *key) {
  static const unsigned char known[16] = {0};
  unsigned char own_key[key_length];
  memset(header, 0, header_length);
  memcpy(header, letters, sizeof letters);
  unsigned char *salt = header + sizeof letters;
  unsigned char *nonce = salt + salt_length;
  randombytes_buf(salt, salt_length + nonce_length);
  derive(own_key, salt, key);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      nonce + nonce_length, NULL, known, sizeof known, header, sizeof letters + salt_length, NULL,
      nonce, own_key);
  sodium_memzero(own_key, sizeof own_key);
}

/// Whether a header was made with this key; gives the file's own key.
static int read_header(
    const unsigned char header[header_length], const unsigned char *key,
    unsigned char own_key[key_length]) {
  unsigned char known[16];
  const unsigned char *salt = header + sizeof letters;
  const unsigned char *nonce = salt + salt_length;
  derive(own_key, salt, key);
  return crypto_aead_xchacha20poly1305_ietf_decrypt(
             known, NULL, NULL, nonce + nonce_length, sizeof known + tag_length, header,
             sizeof letters + salt_length, nonce, own_key) == 0;
}

/// Reads the key of a database from its header, or gives a new database a header.
///
/// The header is synchronized before anything else is written. If power fails before that, there is
/// no page, and the header is made again.
static int open_database(struct encrypted_file *file, const unsigned char *key, int flags) {
  unsigned char header[header_length];
  place_t size = 0;
  int code = file->base->pMethods->xFileSize(file->base, &size);
  if (code != SQLITE_OK) return code;
  if (size >= header_length) {
    code = file->base->pMethods->xRead(file->base, header, header_length, 0);
    if (code != SQLITE_OK) return code;
    if (memcmp(header, letters, sizeof letters) == 0 && read_header(header, key, file->key)) {
      return SQLITE_OK;
    }
    int is_torn = size == header_length && memcmp(header, "SQLite", 6) != 0 &&
                  sodium_is_zero(header + header_length / 2, header_length / 2);
    if (!is_torn || memcmp(header, letters, sizeof letters) == 0) return SQLITE_NOTADB;
  } else if (size > 0) {
    code = file->base->pMethods->xRead(file->base, header, (int)size, 0);
    if (code != SQLITE_OK) return code;
    size_t count = (size_t)size < sizeof letters ? (size_t)size : sizeof letters;
    if (memcmp(header, letters, count) != 0 && !sodium_is_zero(header, (size_t)size)) {
      return SQLITE_NOTADB;
    }
  }
  if (!(flags & SQLITE_OPEN_READWRITE)) return size == 0 ? SQLITE_CANTOPEN : SQLITE_NOTADB;
  make_header(header, key);
  code = file->base->pMethods->xTruncate(file->base, 0);
  if (code == SQLITE_OK) {
    code = file->base->pMethods->xWrite(file->base, header, header_length, 0);
  }
  if (code == SQLITE_OK) code = file->base->pMethods->xSync(file->base, SQLITE_SYNC_FULL);
  if (code == SQLITE_OK && !read_header(header, key, file->key)) code = SQLITE_ERROR;
  return code;
}

/// Reads the key of a log, which is that of the database beside it.
static int open_log(
    struct encrypted_file *file, const char *name, const unsigned char *key, sqlite3_vfs *base) {
  unsigned char header[header_length];
  const char *database = sqlite3_filename_database(name);
  sqlite3_file *beside = sqlite3_malloc(base->szOsFile);
  if (!beside) return SQLITE_NOMEM;
  memset(beside, 0, (size_t)base->szOsFile);
  int flags = 0;
  int code = base->xOpen(
      base, database, beside, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, &flags);
  if (code == SQLITE_OK) code = beside->pMethods->xRead(beside, header, header_length, 0);
  if (beside->pMethods) beside->pMethods->xClose(beside);
  sqlite3_free(beside);
  if (code == SQLITE_OK && !read_header(header, key, file->key)) code = SQLITE_NOTADB;
  return code;
}

// MARK: The methods of a file system

static struct file_system *system_of(sqlite3_vfs *vfs) { return vfs->pAppData; }
static sqlite3_vfs *base_of(sqlite3_vfs *vfs) { return system_of(vfs)->base; }

/// Whether the database of a rollback journal has at most one page.
static int is_being_made(const char *journal) {
  struct stat status;
  const char *database = sqlite3_filename_database(journal);
  return stat(database, &status) != 0 ||
         status.st_size <= header_length + nonce_length + page_length + tag_length;
}

static int system_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *sqlite, int flags, int *opened) {
  sqlite3_vfs *base = base_of(vfs);
  struct encrypted_file *file = own(sqlite);
  memset(file, 0, sizeof *file);
  file->waiting = -1;
  if (flags & SQLITE_OPEN_MAIN_DB) {
    file->kind = kind_database;
  } else if (flags & SQLITE_OPEN_WAL) {
    file->kind = kind_log;
  } else if (name && flags & SQLITE_OPEN_MAIN_JOURNAL && is_being_made(name)) {
    file->kind = kind_other;
  } else {
    return SQLITE_CANTOPEN;
  }
  file->base = sqlite3_malloc(base->szOsFile);
  if (!file->base) return SQLITE_NOMEM;
  memset(file->base, 0, (size_t)base->szOsFile);
  int granted = 0;
  int code = base->xOpen(base, name, file->base, flags, &granted);
  if (opened) *opened = granted;
  if (code == SQLITE_OK && file->kind == kind_database) {
    code = open_database(file, system_of(vfs)->key, granted);
  } else if (code == SQLITE_OK && file->kind == kind_log) {
    code = open_log(file, name, system_of(vfs)->key, base);
  }
  if (code == SQLITE_OK) {
    sqlite->pMethods = &methods;
    return code;
  }
  // A file without methods is not open for SQLite.
  if (file->base->pMethods) file->base->pMethods->xClose(file->base);
  sqlite3_free(file->base);
  memset(file, 0, sizeof *file);
  return code;
}

static int system_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
  return base_of(vfs)->xDelete(base_of(vfs), name, syncs);
}
static int system_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return base_of(vfs)->xAccess(base_of(vfs), name, flags, result);
}
static int system_full_path(sqlite3_vfs *vfs, const char *name, int length, char *path) {
  return base_of(vfs)->xFullPathname(base_of(vfs), name, length, path);
}
static int system_randomness(sqlite3_vfs *vfs, int length, char *bytes) {
  return base_of(vfs)->xRandomness(base_of(vfs), length, bytes);
}
static int system_sleep(sqlite3_vfs *vfs, int microseconds) {
  return base_of(vfs)->xSleep(base_of(vfs), microseconds);
}
static int system_time(sqlite3_vfs *vfs, double *days) {
  return base_of(vfs)->xCurrentTime(base_of(vfs), days);
}
static int system_last_error(sqlite3_vfs *vfs, int length, char *text) {
  return base_of(vfs)->xGetLastError(base_of(vfs), length, text);
}

// MARK: Interface

int locomotion_encryption_is_available(void) { return sodium_init() >= 0; }

int locomotion_encryption_register(const char *name, const char *base, const uint8_t *key) {
  if (sodium_init() < 0) return SQLITE_ERROR;
  sqlite3_vfs *found = sqlite3_vfs_find(base);
  if (!found) return SQLITE_ERROR;
  struct file_system *made = calloc(1, sizeof *made);
  if (!made) return SQLITE_NOMEM;
  made->key = sodium_malloc(key_length);
  if (!made->key) {
    free(made);
    return SQLITE_NOMEM;
  }
  memcpy(made->key, key, key_length);
  sodium_mprotect_readonly(made->key);
  snprintf(made->name, sizeof made->name, "%s", name);
  made->base = found;
  made->vfs = (sqlite3_vfs){
      .iVersion = 1,
      .szOsFile = sizeof(struct encrypted_file),
      .mxPathname = found->mxPathname,
      .zName = made->name,
      .pAppData = made,
      .xOpen = system_open,
      .xDelete = system_delete,
      .xAccess = system_access,
      .xFullPathname = system_full_path,
      .xRandomness = system_randomness,
      .xSleep = system_sleep,
      .xCurrentTime = system_time,
      .xGetLastError = system_last_error,
  };
  int code = sqlite3_vfs_register(&made->vfs, 0);
  if (code != SQLITE_OK) {
    sodium_free(made->key);
    free(made);
  }
  return code;
}

void locomotion_encryption_unregister(const char *name) {
  sqlite3_vfs *found = sqlite3_vfs_find(name);
  if (!found || found->xOpen != system_open) return;
  sqlite3_vfs_unregister(found);
  struct file_system *made = found->pAppData;
  sodium_free(made->key);
  free(made);
}

enum locomotion_encryption_state locomotion_encryption_inspect(
    const char *path, const uint8_t *key) {
  unsigned char header[header_length];
  unsigned char own_key[key_length];
  if (sodium_init() < 0) return locomotion_encryption_unreadable;
  FILE *file = fopen(path, "rb");
  if (!file) return locomotion_encryption_unreadable;
  size_t count = fread(header, 1, header_length, file);
  int failed = ferror(file);
  fclose(file);
  if (failed) return locomotion_encryption_unreadable;
  if (count == 0 || sodium_is_zero(header, count)) return locomotion_encryption_nothing;
  if (count < sizeof letters || memcmp(header, letters, sizeof letters) != 0) {
    return locomotion_encryption_plain;
  }
  if (count < header_length) return locomotion_encryption_nothing;
  int is_own = key && read_header(header, key, own_key);
  sodium_memzero(own_key, sizeof own_key);
  return is_own ? locomotion_encryption_open : locomotion_encryption_locked;
}

// MARK: Whole files

/// A file that is opened without SQLite, with its name in the form that file systems expect.
struct open_file {
  const char *name;
  sqlite3_file *sqlite;
};

static void close_whole(struct open_file *file) {
  if (file->sqlite && file->sqlite->pMethods) file->sqlite->pMethods->xClose(file->sqlite);
  sqlite3_free(file->sqlite);
  if (file->name) sqlite3_free_filename((char *)file->name);
}

static int open_whole(
    struct open_file *file, const char *system, const char *database, int isLog, int flags) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(system);
  memset(file, 0, sizeof *file);
  if (!vfs) return SQLITE_ERROR;
  char *path = sqlite3_malloc(vfs->mxPathname + 1);
  char *log = NULL;
  int code = path ? vfs->xFullPathname(vfs, database, vfs->mxPathname + 1, path) : SQLITE_NOMEM;
  if ((code & 0xff) == SQLITE_OK || code == SQLITE_OK_SYMLINK) {
    log = sqlite3_mprintf("%s-wal", path);
    file->name = log ? sqlite3_create_filename(path, "", log, 0, NULL) : NULL;
    file->sqlite = sqlite3_malloc(vfs->szOsFile);
    code = file->name && file->sqlite ? SQLITE_OK : SQLITE_NOMEM;
  }
  if (code == SQLITE_OK) {
    memset(file->sqlite, 0, (size_t)vfs->szOsFile);
    const char *name = isLog ? sqlite3_filename_wal(file->name) : file->name;
    int granted = 0;
    code = vfs->xOpen(
        vfs, name, file->sqlite, flags | (isLog ? SQLITE_OPEN_WAL : SQLITE_OPEN_MAIN_DB), &granted);
  }
  sqlite3_free(log);
  sqlite3_free(path);
  if (code != SQLITE_OK) {
    close_whole(file);
    memset(file, 0, sizeof *file);
  }
  return code;
}

static uint32_t word(const unsigned char *bytes, int is_big_endian) {
  return is_big_endian ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                             (uint32_t)bytes[2] << 8 | bytes[3]
                       : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
                             (uint32_t)bytes[1] << 8 | bytes[0];
}

/// Computes the checksum of the damaged frame before an intact one backwards from that of the
/// intact frame, and writes it into the damaged one.
///
/// The log's checksum is cumulative over all frames (SQLite's documentation, "WAL-mode File
/// Format"), so that without it no frame after a damaged one would match its own. Each step of it,
/// with words x and y, is a += x + b; b += y + a.
static void restore_sum(const unsigned char *log, unsigned char *frame) {
  int is_big_endian = word(log, 1) & 1;
  uint32_t a = word(frame + 16, 1), b = word(frame + 20, 1);
  for (int offset = frame_length - 8; offset >= 0; offset -= 8) {
    // Only the first eight bytes of the header are in the checksum.
    if (offset >= 8 && offset < frame_header_length) continue;
    b -= word(frame + offset + 4, is_big_endian) + a;
    a -= word(frame + offset, is_big_endian) + b;
  }
  unsigned char *sum = frame - frame_length + 16;
  for (int byte = 0; byte < 4; byte++) {
    sum[byte] = (unsigned char)(a >> (24 - 8 * byte));
    sum[4 + byte] = (unsigned char)(b >> (24 - 8 * byte));
  }
}

int locomotion_encryption_read(
    const char *name, const char *database, int isLog, int64_t limit, uint8_t **bytes,
    int64_t *count) {
  struct open_file file;
  place_t size = 0;
  int code = open_whole(&file, name, database, isLog, SQLITE_OPEN_READONLY);
  if (code != SQLITE_OK &&
      locomotion_encryption_inspect(database, NULL) == locomotion_encryption_nothing) {
    // Power failed while the header was written: there is neither a page nor a log.
    *bytes = calloc(1, 1);
    *count = 0;
    return *bytes ? SQLITE_OK : SQLITE_NOMEM;
  }
  if (code != SQLITE_OK) return code;
  const sqlite3_io_methods *io = file.sqlite->pMethods;
  code = io->xFileSize(file.sqlite, &size);
  if (size > limit) size = limit;
  // One byte more, so that an empty file is not a failed allocation.
  uint8_t *found = code == SQLITE_OK ? calloc(1, (size_t)size + 1) : NULL;
  if (code == SQLITE_OK && !found) code = SQLITE_NOMEM;
  enum kind kind = isLog ? kind_log : kind_database;
  place_t start = 0;
  int follows_damage = 0;
  while (code == SQLITE_OK && start < size) {
    int is_header = start < seen_start(kind);
    place_t part = is_header ? seen_start(kind) - start : block_length(kind);
    if (part > size - start) part = size - start;
    code = is_header ? io->xRead(file.sqlite, found + start, (int)part, start)
                     : read_block(
                           own(file.sqlite), (start - seen_start(kind)) / block_length(kind));
    int is_damaged = code == SQLITE_CORRUPT;
    if (is_damaged || code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
    if (!is_header && (isLog || !is_damaged)) {
      memcpy(found + start, own(file.sqlite)->plain, (size_t)part);
    }
    if (!is_header && isLog && follows_damage && !is_damaged && part == frame_length) {
      restore_sum(found, found + start);
    }
    follows_damage = is_damaged;
    start += part;
  }
  close_whole(&file);
  if (code != SQLITE_OK) {
    free(found);
    return code;
  }
  *bytes = found;
  *count = size;
  return SQLITE_OK;
}

int locomotion_encryption_copy(
    const char *from, const char *source, const char *to, const char *target) {
  struct open_file old, new;
  unsigned char page[page_length], copy[page_length];
  place_t size = 0;
  int code = open_whole(&old, from, source, 0, SQLITE_OPEN_READONLY);
  if (code != SQLITE_OK) return code;
  code = open_whole(&new, to, target, 0, SQLITE_OPEN_READWRITE);
  if (code != SQLITE_OK) {
    close_whole(&old);
    return code;
  }
  code = old.sqlite->pMethods->xFileSize(old.sqlite, &size);
  if (code == SQLITE_OK && size % page_length != 0) code = SQLITE_CORRUPT;
  for (place_t start = 0; code == SQLITE_OK && start < size; start += page_length) {
    code = old.sqlite->pMethods->xRead(old.sqlite, page, page_length, start);
    if (code == SQLITE_OK) {
      code = new.sqlite->pMethods->xWrite(new.sqlite, page, page_length, start);
    }
  }
  if (code == SQLITE_OK) code = new.sqlite->pMethods->xSync(new.sqlite, SQLITE_SYNC_FULL);
  for (place_t start = 0; code == SQLITE_OK && start < size; start += page_length) {
    code = old.sqlite->pMethods->xRead(old.sqlite, page, page_length, start);
    if (code == SQLITE_OK) {
      code = new.sqlite->pMethods->xRead(new.sqlite, copy, page_length, start);
    }
    if (code == SQLITE_OK && memcmp(page, copy, page_length) != 0) code = SQLITE_IOERR_DATA;
  }
  close_whole(&new);
  close_whole(&old);
  sodium_memzero(page, sizeof page);
  sodium_memzero(copy, sizeof copy);
  return code;
}

#endif
