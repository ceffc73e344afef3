// A control plane that writes anything into the registers while traffic flows.
#include <stddef.h>

#include "drive/drive.h"

#include "base/rng.h"
#include "rtl/csr/weir_csr.h"

#define REGISTER(name) ((uint32_t)offsetof(weir_csr_t, name))

/// A RingID that no host has: a ring may be enabled with it.
enum { STRANGE_ID = 0xFFA5, INDICES = 32, MAP_BYTES = 0x300, POLLS = 10000 };

static uint32_t word(struct rng *rng) { return (uint32_t)rng_next(rng); }

/// Often a shape that the device has.
static uint32_t shape(struct rng *rng) {
  const uint32_t any = word(rng);
  if (rng_percent(rng, 40)) return any;
  return WEIR_CSR__RING_SHAPE__ENABLE_bm | (any & WEIR_CSR__RING_SHAPE__LEARN_bm) |
         (any >> 12 & 1) << WEIR_CSR__RING_SHAPE__WINDOW_LOG2_bp | (1 + rng_below(rng, 8)) << WEIR_CSR__RING_SHAPE__WORKERS_bp;
}

static uint32_t region(struct rng *rng) {
  return rng_percent(rng, 30) ? word(rng) : (1 + rng_below(rng, 12)) << WEIR_CSR__RING_REGION__STRIDE_bp | rng_below(rng, 700);
}

/// A ring, mostly one that could be, and a command about it. Selecting it loads what is stored for it.
static void abuse_ring(struct drive *d, struct rng *rng, unsigned ring) {
  drive_write(d, REGISTER(RING_SELECT), (word(rng) & ~(uint32_t)WEIR_CSR__RING_SELECT__INDEX_bm) | ring);
  drive_write(d, REGISTER(RING_ID), STRANGE_ID);
  if (rng_percent(rng, 70)) drive_write(d, REGISTER(RING_SHAPE), shape(rng));
  if (rng_percent(rng, 70)) drive_write(d, REGISTER(RING_REGION), region(rng));
  drive_write(d, REGISTER(RING_COMMAND), word(rng));
  // Another one while that is under way; whoever comes next finds the device idle.
  if (rng_percent(rng, 50)) drive_write(d, REGISTER(RING_COMMAND), word(rng));
  uint32_t status = WEIR_CSR__RING_COMMAND__BUSY_bm;
  for (int i = 0; i < POLLS && (status & WEIR_CSR__RING_COMMAND__BUSY_bm) != 0; i++)
    if (drive_read(d, REGISTER(RING_COMMAND), &status) != 0) break;
}

void drive_abuse(struct drive *d, struct rng *rng, unsigned rings) {
  if (rings >= INDICES) return;
  switch (rng_below(rng, 6)) {
    case 0: drive_write(d, REGISTER(RING_SHAPE), word(rng)); break;
    case 1: drive_write(d, REGISTER(RING_REGION), word(rng)); break;
    case 2: drive_write(d, REGISTER(RING_COMMAND) + 4 * (1 + rng_below(rng, 20)), word(rng)); break;   // no register
    case 3: drive_write(d, REGISTER(COUNTER_SELECT) + 4 * rng_below(rng, (MAP_BYTES - 0x200) / 4), word(rng)); break;
    default: abuse_ring(d, rng, rings + rng_below(rng, INDICES - rings)); break;
  }
}
