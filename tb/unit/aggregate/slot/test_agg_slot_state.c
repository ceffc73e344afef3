// Slot state against the plain rules (slot_rules.h), told in the order in which the module accepted operations. Few slots,
// so nearly all operations meet the same records in consecutive cycles.
// DUT: agg_slot_state -GNumPorts=3 -GNumRanks=4 -GNumSlots=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/agg_obs_pkg.h"
#include "structs/agg_pkg.h"
#include "unit/aggregate/slot/slot_rules.h"

enum { PORTS = 3, RANKS = SLOT_RANKS, SLOTS = SLOT_SLOTS, RINGS = 2, ANSWER = 5, LATENCY = 6, QUEUE = 64, DELAY = 12 };
enum { OBS_DECIDE, OBS_COMMIT, OBS_TAKE };

/// What the module must answer ANSWER cycles after it accepted an operation, and tell the observer LATENCY cycles after.
struct expected {
  bool verdict, take, obs, completes, commits;
  unsigned slot;
  struct slot_packet packet;
  struct slot_commit commit;                   // one of those that joined
  unsigned commit_ranks, commit_port[RANKS];   // of all of them: a mask, and by rank
  struct slot_effect effect;
};

struct ring {
  unsigned window_log2, workers, stride, base;
  uint32_t msgid;
};

struct bench {
  struct dut *dut;
  struct slot_rules rules;
  struct ring ring[RINGS];
  struct expected expected[LATENCY + 1];   // ring buffer by cycle
  struct slot_commit commit[PORTS][QUEUE];
  unsigned commit_head[PORTS], commit_tail[PORTS];
  unsigned job[2][SLOTS * 2], job_head[2], job_tail[2];
  unsigned cycle, last_slot;
  unsigned shown;   // ports whose commit is offered; it stays until it is accepted
  bool hot;
  // What happened, so that nothing goes untested.
  unsigned fate[FATE_COUNT], early, status[3], more, firsts, agains, flushed, repeated, joined, soon, ahead, left;
};

/// A packet such as look-up would tell of: mostly one that helps a column on, sometimes from anywhere in the window.
/// Messages N apart have a pair of slots, the offsets of N messages one pair behind the other.
static unsigned slot_of(const struct ring *ring, uint32_t msgid, unsigned offset) {
  const unsigned n = 1u << ring->window_log2;
  return ring->base + 2 * (msgid % n * ring->stride + offset) + msgid / n % 2;
}

static struct slot_packet make_packet(struct bench *b) {
  struct slot_packet p = {0};
  p.ring = (unsigned)rand() % RINGS;
  struct ring *ring = &b->ring[p.ring];
  unsigned n = 1u << ring->window_log2;
  p.workers = ring->workers;
  p.window_log2 = ring->window_log2;
  p.offset = b->hot ? 0 : (unsigned)rand() % ring->stride;
  const struct slot_record *now = &b->rules.record[slot_of(ring, ring->msgid, p.offset)];
  if ((now->tag == ring->msgid && slot_complete(now) && rand() % 4 == 0) || rand() % 100 == 0) ring->msgid++;
  unsigned back = rand() % 8 ? 0 : (unsigned)rand() % (3 * n);
  p.msgid = ring->msgid - back + (rand() % 50 == 0 ? n : 0);
  // MsgIDs compare as serial numbers: nearly half of all are older. A jump ahead takes the ring along.
  if (rand() % 300 == 0) p.msgid -= 0x7FFFFF00;
  if (rand() % 3000 == 0) p.msgid = ring->msgid += 0x70000000;
  p.slot = slot_of(ring, p.msgid, p.offset);
  if (slot_holds(&b->rules.record[p.slot ^ 1]) && rand() % 8) {   // the message N before or behind, which keeps it out
    p.slot ^= 1;
    p.msgid = b->rules.record[p.slot].tag;
  }
  const struct slot_record *r = &b->rules.record[p.slot];
  if (r->valid && r->accepted && !slot_complete(r) && rand() % 4) p.msgid = r->tag;   // another tag, the same slot
  p.rank = (unsigned)rand() % p.workers;
  if (r->accepted >> p.rank & 1 && rand() % 2) p.rank = (unsigned)rand() % p.workers;
  p.kind = rand() % 40 ? 0 : 1;
  p.len = rand() % 40 ? 200 + p.msgid % 4 : 64;
  p.port = rand() % 4 ? p.rank % PORTS : (unsigned)rand() % PORTS;
  p.conn = p.ring * 16 + p.rank;
  p.fate = rand() % 16 ? FATE_STORED : (unsigned)(rand() % 2 ? FATE_PASSED : FATE_BAD_LENGTH);
  return p;
}

