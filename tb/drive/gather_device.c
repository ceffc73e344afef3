#include "drive/gather_device.h"

#include <stdlib.h>

#include "drive/gather_core.h"

#define GATHER_CONFIG(name, ...) device_open_fn weir_device_##name;
#include "configs.inc"
#undef GATHER_CONFIG

// In the order of gather_configs, with one more, because there may be none.
static device_open_fn *const opens[] = {
#define GATHER_CONFIG(name, ...) weir_device_##name,
#include "configs.inc"
#undef GATHER_CONFIG
    NULL,
};

/// The pins that are used in each cycle, beside those of frames.
struct gather_pins {
  struct device_pin obs_valid, obs_response, obs_idx, obs_way, obs_hit, obs_insert, obs_evict, obs_evicted, port_counts,
      pipe_counts;
};

struct gather_device {
  const struct gather_config *config;
  struct gather_device_calls calls;
  struct gather_core core;
  struct gather_pins pins;
};

static struct device_pin find(const struct gather_device *d, const char *name, unsigned bits) {
  return gather_core_pin(&d->core, name, bits);
}

static void find_pins(struct gather_device *d) {
  const unsigned ports = d->config->ports, pipes = d->config->pipes;
  d->pins = (struct gather_pins){
      .obs_valid = find(d, "obs_valid_o", pipes),
      .obs_response = find(d, "obs_response_o", pipes),
      .obs_idx = find(d, "obs_idx_o", 0),
      .obs_way = find(d, "obs_way_o", 4 * pipes),
      .obs_hit = find(d, "obs_hit_o", pipes),
      .obs_insert = find(d, "obs_insert_o", pipes),
      .obs_evict = find(d, "obs_evict_o", pipes),
      .obs_evicted = find(d, "obs_evicted_o", 0),
      .port_counts = find(d, "count_port_o", ports * GATHER_PORT_COUNTERS * 32),
      .pipe_counts = find(d, "count_pipe_o", pipes * GATHER_PIPE_COUNTERS * 32),
  };
}

// --- set up ---

struct gather_device *gather_device_open(const struct gather_config *config, uint64_t seed, const char *wave,
                                         const struct gather_device_calls *calls) {
  size_t count;
  const size_t which = (size_t)(config - gather_configs(&count));
  struct gather_device *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->config = config;
  d->calls = *calls;
  const struct gather_core_calls core = {.user = calls->user, .out = calls->out, .failed = calls->failed};
  if (!gather_core_open(&d->core, config->name, opens[which], config->ports, seed, wave, &core)) {
    free(d);
    return NULL;
  }
  find_pins(d);
  return d;
}

void gather_device_close(struct gather_device *d) {
  if (d == NULL) return;
  gather_core_close(&d->core);
  free(d);
}

void gather_device_set_delay(struct gather_device *d, unsigned cycles) { gather_core_set(&d->core, "delay_i", cycles); }

void gather_device_set_own(struct gather_device *d, const uint8_t mac[6], const uint8_t ip[4]) {
  gather_core_set(&d->core, "own_mac_i", gather_mac_number(mac));
  gather_core_set(&d->core, "own_ip_i", get_be32(ip));
}

void gather_device_set_node(struct gather_device *d, unsigned node, const uint8_t mac[6], const uint8_t ip[4], unsigned port) {
  gather_core_set(&d->core, "node_we_i", 1);
  gather_core_set(&d->core, "node_i", node);
  gather_core_set(&d->core, "node_mac_i", gather_mac_number(mac));
  gather_core_set(&d->core, "node_ip_i", get_be32(ip));
  gather_core_set(&d->core, "node_port_i", port);
  gather_core_idle(&d->core);
  gather_core_set(&d->core, "node_we_i", 0);
}

void gather_device_set_cache(struct gather_device *d, unsigned mode, unsigned len, uint32_t ports) {
  gather_core_set(&d->core, "cache_enable_i", mode > 0);
  gather_core_set(&d->core, "cache_mode_i", mode > 0 ? (unsigned)__builtin_ctz(mode / 16) : 0);
  gather_core_set(&d->core, "cache_len_i", len);
  gather_core_set(&d->core, "cache_ports_i", ports);
  gather_core_set(&d->core, "cache_invalidate_i", 1);
  gather_core_idle(&d->core);
  gather_core_set(&d->core, "cache_invalidate_i", 0);
  do gather_core_idle(&d->core);
  while (gather_core_load(find(d, "clearing_o", 1)) != 0);
}

// --- a cycle ---

void gather_device_offer(struct gather_device *d, unsigned port, const uint8_t *frame, size_t len) {
  gather_core_offer(&d->core, port, frame, len);
}

bool gather_device_offered(const struct gather_device *d, unsigned port) { return gather_core_offered(&d->core, port); }

static uint64_t field(struct device_pin pin, unsigned which, unsigned count) {
  const unsigned width = pin.bits / count, lsb = which * width;
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)pin.at + lsb / 8, (lsb + width - 1) / 8 - lsb / 8 + 1);
  return value >> lsb % 8 & ((UINT64_C(1) << width) - 1);
}

static void tell_lookups(struct gather_device *d) {
  const struct gather_pins *s = &d->pins;
  const unsigned pipes = d->config->pipes;
  const uint32_t valid = gather_core_load(s->obs_valid);
  for (unsigned m = 0; valid >> m != 0; m++) {
    if ((valid >> m & 1) == 0) continue;
    const struct gather_lookup event = {
        .cycle = d->core.cycle,
        .response = gather_core_load(s->obs_response) >> m & 1,
        .hit = gather_core_load(s->obs_hit) >> m & 1,
        .insert = gather_core_load(s->obs_insert) >> m & 1,
        .evict = gather_core_load(s->obs_evict) >> m & 1,
        .way = (unsigned)field(s->obs_way, m, pipes),
        .idx = field(s->obs_idx, m, pipes),
        .evicted = field(s->obs_evicted, m, pipes),
    };
    d->calls.lookup(d->calls.user, m, &event);
  }
}

bool gather_device_tick(struct gather_device *d, uint32_t ready) {
  gather_core_show(&d->core, ready);
  tell_lookups(d);
  return gather_core_finish(&d->core, ready);
}

uint64_t gather_device_cycles(const struct gather_device *d) { return d->core.cycle; }

uint32_t gather_device_port_count(const struct gather_device *d, unsigned port, enum gather_port_counter which) {
  return pin_load((const uint8_t *)d->pins.port_counts.at + 4 * (port * GATHER_PORT_COUNTERS + which), 4);
}

uint32_t gather_device_pipe_count(const struct gather_device *d, unsigned pipe, enum gather_pipe_counter which) {
  return pin_load((const uint8_t *)d->pins.pipe_counts.at + 4 * (pipe * GATHER_PIPE_COUNTERS + which), 4);
}
