// Trees of Verilated devices, packet by packet (docs/relay.md): full tables, rings over different trees, a root that is switched on again, notifications
// lost and late.
//
// DEVICES: tree4 leaf3 spine2
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/relay/rtl_tree.h"
#include "wire/fate.h"

// --- full tables ---

/// leaf3 has one row for connections from other leaves. The second ring's is refused and counted, its result on that connection is left
/// out and counted, and nothing goes on as it came. A flushed ring gives its row back.
static void full_table_of_rows(void **state) {
  (void)state;
  struct tree t = tree_racks(2, NULL);
  t.configs[L1] = "leaf3";
  // The second ring's worker of L1 alone, so that the table of connections has room.
  t.rings[1] = (struct tree_ring){OTHER, 2, {W3, W1}, {[L1] = T, [L2] = T, [S] = TREE_TOP, [T] = TREE_TOP}, false};
  assert_true(tree_open(&t));
  tree_put_note(&t, L1, UP3, 0, 3, 0, 0);
  tree_put_note(&t, L1, UP3, 1, 0, 0, 0);
  tree_run(&t);
  assert_int_equal(t.logged, 0);
  assert_int_equal(tree_counter(&t, L1, 0, DRIVE_TABLE_FULL), 1);
  assert_int_equal(tree_counter(&t, L1, 0, DRIVE_NOTES_REFUSED), 1);

  // The column goes up all the same, and the parent's result finds no headers.
  const struct relay_end leaf = tree_device_end(L1), parent = tree_device_end(T);
  const struct ina_header ina = {OTHER, 0, INA_FP32, 0, TREE_MSGLEN, 2};
  const float sum[] = {5, 6};
  uint8_t frame[TREE_FRAME];
  tree_send(&t, 1, 1, 0, 0, 3);
  tree_run(&t);
  assert_int_equal(t.logged, 2);   // one packet, one notification
  tree_forget(&t);
  const size_t len = relay_packet(&parent, &leaf, &ina, 0, (const uint8_t *)sum, TREE_TENSOR, frame, sizeof frame);
  tree_put(&t, L1, UP3, frame, len);
  tree_run(&t);
  assert_int_equal(t.logged, 0);
  assert_int_equal(tree_counter(&t, L1, 0, DRIVE_NO_HEADERS), 1);
  for (unsigned port = 0; port <= UP3; port++) assert_int_equal(tree_counter(&t, L1, port, DRIVE_TX_PASSED), 0);

  // With the first ring flushed, the second one's headers have a place, and the repeated packet brings the result.
  assert_int_equal(drive_flush_ring(t.devices[L1].drive, 0), 0);
  tree_put_note(&t, L1, UP3, 1, 0, 0, 0);
  tree_send(&t, 1, 1, 0, 0, 3);
  tree_run(&t);
  tree_forget(&t);
  tree_put(&t, L1, UP3, frame, len);
  tree_run(&t);
  tree_has(&t, 1, 1, 0, 0, 5, 1);
  assert_int_equal(tree_counter(&t, L1, 0, DRIVE_TABLE_FULL), 1);
  tree_close(&t);
}

/// leaf3 knows two connections. A third one is refused at its port and counted: the packet that names its message goes nowhere, and no
/// column of that ring is complete. What follows has no INA header, and is to a device that does not know the connection any traffic.
static void full_table_of_connections(void **state) {
  (void)state;
  struct tree t = tree_racks(2, NULL);
  t.configs[L1] = "leaf3";
  assert_true(tree_open(&t));
  for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
    tree_send(&t, 0, 0, 0, offset, 1);
    tree_send(&t, 0, 1, 0, offset, 2);
    tree_run(&t);
    assert_int_equal(tree_counter(&t, L1, 0, DRIVE_UP), offset + 1);
  }
  tree_forget(&t);
  for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
    tree_send(&t, 1, 3, 0, offset, 2);
    tree_run(&t);
    assert_int_equal(t.logged, offset);
  }
  assert_int_equal(tree_counter(&t, L1, 1, FATE_TABLE_FULL), 1);
  assert_int_equal(tree_counter(&t, L1, 1, DRIVE_TX_PASSED), TREE_MSGLEN - 1);
  assert_int_equal(tree_counter(&t, L1, 0, DRIVE_UP), TREE_MSGLEN);
  tree_close(&t);
}

// --- whole trees ---

