/// Packs a model's state into as few bits as its configuration needs.
///
/// A state is a struct of uint8_t fields. The layout lists those a configuration uses, each with the largest value it can take;
/// fields that are not listed stay 0. Packed states are compared and hashed as whole 64-bit words.
#ifndef WEIR_PROTOCOL_LAYOUT_H
#define WEIR_PROTOCOL_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_FIELDS = 320, LAYOUT_WORDS = 16, LAYOUT_STATE_BYTES = 256 };

struct layout {
  size_t count, bits;
  struct {
    uint8_t offset, bits;
    uint8_t most;
  } field[LAYOUT_FIELDS];
};

/// Adds the byte at `offset` of the state, which takes values up to `most`. Aborts if the state is larger than a layout can hold.
void layout_add(struct layout *layout, size_t offset, unsigned most);
/// 64-bit words of a packed state.
size_t layout_words(const struct layout *layout);
/// Aborts if a field is larger than the layout was told: a packed state must never stand for two states.
void layout_pack(const struct layout *layout, const void *state, uint64_t *words);
/// `state` has LAYOUT_STATE_BYTES or less and was zeroed by the caller.
void layout_unpack(const struct layout *layout, const uint64_t *words, void *state);

#endif
