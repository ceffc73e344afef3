/// What stands in the network of a gather: nodes and switches, models or a Verilated device behind the same few functions.
#ifndef WEIR_HOSTS_GATHER_ELEMENT_H
#define WEIR_HOSTS_GATHER_ELEMENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/gather_concat.h"
#include "wire/bytes.h"

/// Addresses of an element: 10.0.x.x, and a locally administered MAC.
static inline void gather_address(uint32_t element, uint8_t mac[6], uint8_t ip[4]) {
  const uint8_t m[6] = {2, 0x47, 0, (uint8_t)(element >> 16), (uint8_t)(element >> 8), (uint8_t)element};
  memcpy(mac, m, 6);
  put_be32(ip, UINT32_C(0x0A000000) + element + 1);
}

/// A packet under way; whoever has it frees it.
struct gather_packet {
  struct gather_packet *next;
  uint64_t at;       ///< cycle in which whoever has it may go on with it
  uint32_t maker;    ///< element that put it together
  unsigned port;     ///< on which it came in, or by which it leaves
  uint64_t serial;   ///< of those that came to an element
  size_t len;
  uint8_t data[];   ///< from the concatenation header on
};

/// A copy of `len` bytes. Aborts if out of memory.
static inline struct gather_packet *gather_packet_new(const uint8_t *data, size_t len, uint32_t maker) {
  struct gather_packet *p = need(malloc(sizeof *p + len));
  *p = (struct gather_packet){.maker = maker, .len = len};
  memcpy(p->data, data, len);
  return p;
}

/// Packets, first in first out.
struct gather_fifo {
  struct gather_packet *first, *last;
  size_t count, most;
};

static inline void gather_fifo_put(struct gather_fifo *f, struct gather_packet *p) {
  p->next = NULL;
  if (f->first == NULL)
    f->first = p;
  else
    f->last->next = p;
  f->last = p;
  if (++f->count > f->most) f->most = f->count;
}

/// The first one, no longer in it; NULL if there is none.
static inline struct gather_packet *gather_fifo_take(struct gather_fifo *f) {
  struct gather_packet *p = f->first;
  if (p == NULL) return NULL;
  f->first = p->next;
  f->count--;
  return p;
}

static inline void gather_fifo_empty(struct gather_fifo *f) {
  for (struct gather_packet *p; (p = gather_fifo_take(f)) != NULL;) free(p);
}

/// Reads and responses are two classes: each has buffers of its own everywhere, so that neither ever waits for the other. A read may wait until
/// responses leave; a response waits for nothing but responses, and in the end for a NIC, which takes it whatever else it does.
enum gather_class { GATHER_ASKS, GATHER_BRINGS, GATHER_CLASSES };
static inline enum gather_class gather_class_of(enum gather_type type) {
  return type == GATHER_READ ? GATHER_ASKS : GATHER_BRINGS;
}

/// Whether an element may make another packet of a class for a port: there is room for it in front of the cable. If not, the element is
/// stepped again when there is. What was under way to the port already is always taken.
typedef bool gather_room_fn(void *fabric, uint32_t element, unsigned port, enum gather_class class);
/// A packet that came in by a port is in no buffer any more.
typedef void gather_taken_fn(void *fabric, uint32_t element, unsigned port, enum gather_class class, size_t len);

/// Element `element` sends a packet out of one of its ports in the cycle in which it is stepped. The packet changes hands.
typedef void gather_send_fn(void *fabric, uint32_t element, unsigned port, struct gather_packet *p);

/// What the network asks of an element. Cycles never go back. Within a cycle all receptions come before the step.
struct gather_element {
  void *self;
  /// A whole packet has come in. It changes hands.
  void (*receive)(void *self, uint64_t now, unsigned port, struct gather_packet *p);
  /// The next cycle in which it wants to be stepped if nothing comes in; GATHER_NEVER if it wants nothing.
  uint64_t (*next)(const void *self);
  void (*step)(void *self, uint64_t now);
  /// It says by gather_taken_fn when a packet is in no buffer any more; else it is when it came.
  bool keeps;
  /// It throws away itself what waits for a receiver that has stopped, and is not to be told that there is room while it has.
  bool watches;
};

#endif
