/// A node of an aggregation tree that is a few lines, for tests of hosts: it answers when all of them have asked.
#ifndef WEIR_UNIT_FAKE_NODE_H
#define WEIR_UNIT_FAKE_NODE_H

#include <stddef.h>
#include <stdint.h>

struct fake_node_message {
  uint8_t *data;
  size_t bytes;
};

/// Answers what `hosts` hosts have sent, each in room of its own. From operation `from` on (0: never) every verdict but of locks is `says`.
void fake_node_answer(unsigned hosts, const struct fake_node_message in[], struct fake_node_message out[], uint8_t says,
                      uint32_t from);

#endif
