// Rows and header records that agg_align makes of packets, against a plain copy of their bytes.
// DUT: agg_align
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/agg_pkg.h"
#include "structs/roce_pkg.h"

enum { BEAT = 64, MAX_BEATS = 70, MAX_ROWS = 70 };

struct packet {
  uint8_t frame[MAX_BEATS * BEAT];
  size_t beats, hdr, tensor;
  bool pad, v6, vlan, first;
  unsigned rank, slot;
};

struct expected {
  bool header;
  unsigned row, rank, slot;
  size_t due;   // cycles behind the read of the packet's first beat
  uint8_t data[BEAT];
  size_t bytes;   // of `data` that count
  uint16_t pad;   // pad bytes in a header row 1
  bool has_pad;
};

static void fill_packet(struct packet *p, size_t hdr, size_t tensor, bool pad, bool first) {
  size_t len = hdr + tensor + (pad ? 2 : 0) + 4;
  p->beats = (len + BEAT - 1) / BEAT;
  for (size_t i = 0; i < p->beats * BEAT; i++) p->frame[i] = (uint8_t)rand();
  p->hdr = hdr;
  p->tensor = tensor;
  p->pad = pad;
  p->v6 = hdr >= 78 && rand() % 2;
  p->vlan = hdr >= 78 && rand() % 2;
  p->first = first;
  p->rank = (unsigned)rand() % 16;
  p->slot = (unsigned)rand() % 16384;
}

static size_t rows_of(const struct packet *p) { return p->tensor ? (p->tensor + BEAT - 1) / BEAT : 1; }

/// What the packet must write, in order; returns the number of writes.
static size_t expect(const struct packet *p, struct expected *e) {
  size_t udp_checksum = (p->v6 ? 60u : 40u) + (p->vlan ? 4u : 0u);
  uint8_t header[2 * BEAT] = {0};
  memcpy(header, p->frame, p->beats > 1 ? sizeof header : BEAT);
  header[udp_checksum] = header[udp_checksum + 1] = 0;
  size_t n = 0;
  e[n] = (struct expected){.header = true, .row = 0, .rank = p->rank, .slot = p->slot, .due = 2, .bytes = BEAT};
  memcpy(e[n++].data, header, BEAT);
  struct expected second = {.header = true, .row = 1, .rank = p->rank, .slot = p->slot, .due = 3};
  second.bytes = p->hdr > BEAT ? p->hdr - BEAT : 0;
  memcpy(second.data, header + BEAT, second.bytes);
  e[n++] = second;
  for (size_t r = 0; p->first && r < rows_of(p); r++) {
    size_t at = r * BEAT;
    e[n] = (struct expected){.row = (unsigned)r, .rank = p->rank, .slot = p->slot, .due = 4 + r + (p->hdr >= BEAT)};
    e[n].bytes = p->tensor - at < BEAT ? p->tensor - at : BEAT;
    memcpy(e[n].data, p->frame + p->hdr + at, e[n].bytes);
    n++;
  }
  if (!p->pad) return n;
  second.due = p->beats - 1 + 5;
  second.has_pad = true;
  memcpy(&second.pad, p->frame + p->hdr + p->tensor, 2);
  e[n++] = second;
  return n;
}

static void present(struct dut *d, const struct packet *p, size_t beat) {
  uint32_t words[WORDS_OF(beat_t, 1)] = {0}, packet[WORDS_OF(packet_t, 1)] = {0};
  memcpy(words, p->frame + beat * BEAT, BEAT);
  bits_put(words, FIELD(beat_t, bytes), BEAT);
  bits_put(words, FIELD(beat_t, last), beat + 1 == p->beats);
  bits_put(packet, FIELD(packet_t, meta__tensor_len), p->tensor);
  bits_put(packet, FIELD(packet_t, meta__hdr_len), p->hdr);
  bits_put(packet, FIELD(packet_t, meta__has_pad), p->pad);
  bits_put(packet, FIELD(packet_t, meta__v6), p->v6);
  bits_put(packet, FIELD(packet_t, meta__vlan), p->vlan);
  bits_put(packet, FIELD(packet_t, rows), rows_of(p));
  bits_put(packet, FIELD(packet_t, slot), p->slot);
  bits_put(packet, FIELD(packet_t, rank), p->rank);
  bits_put(packet, FIELD(packet_t, first), p->first);
  dut_set_words(d, "beat_i", words, WORDS_OF(beat_t, 1));
  dut_set_words(d, "packet_i", packet, WORDS_OF(packet_t, 1));
  dut_set(d, "beat_first_i", beat == 0);
  dut_set(d, "beat_valid_i", 1);
}

