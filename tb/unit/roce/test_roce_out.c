// Passed frames and results of a port on their way out: order of each source, whole frames, turns, exact room.
// DUT: roce_out -GPassBeats=32
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/roce_pkg.h"

enum { PASS, RESULT, SOURCES, BEAT = 64, PASS_BEATS = 32, MAX_FRAMES = 300, MAX_LEN = 1600 };
enum { SKID_BEATS = 2 };   // beats between the FIFO and the MAC

struct frame {
  uint8_t data[MAX_LEN];
  size_t len;
};

/// One source: its frames, how far they went in, and how far they came out.
struct source {
  const struct frame *frames;
  size_t count, in_frame, in_byte, out_frame, out_byte, beats_in, beats_out, sent;
  bool offered;             // valid stays until ready
  unsigned percent;         // chance that a beat is offered
  size_t due[MAX_FRAMES];   // passed beats that were in before a result's first beat was offered
};

struct bench {
  struct dut *d;
  struct source s[SOURCES];
  int inside;   // source whose frame is leaving, or -1
  unsigned ready_percent;
  bool ordered;       // results keep behind the passed frames that came before them
  size_t passed[2];   // passed beats that were in, one and two cycles ago
};

static const char *const name[SOURCES] = {"pass", "result"};

static bool chance(unsigned percent) { return (unsigned)(rand() % 100) < percent; }

static void fill(struct frame *f, size_t count, size_t max) {
  for (size_t i = 0; i < count; i++) {
    f[i].len = 1 + (size_t)rand() % max;
    for (size_t b = 0; b < f[i].len; b++) f[i].data[b] = (uint8_t)rand();
  }
}

static void port_set(struct dut *d, int source, const char *what, uint64_t value) {
  char port[40];
  snprintf(port, sizeof port, "%s_%s", name[source], what);
  dut_set(d, port, value);
}

static void offer(struct bench *b, int source) {
  struct source *s = &b->s[source];
  if (!s->offered && s->in_frame < s->count && chance(s->percent)) {
    const struct frame *f = &s->frames[s->in_frame];
    size_t left = f->len - s->in_byte, bytes = left < BEAT ? left : BEAT;
    uint32_t w[WORDS_OF(beat_t, 1)] = {0};
    for (size_t i = 0; i < bytes; i++) bits_put(w, 8 * i, 8, f->data[s->in_byte + i]);
    bits_put(w, FIELD(beat_t, bytes), bytes);
    bits_put(w, FIELD(beat_t, last), bytes == left);
    char port[40];
    snprintf(port, sizeof port, "%s_i", name[source]);
    dut_set_words(b->d, port, w, WORDS_OF(beat_t, 1));
    s->offered = true;
    if (s->in_byte == 0) s->due[s->in_frame] = b->passed[1];
  }
  port_set(b->d, source, "valid_i", s->offered);
}

static void accept(struct bench *b, int source) {
  struct source *s = &b->s[source];
  char port[40];
  snprintf(port, sizeof port, "%s_ready_o", name[source]);
  if (!s->offered || !dut_get(b->d, port)) return;
  s->offered = false;
  s->beats_in++;
  s->in_byte += BEAT;
  if (s->in_byte >= s->frames[s->in_frame].len) s->in_byte = 0, s->in_frame++;
}

/// True if the beat on m_axis is the next one of this source.
static bool matches(const struct source *s, const uint32_t *w, uint64_t keep, bool last) {
  if (s->out_frame >= s->count || s->beats_out >= s->beats_in) return false;
  const struct frame *f = &s->frames[s->out_frame];
  size_t left = f->len - s->out_byte, bytes = left < BEAT ? left : BEAT;
  uint64_t due = bytes == BEAT ? UINT64_MAX : (UINT64_C(1) << bytes) - 1;
  return keep == due && last == (bytes == left) && !memcmp(w, f->data + s->out_byte, bytes);
}

