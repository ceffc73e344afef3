#include "unit/tree/transport/port_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "drive/bits.h"
#include "structs/rc_pkg.h"
#include "structs/rc_port_pkg.h"
#include "unit/tree/conn_config.h"
#include "unit/tree/transport/port_state.h"
#include "wire/bytes.h"
#include "wire/rc.h"

struct port_bench *port_bench_new(void) {
  struct port_bench *b = need(calloc(1, sizeof *b));
  b->d = dut_new();
  dut_reset(b->d);
  return b;
}

static void forget(struct conn *c) {
  rc_end_free(c->twin);
  rc_end_free(c->peer);
  c->twin = c->peer = NULL;
}

void port_bench_free(struct port_bench *b) {
  for (unsigned c = 0; c < CONNS; c++) forget(&b->conns[c]);
  while (b->in_count > 0) free(port_pop(b->in, &b->in_count).bytes);
  while (b->going_count > 0) free(port_pop(b->going, &b->going_count).bytes);
  while (b->due_count > 0) free(port_pop(b->due, &b->due_count).bytes);
  for (unsigned i = 0; i <= DECIDED; i++) free(b->told[i].frame.bytes);
  free(b->held.bytes);
  dut_free(b->d);
  free(b);
}

struct port_counts *port_bench_counts(struct port_bench *b) {
  return &b->counts;
}

// --- connections ---

static uint32_t draw_psn(void) { return rand() % 2 ? (PSN_MASK - port_below(60)) & PSN_MASK : (uint32_t)rand() & PSN_MASK; }

/// Addresses with which the checksum of some of the first ACK packets has a carry that makes another one.
static void brimful(struct conn_key *key) {
  enum { ACK_BYTES = 28, IP_BYTES = 20, ROOM_FOR = 8, SAME = 0x4500 + 0x4000 + 0x4011 + IP_BYTES + ACK_BYTES };
  const unsigned sum = SAME + (unsigned)get_be16(key->src) + get_be16(key->src + 2) + get_be16(key->dst);
  put_be16(key->dst + 2, (uint16_t)(0xFFFF - ROOM_FOR - sum));
}

static void draw_address(struct rc_end_config *g, unsigned number, bool quick) {
  *g = (struct rc_end_config){.udp_source = (uint16_t)(0xC000 | (unsigned)rand())};
  g->in.v6 = !quick && rand() % 2;
  g->in.vlan = quick || rand() % 2 ? 0 : (uint16_t)(1 + port_below(4094));
  conn_config_draw(g);
  if (!g->in.v6 && rand() % 2) brimful(&g->in);
  g->out = conn_config_back(g->in);
  g->in.qpn = (uint32_t)rand() & 0xFFFFFE;
  g->in.qpn |= number;
  g->out.qpn = (uint32_t)rand() & 0xFFFFFF;
}

static void draw_config(struct rc_end_config *g, unsigned mtu, bool quick) {
  g->psn_out = draw_psn();
  g->psn_in = draw_psn();
  g->mtu = mtu != 0 ? mtu : 256u << port_below(5);
  g->request = (struct rc_request_config){.room = PORT_ROOM,
                                          .ack_every = 1u << port_below(4),
                                          .timeout_ps = (300 + port_below(200)) * US,
                                          .retries = port_below(6) == 0 ? 1 : 7,
                                          .rnr_retries = port_below(6) == 0 ? 1 : RC_ENDLESS};
  g->respond = (struct rc_respond_config){.room = PORT_ROOM,
                                          .coalesce = 1 + port_below(4),
                                          .ack_delay_ps = port_below(40),
                                          .rnr_timer = 1 + port_below(3),
                                          .no_credits = port_below(4) == 0};
  if (quick) {
    g->request.ack_every = 4;
    g->respond.coalesce = 4;
    g->respond.ack_delay_ps = 0;
    g->respond.no_credits = false;
  }
}

/// The other end of the cable.
static struct rc_end_config mirrored(const struct rc_end_config *g, bool quick) {
  struct rc_end_config m = conn_config_peer(g);
  m.respond.room = 2 + port_below(30);
  m.respond.ack_delay_ps = port_below(3) * US;
  m.respond.no_credits = port_below(4) == 0;
  if (quick) {
    m.respond.room = 4 * PORT_ROOM;
    m.respond.ack_delay_ps = 0;
  }
  return m;
}

static void cycle(struct port_bench *b, unsigned posts);

static void pulse(struct port_bench *b, const char *pin, unsigned conns) {
  dut_set(b->d, pin, conns);
  cycle(b, PORT_NOBODY);
  dut_set(b->d, pin, 0);
}

