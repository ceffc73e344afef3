#include "drive/observe.h"

#include "drive/bits.h"
#include "structs/agg_obs_pkg.h"

/// A field of what an observation port shows; `at` is a bit.
static uint32_t observed(const uint8_t *port, size_t at, unsigned width) { return (uint32_t)bits_get(port, at, width); }

static void tell_state(const uint8_t *s, const struct drive_calls *calls, uint64_t cycle) {
  const bool lost = observed(s, FIELD(obs_state_t, lost));
  if (lost && calls->lost) calls->lost(calls->user, observed(s, FIELD(obs_state_t, slot)));
  if (!calls->state || !observed(s, FIELD(obs_state_t, valid))) return;
  struct drive_state_event event = {
      .kind = observed(s, FIELD(obs_state_t, kind)),
      .port = observed(s, FIELD(obs_state_t, port)),
      .conn = observed(s, FIELD(obs_state_t, conn)),
      .ring = observed(s, FIELD(obs_state_t, ring)),
      .rank = observed(s, FIELD(obs_state_t, rank)),
      .msgid = observed(s, FIELD(obs_state_t, msgid)),
      .offset = observed(s, FIELD(obs_state_t, offset)),
      .fate = observed(s, FIELD(obs_state_t, fate)),
      .completes = observed(s, FIELD(obs_state_t, completes)),
      .of_ring = observed(s, FIELD(obs_state_t, of_ring)),
      .by_slot = lost,
      .ranks = observed(s, FIELD(obs_state_t, ranks)),
      .cycle = cycle,
  };
  if (event.kind != DRIVE_COMMIT) {
    calls->state(calls->user, &event);
    return;
  }
  // Packets of a column that are in place at once: one after the other, and what they complete is so with the last.
  const bool completes = event.completes;
  for (uint32_t left = event.ranks; left; left &= left - 1) {
    event.rank = (unsigned)__builtin_ctz(left);
    event.port = observed(s, ELEMENT(obs_state_t, ports, event.rank));
    event.completes = completes && !(left & (left - 1));
    calls->state(calls->user, &event);
  }
}

static void tell_flush(const uint8_t *f, const struct drive_calls *calls) {
  if (calls->aged && observed(f, FIELD(obs_flush_t, aged)))
    calls->aged(calls->user, observed(f, FIELD(obs_flush_t, aged_ring)), observed(f, FIELD(obs_flush_t, aged_rank)));
  if (!calls->flush || !observed(f, FIELD(obs_flush_t, valid))) return;
  const struct drive_flush_event event = {
      .ring = observed(f, FIELD(obs_flush_t, ring)),
      .closed = observed(f, FIELD(obs_flush_t, closed)),
      .release = observed(f, FIELD(obs_flush_t, free)),
  };
  calls->flush(calls->user, &event);
}

static void tell_results(const uint8_t *r, const struct drive_calls *calls, unsigned ports, uint64_t cycle) {
  if (!calls->result) return;
  for (unsigned p = 0; p < ports; p++) {
    const size_t at = p * obs_result_t__BITS;
    if (calls->unsent && observed(r, at + FIELD(obs_result_t, unsent)))
      calls->unsent(calls->user, p, observed(r, at + FIELD(obs_result_t, unsent_result)));
    const bool valid = observed(r, at + FIELD(obs_result_t, valid)), dropped = observed(r, at + FIELD(obs_result_t, dropped));
    if (dropped) {
      const struct drive_result_event drop = {.port = p,
                                              .cycle = cycle,
                                              .dropped = true,
                                              .number = observed(r, at + FIELD(obs_result_t, number))};
      calls->result(calls->user, &drop);
    }
    if (!valid) continue;
    const struct drive_result_event event = {
        .port = observed(r, at + FIELD(obs_result_t, port)),
        .conn = observed(r, at + FIELD(obs_result_t, conn)),
        .psn = observed(r, at + FIELD(obs_result_t, psn)),
        .cycle = cycle,
    };
    calls->result(calls->user, &event);
  }
}

void observe(const struct pins *pins, const struct drive_calls *calls, unsigned ports, uint64_t cycle) {
  tell_state(pins->obs_state, calls, cycle);
  tell_flush(pins->obs_flush, calls);
  tell_results(pins->obs_result, calls, ports, cycle);
}
