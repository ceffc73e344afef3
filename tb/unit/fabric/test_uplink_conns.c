// Tables of connections side by side: each queue's packets are counted in its own one, what is no RoCEv2 in none, and software reads the place that it asked
// for, of the queue that it asked for, whatever comes meanwhile.
// DUT: uplink_conns -GNumSources=3 -GSets=8 -GWays=2
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/bits.h"
#include "drive/dut.h"
#include "model/uplink/uplink_flow.h"
#include "structs/uplink_flow_pkg.h"
#include "structs/uplink_pkg.h"
#include "structs/uplink_route_pkg.h"

enum { SOURCES = 3, SETS = 8, WAYS = 2, FLOWS = 12, QUIET = 64, SEND = 4, READ = 12, ACK = 17 };

struct bench {
  struct dut *d;
  struct rng rng;
  struct uplink_order *model[SOURCES];
  uint32_t count[SOURCES][UPLINK_ORDER_VERDICTS], next[SOURCES][FLOWS];
};

static struct uplink_key name_of(unsigned flow) {
  return (struct uplink_key){.dst = {flow % 2 ? 0x20010DB800000000 : 0, uplink_mapped(0x0A000000 + flow * 5)},
                             .qpn = 0x11 + flow * 0x101};
}

/// A cycle in which each queue has a packet, with this chance in percent.
static void cycle(struct bench *b, unsigned percent) {
  uint32_t words[WORDS_OF(read_t, SOURCES)] = {0}, valid = 0;
  const bool busy = dut_get(b->d, "busy_o");
  for (unsigned s = 0; s < SOURCES; s++) {
    if (!rng_percent(&b->rng, percent)) continue;
    const unsigned flow = rng_below(&b->rng, FLOWS), kind = rng_below(&b->rng, 10);
    const struct uplink_key key = name_of(flow);
    const uint8_t opcode = kind == 0 ? READ : kind == 1 ? ACK : SEND;
    const bool roce = rng_below(&b->rng, 8) > 0;
    // Some are lost, some come again.
    b->next[s][flow] += kind == 2 ? 3 : kind == 3 ? (uint32_t)-2 : 1;
    const uint32_t psn = b->next[s][flow] & 0xFFFFFF;
    const size_t at = s * read_t__BITS, name = at + read_t__key__AT;
    bits_put(words, name + FIELD(uplink_key_t, qpn), key.qpn);
    bits_put(words, name + uplink_key_t__dst__AT, 64, key.dst[1]);
    bits_put(words, name + uplink_key_t__dst__AT + 64, 64, key.dst[0]);
    bits_put(words, at + FIELD(read_t, roce), roce);
    bits_put(words, at + FIELD(read_t, opcode), opcode);
    bits_put(words, at + FIELD(read_t, psn), psn);
    valid |= 1u << s;
    if (!roce || !uplink_has_order(opcode)) continue;
    b->count[s][busy ? UPLINK_ORDER_FULL : uplink_order_step(b->model[s], &key, opcode, psn)]++;
  }
  dut_set(b->d, "valid_i", valid);
  dut_set_words(b->d, "read_i", words, sizeof words / sizeof *words);
  dut_tick(b->d);
}

static struct bench start(uint64_t seed) {
  struct bench b = {.d = dut_new(), .rng = rng_for(seed, 4)};
  for (unsigned s = 0; s < SOURCES; s++) b.model[s] = uplink_order_new(SETS, WAYS);
  dut_reset(b.d);
  for (unsigned i = 0; i < QUIET; i++) cycle(&b, 0);
  assert_int_equal(dut_get(b.d, "busy_o"), 0);
  return b;
}

static void end(struct bench *b) {
  for (unsigned s = 0; s < SOURCES; s++) uplink_order_free(b->model[s]);
  dut_free(b->d);
}

static void same_counts(struct bench *b) {
  uint32_t words[SOURCES * UPLINK_ORDER_VERDICTS];
  for (unsigned i = 0; i < 10; i++) cycle(b, 0);
  dut_get_words(b->d, "count_o", words, SOURCES * UPLINK_ORDER_VERDICTS);
  for (unsigned s = 0; s < SOURCES; s++)
    for (unsigned v = 0; v < UPLINK_ORDER_VERDICTS; v++) assert_int_equal(words[s * UPLINK_ORDER_VERDICTS + v], b->count[s][v]);
}

