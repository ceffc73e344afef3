#include "host/chunk.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/roce.h"

size_t chunk_most(const struct chunk_shape *shape) {
  const size_t all = (size_t)shape->mtu * shape->msglen, others = INA_BYTES + shape->trailer;
  return all > others ? (all - others) & ~(size_t)3 : 0;
}

size_t chunk_count(const struct chunk_shape *shape, size_t tensor) {
  const size_t most = chunk_most(shape);
  return most == 0 ? 0 : (tensor + most - 1) / most;
}

struct chunk chunk_at(const struct chunk_shape *shape, size_t tensor, size_t index) {
  const size_t most = chunk_most(shape);
  struct chunk c = {.offset = index * most};
  c.bytes = tensor - c.offset < most ? tensor - c.offset : most;
  c.total = INA_BYTES + c.bytes;
  // The word that is polled is aligned, so that it is seen whole.
  if (shape->trailer > 0) c.total = ((c.total + 3) & ~(size_t)3) + shape->trailer;
  c.packets = (uint16_t)((c.total + shape->mtu - 1) / shape->mtu);
  return c;
}

void chunk_seal(uint8_t *out, size_t bytes, uint8_t kind) {
  static const uint32_t ones[] = {[INA_FP32] = 0x3F800000, [INA_FP16] = 0x3C00, [INA_BF16] = 0x3F80, [INA_INT32] = 1};
  const size_t size = ina_element_size(kind);
  for (size_t i = 0; size > 0 && i + size <= bytes; i += size) {
    uint8_t word[4];
    put_le32(word, ones[kind & 3]);
    memcpy(out + i, word, size);
  }
}
