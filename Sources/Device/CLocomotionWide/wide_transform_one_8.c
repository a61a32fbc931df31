// One window in parts, two in a vector of `wide_transform_8.c`; the last pass is of single vectors.
#if defined(__x86_64__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("arch=x86-64-v3"), min_vector_width(256))), apply_to = function)
#define WIDTH 4
#define PARTS 2
#define TRANSFORM locomotion_transform_of_one_8
#define PASSES locomotion_passes_of_parts_8
#include "wide_transform_kernel.h"
#pragma clang attribute pop
#endif
