/// Runs the golden model in lock step with a device: the device's observation port says in which order things
/// happened, the model says what each must have been, and every frame that leaves is compared byte by byte.
///
/// A frame is announced before it goes into the device. Frames that need no state decision are put through the model
/// whenever everything older on their port has been; candidates wait for the device's decision.
#ifndef WEIR_MODEL_SCOREBOARD_H
#define WEIR_MODEL_SCOREBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct scoreboard;

/// What the device says of one state decision (obs_state_t of rtl/aggregate/agg_obs_pkg.sv).
struct scoreboard_event {
  enum { SCOREBOARD_DECIDE, SCOREBOARD_COMMIT, SCOREBOARD_TAKE } kind;
  unsigned port, ring, rank, offset;
  enum fate fate;
  uint32_t msgid;
  uint32_t ranks;   ///< of a take
  bool completes;
  bool of_ring, by_slot;   ///< with FATE_MEMORY_ERROR: it is a packet of `ring`; its slot is lost, else an entry of a table
};

/// What must stand in a port's counters.
struct scoreboard_counts {
  uint64_t rx, tx_passed, tx_result;
  uint64_t spoiled, dropped, marked;   ///< results that left with a wrong ICRC, and did not leave; passed frames in error
  uint64_t unsent;                     ///< frames that did not leave because the link was down
  uint64_t fates[FATE_COUNT];
};

/// What must stand in a ring's counters.
struct scoreboard_ring_counts {
  uint64_t fates[FATE_COUNT], results;
};

/// A scoreboard over a fresh model. NULL on the conditions of model_new.
struct scoreboard *scoreboard_new(const struct model_limits *limits, const struct model_ring *rings, size_t count);
void scoreboard_free(struct scoreboard *sb);
/// Its model, for what the control plane does: connections, flushes, names of rings, open ports.
struct model *scoreboard_model(struct scoreboard *sb);

/// A frame goes into the device (before its first beat does). Copied. What its port makes of it, and `p`, as by model_port_fate.
enum fate scoreboard_in(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len, bool error,
                        struct roce_packet *p);
/// The device reported a decision, commit or take.
void scoreboard_state(struct scoreboard *sb, const struct scoreboard_event *event);
/// The device reported that a result with this PSN begins to leave.
void scoreboard_result(struct scoreboard *sb, unsigned port, uint32_t psn);
/// The device reported that it dropped a result, because a memory lost its headers: `number` of the port's, from 1, modulo 2^24.
void scoreboard_dropped(struct scoreboard *sb, unsigned port, uint32_t number);
/// The device reported that it dropped the next result, or the next passed frame, because the port's link is down.
void scoreboard_unsent(struct scoreboard *sb, unsigned port, bool result);
/// A whole frame left the device marked as one in error: a memory lost some of it. It must not look like a good one.
void scoreboard_marked(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len);
/// A whole frame left the device.
void scoreboard_out(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len);

/// True if every frame in has met its fate, nothing is owed and every frame due has left.
bool scoreboard_idle(struct scoreboard *sb);
/// True if nothing is due of one ring: each of its packets that was decided is in place, and each result has left. What is not decided yet may be of
/// any ring.
bool scoreboard_ring_idle(const struct scoreboard *sb, unsigned ring);
/// True if `match` is true of a frame that went in and is not decided.
bool scoreboard_undecided(const struct scoreboard *sb, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                          const void *user);
/// Call once at the end: whatever is still expected is a mismatch, and so is a run in which no frame went in.
void scoreboard_finish(struct scoreboard *sb);

/// Mismatches so far, and the text of the first few (NULL beyond those): port, frame, field, expected, actual.
size_t scoreboard_mismatches(const struct scoreboard *sb);
const char *scoreboard_text(const struct scoreboard *sb, size_t index);
/// What the model counted for a port; complete after scoreboard_finish or while scoreboard_idle.
const struct scoreboard_counts *scoreboard_counts(const struct scoreboard *sb, unsigned port);
/// The same for a ring; NULL if there is no such ring.
const struct scoreboard_ring_counts *scoreboard_ring_counts(const struct scoreboard *sb, unsigned ring);
/// The control plane has told the device to drain a ring, which closes it at some moment. What the device drops for it first says when.
void scoreboard_closing(struct scoreboard *sb, unsigned ring);
/// It is closed by now at the latest.
void scoreboard_closed(struct scoreboard *sb);
/// The device has retired the connection of a rank because of its age. It does so from here on at the latest for frames that go in later; of those that are
/// in, it says by their fates.
void scoreboard_aged(struct scoreboard *sb, unsigned ring, unsigned rank);
/// A ring that was not in use is set up: its counts begin at 0.
void scoreboard_ring_anew(struct scoreboard *sb, unsigned ring);
/// Appends a mismatch found by the caller (a counter, a time-out) to the list.
void scoreboard_report(struct scoreboard *sb, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
