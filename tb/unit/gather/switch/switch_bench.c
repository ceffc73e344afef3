#include "unit/gather/switch/switch_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "unit/gather/switch/switch_tables.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { BEAT_WORDS = 16, OWN = 0xFF };

static void mac_of(unsigned node, uint8_t mac[6]) {
  const uint8_t m[6] = {2, 0, 0, 0x47, 0x53, (uint8_t)node};
  memcpy(mac, m, 6);
}

static uint32_t ip_of(unsigned node) { return 0x0A470000u + node; }

static unsigned pipe_of(const struct bench *b, unsigned port) { return port / (b->ports / b->pipes); }

/// By which port reads, or responses that are in a pipe, go to a node.
static unsigned port_of(const struct bench *b, bool response, unsigned pipe, unsigned node) {
  if (!b->spread) return node % b->ports;
  return (response ? node + pipe + 1 : node / 2) % b->ports;
}

void switch_bench_frame(struct bench *b, unsigned port, const uint8_t *data, size_t len, unsigned fate) {
  const unsigned class = len > 63 && data[63] == 2;
  assert_true(b->count[port][class] < MAX_FRAMES);
  struct frame *f = &b->frames[port][class][b->count[port][class]++];
  *f = (struct frame){.data = malloc(len), .len = len, .fate = fate};
  memcpy(f->data, data, len);
  b->fates[port][fate]++;
}

static size_t most_prs(bool response, unsigned len) { return (1500 - 66) / (18 + (response ? len : 0)); }

/// PRs that are found again by their IDs. Returns the bytes of their packet.
static size_t make_prs(struct bench *b, bool response, unsigned dest, unsigned len, size_t count, unsigned columns,
                       struct pr *prs, uint8_t *frame) {
  for (size_t i = 0; i < count; i++) {
    gather_random_pr(&prs[i], response, b->nodes, len);
    prs[i].dest = dest;
    if (response) prs[i].src = dest;
    prs[i].idx = gather_pick(columns);
    if (response) gather_property(prs[i].idx, 0, prs[i].data, len);
    prs[i].id = (uint32_t)(b->wants_count + i);
  }
  return pr_packet(prs, count, frame);
}

static void want(struct bench *b, unsigned port, const struct pr *prs, size_t count) {
  assert_true(b->wants_count + count <= MAX_WANTS);
  for (size_t i = 0; i < count; i++) b->wants[b->wants_count++] = (struct want){.pr = prs[i], .pipe = pipe_of(b, port)};
}

void switch_bench_prs(struct bench *b, unsigned port, bool response, unsigned dest, unsigned len, size_t count,
                      unsigned columns) {
  static uint8_t frame[GATHER_FRAME_ROOM];
  struct pr prs[GATHER_MAX_PRS];
  const size_t most = most_prs(response, len), n = count < most ? count : most;
  switch_bench_frame(b, port, frame, make_prs(b, response, dest, len, n, columns, prs, frame), PortTaken);
  want(b, port, prs, n);
}

void switch_bench_packet(struct bench *b, unsigned port, bool response, unsigned len, unsigned columns) {
  static uint8_t frame[GATHER_FRAME_ROOM];
  struct pr prs[GATHER_MAX_PRS];
  const size_t count = 1 + gather_pick((unsigned)(gather_pick(3) ? most_prs(response, len) : 1));
  const size_t size = make_prs(b, response, gather_pick(b->nodes), len, count, columns, prs, frame);
  unsigned fate = PortTaken;
  switch (gather_pick(20)) {
    case 0:
      frame[60 + gather_pick((unsigned)size - 60)] ^= 1;   // not in the bytes that the ICRC leaves out
      fate = PortBadIcrc;
      break;
    case 1:
      frame[13] = 6;
      fate = PortForeign;
      break;
    case 2: {
      struct roce_packet at;
      put_be32(frame + GATHER_UPPER + 10, (uint32_t)count + 1);
      assert_true(roce_locate(frame, size, &at));
      icrc_put(frame, &at);
      fate = PortBadLength;
      break;
    }
    default: break;
  }
  switch_bench_frame(b, port, frame, size, fate);
  if (fate == PortTaken) want(b, port, prs, count);
}

