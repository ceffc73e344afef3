#include "hosts/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hosts/traffic_state.h"

enum { LEAST_FRAMES = 30, MOST_FRAMES = 400, MOST_GRADIENTS = 300 };
/// Frames that one loss can cost: those sent before it is noticed, and those repeated.
enum { LOSS_COST = 16 };
/// Longest message drawn, packets.
enum { MOST_STRIDE = 12 };

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

// --- frames ---

struct traffic_frame *traffic_add(struct traffic_draft *sc, unsigned port, const uint8_t *data, size_t len) {
  struct traffic *t = sc->t;
  t->frames = need_room(t->frames, &sc->frame_room, t->frame_count + 1, sizeof *t->frames);
  struct traffic_frame *f = &t->frames[t->frame_count++];
  *f = (struct traffic_frame){.port = port, .len = len, .sender = TRAFFIC_NOBODY, .data = need(malloc(len))};
  memcpy(f->data, data, len);
  return f;
}

struct traffic_frame *traffic_add_packet(struct traffic_draft *sc, const struct traffic_sender *s, unsigned index,
                                         const uint8_t *data, size_t len) {
  const unsigned message = sc->t->plans[s->ring].message_of[index];
  struct traffic_frame *f = traffic_add(sc, s->ports[message & 1], data, len);
  if (s->eager) return f;
  f->sender = (uint32_t)(s - sc->t->senders);
  f->message = message;
  return f;
}

// --- drawing rings and senders ---

/// Most messages are of a kind that the device reduces.
static uint8_t kind_for(struct traffic_draft *sc, uint8_t drawn) {
  const unsigned without = sc->t->limits.model.without;
  if (feature_reduces(without, drawn) || (sc->rude && rng_percent(&sc->rng, 10))) return drawn;
  for (uint8_t type = INA_FP32; type <= INA_INT32; type++)
    if (feature_reduces(without, type)) return type;
  return drawn;
}

static void draw_message(struct traffic_draft *sc, struct traffic_ring *ring, unsigned message, unsigned msglen) {
  struct rng *d = &sc->rng;
  const uint8_t drawn = (uint8_t)(rng_below(d, 3) << 4 | rng_below(d, 4)), kind = kind_for(sc, drawn);
  const unsigned size = (unsigned)ina_element_size(kind);
  const unsigned most = (unsigned)sc->t->limits.model.slot_bytes / size;
  const unsigned full = rng_percent(d, 40) ? most : rng_below(d, most + 1);
  ring->kinds[message] = kind;
  ring->starts[message] = ring->packets;
  for (unsigned offset = 0; offset < msglen; offset++) {
    unsigned elements = full;
    if (offset + 1 == msglen && rng_percent(d, 60)) elements = rng_below(d, full + 1);
    if (rng_percent(d, 15)) elements = rng_below(d, most + 1);
    if (rng_percent(d, 4)) elements = 0;
    ring->message_of[ring->packets] = message;
    ring->lengths[ring->packets++] = (size_t)elements * size;
  }
  ring->starts[message + 1] = ring->packets;
}

/// Numbers that are soon to wrap, or not: half of each.
static uint32_t draw_start(struct rng *d, uint32_t wrap) {
  if (rng_percent(d, 50)) return (wrap - 1 - rng_below(d, 12)) & (wrap - 1);
  return (uint32_t)rng_next(d) & (wrap - 1);
}

static uint32_t draw_msgid(struct rng *d) {
  switch (rng_below(d, 4)) {
    case 0: return UINT32_MAX - rng_below(d, 6);
    case 1: return 0x80000000u - rng_below(d, 6);
    case 2: return rng_below(d, 3);
    default: return (uint32_t)rng_next(d);
  }
}

/// Messages of a ring that come to `packets` packets of every rank.
static void draw_messages(struct traffic_draft *sc, struct traffic_ring *ring, unsigned packets) {
  ring->msgid0 = draw_msgid(&sc->rng);
  ring->kinds = need(calloc(packets, sizeof *ring->kinds));
  ring->starts = need(calloc(packets + 1, sizeof *ring->starts));
  ring->message_of = need(calloc(packets, sizeof *ring->message_of));
  ring->lengths = need(calloc(packets, sizeof *ring->lengths));
  while (ring->packets < packets) {
    const unsigned msglen = rng_from(&sc->rng, 1, ring->is->stride);
    draw_message(sc, ring, ring->messages++, smaller(msglen, packets - ring->packets));
  }
  ring->released = need(calloc(ring->messages, sizeof *ring->released));
  sc->t->columns += ring->packets;
}

static uint16_t draw_ring_id(struct traffic_draft *sc, size_t before) {
  for (;;) {
    const uint16_t id = (uint16_t)rng_next(&sc->rng);
    size_t i = 0;
    while (i < before && sc->t->rings[i].id != id) i++;
    if (i == before) return id;
  }
}

