#include "sim/engine/gather/gather_cables.h"

/// Preamble and gap between frames: they take time on a cable, but are no traffic.
enum { GAP_BYTES = 20 };
/// Cables are free again at a fraction of a cycle.
enum { FRACTION = 256 };
/// Packets of a class that may wait in front of a cable before who makes them is to make no more.
enum { IN_FRONT = 4 };
/// Bytes that a receiver has taken before it tells; less than what buffers have beside the longest packet.
enum { TOLD_AT = 4096 };

uint64_t gather_cable_takes(const struct gather_fabric *f) { return f->o.cable_delay > 0 ? f->o.cable_delay : 1; }

static struct gather_cable *cable_of(const struct gather_fabric *f, uint32_t element, unsigned port) {
  return &f->cables[f->first_cable[element] + port];
}

static bool bounded(const struct gather_fabric *f) { return f->o.buffers > 0; }

static enum gather_class one_of(const struct gather_fabric *f, enum gather_class class) {
  return f->o.one_class ? GATHER_ASKS : class;
}

void gather_cables_open(struct gather_fabric *f) {
  for (uint32_t e = 0; e < f->element_count; e++) {
    const uint32_t end = e + 1 < f->element_count ? f->first_cable[e + 1] : f->cable_count;
    for (uint32_t i = f->first_cable[e]; i < end; i++) {
      struct gather_cable *c = &f->cables[i];
      c->from = e;
      c->port_from = i - f->first_cable[e];
      c->number = world_cable(f->world, f->places[e].part, f->places[c->to].part, c->port, gather_cable_takes(f));
      if (bounded(f))
        c->credits = world_cable(f->world, f->places[c->to].part, f->places[e].part, c->port_from, gather_cable_takes(f));
      for (unsigned k = 0; k < GATHER_CLASSES; k++) {
        c->room[k] = (int64_t)f->o.buffers;
        c->stopped_at[k] = GATHER_NEVER;
      }
    }
  }
}

void gather_cables_close(struct gather_fabric *f) {
  for (uint32_t i = 0; i < f->cable_count; i++)
    for (unsigned k = 0; k < GATHER_CLASSES; k++) gather_fifo_empty(&f->cables[i].waiting[k]);
}

// --- what happens to a packet ---

enum fault { GOOD, LOST, HELD, DOUBLED };

/// Whether the link of a cable, of both its directions, is down now. Links are drawn by the seed and go down one after the other.
static bool down(const struct gather_fabric *f, const struct gather_cable *c) {
  if (f->now < f->o.down_at || f->o.down_for == 0) return false;
  const uint64_t which = (f->now - f->o.down_at) / f->o.down_for;
  if (which >= f->o.downs) return false;
  struct rng d = rng_for(f->o.fault_seed, 0x4400 + which);
  const struct gather_cable *link = &f->cables[rng_below(&d, f->cable_count)];
  return link == c || (link->from == c->to && link->to == c->from);
}