static void check_frame(struct bench *b, unsigned port) {
  struct pr prs[GATHER_MAX_PRS];
  const uint8_t *f = b->out[port];
  uint8_t mac[6];
  const size_t count = pr_unpack(f, b->out_len[port], prs);
  const unsigned dest = prs[0].dest;
  assert_true(dest < b->nodes);
  mac_of(dest, mac);
  assert_memory_equal(f, mac, 6);
  mac_of(OWN, mac);
  assert_memory_equal(f + 6, mac, 6);
  assert_int_equal(get_be32(f + 26), ip_of(OWN));
  assert_int_equal(get_be32(f + 30), ip_of(dest));
  uint32_t sum = 0;
  for (size_t i = 14; i < 34; i += 2) sum += get_be16(f + i);
  assert_int_equal((sum & 0xFFFF) + (sum >> 16), 0xFFFF);
  assert_true(get_be16(f + 16) <= 1500);
  assert_int_equal(get_be24(f + 47), 0x004753);
  assert_int_equal(get_be32(f + 54), 0x57454952);
  for (size_t i = 0; i < count; i++) {
    assert_true(prs[i].id < b->wants_count);
    struct want *w = &b->wants[prs[i].id];
    assert_false(w->done);
    w->done = true;
    b->left++;
    b->prs_out[prs[i].response]++;
    // A read is in the pipe of the port by which it would have left.
    const unsigned pipe = w->pr.response ? w->pipe : pipe_of(b, port_of(b, false, 0, w->pr.dest));
    assert_int_equal(port_of(b, prs[i].response, pipe, dest), port);
    if (prs[i].response && !w->pr.response) {
      // A read that was turned around.
      w->pr.response = true;
      w->pr.dest = w->pr.src;
      gather_property(w->pr.idx, 0, w->pr.data, w->pr.len);
      b->turned++;
    }
    assert_true(gather_same(&prs[i], &w->pr));
  }
  b->frames_out[port]++;
}

/// What the switch throws away in this cycle.
static void see_thrown(struct bench *b) {
  uint32_t w[WORDS_OF(stopped_obs_t, 4)] = {0};
  dut_get_words(b->dut, "stopped_o", w, WORDS_OF(stopped_obs_t, b->pipes));
  for (unsigned m = 0; m < b->pipes; m++) {
    const size_t at = m * stopped_obs_t__BITS;
    if (!bits_get(w, at + FIELD(stopped_obs_t, valid))) continue;
    b->thrown_frames[bits_get(w, at + FIELD(stopped_obs_t, response))]++;
    b->thrown_prs += bits_get(w, at + FIELD(stopped_obs_t, count));
  }
}

/// Whether a port has a beat to send: of the frame that it has begun, or of one of a class that is not paused, in turn.
static bool next_frame(struct bench *b, unsigned p, uint64_t paused) {
  if (b->in_beat[p] > 0) return true;
  for (unsigned i = 0; i < 2; i++) {
    b->turn[p] = 1 - b->turn[p];
    if (b->in[p][b->turn[p]] < b->count[p][b->turn[p]] && (b->deaf || !(paused >> (2 * p + b->turn[p]) & 1))) return true;
  }
  return false;
}

