#include "sim/engine/tree/node_rtl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/tree_twin.h"

enum {
  FRAME = 4400,
  HELD =
      2,   // frames that a MAC keeps for its cable: an ACK packet and the data behind it follow the one under way without a gap
  STILL = 1000,    // cycles without a beat or a decision: nothing moves in the device that does not wait for a frame or for time
  ATTEMPTS = 100   // times that it may be still for as long as anything waits, before that is a fault
};

/// Frames in front of a port.
struct node_frame {
  struct node_frame *next;
  bool bad;
  size_t len;
  uint8_t data[];
};

struct node_port {
  struct node_frame *head, **tail;
  unsigned held;   // frames that have left the device and wait for the cable
  size_t len[HELD];
  uint8_t frame[HELD][FRAME];
};

struct node_rtl {
  struct tree_node_config config;   // tables are the caller's until it is set up, then only counts are looked at
  uint64_t neighbours;
  struct node_rtl_cables cables;
  struct node_drive *drive;
  struct tree_bus bus;
  struct tree_twin *twin;
  struct node_port *ports;
  uint64_t still_at;   // cycle in which it was last looked whether it rests
  // Ports whose low-latency connection it has said to be lost. One of the streaming tree is closed then, and has no fault any more.
  uint64_t lost;
  uint64_t most_still;   // cycles
  uint64_t broken;       // frames
  char fault[200];
};

__attribute__((format(printf, 2, 3))) static void wrong(struct node_rtl *r, const char *format, ...) {
  va_list args;
  if (r->fault[0] != '\0') return;
  const int at = snprintf(r->fault, sizeof r->fault, "node %u: ", r->config.id);
  va_start(args, format);
  vsnprintf(r->fault + at, sizeof r->fault - (size_t)at, format, args);
  va_end(args);
}

// --- what the device says ---

static void left(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct node_rtl *r = user;
  struct node_port *p = &r->ports[port];
  tree_twin_out(r->twin, port, frame, len);
  if (len > FRAME || p->held == HELD) {
    wrong(r, "port %u: a frame of %zu bytes behind %u others", port, len, p->held);
    return;
  }
  memcpy(p->frame[p->held], frame, len);
  p->len[p->held++] = len;
}

/// Nobody takes it; where the model sent it a message is missing, which must be the end of a connection.
static void broken(void *user, unsigned port) {
  struct node_rtl *r = user;
  r->broken++;
  (void)port;
}

static void observed(void *user, const struct node_observed *e) {
  struct node_rtl *r = user;
  node_observed_tell(r->twin, e);
  if (e->what == NODE_ENDED && e->ending.low && e->ending.verdict == TREE_LOST && e->ending.port > 0)
    r->lost |= UINT64_C(1) << (e->ending.port - 1);
}

static void failed(void *user, uint64_t cycle, const char *where) {
  wrong(user, "an assertion failed in cycle %" PRIu64 ": %s", cycle, where);
}

// --- making it ---

struct node_rtl *node_rtl_new(const struct node_config *built, const struct tree_node_config *config, uint64_t seed,
                              const struct node_rtl_cables *cables, char *error, size_t size) {
  struct node_rtl *r = calloc(1, sizeof *r);
  snprintf(error, size, "out of memory");
  if (r == NULL) return NULL;
  r->config = *config;
  r->neighbours = config->trees[0].neighbours;
  r->cables = *cables;
  r->ports = calloc(config->ports, sizeof *r->ports);
  r->twin = tree_twin_new(config);
  const struct node_drive_calls calls = {.user = r, .out = left, .broken = broken, .observed = observed, .failed = failed};
  if (r->ports != NULL && r->twin != NULL) {
    r->drive = node_drive_open(built, seed, NULL, &calls);
    snprintf(error, size, "device %s cannot be opened", built->name);
  }
  if (r->drive == NULL) {
    node_rtl_free(r);
    return NULL;
  }
  r->bus = node_drive_bus(r->drive);
  const enum tree_error refused = tree_control_set_up(&r->bus, config);
  r->most_still = ATTEMPTS * STILL + (config->patience_ps + config->patience_up_ps) / NODE_DRIVE_CYCLE_PS;
  if (refused == TREE_ERROR_NONE) return r;
  snprintf(error, size, "node %u: device %s refuses to be set up: %s", config->id, built->name, tree_error_text(refused));
  node_rtl_free(r);
  return NULL;
}

