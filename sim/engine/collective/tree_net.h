/// Hosts and nodes of aggregation trees, and the cables between them, in closed loop: each part acts when something is due for it, and time leaps from
/// one such moment to the next. Hosts are models, and so are nodes, but for those that are devices in RTL, each with its model beside it.
///
/// Cables are numbered: first one above each host, then one above each node but the root. Times are picoseconds of the simulation.
#ifndef WEIR_SIM_TREE_NET_H
#define WEIR_SIM_TREE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/link.h"
#include "sim/engine/tree/tree_wiring.h"

struct tree_net;

/// The topology must outlive it. The caller frees it. NULL and a line in `error` if out of memory, or if a device cannot be built or set up.
struct tree_net *tree_net_new(const struct tree_net_options *options, char *error, size_t size);
void tree_net_free(struct tree_net *n);

uint64_t tree_net_now(const struct tree_net *n);
/// Goes on to what is due next. False if nothing is. `*host` is one that has done something, or TREE_NET_NOBODY.
bool tree_net_step(struct tree_net *n, unsigned *host);
/// What the caller has begun at a host goes on its way.
void tree_net_begun(struct tree_net *n, unsigned host);
/// tree_net_step names this host at `time`, once; UINT64_MAX: no more.
void tree_net_alarm(struct tree_net *n, unsigned host, uint64_t time);

/// Longest time in which nothing of an operation moves before its host gives up.
uint64_t tree_net_bound(const struct tree_net *n);
struct tree_host *tree_net_host(const struct tree_net *n, unsigned host);
bool tree_net_alive(const struct tree_net *n, unsigned host);
unsigned tree_net_group(const struct tree_net *n, unsigned host);
/// A node, or NULL where a device is; a device, or NULL where a model is.
struct tree_node *tree_net_node(const struct tree_net *n, unsigned node);
struct node_rtl *tree_net_device(const struct tree_net *n, unsigned node);
/// Frames of somebody else that came.
uint64_t tree_net_attacks(const struct tree_net *n);
size_t tree_net_cables(const struct tree_net *n);
struct link_counts tree_net_link(const struct tree_net *n, size_t cable, bool up);

#endif
