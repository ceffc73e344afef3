// Registers through AXI4-Lite against what docs/registers/aggregator.md says: rings, claims, flushes and counter reads, with any timing
// of the bus and of the device behind.
// DUT: control_of_sizes -GNumPorts=3 -GNumRanks=4 -GSlotBytes=256 -GNumSlots=100 -GNumRings=5 -GNumConns=20 -GMaxWindow=8 -GWideLanes=1
// DUT: control_of_sizes -GNumPorts=4 -GNumRanks=4 -GSlotBytes=256 -GNumSlots=100 -GNumRings=5 -GNumConns=20 -GMaxWindow=8 -GUplink=1 -GNumRows=3
// DUT: control_of_sizes -GNumPorts=5 -GNumRanks=4 -GSlotBytes=256 -GNumSlots=100 -GNumRings=5 -GNumConns=20 -GMaxWindow=8 -GSpine=1
// DUT: control_of_sizes -GNumPorts=6 -GNumRanks=4 -GSlotBytes=256 -GNumSlots=100 -GNumRings=5 -GNumConns=20 -GMaxWindow=8 -GSpine=1 -GUplink=1 -GNumRows=3
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/aggregate/control/control_bench.h"
#include "unit/aggregate/control/ring_event.h"

static void says_what_it_is(void **state) {
  struct bench *b = *state;
  for (unsigned round = 0; round < 2; round++) {
    assert_int_equal(get(b, REG(ID)), 0x57454952);
    assert_int_equal(get(b, REG(VERSION)), 0x00050000);
    const unsigned built = built_with(b);
    assert_int_equal(get(b, REG(CAP_SHAPE)), 8u << 24 | RINGS << 16 | RANKS << 8 | (PORTS_ALONE + built));
    assert_int_equal(get(b, REG(CAP_MEMORY)), 256u << 16 | 100);
    assert_int_equal(get(b, REG(CAP_CONNS)), (built == 0 ? 1u << 16 : 0) | (built & DEVICES ? 1u << 20 : 0) |
                                                 (built & PARENT ? 1u << 17 | ROWS_BELOW_PARENT << 24 : 0) | CONNS);
    assert_int_equal(get(b, REG(CAP_WITHOUT)), 0);
    // And stays so.
    for (unsigned address = REG(ID); address <= REG(CAP_CONNS); address += 4) bus_write(b, address, word(), 15);
  }
}

static bool exists(unsigned address) {
  static const struct {
    unsigned first, last;
  } spans[] = {{REG(ID), REG(CAP_WITHOUT)},      {REG(RING_SELECT), REG(RING_QUIET)},      {REG(CONN_SELECT), REG(CONN_COUNT)},
               {REG(CONN_SRC0), REG(CONN_DST3)}, {REG(COUNTER_SELECT), REG(COUNTER_HIGH)}, {REG(RELAY_SELF_IP), REG(RELAY_ROLE)}};
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
    if (address >= spans[i].first && address <= spans[i].last) return true;
  }
  return false;
}

static void refuses_other_addresses(void **state) {
  struct bench *b = *state;
  for (unsigned address = 0; address < 4096; address += 4) {
    uint32_t data;
    assert_int_equal(bus_read(b, address, &data), exists(address) ? OKAY : SLVERR);
    if (!exists(address)) assert_int_equal(bus_write(b, address, word(), 15), SLVERR);
  }
  assert_int_equal(b->flushes + b->claims, 0);
  rings_as_stored(b);
}

