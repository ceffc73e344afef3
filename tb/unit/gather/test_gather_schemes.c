// Static and virtual concatenation queues make the same packets in the same order while the pool is ample.
// DUT: gather_concat_both
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
#include "structs/gather_pkg.h"
#include "unit/gather/gather_prs.h"

enum { SCHEMES = 2, NODES = 8, START = 12, MAX_PACKETS = 4000, PACKET_ROOM = 1536 };

struct packet {
  uint32_t head[WORDS_OF(closed_t, 1)];
  size_t got;
  uint8_t data[PACKET_ROOM];
};

struct bench {
  struct dut *dut;
  struct packet *packets[SCHEMES];
  size_t begun[SCHEMES], ended[SCHEMES];
};

static size_t stop_of(const struct packet *p) { return bits_get(p->head, FIELD(closed_t, stop)); }

static void cycle(struct bench *b, const struct pr *pr, size_t beat, bool *taken) {
  uint32_t w[WORDS_OF(packet_beat_t, SCHEMES)];
  unsigned packet_ready = 0, data_ready = 0;
  for (unsigned v = 0; v < SCHEMES; v++) {
    if (b->begun[v] == b->ended[v]) {
      packet_ready |= 1u << v;
    } else {
      data_ready |= 1u << v;
    }
  }
  dut_set(b->dut, "pr_valid_i", pr != NULL);
  if (pr) gather_set_beat(b->dut, "pr_i", pr, beat);
  dut_set(b->dut, "packet_ready_i", packet_ready);
  dut_set(b->dut, "data_ready_i", data_ready);
  dut_eval(b->dut);
  assert_int_equal(dut_get(b->dut, "stall_pool_o"), 0);
  const uint64_t packet = dut_get(b->dut, "packet_valid_o") & packet_ready, data = dut_get(b->dut, "data_valid_o") & data_ready;
  for (unsigned v = 0; v < SCHEMES; v++) {
    if (packet >> v & 1) {
      assert_true(b->begun[v] < MAX_PACKETS);
      dut_get_words(b->dut, "packet_o", w, WORDS_OF(closed_t, SCHEMES));
      struct packet *p = &b->packets[v][b->begun[v]++];
      *p = (struct packet){0};
      for (unsigned at = 0; at < closed_t__BITS; at += 16) {
        const unsigned bits = closed_t__BITS - at < 16 ? closed_t__BITS - at : 16;
        bits_put(p->head, at, bits, bits_get(w, v * closed_t__BITS + at, bits));
      }
    }
    if (data >> v & 1) {
      struct packet *p = &b->packets[v][b->ended[v]];
      dut_get_words(b->dut, "data_o", w, WORDS_OF(packet_beat_t, SCHEMES));
      assert_true(p->got + 64 <= PACKET_ROOM);
      bits_get_bytes(w, v * packet_beat_t__BITS + FIELD(packet_beat_t, data), p->data + p->got);
      p->got += packet_beat_t__data__BITS / 8;
      if (bits_get(w, v * packet_beat_t__BITS + FIELD(packet_beat_t, last))) b->ended[v]++;
    }
  }
  if (taken) *taken = dut_get(b->dut, "pr_ready_o") != 0;
  dut_tick(b->dut);
}

static void same_packets(void **state) {
  (void)state;
  static const unsigned lengths[] = {4, 64, 128, 512, 46, 110}, delays[] = {20, 125, 500};
  struct bench b = {.dut = dut_new()};
  for (unsigned v = 0; v < SCHEMES; v++) b.packets[v] = calloc(MAX_PACKETS, sizeof *b.packets[v]);
  dut_reset(b.dut);
  for (unsigned run = 0; run < 18; run++) {
    dut_set(b.dut, "delay_i", delays[run % 3]);
    for (unsigned i = 0; i < 300; i++) {
      struct pr pr;
      gather_random_pr(&pr, gather_pick(2), NODES, lengths[run / 3]);
      pr.generation = (uint16_t)(run + i / 150);
      for (size_t beat = 0; beat < gather_beats(&pr);) {
        bool taken = false;
        cycle(&b, &pr, beat, &taken);
        beat += taken;
      }
      // As fast as packets leave, and not faster: storage stays ample.
      for (unsigned n = 0; n < (pr.response ? pr.len / 32 + 2 : 2); n++) cycle(&b, NULL, 0, NULL);
    }
    for (unsigned n = 0; n < 2000; n++) cycle(&b, NULL, 0, NULL);
    assert_int_equal(dut_get(b.dut, "idle_o"), 3);
  }
  assert_true(b.ended[0] > 500);
  assert_int_equal(b.ended[0], b.ended[1]);
  for (size_t i = 0; i < b.ended[0]; i++) {
    const struct packet *s = &b.packets[0][i], *v = &b.packets[1][i];
    assert_memory_equal(s->head, v->head, sizeof s->head);
    assert_memory_equal(s->data + START, v->data + START, stop_of(s) - START);
  }
  print_message("%zu packets\n", b.ended[0]);
  for (unsigned v = 0; v < SCHEMES; v++) free(b.packets[v]);
  dut_free(b.dut);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_packets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
