/// Visits every reachable state of a model and answers two questions: can a step be wrong, and are there states from which no
/// continuation completes?
///
/// The second one is about all continuations, so it needs the whole graph: states that can complete are found backwards from
/// those that are complete, the others are stuck. A bounded check of traces could not say that.
#ifndef WEIR_PROTOCOL_SEARCH_H
#define WEIR_PROTOCOL_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formal/protocol/search/layout.h"

/// Where a model's `successors` reports its steps.
struct steps;

/// Something that can be searched. States are structs of at most LAYOUT_STATE_BYTES bytes.
struct rule_model {
  const void *config;
  struct layout layout;
  void (*initial)(const void *config, void *state);                               ///< state is zeroed before
  bool (*complete)(const void *config, const void *state);                        ///< all that was asked for is done
  void (*successors)(const void *config, const void *state, struct steps *out);   ///< calls step() for each
};

/// Reports one step. `label` is the model's own name of the step, from which `words` makes text. A wrong step is one that must
/// never be possible.
void step(struct steps *out, const void *next, uint32_t label, bool wrong);

struct search;

/// Visits all states; false if there are more than `most`. The caller frees `*out` with search_free, whatever the answer.
/// Aborts if the host runs out of memory.
bool search_all(const struct rule_model *model, uint32_t most, struct search **out);
void search_free(struct search *s);

uint32_t search_states(const struct search *s);
/// Steps between two states that were wrong, each counted once.
uint64_t search_wrong(const struct search *s);
/// States from which no continuation completes.
uint32_t search_stuck(const struct search *s);
/// Complete states; with none, every state is stuck.
uint32_t search_complete(const struct search *s);

/// Labels of a shortest path from the start: ending with a wrong step, or in a stuck state. Returns its length, 0 if there is no
/// such path (a start that is stuck has none either). The caller frees `*labels`.
size_t search_trace_wrong(const struct search *s, uint32_t **labels);
size_t search_trace_stuck(const struct search *s, uint32_t **labels);

#endif
