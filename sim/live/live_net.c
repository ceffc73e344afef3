#include "sim/live/live_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/rng.h"
#include "hosts/mac_switch.h"
#include "wire/roce.h"

enum {
  MAX_PENDING = 4,     // frames in front of an input of the device
  BATCH = 64,          // cycles between two looks at the sockets
  MAX_FRAME = 65600,   // a guest may send anything
  CYCLE_NS = 4
};

/// A frame that waits until a guest reads.
struct waiting {
  uint8_t *data;
  size_t len;
};

struct host_queue {
  struct waiting frames[LIVE_QUEUE];
  unsigned first, count;
};

struct live_net {
  const struct live_options *options;
  struct live_guest *guests;
  struct bench *bench;
  struct mac_switch *fabric;
  struct capture_writer *writer;
  struct host_queue *queues;   // of each host
  struct rng rng;
  uint8_t epoch;
  struct live_net_counts counts;
  uint64_t idle_since_ns;   // the device is not clocked since then; 0: it is
  uint8_t frame[MAX_FRAME];
};

static bool is_lost(struct live_net *n) { return (double)(rng_next(&n->rng) >> 11) * 0x1p-53 < n->options->loss; }

// --- to hosts ---

/// A guest has got a frame.
static void count(struct live_net *n, unsigned host, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  n->counts.out++;
  n->counts.roce[host] += roce_locate(frame, len, &p);
}

static void deliver(struct live_net *n, unsigned host, const uint8_t *frame, size_t len) {
  struct host_queue *q = &n->queues[host];
  struct live_guest *g = &n->guests[host];
  if (g->network < 0) {
    n->counts.dropped++;
    return;
  }
  if (is_lost(n)) {
    n->counts.lost_out++;
    return;
  }
  const int sent = q->count == 0 ? live_guest_send(g, frame, len) : 0;
  if (sent == 1) count(n, host, frame, len);
  uint8_t *copy = sent == 0 && q->count < LIVE_QUEUE ? malloc(len) : NULL;
  if (copy != NULL) {
    memcpy(copy, frame, len);
    q->frames[(q->first + q->count++) % LIVE_QUEUE] = (struct waiting){copy, len};
  } else if (sent != 1) {
    n->counts.dropped++;
  }
}

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  struct live_net *n = user;
  (void)first_cycle;
  (void)last_cycle;
  uint64_t to = mac_switch_forward(n->fabric, port, frame, len);
  for (; to != 0; to &= to - 1) {
    const unsigned host = (unsigned)__builtin_ctzll(to);
    if (host < n->options->hosts) deliver(n, host, frame, len);
  }
}

/// What waited goes as soon as there is room. True if anything went.
static bool drain(struct live_net *n, unsigned host) {
  struct host_queue *q = &n->queues[host];
  bool moved = false;
  while (q->count > 0) {
    struct waiting *w = &q->frames[q->first];
    const int sent = n->guests[host].network >= 0 ? live_guest_send(&n->guests[host], w->data, w->len) : -1;
    if (sent == 0) break;
    if (sent == 1)
      count(n, host, w->data, w->len);
    else
      n->counts.dropped++;
    free(w->data);
    q->first = (q->first + 1) % LIVE_QUEUE;
    q->count--;
    moved = true;
  }
  return moved;
}

// --- from hosts ---

/// A device that was not clocked has slept through the time that went by.
static void wake(struct live_net *n) {
  if (n->idle_since_ns == 0) return;
  bench_skip(n->bench, (clock_monotonic_ns() - n->idle_since_ns) / CYCLE_NS);
  n->idle_since_ns = 0;
}

static bool take(struct live_net *n, unsigned host) {
  bool moved = false;
  while (n->guests[host].network >= 0 && bench_pending(n->bench, host) < MAX_PENDING) {
    const ssize_t len = recv(n->guests[host].network, n->frame, sizeof n->frame, MSG_DONTWAIT);
    if (len <= 0) break;
    n->counts.in++;
    moved = true;
    if (is_lost(n)) {
      n->counts.lost_in++;
      continue;
    }
    wake(n);
    if (n->writer != NULL) capture_writer_put(n->writer, host, clock_epoch_ns(), n->frame, (size_t)len);
    bench_send(n->bench, host, n->frame, (size_t)len, false);
  }
  return moved;
}

bool live_net_step(struct live_net *n) {
  bool moved = false;
  for (unsigned host = 0; host < n->options->hosts; host++) {
    moved = drain(n, host) || moved;
    moved = take(n, host) || moved;
  }
  if (bench_quiet(n->bench)) {
    if (n->idle_since_ns == 0) n->idle_since_ns = clock_monotonic_ns();
    return moved;
  }
  for (unsigned i = 0; i < BATCH; i++) bench_step(n->bench);
  return true;
}

bool live_net_idle(const struct live_net *n) {
  for (unsigned host = 0; host < n->options->hosts; host++)
    if (n->queues[host].count > 0) return false;
  return true;
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
  return n->counts;
}

// --- opening and closing ---

struct live_net *live_net_open(const struct live_options *o, struct live_guest *guests, const struct drive_ring *rings,
                               unsigned ring_count, struct history *history, struct capture_writer *writer, const char *wave,
                               char *error, size_t size) {
  struct live_net *n = calloc(1, sizeof *n);
  snprintf(error, size, "out of memory");
  if (n == NULL) return NULL;
  n->options = o;
  n->guests = guests;
  n->writer = writer;
  n->epoch = 1;
  n->rng = rng_for(o->seed, 0x6C697665);
  n->fabric = mac_switch_new(o->hosts);
  n->queues = calloc(o->hosts, sizeof *n->queues);
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
  if (n->fabric != NULL && n->queues != NULL) n->bench = bench_open(&b, error, size);
  if (n->bench == NULL) {
    live_net_close(n);
    return NULL;
  }
  bench_warm_up(n->bench);
  return n;
}

void live_net_close(struct live_net *n) {
  if (n == NULL) return;
  for (unsigned host = 0; n->queues != NULL && host < n->options->hosts; host++)
    for (unsigned i = 0; i < n->queues[host].count; i++)
      free(n->queues[host].frames[(n->queues[host].first + i) % LIVE_QUEUE].data);
  free(n->queues);
  mac_switch_free(n->fabric);
  bench_close(n->bench);
  free(n);
}
