/// A node of the model with a pair of trees, and an end of each connection of the low-latency one at the other side of its ports, over cables that take no
/// time: messages in, messages out. All asserts are cmocka's.
#ifndef WEIR_UNIT_LOW_MODEL_H
#define WEIR_UNIT_LOW_MODEL_H

#include "unit/tree/pair_setup.h"

enum {
  LOW_BYTES = TREE_BYTES + TREE_LLT_MOST,
  LOW_TOO_MANY = 6000   ///< bytes of a message that is none
};

struct low_message {
  size_t len;
  uint8_t data[LOW_TOO_MANY];
};

struct low_model;
struct low_model *low_model_new(const struct pair_setup *s);
void low_model_free(struct low_model *m);
/// A message comes in at a port; what follows, follows.
void low_model_give(struct low_model *m, unsigned port, const struct low_message *message);
/// The operation of a group (index) has waited too long.
void low_model_expire(struct low_model *m, unsigned group);
/// A tree ends, both or the streaming one.
void low_model_end(struct low_model *m, bool both, struct tree_blame why, unsigned except);
/// This message left by the port. False if it did not, or not so often.
bool low_model_sent(struct low_model *m, unsigned port, const struct low_message *message);
/// One that left and was not asked for, or NULL.
const struct low_message *low_model_left(const struct low_model *m, unsigned port);
struct tree_node *low_model_node(struct low_model *m);

#endif
