#include "sim/replay/survey.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

enum { RANKS = 256, MESSAGE_RANKS = 48 };   // a Rank has 8 bits; in front of a 16-bit MsgLen, 48 find room
#define MESSAGE_RANK (UINT64_C(1) << 16)
#define NONE SIZE_MAX

/// A serial number of `bits` bits, counted on without wrapping; the first one seen keeps its value.
struct serial {
  bool any;
  int64_t lowest, highest;
};

/// What is kept of a connection while frames are looked through.
struct conn_state {
  size_t next;   // connection with the same hash, or NONE
  struct serial psn;
  struct map psns;       // seen, unwrapped
  size_t tensor_bytes;   // longest
};

struct seen_ring {
  struct serial msgid;
  struct map messages;   // MsgID to its MsgLen, and from MESSAGE_RANK on a bit for each rank that began it
  bool ranks[RANKS];     // that send
};

struct survey_work {
  struct survey *out;
  struct conn_state *conns;   // beside out->conns
  struct seen_ring *rings;    // beside out->rings
  size_t conn_room, ring_room;
  struct map conn_of_hash;   // hash of a key to the newest connection with it
  struct map ring_of_id;
};

/// Where `value` lies among the numbers seen so far: the nearest place to the highest one.
static int64_t unwrap(struct serial *s, uint32_t value, unsigned bits) {
  const int64_t modulus = INT64_C(1) << bits;
  if (!s->any) *s = (struct serial){true, value, value};
  int64_t ahead = ((int64_t)value - s->highest) & (modulus - 1);
  if (ahead >= modulus / 2) ahead -= modulus;
  int64_t place = s->highest + ahead;
  if (place > s->highest) s->highest = place;
  if (place < s->lowest) s->lowest = place;
  return place;
}

// ---------------------------------------------------------------------------------------------------- connections

/// Index of a connection, a new one if it was not seen before.
static size_t find_conn(struct survey_work *w, const struct conn_key *key, unsigned port) {
  struct survey *s = w->out;
  bool fresh;
  uint64_t *head = map_at(&w->conn_of_hash, conn_key_hash(key), &fresh);
  for (size_t i = fresh ? NONE : (size_t)*head; i != NONE; i = w->conns[i].next) {
    if (conn_key_equal(&s->conns[i].key, key)) return i;
  }
  size_t room = w->conn_room;   // the same for both
  s->conns = need_room(s->conns, &room, s->conn_count + 1, sizeof *s->conns);
  w->conns = need_room(w->conns, &w->conn_room, s->conn_count + 1, sizeof *w->conns);
  const size_t index = s->conn_count++;
  s->conns[index] = (struct survey_conn){.key = *key, .port = port};
  w->conns[index] = (struct conn_state){.next = fresh ? NONE : (size_t)*head};
  *head = index;
  return index;
}

static void count_packet(struct survey_work *w, size_t index, const struct roce_packet *p) {
  struct survey_conn *conn = &w->out->conns[index];
  struct conn_state *state = &w->conns[index];
  bool fresh;
  map_at(&state->psns, (uint64_t)unwrap(&state->psn, p->psn, 24), &fresh);
  conn->psn_first = (uint32_t)(state->psn.lowest & 0xFFFFFF);
  conn->psn_last = (uint32_t)(state->psn.highest & 0xFFFFFF);
  conn->packets++;
  conn->copies += !fresh;
  w->out->copies += !fresh;
  if (p->tensor > state->tensor_bytes) state->tensor_bytes = p->tensor;
}

// ---------------------------------------------------------------------------------------------------------- rings

static size_t find_ring(struct survey_work *w, const struct ina_header *ina) {
  struct survey *s = w->out;
  bool fresh;
  uint64_t *index = map_at(&w->ring_of_id, ina->ring, &fresh);
  if (!fresh) return (size_t)*index;
  size_t room = w->ring_room;   // the same for both
  s->rings = need_room(s->rings, &room, s->ring_count + 1, sizeof *s->rings);
  w->rings = need_room(w->rings, &w->ring_room, s->ring_count + 1, sizeof *w->rings);
  *index = s->ring_count++;
  s->rings[*index] = (struct survey_ring){.id = ina->ring, .workers = ina->workers};
  w->rings[*index] = (struct seen_ring){0};
  return (size_t)*index;
}

/// Says why a ring cannot be used, unless another reason was found before.
__attribute__((format(printf, 2, 3))) static void doubt(struct survey_ring *ring, const char *format, ...) {
  if (ring->note[0]) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(ring->note, sizeof ring->note, format, arguments);
  va_end(arguments);
}

static bool valid(const struct ina_header *ina) {
  return ina_element_size(ina->kind) != 0 && ina->rank < ina->workers && ina->msglen > 0;
}

