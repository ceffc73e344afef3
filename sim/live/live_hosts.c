#include "sim/live/live_hosts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/rng.h"
#include "wire/roce.h"

enum { MAX_FRAME = 65600 };   // a guest may send anything

/// A frame that waits until a guest reads.
struct waiting {
  uint8_t *data;
  size_t len;
};

struct host_queue {
  struct waiting frames[LIVE_QUEUE];
  unsigned first, count;
};

struct live_hosts {
  const struct live_options *options;
  struct live_guest *guests;
  struct host_queue *queues;   // of each host
  struct rng rng;
  struct live_net_counts counts;
  uint8_t frame[MAX_FRAME];
};

struct live_hosts *live_hosts_new(const struct live_options *options, struct live_guest *guests) {
  struct live_hosts *n = calloc(1, sizeof *n);
  if (n == NULL) return NULL;
  *n = (struct live_hosts){.options = options, .guests = guests, .rng = rng_for(options->seed, 0x6C697665)};
  n->queues = calloc(options->hosts, sizeof *n->queues);
  if (n->queues != NULL) return n;
  free(n);
  return NULL;
}

void live_hosts_free(struct live_hosts *n) {
  if (n == NULL) return;
  for (unsigned host = 0; host < n->options->hosts; host++)
    for (unsigned i = 0; i < n->queues[host].count; i++)
      free(n->queues[host].frames[(n->queues[host].first + i) % LIVE_QUEUE].data);
  free(n->queues);
  free(n);
}

bool live_hosts_loses(struct live_hosts *n) { return rng_uniform(&n->rng) < n->options->loss; }

// --- to hosts ---

/// A guest has got a frame.
static void count(struct live_hosts *n, unsigned host, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  n->counts.out++;
  n->counts.roce[host] += roce_locate(frame, len, &p);
}

void live_hosts_give(struct live_hosts *n, unsigned host, const uint8_t *frame, size_t len) {
  struct host_queue *q = &n->queues[host];
  struct live_guest *g = &n->guests[host];
  if (g->network < 0) {
    n->counts.dropped++;
    return;
  }
  if (live_hosts_loses(n)) {
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

static bool drain_one(struct live_hosts *n, unsigned host) {
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

bool live_hosts_drain(struct live_hosts *n) {
  bool moved = false;
  for (unsigned host = 0; host < n->options->hosts; host++) moved = drain_one(n, host) || moved;
  return moved;
}

// --- from hosts ---

size_t live_hosts_take(struct live_hosts *n, unsigned host, const uint8_t **frame, bool *moved) {
  while (n->guests[host].network >= 0) {
    const ssize_t len = recv(n->guests[host].network, n->frame, sizeof n->frame, MSG_DONTWAIT);
    if (len <= 0) break;
    n->counts.in++;
    *moved = true;
    if (live_hosts_loses(n)) {
      n->counts.lost_in++;
      continue;
    }
    *frame = n->frame;
    return (size_t)len;
  }
  return 0;
}

void live_hosts_count_beside(struct live_hosts *n) { n->counts.beside++; }

bool live_hosts_idle(const struct live_hosts *n) {
  for (unsigned host = 0; host < n->options->hosts; host++)
    if (n->queues[host].count > 0) return false;
  return true;
}

struct live_net_counts live_hosts_counts(const struct live_hosts *n) {
  return n->counts;
}
