// What the widths share.
#ifndef WIDE_TRANSFORM_TABLES_H
#define WIDE_TRANSFORM_TABLES_H

#include "wide_transform.h"

/// The twiddle factors of pi/8, in the layout of `FourierTables.Twiddle`.
static const float locomotion_sixteenth[24] = {
    [0] = 0.92387953f, [4] = 0.38268343f, [8] = 0.70710678f,
    [12] = 0.70710678f, [16] = 0.38268343f, [20] = 0.92387953f};

extern const LocomotionWideTransform locomotion_wide_transform_4;
extern const LocomotionWideTransform locomotion_wide_transform_8;
extern const LocomotionWideTransform locomotion_wide_transform_16;

#endif
