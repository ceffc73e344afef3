#include "sim/tree/tree_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/engine/jobs.h"
#include "sim/engine/tree/tree_wiring.h"
#include "sim/engine/world/ranks.h"
#include "wire/roce.h"

#define FIELD(member) OPTION_AT(struct tree_options, member)
#define GIVEN(member) OPTION_GIVEN(struct tree_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct tree_options, member, from, to)
#define PROBABILITY .kind = OPTION_NUMBER, .value = "P", .unit = "a probability", .standard = "0", .least = 0, .most = 0.5

static const char *const operations[] = {"barrier", "all-reduce", "reduce", "broadcast", "reduce-scatter", "all-gather", NULL};
enum { REDUCE_SCATTER = 4, ALL_GATHER };
enum { PARTITION_RACKS, PARTITION_SCATTER };
enum { MODE_AUTO, MODE_LLT, MODE_SAT };
static const char *const partitions[] = {"racks", "scatter", NULL};
static const char *const modes[] = {"auto", "llt", "sat", NULL};
/// Microseconds of a world (sim/engine/world/world.h).
#define MOST_US 1.7e7

static const struct command_option options[] = {
    {.kind = OPTION_GROUP, .help = "The tree"},
    {"topology", OPTION_TEXT, .value = "FILE|JSON|fat-tree:AxB..xH",
     .help =
         "Nodes and hosts: a root with A nodes below it, each with B, and so on, each of the last with H hosts (fat-tree:H: one "
         "node), or what JSON says, here or in a file: a leaf is {\"hosts\": H}, any other node {\"children\": [..]}; with "
         "\"radix\": PORTS, \"ports\": [..] children stand at these of its ports, the parent at the last one",
     .standard = "fat-tree:4x4", .wrong = "fat-tree:0x0", FIELD(shape)},
    {"devices", OPTION_TEXT, .value = "model|rtl|LIST",
     .help = "Nodes that are the Verilated device, with the model beside it: all (rtl), or those of a list, 0,2,5; node 0 is the "
             "root. The "
             "smallest device with enough ports is taken (rtl/top/tree_configs.csv), which has its own time, and its own room "
             "for packets",
     .standard = "model", .wrong = "rtl,", FIELD(devices)},
    {"trees", OPTION_WHOLE, .value = "T", .help = "Trees of this shape, each a low-latency and a streaming one", .standard = "1",
     RANGE(run.network.pairs, 1, TREE_NET_PAIRS)},
    {"groups", OPTION_WHOLE, .value = "G", .help = "Groups: host h is in group h modulo G, which uses tree group modulo T",
     .standard = "1", RANGE(run.network.groups, 1, TREE_NET_GROUPS)},
    {"cells", OPTION_WHOLE, .value = "N", .help = "Lock cells of a node", .standard = "2",
     RANGE(run.network.lock_cells, 1, TREE_LOCK_CELLS)},
    {.kind = OPTION_GROUP, .help = "What is done"},
    {"op", OPTION_CHOICE,
     .help =
         "Operation. A reduce-scatter is a reduction of a part of the vector to each host of the group in turn, an all-gather "
         "a broadcast of a part from each",
     .standard = "all-reduce", .names = operations, FIELD(operation)},
    {"type", OPTION_CHOICE, .help = "Elements", .standard = "fp32", .names = ina_types, FIELD(type)},
    {"reduction", OPTION_CHOICE, .help = "What is done to them", .standard = "sum", .names = ina_ops, FIELD(reduction)},
    {"size", OPTION_TEXT, .value = "BYTES|FROM..TO",
     .help = "Of a host's vector, 4 to 256M; FROM..TO: one run for each size, doubled from FROM on, and TO", .standard = "64K",
     .wrong = "3", FIELD(size), GIVEN(size_given)},
    {"operations", OPTION_WHOLE, .value = "N", .help = "One after the other, of each group", .standard = "4",
     RANGE(run.jobs.operations, 1, 1000000)},
    {"mode", OPTION_CHOICE,
     .help = "Low-latency trees take vectors of up to 1024 bytes, streaming trees any; auto: those that fit go the first way",
     .standard = "auto", .names = modes, FIELD(mode)},
    {"lock", OPTION_TEXT, .value = "COUNT|unlimited",
     .help = "Operations that a streaming tree is locked for at a time; unlimited: until it is unlocked", .standard = "1",
     .wrong = "0", FIELD(lock)},
    {"tries", OPTION_WHOLE, .value = "N", .help = "Times that a lock is asked for, with longer and longer pauses",
     .standard = "1000", RANGE(run.jobs.tries, 1, 1000000)},
    {.kind = OPTION_GROUP, .help = "Connections and cables"},
    {"mtu", OPTION_WHOLE, .value = "BYTES", .help = "Payload of a packet", .standard = "1024", .powers = true,
     RANGE(run.network.mtu, 256, 4096)},
    {"ipv6", OPTION_FLAG, .help = "Over IPv6", FIELD(run.network.v6)},
    {"vlan", OPTION_WHOLE, .value = "VID", .help = "In this VLAN", .absent = "without a tag", RANGE(run.network.vlan, 1, 4094)},
    {"credits", OPTION_WHOLE, .value = "N", .help = "Packets that a receiver of a streaming tree has room for", .standard = "32",
     RANGE(run.network.credits, 1, 32768)},
    {"window", OPTION_WHOLE, .value = "N", .help = "Packets that its sender keeps until they are acknowledged", .standard = "64",
     RANGE(run.network.window, 1, 32768)},
    {"multicast", OPTION_FLAG,
     .help =
         "Low-latency results go to children by UD multicast, too, if they fit one packet; the reliable copy is thrown away then",
     FIELD(run.network.multicast)},
    {"no-credits", OPTION_FLAG, .help = "Receivers tell of none: \"not ready\" holds senders back",
     FIELD(run.network.no_credits)},
    {"rate", OPTION_NUMBER, .value = "GBPS", .unit = "Gb/s", .help = "Rate of a cable", .standard = "100", .least = 1,
     .most = 3200, FIELD(run.network.gbps)},
    {"cable", OPTION_NUMBER, .value = "NS", .unit = "nanoseconds", .help = "Delay of a cable", .standard = "450", .least = 0,
     .most = 1e6, FIELD(cable_ns)},
    {"node", OPTION_NUMBER, .value = "NS", .unit = "nanoseconds", .help = "Delay of a node that is a model", .standard = "256",
     .least = 0, .most = 1e6, FIELD(node_ns)},
    {"timeout", OPTION_NUMBER, .value = "US", .unit = "microseconds", .help = "Local ACK Timeout", .standard = "30", .least = 1,
     .most = 1e6, FIELD(timeout_us)},
    {"retries", OPTION_WHOLE, .value = "N", .help = "Times that a packet is repeated before its connection is lost",
     .standard = "7", RANGE(run.network.retries, 0, 7)},
    {"patience", OPTION_NUMBER, .value = "US", .unit = "microseconds",
     .help = "How long a leaf waits for a host whose siblings have contributed; other nodes and hosts in proportion to the "
             "tree's depth",
     .standard = "2000", .least = 1, .most = 1e7, FIELD(patience_us)},
    {"regroup", OPTION_WHOLE, .value = "N",
     .help =
         "After each N operations of a group it is destroyed at all nodes, and made anew with another number, while others run",
     .standard = "0", RANGE(run.jobs.regroup, 0, 1000000)},
    {"reopen", OPTION_WHOLE, .value = "N",
     .help =
         "Set the streaming tree up again when it was torn down and all hosts have heard so, up to N times; hosts go on with the "
         "operation behind the last one that any of their group has ended",
     .standard = "0", RANGE(run.jobs.reopen, 0, 1000)},
    {.kind = OPTION_GROUP, .help = "Faults"},
    {"loss", PROBABILITY, .help = "A packet is lost on a cable", FIELD(run.network.faults.loss)},
    {"dup", PROBABILITY, .help = "It arrives twice", FIELD(run.network.faults.dup)},
    {"reorder", PROBABILITY, .help = "Others overtake it", FIELD(run.network.faults.reorder)},
    {"ber", PROBABILITY, .help = "One to three of its bits are flipped; half of the cases escape the FCS",
     FIELD(run.network.faults.damage)},
    {"hostile", PROBABILITY,
     .help =
         "Behind it comes one of somebody who is no end of the connection: wrong ICRC, source, queue pair or operation, an old "
         "or a future PSN with other contents, no RoCE at all. No sum may change, and nobody may be lost",
     FIELD(run.network.hostile)},
    {"kill-host", OPTION_TEXT, .value = "HOST@US", .help = "This host stops for ever after so many microseconds", .wrong = "1",
     FIELD(kill_host)},
    {"kill-link", OPTION_TEXT, .value = "NODE@US|hHOST@US",
     .help = "The cable from this node to its parent is cut then, or that of a host; node 0 is the root, which has none",
     .wrong = "@", FIELD(kill_link)},
    {"flips", OPTION_WHOLE, .value = "N",
     .help = "Bits of the memories of devices that flip in 1000 cycles, on average, no two in a word: devices are of those with "
             "corrected memories "
             "(rtl/top/tree_ecc_configs.csv)",
     .standard = "0", RANGE(run.network.flips, 0, 100000)},
    {"lose-memory", OPTION_TEXT, .value = "NODE@US",
     .help = "From then on two bits in each word flip in the memories of this device, which are not corrected: it falls silent "
             "when one is read, and nobody may have a "
             "wrong vector",
     .wrong = "1", FIELD(lose_memory)},
    {"wrong", OPTION_TEXT, .value = "WHAT@HOST,..",
     .help = "In the operation in the middle this host, or up to four of a group, does something wrong: a group that is none, "
             "other-group (another one's), another size, type or op than its siblings, a vector that ends early, one of 2g "
             "(2^31) bytes "
             "or 2g+1, the same contribution twice, a second operation while the group is busy, no-lock in a streaming tree. "
             "Every host "
             "must have a verdict, and where the tree is not torn down the next operation must be right",
     .wrong = "early", FIELD(wrong)},
    {.kind = OPTION_GROUP, .help = "The run, and what is written"},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of all random choices", .standard = "1",
     RANGE(run.network.seed, 0, UINT64_MAX), GIVEN(seed_given)},
    {"partition", OPTION_CHOICE,
     .help = "With MPI: nodes with their hosts, neighbours to one process, or anything to any. What happens is the same",
     .standard = "racks", .names = partitions, FIELD(partition)},
    {"out", OPTION_OUTPUT, .value = "FILE",
     .help =
         "What is sent on each cable, before it is lost: pcapng, gzipped if FILE ends in .gz; interfaces are the cables above "
         "each host, then those above each node but the root",
     FIELD(out)},
    {"json", OPTION_OUTPUT, .value = "FILE", .help = "A summary as JSON", FIELD(json)},
    {"report", OPTION_OUTPUT, .value = "FILE.html", .help = "A page with pictures of the run: verdicts, times, cables, packets",
     FIELD(report)},
    {0},
};

