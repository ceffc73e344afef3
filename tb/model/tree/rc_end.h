/// An end of an RC connection: a requester and a responder, and the frames that are theirs. What tree nodes and their hosts talk by, hop by hop.
#ifndef WEIR_MODEL_TREE_RC_END_H
#define WEIR_MODEL_TREE_RC_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_request.h"
#include "model/tree/rc_respond.h"

/// What both halves have in common, and what differs.
struct rc_end_config {
  uint8_t local_mac[6], peer_mac[6];
  struct conn_key out, in;   ///< of frames that leave, and of those that come: source, destination, queue pair at the destination
  uint32_t psn_out, psn_in;
  uint16_t udp_source;
  unsigned mtu;
  struct rc_request_config request;   ///< from `room` on
  struct rc_respond_config respond;   ///< from `room` on
};

struct rc_end;

/// NULL if out of memory. The caller frees it.
struct rc_end *rc_end_new(const struct rc_end_config *config);
void rc_end_free(struct rc_end *e);

/// True if a frame, parsed to `p`, is of this connection.
bool rc_end_is(const struct rc_end *e, const struct roce_packet *p);
/// A frame came in, parsed to `p`. False if it is not of this connection, or nothing that RC data or ACKs are made of.
bool rc_end_receive(struct rc_end *e, uint64_t now, const uint8_t *frame, const struct roce_packet *p);
/// True if a frame may leave at `now`.
bool rc_end_ready(const struct rc_end *e, uint64_t now);
/// Builds it: ACKs first. Returns its bytes, or 0 if there is none or `size` is too small.
size_t rc_end_next(struct rc_end *e, uint64_t now, uint8_t *frame, size_t size);
/// When something is due if nothing comes in, or UINT64_MAX; does it, if it is.
uint64_t rc_end_deadline(const struct rc_end *e, uint64_t now);
void rc_end_tick(struct rc_end *e, uint64_t now);

struct rc_requester *rc_end_requester(struct rc_end *e);
struct rc_responder *rc_end_responder(struct rc_end *e);
/// The first fault of both halves.
enum rc_fault rc_end_fault(const struct rc_end *e);
/// True if nothing is kept, waits, or is to be sent.
bool rc_end_empty(const struct rc_end *e);

#endif
