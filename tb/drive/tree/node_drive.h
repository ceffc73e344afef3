/// The Verilated tree node: registers, frames in and out at its ports, a clock of 250 MHz, and what it shows of its decisions.
#ifndef WEIR_DRIVE_NODE_DRIVE_H
#define WEIR_DRIVE_NODE_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/tree/node_config.h"
#include "drive/tree/node_observed.h"
#include "drive/tree/tree_control.h"

enum { NODE_DRIVE_CYCLE_PS = 4000 };

/// Called from node_drive_tick, and while registers are written or read.
struct node_drive_calls {
  void *user;
  /// A whole frame has left. Not called while registers are used: then nothing moves.
  void (*out)(void *user, unsigned port, const uint8_t *frame, size_t len);
  /// The same of one that its MAC sends with a wrong FCS: a memory has lost what it was to bring.
  void (*broken)(void *user, unsigned port);
  void (*observed)(void *user, const struct node_observed *event);
  /// An assertion of the device failed; its own text is on stderr already. Called once.
  void (*failed)(void *user, uint64_t cycle, const char *where);
};

struct node_drive;

/// Opens and resets a device, whose trees are closed. `wave`: FST file, or NULL. `calls` is copied. NULL if out of memory, if the wave file cannot be
/// written, or if there is no such device and it cannot be built (a line on stderr says so). The caller closes it.
struct node_drive *node_drive_open(const struct node_config *config, uint64_t seed, const char *wave,
                                   const struct node_drive_calls *calls);
void node_drive_close(struct node_drive *d);
const struct node_config *node_drive_config(const struct node_drive *d);

/// Its registers. An access takes some cycles, in which no port moves; it lives as long as the device.
struct tree_bus node_drive_bus(struct node_drive *d);

/// Offers a frame at a port that has none, without FCS; it is copied. `bad`: its MAC saw that it is damaged.
void node_drive_offer(struct node_drive *d, unsigned port, const uint8_t *frame, size_t len, bool bad);
/// True while a frame that was offered is not wholly in.
bool node_drive_offered(const struct node_drive *d, unsigned port);
/// A cycle. Ports of `ready` (a bit each) can take a beat of what leaves. True if a beat went in or out.
bool node_drive_tick(struct node_drive *d, uint64_t ready);
/// From now on bits of memories flip, `per_1000` in 1000 cycles, so many (1, which is corrected, or 2) in a word. Of a configuration with corrected ones.
void node_drive_flip(struct node_drive *d, uint64_t seed, unsigned per_1000, unsigned bits);
uint64_t node_drive_flipped(const struct node_drive *d);
uint64_t node_drive_cycles(const struct node_drive *d);
/// Cycle of the first beat of the frame that leaves at a port, or left last.
uint64_t node_drive_began(const struct node_drive *d, unsigned port);
/// Cycles since a beat last went in or out, or something was decided. A device that is still long enough has nothing to do but to wait.
uint64_t node_drive_still(const struct node_drive *d);

#endif
