// A device in a tree's place with its golden model: what it still owes at the end of a run, and what it owes for good.
//
// DEVICES: tiny
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/engine/tree/tree_device.h"
#include "unit/gradient.h"

enum { RING = 7, RANKS = 2, COPIES = 400, GAP = 40, LONG = 5000 };

/// Two hosts, each at the port of its rank. Rank 0 sends its packet again and again; `held` keeps back what it is to get.
struct hosts {
  uint64_t next[RANKS];   ///< when it sends the next one
  unsigned left[RANKS];   ///< packets that it sends yet
  bool held;
  unsigned got[RANKS];
  uint8_t frame[GRADIENT_ROOM];
};

static bool receive(void *user, unsigned port, uint64_t now, struct link_frame *frame) {
  struct hosts *h = user;
  if (port >= RANKS || h->left[port] == 0 || now < h->next[port]) return false;
  const struct ina_header ina = {.ring = RING, .rank = (uint8_t)port, .msglen = 1, .workers = RANKS};
  struct gradient g = gradient_of(&ina, 0);
  g.build.ip_id = (uint16_t)h->left[port];
  *frame = (struct link_frame){.len = gradient_frame(&g, h->frame), .data = h->frame};
  h->left[port]--;
  h->next[port] = now + GAP;
  return true;
}

static void pause(void *user, unsigned port, bool pause) {
  (void)user;
  (void)port;
  (void)pause;
}

static bool held(const void *user, unsigned port) {
  const struct hosts *h = user;
  return port == 0 && h->held;
}

static void take(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct hosts *h = user;
  (void)frame;
  (void)len;
  h->got[port]++;
}

/// More results are due at an output than it has room for, and it has been held for so long that nothing has moved. They are not lost.
static void what_waits_at_a_held_output_still_leaves(void **state) {
  (void)state;
  struct hosts hosts = {.left = {COPIES, 1}, .held = true};
  const struct relay_ring ring = {.ring = {.id = RING, .workers = RANKS, .window = 1, .stride = 1, .learn = true},
                                  .leaf = true,
                                  .total = RANKS};
  const struct relay_config relay = {
      .limits = {.ports = RANKS, .ranks = RANKS, .conns = 4, .slot_bytes = 256, .max_frame_bytes = 9728},
      .rows = 1,
      .self = {.ip = {10, 0, 0, 1}},
      .rings = &ring,
      .ring_count = 1};
  const struct tree_device_cables cables = {&hosts, receive, pause, held, take};
  char error[200];
  const struct drive_config *config = tree_device_config(&relay, error, sizeof error);
  if (config == NULL) fail_msg("%s", error);
  assert_string_equal(config->name, "tiny");
  struct tree_device *d = tree_device_open(config, &relay, &cables, false, 1, error, sizeof error);
  if (d == NULL) fail_msg("%s", error);
  for (uint64_t now = 0; now < COPIES * GAP + LONG; now++) tree_device_step(d, now);
  assert_int_equal(hosts.got[0], 0);
  assert_int_equal(hosts.got[1], 1);
  assert_false(tree_device_quiet(d));
  tree_device_finish(d);
  if (tree_device_fault(d) != NULL) fail_msg("%s", tree_device_fault(d));
  assert_true(hosts.got[0] > 1);
  assert_int_equal(tree_device_compared(d), hosts.got[0] + hosts.got[1]);
  tree_device_close(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_waits_at_a_held_output_still_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
