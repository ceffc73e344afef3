/// Property requests and the packets that carry them, as the unit tests of rtl/gather make and check them. Written from
/// docs/wire.md, independent of the RTL; all integers are in host order.
#ifndef WEIR_UNIT_GATHER_PRS_H
#define WEIR_UNIT_GATHER_PRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/dut.h"

enum { GATHER_BEAT = 64, GATHER_MAX_LEN = 1024, GATHER_MAX_PRS = 127, GATHER_FRAME_ROOM = 16384 };
/// Bytes of a frame in front of the concatenation header, and in front of the first PR.
enum { GATHER_UPPER = 62, GATHER_PRS_AT = 76 };

struct pr {
  bool response, cacheable;
  uint32_t src, dest;
  uint16_t tid;
  uint64_t idx;
  uint32_t id;
  uint16_t generation;
  unsigned len;   ///< bytes of the property, also in reads
  uint8_t data[GATHER_MAX_LEN];
};

/// Number below `below`, from rand().
unsigned gather_pick(unsigned below);
/// A random PR; the property of an index is always the same (see gather_property), so that any copy of it can be checked.
void gather_random_pr(struct pr *pr, bool response, unsigned nodes, unsigned len);
/// The property of an index: `len` bytes that follow from `idx` and `salt` alone.
void gather_property(uint64_t idx, unsigned salt, uint8_t *out, unsigned len);
/// True if the two are the same, property included for responses; `cacheable` does not count.
bool gather_same(const struct pr *a, const struct pr *b);

/// Beats that a PR takes in the PR stream.
size_t gather_beats(const struct pr *pr);
/// Sets a pr_beat_t port to a beat of a PR; bytes behind the property are random.
void gather_set_beat(struct dut *d, const char *port, const struct pr *pr, size_t beat);
/// Reads a pr_beat_t port into `pr`, of which `beat` beats came before. Returns true if it was the last one. Fails the test if
/// `first`, `last` or a header field that must not change is wrong.
bool gather_get_beat(struct dut *d, const char *port, struct pr *pr, size_t beat);

/// A packet of `count` PRs of the same type, destination and length, in a frame with good ICRC (without FCS). Returns its bytes.
size_t pr_packet(const struct pr *prs, size_t count, uint8_t *frame);
/// Takes a frame apart, all fields checked (the test fails at what is wrong). Returns the number of PRs, at most GATHER_MAX_PRS.
size_t pr_unpack(const uint8_t *frame, size_t len, struct pr *prs);

#endif
