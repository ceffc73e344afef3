#include "sim/engine/tree/tree_wiring.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/// Room of a low-latency connection, packets: three of its longest messages with the shortest MTU.
enum { LOW_ROOM = 16 };
enum { FIRST_QP = 0x540000, TREE_QPS = 256, LIVES = 4 };

static bool has_parent(const struct topology *t, unsigned node) { return t->nodes[node].parent != TOPOLOGY_NOBODY; }

static unsigned ports_needed(const struct topology *t, unsigned node) {
  const unsigned needed = t->nodes[node].children + has_parent(t, node);
  return t->nodes[node].radix > 0 ? t->nodes[node].radix : needed + needed % 2;
}

const struct node_config *tree_wiring_built(const struct tree_net_options *o, unsigned node) {
  if (o->devices == NULL || !o->devices[node]) return NULL;
  const unsigned ports = ports_needed(o->topology, node);
  return o->corrected ? node_config_corrected(ports) : node_config_for(ports);
}

unsigned tree_wiring_ports(const struct tree_net_options *o, unsigned node) {
  const struct node_config *built = tree_wiring_built(o, node);
  return built != NULL ? built->ports : ports_needed(o->topology, node);
}

static unsigned parent_port(const struct tree_net_options *o, unsigned node) { return tree_wiring_ports(o, node) - 1; }

struct tree_end tree_wiring_below(const struct tree_net_options *o, size_t cable) {
  const unsigned hosts = o->topology->hosts;
  if (cable < hosts) return (struct tree_end){cable, 0};
  const unsigned node = (unsigned)(cable - hosts + 1);
  return (struct tree_end){hosts + node, parent_port(o, node)};
}

struct tree_end tree_wiring_above(const struct topology *t, size_t cable) {
  if (cable < t->hosts) {
    const unsigned leaf = topology_leaf(t, (unsigned)cable);
    return (struct tree_end){t->hosts + leaf, t->nodes[leaf].at[cable - t->nodes[leaf].first_host]};
  }
  const struct topology_node *n = &t->nodes[cable - t->hosts + 1];
  return (struct tree_end){t->hosts + n->parent, t->nodes[n->parent].at[n->child]};
}

/// The cable at a node's port.
static size_t cable_at(const struct topology *t, unsigned node, unsigned port) {
  const struct topology_node *n = &t->nodes[node];
  const unsigned child = topology_at(n, port);
  if (child == n->children) return t->hosts + node - 1;
  return n->leaf ? n->first_host + child : t->hosts + topology_child(t, node, child) - 1;
}

// --- connections ---

static void address(const struct tree_net_options *o, size_t actor, uint8_t mac[6], uint8_t ip[16]) {
  const struct topology *t = o->topology;
  const bool host = actor < t->hosts;
  const size_t number = host ? actor : actor - t->hosts;
  const uint8_t m[6] = {0x02, 0x54, 0x52, host ? 0x48 : 0x4E, (uint8_t)(number >> 8), (uint8_t)number};
  const uint8_t v6[16] = {
      0xFD, 0x57, 0x45, 0x49, 0x52, 0, 0, host, [14] = (uint8_t)((number + 1) >> 8), [15] = (uint8_t)(number + 1)};
  const uint8_t v4[16] = {10, host ? 0 : 1, (uint8_t)((number + 1) >> 8), (uint8_t)(number + 1)};
  memcpy(mac, m, sizeof m);
  memcpy(ip, o->v6 ? v6 : v4, sizeof v4);
}

