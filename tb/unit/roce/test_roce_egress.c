// Frames that roce_egress makes of header records and rows, against plain copies of their bytes and zlib's CRC-32.
// DUT: roce_egress -GFifoRows=128 -GHdrFrames=4 -GSlotBytes=4096
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/roce_pkg.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { BEAT = 64, RECORD = 128, MAX_FRAME = 4400, FIFO_ROWS = 128, HDR_FRAMES = 4 };
// Where a header record has what the egress must know.
enum { META_AT = 8 * RECORD - hdr_meta_t__BITS };

/// A result: what goes in, and the whole frame that must come out.
struct result {
  uint8_t frame[MAX_FRAME];
  size_t hdr, tensor, len;
  bool pad, v6, vlan;
  bool mark;      // its headers have room for one
  uint8_t came;   // what stood there
  unsigned conn;
  uint32_t psn;
};

/// Results with room for a mark have it in the byte in front of the headers' last one.
enum { EPOCH = 0xA7 };

static size_t rows_of(const struct result *r) { return r->tensor ? (r->tensor + BEAT - 1) / BEAT : 1; }

/// ICRC by its definition (docs/wire.md): the test's own reading, beside that of lib/wire.
static uint32_t icrc_of(const uint8_t *frame, size_t len, bool v6, bool vlan) {
  uint8_t copy[8 + MAX_FRAME];
  size_t ip = vlan ? 18 : 14, udp = ip + (v6 ? 40 : 20);
  memset(copy, 0xFF, 8);
  uint8_t *at = copy + 8;
  memcpy(at, frame, len);
  if (v6) {
    at[ip] |= 0x0F;
    memset(at + ip + 1, 0xFF, 3);
    at[ip + 7] = 0xFF;
  } else {
    at[ip + 1] = at[ip + 8] = at[ip + 10] = at[ip + 11] = 0xFF;
  }
  at[udp + 6] = at[udp + 7] = at[udp + 8 + 4] = 0xFF;
  memmove(at, at + ip, len - ip);
  return (uint32_t)crc32(0, copy, (uInt)(8 + len - ip));
}

/// A frame of random bytes; only lengths and kind matter to the device.
static void fill(struct result *r, size_t hdr, size_t tensor, bool v6, bool vlan) {
  memset(r, 0, sizeof *r);
  *r = (struct result){.hdr = hdr, .tensor = tensor, .pad = tensor % 4 == 2, .v6 = v6, .vlan = vlan};
  r->conn = (unsigned)rand() % 256;
  r->psn = (uint32_t)rand() % (1u << 24);
  size_t end = hdr + tensor + (r->pad ? 2 : 0);
  for (size_t i = 0; i < end; i++) r->frame[i] = (uint8_t)rand();
  r->mark = rand() % 2;
  r->came = r->frame[hdr - 2];
  if (r->mark) r->frame[hdr - 2] = EPOCH;
  put_le32(r->frame + end, icrc_of(r->frame, end, v6, vlan));
  r->len = end + 4;
}

/// The two kinds of IP version and VLAN tag that a header of this length leaves room for, chosen by chance.
static void fill_random_kind(struct result *r, size_t hdr, size_t tensor) {
  fill(r, hdr, tensor, hdr >= 78 && rand() % 2, hdr >= 58 && rand() % 2);
}

/// What the device is fed with and how far it is.
struct feed {
  const struct result *r;
  size_t count;
  size_t hdr_frame, hdr_word;   // next header word
  size_t row_frame, row;        // next row
  size_t words_in, rows_in;     // written
  size_t part_frame;            // next part of an ICRC, and when it comes
  uint64_t part_at;
  size_t frames_popped, rows_popped;
  size_t out_frame, out_byte;   // next byte expected
  size_t starts;
  unsigned hdr_percent, row_percent, ready_percent;
  uint64_t first_row, first_out, last_out;   // cycles
};

