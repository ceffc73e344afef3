#include "unit/host/net/fake_ring.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum { STEPS = 100000, KEY = 4711 };

static bool strikes(const struct fake_host *h, enum fake_fault fault, uint64_t message) {
  return h->rank == 1 && h->ring->fault == fault && h->ring->fault_at == message;
}

// --- transport ---

static unsigned slots(const struct fake_host *h) { return 2 * h->ring->window; }

static uint8_t *staging(void *self, unsigned slot) {
  struct fake_host *h = self;
  assert_true(slot < slots(h));
  return h->staging[slot];
}

static const uint8_t *landing(void *self, unsigned slot) {
  struct fake_host *h = self;
  assert_true(slot < slots(h));
  return h->landing[slot];
}

static int send_message(void *self, unsigned slot, size_t front, size_t staged, const struct transport_body *body,
                        uint32_t immediate) {
  struct fake_host *h = self;
  uint8_t *out = h->wire[h->sent % slots(h)];
  size_t used = body != NULL ? front : staged;
  if (h->ring->kind == FAKE_DEVICE) assert_int_equal(immediate & 0xFF00, 0);   // there a result has its mark
  if (strikes(h, FAKE_NO_SEND, h->sent)) return -ECONNRESET;
  assert_int_equal(slot, h->sent % slots(h));
  assert_true(h->sent - h->told < slots(h));   // no slot is overwritten that may have to be sent again
  memcpy(out, h->staging[slot], used);
  if (body != NULL) {
    assert_int_equal(body->key, KEY);
    memcpy(out + used, body->data, body->bytes);
    memcpy(out + used + body->bytes, h->staging[slot] + front, staged - front);
    used = staged + body->bytes;
  }
  assert_true(used <= FAKE_SLOT_BYTES);
  h->immediates[h->sent % slots(h)] = immediate;
  h->sizes[h->sent++ % slots(h)] = used;
  return 0;
}

static int poll_messages(void *self, struct transport_event *event) {
  struct fake_host *h = self;
  const struct fake_host *next = &h->ring->hosts[(h->rank + 1) % h->ring->count];
  if (strikes(h, FAKE_UNREACHABLE, h->seen)) return -EHOSTUNREACH;
  *event = (struct transport_event){.kind = TRANSPORT_ARRIVED, .bytes = FAKE_SLOT_BYTES};
  if (strikes(h, FAKE_UNASKED, h->seen) && h->seen == h->delivered) return h->seen++, 1;
  if (!h->engine.config.transport.polled && h->seen < h->delivered) {
    event->bytes = h->landed[h->seen % slots(h)];
    if (strikes(h, FAKE_WRONG_LENGTH, h->seen)) event->bytes -= 4;
    event->immediate = h->ring->kind == FAKE_DEVICE ? (uint32_t)h->ring->epoch << 8 : h->came[h->seen % slots(h)];
    if (strikes(h, FAKE_RAW_END, h->seen)) event->immediate = 0;
    if (strikes(h, FAKE_TWO_EPOCHS, h->seen)) event->immediate = (uint32_t)(h->ring->epoch + 1) << 8;
    h->seen++;
    return 1;
  }
  if (h->told == next->delivered || h->rank == h->ring->unacknowledged) return 0;
  event->kind = TRANSPORT_SENT;
  h->told++;
  return 1;
}

static int slot_ready(void *self, unsigned slot) {
  struct fake_host *h = self;
  assert_int_equal(slot, h->read % slots(h));
  if (strikes(h, FAKE_NO_SLOT, h->read)) return -ENOMEM;
  h->read++;
  memset(h->landing[slot], 0, FAKE_SLOT_BYTES);
  return 0;
}

// --- what is between hosts ---

