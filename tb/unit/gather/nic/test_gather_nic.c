// The network interface from lists in memory to frames and back: two units gather at the same time over a network in C that
// answers frame by frame, while other nodes read what the interface serves.
// DUT: gather_nic_sized -GNumNodes=8 -GNumUnits=2 -GIndexBits=20 -GPending=64
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/gather/nic/nic_bench.h"

static void gathers(void **state) {
  struct nic_bench *b = *state;
  enum { COUNT = 3000 };
  for (unsigned round = 0; round < 4; round++) {
    static bool wanted[NIC_COLUMNS];
    memset(wanted, 0, sizeof wanted);
    memset(b->host.filter, 0, NIC_COLUMNS * sizeof *b->host.filter);
    memset(b->host.memory + NIC_DEST, 0, (size_t)NIC_COLUMNS << NIC_STRIDE);
    b->host.stall = round & 1 ? 3 : 0;
    b->stall = round & 2 ? 3 : 0;
    for (unsigned u = 0; u < NIC_UNITS; u++) {
      for (unsigned i = 0; i < COUNT; i++) {
        const uint64_t idx = gather_pick(NIC_COLUMNS);
        memcpy(b->host.memory + NIC_LIST + u * NIC_LIST_ROOM + 8 * (size_t)i, &idx, 8);
        wanted[idx] = true;
      }
    }
    nic_command(b, 3, COUNT);
    for (uint64_t start = dut_cycle(b->dut); b->done[0] <= round || b->done[1] <= round;) {
      assert_true(dut_cycle(b->dut) - start < 300000);
      if (gather_pick(8) == 0 && b->in - b->out < 1000) nic_ask_us(b);
      nic_cycle(b);
    }
    for (unsigned i = 0; i < 20000 || b->in != b->out; i++) nic_cycle(b);
    for (uint64_t idx = 0; idx < NIC_COLUMNS; idx++) {
      uint8_t want[NIC_LEN];
      const bool here = wanted[idx] && idx / NIC_PART != NIC_OWN;
      assert_int_equal(b->host.filter[idx], here);
      gather_property(idx, 0, want, NIC_LEN);
      if (here) assert_memory_equal(b->host.memory + NIC_DEST + (idx << NIC_STRIDE), want, NIC_LEN);
    }
  }
  assert_int_equal(b->answered, b->asked_of_us);
  assert_int_equal(nic_counter(b, NicServed), b->asked_of_us);
  assert_int_equal(nic_counter(b, PortTaken), nic_counter(b, PortRx));
  assert_int_equal(nic_counter(b, PortSent), b->frames_out);
  assert_int_equal(nic_counter(b, NicFull) + nic_counter(b, NicLate) + nic_counter(b, NicLength) + nic_counter(b, NicRoom),
                   b->frames_out);
  assert_true(b->asked_of_us > 1000 && b->requested > 10000);
  print_message("%u reads sent, %u served, %.1f PRs a packet\n", (unsigned)b->requested, (unsigned)b->answered,
                (double)b->prs_out / (double)b->frames_out);
}

/// The network takes nothing any more, and more reads than the server has room for come ahead of the answers: gathers end all the
/// same, or two interfaces that read from each other could wait for each other for ever.
static void responses_pass_blocked_reads(void **state) {
  struct nic_bench *b = *state;
  enum { COUNT = 40 };
  b->flood = 300;
  for (unsigned u = 0; u < NIC_UNITS; u++) {
    for (unsigned i = 0; i < COUNT; i++) {
      const uint64_t idx = (uint64_t)(NIC_OWN + 1 + i % 4) % NIC_NODES * NIC_PART + u * COUNT + i;
      memcpy(b->host.memory + NIC_LIST + u * NIC_LIST_ROOM + 8 * (size_t)i, &idx, 8);
    }
  }
  nic_command(b, 3, COUNT);
  for (unsigned i = 0; i < 5000 && b->requested < NIC_UNITS * COUNT; i++) nic_cycle(b);
  assert_int_equal(b->requested, NIC_UNITS * COUNT);
  b->stall = 1;
  for (unsigned i = 0; i < 20000 && (b->done[0] == 0 || b->done[1] == 0); i++) nic_cycle(b);
  assert_true(b->done[0] == 1 && b->done[1] == 1);
  assert_true(b->asked_of_us > 1000 && b->answered < b->asked_of_us - 200);
  b->stall = 0;
  for (unsigned i = 0; i < 20000; i++) nic_cycle(b);
  assert_int_equal(b->answered, b->asked_of_us);
}

