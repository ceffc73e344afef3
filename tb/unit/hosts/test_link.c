// One direction of a cable: time, order, and what goes wrong as often as it should.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "hosts/link.h"

enum { OVERHEAD = 24, LEN = 100, MANY = 20000 };

static struct link *cable(struct link_config config) {
  struct link *l = link_new(&config);
  assert_non_null(l);
  return l;
}

static struct link *faulty(struct link_faults faults, uint64_t seed) {
  return cable((struct link_config){.gbps = 100, .delay_ps = 5000, .faults = faults, .seed = seed});
}

/// A frame that can be told from all others.
static void mark(uint8_t *frame, size_t len, uint32_t number) {
  struct rng d = {number};
  memcpy(frame, &number, sizeof number);
  rng_fill(&d, frame + sizeof number, len - sizeof number);
}

static uint64_t send(struct link *l, uint64_t now, size_t len, uint32_t number) {
  uint8_t *frame = test_malloc(len);
  mark(frame, len, number);
  assert_true(link_idle(l, now));
  link_send(l, now, frame, len);
  test_free(frame);   // the link has copied it
  return link_idle_at(l);
}

/// Nothing is there before its time. Returns the number of the frame that is.
static uint32_t receive(struct link *l, uint64_t at, size_t len) {
  struct link_frame f = {.len = 12345};
  uint8_t due[10000];
  assert_int_equal(link_due(l), at);
  assert_false(link_receive(l, at - 1, &f));
  assert_int_equal(f.len, 12345);
  assert_true(link_receive(l, at, &f));
  assert_int_equal(f.len, len);
  assert_false(f.bad_fcs);
  uint32_t number;
  memcpy(&number, f.data, sizeof number);
  mark(due, len, number);
  assert_memory_equal(f.data, due, len);
  return number;
}

static void a_frame_takes_its_time(void **state) {
  (void)state;
  const unsigned rates[] = {1, 10, 25, 40, 100, 400};
  const size_t lens[] = {60, 64, 125, 1082, 9000};
  for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
    struct link *l = cable((struct link_config){.gbps = rates[r], .delay_ps = 777});
    assert_int_equal(link_due(l), UINT64_MAX);
    assert_true(link_idle(l, 0));
    uint64_t now = 1000;
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
      const uint64_t takes = (lens[i] + OVERHEAD) * 8 * 1000 / rates[r];
      assert_int_equal(send(l, now, lens[i], (uint32_t)i), now + takes);
      assert_false(link_idle(l, now + takes - 1));
      assert_true(link_idle(l, now + takes));
      assert_int_equal(receive(l, now + takes + 777, lens[i]), i);
      assert_int_equal(link_due(l), UINT64_MAX);
      now += takes + 5000;
    }
    link_free(l);
  }
}

static void back_to_back_is_line_rate(void **state) {
  (void)state;
  struct link *l = cable((struct link_config){.gbps = 100, .delay_ps = 1000000});
  uint64_t now = 0, wire = 0;
  struct rng d = {1};
  for (uint32_t i = 0; i < 5000; i++) {
    const size_t len = rng_from(&d, 60, 1500);
    wire += len + OVERHEAD;
    now = send(l, now, len, i);
    assert_int_equal(now, wire * 80);
  }
  struct link_frame f;
  for (uint32_t i = 0; i < 5000; i++) {
    assert_true(link_receive(l, now + 1000000, &f));
    assert_memory_equal(f.data, &i, sizeof i);
  }
  assert_int_equal(link_counts(l).frames, 5000);
  assert_int_equal(link_counts(l).bytes, wire - 5000 * OVERHEAD);
  link_free(l);
}

static void no_rate_is_no_time(void **state) {
  (void)state;
  struct link *l = cable((struct link_config){.gbps = 0, .delay_ps = 50});
  for (uint32_t i = 0; i < 10; i++) assert_int_equal(send(l, 1000, 9000, i), 1000);
  for (uint32_t i = 0; i < 10; i++) assert_int_equal(receive(l, 1050, 9000), i);
  link_free(l);
}