static void land(struct fake_host *to, const uint8_t *message, size_t bytes) {
  assert_true(to->delivered - to->read < slots(to));   // the window keeps results from being overwritten
  uint8_t *in = to->landing[to->delivered % slots(to)];
  memcpy(in, message, bytes);
  in[14] = strikes(to, FAKE_RAW, to->delivered) || to->ring->kind == FAKE_NO_DEVICE ? in[14] : to->ring->epoch;
  if (strikes(to, FAKE_WRONG_HEADER, to->delivered)) in[5] ^= 1;
  to->landed[to->delivered++ % slots(to)] = bytes;
}

/// The message that all hosts have sent goes back with their sum in it, each with its own header.
static void sum_one(struct fake_ring *f) {
  const uint64_t message = f->hosts[0].delivered;
  const unsigned slot = (unsigned)(message % (2 * f->window));
  const uint8_t *rows[FAKE_HOSTS];
  uint8_t out[FAKE_SLOT_BYTES];
  for (unsigned i = 0; i < f->count; i++) {
    struct fake_host *h = &f->hosts[i];
    if (h->sent <= message || i == f->held_back) return;
    rows[i] = h->wire[slot] + INA_BYTES;
    assert_int_equal(h->sizes[slot], f->hosts[0].sizes[slot]);
  }
  const size_t bytes = f->hosts[0].sizes[slot];
  assert_int_equal(ina_reduce(f->hosts[0].wire[slot][7], rows, f->count, bytes - INA_BYTES, out + INA_BYTES), 0);
  for (unsigned i = 0; i < f->count; i++) {
    memcpy(out, f->hosts[i].wire[slot], INA_BYTES);
    land(&f->hosts[(i + 1) % f->count], out, bytes);
  }
}

/// Without a device messages go to the next host, which takes them when it has a slot.
static void pass_some(struct fake_ring *f) {
  for (unsigned i = 0; i < f->count; i++) {
    struct fake_host *h = &f->hosts[i], *next = &f->hosts[(i + 1) % f->count];
    const unsigned slot = (unsigned)(next->delivered % slots(h));
    if (h->sent > next->delivered && next->delivered - next->read < slots(h)) {
      next->came[slot] = h->immediates[slot];
      land(next, h->wire[slot], h->sizes[slot]);
    }
  }
}

// --- all of it ---

struct fake_ring *fake_open(unsigned hosts, unsigned window, bool polled, enum fake_kind kind) {
  struct fake_ring *f = need(calloc(1, sizeof *f));
  f->count = hosts;
  f->window = window;
  f->kind = kind;
  f->held_back = f->unacknowledged = FAKE_NOBODY;
  polled = polled && kind == FAKE_DEVICE;
  for (unsigned i = 0; i < hosts; i++) {
    struct fake_host *h = &f->hosts[i];
    h->ring = f;
    h->rank = i;
    const struct engine_config c = {
        .transport = {.self = h,
                      .slots = 2 * window,
                      .slot_bytes = FAKE_SLOT_BYTES,
                      .polled = polled,
                      .staging = staging,
                      .landing = landing,
                      .send = send_message,
                      .poll = poll_messages,
                      .ready = slot_ready},
        .shape = {.mtu = FAKE_MTU, .msglen = FAKE_MSGLEN, .trailer = polled ? 4 : 0},
        .ring = 3,
        .rank = (uint8_t)i,
        .workers = (uint16_t)hosts,
        .window = window,
        .msgid = UINT32_MAX - 3,   // wraps soon
        .timeout_ns = FAKE_TIMEOUT,
    };
    assert_int_equal(engine_init(&h->engine, &c), 0);
    assert_int_equal(kind == FAKE_NO_DEVICE ? plain_init(&h->plain, &c) : 0, 0);
  }
  return f;
}

void fake_marks(struct fake_ring *f, uint8_t epoch, bool wanted) {
  f->epoch = epoch;
  for (unsigned i = 0; i < f->count; i++) f->hosts[i].engine.config.marks = wanted;
}

void fake_close(struct fake_ring *f) {
  for (unsigned i = 0; i < f->count; i++) plain_free(&f->hosts[i].plain);
  free(f);
}

