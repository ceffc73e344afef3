// The hash that chooses an uplink: how even it is, for real flows and drawn ones, and that layers of switches choose independently of each other.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/uplink/uplink_key.h"
#include "wire/capture.h"

enum { FLOWS = 1000, LINKS = 16, TRIALS = 400, ALL = 0xFFFF };
typedef uint32_t hash_of(const struct uplink_key *key, uint32_t seed);

static uint32_t with_qp(const struct uplink_key *key, uint32_t seed) { return uplink_hash(key, seed, true); }

/// What switches must not do: CRC-32 over the key, begun with the seed.
static uint32_t seeded_crc(const struct uplink_key *key, uint32_t seed) {
  uint64_t digest = uplink_digest(key, true);
  uint32_t crc = seed;
  for (unsigned i = 0; i < 64; i++) {
    uint32_t bit = (crc >> 31) ^ (uint32_t)(digest >> (63 - i) & 1);
    crc = crc << 1 ^ (bit ? UINT32_C(0x04C11DB7) : 0);
  }
  return crc;
}

/// RDMA between hosts of racks, as collectives open it: addresses and queue pairs count up, UDP source ports are drawn.
static struct uplink_key drawn_flow(struct rng *d, unsigned i) {
  return (struct uplink_key){.src = {0, uplink_mapped(0x0A000000 + i % 32)},
                             .dst = {0, uplink_mapped(0x0A010000 + i / 32)},
                             .sport = (uint16_t)(0xC000 | rng_below(d, 0x4000)),
                             .dport = 4791,
                             .proto = 17,
                             .qpn = 0x100 + i};
}

/// Flows of the fullest link over the mean.
static double max_mean(const unsigned count[LINKS], unsigned flows) {
  unsigned most = 0;
  for (unsigned l = 0; l < LINKS; l++) most = count[l] > most ? count[l] : most;
  return (double)most * LINKS / flows;
}

/// Mean over trials of the max-mean ratio of 1,000 flows on 16 links; of those that `before` sends to link 0 with seed `first`, if it is given.
static double ratio(hash_of *hash, hash_of *before, uint32_t first, uint32_t second) {
  double sum = 0;
  for (unsigned t = 0; t < TRIALS; t++) {
    struct rng d = rng_for(7, t);
    unsigned count[LINKS] = {0}, taken = 0;
    for (unsigned i = 0; taken < FLOWS; i++) {
      struct uplink_key key = drawn_flow(&d, i);
      if (before != NULL && uplink_choose(before(&key, first), ALL, LINKS) != 0) continue;
      count[uplink_choose(hash(&key, second + (before == NULL ? t : 0)), ALL, LINKS)]++;
      taken++;
    }
    sum += max_mean(count, FLOWS);
  }
  return sum / TRIALS;
}

/// 1,000 flows thrown evenly on 16 links: 1.23 (Meta RoCE 4.1.1 says more than 1.2).
static void as_even_as_chance(void **state) {
  (void)state;
  double of = ratio(with_qp, NULL, 0, 0);
  print_message("# max-mean ratio of 1,000 flows on 16 links: %.3f\n", of);
  assert_true(fabs(of - 1.23) < 0.02);
}

/// The flows that one layer sends to one link the next layer spreads as evenly as any others, also with the next seed or one that differs
/// in one bit; those of a seeded CRC all go together.
static void layers_do_not_polarise(void **state) {
  (void)state;
  static const uint32_t seeds[][2] = {{0, 1}, {1, 2}, {5, 0x80000005}, {0, 0xFFFFFFFF}, {0x12345678, 0x12345679}};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    double of = ratio(with_qp, with_qp, seeds[i][0], seeds[i][1]);
    if (fabs(of - 1.23) >= 0.02) fail_msg("seeds %#x, %#x: %.3f", seeds[i][0], seeds[i][1], of);
  }
  assert_true(ratio(seeded_crc, NULL, 0, 1) < 1.25);
  assert_true(ratio(seeded_crc, seeded_crc, 1, 2) > 15.9);
}

