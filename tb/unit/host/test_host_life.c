// The life of a communicator as a program sees it, over a fake libibverbs: what may not be asked for, how requests and memory end, and which configurations
// are taken.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/weir/coll.h"
#include "host/weir/tree.h"
#include "unit/host/net/fake_verbs.h"
#include "unit/host/net/free_port.h"

enum { PLENTY_MS = 20000 };

struct host {
  const struct weir_coll_config *config;
  unsigned rank;
  const char *address;
  int opened, reduced, again, closed;
  bool right;
  char text[256];   // what went wrong
};

/// Of two hosts.
static struct weir_coll_config config_of(const char *root, unsigned timeout_ms) {
  struct weir_coll_config k = weir_coll_defaults();
  k.workers = 2;
  k.root = root;
  k.mtu = 256;
  k.msglen = 4;
  k.verb = WEIR_COLL_SEND;
  k.timeout_ms = timeout_ms;
  return k;
}

// --- what a program may not ask for ---

static void *ask(void *argument) {
  struct host *h = argument;
  struct weir_coll_config config = *h->config;
  struct weir_coll_request *request, *many[16];
  struct weir_coll_memory *memory;
  struct weir_coll *coll;
  uint8_t numbers[64] = {0};
  bool done = false;
  config.rank = h->rank;
  config.address = h->address;
  if ((h->opened = weir_coll_init(&config, &coll, h->text, sizeof h->text)) != 0) return NULL;
  h->right = weir_coll_reg_mr(coll, numbers, 32, &memory) == 0;
#define ASK(data, count, type, op, where) weir_coll_iallreduce(coll, data, data, count, type, op, where, &request)
  h->right = h->right && ASK(numbers, 9, WEIR_COLL_INT32, WEIR_COLL_SUM, memory) == -EINVAL &&   // more than is registered
             ASK(numbers + 40, 1, WEIR_COLL_INT32, WEIR_COLL_SUM, memory) == -EINVAL &&
             ASK(numbers, 1, (enum weir_coll_type)4, WEIR_COLL_SUM, NULL) == -EINVAL &&
             ASK(numbers, 1, WEIR_COLL_FP16, (enum weir_coll_op)4, NULL) == -EINVAL &&
             ASK(numbers, SIZE_MAX / 2, WEIR_COLL_FP16, WEIR_COLL_SUM, NULL) == -EINVAL;
  h->right =
      h->right && ASK(numbers, 0, WEIR_COLL_FP16, WEIR_COLL_SUM, NULL) == 0 && weir_coll_test(coll, request, &done) == 0 && done;
  for (unsigned i = 0; h->right && i < 16; i++)
    h->right = weir_coll_iallreduce(coll, numbers, numbers, 1, WEIR_COLL_INT32, WEIR_COLL_MAX, memory, &many[i]) == 0;
  h->right = h->right && ASK(numbers, 1, WEIR_COLL_INT32, WEIR_COLL_SUM, NULL) == -EAGAIN;
  for (unsigned i = 0; h->right && i < 16; i++)
    for (done = false; h->right && !done;) h->right = weir_coll_test(coll, many[i], &done) == 0;
  h->closed = weir_coll_dereg_mr(coll, memory);
  if (weir_coll_close(coll) != 0) h->closed = -1;
  return NULL;
}

// --- the life of requests and memory ---

enum ending { TESTS_LATE, CLOSES, ABORTS };
static enum ending ending;

/// Begins some and does not test them; a barrier, or the end, completes them. What is left is freed.
static void *leave(void *argument) {
  struct host *h = argument;
  struct weir_coll_config config = *h->config;
  struct weir_coll_request *requests[3];
  struct weir_coll_memory *memory;
  struct weir_coll *coll;
  uint32_t numbers[3] = {1, 2, 3};
  bool done = false;
  config.rank = h->rank;
  config.address = h->address;
  if ((h->opened = weir_coll_init(&config, &coll, h->text, sizeof h->text)) != 0) return NULL;
  h->right = strstr(weir_coll_chosen(coll), "the device: it summed") != NULL &&
             weir_coll_reg_mr(coll, numbers, sizeof numbers, &memory) == 0;
  for (int i = 0; i < 3 && h->right; i++)
    h->right = weir_coll_iallreduce(coll, &numbers[i], &numbers[i], 1, WEIR_COLL_INT32, WEIR_COLL_SUM, memory, &requests[i]) == 0;
  if (ending == TESTS_LATE) {
    h->right = h->right && weir_coll_barrier(coll) == 0 && numbers[0] == 2 && numbers[2] == 6;
    for (int i = 2; i >= 0 && h->right; i--) h->right = weir_coll_test(coll, requests[i], &done) == 0 && done;
    const pid_t child = fork();
    if (child == 0) _exit(weir_coll_barrier(coll) == -EPERM && weir_coll_close(coll) == -EPERM ? 0 : 1);
    int status = 1;
    h->right = h->right && waitpid(child, &status, 0) == child && status == 0 && weir_coll_dereg_mr(coll, memory) == 0 &&
               weir_coll_dereg_mr(coll, NULL) == -EINVAL;
  }
  if (ending == ABORTS && h->rank == 1) {
    h->closed = weir_coll_abort(coll);
    return NULL;
  }
  // A host that goes is known, whatever call comes next.
  h->reduced = ending == ABORTS ? weir_coll_barrier(coll) : 0;
  snprintf(h->text, sizeof h->text, "%s", weir_coll_why(coll));
  h->again = weir_coll_iallreduce(coll, numbers, numbers, 1, WEIR_COLL_INT32, WEIR_COLL_SUM, NULL, &requests[0]);
  if (h->again == 0 && ending == ABORTS) h->right = false;
  h->closed = weir_coll_close(coll);
  h->right = h->right && (ending != CLOSES || numbers[1] == 4);
  return NULL;
}

