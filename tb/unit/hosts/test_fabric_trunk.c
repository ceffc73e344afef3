// Two switches with a cable between them: a leaf with two hosts, and the switch above it with one host more.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/hosts/fabric_ends.h"

enum { LEAF, TOP, SWITCHES, UPLINK = 2, BELOW = 1, FAR = 3, DEVICE = 0x50, FRAMES = 200 };

struct pair {
  struct fabric *f[SWITCHES];
  uint64_t now;
  unsigned at_host[4], at_port[SWITCHES];
};

/// Hosts 0 and 1 are at the leaf, host 3 is above; the device above has an address.
static struct pair start(const struct fabric_config *usual) {
  struct fabric_config leaf = *usual, top = *usual;
  leaf.place[UPLINK] = FABRIC_PARENT;
  top.hosts = 2;
  top.place[BELOW] = FABRIC_CHILD;
  top.own_only = true;
  top.own[0] = 2;
  top.own[5] = DEVICE;
  struct pair p = {.f = {fabric_new(&leaf), fabric_new(&top)}, .now = 10 * NET_STEP};
  assert_non_null(p.f[LEAF]);
  assert_non_null(p.f[TOP]);
  for (uint8_t host = 0; host < 4; host++) {
    const uint8_t mac[6] = {2, 0, 0, 0, 0, host};
    if (host == 2) continue;
    fabric_bind(p.f[LEAF], host == FAR ? UPLINK : host, mac);
    fabric_bind(p.f[TOP], host == FAR ? 0 : BELOW, mac);
  }
  const uint8_t device[6] = {2, 0, 0, 0, 0, DEVICE};
  fabric_bind(p.f[LEAF], UPLINK, device);
  return p;
}

static void stop(struct pair *p) {
  fabric_free(p->f[LEAF]);
  fabric_free(p->f[TOP]);
}

static void look(struct pair *p) {
  struct link_frame frame;
  fabric_trunk(p->f[LEAF], UPLINK, p->f[TOP], BELOW, p->now);
  fabric_trunk(p->f[TOP], BELOW, p->f[LEAF], UPLINK, p->now);
  for (unsigned s = 0; s < SWITCHES; s++) {
    fabric_step(p->f[s], p->now);
    for (unsigned port = 0; port < NET_PORTS; port++)
      while (fabric_port_receive(p->f[s], port, p->now, &frame)) p->at_port[s]++;
  }
  for (unsigned h = 0; h < 2; h++)
    while (fabric_host_receive(p->f[LEAF], h, p->now, &frame)) p->at_host[h]++;
  while (fabric_host_receive(p->f[TOP], 0, p->now, &frame)) p->at_host[FAR]++;
}

static void settle(struct pair *p) {
  for (unsigned i = 0; i < 3000; i++, p->now += NET_STEP) look(p);
}

static void frames_cross(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct pair p = start(&c);
  uint8_t frame[NET_ROOM];
  size_t len = net_ack(0, FAR, frame);
  fabric_host_send(p.f[LEAF], 0, p.now, frame, len);
  len = net_ack(FAR, 1, frame);
  fabric_host_send(p.f[TOP], 0, p.now, frame, len);
  settle(&p);
  assert_int_equal(p.at_host[FAR], 1);
  assert_int_equal(p.at_host[1], 1);
  // Gradients: a leaf's device gets its hosts' and what comes down, the one above only what is for its address.
  net_gradient(0, FAR, frame);
  fabric_port_send(p.f[LEAF], 0, frame, NET_BIG);
  net_gradient(0, DEVICE, frame);
  fabric_port_send(p.f[LEAF], 1, frame, NET_BIG);
  net_gradient(FAR, 1, frame);
  fabric_host_send(p.f[TOP], 0, p.now, frame, NET_BIG);
  settle(&p);
  assert_int_equal(p.at_host[FAR], 2);
  assert_int_equal(p.at_port[TOP], 1);
  assert_int_equal(p.at_port[LEAF], 1);
  const struct fabric_counts leaf = fabric_counts(p.f[LEAF]), top = fabric_counts(p.f[TOP]);
  assert_int_equal(leaf.hop[FABRIC_TO_PARENT].frames, 3);
  assert_int_equal(top.hop[FABRIC_FROM_PARENT].frames, 2);
  assert_int_equal(leaf.hop[FABRIC_FROM_PARENT].frames + top.hop[FABRIC_TO_PARENT].frames, 0);   // each cable is counted once
  assert_int_equal(fabric_cable(p.f[LEAF], UPLINK, true).bytes, 2 * NET_BIG + 62);
  stop(&p);
}

