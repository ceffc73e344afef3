// Hosts of an aggregation tree (host/tree/tree_engine.c) above fake links and a node that is a few lines: results, locks that are taken on the way, and for
// whatever goes wrong a verdict in bounded time, after which nobody uses the operation's memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "host/tree/tree_engine.h"
#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum { HOSTS = 3, ROOM = 4096, QUEUE = 8, LOW = 5, SAT = 6, GROUP = 9, TIMEOUT = 1000, PAUSE = 10, TRIES = 4, AFTERWARDS = 4 };

/// What the node does to the answer of operation `at` on its way to host 1, or to all.
enum trouble {
  NONE,
  SILENT,   ///< the node answers nobody
  DENIES,
  TEARS,   ///< it ends the streaming tree instead of answering, in the low-latency one
  FAILS,   ///< the connection of the operation fails
  NO_HEADER,
  OTHER_SIZE,     ///< four bytes less than the header says
  LONGER,         ///< four bytes more, where there is room for them
  OTHER_LENGTH,   ///< the header says so, too
  NO_VECTOR,
  FROM_FUTURE   ///< the answer to an operation that nobody began
};

struct message {
  enum tree_conn conn;
  size_t bytes;
  uint8_t data[TREE_BYTES + ROOM];
};

struct host {
  struct bench *bench;
  struct tree_engine engine;
  uint8_t staging[TREE_CONNS][TREE_BYTES + TREE_LLT_MOST];
  struct message out[TREE_CONNS];   // sent, and not looked at by the node
  bool sending[TREE_CONNS], looked[TREE_CONNS];
  struct message in[QUEUE];
  unsigned arrived, told;
  bool expecting;
  struct transport_body place;   // of the next streaming vector
  bool ended[TREE_CONNS], tell_end[TREE_CONNS];
  unsigned teardowns;
  uint8_t input[ROOM], output[ROOM];
};

struct bench {
  struct host hosts[HOSTS];
  uint64_t now;
  unsigned locks_fail;    // so many lock requests
  unsigned locks, held;   // asked for; operations left
  enum trouble trouble;
  uint32_t at;   // sequence
};

// --- the link ---

static uint8_t *staging(void *self, enum tree_conn conn) { return ((struct host *)self)->staging[conn]; }

static int send_message(void *self, enum tree_conn conn, size_t staged, const struct transport_body *body) {
  struct host *h = self;
  struct message *m = &h->out[conn];
  assert_false(h->sending[conn] || h->ended[conn]);
  *m = (struct message){.conn = conn, .bytes = staged};
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
  struct host *h = self;
  assert_false(h->expecting || h->ended[TREE_SAT]);
  h->expecting = true;
  h->place = body != NULL ? *body : (struct transport_body){0};
  return 0;
}

/// At the last host an answer comes before the acknowledgement of what it answers.
static bool answers_first(const struct host *h) { return h == &h->bench->hosts[HOSTS - 1] && h->told < h->arrived; }

static int poll_link(void *self, struct tree_link_event *event) {
  struct host *h = self;
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
    const struct message *m = &h->in[h->told++ % QUEUE];
    if (h->ended[m->conn]) continue;
    if (m->conn == TREE_SAT) {
      assert_true(h->expecting);
      assert_true(m->bytes - TREE_BYTES <= h->place.bytes || m->bytes < TREE_BYTES);
      if (m->bytes > TREE_BYTES) memcpy((void *)(uintptr_t)h->place.data, m->data + TREE_BYTES, m->bytes - TREE_BYTES);
      h->expecting = false;
    }
    *event = (struct tree_link_event){.kind = TREE_LINK_ARRIVED, .conn = m->conn, .data = m->data, .bytes = m->bytes};
    return 1;
  }
  return 0;
}

static void end(void *self, enum tree_conn conn) {
  struct host *h = self;
  h->tell_end[conn] = !h->ended[conn];
  h->ended[conn] = true;
}

// --- the node ---

static void deliver(struct host *h, enum tree_conn conn, const uint8_t *data, size_t bytes) {
  struct message *m = &h->in[h->arrived++ % QUEUE];
  assert_true(h->arrived - h->told <= QUEUE);
  *m = (struct message){.conn = conn, .bytes = bytes};
  memcpy(m->data, data, bytes);
}