/// Rings of the same workers in another order, below another root: packets of both at once, and none takes the other's way.
static void two_trees(void **state) {
  (void)state;
  struct tree t = tree_racks(2, "tree4");
  t.configs[S] = "tree4";
  t.configs[T] = "spine2";
  assert_true(tree_open(&t));
  for (uint32_t msgid = 0; msgid < 2 * TREE_WINDOW + 1; msgid++) {
    for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
      tree_forget(&t);
      for (unsigned ring = 0; ring < 2; ring++) tree_all_send(&t, ring, msgid, offset);
      tree_run(&t);
      for (unsigned ring = 0; ring < 2; ring++) tree_all_have(&t, ring, msgid, offset);
      for (unsigned root = S; root <= T; root++) {
        unsigned sent = 0;
        for (unsigned i = 0; i < t.logged; i++) sent += t.log[i].device == root;
        assert_int_equal(sent, 2);
      }
    }
  }
  for (unsigned leaf = L1; leaf <= L2; leaf++)
    for (unsigned which = DRIVE_NOTES_REFUSED; which <= DRIVE_TABLE_FULL; which++)
      assert_int_equal(tree_counter(&t, leaf, 0, which), 0);
  tree_close(&t);
}

/// The root forgets one contribution, or a result that is under way: repeats bring the right sum, and the messages behind it.
static void root_restarts(void **state) {
  (void)state;
  for (unsigned stored = 0; stored <= 4; stored++) {
    struct tree t = tree_racks(1, "tree4");
    t.configs[S] = "spine2";
    assert_true(tree_open(&t));
    for (uint32_t msgid = 0; msgid < 3; msgid++) {
      for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
        tree_forget(&t);
        const bool middle = msgid == 1 && offset == 1;
        for (unsigned rank = 0; rank < 4; rank++) {
          if (middle && rank == stored) tree_restart(&t, S);
          tree_send(&t, 0, rank, msgid, offset, (float)(1 + rank));
          if (middle) tree_run(&t);
        }
        if (middle && stored == 4) tree_restart(&t, S);
        tree_run(&t);
        // Whoever lacks his result repeats, and his leaf with him.
        if (middle && stored > 1 && stored < 4) {
          for (unsigned i = 0; i < t.logged; i++) assert_int_not_equal(t.log[i].device, S);
          tree_all_send(&t, 0, msgid, offset);
          tree_run(&t);
        }
        const struct conn_key key = tree_key(&t.rings[0], 0);
        const struct tree_frame *got = NULL;
        assert_true(tree_left(&t, L1, &key, &got) >= 1);
        tree_is(got, &t.rings[0], 0, msgid, offset, 10, 4);
        if (!middle) tree_all_have(&t, 0, msgid, offset);
      }
    }
    tree_close(&t);
  }
}

/// Without its notification a result has no headers: it is left out and counted, and comes with the next copy. So does one whose
/// notification comes behind it. Those of the last packet are as necessary.
static void notifications_lost_or_late(void **state) {
  (void)state;
  struct tree t = tree_racks(1, "tree4");
  t.configs[S] = "tree4";
  assert_true(tree_open(&t));
  for (uint32_t msgid = 0; msgid < 2 * TREE_WINDOW; msgid++) {
    const bool late = msgid % 2 != 0;
    for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
      const uint64_t before[] = {tree_counter(&t, L1, 0, DRIVE_NO_HEADERS), tree_counter(&t, L2, 0, DRIVE_NO_HEADERS)};
      tree_forget(&t);
      t.lose_notes = !late;
      t.hold_notes = late;
      tree_all_send(&t, 0, msgid, offset);
      tree_run(&t);
      t.lose_notes = t.hold_notes = false;
      // The connections inside of a leaf have their results; those of W2 and W4 lack headers, but for the middle packet.
      const struct conn_key inside = tree_key(&t.rings[0], 0), across = tree_key(&t.rings[0], 3);
      assert_int_equal(tree_left(&t, L1, &inside, NULL), 1);
      assert_int_equal(tree_left(&t, L1, &across, NULL), offset == 1);
      if (offset == 1) continue;
      for (unsigned leaf = L1; leaf <= L2; leaf++)
        assert_int_equal(tree_counter(&t, leaf, 0, DRIVE_NO_HEADERS), before[leaf] + 1);
      tree_release(&t);
      tree_run(&t);
      assert_int_equal(tree_left(&t, L1, &across, NULL), 0);   // headers alone are no result
      tree_forget(&t);
      t.lose_notes = late;                     // those that were late are enough
      tree_send(&t, 0, 1, msgid, offset, 2);   // the last workers go back
      tree_send(&t, 0, 3, msgid, offset, 4);
      tree_run(&t);
      const struct tree_frame *got = NULL;
      assert_true(tree_left(&t, L1, &across, &got) >= 1);
      tree_is(got, &t.rings[0], 3, msgid, offset, 10, 4);
    }
  }
  tree_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(full_table_of_rows), cmocka_unit_test(full_table_of_connections),  cmocka_unit_test(two_trees),
      cmocka_unit_test(root_restarts),      cmocka_unit_test(notifications_lost_or_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