static void put_packet(struct bench *b, const struct slot_packet *p) {
  uint32_t w[WORDS_OF(lookup_rsp_t, 1)] = {0};
  bits_put(w, FIELD(lookup_rsp_t, tensor_len), p->len);
  bits_put(w, FIELD(lookup_rsp_t, kind), p->kind);
  bits_put(w, FIELD(lookup_rsp_t, window_log2), p->window_log2);
  bits_put(w, FIELD(lookup_rsp_t, slot), p->slot);
  bits_put(w, FIELD(lookup_rsp_t, offset), p->offset);
  bits_put(w, FIELD(lookup_rsp_t, msgid), p->msgid);
  bits_put(w, FIELD(lookup_rsp_t, workers), p->workers);
  bits_put(w, FIELD(lookup_rsp_t, rank), p->rank);
  bits_put(w, FIELD(lookup_rsp_t, ring), p->ring);
  bits_put(w, FIELD(lookup_rsp_t, conn), p->conn);
  bits_put(w, FIELD(lookup_rsp_t, fate), p->fate);
  bits_put(w, FIELD(lookup_rsp_t, port), p->port);
  dut_set_words(b->dut, "rsp_i", w, WORDS_OF(lookup_rsp_t, 1));
}

static unsigned put_commits(struct bench *b, unsigned chance) {
  uint32_t w[WORDS_OF(commit_t, PORTS)] = {0};
  for (unsigned p = 0; p < PORTS; p++) {
    bool any = b->commit_head[p] != b->commit_tail[p];
    const struct slot_commit *c = &b->commit[p][b->commit_head[p] % QUEUE];
    if (!any) b->shown &= ~(1u << p);
    if (any && c->ready_at <= b->cycle && (unsigned)rand() % 100 < chance) b->shown |= 1u << p;
    if (!(b->shown >> p & 1)) continue;
    bits_put(w, p * commit_t__BITS + FIELD(commit_t, msgid), c->msgid);
    bits_put(w, p * commit_t__BITS + FIELD(commit_t, slot), c->slot);
    bits_put(w, p * commit_t__BITS + FIELD(commit_t, rank), c->rank);
    bits_put(w, p * commit_t__BITS + FIELD(commit_t, first), c->first);
    bits_put(w, p * commit_t__BITS + FIELD(commit_t, fills), c->fills);
    bits_put(w, p * commit_t__BITS + FIELD(commit_t, port), c->port);
  }
  unsigned valid = b->shown;
  dut_set_words(b->dut, "commit_i", w, WORDS_OF(commit_t, PORTS));
  dut_set(b->dut, "commit_valid_i", valid);
  dut_eval(b->dut);
  b->shown &= ~(unsigned)dut_get(b->dut, "commit_ready_o");
  return valid;
}