static void requests_and_memory_end_with_their_communicator(void **state) {
  const struct fake_options o = {.hosts = 2, .sums = true};
  (void)state;
  for (ending = TESTS_LATE; ending <= ABORTS; ending++) {
    char root[FREE_PORT];
    free_port(root);
    const struct weir_coll_config k = config_of(root, PLENTY_MS);
    struct host hosts[2] = {{.config = &k, .rank = 0, .address = "10.0.0.1"}, {.config = &k, .rank = 1, .address = "10.0.0.2"}};
    pthread_t other;
    fake_verbs_open(&o);
    assert_int_equal(pthread_create(&other, NULL, leave, &hosts[1]), 0);
    leave(&hosts[0]);
    assert_int_equal(pthread_join(other, NULL), 0);
    for (unsigned r = 0; r < 2; r++) {
      assert_int_equal(hosts[r].opened, 0);
      assert_true(hosts[r].right);
      assert_int_equal(hosts[r].closed, 0);
    }
    if (ending == ABORTS) {
      assert_int_equal(hosts[0].reduced, -ECANCELED);
      assert_int_equal(hosts[0].again, -ECANCELED);
      assert_non_null(strstr(hosts[0].text, "rank 1: the program has given up"));
    }
    assert_true(fake_verbs_close());
  }
}

/// Two hosts, of which nothing may go wrong.
static void two_hosts(void *(*of)(void *), unsigned timeout_ms) {
  const struct fake_options o = {.hosts = 2, .sums = true};
  char root[FREE_PORT];
  free_port(root);
  const struct weir_coll_config k = config_of(root, timeout_ms);
  struct host hosts[2] = {{.config = &k, .rank = 0, .address = "10.0.0.1"}, {.config = &k, .rank = 1, .address = "10.0.0.2"}};
  pthread_t other;
  fake_verbs_open(&o);
  assert_int_equal(pthread_create(&other, NULL, of, &hosts[1]), 0);
  of(&hosts[0]);
  assert_int_equal(pthread_join(other, NULL), 0);
  for (unsigned r = 0; r < 2; r++) {
    assert_int_equal(hosts[r].opened, 0);
    assert_true(hosts[r].right);
    assert_int_equal(hosts[r].closed, 0);
  }
  assert_true(fake_verbs_close());
}

static void what_may_not_be_asked(void **state) {
  (void)state;
  two_hosts(ask, PLENTY_MS);
}

/// A configuration says how long it is: shorter ones would be of no version, and longer ones may ask for nothing that is not known here.
static void configurations_of_other_versions(void **state) {
  struct {
    struct weir_coll_config known;
    uint64_t more;
  } k = {.known = weir_coll_defaults()};
  struct weir_coll *coll;
  char text[256];
  (void)state;
  assert_int_equal(k.known.size, sizeof k.known);
  k.known.size = 0;
  assert_int_equal(weir_coll_init(&k.known, &coll, text, sizeof text), -EINVAL);
  assert_non_null(strstr(text, "the size of the configuration is not set"));
  k.known.size = sizeof k;
  assert_int_equal(weir_coll_init(&k.known, &coll, text, sizeof text), -EINVAL);
  assert_non_null(strstr(text, "no sound configuration"));
  k.more = 1;
  assert_int_equal(weir_coll_init(&k.known, &coll, text, sizeof text), -EINVAL);
  assert_non_null(strstr(text, "of a newer version than the library"));
}

