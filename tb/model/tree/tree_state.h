/// What a tree node remembers; of tb/model/tree alone.
#ifndef WEIR_MODEL_TREE_STATE_H
#define WEIR_MODEL_TREE_STATE_H

#include "model/tree/tree_node.h"
#include "wire/cast_copies.h"

/// A message of a low-latency tree, as far as it is here.
struct tree_inbox {
  size_t len;   ///< bytes; beyond those of `data` nothing is kept
  bool whole;
  uint8_t data[TREE_BYTES + TREE_LLT_MOST];
};

/// Results that are to be multicast by a port. One that finds no place is not: nobody counts on it.
enum { CASTS = 4 };
struct cast_queue {
  struct {
    size_t len;
    uint8_t data[TREE_BYTES + TREE_LLT_MOST];
  } waits[CASTS];
  unsigned first, count;
  uint32_t psn;   ///< of the next packet
};

/// Who was found to be to blame for what.
struct tree_blame {
  enum tree_verdict verdict;
  uint16_t node;
  uint8_t port;   ///< from 1 on; 0: nobody's
};

enum low_phase {
  LOW_IDLE,
  LOW_GATHERS,   ///< some children have contributed
  LOW_RISES,     ///< all have; the sum is on its way to the parent, or waits for room
  LOW_WAITS,     ///< for the parent's answer
  LOW_ANSWERS    ///< the answer goes to each child
};

/// A group's operation in the low-latency tree.
struct low_operation {
  enum low_phase phase;
  struct tree_header from[TREE_MAX_PORTS];   ///< what each child contributed
  uint64_t come, answered;                   ///< children
  uint32_t sequence;
  struct tree_header up, answer;
  uint8_t *rows;     ///< a vector a port
  uint8_t *result;   ///< the sum, then the answer's vector
  uint64_t deadline;
  bool any;                  ///< there was one before,
  struct tree_header last;   ///< and this was its answer
};

struct node_group {
  struct group_of_node is;
  struct low_operation low;
};

/// The operation that streams through a tree.
struct stream_operation {
  bool active;
  struct node_group *group;
  struct tree_header request;   ///< as the lowest child had it, once all have come
  struct tree_header from[TREE_MAX_PORTS];
  uint64_t come, carrying, wanting;
  uint64_t packets;         ///< of a message with its vector
  uint64_t risen, fallen;   ///< packets of it handed on upwards, and to the children
  struct tree_header answer;
  uint64_t deadline;
};

struct node_tree {
  struct tree_of_node is;
  struct rc_end_config *configs;
  struct rc_end *ends[TREE_MAX_PORTS];
  struct tree_inbox *inbox[TREE_MAX_PORTS];   ///< low latency only
  struct cast_queue *casts[TREE_MAX_PORTS];   ///< where there is a child that listens
  struct cast_copies copies;                  ///< answers that were taken from the parent's multicasts
  bool discards[TREE_MAX_PORTS];              ///< streaming: the rest of a refused message
  struct stream_operation stream;
  bool down;
  struct tree_header teardown;   ///< what neighbours are to be told,
  uint64_t to_tell;              ///< and which
};

struct tree_node {
  struct tree_node_config config;
  struct node_tree *trees;
  struct node_group *groups;
  struct tree_locks locks;
  struct tree_node_counts counts;
};

static inline uint64_t port_bit(unsigned port) { return UINT64_C(1) << port; }
static inline uint64_t node_children(const struct node_tree *t) {
  return t->is.neighbours & ~(t->is.parent == TREE_NO_PORT ? 0 : port_bit(t->is.parent));
}
/// The lowest of some ports, which are not none.
static inline unsigned lowest_port(uint64_t ports) { return (unsigned)__builtin_ctzll(ports); }

/// Operations with a vector.
bool tree_has_vector(enum tree_operation o);
/// Is what some children sent, each with `from[port]`, one operation? TREE_OK, or who is to blame. `root`: nobody else takes part.
struct tree_blame tree_agree(const struct tree_node *n, const struct tree_header *from, uint64_t come, bool root);
/// Flags of the sum of what these children sent.
uint8_t tree_flags(const struct tree_header *from, uint64_t come);
/// The group of this number whose low-latency tree is `low`, or NULL.
struct node_group *tree_group(struct tree_node *n, const struct node_tree *low, uint16_t id);
/// It has an operation under way, or a lock cell, or a reliable copy of an answer is to come: it cannot be another one now.
bool tree_group_busy(const struct tree_node *n, const struct node_group *g);
/// The streaming tree was torn down, it alone, and all neighbours have been told.
bool tree_may_reopen(const struct tree_node *n, size_t tree);
/// A multicast of the parent, read: true if it is an answer that is waited for, and is taken; anything else is nothing.
bool low_cast(struct tree_node *n, struct node_tree *t, const uint8_t *message, size_t len);
/// Multicasts a message at a port, if it is one packet and there is somebody who listens; true if it does.
bool tree_cast_message(struct node_tree *t, unsigned port, const struct tree_header *header, const uint8_t *vector);
/// Builds the next one. Its bytes, or 0 if there is none or `size` is too small.
size_t tree_cast_next(struct node_tree *t, unsigned port, uint8_t *frame, size_t size);
/// Posts a whole message, if there is room for it.
bool tree_post(struct rc_end *end, unsigned mtu, const struct tree_header *header, const uint8_t *vector);
/// Ends a tree, and with a low-latency one its partner; neighbours are told but for port `except`.
void tree_end(struct tree_node *n, struct node_tree *t, struct tree_blame why, unsigned except);

/// One step of a tree, if there is one to make.
bool low_step(struct tree_node *n, uint64_t now, struct node_tree *t);
bool stream_step(struct tree_node *n, uint64_t now, struct node_tree *t);
/// What has waited too long.
void low_expire(struct tree_node *n, uint64_t now, struct node_group *g);
void stream_expire(struct tree_node *n, uint64_t now, struct node_tree *t);

#endif
