// Hosts of the library that do not come up, over a fake libibverbs: each ends in bounded time with an error and a sentence that says why.
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

/// No host comes up, and `who` says why.
static void expect_no_init(struct plan *p, const struct fake_options *o, unsigned missing, unsigned who, int code,
                           const char *text) {
  struct host hosts[HOSTS];
  run(p, o, missing, hosts);
  for (unsigned r = 0; r < HOSTS; r++)
    if (r != missing) assert_int_not_equal(hosts[r].opened, 0);
  if (hosts[who].opened != code || strstr(hosts[who].text, text) == NULL)
    print_message("%d, %s; not %d, %s\n", hosts[who].opened, hosts[who].text, code, text);
  assert_int_equal(hosts[who].opened, code);
  assert_non_null(strstr(hosts[who].text, text));
}

static void nothing_to_open(void **state) {
  static const struct {
    enum fake_refusal what;
    int code;
    const char *text;
  } refusals[] = {
      {FAKE_DEVICES, -ENODEV, "no RDMA device has a RoCEv2 GID of 10.0.0.1"},
      {FAKE_GIDS, -ENODEV, "no RDMA device has a RoCEv2 GID of 10.0.0.1"},
      {FAKE_PDS, -ENODEV, "fake0: no protection domain"},
      {FAKE_CQS, -ENODEV, "fake0: no queue pairs, or no memory for them"},
      {FAKE_QPS, -ENODEV, "fake0: no queue pairs, or no memory for them"},
      {FAKE_MRS, -ENODEV, "fake0: no queue pairs, or no memory for them"},
      {FAKE_CONNECTIONS, -EINVAL, "the queue pairs cannot be connected"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const struct fake_options o = {.hosts = HOSTS, .sums = true, .refusal = refusals[i].what};
    struct plan p = plan_of(WEIR_COLL_WRITE_IMM, SHORT_MS);
    expect_no_init(&p, &o, HOSTS, 0, refusals[i].code, refusals[i].text);
  }
  const struct fake_options well = {.hosts = HOSTS, .sums = true}, deaf = {.hosts = HOSTS, .sums = true, .unanswered = 5};
  struct plan p = plan_of(WEIR_COLL_WRITE_IMM, SHORT_MS);
  expect_no_init(&p, &deaf, HOSTS, 0, -ETIMEDOUT, "the queue pairs cannot be connected");
  p.config.mtu = 4096;
  expect_no_init(&p, &well, HOSTS, 0, -ENODEV, "a path MTU of 4096 is more than the 1024 of port 1 of fake0");
  p.config.mtu = MTU;
  p.config.device = "other0";
  expect_no_init(&p, &well, HOSTS, 0, -ENODEV, "no RDMA device other0 has");
  p.config.device = NULL;
  p.config.address = "10.0.0";
  expect_no_init(&p, &well, HOSTS, 0, -ENODEV, "10.0.0: no IP address");
  p.config.address = NULL;
  p.config.window = 0;
  expect_no_init(&p, &well, HOSTS, 0, -EINVAL, "no sound configuration");
}

/// A result is known by its mark from the first one on, in the exchange that finds out who sums.
static void results_without_marks(void **state) {
  (void)state;
  struct plan p = plan_of(WEIR_COLL_SEND, PLENTY_MS);
  struct host hosts[HOSTS];
  const struct fake_options o = {.hosts = HOSTS, .sums = true, .unmarked = true};
  p.config.way = WEIR_COLL_DEVICE;
  expect_no_init(&p, &o, HOSTS, 1, -EBADMSG, "its results carry no mark");
  p.config.unmarked = true;
  run(&p, &o, HOSTS, hosts);
  expect_good(hosts, true);
  p.config.verb = WEIR_COLL_WRITE;
  p.config.unmarked = false;
  expect_no_init(&p, &o, HOSTS, 1, -EINVAL, "no sound configuration");
}

/// What hosts have in different ways is named on both sides, and a host that does not know the secret learns nothing and does not come.
static void hosts_that_do_not_fit(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true};
  struct plan p = plan_of(WEIR_COLL_WRITE_IMM, SHORT_MS);
  (void)state;
  p.other_mtu = 1024;
  for (unsigned who = 0; who < 2; who++)
    expect_no_init(&p, &o, HOSTS, who, -EINVAL, "the path MTU is 1024 at rank 1 and 256 at rank 0");
  p.other_mtu = 0;
  p.config.secret = "sesame";
  p.config.secret_bytes = 6;
  p.other_secret = "sesamf";
  expect_no_init(&p, &o, HOSTS, 1, -EACCES, "rank 0 has another secret");
  expect_no_init(&p, &o, HOSTS, 2, -ETIMEDOUT, "rank 1 is not; 1 other connection came");
  // Why one host ends is known to all.
  p.other_secret = NULL;
  p.config.way = WEIR_COLL_DEVICE;
  const struct fake_options silent = {.hosts = HOSTS, .sums = true, .trouble = FAKE_LATE_SILENCE};
  expect_no_init(&p, &silent, HOSTS, 2, -ETIMEDOUT, "rank 1: no progress");
}

static void nobody_sums(void **state) {
  const struct fake_options passes = {.hosts = HOSTS};
  const struct fake_options wrong = {.hosts = HOSTS, .sums = true, .trouble = FAKE_OTHER_NUMBER};
  const struct fake_options silent = {.hosts = HOSTS, .sums = true, .trouble = FAKE_LATE_SILENCE};
  struct plan p = plan_of(WEIR_COLL_WRITE_IMM, SHORT_MS);
  (void)state;
  expect_no_init(&p, &wrong, HOSTS, 2, -EPROTO, "neither sums nor passes");
  expect_no_init(&p, &silent, HOSTS, 1, -ETIMEDOUT, "no progress");
  p.config.way = WEIR_COLL_DEVICE;
  expect_no_init(&p, &passes, HOSTS, 1, -ENODEV, "no device answers for this ring");
}

static void a_host_that_does_not_come(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true};
  struct plan p = plan_of(WEIR_COLL_WRITE_IMM, SHORT_MS);
  (void)state;
  expect_no_init(&p, &o, 2, 0, -ETIMEDOUT, "not all hosts of the ring came");
  expect_no_init(&p, &o, 0, 2, -ETIMEDOUT, "not all hosts of the ring came");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_to_open), cmocka_unit_test(results_without_marks),     cmocka_unit_test(hosts_that_do_not_fit),
      cmocka_unit_test(nobody_sums),     cmocka_unit_test(a_host_that_does_not_come),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