/// A valid INA header on connection `conn`.
static void take_header(struct survey_work *w, size_t conn_index, const struct ina_header *ina, uint64_t frame) {
  const size_t index = find_ring(w, ina);
  struct survey_ring *ring = &w->out->rings[index];
  struct seen_ring *state = &w->rings[index];
  struct survey_conn *conn = &w->out->conns[conn_index];
  if (!conn->has_ring) {
    conn->has_ring = true;
    conn->ring = ina->ring;
    conn->rank = ina->rank;
    ring->connections++;
    state->ranks[ina->rank] = true;
  }
  if (ina->workers != ring->workers) {
    doubt(ring, "its headers disagree on Workers: %u, and %u in frame %llu", ring->workers, ina->workers,
          (unsigned long long)frame);
  }
  bool fresh;
  uint64_t *message = map_at(&state->messages, ina->msgid, &fresh);
  if (fresh) *message = ina->msglen;
  if ((uint16_t)*message != ina->msglen) {
    doubt(ring, "its headers disagree on MsgLen: message %u has %u, and %u in frame %llu", ina->msgid, (uint16_t)*message,
          ina->msglen, (unsigned long long)frame);
  }
  if (ina->rank < MESSAGE_RANKS) *message |= MESSAGE_RANK << ina->rank;
  unwrap(&state->msgid, ina->msgid, 32);
  ring->msgid_first = (uint32_t)(state->msgid.lowest & UINT32_MAX);
  ring->msgid_last = (uint32_t)(state->msgid.highest & UINT32_MAX);
  ring->messages = state->messages.used;
  ring->kinds |= (uint16_t)(1u << (4 * (ina->kind >> 4) + (ina->kind & 15)));
}

/// The longest message that every rank began. One that some never began cannot be completed, whoever sent it; if there is no other,
/// it has to do.
static uint16_t longest_message(const struct survey_ring *ring, const struct map *messages) {
  uint16_t all = 0, any = 0;
  for (size_t i = 0; i < messages->size; i++) {
    if (!messages->entries[i].used) continue;
    const uint64_t message = messages->entries[i].value;
    const uint16_t msglen = (uint16_t)message;
    if (msglen > any) any = msglen;
    if (msglen > all && __builtin_popcountll(message / MESSAGE_RANK) == ring->workers) all = msglen;
  }
  return all ? all : any;
}

static void judge_ring(struct survey_work *w, size_t index) {
  struct survey_ring *ring = &w->out->rings[index];
  unsigned senders = 0, silent = ring->workers;
  for (unsigned r = ring->workers < RANKS ? ring->workers : RANKS; r-- > 0;) {
    if (w->rings[index].ranks[r])
      senders++;
    else
      silent = r;
  }
  if (ring->workers > RANKS)
    doubt(ring, "%u Workers, but a Rank has 8 bits", ring->workers);
  else if (senders < ring->workers)
    doubt(ring, "%u of %u ranks send, rank %u does not", senders, ring->workers, silent);
  ring->msglen = longest_message(ring, &w->rings[index].messages);
  ring->usable = !ring->note[0];
}

// --------------------------------------------------------------------------------------------------------- frames

static void look_at(struct survey_work *w, const struct trace_frame *f) {
  struct survey *s = w->out;
  struct roce_packet p;
  roce_parse(f->data, f->len, &p);
  switch (p.class) {
    case ROCE_OTHER: s->other++; return;
    case ROCE_BAD_ICRC: s->bad_icrc++; return;
    case ROCE_CONTROL: s->control++; return;
    case ROCE_CANDIDATE: s->candidates++; break;
  }
  const size_t conn = find_conn(w, &p.key, f->port);
  count_packet(w, conn, &p);
  if (p.tagged && valid(&p.ina)) take_header(w, conn, &p.ina, f->number);
}

/// The longest tensor of each ring, from all packets of its connections: a middle one need not have come behind a header.
static void find_tensor_bytes(struct survey_work *w) {
  for (size_t i = 0; i < w->out->conn_count; i++) {
    if (!w->out->conns[i].has_ring) continue;
    bool fresh;
    struct survey_ring *ring = &w->out->rings[*map_at(&w->ring_of_id, w->out->conns[i].ring, &fresh)];
    if (w->conns[i].tensor_bytes > ring->tensor_bytes) ring->tensor_bytes = w->conns[i].tensor_bytes;
  }
}

void survey_make(const struct trace *trace, struct survey *out) {
  *out = (struct survey){.frames = trace->count, .per_port = need(calloc(trace->ports + 1u, sizeof *out->per_port))};
  struct survey_work w = {.out = out};
  for (size_t i = 0; i < trace->count; i++) {
    out->per_port[trace->frames[i].port]++;
    look_at(&w, &trace->frames[i]);
  }
  out->roce = out->candidates + out->bad_icrc + out->control;
  find_tensor_bytes(&w);
  for (size_t i = 0; i < out->ring_count; i++) judge_ring(&w, i);
  for (size_t i = 0; i < out->conn_count; i++) map_free(&w.conns[i].psns);
  for (size_t i = 0; i < out->ring_count; i++) map_free(&w.rings[i].messages);
  map_free(&w.conn_of_hash);
  map_free(&w.ring_of_id);
  free(w.conns);
  free(w.rings);
}

void survey_free(struct survey *survey) {
  free(survey->conns);
  free(survey->rings);
  free(survey->per_port);
  *survey = (struct survey){0};
}
