// What came of a run: the end of a bench, where registers are read back and compared, and what it has found and counted.
#include <inttypes.h>

#include "sim/engine/bench_state.h"

static void check_counter(struct bench *b, unsigned port, unsigned which, const char *name, uint64_t expected) {
  uint64_t actual = 0;
  if (drive_counter(b->drive, port, which, &actual)) {
    scoreboard_report(b->scoreboard, "port %u: counter %s cannot be read", port, name);
  } else if (actual != expected) {
    scoreboard_report(b->scoreboard, "port %u: counter %s is %" PRIu64 ", expected %" PRIu64, port, name, actual, expected);
  }
}

static void check_counters(struct bench *b) {
  for (unsigned p = 0; p < b->config->ports; p++) {
    const struct scoreboard_counts *want = scoreboard_counts(b->scoreboard, p);
    check_counter(b, p, DRIVE_RX, "rx", want->rx);
    check_counter(b, p, DRIVE_TX_RESULT, "tx_result", want->tx_result);
    check_counter(b, p, DRIVE_TX_PASSED, "tx_passed", want->tx_passed);
    for (unsigned f = 0; f < FATE_COUNT; f++)
      if (f != FATE_MEMORY_ERROR) check_counter(b, p, f, fate_name((enum fate)f), want->fates[f]);
    if (b->config->ecc != 0) check_counter(b, p, DRIVE_LOST, fate_name(FATE_MEMORY_ERROR), want->fates[FATE_MEMORY_ERROR]);
    check_counter(b, p, DRIVE_UNSENT, "unsent", want->unsent);
  }
}

/// Reads what the device says of its corrected memories, and compares what left or did not leave because of them.
static void check_memories(struct bench *b) {
  struct bench_memories *m = &b->memories;
  uint64_t spoiled = 0, dropped = 0, marked = 0, refused = 0, actual[2] = {0};
  if (b->config->ecc == 0) return;
  m->flipped = drive_flipped(b->drive);
  for (unsigned i = 0; i < DRIVE_MEMORIES; i++)
    if (drive_counter(b->drive, i, DRIVE_CORRECTED, &m->corrected[i]) ||
        drive_counter(b->drive, i, DRIVE_UNCORRECTABLE, &m->bad[i]))
      scoreboard_report(b->scoreboard, "counters of memory %u cannot be read", i);
  for (unsigned p = 0; p < b->config->ports; p++) {
    spoiled += scoreboard_counts(b->scoreboard, p)->spoiled;
    dropped += scoreboard_counts(b->scoreboard, p)->dropped;
    marked += scoreboard_counts(b->scoreboard, p)->marked;
    refused += scoreboard_counts(b->scoreboard, p)->fates[FATE_MEMORY_ERROR];
  }
  m->spoiled = spoiled;
  m->dropped = dropped;
  m->marked = marked;
  if (drive_counter(b->drive, 1, DRIVE_MEMORY, &actual[0]) || drive_counter(b->drive, 2, DRIVE_MEMORY, &actual[1]) ||
      actual[0] != spoiled || actual[1] != dropped)
    scoreboard_report(b->scoreboard,
                      "results spoiled and dropped: counters say %" PRIu64 " and %" PRIu64 ", expected %" PRIu64 " and %" PRIu64,
                      actual[0], actual[1], spoiled, dropped);
  uint64_t bad = 0;
  for (unsigned i = 0; i < DRIVE_MEMORIES; i++) bad += m->bad[i];
  // Nothing is lost but by a word that could not be corrected, and that is counted.
  if (bad == 0 && spoiled + dropped + marked + refused != 0)
    scoreboard_report(b->scoreboard, "%" PRIu64 " frames were lost, and no memory says why",
                      spoiled + dropped + marked + refused);
}