/// A sender that looks every `grain_ps` only keeps the rate all the same, and does not save up time in which it had nothing.
static void grain(void **state) {
  (void)state;
  enum { GRAIN = 4000, TAKES = (LEN + OVERHEAD) * 80 };
  struct link *l = cable((struct link_config){.gbps = 100, .grain_ps = GRAIN});
  assert_true(TAKES % GRAIN != 0);
  uint64_t now = 1000 * GRAIN;
  const uint64_t begin = now;
  for (uint32_t i = 1; i <= 1000; i++) {
    assert_int_equal(send(l, now, LEN, i), begin + i * TAKES);
    while (!link_idle(l, now)) now += GRAIN;
  }
  // Just within the grain, and just not.
  now = link_idle_at(l) + GRAIN - 1;
  assert_int_equal(send(l, now, LEN, 0), now - (GRAIN - 1) + TAKES);
  now = link_idle_at(l) + GRAIN;
  assert_int_equal(send(l, now, LEN, 0), now + TAKES);
  link_free(l);
}

static void a_delay_may_change(void **state) {
  (void)state;
  struct link *l = cable((struct link_config){.gbps = 100, .delay_ps = 100});
  const uint64_t first = send(l, 0, LEN, 1);
  link_set_delay(l, 90000);
  const uint64_t second = send(l, first, LEN, 2);
  link_set_delay(l, 0);
  const uint64_t third = send(l, second, LEN, 3);
  assert_int_equal(receive(l, first + 100, LEN), 1);
  assert_int_equal(receive(l, third, LEN), 3);
  assert_int_equal(receive(l, second + 90000, LEN), 2);
  link_free(l);

  // Those that arrive at one time stay in order, also if they overtake others.
  l = cable((struct link_config){.gbps = 0, .delay_ps = 100});
  send(l, 0, LEN, 1);
  link_set_delay(l, 50);
  for (uint32_t i = 2; i < 5; i++) send(l, 0, LEN, i);
  for (uint32_t i = 2; i < 5; i++) assert_int_equal(receive(l, 50, LEN), i);
  assert_int_equal(receive(l, 100, LEN), 1);
  link_free(l);
}

// --- what goes wrong ---

/// What became of MANY frames.
struct seen {
  uint64_t never, twice, overtaken, damaged, bad_fcs;
  uint64_t bits[4];   // damaged in so many
  struct link_counts counts;
};

static unsigned differing_bits(const uint8_t *a, const uint8_t *b, size_t len) {
  unsigned bits = 0;
  for (size_t i = 0; i < len; i++) bits += (unsigned)__builtin_popcount((unsigned)(a[i] ^ b[i]));
  return bits;
}

/// Frames whose number is damaged are told by the rest of them.
static uint32_t number_of(const uint8_t *data, size_t len, uint32_t about, uint8_t *due) {
  uint32_t number;
  memcpy(&number, data, sizeof number);
  mark(due, len, number);
  if (differing_bits(data, due, len) <= 3) return number;
  for (number = about > 50 ? about - 50 : 0; number < about + 50; number++) {
    mark(due, len, number);
    if (differing_bits(data, due, len) <= 3) return number;
  }
  fail_msg("a frame near %u is no frame that was sent", about);
  return 0;
}

static struct seen observe(struct link_faults faults, size_t len, uint64_t seed) {
  struct link *l = faulty(faults, seed);
  struct seen seen = {0};
  struct link_frame f;
  uint8_t due[LEN], *copies = calloc(MANY, 1);
  uint64_t now = 0;
  uint32_t latest = 0;
  assert_non_null(copies);
  for (uint32_t sent = 0; sent < MANY || link_due(l) != UINT64_MAX;) {
    if (sent < MANY) now = send(l, now, len, sent++);
    const uint64_t until = sent < MANY ? now : UINT64_MAX - 1;
    while (link_receive(l, until, &f)) {
      assert_int_equal(f.len, len);
      const uint32_t number = number_of(f.data, len, latest, due);
      const unsigned bits = differing_bits(f.data, due, len);
      assert_true(bits > 0 || !f.bad_fcs);
      assert_in_range(bits, 0, 3);
      seen.bits[bits]++;
      seen.damaged += bits > 0;
      seen.bad_fcs += f.bad_fcs;
      if (copies[number]++ == 0) seen.overtaken += number < latest;
      if (latest < number) latest = number;
    }
  }
  for (uint32_t i = 0; i < MANY; i++) {
    assert_in_range(copies[i], 0, 2);
    seen.never += copies[i] == 0;
    seen.twice += copies[i] == 2;
  }
  free(copies);
  seen.counts = link_counts(l);
  link_free(l);
  return seen;
}

