#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Counts the heap allocations of the calling thread.
///
/// A program that links this target and calls any of its functions gets its own malloc, calloc,
/// realloc, aligned_alloc, posix_memalign and memalign, which count and forward to glibc's. Dynamic
/// libraries, Swift's runtime among them, then use them too. Elsewhere, and under sanitizers, which
/// have allocators of their own, nothing is replaced and the count stays at zero.

/// 1 when allocations are counted here, 0 when not.
int allocation_counter_supported(void);

/// The number of allocations that this thread has made since it started.
long allocation_counter_count(void);

/// The bytes of heap that the program holds now, or -1 where that is unknown.
long allocation_counter_held_bytes(void);

/// Uses a value in a way that no optimizer can remove.
void allocation_counter_consume(double value);

#endif
