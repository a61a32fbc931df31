#include "wide_transform.h"

extern const LocomotionWideTransform locomotion_wide_transform_4, locomotion_wide_transform_8,
    locomotion_wide_transform_16, locomotion_transform_of_one_8, locomotion_transform_of_one_16;

const LocomotionWideTransform *locomotion_wide_transform(int width, int windows) {
  (void)width, (void)windows;  // Where there is but one.
#if defined(__x86_64__)
  if (width >= 16 && __builtin_cpu_supports("x86-64-v4"))
    return windows == 1 ? &locomotion_transform_of_one_16 : &locomotion_wide_transform_16;
  if (width >= 8 && __builtin_cpu_supports("x86-64-v3"))
    return windows == 1 ? &locomotion_transform_of_one_8 : &locomotion_wide_transform_8;
#endif
  return &locomotion_wide_transform_4;
}
