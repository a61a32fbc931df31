// One window in a vector: what every machine has.
#define WIDTH 4
#define SHAPE locomotion_wide_shape_4
#include "wide_shape_kernel.h"
