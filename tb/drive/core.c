#include "drive/core.h"

#include <stdio.h>
#include <stdlib.h>

#include "drive/faults.h"
#include "drive/library/load.h"

enum { BEAT = 64, RESET_CYCLES = 8, PATIENCE = 100, LINE = 300 };   // PATIENCE: cycles

// --- pins ---

struct device_pin core_pin(const struct core *c, const char *name, unsigned bits) {
  const struct device_pin pin = c->device.pin(c->device.impl, name);
  if (pin.at != NULL && (bits == 0 || pin.bits == bits)) return pin;
  fprintf(stderr, "weir: device %s: pin %s has %u bits, not %u\n", c->name, name, pin.bits, bits);
  abort();
}

static void find_pins(struct core *c) {
  const unsigned ports = c->ports;
  c->pins.awvalid = core_pin(c, "s_axil_awvalid", 1);
  c->pins.awready = core_pin(c, "s_axil_awready", 1);
  c->pins.awaddr = core_pin(c, "s_axil_awaddr", 12);
  c->pins.wvalid = core_pin(c, "s_axil_wvalid", 1);
  c->pins.wready = core_pin(c, "s_axil_wready", 1);
  c->pins.wdata = core_pin(c, "s_axil_wdata", 32);
  c->pins.wstrb = core_pin(c, "s_axil_wstrb", 4);
  c->pins.bvalid = core_pin(c, "s_axil_bvalid", 1);
  c->pins.bready = core_pin(c, "s_axil_bready", 1);
  c->pins.bresp = core_pin(c, "s_axil_bresp", 2);
  c->pins.arvalid = core_pin(c, "s_axil_arvalid", 1);
  c->pins.arready = core_pin(c, "s_axil_arready", 1);
  c->pins.araddr = core_pin(c, "s_axil_araddr", 12);
  c->pins.rvalid = core_pin(c, "s_axil_rvalid", 1);
  c->pins.rready = core_pin(c, "s_axil_rready", 1);
  c->pins.rdata = core_pin(c, "s_axil_rdata", 32);
  c->pins.rresp = core_pin(c, "s_axil_rresp", 2);
  c->pins.clk = core_pin(c, "clk_i", 1);
  c->pins.rst = core_pin(c, "rst_ni", 1);
  c->pins.s_tvalid = core_pin(c, "s_axis_tvalid", ports);
  c->pins.s_tready = core_pin(c, "s_axis_tready", ports);
  c->pins.s_tdata = core_pin(c, "s_axis_tdata", ports * BEAT * 8);
  c->pins.s_tkeep = core_pin(c, "s_axis_tkeep", ports * BEAT);
  c->pins.s_tlast = core_pin(c, "s_axis_tlast", ports);
  c->pins.s_tuser = core_pin(c, "s_axis_tuser", ports);
  c->pins.m_tvalid = core_pin(c, "m_axis_tvalid", ports);
  c->pins.m_tready = core_pin(c, "m_axis_tready", ports);
  c->pins.m_tdata = core_pin(c, "m_axis_tdata", ports * BEAT * 8);
  c->pins.m_tkeep = core_pin(c, "m_axis_tkeep", ports * BEAT);
  c->pins.m_tlast = core_pin(c, "m_axis_tlast", ports);
  if (c->calls.broken != NULL) c->pins.m_tuser = core_pin(c, "m_axis_tuser", ports);
}

// --- clock ---

static void eval(struct core *c, uint64_t time) {
  c->device.eval(c->device.impl);
  if (c->wave) c->device.dump(c->device.impl, time);
  const char *where = c->device.stopped();
  if (where == NULL || c->failed) return;
  c->failed = true;
  c->calls.failed(c->calls.user, c->cycle, where);
}

static void settle(struct core *c) {
  core_store(c->pins.clk, 0);
  eval(c, 2 * c->cycle);
}

