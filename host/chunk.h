/// How a tensor is cut into messages, and a message into packets.
#ifndef WEIR_HOST_CHUNK_H
#define WEIR_HOST_CHUNK_H

#include <stddef.h>
#include <stdint.h>

/// A ring's messages: `msglen` packets at most, of `mtu` bytes of payload. `trailer` bytes at least go behind the tensor (0: none): a
/// receiver who polls waits for the last word of a message, which must then never be 0 (chunk_seal).
struct chunk_shape {
  unsigned mtu, msglen;
  size_t trailer;
};

/// One message of a tensor.
struct chunk {
  size_t offset, bytes;   ///< in the tensor
  size_t total;           ///< bytes on the wire, INA header and trailer included
  uint16_t packets;
};

/// Most tensor bytes in a message: a multiple of 4, 0 if there is no room for any.
size_t chunk_most(const struct chunk_shape *shape);
/// How many messages a tensor takes; 0 for an empty one.
size_t chunk_count(const struct chunk_shape *shape, size_t tensor);
/// Message `index` of a tensor of `tensor` bytes.
struct chunk chunk_at(const struct chunk_shape *shape, size_t tensor, size_t index);
/// Fills what is behind the tensor of a message with elements of value 1. Their sum, minimum and maximum are never 0.
void chunk_seal(uint8_t *out, size_t bytes, uint8_t kind);

#endif
