/// Sums as devices make them: bit for bit, and in the order of each.
#ifndef WEIR_WIRE_REDUCE_H
#define WEIR_WIRE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/// Sums (or min, max) one column in the ring's tree order (NetReduce 3.1; order: docs/wire.md).
/// rows[r] is rank r's tensor part of `len` bytes, a multiple of the element size; `out` may alias none of them.
/// Returns 0, or -EINVAL if `kind` (as in an INA header) is unknown or `len` does not fit it.
int ina_reduce(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t len, uint8_t *out);

/// Sums (or min, max) one row of a tree node in the order of its two half rings (SHARP 3.1, Fig. 1b): ports 0 to ports/2 - 1 one after the
/// other, the others likewise, and then both sums. rows[p] is the row of port p's child, `len` bytes, or NULL if it has none; `out` may alias
/// none of them. 16-bit elements are rounded once, at the end; the row of an only child stays as it is.
/// Returns 0, or -EINVAL if `kind` (as in an INA header) is unknown, `len` does not fit it, `ports` is odd or there is no child.
int half_rings_reduce(uint8_t kind, const uint8_t *const rows[], size_t ports, size_t len, uint8_t *out);

/// Divides each element of `data` by `by`, 1 to 256, rounded once, to nearest even: the step from a sum to an average. `len` is a multiple of the element size.
/// 0, or -EINVAL if `kind`'s elements (its operation is not looked at) are no floating-point numbers, or `len` does not fit them.
int ina_divide(uint8_t kind, uint8_t *data, size_t len, unsigned by);

#endif
