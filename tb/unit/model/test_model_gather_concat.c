// The golden model of the concatenator: when a packet leaves, what is in it, and what happens when something is full.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/gather_concat.h"
#include "model/gather_tally.h"

enum { MTU = 1500, UPPER = 50, NODES = 8, MOST = 4096 };

/// What came out: sizes and times of packets, their bytes as one sum, their PRs.
struct seen {
  size_t packets, longest;
  uint64_t now, times[MOST], hash;
  uint32_t counts[MOST];
  struct gather_tally prs;
};

static void take(void *user, const uint8_t *data, size_t len) {
  struct seen *s = user;
  struct gather_header h;
  assert_int_equal(gather_check(data, len, &h), GATHER_GOOD);
  assert_true(s->packets < MOST);
  s->times[s->packets] = s->now;
  s->counts[s->packets++] = h.count;
  if (len > s->longest) s->longest = len;
  for (size_t i = 0; i < len; i++) s->hash = s->hash * 31 + data[i];
  for (uint32_t i = 0; i < h.count; i++) {
    struct gather_request r;
    gather_get_pr(data, &h, i, &r);
    gather_tally_add(&s->prs, &r.pr);
    if (r.type == GATHER_RESPONSE) assert_int_equal(r.property[0], (uint8_t)r.pr.idx);
  }
}

static struct gather_concat_options plain(uint64_t delay) {
  return (struct gather_concat_options){.nodes = NODES, .mtu = MTU, .upper = UPPER, .delay = delay, .expiry_depth = 512};
}

static struct gather_request request(enum gather_type type, uint32_t dest, uint32_t len, uint64_t idx) {
  static uint8_t property[512];
  memset(property, (int)(uint8_t)idx, sizeof property);
  return (struct gather_request){.type = type, .dest = dest, .len = len, .pr = {.idx = idx, .id = 5}, .property = property};
}

static enum gather_push push(struct gather_concat *c, struct seen *s, uint64_t now, const struct gather_request *r) {
  s->now = now;
  return gather_concat_push(c, now, r);
}

/// Lets the clock run to `until`.
static void run(struct gather_concat *c, struct seen *s, uint64_t until) {
  uint64_t next;
  while ((next = gather_concat_next(c)) <= until) {
    s->now = next;
    gather_concat_tick(c, next);
  }
}

static void leaves_with_the_pr_that_fills_it(void **state) {
  (void)state;
  static const struct {
    enum gather_type type;
    uint32_t len, count;
  } rows[] = {{GATHER_READ, 4, 79},      {GATHER_READ, 1024, 79},   {GATHER_RESPONSE, 4, 65},
              {GATHER_RESPONSE, 64, 17}, {GATHER_RESPONSE, 512, 2}, {GATHER_RESPONSE, 1024 - 512, 2}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct seen s = {0};
    const struct gather_concat_options o = plain(1000);
    struct gather_concat *c = gather_concat_new(&o, take, &s);
    for (uint32_t n = 0; n < 3 * rows[i].count; n++) {
      const struct gather_request r = request(rows[i].type, 3, rows[i].len, n);
      assert_int_equal(push(c, &s, n, &r), GATHER_TAKEN);
      assert_int_equal(s.packets, (n + 1) / rows[i].count);
    }
    assert_int_equal(s.counts[2], rows[i].count);
    assert_int_equal(gather_concat_held(c), 0);
    run(c, &s, 100000);
    assert_int_equal(s.packets, 3);   // dead entries send nothing
    gather_concat_free(c);
  }
}

static void leaves_when_its_first_pr_expires(void **state) {
  (void)state;
  for (uint64_t delay = 0; delay < 20; delay++) {
    struct seen s = {0};
    const struct gather_concat_options o = plain(delay);
    struct gather_concat *c = gather_concat_new(&o, take, &s);
    for (uint64_t i = 0; i < 3; i++) {
      const struct gather_request r = request(GATHER_READ, 1, 4, i);
      if (i < delay) push(c, &s, 100 + i, &r);
    }
    if (delay == 0) {
      const struct gather_request r = request(GATHER_READ, 1, 4, 0);
      push(c, &s, 100, &r);
    }
    run(c, &s, 100 + delay - (delay > 0));
    assert_int_equal(s.packets, delay == 0);
    run(c, &s, 100 + delay);
    assert_int_equal(s.packets, 1);
    assert_int_equal(s.times[0], 100 + delay);
    assert_int_equal(gather_concat_next(c), GATHER_NEVER);
    gather_concat_free(c);
  }
}

