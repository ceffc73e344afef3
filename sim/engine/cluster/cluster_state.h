/// What a cluster holds; shared by the cluster*.c files only.
#ifndef WEIR_SIM_CLUSTER_STATE_H
#define WEIR_SIM_CLUSTER_STATE_H

#include "base/findings.h"
#include "hosts/echo.h"
#include "hosts/hostile.h"
#include "sim/engine/cluster/cluster.h"

enum {
  CLUSTER_CYCLE_PS = 4000,
  CLUSTER_MAX_FRAME = 16384,
  CLUSTER_RING_ID = 1,       ///< of the first ring
  CLUSTER_RESTART_ID = 129   ///< of the first ring when it is set up again
};

/// One rank of one ring.
struct seat {
  unsigned ring, rank, host;
  struct worker *worker;
  uint8_t *tensor, *result;
  size_t results;
  uint64_t done_ps;
  bool awaited;                 ///< the run goes on until it is done
  unsigned life;                ///< how often it was set up before
  struct echo *echo;            ///< what it sent lately, for a storm; NULL without
  uint64_t packets;             ///< of results, in sequence
  uint64_t measured_from;       ///< how many of these the first message had; 0: not that many yet
  uint64_t first_ps, last_ps;   ///< when it was here, and the latest packet
  uint64_t pace_ps;             ///< from packet to packet at least, with options.offer
};

/// A host that is in no ring.
struct foe {
  struct hostile *hostile;
  uint64_t due;   ///< when it sends next
};

struct cluster {
  struct cluster_options options;
  struct bench *bench;
  struct fabric *fabric;   // NULL if there are racks
  struct racks *racks;     // instead of bench and fabric
  struct drive_ring *rings;
  struct seat *seats;   ///< ring by ring, rank by rank
  size_t seat_count, first_seats[JOBS_MOST];
  struct seat **places;   ///< of each ring and host; NULL: it is not in that ring
  unsigned *turns;        ///< of each host: the ring that sends next
  size_t open;            ///< seats that are to be done and are not
  unsigned turn;          ///< jobs that were over before, in each ring
  uint64_t start, skipped, now;
  uint64_t moved;   ///< when a result message was last complete anywhere
  struct foe foes[CLUSTER_MAX_HOSTILE];
  unsigned device_rings;    ///< the hostile hosts' own one among them
  bool aimed;               ///< hostile hosts have begun
  bool restarted;           ///< the first ring, or a device
  uint64_t up_ps;           ///< the device takes frames again
  size_t messages, wrong;   ///< struct cluster_taken
  uint64_t hold_from;       ///< cycle, UINT64_MAX: not yet
  uint64_t held, paused;
  struct cluster_flushes flushes;
  bool flushing;        ///< the control plane is at it, and all else goes on meanwhile
  uint64_t next_look;   ///< when it is looked next whether packets of the ring that crashed are under way
  uint64_t hostile_sent, hostile_taken, copies, strays;
  uint8_t frame[CLUSTER_MAX_FRAME];
  struct findings mismatches;
};

static inline struct seat *seat_at(const struct cluster *c, unsigned ring, unsigned rank) {
  return &c->seats[c->first_seats[ring] + rank];
}
/// NULL if the host is not in the ring.
static inline struct seat *seat_of(const struct cluster *c, unsigned ring, unsigned host) {
  return c->places[ring * c->options.jobs.hosts + host];
}
static inline const struct job *job_of(const struct cluster *c, unsigned ring) { return &c->options.jobs.list[ring]; }

// --- cluster.c ---

void cluster_mac(unsigned host, uint8_t mac[6]);
/// A new worker with new queue pairs or, if these are registered, the same with other PSNs; and a new tensor. False: no memory.
bool cluster_seat(struct cluster *c, struct seat *s);
/// Registers all connections, if that is asked for. NULL, or the seat whose connection is refused.
const struct seat *cluster_register(struct cluster *c);
uint16_t cluster_ring_id(const struct cluster *c, unsigned ring);
/// Packets from one host to a queue pair of another.
struct conn_key cluster_key(unsigned from, unsigned to, uint32_t qpn);
/// Cables and switches as the options want them, without hosts.
struct fabric_config cluster_cables(const struct cluster *c);
/// The connection that the device sees of a seat: to the next rank's receiving queue pair.
struct conn_key cluster_connection(const struct cluster *c, const struct seat *s);

// --- cluster_run.c ---

/// What all but the device itself does in one cycle.
void cluster_move(struct cluster *c);
void cluster_report(struct cluster *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Not all of a ring's results need come: somebody of it died, or a device forgot.
bool cluster_may_stand(const struct cluster *c, unsigned ring);

// --- cluster_end.c ---

/// Compares what hosts took with the sums, and looks whether a device of a tree waits for anybody in a ring that is done.
void cluster_compare(struct cluster *c);

// --- cluster_turns.c ---

/// Opens racks. False, and a line in `error`, if that fails.
bool turns_open(struct cluster *c, char *error, size_t size);
/// Other jobs follow those at hand.
bool turns_left(const struct cluster *c);
/// Those at hand are over, and nothing is under way: the next ones come. False, and something is reported, if that fails.
bool turns_next(struct cluster *c);

// --- cluster_abuse.c ---

/// Makes hostile hosts. Adds a ring for them to c->rings if there is room.
bool abuse_open(struct cluster *c);
void abuse_close(struct cluster *c);
/// Once a step: what is to happen in the middle of the run, and what hostile hosts send.
void abuse_step(struct cluster *c);
/// The last job has crashed; its ranks send and take nothing any more.
bool abuse_crashed(const struct cluster *c, unsigned ring);
/// A ring that crashed is still to be flushed.
bool abuse_flushes(const struct cluster *c);
/// Flushes it once, if it is time to. Takes many cycles, each of which calls cluster_move.
void abuse_flush(struct cluster *c);
/// True while this output is held on purpose.
bool abuse_pauses(const struct cluster *c, unsigned port);
/// When a hostile host sends next, or a ring may be flushed.
uint64_t abuse_next(const struct cluster *c);
/// True while all outputs are held.
bool abuse_holds(const struct cluster *c);
/// The host behind a frame is a hostile one.
bool abuse_sent(const struct cluster *c, const uint8_t *frame, size_t len);
/// The first host has half of the first ring's results.
bool abuse_half_done(const struct cluster *c);
/// In the end: all frames are accounted for, and no slot of a ring that is done waits for anybody.
void abuse_finish(struct cluster *c);

#endif
