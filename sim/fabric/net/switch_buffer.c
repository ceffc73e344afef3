// Who may have how much of a switch's buffer. With flow control an input is stopped at its limit, and has headroom for what comes until it is
// silent; without, a packet beyond the limit is dropped. The urgent class is never stopped: a packet of it is dropped when the buffer is full.
//
// Headroom is for what a cable brings. What is made beside the switch (sums: many for one packet that came, and of packets that came long ago) is none of
// that, and has none: while its input is stopped it waits where it was made, as a device on a cable of its own would be stopped.
#include "sim/fabric/net/switch.h"

static bool stops(const struct fabric_switch *s, unsigned class) { return s->options.pfc && class == PACKET_BULK; }

// Bytes that an input may have before it is stopped.
static uint64_t limit_of(const struct fabric_switch *s, uint32_t in) {
  const struct switch_options *o = &s->options;
  const uint64_t headroom = o->pfc ? s->port[in].headroom : 0, reserved = o->pfc ? s->reserved : 0;
  if (o->policy == BUFFER_CARVED) {
    const uint64_t carve = o->buffer / s->ports;
    return carve > headroom ? carve - headroom : 0;
  }
  const uint64_t shared = o->buffer > reserved ? o->buffer - reserved : 0;
  return s->used < shared ? (uint64_t)(o->alpha * (double)(shared - s->used)) : 0;
}

static bool room(const struct fabric_switch *s, uint32_t in, uint32_t out, const struct world_packet *p) {
  const struct fabric_port *port = &s->port[in];
  const uint64_t with = port->taken[p->class] + p->wire;
  if (s->used + p->wire > s->options.buffer) return false;
  if (p->class == PACKET_URGENT) return true;
  if (stops(s, p->class)) return !port->told[p->class] || with <= port->told_at[p->class] + port->headroom;
  if (s->options.policy == BUFFER_CARVED) return with <= limit_of(s, in);
  return s->port[out].queued[p->class] + p->wire <= limit_of(s, in);
}

bool buffer_waits_beside(const struct fabric_switch *s, uint32_t in, uint32_t out, const struct world_packet *p) {
  return (p->flags & PACKET_BESIDE) && stops(s, p->class) && (s->port[in].told[p->class] || !room(s, in, out, p));
}

bool buffer_take(struct fabric_switch *s, uint32_t in, uint32_t out, const struct world_packet *p) {
  if (!room(s, in, out, p)) return false;
  s->port[in].taken[p->class] += p->wire;
  s->used += p->wire;
  if (s->used > s->deepest) s->deepest = s->used;
  if (!s->alarm && s->used * 5 > s->options.buffer * 4) {
    s->alarm = true;
    s->alarms++;
  }
  return true;
}

void buffer_give(struct fabric_switch *s, const struct world_packet *p) {
  if (p->flags & PACKET_BESIDE) return;
  s->port[p->in].taken[p->class] -= p->wire;
  s->used -= p->wire;
  if (s->alarm && s->used * 4 < s->options.buffer * 3) s->alarm = false;
}

bool buffer_full(const struct fabric_switch *s, uint32_t in, unsigned class) {
  return stops(s, class) && s->port[in].taken[class] > limit_of(s, in);
}

bool buffer_free(const struct fabric_switch *s, uint32_t in, unsigned class) {
  const uint64_t limit = limit_of(s, in), least = s->port[in].told_at[class] < limit ? s->port[in].told_at[class] : limit;
  return s->port[in].taken[class] <= (least > s->options.resume ? least - s->options.resume : 0);
}
