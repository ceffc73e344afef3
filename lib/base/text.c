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

void text_make_printable(char *text) {
  for (; *text != 0; text++)
    if (*text < ' ' || *text > '~') *text = '?';
}
