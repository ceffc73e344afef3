/// A state of the search: hosts, nodes, and what is under way between them; of formal/protocol/locking alone.
#ifndef WEIR_PROTOCOL_LOCKING_STATE_H
#define WEIR_PROTOCOL_LOCKING_STATE_H

#include <stdint.h>

#include "formal/protocol/locking/rules.h"
#include "formal/protocol/search/search.h"

enum { LOW_ROOM = 3, STREAM_ROOM = 2, HOPS = LOCKING_HOSTS + LOCKING_NODES - 1, TOP = LOCKING_CHILDREN };

enum operation { OPERATION_LOCK, OPERATION_UNLOCK, OPERATION_SUM, OPERATION_ENDS, OPERATION_STREAM };   // ENDS: a teardown
enum verdict { VERDICT_OK, VERDICT_LOCK_FAILED, VERDICT_DENIED, VERDICT_NO_TREE, VERDICT_TIME_OUT, VERDICT_LOST, VERDICTS };
enum tree_alive { ALIVE, STREAM_DOWN, BOTH_DOWN };
enum phase { PHASE_IDLE, PHASE_GATHERS, PHASE_WAITS };
enum cell_is { CELL_FREE, CELL_TAKEN, CELL_KEPT };

/// A message of the low-latency tree. `what` 0: none; else 1 + operation + 4 * group + 8 * sequence; of a teardown, which tree in
/// the group's place.
struct locking_message {
  uint8_t what, verdict;
};

/// What is under way between a host or a leaf and the node above. A packet of the streaming tree: 0 none; else 1 + denied + 2 *
/// group + 4 * index + 8 * sequence.
struct locking_hop {
  struct locking_message up[LOW_ROOM], down[LOW_ROOM];
  uint8_t stream_up[STREAM_ROOM], stream_down[STREAM_ROOM];
};

struct locking_host {
  uint8_t position;   ///< in its group's script
  uint8_t sequence;   ///< of its last operation
  uint8_t active;
  uint8_t posted;    ///< packets of a streamed vector
  uint8_t retries;   ///< left
  uint8_t alive;     ///< enum tree_alive, as the host has heard
  uint8_t dead;
};

/// A group's operation in the low-latency tree of a node.
struct locking_operation {
  uint8_t phase, come, sequence;
  uint8_t from[LOCKING_CHILDREN];   ///< 0 none; else 1 + operation + 4 * verdict
  uint8_t last, last_verdict;       ///< number of the one before, 0 if there was none, and how it ended
};

struct locking_node {
  struct locking_operation group[LOCKING_GROUPS];
  struct {
    uint8_t is, group, sequence, left;   ///< left: 0 without end
  } cell;
  struct {
    uint8_t active, group, come, risen, fallen, sequence, discards;   ///< discards: by child, the rest of what was refused
  } stream;
  uint8_t alive;     ///< enum tree_alive
  uint8_t to_tell;   ///< neighbours for whom there was no room yet: children, and TOP
};

struct locking_state {
  struct locking_hop hop[HOPS];   ///< of host h: h; of leaf n: LOCKING_HOSTS + n - 1
  struct locking_host host[LOCKING_HOSTS];
  struct locking_node node[LOCKING_NODES];
  uint8_t cut;      ///< the cable between the second leaf and the root is
  uint8_t failed;   ///< the streaming connection on it has
  uint8_t good[LOCKING_GROUPS], bad[LOCKING_GROUPS],
      refused[LOCKING_GROUPS];   ///< by number: a host heard ok, a failure, a failed lock
};

/// A state that is being left, and where its steps go. Functions below change `next`; `wrong` stays set once something must never be.
struct locking_walk {
  const struct locking_rules *rules;
  struct locking_state next;
  bool wrong;
  struct steps *out;
};

// --- who is where ---

unsigned nodes_of(const struct locking_rules *rules);
/// Group of a host, and the node that it is below; the child of it that it is.
unsigned group_of(const struct locking_rules *rules, unsigned host);
unsigned node_of(const struct locking_rules *rules, unsigned host);
/// Hop between a node and its child, -1 if it has no such child; child TOP: its parent.
int hop_of(const struct locking_rules *rules, unsigned node, unsigned child);
/// Children of a node that have hosts of a group, as bits; whether it has others beyond the parent.
unsigned children_of(const struct locking_rules *rules, unsigned node, unsigned group);
bool goes_up(const struct locking_rules *rules, unsigned node, unsigned group);

// --- hops ---

struct locking_message message_of(enum operation operation, unsigned group, unsigned sequence, enum verdict verdict);
enum operation operation_of(struct locking_message m);
unsigned group_in(struct locking_message m);
unsigned sequence_in(struct locking_message m);
unsigned packet_of(unsigned group, unsigned sequence, unsigned index, bool denied);
bool low_room(const struct locking_message *fifo);
void low_push(struct locking_message *fifo, struct locking_message m);
void low_pop(struct locking_message *fifo);
bool stream_room(const struct locking_rules *rules, const uint8_t *fifo);
void stream_push(uint8_t *fifo, unsigned packet);
void stream_pop(uint8_t *fifo);
/// Nobody takes any more what is under way on a hop downwards (host dead), or either way (cut).
bool hop_is_dead(const struct locking_state *s, unsigned hop);

// --- lock cells of a node ---

enum verdict cell_take(struct locking_node *n, unsigned group, unsigned sequence, unsigned left);
/// The request's answer came.
void cell_settle(struct locking_node *n, unsigned group, unsigned sequence, bool keep);
void cell_release(struct locking_node *n, unsigned group);
bool cell_holds(const struct locking_node *n, unsigned group);
/// One operation is done.
void cell_count(struct locking_node *n, unsigned group);

// --- parts of a walk ---

/// Adds `next` as a step. Label: what is done, by or at whom, with what, and how it ends.
void walk_step(struct locking_walk *w, uint32_t label);
/// A tree ends at a node; its neighbours hear of it but for `except`. `told`: the node heard it itself.
void end_tree(struct locking_walk *w, unsigned node, enum tree_alive what, unsigned except, bool told);
void low_steps(struct locking_walk *w, const struct locking_state *from, unsigned node);
void stream_steps(struct locking_walk *w, const struct locking_state *from, unsigned node);
void host_steps(struct locking_walk *w, const struct locking_state *from, unsigned host);
/// Count of a group's lock requests of its script's letter.
unsigned lock_count(char letter);

enum event {
  HOST_BEGINS,
  HOST_POSTS,
  HOST_HEARS,
  HOST_HEARS_STREAM,
  HOST_HEARS_END,
  HOST_GIVES_UP,
  HOST_DIES,
  CABLE_BREAKS,
  CONNECTION_FAILS,
  NODE_TAKES,
  NODE_HEARS,
  NODE_HEARS_END,
  NODE_EXPIRES,
  NODE_TELLS,
  NODE_LOSES,
  NODE_LOOKS,
  NODE_ADDS,
  NODE_PASSES,
  NODE_STREAM_EXPIRES,
};

/// What a node does with what it takes.
enum outcome_of_node { JOINS, ASKS, SAYS_ABOVE, ANSWERS, REFUSES, DROPS, ENDS };

/// `who`: a host, or 8 * node + child; `how`: a verdict, of nodes 8 * outcome + verdict.
static inline uint32_t event_label(enum event event, unsigned who, unsigned what, unsigned how) {
  return (uint32_t)event << 24 | (uint32_t)who << 16 | (uint32_t)what << 8 | (uint32_t)how;
}

#endif