/// One end of the connection of tree `tree` over a cable, in its `life`th life.
static struct rc_end_config connection(const struct tree_net_options *o, size_t cable, bool below, unsigned tree, unsigned life) {
  const struct tree_end low = tree_wiring_below(o, cable), high = tree_wiring_above(o->topology, cable);
  const struct tree_end *self = below ? &low : &high, *peer = below ? &high : &low;
  const bool sat = tree % 2 == 1;
  const struct node_config *built =
      self->actor < o->topology->hosts ? NULL : tree_wiring_built(o, (unsigned)(self->actor - o->topology->hosts));
  // A device has the room that it was built with.
  const unsigned room = !sat ? LOW_ROOM : built != NULL ? built->queue_room : o->credits;
  const unsigned window = !sat ? LOW_ROOM : built != NULL ? built->send_room : o->window;
  struct rng psns = rng_for(o->seed ^ 0x50534E, (uint64_t)life << 48 | cable << 16 | tree);
  const unsigned first_qp = FIRST_QP + tree * TREE_QPS + life % LIVES * TREE_MAX_PORTS;
  const uint32_t up = (uint32_t)rng_next(&psns) & PSN_MASK, down = (uint32_t)rng_next(&psns) & PSN_MASK;
  struct rc_end_config c = {
      .psn_out = below ? up : down,
      .psn_in = below ? down : up,
      .udp_source = (uint16_t)(0xC000 + (cable * 16 + tree) % 0x4000),
      .mtu = o->mtu,
      .request = {.room = window,
                  .ack_every = window > 4 ? window / 4 : 1,
                  .timeout_ps = o->timeout_ps,
                  .retries = o->retries,
                  .rnr_retries = RC_ENDLESS},
      .respond = {.room = room, .coalesce = room > 4 ? room / 4 : 1, .rnr_timer = 1, .no_credits = o->no_credits},
  };
  uint8_t own[16], other[16];
  address(o, self->actor, c.local_mac, own);
  address(o, peer->actor, c.peer_mac, other);
  c.out.v6 = c.in.v6 = o->v6;
  c.out.vlan = c.in.vlan = o->vlan;
  memcpy(c.out.src, own, sizeof own);
  memcpy(c.out.dst, other, sizeof other);
  c.out.qpn = first_qp + peer->port;
  memcpy(c.in.src, other, sizeof other);
  memcpy(c.in.dst, own, sizeof own);
  c.in.qpn = first_qp + self->port;
  return c;
}

// Trees by index: 2 p is the low-latency one of pair p, 2 p + 1 the streaming one. Their numbers on the wire begin with 1.
static uint16_t tree_number(unsigned tree) { return (uint16_t)(tree + 1); }

unsigned tree_wiring_tree(uint32_t qp) { return (qp - FIRST_QP) / TREE_QPS; }

uint64_t tree_wiring_patience(const struct tree_net_options *o) { return o->patience_ps * (2 * o->topology->levels + 4); }

/// The pair of trees that a host's group uses.
static unsigned pair_of(const struct tree_net_options *o, unsigned host) { return host % o->groups % o->pairs; }

struct tree_host *tree_wiring_host(const struct tree_net_options *o, unsigned host) {
  const unsigned group = host % o->groups, low = 2 * pair_of(o, host);
  const struct tree_host_config c = {.low = connection(o, host, true, low, 0),
                                     .sat = connection(o, host, true, low + 1, 0),
                                     .low_tree = tree_number(low),
                                     .sat_tree = tree_number(low + 1),
                                     .group = (uint16_t)(group + 1),
                                     .listens = o->multicast,
                                     .patience_ps = tree_wiring_patience(o)};
  return tree_host_new(&c);
}

// --- groups ---

unsigned tree_wiring_members(const struct tree_net_options *o, unsigned node, unsigned group) {
  const struct topology_node *n = &o->topology->nodes[node];
  unsigned members = 0;
  for (unsigned h = n->first_host; h < n->first_host + n->hosts; h++) members += h % o->groups == group;
  return members;
}

/// Children with members below them, as ports.
static uint64_t children_of(const struct tree_net_options *o, unsigned node, unsigned group) {
  const struct topology_node *n = &o->topology->nodes[node];
  uint64_t children = 0;
  for (unsigned i = 0; i < n->children; i++) {
    const bool member = n->leaf ? (n->first_host + i) % o->groups == group
                                : tree_wiring_members(o, topology_child(o->topology, node, i), group) > 0;
    if (member) children |= UINT64_C(1) << n->at[i];
  }
  return children;
}

unsigned tree_wiring_top(const struct tree_net_options *o, unsigned group) {
  unsigned node = 0;
  for (;;) {
    const uint64_t children = children_of(o, node, group);
    const struct topology_node *n = &o->topology->nodes[node];
    if (n->leaf || (children & (children - 1)) != 0) return node;
    node = topology_child(o->topology, node, topology_at(n, (unsigned)__builtin_ctzll(children)));
  }
}

bool tree_wiring_knows(const struct tree_net_options *o, unsigned node, unsigned group) {
  const unsigned below = tree_wiring_members(o, node, group);
  return below > 0 && (below < tree_wiring_members(o, 0, group) || node == tree_wiring_top(o, group));
}

