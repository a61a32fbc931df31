// Two windows in a vector, with AVX2.
#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#define WIDTH 8
#define SHAPE locomotion_wide_shape_8
#define PRODUCTS locomotion_products_8
#include "wide_shape_kernel.h"
#pragma clang attribute pop
#endif
