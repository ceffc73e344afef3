/// The rules of a protocol run: what is fixed while the states are searched.
#ifndef WEIR_PROTOCOL_RULES_H
#define WEIR_PROTOCOL_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum { HOSTS_MOST = 4, FIFO_MOST = 3, COLUMNS_MOST = 16, HISTORY_MOST = 8, PACKETS_MOST = 24 };

/// When a slot falls free (NetReduce 3.1: "a gradient packet deallocates an aggregator one window away").
enum free_rule {
  FREE_ANY_PACKET,   ///< as printed: any packet of message m clears the whole column of m + N
  FREE_OWN_BIT,      ///< as printed, read along a row of figure 9: a packet of m clears its sender's bit in the column of m + N
  FREE_COMPLETION,   ///< the column of m + N is cleared when the result of m leaves for the first time
  FREE_LAZY,         ///< never; only a newer tag resets a column
};

/// How a slot tells messages apart that share it.
enum tag_rule {
  TAG_NONE,
  TAG_EPOCH,   ///< one bit that turns at each free; a packet of the other epoch is dropped
  TAG_FULL,    ///< the MsgID: an older packet is dropped, a newer one resets a column that is empty or complete
};

/// How the device tells which message a PSN is in (the connection lookup table, CLT).
enum clt_rule {
  CLT_IDEAL,       ///< knows
  CLT_SINGLE,      ///< as printed: one entry a connection, written by each first packet
  CLT_OVERWRITE,   ///< 2N entries a connection, written by each first packet
  CLT_MONOTONE,    ///< 2N entries a connection, an entry is never replaced by an older message
  CLT_BASE,        ///< the newest message only; others by dividing the PSN's distance to it by the message length
};

/// Who gets the result again when a packet of a complete column is repeated.
/// Merged, of a spine only: to all, and the next repeat of each other child is passed over.
enum reemit_rule { REEMIT_OWN, REEMIT_ALL, REEMIT_MERGED };

/// Results leave together with the packet that makes them due, or each by itself and later, as in the device.
enum emit_rule { EMIT_TOGETHER, EMIT_ONE_BY_ONE };

/// Where the packets of a column stand until they are summed, by rank.
enum place_rule {
  PLACE_OWN,         ///< each column has a place
  PLACE_SHARED,      ///< the two columns N messages apart have one; it is given to another column only if nothing is lost by it
  PLACE_UNGUARDED,   ///< the same, and who comes writes
};

/// When a requester goes back.
enum timeout_rule {
  TIMEOUT_IDLE,    ///< never in vain: nothing is in flight, and all that its receiver has is acknowledged
  TIMEOUT_QUIET,   ///< nothing is in flight, but the acknowledgement may be lost
  TIMEOUT_ANY,     ///< at any time while something is not acknowledged
};

struct rules {
  enum free_rule free;
  enum tag_rule tag;
  enum clt_rule clt;
  enum reemit_rule reemit;
  enum emit_rule emit;
  enum place_rule place;
  enum timeout_rule timeout;
  unsigned hosts, window, msglen, messages;
  unsigned host_window;    ///< messages a host sends without their results; the device's `window` if all keep to the rules
  unsigned fifo;           ///< packets that a hop holds
  bool loss;               ///< on every hop
  bool reorder;            ///< hops deliver in any order
  bool duplicate;          ///< hops may deliver a packet and keep it
  bool two_level;          ///< two leaves with a worker each below a spine, instead of one device
  bool leaf_frees_early;   ///< two levels: a leaf frees on its own completion, not when its parent's result passes
};

/// Names of the values above as the command line has them; NULL behind the last.
extern const char *const free_names[],
    *const tag_names[], *const clt_names[], *const reemit_names[], *const emit_names[], *const place_names[],
                                                                                            *const timeout_names[];

/// NULL if a search can be made of these rules, else what is wrong with them.
const char *rules_fault(const struct rules *rules);

#endif
