/// Settings and table of nodes of the module gather_switch.
#ifndef WEIR_UNIT_SWITCH_TABLES_H
#define WEIR_UNIT_SWITCH_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "drive/dut.h"

/// PRs wait up to `delay` cycles; properties of `len` bytes that come in at any of `ports` ports are kept, at 64 bytes a line.
/// A class waits up to `pause_limit` cycles for a receiver; 0: for ever.
void switch_settings(struct dut *d, unsigned delay, unsigned len, unsigned ports, uint64_t mac, uint32_t ip,
                     unsigned pause_limit);
/// One clock: tells the switch where node `node` is.
void switch_node(struct dut *d, unsigned node, uint64_t mac, uint32_t ip, unsigned port);
/// One clock: another port of a node, for reads if `reads`, and for responses in the middle pipes that have a bit in `pipes`.
void switch_port(struct dut *d, unsigned node, uint64_t mac, uint32_t ip, unsigned port, bool reads, unsigned pipes);

#endif
