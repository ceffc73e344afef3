// The fabric when there is too much of it, or something breaks: pause, drops, faults of cables, and what is counted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/fabric.h"
#include "unit/hosts/fabric_ends.h"
#include "wire/roce.h"

enum { FRAMES = 200, MARK = 10 * NET_BIG, PATIENCE = 1000000000 };

/// What the switch holds of gradients for the device.
static uint64_t held(const struct net *n) {
  const struct fabric_counts c = fabric_counts(n->f);
  return (c.redirected - c.dropped - c.hop[FABRIC_TO_DEVICE].frames) * NET_BIG;
}

static bool paused(const struct net *n, unsigned host) { return fabric_host_idle_at(n->f, host) == UINT64_MAX; }

/// One step of a host that sends whenever it may.
static void push(struct net *n, unsigned host, const uint8_t *frame, size_t *left) {
  assert_true(n->now < PATIENCE);
  net_look(n);
  if (*left > 0 && fabric_host_idle(n->f, host, n->now)) {
    fabric_host_send(n->f, host, n->now, frame, NET_BIG);
    --*left;
  }
  n->now += NET_STEP;
}

static void pause_has_two_marks(void **state) {
  (void)state;
  struct fabric_config c = net_usual();
  c.pause = true;
  c.device_gbps = 50;
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_gradient(0, 1, frame);
  uint64_t times = 0, most = 0;
  bool was = false;
  for (size_t left = FRAMES; left > 0 || held(&n) > 0;) {
    push(&n, 0, frame, &left);
    const bool is = paused(&n, 0);
    const uint64_t holds = held(&n);
    if (is) assert_false(fabric_host_idle(n.f, 0, n.now + NET_DELAY));
    assert_false(paused(&n, 1));   // others filled nothing
    // Above the mark it must be paused, below half of it it must not; between them, it stays as it is.
    if (holds > MARK) assert_true(is);
    if (holds < MARK / 2) assert_false(is);
    if (is && !was) assert_true(holds >= MARK);
    if (was && holds >= MARK / 2) assert_true(is);
    times += is && !was;
    was = is;
    if (holds > most) most = holds;
  }
  net_settle(&n);
  assert_int_equal(n.at_port[0], FRAMES);
  // More than the mark only by what the cable and its serialiser held: both take their time until the host has heard.
  assert_in_range(most, MARK + 1, MARK + 4 * NET_BIG);
  assert_true(times > 5);
  const struct fabric_counts counts = fabric_counts(n.f);
  assert_int_equal(counts.pauses, times);
  assert_int_equal(counts.dropped, 0);
  assert_int_equal(counts.redirected, FRAMES);
  fabric_free(n.f);
}

/// A device that takes nothing for long stops the hosts, and nothing is lost.
static void a_stopped_device_stops_its_hosts(void **state) {
  (void)state;
  struct fabric_config c = net_usual();
  c.pause = true;
  c.buffer_bytes = 20 * NET_BIG;   // enough for what is on its way when the host is told
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_gradient(0, 1, frame);
  size_t left = FRAMES;
  fabric_port_pause(n.f, 0, true);
  for (int i = 0; i < 1000; i++) push(&n, 0, frame, &left);
  assert_true(paused(&n, 0));
  assert_in_range(FRAMES - left, 11, 14);
  assert_int_equal(n.at_port[0], 0);
  assert_int_equal(fabric_counts(n.f).pauses, 1);
  fabric_port_pause(n.f, 0, false);
  while (left > 0) push(&n, 0, frame, &left);
  net_settle(&n);
  assert_int_equal(n.at_port[0], FRAMES);
  assert_int_equal(fabric_counts(n.f).dropped, 0);
  fabric_free(n.f);
}

