// Both halves of a queue pair, with a network between them that loses, doubles and reorders: what is posted arrives, each packet
// once and in order, and both ends fall silent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "wire/rc.h"
#include "unit/hosts/rc_ends.h"

enum { US = 1000000, STEP = US / 5, LATENCY = 10 * STEP, MESSAGES = 400, IN_FLIGHT = 64, PATIENCE = 2000000 };

/// One direction: at most IN_FLIGHT frames, each with its own time of arrival.
struct way {
  struct rng rng;
  unsigned loss, dup, late;   // per cent
  struct {
    uint64_t due;
    struct rc_frame f;
  } flying[IN_FLIGHT];
  size_t count;
};

struct pair {
  struct requester *sender;
  struct responder *receiver;
  struct way there, back;
  struct rc_message messages[MESSAGES];
  uint8_t *whole;       // everything, as it is to arrive
  size_t bytes, here;   // of it
  size_t packets;       // posted
  uint32_t psn;         // to be delivered next
  bool inside;          // of a message
};

static void put(struct way *w, uint64_t now, const struct rc_frame *f) {
  if (rng_percent(&w->rng, w->loss)) return;
  for (unsigned copies = rng_percent(&w->rng, w->dup) ? 2 : 1; copies > 0; copies--) {
    assert_true(w->count < IN_FLIGHT);
    const unsigned more = rng_percent(&w->rng, w->late) ? rng_from(&w->rng, 1, 20) : 0;
    w->flying[w->count].due = now + LATENCY + more * STEP;
    w->flying[w->count++].f = *f;
  }
}

/// The frame that is here, or NULL. Those that left together arrive in that order.
static struct rc_frame *get(struct way *w, uint64_t now, struct rc_frame *f) {
  size_t first = 0;
  for (size_t i = 1; i < w->count; i++)
    if (w->flying[i].due < w->flying[first].due) first = i;
  if (w->count == 0 || w->flying[first].due > now) return NULL;
  *f = w->flying[first].f;
  w->count--;
  memmove(&w->flying[first], &w->flying[first + 1], (w->count - first) * sizeof *w->flying);
  return f;
}

static void deliver(void *user, const uint8_t *frame, const struct roce_packet *p) {
  struct pair *all = user;
  const uint8_t *payload = frame + p->header - (p->tagged ? INA_BYTES : 0);
  const size_t len = p->tensor + (p->tagged ? INA_BYTES : 0);
  assert_int_equal(p->psn, all->psn);
  all->psn = (all->psn + 1) & PSN_MASK;
  assert_int_equal(p->starts, !all->inside);
  all->inside = p->opcode == ROCE_SEND_FIRST || p->opcode == ROCE_WRITE_FIRST || p->opcode == ROCE_SEND_MIDDLE ||
                p->opcode == ROCE_WRITE_MIDDLE;
  assert_in_range(len, 0, all->bytes - all->here);
  assert_memory_equal(payload, all->whole + all->here, len);
  all->here += len;
}

/// Messages of all verbs and of 0 to 11 packets, some with an INA header.
static void draw_messages(struct pair *all, struct rng *rng, unsigned mtu) {
  all->whole = malloc(MESSAGES * (size_t)(12 * mtu));
  assert_non_null(all->whole);
  for (size_t i = 0; i < MESSAGES; i++) {
    const bool has_ina = rng_percent(rng, 70);
    const size_t length = rng_percent(rng, 10) ? 0 : rng_below(rng, rng_percent(rng, 50) ? 2 * mtu : 11 * mtu);
    uint8_t *begin = all->whole + all->bytes;
    struct rc_message m = rc_message((enum rc_verb)rng_below(rng, 4), begin + (has_ina ? INA_BYTES : 0), length);
    m.has_ina = has_ina;
    m.ina = (struct ina_header){.ring = 1, .msgid = (uint32_t)i, .msglen = 11, .workers = 2};
    if (has_ina) ina_put(begin, &m.ina);
    rng_fill(rng, begin + (has_ina ? INA_BYTES : 0), length);
    const size_t bytes = length + (has_ina ? INA_BYTES : 0);
    all->bytes += bytes;
    all->packets += bytes == 0 ? 1 : (bytes + mtu - 1) / mtu;
    all->messages[i] = m;
  }
}

static void step(struct pair *all, uint64_t now) {
  struct rc_frame f;
  requester_tick(all->sender, now);
  while (get(&all->there, now, &f) != NULL) responder_data(all->receiver, now, f.data, &f.p);
  while (get(&all->back, now, &f) != NULL) requester_ack(all->sender, now, f.data, &f.p);
  if (requester_ready(all->sender, now)) {
    f = rc_next(all->sender, now);
    put(&all->there, now, &f);
  }
  if (responder_ready(all->receiver, now)) {
    f = rc_reply(all->receiver, now);
    put(&all->back, now, &f);
  }
}

struct trial {
  uint64_t seed;
  unsigned loss, dup, late, rnr;   // per cent
  unsigned mtu, ack_every, max_inflight;
  uint64_t ack_delay;
};

static void open(struct pair *all, const struct trial *t) {
  struct rng rng = rng_for(t->seed, 1);
  memset(all, 0, sizeof *all);
  draw_messages(all, &rng, t->mtu);
  struct requester_config c = rc_requester();
  c.mtu = t->mtu;
  c.psn = all->psn = 0xFFFFFF - rng_below(&rng, 1000);
  c.timeout_ps = 60 * US;
  c.ack_every = t->ack_every;
  c.max_inflight = t->max_inflight;
  struct responder_config r = rc_responder(&c, NULL);
  r.ack_delay_ps = t->ack_delay;
  r.rnr_percent = t->rnr;
  r.seed = t->seed;
  r.user = all;
  r.deliver = deliver;
  all->sender = requester_new(&c);
  all->receiver = responder_new(&r);
  all->there = (struct way){.rng = rng_for(t->seed, 2), .loss = t->loss, .dup = t->dup, .late = t->late};
  all->back = (struct way){.rng = rng_for(t->seed, 3), .loss = t->loss, .dup = t->dup, .late = t->late};
}

