// Headers of frames beside the model's reading: of real hosts, cut anywhere, with bits turned, without gaps and with.
// DUT: uplink_parse
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/dut.h"
#include "model/uplink/uplink_key.h"
#include "unit/fabric/flow_key.h"
#include "structs/uplink_pkg.h"
#include "wire/capture.h"

enum { BEAT = 64, WAITING = 16, READ_WORDS = WORDS_OF(read_t, 1) };

struct bench {
  struct dut *d;
  uint64_t sent, seen;
  uint32_t expected[WAITING][READ_WORDS];
  unsigned roce, other;
};

static void look(struct bench *b) {
  dut_eval(b->d);
  if (dut_get(b->d, "valid_o") == 0) return;
  uint32_t words[READ_WORDS];
  assert_true(b->seen < b->sent);
  dut_get_words(b->d, "read_o", words, READ_WORDS);
  assert_memory_equal(words, b->expected[b->seen % WAITING], sizeof words);
  b->seen++;
}

static void idle(struct bench *b) {
  dut_set(b->d, "valid_i", 0);
  look(b);
  dut_tick(b->d);
}

static void send(struct bench *b, const uint8_t *frame, size_t len, struct rng *r, unsigned gaps) {
  struct uplink_read read;
  uplink_read(frame, len, &read);
  uint32_t *words = b->expected[b->sent % WAITING], key[KEY_WORDS];
  memset(words, 0, sizeof b->expected[0]);
  flow_key_words(&read.key, key);
  for (unsigned at = 0; at < uplink_key_t__BITS; at += 32)
    bits_put(words, read_t__key__AT + at, uplink_key_t__BITS - at < 32 ? uplink_key_t__BITS - at : 32, key[at / 32]);
  bits_put(words, FIELD(read_t, roce), read.roce);
  bits_put(words, FIELD(read_t, opcode), read.opcode);
  bits_put(words, FIELD(read_t, psn), read.psn);
  read.roce ? b->roce++ : b->other++;
  b->sent++;
  for (size_t at = 0; at < len; at += BEAT) {
    while (rng_percent(r, gaps)) idle(b);
    const size_t n = len - at < BEAT ? len - at : BEAT;
    uint32_t data[BEAT / 4], keep[2];
    rng_fill(r, (uint8_t *)data, sizeof data);   // what is not kept is anything
    memcpy(data, frame + at, n);
    const uint64_t ones = n == BEAT ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    memcpy(keep, &ones, sizeof ones);
    dut_set_words(b->d, "data_i", data, BEAT / 4);
    dut_set_words(b->d, "keep_i", keep, 2);
    dut_set(b->d, "last_i", at + n == len);
    dut_set(b->d, "valid_i", 1);
    look(b);
    dut_tick(b->d);
  }
}

static void captures(void **state) {
  (void)state;
  static const char *const names[] = {"ring3-ipv6", "ring4", "ring4-loss"};
  struct bench b = {.d = dut_new()};
  dut_reset(b.d);
  struct rng r = rng_for(6, 0);
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    char path[80];
    snprintf(path, sizeof path, "sim/captures/%s.in.pcapng.gz", names[n]);
    struct file_error e = {""};
    struct capture *c = capture_open(path, &e);
    if (c == NULL) fail_msg("%s", e.text);
    struct capture_frame f;
    for (unsigned i = 0; i < 400 && capture_next(c, &f, &e) == 1; i++) {
      uint8_t frame[200];
      const unsigned gaps = i % 2 * 40;
      size_t len = f.len < 100 + i % 60 ? f.len : 100 + i % 60;
      memcpy(frame, f.data, len);
      send(&b, frame, len, &r, gaps);
      send(&b, frame, 1 + rng_below(&r, (unsigned)len), &r, gaps);
      // A tag, and some bits turned, most of them where a decision hangs on them.
      memmove(frame + 16, frame + 12, len - 12);
      const uint8_t tag[4] = {0x81, 0, (uint8_t)rng_next(&r), 7};
      memcpy(frame + 12, tag, sizeof tag);
      send(&b, frame, len + 4, &r, gaps);
      static const unsigned places[] = {12, 13, 16, 17, 18, 24, 25, 27, 38, 40, 41, 58, 60, 61};
      for (unsigned k = 0; k < 3; k++)
        frame[places[rng_below(&r, sizeof places / sizeof *places)]] ^= (uint8_t)(1u << rng_below(&r, 8));
      send(&b, frame, len + 4, &r, gaps);
      if (i % 3 == 0) send(&b, frame, 60, &r, 0);
    }
    capture_close(c);
  }
  for (unsigned i = 0; i < WAITING; i++) idle(&b);
  assert_int_equal(b.seen, b.sent);
  assert_true(b.roce > 1000 && b.other > 500);
  dut_free(b.d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(captures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
