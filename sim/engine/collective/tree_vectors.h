/// What hosts give to an operation, and what it must make of it: computed directly, by the witness's arithmetic, along the shape of the tree.
#ifndef WEIR_SIM_TREE_VECTORS_H
#define WEIR_SIM_TREE_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/engine/collective/tree_net.h"

struct tree_jobs_options;

struct tree_vectors_options {
  const struct tree_net_options *network;
  const struct tree_jobs_options *jobs;
  uint8_t type;
  uint32_t size;   ///< bytes
  uint64_t seed;
};

struct tree_vectors;

/// NULL if out of memory. The caller frees it.
struct tree_vectors *tree_vectors_new(const struct tree_vectors_options *options);
void tree_vectors_free(struct tree_vectors *v);
/// Vectors are made and summed in blocks of so many bytes, the last one shorter, so that nobody has to keep one whole.
enum { TREE_VECTORS_BLOCK = 1 << 16 };
/// Writes a block of a host's vector of its group's part `at`, which is the same whenever it is asked for.
void tree_vectors_input(const struct tree_vectors *v, unsigned host, uint32_t at, size_t block, uint8_t *out);
/// A block of the result of a group's part. Valid until the next one is asked for. Aborts if out of memory.
const uint8_t *tree_vectors_result(struct tree_vectors *v, unsigned group, uint32_t at, size_t block);

#endif
