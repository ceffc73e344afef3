#include "unit/relay/rtl_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wire/bytes.h"

enum { WORKER_MAC = 0x80, WARM_UP = 300, QUIET = 600, TOO_LONG = 50000 };

struct relay_end tree_device_end(unsigned device) {
  return (struct relay_end){.mac = {2, 0, 0, 0, 0, (uint8_t)device}, .ip = {10, 1, 0, (uint8_t)(device + 1)}};
}

struct relay_end tree_worker_end(unsigned worker) {
  return (struct relay_end){.mac = {2, 0, 0, 0, 0, (uint8_t)(WORKER_MAC + worker)}, .ip = {10, 0, 0, (uint8_t)(worker + 1)}};
}

// --- packets ---

struct conn_key tree_key(const struct tree_ring *ring, unsigned rank) {
  struct conn_key key = {.qpn = 0x100u * ring->id + rank};
  const struct relay_end from = tree_worker_end(ring->order[rank]), to = tree_worker_end(ring->order[(rank + 1) % ring->workers]);
  memcpy(key.src, from.ip, 4);
  memcpy(key.dst, to.ip, 4);
  return key;
}

size_t tree_packet(const struct tree_ring *ring, unsigned rank, uint32_t msgid, unsigned offset, float value, float step,
                   uint8_t *frame) {
  const struct ina_header ina = {ring->id, (uint8_t)rank, INA_FP32, msgid, TREE_MSGLEN, (uint16_t)ring->workers};
  const struct relay_end from = tree_worker_end(ring->order[rank]), to = tree_worker_end(ring->order[(rank + 1) % ring->workers]);
  uint8_t tensor[TREE_TENSOR];
  const float next = value + step;
  memcpy(tensor, &value, 4);
  memcpy(tensor + 4, &next, 4);
  const bool last = offset + 1 == TREE_MSGLEN;
  struct roce_build b = {.key = tree_key(ring, rank),
                         .udp_src = 0xC123,
                         .ttl = 64,
                         .opcode = offset == 0 ? ROCE_WRITE_FIRST
                                   : last      ? ROCE_WRITE_LAST_IMM
                                               : ROCE_WRITE_MIDDLE,
                         .ack_request = last,
                         .pkey = 0xFFFF,
                         .psn = (0xFFFFFC + msgid * TREE_MSGLEN + offset) & 0xFFFFFF,
                         .ina = offset == 0 ? &ina : NULL,
                         .payload = tensor,
                         .payload_len = sizeof tensor};
  memcpy(b.src_mac, from.mac, 6);
  memcpy(b.dst_mac, to.mac, 6);
  put_be32(b.reth + 4, 0x1000 * msgid + rank);
  put_be32(b.imm, msgid);
  const size_t len = roce_build(&b, frame, TREE_FRAME);
  assert_true(len != 0);
  return len;
}

// --- wires ---

static void keep(struct tree_frame *list, unsigned *count, unsigned device, const uint8_t *frame, size_t len) {
  assert_true(*count < TREE_LOG && len <= TREE_FRAME);
  struct tree_frame *f = &list[(*count)++];
  f->device = device;
  f->len = len;
  memcpy(f->data, frame, len);
}

void tree_put(struct tree *t, unsigned device, unsigned port, const uint8_t *frame, size_t len) {
  drive_send(t->devices[device].drive, port, frame, len, false, 0);
}

static bool is_note(const uint8_t *frame, size_t len) {
  struct roce_packet p;
  struct ina_header ina;
  roce_parse(frame, len, &p);
  return relay_is_note(frame, &p, &ina);
}

static const struct drive_config *config_of(const struct tree *t, unsigned device) {
  return drive_config_named(t->configs[device]);   // it is open, so there is one
}

/// The port that leads to a device's parent: the last one.
static unsigned up_port(const struct tree *t, unsigned device) { return config_of(t, device)->ports - 1; }

