#include "host/coll/choice.h"

#include <stdio.h>

const size_t choice_sizes[CHOICE_SIZES] = {256, 8192, 262144};

void choice_make(struct choice *c) {
  for (unsigned s = 0; s < CHOICE_SIZES; s++) {
    c->best[s] = 0;
    for (unsigned b = 1; b < c->count; b++)
      if (c->us[s][b] < c->us[s][c->best[s]]) c->best[s] = b;
  }
}

unsigned choice_class(size_t bytes) {
  unsigned s = 0;
  // bytes / sizes[s] > sizes[s + 1] / bytes, without overflow: sizes are at most 2^18.
  while (s + 1 < CHOICE_SIZES && (bytes >= choice_sizes[s + 1] || bytes * bytes > choice_sizes[s] * choice_sizes[s + 1])) s++;
  return s;
}

unsigned choice_of(const struct choice *c, size_t bytes) { return c->count > 1 ? c->best[choice_class(bytes)] : 0; }

void choice_text(const struct choice *c, const struct backend *backends, size_t bytes, char text[CHOICE_TEXT]) {
  const unsigned s = choice_class(bytes), chosen = choice_of(c, bytes);
  size_t used = (size_t)snprintf(text, CHOICE_TEXT, "the %s", backends[chosen].name);
  if (c->count == 1) {
    snprintf(text + used, CHOICE_TEXT - used, ": no other may be used");
    return;
  }
  used += (size_t)snprintf(text + used, CHOICE_TEXT - used, ": %u us for %zu bytes", c->us[s][chosen], choice_sizes[s]);
  for (unsigned b = 0; b < c->count; b++)
    if (b != chosen) used += (size_t)snprintf(text + used, CHOICE_TEXT - used, ", %s %u", backends[b].name, c->us[s][b]);
}
