// The random traffic, on golden model and witness alone: every fate is reached, most columns complete, and the two agree.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/traffic.h"
#include "model/model.h"
#include "oracle/witness.h"
#include "wire/roce.h"

enum { SEEDS = 200, MAX_FRAME = 9728 };

/// The three shapes of rtl/top/configs.csv, and one whose connection table is too small for its rings.
static const struct traffic_limits shapes[] = {
    {.model = {2, 4, 64, 256, MAX_FRAME}, .rings = 2, .max_window = 2, .slots = 32},
    {.model = {2, 4, 2, 256, MAX_FRAME}, .rings = 2, .max_window = 2, .slots = 32},
    {.model = {6, 6, 1024, 1024, MAX_FRAME}, .rings = 8, .max_window = 4, .slots = 680},
    {.model = {8, 8, 1024, 4096, MAX_FRAME}, .rings = 16, .max_window = 8, .slots = 1024},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const struct traffic_limits *shape_of(uint64_t seed) { return &shapes[seed % SHAPES]; }

static void same_seed_same_bytes(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 24; seed++) {
    struct traffic *a = traffic_new(seed, shape_of(seed)), *b = traffic_new(seed, shape_of(seed));
    assert_int_equal(a->frame_count, b->frame_count);
    assert_int_equal(a->conn_count, b->conn_count);
    assert_int_equal(a->flush_at, b->flush_at);
    for (size_t i = 0; i < a->frame_count; i++) {
      const struct traffic_frame *f = &a->frames[i], *g = &b->frames[i];
      assert_int_equal(f->port, g->port);
      assert_int_equal(f->error, g->error);
      assert_int_equal(f->len, g->len);
      assert_memory_equal(f->data, g->data, f->len);
    }
    traffic_free(a);
    traffic_free(b);
  }
}

static void another_seed_other_bytes(void **state) {
  (void)state;
  struct traffic *a = traffic_new(1, &shapes[0]), *b = traffic_new(2, &shapes[0]);
  bool same = a->frame_count == b->frame_count;
  for (size_t i = 0; same && i < a->frame_count; i++)
    same = a->frames[i].len == b->frames[i].len && memcmp(a->frames[i].data, b->frames[i].data, a->frames[i].len) == 0;
  assert_false(same);
  traffic_free(a);
  traffic_free(b);
}

static void frames_are_within_bounds(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    const struct traffic_limits *limits = shape_of(seed);
    struct traffic *t = traffic_new(seed, limits);
    unsigned slots = 0;
    assert_in_range(t->ring_count, 1, limits->rings);
    for (size_t r = 0; r < t->ring_count; r++) {
      const struct model_ring *ring = &t->rings[r];
      assert_in_range(ring->workers, 1, limits->model.ranks);
      assert_in_range(ring->window, 1, limits->max_window);
      assert_true(ring->stride > 0);
      slots += 2 * ring->window * ring->stride;
    }
    assert_in_range(slots, 1, limits->slots);
    assert_in_range(t->conn_count, 0, limits->model.conns);
    assert_in_range(t->frame_count, 30, 400);
    for (size_t i = 0; i < t->frame_count; i++) {
      assert_in_range(t->frames[i].port, 0, limits->model.ports - 1);
      assert_in_range(t->frames[i].len, 1, MAX_FRAME + 130);
    }
    traffic_free(t);
  }
}

/// From BTH to ICRC, but for the byte that routers may change.
static bool same_packet(const struct traffic_frame *f, const struct roce_packet *p, const struct traffic_frame *g,
                        const struct roce_packet *q) {
  const size_t len = p->ip_end - 4 - p->bth;
  return q->ip_end - 4 - q->bth == len && memcmp(f->data + p->bth + 5, g->data + q->bth + 5, len - 5) == 0;
}

/// What comes again is the same packet, apart from the few that break rules.
static void retransmissions_are_the_same_packet(void **state) {
  (void)state;
  size_t same = 0, different = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    struct traffic *t = traffic_new(seed, &shapes[0]);
    for (size_t i = 0; i < t->frame_count; i++) {
      struct roce_packet p, q;
      roce_parse(t->frames[i].data, t->frames[i].len, &p);
      if (p.class != ROCE_CANDIDATE || t->frames[i].sender == TRAFFIC_NOBODY) continue;
      for (size_t k = 0; k < i; k++) {
        if (t->frames[k].sender != t->frames[i].sender || t->frames[k].message != t->frames[i].message) continue;
        roce_parse(t->frames[k].data, t->frames[k].len, &q);
        if (q.class != ROCE_CANDIDATE || !conn_key_equal(&p.key, &q.key) || p.psn != q.psn) continue;
        if (same_packet(&t->frames[i], &p, &t->frames[k], &q))
          same++;
        else
          different++;
      }
    }
    traffic_free(t);
  }
  assert_true(same > 500);
  assert_true(different * 3 < same);
}

// --- on the golden model ---

struct seen {
  uint64_t fates[FATE_COUNT];
  size_t columns, complete, excused;
};

/// A device that does everything at once.
struct device {
  struct traffic *t;
  struct model *model;
  struct witness *witness;
  struct seen *seen;
};

