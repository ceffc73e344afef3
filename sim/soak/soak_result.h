/// What a run of the soak found and counted.
#ifndef WEIR_SIM_SOAK_RESULT_H
#define WEIR_SIM_SOAK_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/bench.h"
#include "sim/engine/follow/refinement.h"
#include "sim/engine/undecided.h"
#include "wire/fate.h"

enum { SOAK_TEXTS = 3, SOAK_TEXT_BYTES = 320 };

/// What came of tenants (sim/soak/tenants).
struct soak_tenants {
  uint64_t jobs, frames;   ///< over; into the device, as last looked at
  uint64_t orderly, crashed, evicted,
      reset;                        ///< how they ended: in order, after a crash, drained in the middle, with a soft reset
  uint64_t stalls;                  ///< crashes that the operator found in RING_STALLS, with the dead in RING_WAITS
  uint64_t pauses;                  ///< outputs held for a while
  uint64_t naps, aged;              ///< jobs that were idle for a while; connections that were retired for that
  uint64_t unplugged, unhindered;   ///< links that were down for a while; drains that ended meanwhile
  uint64_t forced;                  ///< drains that a flush ended
  uint64_t resets;                  ///< soft resets
  uint64_t swept;                   ///< retired connections released entry by entry
  uint64_t refused;                 ///< connections that found no place
  uint64_t messages;                ///< result messages that hosts took: all of them right
  uint64_t bystanders, meanwhile;   ///< frames of nobody that came through, and those that did during a drain or a reset
  uint64_t most_connections, most_retired, most_columns;
};

void soak_tenants_add(struct soak_tenants *to, const struct soak_tenants *more);

struct soak_result {
  uint64_t seed, frames, results, cycles;
  uint64_t fates[FATE_COUNT];
  uint64_t steps[REFINEMENT_STEPS];
  uint64_t columns;   ///< sent whole
  struct undecided undecided;
  struct bench_memories memories;
  struct soak_tenants tenants;
  bool part;   ///< only `tenants`, of a run that goes on
  uint64_t mismatches;
  char texts[SOAK_TEXTS][SOAK_TEXT_BYTES];   ///< of the first mismatches, "" beyond those
};

#endif
