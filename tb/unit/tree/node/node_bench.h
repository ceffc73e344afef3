/// A tree node, set up by its registers, among neighbours that are the model's: a host behind each child's port, and behind the parent's a node of the model, with one host more below
/// it. Cables of 100 Gb/s that may lose frames. All asserts are cmocka's.
#ifndef WEIR_UNIT_NODE_BENCH_H
#define WEIR_UNIT_NODE_BENCH_H

#include "hosts/tree/tree_host.h"
#include "model/tree/tree_twin.h"
#include "model/tree/tree_node.h"
#include "unit/tree/node/cables.h"

enum { NODE_PORTS = CABLES_PORTS, NODE_ID = 0x1234, NODE_ROOT = 0x99, NODE_LOW = 5, NODE_SAT = 6, NODE_GROUPS = 2 };

/// A neighbour.
struct node_place {
  struct tree_host *host;   ///< or, at the parent's port, the root
  unsigned group;           ///< of the host
  bool there, silent;       ///< takes and sends nothing any more
};

struct node_bench {
  struct dut *d;
  unsigned ports, parent;          ///< port, or `ports` at the root
  uint16_t vlan;                   ///< of all ports; 0: no tag
  unsigned v6;                     ///< 0: ports with an odd number have IPv6; 1: the others do
  unsigned mtu, loss;              ///< of a thousand frames so many are lost, each way
  unsigned timeout;                ///< microseconds
  unsigned patience;               ///< of hosts, microseconds
  uint64_t casts;                  ///< ports whose hosts listen to multicasts of results
  bool listens;                    ///< so does the device: the root multicasts, too,
  unsigned deaf;                   ///< of a thousand of its frames that are no multicasts so many are lost
  uint64_t members[NODE_GROUPS];   ///< ports with a host of the group; bit `ports`: the one below the root
  struct node_place at[NODE_PORTS + 1];
  struct cables cables;
  struct tree_node *root;
  bool in_step;                               ///< a device has its model beside it: set before node_open
  void (*each)(struct node_bench *b);         ///< with each cycle, or NULL
  struct tree_twin *twin;                     ///< or NULL
  struct rc_end_config ends[2][NODE_PORTS];   ///< of the device: low latency, streaming
};

struct node_bench *node_new(void);
void node_free(struct node_bench *b);
/// Setup and teardown of a test; its state says where its bench is to be.
int node_setup(void **state);
int node_teardown(void **state);
/// New ends of the streaming tree for the device, by its registers, and for the hosts: after it was torn down, before it begins once more. Of a root.
void node_redraw_streaming(struct node_bench *b);
/// Opens both trees, for two groups; the first one has the host below the root, if there is one.
void node_open(struct node_bench *b, unsigned parent, const uint64_t members[NODE_GROUPS], unsigned mtu, unsigned loss);
void node_tick(struct node_bench *b);
/// Until these hosts are done with their operations.
void node_await(struct node_bench *b, uint64_t hosts);
/// The model beside the device ends: all that it sent has left. Nothing is under way. A difference fails here, and in node_tick.
void node_compared(struct node_bench *b);
/// The host at a port, or below the root.
struct tree_host *node_host(const struct node_bench *b, unsigned member);
uint64_t node_now(const struct node_bench *b);
/// Nothing is on its way to anybody, and the device has no lock.
bool node_idle(struct node_bench *b);
unsigned node_cells(struct node_bench *b);

#endif
