/// An uplink device's port between a neighbour and the inside: frames both ways, in order and whole or dropped and counted, pauses obeyed both
/// ways, over a cable that takes time. A quantum of pause is a cycle. All asserts are cmocka's.
#ifndef WEIR_UNIT_FABRIC_PORT_ENDS_H
#define WEIR_UNIT_FABRIC_PORT_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "drive/dut.h"
#include "model/uplink/uplink_flow.h"

enum { ENDS_BEAT = 64, ENDS_QUEUES = 2, ENDS_MAX_BEATS = 24, ENDS_MAX_DELAY = 48 };
/// As in rtl/fabric/uplink_flow_pkg.sv; the test compares none of its names, but all of its sums.
enum flow {
  FLOW_RX,
  FLOW_DROP_ROOM,
  FLOW_DROP_LONG,
  FLOW_DROP_BAD,
  FLOW_RX_PAUSE,
  FLOW_RX_CONTROL,
  FLOW_TX,
  FLOW_DROP_STORM,
  FLOW_TX_PAUSE,
  FLOW_HELD_CYCLES,
  FLOW_XOFF_CYCLES,
  FLOW_STORM,
  FLOW_ALARM,
  FLOWS
};

struct packet {
  size_t len;
  unsigned prio;
  bool bad, control;
  uint64_t due;   ///< when its last beat came in
  uint8_t bytes[];
};

struct packet_list {
  struct packet **at;
  size_t room, count, head;   ///< those before `head` are done
};

/// A beat on the cable to the device.
struct beat {
  bool valid, last, bad;
  unsigned len;
  uint8_t bytes[ENDS_BEAT];
};

struct ends {
  struct dut *d;
  struct rng rng;
  uint64_t now;
  unsigned delay;   ///< of the cable, one way, cycles, up to ENDS_MAX_DELAY

  // What happens, as chances in percent a cycle; may be changed at any time.
  unsigned neighbour_sends, inside_sends;   ///< a frame is made
  unsigned hole;                            ///< nothing inside a frame, from either
  unsigned inside_ready, mac_ready;
  unsigned prios;     ///< of frames, a bit each
  unsigned longest;   ///< bytes
  unsigned bad;       ///< percent of received frames in error
  bool obeys;         ///< the neighbour keeps pauses
  bool may_lose;      ///< frames may be dropped
  unsigned slack;     ///< frames that may begin after a pause, being on their way

  struct packet_list to_rx, to_tx;   ///< made, and the first of them perhaps begun
  struct packet_list rx_expected[ENDS_QUEUES], tx_expected[ENDS_QUEUES];
  size_t rx_sent, tx_sent;   ///< bytes of the first
  bool rx_stalled;           ///< inside: shown and not taken
  struct beat cable[ENDS_MAX_DELAY + 1];
  uint8_t in[ENDS_QUEUES][65 * ENDS_BEAT], tx[65 * ENDS_BEAT];
  size_t in_len[ENDS_QUEUES], tx_len;
  uint64_t asked_at[ENDS_MAX_DELAY + 1];   ///< pauses on the cable to the neighbour: when they arrive
  uint8_t asked_enable[ENDS_MAX_DELAY + 1];
  uint16_t asked[ENDS_MAX_DELAY + 1][UPLINK_PRIOS];
  uint64_t pause_to[UPLINK_PRIOS];                           ///< the neighbour's
  uint64_t hold_from[UPLINK_PRIOS], hold_to[UPLINK_PRIOS];   ///< the device's
  unsigned begun_held[UPLINK_PRIOS];
  struct uplink_watch watch[UPLINK_PRIOS];
  unsigned limit;   ///< of the watchdog, cycles

  unsigned long rx_frames, rx_pauses, tx_frames;                        ///< sent whole by the neighbour, by the inside
  unsigned long in_frames, out_frames, pauses_seen, lost_rx, lost_tx;   ///< that arrived, and that did not
};

/// A port after its reset; `limit`: ticks of the watchdog, `tick` cycles each. Ends with ends_free.
struct ends *ends_new(uint64_t seed, unsigned delay, unsigned xoff, unsigned xon, unsigned limit, unsigned tick);
void ends_free(struct ends *e);
void ends_run(struct ends *e, uint64_t cycles);
/// Makes no more frames, lets all leave, and checks that nothing is left and that all counters add up.
void ends_drain(struct ends *e);
uint32_t ends_count(struct ends *e, enum flow which);
/// A frame from the neighbour, or from the inside, behind those that are waiting.
void ends_send(struct ends *e, bool inside, size_t len, unsigned prio);
/// The neighbour asks for a pause: PFC, or that of 802.3 if `enable` is 0.
void ends_pause(struct ends *e, unsigned enable, unsigned quanta);

#endif
