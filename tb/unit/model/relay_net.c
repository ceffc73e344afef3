#include "unit/model/relay_net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "wire/bytes.h"

enum { CONNS = 16, ROWS = 32, SLOT = 64, WORKER_MAC = 0x80 };

struct relay_end net_device_end(unsigned device) {
  return (struct relay_end){.mac = {2, 0, 0, 0, 0, (uint8_t)device}, .ip = {10, 1, 0, (uint8_t)(device + 1)}};
}

static struct relay_end worker_end(unsigned worker) {
  return (struct relay_end){.mac = {2, 0, 0, 0, 0, (uint8_t)(WORKER_MAC + worker)}, .ip = {10, 0, 0, (uint8_t)(worker + 1)}};
}

struct conn_key net_key(const struct net *net, unsigned worker) {
  struct conn_key key = {.qpn = 0x100 + worker};
  const struct relay_end from = worker_end(worker), to = worker_end((worker + 1) % net->workers);
  memcpy(key.src, from.ip, 4);
  memcpy(key.dst, to.ip, 4);
  return key;
}

// --- frames under way ---

static unsigned leaf_of(const struct net *net, unsigned worker) {
  unsigned d = 0;
  while (worker - net->devices[d].first >= net->devices[d].workers) d++;
  return d;
}

static void device_sends(void *user, unsigned port, const uint8_t *data, size_t len) {
  const struct net_whose *whose = user;
  struct net *net = whose->net;
  (void)port;
  assert_true(len <= NET_FRAME && net->tail - net->head < NET_QUEUE);
  struct net_frame *f = &net->queue[net->tail++ % NET_QUEUE];
  f->from = whose->device;
  f->len = len;
  memcpy(f->data, data, len);
}

static bool crosses(struct net *net, enum net_hop hop) {
  net->passed[hop]++;
  return !net->lose[hop];
}

static void worker_gets(struct net *net, unsigned worker, const struct net_frame *f) {
  net->got[worker].count++;
  net->got[worker].len = f->len;
  memcpy(net->got[worker].data, f->data, f->len);
}

/// Where a device's frame goes: to a device, to a worker of its own, or to the device above another worker.
static void forward(struct net *net, const struct net_frame *f) {
  const unsigned to = f->data[5];
  if (to < WORKER_MAC) {
    if (crosses(net, net->devices[f->from].parent == to ? NET_RISE : NET_FALL))
      relay_rx(net->relays[to], 0, f->data, f->len, false);
    return;
  }
  const unsigned leaf = leaf_of(net, to - WORKER_MAC);
  if (leaf == f->from) {
    if (crosses(net, NET_DOWN)) worker_gets(net, to - WORKER_MAC, f);
  } else if (crosses(net, NET_NOTE)) {
    relay_rx(net->relays[leaf], 0, f->data, f->len, false);
  }
}

static void settle(struct net *net) {
  while (net->head != net->tail) {
    const struct net_frame f = net->queue[net->head++ % NET_QUEUE];
    forward(net, &f);
  }
}

// --- workers ---

size_t net_packet(const struct net *net, unsigned worker, uint32_t msgid, unsigned offset, float value, uint8_t *frame) {
  const struct ina_header ina = {NET_RING, (uint8_t)worker, INA_FP32, msgid, NET_MSGLEN, (uint16_t)net->workers};
  const struct relay_end from = worker_end(worker), to = worker_end((worker + 1) % net->workers);
  uint8_t tensor[NET_TENSOR];
  const float next = value + 1;
  memcpy(tensor, &value, 4);
  memcpy(tensor + 4, &next, 4);
  struct roce_build b = {
      .key = net_key(net, worker),
      .udp_src = 0xC123,
      .ttl = 64,
      .opcode = offset == 0                ? ROCE_WRITE_FIRST
                : offset + 1 == NET_MSGLEN ? ROCE_WRITE_LAST_IMM
                                           : ROCE_WRITE_MIDDLE,
      .ack_request = offset + 1 == NET_MSGLEN,
      .pkey = 0xFFFF,
      .psn = (0xFFFFFC + msgid * NET_MSGLEN + offset) & 0xFFFFFF,
      .ina = offset == 0 ? &ina : NULL,
      .payload = tensor,
      .payload_len = sizeof tensor,
  };
  memcpy(b.src_mac, from.mac, 6);
  memcpy(b.dst_mac, to.mac, 6);
  put_be32(b.reth + 4, 0x1000 * msgid + worker);
  put_be32(b.imm, msgid);
  return roce_build(&b, frame, NET_FRAME);
}

