#include "hosts/hostile.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "hosts/mangle.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum {
  SHORTEST = 14,
  MOST_PAYLOAD = HOSTILE_ROOM - (int)ROCE_MAX_HEADER - 8,
  MOST_RINGS = 32,
  REUSED_QPNS = 16,
  QPNS = 1 << 16   // of one host; it goes through all of them
};

struct hostile {
  struct hostile_config config;
  struct hostile_peer *peers;
  struct hostile_ring rings[MOST_RINGS];
  size_t ring_count;
  struct rng rng;
  uint32_t next_qpn;
  uint64_t turn;   // of its own ring's ranks
  uint8_t payload[HOSTILE_ROOM];
};

/// A packet open to change before it is built.
struct forged_packet {
  struct roce_build build;
  struct ina_header ina;
};

struct hostile *hostile_new(const struct hostile_config *config) {
  struct hostile *h = calloc(1, sizeof *h);
  if (h == NULL) return NULL;
  h->config = *config;
  h->rng = rng_for(config->seed, 0x484F5354);
  h->turn = UINT64_C(1) << 40 | rng_next(&h->rng) >> 32;
  h->peers = malloc(config->peer_count * sizeof *h->peers);
  if (h->peers == NULL) {
    free(h);
    return NULL;
  }
  memcpy(h->peers, config->peers, config->peer_count * sizeof *h->peers);
  rng_fill(&h->rng, h->payload, sizeof h->payload);
  return h;
}

void hostile_free(struct hostile *h) {
  if (h == NULL) return;
  free(h->peers);
  free(h);
}

void hostile_aim(struct hostile *h, const struct hostile_ring *rings, size_t count) {
  h->ring_count = count < MOST_RINGS ? count : MOST_RINGS;
  if (count > 0) memcpy(h->rings, rings, h->ring_count * sizeof *rings);
}

// --- parts of packets ---

static const struct hostile_peer *some_peer(struct hostile *h) {
  return &h->peers[rng_below(&h->rng, (unsigned)h->config.peer_count)];
}

/// One of a few queue pairs, or one that was not named yet.
static uint32_t some_qpn(struct hostile *h) {
  const uint32_t first = HOSTILE_QPN + h->config.index * QPNS;
  return first + (rng_percent(&h->rng, 50) ? rng_below(&h->rng, REUSED_QPNS) : h->next_qpn++ % QPNS);
}

/// A WRITE or SEND to a peer, from itself or as if from another peer.
static void begin(struct hostile *h, struct forged_packet *p) {
  static const uint8_t starts[] = {ROCE_SEND_FIRST,  ROCE_SEND_ONLY,  ROCE_SEND_ONLY_IMM,  ROCE_SEND_ONLY_INV,
                                   ROCE_WRITE_FIRST, ROCE_WRITE_ONLY, ROCE_WRITE_ONLY_IMM, ROCE_WRITE_FIRST};
  struct rng *d = &h->rng;
  struct roce_build *b = &p->build;
  const struct hostile_peer *to = some_peer(h), *from = rng_percent(d, 30) ? some_peer(h) : &h->config.self;
  memset(p, 0, sizeof *p);
  memcpy(b->src_mac, h->config.self.mac, sizeof b->src_mac);
  memcpy(b->dst_mac, to->mac, sizeof b->dst_mac);
  // With a tag that names no VLAN it is the connection without one; in a VLAN it is another one.
  b->vlan = rng_percent(d, 10);
  if (b->vlan && rng_percent(d, 50)) b->key.vlan = (uint16_t)rng_from(d, 1, 2);
  b->key.v6 = rng_percent(d, 10);
  memcpy(b->key.src, from->ip, sizeof from->ip);
  memcpy(b->key.dst, to->ip, sizeof to->ip);
  b->key.qpn = some_qpn(h);
  b->ip_id = (uint16_t)rng_next(d);
  b->udp_src = (uint16_t)(0xC000 | rng_next(d));
  b->ttl = 64;
  b->opcode = starts[rng_below(d, sizeof starts)];
  b->psn = rng_below(d, 1u << 24);
  b->ack_request = rng_percent(d, 20);
  b->payload = h->payload + rng_below(d, 64);
  b->payload_len = 4 * rng_below(d, 1 + (unsigned)h->config.slot_bytes / 4);
}

