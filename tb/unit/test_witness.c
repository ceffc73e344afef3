// The witness: right traffic gives no fault, and each way for a device to be wrong gives one that names it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/witness.h"
#include "unit/gradient.h"
#include "wire/bytes.h"

enum { RING = 7, STRIDE = 3, WINDOW = 2, PORTS = 4, CONNS = 6, ROOM = GRADIENT_ROOM };

struct frame {
  size_t len;
  uint8_t data[ROOM];
};

static struct witness *start(unsigned workers, bool learn) {
  const struct model_limits limits = {.ports = PORTS, .ranks = 4, .conns = CONNS, .slot_bytes = 64, .max_frame_bytes = ROOM};
  const struct model_ring rings[] = {{RING, workers, WINDOW, STRIDE, learn}, {RING + 1, workers, WINDOW, STRIDE, learn}};
  return witness_new(&limits, rings, 2);
}

// Ends a test: exactly `faults`, the first of which must speak of `what`.
static void finish(struct witness *w, size_t faults, const char *what) {
  witness_finish(w);
  if (witness_faults(w) != faults)
    fail_msg("%zu faults, not %zu; the first: %s", witness_faults(w), faults,
             faults || witness_text(w, 0) ? witness_text(w, 0) : "");
  if (faults != 0 && strstr(witness_text(w, 0), what) == NULL) fail_msg("\"%s\" is not in: %s", what, witness_text(w, 0));
  assert_null(witness_text(w, faults));
  witness_free(w);
}

static void expect_counts(const struct witness *w, size_t results, size_t passed, size_t complete, size_t excused) {
  struct witness_counts c = witness_counts(w);
  assert_int_equal(c.results, results);
  assert_int_equal(c.passed, passed);
  assert_int_equal(c.complete, complete);
  assert_int_equal(c.excused, excused);
}

// --- what senders and a right device send ---

static struct gradient packet(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct ina_header ina = {RING, (uint8_t)rank, INA_FP32, msgid, STRIDE, (uint16_t)workers};
  return gradient_of(&ina, offset);
}

static struct frame built(const struct gradient *g) {
  struct frame f;
  f.len = gradient_frame(g, f.data);
  return f;
}

static struct frame in_frame(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct gradient g = packet(workers, rank, msgid, offset);
  return built(&g);
}

static void put_float(uint8_t *at, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_le32(at, bits);
}

// gradient_of sends {1, rank + 1}: the sums are known without any reduction.
static struct gradient result_of(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct gradient g = packet(workers, rank, msgid, offset);
  put_float(g.tensor, (float)workers);
  put_float(g.tensor + 4, (float)(workers * (workers + 1) / 2));
  g.build.udp_checksum = 0;
  return g;
}

static struct frame out_frame(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct gradient g = result_of(workers, rank, msgid, offset);
  return built(&g);
}

static void in(struct witness *w, unsigned port, const struct frame *f) { witness_in(w, port, f->data, f->len, false); }
static void out(struct witness *w, unsigned port, const struct frame *f) { witness_out(w, port, f->data, f->len); }

static void send(struct witness *w, unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct frame f = in_frame(workers, rank, msgid, offset);
  in(w, rank, &f);
}

static void answer(struct witness *w, unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  struct frame f = out_frame(workers, rank, msgid, offset);
  out(w, rank, &f);
}

static void send_column(struct witness *w, unsigned workers, uint32_t msgid, unsigned offset) {
  for (unsigned r = 0; r < workers; r++) send(w, workers, r, msgid, offset);
}

static void answer_column(struct witness *w, unsigned workers, uint32_t msgid, unsigned offset) {
  for (unsigned r = 0; r < workers; r++) answer(w, workers, r, msgid, offset);
}

// Something that is no gradient and passes.
static struct frame other(uint8_t mark) {
  struct frame f = {.len = 60};
  memset(f.data, 0, ROOM);
  put_be16(f.data + 12, 0x0806);
  f.data[40] = mark;
  return f;
}

// A new ICRC after a change.
static void seal(struct frame *f) {
  struct roce_packet p;
  assert_true(roce_locate(f->data, f->len, &p));
  icrc_put(f->data, &p);
}

// --- right traffic ---

