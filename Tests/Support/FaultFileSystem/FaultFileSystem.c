#include "FaultFileSystem.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { sector_size = 512 };

enum kind { kind_write, kind_cut, kind_sync, kind_delete };

/// The file to which an entry belongs.
enum target { target_database, target_log, target_journal, target_count };

struct entry {
  enum kind kind;
  enum target target;
  sqlite3_int64 offset;  // or the new size
  int count;
  unsigned char *bytes;
};

struct fault_file {
  sqlite3_file base;
  int target;  // or -1: of no interest
  int is_new;  // the next synchronization reaches the folder too, as SQLite's does
  sqlite3_file *real;
};

static struct {
  sqlite3_vfs *real;
  struct entry *entries;
  long entry_count, entry_capacity;
  long operations, order, reads;
  int lasts, code;
} state;

static sqlite3_vfs fault_vfs;

// MARK: Faults and the log

/// Counts one operation; returns whether it has to fail.
static int fails(int target) {
  if (target < 0) return 0;
  state.operations++;
  if (state.order == 0) return 0;
  return state.lasts ? state.operations >= state.order : state.operations == state.order;
}

static void note(
    enum kind kind, int target, sqlite3_int64 offset, const void *bytes, int count) {
  if (target < 0) return;
  if (state.entry_count == state.entry_capacity) {
    state.entry_capacity = state.entry_capacity ? 2 * state.entry_capacity : 1024;
    state.entries = realloc(state.entries, (size_t)state.entry_capacity * sizeof(struct entry));
    if (!state.entries) abort();
  }
  struct entry *entry = &state.entries[state.entry_count++];
  *entry = (struct entry){kind, (enum target)target, offset, count, NULL};
  if (count > 0) {
    entry->bytes = malloc((size_t)count);
    if (!entry->bytes) abort();
    memcpy(entry->bytes, bytes, (size_t)count);
  }
}

// MARK: Methods of a file

static struct fault_file *fault(sqlite3_file *file) { return (struct fault_file *)file; }
static sqlite3_file *real(sqlite3_file *file) { return fault(file)->real; }

static int file_close(sqlite3_file *file) {
  int code = real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
  sqlite3_free(real(file));
  return code;
}
static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  if (fault(file)->target >= 0) state.reads++;
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}
static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (fails(fault(file)->target)) {
    // As on a full disk: the first half is written.
    int half = count / 2;
    if (state.code == SQLITE_FULL && half > 0) {
      note(kind_write, fault(file)->target, offset, bytes, half);
      real(file)->pMethods->xWrite(real(file), bytes, half, offset);
    }
    return state.code;
  }
  note(kind_write, fault(file)->target, offset, bytes, count);
  return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (fails(fault(file)->target)) return SQLITE_IOERR_TRUNCATE;
  note(kind_cut, fault(file)->target, size, NULL, 0);
  return real(file)->pMethods->xTruncate(real(file), size);
}
static int file_sync(sqlite3_file *file, int flags) {
  if (fails(fault(file)->target)) return SQLITE_IOERR_FSYNC;
  note(kind_sync, fault(file)->target, fault(file)->is_new, NULL, 0);
  fault(file)->is_new = 0;
  (void)flags;  // The page cache is enough: power fails only in the log.
  return SQLITE_OK;
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int file_lock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}
static int file_unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
static int file_check_lock(sqlite3_file *file, int *result) {
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int file_sector_size(sqlite3_file *file) {
  (void)file;
  return sector_size;
}
static int file_characteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **map) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, map);
}
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) {
  real(file)->pMethods->xShmBarrier(real(file));
}
static int file_shm_unmap(sqlite3_file *file, int delete) {
  return real(file)->pMethods->xShmUnmap(real(file), delete);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// MARK: Methods of the file system

static int vfs_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  struct fault_file *own = fault(file);
  memset(own, 0, sizeof *own);
  own->target = flags & SQLITE_OPEN_MAIN_DB        ? target_database
                : flags & SQLITE_OPEN_WAL          ? target_log
                : flags & SQLITE_OPEN_MAIN_JOURNAL ? target_journal
                                                   : -1;
  own->is_new = (flags & SQLITE_OPEN_CREATE) && own->target > target_database;
  if (fails(own->target)) return SQLITE_CANTOPEN;
  own->real = sqlite3_malloc(state.real->szOsFile);
  if (!own->real) return SQLITE_NOMEM;
  memset(own->real, 0, (size_t)state.real->szOsFile);
  int code = state.real->xOpen(state.real, name, own->real, flags, out_flags);
  if (code != SQLITE_OK) {
    sqlite3_free(own->real);
    return code;
  }
  own->base.pMethods = &file_methods;
  return SQLITE_OK;
}

static int ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), count = strlen(ending);
  return length >= count && strcmp(name + length - count, ending) == 0;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
  (void)vfs;
  int target = ends_with(name, "-wal") ? target_log
               : ends_with(name, "-journal") ? target_journal
                                             : -1;
  if (fails(target)) return SQLITE_IOERR_DELETE;
  note(kind_delete, target, 0, NULL, 0);
  return state.real->xDelete(state.real, name, sync_directory);
}

