#include "drive/gather/gather_nic_config.h"

#include <inttypes.h>
#include <stdio.h>

const struct gather_nic_config *gather_nic_config_for(uint32_t nodes, const struct gather_nic_options *o, char *error,
                                                      size_t size) {
  size_t count;
  const struct gather_nic_config *configs = gather_nic_configs(&count);
  const struct gather_concat_options *c = &o->concat;
  snprintf(error, size, "no NIC with %s queues in this build", c->virtual_queues ? "virtual" : "static");
  if (c->mtu != GATHER_CONFIG_MTU || c->upper != GATHER_CONFIG_UPPER) {
    snprintf(error, size,
             "the NIC makes packets of %d bytes, %d of them around the concatenation header; --mtu and --upper must be these",
             GATHER_CONFIG_MTU, GATHER_CONFIG_UPPER);
    return NULL;
  }
  for (const struct gather_nic_config *g = configs; g < configs + count; g++) {
    if (g->virtual_queues != c->virtual_queues) continue;
    if (nodes > g->nodes)
      snprintf(error, size, "the NIC knows %u nodes; --nodes %" PRIu32 " is too many", g->nodes, nodes);
    else if (o->units != UINT32_MAX && o->units > g->units)
      snprintf(error, size, "the NIC has %u RIG units; --units %" PRIu32 " is too many", g->units, o->units);
    else if (o->rig.pending != UINT32_MAX && o->rig.pending != g->pending)
      snprintf(error, size, "a RIG unit of the NIC has %u requests under way; --pending %" PRIu32 " must be %u", g->pending,
               o->rig.pending, g->pending);
    else if (o->merge != 0 && o->merge != g->slots)
      snprintf(error, size, "units of the NIC share reads of %u properties; --merge %" PRIu32 " must be 0 or %u", g->slots,
               o->merge, g->slots);
    else if (c->delay > g->expiry)
      snprintf(error, size, "the NIC delays up to %u cycles; --delay-nic %" PRIu64 " is too much", g->expiry, c->delay);
    else if (o->rig.watchdog > UINT32_MAX)
      snprintf(error, size, "the NIC counts 32 bits of time; --watchdog %" PRIu64 " is too much", o->rig.watchdog);
    else
      return g;
  }
  return NULL;
}