void net_send(struct net *net, unsigned worker, uint32_t msgid, unsigned offset, float value) {
  uint8_t frame[NET_FRAME];
  const size_t len = net_packet(net, worker, msgid, offset, value, frame);
  assert_true(len != 0);
  if (crosses(net, NET_UP)) relay_rx(net->relays[leaf_of(net, worker)], 0, frame, len, false);
  settle(net);
}

void net_all_send(struct net *net, uint32_t msgid, unsigned offset) {
  for (unsigned w = 0; w < net->workers; w++) net_send(net, w, msgid, offset, (float)(1 + w));
}

// --- the tree ---

static void start_device(struct net *net, unsigned d) {
  const struct net_device *is = &net->devices[d];
  struct relay_end children[NET_DEVICES];
  struct conn_key keys[NET_WORKERS];
  struct relay_ring ring = {
      .ring = {.id = NET_RING, .workers = is->workers, .window = NET_WINDOW, .stride = NET_MSGLEN, .learn = !net->registered},
      .leaf = is->workers > 0,
      .first = is->first,
      .total = net->workers,
      .has_parent = is->parent != NET_TOP};
  for (unsigned other = 0; other < net->count; other++) {
    if (net->devices[other].parent == d) children[ring.ring.workers++] = net_device_end(other);
    if (!ring.has_parent || net->devices[other].parent != is->parent) continue;
    ring.child += other < d;
    ring.siblings++;
  }
  for (unsigned w = 0; w < net->workers; w++) keys[w] = net_key(net, w);
  if (ring.leaf && net->registered) {
    ring.workers = keys + is->first;
    ring.before = keys + (is->first + net->workers - 1) % net->workers;
  }
  if (!ring.leaf) ring.children = children;
  if (ring.has_parent) ring.parent = net_device_end(is->parent);
  const struct relay_config config = {
      .limits = {.ports = 1, .ranks = NET_WORKERS, .conns = CONNS, .slot_bytes = SLOT, .max_frame_bytes = NET_FRAME},
      .rows = is->rows != 0 ? is->rows : ROWS,
      .self = net_device_end(d),
      .rings = &ring,
      .ring_count = 1};
  net->whose[d].net = net;
  net->whose[d].device = d;
  net->relays[d] = relay_new(&config, device_sends, &net->whose[d]);
  assert_non_null(net->relays[d]);
}

void net_start(struct net *net) {
  for (unsigned d = 0; d < net->count; d++) {
    net->devices[d].first = net->workers;
    net->workers += net->devices[d].workers;
  }
  for (unsigned d = 0; d < net->count; d++) start_device(net, d);
}

void net_stop(struct net *net) {
  for (unsigned d = 0; d < net->count; d++) relay_free(net->relays[d]);
}

void net_figure5(struct net *net) {
  *net = (struct net){.devices = {{NET_TOP, 0, 0, 0}, {NET_S, 0, 2, 0}, {NET_S, 0, 2, 0}}, .count = 3};
  net_start(net);
}

void net_forget(struct net *net) {
  memset(net->got, 0, sizeof net->got);
  memset(net->passed, 0, sizeof net->passed);
}

void net_all_have(const struct net *net, uint32_t msgid, unsigned offset) {
  const float count = (float)net->workers, sum = count * (count + 1) / 2;
  for (unsigned w = 0; w < net->workers; w++) {
    assert_int_equal(net->got[w].count, 1);
    uint8_t frame[NET_FRAME];
    const unsigned before = (w + net->workers - 1) % net->workers;
    const size_t len = net_packet(net, before, msgid, offset, sum, frame);
    assert_int_equal(net->got[w].len, len);
    // net_packet counts on by one for its second number; the sum of these is larger.
    struct roce_packet p;
    roce_parse(frame, len, &p);
    const float second = sum + count;
    memcpy(frame + p.header + 4, &second, 4);
    icrc_put(frame, &p);
    assert_memory_equal(net->got[w].data, frame, len);
  }
}
