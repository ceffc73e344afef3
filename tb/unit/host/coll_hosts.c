#include "unit/host/coll_hosts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <time.h>

#include "unit/host/net/free_port.h"
#include "wire/reduce.h"

struct plan plan_of(enum weir_coll_verb verb, unsigned timeout_ms) {
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
    // One that has failed is there until the end, and says the same again.
    if (code != 0 && weir_coll_test(coll, request, &done) != code) code = -ENOTRECOVERABLE;
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

size_t run(struct plan *p, const struct fake_options *options, unsigned missing, struct host hosts[HOSTS]) {
  pthread_t threads[HOSTS];
  char root[FREE_PORT];
  struct timespec from, to;
  free_port(root);
  p->config.root = root;
  if (p->by_memory) pthread_barrier_init(&table.barrier, NULL, HOSTS);
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
  if (p->by_memory) pthread_barrier_destroy(&table.barrier);
  const size_t exposed = fake_verbs_exposed();
  assert_true(fake_verbs_close());
  if (p->config.timeout_ms == SHORT_MS) assert_in_range((to.tv_sec - from.tv_sec) * 1000, 0, BOUND_MS);
  return exposed;
}

void expect_good(const struct host *hosts, bool offloaded) {
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
