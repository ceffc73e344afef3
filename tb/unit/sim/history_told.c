#include "unit/sim/history_told.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct drive_config config = {
    .name = "some", .ports = 16, .ranks = 16, .slot_bytes = 256, .slots = 64, .rings = 4, .conns = 64, .max_window = 4};

struct history *history_fresh(const struct drive_ring *rings, size_t count) {
  struct history *h = history_new();
  assert_non_null(h);
  assert_true(history_set_up(h, &config, rings, count));
  return h;
}

void history_tell(struct history *h, int kind, unsigned ring, uint32_t msgid, unsigned offset, unsigned rank, enum fate fate,
                  bool completes, uint64_t cycle) {
  const struct scoreboard_event e = {
      .kind = kind, .ring = ring, .rank = rank, .offset = offset, .fate = fate, .msgid = msgid, .completes = completes};
  history_state(h, &e, cycle);
}
