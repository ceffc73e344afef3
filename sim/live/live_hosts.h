/// The guests' ends of their cables in `weir live`: frames from and to their sockets, lost on purpose, kept while a guest does not read, counted.
#ifndef WEIR_SIM_LIVE_HOSTS_H
#define WEIR_SIM_LIVE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/live/live_guest.h"
#include "sim/live/live_options.h"

enum { LIVE_QUEUE = 4096 };

struct live_net_counts {
  uint64_t in, out;                ///< frames from and to hosts
  uint64_t lost_in, lost_out;      ///< on purpose
  uint64_t roce[LIVE_MAX_HOSTS];   ///< RoCEv2 frames that a host was given
  uint64_t beside;                 ///< frames from hosts that went past the device
  uint64_t dropped;                ///< for want of room in front of a host that does not read, or that is gone
};

struct live_hosts;

/// `guests` stay the caller's. NULL if out of memory. The caller frees it.
struct live_hosts *live_hosts_new(const struct live_options *options, struct live_guest *guests);
void live_hosts_free(struct live_hosts *h);
/// A frame for a host (copied): it goes at once, or as soon as the guest reads.
void live_hosts_give(struct live_hosts *h, unsigned host, const uint8_t *frame, size_t len);
/// What waited goes as soon as there is room. True if anything went.
bool live_hosts_drain(struct live_hosts *h);
/// The next frame from a host that is not lost on its way: its bytes, or 0 if there is none. `*moved` is set if there was any. `frame` is valid until
/// the next call.
size_t live_hosts_take(struct live_hosts *h, unsigned host, const uint8_t **frame, bool *moved);
/// A frame from a host went past the device.
void live_hosts_count_beside(struct live_hosts *h);
/// Whether a frame on any cable is lost: drawn anew each time.
bool live_hosts_loses(struct live_hosts *h);
/// True if nothing waits for a guest.
bool live_hosts_idle(const struct live_hosts *h);
struct live_net_counts live_hosts_counts(const struct live_hosts *h);

#endif