static void edge(struct core *c) {
  if (c->watch != NULL) c->watch(c->watcher);
  core_store(c->pins.clk, 1);
  eval(c, 2 * c->cycle + 1);
  if (c->faults != NULL) faults_cycle(c->faults);
  c->cycle++;
}

/// A cycle in which no port moves.
static void core_idle(struct core *c) {
  core_store(c->pins.s_tvalid, 0);
  core_store(c->pins.m_tready, 0);
  settle(c);
  edge(c);
}

// --- registers ---

/// Idles until a pin is high. Aborts if that is never so: the device is not the one that this was written for.
static void await(struct core *c, struct device_pin pin, const char *what, unsigned address) {
  for (unsigned i = 0; i < PATIENCE; i++) {
    settle(c);
    if (core_load(pin) != 0) return;
    core_idle(c);
  }
  fprintf(stderr, "weir: device %s: no %s at register 0x%03X\n", c->name, what, address);
  abort();
}

static void check(const struct core *c, struct device_pin resp, const char *what, unsigned address) {
  if (core_load(resp) == 0) return;
  fprintf(stderr, "weir: device %s: a %s of register 0x%03X is refused\n", c->name, what, address);
  abort();
}

void core_write(struct core *c, unsigned address, uint32_t value) {
  core_store(c->pins.awaddr, address);
  core_store(c->pins.wdata, value);
  core_store(c->pins.wstrb, 0xF);
  // Address and data each go when they are taken.
  bool sent[2] = {false, false};
  core_store(c->pins.bready, 0);
  for (unsigned i = 0; !(sent[0] && sent[1]); i++) {
    if (i == PATIENCE) await(c, c->pins.bvalid, "taker of a write", address);
    core_store(c->pins.awvalid, !sent[0]);
    core_store(c->pins.wvalid, !sent[1]);
    settle(c);
    const bool aw = core_load(c->pins.awready) != 0, w = core_load(c->pins.wready) != 0;
    core_idle(c);
    sent[0] |= aw;
    sent[1] |= w;
  }
  core_store(c->pins.awvalid, 0);
  core_store(c->pins.wvalid, 0);
  core_store(c->pins.bready, 1);
  await(c, c->pins.bvalid, "answer to a write", address);
  check(c, c->pins.bresp, "write", address);
  core_idle(c);
  core_store(c->pins.bready, 0);
}

uint32_t core_read(struct core *c, unsigned address) {
  core_store(c->pins.araddr, address);
  core_store(c->pins.arvalid, 1);
  core_store(c->pins.rready, 1);
  await(c, c->pins.arready, "taker of a read", address);
  core_idle(c);
  core_store(c->pins.arvalid, 0);
  await(c, c->pins.rvalid, "answer to a read", address);
  check(c, c->pins.rresp, "read", address);
  const uint32_t value = core_load(c->pins.rdata);
  core_idle(c);
  core_store(c->pins.rready, 0);
  return value;
}

void core_expect(struct core *c, unsigned address, uint32_t value) {
  const uint32_t found = core_read(c, address);
  if (found == value) return;
  fprintf(stderr, "weir: device %s: register 0x%03X is 0x%08X, not 0x%08X\n", c->name, address, found, value);
  abort();
}

bool core_open(struct core *c, const char *name, unsigned ports, uint64_t seed, const char *wave,
               const struct core_calls *calls) {
  c->name = name;
  c->ports = ports;
  c->calls = *calls;
  c->wave = wave != NULL;
  c->faults = NULL;
  device_open_fn *open;
  char error[LINE];
  if (!device_load(name, wave != NULL, &open, error, sizeof error)) {
    fprintf(stderr, "weir: %s\n", error);
    return false;
  }
  if (!open(&c->device, seed, wave)) return false;
  find_pins(c);
  core_store(c->pins.rst, 0);
  for (unsigned i = 0; i < RESET_CYCLES; i++) core_idle(c);
  core_store(c->pins.rst, 1);
  return true;
}

