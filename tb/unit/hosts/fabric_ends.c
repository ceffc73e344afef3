#include "unit/hosts/fabric_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "wire/roce.h"

struct fabric_config net_usual(void) {
  return (struct fabric_config){.hosts = NET_HOSTS,
                                .ports = NET_PORTS,
                                .redirect = {0, 1, 1},
                                .gbps = {100, 100, 100},
                                .device_gbps = 100,
                                .step_ps = NET_STEP,
                                .delay_ps = NET_DELAY,
                                .pause_bytes = 10 * NET_BIG,
                                .buffer_bytes = 1 << 20,
                                .seed = 1};
}

struct net net_of(const struct fabric_config *c) {
  struct net n = {.f = fabric_new(c), .now = 10 * NET_STEP};
  assert_non_null(n.f);
  return n;
}

static void mac_of(unsigned host, uint8_t mac[6]) {
  const uint8_t local[6] = {2, 0, 0, 0, 0, (uint8_t)host};
  memcpy(mac, local, 6);
}

size_t net_packet(unsigned from, unsigned to, uint8_t opcode, bool v6, bool vlan, size_t payload_len, uint8_t *out) {
  static const uint8_t payload[NET_ROOM];
  struct roce_build b = {.vlan = vlan,
                         .key = {.v6 = v6, .src = {10, 0, 0, (uint8_t)from}, .dst = {10, 0, 0, (uint8_t)to}, .qpn = 7},
                         .opcode = opcode,
                         .payload = payload,
                         .payload_len = payload_len};
  mac_of(from, b.src_mac);
  mac_of(to, b.dst_mac);
  return roce_build(&b, out, NET_ROOM);
}

size_t net_gradient(unsigned from, unsigned to, uint8_t *out) {
  const size_t len = net_packet(from, to, ROCE_SEND_MIDDLE, false, false, NET_BIG - 58, out);
  assert_int_equal(len, NET_BIG);
  return len;
}

size_t net_ack(unsigned from, unsigned to, uint8_t *out) { return net_packet(from, to, ROCE_ACK, false, false, 4, out); }

static void keep(struct net *n, const struct link_frame *frame) {
  assert_in_range(frame->len, 1, NET_ROOM);
  memcpy(n->last, frame->data, frame->len);
  n->last_len = frame->len;
}

void net_look(struct net *n) {
  struct link_frame frame;
  fabric_step(n->f, n->now);
  for (unsigned h = 0; h < NET_HOSTS; h++) {
    for (; fabric_host_receive(n->f, h, n->now, &frame); n->at_host[h]++) {
      assert_false(frame.bad_fcs);
      keep(n, &frame);
    }
  }
  for (unsigned p = 0; p < NET_PORTS; p++) {
    for (; fabric_port_receive(n->f, p, n->now, &frame); n->at_port[p]++) {
      n->damaged += frame.bad_fcs;
      keep(n, &frame);
    }
  }
}

void net_settle(struct net *n) {
  net_look(n);
  for (uint64_t next; (next = fabric_deadline(n->f)) != UINT64_MAX; net_look(n)) {
    assert_true(next > n->now);
    n->now = next;
  }
}

static void forget(struct net *n) {
  memset(n->at_host, 0, sizeof n->at_host);
  memset(n->at_port, 0, sizeof n->at_port);
}

void net_arrives(struct net *n, const uint8_t *frame, size_t len, unsigned hosts, unsigned ports) {
  net_settle(n);
  for (unsigned h = 0; h < NET_HOSTS; h++) assert_int_equal(n->at_host[h], hosts >> h & 1);
  for (unsigned p = 0; p < NET_PORTS; p++) assert_int_equal(n->at_port[p], ports >> p & 1);
  if ((hosts | ports) != 0) {
    assert_int_equal(n->last_len, len);
    assert_memory_equal(n->last, frame, len);
  }
  forget(n);
}

void net_from_host(struct net *n, unsigned host, const uint8_t *frame, size_t len, unsigned hosts, unsigned ports) {
  assert_true(fabric_host_idle(n->f, host, n->now));
  fabric_host_send(n->f, host, n->now, frame, len);
  net_arrives(n, frame, len, hosts, ports);
}

void net_introduce(struct net *n) {
  uint8_t frame[NET_ROOM];
  for (unsigned h = 0; h < NET_HOSTS; h++) {
    const size_t len = net_ack(h, NET_STRANGER, frame);
    net_from_host(n, h, frame, len, 7u & ~(1u << h), 0);
  }
}
