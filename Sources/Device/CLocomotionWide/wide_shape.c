#include "wide_shape.h"

extern const LocomotionWideShape locomotion_wide_shape_4, locomotion_wide_shape_8,
    locomotion_wide_shape_16, locomotion_shape_of_one_8, locomotion_shape_of_one_16;

const LocomotionWideShape *locomotion_wide_shape(int width, int windows) {
  (void)width, (void)windows;  // Where there is but one.
#if defined(__x86_64__)
  if (width >= 16 && __builtin_cpu_supports("x86-64-v4"))
    return windows == 1 ? &locomotion_shape_of_one_16 : &locomotion_wide_shape_16;
  if (width >= 8 && __builtin_cpu_supports("x86-64-v3"))
    return windows == 1 ? &locomotion_shape_of_one_8 : &locomotion_wide_shape_8;
#endif
  return &locomotion_wide_shape_4;
}
