#ifndef C_LOCOMOTION_PAGE_H
#define C_LOCOMOTION_PAGE_H

/// The texts of `page.js` and `page.css` in UTF-8, each ended by a zero; they are there as long as the
/// program.
const unsigned char *locomotion_page_script(void);
const unsigned char *locomotion_page_style(void);

#endif
