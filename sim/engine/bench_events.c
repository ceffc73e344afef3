#include <inttypes.h>

#include "sim/engine/bench_state.h"
#include "sim/engine/follow/told.h"

#include "base/memory.h"

// What the device says: to scoreboard, witness and history, and whose column took how long.

// ------------------------------------------------------------------------------------------------ latency

static uint64_t column_key(const struct drive_state_event *e) {
  // MsgLen is 14 bits and rings are 5; the highest bit keeps a key from being 0.
  return UINT64_C(1) << 63 | (uint64_t)e->ring << 48 | (uint64_t)e->offset << 32 | e->msgid;
}

/// Notes which column a decided packet belongs to, and when it was completed.
static void note_decision(struct bench *b, const struct drive_state_event *e) {
  struct port *port = &b->ports[e->port];
  while (port->next < port->count && !port->sent[port->next].candidate) port->next++;
  if (port->next == port->count) return;   // the scoreboard has reported it
  const struct sent *sent = &port->sent[port->next++];
  if (e->fate < FATE_COUNT) b->fates[sent->group][e->fate]++;
  if (e->fate != FATE_STORED || b->options.lasting) return;
  const uint64_t column = column_key(e);
  b->ranks[e->conn] = (uint8_t)e->rank;
  *map_at(&b->waiting, (uint64_t)e->conn << 24 | sent->psn, NULL) = column;
  if (e->completes) *map_at(&b->complete, column, NULL) = 1 + sent->last_cycle;
}

static void note_result(struct bench *b, const struct drive_result_event *e) {
  uint64_t *waiting = map_at(&b->waiting, (uint64_t)e->conn << 24 | e->psn, NULL);
  if (!*waiting) return;
  const uint64_t column = *waiting, since = *map_at(&b->complete, column, NULL);
  if (!since) return;
  *waiting = 0;
  const uint32_t latency = (uint32_t)(e->cycle - (since - 1));
  b->latencies = need_room(b->latencies, &b->latency_size, b->latency_count + 1, sizeof *b->latencies);
  b->latencies[b->latency_count++] = latency;
  if (b->options.history != NULL) {
    const unsigned ring = column >> 48 & 31, offset = column >> 32 & 0xFFFF;
    history_result(b->options.history, ring, (uint32_t)column, offset, b->ranks[e->conn], e->cycle, latency);
  }
}

// ------------------------------------------------------------------------------------------------ what the device says

static void on_state(void *user, const struct drive_state_event *e) {
  struct bench *b = user;
  b->moved = e->cycle;
  const struct scoreboard_event event = told_event(e);
  scoreboard_state(b->scoreboard, &event);
  char text[300];
  if (!refinement_event(b->refinement, &event, text, sizeof text))
    scoreboard_report(b->scoreboard, "cycle %" PRIu64 ": %s", e->cycle, text);
  if (e->kind == DRIVE_DECIDE && e->port < b->config->ports) note_decision(b, e);
  if (b->options.history != NULL) history_state(b->options.history, &event, e->cycle);
}

static void on_result(void *user, const struct drive_result_event *e) {
  struct bench *b = user;
  b->moved = e->cycle;
  if (e->dropped) {
    scoreboard_dropped(b->scoreboard, e->port, e->number);
    return;
  }
  scoreboard_result(b->scoreboard, e->port, e->psn);
  note_result(b, e);
}

/// Of whichever ring's region the slot is.
static void on_lost(void *user, unsigned slot) {
  struct bench *b = user;
  for (unsigned r = 0; r < b->options.ring_count; r++) {
    const struct drive_ring *ring = &b->options.rings[r];
    const unsigned at = slot - ring->base;
    if (slot < ring->base || at >= 2 * ring->window * ring->stride) continue;
    // Messages N apart lie side by side.
    const unsigned message = at / 2 / ring->stride + at % 2 * ring->window, offset = at / 2 % ring->stride;
    model_lose(scoreboard_model(b->scoreboard), r, message, offset);
    refinement_lose(b->refinement, r, message, offset);
  }
}

static void on_flush(void *user, const struct drive_flush_event *e) {
  struct bench *b = user;
  struct model *m = scoreboard_model(b->scoreboard);
  if (e->closed) {
    bench_ring_closes(b);
    model_close(m, e->ring, e->release);
    return;
  }
  model_open(m, e->ring);
  refinement_flush(b->refinement, e->ring);
  if (b->resetting || (b->ending == e->ring && !b->draining)) model_disable_ring(m, e->ring, false);
}

static void on_aged(void *user, unsigned ring, unsigned rank) {
  struct bench *b = user;
  b->aged++;
  scoreboard_aged(b->scoreboard, ring, rank);
}

static void on_unsent(void *user, unsigned port, bool result) {
  struct bench *b = user;
  b->moved = bench_cycle(b);
  scoreboard_unsent(b->scoreboard, port, result);
}

static void on_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  struct bench *b = user;
  b->moved = last_cycle;
  const uint32_t bit = 1u << port, cut = (b->down | b->cut) & bit;
  if (!(b->down & bit)) b->cut &= ~bit;
  // A receiver throws it away.
  if (drive_marked(b->drive)) {
    if (cut && b->config->ecc == 0) return;   // told as lost
    scoreboard_marked(b->scoreboard, port, frame, len);
    return;
  }
  scoreboard_out(b->scoreboard, port, frame, len);
  if (!b->options.unwatched) witness_out(b->witness, port, frame, len);
  if (b->options.history != NULL) history_out(b->options.history, port, len, first_cycle, last_cycle);
  if (b->options.out) b->options.out(b->options.user, port, frame, len, first_cycle, last_cycle);
}

static void on_in(void *user, unsigned port, uint64_t tag, uint64_t first_cycle, uint64_t last_cycle) {
  struct bench *b = user;
  struct sent *sent = &b->ports[port].sent[tag - b->ports[port].gone];
  b->moved = last_cycle;
  sent->last_cycle = last_cycle;
  if (b->options.history != NULL) history_in(b->options.history, port, sent->len, first_cycle, last_cycle);
}

static void on_waiting(void *user) {
  const struct bench *b = user;
  if (b->options.waiting) b->options.waiting(b->options.user);
}

static void on_failure(void *user, uint64_t cycle, const char *where) {
  struct bench *b = user;
  b->failed = true;
  scoreboard_report(b->scoreboard, "cycle %" PRIu64 ": assertion of the device failed: %s", cycle, where);
}

struct drive_calls bench_calls(struct bench *b) {
  return (struct drive_calls){.user = b,
                              .state = on_state,
                              .result = on_result,
                              .flush = on_flush,
                              .lost = on_lost,
                              .out = on_out,
                              .unsent = on_unsent,
                              .aged = on_aged,
                              .in = on_in,
                              .waiting = on_waiting,
                              .failed = on_failure};
}
