/// What a life of tenants holds; shared by the files of this folder only.
#ifndef WEIR_SIM_TENANTS_STATE_H
#define WEIR_SIM_TENANTS_STATE_H

#include <stdbool.h>

#include "base/findings.h"
#include "base/rng.h"
#include "hosts/fabric.h"
#include "hosts/worker.h"
#include "sim/soak/tenants/tenants.h"

enum {
  TENANTS_MOST = 64,
  TENANTS_RANKS = 16,
  TENANTS_HOSTS = 16,
  TENANTS_RINGS = 32,
  TENANTS_REDUCTIONS = 3,   ///< of a job, at most
  TENANTS_CYCLE_PS = 4000,
  TENANTS_BYSTANDERS = 2,
  TENANTS_NO_RING = 0xFF,
  TENANTS_RESET_EVERY = 100   ///< jobs
};
#define TENANTS_US UINT64_C(1000000)
/// Each bystander sends so often.
#define TENANTS_BYSTANDER_PS (3 * TENANTS_US)

enum tenants_plan {
  PLAN_ORDERLY,
  PLAN_CRASH,   ///< some of its hosts stop in the middle
  PLAN_EVICT    ///< the operator drains its ring in the middle
};

enum tenants_stage {
  STAGE_AWAY,    ///< wants nothing until `due`
  STAGE_WAITS,   ///< for a ring and slots
  STAGE_RUNS,
  STAGE_LEAVES,    ///< its hosts are done
  STAGE_CRASHED,   ///< hosts have stopped; the operator hears of it when it is `due`, or finds it in RING_STALLS
  STAGE_GONE       ///< its ring takes nothing any more; hosts that still send stop when it is `due`
};

/// What a job is; drawn when it comes.
struct tenants_job {
  enum tenants_plan plan;
  unsigned ranks;
  uint8_t hosts[TENANTS_RANKS];
  uint8_t kind;
  enum rc_verb verb;
  bool learn, short_last, marks;
  unsigned window, msglen, mtu, ack_every;
  uint64_t ack_delay_ps;
  unsigned reductions;
  size_t bytes[TENANTS_REDUCTIONS], all_bytes;
  size_t middle;          ///< result messages of all ranks together after which something happens to it
  bool lazy;              ///< its retired connections are left behind, not released with its ring
  bool stalls;            ///< its crash is told by the device, not by somebody else
  bool naps;              ///< it is idle for a while after its first reduction
  bool pauses, unplugs;   ///< an output is held in the middle; or its link is down for a while
};

struct tenants_seat {
  struct worker *worker;
  uint8_t *tensor, *result;   ///< of all reductions, one behind the other
};

struct tenant {
  unsigned index;
  struct rng rng;
  enum tenants_stage stage;
  uint64_t due;
  bool held;   ///< the operator is at it: its stage stays
  struct tenants_job job;
  struct drive_ring as;   ///< its ring
  unsigned ring;          ///< TENANTS_NO_RING: it has none
  uint32_t qpn;           ///< first of its queue pairs: sending and receiving one of rank 0, ..
  struct tenants_seat seats[TENANTS_RANKS];
  uint32_t dead;         ///< ranks that have stopped, bit R for rank R
  unsigned reduction;    ///< under way; job.reductions: done
  size_t at, over;       ///< where it begins in a tensor; result messages of those before
  size_t results;        ///< result messages of all ranks
  uint64_t moved;        ///< when the last one came, or it woke up
  uint64_t naps_until;   ///< 0: it does not
};

struct tenants {
  struct tenants_options options;
  const struct drive_config *config;
  struct bench *bench;
  struct fabric *fabric;
  struct rng rng;
  struct drive_ring rings[TENANTS_RINGS];   ///< as the bench begins: none enabled
  struct tenant tenants[TENANTS_MOST];
  unsigned hosts;   ///< of tenants; behind them two bystanders
  unsigned turns[TENANTS_HOSTS];
  uint64_t now, start, skipped;
  uint64_t hold_until[FABRIC_MAX_PORTS], dead_until[FABRIC_MAX_PORTS];   ///< an output is paused; a link is down
  uint64_t held_from[FABRIC_MAX_PORTS];                                  ///< since when an output is held, UINT64_MAX: it is not
  uint64_t held_most;   ///< for how long at most during a drain, if the device is not told
  uint32_t down;        ///< ports of which the device is told so
  uint64_t timeout_ps;
  uint64_t next_look, next_poll, sent_ps;
  uint64_t begun, next_reset;           ///< jobs
  bool resetting;                       ///< ports are closed until jobs that a reset ended are gone
  bool ages;                            ///< idle connections are retired
  bool napped;                          ///< a job was idle for a while
  bool ended;                           ///< nothing moves any more
  bool commanded;                       ///< a drain or a reset is under way
  uint64_t commanded_ps;                ///< all of them together
  uint64_t stored, duplicates, given;   ///< by rings, over all jobs
  struct soak_tenants counts;
  struct findings mismatches;
  uint8_t frame[16384];
};

void tenants_report(struct tenants *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

// --- tenants_job.c ---

/// Draws a job.
void job_draw(struct tenants *s, struct tenant *t);
/// Makes its hosts ready; they begin to send. False: no memory.
bool job_begin(struct tenants *s, struct tenant *t);
/// Its hosts, when it is over: what they took must be the sum. Forgets them.
void job_end(struct tenants *s, struct tenant *t);
/// The connection that the device sees of a rank.
struct conn_key job_connection(const struct tenant *t, unsigned rank);
/// True if a rank has stopped.
bool job_dead(const struct tenant *t, unsigned rank);
/// An idle job goes on.
void job_wake(struct tenants *s, struct tenant *t);
/// Looks at what its hosts have now. True if that is more, or all.
bool job_progress(struct tenants *s, struct tenant *t);
void job_mac(unsigned host, uint8_t mac[6]);

// --- tenants_operator.c ---

/// What is due now, if anything; takes many cycles, each of which calls tenants_move.
void operator_step(struct tenants *s);
/// When it looks next.
uint64_t operator_next(const struct tenants *s);
/// No job comes any more, and none is there.
bool operator_done(const struct tenants *s);
/// Releases retired connections, once nothing of rings that are over is under way.
void operator_sweep(struct tenants *s);

// --- tenants_accounts.c ---

/// The end: nothing may be left in the device, and its counters agree with each other.
void accounts_close(struct tenants *s);

// --- tenants.c ---

/// What all but the device does in one cycle.
void tenants_move(struct tenants *s);

#endif