const struct command_line tree_command_line = {
    .name = "weir tree",
    .purpose = "lets hosts reduce through trees of nodes that end their connections",
    .about =
        "Runs collective operations over aggregation trees (SHARP): hosts and nodes talk RC hop by hop, short vectors take a "
        "low-latency tree, long ones stream through another one that is locked for them. Hosts are models, nodes models or the "
        "Verilated "
        "device (--devices), all of whose messages are then compared with the model's. Each host's vector is compared bit by bit "
        "with one "
        "computed directly, and what went over each cable is counted.",
    .example = "--topology fat-tree:4x8 --size 1M --loss 0.001",
    .exits = "0 all checks passed, 1 a check failed, 2 bad usage or bad input.",
    .options = options,
};

bool tree_options_event(const char *text, char who[TREE_EVENT], uint64_t *when_ps) {
  const char *at = strchr(text, '@');
  double us;
  memset(who, 0, TREE_EVENT);
  if (at == NULL || at - text >= TREE_EVENT || !usage_number(at + 1, &us) || us < 0 || us > MOST_US) return false;
  memcpy(who, text, (size_t)(at - text));
  *when_ps = (uint64_t)(us * 1e6);
  return true;
}

static int check_lock(struct tree_options *o) {
  uint64_t count = 0;
  if (strcmp(o->lock, "unlimited") != 0 && !text_whole(o->lock, 1, UINT32_MAX - 1, &count))
    return tree_refuse("--lock %s: must be unlimited, or a number from 1 on", o->lock);
  o->run.jobs.lock = (uint32_t)count;
  return 0;
}

