#include "hosts/traffic_state.h"

#include <string.h>

#include "hosts/mangle.h"

static unsigned some_port(struct traffic_draft *sc) { return rng_below(&sc->rng, sc->t->limits.model.ports); }

static struct traffic_sender *some_sender(struct traffic_draft *sc) {
  return &sc->t->senders[rng_below(&sc->rng, (unsigned)sc->t->sender_count)];
}

/// A packet of a sender that it sent lately or, if it may, the one it sends next.
static unsigned some_packet(struct traffic_draft *sc, const struct traffic_sender *s) {
  const bool may = s->delivered < sc->t->plans[s->ring].packets && traffic_in_window(sc->t, s, s->delivered);
  if (s->delivered == 0 || (may && rng_percent(&sc->rng, 30))) return s->delivered;
  const unsigned back = s->delivered < 8 ? s->delivered : 8;
  return s->delivered - 1 - rng_below(&sc->rng, back);
}

/// The first packet of that packet's message.
static unsigned some_first(struct traffic_draft *sc, const struct traffic_sender *s) {
  const struct traffic_ring *ring = &sc->t->plans[s->ring];
  return ring->starts[ring->message_of[some_packet(sc, s)]];
}

static void add(struct traffic_draft *sc, const struct traffic_sender *s, unsigned index, const struct traffic_packet *packet) {
  uint8_t frame[TRAFFIC_ROOM];
  const size_t len = roce_build(&packet->build, frame, sizeof frame);
  traffic_add_packet(sc, s, index, frame, len);
}

/// Copies some packet as a frame into `frame` and says whose it is.
static size_t some_frame(struct traffic_draft *sc, const struct traffic_sender **s, unsigned *index,
                         uint8_t frame[TRAFFIC_ROOM]) {
  struct traffic_packet packet;
  *s = some_sender(sc);
  *index = some_packet(sc, *s);
  traffic_packet_of(sc->t, *s, *index, &packet);
  return roce_build(&packet.build, frame, TRAFFIC_ROOM);
}

// --- what passes ---

static void noise_ethernet(struct traffic_draft *sc) {
  uint8_t frame[MANGLE_ETHERNET];
  const size_t len = mangle_ethernet(&sc->rng, frame);
  traffic_add(sc, some_port(sc), frame, len);
}

/// ACK, NAK, CNP, READ and atomics, with a connection of a ring, the other way round, or of strangers.
static void noise_control(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  struct roce_build *b = &packet.build;
  traffic_packet_of(sc->t, s, some_packet(sc, s), &packet);
  if (rng_percent(&sc->rng, 50)) {
    memcpy(b->key.src, s->style.key.dst, sizeof b->key.src);
    memcpy(b->key.dst, s->style.key.src, sizeof b->key.dst);
  }
  b->opcode = mangle_control(&sc->rng);
  b->ina = NULL;
  b->payload_len = 4 * rng_below(&sc->rng, 12);
  rng_fill(&sc->rng, packet.payload, b->payload_len);
  uint8_t frame[TRAFFIC_ROOM];
  traffic_add(sc, some_port(sc), frame, roce_build(b, frame, sizeof frame));
}

