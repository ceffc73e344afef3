/// Verilated devices of a tree, wired to each other: a frame that leaves one is at the next in the same cycle. Workers have no clock: the
/// test sends their packets, and looks at what came. What the tests of trees in RTL share. All asserts are cmocka's.
#ifndef WEIR_UNIT_RTL_TREE_H
#define WEIR_UNIT_RTL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/drive.h"
#include "wire/relay.h"
#include "wire/roce.h"

enum {
  TREE_DEVICES = 4,
  TREE_WORKERS = 4,
  TREE_RINGS = 2,
  TREE_MSGLEN = 3,
  TREE_TENSOR = 8,   ///< bytes a packet: two FP32 numbers
  TREE_WINDOW = 2,
  TREE_FRAME = 256,
  TREE_LOG = 64,
  TREE_TOP = TREE_DEVICES   ///< parent of a root, of a rack's only device; of a device that has no part in a ring
};

/// A ring, and the tree over it. A leaf's workers follow each other.
struct tree_ring {
  uint16_t id;
  unsigned workers, order[TREE_WORKERS];   ///< the worker of each rank
  unsigned parent[TREE_DEVICES];           ///< of each device
  bool registered;                         ///< leaves know all connections from the start, and learn none
};

/// The usual racks: two leaves of two workers, two roots; RingIDs; ports of tree4 and leaf3 towards their parents.
enum { L1, L2, S, T };
enum { W1, W2, W3, W4 };
enum { RING = 7, OTHER = 8, UP4 = 3, UP3 = 2 };

struct tree {
  /// The caller's: names of configurations, NULL for a device that is not there; where each worker is; rings.
  const char *configs[TREE_DEVICES];
  unsigned leaf[TREE_WORKERS], port[TREE_WORKERS];
  struct tree_ring rings[TREE_RINGS];
  unsigned ring_count;

  struct tree_whose {
    struct tree *tree;
    unsigned device;
    struct drive *drive;
  } devices[TREE_DEVICES];
  uint64_t moved;   ///< cycle in which a frame last left a device
  uint64_t cycle;
  /// Frames that left a device since tree_forget.
  struct tree_frame {
    unsigned device;
    size_t len;
    uint8_t data[TREE_FRAME];
  } log[TREE_LOG], held[TREE_LOG];
  unsigned logged;
  bool lose_notes;   ///< notifications are lost on their way
  bool hold_notes;   ///< or wait for tree_release
  unsigned notes_held;
};

/// Opens and sets up all devices. False, and nothing is open, if one cannot be opened (stderr says why).
bool tree_open(struct tree *t);
void tree_close(struct tree *t);
/// Switches a device off and on again: it is set up, and knows nothing.
void tree_restart(struct tree *t, unsigned device);
/// Until nothing leaves any device.
void tree_run(struct tree *t);
void tree_release(struct tree *t);
void tree_forget(struct tree *t);
uint64_t tree_counter(struct tree *t, unsigned device, unsigned port, unsigned which);

struct relay_end tree_device_end(unsigned device);
struct relay_end tree_worker_end(unsigned worker);
/// The connection that begins at the worker of a rank.
struct conn_key tree_key(const struct tree_ring *ring, unsigned rank);
/// Packet `offset` of message `msgid` of a rank, WRITE with immediate; its tensor is two FP32 numbers, `value` and `value` + `step`.
size_t tree_packet(const struct tree_ring *ring, unsigned rank, uint32_t msgid, unsigned offset, float value, float step,
                   uint8_t *frame);
/// It goes to the worker's leaf. Nothing is clocked.
void tree_send(struct tree *t, unsigned ring, unsigned rank, uint32_t msgid, unsigned offset, float value);
/// A frame from outside goes into a device.
void tree_put(struct tree *t, unsigned device, unsigned port, const uint8_t *frame, size_t len);

/// How many frames of a connection have left since tree_forget, and the last of them; notifications are no frames of it.
unsigned tree_left(const struct tree *t, unsigned device, const struct conn_key *key, const struct tree_frame **last);
/// Fails unless a frame is this packet of tree_packet, byte by byte.
void tree_is(const struct tree_frame *got, const struct tree_ring *ring, unsigned rank, uint32_t msgid, unsigned offset,
             float value, float step);
/// Fails unless a rank has got its result of this packet, once, and it is the predecessor's packet with these numbers.
void tree_has(const struct tree *t, unsigned ring, unsigned rank, uint32_t msgid, unsigned offset, float value, float step);

/// Ring 0: W1 to W4 below S; `rings` 2: also W3, W4, W1, W2 below T. Leaves have the configuration `leaf`, roots none yet.
struct tree tree_racks(unsigned rings, const char *leaf);
/// The notification of a rank's packet, into `note` of TREE_FRAME bytes: its length. It goes into a device.
size_t tree_note(const struct tree_ring *ring, unsigned rank, uint32_t msgid, unsigned offset, uint8_t *note);
void tree_put_note(struct tree *t, unsigned device, unsigned port, unsigned ring, unsigned rank, uint32_t msgid, unsigned offset);

/// All workers of a ring send the packet: 1, 2, .. and, in the second ring, ten more each. All have the sum; second numbers are one more each.
void tree_all_send(struct tree *t, unsigned ring, uint32_t msgid, unsigned offset);
void tree_all_have(const struct tree *t, unsigned ring, uint32_t msgid, unsigned offset);

#endif
