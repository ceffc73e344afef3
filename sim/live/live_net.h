/// The wires of `weir live`: frames between guests' sockets, the commodity switch, and the Verilated device with model and witness.
///
/// Host h is on port h of the device. What leaves the device goes by destination address to the host that has it. The device is clocked
/// only while it has work; time stamps are the machine's clock.
#ifndef WEIR_SIM_LIVE_NET_H
#define WEIR_SIM_LIVE_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/bench.h"
#include "sim/live/live_hosts.h"
#include "sim/live/live_wires.h"
#include "wire/capture.h"

enum { LIVE_MAX_RINGS = 5 };

struct live_net;

/// Opens a device with `rings`. `guests` stay the caller's. NULL and a line in `error` on failure.
struct live_net *live_net_open(const struct live_options *options, struct live_guest *guests, const struct drive_ring *rings,
                               unsigned ring_count, struct history *history, struct capture_writer *writer, const char *wave,
                               char *error, size_t size);
void live_net_close(struct live_net *n);
/// How it goes on: a few cycles of the device at a time.
struct live_wires live_net_wires(struct live_net *n);
/// Empties a ring. 0, or negative.
int live_net_flush(struct live_net *n, unsigned ring);
/// The device is switched off and on: it has forgotten all, and marks results with the next epoch. What waits in front of it is lost. False if it
/// cannot be set up.
bool live_net_restart(struct live_net *n);
struct bench *live_net_bench(struct live_net *n);
struct live_net_counts live_net_counts(const struct live_net *n);

#endif