static int check_kills(struct tree_options *o) {
  struct tree_net_options *n = &o->run.network;
  const unsigned hosts = o->topology.hosts, nodes = o->topology.count;
  char who[TREE_EVENT];
  uint64_t number;
  n->dead_host = n->cut_cable = TREE_NET_NOBODY;
  if (o->kill_host != NULL) {
    if (!tree_options_event(o->kill_host, who, &n->dead_ps) || !text_whole(who, 0, hosts - 1, &number))
      return tree_refuse("--kill-host %s: must be 0 to %u, @, and microseconds", o->kill_host, hosts - 1);
    n->dead_host = (unsigned)number;
  }
  if (o->kill_link == NULL) return 0;
  const bool known = tree_options_event(o->kill_link, who, &n->cut_ps);
  if (known && who[0] == 'h' && text_whole(who + 1, 0, hosts - 1, &number))
    n->cut_cable = (unsigned)number;
  else if (known && nodes > 1 && text_whole(who, 1, nodes - 1, &number))
    n->cut_cable = hosts + (unsigned)number - 1;
  else if (nodes > 1)
    return tree_refuse("--kill-link %s: must be a node, 1 to %u, or a host, h0 to h%u, @, and microseconds", o->kill_link,
                       nodes - 1, hosts - 1);
  else
    return tree_refuse("--kill-link %s: must be a host, h0 to h%u, @, and microseconds: there is one node", o->kill_link,
                       hosts - 1);
  return 0;
}

