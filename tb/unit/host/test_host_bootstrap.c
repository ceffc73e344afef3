// How hosts meet before they have connections: everybody gets everybody's bytes, and who does not come is an error in time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "host/bootstrap.h"
#include "unit/host/free_port.h"

enum { HOSTS = 4, BYTES = 3000, QUICK_MS = 200 };

struct host {
  unsigned rank, workers, timeout_ms;
  const char *root;
  int code[3];   // of opening and of two exchanges
  uint8_t all[2][HOSTS * BYTES];
};

static void *live(void *argument) {
  struct host *h = argument;
  struct bootstrap b;
  uint8_t mine[BYTES];
  h->code[0] = bootstrap_open(&b, h->rank, h->workers, h->root, h->timeout_ms);
  for (int i = 0; i < 2 && h->code[0] == 0; i++) {
    memset(mine, (int)(16 * i + (int)h->rank), sizeof mine);
    h->code[1 + i] = bootstrap_gather(&b, mine, sizeof mine, h->all[i]);
  }
  bootstrap_close(&b);
  return NULL;
}

/// All ranks but `missing` at the same time, the first one last.
static void run(struct host *hosts, unsigned workers, unsigned missing, unsigned timeout_ms, const char *root) {
  pthread_t threads[HOSTS];
  for (unsigned i = workers; i-- > 0;) {
    hosts[i] = (struct host){.rank = i, .workers = workers, .timeout_ms = timeout_ms, .root = root};
    if (i != missing) assert_int_equal(pthread_create(&threads[i], NULL, live, &hosts[i]), 0);
  }
  for (unsigned i = 0; i < workers; i++)
    if (i != missing) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void everybody_gets_all(void **state) {
  static struct host hosts[HOSTS];
  char root[FREE_PORT];
  (void)state;
  free_port(root);
  run(hosts, HOSTS, HOSTS, 5000, root);
  for (unsigned h = 0; h < HOSTS; h++) {
    for (int i = 0; i < 3; i++) assert_int_equal(hosts[h].code[i], 0);
    for (unsigned i = 0; i < 2 * HOSTS * BYTES; i++)
      assert_int_equal(hosts[h].all[i / (HOSTS * BYTES)][i % (HOSTS * BYTES)],
                       16 * (i / (HOSTS * BYTES)) + i % (HOSTS * BYTES) / BYTES);
  }
}

static void who_is_missing_is_an_error(void **state) {
  static struct host hosts[HOSTS];
  char root[FREE_PORT];
  (void)state;
  for (unsigned missing = 0; missing < 2; missing++) {
    struct timespec from, to;
    free_port(root);
    clock_gettime(CLOCK_MONOTONIC, &from);
    run(hosts, 3, missing, QUICK_MS, root);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_true(to.tv_sec - from.tv_sec < 5);
    for (unsigned h = 0; h < 3; h++)
      if (h != missing) assert_true(hosts[h].code[0] != 0 || hosts[h].code[1] != 0);
    assert_int_equal(hosts[missing == 0 ? 1 : 0].code[0], -ETIMEDOUT);
  }
}

static void no_such_place(void **state) {
  struct bootstrap b;
  (void)state;
  assert_int_equal(bootstrap_open(&b, 0, 2, "nowhere", QUICK_MS), -EINVAL);
  bootstrap_close(&b);
  assert_int_equal(bootstrap_open(&b, 2, 2, "127.0.0.1:1", QUICK_MS), -EINVAL);
  bootstrap_close(&b);
  assert_int_equal(bootstrap_open(&b, 0, BOOTSTRAP_MOST + 1, "127.0.0.1:1", QUICK_MS), -EINVAL);
  bootstrap_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(everybody_gets_all), cmocka_unit_test(who_is_missing_is_an_error),
                                     cmocka_unit_test(no_such_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
