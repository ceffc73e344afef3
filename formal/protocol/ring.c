#include "formal/protocol/ring.h"

#include "formal/protocol/device.h"

static uint32_t label(enum ring_event kind, unsigned rank, unsigned packet, enum outcome outcome) {
  return (uint32_t)kind << 24 | (uint32_t)rank << 16 | (uint32_t)packet << 8 | (uint32_t)outcome;
}

/// All zeros: nothing sent, nothing in flight, every slot of the epoch of the first messages and never used.
static void initial(const void *config, void *state) { (void)config, (void)state; }

static bool complete(const void *config, const void *state) {
  const struct rules *rules = config;
  const struct ring_state *s = state;
  for (unsigned r = 0; r < rules->hosts; r++) {
    if (s->rcv[r] != rules->messages * rules->msglen) return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------------------ hosts

/// Rank r may send message m when it holds every result up to m - N (NetReduce 3.2).
static bool may_send(const struct rules *rules, const struct ring_state *s, unsigned r) {
  const unsigned results = s->rcv[(r + rules->hosts - 1) % rules->hosts] / rules->msglen;
  return s->nxt[r] < rules->messages * rules->msglen && s->nxt[r] / rules->msglen < results + rules->host_window;
}

static bool nothing_in_flight(const struct rules *rules, const struct ring_state *s) {
  for (unsigned r = 0; r < rules->hosts; r++) {
    if (s->up[r][0] != 0 || s->down[r][0] != 0) return false;
  }
  for (unsigned c = 0; c < 2 * rules->window * rules->msglen; c++) {
    if (s->column[c].due != 0) return false;
  }
  return true;
}

static bool may_go_back(const struct rules *rules, const struct ring_state *s, unsigned r) {
  if (s->nxt[r] == s->una[r]) return false;
  if (rules->timeout == TIMEOUT_IDLE && s->una[r] != s->rcv[r]) return false;
  return rules->timeout == TIMEOUT_ANY || nothing_in_flight(rules, s);
}

static void host_steps(const struct rules *rules, const struct ring_state *s, unsigned r, struct steps *out) {
  struct ring_state next = *s;
  if (may_send(rules, s, r) && fifo_push(next.up[r], rules->fifo, s->nxt[r])) {
    next.nxt[r]++;
    step(out, &next, label(SENDS, r, s->nxt[r], 0), false);
  }
  if (may_go_back(rules, s, r)) {
    next = *s;
    next.nxt[r] = s->una[r];
    step(out, &next, label(GOES_BACK, r, s->una[r], 0), false);
  }
  for (unsigned known = s->una[r] + 1u; known <= s->rcv[r]; known++) {
    next = *s;
    next.una[r] = (uint8_t)known;
    if (next.nxt[r] < known) next.nxt[r] = (uint8_t)known;
    step(out, &next, label(LEARNS, r, known - 1, 0), false);
  }
}

// ------------------------------------------------------------------------------------------------------------- hops

static void fifo_remove(uint8_t *fifo, unsigned at) {
  for (unsigned i = at; i + 1 < FIFO_MOST; i++) fifo[i] = fifo[i + 1];
  fifo[FIFO_MOST - 1] = 0;
}

/// The device takes the packet at place `at` of rank r's FIFO, which keeps a copy if `copy`.
static void take(const struct rules *rules, const struct ring_state *s, unsigned r, unsigned at, bool copy, bool coming,
                 struct steps *out) {
  struct ring_state next = *s;
  const unsigned p = s->up[r][at] - 1u;
  bool wrong = false;
  const enum outcome outcome = device_packet(rules, &next, r, p, coming, &wrong);
  if (outcome == OUTCOME_WAITS) return;
  if (!copy) fifo_remove(next.up[r], at);
  step(out, &next, label(DEVICE_TAKES, r, p, outcome), wrong);
}

/// An RC responder takes the packet it waits for, and no other.
static void receive(const struct ring_state *s, unsigned r, unsigned at, bool copy, struct steps *out) {
  struct ring_state next = *s;
  const unsigned p = s->down[r][at] - 1u;
  if (p == s->rcv[r]) next.rcv[r]++;
  if (!copy) fifo_remove(next.down[r], at);
  step(out, &next, label(RECEIVES, r, p, p == s->rcv[r] ? OUTCOME_STORED : OUTCOME_DUPLICATE), false);
}

static void lose(const uint8_t *fifo, const struct ring_state *s, enum ring_event kind, unsigned r, unsigned at,
                 struct steps *out) {
  struct ring_state next = *s;
  const unsigned p = fifo[at] - 1u;
  fifo_remove(kind == UP_LOST ? next.up[r] : next.down[r], at);
  step(out, &next, label(kind, r, p, 0), false);
}

static void hop_steps(const struct rules *rules, const struct ring_state *s, unsigned r, struct steps *out) {
  const unsigned places = rules->reorder ? rules->fifo : 1;
  for (unsigned at = 0; at < places; at++) {
    for (unsigned copy = 0; copy <= rules->duplicate; copy++) {
      for (unsigned coming = 0; s->up[r][at] != 0 && coming <= (rules->place == PLACE_SHARED); coming++)
        take(rules, s, r, at, copy, coming, out);
      if (s->down[r][at] != 0) receive(s, r, at, copy, out);
    }
    if (!rules->loss) continue;
    if (s->up[r][at] != 0) lose(s->up[r], s, UP_LOST, r, at, out);
    if (s->down[r][at] != 0) lose(s->down[r], s, DOWN_LOST, r, at, out);
  }
}

static void emit_steps(const struct rules *rules, const struct ring_state *s, struct steps *out) {
  for (unsigned c = 0; c < 2 * rules->window * rules->msglen; c++) {
    for (unsigned r = 0; r < rules->hosts; r++) {
      if ((s->column[c].due >> r & 1) == 0) continue;
      struct ring_state next = *s;
      bool wrong = false;
      const unsigned p = (s->column[c].held[r] - 1u) * rules->msglen + c % rules->msglen;
      if (device_emit(rules, &next, c, r, &wrong)) step(out, &next, label(DEVICE_EMITS, r, p, 0), wrong);
    }
  }
}

static void successors(const void *config, const void *state, struct steps *out) {
  const struct rules *rules = config;
  const struct ring_state *s = state;
  for (unsigned r = 0; r < rules->hosts; r++) {
    host_steps(rules, s, r, out);
    hop_steps(rules, s, r, out);
  }
  emit_steps(rules, s, out);
}

// ------------------------------------------------------------------------------------------------------------ model

struct rule_model ring_model(const struct rules *rules) {
  struct rule_model m = {.config = rules, .initial = initial, .complete = complete, .successors = successors};
  const unsigned packets = rules->messages * rules->msglen;
#define FIELD(most, ...) layout_add(&m.layout, offsetof(struct ring_state, __VA_ARGS__), most)
  for (unsigned r = 0; r < rules->hosts; r++) {
    FIELD(packets, una[r]);
    FIELD(packets, nxt[r]);
    FIELD(packets, rcv[r]);
    for (unsigned i = 0; i < rules->fifo; i++) FIELD(packets, up[r][i]);
    for (unsigned i = 0; i < rules->fifo; i++) FIELD(packets, down[r][i]);
    const unsigned entries = rules->clt == CLT_IDEAL                              ? 0
                             : rules->clt == CLT_SINGLE || rules->clt == CLT_BASE ? 1
                                                                                  : 2 * rules->window;
    for (unsigned i = 0; i < entries; i++) FIELD(rules->messages, history[r][i]);
  }
  for (unsigned c = 0; c < 2 * rules->window * rules->msglen; c++) {
    FIELD(rules->tag == TAG_FULL ? rules->messages + rules->window : rules->tag == TAG_EPOCH, column[c].tag);
    for (unsigned r = 0; r < rules->hosts; r++) FIELD(rules->messages, column[c].held[r]);
    FIELD(rules->emit == EMIT_ONE_BY_ONE ? (1u << rules->hosts) - 1 : 0, column[c].due);
    FIELD(rules->place != PLACE_OWN, column[c].summed);
    FIELD(rules->place == PLACE_SHARED, column[c].away);
  }
#undef FIELD
  return m;
}

void ring_words(const struct rules *rules, uint32_t label, char *text, size_t size) {
  static const char *const outcomes[] = {
      [OUTCOME_WAITS] = "waits",
      [OUTCOME_UNKNOWN_MESSAGE] = "drops it, its connection table knows no such message",
      [OUTCOME_STALE] = "drops it as stale",
      [OUTCOME_VIOLATION] = "drops it as a window violation",
      [OUTCOME_STORED] = "stores it",
      [OUTCOME_DUPLICATE] = "has it already",
      [OUTCOME_COMPLETES] = "stores it, the column is full",
      [OUTCOME_REPEATS] = "has it already and repeats the result",
  };
  const unsigned r = label >> 16 & 255, p = label >> 8 & 255, m = p / rules->msglen, j = p % rules->msglen;
  const unsigned to = (r + 1) % rules->hosts;
  switch (label >> 24) {
    case SENDS: snprintf(text, size, "r%u sends m%u.%u", r, m, j); return;
    case GOES_BACK: snprintf(text, size, "r%u times out and goes back to m%u.%u", r, m, j); return;
    case LEARNS: snprintf(text, size, "ACK: r%u learns that r%u has m%u.%u", r, to, m, j); return;
    case DEVICE_TAKES: snprintf(text, size, "the device gets m%u.%u of r%u and %s", m, j, r, outcomes[label & 255]); return;
    case DEVICE_EMITS: snprintf(text, size, "result m%u.%u leaves for r%u", m, j, to); return;
    case UP_LOST: snprintf(text, size, "m%u.%u of r%u is lost", m, j, r); return;
    case DOWN_LOST: snprintf(text, size, "result m%u.%u to r%u is lost", m, j, to); return;
    default: snprintf(text, size, "r%u %s result m%u.%u", to, (label & 255) == OUTCOME_STORED ? "receives" : "discards", m, j);
  }
}
