// The control plane through the device's registers (rtl/csr/weir_csr.rdl).
#include <errno.h>
#include <stddef.h>

#include "drive/drive.h"
#include "rtl/csr/weir_csr.h"
#include "wire/bytes.h"
#include "wire/roce.h"

/// Reads of a busy bit before a flush or a claim is given up; a flush waits until frames that have begun have left.
#define POLLS 100000

#define REGISTER(name) ((uint32_t)offsetof(weir_csr_t, name))
#define FIELD(name, value) (((uint32_t)(value) << name##_bp) & name##_bm)

/// Waits until all of `busy` has fallen; -EINVAL if the device then shows `error`, -EIO if it never falls.
static int finish(struct drive *d, uint32_t address, uint32_t busy, uint32_t error) {
  for (int i = 0; i < POLLS; i++) {
    uint32_t status;
    int result = drive_read(d, address, &status);
    if (result) return result;
    if (!(status & busy)) return status & error ? -EINVAL : 0;
  }
  return -EIO;
}

struct write {
  uint32_t address, value;
};

static int write_all(struct drive *d, const struct write *writes, size_t count) {
  int result = 0;
  for (size_t i = 0; i < count && !result; i++) result = drive_write(d, writes[i].address, writes[i].value);
  return result;
}

/// Writes of which the last is a command on a ring; waits until it is done. -EINVAL if the device refuses it.
static int command_ring(struct drive *d, const struct write *writes, size_t count) {
  int result = write_all(d, writes, count);
  return result ? result : finish(d, REGISTER(RING_COMMAND), WEIR_CSR__RING_COMMAND__BUSY_bm, WEIR_CSR__RING_COMMAND__ERROR_bm);
}

/// `command`: what RING_COMMAND gets beside `store`.
static int store_ring(struct drive *d, unsigned index, const struct drive_ring *ring, uint32_t command) {
  if (!ring->window || (ring->window & (ring->window - 1)) || ring->window > 128) return -EINVAL;
  const struct write writes[] = {
      {REGISTER(RING_SELECT), FIELD(WEIR_CSR__RING_SELECT__INDEX, index)},
      {REGISTER(RING_ID), FIELD(WEIR_CSR__RING_ID__ID, ring->id)},
      {REGISTER(RING_SHAPE), FIELD(WEIR_CSR__RING_SHAPE__WORKERS, ring->workers) |
                                 FIELD(WEIR_CSR__RING_SHAPE__WINDOW_LOG2, __builtin_ctz(ring->window)) |
                                 FIELD(WEIR_CSR__RING_SHAPE__LEARN, ring->learn) |
                                 FIELD(WEIR_CSR__RING_SHAPE__ENABLE, ring->enable)},
      {REGISTER(RING_REGION),
       FIELD(WEIR_CSR__RING_REGION__BASE, ring->base) | FIELD(WEIR_CSR__RING_REGION__STRIDE, ring->stride)},
      {REGISTER(RING_COMMAND), FIELD(WEIR_CSR__RING_COMMAND__STORE, 1) | command},
  };
  return command_ring(d, writes, sizeof writes / sizeof *writes);
}

int drive_set_ring(struct drive *d, unsigned index, const struct drive_ring *ring) { return store_ring(d, index, ring, 0); }

int drive_change_ring(struct drive *d, unsigned index, const struct drive_ring *ring, bool release) {
  return store_ring(d, index, ring,
                    release ? FIELD(WEIR_CSR__RING_COMMAND__RELEASE, 1) : FIELD(WEIR_CSR__RING_COMMAND__FLUSH, 1));
}

static uint32_t mac_high(const uint8_t mac[6]) { return (uint32_t)get_be16(mac); }

