// How hosts meet before they have connections: everybody gets everybody's bytes; who does not come, differs, leaves or lies is an error in time, and all
// know why; strangers change nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/meet/bootstrap.h"
#include "host/meet/tcp.h"
#include "unit/host/net/free_port.h"

enum { HOSTS = 4, BYTES = 3000, QUICK_MS = 1000, PLENTY_MS = 10000, BOUND_MS = 5000 };

/// What a host does besides what all do.
enum manner { WELL, MISSING, LEAVES, FAILS, FORGES };

struct host {
  unsigned timeout_ms;
  enum manner manner;
  const char *root;
  struct greeting_self self;
  int opened, code[2];   // of two exchanges
  unsigned dropped;
  char why[BOOTSTRAP_WHY];
  uint8_t all[2][HOSTS * BYTES];
};

static struct host hosts[HOSTS];

static void *live(void *argument) {
  struct host *h = argument;
  struct bootstrap b;
  uint8_t mine[BYTES];
  bootstrap_clear(&b);
  h->opened = bootstrap_open(&b, &h->self, h->root, h->timeout_ms);
  for (int i = 0; i < 2 && h->opened == 0; i++) {
    memset(mine, (int)(16 * i + (int)h->self.rank), sizeof mine);
    if (i == 1 && h->manner == LEAVES) break;
    if (i == 1 && h->manner == FAILS) {
      bootstrap_tell(&b, -ENODEV, "no device\033 here");
      break;
    }
    // What a frame of the right length under no key would be.
    if (i == 1 && h->manner == FORGES) {
      static uint8_t frame[8 + BYTES + GREETING_MAC] = {1, 0, 0, 0, 0, 0, BYTES >> 8, BYTES & 0xFF};
      assert_int_equal(tcp_send(b.sockets[0], frame, sizeof frame, clock_monotonic_ms() + 1000), 0);
    }
    h->code[i] = bootstrap_gather(&b, mine, sizeof mine, h->all[i]);
  }
  snprintf(h->why, sizeof h->why, "%s", b.why);
  h->dropped = b.dropped;
  bootstrap_close(&b);
  return NULL;
}

/// All of a job, alike but for their ranks.
static void prepare(unsigned workers, unsigned timeout_ms, const char *root) {
  for (unsigned i = 0; i < HOSTS; i++) {
    hosts[i] = (struct host){.manner = i < workers ? WELL : MISSING, .timeout_ms = timeout_ms, .root = root};
    hosts[i].self = (struct greeting_self){.rank = i,
                                           .workers = workers,
                                           .job = 77,
                                           .secret = "sesame",
                                           .secret_bytes = 6,
                                           .fields = {{"the window", 2}, {"the path MTU", 1024}},
                                           .count = 2};
  }
}

/// All at the same time, the first one last; within BOUND_MS.
static void run(void) {
  pthread_t threads[HOSTS];
  const uint64_t from = clock_monotonic_ms();
  for (unsigned i = HOSTS; i-- > 0;)
    if (hosts[i].manner != MISSING) assert_int_equal(pthread_create(&threads[i], NULL, live, &hosts[i]), 0);
  for (unsigned i = 0; i < HOSTS; i++)
    if (hosts[i].manner != MISSING) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_in_range(clock_monotonic_ms() - from, 0, BOUND_MS);
}

static void expect_all(unsigned workers) {
  for (unsigned h = 0; h < workers; h++) {
    if (hosts[h].opened != 0 || hosts[h].code[1] != 0) print_message("rank %u: %s\n", h, hosts[h].why);
    assert_int_equal(hosts[h].opened, 0);
    for (int i = 0; i < 2; i++) assert_int_equal(hosts[h].code[i], 0);
    for (unsigned i = 0; i < 2 * workers * BYTES; i++)
      assert_int_equal(hosts[h].all[i / (workers * BYTES)][i % (workers * BYTES)],
                       16 * (i / (workers * BYTES)) + i % (workers * BYTES) / BYTES);
  }
}

