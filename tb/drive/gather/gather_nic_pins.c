#include "drive/gather/gather_nic_pins.h"

#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"

struct gather_nic_pins gather_nic_pins_find(const struct core *c, unsigned units) {
  return (struct gather_nic_pins){
      .command_valid = core_pin(c, "command_valid_i", units),
      .command_ready = core_pin(c, "command_ready_o", units),
      .command = core_pin(c, "command_i", command_t__BITS * units),
      .done_valid = core_pin(c, "done_valid_o", units),
      .done_ready = core_pin(c, "done_ready_i", units),
      .done_failed = core_pin(c, "done_failed_o", units),
      .pause_reads = core_pin(c, "pause_reads_o", 1),
      .pause = core_pin(c, "pause_i", 2),
      .merge = core_pin(c, "merge_o", merge_obs_t__BITS),
      .stopped = core_pin(c, "stopped_o", stopped_obs_t__BITS),
      .read_valid = core_pin(c, "mem_read_valid_o", 1),
      .read_ready = core_pin(c, "mem_read_ready_i", 1),
      .read_addr = core_pin(c, "mem_read_addr_o", 64),
      .read_bytes = core_pin(c, "mem_read_bytes_o", 7),
      .data_valid = core_pin(c, "mem_data_valid_i", 1),
      .data = core_pin(c, "mem_data_i", 512),
      .write_valid = core_pin(c, "mem_write_valid_o", 1),
      .write_ready = core_pin(c, "mem_write_ready_i", 1),
      .write_addr = core_pin(c, "mem_write_addr_o", 64),
      .write_bytes = core_pin(c, "mem_write_bytes_o", 7),
      .write_data = core_pin(c, "mem_write_data_o", 512),
      .written = core_pin(c, "mem_written_i", 1),
      .look_valid = core_pin(c, "filter_look_valid_o", 1),
      .look_ready = core_pin(c, "filter_look_ready_i", 1),
      .look_idx = core_pin(c, "filter_look_idx_o", 64),
      .bit_valid = core_pin(c, "filter_bit_valid_i", 1),
      .bit = core_pin(c, "filter_bit_i", 1),
      .mark_valid = core_pin(c, "filter_mark_valid_o", 1),
      .mark_ready = core_pin(c, "filter_mark_ready_i", 1),
      .mark_idx = core_pin(c, "filter_mark_idx_o", 64),
  };
}
