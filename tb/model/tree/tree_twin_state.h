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

/// More than a device may have lost or not taken of its parent's before one that it takes.
enum { CASTS_HEARD = 256 };

/// Multicasts of results at a port.
struct twin_casts {
  struct heard_list due, out;   ///< messages that the model sent; that the device sent
  uint32_t psn;                 ///< of the next one
};

struct tree_twin {
  struct tree_node *node;
  unsigned ports, mtu;
  struct twin_side sides[2][TREE_MAX_PORTS];   ///< low latency, streaming
  struct twin_casts casts[TREE_MAX_PORTS];
  struct heard_list cast_in;   ///< what the parent multicast: the last CASTS_HEARD messages
  unsigned cast_in_count;
  bool waits;   ///< for what the lock cells say to a message of `waits_port`
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
/// The model's messages are taken from it, and compared with those that left the device.
void twin_pump(struct tree_twin *t);
/// What of a device's message says whose it is: messages of one key leave in order. A teardown's, or a group's.
uint32_t twin_key(const struct heard *i);
/// Both are the same.
bool twin_same(const struct heard *a, const struct heard *b);
/// The model's that this one has to be: the first of its key, or one behind those that may be missing. NULL if there is none yet.
struct heard **twin_model_of(struct heard_list *due, const struct heard *is);

// Multicasts of results, message by message beside the model's; in front of its reliable copy.
/// What the model multicasts; those that both have sent are compared.
void twin_casts_pump(struct tree_twin *t);
/// A frame that came in at a port: true if it is the parent's multicast.
bool twin_cast_in(struct tree_twin *t, unsigned port, const uint8_t *frame, const struct roce_packet *p);
/// A frame that has left: true if it is a multicast.
bool twin_cast_out(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len);

#define TWIN_KEY_NONE UINT32_MAX
#define TWIN_KEY_TEARDOWN (UINT32_MAX - 1)

#endif
