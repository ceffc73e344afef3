// Trees of Verilated devices, packet by packet (docs/relay.md): NetReduce's Table 3 row by row, full tables, rings over different trees, a
// root that is switched on again, notifications lost and late.
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

enum { L1, L2, S, T };   // two leaves, two roots
enum { W1, W2, W3, W4 };
enum { RING = 7, OTHER = 8, UP4 = 3, UP3 = 2 };

/// Two leaves of two workers. Ring 0: W1 to W4 below S; `rings` 2: also W3, W4, W1, W2 below T.
static struct tree racks(unsigned rings, const char *leaf) {
  struct tree t = {.configs = {[L1] = leaf, [L2] = leaf},
                   .leaf = {L1, L1, L2, L2},
                   .port = {0, 1, 0, 1},
                   .rings = {{RING, 4, {W1, W2, W3, W4}, {[L1] = S, [L2] = S, [S] = TREE_TOP, [T] = TREE_TOP}, false},
                             {OTHER, 4, {W3, W4, W1, W2}, {[L1] = T, [L2] = T, [S] = TREE_TOP, [T] = TREE_TOP}, false}},
                   .ring_count = rings};
  return t;
}

static void all_send(struct tree *t, unsigned ring, uint32_t msgid, unsigned offset) {
  for (unsigned rank = 0; rank < t->rings[ring].workers; rank++)
    tree_send(t, ring, rank, msgid, offset, (float)(1 + rank + 10 * ring));
}

/// 1 + 2 + 3 + 4, and ten more for each in the second ring; second numbers are one more each.
static void all_have(const struct tree *t, unsigned ring, uint32_t msgid, unsigned offset) {
  for (unsigned rank = 0; rank < t->rings[ring].workers; rank++)
    tree_has(t, ring, rank, msgid, offset, (float)(10 + 40 * ring), 4);
}

// --- Table 3 ---

/// A row of Table 3: what is complete, or came in, on connection `from` leaves on connection `to`. Connections of workers by their sender.
struct row {
  unsigned device;
  bool multicast;
  enum { WORKER, DEVICE } from_kind, to_kind;
  unsigned from, to;   // worker; or the other device of a virtual connection
};

static const struct row table_3[] = {{S, false, DEVICE, DEVICE, L1, L1}, {S, false, DEVICE, DEVICE, L1, L2},
                                     {S, false, DEVICE, DEVICE, L2, L1}, {S, false, DEVICE, DEVICE, L2, L2},
                                     {L1, false, WORKER, DEVICE, W1, S}, {L1, false, WORKER, DEVICE, W2, S},
                                     {L1, true, DEVICE, WORKER, S, W1},  {L1, true, DEVICE, WORKER, S, W4},
                                     {L2, false, WORKER, DEVICE, W3, S}, {L2, false, WORKER, DEVICE, W4, S},
                                     {L2, true, DEVICE, WORKER, S, W3},  {L2, true, DEVICE, WORKER, S, W2}};

/// Packet `offset` of the virtual connection between two devices, with these numbers. Rank and workers are those of the child.
static size_t virtual_packet(unsigned from, unsigned to, unsigned offset, float value, float step, uint8_t *frame) {
  const struct relay_end a = tree_device_end(from), b = tree_device_end(to);
  const unsigned child = from < S ? from : to;
  const struct ina_header ina = {RING, (uint8_t)child, INA_FP32, 0, TREE_MSGLEN, 2};
  const float numbers[] = {value, value + step};
  return relay_packet(&a, &b, &ina, offset, (const uint8_t *)numbers, TREE_TENSOR, frame, TREE_FRAME);
}

static struct conn_key virtual_key(unsigned from, unsigned to) {
  const struct relay_end a = tree_device_end(from), b = tree_device_end(to);
  return relay_key(RING, &a, &b);
}

/// The notification of a rank's packet.
static size_t note_of(const struct tree_ring *ring, unsigned rank, uint32_t msgid, unsigned offset, uint8_t *note) {
  const struct ina_header ina = {ring->id, (uint8_t)rank, INA_FP32, msgid, TREE_MSGLEN, (uint16_t)ring->workers};
  uint8_t frame[TREE_FRAME];
  struct roce_packet p;
  roce_parse(frame, tree_packet(ring, rank, msgid, offset, 0, 1, frame), &p);
  return relay_note(frame, &p, &ina, note);
}

/// It goes into a leaf.
static void put_note(struct tree *t, unsigned device, unsigned port, unsigned ring, unsigned rank, uint32_t msgid,
                     unsigned offset) {
  uint8_t note[TREE_FRAME];
  tree_put(t, device, port, note, note_of(&t->rings[ring], rank, msgid, offset, note));
}

/// A leaf has sent the notification of its last worker's packet.
static void has_noted(const struct tree *t, unsigned device, unsigned offset) {
  uint8_t note[TREE_FRAME];
  const size_t len = note_of(&t->rings[0], device == L1 ? 1 : 3, 0, offset, note);
  unsigned found = 0;
  for (unsigned i = 0; i < t->logged; i++) found += t->log[i].len == len && memcmp(t->log[i].data, note, len) == 0;
  assert_int_equal(found, 1);
}

/// All that the row's packet is not: what must be there for it to complete something.
static void others_send(struct tree *t, const struct row *r, unsigned offset) {
  uint8_t frame[TREE_FRAME];
  if (r->device == S) {
    const unsigned other = r->from == L1 ? L2 : L1;
    tree_put(t, S, other, frame, virtual_packet(other, S, offset, 20, 2, frame));
    return;
  }
  const unsigned first = r->device == L1 ? W1 : W3;
  for (unsigned w = first; w < first + 2; w++)
    if (r->multicast || w != r->from) tree_send(t, 0, w, 0, offset, 20);
  if (r->multicast && offset != 1) put_note(t, r->device, UP4, 0, (first + 3) % 4, 0, offset);
}

