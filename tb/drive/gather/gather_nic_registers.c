#include "drive/gather/gather_nic_registers.h"

#include <stddef.h>

#include "drive/gather/gather_host.h"
#include "rtl/csr/gather_nic_csr.h"

/// Where a register is.
#define AT(name) ((unsigned)offsetof(gather_nic_csr_t, name))

void gather_nic_set_own(struct core *c, const struct gather_nic_config *config, const struct gather_nic_options *o) {
  uint8_t mac[6], ip[4];
  core_expect(c, AT(ID), GATHER_NIC_CSR__ID__MAGIC_reset);
  core_expect(c, AT(CAP_SHAPE), config->units | config->nodes << GATHER_NIC_CSR__CAP_SHAPE__NODES_bp);
  core_expect(c, AT(CAP_REQUESTS), config->pending | config->reads << GATHER_NIC_CSR__CAP_REQUESTS__READS_bp);
  core_expect(c, AT(CAP_QUEUES), (config->virtual_queues ? config->rows : 0) | config->expiry << GATHER_QUEUES__EXPIRY_bp);
  core_expect(c, AT(CAP_HOST), config->beats);
  core_expect(c, AT(CAP_MERGE), config->slots);
  gather_address(o->element, mac, ip);
  core_write(c, AT(OWN_MAC_HIGH), get_be16(mac));
  core_write(c, AT(OWN_MAC_LOW), get_be32(mac + 2));
  core_write(c, AT(OWN_IP), get_be32(ip));
  core_write(c, AT(OWN_NODE), o->element);
  core_write(c, AT(DELAY), (uint32_t)o->concat.delay);
  core_expect(c, AT(DELAY), (uint32_t)o->concat.delay);
  core_write(c, AT(MERGE), o->merge != 0);
  core_write(c, AT(TIMEOUT), (uint32_t)o->rig.watchdog);
  core_write(c, AT(PAUSE_LIMIT), o->pause_limit < UINT32_MAX ? (uint32_t)o->pause_limit : UINT32_MAX);
}

void gather_nic_set_columns(struct core *c, const struct gather_nic_config *config, const struct gather_partition *columns,
                            uint32_t node) {
  uint8_t mac[6], ip[4];
  core_write(c, AT(SERVE_BASE_LOW), (uint32_t)GATHER_PROPERTIES);
  core_write(c, AT(SERVE_BASE_HIGH), GATHER_PROPERTIES >> 32);
  const uint64_t own = gather_first(columns, node);
  core_write(c, AT(SERVE_FIRST_LOW), (uint32_t)own);
  core_write(c, AT(SERVE_FIRST_HIGH), (uint32_t)(own >> 32));
  core_write(c, AT(SERVE_COUNT), (uint32_t)(gather_first(columns, node + 1) - own));
  for (uint32_t n = 0; n < config->nodes; n++) {
    // Nodes that are not there begin behind the last column.
    const uint64_t first = n < columns->nodes ? gather_first(columns, n) : columns->count;
    gather_address(n, mac, ip);
    core_write(c, AT(NODE_MAC_HIGH), get_be16(mac));
    core_write(c, AT(NODE_MAC_LOW), get_be32(mac + 2));
    core_write(c, AT(NODE_IP), get_be32(ip));
    core_write(c, AT(NODE_FIRST_LOW), (uint32_t)first);
    core_write(c, AT(NODE_FIRST_HIGH), (uint32_t)(first >> 32));
    core_write(c, AT(NODE_COMMAND), n | GATHER_NIC_CSR__NODE_COMMAND__STORE_bm);
  }
}

void gather_nic_set_generation(struct core *c, unsigned stride, uint16_t generation) {
  core_write(c, AT(SERVE_STRIDE), stride);
  core_write(c, AT(GENERATION), generation);
}

uint32_t gather_nic_port_count(struct core *c, enum gather_nic_counter which) {
  core_write(c, AT(COUNTER_SELECT), which);
  return core_read(c, AT(COUNTER_VALUE));
}

uint32_t gather_nic_unit_count(struct core *c, unsigned unit, enum gather_unit_counter which) {
  core_write(c, AT(COUNTER_SELECT),
             GATHER_NIC_CSR__COUNTER_SELECT__UNIT_bm | unit << GATHER_NIC_CSR__COUNTER_SELECT__INDEX_bp | which);
  return core_read(c, AT(COUNTER_VALUE));
}
