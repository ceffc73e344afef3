#include "drive/gather/gather_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool answers_init(struct gather_answers *a, size_t room) {
  *a = (struct gather_answers){.entries = calloc(room, sizeof *a->entries), .room = room};
  return a->entries != NULL;
}

bool gather_host_init(struct gather_host *h, struct gather_memory *memory, unsigned units, size_t room) {
  *h = (struct gather_host){.memory = memory, .units = units, .lists = calloc(units, sizeof *h->lists)};
  const bool reads = answers_init(&h->reads, room), writes = answers_init(&h->writes, room);
  return answers_init(&h->looks, room) && reads && writes && h->lists != NULL;
}

void gather_host_free(struct gather_host *h) {
  free(h->lists);
  free(h->reads.entries);
  free(h->writes.entries);
  free(h->looks.entries);
}

void gather_host_resize(struct gather_host *h) {
  h->stride = 0;
  while (UINT32_C(1) << h->stride < h->memory->len) h->stride++;
}

static void refuse(struct gather_host *h, const char *what, uint64_t where, size_t bytes) {
  if (h->fault[0] == '\0') snprintf(h->fault, sizeof h->fault, "%s, %zu bytes at %#" PRIx64, what, bytes, where);
}

/// Has an answer put under way.
static struct gather_answer *answer(struct gather_answers *a, uint64_t due) {
  struct gather_answer *made = &a->entries[(a->first + a->count++) % a->room];
  *made = (struct gather_answer){.due = due};
  return made;
}

/// The bytes of a property that a request wants; NULL if they are not within one. `own`: of a column of this node, or of none of
/// its own.
static uint8_t *property(struct gather_host *h, uint64_t addr, size_t bytes, bool own) {
  struct gather_memory *m = h->memory;
  const uint64_t idx = (addr - GATHER_PROPERTIES) >> h->stride, at = addr - GATHER_PROPERTIES - (idx << h->stride);
  if (addr < GATHER_PROPERTIES || idx >= m->columns.count || at + bytes > m->len) return NULL;
  return (gather_owner(&m->columns, idx) == m->node) == own ? gather_memory_at(m, idx) + at : NULL;
}

void gather_host_read(struct gather_host *h, uint64_t now, uint64_t addr, size_t bytes) {
  struct gather_answer *a = answer(&h->reads, now + h->read_delay);
  if (addr < GATHER_LISTS) {
    const uint8_t *from = property(h, addr, bytes, true);
    if (from != NULL)
      memcpy(a->data, from, bytes);
    else
      refuse(h, "no property of this node is read", addr, bytes);
    return;
  }
  const uint64_t unit = (addr - GATHER_LISTS) >> 36, at = (addr - GATHER_LIST_OF(unit)) / 8;
  if (unit >= h->units || addr % 8 != 0 || bytes % 8 != 0 || at + bytes / 8 > h->lists[unit].count) {
    refuse(h, "no list is read", addr, bytes);
    return;
  }
  for (size_t i = 0; i < bytes / 8; i++) {
    const uint64_t idx = h->lists[unit].idx[at + i];   // in memory as in a line: little-endian
    memcpy(a->data + 8 * i, &idx, sizeof idx);
  }
}

void gather_host_write(struct gather_host *h, uint64_t now, uint64_t addr, size_t bytes, const uint8_t *data) {
  uint8_t *to = property(h, addr, bytes, false);
  answer(&h->writes, now + h->write_delay);
  if (to != NULL)
    memcpy(to, data, bytes);
  else
    refuse(h, "no property of another node is written", addr, bytes);
}

static bool known(struct gather_host *h, uint64_t idx) {
  if (idx < h->memory->columns.count) return true;
  refuse(h, "the filter has no such column", idx, 0);
  return false;
}

void gather_host_look(struct gather_host *h, uint64_t now, uint64_t idx) {
  struct gather_answer *a = answer(&h->looks, now + h->look_delay);
  if (known(h, idx)) a->data[0] = h->memory->filter[idx / 8] >> idx % 8 & 1;
}

void gather_host_mark(struct gather_host *h, uint64_t idx) {
  if (!known(h, idx)) return;
  h->doubled += h->memory->filter[idx / 8] >> idx % 8 & 1;
  gather_memory_mark(h->memory, idx);
}