/// To a device below: by its last port. To one above: by the port that has the sender's number. To a worker elsewhere: to its leaf.
static void forward(struct tree *t, unsigned from, const uint8_t *frame, size_t len) {
  const unsigned to = frame[5];
  if (to < WORKER_MAC) {
    struct roce_packet p;
    bool rises = false;
    roce_parse(frame, len, &p);
    for (unsigned r = 0; r < t->ring_count; r++)
      rises = rises || (t->rings[r].id == (p.key.qpn & 0xFFFF) && t->rings[r].parent[from] == to);
    if (t->devices[to].drive != NULL) tree_put(t, to, rises ? from : up_port(t, to), frame, len);
    return;
  }
  const unsigned leaf = t->leaf[to - WORKER_MAC];
  if (leaf == from || t->devices[leaf].drive == NULL || t->lose_notes) return;
  if (t->hold_notes)
    keep(t->held, &t->notes_held, leaf, frame, len);
  else
    tree_put(t, leaf, up_port(t, leaf), frame, len);
}

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first, uint64_t last) {
  const struct tree_whose *whose = user;
  (void)port;
  (void)first;
  (void)last;
  whose->tree->moved = whose->tree->cycle;
  keep(whose->tree->log, &whose->tree->logged, whose->device, frame, len);
  forward(whose->tree, whose->device, frame, len);
}

void tree_release(struct tree *t) {
  for (unsigned i = 0; i < t->notes_held; i++) {
    const struct tree_frame *f = &t->held[i];
    tree_put(t, f->device, up_port(t, f->device), f->data, f->len);
  }
  t->notes_held = 0;
}

void tree_forget(struct tree *t) { t->logged = 0; }

void tree_run(struct tree *t) {
  const uint64_t start = t->cycle;
  for (t->moved = start; t->cycle - t->moved < QUIET; t->cycle++) {
    for (unsigned d = 0; d < TREE_DEVICES; d++)
      if (t->devices[d].drive != NULL) drive_step(t->devices[d].drive);
    if (t->cycle - start > TOO_LONG) fail_msg("frames go round and round");
  }
}

void tree_send(struct tree *t, unsigned ring, unsigned rank, uint32_t msgid, unsigned offset, float value) {
  uint8_t frame[TREE_FRAME];
  const unsigned worker = t->rings[ring].order[rank];
  const size_t len = tree_packet(&t->rings[ring], rank, msgid, offset, value, 1, frame);
  tree_put(t, t->leaf[worker], t->port[worker], frame, len);
}

// --- setting up ---

/// A leaf's workers in a ring, and the rank of the first one.
static unsigned workers_of(const struct tree *t, const struct tree_ring *ring, unsigned device, unsigned *first) {
  unsigned workers = 0;
  for (unsigned rank = ring->workers; rank-- > 0;) {
    if (t->leaf[ring->order[rank]] != device) continue;
    *first = rank;
    workers++;
  }
  return workers;
}

/// The device's children in a ring: devices or, if there are none, workers.
static unsigned children_of(const struct tree *t, const struct tree_ring *ring, unsigned device, bool *devices, unsigned *first) {
  unsigned children = 0;
  for (unsigned child = 0; child < TREE_DEVICES; child++) children += ring->parent[child] == device;
  *devices = children > 0;
  return *devices ? children : workers_of(t, ring, device, first);
}

/// What the device is in the ring, and where.
static void set_place(struct tree *t, unsigned device, const struct tree_ring *ring, bool devices, unsigned first) {
  const unsigned above = ring->parent[device];
  struct drive_relay relay = {.parent = above != TREE_TOP, .devices = devices, .first = first, .total = ring->workers};
  const struct relay_end self = tree_device_end(device), parent = tree_device_end(above);
  for (unsigned other = 0; relay.parent && other < TREE_DEVICES; other++) {
    if (ring->parent[other] != above) continue;
    relay.child += other < device;
    relay.siblings++;
  }
  memcpy(relay.self_mac, self.mac, 6);
  memcpy(relay.self_ip, self.ip, 4);
  memcpy(relay.parent_mac, parent.mac, 6);
  memcpy(relay.parent_ip, parent.ip, 4);
  assert_int_equal(drive_set_relay(t->devices[device].drive, &relay), 0);
}