/// What must be written, in order, and how much of it has been.
struct run {
  struct expected *e;
  size_t *first;   // cycle in which the first beat of each write's packet was read
  size_t at, count, cycle, padded;
};

/// One clock; checks what is written against the list.
static void tick(struct dut *d, struct run *r) {
  dut_tick(d);
  r->cycle++;
  r->padded += dut_get(d, "padded_o");
  if (!dut_get(d, "write_valid_o")) return;
  uint32_t words[WORDS_OF(bank_write_t, 1)];
  assert_true(r->at < r->count);
  const struct expected *w = &r->e[r->at];
  assert_int_equal(r->cycle, r->first[r->at++] + w->due);
  dut_get_words(d, "write_o", words, WORDS_OF(bank_write_t, 1));
  assert_int_equal(bits_get(words, FIELD(bank_write_t, header)), w->header);
  assert_int_equal(bits_get(words, FIELD(bank_write_t, row)), w->row);
  assert_int_equal(bits_get(words, FIELD(bank_write_t, slot)), w->slot);
  assert_int_equal(dut_get(d, "write_rank_o"), w->rank);
  assert_memory_equal(words, w->data, w->bytes);
  if (!w->has_pad) return;
  assert_int_equal(bits_get(words, 8 * BEAT - hdr_meta_t__BITS + FIELD(hdr_meta_t, pad_bytes)), w->pad);
  assert_true(dut_get(d, "padded_o"));
}

/// Sends packets as close together as the contract allows and compares everything written, and when.
static void run(struct dut *d, const struct packet *p, size_t packets) {
  const size_t most = packets * (MAX_ROWS + 3);
  struct run r = {.e = calloc(most, sizeof *r.e), .first = calloc(most, sizeof *r.first)};
  assert_non_null(r.e);
  assert_non_null(r.first);
  size_t padded = 0;
  for (size_t i = 0; i < packets; i++) {
    const size_t n = expect(&p[i], r.e + r.count);
    for (size_t w = 0; w < n; w++) r.first[r.count + w] = r.cycle;
    r.count += n;
    padded += p[i].pad;
    for (size_t b = 0; b < p[i].beats; b++) {
      present(d, &p[i], b);
      tick(d, &r);
    }
    dut_set(d, "beat_valid_i", 0);
    for (int gap = 0; gap < (p[i].pad ? 6 : 2) + (rand() % 4 == 0); gap++) tick(d, &r);
  }
  for (int i = 0; i < 8; i++) tick(d, &r);
  assert_int_equal(r.at, r.count);
  assert_int_equal(r.padded, padded);
  free(r.e);
  free(r.first);
}

static int setup(void **state) {
  struct dut *d = dut_new();
  dut_set(d, "beat_valid_i", 0);
  dut_reset(d);
  *state = d;
  return 0;
}

static int teardown(void **state) {
  dut_free(*state);
  return 0;
}

static void every_header_length_and_tail(void **state) {
  static struct packet p[4];
  for (size_t hdr = 54; hdr <= 114; hdr += 4) {
    for (size_t tensor = 0; tensor <= 200; tensor += 2) {
      for (size_t i = 0; i < 4; i++) fill_packet(&p[i], hdr, tensor, tensor % 4 == 2, i != 2);
      run(*state, p, 4);
    }
  }
}

static void random_packets_back_to_back(void **state) {
  static struct packet p[50];
  for (int round = 0; round < 20; round++) {
    for (size_t i = 0; i < 50; i++) {
      size_t tensor = 2 * ((size_t)rand() % (rand() % 4 ? 40 : 2049));
      fill_packet(&p[i], 54 + 4 * ((size_t)rand() % 16), tensor, tensor % 4 == 2, rand() % 3 != 0);
    }
    run(*state, p, 50);
  }
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_header_length_and_tail, setup, teardown),
      cmocka_unit_test_setup_teardown(random_packets_back_to_back, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