/// Host 1 gets something else than the node's answer.
static void disturb(struct bench *b, enum tree_conn conn, uint8_t *data, size_t *bytes) {
  struct tree_header h;
  tree_get(data, *bytes, &h);
  if (b->trouble == NO_HEADER) data[0] ^= 1;
  if (b->trouble == OTHER_SIZE || b->trouble == OTHER_LENGTH) *bytes -= 4;
  if (b->trouble == LONGER && conn == TREE_LOW) *bytes += 4;
  if (b->trouble == LONGER && conn == TREE_SAT) *bytes -= 8;
  if (b->trouble == OTHER_LENGTH) h.length -= 4;
  if (b->trouble == NO_VECTOR) h.flags = 0, *bytes = TREE_BYTES;
  if (b->trouble == FROM_FUTURE) h.sequence++;
  if (b->trouble == OTHER_LENGTH || b->trouble == NO_VECTOR || b->trouble == FROM_FUTURE) tree_put(data, &h);
}

static void answer(struct bench *b, enum tree_conn conn, const struct tree_header *asked, const struct tree_header heads[HOSTS]) {
  static uint8_t data[TREE_BYTES + ROOM];
  const uint8_t *rows[HOSTS];
  size_t carried = 0;
  struct tree_header a = *asked;
  const bool strikes = b->trouble != NONE && a.sequence == b->at;
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
  if (strikes && b->trouble == SILENT) return;
  if (strikes && b->trouble == DENIES) a.verdict = TREE_DENIED, a.node = 4, a.port = 2;
  for (unsigned h = 0; h < HOSTS; h++)
    if (heads[h].flags & TREE_CARRIES) rows[carried++] = b->hosts[h].out[conn].data + TREE_BYTES;
  if (carried > 0) assert_int_equal(ina_reduce(asked->type, rows, carried, asked->length, data + TREE_BYTES), 0);
  for (unsigned h = 0; h < HOSTS; h++) {
    const bool wants = (heads[h].flags & TREE_WANTS) && a.verdict == TREE_OK;
    size_t bytes = TREE_BYTES + (wants ? a.length : 0);
    a.flags = wants ? TREE_CARRIES : 0;
    tree_put(data, &a);
    if (strikes && b->trouble == TEARS) {
      const struct tree_header t = {.kind = TREE_TEARDOWN, .tree = SAT, .verdict = TREE_LOST, .node = 4, .port = 3};
      tree_put(data, &t);
      deliver(&b->hosts[h], TREE_LOW, data, TREE_BYTES);
    } else if (strikes && b->trouble == FAILS && h == 1) {
      end(&b->hosts[h], conn);
    } else {
      uint8_t sent[TREE_BYTES + ROOM];
      memcpy(sent, data, bytes);
      if (strikes && h == 1) disturb(b, conn, sent, &bytes);
      deliver(&b->hosts[h], conn, sent, bytes);
    }
  }
}

/// Takes what hosts have sent; answers when all have; hands a teardown on.
static void node(struct bench *b, enum tree_conn conn) {
  struct tree_header heads[HOSTS];
  bool all = true;
  for (unsigned h = 0; h < HOSTS; h++) {
    struct host *from = &b->hosts[h];
    const bool there = from->sending[conn] && !from->looked[conn];
    all = all && there;
    if (!there) continue;
    assert_true(tree_get(from->out[conn].data, from->out[conn].bytes, &heads[h]));
    if (heads[h].kind != TREE_TEARDOWN) continue;
    from->looked[conn] = true;
    all = false;
    from->teardowns++;
    for (unsigned o = 0; o < HOSTS; o++)
      if (o != h) deliver(&b->hosts[o], TREE_LOW, from->out[conn].data, TREE_BYTES);
  }
  if (!all) return;
  for (unsigned h = 0; h < HOSTS; h++) b->hosts[h].looked[conn] = true;
  answer(b, conn, &heads[0], heads);
}

// --- the bench ---

static struct bench *open_bench(uint32_t lock) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  for (unsigned h = 0; h < HOSTS; h++) {
    struct host *host = &b->hosts[h];
    host->bench = b;
    const struct tree_link link = {
        .self = host, .staging = staging, .send = send_message, .expect = expect, .poll = poll_link, .end = end};
    tree_engine_init(&host->engine, &(struct tree_engine_config){.link = link,
                                                                 .low_tree = LOW,
                                                                 .sat_tree = SAT,
                                                                 .group = GROUP,
                                                                 .timeout_ns = TIMEOUT,
                                                                 .lock = lock,
                                                                 .tries = TRIES,
                                                                 .pause_ns = PAUSE,
                                                                 .seed = h});
    for (unsigned i = 0; i < ROOM; i++) host->input[i] = (uint8_t)(i * (h + 3) + h);
  }
  return b;
}

