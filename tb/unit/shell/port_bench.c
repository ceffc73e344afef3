#include "unit/shell/port_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

enum { WORDS = BEAT / 4 };
static const char *const CLOCKS[DOMAINS] = {"clk_i", "rx_clk_i", "tx_clk_i"};
static const char *const RESETS[DOMAINS] = {"rst_ni", "rx_rst_ni", "tx_rst_ni"};

void bench_send(struct source *s, struct frame *f) { frame_list_put(&s->todo, f); }

// --- what comes out ---

static bool same(const struct frame *f, const struct sink *s, bool padded) {
  const size_t len = padded && f->len < MIN_WIRE ? MIN_WIRE : f->len;
  if (s->len != len || s->user != f->user || s->id != f->id || memcmp(s->bytes, f->bytes, f->len) != 0) return false;
  for (size_t i = f->len; i < len; i++)
    if (s->bytes[i]) return false;
  return true;
}

// The frame in the sink is the next of its queue, or one behind it if frames may vanish.
static void judge(struct bench *b, struct sink *s, struct source *from, bool padded) {
  struct frame_list *l = &from->expected[s->id & 1];
  const size_t head = l->head;
  while (frame_list_head(l)) {
    struct frame *f = frame_list_take(l);
    const bool found = same(f, s, padded);
    if (found) {
      const uint64_t took = s->began - f->ended;
      if (took < s->least || s->frames == 0) s->least = took;
      if (took > s->most) s->most = took;
    }
    free(f);
    s->skipped += !found;
    if (found) {
      s->frames++;
      return;
    }
    if (!b->may_lose) break;
  }
  fail_msg("%s at %llu ps: frame %lu (%zu bytes, user %u, id %u) is not the one that was sent (%zu were waiting)",
           padded ? "transmit" : "receive", (unsigned long long)b->now, s->frames, s->len, s->user, s->id, l->count - head);
}

static void take_beat(struct bench *b, struct sink *s, const char *const pins[], bool *last) {
  uint32_t words[WORDS];
  dut_get_words(b->d, pins[0], words, WORDS);
  const uint64_t keep = dut_get(b->d, pins[1]);
  *last = dut_get(b->d, pins[2]);
  s->user = (unsigned)dut_get(b->d, pins[3]);
  s->id = (unsigned)dut_get(b->d, pins[4]);
  const size_t bytes = (size_t)__builtin_popcountll(keep);
  assert_true(bytes == BEAT ? keep == UINT64_MAX : *last && bytes > 0 && keep == (UINT64_C(1) << bytes) - 1);
  assert_true(s->len + bytes <= sizeof s->bytes);
  memcpy(s->bytes + s->len, words, bytes);
  s->len += bytes;
}

static void core_out(struct bench *b, bool ready) {
  static const char *const pins[] = {"m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser", "m_axis_tid"};
  const bool valid = dut_get(b->d, "m_axis_tvalid");
  if (b->m.within) assert_true(valid);
  if (valid && !b->m.within) b->m.began = b->now;
  b->m.within = valid;
  if (!valid || !ready) return;
  bool last;
  take_beat(b, &b->m, pins, &last);
  if (!last) return;
  judge(b, &b->m, &b->rx, false);
  b->m.len = 0;
  b->m.within = false;
}

// A pause frame of ours: the neighbour keeps to it.
static bool pause_seen(struct bench *b) {
  static const uint8_t head[] = {0x01, 0x80, 0xC2, 0, 0, 0x01, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x88, 0x08, 0x01, 0x01, 0};
  const uint8_t *bytes = b->tx.bytes;
  if (b->tx.len != MIN_WIRE || memcmp(bytes, head, sizeof head) != 0) return false;
  for (unsigned p = 0; p < PRIOS; p++) {
    const unsigned quanta = (unsigned)bytes[18 + 2 * p] << 8 | bytes[19 + 2 * p];
    if (!(bytes[17] >> p & 1)) {
      assert_int_equal(quanta, 0);
      continue;
    }
    b->pause_to[p] = b->now + quanta * b->quantum;
    if (quanta == 0) b->resumes_seen++;
  }
  b->pauses_seen++;
  return true;
}

