/// The golden model of the aggregator: plain C, no clock. It knows columns by (ring, MsgID, offset) and nothing of
/// how the device is built; rules and their sources are in docs/protocol.md.
///
/// The device decides on packets, later has their bytes in place, and later still emits results; other packets may
/// be decided in between. So the model is told in that order: model_rx at a decision, model_commit when the packet's
/// bytes are in place, model_take when results are emitted.
#ifndef WEIR_MODEL_MODEL_H
#define WEIR_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/fate.h"
#include "wire/feature.h"
#include "wire/roce.h"

struct model;

/// What the modelled device can hold.
struct model_limits {
  unsigned ports, ranks, conns;
  size_t slot_bytes;        ///< longest tensor part of a packet
  size_t max_frame_bytes;   ///< longer frames are dropped
  unsigned without;         ///< what it leaves out, bits of enum feature
};

/// A ring as registers hold it.
struct model_ring {
  uint16_t id;
  unsigned workers, window;   ///< window N: power of two
  unsigned stride;            ///< longest MsgLen, packets
  bool learn;
};

struct model_verdict {
  enum fate fate;
  bool candidate;   ///< a state decision was needed
  bool completes;   ///< with this packet every rank of the column has been accepted (once per column)
  bool of_ring;     ///< it is a packet of a ring: by its INA header, or else by its connection
  unsigned ring;    ///< index of that into the rings
  bool by_slot;     ///< the look-up found a column and its state decided; the fields below mean something only then
  unsigned rank, offset;
  uint32_t msgid;
  uint16_t msglen;
  uint8_t kind;
};

/// A ring whose column is a part of a larger one (docs/relay.md).
struct model_part {
  unsigned first;      ///< ring's rank of this device's rank 0
  unsigned total;      ///< workers that INA headers tell of
  bool from_devices;   ///< contributions come from devices: each packet has an INA header, and its PSN is its offset
  bool holds;          ///< a column is freed by model_pass, not when results leave
};

/// One frame a device sends; `data` is owned by the model until the next call on it.
struct model_frame {
  unsigned port;
  unsigned rank;
  uint32_t psn;
  const uint8_t *data;
  size_t len;
};

/// A model with `count` rings, all enabled. NULL if out of memory, or if the limits cannot hold a ring (window no power
/// of two, more workers than ranks). The caller frees it. Later calls abort if the host runs out of memory.
struct model *model_new(const struct model_limits *limits, const struct model_ring *rings, size_t count);
void model_free(struct model *m);

/// The control plane registers a connection. 0, or -EINVAL if ring or rank do not exist or are taken.
int model_connect(struct model *m, unsigned ring, unsigned rank, const struct conn_key *key);
/// A flush of a ring begins: histories go, learned connections are retired, registered ones stay. With `release` all of its connections are
/// forgotten, retired ones too. From here on the ring is closed: its packets are dropped.
void model_close(struct model *m, unsigned ring, bool release);
/// It ends: columns go, the ring is open. Packets decided before and not in place yet are nothing but a commit any more.
void model_open(struct model *m, unsigned ring);
/// Both.
void model_flush(struct model *m, unsigned ring);
/// The device is switched off and on, and set up as before: columns, histories and learned connections are unknown.
void model_restart(struct model *m);
/// Whether `port` passes what belongs to no ring. All do at first.
void model_set_open(struct model *m, unsigned port, bool open);
/// What results to hosts are marked with, from here on; 0, as at first: they are not.
void model_set_epoch(struct model *m, uint8_t epoch);
/// The control plane retires the connection, which is known and not retired; or releases it, which is retired. False if not so.
bool model_retire(struct model *m, const struct conn_key *key);
bool model_release(struct model *m, const struct conn_key *key);
/// The key of the connection that speaks for a rank. False if none does.
bool model_speaker(const struct model *m, unsigned ring, unsigned rank, struct conn_key *key);
/// The same for all connections that are retired; their number.
unsigned model_release_retired(struct model *m);
/// Connections that have a place, and those of them that are retired.
void model_connections(const struct model *m, unsigned *used, unsigned *retired);
/// The control plane stores a ring that nothing is under way of, and which aggregates from here on. 0, or -EINVAL as model_new has it.
int model_set_ring(struct model *m, unsigned index, const struct model_ring *ring);
/// The control plane disables a ring: packets of its connections are dropped; with `drop` those with its RingID, too.
void model_disable_ring(struct model *m, unsigned ring, bool drop);
/// True if a packet's connection or INA header is of this ring, whatever its state.
bool model_names_ring(struct model *m, const struct roce_packet *p, unsigned ring);
/// The control plane gives a ring another RingID.
void model_rename(struct model *m, unsigned ring, uint16_t id);

