// The receive side of a port against the C parser: fates, descriptors, and beats of whole frames, whatever stalls.
// DUT: roce_ingress
// DUT: roce_ingress -GWithout=7
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
#include "structs/roce_pkg.h"
#include "wire/bytes.h"
#include "wire/fate.h"
#include "wire/feature.h"
#include "wire/roce.h"

enum { BEAT = 64, MAX_FRAME = 9728, ROOM = 12000, DESC_WORDS = WORDS_OF(frame_desc_t, 1) };

/// What makes a frame one in error: `tuser` with its last or any beat, or a `tkeep` that has a hole or is short too early.
enum error { GOOD, USER_LAST, USER_ANY, KEEP_HOLE, KEEP_SHORT, ERRORS };

struct frame {
  uint8_t *data;
  size_t len;
  enum error error;
};

/// As `stall`: outputs stand still for long, so that everything in front of them fills.
enum { BURSTS = 1000, BURST_CYCLES = 1500 };

/// What the device is without; the program is named after its variant.
static unsigned without;

static unsigned pick(unsigned below) { return (unsigned)rand() % below; }

/// A random RoCEv2 packet; `payload` bytes behind the headers.
static size_t build(uint8_t *out, uint8_t opcode, bool v6, bool vlan, bool ina, size_t payload) {
  static uint8_t data[ROOM];
  for (size_t i = 0; i < payload; i++) data[i] = (uint8_t)rand();
  struct ina_header h = {.ring = (uint16_t)rand(),
                         .rank = (uint8_t)rand(),
                         .kind = (uint8_t)rand(),
                         .msgid = (uint32_t)rand(),
                         .msglen = (uint16_t)rand(),
                         .workers = (uint16_t)rand()};
  struct roce_build b = {.vlan = vlan,
                         .vlan_pcp = (uint8_t)(rand() & 15),
                         .ip_id = (uint16_t)rand(),
                         .udp_src = (uint16_t)rand(),
                         .udp_checksum = (uint16_t)(rand() % 2 ? rand() : 0),
                         .traffic_class = (uint8_t)rand(),
                         .ttl = (uint8_t)rand(),
                         .opcode = opcode,
                         .psn = (uint32_t)rand() & 0xFFFFFF,
                         .pkey = 0xFFFF,
                         .migreq = rand() % 2,
                         .ack_request = rand() % 2,
                         .ina = ina ? &h : NULL,
                         .payload = data,
                         .payload_len = payload,
                         .pad_fill = (uint8_t)rand()};
  b.key.vlan = (uint16_t)(vlan && rand() % 4 ? rand() & 0xFFF : 0);
  b.key.v6 = v6;
  b.key.qpn = (uint32_t)rand() & 0xFFFFFF;
  for (unsigned i = 0; i < (v6 ? 16u : 4u); i++) {
    b.key.src[i] = (uint8_t)rand();
    b.key.dst[i] = (uint8_t)rand();
  }
  return roce_build(&b, out, ROOM);
}

static size_t random_frame(uint8_t *out) {
  static const uint8_t opcodes[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A,
                                    0x0B, 0x0C, 0x10, 0x11, 0x13, 0x16, 0x17, 0x81, 0x24, 0x64};
  size_t payload = pick(4) ? pick(300) : pick(8) ? pick(1100) : pick(10000);
  size_t len = build(out, opcodes[pick(sizeof opcodes)], rand() % 2, rand() % 3 == 0, rand() % 2, payload);
  struct roce_packet at;
  switch (pick(12)) {
    case 0:   // a flipped bit anywhere
      out[pick((unsigned)len)] ^= (uint8_t)(1u << pick(8));
      break;
    case 1:   // ends early
      len = 1 + pick((unsigned)len);
      break;
    case 2:   // trailing bytes
      for (unsigned n = pick(150); n-- && len < ROOM;) out[len++] = (uint8_t)rand();
      break;
    case 3:   // a strange UDP length or BTH with an ICRC that fits
      if (roce_locate(out, len, &at)) {
        if (rand() % 2) {
          out[at.udp + 5] ^= 4;
        } else {
          out[at.bth + 1] ^= (uint8_t)(1u << pick(6));
        }
        icrc_put(out, &at);
      }
      break;
    case 4:   // noise
      len = 1 + pick(200);
      for (size_t i = 0; i < len; i++) out[i] = (uint8_t)rand();
      break;
    case 5:   // a length that is no multiple of four, or shorter than it was
      if (roce_locate(out, len, &at) && !at.key.v6) put_be16(out + at.ip + 2, (uint16_t)(at.ip_end - at.ip - pick(40)));
      break;
    default: break;
  }
  return len;
}

