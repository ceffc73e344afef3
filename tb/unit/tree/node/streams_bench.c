#include "unit/tree/node/streams_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "drive/bits.h"
#include "structs/rc_port_pkg.h"
#include "structs/sat_pkg.h"
#include "unit/tree/conn_config.h"
#include "unit/tree/pair_setup.h"
#include "wire/roce.h"

enum { MOST = 300000 };        // cycles that anything may take
#define US UINT64_C(1000000)   // in picoseconds

static uint64_t now_of(const struct streams_bench *b) { return dut_cycle(b->d) * CABLES_CYCLE_PS; }
static bool is_lost(const struct streams_bench *b) { return (unsigned)rand() % 1000 < b->loss; }

struct streams_bench *streams_new(void) {
  struct streams_bench *b = need(calloc(1, sizeof *b));
  b->d = dut_new();
  b->ports = (unsigned)dut_width(b->d, "m_axis_tvalid");
  b->cables = (struct cables){.d = b->d, .ports = b->ports};
  dut_reset(b->d);
  return b;
}

static void forget(struct streams_bench *b) {
  for (unsigned p = 0; p < b->ports; p++) {
    rc_end_free(b->at[p].end);
    free(b->at[p].sends.bytes);
    free(b->at[p].got);
  }
  memset(b->at, 0, sizeof b->at);
  memset(b->cables.at, 0, sizeof b->cables.at);
}

void streams_free(struct streams_bench *b) {
  forget(b);
  dut_free(b->d);
  free(b);
}

// --- the beginning ---

/// The device's end at a port.
static struct rc_end_config draw_end(const struct streams_bench *b, unsigned port) {
  struct rc_end_config g = {.udp_source = (uint16_t)(0xC000 | (unsigned)rand()),
                            .psn_out = (uint32_t)rand() & PSN_MASK,
                            .psn_in = (uint32_t)rand() & PSN_MASK,
                            .mtu = b->mtu,
                            .request = {.room = 64, .ack_every = 4, .timeout_ps = 100 * US, .retries = 3, .rnr_retries = 6},
                            .respond = {.room = 64, .coalesce = 4, .rnr_timer = 1}};
  g.in.v6 = port % 2 == 1;
  conn_config_draw(&g);
  g.out = conn_config_back(g.in);
  g.in.qpn = (uint32_t)rand() & 0xFFFFFF;
  g.out.qpn = (uint32_t)rand() & 0xFFFFFF;
  return g;
}

static struct rc_end_config mirrored(const struct rc_end_config *g) {
  struct rc_end_config m = conn_config_peer(g);
  m.request.room = m.respond.room = 64;
  return m;
}

static void set_tree(struct streams_bench *b) {
  const bool root = b->parent == b->ports;
  const struct pair_setup s = {.ports = b->ports,
                               .parent = root ? TREE_NO_PORT : b->parent,
                               .mtu = b->mtu,
                               .children = b->children,
                               .groups = {{.id = STREAMS_GROUP, .children = b->children, .up = !root}},
                               .group_count = 1,
                               .patience = 100000,
                               .patience_up = 100000};
  pair_config(b->d, &s, STREAMS_TREE, STREAMS_NODE);
  uint32_t lock = 0;
  bits_put(&lock, FIELD(sat_lock_t, valid), 1);
  dut_set(b->d, "lock_i", lock);
}

void streams_open(struct streams_bench *b, unsigned parent, uint64_t children, unsigned mtu, unsigned loss) {
  uint32_t words[WORDS_OF(rc_conn_cfg_t, STREAMS_PORTS)] = {0};
  for (unsigned p = 0; p < b->ports; p++) b->at[p].silent = true;
  dut_set(b->d, "close_i", 1);
  dut_tick(b->d);
  dut_set(b->d, "close_i", 0);
  for (unsigned i = 0; i < 300; i++) streams_tick(b);   // frames that are under way come to their end
  forget(b);
  b->parent = parent;
  b->children = children;
  b->mtu = mtu;
  b->loss = loss;
  b->operations = 0;
  for (unsigned p = 0; p < b->ports; p++) {
    const struct rc_end_config g = draw_end(b, p), peer = mirrored(&g);
    conn_config_put(words, (size_t)p * rc_conn_cfg_t__BITS, &g);
    if ((children >> p & 1) || p == parent) b->at[p].end = need(rc_end_new(&peer));
  }
  dut_set_words(b->d, "conn_cfg_i", words, WORDS_OF(rc_conn_cfg_t, b->ports));
  set_tree(b);
  dut_set(b->d, "open_i", 1);
  dut_tick(b->d);
  dut_set(b->d, "open_i", 0);
}