static void check_out(struct bench *b) {
  uint32_t w[BEAT / 4];
  dut_get_words(b->d, "m_axis_tdata", w, BEAT / 4);
  bool last = dut_get(b->d, "m_axis_tlast");
  uint64_t keep = dut_get(b->d, "m_axis_tkeep");
  assert_int_equal(dut_get(b->d, "m_axis_tuser"), 0);
  if (b->inside < 0) {
    for (int i = 0; i < SOURCES; i++) {
      if (matches(&b->s[i], w, keep, last)) b->inside = i;
    }
  }
  if (b->inside < 0) fail_msg("cycle %llu: a frame that nobody sent", (unsigned long long)dut_cycle(b->d));
  struct source *s = &b->s[b->inside];
  if (!matches(s, w, keep, last)) {
    fail_msg("cycle %llu: not byte %zu of %s frame %zu", (unsigned long long)dut_cycle(b->d), s->out_byte, name[b->inside],
             s->out_frame);
  }
  if (b->ordered && b->inside == RESULT && s->out_byte == 0 && b->s[PASS].beats_out < s->due[s->out_frame]) {
    fail_msg("cycle %llu: result %zu leaves when %zu of %zu older beats have", (unsigned long long)dut_cycle(b->d), s->out_frame,
             b->s[PASS].beats_out, s->due[s->out_frame]);
  }
  s->beats_out++;
  s->out_byte += BEAT;
  if (last) {
    s->out_byte = 0;
    s->out_frame++;
    b->inside = -1;
  }
}

static void clock_once(struct bench *b) {
  struct dut *d = b->d;
  for (int i = 0; i < SOURCES; i++) offer(b, i);
  dut_set(d, "ordered_i", b->ordered);
  dut_set(d, "m_axis_tready", chance(b->ready_percent));
  dut_eval(d);
  // Free room: all beats that went in and neither left nor stand between FIFO and MAC; one that left just now counts later.
  uint64_t room = dut_get(d, "pass_room_o");
  size_t inside = b->s[PASS].beats_in - b->s[PASS].beats_out;
  assert_true(room <= PASS_BEATS && room + inside + 1 >= PASS_BEATS && room + inside <= PASS_BEATS + SKID_BEATS);
  assert_true(dut_get(d, "pass_ready_o") || room == 0);
  if (dut_get(d, "m_axis_tvalid") && dut_get(d, "m_axis_tready")) check_out(b);
  b->passed[1] = b->passed[0];
  for (int i = 0; i < SOURCES; i++) accept(b, i);
  b->passed[0] = b->s[PASS].beats_in;
  dut_tick(d);
  b->s[PASS].sent += dut_get(d, "tx_pass_o");
  b->s[RESULT].sent += dut_get(d, "tx_result_o");
}

static bool finished(const struct bench *b) {
  return b->s[PASS].out_frame == b->s[PASS].count && b->s[RESULT].out_frame == b->s[RESULT].count;
}

static void run(struct bench *b) {
  uint64_t begin = dut_cycle(b->d);
  while (!finished(b)) {
    clock_once(b);
    if (dut_cycle(b->d) - begin > 400000) fail_msg("stuck");
  }
  b->ready_percent = 100;
  for (int i = 0; i < 10; i++) {
    clock_once(b);
    assert_int_equal(dut_get(b->d, "m_axis_tvalid"), 0);
  }
  for (int i = 0; i < SOURCES; i++) assert_int_equal(b->s[i].sent, b->s[i].count);
  assert_int_equal(dut_get(b->d, "pass_room_o"), PASS_BEATS);
}

static struct bench bench_of(struct dut *d, const struct frame *pass, size_t passes, const struct frame *result, size_t results) {
  return (struct bench){.d = d,
                        .inside = -1,
                        .ready_percent = 100,
                        .s = {{.frames = pass, .count = passes, .percent = 100},
                              {.frames = result, .count = results, .percent = 100}}};
}

static int setup(void **state) {
  struct dut *d = dut_new();
  dut_reset(d);
  *state = d;
  return 0;
}

static int teardown(void **state) {
  dut_free(*state);
  return 0;
}

static struct frame passes[MAX_FRAMES], results[MAX_FRAMES];

static void whole_frames_in_order(void **state) {
  static const unsigned percent[] = {100, 60, 20};
  for (unsigned round = 0; round < 27; round++) {
    fill(passes, MAX_FRAMES, round % 2 ? 200 : MAX_LEN);
    fill(results, MAX_FRAMES, round % 2 ? 200 : MAX_LEN);
    struct bench b = bench_of(*state, passes, 100, results, 100);
    b.s[PASS].percent = percent[round % 3];
    b.s[RESULT].percent = percent[round / 3 % 3];
    b.ready_percent = percent[round / 9];
    run(&b);
  }
}

