/// What the hosts of aggregation trees do in a run: each group's operations one after the other, with locks where the streaming tree is used, a pause after
/// a lock that failed; and whether what they got is right.
#ifndef WEIR_SIM_TREE_JOBS_H
#define WEIR_SIM_TREE_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/findings.h"
#include "hosts/tree/tree_host.h"
#include "sim/engine/collective/tree_net.h"

enum { TREE_JOBS_WRONG = 4 };

struct tree_wrong {
  unsigned host;
  enum tree_mistake what;
};

struct tree_jobs_options {
  enum tree_operation operation;
  bool streams;
  uint8_t type;
  uint32_t size, operations;   ///< bytes of a vector, or of a part; of each group
  uint32_t parts;     ///< an operation is so many, each to or from another host of its group: reduce-scatter, all-gather; else 1
  uint32_t lock;      ///< operations of a lock, 0: no end
  uint32_t tries;     ///< of a lock
  uint32_t regroup;   ///< after so many operations a group is destroyed and made anew; 0: never
  uint32_t reopen;    ///< times that a streaming tree which was torn down, it alone, is set up again, at most
  void (*retire)(void *user, struct rc_end *end);   ///< called with each end of a model that is no more then
  void *user;
  uint64_t seed;
  /// Hosts of one group that do something wrong in the operation in the middle, and what.
  struct tree_wrong wrong[TREE_JOBS_WRONG];
  unsigned wrong_count;
};

/// How a host has ended.
struct tree_jobs_host {
  bool ended;
  enum tree_verdict verdict;   ///< of its last operation
  struct tree_header answer;
  uint32_t done;   ///< operations with a right result, or none to get
  uint32_t
      failed;   ///< operations behind which it went on though they had another verdict: only where a host does something wrong, or
                ///< a tree is set up again
  uint32_t spoilt;                   ///< parts of an operation under way that had another verdict
  enum tree_verdict wrong_verdict;   ///< of that operation
  uint32_t wrong_ended;              ///< 1: it has one
  uint64_t lock_tries;               ///< requests
  uint64_t messages[2];              ///< contributions through the low-latency and the streaming tree that ended well
  uint64_t longest_ps;               ///< of an operation, however it ended
  uint64_t ended_ps;
};

struct tree_jobs_result {
  unsigned wrong[TREE_VERDICTS];      ///< hosts by their verdict of the operation in which one did something wrong
  uint64_t compared;                  ///< bytes of results
  uint64_t finished_ps;               ///< when the last host ended
  uint64_t regrouped, busy;           ///< groups that were made anew, and times that a node was busy with one
  uint64_t reopened;                  ///< times that the streaming tree was set up again
  uint64_t operations;                ///< of groups: all of whose hosts ended it well
  double mean_ps;                     ///< from the first host's beginning to the last one's end, of these, without locks
  double lock_ps;                     ///< mean time of a lock that was taken, at a host
  unsigned verdicts[TREE_VERDICTS];   ///< hosts by their last verdict
};

/// The host that gets the sum, or has the vector, of a group's `at`th part: its first one where operations are whole.
unsigned tree_jobs_special(const struct tree_jobs_options *o, const struct tree_net_options *network, unsigned group,
                           uint32_t at);

/// The part of each group in which hosts do something wrong; what this one does then.
uint32_t tree_jobs_wrong_part(const struct tree_jobs_options *o);
enum tree_mistake tree_jobs_mistake(const struct tree_jobs_options *o, unsigned host);

struct tree_jobs;

/// Both options must outlive it. The caller frees it. Aborts if out of memory.
struct tree_jobs *tree_jobs_new(const struct tree_jobs_options *options, const struct tree_net_options *network,
                                struct tree_net *net, struct findings *findings);
void tree_jobs_free(struct tree_jobs *j);
/// All hosts of this process begin (sim/engine/world/ranks.h).
void tree_jobs_begin(struct tree_jobs *j);
/// A host may have done something.
void tree_jobs_look(struct tree_jobs *j, unsigned host);
/// Those that are alive and have not ended.
unsigned tree_jobs_open(const struct tree_jobs *j);
/// At the end: all processes, which must all call it, know of all hosts. What follows is of those.
void tree_jobs_share(struct tree_jobs *j);
const struct tree_jobs_host *tree_jobs_host(const struct tree_jobs *j, unsigned host);
struct tree_jobs_result tree_jobs_result(const struct tree_jobs *j);

#endif
