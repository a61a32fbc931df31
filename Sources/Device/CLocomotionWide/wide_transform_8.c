// Two windows in a vector, with AVX2; and the DFTs of half of one window's parts.
#if defined(__x86_64__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("arch=x86-64-v3"), min_vector_width(256))), apply_to = function)
#define WIDTH 8
#define PARTS 1
#define TRANSFORM locomotion_wide_transform_8
#include "wide_passes.h"
#define PASSES(bins, tables, source, kind) passes(bins, tables, source, kind, false)
#include "wide_transform_kernel.h"

void locomotion_passes_of_parts_8(
    float *bins, const LocomotionTransformTables *tables, const LocomotionSource *source,
    LocomotionSourceKind kind) {
  passes(bins, tables, source, kind, true);
}
#pragma clang attribute pop
#endif