static void row_sends(struct tree *t, const struct row *r, unsigned offset) {
  uint8_t frame[TREE_FRAME];
  if (r->from_kind == WORKER)
    tree_send(t, 0, r->from, 0, offset, 3);
  else
    tree_put(t, r->device, r->device == S ? r->from : UP4, frame, virtual_packet(r->from, r->device, offset, 3, 1, frame));
}

/// What leaves on the row's connection: the sum of what came in, or the parent's numbers in the worker's packet.
static size_t outcome(const struct tree *t, const struct row *r, unsigned offset, struct conn_key *key, uint8_t *frame) {
  *key = r->to_kind == DEVICE ? virtual_key(r->device, r->to) : tree_key(&t->rings[0], r->to);
  if (r->to_kind == DEVICE) return virtual_packet(r->device, r->to, offset, 23, r->device == S ? 3 : 2, frame);
  return tree_packet(&t->rings[0], r->to, 0, offset, 3, 1, frame);
}

static void table_3_row(const struct row *r) {
  struct tree t = racks(1, NULL);
  t.configs[r->device] = "tree4";
  assert_true(tree_open(&t));
  for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
    uint8_t expected[TREE_FRAME];
    struct conn_key key;
    const struct tree_frame *got = NULL;
    const size_t len = outcome(&t, r, offset, &key, expected);
    tree_forget(&t);
    others_send(&t, r, offset);
    tree_run(&t);
    assert_int_equal(tree_left(&t, r->device, &key, NULL), 0);
    tree_forget(&t);
    row_sends(&t, r, offset);
    tree_run(&t);
    assert_int_equal(tree_left(&t, r->device, &key, &got), 1);
    assert_int_equal(got->len, len);
    assert_memory_equal(got->data, expected, len);
    // Nothing else leaves but the other row of this connection or, of a leaf's column, the notification of its last worker's packet.
    const bool noted = r->device != S && !r->multicast && offset != 1;
    assert_int_equal(t.logged, 1 + (r->device == S || r->multicast) + noted);
    if (noted) has_noted(&t, r->device, offset);
  }
  tree_close(&t);
}

static void table_3_row_by_row(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof table_3 / sizeof *table_3; i++) {
    print_message("row %zu\n", i + 1);
    table_3_row(&table_3[i]);
  }
}

// --- full tables ---

/// leaf3 has one row for connections from other leaves. The second ring's is refused and counted, its result on that connection is left
/// out and counted, and nothing goes on as it came. A flushed ring gives its row back.
static void full_table_of_rows(void **state) {
  (void)state;
  struct tree t = racks(2, NULL);
  t.configs[L1] = "leaf3";
  // The second ring's worker of L1 alone, so that the table of connections has room.
  t.rings[1] = (struct tree_ring){OTHER, 2, {W3, W1}, {[L1] = T, [L2] = T, [S] = TREE_TOP, [T] = TREE_TOP}, false};
  assert_true(tree_open(&t));
  put_note(&t, L1, UP3, 0, 3, 0, 0);
  put_note(&t, L1, UP3, 1, 0, 0, 0);
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
  put_note(&t, L1, UP3, 1, 0, 0, 0);
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
  struct tree t = racks(2, NULL);
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
  struct tree t = racks(2, "tree4");
  t.configs[S] = "tree4";
  t.configs[T] = "spine2";
  assert_true(tree_open(&t));
  for (uint32_t msgid = 0; msgid < 2 * TREE_WINDOW + 1; msgid++) {
    for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
      tree_forget(&t);
      for (unsigned ring = 0; ring < 2; ring++) all_send(&t, ring, msgid, offset);
      tree_run(&t);
      for (unsigned ring = 0; ring < 2; ring++) all_have(&t, ring, msgid, offset);
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
    struct tree t = racks(1, "tree4");
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
          all_send(&t, 0, msgid, offset);
          tree_run(&t);
        }
        const struct conn_key key = tree_key(&t.rings[0], 0);
        const struct tree_frame *got = NULL;
        assert_true(tree_left(&t, L1, &key, &got) >= 1);
        tree_is(got, &t.rings[0], 0, msgid, offset, 10, 4);
        if (!middle) all_have(&t, 0, msgid, offset);
      }
    }
    tree_close(&t);
  }
}

/// Without its notification a result has no headers: it is left out and counted, and comes with the next copy. So does one whose
/// notification comes behind it. Those of the last packet are as necessary.
static void notifications_lost_or_late(void **state) {
  (void)state;
  struct tree t = racks(1, "tree4");
  t.configs[S] = "tree4";
  assert_true(tree_open(&t));
  for (uint32_t msgid = 0; msgid < 2 * TREE_WINDOW; msgid++) {
    const bool late = msgid % 2 != 0;
    for (unsigned offset = 0; offset < TREE_MSGLEN; offset++) {
      const uint64_t before[] = {tree_counter(&t, L1, 0, DRIVE_NO_HEADERS), tree_counter(&t, L2, 0, DRIVE_NO_HEADERS)};
      tree_forget(&t);
      t.lose_notes = !late;
      t.hold_notes = late;
      all_send(&t, 0, msgid, offset);
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
      cmocka_unit_test(table_3_row_by_row), cmocka_unit_test(full_table_of_rows), cmocka_unit_test(full_table_of_connections),
      cmocka_unit_test(two_trees),          cmocka_unit_test(root_restarts),      cmocka_unit_test(notifications_lost_or_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
