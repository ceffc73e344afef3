/// Packets between the two ends of an RC connection: what the tests of requester, responder and worker share. All asserts are
/// cmocka's.
#ifndef WEIR_UNIT_RC_ENDS_H
#define WEIR_UNIT_RC_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "hosts/requester.h"
#include "hosts/responder.h"

enum { RC_ROOM = 4400, RC_PSN = 1000, RC_TIMEOUT = 1000 };

/// A frame on its way, and what the parser says of it.
struct rc_frame {
  size_t len;
  struct roce_packet p;
  uint8_t data[RC_ROOM];
};

/// One end's view of a connection from host `from` to queue pair `qpn` of host `to`.
struct conn_key rc_key(unsigned from, unsigned to, uint32_t qpn);
void rc_mac(unsigned host, uint8_t mac[6]);

/// From host 1 to host 2: MTU 256, PSNs from RC_PSN, time-out RC_TIMEOUT, no ACK but for messages, any number of packets in flight.
struct requester_config rc_requester(void);
/// A requester of this kind with so many messages of one packet posted.
struct requester *rc_loaded(size_t messages);
/// Its other end: no delay, always ready. `deliver` counts packets in the size_t that `user` points to.
struct responder_config rc_responder(const struct requester_config *c, size_t *delivered);

/// The next frame of a requester or responder, which must have one. It is no shorter than Ethernet allows, with a good ICRC.
struct rc_frame rc_next(struct requester *r, uint64_t now);
struct rc_frame rc_reply(struct responder *r, uint64_t now);

/// A requester sends all that it may at `now`: PSNs from `psn` on, `count` of them.
void rc_sends(struct requester *r, uint64_t now, uint32_t psn, unsigned count);
void rc_counts_are(const struct requester *r, struct requester_counts due);

/// An ACK packet with this syndrome and PSN comes in at a requester.
void rc_answer(struct requester *r, uint64_t now, uint8_t syndrome, uint32_t psn);
uint8_t rc_syndrome(const struct rc_frame *f);

/// A message with `length` bytes of `payload` that travels by `verb`; address, key and immediate value are all different.
struct rc_message rc_message(enum rc_verb verb, const uint8_t *payload, size_t length);
/// What the packet adds to its message: INA header and tensor, behind the extension headers. Returns its bytes.
size_t rc_payload(const struct rc_frame *f, const uint8_t **payload);

#endif
