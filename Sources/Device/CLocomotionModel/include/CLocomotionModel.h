#ifndef C_LOCOMOTION_MODEL_H
#define C_LOCOMOTION_MODEL_H

#include <stddef.h>

/// The bytes of `default.model`, the model file that comes with the package, and in `count` their
/// number; they are there as long as the program.
const unsigned char *locomotion_default_model(size_t *count);

#endif