void core_close(struct core *c) {
  c->device.close(c->device.impl);
  faults_free(c->faults);
}

void core_flip(struct core *c, uint64_t seed, unsigned per_1000, unsigned bits) {
  if (c->faults == NULL) c->faults = faults_new(&c->device, seed, per_1000);
  if (c->faults == NULL) {
    fprintf(stderr, "weir: device %s has no corrected memories\n", c->name);
    abort();
  }
  faults_set(c->faults, per_1000, bits);
}

uint64_t core_flipped(const struct core *c) { return c->faults != NULL ? faults_flipped(c->faults) : 0; }

void core_watch(struct core *c, void (*watch)(void *watcher), void *watcher) {
  c->watch = watch;
  c->watcher = watcher;
}

// --- frames ---

void core_offer(struct core *c, unsigned port, const uint8_t *frame, size_t len, bool bad) {
  struct core_frame *f = &c->in[port];
  f->bad = bad;
  f->len = len;
  f->at = 0;
  memcpy(f->data, frame, len);
}

static size_t beat_of(const struct core_frame *f) { return f->len - f->at < BEAT ? f->len - f->at : BEAT; }

void core_show(struct core *c, uint32_t ready) {
  uint32_t valid = 0, last = 0, bad = 0;
  for (unsigned p = 0; p < c->ports; p++) {
    const struct core_frame *f = &c->in[p];
    const size_t n = beat_of(f);
    if (n == 0) continue;
    const uint64_t keep = n == BEAT ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    valid |= UINT32_C(1) << p;
    if (f->at + n == f->len) last |= UINT32_C(1) << p;
    if (f->bad) bad |= UINT32_C(1) << p;
    uint8_t *data = (uint8_t *)c->pins.s_tdata.at + BEAT * p;
    memcpy(data, f->data + f->at, n);
    memset(data + n, 0, BEAT - n);
    memcpy((uint8_t *)c->pins.s_tkeep.at + sizeof keep * p, &keep, sizeof keep);
  }
  core_store(c->pins.s_tvalid, valid);
  core_store(c->pins.s_tlast, last);
  core_store(c->pins.s_tuser, bad);
  core_store(c->pins.m_tready, ready);
  settle(c);
}

static void take_outputs(struct core *c, uint32_t out) {
  const uint32_t last = core_load(c->pins.m_tlast), broken = c->calls.broken != NULL ? core_load(c->pins.m_tuser) : 0;
  for (unsigned p = 0; out >> p != 0; p++) {
    if ((out >> p & 1) == 0) continue;
    struct core_frame *f = &c->out[p];
    uint64_t keep;
    memcpy(&keep, (const uint8_t *)c->pins.m_tkeep.at + sizeof keep * p, sizeof keep);
    const size_t n = keep == UINT64_MAX ? BEAT : (size_t)__builtin_ctzll(~keep);
    if (f->len == 0) f->began = c->cycle;
    // A frame without an end is cut off here, and then no good one.
    if (f->len + n <= sizeof f->data) {
      memcpy(f->data + f->len, (const uint8_t *)c->pins.m_tdata.at + BEAT * p, n);
      f->len += n;
    }
    if ((last >> p & 1) == 0) continue;
    if ((broken >> p & 1) != 0)
      c->calls.broken(c->calls.user, p);
    else
      c->calls.out(c->calls.user, p, f->data, f->len);
    f->len = 0;
  }
}

bool core_finish(struct core *c, uint32_t ready) {
  const uint32_t in = core_load(c->pins.s_tready) & core_load(c->pins.s_tvalid);
  const uint32_t out = core_load(c->pins.m_tvalid) & ready;
  take_outputs(c, out);
  for (unsigned p = 0; in >> p != 0; p++)
    if ((in >> p & 1) != 0) c->in[p].at += beat_of(&c->in[p]);
  edge(c);
  return (in | out) != 0;
}
