// A port of a tree node and its RC connections against the model at the other end of a bad cable, and against a twin that knows every frame
// byte for byte: loss, copies, disorder, wrong ICRCs, strays, all MTUs, both IP versions, VLAN tags, lack of room, back pressure; full speed.
// DUT: rc_port -GQueueRoom=16 -GSendRoom=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "structs/rc_pkg.h"
#include "unit/tree/transport/port_bench.h"

enum { RUNS = 60, CYCLES = 6000, WARM = 3000, MEASURED = 20000, BEGINNINGS = 20, IDLE = 200, IN_MOST = 14, OUT_MOST = 15 };

static unsigned any(const unsigned *of, unsigned count) { return of[(unsigned)rand() % count]; }

static struct port_pace draw_pace(void) {
  static const unsigned paces[] = {10, 40, 80, 100}, slow[] = {1, 10, 40, 100}, mistakes[] = {0, 2, 10, 20};
  return (struct port_pace){.beats = any(paces, 4),
                            .ready = any(paces, 4),
                            .rows = any(paces, 4),
                            .claims = any(slow, 4),
                            .reads = any(paces, 4),
                            .peer = any(paces, 4),
                            .mistakes = any(mistakes, 4)};
}

static void over_a_bad_cable(void **state) {
  (void)state;
  struct port_bench *b = port_bench_new();
  const struct port_counts *c = port_bench_counts(b);
  unsigned failed = 0;
  for (unsigned n = 0; n < RUNS; n++) {
    port_bench_open(b, 0, false);
    for (unsigned i = 0; i < 2; i++) {
      const struct port_pace pace = draw_pace();
      port_bench_run(b, CYCLES, &pace, PORT_BOTH);
    }
    if (rand() % 4 == 0) port_bench_close(b, (unsigned)rand() % PORT_CONNS);
    if (rand() % 4 == 0) continue;   // begins anew in the middle of everything
    port_bench_drain(b);
    failed += port_bench_failed(b);
  }
  assert_true(failed > 2 && failed <= RUNS);
  assert_true(c->packets_in > 5000 && c->packets_out > 5000 && c->rows_read > 20000 && c->dropped > 1000);
  assert_true(c->strays > 100 && c->bad_icrcs > 50 && c->errors > 100 && c->answers_in > 2000);
  assert_true(c->fates[RcTaken] > 5000 && c->fates[RcDuplicate] > 50 && c->fates[RcGap] > 500 && c->fates[RcNoRoom] > 50 &&
              c->fates[RcInvalid] > 0 && c->fates[RcClosed] > 0);
  assert_true(c->repeats > 400 && c->timeouts > 8 && c->rnrs > 50 && c->acks > 2000 && c->naks > 100);
  assert_true(c->casts > 200);
  port_bench_free(b);
}

/// What began to come before its connection did is not the connection's.
static void begins_in_a_frame(void **state) {
  (void)state;
  struct port_bench *b = port_bench_new();
  port_bench_open(b, 4096, true);
  for (unsigned i = 1; i <= BEGINNINGS; i++) {
    port_bench_reopen(b);
    port_bench_drain(b);
    assert_int_equal(port_bench_counts(b)->strays, i);
  }
  port_bench_free(b);
}

/// Beats in and out, of a hundred cycles.
static void measure(unsigned mtu, unsigned posts, unsigned *in, unsigned *out) {
  const struct port_pace pace = {
      .beats = 100, .ready = 100, .rows = 100, .claims = 100, .reads = 100, .peer = 100, .whole = true};
  struct port_bench *b = port_bench_new();
  const struct port_counts *c = port_bench_counts(b);
  port_bench_open(b, mtu, true);
  port_bench_run(b, WARM, &pace, posts);
  const struct port_counts was = *c;
  port_bench_run(b, MEASURED, &pace, posts);
  *in = (unsigned)(100 * (c->beats_in - was.beats_in) / MEASURED);
  *out = (unsigned)(100 * (c->beats_out - was.beats_out) / MEASURED);
  port_bench_drain(b);
  assert_int_equal(c->fates[RcNoRoom] + c->fates[RcGap] + c->repeats, 0);
  port_bench_free(b);
}

/// A beat every cycle. An ACK packet takes three cycles on its way out, and two on its way in; there is one for two packets or three.
static void full_speed(void **state) {
  (void)state;
  static const unsigned mtus[] = {1024, 4096}, both[] = {94, 98};
  unsigned in, out;
  for (unsigned i = 0; i < 2; i++) {
    measure(mtus[i], PORT_DEVICE, &in, &out);
    assert_true(out >= 99);
    measure(mtus[i], PORT_PEER, &in, &out);
    assert_true(in >= 99);
    measure(mtus[i], PORT_BOTH, &in, &out);
    assert_true(in >= both[i] && out >= both[i]);
  }
}

/// The first packet of an idle port, in and out.
static void latency(void **state) {
  (void)state;
  const struct port_pace pace = {
      .beats = 100, .ready = 100, .rows = 100, .claims = 100, .reads = 100, .peer = 100, .whole = true};
  unsigned cycles[2];
  for (unsigned out = 0; out < 2; out++) {
    struct port_bench *b = port_bench_new();
    const struct port_counts *c = port_bench_counts(b);
    port_bench_open(b, 256, true);
    port_bench_run(b, IDLE, &pace, out ? PORT_DEVICE : PORT_PEER);
    assert_true(out ? c->posted > 0 && c->left > c->posted : c->came > 0 && c->shown > c->came);
    cycles[out] = (unsigned)(out ? c->left - c->posted : c->shown - c->came);
    port_bench_drain(b);
    port_bench_free(b);
  }
  print_message("%u cycles from a frame's last beat to its packet, %u from a packet's last row to its frame's first beat\n",
                cycles[0], cycles[1]);
  assert_true(cycles[0] <= IN_MOST && cycles[1] <= OUT_MOST);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(over_a_bad_cable), cmocka_unit_test(begins_in_a_frame),
                                     cmocka_unit_test(full_speed), cmocka_unit_test(latency)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
