#include "unit/aggregate/emit/emit_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned roll(unsigned percent) { return (unsigned)rand() % 100 < percent; }

static uint32_t header_word(unsigned rank, unsigned slot, unsigned version, unsigned word, unsigned part) {
  return 0xA0000000u | rank << 24 | slot << 18 | (version & 0x7FF) << 7 | word << 3 | part;
}

/// A take of `slot` was accepted: what slot state answers.
static void take(struct emit_bench *b, unsigned slot, unsigned ready) {
  struct slot *s = &b->slot[slot];
  uint32_t *w = b->rsp;
  b->ends = false;
  unsigned ports = 0, ranks = 0, status = TAKE_BLOCKED;
  struct result result = {.slot = slot, .kind = s->kind, .workers = s->workers, .version = s->version, .kept = roll(30)};
  if (roll(b->gone_chance)) s->owed = 0;
  for (unsigned r = 0; r < RANKS; r++) {
    if (!(s->owed >> r & 1) || (ports >> s->port[r] & 1)) continue;
    ports |= 1u << s->port[r];
    ranks |= 1u << r;
    result.rank[s->port[r]] = r;
  }
  for (unsigned p = 0; p < PORTS; p++) {
    // Promised room is there. (That room is not held back for ever shows in the work that gets done.)
    if (ready >> p & 1) assert_true(b->egress[p].row_room >= MAX_ROWS && b->egress[p].frame_room > 0);
  }
  memset(w, 0, sizeof b->rsp);
  if (!s->owed) {
    status = TAKE_GONE;
    b->ends = true;
    b->gone++;
  } else if (ports & ~ready) {
    b->blocked++;
    b->blocked_of[slot % RINGS]++;
    b->unlock_by = b->cycle + RSP_LATENCY + 2;
    b->unlock_slot = slot;
  } else {
    status = TAKE_DONE;
    s->owed &= ~ranks;
    b->ends = s->owed == 0;
    result.ports = ports;
    result.rows = s->len ? (s->len + 63) / 64 : 1;
    result.half = (s->kind & 15) == 1 || (s->kind & 15) == 2;
    b->due[b->tail++ % QUEUE] = result;
    for (unsigned p = 0; p < PORTS; p++) {
      if (!(ports >> p & 1)) continue;
      struct egress *e = &b->egress[p];
      e->due[e->tail++ % QUEUE] = result;
      e->row_room -= result.rows;
      e->frame_room--;
    }
    b->done++;
    b->done_of[slot % RINGS]++;
    b->more += !b->ends;
  }
  bits_put(w, FIELD(taken_t, taken__slot), slot);
  bits_put(w, FIELD(taken_t, taken__tensor_len), s->len);
  bits_put(w, FIELD(taken_t, taken__kind), s->kind);
  bits_put(w, FIELD(taken_t, taken__workers), s->workers);
  for (unsigned r = 0; r < RANKS; r++) bits_put(w, ELEMENT(taken_t, taken__port, r), s->port[r]);
  bits_put(w, FIELD(taken_t, taken__ranks), ranks);
  bits_put(w, FIELD(taken_t, taken__sum), !result.kept);
  bits_put(w, FIELD(taken_t, taken__kept), result.kept);
  bits_put(w, FIELD(taken_t, taken__more), status == TAKE_DONE && !b->ends);
  bits_put(w, FIELD(taken_t, taken__status), status);
  b->rsp_in = RSP_LATENCY;
}

/// A field of a struct that the module shows at `port`.
static uint64_t shown(struct emit_bench *b, const char *port, size_t at, unsigned width) {
  uint32_t w[PORTS * 8] = {0};
  dut_get_words(b->dut, port, w, sizeof w / sizeof *w);
  return bits_get(w, at, width);
}

/// Dues of a slot, first ones or one that is repeated.
static void fill(struct emit_bench *b, unsigned n, bool again) {
  struct slot *s = &b->slot[n];
  s->queued = true;
  s->pushed_at = b->cycle;
  s->workers = 1 + (unsigned)rand() % RANKS;
  s->owed = again ? 1u << (unsigned)rand() % s->workers : (1u << s->workers) - 1;
  s->kind = roll(b->short_chance) ? (unsigned)rand() % 4 | ((unsigned)rand() % 3) << 4 : 0;
  s->len = roll(b->short_chance) ? (unsigned)rand() % (64 * MAX_ROWS + 1) : 64 * MAX_ROWS;
  if (roll(b->short_chance / 10)) s->len = 0;
  for (unsigned r = 0; r < RANKS; r++) s->port[r] = b->short_chance ? (unsigned)rand() % PORTS : r % PORTS;
  for (unsigned r = 0; b->tenants && r < RANKS; r++) s->port[r] = n % RINGS < PORTS ? n % RINGS : r % PORTS;
  if (!b->short_chance) s->owed &= (1u << PORTS) - 1;
}

