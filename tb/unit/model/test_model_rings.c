// Rings and connections of the golden model: what can be set up, what registration and flush do, the sizes of a ring.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "unit/gradient.h"
#include "unit/model/model_bench.h"

enum { H = 2 };

static struct gradient packet(unsigned rank, uint32_t msgid, unsigned offset) { return bench_packet(H, rank, msgid, offset); }

static void registration_is_checked(void **state) {
  struct bench *b = *state;
  struct conn_key key = packet(0, 0, 0).build.key;
  struct conn_key other = packet(1, 0, 0).build.key;
  assert_int_equal(model_connect(b->m, 3, 0, &key), -EINVAL);
  assert_int_equal(model_connect(b->m, 0, H, &key), -EINVAL);
  assert_int_equal(model_connect(b->m, 0, 0, &key), 0);
  assert_int_equal(model_connect(b->m, 0, 0, &other), -EINVAL);   // the rank is taken
  assert_int_equal(model_connect(b->m, 0, 1, &key), -EINVAL);     // the connection is
  for (unsigned ring = 0; ring < 3; ring++)
    for (unsigned rank = 0; rank < H; rank++, other.qpn++)
      if (ring != 0 || rank != 0) assert_int_equal(model_connect(b->m, ring, rank, &other), 0);
  assert_int_equal(model_connect(b->m, 2, 1, &other), -EINVAL);
  bench_decide(b, 0, 0, 0, FATE_STORED);   // a registered connection takes part at once
}

static void rings_are_apart(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 0, 0);
  struct gradient g = packet(0, 0, 0);
  g.ina.ring = BENCH_OTHER_RING;
  g.build.key.qpn = 0x900;
  bench_store(b, 1, &g);
  assert_int_equal(b->v.ring, 1);
  assert_false(b->v.completes);
  model_flush(b->m, 1);
  bench_add(b, 0, 0, 1);   // ring 0 has not noticed
  bench_decide(b, 0, 0, 0, FATE_DUPLICATE);
  bench_rx(b, 1, &g, FATE_STORED);
}

static void flush_forgets(void **state) {
  struct bench *b = *state;
  for (unsigned rank = 0; rank < H; rank++) bench_add(b, rank, 5, 0);
  assert_int_equal(model_owed(b->m), H);
  model_flush(b->m, 0);
  assert_int_equal(model_owed(b->m), 0);
  bench_decide(b, 0, 5, 1, FATE_RETIRED);   // its receiver may expect just this one
  struct gradient g = packet(0, 1, 0);
  g.build.key.qpn++;   // and its rank free for another
  bench_store(b, 0, &g);
  bench_decide(b, 0, 1, 0, FATE_RANK_CONFLICT);
  model_flush(b->m, 99);   // no such ring
}

/// A retired connection comes back with a message of a ring that learns, or is released.
static void retired_connections_come_back_or_go(void **state) {
  struct bench *b = *state;
  const struct conn_key key = packet(0, 0, 0).build.key;
  assert_false(model_retire(b->m, &key));
  assert_false(model_release(b->m, &key));
  bench_decide(b, 0, 5, 1, FATE_PASSED);
  bench_add(b, 0, 5, 0);
  assert_false(model_release(b->m, &key));
  assert_true(model_retire(b->m, &key));
  assert_false(model_retire(b->m, &key));
  bench_decide(b, 0, 5, 1, FATE_RETIRED);
  assert_int_equal(model_connect(b->m, 1, 0, &key), -EINVAL);
  struct gradient g = packet(0, 5, 0);
  g.ina.ring = 9;   // of a ring that does not learn
  bench_rx(b, 0, &g, FATE_RETIRED);
  g.ina.ring = BENCH_OTHER_RING;
  bench_store(b, 0, &g);   // anew, in another ring
  assert_true(model_retire(b->m, &key));
  assert_true(model_release(b->m, &key));
  bench_decide(b, 0, 5, 1, FATE_PASSED);
  bench_decide(b, 0, 5, 0, FATE_DUPLICATE);   // its first packet is in the first ring's column still
  model_close(b->m, 0, true);
  model_open(b->m, 0);
  bench_decide(b, 0, 5, 1, FATE_PASSED);   // the ring and all its connections were released
}