static void right_traffic(void **state) {
  (void)state;
  for (unsigned workers = 1; workers <= 4; workers++) {
    struct witness *w = start(workers, true);
    for (uint32_t msgid = 0xFFFFFFFA; msgid != 6; msgid++)
      for (unsigned o = 0; o < STRIDE; o++) {
        send_column(w, workers, msgid, o);
        answer_column(w, workers, msgid, o);
      }
    witness_settled(w);
    expect_counts(w, 12u * STRIDE * workers, 0, 12 * STRIDE, 0);
    finish(w, 0, NULL);
  }
}

static void right_retransmission(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send(w, 2, 0, 0, 0);
  send(w, 2, 0, 0, 0);   // before the column is complete: both merge
  send(w, 2, 1, 0, 0);
  answer_column(w, 2, 0, 0);
  struct gradient g = packet(2, 1, 0, 0), r = result_of(2, 1, 0, 0);
  g.build.ip_id = r.build.ip_id = 999;   // a resent packet has a new identification
  struct frame again = built(&g), result = built(&r);
  in(w, 1, &again);
  out(w, 1, &result);
  witness_settled(w);
  expect_counts(w, 3, 0, 1, 0);
  finish(w, 0, NULL);
}

static void right_passing(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct frame a = other(1), b = other(2), middle = in_frame(2, 0, 0, 1), bad = in_frame(2, 0, 0, 0), late = in_frame(2, 0, 9, 2);
  bad.data[bad.len - 1] ^= 1;
  in(w, 0, &a);
  in(w, 0, &middle);   // of a connection nobody has seen yet
  in(w, 0, &bad);
  witness_in(w, 0, a.data, a.len, true);
  witness_in(w, 0, (uint8_t[ROOM + 1]){0}, ROOM + 1, false);
  send(w, 2, 0, 0, 0);
  in(w, 0, &late);   // of a message nobody has seen
  in(w, 0, &b);
  out(w, 0, &a);
  out(w, 0, &middle);
  out(w, 0, &b);
  witness_settled(w);
  expect_counts(w, 0, 3, 0, 0);
  finish(w, 0, NULL);
}

static void registered_connections(void **state) {
  (void)state;
  struct witness *w = start(2, false);
  struct gradient g = packet(2, 0, 0, 0);
  struct frame middle = in_frame(2, 1, 0, 1);
  send(w, 2, 0, 0, 0);   // unregistered: dropped
  in(w, 1, &middle);     // and its successors pass
  out(w, 1, &middle);
  witness_connect(w, 0, 0, &g.build.key);
  g = packet(2, 1, 0, 0);
  witness_connect(w, 0, 1, &g.build.key);
  send_column(w, 2, 0, 0);
  answer_column(w, 2, 0, 0);
  in(w, 1, &middle);
  witness_settled(w);
  expect_counts(w, 2, 1, 1, 0);
  finish(w, 0, NULL);
}

// A rejected claim leaves a connection unknown, so its middle packets pass.
static void rank_conflict(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send(w, 2, 0, 0, 0);
  struct gradient g = packet(2, 0, 0, 0), m = packet(2, 0, 0, 1);
  g.build.key.qpn = m.build.key.qpn = 77;
  struct frame claim = built(&g), middle = built(&m);
  in(w, 0, &claim);
  in(w, 0, &middle);
  out(w, 0, &middle);
  send(w, 2, 1, 0, 0);
  answer_column(w, 2, 0, 0);
  finish(w, 0, NULL);
}

static void table_full(void **state) {
  (void)state;
  struct witness *w = start(4, true);
  for (unsigned r = 0; r < 4; r++) send(w, 4, r, 0, 0);
  answer_column(w, 4, 0, 0);
  witness_settled(w);
  for (unsigned r = 0; r < 4; r++) {
    struct gradient g = packet(4, r, 0, 0), m = packet(4, r, 0, 1);
    g.ina.ring = RING + 1;
    g.build.key.qpn = m.build.key.qpn = 500 + r;
    struct frame first = built(&g), middle = built(&m);
    in(w, 0, &first);
    in(w, 0, &middle);
    if (r >= CONNS - 4) out(w, 0, &middle);
  }
  finish(w, 0, NULL);
}

