// What ranks hand to their interfaces, and when: --prepare after they have the data, which is the latency of a hop "for data preparation"
// (NetReduce, Table 4).
#include "sim/fabric/load/load.h"

#include <stdlib.h>

#include "base/memory.h"

void load_post(struct workload *l, uint32_t from, uint32_t to, uint64_t bytes, uint32_t tag, uint64_t value) {
  nic_post(&l->nics[l->host_of[from]], l->host_of[to], bytes, l->tag_base + tag, value);
}

void load_send(struct workload *l, uint32_t from, uint32_t to, uint64_t bytes, uint32_t tag, uint64_t value) {
  const uint64_t prepare = load_flows(l->options->kind) ? 0 : l->options->prepare_ps;
  if (prepare == 0) {
    load_post(l, from, to, bytes, tag, value);
    return;
  }
  struct load_rank *r = &l->rank[from];
  if (r->post_first == r->post_count) r->post_first = r->post_count = 0;
  r->posts = need_room(r->posts, &r->post_room, r->post_count + 1, sizeof *r->posts);
  const uint64_t ready = world_now(l->world) + prepare;
  r->posts[r->post_count++] = (struct load_message){.ready_ps = ready, .bytes = bytes, .value = value, .to = to, .tag = tag};
  world_wake(l->world, l->nics[l->host_of[from]].part, NIC_USER, ready);
}

// All wait equally long, so the first one put there is the first one ready.
void load_prepared(struct workload *l, uint32_t rank) {
  struct load_rank *r = &l->rank[rank];
  for (; r->post_first < r->post_count; r->post_first++) {
    const struct load_message m = r->posts[r->post_first];
    if (m.ready_ps > world_now(l->world)) {
      world_wake(l->world, l->nics[l->host_of[rank]].part, NIC_USER, m.ready_ps);
      return;
    }
    load_post(l, rank, m.to, m.bytes, m.tag, m.value);
  }
}
