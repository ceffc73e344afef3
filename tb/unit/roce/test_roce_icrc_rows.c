// The rows' part of results' ICRCs, against zlib: tensors of any length in rows with anything behind them, for any ports.
// DUT: roce_icrc_rows -GNumPorts=6
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "drive/dut.h"
#include "wire/bytes.h"

enum { ROW = 64, MAX_ROWS = 18, TENSORS = 4000, PART = 8, PORTS = 6 };

struct part {
  uint32_t crc;
  unsigned ports;
  uint64_t due;
};

static uint32_t part_of(const uint8_t *tensor, size_t len) {
  static const uint8_t pad[2];
  const uint32_t crc = (uint32_t)crc32(UINT32_MAX, tensor, (uInt)len);
  return ~(uint32_t)crc32(crc, pad, len % 4);
}

static void is_the_crc_of_the_tensor(void **state) {
  (void)state;
  static struct part due[TENSORS];
  uint8_t bytes[MAX_ROWS * ROW];
  struct dut *d = dut_new();
  unsigned begun = 0, ended = 0, row = 0, rows = 0, told = 0;
  size_t len = 0;
  dut_set(d, "row_valid_i", 0);
  dut_set(d, "pairs_valid_i", 0);
  dut_reset(d);
  while (ended < TENSORS) {
    if (row == rows && begun < TENSORS) {
      // Whole rows are what most tensors are; some have no bytes, and one row.
      len = rand() % 3 ? ROW * ((size_t)rand() % MAX_ROWS) : 2 * ((size_t)rand() % (MAX_ROWS * ROW / 2 + 1));
      rows = len ? (unsigned)(len + ROW - 1) / ROW : 1;
      row = 0;
      for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)rand();
      due[begun].ports = (unsigned)rand() % (1u << PORTS);
      due[begun].crc = part_of(bytes, len);
      begun++;
    }
    // A tensor's length comes in front of its last row.
    const bool tells = told < begun && (row + 1 == rows || rand() % 4 == 0);
    const bool sends = row < rows && rand() % 4 && (row + 1 < rows || told == begun);
    dut_set(d, "pairs_valid_i", tells);
    dut_set(d, "pairs_i", len ? (len - 1) % ROW / 2 + 1 : 0);
    dut_set(d, "row_valid_i", sends);
    if (sends) {
      uint32_t words[ROW / 4];
      for (size_t i = 0; i < ROW / 4; i++) words[i] = get_le32(bytes + ROW * row + 4 * i);
      dut_set_words(d, "row_i", words, ROW / 4);
      dut_set(d, "row_last_i", row + 1 == rows);
      dut_set(d, "row_ports_i", due[begun - 1].ports);
    }
    told += tells;
    dut_tick(d);
    if (sends && ++row == rows) due[begun - 1].due = dut_cycle(d) + PART - 1;
    const unsigned ports = (unsigned)dut_get(d, "part_valid_o");
    if (ended < begun && due[ended].due != 0 && due[ended].due == dut_cycle(d)) {
      assert_int_equal(ports, due[ended].ports);
      if (ports) assert_int_equal(dut_get(d, "part_o"), due[ended].crc);
      ended++;
    } else {
      assert_int_equal(ports, 0);
    }
  }
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_the_crc_of_the_tensor)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
