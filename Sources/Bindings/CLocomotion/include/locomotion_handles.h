/* The handles of the pipelines; no part of the interface.
 *
 * A handle is the number of a slot and the slot's generation, which changes when the slot is freed:
 * a handle that was destroyed, or never was one, is found out without touching its object. */

#ifndef LOCOMOTION_HANDLES_H
#define LOCOMOTION_HANDLES_H

#include <stdint.h>

#define LOCOMOTION_INTERNAL __attribute__((visibility("hidden")))

/* A handle for `object`, which is not null; 0 when there are too many. */
LOCOMOTION_INTERNAL uint64_t locomotion_handle_add(void *object);

/* The object of a handle, which no other call gets before locomotion_handle_release; or null, and
 * then `error` is LOCOMOTION_ERROR_HANDLE or LOCOMOTION_ERROR_BUSY. */
LOCOMOTION_INTERNAL void *locomotion_handle_acquire(uint64_t handle, int32_t *error);

/* Gives back an acquired object. */
LOCOMOTION_INTERNAL void locomotion_handle_release(uint64_t handle);

/* Puts `object` in the place of an acquired one. */
LOCOMOTION_INTERNAL void locomotion_handle_replace(uint64_t handle, void *object);

/* Frees the slot of an acquired object. */
LOCOMOTION_INTERNAL void locomotion_handle_remove(uint64_t handle);

#endif
