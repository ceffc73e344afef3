#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool text_whole(const char *text, uint64_t low, uint64_t high, uint64_t *value) {
  if (*text == 0 || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  *value = strtoull(text, NULL, 10);
  return errno == 0 && *value >= low && *value <= high;
}

bool text_bytes(const char *text, uint64_t low, uint64_t high, uint64_t *value) {
  char digits[32];
  const size_t len = strlen(text);
  if (len == 0 || len >= sizeof digits) return false;
  const uint64_t unit = text[len - 1] == 'K' ? 1 << 10 : text[len - 1] == 'M' ? 1 << 20 : 1;
  memcpy(digits, text, len + 1);
  if (unit > 1) digits[len - 1] = 0;
  // In units first, so that the product is no larger than what is allowed.
  if (!text_whole(digits, 0, high / unit, value) || *value * unit < low) return false;
  *value *= unit;
  return true;
}

void text_make_printable(char *text) {
  for (; *text != 0; text++)
    if (*text < ' ' || *text > '~') *text = '?';
}