static struct tree_engine_order order_of(struct bench *b, unsigned h, enum tree_operation operation, bool streams,
                                         uint32_t length) {
  struct host *host = &b->hosts[h];
  struct tree_engine_order o = {.operation = operation, .streams = streams, .type = INA_INT32, .length = length};
  if (operation == TREE_ALL_REDUCE || operation == TREE_REDUCE || (operation == TREE_BROADCAST && h == 2))
    o.input.data = host->input;
  if (operation == TREE_ALL_REDUCE || (operation == TREE_REDUCE && h == 2) || (operation == TREE_BROADCAST && h != 2))
    o.output.data = host->output;
  return o;
}

/// Everybody once. True if all hosts are done.
static bool step(struct bench *b) {
  bool done = true;
  for (int c = 0; c < TREE_CONNS; c++) node(b, (enum tree_conn)c);
  for (unsigned h = 0; h < HOSTS; h++) {
    tree_engine_progress(&b->hosts[h].engine, b->now);
    done = done && tree_engine_done(&b->hosts[h].engine);
  }
  b->now++;
  return done;
}

/// All hosts do it; it ends in time, and then the link uses no memory of a host.
static void run(struct bench *b, enum tree_operation operation, bool streams, uint32_t length) {
  for (unsigned h = 0; h < HOSTS; h++) {
    const struct tree_engine_order o = order_of(b, h, operation, streams, length);
    memset(b->hosts[h].output, 0, ROOM);
    assert_int_equal(tree_engine_start(&b->hosts[h].engine, &o, b->now), 0);
  }
  const uint64_t bound = b->now + (TRIES + 1) * (TIMEOUT + (2 * PAUSE << TRIES));
  bool done = false;
  while (!done && b->now < bound) done = step(b);
  assert_true(done);
  for (unsigned i = 0; i < AFTERWARDS; i++) step(b);   // what one of them finds out, the others hear
  for (unsigned h = 0; h < HOSTS; h++) assert_false(b->hosts[h].expecting || b->hosts[h].sending[TREE_SAT]);
}

static void check_verdicts(const struct bench *b, enum tree_verdict verdict) {
  for (unsigned h = 0; h < HOSTS; h++) assert_int_equal(tree_engine_answer(&b->hosts[h].engine)->verdict, verdict);
}

static void check_result(const struct bench *b, enum tree_operation operation, uint32_t length) {
  static const uint8_t nothing[ROOM];
  uint8_t right[ROOM];
  const uint8_t *rows[HOSTS] = {b->hosts[0].input, b->hosts[1].input, b->hosts[2].input};
  check_verdicts(b, TREE_OK);
  assert_int_equal(ina_reduce(INA_INT32, rows, HOSTS, length, right), 0);
  for (unsigned h = 0; h < HOSTS; h++) {
    const bool wants = operation == TREE_ALL_REDUCE || (operation == TREE_REDUCE) == (h == 2);
    const uint8_t *expected = !wants ? nothing : operation == TREE_BROADCAST ? b->hosts[2].input : right;
    assert_memory_equal(b->hosts[h].output, expected, length);
  }
}

// --- tests ---

static void everything_is_right(void **state) {
  static const enum tree_operation operations[] = {TREE_ALL_REDUCE, TREE_REDUCE, TREE_BROADCAST};
  static const uint32_t lengths[] = {4, 64, 1024, 4096};
  (void)state;
  struct bench *b = open_bench(2);
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
      for (int streams = lengths[l] > TREE_LLT_MOST; streams < 2; streams++) {
        run(b, operations[i], streams, lengths[l]);
        check_result(b, operations[i], lengths[l]);
      }
    }
    run(b, TREE_BARRIER, false, 0);
    check_verdicts(b, TREE_OK);
  }
  assert_int_equal(b->locks, 6);   // 12 streaming operations, two a lock
  free(b);
}