/// SEND and WRITE of a connection that belongs to no ring, as long as a frame may be.
static void noise_foreign(struct traffic_draft *sc) {
  static const uint8_t opcodes[] = {ROCE_SEND_FIRST,  ROCE_SEND_MIDDLE,  ROCE_SEND_LAST,  ROCE_SEND_ONLY, ROCE_SEND_ONLY_IMM,
                                    ROCE_WRITE_FIRST, ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST, ROCE_WRITE_ONLY};
  struct traffic_packet packet;
  struct roce_build *b = &packet.build;
  uint8_t frame[TRAFFIC_ROOM];
  traffic_style(&sc->rng, b);
  b->opcode = opcodes[rng_below(&sc->rng, sizeof opcodes)];
  b->psn = rng_below(&sc->rng, 1u << 24);
  b->payload = packet.payload;
  b->payload_len = rng_below(&sc->rng, rng_percent(&sc->rng, 3) ? 9000 : 400);
  rng_fill(&sc->rng, packet.payload, b->payload_len);
  packet.ina = (struct ina_header){.ring = (uint16_t)rng_next(&sc->rng), .msglen = 1, .workers = 2};
  bool ours = false;
  for (size_t r = 0; r < sc->t->ring_count; r++) ours |= sc->t->rings[r].id == packet.ina.ring;
  if (!ours && rng_percent(&sc->rng, 50)) b->ina = &packet.ina;   // a ring nobody set up
  traffic_add(sc, some_port(sc), frame, roce_build(b, frame, sizeof frame));
}

/// A gradient in an encapsulation that is not to be understood.
static void noise_strange(struct traffic_draft *sc) {
  uint8_t frame[TRAFFIC_ROOM];
  const struct traffic_sender *s;
  unsigned index;
  size_t len = some_frame(sc, &s, &index, frame);
  len = mangle_strange(&sc->rng, frame, len);
  traffic_add_packet(sc, s, index, frame, len);
}

/// A gradient that ends early.
static void noise_cut(struct traffic_draft *sc) {
  uint8_t frame[TRAFFIC_ROOM];
  const struct traffic_sender *s;
  unsigned index;
  const size_t len = some_frame(sc, &s, &index, frame);
  traffic_add_packet(sc, s, index, frame, mangle_cut(&sc->rng, len));
}

// --- what is dropped at the port ---

static void noise_bits(struct traffic_draft *sc) {
  uint8_t frame[TRAFFIC_ROOM];
  const struct traffic_sender *s;
  unsigned index;
  const size_t len = some_frame(sc, &s, &index, frame);
  // A device that looks at no ICRC would take what flipped bits say for what the sender means.
  if (feature_lacks(sc->t->limits.model.without, FEATURE_ICRC_CHECK)) return;
  mangle_bits(&sc->rng, frame, len);
  traffic_add_packet(sc, s, index, frame, len);
}

static void noise_icrc(struct traffic_draft *sc) {
  uint8_t frame[TRAFFIC_ROOM];
  const struct traffic_sender *s;
  unsigned index;
  const size_t len = some_frame(sc, &s, &index, frame);
  mangle_icrc(&sc->rng, frame, len);
  traffic_add_packet(sc, s, index, frame, len);
}

static void noise_error(struct traffic_draft *sc) {
  uint8_t frame[TRAFFIC_ROOM];
  const struct traffic_sender *s;
  unsigned index;
  const size_t len = some_frame(sc, &s, &index, frame);
  traffic_add_packet(sc, s, index, frame, len)->error = true;
}

/// Around the longest frame there may be.
static void noise_oversize(struct traffic_draft *sc) {
  uint8_t frame[TRAFFIC_ROOM];
  const unsigned most = (unsigned)sc->t->limits.model.max_frame_bytes;
  rng_fill(&sc->rng, frame, sizeof frame);
  traffic_add(sc, some_port(sc), frame, rng_from(&sc->rng, most - 2, most + 130));
}

// --- what the look-up drops ---

/// The rank of the next sender, if its packets come in on the same port; or else one the ring does not have. Of claims on two
/// ports either may come first, so that nobody could say what is right.
static uint8_t other_rank(const struct traffic_draft *sc, const struct traffic_sender *s) {
  const struct traffic_sender *other = s + 1;
  if (s->rank + 1 == sc->t->rings[s->ring].workers) return (uint8_t)(s->rank + 1);
  return other->ports[0] == s->ports[0] && other->ports[1] == s->ports[1] ? (uint8_t)other->rank : UINT8_MAX;
}