static void put_word(struct dut *d, const struct result *r, size_t word) {
  uint8_t record[RECORD];
  uint32_t w[RECORD / 4];
  for (size_t i = 0; i < RECORD; i++) record[i] = (uint8_t)rand();   // behind the headers: garbage
  memcpy(record, r->frame, r->hdr);
  record[r->hdr - 2] = r->came;
  for (size_t i = 0; i < RECORD / 4; i++) w[i] = get_le32(record + 4 * i);
  bits_put(w, META_AT + FIELD(hdr_meta_t, pad_bytes), get_le16(r->frame + r->hdr + r->tensor));
  bits_put(w, META_AT + FIELD(hdr_meta_t, psn), r->psn);
  bits_put(w, META_AT + FIELD(hdr_meta_t, tensor_len), r->tensor);
  bits_put(w, META_AT + FIELD(hdr_meta_t, hdr_len), r->hdr);
  bits_put(w, META_AT + FIELD(hdr_meta_t, has_pad), r->pad);
  bits_put(w, META_AT + FIELD(hdr_meta_t, mark), r->mark);
  bits_put(w, META_AT + FIELD(hdr_meta_t, v6), r->v6);
  bits_put(w, META_AT + FIELD(hdr_meta_t, vlan), r->vlan);
  bits_put(w, META_AT + FIELD(hdr_meta_t, conn), r->conn);
  dut_set_words(d, "hdr_word_i", w + 4 * word, 4);
}

/// The rows' part of the ICRC: the register that tensor and zeros in place of pad bytes leave behind, begun at 0.
static uint32_t part_of(const struct result *r) {
  static const uint8_t pad[2];
  const uint32_t crc = (uint32_t)crc32(UINT32_MAX, r->frame + r->hdr, (uInt)r->tensor);
  return ~(uint32_t)crc32(crc, pad, r->pad ? 2 : 0);
}

static void put_row(struct dut *d, const struct result *r, size_t row) {
  uint8_t bytes[BEAT];
  uint32_t w[BEAT / 4];
  for (size_t i = 0; i < BEAT; i++) bytes[i] = (uint8_t)rand();
  size_t left = r->tensor - row * BEAT;
  if (r->tensor) memcpy(bytes, r->frame + r->hdr + row * BEAT, left < BEAT ? left : BEAT);
  for (size_t i = 0; i < BEAT / 4; i++) w[i] = get_le32(bytes + 4 * i);
  dut_set_words(d, "row_i", w, BEAT / 4);
  dut_set(d, "row_last_i", row + 1 == rows_of(r));
}

static bool chance(unsigned percent) { return (unsigned)(rand() % 100) < percent; }

/// Compares one beat with the frame it must belong to.
static void check_beat(struct dut *d, struct feed *f) {
  uint32_t w[WORDS_OF(beat_t, 1)];
  assert_true(f->out_frame < f->count);
  const struct result *r = &f->r[f->out_frame];
  dut_get_words(d, "out_o", w, WORDS_OF(beat_t, 1));
  size_t left = r->len - f->out_byte, bytes = left < BEAT ? left : BEAT;
  for (size_t i = 0; i < bytes; i++) {
    uint8_t got = (uint8_t)bits_get(w, 8 * i, 8), due = r->frame[f->out_byte + i];
    if (got != due) {
      fail_msg("cycle %llu frame %zu (header %zu, tensor %zu, v6 %d, vlan %d) byte %zu of %zu: %02x instead of %02x",
               (unsigned long long)dut_cycle(d), f->out_frame, r->hdr, r->tensor, r->v6, r->vlan, f->out_byte + i, r->len, got,
               due);
    }
  }
  assert_int_equal(bits_get(w, FIELD(beat_t, bytes)), bytes);
  assert_int_equal(bits_get(w, FIELD(beat_t, last)), bytes == left);
  assert_int_equal(dut_get(d, "start_valid_o"), f->out_byte == 0);
  if (f->out_byte == 0) {
    assert_int_equal(dut_get(d, "start_conn_o"), r->conn);
    assert_int_equal(dut_get(d, "start_psn_o"), r->psn);
    f->starts++;
    if (f->out_frame == 0) f->first_out = dut_cycle(d);
  }
  f->out_byte += bytes;
  if (f->out_byte == r->len) {
    f->out_frame++;
    f->out_byte = 0;
  }
  f->last_out = dut_cycle(d);
}