static void connect_devices(struct tree *t, unsigned device, unsigned index) {
  const struct tree_ring *ring = &t->rings[index];
  const struct relay_end self = tree_device_end(device);
  for (unsigned child = 0, rank = 0; child < TREE_DEVICES; child++) {
    if (ring->parent[child] != device) continue;
    const struct relay_end end = tree_device_end(child);
    const struct conn_key key = relay_key(ring->id, &end, &self);
    assert_int_equal(drive_set_connection(t->devices[device].drive, &key, index, rank++), 0);
  }
}

static void connect_workers(struct tree *t, unsigned device, unsigned index, unsigned first, unsigned workers) {
  const struct tree_ring *ring = &t->rings[index];
  struct drive *drive = t->devices[device].drive;
  for (unsigned rank = 0; rank < workers; rank++) {
    const struct conn_key key = tree_key(ring, first + rank);
    assert_int_equal(drive_set_connection(drive, &key, index, rank), 0);
  }
  const struct conn_key before = tree_key(ring, (first + ring->workers - 1) % ring->workers);
  if (workers < ring->workers) assert_int_equal(drive_set_row(drive, &before, index), 0);
}

/// `base`: first slot that is free.
static void set_ring(struct tree *t, unsigned device, unsigned index, unsigned *base) {
  const struct tree_ring *ring = &t->rings[index];
  unsigned first = 0;
  bool devices;
  const unsigned children = children_of(t, ring, device, &devices, &first);
  if (children == 0) return;
  const struct drive_ring is = {.enable = true,
                                .learn = !devices && !ring->registered,
                                .id = ring->id,
                                .workers = children,
                                .window = TREE_WINDOW,
                                .stride = TREE_MSGLEN,
                                .base = *base};
  *base += 2 * is.window * is.stride;
  set_place(t, device, ring, devices, first);
  assert_int_equal(drive_set_ring(t->devices[device].drive, index, &is), 0);
  if (devices) connect_devices(t, device, index);
  if (!devices && ring->registered) connect_workers(t, device, index, first, children);
}

static bool start(struct tree *t, unsigned device) {
  struct tree_whose *whose = &t->devices[device];
  const struct drive_options options = {.config = t->configs[device], .seed = device + 1};
  const struct drive_calls calls = {.user = whose, .out = device_out};
  char error[200];
  *whose = (struct tree_whose){.tree = t, .device = device, .drive = drive_open(&options, &calls, error, sizeof error)};
  if (whose->drive == NULL) {
    fprintf(stderr, "rtl_tree: %s\n", error);
    return false;
  }
  unsigned base = 0;
  assert_int_equal(drive_set_open(whose->drive, UINT16_MAX), 0);
  for (unsigned r = 0; r < t->ring_count; r++) set_ring(t, device, r, &base);
  for (unsigned i = 0; i < WARM_UP; i++) drive_step(whose->drive);   // the device empties its slots after reset, one a cycle
  return true;
}

bool tree_open(struct tree *t) {
  for (unsigned d = 0; d < TREE_DEVICES; d++) {
    if (t->configs[d] == NULL || start(t, d)) continue;
    tree_close(t);
    return false;
  }
  return true;
}

void tree_close(struct tree *t) {
  for (unsigned d = 0; d < TREE_DEVICES; d++) {
    if (t->devices[d].drive != NULL) drive_close(t->devices[d].drive);
    t->devices[d].drive = NULL;
  }
}

void tree_restart(struct tree *t, unsigned device) {
  drive_close(t->devices[device].drive);
  assert_true(start(t, device));
}

// --- looking at it ---