void switch_bench_cycle(struct bench *b, unsigned idle, unsigned stall) {
  uint32_t data[MAX_PORTS * BEAT_WORDS] = {0}, keep[MAX_PORTS * 2] = {0};
  uint64_t valid = 0, last = 0, ready = 0;
  for (unsigned i = 0; b->pauses_randomly && i < 2 * b->ports; i++) b->pauses ^= (uint32_t)!gather_pick(b->pauses_randomly) << i;
  dut_set(b->dut, "pause_i", b->pauses);
  dut_eval(b->dut);
  const uint64_t paused = dut_get(b->dut, "pause_o");
  for (unsigned p = 0; p < b->ports; p++) {
    if ((!stall || gather_pick(stall)) && !(b->stopped >> p & 1)) ready |= 1u << p;
    if (!next_frame(b, p, paused) || (idle && gather_pick(idle) == 0)) continue;
    const struct frame *f = &b->frames[p][b->turn[p]][b->in[p][b->turn[p]]];
    const size_t at = b->in_beat[p] * GATHER_BEAT, n = f->len - at < GATHER_BEAT ? f->len - at : GATHER_BEAT;
    valid |= 1u << p;
    if (at + n == f->len) last |= 1u << p;
    memcpy(&data[p * BEAT_WORDS], f->data + at, n);
    bits_put(keep, p * 64, 64, n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
  }
  dut_set(b->dut, "s_axis_tvalid", valid);
  dut_set(b->dut, "s_axis_tlast", last);
  dut_set_words(b->dut, "s_axis_tdata", data, b->ports * BEAT_WORDS);
  dut_set_words(b->dut, "s_axis_tkeep", keep, b->ports * 2);
  dut_set(b->dut, "m_axis_tready", ready);
  dut_eval(b->dut);
  const uint64_t taken = dut_get(b->dut, "s_axis_tready") & valid, out = dut_get(b->dut, "m_axis_tvalid") & ready;
  const uint64_t out_last = dut_get(b->dut, "m_axis_tlast");
  if (out) {
    dut_get_words(b->dut, "m_axis_tdata", data, b->ports * BEAT_WORDS);
    dut_get_words(b->dut, "m_axis_tkeep", keep, b->ports * 2);
  }
  for (unsigned p = 0; p < b->ports; p++) {
    if (out >> p & 1) {
      const uint64_t bytes = bits_get(keep, p * 64, 64);
      const size_t n = bytes == UINT64_MAX ? 64 : (size_t)__builtin_ctzll(~bytes);
      assert_true(b->out_len[p] + n <= sizeof b->out[p]);
      memcpy(b->out[p] + b->out_len[p], &data[p * BEAT_WORDS], n);
      b->out_len[p] += n;
      if (out_last >> p & 1) {
        check_frame(b, p);
        b->last_out = dut_cycle(b->dut);
        b->out_len[p] = 0;
      }
    }
    if (taken >> p & 1) {
      b->in_beat[p]++;
      if (last >> p & 1) {
        b->in[p][b->turn[p]]++;
        b->in_beat[p] = 0;
      }
    }
  }
  see_thrown(b);
  dut_tick(b->dut);
}

uint64_t switch_bench_run(struct bench *b, unsigned idle, unsigned stall) {
  const uint64_t start = dut_cycle(b->dut);
  for (bool busy = true; busy;) {
    assert_true(dut_cycle(b->dut) - start < 200000);
    switch_bench_cycle(b, idle, stall);
    busy = false;
    for (unsigned p = 0; p < b->ports; p++) busy |= b->in[p][0] != b->count[p][0] || b->in[p][1] != b->count[p][1];
  }
  const unsigned random = b->pauses_randomly;
  b->pauses_randomly = 0;
  b->pauses = 0;
  const uint64_t in = dut_cycle(b->dut);
  while (dut_cycle(b->dut) - (b->last_out > in ? b->last_out : in) < 5000) switch_bench_cycle(b, 0, 0);
  b->pauses_randomly = random;
  assert_int_equal(b->left, b->wants_count);
  return b->last_out - start;
}

static uint64_t counter(struct bench *b, const char *port, unsigned row, unsigned rows, unsigned which) {
  uint32_t w[MAX_PORTS * NumPortCounters];
  dut_get_words(b->dut, port, w, (unsigned)dut_width(b->dut, port) / 32);
  return w[row * rows + which];
}

uint64_t switch_bench_port(struct bench *b, unsigned port, unsigned which) {
  return counter(b, "count_port_o", port, NumPortCounters, which);
}

uint64_t switch_bench_pipes(struct bench *b, unsigned which) {
  uint64_t sum = 0;
  for (unsigned m = 0; m < b->pipes; m++) sum += counter(b, "count_pipe_o", m, NumPipeCounters, which);
  return sum;
}

void switch_bench_settings(struct bench *b, unsigned delay, unsigned pause_limit) {
  switch_settings(b->dut, delay, 64, b->ports, 0x0200004753FF, ip_of(OWN), pause_limit);
}

void switch_bench_spread(struct bench *b) {
  b->spread = true;
  for (unsigned n = 0; n < b->nodes; n++) {
    const uint64_t mac = 0x020000475300 | n;
    switch_port(b->dut, n, mac, ip_of(n), port_of(b, false, 0, n), true, 0);
    for (unsigned m = 0; m < b->pipes; m++) switch_port(b->dut, n, mac, ip_of(n), port_of(b, true, m, n), false, 1u << m);
  }
}

int switch_bench_setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->dut = dut_new();
  b->ports = (unsigned)dut_width(b->dut, "s_axis_tvalid");
  b->pipes = (unsigned)dut_width(b->dut, "obs_o") / cache_obs_t__BITS;
  b->nodes = b->ports == 4 ? 16 : 10;
  b->wants = calloc(MAX_WANTS, sizeof *b->wants);
  for (unsigned i = 0; i < 2 * b->ports; i++) b->frames[i / 2][i % 2] = calloc(MAX_FRAMES, sizeof(struct frame));
  switch_bench_settings(b, BENCH_DELAY, 0);
  dut_reset(b->dut);
  for (unsigned n = 0; n < b->nodes; n++) switch_node(b->dut, n, 0x020000475300 | n, ip_of(n), port_of(b, false, 0, n));
  while (dut_get(b->dut, "clearing_o")) switch_bench_cycle(b, 0, 0);
  *state = b;
  return 0;
}

int switch_bench_teardown(void **state) {
  struct bench *b = *state;
  for (unsigned c = 0; c < 2 * b->ports; c++) {
    for (size_t i = 0; i < b->count[c / 2][c % 2]; i++) free(b->frames[c / 2][c % 2][i].data);
    free(b->frames[c / 2][c % 2]);
  }
  free(b->wants);
  dut_free(b->dut);
  free(b);
  return 0;
}
