// Errors of docs/host.md's tables that need something of their own to happen: other versions of the library, a port that is taken, memory in use, what a tree does not take.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/meet/bootstrap.h"
#include "host/meet/tcp.h"
#include "host/weir/coll.h"
#include "host/weir/tree.h"
#include "unit/host/net/fake_verbs.h"
#include "unit/host/net/free_port.h"
#include "wire/bytes.h"
#include "wire/tree.h"

enum { PLENTY_MS = 20000, QUICK_MS = 1000, AT_VERSION = 4 };

// --- meeting ---

static const char *root;

static void *opens(void *argument) {
  struct bootstrap *b = argument;
  const struct greeting_self self = b->self;
  bootstrap_open(b, &self, root, QUICK_MS);
  return NULL;
}

static void prepare(struct bootstrap *b, unsigned rank) {
  bootstrap_clear(b);
  b->self = (struct greeting_self){.rank = rank, .workers = 2};
}

/// A host of another version is no host of the job for rank 0, and hears why; and it says so itself where rank 0 is the other one.
static void another_version(void **state) {
  char port[FREE_PORT];
  struct bootstrap b;
  struct addrinfo *at;
  pthread_t host;
  int listeners[TCP_LISTENERS], s;
  uint8_t challenge[GREETING_CHALLENGE], hello[GREETING_HELLO], verdict[GREETING_VERDICT], drawn[GREETING_NONCE] = {1};
  (void)state;
  free_port(port);
  root = port;
  assert_int_equal(tcp_resolve(root, true, &at), 0);
  prepare(&b, 0);
  const struct greeting_self second = {.rank = 1, .workers = 2};
  assert_int_equal(pthread_create(&host, NULL, opens, &b), 0);
  const uint64_t deadline = clock_monotonic_ms() + PLENTY_MS;
  while ((s = tcp_connect(at, deadline)) < 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  assert_int_equal(tcp_receive(s, challenge, sizeof challenge, deadline), 0);
  greeting_hello(&second, challenge, drawn, hello);
  put_be16(hello + AT_VERSION, GREETING_VERSION + 1);
  assert_int_equal(tcp_send(s, hello, sizeof hello, deadline), 0);
  assert_int_equal(tcp_receive(s, verdict, sizeof verdict, deadline), 0);
  assert_int_equal(get_be16(verdict + AT_VERSION), GREETING_OTHER_VERSION);
  close(s);
  assert_int_equal(pthread_join(host, NULL), 0);
  assert_int_equal(b.code, -ETIMEDOUT);
  assert_non_null(strstr(b.why, "rank 1 is not; 1 other connection came, of no host of this job"));
  bootstrap_close(&b);

  assert_int_equal(tcp_listen(at, listeners), 1);
  prepare(&b, 1);
  assert_int_equal(pthread_create(&host, NULL, opens, &b), 0);
  while ((s = tcp_accept(listeners[0])) < 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  greeting_challenge(challenge, drawn);
  put_be16(challenge + AT_VERSION, GREETING_VERSION + 1);
  assert_int_equal(tcp_send(s, challenge, sizeof challenge, deadline), 0);
  assert_int_equal(pthread_join(host, NULL), 0);
  close(s);
  assert_int_equal(b.code, -EPROTO);
  assert_string_equal(b.why, "rank 0 has another version of the library");
  bootstrap_close(&b);

  // And the port is taken as long as somebody else listens there.
  prepare(&b, 0);
  opens(&b);
  assert_int_equal(b.code, -EADDRINUSE);
  assert_string_equal(b.why, "rank 0 cannot listen: Address already in use");
  bootstrap_close(&b);
  close(listeners[0]);
  freeaddrinfo(at);
}

// --- waiting for different things ---

enum { WAITERS = 3 };

/// A host, and what it says that it waits for; without a text it says nothing, and waits for the others in an exchange.
struct waiter {
  struct bootstrap b;
  uint64_t number;
  const char *text;
};

static void *waits(void *argument) {
  struct waiter *w = argument;
  const struct greeting_self self = w->b.self;
  uint8_t mine = 0, all[WAITERS];
  assert_int_equal(bootstrap_open(&w->b, &self, root, PLENTY_MS), 0);
  w->b.deadline = 0;
  if (w->text != NULL) bootstrap_wait(&w->b, w->number, w->text);
  const uint64_t until = clock_monotonic_ms() + (w->text != NULL ? QUICK_MS : 0);
  while (bootstrap_heed(&w->b) == 0 && clock_monotonic_ms() < until) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  if (w->b.code == 0) bootstrap_gather(&w->b, &mine, 1, all);
  return NULL;
}

/// All hosts end with `code`, and `why`.
static void expect_waiters(const uint64_t numbers[WAITERS], const char *const texts[WAITERS], int code, const char *why) {
  static struct waiter waiters[WAITERS];
  pthread_t threads[WAITERS];
  char port[FREE_PORT];
  free_port(port);
  root = port;
  for (unsigned r = 0; r < WAITERS; r++) {
    prepare(&waiters[r].b, r);
    waiters[r].b.self.workers = WAITERS;
    waiters[r].number = numbers[r];
    waiters[r].text = texts[r];
    assert_int_equal(pthread_create(&threads[r], NULL, waits, &waiters[r]), 0);
  }
  for (unsigned r = 0; r < WAITERS; r++) assert_int_equal(pthread_join(threads[r], NULL), 0);
  for (unsigned r = 0; r < WAITERS; r++) {
    assert_int_equal(waiters[r].b.code, code);
    assert_string_equal(waiters[r].b.why, why);
    bootstrap_close(&waiters[r].b);
  }
}

/// All hear of those that wait for the same number of different things, whatever rank 0 does meanwhile; who waits for another number is only behind.
static void who_waits_for_something_else_is_named(void **state) {
  (void)state;
  expect_waiters((uint64_t[]){7, 8, 7}, (const char *[]){"this", "this", "that"}, -EINVAL, "rank 0 does this, and rank 2 that");
  expect_waiters((uint64_t[]){0, 7, 7}, (const char *[]){NULL, "this", "that\033"}, -EINVAL,
                 "rank 1 does this, and rank 2 that?");
  expect_waiters((uint64_t[]){7, 7, 8}, (const char *[]){"this", "this", "that"}, 0, "");
  expect_waiters((uint64_t[]){0, 7, 7}, (const char *[]){NULL, "this", "this"}, 0, "");
}

/// A network may bring it byte by byte: whoever looks at it meanwhile does not wait, and takes it when all of it is there.
static void a_wait_that_comes_in_pieces(void **state) {
  static struct bootstrap first, second;
  uint8_t frame[256];
  int to[2], from[2];
  (void)state;
  prepare(&first, 0);
  prepare(&second, 1);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, to), 0);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, from), 0);
  first.sockets[1] = to[0];
  second.sockets[0] = from[0];
  bootstrap_wait(&second, 7, "this");
  bootstrap_wait(&first, 7, "that");
  const ssize_t bytes = read(from[1], frame, sizeof frame);
  assert_in_range(bytes, 1, sizeof frame - 1);
  const uint64_t begin = clock_monotonic_ms();
  for (ssize_t i = 0; i < bytes; i++) {
    assert_int_equal(bootstrap_heed(&first), 0);
    assert_int_equal(write(to[1], frame + i, 1), 1);
  }
  assert_in_range(clock_monotonic_ms() - begin, 0, PLENTY_MS / 4);   // not half a second for each
  assert_int_equal(bootstrap_heed(&first), -EINVAL);
  assert_string_equal(first.why, "rank 0 does that, and rank 1 this");
  bootstrap_close(&first);
  bootstrap_close(&second);
  close(to[1]);
  close(from[1]);
}

