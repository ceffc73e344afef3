#include "drive/gather/gather_nic_pins.h"

#include "structs/gather_pkg.h"

struct gather_nic_pins gather_nic_pins_find(const struct gather_core *c, unsigned units) {
  return (struct gather_nic_pins){
      .command_valid = gather_core_pin(c, "command_valid_i", units),
      .command_ready = gather_core_pin(c, "command_ready_o", units),
      .command = gather_core_pin(c, "command_i", command_t__BITS * units),
      .done_valid = gather_core_pin(c, "done_valid_o", units),
      .done_ready = gather_core_pin(c, "done_ready_i", units),
      .done_failed = gather_core_pin(c, "done_failed_o", units),
      .read_valid = gather_core_pin(c, "mem_read_valid_o", 1),
      .read_ready = gather_core_pin(c, "mem_read_ready_i", 1),
      .read_addr = gather_core_pin(c, "mem_read_addr_o", 64),
      .read_bytes = gather_core_pin(c, "mem_read_bytes_o", 7),
      .data_valid = gather_core_pin(c, "mem_data_valid_i", 1),
      .data = gather_core_pin(c, "mem_data_i", 512),
      .write_valid = gather_core_pin(c, "mem_write_valid_o", 1),
      .write_ready = gather_core_pin(c, "mem_write_ready_i", 1),
      .write_addr = gather_core_pin(c, "mem_write_addr_o", 64),
      .write_bytes = gather_core_pin(c, "mem_write_bytes_o", 7),
      .write_data = gather_core_pin(c, "mem_write_data_o", 512),
      .written = gather_core_pin(c, "mem_written_i", 1),
      .look_valid = gather_core_pin(c, "filter_look_valid_o", 1),
      .look_ready = gather_core_pin(c, "filter_look_ready_i", 1),
      .look_idx = gather_core_pin(c, "filter_look_idx_o", 64),
      .bit_valid = gather_core_pin(c, "filter_bit_valid_i", 1),
      .bit = gather_core_pin(c, "filter_bit_i", 1),
      .mark_valid = gather_core_pin(c, "filter_mark_valid_o", 1),
      .mark_ready = gather_core_pin(c, "filter_mark_ready_i", 1),
      .mark_idx = gather_core_pin(c, "filter_mark_idx_o", 64),
  };
}
