// A port of an uplink device between a neighbour that pauses and is paused, and the inside: nothing is lost while the neighbour obeys within
// the headroom, nothing of a paused priority begins, a pause that is too long is dropped for and another priority goes on, the alarm.
// DUT: uplink_port -GNumQueues=2 -GQueueOf=24'o1000 -GRoomDepth=512 -GHoldDepth=64 -GMaxBeats=24 -GRxQuantumStep=65536 -GTxQuantumStep=65536 -GTickCycles=50
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/fabric/port_ends.h"

enum { TICK = 50, DEPTH = 512, FIXED = 10 };

/// uplink_flow_pkg::headroom.
static unsigned headroom(unsigned delay, unsigned frame) { return 2 * delay + 3 * frame + FIXED; }

/// Frames of all lengths around a beat's, both ways at once, with and without holes and back-pressure.
static void frames(void **state) {
  (void)state;
  for (unsigned i = 0; i < 8; i++) {
    struct ends *e = ends_new(i + 1, 3, DEPTH - headroom(3, ENDS_MAX_BEATS), 100, 0, TICK);
    e->neighbour_sends = i % 2 ? 100 : 40;
    e->inside_sends = i % 3 ? 100 : 40;
    e->hole = i < 4 ? 0 : 20;
    e->mac_ready = i % 4 == 3 ? 60 : 100;
    e->inside_ready = i % 4 == 1 ? 50 : 100;
    e->longest = i % 2 ? 200 : ENDS_MAX_BEATS * ENDS_BEAT;
    e->bad = i % 3 ? 0 : 10;
    ends_run(e, 20000);
    ends_drain(e);
    assert_true(e->in_frames > 300 && e->out_frames > 300);
    assert_int_equal(ends_count(e, FLOW_DROP_BAD) > 0, e->bad > 0);
    ends_free(e);
  }
}

/// The inside is slow: with headroom nothing is lost, whatever the cable's delay, lengths and holes; without, or with a neighbour that does
/// not obey, frames are dropped and counted.
static void headroom_holds(void **state) {
  (void)state;
  static const unsigned delays[] = {0, 1, 7, 24, ENDS_MAX_DELAY};
  unsigned long pauses = 0;
  for (unsigned i = 0; i < 15; i++) {
    const unsigned delay = delays[i % 5];
    struct ends *e = ends_new(i + 21, delay, DEPTH - headroom(delay, ENDS_MAX_BEATS), 100, 0, TICK);
    e->neighbour_sends = e->inside_sends = 100;
    e->hole = i % 2 ? 0 : 5;
    e->longest = i % 3 == 0 ? ENDS_MAX_BEATS * ENDS_BEAT : i % 3 == 1 ? 64 : 400;
    for (unsigned k = 0; k < 10; k++) {
      e->inside_ready = k % 2 ? 0 : 60;
      ends_run(e, 2500);
    }
    ends_drain(e);
    assert_int_equal(ends_count(e, FLOW_DROP_ROOM), 0);
    pauses += e->pauses_seen;
    ends_free(e);
  }
  assert_true(pauses > 500);
  for (unsigned i = 0; i < 2; i++) {
    struct ends *e =
        ends_new(i + 41, ENDS_MAX_DELAY, i ? DEPTH - headroom(ENDS_MAX_DELAY, ENDS_MAX_BEATS) : DEPTH - 20, 100, 0, TICK);
    e->neighbour_sends = 100;
    e->obeys = i == 0;
    e->may_lose = true;
    e->inside_ready = 10;
    ends_run(e, 20000);
    ends_drain(e);
    assert_true(ends_count(e, FLOW_DROP_ROOM) > 0);
    ends_free(e);
  }
}

/// Only priorities that are lossless are paused, and only those of the queue that is full.
static void whom(void **state) {
  (void)state;
  struct ends *e = ends_new(51, 2, 60, 20, 0, TICK);
  dut_set(e->d, "lossless_i", 0x0A);
  e->inside_ready = 0;
  for (unsigned i = 0; i < 5; i++) ends_send(e, false, 800, 3);
  ends_run(e, 200);
  assert_int_equal(dut_get(e->d, "xoff_o"), 0x08);
  for (unsigned p = 0; p < UPLINK_PRIOS; p++) assert_int_equal(e->pause_to[p] > e->now, p == 3);
  for (unsigned i = 0; i < 5; i++) ends_send(e, false, 800, 2);
  for (unsigned i = 0; i < 3; i++) ends_run(e, 200);
  assert_int_equal(dut_get(e->d, "xoff_o"), 0x0A);
  for (unsigned p = 0; p < UPLINK_PRIOS; p++) assert_int_equal(e->pause_to[p] > e->now, p == 1 || p == 3);
  e->may_lose = false;
  ends_drain(e);
  assert_int_equal(e->pause_to[3] > e->now, 0);
  ends_free(e);
}

/// Pauses in all phases of the traffic: nothing of a paused priority begins, the others go on.
static void pauses_kept(void **state) {
  (void)state;
  unsigned long pauses = 0;
  for (unsigned i = 0; i < 12; i++) {
    struct ends *e = ends_new(i + 61, i % 5, 300, 100, 0, TICK);
    e->inside_sends = 100;
    e->longest = i % 3 ? 300 : ENDS_MAX_BEATS * ENDS_BEAT;
    e->mac_ready = i < 6 ? 100 : 60;
    e->slack = i < 6 ? 0 : 2;
    for (unsigned k = 0; k < 200; k++) {
      ends_pause(e, rng_below(&e->rng, 256), rng_below(&e->rng, 3) ? rng_below(&e->rng, 150) : 0);
      ends_run(e, rng_from(&e->rng, 1, 120));
    }
    ends_drain(e);
    pauses += e->rx_pauses;
    assert_true(ends_count(e, FLOW_HELD_CYCLES) > 1000);
    ends_free(e);
  }
  assert_true(pauses > 2000);
  // One priority for ever: the queue of the others does not wait for it.
  struct ends *e = ends_new(81, 0, 300, 100, 0, TICK);
  ends_pause(e, 1 << 3, 5000);
  ends_run(e, 20);
  e->inside_sends = 100;
  e->prios = 0xF7;
  ends_run(e, 1000);
  assert_true(e->out_frames > 50);
  assert_int_equal(dut_get(e->d, "paused_o"), 8);
  ends_drain(e);
  ends_free(e);
}

