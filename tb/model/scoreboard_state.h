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
  bool candidate, started;
  enum fate fate;                   // of a frame in, as its port sees it
  struct roce_packet packet;        // of a frame in that the port looks into
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

/// A connection that the device has retired because of its age. Of each port, so many frames were in by then.
struct aged {
  struct aged *next;
  unsigned ring, rank;
  struct conn_key key;
  bool taken_back;   // a message that was in by then began, and it is not known whether before or after
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

// --- scoreboard_aged.c ---

/// The oldest frame of a port is decided next, as the device has done: connections are retired first that were by then.
void scoreboard_aged_decide(struct scoreboard *sb, unsigned port, enum fate fate);
/// Retires connections that no frame in can tell more of.
void scoreboard_aged_retire(struct scoreboard *sb);
void scoreboard_aged_forget(struct scoreboard *sb);

#endif
