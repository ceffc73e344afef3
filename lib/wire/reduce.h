/// Sums as the device makes them: bit for bit, and rank by rank in its order.
#ifndef WEIR_WIRE_REDUCE_H
#define WEIR_WIRE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/// Sums (or min, max) one column in the ring's tree order (NetReduce 3.1; order: docs/wire.md).
/// rows[r] is rank r's tensor part of `len` bytes, a multiple of the element size; `out` may alias none of them.
/// Returns 0, or -EINVAL if `kind` (as in an INA header) is unknown or `len` does not fit it.
int ina_reduce(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t len, uint8_t *out);

#endif
