#include "drive/gather_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/device.h"
#include "drive/pins.h"
#include "wire/bytes.h"
#include "wire/gather.h"

enum { BEAT = 64, MAX_PORTS = 32, RESET_CYCLES = 8 };

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

/// The pins that are used in each cycle.
struct gather_pins {
  struct device_pin clk, rst, s_tvalid, s_tready, s_tdata, s_tkeep, s_tlast, m_tvalid, m_tready, m_tdata, m_tkeep, m_tlast;
  struct device_pin obs_valid, obs_response, obs_idx, obs_way, obs_hit, obs_insert, obs_evict, obs_evicted, port_counts,
      pipe_counts;
};

/// A frame on its way in or out.
struct frame {
  size_t len, at;
  uint8_t data[GATHER_MAX_FRAME];
};

struct gather_device {
  const struct gather_config *config;
  struct gather_device_calls calls;
  struct device device;
  struct gather_pins pins;
  bool wave, failed;
  uint64_t cycle;
  struct frame in[MAX_PORTS], out[MAX_PORTS];
};

static struct device_pin find(const struct gather_device *d, const char *name, unsigned bits) {
  const struct device_pin pin = d->device.pin(d->device.impl, name);
  if (pin.at != NULL && (bits == 0 || pin.bits == bits)) return pin;
  fprintf(stderr, "weir: switch %s: pin %s has %u bits, not %u\n", d->config->name, name, pin.bits, bits);
  abort();   // the device is not the one that this file was written for
}

static void find_pins(struct gather_device *d) {
  const unsigned ports = d->config->ports, pipes = d->config->pipes;
  d->pins = (struct gather_pins){
      .clk = find(d, "clk_i", 1),
      .rst = find(d, "rst_ni", 1),
      .s_tvalid = find(d, "s_axis_tvalid", ports),
      .s_tready = find(d, "s_axis_tready", ports),
      .s_tdata = find(d, "s_axis_tdata", ports * BEAT * 8),
      .s_tkeep = find(d, "s_axis_tkeep", ports * BEAT),
      .s_tlast = find(d, "s_axis_tlast", ports),
      .m_tvalid = find(d, "m_axis_tvalid", ports),
      .m_tready = find(d, "m_axis_tready", ports),
      .m_tdata = find(d, "m_axis_tdata", ports * BEAT * 8),
      .m_tkeep = find(d, "m_axis_tkeep", ports * BEAT),
      .m_tlast = find(d, "m_axis_tlast", ports),
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

// --- pins ---

/// A bit for each port or pipe.
static uint32_t load(struct device_pin pin) { return pin_load(pin.at, pin.bytes < 4 ? pin.bytes : 4); }
static void store(struct device_pin pin, uint32_t value) { pin_store(pin.at, pin.bytes < 4 ? pin.bytes : 4, value); }

static void set(struct gather_device *d, const char *name, uint64_t value) {
  const struct device_pin pin = find(d, name, 0);
  if (pin.bits < 64 && value >> pin.bits != 0) {
    fprintf(stderr, "weir: switch %s: %s is too narrow for %llu\n", d->config->name, name, (unsigned long long)value);
    abort();   // gather_tor_find has let pass what the configuration cannot do
  }
  memcpy(pin.at, &value, pin.bytes < 8 ? pin.bytes : 8);
}

static void eval(struct gather_device *d, uint64_t time) {
  d->device.eval(d->device.impl);
  if (d->wave) d->device.dump(d->device.impl, time);
  const char *where = d->device.stopped();
  if (where == NULL || d->failed) return;
  d->failed = true;
  d->calls.failed(d->calls.user, d->cycle, where);
}

static uint64_t mac_number(const uint8_t mac[6]) { return (uint64_t)get_be24(mac) << 24 | get_be24(mac + 3); }

static void settle(struct gather_device *d) {
  store(d->pins.clk, 0);
  eval(d, 2 * d->cycle);
}

static void edge(struct gather_device *d) {
  store(d->pins.clk, 1);
  eval(d, 2 * d->cycle + 1);
  d->cycle++;
}

static void idle(struct gather_device *d) {
  settle(d);
  edge(d);
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
  d->wave = wave != NULL;
  if (!opens[which](&d->device, seed, wave)) {
    free(d);
    return NULL;
  }
  find_pins(d);
  store(d->pins.rst, 0);
  for (unsigned i = 0; i < RESET_CYCLES; i++) idle(d);
  store(d->pins.rst, 1);
  return d;
}

void gather_device_close(struct gather_device *d) {
  if (d == NULL) return;
  d->device.close(d->device.impl);
  free(d);
}

void gather_device_set_delay(struct gather_device *d, unsigned cycles) { set(d, "delay_i", cycles); }

void gather_device_set_own(struct gather_device *d, const uint8_t mac[6], const uint8_t ip[4]) {
  set(d, "own_mac_i", mac_number(mac));
  set(d, "own_ip_i", get_be32(ip));
}

void gather_device_set_node(struct gather_device *d, unsigned node, const uint8_t mac[6], const uint8_t ip[4], unsigned port) {
  set(d, "node_we_i", 1);
  set(d, "node_i", node);
  set(d, "node_mac_i", mac_number(mac));
  set(d, "node_ip_i", get_be32(ip));
  set(d, "node_port_i", port);
  idle(d);
  set(d, "node_we_i", 0);
}

void gather_device_set_cache(struct gather_device *d, unsigned mode, unsigned len, uint32_t ports) {
  set(d, "cache_enable_i", mode > 0);
  set(d, "cache_mode_i", mode > 0 ? (unsigned)__builtin_ctz(mode / 16) : 0);
  set(d, "cache_len_i", len);
  set(d, "cache_ports_i", ports);
  set(d, "cache_invalidate_i", 1);
  idle(d);
  set(d, "cache_invalidate_i", 0);
  do idle(d);
  while (load(find(d, "clearing_o", 1)) != 0);
}

// --- a cycle ---

void gather_device_offer(struct gather_device *d, unsigned port, const uint8_t *frame, size_t len) {
  struct frame *f = &d->in[port];
  f->len = len;
  f->at = 0;
  memcpy(f->data, frame, len);
}

bool gather_device_offered(const struct gather_device *d, unsigned port) { return d->in[port].at < d->in[port].len; }

static size_t beat_of(const struct frame *f) { return f->len - f->at < BEAT ? f->len - f->at : BEAT; }

static uint32_t show_inputs(struct gather_device *d) {
  uint32_t valid = 0, last = 0;
  for (unsigned p = 0; p < d->config->ports; p++) {
    const struct frame *f = &d->in[p];
    const size_t n = beat_of(f);
    if (n == 0) continue;
    const uint64_t keep = n == BEAT ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    valid |= UINT32_C(1) << p;
    if (f->at + n == f->len) last |= UINT32_C(1) << p;
    uint8_t *data = (uint8_t *)d->pins.s_tdata.at + BEAT * p;
    memcpy(data, f->data + f->at, n);
    memset(data + n, 0, BEAT - n);
    memcpy((uint8_t *)d->pins.s_tkeep.at + sizeof keep * p, &keep, sizeof keep);
  }
  store(d->pins.s_tvalid, valid);
  store(d->pins.s_tlast, last);
  return valid;
}

static uint64_t field(struct device_pin pin, unsigned which, unsigned count) {
  const unsigned width = pin.bits / count, lsb = which * width;
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)pin.at + lsb / 8, (lsb + width - 1) / 8 - lsb / 8 + 1);
  return value >> lsb % 8 & ((UINT64_C(1) << width) - 1);
}

