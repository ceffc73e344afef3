#include "model/tree/tree_twin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/heard.h"
#include "model/tree/tree_state.h"
#include "wire/roce.h"

enum { FRAME = 4400, ROOM = 4096, BTH_BYTES = 12 };

/// A connection, heard from both sides.
struct twin_side {
  struct rc_end *ear;           ///< as the device's end: takes what goes in
  struct rc_end *mouth;         ///< as the neighbour's: takes what leaves
  struct rc_end *peer;          ///< the neighbour of the model's node, over a cable that takes no time
  struct heard_list in;         ///< came in, and was not given to the model
  struct heard_list due, out;   ///< the model sent; the device sent
  struct heard_part parts[3];   ///< low latency: of `in`, `due`, `out`
  bool holds;                   ///< streaming: the last packet of the message under way ends the operation
  bool releases;                ///< and may be given
};

struct tree_twin {
  struct tree_node *node;
  unsigned ports, mtu;
  struct twin_side sides[2][TREE_MAX_PORTS];   ///< low latency, streaming
  bool waits;                                  ///< for what the lock cells say to a message of `waits_port`
  unsigned waits_port;
  uint64_t counted;
  struct tree_twin_counts counts;
  char fault[200];
};

__attribute__((format(printf, 2, 3))) static void wrong(struct tree_twin *t, const char *format, ...) {
  va_list args;
  if (t->fault[0] != '\0') return;
  const int at = snprintf(t->fault, sizeof t->fault, "node %u: ", t->node->config.id);
  va_start(args, format);
  vsnprintf(t->fault + at, sizeof t->fault - (size_t)at, format, args);
  va_end(args);
}

// --- making it ---

/// With room for whatever a device can have under way, and nothing that waits.
static struct rc_end_config roomy(const struct rc_end_config *end, bool peer) {
  struct rc_end_config c = *end;
  c.request = (struct rc_request_config){
      .room = ROOM, .ack_every = 1, .timeout_ps = UINT64_MAX / 2, .retries = 7, .rnr_retries = RC_ENDLESS};
  c.respond = (struct rc_respond_config){.room = ROOM, .coalesce = 1, .rnr_timer = 1};
  if (!peer) return c;
  memcpy(c.local_mac, end->peer_mac, sizeof c.local_mac);
  memcpy(c.peer_mac, end->local_mac, sizeof c.peer_mac);
  c.in = end->out;
  c.out = end->in;
  c.psn_in = end->psn_out;
  c.psn_out = end->psn_in;
  return c;
}

static bool open_side(struct twin_side *s, const struct rc_end_config *own) {
  const struct rc_end_config peer = roomy(own, true);
  s->ear = rc_end_new(own);
  s->mouth = rc_end_new(&peer);
  s->peer = rc_end_new(&peer);
  return s->ear != NULL && s->mouth != NULL && s->peer != NULL;
}

static bool open_node(struct tree_twin *t, const struct tree_node_config *config) {
  struct tree_node_config c = *config;
  struct rc_end_config *ends = need(calloc(2 * TREE_MAX_PORTS, sizeof *ends));
  struct tree_of_node trees[2];
  bool good = true;
  for (unsigned i = 0; i < 2; i++) {
    trees[i] = config->trees[i];
    trees[i].ends = ends + (size_t)i * TREE_MAX_PORTS;
    for (unsigned p = 0; p < config->ports && good; p++) {
      if ((trees[i].neighbours >> p & 1) == 0) continue;
      t->mtu = config->trees[i].ends[p].mtu;
      ends[i * TREE_MAX_PORTS + p] = roomy(&config->trees[i].ends[p], false);
      good = open_side(&t->sides[i][p], &ends[i * TREE_MAX_PORTS + p]);
    }
  }
  c.trees = trees;
  c.tree_count = 2;
  // The device says when patience has ended.
  c.patience_ps = c.patience_up_ps = UINT64_MAX / 4;
  if (good) t->node = tree_node_new(&c);
  free(ends);
  return t->node != NULL;
}

struct tree_twin *tree_twin_new(const struct tree_node_config *config) {
  struct tree_twin *t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->ports = config->ports;
  if (open_node(t, config)) return t;
  tree_twin_free(t);
  return NULL;
}

