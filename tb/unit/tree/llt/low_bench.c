#include "unit/tree/llt/low_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "structs/llt_pkg.h"
#include "structs/rc_pkg.h"
#include "structs/sat_pkg.h"

enum { ROW = 64, QUIET = 400 };

struct low_bench *low_new(void) {
  static struct low_bench b;
  b = (struct low_bench){.d = dut_new()};
  b.ports = (unsigned)(dut_width(b.d, "row_i") / (8 * ROW));
  dut_reset(b.d);
  return &b;
}

static void forget(struct low_bench *b) {
  for (unsigned p = 0; p < b->ports; p++) {
    for (size_t i = 0; i < b->in[p].given; i++) free(b->in[p].messages[i]);
    free(b->in[p].messages);
  }
  memset(b->in, 0, sizeof b->in);
  memset(b->out, 0, sizeof b->out);
  low_model_free(b->model);
  b->model = NULL;
}

void low_free(struct low_bench *b) {
  forget(b);
  dut_free(b->d);
}

int low_setup(void **state) {
  struct low_bench **b = *state;
  *b = low_new();
  return 0;
}

int low_teardown(void **state) {
  struct low_bench **b = *state;
  low_free(*b);
  return 0;
}

void low_open(struct low_bench *b, const struct pair_setup *s) {
  forget(b);
  b->setup = *s;
  b->model = low_model_new(s);
  b->locks = (struct tree_locks){.cells = 2};
  b->lock_late = 0;
  b->stuck = b->lost = 0;
  b->parent_answers = true;
  b->parent_fails = false;
  b->expired = b->decided = b->sent = b->done = b->refused = b->locked = b->lock_failed = b->unlocked = b->torn_down = 0;
  pair_config(b->d, &b->setup, PAIR_SAT, PAIR_NODE);
  dut_set(b->d, "tree_i", PAIR_LOW);
  b->casts = (uint64_t)rand() & (port_bit(b->ports) - 1);
  dut_set(b->d, "casts_i", b->casts);
  dut_set(b->d, "open_i", 1);
  dut_set(b->d, "lost_i", 0);
  dut_set(b->d, "sat_end_i", 0);
  dut_set(b->d, "streams_i", 0);
  dut_set(b->d, "lock_ready_i", 0);
  dut_set(b->d, "lock_answered_i", 0);
  dut_set(b->d, "time_i", b->us & UINT32_MAX);
  dut_tick(b->d);
  dut_set(b->d, "open_i", 0);
}

// --- messages in ---

void low_give(struct low_bench *b, unsigned port, const struct low_message *message) {
  struct low_in *w = &b->in[port];
  w->messages = realloc(w->messages, (w->given + 1) * sizeof *w->messages);
  struct low_message *copy = malloc(sizeof *copy);
  assert_true(w->messages != NULL && copy != NULL);
  memcpy(copy, message, offsetof(struct low_message, data) + message->len);
  w->messages[w->given++] = copy;
}

void low_send(struct low_bench *b, unsigned port, const struct tree_header *h) {
  struct low_message m = {.len = TREE_BYTES + (h->flags & TREE_CARRIES ? h->length : 0)};
  assert_true(m.len <= sizeof m.data);
  for (size_t i = TREE_BYTES; i < m.len; i++) m.data[i] = (uint8_t)(rand() >> 7);
  tree_put(m.data, h);
  low_give(b, port, &m);
}

static size_t packet_len(const struct low_bench *b, const struct low_message *m, size_t at) {
  return m->len - at < b->setup.mtu ? m->len - at : b->setup.mtu;
}