/// One clock: feeds as far as pops gave room, takes a beat, counts pops.
static void clock_once(struct dut *d, struct feed *f) {
  bool hdr = f->hdr_frame < f->count && f->words_in < 8 * (f->frames_popped + HDR_FRAMES) && chance(f->hdr_percent);
  // Rows come behind the header that room was reserved for, and their part of the ICRC eight cycles or more behind them.
  bool row = f->row_frame < f->hdr_frame && f->rows_in < f->rows_popped + FIFO_ROWS && chance(f->row_percent);
  bool part = f->part_frame < f->row_frame && dut_cycle(d) >= f->part_at && chance(f->row_percent);
  if (hdr) put_word(d, &f->r[f->hdr_frame], (f->hdr_word + 7) % 8);
  if (part) dut_set(d, "part_i", part_of(&f->r[f->part_frame++]));
  if (row) put_row(d, &f->r[f->row_frame], f->row);
  if (row && f->rows_in == 0) f->first_row = dut_cycle(d);
  dut_set(d, "hdr_we_i", hdr);
  dut_set(d, "row_we_i", row);
  dut_set(d, "part_we_i", part);
  dut_set(d, "out_ready_i", chance(f->ready_percent));
  dut_eval(d);
  if (dut_get(d, "out_valid_o") && dut_get(d, "out_ready_i")) {
    check_beat(d, f);
  } else {
    assert_int_equal(dut_get(d, "start_valid_o"), 0);
  }
  f->frames_popped += dut_get(d, "frame_pop_o");
  f->rows_popped += dut_get(d, "row_pop_o");
  assert_true(8 * f->frames_popped <= f->words_in && f->rows_popped <= f->rows_in);
  dut_tick(d);
  if (hdr) {
    f->words_in++;
    if (++f->hdr_word == 8) f->hdr_word = 0, f->hdr_frame++;
  }
  if (row) {
    f->rows_in++;
    if (++f->row == rows_of(&f->r[f->row_frame])) {
      if (f->part_frame == f->row_frame) f->part_at = dut_cycle(d) + 7;
      f->row = 0, f->row_frame++;
    }
  }
}

/// Sends all frames and checks that everything came out, and that nothing is left.
static void run(struct dut *d, struct feed *f) {
  uint64_t begin = dut_cycle(d), bytes = 0;
  for (size_t i = 0; i < f->count; i++) bytes += f->r[i].len;
  while (f->out_frame < f->count) {
    clock_once(d, f);
    if (dut_cycle(d) - begin > 1000 + 40 * bytes) fail_msg("stuck at frame %zu of %zu", f->out_frame, f->count);
  }
  f->ready_percent = 100;
  for (int i = 0; i < 40; i++) clock_once(d, f);   // anything more would be taken for frame `count`
  assert_int_equal(f->starts, f->count);
  assert_int_equal(f->frames_popped, f->count);
  assert_int_equal(f->rows_popped, f->rows_in);
}

static int setup(void **state) {
  struct dut *d = dut_new();
  dut_reset(d);
  dut_set(d, "epoch_i", EPOCH);
  *state = d;
  return 0;
}

static int teardown(void **state) {
  dut_free(*state);
  return 0;
}

static struct feed feed_of(const struct result *r, size_t count, unsigned hdr, unsigned row, unsigned ready) {
  return (struct feed){.r = r, .count = count, .hdr_percent = hdr, .row_percent = row, .ready_percent = ready};
}

static void every_header_length_and_tail(void **state) {
  static struct result r[80];
  for (size_t hdr = 54; hdr <= 114; hdr += 4) {
    for (unsigned kind = 0; kind < 4; kind++) {
      bool v6 = kind & 2, vlan = kind & 1;
      if (hdr < 54u + 4u * vlan + 20u * v6) continue;
      size_t n = 0;
      for (size_t tensor = 0; tensor <= 140; tensor += 2) fill(&r[n++], hdr, tensor, v6, vlan);
      struct feed f = feed_of(r, n, 100, 100, 100);
      run(*state, &f);
    }
  }
}

static void random_frames_under_back_pressure(void **state) {
  static struct result r[60];
  static const unsigned percent[] = {100, 90, 50, 15};
  for (unsigned round = 0; round < 64; round++) {
    for (size_t i = 0; i < 60; i++) {
      size_t tensor = 2 * ((size_t)rand() % (rand() % 4 ? 50 : 2049));
      fill_random_kind(&r[i], 54 + 4 * ((size_t)rand() % 16), tensor);
    }
    struct feed f = feed_of(r, 60, percent[round / 16], percent[round / 4 % 4], percent[round % 4]);
    run(*state, &f);
  }
}

