#include "formal/protocol/search/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *why) {
  fprintf(stderr, "protocol: %s\n", why);
  abort();
}

void layout_add(struct layout *layout, size_t offset, unsigned most) {
  uint8_t bits = 0;
  while (most >> bits != 0) bits++;
  if (bits == 0) return;
  if (layout->count == LAYOUT_FIELDS || layout->bits + bits > 64 * LAYOUT_WORDS || most > 255 || offset >= LAYOUT_STATE_BYTES) {
    give_up("the state of this configuration is too large to pack");
  }
  layout->field[layout->count].offset = (uint8_t)offset;
  layout->field[layout->count].bits = bits;
  layout->field[layout->count++].most = (uint8_t)most;
  layout->bits += bits;
}

size_t layout_words(const struct layout *layout) { return layout->bits == 0 ? 1 : (layout->bits + 63) / 64; }

void layout_pack(const struct layout *layout, const void *state, uint64_t *words) {
  const uint8_t *bytes = state;
  memset(words, 0, layout_words(layout) * sizeof *words);
  size_t at = 0;
  for (size_t i = 0; i < layout->count; i++) {
    const uint8_t value = bytes[layout->field[i].offset];
    const size_t bits = layout->field[i].bits, shift = at % 64;
    if (value > layout->field[i].most) give_up("a field is larger than its layout says");
    words[at / 64] |= (uint64_t)value << shift;
    if (shift + bits > 64) words[at / 64 + 1] |= (uint64_t)value >> (64 - shift);
    at += bits;
  }
}

void layout_unpack(const struct layout *layout, const uint64_t *words, void *state) {
  uint8_t *bytes = state;
  size_t at = 0;
  for (size_t i = 0; i < layout->count; i++) {
    const size_t bits = layout->field[i].bits, shift = at % 64;
    uint64_t value = words[at / 64] >> shift;
    if (shift + bits > 64) value |= words[at / 64 + 1] << (64 - shift);
    bytes[layout->field[i].offset] = (uint8_t)(value & ((UINT64_C(1) << bits) - 1));
    at += bits;
  }
}
