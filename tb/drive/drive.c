// The bench's side of the device: frames to beats and back, stalls, registers' bus.
#include "drive/drive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "drive/library/device.h"
#include "drive/faults.h"
#include "drive/library/load.h"
#include "drive/observe.h"
#include "drive/pins.h"
#include "drive/timing.h"

#define MAX_PORTS 16u
#define RESET_CYCLES 8
#define BUS_CYCLES 1000

struct frame {
  struct frame *next;
  uint64_t tag;
  size_t len;
  bool error;
  uint8_t data[];
};

/// Input side of a port: the frame at the head is under way from beat `at` on.
struct input {
  struct frame *head, **tail;
  size_t count, at, beat;   ///< frames queued; bytes of the head already in; bytes of the beat shown, 0 if none is
  uint64_t first, stalled;
};

/// Output side of a port: the frame being put together.
struct output {
  uint8_t *data;
  size_t len, size;
  uint64_t first;
};

/// The access under way on the register bus, as drive_step finds it before a rising edge.
struct bus {
  bool busy, answered, aw, w, ar;   ///< aw, w, ar: this channel's valid falls with the edge
  unsigned response;
  uint32_t data;
};

struct drive {
  const struct drive_config *config;
  struct bus bus;
  struct drive_calls calls;
  struct device device;
  struct pins pins;
  bool wave, failed, marked, faulty;
  struct faults *faults;   // NULL: none
  uint64_t cycle, random, stall, idle;
  uint32_t held;   // outputs, a bit a port
  struct input in[MAX_PORTS];
  struct output out[MAX_PORTS];
  struct timing timing;
};

/// xorshift64*: one draw, true with probability `threshold` / 2^64.
static bool draw(struct drive *d, uint64_t threshold) {
  if (!threshold) return false;
  d->random ^= d->random >> 12;
  d->random ^= d->random << 25;
  d->random ^= d->random >> 27;
  return d->random * UINT64_C(0x2545F4914F6CDD1D) < threshold;
}

static uint64_t threshold(double probability) {
  if (!(probability > 0)) return 0;
  if (probability >= 1) return UINT64_MAX;
  return (uint64_t)(probability * 18446744073709551616.0);
}

static void eval(struct drive *d, uint64_t time) {
  const uint64_t start = d->timing.timed ? clock_thread_ns() : 0;
  d->device.eval(d->device.impl);
  if (d->timing.timed) d->timing.device += clock_thread_ns() - start;
  if (d->wave) d->device.dump(d->device.impl, time);
  const char *where = d->device.stopped();
  if (!where || d->failed) return;
  d->failed = true;
  if (!d->calls.failed) {
    fprintf(stderr, "weir: device %s, cycle %llu: failed at %s\n", d->config->name, (unsigned long long)d->cycle, where);
    exit(1);
  }
  d->calls.failed(d->calls.user, d->cycle, where);
}

struct drive *drive_open(const struct drive_options *options, const struct drive_calls *calls, char *error, size_t size) {
  device_open_fn *open;
  const struct drive_config *config = drive_config_named(options->config);
  if (config == NULL) {
    snprintf(error, size, "no configuration %s", options->config);
    return NULL;
  }
  if (!device_load(config->name, options->wave != NULL, &open, error, size)) return NULL;
  struct drive *d = calloc(1, sizeof *d);
  if (!d) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  d->config = config;
  if (calls) d->calls = *calls;
  d->wave = options->wave != NULL;
  d->stall = threshold(options->stall);
  d->idle = threshold(options->idle);
  // A state of zero would stay zero.
  d->random = options->seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
  if (!d->random) d->random = 1;

  if (!open(&d->device, options->seed, options->wave)) {
    snprintf(error, size, "%s: cannot be written", options->wave);
    free(d);
    return NULL;
  }
  if (!pins_find(&d->pins, &d->device, d->config, error, size)) {
    drive_close(d);
    return NULL;
  }
  if (options->flips != 0) {
    d->faults = faults_new(&d->device, options->seed, options->flips);
    if (d->faults == NULL) {
      snprintf(error, size, "device %s has no corrected memories", config->name);
      drive_close(d);
      return NULL;
    }
  }
  *d->pins.wstrb = 15;
  drive_reset(d);
  return d;
}

void drive_reset(struct drive *d) {
  for (unsigned p = 0; p < MAX_PORTS; p++) {
    struct input *in = &d->in[p];
    for (struct frame *f = in->head, *next; f; f = next) {
      next = f->next;
      free(f);
    }
    in->head = NULL;
    in->tail = &in->head;
    in->count = in->at = in->beat = 0;
    d->out[p].len = 0;
  }
  pin_store(d->pins.s_tvalid, d->pins.port_bytes, 0);
  *d->pins.rst = 0;
  for (int i = 0; i < RESET_CYCLES; i++) drive_step(d);
  *d->pins.rst = 1;
}

