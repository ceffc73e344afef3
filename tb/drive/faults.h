/// Flips bits in the corrected memories of a device, as radiation does, and never more in a word than its code sees. Private to tb/drive.
#ifndef WEIR_DRIVE_FAULTS_H
#define WEIR_DRIVE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "drive/library/device.h"

struct faults;

/// For a device with memories that can be flipped; NULL if it has none. `flips` are expected in 1000 cycles.
struct faults *faults_new(const struct device *device, uint64_t seed, unsigned flips);
void faults_free(struct faults *f);
/// From now on `flips` are expected in 1000 cycles, and so many bits of a word flip and no more: 1, each of which is corrected, or 2. Without that, mostly one.
void faults_set(struct faults *f, unsigned flips, unsigned bits);
/// Once a cycle.
void faults_cycle(struct faults *f);
/// Bits flipped so far.
uint64_t faults_flipped(const struct faults *f);

#endif
