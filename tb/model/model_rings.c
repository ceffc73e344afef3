// The golden model's rings and connections: how they come and go.
#include "model/model_state.h"

#include <errno.h>
#include <string.h>

#include "wire/bytes.h"

static bool model_ring_fits(const struct model_limits *limits, const struct model_ring *ring) {
  bool power_of_two = ring->window != 0 && (ring->window & (ring->window - 1)) == 0;
  return power_of_two && ring->stride != 0 && ring->workers != 0 && ring->workers <= limits->ranks;
}

struct model *model_new(const struct model_limits *limits, const struct model_ring *rings, size_t count) {
  if (limits->ranks == 0 || limits->ranks > 32 || limits->ports == 0) return NULL;
  for (size_t i = 0; i < count; i++)
    if (!model_ring_fits(limits, &rings[i])) return NULL;

  struct model *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  m->limits = *limits;
  m->rings = calloc(count + 1, sizeof *m->rings);
  m->parts = calloc(count + 1, sizeof *m->parts);
  m->rings_closed = calloc(count + 1, sizeof *m->rings_closed);
  m->rings_off = calloc(count + 1, sizeof *m->rings_off);
  m->rings_drop = calloc(count + 1, sizeof *m->rings_drop);
  m->columns = calloc(count + 1, sizeof *m->columns);
  m->conns = calloc(limits->conns + 1, sizeof *m->conns);
  m->ports = calloc(limits->ports, sizeof *m->ports);
  m->out_stride = ROCE_MAX_HEADER + limits->slot_bytes + 3 + 4;
  m->out = calloc(limits->ranks, m->out_stride);
  bool good = m->rings != NULL && m->parts != NULL && m->rings_closed != NULL && m->rings_off != NULL && m->rings_drop != NULL &&
              m->columns != NULL && m->conns != NULL && m->ports != NULL && m->out != NULL;
  for (size_t i = 0; good && i < count; i++) {
    m->rings[i] = rings[i];
    m->columns[i] = model_columns_new(&rings[i]);
    m->ring_count = i + 1;
    good = m->columns[i] != NULL;
  }
  for (unsigned p = 0; good && p < limits->ports; p++) m->ports[p].tail = &m->ports[p].head;
  if (!good) {
    model_free(m);
    return NULL;
  }
  return m;
}

void model_free(struct model *m) {
  if (m == NULL) return;
  for (size_t i = 0; i < m->ring_count; i++) model_columns_free(m->columns[i], &m->rings[i]);
  if (m->conns != NULL)
    for (unsigned c = 0; c < m->limits.conns; c++) free(m->conns[c].history);
  if (m->ports != NULL)
    for (unsigned p = 0; p < m->limits.ports; p++)
      for (struct packet *next, *k = m->ports[p].head; k != NULL; k = next) {
        next = k->next;
        free(k);
      }
  free(m->ports);
  free(m->conns);
  free(m->columns);
  free(m->rings);
  free(m->parts);
  free(m->rings_closed);
  free(m->rings_off);
  free(m->rings_drop);
  free(m->out);
  free(m);
}

bool rank_taken(const struct model *m, unsigned ring, unsigned rank) {
  for (unsigned c = 0; c < m->limits.conns; c++)
    if (m->conns[c].history != NULL && !m->conns[c].retired && m->conns[c].ring == ring && m->conns[c].rank == rank) return true;
  return false;
}

static void become(struct model *m, struct connection *conn, unsigned ring, unsigned rank, const struct conn_key *key,
                   bool learned) {
  *conn = (struct connection){.key = *key, .ring = ring, .rank = rank, .learned = learned};
  conn->history = need(calloc(2 * m->rings[ring].window, sizeof *conn->history));
}

/// Word `i` of an address, 0 for its lowest bits. An IPv4 address is word 0.
static uint32_t address_word(const struct conn_key *key, const uint8_t *address, unsigned i) {
  if (key->v6) return get_be32(address + 4 * (3 - i));
  return i == 0 ? get_be32(address) : 0;
}

/// The hash of a connection (docs/protocol.md).
static unsigned place_hash(const struct conn_key *key) {
  static const uint8_t turns[] = {0, 7, 14, 21, 11, 18, 25, 29};
  uint32_t fold = key->qpn | (uint32_t)key->v6 << 31;
  fold = fold << 22 | fold >> 10;
  fold ^= (uint32_t)key->vlan << 3;
  for (unsigned i = 0; i < 8; i++) {
    const uint32_t word = address_word(key, i < 4 ? key->src : key->dst, i % 4);
    fold ^= turns[i] ? word << turns[i] | word >> (32 - turns[i]) : word;
  }
  unsigned crc = 0;
  for (int byte = 3; byte >= 0; byte--) {
    crc ^= (fold >> 8 * byte & 0xFF) << 8;
    for (int bit = 0; bit < 8; bit++) crc = crc << 1 ^ (crc & 0x8000 ? 0x11021u : 0);
  }
  return crc & 0xFFFF;
}

