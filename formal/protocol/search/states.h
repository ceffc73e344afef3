/// The set of all states found so far, numbered from 0 in the order in which they were found.
#ifndef WEIR_PROTOCOL_STATES_H
#define WEIR_PROTOCOL_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct states {
  size_t words;   ///< 64-bit words of a state
  uint32_t count;
  uint32_t room;   ///< states that `packed` has room for
  uint64_t *packed;
  uint64_t *table;   ///< open addressing: upper half of the hash, then 1 + number; 0 = empty
  uint32_t mask;
};

/// Aborts if the host runs out of memory, here and below. states_free releases what it takes.
void states_init(struct states *set, size_t words);
void states_free(struct states *set);
/// Number of the state; `*is_new` if it was not in the set before.
uint32_t states_add(struct states *set, const uint64_t *words, bool *is_new);
/// The packed state of that number. Valid until the next states_add.
const uint64_t *states_at(const struct states *set, uint32_t number);

#endif
