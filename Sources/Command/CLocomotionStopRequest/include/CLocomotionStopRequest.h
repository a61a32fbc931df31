#ifndef CLOCOMOTION_STOP_REQUEST_H
#define CLOCOMOTION_STOP_REQUEST_H

// In C, because a signal handler needs a volatile variable, which Swift does not have.

/// From here on SIGTERM and SIGINT no longer end the program, but are recorded.
void locomotion_catch_stop(void);

/// Whether SIGTERM or SIGINT has been received.
int locomotion_stop_came(void);

/// From here on SIGINT, SIGTERM and SIGHUP end the process with their default action, after
/// `cleanUp` has run in a thread of its own; signals that were ignored still are. Only the first
/// call has an effect.
void locomotion_before_stop(void (*cleanUp)(void));

/// Opens /dev/null for those of standard input, output and error that are closed, so that no other
/// file gets their descriptors: reading from a closed input gives the end of file, writing to a
/// closed output fails, writing to a closed error output does nothing.
void locomotion_open_standard_files(void);

#endif
