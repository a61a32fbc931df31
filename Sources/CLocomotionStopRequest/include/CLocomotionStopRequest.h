#ifndef CLOCOMOTION_STOP_REQUEST_H
#define CLOCOMOTION_STOP_REQUEST_H

// What a handler of signals may touch is C's: Swift has no volatile variable.

/// From here on SIGTERM and SIGINT no longer end the program, but are remembered.
void locomotion_catch_stop(void);

/// Whether SIGTERM or SIGINT has come.
int locomotion_stop_came(void);

#endif