static void take(struct node_port *p) {
  struct node_frame *w = p->head;
  p->head = w->next;
  free(w);
}

void node_rtl_free(struct node_rtl *r) {
  if (r == NULL) return;
  for (unsigned p = 0; r->ports != NULL && p < r->config.ports; p++)
    while (r->ports[p].head != NULL) take(&r->ports[p]);
  node_drive_close(r->drive);
  tree_twin_free(r->twin);
  free(r->ports);
  free(r);
}

// --- time ---

void node_rtl_receive(struct node_rtl *r, unsigned port, const uint8_t *frame, size_t len, bool bad) {
  struct node_port *p = &r->ports[port];
  struct node_frame *w = need(malloc(sizeof *w + len));
  *w = (struct node_frame){.bad = bad, .len = len};
  memcpy(w->data, frame, len);
  if (p->head == NULL) p->tail = &p->head;
  *p->tail = w;
  p->tail = &w->next;
}

/// Nothing is on its way to anybody, or waits for time to pass.
static bool rests(struct node_rtl *r) {
  r->still_at = node_drive_cycles(r->drive);
  if (!tree_twin_rests(r->twin)) return false;
  for (unsigned i = 0; i < 2 * r->config.ports; i++) {
    if ((r->neighbours >> i / 2 & 1) == 0) continue;
    const struct tree_control_end end = tree_control_end(&r->bus, i / 2, i % 2 == 1);
    // Connections of a streaming tree that was torn down say nothing more; those of the other one still tell of it.
    const bool closed = i % 2 == 1 && tree_node_down(tree_twin_node(r->twin), 1);
    if (!end.idle && end.fault == RC_GOOD && !closed) return false;
  }
  return true;
}

bool node_rtl_step(struct node_rtl *r) {
  uint64_t ready = 0;
  bool waits = false;
  for (unsigned i = 0; i < r->config.ports; i++) {
    struct node_port *p = &r->ports[i];
    if (p->held > 0 && r->cables.idle(r->cables.user, i)) {
      r->cables.send(r->cables.user, i, p->frame[0], p->len[0]);
      p->len[0] = p->len[1];
      memcpy(p->frame[0], p->frame[1], --p->held > 0 ? p->len[1] : 0);
    }
    if (p->held < HELD) ready |= UINT64_C(1) << i;
    if (p->head != NULL && !node_drive_offered(r->drive, i)) {
      tree_twin_in(r->twin, i, p->head->data, p->head->len, p->head->bad);
      node_drive_offer(r->drive, i, p->head->data, p->head->len, p->head->bad);
      take(p);
    }
    waits |= p->held > 0 || p->head != NULL || node_drive_offered(r->drive, i);
  }
  node_drive_tick(r->drive, ready);
  if (r->fault[0] != '\0') return false;
  const uint64_t still = node_drive_still(r->drive);
  if (waits || still < STILL || node_drive_cycles(r->drive) - r->still_at < STILL) return true;
  if (rests(r)) return false;
  if (still > r->most_still) wrong(r, "it does not come to rest");
  return still <= r->most_still;
}

void node_rtl_flip(struct node_rtl *r, uint64_t seed, unsigned per_1000, bool lost) {
  node_drive_flip(r->drive, seed, per_1000, lost ? 2 : 1);
}

bool node_rtl_change_group(struct node_rtl *r, unsigned index, const struct group_of_node *group) {
  tree_twin_change_group(r->twin, index, group);
  const enum tree_error error = tree_control_change_group(&r->bus, index, group);
  if (error != TREE_ERROR_NONE && error != TREE_ERROR_BUSY) wrong(r, "a group is refused: %s", tree_error_text(error));
  return error == TREE_ERROR_NONE;
}

