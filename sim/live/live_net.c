#include "sim/live/live_net.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "hosts/mac_switch.h"
#include "wire/roce.h"

enum {
  MAX_PENDING = 4,   // frames in front of an input of the device
  BATCH = 64,        // cycles between two looks at the sockets
  CYCLE_NS = 4
};

struct live_net {
  const struct live_options *options;
  struct live_hosts *hosts;
  struct bench *bench;
  struct mac_switch *fabric;
  struct capture_writer *writer;
  uint8_t epoch;
  uint64_t idle_since_ns;   // the device is not clocked since then; 0: it is
};

static void forward(struct live_net *n, unsigned port, const uint8_t *frame, size_t len) {
  uint64_t to = mac_switch_forward(n->fabric, port, frame, len);
  for (; to != 0; to &= to - 1) {
    const unsigned host = (unsigned)__builtin_ctzll(to);
    if (host < n->options->hosts) live_hosts_give(n->hosts, host, frame, len);
  }
}

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)first_cycle;
  (void)last_cycle;
  forward(user, port, frame, len);
}

// --- from hosts ---

/// With --roce-only: whether it is nothing for the device. Then it is on its way.
static bool goes_beside(struct live_net *n, unsigned host, const uint8_t *frame, size_t len) {
  struct roce_packet at;
  if (!n->options->roce_only || roce_locate(frame, len, &at)) return false;
  live_hosts_count_beside(n->hosts);
  forward(n, host, frame, len);
  return true;
}

/// A device that was not clocked has slept through the time that went by.
static void wake(struct live_net *n) {
  if (n->idle_since_ns == 0) return;
  bench_skip(n->bench, (clock_monotonic_ns() - n->idle_since_ns) / CYCLE_NS);
  n->idle_since_ns = 0;
}

static bool take(struct live_net *n, unsigned host) {
  const uint8_t *frame;
  bool moved = false;
  size_t len;
  while (bench_pending(n->bench, host) < MAX_PENDING && (len = live_hosts_take(n->hosts, host, &frame, &moved)) > 0) {
    if (goes_beside(n, host, frame, len)) continue;
    wake(n);
    if (n->writer != NULL) capture_writer_put(n->writer, host, clock_epoch_ns(), frame, len);
    bench_send(n->bench, host, frame, len, false);
  }
  return moved;
}

static bool step(void *self) {
  struct live_net *n = self;
  bool moved = live_hosts_drain(n->hosts);
  for (unsigned host = 0; host < n->options->hosts; host++) moved = take(n, host) || moved;
  if (bench_quiet(n->bench)) {
    if (n->idle_since_ns == 0) n->idle_since_ns = clock_monotonic_ns();
    return moved;
  }
  for (unsigned i = 0; i < BATCH; i++) bench_step(n->bench);
  return true;
}

static bool is_idle(const void *self) { return live_hosts_idle(((const struct live_net *)self)->hosts); }
static bool sound(const void *self) { return bench_mismatches(((const struct live_net *)self)->bench) == 0; }

struct live_wires live_net_wires(struct live_net *n) {
  return (struct live_wires){.self = n, .step = step, .idle = is_idle, .sound = sound};
}

int live_net_flush(struct live_net *n, unsigned ring) {
  wake(n);
  return bench_flush(n->bench, ring);
}

bool live_net_restart(struct live_net *n) {
  wake(n);
  n->epoch = (uint8_t)(n->epoch % UINT8_MAX + 1);
  return bench_restart(n->bench, n->epoch);
}

struct bench *live_net_bench(struct live_net *n) {
  return n->bench;
}
struct live_net_counts live_net_counts(const struct live_net *n) {
  return live_hosts_counts(n->hosts);
}

// --- opening and closing ---

struct live_net *live_net_open(const struct live_options *o, struct live_guest *guests, const struct drive_ring *rings,
                               unsigned ring_count, struct history *history, struct capture_writer *writer, const char *wave,
                               char *error, size_t size) {
  struct live_net *n = calloc(1, sizeof *n);
  snprintf(error, size, "out of memory");
  if (n == NULL) return NULL;
  n->options = o;
  n->writer = writer;
  n->epoch = 1;
  n->fabric = mac_switch_new(o->hosts);
  n->hosts = live_hosts_new(o, guests);
  const struct bench_options b = {
      .drive = {.config = o->config->name, .wave = wave, .seed = o->seed, .stall = o->stall},
      .rings = rings,
      .ring_count = ring_count,
      .input = UNDECIDED_RECORDED,
      .epoch = n->epoch,
      .history = history,
      .user = n,
      .out = device_out,
  };
  if (n->fabric != NULL && n->hosts != NULL) n->bench = bench_open(&b, error, size);
  if (n->bench == NULL) {
    live_net_close(n);
    return NULL;
  }
  bench_warm_up(n->bench);
  return n;
}

void live_net_close(struct live_net *n) {
  if (n == NULL) return;
  live_hosts_free(n->hosts);
  mac_switch_free(n->fabric);
  bench_close(n->bench);
  free(n);
}