static void flush(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 5, 0);
  answer_column(w, 2, 5, 0);
  send(w, 2, 0, 5, 1);
  witness_flush(w, 0);
  struct frame middle = in_frame(2, 0, 5, 1);
  in(w, 0, &middle);
  out(w, 0, &middle);
  send_column(w, 2, 1, 0);   // older than before: the history is gone
  answer_column(w, 2, 1, 0);
  witness_settled(w);
  expect_counts(w, 4, 1, 2, 0);
  answer(w, 2, 0, 5, 0);
  finish(w, 1, "no gradient with its connection and PSN");
}

// On two ports at once the order of packets is open: either outcome is right, and the column is excused.
static void roaming(void **state) {
  (void)state;
  for (unsigned passes = 0; passes < 2; passes++) {
    struct witness *w = start(2, true);
    send(w, 2, 1, 0, 0);
    send(w, 2, 1, 0, 1);
    struct frame middle = in_frame(2, 0, 0, 1), result = out_frame(2, 0, 0, 1);
    in(w, 2, &middle);
    send(w, 2, 0, 0, 0);
    if (passes == 1) out(w, 2, &middle);
    answer_column(w, 2, 0, 0);
    if (passes == 0) {
      out(w, 2, &result);
      answer(w, 2, 1, 0, 1);
    }
    witness_settled(w);
    expect_counts(w, passes == 0 ? 4 : 2, passes, passes == 0 ? 2 : 1, passes);
    finish(w, 0, NULL);
  }
}

static void contested_rank(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct gradient g = packet(2, 0, 0, 0), r = result_of(2, 0, 0, 0);
  g.build.key.qpn = r.build.key.qpn = 77;
  struct frame claim = built(&g), result = built(&r);
  send_column(w, 2, 0, 0);
  in(w, 3, &claim);
  out(w, 3, &result);   // it came first after all
  answer(w, 2, 1, 0, 0);
  finish(w, 0, NULL);
}

// Any one of a rank's contradicting packets may be the one that is stored, but not a mixture.
static void contradicting_packets(void **state) {
  (void)state;
  for (unsigned wrong = 0; wrong < 2; wrong++) {
    struct witness *w = start(2, true);
    struct gradient g = packet(2, 0, 0, 0);
    put_float(g.tensor, 10);
    struct frame second = built(&g);
    send(w, 2, 0, 0, 0);
    in(w, 0, &second);
    send(w, 2, 1, 0, 0);
    for (unsigned r = 0; r < 2; r++) {
      struct gradient result = result_of(2, r, 0, 0);
      put_float(result.tensor, wrong ? 12 : 11);
      struct frame f = built(&result);
      out(w, r, &f);
    }
    finish(w, wrong ? 4 : 0, "not the reduction");
  }
}

static void excuses(void **state) {
  (void)state;
  // Of two lengths one is dropped.
  struct witness *w = start(2, true);
  struct gradient g = packet(2, 0, 0, 0);
  g.len = 12;
  struct frame longer = built(&g);
  in(w, 0, &longer);
  send(w, 2, 1, 0, 0);
  witness_settled(w);
  expect_counts(w, 0, 0, 0, 1);
  finish(w, 0, NULL);
  // A sender that does not wait for a message 2N older; its column does not come in.
  w = start(2, true);
  send(w, 2, 0, 0, 0);
  send_column(w, 2, 2 * WINDOW, 0);
  witness_settled(w);
  expect_counts(w, 0, 0, 0, 1);
  finish(w, 0, NULL);
  // Results of a message N newer free the slot.
  w = start(2, true);
  send(w, 2, 0, 0, 0);
  send_column(w, 2, WINDOW, 0);
  answer_column(w, 2, WINDOW, 0);
  send(w, 2, 1, 0, 0);
  witness_settled(w);
  expect_counts(w, 2, 0, 1, 1);
  finish(w, 0, NULL);
  // Without a reason there is no excuse: a message less than N newer takes nobody's place.
  w = start(2, true);
  send_column(w, 2, 0, 0);
  send_column(w, 2, 1, 0);
  answer_column(w, 2, 1, 0);
  finish(w, 2, "got no result");
}

// --- wrong devices ---

// A column of two ranks has gone in, and rank 1 has its result.
static struct witness *half_answered(void) {
  struct witness *w = start(2, true);
  send_column(w, 2, 0, 0);
  answer(w, 2, 1, 0, 0);
  return w;
}

