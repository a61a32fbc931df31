// Two windows in a vector, with AVX2.
#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#define WIDTH 8
#define TRANSFORM locomotion_wide_transform_8
#include "wide_transform_kernel.h"
#pragma clang attribute pop
#endif
