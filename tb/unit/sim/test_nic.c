// A host's interface: messages that are sent in parts over several connections. What it keeps of them is what is under way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/fabric/host/nic.h"

enum { PEERS = 3, QPS = 4, MESSAGES = 2000, ABREAST = 5, DEAF = 2 };

struct heard {
  uint32_t messages;
  uint64_t value, bytes;
};

static void received(void *user, uint32_t host, uint32_t src, uint32_t tag, uint64_t value, uint64_t bytes) {
  (void)host, (void)src, (void)tag;
  struct heard *h = user;
  h->messages++;
  h->value += value;
  h->bytes += bytes;
}

static const struct nic_options options = {
    .mtu = 1000, .window = 1 << 20, .ack_every = 8, .timeout_ps = 1000000, .retries = 2, .qps = QPS, .split = true, .drain = 1};

/// A host alone: its cable is cut, and what comes it is told by the test.
struct alone {
  struct world *world;
  struct fabric_nic nic;
  struct heard heard;
};

static void make_alone(struct alone *a) {
  *a = (struct alone){.world = world_new()};
  nic_make(&a->nic, a->world, 0, &options, &(struct nic_user){.user = &a->heard, .received = received});
  a->nic.part = world_part(a->world, &nic_acts, &a->nic, NIC_TIMERS, 0);
  a->nic.port.cut = true;
  assert_true(world_ready(a->world));
}

static void free_alone(struct alone *a) {
  nic_free(&a->nic);
  world_free(a->world);
}

/// Parts of some messages at a time of each sender come in any order; each message is told once, with all its bytes, and nothing is kept of it.
static void test_parts_in_any_order(void **state) {
  (void)state;
  struct alone a;
  make_alone(&a);
  struct rng rng = rng_for(1, 0);
  uint32_t psn[PEERS * 2][QPS] = {0};
  for (uint32_t base = 0; base < MESSAGES; base += ABREAST) {
    // Which message of the few each connection brings next: those of one come in order.
    uint32_t at[PEERS * 2][QPS] = {0};
    for (uint32_t left = PEERS * 2 * QPS * ABREAST; left > 0;) {
      const uint32_t peer = rng_below(&rng, PEERS * 2), q = rng_below(&rng, QPS);
      if (at[peer][q] == ABREAST) continue;
      // Two loads count their messages each by itself, and have connections of their own.
      const bool background = peer >= PEERS;
      const struct world_packet packet = {.src = 1 + peer % PEERS,
                                          .qp = q + QPS * background,
                                          .psn = psn[peer][q]++,
                                          .payload = 100,
                                          .parts = QPS,
                                          .flags = PACKET_FIRST | PACKET_LAST,
                                          .serial = base + at[peer][q]++,
                                          .value = q == 0,
                                          .tag = (uint32_t)background << 31,
                                          .kind = PACKET_DATA};
      nic_data(&a.nic, &packet);
      left--;
    }
    assert_int_equal(a.heard.messages, (base + ABREAST) * PEERS * 2);
  }
  assert_int_equal(a.heard.value, MESSAGES * PEERS * 2);
  assert_int_equal(a.heard.bytes, (uint64_t)MESSAGES * PEERS * 2 * QPS * 100);
  assert_int_equal(a.nic.parts_of.used, 0);
  assert_in_range(a.nic.partial_count, 1, PEERS * 2 * ABREAST);
  free_alone(&a);
}

/// Who is at the other end of a cable, acknowledges all but one connection, and keeps count of packets by connection.
struct peer_host {
  struct world *world;
  uint32_t back, came[QPS];
};

static void peer_arrives(void *part, uint32_t port, const struct world_packet *packet) {
  (void)port;
  struct peer_host *p = part;
  p->came[packet->qp]++;
  if (packet->qp == DEAF) return;
  const struct world_packet ack = {
      .src = 1, .dst = 0, .qp = packet->qp, .psn = packet->psn + 1, .wire = 100, .kind = PACKET_ACK, .class = PACKET_URGENT};
  world_send(p->world, p->back, world_now(p->world) + 1000, &ack);
}

static void no_timer(void *part, uint32_t timer) { (void)part, (void)timer; }

/// A connection that is lost takes those with it that carry other parts of its messages: no such message can be whole at the other end, and nothing more is sent for it.
static void test_lost_together(void **state) {
  (void)state;
  static const struct world_acts peer_acts = {peer_arrives, no_timer};
  struct peer_host peer = {.world = world_new()};
  struct fabric_nic n;
  nic_make(&n, peer.world, 0, &options, &(struct nic_user){.received = received});
  n.part = world_part(peer.world, &nic_acts, &n, NIC_TIMERS, 0);
  const uint32_t other = world_part(peer.world, &peer_acts, &peer, 0, 0);
  n.port.ps_per_kib = 81920;
  n.port.cable = world_cable(peer.world, n.part, other, 0, 1000);
  peer.back = world_cable(peer.world, other, n.part, 0, 1000);
  assert_true(world_ready(peer.world));
  nic_post(&n, 1, 400, 7, 1);
  while (world_run(peer.world, WORLD_END - 1, 1000)) continue;
  assert_int_equal(peer.came[DEAF], 1 + options.retries);
  assert_int_equal(peer.came[0], 1);
  assert_int_equal(n.counts.lost, QPS);
  const uint64_t sent = n.counts.sent;
  nic_post(&n, 1, 400, 8, 1);
  while (world_run(peer.world, WORLD_END - 1, 1000)) continue;
  assert_int_equal(n.counts.sent, sent);
  assert_false(nic_idle(&n));
  nic_free(&n);
  world_free(peer.world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts_in_any_order), cmocka_unit_test(test_lost_together)};
  return cmocka_run_group_tests_name("nic", tests, NULL, NULL);
}
