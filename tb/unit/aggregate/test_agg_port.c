// One port's frames: each is passed, discarded or written as it was decided, in order, whatever stalls.
// DUT: agg_port
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
#include "wire/fate.h"

enum { FRAMES = 3000, PORT = 2 };

struct frame {
  unsigned beats, hdr, tensor, slot, rank, id;
  bool candidate, pad;
  enum fate fate;
};

static struct frame frames[FRAMES];

static void make_frames(void) {
  for (unsigned i = 0; i < FRAMES; i++) {
    struct frame *f = &frames[i];
    *f = (struct frame){.id = i, .candidate = rand() % 3 != 0, .hdr = 54, .slot = (unsigned)rand() % 8};
    f->tensor = 4 * ((unsigned)rand() % (rand() % 3 ? 20 : 260));
    f->pad = rand() % 4 == 0;
    if (f->pad) f->tensor += 2;
    f->beats = (f->hdr + f->tensor + (f->pad ? 2u : 0u) + 4 + 63) / 64;
    f->rank = (unsigned)rand() % 6;
    static const enum fate fates[] = {FATE_STORED, FATE_STORED, FATE_DUPLICATE, FATE_STALE, FATE_PASSED, FATE_BAD_HEADER};
    f->fate = f->candidate ? fates[rand() % 6] : FATE_PASSED;
  }
}

static bool is_written(const struct frame *f) { return f->fate == FATE_STORED || f->fate == FATE_DUPLICATE; }

/// First frame at or after `i` that `match` accepts, or FRAMES.
static unsigned next_frame(unsigned i, bool (*match)(const struct frame *)) {
  while (i < FRAMES && !match(&frames[i])) i++;
  return i;
}

static bool is_passed(const struct frame *f) { return f->fate == FATE_PASSED; }
static bool is_candidate(const struct frame *f) { return f->candidate; }
static bool is_stored(const struct frame *f) { return is_written(f); }

