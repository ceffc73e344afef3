#include "unit/host/net/fake_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/reduce.h"
#include "wire/roce.h"

enum { LOW = 5, SAT = 6, GROUP = 9, TIMEOUT = 1000, PAUSE = 10, AFTERWARDS = 4 };

// --- the link ---

static uint8_t *staging(void *self, enum tree_conn conn) { return ((struct fake_tree_host *)self)->staging[conn]; }

static int send_message(void *self, enum tree_conn conn, size_t staged, const struct transport_body *body) {
  struct fake_tree_host *h = self;
  struct fake_tree_message *m = &h->out[conn];
  assert_false(h->sending[conn] || h->ended[conn]);
  *m = (struct fake_tree_message){.conn = conn, .bytes = staged};
  memcpy(m->data, h->staging[conn], staged);
  if (body != NULL) {
    assert_true(staged + body->bytes <= sizeof m->data);
    memcpy(m->data + staged, body->data, body->bytes);
    m->bytes += body->bytes;
  }
  h->sending[conn] = true;
  h->looked[conn] = false;
  return 0;
}

static int expect(void *self, const struct transport_body *body) {
  struct fake_tree_host *h = self;
  assert_false(h->expecting || h->ended[TREE_SAT]);
  h->expecting = true;
  h->place = body != NULL ? *body : (struct transport_body){0};
  return 0;
}

/// At the last host an answer comes before the acknowledgement of what it answers.
static bool answers_first(const struct fake_tree_host *h) {
  return h == &h->bench->hosts[FAKE_TREE_HOSTS - 1] && h->told < h->arrived;
}

static int poll_link(void *self, struct tree_link_event *event) {
  struct fake_tree_host *h = self;
  for (int c = 0; c < TREE_CONNS && !answers_first(h); c++) {
    if (h->tell_end[c]) {
      h->tell_end[c] = h->sending[c] = false;
      if (c == TREE_SAT) h->expecting = false;
      *event = (struct tree_link_event){.kind = TREE_LINK_FAILED, .conn = (enum tree_conn)c, .why = "broken"};
      return 1;
    }
    if (h->sending[c] && h->looked[c]) {
      h->sending[c] = false;
      *event = (struct tree_link_event){.kind = TREE_LINK_SENT, .conn = (enum tree_conn)c};
      return 1;
    }
  }
  while (h->told < h->arrived) {
    const struct fake_tree_message *m = &h->in[h->told++ % FAKE_TREE_QUEUE];
    if (h->ended[m->conn]) continue;
    if (m->conn == TREE_SAT) {
      assert_true(h->expecting);
      assert_true(m->bytes - TREE_BYTES <= h->place.bytes || m->bytes < TREE_BYTES);
      if (m->bytes > TREE_BYTES) memcpy((void *)(uintptr_t)h->place.data, m->data + TREE_BYTES, m->bytes - TREE_BYTES);
      h->expecting = false;
    }
    *event = (struct tree_link_event){.kind = m->cast ? TREE_LINK_CAST : TREE_LINK_ARRIVED,
                                      .conn = m->conn,
                                      .data = m->data,
                                      .bytes = m->bytes};
    return 1;
  }
  return 0;
}

static void end(void *self, enum tree_conn conn) {
  struct fake_tree_host *h = self;
  h->tell_end[conn] = !h->ended[conn];
  h->ended[conn] = true;
}

// --- the node ---

static void deliver(struct fake_tree_host *h, enum tree_conn conn, const uint8_t *data, size_t bytes) {
  struct fake_tree_message *m = &h->in[h->arrived++ % FAKE_TREE_QUEUE];
  assert_true(h->arrived - h->told <= FAKE_TREE_QUEUE);
  *m = (struct fake_tree_message){.conn = conn, .bytes = bytes};
  memcpy(m->data, data, bytes);
}

