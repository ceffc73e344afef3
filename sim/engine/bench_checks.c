// What is checked while a device runs: frames that went in and what it said, by scoreboard, refinement, witness and history; and whose column took how
// long. By the thread that clocks the device, or by one of their own in the same order (bench_aside).
#include <inttypes.h>
#include <string.h>

#include "sim/engine/bench_state.h"
#include "sim/engine/follow/told.h"

#include "base/memory.h"

/// Frames of a port that are over and still kept, at most.
#define KEPT 4096

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

// ------------------------------------------------------------------------------------------------ checks

/// Frames that are in and decided.
static void forget_sent(struct bench *b, unsigned port) {
  struct port *p = &b->ports[port];
  size_t over = p->count - drive_pending(b->drive, port);
  if (over > p->next) over = p->next;
  if (over < KEPT) return;
  memmove(p->sent, p->sent + over, (p->count - over) * sizeof *p->sent);
  p->count -= over;
  p->next -= over;
  p->gone += over;
}

static void sent(struct bench *b, unsigned group, unsigned port, const uint8_t *frame, size_t len, bool error) {
  struct port *to = &b->ports[port];
  struct roce_packet p;
  const enum fate fate = scoreboard_in(b->scoreboard, port, frame, len, error, &p);
  struct sent sent = {.candidate = fate == FATE_PASSED && p.class == ROCE_CANDIDATE,
                      .group = (uint8_t)group,
                      .len = (uint32_t)len};
  if (sent.candidate)
    sent.psn = p.psn;
  else
    b->fates[group][fate]++;
  if (!b->options.unwatched) witness_in(b->witness, port, frame, len, error);
  if (b->options.lasting) forget_sent(b, port);
  to->sent = need_room(to->sent, &to->size, to->count + 1, sizeof *to->sent);
  to->sent[to->count++] = sent;
}

static void state(struct bench *b, const struct drive_state_event *e) {
  const struct scoreboard_event event = told_event(e);
  scoreboard_state(b->scoreboard, &event);
  char text[300];
  if (!refinement_event(b->refinement, &event, text, sizeof text))
    scoreboard_report(b->scoreboard, "cycle %" PRIu64 ": %s", e->cycle, text);
  if (e->kind == DRIVE_DECIDE && e->port < b->config->ports) note_decision(b, e);
  if (b->options.history != NULL) history_state(b->options.history, &event, e->cycle);
}

static void result(struct bench *b, const struct drive_result_event *e) {
  if (e->dropped) {
    scoreboard_dropped(b->scoreboard, e->port, e->number);
    return;
  }
  scoreboard_result(b->scoreboard, e->port, e->psn);
  note_result(b, e);
}

static void out(struct bench *b, unsigned port, const uint8_t *frame, size_t len, uint64_t first, uint64_t last, bool marked) {
  if (marked) {
    scoreboard_marked(b->scoreboard, port, frame, len);
    return;
  }
  scoreboard_out(b->scoreboard, port, frame, len);
  if (!b->options.unwatched) witness_out(b->witness, port, frame, len);
  if (b->options.history != NULL) history_out(b->options.history, port, len, first, last);
}

static void in(struct bench *b, unsigned port, uint64_t tag, uint64_t first, uint64_t last) {
  struct sent *sent = &b->ports[port].sent[tag - b->ports[port].gone];
  sent->last_cycle = last;
  if (b->options.history != NULL) history_in(b->options.history, port, sent->len, first, last);
}

// ------------------------------------------------------------------------------------------------ who does them

/// What a thread of their own is told. Of SENT the frame stays where it is; that of OUT stands behind this.
struct told {
  enum { SENT, STATE, RESULT, OUT, IN } kind;
  unsigned port, group;
  bool flag;   // error, or marked
  union {
    struct drive_state_event state;
    struct drive_result_event result;
    struct {
      const uint8_t *frame;
      size_t len;
      uint64_t tag, first, last;
    };
  };
};

static void check(void *user, const void *piece) {
  struct bench *b = user;
  const struct told *t = piece;
  switch (t->kind) {
    case SENT: sent(b, t->group, t->port, t->frame, t->len, t->flag); break;
    case STATE: state(b, &t->state); break;
    case RESULT: result(b, &t->result); break;
    case OUT: out(b, t->port, (const uint8_t *)(t + 1), t->len, t->first, t->last, t->flag); break;
    case IN: in(b, t->port, t->tag, t->first, t->last); break;
  }
}

static bool is_aside(const struct bench *b) { return b->aside != NULL && !b->waiting_here; }

static void tell(struct bench *b, const struct told *t, const uint8_t *frame, size_t len) {
  struct told *piece = aside_put(b->aside, sizeof *piece + len);
  *piece = *t;
  if (len > 0) memcpy(piece + 1, frame, len);
}

void bench_check_sent(struct bench *b, unsigned group, unsigned port, const uint8_t *frame, size_t len, bool error) {
  if (is_aside(b))
    tell(b, &(struct told){.kind = SENT, .port = port, .group = group, .flag = error, .frame = frame, .len = len}, NULL, 0);
  else
    sent(b, group, port, frame, len, error);
}

void bench_check_state(struct bench *b, const struct drive_state_event *e) {
  if (is_aside(b))
    tell(b, &(struct told){.kind = STATE, .state = *e}, NULL, 0);
  else
    state(b, e);
}

void bench_check_result(struct bench *b, const struct drive_result_event *e) {
  if (is_aside(b))
    tell(b, &(struct told){.kind = RESULT, .result = *e}, NULL, 0);
  else
    result(b, e);
}

void bench_check_out(struct bench *b, unsigned port, const uint8_t *frame, size_t len, uint64_t first, uint64_t last,
                     bool marked) {
  if (is_aside(b))
    tell(b, &(struct told){.kind = OUT, .port = port, .flag = marked, .len = len, .first = first, .last = last}, frame, len);
  else
    out(b, port, frame, len, first, last, marked);
}

void bench_check_in(struct bench *b, unsigned port, uint64_t tag, uint64_t first, uint64_t last) {
  if (is_aside(b))
    tell(b, &(struct told){.kind = IN, .port = port, .tag = tag, .first = first, .last = last}, NULL, 0);
  else
    in(b, port, tag, first, last);
}

void bench_checked(const struct bench *b) {
  if (is_aside(b)) aside_wait(b->aside);
}

void bench_aside(struct bench *b) {
  if (b->aside != NULL || b->options.lasting || !aside_worth()) return;
  b->aside = aside_start(check, b);
}

void bench_together(struct bench *b) {
  if (b->aside == NULL) return;
  aside_end(b->aside);
  b->aside = NULL;
}