void port_bench_close(struct port_bench *b, unsigned c) {
  struct conn *n = &b->conns[c];
  // At times just when a packet's fate is known.
  const struct told *t = &b->told[DECIDED - 1];
  const unsigned patience = rand() % 2 ? CLOSING : 0;
  for (unsigned i = 0; i < patience && !(t->frame.bytes != NULL && t->kind == DATA && t->conn == c); i++) cycle(b, PORT_PEER);
  n->cleared = dut_cycle(b->d);
  n->stale = n->row > 0 && n->rows > 0 ? n->rows - n->row : 0;
  n->rows = 0;
  pulse(b, "close_i", 1u << c);
  n->open = false;
  n->ready_for = 0;
  n->read_at = n->claims;
  memset(n->reads, 0, sizeof n->reads);
  forget(n);
}

void port_bench_open(struct port_bench *b, unsigned mtu, bool quick) {
  uint32_t words[WORDS_OF(rc_conn_cfg_t, CONNS)] = {0};
  for (unsigned c = 0; c < CONNS; c++)
    if (b->conns[c].open) port_bench_close(b, c);
  // Frames that are inside leave with what was set before.
  for (unsigned i = 0; b->due_count > 0; i++) {
    assert_true(i < 10000);
    cycle(b, PORT_NOBODY);
  }
  for (unsigned c = 0; c < CONNS; c++) {
    struct conn *n = &b->conns[c];
    const struct rc_end_config was = n->config;
    forget(n);
    *n = (struct conn){.config = was, .stale = n->stale, .cleared = dut_cycle(b->d)};
    // With the same addresses frames of before are on their way yet.
    if (was.mtu == 0 || rand() % 2) draw_address(&n->config, c, quick);
    draw_config(&n->config, mtu, quick);
    conn_config_put(words, (size_t)c * rc_conn_cfg_t__BITS, &n->config);
    const struct rc_end_config peer = mirrored(&n->config, quick);
    n->twin = need(rc_end_new(&n->config));
    n->peer = need(rc_end_new(&peer));
  }
  dut_set_words(b->d, "cfg_i", words, WORDS_OF(rc_conn_cfg_t, CONNS));
  dut_set(b->d, "cast_group_i", CAST_GROUP);
  pulse(b, "open_i", (1u << CONNS) - 1);
  for (unsigned c = 0; c < CONNS; c++) b->conns[c].open = true;
}

void port_bench_reopen(struct port_bench *b) {
  const struct port_pace slow = {.beats = 20, .ready = 100, .claims = 100, .reads = 100, .peer = 100, .whole = true};
  struct roce_packet p = {0};
  unsigned found = CONNS;
  b->pace = slow;
  // Until a data packet is half there, and nothing leaves.
  for (unsigned i = 0; found == CONNS; i++) {
    assert_true(i < DRAIN);
    cycle(b, PORT_PEER);
    if (b->in_count == 0 || b->in_at < b->in[0].len / 2 || b->in_at + 4 * ROW > b->in[0].len || b->due_count > 0) continue;
    roce_parse(b->in[0].bytes, b->in[0].len, &p);
    for (unsigned c = 0; c < CONNS; c++)
      if (p.class == ROCE_CANDIDATE && conn_key_equal(&p.key, &b->conns[c].config.in)) found = c;
  }
  while (b->in_count > 1) free(b->in[--b->in_count].bytes);
  // Just that packet is the one that would be taken now.
  struct conn *n = &b->conns[found];
  uint32_t words[WORDS_OF(rc_conn_cfg_t, CONNS)] = {0};
  const struct rc_end_config was = n->config;
  forget(n);
  *n = (struct conn){.config = was, .cleared = dut_cycle(b->d)};
  n->config.psn_in = p.psn;
  for (unsigned c = 0; c < CONNS; c++) conn_config_put(words, (size_t)c * rc_conn_cfg_t__BITS, &b->conns[c].config);
  const struct rc_end_config peer = mirrored(&n->config, true);
  n->twin = need(rc_end_new(&n->config));
  n->peer = need(rc_end_new(&peer));
  dut_set_words(b->d, "cfg_i", words, WORDS_OF(rc_conn_cfg_t, CONNS));
  pulse(b, "open_i", 1u << found);
  n->open = true;
}

unsigned port_bench_failed(const struct port_bench *b) {
  unsigned failed = 0;
  for (unsigned c = 0; c < CONNS; c++)
    if (b->conns[c].open) failed += rc_end_fault(b->conns[c].twin) != RC_GOOD || rc_end_fault(b->conns[c].peer) != RC_GOOD;
  return failed;
}

// --- a cycle ---

