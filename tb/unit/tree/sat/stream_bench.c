#include "unit/tree/sat/stream_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "structs/rc_pkg.h"
#include "structs/sat_pkg.h"

enum { ROW = 64, BUFFER = STREAM_BUFFER, QUIET = 400, ROOM_LATE = 2 };

struct stream_bench *bench_new(void) {
  static struct stream_bench b;
  b = (struct stream_bench){.d = dut_new()};
  b.ports = (unsigned)(dut_width(b.d, "row_i") / (8 * ROW));
  b.at_stop = b.ports == 6;
  dut_reset(b.d);
  return &b;
}

static void forget(struct stream_bench *b) {
  for (unsigned p = 0; p < b->ports; p++) {
    for (size_t i = 0; i < b->in[p].given; i++) free(b->in[p].packets[i]);
    free(b->in[p].packets);
  }
  memset(b->in, 0, sizeof b->in);
  memset(b->out, 0, sizeof b->out);
  stream_model_free(b->model);
  b->model = NULL;
}

void bench_free(struct stream_bench *b) {
  forget(b);
  dut_free(b->d);
}

int bench_setup(void **state) {
  struct stream_bench **b = *state;
  *b = bench_new();
  return 0;
}

int bench_teardown(void **state) {
  struct stream_bench **b = *state;
  bench_free(*b);
  return 0;
}

void bench_open(struct stream_bench *b, const struct pair_setup *s) {
  forget(b);
  b->setup = *s;
  b->model = stream_model_new(s);
  b->locked = 0;
  b->stuck = 0;
  b->answered = b->risen = 0;
  b->all_risen = false;
  b->answers = SIZE_MAX;
  b->done = b->refused = b->columns = 0;
  pair_config(b->d, &b->setup, PAIR_SAT, PAIR_NODE);
  dut_set(b->d, "lock_i", 0);
  dut_set(b->d, "open_i", 1);
  dut_set(b->d, "time_i", b->us & UINT32_MAX);
  dut_tick(b->d);
  dut_set(b->d, "open_i", 0);
}

void bench_close(struct stream_bench *b) {
  dut_set(b->d, "close_i", 1);
  bench_tick(b);
  dut_set(b->d, "close_i", 0);
  bench_tick(b);   // claims of that cycle
  for (unsigned i = pair_below(300); i > 0; i--) {
    dut_eval(b->d);
    assert_int_equal(dut_get(b->d, "claim_o"), 0);
    bench_tick(b);
  }
}

void bench_lock(struct stream_bench *b, unsigned group, uint32_t count) {
  stream_model_lock(b->model, b->setup.groups[group].id, count);
  b->lock = group;
  b->locked = count;
}

// --- packets in ---

void bench_give(struct stream_bench *b, unsigned port, const struct stream_packet *p) {
  struct way_in *w = &b->in[port];
  w->packets = realloc(w->packets, (w->given + 1) * sizeof *w->packets);
  struct stream_packet *copy = malloc(sizeof *copy);
  assert_true(w->packets != NULL && copy != NULL);
  *copy = *p;
  w->packets[w->given++] = copy;
  stream_model_give(b->model, b->us, port, p);
}

void bench_packet(const struct stream_bench *b, const struct tree_header *h, uint32_t vector, uint64_t index,
                  struct stream_packet *p) {
  p->first = index == 0;
  p->last = index + 1 == tree_packets(vector, b->setup.mtu);
  p->len = (index == 0 ? TREE_BYTES : 0) + tree_part(vector, b->setup.mtu, index);
  for (size_t k = 0; k < p->len; k++) p->data[k] = (uint8_t)(rand() >> 7);
  if (index == 0) tree_put(p->data, h);
}

uint64_t bench_packets(const struct stream_bench *b, const struct tree_header *h) {
  return tree_packets(h->flags & TREE_CARRIES ? h->length : 0, b->setup.mtu);
}

void bench_send_part(struct stream_bench *b, unsigned port, const struct tree_header *h, uint64_t from, uint64_t to) {
  struct stream_packet p;
  for (uint64_t i = from; i < to; i++) {
    bench_packet(b, h, h->flags & TREE_CARRIES ? h->length : 0, i, &p);
    bench_give(b, port, &p);
  }
}

void bench_send(struct stream_bench *b, unsigned port, const struct tree_header *h) {
  bench_send_part(b, port, h, 0, bench_packets(b, h));
}

