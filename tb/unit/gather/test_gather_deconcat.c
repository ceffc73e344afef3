// Frames to PRs: every PR of a well-formed packet comes out once and in order, of any other frame none, whatever stalls.
// DUT: gather_deconcat -GNumNodes=16
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
#include "structs/gather_pkg.h"
#include "structs/roce_pkg.h"
#include "unit/gather/gather_prs.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { NODES = 16, OWN = 3, MTU_FRAME = 1514, MAX_FRAMES = 1000, MAX_PRS = 20000 };
enum fate { TAKEN, FOREIGN, BAD_TYPE, BAD_LENGTH, BAD_DEST, FATES };

struct frame {
  uint8_t data[1536];
  size_t len, first_pr, prs;
  enum fate fate;
};

struct traffic {
  struct frame *frames;
  size_t frames_count;
  struct pr *prs;   ///< of the frames that are taken, in order
  size_t prs_count;
};

static struct traffic traffic_new(void) {
  struct traffic t = {.frames = calloc(MAX_FRAMES, sizeof *t.frames), .prs = calloc(MAX_PRS, sizeof *t.prs)};
  assert_true(t.frames && t.prs);
  return t;
}

static void traffic_free(struct traffic *t) {
  free(t->frames);
  free(t->prs);
}

/// PRs of `len` bytes that fit into an IP packet of 1500 bytes.
static size_t most(bool response, unsigned len) { return (1500 - 66) / (18 + (response ? len : 0)); }

/// Appends a packet of `count` PRs; the caller may break it.
static struct frame *add_packet(struct traffic *t, bool response, unsigned len, size_t count, uint32_t dest) {
  static uint8_t room[GATHER_FRAME_ROOM];
  assert_true(t->frames_count < MAX_FRAMES && t->prs_count + count <= MAX_PRS);
  struct frame *f = &t->frames[t->frames_count++];
  f->first_pr = t->prs_count;
  f->prs = count;
  f->fate = TAKEN;
  const uint16_t generation = (uint16_t)rand();
  for (size_t i = 0; i < count; i++) {
    struct pr *pr = &t->prs[f->first_pr + i];
    gather_random_pr(pr, response, NODES, len);
    pr->dest = dest;
    pr->generation = generation;
  }
  f->len = pr_packet(&t->prs[f->first_pr], count, room);
  assert_true(f->len && f->len <= sizeof f->data);
  memcpy(f->data, room, f->len);
  t->prs_count += count;
  return f;
}

/// Breaks the packet that was just added, so that it must be dropped for `fate`.
static void spoil(struct traffic *t, struct frame *f, enum fate fate) {
  uint8_t *concat = f->data + GATHER_UPPER;
  f->fate = fate;
  t->prs_count = f->first_pr;
  f->prs = 0;
  switch (fate) {
    case FOREIGN:
      switch (gather_pick(6)) {
        case 0: f->data[42] = 0x04; break;
        case 1: f->data[37] ^= 1; break;
        case 2: f->data[13] ^= 1; break;
        case 3: f->data[14] = 0x46; break;
        case 4: f->data[20] |= 0x20; break;
        default: f->len = 20 + gather_pick(40); memset(f->data, 0x5A, f->len);
      }
      break;
    case BAD_TYPE: put_be16(concat, (uint16_t)(gather_pick(2) ? 0 : 3 + gather_pick(60000))); break;
    case BAD_LENGTH:
      switch (gather_pick(7)) {
        case 0: put_be32(concat + 10, get_be32(concat + 10) + 1); break;
        case 1: put_be32(concat + 10, 0); break;
        case 2: put_be32(concat + 10, get_be32(concat + 10) | 1u << (7 + gather_pick(25))); break;
        case 3: put_be16(concat + 8, (uint16_t)(get_be16(concat + 8) | 1u << (11 + gather_pick(5)))); break;
        case 4: put_be16(concat + 8, 0); break;
        case 5: f->len -= 1 + gather_pick(f->len > 130 ? 60 : 20); break;   // the frame is shorter than the IP packet
        default: f->data[39] ^= 4; break;                                   // UDP length
      }
      break;
    default: put_be32(concat + 2, NODES + gather_pick(1u << 30)); break;
  }
}