uint64_t tree_counter(struct tree *t, unsigned device, unsigned port, unsigned which) {
  uint64_t value = 0;
  assert_int_equal(drive_counter(t->devices[device].drive, port, which, &value), 0);
  return value;
}

unsigned tree_left(const struct tree *t, unsigned device, const struct conn_key *key, const struct tree_frame **last) {
  unsigned count = 0;
  for (unsigned i = 0; i < t->logged; i++) {
    const struct tree_frame *f = &t->log[i];
    struct roce_packet p;
    roce_parse(f->data, f->len, &p);
    if (f->device != device || !conn_key_equal(&p.key, key) || is_note(f->data, f->len)) continue;
    count++;
    if (last != NULL) *last = f;
  }
  return count;
}

void tree_is(const struct tree_frame *got, const struct tree_ring *ring, unsigned rank, uint32_t msgid, unsigned offset,
             float value, float step) {
  uint8_t expected[TREE_FRAME];
  assert_int_equal(got->len, tree_packet(ring, rank, msgid, offset, value, step, expected));
  assert_memory_equal(got->data, expected, got->len);
}

void tree_has(const struct tree *t, unsigned ring, unsigned rank, uint32_t msgid, unsigned offset, float value, float step) {
  const struct tree_ring *is = &t->rings[ring];
  const unsigned before = (rank + is->workers - 1) % is->workers;
  const struct conn_key key = tree_key(is, before);
  const struct tree_frame *got = NULL;
  if (tree_left(t, t->leaf[is->order[rank]], &key, &got) != 1)
    fail_msg("ring %u, rank %u, message %u, packet %u: %u results", is->id, rank, msgid, offset,
             tree_left(t, t->leaf[is->order[rank]], &key, NULL));
  tree_is(got, is, before, msgid, offset, value, step);
}

// --- the usual racks ---

struct tree tree_racks(unsigned rings, const char *leaf) {
  struct tree t = {.configs = {[L1] = leaf, [L2] = leaf},
                   .leaf = {L1, L1, L2, L2},
                   .port = {0, 1, 0, 1},
                   .rings = {{RING, 4, {W1, W2, W3, W4}, {[L1] = S, [L2] = S, [S] = TREE_TOP, [T] = TREE_TOP}, false},
                             {OTHER, 4, {W3, W4, W1, W2}, {[L1] = T, [L2] = T, [S] = TREE_TOP, [T] = TREE_TOP}, false}},
                   .ring_count = rings};
  return t;
}

size_t tree_note(const struct tree_ring *ring, unsigned rank, uint32_t msgid, unsigned offset, uint8_t *note) {
  const struct ina_header ina = {ring->id, (uint8_t)rank, INA_FP32, msgid, TREE_MSGLEN, (uint16_t)ring->workers};
  uint8_t frame[TREE_FRAME];
  struct roce_packet p;
  roce_parse(frame, tree_packet(ring, rank, msgid, offset, 0, 1, frame), &p);
  return relay_note(frame, &p, &ina, note);
}

void tree_put_note(struct tree *t, unsigned device, unsigned port, unsigned ring, unsigned rank, uint32_t msgid,
                   unsigned offset) {
  uint8_t note[TREE_FRAME];
  tree_put(t, device, port, note, tree_note(&t->rings[ring], rank, msgid, offset, note));
}

void tree_all_send(struct tree *t, unsigned ring, uint32_t msgid, unsigned offset) {
  for (unsigned rank = 0; rank < t->rings[ring].workers; rank++)
    tree_send(t, ring, rank, msgid, offset, (float)(1 + rank + 10 * ring));
}

void tree_all_have(const struct tree *t, unsigned ring, uint32_t msgid, unsigned offset) {
  const unsigned n = t->rings[ring].workers;
  for (unsigned rank = 0; rank < n; rank++)
    tree_has(t, ring, rank, msgid, offset, (float)(n * (n + 1) / 2 + 10 * n * ring), (float)n);
}
