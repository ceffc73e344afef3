// Every collective of the host library over each backend, and over several at once, on a fake libibverbs: every host is a thread. What is received is compared, element by
// element, with what one computes from all hosts' numbers in the backend's own order.
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
#include <unistd.h>

#include "base/rng.h"
#include "host/weir/coll.h"
#include "host/weir/tree.h"
#include "unit/host/net/fake_verbs.h"
#include "unit/host/net/free_port.h"
#include "wire/bytes.h"
#include "wire/reduce.h"

enum { HOSTS = 3, MTU = 256, MSGLEN = 4, ROOM = 12000, TIMEOUT_MS = 120000, ROOT = 1 };
enum what { ALL_REDUCE, REDUCE, BROADCAST, REDUCE_SCATTER, ALL_GATHER, WHATS };

struct host {
  const struct weir_coll_config *config;
  unsigned rank, backend;
  char address[16], text[256], chosen[256];
  int opened, failed, closed;
  unsigned wrong;
  uint64_t multicasts;   // results of a tree's node that came so first
  const char *where;
  unsigned for_size[3];
};

// --- what should come ---

static const uint8_t *numbers_of(unsigned rank, enum weir_coll_type type, uint8_t *out) {
  struct rng rng = rng_for(5, rank);
  rng_fill(&rng, out, ROOM);
  // Of nearly one size, so that sums are rounded, and none is a NaN.
  for (size_t i = 0; i < ROOM; i += 4) {
    const uint32_t w = get_le32(out + i);
    if (type == WEIR_COLL_FP32) put_le32(out + i, (w & 0x807FFFFF) | (126 + (w >> 29)) << 23);
    if (type == WEIR_COLL_FP16) put_le32(out + i, (w & 0x83FF83FF) | 0x3C003C00);
    if (type == WEIR_COLL_BF16) put_le32(out + i, (w & 0x807F807F) | 0x3F803F80);
  }
  return out;
}

/// Segment by segment, one host after the other, each rounded: those behind the segment's own first.
static void ring_order(uint8_t kind, const uint8_t *const rows[], size_t bytes, size_t segment, uint8_t *out) {
  for (size_t s = 0; s < HOSTS; s++) {
    const size_t from = s * segment, len = from >= bytes ? 0 : bytes - from < segment ? bytes - from : segment;
    if (len == 0) continue;
    uint8_t sum[ROOM], next[ROOM];
    memcpy(sum, rows[(s + 1) % HOSTS] + from, len);
    for (unsigned i = 2; i <= HOSTS; i++) {
      const uint8_t *const two[] = {rows[(s + i) % HOSTS] + from, sum};
      assert_int_equal(ina_reduce(kind, two, 2, len, next), 0);
      memcpy(sum, next, len);
    }
    memcpy(out + from, sum, len);
  }
}

static void reduced(unsigned backend, uint8_t kind, size_t bytes, bool average, uint8_t *out) {
  static _Thread_local uint8_t numbers[HOSTS][ROOM];
  const uint8_t *rows[8] = {0};
  const size_t size = weir_coll_element((enum weir_coll_type)(kind & 0xF));
  for (unsigned r = 0; r < HOSTS; r++) rows[r] = numbers_of(r, (enum weir_coll_type)(kind & 0xF), numbers[r]);
  if (backend == WEIR_COLL_AGGREGATOR) ina_reduce(kind, rows, HOSTS, bytes, out);
  if (backend == WEIR_COLL_TREE) half_rings_reduce(kind, rows, 8, bytes, out);
  if (backend == WEIR_COLL_RING) ring_order(kind, rows, bytes, (bytes / size + HOSTS - 1) / HOSTS * size, out);
  if (average) assert_int_equal(ina_divide(kind, out, bytes, HOSTS), 0);
}

// --- one operation ---

static int await(struct weir_coll *coll, struct weir_coll_request *request) {
  bool done = false;
  int code = 0;
  while (code == 0 && !done) {
    code = weir_coll_test(coll, request, &done);
    usleep(50);
  }
  return code;
}