int drive_set_relay(struct drive *d, const struct drive_relay *relay) {
  const struct write writes[] = {
      {REGISTER(RELAY_SELF_IP), get_be32(relay->self_ip)},
      {REGISTER(RELAY_SELF_MAC_LOW), get_be32(relay->self_mac + 2)},
      {REGISTER(RELAY_SELF_MAC_HIGH), mac_high(relay->self_mac)},
      {REGISTER(RELAY_PARENT_IP), get_be32(relay->parent_ip)},
      {REGISTER(RELAY_PARENT_MAC_LOW), get_be32(relay->parent_mac + 2)},
      {REGISTER(RELAY_PARENT_MAC_HIGH), mac_high(relay->parent_mac)},
      {REGISTER(RELAY_PLACE),
       FIELD(WEIR_CSR__RELAY_PLACE__CHILD, relay->child) | FIELD(WEIR_CSR__RELAY_PLACE__SIBLINGS, relay->siblings) |
           FIELD(WEIR_CSR__RELAY_PLACE__FIRST, relay->first) | FIELD(WEIR_CSR__RELAY_PLACE__TOTAL, relay->total)},
      {REGISTER(RELAY_ROLE),
       FIELD(WEIR_CSR__RELAY_ROLE__PARENT, relay->parent) | FIELD(WEIR_CSR__RELAY_ROLE__DEVICES, relay->devices)},
  };
  return write_all(d, writes, sizeof writes / sizeof *writes);
}

/// `owner`: what CONN_OWNER gets.
static int claim(struct drive *d, const struct conn_key *key, uint32_t owner) {
  // The device keeps addresses as numbers, an IPv4 address in the lowest word.
  uint32_t src[4] = {0}, dst[4] = {0};
  const unsigned words = key->v6 ? 4 : 1;
  for (unsigned i = 0; i < words; i++) {
    src[i] = get_be32(key->src + 4 * (words - 1 - i));
    dst[i] = get_be32(key->dst + 4 * (words - 1 - i));
  }
  const struct write writes[] = {
      {REGISTER(CONN_SRC0), src[0]},
      {REGISTER(CONN_SRC1), src[1]},
      {REGISTER(CONN_SRC2), src[2]},
      {REGISTER(CONN_SRC3), src[3]},
      {REGISTER(CONN_DST0), dst[0]},
      {REGISTER(CONN_DST1), dst[1]},
      {REGISTER(CONN_DST2), dst[2]},
      {REGISTER(CONN_DST3), dst[3]},
      {REGISTER(CONN_QPN), FIELD(WEIR_CSR__CONN_QPN__QPN, key->qpn) | FIELD(WEIR_CSR__CONN_QPN__V6, key->v6)},
      {REGISTER(CONN_VLAN), FIELD(WEIR_CSR__CONN_VLAN__VID, key->vlan)},
      {REGISTER(CONN_OWNER), owner},
      {REGISTER(CONN_COMMAND), FIELD(WEIR_CSR__CONN_COMMAND__CLAIM, 1)},
  };
  int result = write_all(d, writes, sizeof writes / sizeof *writes);
  return result ? result : finish(d, REGISTER(CONN_COMMAND), WEIR_CSR__CONN_COMMAND__BUSY_bm, WEIR_CSR__CONN_COMMAND__ERROR_bm);
}

int drive_set_connection(struct drive *d, const struct conn_key *key, unsigned ring, unsigned rank) {
  return claim(d, key, FIELD(WEIR_CSR__CONN_OWNER__RING, ring) | FIELD(WEIR_CSR__CONN_OWNER__RANK, rank));
}

int drive_set_row(struct drive *d, const struct conn_key *key, unsigned ring) {
  return claim(d, key, FIELD(WEIR_CSR__CONN_OWNER__RING, ring) | FIELD(WEIR_CSR__CONN_OWNER__ELSEWHERE, 1));
}

int drive_flush_ring(struct drive *d, unsigned index) {
  const struct write writes[] = {
      {REGISTER(RING_SELECT), FIELD(WEIR_CSR__RING_SELECT__INDEX, index)},
      {REGISTER(RING_COMMAND), FIELD(WEIR_CSR__RING_COMMAND__FLUSH, 1)},
  };
  return command_ring(d, writes, sizeof writes / sizeof *writes);
}