/// A header that would be right if it came from the rank it names.
static bool forge(struct hostile *h, struct forged_packet *p) {
  if (h->ring_count == 0) return false;
  struct rng *d = &h->rng;
  const struct hostile_ring *ring = &h->rings[rng_below(d, (unsigned)h->ring_count)];
  const uint8_t kind = (uint8_t)(rng_below(d, 3) << 4 | rng_below(d, 4));
  // MsgIDs near 0 are those an honest sender uses now; others lie far outside of every window.
  const uint32_t msgid = rng_percent(d, 50) ? rng_below(d, 64) : (uint32_t)rng_next(d);
  p->ina = (struct ina_header){.ring = ring->id,
                               .rank = (uint8_t)rng_below(d, ring->workers),
                               .kind = kind,
                               .msgid = msgid,
                               .msglen = (uint16_t)rng_from(d, 1, ring->stride),
                               .workers = (uint16_t)ring->workers};
  p->build.ina = &p->ina;
  return true;
}

static size_t build(const struct forged_packet *p, uint8_t *frame) { return roce_build(&p->build, frame, HOSTILE_ROOM); }

/// Of somebody else's rank, if it knows a ring, or else of no ring.
static size_t some_frame(struct hostile *h, uint8_t *frame) {
  struct forged_packet p;
  begin(h, &p);
  forge(h, &p);
  return build(&p, frame);
}

// --- headers ---

static size_t wrong_header(struct hostile *h, uint8_t *frame) {
  struct forged_packet p;
  struct rng *d = &h->rng;
  begin(h, &p);
  if (forge(h, &p)) {
    switch (rng_below(d, 7)) {
      case 0: p.ina.rank = (uint8_t)rng_from(d, p.ina.workers, 255); break;
      case 1: p.ina.workers = (uint16_t)(p.ina.workers + 1 + rng_below(d, 65534)); break;
      case 2: p.ina.msglen = 0; break;
      case 3: p.ina.msglen = (uint16_t)rng_from(d, 16385, 65535); break;
      case 4: p.ina.kind |= (uint8_t)(rng_from(d, 1, 3) << 2); break;
      case 5: p.ina.kind = (uint8_t)((p.ina.kind & 15) | rng_from(d, 3, 15) << 4); break;
      default: p.ina.ring ^= 0x8000;   // nobody has such a ring
    }
  }
  return build(&p, frame);
}

/// An INA header in a packet that does not begin a message, or of a kind that has none.
static size_t wrong_place(struct hostile *h, uint8_t *frame) {
  static const uint8_t places[] = {ROCE_SEND_MIDDLE, ROCE_SEND_LAST, ROCE_SEND_LAST_IMM, ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST};
  struct forged_packet p;
  begin(h, &p);
  forge(h, &p);
  // A header in front would make it tagged; in the payload it stands where one would look.
  const bool tagged = p.build.ina != NULL;
  uint8_t payload[INA_BYTES + 64];
  memcpy(payload, h->payload, sizeof payload);
  if (tagged) ina_put(payload, &p.ina);
  p.build.ina = NULL;
  p.build.payload = payload;
  p.build.payload_len = sizeof payload - 4 * rng_below(&h->rng, 21);   // some end inside the header
  p.build.opcode = rng_percent(&h->rng, 50) ? places[rng_below(&h->rng, sizeof places)] : mangle_control(&h->rng);
  return build(&p, frame);
}

static size_t jumbo(struct hostile *h, uint8_t *frame) {
  struct forged_packet p;
  const unsigned slot = (unsigned)h->config.slot_bytes;
  begin(h, &p);
  forge(h, &p);
  p.build.payload_len = slot < MOST_PAYLOAD ? rng_from(&h->rng, slot, MOST_PAYLOAD) : MOST_PAYLOAD;
  return build(&p, frame);
}

/// A SEND or WRITE that has nothing to do with any ring: it is to pass.
static size_t stranger(struct hostile *h, uint8_t *frame) {
  struct forged_packet p;
  begin(h, &p);
  p.build.opcode = (uint8_t)rng_below(&h->rng, ROCE_WRITE_ONLY_IMM + 1);
  return build(&p, frame);
}

// --- broken frames ---

static size_t broken(struct hostile *h, uint8_t *frame) {
  struct rng *d = &h->rng;
  size_t len = some_frame(h, frame);
  switch (rng_below(d, 5)) {
    case 0: mangle_icrc(d, frame, len); break;
    case 1: mangle_bits(d, frame, len); break;
    case 2: len = mangle_cut(d, len); break;
    case 3:   // more bytes behind the IP packet than Ethernet needs
      rng_fill(d, frame + len, 64);
      len += rng_from(d, 1, 64);
      break;
    default: len = mangle_strange(d, frame, len);
  }
  return len;
}

/// To a peer, mostly: what nobody knows goes to all.
static size_t address(struct hostile *h, uint8_t *frame, size_t len) {
  if (len >= SHORTEST && rng_percent(&h->rng, 95)) memcpy(frame, some_peer(h)->mac, sizeof h->config.self.mac);
  return len;
}