/// `slots`: what the ring may take of the device.
static void draw_ring(struct traffic_draft *sc, size_t index, unsigned slots) {
  struct rng *d = &sc->rng;
  unsigned window = 1;
  while (2 * window <= sc->t->limits.max_window && 4 * window <= slots && rng_percent(d, 60)) window *= 2;
  sc->t->rings[index] = (struct model_ring){
      .id = draw_ring_id(sc, index),
      .workers = rng_percent(d, 10) ? 1 : rng_from(d, smaller(2, sc->t->limits.model.ranks), sc->t->limits.model.ranks),
      .window = window,
      .stride = rng_from(d, 1, smaller(MOST_STRIDE, slots / (2 * window))),
      .learn = rng_percent(d, 65),
  };
}

static void draw_sender(struct traffic_draft *sc, unsigned ring, unsigned rank) {
  struct traffic *t = sc->t;
  struct rng *d = &sc->rng;
  const struct traffic_ring *plan = &t->plans[ring];
  struct traffic_sender *s = &t->senders[t->sender_count++];
  *s = (struct traffic_sender){.ring = ring, .rank = rank, .seed = rng_next(d), .odd_message = UINT32_MAX};
  traffic_style(d, &s->style);
  // And most hosts send what it can read; those that are registered always do.
  const bool reads = feature_reads(t->limits.model.without, &s->style.key, s->style.vlan);
  if (!reads && !(t->rings[ring].learn && sc->rude && rng_percent(d, 10))) {
    s->style.vlan = s->style.key.v6 = false;
    s->style.key.vlan = 0;
    memset(s->style.key.src + 4, 0, sizeof s->style.key.src - 4);
    memset(s->style.key.dst + 4, 0, sizeof s->style.key.dst - 4);
  }
  if (t->sender_count > 1 && rng_percent(d, 20)) s->style.key = (s - 1)->style.key;   // another queue pair of the same hosts
  // Queue pairs count on, so that no two connections are the same.
  s->style.key.qpn = (uint32_t)(s->style.key.qpn & 0xFFFF00) | (uint32_t)(t->sender_count & 0xFF);
  s->ports[0] = s->ports[1] = rng_below(d, t->limits.model.ports);
  s->psn0 = draw_start(d, 1u << 24);
  s->send = rng_percent(d, 40);
  if (sc->rude && rng_percent(d, 6)) s->eager = true;
  // Not in a ring of one: a packet's results would look the same whichever of two messages it fell into.
  if (sc->rude && t->rings[ring].workers > 1 && rng_percent(d, 6)) s->overlap = rng_from(d, 1, 3);
  if (sc->rude && rng_percent(d, 4)) s->odd_message = rng_below(d, plan->messages);
  s->answered = need(calloc(plan->packets, sizeof *s->answered));
  s->answers = need(calloc(plan->messages, sizeof *s->answers));
  if (t->rings[ring].learn || t->conn_count == t->limits.model.conns) return;
  t->conns[t->conn_count++] = (struct traffic_conn){.key = s->style.key, .ring = ring, .rank = rank};
}

/// All rings, their messages and their senders.
static void draw_rings(struct traffic_draft *sc) {
  struct traffic *t = sc->t;
  const unsigned count = rng_from(&sc->rng, 1, smaller(t->limits.rings, 4)), slots = t->limits.slots / count;
  const unsigned gradients = rng_from(&sc->rng, LEAST_FRAMES, MOST_GRADIENTS);
  unsigned workers = 0;
  t->ring_count = count;
  t->rings = need(calloc(count, sizeof *t->rings));
  t->plans = need(calloc(count, sizeof *t->plans));
  for (unsigned r = 0; r < count; r++) {
    draw_ring(sc, r, slots);
    t->plans[r].is = &t->rings[r];
    workers += t->rings[r].workers;
  }
  t->senders = need(calloc(workers, sizeof *t->senders));
  t->conns = need(calloc(workers, sizeof *t->conns));
  for (unsigned r = 0; r < count; r++) draw_messages(sc, &t->plans[r], 1 + gradients / workers);
  const bool one_port = rng_percent(&sc->rng, 15);
  for (unsigned r = 0; r < count; r++) {
    for (unsigned rank = 0; rank < t->rings[r].workers; rank++) draw_sender(sc, r, rank);
  }
  for (size_t i = 0; one_port && i < t->sender_count; i++) t->senders[i].ports[0] = t->senders[i].ports[1] = 0;
}

