// What a take becomes below a parent (docs/relay.md): packets up with and without a notification in front, results with and without headers
// that notifications brought, columns without a way up; takes of rings without a parent stay as they are.
// DUT: relay_take_sized
// DUT: relay_take_sized -GSpine=1
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_pkg.h"
#include "structs/relay_pkg.h"

enum { PORTS = 3, RANKS = 3, SLOTS = 16, RINGS = 4, WINDOW = 4, MSGLEN = 5, TAKES = 30000, PATIENCE = 40 };

/// What a ring is here, and what its parent is told.
struct ring {
  bool parent, devices;
  unsigned window_log2, first, total, workers;
};

/// A column that slot state answers with; `up` or ranks of children, never both.
struct answer {
  unsigned status, ring, ranks, port[RANKS], kind, tensor_len, slot;
  bool more, up, note, sum;
  uint32_t msgid;
  unsigned offset;
};

/// What leaves towards emission, and the read's companions.
struct taken {
  bool again;   // slot state is asked once more instead
  unsigned status, ranks, workers, tensor_len, port[RANKS + 1];
  bool up, note, no_headers, no_way, sum, kept;
  unsigned what, edit_port, rank;
  bool last;
};

/// What a message's first packet left in its slot, and what notifications brought of a message.
struct head {
  uint32_t msgid;
  unsigned msglen;
};
struct kept {
  bool first, last;
  uint32_t msgid, psn0;
  unsigned msglen, kind;
};

struct bench {
  struct dut *d;
  bool spine;
  struct ring rings[RINGS];
  struct head heads[SLOTS];
  struct kept kept;   // what the next look will find
  unsigned seen[6];   // of what may become of takes
};

static bool odds(unsigned of) { return (unsigned)rand() % of == 0; }

static void set_rings(struct bench *b) {
  uint32_t rings[WORDS_OF(ring_t, RINGS)] = {0}, relays[WORDS_OF(relay_ring_t, RINGS)] = {0};
  for (unsigned i = 0; i < RINGS; i++) {
    struct ring *r = &b->rings[i];
    *r = (struct ring){.parent = i != 3,
                       .devices = i == 1 && b->spine,
                       .window_log2 = (unsigned)rand() % 3,
                       .first = 4 * i + 2,
                       .workers = 1 + (unsigned)rand() % RANKS};
    r->total = i == 2 ? r->workers : r->workers + 3;   // ring 2 has all its workers here
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, window_log2), r->window_log2);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, parent), r->parent);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, devices), r->devices);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, first), r->first);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, total), r->total);
  }
  dut_set_words(b->d, "rings_i", rings, WORDS_OF(ring_t, RINGS));
  dut_set_words(b->d, "relays_i", relays, WORDS_OF(relay_ring_t, RINGS));
}

static void put_head(struct bench *b, unsigned slot, struct head head) {
  uint32_t words[WORDS_OF(relay_head_t, 1)] = {0};
  bits_put(words, FIELD(relay_head_t, valid), 1);
  bits_put(words, FIELD(relay_head_t, slot), slot);
  bits_put(words, FIELD(relay_head_t, msgid), head.msgid);
  bits_put(words, FIELD(relay_head_t, msglen), head.msglen);
  dut_set_words(b->d, "head_i", words, WORDS_OF(relay_head_t, 1));
  dut_tick(b->d);
  dut_set_words(b->d, "head_i", NULL, 0);
  b->heads[slot] = head;
}

