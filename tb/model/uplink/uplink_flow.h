/// Flow control and monitors of an uplink device (Meta RoCE 5.1, 6.3): pauses that last too long, a buffer's alarm, packets out of sequence,
/// pause frames. C twins of rtl/fabric/uplink_watchdog.sv, uplink_alarm.sv and uplink_order.sv, by time and by lists, and what tests and
/// simulated neighbours say and read of 802.1Qbb.
#ifndef WEIR_MODEL_UPLINK_FLOW_H
#define WEIR_MODEL_UPLINK_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/uplink/uplink_hash.h"

#define UPLINK_PRIOS 8

/// A priority's pause, as it is told of when it begins and ends. Times in any unit. All zero: not paused.
struct uplink_watch {
  bool paused;
  uint64_t since;    ///< the latest pause began
  uint64_t storms;   ///< pauses that have ended and were too long
};

/// From `now` on it is paused, or not; nothing, if it was so before.
void uplink_watch_set(struct uplink_watch *w, uint64_t now, bool paused, uint64_t limit);
/// Whether a pause is going on at `now` that has lasted for more than `limit`, 0 for never (6.3.2: 200 ms).
bool uplink_watch_storm(const struct uplink_watch *w, uint64_t now, uint64_t limit);
/// Storms that have begun up to `now`.
uint64_t uplink_watch_begun(const struct uplink_watch *w, uint64_t now, uint64_t limit);

/// Whether the alarm of a buffer of `size` is on: it rises above `raise` percent and falls at `clear` percent, less (6.3.2: 80 %).
static inline bool uplink_alarm(bool on, uint64_t level, uint64_t size, unsigned raise, unsigned clear) {
  return level * 100 > size * (on ? clear : raise);
}

/// What a packet's sequence number says of its connection (6.3.1). Order as in rtl/fabric/uplink_flow_pkg.sv.
enum uplink_order_verdict { UPLINK_NEXT, UPLINK_NEW, UPLINK_ORDER_GAP, UPLINK_DUPLICATE, UPLINK_ORDER_FULL };
#define UPLINK_ORDER_VERDICTS 5

/// A connection: where it goes, what comes next, and what went wrong, counted up to 65,535.
struct uplink_conn {
  uint64_t dst[2];
  uint32_t qpn, next;
  bool any;   ///< behind a READ request: any later number is the next one
  uint16_t gaps, duplicates;
  unsigned set;
};

/// The connections that are known, of which `ways` may have a set in common of `sets`, a power of two.
struct uplink_order;
/// The caller frees it with uplink_order_free; ends the program if there is no memory.
struct uplink_order *uplink_order_new(unsigned sets, unsigned ways);
void uplink_order_free(struct uplink_order *o);
/// Forgets all.
void uplink_order_clear(struct uplink_order *o);
/// Whether packets of this opcode count: requests of RC, whose numbers go on one by one.
bool uplink_has_order(uint8_t opcode);
/// What a packet is that has an order.
enum uplink_order_verdict uplink_order_step(struct uplink_order *o, const struct uplink_key *key, uint8_t opcode, uint32_t psn);
/// The connection of a packet; NULL: not known.
const struct uplink_conn *uplink_order_find(const struct uplink_order *o, const struct uplink_key *key);
/// All of them, `count` gets how many.
const struct uplink_conn *uplink_order_all(const struct uplink_order *o, size_t *count);

/// Bytes of a pause frame without FCS.
#define UPLINK_PAUSE_BYTES 60
/// Makes a PFC frame (802.1Q 36) from `mac`, 48 bits: for each priority of `enable` its quanta of 512 bit times, 0 to let it go.
void uplink_pause_make(uint8_t out[UPLINK_PAUSE_BYTES], uint64_t mac, uint8_t enable, const uint16_t quanta[UPLINK_PRIOS]);
/// Reads a PFC frame, or the pause of 802.3 (31B), which enables all. Returns false if it is neither; `control` gets whether it is some MAC
/// control frame, if it is not NULL.
bool uplink_pause_read(const uint8_t *frame, size_t len, uint8_t *enable, uint16_t quanta[UPLINK_PRIOS], bool *control);

#endif