static void check_obs(struct bench *b, const struct expected *e) {
  uint32_t w[WORDS_OF(obs_state_t, 1)];
  dut_get_words(b->dut, "obs_o", w, WORDS_OF(obs_state_t, 1));
  assert_int_equal(bits_get(w, FIELD(obs_state_t, valid)), e->obs);
  if (!e->obs) return;
  unsigned kind = e->verdict ? OBS_DECIDE : e->take ? OBS_TAKE : OBS_COMMIT;
  assert_int_equal(bits_get(w, FIELD(obs_state_t, kind)), kind);
  if (kind == OBS_TAKE) {
    assert_int_equal(bits_get(w, FIELD(obs_state_t, ranks)), e->effect.ranks);
    assert_int_equal(bits_get(w, FIELD(obs_state_t, ring)), e->effect.record.ring);
    assert_int_equal(bits_get(w, FIELD(obs_state_t, msgid)), e->effect.record.tag);
    assert_int_equal(bits_get(w, FIELD(obs_state_t, offset)), e->effect.record.offset);
    return;
  }
  assert_int_equal(bits_get(w, FIELD(obs_state_t, completes)), e->completes);
  if (kind == OBS_COMMIT) {
    assert_int_equal(bits_get(w, FIELD(obs_state_t, ranks)), e->commit_ranks);
    for (unsigned r = 0; r < RANKS; r++)
      if (e->commit_ranks >> r & 1) assert_int_equal(bits_get(w, ELEMENT(obs_state_t, ports, r)), e->commit_port[r]);
    assert_int_equal(bits_get(w, FIELD(obs_state_t, msgid)), e->commit.msgid);
    return;
  }
  assert_int_equal(bits_get(w, FIELD(obs_state_t, port)), e->packet.port);
  assert_int_equal(bits_get(w, FIELD(obs_state_t, conn)), e->packet.conn);
  assert_int_equal(bits_get(w, FIELD(obs_state_t, ring)), e->packet.ring);
  assert_int_equal(bits_get(w, FIELD(obs_state_t, rank)), e->packet.rank);
  assert_int_equal(bits_get(w, FIELD(obs_state_t, msgid)), e->packet.msgid);
  assert_int_equal(bits_get(w, FIELD(obs_state_t, offset)), e->packet.offset);
  assert_int_equal(bits_get(w, FIELD(obs_state_t, fate)), e->packet.fate);
}

static void check_outputs(struct bench *b, const struct expected *e) {
  uint32_t w[WORDS_OF(take_rsp_t, 1)];
  assert_int_equal(dut_get(b->dut, "verdict_valid_o"), e->verdict);
  assert_int_equal(dut_get(b->dut, "take_rsp_valid_o"), e->take);
  assert_int_equal(dut_get(b->dut, "job_first_o"), e->effect.first);
  assert_int_equal(dut_get(b->dut, "job_again_o"), e->effect.again);
  const bool ended = e->take && e->effect.take != TAKE_BLOCKED && !e->effect.more;
  assert_int_equal(dut_get(b->dut, "job_ended_o"), ended);
  if (e->verdict) {
    dut_get_words(b->dut, "verdict_o", w, WORDS_OF(verdict_t, 1));
    assert_int_equal(bits_get(w, FIELD(verdict_t, fate)), e->packet.fate);
    assert_int_equal(bits_get(w, FIELD(verdict_t, port)), e->packet.port);
    assert_int_equal(bits_get(w, FIELD(verdict_t, conn)), e->packet.conn);
    assert_int_equal(bits_get(w, FIELD(verdict_t, rank)), e->packet.rank);
    assert_int_equal(bits_get(w, FIELD(verdict_t, slot)), e->packet.slot);
    assert_int_equal(bits_get(w, FIELD(verdict_t, msgid)), e->packet.msgid);
    assert_int_equal(bits_get(w, FIELD(verdict_t, fills)), e->completes);
  }
  if (e->effect.first || e->effect.again || ended) assert_int_equal(dut_get(b->dut, "job_slot_o"), e->slot);
  if (e->effect.first || e->effect.again) assert_int_equal(dut_get(b->dut, "job_ring_o"), e->effect.record.ring);
  if (!e->take) return;
  dut_get_words(b->dut, "take_rsp_o", w, WORDS_OF(take_rsp_t, 1));
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, status)), e->effect.take);
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, slot)), e->slot);
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, more)), e->effect.more);
  if (e->effect.take == TAKE_DONE) {
    assert_int_equal(bits_get(w, FIELD(take_rsp_t, sum)), e->effect.sum);
    assert_int_equal(bits_get(w, FIELD(take_rsp_t, kept)), !e->effect.sum);
  }
  if (e->effect.take == TAKE_GONE) return;   // of a blocked one, those who wait
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, ranks)), e->effect.ranks);
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, ring)), e->effect.record.ring);
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, workers)), e->effect.record.workers);
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, kind)), e->effect.record.kind);
  assert_int_equal(bits_get(w, FIELD(take_rsp_t, tensor_len)), e->effect.record.len);
  for (unsigned r = 0; r < RANKS; r++) {
    if (e->effect.ranks >> r & 1) assert_int_equal(bits_get(w, ELEMENT(take_rsp_t, port, r)), e->effect.record.port[r]);
  }
}

