// One window in a vector: what every machine has.
#define WIDTH 4
#define TRANSFORM locomotion_wide_transform_4
#include "wide_transform_kernel.h"
