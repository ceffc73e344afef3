/// Pins of the Verilated NIC, beside those of frames. Private to tb/drive.
#ifndef WEIR_DRIVE_GATHER_NIC_PINS_H
#define WEIR_DRIVE_GATHER_NIC_PINS_H

#include "drive/core.h"

struct gather_nic_pins {
  struct device_pin command_valid, command_ready, command;
  struct device_pin done_valid, done_ready, done_failed;
  struct device_pin pause_reads, pause, stopped, merge;
  struct device_pin read_valid, read_ready, read_addr, read_bytes, data_valid, data;
  struct device_pin write_valid, write_ready, write_addr, write_bytes, write_data, written;
  struct device_pin look_valid, look_ready, look_idx, bit_valid, bit, mark_valid, mark_ready, mark_idx;
};

/// Finds them. Aborts if the device is not the one that this was written for.
struct gather_nic_pins gather_nic_pins_find(const struct core *c, unsigned units);

#endif