const char *tree_options_operation(const struct tree_options *o) { return operations[o->operation]; }

/// Operations in parts, one for each host of a group.
static int check_parts(struct tree_options *o) {
  struct tree_jobs_options *j = &o->run.jobs;
  const unsigned hosts = o->topology.hosts, groups = o->run.network.groups;
  j->parts = 1;
  if (o->operation < REDUCE_SCATTER) return 0;
  j->operation = o->operation == ALL_GATHER ? TREE_BROADCAST : TREE_REDUCE;
  j->parts = hosts / groups;
  if (hosts % groups != 0)
    return tree_refuse("--op %s: %u hosts are not as many in each of %u groups", operations[o->operation], hosts, groups);
  if (j->size % (j->parts * ina_element_size(j->type)) != 0)
    return tree_refuse("--size %" PRIu32 ": must be a multiple of %zu, an element for each of %u hosts", j->size,
                       j->parts * ina_element_size(j->type), j->parts);
  if ((uint64_t)j->operations * j->parts > UINT32_MAX || (uint64_t)j->lock * j->parts >= TREE_UNLIMITED)
    return tree_refuse("--operations %" PRIu32 ", --lock %s: too many for %u parts each", j->operations, o->lock, j->parts);
  j->size /= j->parts;
  return 0;
}

/// One size, or the first and the last of several.
static bool read_size(struct tree_options *o) {
  const uint64_t most = UINT64_C(256) << 20;
  const char *dots = strstr(o->size, "..");
  char first[24] = "";
  uint64_t from, to = 0;
  const size_t len = dots != NULL ? (size_t)(dots - o->size) : strlen(o->size);
  if (len >= sizeof first) return false;
  memcpy(first, o->size, len);
  if (!text_bytes(first, 4, most, &from) || (dots != NULL && !text_bytes(dots + 2, from + 1, most, &to))) return false;
  o->run.jobs.size = (uint32_t)from;
  o->size_to = (uint32_t)to;
  return true;
}

uint32_t tree_options_next(const struct tree_options *o, uint32_t size) {
  return size >= o->size_to ? 0 : 2 * (uint64_t)size < o->size_to ? 2 * size : o->size_to;
}

static int check_jobs(struct tree_options *o) {
  struct tree_jobs_options *j = &o->run.jobs;
  j->operation = (enum tree_operation)o->operation;
  j->type = (uint8_t)(o->reduction << 4 | o->type);
  const int code = check_parts(o);
  if (code != 0) return code;
  j->seed = o->run.network.seed;
  if (j->operation == TREE_BARRIER) {
    if (o->size_given) return tree_refuse("--size: a barrier has no vector");
    if (o->mode == MODE_SAT) return tree_refuse("--mode sat: a barrier takes the low-latency tree");
    j->size = 0;
  }
  const size_t element = ina_element_size(j->type);
  if (j->size % element != 0)
    return tree_refuse("--size %" PRIu32 ": must be a multiple of %zu, an element's bytes", j->size, element);
  if (o->mode == MODE_LLT && j->size > TREE_LLT_MOST)
    return tree_refuse("--size %" PRIu32 ": --mode llt takes vectors of up to %d bytes", j->size, TREE_LLT_MOST);
  j->streams = o->mode == MODE_SAT || j->size > TREE_LLT_MOST;
  return 0;
}

