// A RIG unit: every property that a list needs is in memory at the end, none is asked for while it is under way, a filter bit is
// never set before its property is there, and a gather whose answer is lost fails once.
// DUT: gather_rig -GNumNodes=8 -GIndexBits=20
// DUT: gather_rig -GNumNodes=5 -GIndexBits=21 -GPending=8 -GLookUps=8
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
#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"
#include "unit/gather/gather_prs.h"
#include "unit/gather/nic/host_port.h"

enum { COLUMNS = 4096, LIST = 0x100000, DEST = 0x200000, MEMORY = 0x1000000, MAX_LIST = 20000, NETWORK = 512, TID = 9 };
struct flight {
  uint64_t due;
  struct pr pr;
};

struct bench {
  uint16_t generation;
  struct dut *dut;
  struct host host;
  unsigned bits;   ///< of an index
  unsigned nodes, own, len, stride, delay, pr_stall, salt;
  struct flight flights[NETWORK];   ///< answers on their way, any order
  size_t flying;
  bool out[COLUMNS];   ///< an index is asked for and not answered
  unsigned asked[COLUMNS];
  struct pr answer;
  size_t answer_beat;
  bool answering;
  unsigned lose;   ///< that many answers get lost
  unsigned came;   ///< answers that the unit has taken
  unsigned done, failed;
};

/// First column of a node: parts of different sizes.
static unsigned first_of(const struct bench *b, unsigned node) {
  return node * (node + 1) * COLUMNS / (b->nodes * (b->nodes + 1));
}

static unsigned node_of(const struct bench *b, uint64_t idx) {
  unsigned node = 0;
  while (node + 1 < b->nodes && idx >= first_of(b, node + 1)) node++;
  return node;
}

static void take_request(struct bench *b, uint64_t now) {
  uint32_t w[WORDS_OF(pr_t, 1)];
  dut_get_words(b->dut, "pr_o", w, WORDS_OF(pr_t, 1));
  struct pr pr = {.len = (unsigned)bits_get(w, FIELD(pr_t, len)),
                  .id = (uint32_t)bits_get(w, FIELD(pr_t, id)),
                  .generation = (uint16_t)bits_get(w, FIELD(pr_t, generation)),
                  .idx = bits_get(w, FIELD(pr_t, idx)),
                  .tid = (uint16_t)bits_get(w, FIELD(pr_t, tid)),
                  .dest = (uint32_t)bits_get(w, FIELD(pr_t, dest)),
                  .src = (uint32_t)bits_get(w, FIELD(pr_t, src)),
                  .response = bits_get(w, FIELD(pr_t, response)) != 0};
  assert_false(pr.response);
  assert_true(pr.idx < COLUMNS && pr.src == b->own && pr.tid == TID && pr.len == b->len && pr.generation == b->generation);
  assert_int_equal(pr.dest, node_of(b, pr.idx));
  assert_int_not_equal(pr.dest, b->own);
  assert_false(b->out[pr.idx]);   // not asked for twice at a time
  b->out[pr.idx] = true;
  b->asked[pr.idx]++;
  assert_true(b->flying < NETWORK);
  pr.response = true;
  pr.dest = pr.src;
  gather_property(pr.idx, b->salt, pr.data, pr.len);
  b->flights[b->flying++] = (struct flight){.due = now + b->delay + gather_pick(b->delay / 2 + 1), .pr = pr};
}

/// An answer that has arrived, if any; a lost one is only taken out.
static void next_answer(struct bench *b, uint64_t now) {
  for (size_t i = 0; i < b->flying && !b->answering; i++) {
    if (b->flights[i].due > now) continue;
    b->answer = b->flights[i].pr;
    b->flights[i] = b->flights[--b->flying];
    b->answer_beat = 0;
    b->answering = !b->lose;
    if (b->lose) b->lose--;
  }
}

