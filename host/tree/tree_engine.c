#include "host/tree/tree_engine.h"

#include <errno.h>
#include <string.h>

#include "wire/roce.h"

enum { PAUSE_DOUBLINGS = 6 };

void tree_engine_init(struct tree_engine *e, const struct tree_engine_config *config) {
  *e = (struct tree_engine){.config = *config, .rng = rng_for(config->seed, 0x6C6F636B), .text = ""};
}

// --- operations ---

static bool has_vector(enum tree_operation operation) {
  return operation == TREE_ALL_REDUCE || operation == TREE_REDUCE || operation == TREE_BROADCAST;
}

static enum tree_conn conn_of(const struct tree_engine *e) { return e->order.streams && !e->locking ? TREE_SAT : TREE_LOW; }
static uint16_t tree_of(const struct tree_engine *e, enum tree_conn conn) {
  return conn == TREE_SAT ? e->config.sat_tree : e->config.low_tree;
}

/// An operation is done when its answer is here and its memory is its owner's again.
static void settle(struct tree_engine *e) {
  if (!e->active || !e->over) return;
  // What goes through the low-latency tree is copied.
  if (e->order.streams && !e->failed[TREE_SAT] && ((e->posted && !e->sent) || e->expected)) return;
  e->active = false;
}

static void finish(struct tree_engine *e, const struct tree_header *answer) {
  if (!e->active || e->over) return;
  e->answer = *answer;
  e->over = true;
  if (e->locking) e->posted = e->locking = false;   // the order itself was never asked for
  settle(e);
}

static void finish_as(struct tree_engine *e, const struct tree_header *why) {
  struct tree_header a = e->request;
  a.verdict = why->verdict;
  a.node = why->node;
  a.port = why->port;
  finish(e, &a);
}

/// A tree is no more; with the low-latency one both are.
static void lose(struct tree_engine *e, enum tree_conn conn, const struct tree_header *why) {
  for (int c = TREE_SAT; c >= (int)conn; c--) {
    if (e->gone[c]) continue;
    e->gone[c] = true;
    e->why[c] = *why;
    e->held = 0;
    const bool hit = e->active && ((int)conn_of(e) == c || (e->order.streams && c == TREE_SAT));
    // The low-latency connection still has to tell of it.
    if (c == TREE_SAT && !e->failed[c]) e->config.link.end(e->config.link.self, TREE_SAT);
    if (hit) finish_as(e, why);
  }
}

/// This host itself gives a tree up: the others must not wait for it.
static void give_up(struct tree_engine *e, enum tree_conn conn, enum tree_verdict verdict) {
  if (e->gone[conn]) return;
  e->teardown = (struct tree_header){.kind = TREE_TEARDOWN, .tree = tree_of(e, conn), .verdict = verdict, .node = TREE_A_HOST};
  e->telling = true;
  lose(e, conn, &e->teardown);
}

static void link_failed(struct tree_engine *e, enum tree_conn conn, const char *why) {
  e->failed[conn] = true;
  if (conn == TREE_LOW) e->telling = e->busy = false;
  if (!e->gone[conn]) {
    e->text = why;
    give_up(e, conn, TREE_LOST);
    if (conn == TREE_LOW) e->telling = false;
  }
  settle(e);
}

/// Asks for the order itself, or for the lock that it needs.
static void ask(struct tree_engine *e, uint64_t now) {
  const enum tree_conn conn = conn_of(e);
  const struct tree_engine_order *o = &e->order;
  e->request = (struct tree_header){
      .kind = TREE_UP,
      .operation = e->locking ? TREE_LOCK : o->operation,
      .type = e->locking ? 0 : o->type,
      .flags = e->locking ? 0 : (uint8_t)((o->input.data != NULL ? TREE_CARRIES : 0) | (o->output.data != NULL ? TREE_WANTS : 0)),
      .tree = tree_of(e, conn),
      .group = e->config.group,
      .sequence = ++e->sequence,
      .length = e->locking ? 0 : o->length,
      .count = e->locking ? e->config.lock : o->count,
  };
  e->posted = e->sent = e->over = false;
  e->pause_until = 0;
  e->deadline = now + e->config.timeout_ns;
  if (e->gone[conn])
    finish_as(e, &(struct tree_header){.verdict = TREE_NO_TREE, .node = e->why[conn].node, .port = e->why[conn].port});
}

