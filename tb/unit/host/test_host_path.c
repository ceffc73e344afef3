// What a port carries, and how packets are marked, over a fake libibverbs: a path MTU and messages that all ports of a job take, sentences where a program wants more, and
// port, GID, traffic class and service level as they were asked for, those of control messages apart.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "host/meet/tcp.h"
#include "host/weir/coll.h"
#include "host/weir/tree.h"
#include "unit/host/net/fake_verbs.h"
#include "unit/host/net/free_port.h"

enum { HOSTS = 2, PLENTY_MS = 20000, NODE_LOW = FAKE_NODE, NODE_SAT = FAKE_NODE + 1 };

struct host {
  struct weir_coll_config config;
  int opened;
  unsigned mtu, msglen;
  bool right;
  char text[256];
};

/// An all-reduce of one number.
static void *live(void *argument) {
  struct host *h = argument;
  struct weir_coll_request *request;
  struct weir_coll *coll;
  uint32_t number = h->config.rank + 1;
  bool done = false;
  h->opened = weir_coll_init(&h->config, &coll, h->text, sizeof h->text);
  if (h->opened != 0) return NULL;
  weir_coll_path(coll, &h->mtu, &h->msglen);
  int code = weir_coll_iallreduce(coll, &number, &number, 1, WEIR_COLL_INT32, WEIR_COLL_SUM, NULL, &request);
  while (code == 0 && !done) code = weir_coll_test(coll, request, &done);
  h->right = code == 0 && number == 3;
  if (weir_coll_close(coll) != 0) h->right = false;
  return NULL;
}

/// Two hosts of a configuration; host 1 uses `port`. Their queue pairs are still to be looked at.
static void run(const struct weir_coll_config *config, unsigned port, const struct fake_options *options,
                struct host hosts[HOSTS]) {
  static const char *const addresses[HOSTS] = {"10.0.0.1", "10.0.0.2"};
  char root[FREE_PORT];
  pthread_t other;
  free_port(root);
  for (unsigned r = 0; r < HOSTS; r++) {
    hosts[r] = (struct host){.config = *config};
    hosts[r].config.rank = r;
    hosts[r].config.address = addresses[r];
    hosts[r].config.root = root;
  }
  hosts[1].config.port = port;
  fake_verbs_open(options);
  assert_int_equal(pthread_create(&other, NULL, live, &hosts[1]), 0);
  live(&hosts[0]);
  assert_int_equal(pthread_join(other, NULL), 0);
}

static struct weir_coll_config config_of(enum weir_coll_way way) {
  struct weir_coll_config k = weir_coll_defaults();
  k.workers = HOSTS;
  k.way = way;
  k.timeout_ms = PLENTY_MS;
  return k;
}

static void expect_path(const struct host *hosts, unsigned mtu, unsigned msglen) {
  struct fake_connection c;
  for (unsigned r = 0; r < HOSTS; r++) {
    if (hosts[r].opened != 0) print_message("host %u: %s\n", r, hosts[r].text);
    assert_int_equal(hosts[r].opened, 0);
    assert_true(hosts[r].right);
    assert_int_equal(hosts[r].mtu, mtu);
    assert_int_equal(hosts[r].msglen, msglen);
  }
  for (unsigned i = 0; i < 2 * HOSTS; i++) {
    assert_true(fake_verbs_connection(i, &c));
    assert_int_equal(c.mtu, mtu);
  }
  assert_false(fake_verbs_connection(2 * HOSTS, &c));
  assert_true(fake_verbs_close());
}

static void the_path_is_what_all_ports_carry(void **state) {
  static const struct {
    enum weir_coll_way way;
    unsigned mtu[2], message, found_mtu, found_msglen;
  } cases[] = {
      {WEIR_COLL_HOSTS, {4096, 4096}, 0, 4096, 42},     // 170 KB
      {WEIR_COLL_HOSTS, {4096, 512}, 0, 512, 170},      // the least of all
      {WEIR_COLL_DEVICE, {4096, 2048}, 0, 1024, 170},   // slots of a device
      {WEIR_COLL_DEVICE, {256, 4096}, 0, 256, 170},   {WEIR_COLL_DEVICE, {1024, 1024}, 20000, 1024, 19},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct weir_coll_config k = config_of(cases[i].way);
    const struct fake_options o = {.hosts = HOSTS,
                                   .sums = cases[i].way == WEIR_COLL_DEVICE,
                                   .mtu = {cases[i].mtu[0], cases[i].mtu[1]},
                                   .message = cases[i].message};
    struct host hosts[HOSTS];
    run(&k, 2, &o, hosts);
    expect_path(hosts, cases[i].found_mtu, cases[i].found_msglen);
  }
}