static void cycle(struct bench *b) {
  struct dut *d = b->dut;
  const uint64_t now = dut_cycle(d);
  next_answer(b, now);
  dut_set(d, "pr_valid_i", b->answering);
  if (b->answering) gather_set_beat(d, "pr_i", &b->answer, b->answer_beat);
  bool ready[HOST_CHANNELS];
  for (unsigned c = 0; c < HOST_CHANNELS; c++) ready[c] = host_ready(&b->host);
  host_show(&b->host, d, now, ready);
  const bool pr = !b->pr_stall || gather_pick(b->pr_stall);
  dut_set(d, "pr_ready_i", pr);
  dut_set(d, "done_ready_i", 1);
  dut_eval(d);
  uint64_t idx;
  if (host_take(&b->host, d, now, ready, &idx)) {
    uint8_t want[GATHER_MAX_LEN];
    gather_property(idx, b->salt, want, b->len);
    assert_memory_equal(b->host.memory + DEST + (idx << b->stride), want, b->len);   // the bit never lies
    assert_true(b->out[idx]);
    b->out[idx] = false;
  }
  if (pr && dut_get(d, "pr_valid_o")) take_request(b, now);
  if (dut_get(d, "done_valid_o")) {
    b->done++;
    b->failed += dut_get(d, "done_failed_o") != 0;
  }
  if (b->answering && dut_get(d, "pr_ready_o") && ++b->answer_beat == gather_beats(&b->answer)) {
    b->answering = false;
    b->came++;
  }
  dut_tick(d);
}

static uint64_t counter(struct bench *b, unsigned which) {
  uint32_t w[NumRigCounters];
  dut_get_words(b->dut, "count_o", w, NumRigCounters);
  return w[which];
}

/// Starts a gather for `count` indices that stand in memory.
static void command(struct bench *b, uint32_t count) {
  uint32_t w[WORDS_OF(command_t, 1)] = {0};
  bits_put(w, FIELD(command_t, stride), b->stride);
  bits_put(w, FIELD(command_t, len), b->len);
  bits_put(w, FIELD(command_t, count), count);
  bits_put(w, FIELD(command_t, dest), DEST);
  bits_put(w, FIELD(command_t, source), LIST);
  dut_set_words(b->dut, "command_i", w, WORDS_OF(command_t, 1));
  dut_set(b->dut, "command_valid_i", 1);
  dut_set(b->dut, "generation_i", ++b->generation);
  dut_eval(b->dut);
  assert_true(dut_get(b->dut, "command_ready_o"));
  cycle(b);
  dut_set(b->dut, "command_valid_i", 0);
  dut_set(b->dut, "generation_i", 0);   // what has begun is of the generation in which it began
}

static void put_index(struct bench *b, uint32_t i, uint64_t idx) { memcpy(b->host.memory + LIST + 8 * (size_t)i, &idx, 8); }

/// Runs to the end of the gather; returns the cycles.
static uint64_t finish(struct bench *b) {
  const uint64_t start = dut_cycle(b->dut);
  for (const unsigned done = b->done; b->done == done;) {
    assert_true(dut_cycle(b->dut) - start < 1000000);
    cycle(b);
  }
  return dut_cycle(b->dut) - start;
}

static void new_kernel(struct bench *b, unsigned len, unsigned stride) {
  b->len = len;
  b->stride = stride;
  b->salt++;
  memset(b->host.filter, 0, COLUMNS * sizeof *b->host.filter);
  memset(b->asked, 0, sizeof b->asked);
  memset(b->out, 0, sizeof b->out);
}

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  host_init(&b->host, MEMORY, COLUMNS);
  b->dut = dut_new();
  dut_set(b->dut, "tid_i", TID);
  dut_reset(b->dut);
  b->bits = (unsigned)dut_width(b->dut, "first_i");
  b->nodes = b->bits == 20 ? 8 : 5;
  b->own = 2;
  dut_set(b->dut, "own_node_i", b->own);
  for (unsigned n = 0; n < 8; n++) {
    dut_set(b->dut, "first_we_i", 1);
    dut_set(b->dut, "first_node_i", n);
    dut_set(b->dut, "first_i", n < b->nodes ? first_of(b, n) : 0);
    dut_eval(b->dut);
    dut_tick(b->dut);
  }
  dut_set(b->dut, "first_we_i", 0);
  b->delay = 40;
  new_kernel(b, 64, 6);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  host_free(&b->host);
  dut_free(b->dut);
  free(b);
  return 0;
}

