#include "sim/engine/collective/tree_vectors.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "oracle/witness.h"
#include "sim/engine/collective/tree_jobs.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { BLOCK = TREE_VECTORS_BLOCK };
/// Blocks that are kept of a group: hosts are seldom further apart, and then a block is made once more.
enum { KEPT = 16 };

struct result {
  bool there;
  uint32_t at;
  size_t block;
  uint8_t *bytes;
};

struct tree_vectors {
  struct tree_vectors_options o;
  struct result *results;   // KEPT a group, of neighbouring blocks
};

struct tree_vectors *tree_vectors_new(const struct tree_vectors_options *options) {
  struct tree_vectors *v = calloc(1, sizeof *v);
  if (v == NULL) return NULL;
  v->o = *options;
  v->results = calloc((size_t)KEPT * options->network->groups, sizeof *v->results);
  if (v->results != NULL) return v;
  free(v);
  return NULL;
}

void tree_vectors_free(struct tree_vectors *v) {
  if (v == NULL) return;
  for (unsigned i = 0; i < KEPT * v->o.network->groups; i++) free(v->results[i].bytes);
  free(v->results);
  free(v);
}

/// Numbers of many sizes, so that the order of a sum can be seen in its bits; seldom any bits at all.
static uint32_t element(struct rng *d, unsigned type) {
  const uint32_t any = (uint32_t)rng_next(d);
  if (type == INA_INT32 || rng_below(d, 1000) == 0) return any;
  const uint32_t exponent = rng_below(d, 12);
  switch (type) {
    case INA_FP16: return (any & 0x83FF) | (exponent + 8) << 10;
    case INA_BF16: return (any & 0x807F) | (exponent + 120) << 7;
    default: return (any & 0x807FFFFF) | (exponent + 120) << 23;
  }
}

/// One block of a host's vector, or what of it there is.
static void input_block(const struct tree_vectors *v, unsigned host, uint32_t at, size_t block, size_t len, uint8_t *out) {
  const size_t size = ina_element_size(v->o.type);
  struct rng d = rng_for(v->o.seed + block * UINT64_C(0x9E3779B97F4A7C15), (uint64_t)host << 32 | at);
  for (size_t i = 0; i < len; i += size) {
    const uint32_t e = element(&d, v->o.type & 0xF);
    if (size == 2)
      put_le16(out + i, (uint16_t)e);
    else
      put_le32(out + i, e);
  }
}

static size_t block_size(const struct tree_vectors *v, size_t block) {
  const size_t left = v->o.size - block * BLOCK;
  return left < BLOCK ? left : BLOCK;
}

void tree_vectors_input(const struct tree_vectors *v, unsigned host, uint32_t at, size_t block, uint8_t *out) {
  input_block(v, host, at, block, block_size(v, block), out);
}

/// One block of the result at a node.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree.
static void reduce(const struct tree_vectors *v, unsigned node, unsigned group, uint32_t at, size_t block, uint8_t *out) {
  const struct tree_net_options *o = v->o.network;
  const struct topology_node *n = &o->topology->nodes[node];
  const size_t len = block_size(v, block);
  const uint8_t *rows[TREE_MAX_PORTS] = {NULL};
  uint8_t *made[TREE_MAX_PORTS] = {NULL};
  for (unsigned i = 0; i < n->children; i++) {
    const unsigned host = n->first_host + i, child = n->leaf ? 0 : topology_child(o->topology, node, i);
    if (n->leaf ? host % o->groups != group : tree_wiring_members(o, child, group) == 0) continue;
    rows[n->at[i]] = made[i] = need(malloc(len));
    if (n->leaf)
      input_block(v, host, at, block, len, made[i]);
    else
      reduce(v, child, group, at, block, made[i]);
  }
  witness_half_rings(v->o.type, rows, tree_wiring_ports(o, node), len, out);
  for (unsigned i = 0; i < n->children; i++) free(made[i]);
}

const uint8_t *tree_vectors_result(struct tree_vectors *v, unsigned group, uint32_t at, size_t block) {
  struct result *r = &v->results[KEPT * group + (at + block) % KEPT];
  if (r->there && r->at == at && r->block == block) return r->bytes;
  if (r->bytes == NULL) r->bytes = need(malloc(BLOCK));
  *r = (struct result){.there = true, .at = at, .block = block, .bytes = r->bytes};
  if (v->o.jobs->operation == TREE_BROADCAST)
    tree_vectors_input(v, tree_jobs_special(v->o.jobs, v->o.network, group, at), at, block, r->bytes);
  else
    reduce(v, tree_wiring_top(v->o.network, group), group, at, block, r->bytes);
  return r->bytes;
}
