// Look-up against a plain twin: what each packet is, in the order in which requests were accepted, under stalls, with
// connections registered and twin.rings flushed in between.
// DUT: agg_lookup -GNumPorts=3 -GNumRanks=3 -GNumRings=3 -GNumConns=4 -GMaxWindow=2 -GSlotBytes=256
// DUT: agg_lookup -GNumPorts=3 -GNumRanks=3 -GNumRings=3 -GNumConns=4 -GMaxWindow=2 -GSlotBytes=256 -GEcc=1
// DUT: agg_lookup -GNumPorts=1 -GNumRanks=3 -GNumRings=3 -GNumConns=4 -GMaxWindow=2 -GSlotBytes=256
// DUT: agg_lookup -GNumPorts=2 -GNumRanks=3 -GNumRings=3 -GNumConns=4 -GMaxWindow=2 -GSlotBytes=256 -GSpine=1
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
#include "structs/roce_pkg.h"
#include "unit/aggregate/classify/lookup_rules.h"

enum { MAX_PORTS = 3, SPINE_PORTS = 2, RANKS = 3, KEYS = 9, REQUESTS = 60000 };

static struct lookup_rules twin = {
    .rings = {
        {.enable = true, .learn = true, .id = 1, .workers = 3, .window_log2 = 1, .stride = 5, .base = 0},
        {.enable = true, .learn = false, .id = 7, .workers = 2, .window_log2 = 0, .stride = 9, .base = 32},
        {.drop = true, .learn = true, .id = 3, .workers = 2, .window_log2 = 1, .stride = 4, .base = 64},
    }};

// ------------------------------------------------------------------------------------------------ requests

static uint32_t progress[KEYS];

/// The ring that a header is of; any one if it is of none.
static const struct lookup_ring *named(unsigned id) {
  unsigned g = LOOKUP_RINGS - 1;
  while (g > 0 && twin.rings[g].id != id) g--;
  return &twin.rings[g];
}

/// Mostly what an honest sender would send, now and then anything.
static struct lookup_request draw(void) {
  struct lookup_request q = {.key = (unsigned)rand() % KEYS};
  const unsigned g = q.key % 7 == 6 ? 2 : q.key % 5 >= 3;   // keys 0..2 ring 0, 3, 4 ring 1, ..
  const struct lookup_ring *ring = &twin.rings[g];
  q.ring_id = rand() % 40 ? ring->id : (unsigned)rand() % 10;
  q.rank = rand() % 40 ? q.key % 5 % 3 % ring->workers : (unsigned)rand() % 5;
  q.workers = rand() % 40 ? ring->workers : (unsigned)rand() % 5;
  if (rand() % 80 == 0) q.workers = ring->workers | (1 + (unsigned)rand() % 255) << 8;   // as a result has it
  q.msglen = rand() % 20 ? ring->stride : (unsigned)rand() % 12;
  q.kind = rand() % 20 ? q.key & 3 : (unsigned)rand() % 0x42;
  q.tensor = rand() % 8 ? 4 * ((unsigned)rand() % 65) : (unsigned)rand() % 300;
  q.len_bad = rand() % 50 == 0;
  if (rand() % 6 == 0) progress[q.key]++;
  q.msgid = 0xfffffff8u + progress[q.key] - (unsigned)rand() % 4 + (rand() % 20 ? 0 : (unsigned)rand() % 9);
  q.psn = (0xffff00u + q.msgid * ring->stride) & 0xffffff;
  if (rand() % 2) {
    q.starts = true;
    q.has_ina = rand() % 10 != 0;
    if (rand() % 20 == 0) q.psn = (q.psn + (unsigned)rand() % 3) & 0xffffff;
  } else {
    q.psn = (q.psn + (unsigned)rand() % (ring->stride + 1)) & 0xffffff;
  }
  // A device's packets all have a header, and none is outside of its message (relay_place).
  if (ring->columns && rand() % 10) q.starts = q.has_ina = true;
  if (q.has_ina && named(q.ring_id)->columns) q.psn = q.msglen ? (unsigned)rand() % q.msglen : 0;
  return q;
}

