/// A node of the model with one streaming tree, and an end of each connection at the other side of its ports, over cables that take no time: packets in,
/// packets out. All asserts are cmocka's.
#ifndef WEIR_UNIT_STREAM_MODEL_H
#define WEIR_UNIT_STREAM_MODEL_H

#include "unit/tree/pair_setup.h"

enum { STREAM_BUFFER = 6 };

struct stream_packet {
  bool first, last;
  size_t len;
  uint8_t data[RC_MAX_MTU];
};

struct stream_model;
struct stream_model *stream_model_new(const struct pair_setup *s);
void stream_model_free(struct stream_model *m);

/// The streaming tree is locked for a group and no other one any more, for so many operations; 0: without end.
void stream_model_lock(struct stream_model *m, uint16_t group, uint32_t count);
/// A packet comes in at a port; what follows, follows. Once the tree is torn down, nothing.
void stream_model_give(struct stream_model *m, uint64_t us, unsigned port, const struct stream_packet *p);
/// The next one that left by a port. False if there is none.
bool stream_model_take(struct stream_model *m, unsigned port, struct stream_packet *p);
/// Nothing that leaves by these ports is acknowledged any more.
void stream_model_silence(struct stream_model *m, uint64_t ports);
void stream_model_time(struct stream_model *m, uint64_t us);
/// True if the tree is torn down; then why.
bool stream_model_down(const struct stream_model *m, struct tree_header *why);
struct tree_node_counts stream_model_counts(const struct stream_model *m);

#endif
