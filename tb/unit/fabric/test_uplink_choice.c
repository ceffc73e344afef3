// Which uplink a frame takes, beside tb/model/uplink: by hash, by flowlet and load, by override, with links that go down; a frame in most cycles, many
// of few flows. And how evenly thousand flows lie on the ports, in two layers one behind the other.
// DUT: uplink_choice -GNumPorts=4 -GOverrides=3 -GFlowlets=16
// DUT: uplink_choice -GNumPorts=6 -GOverrides=2 -GFlowlets=64
// DUT: uplink_choice -GNumPorts=16 -GOverrides=4 -GFlowlets=32
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/bits.h"
#include "drive/dut.h"
#include "model/uplink/uplink_route.h"
#include "structs/uplink_route_pkg.h"

enum {
  // Cycles as uplink_route_pkg has them: from a key to its port, to its hash, to what its flowlet is decided on.
  LATENCY = 11,
  HASHED = 7,
  DECIDED = HASHED + 2,
  PAST = 32,   // cycles that are remembered
  FLOWS = 24,
  OVERRIDES = 4,
  ENTRIES = 64
};

/// A frame under way.
struct asked {
  bool valid;
  uint32_t hash;
  int override;   // -1: none
  uint64_t now;   // when its hash was there
  int port;       // by flowlet, once decided
  enum uplink_flowlet_why why;
};

struct bench {
  struct dut *d;
  struct rng rng;
  unsigned ports, levels, entries, overrides;
  uint32_t seed, live, interval;
  bool with_qp, flowlets;
  struct uplink_key flow[FLOWS];
  struct uplink_override override[OVERRIDES];
  struct uplink_load load;
  uint64_t periods;
  struct uplink_flowlet entry[ENTRIES];
  uint64_t cycle;
  struct asked asked[PAST];                 // by the cycle in which it came
  uint32_t loads[PAST][UPLINK_MAX_PORTS];   // at the begin of a cycle
  unsigned long whys[4], overridden, hashed;
};

static struct asked *asked_at(struct bench *b, uint64_t cycle) { return &b->asked[cycle % PAST]; }

static struct uplink_key key_of(struct bench *b) {
  const bool v6 = rng_below(&b->rng, 2);
  struct uplink_key k = {.sport = (uint16_t)(rng_below(&b->rng, 4) + 49152),
                         .dport = 4791,
                         .proto = 17,
                         .qpn = rng_below(&b->rng, 1 << 24)};
  k.src[0] = v6 ? rng_next(&b->rng) : 0;
  k.dst[0] = v6 ? rng_next(&b->rng) : 0;
  k.src[1] = v6 ? rng_next(&b->rng) : uplink_mapped((uint32_t)rng_next(&b->rng));
  k.dst[1] = v6 ? rng_next(&b->rng) : uplink_mapped((uint32_t)rng_next(&b->rng));
  return k;
}

static void put_key(struct bench *b, const struct uplink_key *k) {
  uint32_t words[WORDS_OF(uplink_key_t, 1)] = {0};
  bits_put(words, FIELD(uplink_key_t, qpn), k->qpn);
  bits_put(words, FIELD(uplink_key_t, proto), k->proto);
  bits_put(words, FIELD(uplink_key_t, dport), k->dport);
  bits_put(words, FIELD(uplink_key_t, sport), k->sport);
  bits_put(words, uplink_key_t__dst__AT, 64, k->dst[1]);
  bits_put(words, uplink_key_t__dst__AT + 64, 64, k->dst[0]);
  bits_put(words, uplink_key_t__src__AT, 64, k->src[1]);
  bits_put(words, uplink_key_t__src__AT + 64, 64, k->src[0]);
  dut_set_words(b->d, "key_i", words, sizeof words / sizeof *words);
}