/// What the queues show.
static void set_oldest(struct stream_bench *b) {
  uint32_t words[WORDS_OF(rc_packet_t, PAIR_PORTS)];
  for (size_t i = 0; i < WORDS_OF(rc_packet_t, PAIR_PORTS); i++) words[i] = (uint32_t)rand() << 3;
  for (unsigned p = 0; p < b->ports; p++) {
    struct way_in *w = &b->in[p];
    const size_t at = (size_t)p * rc_packet_t__BITS;
    if (w->come < w->given && pair_below(16) >= b->slow) w->come++, b->moved = dut_cycle(b->d);
    const bool valid = w->claimed < w->come && dut_cycle(b->d) >= w->shows;
    bits_put(words, at + FIELD(rc_packet_t, valid), valid);
    if (!valid) continue;
    const struct stream_packet *q = w->packets[w->claimed];
    bits_put(words, at + FIELD(rc_packet_t, first), q->first);
    bits_put(words, at + FIELD(rc_packet_t, last), q->last);
    bits_put(words, at + FIELD(rc_packet_t, len), q->len);
    if (q->len >= TREE_BYTES) bits_put_bytes(words, at + FIELD(rc_packet_t, head), q->data);
  }
  dut_set_words(b->d, "oldest_i", words, (b->ports * rc_packet_t__BITS + 31) / 32);
}

/// The rows that are due.
static void set_rows(struct stream_bench *b) {
  uint32_t words[PAIR_PORTS * ROW / 4];
  for (unsigned p = 0; p < b->ports; p++) {
    struct way_in *w = &b->in[p];
    for (unsigned i = 0; i < ROW / 4; i++) words[p * ROW / 4 + i] = (uint32_t)rand() << 3;
    if (w->asked[1]) memcpy(words + p * ROW / 4, w->due[1], ROW);
    memcpy(w->due[1], w->due[0], ROW);
    w->asked[1] = w->asked[0];
    w->asked[0] = false;
  }
  dut_set_words(b->d, "row_i", words, b->ports * ROW / 4);
}

/// Packets are claimed, rows asked for.
static void take(struct stream_bench *b) {
  const unsigned claims = (unsigned)dut_get(b->d, "claim_o"), drops = (unsigned)dut_get(b->d, "claim_drop_o");
  const unsigned asks = (unsigned)dut_get(b->d, "row_re_o");
  assert_int_equal(drops & ~claims, 0);
  for (unsigned p = 0; p < b->ports; p++) {
    struct way_in *w = &b->in[p];
    if (asks >> p & 1) {
      assert_true(w->reading < w->claimed);
      const struct stream_packet *q = w->packets[w->reading];
      memcpy(w->due[0], q->data + w->row * ROW, ROW);
      w->asked[0] = true;
      if (++w->row * ROW >= q->len) w->reading++, w->row = 0;
    }
    if ((claims >> p & 1) == 0) continue;
    b->moved = dut_cycle(b->d);
    assert_true(w->claimed < w->come && dut_cycle(b->d) >= w->shows);
    if (drops >> p & 1) {
      assert_true(w->reading == w->claimed);
      w->reading++;
    }
    w->claimed++;
    w->shows = dut_cycle(b->d) + 1 + (b->slow == 0 ? 2 : pair_below(5));
  }
}

// --- packets out ---

/// The parent was asked for something.
static void ask(struct stream_bench *b, const struct stream_packet *p) {
  if (p->first) {
    assert_true(tree_get(p->data, p->len, &b->asked));
    b->answered = b->risen = 0;
  }
  b->risen++;
  b->all_risen = p->last;
  const size_t now = b->answers;
  bench_answer(b, now);
}

void bench_answer(struct stream_bench *b, size_t packets) {
  struct tree_header h = b->asked;
  const bool wants = h.flags & TREE_WANTS, alone = (h.flags & TREE_CARRIES) == 0;
  h.kind = TREE_DOWN;
  h.flags = wants ? TREE_CARRIES : 0;
  // An answer without a vector comes at the end; one to a header alone is of another vector.
  const uint64_t all = bench_packets(b, &h), to = wants && !alone ? b->risen : b->all_risen ? all : 0;
  for (; b->answered < to && packets > 0; b->answered++, packets--)
    bench_send_part(b, b->setup.parent, &h, b->answered, b->answered + 1);
}

static void compare(struct stream_bench *b, unsigned port) {
  const struct stream_packet *p = &b->out[port].packet;
  struct stream_packet due;
  assert_true(stream_model_take(b->model, port, &due));
  assert_int_equal(p->first, due.first);
  assert_int_equal(p->last, due.last);
  assert_int_equal(p->len, due.len);
  assert_memory_equal(p->data, due.data, due.len);
  if (port == b->setup.parent) ask(b, p);
}

