#include "hosts/mac_switch.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"

enum { ETHERNET_HEADER = 14 };

struct mac_switch {
  unsigned ports;
  struct map table;   // from an address to 1 + its port, and whether that is for good; 0 for one that was only asked for
};

#define FOR_GOOD (UINT64_C(1) << 63)

static uint64_t *entry_of(struct mac_switch *s, const uint8_t *mac) {
  uint64_t key = 0;
  bool fresh;
  for (int i = 0; i < 6; i++) key = key << 8 | mac[i];
  return map_at(&s->table, key, &fresh);
}

struct mac_switch *mac_switch_new(unsigned ports) {
  struct mac_switch *s = calloc(1, sizeof *s);
  if (s != NULL) s->ports = ports;
  return s;
}

void mac_switch_free(struct mac_switch *s) {
  if (s == NULL) return;
  map_free(&s->table);
  free(s);
}

void mac_switch_bind(struct mac_switch *s, const uint8_t mac[6], unsigned port) { *entry_of(s, mac) = FOR_GOOD | (port + 1); }

static uint64_t every_port(const struct mac_switch *s) { return s->ports >= 64 ? UINT64_MAX : (UINT64_C(1) << s->ports) - 1; }

uint64_t mac_switch_lookup(struct mac_switch *s, const uint8_t *frame, size_t len) {
  if (len < ETHERNET_HEADER) return 0;
  const uint64_t behind = *entry_of(s, frame) & ~FOR_GOOD;   // never known for a group, which is no source
  return behind == 0 ? every_port(s) : UINT64_C(1) << (behind - 1);
}

void mac_switch_learn(struct mac_switch *s, unsigned port, const uint8_t *frame, size_t len) {
  if (len < ETHERNET_HEADER) return;
  const uint8_t *source = frame + 6;
  if (source[0] & 1) return;
  // Hosts may move: the latest port an address was seen behind is the one that counts.
  uint64_t *entry = entry_of(s, source);
  if (!(*entry & FOR_GOOD)) *entry = port + 1;
}

uint64_t mac_switch_forward(struct mac_switch *s, unsigned port, const uint8_t *frame, size_t len) {
  mac_switch_learn(s, port, frame, len);
  return mac_switch_lookup(s, frame, len) & ~(UINT64_C(1) << port);
}
