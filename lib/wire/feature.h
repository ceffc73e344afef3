/// What a device may be built without. The C twin of the constants `Without..` in rtl/roce/roce_pkg.sv and of the register CAP_WITHOUT; a test
/// compares the three.
#ifndef WEIR_WIRE_FEATURE_H
#define WEIR_WIRE_FEATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/roce.h"

/// Bits of a set of what is left out.
enum feature {
  FEATURE_ICRC_CHECK,   ///< of frames that come in; a length that no ICRC can fit is told all the same
  FEATURE_IPV6,
  FEATURE_VLAN,
  FEATURE_FP32,
  FEATURE_FP16,
  FEATURE_BF16,
  FEATURE_INT32,
  FEATURE_MIN_MAX,
  FEATURE_LEARNING,
  FEATURE_WIDE_COUNTERS,   ///< counters of ports that have 48 bits, not 32
  FEATURE_OBSERVATION,
  FEATURE_COUNT
};

/// True if `without` leaves it out.
static inline bool feature_lacks(unsigned without, enum feature feature) { return (without >> feature & 1u) != 0; }
/// Name of a feature as the register calls it: "icrc_check", …; "?" for a number that is none.
const char *feature_name(enum feature feature);
/// True if such a device reduces `kind` (docs/wire.md), which is a code that there is.
bool feature_reduces(unsigned without, uint8_t kind);
/// True if such a device can read the headers of a connection's packets: `key`, and whether they are behind a VLAN tag.
bool feature_reads(unsigned without, const struct conn_key *key, bool tagged);
/// The names of what is left out as one text, "icrc_check, ipv6"; "" if nothing is. Cut if it does not fit.
void feature_names(unsigned without, char *text, unsigned size);

#endif
