// A host of a tree: what it contributes, what it takes for an answer, and that each operation ends with a verdict.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/tree/tree_host.h"
#include "wire/tree_cast.h"

enum { MTU = 256, ROOM = 8, TIMEOUT = 1000, PATIENCE = 100000, LOW = 0, SAT = 1, LONGEST = 8192, FRAME = 4400 };

static struct tree_host *host;
static struct rc_end *node[2];   // the other ends
static uint64_t now;
static bool silent, deaf;   // nothing arrives anywhere; at the node
static uint8_t input[LONGEST], output[LONGEST];

static struct rc_end_config end_config(bool of_host, unsigned tree) {
  const struct conn_key up = {.src = {10, 0, 0, 1}, .dst = {10, 1, 0, 1}, .qpn = 0x100 + tree},
                        down = {.src = {10, 1, 0, 1}, .dst = {10, 0, 0, 1}, .qpn = 0x200 + tree};
  return (struct rc_end_config){
      .out = of_host ? up : down,
      .in = of_host ? down : up,
      .mtu = MTU,
      .request = {.room = ROOM, .ack_every = 1, .timeout_ps = TIMEOUT, .retries = 3, .rnr_retries = RC_ENDLESS},
      .respond = {.room = of_host ? ROOM : 64, .coalesce = 1, .rnr_timer = 1},
  };
}

static int open(void **state) {
  (void)state;
  const struct tree_host_config c = {.low = end_config(true, LOW),
                                     .sat = end_config(true, SAT),
                                     .low_tree = 1,
                                     .sat_tree = 2,
                                     .group = 5,
                                     .listens = true,
                                     .patience_ps = PATIENCE};
  host = tree_host_new(&c);
  for (unsigned t = 0; t < 2; t++) {
    const struct rc_end_config n = end_config(false, t);
    node[t] = rc_end_new(&n);
  }
  now = 0;
  silent = deaf = false;
  for (size_t i = 0; i < sizeof input; i++) input[i] = (uint8_t)(i * 7);
  memset(output, 0, sizeof output);
  return host == NULL || node[LOW] == NULL || node[SAT] == NULL;
}

static int close(void **state) {
  (void)state;
  tree_host_free(host);
  rc_end_free(node[LOW]);
  rc_end_free(node[SAT]);
  return 0;
}

static void pump(void) {
  uint8_t frame[FRAME];
  for (bool moved = true; moved;) {
    moved = false;
    while (tree_host_ready(host, now)) {
      const size_t len = tree_host_next(host, now, frame, sizeof frame);
      struct roce_packet p;
      roce_parse(frame, len, &p);
      for (unsigned t = 0; t < 2 && !silent && !deaf; t++) rc_end_receive(node[t], now, frame, &p);
      moved = true;
    }
    for (unsigned t = 0; t < 2; t++) {
      while (rc_end_ready(node[t], now)) {
        const size_t len = rc_end_next(node[t], now, frame, sizeof frame);
        if (!silent) tree_host_receive(host, now, frame, len, false);
        moved = true;
      }
    }
  }
}

static void wait(uint64_t ps) {
  for (const uint64_t end = now + ps; now < end;) {
    now += 100;
    if (tree_host_deadline(host, now) <= now) tree_host_tick(host, now);
    rc_end_tick(node[LOW], now);
    rc_end_tick(node[SAT], now);
    pump();
  }
}

static void begin(enum tree_operation operation, bool streams, uint32_t length, bool carries, bool wants) {
  const struct tree_host_order o = {.operation = operation,
                                    .streams = streams,
                                    .length = length,
                                    .count = 3,
                                    .input = carries ? input : NULL,
                                    .output = wants ? output : NULL};
  tree_host_begin(host, now, &o);
  pump();
}

/// The host's next packet at the node.
static struct rc_packet comes(unsigned tree, uint8_t data[RC_MAX_MTU]) {
  struct rc_responder *r = rc_end_responder(node[tree]);
  const struct rc_packet *p = rc_responder_first(r);
  assert_non_null(p);
  struct rc_packet taken = *p;
  if (p->len > 0) memcpy(data, p->data, p->len);
  taken.data = data;
  rc_responder_take(r, now);
  pump();
  return taken;
}

static struct tree_header header_comes(unsigned tree) {
  uint8_t data[RC_MAX_MTU];
  struct tree_header h;
  const struct rc_packet p = comes(tree, data);
  assert_true(p.first && tree_get(data, p.len, &h));
  return h;
}