static void drive_frame(struct dut *d, const struct frame *f, size_t beat) {
  uint32_t w[WORDS_OF(beat_t, 1)] = {0};
  uint8_t bytes[GATHER_BEAT];
  size_t left = f->len - beat * GATHER_BEAT, n = left < GATHER_BEAT ? left : GATHER_BEAT;
  for (size_t i = n; i < sizeof bytes; i++) bytes[i] = (uint8_t)rand();
  memcpy(bytes, f->data + beat * GATHER_BEAT, n);
  bits_put_bytes(w, FIELD(beat_t, data), bytes);
  bits_put(w, FIELD(beat_t, bytes), n);
  bits_put(w, FIELD(beat_t, last), left <= GATHER_BEAT);
  dut_set_words(d, "beat_i", w, WORDS_OF(beat_t, 1));
}

/// Behind the property the beat that is shown is zero; of a read it is zero as a whole.
static void check_rest(struct dut *d, const struct pr *pr, size_t beat) {
  uint32_t w[WORDS_OF(pr_beat_t, 1)];
  uint8_t bytes[GATHER_BEAT];
  dut_get_words(d, "pr_o", w, WORDS_OF(pr_beat_t, 1));
  bits_get_bytes(w, FIELD(pr_beat_t, data), bytes);
  const size_t left = pr->response ? pr->len - beat * GATHER_BEAT : 0;
  for (size_t i = left; i < sizeof bytes; i++) assert_int_equal(bytes[i], 0);
}

/// Sends all frames; beats are held back one time in `idle`, PRs one time in `stall` (0: never). Returns the cycles from first
/// beat to last PR.
static uint64_t run(struct dut *d, const struct traffic *t, unsigned idle, unsigned stall) {
  size_t in = 0, in_beat = 0, out = 0, out_beat = 0, fates = 0, quiet = 0;
  uint64_t start = dut_cycle(d), done = start;
  struct pr pr = {0};
  while (quiet < 60) {
    assert_true(dut_cycle(d) - start < 1000000);
    bool send = in < t->frames_count && (!idle || gather_pick(idle)), take = !stall || gather_pick(stall);
    dut_set(d, "beat_valid_i", send);
    if (send) drive_frame(d, &t->frames[in], in_beat);
    dut_set(d, "pr_ready_i", take);
    dut_eval(d);
    if (dut_get(d, "fate_valid_o")) {
      assert_true(fates < t->frames_count);
      assert_int_equal(dut_get(d, "fate_o"), t->frames[fates].fate);
      fates++;
    }
    if (take && dut_get(d, "pr_valid_o")) {
      bool last = gather_get_beat(d, "pr_o", &pr, out_beat);
      check_rest(d, &pr, out_beat++);
      if (last) {
        assert_true(out < t->prs_count);
        assert_true(gather_same(&pr, &t->prs[out]));
        assert_int_equal(pr.cacheable, pr.response);
        out++;
        out_beat = 0;
        done = dut_cycle(d);
      }
    }
    quiet = in == t->frames_count && !dut_get(d, "pr_valid_o") ? quiet + 1 : 0;
    if (send && dut_get(d, "beat_ready_o") && ++in_beat * GATHER_BEAT >= t->frames[in].len) {
      in++;
      in_beat = 0;
    }
    dut_tick(d);
  }
  assert_int_equal(out, t->prs_count);
  assert_int_equal(fates, t->frames_count);
  return done - start;
}

static int setup(void **state) {
  struct dut *d = dut_new();
  dut_set(d, "cacheable_i", 1);
  dut_reset(d);
  *state = d;
  return 0;
}

static int teardown(void **state) {
  dut_free(*state);
  return 0;
}

