#include "unit/tree/node/node_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "drive/bits.h"
#include "drive/tree/node_observed.h"
#include "structs/llt_pkg.h"
#include "unit/tree/conn_config.h"
#include "unit/tree/node/node_registers.h"
#include "wire/roce.h"

enum { MOST = 400000 };        // cycles that anything may take
#define US UINT64_C(1000000)   // in picoseconds

static uint64_t bit(unsigned port) { return UINT64_C(1) << port; }
uint64_t node_now(const struct node_bench *b) { return dut_cycle(b->d) * CABLES_CYCLE_PS; }
static bool is_lost(const struct node_bench *b) { return (unsigned)rand() % 1000 < b->loss; }

struct node_bench *node_new(void) {
  struct node_bench *b = need(calloc(1, sizeof *b));
  b->d = dut_new();
  b->ports = (unsigned)dut_width(b->d, "m_axis_tvalid");
  b->cables = (struct cables){.d = b->d, .ports = b->ports};
  b->timeout = 100;
  b->patience = 20000;
  if (dut_has(b->d, "flip_i")) dut_set(b->d, "flip_i", 0);   // tree_node_flips; a port starts at random
  dut_reset(b->d);
  return b;
}

static void forget(struct node_bench *b) {
  for (unsigned p = 0; p <= b->ports; p++) tree_host_free(b->at[p].host);
  tree_node_free(b->root);
  tree_twin_free(b->twin);
  b->root = NULL;
  b->twin = NULL;
  memset(b->at, 0, sizeof b->at);
  memset(b->cables.at, 0, sizeof b->cables.at);
}

void node_free(struct node_bench *b) {
  forget(b);
  dut_free(b->d);
  free(b);
}

int node_setup(void **state) {
  struct node_bench **b = *state;
  *b = node_new();
  return 0;
}

int node_teardown(void **state) {
  struct node_bench **b = *state;
  node_free(*b);
  return 0;
}

// --- the beginning ---

/// An end of a node at a port: of the low-latency tree, then of the streaming one.
static void draw_ends(const struct node_bench *b, unsigned port, struct rc_end_config g[2]) {
  g[0] = (struct rc_end_config){
      .udp_source = (uint16_t)(0xC000 | (unsigned)rand()),
      .mtu = b->mtu,
      .request = {.room = 64, .ack_every = 4, .timeout_ps = b->timeout * US, .retries = 3, .rnr_retries = RC_ENDLESS},
      .respond = {.room = 64, .coalesce = 4, .rnr_timer = 1}};
  g[0].in.v6 = (port + b->v6) % 2 == 1;
  g[0].in.vlan = b->vlan;
  conn_config_draw(&g[0]);
  g[0].out = conn_config_back(g[0].in);
  g[1] = g[0];
  for (unsigned c = 0; c < 2; c++) {
    g[c].in.qpn = ((uint32_t)rand() & 0xFFFFFE) | c;
    g[c].out.qpn = ((uint32_t)rand() & 0xFFFFFE) | c;
    g[c].psn_out = (uint32_t)rand() & PSN_MASK;
    g[c].psn_in = (uint32_t)rand() & PSN_MASK;
  }
}

static unsigned group_of(const struct node_bench *b, unsigned member) { return b->members[1] >> member & 1; }

static struct tree_host *new_host(const struct node_bench *b, unsigned member, const struct rc_end_config g[2]) {
  return need(tree_host_new(&(struct tree_host_config){.low = conn_config_peer(&g[0]),
                                                       .sat = conn_config_peer(&g[1]),
                                                       .low_tree = NODE_LOW,
                                                       .sat_tree = NODE_SAT,
                                                       .group = (uint16_t)(7 + group_of(b, member)),
                                                       .listens = (b->casts >> member & 1) != 0,
                                                       .patience_ps = b->patience * US}));
}