static void take_all(struct device *d, const struct model_verdict *v, bool completed) {
  struct model_frame frames[32];
  const uint32_t everyone = (1u << d->t->rings[v->ring].workers) - 1;
  uint32_t mask = completed ? everyone : 1u << v->rank;
  if (model_owed(d->model) == 0) return;
  const int count = model_take(d->model, v->ring, v->msgid, v->offset, mask, frames);
  assert_true(count > 0);
  for (int i = 0; i < count; i++) {
    witness_out(d->witness, frames[i].port, frames[i].data, frames[i].len);
    traffic_result(d->t, frames[i].data, frames[i].len);
  }
  assert_int_equal(model_owed(d->model), 0);
}

static void put(struct device *d, const struct traffic_frame *f) {
  struct model_verdict v;
  witness_in(d->witness, f->port, f->data, f->len, f->error);
  model_rx(d->model, f->port, f->data, f->len, f->error, &v);
  d->seen->fates[v.fate]++;
  d->seen->complete += v.completes;
  if (v.fate == FATE_PASSED) witness_out(d->witness, f->port, f->data, f->len);
  if (v.fate != FATE_STORED && v.fate != FATE_DUPLICATE) return;
  bool unexpected;
  const bool completed = model_commit(d->model, f->port, &unexpected);
  assert_false(unexpected);
  take_all(d, &v, completed);
}

static void flush(struct device *d) {
  witness_flush(d->witness, d->t->flush_ring);
  model_flush(d->model, d->t->flush_ring);
  traffic_flushed(d->t);
}

static struct witness *watch(const struct traffic *t) {
  const struct model_limits *l = &t->limits.model;
  const struct witness_limits limits = {.ports = l->ports,
                                        .conns = l->conns,
                                        .slot_bytes = l->slot_bytes,
                                        .max_frame_bytes = l->max_frame_bytes};
  struct witness_ring rings[32];
  assert_true(t->ring_count <= 32);
  for (size_t i = 0; i < t->ring_count; i++) {
    const struct model_ring *r = &t->rings[i];
    rings[i] = (struct witness_ring){r->id, r->workers, r->window, r->stride, r->learn};
  }
  return witness_new(&limits, rings, t->ring_count);
}

static void run(uint64_t seed, struct seen *seen) {
  const struct traffic_limits *limits = shape_of(seed);
  struct traffic *t = traffic_new(seed, limits);
  struct device d = {t, model_new(&limits->model, t->rings, t->ring_count), NULL, seen};
  d.witness = watch(t);
  assert_non_null(d.model);
  for (size_t i = 0; i < t->conn_count; i++) {
    const struct traffic_conn *c = &t->conns[i];
    assert_int_equal(model_connect(d.model, c->ring, c->rank, &c->key), 0);
    struct witness_key key = {.vlan = c->key.vlan, .v6 = c->key.v6, .qp = c->key.qpn};
    memcpy(key.source, c->key.src, 16);
    memcpy(key.destination, c->key.dst, 16);
    witness_connect(d.witness, c->ring, c->rank, &key);
  }
  for (size_t i = 0; i < t->frame_count; i++) {
    if (i == t->flush_at) flush(&d);
    if (!traffic_may_start(t, i)) traffic_give_up(t, i);
    assert_true(traffic_may_start(t, i));
    put(&d, &t->frames[i]);
  }
  witness_finish(d.witness);
  if (witness_faults(d.witness) != 0) fail_msg("seed %llu: %s", (unsigned long long)seed, witness_text(d.witness, 0));
  seen->columns += t->columns;
  const struct witness_counts counts = witness_counts(d.witness);
  seen->excused += witness_excused(&counts);
  witness_free(d.witness);
  model_free(d.model);
  traffic_free(t);
}

static void reaches_every_fate(void **state) {
  (void)state;
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) run(seed, &seen);
  for (int f = 0; f < FATE_COUNT; f++) {
    print_message("%-18s %llu\n", fate_name((enum fate)f), (unsigned long long)seen.fates[f]);
    if (f == FATE_CLOSED || f == FATE_MEMORY_ERROR) continue;   // a matter of the control plane, and of memories
    if (seen.fates[f] == 0) fail_msg("no frame was %s", fate_name((enum fate)f));
  }
  print_message("%zu of %zu columns complete, %zu excused\n", seen.complete, seen.columns, seen.excused);
  assert_true(seen.complete * 10 >= seen.columns * 3);
}

/// A sender that got no result waits with the message N later, and only with that.
static void waits_for_results(void **state) {
  (void)state;
  size_t waiting = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct traffic *t = traffic_new(seed, &shapes[0]);
    for (size_t i = 0; i < t->frame_count; i++) {
      const struct traffic_frame *f = &t->frames[i];
      if (f->sender == TRAFFIC_NOBODY || f->message == 0) assert_true(traffic_may_start(t, i));
      if (traffic_may_start(t, i)) continue;
      waiting++;
      traffic_give_up(t, i);
      assert_true(traffic_may_start(t, i));
    }
    traffic_free(t);
  }
  assert_true(waiting > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_seed_same_bytes),     cmocka_unit_test(another_seed_other_bytes),
      cmocka_unit_test(frames_are_within_bounds), cmocka_unit_test(reaches_every_fate),
      cmocka_unit_test(waits_for_results),        cmocka_unit_test(retransmissions_are_the_same_packet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