/// Packets `from` to `to` - 1 of an answer with this header, whose vector is the input backwards.
static void answer(unsigned tree, const struct tree_header *h, uint64_t from, uint64_t to) {
  const uint32_t length = h->flags & TREE_CARRIES ? h->length : 0;
  for (uint64_t i = from; i < to; i++) {
    uint8_t data[MTU];
    const size_t front = i == 0 ? TREE_BYTES : 0, part = tree_part(length, MTU, i), at = i * MTU - (i == 0 ? 0 : TREE_BYTES);
    for (size_t k = 0; k < part; k++) data[front + k] = (uint8_t)~input[at + k];
    if (i == 0) tree_put(data, h);
    const struct rc_packet p = {.first = i == 0, .last = i + 1 == tree_packets(length, MTU), .data = data, .len = front + part};
    rc_requester_post(rc_end_requester(node[tree]), &p);
    pump();
  }
}

static struct tree_header down(struct tree_header h, uint8_t flags, enum tree_verdict verdict) {
  h.kind = TREE_DOWN;
  h.flags = flags;
  h.verdict = verdict;
  return h;
}

static void is_result(size_t length) {
  for (size_t i = 0; i < length; i++) assert_int_equal(output[i], (uint8_t)~input[i]);
}

static void ended(enum tree_verdict verdict) {
  assert_true(tree_host_done(host));
  assert_int_equal(tree_host_answer(host)->verdict, verdict);
}

static void test_low(void **state) {
  (void)state;
  for (uint32_t i = 1; i <= 3; i++) {
    begin(TREE_ALL_REDUCE, false, 500, true, true);
    uint8_t data[RC_MAX_MTU];
    struct tree_header h;
    const struct rc_packet first = comes(LOW, data);
    assert_true(tree_get(data, first.len, &h));
    assert_true(h.kind == TREE_UP && h.operation == TREE_ALL_REDUCE && h.flags == (TREE_CARRIES | TREE_WANTS));
    assert_true(h.tree == 1 && h.group == 5 && h.sequence == i && h.length == 500);
    assert_memory_equal(data + TREE_BYTES, input, MTU - TREE_BYTES);
    comes(LOW, data);
    comes(LOW, data);
    assert_false(tree_host_done(host));
    const struct tree_header a = down(h, TREE_CARRIES, TREE_OK);
    answer(LOW, &a, 0, 3);
    ended(TREE_OK);
    is_result(500);
  }
  assert_true(tree_host_quiet(host));
}

/// A long vector goes as room allows; the answer is whole when its last packet is here.
static void test_stream(void **state) {
  (void)state;
  begin(TREE_ALL_REDUCE, true, 6000, true, true);
  const struct tree_header h = header_comes(SAT);
  assert_int_equal(h.tree, 2);
  uint8_t data[RC_MAX_MTU];
  for (unsigned i = 1; i < 24; i++) comes(SAT, data);
  const struct tree_header a = down(h, TREE_CARRIES, TREE_OK);
  answer(SAT, &a, 0, 23);
  assert_false(tree_host_done(host));
  answer(SAT, &a, 23, 24);
  ended(TREE_OK);
  is_result(6000);
  begin(TREE_BROADCAST, true, 3000, false, true);   // nothing to give: the header alone
  assert_int_equal(header_comes(SAT).flags, TREE_WANTS);
  assert_null(rc_responder_first(rc_end_responder(node[SAT])));
}

/// Who hears nothing gives up, and says so; that tree is none any more, the other one is.
static void test_time_out(void **state) {
  (void)state;
  begin(TREE_ALL_REDUCE, true, 600, true, true);
  wait(PATIENCE - 200);
  assert_false(tree_host_done(host));
  wait(200);
  ended(TREE_TIME_OUT);
  assert_int_equal(tree_host_counts(host).longest_ps, PATIENCE);
  struct tree_header h = header_comes(LOW);
  assert_true(h.kind == TREE_TEARDOWN && h.tree == 2 && h.verdict == TREE_TIME_OUT && h.node == TREE_A_HOST);
  begin(TREE_ALL_REDUCE, true, 600, true, true);
  ended(TREE_NO_TREE);
  begin(TREE_BARRIER, false, 0, false, false);
  h = header_comes(LOW);
  const struct tree_header a = down(h, 0, TREE_OK);
  answer(LOW, &a, 0, 1);
  ended(TREE_OK);
}

