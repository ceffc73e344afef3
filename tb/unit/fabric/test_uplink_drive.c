// The Verilated uplink device behind C: what registers refuse, and by what name; overrides, which a dead port gives up; no uplink at all; a pause that
// stops one class alone. Every frame is compared with the model's, and counters must add up at the end.
// DEVICES: uplink4
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/uplink/uplink_drive.h"
#include "model/uplink/uplink_flow.h"
#include "wire/bytes.h"

enum { DOWN = 2, UP = 4, ALL = 0x3F, FRAME = 200, QUIET = 300 };

struct bench {
  struct uplink_drive *d;
  unsigned out[DOWN + UP];
};

static void out(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct bench *b = user;
  (void)frame;
  (void)len;
  b->out[port]++;
}

static struct bench *start(void) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->d = uplink_drive_open(uplink_config_first(), 1, NULL, out, b);
  assert_non_null(b->d);
  return b;
}

static void settle(struct bench *b, uint32_t ready) {
  for (unsigned still = 0; still < QUIET;) still = uplink_drive_tick(b->d, ready) ? 0 : still + 1;
}

static void end(struct bench *b) {
  uint64_t mismatches;
  settle(b, ALL);
  uplink_drive_finish(b->d);
  const char *text = uplink_drive_text(b->d, &mismatches);
  if (text != NULL) fail_msg("%s", text);
  uplink_drive_close(b->d);
  free(b);
}

/// A RoCEv2 packet from a source port to 10.0.1.`host`, with a priority in its DSCP.
static void send(struct bench *b, unsigned port, uint16_t sport, uint8_t host, unsigned prio) {
  uint8_t f[FRAME] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, (uint8_t)(prio << 5)};
  put_be16(f + 16, FRAME - 14);
  f[23] = 17;
  put_be32(f + 26, 0x0A000001);
  put_be32(f + 30, 0x0A000100u + host);
  put_be16(f + 34, sport);
  put_be16(f + 36, 4791);
  f[42] = 10;
  f[49] = host;
  while (uplink_drive_offered(b->d, port)) uplink_drive_tick(b->d, ALL);
  uplink_drive_offer(b->d, port, f, FRAME);
}

static void refused_by_name(void **state) {
  (void)state;
  struct bench *b = start();
  struct uplink_settings s = {.interval = 8};
  struct uplink_pauses p = uplink_drive_pauses();
  assert_int_equal(uplink_drive_set(b->d, &s, &p), UPLINK_DONE);
  s.interval = 7;
  assert_int_equal(uplink_drive_set(b->d, &s, &p), UPLINK_BAD_INTERVAL);
  s.interval = UINT32_C(1) << 30;
  assert_int_equal(uplink_drive_set(b->d, &s, &p), UPLINK_BAD_INTERVAL);
  s.interval = 8;
  p.xon = p.xoff;
  assert_int_equal(uplink_drive_set(b->d, &s, &p), UPLINK_BAD_LEVELS);
  p.xoff = 1025;
  assert_int_equal(uplink_drive_set(b->d, &s, &p), UPLINK_BAD_LEVELS);
  p = uplink_drive_pauses();
  p.quanta = 63;
  assert_int_equal(uplink_drive_set(b->d, &s, &p), UPLINK_BAD_QUANTA);
  struct uplink_override o = {.valid = true, .length = 128, .port = 3};
  assert_int_equal(uplink_drive_override(b->d, 15, &o), UPLINK_DONE);
  assert_int_equal(uplink_drive_override(b->d, 16, &o), UPLINK_NO_ENTRY);
  o.length = 129;
  assert_int_equal(uplink_drive_override(b->d, 0, &o), UPLINK_LONG_PREFIX);
  o.length = 0;
  o.port = 4;
  assert_int_equal(uplink_drive_override(b->d, 0, &o), UPLINK_NO_PORT);
  end(b);
}

/// An override's frames go by its port; while that is dead, as others do; with no uplink at all every frame is dropped, by name.
static void overrides(void **state) {
  (void)state;
  struct bench *b = start();
  const struct uplink_override o = {
      .valid = true, .sport = 5000, .prefix = {0, uplink_mapped(0x0A000100)}, .length = 96 + 24, .port = 2};
  assert_int_equal(uplink_drive_override(b->d, 4, &o), UPLINK_DONE);
  for (unsigned i = 0; i < 40; i++) send(b, i % DOWN, i % 4 == 3 ? 5001 : 5000, (uint8_t)i, 0);
  settle(b, ALL);
  assert_in_range(b->out[DOWN + 2], 30, 40);
  const unsigned before = b->out[DOWN + 2];
  uplink_drive_links(b->d, ~UINT32_C(4));
  for (unsigned i = 0; i < 40; i++) send(b, i % DOWN, 5000, (uint8_t)i, 0);
  settle(b, ALL);
  assert_int_equal(b->out[DOWN + 2], before);
  uplink_drive_links(b->d, 0);
  settle(b, ALL);
  for (unsigned i = 0; i < 10; i++) send(b, i % DOWN, 5000, (uint8_t)i, 0);
  settle(b, ALL);
  unsigned none = 0;
  for (unsigned port = 0; port < DOWN; port++) none += uplink_drive_way_count(b->d, port, 0, UPLINK_NONE);
  assert_int_equal(none, 10);
  uplink_drive_links(b->d, UINT32_MAX);
  settle(b, ALL);
  for (unsigned i = 0; i < 40; i++) send(b, i % DOWN, 5000, (uint8_t)i, 0);
  settle(b, ALL);
  assert_int_equal(b->out[DOWN + 2], before + 40);
  end(b);
}

/// Links go down and come up while frames are being decided on: each is decided on by the links before or behind, as the model has it.
static void links_change_under_frames(void **state) {
  (void)state;
  struct bench *b = start();
  for (unsigned i = 0; i < 800; i++) {
    send(b, i % DOWN, (uint16_t)(5000 + i), (uint8_t)i, 0);
    // Frames wait meanwhile: by the next change they are decided on by these links.
    if (i % 80 == 79) uplink_drive_links(b->d, i % 160 == 79 ? ~(UINT32_C(1) << i / 160 % UP) : UINT32_MAX);
  }
  settle(b, ALL);
  end(b);
}

/// A neighbour pauses priority 3 of an uplink: those frames stay, others of the same ports go by.
static void a_pause_stops_its_class(void **state) {
  (void)state;
  struct bench *b = start();
  const struct uplink_override o = {.valid = true, .sport = 5000, .length = 0, .port = 1};
  assert_int_equal(uplink_drive_override(b->d, 0, &o), UPLINK_DONE);
  uint8_t frame[UPLINK_PAUSE_BYTES];
  const uint16_t quanta[UPLINK_PRIOS] = {[3] = 4000};
  uplink_pause_make(frame, 0x020000000009, 1 << 3, quanta);
  uplink_drive_offer(b->d, DOWN + 1, frame, sizeof frame);
  for (unsigned i = 0; i < 20; i++) uplink_drive_tick(b->d, ALL);
  for (unsigned i = 0; i < 120; i++) send(b, 0, 5000, 1, i % 2 ? 3 : 0);
  settle(b, ALL);
  assert_int_equal(b->out[DOWN + 1], 60);
  for (unsigned i = 0; i < 7000; i++) uplink_drive_tick(b->d, ALL);   // 4000 quanta are 6600 cycles
  assert_int_equal(b->out[DOWN + 1], 120);
  end(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused_by_name), cmocka_unit_test(overrides),
                                     cmocka_unit_test(links_change_under_frames), cmocka_unit_test(a_pause_stops_its_class)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