int tree_engine_start(struct tree_engine *e, const struct tree_engine_order *o, uint64_t now_ns) {
  if (e->active) return -EBUSY;
  if (has_vector(o->operation)) {
    const size_t element = ina_element_size(o->type);
    if ((o->type & 0xF) > 3 || o->type >> 4 > 2 || o->length == 0 || o->length % element != 0) return -EINVAL;
    if (o->length > (o->streams ? TREE_MOST : (uint32_t)TREE_LLT_MOST)) return -EMSGSIZE;
  } else if (o->length != 0 || o->streams || (o->input.data != NULL) || o->output.data != NULL) {
    return -EINVAL;
  }
  e->order = *o;
  e->order.input.bytes = o->length;
  e->active = true;
  e->expected = false;
  e->tried = 0;
  e->locking = o->streams && e->held == 0 && !e->gone[TREE_SAT];
  ask(e, now_ns);
  tree_engine_progress(e, now_ns);
  return 0;
}

/// Gives the contribution to the link, and first the place of its answer. A link that takes neither is broken.
static void post(struct tree_engine *e) {
  const enum tree_conn conn = conn_of(e);
  const struct tree_link *link = &e->config.link;
  if (!e->active || e->over || e->posted || e->pause_until != 0 || (conn == TREE_LOW && e->busy)) return;
  const struct tree_engine_order *o = &e->order;
  uint8_t *front = link->staging(link->self, conn);
  size_t staged = TREE_BYTES;
  const struct transport_body *body = NULL;
  tree_put(front, &e->request);
  int code = 0;
  if (conn == TREE_SAT) {
    const struct transport_body landing = {.data = o->output.data, .bytes = o->length, .key = o->output.key};
    code = link->expect(link->self, o->output.data != NULL ? &landing : NULL);
    e->expected = code == 0;
    if (o->input.data != NULL) body = &o->input;
  } else if (!e->locking && o->input.data != NULL) {
    memcpy(front + TREE_BYTES, o->input.data, o->length);
    staged += o->length;
  }
  if (code == 0) code = link->send(link->self, conn, staged, body);
  e->posted = code == 0;
  if (conn == TREE_LOW) e->busy = e->posted;
  if (code != 0) give_up(e, conn, TREE_LOST);
}

static void tell(struct tree_engine *e) {
  const struct tree_link *link = &e->config.link;
  if (!e->telling || e->busy || e->failed[TREE_LOW]) return;
  tree_put(link->staging(link->self, TREE_LOW), &e->teardown);
  e->busy = link->send(link->self, TREE_LOW, TREE_BYTES, NULL) == 0;
  e->telling = false;
}

// --- what comes ---

/// Another group has the tree, or a node no cell: everybody heard the same, and asks again after a time of his own.
static void pause_locking(struct tree_engine *e, uint64_t now) {
  const unsigned doublings = e->tried < PAUSE_DOUBLINGS ? e->tried : PAUSE_DOUBLINGS;
  e->tried++;
  e->pause_until = now + 1 + rng_next(&e->rng) % ((2 * e->config.pause_ns << doublings) + 1);
}

static void locked(struct tree_engine *e, uint64_t now, const struct tree_header *a) {
  const bool again = a->verdict == TREE_LOCK_FAILED || a->verdict == TREE_NO_RESOURCE;
  if (a->verdict == TREE_OK) {
    e->held = e->config.lock == 0 ? TREE_UNLIMITED : e->config.lock;
    e->locking = false;
    ask(e, now);
  } else if (again && e->tried + 1 < e->config.tries) {
    pause_locking(e, now);
  } else {
    finish(e, a);
  }
}

static void answered(struct tree_engine *e, uint64_t now, const struct tree_header *a) {
  if (e->locking) {
    locked(e, now, a);
    return;
  }
  if (a->verdict == TREE_OK && a->operation == TREE_LOCK) e->held = e->order.count == 0 ? TREE_UNLIMITED : e->order.count;
  if (a->verdict == TREE_OK && a->operation == TREE_UNLOCK) e->held = 0;
  if (e->order.streams && e->held != 0 && e->held != TREE_UNLIMITED) e->held--;
  finish(e, a);
}