static const unsigned lengths[] = {2, 4, 6, 14, 46, 62, 64, 66, 68, 128, 130, 200, 512, 1024};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void each_length_and_count(void **state) {
  struct traffic t = traffic_new();
  for (unsigned i = 0; i < LENGTHS; i++) {
    for (size_t n = 1; n <= most(true, lengths[i]) && n < 20; n++) add_packet(&t, true, lengths[i], n, 5);
  }
  for (size_t n = 1; n <= most(false, 64); n++) add_packet(&t, false, 64, n, 7);
  run(*state, &t, 0, 0);
  run(*state, &t, 3, 2);
  traffic_free(&t);
}

static void random_traffic(void **state) {
  static const unsigned stalls[][2] = {{0, 0}, {0, 3}, {3, 0}, {2, 2}, {10, 10}};
  for (unsigned s = 0; s < sizeof stalls / sizeof *stalls; s++) {
    struct traffic t = traffic_new();
    unsigned fates[FATES] = {0};
    for (unsigned i = 0; i < 600; i++) {
      bool response = gather_pick(2);
      unsigned len = gather_pick(3) ? lengths[gather_pick(LENGTHS)] : 2 + 2 * gather_pick(511);
      size_t max = most(response, len);
      struct frame *f = add_packet(&t, response, len, 1 + gather_pick(gather_pick(2) ? (unsigned)max : 1), gather_pick(NODES));
      if (gather_pick(3) == 0) spoil(&t, f, 1 + gather_pick(FATES - 1));
      if (f->fate == TAKEN && gather_pick(8) == 0) f->len += gather_pick(22);   // trailing bytes
      fates[f->fate]++;
    }
    for (unsigned i = 0; i < FATES; i++) assert_true(fates[i] > 10);
    run(*state, &t, stalls[s][0], stalls[s][1]);
    traffic_free(&t);
  }
}

static void only_packets_for_this_node(void **state) {
  struct traffic t = traffic_new();
  for (unsigned i = 0; i < 100; i++) {
    struct frame *f = add_packet(&t, i % 2, 64, 3, gather_pick(2) ? OWN : gather_pick(NODES));
    if (t.prs[f->first_pr].dest != OWN) {
      f->fate = BAD_DEST;
      t.prs_count = f->first_pr;
    }
  }
  dut_set(*state, "own_only_i", 1);
  dut_set(*state, "own_node_i", OWN);
  run(*state, &t, 0, 0);
  dut_set(*state, "own_only_i", 0);
  traffic_free(&t);
}

/// Packets back to back: one PR a cycle, or one beat a cycle where a packet has more beats than PRs.
static void full_rate(struct dut *d, bool response, unsigned len) {
  enum { PACKETS = 100, LATENCY = 40 };
  const size_t count = most(response, len);
  struct traffic t = traffic_new();
  for (unsigned i = 0; i < PACKETS; i++) add_packet(&t, response, len, count, 1);
  const size_t beats = (t.frames[0].len + GATHER_BEAT - 1) / GATHER_BEAT, body = response ? (len + 63) / 64 * count : count;
  const uint64_t used = run(d, &t, 0, 0), line = PACKETS * (beats > body ? beats : body);
  print_message("%zu PRs of %u bytes a packet: %.3f PRs a cycle, the line allows %.3f\n", count, response ? len : 0,
                (double)(PACKETS * count) / (double)used, (double)(PACKETS * count) / (double)line);
  assert_true(used <= line + LATENCY);
  traffic_free(&t);
}

static void rate(void **state) {
  static const unsigned properties[] = {4, 16, 64, 128, 512, 1024};
  full_rate(*state, false, 64);
  for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) full_rate(*state, true, properties[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(each_length_and_count, setup, teardown),
                                     cmocka_unit_test_setup_teardown(random_traffic, setup, teardown),
                                     cmocka_unit_test_setup_teardown(only_packets_for_this_node, setup, teardown),
                                     cmocka_unit_test_setup_teardown(rate, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
