#include "unit/aggregate/control/control_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint64_t counter_value(uint64_t cycle, unsigned port, unsigned which) {
  uint64_t low = (uint32_t)(cycle << 10) | port << 6 | which;
  return (low * 2654435761u >> 16 & 0xFFFF) << 32 | low;
}

void rings_as_stored(struct bench *b) {
  uint32_t words[RING_WORDS];
  dut_get_words(b->d, "rings_o", words, RING_WORDS);
  for (unsigned r = 0; r < RINGS; r++) {
    const struct ring *s = &b->stored[r];
    size_t at = (size_t)r * ring_t__BITS;
    assert_int_equal(bits_get(words, at + FIELD(ring_t, id)), s->id);
    assert_int_equal(bits_get(words, at + FIELD(ring_t, workers)), s->shape % (1u << ring_t__workers__BITS));
    assert_int_equal(bits_get(words, at + FIELD(ring_t, window_log2)), PART(s->shape, RING_SHAPE__WINDOW_LOG2));
    assert_int_equal(bits_get(words, at + FIELD(ring_t, learn)), PART(s->shape, RING_SHAPE__LEARN));
    assert_int_equal(bits_get(words, at + FIELD(ring_t, enable)), PART(s->shape, RING_SHAPE__ENABLE));
    assert_int_equal(bits_get(words, at + FIELD(ring_t, drop)), PART(s->shape, RING_SHAPE__DROP));
    assert_int_equal(bits_get(words, at + FIELD(ring_t, base)), s->region % (1u << ring_t__base__BITS));
    assert_int_equal(bits_get(words, at + FIELD(ring_t, stride)), PART(s->region, RING_REGION__STRIDE));
  }
}

void tick(struct bench *b) {
  struct dut *d = b->d;
  bool flush = dut_get(d, "flush_valid_o") && b->flush_wait-- == 0,
       claim = dut_get(d, "conn_set_valid_o") && b->claim_wait-- == 0;
  dut_set(d, "flush_ready_i", flush);
  dut_set(d, "conn_set_ready_i", claim);
  dut_set(d, "conn_set_error_i", claim ? b->refuse : (unsigned)rand() % 2);
  if (flush) {
    b->flushes++;
    b->flush_wait = 0;
    b->flush_ring = (unsigned)dut_get(d, "flush_ring_o");
    b->release = dut_get(d, "flush_release_o");
    b->slots = dut_get(d, "flush_slots_o");
    if (b->flush_ring < RINGS && b->release) b->released[b->flush_ring]++;
    if (b->flush_ring < RINGS && !b->forget) rings_as_stored(b);   // flushed as it was
  }
  if (claim) {
    b->claims++;
    dut_get_words(d, "conn_set_o", b->claim, WORDS_OF(conn_set_t, 1));
  }
  // A counter's value follows its name a cycle later, as from weir_counters.
  uint64_t value = counter_value(b->cycle++, (unsigned)dut_get(d, "counter_port_o"), (unsigned)dut_get(d, "counter_which_o"));
  dut_tick(d);
  dut_set(d, "counter_value_i", value);
  dut_set(d, "flush_ready_i", 0);
  dut_set(d, "conn_set_ready_i", 0);
  dut_eval(d);
}

static void tick_bus(void *user) { tick(user); }

static struct axil bus_of(struct bench *b) { return (struct axil){.d = b->d, .tick = tick_bus, .user = b}; }

unsigned bus_write(struct bench *b, unsigned address, uint32_t data, unsigned strobe) {
  const struct axil bus = bus_of(b);
  return axil_write(&bus, address, data, strobe);
}

unsigned bus_read(struct bench *b, unsigned address, uint32_t *data) {
  const struct axil bus = bus_of(b);
  return axil_read(&bus, address, data);
}

void put(struct bench *b, unsigned address, uint32_t data) { assert_int_equal(bus_write(b, address, data, 15), OKAY); }

uint32_t get(struct bench *b, unsigned address) {
  uint32_t data;
  assert_int_equal(bus_read(b, address, &data), OKAY);
  return data;
}

unsigned built_with(struct bench *b) { return (get(b, REG(CAP_SHAPE)) & 0xFF) - PORTS_ALONE; }

uint32_t word(void) { return (uint32_t)rand() << 16 ^ (uint32_t)rand(); }

int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->d = dut_new();
  dut_reset(b->d);
  *state = b;
  return 0;
}

int teardown(void **state) {
  struct bench *b = *state;
  dut_free(b->d);
  free(b);
  return 0;
}

uint32_t command(struct bench *b, uint32_t bits) {
  put(b, REG(RING_COMMAND), bits);
  uint32_t status;
  for (unsigned polls = 0; (status = get(b, REG(RING_COMMAND))) & BUSY; polls++) assert_true(polls < TIMEOUT);
  return status;
}
