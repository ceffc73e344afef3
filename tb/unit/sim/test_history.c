// What the history keeps of a run, against lists of all that was told to it: frames and latencies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "unit/sim/history_told.h"

/// Bytes of a frame that are through after `cycles` of its `of` cycles.
static uint64_t through(uint64_t bytes, uint64_t cycles, uint64_t of) { return bytes * (cycles < of ? cycles : of) / of; }

struct frame {
  unsigned port;
  bool in;
  size_t bytes;
  uint64_t first, last;
};

static void check_frames(const struct history_view *v, const struct frame *frames, size_t count, uint64_t origin) {
  uint64_t end = 0;
  for (size_t i = 0; i < count; i++)
    if (frames[i].last - origin >= end) end = frames[i].last - origin + 1;
  assert_int_equal(v->end, end);
  assert_true(v->bucket_count <= HISTORY_BUCKETS && v->bucket_count * v->bucket_width >= end);
  assert_true(v->bucket_width == HISTORY_FIRST_WIDTH || 2 * end > HISTORY_BUCKETS * v->bucket_width);
  for (size_t b = 0; b < v->bucket_count; b++) {
    const uint64_t from = b * v->bucket_width, to = from + v->bucket_width;
    struct history_bucket want = {0};
    for (size_t i = 0; i < count; i++) {
      const struct frame *f = &frames[i];
      const uint64_t first = f->first - origin, cycles = f->last - f->first + 1;
      if (to <= first || from >= first + cycles) continue;
      const uint64_t bytes = through(f->bytes, to - first, cycles) - (from > first ? through(f->bytes, from - first, cycles) : 0);
      *(f->in ? &want.in[f->port] : &want.out[f->port]) += bytes;
    }
    assert_memory_equal(v->buckets[b].in, want.in, sizeof want.in);
    assert_memory_equal(v->buckets[b].out, want.out, sizeof want.out);
  }
  struct history_traffic in[HISTORY_PORTS] = {0}, out[HISTORY_PORTS] = {0};
  for (size_t i = 0; i < count; i++) {
    struct history_traffic *t = frames[i].in ? &in[frames[i].port] : &out[frames[i].port];
    t->frames++;
    t->bytes += frames[i].bytes;
  }
  assert_memory_equal(v->in, in, sizeof in);
  assert_memory_equal(v->out, out, sizeof out);
}

/// From runs of a few cycles to some that double the width of a bucket many times.
static void buckets_hold_every_byte(void **state) {
  (void)state;
  static struct frame frames[2000];
  const uint64_t spans[] = {100, HISTORY_FIRST_WIDTH * HISTORY_BUCKETS, HISTORY_FIRST_WIDTH * HISTORY_BUCKETS + 1, 50000,
                            3000000};
  for (size_t s = 0; s < sizeof spans / sizeof *spans; s++) {
    struct rng rng = rng_for(7, s);
    struct history *h = history_fresh(NULL, 0);
    const uint64_t origin = 1000 * s;
    const size_t count = s == 0 ? 5 : 2000;
    history_begin(h, origin);
    for (size_t i = 0; i < count; i++) {
      struct frame *f = &frames[i];
      *f = (struct frame){.port = rng_below(&rng, 16), .in = rng_percent(&rng, 50), .bytes = 1 + rng_below(&rng, 9000)};
      f->last = origin + (i + 1) * spans[s] / count - 1;
      const uint64_t cycles = rng_below(&rng, 200);
      f->first = f->last - origin > cycles ? f->last - cycles : origin;
      if (f->in)
        history_in(h, f->port, f->bytes, f->first, f->last);
      else
        history_out(h, f->port, f->bytes, f->first, f->last);
    }
    history_finish(h);
    check_frames(history_view(h), frames, count, origin);
    if (s == 1) assert_int_equal(history_view(h)->bucket_width, HISTORY_FIRST_WIDTH);
    if (s == 2) assert_int_equal(history_view(h)->bucket_width, 2 * HISTORY_FIRST_WIDTH);
    history_free(h);
  }
}

static void skipped_cycles_are_time(void **state) {
  (void)state;
  struct history *h = history_fresh(NULL, 0);
  history_begin(h, 500);
  history_in(h, 0, 64, 500, 500);
  history_skip(h, 40);
  history_in(h, 0, 128, 501, 502);
  history_finish(h);
  const struct history_view *v = history_view(h);
  assert_int_equal(v->end, 43);
  assert_int_equal(v->skipped, 40);
  assert_int_equal(v->bucket_count, 3);
  assert_int_equal(v->buckets[0].in[0], 64);
  assert_int_equal(v->buckets[1].in[0], 0);
  assert_int_equal(v->buckets[2].in[0], 128);
  history_free(h);
}

static void nothing_happened(void **state) {
  (void)state;
  struct history *h = history_fresh(NULL, 0);
  history_finish(h);
  const struct history_view *v = history_view(h);
  assert_true(v->end == 0 && v->bucket_count == 0 && v->latency_count == 0 && v->slots == 0);
  assert_true(v->slowest_count == 0 && v->waiting_all == 0);
  assert_int_equal(history_percentile(v, 99), 0);
  history_free(h);
}

// --- latencies ---

static int compare_u32(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static const struct drive_ring ring = {.enable = true, .id = 9, .workers = 3, .window = 2, .stride = 4};

static void histogram(uint32_t range, size_t count, uint64_t width) {
  struct rng rng = rng_for(range, count);
  struct history *h = history_fresh(&ring, 1);
  uint32_t *values = malloc(count * sizeof *values);
  uint64_t *bins = calloc(HISTORY_LATENCIES, sizeof *bins);
  assert_true(values != NULL && bins != NULL);
  for (size_t i = 0; i < count; i++) {
    values[i] = i == count / 2 ? range - 1 : rng_below(&rng, rng_percent(&rng, 90) ? range / 4 + 1 : range);
    history_result(h, 0, 0, 0, 0, i, values[i]);
    bins[values[i] / width]++;
  }
  const struct history_view *v = history_view(h);
  assert_int_equal(v->latency_width, width);
  assert_int_equal(v->latency_count, count);
  assert_memory_equal(v->latencies, bins, HISTORY_LATENCIES * sizeof *bins);
  qsort(values, count, sizeof *values, compare_u32);
  assert_int_equal(v->latency_min, values[0]);
  assert_int_equal(v->latency_max, values[count - 1]);
  const unsigned percents[] = {1, 50, 99, 100};
  for (size_t i = 0; i < 4; i++) {
    const uint64_t exact = values[(count * percents[i] + 99) / 100 - 1], told = history_percentile(v, percents[i]);
    assert_true(told >= exact && told < exact + width);
  }
  free(values);
  free(bins);
  history_free(h);
}

static void every_latency_is_in_its_bin(void **state) {
  (void)state;
  histogram(1, 1, 1);
  histogram(300, 1, 1);
  histogram(300, 2, 1);
  histogram(500, 9999, 1);
  histogram(HISTORY_LATENCIES, 5000, 1);
  histogram(HISTORY_LATENCIES + 1, 5000, 2);
  histogram(20 * HISTORY_LATENCIES, 5000, 32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buckets_hold_every_byte),
      cmocka_unit_test(skipped_cycles_are_time),
      cmocka_unit_test(nothing_happened),
      cmocka_unit_test(every_latency_is_in_its_bin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
