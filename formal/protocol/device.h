/// What the device does with one gradient packet, under each of the rules.
#ifndef WEIR_PROTOCOL_DEVICE_H
#define WEIR_PROTOCOL_DEVICE_H

#include <stdbool.h>

#include "formal/protocol/ring.h"
#include "formal/protocol/slot.h"

/// Packet `p` of rank `r` comes in; `s` is changed, except for OUTCOME_WAITS. `coming`: a packet before it is not in its bank yet (only where a place is shared).
/// `*wrong` is set if a result leaves that mixes messages, or if a column is given up although hosts keep to the window.
enum outcome device_packet(const struct rules *rules, struct ring_state *s, unsigned r, unsigned p, bool coming, bool *wrong);
/// One by one: the result of column `c` that is due for connection `r` leaves. False if there is no room.
bool device_emit(const struct rules *rules, struct ring_state *s, unsigned c, unsigned r, bool *wrong);
/// Puts a packet into a FIFO of depth `depth`; false if it is full.
bool fifo_push(uint8_t *fifo, unsigned depth, unsigned packet);

#endif
