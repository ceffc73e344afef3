/// Two leaves with a worker each below a spine, as a model to be searched.
#ifndef WEIR_PROTOCOL_TREE_H
#define WEIR_PROTOCOL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/rules.h"
#include "formal/protocol/search/search.h"

/// `rules` must live as long as the model.
struct rule_model tree_model(const struct rules *rules);
/// Writes a step of such a model in words.
void tree_words(uint32_t label, char *text, size_t size);

#endif