/// Packets that come put it off.
static void test_moves(void **state) {
  (void)state;
  begin(TREE_ALL_REDUCE, true, 600, true, true);
  uint8_t data[RC_MAX_MTU];
  const struct tree_header h = header_comes(SAT), a = down(h, TREE_CARRIES, TREE_OK);
  comes(SAT, data);
  comes(SAT, data);
  for (unsigned i = 0; i < 3; i++) {
    wait(PATIENCE - 500);
    assert_false(tree_host_done(host));
    answer(SAT, &a, i, i + 1);
  }
  ended(TREE_OK);
  assert_in_range(tree_host_counts(host).longest_ps, PATIENCE - 1000, PATIENCE);
}

static void test_lost(void **state) {
  (void)state;
  silent = true;
  begin(TREE_BARRIER, false, 0, false, false);
  wait(4 * TIMEOUT - 200);
  assert_false(tree_host_done(host));
  wait(400);
  ended(TREE_LOST);
  begin(TREE_ALL_REDUCE, true, 600, true, true);   // both are gone
  ended(TREE_NO_TREE);
}

/// A teardown ends what is under way in that tree, with what was said of it, or makes the next operation one without tree.
static void test_teardown(void **state) {
  (void)state;
  const struct tree_header t = {.kind = TREE_TEARDOWN, .tree = 2, .verdict = TREE_LOST, .node = 7, .port = 3};
  begin(TREE_ALL_REDUCE, true, 600, true, true);
  answer(LOW, &t, 0, 1);
  ended(TREE_LOST);
  assert_int_equal(tree_host_answer(host)->node, 7);
  assert_int_equal(tree_host_answer(host)->port, 3);
  begin(TREE_BARRIER, false, 0, false, false);
  struct tree_header low = t;
  low.tree = 1;
  low.verdict = TREE_DENIED;
  answer(LOW, &low, 0, 1);
  ended(TREE_DENIED);
  begin(TREE_BARRIER, false, 0, false, false);
  ended(TREE_NO_TREE);
}

/// Denied before its message is posted whole: that goes on to its end, or the next one would begin inside of it.
static void test_denied(void **state) {
  (void)state;
  begin(TREE_ALL_REDUCE, true, 600, true, true);
  struct tree_header h = header_comes(SAT), a = down(h, 0, TREE_DENIED);
  answer(SAT, &a, 0, 1);
  ended(TREE_DENIED);   // this one was
  uint8_t data[RC_MAX_MTU];
  comes(SAT, data);
  comes(SAT, data);
  deaf = true;
  begin(TREE_ALL_REDUCE, true, 6000, true, true);
  a.sequence = 2;
  answer(SAT, &a, 0, 1);
  assert_false(tree_host_done(host));
  deaf = false;
  wait(2 * TIMEOUT);
  for (unsigned i = 0; i < 24; i++) assert_int_equal(comes(SAT, data).last, i == 23);
  ended(TREE_DENIED);
  begin(TREE_ALL_REDUCE, true, 100, true, true);
  assert_int_equal(header_comes(SAT).sequence, 3);
}

/// It asked for another operation than its siblings, one of whom does not come: it hears of the failure in the name of theirs.
static void test_fails_in_another_name(void **state) {
  (void)state;
  for (unsigned streams = 0; streams < 2; streams++) {
    begin(TREE_ALL_REDUCE, streams != 0, 100, true, true);
    struct tree_header a = down(header_comes(streams), 0, TREE_TIME_OUT);
    a.operation = TREE_REDUCE;
    answer(streams, &a, 0, 1);
    ended(TREE_TIME_OUT);
    assert_int_equal(tree_host_counts(host).wrong, 0);
  }
}

/// What is no answer to what was asked is counted, and changes nothing; an answer that crosses with the end of its operation is neither.
static void test_wrong(void **state) {
  (void)state;
  begin(TREE_ALL_REDUCE, false, 100, true, true);
  const struct tree_header h = header_comes(LOW);
  struct tree_header wrong[7];
  for (size_t i = 0; i < 7; i++) wrong[i] = down(h, TREE_CARRIES, TREE_OK);
  wrong[0].sequence = 2;
  wrong[1].group = 6;
  wrong[2].operation = TREE_REDUCE;
  wrong[3].length = 104;
  wrong[4].flags = 0;                 // ok without a vector
  wrong[5].verdict = TREE_TIME_OUT;   // not ok with one
  wrong[6].kind = TREE_UP;
  for (size_t i = 0; i < 7; i++) {
    answer(LOW, &wrong[i], 0, 1);
    assert_false(tree_host_done(host));
    assert_int_equal(tree_host_counts(host).wrong, i + 1);
  }
  const struct tree_header good = down(h, TREE_CARRIES, TREE_OK);
  answer(LOW, &good, 0, 1);
  ended(TREE_OK);
  answer(LOW, &good, 0, 1);   // once more
  assert_int_equal(tree_host_counts(host).wrong, 8);
  const struct tree_header late = down(h, 0, TREE_NO_TREE);
  answer(LOW, &late, 0, 1);
  assert_int_equal(tree_host_counts(host).wrong, 8);
}

