/// Hosts around the device, in closed loop: rings of workers with RC queue pairs, the switch and its cables, the device with model
/// and witness beside it, all on one clock. Time stands still for nobody, but a device with nothing to do is not clocked.
#ifndef WEIR_SIM_CLUSTER_H
#define WEIR_SIM_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "hosts/fabric.h"
#include "hosts/worker.h"
#include "sim/engine/bench.h"
#include "sim/engine/jobs.h"
#include "sim/engine/tree/racks.h"
#include "sim/engine/tree/topology.h"
#include "wire/capture.h"

#define CLUSTER_NOBODY UINT32_MAX
#define CLUSTER_ENDLESS UINT32_MAX
enum {
  CLUSTER_MAX_HOSTILE = 8,
  /// Bytes on the cable of a packet in the middle of a message, but for its payload: Ethernet, IPv4, UDP, BTH, ICRC.
  CLUSTER_PACKET_OVERHEAD = 14 + 20 + 8 + 12 + 4 + LINK_OVERHEAD
};

struct cluster_options {
  const struct topology
      *topology;        ///< more racks than one, whose devices are golden models; NULL: one device, and all below is about it
  enum racks_rtl rtl;   ///< only with `topology`
  bool plain;           ///< only with `topology`: the cables are there, the devices get nothing, and no sum is compared
  const struct drive_config *config;   ///< NULL with `topology`
  const char *wave;
  uint64_t seed;
  double stall;   ///< probability, each cycle and port, that an output is not ready

  struct jobs jobs;
  unsigned window;   ///< of a host; the device's is the next power of two
  uint16_t msglen;
  unsigned mtu;
  enum rc_verb verb;
  bool short_last, learn;

  double gbps;         ///< of the cables
  double host_gbps;    ///< of those to the hosts, if they are to be faster; 0: the same
  uint64_t cable_ps;   ///< delay of one cable; a round trip of a gradient takes four
  struct link_faults faults[FABRIC_HOPS];
  bool pause;
  uint64_t timeout_ps, ack_delay_ps;
  unsigned ack_every, rnr_percent;
  unsigned slow, dead;   ///< a host with a thousandth of the rate; one that stops in the middle. CLUSTER_NOBODY: none
  unsigned hostile;      ///< more hosts, which are in no ring and send what they should not (hosts/hostile.h)
  double hostile_gbps;   ///< of each
  uint8_t epoch;   ///< what the device marks results with (docs/protocol.md); 0: it does not. With *_IMM hosts take nothing else
  unsigned
      reboot;   ///< the switch whose device is switched off and on again in the middle, 0 where there is one. CLUSTER_NOBODY: none
  uint64_t reboot_ps;     ///< only of one device: when; 0: when the first host has half of its results
  uint64_t down_ps;       ///< only of one device: for how long frames are lost
  unsigned turns;         ///< only with `topology` and all devices the RTL: so many jobs one after the other in each ring; 0 is 1
  bool restart;           ///< the first ring is torn down in the middle and set up again, for another tensor
  uint64_t hold_cycles;   ///< all outputs of the device are held for so long, once, in the middle
  unsigned pause_port;    ///< this output of the device is held, as PFC from its host's side does it, ..
  uint64_t pause_from_ps, pause_to_ps;   ///< .. in this time. `pause_to_ps` 0: never
  bool crash;   ///< all ranks of the last job stop for ever when the first rank of the first one has half of its results
  unsigned
      flushes;   ///< then that ring is flushed so often, one after the other, while the other jobs go on; only with `crash`. CLUSTER_ENDLESS: as long as they do
  double offer;   ///< share of a cable that a host's new packets take; 0: what window and cable allow
  bool storm;     ///< hosts fill their cables with copies of what they sent: of the latest two messages of each ring
  struct capture_writer *writer;   ///< of what each host receives (interface = host), or NULL
  struct history *history;         ///< of the device (sim/engine/history.h), or NULL
};

struct cluster;

/// NULL and a line in `error` on failure. The caller frees it.
struct cluster *cluster_open(const struct cluster_options *options, char *error, size_t size);
void cluster_close(struct cluster *c);

/// One clock cycle, or a leap to the next event if the device has nothing to do. False when the run is over: all tensors are
/// reduced, or nothing has moved for too long, or the device has failed, or a signal asks to stop (base/stop.h).
bool cluster_step(struct cluster *c);

/// How far a rank of a ring is: result messages, of how many; when it was done (picoseconds), or UINT64_MAX.
struct cluster_progress {
  size_t results, messages;
  uint64_t done_ps;
};
struct cluster_progress cluster_progress(const struct cluster *c, unsigned ring, unsigned rank);
/// Frames of hostile hosts: sent, taken in by the device, and what became of them there.
struct cluster_hostile {
  uint64_t sent, taken;
  const uint64_t *fates;   ///< FATE_COUNT, of the cluster
};
struct cluster_hostile cluster_hostile(const struct cluster *c);
/// Copies sent in a storm, and with options.offer the rate at which new packets were answered over the rate at which they were
/// offered: from the end of a seat's first message to its last packet, of the slowest seat. Negative if it was not measured.
uint64_t cluster_copies(const struct cluster *c);
double cluster_goodput_ratio(const struct cluster *c);
/// Frames that a host received and that were for none of its queue pairs.
uint64_t cluster_strays(const struct cluster *c);
uint64_t cluster_held(const struct cluster *c);     ///< cycles for which options.hold_cycles held the outputs
uint64_t cluster_paused(const struct cluster *c);   ///< cycles for which options.pause_port was held and the device clocked
/// What hosts took, and what they did not (docs/protocol.md). Complete after cluster_finish.
struct cluster_taken {
  size_t messages, wrong;             ///< result messages taken, and those that are not the sum: none, if all is well
  size_t refusals[WORKER_REFUSALS];   ///< hosts and rings that gave up for want of a mark, by its reason
};
struct cluster_taken cluster_taken(const struct cluster *c);
enum worker_refusal cluster_refusal(const struct cluster *c, unsigned ring, unsigned rank);
/// What became of options.crash and options.flushes.
struct cluster_flushes {
  bool crashed;
  unsigned done;
  uint64_t from_ps, to_ps;   ///< from the beginning of the first one to the end of the last
};
struct cluster_flushes cluster_flushes(const struct cluster *c);

/// Ends the run: compares tensors with the sum computed directly, and lets the bench compare all it has. Returns the number of
/// mismatches; a ring with a dead host, one that crashed, or a device that was switched on again, is not expected to be done.
size_t cluster_finish(struct cluster *c);
/// The text of the first few mismatches, NULL beyond those.
const char *cluster_text(const struct cluster *c, size_t index);

/// Result messages received, of how many, over all hosts and rings.
void cluster_results(const struct cluster *c, size_t *results, size_t *of);
uint64_t cluster_last_result(const struct cluster *c);        ///< when the latest one was whole, picoseconds
uint64_t cluster_now(const struct cluster *c);                ///< picoseconds since the first frame could go
uint64_t cluster_clocked(const struct cluster *c);            ///< cycles the device was clocked
struct bench *cluster_bench(struct cluster *c);               ///< NULL if there are more racks
const struct racks *cluster_racks(const struct cluster *c);   ///< NULL if there is one
struct fabric_counts cluster_fabric(const struct cluster *c);
struct requester_counts cluster_requester(const struct cluster *c, unsigned ring, unsigned rank);
struct responder_counts cluster_responder(const struct cluster *c, unsigned ring, unsigned rank);

#endif