void streams_send(struct streams_bench *b, unsigned port, const struct tree_header *h, const uint8_t *vector) {
  struct neighbour *n = &b->at[port];
  assert_int_equal(n->posted, n->sends.len);
  free(n->sends.bytes);
  n->sends.len = TREE_BYTES + (h->flags & TREE_CARRIES ? h->length : 0);
  n->sends.bytes = need(malloc(n->sends.len));
  tree_put(n->sends.bytes, h);
  if (h->flags & TREE_CARRIES) memcpy(n->sends.bytes + TREE_BYTES, vector, h->length);
  n->posted = n->got_len = 0;
  n->whole = false;
}

// --- a neighbour ---

/// All packets but the last one are as long as they can be: the first one has the header and what fits behind it.
static void post(const struct streams_bench *b, struct neighbour *n) {
  struct rc_requester *r = rc_end_requester(n->end);
  if (n->posted == n->sends.len || rc_requester_room(r) == 0) return;
  const bool carries = n->sends.len > TREE_BYTES;
  const uint32_t length = (uint32_t)(n->sends.len - TREE_BYTES);
  size_t bytes = TREE_BYTES;
  if (carries) bytes = n->posted == 0 ? TREE_BYTES + tree_part(length, b->mtu, 0) : b->mtu;
  if (bytes > n->sends.len - n->posted) bytes = n->sends.len - n->posted;
  rc_requester_post(r, &(struct rc_packet){.verb = RC_SEND,
                                           .first = n->posted == 0,
                                           .last = n->posted + bytes == n->sends.len,
                                           .data = n->sends.bytes + n->posted,
                                           .len = bytes});
  n->posted += bytes;
}

static void take(const struct streams_bench *b, struct neighbour *n) {
  struct rc_responder *r = rc_end_responder(n->end);
  const struct rc_packet *p = rc_responder_first(r);
  if (p == NULL) return;
  assert_false(n->whole);
  assert_int_equal(p->first, n->got_len == 0);
  if (n->got_len + p->len > n->room) n->got = need(realloc(n->got, n->room = 2 * (n->got_len + p->len)));
  memcpy(n->got + n->got_len, p->data, p->len);
  if (n->got_len == 0) n->first_ps = now_of(b);
  n->last_ps = now_of(b);
  n->got_len += p->len;
  n->whole = p->last;
  rc_responder_take(r, now_of(b));
}

static void step(struct streams_bench *b, unsigned port) {
  struct neighbour *n = &b->at[port];
  struct cable *c = &b->cables.at[port];
  if (n->end == NULL || n->silent) return;
  const uint64_t now = now_of(b);
  if (rc_end_deadline(n->end, now) <= now) rc_end_tick(n->end, now);
  post(b, n);
  take(b, n);
  if (c->in_len > 0 || !rc_end_ready(n->end, now)) return;
  c->in_len = rc_end_next(n->end, now, c->in, sizeof c->in);
  if (is_lost(b)) c->in_len = 0;
}

static void frame_left(void *user, unsigned port) {
  struct streams_bench *b = user;
  struct neighbour *n = &b->at[port];
  struct roce_packet p;
  roce_parse(b->cables.at[port].out, b->cables.at[port].out_len, &p);
  if (n->end != NULL && !n->silent && !is_lost(b)) assert_true(rc_end_receive(n->end, now_of(b), b->cables.at[port].out, &p));
}

void streams_tick(struct streams_bench *b) {
  for (unsigned p = 0; p < b->ports; p++) step(b, p);
  cables_offer(&b->cables);
  dut_set(b->d, "time_i", now_of(b) / US);
  dut_eval(b->d);
  const uint32_t events[2] = {(uint32_t)dut_get(b->d, "events_o")};
  b->operations += bits_get(events, FIELD(sat_events_t, done));
  cables_move(&b->cables, frame_left, b);
  dut_tick(b->d);
}

void streams_await(struct streams_bench *b, uint64_t ports) {
  for (uint64_t left = ports, i = 0; left != 0; i++) {
    if (i >= MOST) fail_msg("ports %llx wait for a message", (unsigned long long)left);
    streams_tick(b);
    for (unsigned p = 0; p < b->ports; p++)
      if (b->at[p].whole) left &= ~(UINT64_C(1) << p);
  }
}

struct streams_end streams_end(struct streams_bench *b) {
  uint32_t word[2];
  dut_get_words(b->d, "end_o", word, 2);
  return (struct streams_end){.valid = bits_get(word, FIELD(sat_end_t, valid)) != 0,
                              .verdict = (unsigned)bits_get(word, FIELD(sat_end_t, verdict)),
                              .node = (unsigned)bits_get(word, FIELD(sat_end_t, node)),
                              .port = (unsigned)bits_get(word, FIELD(sat_end_t, port))};
}
