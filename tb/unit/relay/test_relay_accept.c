// What a leaf keeps of notifications, and what it asks slot state about results (docs/relay.md): notifications of several messages, whose headers come
// into their bank at any time, also when another message has the entry by then; strangers' ones; results of windows of several messages; flushes of one
// ring of several, which leave all of the others.
// DUT: relay_accept -GNumPorts=3 -GNumRanks=3 -GNumRings=3 -GMaxWindow=4
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
#include "structs/roce_pkg.h"

enum { RANKS = 3, RINGS = 3, ENTRIES = 8, WAITING = 4, STEPS = 40000, PATIENCE = 40 };
/// Bits of a slot by which a take holds a packet back.
enum { SELF_IP = 0x0A000001, PARENT_IP = 0x0A000100, STRANGER = 7 };

/// What a leaf must know of a message.
struct note {
  bool first, last;
  uint32_t msgid, psn0;
  unsigned msglen, kind;
};

/// A ring of window 2**window_log2, and the connection that it has from elsewhere: `owner` says whose, 0 is nobody.
struct ring {
  unsigned id, window_log2, base, stride, workers, first, total, owner;
  uint32_t newest;   // MsgID
  struct note notes[ENTRIES];
};

/// Headers that are on their way into their bank.
struct waiting {
  bool there;
  unsigned ring, entry, slot, after;
  bool last;
  uint32_t msgid;
};

struct bench {
  struct dut *d;
  struct ring rings[RINGS];
  struct waiting waiting[WAITING];
  unsigned seen[8];   // how often what happened
};
enum { KEPT, STRANGE, OLD, CLASH, LATE, TOGETHER, RESULT, FLUSHED };

static bool odds(unsigned of) { return (unsigned)rand() % of == 0; }

static void set_rings(struct bench *b) {
  uint32_t rings[WORDS_OF(ring_t, RINGS)] = {0}, relays[WORDS_OF(relay_ring_t, RINGS)] = {0};
  for (unsigned i = 0; i < RINGS; i++) {
    struct ring *r = &b->rings[i];
    *r = (struct ring){.id = 100 + i,
                       .window_log2 = (i + 1) % RINGS,
                       .base = 128 * i,
                       .stride = 5 + i,
                       .workers = 2,
                       .first = i * 2,
                       .total = 8};
    r->newest = odds(2) ? (uint32_t)rand() : UINT32_MAX - (uint32_t)rand() % 40;
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, enable), 1);
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, learn), 1);
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, id), r->id);
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, window_log2), r->window_log2);
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, base), r->base);
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, stride), r->stride);
    bits_put(rings, i * ring_t__BITS + FIELD(ring_t, workers), r->workers);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, parent), 1);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, parent_ip), PARENT_IP + i);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, first), r->first);
    bits_put(relays, i * relay_ring_t__BITS + FIELD(relay_ring_t, total), r->total);
  }
  dut_set_words(b->d, "rings_i", rings, WORDS_OF(ring_t, RINGS));
  dut_set_words(b->d, "relays_i", relays, WORDS_OF(relay_ring_t, RINGS));
  dut_set(b->d, "self_ip_i", SELF_IP);
}

static unsigned entry_of(const struct ring *r, uint32_t msgid) { return msgid % (2u << r->window_log2); }