/// What happens to the packet that is sent now.
static enum fault fault_of(struct gather_fabric *f, const struct gather_cable *c) {
  if (f->counts.packets == f->o.lose) return LOST;
  if (f->counts.packets == f->o.hold) return HELD;
  if (down(f, c)) {
    f->counts.cut++;
    return LOST;
  }
  if (f->o.faults <= 0 || rng_uniform(&f->faults) >= f->o.faults) return GOOD;
  return (enum fault)rng_from(&f->faults, LOST, DOUBLED);
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/// The cable takes a packet, as soon as it could.
static void transmit(struct gather_fabric *f, struct gather_cable *c, enum gather_class class, struct gather_packet *p) {
  struct gather_header h;
  gather_check(p->data, p->len, &h);
  const uint64_t bytes = gather_frame_bytes(p->len);
  const uint64_t properties = h.type == GATHER_RESPONSE ? (uint64_t)h.count * h.len : 0;
  f->counts.packets++;
  f->counts.bytes += bytes;
  f->counts.header_bytes += bytes - properties;
  f->counts.prs += h.count;
  const uint64_t ready = p->at * FRACTION, from = later(later(c->free_at, ready), c->room_at[class] * FRACTION);
  if ((from - ready) / FRACTION > f->counts.most_backlog) f->counts.most_backlog = (from - ready) / FRACTION;
  c->bytes += bytes + GAP_BYTES;
  c->free_at = from + (uint64_t)((double)(bytes + GAP_BYTES) * 8 * f->o.mhz / (f->o.gbps * 1000) * FRACTION + 0.5);
  const uint64_t at = later((c->free_at + FRACTION - 1) / FRACTION + f->o.cable_delay, f->now + gather_cable_takes(f));
  const enum fault fault = fault_of(f, c);
  f->counts.lost += fault == LOST;
  f->counts.doubled += fault == DOUBLED;
  f->under_way--;
  for (unsigned copies = fault == LOST ? 0 : fault == DOUBLED ? 2 : 1; copies > 0; copies--) {
    f->under_way++;
    c->room[class] -= (int64_t)p->len;
    world_send(f->world, c->number, at - gather_cable_takes(f),
               &(struct world_packet){.kind = PACKET_BYTES,
                                      .src = p->maker,
                                      .value = fault == HELD ? f->o.held_for : 0,
                                      .frame = world_frame_new(p->data, p->len)});
  }
  free(p);
}

// --- in front of a cable ---

/// The class whose turn it is of those that have a packet with room at the other end; GATHER_CLASSES: none.
static enum gather_class choose(const struct gather_fabric *f, const struct gather_cable *c) {
  for (unsigned i = 0; i < GATHER_CLASSES; i++) {
    const enum gather_class class = (enum gather_class)((c->turn + i) % GATHER_CLASSES);
    const struct gather_packet *p = c->waiting[class].first;
    if (p != NULL && (!bounded(f) || c->room[class] >= (int64_t)p->len)) return class;
  }
  return GATHER_CLASSES;
}

/// Throws away what waits for a receiver that has taken nothing for too long. Returns when it is to be looked at again.
static uint64_t watch(struct gather_fabric *f, struct gather_cable *c) {
  uint64_t at = GATHER_NEVER;
  for (unsigned k = 0; k < GATHER_CLASSES; k++) {
    if (c->waiting[k].first == NULL || c->room[k] >= (int64_t)c->waiting[k].first->len) {
      c->stopped_at[k] = GATHER_NEVER;
      continue;
    }
    if (c->stopped_at[k] == GATHER_NEVER) c->stopped_at[k] = f->now;
    if (f->o.pause_limit == 0) continue;
    c->given_up[k] = c->given_up[k] || f->now - c->stopped_at[k] >= f->o.pause_limit;
    if (!c->given_up[k] && c->stopped_at[k] + f->o.pause_limit < at) at = c->stopped_at[k] + f->o.pause_limit;
    for (struct gather_packet *p; c->given_up[k] && (p = gather_fifo_take(&c->waiting[k])) != NULL; free(p)) {
      f->counts.stopped++;
      f->under_way--;
    }
  }
  return at;
}

/// Sends what can be sent now, and says when to look again.
static void go_on(struct gather_fabric *f, struct gather_cable *c) {
  enum gather_class class;
  while ((!bounded(f) || c->free_at < (f->now + 1) * FRACTION) && (class = choose(f, c)) != GATHER_CLASSES) {
    c->turn = (enum gather_class)((class + 1) % GATHER_CLASSES);
    transmit(f, c, class, gather_fifo_take(&c->waiting[class]));
  }
  if (!bounded(f)) return;
  const uint64_t look = choose(f, c) == GATHER_CLASSES ? watch(f, c) : later(c->free_at / FRACTION, f->now + 1);
  world_set(f->world, f->places[c->from].part, GATHER_PUMP + c->port_from, look == GATHER_NEVER ? WORLD_NEVER : look);
}

void gather_cables_send(void *user, uint32_t element, unsigned port, struct gather_packet *p) {
  struct gather_fabric *f = user;
  struct gather_cable *c = cable_of(f, element, port);
  struct gather_header h;
  gather_check(p->data, p->len, &h);
  const enum gather_class class = one_of(f, gather_class_of(h.type));
  if (c->given_up[class]) {
    f->counts.stopped++;
    free(p);
    return;
  }
  f->under_way++;
  p->at = f->now;
  gather_fifo_put(&c->waiting[class], p);
  go_on(f, c);
}

bool gather_cables_room(void *user, uint32_t element, unsigned port, enum gather_class class) {
  const struct gather_fabric *f = user;
  const struct gather_cable *c = cable_of(f, element, port);
  class = one_of(f, class);
  return !bounded(f) || (c->waiting[class].count < IN_FRONT && !(c->given_up[class] && f->places[element].is.watches));
}

void gather_cables_pump(struct gather_fabric *f, uint32_t element, unsigned port) {
  go_on(f, cable_of(f, element, port));
  gather_place_ask(f, &f->places[element], f->now + 1);
}

void gather_cables_credit(struct gather_fabric *f, uint32_t element, unsigned port, enum gather_class class, uint64_t bytes) {
  struct gather_cable *c = cable_of(f, element, port);
  c->room[class] += (int64_t)bytes;
  c->room_at[class] = f->now;
  c->stopped_at[class] = GATHER_NEVER;
  c->given_up[class] = false;
  go_on(f, c);
  // The element has not been stepped in this cycle: all that comes in, credits too, comes before.
  gather_place_ask(f, &f->places[element], f->now);
}

void gather_cables_taken(void *user, uint32_t element, unsigned port, enum gather_class class, size_t len) {
  struct gather_fabric *f = user;
  if (!bounded(f)) return;
  // The cable that comes in by this port is the other direction of the one that leaves by it.
  const struct gather_cable *back = cable_of(f, element, port);
  struct gather_cable *c = cable_of(f, back->to, back->port);
  class = one_of(f, class);
  c->owed[class] += len;
  if (c->owed[class] < TOLD_AT) return;
  world_send(f->world, c->credits, f->now,
             &(struct world_packet){.kind = PACKET_CTS, .tag = (uint32_t) class, .value = c->owed[class]});
  c->owed[class] = 0;
}