/// What the queues show.
static void set_oldest(struct low_bench *b) {
  uint32_t words[WORDS_OF(rc_packet_t, PAIR_PORTS)];
  for (size_t i = 0; i < WORDS_OF(rc_packet_t, PAIR_PORTS); i++) words[i] = (uint32_t)rand() << 3;
  for (unsigned p = 0; p < b->ports; p++) {
    struct low_in *w = &b->in[p];
    const size_t at = (size_t)p * rc_packet_t__BITS;
    if (w->come < w->given && pair_below(16) >= b->slow) w->come++, b->moved = dut_cycle(b->d);
    const bool valid = w->claimed < w->come && dut_cycle(b->d) >= w->shows;
    bits_put(words, at + FIELD(rc_packet_t, valid), valid);
    if (!valid) continue;
    const struct low_message *m = w->messages[w->claimed];
    const size_t len = packet_len(b, m, w->claimed_at);
    bits_put(words, at + FIELD(rc_packet_t, first), w->claimed_at == 0);
    bits_put(words, at + FIELD(rc_packet_t, last), w->claimed_at + len == m->len);
    bits_put(words, at + FIELD(rc_packet_t, len), len);
    if (len >= TREE_BYTES) bits_put_bytes(words, at + FIELD(rc_packet_t, head), m->data + w->claimed_at);
  }
  dut_set_words(b->d, "oldest_i", words, (b->ports * rc_packet_t__BITS + 31) / 32);
}

/// The rows that are due.
static void set_rows(struct low_bench *b) {
  uint32_t words[PAIR_PORTS * ROW / 4];
  for (unsigned p = 0; p < b->ports; p++) {
    struct low_in *w = &b->in[p];
    for (unsigned i = 0; i < ROW / 4; i++) words[p * ROW / 4 + i] = (uint32_t)rand() << 3;
    if (w->asked[1]) memcpy(words + p * ROW / 4, w->due[1], ROW);
    memcpy(w->due[1], w->due[0], ROW);
    w->asked[1] = w->asked[0];
    w->asked[0] = false;
  }
  dut_set_words(b->d, "row_i", words, b->ports * ROW / 4);
}

/// Packets are claimed, rows asked for.
static void take(struct low_bench *b) {
  const unsigned claims = (unsigned)dut_get(b->d, "claim_o"), asks = (unsigned)dut_get(b->d, "row_re_o");
  for (unsigned p = 0; p < b->ports; p++) {
    struct low_in *w = &b->in[p];
    if (asks >> p & 1) {
      assert_true(w->reading < w->claimed || w->read_at < w->claimed_at);
      const struct low_message *m = w->messages[w->reading];
      const size_t left = m->len - w->read_at;
      memset(w->due[0], 0x5A, ROW);
      memcpy(w->due[0], m->data + w->read_at, left < ROW ? left : ROW);
      w->asked[0] = true;
      w->read_at += ROW;
      if (w->read_at >= m->len) w->reading++, w->read_at = 0;
    }
    if ((claims >> p & 1) == 0) continue;
    b->moved = dut_cycle(b->d);
    assert_true(w->claimed < w->come && dut_cycle(b->d) >= w->shows);
    const struct low_message *m = w->messages[w->claimed];
    w->claimed_at += packet_len(b, m, w->claimed_at);
    if (w->claimed_at == m->len) {
      if (m->len == 0) w->reading++;
      w->claimed++, w->claimed_at = 0;
    }
    w->shows = dut_cycle(b->d) + 1 + (b->slow == 0 ? 2 : pair_below(5));
  }
}

// --- what is decided ---

