// Transforms and sums of four windows at once, in the widest vectors that the machine has.
#ifndef C_LOCOMOTION_WIDE_H
#define C_LOCOMOTION_WIDE_H

#include "wide_shape.h"
#include "wide_transform.h"

#endif
