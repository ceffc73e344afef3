/// Hosts of a run: what is kept of them; of tree_jobs*.c alone.
#ifndef WEIR_SIM_TREE_JOBS_STATE_H
#define WEIR_SIM_TREE_JOBS_STATE_H

#include "sim/engine/collective/tree_jobs.h"
#include "sim/engine/collective/tree_regroup.h"
#include "sim/engine/collective/tree_reopen.h"

/// First pause after a lock that failed; it doubles up to 64 times as long. Pause of who waits for nodes that are busy with a group.
enum { PAUSE_PS = 5000000, DOUBLINGS = 6, BUSY_PS = 2000000 };

enum phase { RESTS, LOCKS, PAUSES, WORKS, UNLOCKS, REGROUPS, REOPENS, ENDED };

struct member {
  struct tree_jobs_host result;
  enum phase phase;
  uint32_t at;          // part
  uint32_t locked;      // operations left of the lock
  uint32_t regrouped;   // part before which its group was made anew last
  unsigned tries;
  uint64_t began, until;   // of the operation; of a pause
  bool after_others;       // it pauses so that the others hear of what it did wrong; that the tree is no more they hear at once
  struct tree_jobs *jobs;
  unsigned host;
  uint8_t *block;        // of its vector
  size_t block_number;   // SIZE_MAX: none is there
  // Of a result: bytes that are as they must be, in a row, and the first one that is not.
  uint32_t good;
  uint8_t got, due;
};

/// Of each operation of each group, group by group.
struct spans {
  uint64_t *left;    // of all time when the first host began: the most is the earliest, 0 none
  uint64_t *last;    // when the last one ended
  uint64_t *ended;   // hosts' parts
};

struct tree_jobs {
  struct tree_jobs_options o;
  const struct tree_net_options *network;
  struct tree_net *net;
  struct findings *findings;
  struct tree_vectors *vectors;
  struct tree_regroup *regroup;   // NULL: never
  struct tree_reopen *reopen;     // NULL: never
  struct member *seats;
  struct spans spans;
  size_t span_count;
  unsigned hosts;
  uint64_t compared;
  uint64_t locks, locks_ps;   // taken, by hosts, and how long that took
};

static inline unsigned jobs_group_of(const struct tree_jobs *j, unsigned host) { return tree_net_group(j->net, host); }
/// The next operation of a host whose last one ended well, or what is in front of it.
void jobs_go_on(struct tree_jobs *j, unsigned host);
/// It is looked at again after this time (picoseconds), and not before.
static inline void jobs_look_after(struct tree_jobs *j, unsigned host, uint64_t time) {
  j->seats[host].until = tree_net_now(j->net) + time;
  tree_net_alarm(j->net, host, j->seats[host].until);
}
/// It is done, for good.
void jobs_end(struct tree_jobs *j, unsigned host);

// Hosts that do something wrong (tree_jobs_wrong.c).
/// Somebody of the host's group does something wrong in its operation; what this host does.
bool jobs_is_wrong(const struct tree_jobs *j, unsigned host);
enum tree_mistake jobs_mistake(const struct tree_jobs *j, unsigned host);
/// How long a host that alone was refused leaves its next operation alone, so that the others have heard of this one; else 0. Picoseconds.
uint64_t jobs_wait_for_others(const struct tree_jobs *j, unsigned host);

// What is set up again between operations, and who waits for it (tree_jobs_again.c).
/// For the rest of its group, which is made anew when all are here.
void jobs_wait_for_group(struct tree_jobs *j, unsigned host);
/// For all hosts, when the streaming tree that is no more is set up again. False if it is not to be.
bool jobs_wait_for_tree(struct tree_jobs *j, unsigned host);
/// A host waits for one of both, and may go on.
void jobs_look_again(struct tree_jobs *j, unsigned host);

#endif
