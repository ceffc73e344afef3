#include "hosts/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

enum { MAX_OVERTAKERS = 8 };

struct flight {
  struct flight *next;
  uint64_t due;
  size_t len;
  bool bad_fcs;
  uint8_t data[];
};

struct link {
  struct link_config config;
  struct rng rng;
  uint64_t idle_at, arrived;   // the latest arrival that is in order
  struct flight *head;         // by time of arrival
  struct flight **tail;
  struct flight *taken;
  struct link_counts counts;
};

struct link *link_new(const struct link_config *config) {
  struct link *l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  l->config = *config;
  l->rng = rng_for(config->seed, 0x4C494E4B);
  l->tail = &l->head;
  return l;
}

void link_free(struct link *l) {
  if (l == NULL) return;
  for (struct flight *f = l->head, *next; f != NULL; f = next) {
    next = f->next;
    free(f);
  }
  free(l->taken);
  free(l);
}

void link_set_delay(struct link *l, uint64_t delay_ps) { l->config.delay_ps = delay_ps; }

void link_set_faults(struct link *l, const struct link_faults *faults) { l->config.faults = *faults; }

bool link_idle(const struct link *l, uint64_t now) { return now >= l->idle_at; }

uint64_t link_idle_at(const struct link *l) { return l->idle_at; }

static bool happens(struct link *l, double probability) { return probability > 0 && rng_uniform(&l->rng) < probability; }

static void damage(struct link *l, size_t len, struct link_copy *c) {
  const unsigned bits = rng_from(&l->rng, 1, LINK_WRONG_BITS);
  while (c->wrong_bits < bits) {
    const unsigned bit = rng_below(&l->rng, (unsigned)(8 * len));
    bool again = false;   // a bit that is flipped twice is right again
    for (unsigned i = 0; i < c->wrong_bits; i++) again = again || c->wrong[i] == bit;
    if (!again) c->wrong[c->wrong_bits++] = bit;
  }
  c->bad_fcs = rng_percent(&l->rng, 50);
  l->counts.damaged++;
}

static struct link_copy copy_at(struct link *l, uint64_t due, size_t len) {
  struct link_copy c = {.due = due};
  if (happens(l, l->config.faults.damage)) damage(l, len, &c);
  return c;
}

unsigned link_begin(struct link *l, uint64_t now, size_t len, struct link_copy copies[LINK_COPIES]) {
  const struct link_faults *faults = &l->config.faults;
  const uint64_t takes = l->config.gbps > 0 ? (uint64_t)((double)(len + LINK_OVERHEAD) * 8000 / l->config.gbps) : 0;
  l->idle_at = (now - l->idle_at < l->config.grain_ps ? l->idle_at : now) + takes;
  l->counts.frames++;
  l->counts.bytes += len;
  if (happens(l, faults->loss)) {
    l->counts.lost++;
    return 0;
  }
  uint64_t due = l->idle_at + l->config.delay_ps;
  if (happens(l, faults->reorder)) {
    due += takes * rng_from(&l->rng, 1, MAX_OVERTAKERS) + takes / 2;
    l->counts.overtaken++;
  }
  copies[0] = copy_at(l, due, len);
  if (!happens(l, faults->dup)) return 1;
  l->counts.doubled++;
  copies[1] = copy_at(l, due + takes, len);
  return 2;
}

void link_damage(const struct link_copy *copy, uint8_t *frame) {
  for (unsigned i = 0; i < copy->wrong_bits; i++) frame[copy->wrong[i] / 8] ^= (uint8_t)(1u << copy->wrong[i] % 8);
}

static void put(struct link *l, const struct link_copy *copy, const uint8_t *frame, size_t len) {
  const uint64_t due = copy->due;
  struct flight *f = need(malloc(sizeof *f + len));
  *f = (struct flight){.due = due, .len = len, .bad_fcs = copy->bad_fcs};
  memcpy(f->data, frame, len);
  link_damage(copy, f->data);
  struct flight **at = l->tail;
  if (l->head != NULL && due < l->arrived) {   // only a frame behind one that is overtaken has to look for its place
    at = &l->head;
    while (*at != NULL && (*at)->due <= due) at = &(*at)->next;
  }
  if (due > l->arrived) l->arrived = due;
  f->next = *at;
  *at = f;
  if (f->next == NULL) l->tail = &f->next;
}

void link_send(struct link *l, uint64_t now, const uint8_t *frame, size_t len) {
  struct link_copy copies[LINK_COPIES];
  const unsigned count = link_begin(l, now, len, copies);
  for (unsigned i = 0; i < count; i++) put(l, &copies[i], frame, len);
}

uint64_t link_due(const struct link *l) { return l->head != NULL ? l->head->due : UINT64_MAX; }

bool link_receive(struct link *l, uint64_t now, struct link_frame *frame) {
  if (link_due(l) > now) return false;
  free(l->taken);
  l->taken = l->head;
  l->head = l->head->next;
  if (l->head == NULL) l->tail = &l->head;
  *frame = (struct link_frame){.len = l->taken->len, .bad_fcs = l->taken->bad_fcs, .data = l->taken->data};
  return true;
}

bool link_holds(const struct link *l, bool (*match)(const void *user, const uint8_t *frame, size_t len), const void *user) {
  const struct flight *f = l->head;
  while (f != NULL && !match(user, f->data, f->len)) f = f->next;
  return f != NULL;
}

struct link_counts link_counts(const struct link *l) {
  return l->counts;
}
