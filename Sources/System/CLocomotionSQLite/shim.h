#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, and sqlite3_db_config is variadic: Swift can import neither.

/// Binds a copy of `bytes`.
static inline int locomotion_sqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a copy of `text`, which ends with a zero.
static inline int locomotion_sqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *text) {
  return sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

/// Refuses what could damage the file through SQL: writable schema, shadow tables.
static inline int locomotion_sqlite_defend(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
