/// Pins of the Verilated NIC, beside those of frames. Private to tb/drive.
#ifndef WEIR_DRIVE_GATHER_NIC_PINS_H
#define WEIR_DRIVE_GATHER_NIC_PINS_H

#include "drive/gather_core.h"

/// Counters of a unit and of the port, as rtl/top/weir_gather_nic.sv has them.
enum gather_unit_counter {
  GATHER_UNIT_FETCHED,
  GATHER_UNIT_LOCAL,
  GATHER_UNIT_FILTERED,
  GATHER_UNIT_COALESCED,
  GATHER_UNIT_REQUESTED,
  GATHER_UNIT_CAME,
  GATHER_UNIT_LATE,
  GATHER_UNIT_WAITS_TABLE,
  GATHER_UNIT_WAITS_FILTER,
  GATHER_UNIT_WAITS_TAKEN,
  GATHER_UNIT_COUNTERS
};
enum gather_nic_counter {
  GATHER_NIC_RX,
  GATHER_NIC_TAKEN = 4,
  GATHER_NIC_SENT = 9,
  GATHER_NIC_FULL,
  GATHER_NIC_EXPIRED,
  GATHER_NIC_OTHER_LEN,
  GATHER_NIC_EARLY,
  GATHER_NIC_NO_UNIT,
  GATHER_NIC_SERVED,
  GATHER_NIC_COUNTERS
};

struct gather_nic_pins {
  struct device_pin command_valid, command_ready, command_list, command_dest, command_count, command_len, command_stride;
  struct device_pin done_valid, done_ready, done_failed;
  struct device_pin read_valid, read_ready, read_addr, read_bytes, data_valid, data;
  struct device_pin write_valid, write_ready, write_addr, write_bytes, write_data, written;
  struct device_pin look_valid, look_ready, look_idx, bit_valid, bit, mark_valid, mark_ready, mark_idx, unit_counts, port_counts;
};

/// Finds them. Aborts if the device is not the one that this was written for.
struct gather_nic_pins gather_nic_pins_find(const struct gather_core *c, unsigned units);
/// Sets field `which` of a pin that has one of `width` bits, at most 64, for each unit.
void gather_nic_put_field(struct device_pin pin, unsigned which, unsigned width, uint64_t value);

#endif
