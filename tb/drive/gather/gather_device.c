#include "drive/gather/gather_device.h"

#include <stddef.h>
#include <stdlib.h>

#include "drive/bits.h"
#include "drive/core.h"
#include "rtl/csr/gather_switch_csr.h"
#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"
#include "wire/bytes.h"

// Counters have the numbers that the device gives them.
_Static_assert((int)GATHER_PORT_BAD_DEST == PortBadDest && (int)GATHER_PORT_COUNTERS == NumPortCounters, "counters of a port");
_Static_assert((int)GATHER_PIPE_ROOM == PipeRoom && (int)GATHER_PIPE_COUNTERS == NumPipeCounters, "counters of a pipe");

/// Where a register is.
#define AT(name) ((unsigned)offsetof(gather_switch_csr_t, name))

struct gather_device {
  const struct gather_config *config;
  struct gather_device_calls calls;
  struct core core;
  struct device_pin obs, stopped;   ///< cache_obs_t and stopped_obs_t of each pipe
  struct device_pin pauses, pause;
};

// --- set up ---

static void tell_thrown(struct gather_device *d, unsigned pipe) {
  const size_t at = pipe * stopped_obs_t__BITS;
  if (bits_get(d->stopped.at, at + FIELD(stopped_obs_t, valid)))
    d->calls.thrown(d->calls.user, (unsigned)bits_get(d->stopped.at, at + FIELD(stopped_obs_t, response)),
                    (unsigned)bits_get(d->stopped.at, at + FIELD(stopped_obs_t, count)));
}

/// In every cycle, also of those in which registers are used.
static void tell_lookups(void *watcher) {
  struct gather_device *d = watcher;
  const void *obs = d->obs.at;
  for (unsigned m = 0; m < d->config->pipes; m++) {
    tell_thrown(d, m);
    const size_t at = m * cache_obs_t__BITS;
    if (!bits_get(obs, at + FIELD(cache_obs_t, valid))) continue;
    const struct gather_lookup event = {
        .cycle = d->core.cycle,
        .generation = (uint16_t)bits_get(obs, at + FIELD(cache_obs_t, generation)),
        .response = bits_get(obs, at + FIELD(cache_obs_t, response)),
        .hit = bits_get(obs, at + FIELD(cache_obs_t, hit)),
        .insert = bits_get(obs, at + FIELD(cache_obs_t, insert)),
        .evict = bits_get(obs, at + FIELD(cache_obs_t, evict)),
        .way = (unsigned)bits_get(obs, at + FIELD(cache_obs_t, way)),
        .idx = bits_get(obs, at + FIELD(cache_obs_t, idx)),
    };
    d->calls.lookup(d->calls.user, m, &event);
  }
}

struct gather_device *gather_device_open(const struct gather_config *config, uint64_t seed, const char *wave,
                                         const struct gather_device_calls *calls) {
  struct gather_device *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->config = config;
  d->calls = *calls;
  const struct core_calls core = {.user = calls->user, .out = calls->out, .failed = calls->failed};
  if (!core_open(&d->core, config->name, config->ports, seed, wave, &core)) {
    free(d);
    return NULL;
  }
  d->obs = core_pin(&d->core, "obs_o", config->pipes * cache_obs_t__BITS);
  d->stopped = core_pin(&d->core, "stopped_o", config->pipes * stopped_obs_t__BITS);
  d->pauses = core_pin(&d->core, "pause_o", 2 * config->ports);
  d->pause = core_pin(&d->core, "pause_i", 2 * config->ports);
  core_store(d->pause, 0);
  core_watch(&d->core, tell_lookups, d);
  core_expect(&d->core, AT(ID), GATHER_SWITCH_CSR__ID__MAGIC_reset);
  core_expect(&d->core, AT(CAP_SHAPE),
              config->ports | config->pipes << GATHER_SWITCH_CSR__CAP_SHAPE__PIPES_bp |
                  config->nodes << GATHER_SWITCH_CSR__CAP_SHAPE__NODES_bp);
  core_expect(&d->core, AT(CAP_CACHE), config->sets);
  core_expect(&d->core, AT(CAP_QUEUES), (config->virtual_queues ? config->rows : 0) | config->expiry << GATHER_QUEUES__EXPIRY_bp);
  return d;
}

void gather_device_close(struct gather_device *d) {
  if (d == NULL) return;
  core_close(&d->core);
  free(d);
}