void drive_close(struct drive *d) {
  if (!d) return;
  d->device.close(d->device.impl);
  faults_free(d->faults);
  for (unsigned p = 0; p < MAX_PORTS; p++) {
    for (struct frame *f = d->in[p].head, *next; f; f = next) {
      next = f->next;
      free(f);
    }
    free(d->out[p].data);
  }
  free(d);
}

void drive_send(struct drive *d, unsigned port, const uint8_t *frame, size_t len, bool error, uint64_t tag) {
  struct input *in = &d->in[port];
  d->faulty = d->faults != NULL;   // what is set up before is set up well
  if (!len || port >= d->config->ports) {
    fprintf(stderr, "weir: drive_send: no such port, or an empty frame\n");
    abort();
  }
  struct frame *f = need(malloc(sizeof *f + len));
  *f = (struct frame){.tag = tag, .len = len, .error = error};
  memcpy(f->data, frame, len);
  *in->tail = f;
  in->tail = &f->next;
  in->count++;
}

size_t drive_pending(const struct drive *d, unsigned port) { return d->in[port].count; }

void drive_hold(struct drive *d, unsigned port, bool hold) {
  const uint32_t bit = 1u << port;
  d->held = hold ? d->held | bit : d->held & ~bit;
}

/// Sets the `beat` bits at `at`, the first `bytes` of them to ones.
static void put_keep(uint8_t *at, size_t bytes, size_t beat) {
  for (size_t first = 0; first < beat; first += 64, at += sizeof(uint64_t)) {
    const uint64_t keep = bytes >= first + 64 ? UINT64_MAX : bytes > first ? (UINT64_C(1) << (bytes - first)) - 1 : 0;
    memcpy(at, &keep, sizeof keep);
  }
}

/// How many of the `beat` bits at `at` are ones; 0 if these are not the first ones.
static size_t get_keep(const uint8_t *at, size_t beat) {
  size_t bytes = 0;
  for (size_t first = 0; first < beat; first += 64, at += sizeof(uint64_t)) {
    uint64_t keep;
    memcpy(&keep, at, sizeof keep);
    if ((keep & (keep + 1)) != 0 || (keep != 0 && bytes != first)) return 0;
    bytes += (size_t)__builtin_popcountll(keep);
  }
  return bytes;
}

/// Shows the next beat of each port that shows none, unless it is held back. A shown beat stays until it is taken.
static void show_inputs(struct drive *d) {
  uint32_t valid = pin_load(d->pins.s_tvalid, d->pins.port_bytes), last = pin_load(d->pins.s_tlast, d->pins.port_bytes),
           user = pin_load(d->pins.s_tuser, d->pins.port_bytes);
  for (unsigned p = 0; p < d->config->ports; p++) {
    struct input *in = &d->in[p];
    if (in->beat || !in->head || draw(d, d->idle)) continue;
    const struct frame *f = in->head;
    const uint32_t bit = 1u << p;
    const size_t left = f->len - in->at, beat = d->config->beat;
    uint8_t *data = d->pins.s_tdata + beat * p;
    in->beat = left < beat ? left : beat;
    if (left < beat) memset(data, 0, beat);
    memcpy(data, f->data + in->at, in->beat);
    put_keep(d->pins.s_tkeep + beat / 8 * p, in->beat, beat);
    valid |= bit;
    last = left <= beat ? last | bit : last & ~bit;
    user = left <= beat && f->error ? user | bit : user & ~bit;
    if (!in->at) in->first = d->cycle;
  }
  pin_store(d->pins.s_tvalid, d->pins.port_bytes, valid);
  pin_store(d->pins.s_tlast, d->pins.port_bytes, last);
  pin_store(d->pins.s_tuser, d->pins.port_bytes, user);
}

static void show_ready(struct drive *d) {
  uint32_t ready = (1u << d->config->ports) - 1;
  if (d->stall) {
    for (unsigned p = 0; p < d->config->ports; p++) {
      if (draw(d, d->stall)) ready &= ~(1u << p);
    }
  }
  pin_store(d->pins.m_tready, d->pins.port_bytes, ready & ~d->held);
}

static void take_beat(struct drive *d, unsigned p, bool last) {
  struct output *out = &d->out[p];
  const size_t beat = d->config->beat, bytes = get_keep(d->pins.m_tkeep + beat / 8 * p, beat);
  out->data = need_room(out->data, &out->size, out->len + beat, 1);
  memcpy(out->data + out->len, d->pins.m_tdata + beat * p, beat);
  if (!out->len) out->first = d->cycle;
  // Bytes come without gaps, and only a last beat may be short.
  if (bytes == 0 || (!last && bytes != beat)) {
    fprintf(stderr, "weir: device %s, cycle %llu, port %u: tkeep of %zu bytes, or none without gaps, tlast %d\n", d->config->name,
            (unsigned long long)d->cycle, p, bytes, last);
    exit(1);
  }
  out->len += bytes;
  if (!last) return;
  const size_t len = out->len;
  out->len = 0;
  if (d->calls.out) d->calls.out(d->calls.user, p, out->data, len, out->first, d->cycle);
}

