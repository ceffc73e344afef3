/// What slot state does for a ring in one cycle (ring_event_t of rtl/aggregate/agg_pkg.sv), for the tests of who counts and watches.
#ifndef WEIR_UNIT_RING_EVENT_H
#define WEIR_UNIT_RING_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_pkg.h"

/// All zero: nothing happens. `results`, `waits` and `comes` have a bit for each rank.
struct ring_event {
  unsigned ring, fate, results, waits, comes;
  bool decided, fills, empties, owes, settles;
};

/// Shows it at an input from now on.
static inline void ring_event_show(struct dut *d, const char *port, const struct ring_event *e) {
  uint32_t words[WORDS_OF(ring_event_t, 1)] = {0};
  bits_put(words, FIELD(ring_event_t, ring), e->ring);
  bits_put(words, FIELD(ring_event_t, decided), e->decided);
  bits_put(words, FIELD(ring_event_t, fate), e->fate);
  bits_put(words, FIELD(ring_event_t, results), e->results);
  bits_put(words, FIELD(ring_event_t, fills), e->fills);
  bits_put(words, FIELD(ring_event_t, empties), e->empties);
  bits_put(words, FIELD(ring_event_t, owes), e->owes);
  bits_put(words, FIELD(ring_event_t, settles), e->settles);
  bits_put(words, FIELD(ring_event_t, waits), e->waits);
  bits_put(words, FIELD(ring_event_t, comes), e->comes);
  dut_set_words(d, port, words, WORDS_OF(ring_event_t, 1));
}

#endif
