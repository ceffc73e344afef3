#include "hosts/tree/tree_host.h"

#include <stdlib.h>
#include <string.h>

#include "wire/cast_copies.h"
#include "wire/tree_cast.h"

enum { LOW, SAT, KINDS };

struct tree_host {
  struct tree_host_config config;
  struct rc_end *ends[KINDS];
  bool gone[KINDS];   ///< torn down
  struct tree_header why[KINDS];
  struct tree_host_order order;
  struct tree_header request, answer;
  bool again;   ///< a second message is to follow, by mistake
  bool active;
  bool over;   ///< the answer is here, but the contribution is not posted whole: no message may end in its middle
  uint32_t sequence;
  uint64_t moved;              ///< when a packet of the operation last came, or could be posted
  uint64_t posted, deadline;   ///< packets of the contribution
  size_t taken;                ///< bytes of the answer's vector that are here
  bool inside;                 ///< of an answer that is being taken
  bool telling;                ///< the node above must hear that a tree is no more
  struct tree_header teardown;
  struct cast_copies copies;
  struct tree_host_counts counts;
};

struct tree_host *tree_host_new(const struct tree_host_config *config) {
  struct tree_host *h = calloc(1, sizeof *h);
  if (h == NULL) return NULL;
  h->config = *config;
  h->ends[LOW] = rc_end_new(&config->low);
  h->ends[SAT] = rc_end_new(&config->sat);
  if (h->ends[LOW] != NULL && h->ends[SAT] != NULL) return h;
  tree_host_free(h);
  return NULL;
}

void tree_host_free(struct tree_host *h) {
  if (h == NULL) return;
  rc_end_free(h->ends[LOW]);
  rc_end_free(h->ends[SAT]);
  free(h);
}

bool tree_host_reopen(struct tree_host *h, const struct rc_end_config *sat) {
  if (!h->gone[SAT] || h->gone[LOW] || h->telling) return false;
  struct rc_end *fresh = rc_end_new(sat);
  if (fresh == NULL) return false;
  rc_end_free(h->ends[SAT]);
  h->config.sat = *sat;
  h->ends[SAT] = fresh;
  h->gone[SAT] = false;
  return true;
}

bool tree_host_down(const struct tree_host *h, bool sat) { return h->gone[sat ? SAT : LOW]; }
uint32_t tree_host_number(const struct tree_host *h) { return h->sequence; }
void tree_host_catch_up(struct tree_host *h, uint32_t number) { h->sequence = number; }

void tree_host_regroup(struct tree_host *h, uint16_t group) {
  h->config.group = group;
  h->sequence = 0;
}

// --- operations ---

static int kind_of(const struct tree_host_order *o) { return o->streams ? SAT : LOW; }
static uint16_t tree_id(const struct tree_host *h, int kind) { return kind == SAT ? h->config.sat_tree : h->config.low_tree; }
static unsigned mtu_of(const struct tree_host *h) { return (h->order.streams ? h->config.sat : h->config.low).mtu; }

static bool gives(const struct tree_host_order *o) { return o->input != NULL || o->give != NULL; }
static bool wants(const struct tree_host_order *o) { return o->output != NULL || o->take != NULL; }

/// Bytes and packets of this host's contribution.
static uint32_t own_length(const struct tree_host *h) {
  const uint32_t length = gives(&h->order) ? h->order.length : 0;
  return h->order.mistake == TREE_ENDS_EARLY ? length / 8 * 4 : length;
}
static uint64_t own_packets(const struct tree_host *h) { return tree_packets(own_length(h), mtu_of(h)); }

/// Something of the operation has happened.
static void moves(struct tree_host *h, uint64_t now) {
  if (!h->active) return;
  if (now - h->moved > h->counts.longest_ps) h->counts.longest_ps = now - h->moved;
  h->moved = now;
  h->deadline = now + h->config.patience_ps;
}

static void settle(struct tree_host *h) {
  if (!h->over || (!h->gone[kind_of(&h->order)] && (h->again || h->posted < own_packets(h)))) return;
  h->active = h->over = false;
  h->deadline = UINT64_MAX;
}

static void finish(struct tree_host *h, const struct tree_header *answer) {
  h->answer = *answer;
  h->inside = false;
  h->over = true;
  settle(h);
}

static void finish_as(struct tree_host *h, enum tree_verdict verdict) {
  struct tree_header a = h->request;
  a.verdict = verdict;
  finish(h, &a);
}

