/// Makes a capture of a trace: the gradient packets that the device gets, in their order, and behind them those that hosts send
/// until all results are there. `weir replay` then shows what the device makes of a sequence that a broken rule does not survive.
#ifndef WEIR_PROTOCOL_SCENARIO_H
#define WEIR_PROTOCOL_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/rules.h"

enum { SCENARIO_FRAMES = 256 };

/// A sequence of packets at the device, and what becomes of them under Weir's rules.
struct scenario {
  struct {
    uint8_t rank, packet;
  } frame[SCENARIO_FRAMES];
  size_t frames;
  size_t of_trace;                      ///< the first ones
  bool due[HOSTS_MOST][PACKETS_MOST];   ///< by connection and packet: a result left
  unsigned results, stored, duplicates, stale, unknown, passed;
};

/// `labels` is a trace of ring_model(rules). False if Weir's rules do not complete after it, or need too many packets.
bool scenario_make(const struct rules *rules, const uint32_t *labels, size_t length, struct scenario *out);
/// Writes NAME.in.pcapng, one frame every 10 us, rank r behind port r; and NAME.out.pcapng with each result that hosts must get,
/// once. 0, or -1 and a line on stderr.
int scenario_write(const struct rules *rules, const struct scenario *scenario, const char *name);

#endif
