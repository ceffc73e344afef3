// What registers make of a Verilated device in a tree (docs/relay.md): another part in each ring, connections that are registered instead of
// learned, and a leaf of such a ring that is switched on again.
//
// DEVICES: tree4 spine2
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/relay/rtl_tree.h"
#include "wire/fate.h"

enum { MESSAGES = 2 * TREE_WINDOW + 1 };

/// Roots, too: W1 to W4 below S; with two rings also W3, W4, W1, W2 below T.
static struct tree racks(unsigned rings) {
  struct tree t = tree_racks(rings, "tree4");
  t.configs[S] = "tree4";
  if (rings > 1) t.configs[T] = "spine2";
  return t;
}

/// Packets of all rings, more than their windows hold.
static void rings_run(struct tree *t) {
  for (uint32_t msgid = 0; msgid < MESSAGES; msgid++) {
    for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
      tree_forget(t);
      for (unsigned ring = 0; ring < t->ring_count; ring++) tree_all_send(t, ring, msgid, offset);
      tree_run(t);
      for (unsigned ring = 0; ring < t->ring_count; ring++) tree_all_have(t, ring, msgid, offset);
    }
  }
}

/// Results of the connection that begins at a rank.
static unsigned results(const struct tree *t, unsigned ring, unsigned rank) {
  const struct tree_ring *is = &t->rings[ring];
  const struct conn_key key = tree_key(is, rank);
  return tree_left(t, t->leaf[is->order[(rank + 1) % is->workers]], &key, NULL);
}

// --- roles ---

/// L1 is a leaf of ring 0 and the root of ring 1, S the other way round, and L2 a leaf of both: packets of both rings at once.
static void another_part_in_each_ring(void **state) {
  (void)state;
  struct tree t = racks(2);
  t.configs[T] = NULL;
  t.leaf[W1] = S;
  t.port[W1] = 2;
  t.rings[0] = (struct tree_ring){RING, 3, {W2, W3, W4}, {[L1] = S, [L2] = S, [S] = TREE_TOP, [T] = TREE_TOP}, false};
  t.rings[1] = (struct tree_ring){OTHER, 3, {W3, W4, W1}, {[L1] = TREE_TOP, [L2] = L1, [S] = L1, [T] = TREE_TOP}, false};
  assert_true(tree_open(&t));
  rings_run(&t);
  // Who repeats makes the sum go to all once more.
  tree_forget(&t);
  tree_send(&t, 0, 0, MESSAGES - 1, 1, 1);
  tree_run(&t);
  for (unsigned rank = 0; rank < 3; rank++) assert_int_equal(results(&t, 0, rank), 1);
  tree_close(&t);
}

/// Devices without parent and without devices below them, each in a rack of its own; of the second one a worker is behind the last port.
static void only_device_of_a_rack(void **state) {
  (void)state;
  struct tree t = racks(2);
  t.configs[T] = NULL;
  t.leaf[W3] = t.leaf[W4] = S;
  t.port[W3] = 2;
  t.port[W4] = UP4;
  t.rings[0] = (struct tree_ring){RING, 2, {W1, W2}, {TREE_TOP, TREE_TOP, TREE_TOP, TREE_TOP}, false};
  t.rings[1] = (struct tree_ring){OTHER, 2, {W4, W3}, {TREE_TOP, TREE_TOP, TREE_TOP, TREE_TOP}, false};
  assert_true(tree_open(&t));
  rings_run(&t);
  for (unsigned ring = 0; ring < 2; ring++) {
    // Who repeats is answered alone.
    tree_forget(&t);
    tree_send(&t, ring, 0, MESSAGES - 1, 1, 1);
    tree_run(&t);
    assert_int_equal(results(&t, ring, 0), 1);
    assert_int_equal(results(&t, ring, 1), 0);
  }
  tree_close(&t);
}

/// Numbers of a worker behind the last port that look like a notification's tag are numbers, unless the device is a leaf.
static void numbers_like_a_notification(void **state) {
  (void)state;
  struct tree t = racks(1);
  t.configs[L2] = t.configs[S] = NULL;
  t.port[W2] = UP4;
  t.rings[0] = (struct tree_ring){RING, 2, {W1, W2}, {TREE_TOP, TREE_TOP, TREE_TOP, TREE_TOP}, false};
  assert_true(tree_open(&t));
  const uint8_t tag[16] = {0x4E, 0x65, 0x74, 0x4E, 0, RING, 0, 0};
  for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
    tree_forget(&t);
    for (unsigned rank = 0; rank < 2; rank++) {
      uint8_t frame[TREE_FRAME];
      struct roce_packet p;
      roce_parse(frame, tree_packet(&t.rings[0], rank, 0, offset, 0, 0, frame), &p);
      const size_t ina = offset == 0 ? INA_BYTES : 0;
      memset(frame + p.header, 0, sizeof tag);
      if (rank == 1) memcpy(frame + p.header, tag, sizeof tag);
      tree_put(&t, L1, t.port[rank], frame, roce_refit(frame, p.header - ina, sizeof tag + ina));
    }
    tree_run(&t);
    for (unsigned rank = 0; rank < 2; rank++) assert_int_equal(tree_counter(&t, L1, t.port[rank], DRIVE_TX_RESULT), offset + 1);
  }
  tree_close(&t);
}