/// It takes what one cable takes, and no more.
static void a_cable_takes_its_time_once(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct pair p = start(&c);
  uint8_t frame[NET_ROOM];
  net_gradient(0, DEVICE, frame);
  fabric_port_send(p.f[LEAF], 0, frame, NET_BIG);
  const uint64_t from = p.now, cable = (NET_BIG + LINK_OVERHEAD) * 80 + NET_DELAY;
  while (p.at_port[TOP] == 0) {
    look(&p);
    p.now += NET_STEP;
  }
  assert_in_range(p.now - from, 3 * cable, 3 * cable + 6 * NET_STEP);
  stop(&p);
}

static void each_direction_has_its_faults(void **state) {
  (void)state;
  for (enum fabric_hop hop = FABRIC_TO_PARENT; hop <= FABRIC_FROM_PARENT; hop++) {
    struct fabric_config c = net_usual();
    c.faults[hop].loss = 0.5;
    struct pair p = start(&c);
    uint8_t frame[NET_ROOM];
    for (unsigned i = 0; i < FRAMES; i++) {
      fabric_port_send(p.f[LEAF], 0, frame, net_ack(0, FAR, frame));
      fabric_port_send(p.f[TOP], 0, frame, net_ack(FAR, 0, frame));
    }
    settle(&p);
    const unsigned up = p.at_host[FAR], down = p.at_host[0];
    assert_in_range(hop == FABRIC_TO_PARENT ? up : down, FRAMES / 2 - 35, FRAMES / 2 + 35);
    assert_int_equal(hop == FABRIC_TO_PARENT ? down : up, FRAMES);
    stop(&p);
  }
}

/// A switch that is full pauses the one at the other end, which keeps what it has.
static void pause_goes_back(void **state) {
  (void)state;
  struct fabric_config c = net_usual();
  c.pause = true;
  struct pair p = start(&c);
  uint8_t frame[NET_ROOM];
  net_gradient(0, DEVICE, frame);
  for (unsigned port = 0; port < NET_PORTS; port++) fabric_port_pause(p.f[TOP], port, true);
  for (unsigned i = 0; i < FRAMES; i++) fabric_port_send(p.f[LEAF], 0, frame, NET_BIG);
  settle(&p);
  assert_int_equal(p.at_port[TOP], 0);
  assert_int_equal(fabric_counts(p.f[TOP]).pauses, 1);
  assert_int_equal(fabric_counts(p.f[LEAF]).pauses, 1);   // of its device
  assert_in_range(fabric_cable(p.f[LEAF], UPLINK, true).frames, 10, 14);
  for (unsigned port = 0; port < NET_PORTS; port++) fabric_port_pause(p.f[TOP], port, false);
  for (unsigned i = 0; i < 20; i++) settle(&p);
  assert_int_equal(p.at_port[TOP], FRAMES);
  stop(&p);
}

static void nothing_is_flooded(void **state) {
  (void)state;
  struct fabric_config c = net_usual();
  uint8_t frame[NET_ROOM];
  for (unsigned flood = 0; flood < 2; flood++) {
    c.no_flood = !flood;
    struct pair p = start(&c);
    const size_t len = net_ack(0, NET_STRANGER, frame);
    fabric_host_send(p.f[LEAF], 0, p.now, frame, len);
    settle(&p);
    assert_int_equal(p.at_host[0], 0);
    assert_int_equal(p.at_host[1], flood);
    assert_int_equal(p.at_host[FAR], flood);
    assert_int_equal(fabric_counts(p.f[LEAF]).unknown, !flood);
    stop(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_cross),
      cmocka_unit_test(a_cable_takes_its_time_once),
      cmocka_unit_test(each_direction_has_its_faults),
      cmocka_unit_test(pause_goes_back),
      cmocka_unit_test(nothing_is_flooded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
