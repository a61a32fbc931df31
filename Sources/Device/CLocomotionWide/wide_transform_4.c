// One window in a vector: what every machine has.
#define WIDTH 4
#define PARTS 1
#define TRANSFORM locomotion_wide_transform_4
#include "wide_passes.h"
#define PASSES(bins, tables, source, kind) passes(bins, tables, source, kind, false)
#include "wide_transform_kernel.h"