/// Of a ring whose children are devices a packet without INA header is nobody's, on whatever connection: it is dropped, and counted.
static void headless_packets_of_devices(void **state) {
  (void)state;
  struct tree t = racks(1);
  t.configs[L1] = t.configs[L2] = NULL;
  assert_true(tree_open(&t));
  const struct relay_end leaf = tree_device_end(L1), root = tree_device_end(S);
  const struct ina_header ina = {RING, 0, INA_FP32, 0, TREE_MSGLEN, 2};
  const uint8_t tensor[TREE_TENSOR] = {1};
  uint8_t frame[TREE_FRAME];
  tree_put(&t, S, L1, frame, relay_packet(&leaf, &root, &ina, 0, tensor, TREE_TENSOR, frame, sizeof frame));
  tree_run(&t);
  assert_int_equal(tree_counter(&t, S, L1, FATE_STORED), 1);
  const struct roce_build b = {.key = relay_key(RING, &leaf, &root),
                               .ttl = 64,
                               .opcode = ROCE_SEND_MIDDLE,
                               .pkey = 0xFFFF,
                               .psn = 0,
                               .payload = tensor,
                               .payload_len = sizeof tensor};
  const size_t len = roce_build(&b, frame, sizeof frame);
  tree_forget(&t);
  tree_put(&t, S, L1, frame, len);
  tree_run(&t);
  assert_int_equal(t.logged, 0);
  assert_int_equal(tree_counter(&t, S, L1, FATE_UNKNOWN_MESSAGE), 1);
  assert_int_equal(tree_counter(&t, S, L1, FATE_DUPLICATE), 0);
  tree_close(&t);
}

// --- registered connections ---

/// Connections that the control plane has named, also the one that comes from the other leaf: no other has its headers kept, also after a
/// flush.
static void registered_connections(void **state) {
  (void)state;
  struct tree t = racks(2);
  t.rings[0].registered = t.rings[1].registered = true;
  assert_true(tree_open(&t));
  struct drive *leaf = t.devices[L1].drive;
  const struct conn_key own = tree_key(&t.rings[0], 3), stranger = tree_key(&t.rings[0], 2);
  assert_int_equal(drive_set_row(leaf, &own, 0), 0);
  assert_true(drive_set_row(leaf, &stranger, 0) != 0);
  for (unsigned flushed = 0; flushed < 2; flushed++) {
    // Another connection's headers, for the place of the one that is registered.
    const struct ina_header ina = {RING, 3, INA_FP32, 0, TREE_MSGLEN, 4};
    uint8_t frame[TREE_FRAME], note[TREE_FRAME];
    struct roce_packet p;
    roce_parse(frame, tree_packet(&t.rings[0], 2, 0, 0, 0, 1, frame), &p);
    const uint64_t before = tree_counter(&t, L1, 0, DRIVE_NOTES_REFUSED);
    tree_put(&t, L1, UP4, note, relay_note(frame, &p, &ina, note));
    tree_run(&t);
    assert_int_equal(tree_counter(&t, L1, 0, DRIVE_NOTES_REFUSED), before + 1);
    rings_run(&t);
    for (unsigned device = L1; device <= T; device++)
      for (unsigned ring = 0; ring < 2; ring++) assert_int_equal(drive_flush_ring(t.devices[device].drive, ring), 0);
  }
  tree_close(&t);
}

/// A leaf that is switched on again in the middle of a message: it knows its connections and not their message. What comes is dropped, and
/// counted; nothing goes on as it came, so nobody takes one worker's numbers for the sum. The next message goes through.
static void leaf_restarts(void **state) {
  (void)state;
  struct tree t = racks(1);
  t.rings[0].registered = true;
  assert_true(tree_open(&t));
  tree_all_send(&t, 0, 0, 0);
  tree_run(&t);
  tree_all_have(&t, 0, 0, 0);
  tree_restart(&t, L1);
  for (unsigned offset = 1; offset < TREE_MSGLEN; offset++) {
    tree_forget(&t);
    tree_all_send(&t, 0, 0, offset);
    tree_run(&t);
    for (unsigned i = 0; i < t.logged; i++) assert_int_not_equal(t.log[i].device, L1);
    for (unsigned port = 0; port < 2; port++) {
      assert_int_equal(tree_counter(&t, L1, port, FATE_UNKNOWN_MESSAGE), offset);
      assert_int_equal(tree_counter(&t, L1, port, DRIVE_TX_PASSED), 0);
    }
  }
  for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
    tree_forget(&t);
    tree_all_send(&t, 0, 1, offset);
    tree_run(&t);
    tree_all_have(&t, 0, 1, offset);
  }
  tree_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_part_in_each_ring),   cmocka_unit_test(only_device_of_a_rack),
      cmocka_unit_test(numbers_like_a_notification), cmocka_unit_test(headless_packets_of_devices),
      cmocka_unit_test(registered_connections),      cmocka_unit_test(leaf_restarts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
