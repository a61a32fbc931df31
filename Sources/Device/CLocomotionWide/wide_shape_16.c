// Four windows in a vector, with AVX-512.
#if defined(__x86_64__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("arch=x86-64-v4"), min_vector_width(512))), apply_to = function)
#define WIDTH 16
#define SHAPE locomotion_wide_shape_16
#define PRODUCTS locomotion_products_16
#include "wide_shape_kernel.h"
#pragma clang attribute pop
#endif