static void set(struct gather_device *d, unsigned address, uint32_t value) { core_write(&d->core, address, value); }

void gather_device_set_delay(struct gather_device *d, unsigned cycles) {
  set(d, AT(DELAY), cycles);
  core_expect(&d->core, AT(DELAY), cycles);
}

void gather_device_set_pause_limit(struct gather_device *d, uint32_t cycles) { set(d, AT(PAUSE_LIMIT), cycles); }

void gather_device_set_own(struct gather_device *d, const uint8_t mac[6], const uint8_t ip[4]) {
  set(d, AT(OWN_MAC_HIGH), get_be16(mac));
  set(d, AT(OWN_MAC_LOW), get_be32(mac + 2));
  set(d, AT(OWN_IP), get_be32(ip));
}

void gather_device_set_node(struct gather_device *d, unsigned node, const uint8_t mac[6], const uint8_t ip[4], unsigned port) {
  set(d, AT(NODE_MAC_HIGH), get_be16(mac));
  set(d, AT(NODE_MAC_LOW), get_be32(mac + 2));
  set(d, AT(NODE_IP), get_be32(ip));
  set(d, AT(NODE_PORT), port);
  set(d, AT(NODE_TABLES), GATHER_SWITCH_CSR__NODE_TABLES__READS_bm | GATHER_SWITCH_CSR__NODE_TABLES__PIPES_bm);
  set(d, AT(NODE_COMMAND), node | GATHER_SWITCH_CSR__NODE_COMMAND__STORE_bm);
}

void gather_device_set_responses(struct gather_device *d, unsigned node, unsigned pipe, unsigned port) {
  set(d, AT(NODE_PORT), port);
  set(d, AT(NODE_TABLES), UINT32_C(1) << (GATHER_SWITCH_CSR__NODE_TABLES__PIPES_bp + pipe));
  set(d, AT(NODE_COMMAND), node | GATHER_SWITCH_CSR__NODE_COMMAND__STORE_bm);
}

void gather_device_set_cache(struct gather_device *d, uint16_t generation, unsigned mode, unsigned len, uint32_t ports) {
  const unsigned log = mode > 0 ? (unsigned)__builtin_ctz(mode / 16) : 0;
  set(d, AT(CACHE), (mode > 0) | log << GATHER_SWITCH_CSR__CACHE__MODE_bp | (uint32_t)len << GATHER_SWITCH_CSR__CACHE__LEN_bp);
  set(d, AT(CACHE_PORTS_LOW), ports);
  set(d, AT(CACHE_PORTS_HIGH), 0);
  set(d, AT(CACHE_GENERATION), generation);
  set(d, AT(CACHE_COMMAND), GATHER_SWITCH_CSR__CACHE_COMMAND__INVALIDATE_bm);
  while ((core_read(&d->core, AT(CACHE_COMMAND)) & GATHER_SWITCH_CSR__CACHE_COMMAND__CLEARING_bm) != 0) continue;
}

// --- a cycle ---

void gather_device_offer(struct gather_device *d, unsigned port, const uint8_t *frame, size_t len) {
  core_offer(&d->core, port, frame, len, false);
}

bool gather_device_offered(const struct gather_device *d, unsigned port) { return core_offered(&d->core, port); }

uint32_t gather_device_pauses(const struct gather_device *d) { return core_load(d->pauses); }

void gather_device_pause(struct gather_device *d, uint32_t classes) { core_store(d->pause, classes); }

bool gather_device_tick(struct gather_device *d, uint32_t ready) {
  core_show(&d->core, ready);
  return core_finish(&d->core, ready);
}

uint64_t gather_device_cycles(const struct gather_device *d) { return d->core.cycle; }

static uint32_t counter(struct gather_device *d, unsigned index, unsigned which, uint32_t kind) {
  set(d, AT(COUNTER_SELECT), kind | index << GATHER_SWITCH_CSR__COUNTER_SELECT__INDEX_bp | which);
  return core_read(&d->core, AT(COUNTER_VALUE));
}

uint32_t gather_device_port_count(struct gather_device *d, unsigned port, enum gather_port_counter which) {
  return counter(d, port, which, 0);
}

uint32_t gather_device_pipe_count(struct gather_device *d, unsigned pipe, enum gather_pipe_counter which) {
  return counter(d, pipe, which, GATHER_SWITCH_CSR__COUNTER_SELECT__PIPE_bm);
}