static void put_key(uint32_t *words, size_t lsb, unsigned key) {
  bits_put(words, lsb + FIELD(conn_key_t, qpn), 0x40 + key / 5);
  bits_put(words, lsb + FIELD(conn_key_t, dst), 0x0a000001u + key % 2);
  // Keys of one ring differ in one bit only, far apart; the last one from that before it in its VLAN only.
  bits_put(words, lsb + conn_key_t__src__AT + (key == KEYS - 1 ? KEYS - 3 : key) * 14, 1, 1);
  bits_put(words, lsb + FIELD(conn_key_t, vlan), key == KEYS - 1 ? 1 : 0);
  bits_put(words, lsb + FIELD(conn_key_t, v6), key & 1);
}

static uint32_t turned(uint32_t word, unsigned by) { return by ? word << by | word >> (32 - by) : word; }

/// The hash of the key that stands in `words`.
static unsigned hash_of(const uint32_t *words, size_t lsb) {
  static const unsigned turns[] = {0, 7, 14, 21, 11, 18, 25, 29};
  uint32_t fold = turned((uint32_t)bits_get(words, lsb + FIELD(conn_key_t, vlan)), 3);
  fold ^=
      turned((uint32_t)(bits_get(words, lsb + FIELD(conn_key_t, qpn)) | bits_get(words, lsb + FIELD(conn_key_t, v6)) << 31), 22);
  for (unsigned i = 0; i < 4; i++) {
    fold ^= turned((uint32_t)bits_get(words, lsb + conn_key_t__src__AT + 32 * i, 32), turns[i]);
    fold ^= turned((uint32_t)bits_get(words, lsb + conn_key_t__dst__AT + 32 * i, 32), turns[4 + i]);
  }
  unsigned crc = 0;
  for (unsigned bit = 32; bit-- > 0;) crc = (crc << 1 & 0xffff) ^ ((crc >> 15 ^ fold >> bit) & 1 ? 0x1021 : 0);
  return crc;
}

static void put_request(uint32_t *words, size_t lsb, const struct lookup_request *q) {
  bits_put(words, lsb + FIELD(frame_desc_t, len_bad), q->len_bad);
  bits_put(words, lsb + FIELD(frame_desc_t, tensor_len), q->tensor);
  bits_put(words, lsb + FIELD(frame_desc_t, ina__workers), q->workers);
  bits_put(words, lsb + FIELD(frame_desc_t, ina__msglen), q->msglen);
  bits_put(words, lsb + FIELD(frame_desc_t, ina__msgid), q->msgid);
  bits_put(words, lsb + FIELD(frame_desc_t, ina__kind), q->kind);
  bits_put(words, lsb + FIELD(frame_desc_t, ina__rank), q->rank);
  bits_put(words, lsb + FIELD(frame_desc_t, ina__ring), q->ring_id);
  bits_put(words, lsb + FIELD(frame_desc_t, psn), q->psn);
  put_key(words, lsb + frame_desc_t__key__AT, q->key);
  const unsigned hash = hash_of(words, lsb + frame_desc_t__key__AT);
  bits_put(words, lsb + FIELD(frame_desc_t, hash__left), hash >> 8);
  bits_put(words, lsb + FIELD(frame_desc_t, hash__right), hash & 255);
  bits_put(words, lsb + FIELD(frame_desc_t, has_ina), q->has_ina);
  bits_put(words, lsb + FIELD(frame_desc_t, starts), q->starts);
  bits_put(words, lsb + FIELD(frame_desc_t, candidate), 1);
}

static void put_rings(struct dut *d) {
  uint32_t words[WORDS_OF(ring_t, LOOKUP_RINGS)] = {0};
  for (unsigned g = 0; g < LOOKUP_RINGS; g++) {
    const struct lookup_ring *r = &twin.rings[g];
    const size_t at = g * ring_t__BITS;
    bits_put(words, at + FIELD(ring_t, base), r->base);
    bits_put(words, at + FIELD(ring_t, stride), r->stride);
    bits_put(words, at + FIELD(ring_t, window_log2), r->window_log2);
    bits_put(words, at + FIELD(ring_t, workers), r->workers);
    bits_put(words, at + FIELD(ring_t, id), r->id);
    bits_put(words, at + FIELD(ring_t, learn), r->learn);
    bits_put(words, at + FIELD(ring_t, enable), r->enable);
    bits_put(words, at + FIELD(ring_t, drop), r->drop);
  }
  dut_set_words(d, "rings_i", words, sizeof words / sizeof *words);
}