static void check_memory(struct bench *b, const bool *wanted, const bool *before) {
  uint8_t want[GATHER_MAX_LEN];
  for (unsigned idx = 0; idx < COLUMNS; idx++) {
    const bool remote = wanted[idx] && node_of(b, idx) != b->own;
    assert_false(b->out[idx]);
    assert_int_equal(b->host.filter[idx], before[idx] || remote);
    assert_int_equal(b->asked[idx] > 0, remote && !before[idx]);
    if (!remote || before[idx]) continue;
    gather_property(idx, b->salt, want, b->len);
    assert_memory_equal(b->host.memory + DEST + ((size_t)idx << b->stride), want, b->len);
  }
}

static void random_lists(void **state) {
  struct bench *b = *state;
  static const unsigned lens[] = {4, 64, 128, 512, 1000, 2}, strides[] = {2, 6, 7, 9, 10, 4};
  for (unsigned run = 0; run < 30; run++) {
    const unsigned count = run == 0  ? 0
                           : run < 4 ? run * 7
                                     : 1 + gather_pick(1500),
                   span = 1 + gather_pick(gather_pick(2) ? COLUMNS : 50);
    static bool wanted[COLUMNS], before[COLUMNS];
    uint64_t old[NumRigCounters], now[NumRigCounters];
    new_kernel(b, lens[run % 6], strides[run % 6]);
    b->host.stall = gather_pick(2) ? 0 : 2 + gather_pick(3);
    b->host.latency = 4 + gather_pick(30);
    b->pr_stall = gather_pick(2) ? 0 : 2 + gather_pick(3);
    b->delay = 5 + gather_pick(100);
    memset(wanted, 0, sizeof wanted);
    for (unsigned i = 0; i < COLUMNS; i++) before[i] = b->host.filter[i] = gather_pick(10) == 0;
    for (unsigned i = 0; i < count; i++) {
      const unsigned idx = gather_pick(span) * (COLUMNS / span);
      put_index(b, i, idx);
      wanted[idx] = true;
    }
    for (unsigned c = 0; c < NumRigCounters; c++) old[c] = counter(b, c);
    const unsigned done = b->done;
    command(b, count);
    finish(b);
    for (unsigned i = 0; i < 50; i++) cycle(b);
    assert_int_equal(b->done, done + 1);
    assert_int_equal(b->failed, 0);
    check_memory(b, wanted, before);
    for (unsigned c = 0; c < NumRigCounters; c++) now[c] = counter(b, c) - old[c];
    assert_int_equal(now[RigFetched], count);
    assert_int_equal(now[RigLocal] + now[RigFiltered] + now[RigCoalesced] + now[RigRequested], count);
    assert_int_equal(now[RigCame], now[RigRequested]);
    assert_int_equal(now[RigTooLate], 0);
  }
  assert_true(counter(b, RigLocal) && counter(b, RigFiltered) && counter(b, RigCoalesced) && counter(b, RigRequested));
}

/// Answers that come twice, or with another index, length or number, change nothing.
static void strange_answers(void **state) {
  struct bench *b = *state;
  put_index(b, 0, 4000);
  command(b, 1);
  while (!b->flying) cycle(b);
  const struct flight right = b->flights[0];
  b->flying = 0;
  for (unsigned i = 0; i < 5; i++) {
    struct flight wrong = right;
    if (i == 0) wrong.pr.id ^= 1;
    if (i == 1) wrong.pr.id ^= 1u << 20;
    if (i == 2) wrong.pr.idx ^= 1;
    if (i == 3) wrong.pr.len -= 2;
    if (i == 4) wrong.pr.idx |= UINT64_C(1) << 40;
    b->flights[b->flying++] = wrong;
  }
  for (unsigned i = 0; i < 300; i++) cycle(b);
  assert_int_equal(b->done, 0);
  assert_int_equal(counter(b, RigTooLate), 5);
  b->flights[b->flying++] = right;
  b->flights[b->flying++] = right;
  finish(b);
  for (unsigned i = 0; i < 100; i++) cycle(b);
  assert_int_equal(counter(b, RigTooLate), 6);
  assert_int_equal(counter(b, RigCame), 1);
}

