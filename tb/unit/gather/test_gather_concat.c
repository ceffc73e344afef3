// Concatenation: every PR leaves once, in the order of its queue, in a packet that was closed for a reason that holds.
// DUT: gather_concat -GNumNodes=8
// DUT: gather_concat -GNumNodes=8 -GVirtual=1'b1 -GVirtualRows=512
// DUT: gather_concat -GNumNodes=8 -GVirtual=1'b1 -GVirtualRows=32
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
#include "wire/bytes.h"

enum { NODES = 8, QUEUES = 2 * NODES, LIMIT = 1446, START = 12, MAX_PRS = 2000, MAX_CLOSED = 64, PR = 18 };
/// Cycles of the pipelines from the time of a lone packet until it is seen closed.
enum { LATEST = 9 };
enum reason { FULL, LATE, LENGTH, ROOM, REASONS };

struct want {
  struct pr pr;
  uint64_t at;   ///< cycle in which its first beat was taken
};

/// PRs of one type and destination that are inside, oldest first.
struct queue {
  struct want *wants;
  size_t head, tail;
};

struct closed {
  uint64_t at;
  enum reason reason;
};

struct bench {
  struct dut *dut;
  unsigned delay;
  struct queue queues[QUEUES];
  struct closed closed[MAX_CLOSED];   ///< ring: packets that were closed and have not begun to leave
  size_t closed_in, closed_out;
  uint8_t *packet;   ///< the one that leaves
  size_t stop, got, beats;
  struct pr head;   ///< what its PRs have in common
  size_t count;
  enum reason reason;
  uint64_t stalls;   ///< cycles in which a PR waited for storage
  uint64_t closed_at, latest, packets, left, reasons[REASONS];
  size_t last_count;
};

static size_t pr_bytes(const struct pr *pr) { return PR + (pr->response ? pr->len : 0); }

static void check_packet(struct bench *b) {
  struct queue *q = &b->queues[(b->head.response ? NODES : 0) + b->head.dest];
  size_t at = START;
  assert_true(b->count >= 1 && q->tail - q->head >= b->count);
  const struct want *first = &q->wants[q->head];
  for (size_t i = 0; i < b->count; i++, q->head++) {
    const struct want *w = &q->wants[q->head];
    const uint8_t *p = b->packet + at;
    struct pr pr = {.response = b->head.response,
                    .src = get_be32(p),
                    .dest = b->head.dest,
                    .tid = get_be16(p + 4),
                    .idx = (uint64_t)get_be32(p + 6) << 32 | get_be32(p + 10),
                    .id = get_be32(p + 14),
                    .generation = b->head.generation,
                    .len = b->head.len};
    if (pr.response) memcpy(pr.data, p + PR, pr.len);
    if (!gather_same(&pr, &w->pr)) {
      fail_msg("PR %zu of %zu of a packet: response %d len %u src %x idx %llx instead of len %u src %x idx %llx", i, b->count,
               pr.response, pr.len, pr.src, (unsigned long long)pr.idx, w->pr.len, w->pr.src, (unsigned long long)w->pr.idx);
    }
    at += pr_bytes(&pr);
  }
  assert_int_equal(at, b->stop);
  assert_true(at <= LIMIT);
  const bool is_full = at + pr_bytes(&b->head) > LIMIT;
  switch (b->reason) {
    case FULL: assert_true(is_full); break;
    case LATE: {
      assert_false(is_full);
      // A beat that is taken reaches its queue one cycle later.
      const uint64_t due = first->at + 1 + b->delay;
      assert_true(b->closed_at >= due);
      if (b->closed_at - due > b->latest) b->latest = b->closed_at - due;
      break;
    }
    case LENGTH: {
      assert_true(q->head < q->tail);
      const struct pr *next = &q->wants[q->head].pr;
      assert_true(next->len != b->head.len || next->generation != b->head.generation);
      break;
    }
    default: assert_true(b->stalls > 0); break;
  }
  b->reasons[b->reason]++;
  b->packets++;
  b->left += b->count;
  b->last_count = b->count;
}

