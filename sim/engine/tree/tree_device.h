/// A device of a tree in RTL, or the only one of its rack: a Verilated aggregator (docs/relay.md) with the golden model beside it. Each frame that leaves must be one that
/// the model makes of what went in, byte by byte, now or later; when it leaves is the device's business, and so is of which copy of a repeated
/// packet the Identification is. Where cables damage bits that no ICRC covers, these are not compared, because headers go back as they came.
#ifndef WEIR_SIM_TREE_DEVICE_H
#define WEIR_SIM_TREE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "hosts/link.h"
#include "model/relay.h"

struct tree_device;

/// The other side of its ports.
struct tree_device_cables {
  void *user;
  /// The next frame that has arrived at an input; valid until the next call for it. False if there is none.
  bool (*receive)(void *user, unsigned port, uint64_t now, struct link_frame *frame);
  /// The device takes nothing at an input for now (true), or does again.
  void (*pause)(void *user, unsigned port, bool pause);
  /// True if it must hold an output back.
  bool (*held)(const void *user, unsigned port);
  void (*send)(void *user, unsigned port, const uint8_t *frame, size_t len);
};

/// The smallest configuration with room for these rings, which all have a parent or none. NULL and one line in `error` if there is none.
const struct drive_config *tree_device_config(const struct relay_config *relay, char *error, size_t size);
/// `relay`: of the model; its rings must outlive the device; the parent is behind the last port of `config`. `damage`: cables flip bits.
/// NULL and a line in `error` on failure.
struct tree_device *tree_device_open(const struct drive_config *config, const struct relay_config *relay,
                                     const struct tree_device_cables *cables, bool damage, uint64_t seed, char *error,
                                     size_t size);
void tree_device_close(struct tree_device *d);
/// What it marks results with, and its model; 0, as at first and after a reboot: nothing. False if it takes no mark.
bool tree_device_set_epoch(struct tree_device *d, uint8_t epoch);
/// Switched off and on again, and set up: what was inside is lost, and what was learned; so it is with its model.
void tree_device_reboot(struct tree_device *d);
/// The jobs of all rings are over, and the device is quiet: its rings are released or flushed, and set up again as its configuration's rings are
/// now. With `release` it must then know no connection. False if it refuses something.
bool tree_device_next(struct tree_device *d, bool release);

/// One clock cycle: takes what has arrived, and sends.
void tree_device_step(struct tree_device *d, uint64_t now);
/// True if nothing is inside: it need not be clocked until a frame comes.
bool tree_device_quiet(const struct tree_device *d);

/// What it did, of the device and not of the model.
const struct relay_counts *tree_device_counts(const struct tree_device *d);
bool tree_device_waiting(const struct tree_device *d, unsigned ring, struct model_waiting *out);
/// At the end of a run: reads its counters and whom it waits for, and looks whether frames left that the model never sent.
void tree_device_finish(struct tree_device *d);
/// What was wrong first, in words; NULL if nothing was.
const char *tree_device_fault(const struct tree_device *d);
/// Frames that left and were compared with the model's.
uint64_t tree_device_compared(const struct tree_device *d);
/// Decisions, commits and takes that were looked at: each must be a step of the protocol's small model (sim/engine/follow/refinement.h).
uint64_t tree_device_followed(const struct tree_device *d);

#endif