/// A slow host behind the device: the switch holds the device's port, and only that.
static void a_slow_host_holds_the_device(void **state) {
  (void)state;
  struct fabric_config c = net_usual();
  c.pause = true;
  c.gbps[1] = 1;
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_introduce(&n);
  memset(n.at_host, 0, sizeof n.at_host);
  net_gradient(0, 1, frame);
  size_t sent = 0;
  for (; n.at_host[1] < FRAMES; n.now += NET_STEP) {
    net_look(&n);
    assert_true(n.now < 10 * (uint64_t)PATIENCE);
    assert_false(fabric_port_held(n.f, 1));
    assert_true((sent - n.at_host[1]) * NET_BIG <= MARK + 5 * NET_BIG);
    if (sent == FRAMES || fabric_port_held(n.f, 0)) continue;
    fabric_port_send(n.f, 0, frame, NET_BIG);
    sent++;
  }
  const struct fabric_counts counts = fabric_counts(n.f);
  assert_true(counts.pauses > 5);
  assert_int_equal(counts.dropped, 0);
  fabric_free(n.f);
}

static void without_pause_the_tail_is_dropped(void **state) {
  (void)state;
  struct fabric_config c = net_usual();
  c.buffer_bytes = 10 * NET_BIG;   // ten fit exactly
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_gradient(0, 1, frame);
  fabric_port_pause(n.f, 0, true);
  const uint64_t takes = (NET_BIG + 24) * 80;
  for (unsigned i = 0; i < 30; i++, n.now += takes) {
    frame[30] = (uint8_t)i;   // no host looks at addresses here
    assert_true(fabric_host_idle(n.f, 0, n.now));
    fabric_host_send(n.f, 0, n.now, frame, NET_BIG);
    net_look(&n);
  }
  net_settle(&n);
  assert_int_equal(fabric_counts(n.f).dropped, 20);
  assert_int_equal(fabric_counts(n.f).pauses, 0);
  // The other port has a queue of its own.
  uint8_t other[NET_ROOM];
  net_from_host(&n, 1, other, net_gradient(1, 2, other), 0, 2);
  fabric_port_pause(n.f, 0, false);
  net_settle(&n);
  assert_int_equal(n.at_port[0], 10);
  assert_int_equal(n.last[30], 9);   // the first ten, not the last
  fabric_free(n.f);
}

// --- faults ---

/// Sends FRAMES gradients from host 0 to the device, and as many results from there to host 1.
static struct net with_faults(enum fabric_hop hop, struct link_faults faults, uint64_t seed) {
  struct fabric_config c = net_usual();
  c.seed = seed;
  c.faults[hop] = faults;
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  for (unsigned i = 0; i < FRAMES; i++) {
    net_gradient(0, 1, frame);
    fabric_host_send(n.f, 0, n.now, frame, NET_BIG);
    net_settle(&n);
    fabric_port_send(n.f, 0, frame, NET_BIG);
    net_settle(&n);
    n.now += 1000000;
  }
  return n;
}

/// `count` of FRAMES is about half, within five standard deviations.
static void about_half(uint64_t count) { assert_in_range(count, FRAMES / 2 - 35, FRAMES / 2 + 35); }

static void each_kind_of_cable_has_its_faults(void **state) {
  (void)state;
  for (unsigned hop = 0; hop <= FABRIC_DOWN; hop++) {   // what is between switches: test_fabric_trunk.c
    struct net n = with_faults((enum fabric_hop)hop, (struct link_faults){.loss = 0.5}, hop);
    const struct fabric_counts c = fabric_counts(n.f);
    for (unsigned other = 0; other < FABRIC_HOPS; other++)
      if (other != hop) assert_int_equal(c.hop[other].lost, 0);
    const uint64_t up = FRAMES - c.hop[FABRIC_UP].lost, back = FRAMES - c.hop[FABRIC_FROM_DEVICE].lost;
    // Results go to an address that nobody has been heard from: to all three hosts.
    const uint64_t down = NET_HOSTS * back;
    if (hop != FABRIC_DOWN) about_half(c.hop[hop].lost);
    assert_int_equal(c.hop[FABRIC_UP].frames, FRAMES);
    assert_int_equal(c.hop[FABRIC_UP].bytes, FRAMES * NET_BIG);
    assert_int_equal(c.redirected, up);
    assert_int_equal(c.hop[FABRIC_TO_DEVICE].frames, up);
    assert_int_equal(n.at_port[0], up - c.hop[FABRIC_TO_DEVICE].lost);
    assert_int_equal(c.hop[FABRIC_FROM_DEVICE].frames, FRAMES);
    assert_int_equal(c.forwarded, back);
    assert_int_equal(c.hop[FABRIC_DOWN].frames, down);
    assert_int_equal(n.at_host[0] + n.at_host[1] + n.at_host[2], down - c.hop[FABRIC_DOWN].lost);
    assert_int_equal(c.dropped + c.bad_fcs + c.pauses, 0);
    // Cables of one kind do not fail together.
    if (hop == FABRIC_DOWN) {
      for (unsigned h = 0; h < NET_HOSTS; h++) about_half(n.at_host[h]);
      assert_false(n.at_host[0] == n.at_host[1] && n.at_host[1] == n.at_host[2]);
    }
    fabric_free(n.f);
  }
}

