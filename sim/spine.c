#include "sim/spine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive.h"
#include "wire/roce.h"

enum {
  MAX_PENDING = 2,       // frames in front of an input: one goes in, the next is there
  QUIET_CYCLES = 1000,   // nothing goes in or out for so long: nothing is inside
  WARM_UP = 4096         // the device empties its slots after reset, one a cycle
};

/// What the model sends to a child of one packet of a message.
struct expected {
  size_t len;   // 0: nothing yet
  uint8_t *data;
};

struct spine {
  struct relay_config config;               // rings and their children are the caller's until spine_open is over
  unsigned ring_count, children, packets;   // packets: 2N messages of the longest ring
  struct model_ring rings[32];
  struct drive *drive;
  struct relay *model;
  struct fabric *fabric;
  bool damage;
  struct expected *expected;
  uint64_t moved;   // cycle in which a frame last went in or out
  uint64_t compared;
  struct relay_counts counts;
  char fault[160];
};

static void wrong(struct spine *s, const char *what, unsigned port) {
  if (s->fault[0] == 0) snprintf(s->fault, sizeof s->fault, "the spine, port %u: %s", port, what);
}

// --- beside the model ---

/// Where the result of a packet to a child is kept. NULL if a frame is none.
static struct expected *place_of(struct spine *s, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  unsigned ring = 0;
  while (ring < s->ring_count && !(p.tagged && s->rings[ring].id == p.ina.ring)) ring++;
  if (ring == s->ring_count || p.ina.rank >= s->children || p.psn >= s->rings[ring].stride) return NULL;
  const size_t packet = (size_t)(p.ina.msgid % (2 * s->rings[ring].window)) * s->rings[ring].stride + p.psn;
  return &s->expected[(ring * s->children + p.ina.rank) * s->packets + packet];
}

/// The model sends: what the device will have to.
static void expect(void *user, unsigned port, const uint8_t *data, size_t len) {
  struct spine *s = user;
  struct expected *e = place_of(s, data, len);
  (void)port;
  if (e == NULL) return;
  uint8_t *copy = realloc(e->data, len);
  if (copy == NULL) abort();
  memcpy(copy, data, len);
  *e = (struct expected){.len = len, .data = copy};
}

/// True if the model sends this frame; with damage, if all that the ICRC covers is what the model sends.
static bool same(const struct spine *s, const struct expected *e, const uint8_t *frame, size_t len) {
  if (e->len != len) return false;
  if (!s->damage) return memcmp(e->data, frame, len) == 0;
  struct roce_packet is, want;
  roce_parse(frame, len, &is);
  roce_parse(e->data, len, &want);
  const size_t congestion = is.bth + 4;   // of the BTH, only this byte is not covered
  return is.class == ROCE_CANDIDATE && is.bth == want.bth && conn_key_equal(&is.key, &want.key) &&
         memcmp(frame + is.bth, e->data + is.bth, 4) == 0 &&
         memcmp(frame + congestion + 1, e->data + congestion + 1, len - congestion - 1) == 0;
}

// --- the device ---

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first, uint64_t last) {
  struct spine *s = user;
  (void)first;
  s->moved = last;
  const struct expected *e = place_of(s, frame, len);
  if (e != NULL) {
    s->compared++;
    s->counts.down++;
    if (!same(s, e, frame, len)) wrong(s, "a frame leaves that is not the model's", port);
  }
  fabric_port_send(s->fabric, port, frame, len);
}

static void device_in(void *user, unsigned port, uint64_t tag, uint64_t first, uint64_t last) {
  struct spine *s = user;
  (void)port;
  (void)tag;
  (void)first;
  s->moved = last;
}

static void device_state(void *user, const struct drive_state_event *event) {
  struct spine *s = user;
  if (event->kind == DRIVE_DECIDE && event->fate < FATE_COUNT) s->counts.fates[event->fate]++;
  if (event->kind == DRIVE_COMMIT && event->completes) s->counts.completed++;
}

static void device_failed(void *user, uint64_t cycle, const char *where) {
  struct spine *s = user;
  char text[120];
  snprintf(text, sizeof text, "an assertion failed in cycle %llu: %s", (unsigned long long)cycle, where);
  wrong(s, text, 0);
}

// --- opening one ---

/// A message takes as many places as the device's SpineShift says.
static bool fits(const struct drive_config *c, const struct relay_config *relay, const char **lacks) {
  unsigned slots = 0;
  *lacks = NULL;
  for (size_t i = 0; i < relay->ring_count; i++) {
    const struct model_ring *ring = &relay->rings[i].ring;
    slots += 2 * ring->window << c->spine_shift;
    if (ring->stride > 1u << c->spine_shift) *lacks = "packets in a message";
    if (ring->window << c->spine_shift > c->max_window) *lacks = "messages in a window";
    if (ring->workers > c->ranks) *lacks = "children";
  }
  if (slots > c->slots) *lacks = "slots";
  if (relay->ring_count > c->rings) *lacks = "rings";
  if (relay->limits.conns > c->conns) *lacks = "connections";
  if (relay->limits.ports > c->ports) *lacks = "ports";
  if (relay->limits.slot_bytes > c->slot_bytes) *lacks = "bytes in a packet";
  return *lacks == NULL;
}