/// Asks for a place; false if nothing is there. `percent`: packets that come meanwhile.
static bool ask(struct bench *b, unsigned source, unsigned at, unsigned percent, struct uplink_conn *c) {
  dut_set(b->d, "ask_i", 1);
  dut_set(b->d, "source_i", source);
  dut_set(b->d, "set_i", at / WAYS);
  dut_set(b->d, "way_i", at % WAYS);
  cycle(b, percent);
  dut_set(b->d, "ask_i", 0);
  // What is asked for next must not matter.
  dut_set(b->d, "source_i", (source + 1) % SOURCES);
  assert_int_equal(dut_get(b->d, "done_o"), 0);
  for (unsigned i = 0; !dut_get(b->d, "done_o"); i++) {
    assert_true(i < 500);
    cycle(b, percent);
  }
  uint32_t words[WORDS_OF(conn_t, 1)];
  dut_get_words(b->d, "conn_o", words, sizeof words / sizeof *words);
  *c = (struct uplink_conn){.dst = {bits_get(words, conn_t__dst__AT + 64, 64), bits_get(words, conn_t__dst__AT, 64)},
                            .qpn = (uint32_t)bits_get(words, FIELD(conn_t, qpn)),
                            .next = (uint32_t)bits_get(words, FIELD(conn_t, psn)),
                            .gaps = (uint16_t)bits_get(words, FIELD(conn_t, gaps)),
                            .duplicates = (uint16_t)bits_get(words, FIELD(conn_t, duplicates))};
  return bits_get(words, FIELD(conn_t, used)) != 0;
}

static void same_places(struct bench *b) {
  for (unsigned s = 0; s < SOURCES; s++) {
    size_t known, found = 0;
    uplink_order_all(b->model[s], &known);
    for (unsigned at = 0; at < SETS * WAYS; at++) {
      struct uplink_conn c;
      if (!ask(b, s, at, 0, &c)) continue;
      const struct uplink_key key = {.dst = {c.dst[0], c.dst[1]}, .qpn = c.qpn};
      const struct uplink_conn *m = uplink_order_find(b->model[s], &key);
      assert_non_null(m);
      assert_int_equal(c.next, m->next);
      assert_int_equal(c.gaps, m->gaps);
      assert_int_equal(c.duplicates, m->duplicates);
      found++;
    }
    assert_int_equal(found, known);
  }
}

static void each_by_itself(void **state) {
  (void)state;
  for (uint64_t n = 0; n < 4; n++) {
    struct bench b = start(n);
    for (unsigned i = 0; i < 3000; i++) cycle(&b, n == 0 ? 100 : 40);
    same_counts(&b);
    same_places(&b);
    for (unsigned v = 0; v < UPLINK_ORDER_VERDICTS; v++) assert_true(v == UPLINK_ORDER_FULL || b.count[1][v] > 0);
    end(&b);
  }
}

/// Software asks while packets come: it gets a place that is there, and nothing is miscounted.
static void asked_amid_packets(void **state) {
  (void)state;
  struct bench b = start(7);
  unsigned used = 0;
  for (unsigned i = 0; i < 400; i++) {
    struct uplink_conn c;
    if (!ask(&b, i % SOURCES, i % (SETS * WAYS), 70, &c)) continue;
    unsigned flow = 0;
    while (flow < FLOWS && (name_of(flow).qpn != c.qpn || name_of(flow).dst[1] != c.dst[1] || name_of(flow).dst[0] != c.dst[0]))
      flow++;
    assert_true(flow < FLOWS);
    used++;
  }
  assert_true(used > 200);
  same_counts(&b);
  same_places(&b);
  end(&b);
}

static void cleared(void **state) {
  (void)state;
  struct bench b = start(8);
  for (unsigned i = 0; i < 500; i++) cycle(&b, 60);
  for (unsigned i = 0; i < QUIET; i++) cycle(&b, 0);
  dut_set(b.d, "clear_i", 1);
  cycle(&b, 0);
  dut_set(b.d, "clear_i", 0);
  assert_int_equal(dut_get(b.d, "busy_o"), 1);
  for (unsigned s = 0; s < SOURCES; s++) uplink_order_clear(b.model[s]);
  unsigned busy = 0;
  for (; dut_get(b.d, "busy_o"); busy++) cycle(&b, 50);
  assert_in_range(busy, SETS, SETS + QUIET);
  for (unsigned i = 0; i < 500; i++) cycle(&b, 60);
  same_counts(&b);
  same_places(&b);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_by_itself), cmocka_unit_test(asked_amid_packets),
                                     cmocka_unit_test(cleared)};
  return cmocka_run_group_tests_name("uplink_conns", tests, NULL, NULL);
}
