/// A node of aggregation trees in RTL: the Verilated device between cables, with the golden model beside it (model/tree/tree_twin.h). It is clocked as
/// long as there is anything in it that time could change; then it rests, and its clock with it, until a frame comes.
///
/// A frame is given to the device when its last bit is here, a beat of 64 bytes a cycle, and a cable gets one when its last beat has left: what a
/// MAC that stores frames does.
#ifndef WEIR_SIM_NODE_RTL_H
#define WEIR_SIM_NODE_RTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/tree/node_drive.h"
#include "model/tree/tree_node.h"

/// The other side of its ports.
struct node_rtl_cables {
  void *user;
  /// A frame may begin to leave by this port.
  bool (*idle)(void *user, unsigned port);
  void (*send)(void *user, unsigned port, const uint8_t *frame, size_t len);
};

struct node_rtl;

/// A device of configuration `built`, set up as `config` says, and open. NULL and a line in `error` if there is none, or it refuses.
struct node_rtl *node_rtl_new(const struct node_config *built, const struct tree_node_config *config, uint64_t seed,
                              const struct node_rtl_cables *cables, char *error, size_t size);
void node_rtl_free(struct node_rtl *r);

/// A whole frame came in at `port`; it waits there for the one before. `bad`: its MAC saw that it is damaged.
void node_rtl_receive(struct node_rtl *r, unsigned port, const uint8_t *frame, size_t len, bool bad);
/// A cycle. False if it rests now: it need not be clocked until a frame comes.
bool node_rtl_step(struct node_rtl *r);

/// From now on bits of its memories flip, `per_1000` in 1000 cycles, each of which is corrected; with `lost` two of a word, which are not: when such a word is read,
/// no frame leaves any more. Of a configuration with corrected memories.
void node_rtl_flip(struct node_rtl *r, uint64_t seed, unsigned per_1000, bool lost);

/// By its registers, while it runs: a group (its place in them) is another, or, with NULL, none. False if it is busy with it. The model does the same.
bool node_rtl_change_group(struct node_rtl *r, unsigned index, const struct group_of_node *group);

/// Its streaming tree was torn down, it alone, and all neighbours have taken the news of it.
bool node_rtl_may_reopen(struct node_rtl *r);
/// Then it begins once more, by its registers, with these ends of its neighbours' ports; so does the model. False if it is busy.
bool node_rtl_reopen(struct node_rtl *r, const struct rc_end_config *ends);

/// What is in it, of the device and not of the model; read when it rests.
struct node_rtl_end {
  uint64_t sent, repeats, limited, timeouts, duplicates;   ///< packets
};
struct node_rtl_state {
  bool quiet;   ///< nothing is under way
  struct tree_node_counts counts;
  struct tree_lock cells[TREE_CONTROL_CELLS];
  uint64_t naks, rnrs, compared;
  uint64_t flipped, corrected,
      lost;   ///< bits of memories; cycles with reads in which they were corrected, and in which they were not
};
/// At the end of a run: reads registers, and looks whether all is the model's and adds up.
void node_rtl_finish(struct node_rtl *r, struct node_rtl_state *out);
struct node_rtl_end node_rtl_end(struct node_rtl *r, unsigned port, bool streaming);
/// What was wrong first, in words; NULL if nothing was.
const char *node_rtl_fault(const struct node_rtl *r);
/// Cycles it was clocked.
uint64_t node_rtl_cycles(const struct node_rtl *r);

#endif