// ------------------------------------------------------------------------------------------------ checks

static void check_answer(struct dut *d, const struct lookup_answer *a) {
  uint32_t words[WORDS_OF(lookup_rsp_t, 1)] = {0};
  dut_get_words(d, "rsp_o", words, WORDS_OF(lookup_rsp_t, 1));
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, port)), a->port);
  assert_string_equal(fate_name((enum fate)bits_get(words, FIELD(lookup_rsp_t, fate))), fate_name(a->fate));
  if (a->fate != FATE_STORED) return;
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, conn)), a->conn);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, ring)), a->ring);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, rank)), a->rank);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, workers)), twin.rings[a->ring].workers);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, msgid)), a->msgid);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, kind)), a->kind);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, tensor_len)), a->tensor);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, offset)), a->offset);
  assert_int_equal(bits_get(words, FIELD(lookup_rsp_t, slot)), a->slot);
}

/// Registers a random connection, or retires or releases an entry; what the device says must be what the twin says.
static void connect_one(struct dut *d, bool *waits, struct lookup_conn *wish) {
  if (!*waits) {
    *wish = (struct lookup_conn){.used = true,
                                 .key = KEYS - 1 - (unsigned)rand() % 6,
                                 .ring = (unsigned)rand() % 3,
                                 .rank = (unsigned)rand() % 3};
    uint32_t words[WORDS_OF(conn_set_t, 1)] = {0};
    put_key(words, conn_set_t__key__AT, wish->key);
    bits_put(words, FIELD(conn_set_t, index), (uint64_t)rand() % (LOOKUP_CONNS + 2));
    bits_put(words, FIELD(conn_set_t, ring), wish->ring);
    bits_put(words, FIELD(conn_set_t, rank), wish->rank);
    bits_put(words, FIELD(conn_set_t, act), (uint64_t)rand() % 3);
    dut_set_words(d, "conn_set_i", words, WORDS_OF(conn_set_t, 1));
    dut_set(d, "conn_set_valid_i", 1);
    *waits = true;
  }
}

static unsigned done[3];   // of each act

static void finish_connect(struct dut *d, struct lookup_conn *wish) {
  uint32_t words[WORDS_OF(conn_set_t, 1)];
  dut_get_words(d, "conn_set_i", words, WORDS_OF(conn_set_t, 1));
  uint64_t index = bits_get(words, FIELD(conn_set_t, index));
  const enum lookup_act act = (enum lookup_act)bits_get(words, FIELD(conn_set_t, act));
  const bool good = lookup_rules_act(&twin, act, wish, &index);
  assert_int_equal(dut_get(d, "conn_set_error_o"), !good);
  if (!good) return;
  done[act]++;
  if (act == LOOKUP_REGISTER) assert_int_equal(dut_get(d, "conn_set_index_o"), index);
}

