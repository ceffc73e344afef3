/// What is in a capture: connections, rings, duplicates, bad ICRCs. Looks at frames only, knows nothing of the device.
#ifndef WEIR_SIM_SURVEY_H
#define WEIR_SIM_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/trace.h"
#include "wire/roce.h"

/// An RC connection that carries SEND or WRITE data.
struct survey_conn {
  struct conn_key key;
  unsigned port;   ///< port of its first data packet
  bool has_ring;   ///< a packet with a valid INA header was seen; the two fields below are of the first one
  uint16_t ring;
  uint8_t rank;
  uint32_t psn_first;   ///< lowest PSN in serial order from the first one seen
  uint32_t psn_last;    ///< highest
  size_t packets;       ///< data packets
  size_t copies;        ///< of these, copies after the first with the same PSN (which may wrap)
};

/// A RingID that appears in INA headers that are valid in themselves (known type and operation, Rank < Workers, MsgLen > 0).
///
/// A ring is usable if those headers agree and every rank sends. They agree if all have the same Workers, and if those of one
/// message (MsgID) have the same MsgLen. Messages of a ring may differ in length, because the last one of a tensor may be short;
/// the ring needs room for the longest that all ranks began. Type and operation may differ too, a message at a time.
struct survey_ring {
  uint16_t id;
  uint16_t workers;                   ///< of the first header
  uint16_t msglen;                    ///< longest that all ranks began, packets
  uint16_t kinds;                     ///< bit 4*operation + type of each that was seen
  size_t connections;                 ///< whose first valid header names it
  size_t messages;                    ///< different MsgIDs
  uint32_t msgid_first, msgid_last;   ///< in serial order
  size_t tensor_bytes;                ///< longest tensor part of a packet of its connections
  bool usable;                        ///< headers agree, and every rank sends
  char note[160];                     ///< why it is not usable; empty if it is
};

struct survey {
  struct survey_conn *conns;
  size_t conn_count;
  struct survey_ring *rings;   ///< in order of appearance
  size_t ring_count;
  size_t frames, roce, candidates, bad_icrc, control, other;   ///< frames by class; `roce` = candidates + bad_icrc + control
  size_t copies;                                               ///< repeated data packets, all connections
  size_t *per_port;                                            ///< frames of each of the trace's ports
};

/// Looks through all frames. Aborts if the host runs out of memory. Freed with survey_free.
void survey_make(const struct trace *trace, struct survey *out);
void survey_free(struct survey *survey);

#endif
