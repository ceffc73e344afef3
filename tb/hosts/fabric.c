#include "hosts/fabric.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hosts/mac_switch.h"
#include "wire/roce.h"

enum { MAX_SIDES = FABRIC_MAX_HOSTS + FABRIC_MAX_PORTS, ETHERNET_HEADER = 14 };

struct fabric_entry {
  struct fabric_entry *next;
  unsigned from;   // side it came in by
  size_t len;
  uint8_t data[];
};

struct fabric_queue {
  struct fabric_entry *head, **tail;
  size_t bytes;
};

// A side is a port of the switch: hosts first, then the ports of the device.
struct side {
  struct link *in, *out;       // into the switch, out of it
  struct fabric_queue queue;   // in front of `out`
  size_t held;                 // bytes in the buffer that came in by this side
  bool paused;                 // this side may not send
  bool stopped;                // the device takes nothing
};

struct fabric {
  struct fabric_config config;
  struct side sides[MAX_SIDES];
  unsigned count;
  struct mac_switch *table;
  struct fabric_queue leaving[FABRIC_MAX_PORTS];   // whole frames of the device that its cable has no time for yet
  uint64_t now;
  struct fabric_counts counts;
};

static bool is_host(const struct fabric *f, unsigned side) { return side < f->config.hosts; }

static struct side *port_side(struct fabric *f, unsigned port) { return &f->sides[f->config.hosts + port]; }

/// The kind of cable between the switch and a side.
static enum fabric_hop hop_of(const struct fabric *f, unsigned side, bool out) {
  if (!is_host(f, side)) return out ? FABRIC_TO_DEVICE : FABRIC_FROM_DEVICE;
  switch (f->config.place[side]) {
    case FABRIC_PARENT: return out ? FABRIC_TO_PARENT : FABRIC_FROM_PARENT;
    case FABRIC_CHILD: return out ? FABRIC_FROM_PARENT : FABRIC_TO_PARENT;
    default: return out ? FABRIC_DOWN : FABRIC_UP;
  }
}

/// From another switch: its own end is the cable.
static bool only_an_end(const struct fabric *f, unsigned side) {
  return is_host(f, side) && f->config.place[side] != FABRIC_HOST;
}

static struct link *cable(const struct fabric_config *c, enum fabric_hop hop, double gbps, unsigned index) {
  const struct link_config link = {
      .gbps = gbps,
      .delay_ps = c->delay_ps,
      .grain_ps = c->step_ps,
      .faults = c->faults[hop],
      .seed = c->seed ^ ((uint64_t)hop << 56 | (uint64_t)index << 48),
  };
  return link_new(&link);
}

struct fabric *fabric_new(const struct fabric_config *config) {
  struct fabric *f = calloc(1, sizeof *f);
  if (f == NULL) return NULL;
  f->config = *config;
  f->count = config->hosts + config->ports;
  f->table = mac_switch_new(config->hosts);
  bool good = f->table != NULL;
  for (unsigned s = 0; s < f->count; s++) {
    struct side *side = &f->sides[s];
    const bool host = is_host(f, s);
    const double gbps = host ? config->gbps[s] : config->device_gbps;
    side->in = only_an_end(f, s) ? link_new(&(struct link_config){0}) : cable(config, hop_of(f, s, false), gbps, s);
    side->out = cable(config, hop_of(f, s, true), gbps, s);
    side->queue.tail = &side->queue.head;
    good = good && side->in != NULL && side->out != NULL;
  }
  for (unsigned p = 0; p < config->ports; p++) f->leaving[p].tail = &f->leaving[p].head;
  if (good) return f;
  fabric_free(f);
  return NULL;
}

static void drop_all(struct fabric_queue *q) {
  for (struct fabric_entry *e = q->head, *next; e != NULL; e = next) {
    next = e->next;
    free(e);
  }
}

void fabric_free(struct fabric *f) {
  if (f == NULL) return;
  for (unsigned s = 0; s < f->count; s++) {
    link_free(f->sides[s].in);
    link_free(f->sides[s].out);
    drop_all(&f->sides[s].queue);
  }
  for (unsigned p = 0; p < f->config.ports; p++) drop_all(&f->leaving[p]);
  mac_switch_free(f->table);
  free(f);
}

void fabric_bind(struct fabric *f, unsigned host, const uint8_t mac[6]) { mac_switch_bind(f->table, mac, host); }