/// A column, the head of its message in the slot of its first packet, and what notifications say; each may be of another message.
static struct answer draw(struct bench *b, bool again) {
  struct answer a = {.ring = (unsigned)rand() % RINGS,
                     .kind = (unsigned)rand() % 4,
                     .tensor_len = 4 * ((unsigned)rand() % 65),
                     .slot = (unsigned)rand() % SLOTS,
                     .msgid = (uint32_t)rand(),
                     .more = odds(2)};
  const struct ring *r = &b->rings[a.ring];
  a.status = odds(8) ? TakeGone : odds(8) ? TakeBlocked : TakeDone;
  a.offset = (unsigned)rand() % MSGLEN % (a.slot / 2 + 1);
  a.up = r->parent && odds(2);
  a.note = a.up && !r->devices && !again && odds(2);
  a.sum = a.note || odds(2);
  if (!a.up) a.ranks = 1 + (unsigned)rand() % ((1u << r->workers) - 1);
  for (unsigned i = 0; i < RANKS; i++) a.port[i] = (unsigned)rand() % (PORTS - 1);
  put_head(b, a.slot - 2 * a.offset, (struct head){odds(6) ? a.msgid ^ 1 : a.msgid, a.offset + (unsigned)rand() % 4});
  b->kept = (struct kept){.first = !odds(4),
                          .last = !odds(4),
                          .msgid = odds(6) ? a.msgid + 1 : a.msgid,
                          .psn0 = odds(3) ? 0xFFFFFF : (uint32_t)rand() & 0xFFFFFF,
                          .msglen = a.offset + (unsigned)rand() % 4,
                          .kind = odds(6) ? a.kind ^ 1 : a.kind};
  return a;
}

/// What must become of it.
static struct taken expected(const struct bench *b, const struct answer *a) {
  const struct ring *r = &b->rings[a->ring];
  const struct head *head = &b->heads[a->slot - 2 * a->offset];
  const struct kept *k = &b->kept;
  const bool leaf = !r->devices;
  struct taken t = {.status = a->status,
                    .ranks = a->up ? 1u << RANKS : a->ranks,
                    .workers = r->workers,
                    .tensor_len = a->tensor_len,
                    .sum = a->sum,
                    .kept = !a->sum,
                    .rank = r->first + r->workers - 1};
  for (unsigned i = 0; i < RANKS; i++) t.port[i] = a->up ? PORTS - 1 : a->port[i];
  t.port[RANKS] = a->up ? PORTS - 1 : 0;
  if (a->status != TakeDone) return t;
  const unsigned last_rank = 1u << (r->workers - 1);
  t.edit_port = PORTS - 1;
  if (a->up) {
    const bool known = !leaf || (head->msgid == a->msgid && a->offset < head->msglen);
    const bool ends = a->offset == 0 || a->offset + 1 == head->msglen;
    if (a->note && known && ends && r->total != r->workers) {
      t.note = true;
      t.what = EditNote;
      t.ranks = last_rank;
      t.tensor_len = 0;
      t.sum = t.kept = false;   // the sum is still to come
    } else if (a->note) {
      t.again = true;   // the next take is of the sum itself
    } else if (known) {
      t.up = true;
      t.what = EditUp;
      if (!leaf) t.ranks = 1;
    } else {
      t.no_way = true;
      t.ranks = 0;   // what is to be summed is summed all the same, for repetitions
      if (!a->sum) {
        t.status = TakeGone;
        t.again = a->more;
      }
    }
  } else if (r->parent) {
    t.sum = t.kept = false;
    if (!leaf || r->total == r->workers || (a->ranks & last_rank) == 0) return t;
    t.last = a->offset != 0 && a->offset + 1 == k->msglen;
    const bool fit = k->msgid == a->msgid && k->kind == a->kind && a->offset < k->msglen;
    if (fit && (t.last ? k->last : k->first)) {
      t.what = EditResult;
      t.edit_port = a->port[r->workers - 1];
    } else {
      t.no_headers = true;
      t.ranks = a->ranks & ~last_rank;
      if (t.ranks == 0) {
        t.status = TakeGone;
        t.again = a->more;
      }
    }
  }
  return t;
}

