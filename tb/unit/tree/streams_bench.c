#include "unit/tree/streams_bench.h"

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

enum {
  BEAT = 64,
  CYCLE_PS = 4000,
  CABLE = 50,     // bytes a cycle: 100 Gb/s
  BETWEEN = 24,   // bytes of a frame that a MAC adds: preamble, FCS, gap
  MOST = 300000   // cycles that anything may take
};
#define US UINT64_C(1000000)   // in picoseconds

static uint64_t now_of(const struct streams_bench *b) { return dut_cycle(b->d) * CYCLE_PS; }
static bool is_lost(const struct streams_bench *b) { return (unsigned)rand() % 1000 < b->loss; }

struct streams_bench *streams_new(void) {
  struct streams_bench *b = need(calloc(1, sizeof *b));
  b->d = dut_new();
  b->ports = (unsigned)dut_width(b->d, "m_axis_tvalid");
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
  for (unsigned i = 0; i < 6; i++) g.local_mac[i] = (uint8_t)rand(), g.peer_mac[i] = (uint8_t)rand();
  g.in.v6 = port % 2 == 1;
  for (unsigned i = 0; i < (g.in.v6 ? 16 : 4); i++) g.in.src[i] = (uint8_t)rand(), g.in.dst[i] = (uint8_t)rand();
  g.out = g.in;
  memcpy(g.out.src, g.in.dst, sizeof g.out.src);
  memcpy(g.out.dst, g.in.src, sizeof g.out.dst);
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

static void step(struct streams_bench *b, struct neighbour *n) {
  if (n->end == NULL || n->silent) return;
  const uint64_t now = now_of(b);
  if (rc_end_deadline(n->end, now) <= now) rc_end_tick(n->end, now);
  post(b, n);
  take(b, n);
  if (n->in_len > 0 || !rc_end_ready(n->end, now)) return;
  n->in_len = rc_end_next(n->end, now, n->in, sizeof n->in);
  n->in_at = 0;
  if (is_lost(b)) n->in_len = 0;
}

static void frame_left(struct streams_bench *b, struct neighbour *n) {
  struct roce_packet p;
  roce_parse(n->out, n->out_len, &p);
  if (n->end != NULL && !n->silent && !is_lost(b)) assert_true(rc_end_receive(n->end, now_of(b), n->out, &p));
  n->out_len = 0;
}

// --- a cycle ---

static unsigned earn(unsigned credit) { return credit + CABLE > 4 * BEAT ? 4 * BEAT : credit + CABLE; }

/// Offers the next beat of each neighbour's frame, if the cable has brought it by now. Returns the ports.
static uint64_t offer(struct streams_bench *b) {
  uint32_t data[STREAMS_PORTS * BEAT / 4] = {0}, keeps[STREAMS_PORTS * 2] = {0};
  uint64_t valid = 0, last = 0;
  for (unsigned p = 0; p < b->ports; p++) {
    struct neighbour *n = &b->at[p];
    n->in_credit = earn(n->in_credit);
    if (n->in_len == 0) continue;
    const size_t left = n->in_len - n->in_at, bytes = left < BEAT ? left : BEAT;
    if (n->in_credit < bytes + (bytes == left ? BETWEEN : 0)) continue;
    valid |= UINT64_C(1) << p;
    if (bytes == left) last |= UINT64_C(1) << p;
    memcpy(&data[p * BEAT / 4], n->in + n->in_at, bytes);
    const uint64_t keep = bytes == 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1;
    memcpy(&keeps[p * 2], &keep, sizeof keep);
  }
  dut_set(b->d, "s_axis_tvalid", valid);
  dut_set(b->d, "s_axis_tlast", last);
  dut_set_words(b->d, "s_axis_tdata", data, b->ports * BEAT / 4);
  dut_set_words(b->d, "s_axis_tkeep", keeps, b->ports * 2);
  return valid;
}

static void beat_came(struct neighbour *n) {
  const size_t left = n->in_len - n->in_at, bytes = left < BEAT ? left : BEAT;
  n->in_credit -= (unsigned)bytes + (bytes == left ? BETWEEN : 0);
  n->in_at += bytes;
  if (n->in_at == n->in_len) n->in_len = 0;
}

static void beat_left(struct streams_bench *b, struct neighbour *n, const uint32_t *data, uint64_t keep, bool last) {
  const unsigned bytes = (unsigned)__builtin_popcountll(keep);
  assert_true(n->out_len + bytes <= sizeof n->out);
  memcpy(n->out + n->out_len, data, bytes);
  n->out_len += bytes;
  n->out_credit -= bytes + (last ? BETWEEN : 0);
  if (last) frame_left(b, n);
}

void streams_tick(struct streams_bench *b) {
  uint32_t data[STREAMS_PORTS * BEAT / 4], keeps[STREAMS_PORTS * 2];
  struct dut *d = b->d;
  uint64_t ready = 0;
  for (unsigned p = 0; p < b->ports; p++) step(b, &b->at[p]);
  const uint64_t offered = offer(b);
  for (unsigned p = 0; p < b->ports; p++) {
    b->at[p].out_credit = earn(b->at[p].out_credit);
    if (b->at[p].out_credit >= BEAT + BETWEEN) ready |= UINT64_C(1) << p;
  }
  dut_set(d, "m_axis_tready", ready);
  dut_set(d, "time_i", now_of(b) / US);
  dut_eval(d);
  const uint64_t came = offered & dut_get(d, "s_axis_tready"), left = ready & dut_get(d, "m_axis_tvalid");
  const uint64_t last = dut_get(d, "m_axis_tlast");
  dut_get_words(d, "m_axis_tdata", data, b->ports * BEAT / 4);
  dut_get_words(d, "m_axis_tkeep", keeps, b->ports * 2);
  const uint32_t events[2] = {(uint32_t)dut_get(d, "events_o")};
  b->operations += bits_get(events, FIELD(sat_events_t, done));
  for (unsigned p = 0; p < b->ports; p++) {
    uint64_t keep;
    memcpy(&keep, &keeps[p * 2], sizeof keep);
    if (came >> p & 1) beat_came(&b->at[p]);
    if (left >> p & 1) beat_left(b, &b->at[p], &data[p * BEAT / 4], keep, last >> p & 1);
  }
  dut_tick(d);
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