/// Writes a flush if the drain waits for longer than `patience` reads of its state; `*forced` says so.
static int await_drain(struct drive *d, unsigned patience, bool *forced) {
  uint32_t status = WEIR_CSR__RING_COMMAND__BUSY_bm;
  int result = 0;
  for (unsigned i = 0; i < patience && !result && status & WEIR_CSR__RING_COMMAND__BUSY_bm; i++)
    result = drive_read(d, REGISTER(RING_COMMAND), &status);
  *forced = !result && status & WEIR_CSR__RING_COMMAND__BUSY_bm;
  if (*forced) result = drive_write(d, REGISTER(RING_COMMAND), FIELD(WEIR_CSR__RING_COMMAND__FLUSH, 1));
  return result;
}

int drive_drain_ring(struct drive *d, unsigned index, bool release, unsigned patience, bool *forced) {
  const struct write writes[] = {
      {REGISTER(RING_SELECT), FIELD(WEIR_CSR__RING_SELECT__INDEX, index)},
      {REGISTER(RING_COMMAND), FIELD(WEIR_CSR__RING_COMMAND__DRAIN, 1) | FIELD(WEIR_CSR__RING_COMMAND__RELEASE, release ? 1 : 0)},
  };
  enum { BUSY = 2 };   // why a command is refused
  uint32_t status;
  int result = write_all(d, writes, sizeof writes / sizeof *writes);
  if (!result) result = await_drain(d, patience, forced);
  if (!result) result = finish(d, REGISTER(RING_COMMAND), WEIR_CSR__RING_COMMAND__BUSY_bm, WEIR_CSR__RING_COMMAND__ERROR_bm);
  if (result != -EINVAL || !*forced) return result;
  // A flush that comes when the wait is over is refused, and changes nothing.
  result = drive_read(d, REGISTER(RING_COMMAND), &status);
  return !result && (status & WEIR_CSR__RING_COMMAND__WHY_bm) >> WEIR_CSR__RING_COMMAND__WHY_bp != BUSY ? -EINVAL : result;
}

int drive_soft_reset(struct drive *d) {
  const struct write reset = {REGISTER(DEVICE_COMMAND), FIELD(WEIR_CSR__DEVICE_COMMAND__SOFT_RESET, 1)};
  return command_ring(d, &reset, 1);
}

int drive_release_entry(struct drive *d, unsigned entry) {
  const struct write writes[] = {
      {REGISTER(CONN_SELECT), FIELD(WEIR_CSR__CONN_SELECT__INDEX, entry)},
      {REGISTER(CONN_COMMAND), FIELD(WEIR_CSR__CONN_COMMAND__RELEASE, 1)},
  };
  const int result = write_all(d, writes, sizeof writes / sizeof *writes);
  return result ? result : finish(d, REGISTER(CONN_COMMAND), WEIR_CSR__CONN_COMMAND__BUSY_bm, WEIR_CSR__CONN_COMMAND__ERROR_bm);
}

int drive_connections(struct drive *d, unsigned *used, unsigned *retired) {
  uint32_t value = 0;
  const int result = drive_read(d, REGISTER(CONN_COUNT), &value);
  *used = value & WEIR_CSR__CONN_COUNT__USED_bm;
  *retired = (value & WEIR_CSR__CONN_COUNT__RETIRED_bm) >> WEIR_CSR__CONN_COUNT__RETIRED_bp;
  return result;
}

int drive_set_stall_limit(struct drive *d, uint32_t units) { return drive_write(d, REGISTER(STALL_LIMIT), units); }

int drive_stalls(struct drive *d, uint32_t *rings) { return drive_read(d, REGISTER(RING_STALLS), rings); }