/// A ring is a part of a larger one, from the beginning.
void model_set_part(struct model *m, unsigned ring, const struct model_part *part);
/// Frees the slot of the message N before `msgid` at the same offset, as the first take of a column does.
void model_pass(struct model *m, unsigned ring, uint32_t msgid, unsigned offset);

/// The packet of `rank` in a column that is complete, with its own headers and the tensor of another device's sum. Returns its bytes, 0 if
/// the column is gone, or its type or length is another.
size_t model_rewrite(struct model *m, const struct model_verdict *column, unsigned rank, const uint8_t *tensor, size_t len,
                     const uint8_t **out);

/// A memory of the device has lost the column whose MsgID is `turn` modulo 2N, whatever it was: nothing is owed of it, and until its ring is flushed
/// the packets of all such messages at that offset are dropped (FATE_MEMORY_ERROR).
void model_lose(struct model *m, unsigned ring, uint32_t turn, unsigned offset);
/// True if it has lost the one of this message.
bool model_lost(const struct model *m, unsigned ring, uint32_t msgid, unsigned offset);

/// True if it has lost any column of a ring since that was flushed.
bool model_lost_some(const struct model *m, unsigned ring);

/// True if this column is in its slot, with all ranks stored.
bool model_complete(struct model *m, unsigned ring, uint32_t msgid, unsigned offset);

/// What a port makes of a frame by itself: FATE_PASSED, also for a candidate (p->class), which the look-up has to decide, or a drop.
/// `p` is filled for a frame that the port looks into: neither FATE_FRAME_ERROR nor FATE_OVERSIZE.
enum fate model_port_fate(const struct model *m, const uint8_t *frame, size_t len, bool error, struct roce_packet *p);
/// The next frame of `port` is decided. `error` is the MAC's frame error flag. The frame is copied if needed.
void model_rx(struct model *m, unsigned port, const uint8_t *frame, size_t len, bool error, struct model_verdict *out);
/// The same of a frame of which model_port_fate said `at_port` and `p`.
void model_decide(struct model *m, unsigned port, const uint8_t *frame, size_t len, enum fate at_port,
                  const struct roce_packet *p, struct model_verdict *out);
/// The oldest stored or duplicate packet of `port` is now in place. Returns true if this made the first results of
/// its column due. With nothing pending it returns false and sets *unexpected.
bool model_commit(struct model *m, unsigned port, bool *unexpected);
/// The device emits results of a column for the ranks in `mask`. Fills frames[] (room for `limits.ranks`), in rank
/// order. Returns their number, or -EPROTO if any of them is not owed.
int model_take(struct model *m, unsigned ring, uint32_t msgid, unsigned offset, uint32_t mask, struct model_frame frames[]);
/// Columns that were complete and lost their slot to a newer message before any result left. None if hosts keep their window.
size_t model_given_up(const struct model *m);
/// The oldest column of a ring that some rank has sent a packet of, and not every rank: by MsgID, then by offset. `ranks` are those
/// it waits for, bit r for rank r. False if there is none.
struct model_waiting {
  uint32_t msgid, ranks;
  unsigned offset;
};
bool model_waiting(const struct model *m, unsigned ring, struct model_waiting *out);
/// Ranks that have not sent their packet of every column that another one of the ring began, bit r for rank r (docs/registers/aggregator.md, RING_WAITS).
uint32_t model_behind(const struct model *m, unsigned ring);
/// Columns of all rings that hold a packet.
size_t model_columns_held(const struct model *m);
/// Results still owed (all columns, all ranks).
size_t model_owed(const struct model *m);
/// The same of one ring.
size_t model_owed_of(const struct model *m, unsigned ring);

#endif
