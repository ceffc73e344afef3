#include "sim/switch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ETHERNET_HEADER = 14, FIRST_SIZE = 64 };

/// One address, as a number above 0xFFFF so that an empty entry is zero: address << 16 | 1.
struct entry {
  uint64_t key;
  unsigned port;
};

struct mac_switch {
  unsigned ports;
  struct entry *entries;   // open addressing; at most half of them are used
  size_t size, used;       // size: power of two
};

/// The address at `mac` as a key.
static uint64_t key_of(const uint8_t *mac) {
  uint64_t key = 0;
  for (int i = 0; i < 6; i++) key = key << 8 | mac[i];
  return key << 16 | 1;
}

/// The entry of `key`, or the empty one where it belongs.
static struct entry *find(struct entry *entries, size_t size, uint64_t key) {
  size_t i = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (size - 1);
  while (entries[i].key != 0 && entries[i].key != key) i = (i + 1) & (size - 1);
  return &entries[i];
}

static void grow(struct mac_switch *s) {
  struct entry *larger = calloc(2 * s->size, sizeof *larger);
  if (larger == NULL) {
    fprintf(stderr, "weir: out of memory\n");
    abort();
  }
  for (size_t i = 0; i < s->size; i++) {
    if (s->entries[i].key != 0) *find(larger, 2 * s->size, s->entries[i].key) = s->entries[i];
  }
  free(s->entries);
  s->entries = larger;
  s->size *= 2;
}

/// The latest port an address was seen behind is the one that counts: hosts may move.
static void learn(struct mac_switch *s, uint64_t key, unsigned port) {
  struct entry *e = find(s->entries, s->size, key);
  if (e->key == 0) {
    if (2 * (s->used + 1) > s->size) {
      grow(s);
      e = find(s->entries, s->size, key);
    }
    e->key = key;
    s->used++;
  }
  e->port = port;
}

struct mac_switch *mac_switch_new(unsigned ports) {
  struct mac_switch *s = malloc(sizeof *s);
  if (s == NULL) return NULL;
  *s = (struct mac_switch){.ports = ports, .size = FIRST_SIZE, .entries = calloc(FIRST_SIZE, sizeof *s->entries)};
  if (s->entries != NULL) return s;
  free(s);
  return NULL;
}

void mac_switch_free(struct mac_switch *s) {
  if (s == NULL) return;
  free(s->entries);
  free(s);
}

uint64_t mac_switch_forward(struct mac_switch *s, unsigned port, const uint8_t *frame, size_t len) {
  if (len < ETHERNET_HEADER) return 0;
  const uint8_t *destination = frame, *source = frame + 6;
  const uint64_t here = UINT64_C(1) << port;
  const uint64_t others = (s->ports >= 64 ? UINT64_MAX : (UINT64_C(1) << s->ports) - 1) & ~here;
  if (!(source[0] & 1)) learn(s, key_of(source), port);
  if (destination[0] & 1) return others;
  const struct entry *e = find(s->entries, s->size, key_of(destination));
  if (e->key == 0) return others;
  return (UINT64_C(1) << e->port) & ~here;
}
