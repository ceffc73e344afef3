#include "unit/fabric/port_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "model/uplink/uplink_key.h"
#include "wire/bytes.h"

enum { BEAT_WORDS = ENDS_BEAT / 4, QUANTA = 400, MIN_FRAME = 60, SEEN = 4 };
static const uint64_t MAC = 0x020304050607;

/// Priority 3 has a queue of its own, by the map of the `// DUT:` line.
static unsigned queue_of(unsigned prio) { return prio == 3; }

// --- frames ---

static void put(struct packet_list *l, struct packet *p) {
  l->at = need_room(l->at, &l->room, l->count + 1, sizeof *l->at);
  l->at[l->count++] = p;
}

static struct packet *head(struct packet_list *l) { return l->head < l->count ? l->at[l->head] : NULL; }

static struct packet *take(struct packet_list *l) {
  struct packet *p = head(l);
  if (p) l->at[l->head++] = NULL;
  return p;
}

static void list_free(struct packet_list *l) {
  for (size_t i = 0; i < l->count; i++) free(l->at[i]);
  free(l->at);
}

static struct packet *packet_new(size_t len) {
  struct packet *p = need(calloc(1, sizeof *p + len));
  p->len = len;
  return p;
}

/// A frame of a priority: with a tag, IPv4 or IPv6 by its DSCP, or something else, which is of priority 0.
static struct packet *draw(struct ends *e, size_t len, unsigned prio) {
  struct packet *p = packet_new(len);
  rng_fill(&e->rng, p->bytes, len);
  p->bytes[0] = 2;   // no MAC control
  if (len >= 16) {
    static const uint16_t types[] = {0x8100, 0x0800, 0x86DD};
    const unsigned kind = rng_below(&e->rng, prio == 0 ? 4 : 3);
    put_be16(p->bytes + 12, kind < 3 ? types[kind] : 0x88B5);
    if (kind == 0) p->bytes[14] = (uint8_t)(prio << 5 | (p->bytes[14] & 31));
    if (kind == 1) {
      p->bytes[14] = 0x45;
      p->bytes[15] = (uint8_t)(prio << 5 | (p->bytes[15] & 31));
    }
    if (kind == 2) p->bytes[14] = (uint8_t)(0x60 | prio << 1 | (p->bytes[14] & 1));
  } else if (len >= 14) {
    put_be16(p->bytes + 12, 0x88B5);
  }
  struct uplink_read read;
  uplink_read(p->bytes, len, &read);
  p->prio = read.priority;
  return p;
}

void ends_send(struct ends *e, bool inside, size_t len, unsigned prio) {
  put(inside ? &e->to_tx : &e->to_rx, draw(e, len, prio));
}

void ends_pause(struct ends *e, unsigned enable, unsigned quanta) {
  struct packet *p = packet_new(UPLINK_PAUSE_BYTES);
  uint16_t all[UPLINK_PRIOS];
  for (unsigned i = 0; i < UPLINK_PRIOS; i++) all[i] = (uint16_t)quanta;
  uplink_pause_make(p->bytes, MAC ^ 1, (uint8_t)enable, all);
  if (enable == 0) {
    put_be16(p->bytes + 14, 1);
    put_be16(p->bytes + 16, (uint16_t)quanta);
  }
  p->control = true;
  put(&e->to_rx, p);
}

// --- what arrives ---

/// The frame is the next of its queue, or one behind it if frames may be dropped.
static void judge(struct ends *e, const uint8_t *bytes, size_t len, struct packet_list *l, bool padded, unsigned long *arrived,
                  unsigned long *lost) {
  struct packet *p;
  while ((p = take(l)) != NULL) {
    const size_t wire = padded && p->len < MIN_FRAME ? MIN_FRAME : p->len;
    const bool same = wire == len && memcmp(p->bytes, bytes, p->len) == 0;
    free(p);
    *arrived += same;
    *lost += !same;
    if (same) return;
    if (!e->may_lose) break;
  }
  fail_msg("cycle %llu, cable of %u: a frame of %zu bytes that nobody sent, or that overtook; %u found no room",
           (unsigned long long)e->now, e->delay, len, ends_count(e, FLOW_DROP_ROOM));
}

static size_t beat_out(struct ends *e, const char *data, const char *keep, unsigned which, uint8_t *to) {
  uint32_t words[ENDS_QUEUES * BEAT_WORDS], keeps[ENDS_QUEUES * 2];
  dut_get_words(e->d, data, words, ENDS_QUEUES * BEAT_WORDS);
  dut_get_words(e->d, keep, keeps, ENDS_QUEUES * 2);
  memcpy(to, words + which * BEAT_WORDS, ENDS_BEAT);
  return (size_t)__builtin_popcount(keeps[2 * which]) + (size_t)__builtin_popcount(keeps[2 * which + 1]);
}