static void locks_are_asked_for_again(void **state) {
  (void)state;
  struct bench *b = open_bench(0);
  b->locks_fail = TRIES - 1;
  run(b, TREE_ALL_REDUCE, true, 256);
  check_result(b, TREE_ALL_REDUCE, 256);
  run(b, TREE_ALL_REDUCE, true, 256);   // it has no end
  assert_int_equal(b->locks, TRIES);
  run(b, TREE_UNLOCK, false, 0);
  b->locks_fail = TRIES;
  run(b, TREE_ALL_REDUCE, true, 256);
  check_verdicts(b, TREE_LOCK_FAILED);
  assert_int_equal(tree_engine_answer(&b->hosts[0].engine)->holder_group, 3);
  assert_int_equal(tree_engine_answer(&b->hosts[0].engine)->count, 7);
  run(b, TREE_LOCK, false, 0);
  check_verdicts(b, TREE_OK);
  run(b, TREE_ALL_REDUCE, true, 256);
  check_result(b, TREE_ALL_REDUCE, 256);
  free(b);
}

/// Whatever happens at host 1 in either tree: all have a verdict, and the next operations do not hang either.
static void whatever_goes_wrong(void **state) {
  static const enum trouble troubles[] = {SILENT, FAILS, NO_HEADER, OTHER_SIZE, LONGER, OTHER_LENGTH, NO_VECTOR, FROM_FUTURE};
  (void)state;
  for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) {
    for (int streams = 0; streams < 2; streams++) {
      struct bench *b = open_bench(1);
      b->trouble = troubles[i];
      b->at = streams ? 2 : 1;
      run(b, TREE_ALL_REDUCE, streams, 512);
      assert_int_equal(tree_engine_answer(&b->hosts[1].engine)->verdict, troubles[i] == SILENT ? TREE_TIME_OUT : TREE_LOST);
      run(b, TREE_ALL_REDUCE, true, 512);   // the streaming tree is gone in both cases
      // Whose low-latency connection is broken can tell nobody: it is missed.
      if (troubles[i] == FAILS && !streams)
        for (unsigned h = 0; h < HOSTS; h++) assert_int_not_equal(tree_engine_answer(&b->hosts[h].engine)->verdict, TREE_OK);
      else
        check_verdicts(b, TREE_NO_TREE);
      run(b, TREE_BARRIER, false, 0);
      check_verdicts(b, streams ? TREE_OK : TREE_NO_TREE);
      assert_true(b->hosts[1].teardowns == 1 || (troubles[i] == FAILS && !streams) || troubles[i] == SILENT);
      free(b);
    }
  }
}

static void what_the_network_says(void **state) {
  (void)state;
  struct bench *b = open_bench(1);
  b->trouble = DENIES;
  b->at = 1;
  run(b, TREE_ALL_REDUCE, false, 64);
  check_verdicts(b, TREE_DENIED);
  assert_int_equal(tree_engine_answer(&b->hosts[0].engine)->port, 2);
  run(b, TREE_ALL_REDUCE, false, 64);
  check_result(b, TREE_ALL_REDUCE, 64);
  b->trouble = TEARS;
  b->at = 4;
  run(b, TREE_ALL_REDUCE, true, 4096);
  check_verdicts(b, TREE_LOST);
  assert_int_equal(tree_engine_answer(&b->hosts[2].engine)->node, 4);
  run(b, TREE_ALL_REDUCE, true, 4096);
  check_verdicts(b, TREE_NO_TREE);
  run(b, TREE_ALL_REDUCE, false, 1024);
  check_result(b, TREE_ALL_REDUCE, 1024);
  free(b);
}

static void what_cannot_be_begun(void **state) {
  (void)state;
  struct bench *b = open_bench(1);
  struct tree_engine *e = &b->hosts[0].engine;
  struct tree_engine_order o = order_of(b, 0, TREE_ALL_REDUCE, false, 1028);
  assert_int_equal(tree_engine_start(e, &o, 0), -EMSGSIZE);
  o.streams = true;
  o.length = TREE_MOST + 4;   // a message of more than 2^31 bytes
  assert_int_equal(tree_engine_start(e, &o, 0), -EMSGSIZE);
  o.length = 6;
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o.length = 0;
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o.length = 8;
  o.type = 0x33;
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o = order_of(b, 0, TREE_BARRIER, false, 4);
  assert_int_equal(tree_engine_start(e, &o, 0), -EINVAL);
  o = order_of(b, 0, TREE_BARRIER, false, 0);
  assert_int_equal(tree_engine_start(e, &o, 0), 0);
  assert_int_equal(tree_engine_start(e, &o, 0), -EBUSY);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_right),   cmocka_unit_test(locks_are_asked_for_again), cmocka_unit_test(whatever_goes_wrong),
      cmocka_unit_test(what_the_network_says), cmocka_unit_test(what_cannot_be_begun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