/// The node above: the device at its port 0, a host at its port 1.
static void new_root(struct node_bench *b, const struct rc_end_config g[2]) {
  struct rc_end_config ends[2][2];
  struct tree_of_node trees[2];
  for (unsigned t = 0; t < 2; t++) {
    ends[t][0] = conn_config_peer(&g[t]);
    trees[t] = (struct tree_of_node){.id = t ? NODE_SAT : NODE_LOW,
                                     .sat = t == 1,
                                     .partner = !t,
                                     .parent = TREE_NO_PORT,
                                     .neighbours = 3,
                                     .casts = t == 0 && b->listens,
                                     .ends = ends[t]};
  }
  struct rc_end_config host[2];
  draw_ends(b, 0, host);
  for (unsigned t = 0; t < 2; t++) ends[t][1] = host[t];
  const struct group_of_node group = {.id = 7, .children = 3};
  b->root = need(tree_node_new(&(struct tree_node_config){.id = NODE_ROOT,
                                                          .ports = 2,
                                                          .trees = trees,
                                                          .tree_count = 2,
                                                          .groups = &group,
                                                          .group_count = 1,
                                                          .lock_cells = 2,
                                                          .patience_ps = 5000 * US,
                                                          .patience_up_ps = 5000 * US}));
  b->at[b->ports].host = new_host(b, b->ports, host);
}

static void look_at_twin(const struct node_bench *b) {
  const char *fault = tree_twin_fault(b->twin);
  if (fault == NULL) return;
  fprintf(stderr, "%s\n", fault);
  fail();
}

static void open_twin(struct node_bench *b) {
  struct node_wired w;
  node_wire(b, &w);
  w.config.group_count = TREE_CONTROL_GROUPS;
  b->twin = need(tree_twin_new(&w.config));
}

/// What the device shows in this cycle.
static void observe(struct node_bench *b) {
  uint32_t obs[WORDS_OF(node_observed_t, 1)];
  struct node_observed event;
  if (b->twin == NULL) return;
  dut_get_words(b->d, "obs_o", obs, WORDS_OF(node_observed_t, 1));
  if (node_observed_read(obs, &event)) node_observed_tell(b->twin, &event);
  look_at_twin(b);
}

void node_compared(struct node_bench *b) {
  for (unsigned i = 0; i < 5000 || !node_idle(b); i++) node_tick(b);
  tree_twin_finish(b->twin, 0);
  look_at_twin(b);
  assert_true(tree_twin_counts(b->twin).compared > 0);
}

void node_open(struct node_bench *b, unsigned parent, const uint64_t members[NODE_GROUPS], unsigned mtu, unsigned loss) {
  for (unsigned p = 0; p < b->ports; p++) b->at[p].silent = true;
  tree_twin_free(b->twin);
  b->twin = NULL;
  const struct tree_bus bus = node_bus(b);
  assert_int_equal(tree_control_close(&bus), TREE_ERROR_NONE);
  for (unsigned i = 0; i < 300; i++) node_tick(b);   // frames that are under way come to their end
  forget(b);
  b->parent = parent;
  for (unsigned g = 0; g < NODE_GROUPS; g++) b->members[g] = members[g];
  b->mtu = mtu;
  b->loss = loss;
  for (unsigned p = 0; p < b->ports; p++) {
    struct rc_end_config g[2];
    draw_ends(b, p, g);
    for (unsigned c = 0; c < 2; c++) b->ends[c][p] = g[c];
    b->at[p].there = p == parent || ((members[0] | members[1]) >> p & 1);
    b->at[p].silent = true;
    if (b->at[p].there) node_store_ends(b, p, g);
    if (p == parent)
      new_root(b, g);
    else if (b->at[p].there)
      b->at[p].host = new_host(b, p, g);
  }
  node_store_trees(b);
  if (b->in_step) open_twin(b);
  assert_int_equal(tree_control_open(&bus), TREE_ERROR_NONE);
  for (unsigned p = 0; p < b->ports; p++) b->at[p].silent = false;
}

void node_redraw_streaming(struct node_bench *b) {
  const struct tree_bus bus = node_bus(b);
  for (unsigned p = 0; p < b->ports; p++) {
    struct rc_end_config g[2];
    if (!b->at[p].there) continue;
    draw_ends(b, p, g);
    const struct rc_end_config peer = conn_config_peer(&g[1]);
    b->ends[1][p] = g[1];
    assert_int_equal(tree_control_store_end(&bus, p, true, &g[1]), TREE_ERROR_NONE);
    assert_true(tree_host_reopen(b->at[p].host, &peer));
  }
}

