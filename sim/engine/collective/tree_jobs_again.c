// Groups that are made anew, and a streaming tree that is set up again, between operations of a run.
#include "sim/engine/collective/tree_jobs_state.h"

void jobs_wait_for_group(struct tree_jobs *j, unsigned host) {
  j->seats[host].phase = REGROUPS;
  jobs_look_after(j, host, 1);
}

bool jobs_wait_for_tree(struct tree_jobs *j, unsigned host) {
  if (j->reopen == NULL || tree_reopen_done(j->reopen) == j->o.reopen || !tree_reopen_due(j->reopen, host)) return false;
  j->seats[host].phase = REOPENS;
  j->seats[host].began = tree_net_now(j->net);
  jobs_look_after(j, host, 1);
  return true;
}

/// The last of a group to come lets nodes make it anew, and all go on. Where nodes are busy it asks again later.
static void regroup(struct tree_jobs *j, unsigned host) {
  const unsigned group = jobs_group_of(j, host);
  uint16_t number;
  if (tree_net_now(j->net) < j->seats[host].until) return;
  for (unsigned h = group; h < j->hosts; h += j->network->groups)
    if (j->seats[h].phase != REGROUPS) return;
  if (!tree_regroup_step(j->regroup, group, &number)) {
    jobs_look_after(j, host, BUSY_PS);
    return;
  }
  for (unsigned h = group; h < j->hosts; h += j->network->groups) {
    tree_host_regroup(tree_net_host(j->net, h), number);
    j->seats[h].regrouped = j->seats[h].at;
  }
  for (unsigned h = group; h < j->hosts; h += j->network->groups) jobs_go_on(j, h);
}

/// Nobody has anything under way.
static bool all_stand(const struct tree_jobs *j) {
  for (unsigned h = 0; h < j->hosts; h++)
    if (tree_net_alive(j->net, h) && j->seats[h].phase != REOPENS && j->seats[h].phase != ENDED) return false;
  return true;
}

/// Who has heard less than others of its group of how far that is goes on where they do: that is for hosts to agree on, not for the network (SHARP 3.2).
static void agree(struct tree_jobs *j, unsigned group) {
  uint32_t at = 0, number = 0;
  for (unsigned h = group; h < j->hosts; h += j->network->groups) {
    const uint32_t own = tree_host_number(tree_net_host(j->net, h));
    if (j->seats[h].at > at) at = j->seats[h].at;
    if (own > number) number = own;
  }
  for (unsigned h = group; h < j->hosts; h += j->network->groups) {
    struct member *s = &j->seats[h];
    tree_host_catch_up(tree_net_host(j->net, h), number);
    if (s->phase != REOPENS) continue;
    s->result.failed += at - s->at;
    s->at = at;
    s->locked = 0;
    s->tries = 0;
  }
}

/// The last host to come lets all set the tree up again, and all go on. Who waits for longer than for anything else, or loses the other tree, too, ends.
static void reopen(struct tree_jobs *j, unsigned host) {
  const struct member *s = &j->seats[host];
  if (tree_net_now(j->net) < s->until) return;
  if (!tree_reopen_due(j->reopen, host) || tree_net_now(j->net) - s->began > tree_net_bound(j->net)) {
    jobs_end(j, host);
    return;
  }
  if (!all_stand(j) || !tree_reopen_step(j->reopen)) {
    jobs_look_after(j, host, TREE_REOPEN_PS);
    return;
  }
  for (unsigned g = 0; g < j->network->groups; g++) agree(j, g);
  for (unsigned h = 0; h < j->hosts; h++)
    if (j->seats[h].phase == REOPENS) jobs_go_on(j, h);
}

void jobs_look_again(struct tree_jobs *j, unsigned host) {
  if (j->seats[host].phase == REGROUPS) regroup(j, host);
  if (j->seats[host].phase == REOPENS) reopen(j, host);
}
