// Banks go to ports in the order of the decisions for their rank, one writer at a time, and nobody waits for ever.
// DUT: agg_store -GNumPorts=3 -GNumRanks=2
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/agg_pkg.h"

enum { PORTS = 3, RANKS = 2, DEPTH = 64, FATE_STORED = 1, FATE_DUPLICATE = 2, FATE_STALE = 12 };

/// A port: at most one packet decided, one granted; a granted one writes after a while, as agg_port's time table says.
struct port {
  bool decided, granted, wants;
  unsigned rank, since, length, id;
  unsigned write_in, write_left, write_rank, write_id;   // cycles to the first write; writes left
};

struct order {
  unsigned port[DEPTH], head, tail;
};

static void put_write(uint32_t *words, unsigned port, unsigned id) {
  for (unsigned b = 0; b < bank_write_t__BITS; b += 8)
    bits_put(words, port * bank_write_t__BITS + b, b + 8 > bank_write_t__BITS ? bank_write_t__BITS % 8 : 8, id);
}

static void decisions_rule(void **state) {
  (void)state;
  struct dut *d = dut_new();
  static struct port p[PORTS];
  static struct order order[RANKS];
  unsigned decided = 0, written = 0, next = 1;
  dut_set(d, "verdict_valid_i", 0);
  dut_set(d, "want_i", 0);
  dut_set(d, "release_i", 0);
  dut_set(d, "write_valid_i", 0);
  dut_reset(d);

  for (int cycle = 0; cycle < 60000; cycle++) {
    bool last_phase = cycle > 59000;
    // A decision.
    uint32_t verdict[WORDS_OF(verdict_t, 1)] = {0};
    unsigned v = (unsigned)rand() % PORTS;
    bool valid = !last_phase && !p[v].decided && rand() % 3 == 0;
    unsigned fate = rand() % 4 ? (rand() % 2 ? FATE_STORED : FATE_DUPLICATE) : FATE_STALE;
    unsigned rank = (unsigned)rand() % RANKS;
    bits_put(verdict, FIELD(verdict_t, port), v);
    bits_put(verdict, FIELD(verdict_t, fate), fate);
    bits_put(verdict, FIELD(verdict_t, rank), rank);
    dut_set_words(d, "verdict_i", verdict, WORDS_OF(verdict_t, 1));
    dut_set(d, "verdict_valid_i", valid);

    // What the ports do: ask when their packet before is released, write, release.
    uint64_t want = 0, banks = 0, release = 0, write_valid = 0, write_ranks = 0;
    uint32_t writes[WORDS_OF(bank_write_t, PORTS)] = {0};
    for (unsigned i = 0; i < PORTS; i++) {
      if (p[i].granted && ++p[i].since == p[i].length) {
        release |= UINT64_C(1) << (RANKS * i + p[i].write_rank);
        p[i].granted = false;
      }
      if (p[i].decided && !p[i].granted && !p[i].write_left && (p[i].wants |= rand() % 2)) {
        want |= 1u << i;
        banks |= UINT64_C(1) << (RANKS * i + p[i].rank);
      }
      if (p[i].write_left && (p[i].write_in ? p[i].write_in-- == 0 : true)) {
        write_valid |= 1u << i;
        write_ranks |= (uint64_t)p[i].write_rank << 4 * i;
        put_write(writes, i, p[i].write_id);
        p[i].write_left--;
      }
    }
    dut_set(d, "want_i", want);
    dut_set(d, "bank_i", banks);
    dut_set(d, "release_i", release);
    dut_set(d, "write_valid_i", write_valid);
    dut_set(d, "write_rank_i", write_ranks);
    dut_set_words(d, "write_i", writes, sizeof writes / 4);
    dut_eval(d);

    // A bank may be offered to a port that does not want it now.
    const uint64_t grant = dut_get(d, "grant_o") & want;
    for (unsigned i = 0; i < PORTS; i++) {
      if (!(grant >> i & 1)) continue;
      struct order *o = &order[p[i].rank];
      assert_true(o->head != o->tail);
      assert_int_equal(o->port[o->head++ % DEPTH], i);
      p[i].granted = true;
      p[i].decided = p[i].wants = false;
      p[i].since = 0;
      p[i].length = 4 + (unsigned)rand() % 6;
      p[i].write_in = 4;
      p[i].write_left = p[i].length - 1;   // ends before the next owner begins
      p[i].write_rank = p[i].rank;
      p[i].write_id = p[i].id;
    }
    if (valid && (fate == FATE_STORED || fate == FATE_DUPLICATE)) {
      struct order *o = &order[rank];
      o->port[o->tail++ % DEPTH] = v;
      p[v].decided = true;
      p[v].rank = rank;
      p[v].id = next++ & 127;
      decided++;
    }
    dut_tick(d);

    // The banks see a cycle later what the ports wrote.
    uint32_t bank[WORDS_OF(bank_write_t, RANKS)];
    dut_get_words(d, "bank_write_o", bank, sizeof bank / 4);
    uint64_t we = dut_get(d, "bank_we_o");
    for (unsigned i = 0; i < PORTS; i++) {
      if (!(write_valid >> i & 1)) continue;
      unsigned r = (unsigned)(write_ranks >> 4 * i & 15);
      assert_true(we >> r & 1);
      assert_int_equal(bits_get(bank, r * bank_write_t__BITS + bank_write_t__data__AT, 7), p[i].write_id);
      assert_int_equal(bits_get(bank, r * bank_write_t__BITS + bank_write_t__data__AT + bank_write_t__data__BITS - 8, 7),
                       p[i].write_id);
      written++;
    }
    assert_int_equal(__builtin_popcountll(we), __builtin_popcountll(write_valid));
  }
  assert_true(decided > 1000);
  assert_true(written > decided);
  for (unsigned r = 0; r < RANKS; r++) assert_int_equal(order[r].head, order[r].tail);
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(decisions_rule)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