bool node_rtl_may_reopen(struct node_rtl *r) {
  const struct tree_control_state state = tree_control_state(&r->bus);
  bool idle = state.streaming_down && !state.low_down;
  for (unsigned p = 0; p < r->config.ports && idle; p++)
    if ((r->neighbours >> p & 1) != 0) idle = tree_control_end(&r->bus, p, false).idle;
  return idle;
}

bool node_rtl_reopen(struct node_rtl *r, const struct rc_end_config *ends) {
  enum tree_error error = TREE_ERROR_NONE;
  for (unsigned p = 0; p < r->config.ports && error == TREE_ERROR_NONE; p++)
    if ((r->neighbours >> p & 1) != 0) error = tree_control_store_end(&r->bus, p, true, &ends[p]);
  tree_twin_reopen(r->twin, ends);
  if (error == TREE_ERROR_NONE) error = tree_control_open_streaming(&r->bus);
  if (error != TREE_ERROR_NONE && error != TREE_ERROR_BUSY)
    wrong(r, "the streaming tree is not opened again: %s", tree_error_text(error));
  return error == TREE_ERROR_NONE;
}

// --- looking at it ---

static uint32_t pair_count(const struct node_rtl *r, enum tree_pair_counter which) {
  return tree_control_counter(&r->bus, TREE_OF_TREES, 0, which);
}

/// Registers beside the model: what was done, and who holds what.
static void check_model(struct node_rtl *r, const struct node_rtl_state *s) {
  const struct tree_node *node = tree_twin_node(r->twin);
  const struct tree_node_counts m = tree_node_counts(node);
  const struct tree_locks *l = tree_node_locks(node);
  const struct tree_control_state state = tree_control_state(&r->bus);
  if (state.low_down != tree_node_down(node, 0) || state.streaming_down != tree_node_down(node, 1))
    wrong(r, "registers and model disagree on which tree is torn down");
  if (s->counts.operations[0] != m.operations[0] || s->counts.operations[1] != m.operations[1] || s->counts.failed != m.failed)
    wrong(r,
          "%" PRIu64 " + %" PRIu64 " operations are counted, %" PRIu64 " failed; of the model %" PRIu64 " + %" PRIu64
          ", %" PRIu64,
          s->counts.operations[0], s->counts.operations[1], s->counts.failed, m.operations[0], m.operations[1], m.failed);
  if (s->counts.locks != m.locks || s->counts.lock_failures != m.lock_failures)
    wrong(r, "%" PRIu64 " locks are counted, %" PRIu64 " failures; of the model %" PRIu64 ", %" PRIu64, s->counts.locks,
          s->counts.lock_failures, m.locks, m.lock_failures);
  if (s->counts.casts_taken != m.casts_taken)
    wrong(r, "%" PRIu64 " answers are counted that multicasts brought; of the model %" PRIu64, s->counts.casts_taken,
          m.casts_taken);
  if (!state.low_down && r->lost == 0 && s->counts.casts != m.casts)
    wrong(r, "%" PRIu64 " multicasts are counted; of the model %" PRIu64, s->counts.casts, m.casts);
  // A streaming tree that ends may have packets in it that are counted by one of both alone.
  if (m.teardowns == 0 && s->counts.columns != m.columns)
    wrong(r, "%" PRIu64 " packets are counted that were added; of the model %" PRIu64, s->counts.columns, m.columns);
  for (unsigned i = 0; i < TREE_CONTROL_CELLS; i++) {
    const struct tree_lock *c = &s->cells[i], *of = &l->lock[i];
    if (c->used != of->used || (c->used && (c->group != of->group || c->left != of->left || c->kept != of->kept)))
      wrong(r, "lock cell %u is not as the model has it", i);
  }
}

