/// Devices of a gather (docs/gather.md) in a fabric: a rank's interface is a gather NIC, and beside each leaf stands the switch of its rack, through which all
/// goes that comes to the leaf. Each is a golden model, or Verilated and compared with one. What they say goes over the fabric's cables as frames; spines
/// forward them. Each rank wants properties that other ranks have, drawn; each one that it gets is compared with what it must be.
#ifndef WEIR_SIM_FABRIC_GATHER_H
#define WEIR_SIM_FABRIC_GATHER_H

#include "base/findings.h"
#include "sim/fabric/load/load.h"
#include "sim/fabric/net/switch.h"

struct fabric_gather;

/// All that they have to know of their fabric.
struct fabric_gather_place {
  struct workload *load;   ///< LOAD_GATHER, made, and elsewhere: its ranks are done when they have all that they want
  const struct nic_options *nic;
  struct fabric_nic *nics;   ///< with GATHER_TIMERS timers behind their own
  struct fabric_switch *switches;
  struct world *world;
  const bool *rtl;        ///< of each switch: the one of its rack is a Verilated one
  const bool *rtl_host;   ///< of each host: so is its NIC
  uint64_t latency_ps;    ///< of a switch
  double gbps;            ///< of hosts' cables
  uint32_t dead_host;     ///< stops for ever in the run; NET_NOWHERE: none
  uint64_t seed;
};

enum { GATHER_TIMERS = 1 };

/// They begin. NULL and a line in `error` if a device cannot be what the fabric asks for. All processes must call it.
struct fabric_gather *fabric_gather_new(const struct fabric_gather_place *place, char *error, size_t size);
void fabric_gather_free(struct fabric_gather *g);
/// The load learns which ranks of this process are done.
void fabric_gather_look(struct fabric_gather *g);

/// What they came to, of this process.
struct fabric_gather_counts {
  uint64_t wanted, results;   ///< properties of other ranks, each as often as it is wanted; bytes of them that were compared
  uint64_t packets, hits;     ///< that NICs and switches of racks put together; reads that these answered
  uint64_t compared;          ///< look-ups of Verilated switches, each as its model's
  uint64_t cycles;            ///< that Verilated devices were clocked
};
/// At the end of a run, once: what must not be goes into `findings`.
struct fabric_gather_counts fabric_gather_finish(struct fabric_gather *g, struct findings *findings);

#endif