/// Nothing but noise, of any length; some of it with an EtherType that is of interest.
static size_t noise(struct hostile *h, uint8_t *frame) {
  struct rng *d = &h->rng;
  if (rng_percent(d, 30)) return address(h, frame, mangle_ethernet(d, frame));
  const size_t len = rng_percent(d, 70) ? rng_from(d, SHORTEST, 256) : rng_from(d, SHORTEST, HOSTILE_ROOM);
  rng_fill(d, frame, len);
  return address(h, frame, len);
}

// --- a ring of its own ---

/// What may be wrong with a packet of its own ring, one that was sent rightly before: or else it would be the one that counts.
static void contradict(struct hostile *h, struct forged_packet *p, uint64_t *turn) {
  struct rng *d = &h->rng;
  const struct hostile_ring *ring = &h->config.own;
  switch (rng_below(d, 8)) {
    case 0: *turn -= rng_next(d) >> rng_from(d, 32, 60); break;   // long ago
    case 1: *turn -= rng_below(d, 8 * ring->workers * ring->stride); break;
    case 2: p->build.psn ^= 1; break;
    case 3: p->ina.kind = INA_FP16; break;
    case 4: p->build.payload_len = rng_below(d, 2 * (unsigned)h->config.slot_bytes); break;
    case 5: p->build.payload_len = h->config.slot_bytes / 4; break;
    case 6: p->ina.msglen++; break;
    default:
      // Ahead of the window may be the last that is heard of this ring: its slots then wait for ever.
      if (rng_percent(d, 10)) *turn += rng_below(d, 8 * ring->workers * ring->stride);
  }
}

/// Its ranks take turns, packet by packet, so that columns get complete; but they repeat and contradict themselves.
static size_t own_ring(struct hostile *h, uint8_t *frame) {
  const struct hostile_ring *ring = &h->config.own;
  struct rng *d = &h->rng;
  struct forged_packet p;
  if (ring->workers == 0) return some_frame(h, frame);
  const bool odd = rng_percent(d, 20);
  if (rng_percent(d, 10)) h->turn -= rng_below(d, ring->workers * ring->stride);
  uint64_t turn = odd ? h->turn - rng_from(d, 1, ring->workers * ring->stride) : h->turn++;
  begin(h, &p);
  p.build.payload_len = h->config.slot_bytes / 2;
  p.build.psn = 0;
  p.ina = (struct ina_header){.ring = ring->id,
                              .kind = INA_INT32,
                              .msglen = (uint16_t)ring->stride,
                              .workers = (uint16_t)ring->workers};
  if (odd) contradict(h, &p, &turn);
  const unsigned rank = (unsigned)(turn % ring->workers), offset = (unsigned)(turn / ring->workers % ring->stride);
  p.ina.rank = (uint8_t)rank;
  p.ina.msgid = (uint32_t)(turn / (ring->workers * ring->stride));
  p.build.psn = (p.build.psn + p.ina.msgid * ring->stride + offset) & 0xFFFFFF;
  p.build.opcode = offset == 0 ? ROCE_WRITE_FIRST : ROCE_WRITE_MIDDLE;
  p.build.ina = offset == 0 ? &p.ina : NULL;
  // A connection a rank, always the same.
  memcpy(p.build.key.src, h->config.self.ip, sizeof h->config.self.ip);
  memcpy(p.build.key.dst, h->peers[0].ip, sizeof h->peers[0].ip);
  p.build.key.v6 = false;
  p.build.key.vlan = 0;
  p.build.key.qpn = HOSTILE_QPN + h->config.index * QPNS + QPNS - 1 - rank;
  return build(&p, frame);
}

// --- choice ---

static const struct {
  unsigned weight;
  size_t (*make)(struct hostile *h, uint8_t *frame);
} kinds[] = {{25, some_frame}, {15, wrong_header}, {15, wrong_place}, {3, jumbo},
             {7, stranger},    {15, broken},       {10, noise},       {10, own_ring}};

size_t hostile_next(struct hostile *h, uint8_t *frame) {
  unsigned choice = rng_below(&h->rng, 100);
  size_t i = 0;
  while (choice >= kinds[i].weight) choice -= kinds[i++].weight;
  size_t len = kinds[i].make(h, frame);
  if (len < SHORTEST) {
    memset(frame + len, 0, SHORTEST - len);
    len = SHORTEST;
  }
  memcpy(frame + 6, h->config.self.mac, sizeof h->config.self.mac);
  return len;
}
