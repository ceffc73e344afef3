/// Cables of the network of a gather, and the buffers at their ends; part of gather_fabric.c, which has the places that they connect.
///
/// What leaves a place waits in front of its cable for its turn and, if buffers are bounded, for room at the other end, where each class has its
/// own. Room is given back by credits, which take as long as a packet but no rate. A receiver that has taken nothing for too long does not stop
/// the network: what waits for it is thrown away, and counted, until it takes something again (the pause watchdog).
#ifndef WEIR_SIM_GATHER_CABLES_H
#define WEIR_SIM_GATHER_CABLES_H

#include "base/rng.h"
#include "sim/engine/gather/gather_fabric.h"

/// Timers of a place: its next step, the packet that comes late, its node takes again; then one for each of its cables.
enum { GATHER_STEP, GATHER_LATE, GATHER_AGAIN, GATHER_PUMP };

/// One direction of a cable.
struct gather_cable {
  uint32_t from, to;   // elements
  unsigned port_from, port;
  uint64_t free_at;                             // in fractions of a cycle
  uint64_t bytes;                               // that it has taken, with what is between frames
  uint32_t number, credits;                     // in the world: of packets, and of room that comes back
  struct gather_fifo waiting[GATHER_CLASSES];   // in front of it
  int64_t room[GATHER_CLASSES];                 // bytes at the other end
  uint64_t room_at[GATHER_CLASSES];             // since when there is so much
  uint64_t stopped_at[GATHER_CLASSES];          // since when the first one has waited for room; GATHER_NEVER: it does not
  bool given_up[GATHER_CLASSES];                // what comes is thrown away
  size_t owed[GATHER_CLASSES];                  // bytes that the other end has to tell of
  enum gather_class turn;
};

/// A node or a switch: one part of the world.
struct gather_place {
  struct gather_fabric *fabric;
  uint32_t element, part;
  struct gather_element is;     // self NULL: another process has it
  struct gather_packet *held;   // the one that comes late
  unsigned held_port;
  struct gather_fifo unheard;   // of a node that takes nothing for a while
};

struct gather_fabric {
  struct gather_fabric_options o;
  uint64_t now;
  bool paused;
  uint32_t element_count, cable_count;
  struct world *world;           // whose time is cycles
  struct gather_place *places;   // nodes, then ToRs, then spines
  struct gather_node **nodes;
  struct gather_switch *switches;   // ToRs, then spines
  struct gather_cable *cables;
  uint32_t *first_cable;   // of each element: its port 0
  struct gather_received *received;
  struct gather_fabric_counts counts;
  struct rng faults;
  uint64_t under_way;   // packets in front of and on cables from here, less those that came here
};

/// Sets up what is not connected yet of a fabric's cables, when all are known to each other.
void gather_cables_open(struct gather_fabric *f);
void gather_cables_close(struct gather_fabric *f);
/// Cycles that a cable takes: one at least.
uint64_t gather_cable_takes(const struct gather_fabric *f);

/// For elements: gather_send_fn, gather_room_fn, gather_taken_fn.
void gather_cables_send(void *fabric, uint32_t element, unsigned port, struct gather_packet *p);
bool gather_cables_room(void *fabric, uint32_t element, unsigned port, enum gather_class class);
void gather_cables_taken(void *fabric, uint32_t element, unsigned port, enum gather_class class, size_t len);

/// A cable's timer is due.
void gather_cables_pump(struct gather_fabric *f, uint32_t element, unsigned port);
/// The other end of the cable from this port has taken so many bytes.
void gather_cables_credit(struct gather_fabric *f, uint32_t element, unsigned port, enum gather_class class, uint64_t bytes);
/// Has an element stepped when it wants to be, not before `least`.
void gather_place_ask(struct gather_fabric *f, const struct gather_place *e, uint64_t least);

#endif