static void noise_header(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const struct model_ring *ring = &sc->t->rings[s->ring];
  const unsigned index = some_first(sc, s);
  traffic_packet_of(sc->t, s, index, &packet);
  switch (rng_below(&sc->rng, 8)) {
    case 0: packet.ina.rank = (uint8_t)rng_from(&sc->rng, ring->workers, 255); break;
    case 1: packet.ina.rank = other_rank(sc, s); break;
    case 2: packet.ina.workers = (uint16_t)(packet.ina.workers + 1 + rng_below(&sc->rng, 65534)); break;
    case 3: packet.ina.msglen = 0; break;
    case 4: packet.ina.msglen = (uint16_t)rng_from(&sc->rng, ring->stride + 1, 65535); break;
    case 5: packet.ina.kind = (uint8_t)(packet.ina.kind | rng_from(&sc->rng, 1, 3) << 2); break;
    case 6: packet.ina.kind = (uint8_t)((packet.ina.kind & 15) | rng_from(&sc->rng, 3, 15) << 4); break;
    default: packet.ina.ring ^= (uint16_t)(1u << rng_below(&sc->rng, 16));
  }
  add(sc, s, index, &packet);
}

/// FIRST or ONLY without INA header on a ring's connection.
static void noise_untagged(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = some_first(sc, s);
  traffic_packet_of(sc->t, s, index, &packet);
  packet.build.ina = NULL;
  if (rng_percent(&sc->rng, 30)) packet.build.payload_len = rng_below(&sc->rng, 16);
  add(sc, s, index, &packet);
}

static void noise_unknown_message(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = some_packet(sc, s);
  traffic_packet_of(sc->t, s, index, &packet);
  packet.build.ina = NULL;
  packet.build.opcode = s->send ? ROCE_SEND_MIDDLE : ROCE_WRITE_LAST;
  packet.build.psn ^= 1u << rng_from(&sc->rng, 10, 23);
  add(sc, s, index, &packet);
}

static void noise_psn_conflict(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = some_first(sc, s);
  traffic_packet_of(sc->t, s, index, &packet);
  if (rng_percent(&sc->rng, 60))
    packet.build.psn = (packet.build.psn + rng_from(&sc->rng, 1, 3)) & 0xFFFFFF;
  else
    packet.ina.kind ^= 1;
  if (index < s->delivered) add(sc, s, index, &packet);   // if it came first, it would be the one that counts
}

/// Another connection claims a rank. It does so on another port only where nobody breaks the rules: which of two claims comes
/// first is open then, and so is what becomes of a wrong packet of either.
static void noise_claim(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = some_first(sc, s);
  if (index >= s->delivered && !rng_percent(&sc->rng, 5)) return;   // it would get the rank
  traffic_packet_of(sc->t, s, index, &packet);
  const struct ina_header ina = packet.ina;
  traffic_style(&sc->rng, &packet.build);
  packet.build.ina = &packet.ina;
  packet.ina = ina;
  packet.build.opcode = ROCE_WRITE_FIRST;
  packet.build.payload = packet.payload;
  packet.build.payload_len = sc->t->plans[s->ring].lengths[index];
  packet.build.psn = rng_below(&sc->rng, 1u << 24);
  uint8_t frame[TRAFFIC_ROOM];
  const unsigned message = sc->t->plans[s->ring].message_of[index];
  const unsigned port = sc->rude ? s->ports[message & 1] : some_port(sc);
  traffic_add(sc, port, frame, roce_build(&packet.build, frame, sizeof frame));
}

// --- what the slot drops ---

/// The tensor of a packet has another length than it should: too long, cut within an element, or none of it but a pad.
static void noise_length(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = some_packet(sc, s);
  const size_t slot = sc->t->limits.model.slot_bytes;
  traffic_packet_of(sc->t, s, index, &packet);
  const uint8_t kind = packet.ina.kind;
  switch (rng_below(&sc->rng, 3)) {
    case 0: packet.build.payload_len = slot + rng_from(&sc->rng, 1, 200); break;
    case 1: packet.build.payload_len = ina_element_size(kind) * rng_below(&sc->rng, (unsigned)slot / 8) + 1; break;
    default: packet.build.payload_len = ina_element_size(kind) == 4 ? 2 : 3;
  }
  traffic_values(&sc->rng, kind, packet.payload, packet.build.payload_len);
  add(sc, s, index, &packet);
}

