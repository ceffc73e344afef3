#include "drive/tree/node_drive.h"

#include <stdlib.h>

#include "drive/core.h"
#include "structs/llt_pkg.h"

struct node_drive {
  const struct node_config *config;
  struct node_drive_calls calls;
  struct core core;
  struct device_pin obs;
  uint64_t moved;   // cycle
};

/// What is seen in the cycle that is shown.
static void look(struct node_drive *d) {
  struct node_observed event;
  if (!node_observed_read(d->obs.at, &event)) return;
  d->moved = d->core.cycle;
  d->calls.observed(d->calls.user, &event);
}

static void looked(void *user) { look(user); }

struct node_drive *node_drive_open(const struct node_config *config, uint64_t seed, const char *wave,
                                   const struct node_drive_calls *calls) {
  struct node_drive *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->config = config;
  d->calls = *calls;
  const struct core_calls core = {.user = calls->user, .out = calls->out, .broken = calls->broken, .failed = calls->failed};
  if (!core_open(&d->core, config->name, config->ports, seed, wave, &core)) {
    free(d);
    return NULL;
  }
  d->obs = core_pin(&d->core, "obs_o", node_observed_t__BITS);
  core_expect(&d->core, TREE_REG(ID), TREE_CSR__ID__MAGIC_reset);
  core_expect(&d->core, TREE_REG(CAP_SHAPE),
              config->ports | TREE_CONTROL_GROUPS << TREE_CSR__CAP_SHAPE__GROUPS_bp |
                  TREE_CONTROL_CELLS << TREE_CSR__CAP_SHAPE__CELLS_bp);
  core_expect(&d->core, TREE_REG(CAP_ROOM),
              config->queue_room | config->send_room << TREE_CSR__CAP_ROOM__SEND_ROOM_bp |
                  config->rows * 64 << TREE_CSR__CAP_ROOM__MTU_bp);
  core_watch(&d->core, looked, d);
  return d;
}

void node_drive_close(struct node_drive *d) {
  if (d == NULL) return;
  core_close(&d->core);
  free(d);
}

const struct node_config *node_drive_config(const struct node_drive *d) { return d->config; }

static void write_register(void *user, unsigned address, uint32_t value) {
  struct node_drive *d = user;
  core_write(&d->core, address, value);
}

static uint32_t read_register(void *user, unsigned address) {
  struct node_drive *d = user;
  return core_read(&d->core, address);
}

struct tree_bus node_drive_bus(struct node_drive *d) {
  return (struct tree_bus){.write = write_register, .read = read_register, .user = d};
}

void node_drive_offer(struct node_drive *d, unsigned port, const uint8_t *frame, size_t len, bool bad) {
  core_offer(&d->core, port, frame, len, bad);
}

bool node_drive_offered(const struct node_drive *d, unsigned port) { return core_offered(&d->core, port); }

bool node_drive_tick(struct node_drive *d, uint64_t ready) {
  core_show(&d->core, (uint32_t)ready);
  const bool moved = core_finish(&d->core, (uint32_t)ready);
  if (moved) d->moved = d->core.cycle;
  return moved;
}

void node_drive_flip(struct node_drive *d, uint64_t seed, unsigned per_1000, unsigned bits) {
  core_flip(&d->core, seed, per_1000, bits);
}

uint64_t node_drive_flipped(const struct node_drive *d) { return core_flipped(&d->core); }
uint64_t node_drive_cycles(const struct node_drive *d) { return d->core.cycle; }
uint64_t node_drive_began(const struct node_drive *d, unsigned port) { return d->core.out[port].began; }
uint64_t node_drive_still(const struct node_drive *d) { return d->core.cycle - d->moved; }