static void inside_takes(struct ends *e, unsigned ready) {
  const unsigned valid = (unsigned)dut_get(e->d, "in_valid_o"), last = (unsigned)dut_get(e->d, "in_last_o");
  for (unsigned q = 0; q < ENDS_QUEUES; q++) {
    if (!(valid & ready) || !(valid >> q & ready >> q & 1)) continue;
    e->in_len[q] += beat_out(e, "in_data_o", "in_keep_o", q, e->in[q] + e->in_len[q]);
    if (!(last >> q & 1)) continue;
    judge(e, e->in[q], e->in_len[q], &e->rx_expected[q], false, &e->in_frames, &e->lost_rx);
    e->in_len[q] = 0;
  }
}

static void pause_seen(struct ends *e, uint8_t enable, const uint16_t quanta[UPLINK_PRIOS]) {
  const unsigned slot = (unsigned)(e->pauses_seen++ % (ENDS_MAX_DELAY + 1));
  e->asked_at[slot] = e->now + e->delay + 1;   // heard before anything is sent
  e->asked_enable[slot] = enable;
  memcpy(e->asked[slot], quanta, sizeof e->asked[slot]);
}

static void mac_takes(struct ends *e, bool ready) {
  const bool valid = dut_get(e->d, "tx_valid_o");
  assert_true(valid || e->tx_len == 0);   // no hole inside a frame
  if (!valid) return;
  uint8_t first[ENDS_BEAT];
  const size_t bytes = beat_out(e, "tx_data_o", "tx_keep_o", 0, first);
  if (e->tx_len == 0 && ready) {
    struct uplink_read read;
    uplink_read(first, bytes, &read);
    bool control;
    uint8_t enable;
    uint16_t quanta[UPLINK_PRIOS];
    if (!uplink_pause_read(first, bytes, &enable, quanta, &control) && e->hold_from[read.priority] < e->now &&
        e->now <= e->hold_to[read.priority]) {
      // A short frame that was padded is of priority 0, as its first bytes say.
      e->begun_held[read.priority]++;
      assert_true(e->begun_held[read.priority] <= e->slack);
    }
  }
  if (!ready) return;
  memcpy(e->tx + e->tx_len, first, bytes);
  e->tx_len += bytes;
  if (!dut_get(e->d, "tx_last_o")) return;
  uint8_t enable;
  uint16_t quanta[UPLINK_PRIOS];
  if (uplink_pause_read(e->tx, e->tx_len, &enable, quanta, NULL)) {
    assert_int_equal(e->tx_len, UPLINK_PAUSE_BYTES);
    pause_seen(e, enable, quanta);
  } else {
    struct uplink_read read;
    uplink_read(e->tx, e->tx_len, &read);
    judge(e, e->tx, e->tx_len, &e->tx_expected[queue_of(read.priority)], true, &e->out_frames, &e->lost_tx);
  }
  e->tx_len = 0;
}

// --- what is sent ---

static void show(struct dut *d, const char *const pins[], const uint8_t *bytes, size_t len, bool last) {
  uint32_t words[BEAT_WORDS] = {0};
  memcpy(words, bytes, len);
  dut_set_words(d, pins[0], words, BEAT_WORDS);
  dut_set(d, pins[1], len == 64 ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1);
  dut_set(d, pins[2], last);
}

static void neighbour_hears(struct ends *e) {
  for (unsigned s = 0; s <= ENDS_MAX_DELAY; s++) {
    if (e->asked_at[s] != e->now) continue;
    for (unsigned p = 0; p < UPLINK_PRIOS; p++) {
      if (e->asked_enable[s] >> p & 1) e->pause_to[p] = e->now + e->asked[s][p];
    }
  }
}