/// The two buckets that a connection may be in: their first places, and how many places each has.
struct buckets {
  unsigned left, right, ways;
};

static struct buckets buckets_of(const struct model *m, const struct conn_key *key) {
  const unsigned ways = m->limits.conns >= 4 ? 2 : 1, both = 2 * ways;
  const unsigned count = m->limits.conns > both ? m->limits.conns / both : 1, hash = place_hash(key);
  return (struct buckets){(hash >> 8) % count * both, (hash & 0xFF) % count * both + ways, ways};
}

static struct connection *find_in_bucket(struct model *m, unsigned first, unsigned ways, const struct conn_key *key) {
  for (unsigned c = first; c < first + ways && c < m->limits.conns; c++)
    if (m->conns[c].history != NULL && conn_key_equal(&m->conns[c].key, key)) return &m->conns[c];
  return NULL;
}

struct connection *find_connection(struct model *m, const struct conn_key *key) {
  const struct buckets b = buckets_of(m, key);
  struct connection *found = find_in_bucket(m, b.left, b.ways, key);
  return found != NULL ? found : find_in_bucket(m, b.right, b.ways, key);
}

/// The first free place of a bucket, and how many are free.
static struct connection *bucket_room(struct model *m, unsigned first, unsigned ways, unsigned *room) {
  struct connection *found = NULL;
  *room = 0;
  for (unsigned c = first + ways; c-- > first;) {
    if (c >= m->limits.conns || m->conns[c].history != NULL) continue;
    found = &m->conns[c];
    ++*room;
  }
  return found;
}

struct connection *add_connection(struct model *m, unsigned ring, unsigned rank, const struct conn_key *key, bool learned) {
  const struct buckets b = buckets_of(m, key);
  unsigned left_room, right_room;
  struct connection *left = bucket_room(m, b.left, b.ways, &left_room);
  struct connection *right = bucket_room(m, b.right, b.ways, &right_room);
  struct connection *conn = right_room > left_room ? right : left;
  if (conn != NULL) become(m, conn, ring, rank, key, learned);
  return conn;
}

void revive_connection(struct model *m, struct connection *conn, unsigned ring, unsigned rank) {
  const struct conn_key key = conn->key;
  free(conn->history);
  become(m, conn, ring, rank, &key, true);
}

struct message *message_turn(const struct model *m, const struct connection *conn, uint32_t msgid) {
  for (unsigned i = 0; i < conn->messages; i++)
    if (take_turns(&m->rings[conn->ring], conn->history[i].msgid, msgid)) return &conn->history[i];
  return NULL;
}

int model_connect(struct model *m, unsigned ring, unsigned rank, const struct conn_key *key) {
  if (ring >= m->ring_count || rank >= m->rings[ring].workers) return -EINVAL;
  if (rank_taken(m, ring, rank) || find_connection(m, key) != NULL) return -EINVAL;
  return add_connection(m, ring, rank, key, false) == NULL ? -EINVAL : 0;
}

static void forget_messages(struct connection *conn) { conn->messages = 0; }

static void release(struct connection *conn) {
  free(conn->history);
  conn->history = NULL;
}

void model_close(struct model *m, unsigned ring, bool all) {
  if (ring >= m->ring_count) return;
  m->rings_closed[ring] = true;
  for (unsigned c = 0; c < m->limits.conns; c++) {
    struct connection *conn = &m->conns[c];
    if (conn->history == NULL || conn->ring != ring) continue;
    forget_messages(conn);
    if (all)
      release(conn);
    else if (conn->learned)
      conn->retired = true;
  }
}

void model_open(struct model *m, unsigned ring) {
  if (ring >= m->ring_count) return;
  model_columns_flush(m, ring);
  m->rings_closed[ring] = false;
}

void model_flush(struct model *m, unsigned ring) {
  model_close(m, ring, false);
  model_open(m, ring);
}

void model_restart(struct model *m) {
  for (unsigned ring = 0; ring < m->ring_count; ring++) model_columns_flush(m, ring);
  for (unsigned c = 0; c < m->limits.conns; c++) {
    forget_messages(&m->conns[c]);
    if (m->conns[c].learned) release(&m->conns[c]);
  }
}

