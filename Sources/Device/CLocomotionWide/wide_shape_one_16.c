// One window, whose products at neighbouring lags are summed in vectors of 16 floats.
#if defined(__x86_64__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("arch=x86-64-v4"), min_vector_width(512))), apply_to = function)
#define WIDTH 4
#define SHAPE locomotion_shape_of_one_16
#define PRODUCTS locomotion_products_16
#include "wide_shape_kernel.h"
#pragma clang attribute pop
#endif