/// The next beat from the neighbour, at his end of the cable.
static struct beat neighbour_sends(struct ends *e) {
  struct beat b = {0};
  if (e->rx_sent == 0) {
    if (head(&e->to_rx) == NULL && rng_percent(&e->rng, e->neighbour_sends)) {
      unsigned prio;
      do prio = rng_below(&e->rng, 8);
      while (!(e->prios >> prio & 1));
      ends_send(e, false, rng_from(&e->rng, 14, e->longest), prio);
      e->to_rx.at[e->to_rx.count - 1]->bad = rng_percent(&e->rng, e->bad);
    }
    const struct packet *p = head(&e->to_rx);
    if (p == NULL || (e->obeys && !p->control && e->pause_to[p->prio] > e->now)) return b;
  } else if (rng_percent(&e->rng, e->hole)) {
    return b;
  }
  struct packet *p = head(&e->to_rx);
  b.valid = true;
  b.len = (unsigned)(p->len - e->rx_sent < ENDS_BEAT ? p->len - e->rx_sent : ENDS_BEAT);
  memcpy(b.bytes, p->bytes + e->rx_sent, b.len);
  e->rx_sent += b.len;
  b.last = e->rx_sent == p->len;
  b.bad = b.last && p->bad;
  if (b.last) {
    e->rx_sent = 0;
    take(&e->to_rx);
    e->rx_frames++;
    e->rx_pauses += p->control;
    if (p->control) {
      // Until when the device must keep it, by the latest it can have begun, and the earliest it can end.
      uint8_t enable;
      uint16_t quanta[UPLINK_PRIOS];
      assert_true(uplink_pause_read(p->bytes, p->len, &enable, quanta, NULL));
      for (unsigned i = 0; i < UPLINK_PRIOS; i++) {
        if (!(enable >> i & 1)) continue;
        e->hold_from[i] = e->now + e->delay + SEEN;
        e->hold_to[i] = quanta[i] == 0 ? 0 : e->now + e->delay + quanta[i];
        e->begun_held[i] = 0;
      }
    }
    if (p->control || p->bad || p->len > ENDS_MAX_BEATS * ENDS_BEAT)
      free(p);
    else
      put(&e->rx_expected[queue_of(p->prio)], p);
  }
  return b;
}

static void inside_shows(struct ends *e) {
  static const char *const pins[] = {"to_data_i", "to_keep_i", "to_last_i"};
  if (head(&e->to_tx) == NULL && rng_percent(&e->rng, e->inside_sends)) {
    unsigned prio;
    do prio = rng_below(&e->rng, 8);
    while (!(e->prios >> prio & 1));
    ends_send(e, true, rng_from(&e->rng, 14, e->longest), prio);
  }
  const struct packet *p = head(&e->to_tx);
  const bool valid = p != NULL && (e->rx_stalled || e->tx_sent == 0 || !rng_percent(&e->rng, e->hole));
  dut_set(e->d, "to_valid_i", valid);
  if (!valid) return;
  const size_t left = p->len - e->tx_sent, len = left < ENDS_BEAT ? left : ENDS_BEAT;
  show(e->d, pins, p->bytes + e->tx_sent, len, left <= ENDS_BEAT);
  dut_set(e->d, "to_prio_i", e->tx_sent == 0 ? p->prio : rng_below(&e->rng, 8));
}

static void inside_sent(struct ends *e) {
  if (!dut_get(e->d, "to_valid_i")) return;
  e->rx_stalled = !dut_get(e->d, "to_ready_o");
  if (e->rx_stalled) return;
  struct packet *p = head(&e->to_tx);
  e->tx_sent += p->len - e->tx_sent < ENDS_BEAT ? p->len - e->tx_sent : ENDS_BEAT;
  if (e->tx_sent < p->len) return;
  e->tx_sent = 0;
  e->tx_frames++;
  put(&e->tx_expected[queue_of(p->prio)], take(&e->to_tx));
}

// --- all ---

static void cycle(struct ends *e) {
  static const char *const pins[] = {"rx_data_i", "rx_keep_i", "rx_last_i"};
  neighbour_hears(e);
  // What was sent `delay` cycles ago comes now.
  const unsigned in = (unsigned)(e->now % (e->delay + 1)), out = (unsigned)((e->now + 1) % (e->delay + 1));
  e->cable[in] = neighbour_sends(e);
  const struct beat *b = &e->cable[e->delay == 0 ? 0 : out];
  dut_set(e->d, "rx_valid_i", b->valid);
  if (b->valid) {
    show(e->d, pins, b->bytes, b->len, b->last);
    dut_set(e->d, "rx_error_i", b->bad);
  }
  inside_shows(e);
  const unsigned ready = (unsigned)rng_percent(&e->rng, e->inside_ready) | (unsigned)rng_percent(&e->rng, e->inside_ready) << 1;
  const bool mac_ready = rng_percent(&e->rng, e->mac_ready);
  dut_set(e->d, "in_ready_i", ready);
  dut_set(e->d, "tx_ready_i", mac_ready);
  dut_eval(e->d);
  // Storms to the cycle, of the pauses that there are: `paused_o` of this cycle is seen in `storm_o` of the next.
  const unsigned paused = (unsigned)dut_get(e->d, "paused_o");
  inside_sent(e);
  inside_takes(e, ready);
  mac_takes(e, mac_ready);
  dut_tick(e->d);
  for (unsigned p = 0; p < UPLINK_PRIOS; p++) {
    uplink_watch_set(&e->watch[p], e->now, paused >> p & 1, e->limit);
    assert_int_equal(dut_get(e->d, "storm_o") >> p & 1, uplink_watch_storm(&e->watch[p], e->now + 1, e->limit));
  }
  e->now++;
}