struct tree_host *node_host(const struct node_bench *b, unsigned member) {
  return b->at[member].host;
}

// --- neighbours ---

static void tick_host(struct tree_host *h, uint64_t now) {
  if (tree_host_deadline(h, now) <= now) tree_host_tick(h, now);
}

/// The root, and the host below it, over a cable that takes no time.
static void step_root(struct node_bench *b, uint64_t now) {
  struct tree_host *h = b->at[b->ports].host;
  uint8_t frame[CABLES_FRAME];
  tick_host(h, now);
  if (tree_node_deadline(b->root, now) <= now) tree_node_tick(b->root, now);
  while (tree_node_ready(b->root, now, 1)) {
    const size_t len = tree_node_next(b->root, now, 1, frame, sizeof frame);
    tree_host_receive(h, now, frame, len, false);
  }
  while (tree_host_ready(h, now)) {
    const size_t len = tree_host_next(h, now, frame, sizeof frame);
    tree_node_receive(b->root, now, 1, frame, len, false);
  }
}

/// What the root sends is lost, and no multicast.
static bool is_deaf(const struct node_bench *b, const struct cable *c) {
  struct roce_packet p;
  roce_parse(c->in, c->in_len, &p);
  return b->deaf > 0 && p.opcode != ROCE_UD_SEND_ONLY && (unsigned)rand() % 1000 < b->deaf;
}

static void step(struct node_bench *b, unsigned port) {
  struct node_place *n = &b->at[port];
  struct cable *c = &b->cables.at[port];
  const uint64_t now = node_now(b);
  if (!n->there || n->silent) return;
  if (n->host != NULL)
    tick_host(n->host, now);
  else
    step_root(b, now);
  if (c->in_len > 0 || !(n->host != NULL ? tree_host_ready(n->host, now) : tree_node_ready(b->root, now, 0))) return;
  c->in_len =
      n->host != NULL ? tree_host_next(n->host, now, c->in, sizeof c->in) : tree_node_next(b->root, now, 0, c->in, sizeof c->in);
  if (is_lost(b) || (n->host == NULL && is_deaf(b, c))) c->in_len = 0;
  if (b->twin != NULL && c->in_len > 0) tree_twin_in(b->twin, port, c->in, c->in_len, false);
}

static void frame_left(void *user, unsigned port) {
  struct node_bench *b = user;
  const struct node_place *n = &b->at[port];
  const struct cable *c = &b->cables.at[port];
  if (b->twin != NULL) tree_twin_out(b->twin, port, c->out, c->out_len);
  if (!n->there || n->silent || is_lost(b)) return;
  if (n->host != NULL)
    tree_host_receive(n->host, node_now(b), c->out, c->out_len, false);
  else
    tree_node_receive(b->root, node_now(b), 0, c->out, c->out_len, false);
}

// --- a cycle ---

void node_tick(struct node_bench *b) {
  if (b->each != NULL) b->each(b);
  for (unsigned p = 0; p < b->ports; p++) step(b, p);
  cables_offer(&b->cables);
  dut_eval(b->d);
  observe(b);
  cables_move(&b->cables, frame_left, b);
  dut_tick(b->d);
}

void node_await(struct node_bench *b, uint64_t hosts) {
  for (uint64_t left = hosts, i = 0; left != 0; i++) {
    if (i >= MOST) fail_msg("hosts %llx wait for their operation", (unsigned long long)left);
    node_tick(b);
    for (unsigned m = 0; m <= b->ports; m++)
      if ((left >> m & 1) && tree_host_done(b->at[m].host)) left &= ~bit(m);
  }
}

unsigned node_cells(struct node_bench *b) {
  unsigned used = 0;
  const struct tree_bus bus = node_bus(b);
  for (unsigned c = 0; c < TREE_CONTROL_CELLS; c++) used += tree_control_cell(&bus, c).used;
  return used;
}

bool node_idle(struct node_bench *b) {
  const struct tree_bus bus = node_bus(b);
  for (unsigned i = 0; i < 2 * b->ports; i++)
    if (b->at[i / 2].there && !tree_control_end(&bus, i / 2, i % 2 == 1).idle) return false;
  return true;
}
