// One window in parts, four in a vector of `wide_transform_16.c`; the last pass is of single vectors.
#if defined(__x86_64__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("arch=x86-64-v4"), min_vector_width(512))), apply_to = function)
#define WIDTH 4
#define PARTS 4
#define TRANSFORM locomotion_transform_of_one_16
#define PASSES locomotion_passes_of_parts_16
#include "wide_transform_kernel.h"
#pragma clang attribute pop
#endif
