// The witness and wrong devices: each way to be wrong gives a fault that names it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/oracle/witness_traffic.h"
#include "wire/bytes.h"

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

// Copies that say the same are no reason to believe anything.
static void many_copies(void **state) {
  (void)state;
  struct witness *w = half_answered();
  for (unsigned i = 0; i < 100; i++) send_column(w, 2, 0, 0);
  struct gradient g = result_of(2, 0, 0, 0);
  put_float(g.tensor, 3);
  struct frame f = built(&g);
  out(w, 0, &f);
  finish(w, 2, "not the reduction");
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
  w = start(2, true);
  send(w, 2, 0, 0, 1);
  finish(w, 1, "never left");
  // Nor is one whose connection was turned away.
  w = start(2, true);
  struct gradient g = packet(2, 0, 0, 0), m = packet(2, 0, 0, 1);
  g.build.key.qpn = m.build.key.qpn = 77;
  struct frame claim = built(&g), middle = built(&m);
  send(w, 2, 0, 0, 0);
  in(w, 0, &claim);
  in(w, 0, &middle);
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
    if (msgid != MESSAGES / 4 * 3) continue;
    witness_settled(w);
    send(w, 2, 1, msgid, 0);
    answer(w, 2, 1, msgid, 0);
  }
  assert_int_equal(witness_faults(w), 0);
  answer(w, 2, 1, 3, 0);
  finish(w, 3, "no gradient with");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_results),    cmocka_unit_test(wrong_pad),
      cmocka_unit_test(wrong_rank),       cmocka_unit_test(raw_gradient),
      cmocka_unit_test(too_many_results), cmocka_unit_test(missing_results),
      cmocka_unit_test(premature_result), cmocka_unit_test(mixed_columns),
      cmocka_unit_test(wrong_passing),    cmocka_unit_test(leaks),
      cmocka_unit_test(no_such_port),     cmocka_unit_test(long_run),
      cmocka_unit_test(many_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
