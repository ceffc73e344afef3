/// What carries messages from one host of a ring to the next: RC queue pairs (host/verbs.h), or a fake one in tests.
///
/// Both ends have `slots` buffers of `slot_bytes`. What a host stages in slot i lands in slot i of the next one.
#ifndef WEIR_HOST_TRANSPORT_H
#define WEIR_HOST_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Memory that the transport can read without a copy, and what it needs to know of it.
struct transport_body {
  const uint8_t *data;
  size_t bytes;
  uint32_t key;
};

enum transport_kind {
  TRANSPORT_SENT,     ///< the oldest message that was not told yet has been acknowledged
  TRANSPORT_ARRIVED   ///< the next message has landed, in order
};
struct transport_event {
  enum transport_kind kind;
  size_t bytes;         ///< of what landed
  uint32_t immediate;   ///< that came with it
};

struct transport {
  void *self;
  unsigned slots;
  size_t slot_bytes;
  bool polled;   ///< arrivals are not told: whoever waits looks into the landing slot

  /// Owned by the transport.
  uint8_t *(*staging)(void *self, unsigned slot);
  const uint8_t *(*landing)(void *self, unsigned slot);
  /// Sends `staged` bytes of a staging slot; with a body, `front` of them, the body, and then the rest. Both must stay as they are until
  /// TRANSPORT_SENT. 0, or a negative errno.
  int (*send)(void *self, unsigned slot, size_t front, size_t staged, const struct transport_body *body, uint32_t immediate);
  /// 1 and an event, 0 if there is none, or a negative errno: nothing can be sent or received any more.
  int (*poll)(void *self, struct transport_event *event);
  /// What has landed in a slot has been read: it may be written again. 0, or a negative errno.
  int (*ready)(void *self, unsigned slot);
};

#endif
