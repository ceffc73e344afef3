// The switch from frames to frames: every PR leaves once, as it came or as a response from the cache, at the right port, in a
// frame with the right addresses and ICRC; frames that are no gather packets are counted and gone.
// DUT: gather_switch_sized -GNumPorts=4 -GNumPipes=2 -GNumNodes=16 -GCacheSets=4 -GExpiryDepth=128
// DUT: gather_switch_sized -GNumPorts=3 -GNumPipes=1 -GNumNodes=10 -GCacheSets=2 -GVirtual=1'b1 -GVirtualRows=64
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/gather_pkg.h"
#include "unit/gather/gather_prs.h"
#include "unit/gather/switch/switch_tables.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { MAX_PORTS = 4, MAX_NODES = 16, BEAT_WORDS = 16, MAX_FRAMES = 3000, MAX_WANTS = 60000, DELAY = 60 };

struct frame {
  uint8_t *data;
  size_t len;
  unsigned fate;
};

struct want {
  struct pr pr;
  bool done;
};

struct bench {
  struct dut *dut;
  unsigned ports, pipes, nodes;
  struct frame *frames[MAX_PORTS];   ///< to be sent
  size_t count[MAX_PORTS], in[MAX_PORTS], in_beat[MAX_PORTS];
  struct want *wants;   ///< PRs that were sent
  size_t wants_count, left;
  uint8_t out[MAX_PORTS][2048];   ///< frames that leave
  size_t out_len[MAX_PORTS];
  uint64_t last_out, turned, frames_out[MAX_PORTS], fates[MAX_PORTS][NumPortCounters];
};

static void mac_of(unsigned node, uint8_t mac[6]) {
  const uint8_t m[6] = {2, 0, 0, 0x47, 0x53, (uint8_t)node};
  memcpy(mac, m, 6);
}

static uint32_t ip_of(unsigned node) { return 0x0A470000u + node; }

static unsigned port_of(const struct bench *b, unsigned node) { return node % b->ports; }

static void add_frame(struct bench *b, unsigned port, const uint8_t *data, size_t len, unsigned fate) {
  assert_true(b->count[port] < MAX_FRAMES);
  struct frame *f = &b->frames[port][b->count[port]++];
  *f = (struct frame){.data = malloc(len), .len = len, .fate = fate};
  memcpy(f->data, data, len);
  b->fates[port][fate]++;
}

/// A packet from the nodes behind `port`; requesters of what it asks for, and of what it brings, are where packets go to.
static void add_packet(struct bench *b, unsigned port, bool response, unsigned len, unsigned columns) {
  static uint8_t frame[GATHER_FRAME_ROOM];
  struct pr prs[GATHER_MAX_PRS];
  const size_t max = (1500 - 66) / (18 + (response ? len : 0)), count = 1 + gather_pick((unsigned)(gather_pick(3) ? max : 1));
  const unsigned dest = gather_pick(b->nodes);
  for (size_t i = 0; i < count; i++) {
    gather_random_pr(&prs[i], response, b->nodes, len);
    prs[i].dest = dest;
    if (response) prs[i].src = dest;
    prs[i].idx = gather_pick(columns);
    if (response) gather_property(prs[i].idx, 0, prs[i].data, len);
    prs[i].id = (uint32_t)(b->wants_count + i);   // so that it is found again
  }
  size_t size = pr_packet(prs, count, frame);
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
  add_frame(b, port, frame, size, fate);
  for (size_t i = 0; fate == PortTaken && i < count; i++) {
    assert_true(b->wants_count < MAX_WANTS);
    b->wants[b->wants_count++] = (struct want){.pr = prs[i]};
  }
}

static void check_frame(struct bench *b, unsigned port) {
  struct pr prs[GATHER_MAX_PRS];
  const uint8_t *f = b->out[port];
  uint8_t mac[6];
  const size_t count = pr_unpack(f, b->out_len[port], prs);
  const unsigned dest = prs[0].dest;
  assert_true(dest < b->nodes && port_of(b, dest) == port);
  mac_of(dest, mac);
  assert_memory_equal(f, mac, 6);
  mac_of(0xFF, mac);
  assert_memory_equal(f + 6, mac, 6);
  assert_int_equal(get_be32(f + 26), ip_of(0xFF));
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

static void cycle(struct bench *b, unsigned idle, unsigned stall) {
  uint32_t data[MAX_PORTS * BEAT_WORDS] = {0}, keep[MAX_PORTS * 2] = {0};
  uint64_t valid = 0, last = 0, ready = 0;
  for (unsigned p = 0; p < b->ports; p++) {
    if (!stall || gather_pick(stall)) ready |= 1u << p;
    if (b->in[p] == b->count[p] || (idle && gather_pick(idle) == 0)) continue;
    const struct frame *f = &b->frames[p][b->in[p]];
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
        b->in[p]++;
        b->in_beat[p] = 0;
      }
    }
  }
  dut_tick(b->dut);
}

/// Runs until all frames are in and nothing comes out any more. Returns the cycles until the last frame was out.
static uint64_t run(struct bench *b, unsigned idle, unsigned stall) {
  const uint64_t start = dut_cycle(b->dut);
  for (bool busy = true; busy;) {
    assert_true(dut_cycle(b->dut) - start < 1000000);
    cycle(b, idle, stall);
    busy = false;
    for (unsigned p = 0; p < b->ports; p++) busy |= b->in[p] != b->count[p];
  }
  for (unsigned i = 0; i < 3000; i++) cycle(b, 0, 0);
  assert_int_equal(b->left, b->wants_count);
  return b->last_out - start;
}

