// Host memory as a Verilated NIC reaches it: answers in order and in time, and what may not be asked for is told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/gather/gather_host.h"

enum { COLUMNS = 40, NODES = 4, OWN = 1, LEN = 68, STRIDE = 7, ROOM = 8, UNITS = 2 };
static const uint32_t list[] = {3, 11, 39, 3, 25};

struct bench {
  struct gather_memory memory;
  struct gather_host host;
};

static void open_bench(struct bench *b) {
  const struct gather_partition columns = {COLUMNS, NODES};
  assert_true(gather_memory_init(&b->memory, &columns, OWN, LEN));
  for (unsigned c = 0; c < COLUMNS; c++) memset(gather_memory_at(&b->memory, c), (int)c, LEN);
  assert_true(gather_host_init(&b->host, &b->memory, UNITS, ROOM));
  b->host.read_delay = 10;
  b->host.write_delay = 5;
  b->host.look_delay = 4;
  gather_host_resize(&b->host);
  assert_int_equal(b->host.stride, STRIDE);
  b->host.lists[1] = (struct gather_list){list, sizeof list / sizeof *list};
}

static void close_bench(struct bench *b) {
  gather_host_free(&b->host);
  gather_memory_free(&b->memory);
}

static uint64_t property(uint64_t idx) { return GATHER_PROPERTIES + (idx << STRIDE); }

static void answers_come_in_order_and_in_time(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  gather_host_read(&b.host, 100, property(11) + 64, 4);
  gather_host_read(&b.host, 101, GATHER_LIST_OF(1) + 8, 32);
  assert_null(gather_answers_next(&b.host.reads, 109));
  const struct gather_answer *a = gather_answers_next(&b.host.reads, 110);
  assert_non_null(a);
  assert_int_equal(a->data[3], 11);
  gather_answers_pass(&b.host.reads);
  assert_null(gather_answers_next(&b.host.reads, 110));
  a = gather_answers_next(&b.host.reads, 111);
  assert_non_null(a);
  for (unsigned i = 0; i < 4; i++) {
    uint64_t idx;
    memcpy(&idx, a->data + 8 * i, sizeof idx);
    assert_int_equal(idx, list[1 + i]);
  }
  gather_answers_pass(&b.host.reads);
  // As many as there is room for.
  for (unsigned i = 0; i < ROOM; i++) {
    assert_true(gather_answers_ready(&b.host.looks));
    gather_host_look(&b.host, 200, i);
  }
  assert_false(gather_answers_ready(&b.host.looks));
  assert_string_equal(b.host.fault, "");
  close_bench(&b);
}

static void a_bit_tells_what_was_written(void **state) {
  struct bench b;
  uint8_t data[64];
  (void)state;
  open_bench(&b);
  memset(data, 0xAB, sizeof data);
  gather_host_write(&b.host, 0, property(39), 64, data);
  gather_host_write(&b.host, 0, property(39) + 64, 4, data);
  gather_host_look(&b.host, 0, 39);
  gather_host_mark(&b.host, 39);
  gather_host_mark(&b.host, 39);
  gather_host_look(&b.host, 1, 39);
  assert_int_equal(b.host.doubled, 1);
  assert_int_equal(gather_answers_next(&b.host.looks, 4)->data[0], 0);
  gather_answers_pass(&b.host.looks);
  assert_int_equal(gather_answers_next(&b.host.looks, 5)->data[0], 1);
  for (unsigned i = 0; i < LEN; i++) assert_int_equal(gather_memory_at(&b.memory, 39)[i], 0xAB);
  close_bench(&b);
}

static void what_may_not_be_is_told(void **state) {
  static const struct {
    bool write;
    uint64_t addr;
    size_t bytes;
    const char *fault;
  } cases[] = {
      {false, GATHER_PROPERTIES + (9 << STRIDE), 64, "no property of this node"},        // of another node
      {false, GATHER_PROPERTIES + (11 << STRIDE) + 64, 5, "no property of this node"},   // behind its end
      {false, GATHER_PROPERTIES + (40 << STRIDE), 4, "no property of this node"},        // no such column
      {false, GATHER_PROPERTIES - 64, 64, "no property of this node"},
      {true, GATHER_PROPERTIES + (11 << STRIDE), 64, "no property of another node"},   // its own
      {true, GATHER_PROPERTIES + (39 << STRIDE) + 1, 68, "no property of another node"},
      {false, GATHER_LISTS + (UINT64_C(2) << 36), 8, "no list"},        // no such unit
      {false, GATHER_LISTS, 8, "no list"},                              // of a unit without
      {false, GATHER_LISTS + (UINT64_C(1) << 36) + 8, 40, "no list"},   // behind its end
      {false, GATHER_LISTS + (UINT64_C(1) << 36) + 4, 8, "no list"},
  };
  const uint8_t data[128] = {0};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct bench b;
    open_bench(&b);
    if (cases[i].write)
      gather_host_write(&b.host, 0, cases[i].addr, cases[i].bytes, data);
    else
      gather_host_read(&b.host, 0, cases[i].addr, cases[i].bytes);
    assert_non_null(strstr(b.host.fault, cases[i].fault));
    close_bench(&b);
  }
  struct bench b;
  open_bench(&b);
  gather_host_look(&b.host, 0, COLUMNS - 1);
  assert_string_equal(b.host.fault, "");
  gather_host_mark(&b.host, COLUMNS);
  assert_non_null(strstr(b.host.fault, "no such column"));
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_come_in_order_and_in_time),
      cmocka_unit_test(a_bit_tells_what_was_written),
      cmocka_unit_test(what_may_not_be_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