static void on_message(struct tree_engine *e, uint64_t now, const struct tree_link_event *m) {
  struct tree_header a;
  if (m->conn == TREE_SAT) e->expected = false;
  if (!tree_get(m->data, m->bytes, &a)) {
    give_up(e, m->conn, TREE_LOST);
    return;
  }
  if (m->conn == TREE_LOW && cast_copies_begin(&e->copies, &a)) {
    if (!cast_copies_more(&e->copies, m->data + TREE_BYTES, m->bytes - TREE_BYTES, true)) give_up(e, TREE_LOW, TREE_LOST);
    return;
  }
  // Answers come in order: another one in the place of a copy says that the multicast, which was believed, was no node's.
  if (m->conn == TREE_LOW && a.kind == TREE_DOWN && e->copies.count > 0 && a.sequence >= e->copies.due[0].header.sequence) {
    give_up(e, TREE_LOW, TREE_LOST);
    return;
  }
  if (a.kind == TREE_TEARDOWN && m->conn == TREE_LOW) {
    if (a.tree == e->config.low_tree) lose(e, TREE_LOW, &a);
    if (a.tree == e->config.sat_tree) lose(e, TREE_SAT, &a);
    settle(e);
    return;
  }
  // Whoever asked for another operation than its siblings hears of the failure in the name of theirs.
  const bool due = e->active && !e->over && e->posted && m->conn == conn_of(e) && a.kind == TREE_DOWN &&
                   a.sequence == e->request.sequence && a.group == e->request.group &&
                   (a.operation == e->request.operation || a.verdict != TREE_OK);
  if (!due) {
    // What crosses with a teardown, or comes too late, answers an operation that has ended; anything else is no node's.
    if (a.kind != TREE_DOWN || a.sequence > e->request.sequence) give_up(e, m->conn, TREE_LOST);
    settle(e);
    return;
  }
  const bool wants = !e->locking && e->order.output.data != NULL && a.verdict == TREE_OK;
  const size_t vector = m->bytes - TREE_BYTES;
  if (((a.flags & TREE_CARRIES) != 0) != wants || vector != (wants ? e->order.length : 0) ||
      (wants && a.length != e->order.length)) {
    give_up(e, m->conn, TREE_LOST);
    return;
  }
  if (wants && m->conn == TREE_LOW) memcpy(e->order.output.data, m->data + TREE_BYTES, vector);
  answered(e, now, &a);
}

/// A multicast is taken if it is the answer that is waited for, whole and good. Anything else is nothing: nobody counts on it.
static void on_cast(struct tree_engine *e, uint64_t now, const struct tree_link_event *m) {
  struct tree_header a;
  if (!e->active || e->over || !e->posted || conn_of(e) != TREE_LOW || !tree_get(m->data, m->bytes, &a)) return;
  const struct tree_header *r = &e->request;
  const bool wants = !e->locking && e->order.output.data != NULL;
  const size_t vector = m->bytes - TREE_BYTES;
  const bool due = a.kind == TREE_DOWN && a.verdict == TREE_OK && a.tree == r->tree && a.group == r->group &&
                   a.sequence == r->sequence && a.operation == r->operation;
  const bool fits = ((a.flags & TREE_CARRIES) != 0) == wants && vector == (wants ? e->order.length : 0) &&
                    (!wants || a.length == e->order.length);
  if (!due || !fits || !cast_copies_add(&e->copies, &a, m->data + TREE_BYTES, vector)) return;
  e->casts++;
  if (wants) memcpy(e->order.output.data, m->data + TREE_BYTES, vector);
  answered(e, now, &a);
}

static void on_sent(struct tree_engine *e, enum tree_conn conn) {
  if (conn == TREE_LOW) e->busy = false;
  if (conn == conn_of(e) && e->posted) e->sent = true;
  settle(e);
}

void tree_engine_progress(struct tree_engine *e, uint64_t now_ns) {
  const struct tree_link *link = &e->config.link;
  struct tree_link_event event;
  while (link->poll(link->self, &event) == 1) {
    if (event.kind == TREE_LINK_ARRIVED) on_message(e, now_ns, &event);
    if (event.kind == TREE_LINK_CAST) on_cast(e, now_ns, &event);
    if (event.kind == TREE_LINK_SENT) on_sent(e, event.conn);
    if (event.kind == TREE_LINK_FAILED) link_failed(e, event.conn, event.why);
  }
  if (e->active && !e->over && e->pause_until != 0 && now_ns >= e->pause_until) ask(e, now_ns);
  if (e->active && !e->over && e->pause_until == 0 && now_ns >= e->deadline) give_up(e, conn_of(e), TREE_TIME_OUT);
  post(e);
  tell(e);
}

void tree_engine_give_up(struct tree_engine *e) {
  if (e->active && !e->over) give_up(e, conn_of(e), TREE_LOST);
}

bool tree_engine_quiet(const struct tree_engine *e) {
  return !e->active && !e->busy && !e->telling && (e->copies.count == 0 || e->gone[TREE_LOW]);
}

bool tree_engine_done(const struct tree_engine *e) { return !e->active; }
const struct tree_header *tree_engine_answer(const struct tree_engine *e) { return &e->answer; }