int locomotion_fault_register(void) {
  // Only once: a second registration would cut SQLite's list of file systems after this one.
  if (state.real) return SQLITE_OK;
  state.real = sqlite3_vfs_find(NULL);
  if (!state.real) return SQLITE_ERROR;
  fault_vfs = *state.real;
  fault_vfs.zName = "fault";
  fault_vfs.szOsFile = (int)sizeof(struct fault_file);
  fault_vfs.pNext = NULL;
  fault_vfs.xOpen = vfs_open;
  fault_vfs.xDelete = vfs_delete;
  return sqlite3_vfs_register(&fault_vfs, 0);
}

void locomotion_fault_reset(void) {
  for (long index = 0; index < state.entry_count; index++) free(state.entries[index].bytes);
  state.entry_count = 0;
  state.operations = 0;
  state.order = 0;
  state.reads = 0;
}

void locomotion_fault_order(long number, int lasts, int code) {
  state.order = number;
  state.lasts = lasts;
  state.code = code;
}

long locomotion_fault_operations(void) { return state.operations; }
long locomotion_fault_reads(void) { return state.reads; }
long locomotion_fault_log_length(void) { return state.entry_count; }
int locomotion_fault_is_sync(long entry) {
  return entry >= 0 && entry < state.entry_count && state.entries[entry].kind == kind_sync;
}

// MARK: The disk after a failure

struct image {
  unsigned char *bytes;
  sqlite3_int64 size, capacity;
};

static void resize(struct image *image, sqlite3_int64 size) {
  if (size > image->capacity) {
    sqlite3_int64 capacity = 2 * size;
    image->bytes = realloc(image->bytes, (size_t)capacity);
    if (!image->bytes) abort();
    image->capacity = capacity;
  }
  if (size > image->size) memset(image->bytes + image->size, 0, (size_t)(size - image->size));
  image->size = size;
}

static uint64_t next_random(uint64_t *seed) {
  uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static void apply(struct image *image, const struct entry *entry, uint64_t *seed) {
  switch (entry->kind) {
    case kind_write: {
      sqlite3_int64 offset = entry->offset;
      sqlite3_int64 end = entry->offset + entry->count;
      while (offset < end) {
        sqlite3_int64 next = (offset / sector_size + 1) * sector_size;
        if (next > end) next = end;
        if (!seed || next_random(seed) & 1) {
          if (next > image->size) resize(image, next);
          memcpy(
              image->bytes + offset, entry->bytes + (offset - entry->offset),
              (size_t)(next - offset));
        }
        offset = next;
      }
      break;
    }
    case kind_cut:
      if (!seed || next_random(seed) & 1) resize(image, entry->offset);
      break;
    case kind_delete:
      if (!seed || next_random(seed) & 1) resize(image, 0);
      break;
    case kind_sync: break;
  }
}

static int write_image(const struct image *image, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) return -1;
  size_t written = image->size > 0 ? fwrite(image->bytes, 1, (size_t)image->size, file) : 0;
  return fclose(file) == 0 && written == (size_t)image->size ? 0 : -1;
}

int locomotion_fault_make_files(
    long length, uint64_t seed, const char *database, const char *log, const char *journal) {
  struct image images[target_count] = {{0}};
  long synced[target_count] = {0};
  if (length > state.entry_count) length = state.entry_count;
  long folder_synced = 0;
  for (long index = 0; index < length; index++) {
    if (state.entries[index].kind != kind_sync) continue;
    synced[state.entries[index].target] = index + 1;
    if (state.entries[index].offset) folder_synced = index + 1;
  }
  uint64_t random = seed;
  for (long index = 0; index < length; index++) {
    const struct entry *entry = &state.entries[index];
    long safe = entry->kind == kind_delete && folder_synced > synced[entry->target]
                    ? folder_synced
                    : synced[entry->target];
    int may_be_lost = seed != 0 && index >= safe;
    apply(&images[entry->target], entry, may_be_lost ? &random : NULL);
  }
  const char *paths[target_count] = {database, log, journal};
  int code = 0;
  for (int target = 0; target < target_count; target++) {
    remove(paths[target]);
    // An empty companion was deleted, or never created.
    if (target != target_database && images[target].size == 0) continue;
    if (write_image(&images[target], paths[target]) != 0) code = -1;
  }
  for (int target = 0; target < target_count; target++) free(images[target].bytes);
  return code;
}

int locomotion_fault_execute(const char *database, const char *statements, int is_faulty) {
  sqlite3 *connection = NULL;
  int code = sqlite3_open_v2(
      database, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
      is_faulty ? "fault" : NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(connection, statements, NULL, NULL, NULL);
  sqlite3_close(connection);
  return code;
}

int locomotion_fault_version(const char *database) {
  sqlite3 *connection = NULL;
  sqlite3_stmt *statement = NULL;
  int version = -1;
  if (sqlite3_open_v2(database, &connection, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(connection, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    version = sqlite3_column_int(statement, 0);
  }
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return version;
}
