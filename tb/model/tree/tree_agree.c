// Is what children sent one operation? The same rules for both kinds of trees (docs/tree.md).
#include "model/tree/tree_state.h"
#include "wire/roce.h"

static bool same(const struct tree_header *a, const struct tree_header *b) {
  return a->operation == b->operation && a->type == b->type && a->length == b->length && a->sequence == b->sequence &&
         (a->operation != TREE_LOCK || a->count == b->count);
}

static bool is_sum(enum tree_operation o) { return o == TREE_ALL_REDUCE || o == TREE_REDUCE; }

bool tree_has_vector(enum tree_operation o) { return is_sum(o) || o == TREE_BROADCAST; }

/// By itself: flags and length that the operation has.
static bool possible(const struct tree_header *h) {
  const bool carries = h->flags & TREE_CARRIES, wants = h->flags & TREE_WANTS;
  if (!tree_has_vector(h->operation)) return !carries && !wants && h->length == 0;
  const size_t size = ina_element_size(h->type);
  if (size == 0 || h->length == 0 || h->length % size != 0) return false;
  if (h->operation == TREE_ALL_REDUCE) return carries && wants;
  return h->operation == TREE_REDUCE ? carries : carries || wants;
}

struct tree_blame tree_agree(const struct tree_node *n, const struct tree_header *from, uint64_t come, bool root) {
  const struct tree_header *first = &from[lowest_port(come)];
  unsigned carrying = 0, wanting = 0;
  for (uint64_t left = come; left != 0; left &= left - 1) {
    const unsigned port = lowest_port(left);
    const struct tree_header *h = &from[port];
    // What was found below stays as it was found.
    if (h->verdict != TREE_OK) return (struct tree_blame){h->verdict, h->node, h->port};
    carrying += h->flags & TREE_CARRIES;
    wanting += (h->flags & TREE_WANTS) != 0;
    const bool one = h->operation == TREE_REDUCE ? wanting <= 1 : h->operation != TREE_BROADCAST || carrying <= 1;
    if (!possible(h) || !same(h, first) || !one) return (struct tree_blame){TREE_DENIED, n->config.id, (uint8_t)(port + 1)};
  }
  const bool lacks = first->operation == TREE_REDUCE ? wanting == 0 : first->operation == TREE_BROADCAST && carrying == 0;
  if (root && lacks) return (struct tree_blame){TREE_DENIED, n->config.id, 0};
  return (struct tree_blame){.verdict = TREE_OK};
}

uint8_t tree_flags(const struct tree_header *from, uint64_t come) {
  uint8_t flags = 0;
  for (; come != 0; come &= come - 1) flags |= from[lowest_port(come)].flags;
  return flags;
}
