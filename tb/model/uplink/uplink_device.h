/// The golden model of the uplink device (rtl/top/weir_uplink.sv): which frame leaves by which port, in what order, and what is dropped.
///
/// It keeps frames whole, and has no pipeline. When the device decides, whose frame begins to leave in which cycle, and what finds no room
/// there, is the device's business: the model is told in the order of the observation port, decides by itself, and compares.
#ifndef WEIR_MODEL_UPLINK_DEVICE_H
#define WEIR_MODEL_UPLINK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/uplink/uplink_flow.h"
#include "model/uplink/uplink_route.h"

/// Queues of a port, each way: priority 3 has one of its own.
enum { UPLINK_QUEUES = 2, UPLINK_OWN_PRIORITY = 3 };
/// Ports of a device, at most; overrides.
enum { UPLINK_ALL_PORTS = 32, UPLINK_MOST_OVERRIDES = 255 };
/// A beat, and the shortest frame that leaves, bytes.
enum { UPLINK_BEAT = 64, UPLINK_SHORTEST = 60 };
/// Loads forget each so many cycles. Cycles from a link's change until frames are decided on by it.
enum { UPLINK_LOAD_PERIOD = 1024, UPLINK_SETTLES = 64 };

/// Why a frame goes where it goes; uplink_way_e of rtl/fabric/uplink_route_pkg.sv, and NONE.
enum uplink_way {
  UPLINK_HASH,
  UPLINK_OVERRIDE,
  UPLINK_WAY_GOES_ON,
  UPLINK_WAY_FIRST,
  UPLINK_WAY_GAP,
  UPLINK_WAY_DEAD,
  UPLINK_MOVED,
  UPLINK_NONE
};
#define UPLINK_WAYS 8
extern const char *const uplink_way_names[UPLINK_WAYS];

struct uplink_shape {
  unsigned down, up, places, overrides;
  unsigned conn_sets, conn_ways;   ///< of connections, of each queue of a down port
};

struct uplink_settings {
  uint32_t seed;
  bool with_qp, flowlets;
  uint32_t interval;   ///< cycles
};

struct uplink_counts {
  uint64_t taken, no_room, control;        ///< of frames that came in: let in, dropped for room or as bad, MAC control
  uint64_t ways[UPLINK_WAYS];              ///< of those let into down ports
  uint64_t lost;                           ///< their port died before they began
  uint64_t order[UPLINK_ORDER_VERDICTS];   ///< of those let into down ports, RC requests by their sequence number
  uint64_t out[UPLINK_ALL_PORTS];          ///< by port
  uint64_t skipped[UPLINK_ALL_PORTS];      ///< that should have left, and did not: a storm, or a dead link
  uint64_t mismatches;
};

struct uplink_device;

/// A device after reset, or NULL if out of memory. The caller frees it.
struct uplink_device *uplink_device_new(const struct uplink_shape *shape);
void uplink_device_free(struct uplink_device *d);
void uplink_device_set(struct uplink_device *d, const struct uplink_settings *settings);
void uplink_device_override(struct uplink_device *d, unsigned index, const struct uplink_override *entry);

/// A frame was handed over at a port; it is copied.
void uplink_device_in(struct uplink_device *d, unsigned port, const uint8_t *frame, size_t len);
/// The oldest frame of a port, of those whose fate was not told yet, was let in, or dropped.
void uplink_device_fate(struct uplink_device *d, unsigned port, bool taken);
/// A cycle begins, the first one or that behind the last; `up`: links that are up, a bit for each uplink;
/// `live`: those by which frames are decided on, which are the same but for a moment behind a change (UPLINK_SETTLES).
void uplink_device_cycle(struct uplink_device *d, uint32_t up, uint32_t live);
/// The device decides on the oldest frame of a queue of a down port on which it has not.
void uplink_device_decides(struct uplink_device *d, unsigned port, unsigned queue);
/// A beat of the oldest frame of a queue that has not left it wholly leaves it, to `to` (of all ports), or is dropped.
/// `begins`: it says so of the first one. `why` counts for down ports only.
void uplink_device_beat(struct uplink_device *d, unsigned port, unsigned queue, bool begins, bool dropped, unsigned to,
                        unsigned why);
/// A frame left a port.
void uplink_device_out(struct uplink_device *d, unsigned port, const uint8_t *frame, size_t len);

/// Frames inside that have a fate and have not left.
uint64_t uplink_device_inside(const struct uplink_device *d);
/// Nothing comes any more: what should have left a port and did not counts as skipped.
void uplink_device_end(struct uplink_device *d);
const struct uplink_counts *uplink_device_counts(const struct uplink_device *d);
/// What was found first, one line; NULL if all was right.
const char *uplink_device_text(const struct uplink_device *d);

#endif
