#include "CLocomotionWords.h"

// Of C23; a manifest can ask for that standard only for all C of the package at once.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char columns[] = {
#embed "columns.txt" suffix(, 0)
};
static const unsigned char sports[] = {
#embed "sports.txt" suffix(, 0)
};

const unsigned char *locomotion_column_words(void) { return columns; }
const unsigned char *locomotion_sport_words(void) { return sports; }