/// A new job, now and then; or the answer to a take, which may end its job.
static void push_job(struct emit_bench *b) {
  unsigned n = (unsigned)rand() % SLOTS;
  bool again = b->one_repeats ? n == 0 : roll(30);
  uint32_t job[WORDS_OF(job_t, 1)] = {0};
  const bool answer = b->rsp_in == 1, due = b->job_due && b->job_at == b->cycle;
  if (answer) {
    const size_t slot = (size_t)bits_get(b->rsp, FIELD(taken_t, taken__slot));
    b->left += b->slot[slot].ahead && !b->ends;
    b->slot[slot].ahead = b->slot[slot].told = false;
    if (b->ends) b->slot[slot].queued = false;
    bits_put(job, FIELD(job_t, ring), slot % RINGS);
    bits_put(job, FIELD(job_t, slot), slot);
    bits_put(job, FIELD(job_t, ended), b->ends);
  }
  dut_set_words(b->dut, "job_i", job, WORDS_OF(job_t, 1));
  assert_false(answer && due);
  if (due) {
    n = b->soon_slot;
    again = b->job_due = false;
  } else {
    if (answer || b->slot[n].queued || b->slot[n].told || !roll(b->job_chance)) return;
    fill(b, n, again);
  }
  bits_put(job, FIELD(job_t, first), !again);
  bits_put(job, FIELD(job_t, again), again);
  bits_put(job, FIELD(job_t, ring), n % RINGS);
  bits_put(job, FIELD(job_t, slot), n);
  dut_set_words(b->dut, "job_i", job, WORDS_OF(job_t, 1));
  b->firsts += !again;
  b->agains += again;
}

static bool locked(struct emit_bench *b, unsigned slot) {
  const uint64_t valid = shown(b, "lock_o", FIELD(lock_t, valid));
  for (unsigned l = 0; l < 2; l++) {
    if ((valid >> l & 1) && shown(b, "lock_o", ELEMENT(lock_t, slot, l)) == slot) return true;
  }
  return false;
}

/// A result of `slot` is still being read, under a lock of its own.
static bool reading(const struct emit_bench *b, unsigned slot) {
  for (unsigned i = b->reduced; i != b->tail; i++) {
    if (b->due[i % QUEUE].slot == slot) return true;
  }
  for (unsigned p = 0; p < PORTS; p++) {
    for (unsigned i = b->egress[p].head; i != b->egress[p].tail; i++) {
      if (b->egress[p].due[i % QUEUE].slot == slot) return true;
    }
  }
  return false;
}

/// Ports: start writes to slots that are not locked, and tell whether they write to the one asked about.
static void ports(struct emit_bench *b) {
  unsigned asked = (unsigned)shown(b, "lock_o", FIELD(lock_t, writing_slot));
  bool busy = asked < SLOTS && b->slot[asked].write_until > b->cycle;
  dut_set(b->dut, "writing_i", busy);
  b->waited += busy;
  unsigned slot = (unsigned)rand() % SLOTS;
  if (!locked(b, slot) && roll(b->write_chance)) {
    b->slot[slot].write_until = b->cycle + 1 + (unsigned)rand() % 24;
    b->slot[slot].version++;
  }
}

/// A commit waits in slot state that will in all likelihood complete a column; its write is not committed yet.
static void announce(struct emit_bench *b) {
  const unsigned n = (unsigned)rand() % SLOTS;
  if (!b->soon && !b->committed && !b->job_due && !b->slot[n].queued && !b->slot[n].told && b->slot[n].write_until <= b->cycle &&
      !locked(b, n) && roll(b->soon_chance)) {
    b->soon = b->slot[n].told = true;
    b->soon_slot = n;
    b->soon_left = (unsigned)rand() % 4;
    b->slot[n].version++;
  }
  if (b->soon) b->slot[b->soon_slot].write_until = b->cycle + 1;
  uint32_t soon[WORDS_OF(ahead_t, 1)] = {0};
  bits_put(soon, FIELD(ahead_t, valid), b->soon);
  bits_put(soon, FIELD(ahead_t, slot), b->soon_slot);
  dut_set_words(b->dut, "soon_i", soon, WORDS_OF(ahead_t, 1));
}

/// It enters, if no take does, and completes the column or not. If it does, it brings a job, unless emission says a cycle later that
/// the slot's take will come without one.
static void commit(struct emit_bench *b, bool taken) {
  const bool ahead = shown(b, "ahead_o", FIELD(ahead_t, valid)) && shown(b, "ahead_o", FIELD(ahead_t, slot)) == b->soon_slot;
  if (b->committed) b->slot[b->soon_slot].told = ahead;
  if (b->committed && b->completes) {
    b->slot[b->soon_slot].ahead = ahead;
    b->aheads += ahead;
    b->job_due = !ahead;
    b->job_at = b->cycle + RSP_LATENCY - 1;
  }
  b->committed = b->soon && !taken && b->soon_left == 0;
  if (b->soon && b->soon_left) b->soon_left--;
  if (!b->committed) return;
  b->soon = false;
  b->completes = roll(80);
  if (b->completes) fill(b, b->soon_slot, false);
}