static void note_close(struct bench *b, uint64_t closed, enum reason reason) {
  if (!closed) return;
  assert_true(b->closed_in - b->closed_out < MAX_CLOSED);
  b->closed[b->closed_in++ % MAX_CLOSED] = (struct closed){.at = dut_cycle(b->dut), .reason = reason};
}

/// Takes what leaves in this cycle; `take` says whether outputs are ready.
static void watch(struct bench *b, bool take) {
  uint32_t w[WORDS_OF(packet_beat_t, 1)];
  uint32_t obs[WORDS_OF(concat_obs_t, 1)];
  dut_get_words(b->dut, "obs_o", obs, WORDS_OF(concat_obs_t, 1));
  note_close(b, bits_get(obs, FIELD(concat_obs_t, full)), FULL);
  note_close(b, bits_get(obs, FIELD(concat_obs_t, late)), LATE);
  note_close(b, bits_get(obs, FIELD(concat_obs_t, other_len)), LENGTH);
  note_close(b, bits_get(obs, FIELD(concat_obs_t, for_room)), ROOM);
  b->stalls += bits_get(obs, FIELD(concat_obs_t, stall_pool));
  const bool begins = take && !b->beats && dut_get(b->dut, "packet_valid_o");
  if (take && b->beats && dut_get(b->dut, "data_valid_o")) {
    dut_get_words(b->dut, "data_o", w, WORDS_OF(packet_beat_t, 1));
    bits_get_bytes(w, FIELD(packet_beat_t, data), b->packet + b->got);
    b->got += GATHER_BEAT;
    b->beats--;
    assert_int_equal(bits_get(w, FIELD(packet_beat_t, last)), b->beats == 0);
    if (!b->beats) check_packet(b);
  }
  if (begins) {
    assert_true(b->closed_out < b->closed_in);
    dut_get_words(b->dut, "packet_o", w, WORDS_OF(closed_t, 1));
    b->stop = bits_get(w, FIELD(closed_t, stop));
    b->count = bits_get(w, FIELD(closed_t, count));
    b->head = (struct pr){.response = bits_get(w, FIELD(closed_t, response)) != 0,
                          .dest = (uint32_t)bits_get(w, FIELD(closed_t, dest)),
                          .generation = (uint16_t)bits_get(w, FIELD(closed_t, generation)),
                          .len = (unsigned)bits_get(w, FIELD(closed_t, len))};
    assert_true(b->head.dest < NODES && b->stop <= LIMIT);
    // What the packet has behind its PRs up to the ICRC is in the beats too.
    b->beats = (b->stop + (b->stop % 4 ? 0 : 2) + GATHER_BEAT - 1) / GATHER_BEAT;
    b->got = 0;
    b->reason = b->closed[b->closed_out % MAX_CLOSED].reason;
    b->closed_at = b->closed[b->closed_out++ % MAX_CLOSED].at;
  }
}

/// One cycle in which beat `beat` of `pr` is offered (NULL: nothing). True if it was taken.
static bool cycle(struct bench *b, const struct pr *pr, size_t beat, bool take) {
  dut_set(b->dut, "pr_valid_i", pr != NULL);
  if (pr) gather_set_beat(b->dut, "pr_i", pr, beat);
  dut_set(b->dut, "packet_ready_i", take && !b->beats);
  dut_set(b->dut, "data_ready_i", take && b->beats);
  dut_eval(b->dut);
  watch(b, take);
  const bool taken = pr && dut_get(b->dut, "pr_ready_o");
  if (taken && beat == 0) {
    struct queue *q = &b->queues[(pr->response ? NODES : 0) + pr->dest];
    assert_true(q->tail < MAX_PRS);
    q->wants[q->tail++] = (struct want){.pr = *pr, .at = dut_cycle(b->dut)};
  }
  dut_tick(b->dut);
  return taken;
}

