// An uplink device between neighbours who pause it and whom it pauses: nothing lossless is lost while they obey within the headroom, whatever is
// paused above; a pause that lasts too long is dropped for and the hosts below go on; the end of it is an event of its own. And
// gaps in sequence numbers, by connection.
// DUT: weir_uplink -GNumDown=2 -GNumUp=4 -GPlaces=64 -GOverrides=2 -GRoomDepth=512 -GConnSets=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rtl/csr/uplink_csr.h"
#include "unit/fabric/port_ends.h"
#include "unit/fabric/uplink_world.h"

#define AT(name) offsetof(uplink_csr_t, name)
enum { DEPTH = 512, DELAY = 40, TICK = 9375, XON = 100 };
enum { LOSSLESS_ONLY = 1, LOSSY_ONLY = 2, ONE = 1 << WORLD_LOSSLESS };

/// uplink_flow_pkg::headroom, DELAY being both ways.
static unsigned xoff(void) { return DEPTH - (DELAY + 3 * WORLD_MAX_BEATS + 10); }

static uint32_t state(struct world *w, unsigned port, size_t what) {
  world_write(w, AT(PORT_SELECT), port);
  return world_read(w, what);
}

/// Hosts send more than uplinks that are paused now and then can take: the pause goes on to the hosts, and nothing lossless is lost. Lossy
/// frames are dropped meanwhile, and counted.
static void pause_goes_down(void **unused) {
  (void)unused;
  struct world *w = world_new(1, DELAY, xoff(), XON, 0);
  for (unsigned p = 0; p < WORLD_DOWN; p++) w->at[p].sends = 100;
  for (unsigned p = WORLD_DOWN; p < WORLD_PORTS; p++) w->at[p].takes = 20, w->at[p].sends = 5;
  for (unsigned i = 0; i < 12; i++) {
    const unsigned port = WORLD_DOWN + i % WORLD_UP;
    world_pause(w, port, ONE, 800);
    world_run(w, 1200);
    world_pause(w, port, ONE, 0);
    world_run(w, 800);
  }
  world_drain(w);
  for (unsigned p = 0; p < WORLD_PORTS; p++) assert_int_equal(world_count(w, p, FLOW_DROP_STORM), 0);
  assert_int_equal(w->skipped[WORLD_LOSSLESS], 0);
  assert_true(w->skipped[WORLD_LOSSY] > 0);
  for (unsigned p = 0; p < WORLD_DOWN; p++) assert_true(w->at[p].pauses_seen > 4 && world_count(w, p, FLOW_XOFF_CYCLES) > 1000);
  for (unsigned p = WORLD_DOWN; p < WORLD_PORTS; p++) assert_true(world_count(w, p, FLOW_HELD_CYCLES) > 1000);
  assert_true(w->arrived[WORLD_LOSSLESS] > 500);
  world_free(w);
  // The same with hosts who do not obey: then they lose.
  w = world_new(2, DELAY, xoff(), XON, 0);
  for (unsigned p = 0; p < WORLD_DOWN; p++) w->at[p].sends = 100, w->at[p].obeys = false, w->at[p].only = LOSSLESS_ONLY;
  for (unsigned p = WORLD_DOWN; p < WORLD_PORTS; p++) w->at[p].takes = 20;
  world_run(w, 8000);
  world_drain(w);
  assert_true(w->skipped[WORLD_LOSSLESS] > 0);
  world_free(w);
}

/// A paused priority of an uplink: none of it begins, the other priority does not wait.
static void other_priority(void **unused) {
  (void)unused;
  struct world *w = world_new(3, DELAY, xoff(), XON, 0);
  for (unsigned p = WORLD_DOWN; p < WORLD_PORTS; p++) world_pause(w, p, ONE, 65535);
  for (unsigned p = 0; p < WORLD_DOWN; p++) w->at[p].sends = 60;
  world_run(w, 6000);
  assert_int_equal(w->arrived[WORLD_LOSSLESS], 0);
  assert_true(w->arrived[WORLD_LOSSY] > 300);
  for (unsigned p = 0; p < WORLD_DOWN; p++) assert_true(w->at[p].pause[WORLD_LOSSLESS] > w->now);
  for (unsigned p = WORLD_DOWN; p < WORLD_PORTS; p++) world_pause(w, p, ONE, 0);
  world_drain(w);
  assert_int_equal(w->skipped[WORLD_LOSSLESS], 0);
  world_free(w);
}

