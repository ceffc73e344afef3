// The host library as a program sees it, over a fake libibverbs: every host is a thread. What is reduced is right, and whatever goes wrong is
// an error and a sentence in bounded time, with nothing left open.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "host/weir/coll.h"
#include "unit/host/fake_verbs.h"
#include "unit/host/free_port.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum {
  HOSTS = 3,
  MTU = 256,
  MSGLEN = 4,
  MOST = 4 * MTU * MSGLEN,
  PLENTY_MS = 20000,
  SHORT_MS = 1000,   // of tests that wait for it
  BOUND_MS = 10 * SHORT_MS
};

/// What all hosts do, and how they are set up.
struct plan {
  struct weir_coll_config config;
  unsigned other_mtu;         // of host 1, if it is not that of all
  const char *other_secret;   // likewise
  bool by_memory;             // hosts meet over an all-gather of the test
  size_t count;               // elements
  enum weir_coll_type type;
  enum weir_coll_op op;
  bool in_place, registered;
};

struct host {
  const struct plan *plan;
  unsigned rank;
  char address[16];
  int opened, reduced, again, closed;
  bool offloaded, right;
  char text[256];   // what went wrong
};

static struct plan plan_of(enum weir_coll_verb verb, unsigned timeout_ms) {
  struct plan p = {.config = weir_coll_defaults(), .count = 700, .type = WEIR_COLL_INT32};
  p.config.workers = HOSTS;
  p.config.way = WEIR_COLL_AUTO;
  p.config.mtu = MTU;
  p.config.msglen = MSGLEN;
  p.config.verb = verb;
  p.config.unmarked = verb == WEIR_COLL_WRITE;   // it cannot look for marks
  p.config.timeout_ms = timeout_ms;
  return p;
}

/// Small whole numbers, so that a sum is the same in any order.
static void fill(const struct plan *p, unsigned rank, uint8_t *out) {
  static const uint32_t numbers[4][4] = {[WEIR_COLL_FP32] = {0x3F800000, 0x40000000, 0xC0400000, 0},
                                         [WEIR_COLL_FP16] = {0x3C00, 0x4000, 0xC200, 0},
                                         [WEIR_COLL_BF16] = {0x3F80, 0x4000, 0xC040, 0},
                                         [WEIR_COLL_INT32] = {1, 2, 0xFFFFFFFD, 0}};
  const size_t size = weir_coll_element(p->type);
  for (size_t i = 0; i < p->count; i++) memcpy(out + i * size, &numbers[p->type][(i * 7 + i / 5 + rank * (i % 3)) % 4], size);
}

static bool is_right(const struct plan *p, const uint8_t *result) {
  uint8_t numbers[FAKE_RANKS][MOST], expected[MOST];
  const uint8_t *rows[FAKE_RANKS];
  const size_t bytes = p->count * weir_coll_element(p->type);
  for (unsigned r = 0; r < p->config.workers; r++) {
    fill(p, r, numbers[r]);
    rows[r] = numbers[r];
  }
  ina_reduce((uint8_t)((unsigned)p->op << 4 | (unsigned)p->type), rows, p->config.workers, bytes, expected);
  return memcmp(result, expected, bytes) == 0;
}

/// One all-reduce. 0, or the error.
static int reduce(struct host *h, struct weir_coll *coll) {
  const struct plan *p = h->plan;
  uint8_t send[MOST], separate[MOST] = {0}, *receive = p->in_place ? send : separate;
  struct weir_coll_memory *memory = NULL;
  struct weir_coll_request *request;
  bool done = false;
  fill(p, h->rank, send);
  int code = p->registered ? weir_coll_reg_mr(coll, send, sizeof send, &memory) : 0;
  if (code == 0) code = weir_coll_iallreduce(coll, send, receive, p->count, p->type, p->op, memory, &request);
  while (code == 0 && !done) {
    code = weir_coll_test(coll, request, &done);
    // Other threads have work to do, and some wait for a second.
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
  }
  h->right = code == 0 && is_right(p, receive);
  if (memory != NULL) weir_coll_dereg_mr(coll, memory);
  return code;
}

/// What all have to give, and a meeting of all before and behind the reading of it.
static struct {
  pthread_barrier_t barrier;
  uint8_t rows[HOSTS][512];
} table;

static int by_memory(void *context, const void *mine, size_t bytes, void *all) {
  const struct host *h = context;
  if (bytes > sizeof table.rows[0]) return -EMSGSIZE;
  memcpy(table.rows[h->rank], mine, bytes);
  pthread_barrier_wait(&table.barrier);
  for (unsigned r = 0; r < HOSTS; r++) memcpy((uint8_t *)all + r * bytes, table.rows[r], bytes);
  pthread_barrier_wait(&table.barrier);
  return 0;
}