/// A lost answer: the gather fails once and nothing hangs; what comes later is dropped, and the next gather is served.
static void lost_answer(void **state) {
  struct bench *b = *state;
  dut_set(b->dut, "timeout_i", 2500);
  for (unsigned round = 0; round < 4; round++) {
    new_kernel(b, 128, 7);
    for (unsigned i = 0; i < 200; i++) put_index(b, i, 3000 + i);
    b->lose = 1;
    b->delay = round == 2 ? 3000 : 40;   // all of them too late
    const unsigned failed = b->failed;
    command(b, 200);
    finish(b);
    assert_int_equal(b->failed, failed + 1);
    memset(b->out, 0, sizeof b->out);
    b->delay = 40;
    b->lose = 0;
    const uint64_t late = counter(b, RigTooLate);
    new_kernel(b, 64, 6);
    for (unsigned i = 0; i < 20; i++) put_index(b, i, 3000 + i);
    command(b, 20);
    finish(b);
    assert_int_equal(b->failed, failed + 1);
    for (unsigned i = 0; i < 6000; i++) cycle(b);
    assert_int_equal(b->flying, 0);
    assert_int_equal(counter(b, RigTooLate) > late, round == 2);
    assert_int_equal(b->done, 2 * (round + 1));
  }
}

/// Time is over in the middle of things: nothing of a failed gather reaches the next one, and each of its answers is counted once, be
/// it written, under way to memory or in front of it.
static void stopped_midway(void **state) {
  struct bench *b = *state;
  static bool wanted[COLUMNS], before[COLUMNS];
  b->host.latency = 30;
  for (unsigned round = 0; round < 60; round++) {
    new_kernel(b, round % 3 ? 64 : 200, 8);
    for (unsigned i = 0; i < 2000; i++) put_index(b, i, gather_pick(COLUMNS));
    // Every bit is set, so that an answer that is left over would be taken for an index that is here already.
    for (unsigned i = 0; i < COLUMNS; i++) b->host.filter[i] = round % 2;
    dut_set(b->dut, "timeout_i", 10 + gather_pick(300));
    command(b, 2000);
    finish(b);
    assert_int_equal(b->failed, round + 1);
    b->flying = 0;
    new_kernel(b, 64, 6);
    memset(wanted, 0, sizeof wanted);
    for (unsigned i = 0; i < 50; i++) {
      const unsigned idx = gather_pick(COLUMNS);
      put_index(b, i, idx);
      wanted[idx] = true;
    }
    dut_set(b->dut, "timeout_i", 0);
    command(b, 50);
    finish(b);
    check_memory(b, wanted, before);
    assert_int_equal(counter(b, RigCame) + counter(b, RigTooLate), b->came);
  }
}

/// An index that is too large fails the gather and is not taken for another one.
static void wrong_index(void **state) {
  struct bench *b = *state;
  for (unsigned i = 0; i < 10; i++) put_index(b, i, 3000 + i);
  put_index(b, 5, (UINT64_C(1) << b->bits) + 5);
  command(b, 10);
  finish(b);
  assert_int_equal(b->failed, 1);
  assert_int_equal(counter(b, RigRequested), 9);
}

/// One index a cycle while nothing is full.
static void rate(void **state) {
  struct bench *b = *state;
  enum { COUNT = 12000 };
  b->host.latency = 20;
  b->delay = 60;
  for (unsigned kind = 0; kind < 2; kind++) {
    new_kernel(b, 64, 6);
    // All different, or each one four times.
    for (unsigned i = 0; i < COUNT; i++) put_index(b, i, kind ? 1000 + i / 4 % 3000 : 1300 + i % 2796);
    const uint64_t full = counter(b, RigWaitPending) + counter(b, RigWaitLook) + counter(b, RigWaitPr);
    command(b, COUNT);
    const uint64_t used = finish(b), waits = counter(b, RigWaitPending) + counter(b, RigWaitLook) + counter(b, RigWaitPr) - full;
    print_message("%.3f indices a cycle, %u cycles of waiting\n", COUNT / (double)used, (unsigned)waits);
    if (!waits) assert_true(COUNT / (double)used >= 0.95);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(random_lists, setup, teardown),
                                     cmocka_unit_test_setup_teardown(strange_answers, setup, teardown),
                                     cmocka_unit_test_setup_teardown(lost_answer, setup, teardown),
                                     cmocka_unit_test_setup_teardown(stopped_midway, setup, teardown),
                                     cmocka_unit_test_setup_teardown(wrong_index, setup, teardown),
                                     cmocka_unit_test_setup_teardown(rate, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
