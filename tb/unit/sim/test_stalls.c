// Columns that nobody completes, because hosts have given their message up or keep to no window: what is a window behind them waits, the device says so,
// the other ring goes on, and after a flush the ring is as new (docs/operations.md, "When something stands still").
//
// DEVICES: tiny
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "rtl/csr/weir_csr.h"
#include "sim/engine/bench.h"
#include "unit/gradient.h"
#include "wire/fate.h"

enum {
  PORTS = 2,
  RANKS = 4,
  WINDOW = 2,
  MSGLEN = 2,
  RINGS = 2,
  LEFT = 0,    // the ring with a column that is left behind
  OTHER = 1,   // its neighbour
  HANG = 20000,
  LIMIT = 4,   // units of 256 cycles
  LATE = 3 * LIMIT * 256
};

struct stalls {
  struct bench *bench;
  struct drive *registers;
  unsigned results[RINGS];
  uint32_t psn;   // added to what a rank's PSNs would be: a queue pair that was connected anew
};

static void count(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)port;
  (void)first_cycle;
  (void)last_cycle;
  struct stalls *s = user;
  struct roce_packet p;
  roce_parse(frame, len, &p);
  assert_int_equal(p.class, ROCE_CANDIDATE);
  s->results[p.key.src[2] - 1]++;
}

static struct gradient packet(const struct stalls *s, unsigned ring, unsigned rank, unsigned msgid, unsigned offset) {
  const struct ina_header ina = {(uint16_t)(ring + 1), (uint8_t)rank, INA_FP32, msgid, MSGLEN, RANKS};
  struct gradient g = gradient_of(&ina, offset);
  if (ring == LEFT) g.psn0 += s->psn;
  return g;
}

static void send(struct stalls *s, unsigned ring, unsigned rank, unsigned msgid, unsigned offset) {
  uint8_t frame[GRADIENT_ROOM];
  const struct gradient g = packet(s, ring, rank, msgid, offset);
  bench_send(s->bench, rank % PORTS, frame, gradient_frame(&g, frame), false);
}

/// Ranks of the ring `LEFT` (bit R for rank R) send a whole message.
static void send_message(struct stalls *s, uint32_t ranks, unsigned msgid) {
  for (unsigned offset = 0; offset < MSGLEN; offset++)
    for (unsigned rank = 0; rank < RANKS; rank++)
      if (ranks >> rank & 1) send(s, LEFT, rank, msgid, offset);
}

/// Results of the ring `LEFT` until nothing is due any more.
static unsigned given(struct stalls *s) {
  const unsigned before = s->results[LEFT];
  assert_true(bench_settle(s->bench, HANG));
  return s->results[LEFT] - before;
}

static void open_device(struct stalls *s) {
  static const struct drive_ring rings[RINGS] = {
      {.enable = true, .id = 1, .workers = RANKS, .window = WINDOW, .stride = MSGLEN, .base = 0},
      {.enable = true, .id = 2, .workers = RANKS, .window = WINDOW, .stride = MSGLEN, .base = 2 * WINDOW * MSGLEN}};
  const struct bench_options options = {.drive = {.config = "tiny", .seed = 1},
                                        .rings = rings,
                                        .ring_count = RINGS,
                                        .input = UNDECIDED_FAULTY,
                                        .unwatched = true,
                                        .user = s,
                                        .out = count};
  char error[256] = "";
  s->bench = bench_open(&options, error, sizeof error);
  if (s->bench == NULL) fail_msg("%s", error);
  s->registers = bench_registers(s->bench);
  for (unsigned ring = 0; ring < RINGS; ring++)
    for (unsigned rank = 0; rank < RANKS; rank++) {
      const struct conn_key key = packet(s, ring, rank, 0, 0).build.key;
      assert_int_equal(bench_connect(s->bench, &key, ring, rank), 0);
    }
  bench_warm_up(s->bench);
  assert_int_equal(drive_set_stall_limit(s->registers, LIMIT), 0);
}

static uint64_t counted(struct stalls *s, unsigned which) {
  uint64_t value = 0;
  assert_int_equal(drive_ring_counter(s->registers, LEFT, which, &value), 0);
  return value;
}

