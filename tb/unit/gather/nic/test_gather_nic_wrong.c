// What the network interface refuses: packets for others, lengths that lie, reads of what it does not serve.
// DUT: gather_nic_sized -GNumNodes=8 -GNumUnits=2 -GIndexBits=20 -GPending=64
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/gather/nic/nic_bench.h"
#include "wire/bytes.h"
#include "wire/roce.h"

/// Packets for others, and responses for a unit that there is not.
static void not_for_us(void **state) {
  struct nic_bench *b = *state;
  struct pr pr;
  gather_random_pr(&pr, true, NIC_NODES, NIC_LEN);
  pr.dest = NIC_OWN + 1;
  nic_send(b, &pr, 1);
  pr.dest = NIC_OWN;
  pr.tid = NIC_UNITS;
  nic_send(b, &pr, 1);
  pr.response = false;
  pr.src = NIC_NODES;
  nic_send(b, &pr, 1);
  for (unsigned i = 0; i < 500; i++) nic_cycle(b);
  assert_int_equal(nic_counter(b, PortBadDest), 1);
  assert_int_equal(nic_counter(b, NicNoUnit), 2);
  assert_int_equal(b->frames_out, 0);
}

/// Lengths and counts that are right only modulo a power of two: nothing is read or written for such a packet.
static void crafted_lengths(void **state) {
  struct nic_bench *b = *state;
  static const struct {
    bool response;
    uint32_t prs;   // of 64 bytes that are in the packet; what it says:
    uint16_t len;
    uint32_t count;
  } crafted[] = {{true, 1, NIC_LEN, UINT32_C(0x80000001)},
                 {true, 2, 0x8040, 2},
                 {true, 1, 0xFFFE, 1},
                 {true, 1, 0xFFFF, 1},
                 {true, 1, 0x1040, 1},
                 {true, 1, 0x840, 1},
                 {true, 1, NIC_LEN, 0x81},
                 {true, 1, NIC_LEN, UINT32_MAX},
                 {true, 1, NIC_LEN, 0},
                 {false, 1, NIC_LEN, UINT32_C(0x80000001)},
                 {false, 1, 0xFFFE, 1},
                 {false, 1, 0x1040, 1},
                 {false, 1, 0x402, 1},
                 {false, 1, 0, 1}};
  enum { CRAFTED = sizeof crafted / sizeof *crafted };
  uint8_t *before = malloc(NIC_MEMORY);
  assert_non_null(before);
  memcpy(before, b->host.memory, NIC_MEMORY);
  for (size_t i = 0; i < CRAFTED; i++) {
    struct pr prs[2];
    struct roce_packet at;
    for (size_t p = 0; p < 2; p++) {
      gather_random_pr(&prs[p], crafted[i].response, NIC_NODES, NIC_LEN);
      prs[p].dest = NIC_OWN;
      prs[p].tid = 0;
      prs[p].idx = NIC_OWN * NIC_PART;
    }
    struct nic_frame *f = nic_send(b, prs, crafted[i].prs);
    put_be16(f->data + GATHER_UPPER + 8, crafted[i].len);
    put_be32(f->data + GATHER_UPPER + 10, crafted[i].count);
    roce_parse(f->data, f->len, &at);
    icrc_put(f->data, &at);
  }
  for (unsigned i = 0; i < 2000; i++) nic_cycle(b);
  assert_int_equal(nic_counter(b, PortBadLength), CRAFTED);
  assert_int_equal(nic_counter(b, NicServed) + nic_counter(b, NicNotServed) + b->frames_out, 0);
  assert_memory_equal(before, b->host.memory, NIC_MEMORY);
  free(before);
}

/// Reads of what is no property of this node get no answer, however the address would wrap, and those behind them do.
static void reads_of_what_is_not_served(void **state) {
  struct nic_bench *b = *state;
  const uint64_t first = NIC_OWN * NIC_PART;
  const struct {
    uint64_t idx;
    unsigned len;
  } wrong[] = {{first - 1, NIC_LEN},
               {first + NIC_PART, NIC_LEN},
               {first + (UINT64_C(1) << 32), NIC_LEN},
               {first + (UINT64_C(1) << (64 - NIC_STRIDE)), NIC_LEN},
               {first | UINT64_C(1) << 63, NIC_LEN},
               {UINT64_MAX, NIC_LEN},
               {0, NIC_LEN},
               {first + NIC_PART - 1, NIC_LEN + 2},
               {first, GATHER_MAX_LEN}};
  enum { WRONG = sizeof wrong / sizeof *wrong };
  for (size_t i = 0; i < WRONG; i++) {
    struct pr pr;
    gather_random_pr(&pr, false, NIC_NODES, wrong[i].len);
    pr.dest = NIC_OWN;
    pr.src = NIC_OWN + 1;
    pr.idx = wrong[i].idx;
    nic_send(b, &pr, 1);
    nic_ask_us(b);
  }
  for (unsigned i = 0; i < 5000; i++) nic_cycle(b);
  assert_int_equal(nic_counter(b, NicNotServed), WRONG);
  assert_int_equal(nic_counter(b, NicServed), WRONG);
  assert_int_equal(b->answered, WRONG);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(not_for_us, nic_setup, nic_teardown),
                                     cmocka_unit_test_setup_teardown(crafted_lengths, nic_setup, nic_teardown),
                                     cmocka_unit_test_setup_teardown(reads_of_what_is_not_served, nic_setup, nic_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
