#include "unit/gather/nic/host_port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "structs/gather_pkg.h"

void host_init(struct host *h, size_t size, size_t columns) {
  *h = (struct host){
      .memory = calloc(size, 1), .size = size, .filter = calloc(columns, sizeof *h->filter), .columns = columns, .latency = 6};
  assert_true(h->memory && h->filter);
}

void host_free(struct host *h) {
  free(h->memory);
  free(h->filter);
}

bool host_ready(const struct host *h) { return !h->stall || (unsigned)rand() % h->stall != 0; }

static uint8_t *add(struct host_answers *a, uint64_t due) {
  assert_true(a->in - a->out < HOST_QUEUE);
  a->entries[a->in % HOST_QUEUE].due = due;
  return a->entries[a->in++ % HOST_QUEUE].data;
}

void host_read(struct host *h, uint64_t now, uint64_t addr, size_t bytes) {
  assert_true(bytes >= 1 && bytes <= HOST_LINE && addr < h->size && bytes <= h->size - addr);
  uint8_t *data = add(&h->reads, now + h->latency);
  for (size_t i = 0; i < HOST_LINE; i++) data[i] = (uint8_t)rand();   // behind the end nothing must matter
  memcpy(data, h->memory + addr, bytes);
}

void host_write(struct host *h, uint64_t now, uint64_t addr, size_t bytes, const uint8_t *data) {
  assert_true(bytes >= 1 && bytes <= HOST_LINE && addr < h->size && bytes <= h->size - addr);
  memcpy(h->memory + addr, data, bytes);
  add(&h->writes, now + h->latency);
}

void host_look(struct host *h, uint64_t now, uint64_t idx) {
  assert_true(idx < h->columns);
  *add(&h->looks, now + h->latency) = h->filter[idx];
}

void host_mark(struct host *h, uint64_t idx) {
  assert_true(idx < h->columns);
  h->filter[idx] = true;
}

const uint8_t *host_answer(struct host_answers *a, uint64_t now) {
  if (a->in == a->out || a->entries[a->out % HOST_QUEUE].due > now) return NULL;
  return a->entries[a->out++ % HOST_QUEUE].data;
}

void host_show(struct host *h, struct dut *d, uint64_t now, const bool ready[HOST_CHANNELS]) {
  uint32_t w[WORDS_OF(host_rsp_t, 1)] = {0};
  const uint8_t *data = host_answer(&h->reads, now), *written = host_answer(&h->writes, now),
                *known = host_answer(&h->looks, now);
  bits_put(w, FIELD(host_rsp_t, data_valid), data != NULL);
  if (data) bits_put_bytes(w, FIELD(host_rsp_t, data), data);
  bits_put(w, FIELD(host_rsp_t, written), written != NULL);
  bits_put(w, FIELD(host_rsp_t, bit_valid), known != NULL);
  bits_put(w, FIELD(host_rsp_t, bit_set), known ? *known : 0);
  bits_put(w, FIELD(host_rsp_t, read_ready), ready[HOST_READ]);
  bits_put(w, FIELD(host_rsp_t, write_ready), ready[HOST_WRITE]);
  bits_put(w, FIELD(host_rsp_t, look_ready), ready[HOST_LOOK]);
  bits_put(w, FIELD(host_rsp_t, mark_ready), ready[HOST_MARK]);
  dut_set_words(d, "host_i", w, WORDS_OF(host_rsp_t, 1));
}

bool host_take(struct host *h, struct dut *d, uint64_t now, const bool ready[HOST_CHANNELS], uint64_t *marked) {
  uint32_t w[WORDS_OF(host_req_t, 1)];
  dut_get_words(d, "host_o", w, WORDS_OF(host_req_t, 1));
  if (ready[HOST_READ] && bits_get(w, FIELD(host_req_t, read_valid))) {
    host_read(h, now, bits_get(w, FIELD(host_req_t, read__addr)), bits_get(w, FIELD(host_req_t, read__bytes)));
  }
  if (ready[HOST_WRITE] && bits_get(w, FIELD(host_req_t, write_valid))) {
    uint8_t bytes[HOST_LINE];
    bits_get_bytes(w, FIELD(host_req_t, write__data), bytes);
    host_write(h, now, bits_get(w, FIELD(host_req_t, write__addr)), bits_get(w, FIELD(host_req_t, write__bytes)), bytes);
  }
  if (ready[HOST_LOOK] && bits_get(w, FIELD(host_req_t, look_valid))) {
    host_look(h, now, bits_get(w, FIELD(host_req_t, look_idx)));
  }
  if (!ready[HOST_MARK] || !bits_get(w, FIELD(host_req_t, mark_valid))) return false;
  *marked = bits_get(w, FIELD(host_req_t, mark_idx));
  host_mark(h, *marked);
  return true;
}