/// What the device must make of a store of `r` as ring `g`, `flush` in the same command; by docs/registers/aggregator.md (RING_COMMAND.why).
static unsigned why_not(const struct bench *b, unsigned g, const struct ring *r, bool flush) {
  const unsigned workers = PART(r->shape, RING_SHAPE__WORKERS), window = 1u << PART(r->shape, RING_SHAPE__WINDOW_LOG2),
                 enable = PART(r->shape, RING_SHAPE__ENABLE);
  const unsigned base = PART(r->region, RING_REGION__BASE), end = base + 2 * window * PART(r->region, RING_REGION__STRIDE);
  unsigned why = 0;
  for (unsigned o = 0; o < RINGS && !why; o++) {
    const struct ring *other = &b->stored[o];
    const unsigned other_base = PART(other->region, RING_REGION__BASE),
                   other_end = other_base +
                               (2u << PART(other->shape, RING_SHAPE__WINDOW_LOG2)) * PART(other->region, RING_REGION__STRIDE);
    if (o != g) {
      if (!enable || !b->used[o]) continue;
      if (base < other_end && other_base < end)
        why = 7;
      else if (r->id == other->id)
        why = 8;
    } else if (b->used[g] && !flush && (r->id != other->id || r->region != other->region || (r->shape ^ other->shape) & 0x71F)) {
      why = 3;
    } else if (enable) {
      if (workers == 0 || workers > RANKS)
        why = 4;
      else if (window > WINDOW)
        why = 5;
      else if (PART(r->region, RING_REGION__STRIDE) == 0 || base % 2 != 0 || end > SLOTS)
        why = 6;
    }
  }
  return why;
}

/// A ring that is often good.
static struct ring draw_ring(void) {
  const unsigned window = rand() % 3 ? (unsigned)rand() % 2 : (unsigned)rand() % 8, workers = (unsigned)rand() % 8;
  const uint32_t learn = (unsigned)rand() % 2, mode = (unsigned)rand() % 5;
  return (struct ring){.id = (unsigned)rand() % 12,
                       .shape = (mode > 2 ? 1u : mode) << AT(RING_SHAPE__ENABLE) | learn << AT(RING_SHAPE__LEARN) |
                                window << AT(RING_SHAPE__WINDOW_LOG2) | workers,
                       .region = ((unsigned)rand() % 12) << AT(RING_REGION__STRIDE) |
                                 ((unsigned)rand() % SLOTS & (rand() % 8 ? ~1u : ~0u))};
}

/// Stores, flushes and releases of all rings, and of some that do not exist: what is wrong is refused by name and changes nothing.
static void stores_rings(void **state) {
  struct bench *b = *state;
  unsigned stores = 0, whys[9] = {0};
  for (unsigned i = 0; i < 6000; i++) {
    const unsigned g = rand() % 12 ? (unsigned)rand() % RINGS : RINGS + (unsigned)rand() % 3;
    put(b, REG(RING_SELECT), g);
    const struct ring was = g < RINGS ? b->stored[g] : (struct ring){0, 0, 0};
    assert_int_equal(get(b, REG(RING_ID)), was.id);
    assert_int_equal(get(b, REG(RING_SHAPE)), was.shape);
    assert_int_equal(get(b, REG(RING_REGION)), was.region);
    struct ring r = rand() % 4 ? draw_ring() : was;
    if (rand() % 8 == 0) r.shape ^= 1u << AT(RING_SHAPE__ENABLE);
    if (PART(r.shape, RING_SHAPE__ENABLE)) r.shape &= ~(1u << AT(RING_SHAPE__DROP));
    put(b, REG(RING_ID), r.id);
    put(b, REG(RING_SHAPE), r.shape);
    put(b, REG(RING_REGION), r.region);
    const bool store = rand() % 5 != 0, flush = !store || rand() % 2, release = flush && rand() % 2;
    const unsigned flushes = b->flushes, why = g >= RINGS ? 1 : store ? why_not(b, g, &r, flush) : 0;
    b->flush_wait = (unsigned)rand() % 20;
    const uint32_t status = command(b, (store ? STORE : 0) | (release ? RELEASE | (rand() % 2 ? FLUSH : 0) : flush ? FLUSH : 0));
    assert_int_equal(status, why ? ERROR | why << WHY : 0);
    whys[why]++;
    if (why == 0) {
      assert_int_equal(b->flushes, flushes + flush);
      if (flush) {
        assert_int_equal(b->flush_ring, g);
        assert_int_equal(b->release, release);
        assert_int_equal(b->slots, b->used[g]);
      }
      if (flush && !PART(b->stored[g].shape, RING_SHAPE__ENABLE)) b->used[g] = false;
      if (store) {
        b->used[g] = PART(r.shape, RING_SHAPE__ENABLE) || (b->used[g] && !flush);
        b->stored[g] = r;
        stores++;
      }
    } else {
      assert_int_equal(b->flushes, flushes);
    }
    rings_as_stored(b);
  }
  assert_true(stores > 500);
  for (unsigned w = 0; w < sizeof whys / sizeof *whys; w++)
    if (w != 2 && whys[w] < 10) fail_msg("reason %u was seen %u times only", w, whys[w]);
}