/// While a ring is flushed its results still leave, and its packets are dropped.
static void a_closed_ring_drops(void **state) {
  struct bench *b = *state;
  const struct conn_key key = packet(0, 0, 0).build.key;
  assert_int_equal(model_connect(b->m, 0, 0, &key), 0);
  for (unsigned rank = 0; rank < H; rank++) bench_add(b, rank, 5, 0);
  model_close(b->m, 0, false);
  bench_decide(b, 0, 5, 1, FATE_RETIRED);   // registered
  bench_decide(b, 1, 6, 0, FATE_RETIRED);   // learned
  struct gradient g = packet(0, 6, 0);
  g.build.key.qpn += 77;
  bench_rx(b, 0, &g, FATE_CLOSED);
  bench_take(b, 5, 0, 1, 1);
  model_open(b->m, 0);
  assert_int_equal(model_owed(b->m), 0);
  bench_decide(b, 0, 6, 0, FATE_STORED);
}

/// A port that is not open passes nothing that is no ring's.
static void a_port_is_opened(void **state) {
  struct bench *b = *state;
  model_set_open(b->m, 0, false);
  bench_decide(b, 0, 5, 1, FATE_CLOSED);
  bench_add(b, 0, 5, 0);
  struct gradient g = packet(0, 5, 0);
  g.ina.ring = 4711;
  g.build.key.qpn += 77;
  bench_rx(b, 0, &g, FATE_CLOSED);
  bench_rx(b, 1, &g, FATE_PASSED);
  model_set_open(b->m, 0, true);
  bench_rx(b, 0, &g, FATE_PASSED);
}

static void flush_keeps_what_was_registered(void **state) {
  struct bench *b = *state;
  const struct conn_key key = packet(0, 0, 0).build.key;
  assert_int_equal(model_connect(b->m, 0, 0, &key), 0);
  for (unsigned rank = 0; rank < H; rank++) bench_add(b, rank, 5, 0);
  model_flush(b->m, 0);
  assert_int_equal(model_owed(b->m), 0);
  struct gradient g = packet(0, 1, 0);
  g.build.key.qpn++;
  bench_rx(b, 0, &g, FATE_RANK_CONFLICT);           // the rank is still taken
  bench_decide(b, 0, 5, 1, FATE_UNKNOWN_MESSAGE);   // the history is gone, the connection is not
  bench_decide(b, 0, 1, 0, FATE_STORED);            // and an older MsgID is not stale
}

/// The oldest column that some have sent and not all; a decided packet counts when it is in place.
static void tells_who_is_missing(void **state) {
  struct bench *b = *state;
  struct model_waiting w;
  assert_false(model_waiting(b->m, 0, &w));
  assert_false(model_waiting(b->m, 99, &w));
  for (unsigned rank = 0; rank < H; rank++) bench_add(b, rank, UINT32_MAX, 0);
  assert_false(model_waiting(b->m, 0, &w));
  bench_add(b, 1, 0, 0);   // newer, for MsgIDs wrap
  bench_add(b, 0, UINT32_MAX, 2);
  bench_add(b, 0, UINT32_MAX, 1);
  assert_true(model_waiting(b->m, 0, &w));
  assert_true(w.msgid == UINT32_MAX && w.offset == 1 && w.ranks == 2);
  bench_decide(b, 1, UINT32_MAX, 1, FATE_STORED);
  assert_true(model_waiting(b->m, 0, &w));
  assert_int_equal(w.offset, 1);
  bench_commit(b, 0);
  bench_add(b, 1, UINT32_MAX, 2);
  assert_true(model_waiting(b->m, 0, &w));
  assert_true(w.msgid == 0 && w.offset == 0 && w.ranks == 1);
  assert_false(model_waiting(b->m, 1, &w));
  model_flush(b->m, 0);
  assert_false(model_waiting(b->m, 0, &w));
}

