/// Aggregation trees of this project (docs/tree.md) in the places of a fabric's hosts and nodes: ranks are hosts of a tree that end RC connections hop by
/// hop, nodes golden models or Verilated devices with their models in lock step. All that they say goes over the fabric's own cables as frames. Each
/// rank's result is compared, byte by byte, with what is computed directly.
#ifndef WEIR_SIM_FABRIC_NODES_H
#define WEIR_SIM_FABRIC_NODES_H

#include "base/findings.h"
#include "sim/fabric/load/load.h"

struct fabric_nodes;

/// All that they have to know of their fabric.
struct fabric_nodes_place {
  struct workload *load;   ///< LOAD_NODES, made, and elsewhere: its ranks are done when their hosts of the tree are
  const struct nic_options *nic;
  struct fabric_nic *nics;   ///< of hosts and nodes, with NODES_TIMERS timers behind their own
  struct world *world;
  const bool *rtl;      ///< of each switch: the node beside it is a Verilated one
  uint32_t dead_host;   ///< stops for ever at `dead_ps`; NET_NOWHERE: none
  uint64_t dead_ps, seed;
};

enum { NODES_TIMERS = 4 };

/// They begin. NULL and a line in `error` if a tree or a device cannot be what the fabric asks for. All processes must call it.
struct fabric_nodes *fabric_nodes_new(const struct fabric_nodes_place *place, char *error, size_t size);
void fabric_nodes_free(struct fabric_nodes *f);
/// The load learns which ranks of this process are done.
void fabric_nodes_look(struct fabric_nodes *f);

/// What they came to, over all processes.
struct fabric_nodes_counts {
  uint64_t results;           ///< bytes of results that were compared
  uint64_t again, timeouts;   ///< packets sent again, Local ACK Timeouts
  uint64_t compared;          ///< messages and packets that left Verilated nodes, each as its model's
  uint64_t cycles;            ///< that these were clocked
};
/// At the end of a run, once, by all processes: what must not be goes into `findings`.
struct fabric_nodes_counts fabric_nodes_finish(struct fabric_nodes *f, struct findings *findings);

#endif
