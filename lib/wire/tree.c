#include "wire/tree.h"

#include <string.h>

#include "wire/bytes.h"

const char *const tree_operation_names[] = {"barrier", "all-reduce", "reduce", "broadcast", "lock", "unlock", NULL};

const char *tree_verdict_name(enum tree_verdict verdict) {
  static const char *const names[TREE_VERDICTS] = {"ok", "lock failed", "denied", "no resource", "no tree", "time-out", "lost"};
  return names[verdict];
}

void tree_put(uint8_t out[TREE_BYTES], const struct tree_header *h) {
  put_be32(out, TREE_TAG);
  out[4] = (uint8_t)h->kind;
  out[5] = (uint8_t)h->operation;
  out[6] = h->type;
  out[7] = h->flags;
  put_be16(out + 8, h->tree);
  put_be16(out + 10, h->group);
  put_be32(out + 12, h->sequence);
  put_be32(out + 16, h->length);
  put_be32(out + 20, h->count);
  out[24] = (uint8_t)h->verdict;
  out[25] = h->port;
  put_be16(out + 26, h->node);
  put_be16(out + 28, h->holder_tree);
  put_be16(out + 30, h->holder_group);
}

bool tree_get(const uint8_t *in, size_t len, struct tree_header *h) {
  if (len < TREE_BYTES || get_be32(in) != TREE_TAG) return false;
  if (in[4] < TREE_UP || in[4] > TREE_TEARDOWN || in[5] >= TREE_OPERATIONS || in[24] >= TREE_VERDICTS) return false;
  if ((in[7] & ~(TREE_CARRIES | TREE_WANTS)) != 0) return false;
  *h = (struct tree_header){.kind = (enum tree_kind)in[4],
                            .operation = (enum tree_operation)in[5],
                            .type = in[6],
                            .flags = in[7],
                            .tree = get_be16(in + 8),
                            .group = get_be16(in + 10),
                            .sequence = get_be32(in + 12),
                            .length = get_be32(in + 16),
                            .count = get_be32(in + 20),
                            .verdict = (enum tree_verdict)in[24],
                            .port = in[25],
                            .node = get_be16(in + 26),
                            .holder_tree = get_be16(in + 28),
                            .holder_group = get_be16(in + 30)};
  return true;
}

uint64_t tree_packets(uint32_t length, unsigned mtu) { return ((uint64_t)length + TREE_BYTES + mtu - 1) / mtu; }

size_t tree_part(uint32_t length, unsigned mtu, uint64_t index) {
  const uint64_t end = (uint64_t)length + TREE_BYTES, from = index * mtu, to = from + mtu < end ? from + mtu : end;
  return (size_t)(to - from) - (index == 0 ? TREE_BYTES : 0);
}
