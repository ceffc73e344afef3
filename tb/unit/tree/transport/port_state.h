/// What the parts of the bench of a port share (port_bench.h): the cable both ways (port_cable.c), who uses either end (port_users.c), and the twin
/// (port_twin.c).
#ifndef WEIR_UNIT_TREE_PORT_STATE_H
#define WEIR_UNIT_TREE_PORT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "unit/tree/transport/port_bench.h"

enum {
  CAST_GROUP = 0x1234,
  CONNS = PORT_CONNS,
  ROW = PORT_ROW,
  HEAD = 32,
  FRAME = 4400,
  LONG_FRAME = 16640,
  KEPT = 64,
  QUEUE = 64,
  READ = 2,
  DECIDED = 2,
  LATE = 6,
  CLOSING = 500,
  DRAIN = 400000
};
#define US UINT64_C(1000000)   // in picoseconds

/// A packet as a user has it.
struct packet {
  uint8_t data[RC_MAX_MTU];
  unsigned len;
  bool first, last;
  bool cast;   // it is multicast, too
};

struct frame {
  uint8_t *bytes;
  size_t len;
  bool error;       // the MAC says so
  unsigned holes;   // or its bytes have some
  uint64_t began;   // cycle of the first beat
  unsigned conn;    // of one that leaves; and the packet that it repeats, from 1 on
  unsigned repeats;
  bool casts;   // it is a multicast
};

enum kind { ERROR, BAD, STRAY, DATA, ANSWER };

/// What a frame is that the device was told of, so many cycles ago.
struct told {
  enum kind kind;
  unsigned conn;
  uint64_t cycle;
  struct frame frame;
};

struct read {
  const uint8_t *row;
  unsigned bytes;
};

struct conn {
  struct rc_end_config config;   // of the device's end
  struct rc_end *twin, *peer;
  bool open;
  uint64_t cleared;                    // cycle in which it began or ended
  uint32_t casts;                      // that left
  struct packet out[KEPT], in[KEPT];   // posted by the device's user; by the peer: by number
  unsigned posted, peer_took;          // numbers
  unsigned peer_posted, claims;
  unsigned left_out, left_in;   // packets of the message that are to be posted
  bool write, imm;              // of the peer's message
  unsigned row, rows;           // of the packet that the user is sending; 0 rows: none
  bool posts;                   // its last row is offered
  unsigned ready_for;           // cycles that a packet may leave
  unsigned stale;               // rows of a packet that are to come, and the connection was ended in its middle
  bool inside;                  // of a packet whose first row is in the device
  unsigned read_at, read_row;
  bool dropped[KEPT];
  struct read reads[READ + 1];
};

struct port_bench {
  struct dut *d;
  struct port_pace pace;
  struct conn conns[CONNS];
  uint64_t us;
  struct frame in[QUEUE];   // on the cable to the device; the first one is under way
  unsigned in_count;
  size_t in_at;
  struct frame held;           // overtaken by the next one
  struct frame going[QUEUE];   // taken by the device, and not told of
  unsigned going_count;
  struct told told[DECIDED + 1];
  struct frame due[QUEUE];   // must leave, in this order
  unsigned due_count;
  uint8_t out[FRAME];
  size_t out_len;
  bool after_ack;   // what was chosen last is an ACK packet
  struct port_counts counts;
};

static inline unsigned port_below(unsigned n) { return (unsigned)rand() % n; }
static inline bool port_chance(unsigned percent) { return port_below(100) < percent; }

/// Frames in their order; each is its queue's, and a frame that is taken out is the taker's.
struct frame port_copy(const uint8_t *bytes, size_t len);
void port_push(struct frame *queue, unsigned *count, struct frame f);
struct frame port_pop(struct frame *queue, unsigned *count);

/// A frame of the neighbour's goes onto the cable, with all that a cable does to it.
void port_onto_cable(struct port_bench *b, struct frame f);
/// Offers a beat of the frame under way, or none; the device took it.
bool port_offer_beat(struct port_bench *b);
void port_beat_taken(struct port_bench *b);
/// What a frame that came in is, and of which connection if it is of one.
enum kind port_kind_of(const struct port_bench *b, const struct frame *f, unsigned *conn);
/// The device's beat is taken; a whole frame is the one that must leave, and goes to the neighbour.
void port_beat_leaves(struct port_bench *b);

/// The neighbour posts, takes out, and sends.
void port_neighbour(struct port_bench *b, struct conn *c, unsigned posts);
/// The device's user: what goes in, and whether what was read is right.
void port_use(struct port_bench *b, unsigned posts);
void port_check_rows(struct port_bench *b);

/// What a connection says that it does, done by its twin: what leaves comes before what is posted or has come, that before what was read.
void port_follow(struct port_bench *b, unsigned i, const uint32_t *events);
/// A frame that came in is told of: as what it is.
void port_told_of(struct port_bench *b, uint32_t events, const uint32_t *conns);
/// Packets of the device's user that have arrived, as the device knows.
unsigned port_acknowledged(const struct conn *c);

#endif
