// Reads and responses are two classes in the switch: neither waits for the other, nor for other ports; whose receiver stops is
// given up, and who sends while he is asked to pause loses whole packets, by name.
// DUT: gather_switch_sized -GNumPorts=4 -GNumPipes=2 -GNumNodes=16 -GCacheSets=4 -GExpiryDepth=128
// DUT: gather_switch_sized -GNumPorts=3 -GNumPipes=1 -GNumNodes=10 -GCacheSets=2 -GVirtual=1'b1 -GVirtualRows=64
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/gather/switch/switch_bench.h"

enum {
  READS = 79,       // PRs of a full packet of reads
  RESPONSES = 17,   // and of responses of 64 bytes
  PACKETS = 60,     // of each class at a port: more than the switch has room for
  LONG = 24000,     // cycles, more than all of these take
};

/// One class at all ports.
static uint32_t everywhere(const struct bench *b, bool response) {
  return (response ? 0xAAu : 0x55u) & ((1u << 2 * b->ports) - 1);
}

/// Nobody pauses any more, and all that is still inside leaves.
static void rest(struct bench *b) {
  b->pauses = 0;
  switch_bench_run(b, 0, 0);
}

static void cycles(struct bench *b, unsigned count) {
  for (unsigned i = 0; i < count; i++) switch_bench_cycle(b, 0, 0);
}

/// Full packets of a class at each port, to nodes behind all ports in turn.
static void load(struct bench *b, bool response, unsigned columns) {
  for (unsigned n = 0; n < PACKETS; n++)
    for (unsigned p = 0; p < b->ports; p++)
      switch_bench_prs(b, p, response, (p + n) % b->nodes, 64, response ? RESPONSES : READS, columns);
}

/// PRs of a class that have come and not left, if none changed its class.
static uint64_t missing(const struct bench *b, bool response) {
  return (uint64_t)PACKETS * b->ports * (response ? RESPONSES : READS) - b->prs_out[response];
}

/// Nobody takes reads, and more of them come than there is room for: all responses leave.
static void responses_pass_paused_reads(void **state) {
  struct bench *b = *state;
  b->pauses = everywhere(b, false);
  load(b, false, UINT32_MAX);
  load(b, true, UINT32_MAX);
  cycles(b, LONG);
  assert_int_equal(missing(b, true), 0);
  assert_int_equal(b->prs_out[0], 0);
  assert_true(b->in[0][0] < PACKETS);   // it was full of reads
  rest(b);
}

/// Nobody takes responses: all reads leave, also those whose properties are here.
static void reads_pass_paused_responses(void **state) {
  struct bench *b = *state;
  load(b, true, 8);
  switch_bench_run(b, 0, 0);
  for (unsigned c = 0; c < 2; c++) b->prs_out[c] = 0;
  b->pauses = everywhere(b, true);
  load(b, true, 8);
  cycles(b, LONG);
  load(b, false, 8);
  cycles(b, LONG);
  assert_int_equal(b->prs_out[1], 0);
  // As many as there was room for have turned, and wait.
  print_message("%u of %u reads have turned, %u were not looked up\n", (unsigned)missing(b, false), PACKETS * b->ports * READS,
                (unsigned)switch_bench_pipes(b, PipeNotTurned));
  assert_true(switch_bench_pipes(b, PipeNotTurned) > missing(b, false));
  assert_int_equal(missing(b, false), switch_bench_pipes(b, PipeHits));
  rest(b);
}

/// Reads of port 1 to a port that takes none: those of other ports to other ports leave, with all responses.
static void other_ports_pass_a_paused_one(void **state) {
  struct bench *b = *state;
  const unsigned last = b->ports - 1;
  b->pauses = 1;
  for (unsigned n = 0; n < PACKETS; n++) {
    switch_bench_prs(b, 1, false, 0, 64, READS, UINT32_MAX);
    switch_bench_prs(b, last, false, 1, 64, READS, UINT32_MAX);
    switch_bench_prs(b, 0, false, last, 64, READS, UINT32_MAX);
    switch_bench_prs(b, 1, true, 0, 64, RESPONSES, UINT32_MAX);
  }
  cycles(b, LONG);
  assert_int_equal(b->prs_out[0], 2 * PACKETS * READS);
  assert_int_equal(b->prs_out[1], PACKETS * RESPONSES);
  rest(b);
}

