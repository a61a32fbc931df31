#include "CLocomotionModel.h"

// Of C23; a manifest can ask for that standard only for all C of the package at once.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char model[] = {
#embed "default.model"
};

const unsigned char *locomotion_default_model(size_t *count) {
  *count = sizeof model;
  return model;
}