static uint64_t bytes_number(const uint8_t *p, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++) v = v << 8 | p[i];
  return v;
}

/// The 128-bit address field at `lsb` must be `address`, IPv4 in its low bits.
static void same_address(const uint32_t *desc, size_t lsb, const uint8_t *address, bool v6) {
  uint8_t wide[16] = {0};
  memcpy(v6 ? wide : wide + 12, address, v6 ? 16 : 4);
  assert_int_equal(bits_get(desc, lsb + 64, 64), bytes_number(wide, 8));
  assert_int_equal(bits_get(desc, lsb, 64), bytes_number(wide + 8, 8));
}

/// Of a packet that it cannot read, the device knows that it is one, and whose ring's message it begins.
static void same_stranger(const uint32_t *d, const struct roce_packet *p) {
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, starts)), p->starts);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, has_ina)), p->tagged);
  assert_true(bits_get(d, FIELD(frame_desc_t, key__v6)) || bits_get(d, FIELD(frame_desc_t, key__vlan)));
  if (!p->tagged) return;
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__ring)), p->ina.ring);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__kind)), 0xFF);   // no type, no operation
}

static void same_desc(const uint32_t *d, const struct frame *f, const struct roce_packet *p) {
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, beats)), (f->len + BEAT - 1) / BEAT);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, candidate)), p->class == ROCE_CANDIDATE);
  if (p->class != ROCE_CANDIDATE) return;
  if (!feature_reads(without, &p->key, p->vlan)) {
    same_stranger(d, p);
    return;
  }
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, starts)), p->starts);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, len_bad)), p->length_bad);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, has_ina)), p->tagged);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, has_imm)), roce_has_imm(p->opcode));
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, vlan)), p->vlan);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, key__vlan)), p->key.vlan);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, key__v6)), p->key.v6);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, key__qpn)), p->key.qpn);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, psn)), p->psn);
  same_address(d, frame_desc_t__key__src__AT, p->key.src, p->key.v6);
  same_address(d, frame_desc_t__key__dst__AT, p->key.dst, p->key.v6);
  if (p->length_bad) return;
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, hdr_len)), p->header);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, tensor_len)), p->tensor);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, pad)), p->pad);
  if (!p->tagged) return;
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__ring)), p->ina.ring);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__rank)), p->ina.rank);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__kind)), p->ina.kind);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__msgid)), p->ina.msgid);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__msglen)), p->ina.msglen);
  assert_int_equal(bits_get(d, FIELD(frame_desc_t, ina__workers)), p->ina.workers);
}

static enum fate expected_fate(const struct frame *f, struct roce_packet *p) {
  memset(p, 0, sizeof *p);
  if (f->error) return FATE_FRAME_ERROR;
  if (f->len > MAX_FRAME) return FATE_OVERSIZE;
  if (feature_lacks(without, FEATURE_ICRC_CHECK))
    roce_parse_any_icrc(f->data, f->len, p);
  else
    roce_parse(f->data, f->len, p);
  return p->class == ROCE_BAD_ICRC ? FATE_BAD_ICRC : FATE_PASSED;
}

/// Drives `tkeep` and `tuser` of a beat with `n` bytes; `beat` counts from 0.
static void set_sideband(struct dut *d, const struct frame *f, size_t beat, size_t n) {
  size_t beats = (f->len + BEAT - 1) / BEAT;
  bool last = beat == beats - 1;
  uint64_t keep = n == BEAT ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  if (f->error == KEEP_HOLE && last) keep &= ~(UINT64_C(1) << pick(n > 2 ? (unsigned)n - 1 : 1));
  if (f->error == KEEP_SHORT && beat == 0) keep = last ? 0 : keep >> (1 + pick(63));
  dut_set(d, "s_axis_tkeep", keep);
  dut_set(d, "s_axis_tlast", last);
  dut_set(d, "s_axis_tuser", (f->error == USER_LAST && last) || (f->error == USER_ANY && beat == f->len % beats));
}

/// Whether an output is taken in this cycle: never in one cycle of `stall`, always for 0.
static bool takes(unsigned stall, unsigned long cycle) {
  return stall == BURSTS ? cycle / BURST_CYCLES % 2 : !stall || pick(stall);
}