/// Slot state is asked for `slot`, after some cycles of not being ready; answers after some more.
static void state_answers(struct bench *b, unsigned slot, const struct answer *a) {
  uint32_t asked[WORDS_OF(take_req_t, 1)], taken[WORDS_OF(taken_t, 1)] = {0}, column[WORDS_OF(column_t, 1)] = {0};
  for (unsigned wait = 0;; wait++) {
    assert_true(wait < PATIENCE);
    dut_set(b->d, "state_ready_i", !odds(3));
    dut_eval(b->d);
    dut_get_words(b->d, "state_o", asked, WORDS_OF(take_req_t, 1));
    const bool goes = bits_get(asked, FIELD(take_req_t, valid)) && dut_get(b->d, "state_ready_i");
    if (goes) assert_int_equal(bits_get(asked, FIELD(take_req_t, take__slot)), slot);
    dut_tick(b->d);
    if (goes) break;
  }
  dut_set_words(b->d, "take_i", NULL, 0);
  dut_set(b->d, "state_ready_i", 0);
  for (unsigned i = (unsigned)rand() % 4; i > 0; i--) dut_tick(b->d);
  const struct ring *r = &b->rings[a->ring];
  bits_put(taken, FIELD(taken_t, valid), 1);
  bits_put(taken, FIELD(taken_t, taken__status), a->status);
  bits_put(taken, FIELD(taken_t, taken__more), a->more);
  bits_put(taken, FIELD(taken_t, taken__sum), a->sum);
  bits_put(taken, FIELD(taken_t, taken__kept), !a->sum);
  bits_put(taken, FIELD(taken_t, taken__ranks), a->up ? 1u << RANKS : a->ranks);
  for (unsigned i = 0; i < RANKS; i++) bits_put(taken, ELEMENT(taken_t, taken__port, i), a->port[i]);
  bits_put(taken, FIELD(taken_t, taken__ring), a->ring);
  bits_put(taken, FIELD(taken_t, taken__workers), r->workers);
  bits_put(taken, FIELD(taken_t, taken__kind), a->kind);
  bits_put(taken, FIELD(taken_t, taken__tensor_len), a->tensor_len);
  bits_put(taken, FIELD(taken_t, taken__slot), a->slot);
  bits_put(column, FIELD(column_t, note), a->note);
  bits_put(column, FIELD(column_t, msgid), a->msgid);
  bits_put(column, FIELD(column_t, offset), a->offset);
  dut_set_words(b->d, "state_taken_i", taken, WORDS_OF(taken_t, 1));
  dut_set_words(b->d, "state_column_i", column, WORDS_OF(column_t, 1));
  dut_tick(b->d);
  dut_set_words(b->d, "state_taken_i", NULL, 0);
  dut_set_words(b->d, "state_column_i", NULL, 0);
}

/// What notifications brought, in the cycle after the question.
static void notes_answer(struct bench *b, const struct answer *a) {
  uint32_t look[WORDS_OF(relay_look_t, 1)], note[WORDS_OF(relay_note_t, 1)] = {0};
  const struct ring *r = &b->rings[a->ring];
  const unsigned entries = 2u * WINDOW, entry = a->msgid & ((2u << r->window_log2) - 1);
  for (unsigned wait = 0;; wait++) {
    assert_true(wait < PATIENCE);
    dut_eval(b->d);
    dut_get_words(b->d, "look_o", look, WORDS_OF(relay_look_t, 1));
    dut_tick(b->d);
    if (bits_get(look, FIELD(relay_look_t, valid))) break;
  }
  assert_int_equal(bits_get(look, FIELD(relay_look_t, at)), a->ring * entries + entry);
  bits_put(note, FIELD(relay_note_t, first), b->kept.first);
  bits_put(note, FIELD(relay_note_t, last), b->kept.last);
  bits_put(note, FIELD(relay_note_t, numbers__msgid), b->kept.msgid);
  bits_put(note, FIELD(relay_note_t, numbers__psn0), b->kept.psn0);
  bits_put(note, FIELD(relay_note_t, numbers__msglen), b->kept.msglen);
  bits_put(note, FIELD(relay_note_t, numbers__kind), b->kept.kind);
  dut_set_words(b->d, "note_i", note, WORDS_OF(relay_note_t, 1));
  dut_tick(b->d);
  dut_set_words(b->d, "note_i", NULL, 0);
}

