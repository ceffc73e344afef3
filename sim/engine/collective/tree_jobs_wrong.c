// Hosts that do something wrong in one operation of a run, and when the others have heard of that.
#include "sim/engine/collective/tree_jobs_state.h"
#include "sim/engine/tree/topology.h"
#include "sim/engine/tree/tree_wiring.h"

#define NEVER UINT64_MAX

uint32_t tree_jobs_wrong_part(const struct tree_jobs_options *o) { return o->operations * o->parts / 2; }

enum tree_mistake tree_jobs_mistake(const struct tree_jobs_options *o, unsigned host) {
  for (unsigned i = 0; i < o->wrong_count; i++)
    if (o->wrong[i].host == host) return o->wrong[i].what;
  return TREE_NO_MISTAKE;
}

bool jobs_is_wrong(const struct tree_jobs *j, unsigned host) {
  return j->o.wrong_count > 0 && jobs_group_of(j, host) == jobs_group_of(j, j->o.wrong[0].host) &&
         j->seats[host].at == tree_jobs_wrong_part(&j->o);
}

enum tree_mistake jobs_mistake(const struct tree_jobs *j, unsigned host) {
  return jobs_is_wrong(j, host) ? tree_jobs_mistake(&j->o, host) : TREE_NO_MISTAKE;
}

/// What a node refuses to the one host that sends it: the others wait for what it should have sent. If one does not ask for the lock nobody gets as far as
/// another mistake.
static bool is_refused_alone(const struct tree_jobs *j, unsigned host) {
  const enum tree_mistake m = tree_jobs_mistake(&j->o, host);
  for (unsigned i = 0; i < j->o.wrong_count; i++)
    if (j->o.wrong[i].what == TREE_NO_LOCK) return m == TREE_NO_LOCK;
  return m == TREE_WRONG_GROUP || m == TREE_OTHERS_GROUP || m == TREE_TOO_LONG || m == TREE_ONE_MORE ||
         (m == TREE_ENDS_EARLY && !j->o.streams);
}

/// When a node has all that comes from the group below it, if all begin at once: its patience behind the first who came, if somebody does not come. NEVER
/// if nobody does.
static uint64_t gathered(const struct tree_jobs *j, unsigned node, unsigned group) {
  const struct topology *t = j->network->topology;
  const struct topology_node *n = &t->nodes[node];
  uint64_t first = NEVER, last = 0;
  bool lacks = false;
  for (unsigned i = 0; i < n->children; i++) {
    const unsigned below = n->leaf ? n->first_host + i : topology_child(t, node, i);
    if (n->leaf ? jobs_group_of(j, below) != group : tree_wiring_members(j->network, below, group) == 0) continue;
    const uint64_t come = !n->leaf ? gathered(j, below, group) : is_refused_alone(j, below) ? NEVER : 0;
    lacks = lacks || come == NEVER;
    if (come < first) first = come;
    if (come != NEVER && come > last) last = come;
  }
  return first == NEVER ? NEVER : lacks ? first + j->network->patience_ps * (t->levels - n->depth) : last;
}

uint64_t jobs_wait_for_others(const struct tree_jobs *j, unsigned host) {
  if (jobs_mistake(j, host) == TREE_NO_MISTAKE || !is_refused_alone(j, host)) return 0;
  const unsigned group = jobs_group_of(j, host);
  // Half of a leaf's patience behind the others, which is less than that they wait for it.
  return gathered(j, tree_wiring_top(j->network, group), group) + j->network->patience_ps / 2;
}