/// Who is gone is named, though another host has said in the same moment that it has failed: that is only what it found of it.
static void who_is_gone_is_why_others_fail(void **state) {
  static struct bootstrap first, second;
  int to[2], third[2];
  (void)state;
  prepare(&first, 0);
  prepare(&second, 1);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, to), 0);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, third), 0);
  first.sockets[1] = to[0];
  first.sockets[2] = third[0];
  second.sockets[0] = to[1];
  bootstrap_tell(&second, -EHOSTUNREACH, "nobody answers");
  close(third[1]);
  assert_int_equal(bootstrap_heed(&first), -ECONNRESET);
  assert_string_equal(first.why, "rank 2 is gone");
  bootstrap_close(&first);
  bootstrap_close(&second);
}

// --- memory ---

static pthread_barrier_t begun;

struct host {
  unsigned rank;
  int opened, busy, freed, closed;
};

/// Host 1 begins when host 0 has looked: until then nobody has a sum, and the memory is in use.
static void *uses_memory(void *argument) {
  struct host *h = argument;
  struct weir_coll_config k = weir_coll_defaults();
  struct weir_coll_request *request;
  struct weir_coll_memory *memory;
  struct weir_coll *coll;
  uint32_t numbers[8] = {1};
  char text[256];
  bool done = false;
  k.rank = h->rank;
  k.workers = 2;
  k.root = root;
  k.address = h->rank == 0 ? "10.0.0.1" : "10.0.0.2";
  k.timeout_ms = PLENTY_MS;
  h->opened = weir_coll_init(&k, &coll, text, sizeof text);
  if (h->rank == 1) pthread_barrier_wait(&begun);
  if (h->opened == 0) h->opened = weir_coll_reg_mr(coll, numbers, sizeof numbers, &memory);
  if (h->opened == 0)
    h->opened = weir_coll_iallreduce(coll, numbers, numbers, 8, WEIR_COLL_INT32, WEIR_COLL_SUM, memory, &request);
  if (h->opened == 0 && h->rank == 0) h->busy = weir_coll_dereg_mr(coll, memory);
  if (h->rank == 0) pthread_barrier_wait(&begun);
  while (h->opened == 0 && !done) h->opened = weir_coll_test(coll, request, &done);
  if (h->opened != 0) return NULL;
  h->freed = weir_coll_dereg_mr(coll, memory);
  h->closed = weir_coll_close(coll);
  return NULL;
}