/// `count` of `of` is what a probability of `p` gives, within five standard deviations.
static void about(uint64_t count, double p, double of) {
  const double off = (double)count - p * of;
  if (off * off > 25 * of * p * (1 - p)) fail_msg("%llu of %g instead of %g", (unsigned long long)count, of, p * of);
}

static void a_good_cable(void **state) {
  (void)state;
  const struct seen s = observe((struct link_faults){0}, LEN, 1);
  assert_int_equal(s.never + s.twice + s.overtaken + s.damaged + s.bad_fcs, 0);
  assert_int_equal(s.counts.lost + s.counts.doubled + s.counts.overtaken + s.counts.damaged, 0);
  assert_int_equal(s.counts.frames, MANY);
  assert_int_equal(s.counts.bytes, MANY * LEN);
}

static void loss(void **state) {
  (void)state;
  const double rates[] = {0.001, 0.1, 0.5};
  for (size_t i = 0; i < 3; i++) {
    const struct seen s = observe((struct link_faults){.loss = rates[i]}, LEN, i);
    about(s.never, rates[i], MANY);
    assert_int_equal(s.counts.lost, s.never);
    assert_int_equal(s.counts.frames, MANY);   // sent they were
    assert_int_equal(s.twice + s.overtaken + s.damaged, 0);
  }
  assert_int_equal(observe((struct link_faults){.loss = 1}, LEN, 9).never, MANY);
}

static void duplication(void **state) {
  (void)state;
  const struct seen s = observe((struct link_faults){.dup = 0.05}, LEN, 2);
  about(s.twice, 0.05, MANY);
  assert_int_equal(s.counts.doubled, s.twice);
  assert_int_equal(s.counts.frames, MANY);
  assert_int_equal(s.never + s.overtaken + s.damaged, 0);
}

static void reordering(void **state) {
  (void)state;
  const struct seen s = observe((struct link_faults){.reorder = 0.02}, LEN, 3);
  about(s.counts.overtaken, 0.02, MANY);
  // Each frame that is held back is overtaken by the next one, unless that is held back as well.
  assert_in_range(s.overtaken, s.counts.overtaken * 9 / 10, s.counts.overtaken);
  assert_int_equal(s.never + s.twice + s.damaged, 0);
}

static void damage(void **state) {
  (void)state;
  const struct seen s = observe((struct link_faults){.damage = 0.3}, LEN, 4);
  about(s.damaged, 0.3, MANY);
  assert_int_equal(s.counts.damaged, s.damaged);
  about(s.bad_fcs, 0.5, (double)s.damaged);
  for (int bits = 1; bits <= 3; bits++) about(s.bits[bits], 1.0 / 3, (double)s.damaged);
  assert_int_equal(s.never + s.twice + s.overtaken, 0);
}

/// No bit is flipped back, which in a short frame would happen often; and each bit can be hit.
static void every_damage_is_one(void **state) {
  (void)state;
  struct link *l = faulty((struct link_faults){.damage = 1}, 5);
  struct link_frame f;
  uint8_t frame[4] = {0}, hit[4] = {0};
  for (int i = 0; i < 2000; i++) {
    link_send(l, link_idle_at(l), frame, sizeof frame);
    assert_true(link_receive(l, UINT64_MAX - 1, &f));
    assert_in_range(differing_bits(f.data, frame, sizeof frame), 1, 3);
    for (size_t b = 0; b < sizeof frame; b++) hit[b] |= f.data[b];
  }
  for (size_t b = 0; b < sizeof hit; b++) assert_int_equal(hit[b], 0xFF);
  assert_int_equal(link_counts(l).damaged, 2000);
  link_free(l);
}