static void egresses(struct emit_bench *b) {
  uint32_t credits[WORDS_OF(credit_t, PORTS)] = {0};
  for (unsigned p = 0; p < PORTS; p++) {
    struct egress *e = &b->egress[p];
    const unsigned chance = b->held >> p & 1 ? 0 : b->pop_chance;
    unsigned row = e->rows && roll(chance), frame = e->frames && roll(chance);
    e->rows -= row;
    e->row_room += row;
    e->frames -= frame;
    e->frame_room += frame;
    bits_put(credits, p * credit_t__BITS + FIELD(credit_t, row_pop), row);
    bits_put(credits, p * credit_t__BITS + FIELD(credit_t, frame_pop), frame);
    assert_true(e->row_room <= FIFO_ROWS && e->frame_room <= HDR_FRAMES);
  }
  dut_set_words(b->dut, "credit_i", credits, WORDS_OF(credit_t, PORTS));
}

/// Bank reads of this cycle; data for the header rows read READ_LATENCY cycles ago.
static void banks(struct emit_bench *b) {
  struct read *now = &b->read[b->cycle % (READ_LATENCY + 1)];
  *now =
      (struct read){.row = shown(b, "read_o", FIELD(bank_read_t, row_re)), .hdr = shown(b, "read_o", FIELD(bank_read_t, hdr_re))};
  b->reduce[b->cycle % (READ_LATENCY + 1)].valid = now->row;
  assert_false(shown(b, "read_o", FIELD(bank_read_t, parent_re)));   // nothing here is the parent's
  if (now->row) {
    while (b->head != b->tail && b->due[b->head % QUEUE].kept) b->head++;   // those are not read in the banks
    assert_true(b->head != b->tail);
    const struct result *r = &b->due[b->head % QUEUE];
    unsigned slot = (unsigned)shown(b, "read_o", FIELD(bank_read_t, row_slot));
    assert_int_equal(slot, r->slot);
    assert_int_equal(shown(b, "read_o", FIELD(bank_read_t, row_row)), b->row);
    assert_true(locked(b, slot) && b->slot[slot].write_until <= b->cycle);
    assert_int_equal(b->slot[slot].version, r->version);
    b->row++;
    bool last = b->row == r->rows;
    b->reduce[b->cycle % (READ_LATENCY + 1)].last = last;
    b->reduce[b->cycle % (READ_LATENCY + 1)].result = r;
    b->row = last ? 0 : b->row;
    b->head += last;
  }
  if (now->hdr) {
    now->hdr_slot = (unsigned)shown(b, "read_o", FIELD(bank_read_t, hdr_slot));
    now->hdr_row = (unsigned)shown(b, "read_o", FIELD(bank_read_t, hdr_row));
    assert_true(locked(b, now->hdr_slot) && b->slot[now->hdr_slot].write_until <= b->cycle);
    now->hdr_version = b->slot[now->hdr_slot].version;
  }
  const struct read *old = &b->read[(b->cycle + 1) % (READ_LATENCY + 1)];
  uint32_t rows[RANKS * ROW_WORDS];
  for (unsigned i = 0; i < RANKS * ROW_WORDS; i++) {
    unsigned in_row = i % ROW_WORDS;
    rows[i] = old->hdr ? header_word(i / ROW_WORDS, old->hdr_slot, old->hdr_version, old->hdr_row * 4 + in_row / WORD_WORDS,
                                     in_row % WORD_WORDS)
                       : (uint32_t)rand();
  }
  dut_set_words(b->dut, "hdr_i", rows, RANKS * ROW_WORDS);
}

static void check_rows(struct emit_bench *b) {
  unsigned at = (b->cycle + 1) % (READ_LATENCY + 1);
  const bool valid = shown(b, "reduce_o", FIELD(reduce_req_t, valid));
  const struct result *r = &b->due[b->reduced % QUEUE];
  assert_true(!valid || b->reduced != b->tail);
  assert_int_equal(valid && !r->kept, b->reduce[at].valid);
  if (!valid) return;
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, row)), b->reduced_rows);
  const bool last = ++b->reduced_rows == r->rows;
  if (last) b->reduced++, b->reduced_rows = 0;
  if (b->last_half && b->cycle - b->last_row_cycle < 2) b->half_rows_adjacent = true;
  b->last_half = r->half;
  b->last_row_cycle = b->cycle;
  b->rows++;
  b->kept += r->kept;
  if (!r->kept) assert_true(b->reduce[at].result == r && b->reduce[at].last == last);
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, keep)), !r->kept);
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, kept)), r->kept);
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, slot)), r->slot);
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, last)), last);
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, kind)), r->kind);
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, workers)), r->workers);
  assert_int_equal(shown(b, "reduce_o", FIELD(reduce_req_t, ports)), r->ports);
  for (unsigned p = 0; p < PORTS; p++) {
    if (!(r->ports >> p & 1)) continue;
    b->egress[p].rows++;
    assert_true(b->egress[p].rows <= FIFO_ROWS);
  }
}

