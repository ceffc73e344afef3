#include "sim/live/tree/live_tree_net.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hosts/mac_switch.h"
#include "oracle/tree_watch.h"

enum {
  BATCH = 64,        // cycles between two looks at the sockets
  IDLE_BATCH = 32,   // and while all wait for guests
  MOVES = 2000,      // cycles behind a frame in which they may have something to do
  MAX_FRAME = 4400,
  MAC = 6
};
#define US UINT64_C(1000000)   // of a node, in picoseconds
/// A node that waits gets IDLE_BATCH cycles in a millisecond or more, so these are seconds of the guests' time.
#define TIMEOUT_PS (1000 * US)
#define LOSSY_TIMEOUT_PS (50 * US)
#define PATIENCE_PS (4000 * US)

/// The other end of the cable at a node's port: a guest, or a node and its port.
struct cable_end {
  bool there, is_host;
  unsigned to, to_port;
};

struct node {
  struct live_tree_net *net;
  struct node_rtl *device;   // NULL between jobs
  bool rests;
  struct cable_end ends[TREE_MAX_PORTS];
};

struct live_tree_net {
  const struct live_options *options;
  struct tree_net_options wiring;
  struct live_hosts *hosts;
  struct mac_switch *fabric;
  struct capture_writer *writer;
  struct node *nodes;
  struct tree_watch *up, *down;   // of each guest's cable, since the trees were opened
  struct live_ends ends[LIVE_MAX_HOSTS];
  uint8_t macs[LIVE_MAX_HOSTS][MAC];   // of each guest's leaf
  unsigned since;                      // cycles since a frame last came to a node or left one
  struct live_tree_counts done;
};

// --- frames ---

static void record(struct live_tree_net *n, unsigned host, const uint8_t *frame, size_t len) {
  if (n->writer != NULL) capture_writer_put(n->writer, host, clock_epoch_ns(), frame, len);
}

static void into_node(struct live_tree_net *n, unsigned index, unsigned port, const uint8_t *frame, size_t len) {
  struct node *node = &n->nodes[index];
  if (node->device == NULL || len > MAX_FRAME) return;
  node_rtl_receive(node->device, port, frame, len, false);
  node->rests = false;
  n->since = 0;
}

static bool cable_idle(void *user, unsigned port) {
  (void)user;
  (void)port;
  return true;
}

static void out_of_node(void *user, unsigned port, const uint8_t *frame, size_t len) {
  const struct node *node = user;
  struct live_tree_net *n = node->net;
  const struct cable_end *e = &node->ends[port];
  n->since = 0;
  if (e->is_host) {
    record(n, e->to, frame, len);
    tree_watch_see(&n->down[e->to], frame, len);
    live_hosts_give(n->hosts, e->to, frame, len);
  } else if (e->there && !live_hosts_loses(n->hosts)) {
    into_node(n, e->to, e->to_port, frame, len);
  }
}

/// From a guest: to its leaf, or to other guests.
static bool take(struct live_tree_net *n, unsigned host) {
  const struct tree_end above = tree_wiring_above(n->wiring.topology, host);
  const unsigned leaf = (unsigned)above.actor - n->wiring.topology->hosts;
  const uint8_t *frame;
  bool moved = false;
  size_t len;
  while ((len = live_hosts_take(n->hosts, host, &frame, &moved)) > 0) {
    record(n, host, frame, len);
    if (len >= MAC && memcmp(frame, n->macs[host], MAC) == 0) {
      tree_watch_see(&n->up[host], frame, len);
      into_node(n, leaf, above.port, frame, len);
      continue;
    }
    for (uint64_t to = mac_switch_forward(n->fabric, host, frame, len); to != 0; to &= to - 1)
      live_hosts_give(n->hosts, (unsigned)__builtin_ctzll(to), frame, len);
  }
  return moved;
}

// --- time ---