static void cast(const struct tree_header *h, const uint8_t *vector) {
  struct tree_cast from = {.udp_source = 0xC000, .ip = {10, 1, 0, 1}, .qpn = 0x100, .tree = 1};
  uint8_t message[TREE_BYTES + 200], frame[FRAME];
  const size_t vector_len = h->flags & TREE_CARRIES ? h->length : 0;
  tree_put(message, h);
  if (vector_len > 0) memcpy(message + TREE_BYTES, vector, vector_len);
  const size_t len = tree_cast_build(&from, message, TREE_BYTES + vector_len, frame, sizeof frame);
  tree_host_receive(host, now, frame, len, false);
  pump();
}

/// A result is taken from whichever copy comes first; the reliable one must say the same, though the next operation is under way.
static void test_cast(void **state) {
  (void)state;
  uint8_t back[200];
  struct tree_header first = {0};
  for (size_t i = 0; i < sizeof back; i++) back[i] = (uint8_t)~input[i];
  for (uint32_t i = 1; i <= 3; i++) {
    begin(TREE_ALL_REDUCE, false, 200, true, true);
    const struct tree_header a = down(header_comes(LOW), TREE_CARRIES, TREE_OK);
    struct tree_header other = a;
    other.sequence--;
    cast(&other, back);   // old
    other = a;
    other.group++;
    cast(&other, back);
    assert_false(tree_host_done(host));
    memset(output, 0, sizeof output);
    cast(&a, back);
    ended(TREE_OK);
    is_result(200);
    cast(&a, back);   // once more
    if (i == 1) first = a;
    if (i == 2) answer(LOW, &first, 0, 1);   // the copy of the operation before
    if (i == 2) answer(LOW, &a, 0, 1);
  }
  assert_int_equal(tree_host_counts(host).casts, 3);
  assert_int_equal(tree_host_counts(host).copies, 2);
  assert_int_equal(tree_host_counts(host).wrong, 0);
  assert_false(tree_host_quiet(host));   // a copy is missing
  input[5] ^= 1;                         // it says something else
  struct tree_header third = first;
  third.sequence = 3;
  answer(LOW, &third, 0, 1);
  assert_int_equal(tree_host_counts(host).wrong, 1);
  // Reliable first: then a multicast is nothing.
  begin(TREE_BARRIER, false, 0, false, false);
  const struct tree_header b = down(header_comes(LOW), 0, TREE_OK);
  answer(LOW, &b, 0, 1);
  ended(TREE_OK);
  cast(&b, back);
  assert_int_equal(tree_host_counts(host).casts, 3);
  assert_true(tree_host_quiet(host));
}

/// The reliable copy of a lock comes in the middle of the answer that streams.
static void test_cast_beside_stream(void **state) {
  (void)state;
  begin(TREE_LOCK, false, 0, false, false);
  const struct tree_header lock = down(header_comes(LOW), 0, TREE_OK);
  cast(&lock, NULL);
  ended(TREE_OK);
  begin(TREE_BROADCAST, true, 1000, false, true);
  const struct tree_header a = down(header_comes(SAT), TREE_CARRIES, TREE_OK);
  answer(SAT, &a, 0, 2);
  answer(LOW, &lock, 0, 1);
  assert_int_equal(tree_host_counts(host).copies, 1);
  answer(SAT, &a, 2, tree_packets(1000, MTU));
  ended(TREE_OK);
  is_result(1000);
  assert_int_equal(tree_host_counts(host).wrong, 0);
  assert_true(tree_host_quiet(host));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_low, open, close),
      cmocka_unit_test_setup_teardown(test_stream, open, close),
      cmocka_unit_test_setup_teardown(test_time_out, open, close),
      cmocka_unit_test_setup_teardown(test_moves, open, close),
      cmocka_unit_test_setup_teardown(test_lost, open, close),
      cmocka_unit_test_setup_teardown(test_teardown, open, close),
      cmocka_unit_test_setup_teardown(test_denied, open, close),
      cmocka_unit_test_setup_teardown(test_fails_in_another_name, open, close),
      cmocka_unit_test_setup_teardown(test_wrong, open, close),
      cmocka_unit_test_setup_teardown(test_cast, open, close),
      cmocka_unit_test_setup_teardown(test_cast_beside_stream, open, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