/// What registers say of rings: their counters, and whom they wait for.
static void check_rings(struct bench *b) {
  const struct model *m = scoreboard_model(b->scoreboard);
  unsigned columns = 0, used = 0, retired = 0, want_used, want_retired;
  model_connections(m, &want_used, &want_retired);
  if (drive_connections(b->drive, &used, &retired) != 0 || used != want_used || retired != want_retired)
    scoreboard_report(b->scoreboard, "%u connections are in use, %u retired, expected %u and %u", used, retired, want_used,
                      want_retired);
  if (drive_columns(b->drive, &columns) != 0 || columns != model_columns_held(m))
    scoreboard_report(b->scoreboard, "%u columns hold packets, expected %zu", columns, model_columns_held(m));
  for (unsigned r = 0; r < b->options.ring_count; r++) {
    const struct scoreboard_ring_counts *want = scoreboard_ring_counts(b->scoreboard, r);
    for (unsigned which = 0; which <= DRIVE_TX_RESULT; which++) {
      const uint64_t expected = which < FATE_COUNT ? want->fates[which] : which == DRIVE_TX_RESULT ? want->results : 0;
      uint64_t actual = 0;
      if (drive_ring_counter(b->drive, r, which, &actual) != 0 || actual != expected)
        scoreboard_report(b->scoreboard, "ring %u: counter %u is %" PRIu64 ", expected %" PRIu64, r, which, actual, expected);
    }
    uint32_t ranks = 0, units;
    const uint32_t behind = model_behind(m, r);
    // A column that was over when its record was found to be lost is not taken off.
    const uint32_t surely = model_lost_some(m, r) ? behind : UINT32_MAX;
    if (drive_waits(b->drive, r, &ranks, &units) != 0 || (ranks & surely) != behind)
      scoreboard_report(b->scoreboard, "ring %u waits for ranks %#" PRIx32 ", expected %#" PRIx32, r, ranks, behind);
  }
}

/// The small model that the device was followed with has nothing left to do either.
static void check_refinement(struct bench *b) {
  char text[200];
  if (!refinement_settled(b->refinement, text, sizeof text)) scoreboard_report(b->scoreboard, "%s", text);
}

static void check_undecided(struct bench *b) {
  char text[200];
  const struct undecided u = bench_undecided(b);
  if (undecided_fails(&u, b->options.input, text, sizeof text)) scoreboard_report(b->scoreboard, "%s", text);
}

size_t bench_finish(struct bench *b) {
  const bool settled = bench_settle(b, 100000);
  if (b->options.history != NULL) history_finish(b->options.history);
  if (settled) {
    check_counters(b);
    check_memories(b);
    check_rings(b);
    check_refinement(b);
    witness_finish(b->witness);
    check_undecided(b);
  }
  scoreboard_finish(b->scoreboard);
  return bench_mismatches(b);
}

size_t bench_mismatches(const struct bench *b) { return scoreboard_mismatches(b->scoreboard) + witness_faults(b->witness); }

const char *bench_text(const struct bench *b, size_t index) {
  size_t first = 0;
  while (first < index && scoreboard_text(b->scoreboard, first)) first++;
  const char *text = scoreboard_text(b->scoreboard, index);
  return text ? text : witness_text(b->witness, index - first);
}

static void add_counts(struct scoreboard_counts *to, const struct scoreboard_counts *more) {
  to->rx += more->rx;
  to->tx_passed += more->tx_passed;
  to->tx_result += more->tx_result;
  for (int f = 0; f < FATE_COUNT; f++) to->fates[f] += more->fates[f];
}

void bench_keep_counts(struct bench *b) {
  for (unsigned p = 0; p < b->config->ports; p++) add_counts(&b->ports[p].before, scoreboard_counts(b->scoreboard, p));
}

const struct scoreboard_counts *bench_counts(const struct bench *b, unsigned port) {
  struct port *p = &b->ports[port];
  p->all = p->before;
  add_counts(&p->all, scoreboard_counts(b->scoreboard, port));
  return &p->all;
}

uint64_t bench_steps(const struct bench *b, enum refinement_step step) { return refinement_count(b->refinement, step); }

const struct bench_memories *bench_memories(const struct bench *b) { return &b->memories; }

const uint64_t *bench_fates_of(const struct bench *b, unsigned group) { return b->fates[group]; }

bool bench_waiting(const struct bench *b, unsigned ring, struct model_waiting *out) {
  return model_waiting(scoreboard_model(b->scoreboard), ring, out);
}

struct undecided bench_undecided(const struct bench *b) {
  return (struct undecided){.given_up = model_given_up(scoreboard_model(b->scoreboard)), .witness = witness_counts(b->witness)};
}

const uint32_t *bench_latencies(const struct bench *b, size_t *count) {
  *count = b->latency_count;
  return b->latencies;
}
