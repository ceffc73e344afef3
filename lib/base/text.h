/// Text from outside.
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/// Decimal digits only, `low` to `high`.
bool text_whole(const char *text, uint64_t low, uint64_t high, uint64_t *value);
/// The same, and one K or M (2^10, 2^20) may follow.
bool text_bytes(const char *text, uint64_t low, uint64_t high, uint64_t *value);

/// Puts '?' in the place of everything that is not printable ASCII: a file or a guest shall not write escape sequences onto a terminal
/// through us, nor make two lines of one.
void text_make_printable(char *text);

#endif
