// The aggregation header, byte by byte, and how a message is cut.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/bytes.h"
#include "wire/tree.h"
#include "wire/tree_cast.h"

// Written by hand from docs/wire.md.
static const uint8_t bytes[TREE_BYTES] = {0x54, 0x72, 0x65, 0x65, 2,    3,    0x12, 1,    0x01, 0x02, 0x03,
                                          0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
                                          0x0F, 0x10, 1,    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27};
static const struct tree_header header = {.kind = TREE_DOWN,
                                          .operation = TREE_BROADCAST,
                                          .type = 0x12,
                                          .flags = TREE_CARRIES,
                                          .tree = 0x0102,
                                          .group = 0x0304,
                                          .sequence = 0x05060708,
                                          .length = 0x090A0B0C,
                                          .count = 0x0D0E0F10,
                                          .verdict = TREE_LOCK_FAILED,
                                          .port = 0x21,
                                          .node = 0x2223,
                                          .holder_tree = 0x2425,
                                          .holder_group = 0x2627};

static void test_bytes(void **state) {
  (void)state;
  uint8_t out[TREE_BYTES];
  struct tree_header h;
  tree_put(out, &header);
  assert_memory_equal(out, bytes, TREE_BYTES);
  assert_true(tree_get(bytes, TREE_BYTES, &h));
  tree_put(out, &h);
  assert_memory_equal(out, bytes, TREE_BYTES);
}

/// What is no header: too short, another tag, a code that is none.
static void test_refused(void **state) {
  (void)state;
  static const struct {
    size_t at;
    uint8_t value;
  } wrong[] = {{0, 0x55}, {3, 0x66}, {4, 0}, {4, 4}, {5, TREE_OPERATIONS}, {7, 4}, {7, 0x80}, {24, TREE_VERDICTS}};
  struct tree_header h;
  assert_false(tree_get(bytes, TREE_BYTES - 1, &h));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint8_t in[TREE_BYTES];
    memcpy(in, bytes, sizeof in);
    in[wrong[i].at] = wrong[i].value;
    assert_false(tree_get(in, sizeof in, &h));
  }
}

/// A message is cut into packets of the MTU, the header in the first.
static void test_cut(void **state) {
  (void)state;
  assert_int_equal(tree_packets(0, 256), 1);
  assert_int_equal(tree_part(0, 256, 0), 0);
  assert_int_equal(tree_packets(224, 256), 1);
  assert_int_equal(tree_packets(225, 256), 2);
  assert_int_equal(tree_part(225, 256, 0), 224);
  assert_int_equal(tree_part(225, 256, 1), 1);
  assert_int_equal(tree_packets(TREE_MOST, 4096), 0x80000);
  const uint32_t lengths[] = {1, 224, 226, 1024, 5000};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    size_t sum = 0;
    for (uint64_t p = 0; p < tree_packets(lengths[i], 512); p++) sum += tree_part(lengths[i], 512, p);
    assert_int_equal(sum, lengths[i]);
  }
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(tree_verdict_name(TREE_OK), "ok");
  assert_string_equal(tree_verdict_name(TREE_LOST), "lost");
  assert_string_equal(tree_operation_names[TREE_UNLOCK], "unlock");
  assert_null(tree_operation_names[TREE_OPERATIONS]);
}

/// A multicast says the tree by its address, and is read by nobody who is not to: another tree, source, queue pair, key, or a frame cut short.
static void test_cast(void **state) {
  (void)state;
  for (unsigned v6 = 0; v6 < 2; v6++) {
    struct tree_cast from = {
        .mac = {2, 1}, .v6 = v6, .vlan = 7, .udp_source = 0xC001, .ip = {10, 1, 0, 1}, .qpn = 0x123456, .psn = 9, .tree = 0x0102};
    const uint8_t four[10] = {0x01, 0x00, 0x5E, 0x57, 0x01, 0x02, 239, 87, 1, 2},
                  six[8] = {0x33, 0x33, 0x57, 0x65, 0x01, 0x02, 0xFF, 0x15};
    struct conn_key key = {.v6 = v6, .vlan = 7, .qpn = 0x123456};
    uint8_t frame[4400], message[1056];
    struct roce_packet p;
    size_t len = 0;
    memcpy(key.src, from.ip, sizeof from.ip);
    for (size_t i = 0; i < sizeof message; i++) message[i] = (uint8_t)(i * 3);
    for (size_t size = 32; size <= sizeof message; size += 32) {
      const size_t bytes = tree_cast_build(&from, message, size, frame, sizeof frame);
      roce_parse(frame, bytes, &p);
      const uint8_t *read = tree_cast_read(frame, &p, from.tree, &key, &len);
      assert_non_null(read);
      assert_int_equal(len, size);
      assert_memory_equal(read, message, size);
    }
    assert_memory_equal(frame, v6 ? six : four, 6);
    assert_memory_equal(p.key.dst, (v6 ? six : four) + 6, v6 ? 2 : 4);
    assert_int_equal(p.opcode, 0x64);
    assert_int_equal(p.key.qpn, 0xFFFFFF);
    assert_int_equal(p.psn, 9);
    assert_null(tree_cast_read(frame, &p, 0x0103, &key, &len));
    for (unsigned wrong = 0; wrong < 3; wrong++) {
      struct conn_key other = key;
      if (wrong == 0) other.src[3]++;
      if (wrong == 1) other.qpn++;
      if (wrong == 2) other.vlan = 0;
      assert_null(tree_cast_read(frame, &p, from.tree, &other, &len));
    }
    frame[p.bth + 12] ^= 1;   // its key
    assert_null(tree_cast_read(frame, &p, from.tree, &key, &len));
    assert_int_equal(tree_cast_build(&from, message, sizeof message, frame, 100), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_refused), cmocka_unit_test(test_cut),
                                     cmocka_unit_test(test_names), cmocka_unit_test(test_cast)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