static bool step(void *self) {
  struct live_tree_net *n = self;
  bool moved = live_hosts_drain(n->hosts);
  for (unsigned host = 0; host < n->options->hosts; host++) moved = take(n, host) || moved;
  const bool busy = n->since < MOVES;
  for (unsigned cycle = 0; cycle < (busy ? BATCH : IDLE_BATCH); cycle++)
    for (unsigned i = 0; i < n->wiring.topology->count; i++)
      if (n->nodes[i].device != NULL && !n->nodes[i].rests) n->nodes[i].rests = !node_rtl_step(n->nodes[i].device);
  if (busy) n->since += BATCH;
  return moved || busy;
}

bool live_tree_net_rests(const struct live_tree_net *n) {
  for (unsigned i = 0; i < n->wiring.topology->count; i++)
    if (n->nodes[i].device != NULL && !n->nodes[i].rests) return false;
  return true;
}

static bool is_idle(const void *self) {
  const struct live_tree_net *n = self;
  return live_tree_net_rests(n) && live_hosts_idle(n->hosts);
}

static const char *fault(const struct live_tree_net *n, unsigned *node) {
  for (*node = 0; *node < n->wiring.topology->count; ++*node)
    if (n->nodes[*node].device != NULL && node_rtl_fault(n->nodes[*node].device) != NULL)
      return node_rtl_fault(n->nodes[*node].device);
  return NULL;
}

static bool sound(const void *self) {
  unsigned node;
  return fault(self, &node) == NULL;
}

struct live_wires live_tree_net_wires(struct live_tree_net *n) {
  return (struct live_wires){.self = n, .step = step, .idle = is_idle, .sound = sound};
}

// --- opening and closing ---

/// Both ends of each cable.
static void connect_ports(struct live_tree_net *n) {
  const struct topology *t = n->wiring.topology;
  for (size_t cable = 0; cable < t->hosts + t->count - 1; cable++) {
    const struct tree_end low = tree_wiring_below(&n->wiring, cable), high = tree_wiring_above(t, cable);
    const bool is_host = low.actor < t->hosts;
    const unsigned below = (unsigned)(is_host ? low.actor : low.actor - t->hosts), above = (unsigned)high.actor - t->hosts;
    n->nodes[above].ends[high.port] = (struct cable_end){.there = true, .is_host = is_host, .to = below, .to_port = low.port};
    if (!is_host) n->nodes[below].ends[low.port] = (struct cable_end){.there = true, .to = above, .to_port = high.port};
  }
}

struct live_tree_net *live_tree_net_open(const struct live_options *o, const struct topology *topology, struct live_guest *guests,
                                         struct capture_writer *writer) {
  static const bool all[LIVE_MAX_HOSTS + 1] = {true, true, true, true, true, true, true, true, true};
  struct live_tree_net *n = calloc(1, sizeof *n);
  if (n == NULL) return NULL;
  *n = (struct live_tree_net){.options = o, .writer = writer, .since = MOVES};
  n->wiring = (struct tree_net_options){.topology = topology,
                                        .pairs = 1,
                                        .groups = 1,
                                        .mtu = o->mtu,
                                        .v6 = o->ipv6,
                                        .vlan = (uint16_t)o->vlan,
                                        .multicast = o->multicast,
                                        .devices = all,
                                        .lock_cells = TREE_CONTROL_CELLS,
                                        .timeout_ps = o->loss > 0 || live_breaks(o) ? LOSSY_TIMEOUT_PS : TIMEOUT_PS,
                                        .patience_ps = PATIENCE_PS,
                                        .retries = 7,
                                        .seed = o->seed};
  n->hosts = live_hosts_new(o, guests);
  n->fabric = mac_switch_new(o->hosts);
  n->nodes = calloc(topology->count, sizeof *n->nodes);
  n->up = calloc(o->hosts, sizeof *n->up);
  n->down = calloc(o->hosts, sizeof *n->down);
  if (n->hosts == NULL || n->fabric == NULL || n->nodes == NULL || n->up == NULL || n->down == NULL) {
    live_tree_net_close(n);
    return NULL;
  }
  for (unsigned i = 0; i < topology->count; i++) n->nodes[i].net = n;
  for (unsigned host = 0; host < o->hosts; host++) memcpy(n->macs[host], live_tree_net_door(n, host).mac, MAC);
  connect_ports(n);
  return n;
}

