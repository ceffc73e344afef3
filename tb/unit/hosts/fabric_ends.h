/// A fabric with somebody at all its ends: what its tests share. All asserts are cmocka's.
#ifndef WEIR_UNIT_FABRIC_ENDS_H
#define WEIR_UNIT_FABRIC_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/fabric.h"

/// NET_BIG: bytes of a gradient. NET_STRANGER: an address nobody has.
enum { NET_HOSTS = 3, NET_PORTS = 2, NET_STEP = 4000, NET_DELAY = 100000, NET_ROOM = 2000, NET_STRANGER = 99, NET_BIG = 1002 };

struct net {
  struct fabric *f;
  uint64_t now;
  size_t at_host[NET_HOSTS], at_port[NET_PORTS];   ///< frames that arrived
  size_t damaged;                                  ///< of those at ports: seen by the MAC
  uint8_t last[NET_ROOM];                          ///< the latest of them all
  size_t last_len;
};

/// 100 Gb/s everywhere; gradients of host 0 go to port 0, those of the others to port 1. No pause, no faults.
struct fabric_config net_usual(void);
struct net net_of(const struct fabric_config *c);

/// A packet of any opcode from one host's address to another's, into `out` (NET_ROOM bytes). Returns its bytes.
size_t net_packet(unsigned from, unsigned to, uint8_t opcode, bool v6, bool vlan, size_t payload_len, uint8_t *out);
/// A gradient of NET_BIG bytes, and an ACK.
size_t net_gradient(unsigned from, unsigned to, uint8_t *out);
size_t net_ack(unsigned from, unsigned to, uint8_t *out);

/// Moves on what has arrived by `n->now`, and takes what is at the ends.
void net_look(struct net *n);
/// Time goes on until nothing is under way, looking only when the fabric says that something happens.
void net_settle(struct net *n);
/// One frame arrives at these hosts and ports (masks), as it is, and nothing else does.
void net_arrives(struct net *n, const uint8_t *frame, size_t len, unsigned hosts, unsigned ports);
/// The same for one that `host` sends.
void net_from_host(struct net *n, unsigned host, const uint8_t *frame, size_t len, unsigned hosts, unsigned ports);
/// Every host has been heard: one flooded frame each.
void net_introduce(struct net *n);

#endif
