/// What the golden model of a relay remembers; shared by relay*.c only.
#ifndef WEIR_MODEL_RELAY_STATE_H
#define WEIR_MODEL_RELAY_STATE_H

#include "model/relay.h"

/// Headers of one packet, as its sender wrote them, without INA header.
struct relay_header {
  bool valid;
  uint8_t opcode;
  size_t len;
  uint8_t bytes[ROCE_MAX_HEADER];
};

/// What a leaf has to know of a message to write its packets: of its first packet, and of its last one if that is another.
struct relay_template {
  uint32_t msgid, psn0;
  struct ina_header ina;
  struct relay_header first, last;
};

struct row {
  struct relay_row is;
  unsigned port;                      // by which the packet leaves
  struct relay_end end;               // of a device
  unsigned receiver;                  // which child it is, unless it leads to the parent
  struct relay_template *templates;   // of a worker: room for 2N messages
  unsigned messages;
};

/// A packet of a column, complete: of this device's children, or of all.
struct relay_column {
  unsigned ring, offset;
  struct ina_header ina;
  const uint8_t *tensor;
  size_t len;
};

/// A result of the parent that found no headers of the connection from elsewhere.
struct relay_late {
  struct relay_late *next;
  struct relay_column column;   // its tensor is `tensor`
  uint8_t tensor[];
};

struct relay {
  struct relay_config config;
  struct relay_ring *rings;
  struct relay_end **children;   // copies
  struct conn_key *before;       // of each ring, a copy
  struct model *model;
  struct row *rows;
  size_t row_count;
  relay_send_fn *send;
  void *user;
  relay_send_fn *late;   // or NULL
  void *late_user;
  struct relay_late *waiting;   // if somebody wants to know
  uint8_t epoch;
  struct relay_counts counts;
  struct model_frame *frames;
  uint8_t *out;
  size_t out_size;
};

/// True if all connections of the ring's children are known from the start: those of devices always are.
static inline bool relay_registered(const struct relay_ring *ring) { return !ring->leaf || !ring->ring.learn; }

// --- relay_rows.c ---

/// The row, new if it was not there; NULL if the table is full (counted).
struct row *relay_add_row(struct relay *r, bool multicast, unsigned ring, const struct conn_key *from, const struct conn_key *to);
/// Rows that are known from the start: those between devices, and of a leaf what is registered.
bool relay_static_rows(struct relay *r);
/// A notification of a connection that ends at a worker of this leaf, from here or from another leaf. `p` is that of its frame.
void relay_take_note(struct relay *r, unsigned ring, const uint8_t *frame, const struct roce_packet *p,
                     const struct ina_header *ina);
/// Builds the result packet of a worker's row into r->out. Returns its bytes, 0 if the headers of the message are not known.
size_t relay_result(struct relay *r, const struct row *row, const struct relay_column *c);
void relay_forget_rows(struct relay *r);

// --- relay_late.c ---

/// The parent's result `c` has gone to its rows. If the one from elsewhere was none of them, it is kept for relay_late_note.
void relay_late_result(struct relay *r, const struct relay_column *c);
/// Headers of a message have come, for the worker `row` leads to.
void relay_late_note(struct relay *r, const struct row *row, uint32_t msgid);
void relay_late_forget(struct relay *r);

#endif