void tree_twin_free(struct tree_twin *t) {
  if (t == NULL) return;
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports; p++) {
      struct twin_side *s = &t->sides[i][p];
      rc_end_free(s->ear);
      rc_end_free(s->mouth);
      rc_end_free(s->peer);
      heard_empty(&s->in);
      heard_empty(&s->due);
      heard_empty(&s->out);
    }
  tree_node_free(t->node);
  free(t);
}

// --- comparing ---

/// Messages of one key leave in order: a teardown's, or a group's.
static uint32_t key_of(const struct heard *i) {
  struct tree_header h;
  if (i->len < TREE_BYTES || !tree_get(i->data, TREE_BYTES, &h)) return UINT32_MAX;
  return h.kind == TREE_TEARDOWN ? UINT32_MAX - 1 : h.group;
}

static bool same(const struct heard *a, const struct heard *b) {
  return a->len == b->len && a->first == b->first && a->last == b->last && memcmp(a->data, b->data, a->len) == 0;
}

/// The model's that this one has to be: the first of its key, or one behind those that may be missing. NULL if there is none yet.
static struct heard **model_of(struct twin_side *s, const struct heard *is) {
  for (struct heard **at = &s->due.head; *at != NULL; at = &(*at)->next)
    if (key_of(*at) == key_of(is) && (!(*at)->optional || same(*at, is))) return at;
  return NULL;
}

static void compare(struct tree_twin *t, unsigned tree, unsigned port) {
  struct twin_side *s = &t->sides[tree][port];
  while (s->out.head != NULL && s->due.head != NULL) {
    struct heard **at = tree == 1 ? &s->due.head : model_of(s, s->out.head);
    if (at == NULL) return;
    size_t byte = 0;
    while (byte < s->out.head->len && byte < (*at)->len && s->out.head->data[byte] == (*at)->data[byte]) byte++;
    if (!same(*at, s->out.head))
      wrong(t, "port %u, %s: what left is not what the model sent, from byte %zu of %zu on, which should be %zu", port,
            tree == 1 ? "streaming" : "low latency", byte, s->out.head->len, (*at)->len);
    t->counts.compared++;
    heard_drop(&s->due, at);
    heard_drop(&s->out, &s->out.head);
  }
}

/// What waits at an end, of the streaming tree as packets.
static void hear(struct tree_twin *t, unsigned tree, struct rc_end *end, struct heard_list *l, struct heard_part *part) {
  if (!heard_all(l, end, tree == 1 ? NULL : part)) wrong(t, "a message of more than %d bytes", HEARD_MOST);
}

// --- the model ---

/// Past the node, whose ends say nothing any more once a tree is torn down: what was posted before that is what counts.
static bool pump_side(struct tree_twin *t, unsigned tree, unsigned port) {
  struct twin_side *s = &t->sides[tree][port];
  struct rc_end *end = tree_node_end(t->node, tree, port);
  uint8_t frame[FRAME];
  struct roce_packet p;
  bool moved = false;
  while (rc_end_ready(end, 0)) {
    roce_parse(frame, rc_end_next(end, 0, frame, sizeof frame), &p);
    rc_end_receive(s->peer, 0, frame, &p);
    moved = true;
  }
  hear(t, tree, s->peer, &s->due, &s->parts[1]);
  while (rc_end_ready(s->peer, 0)) {
    const size_t len = rc_end_next(s->peer, 0, frame, sizeof frame);
    roce_parse(frame, len, &p);
    if (tree_node_down(t->node, tree)) rc_end_receive(end, 0, frame, &p);
    tree_node_receive(t->node, 0, port, frame, len, false);
    moved = true;
  }
  return moved;
}

static void pump(struct tree_twin *t) {
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned i = 0; i < 2; i++)
      for (unsigned p = 0; p < t->ports; p++)
        if (t->sides[i][p].peer != NULL) moved |= pump_side(t, i, p);
  }
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports; p++) compare(t, i, p);
}

/// A packet goes to the model.
static void post(struct twin_side *s, const uint8_t *data, size_t len, bool first, bool last) {
  rc_requester_post(rc_end_requester(s->peer),
                    &(struct rc_packet){.verb = RC_SEND, .first = first, .last = last, .data = data, .len = len});
}

