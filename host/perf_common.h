/// What the programs that measure have in common: values on their command lines, and the numbers that hosts give.
#ifndef WEIR_HOST_PERF_COMMON_H
#define WEIR_HOST_PERF_COMMON_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "host/weir/coll.h"

/// A whole number up to `most`; ends the program with a line on stderr if it is none.
uint64_t perf_number(struct argp_state *state, const char *text, uint64_t most);
/// The index of a name in a list that ends with NULL; likewise.
unsigned perf_name(struct argp_state *state, const char *text, const char *const *names);

/// Of the vector of `bytes` bytes that a host gives.
struct rng perf_rng(uint64_t seed, unsigned host, size_t bytes);
/// Any bits; every second FP32 number is of nearly one size, so that sums are rounded. `rng` are at the beginning of a vector, or where a multiple of 8
/// bytes has ended.
void perf_fill(enum weir_coll_type type, struct rng *rng, size_t bytes, uint8_t *out);

#endif
