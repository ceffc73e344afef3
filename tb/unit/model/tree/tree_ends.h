/// Two ends of an RC connection of a tree, for tests: their settings, frames between them, answers made by hand. All asserts are cmocka's.
#ifndef WEIR_UNIT_TREE_ENDS_H
#define WEIR_UNIT_TREE_ENDS_H

#include "model/tree/rc_end.h"
#include "wire/roce.h"

enum { ENDS_MTU = 256, ENDS_PSN = 0xFFFFFD, ENDS_TIMEOUT = 1000, ENDS_ROOM = 4400 };

/// End `which` (0, 1) of a connection: 8 packets of room both ways, an ACK each packet that asks, 7 retries. PSNs begin at ENDS_PSN and run over.
struct rc_end_config ends_config(unsigned which);

/// A frame on its way, and what the parser says of it.
struct ends_frame {
  size_t len;
  struct roce_packet p;
  uint8_t data[ENDS_ROOM];
};

/// A packet of `len` bytes, each of which is `fill`.
void ends_post(struct rc_requester *r, bool first, bool last, uint8_t fill, size_t len);
/// The next frame, which is there.
struct ends_frame ends_next(struct rc_end *e, uint64_t now);
/// An answer of end 1 reaches the requester of end 0.
void ends_answer(struct rc_end *e, uint64_t now, uint8_t syndrome, uint32_t psn);
/// What the AETH of an ACK packet says.
uint8_t ends_syndrome(const struct ends_frame *f);

#endif
