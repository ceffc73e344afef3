/// The device, the golden model in lock step with it, and the witness beside both: one object to send frames into.
#ifndef WEIR_SIM_BENCH_H
#define WEIR_SIM_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/drive.h"
#include "model/scoreboard.h"
#include "oracle/witness.h"
#include "sim/engine/history.h"
#include "sim/engine/follow/refinement.h"
#include "sim/engine/undecided.h"
#include "wire/roce.h"

struct bench;
struct rng;

/// What a device with corrected memories said of them, and what was lost by it.
struct bench_memories {
  uint64_t flipped;                                          ///< bits that the bench flipped
  uint64_t corrected[DRIVE_MEMORIES], bad[DRIVE_MEMORIES];   ///< reads, by memory (mem_e of rtl/aggregate/agg_pkg.sv)
  uint64_t spoiled, dropped, marked;   ///< results that left with a wrong ICRC, and did not leave; passed frames in error
};

struct bench_options {
  struct drive_options drive;
  const struct drive_ring *rings;   ///< ring i of the device is rings[i]
  size_t ring_count;
  uint32_t closed;              ///< ports that do not pass what is no ring's, bit P for port P; only if unwatched
  enum undecided_input input;   ///< what bench_finish lets be undecided
  uint8_t epoch;                ///< what results are marked with; 0: they are not
  bool lasting;                 ///< many frames: latencies are not kept, nor frames that are decided
  bool unwatched;               ///< the witness is told nothing: order matters that is not to be seen from outside
  struct history *history;      ///< fresh; is told all that happens. Stays the caller's. NULL: nobody wants to know
  void *user;
  /// A frame left the device (may be NULL).
  void (*out)(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle);
  /// Before each cycle that the control plane takes (may be NULL).
  void (*waiting)(void *user);
};

/// Opens a device, sets its rings, and a model and witness to match. NULL and a line in `error` on failure.
struct bench *bench_open(const struct bench_options *options, char *error, size_t size);
void bench_close(struct bench *b);

/// Registers a connection of a ring at entry `index` of the connection table, in device, model and witness. 0, or negative.
int bench_connect(struct bench *b, const struct conn_key *key, unsigned ring, unsigned rank);
/// Waits until quiet, then flushes a ring in device, model and witness. 0, or negative.
int bench_flush(struct bench *b, unsigned ring);
/// Flushes a ring at once while others go on. Nothing of this one is under way.
int bench_flush_beside(struct bench *b, unsigned ring);

/// What becomes of a ring's packets and connections when it is disabled: nothing but its results is taken, or connections are forgotten, too.
enum bench_end { BENCH_FLUSH, BENCH_RELEASE };
/// While others go on, and with `unwatched` only, as all below: sets a ring up that is not in use, and whose packets are not under way. 0, or negative: it
/// is refused.
int bench_begin_ring(struct bench *b, unsigned index, const struct drive_ring *ring);
/// Disables it in one command with a flush or a release.
int bench_end_ring(struct bench *b, unsigned index, const struct drive_ring *ring, enum bench_end end);
/// Flushes or releases a ring that is disabled.
int bench_clear_ring(struct bench *b, unsigned index, enum bench_end end);
/// Drains it: what is complete leaves, and then it is flushed or released. `patience` and `forced` as drive_drain_ring has them.
int bench_drain_ring(struct bench *b, unsigned index, enum bench_end end, unsigned patience, bool *forced);
/// Resets all rings by one command.
int bench_soft_reset(struct bench *b);
/// Releases all retired connections, entry by entry; nothing of them is under way. Their number, or negative.
int bench_release_retired(struct bench *b);
/// Opens all ports for what is no ring's, or closes them. No such packet is under way.
int bench_open_ports(struct bench *b, bool open);
/// How long a learned connection may be idle (drive_set_age_limit); and how many were retired for that.
int bench_set_age_limit(struct bench *b, uint32_t units);
uint64_t bench_aged(const struct bench *b);
/// Tells the device which links are down, bit P for port P.
int bench_set_down(struct bench *b, uint32_t ports);
/// What registers say is in use. After bench_settle it is compared with the model, and a difference is a mismatch.
struct bench_occupancy {
  unsigned columns, connections, retired, rings;
  uint32_t stalls, waits;   ///< bit R for ring R
};
int bench_occupancy(struct bench *b, struct bench_occupancy *out);
/// The device, to be asked about registers that nobody else looks at.
struct drive *bench_registers(struct bench *b);