/// The ring stands still, for these ranks; its neighbour does not, and its columns leave.
static void says_so(struct stalls *s, uint32_t waits) {
  uint32_t causes = 0, stalls = 0, ranks = 0, units = 0;
  assert_int_equal(drive_take_causes(s->registers, &causes), 0);
  for (unsigned i = 0; i < LATE; i++) {
    const unsigned message = i / 512, at = i % 512;
    if (at < RANKS) send(s, OTHER, at, message, 0);
    bench_step(s->bench);
  }
  assert_int_equal(s->results[OTHER], LATE / 512 * RANKS);
  assert_int_equal(drive_stalls(s->registers, &stalls), 0);
  assert_int_equal(stalls, 1u << LEFT);
  assert_int_equal(drive_waits(s->registers, LEFT, &ranks, &units), 0);
  assert_int_equal(ranks, waits);
  assert_true(units > LIMIT);
  assert_int_equal(drive_take_causes(s->registers, &causes), 0);
  assert_true(causes & WEIR_CSR__IRQ_CAUSE__STALL_bm);
}

/// A flush makes the ring as new: a job that begins at any message has its sums.
static void flush_cures(struct stalls *s, unsigned msgid) {
  uint32_t stalls = 0;
  unsigned columns = 0;
  assert_int_equal(bench_flush(s->bench, LEFT), 0);
  assert_int_equal(drive_stalls(s->registers, &stalls), 0);
  assert_int_equal(stalls, 0);
  assert_int_equal(drive_columns(s->registers, &columns), 0);
  assert_int_equal(columns, WINDOW);   // the neighbour's, each complete, until a window later
  for (unsigned i = 0; i < 4 * WINDOW; i++) {
    send_message(s, (1u << RANKS) - 1, msgid + i);
    assert_int_equal(given(s), RANKS * MSGLEN);
  }
}

static void close_device(struct stalls *s) {
  const size_t wrong = bench_finish(s->bench);
  if (wrong != 0) fail_msg("%s", bench_text(s->bench, 0));
  bench_close(s->bench);
}

enum { ALL = (1 << RANKS) - 1, MISSING = 3, FEW = ALL & ~(1 << MISSING) };

/// One rank does not send a message, and nobody goes on: that shows. When all go on behind it, the message a window later has its sums.
static void given_up(void **state) {
  (void)state;
  struct stalls s = {0};
  open_device(&s);
  send_message(&s, FEW, 0);
  send_message(&s, ALL, 1);
  assert_int_equal(given(&s), RANKS * MSGLEN);
  says_so(&s, 1u << MISSING);
  send_message(&s, ALL, WINDOW);
  assert_int_equal(given(&s), RANKS * MSGLEN);
  assert_int_equal(counted(&s, FATE_WINDOW_VIOLATION), 0);
  flush_cures(&s, WINDOW);
  close_device(&s);
}

/// Hosts with twice the ring's window, and a lost packet: the message a window later has begun over the one that lacks it. All is sent again, as
/// after any loss, and has its sums.
static void ahead_of_the_window(void **state) {
  (void)state;
  struct stalls s = {0};
  open_device(&s);
  send(&s, LEFT, 0, 0, 0);   // the second packet is lost
  for (unsigned msgid = 1; msgid < 2 * WINDOW; msgid++) send_message(&s, 1, msgid);
  assert_int_equal(given(&s), 0);
  says_so(&s, ALL & ~1u);
  for (unsigned msgid = 0; msgid < 2 * WINDOW; msgid++) {
    send_message(&s, ALL, msgid);
    assert_int_equal(given(&s), RANKS * MSGLEN);
  }
  flush_cures(&s, 0);
  close_device(&s);
}

/// Queue pairs that are connected anew over registered connections, without a flush. Messages that were begun are of other PSNs now, and stand still;
/// those behind them are not held up by what was left.
static void connected_anew(void **state) {
  (void)state;
  struct stalls s = {0};
  open_device(&s);
  send_message(&s, FEW, 4);
  assert_int_equal(given(&s), 0);
  s.psn = 0x5000;
  send_message(&s, FEW, 4);   // goes on where it was
  assert_int_equal(given(&s), 0);
  assert_int_equal(counted(&s, FATE_PSN_CONFLICT), MISSING);
  says_so(&s, 1u << MISSING);
  s.psn = 0xA000;
  send_message(&s, ALL, 4 + WINDOW);   // begins behind it
  assert_int_equal(given(&s), RANKS * MSGLEN);
  assert_int_equal(counted(&s, FATE_WINDOW_VIOLATION), 0);
  flush_cures(&s, 0);   // and no number is too old
  close_device(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(given_up), cmocka_unit_test(ahead_of_the_window),
                                     cmocka_unit_test(connected_anew)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
