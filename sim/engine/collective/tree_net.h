/// Hosts and nodes of aggregation trees, and the cables between them, in closed loop: parts of a world (sim/engine/world) that touch by cables alone,
/// dealt out to the processes that share it. Hosts are models, and so are nodes, but for those that are devices in RTL, each with its model beside
/// it.
///
/// Cables are numbered: first one above each host, then one above each node but the root. Times are picoseconds of the simulation.
#ifndef WEIR_SIM_TREE_NET_H
#define WEIR_SIM_TREE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/link.h"
#include "sim/engine/tree/tree_wiring.h"
#include "sim/engine/world/world.h"

struct tree_net;

/// Timers of a host or node: overtaken frames that are here now, what it has to do itself; of a host also the user's alarm and its death.
enum tree_net_timer { TREE_NET_LATE, TREE_NET_SERVE, TREE_NET_ALARM, TREE_NET_DEATH, TREE_NET_TIMERS };

/// The topology must outlive it. The caller frees it. NULL and a line in `error` if a device cannot be built or set up, or there are too many parts.
/// All processes must call it, and it may fail on some of them.
struct tree_net *tree_net_new(const struct tree_net_options *options, char *error, size_t size);
void tree_net_free(struct tree_net *n);

/// With a carrier: what a host or node (behind all hosts) does, which its part of the carrier's world hands on, and on whom. The port of a frame is the
/// one of `to` that it was sent to, its timers are those above.
extern const struct world_acts tree_net_acts;
void *tree_net_part(const struct tree_net *n, size_t actor);

uint64_t tree_net_now(const struct tree_net *n);
/// Goes on for a while; `moved` (of the options) is called for each host that has done something. False if nothing will happen any more. All
/// processes must call it alike.
bool tree_net_step(struct tree_net *n);
/// What the caller has begun at a host goes on its way.
void tree_net_begun(struct tree_net *n, unsigned host);
/// `moved` is called for this host at `time`, once.
void tree_net_alarm(struct tree_net *n, unsigned host, uint64_t time);

/// True if a host (its number) or node (behind all hosts) is of this process. What follows is there for those alone.
bool tree_net_owns(const struct tree_net *n, size_t actor);
/// The same of whoever sends on a direction of a cable.
bool tree_net_sends(const struct tree_net *n, size_t cable, bool up);
/// Events and their hash.
const struct world *tree_net_world(const struct tree_net *n);
/// Longest time in which nothing of an operation moves before its host gives up.
uint64_t tree_net_bound(const struct tree_net *n);
struct tree_host *tree_net_host(const struct tree_net *n, unsigned host);
bool tree_net_alive(const struct tree_net *n, unsigned host);
unsigned tree_net_group(const struct tree_net *n, unsigned host);
/// A node, or NULL where a device is; a device, or NULL where a model is.
struct tree_node *tree_net_node(const struct tree_net *n, unsigned node);
struct node_rtl *tree_net_device(const struct tree_net *n, unsigned node);
/// Frames of somebody else that came to parts of this process.
uint64_t tree_net_attacks(const struct tree_net *n);
size_t tree_net_cables(const struct tree_net *n);
struct link_counts tree_net_link(const struct tree_net *n, size_t cable, bool up);

#endif
