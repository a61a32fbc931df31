#ifndef LOCOMOTION_FAULT_FILE_SYSTEM_H
#define LOCOMOTION_FAULT_FILE_SYSTEM_H

#include <stdint.h>

// A virtual file system of SQLite for tests, called "fault". It forwards everything to the
// system's, injects faults on request, and keeps a log of writes, from which the state of the disk
// after a power failure at any point can be reconstructed. One at a time: the state is global.

/// Registers the file system; returns SQLite's result code.
int locomotion_fault_register(void);

/// Clears the log and the faults, and restarts the count of operations.
void locomotion_fault_reset(void);

/// Makes the operation with this number (from 1) fail with `code`, and all later ones too when
/// `lasts`; 0 for none. The operations are opening, writing, truncating, synchronizing and deleting
/// the database, its write-ahead log and its rollback journal.
void locomotion_fault_order(long number, int lasts, int code);

/// The number of operations since the last reset.
long locomotion_fault_operations(void);

/// The number of reads from the disk since the last reset: typically of one page each.
long locomotion_fault_reads(void);

/// The number of entries in the log of writes.
long locomotion_fault_log_length(void);

/// Whether the entry is a synchronization.
int locomotion_fault_is_sync(long entry);

/// Creates the files as they would be after the first `length` entries of the log.
///
/// With seed 0, as a killed process leaves them: with all writes. Else as a power failure may leave
/// them: of the writes to a file since its last synchronization, each sector of 512 bytes is old or
/// new at random, independently. Returns 0, or -1 when a file cannot be written.
int locomotion_fault_make_files(
    long length, uint64_t seed, const char *database, const char *log, const char *journal);

/// Runs statements on a database, through this file system when `is_faulty`; returns SQLite's code.
int locomotion_fault_execute(const char *database, const char *statements, int is_faulty);

/// The version in the header of a database as a reader sees it, or -1.
int locomotion_fault_version(const char *database);

#endif
