// The host library as a program sees it, over a fake libibverbs: every host is a thread. What is reduced is right, and whatever goes wrong is
// an error and a sentence in bounded time, with nothing left open.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "host/weir/coll.h"
#include "unit/host/coll_hosts.h"
#include "unit/host/net/fake_verbs.h"

// --- what should be ---

static void everything_is_reduced(void **state) {
  static const size_t counts[] = {1, 2, 3, 251, 252, 253, 700};
  (void)state;
  for (unsigned i = 0; i < 3 * 12 * 2; i++) {
    const struct fake_options o = {.hosts = HOSTS, .sums = i % 2 == 0};
    struct plan p = plan_of((enum weir_coll_verb)(i / 2 % 3), PLENTY_MS);
    struct host hosts[HOSTS];
    p.type = (enum weir_coll_type)(i / 6 % 4);
    p.op = (enum weir_coll_op)(i / 24);
    p.count = counts[i % 7];
    p.in_place = i % 5 < 2;
    p.registered = i % 4 == 1 || i % 4 == 2;
    p.config.window = 1 + i % 3;
    p.config.way = i % 9 == 7 ? WEIR_COLL_HOSTS : WEIR_COLL_AUTO;
    if (p.config.way == WEIR_COLL_HOSTS && o.sums) continue;
    run(&p, &o, HOSTS, hosts);
    expect_good(hosts, o.sums);
  }
}

/// A neighbour whose address is asked for in vain four times is found by the fifth question.
static void neighbours_are_asked_again(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true, .unanswered = 4};
  struct plan p = plan_of(WEIR_COLL_WRITE_IMM, PLENTY_MS);
  struct host hosts[HOSTS];
  (void)state;
  run(&p, &o, HOSTS, hosts);
  expect_good(hosts, true);
}

/// Others may write where messages land, one host's landing slots and no more; where a SEND goes they may not write at all.
static void only_landing_slots_are_written(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true};
  const size_t landing = 4u * MTU * MSGLEN;   // two slots for each message of the window of 2
  (void)state;
  for (enum weir_coll_verb verb = WEIR_COLL_WRITE; verb <= WEIR_COLL_SEND; verb++) {
    struct plan p = plan_of(verb, PLENTY_MS);
    struct host hosts[HOSTS];
    assert_int_equal(run(&p, &o, HOSTS, hosts), verb == WEIR_COLL_SEND ? 0 : HOSTS * landing);
    expect_good(hosts, true);
  }
}

static void hosts_meet_by_an_all_gather_of_the_program(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true};
  struct plan p = plan_of(WEIR_COLL_WRITE_IMM, PLENTY_MS);
  struct host hosts[HOSTS];
  (void)state;
  p.by_memory = true;
  run(&p, &o, HOSTS, hosts);
  expect_good(hosts, true);
}

// --- what goes wrong in the middle ---

/// Message 3 of host 1 goes wrong: it (or host 0, which sent it) says this, and nobody waits forever.
static void expect(const struct plan *plan, enum fake_trouble trouble, unsigned who, int code, const char *text) {
  const struct fake_options o = {.hosts = HOSTS, .sums = plan->config.way != WEIR_COLL_HOSTS, .trouble = trouble, .at = 3};
  struct plan p = *plan;
  struct host hosts[HOSTS];
  p.count = MOST / 4;
  run(&p, &o, HOSTS, hosts);
  for (unsigned r = 0; r < HOSTS; r++) {
    assert_int_equal(hosts[r].opened, 0);
    // Later ones need not notice in the first all-reduce.
    assert_int_not_equal(hosts[r].again, 0);
    if (hosts[r].reduced != 0) assert_int_equal(hosts[r].again, hosts[r].reduced);
    assert_string_not_equal(hosts[r].text, "");
  }
  if (hosts[who].reduced != code || strstr(hosts[who].text, text) == NULL)
    print_message("host %u: %d, %s; not %d, %s\n", who, hosts[who].reduced, hosts[who].text, code, text);
  assert_int_equal(hosts[who].reduced, code);
  assert_non_null(strstr(hosts[who].text, text));
}

static void expect_trouble(enum fake_trouble trouble, enum weir_coll_verb verb, unsigned who, int code, const char *text) {
  const struct plan p = plan_of(verb, SHORT_MS);
  expect(&p, trouble, who, code, text);
}

static void wrong_answers(void **state) {
  (void)state;
  expect_trouble(FAKE_OTHER_HEADER, WEIR_COLL_WRITE_IMM, 1, -EPROTO, "result 3 has a wrong INA header");
  expect_trouble(FAKE_OTHER_HEADER, WEIR_COLL_WRITE, 1, -EPROTO, "result 3 has a wrong INA header");
  expect_trouble(FAKE_SHORT, WEIR_COLL_SEND, 1, -EPROTO, "result 3 has 1020 bytes, not 1024");
  expect_trouble(FAKE_TOO_LONG, WEIR_COLL_SEND, 1, -EPROTO, "connection is broken");
  // A result is known by its mark, and a host takes another one only if it is told to.
  expect_trouble(FAKE_RAW, WEIR_COLL_WRITE_IMM, 1, -EBADMSG, "result 3 carries no mark");
  expect_trouble(FAKE_RAW, WEIR_COLL_SEND, 1, -EBADMSG, "result 3 carries no mark");
}

static void queue_pairs_that_fail(void **state) {
  (void)state;
  expect_trouble(FAKE_ENDED, WEIR_COLL_WRITE_IMM, 1, -ECONNRESET, "connection is broken");
  expect_trouble(FAKE_BROKEN, WEIR_COLL_SEND, 1, -EIO, "connection is broken");
}

static void a_peer_that_is_gone(void **state) {
  (void)state;
  expect_trouble(FAKE_NOBODY_THERE, WEIR_COLL_WRITE_IMM, 0, -EHOSTUNREACH, "nobody answers");
  expect_trouble(FAKE_NOBODY_THERE, WEIR_COLL_WRITE, 0, -EHOSTUNREACH, "nobody answers");
  expect_trouble(FAKE_LATE_SILENCE, WEIR_COLL_WRITE_IMM, 1, -ETIMEDOUT, "no progress for 1.0 s");
  expect_trouble(FAKE_LATE_SILENCE, WEIR_COLL_WRITE, 1, -ETIMEDOUT, "no progress for 1.0 s");
}

/// The same where the hosts reduce themselves.
static void trouble_without_a_device(void **state) {
  struct plan p = plan_of(WEIR_COLL_SEND, SHORT_MS);
  (void)state;
  p.config.way = WEIR_COLL_HOSTS;
  expect(&p, FAKE_SHORT, 1, -EPROTO, "a message has");
  expect(&p, FAKE_BROKEN, 1, -EIO, "connection is broken");
  expect(&p, FAKE_NOBODY_THERE, 0, -EHOSTUNREACH, "nobody answers");
  expect(&p, FAKE_LATE_SILENCE, 1, -ETIMEDOUT, "no progress for 1.0 s");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_reduced),
      cmocka_unit_test(neighbours_are_asked_again),
      cmocka_unit_test(only_landing_slots_are_written),
      cmocka_unit_test(hosts_meet_by_an_all_gather_of_the_program),
      cmocka_unit_test(wrong_answers),
      cmocka_unit_test(queue_pairs_that_fail),
      cmocka_unit_test(a_peer_that_is_gone),
      cmocka_unit_test(trouble_without_a_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