static uint64_t counter(struct bench *b, const char *port, unsigned row, unsigned rows, unsigned which) {
  uint32_t w[MAX_PORTS * NumPortCounters];
  dut_get_words(b->dut, port, w, MAX_PORTS * NumPortCounters);
  return w[row * rows + which];
}

static uint64_t pipe_sum(struct bench *b, unsigned which) {
  uint64_t sum = 0;
  for (unsigned m = 0; m < b->pipes; m++) sum += counter(b, "count_pipe_o", m, NumPipeCounters, which);
  return sum;
}

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->dut = dut_new();
  b->ports = (unsigned)dut_width(b->dut, "s_axis_tvalid");
  b->pipes = (unsigned)dut_width(b->dut, "obs_o") / cache_obs_t__BITS;
  b->nodes = b->ports == 4 ? 16 : 10;
  b->wants = calloc(MAX_WANTS, sizeof *b->wants);
  for (unsigned p = 0; p < b->ports; p++) b->frames[p] = calloc(MAX_FRAMES, sizeof *b->frames[p]);
  switch_settings(b->dut, DELAY, 64, b->ports, 0x0200004753FF, ip_of(0xFF));
  dut_reset(b->dut);
  for (unsigned n = 0; n < b->nodes; n++) switch_node(b->dut, n, 0x020000475300 | n, ip_of(n), port_of(b, n));
  while (dut_get(b->dut, "clearing_o")) cycle(b, 0, 0);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  for (unsigned p = 0; p < b->ports; p++) {
    for (size_t i = 0; i < b->count[p]; i++) free(b->frames[p][i].data);
    free(b->frames[p]);
  }
  free(b->wants);
  dut_free(b->dut);
  free(b);
  return 0;
}

static void random_traffic(void **state) {
  struct bench *b = *state;
  static const unsigned ways[][2] = {{0, 0}, {3, 0}, {0, 2}, {3, 3}};
  static const unsigned lengths[] = {64, 64, 64, 4, 512};
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
    for (unsigned n = 0; n < 150; n++) {
      for (unsigned p = 0; p < b->ports; p++) add_packet(b, p, gather_pick(3) == 0, lengths[gather_pick(5)], 600);
    }
    run(b, ways[i][0], ways[i][1]);
  }
  print_message("%u PRs, %u reads turned around, %u insertions, %u evictions\n", (unsigned)b->left, (unsigned)b->turned,
                (unsigned)pipe_sum(b, PipeInserted), (unsigned)pipe_sum(b, PipeEvicted));
  assert_true(b->turned > 300);
  assert_int_equal(pipe_sum(b, PipeHits), b->turned);
  assert_int_equal(pipe_sum(b, PipePrs), b->wants_count);
  uint64_t packets = 0, sent = 0;
  for (unsigned w = PipeFull; w <= PipeRoom; w++) packets += pipe_sum(b, w);
  for (unsigned p = 0; p < b->ports; p++) {
    for (unsigned f = PortInError; f < PortSent; f++) {
      assert_int_equal(counter(b, "count_port_o", p, NumPortCounters, f), b->fates[p][f]);
    }
    assert_int_equal(counter(b, "count_port_o", p, NumPortCounters, PortRx), b->count[p]);
    assert_int_equal(counter(b, "count_port_o", p, NumPortCounters, PortSent), b->frames_out[p]);
    sent += b->frames_out[p];
  }
  assert_int_equal(packets, sent);
}

/// A read finds what a response from the direction that it goes to has left, and nobody else's (NetSparse 6.2.1).
static void caches_by_direction(void **state) {
  struct bench *b = *state;
  static uint8_t frame[GATHER_FRAME_ROOM];
  const unsigned home = b->ports - 1, here = 0;   // nodes behind the ports of the same number
  struct pr pr;
  for (unsigned step = 0; step < 3; step++) {
    gather_random_pr(&pr, step == 1, b->nodes, 64);
    pr.idx = 77;
    pr.src = here;
    pr.dest = step == 1 ? here : home;
    gather_property(pr.idx, 0, pr.data, 64);
    pr.id = (uint32_t)b->wants_count;
    b->wants[b->wants_count++] = (struct want){.pr = pr};
    add_frame(b, step == 1 ? home : here, frame, pr_packet(&pr, 1, frame), PortTaken);
    run(b, 0, 0);
    assert_int_equal(b->turned, step == 2);
  }
}

/// Reads in full packets at all ports to nodes that spread over all ports.
static void rate(void **state) {
  struct bench *b = *state;
  static uint8_t frame[GATHER_FRAME_ROOM];
  struct pr prs[GATHER_MAX_PRS];
  enum { PACKETS = 60, COUNT = 79 };
  switch_settings(b->dut, 120, 64, b->ports, 0x0200004753FF, ip_of(0xFF));
  for (unsigned n = 0; n < PACKETS; n++) {
    for (unsigned p = 0; p < b->ports; p++) {
      const unsigned dest = (p + 1) % b->ports;
      for (unsigned i = 0; i < COUNT; i++) {
        gather_random_pr(&prs[i], false, b->nodes, 64);
        prs[i].dest = dest;
        prs[i].id = (uint32_t)b->wants_count;
        b->wants[b->wants_count++] = (struct want){.pr = prs[i]};
      }
      add_frame(b, p, frame, pr_packet(prs, COUNT, frame), PortTaken);
    }
  }
  const uint64_t used = run(b, 0, 0);
  const double each = PACKETS * COUNT * (double)b->ports / (double)b->pipes / (double)used;
  print_message("%.3f PRs a cycle and pipe\n", each);
  assert_true(each >= 0.95);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(random_traffic, setup, teardown),
                                     cmocka_unit_test_setup_teardown(caches_by_direction, setup, teardown),
                                     cmocka_unit_test_setup_teardown(rate, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