/// Pearson's chi-square of 256 cells, as standard deviations from its mean.
static double chi_square(const unsigned cell[256], unsigned all) {
  double sum = 0, mean = all / 256.0;
  for (unsigned c = 0; c < 256; c++) sum += (cell[c] - mean) * (cell[c] - mean) / mean;
  return (sum - 255) / sqrt(2 * 255);
}

/// Links of two layers, all pairs: independent.
static void pairs_of_layers(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 32; seed++) {
    unsigned cell[256] = {0};
    struct rng d = rng_for(8, seed);
    for (unsigned i = 0; i < 32768; i++) {
      struct uplink_key key = drawn_flow(&d, i);
      int here = uplink_choose(with_qp(&key, seed), ALL, LINKS), next = uplink_choose(with_qp(&key, seed + 1), ALL, LINKS);
      cell[here * 16 + next]++;
    }
    double of = chi_square(cell, 32768);
    if (fabs(of) > 5) fail_msg("seed %u: %.1f standard deviations", seed, of);
  }
}

/// Each bit of key and seed turns each bit of the hash in about half of all cases.
static void avalanche(void **state) {
  (void)state;
  enum { BITS = 128 + 32, ROUNDS = 2000 };
  static unsigned turned[BITS][32];
  memset(turned, 0, sizeof turned);
  struct rng d = rng_for(9, 0);
  for (unsigned n = 0; n < ROUNDS; n++) {
    struct uplink_key key = drawn_flow(&d, rng_below(&d, 4096));
    uint32_t seed = rng_below(&d, 256), was = with_qp(&key, seed);
    for (unsigned b = 0; b < BITS; b++) {
      struct uplink_key other = key;
      uint32_t bit = UINT32_C(1) << b % 32, seen = seed;
      if (b < 32)
        other.src[1] ^= bit;
      else if (b < 64)
        other.dst[1] ^= bit;
      else if (b < 80)
        other.sport ^= (uint16_t)(1u << (b - 64));
      else if (b < 96)
        other.dport ^= (uint16_t)(1u << (b - 80));
      else if (b < 104)
        other.proto ^= (uint8_t)(1u << (b - 96));
      else if (b < 128)
        other.qpn ^= 1u << (b - 104);
      else
        seen ^= bit;
      uint32_t change = with_qp(&other, seen) ^ was;
      for (unsigned o = 0; o < 32; o++) turned[b][o] += change >> o & 1;
    }
  }
  for (unsigned b = 0; b < BITS; b++) {
    for (unsigned o = 0; o < 32; o++) {
      if (turned[b][o] < 0.43 * ROUNDS || turned[b][o] > 0.57 * ROUNDS)
        fail_msg("bit %u to %u: %u of %u", b, o, turned[b][o], (unsigned)ROUNDS);
    }
  }
}

/// Queue pairs that share a UDP source port are one flow by the five-tuple, and many with the queue pair (E-ECMP, 4.2.2).
static void queue_pairs_count(void **state) {
  (void)state;
  struct rng d = rng_for(10, 0);
  struct uplink_key key = drawn_flow(&d, 0);
  uint32_t plain = uplink_hash(&key, 3, false), ports = 0;
  for (uint32_t q = 0; q < 128; q++) {
    key.qpn = q;
    assert_int_equal(uplink_hash(&key, 3, false), plain);
    ports |= 1u << uplink_choose(uplink_hash(&key, 3, true), ALL, LINKS);
  }
  assert_int_equal(ports, ALL);
}

