/// Two nodes, each in a rack of its own, that read from each other through their switches and a spine, none of which drops anything: a model to be
/// searched for states from which not all reads are answered.
#ifndef WEIR_PROTOCOL_CLASSES_MODEL_H
#define WEIR_PROTOCOL_CLASSES_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/search/search.h"

enum { CLASSES_READS = 7 };   ///< most reads of a node

/// Who shares the one place of a switch's middle pipe.
enum classes_pipes {
  PIPES_APART,   ///< nobody: what cannot leave holds up nothing that leaves elsewhere, and no other class
  PIPES_TURNS,   ///< what goes up and what comes down, of a class
  PIPES_ONE      ///< all
};
/// What a read that finds its property in a switch does.
enum classes_hits {
  HITS_ROOM,   ///< turns around if there is room for its response where that leaves; else it goes on
  HITS_WAIT,   ///< turns around in the pipe, and waits for that room there
  HITS_NONE
};

struct classes_rules {
  unsigned classes;   ///< 1: reads and responses share buffers; 2: each has its own
  unsigned reads;     ///< of each node
  enum classes_pipes pipes;
  enum classes_hits hits;
};

extern const char *const classes_pipes_names[], *const classes_hits_names[];

/// `rules` must live as long as the model. Complete is a state in which all reads are answered; no step is wrong.
struct rule_model classes_model(const struct classes_rules *rules);
/// Writes a step of such a model in words.
void classes_words(uint32_t label, char *text, size_t size);

#endif
