// The network around the device: what is redirected, what goes by address, and who has to wait.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/fabric.h"
#include "unit/hosts/fabric_ends.h"
#include "wire/roce.h"

// --- who gets a frame ---

static const uint8_t data_opcodes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x16, 0x17};

static void gradients_are_redirected(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_introduce(&n);
  const struct fabric_counts before = fabric_counts(n.f);
  for (unsigned i = 0; i < sizeof data_opcodes * 4; i++) {
    for (unsigned h = 0; h < NET_HOSTS; h++) {
      const size_t len = net_packet(h, (h + 1) % NET_HOSTS, data_opcodes[i / 4], i & 1, i & 2, 100, frame);
      net_from_host(&n, h, frame, len, 0, 1u << c.redirect[h]);
    }
  }
  assert_int_equal(fabric_counts(n.f).redirected - before.redirected, sizeof data_opcodes * 4 * NET_HOSTS);
  assert_int_equal(fabric_counts(n.f).forwarded, before.forwarded);
  fabric_free(n.f);
}

static void all_else_goes_by_address(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_introduce(&n);
  size_t sent = 3;
  for (unsigned opcode = 0; opcode < 256; opcode++) {
    if (memchr(data_opcodes, (int)opcode, sizeof data_opcodes) != NULL) continue;
    const size_t len = net_packet(0, 1, (uint8_t)opcode, false, opcode & 1, 100, frame);
    net_from_host(&n, 0, frame, len, 1 << 1, 0);
    sent++;
  }
  // What looks like a gradient and is none: another UDP port, TCP, ARP, a fragment, no room for a BTH.
  const struct {
    size_t at;
    uint8_t value;
  } changes[] = {{37, 0xB8}, {23, 6}, {13, 6}, {20, 0x20}, {17, 43}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++, sent++) {
    const size_t len = net_packet(0, 1, ROCE_WRITE_ONLY, false, false, 100, frame);
    assert_int_not_equal(frame[changes[i].at], changes[i].value);
    frame[changes[i].at] = changes[i].value;
    net_from_host(&n, 0, frame, len, 1 << 1, 0);
  }
  // A host talks to somebody behind its own cable.
  net_from_host(&n, 0, frame, net_ack(0, 0, frame), 0, 0);
  assert_int_equal(fabric_counts(n.f).redirected, 0);
  assert_int_equal(fabric_counts(n.f).forwarded, sent + 1);
  fabric_free(n.f);
}

static void the_device_does_not_get_its_own_frames(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_introduce(&n);
  for (unsigned i = 0; i < sizeof data_opcodes; i++) {
    for (unsigned p = 0; p < NET_PORTS; p++) {
      // A result: of host 0's gradient, for host 1.
      const size_t len = net_packet(0, 1, data_opcodes[i], false, false, 100, frame);
      fabric_port_send(n.f, p, frame, len);
      net_arrives(&n, frame, len, 1 << 1, 0);
      // Nothing was learned from it: host 0 is where it was.
      net_from_host(&n, 2, frame, net_ack(2, 0, frame), 1 << 0, 0);
    }
  }
  assert_int_equal(fabric_counts(n.f).redirected, 0);
  assert_int_equal(fabric_counts(n.f).forwarded, 3 + 2 * NET_PORTS * sizeof data_opcodes);
  fabric_free(n.f);
}

static void addresses_are_learned_from_hosts_only(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM], ask[NET_ROOM];
  // Unknown: to all hosts, not back, and never to the device.
  net_from_host(&n, 0, ask, net_ack(0, 2, ask), 6, 0);
  // From the device there is no way back to avoid; and it teaches nothing.
  const size_t len = net_ack(2, NET_STRANGER, frame);
  fabric_port_send(n.f, 1, frame, len);
  net_arrives(&n, frame, len, 7, 0);
  net_from_host(&n, 0, ask, net_ack(0, 2, ask), 6, 0);
  // A gradient teaches, though it goes elsewhere.
  net_from_host(&n, 2, frame, net_gradient(2, 0, frame), 0, 1 << 1);
  net_from_host(&n, 0, ask, net_ack(0, 2, ask), 4, 0);
  // A broadcast reaches everybody.
  const size_t all = net_ack(1, 0, frame);
  memset(frame, 0xFF, 6);
  net_from_host(&n, 1, frame, all, 5, 0);
  fabric_free(n.f);
}

// --- time ---

static uint64_t serialised(size_t len, unsigned gbps) { return (len + 24) * 8000 / gbps; }

