// Slot state is asked by decisions, takes, flushes and commits in every cycle: who has a turn, and how long the others wait.
// DUT: agg_slot_state -GNumPorts=3 -GNumRanks=4 -GNumSlots=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_pkg.h"
#include "wire/fate.h"

enum { PORTS = 3 };
enum { DECISION, TAKE, FLUSH, COMMIT, KINDS = COMMIT + PORTS };

/// Some ask in every cycle, `asks` says who, with what waits for a take to be over; a flush pauses for a while when it had its turn.
static void ask_all_the_time(struct dut *dut, unsigned asks) {
  enum { CYCLES = 1000, BOUND = 100, COMMIT_PATIENCE = 4, FLUSH_PATIENCE = 15, PAUSE = 20 };
  static const char *const valids[] = {"rsp_valid_i", "take_valid_i", "flush_valid_i"};
  static const char *const readies[] = {"rsp_ready_o", "take_ready_o", "flush_ready_o"};
  const bool decisions = asks >> DECISION & 1, flushes = asks >> FLUSH & 1, commits = asks >> COMMIT & 1;
  unsigned waited[KINDS] = {0}, served[KINDS] = {0}, decided = 0, committed = 0, pause = 0;
  dut_reset(dut);
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    for (unsigned k = 0; k < COMMIT; k++) dut_set(dut, valids[k], asks >> k & 1 && (k != FLUSH || pause == 0));
    dut_set(dut, "commit_valid_i", commits ? (1 << PORTS) - 1 : 0);
    dut_eval(dut);
    unsigned now = 0;
    for (unsigned k = 0; k < KINDS; k++) {
      const bool asking = k == FLUSH ? flushes && pause == 0 : k < COMMIT ? asks >> k & 1 : commits;
      const bool ready = asking && (k < COMMIT ? dut_get(dut, readies[k]) : dut_get(dut, "commit_ready_o") >> (k - COMMIT) & 1);
      if (ready && k == FLUSH && (decisions || commits)) assert_in_range(waited[k], FLUSH_PATIENCE, FLUSH_PATIENCE + 2);
      if (ready && k >= COMMIT && decisions) {
        assert_true(decided == COMMIT_PATIENCE || committed == 0);
        decided = 0;
      }
      decided += ready && k == DECISION;
      committed += ready && k >= COMMIT;
      waited[k] = ready || !asking ? 0 : waited[k] + 1;
      assert_true(waited[k] <= BOUND);
      served[k] += ready;
      now += ready;
      if (k == FLUSH) pause = ready ? PAUSE : pause > 0 ? pause - 1 : 0;
    }
    assert_true(now <= 1);
    dut_tick(dut);
  }
  for (unsigned k = 0; k < KINDS; k++) assert_true(!(asks >> (k < COMMIT ? k : COMMIT) & 1) || served[k] >= CYCLES / BOUND);
}

/// Whoever asks in every cycle is served again and again, one a cycle. When all do, two of seven cycles are left to decisions and
/// commits; a commit has every fifth of those, and the ports take turns. A flush waits for 15 cycles if anybody else asks for more
/// than takes, and has the first one after them that neither a take nor a free has.
static void nobody_starves(void **state) {
  (void)state;
  struct dut *dut = dut_new();
  uint32_t packet[WORDS_OF(lookup_rsp_t, 1)] = {0};
  uint32_t commits[WORDS_OF(commit_t, PORTS)] = {0};   // of messages that are not there, so nothing becomes due
  bits_put(packet, FIELD(lookup_rsp_t, fate), FATE_BAD_LENGTH);
  dut_set_words(dut, "rsp_i", packet, WORDS_OF(lookup_rsp_t, 1));
  dut_set_words(dut, "commit_i", commits, WORDS_OF(commit_t, PORTS));
  dut_set(dut, "take_i", UINT64_C(1) << take_t__slot__AT);
  dut_set(dut, "flush_slot_i", 1);
  for (unsigned asks = 0; asks < 1 << (COMMIT + 1); asks++) ask_all_the_time(dut, asks);
  dut_free(dut);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_starves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
