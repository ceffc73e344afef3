// Results of a low-latency tree that a node multicasts to hosts at its ports, beside their reliable copies.
#include "model/tree/tree_state.h"

#include <string.h>

#include "wire/tree_cast.h"

bool tree_cast_message(struct node_tree *t, unsigned port, const struct tree_header *header, const uint8_t *vector) {
  struct cast_queue *q = t->casts[port];
  const size_t len = header->flags & TREE_CARRIES ? header->length : 0;
  if (q == NULL || q->count == CASTS || header->verdict != TREE_OK || TREE_BYTES + len > t->configs[port].mtu) return false;
  const unsigned at = (q->first + q->count++) % CASTS;
  tree_put(q->waits[at].data, header);
  if (len > 0) memcpy(q->waits[at].data + TREE_BYTES, vector, len);
  q->waits[at].len = TREE_BYTES + len;
  return true;
}

size_t tree_cast_next(struct node_tree *t, unsigned port, uint8_t *frame, size_t size) {
  struct cast_queue *q = t->casts[port];
  const struct rc_end_config *c = &t->configs[port];
  struct tree_cast from = {
      .v6 = c->out.v6, .vlan = c->out.vlan, .udp_source = c->udp_source, .qpn = c->in.qpn, .psn = q->psn, .tree = t->is.id};
  memcpy(from.mac, c->local_mac, sizeof from.mac);
  memcpy(from.ip, c->out.src, sizeof from.ip);
  const size_t len = tree_cast_build(&from, q->waits[q->first].data, q->waits[q->first].len, frame, size);
  if (len == 0) return 0;
  q->psn++;
  q->first = (q->first + 1) % CASTS;
  q->count--;
  return len;
}