/// `code` is of opening, or of the second exchange if that went well.
static void expect(unsigned who, int code, const char *text) {
  const struct host *h = &hosts[who];
  const int got = h->opened != 0 ? h->opened : h->code[1];
  if (got != code || strstr(h->why, text) == NULL) print_message("rank %u: %d, %s; not %d, %s\n", who, got, h->why, code, text);
  assert_int_equal(got, code);
  assert_non_null(strstr(h->why, text));
}

static void everybody_gets_all(void **state) {
  char root[FREE_PORT];
  (void)state;
  for (int secret = 0; secret < 2; secret++) {
    free_port(root);
    prepare(HOSTS, PLENTY_MS, root);
    for (unsigned i = 0; i < HOSTS && secret == 0; i++) hosts[i].self.secret = NULL, hosts[i].self.secret_bytes = 0;
    run();
    expect_all(HOSTS);
  }
}

/// A name has more addresses than the one that rank 0 listens at.
static void every_address_of_a_name(void **state) {
  char root[FREE_PORT], name[FREE_PORT + 16];
  (void)state;
  free_port(root);
  snprintf(name, sizeof name, "localhost%s", strchr(root, ':'));
  prepare(3, PLENTY_MS, name);
  hosts[0].root = root;
  run();
  expect_all(3);
}

static void who_is_missing_is_an_error(void **state) {
  char root[FREE_PORT];
  (void)state;
  free_port(root);
  prepare(3, QUICK_MS, root);
  hosts[1].manner = MISSING;
  run();
  // Rank 2 hears of it from rank 0.
  expect(0, -ETIMEDOUT, "2 of 3 are here, rank 1 is not");
  expect(2, -ETIMEDOUT, "2 of 3 are here, rank 1 is not");
  free_port(root);
  prepare(3, QUICK_MS, root);
  hosts[0].manner = MISSING;
  run();
  expect(1, -ETIMEDOUT, "Connection refused");
  expect(2, -ETIMEDOUT, "Connection refused");
}

static void no_such_place(void **state) {
  struct bootstrap b;
  struct greeting_self self = {.workers = 2};
  (void)state;
  for (int i = 0; i < 3; i++) {
    self.rank = i == 1 ? 2 : 0;
    self.workers = i == 2 ? BOOTSTRAP_MOST + 1 : 2;
    bootstrap_clear(&b);
    assert_int_equal(bootstrap_open(&b, &self, i == 0 ? "nowhere" : "127.0.0.1:1", QUICK_MS), -EINVAL);
    bootstrap_close(&b);
  }
  prepare(2, QUICK_MS, "192.0.2.1:7");
  hosts[1].manner = MISSING;
  run();
  expect(0, -EADDRNOTAVAIL, "rank 0 cannot listen");
}

// --- who is no host of the job ---