static void observe(struct low_bench *b) {
  uint32_t word[WORDS_OF(low_observed_t, 1)];
  dut_get_words(b->d, "observed_o", word, WORDS_OF(low_observed_t, 1));
  const unsigned port = (unsigned)bits_get(word, FIELD(low_observed_t, port));
  if (bits_get(word, FIELD(low_observed_t, message))) {
    struct low_in *w = &b->in[port];
    assert_true(w->told < w->claimed);
    low_model_give(b->model, port, w->messages[w->told++]);
    b->decided++;
    b->moved = dut_cycle(b->d);
  }
  if (bits_get(word, FIELD(low_observed_t, expired))) {
    low_model_expire(b->model, (unsigned)bits_get(word, FIELD(low_observed_t, group)));
    b->expired++;
    b->moved = dut_cycle(b->d);
  }
  const bool ended = bits_get(word, FIELD(low_observed_t, ended)) != 0;
  assert_int_equal(bits_get(word, FIELD(low_observed_t, ending__valid)), ended);
  if (ended) b->moved = dut_cycle(b->d);
  const uint32_t events = (uint32_t)dut_get(b->d, "events_o");
  b->refused += bits_get(&events, FIELD(low_events_t, refused));
  b->done += bits_get(&events, FIELD(low_events_t, done));
  b->locked += bits_get(&events, FIELD(low_events_t, locked));
  b->lock_failed += bits_get(&events, FIELD(low_events_t, lock_failed));
  b->unlocked += bits_get(&events, FIELD(low_events_t, unlocked));
  b->torn_down += bits_get(&events, FIELD(low_events_t, torn_down));
}

/// The lock cells, which are the model's; they take their time.
static void serve_locks(struct low_bench *b) {
  uint32_t ask[WORDS_OF(lock_ask_t, 1)], answer[WORDS_OF(lock_answer_t, 1)] = {0};
  if (b->lock_late > 0) {
    dut_set(b->d, "lock_ready_i", 0);
    dut_set(b->d, "lock_answered_i", --b->lock_late == 0);
    return;
  }
  dut_set(b->d, "lock_answered_i", 0);
  dut_set(b->d, "lock_ready_i", pair_below(3) != 0);
  dut_eval(b->d);
  if (!dut_get(b->d, "lock_valid_o") || !dut_get(b->d, "lock_ready_i")) return;
  dut_get_words(b->d, "lock_o", ask, WORDS_OF(lock_ask_t, 1));
  const uint16_t tree = (uint16_t)bits_get(ask, FIELD(lock_ask_t, tree)),
                 group = (uint16_t)bits_get(ask, FIELD(lock_ask_t, group));
  const uint32_t sequence = (uint32_t)bits_get(ask, FIELD(lock_ask_t, sequence_no));
  struct tree_lock holder = {0};
  enum tree_verdict verdict = TREE_OK;
  bool good = false;
  switch (bits_get(ask, FIELD(lock_ask_t, op))) {
    case LockTake:
      verdict = tree_locks_take(&b->locks, tree, group, sequence, (uint32_t)bits_get(ask, FIELD(lock_ask_t, count)), &holder);
      good = verdict == TREE_OK;
      break;
    case LockSettle: good = tree_locks_settle(&b->locks, tree, group, sequence, bits_get(ask, FIELD(lock_ask_t, keep))); break;
    case LockHolds: good = tree_locks_holds(&b->locks, tree, group); break;
    case LockRelease: good = tree_locks_release(&b->locks, tree, group); break;
    default: good = tree_locks_drop(&b->locks, tree); break;
  }
  bits_put(answer, FIELD(lock_answer_t, good), good);
  bits_put(answer, FIELD(lock_answer_t, verdict), verdict);
  bits_put(answer, FIELD(lock_answer_t, tree), holder.tree);
  bits_put(answer, FIELD(lock_answer_t, group), holder.group);
  bits_put(answer, FIELD(lock_answer_t, left), holder.left);
  dut_set_words(b->d, "lock_answer_i", answer, WORDS_OF(lock_answer_t, 1));
  b->lock_late = 1 + pair_below(4);
}

// --- messages out ---

