/// What the device can be built as, and how a ring is set up in it: plain data, without the Verilated device behind it.
#ifndef WEIR_DRIVE_CONFIG_H
#define WEIR_DRIVE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Connections that any device can know, at most (ConnBits of rtl/roce/roce_pkg.sv).
enum { DRIVE_MOST_CONNS = 1024 };

/// One named configuration (rtl/top/configs.csv).
struct drive_config {
  const char *name;
  unsigned ports, ranks, slot_bytes, slots, rings, conns, max_window, wide_lanes;
  unsigned spine;     ///< 1: it can be above devices of a tree (docs/relay.md); 0: only workers send
  unsigned uplink;    ///< 1: it can be below a parent, to which its last port leads
  unsigned rows;      ///< below a parent: connections from other leaves that it may know
  unsigned ecc;       ///< 1: memories for frames, payloads and headers are corrected
  unsigned without;   ///< what is left out, bits of enum feature
  unsigned beat;      ///< bytes that a port moves in a cycle
};

/// Those that are chosen from where none is named, smallest first.
const struct drive_config *drive_configs(size_t *count);
/// One of all: those, then those for a tree, with corrected memories, without something, and with other beats; NULL behind the last one.
const struct drive_config *drive_config_at(size_t i);
/// The one of this name of all; NULL if there is none.
const struct drive_config *drive_config_named(const char *name);
/// Those of the aggregator for a tree (rtl/top/relay_configs.csv), in the order in which they are tried.
const struct drive_config *drive_relay_configs(size_t *count);

/// A ring for drive_set_ring: `stride` is its longest message in packets, `base` its first slot.
struct drive_ring {
  bool enable, learn;
  uint16_t id;
  unsigned workers, window, stride, base;
};

/// What a device is in a tree and its place there, for drive_set_relay: of a ring, but for its own addresses.
struct drive_relay {
  bool parent, devices;   ///< has a parent; children are devices. Neither: the only device of its rack
  uint8_t self_mac[6], self_ip[4], parent_mac[6], parent_ip[4];
  unsigned child, siblings;   ///< which child of the parent, of how many
  unsigned first, total;      ///< of a leaf: rank of its first worker, workers of the whole ring
};

#ifdef __cplusplus
}
#endif
#endif
