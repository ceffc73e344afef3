/// Right traffic for tests of the witness: rank r sits at port r, sends {1, r + 1} in FP32, and is answered with the sums.
#ifndef WEIR_UNIT_WITNESS_TRAFFIC_H
#define WEIR_UNIT_WITNESS_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/witness.h"
#include "unit/gradient.h"

enum { RING = 7, STRIDE = 3, WINDOW = 2, PORTS = 4, CONNS = 6, ROOM = GRADIENT_ROOM };

struct frame {
  size_t len;
  uint8_t data[ROOM];
};

/// A witness for two rings, RING and RING + 1, of so many workers each.
struct witness *start(unsigned workers, bool learn);
/// Ends a test and frees the witness: there must be exactly `faults`, and the first must speak of `what`.
void finish(struct witness *w, size_t faults, const char *what);
void expect_counts(const struct witness *w, size_t results, size_t passed, size_t complete, size_t excused);

/// The control plane registers a rank's connection.
void connect_rank(struct witness *w, unsigned ring, unsigned rank, const struct gradient *g);
void put_float(uint8_t *at, float value);
struct frame built(const struct gradient *g);
/// Something that is no gradient and passes; `mark` tells one from another.
struct frame other(uint8_t mark);
/// Writes a new ICRC after a change.
void seal(struct frame *f);

/// What a rank sends, and the right answer to it: to be changed, or as a frame.
struct gradient packet(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset);
struct frame in_frame(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset);
struct gradient result_of(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset);
struct frame out_frame(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset);

void in(struct witness *w, unsigned port, const struct frame *f);
void out(struct witness *w, unsigned port, const struct frame *f);
/// One rank, or all of them.
void send(struct witness *w, unsigned workers, unsigned rank, uint32_t msgid, unsigned offset);
void answer(struct witness *w, unsigned workers, unsigned rank, uint32_t msgid, unsigned offset);
void send_column(struct witness *w, unsigned workers, uint32_t msgid, unsigned offset);
void answer_column(struct witness *w, unsigned workers, uint32_t msgid, unsigned offset);

#endif