void node_rtl_finish(struct node_rtl *r, struct node_rtl_state *s) {
  const struct tree_twin_counts twin = tree_twin_counts(r->twin);
  uint64_t bad = 0;
  *s = (struct node_rtl_state){.quiet = rests(r), .naks = twin.naks, .rnrs = twin.rnrs, .compared = twin.compared};
  for (unsigned i = 0; i < 2 * r->config.ports; i++)
    if ((r->neighbours >> i / 2 & 1) != 0 && tree_control_end(&r->bus, i / 2, i % 2 == 1).fault != RC_GOOD)
      bad |= UINT64_C(1) << i;
  tree_twin_finish(r->twin, bad);
  for (unsigned p = 0; p < r->config.ports; p++)
    if ((r->lost >> p & 1) != 0 && (bad >> 2 * p & 1) == 0)
      wrong(r, "port %u is said to be lost, whose connection has not failed", p);
  for (unsigned p = 0; p < r->config.ports; p++) {
    s->counts.damaged += tree_control_counter(&r->bus, TREE_OF_PORT, p, TREE_PORT_BAD_ICRC);
    s->counts.strays += tree_control_counter(&r->bus, TREE_OF_PORT, p, TREE_PORT_STRAY);
    s->counts.casts += tree_control_counter(&r->bus, TREE_OF_PORT, p, TREE_PORT_CASTS);
    if (!tree_control_adds_up(&r->bus, p)) wrong(r, "counters of port %u do not add up", p);
  }
  s->counts.refused = pair_count(r, TREE_PAIR_LOW_REFUSED) + pair_count(r, TREE_PAIR_STREAM_REFUSED);
  s->counts.operations[0] = pair_count(r, TREE_PAIR_LOW_DONE);
  s->counts.operations[1] = pair_count(r, TREE_PAIR_STREAM_DONE);
  s->counts.failed = pair_count(r, TREE_PAIR_LOW_FAILED);
  s->counts.columns = pair_count(r, TREE_PAIR_STREAM_PACKETS);
  s->counts.casts_taken = pair_count(r, TREE_PAIR_CASTS_TAKEN);
  s->counts.teardowns = pair_count(r, TREE_PAIR_TEARDOWNS);
  s->counts.locks = pair_count(r, TREE_PAIR_LOCKED);
  s->counts.lock_failures = pair_count(r, TREE_PAIR_LOCK_FAILED);
  s->flipped = node_drive_flipped(r->drive);
  s->corrected = pair_count(r, TREE_PAIR_CORRECTED);
  s->lost = pair_count(r, TREE_PAIR_LOST);
  if (r->broken > 0 && s->lost == 0)
    wrong(r, "%" PRIu64 " frames were broken off, though no memory has lost anything", r->broken);
  for (unsigned i = 0; i < TREE_CONTROL_CELLS; i++) s->cells[i] = tree_control_cell(&r->bus, i);
  check_model(r, s);
  // Those that were counted down are the model's.
  s->counts.unlocks = tree_node_counts(tree_twin_node(r->twin)).unlocks;
}

struct node_rtl_end node_rtl_end(struct node_rtl *r, unsigned port, bool streaming) {
  const enum tree_scope scope = streaming ? TREE_OF_STREAMING : TREE_OF_LOW;
  return (struct node_rtl_end){.sent = tree_control_counter(&r->bus, scope, port, TREE_CONN_SENT),
                               .repeats = tree_control_counter(&r->bus, scope, port, TREE_CONN_REPEATED),
                               .limited = tree_control_counter(&r->bus, scope, port, TREE_CONN_LIMITED),
                               .timeouts = tree_control_counter(&r->bus, scope, port, TREE_CONN_TIMEOUTS),
                               .duplicates = tree_control_counter(&r->bus, scope, port, TREE_CONN_DUPLICATE)};
}

const char *node_rtl_fault(const struct node_rtl *r) { return r->fault[0] != '\0' ? r->fault : tree_twin_fault(r->twin); }

uint64_t node_rtl_cycles(const struct node_rtl *r) { return node_drive_cycles(r->drive); }
