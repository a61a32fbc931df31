#include "locomotion_handles.h"

#include <stdatomic.h>

#include "locomotion.h"

#ifdef __wasm__
#define SLOTS 255
#else
#define SLOTS 16383
#endif

/* In the lower half of a slot's state; the upper half is its generation. */
enum { FREE = 0, CLAIMED = 1, IDLE = 2, BUSY = 3 };

typedef struct {
  _Atomic uint64_t state;
  void *object;
} slot;

static slot slots[SLOTS];

/* Generations are scattered, so that small numbers and pointers are no handles. */
static uint64_t state_of(uint32_t index, uint32_t generation, uint64_t phase) {
  uint32_t mark = generation ^ ((index + 1) * 0x9E3779B9u);
  return (uint64_t)mark << 32 | phase;
}

static uint32_t generation_of(uint32_t index, uint64_t state) {
  return state == 0 ? 0 : (uint32_t)(state >> 32) ^ ((index + 1) * 0x9E3779B9u);
}

uint64_t locomotion_handle_add(void *object) {
  for (uint32_t index = 0; index < SLOTS; index++) {
    uint64_t old = atomic_load_explicit(&slots[index].state, memory_order_acquire);
    if ((old & 0xFFFFFFFFu) != FREE) continue;
    uint32_t generation = generation_of(index, old) + 1;
    uint64_t claimed = state_of(index, generation, CLAIMED);
    if (!atomic_compare_exchange_strong(&slots[index].state, &old, claimed)) continue;
    slots[index].object = object;
    uint64_t idle = state_of(index, generation, IDLE);
    atomic_store_explicit(&slots[index].state, idle, memory_order_release);
    return (idle & 0xFFFFFFFF00000000u) | (index + 1);
  }
  return 0;
}

void *locomotion_handle_acquire(uint64_t handle, int32_t *error) {
  uint32_t place = (uint32_t)handle;
  *error = LOCOMOTION_ERROR_HANDLE;
  if (place == 0 || place > SLOTS) return 0;
  slot *found = &slots[place - 1];
  uint64_t mark = handle & 0xFFFFFFFF00000000u;
  uint64_t expected = mark | IDLE;
  if (atomic_compare_exchange_strong(&found->state, &expected, mark | BUSY)) {
    *error = LOCOMOTION_OK;
    return found->object;
  }
  if (expected == (mark | BUSY)) *error = LOCOMOTION_ERROR_BUSY;
  return 0;
}

void locomotion_handle_release(uint64_t handle) {
  slot *found = &slots[(uint32_t)handle - 1];
  uint64_t idle = (handle & 0xFFFFFFFF00000000u) | IDLE;
  atomic_store_explicit(&found->state, idle, memory_order_release);
}

void locomotion_handle_replace(uint64_t handle, void *object) {
  slots[(uint32_t)handle - 1].object = object;
}

void locomotion_handle_remove(uint64_t handle) {
  slot *found = &slots[(uint32_t)handle - 1];
  found->object = 0;
  uint64_t free = (handle & 0xFFFFFFFF00000000u) | FREE;
  atomic_store_explicit(&found->state, free, memory_order_release);
}