static int check_regroup(const struct tree_options *o) {
  const struct tree_jobs_options *j = &o->run.jobs;
  if (j->regroup == 0) return 0;
  if (ranks_count() > 1) return tree_refuse("--regroup: one process tells all nodes, and there are %u", ranks_count());
  if (j->streams && j->lock != 1) return tree_refuse("--regroup: a group that holds a lock stays; --lock 1 will do");
  if (o->wrong != NULL || o->kill_host != NULL || o->kill_link != NULL || o->lose_memory != NULL)
    return tree_refuse("--regroup: waits for all hosts of a group; not with --wrong, --kill-host, --kill-link or --lose-memory");
  return 0;
}

static int check_reopen(const struct tree_options *o) {
  if (o->run.jobs.reopen == 0) return 0;
  if (ranks_count() > 1) return tree_refuse("--reopen: one process tells all nodes, and there are %u", ranks_count());
  if (!o->run.jobs.streams) return tree_refuse("--reopen: is for streaming trees");
  if (o->run.jobs.parts > 1) return tree_refuse("--reopen: is for operations that are whole");
  if (o->run.network.pairs > 1) return tree_refuse("--reopen: is for --trees 1");
  return 0;
}

int tree_options_resize(struct tree_options *o, uint32_t size) {
  o->run.jobs.size = size;
  int code = check_jobs(o);
  if (code == 0) code = check_regroup(o);
  if (code == 0) code = check_reopen(o);
  return code == 0 ? tree_options_check_wrong(o) : code;
}

/// All sizes that are asked for.
static int check_sizes(struct tree_options *o) {
  if (!read_size(o))
    return tree_refuse("--size %s: must be a number of bytes, 4 to 256M, or FROM..TO, of which TO is more", o->size);
  const uint32_t first = o->run.jobs.size;
  if (o->size_to > 0 && (o->out != NULL || ranks_count() > 1))
    return tree_refuse("--size %s: several sizes are for one process, and without --out", o->size);
  if (o->report != NULL && ranks_count() > 1)
    return tree_refuse("--report: one process writes it, and there are %u", ranks_count());
  int code = tree_options_resize(o, first);
  for (uint32_t size = first; code == 0 && (size = tree_options_next(o, size)) > 0;) code = tree_options_resize(o, size);
  return code == 0 ? tree_options_resize(o, first) : code;
}

/// Of all that a run waits for, a host that gives up waits longest.
static int check_patience(const struct tree_options *o) {
  if (tree_wiring_patience(&o->run.network) <= (uint64_t)(MOST_US * 1e6)) return 0;
  return tree_refuse("--patience %g: hosts of this tree would wait longer than the 17 s that can be simulated; up to %.0f",
                     o->patience_us, MOST_US / (2 * o->topology.levels + 4));
}

static int check(struct tree_options *o) {
  char error[256];
  struct tree_net_options *n = &o->run.network;
  const struct topology_limits limits = {TOPOLOGY_MAX_NODES, TOPOLOGY_MAX_HOSTS, TOPOLOGY_MAX_CHILDREN, TREE_MAX_PORTS};
  if (topology_read(&o->topology, o->shape, &limits, error, sizeof error) != 0)
    return tree_refuse("--topology %s: %s", o->shape, error);
  n->topology = &o->topology;
  if (n->groups > o->topology.hosts) return tree_refuse("--groups %u: there are %u hosts", n->groups, o->topology.hosts);
  n->cable_ps = (uint64_t)(o->cable_ns * 1e3);
  n->node_ps = (uint64_t)(o->node_ns * 1e3);
  n->timeout_ps = (uint64_t)(o->timeout_us * 1e6);
  n->patience_ps = (uint64_t)(o->patience_us * 1e6);
  n->scatter = o->partition == PARTITION_SCATTER;
  if (o->out != NULL && ranks_count() > 1)
    return tree_refuse("--out: one process writes what is on cables, and there are %u", ranks_count());
  int code = check_lock(o);
  if (code == 0) code = check_sizes(o);
  if (code == 0) code = tree_options_check_devices(o);
  if (code == 0) code = check_patience(o);
  return code == 0 ? check_kills(o) : code;
}

int tree_options_parse(int argc, char **argv, struct tree_options *o) {
  *o = (struct tree_options){0};
  const int code = options_parse(&tree_command_line, argc, argv, o);
  return code == 0 ? check(o) : code;
}