/// What a program asks for is taken as it is, or refused with a sentence, on all hosts.
static void a_program_says_more_or_less(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true, .mtu = {4096, 2048}, .message = 100000};
  struct weir_coll_config k = config_of(WEIR_COLL_DEVICE);
  struct host hosts[HOSTS];
  (void)state;
  k.mtu = 2048;
  k.msglen = 48;
  run(&k, 2, &o, hosts);
  expect_path(hosts, 2048, 48);
  k.mtu = 4096;
  k.msglen = 1;
  run(&k, 2, &o, hosts);
  assert_true(fake_verbs_close());
  assert_int_equal(hosts[1].opened, -ENODEV);
  assert_string_equal(hosts[1].text, "a path MTU of 4096 is more than the 2048 of port 2 of fake0");
  assert_string_equal(hosts[0].text, "rank 1: a path MTU of 4096 is more than the 2048 of port 2 of fake0");
  k.mtu = 2048;
  k.msglen = 49;
  run(&k, 1, &o, hosts);
  assert_true(fake_verbs_close());
  assert_int_equal(hosts[0].opened, -ENODEV);
  assert_string_equal(hosts[0].text, "messages of 100352 bytes are more than the 100000 of port 1 of fake0");
  // A port that there is not, and one that takes less than a packet.
  k.mtu = k.msglen = 0;
  run(&k, 3, &o, hosts);
  assert_true(fake_verbs_close());
  assert_string_equal(hosts[0].text, "rank 1: no RDMA device has a RoCEv2 GID of 10.0.0.2 at port 3");
  const struct fake_options little = {.hosts = HOSTS, .sums = true, .message = 1000};
  run(&k, 2, &little, hosts);
  assert_true(fake_verbs_close());
  assert_int_equal(hosts[1].opened, -ENODEV);
  assert_non_null(strstr(hosts[1].text, "no message of one packet"));
}

/// Data on one queue pair, acknowledgements on the other, each as it was asked for.
static void control_has_a_priority_of_its_own(void **state) {
  const struct fake_options o = {.hosts = HOSTS, .sums = true};
  struct weir_coll_config k = config_of(WEIR_COLL_DEVICE);
  (void)state;
  for (int apart = 0; apart < 2; apart++) {
    struct host hosts[HOSTS];
    struct fake_connection c;
    k.traffic_class = 104;
    k.service_level = 3;
    k.control_traffic_class = apart ? 184 : -1;
    k.control_service_level = apart ? 6 : -1;
    run(&k, 1, &o, hosts);
    unsigned data = 0, control = 0;
    for (unsigned i = 0; fake_verbs_connection(i, &c); i++) {
      data += c.traffic_class == 104 && c.service_level == 3;
      control += c.traffic_class == 184 && c.service_level == 6;
    }
    assert_int_equal(data, apart ? HOSTS : 2 * HOSTS);
    assert_int_equal(control, apart ? HOSTS : 0);
    assert_true(fake_verbs_close());
  }
  // None that cannot be.
  k.control_service_level = 8;
  struct weir_coll *coll;
  char text[64];
  k.root = "127.0.0.1:1";
  assert_int_equal(weir_coll_init(&k, &coll, text, sizeof text), -EINVAL);
}

/// Where hosts meet over TCP, too.
static void tcp_is_marked(void **state) {
  int value = -1;
  socklen_t size = sizeof value;
  (void)state;
  for (int family = 0; family < 2; family++) {
    const int s = socket(family == 0 ? AF_INET : AF_INET6, SOCK_STREAM, 0);
    const int level = family == 0 ? IPPROTO_IP : IPPROTO_IPV6, name = family == 0 ? IP_TOS : IPV6_TCLASS;
    if (s < 0) continue;   // a machine without IPv6
    tcp_mark(s, -1, -1);
    assert_int_equal(getsockopt(s, level, name, &value, &size), 0);
    assert_int_equal(value, 0);
    tcp_mark(s, 184, 5);
    assert_int_equal(getsockopt(s, level, name, &value, &size), 0);
    assert_int_equal(value, 184);
    assert_int_equal(getsockopt(s, SOL_SOCKET, SO_PRIORITY, &value, &size), 0);
    assert_int_equal(value, 5);
    shutdown(s, SHUT_RDWR);
  }
}

