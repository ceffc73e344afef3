/// Cables between the ports of a device and its neighbours, at 100 Gb/s: frames as AXI4-Stream beats, one bench cycle at a time. All asserts are cmocka's.
#ifndef WEIR_UNIT_TREE_CABLES_H
#define WEIR_UNIT_TREE_CABLES_H

#include <stddef.h>
#include <stdint.h>

#include "drive/dut.h"

enum { CABLES_PORTS = 16, CABLES_FRAME = 4400, CABLES_CYCLE_PS = 4000 };

/// One port's.
struct cable {
  uint8_t in[CABLES_FRAME], out[CABLES_FRAME];   ///< frames under way, to the device and from it
  size_t in_len, in_at, out_len;                 ///< `in_len` 0: the next frame may be put into `in`
  unsigned in_credit, out_credit;                ///< bytes that the cable may carry by now
  uint64_t came;                                 ///< when the last beat of its last frame that is more than an ACK did
  uint64_t begins, left;   ///< when the first beat of a frame to it left, and of the last one that is more than an ACK
};

struct cables {
  struct dut *d;
  unsigned ports;
  struct cable at[CABLES_PORTS];
  uint64_t offered, ready;   ///< ports, in this cycle
  uint64_t stuck;            ///< ports whose cables carry nothing from the device
  uint64_t broken;           ///< frames that left marked as an error, and are lost
};

/// A frame has left by a port, whole, as `out`.
typedef void cables_left(void *user, unsigned port);

/// Offers what the cables have brought by now, and takes what they can carry. Then: dut_eval.
void cables_offer(struct cables *c);
/// Moves what both sides agree on. Then: dut_tick.
void cables_move(struct cables *c, cables_left *left, void *user);

#endif
