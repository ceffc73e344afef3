/// The command line of `weir live`.
#ifndef WEIR_SIM_LIVE_OPTIONS_H
#define WEIR_SIM_LIVE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "sim/cli/options.h"
#include "sim/cli/usage.h"

enum { LIVE_MAX_HOSTS = 8, LIVE_NOBODY = LIVE_MAX_HOSTS, LIVE_PROGRAM = 200 };   // characters of a program's command
enum { LIVE_MEASURED = 2 };                                                      // of `library`

struct live_options {
  const char *config_name;             ///< NULL: the smallest that fits
  const struct drive_config *config;   ///< filled in by live_open
  const char *tree;                    ///< shape of a tree of nodes in the aggregator's place, or NULL
  bool multicast;                      ///< its hosts listen to multicasts of low-latency results
  unsigned leaves, below;              ///< of the shape: leaves, 1 if there is no root above; hosts below each
  unsigned collective, way, lock;      ///< of tree jobs: names as weir_tree_perf has them; operations of a lock
  unsigned
      library;   ///< of tree jobs: 0 the tree by itself, 1 a communicator above it, LIVE_MEASURED one with a ring of hosts, too
  unsigned hosts, rings;   ///< every host is in every ring
  double loss;             ///< of each frame, on each cable each way
  size_t tensor;           ///< bytes
  unsigned type, op;       ///< of `kind`
  uint8_t kind;            ///< type and operation, as in the INA header
  unsigned window, msglen, mtu, repeats;
  unsigned verb;   ///< of enum weir_coll_verb
  bool ipv6, in_place, registered, sweep, hosts_alone;
  unsigned vlan;      ///< 0: none
  bool perftest;      ///< perftest's programs and ibv_rc_pingpong run between hosts 0 and 1 meanwhile
  bool kill_last;     ///< --kill
  unsigned kill;      ///< a host that is killed in the middle, or LIVE_NOBODY
  unsigned reboots;   ///< so often the device is restarted in the middle of a job
  unsigned flushes;   ///< behind that, so often its rings are flushed in the middle of a job
  bool roce_only;     ///< what is not RoCEv2 does not pass the device
  bool shell;
  const char *program;   ///< command that every host runs in place of our own jobs, or NULL
  const char *root;      ///< folder with its root file system
  const char *files;     ///< folder into which each host's program writes, or NULL
  const char *attach;    ///< folder with sockets of the user's own guests, or NULL
  const char *image;     ///< folder with what guests boot; NULL: beside the program
  unsigned accel_index;
  bool accel_given;
  const char *accel;    ///< "kvm" or "tcg"; NULL: what the image was tried with
  unsigned memory_mb;   ///< of a guest
  unsigned patience;    ///< seconds a guest may take to boot, or a job
  double stall;
  uint64_t seed;
  bool seed_given;
  const char *out, *json, *report, *wave;
};

extern const struct command_line live_command_line;

/// Reads the command line and checks every value, as options_parse has it, and what must fit together.
int live_parse(int argc, char **argv, struct live_options *options);
/// Says in one line on stderr why it cannot be done. Returns COMMAND_UNUSABLE.
#define live_refuse(...) usage_refuse("weir live", __VA_ARGS__)

/// Jobs in the middle of which the device forgets what it was at.
static inline unsigned live_forgets(const struct live_options *o) { return o->reboots + o->flushes; }
/// Something is broken on purpose: a host is killed, or the device restarted or flushed.
static inline bool live_breaks(const struct live_options *o) { return o->kill != LIVE_NOBODY || live_forgets(o) > 0; }

const char *live_type_name(uint8_t kind);
const char *live_op_name(uint8_t kind);
const char *live_verb_name(unsigned verb);
const char *live_collective_name(unsigned collective);
const char *live_way_name(unsigned way);
const char *live_library_name(unsigned library);

#endif