static void wrong_results(void **state) {
  (void)state;
  const struct {
    size_t at;   // offset in the frame; from the end of the frame if `back`
    bool back, sealed;
    const char *fault;
  } changes[] = {
      {0, false, true, "Ethernet, IP or UDP header"},        // MAC address
      {14 + 4, false, true, "Ethernet, IP or UDP header"},   // IP identification
      {34, false, true, "Ethernet, IP or UDP header"},       // UDP source
      {14 + 20 + 6, false, true, "UDP checksum"},
      {42 + 1, false, true, "result: its length"},            // see below: pad count
      {42 + 9, false, true, "no gradient with"},              // PSN
      {54, false, true, "BTH, extension or INA header"},      // RETH
      {54 + 16 + 15, false, true, "BTH, extension or INA"},   // INA header: workers
      {54 + 16 + 16, false, true, "not the reduction"},       // first byte of the tensor
      {4 + 1, true, true, "not the reduction"},               // last one
      {1, true, false, "ICRC"},
  };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    struct witness *w = half_answered();
    struct frame f = out_frame(2, 0, 0, 0);
    if (strstr(changes[i].fault, "length") != NULL)
      f.data[f.len++] = 0;   // a byte behind the ICRC
    else
      f.data[changes[i].back ? f.len - changes[i].at : changes[i].at] ^= 1;
    if (changes[i].sealed) seal(&f);
    out(w, 0, &f);
    finish(w, 2, changes[i].fault);   // the second: rank 0 has no result
  }
}

static void wrong_pad(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  for (unsigned r = 0; r < 2; r++) {
    struct gradient g = packet(2, r, 0, 0);
    g.ina.kind = INA_FP16;
    g.len = 6;
    memset(g.tensor, 0, 6);
    g.build.pad_fill = 0xAA;
    struct frame f = built(&g);
    in(w, r, &f);
  }
  for (unsigned r = 0; r < 2; r++) {
    struct gradient g = packet(2, r, 0, 0);
    g.ina.kind = INA_FP16;
    g.len = 6;
    memset(g.tensor, 0, 6);
    g.build.pad_fill = r == 0 ? 0xAA : 0;
    g.build.udp_checksum = 0;
    struct frame f = built(&g);
    out(w, r, &f);
  }
  finish(w, 2, "pad differs");
}

static void wrong_rank(void **state) {
  (void)state;
  struct witness *w = half_answered();
  struct frame f = out_frame(2, 1, 0, 0);
  out(w, 0, &f);   // rank 1's headers on rank 0's port
  finish(w, 2, "no gradient with");
}

static void raw_gradient(void **state) {
  (void)state;
  for (unsigned offset = 0; offset < STRIDE; offset++) {
    struct witness *w = start(2, true);
    send(w, 2, 0, 0, 0);
    if (offset != 0) send(w, 2, 0, 0, offset);
    struct frame f = in_frame(2, 0, 0, offset);
    out(w, 0, &f);
    finish(w, 1, "UDP checksum");
  }
}

static void too_many_results(void **state) {
  (void)state;
  struct witness *w = half_answered();
  answer(w, 2, 0, 0, 0);
  answer(w, 2, 0, 0, 0);
  finish(w, 1, "one more than packets came in");
}

static void missing_results(void **state) {
  (void)state;
  finish(half_answered(), 1, "rank 0 got no result");
  struct witness *w = start(4, true);
  for (unsigned o = 0; o < STRIDE; o++) send_column(w, 4, 0, o);
  for (unsigned o = 0; o < STRIDE - 1; o++) answer_column(w, 4, 0, o);
  finish(w, 4, "offset 2");
}

static void premature_result(void **state) {
  (void)state;
  struct witness *w = start(3, true);
  send(w, 3, 0, 0, 0);
  send(w, 3, 1, 0, 0);
  answer(w, 3, 0, 0, 0);
  finish(w, 1, "not every rank has sent");
}

// Sums must be of one column: rank 1's tensor is that of another message.
static void mixed_columns(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 0, 0);
  answer_column(w, 2, 0, 0);
  send(w, 2, 0, 1, 0);
  struct gradient g = packet(2, 1, 1, 0);
  put_float(g.tensor, 5);
  struct frame f = built(&g);
  in(w, 1, &f);
  answer_column(w, 2, 1, 0);
  finish(w, 4, "not the reduction");
}