/// The PR that fills a queue comes in the cycle in which the queue expires: one packet, with that PR in it.
static void full_wins_over_expired(void **state) {
  (void)state;
  struct seen s = {0};
  const struct gather_concat_options o = plain(16);
  struct gather_concat *c = gather_concat_new(&o, take, &s);
  for (uint64_t i = 0; i < 17; i++) {
    const struct gather_request r = request(GATHER_RESPONSE, 1, 64, i);
    push(c, &s, i, &r);
    gather_concat_tick(c, i);
  }
  run(c, &s, 1000);
  assert_int_equal(s.packets, 1);
  assert_int_equal(s.counts[0], 17);
  assert_int_equal(gather_concat_counts(c)->full, 1);
  assert_int_equal(gather_concat_counts(c)->expired, 0);
  gather_concat_free(c);
}

/// A queue that was sent full and begun again keeps its own time: the dead entry of its first life does not end its second.
static void a_new_life_has_a_new_time(void **state) {
  (void)state;
  struct seen s = {0};
  const struct gather_concat_options o = plain(50);
  struct gather_concat *c = gather_concat_new(&o, take, &s);
  for (uint64_t i = 0; i < 18; i++) {   // the 18th begins anew, in cycle 17
    const struct gather_request r = request(GATHER_RESPONSE, 1, 64, i);
    push(c, &s, i, &r);
  }
  run(c, &s, 1000);
  assert_int_equal(s.packets, 2);
  assert_int_equal(s.times[1], 17 + 50);
  gather_concat_free(c);
}

/// One look a cycle is enough: queues that are begun one a cycle expire one a cycle, and dead entries between them, which are as
/// many as cycles in which nothing else was begun, cost nothing.
static void nobody_is_late(void **state) {
  (void)state;
  struct seen s = {0};
  const struct gather_concat_options o = plain(40);
  struct gather_concat *c = gather_concat_new(&o, take, &s);
  uint64_t now = 0;
  for (unsigned round = 0; round < 20; round++) {
    for (uint32_t dest = 0; dest < NODES; dest++, now++) {   // two fill a packet: every other entry is dead
      const struct gather_request r = request(GATHER_RESPONSE, dest / 2, 512, now);
      push(c, &s, now, &r);
      gather_concat_tick(c, now);
    }
    const struct gather_request alone = request(GATHER_READ, round % NODES, 4, now);
    push(c, &s, now, &alone);
    run(c, &s, now++);
  }
  run(c, &s, now + 1000);
  assert_int_equal(gather_concat_counts(c)->latest, 0);
  assert_true(gather_concat_counts(c)->full > 50 && gather_concat_counts(c)->expired >= 3);
  gather_concat_free(c);
}

static void expiry_queue_full_makes_prs_wait(void **state) {
  (void)state;
  struct seen s = {0};
  struct gather_concat_options o = plain(100);
  o.expiry_depth = 2;
  struct gather_concat *c = gather_concat_new(&o, take, &s);
  for (uint64_t i = 0; i < 2; i++) {
    const struct gather_request r = request(GATHER_READ, (uint32_t)i, 4, i);
    assert_int_equal(push(c, &s, i, &r), GATHER_TAKEN);
  }
  const struct gather_request third = request(GATHER_READ, 2, 4, 2), known = request(GATHER_READ, 0, 4, 3);
  uint64_t now = 2;
  assert_int_equal(push(c, &s, now++, &third), GATHER_WAIT_EXPIRY);
  assert_int_equal(push(c, &s, now++, &known), GATHER_TAKEN);   // its queue is open
  while (push(c, &s, now, &third) != GATHER_TAKEN) now++;
  assert_int_equal(now, 101);   // the first entry left in cycle 100
  assert_int_equal(gather_concat_counts(c)->waits_expiry, 101 - 4 + 1);
  run(c, &s, 1000);
  assert_int_equal(s.prs.count, 4);
  assert_int_equal(gather_concat_counts(c)->most_entries, 2);
  gather_concat_free(c);
}

/// The entry of a queue that was sent full takes no room once it is the head: a new queue can begin in the next cycle.
static void a_dead_entry_goes_at_once(void **state) {
  (void)state;
  struct seen s = {0};
  struct gather_concat_options o = plain(100);
  o.expiry_depth = 1;
  struct gather_concat *c = gather_concat_new(&o, take, &s);
  for (uint64_t i = 0; i < 2; i++) {
    const struct gather_request r = request(GATHER_RESPONSE, 1, 512, i);
    assert_int_equal(push(c, &s, i, &r), GATHER_TAKEN);
  }
  assert_int_equal(s.packets, 1);
  const struct gather_request next = request(GATHER_READ, 1, 4, 2);
  assert_int_equal(push(c, &s, 2, &next), GATHER_TAKEN);
  gather_concat_free(c);
}

/// Six responses for one node, of which the third and the sixth are unlike those in front of them: three packets, of two, three and one.
static void unlike_sends_what_there_was(const uint32_t lens[6], const uint16_t generations[6]) {
  struct seen s = {0};
  const struct gather_concat_options o = plain(100);
  struct gather_concat *c = gather_concat_new(&o, take, &s);
  for (uint64_t i = 0; i < 6; i++) {
    struct gather_request r = request(GATHER_RESPONSE, 1, lens[i], i);
    r.generation = generations[i];
    assert_int_equal(push(c, &s, i, &r), GATHER_TAKEN);
  }
  run(c, &s, 1000);
  assert_int_equal(s.packets, 3);
  assert_int_equal(s.counts[0], 2);
  assert_int_equal(s.counts[1], 3);
  assert_int_equal(gather_concat_counts(c)->other_len, 2);
  gather_concat_free(c);
}