/// The parent was asked for something.
static void ask(struct low_bench *b, const struct low_message *m) {
  struct tree_header h;
  assert_true(tree_get(m->data, m->len, &h));
  if (!b->parent_answers || h.kind != TREE_UP) return;
  h.kind = TREE_DOWN;
  // An answer to something else is none; the right one comes behind it.
  if (b->parent_fails && pair_below(3) == 0) {
    struct tree_header other = h;
    other.operation = (enum tree_operation)((h.operation + 1 + pair_below(TREE_OPERATIONS - 1)) % TREE_OPERATIONS);
    other.flags = 0;
    low_send(b, b->setup.parent, &other);
  }
  const bool wants = h.flags & TREE_WANTS;
  h.flags = wants && h.verdict == TREE_OK ? TREE_CARRIES : 0;
  if (h.verdict == TREE_OK && b->parent_fails && pair_below(2)) {
    h.verdict = (enum tree_verdict)(1 + pair_below(TREE_VERDICTS - 1));
    h.node = 77;
    h.holder_group = (uint16_t)rand();
    h.flags = 0;
  }
  low_send(b, b->setup.parent, &h);
}

/// Good answers of one packet are multicast, too, where a child listens, and nothing else is.
static void look_at_cast(struct low_bench *b, unsigned port) {
  const struct low_out *w = &b->out[port];
  struct tree_header h;
  const bool good = tree_get(w->message.data, w->message.len, &h) && h.kind == TREE_DOWN && h.verdict == TREE_OK &&
                    w->message.len <= b->setup.mtu;
  assert_int_equal(w->cast, good && (b->casts >> port & 1) != 0);
  b->cast += w->cast;
}

static void message_left(struct low_bench *b, unsigned port) {
  struct low_out *w = &b->out[port];
  b->sent++;
  look_at_cast(b, port);
  if (!low_model_sent(b->model, port, &w->message)) {
    struct tree_header h, is;
    assert_true(tree_get(w->message.data, w->message.len, &h));
    const struct low_message *due = low_model_left(b->model, port);
    print_message("port %u: kind %u group %04x number %u verdict %u node %04x port %u flags %u op %u, %zu bytes\n", port, h.kind,
                  h.group, h.sequence, h.verdict, h.node, h.port, h.flags, h.operation, w->message.len);
    if (due != NULL && tree_get(due->data, due->len, &is))
      print_message("due: kind %u group %04x number %u verdict %u node %04x port %u flags %u op %u, %zu bytes\n", is.kind,
                    is.group, is.sequence, is.verdict, is.node, is.port, is.flags, is.operation, due->len);
    fail_msg("cycle %lu: a message that the model does not send", (unsigned long)dut_cycle(b->d));
  }
  if (port == b->setup.parent) ask(b, &w->message);
}

static void put(struct low_bench *b) {
  uint32_t words[WORDS_OF(rc_row_t, PAIR_PORTS)];
  const uint64_t casts = dut_get(b->d, "cast_o");
  dut_get_words(b->d, "out_o", words, (b->ports * rc_row_t__BITS + 31) / 32);
  for (unsigned p = 0; p < b->ports; p++) {
    const size_t at = (size_t)p * rc_row_t__BITS;
    struct low_out *w = &b->out[p];
    w->seen[1] = w->seen[0];
    w->seen[0] = w->begun;
    if (!bits_get(words, at + FIELD(rc_row_t, valid))) continue;
    b->moved = dut_cycle(b->d);
    assert_int_equal(bits_get(words, at + FIELD(rc_row_t, start)), !w->inside);
    if (!w->inside) {
      const bool first = bits_get(words, at + FIELD(rc_row_t, first));
      assert_int_equal(first, w->message.len == 0 || w->last);
      if (first) w->message.len = 0;
      w->cast = (casts >> p & 1) != 0 || (!first && w->cast);
      w->last = bits_get(words, at + FIELD(rc_row_t, last));
      w->len = bits_get(words, at + FIELD(rc_row_t, len));
      assert_true(w->len > 0 && (w->last ? w->len <= b->setup.mtu : w->len == b->setup.mtu));
      w->at = 0;
      w->seen[0] = ++w->begun;
      assert_true(w->begun - w->drained <= LOW_BUFFER);   // else it had no room
      if (first) w->first_row = dut_cycle(b->d);
    }
    assert_true(w->at < w->len && w->message.len + ROW <= sizeof w->message.data);
    bits_get_bytes(words, at + FIELD(rc_row_t, row), w->message.data + w->message.len);
    const size_t left = w->len - w->at;
    w->message.len += left < ROW ? left : ROW;
    w->at += ROW;
    w->inside = !bits_get(words, at + FIELD(rc_row_t, stop));
    assert_int_equal(w->inside, w->at < w->len);
    if (w->inside) continue;
    w->packets++;
    if (w->last) message_left(b, p);
  }
}