static void wrong_passing(void **state) {
  (void)state;
  struct frame a = other(1), b = other(2), changed = other(1);
  changed.data[50] = 1;
  // Lost: seen when a later one leaves, or at the end.
  struct witness *w = start(2, true);
  in(w, 0, &a);
  in(w, 0, &b);
  out(w, 0, &b);
  finish(w, 1, "a later one left before it");
  w = start(2, true);
  in(w, 0, &a);
  finish(w, 1, "never left");
  // A middle packet of an unknown connection is no exception, even if the connection becomes known behind it.
  w = start(2, true);
  send(w, 2, 0, 0, 1);
  send(w, 2, 0, 0, 0);
  finish(w, 1, "never left");
  // Out of order.
  w = start(2, true);
  in(w, 0, &a);
  in(w, 0, &b);
  out(w, 0, &b);
  out(w, 0, &a);
  finish(w, 2, "a later one left before it");
  // Altered, cut, on another port, twice.
  w = start(2, true);
  in(w, 0, &a);
  out(w, 0, &changed);
  finish(w, 2, "no such frame is due");
  w = start(2, true);
  in(w, 0, &a);
  witness_out(w, 0, a.data, a.len - 1);
  finish(w, 2, "no such frame is due");
  w = start(2, true);
  in(w, 0, &a);
  out(w, 1, &a);
  finish(w, 2, "no such frame is due");
  w = start(2, true);
  in(w, 0, &a);
  out(w, 0, &a);
  out(w, 0, &a);
  finish(w, 1, "no such frame is due");
}

static void leaks(void **state) {
  (void)state;
  struct frame bad = in_frame(2, 0, 0, 0), arp = other(1), ack;
  bad.data[bad.len - 1] ^= 1;
  struct witness *w = start(2, true);
  in(w, 0, &bad);
  out(w, 0, &bad);
  finish(w, 1, "ICRC");
  struct gradient g = packet(2, 0, 0, 0);
  g.build.opcode = ROCE_ACK;
  ack = built(&g);
  ack.data[ack.len - 1] ^= 1;
  w = start(2, true);
  in(w, 0, &ack);
  out(w, 0, &ack);
  finish(w, 1, "ICRC");
  w = start(2, true);
  witness_in(w, 0, arp.data, arp.len, true);
  out(w, 0, &arp);
  finish(w, 1, "no such frame is due");
  uint8_t longer[ROOM + 1] = {0};
  w = start(2, true);
  witness_in(w, 0, longer, sizeof longer, false);
  witness_out(w, 0, longer, sizeof longer);
  finish(w, 1, "no such frame is due");
}

static void no_such_port(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct frame a = other(1);
  in(w, PORTS, &a);
  out(w, PORTS, &a);
  finish(w, 2, "does not exist");
}

// Long runs with quiet moments forget what is over, and stay as strict.
static void long_run(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  enum { MESSAGES = 6000 };
  for (uint32_t msgid = 0; msgid < MESSAGES; msgid++) {
    send_column(w, 2, msgid, 0);
    if (msgid != MESSAGES - 1) answer_column(w, 2, msgid, 0);
    if (msgid == MESSAGES / 4 * 3) witness_settled(w);
  }
  assert_int_equal(witness_faults(w), 0);
  answer(w, 2, 1, 3, 0);
  finish(w, 3, "no gradient with");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_traffic),   cmocka_unit_test(right_retransmission),
      cmocka_unit_test(right_passing),   cmocka_unit_test(registered_connections),
      cmocka_unit_test(rank_conflict),   cmocka_unit_test(table_full),
      cmocka_unit_test(flush),           cmocka_unit_test(roaming),
      cmocka_unit_test(contested_rank),  cmocka_unit_test(contradicting_packets),
      cmocka_unit_test(excuses),         cmocka_unit_test(wrong_results),
      cmocka_unit_test(wrong_pad),       cmocka_unit_test(wrong_rank),
      cmocka_unit_test(raw_gradient),    cmocka_unit_test(too_many_results),
      cmocka_unit_test(missing_results), cmocka_unit_test(premature_result),
      cmocka_unit_test(mixed_columns),   cmocka_unit_test(wrong_passing),
      cmocka_unit_test(leaks),           cmocka_unit_test(no_such_port),
      cmocka_unit_test(long_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
