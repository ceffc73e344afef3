/// A host that has no connection of any ring and sends what it should not: claims to ranks that others have, INA headers that are
/// wrong or where none belongs, frames that are broken, too long, or nothing at all. With a ring of its own it also breaks its
/// rules. It reacts to nothing and expects nothing.
///
/// Its frames carry its own source MAC address (a switch can see to that), but often another host's IP address. No frame has the
/// addresses and the queue pair of an honest connection: whoever can send that is that connection.
#ifndef WEIR_HOSTS_HOSTILE_H
#define WEIR_HOSTS_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

/// Longest frame it sends. Queue pairs it names are from HOSTILE_QPN on.
enum { HOSTILE_ROOM = 9216, HOSTILE_QPN = 0x400000 };

struct hostile_ring {
  uint16_t id;
  unsigned workers, stride, window;
};

/// Somebody it sends to, or whose address it takes.
struct hostile_peer {
  uint8_t mac[6], ip[4];
};

struct hostile_config {
  unsigned index;   ///< of several hostile hosts, 0 to 15: their queue pairs differ
  struct hostile_peer self;
  const struct hostile_peer *peers;   ///< copied
  size_t peer_count;                  ///< 1 or more
  struct hostile_ring own;            ///< `workers` 0: none. Nobody else may send to it.
  size_t slot_bytes;                  ///< of the device
  uint64_t seed;
};

struct hostile;

/// NULL if out of memory. The caller frees it.
struct hostile *hostile_new(const struct hostile_config *config);
void hostile_free(struct hostile *h);
/// From now on these are the rings it attacks (copied; before the first call, none).
void hostile_aim(struct hostile *h, const struct hostile_ring *rings, size_t count);
/// The next frame, 14 to HOSTILE_ROOM bytes; `frame` has room for HOSTILE_ROOM.
size_t hostile_next(struct hostile *h, uint8_t *frame);

#endif