/// One connection that changes between two ports, among hosts that keep to the rules.
static void draw_roaming(struct traffic_draft *sc) {
  struct traffic_sender *s = &sc->t->senders[rng_below(&sc->rng, (unsigned)sc->t->sender_count)];
  if (!sc->rude && rng_percent(&sc->rng, 15)) s->ports[1] = rng_below(&sc->rng, sc->t->limits.model.ports);
}

// --- sending ---

bool traffic_in_window(const struct traffic *t, const struct traffic_sender *s, unsigned index) {
  const struct traffic_ring *ring = &t->plans[s->ring];
  const unsigned message = ring->message_of[index], window = ring->is->window;
  if (s->eager || message < window) return true;
  for (size_t i = 0; i < t->sender_count; i++) {
    const struct traffic_sender *other = &t->senders[i];
    if (other->ring == s->ring && other->delivered < ring->starts[message - window + 1]) return false;
  }
  return true;
}

static unsigned still_to_send(const struct traffic *t) {
  unsigned packets = 0;
  for (size_t i = 0; i < t->sender_count; i++) packets += t->plans[t->senders[i].ring].packets - t->senders[i].delivered;
  return packets;
}

/// There is room for frames that need not be.
static bool room_for_more(const struct traffic_draft *sc) {
  return sc->t->frame_count + still_to_send(sc->t) + LOSS_COST < MOST_FRAMES;
}

static void send_packet(struct traffic_draft *sc, struct traffic_sender *s, unsigned index, bool new_id) {
  struct traffic_packet packet;
  uint8_t frame[TRAFFIC_ROOM];
  traffic_packet_of(sc->t, s, index, &packet);
  if (new_id) packet.build.ip_id = (uint16_t)rng_next(&sc->rng);
  size_t len = roce_build(&packet.build, frame, sizeof frame);
  if (rng_percent(&sc->rng, 3)) {   // Ethernet padding
    const unsigned padding = rng_from(&sc->rng, 1, 70);
    rng_fill(&sc->rng, frame + len, padding);
    len += padding;
  }
  struct traffic_frame *f = traffic_add_packet(sc, s, index, frame, len);
  const struct traffic_ring *ring = &sc->t->plans[s->ring];
  const unsigned message = ring->message_of[index];
  f->means = !sc->rude;
  f->ring = s->ring;
  f->rank = s->rank;
  f->msgid = ring->msgid0 + message;
  f->offset = index - ring->starts[message];
  if (new_id && rng_percent(&sc->rng, 40)) f->port = s->ports[f->port == s->ports[0]];   // by the other way
}

static bool lost_one(const struct traffic_sender *s) { return s->next > s->delivered; }

/// Back to the lost packet, or to one a little before it.
static void go_back(struct traffic_draft *sc, struct traffic_sender *s) {
  s->next = s->delivered;
  if (rng_percent(&sc->rng, 30)) s->next -= rng_below(&sc->rng, smaller(s->next, 4) + 1);
}

/// Sends the next packet, or loses it.
static void advance(struct traffic_draft *sc, struct traffic_sender *s) {
  const unsigned index = s->next++;
  if (room_for_more(sc) && rng_percent(&sc->rng, sc->loss)) {
    if (index == s->delivered) s->notice = rng_below(&sc->rng, 6);
    return;
  }
  send_packet(sc, s, index, index < s->delivered && rng_percent(&sc->rng, 50));
  if (index == s->delivered) s->delivered++;
}

/// Sends once more what was sent: mostly the last packets, sometimes one of long ago.
static void repeat(struct traffic_draft *sc, struct traffic_sender *s) {
  if (s->delivered == 0 || !room_for_more(sc) || !rng_percent(&sc->rng, sc->again)) return;
  const unsigned back = rng_percent(&sc->rng, 80) ? smaller(s->delivered, 4) : s->delivered;
  send_packet(sc, s, s->delivered - 1 - rng_below(&sc->rng, back), rng_percent(&sc->rng, 50));
}

/// A burst of one sender. False if it has nothing to send or has to wait.
static bool turn(struct traffic_draft *sc, struct traffic_sender *s) {
  const unsigned packets = sc->t->plans[s->ring].packets;
  bool sent = false;
  for (unsigned burst = rng_from(&sc->rng, 1, sc->burst); burst > 0; burst--) {
    const bool can = s->next < packets && traffic_in_window(sc->t, s, s->next);
    if (lost_one(s) && (!can || s->notice == 0)) {
      go_back(sc, s);
    } else if (can) {
      if (lost_one(s)) s->notice--;
      advance(sc, s);
    } else {
      break;
    }
    sent = true;
    repeat(sc, s);
  }
  return sent;
}