/// Of a configuration in which one member cannot be, the sentence names it.
static void what_is_not_sound_is_named(void **state) {
  static const struct {
    size_t at;
    unsigned value;
    const char *text;
  } cases[] = {
#define MEMBER(name) offsetof(struct weir_coll_config, name)
      {MEMBER(workers), 1, "workers is 1, and must be 2 to 256"},
      {MEMBER(workers), 257, "workers is 257, "},
      {MEMBER(rank), 2, "rank is not below workers"},
      {MEMBER(window), 0, "window is 0, and must be 1 to 64"},
      {MEMBER(window), 65, "window is 65, "},
      {MEMBER(msglen), 16385, "msglen is 16385, and must be 0 to 16384"},
      {MEMBER(mtu), 1000, "mtu is 1000, and must be 0, 256, 512, 1024, 2048 or 4096"},
      {MEMBER(mtu), 8192, "mtu is 8192, "},
      {MEMBER(verb), 3, "verb is 3, and must be 0 to 2"},
      {MEMBER(verb), WEIR_COLL_WRITE, "with WEIR_COLL_WRITE no mark can be seen"},
      {MEMBER(way), 3, "way is 3, "},
      {MEMBER(timeout_ms), 0, "timeout_ms is 0, and must be 1 to 2147483647"},
      {MEMBER(timeout_ms), (unsigned)INT_MAX + 1, "timeout_ms is 2147483648, "},
      {MEMBER(timeout_ms), UINT_MAX, "timeout_ms is 4294967295, "},
      {MEMBER(qp_timeout), 32, "qp_timeout is 32, "},
      {MEMBER(retries), 8, "retries is 8, and must be 0 to 7"},
      {MEMBER(backends), 8, "backends is 8, and must be 0 to 7"},
      {MEMBER(backends), WEIR_COLL_TREE, "backends has a tree, and tree is not set"},
      {MEMBER(rings), 9, "rings is 9, and must be 1 to 8"},
      {MEMBER(gid_index), (unsigned)-2, "gid_index is -2, and must be -1 to 255"},
      {MEMBER(port), 0, "port is 0, and must be 1 to 255"},
      {MEMBER(traffic_class), 256, "traffic_class is 256, "},
      {MEMBER(service_level), 8, "service_level is 8, "},
      {MEMBER(control_traffic_class), (unsigned)-2, "control_traffic_class is -2, and must be -1 to 255"},
      {MEMBER(control_service_level), 8, "control_service_level is 8, and must be -1 to 7"},
  };
  struct weir_coll_config k;
  struct weir_coll *coll;
  struct weir_tree_config t = weir_tree_defaults();
  struct weir_tree *tree;
  char text[256];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    k = config_of("127.0.0.1:1", 1);
    k.verb = WEIR_COLL_WRITE_IMM;
    memcpy((unsigned char *)&k + cases[i].at, &cases[i].value, sizeof cases[i].value);
    assert_int_equal(weir_coll_init(&k, &coll, text, sizeof text), -EINVAL);
    if (strstr(text, cases[i].text) == NULL) print_message("%s; not %s\n", text, cases[i].text);
    assert_int_equal(strncmp(text, "no sound configuration: ", 24), 0);
    assert_non_null(strstr(text, cases[i].text));
  }
  k = config_of(NULL, 1);
  assert_int_equal(weir_coll_init(&k, &coll, text, sizeof text), -EINVAL);
  assert_non_null(strstr(text, "neither root nor all_gather is set"));
  k = config_of("127.0.0.1:1", 1);
  k.secret_bytes = 1;
  assert_int_equal(weir_coll_init(&k, &coll, text, sizeof text), -EINVAL);
  assert_non_null(strstr(text, "secret is not"));
  k = config_of("127.0.0.1:1", 1);
  k.ring = 65535;
  k.rings = 2;
  assert_int_equal(weir_coll_init(&k, &coll, text, sizeof text), -EINVAL);
  assert_non_null(strstr(text, "the last of the rings is above 65535"));
  t.timeout_ms = (unsigned)INT_MAX + 1;
  assert_int_equal(weir_tree_init(&t, &tree, text, sizeof text), -EINVAL);
  assert_non_null(strstr(text, "timeout_ms is 2147483648, and must be 1 to 2147483647"));
  t = weir_tree_defaults();
  t.multicast = 2;
  assert_int_equal(weir_tree_init(&t, &tree, text, sizeof text), -EINVAL);
  assert_string_equal(text, "no sound configuration: multicast is 2, and must be 0 to 1");
  setenv("WEIR_TIMEOUT_MS", "2147483648", 1);
  k = config_of("127.0.0.1:1", 1);
  assert_int_equal(weir_coll_init(&k, &coll, text, sizeof text), -EINVAL);
  assert_string_equal(text, "WEIR_TIMEOUT_MS=2147483648: no number up to 2147483647");
  unsetenv("WEIR_TIMEOUT_MS");
}

/// All of a job with the longest time-out there is.
static void the_longest_time_out(void **state) {
  (void)state;
  two_hosts(ask, INT_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_may_not_be_asked),
      cmocka_unit_test(what_is_not_sound_is_named),
      cmocka_unit_test(the_longest_time_out),
      cmocka_unit_test(requests_and_memory_end_with_their_communicator),
      cmocka_unit_test(configurations_of_other_versions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
