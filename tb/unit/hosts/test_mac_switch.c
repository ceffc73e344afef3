// The commodity switch model: what it learns, and where frames go.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/mac_switch.h"

enum { PORTS = 6, ALL = (1 << PORTS) - 1 };

/// A host's address: locally administered, unicast.
static void host_mac(uint8_t mac[6], uint32_t host) {
  const uint8_t address[6] = {2, 0, (uint8_t)(host >> 24), (uint8_t)(host >> 16), (uint8_t)(host >> 8), (uint8_t)host};
  memcpy(mac, address, 6);
}

static uint64_t send_to(struct mac_switch *s, unsigned port, uint32_t from, const uint8_t to[6]) {
  uint8_t frame[60] = {0};
  memcpy(frame, to, 6);
  host_mac(frame + 6, from);
  return mac_switch_forward(s, port, frame, sizeof frame);
}

static uint64_t send(struct mac_switch *s, unsigned port, uint32_t from, uint32_t to) {
  uint8_t mac[6];
  host_mac(mac, to);
  return send_to(s, port, from, mac);
}

static void unknown_floods_but_not_back(void **state) {
  (void)state;
  struct mac_switch *s = mac_switch_new(PORTS);
  for (unsigned p = 0; p < PORTS; p++) assert_int_equal(send(s, p, 100 + p, 999), ALL & ~(1u << p));
  mac_switch_free(s);
}

static void a_bound_host_stays(void **state) {
  (void)state;
  struct mac_switch *s = mac_switch_new(PORTS);
  uint8_t mac[6];
  host_mac(mac, 1);
  mac_switch_bind(s, mac, 3);
  assert_int_equal(send(s, 0, 2, 1), 1u << 3);
  send(s, 5, 1, 2);   // somebody claims its address
  assert_int_equal(send(s, 0, 2, 1), 1u << 3);
  mac_switch_free(s);
}

static void known_goes_to_its_port_only(void **state) {
  (void)state;
  struct mac_switch *s = mac_switch_new(PORTS);
  for (unsigned p = 0; p < PORTS; p++) send(s, p, p, 999);
  for (unsigned from = 0; from < PORTS; from++) {
    for (unsigned to = 0; to < PORTS; to++) assert_int_equal(send(s, from, from, to), from == to ? 0 : 1u << to);
  }
  mac_switch_free(s);
}

static void groups_flood_and_are_never_learned(void **state) {
  (void)state;
  struct mac_switch *s = mac_switch_new(PORTS);
  const uint8_t broadcast[6] = {255, 255, 255, 255, 255, 255}, neighbours[6] = {0x33, 0x33, 0, 0, 0, 1};
  assert_int_equal(send_to(s, 2, 7, broadcast), ALL & ~4);
  assert_int_equal(send_to(s, 2, 7, neighbours), ALL & ~4);
  // A frame that claims to come from a group teaches nothing.
  uint8_t frame[14] = {2, 0, 0, 0, 0, 50};
  memcpy(frame + 6, neighbours, 6);
  assert_int_equal(mac_switch_forward(s, 5, frame, sizeof frame), ALL & ~32);
  assert_int_equal(send_to(s, 2, 7, neighbours), ALL & ~4);
  mac_switch_free(s);
}

static void a_host_may_move(void **state) {
  (void)state;
  struct mac_switch *s = mac_switch_new(PORTS);
  send(s, 1, 10, 999);
  assert_int_equal(send(s, 0, 20, 10), 2);
  send(s, 4, 10, 999);
  assert_int_equal(send(s, 0, 20, 10), 16);
  mac_switch_free(s);
}

static void runts_go_nowhere_and_teach_nothing(void **state) {
  (void)state;
  struct mac_switch *s = mac_switch_new(PORTS);
  uint8_t frame[14] = {0};
  host_mac(frame, 1);
  host_mac(frame + 6, 2);
  for (size_t len = 0; len < sizeof frame; len++) {
    // Exactly as long as it says, so that the sanitizer sees a read behind the end.
    uint8_t *exact = test_malloc(len + 1);
    memcpy(exact, frame, len);
    assert_int_equal(mac_switch_forward(s, 3, exact, len), 0);
    test_free(exact);
  }
  assert_int_equal(send(s, 0, 5, 2), ALL & ~1);
  assert_int_equal(mac_switch_forward(s, 3, frame, sizeof frame), ALL & ~8);
  assert_int_equal(send(s, 0, 5, 2), 8);
  mac_switch_free(s);
}

static void many_hosts(void **state) {
  (void)state;
  enum { HOSTS = 20000 };
  struct mac_switch *s = mac_switch_new(64);
  for (uint32_t h = 0; h < HOSTS; h++) send(s, h % 63, h, UINT32_MAX);
  for (uint32_t h = 0; h < HOSTS; h++) assert_true(send(s, 63, UINT32_MAX, h) == UINT64_C(1) << h % 63);
  assert_true(send(s, 0, 0, HOSTS + 1) == (UINT64_MAX & ~UINT64_C(1)));
  mac_switch_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bound_host_stays),
      cmocka_unit_test(unknown_floods_but_not_back),
      cmocka_unit_test(known_goes_to_its_port_only),
      cmocka_unit_test(groups_flood_and_are_never_learned),
      cmocka_unit_test(a_host_may_move),
      cmocka_unit_test(runts_go_nowhere_and_teach_nothing),
      cmocka_unit_test(many_hosts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
