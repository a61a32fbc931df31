#include "CLocomotionPage.h"

// Of C23; a manifest can ask for that standard only for all C of the package at once.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char script[] = {
#embed "page.js" suffix(, 0)
};
static const unsigned char style[] = {
#embed "page.css" suffix(, 0)
};

const unsigned char *locomotion_page_script(void) { return script; }
const unsigned char *locomotion_page_style(void) { return style; }