/// A host below a tree's node.
static void a_tree_takes_what_it_is_told(void **state) {
  const struct fake_options o = {.hosts = 1, .mtu = {1024, 2048}};
  const struct weir_tree_node node = {.address = "10.0.0.200", .low = {.qpn = NODE_LOW}, .sat = {.qpn = NODE_SAT}};
  struct weir_tree_config k = weir_tree_defaults();
  struct weir_tree *tree;
  struct fake_connection c;
  char text[256];
  (void)state;
  k.port = 2;
  k.gid_index = 5;
  k.mtu = 0;
  k.traffic_class = 104;
  k.service_level = 3;
  k.control_traffic_class = 184;
  fake_verbs_open(&o);
  assert_int_equal(weir_tree_init(&k, &tree, text, sizeof text), 0);
  assert_int_equal(weir_tree_mtu(tree), 2048);
  assert_int_equal(weir_tree_group_create(tree, &node), 0);
  for (unsigned i = 0; i < 2; i++) {
    assert_true(fake_verbs_connection(i, &c));
    assert_int_equal(c.port, 2);
    assert_int_equal(c.gid_index, 5);
    assert_int_equal(c.mtu, 2048);
    assert_int_equal(c.traffic_class, c.peer == NODE_LOW ? 184 : 104);
    assert_int_equal(c.service_level, 3);
  }
  weir_tree_finalize(tree);
  k.mtu = 4096;
  assert_int_equal(weir_tree_init(&k, &tree, text, sizeof text), -ENODEV);
  assert_string_equal(text, "a path MTU of 4096 is more than the 2048 of port 2 of fake0");
  k.mtu = 1024;
  k.gid_index = 4;   // of RoCEv1
  assert_int_equal(weir_tree_init(&k, &tree, text, sizeof text), -ENODEV);
  assert_string_equal(text, "no RDMA device has a RoCEv2 GID of index 4 at port 2");
  k.service_level = 8;
  assert_int_equal(weir_tree_init(&k, &tree, text, sizeof text), -EINVAL);
  assert_true(fake_verbs_close());
}

/// A host joins a group, leaves it, and joins another one with new ends; one that cannot listen to multicasts says so.
static void a_group_is_left(void **state) {
  struct fake_options o = {.hosts = 1};
  const struct weir_tree_node node = {
      .address = "10.0.0.200", .low = {.qpn = NODE_LOW}, .sat = {.qpn = NODE_SAT}, .low_tree = 1, .sat_tree = 2};
  const float numbers[] = {1, 2, 3, 4};
  float sums[4] = {0};
  const struct weir_tree_vector v = {.send = numbers, .receive = sums, .count = 4, .type = WEIR_COLL_FP32};
  struct weir_tree_config k = weir_tree_defaults();
  struct weir_tree_status status = {.verdict = WEIR_TREE_LOST};
  struct weir_tree *tree;
  char text[256];
  (void)state;
  k.address = "10.0.0.1";
  k.multicast = 1;
  fake_verbs_open(&o);
  assert_int_equal(weir_tree_init(&k, &tree, text, sizeof text), 0);
  assert_int_equal(weir_tree_group_destroy(tree), -ENOTCONN);
  for (unsigned i = 0; i < 2; i++) {
    const uint32_t psn = weir_tree_low_end(tree).psn;
    assert_int_equal(weir_tree_do_barrier(tree, NULL), -ENOTCONN);
    assert_int_equal(weir_tree_group_create(tree, &node), 0);
    assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), 0);
    assert_int_equal(status.verdict, WEIR_TREE_OK);
    assert_memory_equal(sums, numbers, sizeof sums);
    assert_int_equal(weir_tree_do_barrier(tree, NULL), 0);
    assert_int_equal(weir_tree_multicasts(tree), 2);
    assert_int_equal(weir_tree_group_destroy(tree), 0);
    assert_int_not_equal(weir_tree_low_end(tree).psn, psn);
  }
  weir_tree_finalize(tree);
  assert_true(fake_verbs_close());
  o.refusal = FAKE_GROUPS;
  fake_verbs_open(&o);
  assert_int_equal(weir_tree_init(&k, &tree, text, sizeof text), 0);
  assert_int_equal(weir_tree_group_create(tree, &node), -ENOMEM);
  assert_string_equal(weir_tree_why(tree), "the multicasts of tree 1 cannot be joined: Cannot allocate memory");
  weir_tree_finalize(tree);
  assert_true(fake_verbs_close());
}

