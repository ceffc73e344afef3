/// What decides beside the hash which uplink a packet takes: overrides of traffic engineering (Meta RoCE 4.3.2), flowlets (4.5) and the load of
/// ports. Functions of what they are given, for the golden model of rtl/fabric and for simulated switches; times are in any unit, of one
/// clock that never wraps.
#ifndef WEIR_MODEL_UPLINK_ROUTE_H
#define WEIR_MODEL_UPLINK_ROUTE_H

#include "model/uplink/uplink_hash.h"

/// Packets from a source port (UDP or TCP) to addresses with a prefix go to a port.
struct uplink_override {
  bool valid;
  uint16_t sport;
  uint64_t prefix[2];   ///< IPv4 as mapped, so that a length of 96 + n is /n
  uint8_t length;       ///< bits, 0 to 128
  uint8_t port;
};

static inline bool uplink_override_matches(const struct uplink_override *o, const struct uplink_key *key) {
  uint64_t high = o->length >= 64 ? ~UINT64_C(0) : ~(~UINT64_C(0) >> o->length);
  uint64_t low = o->length <= 64 ? 0 : o->length >= 128 ? ~UINT64_C(0) : ~(~UINT64_C(0) >> (o->length - 64));
  return o->valid && key->sport == o->sport && ((key->dst[0] ^ o->prefix[0]) & high) == 0 &&
         ((key->dst[1] ^ o->prefix[1]) & low) == 0;
}

/// The port of the first of `entries` that matches; -1: none does, or that port is dead: then the default route decides (4.3.2).
static inline int uplink_overridden(const struct uplink_override *entry, size_t entries, const struct uplink_key *key,
                                    uint32_t live) {
  for (size_t i = 0; i < entries; i++) {
    if (uplink_override_matches(&entry[i], key)) return live >> entry[i].port & 1 ? entry[i].port : -1;
  }
  return -1;
}

/// Bytes that ports were given lately: each frame adds its own, and at all multiples of a period an eighth (rounded up) of them is forgotten.
/// A port that is always busy at r bytes a time unit comes to 8 periods' worth. All zero: nothing was sent.
struct uplink_load {
  uint32_t bytes[UPLINK_MAX_PORTS];
  uint64_t now;   ///< all multiples of the period up to this time, itself included, are taken into account
};
/// No port's load grows beyond this.
#define UPLINK_MOST_LOAD ((UINT32_C(1) << 26) - 1)

/// Moves time on to `now`, which never goes back.
static inline void uplink_load_until(struct uplink_load *l, uint64_t now, uint64_t period) {
  uint64_t times = now / period - l->now / period;
  l->now = now;
  for (unsigned p = 0; p < UPLINK_MAX_PORTS; p++) {
    for (uint64_t n = times; n > 0 && l->bytes[p] > 0; n--) l->bytes[p] -= (l->bytes[p] + 7) >> 3;
  }
}

static inline void uplink_load_add(struct uplink_load *l, unsigned port, uint32_t bytes) {
  uint32_t sum = l->bytes[port] + bytes;
  l->bytes[port] = sum > UPLINK_MOST_LOAD ? UPLINK_MOST_LOAD : sum;
}

/// The port with the least load of those that live, the lowest of equals; -1: none lives.
static inline int uplink_load_least(const struct uplink_load *l, uint32_t live, unsigned ports) {
  int least = -1;
  for (unsigned p = 0; p < ports; p++) {
    if ((live >> p & 1) != 0 && (least < 0 || l->bytes[p] < l->bytes[least])) least = (int)p;
  }
  return least;
}

/// An entry of the flowlet table, at a hash's low bits. Flows that share one are one: their packets take one way until none of them has
/// come for an interval, so nothing overtakes. All zero: never used.
struct uplink_flowlet {
  bool valid;
  uint8_t port;
  uint64_t last;   ///< when its latest packet came
};

enum uplink_flowlet_why { UPLINK_GOES_ON, UPLINK_FIRST, UPLINK_GAP, UPLINK_DEAD };

/// The port of a packet that comes at `now`: the entry's, if its latest packet came no longer than `interval` ago and that port lives; else
/// `least` (uplink_load_least, 0 or more), where a new flowlet begins. Keeps port and time; `why` gets the reason, if it is not NULL.
static inline unsigned uplink_flowlet_step(struct uplink_flowlet *e, uint64_t now, uint64_t interval, uint32_t live,
                                           unsigned least, enum uplink_flowlet_why *why) {
  enum uplink_flowlet_why w = UPLINK_GOES_ON;
  if (!e->valid)
    w = UPLINK_FIRST;
  else if (now - e->last > interval)
    w = UPLINK_GAP;
  else if ((live >> e->port & 1) == 0)
    w = UPLINK_DEAD;
  if (w != UPLINK_GOES_ON) e->port = (uint8_t)least;
  e->valid = true;
  e->last = now;
  if (why != NULL) *why = w;
  return e->port;
}

#endif
