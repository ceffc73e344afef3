/// Host memory and the index filter as the ports of a Verilated NIC reach them: each takes a request a cycle and answers in order,
/// after a while.
///
/// Each unit has a region with the list of its gather, 64 bits an index. Another one has the properties, those of the node and those
/// that it gathers, a power of two apart.
#ifndef WEIR_DRIVE_GATHER_HOST_H
#define WEIR_DRIVE_GATHER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/gather/gather_rig.h"

enum { GATHER_LINE = 64 };   ///< most bytes of a request

/// Where the list of a unit is, and the properties.
#define GATHER_LISTS (UINT64_C(1) << 48)
#define GATHER_LIST_OF(unit) (GATHER_LISTS + ((uint64_t)(unit) << 36))
#define GATHER_PROPERTIES (UINT64_C(1) << 44)

struct gather_answer {
  uint64_t due;   ///< cycle in which it is given
  uint8_t data[GATHER_LINE];
};

/// Answers under way, circular.
struct gather_answers {
  struct gather_answer *entries;
  size_t room, first, count;
};

struct gather_list {
  const uint32_t *idx;   ///< NULL: none
  size_t count;
};

struct gather_host {
  struct gather_memory *memory;
  unsigned units, stride;   ///< property i begins i << stride bytes from the first
  uint64_t read_delay, write_delay, look_delay;
  struct gather_list *lists;   ///< of each unit
  struct gather_answers reads, writes, looks;
  uint64_t doubled;   ///< bits set that were set before
  char fault[96];     ///< the first request that may not be; empty if there was none
};

/// Delays from a request to its answer, cycles; `room`: requests under way at a port. False if out of memory.
bool gather_host_init(struct gather_host *h, struct gather_memory *memory, unsigned units, size_t room);
void gather_host_free(struct gather_host *h);
/// Properties are of another length from now on.
void gather_host_resize(struct gather_host *h);

/// Whether a port takes a request in this cycle, and whether it has answers to give.
static inline bool gather_answers_ready(const struct gather_answers *a) { return a->count < a->room; }
/// The answer that is to be given in cycle `now`, NULL if none is; it is gone with gather_answers_pass.
static inline const struct gather_answer *gather_answers_next(const struct gather_answers *a, uint64_t now) {
  return a->count > 0 && a->entries[a->first].due <= now ? &a->entries[a->first] : NULL;
}
static inline void gather_answers_pass(struct gather_answers *a) {
  a->first = (a->first + 1) % a->room;
  a->count--;
}

/// Requests, taken in cycle `now`.
void gather_host_read(struct gather_host *h, uint64_t now, uint64_t addr, size_t bytes);
void gather_host_write(struct gather_host *h, uint64_t now, uint64_t addr, size_t bytes, const uint8_t *data);
void gather_host_look(struct gather_host *h, uint64_t now, uint64_t idx);
void gather_host_mark(struct gather_host *h, uint64_t idx);

#endif
