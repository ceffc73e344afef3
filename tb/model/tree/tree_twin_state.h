/// The model beside a device: what it keeps; of tb/model/tree alone.
#ifndef WEIR_MODEL_TREE_TWIN_STATE_H
#define WEIR_MODEL_TREE_TWIN_STATE_H

#include "model/tree/heard.h"
#include "model/tree/tree_state.h"
#include "model/tree/tree_twin.h"

/// A connection, heard from both sides.
struct twin_side {
  struct rc_end *ear;           ///< as the device's end: takes what goes in
  struct rc_end *mouth;         ///< as the neighbour's: takes what leaves
  struct rc_end *peer;          ///< the neighbour of the model's node, over a cable that takes no time
  struct heard_list in;         ///< came in, and was not given to the model
  struct heard_list due, out;   ///< the model sent; the device sent
  struct heard_part parts[3];   ///< low latency: of `in`, `due`, `out`
  bool holds;                   ///< streaming: the last packet of the message under way ends the operation
  bool releases;                ///< and may be given
};

struct tree_twin {
  struct tree_node *node;
  unsigned ports, mtu;
  struct twin_side sides[2][TREE_MAX_PORTS];   ///< low latency, streaming
  bool waits;                                  ///< for what the lock cells say to a message of `waits_port`
  unsigned waits_port;
  uint64_t counted;
  bool asks;        ///< registers ask for a change:
  unsigned index;   ///< of this group, or of the streaming tree,
  bool reopens, there;
  struct group_of_node group;   ///< which is to be this one, if it is to be there,
  struct rc_end_config *ends;   ///< with these ends of its ports
  struct tree_twin_counts counts;
  char fault[200];
};

/// Keeps what was wrong first.
__attribute__((format(printf, 2, 3))) void twin_wrong(struct tree_twin *t, const char *format, ...);
/// What of a device's message says whose it is: messages of one key leave in order. A teardown's, or a group's.
uint32_t twin_key(const struct heard *i);

#define TWIN_KEY_NONE UINT32_MAX
#define TWIN_KEY_TEARDOWN (UINT32_MAX - 1)

#endif