static void each_cable_has_its_time(void **state) {
  (void)state;
  struct fabric_config c = net_usual();
  c.gbps[1] = 10;
  c.device_gbps = 40;
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_introduce(&n);
  for (uint64_t delay = NET_DELAY; delay <= 3 * NET_DELAY; delay += 2 * NET_DELAY) {
    fabric_set_delay(n.f, delay);
    uint64_t start = n.now += 1000000;
    net_from_host(&n, 1, frame, net_gradient(1, 0, frame), 0, 1 << 1);
    assert_int_equal(n.now - start, serialised(NET_BIG, 10) + serialised(NET_BIG, 40) + 2 * delay);
    start = n.now += 1000000;
    const size_t len = net_packet(0, 1, ROCE_ACK, false, false, 500, frame);
    net_from_host(&n, 0, frame, len, 1 << 1, 0);
    assert_int_equal(n.now - start, serialised(len, 100) + serialised(len, 10) + 2 * delay);
  }
  fabric_host_send(n.f, 1, n.now, frame, NET_BIG);
  assert_false(fabric_host_idle(n.f, 1, n.now));
  assert_int_equal(fabric_host_idle_at(n.f, 1), n.now + serialised(NET_BIG, 10));
  assert_true(fabric_host_idle(n.f, 1, fabric_host_idle_at(n.f, 1)));
  assert_true(fabric_host_idle(n.f, 2, n.now));
  fabric_free(n.f);
}

/// The device may have one frame waiting for the cable, and is told to hold back until that has begun.
static void a_port_holds_one_frame_back(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  const size_t len = net_gradient(0, 1, frame);
  assert_false(fabric_port_held(n.f, 0));
  fabric_port_send(n.f, 0, frame, len);
  assert_true(fabric_port_held(n.f, 0));
  assert_false(fabric_port_held(n.f, 1));
  assert_true(fabric_deadline(n.f) <= n.now);
  net_look(&n);
  assert_false(fabric_port_held(n.f, 0));
  const uint64_t free_at = n.now + serialised(len, 100);
  fabric_port_send(n.f, 0, frame, len);
  net_look(&n);
  assert_true(fabric_port_held(n.f, 0));
  assert_int_equal(fabric_deadline(n.f), free_at);
  n.now = free_at - 1;
  net_look(&n);
  assert_true(fabric_port_held(n.f, 0));
  n.now = free_at;
  net_look(&n);
  assert_false(fabric_port_held(n.f, 0));
  net_settle(&n);
  for (unsigned h = 0; h < NET_HOSTS; h++) assert_int_equal(n.at_host[h], 2);   // flooded
  assert_int_equal(fabric_counts(n.f).hop[FABRIC_FROM_DEVICE].frames, 2);
  fabric_free(n.f);
}

static void a_stopped_port_gets_nothing(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  fabric_port_pause(n.f, 0, true);
  net_from_host(&n, 1, frame, net_gradient(1, 0, frame), 0, 1 << 1);   // the other one does
  net_from_host(&n, 0, frame, net_gradient(0, 1, frame), 0, 0);
  assert_int_equal(fabric_deadline(n.f), UINT64_MAX);
  fabric_port_pause(n.f, 0, false);
  assert_true(fabric_deadline(n.f) <= n.now);
  net_arrives(&n, frame, NET_BIG, 0, 1 << 0);
  fabric_free(n.f);
}

static bool is_length(const void *user, const uint8_t *frame, size_t len) {
  (void)frame;
  return len == *(const size_t *)user;
}

/// A frame is somewhere in the network from its first bit in to its last bit out: on a cable, in a queue, in front of the device's cable.
static void it_is_known_what_is_under_way(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  const size_t big = NET_BIG, other = NET_BIG - 1;
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  assert_false(fabric_holds(n.f, is_length, &big));
  fabric_port_pause(n.f, 0, true);
  fabric_host_send(n.f, 0, n.now, frame, net_gradient(0, 1, frame));
  for (int step = 0; step < 1000; step++, n.now += NET_STEP, net_look(&n)) assert_true(fabric_holds(n.f, is_length, &big));
  assert_false(fabric_holds(n.f, is_length, &other));
  fabric_port_pause(n.f, 0, false);
  while (n.at_port[0] == 0) {
    assert_true(fabric_holds(n.f, is_length, &big));
    n.now += NET_STEP;
    net_look(&n);
  }
  assert_false(fabric_holds(n.f, is_length, &big));
  for (int i = 0; i < 2; i++) fabric_port_send(n.f, 1, frame, big);   // the second one waits for the first
  while (n.at_host[0] < 2) {
    assert_true(fabric_holds(n.f, is_length, &big));
    n.now += NET_STEP;
    net_look(&n);
  }
  assert_false(fabric_holds(n.f, is_length, &big));
  fabric_free(n.f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_are_redirected),
      cmocka_unit_test(all_else_goes_by_address),
      cmocka_unit_test(the_device_does_not_get_its_own_frames),
      cmocka_unit_test(addresses_are_learned_from_hosts_only),
      cmocka_unit_test(each_cable_has_its_time),
      cmocka_unit_test(a_port_holds_one_frame_back),
      cmocka_unit_test(a_stopped_port_gets_nothing),
      cmocka_unit_test(it_is_known_what_is_under_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
