/// What an end of an RC connection was sent, kept until somebody has use for it: packets, or the messages that they make.
#ifndef WEIR_MODEL_TREE_HEARD_H
#define WEIR_MODEL_TREE_HEARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_end.h"
#include "wire/tree.h"

/// The longest message that is kept as one: of a low-latency tree, and a packet more.
enum { HEARD_MOST = TREE_BYTES + TREE_LLT_MOST + RC_MAX_MTU };

/// A packet, or a message, which is first and last.
struct heard {
  struct heard *next;
  bool first, last;
  bool optional;   ///< the list's owner may do without it
  size_t len;
  uint8_t data[];
};

/// In the order in which they came; all zero, it is empty.
struct heard_list {
  struct heard *head, **tail;
};

/// A message as far as it is here.
struct heard_part {
  size_t len;
  uint8_t data[HEARD_MOST];
};

/// Puts a message behind all others.
void heard_add(struct heard_list *l, const uint8_t *data, size_t len);
/// Takes out one that `at` points to: of the list's head, or of the `next` of one in it.
void heard_drop(struct heard_list *l, struct heard **at);
void heard_empty(struct heard_list *l);
/// Takes all that waits at an end into the list, packet by packet; with `part` as messages. False if one is longer than any message is.
bool heard_all(struct heard_list *l, struct rc_end *end, struct heard_part *part);

#endif