static void every_request_gets_its_answer(void **state) {
  (void)state;
  struct dut *d = dut_new();
  const unsigned ports = (unsigned)dut_width(d, "req_valid_i");
  // The one of two ports has child devices in its first ring.
  twin.rings[0].columns = ports == SPINE_PORTS;
  dut_set(d, "columns_i", ports == SPINE_PORTS ? 1 : rand() & 7);
  put_rings(d);
  dut_set(d, "open_i", 5u & ((1u << ports) - 1));
  dut_reset(d);

  struct lookup_request asked[MAX_PORTS];
  bool asking[MAX_PORTS] = {0}, answered[MAX_PORTS] = {1, 1, 1};
  struct lookup_answer due[2 * MAX_PORTS];
  unsigned due_count = 0, accepted = 0, flushes = 0, sets = 0, idle_for = 0, flush_ring = 0, fates[FATE_COUNT] = {0};
  bool conn_waits = false, release = false;
  // A flush: look-up is held, and then the ring closed; it goes on while the table walks; it is held, and the ring opens.
  enum { OPEN, CLOSES, CLOSED, OPENS } flush = OPEN;
  struct lookup_conn wish = {0};
  struct lookup_ring was = twin.rings[0];
  static uint32_t words[WORDS_OF(frame_desc_t, MAX_PORTS)];

  for (int cycle = 0; accepted < REQUESTS || due_count; cycle++) {
    assert_true(cycle < 40 * REQUESTS);
    memset(words, 0, sizeof words);
    uint64_t valid = 0;
    for (unsigned p = 0; p < ports; p++) {
      if (!asking[p] && answered[p] && accepted < REQUESTS && rand() % 4) {
        asked[p] = draw();
        asking[p] = true;
        answered[p] = false;
      }
      if (asking[p]) valid |= 1u << p;
      if (asking[p]) put_request(words, p * frame_desc_t__BITS, &asked[p]);
    }
    dut_set_words(d, "req_i", words, WORDS_OF(frame_desc_t, ports));
    dut_set(d, "req_valid_i", valid);
    dut_set(d, "rsp_ready_i", (uint64_t)(rand() % 3 != 0));
    if (rand() % 400 == 0) connect_one(d, &conn_waits, &wish);
    if (flush == OPEN && rand() % 700 == 0) {
      flush = CLOSES;
      flush_ring = (unsigned)rand() % LOOKUP_RINGS;
      release = rand() % 3 == 0;
      idle_for = 0;
    }
    if (flush == CLOSED && !dut_get(d, "flush_walks_o") && rand() % 100 == 0) {
      flush = OPENS;
      idle_for = 0;
    }
    const bool hold = flush == CLOSES || flush == OPENS;
    dut_set(d, "flush_hold_i", hold);
    dut_set(d, "flush_ring_i", flush_ring);
    dut_set(d, "flush_free_i", release);
    dut_set(d, "flush_conns_i", flush == CLOSES && idle_for == 3);
    dut_eval(d);

    const uint64_t ready = dut_get(d, "req_ready_o");
    assert_int_equal(ready & ~valid, 0);
    for (unsigned p = 0; p < ports; p++) {
      if (!(ready >> p & 1)) continue;
      due[due_count] = lookup_rules_ask(&twin, &asked[p], p);
      due[due_count].port = p;
      fates[due[due_count++].fate]++;
      asking[p] = false;
      accepted++;
    }
    if (conn_waits && dut_get(d, "conn_set_ready_o")) {
      finish_connect(d, &wish);
      conn_waits = false;
      sets++;
    }
    if (dut_get(d, "rsp_valid_o") && dut_get(d, "rsp_ready_i")) {
      assert_true(due_count > 0);
      check_answer(d, &due[0]);
      answered[due[0].port] = true;
      memmove(due, due + 1, --due_count * sizeof *due);
    }
    const bool idle = dut_get(d, "idle_o");
    if (idle) assert_int_equal(due_count, 0);
    if (flush == CLOSES && idle_for == 3) {
      lookup_rules_flush(&twin, flush_ring, release);
      flushes++;
      was = twin.rings[flush_ring];
      twin.rings[flush_ring].enable = false;
      twin.rings[flush_ring].drop = true;
    }
    if (flush == OPENS && idle_for == 3) twin.rings[flush_ring] = was;
    idle_for = hold && idle ? idle_for + 1 : 0;
    dut_tick(d);
    if (hold && idle_for == 4) {
      if (flush == CLOSES) assert_true(dut_get(d, "flush_conns_done_o"));
      put_rings(d);
    }
    // The twin.rings' registers are looked at before a request comes to stage 3.
    if (hold && idle_for == 7) flush = flush == CLOSES ? CLOSED : OPEN;
    dut_set(d, "conn_set_valid_i", conn_waits);
  }
  assert_true(dut_get(d, "idle_o"));
  assert_true(flushes > 20 && sets > 20 && done[0] > 5 && done[1] > 5 && done[2] > 5 && twin.revived > 20);
  static const enum fate wanted[] = {FATE_PASSED,        FATE_STORED,     FATE_BAD_HEADER,      FATE_UNREGISTERED,
                                     FATE_RANK_CONFLICT, FATE_TABLE_FULL, FATE_UNKNOWN_MESSAGE, FATE_PSN_CONFLICT,
                                     FATE_STALE,         FATE_BAD_LENGTH, FATE_RETIRED,         FATE_CLOSED};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    if (fates[wanted[i]] < 20) fail_msg("%s was seen %u times only", fate_name(wanted[i]), fates[wanted[i]]);
  }
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_request_gets_its_answer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
