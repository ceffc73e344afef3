// A link that goes down and up at random: the MAC gets whole frames in order, or one that is ended with an error; nothing waits while it is down.
// DUT: roce_link
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { CYCLES = 60000, LONGEST = 6, STUCK = 60, BEAT_WORDS = 16 };

static bool chance(unsigned percent) { return (unsigned)(rand() % 100) < percent; }

/// What came in: frame numbers and beats go into the data, so that what leaves says what it is.
struct bench {
  struct dut *d;
  uint32_t frame;         // the one that comes
  unsigned beat, beats;   // of it
  bool offered;
  uint32_t out_frame;   // the one that leaves, the last one that left whole
  unsigned out_beat;    // beats of it that the MAC has; 0: none
  unsigned whole, cut, dropped, after_cut;
};

static void offer(struct bench *b, unsigned percent) {
  if (!b->offered && chance(percent)) {
    const uint32_t data[2] = {b->frame, b->beat};
    dut_set_words(b->d, "in_data_i", data, 2);
    dut_set(b->d, "in_keep_i", UINT64_MAX);
    dut_set(b->d, "in_last_i", b->beat + 1 == b->beats);
    b->offered = true;
  }
  dut_set(b->d, "in_valid_i", b->offered);
}

static void take(struct bench *b) {
  if (!b->offered || !dut_get(b->d, "in_ready_o")) return;
  b->offered = false;
  b->dropped += dut_get(b->d, "in_last_i") && dut_get(b->d, "drops_o");
  if (++b->beat < b->beats) return;
  b->frame++;
  b->beat = 0;
  b->beats = 1 + (unsigned)rand() % LONGEST;
}

/// The MAC takes a beat.
static void leave(struct bench *b) {
  uint32_t data[BEAT_WORDS];
  dut_get_words(b->d, "m_axis_tdata", data, BEAT_WORDS);
  assert_true(dut_get(b->d, "m_axis_tkeep") & 1);
  if (dut_get(b->d, "m_axis_tuser")) {
    assert_true(b->out_beat > 0);   // only what it has begun is ended
    assert_true(dut_get(b->d, "m_axis_tlast"));
    b->out_beat = 0;
    b->cut++;
    return;
  }
  if (b->out_beat == 0) {
    assert_true(data[0] > b->out_frame);
    b->out_frame = data[0];
  }
  assert_int_equal(data[0], b->out_frame);
  assert_int_equal(data[1], b->out_beat);
  b->out_beat++;
  if (!dut_get(b->d, "m_axis_tlast")) return;
  b->out_beat = 0;
  b->whole++;
}

static void goes_down_and_up(void **state) {
  (void)state;
  struct bench b = {.d = dut_new(), .frame = 1, .beats = 3};
  unsigned ready = 100, waits = 0;
  bool down = false;
  dut_reset(b.d);
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    if (chance(3)) down = !down;
    if (chance(3)) ready = (unsigned)rand() % 3 * 50;
    dut_set(b.d, "down_i", down);
    dut_set(b.d, "m_axis_tready", chance(ready));
    offer(&b, 70);
    dut_eval(b.d);
    // Nothing waits while the link is down, whatever the MAC does.
    waits = down && b.offered && !dut_get(b.d, "in_ready_o") ? waits + 1 : 0;
    assert_true(waits <= 1);
    if (dut_get(b.d, "m_axis_tvalid") && dut_get(b.d, "m_axis_tready")) leave(&b);
    take(&b);
    dut_tick(b.d);
  }
  // Up again, all goes on.
  const unsigned before = b.whole;
  dut_set(b.d, "down_i", 0);
  for (unsigned cycle = 0; cycle < STUCK; cycle++) {
    dut_set(b.d, "m_axis_tready", 1);
    offer(&b, 100);
    dut_eval(b.d);
    if (dut_get(b.d, "m_axis_tvalid")) leave(&b);
    take(&b);
    dut_tick(b.d);
  }
  assert_true(b.whole > before + 5);
  assert_true(b.whole > 1000 && b.cut > 100 && b.dropped > 1000);
  // Each frame left whole, was dropped, was cut (and then dropped, too), or is under way.
  assert_in_range(b.frame - 1 - b.whole - b.dropped, 0, 1);
  dut_free(b.d);
}

/// A frame that is cut ends when the MAC takes something again, also while the link is still down.
static void a_cut_frame_is_ended(void **state) {
  (void)state;
  struct bench b = {.d = dut_new(), .frame = 1, .beats = 4};
  dut_reset(b.d);
  dut_set(b.d, "m_axis_tready", 1);
  offer(&b, 100);
  dut_eval(b.d);
  leave(&b);
  take(&b);
  dut_tick(b.d);
  dut_set(b.d, "down_i", 1);
  dut_set(b.d, "m_axis_tready", 0);
  dut_tick(b.d);
  dut_set(b.d, "in_valid_i", 0);
  for (int i = 0; i < 5; i++) {
    dut_eval(b.d);
    assert_true(dut_get(b.d, "m_axis_tvalid"));
    dut_tick(b.d);
  }
  dut_set(b.d, "m_axis_tready", 1);
  dut_eval(b.d);
  leave(&b);
  assert_int_equal(b.cut, 1);
  dut_tick(b.d);
  assert_false(dut_get(b.d, "m_axis_tvalid"));
  dut_free(b.d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goes_down_and_up),
      cmocka_unit_test(a_cut_frame_is_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