int drive_ring_enabled(struct drive *d, unsigned ring, bool *enabled) {
  uint32_t value = 0;
  int result = drive_write(d, REGISTER(RING_SELECT), FIELD(WEIR_CSR__RING_SELECT__INDEX, ring));
  if (!result) result = drive_read(d, REGISTER(RING_SHAPE), &value);
  *enabled = value & WEIR_CSR__RING_SHAPE__ENABLE_bm;
  return result;
}

int drive_take_causes(struct drive *d, uint32_t *causes) {
  const int result = drive_read(d, REGISTER(IRQ_CAUSE), causes);
  return result || *causes == 0 ? result : drive_write(d, REGISTER(IRQ_CAUSE), *causes);
}

int drive_release_ring(struct drive *d, unsigned index) {
  const struct write writes[] = {
      {REGISTER(RING_SELECT), FIELD(WEIR_CSR__RING_SELECT__INDEX, index)},
      {REGISTER(RING_COMMAND), FIELD(WEIR_CSR__RING_COMMAND__RELEASE, 1)},
  };
  return command_ring(d, writes, sizeof writes / sizeof *writes);
}

int drive_set_open(struct drive *d, uint32_t ports) { return drive_write(d, REGISTER(PORT_OPEN), ports); }

int drive_set_down(struct drive *d, uint32_t ports) { return drive_write(d, REGISTER(PORT_DOWN), ports); }

int drive_set_age_limit(struct drive *d, uint32_t units) { return drive_write(d, REGISTER(AGE_LIMIT), units); }

int drive_set_epoch(struct drive *d, uint8_t epoch) { return drive_write(d, REGISTER(EPOCH), epoch); }

int drive_waits(struct drive *d, unsigned ring, uint32_t *ranks, uint32_t *units) {
  int result = drive_write(d, REGISTER(RING_SELECT), FIELD(WEIR_CSR__RING_SELECT__INDEX, ring));
  uint32_t value = 0;
  for (int i = 0; i < POLLS && !result && !(value & WEIR_CSR__RING_WAITS__KNOWN_bm); i++)
    result = drive_read(d, REGISTER(RING_WAITS), &value);
  if (!result) result = drive_read(d, REGISTER(RING_QUIET), units);
  _Static_assert(DRIVE_WAITS_PARENT == WEIR_CSR__RING_WAITS__PARENT_bm, "as the register has it");
  *ranks = value & (WEIR_CSR__RING_WAITS__RANKS_bm | WEIR_CSR__RING_WAITS__PARENT_bm);
  return !result && !(value & WEIR_CSR__RING_WAITS__KNOWN_bm) ? -EIO : result;
}

int drive_columns(struct drive *d, unsigned *columns) {
  uint32_t value = 0;
  const int result = drive_read(d, REGISTER(TABLE_COLUMNS), &value);
  *columns = value & WEIR_CSR__TABLE_COLUMNS__COLUMNS_bm;
  return result;
}

/// `select`: what COUNTER_SELECT gets.
static int counter(struct drive *d, uint32_t select, uint64_t *value) {
  uint32_t low, high;
  int result = drive_write(d, REGISTER(COUNTER_SELECT), select);
  if (!result) result = drive_read(d, REGISTER(COUNTER_LOW), &low);
  if (!result) result = drive_read(d, REGISTER(COUNTER_HIGH), &high);
  if (!result) *value = (uint64_t)high << 32 | low;
  return result;
}

int drive_counter(struct drive *d, unsigned port, unsigned which, uint64_t *value) {
  return counter(d, FIELD(WEIR_CSR__COUNTER_SELECT__PORT, port) | FIELD(WEIR_CSR__COUNTER_SELECT__WHICH, which), value);
}

int drive_ring_counter(struct drive *d, unsigned ring, unsigned which, uint64_t *value) {
  return counter(d,
                 FIELD(WEIR_CSR__COUNTER_SELECT__PORT, ring) | FIELD(WEIR_CSR__COUNTER_SELECT__WHICH, which) |
                     FIELD(WEIR_CSR__COUNTER_SELECT__RING, 1),
                 value);
}