size_t tree_wiring_group(const struct tree_net_options *o, unsigned node, unsigned group, struct group_of_node *out) {
  size_t before = 0;
  for (unsigned g = 0; g < group; g++) before += tree_wiring_knows(o, node, g);
  *out = (struct group_of_node){.id = (uint16_t)(group + 1),
                                .tree = 2 * (group % o->pairs),
                                .children = children_of(o, node, group),
                                .up = node != tree_wiring_top(o, group)};
  return before;
}

/// What a node has to know of the groups, into `out`.
static size_t groups_of(const struct tree_net_options *o, unsigned node, struct group_of_node out[TREE_NET_GROUPS]) {
  size_t count = 0;
  for (unsigned g = 0; g < o->groups; g++)
    if (tree_wiring_knows(o, node, g)) tree_wiring_group(o, node, g, &out[count++]);
  return count;
}

/// Whether trees of a pair go over a node's port: to its parent, to a node below, to a host whose group uses them. Others have no end there, and would be taken for lost
/// when there is something to tell.
static bool goes(const struct tree_net_options *o, unsigned node, unsigned port, unsigned pair) {
  const struct topology_node *n = &o->topology->nodes[node];
  const unsigned child = topology_at(n, port);
  if (child == n->children) return has_parent(o->topology, node) && port == parent_port(o, node);
  return !n->leaf || pair_of(o, n->first_host + child) == pair;
}

bool tree_wiring_wire(const struct tree_net_options *o, unsigned node, struct tree_wired *w) {
  const struct topology *t = o->topology;
  const unsigned ports = tree_wiring_ports(o, node), count = 2 * o->pairs;
  const unsigned above = t->levels - t->nodes[node].depth;
  w->ends = calloc((size_t)count * TREE_MAX_PORTS, sizeof *w->ends);
  if (w->ends == NULL) return false;
  for (unsigned i = 0; i < count; i++) {
    struct rc_end_config *own = w->ends + (size_t)i * TREE_MAX_PORTS;
    w->trees[i] = (struct tree_of_node){.id = tree_number(i),
                                        .sat = i % 2 == 1,
                                        .partner = i ^ 1u,
                                        .parent = has_parent(t, node) ? parent_port(o, node) : TREE_NO_PORT,
                                        .listens = o->multicast && i % 2 == 0,
                                        .ends = own};
    for (unsigned p = 0; p < ports; p++) {
      const bool up = p == w->trees[i].parent;
      if (!goes(o, node, p, i / 2)) continue;
      w->trees[i].neighbours |= UINT64_C(1) << p;
      if (o->multicast && i % 2 == 0 && !up) w->trees[i].casts |= UINT64_C(1) << p;
      own[p] = connection(o, cable_at(t, node, p), up, i, 0);
    }
  }
  // Who is nearer to the root waits longer for what is below, and less for what is above.
  w->config = (struct tree_node_config){.id = (uint16_t)node,
                                        .ports = ports,
                                        .trees = w->trees,
                                        .tree_count = count,
                                        .groups = w->groups,
                                        .group_count = groups_of(o, node, w->groups),
                                        .lock_cells = o->lock_cells,
                                        .patience_ps = o->patience_ps * above,
                                        .patience_up_ps = o->patience_ps * (2 * t->levels + 1)};
  return true;
}

struct rc_end_config tree_wiring_host_again(const struct tree_net_options *o, unsigned host, unsigned life) {
  return connection(o, host, true, 2 * pair_of(o, host) + 1, life);
}

uint64_t tree_wiring_node_again(const struct tree_net_options *o, unsigned node, unsigned pair, unsigned life,
                                struct rc_end_config ends[TREE_MAX_PORTS]) {
  const struct topology *t = o->topology;
  const unsigned ports = tree_wiring_ports(o, node);
  uint64_t neighbours = 0;
  for (unsigned p = 0; p < ports; p++) {
    const bool up = has_parent(t, node) && p == parent_port(o, node);
    if (!goes(o, node, p, pair)) continue;
    ends[p] = connection(o, cable_at(t, node, p), up, 2 * pair + 1, life);
    neighbours |= UINT64_C(1) << p;
  }
  return neighbours;
}

void tree_wiring_unwire(struct tree_wired *w) { free(w->ends); }

struct tree_node *tree_wiring_node(const struct tree_net_options *o, unsigned node) {
  struct tree_wired w;
  if (!tree_wiring_wire(o, node, &w)) return NULL;
  struct tree_node *made = tree_node_new(&w.config);
  tree_wiring_unwire(&w);
  return made;
}
