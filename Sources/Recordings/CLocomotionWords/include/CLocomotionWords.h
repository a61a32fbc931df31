#ifndef C_LOCOMOTION_WORDS_H
#define C_LOCOMOTION_WORDS_H

/// The texts of `columns.txt` and `sports.txt` in UTF-8, each ended by a zero; they are there as long
/// as the program.
const unsigned char *locomotion_column_words(void);
const unsigned char *locomotion_sport_words(void);

#endif