static void set_room(struct low_bench *b) {
  uint64_t room = 0;
  for (unsigned p = 0; p < b->ports; p++) {
    struct low_out *w = &b->out[p];
    if (w->drained < w->packets && (b->stuck >> p & 1) == 0 && pair_below(16) >= b->slow) w->drained++;
    if (w->seen[1] - w->drained < LOW_BUFFER) room |= port_bit(p);
  }
  dut_set(b->d, "room_i", room);
}

// --- both ---

void low_tick(struct low_bench *b) {
  set_oldest(b);
  set_rows(b);
  set_room(b);
  serve_locks(b);
  dut_set(b->d, "time_i", b->us & UINT32_MAX);
  dut_eval(b->d);
  observe(b);
  put(b);
  take(b);
  dut_tick(b->d);
}

void low_settle(struct low_bench *b) {
  for (b->moved = dut_cycle(b->d); dut_cycle(b->d) < b->moved + QUIET;) low_tick(b);
}

void low_wait(struct low_bench *b, unsigned us) {
  for (unsigned i = 0; i < us; i++) {
    b->us++;
    for (unsigned k = 0; k < 2; k++) low_tick(b);
  }
}

void low_streams(struct low_bench *b, unsigned group) {
  struct stream_operation *s = &low_model_node(b->model)->trees[1].stream;
  s->active = group < b->setup.group_count;
  if (s->active) s->group = &low_model_node(b->model)->groups[group];
  dut_set(b->d, "streams_i", s->active);
  dut_set(b->d, "streams_group_i", group % PAIR_GROUPS);
}

void low_sat_ends(struct low_bench *b, struct tree_blame why) {
  uint64_t word = 0;
  bits_put(&word, FIELD(sat_end_t, valid), 1);
  bits_put(&word, FIELD(sat_end_t, verdict), why.verdict);
  bits_put(&word, FIELD(sat_end_t, node), why.node);
  bits_put(&word, FIELD(sat_end_t, port), why.port);
  dut_set(b->d, "sat_end_i", word);
  low_model_end(b->model, false, why, TREE_NO_PORT);
}

void low_same(struct low_bench *b) {
  const struct tree_node *n = low_model_node(b->model);
  const struct tree_node_counts counts = tree_node_counts(n);
  assert_int_equal(dut_get(b->d, "low_down_o"), n->trees[0].down);
  assert_int_equal(dut_get(b->d, "sat_down_o"), n->trees[1].down);
  for (unsigned p = 0; p < b->ports; p++) {
    assert_false(b->out[p].inside);
    if ((b->stuck | b->lost) >> p & 1) continue;
    assert_int_equal(b->in[p].told, b->in[p].given);
    const struct low_message *left = low_model_left(b->model, p);
    struct tree_header h;
    if (left == NULL || (n->trees[0].down && tree_get(left->data, left->len, &h) && h.kind != TREE_TEARDOWN)) continue;
    assert_true(tree_get(left->data, left->len, &h));
    fail_msg("port %u: a message of kind %u, group %04x, number %u, verdict %u, does not leave", p, h.kind, h.group, h.sequence,
             h.verdict);
  }
  assert_memory_equal(&b->locks, &n->locks, sizeof b->locks);
  assert_int_equal(b->torn_down, counts.teardowns);
  assert_int_equal(b->refused, counts.refused);
  assert_int_equal(b->done, counts.operations[0]);
  assert_int_equal(b->locked, counts.locks);
  assert_int_equal(b->lock_failed, counts.lock_failures);
}
