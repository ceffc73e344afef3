// The network of a gather: round trips, who meets whom in which pipe, and that PRs neither vanish nor multiply.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/gather/gather_fabric.h"

enum { COLUMNS = 640, LEN = 64, MHZ = 2000 };

/// NetSparse Table 5, at 2 GHz: cables of 450 ns, switches of 300 ns.
static struct gather_fabric_options table5(uint32_t nodes, uint32_t racks, uint32_t spines) {
  const struct gather_concat_options concat = {.nodes = nodes, .mtu = 1500, .upper = 50, .delay = 500, .expiry_depth = 512};
  struct gather_fabric_options o = {
      .topology = {.nodes = nodes, .racks = racks, .spines = spines},
      .gbps = 400,
      .mhz = MHZ,
      .cable_delay = 900,
      .switch_delay = 600,
      .dies = UINT32_MAX,
      .stops = UINT32_MAX,
      .node = {.tries = 2,
               .nic = {.units = 2,
                       .tx_depth = 8,
                       .concat = concat,
                       .rig = {.pending = 16, .filter = true, .coalesce = true, .watchdog = 100000}}},
      .pipe = {.concat = concat, .cache_sets = 4, .cache_mode = 64},
  };
  o.pipe.concat.delay = 125;
  return o;
}

struct bench {
  struct gather_memory memories[16];
  struct gather_fabric *f;
  uint32_t nodes;
};

static void open_bench(struct bench *b, const struct gather_fabric_options *o) {
  b->nodes = o->topology.nodes;
  for (uint32_t n = 0; n < b->nodes; n++) {
    const struct gather_partition columns = {COLUMNS, b->nodes};
    assert_true(gather_memory_init(&b->memories[n], &columns, n, LEN));
    for (uint64_t c = gather_first(&columns, n); c < gather_first(&columns, n + 1); c++)
      memset(gather_memory_at(&b->memories[n], c), (int)(c % 255) + 1, LEN);
  }
  b->f = gather_fabric_new(o, b->memories);
}

static void close_bench(struct bench *b) {
  gather_fabric_free(b->f);
  for (uint32_t n = 0; n < b->nodes; n++) gather_memory_free(&b->memories[n]);
}

static void run(struct bench *b) {
  while (gather_fabric_step(b->f, WORLD_END)) assert_true(gather_fabric_now(b->f) < 10000000);
}

/// A node has these columns.
static void has(struct bench *b, uint32_t node, const uint32_t *idx, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint8_t wanted[LEN];
    memset(wanted, (int)(idx[i] % 255) + 1, LEN);
    assert_memory_equal(gather_memory_at(&b->memories[node], idx[i]), wanted, LEN);
  }
}

/// 2.4 us within a rack and 5.4 us between racks, and a gather of one property takes that and what the frames take on the cables.
static void round_trips_are_the_published_ones(void **state) {
  (void)state;
  static const uint32_t near[] = {COLUMNS / 16}, far[] = {COLUMNS - 1};
  struct gather_fabric_options o = table5(16, 2, 8);
  assert_int_equal(2 * gather_zero_load(&o, 0, 1), 2.4 * MHZ);
  assert_int_equal(2 * gather_zero_load(&o, 0, 15), 5.4 * MHZ);
  o.node.nic.concat.delay = o.pipe.concat.delay = 0;
  for (unsigned i = 0; i < 2; i++) {
    struct bench b;
    open_bench(&b, &o);
    gather_fabric_begin(b.f, 0, i == 0 ? near : far, 1, 1);
    run(&b);
    const uint64_t took = gather_node_counts(gather_fabric_node(b.f, 0)).finished,
                   least = 2 * gather_zero_load(&o, 0, i == 0 ? 1 : 15);
    // A read is 102 bytes and a gap, 5 cycles; a response 166, 8 cycles; each on two or four cables. A few for steps on the way.
    assert_in_range(took, least + (i == 0 ? 26 : 52), least + (i == 0 ? 26 : 52) + 8);
    has(&b, 0, i == 0 ? near : far, 1);
    close_bench(&b);
  }
}

