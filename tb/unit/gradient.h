/// Gradient packets as tests of the golden model need them: named by ring, rank, message and offset, everything else
/// filled in the way a well-behaved sender would, and open to change before the frame is built.
#ifndef WEIR_UNIT_GRADIENT_H
#define WEIR_UNIT_GRADIENT_H

#include <stddef.h>
#include <stdint.h>

#include "wire/roce.h"

enum { GRADIENT_ROOM = 512, GRADIENT_TENSOR = 128 };

/// One packet of a message. Its PSN is `psn0` + `offset`; the INA header goes with FIRST and ONLY opcodes.
struct gradient {
  struct ina_header ina;
  unsigned offset;
  uint32_t psn0;
  struct roce_build build;   ///< its `ina`, `payload` and `psn` are set by gradient_frame
  uint8_t tensor[GRADIENT_TENSOR];
  size_t len;   ///< bytes of `tensor`
};

/// Packet `offset` of message `msgid`, of a rank with a connection of its own: WRITE opcodes, 8 bytes of FP32 (1.0 and
/// rank + 1), PSNs that continue from message to message.
struct gradient gradient_of(const struct ina_header *ina, unsigned offset);

/// Builds the frame into `out` and returns its length.
size_t gradient_frame(const struct gradient *g, uint8_t out[GRADIENT_ROOM]);

#endif