/// A cycle. Headers whose time has come are in their bank; they count if their message still has its entry, which in this cycle becomes `taker`'s.
static void tick(struct bench *b, const struct note *taker, unsigned ring, unsigned entry) {
  uint32_t kept[WORDS_OF(commit_req_t, 1)] = {0};
  struct waiting *one = NULL;
  for (unsigned i = 0; i < WAITING; i++) {
    struct waiting *w = &b->waiting[i];
    if (w->there && w->after > 0) w->after--;
    if (w->there && w->after == 0 && !one) one = w;
  }
  if (taker) {
    struct note *n = &b->rings[ring].notes[entry];
    const bool same = n->msgid == taker->msgid;
    const bool first = same && n->first, last = same && n->last;
    *n = *taker, n->first = first, n->last = last;
  }
  if (one) {
    one->there = false;
    bits_put(kept, FIELD(commit_req_t, valid), 1);
    bits_put(kept, FIELD(commit_req_t, commit__slot), one->slot);
    bits_put(kept, FIELD(commit_req_t, commit__msgid), one->msgid);
    struct note *n = &b->rings[one->ring].notes[one->entry];
    if (n->msgid == one->msgid)
      *(one->last ? &n->last : &n->first) = true;
    else
      b->seen[taker && ring == one->ring && entry == one->entry ? TOGETHER : LATE]++;
  }
  dut_set_words(b->d, "kept_i", kept, WORDS_OF(commit_req_t, 1));
  dut_tick(b->d);
}

/// Presents a descriptor until it is taken; the answer to slot state stands behind. `taker`: what it makes of its entry, if it is kept.
static void asks(struct bench *b, uint32_t *request, uint32_t *own, const struct note *taker, unsigned ring, unsigned entry) {
  bits_put(request, FIELD(lookup_req_t, valid), 1);
  dut_set_words(b->d, "req_i", request, WORDS_OF(lookup_req_t, 1));
  bool answered = false, taken = false;
  for (unsigned wait = 0; !answered; wait++) {
    assert_true(wait < PATIENCE);
    dut_eval(b->d);
    assert_false(dut_get(b->d, "other_valid_o"));
    taken = taken || dut_get(b->d, "req_ready_o");
    dut_get_words(b->d, "own_o", own, WORDS_OF(decide_req_t, 1));
    answered = bits_get(own, FIELD(decide_req_t, valid));
    if (answered) dut_set(b->d, "own_ready_i", 1);
    const bool kept = answered && taker && bits_get(own, FIELD(decide_req_t, packet__fate)) == FateDuplicate;
    tick(b, kept ? taker : NULL, ring, entry);
    if (taken) dut_set_words(b->d, "req_i", NULL, 0);
  }
  dut_set(b->d, "own_ready_i", 0);
}

/// The place of a request in the ring of messages: near the newest one, sometimes an old one.
static uint32_t draw_msgid(struct ring *r) {
  if (odds(3)) r->newest++;
  return r->newest - (odds(3) ? (uint32_t)rand() % (4u << r->window_log2) : 0);
}