static void note_slot(struct bench *b, unsigned slot) {
  b->repeated += slot == b->last_slot;
  b->last_slot = slot;
}

/// Emission's part: one job at a time, taken again while blocked or more is owed. `ahead`: a take without a job, of a column that a
/// commit will complete soon; what is left of it is a job.
struct taker {
  bool busy, asked, ahead;
  unsigned slot, pause;
};

/// The module says of a slot that its column will be complete only while a commit that fills it is offered.
static bool check_soon(struct bench *b, unsigned commits, unsigned *slot) {
  uint32_t w[WORDS_OF(ahead_t, 1)];
  dut_get_words(b->dut, "soon_o", w, WORDS_OF(ahead_t, 1));
  *slot = (unsigned)bits_get(w, FIELD(ahead_t, slot));
  if (!bits_get(w, FIELD(ahead_t, valid))) return false;
  bool any = false;
  for (unsigned p = 0; p < PORTS; p++) {
    const struct slot_commit *c = &b->commit[p][b->commit_head[p] % QUEUE];
    any = any || ((commits >> p & 1) && c->fills && c->slot == *slot);
  }
  assert_true(any);
  b->soon++;
  return true;
}

/// What a take that is ahead of its job says to slot state: in the cycle behind a commit, that this brings none.
static void put_ahead(struct bench *b, const struct taker *taker) {
  const bool ahead = taker->busy && taker->ahead && !taker->asked;
  uint32_t w[WORDS_OF(ahead_t, 1)] = {0};
  bits_put(w, FIELD(ahead_t, valid), ahead);
  bits_put(w, FIELD(ahead_t, slot), taker->slot);
  dut_set_words(b->dut, "ahead_i", w, WORDS_OF(ahead_t, 1));
  struct expected *before = &b->expected[(b->cycle + LATENCY) % (LATENCY + 1)];
  if (!ahead || !before->commits || before->slot != taker->slot) return;
  b->ahead += before->effect.first;
  before->effect.first = false;
}