static void a_ring_gets_another_name(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 5, 0);
  model_rename(b->m, 0, 77);
  model_rename(b->m, 99, 78);                  // no such ring
  bench_decide(b, 0, 5, 0, FATE_BAD_HEADER);   // its connection is known still
  model_flush(b->m, 0);
  bench_decide(b, 0, 5, 0, FATE_RETIRED);   // and now it is forgotten
  struct gradient g = packet(1, 5, 0);
  g.ina.ring = 77;
  bench_store(b, 0, &g);
}

static void impossible_limits(void **state) {
  (void)state;
  struct model_limits limits = {.ports = 1, .ranks = 4, .conns = 4, .slot_bytes = 64, .max_frame_bytes = 9728};
  const struct model_ring bad[] = {
      {1, 4, 3, 1, true}, {1, 4, 0, 1, true}, {1, 5, 1, 1, true}, {1, 0, 1, 1, true}, {1, 4, 1, 0, true}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_null(model_new(&limits, &bad[i], 1));
  model_free(NULL);
  limits.ranks = 33;
  assert_null(model_new(&limits, NULL, 0));
  limits.ranks = 0;
  assert_null(model_new(&limits, NULL, 0));
  limits.ranks = 4;
  limits.ports = 0;
  assert_null(model_new(&limits, NULL, 0));
}

static void ring_of(struct bench *b, unsigned workers, uint32_t all) {
  bench_stop(b);
  bench_start(b, workers, 1);
  for (unsigned rank = 0; rank < workers; rank++) {
    struct gradient g = bench_packet(workers, rank, 0, 0);
    bench_store(b, rank % 3, &g);
    assert_int_equal(b->v.completes, rank + 1 == workers);
  }
  bench_take(b, 0, 0, all, (int)workers);
  for (unsigned rank = 0; rank < workers; rank++) assert_int_equal(b->frames[rank].port, rank % 3);
}

/// A job goes and another one comes: with its own RingID, shape and connections.
static void a_ring_goes_and_comes(void **state) {
  struct bench *b = *state;
  unsigned used, retired;
  bench_add(b, 0, 5, 0);
  model_disable_ring(b->m, 0, true);
  bench_decide(b, 0, 5, 1, FATE_RETIRED);
  bench_decide(b, 1, 5, 0, FATE_CLOSED);   // a stranger with its RingID
  model_disable_ring(b->m, 0, false);
  bench_decide(b, 0, 5, 1, FATE_RETIRED);
  bench_decide(b, 1, 5, 0, FATE_PASSED);
  model_flush(b->m, 0);
  model_connections(b->m, &used, &retired);
  assert_int_equal(used, 1);
  assert_int_equal(retired, 1);
  const struct model_ring other = {.id = 77, .workers = 1, .window = 4, .stride = 2, .learn = true};
  assert_int_equal(model_set_ring(b->m, 0, &other), 0);
  assert_int_equal(model_set_ring(b->m, 99, &other), -EINVAL);
  assert_int_equal(model_release_retired(b->m), 1);
  struct gradient g = packet(0, 9, 0);
  g.ina = (struct ina_header){.ring = 77, .kind = g.ina.kind, .msgid = 9, .msglen = 2, .workers = 1};
  bench_store(b, 0, &g);
  assert_true(model_complete(b->m, 0, 9, 0));
  model_connections(b->m, &used, &retired);
  assert_int_equal(used, 1);
  assert_int_equal(retired, 0);
}

static void smallest_and_largest_ring(void **state) {
  ring_of(*state, 1, 1);
  ring_of(*state, 32, UINT32_MAX);
}

static int fresh(void **state) { return bench_fresh(state, H, 2); }

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, bench_done)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(registration_is_checked),
      CASE(rings_are_apart),
      CASE(flush_forgets),
      CASE(flush_keeps_what_was_registered),
      CASE(tells_who_is_missing),
      CASE(a_ring_gets_another_name),
      CASE(retired_connections_come_back_or_go),
      CASE(a_closed_ring_drops),
      CASE(a_port_is_opened),
      CASE(a_ring_goes_and_comes),
      cmocka_unit_test(impossible_limits),
      CASE(smallest_and_largest_ring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
