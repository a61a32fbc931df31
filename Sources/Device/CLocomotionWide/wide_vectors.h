// Vectors of WIDTH floats, which hold the four channels of WIDTH / 4 windows side by side.
#include <stddef.h>

// No fused multiply-add: sums of products are rounded twice, as in Swift.
#pragma clang fp contract(off)

#define INLINE static inline __attribute__((always_inline))

typedef float Vector __attribute__((ext_vector_type(WIDTH)));
typedef int Integers __attribute__((ext_vector_type(WIDTH)));
/// The same vector, unaligned in memory.
typedef float Stored __attribute__((ext_vector_type(WIDTH), aligned(4), may_alias));
/// One sample of one window.
typedef float Sample __attribute__((ext_vector_type(4), aligned(4), may_alias));

/// The same sample of neighbouring windows.
INLINE Vector sample(const float *const *windows, ptrdiff_t index) {
#if WIDTH == 4
  return *(const Sample *)(windows[0] + 4 * index);
#else
  typedef float Pair __attribute__((ext_vector_type(8)));
  const Sample a = *(const Sample *)(windows[0] + 4 * index);
  const Sample b = *(const Sample *)(windows[1] + 4 * index);
  const Pair first = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#if WIDTH == 8
  return first;
#else
  const Sample c = *(const Sample *)(windows[2] + 4 * index);
  const Sample d = *(const Sample *)(windows[3] + 4 * index);
  const Pair second = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(
      first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#endif
}

/// The four channels in each quarter of a vector.
INLINE Vector repeated(Sample a) {
#if WIDTH == 4
  return a;
#elif WIDTH == 8
  return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3);
#else
  return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
#endif
}

/// The samples in the reverse order.
INLINE Vector reversed(Vector a) {
#if WIDTH == 4
  return a;
#elif WIDTH == 8
  return __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
#else
  return __builtin_shufflevector(a, a, 12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
#endif
}