/// A retransmission with another tensor: what was stored first stays.
static void noise_contradiction(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = some_packet(sc, s);
  if (index >= s->delivered) return;
  traffic_packet_of(sc->t, s, index, &packet);
  traffic_values(&sc->rng, packet.ina.kind, packet.payload, packet.build.payload_len);
  add(sc, s, index, &packet);
}

/// A pad count that exceeds the payload, or no room for the extension headers.
static void noise_short(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = some_packet(sc, s);
  uint8_t frame[TRAFFIC_ROOM];
  struct roce_packet p;
  traffic_packet_of(sc->t, s, index, &packet);
  struct roce_build *b = &packet.build;
  b->ina = NULL;
  b->payload_len = 0;
  b->opcode = rng_percent(&sc->rng, 50) ? ROCE_SEND_MIDDLE : ROCE_SEND_ONLY;
  const size_t len = roce_build(b, frame, sizeof frame);
  roce_locate(frame, len, &p);
  if (rng_percent(&sc->rng, 50))
    frame[p.bth + 1] |= (uint8_t)(rng_from(&sc->rng, 1, 3) << 4);
  else
    frame[p.bth] = rng_percent(&sc->rng, 50) ? ROCE_WRITE_LAST_IMM : ROCE_WRITE_ONLY_IMM;
  mangle_seal(frame, len);
  traffic_add_packet(sc, s, index, frame, len);
}

/// A whole number of elements, but not as many as the other ranks sent.
static void noise_mismatch(struct traffic_draft *sc) {
  struct traffic_packet packet;
  const struct traffic_sender *s = some_sender(sc);
  const unsigned index = s->delivered;
  if (index >= sc->t->plans[s->ring].packets || !traffic_in_window(sc->t, s, index)) return;
  bool others = false;   // or else this length would count
  for (size_t i = 0; i < sc->t->sender_count; i++)
    others |= sc->t->senders[i].ring == s->ring && sc->t->senders[i].delivered > index;
  if (!others && !rng_percent(&sc->rng, 10)) return;
  traffic_packet_of(sc->t, s, index, &packet);
  const size_t size = ina_element_size(packet.ina.kind);
  if (packet.build.payload_len >= size)
    packet.build.payload_len -= size;
  else
    packet.build.payload_len += size;
  add(sc, s, index, &packet);
}

// --- choice ---

/// `rude`: in scenarios where hosts break rules.
static const struct {
  unsigned weight;
  bool rude;
  void (*add)(struct traffic_draft *sc);
} noises[] = {
    {6, false, noise_ethernet}, {6, false, noise_control},      {5, false, noise_foreign},     {5, false, noise_strange},
    {3, false, noise_cut},      {6, false, noise_bits},         {3, false, noise_icrc},        {3, false, noise_error},
    {1, false, noise_oversize}, {6, true, noise_header},        {3, true, noise_untagged},     {4, true, noise_unknown_message},
    {4, false, noise_claim},    {5, true, noise_length},        {4, true, noise_psn_conflict}, {2, true, noise_short},
    {4, true, noise_mismatch},  {4, true, noise_contradiction},
};

void traffic_noise(struct traffic_draft *sc) {
  unsigned sum = 0;
  for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++) sum += noises[i].rude && !sc->rude ? 0 : noises[i].weight;
  unsigned choice = rng_below(&sc->rng, sum);
  for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++) {
    if (noises[i].rude && !sc->rude) continue;
    if (choice < noises[i].weight) {
      noises[i].add(sc);
      return;
    }
    choice -= noises[i].weight;
  }
}
