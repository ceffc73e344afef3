// The receive buffer of an RC end: packets of any length with holes, kept or thrown away, claimed, dropped and read at any pace; a place comes
// free once, in order, and never under the feet of a packet that found none.
// DUT: rc_queue -GRoom=8 -GMaxRows=16
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
#include "structs/rc_pkg.h"
#include "structs/rc_port_pkg.h"

enum {
  ROW = 64,
  ROOM = 8,
  MAX_ROWS = 16,
  HEAD = 32,
  READ = 2,
  SHOWN_LATE = 3,
  TOLD_LATE = 3,
  PACKETS = 32,
  RUNS = 60,
  CYCLES = 4000
};

struct packet {
  uint8_t data[(MAX_ROWS + 2) * ROW];
  unsigned len, rows;   // its own; those that come
  bool first, last, drop;
};

/// A row that was asked for, or none.
struct read {
  const uint8_t *row;
  unsigned bytes;   // of the payload
};

struct bench {
  struct dut *d;
  struct packet coming;   // and how far it is
  unsigned row;           // rows that came
  bool begun, keep;       // it is to be kept, as far as there is room; it was
  bool decided;
  struct packet kept[PACKETS];          // by number
  unsigned keeps, claims, done, gone;   // numbers
  unsigned read_at, read_row;           // the packet that is read, and its row
  struct read reads[READ + 1];
  unsigned hidden, untold;   // cycles
  unsigned in_percent, claim_percent, read_percent;
  uint64_t full, dropped, thrown, rows_read, in_a_row, most_in_a_row;
};

static unsigned below(unsigned n) { return (unsigned)rand() % n; }
static bool chance(unsigned percent) { return below(100) < percent; }

static void draw(struct bench *b) {
  struct packet *p = &b->coming;
  p->len = chance(10) ? 0 : chance(40) ? 1 + below(ROW) : 1 + below(MAX_ROWS * ROW);
  if (chance(20)) p->len = MAX_ROWS * ROW;
  // What stands behind the payload may make a row more, and a packet that is not kept can have any number.
  p->rows = (p->len + ROW - 1) / ROW + below(2);
  p->first = rand() % 2;
  p->last = rand() % 2;
  for (unsigned i = 0; i < p->rows * ROW; i++) p->data[i] = (uint8_t)rand();
  b->row = 0;
  b->decided = b->keep = false;
  b->begun = true;
}

/// Says whether the packet is kept, if it has not been said: only if there is room, as far as was told.
static void decide(struct bench *b) {
  uint32_t words[WORDS_OF(rc_kept_t, 1)] = {0};
  const bool room = b->keeps - b->gone < ROOM;
  b->decided = true;
  b->full += !room;
  b->keep = room && chance(85);
  b->thrown += !b->keep;
  bits_put(words, FIELD(rc_kept_t, first), b->coming.first);
  bits_put(words, FIELD(rc_kept_t, last), b->coming.last);
  bits_put(words, FIELD(rc_kept_t, len), b->coming.len);
  dut_set_words(b->d, "kept_i", words, WORDS_OF(rc_kept_t, 1));
  dut_set(b->d, "keep_i", b->keep);
}

/// What comes in this cycle. True if a packet's end does.
static bool comes(struct bench *b) {
  uint32_t words[WORDS_OF(rc_came_t, 1)] = {0};
  uint8_t garbage[ROW];
  bool stops = false;
  for (unsigned i = 0; i < ROW; i++) garbage[i] = (uint8_t)rand();
  bits_put_bytes(words, FIELD(rc_came_t, row), garbage);
  if (!b->begun && chance(b->in_percent)) draw(b);
  const bool row = b->begun && b->row < b->coming.rows && chance(b->in_percent);
  if (b->begun) stops = b->row + row == b->coming.rows && chance(70);
  bits_put(words, FIELD(rc_came_t, valid), row);
  bits_put(words, FIELD(rc_came_t, start), row && b->row == 0);
  bits_put(words, FIELD(rc_came_t, stop), stops);
  if (row) bits_put_bytes(words, FIELD(rc_came_t, row), b->coming.data + b->row++ * ROW);
  dut_set_words(b->d, "came_i", words, WORDS_OF(rc_came_t, 1));
  dut_set(b->d, "keep_i", 0);
  if (b->begun && !b->decided && (stops || chance(5))) decide(b);
  return stops;
}

static struct packet *at(struct bench *b, unsigned number) { return &b->kept[number % PACKETS]; }