static int begin(struct fake_ring *f, unsigned host, uint8_t kind, size_t bytes, bool registered) {
  struct fake_host *h = &f->hosts[host];
  const struct engine_request r = {.send = h->tensor,
                                   .receive = f->in_place ? h->tensor : h->result,
                                   .bytes = bytes,
                                   .kind = kind,
                                   .key = KEY,
                                   .registered = registered && f->kind == FAKE_DEVICE};
  return f->kind == FAKE_DEVICE ? engine_start(&h->engine, &r, f->now, &h->request)
                                : plain_start(&h->plain, &r, f->now, &h->request);
}

int fake_start(struct fake_ring *f, unsigned host, uint8_t kind, size_t bytes) { return begin(f, host, kind, bytes, false); }

/// Small whole numbers, whose sums are exact in every type and order.
static void fill(struct rng *rng, uint8_t kind, size_t bytes, uint8_t *out) {
  static const uint32_t numbers[4][4] = {{0x3F800000, 0x40000000, 0xC0400000, 0},
                                         {0x3C00, 0x4000, 0xC200, 0},
                                         {0x3F80, 0x4000, 0xC040, 0},
                                         {1, 2, 0xFFFFFFFD, 0}};
  const size_t size = ina_element_size(kind);
  for (size_t i = 0; i < bytes; i += size) {
    uint8_t word[4];
    put_le32(word, numbers[kind & 3][rng_below(rng, 4)]);
    memcpy(out + i, word, size);
  }
}

void fake_reduce(struct fake_ring *f, uint8_t kind, size_t bytes, bool in_place, bool registered) {
  const uint8_t *rows[FAKE_HOSTS];
  assert_true(bytes <= FAKE_ROOM);
  f->bytes = bytes;
  f->in_place = in_place;
  for (unsigned i = 0; i < f->count; i++) {
    struct rng rng = rng_for(bytes, i);
    fill(&rng, kind, bytes, f->hosts[i].tensor);
    memset(f->hosts[i].result, 0xEE, FAKE_ROOM);
    rows[i] = f->hosts[i].tensor;
  }
  assert_int_equal(ina_reduce(kind, rows, f->count, bytes, f->hosts[0].expected), 0);
  for (unsigned i = 0; i < f->count; i++) {
    memcpy(f->hosts[i].expected, f->hosts[0].expected, bytes);
    assert_int_equal(begin(f, i, kind, bytes, registered), 0);
  }
}

static int progress(struct fake_host *h) {
  return h->ring->kind == FAKE_DEVICE ? engine_progress(&h->engine, h->ring->now) : plain_progress(&h->plain, h->ring->now);
}

static bool done(const struct fake_host *h) {
  return h->ring->kind == FAKE_DEVICE ? engine_done(&h->engine, h->request, true) : plain_done(&h->plain, h->request);
}

void fake_step(struct fake_ring *f) {
  f->now++;
  for (unsigned i = 0; i < f->count; i++) {
    progress(&f->hosts[i]);
    const uint64_t open = f->hosts[i].engine.sent - f->hosts[i].engine.held;
    if (open > f->most_open) f->most_open = open;
  }
  if (f->kind == FAKE_DEVICE)
    sum_one(f);
  else
    pass_some(f);
}

int fake_run(struct fake_ring *f) {
  for (unsigned step = 0; step < STEPS; step++) {
    unsigned ready = 0;
    fake_step(f);
    for (unsigned i = 0; i < f->count; i++) {
      const int error = progress(&f->hosts[i]);
      if (error != 0) return error;
      ready += done(&f->hosts[i]);
    }
    if (ready == f->count) return 0;
  }
  return -ELOOP;
}

void fake_check(struct fake_ring *f) {
  for (unsigned i = 0; i < f->count; i++) {
    const struct fake_host *h = &f->hosts[i];
    assert_memory_equal(f->in_place ? h->tensor : h->result, h->expected, f->bytes);
    // Nothing is written behind the end.
    for (size_t k = f->bytes; !f->in_place && k < FAKE_ROOM; k++) assert_int_equal(h->result[k], 0xEE);
  }
}