static void every_tail(void **state) {
  fill(passes, 130, 1);
  fill(results, 130, 1);
  for (size_t i = 0; i < 130; i++) {
    passes[i].len = results[i].len = i + 1;
    for (size_t b = 0; b < i + 1; b++) passes[i].data[b] = (uint8_t)rand(), results[i].data[b] = (uint8_t)rand();
  }
  struct bench b = bench_of(*state, passes, 130, results, 130);
  run(&b);
}

static void sources_take_turns(void **state) {
  fill(passes, MAX_FRAMES, 600);
  fill(results, MAX_FRAMES, 600);
  struct bench b = bench_of(*state, passes, MAX_FRAMES, results, MAX_FRAMES);
  b.ready_percent = 0;
  for (int i = 0; i < 3 * PASS_BEATS; i++) clock_once(&b);   // both wait now, and a frame of one is under way
  b.ready_percent = 100;
  uint64_t begin = dut_cycle(b.d);
  while (b.s[PASS].out_frame + 2 < MAX_FRAMES && b.s[RESULT].out_frame + 2 < MAX_FRAMES) {
    size_t before = b.s[PASS].beats_out + b.s[RESULT].beats_out;
    clock_once(&b);
    // Always full: a beat leaves in every cycle, and no source gets ahead of the other by more than a frame.
    assert_int_equal(b.s[PASS].beats_out + b.s[RESULT].beats_out, before + 1);
    size_t p = b.s[PASS].out_frame, r = b.s[RESULT].out_frame;
    assert_true(p <= r + 1 && r <= p + 1);
    if (dut_cycle(b.d) - begin > 400000) fail_msg("stuck");
  }
  run(&b);
}

static void results_keep_behind(void **state) {
  static const unsigned percent[] = {100, 60, 20};
  for (unsigned round = 0; round < 27; round++) {
    fill(passes, MAX_FRAMES, round % 2 ? 200 : MAX_LEN);
    fill(results, MAX_FRAMES, round % 2 ? 200 : MAX_LEN);
    struct bench b = bench_of(*state, passes, 200, results, 200);
    b.ordered = true;
    b.s[PASS].percent = percent[round % 3];
    b.s[RESULT].percent = percent[round / 3 % 3];
    b.ready_percent = percent[round / 9];
    run(&b);
  }
}

static void results_wait_for_a_full_queue_at_most(void **state) {
  enum { LONGEST = (600 + BEAT - 1) / BEAT };
  fill(passes, MAX_FRAMES, 600);
  fill(results, MAX_FRAMES, 600);
  struct bench b = bench_of(*state, passes, MAX_FRAMES, results, MAX_FRAMES);
  b.ordered = true;
  size_t waited = 0, most = 0;   // passed beats that left since the last result
  while (b.s[PASS].out_frame + 2 < MAX_FRAMES && b.s[RESULT].out_frame + 2 < MAX_FRAMES) {
    size_t passed = b.s[PASS].beats_out, done = b.s[RESULT].out_frame;
    clock_once(&b);
    waited = b.s[RESULT].out_frame == done ? waited + b.s[PASS].beats_out - passed : 0;
    if (waited > most) most = waited;
    assert_true(waited <= PASS_BEATS + SKID_BEATS + LONGEST);
  }
  assert_true(most >= PASS_BEATS);   // of a queue that was full
  run(&b);
}

static void fifo_takes_as_much_as_it_says(void **state) {
  fill(passes, MAX_FRAMES, MAX_LEN);
  struct bench b = bench_of(*state, passes, MAX_FRAMES, results, 0);
  b.ready_percent = 0;
  for (int i = 0; i < 3 * PASS_BEATS; i++) clock_once(&b);
  assert_int_equal(dut_get(b.d, "pass_room_o"), 0);
  assert_int_equal(b.s[PASS].beats_in, PASS_BEATS + SKID_BEATS);
  b.ready_percent = 100;
  run(&b);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(whole_frames_in_order, setup, teardown),
      cmocka_unit_test_setup_teardown(every_tail, setup, teardown),
      cmocka_unit_test_setup_teardown(sources_take_turns, setup, teardown),
      cmocka_unit_test_setup_teardown(results_keep_behind, setup, teardown),
      cmocka_unit_test_setup_teardown(results_wait_for_a_full_queue_at_most, setup, teardown),
      cmocka_unit_test_setup_teardown(fifo_takes_as_much_as_it_says, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
