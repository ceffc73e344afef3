/// Registers of the Verilated NIC: its settings and its counters (rtl/csr/gather_nic_csr.rdl). Private to tb/drive.
///
/// Each access takes some cycles, in which nothing may be under way.
#ifndef WEIR_DRIVE_GATHER_NIC_REGISTERS_H
#define WEIR_DRIVE_GATHER_NIC_REGISTERS_H

#include "drive/gather/gather_config.h"
#include "drive/core.h"
#include "hosts/gather/gather_nic.h"

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
  GATHER_NIC_WAITS_STORAGE,
  GATHER_NIC_WAITS_LEAVING,
  GATHER_NIC_LATEST,
  GATHER_NIC_NOT_SERVED,
  GATHER_NIC_NO_ROOM,
  GATHER_NIC_STOPPED_READS,
  GATHER_NIC_STOPPED_RESPONSES,
  GATHER_NIC_THROWN_READS,
  GATHER_NIC_THROWN_RESPONSES,
  GATHER_NIC_MERGED,
  GATHER_NIC_COPIED,
  GATHER_NIC_COUNTERS
};

/// What no gather changes. Aborts if the device is not of this configuration.
void gather_nic_set_own(struct core *c, const struct gather_nic_config *config, const struct gather_nic_options *o);
/// Whose columns are whose, and where their properties are in host memory. Those of `node` are read by others.
void gather_nic_set_columns(struct core *c, const struct gather_nic_config *config, const struct gather_partition *columns,
                            uint32_t node);
/// Properties are 1 << stride bytes apart from now on, and of `generation`: those that are served, and those that gathers ask for.
void gather_nic_set_generation(struct core *c, unsigned stride, uint16_t generation);
uint32_t gather_nic_port_count(struct core *c, enum gather_nic_counter which);
uint32_t gather_nic_unit_count(struct core *c, unsigned unit, enum gather_unit_counter which);

#endif