static void a_notification(struct bench *b) {
  const unsigned i = (unsigned)rand() % RINGS;
  struct ring *r = &b->rings[i];
  const bool last = odds(2);
  const unsigned who = odds(8) ? STRANGER : 1;
  const uint32_t msgid = draw_msgid(r);
  const unsigned entry = entry_of(r, msgid);
  struct note new = {.msgid = msgid, .psn0 = (odds(8) ? 77 : 1000 * msgid) & 0xFFFFFF, .msglen = r->stride, .kind = TypeInt32};
  uint32_t request[WORDS_OF(lookup_req_t, 1)] = {0}, own[WORDS_OF(decide_req_t, 1)];
  bits_put(request, FIELD(lookup_req_t, desc__has_ina), 1);
  bits_put(request, FIELD(lookup_req_t, desc__starts), !last);
  bits_put(request, FIELD(lookup_req_t, desc__psn), (new.psn0 + (last ? new.msglen - 1 : 0)) & 0xFFFFFF);
  bits_put(request, FIELD(lookup_req_t, desc__key__src), who);
  bits_put(request, FIELD(lookup_req_t, desc__key__qpn), 9);
  bits_put(request, FIELD(lookup_req_t, desc__ina__ring), r->id);
  bits_put(request, FIELD(lookup_req_t, desc__ina__kind), 0x80 | new.kind);
  bits_put(request, FIELD(lookup_req_t, desc__ina__rank), (r->first ? r->first : r->total) - 1);
  bits_put(request, FIELD(lookup_req_t, desc__ina__workers), r->total);
  bits_put(request, FIELD(lookup_req_t, desc__ina__msgid), msgid);
  bits_put(request, FIELD(lookup_req_t, desc__ina__msglen), new.msglen);

  struct waiting *free = NULL;
  for (unsigned w = 0; w < WAITING; w++)
    if (!b->waiting[w].there) free = &b->waiting[w];
  if (!free) return;
  // Headers that come into their bank meanwhile count as of the cycle in which the numbers are compared, which is hard to say from outside: not here.
  for (unsigned w = 0; w < WAITING; w++)
    if (b->waiting[w].there && b->waiting[w].ring == i && b->waiting[w].entry == entry &&
        b->waiting[w].msgid == r->notes[entry].msgid &&
        (msgid == r->notes[entry].msgid || (int32_t)(msgid - r->notes[entry].msgid) < 0))
      return;
  asks(b, request, own, &new, i, entry);

  const struct note *old = &r->notes[entry];
  unsigned fate = (unsigned)bits_get(own, FIELD(decide_req_t, packet__fate));
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__rank)), RANKS + 1);
  if (r->owner && r->owner != who) {
    assert_int_equal(fate, FateRankConflict);
    b->seen[STRANGE]++;
  } else if (fate == FateDuplicate) {
    r->owner = who;
    // The entry is its own by now.
    assert_int_equal(old->msgid, msgid);
    const unsigned slot = ((i * ENTRIES + entry) << 1) + last;
    assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__slot)), slot);
    *free = (struct waiting){true, i, entry, slot, odds(2) ? 1 + (unsigned)rand() % 14 : 6 + (unsigned)rand() % 4, last, msgid};
    b->seen[KEPT]++;
  } else {
    assert_true(old->first || old->last);
    if (msgid == old->msgid) {
      assert_int_equal(fate, FatePsnConflict);
      assert_int_not_equal(old->psn0, new.psn0);
      b->seen[CLASH]++;
    } else {
      assert_int_equal(fate, FateStale);
      assert_true((int32_t)(msgid - old->msgid) < 0);
      b->seen[OLD]++;
    }
  }
}

/// What is known of any message, when nothing has happened for two cycles.
static void a_look(struct bench *b) {
  const unsigned i = (unsigned)rand() % RINGS, entry = (unsigned)rand() % (2u << b->rings[i].window_log2);
  const struct note *n = &b->rings[i].notes[entry];
  uint32_t look[WORDS_OF(relay_look_t, 1)] = {0}, note[WORDS_OF(relay_note_t, 1)];
  struct waiting held[WAITING];
  memcpy(held, b->waiting, sizeof held);
  memset(b->waiting, 0, sizeof b->waiting);
  tick(b, NULL, 0, 0), tick(b, NULL, 0, 0);
  bits_put(look, FIELD(relay_look_t, valid), 1);
  bits_put(look, FIELD(relay_look_t, at), i * ENTRIES + entry);
  dut_set_words(b->d, "look_i", look, WORDS_OF(relay_look_t, 1));
  tick(b, NULL, 0, 0);
  dut_set_words(b->d, "look_i", NULL, 0);
  memcpy(b->waiting, held, sizeof held);
  dut_eval(b->d);
  dut_get_words(b->d, "look_o", note, WORDS_OF(relay_note_t, 1));
  assert_int_equal(bits_get(note, FIELD(relay_note_t, first)), n->first);
  assert_int_equal(bits_get(note, FIELD(relay_note_t, last)), n->last);
  if (!n->first && !n->last) return;
  assert_int_equal(bits_get(note, FIELD(relay_note_t, numbers__msgid)), n->msgid);
  assert_int_equal(bits_get(note, FIELD(relay_note_t, numbers__psn0)), n->psn0);
  assert_int_equal(bits_get(note, FIELD(relay_note_t, numbers__msglen)), n->msglen);
  assert_int_equal(bits_get(note, FIELD(relay_note_t, numbers__kind)), n->kind);
}