static void begun(struct bench *b) {
  const struct frame *f = frame_list_head(&b->core.expected[dut_get(b->d, "tx_axis_tid") & 1]);
  if (!f || b->may_lose) return;
  if (b->now >= b->hold_from[f->prio] && b->now < b->hold_to[f->prio]) {
    if (b->begun_held[f->prio]++ >= b->slack) {
      fail_msg("priority %u at %llu ps: a frame begins in a pause from %llu to %llu ps", f->prio, (unsigned long long)b->now,
               (unsigned long long)b->hold_from[f->prio], (unsigned long long)b->hold_to[f->prio]);
    }
  }
}

static void tx_out(struct bench *b, bool ready) {
  static const char *const pins[] = {"tx_axis_tdata", "tx_axis_tkeep", "tx_axis_tlast", "tx_axis_tuser", "tx_axis_tid"};
  const bool valid = dut_get(b->d, "tx_axis_tvalid");
  if (b->tx.within && !valid) fail_msg("%llu ps: a hole inside a frame", (unsigned long long)b->now);
  if (valid && !b->tx.within) {
    b->tx.began = b->now;
    uint32_t words[WORDS];
    dut_get_words(b->d, pins[0], words, WORDS);
    if ((words[0] & 0xFF) != 0x01) begun(b);
  }
  b->tx.within = valid;
  if (!valid || !ready) return;
  bool last;
  take_beat(b, &b->tx, pins, &last);
  if (!last) return;
  assert_true(b->tx.len >= MIN_WIRE);
  if (!pause_seen(b)) judge(b, &b->tx, &b->core, true);
  b->tx.len = 0;
  b->tx.within = false;
}

// --- what goes in ---

static struct frame *some_pause(struct bench *b) {
  unsigned quanta[PRIOS];
  for (unsigned p = 0; p < PRIOS; p++) quanta[p] = rng_percent(&b->rng, 30) ? 0 : rng_below(&b->rng, b->most_quanta + 1);
  return frame_pause(&b->rng, rng_below(&b->rng, 256), quanta, rng_percent(&b->rng, 20));
}

static struct frame *some_frame(struct bench *b) {
  const unsigned at = rng_below(&b->rng, 8);
  // Around the ends of beats and of the shortest frame as often as anywhere.
  unsigned len = rng_from(&b->rng, b->shortest, b->longest);
  if (at == 0) len = rng_from(&b->rng, 1, 4) * BEAT + rng_below(&b->rng, 3) - 1;
  if (at == 1) len = rng_from(&b->rng, 58, 66);
  if (len < b->shortest || len > b->longest) len = b->shortest;
  return frame_draw(&b->rng, len, rng_percent(&b->rng, 40) ? 3 : rng_below(&b->rng, PRIOS));
}

static struct frame *next_of(struct bench *b, struct source *s) {
  struct frame *f = frame_list_take(&s->todo);
  if (f) return f;
  if (s == &b->core) return b->core_makes && !rng_percent(&b->rng, b->core_gap) ? some_frame(b) : NULL;
  if (!b->rx_makes || rng_percent(&b->rng, b->rx_gap)) return NULL;
  f = rng_percent(&b->rng, b->pauses) ? some_pause(b) : some_frame(b);
  if (rng_percent(&b->rng, b->errors)) f->user |= 1;
  // A neighbour that is paused sends what is of another priority.
  if (!b->obeys || f->control || b->now >= b->pause_to[f->prio]) return f;
  free(f);
  return NULL;
}