void live_tree_net_close(struct live_tree_net *n) {
  if (n == NULL) return;
  for (unsigned i = 0; n->nodes != NULL && i < n->wiring.topology->count; i++) node_rtl_free(n->nodes[i].device);
  live_hosts_free(n->hosts);
  mac_switch_free(n->fabric);
  free(n->nodes);
  free(n->up);
  free(n->down);
  free(n);
}

// --- the control plane ---

struct live_tree_door live_tree_net_door(const struct live_tree_net *n, unsigned host) {
  const struct tree_end above = tree_wiring_above(n->wiring.topology, host);
  struct live_tree_door door = {.group = 1};
  struct tree_wired w;
  if (!tree_wiring_wire(&n->wiring, (unsigned)(above.actor - n->wiring.topology->hosts), &w)) return door;
  const struct rc_end_config *low = &w.trees[0].ends[above.port], *sat = &w.trees[1].ends[above.port];
  memcpy(door.mac, low->local_mac, MAC);
  inet_ntop(n->wiring.v6 ? AF_INET6 : AF_INET, low->out.src, door.address, sizeof door.address);
  door.ends =
      (struct live_ends){.low_qpn = low->in.qpn, .low_psn = low->psn_out, .sat_qpn = sat->in.qpn, .sat_psn = sat->psn_out};
  door.low_tree = w.trees[0].id;
  door.sat_tree = w.trees[1].id;
  door.group = w.groups[0].id;
  tree_wiring_unwire(&w);
  return door;
}

/// The connection's other end is a guest's.
static void point_at(struct rc_end_config *end, unsigned host, uint32_t qpn, uint32_t psn) {
  const uint8_t mac[MAC] = {0x52, 0x54, 0x00, 0x57, 0x45, (uint8_t)host};
  const uint8_t v4[4] = {10, 0, 0, (uint8_t)(host + 1)}, v6[16] = {0xFD, 0x57, [15] = (uint8_t)(host + 1)};
  memcpy(end->peer_mac, mac, MAC);
  memset(end->out.dst, 0, sizeof end->out.dst);
  memcpy(end->out.dst, end->out.v6 ? v6 : v4, end->out.v6 ? sizeof v6 : sizeof v4);
  memcpy(end->in.src, end->out.dst, sizeof end->in.src);
  end->out.qpn = qpn;
  end->psn_in = psn;
}

/// Leaves out who is no more.
static void leave_out(struct tree_wired *w, unsigned port) {
  for (int i = 0; i < 2; i++) {
    w->trees[i].neighbours &= ~(UINT64_C(1) << port);
    w->trees[i].casts &= ~(UINT64_C(1) << port);
  }
  w->groups[0].children &= ~(UINT64_C(1) << port);
}

static int open_node(struct live_tree_net *n, unsigned index, struct tree_wired *w, unsigned hosts, char *error, size_t size) {
  const struct topology_node *t = &n->wiring.topology->nodes[index];
  for (unsigned c = 0; t->leaf && c < t->children; c++) {
    const unsigned host = t->first_host + c;
    if (host >= hosts) {
      leave_out(w, c);
      continue;
    }
    point_at(&w->ends[c], host, n->ends[host].low_qpn, n->ends[host].low_psn);
    point_at(&w->ends[TREE_MAX_PORTS + c], host, n->ends[host].sat_qpn, n->ends[host].sat_psn);
  }
  const struct node_rtl_cables cables = {.user = &n->nodes[index], .idle = cable_idle, .send = out_of_node};
  n->nodes[index].device =
      node_rtl_new(tree_wiring_built(&n->wiring, index), &w->config, n->options->seed + index, &cables, error, size);
  n->nodes[index].rests = true;
  return n->nodes[index].device != NULL ? 0 : -1;
}

