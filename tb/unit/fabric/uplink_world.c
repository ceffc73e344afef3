#include "unit/fabric/uplink_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "rtl/csr/uplink_csr.h"
#include "unit/axil.h"
#include "unit/fabric/port_ends.h"
#include "wire/bytes.h"

#define AT(name) offsetof(uplink_csr_t, name)
enum { WORDS = WORLD_BEAT / 4, HEAD = 14 + 20 + 8 + 12, NUMBER = HEAD, PORT_UDP = 4791, SEEN = 6, QUANTA = 1600 };
/// Quanta of 512 bit times in a cycle, in 1/65536.
enum { QUANTUM_STEP = 39718 };
static const uint64_t MAC = 0x020000000099;

static unsigned prio_of(unsigned flow) { return flow % 2 ? WORLD_LOSSLESS : WORLD_LOSSY; }

/// The frame of that number of a port's flow: all of it follows from these three.
static size_t frame_make(uint8_t *f, unsigned port, unsigned flow, uint32_t number) {
  struct rng rng = rng_for((uint64_t)port << 40 | (uint64_t)flow << 32 | number, 7);
  const size_t len = rng_below(&rng, 3) ? rng_from(&rng, HEAD + 6, WORLD_MAX_BEATS * WORLD_BEAT) : HEAD + 6;
  memset(f, 0, HEAD);
  f[0] = f[6] = 2;
  f[11] = (uint8_t)port;
  put_be16(f + 12, 0x0800);
  f[14] = 0x45;
  f[15] = (uint8_t)(prio_of(flow) << 5);
  put_be16(f + 16, (uint16_t)(len - 14));
  f[23] = 17;
  put_be32(f + 26, 0x0A000000 + port);
  put_be32(f + 30, 0x0A010000 + flow);
  put_be16(f + 34, (uint16_t)(49152 + flow));
  put_be16(f + 36, PORT_UDP);
  f[42] = 4;   // SEND only
  put_be32(f + 46, flow);
  put_be32(f + 50, number & 0xFFFFFF);
  put_be32(f + NUMBER, number);
  rng_fill(&rng, f + NUMBER + 4, len - NUMBER - 4);
  return len;
}

// --- what arrives ---

static void judge(struct world *w, unsigned at, const uint8_t *f, size_t len) {
  uint8_t whole[WORLD_MAX_BEATS * WORLD_BEAT];
  assert_true(len > HEAD);
  const unsigned port = f[11], flow = get_be16(f + 34) - 49152u;
  assert_true(port < WORLD_PORTS && flow < WORLD_FLOWS);
  assert_true(at < WORLD_DOWN ? port >= WORLD_DOWN && (port - WORLD_DOWN) % WORLD_DOWN == at : port < WORLD_DOWN);
  const uint32_t number = get_be32(f + NUMBER);
  assert_in_range(number, w->seen[port][flow], w->at[port].next[flow] - 1);
  assert_int_equal(frame_make(whole, port, flow, number), len);
  assert_memory_equal(whole, f, len);
  w->skipped[prio_of(flow)] += number - w->seen[port][flow];
  w->arrived[prio_of(flow)]++;
  w->seen[port][flow] = number + 1;
}

static void takes(struct world *w, unsigned at, const uint32_t *data, const uint32_t *keep, bool last) {
  struct neighbour *n = &w->at[at];
  const uint8_t *bytes = (const uint8_t *)(data + at * WORDS);
  uint8_t enable;
  uint16_t quanta[UPLINK_PRIOS];
  if (n->got == 0) {
    if (!uplink_pause_read(bytes, WORLD_BEAT, &enable, quanta, NULL)) {
      const unsigned prio = bytes[15] >> 5;
      n->begun++;
      n->begun_of[prio]++;
      // Nothing of a paused priority begins; what has gone through the last stages may wait for the MAC.
      if (n->held[prio] != 0 && w->now > n->held[prio]) n->late++;
      assert_true(n->late <= (n->takes == 100 ? 0 : 3));
    }
  }
  const size_t len = (size_t)__builtin_popcount(keep[2 * at]) + (size_t)__builtin_popcount(keep[2 * at + 1]);
  assert_true(n->got + len <= sizeof n->in);
  memcpy(n->in + n->got, bytes, len);
  n->got += len;
  if (!last) return;
  if (uplink_pause_read(n->in, n->got, &enable, quanta, NULL)) {
    n->pauses_seen++;
    for (unsigned p = 0; p < UPLINK_PRIOS; p++) {
      if (enable >> p & 1) n->pause[p] = w->now + w->delay + (uint64_t)quanta[p] * 65536 / QUANTUM_STEP;
    }
  } else {
    judge(w, at, n->in, n->got);
  }
  n->got = 0;
}