static void drive(struct bench *b, struct source *s, const char *const pins[], bool hole) {
  if (!s->now && (s->now = next_of(b, s))) s->sent = 0;
  const bool valid = s->now && (s->stalled || !hole);
  s->stalled = valid;
  dut_set(b->d, pins[0], valid);
  // What is not valid or not kept is noise.
  uint32_t words[WORDS];
  rng_fill(&b->rng, (uint8_t *)words, sizeof words);
  size_t bytes = 0;
  if (valid) {
    bytes = s->now->len - s->sent < BEAT ? s->now->len - s->sent : BEAT;
    memcpy(words, s->now->bytes + s->sent, bytes);
  }
  const bool last = valid && s->sent + bytes == s->now->len;
  dut_set_words(b->d, pins[1], words, WORDS);
  dut_set(b->d, pins[2], bytes == BEAT ? UINT64_MAX : (UINT64_C(1) << bytes) - 1);
  dut_set(b->d, pins[3], last);
  // The frame error counts with the last beat.
  dut_set(b->d, pins[4], valid ? (s->now->user & ~1u) | (last && (s->now->user & 1)) : rng_below(&b->rng, 16));
  dut_set(b->d, pins[5], valid ? s->now->id : rng_below(&b->rng, 32));
}

static void note_pause(struct bench *b, const struct frame *f) {
  b->pauses_sent++;
  const bool classic = f->bytes[14] == 0;
  for (unsigned p = 0; p < PRIOS; p++) {
    if (!classic && !(f->bytes[17] >> p & 1)) continue;
    const uint8_t *at = f->bytes + (classic ? 16 : 18 + 2 * p);
    const uint64_t quanta = (uint64_t)at[0] << 8 | at[1];
    // What has been decided already begins: taking the frame apart, watchdog, crossing, arbiter, last stage.
    const uint64_t from = b->now + 4 * b->period[RX] + 7 * b->period[TX];
    // One that goes on began long ago.
    if (quanta == 0 || b->hold_to[p] <= b->now) {
      b->hold_from[p] = from;
      b->begun_held[p] = 0;
    }
    b->hold_to[p] = b->now + quanta * b->quantum;
    if (b->hold_to[p] > from) b->held++;
  }
}

static void sent(struct bench *b, struct source *s) {
  s->stalled = false;
  s->sent += s->now->len - s->sent < BEAT ? s->now->len - s->sent : BEAT;
  if (s->sent < s->now->len) return;
  struct frame *f = s->now;
  s->now = NULL;
  f->ended = b->now;
  if (!f->control) {
    frame_list_put(&s->expected[frame_queue(f->prio)], f);
    return;
  }
  if (!(f->user & 1)) note_pause(b, f);
  free(f);
}

// --- clocks ---

static void edge(struct bench *b, enum domain c) {
  static const char *const rx_pins[] = {"rx_axis_tvalid", "rx_axis_tdata", "rx_axis_tkeep",
                                        "rx_axis_tlast",  "rx_axis_tuser", "rx_axis_tid"};
  static const char *const core_pins[] = {"s_axis_tvalid", "s_axis_tdata", "s_axis_tkeep",
                                          "s_axis_tlast",  "s_axis_tuser", "s_axis_tid"};
  const bool reset = b->reset_left[c] > 0;
  dut_set(b->d, RESETS[c], !reset);
  if (reset) b->reset_left[c]--;
  const bool ready = !reset && rng_percent(&b->rng, c == CORE ? b->core_ready : b->tx_ready);
  if (c == RX && !reset) drive(b, &b->rx, rx_pins, rng_percent(&b->rng, b->rx_hole));
  if (c == CORE && !reset) drive(b, &b->core, core_pins, rng_percent(&b->rng, b->core_hole));
  if (reset && c == RX) dut_set(b->d, "rx_axis_tvalid", 0);
  if (reset && c == CORE) dut_set(b->d, "s_axis_tvalid", 0);
  if (c == CORE) dut_set(b->d, "m_axis_tready", ready);
  if (c == TX) dut_set(b->d, "tx_axis_tready", ready);
  dut_eval(b->d);
  if (!reset) {
    if (c == RX && dut_get(b->d, "rx_axis_tvalid")) sent(b, &b->rx);
    if (c == CORE && dut_get(b->d, "s_axis_tvalid") && dut_get(b->d, "s_axis_tready")) sent(b, &b->core);
    if (c == CORE) core_out(b, ready);
    if (c == TX) tx_out(b, ready);
  }
  dut_set(b->d, CLOCKS[c], 1);
  dut_eval(b->d);
  dut_set(b->d, CLOCKS[c], 0);
  dut_eval(b->d);
  b->cycles[c]++;
}