static void cycle(struct port_bench *b, unsigned posts) {
  struct dut *d = b->d;
  uint32_t conns[WORDS_OF(rc_conn_events_t, CONNS)];
  for (unsigned i = 0; i < CONNS; i++) {
    struct conn *c = &b->conns[(dut_cycle(d) + i) % CONNS];   // each in front of the others at times
    if (c->open) port_neighbour(b, c, posts);
  }
  const bool offered = port_offer_beat(b);
  port_use(b, posts);
  dut_set(d, "m_axis_tready", port_chance(b->pace.ready));
  dut_set(d, "time_i", b->us & UINT32_MAX);
  dut_eval(d);
  dut_get_words(d, "conn_events_o", conns, WORDS_OF(rc_conn_events_t, CONNS));
  const unsigned room = (unsigned)dut_get(d, "room_o");
  for (unsigned c = 0; c < CONNS; c++) {
    const struct conn *n = &b->conns[c];
    if (n->open && n->cleared + 1 < dut_cycle(d))
      assert_int_equal(room >> c & 1, rc_requester_room(rc_end_requester(n->twin)) > n->inside);
  }
  port_told_of(b, (uint32_t)dut_get(d, "events_o"), conns);
  for (unsigned c = 0; c < CONNS; c++) port_follow(b, c, conns);
  port_check_rows(b);
  if (dut_get(d, "m_axis_tvalid") && dut_get(d, "m_axis_tready")) port_beat_leaves(b);
  if (offered && dut_get(d, "s_axis_tready")) port_beat_taken(b);
  dut_tick(d);
  for (unsigned c = 0; c < CONNS; c++) b->conns[c].inside = b->conns[c].rows > 0 && b->conns[c].row > 0;
  b->counts.cycles++;
  if (rand() % 8 == 0) b->us++;
  uint32_t faults = (uint32_t)dut_get(d, "fault_o");
  for (unsigned c = 0; c < CONNS; c++) {
    if (b->conns[c].open && b->conns[c].cleared + 1 < dut_cycle(d))
      assert_int_equal(faults >> (3 * c) & 7, rc_end_fault(b->conns[c].twin));
  }
}

void port_bench_run(struct port_bench *b, unsigned cycles, const struct port_pace *pace, unsigned posts) {
  b->pace = *pace;
  for (unsigned i = 0; i < cycles; i++) cycle(b, posts);
}

static bool is_done(const struct port_bench *b) {
  const unsigned idle = (unsigned)dut_get(b->d, "idle_o");
  if (b->in_count > 0 || b->going_count > 0 || b->due_count > 0) return false;
  for (unsigned i = 0; i < CONNS; i++) {
    const struct conn *c = &b->conns[i];
    if (!c->open || rc_end_fault(c->twin) != RC_GOOD || rc_end_fault(c->peer) != RC_GOOD) continue;
    if (c->rows > 0 || c->left_out > 0 || c->left_in > 0 || c->claims < c->peer_posted || c->peer_took < c->posted ||
        c->read_at < c->claims)
      return false;
    if ((idle >> i & 1) == 0 || !rc_end_empty(c->twin) || !rc_end_empty(c->peer)) return false;
  }
  return true;
}

static void complain(const struct port_bench *b) {
  for (unsigned i = 0; i < CONNS; i++) {
    const struct conn *c = &b->conns[i];
    if (c->open)
      print_error("connection %u: fault %d, %d of the peer; in %u posted, %u claimed, %u read; out %u posted, %u arrived, rows "
                  "%u; empty %d %d, idle %d\n",
                  i, rc_end_fault(c->twin), rc_end_fault(c->peer), c->peer_posted, c->claims, c->read_at, c->posted, c->peer_took,
                  c->rows, rc_end_empty(c->twin), rc_end_empty(c->peer), (int)(dut_get(b->d, "idle_o") >> i & 1));
  }
  fail_msg("frames: %u to come, %u on their way, %u to leave", b->in_count, b->going_count, b->due_count);
}

void port_bench_drain(struct port_bench *b) {
  const struct port_pace quick = {.beats = 100, .ready = 100, .rows = 100, .claims = 100, .reads = 100, .peer = 100};
  b->pace = quick;
  for (unsigned i = 0; !is_done(b); i++) {
    if (i >= DRAIN) complain(b);
    cycle(b, PORT_NOBODY);
  }
  for (unsigned i = 0; i < CONNS; i++) {
    if (!b->conns[i].open) continue;
    const struct rc_request_counts q = rc_requester_counts(rc_end_requester(b->conns[i].twin));
    const struct rc_respond_counts p = rc_responder_counts(rc_end_responder(b->conns[i].twin));
    b->counts.repeats += q.repeats;
    b->counts.timeouts += q.timeouts;
    b->counts.rnrs += p.rnrs;
    b->counts.acks += p.acks;
    b->counts.naks += p.naks;
  }
}