// --- what is sent ---

static bool may_send(const struct world *w, const struct neighbour *n, unsigned flow) {
  // A pause takes effect when it has come, and he has been told it `delay` ago.
  return (n->only == 0 || (n->only == 1) == (flow % 2 == 1)) && !(n->obeys && n->pause[prio_of(flow)] > w->now + w->delay);
}

static size_t shows(struct world *w, unsigned at, uint8_t *bytes, bool *last) {
  struct neighbour *n = &w->at[at];
  if (n->len == 0) {
    if (n->asks) {
      memcpy(n->frame, n->ask, n->len = UPLINK_PAUSE_BYTES);
      n->asks = false;
      n->asked++;
    } else if (rng_percent(&w->rng, n->sends) && n->flows > 0) {
      const unsigned flow = rng_below(&w->rng, n->flows);
      if (may_send(w, n, flow)) n->len = frame_make(n->frame, at, flow, n->next[flow]++);
    }
    n->sent = 0;
  }
  if (n->len == 0) return 0;
  const size_t left = n->len - n->sent, len = left < WORLD_BEAT ? left : WORLD_BEAT;
  memcpy(bytes, n->frame + n->sent, len);
  n->sent += len;
  *last = n->sent == n->len;
  if (*last) {
    n->frames++;
    n->len = 0;
  }
  return len;
}

static void cycle(struct world *w) {
  uint32_t data[WORLD_PORTS * WORDS] = {0}, keep[WORLD_PORTS * 2] = {0};
  unsigned valid = 0, ends = 0, ready = 0;
  for (unsigned p = 0; p < WORLD_PORTS; p++) {
    bool last = false;
    const size_t len = shows(w, p, (uint8_t *)(data + p * WORDS), &last);
    const uint64_t bits = len == WORLD_BEAT ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
    keep[2 * p] = (uint32_t)bits;
    keep[2 * p + 1] = (uint32_t)(bits >> 32);
    valid |= (unsigned)(len > 0) << p;
    ends |= (unsigned)last << p;
    ready |= (unsigned)rng_percent(&w->rng, w->at[p].takes) << p;
  }
  dut_set(w->d, "s_axis_tvalid", valid);
  dut_set_words(w->d, "s_axis_tdata", data, WORLD_PORTS * WORDS);
  dut_set_words(w->d, "s_axis_tkeep", keep, WORLD_PORTS * 2);
  dut_set(w->d, "s_axis_tlast", ends);
  dut_set(w->d, "m_axis_tready", ready);
  dut_eval(w->d);
  assert_int_equal(dut_get(w->d, "s_axis_tready"), (1u << WORLD_PORTS) - 1);
  const unsigned out = (unsigned)dut_get(w->d, "m_axis_tvalid"), out_last = (unsigned)dut_get(w->d, "m_axis_tlast");
  if (out & ready) {
    dut_get_words(w->d, "m_axis_tdata", data, WORLD_PORTS * WORDS);
    dut_get_words(w->d, "m_axis_tkeep", keep, WORLD_PORTS * 2);
    for (unsigned p = 0; p < WORLD_PORTS; p++) {
      if (out >> p & ready >> p & 1) takes(w, p, data, keep, out_last >> p & 1);
    }
  }
  dut_tick(w->d);
  w->now++;
}

void world_run(struct world *w, uint64_t cycles) {
  for (uint64_t i = 0; i < cycles; i++) cycle(w);
}

void world_jump(struct world *w, unsigned port, unsigned flow, unsigned numbers) {
  w->at[port].next[flow] += numbers;
  w->jumped += numbers;
}