static void pipes_meet_with_symmetric_routing_only(void **state) {
  (void)state;
  // Of requests of 16 nodes to each of 112 others, so many ask for the busiest uplink.
  static const unsigned busiest[] = {[GATHER_BY_BOTH] = 256, [GATHER_BY_DEST] = 256, [GATHER_SPREAD] = 128};
  static const unsigned uplinks[] = {[GATHER_BY_BOTH] = 7, [GATHER_BY_DEST] = 7, [GATHER_SPREAD] = 16};
  for (int routing = GATHER_BY_BOTH; routing <= GATHER_SPREAD; routing++) {
    const struct gather_topology t = {.nodes = 128, .racks = 8, .spines = 16, .routing = (enum gather_routing)routing};
    unsigned same = 0, all = 0;
    uint64_t used = 0;          // ports of rack 0
    unsigned asked[16] = {0};   // spines, by rack 0
    for (uint32_t a = 0; a < 128; a++) {
      for (uint32_t h = 0; h < 128; h++) {
        if (gather_rack_of(&t, a) == gather_rack_of(&t, h)) continue;
        // Port of a read at the requester's ToR, and port by which its response comes back.
        const unsigned there = gather_tor_port(&t, GATHER_READ, gather_rack_of(&t, a), h, gather_pipe_of(&t, h)),
                       spine = gather_tor_port(&t, GATHER_RESPONSE, gather_rack_of(&t, h), a, gather_pipe_of(&t, h));
        all++;
        same += there == spine;
        assert_in_range(there, 16, 31);
        if (a == 0) used |= UINT64_C(1) << there;
        if (a < 16) asked[there - 16]++;
      }
    }
    assert_int_equal(__builtin_popcountll(used), uplinks[routing]);
    for (unsigned i = 1; i < 16; i++) asked[0] = asked[i] > asked[0] ? asked[i] : asked[0];
    assert_int_equal(asked[0], busiest[routing]);
    if (routing != GATHER_BY_DEST) assert_int_equal(same, all);
    if (routing == GATHER_BY_DEST) assert_int_equal(same, 0);
  }
}

/// Two nodes of a rack want the same from another rack, one after the other: the second gets it from its own ToR, unless the way
/// back is through another pipe than the way there.
static void the_second_of_a_rack_hits(void **state) {
  (void)state;
  uint32_t idx[32];
  for (uint32_t i = 0; i < 32; i++) idx[i] = 512 + i;   // of node 12, in rack 4
  for (int routing = GATHER_BY_BOTH; routing <= GATHER_SPREAD; routing++) {
    struct gather_fabric_options o = table5(15, 5, 8);
    o.topology.routing = (enum gather_routing)routing;
    o.cache_uplinks = true;   // or the home's ToR would have it
    const uint64_t hits = routing != GATHER_BY_DEST ? 32 : 0;
    struct bench b;
    open_bench(&b, &o);
    gather_fabric_begin(b.f, 0, idx, 32, 8);
    run(&b);
    gather_fabric_begin(b.f, 1, idx, 32, 8);
    run(&b);
    has(&b, 0, idx, 32);
    has(&b, 1, idx, 32);
    const struct gather_fabric_counts c = gather_fabric_counts(b.f);
    assert_int_equal(c.tors.cache.hits, hits);
    assert_int_equal(gather_node_counts(gather_fabric_node(b.f, 12)).nic.served, 64 - hits);
    assert_true(gather_fabric_balanced(b.f));
    gather_fabric_invalidate(b.f, 1, 64);
    for (uint32_t n = 0; n < 15; n++) b.memories[n].generation = 1;
    gather_fabric_begin(b.f, 2, idx, 32, 8);
    run(&b);
    assert_int_equal(gather_fabric_counts(b.f).tors.cache.hits, hits);
    close_bench(&b);
  }
}

/// A ToR of another make in place of the model: here the model again, with its ears and mouth watched.
struct watched {
  struct gather_switch inside;
  uint64_t received, steps;
};
static struct watched *latest_tor;   // the network frees it

static void watch_receive(void *self, uint64_t now, unsigned port, struct gather_packet *p) {
  struct watched *w = self;
  w->received++;
  w->inside.element.receive(w->inside.element.self, now, port, p);
}
static uint64_t watch_next(const void *self) {
  const struct watched *w = self;
  return w->inside.element.next(w->inside.element.self);
}
static void watch_step(void *self, uint64_t now) {
  struct watched *w = self;
  w->steps++;
  w->inside.element.step(w->inside.element.self, now);
}
static void watch_free(void *self) {
  struct watched *w = self;
  w->inside.free(w->inside.element.self);
  free(w);
}
static void watch_invalidate(void *self, uint16_t generation, uint32_t len) {
  struct watched *w = self;
  w->inside.invalidate(w->inside.element.self, generation, len);
}
static bool watch_balanced(const void *self) {
  const struct watched *w = self;
  return w->inside.balanced(w->inside.element.self);
}
static struct gather_switch_counts watch_counts(const void *self) {
  const struct watched *w = self;
  return w->inside.counts(w->inside.element.self);
}
static bool watch(const struct gather_switch_options *o, gather_send_fn *send, void *fabric, struct gather_switch *out) {
  struct watched *w = calloc(1, sizeof *w);
  if (w == NULL || !gather_switch_model(o, send, fabric, &w->inside)) {
    free(w);
    return false;
  }
  latest_tor = w;
  *out = (struct gather_switch){.element = {.self = w, .receive = watch_receive, .next = watch_next, .step = watch_step},
                                .free = watch_free,
                                .invalidate = watch_invalidate,
                                .balanced = watch_balanced,
                                .counts = watch_counts};
  return true;
}

static void tors_of_another_make(void **state) {
  (void)state;
  static const uint32_t idx[] = {600, 601, 5};
  struct gather_fabric_options o = table5(4, 2, 2);
  o.tor = watch;
  struct bench b;
  open_bench(&b, &o);
  gather_fabric_begin(b.f, 0, idx, 3, 3);
  run(&b);
  has(&b, 0, idx, 3);
  assert_true(gather_fabric_balanced(b.f));
  // The latest is the ToR of the second rack: reads in from the spine, responses in from the home.
  assert_true(latest_tor->received == 2 && latest_tor->steps >= 2);
  assert_int_equal(gather_fabric_counts(b.f).tors.forwarded, 4);
  close_bench(&b);
}