/// An answer, and beside it the multicast that the host gets.
static void deliver_both(struct fake_tree_host *h, const uint8_t *data, size_t bytes) {
  const struct fake_tree *b = h->bench;
  const unsigned which = (unsigned)(h - b->hosts);
  struct tree_header a;
  uint8_t cast[TREE_BYTES + TREE_LLT_MOST];
  if (h->late.bytes > 0) deliver(h, TREE_LOW, h->late.data, h->late.bytes);
  h->late.bytes = 0;
  memcpy(cast, data, bytes);
  tree_get(data, bytes, &a);
  const bool strikes = which == 0 && a.sequence == b->at;
  if (strikes && b->trouble == FAKE_TREE_LIES) cast[bytes - 1] ^= 1;
  if (strikes && b->trouble == FAKE_TREE_LIES_OF_IT) {
    a.verdict = TREE_OK;
    tree_put(cast, &a);
  }
  const bool casts = b->multicasts && a.verdict == TREE_OK && which < 2;
  if (which == 1 || !casts) deliver(h, TREE_LOW, data, bytes);
  if (casts) deliver(h, TREE_LOW, cast, bytes);
  if (casts) h->in[(h->arrived - 1) % FAKE_TREE_QUEUE].cast = true;
  if (casts && which == 0) h->late = h->in[(h->arrived - 1) % FAKE_TREE_QUEUE];
  if (casts && which == 0) memcpy(h->late.data, data, bytes);
}

/// Host 1 gets something else than the node's answer.
static void disturb(struct fake_tree *b, enum tree_conn conn, uint8_t *data, size_t *bytes) {
  struct tree_header h;
  tree_get(data, *bytes, &h);
  if (b->trouble == FAKE_TREE_NO_HEADER) data[0] ^= 1;
  if (b->trouble == FAKE_TREE_OTHER_SIZE || b->trouble == FAKE_TREE_OTHER_LENGTH) *bytes -= 4;
  if (b->trouble == FAKE_TREE_LONGER && conn == TREE_LOW) *bytes += 4;
  if (b->trouble == FAKE_TREE_LONGER && conn == TREE_SAT) *bytes -= 8;
  if (b->trouble == FAKE_TREE_OTHER_LENGTH) h.length -= 4;
  if (b->trouble == FAKE_TREE_NO_VECTOR) h.flags = 0, *bytes = TREE_BYTES;
  if (b->trouble == FAKE_TREE_FROM_FUTURE) h.sequence++;
  if (b->trouble == FAKE_TREE_OTHER_LENGTH || b->trouble == FAKE_TREE_NO_VECTOR || b->trouble == FAKE_TREE_FROM_FUTURE)
    tree_put(data, &h);
}

static void answer(struct fake_tree *b, enum tree_conn conn, const struct tree_header *asked,
                   const struct tree_header heads[FAKE_TREE_HOSTS]) {
  static uint8_t data[TREE_BYTES + FAKE_TREE_ROOM];
  const uint8_t *rows[FAKE_TREE_HOSTS];
  size_t carried = 0;
  struct tree_header a = *asked;
  const bool strikes = b->trouble != FAKE_TREE_NONE && a.sequence == b->at;
  a.kind = TREE_DOWN;
  if (asked->operation == TREE_LOCK) {
    b->locks++;
    if (b->locks_fail > 0) {
      b->locks_fail--;
      a.verdict = TREE_LOCK_FAILED;
      a.count = 7;
      a.holder_group = 3;
    } else {
      b->held = asked->count == 0 ? UINT32_MAX : asked->count;
    }
  }
  if (conn == TREE_SAT) {
    assert_true(b->held > 0);
    if (b->held != UINT32_MAX) b->held--;
  }
  if (strikes && b->trouble == FAKE_TREE_SILENT) return;
  // It denies, or gives up, in the name of another operation, which somebody else has asked for.
  if (strikes && b->trouble == FAKE_TREE_LIES_OF_IT) a.verdict = TREE_DENIED;
  if (strikes && (b->trouble == FAKE_TREE_DENIES || b->trouble == FAKE_TREE_TIMES_OUT)) {
    a.verdict = b->trouble == FAKE_TREE_DENIES ? TREE_DENIED : TREE_TIME_OUT;
    a.operation = TREE_REDUCE;
    a.node = 4;
    a.port = 2;
  }
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++)
    if (heads[h].flags & TREE_CARRIES) rows[carried++] = b->hosts[h].out[conn].data + TREE_BYTES;
  if (carried > 0) assert_int_equal(ina_reduce(asked->type, rows, carried, asked->length, data + TREE_BYTES), 0);
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) {
    const bool wants = (heads[h].flags & TREE_WANTS) && a.verdict == TREE_OK;
    size_t bytes = TREE_BYTES + (wants ? a.length : 0);
    a.flags = wants ? TREE_CARRIES : 0;
    tree_put(data, &a);
    if (strikes && b->trouble == FAKE_TREE_TEARS) {
      const struct tree_header t = {.kind = TREE_TEARDOWN, .tree = SAT, .verdict = TREE_LOST, .node = 4, .port = 3};
      tree_put(data, &t);
      deliver(&b->hosts[h], TREE_LOW, data, TREE_BYTES);
    } else if (strikes && b->trouble == FAKE_TREE_FAILS && h == 1) {
      end(&b->hosts[h], conn);
    } else {
      uint8_t sent[TREE_BYTES + FAKE_TREE_ROOM];
      memcpy(sent, data, bytes);
      if (strikes && h == 1) disturb(b, conn, sent, &bytes);
      if (conn == TREE_LOW)
        deliver_both(&b->hosts[h], sent, bytes);
      else
        deliver(&b->hosts[h], conn, sent, bytes);
    }
  }
}

