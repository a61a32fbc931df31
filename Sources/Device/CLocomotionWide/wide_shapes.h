// The widths of the sums.
#ifndef WIDE_SHAPES_H
#define WIDE_SHAPES_H

#include "wide_shape.h"

extern const LocomotionWideShape locomotion_wide_shape_4;
extern const LocomotionWideShape locomotion_wide_shape_8;
extern const LocomotionWideShape locomotion_wide_shape_16;

#endif