/// The upper half of RING_REGION alone, and open ports.
static void takes_single_bytes(void **state) {
  struct bench *b = *state;
  put(b, REG(RING_REGION), 0x12345678);
  assert_int_equal(bus_write(b, REG(RING_REGION), 0xFFFFFFFF, 12), OKAY);
  assert_int_equal(get(b, REG(RING_REGION)), 0x3FFF1678);
  const unsigned ports = PORTS_ALONE + built_with(b);
  assert_int_equal(dut_get(b->d, "open_o"), 0);
  for (unsigned i = 0; i < 50; i++) {
    const uint32_t open = word();
    put(b, REG(PORT_OPEN), open);
    const uint8_t epoch = (uint8_t)word();
    put(b, REG(EPOCH), epoch);
    assert_int_equal(dut_get(b->d, "epoch_o"), epoch);
    assert_int_equal(dut_get(b->d, "open_o"), open & ((1u << ports) - 1));
    const uint32_t down = word(), age = word();
    put(b, REG(PORT_DOWN), down);
    put(b, REG(AGE_LIMIT), age);
    assert_int_equal(dut_get(b->d, "down_o"), down & ((1u << ports) - 1));
    assert_int_equal(dut_get(b->d, "age_limit_o"), age);
  }
}

static void one_place(const uint32_t *words, size_t at, const uint32_t *relay) {
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, parent_ip)), relay[3]);
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, parent_mac)), (uint64_t)(relay[5] & 0xFFFF) << 32 | relay[4]);
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, child)), relay[6] & 0xFF);
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, siblings)), relay[6] >> 8 & 0xFF);
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, first)), relay[6] >> 16 & 0xFF);
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, total)), relay[6] >> 24);
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, parent)), relay[7] & PARENT);
  assert_int_equal(bits_get(words, at + FIELD(relay_ring_t, devices)), (relay[7] & DEVICES) != 0);
}

/// Places of rings in a tree take effect with a store, of their ring only; the device's own address with any store. Without a parent
/// port writes are answered all the same, and nothing is there; so with what a device was not built for. Nothing of it can be read.
static void stores_places(void **state) {
  struct bench *b = *state;
  const unsigned built = built_with(b);
  uint32_t staged[RELAY_WORDS] = {[7] = built}, stored[RINGS][RELAY_WORDS] = {{0}}, self[RELAY_OF_RING] = {0};
  unsigned selected = 0;
  put(b, REG(RING_SELECT), selected);
  for (unsigned i = 0; i < 4000; i++) {
    const unsigned which = (unsigned)rand() % (RELAY_WORDS + 2);
    if (which < RELAY_WORDS) {
      // Single bytes too.
      const uint32_t value = word();
      const unsigned strobe = (unsigned)rand() % 16;
      uint32_t bits = 0, read;
      for (unsigned byte = 0; byte < 4; byte++) bits |= strobe >> byte & 1 ? 0xFFu << 8 * byte : 0;
      assert_int_equal(bus_write(b, REG(RELAY_SELF_IP) + 4 * which, value, strobe), OKAY);
      if (built & PARENT || which == 7) staged[which] = (staged[which] & ~bits) | (value & bits);
      staged[7] &= built;
      assert_int_equal(bus_read(b, REG(RELAY_SELF_IP) + 4 * which, &read), OKAY);
      assert_int_equal(read, 0);
    } else if (which == RELAY_WORDS) {
      put(b, REG(RING_SELECT), selected = (unsigned)rand() % (RINGS + 1));
    } else {
      command(b, STORE);
      if (selected < RINGS) memcpy(self, staged, sizeof self);
      if (selected < RINGS) memcpy(stored[selected], staged, sizeof staged);
    }
    uint32_t places[PLACE_WORDS], own[SELF_WORDS];
    dut_get_words(b->d, "relays_o", places, PLACE_WORDS);
    dut_get_words(b->d, "self_o", own, SELF_WORDS);
    for (unsigned r = 0; r < RINGS; r++) one_place(places, (size_t)r * relay_ring_t__BITS, stored[r]);
    assert_int_equal(bits_get(own, FIELD(relay_self_t, ip)), self[0]);
    assert_int_equal(bits_get(own, FIELD(relay_self_t, mac)), (uint64_t)(self[2] & 0xFFFF) << 32 | self[1]);
  }
}