/// Takes what hosts have sent; answers when all have; hands a teardown on.
static void node(struct fake_tree *b, enum tree_conn conn) {
  struct tree_header heads[FAKE_TREE_HOSTS];
  bool all = true;
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) {
    struct fake_tree_host *from = &b->hosts[h];
    const bool there = from->sending[conn] && !from->looked[conn];
    all = all && there;
    if (!there) continue;
    assert_true(tree_get(from->out[conn].data, from->out[conn].bytes, &heads[h]));
    if (heads[h].kind != TREE_TEARDOWN) continue;
    from->looked[conn] = true;
    all = false;
    from->teardowns++;
    for (unsigned o = 0; o < FAKE_TREE_HOSTS; o++)
      if (o != h) deliver(&b->hosts[o], TREE_LOW, from->out[conn].data, TREE_BYTES);
  }
  if (!all) return;
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) b->hosts[h].looked[conn] = true;
  answer(b, conn, &heads[0], heads);
}

// --- the bench ---

struct fake_tree *fake_tree_open(uint32_t lock) {
  struct fake_tree *b = calloc(1, sizeof *b);
  assert_non_null(b);
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) {
    struct fake_tree_host *host = &b->hosts[h];
    host->bench = b;
    const struct tree_link link = {
        .self = host, .staging = staging, .send = send_message, .expect = expect, .poll = poll_link, .end = end};
    tree_engine_init(&host->engine, &(struct tree_engine_config){.link = link,
                                                                 .low_tree = LOW,
                                                                 .sat_tree = SAT,
                                                                 .group = GROUP,
                                                                 .timeout_ns = TIMEOUT,
                                                                 .lock = lock,
                                                                 .tries = FAKE_TREE_TRIES,
                                                                 .pause_ns = PAUSE,
                                                                 .seed = h});
    for (unsigned i = 0; i < FAKE_TREE_ROOM; i++) host->input[i] = (uint8_t)(i * (h + 3) + h);
  }
  return b;
}

struct tree_engine_order fake_tree_order(struct fake_tree *b, unsigned h, enum tree_operation operation, bool streams,
                                         uint32_t length) {
  struct fake_tree_host *host = &b->hosts[h];
  struct tree_engine_order o = {.operation = operation, .streams = streams, .type = INA_INT32, .length = length};
  if (operation == TREE_ALL_REDUCE || operation == TREE_REDUCE || (operation == TREE_BROADCAST && h == 2))
    o.input.data = host->input;
  if (operation == TREE_ALL_REDUCE || (operation == TREE_REDUCE && h == 2) || (operation == TREE_BROADCAST && h != 2))
    o.output.data = host->output;
  return o;
}

/// Everybody once. True if all hosts are done.
static bool step(struct fake_tree *b) {
  bool done = true;
  for (int c = 0; c < TREE_CONNS; c++) node(b, (enum tree_conn)c);
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) {
    tree_engine_progress(&b->hosts[h].engine, b->now);
    done = done && tree_engine_done(&b->hosts[h].engine);
  }
  b->now++;
  return done;
}

void fake_tree_run(struct fake_tree *b, enum tree_operation operation, bool streams, uint32_t length) {
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) {
    const struct tree_engine_order o = fake_tree_order(b, h, operation, streams, length);
    memset(b->hosts[h].output, 0, FAKE_TREE_ROOM);
    assert_int_equal(tree_engine_start(&b->hosts[h].engine, &o, b->now), 0);
  }
  const uint64_t bound = b->now + (FAKE_TREE_TRIES + 1) * (TIMEOUT + (2 * PAUSE << FAKE_TREE_TRIES));
  bool done = false;
  while (!done && b->now < bound) done = step(b);
  assert_true(done);
  for (unsigned i = 0; i < AFTERWARDS; i++) step(b);   // what one of them finds out, the others hear
  for (unsigned h = 0; h < FAKE_TREE_HOSTS; h++) assert_false(b->hosts[h].expecting || b->hosts[h].sending[TREE_SAT]);
}