/// A gather that fails while host or filter take nothing from it leaves their ports to the others when they do again.
static void a_gather_that_fails_keeps_no_port(void **state) {
  struct nic_bench *b = *state;
  enum { COUNT = 40, TIMEOUT = 3000 };
  for (unsigned u = 0; u < NIC_UNITS; u++) {
    for (unsigned i = 0; i < COUNT; i++) {
      const uint64_t idx = (uint64_t)(NIC_OWN + 1 + i % 4) % NIC_NODES * NIC_PART + u * COUNT + i;
      memcpy(b->host.memory + NIC_LIST + u * NIC_LIST_ROOM + 8 * (size_t)i, &idx, 8);
    }
  }
  for (unsigned port = 0; port < 4; port++) {
    b->blocked = 1u << port;
    b->may_fail++;
    nic_timeout(b, TIMEOUT);
    nic_command(b, 1, COUNT);
    for (unsigned i = 0; i < TIMEOUT + 500; i++) nic_cycle(b);
    b->blocked = 0;
    nic_timeout(b, 0);
    for (unsigned i = 0; i < 500; i++) nic_cycle(b);
    assert_int_equal(b->failed, b->may_fail);
    const unsigned before = b->done[1];
    memset(b->host.filter, 0, NIC_COLUMNS * sizeof *b->host.filter);
    nic_command(b, 2, COUNT);
    nic_ask_us(b);
    for (unsigned i = 0; i < 5000; i++) nic_cycle(b);
    assert_int_equal(b->done[1], before + 1);
    assert_int_equal(b->answered, b->asked_of_us);
  }
}

/// The pause watchdog: a network that takes nothing, or none of a class, for too long stops nobody for ever. What is to leave is thrown away, told and
/// counted, of that class alone, until the network takes again.
static void a_network_that_stops_is_given_up(void **state) {
  struct nic_bench *b = *state;
  enum { LIMIT = 700, COUNT = 60, READS = 200 };
  for (unsigned way = 0; way < 3; way++) {   // no beat is taken; no reads; no responses
    // If no beat is taken the few reads, sent before the responses, are at the port already, where they stay.
    const unsigned stops = way == 0 ? 2 : 1u << (way - 1);
    uint64_t before[2] = {nic_counter(b, NicStoppedReads), nic_counter(b, NicStoppedResponses)};
    const uint64_t thrown[2] = {b->thrown_prs[0], b->thrown_prs[1]}, requested = b->requested, answered = b->answered;
    for (unsigned i = 0; i < COUNT; i++) {
      const uint64_t idx = (uint64_t)(NIC_OWN + 1 + i % 4) % NIC_NODES * NIC_PART + way * COUNT + i;
      memcpy(b->host.memory + NIC_LIST + 8 * (size_t)i, &idx, 8);
    }
    b->stall = way == 0;
    b->paused = way == 0 ? 0 : stops;
    nic_pause_limit(b, LIMIT);
    b->may_fail++;
    nic_timeout(b, 8 * LIMIT);
    nic_command(b, 1, COUNT);
    for (unsigned i = 0; i < (way == 0 ? 400 : 0); i++) nic_cycle(b);
    for (unsigned i = 0; i < READS; i++) nic_ask_us(b);
    for (unsigned i = 0; i < LIMIT; i++) nic_cycle(b);
    assert_true(b->thrown_prs[0] == thrown[0] && b->thrown_prs[1] == thrown[1]);
    for (unsigned i = 0; i < 9 * LIMIT; i++) nic_cycle(b);
    for (unsigned c = 0; c < 2; c++) {
      assert_int_equal(nic_counter(b, NicStoppedReads + c), before[c] + (stops >> c & 1));
      assert_int_equal(nic_counter(b, NicThrownReads + c), b->thrown[c]);
    }
    assert_true((b->thrown_prs[0] > thrown[0]) == (stops & 1) && (b->thrown_prs[1] > thrown[1]) == (stops >> 1));
    b->stall = 0;
    b->paused = 0;
    nic_timeout(b, 0);
    for (unsigned i = 0; i < 3000; i++) nic_cycle(b);
    assert_int_equal(b->thrown_prs[0] + b->requested, thrown[0] + requested + COUNT);
    assert_int_equal(b->thrown_prs[1] + b->answered, thrown[1] + answered + READS);
    // All is as before for who comes now.
    const uint64_t failed = b->failed;
    nic_command(b, 2, COUNT);
    nic_ask_us(b);
    for (unsigned i = 0; i < 5000; i++) nic_cycle(b);
    assert_true(b->failed == failed && b->answered == answered + READS + 1 - (b->thrown_prs[1] - thrown[1]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(gathers, nic_setup, nic_teardown),
                                     cmocka_unit_test_setup_teardown(responses_pass_blocked_reads, nic_setup, nic_teardown),
                                     cmocka_unit_test_setup_teardown(a_gather_that_fails_keeps_no_port, nic_setup, nic_teardown),
                                     cmocka_unit_test_setup_teardown(a_network_that_stops_is_given_up, nic_setup, nic_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