void model_set_open(struct model *m, unsigned port, bool open) {
  if (port < m->limits.ports) m->ports[port].closed = !open;
}

void model_set_epoch(struct model *m, uint8_t epoch) { m->epoch = epoch; }

bool model_retire(struct model *m, const struct conn_key *key) {
  struct connection *conn = find_connection(m, key);
  if (conn == NULL || conn->retired) return false;
  forget_messages(conn);
  conn->retired = true;
  return true;
}

bool model_release(struct model *m, const struct conn_key *key) {
  struct connection *conn = find_connection(m, key);
  if (conn == NULL || !conn->retired) return false;
  release(conn);
  return true;
}

int model_set_ring(struct model *m, unsigned index, const struct model_ring *ring) {
  if (index >= m->ring_count || !model_ring_fits(&m->limits, ring)) return -EINVAL;
  struct columns *columns = need(model_columns_new(ring));
  model_columns_free(m->columns[index], &m->rings[index]);
  m->columns[index] = columns;
  m->rings[index] = *ring;
  m->rings_off[index] = m->rings_drop[index] = false;
  for (unsigned c = 0; c < m->limits.conns; c++) {
    struct connection *conn = &m->conns[c];
    if (conn->history == NULL || conn->ring != index) continue;
    free(conn->history);   // its messages were forgotten with the ring as it was
    conn->history = need(calloc(2 * (size_t)ring->window, sizeof *conn->history));
    forget_messages(conn);
  }
  return 0;
}

void model_disable_ring(struct model *m, unsigned ring, bool drop) {
  if (ring >= m->ring_count) return;
  m->rings_off[ring] = true;
  m->rings_drop[ring] = drop;
}

bool model_speaker(const struct model *m, unsigned ring, unsigned rank, struct conn_key *key) {
  for (unsigned c = 0; c < m->limits.conns; c++) {
    const struct connection *conn = &m->conns[c];
    if (conn->history == NULL || conn->retired || conn->ring != ring || conn->rank != rank) continue;
    *key = conn->key;
    return true;
  }
  return false;
}

unsigned model_release_retired(struct model *m) {
  unsigned count = 0;
  for (unsigned c = 0; c < m->limits.conns; c++) {
    if (m->conns[c].history == NULL || !m->conns[c].retired) continue;
    release(&m->conns[c]);
    count++;
  }
  return count;
}

void model_connections(const struct model *m, unsigned *used, unsigned *retired) {
  *used = *retired = 0;
  for (unsigned c = 0; c < m->limits.conns; c++) {
    *used += m->conns[c].history != NULL;
    *retired += m->conns[c].history != NULL && m->conns[c].retired;
  }
}

void model_set_part(struct model *m, unsigned ring, const struct model_part *part) {
  if (ring < m->ring_count) m->parts[ring] = *part;
}

void model_rename(struct model *m, unsigned ring, uint16_t id) {
  if (ring < m->ring_count) m->rings[ring].id = id;
}

bool model_waiting(const struct model *m, unsigned ring, struct model_waiting *out) {
  if (ring >= m->ring_count) return false;
  const struct model_ring *r = &m->rings[ring];
  const uint32_t everyone = everyone_of(r);
  bool found = false;
  for (unsigned offset = 0; offset < r->stride; offset++) {
    for (unsigned i = 0; i < m->columns[ring][offset].count; i++) {
      const struct column *c = &m->columns[ring][offset].at[i];
      if (c->accepted == 0 || c->over || c->stored == everyone) continue;
      if (found && !older(c->msgid, out->msgid) && !(c->msgid == out->msgid && offset < out->offset)) continue;
      *out = (struct model_waiting){.msgid = c->msgid, .ranks = everyone & ~c->stored, .offset = offset};
      found = true;
    }
  }
  return found;
}

uint32_t model_behind(const struct model *m, unsigned ring) {
  uint32_t behind = 0;
  for (unsigned offset = 0; offset < m->rings[ring].stride; offset++)
    for (unsigned i = 0; i < m->columns[ring][offset].count; i++) {
      const struct column *c = &m->columns[ring][offset].at[i];
      if (c->accepted != 0) behind |= everyone_of(&m->rings[ring]) & ~c->accepted;
    }
  return behind;
}

size_t model_columns_held(const struct model *m) {
  size_t held = 0;
  for (size_t ring = 0; ring < m->ring_count; ring++)
    for (unsigned offset = 0; offset < m->rings[ring].stride; offset++)
      for (unsigned i = 0; i < m->columns[ring][offset].count; i++) {
        const struct column *c = &m->columns[ring][offset].at[i];
        held += c->accepted != 0 && !c->lost;
      }
  return held;
}