/// Sends `count` frames with beats held back one time in `idle` and outputs stopped one time in `stall` (0: never,
/// BURSTS: for long).
static void run(struct dut *d, const struct frame *f, size_t count, unsigned idle, unsigned stall, unsigned fates[FATE_COUNT]) {
  size_t in = 0, in_beat = 0, judged = 0, desc = 0, out = 0, out_beat = 0, rx = 0, quiet = 0;
  struct roce_packet p;
  for (unsigned long cycle = 0; quiet < 40; cycle++) {
    assert_true(cycle < 5000000);
    bool send = in < count && (!idle || pick(idle));
    dut_set(d, "s_axis_tvalid", send);
    if (send) {
      size_t left = f[in].len - in_beat * BEAT, n = left < BEAT ? left : BEAT;
      uint8_t bytes[BEAT];
      for (size_t i = n; i < BEAT; i++) bytes[i] = (uint8_t)rand();   // behind the end nothing must matter
      memcpy(bytes, f[in].data + in_beat * BEAT, n);
      uint32_t words[BEAT / 4];
      memcpy(words, bytes, BEAT);
      dut_set_words(d, "s_axis_tdata", words, BEAT / 4);
      set_sideband(d, &f[in], in_beat, n);
    }
    bool take_desc = takes(stall, cycle), take_beat = desc > out && takes(stall, cycle);
    dut_set(d, "desc_ready_i", take_desc);
    dut_set(d, "beat_ready_i", take_beat);
    dut_eval(d);
    if (dut_get(d, "beat_valid_o") && take_beat) {
      while (expected_fate(&f[out], &p) != FATE_PASSED) out++;
      uint32_t words[WORDS_OF(beat_t, 1)];
      dut_get_words(d, "beat_o", words, WORDS_OF(beat_t, 1));
      size_t left = f[out].len - out_beat * BEAT, n = left < BEAT ? left : BEAT;
      assert_memory_equal(words, f[out].data + out_beat * BEAT, n);
      assert_int_equal(bits_get(words, FIELD(beat_t, bytes)), n);
      assert_int_equal(bits_get(words, FIELD(beat_t, last)), left <= BEAT);
      out_beat++;
      if (left <= BEAT) {
        out++;
        out_beat = 0;
      }
    }
    if (dut_get(d, "desc_valid_o") && take_desc) {
      while (desc < count && expected_fate(&f[desc], &p) != FATE_PASSED) desc++;
      assert_true(desc < count);
      uint32_t words[DESC_WORDS];
      dut_get_words(d, "desc_o", words, DESC_WORDS);
      same_desc(words, &f[desc], &p);
      fates[FATE_PASSED]++;
      desc++;
    }
    if (dut_get(d, "drop_valid_o")) {
      while (judged < count && expected_fate(&f[judged], &p) == FATE_PASSED) judged++;
      assert_true(judged < count);
      enum fate fate = expected_fate(&f[judged++], &p);
      assert_int_equal(dut_get(d, "drop_fate_o"), fate);
      fates[fate]++;
    }
    rx += dut_get(d, "rx_o");
    if (send && dut_get(d, "s_axis_tready")) {
      in_beat++;
      if (in_beat * BEAT >= f[in].len) {
        in++;
        in_beat = 0;
      }
    }
    quiet = in == count && !dut_get(d, "beat_valid_o") && !dut_get(d, "desc_valid_o") ? quiet + 1 : 0;
    dut_tick(d);
  }
  assert_int_equal(rx, count);
  for (; desc < count; desc++) assert_int_not_equal(expected_fate(&f[desc], &p), FATE_PASSED);
  for (; out < count; out++) assert_int_not_equal(expected_fate(&f[out], &p), FATE_PASSED);
  for (; judged < count; judged++) assert_int_equal(expected_fate(&f[judged], &p), FATE_PASSED);
}

static int setup(void **state) {
  struct dut *d = dut_new();
  dut_set(d, "s_axis_tvalid", 0);
  dut_set(d, "desc_ready_i", 0);
  dut_set(d, "beat_ready_i", 0);
  dut_reset(d);
  *state = d;
  return 0;
}

static int teardown(void **state) {
  dut_free(*state);
  return 0;
}

static struct frame keep(const uint8_t *data, size_t len) {
  struct frame f = {malloc(len), len, GOOD};
  assert_non_null(f.data);
  memcpy(f.data, data, len);
  return f;
}

static void release(struct frame *f, size_t count) {
  for (size_t i = 0; i < count; i++) free(f[i].data);
}

static void every_shape_and_tail(void **state) {
  static struct frame f[24];
  static uint8_t data[ROOM];
  unsigned fates[FATE_COUNT] = {0};
  for (unsigned shape = 0; shape < 8; shape++) {
    for (size_t payload = 0; payload < 150; payload++) {
      for (unsigned op = 0; op < 24; op++) {
        size_t len = build(data, (uint8_t)op, shape & 1, shape & 2, shape & 4, payload);
        f[op] = keep(data, len);
      }
      run(*state, f, 24, 0, 0, fates);
      release(f, 24);
    }
  }
  assert_int_equal(fates[FATE_BAD_ICRC], 0);
  assert_int_equal(fates[FATE_PASSED], 8 * 150 * 24);
}