/// Lets senders take turns in random order until all is sent.
static void send_all(struct traffic_draft *sc) {
  struct traffic *t = sc->t;
  while (still_to_send(t) > 0) {
    if (room_for_more(sc) && rng_percent(&sc->rng, sc->noise)) traffic_noise(sc);
    const unsigned first = rng_below(&sc->rng, (unsigned)t->sender_count);
    for (size_t i = 0; i < t->sender_count; i++) {
      if (turn(sc, &t->senders[(first + i) % t->sender_count])) break;
    }
  }
  while (t->frame_count < LEAST_FRAMES || (room_for_more(sc) && rng_percent(&sc->rng, sc->noise))) traffic_noise(sc);
}

static void draw_flush(struct traffic_draft *sc) {
  struct traffic *t = sc->t;
  t->flush_at = SIZE_MAX;
  t->flush_ring = rng_below(&sc->rng, (unsigned)t->ring_count);
  if (rng_percent(&sc->rng, 15)) t->flush_at = rng_below(&sc->rng, (unsigned)t->frame_count);
}

struct traffic *traffic_new(uint64_t seed, const struct traffic_limits *limits) {
  struct traffic_draft sc = {.t = need(calloc(1, sizeof(struct traffic))), .rng = rng_for(seed, 0), .seed = seed};
  static const uint8_t losses[] = {0, 0, 2, 6, 20}, agains[] = {0, 3, 10, 30}, noises[] = {0, 10, 30, 60};
  sc.t->limits = *limits;
  sc.rude = rng_percent(&sc.rng, 60);
  sc.loss = losses[rng_below(&sc.rng, sizeof losses)];
  sc.again = agains[rng_below(&sc.rng, sizeof agains)];
  sc.noise = noises[rng_below(&sc.rng, sizeof noises)];
  sc.burst = rng_from(&sc.rng, 1, 6);
  sc.t->orderly = !sc.rude && sc.noise == 0;
  draw_rings(&sc);
  draw_roaming(&sc);
  send_all(&sc);
  draw_flush(&sc);
  return sc.t;
}

void traffic_free(struct traffic *t) {
  if (t == NULL) return;
  for (size_t i = 0; i < t->frame_count; i++) free(t->frames[i].data);
  for (size_t i = 0; i < t->sender_count; i++) {
    free(t->senders[i].answered);
    free(t->senders[i].answers);
  }
  for (size_t r = 0; r < t->ring_count; r++) {
    free(t->plans[r].kinds);
    free(t->plans[r].starts);
    free(t->plans[r].message_of);
    free(t->plans[r].lengths);
    free(t->plans[r].released);
  }
  free(t->frames);
  free(t->senders);
  free(t->plans);
  free(t->rings);
  free(t->conns);
  free(t);
}

// --- the window, while frames are sent ---

/// The message whose results frame `index` needs; NULL if none. `message` gets its number.
static const struct traffic_sender *waits_for(const struct traffic *t, size_t index, unsigned *message) {
  const struct traffic_frame *f = &t->frames[index];
  if (f->sender == TRAFFIC_NOBODY) return NULL;
  const struct traffic_sender *s = &t->senders[f->sender];
  const unsigned window = t->rings[s->ring].window;
  *message = f->message - window;
  return f->message < window ? NULL : s;
}

bool traffic_may_start(const struct traffic *t, size_t index) {
  unsigned message;
  const struct traffic_sender *s = waits_for(t, index, &message);
  if (s == NULL) return true;
  const struct traffic_ring *ring = &t->plans[s->ring];
  return ring->released[message] || s->answers[message] == ring->starts[message + 1] - ring->starts[message];
}

void traffic_give_up(struct traffic *t, size_t index) {
  unsigned message;
  const struct traffic_sender *s = waits_for(t, index, &message);
  if (s != NULL) t->plans[s->ring].released[message] = true;
}

void traffic_flushed(struct traffic *t) {
  for (size_t i = 0; i < t->flush_at; i++) {
    const struct traffic_frame *f = &t->frames[i];
    if (f->sender != TRAFFIC_NOBODY && t->senders[f->sender].ring == t->flush_ring)
      t->plans[t->flush_ring].released[f->message] = true;
  }
}

/// Notes a result with this PSN for the first packet that has none; only a sender whose messages overlap has several.
static void note_result(const struct traffic *t, struct traffic_sender *s, uint32_t psn) {
  const struct traffic_ring *ring = &t->plans[s->ring];
  unsigned index = 0;
  while (index < ring->packets && (s->answered[index] || traffic_psn(t, s, index) != psn)) index++;
  if (index == ring->packets) return;
  s->answered[index] = true;
  s->answers[ring->message_of[index]]++;
}

void traffic_result(struct traffic *t, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  if (p.class != ROCE_CANDIDATE) return;
  for (size_t i = 0; i < t->sender_count; i++)
    if (conn_key_equal(&p.key, &t->senders[i].style.key)) note_result(t, &t->senders[i], p.psn);
}