/// Part of this host's vector, of its result.
static void give(const struct tree_host_order *o, uint64_t at, uint8_t *out, size_t len) {
  if (len == 0) return;
  if (o->give != NULL)
    o->give(o->user, (uint32_t)at, out, len);
  else
    memcpy(out, o->input + at, len);
}

static void take(const struct tree_host_order *o, size_t at, const uint8_t *data, size_t len) {
  if (len == 0) return;
  if (o->take != NULL)
    o->take(o->user, (uint32_t)at, data, len);
  else
    memcpy(o->output + at, data, len);
}

/// What its message says; the second one of a mistake may be the next operation.
static struct tree_header header_of(const struct tree_host *h) {
  struct tree_header a = h->request;
  if (h->order.mistake == TREE_BUSY && !h->again) a.sequence++;
  return a;
}

static void post(struct tree_host *h, uint64_t now) {
  const int kind = kind_of(&h->order);
  const unsigned mtu = mtu_of(h);
  struct rc_requester *r = rc_end_requester(h->ends[kind]);
  const uint32_t length = own_length(h);
  const uint64_t packets = own_packets(h);
  uint8_t data[RC_MAX_MTU];
  if (h->active && h->posted < packets && rc_requester_room(r) > 0) moves(h, now);
  for (; h->active && h->posted < packets && rc_requester_room(r) > 0; h->posted++) {
    const bool first = h->posted == 0;
    const size_t front = first ? TREE_BYTES : 0, part = tree_part(length, mtu, h->posted);
    const struct tree_header header = header_of(h);
    if (first) tree_put(data, &header);
    give(&h->order, h->posted * mtu - (first ? 0 : TREE_BYTES), data + front, part);
    rc_requester_post(r,
                      &(struct rc_packet){
                          .verb = RC_SEND, .first = first, .last = h->posted + 1 == packets, .data = data, .len = front + part});
  }
  settle(h);
  if (!h->active || !h->again || h->posted < packets) return;
  h->again = false;
  h->posted = 0;
  post(h, now);
}

/// The order's mistake, in what the host says of itself.
static void mistake(struct tree_host *h) {
  struct tree_header *r = &h->request;
  const enum tree_operation o = h->order.operation;
  h->again = h->order.mistake == TREE_TWICE || h->order.mistake == TREE_BUSY;
  switch (h->order.mistake) {
    case TREE_WRONG_GROUP: r->group ^= 0x4000; break;
    case TREE_OTHERS_GROUP: r->group = r->group == 1 ? 2 : 1; break;
    case TREE_OTHER_SIZE: r->length = h->order.length = h->order.length > 0 ? h->order.length - 4 : 4; break;
    case TREE_OTHER_TYPE: r->type ^= 1; break;
    case TREE_OTHER_OPERATION: r->operation = o == TREE_ALL_REDUCE ? TREE_REDUCE : TREE_ALL_REDUCE; break;
    case TREE_TOO_LONG: r->length = UINT32_C(1) << 31; break;
    case TREE_ONE_MORE: r->length = (UINT32_C(1) << 31) + 1; break;
    default: break;
  }
}

void tree_host_begin(struct tree_host *h, uint64_t now, const struct tree_host_order *order) {
  const int kind = kind_of(order);
  h->order = *order;
  h->request = (struct tree_header){
      .kind = TREE_UP,
      .operation = order->operation,
      .type = order->type,
      .flags = (uint8_t)((gives(order) ? TREE_CARRIES : 0) | (wants(order) ? TREE_WANTS : 0)),
      .tree = tree_id(h, kind),
      .group = h->config.group,
      .sequence = ++h->sequence,
      .length = order->length,
      .count = order->count,
  };
  mistake(h);
  h->active = true;
  h->posted = 0;
  h->taken = 0;
  h->moved = now;
  h->deadline = now + h->config.patience_ps;
  if (h->gone[kind])
    finish_as(h, TREE_NO_TREE);
  else
    post(h, now);
}

bool tree_host_done(const struct tree_host *h) { return !h->active; }

const struct tree_header *tree_host_answer(const struct tree_host *h) { return &h->answer; }