void bench_run(struct bench *b, uint64_t picoseconds) {
  const uint64_t end = b->now + picoseconds;
  for (;;) {
    enum domain c = CORE;
    for (enum domain i = RX; i < DOMAINS; i++)
      if (b->next[i] < b->next[c]) c = i;
    if (b->next[c] > end) break;
    b->now = b->next[c];
    b->next[c] += b->period[c];
    edge(b, c);
  }
  b->now = end;
}

void bench_reset(struct bench *b, enum domain which, unsigned cycles) {
  b->reset_left[which] = cycles;
  // Who is reset forgets what it is doing.
  if (which == RX || which == CORE) {
    struct source *s = which == RX ? &b->rx : &b->core;
    free(s->now);
    s->now = NULL;
    s->stalled = false;
  }
  if (which == CORE || which == TX) {
    struct sink *s = which == CORE ? &b->m : &b->tx;
    s->len = 0;
    s->within = false;
  }
  if (which == RX) memset(b->hold_to, 0, sizeof b->hold_to);
}

struct bench *bench_new(uint64_t seed, const uint64_t period[DOMAINS], unsigned rx_quantum_step) {
  struct bench *b = need(calloc(1, sizeof *b));
  b->rng = rng_for(seed, 0);
  b->d = dut_new();
  for (enum domain c = CORE; c < DOMAINS; c++) {
    b->period[c] = period[c];
    b->next[c] = 1 + rng_below(&b->rng, (unsigned)period[c]);
    b->reset_left[c] = 40;
  }
  b->quantum = period[RX] * 65536 / rx_quantum_step;
  b->core_ready = b->tx_ready = 100;
  b->shortest = 1;
  b->longest = 1518;
  dut_set(b->d, "mac_i", UINT64_C(0x021122334455));
  dut_set(b->d, "untagged_i", UNTAGGED);
  dut_set(b->d, "pfc_prios_i", 0xFF);
  dut_set(b->d, "pfc_quanta_i", 600);
  bench_run(b, 100 * (period[CORE] + period[RX] + period[TX]));
  return b;
}

void bench_drain(struct bench *b) {
  const bool made[] = {b->rx_makes, b->core_makes};
  b->rx_makes = b->core_makes = false;
  b->core_ready = b->tx_ready = 100;
  for (unsigned i = 0; i < 400; i++) {
    bench_run(b, 200 * b->period[TX]);
    bool busy =
        b->rx.now || b->core.now || frame_list_head(&b->rx.todo) || frame_list_head(&b->core.todo) || b->m.within || b->tx.within;
    for (unsigned q = 0; q < QUEUES; q++) busy |= frame_list_head(&b->rx.expected[q]) || frame_list_head(&b->core.expected[q]);
    if (!busy || (b->may_lose && i > 40)) break;
  }
  for (unsigned q = 0; q < QUEUES; q++) {
    while (b->may_lose && frame_list_head(&b->rx.expected[q])) b->m.skipped++, free(frame_list_take(&b->rx.expected[q]));
    while (b->may_lose && frame_list_head(&b->core.expected[q])) b->tx.skipped++, free(frame_list_take(&b->core.expected[q]));
    assert_null(frame_list_head(&b->rx.expected[q]));
    assert_null(frame_list_head(&b->core.expected[q]));
  }
  assert_false(b->m.within || b->tx.within || b->rx.now || b->core.now);
  b->rx_makes = made[0];
  b->core_makes = made[1];
}

uint64_t bench_count(struct bench *b, enum event event) {
  uint32_t words[6];
  dut_get_words(b->d, "count_o", words, 6);
  return words[event];
}

void bench_free(struct bench *b) {
  struct source *const both[] = {&b->rx, &b->core};
  for (unsigned i = 0; i < 2; i++) {
    free(both[i]->now);
    frame_list_free(&both[i]->todo);
    for (unsigned q = 0; q < QUEUES; q++) frame_list_free(&both[i]->expected[q]);
  }
  dut_free(b->d);
  free(b);
}