/// A receiver that takes nothing any more, in the middle of a frame or by pausing: what is for it is thrown away after the time that
/// it is given, and all else goes on. When it takes again nothing is lost any more.
static void stopped(struct bench *b, uint32_t port, uint32_t pauses) {
  enum { LIMIT = 700 };
  switch_bench_settings(b, BENCH_DELAY, LIMIT);
  load(b, false, UINT32_MAX);
  load(b, true, UINT32_MAX);
  cycles(b, 300);
  b->stopped = port;
  b->pauses = pauses;
  cycles(b, LONG);
  for (unsigned p = 0; p < b->ports; p++)
    for (unsigned c = 0; c < 2; c++) assert_int_equal(b->in[p][c], b->count[p][c]);
  assert_int_equal(switch_bench_pipes(b, PipeThrownReads), b->thrown_frames[0]);
  assert_int_equal(switch_bench_pipes(b, PipeThrownResponses), b->thrown_frames[1]);
  for (unsigned c = 0; c < 2; c++) {
    const bool should = port != 0 || (pauses >> c & 1) != 0;
    assert_int_equal(b->thrown_frames[c] > 0, should);
    assert_int_equal(switch_bench_port(b, 0, PortStoppedReads + c), should);
    assert_int_equal(switch_bench_port(b, 1, PortStoppedReads + c), 0);
  }
  b->stopped = 0;
  b->pauses = 0;
  cycles(b, 2000);
  assert_int_equal(b->left + b->thrown_prs, b->wants_count);
  // From now on everything comes.
  const size_t lost = b->wants_count - b->left;
  load(b, false, UINT32_MAX);
  cycles(b, LONG);
  assert_int_equal(b->wants_count - b->left, lost);
  assert_int_equal(b->thrown_prs, lost);
}

static void a_port_that_stops(void **state) { stopped(*state, 1, 0); }
static void a_port_that_pauses_reads(void **state) { stopped(*state, 0, 1); }
static void a_port_that_pauses_responses(void **state) { stopped(*state, 0, 2); }

/// Without a limit nothing is ever thrown away.
static void no_limit(void **state) {
  struct bench *b = *state;
  load(b, false, UINT32_MAX);
  b->stopped = 1;
  cycles(b, LONG);
  b->stopped = 0;
  rest(b);
  assert_int_equal(b->thrown_prs, 0);
}

/// Whole packets are lost of who sends although he is asked to pause, and counted; of others nothing.
static void who_does_not_pause(void **state) {
  enum { MANY = 400, FEW = 10 };
  struct bench *b = *state;
  b->deaf = true;
  b->pauses = everywhere(b, false) | everywhere(b, true);
  for (unsigned n = 0; n < MANY; n++) {
    switch_bench_prs(b, 0, false, n % b->nodes, 64, FEW, UINT32_MAX);
    switch_bench_prs(b, 0, true, n % b->nodes, 64, FEW, UINT32_MAX);
  }
  cycles(b, LONG);
  b->pauses = 0;
  cycles(b, LONG);
  const uint64_t reads = switch_bench_port(b, 0, PortNoRoomReads), responses = switch_bench_port(b, 0, PortNoRoomResponses);
  print_message("%u packets of reads, %u of responses had no room\n", (unsigned)reads, (unsigned)responses);
  assert_true(reads > 0 && responses > 0);
  assert_int_equal(b->prs_out[0], (MANY - reads) * FEW);
  assert_int_equal(b->prs_out[1], (MANY - responses) * FEW);
}

#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, switch_bench_setup, switch_bench_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {BENCH_TEST(responses_pass_paused_reads),
                                     BENCH_TEST(reads_pass_paused_responses),
                                     BENCH_TEST(other_ports_pass_a_paused_one),
                                     BENCH_TEST(a_port_that_stops),
                                     BENCH_TEST(a_port_that_pauses_reads),
                                     BENCH_TEST(a_port_that_pauses_responses),
                                     BENCH_TEST(no_limit),
                                     BENCH_TEST(who_does_not_pause)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
