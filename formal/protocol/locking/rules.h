/// Rules of an aggregation tree whose streaming half is locked (docs/tree.md; SHARP 3.2): Weir's, and others that a reader of the
/// paper might think of.
#ifndef WEIR_PROTOCOL_LOCKING_RULES_H
#define WEIR_PROTOCOL_LOCKING_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum { LOCKING_HOSTS = 4, LOCKING_NODES = 3, LOCKING_GROUPS = 2, LOCKING_CHILDREN = 4, SCRIPT_MOST = 6, SEQUENCE_MOST = 7 };

/// Who is where. Hosts h0, h1.. are of groups g0, g1; a group meets at the lowest node that has all of its hosts below it.
enum locking_shape {
  SHAPE_PAIRS,   ///< a host of each group below each of two leaves
  SHAPE_ALONE,   ///< one node with two hosts of each group
  SHAPE_LOCAL,   ///< g0 as in pairs, both hosts of g1 below the first leaf, where it meets
};

/// What becomes of a lock request that finds the tree taken.
enum failed_rule {
  FAILED_UP,        ///< goes on up as a failed one
  FAILED_AT_ONCE,   ///< is answered where that was found
};

/// What a failed lock request gives back on its way down.
enum give_back_rule {
  GIVE_BACK_REQUEST,   ///< what was taken for this request
  GIVE_BACK_ANY,       ///< whatever is locked ("causing locked resources to be released")
  GIVE_BACK_NOTHING,   ///< nothing
};

/// Who grants a lock.
enum grant_rule {
  GRANT_TOP,     ///< the node where the group meets
  GRANT_FIRST,   ///< each node as soon as it is taken there
};

/// Whose contribution is of an operation.
enum sequence_rule {
  SEQUENCE_MATCHED,   ///< whose number is the operation's; a late one hears how its own ended
  SEQUENCE_IGNORED,   ///< whoever comes
};

/// What a tree's end does.
enum teardown_rule {
  TEARDOWN_TOLD,     ///< all neighbours hear of it, and each that hears does the same
  TEARDOWN_SILENT,   ///< nobody is told
  TEARDOWN_FINDER,   ///< all are told, but only who found it gives its lock back
};

/// Who counts the operations of a lock.
enum count_rule { COUNT_EACH, COUNT_TOP };   ///< each node its own, or the top alone

/// What becomes of a lock that somebody does not come to give back.
enum lapse_rule {
  LAPSE_ENDS,    ///< the streaming tree is torn down
  LAPSE_GIVES,   ///< nodes that took part give it back
};

/// Who waits in vain for its parent's answer.
enum parent_rule {
  PARENT_ENDS,    ///< tears the tree down
  PARENT_ALONE,   ///< says that it is too late, and goes on
};

/// Who is told that a streaming tree is torn down because a neighbour's connection in it failed.
enum fault_rule { FAULT_ALL, FAULT_OTHERS };   ///< all neighbours, or all but that one

/// When patience with somebody may end.
enum patience_rule {
  PATIENCE_LATE,   ///< with children at any time; with the parent only if no answer can come any more
  PATIENCE_ANY,    ///< at any time
};

struct locking_rules {
  enum locking_shape shape;
  enum failed_rule failed;
  enum give_back_rule give_back;
  enum grant_rule grant;
  enum sequence_rule sequence;
  enum teardown_rule teardown;
  enum count_rule count;
  enum lapse_rule lapse;
  enum parent_rule parent;
  enum fault_rule fault;
  enum patience_rule patience;
  bool no_gate;           ///< a streaming tree takes packets of whoever sends them
  bool anybody_unlocks;   ///< a group may give back what is another's
  const char *
      script[LOCKING_GROUPS];   ///< what a group's hosts do, a letter each: 1..9 lock for so many operations, l lock without end,
                                ///< s stream, u unlock, b sum in the low-latency tree
  unsigned retries;             ///< of a failed lock
  unsigned packets;             ///< of a streamed vector: 1 or 2
  bool host_dies;               ///< h0 may, at any time
  bool cut;                     ///< the cable between the second leaf and the root may break
  bool gives_up;                ///< h0 may give a tree up at any time while it waits
  bool connection_fails;        ///< a connection of the streaming tree between second leaf and root may fail at its upper end
};

/// Names of the values above as the command line has them; NULL behind the last.
extern const char *const shape_names[], *const failed_names[], *const give_back_names[], *const grant_names[],
                                                                                             *const sequence_names[];
extern const char *const teardown_names[],
    *const count_names[], *const lapse_names[], *const parent_names[], *const fault_names[], *const patience_names[];

/// NULL if a search can be made of these rules, else what is wrong with them.
const char *locking_fault(const struct locking_rules *rules);

#endif