/// A link that goes down moves its own flows only, and those to all others about evenly.
static void a_link_goes_down(void **state) {
  (void)state;
  for (unsigned ports = 2; ports <= LINKS; ports++) {
    const uint32_t all = (1u << ports) - 1;
    unsigned moved[LINKS] = {0}, of = 0;
    struct rng d = rng_for(11, ports);
    for (unsigned i = 0; i < 20000; i++) {
      uint32_t hash = (uint32_t)rng_next(&d);
      int before = uplink_choose(hash, all, ports), after = uplink_choose(hash, all & ~2u, ports);
      assert_int_not_equal(after, 1);
      if (before != 1) assert_int_equal(after, before);
      if (before == 1) of++, moved[after]++;
    }
    for (unsigned p = 0; p < ports; p++) {
      double mean = (double)of / (ports - 1);
      if (p != 1 && fabs(moved[p] - mean) > 6 * sqrt(mean)) fail_msg("%u of %u to port %u", moved[p], of, p);
    }
    assert_int_equal(uplink_choose(123, 0, ports), -1);
    assert_int_equal(uplink_choose(123, ~all, ports), -1);
  }
}

/// Flows of all captures of real hosts, each once. Returns how many.
static unsigned real_flows(struct uplink_key *flow, unsigned most) {
  static const char *const names[] = {"ring3-ipv6", "ring4", "ring4-bf16", "ring4-loss", "ring4-send-int32", "ring6-paper"};
  unsigned flows = 0;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    char path[80];
    snprintf(path, sizeof path, "sim/captures/%s.in.pcapng.gz", names[n]);
    struct file_error e = {""};
    struct capture *c = capture_open(path, &e);
    if (c == NULL) fail_msg("%s", e.text);
    struct capture_frame f;
    while (capture_next(c, &f, &e) == 1) {
      struct uplink_read r;
      uplink_read(f.data, f.len, &r);
      unsigned i = 0;
      while (i < flows && memcmp(&flow[i], &r.key, sizeof r.key) != 0) i++;
      if (i == flows && r.roce && flows < most) flow[flows++] = r.key;
    }
    capture_close(c);
  }
  return flows;
}

/// The flows of real hosts: over 4,096 seeds each goes to every link as often, and each two of them go together as often as chance has it.
static void real_hosts(void **state) {
  (void)state;
  enum { MOST = 64, SEEDS = 4096 };
  static struct uplink_key flow[MOST];
  static uint8_t to[MOST][SEEDS];
  memset(flow, 0, sizeof flow);
  const unsigned flows = real_flows(flow, MOST);
  print_message("# %u flows of real hosts\n", flows);
  assert_in_range(flows, 12, MOST - 1);
  for (unsigned i = 0; i < flows; i++) {
    unsigned count[LINKS] = {0};
    for (uint32_t s = 0; s < SEEDS; s++) count[to[i][s] = (uint8_t)uplink_choose(with_qp(&flow[i], s), ALL, LINKS)]++;
    for (unsigned l = 0; l < LINKS; l++) assert_in_range(count[l], 256 - 80, 256 + 80);   // five standard deviations
    for (unsigned j = 0; j < i; j++) {
      unsigned together = 0;
      for (uint32_t s = 0; s < SEEDS; s++) together += to[i][s] == to[j][s];
      if (together < 256 - 80 || together > 256 + 80) fail_msg("flows %u and %u: %u of %u", i, j, together, (unsigned)SEEDS);
    }
  }
}

/// Values that RTL and simulators must keep: who has saved a run with its seed finds the same paths again.
static void known_values(void **state) {
  (void)state;
  const struct uplink_key key = {.src = {0, uplink_mapped(0x0A000001)},
                                 .dst = {0, uplink_mapped(0x0A000002)},
                                 .sport = 49170,
                                 .dport = 4791,
                                 .proto = 17,
                                 .qpn = 18};
  assert_true(uplink_digest(&key, true) == UINT64_C(0xE2F7E89A04AB7BC4));
  assert_int_equal(uplink_hash(&key, 0, true), 0xF1A78235);
  assert_int_equal(uplink_hash(&key, 1, false), 0xF6C97769);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_even_as_chance), cmocka_unit_test(layers_do_not_polarise),
      cmocka_unit_test(pairs_of_layers),   cmocka_unit_test(avalanche),
      cmocka_unit_test(queue_pairs_count), cmocka_unit_test(a_link_goes_down),
      cmocka_unit_test(known_values),      cmocka_unit_test(real_hosts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
