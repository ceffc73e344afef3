/// One gather and the product that it is for: properties of a dense array fetched over a network, then Y = A X.
///
/// Rows of A and of Y, and columns of A with the rows of X, are dealt out to nodes in blocks (1-D). Each node gathers the rows of
/// X that its nonzeros name, and computes its rows of Y from what it has in memory: for each row, nonzeros by ascending column,
/// one product and one sum at a time, each rounded to single precision. The same done directly from X must give the same bits.
#ifndef WEIR_SIM_GATHER_RUN_H
#define WEIR_SIM_GATHER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/findings.h"
#include "sim/engine/gather/gather_fabric.h"
#include "sim/gather/matrix.h"
#include "wire/capture.h"

/// PRs a packet are counted up to this many; more are the last.
enum { GATHER_PACKED = 96 };

/// Which of a node's nonzeros a core has.
enum gather_dealing {
  GATHER_DEAL_ROWS,      ///< those of neighbouring rows, as many rows as the others
  GATHER_DEAL_TURNS,     ///< those of every 64th row
  GATHER_DEAL_BATCHES,   ///< every 64th batch, in the order in which the node reads
};

struct gather_run_options {
  const struct matrix *matrix;
  uint32_t k;       ///< elements of a property, single precision
  uint32_t tile;    ///< elements gathered at a time, at most `k`
  uint32_t panel;   ///< rows of a panel in which a node reads its nonzeros, by column within; 1: row by row
  uint32_t
      iterations;   ///< times that it multiplies, with Y for the next X, scaled; 1 or more. More than 1: a square matrix, not complex
  size_t batch;                          ///< nonzeros of a RIG operation
  enum gather_dealing dealing;           ///< to cores, of what software would do
  uint64_t seed;                         ///< of X
  struct gather_fabric_options fabric;   ///< tap and user are the run's
  struct capture_writer *writer;         ///< NULL for none; interface = node
};

/// Cores of a node that fetch in software, each for nonzeros of its own: what Conveyors do with one rank a core (NetSparse 8.1).
enum { GATHER_CORES = 64 };

/// The node that is the last to have all: NetSparse's tail node.
struct gather_last {
  uint64_t node;
  uint64_t wanted, filtered, coalesced, sent;
  uint64_t bytes, property_bytes, packets, prs;   ///< received
  uint64_t lookups, hits;                         ///< of its reads in its rack's ToR
};

/// What comes of fetching in software, each core each property that it wants once.
struct gather_software {
  uint64_t prs;         ///< of all cores of all nodes
  uint64_t tail;        ///< of the node with most
  uint64_t tail_core;   ///< of the core with most
  uint64_t last;        ///< of the node that is last in gathering
};

/// What came of it. Everything is summed over all nodes, switches and tiles unless it says otherwise.
struct gather_result {
  uint64_t wanted;          ///< nonzeros whose property another node has, by the matrix alone
  uint64_t needed;          ///< of these, different ones of a node
  uint64_t cycles;          ///< from the first command until the last node has all
  uint64_t mean_finished;   ///< mean over the nodes, of the last tile's end minus its beginning, summed over tiles
  struct gather_rig_counts rig;
  struct gather_concat_counts nic;
  struct gather_fabric_counts fabric;
  uint64_t served, strays, given_up;
  uint64_t merged, copied;   ///< reads of units that another unit's read was sent for, and copies of its response
  uint64_t reads_paused;     ///< cycles in which NICs that are RTL wanted no more reads
  uint64_t
      promises;   ///< bits of filters that were looked behind: when they are set, when a batch ends well, and of all such batches when one fails
  uint64_t older;             ///< PRs of an older generation that a switch of models passed on, or that a server dropped
  uint64_t bytes_su;          ///< what all-to-all of whole properties puts on the same cables, without headers
  uint64_t bytes_sa;          ///< what a read and a response for each remote nonzero put there, in packets of their own
  uint64_t tail_bytes;        ///< received by the node that received most
  uint64_t tail_properties;   ///< of these, properties
  uint64_t tail_su;           ///< by a node, of all properties that it has not, without headers
  uint64_t *received;         ///< bytes of each node
  uint64_t *finished;         ///< cycle in which each node had all
  struct gather_last last;
  struct gather_software software;
  uint64_t asked_lookups, asked_hits;     ///< of reads in ToRs of their own racks
  uint64_t most_nonzeros, most_columns;   ///< of a node: nonzeros, and different columns that it wants, its own too
  uint64_t refused;                       ///< rows of a tile that were not computed: their node has died, or was not answered
  uint64_t *silent;                       ///< of each node: how many others it has not answered
  uint64_t packed[GATHER_PACKED + 1];     ///< packets received by nodes, by number of PRs
  uint64_t packed_packets, packed_prs;
  double locality;              ///< mean number of different destinations among 64 consecutive PRs of a node
  uint64_t compared;            ///< elements of Y
  uint64_t events, hash;        ///< of the world, of all processes
  struct findings mismatches;   ///< checks that failed
};

struct gather_run;
/// NULL and a line in `error` if it cannot be set up.
struct gather_run *gather_run_open(const struct gather_run_options *options, char *error, size_t size);
void gather_run_close(struct gather_run *r);
/// Goes on. False when all is done, or nothing will ever happen.
bool gather_run_step(struct gather_run *r);
/// Cycle, and how many nodes of this process are not done with the tile.
uint64_t gather_run_now(const struct gather_run *r);
uint32_t gather_run_left(const struct gather_run *r);
/// Computes, compares, and sums up, once; all processes must call it. The result is owned by the run, and the same on all but for findings.
const struct gather_result *gather_run_finish(struct gather_run *r);

#endif