/// While a command is under way another one is refused, and another selection does not turn it.
static void refuses_while_busy(void **state) {
  struct bench *b = *state;
  unsigned refused = 0;
  for (unsigned i = 0; i < 1000; i++) {
    const unsigned ring = (unsigned)rand() % RINGS, flushes = b->flushes;
    b->flush_wait = (unsigned)rand() % 60;
    put(b, REG(RING_SELECT), ring);
    put(b, REG(RING_COMMAND), FLUSH);
    put(b, REG(RING_SELECT), (ring + 1) % RINGS);
    put(b, REG(RING_SHAPE), 1u << 18);
    uint32_t status = get(b, REG(RING_COMMAND));
    const bool second = dut_get(b->d, "flush_valid_o") && b->flush_wait > 20;
    if (second) put(b, REG(RING_COMMAND), rand() % 2 ? FLUSH : STORE);
    for (unsigned polls = 0; (status = get(b, REG(RING_COMMAND))) & BUSY; polls++) assert_true(polls < TIMEOUT);
    assert_int_equal(status, second ? ERROR | 2 << WHY : 0);
    assert_int_equal(b->flushes, flushes + 1);
    assert_int_equal(b->flush_ring, ring);
    refused += second;
  }
  assert_true(refused > 200);
  rings_as_stored(b);
}

static void claims_connections(void **state) {
  struct bench *b = *state;
  unsigned expected = 0, refused = 0;
  const bool below = built_with(b) & PARENT;
  for (unsigned i = 0; i < 2000; i++) {
    unsigned index = (unsigned)rand() % (CONNS + 2), ring = (unsigned)rand() % (RINGS + 1), rank = (unsigned)rand() % (RANKS + 1);
    uint32_t address[8], qpn = word() & 0x80FFFFFF, vid = word() & 0xFFF;
    // From another leaf: only below a parent, and then it has no index and no rank here.
    const bool elsewhere = rand() % 4 == 0;
    const unsigned act = rand() % 2 ? 0 : (unsigned)rand() % 3;   // a claim, a retirement, a release
    bool possible = act ? index < CONNS : ring < RINGS && (elsewhere ? below : rank < RANKS);
    const unsigned chosen = (unsigned)rand() % CONNS;   // by the device
    dut_set(b->d, "conn_set_index_i", chosen);
    b->claim_wait = (unsigned)rand() % 40;
    b->refuse = rand() % 3 == 0;
    put(b, REG(CONN_SELECT), index);
    for (unsigned w = 0; w < 8; w++) put(b, REG(CONN_SRC0) + 4 * w, address[w] = word());
    put(b, REG(CONN_QPN), qpn | 0x7F000000);
    put(b, REG(CONN_VLAN), vid | 0xFFFF0000);
    put(b, REG(CONN_OWNER), (uint32_t)elsewhere << 16 | rank << 8 | ring);
    assert_int_equal(get(b, REG(CONN_QPN)), qpn);
    put(b, REG(CONN_COMMAND), 1u << act);
    uint32_t status = get(b, REG(CONN_COMMAND));
    if (dut_get(b->d, "conn_set_valid_o") && b->claim_wait > 20) {
      // What software does next is of no claim that waits.
      static const uint32_t registers[] = {REG(CONN_COMMAND), REG(CONN_SRC0), REG(CONN_DST3),
                                           REG(CONN_QPN),     REG(CONN_VLAN), REG(CONN_OWNER)};
      const uint32_t to = registers[(unsigned)rand() % 6];
      put(b, to, to == REG(CONN_COMMAND) ? CLAIM : word());
    }
    for (unsigned polls = 0; (status = get(b, REG(CONN_COMMAND))) & BUSY; polls++) assert_true(polls < TIMEOUT);
    assert_int_equal(status, !possible || b->refuse ? ERROR : 0);
    expected += possible;
    assert_int_equal(b->claims, expected);
    assert_int_equal(get(b, REG(CONN_SELECT)), possible && !b->refuse && !act && !elsewhere ? chosen : index);
    if (!possible) continue;
    refused += b->refuse;
    assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, act)), act);
    if (act) {
      assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, index)), index);
      assert_false(bits_get(b->claim, FIELD(conn_set_t, elsewhere)));
      continue;
    }
    assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, elsewhere)), elsewhere);
    assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, ring)), ring);
    if (!elsewhere) assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, rank)), rank);
    for (unsigned w = 0; w < 4; w++) {
      assert_int_equal(bits_get(b->claim, conn_set_t__key__src__AT + 32 * w, 32), address[w]);
      assert_int_equal(bits_get(b->claim, conn_set_t__key__dst__AT + 32 * w, 32), address[4 + w]);
    }
    assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, key__qpn)), qpn & 0xFFFFFF);
    assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, key__v6)), qpn >> 31);
    assert_int_equal(bits_get(b->claim, FIELD(conn_set_t, key__vlan)), vid);
  }
  assert_true(refused > 100 && expected - refused > 100);
}