static void every_flipped_bit(void **state) {
  enum { BYTES = 200 };
  static struct frame f[8 * BYTES];
  static uint8_t data[ROOM];
  for (unsigned shape = 0; shape < 4; shape++) {
    unsigned fates[FATE_COUNT] = {0};
    size_t len = build(data, ROCE_WRITE_FIRST, shape & 1, shape & 2, true, 60);
    for (size_t bit = 0; bit < 8 * len; bit++) {
      data[bit / 8] ^= (uint8_t)(1u << bit % 8);
      f[bit] = keep(data, len);
      data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    run(*state, f, 8 * len, 0, 0, fates);
    // Without the check hardly any is told.
    assert_true(fates[without == 0 ? FATE_BAD_ICRC : FATE_PASSED] > 8 * 90);
    release(f, 8 * len);
  }
}

static void random_frames(struct dut *d, unsigned idle, unsigned stall) {
  enum { FRAMES = 6000 };
  static struct frame f[FRAMES];
  static uint8_t data[ROOM];
  unsigned fates[FATE_COUNT] = {0};
  for (size_t i = 0; i < FRAMES; i++) {
    f[i] = keep(data, random_frame(data));
    if (pick(12) == 0) f[i].error = (enum error)(1 + pick(ERRORS - 1));
  }
  run(d, f, FRAMES, idle, stall, fates);
  assert_true(fates[FATE_FRAME_ERROR] > 50);
  assert_true(fates[FATE_OVERSIZE] > 2);
  assert_true(fates[FATE_BAD_ICRC] > (without == 0 ? 50 : 10));
  release(f, FRAMES);
}

static void random_at_line_rate(void **state) { random_frames(*state, 0, 0); }
static void random_with_gaps(void **state) { random_frames(*state, 3, 0); }
static void random_with_stalls(void **state) { random_frames(*state, 0, 2); }
static void random_with_both(void **state) { random_frames(*state, 2, 3); }

static void random_with_long_stalls(void **state) { random_frames(*state, 0, BURSTS); }

/// Frames of one beat: many descriptors and few beats wait, so the descriptors must be what stops the input.
static void short_frames_with_long_stalls(void **state) {
  enum { FRAMES = 500 };
  static struct frame f[FRAMES];
  uint8_t data[BEAT] = {0};
  unsigned fates[FATE_COUNT] = {0};
  for (size_t i = 0; i < FRAMES; i++) {
    data[0] = (uint8_t)i;
    f[i] = keep(data, 1 + pick(BEAT));
  }
  run(*state, f, FRAMES, 0, BURSTS, fates);
  assert_int_equal(fates[FATE_PASSED], FRAMES);
  release(f, FRAMES);
}

static void vectors_from_outside(void **state) {
  // A CNP captured on a ConnectX-4 Lx, and a UC SEND_ONLY with a non-zero UDP checksum; both published with their ICRCs.
  static const char *const hex[] = {
      "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100ffff400001180000000000000000"
      "00000000000000000000000082fd002a",
      NULL};
  static struct frame f[1];
  unsigned fates[FATE_COUNT] = {0};
  for (size_t v = 0; hex[v]; v++) {
    uint8_t data[ROOM];
    size_t len = strlen(hex[v]) / 2;
    for (size_t i = 0; i < len; i++) {
      char byte[3] = {hex[v][2 * i], hex[v][2 * i + 1], 0};
      data[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    f[0] = keep(data, len);
    run(*state, f, 1, 0, 0, fates);
    release(f, 1);
  }
  assert_int_equal(fates[FATE_PASSED], 1);
}

int main(int argc, char **argv) {
  if (argc > 0 && strstr(argv[0], "Without_7") != NULL)
    without = 1u << FEATURE_ICRC_CHECK | 1u << FEATURE_IPV6 | 1u << FEATURE_VLAN;
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(vectors_from_outside, setup, teardown),
      cmocka_unit_test_setup_teardown(every_shape_and_tail, setup, teardown),
      cmocka_unit_test_setup_teardown(every_flipped_bit, setup, teardown),
      cmocka_unit_test_setup_teardown(random_at_line_rate, setup, teardown),
      cmocka_unit_test_setup_teardown(random_with_gaps, setup, teardown),
      cmocka_unit_test_setup_teardown(random_with_stalls, setup, teardown),
      cmocka_unit_test_setup_teardown(random_with_both, setup, teardown),
      cmocka_unit_test_setup_teardown(random_with_long_stalls, setup, teardown),
      cmocka_unit_test_setup_teardown(short_frames_with_long_stalls, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