/// A storm at one uplink: up to the limit the hosts are held, from then on they go on and what goes there is dropped; the others lose nothing.
static void storm(void **unused) {
  (void)unused;
  enum { TICKS = 2, SICK = WORLD_DOWN + 1 };
  struct world *w = world_new(4, DELAY, xoff(), XON, TICKS);
  for (unsigned p = 0; p < WORLD_DOWN; p++) w->at[p].sends = 80, w->at[p].only = LOSSLESS_ONLY;
  world_pause(w, SICK, ONE, 65535);
  const uint64_t from = w->now;
  world_run(w, TICKS * TICK - 100);
  assert_int_equal(state(w, SICK, AT(PORT_EVENTS)), 0);
  assert_int_equal(world_count(w, SICK, FLOW_DROP_STORM), 0);
  assert_true(w->now < from + TICKS * TICK);
  // All hosts wait by now for that one uplink.
  for (unsigned p = 0; p < WORLD_DOWN; p++) assert_true(w->at[p].pause[WORLD_LOSSLESS] > w->now);
  const unsigned long before = w->arrived[WORLD_LOSSLESS];
  world_run(w, from + TICKS * TICK + 10 - w->now);
  assert_int_equal(state(w, SICK, AT(PORT_EVENTS)), ONE);
  assert_int_equal(state(w, SICK, AT(PORT_STATE)) & 0xFF00FF, ONE << 16 | ONE);
  world_run(w, 5000);
  assert_true(w->arrived[WORLD_LOSSLESS] > before + 300);
  assert_true(world_count(w, SICK, FLOW_DROP_STORM) > 50);
  // Its end is an event beside its begin; clearing one leaves the other.
  world_pause(w, SICK, ONE, 0);
  world_run(w, 200);
  assert_int_equal(state(w, SICK, AT(PORT_EVENTS)), ONE << 8 | ONE);
  world_write(w, AT(PORT_CLEAR), ONE);
  world_write(w, AT(COMMAND), 4);
  world_run(w, 10);
  assert_int_equal(state(w, SICK, AT(PORT_EVENTS)), ONE << 8);
  assert_int_equal(world_count(w, SICK, FLOW_STORM), 1);
  const unsigned long begun = w->at[SICK].begun_of[WORLD_LOSSLESS];
  world_run(w, 2000);
  assert_true(w->at[SICK].begun_of[WORLD_LOSSLESS] > begun + 20);
  world_drain(w);
  for (unsigned p = 0; p < WORLD_PORTS; p++) assert_true(p == SICK || world_count(w, p, FLOW_DROP_STORM) == 0);
  for (unsigned p = 0; p < WORLD_PORTS; p++) assert_int_equal(world_count(w, p, FLOW_DROP_ROOM), 0);
  world_free(w);
}

/// Everybody sends to everybody and pauses at random, with a watchdog: what is lost was dropped by a name.
static void at_random(void **unused) {
  (void)unused;
  for (unsigned seed = 11; seed < 14; seed++) {
    struct world *w = world_new(seed, DELAY, xoff(), XON, 1);
    for (unsigned p = 0; p < WORLD_PORTS; p++) w->at[p].sends = p < WORLD_DOWN ? 70 : 30, w->at[p].takes = 90;
    for (unsigned i = 0; i < 25; i++) {
      world_pause(w, rng_below(&w->rng, WORLD_PORTS), rng_below(&w->rng, 256),
                  rng_below(&w->rng, 3) ? rng_below(&w->rng, 900) : 0);
      for (unsigned p = 0; p < WORLD_PORTS; p++) {
        for (unsigned k = 0; k < UPLINK_PRIOS; k++) w->at[p].held[k] = 0;   // it may end at any time
      }
      world_run(w, rng_from(&w->rng, 10, 1200));
    }
    for (unsigned p = 0; p < WORLD_PORTS; p++) world_pause(w, p, 0xFF, 0);
    world_drain(w);
    assert_true(w->arrived[WORLD_LOSSLESS] > 500 && w->arrived[WORLD_LOSSY] > 500);
    world_free(w);
  }
}

