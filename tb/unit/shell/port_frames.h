/// Frames for tests of shell_port, and lists of them.
#ifndef WEIR_UNIT_SHELL_PORT_FRAMES_H
#define WEIR_UNIT_SHELL_PORT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

enum { BEAT = 64, MAX_FRAME = 9600, PRIOS = 8, QUEUES = 2, MIN_WIRE = 60, UNTAGGED = 2 };

struct frame {
  size_t len;
  unsigned prio, user, id;   // `user` bit 0 is the frame error
  bool control;
  uint64_t ended;   // time of its last beat
  uint8_t bytes[];
};

/// Frames in their order. The list owns them.
struct frame_list {
  struct frame **at;
  size_t room, count, head;   // those before `head` are done
};

/// Where a priority waits, by the map of the `// DUT:` line: priority 3 has a queue of its own.
unsigned frame_queue(unsigned prio);

/// A frame of the priority, with VLAN tag if it has one, else untagged; to be freed, or given to `bench_send`.
struct frame *frame_draw(struct rng *rng, size_t len, unsigned prio);

/// A pause frame: PFC, or if `classic` that of 802.3.
struct frame *frame_pause(struct rng *rng, unsigned enable, const unsigned quanta[PRIOS], bool classic);

void frame_list_put(struct frame_list *l, struct frame *f);
/// The first one, or NULL; the same, taken out: the caller frees it.
struct frame *frame_list_head(struct frame_list *l);
struct frame *frame_list_take(struct frame_list *l);
void frame_list_free(struct frame_list *l);

#endif