/// Everybody wants all that everybody has, over switches of all kinds, with queues that are too small for it.
static void all_get_all(void **state) {
  (void)state;
  uint32_t idx[COLUMNS];
  for (uint32_t i = 0; i < COLUMNS; i++) idx[i] = (i * 37 + 11) % COLUMNS;
  for (unsigned kind = 0; kind < 8; kind++) {
    struct gather_fabric_options o = table5(10, 3, 4);   // racks of 4, 4 and 2
    o.plain_tors = kind & 1;
    o.node.nic.concat.virtual_queues = o.pipe.concat.virtual_queues = kind & 2;
    o.node.nic.concat.pieces = o.pipe.concat.pieces = 6;
    if (kind & 4) o.node.nic.concat.expiry_depth = o.pipe.concat.expiry_depth = 3;
    struct bench b;
    open_bench(&b, &o);
    for (uint32_t n = 0; n < 10; n++) gather_fabric_begin(b.f, n, idx, COLUMNS, 50);
    run(&b);
    assert_true(gather_fabric_balanced(b.f));
    uint64_t sent = 0, written = 0, waits = 0;
    for (uint32_t n = 0; n < 10; n++) {
      assert_true(gather_node_done(gather_fabric_node(b.f, n)));
      has(&b, n, idx, COLUMNS);
      const struct gather_node_counts c = gather_node_counts(gather_fabric_node(b.f, n));
      sent += c.nic.rig.sent;
      written += c.nic.rig.written;
      waits += c.nic.concat.waits_pool + c.nic.concat.waits_expiry;
      assert_true(c.nic.strays == 0 && c.given_up == 0 && c.nic.rig.failures == 0);
    }
    assert_int_equal(sent, 10 * COLUMNS - COLUMNS);
    assert_int_equal(written, sent);
    if ((kind & 6) != 0) assert_true(waits > 0);
    close_bench(&b);
  }
}

/// Each packet of a small gather is lost once: nobody hangs, what is missing is asked for again, and all is right in the end.
/// Held instead, it comes after the watchdog and is dropped.
static void any_packet_may_be_lost_or_late(void **state) {
  (void)state;
  static const uint32_t idx[] = {200, 201, 330, 331, 600, 5};
  uint64_t late = 0;
  for (unsigned held = 0; held < 2; held++) {
    for (uint64_t which = 1;; which++) {
      struct gather_fabric_options o = table5(4, 2, 2);
      o.node.nic.rig.watchdog = 30000;
      if (held)
        o.hold = which;
      else
        o.lose = which;
      o.held_for = 60000;
      struct bench b;
      open_bench(&b, &o);
      gather_fabric_begin(b.f, 0, idx, 6, 6);
      run(&b);
      const struct gather_node_counts c = gather_node_counts(gather_fabric_node(b.f, 0));
      const struct gather_fabric_counts f = gather_fabric_counts(b.f);
      const bool hurt = f.lost + f.held > 0;
      assert_int_equal(c.nic.rig.failures, hurt);
      assert_int_equal(c.given_up, 0);
      assert_int_equal(c.nic.rig.done, 1);
      has(&b, 0, idx, 6);
      late += c.nic.rig.late;
      assert_true(gather_fabric_balanced(b.f));
      close_bench(&b);
      if (!hurt) {
        assert_true(which > 10);
        break;
      }
    }
  }
  assert_true(late > 10);
}

/// A network that loses everything's home: without a watchdog the run stands still and says so, with one the batch is given up.
static void a_node_that_never_answers(void **state) {
  (void)state;
  static const uint32_t idx[] = {600};
  struct gather_fabric_options o = table5(4, 2, 2);
  o.lose = 1;
  o.node.nic.rig.watchdog = 0;
  struct bench b;
  open_bench(&b, &o);
  gather_fabric_begin(b.f, 0, idx, 1, 1);
  run(&b);
  assert_false(gather_node_done(gather_fabric_node(b.f, 0)));
  close_bench(&b);
  o.node.nic.rig.watchdog = 2000;   // shorter than the way
  o.lose = 0;
  open_bench(&b, &o);
  gather_fabric_begin(b.f, 0, idx, 1, 1);
  run(&b);
  const struct gather_node_counts c = gather_node_counts(gather_fabric_node(b.f, 0));
  assert_true(gather_node_done(gather_fabric_node(b.f, 0)) && c.given_up == 1 && c.nic.rig.failures == 2 && c.nic.rig.late == 2);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips_are_the_published_ones),
      cmocka_unit_test(pipes_meet_with_symmetric_routing_only),
      cmocka_unit_test(the_second_of_a_rack_hits),
      cmocka_unit_test(tors_of_another_make),
      cmocka_unit_test(all_get_all),
      cmocka_unit_test(any_packet_may_be_lost_or_late),
      cmocka_unit_test(a_node_that_never_answers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
