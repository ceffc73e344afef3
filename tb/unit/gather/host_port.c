#include "unit/gather/host_port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