static void memory_in_use(void **state) {
  const struct fake_options o = {.hosts = 2, .sums = true};
  struct host hosts[2] = {{.rank = 0}, {.rank = 1}};
  char port[FREE_PORT];
  pthread_t other;
  (void)state;
  free_port(port);
  root = port;
  pthread_barrier_init(&begun, NULL, 2);
  fake_verbs_open(&o);
  assert_int_equal(pthread_create(&other, NULL, uses_memory, &hosts[1]), 0);
  uses_memory(&hosts[0]);
  assert_int_equal(pthread_join(other, NULL), 0);
  for (unsigned r = 0; r < 2; r++) {
    assert_int_equal(hosts[r].opened, 0);
    assert_int_equal(hosts[r].busy, r == 0 ? -EBUSY : 0);
    assert_int_equal(hosts[r].freed, 0);
    assert_int_equal(hosts[r].closed, 0);
  }
  assert_true(fake_verbs_close());
  pthread_barrier_destroy(&begun);
}

// --- a tree alone ---

/// The own exchange of two hosts that are one thread: each has the same to say.
static int both(void *context, const void *mine, size_t bytes, void *all) {
  (void)context;
  memcpy(all, mine, bytes);
  memcpy((uint8_t *)all + bytes, mine, bytes);
  return 0;
}