/// A pause for longer than the limit: what is held back is dropped from then on, the others of its queue and the inside go on; with its end
/// the priority is sent again. Refreshed pauses are one pause.
static void storm(void **state) {
  (void)state;
  struct ends *e = ends_new(91, 1, 300, 100, 20, TICK);
  e->may_lose = true;
  ends_pause(e, 1 << 2, 600);
  ends_run(e, 10);
  for (unsigned i = 0; i < 3; i++) ends_send(e, true, 640, 2);
  ends_send(e, true, 640, 5);   // behind them
  ends_run(e, 500);
  assert_int_equal(e->out_frames, 0);
  ends_pause(e, 1 << 2, 5000);
  ends_run(e, 470);
  assert_int_equal(dut_get(e->d, "stormed_o"), 0);
  assert_int_equal(ends_count(e, FLOW_DROP_STORM), 0);
  ends_run(e, 100);   // 1,000 cycles are over
  assert_int_equal(dut_get(e->d, "stormed_o"), 4);
  assert_int_equal(dut_get(e->d, "storm_o"), 4);
  assert_int_equal(ends_count(e, FLOW_DROP_STORM), 3);
  assert_int_equal(e->out_frames, 1);
  ends_send(e, true, 640, 2);   // while it lasts
  ends_run(e, 60);
  assert_int_equal(ends_count(e, FLOW_DROP_STORM), 4);
  ends_pause(e, 1 << 2, 0);
  ends_run(e, 20);
  assert_int_equal(dut_get(e->d, "storm_o"), 0);
  assert_int_equal(dut_get(e->d, "resumed_o"), 4);
  assert_int_equal(dut_get(e->d, "stormed_o"), 4);
  ends_send(e, true, 640, 2);
  ends_run(e, 60);
  assert_int_equal(e->out_frames, 2);
  ends_drain(e);
  ends_free(e);
  // At random: what is not sent was dropped for a storm.
  unsigned long dropped = 0;
  for (unsigned i = 0; i < 8; i++) {
    e = ends_new(i + 101, i % 4, 300, 100, 1 + i % 3, TICK);
    e->may_lose = true;
    e->inside_sends = e->neighbour_sends = 80;
    e->mac_ready = i < 4 ? 100 : 70;
    e->slack = 2;
    for (unsigned k = 0; k < 150; k++) {
      ends_pause(e, rng_below(&e->rng, 256), rng_below(&e->rng, 3) ? rng_below(&e->rng, 400) : 0);
      ends_run(e, rng_from(&e->rng, 1, 200));
    }
    ends_drain(e);
    dropped += ends_count(e, FLOW_DROP_STORM);
    assert_int_equal(ends_count(e, FLOW_DROP_ROOM), 0);
    ends_free(e);
  }
  assert_true(dropped > 100);
}

/// Frames that are too long, or in error, and other control frames, each by its name.
static void refused(void **state) {
  (void)state;
  struct ends *e = ends_new(121, 0, 300, 100, 0, TICK);
  ends_send(e, false, ENDS_MAX_BEATS * ENDS_BEAT, 1);
  ends_send(e, false, ENDS_MAX_BEATS * ENDS_BEAT + 1, 1);
  ends_send(e, false, 40 * ENDS_BEAT, 3);
  ends_send(e, false, 60, 3);
  ends_run(e, 400);
  assert_int_equal(ends_count(e, FLOW_DROP_LONG), 2);
  assert_int_equal(ends_count(e, FLOW_RX), 2);
  ends_drain(e);
  ends_free(e);
}

/// The alarm follows the fullest queue.
static void alarm(void **state) {
  (void)state;
  struct ends *e = ends_new(131, 0, DEPTH - 1, 100, 0, TICK);
  e->inside_ready = 0;
  const unsigned most = DEPTH * 80 / 100;   // 409
  for (unsigned i = 0; i < most; i++) ends_send(e, false, 60, 3);
  ends_run(e, most + 20);
  assert_int_equal(dut_get(e->d, "alarm_o"), 0);
  assert_int_equal(dut_get(e->d, "peak_o"), most);
  ends_send(e, false, 60, 3);
  ends_run(e, 20);
  assert_int_equal(dut_get(e->d, "alarm_o"), 1);
  e->inside_ready = 100;
  ends_run(e, 10);
  assert_int_equal(dut_get(e->d, "alarm_o"), 1);
  ends_run(e, 60);
  assert_int_equal(dut_get(e->d, "alarm_o"), 0);
  assert_int_equal(dut_get(e->d, "alarmed_o"), 1);
  ends_drain(e);
  assert_int_equal(ends_count(e, FLOW_ALARM), 1);
  ends_free(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames), cmocka_unit_test(headroom_holds), cmocka_unit_test(whom),  cmocka_unit_test(pauses_kept),
      cmocka_unit_test(storm),  cmocka_unit_test(refused),        cmocka_unit_test(alarm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