static void expect_bytes(struct host *h, const char *where, const uint8_t *got, const uint8_t *wanted, size_t bytes) {
  if (memcmp(got, wanted, bytes) == 0) return;
  h->where = where;
  h->wrong++;
}

/// `count` elements of one segment.
static void one(struct host *h, struct weir_coll *coll, enum what what, enum weir_coll_type type, enum weir_coll_op op,
                size_t count, bool in_place) {
  static _Thread_local uint8_t send[ROOM], receive[ROOM], expected[ROOM];
  const size_t bytes = count * weir_coll_element(type);
  const bool average = op == WEIR_COLL_AVERAGE;
  const uint8_t kind = (uint8_t)((average ? 0 : (unsigned)op) << 4 | (unsigned)type);
  struct weir_coll_request *request;
  uint8_t *to = in_place ? send : receive;
  int code = 0;
  numbers_of(h->rank, type, send);
  memset(receive, 0xEE, sizeof receive);
  switch (what) {
    case ALL_REDUCE: code = weir_coll_iallreduce(coll, send, to, count, type, op, NULL, &request); break;
    case REDUCE: code = weir_coll_ireduce(coll, send, h->rank == ROOT ? to : NULL, count, type, op, ROOT, NULL, &request); break;
    case BROADCAST: code = weir_coll_ibroadcast(coll, send, bytes, ROOT, &request); break;
    case REDUCE_SCATTER:
      to = in_place ? send + h->rank * bytes : receive;
      code = weir_coll_ireduce_scatter(coll, send, to, count, type, op, NULL, &request);
      break;
    default: {
      const uint8_t *from = send;
      if (in_place) from = memcpy(receive + h->rank * bytes, send, bytes);
      code = weir_coll_iall_gather(coll, from, receive, bytes, &request);
    }
  }
  if (code == 0) code = await(coll, request);
  if (code != 0) {
    h->failed = code;
    return;
  }
  uint8_t numbers[ROOM];
  switch (what) {
    case ALL_REDUCE:
      reduced(h->backend, kind, bytes, average, expected);
      expect_bytes(h, "all-reduce", to, expected, bytes);
      break;
    case REDUCE:
      reduced(h->backend, kind, bytes, average, expected);
      if (h->rank == ROOT) expect_bytes(h, "reduce", to, expected, bytes);
      break;
    case BROADCAST: expect_bytes(h, "broadcast", send, numbers_of(ROOT, type, numbers), bytes); break;
    case REDUCE_SCATTER:
      reduced(h->backend, kind, bytes * HOSTS, average, expected);
      expect_bytes(h, "reduce-scatter", to, expected + h->rank * bytes, bytes);
      break;
    default:
      for (unsigned r = 0; r < HOSTS; r++)
        expect_bytes(h, "all-gather", receive + r * bytes, numbers_of(r, type, numbers), bytes);
  }
}

// --- hosts ---

/// A host's part of the tree: the fake node's ends are known before anybody asks. Hosts of an odd rank listen to its multicasts.
static struct weir_tree *join(unsigned rank, const char *address, char *error, size_t size) {
  struct weir_tree_config k = weir_tree_defaults();
  struct weir_tree *tree;
  const struct weir_tree_node node = {
      .address = "10.0.0.200", .low = {.qpn = FAKE_NODE}, .sat = {.qpn = FAKE_NODE + 1}, .low_tree = 1, .sat_tree = 2};
  k.address = address;
  k.mtu = MTU;
  k.multicast = rank % 2;
  if (weir_tree_init(&k, &tree, error, size) != 0) return NULL;
  if (weir_tree_group_create(tree, &node) == 0) return tree;
  weir_tree_finalize(tree);
  return NULL;
}