static void another_length_sends_what_there_was(void **state) {
  (void)state;
  unlike_sends_what_there_was((const uint32_t[]){4, 4, 8, 8, 8, 4}, (const uint16_t[6]){0});
}

/// So does another generation: who hits in a cache, or is served, must know of each PR which one it is of.
static void another_generation_sends_what_there_was(void **state) {
  (void)state;
  unlike_sends_what_there_was((const uint32_t[]){4, 4, 4, 4, 4, 4}, (const uint16_t[]){1, 1, 2, 2, 2, 0x101});
}

/// Random traffic, at random rates, of one length. Returns what came out; wants each PR out once, no packet beyond the MTU.
static struct seen soak(const struct gather_concat_options *o, uint64_t seed, uint32_t len, unsigned busy,
                        struct gather_concat_counts *counts) {
  struct seen s = {0};
  struct gather_tally in = {0};
  struct rng d = {seed};
  struct gather_concat *c = gather_concat_new(o, take, &s);
  uint64_t now = 0;
  for (uint64_t i = 0; i < 3000; i++) {
    const enum gather_type type = rng_below(&d, 2) ? GATHER_READ : GATHER_RESPONSE;
    struct gather_request r = request(type, rng_below(&d, NODES), len, i);
    r.pr.src = rng_below(&d, NODES);
    while (rng_percent(&d, 100 - busy)) {
      now++;
      run(c, &s, now);
    }
    while (push(c, &s, now, &r) != GATHER_TAKEN) {
      run(c, &s, now);
      now++;
      assert_true(now < 10000000);   // nobody waits for ever
    }
    run(c, &s, now++);
    gather_tally_add(&in, &r.pr);
  }
  run(c, &s, UINT64_MAX - 1);
  assert_true(gather_tally_equal(&in, &s.prs));
  assert_int_equal(gather_concat_held(c), 0);
  assert_true(s.longest <= MTU - UPPER);
  if (o->virtual_queues) assert_int_equal(gather_concat_free_pieces(c), o->pieces);
  *counts = *gather_concat_counts(c);
  gather_concat_free(c);
  return s;
}

static void virtual_queues_send_the_same_packets(void **state) {
  (void)state;
  static const uint32_t lens[] = {4, 64, 128, 512};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct gather_concat_options o = plain(seed * 7);
    struct gather_concat_counts counts, virtual_counts;
    const unsigned busy = 20 + 4 * (unsigned)seed;
    const struct seen a = soak(&o, seed, lens[seed % 4], busy, &counts);
    o.virtual_queues = true;
    o.pieces = 2 * NODES * 12;   // as much as static queues have
    const struct seen b = soak(&o, seed, lens[seed % 4], busy, &virtual_counts);
    assert_int_equal(a.packets, b.packets);
    assert_int_equal(a.hash, b.hash);
    assert_memory_equal(a.times, b.times, sizeof a.times);
    assert_int_equal(virtual_counts.waits_pool, 0);
    assert_int_equal(counts.latest, 0);
  }
}

/// A pool that is too small makes packets smaller and PRs wait, and loses nothing. A PR of 530 bytes spans five pieces.
static void an_empty_pool_sends_early(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    struct gather_concat_options o = plain(400);
    struct gather_concat_counts ample, scarce;
    o.virtual_queues = true;
    o.pieces = 2 * NODES * 12;
    const struct seen a = soak(&o, seed, 512, 90, &ample);
    o.pieces = 5 + (uint32_t)seed;
    const struct seen b = soak(&o, seed, 512, 90, &scarce);
    assert_true(b.packets > a.packets);
    assert_true(scarce.waits_pool > 0 && scarce.pool_flushes > 0);
    assert_true(scarce.most_pieces <= o.pieces);
    assert_int_equal(ample.waits_pool, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leaves_with_the_pr_that_fills_it),
      cmocka_unit_test(leaves_when_its_first_pr_expires),
      cmocka_unit_test(full_wins_over_expired),
      cmocka_unit_test(a_new_life_has_a_new_time),
      cmocka_unit_test(nobody_is_late),
      cmocka_unit_test(expiry_queue_full_makes_prs_wait),
      cmocka_unit_test(a_dead_entry_goes_at_once),
      cmocka_unit_test(another_length_sends_what_there_was),
      cmocka_unit_test(another_generation_sends_what_there_was),
      cmocka_unit_test(virtual_queues_send_the_same_packets),
      cmocka_unit_test(an_empty_pool_sends_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