void ends_run(struct ends *e, uint64_t cycles) {
  for (uint64_t i = 0; i < cycles; i++) cycle(e);
}

struct ends *ends_new(uint64_t seed, unsigned delay, unsigned xoff, unsigned xon, unsigned limit, unsigned tick) {
  struct ends *e = need(calloc(1, sizeof *e));
  e->d = dut_new();
  e->rng = rng_for(seed, 26);
  e->delay = delay;
  e->limit = limit * tick;
  e->inside_ready = e->mac_ready = 100;
  e->prios = 0xFF;
  e->longest = ENDS_MAX_BEATS * ENDS_BEAT;
  e->obeys = true;
  for (unsigned s = 0; s <= ENDS_MAX_DELAY; s++) e->asked_at[s] = UINT64_MAX;
  dut_set(e->d, "mac_i", MAC);
  dut_set(e->d, "lossless_i", 0xFF);
  dut_set(e->d, "quanta_i", QUANTA);
  dut_set(e->d, "xoff_level_i", xoff);
  dut_set(e->d, "xon_level_i", xon);
  dut_set(e->d, "limit_i", limit);
  dut_reset(e->d);
  return e;
}

void ends_free(struct ends *e) {
  for (unsigned q = 0; q < ENDS_QUEUES; q++) {
    list_free(&e->rx_expected[q]);
    list_free(&e->tx_expected[q]);
  }
  list_free(&e->to_rx);
  list_free(&e->to_tx);
  dut_free(e->d);
  free(e);
}

uint32_t ends_count(struct ends *e, enum flow which) {
  uint32_t words[FLOWS];
  dut_get_words(e->d, "count_o", words, FLOWS);
  return words[which];
}

void ends_drain(struct ends *e) {
  e->neighbour_sends = e->inside_sends = 0;
  e->inside_ready = e->mac_ready = 100;
  ends_pause(e, 0, 0);
  // The longest pause that may still be told, and what waits on both sides.
  for (unsigned i = 0; i < 40 && (head(&e->to_rx) || head(&e->to_tx)); i++) ends_run(e, QUANTA);
  assert_true(head(&e->to_rx) == NULL && head(&e->to_tx) == NULL);
  ends_run(e, 2 * QUANTA + 2000);
  for (unsigned q = 0; q < ENDS_QUEUES; q++) {
    struct packet *p;
    while ((p = take(&e->rx_expected[q])) != NULL) free(p), e->lost_rx++;
    while ((p = take(&e->tx_expected[q])) != NULL) free(p), e->lost_tx++;
  }
  assert_true(e->may_lose || e->lost_rx + e->lost_tx == 0);
  assert_int_equal(dut_get(e->d, "in_valid_o"), 0);
  assert_int_equal(dut_get(e->d, "tx_valid_o"), 0);
  assert_int_equal(dut_get(e->d, "paused_o"), 0);
  assert_int_equal(dut_get(e->d, "xoff_o"), 0);
  assert_int_equal(ends_count(e, FLOW_RX), e->in_frames);
  assert_int_equal(ends_count(e, FLOW_DROP_ROOM), e->lost_rx);
  assert_int_equal(ends_count(e, FLOW_RX) + ends_count(e, FLOW_DROP_ROOM) + ends_count(e, FLOW_DROP_LONG) +
                       ends_count(e, FLOW_DROP_BAD) + ends_count(e, FLOW_RX_PAUSE) + ends_count(e, FLOW_RX_CONTROL),
                   e->rx_frames);
  assert_int_equal(ends_count(e, FLOW_RX_PAUSE), e->rx_pauses);
  assert_int_equal(ends_count(e, FLOW_TX), e->out_frames);
  assert_int_equal(ends_count(e, FLOW_DROP_STORM), e->lost_tx);
  assert_int_equal(ends_count(e, FLOW_TX) + ends_count(e, FLOW_DROP_STORM), e->tx_frames);
  assert_int_equal(ends_count(e, FLOW_TX_PAUSE), e->pauses_seen);
  uint64_t begun = 0;
  for (unsigned p = 0; p < UPLINK_PRIOS; p++) begun += uplink_watch_begun(&e->watch[p], e->now, e->limit);
  assert_int_equal(ends_count(e, FLOW_STORM), begun);
}
