/// The network around the device: a cable to each host, a commodity switch, and a cable to each port of the device (NetReduce 4,
/// figure 10). Gradients that come from hosts are redirected to the device by an access list; all else, and what the device sends
/// back, goes by destination address. An access list that looked at the device's own ports would loop, so it does not.
///
/// The switch pauses a port whose frames fill its buffer (PFC), and the device pauses the switch. Without pause, frames that find
/// the buffer full are dropped and counted. Times are picoseconds of the simulation; whoever owns the fabric calls fabric_step.
#ifndef WEIR_HOSTS_FABRIC_H
#define WEIR_HOSTS_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/link.h"

enum { FABRIC_MAX_HOSTS = 32, FABRIC_MAX_PORTS = 16 };

/// The kinds of cable. Those to and from a parent are between switches of a tree.
enum fabric_hop {
  FABRIC_UP,
  FABRIC_TO_DEVICE,
  FABRIC_FROM_DEVICE,
  FABRIC_DOWN,
  FABRIC_TO_PARENT,
  FABRIC_FROM_PARENT,
  FABRIC_HOPS
};

/// What is at a host's place: a host, or the switch above or one of those below. Such a place is a host's in all functions here; whoever
/// owns the fabrics carries frames between them (fabric_trunk). The cable to another switch is the sender's, with its rate, delay and faults.
enum fabric_place { FABRIC_HOST, FABRIC_PARENT, FABRIC_CHILD };

struct fabric_config {
  unsigned hosts, ports;                ///< of the device
  uint8_t redirect[FABRIC_MAX_HOSTS];   ///< port of the device that gets a host's gradients
  bool all[FABRIC_MAX_HOSTS];           ///< it gets whatever this host sends
  bool plain;                           ///< it gets nothing at all: no access list
  bool own_only;                        ///< it gets what is for its own address, and no gradients of others
  uint8_t own[6];                       ///< if `own_only`
  enum fabric_place place[FABRIC_MAX_HOSTS];
  bool no_flood;   ///< a frame to an address nobody has is dropped: in a tree, devices would send it round for ever
  double gbps[FABRIC_MAX_HOSTS];   ///< of each host's cable
  double device_gbps;
  uint64_t step_ps;    ///< between two calls of fabric_step
  uint64_t delay_ps;   ///< of every cable; switching takes no time of its own
  struct link_faults faults[FABRIC_HOPS];
  bool pause;
  size_t pause_bytes;    ///< of one port in the buffer: above, it is paused
  size_t buffer_bytes;   ///< of one output's queue: what does not fit is dropped
  uint64_t seed;
};

struct fabric_counts {
  uint64_t redirected, forwarded;   ///< frames
  uint64_t dropped;                 ///< for want of room
  uint64_t unknown;                 ///< dropped, to an address nobody has
  uint64_t bad_fcs;                 ///< damaged, seen and dropped by a MAC in front of the device
  uint64_t pauses;                  ///< times a port was paused
  struct link_counts hop[FABRIC_HOPS];
};

struct fabric;

/// NULL if out of memory. The caller frees it.
struct fabric *fabric_new(const struct fabric_config *config);
void fabric_free(struct fabric *f);
/// Tells the switch for good where a host is. Without that it learns from source addresses, and one bit that turns over in a frame may
/// give a host's address to another port, until that host sends again; one that only waits never does.
void fabric_bind(struct fabric *f, unsigned host, const uint8_t mac[6]);
/// From now on, of all cables.
void fabric_set_delay(struct fabric *f, uint64_t delay_ps);

/// Moves what has arrived by `now` on: cables to queues, queues to cables.
void fabric_step(struct fabric *f, uint64_t now);
/// When the next frame arrives anywhere or an output that has something to send becomes free; UINT64_MAX if nothing is under way.
uint64_t fabric_deadline(const struct fabric *f);

/// True if host `host` may send a frame at `now`.
bool fabric_host_idle(const struct fabric *f, unsigned host, uint64_t now);
/// When that is, unless it is paused: UINT64_MAX.
uint64_t fabric_host_idle_at(const struct fabric *f, unsigned host);
void fabric_host_send(struct fabric *f, unsigned host, uint64_t now, const uint8_t *frame, size_t len);
/// The next frame that has arrived at `host`; valid until the next call for it. A damaged one that its MAC sees is dropped.
bool fabric_host_receive(struct fabric *f, unsigned host, uint64_t now, struct link_frame *frame);

/// Carries what has arrived at place `a_host` of `a` on to place `b_host` of `b`, the other end of that cable, and its pause back.
void fabric_trunk(struct fabric *a, unsigned a_host, struct fabric *b, unsigned b_host, uint64_t now);
/// Of the cable of one host's place: out of the switch, or into it (which counts nothing new where another switch is).
struct link_counts fabric_cable(const struct fabric *f, unsigned host, bool out);

/// True if the device must hold its output `port` back: a frame waits for the cable already, or the switch has paused it.
bool fabric_port_held(const struct fabric *f, unsigned port);
/// A whole frame left the device by `port`.
void fabric_port_send(struct fabric *f, unsigned port, const uint8_t *frame, size_t len);
/// The next frame that has arrived at the device's input `port`; valid until the next call for it.
bool fabric_port_receive(struct fabric *f, unsigned port, uint64_t now, struct link_frame *frame);
/// The device takes nothing at `port` for now (true), or does again.
void fabric_port_pause(struct fabric *f, unsigned port, bool pause);

/// True if `match` is true of a frame on any cable or in any queue.
bool fabric_holds(const struct fabric *f, bool (*match)(const void *user, const uint8_t *frame, size_t len), const void *user);

struct fabric_counts fabric_counts(const struct fabric *f);

#endif