static int visit(const char *root) {
  struct addrinfo *at;
  int s;
  assert_int_equal(tcp_resolve(root, false, &at), 0);
  while ((s = tcp_connect(at, clock_monotonic_ms() + 100)) < 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  freeaddrinfo(at);
  return s;
}

/// Waits for what rank 0 has for whoever comes.
static void challenged(int s, uint8_t challenge[GREETING_CHALLENGE]) {
  assert_int_equal(tcp_receive(s, challenge, GREETING_CHALLENGE, clock_monotonic_ms() + BOUND_MS), 0);
}

/// True if rank 0 closes, with or without a verdict, and never with a welcome.
static bool turned_away(int s) {
  uint8_t verdict[GREETING_VERDICT];
  const int code = tcp_receive(s, verdict, sizeof verdict, clock_monotonic_ms() + BOUND_MS);
  close(s);
  return code == -ECONNRESET || (code == 0 && (verdict[4] != 0 || verdict[5] != 0));
}

static void *joins(void *argument) { return live(argument); }

/// Silent ones, more than there is room for; noise; half a hello; a hello that was said to another rank 0; ranks that there are not; and then
/// the host that was waited for.
static void strangers_change_nothing(void **state) {
  enum { SILENT = 70 };
  char root[FREE_PORT];
  int silent[SILENT];
  uint8_t challenge[GREETING_CHALLENGE], other[GREETING_CHALLENGE] = {0}, hello[GREETING_HELLO], drawn[GREETING_NONCE] = {9};
  pthread_t first, second;
  (void)state;
  free_port(root);
  prepare(2, PLENTY_MS, root);
  assert_int_equal(pthread_create(&first, NULL, joins, &hosts[0]), 0);
  for (int i = 0; i < SILENT; i++) challenged(silent[i] = visit(root), challenge);

  struct greeting_self thief = hosts[1].self, third = hosts[1].self, stale = hosts[1].self;
  thief.secret = "sesamf";
  third.rank = 2;
  stale.job = 76;
  const struct {
    const struct greeting_self *who;
    bool replayed;
    size_t bytes;
  } visitors[] = {{&thief, false, GREETING_HELLO},
                  {&third, false, GREETING_HELLO},
                  {&hosts[1].self, true, GREETING_HELLO},
                  {&stale, false, GREETING_HELLO},
                  {&hosts[1].self, false, 60},
                  {NULL, false, GREETING_HELLO},
                  {NULL, false, 5},
                  {&hosts[0].self, false, GREETING_HELLO}};
  for (size_t i = 0; i < sizeof visitors / sizeof *visitors; i++) {
    const int s = visit(root);
    challenged(s, challenge);
    memset(hello, 'x', sizeof hello);
    if (visitors[i].who != NULL) greeting_hello(visitors[i].who, visitors[i].replayed ? other : challenge, drawn, hello);
    assert_int_equal(tcp_send(s, hello, visitors[i].bytes, clock_monotonic_ms() + BOUND_MS), 0);
    if (visitors[i].bytes < GREETING_HELLO) shutdown(s, SHUT_WR);
    assert_true(turned_away(s));
  }
  assert_int_equal(pthread_create(&second, NULL, joins, &hosts[1]), 0);
  assert_int_equal(pthread_join(first, NULL), 0);
  assert_int_equal(pthread_join(second, NULL), 0);
  for (int i = 0; i < SILENT; i++) close(silent[i]);
  expect_all(2);
  assert_in_range(hosts[0].dropped, SILENT, SILENT + sizeof visitors / sizeof *visitors);
}

static void who_listens_is_a_stranger(void **state) {
  char root[FREE_PORT];
  struct addrinfo *at;
  int listeners[TCP_LISTENERS];
  pthread_t host;
  static const uint8_t banner[64] = "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3 and more";
  (void)state;
  free_port(root);
  prepare(2, QUICK_MS, root);
  assert_int_equal(tcp_resolve(root, true, &at), 0);
  assert_int_equal(tcp_listen(at, listeners), 1);
  freeaddrinfo(at);
  assert_int_equal(pthread_create(&host, NULL, joins, &hosts[1]), 0);
  for (int i = 0; i < 2;) {
    const int s = tcp_accept(listeners[0]);
    if (s < 0) continue;
    // One that says something, one that knows the form but not the secret.
    uint8_t hello[GREETING_HELLO], said[GREETING_VERDICT] = "WEIR", challenge[GREETING_CHALLENGE], drawn[GREETING_NONCE] = {1};
    greeting_challenge(challenge, drawn);
    tcp_send(s, i == 0 ? banner : challenge, GREETING_CHALLENGE, clock_monotonic_ms() + BOUND_MS);
    if (i == 1 && tcp_receive(s, hello, sizeof hello, clock_monotonic_ms() + BOUND_MS) == 0)
      tcp_send(s, said, sizeof said, clock_monotonic_ms() + BOUND_MS);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    close(s);
    i++;
  }
  assert_int_equal(pthread_join(host, NULL), 0);
  close(listeners[0]);
  expect(1, -ETIMEDOUT, "rank 0 at 127.0.0.1");
}

static void another_secret(void **state) {
  char root[FREE_PORT];
  (void)state;
  free_port(root);
  prepare(2, QUICK_MS, root);
  hosts[1].self.secret_bytes = 5;
  run();
  expect(1, -EACCES, "rank 0 has another secret");
  expect(0, -ETIMEDOUT, "rank 1 is not; 1 other connection came");
}

static void another_job_and_a_rank_twice(void **state) {
  char root[FREE_PORT];
  (void)state;
  free_port(root);
  prepare(2, QUICK_MS, root);
  hosts[1].self.job = 78;
  run();
  expect(1, -EINVAL, "rank 0 is of another job than 78");
  free_port(root);
  prepare(3, QUICK_MS, root);
  hosts[2].self.rank = 1;
  run();
  expect(0, -ETIMEDOUT, "rank 2 is not");
  const unsigned late = hosts[1].opened == -EADDRINUSE ? 1 : 2;
  expect(late, -EADDRINUSE, "another host is rank 1");
}

/// Both sides name what differs, and all others hear of it.
static void hosts_that_differ(void **state) {
  char root[FREE_PORT];
  (void)state;
  free_port(root);
  prepare(3, PLENTY_MS, root);
  hosts[2].self.fields[1].value = 4096;
  hosts[1].timeout_ms = 2 * QUICK_MS;   // the job may be over before it comes: nobody answers it then
  run();
  for (unsigned i = 0; i < 3; i += 2) expect(i, -EINVAL, "the path MTU is 4096 at rank 2 and 1024 at rank 0");
  assert_int_not_equal(hosts[1].opened, 0);
}

// --- what goes wrong later ---

static void who_leaves_is_named(void **state) {
  static const struct {
    enum manner manner;
    int code;
    const char *text;
  } ways[] = {{LEAVES, -ECONNRESET, "rank 2 is gone"},
              {FAILS, -ENODEV, "rank 2: no device? here"},
              {FORGES, -EBADMSG, "what rank 2 sent was changed on the way"}};
  char root[FREE_PORT];
  (void)state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    free_port(root);
    prepare(HOSTS, PLENTY_MS, root);
    hosts[2].manner = ways[i].manner;
    run();
    for (unsigned h = 0; h < HOSTS; h++)
      if (h != 2) expect(h, ways[i].code, ways[i].text);
  }
}

