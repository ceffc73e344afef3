/// Which configuration of the device has room for a set of rings, and where their slots lie in it.
#ifndef WEIR_SIM_FIT_H
#define WEIR_SIM_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "wire/capture.h"

/// What a device must have at least; each is a parameter of rtl/top/weir_aggregator.sv.
enum fit_need { FIT_PORTS, FIT_RANKS, FIT_SLOT_BYTES, FIT_SLOTS, FIT_RINGS, FIT_CONNS, FIT_WINDOW, FIT_NEEDS };

/// The device's window for hosts that keep `window` messages outstanding: the next power of two.
unsigned fit_window(unsigned window);

/// Fills in what these rings need: everything but ports, bytes of a slot, and connections that are registered.
void fit_rings(const struct drive_ring *rings, size_t count, uint64_t needs[FIT_NEEDS]);

/// The configuration called `name`, or the smallest one with room (`name` NULL; `configs` are sorted). NULL and one line in
/// `error` if there is none: which parameter of which configuration to raise, and to what. The line begins with `file`, unless
/// that is NULL.
const struct drive_config *fit_choose(const struct drive_config *configs, size_t count, const char *name,
                                      const uint64_t needs[FIT_NEEDS], const char *file, struct file_error *error);

/// Gives each ring its region of 2 * window * stride slots, one behind the other. They must fit the configuration.
void fit_place(struct drive_ring *rings, size_t count);

#endif