static void all_at_once(void **state) {
  (void)state;
  const struct seen s = observe((struct link_faults){0.1, 0.1, 0.1, 0.1}, LEN, 6);
  const double here = (double)(MANY - s.never);
  about(s.never, 0.1, MANY);
  about(s.twice, 0.1, here);
  about(s.counts.overtaken, 0.1, here);
  about(s.damaged, 0.1, here + (double)s.twice);
  assert_int_equal(s.counts.lost, s.never);
  assert_int_equal(s.counts.doubled, s.twice);
  assert_int_equal(s.counts.damaged, s.damaged);
}

/// Sends the same frames over both. Returns whether the same comes of it.
static bool alike(struct link *a, struct link *b) {
  struct link_frame f, g;
  bool same = true;
  uint64_t now = 0;
  for (uint32_t i = 0; i < 2000 && same; i++) {
    const uint64_t next = send(a, now, LEN, i);
    same = send(b, now, LEN, i) == next && link_due(a) == link_due(b);
    now = next;
    while (same && link_receive(a, now, &f))
      same = link_receive(b, now, &g) && f.len == g.len && f.bad_fcs == g.bad_fcs && memcmp(f.data, g.data, f.len) == 0;
  }
  link_free(a);
  link_free(b);
  return same;
}

static void same_seed_same_behaviour(void **state) {
  (void)state;
  const struct link_faults faults = {0.05, 0.05, 0.05, 0.05};
  for (uint64_t seed = 0; seed < 10; seed++) {
    assert_true(alike(faulty(faults, seed), faulty(faults, seed)));
    assert_false(alike(faulty(faults, seed), faulty(faults, seed + 1)));
  }
}

static void faults_may_begin_and_end(void **state) {
  (void)state;
  struct link *l = faulty((struct link_faults){0}, 7);
  const struct link_faults all = {.loss = 1}, none = {0};
  for (uint32_t i = 0; i < 30; i++) {
    link_set_faults(l, i / 10 == 1 ? &all : &none);
    send(l, link_idle_at(l), LEN, i);
  }
  struct link_frame f;
  for (uint32_t i = 0; i < 20; i++) {
    const uint32_t due = i < 10 ? i : i + 10;
    assert_true(link_receive(l, UINT64_MAX - 1, &f));
    assert_memory_equal(f.data, &due, sizeof due);
  }
  assert_int_equal(link_due(l), UINT64_MAX);
  link_free(l);
}

/// What is still under way goes with the cable; the sanitizer counts.
static void nothing_is_left(void **state) {
  (void)state;
  for (unsigned taken = 0; taken < 4; taken++) {
    struct link *l = faulty((struct link_faults){.dup = 1, .reorder = 0.5}, taken);
    struct link_frame f;
    for (uint32_t i = 0; i < 10; i++) send(l, link_idle_at(l), LEN, i);
    for (unsigned i = 0; i < taken; i++) assert_true(link_receive(l, UINT64_MAX - 1, &f));
    link_free(l);
  }
  link_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_frame_takes_its_time),
      cmocka_unit_test(back_to_back_is_line_rate),
      cmocka_unit_test(no_rate_is_no_time),
      cmocka_unit_test(grain),
      cmocka_unit_test(a_delay_may_change),
      cmocka_unit_test(a_good_cable),
      cmocka_unit_test(loss),
      cmocka_unit_test(duplication),
      cmocka_unit_test(reordering),
      cmocka_unit_test(damage),
      cmocka_unit_test(every_damage_is_one),
      cmocka_unit_test(all_at_once),
      cmocka_unit_test(same_seed_same_behaviour),
      cmocka_unit_test(faults_may_begin_and_end),
      cmocka_unit_test(nothing_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