/// A packet of the parent: its column's slot.
static void a_result(struct bench *b) {
  const unsigned i = (unsigned)rand() % RINGS;
  struct ring *r = &b->rings[i];
  const uint32_t msgid = (uint32_t)rand();
  const unsigned psn = (unsigned)rand() % r->stride, tensor = 4 + 4 * ((unsigned)rand() % 64);
  uint32_t request[WORDS_OF(lookup_req_t, 1)] = {0}, own[WORDS_OF(decide_req_t, 1)];
  bits_put(request, FIELD(lookup_req_t, desc__has_ina), 1);
  bits_put(request, FIELD(lookup_req_t, desc__starts), 1);
  bits_put(request, FIELD(lookup_req_t, desc__psn), psn);
  bits_put(request, FIELD(lookup_req_t, desc__tensor_len), tensor);
  bits_put(request, lookup_req_t__desc__key__src__AT, 64, PARENT_IP + i);
  bits_put(request, lookup_req_t__desc__key__dst__AT, 64, SELF_IP);
  bits_put(request, FIELD(lookup_req_t, desc__key__qpn), 0x57u << 16 | r->id);
  bits_put(request, FIELD(lookup_req_t, desc__ina__ring), r->id);
  bits_put(request, FIELD(lookup_req_t, desc__ina__kind), TypeInt32);
  bits_put(request, FIELD(lookup_req_t, desc__ina__msgid), msgid);
  bits_put(request, FIELD(lookup_req_t, desc__ina__msglen), r->stride);
  asks(b, request, own, NULL, 0, 0);
  const unsigned window = 1u << r->window_log2, pair = msgid % window * r->stride + psn;
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__fate)), FateStored);
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__rank)), RANKS);
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__ring)), i);
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__msgid)), msgid);
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__offset)), psn);
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__tensor_len)), tensor);
  assert_int_equal(bits_get(own, FIELD(decide_req_t, packet__slot)), r->base + 2 * pair + msgid / window % 2);
  b->seen[RESULT]++;
}

/// A ring is flushed: what it knew is forgotten, and what the others know is not.
static void a_flush(struct bench *b) {
  const unsigned i = (unsigned)rand() % RINGS;
  uint32_t flush[WORDS_OF(flush_conns_t, 1)] = {0};
  bits_put(flush, FIELD(flush_conns_t, hold), 1);
  bits_put(flush, FIELD(flush_conns_t, valid), 1);
  bits_put(flush, FIELD(flush_conns_t, ring), i);
  tick(b, NULL, 0, 0), tick(b, NULL, 0, 0);
  dut_set_words(b->d, "flush_i", flush, WORDS_OF(flush_conns_t, 1));
  dut_eval(b->d);
  assert_true(dut_get(b->d, "idle_o"));
  tick(b, NULL, 0, 0);
  dut_set_words(b->d, "flush_i", NULL, 0);
  b->rings[i].owner = 0;
  for (unsigned e = 0; e < ENTRIES; e++) b->rings[i].notes[e].first = b->rings[i].notes[e].last = false;
  b->seen[FLUSHED]++;
}

static void what_is_kept(void **state) {
  (void)state;
  struct bench b = {.d = dut_new()};
  set_rings(&b);
  dut_reset(b.d);
  for (unsigned n = 0; n < STEPS; n++) {
    switch ((unsigned)rand() % 32) {
      case 0: a_flush(&b); break;
      case 1: a_result(&b); break;
      case 2: tick(&b, NULL, 0, 0); break;
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
      case 10: a_look(&b); break;
      default: a_notification(&b);
    }
  }
  for (unsigned i = 0; i < sizeof b.seen / sizeof *b.seen; i++) assert_true(b.seen[i] > 20);
  dut_free(b.d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