/// The beat shown at `p` has been taken.
static void advance_input(struct drive *d, unsigned p) {
  struct input *in = &d->in[p];
  in->at += in->beat;
  in->beat = 0;
  struct frame *f = in->head;
  if (in->at < f->len) return;
  in->head = f->next;
  if (!in->head) in->tail = &in->head;
  in->at = 0;
  in->count--;
  if (d->calls.in) d->calls.in(d->calls.user, p, f->tag, in->first, d->cycle);
  free(f);
}

/// Looks at the register bus before the rising edge, when all of it is settled.
static void watch_bus(struct drive *d) {
  const struct pins *pins = &d->pins;
  struct bus *bus = &d->bus;
  bus->aw = *pins->awvalid && *pins->awready;
  bus->w = *pins->wvalid && *pins->wready;
  bus->ar = *pins->arvalid && *pins->arready;
  if (*pins->bvalid && *pins->bready) {
    bus->answered = true;
    bus->response = *pins->bresp;
  }
  if (*pins->rvalid && *pins->rready) {
    bus->answered = true;
    bus->response = *pins->rresp;
    bus->data = pin_load(pins->rdata, 4);
  }
}

static void advance_bus(struct drive *d) {
  if (d->bus.aw) *d->pins.awvalid = 0;
  if (d->bus.w) *d->pins.wvalid = 0;
  if (d->bus.ar) *d->pins.arvalid = 0;
  if (d->bus.answered) *d->pins.bready = *d->pins.rready = 0;
}

void drive_step(struct drive *d) {
  timing_cycle(&d->timing, d->cycle);
  const bool running = *d->pins.rst;
  // Falling edge: inputs change, and logic settles to what the rising edge will see.
  if (running) show_inputs(d);
  show_ready(d);
  *d->pins.clk = 0;
  eval(d, 2 * d->cycle);
  if (d->bus.busy) watch_bus(d);
  const uint32_t shown = pin_load(d->pins.s_tvalid, d->pins.port_bytes);
  const uint32_t in = shown & pin_load(d->pins.s_tready, d->pins.port_bytes);
  const uint32_t out = pin_load(d->pins.m_tvalid, d->pins.port_bytes) & pin_load(d->pins.m_tready, d->pins.port_bytes);
  for (uint32_t left = shown & ~in; left; left &= left - 1) d->in[__builtin_ctz(left)].stalled++;
  if (running) {
    observe(&d->pins, &d->calls, d->config->ports, d->cycle);
    const uint32_t last = pin_load(d->pins.m_tlast, d->pins.port_bytes);
    for (uint32_t left = out; left; left &= left - 1) {
      const unsigned p = (unsigned)__builtin_ctz(left);
      d->marked = pin_load(d->pins.m_tuser, d->pins.port_bytes) >> p & 1;
      take_beat(d, p, last >> p & 1);
    }
  }
  *d->pins.clk = 1;
  eval(d, 2 * d->cycle + 1);
  if (d->bus.busy) advance_bus(d);
  if (running && in) {
    pin_store(d->pins.s_tvalid, d->pins.port_bytes, pin_load(d->pins.s_tvalid, d->pins.port_bytes) & ~in);
    for (uint32_t left = in; left; left &= left - 1) advance_input(d, (unsigned)__builtin_ctz(left));
  }
  if (d->faulty && running) faults_cycle(d->faults);
  d->cycle++;
}

bool drive_marked(const struct drive *d) { return d->marked; }

uint64_t drive_flipped(const struct drive *d) { return d->faults != NULL ? faults_flipped(d->faults) : 0; }

uint64_t drive_cycle(const struct drive *d) { return d->cycle; }

uint64_t drive_stalled(const struct drive *d, unsigned port) { return d->in[port].stalled; }

struct drive_time drive_time(const struct drive *d) {
  return (struct drive_time){(double)d->timing.device / 1e9, (double)d->timing.all / 1e9};
}

/// Clocks until the access under way is answered, or for too long. True if all is well.
static bool await_answer(struct drive *d) {
  for (int i = 0; i < BUS_CYCLES && !d->bus.answered; i++) {
    if (d->calls.waiting) d->calls.waiting(d->calls.user);
    drive_step(d);
  }
  d->bus.busy = false;
  return d->bus.answered && !d->bus.response;
}

int drive_read(struct drive *d, uint32_t address, uint32_t *value) {
  pin_store(d->pins.araddr, 2, address);
  *d->pins.arvalid = *d->pins.rready = 1;
  d->bus = (struct bus){.busy = true};
  const bool good = await_answer(d);
  *d->pins.arvalid = *d->pins.rready = 0;
  *value = d->bus.data;
  return good ? 0 : -EIO;
}

int drive_write(struct drive *d, uint32_t address, uint32_t value) {
  pin_store(d->pins.awaddr, 2, address);
  pin_store(d->pins.wdata, 4, value);
  *d->pins.awvalid = *d->pins.wvalid = *d->pins.bready = 1;
  d->bus = (struct bus){.busy = true};
  const bool good = await_answer(d);
  *d->pins.awvalid = *d->pins.wvalid = *d->pins.bready = 0;
  return good ? 0 : -EIO;
}