void fabric_set_delay(struct fabric *f, uint64_t delay_ps) {
  for (unsigned s = 0; s < f->count; s++) {
    if (!only_an_end(f, s)) link_set_delay(f->sides[s].in, delay_ps);
    link_set_delay(f->sides[s].out, delay_ps);
  }
}

// --- queues ---

static void append(struct fabric_queue *q, unsigned from, const uint8_t *frame, size_t len) {
  struct fabric_entry *e = need(malloc(sizeof *e + len));
  *e = (struct fabric_entry){.from = from, .len = len};
  memcpy(e->data, frame, len);
  *q->tail = e;
  q->tail = &e->next;
  q->bytes += len;
}

static struct fabric_entry *take(struct fabric_queue *q) {
  struct fabric_entry *e = q->head;
  q->head = e->next;
  if (q->head == NULL) q->tail = &q->head;
  q->bytes -= e->len;
  return e;
}

/// A port is paused above the mark, and sends again below half of it.
static void judge(struct fabric *f, unsigned s) {
  struct side *side = &f->sides[s];
  if (!side->paused && f->config.pause && side->held > f->config.pause_bytes) {
    side->paused = true;
    f->counts.pauses++;
  } else if (side->paused && side->held < f->config.pause_bytes / 2) {
    side->paused = false;
  }
}

static void enqueue(struct fabric *f, unsigned from, unsigned to, const uint8_t *frame, size_t len) {
  struct fabric_queue *q = &f->sides[to].queue;
  if (q->bytes + len > f->config.buffer_bytes) {
    f->counts.dropped++;
    return;
  }
  append(q, from, frame, len);
  f->sides[from].held += len;
  judge(f, from);
}

// --- the switch ---

/// True for what the access list redirects: SEND and WRITE data of RC over RoCEv2. It looks at fixed places only.
static bool is_gradient(const uint8_t *frame, size_t len) {
  struct roce_packet p;
  if (!roce_locate(frame, len, &p)) return false;
  const uint8_t opcode = frame[p.bth];
  return opcode <= ROCE_WRITE_ONLY_IMM || opcode == ROCE_SEND_LAST_INV || opcode == ROCE_SEND_ONLY_INV;
}

/// True for a frame that the device gets.
static bool redirected(const struct fabric *f, unsigned s, const uint8_t *frame, size_t len) {
  const struct fabric_config *c = &f->config;
  if (c->plain) return false;
  if (c->own_only) return memcmp(frame, c->own, sizeof c->own) == 0;
  return c->all[s] || is_gradient(frame, len);
}

static void arrive(struct fabric *f, unsigned s, const struct link_frame *frame) {
  if (frame->bad_fcs || frame->len < ETHERNET_HEADER) {
    f->counts.bad_fcs++;
    return;
  }
  uint64_t to;
  if (!is_host(f, s)) {
    to = mac_switch_lookup(f->table, frame->data, frame->len);
  } else {
    to = mac_switch_forward(f->table, s, frame->data, frame->len);
    if (redirected(f, s, frame->data, frame->len)) {
      f->counts.redirected++;
      enqueue(f, s, f->config.hosts + f->config.redirect[s], frame->data, frame->len);
      return;
    }
  }
  if (f->config.no_flood && (to & (to - 1)) != 0) {
    f->counts.unknown++;
    return;
  }
  f->counts.forwarded++;
  for (unsigned h = 0; h < f->config.hosts; h++)
    if (to >> h & 1) enqueue(f, s, h, frame->data, frame->len);
}

static void send_next(struct fabric *f, struct side *side) {
  struct fabric_entry *e = take(&side->queue);
  link_send(side->out, f->now, e->data, e->len);
  f->sides[e->from].held -= e->len;
  judge(f, e->from);
  free(e);
}

void fabric_step(struct fabric *f, uint64_t now) {
  f->now = now;
  struct link_frame frame;
  for (unsigned p = 0; p < f->config.ports; p++) {
    struct fabric_queue *q = &f->leaving[p];
    if (q->head == NULL || !link_idle(port_side(f, p)->in, now)) continue;
    struct fabric_entry *e = take(q);
    link_send(port_side(f, p)->in, now, e->data, e->len);
    free(e);
  }
  for (unsigned s = 0; s < f->count; s++)
    while (link_receive(f->sides[s].in, now, &frame)) arrive(f, s, &frame);
  for (unsigned s = 0; s < f->count; s++) {
    struct side *side = &f->sides[s];
    if (side->queue.head != NULL && !side->stopped && link_idle(side->out, now)) send_next(f, side);
  }
}