/// Runs until everything is acknowledged and nothing is under way. Returns what both ends counted.
static void run(const struct trial *t, struct requester_counts *s, struct responder_counts *r) {
  struct pair *all = malloc(sizeof *all);
  assert_non_null(all);
  open(all, t);
  uint64_t now = 0, steps = 0;
  struct rng rng = rng_for(t->seed, 4);
  for (size_t posted = 0; posted < MESSAGES || !requester_idle(all->sender) || all->there.count + all->back.count > 0;) {
    // A few messages at a time.
    if (requester_pending(all->sender) < 3)
      for (unsigned n = rng_below(&rng, 5); n > 0 && posted < MESSAGES; n--)
        requester_post(all->sender, &all->messages[posted++]);
    step(all, now);
    now += STEP;
    if (++steps == PATIENCE) fail_msg("seed %llu: %zu of %zu bytes", (unsigned long long)t->seed, all->here, all->bytes);
  }
  *s = requester_counts(all->sender);
  *r = responder_counts(all->receiver);
  assert_int_equal(all->here, all->bytes);
  assert_false(all->inside);
  assert_int_equal(s->messages, MESSAGES);
  assert_int_equal(s->packets, all->packets + s->repeats);
  assert_int_equal(r->packets, all->packets);
  assert_int_equal(r->misplaced, 0);
  assert_int_equal(requester_deadline(all->sender, now), UINT64_MAX);
  assert_false(requester_ready(all->sender, now));
  requester_free(all->sender);
  responder_free(all->receiver);
  free(all->whole);
  free(all);
}

static void without_faults_nothing_is_sent_twice(void **state) {
  (void)state;
  const struct trial trials[] = {{.seed = 1, .mtu = 256, .max_inflight = 1000},
                                 {.seed = 2, .mtu = 1024, .ack_every = 4, .max_inflight = 1000},
                                 {.seed = 3, .mtu = 256, .ack_every = 4, .max_inflight = 8},
                                 {.seed = 4, .mtu = 256, .max_inflight = 1000, .ack_delay = 20 * US}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    struct requester_counts s;
    struct responder_counts r;
    run(&trials[i], &s, &r);
    assert_int_equal(s.repeats + s.sequence_naks + s.rnr_naks + s.timeouts, 0);
    assert_int_equal(r.duplicates + r.out_of_sequence + r.skipped + r.naks + r.rnrs, 0);
    assert_true(r.acks > 0);
  }
}

static void faults_are_overcome(void **state) {
  (void)state;
  struct requester_counts s = {0}, sum = {0};
  struct responder_counts r;
  uint64_t packets = 0;
  for (uint64_t seed = 10; seed < 30; seed++) {
    struct rng d = rng_for(seed, 0);
    const struct trial t = {.seed = seed,
                            .loss = rng_below(&d, 12),
                            .dup = rng_below(&d, 12),
                            .late = rng_below(&d, 12),
                            .rnr = seed % 3 == 0 ? rng_below(&d, 20) : 0,
                            .mtu = seed % 5 == 0 ? 1024 : 256,
                            .ack_every = rng_below(&d, 5),
                            .max_inflight = rng_percent(&d, 30) ? 8 : 1000,
                            .ack_delay = rng_percent(&d, 30) ? 20 * US : 0};
    run(&t, &s, &r);
    assert_true(s.sequence_naks <= r.naks * 2);   // each at most doubled on its way
    assert_true(s.rnr_naks <= r.rnrs * 2);
    assert_true(r.naks <= r.out_of_sequence);
    packets += r.packets;
    sum.repeats += s.repeats;
    sum.sequence_naks += s.sequence_naks;
    sum.rnr_naks += s.rnr_naks;
    sum.timeouts += s.timeouts;
  }
  print_message("%llu packets, %llu repeats, %llu NAKs, %llu RNR, %llu time-outs\n", (unsigned long long)packets,
                (unsigned long long)sum.repeats, (unsigned long long)sum.sequence_naks, (unsigned long long)sum.rnr_naks,
                (unsigned long long)sum.timeouts);
  assert_true(packets > 20000);
  assert_true(sum.repeats > 1000 && sum.sequence_naks > 100 && sum.rnr_naks > 100 && sum.timeouts > 100);
}

/// On a good network, a packet that finds no receive buffer and those behind it come again, and nothing else does.
static void waiting_for_buffers_is_no_loss(void **state) {
  (void)state;
  struct requester_counts s;
  struct responder_counts r;
  struct trial t = {.seed = 99, .mtu = 256, .ack_every = 2, .max_inflight = 1000};
  run(&t, &s, &r);
  const uint64_t quiet = s.packets;
  t.rnr = 50;
  run(&t, &s, &r);
  assert_int_equal(r.out_of_sequence + r.naks + s.sequence_naks + r.duplicates, 0);
  assert_int_equal(s.rnr_naks, r.rnrs);
  assert_int_equal(s.timeouts, 0);
  assert_int_equal(s.packets, quiet + s.repeats);
  assert_int_equal(s.repeats, r.skipped + r.rnrs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_faults_nothing_is_sent_twice),
      cmocka_unit_test(faults_are_overcome),
      cmocka_unit_test(waiting_for_buffers_is_no_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
