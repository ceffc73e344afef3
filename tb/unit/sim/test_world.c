// A world of parts and cables: what comes when, and in which order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/engine/world/heap.h"
#include "sim/engine/world/world.h"

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void test_heap_beside_a_sorted_list(void **state) {
  (void)state;
  enum { KEYS = 3000 };
  uint64_t keys[KEYS];
  struct heap h = {0};
  struct rng d = rng_for(3, 4);
  for (unsigned i = 0; i < KEYS; i++) {
    keys[i] = rng_below(&d, 500);
    heap_put(&h, keys[i]);
  }
  qsort(keys, KEYS, sizeof *keys, compare);
  for (unsigned i = 0; i < KEYS; i++) {
    assert_int_equal(h.keys[0], keys[i]);
    if (i % 2 == 0) {
      heap_drop(&h);
    } else {   // the same by replacing, and taking what was put
      heap_replace(&h, 0);
      heap_drop(&h);
    }
  }
  assert_int_equal(h.count, 0);
  free(h.keys);
}

// Parts that write down what happens to them.
enum { LOG = 64 };
struct logger {
  struct world *world;
  unsigned count;
  struct {
    uint64_t time;
    uint32_t what;
  } log[LOG];
};

static void note(struct logger *l, uint32_t what) {
  assert_true(l->count < LOG);
  l->log[l->count].time = world_now(l->world);
  l->log[l->count++].what = what;
}
static void arrive(void *part, uint32_t port, const struct world_packet *packet) { note(part, 100 * (port + 1) + packet->psn); }
static void wake(void *part, uint32_t timer) { note(part, timer); }
static const struct world_acts acts = {arrive, wake};

static void test_order(void **state) {
  (void)state;
  struct logger a = {.world = world_new()}, b = {.world = a.world};
  const uint32_t pa = world_part(a.world, &acts, &a, 2, 0), pb = world_part(a.world, &acts, &b, 2, 0);
  const uint32_t slow = world_cable(a.world, pa, pb, 0, 1000), fast = world_cable(a.world, pa, pb, 1, 10);
  assert_true(world_ready(a.world));
  // The timers' time is that of both packets: first the cables, by their numbers, then the timers, by theirs.
  world_wake(a.world, pb, 1, 2000);
  world_wake(a.world, pb, 0, 2000);
  for (uint32_t psn = 0; psn < 10; psn++) world_send(a.world, slow, 100 * psn + 1000, &(struct world_packet){.psn = psn});
  world_send(a.world, fast, 1990, &(struct world_packet){.psn = 1});
  assert_false(world_run(a.world, WORLD_END, UINT64_MAX));
  assert_int_equal(b.count, 13);
  assert_int_equal(b.log[0].what, 100);
  assert_int_equal(b.log[0].time, 2000);
  assert_int_equal(b.log[1].what, 201);
  assert_int_equal(b.log[2].what, 0);
  assert_int_equal(b.log[3].what, 1);
  for (uint32_t psn = 1; psn < 10; psn++) {
    assert_int_equal(b.log[3 + psn].what, 100 + psn);
    assert_int_equal(b.log[3 + psn].time, 2000 + 100 * psn);
  }
  assert_int_equal(a.count, 0);
  assert_int_equal(world_events(a.world), 13);
  world_free(a.world);
}

static void test_a_timer_keeps_the_earliest(void **state) {
  (void)state;
  struct logger a = {.world = world_new()};
  const uint32_t p = world_part(a.world, &acts, &a, 1, 0);
  world_wake(a.world, p, 0, 500);
  world_wake(a.world, p, 0, 300);
  world_wake(a.world, p, 0, 400);
  assert_false(world_run(a.world, WORLD_END, UINT64_MAX));
  assert_int_equal(a.count, 1);
  assert_int_equal(a.log[0].time, 300);
  world_free(a.world);
}

static void test_runs_up_to_a_time(void **state) {
  (void)state;
  struct logger a = {.world = world_new()};
  const uint32_t p = world_part(a.world, &acts, &a, 3, 0);
  for (uint32_t t = 0; t < 3; t++) world_wake(a.world, p, t, 100 * t);
  assert_true(world_run(a.world, 100, UINT64_MAX));
  assert_int_equal(a.count, 2);
  assert_true(world_run(a.world, WORLD_END, 0));
  assert_false(world_run(a.world, WORLD_END, 1));
  assert_int_equal(a.count, 3);
  world_free(a.world);
}

// The hash tells another order and another time.
static uint64_t hash_of(uint64_t first, uint64_t second) {
  struct logger a = {.world = world_new()};
  const uint32_t p = world_part(a.world, &acts, &a, 2, 0);
  world_wake(a.world, p, 0, first);
  world_wake(a.world, p, 1, second);
  world_run(a.world, WORLD_END, UINT64_MAX);
  const uint64_t hash = world_hash(a.world);
  world_free(a.world);
  return hash;
}

static void test_hash(void **state) {
  (void)state;
  assert_true(hash_of(10, 20) == hash_of(10, 20));
  assert_true(hash_of(10, 20) != hash_of(20, 10));
  assert_true(hash_of(10, 20) != hash_of(10, 21));
}

// A part that keeps the frames that come.
struct keeper {
  unsigned count;
  struct world_frame *frames[4];
};
static void keep(void *part, uint32_t port, const struct world_packet *packet) {
  struct keeper *k = part;
  (void)port;
  k->frames[k->count++] = packet->frame;
}
static const struct world_acts keeps = {keep, wake};

// Three frames of 11, 0 and 5 bytes, with `first` in front and `behind` at the end, of which the last is still under way when the world ends.
static uint64_t hash_of_frames(uint8_t first, uint8_t behind) {
  const uint8_t bytes[11] = {first, 1, 2, 3, 4, 5, 6, 7, 8, 9, behind};
  const size_t sizes[3] = {11, 0, 5};
  struct keeper a = {0}, b = {0};
  struct world *w = world_new();
  const uint32_t pa = world_part(w, &keeps, &a, 0, 0), pb = world_part(w, &keeps, &b, 0, 0);
  const uint32_t cable = world_cable(w, pa, pb, 0, 1000);
  for (unsigned i = 0; i < 3; i++)
    world_send(w, cable, 100 * i, &(struct world_packet){.kind = PACKET_BYTES, .frame = world_frame_new(bytes, sizes[i])});
  assert_true(world_run(w, 1150, UINT64_MAX));
  assert_int_equal(b.count, 2);
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(b.frames[i]->len, sizes[i]);
    assert_memory_equal(b.frames[i]->data, bytes, sizes[i]);
    free(b.frames[i]);
  }
  const uint64_t hash = world_hash(w);
  world_free(w);
  return hash;
}

static void test_frames(void **state) {
  (void)state;
  assert_int_equal(sizeof(struct world_packet), 64);
  assert_true(hash_of_frames(1, 2) == hash_of_frames(1, 2));
  assert_true(hash_of_frames(1, 2) != hash_of_frames(2, 2));
  assert_true(hash_of_frames(1, 2) != hash_of_frames(1, 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_heap_beside_a_sorted_list),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_a_timer_keeps_the_earliest),
                                     cmocka_unit_test(test_runs_up_to_a_time),
                                     cmocka_unit_test(test_hash),
                                     cmocka_unit_test(test_frames)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