/// A tree is no more; with the low-latency one both are.
static void lose(struct tree_host *h, int kind, const struct tree_header *why) {
  for (int k = SAT; k >= kind; k--) {
    if (h->gone[k]) continue;
    h->gone[k] = true;
    h->why[k] = *why;
    if (!h->active || kind_of(&h->order) != k) continue;
    struct tree_header a = h->request;
    a.verdict = why->verdict;
    a.node = why->node;
    a.port = why->port;
    finish(h, &a);
  }
}

/// This host itself gives a tree up: the others must not wait for it.
static void give_up(struct tree_host *h, int kind, enum tree_verdict verdict) {
  if (h->gone[kind]) return;
  h->teardown = (struct tree_header){.kind = TREE_TEARDOWN, .tree = tree_id(h, kind), .verdict = verdict, .node = TREE_A_HOST};
  h->telling = true;
  lose(h, kind, &h->teardown);
}

// --- what comes ---

static void on_header(struct tree_host *h, int kind, const struct rc_packet *p) {
  struct tree_header a;
  const bool header = tree_get(p->data, p->len, &a);
  // A copy may come in the middle of an answer that streams.
  if (kind == LOW && header && cast_copies_begin(&h->copies, &a)) return;
  h->inside = false;
  if (!header) {
    h->counts.wrong++;
    return;
  }
  if (a.kind == TREE_TEARDOWN && kind == LOW) {
    if (a.tree == h->config.low_tree) lose(h, LOW, &a);
    if (a.tree == h->config.sat_tree) lose(h, SAT, &a);
    return;
  }
  // What comes of a mistake behind the contribution is no answer to that; a group that has another operation under way says which.
  const bool behind = a.verdict == TREE_DENIED && (h->order.mistake == TREE_TWICE || h->order.mistake == TREE_BUSY);
  // Whoever asked for another operation than its siblings hears of the failure in the name of theirs.
  const bool due = h->active && !h->over && !behind && kind == kind_of(&h->order) && a.kind == TREE_DOWN &&
                   a.sequence == h->request.sequence && a.group == h->request.group &&
                   (a.operation == h->request.operation || a.verdict != TREE_OK);
  // What crosses with a teardown answers an operation that has ended; so may what comes, good or bad, when this host has given the tree up.
  const bool late =
      a.kind == TREE_DOWN && (behind || (a.sequence <= h->request.sequence && (a.verdict != TREE_OK || h->gone[kind])));
  h->counts.denied += !due && late && a.verdict == TREE_DENIED;
  if (!due && late) return;
  const bool carries = a.flags & TREE_CARRIES, wanted = wants(&h->order) && a.verdict == TREE_OK;
  if (!due || carries != wanted || (wanted && a.length != h->order.length)) {
    h->counts.wrong++;
    return;
  }
  h->inside = true;
  h->taken = 0;
  h->answer = a;
}

static void on_packet(struct tree_host *h, uint64_t now, int kind, const struct rc_packet *p) {
  const size_t front = p->first ? TREE_BYTES : 0;
  if (p->first) on_header(h, kind, p);
  if (kind == LOW && h->copies.inside) {
    const bool good = cast_copies_more(&h->copies, p->data + front, p->len - front, p->last);
    *(good ? &h->counts.copies : &h->counts.wrong) += !good || p->last;
    return;
  }
  if (!h->inside || kind != kind_of(&h->order)) return;
  moves(h, now);
  const size_t whole = h->answer.flags & TREE_CARRIES ? h->answer.length : 0, part = p->len - front;
  if (part > whole - h->taken || (p->last && part != whole - h->taken)) {
    h->counts.wrong++;
    h->inside = false;
    return;
  }
  take(&h->order, h->taken, p->data + front, part);
  h->taken += part;
  if (!p->last) return;
  const struct tree_header a = h->answer;
  finish(h, &a);
}

/// A multicast is taken if it is the answer that is waited for, and the reliable one has not begun. Anything else is nothing: it may be old, and nobody
/// counts on it.
static void on_cast(struct tree_host *h, uint64_t now, const uint8_t *message, size_t len) {
  const struct tree_host_order *o = &h->order;
  struct tree_header a;
  if (!h->active || h->over || h->inside || o->streams || o->mistake != TREE_NO_MISTAKE || !tree_get(message, len, &a)) return;
  const size_t vector = a.flags & TREE_CARRIES ? a.length : 0;
  const bool due = a.kind == TREE_DOWN && a.verdict == TREE_OK && a.tree == h->config.low_tree && a.group == h->request.group &&
                   a.sequence == h->request.sequence && a.operation == h->request.operation && len == TREE_BYTES + vector;
  if (!due || (vector > 0) != wants(o) || (wants(o) && a.length != o->length)) return;
  if (!cast_copies_add(&h->copies, &a, message + TREE_BYTES, vector)) return;
  moves(h, now);
  take(o, 0, message + TREE_BYTES, vector);
  h->counts.casts++;
  finish(h, &a);
}