static void check_headers(struct emit_bench *b) {
  uint32_t headers[WORDS_OF(header_t, PORTS)];
  dut_get_words(b->dut, "header_o", headers, WORDS_OF(header_t, PORTS));
  for (unsigned p = 0; p < PORTS; p++) {
    const size_t at = p * header_t__BITS;
    if (!bits_get(headers, at + FIELD(header_t, we))) continue;
    struct egress *e = &b->egress[p];
    const struct result *r = &e->due[e->head % QUEUE];
    assert_true(e->head != e->tail);
    for (unsigned i = 0; i < WORD_WORDS; i++) {
      assert_int_equal(bits_get(headers, at + header_t__word__AT + 32 * i, 32),
                       header_word(r->rank[p], r->slot, r->version, (e->word + HDR_WORDS - 1) % HDR_WORDS, i));
    }
    if (++e->word < HDR_WORDS) continue;
    e->word = 0;
    e->head++;
    e->frames++;
    b->frames++;
    assert_true(e->frames <= HDR_FRAMES);
  }
}

void emit_step(struct emit_bench *b) {
  push_job(b);
  announce(b);
  ports(b);
  egresses(b);
  bool may_take = b->take_gap == 0 && roll(b->take_chance);
  if (b->take_gap) b->take_gap--;
  dut_set(b->dut, "take_ready_i", may_take);
  bool answer = b->rsp_in == 1;
  if (b->rsp_in) b->rsp_in--;
  bits_put(b->rsp, FIELD(taken_t, valid), answer);
  dut_set_words(b->dut, "taken_i", b->rsp, WORDS_OF(taken_t, 1));
  dut_eval(b->dut);
  // A blocked job lets ports write to its slot for a while; the room it waits for may depend on them.
  if (b->unlock_by && b->unlock_by == b->cycle) assert_true(!locked(b, b->unlock_slot) || reading(b, b->unlock_slot));
  banks(b);
  check_rows(b);
  check_headers(b);
  const bool taken = may_take && shown(b, "take_o", FIELD(take_req_t, valid));
  commit(b, taken);
  if (taken) {
    unsigned slot = (unsigned)shown(b, "take_o", FIELD(take_req_t, take__slot));
    // Without a job a slot is taken that a commit was told of, whatever came of it.
    assert_true(slot < SLOTS && (b->slot[slot].queued || b->slot[slot].told));
    assert_true(locked(b, slot) && b->slot[slot].write_until <= b->cycle);
    unsigned wait = b->cycle - b->slot[slot].pushed_at;
    if (wait > b->longest_wait) b->longest_wait = wait;
    if (wait > b->longest_of[slot % RINGS]) b->longest_of[slot % RINGS] = wait;
    take(b, slot, (unsigned)shown(b, "take_o", FIELD(take_req_t, take__port_ready)));
    b->take_gap = TAKE_GAP;
  }
  dut_tick(b->dut);
  b->cycle++;
}

struct emit_bench *emit_open(void) {
  struct emit_bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->dut = dut_new();
  dut_reset(b->dut);
  for (unsigned p = 0; p < PORTS; p++) {
    b->egress[p].row_room = FIFO_ROWS;
    b->egress[p].frame_room = HDR_FRAMES;
  }
  b->take_chance = 100;
  b->pop_chance = 100;
  return b;
}

void emit_drain(struct emit_bench *b) {
  b->job_chance = b->soon_chance = b->write_chance = b->gone_chance = 0;
  b->pop_chance = b->take_chance = 100;
  for (unsigned i = 0; i < 2000; i++) emit_step(b);
  for (unsigned s = 0; s < SLOTS; s++) assert_false(b->slot[s].queued);
  assert_int_equal(b->reduced, b->tail);
  for (unsigned p = 0; p < PORTS; p++) {
    const struct egress *e = &b->egress[p];
    assert_true(e->head == e->tail && e->word == 0 && e->row_room == FIFO_ROWS && e->frame_room == HDR_FRAMES);
  }
  assert_int_equal(shown(b, "lock_o", FIELD(lock_t, valid)), 0);
}

void emit_close(struct emit_bench *b) {
  emit_drain(b);
  dut_free(b->dut);
  free(b);
}
