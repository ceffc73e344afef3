/// Results that a host or a node took from a multicast, until their reliable copies come: each must say the same once more, and is thrown away then.
#ifndef WEIR_WIRE_CAST_COPIES_H
#define WEIR_WIRE_CAST_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/tree.h"

/// More than a device has room for: seven of each of four groups.
enum { CAST_COPIES = 32 };

/// All zero, nothing is due.
struct cast_copies {
  struct {
    struct tree_header header;
    uint64_t hash;   ///< of the vector
  } due[CAST_COPIES];
  unsigned count;
  bool inside;     ///< a copy is coming,
  unsigned at;     ///< of this one,
  uint64_t hash;   ///< of so much of its vector
};

/// A result was taken. False if there are too many.
bool cast_copies_add(struct cast_copies *c, const struct tree_header *header, const uint8_t *vector, size_t len);
/// A message begins with this header: true if it is the copy that is due.
bool cast_copies_begin(struct cast_copies *c, const struct tree_header *header);
/// More of its vector; with `last` true if all of it is as it was, else false.
bool cast_copies_more(struct cast_copies *c, const uint8_t *vector, size_t len, bool last);

#endif
