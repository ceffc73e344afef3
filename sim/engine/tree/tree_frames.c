#include "sim/engine/tree/tree_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/relay.h"
#include "wire/roce.h"

enum { BUCKETS = 1 << 16 };

/// What names a frame.
struct name {
  struct conn_key key;
  uint32_t psn, msgid;
  bool note;
};

struct bytes {
  uint8_t *data;
  size_t len;
};

struct place {
  struct place *next;
  struct name name;
  struct bytes expected[TREE_FRAMES_VERSIONS];   // the model's latest ones
  unsigned latest;
  struct bytes waits;   // the device's, not the model's yet
};

struct tree_frames {
  bool damage;
  size_t unknown;
  struct place *buckets[BUCKETS];
};

struct tree_frames *tree_frames_new(bool damage) {
  struct tree_frames *t = calloc(1, sizeof *t);
  if (t != NULL) t->damage = damage;
  return t;
}

void tree_frames_free(struct tree_frames *t) {
  if (t == NULL) return;
  for (unsigned b = 0; b < BUCKETS; b++) {
    for (struct place *p = t->buckets[b], *next; p != NULL; p = next) {
      next = p->next;
      for (unsigned v = 0; v < TREE_FRAMES_VERSIONS; v++) free(p->expected[v].data);
      free(p->waits.data);
      free(p);
    }
  }
  free(t);
}

static bool name_of(const uint8_t *frame, size_t len, struct name *name) {
  struct roce_packet p;
  struct ina_header ina;
  roce_parse(frame, len, &p);
  if (p.class != ROCE_CANDIDATE) return false;
  memset(name, 0, sizeof *name);
  name->key = p.key;
  name->psn = p.psn;
  name->note = relay_is_note(frame, &p, &ina);
  if (name->note) name->msgid = ina.msgid;
  if (p.tagged) name->msgid = p.ina.msgid;
  return true;
}

static bool same_name(const struct name *a, const struct name *b) {
  return conn_key_equal(&a->key, &b->key) && a->psn == b->psn && a->msgid == b->msgid && a->note == b->note;
}

static struct place *place_of(struct tree_frames *t, const struct name *name) {
  const uint64_t hash = conn_key_hash(&name->key) ^ name->psn * 0x9E3779B1u ^ name->msgid * 0x85EBCA6Bu ^ name->note;
  struct place **at = &t->buckets[(hash ^ hash >> 16) % BUCKETS];
  while (*at != NULL && !same_name(&(*at)->name, name)) at = &(*at)->next;
  if (*at != NULL) return *at;
  *at = need(calloc(1, sizeof **at));
  (*at)->name = *name;
  return *at;
}

static void keep(struct bytes *b, const uint8_t *frame, size_t len) {
  uint8_t *copy = need(realloc(b->data, len));
  memcpy(copy, frame, len);
  *b = (struct bytes){copy, len};
}

/// Which copy of a packet left its headers is a matter of time, so the Identification of IPv4 is not compared, nor what covers it. Those
/// must be right in themselves: name_of wants a good ICRC.
static bool free_byte(const struct roce_packet *p, size_t len, size_t i) {
  const bool identification = i == p->ip + 4 || i == p->ip + 5, checksum = i == p->ip + 10 || i == p->ip + 11;
  return (!p->key.v6 && (identification || checksum)) || i + 4 >= len;
}

static bool good_checksum(const uint8_t *frame, const struct roce_packet *p) {
  return p->key.v6 || roce_ip_checksum(frame + p->ip) == 0;
}

static bool same(const struct tree_frames *t, const struct bytes *b, const uint8_t *frame, size_t len) {
  if (b->data == NULL || b->len != len) return false;
  struct roce_packet is, want;
  roce_parse(frame, len, &is);
  roce_parse(b->data, len, &want);
  if (is.bth != want.bth) return false;
  const size_t congestion = is.bth + 4;   // of the BTH, only this byte is not covered by the ICRC
  if (!t->damage && !good_checksum(frame, &is)) return false;
  for (size_t i = t->damage ? is.bth : 0; i < len; i++)
    if (frame[i] != b->data[i] && !free_byte(&is, len, i) && !(t->damage && i == congestion)) return false;
  return true;
}

bool tree_frames_expect(struct tree_frames *t, const uint8_t *frame, size_t len) {
  struct name name;
  if (!name_of(frame, len, &name)) return false;
  struct place *p = place_of(t, &name);
  for (unsigned v = 0; v < TREE_FRAMES_VERSIONS; v++)
    if (same(t, &p->expected[v], frame, len)) return true;
  p->latest = (p->latest + 1) % TREE_FRAMES_VERSIONS;
  keep(&p->expected[p->latest], frame, len);
  if (same(t, &p->waits, frame, len)) {
    free(p->waits.data);
    p->waits = (struct bytes){0};
    t->unknown--;
  }
  return true;
}

bool tree_frames_check(struct tree_frames *t, const uint8_t *frame, size_t len, bool *known) {
  struct name name;
  if (!name_of(frame, len, &name)) return false;
  struct place *p = place_of(t, &name);
  *known = false;
  for (unsigned v = 0; v < TREE_FRAMES_VERSIONS && !*known; v++) *known = same(t, &p->expected[v], frame, len);
  if (*known) return true;
  t->unknown += p->waits.data == NULL;
  keep(&p->waits, frame, len);
  return true;
}

size_t tree_frames_unknown(const struct tree_frames *t) { return t->unknown; }