static void put_overrides(struct bench *b) {
  uint32_t words[WORDS_OF(uplink_override_t, OVERRIDES)] = {0};
  for (unsigned i = 0; i < b->overrides; i++) {
    const struct uplink_override *o = &b->override[i];
    const size_t at = i * uplink_override_t__BITS;
    bits_put(words, at + FIELD(uplink_override_t, valid), o->valid);
    bits_put(words, at + FIELD(uplink_override_t, port), o->port);
    const unsigned high = o->length < 64 ? o->length : 64, low = o->length - high;
    bits_put(words, at + uplink_override_t__mask__AT + 64, 64, high > 0 ? ~UINT64_C(0) << (64 - high) : 0);
    bits_put(words, at + uplink_override_t__mask__AT, 64, low > 0 ? ~UINT64_C(0) << (64 - low) : 0);
    bits_put(words, at + FIELD(uplink_override_t, sport), o->sport);
    bits_put(words, at + uplink_override_t__prefix__AT, 64, o->prefix[1]);
    bits_put(words, at + uplink_override_t__prefix__AT + 64, 64, o->prefix[0]);
  }
  dut_set_words(b->d, "override_i", words, (b->overrides * uplink_override_t__BITS + 31) / 32);
}

/// The port with the least load, of what is known of loads now; 0 if none lives.
static unsigned least_of(const struct bench *b) {
  struct uplink_load then = b->load;
  if (b->cycle > b->levels) memcpy(then.bytes, b->loads[(b->cycle - b->levels - 1) % PAST], sizeof then.bytes);
  const int least = uplink_load_least(&then, b->live, b->ports);
  return least < 0 ? 0 : (unsigned)least;
}

/// What the flowlet table makes of the frame whose turn it is in this cycle.
static void decide(struct bench *b) {
  struct asked *a = asked_at(b, b->cycle - DECIDED);
  if (b->cycle < DECIDED || !a->valid || !b->flowlets || a->override >= 0 || b->live == 0) return;
  a->port = (int)uplink_flowlet_step(&b->entry[a->hash % b->entries], a->now, b->interval, b->live, least_of(b), &a->why);
}

static void answered(struct bench *b) {
  const struct asked *a = asked_at(b, b->cycle - LATENCY);
  const bool due = b->cycle >= LATENCY && a->valid;
  assert_int_equal(dut_get(b->d, "valid_o"), due);
  if (!due) return;
  static const unsigned ways[] = {
      [UPLINK_GOES_ON] = WayGoesOn, [UPLINK_FIRST] = WayFirst, [UPLINK_GAP] = WayGap, [UPLINK_DEAD] = WayDead};
  const unsigned port = (unsigned)dut_get(b->d, "port_o"), way = (unsigned)dut_get(b->d, "why_o");
  assert_int_equal(dut_get(b->d, "none_o"), b->live == 0);
  if (b->live == 0) return;
  if (a->override >= 0) {
    assert_int_equal(way, WayOverride);
    assert_int_equal(port, a->override);
    b->overridden++;
  } else if (b->flowlets) {
    assert_int_equal(port, a->port);
    // Who is too old may have been forgotten.
    if (a->why != UPLINK_GAP || way != WayFirst) assert_int_equal(way, ways[a->why]);
    b->whys[a->why]++;
  } else {
    assert_int_equal(way, WayHash);
    assert_int_equal(port, uplink_choose(a->hash, b->live, b->ports));
    b->hashed++;
  }
}

/// One cycle; `flow`: whose frame comes, -1: none.
static void cycle(struct bench *b, int flow, uint64_t now) {
  memcpy(b->loads[b->cycle % PAST], b->load.bytes, sizeof b->load.bytes);
  struct asked *a = asked_at(b, b->cycle);
  *a = (struct asked){.valid = flow >= 0};
  dut_set(b->d, "valid_i", a->valid);
  dut_set(b->d, "now_i", now & UINT32_MAX);
  if (a->valid) {
    const struct uplink_key *k = &b->flow[flow];
    a->hash = uplink_hash(k, b->seed, b->with_qp);
    a->override = uplink_overridden(b->override, b->overrides, k, b->live);
    put_key(b, k);
  }
  if (b->cycle >= HASHED) asked_at(b, b->cycle - HASHED)->now = now;
  // Loads are as they may be; the least one is told as it was some cycles ago.
  dut_set(b->d, "least_i", least_of(b));
  const bool period = rng_below(&b->rng, 16) == 0, add = rng_below(&b->rng, 2);
  const unsigned port = rng_below(&b->rng, b->ports), bytes = rng_below(&b->rng, 9001);
  decide(b);
  dut_eval(b->d);
  answered(b);
  dut_tick(b->d);
  if (period) uplink_load_until(&b->load, ++b->periods, 1);
  if (add) uplink_load_add(&b->load, port, bytes);
  b->cycle++;
}