/// Sends a PR; outputs stand still one time in `stall` (0: never). Returns the cycles it took.
static uint64_t send(struct bench *b, const struct pr *pr, unsigned stall) {
  const uint64_t start = dut_cycle(b->dut);
  for (size_t beat = 0; beat < gather_beats(pr);) {
    assert_true(dut_cycle(b->dut) - start < 20000);
    // Also inside a PR nothing may come for a while.
    while (stall && gather_pick(4) == 0) cycle(b, NULL, 0, true);
    if (cycle(b, pr, beat, !stall || gather_pick(stall))) beat++;
  }
  return dut_cycle(b->dut) - start;
}

static void idle(struct bench *b, unsigned cycles) {
  while (cycles--) cycle(b, NULL, 0, true);
}

/// Waits until nothing is inside any more.
static void finish(struct bench *b) {
  idle(b, b->delay + 2000);
  assert_true(dut_get(b->dut, "idle_o"));
  assert_int_equal(b->beats, 0);
  assert_int_equal(b->closed_in, b->closed_out);
  for (size_t i = 0; i < QUEUES; i++) {
    assert_int_equal(b->queues[i].head, b->queues[i].tail);
    b->queues[i].head = b->queues[i].tail = 0;
  }
}

static void set_delay(struct bench *b, unsigned delay) {
  b->delay = delay;
  b->latest = b->packets = b->left = b->stalls = 0;
  memset(b->reasons, 0, sizeof b->reasons);
  dut_set(b->dut, "delay_i", delay);
  idle(b, 10);
}

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  for (size_t i = 0; i < QUEUES; i++) b->queues[i].wants = calloc(MAX_PRS, sizeof(struct want));
  b->packet = calloc(1, 4096);
  b->dut = dut_new();
  dut_reset(b->dut);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  for (size_t i = 0; i < QUEUES; i++) free(b->queues[i].wants);
  free(b->packet);
  dut_free(b->dut);
  free(b);
  return 0;
}

/// The paper's counts at an MTU of 1500: 79 reads, 65/17/2/1 responses of 1, 16, 128, 256 elements.
static void full_packets(void **state) {
  struct bench *b = *state;
  static const struct {
    bool response;
    unsigned len, count;
  } kinds[] = {{false, 64, 79}, {true, 4, 65}, {true, 64, 17}, {true, 512, 2}, {true, 1024, 1}};
  set_delay(b, 500);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    uint64_t cycles = 0;
    const uint64_t before = b->packets;
    for (unsigned i = 0; i < 20 * kinds[k].count; i++) {
      struct pr pr;
      gather_random_pr(&pr, kinds[k].response, NODES, kinds[k].len);
      pr.dest = 3;
      cycles += send(b, &pr, 0);
    }
    finish(b);
    // A pool of two packets closes early what an ample one fills.
    assert_true(b->packets - before == 20 || b->reasons[ROOM] > 0);
    if (!b->stalls) assert_int_equal(b->last_count, kinds[k].count);
    const double beats = kinds[k].response ? (kinds[k].len + 63) / 64 : 1;
    print_message("%u PRs a packet: %.3f beats a cycle\n", kinds[k].count, 20 * kinds[k].count * beats / (double)cycles);
    assert_true((double)(cycles - b->stalls) <= 20 * kinds[k].count * beats + 50);
  }
  if (!b->stalls) assert_int_equal(b->reasons[FULL], 100);
}

/// Reads to so many nodes in turn: a queue that fills is found where it was so many cycles before.
static void full_in_turn(void **state) {
  struct bench *b = *state;
  enum { MOST = 5, COUNT = 79 };
  for (unsigned nodes = 2; nodes <= MOST; nodes++) {
    set_delay(b, 2 * MOST * COUNT);
    for (unsigned i = 0; i < nodes * COUNT; i++) {
      struct pr pr;
      gather_random_pr(&pr, false, NODES, 64);
      pr.dest = i % nodes;
      send(b, &pr, 0);
    }
    finish(b);
    assert_int_equal(b->left, nodes * COUNT);
    // A pool of two packets closes early what an ample one fills.
    assert_true(b->reasons[FULL] == nodes || b->reasons[ROOM] > 0);
  }
}