/// Both halves are of one moment, however long software takes between them and whatever it reads besides.
static void reads_counters(void **state) {
  struct bench *b = *state;
  for (unsigned i = 0; i < 3000; i++) {
    unsigned port = (unsigned)rand() % 16, which = (unsigned)rand() % 64;
    uint64_t start = b->cycle;
    put(b, REG(COUNTER_SELECT), which << 8 | port);
    uint32_t low = get(b, REG(COUNTER_LOW));
    uint64_t seen = low >> 10;
    assert_int_equal(low & 0x3FF, port << 6 | which);
    assert_in_range(seen, start & 0x3FFFFF, b->cycle & 0x3FFFFF);
    for (unsigned n = (unsigned)rand() % 4; n--;) get(b, rand() % 2 ? REG(COUNTER_SELECT) : REG(ID));
    assert_int_equal(get(b, REG(COUNTER_HIGH)), counter_value(seen, port, which) >> 32);
  }
}

/// A ring's ranks that are waited for, and beside them its parent, which slot state tells as the rank behind all others.
static void tells_who_is_waited_for(void **state) {
  struct bench *b = *state;
  const unsigned lanes = RANKS + (built_with(b) & PARENT ? 1 : 0);
  unsigned waits[RINGS] = {0};
  for (unsigned round = 0; round < 60; round++) {
    const unsigned ring = (unsigned)rand() % RINGS, change = (unsigned)rand() % (1u << lanes);
    ring_event_show(b->d, "ring_event_i",
                    &(struct ring_event){.ring = ring, .waits = change & ~waits[ring], .comes = change & waits[ring]});
    tick(b);
    ring_event_show(b->d, "ring_event_i", &(struct ring_event){0});
    waits[ring] ^= change;
    for (unsigned i = 0; i < 10 * RINGS; i++) tick(b);
    put(b, REG(RING_SELECT), ring);
    uint32_t seen = 0;
    for (unsigned i = 0; i < TIMEOUT && !(seen & WEIR_CSR__RING_WAITS__KNOWN_bm); i++) seen = get(b, REG(RING_WAITS));
    assert_true(seen & WEIR_CSR__RING_WAITS__KNOWN_bm);
    assert_int_equal(seen & WEIR_CSR__RING_WAITS__RANKS_bm, waits[ring] % (1u << RANKS));
    assert_int_equal((seen & WEIR_CSR__RING_WAITS__PARENT_bm) != 0, waits[ring] >> RANKS);
  }
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(says_what_it_is, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_other_addresses, setup, teardown),
      cmocka_unit_test_setup_teardown(stores_rings, setup, teardown),
      cmocka_unit_test_setup_teardown(stores_places, setup, teardown),
      cmocka_unit_test_setup_teardown(takes_single_bytes, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_while_busy, setup, teardown),
      cmocka_unit_test_setup_teardown(claims_connections, setup, teardown),
      cmocka_unit_test_setup_teardown(reads_counters, setup, teardown),
      cmocka_unit_test_setup_teardown(tells_who_is_waited_for, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
