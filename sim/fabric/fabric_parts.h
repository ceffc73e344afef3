/// What a run is made of, for who builds it and who says what came of it.
#ifndef WEIR_SIM_FABRIC_PARTS_H
#define WEIR_SIM_FABRIC_PARTS_H

#include "sim/fabric/device/gather.h"
#include "sim/fabric/device/nodes.h"
#include "sim/fabric/fabric_run.h"

struct fabric_run {
  const struct fabric_run_options *options;
  struct world *world;
  struct routes routes, later;
  struct fabric_switch *switches;
  struct fabric_nic *nics;
  struct fabric_nodes *nodes;   // NULL without
  struct fabric_gather *gather;
  struct workload loads[2];   // the second one beside it, if there is one
  struct fabric_result result;
  bool over;
};

/// A port of a host or a switch; ends are numbered hosts first.
struct fabric_port *fabric_port_of(struct fabric_run *r, uint32_t end, uint32_t port);
/// The world's number of a host or a switch.
uint32_t fabric_part_of(const struct fabric_run *r, uint32_t end);

#endif
