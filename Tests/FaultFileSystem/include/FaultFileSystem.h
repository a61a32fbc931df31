#ifndef LOCOMOTION_FAULT_FILE_SYSTEM_H
#define LOCOMOTION_FAULT_FILE_SYSTEM_H

#include <stdint.h>

// A virtual file system of SQLite for tests, called "fault". It passes everything on to the
// system's, fails when it is told to, and keeps a log of what is written, from which the state of
// the disk after a power failure at any point can be made. One at a time: the state is global.

/// Registers the file system; returns SQLite's result code.
int locomotion_fault_register(void);

/// Forgets the log and the orders to fail, and counts from 0 again.
void locomotion_fault_reset(void);

/// Lets the operation with this number (from 1) fail with `code`, and all later ones too when
/// `lasts`; 0 for none. Opening, writing, cutting, synchronizing and deleting count, of the database
/// and of its two logs.
void locomotion_fault_order(long number, int lasts, int code);

/// How many operations there were since the last reset.
long locomotion_fault_operations(void);

/// How many times something was read from the disk since the last reset: a page, as a rule.
long locomotion_fault_reads(void);

/// How many entries the log of writes has.
long locomotion_fault_log_length(void);

/// Whether the entry is a synchronization.
int locomotion_fault_is_sync(long entry);

/// Makes the files as they would be after the first `length` entries of the log.
///
/// With seed 0, as a killed process leaves them: with all that was written. Else as a power failure
/// may leave them: of what was written to a file since its last synchronization, each sector of 512
/// bytes is old or new by chance, independently. Returns 0, or -1 when a file can't be written.
int locomotion_fault_make_files(
    long length, uint64_t seed, const char *database, const char *log, const char *journal);

/// Runs statements on a database, through this file system when `is_faulty`; returns SQLite's code.
int locomotion_fault_execute(const char *database, const char *statements, int is_faulty);

/// The version in the header of a database as a reader sees it, or -1.
int locomotion_fault_version(const char *database);

#endif
