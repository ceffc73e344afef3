// Hosts of an aggregation tree (host/tree/tree_engine.c) above fake links and a node that is a few lines: results, locks that are taken on the way, and for
// whatever goes wrong a verdict in bounded time, after which nobody uses the operation's memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "unit/host/net/fake_tree.h"
#include "wire/reduce.h"
#include "wire/roce.h"

static void check_verdicts(const struct fake_tree *b, enum tree_verdict verdict) {
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) assert_int_equal(tree_engine_answer(&b->hosts[h].engine)->verdict, verdict);
}

static void check_result(const struct fake_tree *b, enum tree_operation operation, uint32_t length) {
  static const uint8_t nothing[FAKE_TREE_ROOM];
  uint8_t right[FAKE_TREE_ROOM];
  const uint8_t *rows[FAKE_TREE_HOSTS] = {b->hosts[0].input, b->hosts[1].input, b->hosts[2].input};
  check_verdicts(b, TREE_OK);
  assert_int_equal(ina_reduce(INA_INT32, rows, FAKE_TREE_HOSTS, length, right), 0);
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) {
    const bool wants = operation == TREE_ALL_REDUCE || (operation == TREE_REDUCE) == (h == 2);
    const uint8_t *expected = !wants ? nothing : operation == TREE_BROADCAST ? b->hosts[2].input : right;
    assert_memory_equal(b->hosts[h].output, expected, length);
  }
}

static void everything_is_right(void **state) {
  static const enum tree_operation operations[] = {TREE_ALL_REDUCE, TREE_REDUCE, TREE_BROADCAST};
  static const uint32_t lengths[] = {4, 64, 1024, 4096};
  (void)state;
  struct fake_tree *b = fake_tree_open(2);
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
      for (int streams = lengths[l] > TREE_LLT_MOST; streams < 2; streams++) {
        fake_tree_run(b, operations[i], streams, lengths[l]);
        check_result(b, operations[i], lengths[l]);
      }
    }
    fake_tree_run(b, TREE_BARRIER, false, 0);
    check_verdicts(b, TREE_OK);
  }
  assert_int_equal(b->locks, 6);   // 12 streaming operations, two a lock
  free(b);
}

static void locks_are_asked_for_again(void **state) {
  (void)state;
  struct fake_tree *b = fake_tree_open(0);
  b->locks_fail = FAKE_TREE_TRIES - 1;
  fake_tree_run(b, TREE_ALL_REDUCE, true, 256);
  check_result(b, TREE_ALL_REDUCE, 256);
  fake_tree_run(b, TREE_ALL_REDUCE, true, 256);   // it has no end
  assert_int_equal(b->locks, FAKE_TREE_TRIES);
  fake_tree_run(b, TREE_UNLOCK, false, 0);
  b->locks_fail = FAKE_TREE_TRIES;
  fake_tree_run(b, TREE_ALL_REDUCE, true, 256);
  check_verdicts(b, TREE_LOCK_FAILED);
  assert_int_equal(tree_engine_answer(&b->hosts[0].engine)->holder_group, 3);
  assert_int_equal(tree_engine_answer(&b->hosts[0].engine)->count, 7);
  fake_tree_run(b, TREE_LOCK, false, 0);
  check_verdicts(b, TREE_OK);
  fake_tree_run(b, TREE_ALL_REDUCE, true, 256);
  check_result(b, TREE_ALL_REDUCE, 256);
  free(b);
}

/// Whatever happens at host 1 in either tree: all have a verdict, and the next operations do not hang either.
static void whatever_goes_wrong(void **state) {
  static const enum fake_tree_trouble troubles[] = {FAKE_TREE_SILENT,     FAKE_TREE_FAILS,      FAKE_TREE_NO_HEADER,
                                                    FAKE_TREE_OTHER_SIZE, FAKE_TREE_LONGER,     FAKE_TREE_OTHER_LENGTH,
                                                    FAKE_TREE_NO_VECTOR,  FAKE_TREE_FROM_FUTURE};
  (void)state;
  for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) {
    for (int streams = 0; streams < 2; streams++) {
      struct fake_tree *b = fake_tree_open(1);
      b->trouble = troubles[i];
      b->at = streams ? 2 : 1;
      fake_tree_run(b, TREE_ALL_REDUCE, streams, 512);
      assert_int_equal(tree_engine_answer(&b->hosts[1].engine)->verdict,
                       troubles[i] == FAKE_TREE_SILENT ? TREE_TIME_OUT : TREE_LOST);
      fake_tree_run(b, TREE_ALL_REDUCE, true, 512);   // the streaming tree is gone in both cases
      // Whose low-latency connection is broken can tell nobody: it is missed.
      if (troubles[i] == FAKE_TREE_FAILS && !streams)
        for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++)
          assert_int_not_equal(tree_engine_answer(&b->hosts[h].engine)->verdict, TREE_OK);
      else
        check_verdicts(b, TREE_NO_TREE);
      fake_tree_run(b, TREE_BARRIER, false, 0);
      check_verdicts(b, streams ? TREE_OK : TREE_NO_TREE);
      assert_true(b->hosts[1].teardowns == 1 || (troubles[i] == FAKE_TREE_FAILS && !streams) || troubles[i] == FAKE_TREE_SILENT);
      free(b);
    }
  }
}