/// A lone PR leaves when its time has come, not earlier and no more than LATEST cycles later.
static void lone_prs(void **state) {
  struct bench *b = *state;
  static const unsigned delays[] = {0, 1, 2, 5, 50, 125, 500, 3000};
  for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
    set_delay(b, delays[i]);
    for (unsigned n = 0; n < 12; n++) {
      struct pr pr;
      gather_random_pr(&pr, n % 2, NODES, 64);
      send(b, &pr, 0);
      idle(b, delays[i] + 40);
      assert_int_equal(b->left, n + 1);
    }
    finish(b);
    assert_int_equal(b->reasons[LATE], 12);
    assert_true(b->latest <= LATEST);
  }
}

/// One PR a cycle to all queues in turn: many are due at the same time.
static void many_due(void **state) {
  struct bench *b = *state;
  set_delay(b, 60);
  for (unsigned round = 0; round < 50; round++) {
    for (unsigned i = 0; i < QUEUES; i++) {
      struct pr pr;
      gather_random_pr(&pr, i / NODES, NODES, 16);
      pr.dest = i % NODES;
      send(b, &pr, 0);
    }
    idle(b, gather_pick(100));
  }
  finish(b);
  print_message("%u queues due together: at most %u cycles late\n", QUEUES, (unsigned)b->latest);
  assert_true(b->latest <= QUEUES + LATEST);
}

/// Nothing can leave for longer than half of what the clock of expiry counts: then all leave as soon as they can.
static void blocked_long(void **state) {
  struct bench *b = *state;
  set_delay(b, 100);
  for (unsigned i = 0; i < QUEUES; i++) {
    struct pr pr;
    gather_random_pr(&pr, i / NODES, NODES, 16);
    pr.dest = i % NODES;
    send(b, &pr, 0);
  }
  for (unsigned i = 0; i < (1u << 17) + 5000; i++) cycle(b, NULL, 0, false);
  finish(b);
  assert_int_equal(b->left, QUEUES);
}

static void random_prs(void **state) {
  struct bench *b = *state;
  static const unsigned delays[] = {0, 3, 30, 100, 1000}, stalls[] = {0, 0, 2, 3, 20};
  static const unsigned lengths[] = {2, 4, 6, 16, 44, 46, 48, 62, 64, 66, 110, 128, 200, 256, 512, 1000, 1024};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  for (unsigned run = 0; run < 25; run++) {
    const unsigned stall = stalls[run % 5], gap = gather_pick(3) ? 0 : 1 + gather_pick(30), dests = 1 + gather_pick(NODES);
    unsigned len = lengths[gather_pick(LENGTHS)];
    uint16_t generation = 65535;
    set_delay(b, delays[run / 5]);
    for (unsigned i = 0; i < 1500; i++) {
      struct pr pr;
      if (gather_pick(run % 2 ? 300 : 4) == 0) len = gather_pick(3) ? lengths[gather_pick(LENGTHS)] : 2 + 2 * gather_pick(512);
      gather_random_pr(&pr, gather_pick(2), dests, len);
      // A generation goes on to the next one, and some PRs are late.
      generation = (uint16_t)(generation + (gather_pick(run % 3 ? 500 : 6) == 0));
      pr.generation = (uint16_t)(generation - (gather_pick(50) == 0));
      send(b, &pr, stall);
      if (gap && gather_pick(gap) == 0) idle(b, gather_pick(40));
    }
    finish(b);
    assert_int_equal(b->left, 1500);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(full_packets, setup, teardown),
                                     cmocka_unit_test_setup_teardown(full_in_turn, setup, teardown),
                                     cmocka_unit_test_setup_teardown(lone_prs, setup, teardown),
                                     cmocka_unit_test_setup_teardown(many_due, setup, teardown),
                                     cmocka_unit_test_setup_teardown(blocked_long, setup, teardown),
                                     cmocka_unit_test_setup_teardown(random_prs, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