const struct drive_config *spine_config(const struct relay_config *relay, char *error, size_t size) {
  size_t count;
  const char *lacks = NULL;
  const struct drive_config *configs = drive_relay_configs(&count);
  for (size_t i = 0; i < count; i++)
    if (fits(&configs[i], relay, &lacks)) return &configs[i];
  if (count == 0)
    snprintf(error, size, "no spine was built: WEIR_CONFIGS leaves it out");
  else
    snprintf(error, size, "spine %s has not so many %s (rtl/top/relay_configs.csv)", configs[count - 1].name, lacks);
  return NULL;
}

static bool set_up(const struct spine *s, const struct drive_config *c) {
  unsigned base = 0, conn = 0;
  for (unsigned i = 0; i < s->ring_count; i++) {
    const struct relay_ring *r = &s->config.rings[i];
    const struct drive_ring ring = {.enable = true,
                                    .id = r->ring.id,
                                    .workers = r->ring.workers,
                                    .window = r->ring.window << c->spine_shift,
                                    .stride = 1,
                                    .base = base};
    base += 2 * ring.window;
    if (drive_set_ring(s->drive, i, &ring) != 0) return false;
    for (unsigned child = 0; child < r->ring.workers; child++) {
      const struct conn_key key = relay_key(r->ring.id, &r->children[child], &s->config.self);
      if (drive_set_connection(s->drive, conn++, &key, i, child) != 0) return false;
    }
  }
  for (unsigned i = 0; i < WARM_UP; i++) drive_step(s->drive);
  return true;
}

/// Room for a result of each packet of 2N messages, for each child.
static bool make_room(struct spine *s) {
  for (unsigned i = 0; i < s->ring_count; i++) {
    const struct relay_ring *r = &s->config.rings[i];
    const unsigned packets = 2 * r->ring.window * r->ring.stride;
    s->rings[i] = r->ring;
    if (packets > s->packets) s->packets = packets;
    if (r->ring.workers > s->children) s->children = r->ring.workers;
  }
  s->expected = calloc((size_t)s->ring_count * s->children * s->packets, sizeof *s->expected);
  return s->expected != NULL;
}

struct spine *spine_open(const struct relay_config *relay, struct fabric *fabric, bool damage, uint64_t seed, char *error,
                         size_t size) {
  const struct drive_config *config = spine_config(relay, error, size);
  if (config == NULL) return NULL;
  struct spine *s = calloc(1, sizeof *s);
  snprintf(error, size, "out of memory");
  if (s == NULL) return NULL;
  s->config = *relay;
  s->ring_count = (unsigned)relay->ring_count;
  s->fabric = fabric;
  s->damage = damage;
  s->model = relay_new(relay, expect, s);
  if (s->model == NULL || !make_room(s)) {
    spine_close(s);
    return NULL;
  }
  const struct drive_options drive = {.config = config->name, .seed = seed};
  const struct drive_calls calls = {
      .user = s, .state = device_state, .out = device_out, .in = device_in, .failed = device_failed};
  s->drive = drive_open(&drive, &calls, error, size);
  if (s->drive != NULL && set_up(s, config)) return s;
  if (s->drive != NULL) snprintf(error, size, "the spine refuses a ring or a connection");
  spine_close(s);
  return NULL;
}

void spine_close(struct spine *s) {
  if (s == NULL) return;
  if (s->drive != NULL) drive_close(s->drive);
  for (size_t i = 0; s->expected != NULL && i < (size_t)s->ring_count * s->children * s->packets; i++) free(s->expected[i].data);
  free(s->expected);
  relay_free(s->model);
  free(s);
}

// --- time ---

void spine_step(struct spine *s, uint64_t now) {
  struct link_frame f;
  for (unsigned port = 0; port < s->config.limits.ports; port++) {
    while (drive_pending(s->drive, port) < MAX_PENDING && fabric_port_receive(s->fabric, port, now, &f)) {
      relay_rx(s->model, port, f.data, f.len, f.bad_fcs);
      drive_send(s->drive, port, f.data, f.len, f.bad_fcs, 0);
      s->moved = drive_cycle(s->drive);
    }
    fabric_port_pause(s->fabric, port, drive_pending(s->drive, port) >= MAX_PENDING);
    drive_hold(s->drive, port, fabric_port_held(s->fabric, port));
  }
  drive_step(s->drive);
}

bool spine_quiet(const struct spine *s) {
  for (unsigned port = 0; port < s->config.limits.ports; port++)
    if (drive_pending(s->drive, port) > 0 || fabric_port_held(s->fabric, port)) return false;
  return drive_cycle(s->drive) - s->moved > QUIET_CYCLES;
}

// --- looking at it ---

const struct relay_counts *spine_counts(const struct spine *s) { return &s->counts; }

bool spine_waiting(const struct spine *s, unsigned ring, struct model_waiting *out) { return relay_waiting(s->model, ring, out); }

const char *spine_fault(const struct spine *s) { return s->fault[0] != 0 ? s->fault : NULL; }

uint64_t spine_compared(const struct spine *s) { return s->compared; }
