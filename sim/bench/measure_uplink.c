// The uplink device's rate: the smallest frames on all its down ports without a gap. What it cannot carry finds no room in time, and is not counted.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "drive/uplink/uplink_drive.h"
#include "sim/bench/measure.h"
#include "wire/bytes.h"

enum { SHORTEST = 60, FRAMES = 20000, WARM = 200, FLOWS = 1024, QUIET = 1000 };

struct uplink_rate {
  const struct uplink_drive *drive;
  uint64_t out, first, last;   // frames that left; the cycle of frame WARM, and of the latest
};

static void leaves(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct uplink_rate *r = user;
  (void)port;
  (void)frame;
  (void)len;
  r->last = uplink_drive_cycles(r->drive);
  if (++r->out == WARM) r->first = r->last;
}

// UDP, of one of many flows, so that all uplinks have their share.
static void put_flow(uint8_t frame[SHORTEST], unsigned port, uint32_t flow) {
  memset(frame, 0, SHORTEST);
  put_be16(frame + 12, 0x0800);
  frame[14] = 0x45;
  put_be16(frame + 16, SHORTEST - 14);
  frame[23] = 17;
  put_be32(frame + 26, 0x0A000000 + port);
  put_be32(frame + 30, 0x0A010000 + flow);
  put_be16(frame + 34, (uint16_t)(49152 + flow));
}

bool measure_uplink(struct measure *m, const struct measurement *what) {
  const struct uplink_config *c = uplink_config_first();
  struct uplink_rate rate = {0};
  uint64_t mismatches = 0, frames = m->quick ? FRAMES / 10 : FRAMES, still = 0;
  uint64_t *sent = need(calloc(c->down, sizeof *sent));
  struct uplink_drive *d = uplink_drive_open(c, m->seed, NULL, leaves, &rate);
  (void)what;
  if (d == NULL) {
    free(sent);
    return measure_fail(m, "no uplink device");
  }
  rate.drive = d;
  while (still < QUIET && stop_asked() == 0) {
    for (unsigned p = 0; p < c->down; p++) {
      uint8_t frame[SHORTEST];
      if (sent[p] == frames || uplink_drive_offered(d, p)) continue;
      put_flow(frame, p, (uint32_t)(sent[p]++ % FLOWS));
      uplink_drive_offer(d, p, frame, SHORTEST);
    }
    if (rate.out % 1024 == 0) measure_progress(m, rate.out, frames * c->down);
    still = uplink_drive_tick(d, (UINT32_C(1) << (c->down + c->up)) - 1) ? 0 : still + 1;
  }
  uplink_drive_finish(d);
  const char *text = uplink_drive_text(d, &mismatches);
  const uint64_t in = frames * c->down, lost = uplink_device_counts(uplink_drive_model(d))->no_room;
  const double cycles = (double)(rate.last - rate.first) * c->down / (double)(rate.out - WARM);
  const bool good = text != NULL ? measure_fail(m, "%s", text)
                                 : (rate.out > WARM && rate.out + lost == in) ||
                                       measure_fail(m, "%" PRIu64 " frames left and %" PRIu64 " found no room, of %" PRIu64,
                                                    rate.out, lost, in);
  uplink_drive_close(d);
  free(sent);
  if (!good) return false;
  measure_add(
      m, "uplink_cycles_per_frame", cycles, 2, "cycles",
      "device: frames of 64 B on each down port of %s, one a cycle at best; 100 Gb/s bring one every 2.17 cycles of 322 MHz",
      c->name)
      ->high = 2;
  return true;
}
