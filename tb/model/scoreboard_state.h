/// What the scoreboard remembers; shared by scoreboard*.c only.
#ifndef WEIR_MODEL_SCOREBOARD_STATE_H
#define WEIR_MODEL_SCOREBOARD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/findings.h"
#include "model/model.h"
#include "model/scoreboard.h"

/// A frame in a queue. `number` counts from 1 in its port and queue.
struct item {
  struct item *next;
  uint64_t number;
  bool error, candidate, started;
  struct scoreboard_event origin;   // of a result or a decided packet: its column and rank
  uint64_t source;                  // of a passed frame or a decided packet: its number among the frames in
  uint32_t psn;
  size_t len;
  uint8_t data[];
};

struct queue {
  struct item *head, *tail;
  uint64_t count;   // ever appended
};

struct board_port {
  struct queue in, passed, results;
  struct queue decided;   // stored and duplicate packets that are not in place yet; no data
  uint64_t out_frames;
  struct scoreboard_counts counts;
};

/// A connection that is retired because of its age, as soon as so many frames of each port have been decided.
struct aged {
  struct aged *next;
  struct conn_key key;
  uint64_t upto[];
};

struct scoreboard {
  struct model_limits limits;
  struct model *model;
  struct board_port *ports;
  struct model_frame *frames;
  struct scoreboard_ring_counts *rings;
  size_t ring_count;
  struct aged *aged;
  size_t closing;   // the ring that is being drained and was not seen closed yet; `ring_count`: none
  struct findings mismatches;
};

/// Takes the oldest frame out of a queue that has one.
void scoreboard_drop_head(struct queue *q);
/// Puts frames of a port through the model that wait for no decision, up to the next candidate.
void scoreboard_rx_undecided(struct scoreboard *sb, unsigned port);

#endif
