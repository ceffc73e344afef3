// Hostile hosts: what they send is hostile, of all kinds, the same for a seed, and never what an honest connection could send.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/echo.h"
#include "hosts/hostile.h"
#include "model/model.h"
#include "wire/roce.h"

enum { FRAMES = 20000, SLOT = 256, OWN = 512 };

static const struct hostile_peer peers[] = {{{2, 0, 0, 0, 0, 1}, {10, 0, 0, 1}}, {{2, 0, 0, 0, 0, 2}, {10, 0, 0, 2}}};
static const struct hostile_peer self = {{2, 0, 0, 0, 0, 9}, {10, 0, 0, 9}};
static const struct hostile_ring ring = {.id = 1, .workers = 2, .stride = 4, .window = 2};
static const struct hostile_ring own = {.id = OWN, .workers = 2, .stride = 2, .window = 1};

static struct hostile *host(uint64_t seed, bool has_own) {
  const struct hostile_config c = {.index = 1,
                                   .self = self,
                                   .peers = peers,
                                   .peer_count = 2,
                                   .own = has_own ? own : (struct hostile_ring){0},
                                   .slot_bytes = SLOT,
                                   .seed = seed};
  struct hostile *h = hostile_new(&c);
  assert_non_null(h);
  return h;
}

static uint8_t frame[HOSTILE_ROOM], other[HOSTILE_ROOM];

static void a_seed_is_a_sequence(void **state) {
  (void)state;
  struct hostile *a = host(5, true), *b = host(5, true), *c = host(6, true);
  unsigned differ = 0;
  hostile_aim(a, &ring, 1);
  hostile_aim(b, &ring, 1);
  hostile_aim(c, &ring, 1);
  for (int i = 0; i < 1000; i++) {
    const size_t len = hostile_next(a, frame);
    assert_int_equal(hostile_next(b, other), len);
    assert_memory_equal(frame, other, len);
    differ += hostile_next(c, other) != len || memcmp(frame, other, len) != 0;
  }
  assert_true(differ > 900);
  hostile_free(a);
  hostile_free(b);
  hostile_free(c);
}

/// Lengths, addresses and kinds, over many frames.
static void sends_everything(void **state) {
  (void)state;
  struct hostile *h = host(1, true);
  size_t shortest = SIZE_MAX, longest = 0;
  unsigned classes[4] = {0}, jumbo = 0, spoofed = 0, claims[2] = {0}, far = 0, misplaced = 0;
  static bool qpns[1 << 24];
  size_t distinct = 0;
  hostile_aim(h, &ring, 1);
  for (int i = 0; i < FRAMES; i++) {
    struct roce_packet p;
    const size_t len = hostile_next(h, frame);
    assert_in_range(len, 14, HOSTILE_ROOM);
    assert_memory_equal(frame + 6, self.mac, 6);
    if (len < shortest) shortest = len;
    if (len > longest) longest = len;
    roce_parse(frame, len, &p);
    classes[p.class]++;
    if (p.class != ROCE_CANDIDATE) continue;
    assert_true(p.key.qpn >= HOSTILE_QPN);   // no queue pair of an honest host
    distinct += !qpns[p.key.qpn];
    qpns[p.key.qpn] = true;
    spoofed += memcmp(p.key.src, self.ip, 4) != 0;
    jumbo += p.tagged && p.tensor > SLOT;
    misplaced += !p.starts && memcmp(frame + p.header, "NetR", 4) == 0;
    if (!p.tagged || p.ina.ring != ring.id || p.ina.rank >= ring.workers) continue;
    claims[p.ina.rank]++;
    far += p.ina.msgid > 64;
  }
  for (int c = 0; c < 4; c++) assert_true(classes[c] > FRAMES / 50);
  assert_in_range(shortest, 14, 20);
  assert_in_range(longest, 9000, HOSTILE_ROOM);
  assert_true(distinct > 2000 && spoofed > 1000 && jumbo > 100 && claims[0] > 1000 && claims[1] > 1000 && far > 1000 &&
              misplaced > 100);
  hostile_free(h);
}

/// A model whose ring is registered takes nothing of it, before and after it knows the ring; of its own ring it takes a lot, and
/// has a name for the rest.
static void gets_nowhere(void **state) {
  (void)state;
  const struct model_limits limits = {.ports = 1, .ranks = 2, .conns = 4, .slot_bytes = SLOT, .max_frame_bytes = 9728};
  const struct model_ring rings[] = {{1, 2, 2, 4, false}, {OWN, 2, 1, 2, true}};
  struct model *m = model_new(&limits, rings, 2);
  struct hostile *h = host(3, true);
  unsigned fates[FATE_COUNT] = {0};
  assert_non_null(m);
  for (unsigned rank = 0; rank < 2; rank++) {
    const struct conn_key key = {.src = {10, 0, 0, (uint8_t)(rank + 1)}, .dst = {10, 0, 0, (uint8_t)(2 - rank)}, .qpn = 0x100};
    assert_int_equal(model_connect(m, 0, rank, &key), 0);
  }
  for (int i = 0; i < FRAMES; i++) {
    struct model_verdict v;
    bool unexpected;
    if (i == FRAMES / 4) hostile_aim(h, &ring, 1);
    const size_t len = hostile_next(h, frame);
    model_rx(m, 0, frame, len, false, &v);
    fates[v.fate]++;
    if (v.fate != FATE_STORED && v.fate != FATE_DUPLICATE) continue;
    assert_int_equal(v.ring, 1);
    model_commit(m, 0, &unexpected);
  }
  assert_true(fates[FATE_STORED] > 100 && fates[FATE_DUPLICATE] > 10 && fates[FATE_UNREGISTERED] > 1000);
  assert_true(fates[FATE_PASSED] > 1000 && fates[FATE_BAD_HEADER] > 1000 && fates[FATE_BAD_ICRC] > 100);
  assert_true(fates[FATE_STALE] > 0 && fates[FATE_BAD_LENGTH] > 0 && fates[FATE_PSN_CONFLICT] > 0 &&
              fates[FATE_WINDOW_VIOLATION] > 0);
  hostile_free(h);
  model_free(m);
}

static void echo_keeps_the_latest(void **state) {
  (void)state;
  struct echo *e = echo_new(3, 4);
  uint8_t out[4];
  assert_non_null(e);
  assert_int_equal(echo_next(e, out, sizeof out), 0);
  for (uint8_t i = 1; i <= 2; i++) echo_note(e, (uint8_t[]){i, i, i}, i);
  for (uint8_t i = 0; i < 4; i++) {
    assert_int_equal(echo_next(e, out, sizeof out), i % 2 + 1);
    assert_int_equal(out[0], i % 2 + 1);
  }
  assert_int_equal(echo_next(e, out, 0), 0);
  echo_note(e, (uint8_t[5]){9}, 5);   // too long to be kept
  for (uint8_t i = 3; i <= 5; i++) echo_note(e, &i, 1);
  unsigned seen = 0;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(echo_next(e, out, sizeof out), 1);
    seen |= 1u << out[0];
  }
  assert_int_equal(seen, 1u << 3 | 1u << 4 | 1u << 5);
  echo_free(e);
  echo_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_seed_is_a_sequence),
      cmocka_unit_test(sends_everything),
      cmocka_unit_test(gets_nowhere),
      cmocka_unit_test(echo_keeps_the_latest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
