/// UD multicast of a low-latency tree's results (SHARP 3.1; docs/wire.md): the message of the reliable connection once more, in one packet to
/// the children of a node that listen to the tree's address. Nobody repeats it, and nobody counts on it.
#ifndef WEIR_WIRE_TREE_CAST_H
#define WEIR_WIRE_TREE_CAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/roce.h"

/// Key of the queue pairs that listen, and the number that stands for all of them.
#define TREE_CAST_QKEY UINT32_C(0x57656972)
enum { TREE_CAST_QPN = 0xFFFFFF };

/// Who sends: addresses of the node's port, the queue pair of its low-latency connection there, and a number of the packet.
struct tree_cast {
  uint8_t mac[6];
  bool v6;
  uint16_t vlan, udp_source;
  uint8_t ip[16];   ///< IPv4: the first four bytes
  uint32_t qpn, psn;
  uint16_t tree;
};

/// The address of a tree, 239.87.0.0 + its number or ff15::5765:0 + its number, and Ethernet's of that.
void tree_cast_address(uint16_t tree, bool v6, uint8_t ip[16], uint8_t mac[6]);
/// Builds a frame with a message of `len` bytes, at most an MTU of 4096. Its bytes, or 0 if `size` is too small.
size_t tree_cast_build(const struct tree_cast *from, const uint8_t *message, size_t len, uint8_t *frame, size_t size);
/// The message in a frame, parsed to `p`, if it is to a tree's address, from a queue pair of this source (address, VLAN, version as `from` has them; its
/// `qpn` is the sender's). NULL if it is none.
const uint8_t *tree_cast_read(const uint8_t *frame, const struct roce_packet *p, uint16_t tree, const struct conn_key *from,
                              size_t *len);

#endif