static void every_frame_meets_its_fate(void **state) {
  (void)state;
  make_frames();
  struct dut *d = dut_new();
  static const char *const inputs[] = {"desc_valid_i", "beat_valid_i", "lookup_ready_i", "verdict_valid_i", "pass_ready_i",
                                       "pass_room_i",  "grant_i",      "lock_valid_i",   "commit_ready_i"};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) dut_set(d, inputs[i], 0);
  dut_set(d, "port_i", PORT);
  dut_reset(d);

  unsigned desc = 0, beat_frame = 0, beat = 0;    // fed in
  unsigned asked = next_frame(0, is_candidate);   // to be looked up next
  unsigned waiting = asked, verdict_in = 0;       // the oldest one without a verdict; cycles until it has one
  unsigned two = 0, spare = 0;                    // cycles with two verdicts due; frames fetched behind one that might be passed
  unsigned fated = 0, passing = next_frame(0, is_passed), pass_beat = 0;
  unsigned granting = next_frame(0, is_stored), writing = granting, committing = granting;
  unsigned room = 0, writes = 0;
  bool locked = false, late = false;   // `late`: a packet with pad bytes is not written whole
  unsigned lock_slot = 0;

  for (int cycle = 0; cycle < 400000 && (fated < FRAMES || committing < FRAMES || beat_frame < FRAMES); cycle++) {
    uint32_t words[WORDS_OF(beat_t, 1)] = {0}, verdict[WORDS_OF(verdict_t, 1)] = {0};
    bool offer = desc < FRAMES && rand() % 4;
    if (offer) {
      const struct frame *f = &frames[desc];
      uint32_t in[WORDS_OF(frame_desc_t, 1)] = {0};
      bits_put(in, FIELD(frame_desc_t, tensor_len), f->tensor);
      bits_put(in, FIELD(frame_desc_t, hdr_len), f->hdr);
      bits_put(in, FIELD(frame_desc_t, pad), f->pad ? 2 : 0);
      bits_put(in, FIELD(frame_desc_t, candidate), f->candidate);
      bits_put(in, FIELD(frame_desc_t, beats), f->beats);
      dut_set_words(d, "desc_i", in, WORDS_OF(frame_desc_t, 1));
    }
    dut_set(d, "desc_valid_i", offer);
    // Beats are there as soon as the descriptor has been shown.
    bool has_beat = beat_frame < desc || (beat_frame == desc && offer);
    if (has_beat) {
      words[0] = beat_frame;
      words[1] = beat;
      bits_put(words, FIELD(beat_t, bytes), 64);
      bits_put(words, FIELD(beat_t, last), beat + 1 == frames[beat_frame].beats);
      dut_set_words(d, "beat_i", words, WORDS_OF(beat_t, 1));
    }
    dut_set(d, "beat_valid_i", has_beat);
    dut_set(d, "lookup_ready_i", (unsigned)rand() % 2);
    bool answer = waiting < asked && verdict_in-- == 0;
    two += waiting < asked && next_frame(waiting + 1, is_candidate) < asked;
    if (answer) {
      const struct frame *f = &frames[waiting];
      bits_put(verdict, FIELD(verdict_t, msgid), f->id);
      bits_put(verdict, FIELD(verdict_t, slot), f->slot);
      bits_put(verdict, FIELD(verdict_t, rank), f->rank);
      bits_put(verdict, FIELD(verdict_t, fate), f->fate);
      bits_put(verdict, FIELD(verdict_t, port), PORT);
      dut_set_words(d, "verdict_i", verdict, WORDS_OF(verdict_t, 1));
    }
    dut_set(d, "verdict_valid_i", answer);
    room = room < 512 ? room + (rand() % 3 == 0) : room;
    dut_set(d, "pass_room_i", room);
    dut_set(d, "pass_ready_i", 1);
    dut_set(d, "commit_ready_i", rand() % 8 == 0);
    if (rand() % 16 == 0) {
      locked = rand() % 2;
      lock_slot = (unsigned)rand() % 8;
    }
    dut_set(d, "lock_valid_i", locked ? 2 : 0);
    dut_set(d, "lock_slot_i", (uint64_t)lock_slot << packet_t__slot__BITS);
    dut_set(d, "writing_slot_i", lock_slot);
    dut_set(d, "grant_i", 0);
    dut_eval(d);
    bool grant = dut_get(d, "want_o") && rand() % 2;
    dut_set(d, "grant_i", grant);
    dut_eval(d);

    if (grant) {
      assert_true(granting < FRAMES);
      assert_int_equal(dut_get(d, "bank_o"), 1u << frames[granting].rank);
      assert_true(granting == 0 || !late);
      late = frames[granting].pad;
      assert_false(locked && frames[granting].slot == lock_slot);
      granting = next_frame(granting + 1, is_stored);
    }
    // A slot is being written exactly while a granted packet of it is not committed.
    bool busy = false;
    for (unsigned i = committing; i < granting; i = next_frame(i + 1, is_stored)) busy |= frames[i].slot == lock_slot;
    if (!grant) assert_int_equal(dut_get(d, "writing_o"), busy);
    if (answer) {
      waiting = next_frame(waiting + 1, is_candidate);
      verdict_in = (unsigned)rand() % 12;
    }
    if (dut_get(d, "lookup_valid_o") && dut_get(d, "lookup_ready_i")) {
      uint32_t out[WORDS_OF(frame_desc_t, 1)];
      dut_get_words(d, "lookup_o", out, WORDS_OF(frame_desc_t, 1));
      assert_int_equal(bits_get(out, FIELD(frame_desc_t, beats)), frames[asked].beats);
      assert_true(offer && asked == desc);
      asked = next_frame(asked + 1, is_candidate);
    }
    if (dut_get(d, "fate_valid_o")) {
      assert_true(fated < FRAMES);
      assert_int_equal(dut_get(d, "fate_o"), frames[fated++].fate);
    }
    if (dut_get(d, "pass_valid_o")) {
      uint32_t out[WORDS_OF(beat_t, 1)];
      dut_get_words(d, "pass_o", out, WORDS_OF(beat_t, 1));
      assert_int_equal(out[0], passing);
      assert_int_equal(out[1], pass_beat);
      if (pass_beat == 0) assert_true(room >= frames[passing].beats);
      assert_true(room > 0);
      room--;
      if (++pass_beat == frames[passing].beats) {
        passing = next_frame(passing + 1, is_passed);
        pass_beat = 0;
      }
    }
    if (dut_get(d, "write_valid_o")) {
      uint32_t out[WORDS_OF(bank_write_t, 1)];
      dut_get_words(d, "write_o", out, WORDS_OF(bank_write_t, 1));
      const struct frame *f = &frames[writing];
      assert_int_equal(bits_get(out, FIELD(bank_write_t, slot)), f->slot);
      assert_int_equal(dut_get(d, "write_rank_o"), f->rank);
      const bool header = bits_get(out, FIELD(bank_write_t, header));
      if (header && bits_get(out, FIELD(bank_write_t, row)) == 0) assert_int_equal(out[0], f->id);
      const unsigned rows = f->fate == FATE_STORED ? f->tensor ? (f->tensor + 63) / 64 : 1 : 0;
      if (++writes == 2 + rows + f->pad) {
        assert_int_equal(header, f->pad || rows == 0);
        writes = 0;
        if (f->pad) late = false;
        writing = next_frame(writing + 1, is_stored);
      }
    }
    if (dut_get(d, "commit_valid_o") && dut_get(d, "commit_ready_i")) {
      uint32_t out[WORDS_OF(commit_t, 1)];
      dut_get_words(d, "commit_o", out, WORDS_OF(commit_t, 1));
      const struct frame *f = &frames[committing];
      // As soon as it has started; one with pad bytes when all is written.
      assert_true(committing < (f->pad ? writing : granting));
      assert_int_equal(bits_get(out, FIELD(commit_t, msgid)), f->id);
      assert_int_equal(bits_get(out, FIELD(commit_t, slot)), f->slot);
      assert_int_equal(bits_get(out, FIELD(commit_t, rank)), f->rank);
      assert_int_equal(bits_get(out, FIELD(commit_t, first)), f->fate == FATE_STORED);
      assert_int_equal(bits_get(out, FIELD(commit_t, port)), PORT);
      committing = next_frame(committing + 1, is_stored);
    }
    bool take_desc = offer && dut_get(d, "desc_ready_o"), take_beat = has_beat && dut_get(d, "beat_ready_o");
    // A frame is fetched when there is room for all that may be passed in front of it.
    if (take_desc) {
      unsigned need = passing < fated ? frames[passing].beats - pass_beat : 0;
      for (unsigned i = fated; i < desc; i++) need += frames[i].beats;
      assert_true(need <= room);
      spare += need > 0;
    }
    desc += take_desc;
    if (take_beat && ++beat == frames[beat_frame].beats) {
      beat = 0;
      beat_frame++;
    }
    dut_tick(d);
  }
  assert_int_equal(fated, FRAMES);
  assert_int_equal(committing, FRAMES);
  assert_int_equal(passing, FRAMES);
  assert_int_equal(beat_frame, FRAMES);
  assert_true(two > 100 && spare > 100);
  dut_set(d, "desc_valid_i", 0);
  dut_tick(d);
  assert_int_equal(dut_get(d, "idle_o"), 1);
  assert_int_equal(dut_get(d, "busy_o"), 0);
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_frame_meets_its_fate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