static void run(struct bench *b, unsigned cycles, unsigned rsp_chance, unsigned commit_chance, unsigned ready_chance) {
  struct slot_packet packet = {0};
  struct taker taker = {0};
  bool offered = false, flushing = false;
  unsigned flush_slot = 0;
  for (unsigned until = b->cycle + cycles; b->cycle < until; b->cycle++) {
    unsigned in_flight = 0, left = until - b->cycle;
    for (unsigned p = 0; p < PORTS; p++) in_flight += b->commit_tail[p] - b->commit_head[p];
    bool quiet = left < 300;   // the last cycles empty all queues
    if (!offered && !quiet && !flushing && in_flight < QUEUE / 2 && (unsigned)rand() % 100 < rsp_chance) {
      packet = make_packet(b);
      put_packet(b, &packet);
      offered = true;
    }
    dut_set(b->dut, "rsp_valid_i", offered);
    // A flush comes when no packet is between its decision and its commit; then a slot may forget its message.
    if (!flushing && !offered && in_flight == 0 && rand() % 8 == 0) {
      flushing = true;
      flush_slot = (unsigned)rand() % SLOTS;
      dut_set(b->dut, "flush_slot_i", flush_slot);
    }
    dut_set(b->dut, "flush_valid_i", flushing);
    if (!taker.busy) {
      for (unsigned q = 0; q < 2 && !taker.busy; q++) {
        if (b->job_head[q] == b->job_tail[q]) continue;
        taker.slot = b->job[q][b->job_head[q]++ % (SLOTS * 2)];
        taker.busy = true;
        taker.pause = (unsigned)rand() % 6;
      }
    }
    put_ahead(b, &taker);
    bool take_valid = taker.busy && !taker.asked && taker.pause == 0;
    if (taker.pause) taker.pause--;
    unsigned ready = 0;
    for (unsigned p = 0; p < PORTS; p++) ready |= (unsigned)((unsigned)rand() % 100 < ready_chance || quiet) << p;
    dut_set(b->dut, "take_valid_i", take_valid);
    dut_set(b->dut, "take_i", (uint64_t)taker.slot << take_t__slot__AT | ready << take_t__port_ready__AT);
    unsigned commits = put_commits(b, quiet ? 100 : commit_chance), soon_slot;
    const bool soon = check_soon(b, commits, &soon_slot);

    // What is accepted in this cycle has its effect now.
    struct expected *e = &b->expected[b->cycle % (LATENCY + 1)];
    *e = (struct expected){0};
    unsigned accepted = 0;
    if (offered && dut_get(b->dut, "rsp_ready_o")) {
      accepted++;
      e->verdict = e->obs = true;
      e->packet = packet;
      e->packet.fate = slot_decide(&b->rules, &packet, &e->completes);
      b->early += packet.fate != FATE_STORED;
      b->fate[e->packet.fate] += packet.fate == FATE_STORED;
      if (packet.fate == FATE_STORED) note_slot(b, packet.slot);
      offered = false;
      if (packet.fate == FATE_STORED && (e->packet.fate == FATE_STORED || e->packet.fate == FATE_DUPLICATE)) {
        b->commit[packet.port][b->commit_tail[packet.port]++ % QUEUE] =
            (struct slot_commit){.port = packet.port,
                                 .first = e->packet.fate == FATE_STORED,
                                 .fills = e->completes,
                                 .rank = packet.rank,
                                 .slot = packet.slot,
                                 .ready_at = b->cycle + ANSWER + (unsigned)rand() % DELAY,
                                 .msgid = packet.msgid};
      }
    }
    unsigned granted = commits & (unsigned)dut_get(b->dut, "commit_ready_o");
    // Several are of one column, and one operation: as if one came after the other.
    for (unsigned p = 0; p < PORTS; p++) {
      if (!(granted >> p & 1)) continue;
      const struct slot_commit *c = &b->commit[p][b->commit_head[p]++ % QUEUE];
      assert_true(!e->obs || (c->first && e->commit.first && c->slot == e->slot && c->msgid == e->commit.msgid));
      b->joined += e->obs;
      accepted += !e->obs;
      e->obs = e->commits = true;
      e->commit = *c;
      e->commit_port[c->rank] = p;
      e->commit_ranks |= 1u << c->rank;
      e->slot = c->slot;
      note_slot(b, e->slot);
      struct slot_effect before = e->effect;
      e->effect = slot_commit(&b->rules, c);
      e->effect.first |= before.first;
      e->effect.again |= before.again;
      e->completes |= e->effect.completes;
    }
    b->firsts += e->effect.first;
    b->agains += e->effect.again;
    if (take_valid && dut_get(b->dut, "take_ready_o")) {
      accepted++;
      e->take = true;
      e->slot = taker.slot;
      note_slot(b, e->slot);
      e->effect = slot_take(&b->rules, taker.slot, ready);
      e->obs = e->effect.take == TAKE_DONE;
      b->status[e->effect.take]++;
      b->more += e->effect.more;
      taker.asked = true;
    }
    if (flushing && dut_get(b->dut, "flush_ready_o")) {
      accepted++;
      slot_flush(&b->rules, flush_slot);
      b->flushed++;
      flushing = false;
    }
    assert_true(accepted <= 1);
    if (soon && !taker.busy && b->job_head[0] == b->job_tail[0] && b->job_head[1] == b->job_tail[1] && !quiet &&
        (e->commits && e->slot == soon_slot ? e->effect.first : !b->rules.record[soon_slot].queued)) {
      taker = (struct taker){.busy = true, .ahead = true, .slot = soon_slot, .pause = (unsigned)rand() % 6};
    }

    dut_tick(b->dut);
    const struct expected *out = &b->expected[(b->cycle + 1 + LATENCY + 1 - ANSWER) % (LATENCY + 1)];
    check_outputs(b, out);
    check_obs(b, &b->expected[(b->cycle + 2) % (LATENCY + 1)]);   // of LATENCY ticks ago
    if (out->effect.first || out->effect.again) {
      unsigned q = out->effect.again;
      b->job[q][b->job_tail[q]++ % (SLOTS * 2)] = out->slot;
      assert_true(b->job_tail[0] - b->job_head[0] + b->job_tail[1] - b->job_head[1] + taker.busy <= SLOTS);
    }
    if (out->take) {
      taker.asked = false;
      taker.busy = out->effect.take == TAKE_BLOCKED || out->effect.more;
      if (taker.ahead && taker.busy) {
        b->job[0][b->job_tail[0]++ % (SLOTS * 2)] = out->slot;
        b->left++;
      }
      taker.busy = taker.busy && !taker.ahead;
      taker.ahead = false;
      taker.pause = (unsigned)rand() % 4;
    }
  }
  for (unsigned p = 0; p < PORTS; p++) assert_int_equal(b->commit_head[p], b->commit_tail[p]);
  for (unsigned q = 0; q < 2; q++) assert_int_equal(b->job_head[q], b->job_tail[q]);
  assert_false(offered || taker.busy);
  for (unsigned s = 0; s < SLOTS; s++) assert_false(b->rules.record[s].owed || b->rules.record[s].queued);
}