/// Nothing is under way any more, and a moment passes.
static void rest(struct bench *b, uint64_t now) {
  for (unsigned i = 0; i < 2 * LATENCY; i++) cycle(b, -1, now);
}

/// Links go down and come up.
static void set_links(struct bench *b) {
  b->live = (uint32_t)rng_next(&b->rng) & ((1u << b->ports) - 1);
  if (rng_below(&b->rng, 8)) b->live |= 1u << rng_below(&b->rng, b->ports);
  dut_set(b->d, "live_i", b->live);
}

/// Registers change while nothing is under way.
static void set_up(struct bench *b, uint64_t now) {
  rest(b, now);
  b->seed = (uint32_t)rng_next(&b->rng);
  b->with_qp = rng_below(&b->rng, 2);
  b->flowlets = rng_below(&b->rng, 3) != 0;
  b->interval = 1 + rng_below(&b->rng, 200);
  set_links(b);
  for (unsigned i = 0; i < FLOWS; i++) b->flow[i] = key_of(b);
  for (unsigned i = 0; i < b->overrides; i++) {
    const struct uplink_key *k = &b->flow[rng_below(&b->rng, FLOWS)];
    struct uplink_override *o = &b->override[i];
    *o = (struct uplink_override){.valid = rng_below(&b->rng, 2),
                                  .sport = k->sport,
                                  .prefix = {k->dst[0], k->dst[1]},
                                  .length = (uint8_t)rng_below(&b->rng, 129),
                                  .port = (uint8_t)rng_below(&b->rng, b->ports)};
    if (o->length < 128 && rng_below(&b->rng, 2)) o->prefix[1] ^= 1;   // behind the prefix
  }
  dut_set(b->d, "seed_i", b->seed);
  dut_set(b->d, "with_qp_i", b->with_qp);
  dut_set(b->d, "flowlets_i", b->flowlets);
  dut_set(b->d, "interval_i", b->interval);
  put_overrides(b);
  rest(b, now);
}

static struct bench *start(void) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->d = dut_new();
  b->rng = rng_for(7, 0);
  // The widths of registers tell which it is.
  b->ports = (unsigned)dut_width(b->d, "live_i");
  b->overrides = (unsigned)(dut_width(b->d, "override_i") / uplink_override_t__BITS);
  b->entries = b->ports == 4 ? 16 : b->ports == 6 ? 64 : 32;
  while (1u << b->levels < b->ports) b->levels++;
  dut_reset(b->d);
  for (unsigned i = 0; i < ENTRIES; i++) dut_tick(b->d);
  assert_int_equal(dut_get(b->d, "busy_o"), 0);
  return b;
}

static void end(struct bench *b) {
  dut_free(b->d);
  free(b);
}

/// Time that wraps, bursts and gaps, all kinds of set-ups.
static void beside_the_model(void **state) {
  (void)state;
  struct bench *b = start();
  uint64_t now = UINT32_MAX - 20000;
  for (unsigned round = 0; round < 200; round++) {
    // With another interval everything is too old: what the one before has made too old may be forgotten or not.
    set_up(b, now += 1000);
    for (unsigned i = 0; i < 300; i++) {
      if (i % 75 == 50) {
        rest(b, now);
        set_links(b);
        rest(b, now);
      }
      const unsigned busy = i / 100;   // few, more, in every cycle
      const bool comes = busy == 2 || rng_below(&b->rng, busy ? 2 : 12) == 0;
      now += rng_below(&b->rng, 3) * (rng_below(&b->rng, 40) == 0 ? 60 : 1);
      cycle(b, comes ? (int)rng_below(&b->rng, rng_below(&b->rng, 2) ? 3 : FLOWS) : -1, now);
    }
  }
  print_message("# %lu by hash, %lu overridden, flowlets: %lu go on, %lu begin, %lu behind a gap, %lu from a dead port\n",
                b->hashed, b->overridden, b->whys[UPLINK_GOES_ON], b->whys[UPLINK_FIRST], b->whys[UPLINK_GAP],
                b->whys[UPLINK_DEAD]);
  assert_true(b->hashed > 1000 && b->overridden > 100 && b->whys[UPLINK_GOES_ON] > 1000 && b->whys[UPLINK_GAP] > 100 &&
              b->whys[UPLINK_DEAD] > 10);
  end(b);
}