/// Writes anything to the device's registers but what this bench relies on (drive_abuse).
void bench_abuse(struct bench *b, struct rng *rng);
/// True if nothing is due of a ring, and no frame that went in and is not decided is one of which `match` is true.
bool bench_ring_quiet(const struct bench *b, unsigned ring, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                      const void *user);
/// True if a frame that went in and is not decided is one of which `match` is true.
bool bench_undecided_of(const struct bench *b, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                        const void *user);
/// Waits until quiet, then gives a ring another RingID (all else in `ring` must be as it was), flushes it, and forgets what it has learned: its
/// hosts begin anew, with other queue pairs. 0, or negative.
int bench_rename(struct bench *b, unsigned index, const struct drive_ring *ring);

/// The device is switched off and on in the middle of whatever it does, and its registers are set as at first, but for the epoch: connections are to
/// be registered again. Model and witness begin anew, too. What was counted goes on. False if there were mismatches, or the device cannot be set up.
bool bench_restart(struct bench *b, uint8_t epoch);

/// From now on a thread of its own does all checks, in the order in which they were always done: scoreboard, refinement, witness and history. Until
/// bench_together only bench_send, _pending, _step, _stopped, _cycle, _skip, _drain and _settle may be called, and frames that were sent stay in
/// place. Where the process has one processor, or with `lasting`, nothing changes.
void bench_aside(struct bench *b);
/// All is checked, and from now on by the thread that clocks the device again.
void bench_together(struct bench *b);
/// Clocks until the device has emptied its slots, one a cycle, which it does after reset. Frames that come earlier wait for that.
void bench_warm_up(struct bench *b);
/// Queues a frame (copied) at a port.
void bench_send(struct bench *b, unsigned port, const uint8_t *frame, size_t len, bool error);
/// The same for a frame of a sender whose frames are counted apart: `group` 0 (as bench_send has it) or 1.
void bench_send_of(struct bench *b, unsigned group, unsigned port, const uint8_t *frame, size_t len, bool error);
/// A sender puts this frame on its cable; see witness_sent.
void bench_meant(struct bench *b, const uint8_t *frame, size_t len, const struct witness_meaning *meaning);
/// Frames at `port` whose last beat is not in yet; a frame sent while it is 0 begins with the next step.
size_t bench_pending(const struct bench *b, unsigned port);
/// From the next cycle on, output `port` is never ready (true), or as before.
void bench_hold(struct bench *b, unsigned port, bool hold);
/// True if all that went in has had its effect, all that is due has left, and nothing has moved for a while: the device need not
/// be clocked until something comes in.
bool bench_quiet(const struct bench *b);
/// One clock cycle.
void bench_step(struct bench *b);
/// True once an assertion of the device has failed: it is not clocked any more, so time stands still.
bool bench_stopped(const struct bench *b);
/// So many cycles pass without a clock, for the history. The device is quiet.
void bench_skip(struct bench *b, uint64_t cycles);
uint64_t bench_cycle(const struct bench *b);
/// The device, to be asked and not to be moved.
const struct drive *bench_drive(const struct bench *b);

/// Clocks until all that went in has had its effect and all that is due has left. False (and a mismatch reported) if nothing
/// at all moved for `limit` cycles; false, too, if a signal asks to stop (base/stop.h).
bool bench_drain(struct bench *b, uint64_t limit);
/// The same, and then some cycles more, in which nothing may come out that is not due.
bool bench_settle(struct bench *b, uint64_t limit);
/// Settles, reads all counters back and compares them with the model's, ends scoreboard and witness; what is undecided and must not be is a mismatch. Call once at the end.
/// Returns the number of mismatches.
size_t bench_finish(struct bench *b);

/// Mismatches so far, and the text of the first few (NULL beyond those), scoreboard's and witness's.
size_t bench_mismatches(const struct bench *b);
const char *bench_text(const struct bench *b, size_t index);

/// What was counted by the model for a port (equal to the device's counters once bench_finish found no mismatch, and since the latest restart).
const struct scoreboard_counts *bench_counts(const struct bench *b, unsigned port);
/// How often the device has taken a step of the protocol's small model, since the latest restart.
uint64_t bench_steps(const struct bench *b, enum refinement_step step);
/// Complete after bench_finish.
const struct bench_memories *bench_memories(const struct bench *b);
/// What became of the frames of a group, by the device's own decisions; complete while the device is idle.
const uint64_t *bench_fates_of(const struct bench *b, unsigned group);
/// The oldest column of a ring that is begun and not complete, as the model has it. False if there is none.
bool bench_waiting(const struct bench *b, unsigned ring, struct model_waiting *out);
/// What model and witness could not decide; complete after bench_finish.
struct undecided bench_undecided(const struct bench *b);
/// Latencies of all first results of completed columns: cycles from the last beat in of the packet that completed the column to
/// the first beat out of each of its results. Owned by the bench, unsorted.
const uint32_t *bench_latencies(const struct bench *b, size_t *count);

#endif