/// The packet that is shown is the one behind those that were claimed.
static void check_oldest(struct bench *b, bool *claims) {
  uint32_t words[WORDS_OF(rc_packet_t, 1)];
  dut_get_words(b->d, "oldest_o", words, WORDS_OF(rc_packet_t, 1));
  const bool valid = bits_get(words, FIELD(rc_packet_t, valid));
  b->hidden = !valid && b->claims < b->keeps ? b->hidden + 1 : 0;
  assert_true(b->hidden <= SHOWN_LATE);
  *claims = valid && chance(b->claim_percent);
  if (!valid) return;
  assert_true(b->claims < b->keeps);
  struct packet *p = at(b, b->claims);
  assert_int_equal(bits_get(words, FIELD(rc_packet_t, first)), p->first);
  assert_int_equal(bits_get(words, FIELD(rc_packet_t, last)), p->last);
  assert_int_equal(bits_get(words, FIELD(rc_packet_t, len)), p->len);
  uint8_t head[HEAD];
  bits_get_bytes(words, FIELD(rc_packet_t, head), head);
  assert_memory_equal(head, p->data, p->len < HEAD ? p->len : HEAD);
}

static unsigned rows_of(const struct packet *p) { return p->drop ? 0 : (p->len + ROW - 1) / ROW; }

/// Places that may be free: of packets that were claimed, and have no row that is to be read.
static void settle(struct bench *b) {
  while (b->read_at < b->claims && b->read_row == rows_of(at(b, b->read_at))) {
    b->read_at++;
    b->read_row = 0;
  }
  b->done = b->read_at;
}

static void cycle(struct bench *b) {
  struct dut *d = b->d;
  const bool stops = comes(b);
  bool claims;
  check_oldest(b, &claims);
  const bool drops = claims && chance(25), reads = b->read_at < b->claims && chance(b->read_percent);
  dut_set(d, "claim_i", claims);
  dut_set(d, "claim_drop_i", drops);
  dut_set(d, "row_re_i", reads);
  memmove(b->reads + 1, b->reads, READ * sizeof *b->reads);
  b->reads[0] = (struct read){0};
  if (reads) {
    const struct packet *p = at(b, b->read_at);
    const unsigned left = p->len - b->read_row * ROW;
    b->reads[0] = (struct read){.row = p->data + b->read_row * ROW, .bytes = left < ROW ? left : ROW};
  }
  dut_eval(d);
  if (b->reads[READ].row != NULL) {
    uint32_t words[ROW / 4];
    dut_get_words(d, "row_o", words, ROW / 4);
    assert_memory_equal(words, b->reads[READ].row, b->reads[READ].bytes);
    b->rows_read++;
  }
  b->in_a_row = reads ? b->in_a_row + 1 : 0;
  if (b->in_a_row > b->most_in_a_row) b->most_in_a_row = b->in_a_row;
  if (dut_get(d, "gone_o")) b->gone++;
  assert_true(b->gone <= b->done);
  b->untold = b->gone < b->done && !b->begun ? b->untold + 1 : 0;
  assert_true(b->untold <= TOLD_LATE + ROOM);
  dut_tick(d);
  if (reads) b->read_row++;
  if (claims) {
    at(b, b->claims)->drop = drops;
    b->claims++;
    b->dropped += drops;
  }
  settle(b);
  if (!stops) return;
  if (b->keep) *at(b, b->keeps++) = b->coming;
  b->begun = false;
}

static void clear(struct bench *b) {
  dut_set(b->d, "claim_i", 0);
  dut_set(b->d, "row_re_i", 0);
  dut_set(b->d, "keep_i", 0);
  const uint32_t words[WORDS_OF(rc_came_t, 1)] = {0};
  dut_set_words(b->d, "came_i", words, WORDS_OF(rc_came_t, 1));
  dut_set(b->d, "clear_i", 1);
  dut_tick(b->d);
  dut_set(b->d, "clear_i", 0);
  dut_eval(b->d);
  b->begun = false;
  b->keeps = b->claims = b->done = b->gone = b->read_at = b->read_row = b->hidden = b->untold = 0;
  b->in_a_row = 0;
  memset(b->reads, 0, sizeof b->reads);
}

static void keeps_and_reads(void **state) {
  (void)state;
  static const unsigned paces[] = {4, 30, 80, 100};
  static struct bench b;
  b = (struct bench){.d = dut_new()};
  dut_reset(b.d);
  for (unsigned n = 0; n < RUNS; n++) {
    b.in_percent = paces[1 + below(3)];
    b.claim_percent = paces[below(4)];
    b.read_percent = paces[below(4)];
    for (unsigned i = 0; i < CYCLES; i++) cycle(&b);
    // Some connections end in the middle of everything, some when all is read.
    if (rand() % 2) {
      b.in_percent = 0;
      b.claim_percent = b.read_percent = 100;
      for (unsigned i = 0; i < CYCLES; i++) cycle(&b);
      assert_true(b.begun || (b.gone == b.keeps && b.claims == b.keeps));
    }
    clear(&b);
  }
  assert_true(b.rows_read > 50000 && b.dropped > 500 && b.thrown > 1000 && b.full > 1000);
  assert_true(b.most_in_a_row > 4 * MAX_ROWS);
  dut_free(b.d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_and_reads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