/// In the middle of a life: behind it no slot knows of a packet.
static void reset(struct bench *b) {
  static const char *const valids[] = {"rsp_valid_i", "take_valid_i", "flush_valid_i", "commit_valid_i"};
  for (size_t i = 0; i < sizeof valids / sizeof *valids; i++) dut_set(b->dut, valids[i], 0);
  dut_reset(b->dut);
  memset(b->rules.record, 0, sizeof b->rules.record);
}

static void rules_hold(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->dut = dut_new();
  dut_reset(b->dut);
  b->ring[0] = (struct ring){.window_log2 = 0, .workers = 4, .stride = 2, .base = 0, .msgid = 0xFFFFFFC0};
  b->ring[1] = (struct ring){.window_log2 = 1, .workers = 3, .stride = 1, .base = 4, .msgid = 0x7FFFFFF0};
  for (unsigned phase = 0; phase < 24; phase++) {
    b->hot = phase % 3 == 2;
    if (phase % 5 == 4) reset(b);
    run(b, 20000, phase % 4 == 3 ? 30 : 100, phase % 2 ? 100 : 40, phase % 5 ? 70 : 100);
  }
  unsigned operations = b->early;
  for (unsigned f = 0; f < FATE_COUNT; f++) operations += b->fate[f];
  operations += b->status[0] + b->status[1] + b->status[2] + b->flushed;
  printf("decided %u: stored %u duplicate %u stale %u window %u type %u length %u, early %u; takes gone %u blocked %u done "
         "%u more %u; jobs %u + %u, %u on a stray; freed %u; kept out %u; given up %u; flushed %u; commits ignored %u, joined "
         "%u; same slot %u; soon %u, taken without a job %u, left of those %u\n",
         operations, b->fate[FATE_STORED], b->fate[FATE_DUPLICATE], b->fate[FATE_STALE], b->fate[FATE_WINDOW_VIOLATION],
         b->fate[FATE_TYPE_MISMATCH], b->fate[FATE_LENGTH_MISMATCH], b->early, b->status[TAKE_GONE], b->status[TAKE_BLOCKED],
         b->status[TAKE_DONE], b->more, b->firsts, b->agains, b->rules.silent, b->rules.freed, b->rules.kept_out,
         b->rules.given_up, b->flushed, b->rules.ignored, b->joined, b->repeated, b->soon, b->ahead, b->left);
  assert_true(operations > 100000);
  static const unsigned fates[] = {FATE_STORED,           FATE_DUPLICATE,     FATE_STALE,
                                   FATE_WINDOW_VIOLATION, FATE_TYPE_MISMATCH, FATE_LENGTH_MISMATCH};
  for (size_t i = 0; i < sizeof fates / sizeof *fates; i++) assert_true(b->fate[fates[i]] > 100);
  for (unsigned s = 0; s < 3; s++) assert_true(b->status[s] > 20);
  assert_true(b->early > 1000 && b->more > 100 && b->firsts > 1000 && b->agains > 100 && b->rules.silent > 5);
  assert_int_equal(b->rules.freed_partial, 0);   // a message is over before the one N behind begins
  assert_true(b->rules.freed > 1000 && b->rules.kept_out > 100 && b->rules.given_up > 100 && b->flushed > 20 &&
              b->rules.ignored > 20 && b->repeated > 10000 && b->joined > 500 && b->soon > 500 && b->ahead > 100 && b->left > 20);
  dut_free(b->dut);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rules_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
