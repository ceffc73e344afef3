/// The books of the Verilated NIC: what its counters say beside what the bench saw at its pins. Private to tb/drive.
#ifndef WEIR_DRIVE_GATHER_NIC_BOOKS_H
#define WEIR_DRIVE_GATHER_NIC_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/core.h"
#include "drive/gather/gather_shared.h"
#include "hosts/gather/gather_nic.h"

/// What went in and came out.
struct gather_nic_seen {
  uint64_t packets_in, packets_out, reads_in, responses_in, reads_out, responses_out;
  uint64_t failures, done;                                       ///< gathers
  uint64_t thrown[GATHER_CLASSES], thrown_prs[GATHER_CLASSES];   ///< frames, and PRs in them
  uint64_t older_in;   ///< of `reads_in`, those of another generation than the NIC's when they came
  uint64_t paused;     ///< cycles in which it wanted no reads
  uint64_t doubled;    ///< bits of properties that were set before
};

/// What it did, by its counters and by what was seen; `most_waiting` is the bench's own. Nothing may be under way.
struct gather_nic_counts gather_nic_books_counts(struct core *core, unsigned units, const struct gather_nic_seen *seen);
/// Whether both say the same. False and a line in `wrong` (size bytes) if not. `shared`: the model of what units share, NULL if they share nothing.
bool gather_nic_books_agree(struct core *core, unsigned units, const struct gather_nic_seen *seen,
                            const struct gather_shared *shared, char *wrong, size_t size);

#endif