static void put(struct stream_bench *b) {
  uint32_t words[WORDS_OF(rc_row_t, PAIR_PORTS)];
  dut_get_words(b->d, "out_o", words, (b->ports * rc_row_t__BITS + 31) / 32);
  for (unsigned p = 0; p < b->ports; p++) {
    const size_t at = (size_t)p * rc_row_t__BITS;
    struct way_out *w = &b->out[p];
    w->seen[1] = w->seen[0];
    w->seen[0] = b->at_stop ? w->packets : w->begun;
    if (!bits_get(words, at + FIELD(rc_row_t, valid))) continue;
    b->moved = dut_cycle(b->d);
    assert_int_equal(bits_get(words, at + FIELD(rc_row_t, start)), !w->inside);
    if (!w->inside) {
      w->packet.first = bits_get(words, at + FIELD(rc_row_t, first));
      w->packet.last = bits_get(words, at + FIELD(rc_row_t, last));
      w->packet.len = bits_get(words, at + FIELD(rc_row_t, len));
      w->at = 0;
      w->begun++;
      if (!b->at_stop) w->seen[0] = w->begun;
      assert_true(w->begun - w->drained <= BUFFER);   // else it had no room
    }
    assert_true(w->at < w->packet.len);
    bits_get_bytes(words, at + FIELD(rc_row_t, row), w->packet.data + w->at);
    w->at += ROW;
    w->inside = !bits_get(words, at + FIELD(rc_row_t, stop));
    assert_int_equal(w->inside, w->at < w->packet.len);
    if (w->rows++ == 0) w->first_row = dut_cycle(b->d);
    w->last_row = dut_cycle(b->d);
    if (w->inside) continue;
    w->packets++;
    if (b->at_stop) w->seen[0] = w->packets;
    compare(b, p);
  }
}

static void set_room(struct stream_bench *b) {
  uint64_t room = 0;
  for (unsigned p = 0; p < b->ports; p++) {
    struct way_out *w = &b->out[p];
    if (w->drained < w->packets && (b->stuck >> p & 1) == 0 && pair_below(16) >= b->slow) w->drained++;
    if (w->seen[1] - w->drained < BUFFER) room |= port_bit(p);
  }
  dut_set(b->d, "room_i", room);
}

// --- both ---

static void set_lock(struct stream_bench *b) {
  uint32_t word = 0;
  if (b->lock_late > 0) {
    b->lock_late--;
    return;
  }
  bits_put(&word, FIELD(sat_lock_t, valid), b->locked > 0);
  bits_put(&word, FIELD(sat_lock_t, group), b->lock);
  dut_set(b->d, "lock_i", word);
}

static void count(struct stream_bench *b) {
  const uint32_t word = (uint32_t)dut_get(b->d, "events_o");
  b->refused += bits_get(&word, FIELD(sat_events_t, refused));
  b->columns += bits_get(&word, FIELD(sat_events_t, column));
  if (!bits_get(&word, FIELD(sat_events_t, done))) return;
  assert_true(b->locked > 0);
  b->done++;
  b->locked--;
  b->lock_late = pair_below(4);   // LockLate
}

void bench_tick(struct stream_bench *b) {
  set_oldest(b);
  set_rows(b);
  set_room(b);
  set_lock(b);
  dut_set(b->d, "time_i", b->us & UINT32_MAX);
  dut_eval(b->d);
  put(b);
  count(b);
  take(b);
  dut_tick(b->d);
}

void bench_settle(struct stream_bench *b) {
  for (b->moved = dut_cycle(b->d); dut_cycle(b->d) < b->moved + QUIET;) bench_tick(b);
}

bool bench_ended(struct stream_bench *b) {
  uint64_t word = dut_get(b->d, "end_o");
  return bits_get(&word, FIELD(sat_end_t, valid));
}

void bench_same(struct stream_bench *b) {
  struct tree_header why;
  struct stream_packet left;
  const uint64_t word = dut_get(b->d, "end_o");
  const bool down = stream_model_down(b->model, &why);
  const struct tree_node_counts counts = stream_model_counts(b->model);
  assert_int_equal(bits_get(&word, FIELD(sat_end_t, valid)), down);
  if (down) {
    assert_int_equal(bits_get(&word, FIELD(sat_end_t, verdict)), why.verdict);
    assert_int_equal(bits_get(&word, FIELD(sat_end_t, node)), why.node);
    assert_int_equal(bits_get(&word, FIELD(sat_end_t, port)), why.port);
  }
  for (unsigned p = 0; p < b->ports; p++) {
    assert_false(b->out[p].inside);
    assert_false(stream_model_take(b->model, p, &left));
  }
  assert_int_equal(b->done, counts.operations[1]);
  assert_int_equal(b->refused, counts.refused);
  assert_int_equal(b->columns, counts.columns);
}

void bench_wait(struct stream_bench *b, unsigned us) {
  for (unsigned i = 0; i < us; i++) {
    b->us++;
    stream_model_time(b->model, b->us);
    for (unsigned k = 0; k < 4; k++) bench_tick(b);
  }
}
