#include "sim/engine/follow/told.h"

struct scoreboard_event told_event(const struct drive_state_event *e) {
  return (struct scoreboard_event){
      .kind = e->kind == DRIVE_DECIDE   ? SCOREBOARD_DECIDE
              : e->kind == DRIVE_COMMIT ? SCOREBOARD_COMMIT
                                        : SCOREBOARD_TAKE,
      .port = e->port,
      .ring = e->ring,
      .rank = e->rank,
      .offset = e->offset,
      .fate = (enum fate)e->fate,
      .msgid = e->msgid,
      .ranks = e->ranks,
      .completes = e->completes,
      .of_ring = e->of_ring,
      .by_slot = e->by_slot,
  };
}