int live_tree_net_begin(struct live_tree_net *n, const struct live_ends *ends, unsigned hosts, char *error, size_t size) {
  int code = 0;
  memcpy(n->ends, ends, hosts * sizeof *ends);
  memset(n->up, 0, n->options->hosts * sizeof *n->up);
  memset(n->down, 0, n->options->hosts * sizeof *n->down);
  for (unsigned i = 0; code == 0 && i < n->wiring.topology->count; i++) {
    struct tree_wired w;
    if (!tree_wiring_wire(&n->wiring, i, &w)) {
      snprintf(error, size, "out of memory");
      return -1;
    }
    code = open_node(n, i, &w, hosts, error, size);
    tree_wiring_unwire(&w);
  }
  return code;
}

static void add(struct live_tree_counts *sum, const struct node_rtl_state *s) {
  sum->nodes.damaged += s->counts.damaged;
  sum->nodes.strays += s->counts.strays;
  sum->nodes.operations[0] += s->counts.operations[0];
  sum->nodes.operations[1] += s->counts.operations[1];
  sum->nodes.failed += s->counts.failed;
  sum->nodes.locks += s->counts.locks;
  sum->nodes.teardowns += s->counts.teardowns;
  sum->nodes.casts += s->counts.casts;
  sum->nodes.casts_taken += s->counts.casts_taken;
  sum->compared += s->compared;
}

static void add_end(struct node_rtl_end *sum, const struct node_rtl_end *e) {
  sum->sent += e->sent;
  sum->repeats += e->repeats;
  sum->limited += e->limited;
  sum->timeouts += e->timeouts;
  sum->duplicates += e->duplicates;
}

const char *live_tree_net_end(struct live_tree_net *n, char *text, size_t size) {
  const char *wrong = NULL;
  unsigned node;
  for (unsigned i = 0; i < n->wiring.topology->count; i++) {
    struct node_rtl *d = n->nodes[i].device;
    struct node_rtl_state s;
    if (d == NULL) continue;
    node_rtl_finish(d, &s);
    add(&n->done, &s);
    n->done.cycles += node_rtl_cycles(d);
    for (unsigned p = 0; p < 2 * tree_wiring_built(&n->wiring, i)->ports; p++) {
      const struct node_rtl_end e = node_rtl_end(d, p / 2, p % 2 == 1);
      add_end(&n->done.ends[p % 2], &e);
    }
    for (unsigned cell = 0; cell < TREE_CONTROL_CELLS && wrong == NULL; cell++) {
      if (!s.cells[cell].used) continue;
      snprintf(text, size, "node %u: lock cell %u is still in use", i, cell);
      wrong = text;
    }
  }
  const char *broken = fault(n, &node);
  if (broken != NULL) {
    snprintf(text, size, "%s", broken);
    wrong = text;
  }
  for (unsigned i = 0; i < n->wiring.topology->count; i++) {
    node_rtl_free(n->nodes[i].device);
    n->nodes[i].device = NULL;
  }
  return wrong;
}

// --- looking at it ---

const struct node_config *live_tree_net_config(const struct live_tree_net *n) {
  const struct node_config *most = tree_wiring_built(&n->wiring, 0);
  for (unsigned i = 1; i < n->wiring.topology->count; i++)
    if (tree_wiring_built(&n->wiring, i)->ports > most->ports) most = tree_wiring_built(&n->wiring, i);
  return most;
}

struct live_net_counts live_tree_net_counts(const struct live_tree_net *n) {
  return live_hosts_counts(n->hosts);
}
struct live_tree_counts live_tree_net_done(const struct live_tree_net *n) {
  return n->done;
}

struct live_tree_flow live_tree_net_flow(const struct live_tree_net *n, unsigned host, bool down) {
  const struct tree_watch *w = down ? &n->down[host] : &n->up[host];
  struct live_tree_flow sum = {0};
  for (size_t i = 0; i < w->count; i++) {
    const struct tree_watch_flow *f = &w->flows[i];
    const unsigned kind = down ? f->qp == n->ends[host].sat_qpn : tree_wiring_tree(f->qp) % 2;
    sum.messages[kind] += f->messages;
    sum.bytes[kind] += f->bytes;
    sum.repeats[kind] += f->repeats;
  }
  return sum;
}
