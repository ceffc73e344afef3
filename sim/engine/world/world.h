/// A world of parts (hosts, switches, devices) that touch each other by cables alone, and its time. Cables take time, so parts on
/// different processes can go on side by side: each up to the time before which nothing more can come to it (conservative
/// parallel simulation). What a part sees, and in which order, is the same for every number of processes and however parts are dealt out to
/// them: events of a part are in the order of their time, those of one time by the number of their cable, then of their timer.
///
/// Time is in picoseconds, up to WORLD_END, 17.6 s.
#ifndef WEIR_SIM_WORLD_H
#define WEIR_SIM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/world/packet.h"

#define WORLD_NEVER UINT64_MAX
#define WORLD_END (UINT64_C(1) << 44)
/// Cables and timers of a world, together at most.
#define WORLD_THINGS (1u << 20)

struct world;

/// What a part does. Both may send and set timers; neither may touch another part.
struct world_acts {
  /// The last bit of a packet has come by this port. `packet` is valid during the call; its frame, if it has one, is the part's from now on.
  void (*arrive)(void *part, uint32_t port, const struct world_packet *packet);
  /// A timer is due, and set no more.
  void (*wake)(void *part, uint32_t timer);
};

struct world *world_new(void);
void world_free(struct world *w);

/// A part on process `rank`, with `timers` timers: its number. `part` is handed to `acts`, which stay the caller's.
uint32_t world_part(struct world *w, const struct world_acts *acts, void *part, uint32_t timers, unsigned rank);
/// A cable to port `port` of part `to`: its number. `from`: the part that sends on it. `delay_ps`: at least 1.
uint32_t world_cable(struct world *w, uint32_t from, uint32_t to, uint32_t port, uint64_t delay_ps);
/// All parts and cables are there. False if there are too many of them.
bool world_ready(struct world *w);
/// Whether this process runs the part.
bool world_owns(const struct world *w, uint32_t part);

uint64_t world_now(const struct world *w);
/// The last bit of a packet is on the cable at `time`, now or later, and not before that of the packet before. The packet is copied,
/// its frame is the world's from now on.
void world_send(struct world *w, uint32_t cable, uint64_t time, const struct world_packet *packet);
/// Timer `timer` of a part is due at `time`, or earlier if it was set to that.
void world_wake(struct world *w, uint32_t part, uint32_t timer, uint64_t time);
/// The same at `time` and not before, whatever it was set to; WORLD_NEVER: not at all.
void world_set(struct world *w, uint32_t part, uint32_t timer, uint64_t time);

/// Lets time go on to the first event behind `until`, or until `events` of this process have happened, or nothing more will. False in the last
/// case, which is the same on all processes. All processes must call it alike.
bool world_run(struct world *w, uint64_t until, uint64_t events);
/// Whether it ended because all that happens next is behind `until`; the same on all processes.
bool world_beyond(const struct world *w);

/// Events of this process: packets that came and timers that were due.
uint64_t world_events(const struct world *w);
/// A number that depends on all events of this process's parts, with the bytes of frames that came, and on their order within each part: the sum over all processes is the
/// same however parts are dealt out.
uint64_t world_hash(const struct world *w);
/// Times that processes have waited for each other.
uint64_t world_turns(const struct world *w);

#endif