void world_pause(struct world *w, unsigned port, unsigned enable, unsigned quanta) {
  struct neighbour *n = &w->at[port];
  uint16_t all[UPLINK_PRIOS];
  for (unsigned p = 0; p < UPLINK_PRIOS; p++) all[p] = (uint16_t)quanta;
  uplink_pause_make(n->ask, MAC + 1 + port, (uint8_t)enable, all);
  n->asks = true;
  n->late = 0;
  if (quanta == 0) {
    for (unsigned p = 0; p < UPLINK_PRIOS; p++) {
      if (enable >> p & 1) n->held[p] = 0;
    }
  }
  while (n->asks || n->len > 0) cycle(w);
  for (unsigned p = 0; quanta > 0 && p < UPLINK_PRIOS; p++) {
    if (enable >> p & 1) n->held[p] = w->now + SEEN;
  }
}

// --- registers ---

static void axil_tick(void *user) { cycle(user); }

uint32_t world_read(struct world *w, size_t address) {
  const struct axil a = {w->d, axil_tick, w};
  uint32_t value;
  assert_int_equal(axil_read(&a, (unsigned)address, &value), AXIL_OKAY);
  return value;
}

void world_write(struct world *w, size_t address, uint32_t value) {
  const struct axil a = {w->d, axil_tick, w};
  assert_int_equal(axil_write(&a, (unsigned)address, value, 15), AXIL_OKAY);
}

uint32_t world_count(struct world *w, unsigned port, unsigned which) {
  world_write(w, AT(COUNTER_SELECT), port << 8 | which);
  world_run(w, 4);
  return world_read(w, AT(COUNTER_VALUE));
}

struct world *world_new(uint64_t seed, unsigned delay, unsigned xoff, unsigned xon, unsigned ticks) {
  struct world *w = need(calloc(1, sizeof *w));
  w->d = dut_new();
  w->rng = rng_for(seed, 27);
  w->delay = delay;
  for (unsigned p = 0; p < WORLD_PORTS; p++) w->at[p].obeys = true, w->at[p].takes = 100, w->at[p].flows = WORLD_FLOWS;
  dut_reset(w->d);
  world_write(w, AT(SEED), (uint32_t)seed);
  world_write(w, AT(PAUSE), (uint32_t)QUANTA << 16 | 1 << WORLD_LOSSLESS);
  world_write(w, AT(LEVELS), xon << 16 | xoff);
  world_write(w, AT(WATCHDOG), ticks);
  world_write(w, AT(MAC_LOW), (uint32_t)MAC);
  world_write(w, AT(MAC_HIGH), (uint32_t)(MAC >> 32));
  world_write(w, AT(COMMAND), 1);
  assert_int_equal(world_read(w, AT(COMMAND)) >> 28, 0);
  while (world_read(w, AT(COMMAND)) >> 16 & 1) continue;
  return w;
}

void world_free(struct world *w) {
  dut_free(w->d);
  free(w);
}

void world_drain(struct world *w) {
  for (unsigned p = 0; p < WORLD_PORTS; p++) w->at[p].sends = 0, w->at[p].takes = 100;
  world_run(w, 20000);
  unsigned long dropped = 0, sent = 0, missing = w->skipped[WORLD_LOSSY] + w->skipped[WORLD_LOSSLESS];
  for (unsigned p = 0; p < WORLD_PORTS; p++) {
    const struct neighbour *n = &w->at[p];
    unsigned long in = 0;
    for (unsigned c = FLOW_RX; c <= FLOW_RX_CONTROL; c++) in += world_count(w, p, c);
    assert_int_equal(in, n->frames);
    assert_int_equal(world_count(w, p, FLOW_RX_PAUSE), n->asked);
    assert_int_equal(world_count(w, p, FLOW_TX), n->begun);
    assert_int_equal(world_count(w, p, FLOW_TX_PAUSE), n->pauses_seen);
    assert_int_equal(n->got, 0);
    dropped += world_count(w, p, FLOW_DROP_ROOM) + world_count(w, p, FLOW_DROP_STORM);
    sent += n->frames - n->asked;
    for (unsigned f = 0; f < WORLD_FLOWS; f++) missing += n->next[f] - w->seen[p][f];
  }
  assert_int_equal(missing, dropped + w->jumped);
  assert_int_equal(w->arrived[WORLD_LOSSY] + w->arrived[WORLD_LOSSLESS] + dropped, sent);
}
