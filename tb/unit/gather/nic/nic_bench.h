/// The network interface (gather_nic) with a host, and a network in C that answers frame by frame.
#ifndef WEIR_UNIT_NIC_BENCH_H
#define WEIR_UNIT_NIC_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"
#include "unit/gather/gather_prs.h"
#include "unit/gather/nic/host_port.h"

/// Nodes and which one is the interface's; columns, those of a node; bytes of a property, and of its place as a power of two.
enum {
  NIC_NODES = 8,
  NIC_UNITS = 2,
  NIC_OWN = 3,
  NIC_COLUMNS = 4096,
  NIC_PART = NIC_COLUMNS / NIC_NODES,
  NIC_LEN = 64,
  NIC_STRIDE = 6,
  NIC_MEMORY = 0x1000000
};
/// Where in memory the list of unit 0 is and how far behind it that of unit 1, what is gathered, and what is served.
enum { NIC_LIST = 0x100000, NIC_LIST_ROOM = 0x40000, NIC_DEST = 0x400000, NIC_SERVE = 0x800000 };
/// Frames that may be under way to the interface.
enum { NIC_FRAMES = 4096 };
struct nic_frame {
  uint64_t due;
  size_t len;
  uint8_t *data;
};

struct nic_bench {
  struct dut *dut;
  uint32_t settings[WORDS_OF(nic_settings_t, 1)];
  struct host host;
  struct nic_frame frames[NIC_FRAMES];   ///< to the interface, oldest first
  size_t in, out, beat;
  uint8_t leaving[2048];
  size_t leaving_len;
  unsigned stall;              ///< the network refuses a beat one time in this many; 0: never
  unsigned flood;              ///< reads that come ahead of the answers to each frame
  unsigned paused;             ///< classes that the network wants no more of, a bit each
  unsigned blocked;            ///< ports of the host that take nothing, a bit each: reads, writes, look-ups, marks
  unsigned may_fail, failed;   ///< gathers
  uint64_t requested, asked_of_us, answered, frames_out, prs_out;
  unsigned done[NIC_UNITS];
  uint64_t thrown[2], thrown_prs[2];   ///< frames that the interface has thrown away, by class, and their PRs
};

/// For cmocka: an interface after reset that serves its own columns; `*state` is a struct nic_bench.
int nic_setup(void **state);
int nic_teardown(void **state);

/// Sets the cycles that a gather may take; 0: for ever.
void nic_timeout(struct nic_bench *b, uint32_t cycles);
/// Sets the cycles that a class may wait for the network; 0: for ever.
void nic_pause_limit(struct nic_bench *b, uint32_t cycles);
/// Starts gathers of `count` indices in some units, a bit each.
void nic_command(struct nic_bench *b, unsigned units, uint32_t count);
/// A cycle of interface, host and network. Fails the test at a frame that is wrong, or if more gathers fail than may.
void nic_cycle(struct nic_bench *b);
/// Sends a packet of `count` PRs to the interface, some cycles later. Its frame may be changed until then.
struct nic_frame *nic_send(struct nic_bench *b, const struct pr *prs, size_t count);
/// Another node reads one property of ours.
void nic_ask_us(struct nic_bench *b);
/// A counter of the port.
uint64_t nic_counter(struct nic_bench *b, unsigned which);

#endif
