/// What the devices of the sparse gather can be built as: plain data, without the Verilated device behind it.
#ifndef WEIR_DRIVE_GATHER_CONFIG_H
#define WEIR_DRIVE_GATHER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/// Longest IP packet of all configurations, bytes of it around the concatenation header and the PRs, longest property.
enum { GATHER_CONFIG_MTU = 1500, GATHER_CONFIG_UPPER = 52, GATHER_CONFIG_LONGEST = 1024 };

/// One named configuration of the switch (rtl/top/gather_configs.csv).
struct gather_config {
  const char *name;
  unsigned ports, pipes, nodes;
  bool virtual_queues;
  unsigned rows;     ///< of 128 bytes, of a pipe's virtual queues
  unsigned expiry;   ///< largest delay
  unsigned sets;     ///< of a pipe's cache
};

/// All configurations, smallest first.
const struct gather_config *gather_configs(size_t *count);

/// One of the network interface.
struct gather_nic_config {
  const char *name;
  unsigned units, pending, nodes;   ///< `pending`: requests that a unit may have under way
  bool virtual_queues;
  unsigned rows;     ///< of 128 bytes, of virtual queues
  unsigned expiry;   ///< largest delay
  unsigned reads;    ///< of other nodes that may wait
  unsigned beats;    ///< of 64 bytes that host memory may owe
  unsigned slots;    ///< properties under way that units may share a read of
};
/// As gather_configs.
const struct gather_nic_config *gather_nic_configs(size_t *count);

#endif
