// The switch from frames to frames: every PR leaves once, as it came or as a response from the cache, at the right port, in a
// frame with the right addresses and ICRC; frames that are no gather packets are counted and gone.
// DUT: gather_switch_sized -GNumPorts=4 -GNumPipes=2 -GNumNodes=16 -GCacheSets=4 -GExpiryDepth=128
// DUT: gather_switch_sized -GNumPorts=3 -GNumPipes=1 -GNumNodes=10 -GCacheSets=2 -GVirtual=1'b1 -GVirtualRows=64
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/gather/switch/switch_bench.h"

static void random_traffic(void **state) {
  struct bench *b = *state;
  static const unsigned ways[][3] = {{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {3, 3, 0}, {0, 0, 400}};
  static const unsigned lengths[] = {64, 64, 64, 4, 512};
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
    for (unsigned n = 0; n < 150; n++) {
      for (unsigned p = 0; p < b->ports; p++) switch_bench_packet(b, p, gather_pick(3) == 0, lengths[gather_pick(5)], 600);
    }
    b->pauses_randomly = ways[i][2];
    switch_bench_run(b, ways[i][0], ways[i][1]);
  }
  print_message("%u PRs, %u reads turned around, %u insertions, %u evictions\n", (unsigned)b->left, (unsigned)b->turned,
                (unsigned)switch_bench_pipes(b, PipeInserted), (unsigned)switch_bench_pipes(b, PipeEvicted));
  assert_true(b->turned > 300);
  assert_int_equal(switch_bench_pipes(b, PipeHits), b->turned);
  assert_int_equal(switch_bench_pipes(b, PipePrs), b->wants_count);
  uint64_t packets = 0, sent = 0;
  for (unsigned w = PipeFull; w <= PipeRoom; w++) packets += switch_bench_pipes(b, w);
  for (unsigned p = 0; p < b->ports; p++) {
    for (unsigned f = PortInError; f < PortSent; f++) {
      assert_int_equal(switch_bench_port(b, p, f), b->fates[p][f]);
    }
    assert_int_equal(switch_bench_port(b, p, PortRx), b->count[p][0] + b->count[p][1]);
    assert_int_equal(switch_bench_port(b, p, PortSent), b->frames_out[p]);
    sent += b->frames_out[p];
  }
  assert_int_equal(packets, sent);
}

/// Each table of ports is used for what it is of: reads, and responses in each pipe, hits among them.
static void tables_of_ports(void **state) {
  switch_bench_spread(*state);
  random_traffic(state);
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
    switch_bench_frame(b, step == 1 ? home : here, frame, pr_packet(&pr, 1, frame), PortTaken);
    switch_bench_run(b, 0, 0);
    assert_int_equal(b->turned, step == 2);
  }
}

/// Reads in full packets at all ports to nodes that spread over all ports.
static void rate(void **state) {
  struct bench *b = *state;
  static uint8_t frame[GATHER_FRAME_ROOM];
  struct pr prs[GATHER_MAX_PRS];
  enum { PACKETS = 60, COUNT = 79 };
  switch_bench_settings(b, 120, 0);
  for (unsigned n = 0; n < PACKETS; n++) {
    for (unsigned p = 0; p < b->ports; p++) {
      const unsigned dest = (p + 1) % b->ports;
      for (unsigned i = 0; i < COUNT; i++) {
        gather_random_pr(&prs[i], false, b->nodes, 64);
        prs[i].dest = dest;
        prs[i].id = (uint32_t)b->wants_count;
        b->wants[b->wants_count++] = (struct want){.pr = prs[i]};
      }
      switch_bench_frame(b, p, frame, pr_packet(prs, COUNT, frame), PortTaken);
    }
  }
  const uint64_t used = switch_bench_run(b, 0, 0);
  const double each = PACKETS * COUNT * (double)b->ports / (double)b->pipes / (double)used;
  print_message("%.3f PRs a cycle and pipe\n", each);
  assert_true(each >= 0.95);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(random_traffic, switch_bench_setup, switch_bench_teardown),
                                     cmocka_unit_test_setup_teardown(tables_of_ports, switch_bench_setup, switch_bench_teardown),
                                     cmocka_unit_test_setup_teardown(caches_by_direction, switch_bench_setup,
                                                                     switch_bench_teardown),
                                     cmocka_unit_test_setup_teardown(rate, switch_bench_setup, switch_bench_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
