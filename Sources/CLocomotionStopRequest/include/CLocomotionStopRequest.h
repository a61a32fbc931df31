#ifndef CLOCOMOTION_STOP_REQUEST_H
#define CLOCOMOTION_STOP_REQUEST_H

// What a handler of signals may touch is C's: Swift has no volatile variable.

/// From here on SIGTERM and SIGINT no longer end the program, but are remembered.
void locomotion_catch_stop(void);

/// Whether SIGTERM or SIGINT has come.
int locomotion_stop_came(void);

/// From here on SIGINT, SIGTERM and SIGHUP end the process, as they would have, after `cleanUp` has
/// run in a thread of its own; those that were ignored still are. Only the first call counts.
void locomotion_before_stop(void (*cleanUp)(void));

/// Makes sure that standard input, output and error are open, so that no other file gets their
/// numbers and with them what is meant for them: reading from a closed one finds the end, writing
/// to closed output fails, writing to closed error does nothing.
void locomotion_open_standard_files(void);

#endif