static void sooner(uint64_t *first, uint64_t time) {
  if (time < *first) *first = time;
}

uint64_t fabric_deadline(const struct fabric *f) {
  uint64_t first = UINT64_MAX;
  for (unsigned s = 0; s < f->count; s++) {
    const struct side *side = &f->sides[s];
    sooner(&first, link_due(side->in));
    sooner(&first, link_due(side->out));
    if (side->queue.head != NULL && !side->stopped) sooner(&first, link_idle_at(side->out));
    if (!is_host(f, s) && f->leaving[s - f->config.hosts].head != NULL) sooner(&first, link_idle_at(side->in));
  }
  return first;
}

// --- hosts ---

bool fabric_host_idle(const struct fabric *f, unsigned host, uint64_t now) {
  return !f->sides[host].paused && link_idle(f->sides[host].in, now);
}

uint64_t fabric_host_idle_at(const struct fabric *f, unsigned host) {
  return f->sides[host].paused ? UINT64_MAX : link_idle_at(f->sides[host].in);
}

void fabric_host_send(struct fabric *f, unsigned host, uint64_t now, const uint8_t *frame, size_t len) {
  link_send(f->sides[host].in, now, frame, len);
}

bool fabric_host_receive(struct fabric *f, unsigned host, uint64_t now, struct link_frame *frame) {
  while (link_receive(f->sides[host].out, now, frame)) {
    if (!frame->bad_fcs) return true;
    f->counts.bad_fcs++;
  }
  return false;
}

void fabric_trunk(struct fabric *a, unsigned a_host, struct fabric *b, unsigned b_host, uint64_t now) {
  struct link_frame frame;
  while (fabric_host_receive(a, a_host, now, &frame)) link_send(b->sides[b_host].in, now, frame.data, frame.len);
  a->sides[a_host].stopped = b->sides[b_host].paused;
}

struct link_counts fabric_cable(const struct fabric *f, unsigned host, bool out) {
  return link_counts(out ? f->sides[host].out : f->sides[host].in);
}

// --- the device ---

bool fabric_port_held(const struct fabric *f, unsigned port) {
  return f->sides[f->config.hosts + port].paused || f->leaving[port].head != NULL;
}

void fabric_port_send(struct fabric *f, unsigned port, const uint8_t *frame, size_t len) {
  append(&f->leaving[port], 0, frame, len);
}

bool fabric_port_receive(struct fabric *f, unsigned port, uint64_t now, struct link_frame *frame) {
  return link_receive(port_side(f, port)->out, now, frame);
}

void fabric_port_pause(struct fabric *f, unsigned port, bool pause) { port_side(f, port)->stopped = pause; }

static bool queue_holds(const struct fabric_queue *q, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                        const void *user) {
  const struct fabric_entry *e = q->head;
  while (e != NULL && !match(user, e->data, e->len)) e = e->next;
  return e != NULL;
}

bool fabric_holds(const struct fabric *f, bool (*match)(const void *user, const uint8_t *frame, size_t len), const void *user) {
  for (unsigned s = 0; s < f->count; s++) {
    const struct side *side = &f->sides[s];
    if (link_holds(side->in, match, user) || link_holds(side->out, match, user) || queue_holds(&side->queue, match, user))
      return true;
  }
  for (unsigned p = 0; p < f->config.ports; p++)
    if (queue_holds(&f->leaving[p], match, user)) return true;
  return false;
}

struct fabric_counts fabric_counts(const struct fabric *f) {
  struct fabric_counts counts = f->counts;
  for (unsigned s = 0; s < f->count; s++) {
    for (int out = 0; out < 2; out++) {
      if (!out && only_an_end(f, s)) continue;
      const struct link_counts c = link_counts(out ? f->sides[s].out : f->sides[s].in);
      struct link_counts *sum = &counts.hop[hop_of(f, s, out)];
      sum->frames += c.frames;
      sum->bytes += c.bytes;
      sum->lost += c.lost;
      sum->doubled += c.doubled;
      sum->overtaken += c.overtaken;
      sum->damaged += c.damaged;
    }
  }
  return counts;
}
