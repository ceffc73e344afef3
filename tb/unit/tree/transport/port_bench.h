/// A port of a tree node (rc_port) with a neighbour behind a bad cable: each connection's other end is the model (rc_end), and a second model, the
/// twin, does what the device's end must do, in step with it. So every frame that leaves is known byte for byte before it comes.
#ifndef WEIR_UNIT_TREE_PORT_BENCH_H
#define WEIR_UNIT_TREE_PORT_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "drive/dut.h"
#include "model/tree/rc_end.h"

enum { PORT_CONNS = 2, PORT_ROOM = 16, PORT_ROW = 64 };

/// How busy everybody is, in percent of cycles, and how bad the cable is, in thousandths of frames for each kind of mistake.
struct port_pace {
  unsigned beats;      ///< a beat comes, if there is one
  unsigned ready;      ///< the MAC takes one
  unsigned rows;       ///< the device's user has one to send
  unsigned claims;     ///< it claims a packet
  unsigned reads;      ///< it reads a row
  unsigned peer;       ///< the neighbour takes a packet out, and sends one
  unsigned mistakes;   ///< of the cable
  bool whole;          ///< all packets have the MTU's bytes
};

/// Who always has something to send.
enum { PORT_NOBODY = 0, PORT_DEVICE = 1, PORT_PEER = 2, PORT_BOTH = 3 };

struct port_counts {
  uint64_t frames_in, frames_out, data_in, answers_in, strays, bad_icrcs, errors;
  uint64_t packets_in, packets_out;   ///< that got to the user of either end
  uint64_t rows_read, dropped;
  uint64_t fates[6], repeats, timeouts, rnrs, acks, naks;
  uint64_t casts;        ///< multicasts that were to leave
  uint64_t given_away;   ///< repeats of what was acknowledged meanwhile
  uint64_t beats_in, beats_out, cycles;
  uint64_t came, shown;    ///< cycles: the last beat of the first frame that came in, its packet to the device's user;
  uint64_t posted, left;   ///< the last row of the device's user's first packet, the first beat of the first frame that leaves
};

struct port_bench;

/// A device after reset, and no connection. The caller frees it.
struct port_bench *port_bench_new(void);
void port_bench_free(struct port_bench *b);
/// Begins both connections anew, with settings by chance; `mtu` 0: also that. `quick`: IPv4 without VLAN, and
/// nobody waits with his ACKs or has little room.
void port_bench_open(struct port_bench *b, unsigned mtu, bool quick);
/// Ends connection `c` in the middle of everything.
void port_bench_close(struct port_bench *b, unsigned c);
/// Begins a connection once more, in the middle of a packet that it would take if it looked only at the end.
void port_bench_reopen(struct port_bench *b);
/// So many cycles at this pace; `posts`: who has something to send.
void port_bench_run(struct port_bench *b, unsigned cycles, const struct port_pace *pace, unsigned posts);
/// Runs without mistakes and without new packets until all has arrived at both ends; fails if it does not. A connection that failed is left alone.
void port_bench_drain(struct port_bench *b);
/// Connections that have failed.
unsigned port_bench_failed(const struct port_bench *b);
struct port_counts *port_bench_counts(struct port_bench *b);

#endif