static void *live(void *argument) {
  static const size_t counts[] = {1, 7, 252, 900};
  struct host *h = argument;
  struct weir_coll_config config = *h->config;
  struct weir_coll_request *request;
  struct weir_coll *coll;
  config.rank = h->rank;
  config.address = h->address;
  if ((config.backends & WEIR_COLL_TREE) != 0) config.tree = join(h->rank, h->address, h->text, sizeof h->text);
  h->opened = weir_coll_init(&config, &coll, h->text, sizeof h->text);
  if (h->opened != 0) goto leave;
  snprintf(h->chosen, sizeof h->chosen, "%s", weir_coll_chosen(coll));
  for (unsigned i = 0; i < 3; i++) h->for_size[i] = weir_coll_chosen_for(coll, (size_t[]){256, 8192, 262144}[i], NULL, 0);
  for (unsigned i = 0; h->failed == 0 && i < WHATS * 4 * 4; i++) {
    const enum weir_coll_type type = (enum weir_coll_type)(i / WHATS % 4);
    const enum weir_coll_op op = (enum weir_coll_op)((i / WHATS + i / WHATS / 4) % (type == WEIR_COLL_INT32 ? 3 : 4));
    size_t count = counts[(i + i / WHATS) % 4];
    // A tensor of which the backend is not the one that was asked for cannot be compared.
    one(h, coll, (enum what)(i % WHATS), type, op, count, i % 3 == 0);
  }
  if (h->failed == 0) h->failed = weir_coll_ibarrier(coll, &request);
  if (h->failed == 0) h->failed = await(coll, request);
  if (h->failed != 0) snprintf(h->text, sizeof h->text, "%s", weir_coll_why(coll));
  h->closed = weir_coll_close(coll);
leave:
  if (config.tree == NULL) return NULL;
  h->multicasts = weir_tree_multicasts(config.tree);
  weir_tree_finalize(config.tree);
  return NULL;
}

static struct weir_coll_config config_of(unsigned backends) {
  struct weir_coll_config k = weir_coll_defaults();
  k.workers = HOSTS;
  k.backends = backends;
  k.mtu = MTU;
  k.msglen = MSGLEN;
  k.timeout_ms = TIMEOUT_MS;
  return k;
}

/// `backend`: in whose order sums are expected.
static void run(const struct weir_coll_config *config, const struct fake_options *options, unsigned backend,
                struct host hosts[HOSTS]) {
  struct weir_coll_config k = *config;
  pthread_t threads[HOSTS];
  char root[FREE_PORT];
  free_port(root);
  k.root = root;
  fake_verbs_open(options);
  for (unsigned r = 0; r < HOSTS; r++) {
    hosts[r] = (struct host){.config = &k, .rank = r, .backend = backend};
    snprintf(hosts[r].address, sizeof hosts[r].address, "10.0.0.%u", r + 1);
    assert_int_equal(pthread_create(&threads[r], NULL, live, &hosts[r]), 0);
  }
  for (unsigned r = 0; r < HOSTS; r++) assert_int_equal(pthread_join(threads[r], NULL), 0);
  assert_true(fake_verbs_close());
}

static void expect_good(const struct host hosts[HOSTS]) {
  for (unsigned r = 0; r < HOSTS; r++) {
    if (hosts[r].opened != 0 || hosts[r].failed != 0 || hosts[r].wrong > 0)
      print_message("host %u: %s; %u wrong, last in a %s\n", r, hosts[r].text, hosts[r].wrong, hosts[r].where);
    assert_int_equal(hosts[r].opened, 0);
    assert_int_equal(hosts[r].failed, 0);
    assert_int_equal(hosts[r].closed, 0);
    assert_int_equal(hosts[r].wrong, 0);
  }
}

static const struct fake_options device = {.hosts = HOSTS, .sums = true};

static void over_the_aggregator(void **state) {
  struct host hosts[HOSTS];
  (void)state;
  for (enum weir_coll_verb verb = WEIR_COLL_WRITE_IMM; verb <= WEIR_COLL_SEND; verb++) {
    struct weir_coll_config k = config_of(WEIR_COLL_AGGREGATOR);
    k.verb = verb;
    run(&k, &device, WEIR_COLL_AGGREGATOR, hosts);
    expect_good(hosts);
    assert_string_equal(hosts[0].chosen, "aggregator: so asked for");
  }
}