static void check_edit(const struct bench *b, const uint32_t *edit, const struct answer *a, const struct taken *t) {
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__what)), t->what);
  if (t->what == EditNone) return;
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__port)), t->edit_port);
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__ring)), a->ring);
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__msgid)), a->msgid);
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__offset)), a->offset);
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__kind)), a->kind);
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__tensor_len)), a->tensor_len);
  if (t->what == EditNote) assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__rank)), t->rank);
  if (t->what == EditResult) {
    assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__psn)), (b->kept.psn0 + a->offset) & 0xFFFFFF);
    assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__last)), t->last);
  } else {
    const struct head *head = &b->heads[a->slot - 2 * a->offset];
    assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, edit__msglen)), b->rings[a->ring].devices ? 0 : head->msglen);
  }
}

/// The answer, with its edit and its events; false if slot state is asked again.
static bool emission_hears(struct bench *b, const struct answer *a, const struct taken *t) {
  uint32_t taken[WORDS_OF(taken_t, 1)], edit[WORDS_OF(relay_edit_req_t, 1)];
  dut_tick(b->d);   // Decide
  dut_get_words(b->d, "taken_o", taken, WORDS_OF(taken_t, 1));
  dut_get_words(b->d, "edit_o", edit, WORDS_OF(relay_edit_req_t, 1));
  const uint32_t events = (uint32_t)dut_get(b->d, "events_o");
  assert_int_equal(bits_get(&events, FIELD(relay_take_events_t, up)), t->up);
  assert_int_equal(bits_get(&events, FIELD(relay_take_events_t, note)), t->note);
  assert_int_equal(bits_get(&events, FIELD(relay_take_events_t, no_headers)), t->no_headers);
  assert_int_equal(bits_get(&events, FIELD(relay_take_events_t, no_way)), t->no_way);
  b->seen[0] += t->up, b->seen[1] += t->note, b->seen[2] += t->no_headers, b->seen[3] += t->no_way;
  b->seen[4] += t->what == EditResult, b->seen[5] += t->again;
  const bool done = !t->again && t->status == TakeDone;
  assert_int_equal(bits_get(taken, FIELD(taken_t, valid)), !t->again);
  assert_int_equal(bits_get(edit, FIELD(relay_edit_req_t, valid)), done && t->ranks != 0);
  if (t->again) return false;
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__status)), t->status);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__more)), a->more);
  if (!done) return true;
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__ranks)), t->ranks);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__sum)), t->sum);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__kept)), t->kept);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__workers)), t->workers);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__ring)), a->ring);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__slot)), a->slot);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__kind)), a->kind);
  assert_int_equal(bits_get(taken, FIELD(taken_t, taken__tensor_len)), t->tensor_len);
  for (unsigned i = 0; i <= RANKS; i++)
    if (t->ranks >> i & 1) assert_int_equal(bits_get(taken, ELEMENT(taken_t, taken__port, i)), t->port[i]);
  if (t->ranks != 0) check_edit(b, edit, a, t);
  return true;
}

static void what_takes_become(void **state) {
  (void)state;
  struct bench b = {.d = dut_new()};
  dut_reset(b.d);
  b.spine = dut_get(b.d, "above_o");
  for (unsigned n = 0; n < TAKES; n++) {
    if (n % 1000 == 0) set_rings(&b);
    uint32_t take[WORDS_OF(take_req_t, 1)] = {0};
    struct answer a = draw(&b, false);
    dut_set(b.d, "state_ready_i", 1);
    dut_eval(b.d);
    assert_true(dut_get(b.d, "take_ready_o"));
    bits_put(take, FIELD(take_req_t, valid), 1);
    bits_put(take, FIELD(take_req_t, take__slot), a.slot);
    dut_set_words(b.d, "take_i", take, WORDS_OF(take_req_t, 1));
    for (unsigned asked = 0;; asked++) {
      const struct taken t = expected(&b, &a);
      state_answers(&b, a.slot, &a);
      notes_answer(&b, &a);
      if (emission_hears(&b, &a, &t)) break;
      const unsigned slot = a.slot;
      do a = draw(&b, true);
      while (a.slot != slot);
    }
  }
  for (unsigned i = 0; i < 6; i++) assert_true(b.seen[i] > TAKES / 100);
  dut_free(b.d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_takes_become)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
