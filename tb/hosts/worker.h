/// One rank of a ring (NetReduce 3.1, 3.2): cuts its tensor into messages, writes them to the next rank, and takes what comes from
/// the rank before it, which the device has replaced by the sums. Message m is posted only when result m - N is here whole;
/// an ACK moves nothing. Messages that may go are handed to the NIC together.
///
/// A worker owns both queue pairs: a requester towards the next rank, a responder for the one before.
#ifndef WEIR_HOSTS_WORKER_H
#define WEIR_HOSTS_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/requester.h"
#include "hosts/responder.h"

struct worker_config {
  uint16_t ring;
  uint8_t rank, kind;         ///< kind: type and operation, as in an INA header
  uint16_t workers, msglen;   ///< msglen: packets of a message
  unsigned window;            ///< N: 1 or more; the device's may be larger
  uint32_t msgid;             ///< of the first message
  enum rc_verb verb;          ///< *_IMM carries the MsgID as immediate value (completion); the others are found by polling
  bool marks;                 ///< takes a message only if it is a result by its marks (docs/protocol.md); `verb` is one of *_IMM
  bool short_last;            ///< the last message ends with the tensor instead of being padded to msglen packets
  struct conn_key data_key;   ///< of packets that come from the rank before
  struct conn_key ack_key;    ///< of ACK packets that come from the next rank
  struct requester_config requester;
  struct responder_config responder;   ///< `user` and `deliver` are the worker's to fill
};

struct worker_counts {
  uint64_t messages;   ///< of the tensors so far
  uint64_t results;    ///< received whole
  uint64_t wrong;      ///< results with an INA header, immediate value, address or length that is not the one due
};

/// Why a worker that wants marks has given up; a message that it has refused is not in the result, nor is any behind it.
enum worker_refusal {
  WORKER_TAKES,        ///< it has not
  WORKER_RAW,          ///< the first or the last packet of a message carries none: it is one rank's numbers
  WORKER_TWO_EPOCHS,   ///< they carry different ones: what is between them may be anything
  WORKER_REFUSALS
};
const char *worker_refusal_name(enum worker_refusal refusal);

struct worker;

/// NULL if out of memory. The caller frees it.
struct worker *worker_new(const struct worker_config *config);
void worker_free(struct worker *w);

/// Starts to reduce a tensor of `bytes` (a multiple of the element size, not 0). Both buffers stay the caller's and must live until
/// worker_done; `result` gets the reduction. MsgIDs go on from the tensor before, which must be done.
void worker_reduce(struct worker *w, const uint8_t *tensor, uint8_t *result, size_t bytes);
/// All results are here, and all that was sent is acknowledged.
bool worker_done(const struct worker *w);
/// Result messages received of the tensor under way; it has `*of`.
size_t worker_progress(const struct worker *w, size_t *of);

/// Once it is not WORKER_TAKES, the worker sends and takes nothing any more.
enum worker_refusal worker_refusal(const struct worker *w);

/// A data or ACK packet for this rank came in, parsed to `p`. False if it is for neither of its queue pairs.
bool worker_receive(struct worker *w, uint64_t now, const uint8_t *frame, const struct roce_packet *p);
/// True if there is a frame to send at `now`.
bool worker_ready(const struct worker *w, uint64_t now);
/// Builds it: ACKs first. Returns its bytes, or 0 if there is none or `size` is too small.
size_t worker_next(struct worker *w, uint64_t now, uint8_t *frame, size_t size);
/// What worker_next built last: packet `offset` of message `msgid`. False if that was an ACK packet. Ask before a packet comes in.
bool worker_sent(const struct worker *w, uint32_t *msgid, unsigned *offset);
/// When something is due if nothing comes in, or UINT64_MAX; and what is due.
uint64_t worker_deadline(const struct worker *w, uint64_t now);
void worker_tick(struct worker *w, uint64_t now);

struct worker_counts worker_counts(const struct worker *w);
struct requester_counts worker_requester(const struct worker *w);
struct responder_counts worker_responder(const struct worker *w);

#endif
