/// Hosts of two groups below the nodes of an aggregation tree, as a model to be searched.
#ifndef WEIR_PROTOCOL_LOCKING_MODEL_H
#define WEIR_PROTOCOL_LOCKING_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/locking/rules.h"
#include "formal/protocol/search/search.h"

/// `rules` must live as long as the model. Complete is a state in which every living host's script is at its end, nothing is under
/// way, and no node has an operation or a lock.
struct rule_model locking_model(const struct locking_rules *rules);
/// Writes a step of such a model in words.
void locking_words(const struct locking_rules *rules, uint32_t label, char *text, size_t size);

#endif