static void *live(void *argument) {
  struct host *h = argument;
  struct weir_coll_config config = h->plan->config;
  struct weir_coll *coll;
  config.rank = h->rank;
  if (h->rank == 1 && h->plan->other_mtu != 0) config.mtu = h->plan->other_mtu;
  if (h->rank == 1 && h->plan->other_secret != NULL) config.secret = h->plan->other_secret;
  if (h->plan->by_memory) {
    config.root = NULL;
    config.all_gather = by_memory;
    config.all_gather_context = h;
  }
  if (config.address == NULL) config.address = h->address;
  h->opened = weir_coll_init(&config, &coll, h->text, sizeof h->text);
  if (h->opened != 0) return NULL;
  h->offloaded = weir_coll_offloaded(coll);
  h->reduced = reduce(h, coll);
  h->again = reduce(h, coll);   // after an error it must be the same one, at once
  snprintf(h->text, sizeof h->text, "%s", weir_coll_why(coll));
  h->closed = weir_coll_close(coll);
  return NULL;
}

/// What the latest run had registered for others to write to.
static size_t exposed;

/// All hosts but `missing`; that they end in time, and that nothing is left open, is asserted here.
static void run(struct plan *p, const struct fake_options *options, unsigned missing, struct host hosts[HOSTS]) {
  pthread_t threads[HOSTS];
  char root[FREE_PORT];
  struct timespec from, to;
  free_port(root);
  p->config.root = root;
  fake_verbs_open(options);
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (unsigned r = 0; r < HOSTS; r++) {
    hosts[r] = (struct host){.plan = p, .rank = r};
    snprintf(hosts[r].address, sizeof hosts[r].address, "10.0.0.%u", r + 1);
    if (r != missing) assert_int_equal(pthread_create(&threads[r], NULL, live, &hosts[r]), 0);
  }
  for (unsigned r = 0; r < HOSTS; r++)
    if (r != missing) assert_int_equal(pthread_join(threads[r], NULL), 0);
  clock_gettime(CLOCK_MONOTONIC, &to);
  exposed = fake_verbs_exposed();
  assert_true(fake_verbs_close());
  if (p->config.timeout_ms == SHORT_MS) assert_in_range((to.tv_sec - from.tv_sec) * 1000, 0, BOUND_MS);
}

/// All hosts reduced, and so did who should have.
static void expect_good(const struct host *hosts, bool offloaded) {
  for (unsigned r = 0; r < HOSTS; r++) {
    if (hosts[r].opened != 0 || hosts[r].again != 0) print_message("host %u: %s\n", r, hosts[r].text);
    assert_int_equal(hosts[r].opened, 0);
    assert_int_equal(hosts[r].reduced, 0);
    assert_int_equal(hosts[r].again, 0);
    assert_int_equal(hosts[r].closed, 0);
    assert_true(hosts[r].right);
    assert_int_equal(hosts[r].offloaded, offloaded);
    assert_string_equal(hosts[r].text, "");
  }
}

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

// --- what does not even begin ---

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
  expect_no_init(&p, &well, HOSTS, 0, -ENODEV, "a path MTU of 4096 is more than the device's 1024");
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

/// A result is known by its mark, from the first one on; a host takes another one only if it is told to.
static void results_without_marks(void **state) {
  (void)state;
  expect_trouble(FAKE_RAW, WEIR_COLL_WRITE_IMM, 1, -EBADMSG, "result 3 carries no mark");
  expect_trouble(FAKE_RAW, WEIR_COLL_SEND, 1, -EBADMSG, "result 3 carries no mark");
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

/// Others may write where messages land, one host's landing slots and no more; where a SEND goes they may not write at all.
static void only_landing_slots_are_written(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true};
  const size_t landing = 4u * MTU * MSGLEN;   // two slots for each message of the window of 2
  (void)state;
  for (enum weir_coll_verb verb = WEIR_COLL_WRITE; verb <= WEIR_COLL_SEND; verb++) {
    struct plan p = plan_of(verb, PLENTY_MS);
    struct host hosts[HOSTS];
    run(&p, &o, HOSTS, hosts);
    expect_good(hosts, true);
    assert_int_equal(exposed, verb == WEIR_COLL_SEND ? 0 : HOSTS * landing);
  }
}

static void hosts_meet_by_an_all_gather_of_the_program(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true};
  struct plan p = plan_of(WEIR_COLL_WRITE_IMM, PLENTY_MS);
  struct host hosts[HOSTS];
  (void)state;
  p.by_memory = true;
  pthread_barrier_init(&table.barrier, NULL, HOSTS);
  run(&p, &o, HOSTS, hosts);
  expect_good(hosts, true);
  pthread_barrier_destroy(&table.barrier);
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
      cmocka_unit_test(everything_is_reduced),
      cmocka_unit_test(neighbours_are_asked_again),
      cmocka_unit_test(wrong_answers),
      cmocka_unit_test(queue_pairs_that_fail),
      cmocka_unit_test(a_peer_that_is_gone),
      cmocka_unit_test(trouble_without_a_device),
      cmocka_unit_test(nothing_to_open),
      cmocka_unit_test(results_without_marks),
      cmocka_unit_test(nobody_sums),
      cmocka_unit_test(a_host_that_does_not_come),
      cmocka_unit_test(hosts_that_do_not_fit),
      cmocka_unit_test(only_landing_slots_are_written),
      cmocka_unit_test(hosts_meet_by_an_all_gather_of_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