/// True if the last packet of the message that begins with this one ends an operation: the parent's, or a vector's where its group turns round.
static bool ends_operation(const struct tree_twin *t, unsigned port, const struct heard *first) {
  struct tree_header h;
  if (port == t->node->trees[1].is.parent) return true;
  if (first->len < TREE_BYTES || !tree_get(first->data, TREE_BYTES, &h) || (h.flags & TREE_CARRIES) == 0) return false;
  const struct node_group *g = tree_group(t->node, &t->node->trees[0], h.group);
  return g != NULL && !g->is.up;
}

/// What has come in streams into the model, but for what ends an operation.
static bool stream_in(struct tree_twin *t, unsigned port) {
  struct twin_side *s = &t->sides[1][port];
  bool moved = false;
  while (s->in.head != NULL && rc_requester_room(rc_end_requester(s->peer)) > 0) {
    const struct heard *i = s->in.head;
    if (i->first) s->holds = ends_operation(t, port, i);
    if (i->last && s->holds && !s->releases && !tree_node_down(t->node, 1)) break;
    s->releases = s->releases && !i->last;
    post(s, i->data, i->len, i->first, i->last);
    heard_drop(&s->in, &s->in.head);
    moved = true;
  }
  return moved;
}

/// The low-latency tree ends: what was to leave before it may not have.
static void forget(struct tree_twin *t) {
  for (unsigned p = 0; p < t->ports; p++)
    for (struct heard *i = t->sides[0][p].due.head; i != NULL; i = i->next) i->optional = true;
}

/// The oldest message of a port goes to the model.
static void give(struct tree_twin *t, unsigned port) {
  struct twin_side *s = &t->sides[0][port];
  const struct heard *i = s->in.head;
  struct tree_header h;
  size_t at = 0;
  if (i->len >= TREE_BYTES && tree_get(i->data, TREE_BYTES, &h) && h.kind == TREE_TEARDOWN && h.tree == t->node->trees[0].is.id)
    forget(t);
  do {
    const size_t left = i->len - at, len = left < t->mtu ? left : t->mtu;
    post(s, i->data + at, len, at == 0, at + len == i->len);
    at += len;
  } while (at < i->len);
  heard_drop(&s->in, &s->in.head);
  pump(t);
}

// --- what the device took in and sent ---

void tree_twin_in(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len, bool bad) {
  struct roce_packet p;
  if (bad) return;
  roce_parse(frame, len, &p);
  for (unsigned i = 0; i < 2; i++) {
    struct twin_side *s = &t->sides[i][port];
    if (s->ear == NULL || !rc_end_receive(s->ear, 0, frame, &p)) continue;
    hear(t, i, s->ear, &s->in, &s->parts[0]);
    if (i == 1 && stream_in(t, port)) pump(t);
  }
}

/// An ACK packet: of nothing that has not come. A NAK names the packet that is missing.
static void look_at_ack(struct tree_twin *t, unsigned tree, unsigned port, const uint8_t *frame, const struct roce_packet *p) {
  const struct twin_side *s = &t->sides[tree][port];
  const uint8_t syndrome = frame[p->bth + BTH_BYTES];
  const bool ack = (syndrome & 0xE0) == 0, rnr = (syndrome & 0xE0) == AETH_RNR;
  const uint32_t expected =
      (t->node->trees[tree].configs[port].psn_in + (uint32_t)rc_responder_counts(rc_end_responder(s->ear)).packets) & PSN_MASK;
  t->counts.rnrs += rnr;
  t->counts.naks += !ack && !rnr;
  if (psn_distance(p->psn, expected) > -(int32_t)ack) wrong(t, "port %u acknowledges a packet that has not come", port);
}

void tree_twin_out(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  for (unsigned i = 0; i < 2; i++) {
    struct twin_side *s = &t->sides[i][port];
    if (s->mouth == NULL || !rc_end_receive(s->mouth, 0, frame, &p)) continue;
    const struct rc_responder *r = rc_end_responder(s->mouth);
    if (p.class != ROCE_CANDIDATE) look_at_ack(t, i, port, frame, &p);
    if (rc_responder_fault(r) != RC_GOOD) wrong(t, "port %u sends what cannot follow what it sent", port);
    if (rc_responder_counts(r).out_of_sequence > 0) wrong(t, "port %u leaves out a packet", port);
    hear(t, i, s->mouth, &s->out, &s->parts[2]);
    compare(t, i, port);
    return;
  }
  wrong(t, "port %u sends a frame that is of no connection", port);
}

