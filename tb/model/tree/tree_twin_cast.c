// Multicasts of a device's results beside those of the model.
#include <string.h>

#include "model/tree/tree_twin_state.h"
#include "wire/roce.h"
#include "wire/tree_cast.h"

enum { FRAME = 4400 };

/// Who multicasts at a port; `psn` is left.
static struct tree_cast from_of(const struct tree_twin *t, unsigned port) {
  const struct rc_end_config *c = &t->node->trees[0].configs[port];
  struct tree_cast from = {
      .v6 = c->out.v6, .vlan = c->out.vlan, .udp_source = c->udp_source, .qpn = c->in.qpn, .tree = t->node->trees[0].is.id};
  memcpy(from.mac, c->local_mac, sizeof from.mac);
  memcpy(from.ip, c->out.src, sizeof from.ip);
  return from;
}

static void compare(struct tree_twin *t, unsigned port) {
  struct twin_casts *c = &t->casts[port];
  while (c->out.head != NULL) {
    struct heard **at = twin_model_of(&c->due, c->out.head);
    if (at == NULL) return;
    if (!twin_same(*at, c->out.head)) twin_wrong(t, "port %u: what was multicast is not what the model sent", port);
    t->counts.compared++;
    heard_drop(&c->due, at);
    heard_drop(&c->out, &c->out.head);
  }
}

void twin_casts_pump(struct tree_twin *t) {
  for (unsigned p = 0; p < t->ports; p++) {
    struct cast_queue *q = t->node->trees[0].casts[p];
    for (; q != NULL && q->count > 0; q->count--, q->first = (q->first + 1) % CASTS)
      heard_add(&t->casts[p].due, q->waits[q->first].data, q->waits[q->first].len);
    compare(t, p);
  }
}

bool twin_cast_in(struct tree_twin *t, unsigned port, const uint8_t *frame, const struct roce_packet *p) {
  const struct node_tree *low = &t->node->trees[0];
  size_t size;
  if (!low->is.listens || low->is.parent != port) return false;
  struct conn_key from = low->configs[port].in;
  from.qpn = low->configs[port].out.qpn;
  const uint8_t *message = tree_cast_read(frame, p, low->is.id, &from, &size);
  if (message == NULL) return false;
  if (t->cast_in_count == CASTS_HEARD) heard_drop(&t->cast_in, &t->cast_in.head);
  t->cast_in_count += t->cast_in_count < CASTS_HEARD;
  heard_add(&t->cast_in, message, size);
  return true;
}

void tree_twin_cast(struct tree_twin *t, unsigned group) {
  tree_twin_asked(t);
  const struct node_group *g = group < t->node->config.group_count ? &t->node->groups[group] : NULL;
  bool taken = false;
  for (struct heard **at = &t->cast_in.head; g != NULL && !taken && *at != NULL;) {
    // Those in front of it that are of the group are nobody's any more.
    const bool own = twin_key(*at) == g->is.id;
    taken = own && low_cast(t->node, &t->node->trees[0], (*at)->data, (*at)->len);
    if (own) {
      heard_drop(&t->cast_in, at);
      t->cast_in_count--;
    } else {
      at = &(*at)->next;
    }
  }
  if (!taken) twin_wrong(t, "group %u takes an answer from a multicast that has not come, or is none", group);
  tree_node_tick(t->node, 0);
  twin_pump(t);
}

bool twin_cast_out(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len) {
  struct tree_cast from = from_of(t, port);
  struct roce_packet p;
  uint8_t expected[FRAME];
  struct conn_key key = {.v6 = from.v6, .vlan = from.vlan, .qpn = from.qpn};
  size_t size;
  memcpy(key.src, from.ip, sizeof key.src);
  if (t->node->trees[0].casts[port] == NULL) return false;
  roce_parse(frame, len, &p);
  const uint8_t *message = tree_cast_read(frame, &p, from.tree, &key, &size);
  if (message == NULL) return false;
  // All of the frame, its ICRC too, is what a node's is that has sent as many.
  from.psn = t->casts[port].psn++;
  if (tree_cast_build(&from, message, size, expected, sizeof expected) != len || memcmp(frame, expected, len) != 0)
    twin_wrong(t, "port %u: a multicast is not framed as the model's is", port);
  heard_add(&t->casts[port].out, message, size);
  compare(t, port);
  return true;
}