static void tell_lookups(struct gather_device *d) {
  const struct gather_pins *s = &d->pins;
  const unsigned pipes = d->config->pipes;
  const uint32_t valid = load(s->obs_valid);
  for (unsigned m = 0; valid >> m != 0; m++) {
    if ((valid >> m & 1) == 0) continue;
    const struct gather_lookup event = {
        .cycle = d->cycle,
        .response = load(s->obs_response) >> m & 1,
        .hit = load(s->obs_hit) >> m & 1,
        .insert = load(s->obs_insert) >> m & 1,
        .evict = load(s->obs_evict) >> m & 1,
        .way = (unsigned)field(s->obs_way, m, pipes),
        .idx = field(s->obs_idx, m, pipes),
        .evicted = field(s->obs_evicted, m, pipes),
    };
    d->calls.lookup(d->calls.user, m, &event);
  }
}

static void take_outputs(struct gather_device *d, uint32_t out) {
  const uint32_t last = load(d->pins.m_tlast);
  for (unsigned p = 0; out >> p != 0; p++) {
    if ((out >> p & 1) == 0) continue;
    struct frame *f = &d->out[p];
    uint64_t keep;
    memcpy(&keep, (const uint8_t *)d->pins.m_tkeep.at + sizeof keep * p, sizeof keep);
    const size_t n = keep == UINT64_MAX ? BEAT : (size_t)__builtin_ctzll(~keep);
    // A frame without an end is cut off here, and then no good one.
    if (f->len + n <= sizeof f->data) {
      memcpy(f->data + f->len, (const uint8_t *)d->pins.m_tdata.at + BEAT * p, n);
      f->len += n;
    }
    if ((last >> p & 1) == 0) continue;
    d->calls.out(d->calls.user, p, f->data, f->len);
    f->len = 0;
  }
}

bool gather_device_tick(struct gather_device *d, uint32_t ready) {
  const uint32_t valid = show_inputs(d);
  store(d->pins.m_tready, ready);
  settle(d);
  const uint32_t in = load(d->pins.s_tready) & valid, out = load(d->pins.m_tvalid) & ready;
  tell_lookups(d);
  take_outputs(d, out);
  for (unsigned p = 0; in >> p != 0; p++)
    if ((in >> p & 1) != 0) d->in[p].at += beat_of(&d->in[p]);
  edge(d);
  return (in | out) != 0;
}

uint64_t gather_device_cycles(const struct gather_device *d) { return d->cycle; }

uint32_t gather_device_port_count(const struct gather_device *d, unsigned port, enum gather_port_counter which) {
  return pin_load((const uint8_t *)d->pins.port_counts.at + 4 * (port * GATHER_PORT_COUNTERS + which), 4);
}

uint32_t gather_device_pipe_count(const struct gather_device *d, unsigned pipe, enum gather_pipe_counter which) {
  return pin_load((const uint8_t *)d->pins.pipe_counts.at + 4 * (pipe * GATHER_PIPE_COUNTERS + which), 4);
}