/// Frames of lib/wire, taken apart and put together again: all data opcodes, IPv4 and IPv6, with and without tag and INA header.
static void real_packets_come_back_whole(void **state) {
  static struct result r[600];
  static const uint8_t opcodes[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x16, 0x17};
  size_t n = 0;
  for (size_t o = 0; o < sizeof opcodes; o++) {
    for (unsigned kind = 0; kind < 8; kind++) {
      for (size_t t = 0; t < 5; t++) {
        uint8_t payload[1200];
        struct ina_header ina = {.ring = 1, .msgid = (uint32_t)rand(), .msglen = 3, .workers = 4};
        struct roce_build b = {.vlan = kind & 1, .key = {.v6 = kind & 2, .qpn = 18}, .opcode = opcodes[o], .ttl = 64};
        struct roce_packet p;
        for (size_t i = 0; i < sizeof payload; i++) payload[i] = (uint8_t)rand();
        for (size_t i = 0; i < sizeof b.reth; i++) b.reth[i] = (uint8_t)rand();
        b.ina = kind & 4 ? &ina : NULL;
        b.payload = payload;
        b.payload_len = 2 * ((size_t)rand() % 600);
        b.traffic_class = (uint8_t)rand();
        b.ip_id = (uint16_t)rand();
        b.psn = (uint32_t)rand() % (1u << 24);
        b.pad_fill = (uint8_t)rand();
        struct result *f = &r[n++];
        f->len = roce_build(&b, f->frame, sizeof f->frame);
        roce_parse(f->frame, f->len, &p);
        assert_int_equal(p.class, ROCE_CANDIDATE);
        f->came = f->frame[p.header - 2];
        f->len = p.ip_end;
        f->hdr = p.header;
        f->tensor = p.tensor;
        f->pad = p.pad == 2;
        f->v6 = p.key.v6;
        f->vlan = p.vlan;
        f->conn = (unsigned)rand() % 256;
        f->psn = p.psn;
      }
    }
  }
  struct feed f = feed_of(r, n, 100, 100, 80);
  run(*state, &f);
}

/// Room for a mark and nothing to put there: headers leave as they came.
static void epoch_0_marks_nothing(void **state) {
  static struct result r[200];
  for (size_t i = 0; i < 200; i++) {
    fill_random_kind(&r[i], 54 + 4 * ((size_t)rand() % 16), 2 * ((size_t)rand() % 100));
    const size_t end = r[i].len - 4;
    r[i].frame[r[i].hdr - 2] = r[i].came;
    put_le32(r[i].frame + end, icrc_of(r[i].frame, end, r[i].v6, r[i].vlan));
  }
  struct feed f = feed_of(r, 200, 100, 100, 80);
  dut_set(*state, "epoch_i", 0);
  run(*state, &f);
}

static void first_beat_leaves_soon(void **state) {
  static struct result r[1];
  for (size_t hdr = 54; hdr <= 114; hdr += 4) {
    fill_random_kind(r, hdr, 1024);
    struct feed f = feed_of(r, 1, 100, 0, 100);
    for (int i = 0; i < 20; i++) clock_once(*state, &f);
    f.row_percent = 100;
    run(*state, &f);
    assert_true(f.first_out - f.first_row <= 8);
  }
}

static void long_frames_leave_without_gaps(void **state) {
  static struct result r[40];
  size_t beats = 0;
  for (size_t i = 0; i < 40; i++) {
    fill_random_kind(&r[i], 54 + 4 * ((size_t)rand() % 16), 1024 - 4 * ((size_t)rand() % 64));
    beats += (r[i].len + BEAT - 1) / BEAT;
  }
  struct feed f = feed_of(r, 40, 100, 100, 100);
  run(*state, &f);
  // The first frame's last beat waits for its ICRC; after that, beats queue up in front of it and hide the wait.
  assert_true(f.last_out - f.first_out + 1 <= beats + 16);
}

static void short_frames_wait_behind_a_trailer(void **state) {
  static struct result r[41];
  // The first frame's ICRC ends in a beat of its own, which waits with its half of the ICRC; frames of one beat each fill
  // all room behind it.
  fill(&r[0], 54, 8, false, false);
  for (size_t i = 1; i < 41; i++) fill(&r[i], 54, 4, false, false);
  struct feed f = feed_of(r, 41, 100, 100, 0);
  for (int i = 0; i < 1000; i++) clock_once(*state, &f);
  f.ready_percent = 100;
  run(*state, &f);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_header_length_and_tail, setup, teardown),
      cmocka_unit_test_setup_teardown(random_frames_under_back_pressure, setup, teardown),
      cmocka_unit_test_setup_teardown(real_packets_come_back_whole, setup, teardown),
      cmocka_unit_test_setup_teardown(epoch_0_marks_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(first_beat_leaves_soon, setup, teardown),
      cmocka_unit_test_setup_teardown(long_frames_leave_without_gaps, setup, teardown),
      cmocka_unit_test_setup_teardown(short_frames_wait_behind_a_trailer, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