// --- the caller's all-gather ---

struct table {
  pthread_barrier_t *barrier;
  uint8_t (*rows)[512];
  unsigned rank;
};

static int by_memory(void *context, const void *mine, size_t bytes, void *all) {
  const struct table *t = context;
  if (bytes > 512) return -EMSGSIZE;
  memcpy(t->rows[t->rank], mine, bytes);
  pthread_barrier_wait(t->barrier);
  for (unsigned r = 0; r < 2; r++) memcpy((uint8_t *)all + r * bytes, t->rows[r], bytes);
  pthread_barrier_wait(t->barrier);
  return 0;
}

static void *live_by_memory(void *argument) {
  struct table *t = argument;
  struct host *h = &hosts[t->rank];
  struct bootstrap b;
  bootstrap_clear(&b);
  b.gather = by_memory;
  b.context = t;
  h->opened = bootstrap_open(&b, &h->self, NULL, QUICK_MS);
  snprintf(h->why, sizeof h->why, "%s", b.why);
  bootstrap_close(&b);
  return NULL;
}

static void over_the_callers_all_gather(void **state) {
  static uint8_t rows[2][512];
  pthread_barrier_t barrier;
  (void)state;
  for (int differ = 0; differ < 2; differ++) {
    struct table tables[2] = {{&barrier, rows, 0}, {&barrier, rows, 1}};
    pthread_t other;
    pthread_barrier_init(&barrier, NULL, 2);
    prepare(2, QUICK_MS, NULL);
    if (differ == 1) hosts[1].self.fields[0].value = 1;
    assert_int_equal(pthread_create(&other, NULL, live_by_memory, &tables[1]), 0);
    live_by_memory(&tables[0]);
    assert_int_equal(pthread_join(other, NULL), 0);
    for (unsigned i = 0; i < 2; i++)
      expect(i, differ == 1 ? -EINVAL : 0, differ == 1 ? "the window is 1 at rank 1 and 2 at rank 0" : "");
    pthread_barrier_destroy(&barrier);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everybody_gets_all),
      cmocka_unit_test(every_address_of_a_name),
      cmocka_unit_test(who_is_missing_is_an_error),
      cmocka_unit_test(no_such_place),
      cmocka_unit_test(strangers_change_nothing),
      cmocka_unit_test(who_listens_is_a_stranger),
      cmocka_unit_test(another_secret),
      cmocka_unit_test(another_job_and_a_rank_twice),
      cmocka_unit_test(hosts_that_differ),
      cmocka_unit_test(who_leaves_is_named),
      cmocka_unit_test(over_the_callers_all_gather),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