/// Gaps are counted by connection, just those that there were, and what software reads is what was sent.
static void sequence(void **unused) {
  (void)unused;
  enum { FLOWS = 8, OF_QUEUE = 1 << 16, FIRST_VERDICT = 16 };
  struct world *w = world_new(31, DELAY, xoff(), XON, 0);
  unsigned gaps[WORLD_DOWN][FLOWS] = {{0}};
  for (unsigned p = 0; p < WORLD_DOWN; p++) w->at[p].flows = FLOWS;
  for (unsigned i = 0; i < 40; i++) {
    for (unsigned p = 0; p < WORLD_DOWN; p++) w->at[p].sends = 50;
    world_run(w, 400);
    // A gap that nothing follows is none yet, nor are two of which nothing is between: send a frame of each flow at least.
    for (unsigned p = 0; p < WORLD_DOWN; p++) {
      const unsigned flow = rng_below(&w->rng, FLOWS);
      const uint32_t from = w->at[p].next[flow];
      world_jump(w, p, flow, rng_from(&w->rng, 1, 300));
      const uint32_t to = w->at[p].next[flow];
      while (from > 0 && w->at[p].next[flow] == to) world_run(w, 10);
      gaps[p][flow] += from > 0;
    }
  }
  world_drain(w);
  const unsigned sets = world_read(w, AT(CONN_COMMAND)) >> 16;
  for (unsigned source = 0; source < WORLD_DOWN * 2; source++) {
    const unsigned port = source / 2;
    unsigned known = 0;
    for (unsigned at = 0; at < 2 * sets; at++) {
      world_write(w, AT(CONN_SELECT), source << 24 | (at & 1) << 16 | at / 2);
      world_write(w, AT(CONN_COMMAND), 1);
      while (!(world_read(w, AT(CONN_COMMAND)) >> 8 & 1)) continue;
      const uint32_t qpn = world_read(w, AT(CONN_QPN)) & 0xFFFFFF;
      if (world_read(w, AT(CONN_QPN)) >> 31 == 0) continue;
      assert_true(qpn < FLOWS && qpn % 2 == source % 2);
      assert_int_equal(world_read(w, AT(CONN_DST_2)), 0xFFFF);
      assert_int_equal(world_read(w, AT(CONN_DST_3)), 0x0A010000 + qpn);
      assert_int_equal(world_read(w, AT(CONN_NEXT)), w->at[port].next[qpn]);
      assert_int_equal(world_read(w, AT(CONN_COUNTS)), gaps[port][qpn]);
      known++;
    }
    assert_int_equal(known, FLOWS / 2);
    unsigned all = 0, sent = 0, mine = 0;
    for (unsigned v = 0; v < UPLINK_ORDER_VERDICTS; v++) all += world_count(w, source, OF_QUEUE | (FIRST_VERDICT + v));
    for (unsigned f = source % 2; f < FLOWS; f += 2) mine += gaps[port][f];
    for (unsigned why = 0; why < 8; why++) sent += world_count(w, source, OF_QUEUE | why);
    assert_int_equal(all, sent);
    assert_int_equal(world_count(w, source, OF_QUEUE | (FIRST_VERDICT + UPLINK_ORDER_GAP)), mine);
  }
  world_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pause_goes_down), cmocka_unit_test(other_priority), cmocka_unit_test(storm),
      cmocka_unit_test(at_random),       cmocka_unit_test(sequence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
