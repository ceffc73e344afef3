// NetReduce's Table 3, row by row: what a device in a tree makes of each packet, byte by byte. The one test of the relay's modules together that waits for one
// device only.
//
// DEVICES: tree4
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/relay/rtl_tree.h"
#include "wire/fate.h"

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

/// A leaf has sent the notification of its last worker's packet.
static void has_noted(const struct tree *t, unsigned device, unsigned offset) {
  uint8_t note[TREE_FRAME];
  const size_t len = tree_note(&t->rings[0], device == L1 ? 1 : 3, 0, offset, note);
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
  if (r->multicast && offset != 1) tree_put_note(t, r->device, UP4, 0, (first + 3) % 4, 0, offset);
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
  struct tree t = tree_racks(1, NULL);
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(table_3_row_by_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