static bool speaks(const struct tree_host *h, int kind) { return kind == LOW || !h->gone[SAT]; }

static void go_on(struct tree_host *h, uint64_t now) {
  for (int kind = LOW; kind < KINDS; kind++) {
    struct rc_responder *r = rc_end_responder(h->ends[kind]);
    const struct rc_packet *p;
    while (speaks(h, kind) && (p = rc_responder_first(r)) != NULL) {
      on_packet(h, now, kind, p);
      rc_responder_take(r, now);
    }
    if (rc_end_fault(h->ends[kind]) != RC_GOOD) give_up(h, kind, TREE_LOST);
  }
  post(h, now);
  struct rc_requester *low = rc_end_requester(h->ends[LOW]);
  if (!h->telling || rc_requester_room(low) == 0) return;
  uint8_t data[TREE_BYTES];
  // A contribution that is not posted whole comes first; one that is given up never will be.
  tree_put(data, &h->teardown);
  rc_requester_post(low, &(struct rc_packet){.verb = RC_SEND, .first = true, .last = true, .data = data, .len = TREE_BYTES});
  h->telling = false;
}

void tree_host_receive(struct tree_host *h, uint64_t now, const uint8_t *frame, size_t len, bool bad) {
  struct roce_packet p;
  if (bad) return;
  roce_parse(frame, len, &p);
  const struct rc_end_config *low = &h->config.low;
  struct conn_key from = {.v6 = low->in.v6, .vlan = low->in.vlan, .qpn = low->out.qpn};
  memcpy(from.src, low->in.src, sizeof from.src);
  size_t size;
  const uint8_t *cast = h->config.listens && !h->gone[LOW] ? tree_cast_read(frame, &p, h->config.low_tree, &from, &size) : NULL;
  if (cast != NULL) on_cast(h, now, cast, size);
  bool mine = cast != NULL;
  for (int kind = LOW; kind < KINDS && !mine; kind++) mine = speaks(h, kind) && rc_end_receive(h->ends[kind], now, frame, &p);
  h->counts.strays += !mine;
  go_on(h, now);
}

bool tree_host_ready(const struct tree_host *h, uint64_t now) {
  return rc_end_ready(h->ends[LOW], now) || (speaks(h, SAT) && rc_end_ready(h->ends[SAT], now));
}

size_t tree_host_next(struct tree_host *h, uint64_t now, uint8_t *frame, size_t size) {
  if (rc_end_ready(h->ends[LOW], now) || !speaks(h, SAT)) return rc_end_next(h->ends[LOW], now, frame, size);
  return rc_end_next(h->ends[SAT], now, frame, size);
}

uint64_t tree_host_deadline(const struct tree_host *h, uint64_t now) {
  uint64_t first = h->active ? h->deadline : UINT64_MAX;
  for (int kind = LOW; kind < KINDS; kind++) {
    const uint64_t end = speaks(h, kind) ? rc_end_deadline(h->ends[kind], now) : UINT64_MAX;
    if (end < first) first = end;
  }
  return first;
}

void tree_host_tick(struct tree_host *h, uint64_t now) {
  for (int kind = LOW; kind < KINDS; kind++)
    if (speaks(h, kind)) rc_end_tick(h->ends[kind], now);
  if (h->active && now >= h->deadline) {
    h->counts.longest_ps = h->config.patience_ps;
    give_up(h, kind_of(&h->order), TREE_TIME_OUT);
  }
  go_on(h, now);
}

struct tree_host_counts tree_host_counts(const struct tree_host *h) {
  return h->counts;
}

struct rc_end *tree_host_end(const struct tree_host *h, bool sat) {
  return h->ends[sat ? SAT : LOW];
}

bool tree_host_quiet(const struct tree_host *h) {
  for (int kind = LOW; kind < KINDS; kind++)
    if (!h->gone[kind] && !rc_end_empty(h->ends[kind])) return false;
  return h->gone[LOW] || h->copies.count == 0;
}
