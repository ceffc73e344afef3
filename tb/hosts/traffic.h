/// Random traffic of small rings, as frames to send: what unmodified RDMA hosts send when packets are lost and repeated, with
/// everything strewn in that a device must pass or drop. The same seed and limits give the same bytes.
///
/// Frames are to be sent in order, each no earlier than traffic_may_start allows: a sender starts a message only when it has
/// the results of the one N before (NetReduce 3.2). Some scenarios have a sender that does not wait.
#ifndef WEIR_HOSTS_TRAFFIC_H
#define WEIR_HOSTS_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/// What a scenario must fit into.
struct traffic_limits {
  struct model_limits model;
  unsigned rings, max_window;
  unsigned slots;   ///< columns over all rings; a ring takes 2 * window * stride
};

/// A connection the control plane registers before the first frame.
struct traffic_conn {
  struct conn_key key;
  unsigned ring, rank;
};

/// No sender: the frame may start at any time.
#define TRAFFIC_NOBODY UINT32_MAX

struct traffic_frame {
  unsigned port;
  bool error;   ///< the MAC's frame error flag
  uint8_t *data;
  size_t len;
  uint32_t sender, message;   ///< whose window it has to wait for
  bool means;                 ///< it is packet `offset` of message `msgid` of a rank; otherwise nobody says what it is
  unsigned ring, rank, offset;
  uint32_t msgid;
};

struct traffic_sender;
struct traffic_ring;

/// A scenario; to be read only.
struct traffic {
  struct traffic_limits limits;
  struct model_ring *rings;
  size_t ring_count;
  struct traffic_conn *conns;
  size_t conn_count;
  struct traffic_frame *frames;
  size_t frame_count;
  bool orderly;          ///< nobody breaks a rule of the protocol, and there is no noise
  size_t columns;        ///< that would complete if nothing went wrong
  size_t flush_at;       ///< ring `flush_ring` is flushed before this frame; SIZE_MAX if none is
  unsigned flush_ring;   ///< one that learns
  struct traffic_ring *plans;
  struct traffic_sender *senders;
  size_t sender_count;
};

/// Makes a whole scenario of 30 to 400 frames. The caller frees it. Aborts if the host runs out of memory.
struct traffic *traffic_new(uint64_t seed, const struct traffic_limits *limits);
void traffic_free(struct traffic *t);

/// False if frame `index` has to wait for results.
bool traffic_may_start(const struct traffic *t, size_t index);
/// A frame came out of the device.
void traffic_result(struct traffic *t, const uint8_t *frame, size_t len);
/// The results that frame `index` waits for will not come; nobody waits for them any more.
void traffic_give_up(struct traffic *t, size_t index);
/// flush_ring was flushed.
void traffic_flushed(struct traffic *t);

#endif