/// Links that come and go under traffic: no frame goes to a port that was down in the cycle before.
static void links_go_down(void **state) {
  (void)state;
  struct bench *b = start();
  set_up(b, 0);
  uint32_t before = 0;
  unsigned moved = 0;
  for (unsigned i = 0; i < 20000; i++) {
    dut_set(b->d, "flowlets_i", i / 1000 % 2);
    dut_set(b->d, "now_i", i);
    dut_set(b->d, "valid_i", rng_below(&b->rng, 2));
    put_key(b, &b->flow[rng_below(&b->rng, FLOWS)]);
    before = b->live;
    if (rng_below(&b->rng, 20) == 0) b->live ^= 1u << rng_below(&b->rng, b->ports);
    dut_set(b->d, "live_i", before);
    dut_tick(b->d);
    if (!dut_get(b->d, "valid_o")) continue;
    if (dut_get(b->d, "none_o"))
      assert_int_equal(before, 0);
    else
      assert_true(before >> dut_get(b->d, "port_o") & 1);
    moved += dut_get(b->d, "why_o") == WayMoved;
  }
  assert_true(moved > 10);
  end(b);
}

/// The ports of `flows` flows that differ in the queue pair alone, by the device, with a seed.
static void ports_of(struct bench *b, uint32_t seed, unsigned flows, uint8_t port[]) {
  dut_set(b->d, "seed_i", seed);
  for (unsigned i = 0; i < flows + LATENCY; i++) {
    const struct uplink_key k = {.src = {0, uplink_mapped(0x0A000001)},
                                 .dst = {0, uplink_mapped(0x0A000102)},
                                 .sport = 49152,
                                 .dport = 4791,
                                 .proto = 17,
                                 .qpn = 0x11 + i};
    put_key(b, &k);
    dut_set(b->d, "valid_i", i < flows);
    dut_tick(b->d);
    if (i + 1 >= LATENCY && i + 1 - LATENCY < flows) port[i + 1 - LATENCY] = (uint8_t)dut_get(b->d, "port_o");
  }
}

/// As evenly as thrown by chance, in one layer, and among those of one port in the next layer, too: with another seed flows part again.
static void spread(void **state) {
  (void)state;
  enum { MANY = 8192 };
  struct bench *b = start();
  static uint8_t leaf[MANY], spine[MANY];
  dut_set(b->d, "flowlets_i", 0);
  dut_set(b->d, "with_qp_i", 1);
  dut_set(b->d, "live_i", (1u << b->ports) - 1);
  for (unsigned i = 0; i < 2 * LATENCY; i++) dut_tick(b->d);
  ports_of(b, 1, MANY, leaf);
  ports_of(b, 2, MANY, spine);
  unsigned both[UPLINK_MAX_PORTS][UPLINK_MAX_PORTS] = {{0}};
  for (unsigned i = 0; i < MANY; i++) both[leaf[i]][spine[i]]++;
  // Chi squared of ports * ports bins: its mean is bins - 1, its variance twice that; six deviations.
  const double bins = b->ports * b->ports, due = MANY / bins;
  double chi = 0;
  for (unsigned p = 0; p < b->ports; p++)
    for (unsigned q = 0; q < b->ports; q++) chi += (both[p][q] - due) * (both[p][q] - due) / due;
  print_message("# chi squared %.0f of %.0f bins\n", chi, bins);
  assert_true((chi - bins + 1) * (chi - bins + 1) < 36 * 2 * (bins - 1));
  // With one seed both layers are one.
  ports_of(b, 1, MANY, spine);
  assert_memory_equal(leaf, spine, MANY);
  end(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(beside_the_model), cmocka_unit_test(links_go_down),
                                     cmocka_unit_test(spread)};
  return cmocka_run_group_tests_name("uplink_choice", tests, NULL, NULL);
}
