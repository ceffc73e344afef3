/// The Verilated uplink device in lock step with its golden model: registers, frames in and out, and what it shows of its decisions.
#ifndef WEIR_DRIVE_UPLINK_DRIVE_H
#define WEIR_DRIVE_UPLINK_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/uplink/uplink_config.h"
#include "model/uplink/uplink_device.h"

struct uplink_drive;

/// Called from uplink_drive_tick: a whole frame has left.
typedef void uplink_drive_out(void *user, unsigned port, const uint8_t *frame, size_t len);

/// Commands that registers may refuse; command_e of rtl/fabric/uplink_pkg.sv.
enum uplink_error {
  UPLINK_DONE,
  UPLINK_NO_ENTRY,
  UPLINK_NO_PORT,
  UPLINK_LONG_PREFIX,
  UPLINK_BAD_INTERVAL,
  UPLINK_BAD_LEVELS,
  UPLINK_BAD_QUANTA,
  UPLINK_UNKNOWN
};

/// Pauses of all ports. All zero is refused; see uplink_drive_pauses.
struct uplink_pauses {
  uint8_t lossless;     ///< a bit for each priority
  uint16_t quanta;      ///< 64 or more
  uint16_t xoff, xon;   ///< beats
  uint16_t limit;       ///< of the watchdog, ticks of 9375 cycles; 0: none
};

/// What a port counts; order of flow_e (rtl/fabric/uplink_flow_pkg.sv), then frames that met a link that was down.
enum uplink_port_counter {
  UPLINK_RX,
  UPLINK_DROP_ROOM,
  UPLINK_DROP_LONG,
  UPLINK_DROP_BAD,
  UPLINK_RX_PAUSE,
  UPLINK_RX_CONTROL,
  UPLINK_TX,
  UPLINK_DROP_STORM,
  UPLINK_TX_PAUSE,
  UPLINK_HELD_CYCLES,
  UPLINK_XOFF_CYCLES,
  UPLINK_STORMS,
  UPLINK_ALARMS,
  UPLINK_DROP_LINK,
  UPLINK_PORT_COUNTERS
};

/// Opens and resets a device. `wave`: FST file, or NULL. NULL if out of memory, if the wave file cannot be written, or if there is no such
/// device and it cannot be built (a line on stderr says so). The caller closes it.
struct uplink_drive *uplink_drive_open(const struct uplink_config *config, uint64_t seed, const char *wave, uplink_drive_out *out,
                                       void *user);
void uplink_drive_close(struct uplink_drive *d);

/// Settings as they are after reset.
struct uplink_pauses uplink_drive_pauses(void);
/// Sets both, in device and model. What is refused changes nothing.
enum uplink_error uplink_drive_set(struct uplink_drive *d, const struct uplink_settings *settings,
                                   const struct uplink_pauses *pauses);
enum uplink_error uplink_drive_override(struct uplink_drive *d, unsigned index, const struct uplink_override *entry);
/// Links that are up, a bit for each uplink.
void uplink_drive_links(struct uplink_drive *d, uint32_t up);

/// Offers a frame at a port that has none, without FCS, 1 to 9216 bytes; it is copied.
void uplink_drive_offer(struct uplink_drive *d, unsigned port, const uint8_t *frame, size_t len);
/// True while a frame that was offered is not wholly in.
bool uplink_drive_offered(const struct uplink_drive *d, unsigned port);
/// A cycle. Ports of `ready` (a bit each) can take a beat of what leaves. True if a beat went in or out.
bool uplink_drive_tick(struct uplink_drive *d, uint32_t ready);
uint64_t uplink_drive_cycles(const struct uplink_drive *d);

uint32_t uplink_drive_port_count(struct uplink_drive *d, unsigned port, enum uplink_port_counter which);
/// Frames of a queue of a down port by their way; UPLINK_WAYS: those whose port died behind the decision.
uint32_t uplink_drive_way_count(struct uplink_drive *d, unsigned port, unsigned queue, unsigned which);
/// The run is over: counters of the device against the model's, and against each other.
void uplink_drive_finish(struct uplink_drive *d);
const struct uplink_device *uplink_drive_model(const struct uplink_drive *d);
/// What was found first, one line; NULL if all was right. `mismatches` gets how many there are.
const char *uplink_drive_text(const struct uplink_drive *d, uint64_t *mismatches);

#endif
