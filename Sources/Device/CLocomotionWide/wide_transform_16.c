// Four windows in a vector, with AVX-512.
#if defined(__x86_64__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("arch=x86-64-v4"), min_vector_width(512))), apply_to = function)
#define WIDTH 16
#define TRANSFORM locomotion_wide_transform_16
#include "wide_transform_kernel.h"
#pragma clang attribute pop
#endif
