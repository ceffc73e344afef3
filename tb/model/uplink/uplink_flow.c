#include "model/uplink/uplink_flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/bytes.h"

bool uplink_watch_storm(const struct uplink_watch *w, uint64_t now, uint64_t limit) {
  return w->paused && limit > 0 && now - w->since > limit;
}

void uplink_watch_set(struct uplink_watch *w, uint64_t now, bool paused, uint64_t limit) {
  if (paused == w->paused) return;
  w->storms += uplink_watch_storm(w, now, limit);
  w->paused = paused;
  w->since = now;
}

uint64_t uplink_watch_begun(const struct uplink_watch *w, uint64_t now, uint64_t limit) {
  return w->storms + uplink_watch_storm(w, now, limit);
}

// --- sequence numbers ---

enum { OP_SEND_FIRST = 0x00, OP_READ = 0x0C, OP_COMPARE_SWAP = 0x13, OP_SEND_INVALIDATE_ONLY = 0x17, NAME_BITS = 152 };

struct uplink_order {
  struct uplink_conn *conns;
  size_t room, count;
  unsigned sets, ways;
};

struct uplink_order *uplink_order_new(unsigned sets, unsigned ways) {
  struct uplink_order *o = need(calloc(1, sizeof *o));
  o->sets = sets;
  o->ways = ways;
  return o;
}

void uplink_order_free(struct uplink_order *o) {
  if (o == NULL) return;
  free(o->conns);
  free(o);
}

void uplink_order_clear(struct uplink_order *o) { o->count = 0; }

bool uplink_has_order(uint8_t opcode) {
  return opcode <= OP_READ || (opcode >= OP_COMPARE_SWAP && opcode <= OP_SEND_INVALIDATE_ONLY);
}

/// Bit i of a connection's name: the queue pair's 24, then the address'.
static unsigned name_bit(const struct uplink_key *key, unsigned i) {
  if (i < 24) return key->qpn >> i & 1;
  i -= 24;
  return (unsigned)(key->dst[i < 64] >> i % 64 & 1);
}

/// Which set a connection is of: its name in parts of as many bits as a set's number has, each turned by three more, and their sum
/// without carry.
static unsigned set_of(const struct uplink_order *o, const struct uplink_key *key) {
  const unsigned bits = (unsigned)__builtin_ctz(o->sets);
  unsigned set = 0;
  for (unsigned from = 0, part = 0; from < NAME_BITS; from += bits, part++) {
    for (unsigned b = 0; b < bits && from + b < NAME_BITS; b++) set ^= name_bit(key, from + b) << (b + 3 * part) % bits;
  }
  return set;
}

static bool is(const struct uplink_conn *c, const struct uplink_key *key) {
  return c->qpn == (key->qpn & 0xFFFFFF) && c->dst[0] == key->dst[0] && c->dst[1] == key->dst[1];
}

const struct uplink_conn *uplink_order_find(const struct uplink_order *o, const struct uplink_key *key) {
  for (size_t i = 0; i < o->count; i++) {
    if (is(&o->conns[i], key)) return &o->conns[i];
  }
  return NULL;
}

const struct uplink_conn *uplink_order_all(const struct uplink_order *o, size_t *count) {
  *count = o->count;
  return o->conns;
}

static void enter(struct uplink_order *o, const struct uplink_key *key, unsigned set) {
  o->conns = need_room(o->conns, &o->room, o->count + 1, sizeof *o->conns);
  o->conns[o->count++] = (struct uplink_conn){.dst = {key->dst[0], key->dst[1]}, .qpn = key->qpn & 0xFFFFFF, .set = set};
}

enum uplink_order_verdict uplink_order_step(struct uplink_order *o, const struct uplink_key *key, uint8_t opcode, uint32_t psn) {
  struct uplink_conn *c = (struct uplink_conn *)uplink_order_find(o, key);
  enum uplink_order_verdict verdict = UPLINK_NEXT;
  if (c == NULL) {
    unsigned taken = 0;
    const unsigned set = set_of(o, key);
    for (size_t i = 0; i < o->count; i++) taken += o->conns[i].set == set;
    if (taken >= o->ways) return UPLINK_ORDER_FULL;
    enter(o, key, set);
    c = &o->conns[o->count - 1];
    verdict = UPLINK_NEW;
  } else if (((psn - c->next) & 0xFFFFFF) >= 0x800000) {
    if (c->duplicates < UINT16_MAX) c->duplicates++;
    return UPLINK_DUPLICATE;
  } else if (psn != c->next && !c->any) {
    verdict = UPLINK_ORDER_GAP;
    if (c->gaps < UINT16_MAX) c->gaps++;
  }
  c->next = (psn + 1) & 0xFFFFFF;
  c->any = opcode == OP_READ;
  return verdict;
}

// --- pause frames ---

static const uint8_t CONTROL_MAC[6] = {0x01, 0x80, 0xC2, 0, 0, 0x01};
enum { TYPE_CONTROL = 0x8808, PAUSE_ALL = 0x0001, PAUSE_PRIOS = 0x0101, PAUSE_ALL_BYTES = 18, PAUSE_PRIOS_BYTES = 34 };

void uplink_pause_make(uint8_t out[UPLINK_PAUSE_BYTES], uint64_t mac, uint8_t enable, const uint16_t quanta[UPLINK_PRIOS]) {
  memset(out, 0, UPLINK_PAUSE_BYTES);
  memcpy(out, CONTROL_MAC, sizeof CONTROL_MAC);
  for (unsigned i = 0; i < 6; i++) out[6 + i] = (uint8_t)(mac >> (40 - 8 * i));
  put_be16(out + 12, TYPE_CONTROL);
  put_be16(out + 14, PAUSE_PRIOS);
  put_be16(out + 16, enable);
  for (size_t p = 0; p < UPLINK_PRIOS; p++) put_be16(out + 18 + 2 * p, enable >> p & 1 ? quanta[p] : 0);
}

bool uplink_pause_read(const uint8_t *frame, size_t len, uint8_t *enable, uint16_t quanta[UPLINK_PRIOS], bool *control) {
  const bool is_control =
      len >= 16 && memcmp(frame, CONTROL_MAC, sizeof CONTROL_MAC) == 0 && get_be16(frame + 12) == TYPE_CONTROL;
  if (control != NULL) *control = is_control;
  if (!is_control) return false;
  const bool all = get_be16(frame + 14) == PAUSE_ALL && len >= PAUSE_ALL_BYTES;
  if (!all && (get_be16(frame + 14) != PAUSE_PRIOS || len < PAUSE_PRIOS_BYTES)) return false;
  *enable = all ? 0xFF : frame[17];
  for (size_t p = 0; p < UPLINK_PRIOS; p++) quanta[p] = get_be16(frame + (all ? 16 : 18 + 2 * p));
  return true;
}