static void what_the_network_says(void **state) {
  (void)state;
  struct fake_tree *b = fake_tree_open(1);
  for (unsigned late = 0; late < 2; late++) {
    b->trouble = late ? FAKE_TREE_TIMES_OUT : FAKE_TREE_DENIES;
    b->at = 1 + 2 * late;
    fake_tree_run(b, TREE_ALL_REDUCE, false, 64);
    check_verdicts(b, late ? TREE_TIME_OUT : TREE_DENIED);
    assert_int_equal(tree_engine_answer(&b->hosts[0].engine)->port, 2);
    fake_tree_run(b, TREE_ALL_REDUCE, false, 64);
    check_result(b, TREE_ALL_REDUCE, 64);
  }
  b->trouble = FAKE_TREE_TEARS;
  b->at = 6;
  fake_tree_run(b, TREE_ALL_REDUCE, true, 4096);
  check_verdicts(b, TREE_LOST);
  assert_int_equal(tree_engine_answer(&b->hosts[2].engine)->node, 4);
  fake_tree_run(b, TREE_ALL_REDUCE, true, 4096);
  check_verdicts(b, TREE_NO_TREE);
  fake_tree_run(b, TREE_ALL_REDUCE, false, 1024);
  check_result(b, TREE_ALL_REDUCE, 1024);
  free(b);
}

/// Results by multicast, of which a host may miss some: taken once, whichever comes first, and the reliable copy is known behind other operations, too.
static void multicasts(void **state) {
  static const enum tree_operation operations[] = {TREE_ALL_REDUCE, TREE_REDUCE, TREE_BROADCAST, TREE_ALL_REDUCE};
  (void)state;
  struct fake_tree *b = fake_tree_open(2);
  b->multicasts = true;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    for (int streams = 0; streams < 2; streams++) {
      fake_tree_run(b, operations[i], streams, streams ? 4096 : 1024);
      check_result(b, operations[i], streams ? 4096 : 1024);
    }
    fake_tree_run(b, TREE_BARRIER, false, 0);
    check_verdicts(b, TREE_OK);
  }
  assert_int_equal(b->hosts[0].engine.casts, 4 + 4 + 2);   // vectors, barriers, locks
  assert_int_equal(b->hosts[1].engine.casts + b->hosts[2].engine.casts, 0);
  assert_false(tree_engine_quiet(&b->hosts[0].engine));   // a copy is to come
  b->multicasts = false;
  fake_tree_run(b, TREE_BARRIER, false, 0);
  check_verdicts(b, TREE_OK);
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) assert_true(tree_engine_quiet(&b->hosts[h].engine));
  free(b);
}

/// A multicast of somebody else: when the reliable answer says something else, the tree is given up.
static void multicasts_that_lie(void **state) {
  (void)state;
  for (int of_it = 0; of_it < 2; of_it++) {
    struct fake_tree *b = fake_tree_open(1);
    b->multicasts = true;
    b->trouble = of_it ? FAKE_TREE_LIES_OF_IT : FAKE_TREE_LIES;
    b->at = 1;
    fake_tree_run(b, of_it ? TREE_BARRIER : TREE_ALL_REDUCE, false, of_it ? 0 : 64);
    assert_int_equal(tree_engine_answer(&b->hosts[0].engine)->verdict, TREE_OK);
    fake_tree_run(b, TREE_BARRIER, false, 0);
    fake_tree_run(b, TREE_BARRIER, false, 0);
    check_verdicts(b, TREE_NO_TREE);
    assert_int_equal(b->hosts[0].teardowns, 1);
    free(b);
  }
}

static void what_cannot_be_begun(void **state) {
  (void)state;
  struct fake_tree *b = fake_tree_open(1);
  struct tree_engine *e = &b->hosts[0].engine;
  struct tree_engine_order o = fake_tree_order(b, 0, TREE_ALL_REDUCE, false, 1028);
  assert_int_equal(tree_engine_start(e, &o, 0), -EMSGSIZE);
  o.streams = true;
  o.length = TREE_MOST + 4;   // a message of more than 2^31 bytes
  assert_int_equal(tree_engine_start(e, &o, 0), -EMSGSIZE);
  o.length = 6;
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o.length = 0;
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o.length = 8;
  o.type = 0x33;
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o = fake_tree_order(b, 0, TREE_BARRIER, false, 4);
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o = fake_tree_order(b, 0, TREE_BARRIER, false, 0);
  assert_int_equal(tree_engine_start(e, &o, 0), 0);
  assert_int_equal(tree_engine_start(e, &o, 0), -EBUSY);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_right),  cmocka_unit_test(locks_are_asked_for_again),
      cmocka_unit_test(whatever_goes_wrong),  cmocka_unit_test(what_the_network_says),
      cmocka_unit_test(multicasts),           cmocka_unit_test(multicasts_that_lie),
      cmocka_unit_test(what_cannot_be_begun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