/// What a tree does not take is refused, and the communicator stays as it was; who closes while one is under way that nobody answers does not wait for it.
static void what_a_tree_does_not_take(void **state) {
  const struct fake_options o = {.hosts = 2};
  const struct weir_tree_node node = {.address = "10.0.0.200", .low = {.qpn = FAKE_NODE}, .sat = {.qpn = FAKE_NODE + 1}};
  struct weir_tree_config t = weir_tree_defaults();
  struct weir_coll_config k = weir_coll_defaults();
  struct weir_coll_request *request;
  struct weir_coll_memory *memory;
  struct weir_coll *coll;
  struct weir_tree *tree;
  uint32_t number = 1;
  char text[256];
  (void)state;
  fake_verbs_open(&o);
  t.address = "10.0.0.1";
  t.timeout_ms = 5 * QUICK_MS;
  assert_int_equal(weir_tree_init(&t, &tree, text, sizeof text), 0);
  assert_int_equal(weir_tree_group_create(tree, &node), 0);
  k.workers = 2;
  k.all_gather = both;
  k.backends = WEIR_COLL_TREE;
  k.tree = tree;
  assert_int_equal(weir_coll_init(&k, &coll, text, sizeof text), 0);
  assert_int_equal(weir_coll_reg_mr(coll, &number, sizeof number, &memory), -EOPNOTSUPP);
  assert_int_equal(weir_coll_iallreduce(coll, &number, &number, TREE_MOST / 4 + 1, WEIR_COLL_FP32, WEIR_COLL_SUM, NULL, &request),
                   -EMSGSIZE);
  assert_string_equal(weir_coll_why(coll), "");
  bool done = false;
  assert_int_equal(weir_coll_iallreduce(coll, &number, &number, 1, WEIR_COLL_FP32, WEIR_COLL_SUM, NULL, &request), 0);
  assert_int_equal(weir_coll_test(coll, request, &done), 0);
  assert_false(done);
  const uint64_t from = clock_monotonic_ms();
  assert_int_equal(weir_coll_abort(coll), 0);
  assert_in_range(clock_monotonic_ms() - from, 0, 4 * QUICK_MS);
  weir_tree_finalize(tree);   // until its node has heard of it, or the time is over
  assert_true(fake_verbs_close());
}

/// Whoever is in no group, or in one already, hears so; who asks about an operation that nobody began is told that there is no tree.
static void in_no_group(void **state) {
  const struct fake_options o = {.hosts = 2};
  const struct weir_tree_node node = {.address = "10.0.0.200", .low = {.qpn = FAKE_NODE}, .sat = {.qpn = FAKE_NODE + 1}};
  struct weir_tree_config t = weir_tree_defaults();
  struct weir_tree_status status;
  struct weir_tree *tree;
  uint32_t number = 1;
  const struct weir_tree_vector v = {.send = &number, .receive = &number, .count = 1, .type = WEIR_COLL_INT32};
  char text[256];
  (void)state;
  fake_verbs_open(&o);
  t.address = "10.0.0.1";
  t.timeout_ms = QUICK_MS;
  assert_int_equal(weir_tree_init(&t, &tree, text, sizeof text), 0);
  for (unsigned left = 0; left < 2; left++) {
    assert_int_equal(weir_tree_do_barrier(tree, &status), -ENOTCONN);
    assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), -ENOTCONN);
    assert_int_equal(weir_tree_lock_nb(tree, 1), -ENOTCONN);
    assert_int_equal(weir_tree_group_destroy(tree), -ENOTCONN);
    assert_true(weir_tree_req_test(tree, &status));
    assert_int_equal(status.verdict, WEIR_TREE_NO_TREE);
    assert_int_equal(weir_tree_req_wait(tree).verdict, WEIR_TREE_NO_TREE);
    if (left) break;
    assert_int_equal(weir_tree_group_create(tree, &node), 0);
    assert_int_equal(weir_tree_group_create(tree, &node), -EISCONN);
    assert_int_equal(weir_tree_group_destroy(tree), 0);
  }
  weir_tree_finalize(tree);
  assert_true(fake_verbs_close());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_version),
      cmocka_unit_test(who_waits_for_something_else_is_named),
      cmocka_unit_test(a_wait_that_comes_in_pieces),
      cmocka_unit_test(who_is_gone_is_why_others_fail),
      cmocka_unit_test(memory_in_use),
      cmocka_unit_test(what_a_tree_does_not_take),
      cmocka_unit_test(in_no_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
