/// A tree of golden relays with workers below, and no network between them: a frame is where it goes at once. What the tests of relay.c
/// share. All asserts are cmocka's.
#ifndef WEIR_UNIT_RELAY_NET_H
#define WEIR_UNIT_RELAY_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/relay.h"

enum {
  NET_DEVICES = 8,
  NET_WORKERS = 8,
  NET_RING = 7,
  NET_MSGLEN = 3,
  NET_TENSOR = 8,   ///< bytes a packet
  NET_WINDOW = 2,
  NET_QUEUE = 256,
  NET_FRAME = 256,
  NET_TOP = NET_DEVICES   ///< parent of the root
};

/// Kinds of links: where a frame is lost.
enum net_hop { NET_UP, NET_RISE, NET_FALL, NET_DOWN, NET_NOTE, NET_HOPS };

struct net_device {
  unsigned parent;           ///< NET_TOP: none
  unsigned first, workers;   ///< of a leaf
  unsigned rows;             ///< of its table; 0: enough
};

struct net {
  struct net_device devices[NET_DEVICES];
  unsigned count, workers;
  bool registered;   ///< leaves know all connections from the start, and learn none
  struct relay *relays[NET_DEVICES];
  struct net_whose {
    struct net *net;
    unsigned device;
  } whose[NET_DEVICES];
  /// Frames under way.
  struct net_frame {
    unsigned from;   ///< device
    size_t len;
    uint8_t data[NET_FRAME];
  } queue[NET_QUEUE];
  unsigned head, tail;
  /// What a worker got last, and how many.
  struct {
    unsigned count;
    size_t len;
    uint8_t data[NET_FRAME];
  } got[NET_WORKERS];
  unsigned passed[NET_HOPS];   ///< frames over links of each kind
  bool lose[NET_HOPS];         ///< the next frames there are lost
};

/// Starts the devices of `net->devices`; a leaf is one that has workers. The workers are neighbours in the ring in the order of the leaves.
void net_start(struct net *net);
void net_stop(struct net *net);
/// NetReduce's Figure 5, started: workers 0 and 1 below L1, 2 and 3 below L2.
enum { NET_S, NET_L1, NET_L2 };
void net_figure5(struct net *net);

/// Packet `offset` of message `msgid` of a worker, WRITE with immediate; its tensor is two FP32 numbers, `value` and `value` + 1.
size_t net_packet(const struct net *net, unsigned worker, uint32_t msgid, unsigned offset, float value, uint8_t *frame);
/// It is sent, and all that comes of it has happened.
void net_send(struct net *net, unsigned worker, uint32_t msgid, unsigned offset, float value);
/// The same of each worker; that of worker w begins with the number 1 + w.
void net_all_send(struct net *net, uint32_t msgid, unsigned offset);
/// Nobody has got anything, and no frame has passed.
void net_forget(struct net *net);
/// Each worker has got one frame, and it is the predecessor's packet with the sum in it.
void net_all_have(const struct net *net, uint32_t msgid, unsigned offset);
struct relay_end net_device_end(unsigned device);
/// The connection that begins at a worker.
struct conn_key net_key(const struct net *net, unsigned worker);

#endif