/// A tensor of more than a message a ring is shared by all of them; smaller ones take turns.
static void over_three_rings_of_it(void **state) {
  struct weir_coll_config k = config_of(WEIR_COLL_AGGREGATOR);
  struct host hosts[HOSTS];
  (void)state;
  k.rings = 3;
  k.ring = 7;
  run(&k, &device, WEIR_COLL_AGGREGATOR, hosts);
  expect_good(hosts);
}

static void over_the_ring_of_hosts(void **state) {
  const struct weir_coll_config k = config_of(WEIR_COLL_RING);
  const struct fake_options passes = {.hosts = HOSTS};
  struct host hosts[HOSTS];
  (void)state;
  run(&k, &passes, WEIR_COLL_RING, hosts);
  expect_good(hosts);
}

static void over_a_tree(void **state) {
  const struct weir_coll_config k = config_of(WEIR_COLL_TREE);
  struct host hosts[HOSTS];
  (void)state;
  run(&k, &device, WEIR_COLL_TREE, hosts);
  expect_good(hosts);
  for (unsigned r = 0; r < HOSTS; r++) assert_true((hosts[r].multicasts > 0) == (r % 2 == 1));
}

/// Whoever is the fastest for a size takes it, the same at all hosts.
static void the_backend_is_chosen_by_size(void **state) {
  const struct weir_coll_config k = config_of(WEIR_COLL_AGGREGATOR | WEIR_COLL_TREE | WEIR_COLL_RING);
  struct host hosts[HOSTS];
  (void)state;
  run(&k, &device, 0, hosts);
  for (unsigned r = 0; r < HOSTS; r++) {
    assert_int_equal(hosts[r].opened, 0);
    assert_int_equal(hosts[r].failed, 0);
    assert_string_equal(hosts[r].chosen, "aggregator, tree, ring of hosts: by size, as measured");
    for (unsigned i = 0; i < 3; i++) assert_int_equal(hosts[r].for_size[i], hosts[0].for_size[i]);
  }
}

/// What a tree says is what the communicator says, the same at all hosts.
static void verdicts_of_a_tree(void **state) {
  static const int codes[] = {0, -EBUSY, -EINVAL, -ENOBUFS, -ENODEV, -ETIMEDOUT, -EHOSTUNREACH};
  const struct weir_coll_config k = config_of(WEIR_COLL_TREE);
  (void)state;
  for (uint8_t verdict = WEIR_TREE_LOCK_FAILED; verdict <= WEIR_TREE_LOST; verdict++) {
    const struct fake_options o = {.hosts = HOSTS, .sums = true, .node_says = verdict, .node_from = 4};
    struct host hosts[HOSTS];
    run(&k, &o, WEIR_COLL_TREE, hosts);
    for (unsigned r = 0; r < HOSTS; r++) {
      assert_int_equal(hosts[r].failed, codes[verdict]);
      assert_non_null(strstr(hosts[r].text, weir_tree_verdict_text((enum weir_tree_verdict)verdict)));
      assert_non_null(strstr(hosts[r].text, "node 4 found at port 2"));
    }
  }
}

/// A backend that was asked for and is not there ends init, also where another one would do.
static void nothing_is_replaced_in_silence(void **state) {
  const struct weir_coll_config k = config_of(WEIR_COLL_AGGREGATOR | WEIR_COLL_RING);
  const struct fake_options passes = {.hosts = HOSTS};
  struct host hosts[HOSTS];
  (void)state;
  run(&k, &passes, WEIR_COLL_RING, hosts);
  for (unsigned r = 0; r < HOSTS; r++) {
    assert_int_equal(hosts[r].opened, -ENODEV);
    assert_non_null(strstr(hosts[r].text, "no device answers for this ring"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(over_the_aggregator),
      cmocka_unit_test(over_three_rings_of_it),
      cmocka_unit_test(over_the_ring_of_hosts),
      cmocka_unit_test(over_a_tree),
      cmocka_unit_test(the_backend_is_chosen_by_size),
      cmocka_unit_test(verdicts_of_a_tree),
      cmocka_unit_test(nothing_is_replaced_in_silence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