/// Each call of the interface once, with memory that is registered; what does not fit is not begun, by name.
static void each_call_of_a_tree(void **state) {
  const struct fake_options o = {.hosts = 1};
  const struct weir_tree_node node = {
      .address = "10.0.0.200", .low = {.qpn = NODE_LOW}, .sat = {.qpn = NODE_SAT}, .low_tree = 1, .sat_tree = 2};
  static int32_t numbers[2][1000], other[1000];
  struct weir_tree_vector v = {.send = numbers[0], .receive = numbers[1], .count = 1000, .type = WEIR_COLL_INT32};
  struct weir_tree_config k = weir_tree_defaults();
  struct weir_tree_status status;
  struct weir_tree *tree;
  char text[256];
  (void)state;
  k.address = "10.0.0.1";
  fake_verbs_open(&o);
  assert_int_equal(weir_tree_init(&k, &tree, text, sizeof text), 0);
  assert_int_equal(weir_tree_group_create(tree, &node), 0);
  const struct weir_tree_caps caps = weir_tree_caps_query(tree);
  assert_int_equal(caps.low_most, 1024);
  assert_int_equal(caps.stream_most, (UINT32_C(1) << 31) - 32);
  assert_int_equal(caps.types, 0xF);
  assert_int_equal(caps.ops, 7);
  assert_int_equal(weir_tree_reg_mr(tree, numbers, sizeof numbers, &v.memory), 0);
  for (int i = 0; i < 1000; i++) numbers[0][i] = i;
  assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), 0);   // streams, with its lock on the way
  assert_int_equal(status.verdict, WEIR_TREE_OK);
  assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
  assert_int_equal(weir_tree_do_reduce(tree, &v, &status), 0);
  assert_int_equal(status.verdict, WEIR_TREE_OK);
  v.receive = NULL;
  assert_int_equal(weir_tree_do_bcast(tree, &v, &status), 0);
  assert_int_equal(status.verdict, WEIR_TREE_OK);
  assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), -EINVAL);
  v.receive = numbers[1];
  assert_int_equal(weir_tree_do_bcast(tree, &v, &status), -EINVAL);
  v.send = other;   // not in that memory
  assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), -EINVAL);
  v.send = numbers[0];
  v.way = WEIR_TREE_LOW;
  assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), -EMSGSIZE);
  v.way = WEIR_TREE_AUTO;
  v.count = caps.stream_most / 4 + 1;
  assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), -EMSGSIZE);
  v.count = 0;
  assert_int_equal(weir_tree_do_reduce(tree, &v, &status), -EINVAL);
  v.count = 1000;
  v.type = (enum weir_coll_type)9;
  assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), -EINVAL);
  v.type = WEIR_COLL_INT32;
  assert_int_equal(weir_tree_lock_left(tree), 0);
  assert_int_equal(weir_tree_lock_nb(tree, 2), 0);
  assert_int_equal(weir_tree_do_barrier_nb(tree), -EBUSY);
  assert_int_equal(weir_tree_do_allreduce_nb(tree, &v), -EBUSY);
  assert_int_equal(weir_tree_req_wait(tree).verdict, WEIR_TREE_OK);
  assert_int_equal(weir_tree_lock_left(tree), 2);
  assert_int_equal(weir_tree_do_allreduce(tree, &v, &status), 0);
  assert_int_equal(weir_tree_lock_left(tree), 1);
  assert_int_equal(weir_tree_unlock_nb(tree), 0);
  assert_int_equal(weir_tree_req_wait(tree).verdict, WEIR_TREE_OK);
  assert_int_equal(weir_tree_lock_left(tree), 0);
  assert_int_equal(weir_tree_dereg_mr(tree, v.memory), 0);
  weir_tree_finalize(tree);
  assert_true(fake_verbs_close());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_path_is_what_all_ports_carry),
      cmocka_unit_test(a_program_says_more_or_less),
      cmocka_unit_test(control_has_a_priority_of_its_own),
      cmocka_unit_test(tcp_is_marked),
      cmocka_unit_test(a_tree_takes_what_it_is_told),
      cmocka_unit_test(a_group_is_left),
      cmocka_unit_test(each_call_of_a_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
