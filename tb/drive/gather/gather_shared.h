/// Each look-up of a NIC among the reads that its units share, beside the golden model: what is not sent, who leads, who gets a copy.
///
/// That a leader's gather runs is the device's word. A wrong one would let units wait in vain, which their watchdogs tell.
#ifndef WEIR_DRIVE_GATHER_SHARED_H
#define WEIR_DRIVE_GATHER_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gather_shared;
/// `slots` and `units` of the device. NULL if out of memory.
struct gather_shared *gather_shared_new(uint32_t slots, uint32_t units);
void gather_shared_free(struct gather_shared *s);
/// What the device's `merge_o` tells in a cycle. False and a line in `wrong` (size bytes) if the model does something else.
bool gather_shared_see(struct gather_shared *s, const void *merge_obs, char *wrong, size_t size);
/// Of the model: reads that were not sent, and copies of responses.
uint64_t gather_shared_merged(const struct gather_shared *s);
uint64_t gather_shared_copied(const struct gather_shared *s);

#endif