/// A MAC in front of the switch or of a host drops what it sees; the device is told, and judges itself.
static void damage_is_seen_by_macs(void **state) {
  (void)state;
  for (unsigned hop = 0; hop <= FABRIC_DOWN; hop++) {   // what is between switches: test_fabric_trunk.c
    struct net n = with_faults((enum fabric_hop)hop, (struct link_faults){.damage = 1}, hop);
    const struct fabric_counts c = fabric_counts(n.f);
    assert_int_equal(c.hop[hop].damaged, c.hop[hop].frames);
    if (hop == FABRIC_TO_DEVICE) {
      assert_int_equal(n.at_port[0], FRAMES);
      about_half(n.damaged);
      assert_int_equal(c.bad_fcs, 0);
    } else {
      assert_int_equal(n.damaged, 0);
      assert_in_range(c.bad_fcs, c.hop[hop].frames * 3 / 10, c.hop[hop].frames * 7 / 10);
    }
    if (hop == FABRIC_UP) assert_int_equal(c.redirected + c.forwarded, 2 * FRAMES - c.bad_fcs);
    if (hop == FABRIC_FROM_DEVICE) assert_int_equal(c.forwarded, FRAMES - c.bad_fcs);
    if (hop == FABRIC_DOWN) assert_int_equal(n.at_host[0] + n.at_host[1] + n.at_host[2], NET_HOSTS * FRAMES - c.bad_fcs);
    fabric_free(n.f);
  }
}

static void same_seed_same_faults(void **state) {
  (void)state;
  const struct link_faults faults = {0.1, 0.1, 0.1, 0.1};
  size_t different = 0;
  for (uint64_t seed = 0; seed < 5; seed++) {
    struct net a = with_faults(FABRIC_UP, faults, seed), b = with_faults(FABRIC_UP, faults, seed);
    struct net other = with_faults(FABRIC_UP, faults, seed + 1);
    const struct fabric_counts x = fabric_counts(a.f), y = fabric_counts(b.f), z = fabric_counts(other.f);
    assert_memory_equal(&x, &y, sizeof x);
    assert_memory_equal(a.last, b.last, a.last_len);
    assert_int_equal(a.now, b.now);
    different += memcmp(&x, &z, sizeof x) != 0;
    fabric_free(a.f);
    fabric_free(b.f);
    fabric_free(other.f);
  }
  assert_in_range(different, 4, 5);
}

/// Frames on cables and in queues go with the fabric; the sanitizer counts.
static void nothing_is_left(void **state) {
  (void)state;
  const struct fabric_config c = net_usual();
  struct net n = net_of(&c);
  uint8_t frame[NET_ROOM];
  net_gradient(0, 1, frame);
  fabric_port_pause(n.f, 0, true);
  net_from_host(&n, 0, frame, NET_BIG, 0, 0);
  fabric_host_send(n.f, 0, n.now, frame, NET_BIG);
  fabric_port_send(n.f, 1, frame, NET_BIG);
  fabric_free(n.f);
  fabric_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pause_has_two_marks),
      cmocka_unit_test(a_stopped_device_stops_its_hosts),
      cmocka_unit_test(a_slow_host_holds_the_device),
      cmocka_unit_test(without_pause_the_tail_is_dropped),
      cmocka_unit_test(each_kind_of_cable_has_its_faults),
      cmocka_unit_test(damage_is_seen_by_macs),
      cmocka_unit_test(same_seed_same_faults),
      cmocka_unit_test(nothing_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
