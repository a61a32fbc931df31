// One window, whose products at neighbouring lags are summed in vectors of 8 floats.
#if defined(__x86_64__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("arch=x86-64-v3"), min_vector_width(256))), apply_to = function)
#define WIDTH 4
#define SHAPE locomotion_shape_of_one_8
#define PRODUCTS locomotion_products_8
#include "wide_shape_kernel.h"
#pragma clang attribute pop
#endif
