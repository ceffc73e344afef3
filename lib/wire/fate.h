/// What became of a frame. The C twin of fate_e in rtl/roce/roce_pkg.sv; a test compares the two.
#ifndef WEIR_WIRE_FATE_H
#define WEIR_WIRE_FATE_H

#include <stdint.h>

enum fate {
  FATE_PASSED,
  FATE_STORED,
  FATE_DUPLICATE,
  FATE_FRAME_ERROR,
  FATE_OVERSIZE,
  FATE_BAD_ICRC,
  FATE_BAD_HEADER,
  FATE_UNREGISTERED,
  FATE_RANK_CONFLICT,
  FATE_TABLE_FULL,
  FATE_UNKNOWN_MESSAGE,
  FATE_PSN_CONFLICT,
  FATE_STALE,
  FATE_WINDOW_VIOLATION,
  FATE_TYPE_MISMATCH,
  FATE_LENGTH_MISMATCH,
  FATE_BAD_LENGTH,
  FATE_RETIRED,
  FATE_CLOSED,
  FATE_MEMORY_ERROR,   ///< only of devices with corrected memories; the others have no counter of it
  FATE_COUNT
};

/// First fate that is a drop.
#define FATE_FIRST_DROP FATE_FRAME_ERROR

/// Sum of the drops among counts of all fates.
uint64_t fate_drops(const uint64_t fates[FATE_COUNT]);
/// Name of a fate as counters, JSON and messages use it: "passed", "bad_icrc", …; "?" for a number that is none.
const char *fate_name(enum fate fate);
/// One sentence for people who look at a counter: what such a frame was (docs/protocol.md has the rules). "" for a number that is
/// none.
const char *fate_meaning(enum fate fate);

#endif