// --- what it decided ---

/// A request for a lock, or to give it back, on its way up: what comes of it depends on when the cells were asked.
static bool asks_for_lock(const struct heard *i) {
  struct tree_header h;
  return i->len >= TREE_BYTES && tree_get(i->data, TREE_BYTES, &h) && h.kind == TREE_UP &&
         (h.operation == TREE_LOCK || h.operation == TREE_UNLOCK);
}

void tree_twin_asked(struct tree_twin *t) {
  if (t->waits) give(t, t->waits_port);
  t->waits = false;
}

void tree_twin_message(struct tree_twin *t, unsigned port) {
  tree_twin_asked(t);
  const struct heard *i = port < t->ports ? t->sides[0][port].in.head : NULL;
  if (i == NULL) {
    wrong(t, "port %u has decided on a message that has not come", port);
    return;
  }
  t->waits = asks_for_lock(i);
  t->waits_port = port;
  if (!t->waits) give(t, port);
}

void tree_twin_expired(struct tree_twin *t, unsigned group) {
  tree_twin_asked(t);
  struct node_group *g = group < t->node->config.group_count ? &t->node->groups[group] : NULL;
  if (g == NULL || g->low.phase == LOW_IDLE || g->low.phase == LOW_ANSWERS) {
    wrong(t, "group %u expires, which has no operation", group);
    return;
  }
  low_expire(t->node, 0, g);
  tree_node_tick(t->node, 0);
  pump(t);
}

void tree_twin_ended(struct tree_twin *t, const struct tree_twin_ending *end) {
  tree_twin_asked(t);
  const unsigned except = end->except != 0 ? lowest_port(end->except) : TREE_NO_PORT;
  if (end->node != t->node->config.id || end->verdict == TREE_OK) wrong(t, "a tree ends, and no reason is given");
  if (end->low) forget(t);
  tree_end(t->node, &t->node->trees[!end->low], (struct tree_blame){end->verdict, end->node, end->port}, except);
  tree_node_tick(t->node, 0);
  pump(t);
}

void tree_twin_counted(struct tree_twin *t) {
  t->counted++;
  for (bool moved = true; moved && t->node->counts.operations[1] < t->counted;) {
    moved = false;
    for (unsigned p = 0; p < t->ports; p++) {
      struct twin_side *s = &t->sides[1][p];
      if (s->in.head == NULL) continue;
      s->releases = true;
      moved |= stream_in(t, p);
      s->releases = false;
    }
    pump(t);
  }
  if (t->node->counts.operations[1] != t->counted)
    wrong(t, "streaming operation %llu has ended, of the model %llu have", (unsigned long long)t->counted,
          (unsigned long long)t->node->counts.operations[1]);
}

// --- looking at it ---

bool tree_twin_rests(struct tree_twin *t) {
  tree_twin_asked(t);
  if (!tree_node_quiet(t->node)) return false;
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports && !tree_node_down(t->node, i); p++) {
      const struct twin_side *s = &t->sides[i][p];
      if (s->in.head != NULL || s->due.head != NULL || s->out.head != NULL) return false;
    }
  return true;
}

void tree_twin_finish(struct tree_twin *t, uint64_t failed) {
  tree_twin_asked(t);
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports; p++) {
      const struct twin_side *s = &t->sides[i][p];
      const char *of = i == 1 ? "streaming" : "low latency";
      const bool excused = tree_node_down(t->node, i) || (failed >> (2 * p + i) & 1);
      if (s->out.head != NULL) wrong(t, "port %u, %s: something left that the model never sent", p, of);
      if (s->due.head != NULL && !excused) wrong(t, "port %u, %s: something did not leave that the model sent", p, of);
      if (s->in.head != NULL && !excused) wrong(t, "port %u, %s: something came and was not decided on", p, of);
    }
}

const char *tree_twin_fault(const struct tree_twin *t) { return t->fault[0] != '\0' ? t->fault : NULL; }

const struct tree_node *tree_twin_node(const struct tree_twin *t) { return t->node; }

struct tree_twin_counts tree_twin_counts(const struct tree_twin *t) {
  return t->counts;
}
